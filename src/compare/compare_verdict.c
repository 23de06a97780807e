/* The verdict of a comparison: which side is faster and by how much, the parts of the time, the
 * causes that add up to the difference exactly, and how well the two sides match
 * (docs/formulas-compare.md 1.2). Each variant is compared with the baseline. */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/human.h"
#include "base/num.h"
#include "classify/rules.h"
#include "compare/compare_causes.h"
#include "document/claims.h"
#include "document/schema.h"
#include "document/step_samples.h"
#include "document/verdict_table.h"

#define MANY_TIMES    10    /* a side of so many times the other: no percent */
#define CLOSE_PERCENT 0.05  /* smaller differences do not matter to a reader */
#define LEAST_COMMON  0.005 /* part of the time that rounds to 0% */
#define FEW_STEPS     3     /* of these the median step is like the others, or none is */
#define LEAST_CHANGE  0.02  /* of the step, for a part of it to have its mean in a line */
#define UNLIKE_SIZE   2     /* of bytes copied by equal numbers of calls */
#define MANY          2     /* variants, of which each has its parts and this many causes */
#define CAUSES_EACH   3
#define WHAT_MOST     8 /* variants that have a line at all */

struct writer {
    struct az_comparison *c;
    struct az_table *t;
    struct az_sv tag[AZ_COMPARE_MAX]; /* short */
    struct az_arena *a;
};

static void put_line(struct writer *w, struct az_line line)
{
    if (!line.text.p && !w->t->error)
        w->t->error = az_arena_error(w->a);
    else
        az_headline_put(w->t, &line);
}

static struct az_line line_of(enum az_line_kind kind, struct az_sv label, struct az_sv text)
{
    return (struct az_line){
        .kind = kind, .label = label, .text = text, .ns = -1, .percent = (double)NAN
    };
}

/* ---- what ---- */

struct rows_seen {
    size_t tables, rows, unlike;
};

static struct rows_seen count_rows(const struct az_comparison *c, size_t variant)
{
    struct rows_seen n = { 0, 0, 0 };

    for (size_t i = 0; i < c->n_tables; i++) {
        const struct az_joined *j = &c->tables[i];
        if (j->left_out || !j->n_keys || !j->table[c->base] || !j->table[variant])
            continue;
        n.tables++;
        for (size_t r = 0; r < j->n_rows; r++) {
            const enum az_row_status s = az_row_status(c, j, &j->rows[r], variant);
            n.rows += s != ROW_NONE;
            n.unlike += s != ROW_NONE && s != ROW_SAME;
        }
    }
    return n;
}

/* "rows" of one are "row". */
static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

static struct az_sv equal_text(struct writer *w, struct az_sv base, struct az_sv tag,
                               const struct az_causes *o, struct rows_seen n)
{
    const struct az_sv each =
        o->total[0] ? az_arena_printf(w->a, ": %.*s each", AZ_SVF(az_words_time(w->a, o->total[0])))
                    : AZ_SV("");

    if (n.tables == 0 && o->total[0] == 0)
        return az_arena_printf(w->a, "nothing to compare: %.*s and %.*s have no table in common",
                               AZ_SVF(base), AZ_SVF(tag));
    if (n.unlike == 0)
        return az_arena_printf(w->a,
                               "no difference between %.*s and %.*s%.*s%s %zu row%s in %zu "
                               "table%s, none differs",
                               AZ_SVF(base), AZ_SVF(tag), AZ_SVF(each), each.n ? ";" : ":", n.rows,
                               plural(n.rows), n.tables, plural(n.tables));
    if (o->total[0] == 0)
        return az_arena_printf(w->a,
                               "%.*s and %.*s have no device time to compare; %zu of %zu row%s in "
                               "%zu table%s differ",
                               AZ_SVF(base), AZ_SVF(tag), n.unlike, n.rows, plural(n.rows),
                               n.tables, plural(n.tables));
    return az_arena_printf(w->a, "%.*s and %.*s take the same time%.*s; %zu of %zu row%s differ",
                           AZ_SVF(base), AZ_SVF(tag), AZ_SVF(each), n.unlike, n.rows,
                           plural(n.rows));
}

