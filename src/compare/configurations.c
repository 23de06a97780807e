/* Table `configurations`: a row per input of a report, per step where steps are known. Read from
 * the tables of claims (document/change.h), so that saved results have rows, too. */
#include "compare/configurations.h"

#include <math.h>

#include "compare/side_by_side.h"
#include "compare/title_groups.h"
#include "document/claims.h"
#include "document/record.h"
#include "document/times.h"
#include "document/verdict_table.h"

struct row { /* of one input */
    struct az_sv title, device, scope, family, rule, finding, reason;
    struct az_change_side side;
    double steps, step_ns, share[AZ_CHANGE_PARTS], flops, mfu, ratio; /* NaN: not known */
};

/* ---- reading ---- */
static double number_of(const struct az_document *d, const char *fact)
{
    return az_cell_number(az_fact_cell(d, "verdict_facts", fact, "Value"));
}

/* The family with the most time in a table that has a row per name or family. */
static struct az_sv top_family(const struct az_document *d, const char *table)
{
    const struct az_table *t = az_document_table(d, table);
    const ptrdiff_t family = t ? az_text_column(t, "family") : -1,
                    time = t ? az_time_column(t, "kernel_time") : -1;
    double ns[AZ_FAMILIES] = { 0 };
    size_t most = 0;
    enum az_family f;
    if (family < 0 || time < 0 || !az_is_read(t))
        return AZ_SV("");
    for (size_t r = 0; r < t->rows; r++)
        if (az_family_of(az_cell_text(az_table_at(t, r, (size_t)family)), &f))
            ns[f] += az_time_at(t, r, time);
    for (size_t k = 1; k < AZ_FAMILIES; k++)
        most = ns[k] > ns[most] ? k : most;
    return ns[most] > 0 ? az_family_text((enum az_family)most) : AZ_SV("");
}

/* The problem of the first finding without its evidence: up to the colon of the first sentence,
 * else to its first comma. */
static struct az_sv problem_of(struct az_sv text)
{
    ptrdiff_t end = az_sv_find(text, AZ_SV(". ")), at;
    text = end < 0 ? text : az_sv_make(text.p, (size_t)end);
    at = az_sv_find(text, AZ_SV(": "));
    at = at < 0 ? az_sv_find(text, AZ_SV(", ")) : at;
    return at < 0 ? text : az_sv_make(text.p, (size_t)at);
}

static struct az_sv finding_of(struct az_arena *a, const struct az_document *d)
{
    const struct az_table *t = az_headline_of(d);
    for (size_t r = 0; t && r < t->rows; r++) {
        const struct az_line l = az_headline_line(t, r);
        if (l.kind == AZ_LINE_FINDING)
            return az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(l.label), l.label.n ? " " : "",
                                   AZ_SVF(problem_of(l.text)));
    }
    return AZ_SV("");
}

static void read_shares(struct row *x)
{
    const struct az_claim_account *w = &x->side.whole;
    const int64_t part[AZ_CHANGE_PARTS] = { w->computing, w->exposed_communication, w->exposed_copy,
                                            w->idle };
    for (size_t k = 0; k < AZ_CHANGE_PARTS; k++)
        x->share[k] = x->side.has_account /* the rest of a rounding may be below 0 */
                          ? (part[k] > 0 ? (double)part[k] : 0) / (double)w->span
                          : NAN;
}

/* What the shares and rates are of: the times in the same row are of one step. */
static struct az_sv scope_of(const struct az_document *doc)
{
    const struct az_table *t = doc ? az_document_table(doc, "account") : NULL;
    const ptrdiff_t column = t && t->rows ? az_table_find(t, "Scope") : -1;

    return column < 0 ? AZ_SV("") : az_cell_text(az_table_at(t, 0, (size_t)column));
}

static void read_row(struct az_arena *a, const struct az_compare_input *in, struct row *x)
{
    *x = (struct row){ .title = in->tag, .flops = NAN, .mfu = NAN, .ratio = NAN };
    az_change_side_of(in->doc, &x->side);
    const double steps = in->doc ? az_side_by_side_steps(in->doc, &x->side) : NAN;
    x->device = x->side.device;
    x->scope = scope_of(in->doc);
    x->steps = x->side.has_steps ? (double)x->side.counted : steps;
    x->step_ns = x->side.has_steps ? (double)x->side.step.span : NAN;
    read_shares(x);
    if (!in->doc)
        return;
    x->family = top_family(in->doc, "step_work");
    if (!x->family.n)
        x->family = top_family(in->doc, "time_by_family");
    x->flops = number_of(in->doc, "flops_per_s");
    x->mfu = number_of(in->doc, "mfu");
    x->rule = az_fact_text(in->doc, "verdict_facts", "first_finding", "Text");
    x->finding = finding_of(a, in->doc);
}

