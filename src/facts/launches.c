/* The calls that launched device work, with their operations, grouped by thread. */
#include "base/sort.h"
#include "facts/nvtx_projection.h"
#include "facts/threads.h"

static const enum az_kind op_kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
#define OP_KINDS AZ_LENGTH(op_kinds)

static int compare_numbers(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* By thread. */
static int compare_lanes(const void *pa, const void *pb, void *ctx)
{
    const struct az_trace *t = ctx;
    const struct az_lane *a = &t->lanes.v[*(const uint32_t *)pa],
                         *b = &t->lanes.v[*(const uint32_t *)pb];
    const int by_thread = compare_numbers(a->thread ? a->thread : (a->pid << 32) ^ a->tid,
                                          b->thread ? b->thread : (b->pid << 32) ^ b->tid);
    return by_thread ? by_thread
                     : compare_numbers(a->proc ^ (a->device_side ? UINT64_MAX : 0),
                                       b->proc ^ (b->device_side ? UINT64_MAX : 0));
}

/* Streams that have device work alone: of no thread. The others are listed, the first of those
 * after them; how many lanes that are. */
static size_t list_lanes(const struct az_trace *t, uint8_t *has, uint32_t *lane)
{
    size_t n = 0;
    uint32_t stream = AZ_NO_ID;
    memset(has, 0, t->lanes.n);
    for (int k = AZ_GRAPH + 1; k < AZ_KIND_COUNT; k++)
        for (size_t i = 0; i < t->ev[k].n; i++)
            has[t->ev[k].lane[i]] = 1;
    for (uint32_t i = 0; i < t->lanes.n; i++) {
        if (has[i] || !t->lanes.v[i].device_side)
            lane[n++] = i;
        else
            stream = stream == AZ_NO_ID ? i : stream;
    }
    if (stream != AZ_NO_ID)
        lane[n] = stream;
    return n;
}

/* The first lane of its thread, of each lane; that of a stream without a thread: the first such. */
static void find_first(const struct az_trace *t, uint32_t *of, const uint32_t *lane, size_t n)
{
    const uint32_t stream = n < t->lanes.n ? lane[n] : AZ_NO_ID;
    void *ctx = (void *)(uintptr_t)t;
    for (size_t i = 0; i < t->lanes.n; i++)
        of[i] = stream;
    for (size_t i = 0; i < n; i++)
        of[lane[i]] =
            i && compare_lanes(&lane[i - 1], &lane[i], ctx) == 0 ? of[lane[i - 1]] : lane[i];
}

/* Of many lanes a sort needs less memory than a map. */
uint32_t *az_threads_of_lanes(const struct az_trace *t, struct az_arena *arena, struct az_mem *mem,
                              size_t *n_threads, int *rc)
{
    const size_t n = t->lanes.n, bytes = (n + 1) * sizeof(uint32_t);
    uint32_t *of = az_arena_array(arena, n, sizeof *of), *lane = az_mem_alloc(mem, bytes);
    uint8_t *has = az_mem_alloc(mem, n + 1);
    *n_threads = 0;
    *rc = !of ? az_arena_error(arena) : !lane || !has ? az_mem_error(mem) : 0;
    if (*rc == 0) {
        const size_t listed = list_lanes(t, has, lane);
        az_sort_cmp(lane, listed, sizeof *lane, compare_lanes, (void *)(uintptr_t)t, mem);
        find_first(t, of, lane, listed);
    }
    for (uint32_t i = 0; *rc == 0 && i < n; i++)
        of[i] = of[i] == i ? (uint32_t)(*n_threads)++ : of[of[i]];
    az_mem_free(mem, has, n + 1);
    az_mem_free(mem, lane, bytes);
    return *rc ? NULL : of;
}

/* ops[call] = number of its operations. */
static void count_ops(const struct az_trace *t, const struct az_link *link, uint32_t *ops)
{
    for (size_t k = 0; k < OP_KINDS; k++) {
        const uint32_t *call = link->call[op_kinds[k]];
        for (size_t i = 0; call && i < t->ev[op_kinds[k]].n; i++) {
            if (call[i] != AZ_NO_ROW)
                ops[call[i]]++;
        }
    }
}

/* Lists the calls with operations by thread. Rows are in start order, so counting by thread
 * preserves it. Then ops[call] becomes the place where the call's next operation goes. */
static int list_calls(struct az_launches *l, const struct az_trace *t, uint32_t *ops,
                      struct az_arena *arena)
{
    const struct az_events *calls = &t->ev[AZ_CALL];
    for (size_t i = 0; i < calls->n; i++) {
        if (ops[i] > 0)
            l->first[l->thread_of_lane[calls->lane[i]] + 1]++;
    }
    for (size_t i = 0; i < l->n_threads; i++)
        l->first[i + 1] += l->first[i];
    l->n = l->first[l->n_threads];
    l->call = az_arena_array(arena, l->n, sizeof *l->call);
    l->op_first = az_arena_array(arena, l->n + 1, sizeof *l->op_first);
    if (!l->call || !l->op_first)
        return az_arena_error(arena);
    for (size_t i = 0; i < calls->n; i++) {
        if (ops[i] > 0)
            l->call[l->first[l->thread_of_lane[calls->lane[i]]]++] = (uint32_t)i;
    }
    for (size_t i = l->n_threads; i > 0; i--) /* undo the advance */
        l->first[i] = l->first[i - 1];
    l->first[0] = 0;
    for (size_t i = 0; i < l->n; i++) {
        uint32_t n = ops[l->call[i]];
        ops[l->call[i]] = l->op_first[i];
        l->op_first[i + 1] = l->op_first[i] + n;
    }
    return 0;
}

static void list_ops(struct az_launches *l, const struct az_trace *t, const struct az_link *link,
                     uint32_t *next)
{
    for (size_t k = 0; k < OP_KINDS; k++) {
        const uint32_t *call = link->call[op_kinds[k]];
        for (size_t i = 0; call && i < t->ev[op_kinds[k]].n; i++) {
            if (call[i] != AZ_NO_ROW)
                l->op[next[call[i]]++] = az_op_word((unsigned)k, i);
        }
    }
}

int az_launches_make(struct az_launches *l, const struct az_trace *t, const struct az_link *link,
                     struct az_arena *arena, struct az_mem *mem)
{
    size_t n = t->ev[AZ_CALL].n, bytes = 0, total = 0;
    *l = (struct az_launches){ 0 };
    for (size_t k = 0; k < OP_KINDS; k++) {
        if (t->ev[op_kinds[k]].n >= AZ_OP_ROWS)
            return AZ_ERANGE;
        total += t->ev[op_kinds[k]].n;
    }
    if (!az_size_mul(n + 1, sizeof(uint32_t), &bytes) || total > UINT32_MAX)
        return AZ_ERANGE;
    uint32_t *ops = az_mem_alloc(mem, bytes);
    if (!ops)
        return az_mem_error(mem);
    memset(ops, 0, bytes);
    int rc;
    l->thread_of_lane = az_threads_of_lanes(t, arena, mem, &l->n_threads, &rc);
    if (rc != 0)
        goto out;
    l->first = az_arena_array(arena, l->n_threads + 1, sizeof *l->first);
    if (!l->first) {
        rc = az_arena_error(arena);
        goto out;
    }
    count_ops(t, link, ops);
    rc = list_calls(l, t, ops, arena);
    if (rc != 0)
        goto out;
    l->op = az_arena_array(arena, l->op_first[l->n], sizeof *l->op);
    if (!l->op)
        rc = az_arena_error(arena);
    else
        list_ops(l, t, link, ops);
out:
    az_mem_free(mem, ops, bytes);
    return rc;
}

size_t az_launch_from(const struct az_launches *l, const struct az_trace *t, uint32_t lane,
                      int64_t start, size_t *stop)
{
    uint32_t thread = l->thread_of_lane[lane];
    size_t lo = l->first[thread], hi = l->first[thread + 1];
    *stop = hi;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->ev[AZ_CALL].start[l->call[mid]] < start)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
