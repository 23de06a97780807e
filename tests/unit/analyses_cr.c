/* Collectives over ranks, from parts made by hand: matching, clocks, figures, tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/collectives/clock.h"
#include "analyses/collectives/waiting.h"
#include "analyses/registry_list.h"

#define MOST_RANKS  16
#define MOST_EVENTS 4096

struct fix {
    struct az_mem mem;
    struct az_arena arena;
    struct az_options opts;
    struct az_diag diag;
    struct az_document doc;
    struct az_job job;
    struct az_rank rank[MOST_RANKS];
    int64_t missing[MOST_RANKS];
    struct az_ranks ranks;
    struct az_coll_part part[MOST_RANKS];
    struct az_coll_busy idle; /* no other kernels */
    struct az_coll_event *ev[MOST_RANKS];
    struct az_coll_what what[MOST_RANKS][64];
    void *parts[MOST_RANKS];
};

static struct az_coll_lane_of lane[] = { { .stream = 7 } };

static int setup(void **state)
{
    struct fix *f = calloc(1, sizeof *f);
    az_mem_init(&f->mem, 0);
    az_arena_init(&f->arena, &f->mem);
    az_diag_init(&f->diag);
    az_document_init(&f->doc, &f->arena);
    f->opts.align_clocks = AZ_SV("auto");
    f->opts.coll_sheets = AZ_SV("auto");
    f->opts.coll_arguments = AZ_SV("any");
    assert_int_equal(
        az_coll_busy_set(&f->idle, &(struct az_coll_busy_span){ 0, 0 }, 0, &f->arena, &f->mem), 0);
    for (int r = 0; r < MOST_RANKS; r++) {
        f->rank[r] = (struct az_rank){ .rank = r, .ticks_per_ns = 1, .devices = 8 };
        f->ev[r] = calloc(MOST_EVENTS, sizeof *f->ev[r]);
        f->part[r] = (struct az_coll_part){ .what = f->what[r],
                                            .n_devices = 1,
                                            .lane = lane,
                                            .one_stream = true,
                                            .compute = &f->idle };
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fix *f = *state;
    for (int r = 0; r < MOST_RANKS; r++)
        free(f->ev[r]);
    az_table_free(f->job.coverage);
    az_table_free(f->job.findings);
    az_document_release(&f->doc);
    az_diag_release(&f->diag);
    az_arena_release(&f->arena);
    const size_t left = f->mem.used;
    free(f);
    return left == 0 ? 0 : -1;
}

/* ---- making ---- */
/* An all-reduce of `in` floats in the group "0" of the given members. */
static struct az_coll_what allreduce(int64_t in, const char *ranks)
{
    return (struct az_coll_what){ .name = AZ_SV("allreduce"),
                                  .dtype = AZ_SV("Float"),
                                  .group = AZ_SV("0"),
                                  .ranks = az_sv_str(ranks),
                                  .in = in,
                                  .out = in,
                                  .size = -1,
                                  .peer = -1,
                                  .kind = AZ_COLL_ALLREDUCE,
                                  .source = "kernel" };
}

static uint32_t what_row(struct fix *f, int r, const struct az_coll_what *w)
{
    for (uint32_t i = 0; i < f->part[r].n_what; i++)
        if (memcmp(&f->what[r][i], w, sizeof *w) == 0)
            return i;
    assert_true(f->part[r].n_what < 64);
    f->what[r][f->part[r].n_what] = *w;
    return (uint32_t)f->part[r].n_what++;
}

/* An event of a rank, in us; launched 1 us before it starts. */
static struct az_coll_event *event(struct fix *f, int r, int64_t start, int64_t dur,
                                   const struct az_coll_what *w)
{
    struct az_coll_part *p = &f->part[r];
    assert_true(p->n < MOST_EVENTS);
    struct az_coll_event *e = &f->ev[r][p->n++];
    *e = (struct az_coll_event){ .start = start * 1000,
                                 .end = (start + dur) * 1000,
                                 .launch = start * 1000 - 1000,
                                 .seq = -1,
                                 .what = what_row(f, r, w) };
    return e;
}

/* Runs over ranks first..., those without events have no part; world: ranks of the run. */
static void pack(struct fix *f, int r)
{
    assert_int_equal(
        az_coll_part_set_events(&f->part[r], f->ev[r], f->part[r].n, &f->arena, &f->mem), 0);
}

static void finish(struct fix *f, int world)
{
    size_t n = 0;
    for (int r = 0; r < world; r++) {
        if (f->part[r].n == 0) {
            f->missing[f->ranks.n_missing++] = r;
            continue;
        }
        pack(f, r);
        f->rank[n] = f->rank[r];
        f->parts[n++] = &f->part[r];
    }
    f->ranks.v = f->rank;
    f->ranks.n = n;
    f->ranks.world_size = world;
    f->ranks.missing = f->missing;
    f->job = (struct az_job){ .opts = &f->opts,
                              .arena = &f->arena,
                              .mem = &f->mem,
                              .diag = &f->diag,
                              .doc = &f->doc,
                              .coverage = az_coverage_table(&f->arena),
                              .findings = az_findings_table(&f->arena) };
    assert_int_equal(az_rank_analysis_collectives.finish(&f->job, &f->ranks, f->parts), 0);
}

/* ---- looking ---- */
static const struct az_table *table(const struct fix *f, const char *id)
{
    struct az_table *t = az_document_table(&f->doc, id);
    if (!t)
        fail_msg("no table %s", id);
    assert_int_equal(az_table_store_rows(t, t->rows), 0);
    return t;
}

static const struct az_cell *cell(const struct az_table *t, size_t row, const char *column)
{
    const ptrdiff_t c = az_table_find(t, column);
    if (c < 0)
        fail_msg("no column %s", column);
    assert_true(row < t->rows);
    return az_table_at(t, row, (size_t)c);
}

static double num(const struct fix *f, const char *id, size_t row, const char *column)
{
    return az_cell_number(cell(table(f, id), row, column));
}

static void is(const struct fix *f, const char *id, size_t row, const char *column,
               const char *want)
{
    const struct az_sv got = az_cell_text(cell(table(f, id), row, column));
    if (!az_sv_is(got, want))
        fail_msg("%s row %zu, %s: got '%.*s', want '%s'", id, row, column, AZ_SVF(got), want);
}

#define near(got, want)                                                                            \
    do {                                                                                           \
        const double got_ = (got), want_ = (want);                                                 \
        if (!(fabs(got_ - want_) <= 1e-12 * (1 + fabs(want_))))                                    \
            fail_msg("line %d, %s: got %.17g, want %.17g", __LINE__, #got, got_, want_);           \
    } while (0)

static size_t row_of_rank(const struct az_table *t, int rank)
{
    for (size_t i = 0; i < t->rows; i++)
        if (cell(t, i, "rank")->i == rank)
            return i;
    fail_msg("no row of rank %d", rank);
    return 0;
}

static size_t row_of(const struct az_table *t, const char *column, const char *text)
{
    for (size_t i = 0; i < t->rows; i++)
        if (az_sv_is(az_cell_text(cell(t, i, column)), text))
            return i;
    fail_msg("no row with %s = %s", column, text);
    return 0;
}

static size_t findings_of(const struct fix *f, const char *rule)
{
    size_t n = 0;
    for (size_t i = 0; i < f->job.findings->rows; i++)
        n += az_sv_is(az_cell_text(cell(f->job.findings, i, "Rule")), rule) ? 1u : 0u;
    return n;
}

/* Ranks that the others wait for; the verdict makes findings of them. */
static size_t late_ranks(struct fix *f)
{
    const struct az_coll_waits *w = az_coll_waits_of(&f->job);
    size_t n = 0;
    for (size_t i = 0; w && i < w->late.n; i++)
        n += w->late.v[i].kind == AZ_LATE_RANKS ? w->late.v[i].n : 0;
    return n;
}

#define SYNC "nccl_implicit_sync"

/* ---- figures of one collective ---- */
static void test_figures(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1 << 20, "[0, 1, 2]");
    event(f, 0, 100, 60, &w);
    event(f, 1, 120, 41, &w);
    event(f, 2, 140, 20, &w);
    finish(f, 3);
    is(f, SYNC, 0, "collective_id", "0_0");
    near(num(f, SYNC, 0, "comm_latency"), 20);
    near(num(f, SYNC, 0, "skew in start time"), 40);
    near(num(f, SYNC, 0, "skew in end time"), 1);
    near(num(f, SYNC, 0, "earliest arrival rank"), 0);
    near(num(f, SYNC, 0, "last arrival rank"), 2);
    near(num(f, SYNC, 0, "avg_wait_time"), 20);
    near(num(f, SYNC, 0, "rank_0_wait_time"), 40);
    near(num(f, SYNC, 0, "rank_1_wait_time"), 20);
    near(num(f, SYNC, 0, "rank_1_wait_time (clock-free)"), 21);
    near(num(f, SYNC, 0, "rank_1_ts"), 120);
    near(num(f, SYNC, 0, "rank_1_dur"), 41);
    near(num(f, SYNC, 0, "Full msg size (MB)"), 4);
    near(num(f, SYNC, 0, "algo bw (GB/s)"), 4194304 / 20e3);
    near(num(f, SYNC, 0, "bus bw (GB/s)"), 4194304 / 20e3 * 4 / 3);
    near(num(f, SYNC, 0, "algo bw (GiB/s)"), 4.0 / 1024 / 20e-6);
    near(num(f, SYNC, 0, "n_present"), 3);
    is(f, SYNC, 0, "status", "complete");
    is(f, SYNC, 0, "node_span", "intra_node");
    near(num(f, "straggler_summary", 0, "rank"), 2);
    near(num(f, "straggler_summary", 0, "blame_us"), 20);
    near(num(f, "straggler_summary", 0, "caused_wait_us"), 60);
    near(num(f, "straggler_summary", 2, "total_wait_time_us"), 40);
    near(num(f, "straggler_summary", 2, "times_arrived_first"), 1);
}

static void test_ties(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(4, "[0, 1, 2, 3]");
    event(f, 0, 100, 50, &w);
    event(f, 1, 100, 50, &w);
    event(f, 2, 130, 20, &w);
    event(f, 3, 130, 20, &w);
    finish(f, 4);
    near(num(f, SYNC, 0, "earliest arrival rank"), 1); /* the highest of those that wait longest */
    near(num(f, SYNC, 0, "last arrival rank"), 2);     /* the lowest of those that wait least */
    near(num(f, "straggler_summary", row_of_rank(table(f, "straggler_summary"), 2), "blame_us"), 0);
}

static void test_factors(void **state)
{
    (void)state;
    near(az_coll_factor(AZ_COLL_ALLREDUCE, 8), 1.75);
    near(az_coll_factor(AZ_COLL_ALLGATHER, 8), 0.875);
    near(az_coll_factor(AZ_COLL_REDUCESCATTER, 4), 0.75);
    near(az_coll_factor(AZ_COLL_ALLTOALL, 2), 0.5);
    near(az_coll_factor(AZ_COLL_GATHER, 5), 0.8);
    near(az_coll_factor(AZ_COLL_BROADCAST, 5), 1);
    near(az_coll_factor(AZ_COLL_SEND, 2), 1);
    assert_true(isnan(az_coll_factor(AZ_COLL_SENDRECV, 8)));
    assert_true(isnan(az_coll_factor(AZ_COLL_ALLREDUCE, 0)));
    assert_true(isnan(az_coll_factor(AZ_COLL_BARRIER, 8)));
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum az_coll_kind kind;
    } of[] = { { "allreduce_coalesced", AZ_COLL_ALLREDUCE },
               { "_reduce_scatter_base", AZ_COLL_REDUCESCATTER },
               { "reduce_scatter", AZ_COLL_REDUCESCATTER },
               { "all_gather_into_tensor_coalesced", AZ_COLL_ALLGATHER },
               { "allgather_into_tensor_coalesced", AZ_COLL_ALLGATHER },
               { "_allgather_base", AZ_COLL_ALLGATHER },
               { "alltoall_base", AZ_COLL_ALLTOALL },
               { "nccl:all_to_all", AZ_COLL_ALLTOALL },
               { "all_to_allv", AZ_COLL_ALLTOALLV },
               { "SendRecv", AZ_COLL_SENDRECV },
               { "barrier", AZ_COLL_BARRIER },
               { "coalesced", AZ_COLL_UNKNOWN },
               { "", AZ_COLL_UNKNOWN } };
    for (size_t i = 0; i < AZ_LENGTH(of); i++)
        if (az_coll_kind_of(az_sv_str(of[i].name)) != of[i].kind)
            fail_msg("%s", of[i].name);
    assert_int_equal(az_coll_dtype_bytes(AZ_SV("Float8_e4m3fnuz")), 1);
    assert_int_equal(az_coll_dtype_bytes(AZ_SV("ComplexDouble")), 16);
    assert_int_equal(az_coll_dtype_bytes(AZ_SV("Float16x")), 0);
    assert_true(az_sv_is(az_coll_dtype_of(AZ_SV("c10::BFloat16")), "BFloat16"));
    assert_true(az_sv_is(az_coll_dtype_of(AZ_SV("long int")), "Long"));
    assert_int_equal(az_coll_dtype_of(AZ_SV("TensorList")).n, 0);
    struct az_sv name;
    assert_false(az_coll_match_pattern(AZ_SV(""), AZ_SV("my_Gather_k"), &name));
    assert_true(
        az_coll_match_pattern(AZ_SV("zz=b my_gather=allgather"), AZ_SV("my_Gather_k"), &name));
    assert_true(az_sv_is(name, "allgather"));
    assert_true(az_sv_is(az_coll_of_class(AZ_SV("Comm-ReduceScatter")), "reduce_scatter"));
    assert_int_equal(az_coll_of_class(AZ_SV("Comm-Generic")).n, 0);
    assert_true(az_sv_is(az_coll_class(AZ_COLL_BARRIER), "Comm-Barrier"));
    assert_true(az_sv_is(az_coll_class(AZ_COLL_UNKNOWN), "Comm-Generic"));
}