/* ---- the baseline ---- */
static int find_baseline(const struct az_compare_input *in, size_t n, struct az_sv wanted,
                         size_t *base)
{
    *base = n;
    for (size_t i = 0; i < n && *base == n; i++)
        if (az_sv_eq(in[i].tag, wanted) || az_sv_eq(in[i].title, wanted))
            *base = i;
    if (*base == n && az_sv_is(wanted, "first"))
        *base = 0;
    return *base < n ? AZ_OK : AZ_EUSAGE;
}

static void set_ratios(struct az_arena *a, struct row *rows, size_t n, size_t base)
{
    const struct az_change_opts opts = { .by_device = false };
    const struct row *b = &rows[base];
    for (size_t i = 0; i < n; i++) {
        struct az_change c;
        az_change_make(&b->side, &rows[i].side, &opts, &c);
        if (i == base)
            rows[i].reason = AZ_SV("baseline");
        else if (c.comparable)
            rows[i].ratio = c.share + 1;
        else
            rows[i].reason = az_change_text(a, &c, &b->side, &rows[i].side);
    }
}

/* ---- the table ---- */
static int64_t count_of(double n) { return n > 0 ? llround(n) : INT64_MIN; }

static int64_t ranks_of(struct az_sv list)
{
    int64_t n = 0;
    while (list.n)
        n += az_sv_cut(&list, ' ').n > 0;
    return n ? n : 1;
}

/* What a row shows after its step, of an input or of a group. */
/* clang-format off */
#define SHARE(record, header, flag, field)                                                         \
    { header, AZ_REAL, .flags = AZ_SHARE | (flag), AZ_FIELD(record, field) }
#define AFTER_STEP(record)                                                                     \
    SHARE(record, "Computing share", 0, share[0]),                                              \
    SHARE(record, "Exposed communication share", AZ_LOWER_BETTER, share[1]),                    \
    SHARE(record, "Exposed copy share", AZ_LOWER_BETTER, share[2]),                             \
    SHARE(record, "Idle share", AZ_LOWER_BETTER, share[3]),                                     \
    { "FLOPs per s", AZ_REAL, .flags = AZ_HIGHER_BETTER, AZ_FIELD(record, flops) },             \
    SHARE(record, "MFU", AZ_HIGHER_BETTER, mfu),                                                \
    { "Top family", AZ_TEXT, AZ_KNOWN(record, family) },                                        \
    { "First finding", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(record, rule) },                   \
    { "Finding", AZ_TEXT, AZ_KNOWN(record, finding) }
/* clang-format on */
/* Shorter than the names, which are those of the claims. */
static void set_titles(struct az_table *t)
{
    static const char *const title[][2] = { { "Step (ns)", "Median step" },
                                            { "Computing share", "Compute" },
                                            { "Exposed communication share",
                                              "Exposed communication" },
                                            { "Exposed copy share", "Exposed copies" },
                                            { "Idle share", "Idle" },
                                            { "FLOPs per s", "Rate" },
                                            { "MFU", "MFU" },
                                            { "First finding", "Rule of the first finding" },
                                            { "Finding", "First finding" } };
    for (size_t i = 0; i < AZ_LENGTH(title); i++) {
        const ptrdiff_t c = az_table_find(t, title[i][0]);
        if (c >= 0)
            t->columns.v[c].title = az_sv_str(title[i][1]);
    }
}

static int add_document(struct az_document *doc, struct az_table *t)
{
    const int rc = az_document_add(doc, t);
    if (rc == AZ_OK && t->rows)
        set_titles(t);
    return rc;
}

/* What the columns mean; a file of sums has no timeline from which a step would be known. */
static struct az_sv note_of(struct az_arena *a, const struct row *rows, size_t n,
                            struct az_sv baseline)
{
    size_t sums = 0, last = 0;
    struct az_sv text = AZ_SV("");
    if (baseline.n)
        text = az_arena_printf(a, "Step ratio: time per step by that of %.*s.", AZ_SVF(baseline));
    for (size_t i = 0; i < n; i++) {
        const bool summed = rows[i].side.has_steps && !rows[i].side.has_account;
        sums += summed;
        last = summed ? i : last;
    }
    if (sums == 0)
        return text;
    return az_arena_printf(a, "%.*s%sStep of %.*s: sum of kernel times (no timeline in the file).",
                           AZ_SVF(text), text.n ? " " : "",
                           AZ_SVF(sums == 1 ? rows[last].title : AZ_SV("inputs without shares")));
}

