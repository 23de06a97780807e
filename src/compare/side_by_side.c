/* Device time of several inputs next to each other (docs/compare.md). */
#include "compare/side_by_side.h"

#include <math.h>

#include "base/human.h"
#include "base/num.h"
#include "base/sort.h"
#include "classify/classmap.h"
#include "compare/title_groups.h"
#include "document/claims.h"
#include "document/schema.h"
#include "document/table_kinds.h"
#include "document/times.h"

#define LABELS    24 /* rows of a table; smaller ones are "others" */
#define MULTIPLES 8  /* charts of one family each */
#define SAME_SIZE 20 /* times that differ by this factor at most are drawn with one scale */

static const char *const tables_read[] = {
    "verdict", "account", "trust_checks", "verdict_facts",        "step_work", "time_by_family",
    "facts",   "classes", "nccl",         "kernel_class_summary", "memops",
};

/* What results of other tools have instead of families: the first that is there. */
static const struct {
    const char *table, *label, *time;
} others[] = {
    { "grouped_breakdown", "group", "time" }, /* of ranks: the mean */
    { "kernel_summary_by_category", "category", "kernel_time" },
    { "ops_summary_by_category", "category", "kernel_time" },
    { "tpu_category_summary", "category", "kernel_time" },
    { "kern_sum", "category", "kernel_time" },
    { "ops_stacked", "operation", "kernel_time" },
    { "ops", "operation", "kernel_time" },
};

/* Where the names of kernels are if there is no step: for the user's classes. */
static const char *const kernels[] = { "kern_sum", "kernel_summary", "kernels_by_name" };

bool az_side_by_side_reads(const struct az_document *d, const struct az_table *t)
{
    for (size_t i = 0; i < AZ_LENGTH(tables_read); i++)
        if (az_sv_is(t->id, tables_read[i]))
            return true;
    for (size_t i = 0; i < AZ_LENGTH(kernels); i++)
        if (az_sv_is(t->id, kernels[i]))
            return !az_document_has(d, AZ_SV("step_work"));
    return false;
}

/* ---- what one input is divided by ---- */

/* An option of the configuration, as the table `facts` has it; NaN: not set. */
static double option_of(const struct az_document *d, const char *name)
{
    char buf[AZ_NUM_MAX];
    double x;
    const struct az_sv text = az_cell_exact(az_fact_cell(d, "facts", name, "Value"), buf);
    return az_parse_f64(text, &x) ? NAN : x;
}

double az_side_by_side_steps(const struct az_document *d, const struct az_change_side *side)
{
    return side->has_steps ? (double)side->steps : option_of(d, "option num_of_iters");
}

struct basis {
    bool per_step;
    bool median;           /* of the median step, else the sums of all steps by their number */
    double steps, devices; /* sums of the recording are divided by these */
};

static struct basis basis_of(const struct az_document *d)
{
    struct az_change_side side;
    struct basis b;
    az_change_side_of(d, &side);
    b.steps = az_side_by_side_steps(d, &side);
    b.per_step = b.steps > 0;
    const struct az_table *median = d && b.per_step ? az_document_table(d, "step_work") : NULL;
    b.median = median && median->rows > 0;
    b.steps = b.per_step ? b.steps : 1;
    b.devices = side.has_account && side.devices > 0 ? (double)side.devices
                                                     : option_of(d, "option num_of_gpus");
    b.devices = b.devices > 0 ? b.devices : 1;
    return b;
}

/* ---- a matrix: labels by inputs ---- */
struct label {
    struct az_sv name;
    double total; /* over all inputs, for the order */
    double *ns;   /* one per input; NaN: not recorded */
};
AZ_VEC(struct label, labels);

struct matrix {
    struct az_document *doc;
    const struct az_compare_input *in;
    size_t n;
    bool fold;           /* many inputs are grouped in the text */
    struct basis *basis; /* one per input */
    struct labels labels;
    double *sum; /* of an input, ns */
};

