/* The sheets of several ranks: each rank is parsed, reduced and thrown away before the tables are
 * made, so that a part that points into its trace is found. */
#include "unit/analyses_fw.h"

#include "compat/tracelens/sheets_common.h"
#include "compat/tracelens/sheets_groups.h"

#define RANKS 4

struct run {
    struct fw_fix *f; /* of the report; its arena keeps the parts */
    struct az_rank rank[RANKS];
    struct az_ranks set;
    int64_t missing[RANKS];
    void *part[3][RANKS];
    const char *option[4][2]; /* set for every rank */
};

static const struct az_rank_analysis *const analyses[] = { &az_rank_analysis_kernels,
                                                           &az_rank_analysis_groups,
                                                           &az_rank_analysis_sheets };

static int setup(void **state)
{
    struct run *r = calloc(1, sizeof *r);
    void *f = NULL;
    int rc = fw_setup(&f);
    r->f = f;
    r->set.v = r->rank;
    *state = r;
    return rc;
}

static int teardown(void **state)
{
    struct run *r = *state;
    void *f = r->f;
    free(r);
    return fw_teardown(&f);
}

static void set_options(const struct run *r, struct fw_fix *f)
{
    f->opts.compat = AZ_TOOL_TRACELENS; /* whose sheets these are: linked work counts */
    for (size_t i = 0; i < 4 && r->option[i][0]; i++)
        option(f, r->option[i][0], r->option[i][1]);
}

static void set_class(struct fw_fix *f, const char *key, const char *name)
{
    struct az_class_rule rule = { az_sv_str(key), az_sv_str(key), az_sv_str(name) };
    assert_int_equal(az_vec_push(&f->opts.classes, rule), 0);
}

static void add_rank(struct run *r, int64_t number, void (*events)(struct fw_fix *),
                     void (*classes)(struct fw_fix *))
{
    void *state = NULL;
    struct fw_fix *f;
    assert_int_equal(fw_setup(&state), 0);
    f = state;
    set_options(r, f);
    if (classes)
        classes(f);
    if (events)
        events(f);
    ready(f);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(analyses[k]->reduce(&f->job, &r->f->arena, &r->part[k][r->set.n]), 0);
    for (size_t i = 0; i < f->diag.list.n; i++)
        az_diag_add(&r->f->diag, f->diag.list.v[i].severity, AZ_NOWHERE, "%.*s",
                    AZ_SVF(f->diag.list.v[i].text));
    assert_int_equal(fw_teardown(&state), 0);
    r->rank[r->set.n++] =
        (struct az_rank){ .rank = number, .path = AZ_SV("rank.json"), .ticks_per_ns = 1 };
    r->set.world_size = number + 1;
}

static void report(struct run *r, void (*classes)(struct fw_fix *))
{
    struct fw_fix *f = r->f;
    set_options(r, f);
    if (classes)
        classes(f);
    assert_int_equal(az_classifier_init(&f->classes, &f->opts.classes, &f->arena), 0);
    f->ready = true;
    f->job = (struct az_job){ .opts = &f->opts,
                              .classes = &f->classes,
                              .arena = &f->arena,
                              .mem = &f->mem,
                              .diag = &f->diag,
                              .doc = &f->doc,
                              .coverage = az_coverage_table(&f->arena),
                              .findings = az_findings_table(&f->arena) };
    for (size_t k = 0; k < 3; k++) {
        bool any = false;
        for (size_t i = 0; i < r->set.n; i++)
            any |= r->part[k][i] != NULL;
        if (any)
            assert_int_equal(analyses[k]->finish(&f->job, &r->set, r->part[k]), 0);
    }
}

static bool said(const struct run *r, enum az_severity s, const char *what)
{
    for (size_t i = 0; i < r->f->diag.list.n; i++)
        if (r->f->diag.list.v[i].severity == s &&
            az_sv_find(r->f->diag.list.v[i].text, az_sv_str(what)) >= 0)
            return true;
    return false;
}

