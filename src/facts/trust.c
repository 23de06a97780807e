/* The trust checks of a trace: first the device events (links, leads, families), then the calls
 * (launches without device events), then what was counted while the trace was read. */
#include "facts/trust.h"

#include "base/num.h"
#include "base/sort.h"
#include "classify/rules.h"
#include "facts/families.h"
#include "facts/idle.h"
#include "facts/steps.h"
#include "facts/threads.h"

#define RULES "trace_names.rules"

enum call { /* by RULES, group queued */
            CALL_UNKNOWN,
            CALL_OTHER,
            CALL_HOST,
            CALL_GRAPH,
            CALL_KERNEL,
            CALL_COPY,
            CALL_FILL,
            CALL_BEGIN,
            CALL_END
};
/* Flags of a call. Inner: a call of the driver inside one of the runtime. */
enum { HAS_WORK = 1, IS_INNER = 2, SAME_ID = 4, IS_KERNEL = 8, IS_TURN = 16 };

static const enum az_kind device_kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };

struct maker {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    const struct az_link *link;
    struct az_trust *r;
    /* device events */
    int64_t linked, unlinked; /* without migrations */
    int64_t busy, unlinked_ticks;
    struct az_vec_i64 leads;
    int64_t first, last; /* first start, last end */
    /* calls */
    struct az_arena scratch;
    uint8_t *class_of; /* name id -> enum call */
    uint8_t *flags;    /* of each call */
    uint32_t *thread;  /* of each lane */
    size_t threads;
    int64_t kernels, graphs, others; /* launches by class */
    int64_t same;                    /* launches that share their number with another */
    struct az_vec_u32 lost, bare;
};

static void set_check(struct maker *m, enum az_check c, enum az_check_status status, int64_t count,
                      int64_t of, int64_t ticks)
{
    m->r->check[c] = (struct az_check_result){ status, count, of, az_ns(m->t, ticks) };
}

/* part >= whole / n, exactly. */
static bool reaches(int64_t part, int64_t whole, int64_t n) { return part >= (whole + n - 1) / n; }

static enum az_check_status status_of_count(int64_t count, bool fails)
{
    return count == 0 ? AZ_CHECK_PASS : fails ? AZ_CHECK_FAIL : AZ_CHECK_WARN;
}

/* ---- device events ---- */
static bool is_migration(const struct az_trace *t, enum az_kind k, size_t row)
{
    const struct az_events *e = &t->ev[k];
    return k == AZ_MEMCPY && e->side && e->side[row] < t->copies.n &&
           t->copies.v[e->side[row]].migration;
}

static int look_at_kind(struct maker *m, enum az_kind k)
{
    const struct az_events *e = &m->t->ev[k], *calls = &m->t->ev[AZ_CALL];
    const uint32_t *call = m->link->call[k];
    const int64_t slack = 1000 * m->t->ticks_per_ns;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const int64_t start = e->start[i], ticks = e->end[i] - start;
        m->busy = az_add_sat(m->busy, ticks);
        m->last = e->end[i] > m->last ? e->end[i] : m->last;
        if (!call || call[i] == AZ_NO_ROW) {
            if (is_migration(m->t, k, i))
                continue;
            m->unlinked++;
            m->unlinked_ticks = az_add_sat(m->unlinked_ticks, ticks);
            continue;
        }
        m->linked++;
        m->flags[call[i]] |= HAS_WORK;
        if (start < calls->start[call[i]] - slack)
            rc = az_vec_push(&m->leads, calls->start[call[i]] - start);
    }
    if (e->n && e->start[0] < m->first)
        m->first = e->start[0];
    return rc;
}

static int put_launch_order(struct maker *m)
{
    const size_t n = m->leads.n;
    uint32_t *order = az_arena_array(&m->scratch, n + 1, sizeof *order);
    int rc = order ? 0 : az_arena_error(&m->scratch);
    if (rc == 0)
        az_sort_order(m->leads.v, n, order, m->job->mem);
    if (rc || m->linked == 0)
        return rc;
    m->r->lead_median = n ? m->leads.v[order[(n - 1) / 2]] : 0;
    set_check(m, AZ_CHECK_LAUNCH_ORDER,
              status_of_count((int64_t)n, reaches((int64_t)n, m->linked, 10)), (int64_t)n,
              m->linked, n ? m->leads.v[order[n - 1]] : 0);
    return 0;
}