/* "; busy -235.0 ms, idle +65.0 ms": what the whole consists of. */
static struct az_sv parts_text(struct writer *w, const struct az_causes *o)
{
    const struct az_sum_of_time *b = &o->side[0], *t = &o->side[1];

    if (!o->timed)
        return AZ_SV("");
    return az_arena_printf(w->a, "; busy %.*s, idle %.*s",
                           AZ_SVF(az_words_change(w->a, t->busy - b->busy)),
                           AZ_SVF(az_words_change(w->a, t->idle - b->idle)));
}

/* "b is 30.1% slower per step than a", "b takes 12.3x the time of a per step"; noun: "step", NULL
 * of recordings. */
static struct az_sv relation_text(struct writer *w, struct az_sv base, struct az_sv tag, double b,
                                  double t, const char *noun)
{
    const struct az_sv per = noun ? az_arena_printf(w->a, " per %s", noun) : AZ_SV("");

    if (!(b > 0) || !(t > 0))
        return az_arena_printf(w->a, "%.*s is %s%.*s than %.*s", AZ_SVF(tag),
                               t < b ? "faster" : "slower", AZ_SVF(per), AZ_SVF(base));
    if (t >= MANY_TIMES * b)
        return az_arena_printf(w->a, "%.*s takes %.*s the time of %.*s%.*s", AZ_SVF(tag),
                               AZ_SVF(az_words_factor(w->a, t / b)), AZ_SVF(base), AZ_SVF(per));
    if (b >= MANY_TIMES * t)
        return az_arena_printf(w->a, "%.*s is %.*s as fast as %.*s%.*s", AZ_SVF(tag),
                               AZ_SVF(az_words_factor(w->a, b / t)), AZ_SVF(base), AZ_SVF(per));
    return az_arena_printf(w->a, "%.*s is %.1f%% %s%.*s than %.*s", AZ_SVF(tag),
                           100 * fabs(t - b) / b, t < b ? "faster" : "slower", AZ_SVF(per),
                           AZ_SVF(base));
}

/* "3% of kernel time has kernel names in common" */
static struct az_sv common_text(struct writer *w, double part, const char *what)
{
    return part < LEAST_COMMON
               ? az_arena_printf(w->a, "no %s in common", what)
               : az_arena_printf(w->a, "%.0f%% of kernel time has %s in common", 100 * part, what);
}

/* "a and b may not be the same work, 3% of kernel time has kernel names in common": no side is
 * faster then. */
static struct az_sv unlike_text(struct writer *w, struct az_sv base, struct az_sv tag,
                                const struct az_causes *o)
{
    return az_arena_printf(
        w->a, "%.*s and %.*s may not be the same work, %.*s", AZ_SVF(base), AZ_SVF(tag),
        AZ_SVF(common_text(w, o->common,
                           o->by_shape ? "operators with equal shapes" : "kernel names")));
}

static struct az_sv faster_text(struct writer *w, struct az_sv base, struct az_sv tag,
                                const struct az_causes *o)
{
    const double b = (double)o->total[0], t = (double)o->total[1];
    const struct az_sv pair = az_words_pair(w->a, o->total[0], o->total[1], "->"),
                       parts = parts_text(w, o);
    struct az_sv text;

    if (!o->like)
        text = unlike_text(w, base, tag, o);
    else if (b > 0 && 100 * fabs(t - b) < CLOSE_PERCENT * b)
        text = az_arena_printf(w->a, "%.*s and %.*s differ by less than %.2g%%", AZ_SVF(base),
                               AZ_SVF(tag), CLOSE_PERCENT);
    else
        text = relation_text(w, base, tag, b, t, NULL);
    return az_arena_printf(w->a, "%.*s: %s%.*s%.*s", AZ_SVF(text), o->timed ? "" : "kernel time ",
                           AZ_SVF(pair), AZ_SVF(parts));
}

static struct az_step_spread step_spread(struct writer *w, size_t variant)
{
    struct az_step_spread spread;
    const int rc = az_step_spread_of(w->c->in[w->c->base].doc, w->c->in[variant].doc, &spread);

    if (rc && !w->t->error)
        w->t->error = rc;
    return spread;
}

