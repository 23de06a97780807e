/* The index of the host's events by thread. */
#include "analyses/verdict/host.h"

#include "base/num.h"
#include "base/sort.h"
#include "classify/steps.h"
#include "facts/lazy_cache.h"
#include "facts/steps.h"
#include "facts/threads.h"

#define RULES "trace_names.rules"
#define STEPS 16 /* places tried one by one before halving */

/* What a range or frame is. */
enum name_class {
    NAME_PLAIN,
    NAME_STEP,      /* a mark of a step */
    NAME_FRAME,     /* of a range: a frame of Python that the profile has as a range */
    NAME_FRAMEWORK, /* of a frame: built in, or of the framework */
};

/* ---- names ---- */
enum az_cause az_verdict_name_cause(struct az_verdict_host *h, uint32_t name)
{
    static const enum az_cause causes[] = { AZ_CAUSE_DATA_LOADING, AZ_CAUSE_CHECKPOINT,
                                            AZ_CAUSE_COMPILATION };
    const struct az_sv is =
        az_rules_class_of(&h->op_rules, "host_op", az_range_plain_name(az_trace_text(h->t, name)));
    enum az_cause c = AZ_CAUSE_NONE;
    for (size_t i = 0; i < AZ_LENGTH(causes); i++)
        c = az_sv_is(is, az_cause_id(causes[i])) ? causes[i] : c;
    h->op_cause[name] = (uint8_t)(c + 1);
    return c;
}

static enum name_class range_class(struct az_verdict_host *h, uint32_t name)
{
    struct az_sv stem;
    int64_t number;
    const struct az_sv text = az_trace_text(h->t, name);
    const enum name_class c =
        az_sv_starts(az_rules_class_of(&h->frame_rules, "host_frame", text), AZ_SV("range"))
            ? NAME_FRAME
        : az_step_mark_of(text, &stem, &number) != AZ_MARK_NONE ? NAME_STEP
                                                                : NAME_PLAIN;
    h->range_class[name] = (uint8_t)(c + 1);
    return c;
}

static inline enum name_class range_is(struct az_verdict_host *h, uint32_t name)
{
    return name == AZ_NO_ID       ? NAME_PLAIN
           : h->range_class[name] ? (enum name_class)(h->range_class[name] - 1)
                                  : range_class(h, name);
}

static bool own_file(struct az_verdict_host *h, uint32_t name)
{
    if (name == AZ_NO_ID)
        return false;
    if (!h->frame_class[name]) {
        const struct az_sv is =
            az_rules_class_of(&h->frame_rules, "host_frame", az_trace_text(h->t, name));
        const bool other = az_sv_ends(is, AZ_SV("framework"));
        h->frame_class[name] = (uint8_t)((other ? NAME_FRAMEWORK : NAME_PLAIN) + 1);
    }
    return h->frame_class[name] == NAME_PLAIN + 1;
}

/* Marks that the user named are steps, too. */
static int mark_steps(struct az_verdict_host *h)
{
    int rc;
    const struct az_steps *s = az_job_steps(h->v->job, h->v->trace, &rc);
    for (size_t i = 0; s && i < s->n; i++) {
        const uint32_t id = s->v[i].mark.n ? az_intern_find(&h->t->names, s->v[i].mark) : AZ_NO_ID;
        if (id != AZ_NO_ID)
            h->range_class[id] = NAME_STEP + 1;
    }
    return rc;
}

/* ---- threads ---- */
/* Of ranges: is it of the frames, or of the others? */
static bool takes(struct az_verdict_host *h, uint32_t row, bool frames)
{
    return frames == (range_is(h, h->t->ev[AZ_RANGE].name[row]) == NAME_FRAME);
}

static int by_longer(const void *a, const void *b, void *events)
{
    const struct az_events *const *e = events;
    const int64_t x = (*e)->end[*(const uint32_t *)a], y = (*e)->end[*(const uint32_t *)b];
    return x > y ? -1 : x < y;
}

