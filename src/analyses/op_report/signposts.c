/* Signposts and what is between them: the table `signposts`, and repeated sequences of operations
 * between equal signposts, folded to one row per step with count, median and deviation:
 * `iterations`. Both see the whole file, whatever window the other tables have. */
#include <math.h>

#include "analyses/op_report/opreport.h"
#include "base/sort.h"
#include "document/record.h"
#include "stats/stats.h"

struct span {
    uint32_t from, to; /* texts of its signposts; to: AZ_NO_ID at the end of the file */
    size_t first, end; /* rows of `all` between them */
    uint64_t hash;     /* of the operations in it */
    size_t ops;
};
AZ_VEC(struct span, spans);

struct whole {
    struct az_op_report *t;
    struct az_op_report_rows all;
    struct az_vec_u64 at; /* places of the signposts in `all` */
};

/* Of several hosts the signposts of the first one count: all of them set the same. */
static bool is_signpost(const struct whole *w, size_t i)
{
    const struct az_oprow *r = az_op_report_oprow(w->t, &w->all.v[i]);
    return r->kind == AZ_OPROW_SIGNPOST && r->file == 0;
}
static bool is_device(const struct whole *w, size_t i)
{
    uint8_t kind = w->t->sigs.v[w->all.v[i].sig].kind;
    return kind != TT_HOST && kind != TT_SIGNPOST;
}

static int load_signposts(struct whole *w)
{
    int rc = az_op_report_select(w->t, true, &w->all);
    for (size_t i = 0; rc == 0 && i < w->all.n; i++) {
        rc = az_op_report_sig(w->t, w->all.v[i].row, &w->all.v[i].sig);
        if (rc == 0 && is_signpost(w, i))
            rc = az_vec_push(&w->at, i);
    }
    return rc;
}

/* ---- signposts ---- */

struct signpost {
    struct az_op_report_cells cells;
    int64_t ops, hosts;
    double time, gap; /* us */
};

static void put_signpost(const struct whole *w, struct az_table *x, size_t k)
{
    const struct az_op_report *t = w->t;
    size_t i = w->at.v[k], end = k + 1 < w->at.n ? w->at.v[k + 1] : w->all.n;
    struct signpost s = { .cells = az_op_report_cells_of(w->t, &w->all.v[i]) };
    double time = 0, gap = 0; /* ns: whole numbers */
    for (size_t q = i + 1; q < end; q++) {
        s.ops += is_device(w, q);
        s.hosts +=
            az_op_report_oprow(t, &w->all.v[q])->kind != AZ_OPROW_SIGNPOST && !is_device(w, q);
        time += az_op_report_row_ns(t, &w->all.v[q]);
        gap += az_op_report_row_gap_ns(t, &w->all.v[q]);
    }
    s.time = time / 1000;
    s.gap = gap / 1000;
    az_put_row(x, &s);
}

AZ_TEXT_OF_RECORD(signpost_text, struct signpost, az_op_report_text(r->cells.t, r->cells.r->code))
static const struct az_record_column signposts_columns[] = {
    AZ_OP_REPORT_ID(AZ_KEY),
    { "Signpost", AZ_TEXT, .flags = AZ_KEY, .text = signpost_text },
    { "Host Start", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_KNOWN_VIA(struct signpost, cells.r, start) },
    { "Device Ops", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct signpost, ops) },
    { "Host Ops", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct signpost, hosts) },
    { "Device Time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct signpost, time) },
    { "Op-to-Op Gap", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct signpost, gap) },
};

static int signposts(const struct whole *w)
{
    struct az_table *x =
        AZ_RECORD_TABLE_OF(w->t->job->arena, "signposts", "Signposts and the operations after each",
                           AZ_TABLE_SUMMARY, signposts_columns, w->t);
    for (size_t k = 0; k < w->at.n; k++)
        put_signpost(w, x, k);
    return az_op_report_emit(w->t, x, 0);
}

int az_op_report_signposts(struct az_op_report *t)
{
    struct whole w = { .t = t };
    az_vec_init(&w.all, t->job->mem);
    az_vec_init(&w.at, t->job->mem);
    int rc = load_signposts(&w);
    if (rc == 0)
        rc = signposts(&w);
    az_vec_release(&w.all);
    az_vec_release(&w.at);
    return rc;
}