/* "b is 30.1% slower per step than a: 8.53 -> 11.1 ms (median of 6 and 3 steps; spread 0.8%)" */
static struct az_sv step_text(struct writer *w, struct az_sv base, struct az_sv tag,
                              const struct az_causes *o, struct az_step_spread spread)
{
    const struct az_change *x = &o->change;
    const struct az_sv note = x->a_ns == x->b_ns || spread.error < CLOSE_PERCENT / 100
                                  ? AZ_SV("")
                                  : az_arena_printf(w->a, "; spread %.1f%%", 100 * spread.error);
    const struct az_sv pair = x->a_ns == x->b_ns ? az_words_time(w->a, x->a_ns)
                                                 : az_words_pair(w->a, x->a_ns, x->b_ns, "->");
    const char *single = az_change_single_step(x);
    struct az_sv text;

    if (!o->like)
        text = az_arena_printf(w->a, "%.*s; per %s", AZ_SVF(unlike_text(w, base, tag, o)), x->noun);
    else if (x->a_ns == x->b_ns)
        text = az_arena_printf(w->a, "%.*s and %.*s take the same time per %s", AZ_SVF(base),
                               AZ_SVF(tag), x->noun);
    else if (100 * fabs(x->share) < CLOSE_PERCENT)
        text = az_arena_printf(w->a, "%.*s and %.*s differ by less than %.2g%% per %s",
                               AZ_SVF(base), AZ_SVF(tag), CLOSE_PERCENT, x->noun);
    else if (fabs(x->share) < spread.least)
        text = az_arena_printf(w->a, "%.*s and %.*s do not differ beyond the spread of their %ss",
                               AZ_SVF(base), AZ_SVF(tag), x->noun);
    else
        text = relation_text(w, base, tag, (double)x->a_ns, (double)x->b_ns, x->noun);
    if (single)
        return az_arena_printf(w->a, "%.*s: %.*s (%s%.*s)", AZ_SVF(text), AZ_SVF(pair), single,
                               AZ_SVF(note));
    return az_arena_printf(w->a, "%.*s: %.*s (median of %lld and %lld %s%s%.*s)", AZ_SVF(text),
                           AZ_SVF(pair), (long long)x->counted[0], (long long)x->counted[1],
                           x->noun, x->counted[1] == 1 ? "" : "s", AZ_SVF(note));
}

static struct az_sv not_comparable(struct writer *w, struct az_sv base, struct az_sv tag,
                                   const struct az_causes *o)
{
    return az_arena_printf(w->a, "%.*s and %.*s are not comparable: %.*s", AZ_SVF(base),
                           AZ_SVF(tag),
                           AZ_SVF(az_change_text(w->a, &o->change, &o->read[0], &o->read[1])));
}

static void put_what(struct writer *w, const struct az_causes *o, size_t variant)
{
    const struct az_sv base = w->tag[w->c->base], tag = w->tag[variant];
    const bool timed = o->timed || o->by != AZ_BY_NONE;
    const struct rows_seen n = count_rows(w->c, variant);
    struct az_line line = line_of(AZ_LINE_WHAT, AZ_SV(""), AZ_SV(""));

    if (!o->change.comparable && (o->read[0].known || o->read[1].known))
        line.text = not_comparable(w, base, tag, o);
    else if (o->change.per_step)
        line.text = step_text(w, base, tag, o, step_spread(w, variant));
    else if (!timed && n.unlike)
        line.text =
            az_arena_printf(w->a,
                            "no total time known for both %.*s and %.*s: %zu of %zu row%s in "
                            "%zu table%s differ",
                            AZ_SVF(base), AZ_SVF(tag), n.unlike, n.rows, plural(n.rows), n.tables,
                            plural(n.tables));
    else if (o->total[0] == o->total[1])
        line.text = equal_text(w, base, tag, o, n);
    else
        line.text = faster_text(w, base, tag, o);
    if (timed && o->change.comparable) {
        line.ns = o->total[1] - o->total[0];
        line.change = true;
        if (o->total[0] > 0)
            line.percent = 100.0 * (double)line.ns / (double)o->total[0];
    }
    put_line(w, line);
}

/* ---- time ---- */

