/* A made-up input for tests of queries and of the server: two traces of some kernels, copies and
 * calls, and a report with one table. */
#ifndef TESTS_QUERY_SOURCE_H
#define TESTS_QUERY_SOURCE_H

#include <stdlib.h>

#include "document/schema.h"
#include "query/query.h"

struct query_source {
    struct az_mem mem;
    struct az_arena arena;
    struct az_trace trace[2];
    const struct az_trace *views[2];
    struct az_options opts;
    struct az_document doc;
    struct az_query_input input;
    struct az_query_source source;
    int reports; /* times that the report was asked for */
    bool no_report;
};

static inline void query_must(int rc)
{
    if (rc)
        abort();
}

static inline void query_event(struct az_trace *t, enum az_kind k, const char *name, int64_t start,
                               int64_t length, uint32_t lane, uint64_t corr, uint32_t side)
{
    struct az_event e = {
        .start = start, .end = start + length, .lane = lane, .corr = corr, .side = side
    };
    e.name = az_trace_name(t, az_sv_str(name));
    query_must(t->names.error);
    query_must(az_trace_add(t, k, &e));
}

static inline void query_trace(struct az_trace *t, struct az_mem *mem, int64_t rank)
{
    static const char *const names[] = { "gemm_a", "softmax_b", "ncclAllReduce", "gemm_c" };
    const struct az_lane host = { .pid = 9, .tid = 1, .device = -1, .label = AZ_NO_ID },
                         stream = { .device_side = true, .tid = 7, .label = AZ_NO_ID };
    uint32_t h, s;

    query_must(az_trace_init(t, mem));
    t->rank = rank;
    t->path = AZ_SV("made up");
    az_trace_columns(t, AZ_KERNEL, AZ_COL_CORR);
    az_trace_columns(t, AZ_CALL, AZ_COL_CORR);
    az_trace_columns(t, AZ_MEMCPY, AZ_COL_CORR | AZ_COL_SIDE);
    query_must(az_trace_lane(t, &host, &h));
    query_must(az_trace_lane(t, &stream, &s));
    for (int i = 0; i < 12; i++) {
        query_event(t, AZ_CALL, "launch", 100 * i, 10, h, (uint64_t)i + 1, AZ_NO_ROW);
        query_event(t, AZ_KERNEL, names[(i + rank) % 4], 100 * i + 50, 10 + i, s, (uint64_t)i + 1,
                    AZ_NO_ROW);
    }
    query_must(
        az_vec_push(&t->copies, ((struct az_copy){ .bytes = 4096, .op = 1, .src = 0, .dst = 2 })));
    query_event(t, AZ_MEMCPY, "copy H2D", 1300, 8, s, 0, 0);
    query_must(az_trace_finalize(t));
}

static inline const struct az_document *query_document(void *ctx, size_t input, int *rc)
{
    struct query_source *q = ctx;
    (void)input;
    q->reports++;
    *rc = q->no_report ? AZ_EEMPTY : 0;
    return q->no_report ? NULL : &q->doc;
}

static inline void query_source_init(struct query_source *q)
{
    *q = (struct query_source){ 0 };
    az_mem_init(&q->mem, 0);
    az_arena_init(&q->arena, &q->mem);
    for (int i = 0; i < 2; i++) {
        query_trace(&q->trace[i], &q->mem, i);
        q->views[i] = &q->trace[i];
    }
    az_vec_init(&q->opts.classes, &q->mem);
    q->opts.gpus = 1;
    q->opts.nvtx_tag = q->opts.steps = AZ_SV("");
    az_document_init(&q->doc, &q->arena);
    struct az_table *t = az_table_new(&q->arena, "findings", "Findings", 0);
    az_table_column(t, "Rule", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Bad", AZ_BOOL, AZ_UNIT_NONE, 0);
    for (int i = 0; i < 3; i++) {
        az_put_text(t, AZ_SV("a 'rule' \"of\" \xc3\xa9"));
        az_put_i64(t, i);
        az_put_bool(t, i == 1);
    }
    query_must(az_document_add(&q->doc, t));
    q->input = (struct az_query_input){ .title = AZ_SV("made up"),
                                        .format = AZ_SV("test"),
                                        .traces = q->views,
                                        .n_traces = 2,
                                        .opts = &q->opts,
                                        .arena = &q->arena,
                                        .mem = &q->mem };
    q->source = (struct az_query_source){ &q->input, 1, query_document, q };
}

static inline void query_source_release(struct query_source *q)
{
    az_document_release(&q->doc);
    for (int i = 0; i < 2; i++)
        az_trace_release(&q->trace[i]);
    az_arena_release(&q->arena);
}

#endif
