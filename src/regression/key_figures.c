/* The dozen metrics by which a run is tested without rules. */
#include "regression/key_figures.h"

#include <math.h>

#include "document/record.h"
#include "document/schema.h"
#include "document/step_samples.h"
#include "stats/rank_test.h"

#define LATER_SHARE  0.04 /* ... where earlier runs had none of it */
#define LEAST_STEPS  3
#define LEAST_SPREAD 8 /* steps with a known scatter */

struct figure_row {
    struct az_sv figure;
    double value;   /* bytes or ns */
    double scatter; /* NaN: not known */
};
#define ROW struct figure_row
static bool is_memory(const void *id) { return strcmp(id, AZ_KEY_MEMORY) == 0; }
static bool is_time(const void *id) { return !is_memory(id); }
static const struct az_record_column columns[] = {
    { "Figure", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, figure) },
    { "Size (bytes)", AZ_REAL, AZ_UNIT_BYTES, AZ_LOWER_BETTER, AZ_FIELD(ROW, value),
      .when = is_memory },
    { "Time (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, value), .when = is_time },
    { "Scatter", AZ_REAL, AZ_UNIT_RATIO, AZ_DETAIL, AZ_FIELD(ROW, scatter), .when = is_time },
};

static struct az_table *new_table(struct az_document *d, const char *id, const char *title)
{
    return AZ_RECORD_TABLE_OF(d->arena, id, title, 0, columns, id);
}

static void put_row(struct az_table *t, struct az_sv figure, double x)
{
    az_put_row(t, &(ROW){ figure, x, NAN });
}

/* ---- basis ---- */

/* Sums of kernels are divided by the numbers of a classic configuration. */
static void given_steps(const struct az_change_side *s, struct az_key_basis *b)
{
    const int64_t n = s->steps * s->gpus;
    struct az_sum_of_time *a = &b->account;
    int64_t *const times[] = { &a->total, &a->busy, &a->idle, &a->compute, &a->comm, &a->copies };
    if (!b->per_step || n < 1)
        return;
    b->steps = (double)n;
    for (size_t i = 0; i < AZ_LENGTH(times); i++)
        *times[i] /= s->steps;
}

/* The account of the claims, as the comparison of two runs has it; of results without claims their
 * tables. */
void az_key_basis_of(const struct az_document *d, bool by_recording, struct az_key_basis *out)
{
    struct az_change_side side;
    *out = (struct az_key_basis){ .steps = 1 };
    az_time_of_document(d, &out->account);
    az_change_side_of(d, &side);
    out->per_step = side.has_steps && !by_recording;
    if (!side.has_account) {
        given_steps(&side, out);
        return;
    }
    const struct az_claim_account *a = out->per_step ? &side.step : &side.whole;
    out->account = (struct az_sum_of_time){ .known = true,
                                            .parted = true,
                                            .serial = out->account.serial,
                                            .total = a->span,
                                            .busy = a->span - a->idle,
                                            .idle = a->idle,
                                            .compute = a->computing,
                                            .comm = a->exposed_communication,
                                            .copies = a->exposed_copy,
                                            .devices = side.devices > 0 ? (size_t)side.devices : 1,
                                            .table = AZ_SV("account") };
    if (!out->per_step)
        return;
    out->steps = (double)side.steps;
    const struct az_table *work = az_document_table(d, "step_work");
    out->work = work && az_is_read(work) && work->rows ? work : NULL;
}

/* Rows of the median step. */
static bool rows_of_step(const struct az_key_basis *b, struct az_time_rows *out)
{
    *out = (struct az_time_rows){ .t = b->work, .per = 1 };
    if (!b->work)
        return false;
    out->label = az_text_column(b->work, "kernel");
    out->family = az_text_column(b->work, "family");
    out->time = az_time_column(b->work, "kernel_time");
    for (size_t r = 0; out->time >= 0 && r < b->work->rows; r++)
        out->sum += az_time_at(b->work, r, out->time);
    return out->label >= 0 && out->time >= 0;
}

/* ---- steps ---- */

/* Steps of a metric: the total, busy and their median scatter as the steps do, a part
 * without times of its own, a family, as the busy time does, near enough. */