static double at(const struct run *r, const char *id, const char *key, const char *text,
                 const char *column)
{
    const struct az_table *t = table(r->f, id);
    return az_cell_number(cell(t, row_of(t, key, text), column));
}

static bool is_empty(const struct run *r, const char *id, size_t row, const char *column)
{
    return cell(table(r->f, id), row, column)->type == AZ_EMPTY;
}

#define MM                                                                                         \
    "\"Input Dims\":[[64,32],[32,16]],\"Input type\":[\"float\",\"float\"],\"Input "               \
    "Strides\":[[32,1],[16,1]],"                                                                   \
    "\"Concrete Inputs\":[\"\",\"\"]"
#define MM2                                                                                        \
    "\"Input Dims\":[[8,32],[32,16]],\"Input type\":[\"float\",\"float\"],\"Input "                \
    "Strides\":[[32,1],[16,1]],"                                                                   \
    "\"Concrete Inputs\":[\"\",\"\"]"

/* ---- two ranks: products, a collective half under them, a copy, an operator of no group ---- */
static void first_rank(struct fw_fix *f)
{
    launch(f, 0, "aten::mm", MM, 100, 10, "gemm_k", 1);
    launch(f, 20, "aten::mm", MM, 120, 14, "gemm_k", 2);
    launch(f, 40, "aten::mm", MM2, 140, 2, "gemm_k", 3);
    op(f, 60, 10, "record_param_comms", "");
    call(f, 61, 3, "cudaLaunchKernel", 4);
    kernel(f, 9, 130, 20, "ncclDevKernel_AllReduce", 4);
    op(f, 80, 10, "aten::copy_", "");
    call(f, 81, 3, "cudaMemcpyAsync", 5);
    device(f, "gpu_memcpy", 0, 7, 160, 4, "Memcpy HtoD", 5, "");
    launch(f, 100, "my::op", "", 170, 6, "k", 6);
    kernel(f, 7, 172, 8, "stray",
           999); /* launched by nothing that is here, partly at the same time */
}

static void second_rank(struct fw_fix *f)
{
    launch(f, 0, "aten::mm", MM, 100, 12, "gemm_k", 1);
    launch(f, 20, "my::op", "", 120, 3, "k", 2);
}

static void two_ranks(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, first_rank, NULL);
    add_rank(r, 1, second_rank, NULL);
    report(r, NULL);
    /* gemm: 3 of the first kind (10, 14, 12), 1 of the second (2) */
    assert_int_equal(table(r->f, "gemm")->rows, 2);
    const double flops = 2.0 * 64 * 32 * 16;
    near(num(r->f, "gemm", 0, "param: M"), 64);
    near(num(r->f, "gemm", 0, "GFLOPS_first"), flops / 1e9);
    near(num(r->f, "gemm", 0, "Kernel Time (µs)_sum"), 36);
    near(num(r->f, "gemm", 0, "Kernel Time (µs)_mean"), 12);
    near(num(r->f, "gemm", 0, "Kernel Time (µs)_std"), 2);
    near(num(r->f, "gemm", 0, "TFLOPS/s_mean"),
         flops * (1 / 10e-6 + 1 / 14e-6 + 1 / 12e-6) / 3 / 1e12);
    near(num(r->f, "gemm", 0, "name_count"), 3);
    near(num(r->f, "gemm", 0, "name_count_avg"), 1.5);
    near(num(r->f, "gemm", 0, "rank_first"), 0);
    near(num(r->f, "gemm", 0, "UID_first"), 0);
    near(num(r->f, "gemm", 0, "kernel_time_sum_cum_pct"), 36.0 / 38);
    near(num(r->f, "gemm", 1, "kernel_time_sum_cum_pct"), 1);
    assert_true(
        is_empty(r, "gemm", 1, "Kernel Time (µs)_std")); /* one value has no sample deviation */
    is(r->f, "gemm", 0, "kernel_details__summarize_kernel_stats",
       "[{\"name\":\"gemm_k\",\"stream\":7,\"count\":3,\"total_duration_us\":36,\"mean_duration_"
       "us\":12,"
       "\"std_dev_duration_us\":1.632993161855452,\"min_duration_us\":10,\"max_duration_us\":14}]");
    is(r->f, "gemm", 0, "Input Dims_first", "[[64,32],[32,16]]");
    assert_false(has_table(r->f, "conv"));
    assert_true(said(r, AZ_NOTE, "no 'conv' operations"));
    /* launchers: the collective, the copy and the stray kernel are none */
    assert_int_equal(table(r->f, "kernel_launchers")->rows, 2);
    is(r->f, "kernel_launchers", 0, "name", "aten::mm");
    near(num(r->f, "kernel_launchers", 0, "kernel_time_ms"), 0.038);
    near(num(r->f, "kernel_launchers", 0, "count_avg"), 2);
    near(num(r->f, "kernel_launchers", 0, "pct"), 38.0 / 47 * 100);
    near(num(r->f, "kernel_launchers", 1, "time_ms_avg"), 0.0045);
    near(num(r->f, "kernel_launchers", 1, "cum_pct"), 100);
}

