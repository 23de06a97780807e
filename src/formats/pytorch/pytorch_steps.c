#include "formats/pytorch/pytorch_steps.h"

#include <string.h>

#include "base/sort.h"
#include "formats/pytorch/pytorch.h"
#include "formats/pytorch/pytorch_document.h"
#include "formats/pytorch/pytorch_loop.h"
#include "io/gzip_out.h"

struct link { /* a call inside a step */
    uint64_t corr;
    uint32_t step;
};
AZ_VEC(struct link, links);

struct call { /* a span of the host with a correlation id */
    uint64_t corr, pid, tid;
    int64_t start, end;
};
AZ_VEC(struct call, calls);

struct record { /* an event that is kept */
    struct az_sv text;
    int64_t start, end; /* of device work */
    bool device;
};
AZ_VEC(struct record, records);

struct member { /* of a step: a record */
    uint32_t step, record;
};
AZ_VEC(struct member, members);

struct az_pytorch_steps {
    struct az_pytorch_reader reader; /* first: its hook is called with it */
    struct az_pytorch_steps_opts o;
    struct az_trace names; /* of the reader */
    struct az_arena arena;
    struct az_pytorch_step_list list;
    enum az_engine_grammar grammar; /* of the steps in the list */
    int64_t *last_end;              /* of the steps up to this one */
    struct calls calls;
    struct links links; /* by id, then step */
    bool calling;       /* the second reading, without marks */
    struct az_pytorch_loop loop;
    bool loading;    /* the last reading */
    size_t from, to; /* steps to be kept */
    struct records records;
    struct members members;   /* by step, then record */
    struct az_vec_u32 always; /* records of every output: events without times */
    struct az_vec_u32 hits;   /* steps of the event just read */
    struct record now;        /* the same, without its text */
    bool seen, timed;         /* there is one; it has a time */
    struct az_vec_char head;  /* the document's other members */
};

/* ---- the first reading ---- */

static bool has_times(const struct az_pytorch_event *e, int64_t *end)
{
    return e->ph == 'X' && e->has_ts && e->has_dur && e->dur >= 0 &&
           !__builtin_add_overflow(e->ts, e->dur, end);
}

static bool is_device(struct az_sv cat)
{
    static const char *const cats[] = { "kernel", "gpu_memcpy", "gpu_memset",
                                        "gpu_user_annotation" };
    for (size_t i = 0; i < AZ_LENGTH(cats); i++)
        if (az_sv_is(cat, cats[i]))
            return true;
    return false;
}

/* An annotation is a step if no better grammar was found before; those of a worse one are none. */
static int find_step(struct az_pytorch_steps *s, const struct az_pytorch_event *e, int64_t end)
{
    struct az_pytorch_step step = { .start = e->ts, .end = end, .named = true };
    uint32_t id;
    int rc = az_pytorch_name(&s->reader, e->name, e->name_escaped, &id);
    if (rc)
        return rc;
    step.name = az_trace_text(&s->names, id);
    const enum az_engine_grammar grammar = az_engine_counts_read(step.name, &step.counts);
    if (grammar == AZ_ENGINE_NO_STEP || grammar < s->grammar)
        return AZ_OK;
    if (grammar > s->grammar)
        az_vec_reset(&s->list);
    s->grammar = grammar;
    rc = az_pytorch_identity(&s->reader, &e->pid, &step.pid);
    if (rc == 0)
        rc = az_pytorch_identity(&s->reader, &e->tid, &step.tid);
    if (rc == 0) {
        step.name = az_arena_dup(&s->arena, step.name);
        rc = step.name.p ? az_vec_push(&s->list, step) : az_arena_error(&s->arena);
    }
    return rc;
}

static int find_call(struct az_pytorch_steps *s, const struct az_pytorch_event *e, int64_t end)
{
    struct call c = { .corr = (uint64_t)e->number[AZ_PYTORCH_CORR], .start = e->ts, .end = end };
    int rc = az_pytorch_identity(&s->reader, &e->pid, &c.pid);
    if (rc == 0)
        rc = az_pytorch_identity(&s->reader, &e->tid, &c.tid);
    return rc ? rc : az_vec_push(&s->calls, c);
}

static int find_mark(struct az_pytorch_steps *s, const struct az_pytorch_event *e)
{
    int64_t end;
    int rc = AZ_OK;
    if (has_times(e, &end) && s->calling)
        return az_pytorch_loop_add(&s->loop, &s->reader, e, end);
    if (!has_times(e, &end) || is_device(e->cat))
        return AZ_OK;
    if (az_sv_is(e->cat, "user_annotation"))
        rc = find_step(s, e, end);
    if (rc == 0 && az_pytorch_has(e, AZ_PYTORCH_CORR))
        rc = find_call(s, e, end);
    return rc;
}

