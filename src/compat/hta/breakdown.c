/* Device work of a rank, prepared for its breakdowns. */
#include "compat/hta/breakdown.h"

#include "base/data.h"
#include "base/num.h"
#include "base/sort.h"
#include "classify/rules.h"
#include "facts/devices.h"
#include "facts/lazy_cache.h"

/* ---- names ---- */
struct az_sv az_hta_rule(const char *group, struct az_sv name)
{
    return az_rules_class("trace_names.rules", group, name);
}

static const char *const type_text[AZ_HTA_TYPES] = { "COMPUTATION", "COMMUNICATION", "MEMORY",
                                                     "OTHER" };
static const char *const call_text[AZ_HTA_CALLS] = { "",
                                                     "launch",
                                                     "copy",
                                                     "fill",
                                                     "graph",
                                                     "device_sync",
                                                     "stream_sync",
                                                     "event_sync",
                                                     "stream_wait",
                                                     "event_record",
                                                     "blocking_copy" };
struct az_sv az_hta_type_text(enum az_hta_type type) { return az_sv_str(type_text[type]); }
struct az_sv az_hta_call_text(enum az_hta_call call) { return az_sv_str(call_text[call]); }

static enum az_hta_type type_of_name(const struct az_hta *b, uint32_t name)
{
    if (az_trace_is_comm(b->trace, name))
        return AZ_HTA_COMMUNICATION;
    const struct az_sv class = az_hta_rule("kernel", az_hta_text(b, name));
    for (int k = 0; k < AZ_HTA_TYPES; k++)
        if (az_sv_is(class, type_text[k]))
            return (enum az_hta_type)k;
    return AZ_HTA_COMPUTATION;
}

enum az_hta_call az_hta_call_of(struct az_hta *b, uint32_t row)
{
    const uint32_t name = b->trace->ev[AZ_CALL].name[row];
    if (name == AZ_NO_ID)
        return AZ_HTA_NO_CALL;
    if (!b->call_class[name]) {
        const struct az_sv class = az_hta_rule("call", az_trace_text(b->trace, name));
        int k = AZ_HTA_CALLS - 1;
        while (k > 0 && !az_sv_is(class, call_text[k]))
            k--;
        b->call_class[name] = (uint8_t)(k + 1);
    }
    return (enum az_hta_call)(b->call_class[name] - 1);
}

/* ---- steps ---- */
static bool is_step(struct az_sv name, int64_t *number)
{
    static const struct az_sv head = { "ProfilerStep#", 13 };
    return az_sv_starts(name, head) &&
           az_parse_i64(az_sv_make(name.p + head.n, name.n - head.n), number) == 0;
}

/* Profiler steps; of two or more different ones the last is dropped, unless it is to be kept: what
 * was launched from its start on does not count. */
static int find_steps(struct az_hta *b, struct az_arena *a)
{
    const struct az_events *e = &b->trace->ev[AZ_RANGE];
    bool several = false;
    int64_t number;
    size_t n = 0;
    b->cut = INT64_MAX;
    if (!b->tree)
        return AZ_OK;
    for (size_t i = 0; i < e->n; i++)
        n += is_step(az_hta_text(b, e->name[i]), &number);
    b->step = az_arena_array(a, n + 1, sizeof *b->step);
    if (!b->step)
        return az_arena_error(a);
    for (size_t i = 0; i < e->n; i++) {
        if (!is_step(az_hta_text(b, e->name[i]), &number))
            continue;
        b->step[b->n_steps++] = (struct az_hta_step){ e->start[i], e->end[i], number };
        several |= number != b->step[0].number;
    }
    if (several && !az_sv_is(b->opts->last_step, "keep")) {
        b->cut = b->step[b->n_steps - 1].start;
        while (b->n_steps && b->step[b->n_steps - 1].start == b->cut)
            b->n_steps--;
    }
    return AZ_OK;
}

ptrdiff_t az_hta_step_at(const struct az_hta *b, int64_t tick)
{
    const size_t lo = AZ_UPPER_BY(b->step, b->n_steps, start, tick);
    return lo && tick < b->step[lo - 1].end ? (ptrdiff_t)lo - 1 : -1;
}

