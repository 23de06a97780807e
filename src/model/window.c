/* The part of a trace that the user chose: see the header. */
#include <inttypes.h>

#include "model/window.h"

#include "base/num.h"
#include "classify/steps.h"
#include "model/cut_sieve.h"
#include "model/dispatch.h"
#include "model/optrace.h"
#include "model/xtrace.h"

/* ---- where it is ---- */

static const enum az_kind host_kinds[] = { AZ_HOST_OP,   AZ_CALL,     AZ_OSRT,  AZ_RANGE,
                                           AZ_FRAME,     AZ_OVERHEAD, AZ_ALLOC, AZ_CAPTURED,
                                           AZ_GAP_FRAME, AZ_MODULE };

static int64_t recording_start(const struct az_trace *t)
{
    int64_t first = INT64_MAX;
    for (size_t k = 0; k < AZ_GAP_FRAME; k++)
        if (t->ev[k].n && t->ev[k].start[0] < first)
            first = t->ev[k].start[0];
    return first;
}

static int64_t recording_end(const struct az_trace *t)
{
    int64_t last = INT64_MIN;
    for (size_t k = 0; k < AZ_GAP_FRAME; k++)
        for (size_t i = 0; i < t->ev[k].n; i++)
            last = t->ev[k].end[i] > last ? t->ev[k].end[i] : last;
    return last;
}

/* Of a path of table `regions`, "A / B": its last name. */
static struct az_sv last_of_path(struct az_sv pattern)
{
    static const struct az_sv joint = { " / ", 3 };
    for (ptrdiff_t at; (at = az_sv_find(pattern, joint)) >= 0;)
        pattern = az_sv_make(pattern.p + at + joint.n, pattern.n - (size_t)at - joint.n);
    return pattern;
}

static bool whole_matches(struct az_sv pattern, struct az_sv name)
{
    static const struct az_sv module = { "nn.Module: ", 11 };
    return az_sv_glob(pattern, name) || az_sv_glob(pattern, az_range_plain_name(name)) ||
           (az_sv_starts(name, module) &&
            az_sv_glob(pattern, az_sv_make(name.p + module.n, name.n - module.n)));
}

static bool name_matches(struct az_sv pattern, struct az_sv name)
{
    const struct az_sv last = last_of_path(pattern);
    return whole_matches(pattern, name) ||
           (last.n && last.n < pattern.n && whole_matches(last, name));
}

bool az_window_names(const struct az_window *w, struct az_sv name)
{
    return (w->range.n && name_matches(w->range, name)) ||
           (w->from.range.n && name_matches(w->from.range, name)) ||
           (w->to.range.n && name_matches(w->to.range, name));
}

/* Names of the recording that match, 1 a name id; NULL: no memory. */
static uint8_t *matching_names(const struct az_trace *t, struct az_sv pattern)
{
    const size_t n = t->names.text.n;
    uint8_t *match = az_mem_alloc(t->mem, n + 1);
    for (uint32_t i = 0; match && i < n; i++)
        match[i] = name_matches(pattern, az_trace_text(t, i));
    return match;
}

static int range_spans(const struct az_trace *t, struct az_sv pattern, struct az_spans *out)
{
    static const enum az_kind kinds[] = { AZ_RANGE, AZ_MODULE, AZ_FRAME, AZ_HOST_OP };
    uint8_t *match = matching_names(t, pattern);
    int rc = match ? AZ_OK : az_mem_error(t->mem);
    /* operators are named only where no range is: record_function of old traces */
    for (size_t k = 0; rc == 0 && k < AZ_LENGTH(kinds) && (kinds[k] != AZ_HOST_OP || !out->n);
         k++) {
        const struct az_events *e = &t->ev[kinds[k]];
        for (size_t i = 0; rc == 0 && i < e->n; i++)
            if (e->name[i] != AZ_NO_ID && match[e->name[i]] && e->end[i] > e->start[i])
                rc = az_vec_push(out, ((struct az_span){ e->start[i], e->end[i] }));
    }
    az_mem_free(t->mem, match, t->names.text.n + 1);
    az_spans_sort(out);
    return rc;
}

