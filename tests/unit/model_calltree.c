/* Host call tree and launch links of framework traces (docs/formulas-pytorch.md 2, 3, 5, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/link.h"
#include "model/optrace.h"

/* A trace built event by event; times in microseconds. Host lanes are threads 0..3, device lanes
 * streams 0..3. */
struct fixture {
    struct az_mem mem;
    struct az_trace trace;
    struct az_options opts;
    uint32_t host[4], device[4], uid;
};

static void open_fixture(struct fixture *f, const char *link_by)
{
    memset(f, 0, sizeof *f);
    az_mem_init(&f->mem, 0);
    f->opts.link_by = az_sv_str(link_by);
    assert_int_equal(az_trace_init(&f->trace, &f->mem), 0);
    assert_int_equal(az_optrace_init(&f->trace, &f->opts), 0);
    az_trace_columns(&f->trace, AZ_HOST_OP, AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID);
    az_trace_columns(&f->trace, AZ_CALL, AZ_COL_CORR | AZ_COL_UID | AZ_COL_NODE);
    az_trace_columns(&f->trace, AZ_FRAME, AZ_COL_UID);
    az_trace_columns(&f->trace, AZ_SYNC, AZ_COL_CORR | AZ_COL_UID);
    for (int k = AZ_KERNEL; k <= AZ_MEMSET; k++)
        az_trace_columns(&f->trace, (enum az_kind)k,
                         AZ_COL_CORR | AZ_COL_SIDE | AZ_COL_UID | AZ_COL_NODE);
    for (uint64_t i = 0; i < 4; i++) {
        struct az_lane h = { .pid = 100, .tid = i, .device = -1, .label = AZ_NO_ID };
        struct az_lane d = { .device_side = true, .tid = i, .context = i, .label = AZ_NO_ID };
        assert_int_equal(az_trace_lane(&f->trace, &h, &f->host[i]), 0);
        assert_int_equal(az_trace_lane(&f->trace, &d, &f->device[i]), 0);
    }
}

static void close_fixture(struct fixture *f)
{
    az_trace_release(&f->trace);
    assert_int_equal(f->mem.used, 0);
}

static void add_full(struct fixture *f, enum az_kind kind, const char *name, uint32_t lane,
                     double start, double duration, uint64_t corr, uint64_t ext)
{
    struct az_event e = { .start = (int64_t)(start * 1000),
                          .lane = lane,
                          .side = AZ_NO_ROW,
                          .uid = f->uid++,
                          .corr = corr,
                          .node = ext };
    e.end = e.start + (int64_t)(duration * 1000);
    e.name = az_trace_name(&f->trace, az_sv_str(name));
    assert_int_equal(az_trace_add(&f->trace, kind, &e), 0);
}
static void op(struct fixture *f, const char *name, int thread, double start, double duration)
{
    add_full(f, AZ_HOST_OP, name, f->host[thread], start, duration, 0, 0);
}
static void call(struct fixture *f, const char *name, int thread, double start, double duration,
                 uint64_t corr)
{
    add_full(f, AZ_CALL, name, f->host[thread], start, duration, corr, 0);
}
static void kernel(struct fixture *f, const char *name, int stream, double start, double duration,
                   uint64_t corr)
{
    add_full(f, AZ_KERNEL, name, f->device[stream], start, duration, corr, 0);
}
static void arrow(struct fixture *f, uint64_t id, uint32_t end_lane)
{
    f->uid++;
    assert_int_equal(az_vec_push(&az_optrace(&f->trace)->flows,
                                 ((struct az_flow){ .id = id, .lane = end_lane })),
                     0);
}

static void seal(struct fixture *f) { assert_int_equal(az_trace_finalize(&f->trace), 0); }