static void set_all(struct run *r, const char *key, const char *value)
{
    r->option[0][0] = key;
    r->option[0][1] = value;
}

/* The option counts what was launched before the recording, as it does in gpu_timeline of one
 * trace. */
static void with_unlinked(void **state)
{
    struct run *r = *state;
    set_all(r, "include_unlinked_kernels", "true");
    add_rank(r, 0, first_rank, NULL);
    add_rank(r, 1, second_rank, NULL);
    report(r, NULL);
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_0"), 0.036);
    near(at(r, "gpu_timelines", "type", "busy_time", "time_ms_0"), 0.054);
    near(at(r, "gpu_timelines", "type", "total_time", "time_ms_0"), 0.080);
    near(at(r, "grouped_breakdown", "Group", "Other", "Exposed (s)"),
         (6 + 4 + 3) * 1e-6 / 2); /* stray: beyond 176 */
    near(at(r, "grouped_breakdown", "Group", "Total", "Exposed (s)"), (54 + 15) * 1e-6 / 2);
    near(covered(r->f, "gpu_timelines: unlinked device events"), 1);
    near(covered(r->f, "grouped_breakdown: busy_time - total of Exposed, all ranks"), 0);
}

/* Copies and fills of operators: omitted from kernel_launchers and said so, or counted. */
static void copies_of_launchers(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, first_rank, NULL);
    report(r, NULL);
    assert_int_equal(table(r->f, "kernel_launchers")->rows, 2);
    near(covered(r->f, "kernel_launchers: copies and fills by operators"), 0.004);
}

static void launchers_of_copies(void **state)
{
    struct run *r = *state;
    set_all(r, "launcher_events", "all");
    add_rank(r, 0, first_rank, NULL);
    report(r, NULL);
    assert_int_equal(table(r->f, "kernel_launchers")->rows, 3);
    near(at(r, "kernel_launchers", "name", "aten::copy_", "kernel_time_ms"), 0.004);
    near(at(r, "kernel_launchers", "name", "aten::copy_", "count"), 1);
    near(at(r, "kernel_launchers", "name", "aten::mm", "kernel_time_ms"), 0.026);
    near(at(r, "grouped_breakdown", "Group", "Elemwise", "Time (s)"), 4e-6);
    near(at(r, "grouped_breakdown", "Group", "Memcpy", "Time (s)"), 4e-6);
    near(covered(r->f, "grouped_breakdown: busy_time - total of Exposed, all ranks"), 0);
}