/* Gather: only the root has all of it. */
static void test_gather_size(void **state)
{
    struct fix *f = *state;
    struct az_coll_what w = allreduce(100, "[0, 1]"), root = w;
    w.kind = root.kind = AZ_COLL_GATHER;
    w.name = root.name = AZ_SV("gather");
    w.out = 0;
    root.out = 200;
    event(f, 0, 0, 10, &w);
    event(f, 1, 0, 10, &root);
    finish(f, 2);
    near(num(f, SYNC, 0, "Full msg size (MB)"), 800.0 / 1048576);
    near(num(f, SYNC, 0, "bus bw (GB/s)"), 800.0 / 10e3 * 0.5);
    near(az_cell_number(cell(table(f, SYNC), 0, "implicit_sync")), 0);
    assert_int_equal(table(f, SYNC)->rows, 1);
    assert_null(az_document_table(&f->doc, "straggler_summary")); /* nothing waits for all */
}

/* ---- missing members ---- */
static void test_missing_rank(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(64, "[0, 1, 2]");
    event(f, 0, 10, 20, &w);
    event(f, 2, 15, 15, &w);
    finish(f, 3);
    near(num(f, SYNC, 0, "n_present"), 2);
    near(num(f, SYNC, 0, "n_expected"), 3);
    is(f, SYNC, 0, "status", "partial");
    near(num(f, SYNC, 0, "partial"), 1);
    near(num(f, SYNC, 0, "bus bw (GB/s)"), 256 / 15e3 * 4 / 3);
    assert_int_equal(findings_of(f, "partial_collectives"), 1);
    assert_null(az_document_table(&f->doc, "nccl_unmatched"));
}

/* Replica groups of a compiled program: ranks wait for those of their own group alone, and one that
 * is in no group is by itself. */