/* First node of a name. */
static uint32_t node(const struct fixture *f, const char *name)
{
    const struct az_calltree *c = az_tree(&f->trace);
    for (uint32_t n = 0; n < c->n; n++)
        if (az_sv_is(az_node_name(c, n), name))
            return n;
    fail_msg("no node %s", name);
    return AZ_NO_ROW;
}
static void assert_parent(const struct fixture *f, const char *child, const char *parent)
{
    uint32_t p = az_tree(&f->trace)->parent[node(f, child)];
    if (!parent)
        assert_int_equal(p, AZ_NO_ROW);
    else
        assert_int_equal(p, node(f, parent));
}
static uint32_t gpu(const struct fixture *f, const char *name)
{
    const struct az_calltree *c = az_tree(&f->trace);
    for (uint32_t g = 0; g < c->n_gpu; g++)
        if (az_sv_is(az_trace_text(&f->trace, az_gpu_event(c, g).name), name))
            return g;
    fail_msg("no device event %s", name);
    return AZ_NO_ROW;
}
static void assert_launched_by(const struct fixture *f, const char *kernel_name,
                               const char *call_name)
{
    uint32_t c = az_tree(&f->trace)->gpu_call[gpu(f, kernel_name)];
    if (!call_name)
        assert_int_equal(c, AZ_NO_ROW);
    else
        assert_int_equal(c, node(f, call_name));
}
static uint32_t launched_below(const struct fixture *f, const char *name)
{
    uint32_t first, end;
    az_node_gpu(az_tree(&f->trace), node(f, name), &first, &end);
    return end - first;
}
static const struct az_launcher *launcher(const struct fixture *f, const char *name)
{
    const struct az_launchers *l = az_optrace(&f->trace)->launchers;
    for (size_t i = 0; i < l->rows.n; i++)
        if (az_sv_is(az_node_name(az_tree(&f->trace), l->rows.v[i].node), name))
            return &l->rows.v[i];
    return NULL;
}

static struct az_launcher_times times(const struct fixture *f, const char *name)
{
    const struct az_launchers *l = az_optrace(&f->trace)->launchers;
    return az_launcher_times(l, az_tree(&f->trace), (size_t)(launcher(f, name) - l->rows.v));
}

/* ---- tree ---- */
/* The case `tree` of docs/formulas-pytorch.md 15: ours child 1, outer 2, outer2 4, cudaLaunchKernel
 * 8; nothing dropped.
 */
static void the_case_of_the_spec(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    op(&f, "child", 1, 100, 10);
    op(&f, "parent_same_start", 1, 100, 50);
    call(&f, "launch1", 1, 102, 3, 41);
    kernel(&f, "ka", 0, 300, 1, 41);
    op(&f, "outer", 1, 1000, 100);
    op(&f, "sib", 1, 1010, 20);
    call(&f, "launch2", 1, 1029.6, 5, 42);
    kernel(&f, "kb", 0, 1300, 2, 42);
    op(&f, "outer2", 1, 2000, 100);
    op(&f, "sib2", 1, 2010, 20);
    call(&f, "launch3", 1, 2025, 10, 43);
    kernel(&f, "kc", 0, 2300, 4, 43);
    call(&f, "launch4", 2, 2050, 5, 44);
    kernel(&f, "kd", 0, 2400, 8, 44);
    seal(&f);
    assert_parent(&f, "child", "parent_same_start");
    assert_parent(&f, "launch1", "child");
    assert_parent(&f, "launch2", "outer");
    assert_parent(&f, "launch3", "outer2");
    assert_parent(&f, "launch4", NULL);
    assert_int_equal(times(&f, "child").direct, 1000);
    assert_int_equal(times(&f, "outer").direct, 2000);
    assert_int_equal(times(&f, "outer2").direct, 4000);
    assert_int_equal(times(&f, "launch4").direct, 8000);
    assert_int_equal(az_optrace(&f.trace)->launchers->rows.n, 4);
    assert_null(launcher(&f, "sib"));
    close_fixture(&f);
}

