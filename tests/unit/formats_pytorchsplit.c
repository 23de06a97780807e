/* One PyTorch trace read by several threads must give the very trace that one thread makes,
 * wherever it is cut. */
#include "formats_nsys.h"

#include "formats/pytorch/pytorch.h"

static uint64_t seed;
static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

/* A trace of n events of all sorts; `nasty`: nested objects that look like events, strings that
 * nearly do, broken events. */
static void write_trace(struct az_vec_char *o, int n, bool nasty)
{
    static const char *const names[] = { "aten::mm", "aten::add", "k\\\"ph\\\":", "caf\\u00e9",
                                         "{ph" };
    assert_int_equal(az_text_printf(o, "{\"schemaVersion\":1,\"traceEvents\": [\n"), 0);
    for (int i = 0; i < n; i++) {
        int kind = (int)below(nasty ? 12 : 9);
        kind = kind > 8   ? kind - 2
               : kind > 6 ? kind + 3
                          : kind; /* 7 to 9: nasty ones; 10, 11: counters, waits */
        unsigned thread = below(3), name = below(5), dims = below(4);
        const char *end = i + 1 < n ? ",\n" : "\n";
        int rc;
        if (i + 1 < n && below(5) == 0) { /* spans in two events, some without the other one */
            rc = az_text_printf(o,
                                "{\"ph\":\"%c\",\"cat\":\"%s\",\"name\":\"two%u\",\"pid\":%s,"
                                "\"tid\":%u,\"ts\":%d,\"args\":{\"correlation\":%d}}%s",
                                below(2) ? 'B' : 'E', below(3) ? "kernel" : "cpu_op", name,
                                below(2) ? "0" : "\"p\"", thread, i * (i % 7 ? 3 : 1), i, end);
            assert_int_equal(rc, 0);
            continue;
        }
        if (kind < 2)
            rc = az_text_printf(
                o,
                "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%u,\"ts\":%d.5,"
                "\"dur\":7,\"args\":{\"External id\":%d,%s"
                "\"Input Dims\":[[%u, 4]],\"Sequence number\":%s%d}}%s",
                i % 7 ? "cpu_op" : "user_annotation", i % 7 ? names[name] : "nccl:all_to_all",
                thread, i * 3, i,
                i % 5   ? ""
                : i % 2 ? "\"Collective name\":\"send\",\"Dst "
                          "Rank\":3,\"kernel_file\":\"/tmp/a\\u00e9.py\","
                        : "\"Seq\":4,",
                dims, i % 4 ? "" : "70000000000", i % 9, end);
        else if (kind == 2)
            rc = az_text_printf(
                o,
                "{\"ph\":\"X\",\"cat\":\"cuda_%s\",\"name\":\"cuLaunch%d\",\"pid\":\"p%u\","
                "\"tid\":%u,\"ts\":%d,\"dur\":2,"
                "\"args\":{\"%s\":%d}}%s",
                i % 3 ? "runtime" : "driver", i % 3, below(2), thread, i * 3,
                i % 5 < 3 ? "External id" : "correlation", i, end); /* which decides the link key */
        else if (kind == 3)
            rc = az_text_printf(
                o,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"nccl%u\",\"pid\":0,\"tid\":%u,\"ts\":%"
                "d,"
                "\"dur\":5,\"args\":{\"correlation\":%d,"
                "\"Collective name\":\"c%u\",\"dtype\":\"f%u\",\"device\":0,\"stream\":%u,"
                "\"grid\":[%u, %d,1],\"block\":[32,1,1],\"shared memory\":%u}}%s",
                name, thread, i * 3, i - 1, dims, name, thread, dims, i % 11, name, end);
        else if (kind == 4)
            rc = az_text_printf(
                o, "{\"ph\":\"%c\",\"id\":%d,\"pid\":%u,\"tid\":%u,\"ts\":%d,\"cat\":\"%s\"}%s",
                below(2) ? 's' : 'f', i, below(2), thread, i, below(2) ? "ac2g" : "fwdbwd", end);
        else if (kind == 5)
            rc = az_text_printf(o,
                                "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"x\",\"pid\":0,\"tid\":1,"
                                "\"ts\":%d,\"dur\":1}%s",
                                below(2) ? "gpu_memcpy" : "odd", i, end);
        else if (kind == 6)
            rc = az_text_printf(o,
                                "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%u,"
                                "\"args\":{\"name\":\"thread %d\"}}%s",
                                thread, i, end);
        else if (kind == 7)
            rc = az_text_printf(o,
                                "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"n\",\"pid\":1,\"tid\":"
                                "1,\"ts\":%d,\"dur\":"
                                "1,\"args\":{\"x\":[{\"ph\":\"X\","
                                "\"cat\":\"cpu_op\",\"name\":\"inner\",\"ts\":1,\"dur\":1},{\"ph\":"
                                "\"X\"}],\"y\":\"{"
                                "\\\"ph\\\":1}\"}}%s",
                                i, end);
        else if (kind == 8)
            rc = az_text_printf(o, "{\"ph\":\"X\",\"broken\": yes %d}%s", i, end);
        else if (kind == 10)
            rc = az_text_printf(
                o,
                "{\"ph\":\"X\",\"cat\":\"cuda_profiler_range\",\"name\":\"r%u\",\"pid\":0,\"tid\":"
                "0,"
                "\"ts\":%d,\"dur\":2,\"args\":{\"c%u.sum\":%d,\"text\":\"no\",\"d\":1.5}}%s",
                name, i, dims, i, end);
        else if (kind == 11)
            rc = az_text_printf(
                o,
                "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait "
                "Event\",\"pid\":0,\"tid\":%u,"
                "\"ts\":%d,\"dur\":1,\"args\":{\"stream\":%u,\"correlation\":%d%s}}%s",
                thread, i, thread, i, dims ? ",\"wait_on_stream\":7" : "", end);
        else
            rc = az_text_printf(o,
                                "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,"
                                "\"args\":{\"name\":\"%d\"}}%s",
                                i, end);
        assert_int_equal(rc, 0);
    }
    assert_int_equal(
        az_text_printf(
            o, "], \"distributedInfo\": {\"rank\": 5}, \"traceEventsX\": [{\"ph\":\"X\"}]}\n"),
        0);
}