/* Columns that some reports have. */
struct shown {
    struct az_sv baseline;
    bool scopes; /* shares are of different scopes */
    bool spans;  /* none has steps, whose time is known */
};
static bool with_ratio(const void *shown) { return ((const struct shown *)shown)->baseline.n > 0; }
static bool with_scopes(const void *shown) { return ((const struct shown *)shown)->scopes; }
static bool with_spans(const void *shown) { return ((const struct shown *)shown)->spans; }
AZ_OF_RECORD(int64_t, span, struct row,
             r->side.has_account ? count_of((double)r->side.whole.span) : INT64_MIN)
AZ_OF_RECORD(int64_t, devices, struct row,
             r->side.known ? count_of((double)r->side.devices) : INT64_MIN)
AZ_OF_RECORD(int64_t, ranks, struct row,
             r->side.known ? count_of((double)ranks_of(r->side.ranks)) : INT64_MIN)
AZ_OF_RECORD(int64_t, steps, struct row, count_of(r->steps))
AZ_OF_RECORD(int64_t, step_time, struct row, count_of(r->step_ns))
/* Is a step of any outside of its account, as warm-up? */
static bool excludes(const struct row *rows, size_t n)
{
    bool any = false;

    for (size_t i = 0; i < n; i++)
        any |= rows[i].side.has_steps && rows[i].side.counted < rows[i].side.steps;
    return any;
}

/* The scope that all have; *differ: they have several. */
static struct az_sv common_scope(const struct row *rows, size_t n, bool *differ)
{
    struct az_sv scope = AZ_SV("");

    *differ = false;
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].scope.n)
            continue;
        *differ |= scope.n && !az_sv_eq(rows[i].scope, scope);
        scope = rows[i].scope;
    }
    return scope;
}

static struct az_sv title_of(const struct row *rows, size_t n)
{
    bool differ;
    const struct az_sv scope = common_scope(rows, n, &differ);

    if (differ)
        return AZ_SV("Configurations, shares of different scopes");
    if (az_sv_is(scope, "steps") && excludes(rows, n))
        return AZ_SV("Configurations, shares of the counted steps");
    return az_sv_is(scope, "steps")       ? AZ_SV("Configurations, shares of all steps")
           : az_sv_is(scope, "window")    ? AZ_SV("Configurations, shares of the window")
           : az_sv_is(scope, "recording") ? AZ_SV("Configurations, shares of the recording")
                                          : AZ_SV("Configurations");
}

static const struct az_record_column columns[] = {
    { "Title", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct row, title) },
    { "Device", AZ_TEXT, AZ_KNOWN(struct row, device) },
    { "Devices", AZ_INT, .integer = devices },
    { "Ranks", AZ_INT, .integer = ranks },
    { "Steps", AZ_INT, .integer = steps },
    { "Scope", AZ_TEXT, AZ_KNOWN(struct row, scope), .when = with_scopes },
    { "Span (ns)", AZ_INT, AZ_UNIT_NS, .integer = span, .when = with_spans },
    { "Step (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, .integer = step_time },
    AFTER_STEP(struct row),
    { "Step ratio", AZ_REAL, .flags = AZ_LOWER_BETTER, AZ_FIELD(struct row, ratio),
      .when = with_ratio },
    { "Comparison", AZ_TEXT, AZ_KNOWN(struct row, reason), .when = with_ratio },
};

static int whole_table(struct az_document *doc, const struct row *rows, size_t n,
                       struct az_sv baseline, bool in_text)
{
    struct shown shown = { .baseline = baseline };

    (void)common_scope(rows, n, &shown.scopes);
    shown.spans = true;
    for (size_t i = 0; i < n; i++)
        shown.spans &= !rows[i].side.has_steps;
    struct az_table *t = AZ_RECORD_TABLE_OF(doc->arena, "configurations", "Configurations",
                                            (in_text ? AZ_TABLE_SUMMARY : 0) | AZ_TABLE_SHORT |
                                                AZ_TABLE_FIRST | AZ_TABLE_BLOCKS,
                                            columns, &shown);
    if (!t)
        return az_arena_error(doc->arena);
    t->title = title_of(rows, n);
    t->note = note_of(doc->arena, rows, n, baseline);
    AZ_PUT_ROWS(t, rows, n);
    return add_document(doc, t);
}

/* ---- many inputs, folded by the pattern of their titles ---- */
struct folded {
    const struct row *rows;
    const size_t *group;
    size_t n, g;
    double *v; /* scratch of n */
    struct az_mem *mem;
};

/* The known values of one metric of a group. */
static size_t values_of(struct folded *f, size_t offset)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        double x;
        memcpy(&x, (const char *)&f->rows[i] + offset, sizeof x);
        if (f->group[i] == f->g && !isnan(x))
            f->v[n++] = x;
    }
    return n;
}