static void test_replica_groups(void **state)
{
    struct fix *f = *state;
    struct az_coll_what w = allreduce(64, "[[0,2],[3,1]]");
    w.group = AZ_SV("");
    static const int64_t start[] = { 10, 20, 13, 27 };
    for (int r = 0; r < 4; r++)
        event(f, r, start[r], 40 - start[r], &w);
    event(f, 4, 35, 5, &w);
    finish(f, 5);
    const struct az_table *t = table(f, SYNC);
    assert_int_equal(t->rows, 3);
    is(f, SYNC, 0, "Process Group Ranks", "[0,2]");
    is(f, SYNC, 1, "Process Group Ranks", "[3,1]");
    near(num(f, SYNC, 0, "skew in start time"), 3);
    near(num(f, "process_groups", 0, "Group size"), 2);
    near(num(f, SYNC, 1, "skew in start time"), 7);
    is(f, SYNC, 0, "status", "complete");
    is(f, SYNC, 1, "status", "complete");
    near(num(f, "straggler_summary", 0, "rank"), 2);
    near(num(f, "straggler_summary", 0, "times_arrived_last"), 1);
    for (size_t i = 0; i < 5; i++)
        if (num(f, "straggler_summary", i, "rank") == 3)
            near(num(f, "straggler_summary", i, "times_arrived_last"), 1);
}

/* One file of a pair of ranks: its own time is an upper bound, and it waits for nobody that is
 * known. */
static void test_alone(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(64, "[0, 1]");
    event(f, 0, 10, 20, &w);
    finish(f, 2);
    near(num(f, SYNC, 0, "comm_latency"), 20);
    assert_int_equal(cell(table(f, SYNC), 0, "avg_wait_time")->type, AZ_EMPTY);
    assert_int_equal(cell(table(f, SYNC), 0, "last arrival rank")->type, AZ_EMPTY);
    is(f, SYNC, 0, "status", "partial");
    assert_null(az_document_table(&f->doc, "nccl_unmatched"));
}

/* ---- matching ---- */
/* n collectives of period 100 us and of sizes 1, 2, 3, 1, ...; ends differ by less than 1 us. */
static void periodic(struct fix *f, int r, int n, int skip_from, int skip_to, int64_t clock,
                     bool sized)
{
    for (int i = 0; i < n; i++) {
        const struct az_coll_what w = allreduce(sized ? 1 + i % 3 : 1, "[0, 1, 2, 3]");
        if (i >= skip_from && i < skip_to)
            continue;
        const int64_t jitter = (i * 37) % 23; /* no period of its own within the test */
        struct az_coll_event *e = event(f, r, clock + i * 100 + jitter - r, 20 + r, &w);
        e->end += r * 100; /* ns */
    }
}

static void test_in_order(void **state)
{
    struct fix *f = *state;
    for (int r = 0; r < 4; r++)
        periodic(f, r, 10, 0, 0, 0, true);
    finish(f, 4);
    assert_int_equal(table(f, SYNC)->rows, 10);
    near(num(f, SYNC, 9, "n_present"), 4);
    assert_null(az_document_table(&f->doc, "nccl_unmatched"));
    assert_int_equal(findings_of(f, "unmatched_collectives"), 0);
}

/* Four steps of ten collectives that are all alike; rank 2 has steps 11 to 14, the others 10 to 13:
 * as many events, and as many collectives in common as steps have the same number. */
static void test_other_steps(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1, "[0, 1, 2, 3]");
    for (int r = 0; r < 4; r++) {
        struct az_coll_step *v = az_arena_array(&f->arena, 4, sizeof *v);
        for (int s = 0; s < 4; s++) {
            const int number = s + (r == 2);
            v[s] =
                (struct az_coll_step){ number * 1000000, number * 1000000 + 999999, 10 + number };
            for (int i = 0; i < 10; i++)
                event(f, r, number * 1000 + i * 100 + 5, 20, &w);
        }
        f->part[r].steps = v;
        f->part[r].n_steps = 4;
    }
    finish(f, 4);
    assert_int_equal(table(f, SYNC)->rows, 40); /* the ten of step 14 have rank 2 alone */
    for (size_t i = 0; i < 10; i++)
        near(num(f, SYNC, i, "n_present"), 3);
    for (size_t i = 10; i < 40; i++)
        near(num(f, SYNC, i, "n_present"), 4);
    for (int r = 0; r < 4; r++)
        near(num(f, "clock_offsets", row_of_rank(table(f, "clock_offsets"), r), "offset_us"), 0);
}

/* Rank 2 begins recording two collectives later. */
static void starts_later(struct fix *f, bool sized)
{
    for (int r = 0; r < 4; r++)
        periodic(f, r, 20, 0, r == 2 ? 2 : 0, 0, sized);
    finish(f, 4);
    assert_int_equal(table(f, SYNC)->rows, 20);
    near(num(f, SYNC, 0, "n_present"), 3);
    near(num(f, SYNC, 1, "n_present"), 3);
    is(f, SYNC, 1, "status", "incomplete");
    for (size_t i = 2; i < 20; i++) {
        near(num(f, SYNC, i, "n_present"), 4);
        near(num(f, SYNC, i, "skew in start time"), 3);
    }
    const struct az_table *t = table(f, "nccl_unmatched");
    assert_int_equal(t->rows, 2);
    near(num(f, "nccl_unmatched", 0, "rank"), 2);
    is(f, "nccl_unmatched", 1, "collective_id", "0_1");
    assert_int_equal(findings_of(f, "unmatched_collectives"), 1);
}
static void test_starts_later(void **state) { starts_later(*state, true); }
/* All are alike: only when they ended says which are missing. */
static void test_starts_later_alike(void **state) { starts_later(*state, false); }

static void dropped(struct fix *f, int64_t clock, bool sized)
{
    for (int r = 0; r < 4; r++)
        periodic(f, r, 40, r == 1 ? 17 : 0, r == 1 ? 18 : 0, r == 1 ? clock : 0, sized);
    finish(f, 4);
    assert_int_equal(table(f, SYNC)->rows, 40);
    for (size_t i = 0; i < 40; i++)
        near(num(f, SYNC,
                 row_of(table(f, SYNC), "collective_id",
                        i == 17   ? "0_17"
                        : i == 39 ? "0_39"
                                  : "0_0"),
                 "n_present"),
             i == 17 ? 3 : 4);
    is(f, "nccl_unmatched", 0, "collective_id", "0_17");
    assert_int_equal(table(f, "nccl_unmatched")->rows, 1);
}
static void test_dropped(void **state) { dropped(*state, 0, true); }
static void test_dropped_alike(void **state) { dropped(*state, 0, false); }
/* The clock is off by more than the collectives are apart, too. */
static void test_dropped_alike_clock(void **state) { dropped(*state, 1500, false); }

/* Each has one that the other has not: both are left without partner. */
static void test_extra(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what a = allreduce(1, "[0, 1]"), b = allreduce(2, "[0, 1]"),
                              x = allreduce(8, "[0, 1]"), y = allreduce(9, "[0, 1]");
    event(f, 0, 0, 10, &a);
    event(f, 0, 100, 10, &x);
    event(f, 0, 200, 10, &b);
    event(f, 0, 300, 10, &a);
    event(f, 1, 0, 10, &a);
    event(f, 1, 200, 10, &b);
    event(f, 1, 250, 10, &y);
    event(f, 1, 300, 10, &a);
    finish(f, 2);
    assert_int_equal(table(f, SYNC)->rows, 3);
    assert_int_equal(table(f, "nccl_unmatched")->rows, 2);
    near(num(f, "nccl_unmatched", 0, "In msg nelems"), 8);
    near(num(f, "nccl_unmatched", 1, "In msg nelems"), 9);
    assert_int_equal(cell(table(f, "nccl_long"), 1, "collective_id")->type, AZ_EMPTY);
    assert_int_equal(findings_of(f, "unmatched_collectives"), 2);
}

/* Ranks with sizes of their own throughout: nothing is missing. */
static void test_own_sizes(void **state)
{
    struct fix *f = *state;
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 5; i++) {
            const struct az_coll_what w = allreduce(10 + r, "[0, 1]");
            event(f, r, i * 100, 10, &w);
        }
    finish(f, 2);
    assert_int_equal(table(f, SYNC)->rows, 5);
    is(f, SYNC, 0, "status", "arguments differ");
    assert_int_equal(findings_of(f, "collective_arguments_differ"), 1);
    assert_null(az_document_table(&f->doc, "nccl_unmatched"));
}

/* Numbers win over order, in which rank 1 lacks the first and starts the others the other way
 * round. */