static unsigned joined; /* parts, of all files so far */

static int parse(struct fixture *f, unsigned threads, size_t window)
{
    unsigned parts = 0;
    const struct az_pytorch_tuning tuning = { .split_min = threads > 1 ? 1 : INT64_MAX,
                                              .window = window,
                                              .parts = &parts };
    struct az_parse job = { .files = f->files,
                            .n_files = 1,
                            .opts = &f->opts,
                            .trace = &f->trace,
                            .diag = &f->diag,
                            .mem = &f->mem,
                            .threads = threads,
                            .progress = &f->progress };
    f->opts.kernel_geometry = true;
    int rc = az_pytorch_parse(&job, &tuning);
    joined += parts;
    assert_true(threads > 1 || parts == 0);
    return rc;
}

#define SAME(field) assert_int_equal(a->field, b->field)
#define SAME_COLUMN(c)                                                                             \
    assert_true(x->c == NULL ? y->c == NULL : memcmp(x->c, y->c, x->n * sizeof *x->c) == 0)
#define SAME_ROWS(list)                                                                            \
    assert_true(                                                                                   \
        p->list.n == q->list.n &&                                                                  \
        (p->list.n == 0 || memcmp(p->list.v, q->list.v, p->list.n * sizeof *p->list.v) == 0))

