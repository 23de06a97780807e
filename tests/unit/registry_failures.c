/* Each analysis over a small trace made by hand, alone, in many runs: in each of them another
 * request for memory fails. Such a run ends with an error, or its tables are those of a run without
 * the failure; all memory is freed. run_allocations does so for whole runs of files. */
#include "formats/list.h"
#include "unit/allocations.h"
#include "unit/analyses_fw.h"
#include "unit/facts_job.h"
#include "unit/registry_runs.h"

#ifndef AZ_ALLOCATIONS
static void needs_the_allocator_of_glibc(void **state) { (void)state; }

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(needs_the_allocator_of_glibc) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

enum { STEPS = 3, STEP = 100000 };

/* ---- traces ---- */

static void launched_by(struct az_trace *t, uint64_t thread, uint64_t stream, int64_t at,
                        int64_t to, int64_t start, int64_t end, const char *name)
{
    const uint64_t id = t->ev[AZ_CALL].n + 1;
    add(t, AZ_CALL, "cudaLaunchKernel", host_lane(t, 1, thread), at, to, id);
    add(t, AZ_KERNEL, name, stream_lane(t, 1, stream % 2 ? 0 : 1, stream), start, end, id);
}

static void copied(struct az_trace *t, int64_t at, int64_t start, int64_t end)
{
    const uint64_t id = t->ev[AZ_CALL].n + 1;
    add(t, AZ_CALL, "cudaMemcpyAsync", host_lane(t, 1, 1), at, at + 5, id);
    add_copy(t, AZ_MEMCPY, "Memcpy HtoD (Pageable -> Device)", stream_lane(t, 1, 0, 9), start, end,
             id, (struct az_copy){ .bytes = 4096 });
}

/* Nested ranges on two threads; calls inside calls, so that neither their ends nor those of ranges
 * are in the order of their starts. */
static void ranges_of_steps(struct az_trace *t)
{
    static const char *const kernels[] = { "sgemm_128x64", "vectorized_elementwise_kernel",
                                           "ncclDevKernel_AllReduce_Sum_f32", "softmax_warp" };
    for (int i = 0; i < STEPS; i++) {
        const int64_t at = 1000 + i * STEP;
        add_range(t, "step", host_lane(t, 1, 1), at, at + STEP - 1000, t->ranges.n, 0, false);
        add_range(t, "forward", host_lane(t, 1, 1), at + 10, at + 40000, t->ranges.n, 0, false);
        add_range(t, "loss", host_lane(t, 1, 1), at + 10, at + 500, t->ranges.n, 0, false);
        add_range(t, "loader", host_lane(t, 1, 2), at + 50, at + 20000, t->ranges.n, 0, false);
        add(t, AZ_CALL, "cudaStreamSynchronize", host_lane(t, 1, 1), at + 20, at + 39000, 0);
        for (int k = 0; k < 8; k++)
            launched_by(t, 1 + k / 6, 7 + (uint64_t)k % 3, at + 100 + k * 4000,
                        at + 3000 - k * 100 + k * 4000, at + 10000 + k * 9000,
                        at + 12000 + k * 9500, kernels[k % 4]);
        copied(t, at + 60000, at + 80000, at + 81000);
    }
}

/* Steps of a framework: operators in modules and frames, a gradient, copies, a collective, a graph,
 * work whose launch was not recorded. */