/* ---- iterations ---- */

/* Device operations of a span: their number and a hash of what they are. most: at most so many. */
static void read_span(const struct whole *w, struct span *s, size_t most)
{
    s->ops = 0;
    s->hash = 0;
    for (size_t i = s->first; i < s->end && s->ops < most; i++) {
        if (!is_device(w, i))
            continue;
        uint64_t mix[2] = { s->hash, w->all.v[i].sig };
        s->hash = az_hash(mix, sizeof mix);
        s->ops++;
    }
}

static int add_span(const struct whole *w, struct spans *out, size_t a, size_t b)
{
    struct span s = { .from = az_op_report_oprow(w->t, &w->all.v[w->at.v[a]])->code,
                      .to = AZ_NO_ID,
                      .first = w->at.v[a] + 1,
                      .end = w->all.n };
    if (b < w->at.n) {
        s.to = az_op_report_oprow(w->t, &w->all.v[w->at.v[b]])->code;
        s.end = w->at.v[b];
    }
    read_span(w, &s, SIZE_MAX);
    return s.ops ? az_vec_push(out, s) : 0;
}

/* From each signpost to the next of any text, and to the next of its own where that is another one.
 * What follows the last of a text counts as an iteration only as far as it repeats the one before
 * it. */
static int find_spans(const struct whole *w, struct spans *out)
{
    struct az_map next; /* text -> next place of it, from the back */
    int rc = 0;
    az_map_init(&next, w->t->job->mem, 64);
    for (size_t k = w->at.n; rc == 0 && k-- > 0;) {
        uint32_t code = az_op_report_oprow(w->t, &w->all.v[w->at.v[k]])->code, *at;
        bool added;
        rc = az_map_put(&next, code, 0, (uint32_t)w->at.n, &at, &added);
        if (rc)
            break;
        size_t same = *at;
        *at = (uint32_t)k;
        if (same < w->at.n || k + 1 < w->at.n)
            rc = add_span(w, out, k, k + 1 < w->at.n ? k + 1 : same);
        if (rc == 0 && same < w->at.n && same != k + 1)
            rc = add_span(w, out, k, same);
        if (rc == 0 && same == w->at.n && k + 1 == w->at.n && w->at.n > 1)
            rc = add_span(w, out, k, w->at.n);
    }
    az_map_release(&next);
    return rc;
}

/* The last span reaches to the end of the file: cut it to the operations of an equal iteration
 * before it. */
static void cut_last(const struct whole *w, struct spans *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct span *last = &s->v[i];
        if (last->to != AZ_NO_ID)
            continue;
        for (size_t k = 0; k < s->n; k++) {
            struct span probe = *last;
            if (s->v[k].from != last->from || s->v[k].to != last->from)
                continue;
            read_span(w, &probe, s->v[k].ops);
            if (probe.hash == s->v[k].hash && probe.ops == s->v[k].ops) {
                *last = probe;
                last->to = last->from;
                break;
            }
        }
    }
}

static int equal_together(const void *a, const void *b, void *ctx)
{
    const struct span *x = a, *y = b;
    (void)ctx;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->ops != y->ops)
        return x->ops < y->ops ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool same_sequence(const struct span *a, const struct span *b)
{
    return a->from == b->from && a->to == b->to && a->ops == b->ops && a->hash == b->hash;
}

struct step {
    int64_t sequence, number, n; /* number 0: the whole sequence */
    struct az_sv from, to, shown;
    double median, std, least, most, gap; /* us */
};
#define ROW struct step
static const struct az_record_column step_columns[] = {
    { "From", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, from) },
    { "To", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, to) },
    { "Sequence", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, sequence) },
    { "Step", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, number) },
    { "OP Code", AZ_TEXT, AZ_FIELD(ROW, shown) },
    { "Iterations", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, n) },
    { "Device Time Median", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, median) },
    { "Device Time Std", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, std) },
    { "Device Time Min", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, least) },
    { "Device Time Max", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, most) },
    { "Op-to-Op Gap Median", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, gap) },
};
#undef ROW