static void clip_to(struct az_window_parts *p, int64_t from, int64_t to)
{
    size_t n = 0;
    for (size_t i = 0; i < p->spans.n; i++) {
        struct az_span x = p->spans.v[i];
        x.start = x.start > from ? x.start : from;
        x.end = x.end < to ? x.end : to;
        if (x.start >= x.end)
            continue;
        if (p->process.n)
            p->process.v[n] = p->process.v[i];
        p->spans.v[n++] = x;
    }
    p->process.n = p->process.n ? n : 0;
    p->spans.n = n;
}

/* What times and percentages count in: the recording, or the window that the file holds. */
static struct az_span counted_span(const struct az_trace *t)
{
    struct az_span whole = { recording_start(t), recording_end(t) };
    struct az_span own = { INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < t->recorded_window.n; i++) {
        const struct az_span *x = &t->recorded_window.v[i];
        own.start = x->start < own.start ? x->start : own.start;
        own.end = x->end > own.end ? x->end : own.end;
    }
    if (whole.start > whole.end) /* no event: the window that the file holds, if any */
        return own;
    if (own.start < whole.end && own.end > whole.start) {
        whole.start = own.start > whole.start ? own.start : whole.start;
        whole.end = own.end < whole.end ? own.end : whole.end;
    }
    return whole;
}

static int64_t ticks_after(int64_t start, int64_t ns, int64_t ticks_per_ns)
{
    int64_t ticks;
    if (__builtin_mul_overflow(ns, ticks_per_ns, &ticks))
        ticks = ns < 0 ? INT64_MIN : INT64_MAX;
    return az_add_sat(start, ticks);
}

/* The first start, or the last end of ranges. */
static int end_ticks(const struct az_trace *t, const struct az_window_end *w, bool last,
                     int64_t *at, enum az_window_miss *miss)
{
    struct az_spans s;
    *at = last ? INT64_MAX : INT64_MIN;
    if (!w->range.n) {
        const struct az_span x = counted_span(t);
        const double length = (double)x.end - (double)x.start;
        if (x.start > x.end && (w->percent >= 0 || w->ns != AZ_UNSET_I64))
            *miss = AZ_WINDOW_NO_EVENTS;
        else if (w->ns != AZ_UNSET_I64)
            *at = ticks_after(x.start, w->ns, t->ticks_per_ns);
        else if (w->percent >= 0)
            *at = az_add_sat(x.start, az_whole(length * w->percent / 100));
        return AZ_OK;
    }
    az_vec_init(&s, t->mem);
    const int rc = range_spans(t, w->range, &s);
    if (rc == 0 && !s.n)
        *miss = AZ_WINDOW_NO_RANGE;
    for (size_t i = 0; i < s.n; i++)
        *at = last ? (i == 0 || s.v[i].end > *at ? s.v[i].end : *at) : s.v[0].start;
    az_vec_release(&s);
    return rc;
}

int az_window_spans(const struct az_trace *t, const struct az_window *w,
                    struct az_window_parts *out, enum az_window_miss *miss)
{
    int64_t from, to;
    int rc = AZ_OK;
    *miss = AZ_WINDOW_FOUND;
    az_vec_reset(&out->spans);
    az_vec_reset(&out->process);
    if (w->range.n) {
        rc = range_spans(t, w->range, &out->spans);
        *miss = rc == 0 && !out->spans.n ? AZ_WINDOW_NO_RANGE : *miss;
    } else if (w->step >= 0) {
        rc = az_window_of_steps(t, w, out, miss);
    } else {
        rc = az_vec_push(&out->spans, ((struct az_span){ INT64_MIN, INT64_MAX }));
    }
    if (rc == 0 && *miss == AZ_WINDOW_FOUND)
        rc = end_ticks(t, &w->from, false, &from, miss);
    if (rc == 0 && *miss == AZ_WINDOW_FOUND)
        rc = end_ticks(t, &w->to, true, &to, miss);
    if (rc || *miss != AZ_WINDOW_FOUND)
        return rc;
    if (!out->process.n)
        az_spans_union(&out->spans);
    clip_to(out, from, to);
    const struct az_window_parts own = { t->recorded_window, t->window_process };
    rc = own.spans.n ? az_window_parts_clip(out, &own, t->mem) : AZ_OK;
    if (rc == 0 && !out->spans.n) { /* an empty window is one, too: a cut of it has its place */
        const int64_t at = from > INT64_MIN ? from : counted_span(t).start;
        rc = az_vec_push(&out->spans, ((struct az_span){ at, at }));
    }
    return rc;
}