static void put_unlinked(struct maker *m)
{
    const int64_t events = m->linked + m->unlinked;
    if (events == 0 || (m->linked == 0 && m->kernels + m->graphs + m->others == 0))
        return; /* launches were not recorded */
    const bool much = m->unlinked > 0 && reaches(m->unlinked_ticks, m->busy, 20);
    set_check(m, AZ_CHECK_UNLINKED_DEVICE_WORK, much ? AZ_CHECK_WARN : AZ_CHECK_PASS, m->unlinked,
              events, m->unlinked_ticks);
}

/* ---- launches ---- */
static enum call call_of(struct maker *m, const struct az_rule_list *rules, uint32_t name)
{
    static const char *const text[] = { "",     "",     "host_function", "graph",      "kernel",
                                        "copy", "fill", "begin_capture", "end_capture" };
    const struct az_sv is = az_rules_class_of(rules, "queued", az_trace_text(m->t, name));
    enum call k = CALL_END;
    while (k > CALL_OTHER && !az_sv_is(is, text[k]))
        k--;
    m->class_of[name] = (uint8_t)k;
    return k;
}

/* Where a thread is in the list of calls. */
struct thread {
    uint32_t outer; /* the last launch that is not inside another; AZ_NO_ROW */
    int64_t last;   /* start of its last launch with device work; INT64_MIN */
};

/* A launch inside the launch before it is the same: its device work is that of the outer one. */
static void number_launch(struct maker *m, struct thread *t, uint32_t row)
{
    const struct az_events *c = &m->t->ev[AZ_CALL];
    const uint32_t outer = t->outer;
    if (outer != AZ_NO_ROW && c->end[row] <= c->end[outer] &&
        m->class_of[c->name[row]] == m->class_of[c->name[outer]]) {
        m->flags[outer] |= m->flags[row] & HAS_WORK;
        m->flags[row] |= IS_INNER;
        row = outer;
    }
    t->outer = row;
    if (m->flags[row] & HAS_WORK)
        t->last = c->start[row];
}

static int read_calls(struct maker *m, struct thread *threads)
{
    const struct az_events *c = &m->t->ev[AZ_CALL];
    const uint8_t *class_of = m->class_of;
    int64_t others = 0;
    struct az_rule_list rules;
    int rc = az_rules_read_group(RULES, "queued", &m->scratch, &rules);
    for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
        const uint32_t name = c->name[i];
        const enum call known = name == AZ_NO_ID ? CALL_OTHER : (enum call)class_of[name],
                        k = known == CALL_UNKNOWN ? call_of(m, &rules, name) : known;
        if (k == CALL_KERNEL || k == CALL_GRAPH) {
            m->flags[i] |= k == CALL_KERNEL ? IS_KERNEL : IS_TURN;
            number_launch(m, &threads[m->thread[c->lane[i]]], i);
        } else if (k == CALL_BEGIN || k == CALL_END) {
            m->flags[i] |= IS_TURN;
        } else {
            others += k == CALL_COPY || k == CALL_FILL;
        }
    }
    m->others = others;
    return rc;
}

/* Launches that share their number: which of them a device event belongs to is not known. */
static bool is_launch(const struct maker *m, uint32_t call)
{
    const uint32_t name = m->t->ev[AZ_CALL].name[call];
    const enum call k = name == AZ_NO_ID ? CALL_OTHER : (enum call)m->class_of[name];
    return (k == CALL_KERNEL || k == CALL_GRAPH) && !(m->flags[call] & IS_INNER);
}

static void find_same(struct maker *m)
{
    for (size_t i = 0; i < m->link->n_same; i++) {
        const struct az_same_id *s = &m->link->same[i];
        if (!is_launch(m, s->first) || !is_launch(m, s->other))
            continue;
        m->same += !(m->flags[s->first] & SAME_ID) + !(m->flags[s->other] & SAME_ID);
        m->flags[s->first] |= SAME_ID;
        m->flags[s->other] |= SAME_ID;
    }
}

