/* All analyses over small random traces: a digest of all their tables. Times are on a grid, so that
 * many begin, end or last as long as others. A digest that differs prints those of the analyses:
 * run the program of before, too, and compare. */
#include <inttypes.h>

#include "formats/list.h"
#include "unit/analyses_fw.h"
#include "unit/registry_runs.h"

enum { TRACES = 24, GRID = 1000 };

static uint64_t state_of_random;

static unsigned below(unsigned n)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state_of_random >> 33) % n;
}

static const char *one_of(const char *const *names, size_t n) { return names[below((unsigned)n)]; }
#define ONE_OF(names) one_of(names, AZ_LENGTH(names))

static const char *const kernels[] = {
    "sgemm_128x64",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
    "ncclDevKernel_SendRecv",
    "softmax_warp_forward",
    "void flash::flash_fwd_kernel<X>(y)",
    "mystery",
};
static const char *const ranges[] = { "step", "forward", "backward", "optimizer", "loader" };
static const char *const waits[] = { "cudaStreamSynchronize",
                                     "cudaDeviceSynchronize",
                                     "cudaEventSynchronize",
                                     "cudaMalloc",
                                     "cudaFree",
                                     "cudaEventRecord" };

/* ---- ranges, calls and device work ---- */

static void random_work(struct az_trace *t, int64_t at)
{
    const uint64_t id = t->ev[AZ_CALL].n + 1, thread = 1 + below(3), stream = 7 + below(3);
    const int64_t call = at + below(20) * GRID, length = (1 + below(3)) * (int64_t)GRID,
                  start = call + below(8) * GRID;
    const uint32_t on = stream_lane(t, 1, below(2), stream), host = host_lane(t, 1, thread);
    switch (below(8)) {
    case 0:
        add(t, AZ_CALL, ONE_OF(waits), host, call, call + below(12) * GRID, 0);
        return;
    case 1:
        add(t, AZ_CALL, "cudaMemcpyAsync", host, call, call + GRID, id);
        add_copy(t, AZ_MEMCPY, below(2) ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy DtoD", on,
                 start, start + length, id, (struct az_copy){ .bytes = 4096u << below(12) });
        return;
    case 2:
        add(t, AZ_CALL, "cudaMemsetAsync", host, call, call + GRID, id);
        add_copy(t, AZ_MEMSET, "Memset (Device)", on, start, start + length, id,
                 (struct az_copy){ .bytes = 1000 });
        return;
    default:
        add(t, AZ_CALL, "cudaLaunchKernel", host, call, call + GRID / 2, id);
        add(t, AZ_KERNEL, ONE_OF(kernels), on, start, start + length,
            below(12) ? id : id + 1000000); /* now and then without its launch */
    }
}

static void random_ranges(struct az_trace *t)
{
    const int steps = 2 + (int)below(4);
    for (int i = 0; i < steps; i++) {
        const int64_t at = 1000000 + (int64_t)i * 30 * GRID;
        add_range(t, "step", host_lane(t, 1, 1), at, at + 30 * GRID, t->ranges.n, 0, false);
        for (unsigned k = 0; k < 4; k++) {
            const int64_t from = at + below(15) * GRID;
            add_range(t, ONE_OF(ranges), host_lane(t, 1, 1 + below(2)), from,
                      from + below(15) * GRID, t->ranges.n, 0, false);
        }
        for (unsigned k = 0; k < 16; k++)
            random_work(t, at);
    }
}

/* ---- steps of a framework ---- */

static const char *const operators[] = { "aten::mm",   "aten::addmm", "aten::add",
                                         "aten::relu", "aten::copy_", "my::fused" };
static const char *const shapes[] = { "[[64,32],[32,16]]", "[[128,64],[64,16]]", "[[64],[64,64]]" };

