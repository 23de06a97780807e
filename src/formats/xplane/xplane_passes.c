/* The passes in which a window of a profile is cut (docs/regions.md 8). The reader goes over the
 * file several times and passes its events on instead of storing them; what is remembered are calls
 * by their ids, and times of chunks of some thousand events. A chunk that is inside or outside as a
 * whole is not read again.
 *
 * 1 survey: chunks, times of the recording, and what chooses the window.
 * 2 calls: the part of the window that each begins in, and again where calls share an id.
 * 3 work of devices, which belongs to the part of its call: from the first to the last of each
 * part.
 * 4 calls of work that runs next to that.
 * 5 each event of the chunks that are cut by an edge. */
#include "base/sort.h"
#include "formats/shared/cut_calls.h"
#include "formats/shared/cut_records.h"
#include "formats/xplane/xplane.h"

#define CHUNK_EVENTS 4096 /* and those of a run of sums that is not at its end */
#define SUM_EVENTS   256  /* of a thread, which go only together (cut_records.c) */

enum pass { SURVEY, CALLS, FIRST_CALLS, WORK, NEXT_TO, DECIDE };
enum { /* flags of a chunk */
       HAS_CALLS = 1,
       HAS_LINKS = 2,  /* work that names its call */
       HAS_OTHERS = 4, /* events that are none of the trace, which stay */
       IS_READ = 8     /* in this pass */
};

struct az_xplane_passes {
    struct az_xplane *r;
    enum pass pass;
    struct az_xplane_chunks chunks; /* in the order of the file */
    struct az_vec_u8 bits;          /* of the events of chunks that are decided one by one: kept */
    struct az_vec_u8 names;         /* by name id: 1 it chooses no window, 2 it may */
    struct az_cut_log log;
    struct az_span recording; /* of the events that a trace has */
    struct az_window_parts parts;
    struct az_spans part_work; /* by part: of its device work; end < start: none */
    struct az_spans work;      /* the same, merged */
    struct az_cut_calls calls;
    uint64_t kept;
    bool any_calls, any_next_to;
    /* the event being read */
    size_t at;      /* its chunk */
    uint32_t event; /* its place there */
    bool open, had_event;
    size_t next;                      /* chunk that may be skipped next */
    struct az_xplane_host_line *host; /* the line being read; NULL: of a device */
    /* the run of sums that is being read: its first event, their number and times */
    uint32_t run_first, run_n;
    struct az_span run;
};

size_t az_xplane_chunk_at(const struct az_xplane_chunks *chunks, uint64_t from)
{
    return AZ_LOWER_BY(chunks->v, chunks->n, from, from);
}

/* ---- reading ---- */

static void keep_event(struct az_xplane_passes *p, uint32_t event)
{
    const size_t bit = (size_t)p->chunks.v[p->at].bits + event;
    p->bits.v[bit / 8] |= (uint8_t)(1u << (bit % 8));
    p->kept++;
}

/* The events of a run are decided together. */
static void end_run(struct az_xplane_passes *p)
{
    if (p->pass == DECIDE && p->run_n && az_spans_touch(&p->parts.spans, p->run.start, p->run.end))
        for (uint32_t i = 0; i < p->run_n; i++)
            keep_event(p, p->run_first + i);
    p->run_n = 0;
}

static void end_event(struct az_xplane_passes *p)
{
    if (!p->open)
        return;
    p->open = false;
    if (p->had_event)
        return;
    if (p->pass == SURVEY)
        p->chunks.v[p->at].flags |= HAS_OTHERS;
    else if (p->pass == DECIDE)
        keep_event(p, p->event);
    end_run(p);
}

static int add_chunk(struct az_xplane_passes *p, uint64_t from)
{
    const struct az_xplane_chunk fresh = { .from = from,
                                           .to = from,
                                           .all = { INT64_MAX, INT64_MIN },
                                           .work = { INT64_MAX, INT64_MIN },
                                           .last = INT64_MIN,
                                           .runs = INT64_MIN };
    if (p->host && p->chunks.n)
        p->chunks.v[p->chunks.n - 1].runs = p->host->runs;
    end_run(p);
    return az_vec_push(&p->chunks, fresh);
}