/* ---- calls of device work ---- */
/* By kind and row. NULL where nothing is known. */
struct calls {
    uint32_t *of[AZ_KIND_COUNT];
};

static int calls_of_tree(const struct az_hta *b, struct az_arena *a, struct calls *c)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
    const struct az_calltree *tree = b->tree;
    for (size_t k = 0; k < 3; k++)
        if (!(c->of[kinds[k]] = az_arena_array(a, b->trace->ev[kinds[k]].n + 1, sizeof **c->of)))
            return az_arena_error(a);
    for (uint32_t g = 0; g < tree->n_gpu; g++)
        c->of[tree->gpu_kind[g]][tree->gpu_row[g]] =
            tree->gpu_call[g] == AZ_NO_ROW ? AZ_NO_ROW : tree->gpu_call[g] - tree->first_call;
    return AZ_OK;
}

static int calls_of_link(struct az_job *job, struct calls *c)
{
    int rc = AZ_OK;
    if (!(job->traces[0]->ev[AZ_CALL].cols & AZ_COL_CORR))
        return AZ_OK;
    const struct az_link *link = az_job_link(job, 0, &rc);
    if (link)
        memcpy(c->of, link->call, sizeof c->of);
    return rc;
}

/* ---- device work ---- */
static int list_ops(struct az_hta *b, struct az_arena *a, const struct calls *c)
{
    const struct az_trace *t = b->trace;
    struct az_sweep sweep = { .t = t };
    uint8_t *type = az_arena_array(a, t->names.text.n + 1, 1); /* name id -> type + 1 */
    size_t n = t->ev[AZ_KERNEL].n + t->ev[AZ_MEMCPY].n + t->ev[AZ_MEMSET].n + t->ev[AZ_GRAPH].n;
    uint32_t word;
    b->op = az_arena_array(a, n + 1, sizeof *b->op);
    if (!type || !b->op)
        return az_arena_error(a);
    while (az_sweep_next(&sweep, &word)) {
        const enum az_kind kind = az_op_kind(word);
        const uint32_t row = az_op_row(word), name = t->ev[kind].name[row];
        const uint32_t call = c->of[kind] ? c->of[kind][row] : AZ_NO_ROW;
        if (b->cut != INT64_MAX && (call == AZ_NO_ROW || az_hta_call_start(b, call) >= b->cut)) {
            b->left_out++;
            continue;
        }
        uint8_t *known = &type[name == AZ_NO_ID ? t->names.text.n : name];
        if (!*known)
            *known = (uint8_t)(type_of_name(b, name) + 1);
        b->op[b->n++] = (struct az_hta_op){
            .start = t->ev[kind].start[row],
            .end = t->ev[kind].end[row],
            .name = name,
            .lane = t->ev[kind].lane[row],
            .call = call,
            .row = row,
            .kind = (uint8_t)kind,
            .type = kind == AZ_MEMCPY || kind == AZ_MEMSET ? AZ_HTA_MEMORY : (uint8_t)(*known - 1),
        };
    }
    return AZ_OK;
}

static struct az_hta_stream stream_of(const struct az_hta *b, uint32_t lane)
{
    const struct az_lane *l = &b->trace->lanes.v[lane];
    const uint64_t number = b->tree ? l->context : l->tid;
    return (struct az_hta_stream){ .device = l->device,
                                   .stream = number > INT64_MAX ? -1 : (int64_t)number };
}

static int compare_streams(const void *x, const void *y, void *ctx)
{
    const struct az_hta_stream *a = x, *b = y;
    (void)ctx;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->stream < b->stream ? -1 : a->stream > b->stream;
}

/* Streams of the lanes that work was done on, each once; of_lane: lane -> its place + 1 among them.
 */
static int distinct_streams(struct az_hta *b, uint32_t *of_lane, struct az_mem *mem)
{
    struct az_map seen;
    int rc = 0;
    az_map_init(&seen, mem, 64);
    for (size_t i = 0; i < b->n; i++)
        of_lane[b->op[i].lane] = 1;
    for (uint32_t l = 0; rc == 0 && l < b->trace->lanes.n; l++) {
        const struct az_hta_stream s = stream_of(b, l);
        uint32_t *place;
        bool added;
        if (!of_lane[l])
            continue;
        rc = az_map_put(&seen, (uint64_t)s.device, (uint64_t)s.stream, (uint32_t)b->n_streams,
                        &place, &added);
        if (rc)
            break;
        of_lane[l] = *place + 1;
        if (added)
            b->stream[b->n_streams++] = s;
    }
    az_map_release(&seen);
    return rc;
}

