/* Payloads of calls: the range around them, or the calls of the group that ends there. */
#include <stdio.h>

#include "unit/facts_job.h"

#include "analyses/collectives/collectives.h"
#include "analyses/collectives/payload.h"
#include "analyses/registry_list.h"

#define GROUP(which) "NCCL:ncclGroup" which

static void payload(struct az_trace *t, const char *name, uint32_t lane, int64_t start, int64_t end,
                    struct az_comm_note n)
{
    add_range(t, name, lane, start, end, 0, 0, false);
    assert_int_equal(az_vec_push(&t->comm_notes, n), 0);
    t->ranges.v[t->ranges.n - 1].note = (uint32_t)t->comm_notes.n;
}

static void group(struct az_trace *t, const char *name, uint32_t lane, int64_t start)
{
    add_range(t, name, lane, start, start + 2, 0, 0, false);
}

static struct az_coll_payloads *ready(struct fix *f)
{
    int rc = -1;
    assert_int_equal(az_trace_finalize(&f->t[0]), 0);
    struct az_coll_payloads *p = az_coll_payloads_of(&f->t[0], &f->arena, &rc);
    assert_int_equal(rc, 0);
    return p;
}

static void is_payload(const struct az_coll_payloads *p, uint32_t call, uint64_t comm,
                       int64_t bytes, int64_t peer)
{
    struct az_coll_payload x;
    assert_true(az_coll_payload_at(p, call, &x));
    assert_int_equal(x.comm, comm);
    assert_int_equal(x.bytes, bytes);
    assert_int_equal(x.peer, peer);
}

static void nothing_is_said(void **state)
{
    struct fix *f = *state;
    add_range(&f->t[0], "range", host_lane(&f->t[0], 1, 1), 0, 10, 0, 0, false);
    assert_null(ready(f));
}

static void ranges_around_calls(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_coll_payload x;
    const uint32_t one = host_lane(t, 1, 1), two = host_lane(t, 1, 2);
    payload(t, "ncclAllReduce", one, 10, 20, (struct az_comm_note){ 7, 100, -1, 0, 0 });
    payload(t, "ncclSend", one, 12, 14, (struct az_comm_note){ 8, 30, 3, 0, 0 });
    payload(t, "ncclBcast", two, 10, 20, (struct az_comm_note){ 9, 0, -1, 0, 0 });
    /* tells the ranks of a communicator, and no bytes */
    payload(t, "ncclCommInit", one, 1, 40, (struct az_comm_note){ 7, -1, -1, 4, 2 });
    payload(t, "ncclCommInit", one, 2, 3, (struct az_comm_note){ 7, -1, -1, 5, 2 });
    payload(t, "ncclCommInit", one, 3, 4, (struct az_comm_note){ 8, -1, -1, 2, 0 });
    for (int64_t at = 9; at <= 21; at++)
        add(t, AZ_CALL, "launch", one, at, at + 1, 0);
    add(t, AZ_CALL, "launch", two, 20, 22, 0);
    const struct az_coll_payloads *p = ready(f);
    assert_non_null(p);
    for (uint32_t i = 0; i < t->ev[AZ_CALL].n; i++) {
        const int64_t at = t->ev[AZ_CALL].start[i];
        if (t->ev[AZ_CALL].lane[i] == two)
            is_payload(p, i, 9, 0, -1);
        else if (at < 10 || at > 20)
            assert_false(az_coll_payload_at(p, i, &x));
        else if (at >= 12 && at <= 14)
            is_payload(p, i, 8, 30, 3);
        else
            is_payload(p, i, 7, 100, -1);
    }
    assert_int_equal(az_coll_payload_ranks(p, 7), 4);
    assert_int_equal(az_coll_payload_ranks(p, 8), 2);
    assert_int_equal(az_coll_payload_ranks(p, 9), -1);
}

static bool of_group(void **state, const int64_t (*calls)[3], size_t n, struct az_coll_payload *x)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t l = host_lane(t, 1, 1);
    payload(t, "ncclSend", l, 0, 2, (struct az_comm_note){ 1, 1000, 0, 0, 0 }); /* before it */
    group(t, GROUP("Start"), l, 10);
    group(t, GROUP("Start"), l, 14);
    for (size_t i = 0; i < n; i++)
        payload(t, calls[i][2] ? "ncclRecv" : "ncclSend", l, 20 + 4 * (int64_t)i,
                22 + 4 * (int64_t)i,
                (struct az_comm_note){ (uint64_t)calls[i][0], calls[i][1], calls[i][2], 0, 0 });
    group(t, GROUP("End"), l, 80);
    group(t, GROUP("End"), l, 90);
    add(t, AZ_CALL, "launch", l, 91, 92, 0);
    return az_coll_payload_at(ready(f), 0, x);
}

static void calls_of_a_group(void **state)
{
    static const int64_t calls[][3] = { { 1, 10, 0 }, { 1, 20, 0 }, { 1, 30, 0 } };
    struct az_coll_payload x;
    assert_true(of_group(state, calls, 3, &x));
    assert_int_equal(x.bytes, 60);
    assert_int_equal(x.peer, 0);
    assert_int_not_equal(x.name, AZ_NO_ID);
}

static void a_group_of_unlike_calls(void **state)
{
    static const int64_t calls[][3] = { { 1, 10, 0 }, { 1, 20, 5 } };
    struct az_coll_payload x;
    assert_true(of_group(state, calls, 2, &x));
    assert_int_equal(x.bytes, 30);
    assert_int_equal(x.peer, -1);
    assert_int_equal(x.name, AZ_NO_ID);
}