static int add_share(struct matrix *m, size_t input, struct az_sv name, double ns)
{
    struct label *l = NULL;

    if (!(ns > 0))
        return AZ_OK;
    for (size_t i = 0; i < m->labels.n && !l; i++)
        if (az_sv_eq(m->labels.v[i].name, name))
            l = &m->labels.v[i];
    if (!l) {
        struct label fresh = { .name = az_arena_dup(m->doc->arena, name) };
        fresh.ns = az_arena_array(m->doc->arena, m->n, sizeof *fresh.ns);
        if (!fresh.ns || !fresh.name.p)
            return az_arena_error(m->doc->arena);
        for (size_t i = 0; i < m->n; i++)
            fresh.ns[i] = (double)NAN;
        const int rc = az_vec_push(&m->labels, fresh);
        if (rc)
            return rc;
        l = &m->labels.v[m->labels.n - 1];
    }
    l->ns[input] = isnan(l->ns[input]) ? ns : l->ns[input] + ns;
    l->total += ns;
    m->sum[input] += ns;
    return AZ_OK;
}

/* Rows of a table with a label and a time, each divided; *rows: whether it has any. */
static int add_table(struct matrix *m, size_t input, const char *id, const char *label,
                     const char *time, double divide, bool *rows)
{
    const struct az_table *t = az_document_table(m->in[input].doc, id);
    const ptrdiff_t at = t ? az_text_column(t, label) : -1, ns = t ? az_time_column(t, time) : -1;
    int rc = AZ_OK;

    *rows = at >= 0 && ns >= 0 && t->rows > 0 && az_is_read(t);
    const char *whole = *rows ? az_compare_spec_of(t->id, t)->total : NULL;
    for (size_t r = 0; *rows && !rc && r < t->rows; r++) {
        const struct az_sv name = az_cell_text(az_table_at(t, r, (size_t)at));
        if (!whole || !az_sv_is(name, whole)) /* which is listed with its parts */
            rc =
                add_share(m, input, name.n ? name : AZ_SV("(none)"), az_time_at(t, r, ns) / divide);
    }
    return rc;
}

static int fill_families(struct matrix *m, size_t input)
{
    const struct basis *b = &m->basis[input];
    bool found = false;
    int rc =
        b->per_step ? add_table(m, input, "step_work", "family", "kernel_time", 1, &found) : AZ_OK;
    if (!rc && !found)
        rc = add_table(m, input, "time_by_family", "family", "kernel_time", b->steps * b->devices,
                       &found);
    return rc;
}

/* ---- the user's classes ---- */
static const char memory[] = "memory operations";

/* The class of a name. Memory operations have one of their own. */
static struct az_sv class_of(const struct az_classifier *c, struct az_sv name, struct az_sv family)
{
    const uint32_t id = az_classify(c, name);
    const bool copies = az_sv_eq(family, az_family_text(AZ_FAMILY_COPY)) ||
                        az_sv_eq(family, az_family_text(AZ_FAMILY_FILL));
    return id == AZ_CLASS_OTHERS && copies ? az_sv_str(memory) : c->names.v[id];
}

/* From a table of kernels; *rows: whether it has any. */
static int classify_names(struct matrix *m, size_t input, const char *id, double divide, bool *rows)
{
    const struct az_table *t = az_document_table(m->in[input].doc, id);
    const ptrdiff_t name = t ? az_text_column(t, "kernel") : -1,
                    family = t ? az_text_column(t, "family") : -1,
                    ns = t ? az_time_column(t, "kernel_time") : -1;
    struct az_classifier c;

    *rows = name >= 0 && ns >= 0 && t->rows > 0 && az_is_read(t) &&
            az_schema_find(t, AZ_SV("rank")) < 0;
    if (!*rows)
        return AZ_OK;
    int rc = az_classifier_init(&c, m->in[input].classes, m->doc->arena);
    for (size_t r = 0; !rc && r < t->rows; r++)
        rc = add_share(
            m, input,
            class_of(&c, az_cell_text(az_table_at(t, r, (size_t)name)),
                     family < 0 ? AZ_SV("") : az_cell_text(az_table_at(t, r, (size_t)family))),
            az_time_at(t, r, ns) / divide);
    az_classifier_release(&c);
    return rc;
}

/* The rows of a table under one label. */
static int add_whole(struct matrix *m, size_t input, const char *id, const char *label,
                     double divide)
{
    const struct az_table *t = az_document_table(m->in[input].doc, id);
    const ptrdiff_t ns = t ? az_time_column(t, "kernel_time") : -1;
    int rc = AZ_OK;
    for (size_t r = 0; ns >= 0 && !rc && r < t->rows; r++)
        rc = add_share(m, input, az_sv_str(label), az_time_at(t, r, ns) / divide);
    return rc;
}

