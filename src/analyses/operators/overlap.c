/* One sweep over device events by start. The events still running are kept per stream, so that
 * events of one stream, which never pair, are not compared. */
#include "analyses/operators/overlap.h"

#include "base/sort.h"

/* Pairs examined, at least and for each event: on a device some ten events run at a time, so that
 * a real trace stays below; one made up would hang us and fill memory. */
#define LOOKS_LEAST 4096
#define LOOKS_EACH  64

struct running { /* events of one lane that had not ended when last examined */
    struct az_vec_u32 gpu;
    uint32_t lane;
};
AZ_VEC(struct running, running_lanes);

struct sweep {
    struct az_framework *fw;
    struct running_lanes lanes;
    uint32_t *lane_at;      /* lane -> index in lanes + 1 */
    uint32_t *op;           /* gpu -> operator it was launched under, AZ_NO_ROW */
    struct az_vec_u32 a, b; /* pairs */
    uint64_t looks;
    struct az_mem *mem;
};

static bool may_pair(const struct sweep *s, uint32_t x, uint32_t lane_x, uint32_t y,
                     uint32_t lane_y)
{
    const struct az_lane *l = s->fw->trace->lanes.v;
    if (l[lane_x].device != l[lane_y].device || (s->op[x] == s->op[y] && s->op[x] != AZ_NO_ROW))
        return false;
    return l[lane_x].context != l[lane_y].context || l[lane_x].context == UINT64_MAX;
}

/* Pairs event g with the running events of a lane, and forgets those that have ended. */
static int against(struct sweep *s, struct running *r, uint32_t g, const struct az_event *e)
{
    int64_t least = 1000 * s->fw->trace->ticks_per_ns;
    size_t kept = 0;
    int rc = 0;
    for (size_t i = 0; i < r->gpu.n; i++) {
        uint32_t other = r->gpu.v[i];
        int64_t end = az_gpu_event(s->fw->tree, other).end;
        if (end <= e->start)
            continue;
        r->gpu.v[kept++] = other;
        if (rc || (end < e->end ? end : e->end) - e->start < least ||
            !may_pair(s, g, e->lane, other, r->lane))
            continue;
        rc = az_vec_push(&s->a, g);
        if (rc == 0)
            rc = az_vec_push(&s->b, other);
    }
    s->looks += r->gpu.n;
    r->gpu.n = kept;
    return rc;
}

static int remember(struct sweep *s, uint32_t g, uint32_t lane)
{
    if (!s->lane_at[lane]) {
        struct running r = { .lane = lane };
        az_vec_init(&r.gpu, s->mem);
        int rc = az_vec_push(&s->lanes, r);
        if (rc)
            return rc;
        s->lane_at[lane] = (uint32_t)s->lanes.n;
    }
    return az_vec_push(&s->lanes.v[s->lane_at[lane] - 1].gpu, g);
}

/* Is a lane's list of no interest to an event of another: the same stream of the same device. */
static bool same_stream(const struct sweep *s, uint32_t x, uint32_t y)
{
    const struct az_lane *l = s->fw->trace->lanes.v;
    return x == y && l[x].context != UINT64_MAX;
}

static int sweep(struct sweep *s, struct az_overlaps *o)
{
    const struct az_framework *fw = s->fw;
    const uint64_t most = LOOKS_LEAST + LOOKS_EACH * (uint64_t)fw->tree->n_gpu;
    for (uint32_t i = 0; i < fw->tree->n_gpu; i++) {
        uint32_t g = fw->order[i];
        struct az_event e = az_gpu_event(fw->tree, g);
        if (!az_framework_counts(fw, g) || e.end == e.start)
            continue;
        if (s->looks > most) {
            o->left_out++;
            continue;
        }
        for (size_t l = 0; l < s->lanes.n; l++) {
            int rc =
                same_stream(s, e.lane, s->lanes.v[l].lane) ? 0 : against(s, &s->lanes.v[l], g, &e);
            if (rc)
                return rc;
        }
        int rc = remember(s, g, e.lane);
        if (rc)
            return rc;
    }
    return 0;
}

/* The pairs both ways, by event. */
static int index_pairs(const struct sweep *s, struct az_overlaps *o, struct az_arena *a)
{
    size_t n = s->fw->tree->n_gpu;
    o->first = az_arena_array(a, n + 2, sizeof *o->first);
    o->partner = az_arena_array(a, 2 * s->a.n + 1, sizeof *o->partner);
    if (!o->first || !o->partner)
        return az_arena_error(a);
    for (size_t i = 0; i < s->a.n; i++) {
        o->first[s->a.v[i] + 2]++;
        o->first[s->b.v[i] + 2]++;
    }
    for (size_t g = 2; g < n + 2; g++)
        o->first[g] += o->first[g - 1];
    for (size_t i = 0; i < s->a.n;
         i++) { /* first[g + 1] is where the next partner of g goes, its end at last */
        o->partner[o->first[s->a.v[i] + 1]++] = s->b.v[i];
        o->partner[o->first[s->b.v[i] + 1]++] = s->a.v[i];
    }
    return 0;
}

static int make_overlap(struct az_job *job, struct az_framework *fw, struct az_overlaps *o)
{
    const struct az_calltree *c = fw->tree;
    struct sweep s = { .fw = fw, .mem = job->mem };
    az_vec_init(&s.lanes, job->mem);
    az_vec_init(&s.a, job->mem);
    az_vec_init(&s.b, job->mem);
    s.lane_at = az_arena_array(job->arena, fw->trace->lanes.n + 1, sizeof *s.lane_at);
    s.op = az_arena_array(job->arena, (size_t)c->n_gpu + 1, sizeof *s.op);
    int rc = s.lane_at && s.op ? 0 : az_arena_error(job->arena);
    for (uint32_t g = 0; rc == 0 && g < c->n_gpu; g++)
        s.op[g] = c->gpu_node[g] == AZ_NO_ROW ? AZ_NO_ROW : az_node_op(c, c->gpu_node[g]);
    if (rc == 0)
        rc = sweep(&s, o);
    if (rc == 0)
        rc = index_pairs(&s, o, job->arena);
    if (rc == 0 && o->left_out)
        az_cover(job, "overlap analysis: device events skipped", (double)o->left_out, "count",
                 AZ_SV("too many concurrent events"));
    for (size_t l = 0; l < s.lanes.n; l++)
        az_vec_release(&s.lanes.v[l].gpu);
    az_vec_release(&s.lanes);
    az_vec_release(&s.a);
    az_vec_release(&s.b);
    return rc;
}

const struct az_overlaps *az_framework_overlaps(struct az_job *job, struct az_framework *fw,
                                                int *rc)
{
    *rc = 0;
    if (!fw->overlaps) {
        struct az_overlaps *o = az_arena_alloc(job->arena, sizeof *o);
        *rc = o ? make_overlap(job, fw, o) : az_arena_error(job->arena);
        if (*rc == 0)
            fw->overlaps = o;
    }
    return fw->overlaps;
}