static void assert_same(const struct az_trace *a, const struct az_trace *b)
{
    const struct az_optrace *p = az_optrace(a), *q = az_optrace(b);
    const struct az_geometry_rows *g = &a->geometries.rows, *h = &b->geometries.rows;
    assert_true(g->n == h->n && (g->n == 0 || memcmp(g->v, h->v, g->n * sizeof *g->v) == 0));
    SAME(read), SAME(kept), SAME(rank), SAME(names.text.n), SAME(lanes.n), SAME(copies.n),
        SAME(drops.n);
    for (uint32_t i = 0; i < a->names.text.n; i++)
        assert_true(az_sv_eq(az_trace_text(a, i), az_trace_text(b, i)));
    for (size_t i = 0; i < a->lanes.n; i++) {
        const struct az_lane *l = &a->lanes.v[i], *m = &b->lanes.v[i];
        assert_true(l->pid == m->pid && l->tid == m->tid && l->device_side == m->device_side &&
                    l->device == m->device && l->context == m->context && l->proc == m->proc &&
                    l->thread == m->thread);
    }
    for (size_t i = 0; i < a->drops.n; i++)
        assert_true(az_sv_eq(a->drops.v[i].reason, b->drops.v[i].reason) &&
                    a->drops.v[i].count == b->drops.v[i].count);
    for (int k = 0; k < AZ_KIND_COUNT; k++) {
        const struct az_events *x = &a->ev[k], *y = &b->ev[k];
        assert_int_equal(x->n, y->n);
        if (x->n == 0)
            continue;
        SAME_COLUMN(start), SAME_COLUMN(end), SAME_COLUMN(name), SAME_COLUMN(lane);
        SAME_COLUMN(corr), SAME_COLUMN(side), SAME_COLUMN(uid), SAME_COLUMN(node), SAME_COLUMN(geo);
    }
    for (uint32_t i = 0; i < a->names.text.n; i++)
        assert_int_equal(az_is_driver_call(p, i), az_is_driver_call(q, i));
    assert_int_equal(p->driver_calls.n, q->driver_calls.n);
    SAME_ROWS(ops), SAME_ROWS(long_seqs), SAME_ROWS(args), SAME_ROWS(colls),
        SAME_ROWS(coll_sources), SAME_ROWS(op_files), SAME_ROWS(lane_names), SAME_ROWS(counters),
        SAME_ROWS(syncs);
    assert_int_equal(p->counter_values.n, q->counter_values.n);
    for (size_t i = 0; i < p->counter_values.n; i++)
        assert_true(p->counter_values.v[i].name == q->counter_values.v[i].name &&
                    p->counter_values.v[i].value == q->counter_values.v[i].value);
    assert_int_equal(p->flows.n, q->flows.n);
    for (size_t i = 0; i < p->flows.n; i++)
        assert_true(p->flows.v[i].id == q->flows.v[i].id &&
                    p->flows.v[i].lane == q->flows.v[i].lane);
    assert_int_equal(p->fwdbwd.n, q->fwdbwd.n);
    for (size_t i = 0; i < p->fwdbwd.n; i++)
        assert_true(
            p->fwdbwd.v[i].id == q->fwdbwd.v[i].id && p->fwdbwd.v[i].lane == q->fwdbwd.v[i].lane &&
            p->fwdbwd.v[i].at == q->fwdbwd.v[i].at && p->fwdbwd.v[i].start == q->fwdbwd.v[i].start);
    assert_true(p->has_flows == q->has_flows && p->has_ops == q->has_ops &&
                p->key_is_ext == q->key_is_ext && p->n_events == q->n_events);
}

static void assert_same_messages(const struct az_diag *a, const struct az_diag *b)
{
    assert_int_equal(a->list.n, b->list.n);
    for (size_t i = 0; i < a->list.n; i++) { /* but for the folder of the file */
        struct az_sv x = a->list.v[i].text, y = b->list.v[i].text;
        ptrdiff_t at = az_sv_find(x, AZ_SV("trace.json")), to = az_sv_find(y, AZ_SV("trace.json"));
        if (at < 0 || to < 0 ||
            !az_sv_eq(az_sv_make(x.p + at, x.n - (size_t)at),
                      az_sv_make(y.p + to, y.n - (size_t)to)))
            print_error("%.*s\n%.*s\n", AZ_SVF(x), AZ_SVF(y));
        assert_true(at >= 0 && to >= 0 &&
                    az_sv_eq(az_sv_make(x.p + at, x.n - (size_t)at),
                             az_sv_make(y.p + to, y.n - (size_t)to)));
    }
}