/* Statistics; NaN without values. */
static void measure(struct step *x, const struct az_vec_f64 *time, const struct az_vec_f64 *gap)
{
    x->median = x->std = x->least = x->most = x->gap = NAN;
    for (size_t i = 0; i < time->n; i++) {
        x->least = isnan(x->least) || time->v[i] < x->least ? time->v[i] : x->least;
        x->most = isnan(x->most) || time->v[i] > x->most ? time->v[i] : x->most;
    }
    if (time->n > 1)
        x->std = az_std_f64(time->v, time->n, 1);
    if (time->n)
        x->median = az_percentile_f64(time->v, time->n, 50);
    if (gap->n)
        x->gap = az_percentile_f64(gap->v, gap->n, 50);
}

/* One step of a sequence, over its iterations; *at: where each of them is. The last step is the
 * whole sequence. */
static int put_step(const struct whole *w, struct az_table *x, const struct span *s, size_t n,
                    int64_t sequence, size_t step, size_t *at)
{
    struct az_vec_f64 time, gap;
    const struct az_op_report *t = w->t;
    bool sum = step == s->ops;
    struct az_sv shown = AZ_SV("(all)");
    int rc = 0;

    az_vec_init(&time, t->job->mem);
    az_vec_init(&gap, t->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        double d = 0, g = 0;
        size_t left = sum ? s->ops : 1;
        for (at[i] = sum ? s[i].first : at[i]; left; at[i]++) {
            if (!is_device(w, at[i]))
                continue;
            left--;
            d += az_op_report_row_ns(t, &w->all.v[at[i]]);
            g += az_op_report_row_gap_ns(t, &w->all.v[at[i]]);
            if (!sum && i == 0)
                shown = t->sigs.v[w->all.v[at[i]].sig].shown;
        }
        rc = az_vec_push(&time, d / 1000);
        if (rc == 0)
            rc = az_vec_push(&gap, g / 1000);
    }
    struct step row = { .from = az_op_report_text(t, s->from),
                        .to = az_op_report_text(t, s->to),
                        .sequence = sequence,
                        .number = sum ? 0 : (int64_t)step + 1,
                        .shown = shown,
                        .n = (int64_t)n };
    measure(&row, &time, &gap);
    az_put_row(x, &row);
    az_vec_release(&time);
    az_vec_release(&gap);
    return rc;
}

static int put_sequence(const struct whole *w, struct az_table *x, const struct span *s, size_t n,
                        int64_t sequence)
{
    size_t *at = az_mem_alloc(w->t->job->mem, n * sizeof *at);
    int rc = at ? 0 : az_mem_error(w->t->job->mem);
    if (rc == 0)
        rc = put_step(w, x, s, n, sequence, s->ops, at);
    for (size_t i = 0; rc == 0 && i < n; i++)
        at[i] = s[i].first;
    for (size_t step = 0; rc == 0 && step < s->ops; step++)
        rc = put_step(w, x, s, n, sequence, step, at);
    az_mem_free(w->t->job->mem, at, n * sizeof *at);
    return rc;
}

static int fold_spans(const struct whole *w, struct spans *s)
{
    struct az_table *x =
        AZ_RECORD_TABLE(w->t->job->arena, "iterations", "Repeated sequences between signposts",
                        AZ_TABLE_SUMMARY, step_columns);
    int rc = 0;
    az_sort_cmp(s->v, s->n, sizeof *s->v, equal_together, NULL, w->t->job->mem);
    int64_t sequence = 0;
    for (size_t i = 0, n; rc == 0 && i < s->n; i = n) {
        for (n = i + 1; n < s->n && same_sequence(&s->v[i], &s->v[n]); n++)
            ;
        if (n - i > 1)
            rc = put_sequence(w, x, &s->v[i], n - i, ++sequence);
    }
    return az_op_report_emit(w->t, x, rc);
}

int az_op_report_iterations(struct az_op_report *t)
{
    struct whole w = { .t = t };
    struct spans s;
    az_vec_init(&w.all, t->job->mem);
    az_vec_init(&w.at, t->job->mem);
    az_vec_init(&s, t->job->mem);
    int rc = load_signposts(&w);
    if (rc == 0)
        rc = find_spans(&w, &s);
    if (rc == 0) {
        cut_last(&w, &s);
        rc = fold_spans(&w, &s);
    }
    az_vec_release(&s);
    az_vec_release(&w.all);
    az_vec_release(&w.at);
    return rc;
}