static void nesting(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    op(&f, "inner", 0, 12, 3); /* before its parents in the file */
    op(&f, "outer", 0, 10, 20);
    op(&f, "middle", 0, 11, 10);
    op(&f, "touching", 0, 30, 5); /* begins where outer ends */
    op(&f, "within_a_microsecond", 0, 31, 4.9);
    op(&f, "other_thread", 1, 12, 1);
    op(&f, "empty", 0, 40, 0);
    op(&f, "after_empty", 0, 40, 1);
    seal(&f);
    const struct az_calltree *c = az_tree(&f.trace);
    assert_parent(&f, "inner", "middle");
    assert_parent(&f, "middle", "outer");
    assert_parent(&f, "outer", NULL);
    assert_parent(&f, "touching", NULL);
    assert_parent(&f, "within_a_microsecond", "touching");
    assert_parent(&f, "other_thread", NULL);
    assert_parent(&f, "empty", "after_empty"); /* the longer first */
    assert_parent(&f, "after_empty", NULL);
    assert_int_equal(c->clamped, 1);
    assert_int_equal(c->clamped_ticks, 900);
    for (uint32_t n = 0; n < c->n; n++) { /* preorder: a subtree is a run, within its parent's */
        assert_int_equal(c->by_pre[c->pre[n]], n);
        assert_true(c->last[n] >= c->pre[n] && c->last[n] < c->n);
        if (c->parent[n] != AZ_NO_ROW)
            assert_true(c->pre[n] > c->pre[c->parent[n]] && c->last[n] <= c->last[c->parent[n]]);
    }
    assert_int_equal(c->last[node(&f, "outer")] - c->pre[node(&f, "outer")], 2);
    close_fixture(&f);
}

static void bleeding(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    op(&f, "a", 0, 0, 100);
    op(&f, "b", 0, 10, 50);
    op(&f, "c", 0, 20, 30);
    op(&f, "beyond_c", 0, 40, 15); /* ends in b */
    op(&f, "beyond_b", 0, 50, 40); /* ends in a */
    op(&f, "beyond_a", 0, 90, 50); /* ends nowhere: a root */
    op(&f, "in_beyond_a", 0, 95, 40);
    seal(&f);
    assert_parent(&f, "beyond_c", "b");
    assert_parent(&f, "beyond_b", "a");
    assert_parent(&f, "beyond_a", NULL);
    assert_parent(&f, "in_beyond_a", "beyond_a");
    assert_int_equal(az_tree(&f.trace)->clamped, 0);
    close_fixture(&f);
}

static void equal_spans(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    op(&f, "first", 0, 5, 10);
    op(&f, "second", 0, 5, 10); /* the same span: file order */
    call(&f, "third", 0, 5, 10, 1);
    seal(&f);
    assert_parent(&f, "first", NULL);
    assert_parent(&f, "second", "first");
    assert_parent(&f, "third", "second");
    close_fixture(&f);
}

static void deep_and_many(void **state)
{
    (void)state;
    enum { DEEP = 2000 };
    struct fixture f;
    open_fixture(&f, "correlation");
    for (int i = 0; i < DEEP; i++)
        op(&f, i ? "d" : "top", i % 3, i,
           2 * DEEP - 2 * i); /* three towers of interleaved starts */
    seal(&f);
    const struct az_calltree *c = az_tree(&f.trace);
    uint32_t roots = 0;
    for (uint32_t n = 0; n < c->n; n++) {
        roots += c->parent[n] == AZ_NO_ROW;
        if (n >= 3)
            assert_int_equal(c->parent[n], n - 3);
    }
    assert_int_equal(roots, 3);
    close_fixture(&f);
}

