/* idle_gaps: where the device waited, and what the host did meanwhile. */
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

#define GAPS 50 /* rows shown */

struct gap {
    int64_t device, start, end;
    uint32_t before, after; /* gpu numbers */
};
struct work {
    struct az_job *job;
    struct az_framework *fw;
    struct gap gap[GAPS]; /* the largest, in order */
    size_t shown, found;
    struct az_vec_u32 blocking; /* calls that wait for the device, rows by start */
    struct az_vec_i64 reach;    /* latest end of those up to here */
};

/* The longer first, then the earlier, then by device. */
static bool before(const struct gap *x, const struct gap *y)
{
    int64_t dx = x->end - x->start, dy = y->end - y->start;
    if (dx != dy)
        return dx > dy;
    return x->start != y->start ? x->start < y->start : x->device < y->device;
}

/* Keeps a gap if it is one of the largest so far. */
static void keep_gap(struct work *w, const struct gap *gap)
{
    w->found++;
    if (w->shown == GAPS && !before(gap, &w->gap[GAPS - 1]))
        return;
    size_t i = w->shown < GAPS ? w->shown++ : GAPS - 1;
    for (; i > 0 && before(gap, &w->gap[i - 1]); i--)
        w->gap[i] = w->gap[i - 1];
    w->gap[i] = *gap;
}

/* Gaps between device events of each device, all streams together. */
static int find_gaps(struct work *w)
{
    struct az_map last;  /* device -> its latest-ending event */
    uint32_t *at = NULL; /* of the device of the event before */
    int64_t of = 0;
    int rc = 0;
    az_map_init(&last, w->job->mem, 16);
    for (uint32_t i = 0; rc == 0 && i < w->fw->tree->n_gpu; i++) {
        const uint32_t g = w->fw->order[i];
        struct az_event e = az_gpu_event(w->fw->tree, g);
        int64_t device = w->fw->trace->lanes.v[e.lane].device;
        bool added = false;
        if (!at || device != of)
            rc = az_map_put(&last, (uint64_t)device, 0, g, &at, &added);
        of = device;
        if (rc || added)
            continue;
        int64_t end = az_gpu_event(w->fw->tree, *at).end;
        if (e.start > end)
            keep_gap(w, &(struct gap){ device, end, e.start, *at, g });
        if (e.end >= end)
            *at = g;
    }
    az_map_release(&last);
    return rc;
}

/* The calls that block the host until the device is done, with the latest end so far, so that those
 * before a gap are skipped at once. */
static int find_blocking(struct work *w)
{
    const struct az_events *c = &w->fw->trace->ev[AZ_CALL];
    size_t names = w->fw->trace->names.text.n + 1;
    uint8_t *known = az_arena_array(w->job->arena, names, 1); /* 1 no, 2 yes */
    int rc = known ? 0 : az_arena_error(w->job->arena);
    int64_t reach = INT64_MIN;
    for (uint32_t i = 0; rc == 0 && i < c->n; i++) {
        if (c->name[i] == AZ_NO_ID)
            continue;
        uint8_t *k = &known[c->name[i]];
        if (!*k)
            *k = az_sv_ifind(az_trace_text(w->fw->trace, c->name[i]), AZ_SV("synchronize")) >= 0
                     ? 2
                     : 1;
        if (*k == 1)
            continue;
        reach = c->end[i] > reach ? c->end[i] : reach;
        rc = az_vec_push(&w->blocking, i);
        if (rc == 0)
            rc = az_vec_push(&w->reach, reach);
    }
    return rc;
}

/* Blocking call that covers most of the gap; AZ_NO_ROW if none does. */
static uint32_t blocking_call(const struct work *w, const struct gap *gap)
{
    const struct az_events *c = &w->fw->trace->ev[AZ_CALL];
    uint32_t best = AZ_NO_ROW;
    int64_t longest = 0;
    /* the first up to which something reaches into the gap */
    size_t lo = AZ_UPPER(w->reach.v, w->blocking.n, gap->start);
    for (; lo < w->blocking.n && c->start[w->blocking.v[lo]] < gap->end; lo++) {
        uint32_t i = w->blocking.v[lo];
        int64_t from = c->start[i] > gap->start ? c->start[i] : gap->start;
        int64_t to = c->end[i] < gap->end ? c->end[i] : gap->end;
        if (to - from > longest) {
            longest = to - from;
            best = i;
        }
    }
    return best;
}