static int fill_classes(struct matrix *m, size_t input)
{
    const struct az_table *classes = az_document_table(m->in[input].doc, "classes");
    const struct basis *b = &m->basis[input];
    const bool mapped = m->in[input].classes && m->in[input].classes->n;
    const double divide = b->steps * b->devices;
    bool found = false;
    int rc = AZ_OK;

    if (mapped && b->per_step)
        rc = classify_names(m, input, "step_work", 1, &found);
    if (rc || found)
        return rc;
    if (!mapped && az_document_has(m->in[input].doc, AZ_SV("time_by_family")) &&
        (!classes || classes->rows < 2)) /* without a map all is "others" */
        return AZ_OK;
    rc = add_table(m, input, "classes", "category", "kernel_time", divide, &found);
    if (!rc && found) {
        rc = add_whole(m, input, "nccl", "nccl", divide);
        return rc ? rc : add_whole(m, input, "memops", memory, divide);
    }
    if (!rc)
        rc = add_table(m, input, "kernel_class_summary", "category", "kernel_time", divide, &found);
    for (size_t k = 0; mapped && !rc && !found && k < AZ_LENGTH(kernels); k++)
        rc = classify_names(m, input, kernels[k], divide, &found);
    const size_t n =
        az_document_has(m->in[input].doc, AZ_SV("time_by_family")) ? 0 : AZ_LENGTH(others);
    for (size_t k = 0; !rc && !found && k < n; k++)
        rc = add_table(m, input, others[k].table, others[k].label, others[k].time, divide, &found);
    return rc;
}

/* ---- order and folding ---- */
static int larger_first(const void *a, const void *b, void *ctx)
{
    const struct label *x = a, *y = b;
    (void)ctx;
    if (x->total > y->total || x->total < y->total)
        return x->total > y->total ? -1 : 1;
    return az_sv_cmp(x->name, y->name);
}

/* Long recordings do not decide the order: each input counts by its shares. */
static void weigh(struct matrix *m)
{
    for (size_t k = 0; k < m->labels.n; k++) {
        struct label *l = &m->labels.v[k];
        l->total = 0;
        for (size_t i = 0; i < m->n; i++)
            l->total += isnan(l->ns[i]) || !(m->sum[i] > 0) ? 0 : l->ns[i] / m->sum[i];
    }
}

static void fold_small_shares(struct matrix *m)
{
    struct label *rest = m->labels.n > LABELS ? &m->labels.v[LABELS - 1] : NULL;

    for (size_t k = LABELS; rest && k < m->labels.n; k++) {
        const struct label *l = &m->labels.v[k];
        for (size_t i = 0; i < m->n; i++)
            if (!isnan(l->ns[i]))
                rest->ns[i] = isnan(rest->ns[i]) ? l->ns[i] : rest->ns[i] + l->ns[i];
    }
    if (rest) {
        rest->name = az_arena_printf(m->doc->arena, "(%zu others)", m->labels.n - LABELS + 1);
        m->labels.n = LABELS;
    }
}

/* ---- tables and charts ---- */

/* One unit for all times, in which the input with the least time has digits, too. */
static enum az_unit unit_of(const struct matrix *m, double *ns)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < m->n; i++) {
        least = m->sum[i] > 0 ? fmin(least, m->sum[i]) : least;
        most = fmax(most, m->sum[i]);
    }
    const bool seconds = least >= 1e9 && most >= 1e10, micro = most < 1e6 || least < 1e5;
    *ns = seconds ? 1e9 : micro ? 1e3 : 1e6;
    return seconds ? AZ_UNIT_S : micro ? AZ_UNIT_US : AZ_UNIT_MS;
}

static struct az_sv heading_of(const struct matrix *m, size_t input)
{
    return m->basis[input].per_step
               ? m->in[input].tag
               : az_arena_printf(m->doc->arena, "%.*s, recording", AZ_SVF(m->in[input].tag));
}

/* Headers have the unit of metrics named by the user or a rule. */
static struct az_sv with_unit(const struct matrix *m, struct az_sv name, enum az_unit unit)
{
    return az_arena_printf(m->doc->arena, "%.*s (%s)", AZ_SVF(name), az_unit_text(unit));
}

static bool any_of(const struct matrix *m, bool per_step)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->in[i].doc && m->basis[i].per_step == per_step)
            return true;
    return false;
}
static bool any_per_step(const struct matrix *m) { return any_of(m, true); }