static double median_of(struct folded *f, size_t offset)
{
    return az_median_of(f->v, values_of(f, offset), f->mem);
}

/* The text that all of a group have; else empty. */
static struct az_sv common_of(const struct folded *f, size_t offset)
{
    struct az_sv text = { NULL, 0 };
    for (size_t i = 0; i < f->n; i++) {
        struct az_sv x;
        memcpy(&x, (const char *)&f->rows[i] + offset, sizeof x);
        if (f->group[i] != f->g)
            continue;
        if (text.p && !az_sv_eq(text, x))
            return AZ_SV("");
        text = x.p ? x : AZ_SV("");
    }
    return text;
}

struct folded_row {
    struct az_sv name, device, family, rule, finding;
    int64_t inputs, step, shortest, longest; /* ns; INT64_MIN: not known */
    double share[AZ_CHANGE_PARTS], flops, mfu;
};
static const struct az_record_column folded_columns[] = {
    { "Title", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct folded_row, name), .copy = true },
    { "Inputs", AZ_INT, AZ_FIELD(struct folded_row, inputs) },
    { "Device", AZ_TEXT, AZ_KNOWN(struct folded_row, device) },
    { "Step (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct folded_row, step) },
    { "Shortest (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct folded_row, shortest) },
    { "Longest (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct folded_row, longest) },
    AFTER_STEP(struct folded_row),
};

static void put_folded(struct az_table *t, struct folded *f, struct az_sv name)
{
    struct folded_row r = { .name = name };
    for (size_t i = 0; i < f->n; i++)
        r.inputs += f->group[i] == f->g;
    r.device = common_of(f, offsetof(struct row, device));
    const size_t n = values_of(f, offsetof(struct row, step_ns));
    r.step = count_of(az_median_of(f->v, n, f->mem)); /* which sorts them */
    r.shortest = count_of(n ? f->v[0] : NAN);
    r.longest = count_of(n ? f->v[n - 1] : NAN);
    for (size_t k = 0; k < AZ_CHANGE_PARTS; k++)
        r.share[k] = median_of(f, offsetof(struct row, share) + k * sizeof(double));
    r.flops = median_of(f, offsetof(struct row, flops));
    r.mfu = median_of(f, offsetof(struct row, mfu));
    r.family = common_of(f, offsetof(struct row, family));
    r.rule = common_of(f, offsetof(struct row, rule));
    r.finding = common_of(f, offsetof(struct row, finding));
    az_put_row(t, &r);
}

static int folded_table(struct az_document *doc, const struct az_compare_input *in,
                        const struct row *rows, size_t n)
{
    struct az_title_groups groups;
    const int rc = az_title_groups_make(doc->arena, in, n, &groups);
    struct folded f = { .rows = rows, .group = groups.of, .n = n, .mem = doc->mem };
    struct az_table *t = AZ_RECORD_TABLE(
        doc->arena, "configurations by name", "Configurations by name",
        AZ_TABLE_SUMMARY | AZ_TABLE_SHORT | AZ_TABLE_BLOCKS | AZ_TABLE_TEXT_ONLY, folded_columns);
    f.v = az_arena_array(doc->arena, n, sizeof *f.v);
    if (rc || !f.v || !t)
        return rc ? rc : az_arena_error(doc->arena);
    t->note = az_arena_printf(
        doc->arena, "%zu inputs by the pattern of their titles, medians; -v: a row per input.", n);
    for (f.g = 0; f.g < groups.n; f.g++)
        put_folded(t, &f, groups.name[f.g]);
    return add_document(doc, t);
}

int az_configurations(struct az_document *doc, const struct az_compare_input *in, size_t n,
                      const struct az_configurations_opts *opts)
{
    struct row *rows = az_arena_array(doc->arena, n, sizeof *rows);
    const bool folded = opts->fold && n > AZ_SCREEN_INPUTS;
    struct az_sv baseline = AZ_SV("");
    size_t base = n;

    if (!rows)
        return az_arena_error(doc->arena);
    if (opts->baseline.n && find_baseline(in, n, opts->baseline, &base))
        return AZ_EUSAGE;
    for (size_t i = 0; i < n; i++)
        read_row(doc->arena, &in[i], &rows[i]);
    if (base < n) {
        set_ratios(doc->arena, rows, n, base);
        baseline = in[base].tag;
    }
    int rc = az_configurations_verdict(doc, in, n, base);
    if (!rc)
        rc = whole_table(doc, rows, n, baseline, !folded);
    return rc || !folded ? rc : folded_table(doc, in, rows, n);
}