static void put_collisions(struct maker *m)
{
    const int64_t launches = m->kernels + m->graphs;
    if (launches > 0 && m->linked > 0)
        set_check(m, AZ_CHECK_CORRELATION_COLLISIONS,
                  status_of_count(m->same, reaches(m->same, launches, 20)), m->same, launches, 0);
}

static uint64_t process_of(const struct maker *m, uint32_t call)
{
    const struct az_lane *l = &m->t->lanes.v[m->t->ev[AZ_CALL].lane[call]];
    return l->proc ? l->proc : l->pid;
}

/* Captures of one process, as they come by. */
struct capture {
    uint64_t process;
    uint32_t open; /* begun and not ended */
};
AZ_VEC(struct capture, captures);

static int capture_of(struct captures *list, uint64_t process, struct capture **out)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].process == process) {
            *out = &list->v[i];
            return 0;
        }
    const int rc = az_vec_push(list, ((struct capture){ .process = process }));
    *out = rc ? NULL : &list->v[list->n - 1];
    return rc;
}

/* The capture had begun before the recording did: launches of the process so far were in it. */
static void forget(struct maker *m, struct az_vec_u32 *rows, uint64_t process, int64_t *launches)
{
    const int64_t before = *launches;
    size_t kept = 0;
    for (size_t i = 0; i < rows->n; i++)
        if (process_of(m, rows->v[i]) != process)
            rows->v[kept++] = rows->v[i];
    *launches -= (int64_t)(rows->n - kept);
    m->r->captured += before - *launches;
    rows->n = kept;
}

static int turn_capture(struct maker *m, struct captures *list, uint32_t call, bool begins)
{
    struct capture *c;
    const int rc = capture_of(list, process_of(m, call), &c);
    if (rc)
        return rc;
    if (begins) {
        c->open++;
    } else if (c->open > 0) {
        c->open--;
    } else {
        forget(m, &m->lost, c->process, &m->kernels);
        forget(m, &m->bare, c->process, &m->graphs);
    }
    return 0;
}

/* Counts a launch, and lists it if it should have device work and has none. */
static int take_launch(struct maker *m, struct captures *list, const struct thread *t, uint32_t row,
                       enum call k)
{
    const bool bare = !(m->flags[row] & (HAS_WORK | SAME_ID));
    const int64_t start = m->t->ev[AZ_CALL].start[row];
    struct capture *c = NULL;
    if (bare && list->n > 0) {
        const int rc = capture_of(list, process_of(m, row), &c);
        if (rc || c->open > 0) {
            m->r->captured += rc == 0;
            return rc;
        }
    }
    if (k == CALL_GRAPH) {
        const bool inside = start >= m->first && start < m->last;
        m->graphs += inside;
        return bare && inside ? az_vec_push(&m->bare, row) : 0;
    }
    m->kernels++;
    /* one that ended the recording is still queued; without device events none is, nor, without
     * kernels, before a copy ends */
    const bool no_kernels = m->t->ev[AZ_KERNEL].n == 0 && m->t->ev[AZ_GRAPH].n == 0;
    return bare && (start < t->last || m->first == INT64_MAX || (no_kernels && start < m->last))
               ? az_vec_push(&m->lost, row)
               : 0;
}

static int take_launches(struct maker *m, const struct thread *threads)
{
    const struct az_events *c = &m->t->ev[AZ_CALL];
    const uint8_t *flags = m->flags;
    struct captures list;
    int rc = 0;
    az_vec_init(&list, m->job->mem);
    for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
        if (!(flags[i] & (IS_KERNEL | IS_TURN)) || flags[i] & IS_INNER)
            continue;
        if (flags[i] & IS_KERNEL && flags[i] & (HAS_WORK | SAME_ID)) { /* most are not lost */
            m->kernels++;
            continue;
        }
        const enum call k = (enum call)m->class_of[c->name[i]];
        rc = k == CALL_BEGIN || k == CALL_END
                 ? turn_capture(m, &list, i, k == CALL_BEGIN)
                 : take_launch(m, &list, &threads[m->thread[c->lane[i]]], i, k);
    }
    az_vec_release(&list);
    return rc;
}