/* ---- which steps an event belongs to ---- */

/* Steps of a thread that hold a span, into s->hits. */
static int steps_around(struct az_pytorch_steps *s, uint64_t pid, uint64_t tid, int64_t start,
                        int64_t end)
{
    int rc = AZ_OK;
    az_vec_reset(&s->hits);
    const size_t lo =
        AZ_UPPER_BY(s->list.v, s->list.n, start, start); /* the first step that begins after it */
    for (size_t i = lo; rc == 0 && i > 0 && s->last_end[i - 1] >= end; i--) {
        const struct az_pytorch_step *p = &s->list.v[i - 1];
        if (p->end >= end && p->pid == pid && p->tid == tid)
            rc = az_vec_push(&s->hits, (uint32_t)(i - 1));
    }
    return rc;
}

/* Steps with a call of this id. */
static int steps_of_id(struct az_pytorch_steps *s, uint64_t corr)
{
    int rc = AZ_OK;
    az_vec_reset(&s->hits);
    size_t lo = AZ_LOWER_BY(s->links.v, s->links.n, corr, corr);
    for (; rc == 0 && lo < s->links.n && s->links.v[lo].corr == corr; lo++)
        rc = az_vec_push(&s->hits, s->links.v[lo].step);
    return rc;
}

static int by_start(const void *a, const void *b, void *ctx)
{
    const struct az_pytorch_step *x = a, *y = b;
    (void)ctx;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int by_id(const void *a, const void *b, void *ctx)
{
    const struct link *x = a, *y = b;
    (void)ctx;
    if (x->corr != y->corr)
        return x->corr < y->corr ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* Orders the steps, and finds the calls inside them. */
static int link_calls(struct az_pytorch_steps *s)
{
    int rc = 0;
    az_sort_cmp(s->list.v, s->list.n, sizeof *s->list.v, by_start, NULL, s->o.mem);
    s->last_end = az_arena_array(&s->arena, s->list.n + 1, sizeof *s->last_end);
    if (rc || !s->last_end)
        return rc ? rc : az_arena_error(&s->arena);
    for (size_t i = 0; i < s->list.n; i++)
        s->last_end[i] =
            i && s->last_end[i - 1] > s->list.v[i].end ? s->last_end[i - 1] : s->list.v[i].end;
    for (size_t i = 0; rc == 0 && i < s->calls.n; i++) {
        const struct call *c = &s->calls.v[i];
        rc = steps_around(s, c->pid, c->tid, c->start, c->end);
        for (size_t k = 0; rc == 0 && k < s->hits.n; k++)
            rc = az_vec_push(&s->links, ((struct link){ c->corr, s->hits.v[k] }));
    }
    az_vec_release(&s->calls);
    az_vec_init(&s->calls, s->o.mem);
    az_sort_cmp(s->links.v, s->links.n, sizeof *s->links.v, by_id, NULL, s->o.mem);
    size_t n = 0;
    for (size_t i = 0; rc == 0 && i < s->links.n; i++)
        if (i == 0 || by_id(&s->links.v[i - 1], &s->links.v[i], NULL))
            s->links.v[n++] = s->links.v[i];
    s->links.n = rc ? s->links.n : n;
    return rc;
}

/* ---- the last reading ---- */

/* The steps of the event just read. */
static int steps_of_event(struct az_pytorch_steps *s, const struct az_pytorch_event *e)
{
    uint64_t pid, tid;
    int64_t end;
    az_vec_reset(&s->hits);
    if (!e->has_ts)
        return AZ_OK;
    if (e->ph == 's' || e->ph == 'f')
        return e->id.number ? steps_of_id(s, (uint64_t)e->id.v) : AZ_OK;
    if (!has_times(e, &end))
        return AZ_OK;
    if (is_device(e->cat))
        return az_pytorch_has(e, AZ_PYTORCH_CORR)
                   ? steps_of_id(s, (uint64_t)e->number[AZ_PYTORCH_CORR])
                   : AZ_OK;
    int rc = az_pytorch_identity(&s->reader, &e->pid, &pid);
    if (rc == 0)
        rc = az_pytorch_identity(&s->reader, &e->tid, &tid);
    return rc ? rc : steps_around(s, pid, tid, e->ts, end);
}

static int take_event(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_pytorch_steps *s = (struct az_pytorch_steps *)r;
    int64_t end;
    if (!s->loading)
        return find_mark(s, e);
    s->seen = true;
    s->timed = e->has_ts;
    s->now = (struct record){ .device = has_times(e, &end) && is_device(e->cat) };
    if (s->now.device) {
        s->now.start = e->ts;
        s->now.end = end;
    }
    return steps_of_event(s, e);
}

static int keep_record(struct az_pytorch_steps *s, struct az_sv text)
{
    const uint32_t at = (uint32_t)s->records.n;
    bool kept = !s->timed;
    for (size_t i = 0; i < s->hits.n; i++)
        kept |= s->hits.v[i] >= s->from && s->hits.v[i] < s->to;
    if (!kept)
        return AZ_OK;
    s->now.text = az_arena_dup(&s->arena, text);
    int rc = s->now.text.p ? az_vec_push(&s->records, s->now) : az_arena_error(&s->arena);
    if (rc == 0 && !s->timed)
        return az_vec_push(&s->always, at);
    for (size_t i = 0; rc == 0 && i < s->hits.n; i++)
        if (s->hits.v[i] >= s->from && s->hits.v[i] < s->to)
            rc = az_vec_push(&s->members, ((struct member){ s->hits.v[i], at }));
    return rc;
}

static int read_record(void *ctx, struct az_jscan *scan)
{
    struct az_pytorch_steps *s = ctx;
    const char *from = scan->p - 1;
    s->seen = false;
    const int rc = az_pytorch_event_reader()(&s->reader, scan);
    return rc == AZ_JSON_OK && s->loading && s->seen
               ? keep_record(s, az_sv_make(from, (size_t)(scan->p - from)))
               : rc;
}

/* ---- the document ---- */

static int append(struct az_vec_char *out, struct az_sv text)
{
    const int rc = az_vec_reserve(out, text.n);
    if (rc == 0 && text.n) {
        memcpy(out->v + out->n, text.p, text.n);
        out->n += text.n;
    }
    return rc;
}

static int read_member(void *ctx, struct az_jscan *scan, struct az_sv key)
{
    struct az_pytorch_steps *s = ctx;
    struct az_sv raw;
    int rc = append(&s->head, AZ_SV("\""));
    rc = rc ? rc : append(&s->head, key);
    rc = rc ? rc : append(&s->head, AZ_SV("\": "));
    rc = rc ? rc : az_jscan_value(scan, &raw);
    rc = rc ? rc : append(&s->head, raw);
    return rc ? rc : append(&s->head, AZ_SV(",\n"));
}

static int read_through(struct az_pytorch_steps *s)
{
    const struct az_pytorch_document d = { .path = s->o.path,
                                           .mem = s->o.mem,
                                           .diag = s->o.diag,
                                           .cancelled = s->o.cancelled,
                                           .record = read_record,
                                           .member = s->loading ? read_member : NULL,
                                           .ctx = s,
                                           .reports_damage = s->loading };
    return az_pytorch_document_read(&d);
}

/* ---- the output ---- */

static int by_step(const void *a, const void *b, void *ctx)
{
    const struct member *x = a, *y = b;
    (void)ctx;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

static int by_number(const void *a, const void *b, void *ctx)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    (void)ctx;
    return x < y ? -1 : x > y;
}

/* Adds a step's device work to the sum, and its records to the list. */
static int add_step(const struct az_pytorch_steps *s, size_t step, struct az_vec_u32 *list,
                    struct az_pytorch_steps_sum *sum)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    int rc = AZ_OK;
    size_t lo = AZ_LOWER_BY(s->members.v, s->members.n, step, (uint32_t)step);
    for (; rc == 0 && lo < s->members.n && s->members.v[lo].step == step; lo++) {
        const struct record *r = &s->records.v[s->members.v[lo].record];
        rc = az_vec_push(list, s->members.v[lo].record);
        if (!r->device)
            continue;
        sum->device_events++;
        sum->device_time += r->end - r->start;
        first = r->start < first ? r->start : first;
        last = r->end > last ? r->end : last;
    }
    if (first <= last)
        sum->device_span += last - first;
    return rc;
}

static int put_records(const struct az_pytorch_steps *s, const struct az_vec_u32 *list,
                       const char *out)
{
    struct az_gzfile *f = NULL;
    int rc = az_gzfile_open(&f, out, AZ_INFLATE_BEST, s->o.mem, s->o.diag);
    if (rc)
        return rc;
    az_gzfile_puts(f, AZ_SV("{\n"));
    if (s->head.n)
        az_gzfile_write(f, s->head.v, s->head.n);
    az_gzfile_puts(f, AZ_SV("\"traceEvents\": ["));
    for (size_t i = 0; i < list->n; i++) {
        az_gzfile_puts(f, i ? AZ_SV(",\n") : AZ_SV("\n"));
        az_gzfile_puts(f, s->records.v[list->v[i]].text);
    }
    az_gzfile_puts(f, AZ_SV("\n]\n}\n"));
    return az_gzfile_commit(f);
}

int az_pytorch_steps_write(const struct az_pytorch_steps *s, const size_t *step, size_t n,
                           const char *out, struct az_pytorch_steps_sum *sum)
{
    struct az_vec_u32 list;
    int rc = AZ_OK;
    *sum = (struct az_pytorch_steps_sum){ 0 };
    az_vec_init(&list, s->o.mem);
    for (size_t i = 0; rc == 0 && i < s->always.n; i++)
        rc = az_vec_push(&list, s->always.v[i]);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = add_step(s, step[i], &list, sum);
    az_sort_cmp(list.v, list.n, sizeof *list.v, by_number, NULL, s->o.mem);
    size_t unique = 0;
    for (size_t i = 0; rc == 0 && i < list.n; i++)
        if (i == 0 || list.v[i] != list.v[i - 1])
            list.v[unique++] = list.v[i];
    list.n = rc ? list.n : unique;
    sum->events = list.n;
    if (rc == 0)
        rc = put_records(s, &list, out);
    az_vec_release(&list);
    return rc;
}

/* ---- */

int az_pytorch_steps_read(struct az_pytorch_steps *s, size_t from, size_t to)
{
    s->loading = true;
    s->from = from;
    s->to = to;
    const int rc = read_through(s);
    az_sort_cmp(s->members.v, s->members.n, sizeof *s->members.v, by_step, NULL, s->o.mem);
    return rc;
}

/* Without marks the iterations of a loop are steps. */
static int find_loop(struct az_pytorch_steps *s)
{
    s->calling = true;
    int rc = read_through(s);
    rc = rc ? rc : az_pytorch_loop_find(&s->loop, &s->list);
    s->calling = false;
    az_vec_release(&s->loop.calls);
    az_vec_release(&s->loop.device_ids);
    return rc;
}

size_t az_pytorch_steps_loop(const struct az_pytorch_steps *s, struct az_sv *caller)
{
    *caller = s->loop.caller == AZ_NO_ROW ? AZ_SV("") : az_trace_text(&s->names, s->loop.caller);
    return s->loop.length;
}

const struct az_pytorch_step_list *az_pytorch_steps_of(const struct az_pytorch_steps *s)
{
    return &s->list;
}

void az_pytorch_steps_close(struct az_pytorch_steps *s)
{
    if (!s)
        return;
    if (s->reader.trace)
        az_pytorch_reader_release(&s->reader);
    az_trace_release(&s->names);
    az_vec_release(&s->list);
    az_vec_release(&s->calls);
    az_vec_release(&s->links);
    az_pytorch_loop_release(&s->loop);
    az_vec_release(&s->records);
    az_vec_release(&s->members);
    az_vec_release(&s->always);
    az_vec_release(&s->hits);
    az_vec_release(&s->head);
    az_arena_release(&s->arena);
    az_mem_free(s->o.mem, s, sizeof *s);
}

int az_pytorch_steps_open(struct az_pytorch_steps **out, const struct az_pytorch_steps_opts *opts)
{
    struct az_pytorch_steps *s = az_mem_alloc(opts->mem, sizeof *s);
    *out = NULL;
    if (!s)
        return az_mem_error(opts->mem);
    memset(s, 0, sizeof *s);
    s->o = *opts;
    az_arena_init(&s->arena, opts->mem);
    az_vec_init(&s->list, opts->mem);
    az_vec_init(&s->calls, opts->mem);
    az_vec_init(&s->links, opts->mem);
    az_pytorch_loop_init(&s->loop, opts->mem);
    az_vec_init(&s->records, opts->mem);
    az_vec_init(&s->members, opts->mem);
    az_vec_init(&s->always, opts->mem);
    az_vec_init(&s->hits, opts->mem);
    az_vec_init(&s->head, opts->mem);
    int rc = az_trace_init(&s->names, opts->mem);
    if (rc == 0)
        rc = az_pytorch_reader_init(&s->reader, &s->names, opts->opts);
    s->reader.take = take_event;
    if (rc == 0)
        rc = read_through(s);
    if (rc == 0 && s->list.n == 0)
        rc = find_loop(s);
    if (rc == 0)
        rc = link_calls(s);
    if (rc) {
        az_pytorch_steps_close(s);
        return rc;
    }
    *out = s;
    return AZ_OK;
}