/* Of equal starts the longer one comes first, so that the last one to start is the innermost. */
static void longer_first(const struct az_verdict_nest *n, size_t from, size_t to,
                         struct az_mem *mem)
{
    const struct az_events *e = n->e;
    const int64_t *start = e->start, *end = e->end;
    uint32_t *row = n->row;
    for (size_t i = from; i + 1 < to;) {
        const int64_t at = start[row[i]];
        const size_t first = i++;
        if (start[row[i]] != at)
            continue;
        bool sorted = true;
        for (; i < to && start[row[i]] == at; i++)
            sorted &= end[row[i]] <= end[row[i - 1]];
        if (!sorted)
            az_sort_cmp(row + first, i - first, sizeof *row, by_longer, &e, mem);
    }
}

/* All events are of one thread, and of equal starts the longer one comes first. */
static bool is_in_order(const struct az_events *e, const uint32_t *thread)
{
    for (size_t i = 1; i < e->n; i++)
        if (thread[e->lane[i]] != thread[e->lane[i - 1]] ||
            (e->start[i] == e->start[i - 1] && e->end[i] > e->end[i - 1]))
            return false;
    return true;
}

/* Counts the events of each thread in next[thread]. */
static void count_by_thread(struct az_verdict_host *h, enum az_kind kind, bool frames,
                            uint32_t *next)
{
    const struct az_events *e = &h->t->ev[kind];
    const uint32_t *thread = h->thread, *lane = e->lane;
    if (kind != AZ_RANGE)
        for (uint32_t i = 0; i < e->n; i++)
            next[thread[lane[i]]]++;
    else
        for (uint32_t i = 0; i < e->n; i++)
            next[thread[lane[i]]] += takes(h, i, frames);
}

/* Puts each at next[thread]. */
static void place_by_thread(struct az_verdict_host *h, enum az_kind kind, bool frames,
                            uint32_t *next, uint32_t *row)
{
    const struct az_events *e = &h->t->ev[kind];
    const uint32_t *thread = h->thread, *lane = e->lane;
    const uint32_t n = (uint32_t)e->n;
    if (kind != AZ_RANGE)
        for (uint32_t i = 0; i < n; i++)
            row[next[thread[lane[i]]]++] = i;
    else
        for (uint32_t i = 0; i < n; i++)
            if (takes(h, i, frames))
                row[next[thread[lane[i]]]++] = i;
}

static int order_by_thread(struct az_verdict_host *h, enum az_kind kind, bool frames,
                           struct az_verdict_nest *out)
{
    const struct az_events *e = out->e;
    uint32_t *next = out->first + 1; /* first[k + 1] is where thread k goes on, then its end */
    count_by_thread(h, kind, frames, next);
    for (size_t k = 1; k <= h->threads; k++)
        next[k] += next[k - 1];
    if (next[h->threads] == e->n && is_in_order(e, h->thread))
        return 0;
    out->row = az_arena_room(&h->arena, (e->n + 1) * sizeof *out->row);
    if (!out->row)
        return az_arena_error(&h->arena);
    for (size_t k = h->threads; k > 0; k--)
        next[k] = next[k - 1];
    next[0] = 0;
    place_by_thread(h, kind, frames, next, out->row);
    return 0;
}

/* What each event of a thread is in. false: of equal starts a longer one comes later. */
static bool nest_calls(const struct az_verdict_nest *n, size_t from, size_t to, int64_t slack)
{
    const int64_t *start = n->e->start, *end = n->e->end;
    int64_t before = 0, end_before = INT64_MAX, end_of_top = 0;
    uint32_t *up = n->up, top = AZ_NO_ROW;
    for (size_t i = from; i < to; i++) {
        const uint32_t row = az_verdict_row(n, i);
        if (start[row] == before && end[row] > end_before)
            return false;
        before = start[row];
        end_before = end[row];
        while (top != AZ_NO_ROW && end_of_top < end_before - slack) {
            top = up[top];
            end_of_top = top == AZ_NO_ROW ? 0 : end[az_verdict_row(n, top)];
        }
        up[i] = top;
        top = (uint32_t)i;
        end_of_top = end_before;
    }
    return true;
}

static void nest_thread(struct az_verdict_host *h, const struct az_verdict_nest *n, size_t from,
                        size_t to)
{
    const int64_t slack = 1000 * h->t->ticks_per_ns;
    if (n->up && nest_calls(n, from, to, slack))
        return;
    if (n->row)
        longer_first(n, from, to, h->v->job->mem);
    if (n->up)
        (void)nest_calls(n, from, to, slack);
}