static void test_sequence_numbers(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(4, "[0, 1]");
    for (int i = 0; i < 3; i++)
        event(f, 0, 100 * i, 10, &w)->seq = 7 + i;
    event(f, 1, 100, 10, &w)->seq = 9;
    event(f, 1, 210, 10, &w)->seq = 8;
    finish(f, 2);
    assert_int_equal(table(f, SYNC)->rows, 2);
    near(num(f, SYNC, 0, "skew in start time"), 110);
    near(num(f, SYNC, 1, "skew in start time"), 100);
    assert_int_equal(table(f, "nccl_unmatched")->rows, 1);
    near(num(f, "nccl_unmatched", 0, "index_in_group"), 0);
}

/* The same after an event of another group, so that places in the group are not those in the rank.
 */
static void test_sequence_numbers_of_two_groups(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(4, "[0, 1]");
    struct az_coll_what other = allreduce(4, "[0, 1]");
    other.group = AZ_SV("other");
    for (int r = 0; r < 2; r++)
        event(f, r, 10, 10, &other)->seq = 8;
    for (int i = 1; i < 4; i++)
        event(f, 0, 100 * i, 10, &w)->seq = 6 + i;
    event(f, 1, 200, 10, &w)->seq = 9;
    event(f, 1, 310, 10, &w)->seq = 8;
    finish(f, 2);
    assert_int_equal(table(f, SYNC)->rows, 3);
    near(num(f, SYNC, 1, "skew in start time"), 110);
    near(num(f, SYNC, 2, "skew in start time"), 100);
}

/* A number twice on one rank says nothing: order does. */
static void test_sequence_not_unique(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(4, "[0, 1]");
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 3; i++)
            event(f, r, 100 * i + r, 10, &w)->seq = 7;
    finish(f, 2);
    assert_int_equal(table(f, SYNC)->rows, 3);
    near(num(f, SYNC, 2, "n_present"), 2);
}

/* By launch, not by start: two streams start them the other way round on rank 1. */
static void test_launch_order(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what a = allreduce(1, "[0, 1]"), b = allreduce(1, "[0, 1]");
    event(f, 0, 100, 50, &a)->launch = 10;
    event(f, 0, 200, 20, &b)->launch = 20;
    event(f, 1, 120, 100, &b)->launch = 20;
    event(f, 1, 130, 20, &a)->launch = 10;
    finish(f, 2);
    const size_t first = row_of(table(f, SYNC), "collective_id", "0_0");
    near(num(f, SYNC, first, "rank_0_ts"), 100);
    near(num(f, SYNC, first, "rank_1_ts"), 130);
    near(num(f, SYNC, 1 - first, "rank_1_ts"), 120);
}

/* One name, two sets of members. */
static void test_equal_names(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what a = allreduce(1, "[0, 1]"), b = allreduce(1, "[2, 3]");
    for (int r = 0; r < 4; r++)
        event(f, r, 100 + 10 * r, 50, r < 2 ? &a : &b);
    finish(f, 4);
    assert_int_equal(table(f, SYNC)->rows, 2);
    is(f, SYNC, 0, "collective_id", "0_0");
    is(f, SYNC, 1, "collective_id", "0#2_0");
    near(num(f, SYNC, 0, "skew in start time"), 10);
    near(num(f, SYNC, 1, "earliest arrival rank"), 2);
}

/* A shortened list of members is none: the group of that name with this rank is meant, where there
 * is one. */
static void test_shortened_members(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what a = allreduce(1, "[0, 1]"), cut = allreduce(1, "[0, ...]");
    event(f, 0, 100, 10, &a);
    event(f, 1, 100, 10, &cut);
    event(f, 2, 100, 10, &cut); /* is no member of it */
    finish(f, 3);
    assert_int_equal(table(f, SYNC)->rows, 2);
    near(num(f, SYNC, row_of(table(f, SYNC), "collective_id", "0_0"), "n_present"), 2);
    near(num(f, SYNC, row_of(table(f, SYNC), "collective_id", "0#2_0"), "n_expected"), 3);
}

/* Nothing but names: group `all`, ids are ordinals; a second stream makes it Unknown_Group. */
static void without_groups(struct fix *f, bool one_stream, const char *group, const char *id)
{
    struct az_coll_what w = allreduce(-1, "");
    w.group = w.dtype = AZ_SV("");
    w.out = -1;
    w.source = "kernel name";
    for (int r = 0; r < 2; r++) {
        event(f, r, 10, 10, &w);
        event(f, r, 30 + r, 10, &w);
        f->part[r].one_stream = one_stream;
    }
    finish(f, 2);
    is(f, SYNC, 1, "Process Group Name", group);
    is(f, SYNC, 1, "collective_id", id);
    assert_int_equal(cell(table(f, SYNC), 1, "bus bw (GB/s)")->type, AZ_EMPTY);
    assert_int_equal(cell(table(f, SYNC), 1, "dtype")->type, AZ_EMPTY);
    near(num(f, SYNC, 1, "comm_latency"), 10);
    assert_int_equal(table(f, "nccl_summary_long")->rows, 2); /* kept without keys */
}
static void test_simplified(void **state) { without_groups(*state, true, "all", "1"); }
static void test_unknown_group(void **state)
{
    without_groups(*state, false, "Unknown_Group", "Unknown_Group_1");
}

/* ---- send and recv ---- */
static void p2p(struct fix *f, int from, int to, int64_t at, const char *ranks, bool said)
{
    struct az_coll_what s = allreduce(1000, ranks), r;
    s.kind = AZ_COLL_SEND;
    s.name = AZ_SV("send");
    s.group = AZ_SV("pp");
    r = s;
    r.kind = AZ_COLL_RECV;
    r.name = AZ_SV("recv");
    s.peer = said ? to : -1;
    r.peer = said ? from : -1;
    event(f, from, at, 10, &s);
    event(f, to, at - 5, 15, &r);
}

static void test_pairs(void **state)
{
    struct fix *f = *state;
    p2p(f, 0, 1, 100, "[0, 1]", false); /* the only other member */
    p2p(f, 0, 1, 200, "[0, 1]", false);
    finish(f, 2);
    assert_int_equal(table(f, SYNC)->rows, 2);
    is(f, SYNC, 0, "Collective name", "send_recv");
    is(f, SYNC, 1, "collective_id", "pp_1");
    near(num(f, SYNC, 0, "skew in start time"), 5);
    near(num(f, SYNC, 0, "algo bw (GB/s)"), 0.4);
    near(num(f, SYNC, 0, "n_expected"), 2);
}

/* Both ways and three ranks: by direction, as the events say. */
static void test_pairs_both_ways(void **state)
{
    struct fix *f = *state;
    p2p(f, 0, 1, 100, "[0, 1, 2]", true);
    p2p(f, 1, 2, 150, "[0, 1, 2]", true);
    p2p(f, 2, 1, 200, "[0, 1, 2]", true);
    p2p(f, 0, 1, 300, "[0, 1, 2]", true);
    finish(f, 3);
    assert_int_equal(table(f, SYNC)->rows, 4);
    (void)row_of(table(f, SYNC), "collective_id", "pp_0-1_1");
    (void)row_of(table(f, SYNC), "collective_id", "pp_2-1_0");
    near(num(f, SYNC, row_of(table(f, SYNC), "collective_id", "pp_1-2_0"), "rank_2_ts"), 145);
}

static void test_pair_unmatched(void **state)
{
    struct fix *f = *state;
    p2p(f, 0, 1, 100, "[0, 1, 2]", true);
    p2p(f, 0, 2, 200, "[0, 1, 2]", false); /* to whom? */
    finish(f, 3);
    assert_int_equal(table(f, SYNC)->rows, 1);
    assert_int_equal(table(f, "nccl_unmatched")->rows, 2);
    is(f, "nccl_unmatched", 0, "what", "peer not recorded");
}

/* Of a pair one event is there: it matches nothing, and no rank lacks an event. */
static void test_pair_half(void **state)
{
    struct fix *f = *state;
    struct az_coll_what send = allreduce(1000, "[0, 1, 2, 3]");
    send.kind = AZ_COLL_SEND;
    send.name = AZ_SV("send");
    send.group = AZ_SV("pp");
    p2p(f, 0, 1, 100, "[0, 1, 2, 3]", true);
    send.peer = 3;
    event(f, 0, 200, 10, &send);
    send.peer = 2;
    event(f, 1, 210, 10, &send);
    p2p(f, 2, 3, 300, "[0, 1, 2, 3]", true);
    finish(f, 4);
    assert_int_equal(table(f, SYNC)->rows, 2);
    is(f, SYNC, 0, "status", "complete");
    is(f, SYNC, 1, "status", "complete");
    const struct az_table *t = table(f, "nccl_unmatched");
    assert_int_equal(t->rows, 2);
    for (int r = 0; r < 2; r++)
        is(f, "nccl_unmatched", row_of_rank(t, r), "what", "on no other rank");
}

