/* One allocation of a whole run fails, in many runs another one. Such a run ends with a message and
 * its exit status, or its report is that of a run without the failure; all memory is freed. The
 * library of workbooks does not free all of its own, so there is none. */
#include "run_files.h"
#include "unit/allocations.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#ifndef AZ_ALLOCATIONS
static void needs_the_allocator_of_glibc(void **state) { (void)state; }

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(needs_the_allocator_of_glibc) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

int fsync(int fd) /* takes most of the time of a run that writes little */
{
    (void)fd;
    return 0;
}

/* ---- a run ---- */

struct outcome {
    int rc;
    long left;      /* blocks */
    uint64_t files; /* their names and contents together */
    char *out, *err;
};

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat st;
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    const size_t n = (size_t)st.st_size;
    char *text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, n, f), n);
    text[n] = 0;
    fclose(f);
    return text;
}

/* A number that differs where the name or the content of a file below this folder does; in
 * whichever order they are found. */
static uint64_t files_of(const char *folder)
{
    uint64_t sum = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[1024];
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        assert_true(snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path);
        assert_int_equal(lstat(path, &st), 0);
        if (S_ISDIR(st.st_mode)) {
            sum += files_of(path);
            continue;
        }
        char *text = read_all(path);
        const uint64_t name = az_hash(path, strlen(path));
        sum += (az_hash(text, (size_t)st.st_size) ^ name) * 0x9e3779b97f4a7c15u;
        free(text);
    }
    if (d)
        closedir(d);
    return sum;
}

static struct outcome run(struct setting *s, long fails)
{
    const struct az_run_opts opts = {
        .workers = 1, .color = AZ_NEVER, .progress = AZ_NEVER, .text_full = true
    };
    struct outcome x = { .rc = 0 };
    const int to[2] = { open("out", O_CREAT | O_TRUNC | O_WRONLY, 0666),
                        open("err", O_CREAT | O_TRUNC | O_WRONLY, 0666) };
    fflush(stdout);
    assert_int_equal(system("rm -rf made"), 0);
    const int kept[2] = { dup(1), dup(2) };
    dup2(to[0], 1);
    dup2(to[1], 2);
    atomic_store(&requests, 0);
    atomic_store(&fails_at, fails);
    const long before = atomic_load(&blocks);
    atomic_store(&counting, true);
    x.rc = az_run(&s->plan, &opts);
    atomic_store(&counting, false);
    x.left = atomic_load(&blocks) - before;
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], i + 1);
        close(kept[i]);
        close(to[i]);
    }
    x.files = files_of("made");
    x.out = read_all("out");
    x.err = read_all("err");
    return x;
}

static void drop(struct outcome *x)
{
    free(x->out);
    free(x->err);
}

static int set_up_empty(void **state)
{
    const int rc = set_up(state);
    struct setting *s = *state;
    az_config_release(&s->config);
    return rc ? rc : az_config_init(&s->config);
}

static char root[4096];

static void sweep_config(struct setting *s, const char *text, const char *path)
{
    struct az_config_names names;
    struct az_overrides none;
    size_t bad = 0;

    write_file("config.json", text);
    az_vec_init(&none, NULL);
    assert_int_equal(az_plan_names(&s->plan.arena, &names), 0);
    assert_int_equal(az_config_load(&s->config, "config.json", &none, &names, &s->diag), 0);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    struct outcome first = run(s, 0); /* what is made once is made */
    drop(&first);
    n_places = 0;
    atomic_store(&collecting, true);
    struct outcome whole = run(s, 0);
    atomic_store(&collecting, false);
    assert_int_equal(whole.rc, AZ_EXIT_OK);
    assert_int_equal(whole.left, 0);
    for (size_t i = 0; i < n_places; i++) {
        const long fails = places[i];
        struct outcome x = run(s, fails);
        const bool equal =
            x.rc == AZ_EXIT_OK && x.files == whole.files && strcmp(x.out, whole.out) == 0;
        const bool told = x.rc != AZ_EXIT_OK && strstr(x.err, "error: ") && strstr(x.err, "memory");
        if ((!equal && !told) || x.left) {
            print_error("%s: request %ld: exit status %d, %ld blocks left, report %s\n%s", path,
                        fails, x.rc, x.left, equal ? "equal" : "other", x.err);
            bad++;
        }
        drop(&x);
    }
    drop(&whole);
    assert_int_equal(bad, 0);
}

/* Runs of an input with these options and outputs. */
static void sweep(struct setting *s, const char *path, const char *options, const char *outputs)
{
    static char text[9000];
    (void)snprintf(text, sizeof text,
                   "{\"inputs\":[{\"title\":\"input\",\"path\":\"%s/%s\"}],\"compat\":\"all\","
                   "\"options\":{%s},\"outputs\":{\"dir\":\"made\",%s}}",
                   root, path, options, outputs);
    sweep_config(s, text, path);
}

#define TEXT  "\"formats\":[\"text\"]"
#define FILES "\"formats\":[\"text\",\"json\",\"csv\",\"html\",\"md\",\"sqlite\"]"
#define PYTORCH_OPTIONS                                                                            \
    "\"include_overlap_info\":true,\"include_call_stack\":true,\"detect_recompute\":true,"         \
    "\"short_kernel_study\":true,\"inference_phase_analysis\":true,\"micro_idle_thresh_us\":10,"   \
    "\"group_by_parent_module\":true,\"include_first_occurrence_time\":true,\"critical_path\":"    \
    "true,"                                                                                        \
    "\"rank_tables\":\"always\",\"launch_details\":true,\"enable_pseudo_ops\":true"