static int make_calls(struct maker *m)
{
    struct thread *threads = az_arena_array(&m->scratch, m->threads + 1, sizeof *threads);
    if (!threads)
        return az_arena_error(&m->scratch);
    for (size_t i = 0; i < m->threads; i++)
        threads[i] = (struct thread){ AZ_NO_ROW, INT64_MIN };
    const int rc = read_calls(m, threads);
    find_same(m);
    return rc ? rc : take_launches(m, threads);
}

static void put_lost(struct maker *m)
{
    const int64_t n = (int64_t)m->lost.n;
    if (m->kernels > 0)
        set_check(m, AZ_CHECK_LOST_DEVICE_EVENTS, status_of_count(n, reaches(n, m->kernels, 20)), n,
                  m->kernels, 0);
}

static const uint32_t *kept_rows(struct az_job *job, const struct az_vec_u32 *v, size_t *n)
{
    uint32_t *rows = az_arena_array(job->arena, v->n + 1, sizeof *rows);
    if (rows && v->n)
        memcpy(rows, v->v, v->n * sizeof *rows);
    *n = rows ? v->n : 0;
    return rows;
}

/* ---- graphs without device events ---- */
struct gap_sum {
    struct maker *m;
    int64_t ticks;
    uint32_t devices;
};

static uint32_t launch_of(const struct maker *m, uint32_t op)
{
    const uint32_t *call = m->link->call[az_op_kind(op)];
    return call ? call[az_op_row(op)] : AZ_NO_ROW;
}

static int add_gap(void *ctx, const struct az_idle_gap *g)
{
    struct gap_sum *s = ctx;
    s->devices = g->slot + 1 > s->devices ? g->slot + 1 : s->devices;
    if (az_trust_gap_has_graph(s->m->r, s->m->t, g->start, g->end, launch_of(s->m, g->before),
                               launch_of(s->m, g->after)))
        s->ticks = az_add_sat(s->ticks, g->end - g->start);
    return 0;
}

static int put_graphs(struct maker *m)
{
    struct gap_sum s = { .m = m };
    const int64_t n = (int64_t)m->bare.n;
    if (m->graphs == 0)
        return 0;
    const int rc = n ? az_idle_gaps(m->job, m->trace, add_gap, &s) : 0;
    const int64_t ticks = s.devices > 1 ? s.ticks / s.devices : s.ticks;
    set_check(m, AZ_CHECK_GRAPH_UNRECORDED,
              status_of_count(n, reaches(ticks, m->last - m->first, 20)), n, m->graphs, ticks);
    return rc;
}

/* ---- work launched before the recording ---- */
/* Of each lane of the device its first event; AZ_NO_ROW: none. */
static uint32_t *first_of_lanes(struct maker *m)
{
    uint32_t *first = az_arena_array(&m->scratch, m->t->lanes.n + 1, sizeof *first);
    for (size_t i = 0; first && i < m->t->lanes.n; i++)
        first[i] = AZ_NO_ROW;
    for (size_t k = 0; first && k < AZ_LENGTH(device_kinds); k++) {
        const struct az_events *e = &m->t->ev[device_kinds[k]];
        for (size_t i = 0; i < e->n; i++) {
            uint32_t *of = &first[e->lane[i]];
            if (*of == AZ_NO_ROW || e->start[i] < m->t->ev[az_op_kind(*of)].start[az_op_row(*of)])
                *of = az_op_word(device_kinds[k], i);
        }
    }
    return first;
}

/* How long an event was in its queue after its launch call; 0: no launch is recorded. */
static int64_t queued_ticks(const struct maker *m, uint32_t op)
{
    const uint32_t call = launch_of(m, op);
    if (call == AZ_NO_ROW || is_migration(m->t, az_op_kind(op), az_op_row(op)))
        return 0;
    return m->t->ev[az_op_kind(op)].start[az_op_row(op)] - m->t->ev[AZ_CALL].end[call];
}