/* ---- clocks ---- */
static void late_clock(struct fix *f, const char *when, int64_t base)
{
    f->opts.align_clocks = az_sv_str(when);
    for (int r = 0; r < 4; r++)
        periodic(f, r, 12, 0, 0, r == 2 && !base ? 1500 : 0, true);
    for (int r = 0; r < 4 && base; r++)
        f->rank[r].base_ns = base + (r == 2 ? 1500000 : 0);
    finish(f, 4);
    const struct az_table *t = table(f, "clock_offsets");
    near(num(f, "clock_offsets", row_of_rank(t, 2), "offset_us"),
         1500.1); /* ends 0.1 us after those of rank 1 */
    near(num(f, "clock_offsets", row_of_rank(t, 2), "iqr_us"), 0);
    near(num(f, "clock_offsets", row_of_rank(t, 1), "offset_us"), 0);
}

static void test_clock(void **state)
{
    struct fix *f = *state;
    late_clock(f, "auto", 0);
    near(num(f, SYNC, 0, "skew in start time"), 3);
    near(num(f, SYNC, 0, "rank_2_ts"), 1498); /* as in the file */
    near(num(f, SYNC, 0, "rank_0_wait_time"), 0);
    near(num(f, SYNC, 0, "rank_2_wait_time"), 2.1);
    near(az_cell_number(cell(table(f, "clock_offsets"), 2, "shifted")), 1);
    near(az_cell_number(cell(table(f, "clock_offsets"), 3, "shifted")), 0);
    assert_int_equal(findings_of(f, "clock_offset"), 1);
    assert_true(az_sv_is(az_cell_text(cell(f->job.findings, 0, "Severity")), "info"));
}

static void test_clock_base(void **state)
{
    struct fix *f = *state;
    late_clock(f, "auto", 1767189312000000000);
    near(num(f, SYNC, 0, "rank_2_wait_time"), 2.1);
}

static void test_clock_never(void **state)
{
    struct fix *f = *state;
    late_clock(f, "never", 0);
    near(num(f, SYNC, 0, "last arrival rank"), 2); /* a false straggler */
    near(num(f, SYNC, 0, "rank_0_wait_time"), 1498);
    near(num(f, SYNC, 0, "rank_0_wait_time (clock-free)"), 0);
    assert_int_equal(findings_of(f, "clock_offset"), 1);
}

/* Pairs that connect all: offsets go through several groups. */
static void test_clock_through_groups(void **state)
{
    struct fix *f = *state;
    static const char *const groups[] = { "[0, 1]", "[1, 2]", "[2, 3]" };
    for (int r = 0; r < 4; r++)
        for (int g = 0; g < 3; g++)
            for (int i = 0; i < 5 && (g == r || g + 1 == r); i++) {
                const struct az_coll_what w = allreduce(1, groups[g]);
                event(f, r, 1000 * i + 100 * g + (r == 3 ? 7000 : 0), 10, &w);
            }
    for (int r = 0; r < 4; r++)
        for (size_t i = 0; i < f->part[r].n; i++)
            f->ev[r][i].launch = INT64_MIN;
    finish(f, 4);
    const struct az_table *t = table(f, "clock_offsets");
    for (int r = 0; r < 3; r++)
        assert_true(fabs(num(f, "clock_offsets", row_of_rank(t, r), "offset_us")) < 30);
    assert_true(fabs(num(f, "clock_offsets", row_of_rank(t, 3), "offset_us") - 7000) < 30);
}

/* 200 collectives over 10 s; the clock of rank 2 runs away by 5 ppm, that of rank 1 is put 300 us
 * ahead after 6.02 s.
 */
static void test_clock_drift_and_step(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1, "[0, 1, 2, 3]");
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 200; i++) {
            const int64_t t = 50000 * (int64_t)i + (i * 37) % 23;
            struct az_coll_event *e =
                event(f, r, t + (r == 1 && i > 120 ? 300 : 0) + r, 50 - r, &w);
            e->start += r == 2 ? t * 5 / 1000 : 0; /* ns */
            e->end += (r == 2 ? t * 5 / 1000 : 0) + (i * 13 + r * 7) % 5 * 100;
        }
    finish(f, 4);
    const struct az_table *t = table(f, "clock_offsets");
    assert_true(fabs(num(f, "clock_offsets", row_of_rank(t, 2), "drift_ppm") - 5) < 0.05);
    assert_true(fabs(num(f, "clock_offsets", row_of_rank(t, 0), "drift_ppm")) < 0.05);
    near(num(f, "clock_offsets", row_of_rank(t, 1), "clock_steps"), 1);
    near(num(f, "clock_offsets", row_of_rank(t, 2), "clock_steps"), 0);
    for (size_t i = 0; i < table(f, SYNC)->rows; i++)
        if (fabs(num(f, SYNC, i, "skew in start time") - 3) > 2)
            fail_msg("collective %zu: skew %.3f", i, num(f, SYNC, i, "skew in start time"));
    for (size_t i = 0; i < 4; i++)
        assert_true(num(f, "clock_offsets", i, "error_us") < 1);
    assert_int_equal(findings_of(f, "clock_uncertain"), 0);
}

/* Ends of 12 steps of 5 ms, 0.8 s apart, scatter by some us; the clock drifts by 20 ppm. In a step
 * that scatter looks like hundreds of ppm. */
static void test_clock_of_short_steps(void **state)
{
    enum { STEPS = 12, EACH = 20, N = STEPS * EACH };
    int64_t t[N], y[N], scratch[N];
    struct az_coll_track k = { .n = 0 };
    (void)state;
    for (int i = 0; i < N; i++) {
        const uint32_t h = (uint32_t)i * UINT32_C(2654435761);
        t[i] = (int64_t)(i / EACH) * 805000000 + i % EACH * 250000;
        y[i] = t[i] / 50000 + (h >> 20) * 2 +
               (i / EACH % 3 == 0 ? i % EACH * 150 : 0); /* to 8 us, and slopes of some */
    }
    az_coll_fit(t, y, N, true, scratch, &k);
    for (uint32_t i = 0; i < k.n; i++)
        assert_true(fabs(k.piece[i].drift * 1e6 - 20) < 2);
    for (int64_t at = -100000000; at < t[N - 1]; at += 10000000) /* between steps, too */
        assert_true(fabs((double)(az_coll_ahead(&k, at) - at / 50000 - 4500)) < 5000);
}

/* No clock drifts by 1,000 ppm, whatever its ends say. */
static void test_clock_cannot_drift_so(void **state)
{
    enum { N = 200 };
    int64_t t[N], y[N], scratch[N];
    struct az_coll_track k = { .n = 0 };
    (void)state;
    for (int i = 0; i < N; i++) {
        t[i] = (int64_t)i * 100000;
        y[i] = t[i] / 1000;
    }
    az_coll_fit(t, y, N, true, scratch, &k);
    for (uint32_t i = 0; i < k.n; i++)
        assert_true(fabs(k.piece[i].drift) <= 100e-6);
}

/* Groups 0, 1 and 2, 3 have 10 collectives each for one of 0, 2 and of 1, 3; the clock of 2 and 3
 * is put 200 us ahead.
 */
static void test_clock_of_groups(void **state)
{
    struct fix *f = *state;
    static const char *const inner[] = { "[0, 1]", "[0, 1]", "[2, 3]", "[2, 3]" },
                             *const outer[] = { "[0, 2]", "[1, 3]", "[0, 2]", "[1, 3]" };
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 18 * 11; i++) {
            const struct az_coll_what w = allreduce(1, i % 11 ? inner[r] : outer[r]);
            struct az_coll_event *e =
                event(f, r, 300 * i + (r >= 2 && i >= 9 * 11 ? 200 : 0), 50, &w);
            e->end += (i * 13 + r * 7) % 5 * 100;
        }
    finish(f, 4);
    for (size_t i = 0; i < table(f, SYNC)->rows; i++)
        if (fabs(num(f, SYNC, i, "skew in start time")) > 2)
            fail_msg("collective %zu: skew %.3f", i, num(f, SYNC, i, "skew in start time"));
}

