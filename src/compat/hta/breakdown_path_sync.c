/* Waiting, as edges of a critical path: a call that waits for the device ends no earlier than the
 * work it waits for, and a stream that waits for an event goes on no earlier than the work before
 * that event. Wait targets come from the device-side records of the trace; without them, a
 * wait for the whole device is exact, and one for a stream or an event is taken to be for the last
 * work that ends inside the call. */
#include "compat/hta/breakdown_path.h"

int az_hta_path_edge(struct az_hta_path_graph *g, uint32_t from, uint32_t to,
                     enum az_hta_path_type type, int64_t weight, uint32_t event)
{
    if (from == to || az_hta_path_time(g, from) > az_hta_path_time(g, to))
        return AZ_OK;
    return az_vec_push(&g->edges,
                       ((struct az_hta_path_edge){ from, to, event, (uint8_t)type, weight }));
}

struct waiting {
    struct az_hta_path_graph *g;
    struct az_map sync;   /* correlation -> row of ev[AZ_SYNC] */
    struct az_map record; /* correlation -> row of the call that recorded an event */
    bool known;           /* the trace has correlations and such records */
};

/* Launch times are compared by call, so that work of the same stream launched later does not count.
 */
static int64_t launched(const struct az_hta_path_graph *g, uint32_t op)
{
    return az_hta_call_start(g->b, g->b->op[op].call);
}

enum { LOOK_BACK = 10000 }; /* operations that one wait may skip */

/* Last work of a stream that was launched before `by` and ended by `end`: event, UINT32_MAX if
 * none. */
static uint32_t last_work(const struct az_hta_path_graph *g, const struct az_hta_stream *s,
                          int64_t by, int64_t end)
{
    size_t lo = 0, hi = s->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (g->b->op[g->b->by_stream[s->first + mid]].start <= end)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t left = LOOK_BACK; lo > 0 && left > 0; lo--, left--) {
        const uint32_t i = g->b->by_stream[s->first + lo - 1];
        if (g->of_op[i] && launched(g, i) <= by && g->b->op[i].end <= end)
            return g->of_op[i] - 1;
        if (!g->of_op[i] && g->b->op[i].start < g->lo)
            break;
    }
    return UINT32_MAX;
}

/* First work of a stream that was launched at or after `by`: a stream works in the order of its
 * launches. */
static uint32_t next_work(const struct az_hta_path_graph *g, const struct az_hta_stream *s,
                          int64_t by)
{
    size_t lo = 0, hi = s->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (launched(g, g->b->by_stream[s->first + mid]) < by)
            lo = mid + 1;
        else
            hi = mid;
    }
    const uint32_t i = lo < s->n ? g->b->by_stream[s->first + lo] : UINT32_MAX;
    return i != UINT32_MAX && g->of_op[i] ? g->of_op[i] - 1 : UINT32_MAX;
}

static const struct az_hta_stream *stream_by_number(const struct az_hta *b, int64_t device,
                                                    int64_t stream)
{
    for (size_t k = 0; k < b->n_streams; k++)
        if (b->stream[k].stream == stream && (device < 0 || b->stream[k].device == device))
            return &b->stream[k];
    return NULL;
}

static int edge_to_end(struct az_hta_path_graph *g, uint32_t work, uint32_t call)
{
    return work == UINT32_MAX
               ? AZ_OK
               : az_hta_path_edge(g, 2 * work + 1, 2 * call + 1, AZ_HTA_PATH_SYNC, 0, call);
}

/* For the whole device: the last work of every stream. */
static int whole_device(struct az_hta_path_graph *g, uint32_t call)
{
    int rc = 0;
    for (size_t k = 0; rc == 0 && k < g->b->n_streams; k++)
        rc = edge_to_end(g, last_work(g, &g->b->stream[k], g->ev.v[call].start, g->ev.v[call].end),
                         call);
    return rc;
}

/* The work is not recorded: the work that ends last inside the call. */
static int inferred(struct az_hta_path_graph *g, uint32_t call)
{
    const struct az_hta_path_event *c = &g->ev.v[call];
    uint32_t last = UINT32_MAX;
    for (size_t k = 0; k < g->b->n_streams; k++) {
        const uint32_t w = last_work(g, &g->b->stream[k], c->waits ? c->end : c->start, c->end);
        if (w != UINT32_MAX && g->ev.v[w].end > c->start &&
            (last == UINT32_MAX || g->ev.v[w].end > g->ev.v[last].end))
            last = w;
    }
    g->inferred += last != UINT32_MAX;
    return edge_to_end(g, last, call);
}