static int make_nest(struct az_verdict_host *h, enum az_kind kind, bool frames,
                     struct az_verdict_nest *out)
{
    out->e = &h->t->ev[kind];
    out->first = az_arena_array(&h->arena, h->threads + 2, sizeof *out->first);
    out->last = az_arena_array(&h->arena, h->threads + 1, sizeof *out->last);
    out->last_at = az_arena_array(&h->arena, h->threads + 1, sizeof *out->last_at);
    if (!out->first || !out->last || !out->last_at)
        return az_arena_error(&h->arena);
    const int rc = order_by_thread(h, kind, frames, out);
    for (size_t k = 0; k <= h->threads; k++) {
        out->last[k] = out->first[k];
        out->last_at[k] = INT64_MIN;
    }
    const size_t n = out->first[h->threads];
    const bool tree = kind == AZ_HOST_OP && h->tree; /* it has the nesting */
    if (rc || n == 0)
        return rc;
    out->up = tree ? NULL : az_arena_room(&h->arena, (n + 1) * sizeof *out->up);
    if (!tree && !out->up)
        return az_arena_error(&h->arena);
    for (size_t k = 0; k < h->threads; k++)
        nest_thread(h, out, out->first[k], out->first[k + 1]);
    return 0;
}

/* The main thread of each process has its number. */
static int find_main(struct az_verdict_host *h)
{
    const struct az_lane *lane = h->t->lanes.v;
    h->main = az_arena_array(&h->arena, h->threads + 1, sizeof *h->main);
    if (!h->main)
        return az_arena_error(&h->arena);
    memset(h->main, 0xff, (h->threads + 1) * sizeof *h->main);
    for (size_t i = 0; i < h->t->lanes.n; i++) {
        if (lane[i].device_side || lane[i].pid == 0 || lane[i].pid != lane[i].tid)
            continue;
        for (size_t k = 0; k < h->t->lanes.n; k++)
            if (!lane[k].device_side && lane[k].pid == lane[i].pid)
                h->main[h->thread[k]] = h->thread[i];
    }
    return 0;
}

/* Where threads have no numbers it is the one with the most frames and step marks. */
static int guess_main(struct az_verdict_host *h)
{
    const struct az_events *r = &h->t->ev[AZ_RANGE];
    uint32_t *n = az_arena_array(&h->arena, h->threads + 1, sizeof *n), best = 0;
    if (!n)
        return az_arena_error(&h->arena);
    for (size_t i = 0; i < r->n; i++)
        n[h->thread[r->lane[i]]] += range_is(h, r->name[i]) != NAME_PLAIN;
    for (uint32_t k = 0; k < h->threads; k++)
        best = n[k] > n[best] ? k : best;
    for (size_t k = 0; k < h->threads && n[best]; k++)
        h->main[k] = h->main[k] == AZ_NO_ROW ? best : h->main[k];
    return 0;
}

size_t az_verdict_find_place(const struct az_verdict_nest *n, uint32_t thread, int64_t at)
{
    const int64_t *start = n->e->start;
    size_t lo = n->first[thread], hi = n->first[thread + 1], last = n->last[thread];
    n->last_at[thread] = at;
    if (last > lo && start[az_verdict_row(n, last - 1)] <= at) { /* mostly it goes on from there */
        lo = last;
        for (size_t end = lo + STEPS < hi ? lo + STEPS : hi; lo < end; lo++)
            if (start[az_verdict_row(n, lo)] > at) {
                n->last[thread] = (uint32_t)lo;
                return lo;
            }
    }
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (start[az_verdict_row(n, mid)] <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    n->last[thread] = (uint32_t)lo;
    return lo;
}

/* ---- the index ---- */
static int read_rules(struct az_verdict_host *h)
{
    int rc = az_rules_read_group(RULES, "host_call", &h->arena, &h->call_rules);
    if (rc == 0)
        rc = az_rules_read_group(RULES, "host_op", &h->arena, &h->op_rules);
    if (rc == 0)
        rc = az_rules_read_group(RULES, "host_frame", &h->arena, &h->frame_rules);
    return rc;
}

static int make_nests(struct az_verdict_host *h)
{
    const bool calltree = h->t->caps & AZ_CAP_CALLTREE;
    int rc = make_nest(h, AZ_CALL, false, &h->calls);
    if (rc == 0)
        rc = make_nest(h, AZ_HOST_OP, false, &h->ops);
    if (rc == 0)
        rc = make_nest(h, AZ_RANGE, false, &h->ranges);
    if (rc == 0)
        rc = make_nest(h, AZ_OSRT, false, &h->system);
    if (rc == 0)
        rc = make_nest(h,
                       !calltree              ? AZ_RANGE
                       : h->t->ev[AZ_FRAME].n ? AZ_FRAME
                                              : AZ_GAP_FRAME,
                       true, &h->frames);
    return rc;
}

/* Operators whose arguments are in the names of their ranges are one place. */
static int name_ranges(struct az_verdict_host *h)
{
    const struct az_events *e = &h->t->ev[AZ_RANGE];
    struct az_intern seen;
    struct az_vec_u32 first;
    int rc = AZ_OK;
    az_intern_init(&seen, &h->arena, h->v->job->mem);
    az_vec_init(&first, h->v->job->mem);
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const uint32_t name = e->name[i];
        uint32_t id;
        if (name == AZ_NO_ID || h->given[name])
            continue;
        rc = az_intern(&seen, az_range_plain_name(az_trace_text(h->t, name)), &id);
        if (rc == 0 && id == first.n)
            rc = az_vec_push(&first, name + 1);
        if (rc == 0)
            h->given[name] = first.v[id];
    }
    az_intern_release(&seen);
    az_vec_release(&first);
    return rc;
}