static struct az_sv add_part(struct writer *w, struct az_sv text, const char *name, int64_t b,
                             int64_t t)
{
    if (b == 0 && t == 0)
        return text;
    if (b == t)
        return az_arena_printf(w->a, "%.*s%s%s %.*s", AZ_SVF(text), text.n ? ", " : "", name,
                               AZ_SVF(az_words_time(w->a, b)));
    return az_arena_printf(w->a, "%.*s%s%s %.*s", AZ_SVF(text), text.n ? ", " : "", name,
                           AZ_SVF(az_words_pair(w->a, b, t, "->")));
}

/* As in the reports of both: "GPU time", "TPU time", "Device". */
static struct az_sv label_of(const struct az_document *d)
{
    const struct az_table *t = az_headline_of(d);

    for (size_t r = 0; t && r < t->rows; r++) {
        const struct az_line l = az_headline_line(t, r);
        if (l.kind == AZ_LINE_TIME)
            return l.label;
    }
    return AZ_SV("");
}

static struct az_sv time_label(const struct writer *w, size_t variant)
{
    const struct az_sv b = label_of(w->c->in[w->c->base].doc), t = label_of(w->c->in[variant].doc);

    return b.n && az_sv_eq(b, t) ? b : AZ_SV("Time");
}

static void put_time(struct writer *w, const struct az_causes *o, size_t variant, bool many)
{
    const struct az_sum_of_time *b = &o->side[0], *t = &o->side[1];
    const char *single = az_change_single_step(&o->change);
    struct az_sv text = AZ_SV("");

    if (!o->timed || o->total[0] == 0)
        return;
    if (b->parted && t->parted) {
        text = add_part(w, text, "compute", b->compute, t->compute);
        text = add_part(w, text, "exposed communication", b->comm, t->comm);
        text = add_part(w, text, "exposed copies", b->copies, t->copies);
    } else {
        text = add_part(w, text, "busy", b->busy, t->busy);
    }
    text = add_part(w, text, "idle", b->idle, t->idle);
    if (text.n && o->change.per_step)
        text = az_arena_printf(w->a, "%.*s (%s%s)", AZ_SVF(text), single ? single : "median ",
                               single ? "" : o->change.noun);
    if (text.n && many)
        text = az_arena_printf(w->a, "%.*s: %.*s", AZ_SVF(w->tag[variant]), AZ_SVF(text));
    if (text.n)
        put_line(w, line_of(AZ_LINE_TIME, time_label(w, variant), text));
}

/* ---- causes ---- */

/* "[CUDA memcpy Host-to-Device]", "[CUDA memset]": copies and fills are no kernels. */
static bool is_memory(struct az_sv name)
{
    return az_time_named_copy(name) || az_sv_starts(name, AZ_SV("[CUDA memset")) ||
           az_sv_starts(name, AZ_SV("Memset"));
}

static const char *kind_text(const struct az_causes *o, const struct az_change_cause *x)
{
    return x->kind == AZ_CAUSE_WORK && !is_memory(x->name) && o->by != AZ_BY_NONE &&
                   o->by != AZ_BY_FAMILY
               ? az_pairing_text(o->by)
               : "";
}

/* What the rows do not explain, in the direction of its change: a whole recording has no work
 * outside the steps. */
static struct az_sv overlap_text(struct writer *w, const struct az_causes *o, int64_t change)
{
    const char *outside = o->by == AZ_BY_OPERATOR
                              ? o->change.per_step ? "operators or steps" : "operators"
                          : o->change.per_step ? "the steps"
                                               : NULL;
    const char *overlap = change < 0 ? "more" : "less", *work = change < 0 ? "less" : "more";

    if (!outside)
        return az_arena_printf(w->a, "%s overlap", overlap);
    return az_arena_printf(w->a, "%s overlap, or %s work outside %s", overlap, work, outside);
}