static void compare(const struct az_vec_char *text, size_t n, const char *link_by)
{
    static const unsigned threads[] = { 2, 3, 8, 64 };
    struct fixture one;
    fixture_open(&one);
    one.opts.link_by = az_sv_str(link_by);
    fixture_add(&one, fixture_write(&one, "trace.json", text->v, n), NULL, false);
    int rc = parse(&one, 1, 4096);
    for (size_t i = 0; i < AZ_LENGTH(threads); i++) {
        struct fixture many;
        fixture_open(&many);
        many.opts.link_by = az_sv_str(link_by);
        fixture_add(&many, fixture_write(&many, "trace.json", text->v, n), NULL, false);
        assert_int_equal(parse(&many, threads[i], i % 2 ? 128 : 4096), rc);
        if (rc == 0)
            assert_same(&one.trace, &many.trace);
        assert_same_messages(&one.diag, &many.diag);
        fixture_close(&many);
    }
    fixture_close(&one);
}

static void same_trace(void **state)
{
    (void)state;
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    seed = 11;
    joined = 0;
    for (int round = 0; round < 60; round++) {
        text.n = 0;
        write_trace(&text, (int)below(round < 20 ? 6 : 400), round % 2);
        compare(&text, text.n, round % 3 ? "correlation" : "flow");
    }
    assert_true(joined > 60 * 20);
    az_vec_release(&text);
}

static void cut_files(void **state)
{
    (void)state;
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    seed = 12;
    for (int round = 0; round < 60; round++) {
        text.n = 0;
        write_trace(&text, (int)below(200) + 1, round % 2);
        compare(&text, 1 + below((unsigned)text.n - 1), "correlation");
    }
    az_vec_release(&text);
}

static void damaged_files(void **state)
{
    (void)state;
    static const char bytes[] = "{}[]\",:\\ x";
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    seed = 13;
    for (int round = 0; round < 100; round++) {
        text.n = 0;
        write_trace(&text, (int)below(100) + 1, false);
        for (int k = 0; k < 3; k++)
            text.v[below((unsigned)text.n)] = bytes[below(sizeof bytes - 1)];
        compare(&text, text.n, "correlation");
    }
    az_vec_release(&text);
}

static void progress_and_memory(void **state)
{
    (void)state;
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    seed = 14;
    write_trace(&text, 3000, false);
    int rc = AZ_ELIMIT;
    for (size_t limit = 10000; rc != 0; limit += 40000) {
        struct fixture f;
        fixture_open(&f);
        f.opts.link_by = AZ_SV("correlation");
        fixture_add(&f, fixture_write(&f, "trace.json", text.v, text.n), NULL, false);
        f.mem.limit = f.mem.used + limit;
        rc = parse(&f, 3, 4096);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        if (rc == 0)
            assert_true(f.progress > text.n * 3 / 4 && f.progress <= text.n + 8192);
        fixture_close(&f);
    }
    az_vec_release(&text);
}

/* A name that a part has no memory for is an error, even if nothing of the part refers to it. */
static void memory_for_names(void **state)
{
    (void)state;
    enum { NAMES = 300 };
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    az_text_format(&text, "{\"traceEvents\": [\n");
    for (int i = 0; i < NAMES; i++)
        if (i % 2)
            az_text_format(&text,
                           "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%d,"
                           "\"args\":{\"name\":\"%0400d\"}},\n",
                           i, i);
        else
            az_text_format(&text, "{\"ph\":\"X\",\"cat\":\"%0400d\",\"pid\":1,\"ts\":1},\n", i);
    az_text_format(&text, "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
                          "\"ts\":1,\"dur\":5}]}\n");
    assert_int_equal(az_vec_error(&text), 0);
    int rc = AZ_ELIMIT;
    for (size_t limit = 10000; rc != 0; limit += 2000) {
        struct fixture f;
        fixture_open(&f);
        fixture_add(&f, fixture_write(&f, "trace.json", text.v, text.n), NULL, false);
        f.mem.limit = f.mem.used + limit;
        rc = parse(&f, 3, 4096);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        if (rc == 0)
            rc = az_trace_finalize(&f.trace);
        assert_true(rc == AZ_ELIMIT || f.trace.names.text.n >= NAMES);
        fixture_close(&f);
    }
    az_vec_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_trace),       cmocka_unit_test(cut_files),
        cmocka_unit_test(damaged_files),    cmocka_unit_test(progress_and_memory),
        cmocka_unit_test(memory_for_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