/* What the times are of, in a note: headings have those of a recording. */
static const char *basis_text(const struct matrix *m)
{
    return !any_per_step(m) ? "Of one device"
           : any_of(m, false)
               ? "Of one step and device, or of the recording where the heading names it"
               : "Of one step and device";
}

/* What the times are of, after a title. */
static const char *times_of(const struct matrix *m)
{
    bool median = true;

    for (size_t i = 0; i < m->n; i++)
        median &= !m->in[i].doc || !m->basis[i].per_step || m->basis[i].median;
    return !any_per_step(m) ? "whole recording" : median ? "median step" : "mean step";
}

struct kind {
    const char *id, *text_id, *title, *label;
};

/* For readers: a row per label, time and share per input. */
static int by_label(struct matrix *m, const struct kind *kind, const char *id, unsigned flags)
{
    struct az_table *t = az_table_new(m->doc->arena, id, kind->title,
                                      flags | AZ_TABLE_SHORT | AZ_TABLE_BLOCKS | AZ_TABLE_ONE_UNIT);
    bool blank = false;
    double scale;
    const enum az_unit unit = unit_of(m, &scale);

    if (!t)
        return az_arena_error(m->doc->arena);
    az_table_column(t, kind->label, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < m->n; i++) {
        if (!m->in[i].doc) /* it could not be read, which `configurations` shows */
            continue;
        az_table_columnsv(t, with_unit(m, heading_of(m, i), unit), AZ_REAL, unit, AZ_LOWER_BETTER);
        az_table_columnsv(t,
                          az_arena_printf(m->doc->arena, "%.*s share (%%)", AZ_SVF(m->in[i].tag)),
                          AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    }
    for (size_t k = 0; k < m->labels.n; k++) {
        az_put_text(t, m->labels.v[k].name);
        for (size_t i = 0; i < m->n; i++) {
            const double ns = m->labels.v[k].ns[i];
            if (!m->in[i].doc)
                continue;
            blank |= isnan(ns);
            az_put_f64(t, ns / scale);
            az_put_f64(t, 100 * ns / m->sum[i]);
        }
    }
    t->title = az_arena_printf(m->doc->arena, "%s, %s", kind->title, times_of(m));
    t->note = az_arena_printf(m->doc->arena, "%s; %%: share of device time%s.", basis_text(m),
                              blank ? "; blank: not recorded" : "");
    const int rc = az_document_add(m->doc, t);
    if (rc == AZ_OK)
        az_schema_restore_headers(t);
    return rc;
}

/* The median over the inputs of a group of one value each. */
static double median_in(const struct matrix *m, const struct az_title_groups *g, size_t group,
                        const double *of, double *scratch)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++)
        if (g->of[i] == group && m->in[i].doc && of[i] > 0)
            scratch[n++] = of[i];
    return az_median_of(scratch, n, m->doc->mem);
}

/* Inputs that are groups: their medians. */
static int group_inputs(const struct matrix *m, const struct az_title_groups *g, struct matrix *r,
                        double *scratch)
{
    struct az_arena *a = m->doc->arena;
    struct az_compare_input *in = az_arena_array(a, g->n, sizeof *in);

    r->basis = az_arena_array(a, g->n, sizeof *r->basis);
    r->sum = az_arena_array(a, g->n, sizeof *r->sum);
    if (!in || !r->basis || !r->sum)
        return az_arena_error(a);
    for (size_t k = 0; k < g->n; k++) {
        in[k] = (struct az_compare_input){ .tag = g->name[k] };
        r->basis[k].per_step = true;
        r->sum[k] = median_in(m, g, k, m->sum, scratch);
    }
    for (size_t i = 0; i < m->n; i++) {
        struct az_compare_input *to = &in[g->of[i]];
        to->doc = to->doc ? to->doc : m->in[i].doc;
        r->basis[g->of[i]].per_step &= m->basis[i].per_step;
    }
    r->in = in;
    return AZ_OK;
}