/* Streams in order, and the work of each by start. */
static int list_streams(struct az_hta *b, struct az_arena *a, struct az_mem *mem)
{
    const size_t lanes = b->trace->lanes.n;
    uint32_t *of_lane = az_arena_array(a, lanes + 1, sizeof *of_lane),
             *sorted = az_arena_array(a, lanes + 1, sizeof *sorted);
    b->stream = az_arena_array(a, lanes + 1, sizeof *b->stream);
    b->by_stream = az_arena_array(a, b->n + 1, sizeof *b->by_stream);
    if (!of_lane || !sorted || !b->stream || !b->by_stream)
        return az_arena_error(a);
    int rc = distinct_streams(b, of_lane, mem);
    for (uint32_t k = 0; k < b->n_streams; k++)
        b->stream[k].first = k; /* where it was, through the sorting */
    if (rc == 0)
        az_sort_cmp(b->stream, b->n_streams, sizeof *b->stream, compare_streams, NULL, mem);
    if (rc)
        return rc;
    for (uint32_t k = 0; k < b->n_streams; k++)
        sorted[b->stream[k].first] = k;
    for (size_t i = 0; i < b->n; i++)
        b->stream[sorted[of_lane[b->op[i].lane] - 1]].n++;
    for (uint32_t k = 0, at = 0; k < b->n_streams; k++) {
        b->stream[k].first = at;
        at += b->stream[k].n;
        b->stream[k].n = 0;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        struct az_hta_stream *s = &b->stream[sorted[of_lane[b->op[i].lane] - 1]];
        b->by_stream[s->first + s->n++] = i;
    }
    return AZ_OK;
}

/* From the first to the last event that counts. */
static void window(struct az_hta *b)
{
    static const enum az_kind host[] = { AZ_HOST_OP, AZ_CALL };
    b->first = INT64_MAX;
    b->last = INT64_MIN;
    for (size_t i = 0; i < b->n; i++) {
        b->first = b->op[i].start < b->first ? b->op[i].start : b->first;
        b->last = b->op[i].end > b->last ? b->op[i].end : b->last;
    }
    for (size_t k = 0; k < 2; k++) {
        const struct az_events *e = &b->trace->ev[host[k]];
        for (size_t i = 0; i < e->n && e->start[i] < b->cut; i++) {
            b->first = e->start[i] < b->first ? e->start[i] : b->first;
            b->last = e->end[i] > b->last ? e->end[i] : b->last;
        }
    }
}

static int make_breakdown(struct az_job *job, struct az_hta *b)
{
    struct calls calls = { .of = { NULL } };
    b->trace = job->traces[0];
    b->opts = job->opts;
    b->job = job;
    b->tree = b->trace->caps & AZ_CAP_CALLTREE ? az_tree(b->trace) : NULL;
    b->call_class = az_arena_array(job->arena, b->trace->names.text.n + 1, 1);
    int rc = b->call_class ? find_steps(b, job->arena) : az_arena_error(job->arena);
    if (rc == 0)
        rc = b->tree ? calls_of_tree(b, job->arena, &calls) : calls_of_link(job, &calls);
    if (rc == 0)
        rc = list_ops(b, job->arena, &calls);
    if (rc == 0)
        rc = list_streams(b, job->arena, job->mem);
    if (rc == 0)
        window(b);
    return rc;
}

struct az_hta *az_hta_get(struct az_job *job, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    *rc = slot ? 0 : az_arena_error(job->arena);
    if (slot && !*slot) {
        struct az_hta *b = az_arena_alloc(job->arena, sizeof *b);
        *rc = b ? make_breakdown(job, b) : az_arena_error(job->arena);
        if (*rc == 0)
            *slot = b;
    }
    struct az_hta *made = slot ? *slot : NULL;
    az_job_leave(job, slot);
    return made;
}