struct early_sum {
    struct maker *m;
    const uint32_t *first; /* of each lane */
    int64_t least, ticks;
    uint32_t devices;
    struct az_vec_u32 after; /* operations that end such a gap */
};

static int add_early_gap(void *ctx, const struct az_idle_gap *g)
{
    struct early_sum *s = ctx;
    const struct az_events *e = &s->m->t->ev[az_op_kind(g->after)];
    const int64_t length = g->end - g->start;
    s->devices = g->slot + 1 > s->devices ? g->slot + 1 : s->devices;
    if (length < s->least || is_migration(s->m->t, az_op_kind(g->before), az_op_row(g->before)) ||
        s->first[e->lane[az_op_row(g->after)]] != g->after ||
        queued_ticks(s->m, g->after) < length - length / 2)
        return 0;
    s->ticks = az_add_sat(s->ticks, length);
    return az_vec_push(&s->after, g->after);
}

/* A stream begins with work that was launched long before, and nothing else runs: it may have
 * waited for work of its stream that was launched before the recording began and is not in it. */
static int put_earlier(struct maker *m)
{
    const int64_t least =
        az_whole(m->job->opts->launch_spacing_us * 1e3 * (double)m->t->ticks_per_ns);
    struct early_sum s = { .m = m, .first = first_of_lanes(m), .least = least > 0 ? least : 1 };
    size_t streams = 0, late = 0;
    int rc = s.first ? 0 : az_arena_error(&m->scratch);
    for (size_t i = 0; rc == 0 && i < m->t->lanes.n; i++) {
        streams += s.first[i] != AZ_NO_ROW;
        late += s.first[i] != AZ_NO_ROW && queued_ticks(m, s.first[i]) >= s.least / 2;
    }
    if (rc || m->linked == 0)
        return rc;
    az_vec_init(&s.after, m->job->mem);
    if (late && streams > 1)
        rc = az_idle_gaps(m->job, m->trace, add_early_gap, &s);
    if (rc == 0)
        m->r->early = kept_rows(m->job, &s.after, &m->r->n_early);
    const int64_t ticks = s.devices > 1 ? s.ticks / s.devices : s.ticks, n = (int64_t)s.after.n;
    set_check(m, AZ_CHECK_EARLIER_WORK, status_of_count(n, reaches(ticks, m->last - m->first, 20)),
              n, (int64_t)streams, ticks);
    az_vec_release(&s.after);
    return rc;
}

/* ---- families ---- */
/* One process of several: a kernel without a class may be communication. */
static bool is_in_world(const struct maker *m)
{
    return m->t->world_size > 1 || m->job->n_traces > 1 || (m->job->texts && !m->job->alone);
}

static bool is_unknown(struct maker *m, uint32_t id)
{
    const uint32_t number = az_job_name(m->job, m->trace, id);
    if (number == AZ_NO_ID)
        return true;
    const struct az_kernel_class *c = az_job_kernel(m->job, number);
    return c->family == AZ_FAMILY_OTHER && !c->copies && az_job_user_class(m->job, number).n == 0;
}

static void put_unknown(struct maker *m, int64_t n, int64_t of, int64_t ticks, int64_t whole)
{
    if (of == 0)
        return;
    const bool fails = n > 0 && is_in_world(m) && reaches(ticks, whole, 4);
    set_check(m, AZ_CHECK_UNKNOWN_KERNELS,
              fails                ? AZ_CHECK_FAIL
              : ticks > whole / 20 ? AZ_CHECK_WARN
                                   : AZ_CHECK_PASS,
              n, of, ticks);
}