/* The table of many inputs in the text: by the pattern of their titles. */
static int by_group(struct matrix *m, const struct kind *kind)
{
    struct az_arena *a = m->doc->arena;
    double *scratch = az_arena_array(a, m->n, sizeof *scratch);
    struct az_title_groups g;
    int rc = az_title_groups_make(a, m->in, m->n, &g);
    struct matrix r = { .doc = m->doc, .n = g.n };

    az_vec_init(&r.labels, m->doc->mem);
    if (!rc && !scratch)
        rc = az_arena_error(a);
    rc = rc ? rc : group_inputs(m, &g, &r, scratch);
    for (size_t k = 0; !rc && k < m->labels.n; k++) {
        struct label l = { .name = m->labels.v[k].name };
        l.ns = az_arena_array(a, g.n, sizeof *l.ns);
        for (size_t i = 0; l.ns && i < g.n; i++)
            l.ns[i] = median_in(m, &g, i, m->labels.v[k].ns, scratch);
        rc = l.ns ? az_vec_push(&r.labels, l) : az_arena_error(a);
    }
    if (!rc)
        rc = by_label(&r, kind, kind->text_id, AZ_TABLE_SUMMARY | AZ_TABLE_TEXT_ONLY);
    az_vec_release(&r.labels);
    return rc;
}

static int for_people(struct matrix *m, const struct kind *kind)
{
    const bool folded = m->fold && m->n > AZ_SCREEN_INPUTS;
    const int rc = by_label(m, kind, kind->id, folded ? 0 : AZ_TABLE_SUMMARY);
    return rc || !folded ? rc : by_group(m, kind);
}

static int add_chart(struct matrix *m, struct az_chart c, const struct az_sv *y, size_t n)
{
    int rc = AZ_OK;

    az_vec_init(&c.y, m->doc->mem);
    for (size_t i = 0; !rc && i < n; i++)
        rc = az_vec_push(&c.y, y[i]);
    if (!rc)
        return az_document_chart(m->doc, c);
    az_vec_release(&c.y);
    return rc;
}

/* Are the times of all inputs of one size, so that their bars can be seen in one chart? */
static bool of_one_size(const struct matrix *m)
{
    double least = INFINITY, most = 0;
    bool per_step = true;

    for (size_t i = 0; i < m->n; i++) {
        if (!(m->sum[i] > 0))
            continue;
        per_step &= m->basis[i].per_step;
        least = fmin(least, m->sum[i]);
        most = fmax(most, m->sum[i]);
    }
    return per_step && most <= SAME_SIZE * least;
}

/* Headers that are names of inputs, families or parts stay; the first one is a word. */
static void restore_headers(struct az_table *t)
{
    az_schema_restore_headers(t);
    t->columns.v[0].title = az_schema_sentence_case(t->arena, t->columns.v[0].title);
}

/* For the charts: a row per input, a column per family; times, or shares where these differ much.
 */
static int by_input(struct matrix *m)
{
    struct az_table *t = az_table_new(m->doc->arena, "side_by_side_families_chart",
                                      "Families of each input", AZ_TABLE_ONE_UNIT);
    const size_t charts = m->labels.n < MULTIPLES ? m->labels.n : MULTIPLES;
    const bool times = of_one_size(m);
    double scale;
    enum az_unit unit = unit_of(m, &scale);

    if (!t)
        return az_arena_error(m->doc->arena);
    unit = times ? unit : AZ_UNIT_PERCENT;
    az_table_column(t, "input", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t k = 0; k < m->labels.n; k++)
        az_table_columnsv(t, with_unit(m, m->labels.v[k].name, unit), AZ_REAL, unit,
                          AZ_LOWER_BETTER);
    for (size_t i = 0; i < m->n; i++) {
        if (!m->in[i].doc)
            continue;
        az_put_text(t, heading_of(m, i));
        for (size_t k = 0; k < m->labels.n; k++)
            az_put_f64(t, m->labels.v[k].ns[i] / (times ? scale : m->sum[i] / 100));
    }
    int rc = az_document_add(m->doc, t);
    if (!rc)
        restore_headers(t);
    for (size_t k = 0; !rc && k < charts; k++)
        rc = add_chart(m,
                       (struct az_chart){ .kind = AZ_CHART_BAR,
                                          .table = t->id,
                                          .title = m->labels.v[k].name,
                                          .x = AZ_SV("input"),
                                          .y_title = times ? az_sv_str(az_unit_text(unit))
                                                           : AZ_SV("% of device time"),
                                          .small = true },
                       &t->columns.v[k + 1].name, 1);
    return rc;
}

static int make_side_by_side(struct matrix *m, int (*fill)(struct matrix *m, size_t input))
{
    int rc = AZ_OK;

    az_vec_init(&m->labels, m->doc->mem);
    m->sum = az_arena_array(m->doc->arena, m->n, sizeof *m->sum);
    if (!m->sum)
        return az_arena_error(m->doc->arena);
    for (size_t i = 0; i < m->n; i++)
        m->sum[i] = 0;
    for (size_t i = 0; !rc && i < m->n; i++)
        if (m->in[i].doc)
            rc = fill(m, i);
    weigh(m);
    az_sort_cmp(m->labels.v, m->labels.n, sizeof *m->labels.v, larger_first, NULL, m->doc->mem);
    fold_small_shares(m);
    return rc;
}