static void framework(struct fw_fix *f)
{
    int id = 0;
    names(f);
    for (int i = 0; i < STEPS; i++) {
        const double at = 100 + i * 1000;
        char text[32];
        snprintf(text, sizeof text, "ProfilerStep#%d", i + 4);
        span(f, "user_annotation", 100, 1, at, 990, text, "");
        span(f, "user_annotation", 100, 1, at + 1, 300, "forward", "");
        span(f, "python_function", 100, 1, at + 2, 200, "nn.Module: Linear_0", "");
        span(f, "python_function", 100, 1, at + 3, 190, "model.py(12): forward", "");
        op(f, at + 4, 100, "aten::linear", "\"Sequence number\":7,\"Fwd thread id\":0");
        launch(f, at + 5, "aten::mm",
               "\"Input Dims\":[[64,32],[32,16]],\"Input type\":[\"float\",\"float\"]", at + 60,
               100, "sgemm_128x64", ++id);
        launch(f, at + 30, "aten::relu", "\"Input Dims\":[[64,16]],\"Input type\":[\"float\"]",
               at + 170, 40, "vectorized_elementwise_kernel", ++id);
        span(f, "cpu_op", 100, 2, at + 310, 100, "autograd::engine::evaluate_function: MmBackward0",
             "\"Sequence number\":7,\"Fwd thread id\":1");
        call(f, at + 400, 5, "cudaMemcpyAsync", ++id);
        device(f, "gpu_memcpy", 0, 9, at + 420, 30, "Memcpy HtoD (Pageable -> Device)", id,
               "\"bytes\":4096,\"memory bandwidth (GB/s)\":1.5");
        call(f, at + 500, 5, "cudaLaunchKernel", ++id);
        device(f, "kernel", 0, 20, at + 510, 100, "ncclDevKernel_AllReduce_Sum_f32", id,
               "\"Collective name\":\"allreduce\",\"In msg nelems\":1024,\"Out msg nelems\":1024,"
               "\"dtype\":\"Float\",\"Group size\":2,\"Process Group Name\":\"0\"");
        call(f, at + 600, 5, "cudaGraphLaunch", ++id);
        kernel(f, 7, at + 620, 20, "softmax_warp", id);
        kernel(f, 7, at + 650, 20, "layer_norm", id);
        call(f, at + 700, 200, "cudaDeviceSynchronize", ++id);
    }
    kernel(f, 7, 3500, 10, "not_launched", 999);
}

/* ---- runs ---- */

struct outcome {
    int rc;
    uint64_t tables;
    size_t left;
};

static struct outcome outcome_of(const struct subject *s, long fails)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_diag diag;
    struct az_document doc;
    struct az_classifier classes;
    struct outcome x = { 0 };
    az_mem_init(&mem, 0);
    mem.apart = true;
    az_arena_init(&arena, &mem);
    az_diag_init(&diag);
    az_document_init(&doc, &arena);
    assert_int_equal(az_classifier_init(&classes, &s->opts->classes, &arena), 0);
    struct az_job job = { .opts = s->opts,
                          .traces = s->traces,
                          .n_traces = s->ranks ? 2 : 1,
                          .classes = &classes,
                          .arena = &arena,
                          .mem = &mem,
                          .diag = &diag,
                          .doc = &doc,
                          .draw = 100,
                          .coverage = az_coverage_table(&arena),
                          .findings = az_findings_table(&arena) };
    atomic_store(&requests, 0);
    atomic_store(&fails_at, fails);
    atomic_store(&counting, true);
    x.rc = analyze(&job, s);
    atomic_store(&counting, false);
    if (x.rc == 0) /* the end of a run reports those of these tables */
        x.rc = job.coverage->error ? job.coverage->error : job.findings->error;
    for (size_t i = 0; x.rc == 0 && i < doc.tables.n; i++)
        x.tables = add_table(x.tables, doc.tables.v[i]);
    if (x.rc == 0)
        x.tables = add_table(add_table(x.tables, job.coverage), job.findings);
    az_table_free(job.coverage);
    az_table_free(job.findings);
    az_document_release(&doc);
    az_classifier_release(&classes);
    az_diag_release(&diag);
    az_arena_release(&arena);
    x.left = mem.used;
    return x;
}