static void kinds_of_nodes(void **state)
{
    (void)state;
    struct fixture f;
    uint32_t row;
    open_fixture(&f, "correlation");
    add_full(&f, AZ_FRAME, "frame", f.host[0], 0, 100, 0, 0);
    op(&f, "op", 0, 10, 50);
    call(&f, "call", 0, 20, 5, 3);
    kernel(&f, "k", 0, 30, 5, 3);
    seal(&f);
    const struct az_calltree *c = az_tree(&f.trace);
    assert_parent(&f, "op", "frame");
    assert_parent(&f, "call", "op");
    assert_int_equal(az_node_kind(c, node(&f, "frame"), &row), AZ_FRAME);
    assert_int_equal(az_node_kind(c, node(&f, "call"), &row), AZ_CALL);
    assert_int_equal(az_node_op(c, node(&f, "call")), node(&f, "op"));
    assert_int_equal(az_node_op(c, node(&f, "frame")), AZ_NO_ROW);
    assert_int_equal(launched_below(&f, "frame"), 1);
    assert_non_null(launcher(&f, "op"));
    close_fixture(&f);
}

/* ---- links ---- */
static void by_correlation(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    op(&f, "op", 0, 0, 100);
    call(&f, "launch", 0, 10, 5, 7);
    call(&f, "no_launch", 0, 20, 5, 8);
    call(&f, "zero", 0, 30, 5, 0);
    kernel(&f, "linked", 0, 50, 5, 7);
    kernel(&f, "stale", 0, 1, 5, 99);
    kernel(&f, "no_id", 0, 60, 5, 0);
    add_full(&f, AZ_MEMSET, "fill", f.device[0], 70, 1, 8, 0);
    add_full(&f, AZ_SYNC, "sync", f.device[0], 70, 1, 7, 0);
    seal(&f);
    assert_launched_by(&f, "linked", "launch");
    assert_launched_by(&f, "fill", "no_launch");
    assert_launched_by(&f, "stale", NULL);
    assert_launched_by(&f, "no_id", NULL);
    assert_int_equal(az_tree(&f.trace)->n_linked, 2);
    assert_int_equal(launched_below(&f, "op"), 2);
    assert_int_equal(launched_below(&f, "zero"), 0);
    close_fixture(&f);
}

/* An id used again: the latest call that starts no later than the device event; else the first. */
static void reused_ids(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    call(&f, "late", 0, 1000, 5, 7);
    call(&f, "early", 0, 10, 5, 7);
    kernel(&f, "k_early", 0, 50, 5, 7);
    kernel(&f, "k_late", 0, 1050, 5, 7);
    kernel(&f, "k_at", 0, 1000, 1, 7);
    kernel(&f, "k_before", 0, 1, 1, 7);
    seal(&f);
    assert_launched_by(&f, "k_early", "early");
    assert_launched_by(&f, "k_late", "late");
    assert_launched_by(&f, "k_at", "late");
    assert_launched_by(&f, "k_before", "early");
    close_fixture(&f);
}

/* Of calls with one id the first one, with each of the others; ids of device events alone. */
static void calls_of_one_id(void **state)
{
    (void)state;
    static const struct az_same_id want[] = { { 0, 2 }, { 0, 5 }, { 3, 4 } };
    static const uint64_t ids[] = { 7, 9, 7, 8, 8, 7, 20, 20, 1, 1 };
    struct fixture f;
    open_fixture(&f, "correlation");
    for (size_t i = 0; i < AZ_LENGTH(ids); i++)
        call(&f, "launch", 0, 10 + 10 * (double)i, 5, ids[i]);
    for (uint64_t id = 7; id < 10; id++)
        kernel(&f, "k", 0, 500 + 10 * (double)id, 5, id);
    seal(&f);
    const struct az_same_ids *same = &az_optrace(&f.trace)->same_ids;
    assert_int_equal(same->n, AZ_LENGTH(want));
    for (size_t i = 0; i < same->n; i++) {
        assert_int_equal(same->v[i].first, want[i].first);
        assert_int_equal(same->v[i].other, want[i].other);
    }
    close_fixture(&f);
}