struct gap_row {
    int64_t device, start_ns, length_ns;
    struct az_sv host, call, op, before, after; /* call, op: empty: none */
};

/* What the host did: launched what follows already before the gap (the device waited for something
 * else), waited in a blocking call, or was late with the launch; the operator of that call. */
static void find_host(struct work *w, const struct gap *gap, struct gap_row *r)
{
    uint32_t call = w->fw->tree->gpu_call[gap->after];
    r->host = AZ_SV("unknown");
    if (call == AZ_NO_ROW)
        return;
    struct az_event launch = az_framework_node(w->fw, call);
    const struct az_calltree *tree = w->fw->tree;
    uint32_t sync = blocking_call(w, gap);
    bool queued = launch.end <= gap->start, waits = !queued && sync != AZ_NO_ROW;
    uint32_t op = az_node_op(tree, waits ? tree->first_call + sync : tree->gpu_node[gap->after]);
    r->host = queued ? AZ_SV("launched before") : waits ? AZ_SV("waiting") : AZ_SV("launching");
    r->call = waits ? az_trace_text(w->fw->trace, w->fw->trace->ev[AZ_CALL].name[sync])
                    : az_node_name(tree, call);
    if (op != AZ_NO_ROW)
        r->op = az_node_name(tree, op);
}

static const struct az_record_column idle_gaps_columns[] = {
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct gap_row, device) },
    { "Start (ns)", AZ_INT, AZ_UNIT_NS, AZ_KEY | AZ_DETAIL, AZ_FIELD(struct gap_row, start_ns) },
    { "Duration (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct gap_row, length_ns) },
    { "Host", AZ_TEXT, AZ_FIELD(struct gap_row, host) },
    { "Host call", AZ_TEXT, AZ_KNOWN(struct gap_row, call) },
    { "Host op", AZ_TEXT, AZ_KNOWN(struct gap_row, op) },
    { "Before", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(struct gap_row, before) },
    { "After", AZ_TEXT, AZ_FIELD(struct gap_row, after) },
};

static int put_gaps_rows(struct work *w, struct az_table *t)
{
    int rc = find_gaps(w);
    if (rc == 0)
        rc = find_blocking(w);
    for (size_t i = 0; rc == 0 && i < w->shown; i++) {
        const struct gap *g = &w->gap[i];
        struct gap_row r = {
            .device = g->device,
            .start_ns = az_ns(w->fw->trace, g->start),
            .length_ns = az_ns(w->fw->trace, g->end - g->start),
            .call = AZ_SV(""),
            .op = AZ_SV(""),
            .before = az_framework_text(w->fw, az_gpu_event(w->fw->tree, g->before).name, ""),
            .after = az_framework_text(w->fw, az_gpu_event(w->fw->tree, g->after).name, "")
        };
        find_host(w, g, &r);
        az_put_row(t, &r);
    }
    if (rc == 0 && w->found > GAPS)
        az_cover(w->job, "idle_gaps: gaps omitted", (double)(w->found - GAPS), "count",
                 AZ_SV("50 largest gaps shown"));
    return rc;
}

static int run_gaps(struct az_job *job)
{
    int rc;
    struct work w = { .job = job, .fw = az_framework_get(job, &rc) };
    if (!w.fw)
        return rc;
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "idle_gaps", "Largest idle gaps",
                                         AZ_TABLE_SUMMARY, idle_gaps_columns);
    az_vec_init(&w.blocking, job->mem);
    az_vec_init(&w.reach, job->mem);
    rc = put_gaps_rows(&w, t);
    az_vec_release(&w.blocking);
    az_vec_release(&w.reach);
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_fw_gaps = {
    .name = "idle_gaps",
    .help = "largest device idle gaps with concurrent host activity",
    .needs = AZ_CAP_CALLTREE,
    .run = run_gaps,
};