static void time_lines(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, first_rank, NULL);
    add_rank(r, 3, second_rank, NULL);
    r->set.missing = r->missing;
    r->set.n_missing = 2;
    report(r, NULL);
    /* rank 0: computation 10 + 14 + 2 + [170,176), not the stray kernel; collective 130..150 beyond
     * 134 and 140..142 */
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_0"), 0.032);
    near(at(r, "gpu_timelines", "type", "exposed_comm_time", "time_ms_0"), 0.014);
    near(at(r, "gpu_timelines", "type", "exposed_memcpy_time", "time_ms_0"), 0.004);
    near(at(r, "gpu_timelines", "type", "busy_time", "time_ms_0"), 0.050);
    near(at(r, "gpu_timelines", "type", "total_time", "time_ms_0"), 0.076);
    near(at(r, "gpu_timelines", "type", "idle_time", "percent_0"), 26.0 / 76 * 100);
    near(at(r, "gpu_timelines", "type", "total_comm_time", "time_ms_0"), 0.020);
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_3"), 0.015);
    /* averages are of the ranks that are there; the deviation is the population's */
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_avg"), 0.0235);
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_std"), 0.0085);
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_min"), 0.015);
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_max"), 0.032);
    near(at(r, "gpu_timelines", "type", "computation_time", "rank_max"), 0);
    near(num(r->f, "gpu_timelines_by_rank", 1, "rank"), 3);
    near(num(r->f, "gpu_timelines_by_rank", 1, "computation_time"), 0.015);
    near(covered(r->f, "ranks in averages"), 2);
    near(covered(r->f, "gpu_timelines: unlinked device events"), 1);
    assert_int_equal(r->f->doc.charts.n, 3); /* and the groups, without their total */
    assert_int_equal(r->f->doc.charts.v[2].max_rows, table(r->f, "grouped_breakdown")->rows - 1);
    assert_int_equal(r->f->doc.charts.v[0].kind, AZ_CHART_STACKED_COLUMN);
    assert_int_equal(r->f->doc.charts.v[1].kind, AZ_CHART_HEAT);
}

static void breakdown(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, first_rank, NULL);
    add_rank(r, 1, second_rank, NULL);
    report(r, NULL);
    near(at(r, "grouped_breakdown", "Group", "GEMM", "Time (s)"), 38e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "GEMM", "Exposed (s)"), 38e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "Elemwise", "Time (s)"),
         0); /* aten::copy_ launched no kernel */
    near(at(r, "grouped_breakdown", "Group", "Comms", "Time (s)"), 20e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "Comms", "Exposed (s)"), 14e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "Memcpy", "Exposed (s)"), 4e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "Other", "Time (s)"), 9e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "Other", "Exposed (s)"), (6 + 3) * 1e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "Total", "Exposed (s)"), (50 + 15) * 1e-6 / 2);
    near(at(r, "grouped_breakdown", "Group", "Total", "Time (s)"), (38 + 20 + 4 + 9) * 1e-6 / 2);
    near(covered(r->f, "grouped_breakdown: busy_time - total of Exposed, all ranks"), 0);
    near(covered(r->f, "gpu_timelines: total - (computation + exposed_comm + exposed_memcpy + "
                       "idle), all ranks"),
         0);
}

/* Times of a hostile part are added up without an overflow: sums end where numbers do. */
static void hostile_times(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, first_rank, NULL);
    add_rank(r, 1, second_rank, NULL);
    for (size_t k = 0; k < r->set.n; k++) {
        struct az_tracelens_part *p = r->part[2][k];
        struct az_tracelens_launch *l = az_arena_array(&r->f->arena, p->n_launches, sizeof *l);
        assert_non_null(l);
        for (size_t i = 0; i < p->n_launches; i++) {
            l[i] = p->launch[i];
            l[i].exposed = INT64_MAX;
        }
        p->launch = l;
    }
    report(r, NULL);
    const double most = (double)INT64_MAX / 1e9 / 2;
    near(at(r, "grouped_breakdown", "Group", "GEMM", "Exposed (s)"), most);
    near(at(r, "grouped_breakdown", "Group", "Other", "Exposed (s)"), most);
    near(at(r, "grouped_breakdown", "Group", "Total", "Exposed (s)"), most);
}