/* The chunk of an event of the survey, and its place there. */
static int survey_place(struct az_xplane_passes *p, uint64_t from, uint64_t to)
{
    const struct az_xplane_chunk *last = p->chunks.n ? &p->chunks.v[p->chunks.n - 1] : NULL;
    const bool again = last && from < last->to; /* the line was read before */
    const bool full =
        last && last->events >= CHUNK_EVENTS && (p->run_n == 0 || p->run_n == SUM_EVENTS);
    if (again) {
        if (from < p->chunks.v[p->at].from || from >= p->chunks.v[p->at].to)
            p->at = az_xplane_chunk_at(&p->chunks, from + 1) - 1;
        return AZ_OK;
    }
    const int rc = !last || last->to != from || full ? add_chunk(p, from) : AZ_OK;
    if (rc)
        return rc;
    p->at = p->chunks.n - 1;
    p->chunks.v[p->at].to = to;
    p->chunks.v[p->at].events++;
    return AZ_OK;
}

/* The same later. false: the file is no longer what it was. */
static bool find_place(struct az_xplane_passes *p, uint64_t from)
{
    const struct az_xplane_chunk *c = p->at < p->chunks.n ? &p->chunks.v[p->at] : NULL;
    if (!c || from < c->from || from >= c->to) {
        const size_t after = az_xplane_chunk_at(&p->chunks, from + 1);
        end_run(p);
        if (after == 0)
            return false;
        p->at = after - 1;
        c = &p->chunks.v[p->at];
    }
    p->event = from == c->from ? 0 : p->event + 1;
    return from < c->to && p->event < c->events && (c->flags & IS_READ);
}

int az_xplane_pass_event(struct az_xplane_passes *p, const uint8_t *tag, const uint8_t *end)
{
    const uint64_t from = az_xplane_offset(&p->r->block, tag);
    if (p->pass == SURVEY && p->open && p->had_event) { /* the next one of its chunk */
        struct az_xplane_chunk *c = &p->chunks.v[p->at];
        if (c->to == from && c->events < CHUNK_EVENTS && p->at + 1 == p->chunks.n) {
            c->to = az_xplane_offset(&p->r->block, end);
            c->events++;
            c->records++;
            p->had_event = false;
            return AZ_OK;
        }
    }
    end_event(p);
    if (p->pass == SURVEY) {
        const int rc = survey_place(p, from, az_xplane_offset(&p->r->block, end));
        if (rc)
            return rc;
        p->chunks.v[p->at].records++;
    } else if (!find_place(p, from)) {
        return az_xplane_bad(p->r, tag, "the file");
    }
    p->open = true;
    p->had_event = false;
    return AZ_OK;
}

const uint8_t *az_xplane_pass_over(struct az_xplane_passes *p, const uint8_t *at)
{
    const struct az_xplane_block *b = &p->r->block;
    uint64_t from = az_xplane_offset(b, at);
    if (p->pass == SURVEY)
        return at;
    if (p->next >= p->chunks.n || p->chunks.v[p->next].from > from ||
        (p->next + 1 < p->chunks.n && p->chunks.v[p->next + 1].from <= from))
        p->next = az_xplane_chunk_at(&p->chunks, from);
    while (p->next < p->chunks.n && p->chunks.v[p->next].from == from &&
           !(p->chunks.v[p->next].flags & IS_READ)) {
        from = p->chunks.v[p->next].to;
        if (p->host)
            p->host->runs = p->chunks.v[p->next].runs;
        p->next++;
    }
    return (const uint8_t *)b->p + (from - b->at);
}

void az_xplane_pass_thread(struct az_xplane_passes *p, struct az_xplane_host_line *h)
{
    end_event(p);
    p->host = h;
}

/* ---- events ---- */

static void extend(struct az_span *s, int64_t start, int64_t end)
{
    s->start = start < s->start ? start : s->start;
    s->end = end > s->end ? end : s->end;
}

/* Events of this name may choose the window. */
static int is_chosen_name(struct az_xplane_passes *p, uint32_t name)
{
    const struct az_trace *t = p->r->t;
    while (p->names.n <= name)
        if (az_vec_push(&p->names, 0) != 0)
            return az_mem_error(t->mem);
    if (!p->names.v[name])
        p->names.v[name] = az_window_names(t->window, az_trace_text(t, name)) ? 2 : 1;
    return p->names.v[name] == 2;
}

/* Is the event stored? Only what finds the window is. */
static int choose_event(struct az_xplane_passes *p, enum az_kind kind, const struct az_event *e)
{
    const struct az_trace *t = p->r->t;
    if (kind == AZ_RANGE && e->name != AZ_NO_ID)
        return is_chosen_name(p, e->name);
    if (t->window->step < 0)
        return 0;
    return kind == AZ_CALL
               ? t->ev[AZ_CALL].n == 0
               : kind == AZ_GPU_RANGE && az_xtrace(t)->roles.v[e->lane] == AZ_XLANE_STEPS;
}