/* ---- what is in it ---- */

struct filter {
    struct az_trace *t;
    const struct az_window_parts *parts;
    struct az_map calls; /* (process, correlation) -> span that it begins in + 1; 0: none */
    /* Calls outside are not in `calls` where ids of one process are dense: a bit of each id. */
    uint8_t *ids;
    size_t id_bytes;
    uint64_t first_id, id_process;
    struct az_map others; /* (process, correlation) of work next to that of the window; for a cut */
    struct az_spans work; /* by span: of its device work; end < start: none */
    uint64_t dropped;
    int64_t ticks;
};

/* Calls and device events of one process. In a framework trace ids are unique, of ranks merged into
 * one file within each. */
static uint64_t process_of(const struct az_trace *t, uint32_t lane)
{
    const struct az_optrace *o =
        t->ext_ops && (t->ext_ops->caps & AZ_CAP_CALLTREE) ? az_optrace(t) : NULL;
    if (!o)
        return t->lanes.v[lane].proc;
    return lane < o->lane_scopes.n ? o->lane_scopes.v[lane] : 0;
}

/* Whose window counts for an event of a lane. */
static uint64_t owner_of(const struct az_trace *t, uint32_t lane) { return t->lanes.v[lane].proc; }

static int make_bits(struct filter *f, const struct az_events *e)
{
    uint64_t first = UINT64_MAX, last = 0, process = 0;
    for (size_t i = 0; i < e->n; i++) {
        const uint64_t id = e->corr[i];
        if (id && last && process != process_of(f->t, e->lane[i]))
            return AZ_OK;
        process = id ? process_of(f->t, e->lane[i]) : process;
        first = id && id < first ? id : first;
        last = id > last ? id : last;
    }
    if (!last || (last - first) / 8 > e->n)
        return AZ_OK;
    f->id_bytes = (size_t)((last - first) / 8 + 1);
    f->ids = az_mem_alloc(f->t->mem, f->id_bytes);
    if (!f->ids)
        return az_mem_error(f->t->mem);
    memset(f->ids, 0, f->id_bytes);
    f->first_id = first;
    f->id_process = process;
    return AZ_OK;
}

static bool has_bit(const struct filter *f, uint64_t process, uint64_t id)
{
    const uint64_t bit = id - f->first_id;
    return f->ids && process == f->id_process && id >= f->first_id && bit / 8 < f->id_bytes &&
           f->ids[bit / 8] >> (bit % 8) & 1;
}

/* The first call of an id counts. */
static int list_calls(struct filter *f)
{
    const struct az_events *e = &f->t->ev[AZ_CALL];
    int rc = e->corr ? make_bits(f, e) : AZ_OK;
    for (size_t i = 0; rc == 0 && e->corr && i < e->n; i++) {
        const uint64_t id = e->corr[i], process = process_of(f->t, e->lane[i]);
        const uint32_t part = az_window_part_at(f->parts, owner_of(f->t, e->lane[i]), e->start[i]);
        uint32_t *at;
        bool added;
        if (!id || has_bit(f, process, id))
            continue;
        if (f->ids)
            f->ids[(id - f->first_id) / 8] |= (uint8_t)(1u << ((id - f->first_id) % 8));
        if (part || !f->ids)
            rc = az_map_put(&f->calls, process, id, part, &at, &added);
    }
    return rc;
}

/* Span that the call of an id begins in + 1; 0: outside; AZ_NO_ID: no such call. */
static uint32_t span_of_call(const struct filter *f, uint64_t process, uint64_t id)
{
    const uint32_t span = id ? az_map_get(&f->calls, process, id) : AZ_NO_ID;
    return span == AZ_NO_ID && has_bit(f, process, id) ? 0 : span;
}