static void random_operator(struct fw_fix *f, int at, int *id)
{
    char args[256];
    const int n = 1 + (int)below(2), length = 10 * (1 + (int)below(4));
    snprintf(args, sizeof args,
             "\"Input Dims\":%s,\"Input type\":[\"float\",\"float\"],\"Sequence number\":%u",
             ONE_OF(shapes), below(6));
    span(f, "cpu_op", 100, 1 + (int)below(2), at, length, ONE_OF(operators), args);
    for (int i = 0; i < n; i++) {
        const int start = at + 10 * (1 + (int)below(12)), stream = below(4) ? 7 : 20;
        call(f, at + 1 + 3 * i, 2, "cudaLaunchKernel", ++*id);
        if (below(6) == 0)
            device(f, "kernel", 0, 20, start, 10 * (1 + (int)below(5)), kernels[2], *id,
                   "\"Collective name\":\"allreduce\",\"In msg nelems\":1024,\"Out msg nelems\":"
                   "1024,\"dtype\":\"Float\",\"Group size\":2,\"Process Group Name\":\"0\","
                   "\"Process Group Ranks\":\"[0, 1]\"");
        else if (below(8) == 0)
            device(f, "gpu_memcpy", 0, 9, start, 10, "Memcpy HtoD (Pageable -> Device)", *id,
                   "\"bytes\":4096,\"memory bandwidth (GB/s)\":1.5");
        else
            device(f, "kernel", 0, stream, start, 10 * (1 + (int)below(5)), ONE_OF(kernels), *id,
                   "\"grid\":[8,1,1],\"block\":[128,1,1],\"registers per thread\":32");
    }
}

static void random_steps(struct fw_fix *f)
{
    int id = 0;
    names(f);
    for (int i = 0; i < 3; i++) {
        const int at = 1000 + i * 1000;
        char text[32];
        snprintf(text, sizeof text, "ProfilerStep#%d", i + 4);
        span(f, "user_annotation", 100, 1, at, 990, text, "");
        span(f, "user_annotation", 100, 1, at + 1, 10 * (30 + (int)below(30)), ONE_OF(ranges), "");
        span(f, "python_function", 100, 1, at + 2, 600, "nn.Module: Linear_0", "");
        span(f, "python_function", 100, 1, at + 3, 500, "model.py(12): forward", "");
        for (int k = 0; k < 9; k++)
            random_operator(f, at + 10 + 100 * k, &id);
        call(f, at + 950, 10 * (int)below(4), below(2) ? "cudaDeviceSynchronize" : "cudaMalloc",
             ++id);
    }
}

/* ---- digests ---- */

/* Numbers by nine digits: the last ones of a sum differ where a processor multiplies and adds at
 * once.
 */
static uint64_t add_cells(uint64_t sum, struct az_table *t)
{
    char number[64];
    assert_int_equal(az_table_store_rows(t, t->rows), 0);
    sum = add_text(sum, t->id);
    for (size_t i = 0; i < t->rows; i++)
        for (size_t c = 0; c < t->columns.n; c++) {
            const struct az_cell *x = az_table_at(t, i, c);
            snprintf(number, sizeof number, "%d %.9g", (int)x->type,
                     x->type == AZ_TEXT ? 0 : az_cell_number(x));
            sum = add_text(sum, x->type == AZ_TEXT ? az_cell_text(x) : az_sv_str(number));
        }
    return sum;
}

static uint64_t tables_of(const struct subject *s)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_diag diag;
    struct az_document doc;
    struct az_classifier classes;
    uint64_t sum = 0;
    az_mem_init(&mem, 0);
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
    assert_int_equal(analyze(&job, s), 0);
    for (size_t i = 0; i < doc.tables.n; i++)
        sum = add_cells(sum, doc.tables.v[i]);
    az_table_free(job.coverage);
    az_table_free(job.findings);
    az_document_release(&doc);
    az_classifier_release(&classes);
    az_diag_release(&diag);
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
    return sum;
}

static struct digest {
    const char *traces, *name;
    uint64_t sum;
} digests[512];
static size_t n_digests;

static void add_digest(const char *traces, const char *name, uint64_t sum)
{
    size_t i = 0;
    while (i < n_digests &&
           (strcmp(digests[i].traces, traces) != 0 || strcmp(digests[i].name, name) != 0))
        i++;
    n_digests += i == n_digests;
    assert_true(n_digests <= AZ_LENGTH(digests));
    digests[i].traces = traces;
    digests[i].name = name;
    digests[i].sum = (digests[i].sum ^ sum) * 0x9e3779b97f4a7c15u;
}

static const char file[] = "tests/unit/registry_digests.txt";

static void update_file(void)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    for (size_t i = 0; i < n_digests; i++)
        fprintf(f, "%s %s %016" PRIx64 "\n", digests[i].traces, digests[i].name, digests[i].sum);
    assert_int_equal(fclose(f), 0);
}

static void digests_are_those_of_the_file(void **state)
{
    char line[256], want[256];
    size_t bad = 0;
    (void)state;
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    for (size_t i = 0; i < n_digests; i++) {
        snprintf(want, sizeof want, "%s %s %016" PRIx64 "\n", digests[i].traces, digests[i].name,
                 digests[i].sum);
        if (fgets(line, sizeof line, f) && strcmp(line, want) == 0)
            continue;
        print_error("now: %s", want);
        bad++;
    }
    assert_null(fgets(line, sizeof line, f));
    assert_int_equal(fclose(f), 0);
    assert_int_equal(bad, 0);
}