static void graph_launches(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    op(&f, "region", 0, 0, 100);
    call(&f, "cudaGraphLaunch_v9000", 0, 10, 5, 7);
    call(&f, "cudaLaunchKernel", 0, 200, 5, 8);
    kernel(&f, "g1", 0, 50, 10, 7);
    kernel(&f, "g2", 1, 55, 10, 7);
    kernel(&f, "g3", 0, 80, 5, 7);
    kernel(&f, "single", 0, 300, 1, 8);
    seal(&f);
    const struct az_calltree *c = az_tree(&f.trace);
    assert_int_equal(c->graph_launch[node(&f, "cudaGraphLaunch_v9000") - c->first_call], 1);
    assert_int_equal(c->graph_launch[node(&f, "cudaLaunchKernel") - c->first_call], 0);
    assert_int_equal(az_launcher_count(launcher(&f, "region")), 3);
    assert_int_equal(times(&f, "region").direct, 20000); /* the union, not 25 */
    assert_int_equal(launched_below(&f, "region"), 3);
    close_fixture(&f);
}

static void by_external_id(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    az_optrace(&f.trace)->key_is_ext = true;
    add_full(&f, AZ_CALL, "launch", f.host[0], 10, 5, 0, 5);
    add_full(&f, AZ_KERNEL, "k", f.device[0], 50, 5, 77, 5);
    add_full(&f, AZ_KERNEL, "none", f.device[0], 60, 5, 78, 0);
    seal(&f);
    assert_launched_by(&f, "k", "launch");
    assert_launched_by(&f, "none", NULL);
    close_fixture(&f);
}

static void by_flow(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "flow");
    call(&f, "cudaLaunchKernel", 0, 10, 5, 7);
    kernel(&f, "both_ends", 0, 50, 5, 7);
    arrow(&f, 7, AZ_NO_ROW);
    arrow(&f, 7, f.device[0]);
    call(&f, "hipMemset", 0, 20, 5, 8); /* an end without a start, as of fills on ROCm */
    add_full(&f, AZ_MEMSET, "fill", f.device[0], 60, 1, 8, 0);
    arrow(&f, 8, f.device[0]);
    call(&f, "start_only", 0, 30, 5, 9);
    kernel(&f, "no_end", 0, 70, 5, 9);
    arrow(&f, 9, AZ_NO_ROW);
    call(&f, "cudaGraphLaunch", 0, 40, 5, 10); /* needs no arrows */
    kernel(&f, "g1", 0, 80, 5, 10);
    kernel(&f, "g2", 1, 80, 5, 10);
    call(&f, "other_lane", 0, 45, 5, 11);
    kernel(&f, "elsewhere", 2, 90, 5, 11);
    arrow(&f, 11, AZ_NO_ROW);
    arrow(&f, 11, f.device[1]);
    seal(&f);
    assert_launched_by(&f, "both_ends", "cudaLaunchKernel");
    assert_launched_by(&f, "fill", NULL);
    assert_launched_by(&f, "no_end", NULL);
    assert_launched_by(&f, "g1", "cudaGraphLaunch");
    assert_launched_by(&f, "g2", "cudaGraphLaunch");
    assert_launched_by(&f, "elsewhere", NULL);
    close_fixture(&f);
}

/* Ids are linked whatever their size; runs of `linked` follow the preorder even over many blocks.
 */
static void many_links(void **state)
{
    (void)state;
    enum { N = 700 };
    struct fixture f;
    open_fixture(&f, "correlation");
    for (int i = 0; i < N; i++) {
        op(&f, i ? "op" : "first", 0, i * 10, 9);
        call(&f, "launch", 0, i * 10 + 1, 1, UINT64_MAX - (uint64_t)i);
        for (int k = 0; k < i % 3; k++)
            kernel(&f, "k", 0, 10000 + i * 10 + k, 1, UINT64_MAX - (uint64_t)i);
    }
    seal(&f);
    const struct az_calltree *c = az_tree(&f.trace);
    for (uint32_t n = 0; n < c->n; n++) {
        uint32_t first, end, row;
        (void)az_node_kind(c, n, &row);
        az_node_gpu(c, n, &first, &end);
        assert_int_equal(end - first, row % 3);
        for (uint32_t i = first; i < end; i++)
            assert_true(c->gpu_call[c->linked[i]] == n ||
                        c->parent[c->gpu_call[c->linked[i]]] == n);
    }
    close_fixture(&f);
}