static bool is_inside(struct filter *f, enum az_kind kind, bool device, size_t i)
{
    const struct az_events *e = &f->t->ev[kind];
    const uint64_t owner = owner_of(f->t, e->lane[i]);
    if (kind == AZ_CALL)
        return az_window_part_at(f->parts, owner, e->start[i]) != 0;
    if (!device)
        return az_window_parts_touch(f->parts, owner, e->start[i], e->end[i]);
    uint32_t span = e->corr ? span_of_call(f, process_of(f->t, e->lane[i]), e->corr[i]) : AZ_NO_ID;
    span = span != AZ_NO_ID ? span : az_window_part_at(f->parts, owner, e->start[i]);
    if (span && kind != AZ_SYNC) {
        struct az_span *w = &f->work.v[span - 1];
        w->start = e->start[i] < w->start ? e->start[i] : w->start;
        w->end = e->end[i] > w->end ? e->end[i] : w->end;
    }
    return span != 0;
}

/* What the device did for each instance, merged. */
static void keep_work(struct filter *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->work.n; i++)
        if (f->work.v[i].end >= f->work.v[i].start)
            f->work.v[n++] = f->work.v[i];
    f->work.n = n;
    az_spans_sort(&f->work);
    az_spans_union(&f->work);
    az_vec_release(&f->t->window_work);
    f->t->window_work = f->work;
    az_vec_init(&f->work, f->t->mem);
}

bool az_window_cuts(const struct az_trace *t, uint32_t lane, int64_t start, int64_t end)
{
    const struct az_window_parts parts = { t->recorded_window, t->window_process };
    if (!t->windowed || !parts.spans.n)
        return false;
    const uint32_t part = az_window_part_at(&parts, owner_of(t, lane), start);
    return !part || parts.spans.v[part - 1].end < end;
}

int64_t az_window_between(const struct az_trace *t, int64_t from, int64_t to)
{
    struct az_span span = { from, to };
    const struct az_spans whole = { .v = &span, .n = 1 };
    return t->window_work.n && to > from ? to - from - az_spans_overlap(&t->window_work, &whole)
                                         : 0;
}

/* Records of a file that is cut: what is inside, and calls of what runs next to it. */
static void log_event(struct filter *f, enum az_kind kind, size_t i, bool gone)
{
    const struct az_events *e = &f->t->ev[kind];
    const bool other = gone && kind == AZ_CALL && e->corr && e->corr[i] &&
                       az_map_get(&f->others, process_of(f->t, e->lane[i]), e->corr[i]) != AZ_NO_ID;
    if (e->uid && e->uid[i] && (!gone || other))
        f->t->cut_log->what.v[e->uid[i] - 1] |= AZ_RECORD_KEPT;
}

/* Work that becomes t->window_others. */
static int log_others(struct filter *f, uint8_t *const gone[])
{
    int rc = AZ_OK;
    for (unsigned k = AZ_KERNEL; f->t->cut_log && k <= AZ_GRAPH; k++) {
        const struct az_events *e = &f->t->ev[k];
        for (size_t i = 0; rc == 0 && i < e->n; i++) {
            uint32_t *at;
            bool added;
            if (!gone[k][i] || e->end[i] == e->start[i] ||
                !az_spans_touch(&f->t->window_work, e->start[i], e->end[i]))
                continue;
            log_event(f, (enum az_kind)k, i, false);
            if (e->corr && e->corr[i])
                rc = az_map_put(&f->others, process_of(f->t, e->lane[i]), e->corr[i], 1, &at,
                                &added);
        }
    }
    return rc;
}

/* Marks what is outside. */
static int mark_kind(struct filter *f, enum az_kind kind, bool device, uint8_t **gone)
{
    const struct az_events *e = &f->t->ev[kind];
    *gone = az_mem_alloc(f->t->mem, e->n + 1);
    if (!*gone)
        return az_mem_error(f->t->mem);
    for (size_t i = 0; i < e->n; i++) {
        (*gone)[i] = !is_inside(f, kind, device, i);
        if (f->t->cut_log)
            log_event(f, kind, i, (*gone)[i]);
        f->dropped += (*gone)[i];
        f->ticks += (*gone)[i] && device && kind != AZ_SYNC ? e->end[i] - e->start[i] : 0;
    }
    return AZ_OK;
}

