/* A window of a PyTorch trace as a PyTorch trace (docs/regions.md 8): read twice, in memory that
 * grows with its calls alone. Events that are kept are copied as they are written, so that they
 * read as before; a member AZ_PYTORCH_WINDOW_KEY at the end has the spans of the window. */
#include "formats/pytorch/pytorch.h"
#include "formats/pytorch/pytorch_document.h"
#include "formats/shared/cut_output.h"
#include "formats/shared/cut_records.h"

#include <stdio.h>

#include "base/sort.h"
#include "classify/steps.h"
#include "model/window.h"

struct call { /* in order of its id, then start */
    uint64_t corr;
    int64_t start;
};
AZ_VEC(struct call, calls);

struct work { /* of a device */
    uint64_t corr;
    int64_t start, end;
};
AZ_VEC(struct work, works);

struct cut {
    struct az_pytorch_reader reader; /* first: what its hook gets is this */
    struct az_cut *job;
    struct az_trace marks; /* ranges, modules and steps that choose the window */
    uint32_t lane;
    int64_t first, last; /* of the recording */
    struct calls calls;
    struct az_vec_u8 next_to; /* by call: its work runs next to work of the window */
    struct works works;
    struct az_window_parts parts;
    struct az_spans inside; /* merged: from the first start to the last end of the work of each */
    bool keep, any;         /* the event just read; one, or a member, was written */
    struct az_cut_output output;
};

/* ---- the output ---- */

static void put_text(struct cut *c, struct az_sv text) { az_cut_output_put(&c->output, text); }

/* ---- the first reading: where the window is, and which calls begin in it ---- */

static bool is_device(enum az_kind k)
{
    return k == AZ_KERNEL || k == AZ_MEMCPY || k == AZ_MEMSET || k == AZ_SYNC;
}

/* Times of a span that the reader takes; false: it drops it. */
static bool has_times(const struct az_pytorch_event *e, int64_t *end)
{
    return e->ph == 'X' && e->has_ts && e->has_dur && e->dur >= 0 &&
           !__builtin_add_overflow(e->ts, e->dur, end);
}

/* Any range may be a step, or match; operators and frames where their name does. */
static int add_mark(struct cut *c, const struct az_pytorch_event *e, enum az_kind kind, int64_t end)
{
    const struct az_window *w = c->job->window;
    struct az_event v = { .start = e->ts, .end = end, .lane = c->lane, .side = AZ_NO_ROW };
    const bool steps = w->step >= 0 && kind != AZ_MODULE && kind != AZ_FRAME;
    struct az_sv stem;
    int64_t number;
    if (!steps && !w->range.n && !w->from.range.n && !w->to.range.n)
        return AZ_OK;
    int rc = az_pytorch_name(&c->reader, e->name, e->name_escaped, &v.name);
    if (rc)
        return rc;
    if (kind != AZ_RANGE) {
        const struct az_sv name = az_trace_text(&c->marks, v.name);
        const bool mark = steps && az_step_mark_of(name, &stem, &number) != AZ_MARK_NONE;
        if (!mark && !az_window_names(w, name))
            return AZ_OK;
    }
    return az_trace_add(&c->marks, kind, &v);
}

static int take_first(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct cut *c = (struct cut *)r;
    int64_t end;
    const enum az_kind kind = e->ph == 'X' ? az_pytorch_kind_of(e->cat) : AZ_KIND_COUNT;
    if (kind == AZ_KIND_COUNT || !has_times(e, &end))
        return AZ_OK;
    const bool frame = kind == AZ_FRAME,
               module = frame && az_sv_starts(e->name, AZ_SV("nn.Module: "));
    if (!frame || r->keep_frames) {
        c->first = e->ts < c->first ? e->ts : c->first;
        c->last = end > c->last ? end : c->last;
    }
    if (kind == AZ_CALL)
        return az_vec_push(
            &c->calls,
            ((struct call){ (uint64_t)az_pytorch_number(e, AZ_PYTORCH_CORR, 0), e->ts }));
    if (is_device(kind) && kind != AZ_SYNC)
        return az_vec_push(
            &c->works,
            ((struct work){ (uint64_t)az_pytorch_number(e, AZ_PYTORCH_CORR, 0), e->ts, end }));
    if (module)
        return add_mark(c, e, AZ_MODULE, end);
    return kind == AZ_RANGE || kind == AZ_HOST_OP || (frame && r->keep_frames)
               ? add_mark(c, e, kind, end)
               : AZ_OK;
}