/* ---- the user's map: a class of a group's name joins it, another is a row of its own; a kernel
 * wins over its operator
 */
static void my_classes(struct fw_fix *f)
{
    set_class(f, "gemm_k", "mine");
    set_class(f, "my::op", "gemm");
    set_class(f, "stray", "mine");
}

static void class_map(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, first_rank, my_classes);
    report(r, my_classes);
    near(at(r, "grouped_breakdown", "Group", "mine", "Time (s)"), 26e-6);
    near(at(r, "grouped_breakdown", "Group", "mine", "Exposed (s)"),
         26e-6); /* the stray kernel does not count */
    near(at(r, "grouped_breakdown", "Group", "GEMM", "Time (s)"), 6e-6);
    near(at(r, "grouped_breakdown", "Group", "Other", "Exposed (s)"), 0);
    near(at(r, "grouped_breakdown", "Group", "Total", "Exposed (s)"), 50e-6);
    assert_int_equal(table(r->f, "grouped_breakdown")->rows, 15);
    assert_int_equal(row_of(table(r->f, "grouped_breakdown"), "Group", "mine"), 10);
    /* launchers are by name still */
    near(at(r, "kernel_launchers", "name", "aten::mm", "count"), 3);
}

/* ---- operators that cannot be estimated ---- */
static void unreadable(struct fw_fix *f)
{
    launch(f, 0, "aten::mm", "\"Input Dims\":[[1]],\"Input type\":[\"float\"]", 100, 10, "k", 1);
    launch(f, 20, "aten::bmm", "", 120, 10, "k", 2); /* nothing recorded: not even tried */
    launch(f, 40, "tex_ts::te_gemm_ts", "\"Input Dims\":[[2,2],[2,2]]", 140, 10, "k", 3);
}

static void failing_metrics(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, unreadable, NULL);
    report(r, NULL);
    assert_false(has_table(r->f, "gemm"));
    assert_true(said(r, AZ_WARNING, "'gemm' operations without an estimate"));
    assert_true(covered(r->f, "gemm: operations without an estimate") >= 1);
    near(at(r, "grouped_breakdown", "Group", "GEMM", "Time (s)"), 30e-6);
}

/* ---- data movement ---- */
static void moving(struct fw_fix *f)
{
    op(f, 0, 30, "aten::mm", MM);
    call(f, 1, 3, "cudaLaunchKernel", 1);
    call(f, 5, 3, "cudaLaunchKernel", 2);
    kernel(f, 7, 100, 10, "void at::native::direct_copy_kernel_cuda<x>", 1);
    kernel(f, 7, 110, 5, "gemm_k", 2);
    launch(f, 40, "aten::copy_",
           "\"Input Dims\":[[8],[8],[]],\"kernel_file\":\"/tmp/inductor\\/c\\u00e9.py\",\"Input "
           "type\":"
           "[\"float\",\"float\",\"Scalar\"]",
           200, 4, "void at::native::direct_copy_kernel_cuda<x>", 3);
}

static void without_data_movement(void **state)
{
    struct run *r = *state;
    add_rank(r, 2, moving, NULL);
    report(r, NULL);
    near(num(r->f, "gemm", 0, "Kernel Time (µs)_sum"), 15);
    near(num(r->f, "gemm", 0, "Non-Data-Mov Kernel Time (µs)_sum"), 5);
    near(num(r->f, "gemm", 0, "Non-Data-Mov TFLOPS/s_mean"),
         num(r->f, "gemm", 0, "TFLOPS/s_mean") * 3);
    near(num(r->f, "gemm", 0, "rank_first"), 2);
    near(num(r->f, "un_elemwise", 0, "Non-Data-Mov Kernel Time (µs)_sum"), 0);
    assert_true(is_empty(r, "un_elemwise", 0, "Non-Data-Mov TFLOPS/s_mean")); /* no time, no rate */
    near(num(r->f, "un_elemwise", 0, "TB/s_mean"), 64 / 4e-6 / 1e12);
}