static int filter_kind(struct filter *f, enum az_kind kind, bool device)
{
    const size_t bytes = f->t->ev[kind].n + 1;
    uint8_t *gone = NULL;
    int rc = bytes > 1 ? mark_kind(f, kind, device, &gone) : AZ_OK;
    if (rc == 0 && gone)
        rc = az_trace_replace(f->t, kind, gone, NULL, 0);
    az_mem_free(f->t->mem, gone, bytes);
    return rc;
}

/* What runs next to the work of the window is known when all of that is. */
static int filter_device(struct filter *f)
{
    uint8_t *gone[AZ_GRAPH + 1] = { NULL };
    size_t bytes[AZ_GRAPH + 1];
    int rc = AZ_OK;
    for (unsigned k = AZ_KERNEL; k <= AZ_GRAPH; k++) {
        bytes[k] = f->t->ev[k].n + 1;
        rc = rc ? rc : mark_kind(f, (enum az_kind)k, true, &gone[k]);
    }
    if (rc == 0)
        keep_work(f);
    if (rc == 0)
        rc = log_others(f, gone);
    if (rc == 0)
        rc = az_window_mark_others(f->t, gone);
    for (unsigned k = AZ_KERNEL; k <= AZ_GRAPH; k++) {
        if (rc == 0 && bytes[k] > 1)
            rc = az_trace_replace(f->t, (enum az_kind)k, gone[k], NULL, 0);
        az_mem_free(f->t->mem, gone[k], bytes[k]);
    }
    return rc ? rc : filter_kind(f, AZ_SYNC, true);
}

static int filter_all(struct filter *f)
{
    const struct az_sieve *sieve = f->t->cut_log ? f->t->cut_log->sieve : NULL;
    int rc = list_calls(f);
    for (size_t i = 0; rc == 0 && i < f->parts->spans.n; i++)
        rc = az_vec_push(&f->work,
                         sieve ? sieve->work.v[i] : ((struct az_span){ INT64_MAX, INT64_MIN }));
    if (rc == 0)
        rc = filter_device(f);
    if (rc == 0)
        rc = filter_kind(f, AZ_GPU_RANGE, false);
    for (size_t k = 0; rc == 0 && k < AZ_LENGTH(host_kinds); k++)
        rc = filter_kind(f, host_kinds[k], false);
    return rc;
}

/* ---- scopes of compiled programs, which have no host time ---- */

/* Does a part of "jit(step)/transpose(jvp(attention))/dot" match, by itself or by what is in its
 * parentheses? */
static bool scope_matches(struct az_sv pattern, struct az_sv scope)
{
    if (az_sv_glob(pattern, scope))
        return true;
    pattern = last_of_path(pattern);
    for (size_t from = 0, end; from < scope.n; from = end + 1) {
        size_t deep = 0, inner = from, stop;
        for (end = from; end < scope.n && (scope.p[end] != '/' || deep); end++) {
            deep += scope.p[end] == '(';
            deep -= scope.p[end] == ')' && deep;
            inner = scope.p[end] == '(' ? end + 1 : inner;
        }
        for (stop = inner; stop < end && scope.p[stop] != ')'; stop++)
            ;
        if (az_sv_glob(pattern, az_sv_make(scope.p + from, end - from)) ||
            az_sv_glob(pattern, az_sv_make(scope.p + inner, stop - inner)))
            return true;
    }
    return false;
}

static int keep_operation(struct filter *f, const struct az_events *e, size_t i)
{
    uint32_t *at;
    bool added;
    int rc = az_vec_push(&f->work, ((struct az_span){ e->start[i], e->end[i] }));
    if (rc == 0 && e->corr && e->corr[i])
        rc = az_map_put(&f->calls, process_of(f->t, e->lane[i]), e->corr[i], 1, &at, &added);
    return rc;
}