static void pytorch(void **state)
{
    sweep(*state, "example/pytorch/train_step.json", PYTORCH_OPTIONS, TEXT);
}
static void pytorch_inference(void **state)
{
    sweep(*state, "example/pytorch/inference.json", PYTORCH_OPTIONS, TEXT);
}
static void pytorch_capture(void **state)
{
    sweep(*state, "example/pytorch/decode/trace.json", "", TEXT);
}
static void pytorch_ranks(void **state)
{
    sweep(*state, "example/multirank/step_120/*.json", "", TEXT);
}
static void pytorch_files(void **state) { sweep(*state, "example/pytorch/moe.json", "", FILES); }
static void nsys(void **state)
{
    sweep(*state, "example/nsys/llama2_70b_nvtx_gpu_proj_trace.csv", "", TEXT);
}
static void xplane_tpu(void **state)
{
    sweep(*state, "example/xplane/tpu/tpu.xplane.pb", "\"rank_tables\":\"always\"", TEXT);
}
static void xplane_hosts(void **state)
{
    sweep(*state, "example/xplane/plugins/profile/train_step", "", TEXT);
}
static void tracy(void **state)
{
    sweep(*state, "example/tracy/ops_perf_results_host0.csv", "", TEXT);
}
static void rocprof(void **state)
{
    sweep(*state, "tests/data/rocprof/train_results.json",
          "\"kernel_details\":true,\"short_kernel_study\":true,\"gap_threshold_us\":1", TEXT);
}

static void recorded_graph(void **state)
{
    sweep(*state, "tests/data/recorded/few_blocks.pt.trace.json.gz", PYTORCH_OPTIONS, TEXT);
}
static void recorded_jax(void **state)
{
    sweep(*state, "tests/data/recorded/jax_unrolled.xplane.pb.gz", "\"gap_threshold_us\":1", TEXT);
}
static void tracy_layers(void **state)
{
    sweep(*state, "example/tracy/ops_perf_results_layers.csv", "", TEXT);
}

/* What is kept of the inputs for the steps after them. */
static void compared(void **state)
{
    static char text[20000];
    (void)snprintf(text, sizeof text,
                   "{\"inputs\":[{\"title\":\"a\",\"path\":\"%s/example/pytorch/moe.json\"},"
                   "{\"title\":\"b\",\"path\":\"%s/example/pytorch/train_step.json\"}],"
                   "\"compare\":{\"outputs\":{" TEXT "}},\"side_by_side\":true,"
                   "\"outputs\":{" TEXT "}}",
                   root, root);
    sweep_config(*state, text, "two inputs");
}

static void two_inputs(void **state, const char *first, const char *more, const char *formats)
{
    static char text[20000];
    (void)snprintf(text, sizeof text,
                   "{\"inputs\":[{\"title\":\"a\",\"path\":\"%s/example/pytorch/%s.json\"},"
                   "{\"title\":\"b\",\"path\":\"%s/example/pytorch/train_step.json\"}],"
                   "%s,\"outputs\":{\"dir\":\"made\",%s}}",
                   root, first, root, more, formats);
    sweep_config(*state, text, more);
}

static void files_of_a_comparison(void **state)
{
    two_inputs(state, "moe", "\"compare\":{\"outputs\":{\"dir\":\"made/compared\"," FILES "}}",
               TEXT);
}

static void files_of_gates(void **state)
{
    two_inputs(state, "train_step",
               "\"gates\":{\"baseline\":\"a\",\"rules\":[{\"table\":\"gpu_*\"}]}",
               "\"formats\":[\"text\",\"verdict\",\"junit\",\"openmetrics\",\"csv\"]");
}

/* An input that cannot be added is not there; else it is the last one. */
static void inputs(void **state)
{
    struct setting *s = *state;
    for (long fails = 1; fails < 20; fails++) {
        struct az_input *in = NULL;
        const size_t before = s->config.inputs.n;
        atomic_store(&requests, 0);
        atomic_store(&fails_at, fails);
        atomic_store(&counting, true);
        const int rc = az_config_add_input(&s->config, &in);
        atomic_store(&counting, false);
        assert_int_equal(s->config.inputs.n - before, rc == 0);
        assert_ptr_equal(rc ? NULL : in, rc ? NULL : &s->config.inputs.v[before]);
    }
}

/* With an argument: only the test of this name. */
int main(int argc, char **argv)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up_empty, tear_down)
    const struct CMUnitTest tests[] = {
        T(pytorch),
        T(pytorch_inference),
        T(pytorch_capture),
        T(pytorch_ranks),
        T(pytorch_files),
        T(nsys),
        T(inputs),
        T(compared),
        T(files_of_a_comparison),
        T(files_of_gates),
        T(tracy),
        T(rocprof),
        T(xplane_tpu),
        T(xplane_hosts),
        T(recorded_graph),
        T(recorded_jax),
        T(tracy_layers),
    };
    assert_non_null(getcwd(root, sizeof root));
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    allocations_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