/* ---- events ---- */
static void some_events(struct fw_fix *f)
{
    op(f, 0, 10, "a", "\"External id\":5");
    span(f, "cuda_runtime", 100, 1, 1, 2, "cudaLaunchKernel",
         "\"correlation\":1,\"External id\":5");
    device(f, "kernel", 0, 7, 100, 3, "k", 1, "\"External id\":5");
    op(f, 20, 10, "b", "");
    span(f, "cuda_driver", 100, 1, 21, 4, "cuLaunchKernel", "\"correlation\":2");
    kernel(f, 7, 120, 10, "k", 2); /* 10 us is not short */
    kernel(f, 7, 140, 9.999, "k", 77);
    device(f, "gpu_memset", 0, 7, 160, 1, "Memset", 78, "");
    call(f, 40, 6, "cudaLaunchKernel", 3);
}

static void no_events(struct fw_fix *f) { op(f, 0, 10, "a", ""); }

static void event_counts(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, some_events, NULL);
    add_rank(r, 1, no_events, NULL);
    report(r, NULL);
    near(num(r->f, "linked_and_short_kernels", 0, "num_kernel_events"), 4);
    near(num(r->f, "linked_and_short_kernels", 0, "num_kernel_events_linked"), 1);
    near(num(r->f, "linked_and_short_kernels", 0, "num_kernel_events_unlinked"), 3);
    near(num(r->f, "linked_and_short_kernels", 0, "num_short_kernel_events_linked"), 1);
    near(num(r->f, "linked_and_short_kernels", 0, "num_short_kernel_events_unlinked"), 2);
    near(num(r->f, "linked_and_short_kernels", 1, "num_kernel_events"), 0);
    is(r->f, "unlinked_short_kernels_summary", 0, "name", "k");
    near(num(r->f, "unlinked_short_kernels_summary", 0, "count"), 2);
    near(num(r->f, "unlinked_short_kernels_summary", 0, "mean_dur"), 9.9995);
    is(r->f, "unlinked_short_kernels_summary", 1, "cat", "gpu_memset");
    near(at(r, "short_cpu_op_counts", "Parent cpu_op", "a", "count"), 1);
    near(at(r, "short_cpu_op_counts", "Parent cpu_op", "(no operator)", "count_avg"), 0.5);
    near(at(r, "short_cpu_op_counts", "Parent cpu_op", "Total", "count"), 2);
    is(r->f, "cuda_events_summary", 0, "cat", "cuda_driver");
    near(num(r->f, "cuda_events_summary", 0, "max_dur_r0"), 4);
    near(num(r->f, "cuda_events_summary", 1, "count_r0"), 2);
    near(num(r->f, "cuda_events_summary", 1, "mean_dur_r0"), 4);
    assert_true(is_empty(r, "cuda_events_summary", 1, "count_r1"));
    near(at(r, "gpu_timelines", "type", "total_time", "time_ms_1"), 0);
    near(at(r, "gpu_timelines", "type", "busy_time", "percent_1"), 0);
}