static size_t steps_of(const struct az_table *t, struct az_sv figure)
{
    if (az_sv_is(t->id, AZ_KEY_FIGURES))
        return AZ_STEP_TOTAL;
    return az_sv_is(figure, "idle")                    ? AZ_STEP_IDLE
           : az_sv_is(figure, "exposed communication") ? AZ_STEP_COMMUNICATION
           : az_sv_is(figure, "exposed copies")        ? AZ_STEP_COPIES
                                                       : AZ_STEP_BUSY;
}

static void put_scatter(struct az_table *t, const struct az_step_samples *steps)
{
    for (size_t r = 0; !t->error && r < t->rows; r++) {
        const size_t part = steps_of(t, az_cell_text(az_table_at(t, r, 0)));
        const double x = az_step_samples_scatter(steps, part, LEAST_SPREAD);
        if (!isnan(x))
            t->cells.v[r * t->columns.n + 2] = (struct az_cell){ .type = AZ_REAL, .f = x };
    }
}

/* Where the total is that of a step the median is no metric of its own. */
static int put_steps(struct az_document *d, struct az_table *t, struct az_table *parts,
                     bool per_step)
{
    struct az_step_samples steps;
    struct az_vec_f64 times;
    int rc;

    az_vec_init(&steps, d->mem);
    az_vec_init(&times, d->mem);
    rc = az_step_samples_read(d, &steps);
    for (size_t i = 0; !rc && i < steps.n; i++)
        rc = az_vec_push(&times, steps.v[i].part[AZ_STEP_TOTAL]);
    if (!rc && times.n >= LEAST_STEPS && !per_step)
        put_row(t, AZ_SV("step median"), az_gate_center(times.v, times.n));
    if (!rc && times.n >= LEAST_STEPS) {
        put_scatter(t, &steps);
        put_scatter(parts, &steps);
    }
    az_vec_release(&times);
    az_vec_release(&steps);
    return rc;
}

/* ---- parts ---- */

static bool is_listed(const struct az_vec_sv *names, struct az_sv name)
{
    for (size_t i = 0; i < names->n; i++)
        if (az_sv_eq(names->v[i], name))
            return true;
    return false;
}

/* Which parts of the time are metrics. */
struct part_choice {
    const struct az_vec_sv *earlier; /* those of earlier runs */
    struct az_vec_sv *names;         /* what they are collected in */
};

/* Is a part of the time a metric? The first run of a history chooses: what was one remains one, so
 * that a part near the limit is not there in one night and gone in the next. */
static bool is_figure(const struct az_vec_sv *earlier, struct az_sv name, double ns, double busy)
{
    if (is_listed(earlier, name))
        return true;
    return ns > 0 && ns >= (earlier->n ? LATER_SHARE : AZ_KEY_LEAST_SHARE) * busy;
}

/* Puts a part that has time, or that is a metric without; az_key_parts_filter has the last word. */
static int put_part(struct az_table *t, struct az_sv name, double ns, double busy,
                    const struct part_choice *c)
{
    const bool is_metric = is_figure(c->earlier, name, ns, busy);

    if (is_metric || ns > 0)
        put_row(t, name, ns);
    return is_metric ? az_vec_push(c->names, name) : AZ_OK;
}

/* Communication is tested by its exposed part, where that is known. */
static int put_families(struct az_table *t, const double *ns, double busy, bool parted,
                        const struct part_choice *c)
{
    int rc = AZ_OK;

    for (int f = 0; !rc && f < AZ_FAMILIES; f++)
        if (!(parted && f == AZ_FAMILY_COMMUNICATION))
            rc = put_part(t, az_family_text((enum az_family)f), ns[f], busy, c);
    return rc;
}

static void sum_families(const struct az_time_rows *rows, const struct az_kernel_rules *rules,
                         double *ns)
{
    for (size_t r = 0; r < rows->t->rows; r++)
        if (!az_time_rows_contains_others(rows, r))
            ns[az_time_rows_family(rows, r, rules)] +=
                az_time_at(rows->t, r, rows->time) / rows->per;
}

/* Tables of kernels have work that the account of time leaves out (docs/account.md): a family has
 * at most its time in time_by_family, which has copies and fills next to kernels. */