/* Messages of rank 0 to 1 and back; what the other one is after its sender. */
static void messages(struct fix *f, int n, int64_t ahead)
{
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 2; r++) {
            struct az_coll_what w = allreduce(8, "[0, 1]");
            const bool sends = (i % 2 == 0) == (r == 0);
            w.kind = sends ? AZ_COLL_SEND : AZ_COLL_RECV;
            w.name = sends ? AZ_SV("send") : AZ_SV("recv");
            w.peer = 1 - r;
            event(f, r, 1000 * i + (r ? ahead : 0) + (sends ? 5 : 0), sends ? 30 : 35, &w);
        }
    finish(f, 2);
}

/* Only messages connect them. */
static void test_clock_by_messages(void **state)
{
    struct fix *f = *state;
    messages(f, 20, 1500);
    const struct az_table *t = table(f, "clock_offsets");
    near(num(f, "clock_offsets", row_of_rank(t, 1), "offset_us"), 1500);
    is(f, "clock_offsets", 1, "known_by", "send and recv");
    for (size_t i = 0; i < table(f, SYNC)->rows; i++)
        near(num(f, SYNC, i, "skew in start time"), 5);
    assert_int_equal(findings_of(f, "clocks_not_aligned"), 0);
}

/* Nothing connects them. */
static void test_clocks_apart(void **state)
{
    struct fix *f = *state;
    static const char *const groups[] = { "[0, 1]", "[2, 3]" };
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 5; i++) {
            const struct az_coll_what w = allreduce(1, groups[r / 2]);
            event(f, r, 100 * i, 10, &w);
        }
    finish(f, 4);
    assert_int_equal(findings_of(f, "clocks_not_aligned"), 1);
    assert_true(az_sv_is(
        az_cell_text(cell(f->job.findings, row_of(f->job.findings, "Rule", "clocks_not_aligned"),
                          "Subject")),
        "ranks 2, 3"));
}

/* Ends that differ by 60 us and more say a clock no better than that. */
static void test_clock_uncertain(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1, "[0, 1, 2]");
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 40; i++)
            event(f, r, 1000 * i, 100 + (r == 2 ? (i / 5 * 7919) % 211 : 0), &w);
    finish(f, 3);
    assert_int_equal(findings_of(f, "clock_uncertain"), 1);
}

static void test_mixed_bases(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1, "[0, 1]");
    event(f, 0, 100, 10, &w);
    event(f, 1, 105, 5, &w);
    f->rank[1].base_ns = 1767189312000000000;
    finish(f, 2);
    near(num(f, SYNC, 0, "skew in start time"), 5);
    assert_int_equal(findings_of(f, "clock_base"), 1);
}

/* Different hosts: by duration. */
static void test_hosts(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1, "[0, 1]"), own = allreduce(1, "[0]");
    event(f, 0, 100, 10, &w);
    event(f, 1, 103, 25, &w);
    event(f, 0, 200, 10, &own);
    f->rank[0].host = AZ_SV("a");
    f->rank[1].host = AZ_SV("b");
    finish(f, 2);
    near(num(f, SYNC, 0, "rank_0_wait_time"), 0);
    near(num(f, SYNC, 0, "rank_1_wait_time"), 15);
    near(num(f, SYNC, 0, "last arrival rank"), 0);
    near(num(f, SYNC, 0, "avg_wait_time (clock)"), 1.5);
    near(num(f, SYNC, 0, "avg_wait_time (clock-free)"), 7.5);
    is(f, SYNC, 0, "node_span", "inter_node");
    is(f, SYNC, 1, "node_span", "intra_node");
    near(num(f, "straggler_summary", row_of_rank(table(f, "straggler_summary"), 1), "node_id"), 1);
}

/* Ranks of one host name are of one node, in the order in which hosts come. */
static void test_nodes_by_host(void **state)
{
    struct fix *f = *state;
    static const char *const hosts[] = { "node07", "node03", "node07", "node03" };
    const struct az_coll_what w = allreduce(1, "[0, 1, 2, 3]"), own = allreduce(1, "[0, 2]");
    for (int r = 0; r < 4; r++) {
        event(f, r, 100, 10, &w);
        f->rank[r].host = az_sv_str(hosts[r]);
    }
    event(f, 0, 200, 10, &own);
    event(f, 2, 205, 5, &own);
    finish(f, 4);
    const struct az_table *t = table(f, "straggler_summary");
    for (int r = 0; r < 4; r++)
        near(num(f, "straggler_summary", row_of_rank(t, r), "node_id"), r % 2);
    is(f, SYNC, 0, "node_span", "inter_node");
    is(f, SYNC, 1, "node_span", "intra_node");
    near(num(f, SYNC, 1, "rank_0_wait_time"), 5); /* by clock */
}

static void test_gpus_per_node(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1, "[1, 2]");
    event(f, 0, 100, 10, &w);
    event(f, 1, 100, 10, &w);
    event(f, 2, 100, 10, &w);
    f->opts.gpus_per_node = 2;
    finish(f, 3);
    is(f, SYNC, 0, "node_span", "inter_node");
}

/* ---- stragglers ---- */
static void test_binomial(void **state)
{
    (void)state;
    near(az_coll_binomial_tail(3, 0.5, 2), 0.5);
    near(az_coll_binomial_tail(3, 0.5, 0), 1);
    near(az_coll_binomial_tail(3, 0.5, 4), 0);
    near(az_coll_binomial_tail(2, 0.25, 1), 1 - 0.75 * 0.75);
    near(az_coll_binomial_tail(5, 1, 5), 1);
    near(az_coll_binomial_tail(5, 0, 1), 0);
    assert_true(az_coll_binomial_tail(27, 0.125, 12) < 1e-4);
    assert_true(az_coll_binomial_tail(100000, 0.125, 12500) > 0.49);
}

/* Steps of 800 us, with collectives 100 us apart; rank 1 is late. */
static void late_rank(struct fix *f, int steps, int64_t late)
{
    struct az_coll_step *v = az_arena_array(&f->arena, (size_t)steps, sizeof *v);
    for (int s = 0; s < steps; s++)
        v[s] = (struct az_coll_step){ 800000 * s - 2000, 800000 * (s + 1) - 2001, 10 + s };
    for (int r = 0; r < 4; r++) {
        for (int i = 0; i < 8 * steps; i++) {
            const struct az_coll_what w = allreduce(1, "[0, 1, 2, 3]");
            event(f, r, 100 * i + (r == 1 ? late : 0), r == 1 ? 50 - late : 50, &w);
        }
        f->part[r].steps = v;
        f->part[r].n_steps = (size_t)steps;
    }
    finish(f, 4);
}

static void test_straggler(void **state)
{
    struct fix *f = *state;
    late_rank(f, 3, 40); /* 320 of 800 us are lost */
    near(num(f, "straggler_summary", 0, "rank"), 1);
    near(num(f, "straggler_summary", 0, "pct_arrived_last"), 100);
    near(num(f, "straggler_summary", 0, "blame_us"), 3 * 320);
    near(num(f, "straggler_summary", 0, "caused_wait_us"), 3 * 960);
    near(num(f, "straggler_summary", 0, "caused_share_of_step (%)"), 100 * 320 / 799.999);
    near(num(f, "straggler_summary", 0, "chance_of_so_many"), pow(0.25, 24));
    near(num(f, "straggler_summary", 0, "own_delay_us"), 320);
    near(num(f, "straggler_summary", 1, "own_delay_us"), 0);
    near(num(f, "straggler_summary", 0, "steps_judged"), 3);
    near(num(f, "straggler_summary", 0, "straggler"), 1);
    near(num(f, "straggler_summary", 1, "straggler"), 0);
    assert_int_equal(late_ranks(f), 1);
    assert_int_equal(findings_of(f, "stragglers_not_judged"), 0);
    near(num(f, "nccl_wait_heatmap", 0, "allreduce"), 0.96);
}