static void survey_times(struct az_xplane_chunk *c, int64_t start, int64_t end)
{
    extend(&c->all, start, end);
    c->last = start > c->last ? start : c->last;
}

static int survey_event(struct az_xplane_passes *p, enum az_kind kind, const struct az_event *e)
{
    struct az_xplane_chunk *c = &p->chunks.v[p->at];
    survey_times(c, e->start, e->end);
    p->run_n = 0;
    extend(&p->recording, e->start, e->end);
    if (kind <= AZ_GRAPH) {
        extend(&c->work, e->start, e->end);
        c->n_work++;
        c->flags |= e->corr ? HAS_LINKS : 0;
    } else if (kind == AZ_CALL) {
        c->flags |= HAS_CALLS;
        p->any_calls = true;
    }
    return choose_event(p, kind, e);
}

static uint32_t part_of_work(struct az_xplane_passes *p, const struct az_event *e)
{
    uint32_t part;
    return az_cut_calls_part(&p->calls, 0, e->corr, &part)
               ? part
               : az_window_part_at(&p->parts, 0, e->start);
}

static bool is_next_to(const struct az_xplane_passes *p, const struct az_event *e)
{
    return e->end > e->start && az_spans_touch(&p->work, e->start, e->end);
}

static int find_call(struct az_xplane_passes *p, const struct az_event *e)
{
    const uint32_t part = az_window_part_at(&p->parts, 0, e->start);
    return p->pass == FIRST_CALLS ? az_cut_calls_again(&p->calls, 0, e->corr, part, e->start)
                                  : az_cut_calls_add(&p->calls, 0, e->corr, part);
}

static void find_work(struct az_xplane_passes *p, const struct az_event *e)
{
    const uint32_t part = part_of_work(p, e);
    if (part)
        extend(&p->part_work.v[part - 1], e->start, e->end);
    p->chunks.v[p->at].inside += part != 0;
}

/* The call of work next to that of the window shows that it is outside. */
static void find_next_to(struct az_xplane_passes *p, const struct az_event *e)
{
    uint32_t *call = e->corr ? az_cut_calls_at(&p->calls, 0, e->corr, false) : NULL;
    if (!call || *call != 1 || !is_next_to(p, e))
        return;
    *call |= AZ_CUT_NEXT_TO;
    p->any_next_to = true;
}

static bool is_event_kept(struct az_xplane_passes *p, enum az_kind kind, const struct az_event *e)
{
    const uint32_t *call;
    if (kind <= AZ_GRAPH)
        return part_of_work(p, e) || is_next_to(p, e);
    if (kind != AZ_CALL)
        return az_window_parts_touch(&p->parts, 0, e->start, e->end);
    call = az_cut_calls_at(&p->calls, 0, e->corr, false);
    return az_window_part_at(&p->parts, 0, e->start) || (call && (*call & AZ_CUT_NEXT_TO));
}

static void decide_event(struct az_xplane_passes *p, enum az_kind kind, const struct az_event *e)
{
    end_run(p);
    if (is_event_kept(p, kind, e))
        keep_event(p, p->event);
}

void az_xplane_pass_sum(struct az_xplane_passes *p, int64_t start, int64_t end)
{
    p->had_event = true;
    if (p->pass == SURVEY) {
        survey_times(&p->chunks.v[p->at], start, end);
        p->run_n = p->run_n == SUM_EVENTS ? 1 : p->run_n + 1;
    } else if (p->pass == DECIDE) {
        if (p->run_n == SUM_EVENTS)
            end_run(p);
        if (p->run_n++ == 0) {
            p->run_first = p->event;
            p->run = (struct az_span){ start, end };
        }
        extend(&p->run, start, end);
    }
}

static int take_event(void *ctx, enum az_kind kind, const struct az_event *e)
{
    struct az_xplane_passes *p = ctx;
    p->had_event = true;
    az_vec_reset(&p->r->t->copies); /* of the event, which is not stored */
    switch (p->pass) {
    case SURVEY:
        return survey_event(p, kind, e);
    case CALLS:
    case FIRST_CALLS:
        return kind == AZ_CALL ? find_call(p, e) : AZ_OK;
    case WORK:
        if (kind <= AZ_GRAPH)
            find_work(p, e);
        return AZ_OK;
    case NEXT_TO:
        if (kind <= AZ_GRAPH)
            find_next_to(p, e);
        return AZ_OK;
    case DECIDE:
        decide_event(p, kind, e);
        break;
    }
    return AZ_OK;
}