/* Time by which work counts that an event stands for: the call that recorded it, else the waiting
 * call itself. */
static int64_t recorded(const struct waiting *w, const struct az_sync *s, int64_t otherwise)
{
    const uint32_t row = s->record_corr ? az_map_get(&w->record, s->record_corr, 0) : AZ_NO_ID;
    return row == AZ_NO_ID ? otherwise : w->g->b->trace->ev[AZ_CALL].start[row];
}

static const struct az_sync no_detail = { .wait_stream = -1, .record_corr = 0 };

static int one_call(struct waiting *w, uint32_t row, enum az_hta_call class)
{
    struct az_hta_path_graph *g = w->g;
    const struct az_trace *t = g->b->trace;
    const struct az_events *syncs = &t->ev[AZ_SYNC];
    const uint32_t call = g->of_call[row] - 1;
    const uint32_t at = w->known ? az_map_get(&w->sync, t->ev[AZ_CALL].corr[row], 0) : AZ_NO_ID;
    if (class == AZ_HTA_DEVICE_SYNC)
        return whole_device(g, call);
    if (at == AZ_NO_ID)
        return class == AZ_HTA_STREAM_WAIT ? AZ_OK : inferred(g, call);
    const struct az_sync *s =
        syncs->side[at] == AZ_NO_ROW ? &no_detail : &az_optrace(t)->syncs.v[syncs->side[at]];
    const struct az_lane *lane = &t->lanes.v[syncs->lane[at]];
    const int64_t own = lane->context > INT64_MAX ? -1 : (int64_t)lane->context;
    const int64_t other = s->wait_stream >= 0 ? s->wait_stream : own;
    const struct az_hta_stream *from =
        stream_by_number(g->b, lane->device, class == AZ_HTA_STREAM_SYNC ? own : other);
    if (!from)
        return class == AZ_HTA_STREAM_WAIT ? AZ_OK : inferred(g, call);
    if (class != AZ_HTA_STREAM_WAIT)
        return edge_to_end(
            g, last_work(g, from, recorded(w, s, g->ev.v[call].start), g->ev.v[call].end), call);
    const struct az_hta_stream *to = stream_by_number(g->b, lane->device, own);
    const uint32_t next = to && to != from ? next_work(g, to, g->ev.v[call].start) : UINT32_MAX;
    if (next == UINT32_MAX)
        return AZ_OK;
    const uint32_t before =
        last_work(g, from, recorded(w, s, g->ev.v[call].start), g->ev.v[next].start);
    return before == UINT32_MAX
               ? AZ_OK
               : az_hta_path_edge(g, 2 * before + 1, 2 * next, AZ_HTA_PATH_SYNC, 0, next);
}

static int index_records(struct waiting *w)
{
    const struct az_trace *t = w->g->b->trace;
    const struct az_events *syncs = &t->ev[AZ_SYNC], *calls = &t->ev[AZ_CALL];
    uint32_t *value;
    bool added;
    int rc = 0;
    w->known = syncs->n && (syncs->cols & AZ_COL_CORR) && (syncs->cols & AZ_COL_SIDE) &&
               (calls->cols & AZ_COL_CORR);
    for (uint32_t i = 0; rc == 0 && w->known && i < syncs->n; i++)
        rc = az_map_put(&w->sync, syncs->corr[i], 0, i, &value, &added);
    for (uint32_t i = 0; rc == 0 && w->known && i < calls->n; i++)
        if (az_hta_call_of(w->g->b, i) == AZ_HTA_EVENT_RECORD)
            rc = az_map_put(&w->record, calls->corr[i], 0, i, &value, &added);
    return rc;
}

int az_hta_path_syncs(struct az_hta_path_graph *g)
{
    const struct az_events *calls = &g->b->trace->ev[AZ_CALL];
    struct waiting w = { .g = g };
    az_map_init(&w.sync, g->job->mem, 64);
    az_map_init(&w.record, g->job->mem, 64);
    int rc = index_records(&w);
    for (uint32_t i = 0; rc == 0 && i < calls->n; i++) {
        const enum az_hta_call class = g->of_call[i] ? az_hta_call_of(g->b, i) : AZ_HTA_NO_CALL;
        if ((class >= AZ_HTA_DEVICE_SYNC && class <= AZ_HTA_STREAM_WAIT) ||
            class == AZ_HTA_BLOCKING_COPY)
            rc = one_call(&w, i, class);
    }
    az_map_release(&w.sync);
    az_map_release(&w.record);
    return rc;
}