/* As often last, but it costs 2 % of a step. */
static void test_harmless(void **state)
{
    struct fix *f = *state;
    late_rank(f, 5, 2);
    near(num(f, "straggler_summary", 0, "pct_arrived_last"), 100);
    near(num(f, "straggler_summary", 0, "own_delay_us"), 16);
    near(num(f, "straggler_summary", 0, "straggler_from_us"), 0.03 * 799.999);
    near(num(f, "straggler_summary", 0, "seldom_steps"), 4); /* of 5 */
    near(num(f, "straggler_summary", 0, "found_seldom_from_us"), 0.04 * 799.999 * 4 / 5);
    near(num(f, "straggler_summary", 0, "straggler"), 0);
    assert_int_equal(late_ranks(f), 0);
}

/* Four ranks, of which 0, 1 and 2, 3 exchange data, and then 0, 2 and 1, 3 add theirs. Rank 0 is 40
 * us late in its exchange: 1 gets that delay there and brings it to 3, as 0 does to 2. */
static void test_received_delay(void **state)
{
    struct fix *f = *state;
    static const char *const first[] = { "[0, 1]", "[0, 1]", "[2, 3]", "[2, 3]" },
                             *const second[] = { "[0, 2]", "[1, 3]", "[0, 2]", "[1, 3]" };
    struct az_coll_step *v = az_arena_array(&f->arena, 5, sizeof *v);
    for (int s = 0; s < 5; s++)
        v[s] = (struct az_coll_step){ 800000 * s - 2000, 800000 * (s + 1) - 2001, 10 + s };
    for (int r = 0; r < 4; r++) {
        for (int s = 0; s < 5; s++) {
            const struct az_coll_what a = allreduce(1, first[r]), b = allreduce(2, second[r]);
            const int64_t t = 800 * s, late = r < 2 ? 40 : 0;
            event(f, r, t + 100 + (r == 0 ? 40 : 0), 20 + (r == 1 ? 40 : 0), &a);
            event(f, r, t + 200 + late, 20 + (r > 1 ? 40 : 0), &b);
        }
        f->part[r].steps = v;
        f->part[r].n_steps = 5;
    }
    finish(f, 4);
    const struct az_table *t = table(f, "straggler_summary");
    for (int r = 0; r < 4; r++) {
        near(num(f, "straggler_summary", row_of_rank(t, r), "own_delay_us"), r == 0 ? 40 : 0);
        near(num(f, "straggler_summary", row_of_rank(t, r), "straggler"), r == 0);
    }
    near(num(f, "straggler_summary", row_of_rank(t, 1), "blame_us"),
         5 * 40); /* it is last all the same */
    assert_int_equal(late_ranks(f), 1);
}

static void test_student(void **state)
{
    (void)state;
    assert_true(fabs(az_coll_t_above(0.005, 10) - 3.1693) < 0.02);
    assert_true(fabs(az_coll_t_above(0.0005, 30) - 3.6460) < 0.01);
    assert_true(fabs(az_coll_t_above(0.025, 5) - 2.5706) < 0.03);
}

/* Two steps say nothing, however late it is. */
static void test_too_few_steps(void **state)
{
    struct fix *f = *state;
    late_rank(f, 2, 40);
    assert_int_equal(cell(table(f, "straggler_summary"), 0, "straggler")->type, AZ_EMPTY);
    assert_int_equal(late_ranks(f), 0);
    assert_int_equal(findings_of(f, "stragglers_not_judged"), 1);
    const struct az_sv advice = az_cell_text(az_table_at(f->job.findings, 0, AZ_FINDING_ADVICE)),
                       lacking = AZ_SV("record at least 3 complete steps (this run: 2); ");
    assert_true(az_sv_starts(advice, lacking));
}

/* ---- all-to-all of own sizes ---- */
static void test_all_to_allv(void **state)
{
    struct fix *f = *state;
    static const char *const splits[] = { "[100, 200]", "[50, 50]" };
    for (int r = 4; r < 6; r++) {
        struct az_coll_what w = allreduce(r == 4 ? 300 : 100, "[4, 5]");
        w.kind = AZ_COLL_ALLTOALLV;
        w.name = AZ_SV("all_to_allv");
        w.in_split = az_sv_str(splits[r - 4]);
        event(f, r, r == 4 ? 100 : 110, r == 4 ? 30 : 21, &w);
    }
    for (int r = 4; r < 6; r++)
        f->rank[r].devices = 4;
    finish(f, 6);
    const char *t = "nccl_all2allv";
    near(num(f, t, 0, "total data communicated (MB)"), 1600.0 / 1048576);
    near(num(f, t, 0, "total nelems communicated"), 400);
    near(num(f, t, 0, "wall_time (us)"), 31);
    near(num(f, t, 0, "avg_rank_dur (us)"), 25.5);
    near(num(f, t, 0, "throughput (GB/s)"), 1600 / 31e3);
    near(num(f, t, 0, "max_rank_throughput (GB/s)"), 0.04);
    near(num(f, t, 0, "min_rank_throughput (GB/s)"), 400 / 21e3);
    near(num(f, t, 0, "size_imbalance"), 1.5);
    near(num(f, t, 0, "data to other ranks (MB)"), 1000.0 / 1048576);
    near(num(f, t, 0, "rank_4_skew in end time"), 1);
    near(num(f, t, 0, "rank_5_skew in start time"), 10);
    const struct az_table *h = table(f, "nccl_all2allv_heatmap");
    assert_int_equal(h->rows, 4);
    near(num(f, "nccl_all2allv_heatmap", 1, "dst_rank"),
         5); /* the rank of the run, not the place in the group */
    near(num(f, "nccl_all2allv_heatmap", 1, "total_sent_MB"), 800.0 / 1048576);
    near(num(f, "nccl_all2allv_matrix", 1, "to rank 4"), 200.0 / 1048576);
    near(num(f, "nccl_summary_all2allv", 0, "Total wall_time (us)"), 31);
    assert_null(az_document_table(&f->doc, SYNC)); /* has its own table */
    bool heat = false;
    for (size_t i = 0; i < f->doc.charts.n; i++)
        heat |= f->doc.charts.v[i].kind == AZ_CHART_HEAT &&
                az_sv_is(f->doc.charts.v[i].table, "nccl_all2allv_matrix");
    assert_true(heat);
}

/* Splits that are shortened, or not as many as members, say nothing; sizes still do. */
static void test_bad_splits(void **state)
{
    struct fix *f = *state;
    static const char *const splits[] = { "[100, ...]", "[50]", "[1, -2]" };
    for (int r = 0; r < 3; r++) {
        struct az_coll_what w = allreduce(100, "[0, 1]");
        w.ranks = r == 2 ? AZ_SV("[2, 3]") : w.ranks;
        w.kind = AZ_COLL_ALLTOALLV;
        w.name = AZ_SV("all_to_allv");
        w.in_split = az_sv_str(splits[r]);
        event(f, r, 100, 30, &w);
    }
    finish(f, 4);
    assert_null(az_document_table(&f->doc, "nccl_all2allv_heatmap"));
    assert_int_equal(table(f, "nccl_all2allv")->rows, 2);
    assert_int_equal(cell(table(f, "nccl_all2allv"), 0, "data to other ranks (MB)")->type,
                     AZ_EMPTY);
}

/* ---- exposed time ---- */
static void test_exposure(void **state)
{
    struct fix *f = *state;
    static const struct az_coll_busy_span span[] = {
        { 105000, 0 }, { 120000, 5000 }, { 145000, 15000 }, { 0, 20000 }
    };
    struct az_coll_busy busy;
    assert_int_equal(az_coll_busy_set(&busy, span, 3, &f->arena, &f->mem), 0);
    const struct az_coll_what w = allreduce(1, "[0, 1]");
    event(f, 0, 100, 50, &w); /* waits until 125 */
    event(f, 1, 125, 25, &w);
    f->part[0].compute = &busy;
    f->part[0].overlap = 20000;
    f->part[0].busy = 50000;
    assert_int_equal(az_coll_compute_in(&busy, 0, 1000000), 20000);
    assert_int_equal(az_coll_compute_in(&busy, 107000, 125000), 8000);
    assert_int_equal(az_coll_compute_in(&busy, 110000, 120000), 0);
    assert_int_equal(az_coll_compute_in(&busy, 122000, 123000), 1000);
    assert_int_equal(az_coll_compute_in(&busy, 123000, 122000), 0);
    finish(f, 2);
    near(num(f, SYNC, 0, "hidden_us"), 20);
    near(num(f, SYNC, 0, "exposed_wait_us"), 15); /* 25 but for 5 and 5 */
    near(num(f, SYNC, 0, "exposed_transfer_us"), 40);
    is(f, "nccl_exposure", 0, "Collective", "all");
    near(num(f, "nccl_exposure", 0, "time_ms"), 0.075);
    near(num(f, "nccl_exposure", 0, "hidden (%)"), 100 * 20.0 / 75);
    near(num(f, "nccl_exposure_ranks", 0, "overlap (%)"), 40);
    near(num(f, "nccl_exposure_ranks", 0, "exposed_comm_ms"), 0.030);
}