static void leave_out(const struct az_document *d, size_t devices, double steps,
                      const struct az_kernel_rules *rules, double *ns)
{
    const struct az_table *t = az_document_table(d, "time_by_family");
    double most[AZ_FAMILIES] = { 0 };

    if (!t || !az_is_read(t) || az_schema_find(t, AZ_SV("rank")) >= 0)
        return;
    const ptrdiff_t family = az_text_column(t, "family");
    const struct az_time_rows rows = { .t = t,
                                       .label = family,
                                       .family = family,
                                       .time = az_time_column(t, "kernel_time"),
                                       .per = steps * (devices ? (double)devices : 1) };
    if (family < 0 || rows.time < 0)
        return;
    sum_families(&rows, rules, most);
    for (int f = 0; f < AZ_FAMILIES; f++)
        ns[f] = fmin(ns[f], most[f]);
}

/* The exposed times of groups stand for families where ranks are reduced. */
static int put_groups(struct az_table *t, const struct az_time_rows *rows, double busy,
                      const struct part_choice *c)
{
    int rc = AZ_OK;

    for (size_t r = 0; !rc && r < rows->t->rows; r++) {
        const double x = az_time_at(rows->t, r, rows->time) / rows->per;
        const struct az_sv name = az_cell_text(az_table_at(rows->t, r, (size_t)rows->label));
        if (!az_time_rows_contains_others(rows, r))
            rc = put_part(t, name, x, busy, c);
    }
    return rc;
}

/* Rows by which the parts of the time are found: of the median step, else of the recording. */
static int find_rows(const struct az_document *d, const struct az_key_basis *b,
                     struct az_time_rows *rows)
{
    static const char *const labels[] = { "kernel", "operation" };
    int rc = AZ_OK;

    if (rows_of_step(b, rows))
        return AZ_OK;
    *rows = (struct az_time_rows){ .t = NULL };
    for (size_t k = 0; !rc && k < AZ_LENGTH(labels) && !rows->t; k++)
        rc = az_time_rows_find(d, labels[k], "kernel_time", &b->account, rows);
    rows->per *= b->steps;
    rows->sum /= b->steps;
    return rc;
}

static int put_work(const struct az_document *d, struct az_table *t, const struct az_key_basis *b,
                    const struct part_choice *c, double *sum)
{
    const struct az_sum_of_time *account = &b->account;
    const struct az_user_names nobody = { .map = NULL };
    double ns[AZ_FAMILIES] = { 0 };
    struct az_kernel_rules *rules;
    struct az_time_rows rows;
    int rc = az_time_rows_find(d, "group", "exposed", account, &rows);

    *sum = 0;
    rows.per *= b->steps;
    if (rc || (rows.t && !b->work))
        return rc ? rc : put_groups(t, &rows, (double)account->busy, c);
    rules = az_kernel_rules_new(&nobody, d->mem);
    if (!rules)
        return AZ_ENOMEM;
    rc = find_rows(d, b, &rows);
    if (!rc && rows.t) {
        sum_families(&rows, rules, ns);
        if (rows.t != b->work)
            leave_out(d, account->devices, b->steps, rules, ns);
        *sum = rows.sum;
        rc = put_families(t, ns, account->known ? (double)account->busy : rows.sum, account->parted,
                          c);
    }
    az_kernel_rules_free(rules, d->mem);
    return rc;
}

/* ---- memory ---- */

/* The most that a sampled counter of memory had in use on one device (docs/formulas-pytorch.md 16):
 * of what programs allocated, if recorded; else of what it has. */
static double sampled_peak(const struct az_document *d)
{
    static const char *const names[] = { "Memory allocated [B]", "Memory in use: device [B]" };
    const struct az_table *t = az_document_table(d, "counters");
    const ptrdiff_t name = t ? az_text_column(t, "counter") : -1,
                    most = t ? az_schema_find(t, AZ_SV("value_max")) : -1;
    double peak = 0;
    for (size_t k = 0; k < AZ_LENGTH(names) && name >= 0 && most >= 0 && !(peak > 0); k++)
        for (size_t r = 0; az_is_read(t) && r < t->rows; r++)
            if (az_sv_is(az_cell_text(az_table_at(t, r, (size_t)name)), names[k]))
                peak = fmax(peak, az_cell_number(az_table_at(t, r, (size_t)most)));
    return peak;
}