/* s->each: each request; else only so many that each call that leads to one has failed. */
static size_t faults(const struct subject *s, const char *name)
{
    size_t bad = 0;
    n_places = 0;
    atomic_store(&collecting, !s->each);
    const struct outcome whole = outcome_of(s, 0);
    atomic_store(&collecting, false);
    const long n = s->each ? atomic_load(&requests) : (long)n_places;
    assert_int_equal(whole.rc, 0);
    assert_int_equal(whole.left, 0);
    for (long i = 0; i < n; i++) {
        const long fails = s->each ? i + 1 : places[i];
        const struct outcome x = outcome_of(s, fails);
        if (x.left == 0 && (x.rc ? x.rc == AZ_ENOMEM : x.tables == whole.tables))
            continue;
        print_error("%s: request %ld: code %d, memory %s, tables %s\n", name, fails, x.rc,
                    x.left ? "left" : "freed", x.tables == whole.tables ? "equal" : "different");
        bad++;
    }
    return bad;
}

static void analyses_of(const struct az_trace *t, const struct az_options *opts, bool each)
{
    const struct az_trace *const traces[] = { t, t };
    size_t bad = 0;
    for (struct az_entry e = az_entries_of(az_analyses); az_entry_next(&e);)
        if (applies(t, e.needs, e.any))
            bad += faults(&(struct subject){ traces, opts, &e, NULL, each }, e.name);
    for (size_t i = 0; az_rank_analyses[i]; i++)
        if (applies(t, az_rank_analyses[i]->needs, az_rank_analyses[i]->any))
            bad += faults(&(struct subject){ traces, opts, NULL, az_rank_analyses[i], each },
                          az_rank_analyses[i]->name);
    assert_int_equal(bad, 0);
}

static void analyses_of_ranges(void **state)
{
    struct fix *f = *state;
    az_vec_release(&f->opts.classes);
    az_options_default(&f->opts, &f->mem);
    ranges_of_steps(&f->t[0]);
    assert_int_equal(az_trace_finalize(&f->t[0]), 0);
    analyses_of(&f->t[0], &f->opts, true);
    az_options_release(&f->opts);
    az_vec_init(&f->opts.classes, &f->mem);
}

static void analyses_of_a_framework(void **state)
{
    struct fw_fix *f = *state;
    framework(f);
    ready(f);
    analyses_of(&f->trace, &f->opts, true);
    add_requested(&f->opts);
    analyses_of(&f->trace, &f->opts, true);
}

/* ---- files ---- */

static void analyses_of_a_file(const struct az_format *format, const char *path)
{
    struct az_mem mem;
    struct az_diag diag;
    struct az_trace t;
    struct az_options opts;
    const struct az_file file = { .path = az_sv_str(path) };
    struct az_parse job = { .files = &file,
                            .n_files = 1,
                            .opts = &opts,
                            .trace = &t,
                            .diag = &diag,
                            .mem = &mem,
                            .threads = 1 };
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    az_options_default(&opts, &mem);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    assert_int_equal(format->parse(&job), 0);
    assert_int_equal(az_trace_finalize(&t), 0);
    analyses_of(&t, &opts, true);
    az_trace_release(&t);
    az_options_release(&opts);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
}

static void analyses_of_files(void **state)
{
    (void)state;
    analyses_of_a_file(&az_format_tracy, "example/tracy/ops_perf_results_host0.csv");
    analyses_of_a_file(&az_format_tracy, "example/tracy/ops_perf_results_layers.csv");
    analyses_of_a_file(&az_format_xplane,
                       "example/xplane/plugins/profile/train_step/alpha.xplane.pb");
    analyses_of_a_file(&az_format_xplane, "example/xplane/tpu/tpu.xplane.pb");
    analyses_of_a_file(&az_format_xplane, "tests/data/recorded/jax_unrolled.xplane.pb.gz");
    analyses_of_a_file(&az_format_rocprof, "tests/data/rocprof/train_results.json");
    analyses_of_a_file(&az_format_pytorch, "example/pytorch/inference.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(analyses_of_files),
        cmocka_unit_test_setup_teardown(analyses_of_ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(analyses_of_a_framework, fw_setup, fw_teardown),
    };
    allocations_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