/* Calls that launched an operation that is outside go with it. */
static int filter_launches(struct filter *f)
{
    const struct az_events *e = &f->t->ev[AZ_CALL];
    const size_t n = e->n;
    uint8_t *gone = n ? az_mem_alloc(f->t->mem, n) : NULL;
    if (!gone)
        return n ? az_mem_error(f->t->mem) : AZ_OK;
    for (size_t i = 0; i < n; i++) {
        gone[i] = e->corr && e->corr[i] &&
                  az_map_get(&f->calls, process_of(f->t, e->lane[i]), e->corr[i]) == AZ_NO_ID;
        f->dropped += gone[i];
    }
    const int rc = az_trace_replace(f->t, AZ_CALL, gone, NULL, 0);
    az_mem_free(f->t->mem, gone, n);
    return rc;
}

/* Operations of matching scopes; their programs where they have none. What is between them is in
 * no account. */
static int filter_scopes(struct filter *f, struct az_sv pattern)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
    const struct az_xtrace *x = az_xtrace(f->t);
    uint8_t *match = az_mem_alloc(f->t->mem, x->rows.n + 1);
    int rc = match ? AZ_OK : az_mem_error(f->t->mem);
    for (size_t i = 0; rc == 0 && i < x->rows.n; i++) {
        const struct az_xrow *row = &x->rows.v[i];
        struct az_sv scope = az_trace_text(f->t, row->scope);
        if (!scope.n && row->hlo != AZ_NO_ROW)
            scope = x->hlo.v[row->hlo].scope;
        match[i] = scope_matches(pattern, scope.n ? scope : az_trace_text(f->t, row->module));
    }
    for (size_t k = 0; rc == 0 && k < AZ_LENGTH(kinds); k++) {
        const struct az_events *e = &f->t->ev[kinds[k]];
        const size_t n = e->n;
        uint8_t *gone = n ? az_mem_alloc(f->t->mem, n) : NULL;
        rc = n && !gone ? az_mem_error(f->t->mem) : rc;
        for (size_t i = 0; rc == 0 && i < n; i++) {
            gone[i] = !(e->node && e->node[i] && match[e->node[i] - 1]);
            f->dropped += gone[i];
            f->ticks += gone[i] ? e->end[i] - e->start[i] : 0;
            if (!gone[i])
                rc = keep_operation(f, e, i);
        }
        if (rc == 0 && n)
            rc = az_trace_replace(f->t, kinds[k], gone, NULL, 0);
        az_mem_free(f->t->mem, gone, n);
    }
    az_mem_free(f->t->mem, match, x->rows.n + 1);
    return rc ? rc : filter_launches(f);
}

static bool any_scope(const struct az_trace *t, struct az_sv pattern)
{
    const struct az_xtrace *x = az_xtrace(t);
    for (size_t i = 0; i < x->rows.n; i++) {
        const struct az_xrow *row = &x->rows.v[i];
        struct az_sv scope = az_trace_text(t, row->scope);
        if (!scope.n && row->hlo != AZ_NO_ROW)
            scope = x->hlo.v[row->hlo].scope;
        if (scope_matches(pattern, scope.n ? scope : az_trace_text(t, row->module)))
            return true;
    }
    return false;
}

/* The window of a file that is read twice. */
static int sieve_window(struct filter *f, struct az_sieve *s, struct az_window_parts *parts,
                        const struct az_window *w, enum az_window_miss *miss)
{
    int rc = s->finding ? az_window_spans(f->t, w, &s->parts, miss) : AZ_OK;
    if (s->finding)
        return rc;
    for (size_t i = 0; rc == 0 && i < s->parts.spans.n; i++)
        rc = az_vec_push(&parts->spans, s->parts.spans.v[i]);
    for (size_t i = 0; rc == 0 && i < s->parts.process.n; i++)
        rc = az_vec_push(&parts->process, s->parts.process.v[i]);
    return rc ? rc : filter_all(f);
}