/* ---- the account ---- */
/* The parts are shares of the time that is named. */
static struct az_sv bar_of(const struct matrix *m, size_t input, const struct az_change_side *s)
{
    char time[AZ_HUMAN_MAX];
    const size_t len = az_human_time(s->whole.span, time);
    const struct az_sv counted =
        s->counted < s->steps ? az_arena_printf(m->doc->arena, "%lld of ", (long long)s->counted)
                              : AZ_SV("");
    const struct az_sv what =
        s->has_steps ? az_arena_printf(m->doc->arena, ", %.*s%lld step%s", AZ_SVF(counted),
                                       (long long)s->steps, s->steps == 1 ? "" : "s")
                     : AZ_SV(" recorded");
    return az_arena_printf(m->doc->arena, "%.*s, %.*s%.*s", AZ_SVF(m->in[input].tag), (int)len,
                           time, AZ_SVF(what));
}

static int account(struct matrix *m)
{
    static const char *const parts[AZ_CHANGE_PARTS] = { "Compute (%)", "Exposed communication (%)",
                                                        "Exposed copies (%)", "Idle (%)" };
    struct az_sv names[AZ_CHANGE_PARTS];
    struct az_table *t =
        az_table_new(m->doc->arena, "side_by_side_account", "Device time of each input", 0);

    if (!t)
        return az_arena_error(m->doc->arena);
    az_table_column(t, "input", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t k = 0; k < AZ_CHANGE_PARTS; k++) {
        names[k] = az_sv_str(parts[k]);
        az_table_columnsv(t, names[k], AZ_REAL, AZ_UNIT_PERCENT, k ? AZ_LOWER_BETTER : 0);
    }
    for (size_t i = 0; i < m->n; i++) {
        struct az_change_side s;
        az_change_side_of(m->in[i].doc, &s);
        if (!s.has_account) /* a bar of nothing would be read as one of no time */
            continue;
        const int64_t ns[AZ_CHANGE_PARTS] = { s.whole.computing, s.whole.exposed_communication,
                                              s.whole.exposed_copy, s.whole.idle };
        az_put_text(t, bar_of(m, i, &s));
        for (size_t k = 0; k < AZ_CHANGE_PARTS; k++)
            az_put_f64(t, ns[k] > 0 ? 100 * (double)ns[k] / (double)s.whole.span : 0);
    }
    const bool any = t->rows > 0;
    int rc = az_document_add(m->doc, t);
    if (rc || !any)
        return rc;
    restore_headers(t);
    return add_chart(m,
                     (struct az_chart){ .kind = AZ_CHART_STACKED_BAR,
                                        .table = AZ_SV("side_by_side_account"),
                                        .title = AZ_SV("Device time of each input"),
                                        .x = AZ_SV("input"),
                                        .y_title = AZ_SV("%") },
                     names, AZ_CHANGE_PARTS);
}

int az_side_by_side(struct az_document *doc, const struct az_compare_input *in, size_t n, bool fold)
{
    static const struct kind families = { "side_by_side_families", "families by name",
                                          "Time by family", "Family" },
                             classes = { "side_by_side_classes", "classes by name", "Time by class",
                                         "Class" };
    struct matrix m = { .doc = doc, .in = in, .n = n, .fold = fold };
    int rc;

    m.basis = az_arena_array(doc->arena, n, sizeof *m.basis);
    if (!m.basis)
        return az_arena_error(doc->arena);
    for (size_t i = 0; i < n; i++)
        m.basis[i] = in[i].doc ? basis_of(in[i].doc)
                               : (struct basis){ .per_step = true, .steps = 1, .devices = 1 };
    rc = make_side_by_side(&m, fill_families);
    if (!rc && m.labels.n)
        rc = for_people(&m, &families);
    if (!rc)
        rc = account(&m);
    if (!rc && m.labels.n)
        rc = by_input(&m);
    az_vec_release(&m.labels);
    if (!rc)
        rc = make_side_by_side(&m, fill_classes);
    if (!rc && m.labels.n)
        rc = for_people(&m, &classes);
    az_vec_release(&m.labels);
    return rc;
}
