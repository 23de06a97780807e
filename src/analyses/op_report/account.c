/* The account of device time of a report of operations, by intervals on the timeline of each
 * device, and the gaps in it (docs/formats-tracy.md 18). Operations of sub devices run at the same
 * time, so that durations do not add up. */
#include <math.h>

#include "analyses/op_report/scope.h"
#include "base/sort.h"
#include "facts/account.h"
#include "facts/steps.h"

#define IDLE 0.01 /* of the busiest device's time: less is none */

static int64_t end_of(const struct az_oprow *r) { return r->at + llround(r->kernel); }

static bool in_rows(const struct az_op_report_scope *s, size_t i)
{
    return !s->t->in_window || s->t->in_window[i];
}

static bool in_range(const struct az_op_report *t, const struct az_oprow *r)
{
    return t->o->id_range.n == 0 || (r->line >= t->range_low && r->line <= t->range_high);
}

bool az_op_report_in_tables(const struct az_op_report_scope *s, uint32_t row)
{
    return in_rows(s, row) && in_range(s->t, &s->t->r->rows.v[row]);
}

/* From the first start to the last end of operations; chosen: of those in the window of the
 * signposts and in the range of ids. */
static struct az_span span_of(const struct az_op_report_scope *s, bool chosen)
{
    struct az_span x = { INT64_MAX, INT64_MIN };
    for (size_t k = 0; k < s->n; k++) {
        const struct az_oprow *r = &s->t->r->rows.v[s->row[k]];
        if (s->skip[k] || (chosen && !az_op_report_in_tables(s, s->row[k])))
            continue;
        x.start = r->at < x.start ? r->at : x.start;
        x.end = end_of(r) > x.end ? end_of(r) : x.end;
    }
    return x;
}

static bool is_cut(const struct az_op_report_scope *s)
{
    for (size_t k = 0; k < s->n; k++)
        if (!az_op_report_in_tables(s, s->row[k]))
            return true;
    return false;
}

/* A window that the user chose; else the steps; else what follows the last signpost. */
static int choose(struct az_op_report_scope *s)
{
    const struct az_options *o = s->t->o;
    const bool windowed = s->t->trace->windowed, cut = windowed || is_cut(s);
    const bool user = windowed || o->start_signpost.n || o->end_signpost.n || o->id_range.n;
    int rc = 0;
    s->all = span_of(s, false);
    s->steps = az_job_steps(s->t->job, s->trace, &rc);
    if (!s->steps)
        return rc;
    const int64_t ticks = s->t->trace->ticks_per_ns;
    const bool steps = s->steps->n && s->steps->scope.end >= s->steps->scope.start;
    s->window = s->all;
    if (cut && (user || !steps)) {
        s->scope = AZ_SCOPE_WINDOW;
        s->window = span_of(s, true);
        if (s->window.end < s->window.start) /* nothing was chosen: all of it is after the window */
            s->window = (struct az_span){ s->all.start, s->all.start };
    } else if (steps) {
        s->scope = AZ_SCOPE_STEPS;
        s->window = (struct az_span){ s->steps->scope.start / ticks, s->steps->scope.end / ticks };
    }
    return 0;
}