static int by_id(struct cut *c)
{
    const size_t n = c->calls.n, keys = n * sizeof(int64_t), places = n * sizeof(uint32_t);
    int64_t *key = az_mem_alloc(c->job->mem, keys + 1);
    uint32_t *perm = az_mem_alloc(c->job->mem, places + 1);
    int rc = key && perm ? AZ_OK : az_mem_error(c->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        key[i] = c->calls.v[i].start;
    if (rc == 0)
        az_sort_order(key, n, perm, c->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        key[i] = (int64_t)c->calls.v[i].corr;
    if (rc == 0)
        az_sort_by(key, perm, n, c->job->mem);
    if (rc == 0) {
        struct calls sorted;
        az_vec_init(&sorted, c->job->mem);
        rc = az_vec_reserve(&sorted, n);
        for (size_t i = 0; rc == 0 && i < n; i++)
            sorted.v[sorted.n++] = c->calls.v[perm[i]];
        az_vec_release(&c->calls);
        c->calls = sorted;
    }
    az_mem_free(c->job->mem, key, keys + 1);
    az_mem_free(c->job->mem, perm, places + 1);
    return rc;
}

/* The first call of an id; NULL: none. */
static const struct call *call_of(const struct cut *c, uint64_t corr)
{
    const size_t lo = AZ_LOWER_BY(c->calls.v, c->calls.n, corr, corr);
    return lo < c->calls.n && c->calls.v[lo].corr == corr ? &c->calls.v[lo] : NULL;
}

static bool is_launched_inside(const struct cut *c, uint64_t corr, int64_t at)
{
    const struct call *call = corr ? call_of(c, corr) : NULL;
    return az_spans_contain(&c->parts.spans, call ? call->start : at);
}

/* The work of the window, and the calls of what runs next to it. */
static int find_work(struct cut *c)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < c->parts.spans.n; i++)
        rc = az_vec_push(&c->inside, ((struct az_span){ INT64_MAX, INT64_MIN }));
    for (size_t i = 0; rc == 0 && i < c->works.n; i++) {
        const struct work *x = &c->works.v[i];
        const struct call *call = x->corr ? call_of(c, x->corr) : NULL;
        const uint32_t part = az_span_at(&c->parts.spans, call ? call->start : x->start);
        struct az_span *s = part ? &c->inside.v[part - 1] : NULL;
        if (!s)
            continue;
        s->start = x->start < s->start ? x->start : s->start;
        s->end = x->end > s->end ? x->end : s->end;
    }
    size_t n = 0;
    for (size_t i = 0; rc == 0 && i < c->inside.n; i++)
        if (c->inside.v[i].start <= c->inside.v[i].end)
            c->inside.v[n++] = c->inside.v[i];
    c->inside.n = rc ? c->inside.n : n;
    az_spans_sort(&c->inside);
    az_spans_union(&c->inside);
    for (size_t i = 0; rc == 0 && i < c->calls.n; i++)
        rc = az_vec_push(&c->next_to, 0);
    for (size_t i = 0; rc == 0 && i < c->works.n; i++) {
        const struct work *x = &c->works.v[i];
        const struct call *call = x->corr ? call_of(c, x->corr) : NULL;
        if (call && az_spans_touch(&c->inside, x->start, x->end))
            c->next_to.v[call - c->calls.v] = 1;
    }
    az_vec_release(&c->works);
    return rc;
}

/* A report of the whole file names the reason, if it cannot be read either. */
static int report_no_events(struct cut *c)
{
    const struct az_pytorch_tuning tuning = { .split_min = INT64_MAX };
    const struct az_file file = { .path = c->job->in };
    struct az_trace t;
    int rc = az_trace_init(&t, c->job->mem);
    if (rc == 0) {
        struct az_parse whole = az_cut_parse(c->job, &file, &t);
        rc = az_pytorch_parse(&whole, &tuning);
    }
    az_trace_release(&t);
    return rc ? rc
              : az_diag_fail(c->job->diag, AZ_EEMPTY, AZ_AT_FILE(c->job->in),
                             "no events with times; nothing to cut");
}