/* ---- launchers ---- */
/* Many of one start, one correlation, one launch, each in the wrong order: no square of their
 * number. */
static void worst_orders(void **state)
{
    (void)state;
    struct fixture f;
    enum { N = 100000 };
    open_fixture(&f, "correlation");
    for (int i = 0; i < N; i++)
        op(&f, "op", 0, 0, i + 1);
    call(&f, "graph", 1, 0, 1, 1);
    for (int i = 0; i < N; i++)
        kernel(&f, "k", 0, 2 * (N - i), 1, 1);
    for (int i = 0; i < N; i++)
        call(&f, "launch", 1, 2 * (N + i), 1, 2);
    for (int i = 0; i < N; i++)
        kernel(&f, "k", 0, 2 * (N + i) + 1, 1, 2);
    seal(&f);
    const struct az_calltree *c = az_tree(&f.trace);
    const struct az_launchers *l = az_optrace(&f.trace)->launchers;
    assert_int_equal(c->parent[c->by_pre[1]], c->by_pre[0]);
    assert_int_equal(l->rows.n, N + 1);
    assert_int_equal(times(&f, "graph").direct, (int64_t)N * 1000);
    assert_int_equal(l->own.v[0], N - 1); /* the last of the file is the first to run */
    assert_int_equal(az_launcher_count(&l->rows.v[N]), 1);
    close_fixture(&f);
}

/* Device events are numbered in the order of the file, whether they are few of it or many. */
static void device_events_by_file(void **state)
{
    (void)state;
    for (int ops = 0; ops <= 2000; ops += 2000) {
        struct fixture f;
        open_fixture(&f, "correlation");
        for (int i = 0; i < ops; i++)
            op(&f, "op", 0, i, 1);
        kernel(&f, "last", 0, 9000, 1, 1);
        kernel(&f, "first", 0, 3000, 1, 2);
        kernel(&f, "second", 0, 6000, 1, 3);
        seal(&f);
        assert_int_equal(az_tree(&f.trace)->n_gpu, 3);
        assert_int_equal(gpu(&f, "last"), 0);
        assert_int_equal(gpu(&f, "first"), 1);
        assert_int_equal(gpu(&f, "second"), 2);
        close_fixture(&f);
    }
}

static void launchers(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    op(&f, "outer", 0, 0, 100);
    op(&f, "execute", 0, 10, 50);
    call(&f, "cudaLaunchKernel", 0, 20, 5, 1);
    kernel(&f, "k", 0, 200, 10, 1);
    call(&f, "ncclLaunch", 0, 30, 5, 2);
    kernel(&f, "ncclDevKernel_AllReduce", 1, 205, 20, 2);
    call(&f, "outside", 0, 150, 5, 3);
    kernel(&f, "k3", 0, 300, 1, 3);
    kernel(&f, "unlinked", 0, 1, 1, 4);
    seal(&f);
    const struct az_launchers *l = az_optrace(&f.trace)->launchers;
    assert_int_equal(
        l->rows.n,
        2); /* `execute` is stepped over, communication launches nothing, a call alone is its own */
    assert_int_equal(times(&f, "outer").direct, 10000);
    assert_int_equal(times(&f, "outer").subtree, 25000); /* with the communication */
    assert_int_equal(times(&f, "outside").direct, 1000);
    assert_int_equal(az_launcher_node(az_tree(&f.trace), gpu(&f, "ncclDevKernel_AllReduce")),
                     AZ_NO_ROW);
    assert_int_equal(az_launcher_node(az_tree(&f.trace), gpu(&f, "unlinked")), AZ_NO_ROW);
    close_fixture(&f);
}

