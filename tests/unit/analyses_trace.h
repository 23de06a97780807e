/* Traces and jobs made by hand, for the tests of model and analyses. */
#ifndef AZ_TESTS_ANALYSES_TRACE_H
#define AZ_TESTS_ANALYSES_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "facts/nvtx_projection.h"

static inline void new_trace(struct az_trace *t, struct az_mem *mem)
{
    assert_int_equal(az_trace_init(t, mem), 0);
    t->rank = -1;
    t->path = AZ_SV("hand.made");
    az_trace_columns(t, AZ_KERNEL, AZ_COL_CORR);
    az_trace_columns(t, AZ_MEMCPY, AZ_COL_CORR | AZ_COL_SIDE);
    az_trace_columns(t, AZ_MEMSET, AZ_COL_CORR | AZ_COL_SIDE);
    az_trace_columns(t, AZ_GRAPH, AZ_COL_CORR);
    az_trace_columns(t, AZ_CALL, AZ_COL_CORR);
    az_trace_columns(t, AZ_RANGE, AZ_COL_SIDE);
}

static inline uint32_t name_of(struct az_trace *t, const char *text)
{
    return az_trace_name(t, az_sv_str(text));
}

static inline uint32_t host_lane(struct az_trace *t, uint64_t pid, uint64_t tid)
{
    struct az_lane l = { .pid = pid,
                         .tid = tid,
                         .device = -1,
                         .proc = pid << 24,
                         .thread = pid << 24 | tid,
                         .label = AZ_NO_ID };
    uint32_t i = 0;
    assert_int_equal(az_trace_lane(t, &l, &i), 0);
    return i;
}

static inline uint32_t stream_lane(struct az_trace *t, uint64_t pid, int64_t device,
                                   uint64_t stream)
{
    struct az_lane l = { .device_side = true,
                         .pid = pid,
                         .tid = stream,
                         .device = device,
                         .context = 1,
                         .proc = pid << 24,
                         .label = AZ_NO_ID };
    uint32_t i = 0;
    assert_int_equal(az_trace_lane(t, &l, &i), 0);
    return i;
}

static inline void add(struct az_trace *t, enum az_kind kind, const char *name, uint32_t lane,
                       int64_t start, int64_t end, uint64_t corr)
{
    struct az_event e = { .start = start,
                          .end = end,
                          .name = name_of(t, name),
                          .lane = lane,
                          .side = AZ_NO_ROW,
                          .corr = corr };
    assert_int_equal(az_trace_add(t, kind, &e), 0);
}

static inline void add_copy(struct az_trace *t, enum az_kind kind, const char *name, uint32_t lane,
                            int64_t start, int64_t end, uint64_t corr, struct az_copy c)
{
    struct az_event e = { .start = start,
                          .end = end,
                          .name = name_of(t, name),
                          .lane = lane,
                          .side = (uint32_t)t->copies.n,
                          .corr = corr };
    assert_int_equal(az_vec_push(&t->copies, c), 0);
    assert_int_equal(az_trace_add(t, kind, &e), 0);
}

static inline void add_range(struct az_trace *t, const char *name, uint32_t lane, int64_t start,
                             int64_t end, uint64_t id, uint8_t style, bool crosses)
{
    struct az_event e = { .start = start,
                          .end = end,
                          .name = name_of(t, name),
                          .lane = lane,
                          .side = (uint32_t)t->ranges.n };
    struct az_range r = { .id = id, .style = style, .crosses = crosses };
    assert_int_equal(az_vec_push(&t->ranges, r), 0);
    assert_int_equal(az_trace_add(t, AZ_RANGE, &e), 0);
}

#endif