static int find_window(struct cut *c)
{
    enum az_window_miss miss = AZ_WINDOW_FOUND;
    struct az_event whole = {
        .start = c->first, .end = c->last, .lane = c->lane, .side = AZ_NO_ROW, .name = AZ_NO_ID
    };
    if (c->first > c->last)
        return report_no_events(c);
    int rc = az_trace_add(&c->marks, AZ_OVERHEAD, &whole);
    if (rc == 0)
        rc = az_trace_finalize(&c->marks);
    if (rc == 0)
        rc = az_window_spans(&c->marks, c->job->window, &c->parts, &miss);
    if (rc == 0)
        rc = az_window_check(c->job->diag, c->job->in, c->job->window, &c->marks, miss);
    if (rc == 0)
        rc = by_id(c);
    return rc ? rc : find_work(c);
}

/* ---- the second reading ---- */

static bool is_next_to(const struct cut *c, uint64_t corr)
{
    const struct call *call = corr ? call_of(c, corr) : NULL;
    return call && c->next_to.v[call - c->calls.v];
}

static bool is_chosen(const struct cut *c, enum az_kind kind)
{
    const unsigned group = is_device(kind) || kind == AZ_CALL || kind == AZ_GPU_RANGE
                               ? AZ_CUT_KERNELS
                           : kind == AZ_FRAME   ? AZ_CUT_PYTHON
                           : kind == AZ_HOST_OP ? AZ_CUT_OPS
                                                : AZ_CUT_ALL;
    return c->job->keep & group;
}

static bool is_span_inside(const struct cut *c, const struct az_pytorch_event *e)
{
    const enum az_kind kind = az_pytorch_kind_of(e->cat);
    int64_t end;
    if (!has_times(e, &end) || !is_chosen(c, kind))
        return false;
    const uint64_t corr = (uint64_t)az_pytorch_number(e, AZ_PYTORCH_CORR, 0);
    if (kind == AZ_CALL)
        return az_spans_contain(&c->parts.spans, e->ts) || is_next_to(c, corr);
    if (is_device(kind))
        return is_launched_inside(c, corr, e->ts) ||
               (kind != AZ_SYNC && e->dur > 0 && az_spans_touch(&c->inside, e->ts, end));
    return az_spans_touch(&c->parts.spans, e->ts, end);
}

static bool is_inside(const struct cut *c, const struct az_pytorch_event *e)
{
    if (az_sv_is(e->cat, AZ_PYTORCH_ADDED)) /* of an earlier cut */
        return false;
    switch (e->ph) {
    case 'X':
        return is_span_inside(c, e);
    case 'M': /* names */
    case 'C': /* counters, and samples of memory */
    case 'i':
        return true;
    case 'f':
    case 't': /* an arrow to a device event has the id of its call */
        return az_sv_is(e->cat, "fwdbwd") ? az_spans_contain(&c->parts.spans, e->ts)
                                          : is_launched_inside(c, (uint64_t)e->id.v, e->ts);
    default:
        return e->has_ts && az_spans_contain(&c->parts.spans, e->ts);
    }
}

static int take_second(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct cut *c = (struct cut *)r;
    c->keep = is_inside(c, e);
    c->job->read++;
    c->job->kept += c->keep;
    return AZ_OK;
}

/* Copies an event as it is written. */
static int copy_record(void *ctx, struct az_jscan *s)
{
    struct cut *c = ctx;
    const char *from = s->p - 1;
    const int rc = az_pytorch_event_reader()(&c->reader, s);
    if (rc == AZ_JSON_OK && c->keep) {
        put_text(c, c->any ? AZ_SV(",\n") : AZ_SV("\n"));
        put_text(c, az_sv_make(from, (size_t)(s->p - from)));
        c->any = true;
    }
    return rc;
}

/* ---- the document ---- */

static int skip_record(void *ctx, struct az_jscan *s)
{
    struct cut *c = ctx;
    return az_pytorch_event_reader()(&c->reader, s);
}

static void put_list(void *ctx, bool end)
{
    struct cut *c = ctx;
    if (!end) {
        put_text(c, c->any ? AZ_SV(",\n\"traceEvents\": [") : AZ_SV("\"traceEvents\": ["));
        c->any = false;
        return;
    }
    if (c->job->extra.n) {
        put_text(c, c->any ? AZ_SV(",\n") : AZ_SV("\n"));
        put_text(c, c->job->extra);
    }
    put_text(c, AZ_SV("\n]"));
    c->any = true;
}