static int make_families(struct maker *m)
{
    const struct az_events *e = &m->t->ev[AZ_KERNEL];
    const bool tpu = (m->t->caps & AZ_CAP_PROGRAMS) != 0 && az_has_tpu(m->t);
    int64_t n = 0, ticks = 0, whole = 0;
    int rc = 0;
    uint8_t *known = az_arena_array(&m->scratch, m->t->names.text.n + 1, 1);
    const struct az_row_work *work = tpu ? az_job_row_work(m->job, m->trace, &rc) : NULL;
    const int64_t *self = tpu && rc == 0 ? az_job_self_ticks(m->job, m->trace, &rc) : NULL;
    if (!known)
        return az_arena_error(&m->scratch);
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const uint32_t name = e->name[i];
        const struct az_row_work *is = work && e->node && e->node[i] ? &work[e->node[i] - 1] : NULL;
        const int64_t own = self ? self[i] : e->end[i] - e->start[i];
        bool unknown = name == AZ_NO_ID;
        if (is && is->known) {
            unknown = is->family == AZ_FAMILY_OTHER;
        } else if (!unknown) {
            if (!known[name])
                known[name] = is_unknown(m, name) ? 2 : 1;
            unknown = known[name] == 2;
        }
        n += unknown;
        ticks = az_add_sat(ticks, unknown ? own : 0);
        whole = az_add_sat(whole, own);
    }
    put_unknown(m, n, (int64_t)e->n, ticks, whole);
    return rc;
}

/* ---- what was counted before ---- */
static void put_read(struct maker *m)
{
    const struct az_trace_quality *q = &m->t->quality;
    const int64_t events = (int64_t)q->device_events, impossible = (int64_t)q->impossible,
                  clipped = (int64_t)q->clipped;
    int64_t streams = 0, in_order = 0, skipped_ticks = 0;
    for (size_t k = 0; k < AZ_LENGTH(device_kinds); k++)
        if (m->t->in_order & (1u << device_kinds[k]))
            in_order += (int64_t)m->t->ev[device_kinds[k]].n;
    for (size_t i = 0; i < m->t->lanes.n; i++)
        streams += az_trace_lane_kinds(m->t, i) != 0;
    for (size_t i = 0; i < m->t->skipped.n; i++)
        skipped_ticks = az_add_sat(skipped_ticks, m->t->skipped.v[i].ticks);
    if (events > 0)
        set_check(m, AZ_CHECK_IMPOSSIBLE_TIMES,
                  status_of_count(impossible, reaches(impossible, events, 20)), impossible, events,
                  0);
    if (in_order > 0)
        set_check(m, AZ_CHECK_STREAM_OVERLAP,
                  status_of_count(clipped, reaches(q->clipped_ticks, m->last - m->first, 20)),
                  clipped, in_order, q->clipped_ticks);
    if (streams > 0 || m->t->skipped.n > 0)
        set_check(m, AZ_CHECK_SKIPPED_DEVICE_WORK, status_of_count((int64_t)m->t->skipped.n, false),
                  (int64_t)m->t->skipped.n, streams + (int64_t)m->t->skipped.n, skipped_ticks);
    set_check(m, AZ_CHECK_TRUNCATED_INPUT, status_of_count(m->t->truncated, true), m->t->truncated,
              1, 0);
}

static int put_steps(struct maker *m)
{
    int rc = 0;
    const struct az_steps *s =
        m->linked + m->unlinked > 0 ? az_job_steps(m->job, m->trace, &rc) : NULL;
    if (s && s->marks > 0)
        set_check(m, AZ_CHECK_STEP_MARKS,
                  status_of_count((int64_t)s->empty_marks, s->empty_marks * 2 > s->marks),
                  (int64_t)s->empty_marks, (int64_t)s->marks, 0);
    return rc;
}

/* ---- the whole ---- */
static int prepare(struct maker *m)
{
    int rc;
    m->link = az_job_link(m->job, m->trace, &rc);
    if (!m->link)
        return rc;
    m->class_of = az_arena_array(&m->scratch, m->t->names.text.n + 1, 1);
    m->flags = az_arena_array(&m->scratch, m->t->ev[AZ_CALL].n + 1, 1);
    m->thread = az_threads_of_lanes(m->t, &m->scratch, m->job->mem, &m->threads, &rc);
    return !m->class_of || !m->flags ? az_arena_error(&m->scratch) : rc;
}