/* Calls deep in calls: the operator above each is known without a climb. */
static void calls_deep_in_calls(void **state)
{
    enum { DEEP = 100 };
    (void)state;
    for (int deep = 3; deep <= DEEP; deep += DEEP - 3) {
        struct fixture f;
        open_fixture(&f, "correlation");
        op(&f, "top", 0, 0, 1000);
        for (int i = 1; i <= deep; i++) {
            call(&f, "under top", 0, i, 800 - 2 * i, 0);
            call(&f, "alone", 1, i, 800 - 2 * i, 0);
        }
        op(&f, "inner", 0, 300, 10);
        call(&f, "under inner", 0, 301, 1, 0);
        seal(&f);
        const struct az_calltree *c = az_tree(&f.trace);
        assert_int_equal(c->op != NULL, deep == DEEP);
        for (uint32_t n = 0; n < c->n; n++) {
            const struct az_sv name = az_node_name(c, n);
            const uint32_t want = az_sv_is(name, "alone")         ? AZ_NO_ROW
                                  : az_sv_is(name, "under top")   ? node(&f, "top")
                                  : az_sv_is(name, "under inner") ? node(&f, "inner")
                                                                  : n;
            assert_int_equal(az_node_op(c, n), want);
        }
        assert_int_equal(az_node_op(c, AZ_NO_ROW), AZ_NO_ROW);
        close_fixture(&f);
    }
}

/* Operators in one another, each with a kernel that overlaps the next: the time below each counts
 * every kernel once, whether few or many are nested. */
static void nested_launchers(void **state)
{
    static char name[80][16];
    (void)state;
    for (int deep = 3; deep <= 80; deep += 77) {
        struct fixture f;
        open_fixture(&f, "correlation");
        for (int i = 0; i < deep; i++) {
            (void)snprintf(name[i], sizeof name[i], "op %d", i);
            op(&f, name[i], 0, 10 * i, 2000 - 20 * i);
            call(&f, "cudaLaunchKernel", 0, 10 * i + 1, 1, (uint64_t)i + 1);
            kernel(&f, "k", 0, 5000 + 10 * i, 15, (uint64_t)i + 1);
        }
        seal(&f);
        assert_int_equal(az_optrace(&f.trace)->launchers->rows.n, deep);
        for (int i = 0; i < deep; i++) {
            assert_int_equal(times(&f, name[i]).direct, 15000);
            assert_int_equal(times(&f, name[i]).subtree, 10000 * (deep - i) + 5000);
        }
        close_fixture(&f);
    }
}

/* What device events do, by their names and kinds. */
static void work_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum az_kind kind;
        enum az_work want;
    } cases[] = {
        { "anything", AZ_MEMCPY, AZ_WORK_COPY },
        { "nccl copy", AZ_MEMCPY, AZ_WORK_COPY },
        { "MEMORY_COPY_HOST_TO_DEVICE", AZ_KERNEL, AZ_WORK_COPY },
        { "MEMORY_COPY_DEVICE_TO_DEVICE.kd", AZ_KERNEL, AZ_WORK_COPY },
        { "__amd_rocclr_copyBuffer", AZ_KERNEL, AZ_WORK_COPY },
        { "__amd_rocclr_copyBufferRectAligned.kd", AZ_KERNEL, AZ_WORK_COPY },
        { "__amd_rocclr_copyBufferX", AZ_KERNEL, AZ_WORK_COMPUTE },
        { "__amd_rocclr_fillBufferAligned", AZ_KERNEL, AZ_WORK_COMPUTE },
        { "MEMORY_COPY_HOST_TO_DEVICE", AZ_MEMSET, AZ_WORK_COMPUTE },
        { "ncclDevKernel_AllReduce_Sum", AZ_KERNEL, AZ_WORK_COMM },
        { "void RCCL_thing", AZ_KERNEL, AZ_WORK_COMM },
        { "cross_device_reduce_1stage", AZ_KERNEL, AZ_WORK_COMM },
        { "gemm", AZ_KERNEL, AZ_WORK_COMPUTE },
        { "Memset (Device)", AZ_MEMSET, AZ_WORK_COMPUTE },
    };
    enum { N = AZ_LENGTH(cases) };
    struct az_trace t;
    uint32_t id[N];
    assert_int_equal(az_trace_init(&t, NULL), 0);
    for (size_t i = 0; i < N; i++) {
        id[i] = az_trace_name(&t, az_sv_str(cases[i].name));
        assert_int_equal(az_trace_add(&t, cases[i].kind,
                                      &(struct az_event){ .start = 1, .end = 2, .name = id[i] }),
                         0);
    }
    assert_int_equal(az_trace_finalize(&t), 0);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(az_trace_work(&t, cases[i].kind, id[i]), cases[i].want);
    assert_int_equal(az_trace_work(&t, AZ_KERNEL, AZ_NO_ID), AZ_WORK_COMPUTE);
    az_trace_release(&t);
}