/* The window of the file, or the one that is chosen; of scopes: f->parts are empty. */
static int find_window(struct filter *f, struct az_window_parts *parts, const struct az_window *w,
                       enum az_window_miss *miss)
{
    struct az_trace *t = f->t;
    if (t->cut_log && t->cut_log->sieve)
        return sieve_window(f, t->cut_log->sieve, parts, w, miss);
    int rc = w ? az_window_spans(t, w, parts, miss) : AZ_OK;
    for (size_t i = 0; rc == 0 && !w && i < t->recorded_window.n; i++)
        rc = az_vec_push(&parts->spans, t->recorded_window.v[i]);
    for (size_t i = 0; rc == 0 && !w && i < t->window_process.n; i++)
        rc = az_vec_push(&parts->process, t->window_process.v[i]);
    const bool scopes = w && *miss == AZ_WINDOW_NO_RANGE && w->range.n && !t->cut_log &&
                        t->ext_ops && (t->ext_ops->caps & AZ_CAP_PROGRAMS) &&
                        any_scope(t, w->range);
    if (rc == 0 && scopes) {
        if (t->recorded_window.n) /* what runs next to it is of no scope */
            rc = az_window_apply(t, NULL, miss);
        *miss = AZ_WINDOW_FOUND;
        if (rc == 0)
            rc = filter_scopes(f, w->range);
        if (rc == 0)
            keep_work(f);
        return rc;
    }
    return rc == 0 && *miss == AZ_WINDOW_FOUND ? filter_all(f) : rc;
}

/* What the trace has now. */
static int set_window(struct az_trace *t, const struct az_window_parts *parts)
{
    int rc = AZ_OK;
    t->windowed = true;
    if (t->ext_ops && (t->ext_ops->caps & AZ_CAP_CALLTREE))
        az_optrace(t)->has_ops = t->ev[AZ_HOST_OP].n > 0;
    if (t->ext_ops && (t->ext_ops->caps & AZ_CAP_DISPATCHES))
        rc = az_dispatches_filter_counters(t);
    if (t->ext_ops && (t->ext_ops->caps & AZ_CAP_PROGRAMS))
        az_vec_reset(&az_xtrace(t)->host); /* sums of the whole recording */
    t->has_mem &= t->ev[AZ_MEMCPY].n + t->ev[AZ_MEMSET].n > 0;
    t->has_nvtx &= t->ev[AZ_RANGE].n > 0;
    az_vec_reset(&t->recorded_window); /* it may be a window of a window */
    az_vec_reset(&t->window_process);
    for (size_t i = 0; rc == 0 && i < parts->spans.n; i++)
        rc = az_vec_push(&t->recorded_window, parts->spans.v[i]);
    for (size_t i = 0; rc == 0 && i < parts->process.n; i++)
        rc = az_vec_push(&t->window_process, parts->process.v[i]);
    return rc;
}

int az_window_apply(struct az_trace *t, const struct az_window *w, enum az_window_miss *miss)
{
    struct az_window_parts parts;
    struct filter f = { .t = t, .parts = &parts };
    if (!w && recording_start(t) == INT64_MAX) { /* a window without events */
        *miss = AZ_WINDOW_FOUND;
        t->windowed = true;
        return AZ_OK;
    }
    *miss = AZ_WINDOW_NO_EVENTS;
    if (t->ext_ops && (t->ext_ops->caps & AZ_CAP_OPREPORT)) { /* its reader chose rows */
        *miss = t->windowed ? AZ_WINDOW_FOUND : az_window_miss_of_rows(w, t->recorded > 0);
        return AZ_OK;
    }
    const bool sifted = t->cut_log && t->cut_log->sieve && !t->cut_log->sieve->finding;
    if (recording_start(t) == INT64_MAX && !sifted)
        return AZ_OK;
    az_window_parts_init(&parts, t->mem);
    az_vec_init(&f.work, t->mem);
    az_map_init(&f.calls, t->mem, 0);
    az_map_init(&f.others, t->mem, 0);
    *miss = AZ_WINDOW_FOUND;
    t->recorded = sifted ? 0 : recording_end(t) - recording_start(t);
    int rc = find_window(&f, &parts, w, miss);
    if (rc == 0 && *miss == AZ_WINDOW_FOUND) {
        rc = set_window(t, &parts);
        if (f.dropped)
            az_trace_dropped(t, AZ_DROP_FILTERED, "events outside the window", f.dropped, f.ticks);
    }
    az_map_release(&f.calls);
    az_mem_free(t->mem, f.ids, f.id_bytes);
    az_map_release(&f.others);
    az_vec_release(&f.work);
    az_window_parts_release(&parts);
    return rc;
}