static int make_checks(struct maker *m)
{
    int rc = prepare(m);
    for (size_t k = 0; rc == 0 && k < AZ_LENGTH(device_kinds); k++)
        rc = look_at_kind(m, device_kinds[k]);
    if (rc == 0)
        rc = make_calls(m);
    if (rc == 0)
        rc = make_families(m);
    if (rc)
        return rc;
    m->r->lost = kept_rows(m->job, &m->lost, &m->r->n_lost);
    m->r->bare = kept_rows(m->job, &m->bare, &m->r->n_bare);
    if (!m->r->lost || !m->r->bare)
        return az_arena_error(m->job->arena);
    m->r->launches = m->kernels + m->r->captured;
    put_lost(m);
    put_collisions(m);
    put_unlinked(m);
    put_read(m);
    rc = put_launch_order(m);
    if (rc == 0)
        rc = put_graphs(m);
    if (rc == 0)
        rc = put_earlier(m);
    return rc ? rc : put_steps(m);
}

static int make_trust(struct az_job *job, size_t trace, struct az_trust *r)
{
    const struct az_trace *t = job->traces[trace];
    struct maker m = {
        .job = job, .trace = trace, .t = t, .r = r, .first = INT64_MAX, .last = INT64_MIN
    };
    if (t->caps & AZ_CAP_OPREPORT)
        return 0; /* rows of a table: their analysis has checks of its own */
    az_arena_init(&m.scratch, job->mem);
    az_vec_init(&m.leads, job->mem);
    az_vec_init(&m.lost, job->mem);
    az_vec_init(&m.bare, job->mem);
    const int rc = make_checks(&m);
    az_vec_release(&m.bare);
    az_vec_release(&m.lost);
    az_vec_release(&m.leads);
    az_arena_release(&m.scratch);
    return rc;
}
const struct az_trust *az_job_trust(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    void **of = slot ? *slot : NULL;
    *rc = of ? 0 : az_arena_error(job->arena);
    if (of && !of[trace]) {
        struct az_trust *r = az_arena_alloc(job->arena, sizeof *r);
        *rc = r ? make_trust(job, trace, r) : az_arena_error(job->arena);
        of[trace] = *rc ? NULL : r;
    }
    const struct az_trust *made = of ? of[trace] : NULL;
    az_job_leave(job, slot);
    return made;
}

/* The first of the rows whose call begins at `tick` or later. */
static size_t first_from(const uint32_t *row, size_t n, const int64_t *start, int64_t tick)
{
    size_t lo = 0;
    while (lo < n) {
        const size_t mid = lo + (n - lo) / 2;
        if (start[row[mid]] < tick)
            lo = mid + 1;
        else
            n = mid;
    }
    return lo;
}

static bool gap_holds(const uint32_t *row, size_t n, const struct az_trace *t, int64_t gap_start,
                      int64_t gap_end, uint32_t before, uint32_t after)
{
    const int64_t *start = t->ev[AZ_CALL].start;
    if (n == 0)
        return false;
    size_t i = first_from(row, n, start, gap_start);
    if (i < n && start[row[i]] < gap_end)
        return true;
    if (before == AZ_NO_ROW || after == AZ_NO_ROW)
        return false;
    const int64_t a = start[before], b = start[after];
    const int64_t from = a < b ? a : b, to = a < b ? b : a;
    i = from < INT64_MAX ? first_from(row, n, start, from + 1) : n;
    return i < n && start[row[i]] < to;
}

bool az_trust_gap_has_lost(const struct az_trust *r, const struct az_trace *t, int64_t gap_start,
                           int64_t gap_end, uint32_t launch_before, uint32_t launch_after)
{
    return gap_holds(r->lost, r->n_lost, t, gap_start, gap_end, launch_before, launch_after);
}

bool az_trust_gap_has_graph(const struct az_trust *r, const struct az_trace *t, int64_t gap_start,
                            int64_t gap_end, uint32_t launch_before, uint32_t launch_after)
{
    return gap_holds(r->bare, r->n_bare, t, gap_start, gap_end, launch_before, launch_after);
}

bool az_trust_is_early(const struct az_trust *r, uint32_t after)
{
    for (size_t i = 0; i < r->n_early; i++)
        if (r->early[i] == after)
            return true;
    return false;
}