/* ---- chunks ---- */

/* The part that all of its events begin in; 0: none, or several. */
static uint32_t part_of_chunk(const struct az_xplane_passes *p, const struct az_xplane_chunk *c)
{
    const uint32_t part =
        c->all.start <= c->last ? az_window_part_at(&p->parts, 0, c->all.start) : 0;
    return part && az_window_part_at(&p->parts, 0, c->last) == part ? part : 0;
}

/* Does any of it overlap spans? An event without length is a point. */
static bool is_near(const struct az_spans *spans, const struct az_span *s)
{
    return s->start <= s->end && az_spans_touch(spans, s->start, s->end + 1);
}

static bool are_links_known(const struct az_xplane_passes *p, const struct az_xplane_chunk *c)
{
    return p->any_calls && (c->flags & HAS_LINKS);
}

/* Is the work of a chunk to be read? Else it is inside, or outside, as a whole. */
static bool is_work_read(struct az_xplane_passes *p, struct az_xplane_chunk *c)
{
    const uint32_t part = part_of_chunk(p, c);
    if (!c->n_work)
        return false;
    if (are_links_known(p, c) || (!part && is_near(&p->parts.spans, &c->all)))
        return true;
    if (part) {
        extend(&p->part_work.v[part - 1], c->work.start, c->work.end);
        c->inside = c->n_work;
    }
    return false;
}

static uint8_t disposition_of(const struct az_xplane_passes *p, const struct az_xplane_chunk *c)
{
    const bool within = part_of_chunk(p, c) != 0, linked = are_links_known(p, c);
    if (c->n_work == c->inside && (within || (linked && c->records == c->n_work)))
        return AZ_XPLANE_KEPT;
    if (c->all.start > c->all.end) /* no event of the trace */
        return AZ_XPLANE_KEPT;
    const bool gone = !(c->flags & HAS_OTHERS) && c->inside == 0 &&
                      !(p->any_next_to && (c->flags & HAS_CALLS)) &&
                      !(c->n_work && is_near(&p->work, &c->work)) &&
                      (c->records == c->n_work || !is_near(&p->parts.spans, &c->all));
    return gone ? AZ_XPLANE_GONE : AZ_XPLANE_MIXED;
}

/* Which chunks this pass reads. */
static int choose_chunks(struct az_xplane_passes *p)
{
    bool any = false;
    uint64_t bits = 0;
    for (size_t i = 0; i < p->chunks.n; i++) {
        struct az_xplane_chunk *c = &p->chunks.v[i];
        bool read = false;
        if (p->pass == CALLS || p->pass == FIRST_CALLS)
            read = c->flags & HAS_CALLS;
        else if (p->pass == WORK)
            read = is_work_read(p, c);
        else if (p->pass == NEXT_TO)
            read = are_links_known(p, c) && c->inside < c->n_work && is_near(&p->work, &c->work);
        else
            read = (c->disposition = disposition_of(p, c)) == AZ_XPLANE_MIXED;
        c->flags = (uint8_t)(read ? c->flags | IS_READ : c->flags & ~IS_READ);
        any |= read;
        if (p->pass != DECIDE)
            continue;
        p->kept += c->disposition == AZ_XPLANE_KEPT ? c->records : 0;
        c->bits = (uint32_t)bits;
        bits += read ? c->events : 0;
    }
    if (bits > UINT32_MAX)
        return AZ_ERANGE;
    const int rc = az_vec_reserve(&p->bits, (size_t)(bits / 8 + 1));
    if (rc == 0) {
        memset(p->bits.v, 0, (size_t)(bits / 8 + 1));
        p->bits.n = (size_t)(bits / 8 + 1);
    }
    return rc ? rc : any;
}

/* ---- passes ---- */

static int read_plane(struct az_xplane *r, struct az_sv plane)
{
    struct az_xplane_passes *p = r->passes;
    const uint64_t from = (uint64_t)(plane.p - r->bytes.p), to = from + plane.n;
    size_t i = az_xplane_chunk_at(&p->chunks, from);
    while (i < p->chunks.n && p->chunks.v[i].from < to && !(p->chunks.v[i].flags & IS_READ))
        i++;
    if (i == p->chunks.n || p->chunks.v[i].from >= to)
        return AZ_OK;
    const int rc = az_xplane_read_plane(r, plane);
    az_vec_reset(&r->x->steps);
    return rc;
}