static void a_group_of_one(void **state)
{
    static const int64_t calls[][3] = { { 4, 10, 5 } };
    struct az_coll_payload x;
    assert_true(of_group(state, calls, 1, &x));
    assert_int_equal(x.comm, 4);
    assert_int_equal(x.bytes, 10);
    assert_int_equal(x.peer, 5);
}

static void a_group_of_several_communicators(void **state)
{
    static const int64_t calls[][3] = { { 1, 10, 0 }, { 2, 20, 0 } };
    struct az_coll_payload x;
    assert_false(of_group(state, calls, 2, &x));
}

static void an_empty_group(void **state)
{
    struct az_coll_payload x;
    assert_false(of_group(state, NULL, 0, &x));
}

/* The call is after the end of the group, or the group has not ended. */
static void outside_a_group(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_coll_payload x;
    const uint32_t l = host_lane(t, 1, 1);
    group(t, GROUP("Start"), l, 10);
    payload(t, "ncclSend", l, 20, 22, (struct az_comm_note){ 1, 10, 0, 0, 0 });
    group(t, GROUP("End"), l, 30);
    add(t, AZ_CALL, "in the start", l, 11, 12, 0);
    add(t, AZ_CALL, "at the end", l, 32, 33, 0);
    add(t, AZ_CALL, "after it", l, 33, 34, 0);
    const struct az_coll_payloads *p = ready(f);
    assert_false(az_coll_payload_at(p, 0, &x));
    is_payload(p, 1, 1, 10, 0);
    assert_false(az_coll_payload_at(p, 2, &x));
}

/* Without its start nothing is known of a group. */
static void an_end_alone(void **state)
{
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    struct az_coll_payload x;
    const uint32_t l = host_lane(t, 1, 1);
    payload(t, "ncclSend", l, 20, 22, (struct az_comm_note){ 1, 10, 0, 0, 0 });
    group(t, GROUP("End"), l, 30);
    add(t, AZ_CALL, "launch", l, 31, 33, 0);
    assert_false(az_coll_payload_at(ready(f), 0, &x));
}

/* What a rank's collectives have of a payload: in bytes of the call, the whole of all ranks only
 * where their number is there. */
static void sizes_of_payloads(void **state)
{
    static const struct {
        const char *call, *name;
        int64_t bytes, ranks, in, out;
    } of[] = {
        { "ncclAllReduce", "AllReduce", 100, 4, 100, 100 },
        { "ncclAllReduce", "AllReduce", 100, -1, 100, 100 },
        { "ncclAllGather", "AllGather", 100, 4, 100, 400 },
        { "ncclAllGather", "AllGather", 100, 1, 100, 100 },
        { "ncclAllGather", "AllGather", 100, -1, 100, -1 },
        { "ncclReduceScatter", "ReduceScatter", 100, 2, 200, 100 },
        { "ncclReduceScatter", "ReduceScatter", 100, 1, 100, 100 },
        { "ncclReduceScatter", "ReduceScatter", 100, -1, -1, 100 },
        { "ncclReduceScatter", "ReduceScatter", INT64_MAX / 2 + 1, 2, -1, INT64_MAX / 2 + 1 },
        { "ncclReduceScatter", "ReduceScatter", INT64_MAX / 2, 2, INT64_MAX - 1, INT64_MAX / 2 },
    };
    struct fix *f = *state;
    struct az_trace *t = &f->t[0];
    const uint32_t l = host_lane(t, 1, 1), stream = stream_lane(t, 1, 0, 7);
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        const int64_t at = 100 * (int64_t)i;
        const uint64_t comm = 0xab0 + i;
        if (of[i].ranks > 0)
            payload(t, "ncclCommInit", l, at, at + 1,
                    (struct az_comm_note){ comm, -1, -1, of[i].ranks, 0 });
        payload(t, of[i].call, l, at + 10, at + 20,
                (struct az_comm_note){ comm, of[i].bytes, -1, 0, 0 });
        add(t, AZ_CALL, "cudaLaunchKernel", l, at + 12, at + 14, i + 1);
        add(t, AZ_KERNEL, "ncclDevKernel_AllGather_RING_LL", stream, at + 30, at + 40, i + 1);
    }
    make_job(f, 1);
    void *part = NULL;
    assert_int_equal(az_rank_analysis_collectives.reduce(&f->job, &f->arena, &part), 0);
    const struct az_coll_part *p = part;
    assert_int_equal(p->n, AZ_LENGTH(of));
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        const struct az_coll_what *w = &p->what[az_coll_part_what(p, i)];
        char group[24];
        snprintf(group, sizeof group, "0x%016llx", 0xab0ull + i);
        assert_true(az_sv_is(w->name, of[i].name) && az_sv_is(w->dtype, "Byte"));
        assert_true(az_sv_is(w->group, group));
        assert_string_equal(w->source, AZ_COLL_FROM_PAYLOAD);
        assert_int_equal(w->size, of[i].ranks);
        assert_int_equal(w->in, of[i].in);
        assert_int_equal(w->out, of[i].out);
        assert_int_equal(w->peer, -1);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(nothing_is_said),         T(ranges_around_calls), T(calls_of_a_group),
        T(a_group_of_unlike_calls), T(a_group_of_one),      T(a_group_of_several_communicators),
        T(an_empty_group),          T(outside_a_group),     T(an_end_alone),
        T(sizes_of_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