static struct az_sv cause_text(struct writer *w, const struct az_causes *o,
                               const struct az_change_cause *x)
{
    const char *kind = kind_text(o, x), *space = *kind ? " " : "";
    const struct az_sv name = x->label;
    const int64_t b = x->ns[0], t = x->ns[1];

    if (x->kind == AZ_CAUSE_OVERLAP)
        return overlap_text(w, o, t - b);
    if (x->kind == AZ_CAUSE_WORK && (b == 0 || t == 0))
        return az_arena_printf(w->a, "%s%s%.*s: %s", kind, space, AZ_SVF(name),
                               b == 0 ? "new" : "removed");
    if (b > 0 && t >= MANY_TIMES * b && x->kind != AZ_CAUSE_REST)
        return az_arena_printf(w->a, "%s%s%.*s: %.*s (%.*s)", kind, space, AZ_SVF(name),
                               AZ_SVF(az_words_pair(w->a, b, t, "->")),
                               AZ_SVF(az_words_factor(w->a, (double)t / (double)b)));
    if (b > 0 && t > 0 && x->kind != AZ_CAUSE_REST)
        return az_arena_printf(w->a, "%s%s%.*s: %.*s (%+.1f%%)", kind, space, AZ_SVF(name),
                               AZ_SVF(az_words_pair(w->a, b, t, "->")),
                               100.0 * (double)(t - b) / (double)b);
    return az_arena_printf(w->a, "%s%s%.*s: %.*s", kind, space, AZ_SVF(name),
                           AZ_SVF(az_words_pair(w->a, b, t, "->")));
}

static struct az_sv add_idle_cause(struct writer *w, const struct az_causes *o, size_t variant,
                                   struct az_sv text)
{
    struct az_sv cause;
    const int rc = az_compare_idle(w->c, o, variant, &cause);

    if (rc && !w->t->error)
        w->t->error = rc;
    return rc || cause.n == 0 ? text
                              : az_arena_printf(w->a, "%.*s; %.*s", AZ_SVF(text), AZ_SVF(cause));
}

static void put_cause(struct writer *w, const struct az_causes *o, const struct az_change_cause *x,
                      size_t variant, bool many)
{
    const int64_t change = x->ns[1] - x->ns[0];
    struct az_sv text = cause_text(w, o, x);

    if (x->kind == AZ_CAUSE_IDLE)
        text = add_idle_cause(w, o, variant, text);
    if (many)
        text = az_arena_printf(w->a, "%.*s: %.*s", AZ_SVF(w->tag[variant]), AZ_SVF(text));
    struct az_line line = line_of(AZ_LINE_FINDING, az_words_change(w->a, change), text);
    line.evidence = az_variant_name(w->c, "waterfall", variant);
    line.row = x->label; /* as the waterfall has it */
    line.ns = change;
    line.change = true;
    if (o->total[0] > 0)
        line.percent = 100.0 * (double)change / (double)o->total[0];
    put_line(w, line);
}

/* With several variants only the largest; one more line has the sum of the others, so that the
 * lines add up. */
static void put_causes(struct writer *w, const struct az_causes *o, size_t variant, bool many)
{
    struct az_change_cause rest = { .kind = AZ_CAUSE_REST };
    size_t shown = o->list.n;

    if (many && shown > CAUSES_EACH + 1)
        shown = CAUSES_EACH;
    for (size_t i = 0; i < shown; i++)
        put_cause(w, o, &o->list.v[i], variant, many);
    for (size_t i = shown; i < o->list.n; i++) {
        rest.ns[0] += o->list.v[i].ns[0];
        rest.ns[1] += o->list.v[i].ns[1];
    }
    if (shown < o->list.n) {
        rest.name =
            az_arena_printf(w->a, "other (%zu)", o->list.n - shown + (o->rest ? o->rest - 1 : 0));
        rest.label = rest.name;
        put_cause(w, o, &rest, variant, many);
    }
}

/* ---- trust ---- */

static struct az_sv fact_of(const struct az_document *d, const char *name)
{
    return az_fact_text(d, "facts", name, "Value");
}

static struct az_sv join_reasons(struct writer *w, struct az_sv text, struct az_sv more)
{
    return az_arena_printf(w->a, "%.*s%s%.*s", AZ_SVF(text), text.n ? "; " : "", AZ_SVF(more));
}

static struct az_sv unlike(struct writer *w, struct az_sv text, const char *what, struct az_sv b,
                           struct az_sv t)
{
    if (b.n == 0 || t.n == 0 || az_sv_eq(b, t))
        return text;
    return join_reasons(w, text,
                        az_arena_printf(w->a, "%s differ: %.*s and %.*s", what,
                                        AZ_SVF(az_words_name(w->a, b)),
                                        AZ_SVF(az_words_name(w->a, t))));
}