static void put_memory(const struct az_document *d, struct az_table *out)
{
    const double sampled = sampled_peak(d);
    for (size_t i = 0; sampled <= 0 && i < d->tables.n && out->rows == 0; i++) {
        const struct az_table *t = d->tables.v[i];
        const ptrdiff_t peak = az_schema_find(t, AZ_SV("peak_memory"));
        double most = 0;
        if (!az_is_read(t) || peak < 0 ||
            !az_unit_same_dimension(t->columns.v[peak].unit, AZ_UNIT_BYTES))
            continue;
        for (size_t r = 0; r < t->rows; r++)
            most = fmax(most, az_cell_number(az_table_at(t, r, (size_t)peak)) *
                                  az_unit_base(t->columns.v[peak].unit));
        if (most > 0)
            put_row(out, AZ_SV("peak memory"), most);
    }
    if (sampled > 0)
        put_row(out, AZ_SV("peak memory"), sampled);
}

/* ---- the tables ---- */

static int fill_key_figures(struct az_document *d, struct az_table *figures, struct az_table *parts,
                            struct az_table *memory, const struct part_choice *c, bool by_recording)
{
    struct az_key_basis b;
    double sum = 0;
    int rc = AZ_OK;

    az_key_basis_of(d, by_recording, &b);
    const struct az_sum_of_time a = b.account;
    if (a.known) {
        put_row(figures, AZ_SV(AZ_KEY_TOTAL), (double)a.total);
        put_row(figures, AZ_SV("busy"), (double)a.busy);
        put_row(parts, AZ_SV("idle"), (double)a.idle);
        rc = az_vec_push(c->names, AZ_SV("idle"));
    }
    if (a.parted && !rc)
        rc = put_part(parts, AZ_SV("exposed communication"), (double)a.comm, 0, c);
    if (a.parted && !rc)
        rc = put_part(parts, AZ_SV("exposed copies"), (double)a.copies, 0, c);
    if (!rc)
        rc = put_work(d, parts, &b, c, &sum);
    if (!rc && !a.known && sum > 0)
        put_row(figures, AZ_SV(AZ_KEY_TOTAL), sum);
    put_memory(d, memory);
    return rc ? rc : put_steps(d, figures, parts, b.per_step);
}

int az_key_figures_choose(struct az_document *d, const struct az_vec_sv *earlier, bool by_recording)
{
    struct az_vec_sv names;
    int rc;

    az_vec_init(&names, d->mem);
    rc = az_key_figures_begin(d, earlier, by_recording, &names);
    if (!rc)
        az_key_parts_filter(d, &names);
    az_vec_release(&names);
    return rc;
}

/* A document with parts of its own has these as metrics. */
static int own_parts(const struct az_document *d, struct az_vec_sv *names)
{
    const struct az_table *t = az_document_table(d, AZ_KEY_PARTS);
    int rc = AZ_OK;

    for (size_t r = 0; !rc && t && r < t->rows; r++)
        rc = az_vec_push(names, az_cell_text(az_table_at(t, r, 0)));
    return rc;
}

int az_key_figures_begin(struct az_document *d, const struct az_vec_sv *earlier, bool by_recording,
                         struct az_vec_sv *names)
{
    const struct part_choice c = { earlier, names };
    struct az_table *t[3] = { new_table(d, AZ_KEY_FIGURES, "Key metrics"),
                              new_table(d, AZ_KEY_PARTS, "Key metrics: time breakdown"),
                              new_table(d, AZ_KEY_MEMORY, "Key metrics: memory") };
    int rc = t[0] && t[1] && t[2] ? AZ_OK : az_arena_error(d->arena);

    if (!rc)
        rc = own_parts(d, names);
    if (!rc)
        rc = fill_key_figures(d, t[0], t[1], t[2], &c, by_recording);
    for (size_t i = 0; i < 3; i++) {
        if (rc || az_document_has(d, t[i]->id))
            az_table_free(t[i]);
        else
            rc = az_document_add(d, t[i]);
    }
    return rc;
}

void az_key_parts_filter(struct az_document *d, const struct az_vec_sv *names)
{
    struct az_table *t = az_document_table(d, AZ_KEY_PARTS);
    size_t kept = 0;

    for (size_t r = 0; t && r < t->rows; r++) {
        if (!is_listed(names, az_cell_text(az_table_at(t, r, 0))))
            continue;
        memmove(&t->cells.v[kept * t->columns.n], &t->cells.v[r * t->columns.n],
                t->columns.n * sizeof *t->cells.v);
        kept++;
    }
    az_table_truncate(t, kept);
}