static void every_kernel(void **state)
{
    struct run *r = *state;
    r->option[0][0] = "all_kernels";
    r->option[0][1] = "true";
    add_rank(r, 0, first_rank, NULL);
    add_rank(r, 1, moving, NULL);
    report(r, NULL);
    assert_int_equal(table(r->f, "kernels_0")->rows, 6); /* kernels only, in file order */
    assert_true(table(r->f, "kernels_0")->flags & AZ_TABLE_WHOLE);
    near(num(r->f, "kernels_0", 1, "Kernel t start"), 120);
    near(num(r->f, "kernels_0", 1, "Kernel duration (µs)"), 14);
    near(num(r->f, "kernels_0", 1, "Parent cpu_op UID"), 3);
    is(r->f, "kernels_0", 1, "Input strides", "[[32,1],[16,1]]");
    near(num(r->f, "kernels_0", 1, "Percent of Parent cpu_op busy time (%)"), 100);
    is(r->f, "kernels_0", 3, "Parent cpu_op", "record_param_comms");
    is(r->f, "kernels_0", 5, "Kernel name", "stray");
    assert_true(is_empty(r, "kernels_0", 5, "Parent cpu_op"));
    near(num(r->f, "kernels_1", 0, "Parent cpu_op busy time (µs)"), 15);
    near(num(r->f, "kernels_1", 0, "Parent cpu_op kernel count"), 2);
    near(num(r->f, "kernels_1", 1, "Percent of Parent cpu_op busy time (%)"), 100.0 / 3);
    assert_true(is_empty(r, "kernels_1", 0, "kernel_file"));
    is(r->f, "kernels_1", 2, "kernel_file", "/tmp/inductor/c\xc3\xa9.py");
    assert_true(r->part[0][0] != NULL);
}

static void kernels_on_request(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, second_rank, NULL);
    report(r, NULL);
    assert_null(r->part[0][0]);
    assert_false(has_table(r->f, "kernels_0"));
}

/* A rank of which nothing could be made has no column and does not count in the averages. */
static void rank_without_part(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, second_rank, NULL);
    add_rank(r, 1, second_rank, NULL);
    for (size_t k = 0; k < 3; k++)
        r->part[k][0] = NULL;
    report(r, NULL);
    assert_int_equal(az_table_find(table(r->f, "gpu_timelines"), "time_ms_0"), -1);
    near(at(r, "gpu_timelines", "type", "computation_time", "time_ms_avg"), 0.015);
    near(num(r->f, "gemm", 0, "rank_first"), 1);
    near(num(r->f, "gemm", 0, "name_count_avg"), 1);
}

/* ---- a trace of the device alone, and work under `execute` ---- */
static void device_only(struct fw_fix *f)
{
    kernel(f, 7, 100, 10, "gemm_k", 1);
    kernel(f, 8, 105, 10, "other", 2);
}

static void no_operators(void **state)
{
    struct run *r = *state;
    set_all(r, "include_unlinked_kernels", "true");
    add_rank(r, 0, device_only, NULL);
    report(r, NULL);
    assert_false(has_table(r->f, "kernel_launchers"));
    assert_false(has_table(r->f, "gemm"));
    near(at(r, "gpu_timelines", "type", "busy_time", "time_ms_avg"), 0.015);
    near(at(r, "grouped_breakdown", "Group", "Other", "Time (s)"), 0);
    near(at(r, "grouped_breakdown", "Group", "Other", "Exposed (s)"), 15e-6);
    near(covered(r->f, "grouped_breakdown: busy_time - total of Exposed, all ranks"), 0);
}

/* None of its work is linked: as of a single trace, an empty timeline and a warning. */
static void nothing_linked(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, device_only, NULL);
    report(r, NULL);
    near(at(r, "gpu_timelines", "type", "busy_time", "time_ms_avg"), 0);
    assert_true(said(r, AZ_WARNING, "none of 2 device events is linked to a launch"));
}

static void under_execute(struct fw_fix *f)
{
    op(f, 0, 30, "conv_bn_fused", "");
    op(f, 1, 20, "execute", "");
    span(f, "cuda_driver", 100, 1, 2, 5, "cuLaunchKernel", "\"correlation\":1");
    kernel(f, 7, 100, 8, "k", 1);
    call(f, 50, 5, "cudaLaunchKernel", 2); /* no operator around it */
    kernel(f, 7, 120, 4, "k", 2);
}