static int by_device(const void *x, const void *y, void *ctx)
{
    const struct az_oprow *v = ctx, *a = &v[*(const uint32_t *)x], *b = &v[*(const uint32_t *)y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

static int list_account(struct az_op_report_scope *s)
{
    const struct az_oprows *rows = &s->t->r->rows;
    struct az_arena *a = s->t->job->arena;
    s->row = az_arena_array(a, rows->n + 1, sizeof *s->row);
    s->skip = az_arena_array(a, rows->n + 1, 1);
    if (!s->row || !s->skip)
        return az_arena_error(a);
    for (size_t i = 0; i < rows->n; i++)
        if (az_oprow_counts(&rows->v[i]))
            s->row[s->n++] = (uint32_t)i;
    az_sort_cmp(s->row, s->n, sizeof *s->row, by_device, rows->v, s->t->job->mem);
    return 0;
}

static struct az_claim_account part_of(const struct az_busy *b, int64_t start, int64_t end)
{
    struct az_account a;
    if (end <= start)
        return (struct az_claim_account){ 0 };
    az_account_of(b, &(struct az_span){ start, end }, 0, &a);
    return (struct az_claim_account){ .span = a.total,
                                      .computing = a.compute + a.other,
                                      .exposed_communication = a.exposed_comm,
                                      .exposed_copy = a.exposed_copies,
                                      .idle = a.idle,
                                      .communication = a.comm,
                                      .copy = a.copies };
}

static bool in_window(const struct az_op_report_scope *s, const struct az_span *step)
{
    const int64_t ticks = s->t->trace->ticks_per_ns;
    return step->start / ticks >= s->window.start && step->end / ticks <= s->window.end;
}

/* The mean of the two steps in the middle. */
static struct az_claim_account median_step(const struct az_op_report_scope *s,
                                           const struct az_busy *b)
{
    const int64_t ticks = s->t->trace->ticks_per_ns;
    const struct az_span *m = s->steps->middle;
    if (s->scope == AZ_SCOPE_RECORDING || s->steps->period < 0 ||
        !(in_window(s, &m[0]) && in_window(s, &m[1])))
        return (struct az_claim_account){ 0 };
    const struct az_claim_account x = part_of(b, m[0].start / ticks, m[0].end / ticks),
                                  y = part_of(b, m[1].start / ticks, m[1].end / ticks);
    struct az_claim_account a = { .span = (x.span + y.span) / 2,
                                  .computing = (x.computing + y.computing) / 2,
                                  .exposed_communication =
                                      (x.exposed_communication + y.exposed_communication) / 2,
                                  .exposed_copy = (x.exposed_copy + y.exposed_copy) / 2,
                                  .communication = (x.communication + y.communication) / 2,
                                  .copy = (x.copy + y.copy) / 2 };
    a.idle = a.span - a.computing - a.exposed_communication - a.exposed_copy;
    return a;
}

/* Rows [from, to) of one device into its account. */
static int account(struct az_op_report_scope *s, size_t from, size_t to,
                   struct az_op_report_device *out)
{
    struct az_busy b;
    const struct az_oprow *v = s->t->r->rows.v;
    int rc = 0;
    az_busy_init(&b, s->t->job->mem);
    for (size_t k = from; rc == 0 && k < to; k++) {
        const struct az_oprow *r = &v[s->row[k]];
        rc = az_busy_add(&b, az_part_of(s->t->job, s->trace, AZ_KERNEL, r->code), r->at, end_of(r));
    }
    if (rc == 0)
        rc = az_busy_close(&b);
    if (rc == 0) {
        out->device = v[s->row[from]].device;
        out->a = part_of(&b, s->window.start, s->window.end);
        out->before = part_of(&b, s->all.start, s->window.start);
        out->after = part_of(&b, s->window.end, s->all.end);
        out->step = median_step(s, &b);
    }
    az_busy_release(&b);
    return rc;
}

static int accounts(struct az_op_report_scope *s)
{
    const struct az_oprow *v = s->t->r->rows.v;
    int rc = 0;
    s->n_devices = 0;
    for (size_t i = 0, k; rc == 0 && i < s->n; i = k) {
        for (k = i + 1; k < s->n && v[s->row[k]].device == v[s->row[i]].device; k++)
            ;
        s->first[s->n_devices] = i;
        rc = account(s, i, k, &s->device[s->n_devices++]);
        s->first[s->n_devices] = k;
    }
    return rc;
}

static int64_t busy_of(const struct az_op_report_device *d) { return d->a.span - d->a.idle; }

/* Marks the devices that did next to nothing, with their rows. Are there any? */
static bool mark_idle(struct az_op_report_scope *s)
{
    int64_t most = 0;
    bool any = false;
    for (size_t d = 0; d < s->n_devices; d++)
        most = busy_of(&s->device[d]) > most ? busy_of(&s->device[d]) : most;
    s->working = 0;
    for (size_t d = 0; d < s->n_devices; d++) {
        s->device[d].idle = (double)busy_of(&s->device[d]) < IDLE * (double)most;
        s->working += !s->device[d].idle;
        any |= s->device[d].idle;
        for (size_t k = s->first[d]; k < s->first[d + 1]; k++)
            s->skip[k] = s->device[d].idle;
    }
    return any;
}

int az_op_report_scope_make(struct az_op_report_scope *s, struct az_op_report *t)
{
    *s = (struct az_op_report_scope){ .t = t };
    while (t->job->traces[s->trace] != t->trace)
        s->trace++;
    int rc = list_account(s);
    const size_t most = t->r->devices > 0 ? (size_t)t->r->devices + 1 : 1;
    s->device = az_arena_array(t->job->arena, most, sizeof *s->device);
    s->first = az_arena_array(t->job->arena, most + 1, sizeof *s->first);
    if (rc == 0 && (!s->device || !s->first))
        rc = az_arena_error(t->job->arena);
    if (rc || s->n == 0)
        return rc;
    rc = choose(s);
    if (rc == 0)
        rc = accounts(s);
    if (rc == 0 && mark_idle(s)) { /* they do not count for the window either */
        rc = choose(s);
        if (rc == 0)
            rc = accounts(s);
        mark_idle(s);
    }
    return rc;
}

/* ---- order of calls ---- */
static int by_call(const void *x, const void *y, void *ctx)
{
    const struct az_oprow *v = ctx, *a = &v[*(const uint32_t *)x], *b = &v[*(const uint32_t *)y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->start != b->start && a->start != INT64_MIN && b->start != INT64_MIN)
        return a->start < b->start ? -1 : 1;
    return *(const uint32_t *)x < *(const uint32_t *)y ? -1 : 1;
}

/* Replays have the times of the calls that were captured. */
static int by_row(const void *x, const void *y, void *ctx)
{
    const struct az_oprow *v = ctx;
    const uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    if (v[i].device != v[k].device)
        return v[i].device < v[k].device ? -1 : 1;
    return i < k ? -1 : i > k;
}

int az_op_report_calls_make(struct az_op_report_calls *c, const struct az_op_report_scope *s)
{
    const struct az_oprows *rows = &s->t->r->rows;
    struct az_arena *a = s->t->job->arena;
    uint32_t *order = az_arena_array(a, rows->n + 1, sizeof *order);
    size_t n = 0;
    int64_t lost = 0;
    c->place = az_arena_array(a, rows->n + 1, sizeof *c->place);
    c->lost = az_arena_array(a, rows->n + 2, sizeof *c->lost);
    if (!order || !c->place || !c->lost)
        return az_arena_error(a);
    for (size_t i = 0; i < rows->n; i++)
        if (rows->v[i].kind == AZ_OPROW_DEVICE)
            order[n++] = (uint32_t)i;
    az_sort_cmp(order, n, sizeof *order, s->t->r->replayed ? by_row : by_call, rows->v,
                s->t->job->mem);
    for (size_t i = 0; i < n; i++) {
        c->place[order[i]] = (uint32_t)i;
        c->lost[i] = lost;
        lost += !az_oprow_counts(&rows->v[order[i]]);
    }
    c->lost[n] = lost;
    return 0;
}

/* ---- gaps ---- */
/* Between two operations of a device; next comes right after the gap. */
static int add_gap(struct az_op_report_gap_list *out, uint32_t before, uint32_t next,
                   struct az_span at)
{
    if (at.end <= at.start)
        return 0;
    return az_vec_push(out, ((struct az_op_report_gap){
                                .before = before, .next = next, .ns = at.end - at.start }));
}

int az_op_report_gaps_find(const struct az_op_report_scope *s, struct az_op_report_gap_list *out)
{
    const struct az_oprow *v = s->t->r->rows.v;
    int rc = 0;
    for (size_t d = 0; rc == 0 && d < s->n_devices; d++) {
        if (s->device[d].idle)
            continue;
        uint32_t last = s->row[s->first[d]];
        for (size_t k = s->first[d] + 1; rc == 0 && k < s->first[d + 1]; k++) {
            const uint32_t row = s->row[k];
            const int64_t a = end_of(&v[last]), b = v[row].at;
            const struct az_span in = { a > s->window.start ? a : s->window.start,
                                        b < s->window.end ? b : s->window.end };
            if (b > a)
                rc = add_gap(out, last, row, in);
            last = end_of(&v[row]) >= a ? row : last;
        }
    }
    return rc;
}
