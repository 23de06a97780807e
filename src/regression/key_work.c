/* The kernels and operators of a run, of whatever format, as the history stores them: what a
 * changed part of the time is put down to (docs/formulas-nightly.md 7). */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "document/record.h"
#include "document/schema.h"
#include "document/times.h"
#include "regression/key_figures.h"

#define MOST        60    /* rows of a kind */
#define LEAST_SHARE 0.001 /* of the kind's time */

struct row {
    struct az_sv part, name;
    double time, calls;
};
AZ_VEC(struct row, rows);

static int by_time(const void *px, const void *py, void *ctx)
{
    const struct row *x = px, *y = py;
    (void)ctx;
    return x->time > y->time ? -1 : x->time < y->time ? 1 : az_sv_cmp(x->name, y->name);
}

static int by_name(const void *px, const void *py, void *ctx)
{
    const struct row *x = px, *y = py;
    const int c = az_sv_cmp(x->part, y->part);
    (void)ctx;
    return c ? c : az_sv_cmp(x->name, y->name);
}

/* A name may have several rows, of streams or shapes. */
static void add_up(struct rows *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->n; i++) {
        struct row *last = kept ? &r->v[kept - 1] : NULL;
        if (last && az_sv_eq(last->name, r->v[i].name) && az_sv_eq(last->part, r->v[i].part)) {
            last->time += r->v[i].time;
            last->calls += r->v[i].calls;
        } else {
            r->v[kept++] = r->v[i];
        }
    }
    r->n = kept;
}

static int take_rows(const struct az_time_rows *from, const struct az_kernel_rules *rules,
                     struct rows *out)
{
    const ptrdiff_t count = az_schema_find(from->t, AZ_SV("count"));
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < from->t->rows; i++) {
        struct row r = { .part = rules ? az_family_text(az_time_rows_family(from, i, rules))
                                       : AZ_SV("operator"),
                         .name = az_cell_text(az_table_at(from->t, i, (size_t)from->label)),
                         .time = az_time_at(from->t, i, from->time) / from->per,
                         .calls = NAN };
        if (count >= 0)
            r.calls = az_cell_number(az_table_at(from->t, i, (size_t)count)) / from->per;
        if (!az_time_rows_contains_others(from, i) && r.name.n && r.time > 0)
            rc = az_vec_push(out, r);
    }
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_name, NULL, NULL);
    add_up(out);
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_time, NULL, NULL);
    return rc;
}

/* Kernels of the median step where it is known, else what the tables have, divided by the steps. */
static int find_rows(const struct az_document *d, const char *label, const struct az_key_basis *b,
                     bool kernels, struct az_time_rows *from)
{
    *from = (struct az_time_rows){ .t = b->work, .per = 1 };
    if (kernels && b->work) {
        from->label = az_text_column(b->work, "kernel");
        from->family = az_text_column(b->work, "family");
        from->time = az_time_column(b->work, "kernel_time");
        if (from->label >= 0 && from->time >= 0)
            return AZ_OK;
    }
    const int rc = az_time_rows_find(d, label, "kernel_time", &b->account, from);
    from->per *= b->steps;
    return rc;
}

struct work_row {
    struct az_sv part, name;
    double time, call; /* ns; call: NaN: not known */
};
#define ROW struct work_row
static const struct az_record_column columns[] = {
    { "Part", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, part) },
    { "Name", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, name), .copy = true },
    { AZ_KEY_WORK_TIME, AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, time) },
    { AZ_KEY_WORK_CALL, AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, call) },
};

static int put_kind(const struct az_document *d, const char *label, const struct az_key_basis *b,
                    const struct az_kernel_rules *rules, struct az_table *t)
{
    struct az_time_rows from;
    struct rows r;
    double sum = 0;
    int rc = find_rows(d, label, b, rules != NULL, &from);

    if (rc || !from.t)
        return rc;
    az_vec_init(&r, d->mem);
    rc = take_rows(&from, rules, &r);
    for (size_t i = 0; i < r.n; i++)
        sum += r.v[i].time;
    for (size_t i = 0; !rc && i < r.n && i < MOST && r.v[i].time >= LEAST_SHARE * sum; i++)
        az_put_row(t, &(ROW){ r.v[i].part, r.v[i].name, r.v[i].time,
                              r.v[i].calls > 0 ? r.v[i].time / r.v[i].calls : NAN });
    az_vec_release(&r);
    return rc;
}

/* Of communication between ranks: how long they wait for one another, and how long data move. */
static void put_exposed(const struct az_document *d, double steps, struct az_table *out)
{
    static const char *const names[] = { "wait", "transfer" };

    for (size_t i = 0; i < d->tables.n; i++) {
        const struct az_table *t = d->tables.v[i];
        const ptrdiff_t column[] = { az_time_column(t, "exposed_wait"),
                                     az_time_column(t, "exposed_transfer") };
        if (!az_is_read(t) || column[0] < 0 || column[1] < 0)
            continue;
        for (size_t k = 0; k < AZ_LENGTH(names); k++) {
            double sum = 0;
            for (size_t r = 0; r < t->rows; r++)
                sum += az_time_at(t, r, column[k]);
            az_put_row(out, &(ROW){ AZ_SV("exposed"), az_sv_str(names[k]), sum / steps, NAN });
        }
        return;
    }
}

int az_key_work_add(struct az_document *d, bool by_recording)
{
    const struct az_user_names nobody = { .map = NULL };
    struct az_table *t =
        AZ_RECORD_TABLE(d->arena, AZ_KEY_WORK, "Key metrics: kernels, operators", 0, columns);
    struct az_kernel_rules *rules = az_kernel_rules_new(&nobody, d->mem);
    struct az_key_basis b;
    int rc = t ? AZ_OK : az_arena_error(d->arena);

    if (!rc && !rules)
        rc = AZ_ENOMEM;
    if (!rc) {
        az_key_basis_of(d, by_recording, &b);
        rc = put_kind(d, "kernel", &b, rules, t);
    }
    if (!rc)
        rc = put_kind(d, "operation", &b, NULL, t);
    if (!rc)
        put_exposed(d, b.steps, t);
    if (rules)
        az_kernel_rules_free(rules, d->mem);
    if (!rc && t->rows && !az_document_has(d, t->id))
        return az_document_add(d, t);
    az_table_free(t);
    return rc;
}