static void begin_pass(struct az_xplane_passes *p, enum pass pass)
{
    p->pass = pass;
    p->at = p->next = 0;
    p->open = false;
    p->host = NULL;
}

static int read_again(struct az_xplane_passes *p, enum pass pass)
{
    begin_pass(p, pass);
    int rc = choose_chunks(p);
    if (rc > 0)
        rc = az_xplane_each_plane(p->r, read_plane, false);
    end_event(p);
    end_run(p);
    return rc;
}

static int survey(struct az_xplane_passes *p)
{
    struct az_xplane *r = p->r;
    enum az_window_miss miss = AZ_WINDOW_NO_EVENTS;
    const struct az_event whole = { .name = AZ_NO_ID, .side = AZ_NO_ROW };
    begin_pass(p, SURVEY);
    int rc = az_xplane_each_plane(r, az_xplane_read_plane, true);
    end_event(p);
    r->t->cut_log = NULL;
    if (rc == 0 && p->recording.start <= p->recording.end) {
        struct az_event e = whole; /* which is as long as all of them */
        e.start = p->recording.start;
        e.end = p->recording.end;
        rc = az_trace_add(r->t, AZ_OVERHEAD, &e);
        if (rc == 0)
            rc = az_window_spans(r->t, r->t->window, &p->parts, &miss);
    }
    r->t->cut_log = &p->log;
    az_vec_reset(&r->x->steps);
    return rc ? rc : az_window_check(r->job->diag, r->path, r->t->window, r->t, miss);
}

/* What the devices do for each part, merged. */
static int merge_work(struct az_xplane_passes *p)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < p->part_work.n; i++)
        if (p->part_work.v[i].end >= p->part_work.v[i].start)
            rc = az_vec_push(&p->work, p->part_work.v[i]);
    az_spans_sort(&p->work);
    az_spans_union(&p->work);
    return rc;
}

static int run_passes(struct az_xplane_passes *p, struct az_cut *job)
{
    int rc = survey(p);
    if (rc == 0 && (p->r->cut || p->r->damaged))
        rc = az_xplane_cut_damaged(job);
    if (rc == 0 && p->any_calls)
        rc = read_again(p, CALLS);
    if (rc == 0 && p->calls.first.n)
        rc = read_again(p, FIRST_CALLS);
    for (size_t i = 0; rc == 0 && i < p->parts.spans.n; i++)
        rc = az_vec_push(&p->part_work, ((struct az_span){ INT64_MAX, INT64_MIN }));
    if (rc == 0)
        rc = read_again(p, WORK);
    if (rc == 0)
        rc = merge_work(p);
    if (rc == 0 && p->any_calls)
        rc = read_again(p, NEXT_TO);
    return rc ? rc : read_again(p, DECIDE);
}

static int write_window(struct az_xplane_passes *p, struct az_cut *job)
{
    struct az_trace *t = p->r->t;
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < p->parts.spans.n; i++)
        rc = az_vec_push(&t->recorded_window, p->parts.spans.v[i]);
    for (size_t i = 0; i < p->chunks.n; i++)
        job->read += p->chunks.v[i].records;
    job->kept = p->kept;
    return rc ? rc : az_xplane_write_chunks(job, p->r, &p->chunks, &p->bits);
}

int az_xplane_cut_space(struct az_xplane *r, struct az_cut *job)
{
    struct az_mem *mem = r->job->mem;
    struct az_xplane_passes p = { .r = r, .recording = { INT64_MAX, INT64_MIN } };
    struct az_cut_log *log = r->t->cut_log;
    az_vec_init(&p.chunks, mem);
    az_vec_init(&p.bits, mem);
    az_vec_init(&p.names, mem);
    az_vec_init(&p.part_work, mem);
    az_vec_init(&p.work, mem);
    az_window_parts_init(&p.parts, mem);
    az_cut_calls_init(&p.calls, mem);
    az_cut_log_init(&p.log, mem);
    p.log.pass = take_event;
    p.log.ctx = &p;
    r->passes = &p;
    r->t->cut_log = &p.log;
    int rc = run_passes(&p, job);
    r->passes = NULL;
    r->t->cut_log = log;
    if (rc == 0)
        rc = write_window(&p, job);
    az_cut_log_release(&p.log);
    az_cut_calls_release(&p.calls);
    az_window_parts_release(&p.parts);
    az_vec_release(&p.work);
    az_vec_release(&p.part_work);
    az_vec_release(&p.names);
    az_vec_release(&p.bits);
    az_vec_release(&p.chunks);
    return rc;
}