/* Tables without a subject. */
static bool is_saved(const struct az_document *d)
{
    return az_sv_is(d->format, "tables") || az_sv_is(d->format, "workbook");
}

/* Copies between memories by the program, without those of managed memory. */
struct copied {
    double calls, bytes;
};

static struct copied copied_of(const struct az_document *d)
{
    static const char *const where[][2] = { { "mem_size_sum", "operation" },
                                            { "memory_copy_summary", "direction" } };
    struct copied sum = { 0, 0 };

    for (size_t i = 0; i < AZ_LENGTH(where); i++) {
        const struct az_table *t = az_document_table(d, where[i][0]);
        const ptrdiff_t name = t ? az_text_column(t, where[i][1]) : -1,
                        size = t ? az_schema_find(t, AZ_SV("size")) : -1,
                        count = t ? az_schema_find(t, AZ_SV("count")) : -1;
        if (name < 0 || size < 0 || count < 0 || !az_is_read(t))
            continue;
        const double unit = az_unit_base(t->columns.v[size].unit);
        for (size_t r = 0; r < t->rows; r++) {
            const struct az_sv of = az_cell_text(az_table_at(t, r, (size_t)name));
            if (az_sv_find(of, AZ_SV("memset")) >= 0 ||
                az_rules_class("trace_names.rules", "device_copy", of).n)
                continue;
            sum.calls += az_cell_number(az_table_at(t, r, (size_t)count));
            sum.bytes += unit * az_cell_number(az_table_at(t, r, (size_t)size));
        }
    }
    return sum;
}

/* "equal numbers of copies, of 262.2 kB and 16.8 MB in all": the inputs may not have the same size.
 */
static struct az_sv unlike_copies(struct writer *w, struct az_sv text, const struct az_document *b,
                                  const struct az_document *t)
{
    const struct copied x = copied_of(b), y = copied_of(t);
    char from[AZ_HUMAN_MAX], to[AZ_HUMAN_MAX];

    if (!(x.calls > 0) || x.calls != y.calls || !(fmin(x.bytes, y.bytes) > 0) ||
        fmax(x.bytes, y.bytes) < UNLIKE_SIZE * fmin(x.bytes, y.bytes))
        return text;
    az_human_bytes(x.bytes, from);
    az_human_bytes(y.bytes, to);
    return join_reasons(
        w, text, az_arena_printf(w->a, "equal numbers of copies, of %s and %s in all", from, to));
}

/* "means of all steps: compute 7.61 -> 6.89 ms": of parts of the time that change otherwise than in
 * the median step, which is one of many. */
static struct az_sv unlike_means(struct writer *w, struct az_sv text, const struct az_causes *o)
{
    const struct az_claim_account *b = &o->read[0].whole, *t = &o->read[1].whole;
    const struct az_sum_of_time *x = &o->side[0], *y = &o->side[1];
    const struct {
        const char *name;
        int64_t step[2], all[2];
    } parts[] = {
        { "compute", { x->compute, y->compute }, { b->computing, t->computing } },
        { "exposed communication",
          { x->comm, y->comm },
          { b->exposed_communication, t->exposed_communication } },
        { "exposed copies", { x->copies, y->copies }, { b->exposed_copy, t->exposed_copy } },
        { "idle", { x->idle, y->idle }, { b->idle, t->idle } },
    };
    const int64_t n[2] = { o->read[0].counted, o->read[1].counted };
    struct az_sv more = AZ_SV("");

    if (!o->change.per_step || !o->timed || !o->read[0].has_account || !o->read[1].has_account ||
        n[0] < FEW_STEPS || n[1] < FEW_STEPS)
        return text;
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        const int64_t mean[2] = { parts[i].all[0] / n[0], parts[i].all[1] / n[1] };
        const double step = (double)(parts[i].step[1] - parts[i].step[0]);
        if (fabs(step) < LEAST_CHANGE * (double)o->total[0] ||
            fabs((double)(mean[1] - mean[0]) - step) <= fabs(step) / 2)
            continue;
        more = add_part(w, more, parts[i].name, mean[0], mean[1]);
    }
    return more.n ? join_reasons(w, text,
                                 az_arena_printf(w->a, "means of all %ss: %.*s", o->change.noun,
                                                 AZ_SVF(more)))
                  : text;
}