int az_verdict_host_make(struct az_verdict_host *h, struct az_verdict *v)
{
    int rc;
    *h = (struct az_verdict_host){ .v = v, .t = v->t };
    az_arena_init(&h->arena, v->job->mem);
    const size_t names = v->t->names.text.n + 1;
    uint8_t **const of_name[] = { &h->op_cause, &h->range_class, &h->frame_class };
    h->first_of = az_arena_array(&h->arena, names, sizeof *h->first_of);
    h->given = az_arena_array(&h->arena, names, sizeof *h->given);
    if (!h->first_of || !h->given)
        return az_arena_error(&h->arena);
    h->tree = v->t->caps & AZ_CAP_CALLTREE ? az_tree(v->t) : NULL;
    h->link = az_job_link(v->job, v->trace, &rc);
    if (!h->link)
        return rc;
    for (size_t i = 0; i < AZ_LENGTH(of_name); i++)
        if (!(*of_name[i] = az_arena_array(&h->arena, names, 1)))
            return az_arena_error(&h->arena);
    rc = read_rules(h);
    if (rc == 0)
        rc = name_ranges(h);
    if (rc == 0)
        rc = az_verdict_read_calls(h);
    if (rc == 0)
        h->thread = az_threads_of_lanes(h->t, &h->arena, v->job->mem, &h->threads, &rc);
    if (rc == 0)
        rc = find_main(h);
    if (rc == 0)
        rc = mark_steps(h);
    if (rc == 0)
        rc = guess_main(h);
    if (rc == 0)
        rc = make_nests(h);
    return rc ? rc : az_verdict_finish_calls(h);
}

void az_verdict_host_release(struct az_verdict_host *h)
{
    az_vec_release(&h->profiler);
    az_vec_release(&h->loads);
    az_arena_release(&h->arena);
}

/* ---- what runs when ---- */
static bool place_covers(const struct az_verdict_nest *n, uint32_t place, int64_t from, int64_t to)
{
    const uint32_t row = az_verdict_row(n, place);
    return az_verdict_covers(n->e->start[row], n->e->end[row], from, to);
}

/* The last place that starts before the middle of an interval: what covers half of the interval is
 * that one, or contains it. AZ_NO_ROW: none. */
static inline uint32_t place_before(const struct az_verdict_nest *n, uint32_t thread,
                                    int64_t middle)
{
    const uint32_t first = n->first[thread];
    if (first == n->first[thread + 1])
        return AZ_NO_ROW;
    const size_t place = az_verdict_place_at(n, thread, middle);
    return place > first ? (uint32_t)place - 1 : AZ_NO_ROW;
}

static inline int64_t middle_of(int64_t from, int64_t to) { return from + (to - from) / 2; }

/* The operator that contains one, by its row. */
static uint32_t outer_op(const struct az_verdict_host *h, uint32_t row)
{
    for (uint32_t node = h->tree->parent[row];; node = h->tree->parent[node])
        if (node == AZ_NO_ROW || node < h->tree->first_call)
            return node;
}