/* ---- sheets ---- */
static void test_historic(void **state)
{
    struct fix *f = *state;
    const struct az_coll_what w = allreduce(1, "[0, 1]");
    event(f, 0, 100, 50, &w);
    event(f, 1, 125, 25, &w);
    f->opts.coll_sheets = AZ_SV("both");
    finish(f, 2);
    assert_int_equal(table(f, "long")->rows, 2);
    assert_int_equal(table(f, "nccl_long")->rows, 2);
    assert_int_equal(az_table_find(table(f, "nccl_implicit_sync_cat"), "rank_0_ts"), -1);
    assert_true(az_table_find(table(f, "nccl_implicit_sync_cat_detailed"), "rank_0_ts") > 0);
    assert_int_equal(
        az_table_find(table(f, "summary_nccl_implicit_sync_cat"), "comm_latency_median"), -1);
    near(num(f, "summary_nccl_implicit_sync_cat", 0, "comm_latency_mean"), 25);
}

static void test_summary(void **state)
{
    struct fix *f = *state;
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 2; r++) {
            const struct az_coll_what w = allreduce(i < 3 ? 100 : 200, "[0, 1]");
            event(f, r, 100 * i, 10 + i * i, &w);
        }
    finish(f, 2);
    const char *t = "nccl_summary_implicit_sync";
    assert_int_equal(table(f, t)->rows, 2);
    near(num(f, t, 0, "Total comm latency (ms)"), 0.035);
    near(num(f, t, 0, "count"), 3);
    near(num(f, t, 0, "comm_latency_mean"), 35.0 / 3);
    near(num(f, t, 0, "comm_latency_median"), 11);
    near(num(f, t, 0, "comm_latency_max"), 14);
    near(num(f, t, 0, "algo bw (GB/s)_max"), 0.04);
    near(num(f, t, 1, "In msg nelems"), 200);
    near(num(f, "nccl_summary_long", 0, "dur_sum"), 35);
    near(num(f, "nccl_summary_long", 0, "operation_count"), 3);
    near(num(f, "nccl_summary_long", 0, "dur_std"), sqrt((25.0 / 9 + 4.0 / 9 + 49.0 / 9) / 2));
}

/* ---- alignment ---- */
static size_t partners(const uint32_t *b_to_a, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        k += b_to_a[i] != AZ_NO_ROW;
    return k;
}

static void test_align(void **state)
{
    struct fix *f = *state;
    uint32_t sa[3000], sb[3000], to[3000];
    int64_t ta[3000], tb[3000], offset;
    size_t n = 0, m = 0;
    for (uint32_t i = 0; i < 3000; i++) { /* 100 leave out every 30th here, 60 every 50th there */
        const uint32_t sig = (i * 2654435761u) >> 29;
        if (i % 30) {
            sa[n] = sig;
            ta[n++] = (int64_t)i * 200000 + (i * 7919) % 90000;
        }
        if (i % 50) {
            sb[m] = sig;
            tb[m++] = (int64_t)i * 200000 + (i * 7919) % 90000 - 5000000;
        }
    }
    const struct az_coll_seq a = { sa, ta, n }, b = { sb, tb, m };
    assert_int_equal(az_coll_align(&a, &b, to, &offset, &f->mem), 0);
    assert_int_equal(offset, -5000000);
    assert_int_equal(partners(to, m), 3000 - 100 - 60 + 20);
    for (size_t j = 0; j < m; j++)
        if (to[j] != AZ_NO_ROW)
            assert_true(ta[to[j]] - 5000000 == tb[j]);
    const struct az_coll_seq none = { sa, ta, 0 };
    assert_int_equal(az_coll_align(&none, &b, to, &offset, &f->mem), 0);
    assert_int_equal(partners(to, m), 0);
    assert_int_equal(az_coll_align(&a, &none, to, &offset, &f->mem), 0);
}

/* Nothing in common, and lengths far apart: all without partner, nothing hangs. */
static void test_align_apart(void **state)
{
    struct fix *f = *state;
    enum { N = 60000 };
    uint32_t *sa = calloc(N, sizeof *sa), *sb = calloc(N, sizeof *sb), *to = calloc(N, sizeof *to);
    int64_t *t = calloc(N, sizeof *t), offset;
    for (uint32_t i = 0; i < N; i++) {
        sa[i] = 1;
        sb[i] = i % 1000 == 0 ? 1 : 2;
        t[i] = i;
    }
    struct az_coll_seq a = { sa, t, N }, b = { sb, t, N };
    assert_int_equal(az_coll_align(&a, &b, to, &offset, &f->mem), 0);
    assert_true(partners(to, N) <= N / 1000);
    b.n = 3;
    assert_int_equal(az_coll_align(&a, &b, to, &offset, &f->mem), 0);
    assert_true(partners(to, 3) >= 1); /* the first is found whatever the rest is */
    free(sa);
    free(sb);
    free(to);
    free(t);
}

/* Memory that is refused ends it with that error and leaks nothing. */
static void test_no_memory(void **state)
{
    struct fix *f = *state;
    for (int r = 0; r < 4; r++)
        periodic(f, r, 40, r == 1 ? 17 : 0, r == 1 ? 18 : 0, 0, false);
    for (int r = 0; r < 4; r++) {
        pack(f, r);
        f->parts[r] = &f->part[r];
    }
    f->ranks = (struct az_ranks){ .v = f->rank, .n = 4, .world_size = 4 };
    for (size_t limit = 1 << 12; limit < 1 << 22; limit += 4097) {
        struct az_arena a;
        struct az_document doc;
        struct az_mem mem;
        az_mem_init(&mem, limit);
        az_arena_init(&a, &mem);
        az_document_init(&doc, &a);
        struct az_job job = {
            .opts = &f->opts, .arena = &a, .mem = &mem, .diag = &f->diag, .doc = &doc
        };
        const int rc = az_rank_analysis_collectives.finish(&job, &f->ranks, f->parts);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        az_document_release(&doc);
        az_arena_release(&a);
        assert_int_equal(mem.used, 0);
        if (rc == 0)
            break;
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_figures),
        T(test_ties),
        T(test_factors),
        T(test_kinds),
        T(test_gather_size),
        T(test_missing_rank),
        T(test_alone),
        T(test_replica_groups),
        T(test_in_order),
        T(test_other_steps),
        T(test_starts_later),
        T(test_starts_later_alike),
        T(test_dropped),
        T(test_dropped_alike),
        T(test_dropped_alike_clock),
        T(test_extra),
        T(test_own_sizes),
        T(test_sequence_numbers),
        T(test_sequence_numbers_of_two_groups),
        T(test_sequence_not_unique),
        T(test_launch_order),
        T(test_equal_names),
        T(test_shortened_members),
        T(test_simplified),
        T(test_unknown_group),
        T(test_pairs),
        T(test_pairs_both_ways),
        T(test_pair_unmatched),
        T(test_pair_half),
        T(test_clock),
        T(test_clock_base),
        T(test_clock_never),
        T(test_clock_through_groups),
        T(test_clock_drift_and_step),
        T(test_clock_of_short_steps),
        T(test_clock_cannot_drift_so),
        T(test_clock_of_groups),
        T(test_clock_by_messages),
        T(test_clocks_apart),
        T(test_clock_uncertain),
        T(test_mixed_bases),
        T(test_hosts),
        T(test_nodes_by_host),
        T(test_gpus_per_node),
        T(test_binomial),
        T(test_straggler),
        T(test_harmless),
        T(test_too_few_steps),
        T(test_received_delay),
        T(test_student),
        T(test_all_to_allv),
        T(test_bad_splits),
        T(test_exposure),
        T(test_historic),
        T(test_summary),
        T(test_align),
        T(test_align_apart),
        T(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