static void execute_is_no_launcher(void **state)
{
    struct run *r = *state;
    add_rank(r, 0, under_execute, NULL);
    report(r, NULL);
    assert_int_equal(table(r->f, "kernel_launchers")->rows, 1);
    is(r->f, "kernel_launchers", 0, "name", "conv_bn_fused");
    near(num(r->f, "kernel_launchers", 0, "kernel_time_ms"), 0.008);
    near(covered(r->f, "kernel_launchers: kernels without an operator"), 0.004);
    near(at(r, "grouped_breakdown", "Group", "Other", "Time (s)"), 8e-6);
    near(at(r, "grouped_breakdown", "Group", "Other", "Exposed (s)"), 12e-6);
}

/* ---- the data file ---- */
static bool in_one(const struct az_tracelens_words *w, enum az_tracelens_kind kind,
                   const char *name, const char *op)
{
    struct az_sv names[AZ_TRACELENS_GROUPS];
    const size_t n = az_tracelens_names(kind, names);
    const uint32_t in = az_tracelens_sets(w, az_sv_str(op));
    for (size_t i = 0; i < n; i++)
        if (az_sv_is(names[i], name))
            return in == UINT32_C(1) << i;
    return false;
}

static void group_lists(void **state)
{
    struct az_sv name[AZ_TRACELENS_GROUPS];
    (void)state;
    assert_int_equal(az_tracelens_names(AZ_TRACELENS_SHEET, name), 5);
    assert_true(az_sv_is(name[0], "gemm") && az_sv_is(name[4], "bin_elemwise"));
    assert_int_equal(az_tracelens_names(AZ_TRACELENS_GROUP, name), 10);
    assert_true(az_sv_is(name[0], "Attention") && az_sv_is(name[9], "Triton"));
    struct az_arena arena;
    struct az_tracelens_words sheets, groups;
    az_arena_init(&arena, NULL);
    assert_int_equal(az_tracelens_words(AZ_TRACELENS_SHEET, &arena, &sheets), 0);
    assert_int_equal(az_tracelens_words(AZ_TRACELENS_GROUP, &arena, &groups), 0);
    assert_true(in_one(&sheets, AZ_TRACELENS_SHEET, "gemm", "aten::mm"));
    assert_int_equal(az_tracelens_sets(&sheets, AZ_SV("aten::mm_")), 0);
    assert_true(in_one(&groups, AZ_TRACELENS_GROUP, "GEMM", "vllm::gemm_with_dynamic_quant"));
    assert_true(in_one(&groups, AZ_TRACELENS_GROUP, "Elemwise", "aten::threshold_backward"));
    assert_true(in_one(&groups, AZ_TRACELENS_GROUP, "Triton", "triton_poi_fused_0"));
    assert_int_equal(az_tracelens_sets(&groups, AZ_SV("triton")), 0);
    assert_int_equal(az_tracelens_sets(&groups, AZ_SV("")), 0);
    az_arena_release(&arena);
    assert_true(az_tracelens_moves(AZ_SV("batched_transpose_32x32")));
    assert_false(az_tracelens_moves(AZ_SV("gemm")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_ranks, setup, teardown),
        cmocka_unit_test_setup_teardown(time_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(with_unlinked, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_of_launchers, setup, teardown),
        cmocka_unit_test_setup_teardown(launchers_of_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_linked, setup, teardown),
        cmocka_unit_test_setup_teardown(breakdown, setup, teardown),
        cmocka_unit_test_setup_teardown(hostile_times, setup, teardown),
        cmocka_unit_test_setup_teardown(class_map, setup, teardown),
        cmocka_unit_test_setup_teardown(failing_metrics, setup, teardown),
        cmocka_unit_test_setup_teardown(without_data_movement, setup, teardown),
        cmocka_unit_test_setup_teardown(event_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(every_kernel, setup, teardown),
        cmocka_unit_test_setup_teardown(kernels_on_request, setup, teardown),
        cmocka_unit_test_setup_teardown(rank_without_part, setup, teardown),
        cmocka_unit_test_setup_teardown(no_operators, setup, teardown),
        cmocka_unit_test_setup_teardown(execute_is_no_launcher, setup, teardown),
        cmocka_unit_test(group_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