static void analyses_of(const char *which, const struct az_trace *const *traces,
                        const struct az_options *opts)
{
    const struct az_trace *t = traces[0];
    for (struct az_entry e = az_entries_of(az_analyses); az_entry_next(&e);)
        if (applies(t, e.needs, e.any))
            add_digest(which, e.name, tables_of(&(struct subject){ traces, opts, &e, NULL, true }));
    for (size_t i = 0; az_rank_analyses[i]; i++)
        if (applies(t, az_rank_analyses[i]->needs, az_rank_analyses[i]->any))
            add_digest(
                which, az_rank_analyses[i]->name,
                tables_of(&(struct subject){ traces, opts, NULL, az_rank_analyses[i], true }));
}

static void tables_of_ranges(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= TRACES; seed++) {
        struct fix *f;
        assert_int_equal(setup((void **)&f), 0);
        az_vec_release(&f->opts.classes);
        az_options_default(&f->opts, &f->mem);
        for (int i = 0; i < 2; i++) {
            state_of_random = seed * 2 + (unsigned)i;
            random_ranges(&f->t[i]);
            assert_int_equal(az_trace_finalize(&f->t[i]), 0);
        }
        if (seed % 2 == 0)
            add_requested(&f->opts);
        analyses_of("ranges", f->views, &f->opts);
        az_options_release(&f->opts);
        az_vec_init(&f->opts.classes, &f->mem);
        assert_int_equal(teardown((void **)&f), 0);
    }
}

static void tables_of_a_framework(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= TRACES; seed++) {
        struct fw_fix *f[2];
        const struct az_trace *traces[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(fw_setup((void **)&f[i]), 0);
            state_of_random = seed * 2 + (unsigned)i;
            random_steps(f[i]);
            ready(f[i]);
            f[i]->trace.path = AZ_SV("trace.json"); /* of a folder with another name in each run */
            traces[i] = &f[i]->trace;
        }
        if (seed % 2 == 0)
            add_requested(&f[0]->opts);
        analyses_of("framework", traces, &f[0]->opts);
        for (int i = 0; i < 2; i++)
            assert_int_equal(fw_teardown((void **)&f[i]), 0);
    }
}

static void tables_of_a_file(const struct az_format *format, const char *path, bool requested)
{
    struct az_mem mem;
    struct az_diag diag;
    struct az_trace t;
    struct az_options opts;
    const struct az_trace *const traces[] = { &t, &t };
    const struct az_file of = { .path = az_sv_str(path) };
    struct az_parse job = { .files = &of,
                            .n_files = 1,
                            .opts = &opts,
                            .trace = &t,
                            .diag = &diag,
                            .mem = &mem,
                            .threads = 1 };
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    az_options_default(&opts, &mem);
    if (requested)
        add_requested(&opts);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    assert_int_equal(format->parse(&job), 0);
    assert_int_equal(az_trace_finalize(&t), 0);
    analyses_of(format->name, traces, &opts);
    az_trace_release(&t);
    az_options_release(&opts);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
}

static void tables_of_files(void **state)
{
    (void)state;
    for (int requested = 0; requested < 2; requested++) {
        tables_of_a_file(&az_format_tracy, "example/tracy/ops_perf_results_host0.csv", requested);
        tables_of_a_file(&az_format_tracy, "example/tracy/ops_perf_results_layers.csv", requested);
        tables_of_a_file(&az_format_xplane,
                         "example/xplane/plugins/profile/train_step/alpha.xplane.pb", requested);
        tables_of_a_file(&az_format_xplane, "example/xplane/tpu/tpu.xplane.pb", requested);
        tables_of_a_file(&az_format_xplane, "tests/data/recorded/jax_unrolled.xplane.pb.gz",
                         requested);
        tables_of_a_file(&az_format_rocprof, "tests/data/rocprof/train_results.json", requested);
        tables_of_a_file(&az_format_pytorch, "example/pytorch/inference.json", requested);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_ranges),
        cmocka_unit_test(tables_of_a_framework),
        cmocka_unit_test(tables_of_files),
        cmocka_unit_test(digests_are_those_of_the_file),
    };
    const bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (update)
        update_file();
    return update ? 0 : failed;
}