static uint32_t op_up(const struct az_verdict_host *h, uint32_t place)
{
    return h->tree ? outer_op(h, place) : h->ops.up[place];
}

/* With a tree, operators are gone through by row. */
static uint32_t op_at(const struct az_verdict_host *h, uint32_t thread, int64_t from, int64_t to)
{
    const uint32_t place = place_before(&h->ops, thread, middle_of(from, to));
    return place == AZ_NO_ROW || !h->tree ? place : az_verdict_row(&h->ops, place);
}

static uint32_t op_row(const struct az_verdict_host *h, uint32_t at)
{
    return h->tree ? at : az_verdict_row(&h->ops, at);
}

static bool op_covers(const struct az_verdict_host *h, uint32_t at, int64_t from, int64_t to)
{
    const struct az_events *e = h->ops.e;
    const uint32_t row = op_row(h, at);
    return az_verdict_covers(e->start[row], e->end[row], from, to);
}

/* The innermost frame of a file of its own, else the innermost one of all. */
static uint32_t frame_of(struct az_verdict_host *h, uint32_t thread, int64_t from, int64_t to,
                         uint32_t *innermost, bool *own)
{
    const struct az_verdict_nest *n = &h->frames;
    *innermost = AZ_NO_ROW;
    *own = false;
    for (uint32_t p = place_before(n, thread, middle_of(from, to)); p != AZ_NO_ROW; p = n->up[p]) {
        if (!place_covers(n, p, from, to))
            continue;
        *innermost = *innermost == AZ_NO_ROW ? p : *innermost;
        *own = own_file(h, n->e->name[az_verdict_row(n, p)]);
        if (*own)
            return p;
    }
    return *innermost;
}

static uint32_t range_of(struct az_verdict_host *h, uint32_t thread, int64_t from, int64_t to,
                         uint32_t *innermost)
{
    const struct az_verdict_nest *n = &h->ranges;
    *innermost = AZ_NO_ROW;
    for (uint32_t p = place_before(n, thread, middle_of(from, to)); p != AZ_NO_ROW; p = n->up[p]) {
        if (!place_covers(n, p, from, to))
            continue;
        const uint32_t row = az_verdict_row(n, p);
        *innermost = *innermost == AZ_NO_ROW ? p : *innermost;
        if (range_is(h, n->e->name[row]) == NAME_PLAIN)
            return row;
    }
    return AZ_NO_ROW;
}

void az_verdict_find_doing(struct az_verdict_host *h, uint32_t thread, int64_t from, int64_t to,
                           struct az_verdict_doing *out)
{
    uint32_t at = op_at(h, thread, from, to);
    while (at != AZ_NO_ROW && !op_covers(h, at, from, to))
        at = op_up(h, at);
    out->op_at = at;
    out->op = at == AZ_NO_ROW ? AZ_NO_ROW : op_row(h, at);
    out->range = range_of(h, thread, from, to, &out->range_at);
    out->frame = frame_of(h, thread, from, to, &out->frame_at, &out->own_frame);
}

static inline enum az_cause named_in(struct az_verdict_host *h, const struct az_verdict_nest *n,
                                     uint32_t innermost, int64_t from, int64_t to)
{
    for (uint32_t p = innermost; p != AZ_NO_ROW; p = n->up[p]) {
        const enum az_cause c = az_verdict_cause_of_name(h, n->e->name[az_verdict_row(n, p)]);
        if (c != AZ_CAUSE_NONE && place_covers(n, p, from, to))
            return c;
    }
    return AZ_CAUSE_NONE;
}

enum az_cause az_verdict_named_cause(struct az_verdict_host *h, const struct az_verdict_doing *d,
                                     int64_t from, int64_t to)
{
    enum az_cause c = named_in(h, &h->ranges, d->range_at, from, to);
    for (uint32_t p = d->op_at; p != AZ_NO_ROW && c == AZ_CAUSE_NONE; p = op_up(h, p)) {
        const enum az_cause of = az_verdict_cause_of_name(h, h->ops.e->name[op_row(h, p)]);
        c = of != AZ_CAUSE_NONE && op_covers(h, p, from, to) ? of : c;
    }
    return c ? c : named_in(h, &h->frames, d->frame_at, from, to);
}