static void put_trust(struct writer *w, const struct az_causes *o, size_t variant, bool many)
{
    const struct az_document *b = w->c->in[w->c->base].doc, *t = w->c->in[variant].doc;
    const int64_t before = o->change.a_steps, after = o->change.b_steps;
    /* communication and idle time are compared by the account then */
    const bool parts = o->timed && o->side[0].parted && o->side[1].parted;
    struct az_sv text = AZ_SV("");

    if (!is_saved(b) && !is_saved(t))
        text = unlike(w, text, "formats", b->format, t->format);
    text = unlike(w, text, "devices", fact_of(b, "device 0"), fact_of(t, "device 0"));
    text = unlike(w, text, "ranks", fact_of(b, "ranks"), fact_of(t, "ranks"));
    if (!o->change.per_step && before > 0 && after > 0 && before != after)
        text = join_reasons(w, text,
                            az_arena_printf(w->a, "numbers of steps differ: %lld and %lld",
                                            (long long)before, (long long)after));
    if (o->change.per_step && az_change_gap(&o->read[0], &o->read[1]) != 0)
        text = join_reasons(
            w, text,
            az_arena_printf(
                w->a,
                "a single step has no idle time after its last event: "
                "not compared (%.*s)",
                AZ_SVF(az_words_time(w->a, llabs(az_change_gap(&o->read[0], &o->read[1]))))));
    text = unlike_copies(w, text, b, t);
    text = unlike_means(w, text, o);
    if (o->unfit)
        text = join_reasons(
            w, text,
            o->outside
                ? AZ_SV("kernels outside the steps are listed, too; compared by parts of the time")
                : AZ_SV(
                      "listed kernels do not add up to the timeline; compared by its parts only"));
    else if (!isnan(o->shared) && o->by != AZ_BY_KERNEL && o->by != AZ_BY_GROUP)
        text = join_reasons(w, text,
                            az_arena_printf(w->a, "matched by %s: %.*s", az_pairing_text(o->by),
                                            AZ_SVF(common_text(w, o->shared, "kernel names"))));
    else if (o->by == AZ_BY_KERNEL && o->total[0] != o->total[1])
        text =
            join_reasons(w, text,
                         az_arena_printf(w->a, "%.1f%% of %s time matched by kernel name",
                                         100 * o->shared, parts ? "compute and copy" : "kernel"));
    if (text.n && many)
        text = az_arena_printf(w->a, "%.*s: %.*s", AZ_SVF(w->tag[variant]), AZ_SVF(text));
    if (text.n)
        put_line(w, line_of(AZ_LINE_TRUST, AZ_SV("Data"), text));
}

/* ---- the whole ---- */

typedef void part_writer(struct writer *w, const struct az_causes *o, size_t variant, bool many);

static void put_each(struct writer *w, const struct az_causes *causes, part_writer *part)
{
    for (size_t v = 0; v < w->c->n; v++)
        if (v != w->c->base)
            part(w, &causes[v], v, w->c->n > 2);
}

int az_compare_verdict(struct az_comparison *c, const struct az_causes *causes)
{
    struct writer w = { .c = c, .a = c->a, .t = az_headline_table(c->a) };
    size_t lines = 0;

    if (!w.t)
        return az_arena_error(c->a);
    memcpy(w.tag, c->shown, sizeof w.tag);
    for (size_t v = 0; v < c->n; v++)
        if (v != c->base && lines++ < WHAT_MOST)
            put_what(&w, &causes[v], v);
    if (c->n - 1 <= MANY) {
        put_each(&w, causes, put_time);
        put_each(&w, causes, put_causes);
        put_each(&w, causes, put_trust);
    } else {
        put_line(
            &w, line_of(AZ_LINE_NOTE, AZ_SV(""),
                        lines > WHAT_MOST
                            ? az_arena_printf(
                                  c->a, "%zu more variants; causes of each: tables waterfall__NAME",
                                  lines - WHAT_MOST)
                            : AZ_SV("causes of each: tables waterfall__NAME")));
    }
    return az_headline_add(c->doc, w.t);
}