static void empty_trace(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "correlation");
    seal(&f);
    assert_int_equal(az_tree(&f.trace)->n, 0);
    assert_int_equal(az_tree(&f.trace)->n_gpu, 0);
    assert_int_equal(az_optrace(&f.trace)->launchers->rows.n, 0);
    close_fixture(&f);
    open_fixture(&f, "flow"); /* device events alone */
    kernel(&f, "k", 0, 0, 1, 1);
    seal(&f);
    assert_int_equal(az_tree(&f.trace)->n_linked, 0);
    close_fixture(&f);
}

/* Wherever memory runs out, the trace can be released and gives everything back. */
static void out_of_memory(void **state)
{
    (void)state;
    int rc = AZ_ELIMIT;
    size_t tries = 0;
    for (size_t limit = 4000; rc != 0; limit += 400, tries++) {
        struct fixture f;
        open_fixture(&f, tries % 2 ? "flow" : "correlation");
        for (int i = 0; i < 60; i++) {
            op(&f, "op", 0, i * 10, 9);
            call(&f, "launch", 0, i * 10 + 1, 1, (uint64_t)i + 1);
            kernel(&f, "k", 0, 1000 + i, 2, (uint64_t)i + 1);
            arrow(&f, (uint64_t)i + 1, i % 2 ? AZ_NO_ROW : f.device[0]);
        }
        f.mem.limit = limit;
        rc = az_trace_finalize(&f.trace);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        close_fixture(&f);
    }
    assert_true(tries > 5);
}

/* Against a copy. */
static void arranged_in_place(void **state)
{
    struct {
        uint32_t number;
        char more[24];
    } v[50];
    uint32_t perm[50], want[50];
    uint64_t seed = 99;
    (void)state;
    for (int round = 0; round < 200; round++) {
        const size_t n = (size_t)round % 50;
        for (uint32_t i = 0; i < n; i++) {
            v[i].number = 1000 + i;
            perm[i] = i;
        }
        for (size_t i = n; i > 1 && round % 4; i--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const size_t k = (size_t)(seed >> 33) % i;
            const uint32_t swap = perm[k];
            perm[k] = perm[i - 1];
            perm[i - 1] = swap;
        }
        for (size_t i = 0; i < n; i++)
            want[i] = 1000 + perm[i];
        az_oplink_arrange(v, perm, n, sizeof v[0]);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(v[i].number, want[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_case_of_the_spec),
        cmocka_unit_test(nesting),
        cmocka_unit_test(bleeding),
        cmocka_unit_test(equal_spans),
        cmocka_unit_test(deep_and_many),
        cmocka_unit_test(kinds_of_nodes),
        cmocka_unit_test(by_correlation),
        cmocka_unit_test(reused_ids),
        cmocka_unit_test(calls_of_one_id),
        cmocka_unit_test(graph_launches),
        cmocka_unit_test(by_external_id),
        cmocka_unit_test(by_flow),
        cmocka_unit_test(many_links),
        cmocka_unit_test(worst_orders),
        cmocka_unit_test(device_events_by_file),
        cmocka_unit_test(launchers),
        cmocka_unit_test(calls_deep_in_calls),
        cmocka_unit_test(nested_launchers),
        cmocka_unit_test(work_by_name),
        cmocka_unit_test(empty_trace),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(arranged_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