static int copy_member(void *ctx, struct az_jscan *s, struct az_sv key)
{
    struct cut *c = ctx;
    struct az_sv raw, name = az_arena_dup(&c->reader.scratch, key); /* the window moves */
    if (!name.p)
        return az_arena_error(&c->reader.scratch);
    if (az_sv_is(name, AZ_PYTORCH_WINDOW_KEY))
        return az_jscan_skip_value(s);
    const int rc = az_jscan_value(s, &raw);
    if (rc != AZ_JSON_OK)
        return rc;
    put_text(c, c->any ? AZ_SV(",\n\"") : AZ_SV("\""));
    put_text(c, name);
    put_text(c, AZ_SV("\": "));
    put_text(c, raw);
    c->any = true;
    return AZ_JSON_OK;
}

/* The window of a file that was cut before. */
static int read_own_window(void *ctx, struct az_jscan *s, struct az_sv key)
{
    struct cut *c = ctx;
    struct az_sv raw;
    if (!az_sv_is(key, AZ_PYTORCH_WINDOW_KEY))
        return az_jscan_skip_value(s);
    const int rc = az_jscan_value(s, &raw);
    return rc == AZ_JSON_OK ? az_cut_spans_read(&c->marks, raw) : rc;
}

static void put_window(struct cut *c)
{
    char text[64];
    put_text(c, AZ_SV(",\n\"" AZ_PYTORCH_WINDOW_KEY "\": ["));
    for (size_t i = 0; i < c->parts.spans.n; i++) {
        const int n =
            snprintf(text, sizeof text, "%s[%lld, %lld]", i ? ", " : "",
                     (long long)c->parts.spans.v[i].start, (long long)c->parts.spans.v[i].end);
        put_text(c, az_sv_make(text, (size_t)n));
    }
    put_text(c, AZ_SV("]\n}\n"));
}

static int read_through(struct cut *c, bool writing)
{
    const struct az_pytorch_document d = { .path = c->job->in.p,
                                           .mem = c->job->mem,
                                           .diag = c->job->diag,
                                           .cancelled = c->job->cancelled,
                                           .record = writing ? copy_record : skip_record,
                                           .events = writing ? put_list : NULL,
                                           .member = writing ? copy_member : read_own_window,
                                           .ctx = c,
                                           .reports_damage = writing };
    c->reader.take = writing ? take_second : take_first;
    c->any = false;
    if (writing)
        put_text(c, AZ_SV("{\n"));
    const int rc = az_pytorch_document_read(&d);
    if (rc == 0 && writing)
        put_window(c);
    return rc;
}

int az_pytorch_cut(struct az_cut *job)
{
    struct cut *c = az_mem_alloc(job->mem, sizeof *c);
    const struct az_lane lane = { .pid = 1, .tid = 1, .device = -1, .label = AZ_NO_ID };
    if (!c)
        return az_mem_error(job->mem);
    memset(c, 0, sizeof *c);
    c->job = job;
    c->first = INT64_MAX;
    c->last = INT64_MIN;
    az_vec_init(&c->calls, job->mem);
    az_vec_init(&c->next_to, job->mem);
    az_vec_init(&c->works, job->mem);
    az_vec_init(&c->inside, job->mem);
    az_window_parts_init(&c->parts, job->mem);
    const size_t errors = job->diag->errors;
    int rc = az_trace_init(&c->marks, job->mem);
    if (rc == 0)
        rc = az_pytorch_reader_init(&c->reader, &c->marks, job->opts);
    if (rc == 0)
        rc = az_trace_lane(&c->marks, &lane, &c->lane);
    if (rc == 0)
        rc = read_through(c, false);
    if (rc == 0)
        rc = find_window(c);
    if (rc == 0)
        rc = az_cut_output_open(&c->output, job->out, job->mem, job->diag);
    if (rc == 0)
        rc = az_cut_output_close(&c->output, read_through(c, true));
    if (rc == AZ_EFORMAT && job->diag->errors == errors)
        rc =
            az_diag_fail(job->diag, rc, AZ_AT_FILE(job->in),
                         "truncated or invalid; nothing was written; unpack it and cut the result");
    az_vec_release(&c->calls);
    az_vec_release(&c->next_to);
    az_vec_release(&c->works);
    az_vec_release(&c->inside);
    az_window_parts_release(&c->parts);
    if (c->reader.trace)
        az_pytorch_reader_release(&c->reader);
    az_trace_release(&c->marks);
    az_mem_free(job->mem, c, sizeof *c);
    return rc;
}
