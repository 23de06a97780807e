#include "run_files.h"

#include "read/rank_name.h"

/* ---- the rank in a name ---- */

static int64_t rank_in(const char *pattern, const char *name)
{
    struct az_rank_name r;
    struct az_rank_place at;
    struct az_arena a;
    struct az_diag d;
    int64_t rank = -1;

    az_arena_init(&a, NULL);
    az_diag_init(&d);
    assert_int_equal(az_rank_name_init(&r, az_sv_str(pattern), &a, AZ_NOWHERE, &d), 0);
    if (az_rank_name_find(&r, az_sv_str(name), &at)) {
        rank = at.rank;
        assert_true(at.start <= at.digits && at.digits < at.end && at.end <= strlen(name));
    }
    az_rank_name_release(&r);
    az_diag_release(&d);
    az_arena_release(&a);
    return rank;
}

static void ranks_in_names(void **state)
{
    (void)state;
    assert_int_equal(rank_in("rank_", "rank_0_step_8.json"), 0);
    assert_int_equal(rank_in("rank_", "rank_10.json"), 10);
    assert_int_equal(rank_in("rank_", "rank_x_rank_7.json"), 7);
    assert_int_equal(rank_in("rank_", "rank_3_rank_7.json"), 3);
    assert_int_equal(rank_in("rank_", "rank-3.json"), -1);
    assert_int_equal(rank_in("rank_", "Rank_3.json"), -1);
    assert_int_equal(rank_in("rank_", "rank_"), -1);
    assert_int_equal(rank_in("rank_", ""), -1);
    assert_int_equal(rank_in("rank_", "rank_1048575"), 1048575);
    assert_int_equal(rank_in("rank_", "rank_1048576"), -1);
    assert_int_equal(rank_in("rank_", "rank_99999999999999999999999"), -1);
    assert_int_equal(rank_in("a.b", "axb3 a.b4"), 4); /* literal: the dot is a dot */
    assert_int_equal(rank_in("re:rank[-_]?", "rank-12.json"), 12);
    assert_int_equal(rank_in("re:(r|w)(k|o)", "wo5"), 5);
    assert_int_equal(rank_in("re:\\d+_", "77_12.json"), 12);
    assert_int_equal(rank_in("re:", "x9y8"), 9);
    assert_int_equal(rank_in("", "worker3_step_12.16.pt.trace.json"), 3);
    assert_int_equal(rank_in("", "trace_rank[4].json"), 4);
    assert_int_equal(rank_in("", "rank_of_step_12.json"), -1);
    assert_int_equal(rank_in("", "rank_x_worker_rank-7.json"), 7);
    assert_int_equal(rank_in("", "rankrank12"), 12);
    assert_int_equal(rank_in("", "rank--7"), -1);
    assert_int_equal(rank_in("", "worker."), -1);
    assert_int_equal(rank_in("", "dp0_pp0_tp0_rank3.1700000000000000000.pt.trace.json.gz"), 3);
    assert_int_equal(rank_in("", "trace-rank-12.json"), 12);
    assert_int_equal(rank_in("", "RANK_4.json"), 4);
    assert_int_equal(rank_in("", "1741234567.5-TP-6-DECODE.trace.json.gz"), 6);
    assert_int_equal(rank_in("", "profile_5.json"), 5);
    assert_int_equal(rank_in("", "profile_9_rank2.json"), 2);
    assert_int_equal(rank_in("", "profile_1700000000.json"), -1);
    assert_int_equal(rank_in("", "http2.json"), -1);
    assert_int_equal(rank_in("", "tp_rank_0_pp_rank_1_rank_5.json"), 5);
    assert_int_equal(rank_in("", "local_rank_1.json"), 1);
    assert_int_equal(rank_in("", "worker1.1700000000000000000.pt.trace.json"), 1);
}

static bool host_is(const char *name, int64_t rank, const char *want)
{
    return az_sv_is(az_rank_host_in_name(az_sv_str(name), rank), want);
}

static void hosts_in_names(void **state)
{
    (void)state;
    assert_true(host_is("node01_4711.1767189312000.pt.trace.json", 3, "node01"));
    assert_true(host_is("gpu-a_b.x_1.2.pt.trace.json.gz", 0, "gpu-a_b.x"));
    assert_true(host_is("job-worker-1_77.1767189312000.pt.trace.json", 9, "job-worker-1"));
    assert_true(host_is("worker1_step_12.1694128201545.pt.trace.json", 1, ""));
    assert_true(host_is("worker1_step_12.1694128201545.pt.trace.json", -1, ""));
    assert_true(host_is("node01_x.1767189312000.pt.trace.json", 0, ""));
    assert_true(host_is("node01_4711.json", 0, ""));
    assert_true(host_is("_4711.17.pt.trace.json", 0, ""));
    assert_true(host_is("4711.17.pt.trace.json", 0, ""));
    assert_true(host_is(".pt.trace.json", 0, ""));
    assert_true(host_is("", 0, ""));
}

static void bad_patterns(void **state)
{
    static const char *const bad[] = { "re:(", "re:[", "re:x\\", "re:(?P<rank>x)",
                                       "re:((((((((x))))))))" };
    struct az_rank_name r;
    struct az_arena a;
    struct az_diag d;

    (void)state;
    az_arena_init(&a, NULL);
    az_diag_init(&d);
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        assert_int_equal(az_rank_name_init(&r, az_sv_str(bad[i]), &a, AZ_NOWHERE, &d), AZ_ECONFIG);
        assert_int_equal(d.errors, i + 1);
    }
    az_diag_release(&d);
    az_arena_release(&a);
}

static int natural(const char *x, const char *y)
{
    const int c = az_natural_cmp(az_sv_str(x), az_sv_str(y));
    assert_int_equal(c, -az_natural_cmp(az_sv_str(y), az_sv_str(x)));
    return c;
}

static void natural_order(void **state)
{
    (void)state;
    assert_true(natural("step_9", "step_10") < 0);
    assert_true(natural("a2b", "a10a") < 0);
    assert_true(natural("a", "a1") < 0);
    assert_true(natural("a1", "ab") < 0);
    assert_true(natural("99999999999999999999998", "99999999999999999999999") < 0);
    assert_true(natural("x007", "x8") < 0);
    assert_int_equal(natural("x7", "x7"), 0);
    assert_true(natural("x07", "x7") != 0);
    assert_int_equal(natural("", ""), 0);
}

/* ---- runs ---- */

/* A rank: `kernels` of 10 us every 20 us after one another, each with its launch. */
static void write_rank(const char *path, int rank, int world, int kernels)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"dev\"}],");
    if (rank >= 0)
        fprintf(f, "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d,\"world_size\":%d},",
                rank, world);
    fprintf(f, "\"traceEvents\":[\n");
    for (int i = 0; i < kernels; i++)
        fprintf(f,
                "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
                "\"tid\":1,\"ts\":%d,"
                "\"dur\":5,\"args\":{\"correlation\":%d}},\n"
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d_of_a_name_that_takes_room\","
                "\"pid\":0,\"tid\":7,"
                "\"ts\":%d,\"dur\":10,\"args\":{\"correlation\":%d,\"stream\":7,\"device\":0}}",
                i ? ",\n" : "", 20 * i, i + 1, i % 100, 20 * i + 6, i + 1);
    fprintf(f, "]}\n");
    assert_int_equal(fclose(f), 0);
}

static struct az_input *add_run(struct setting *s, const char *const *paths, size_t n)
{
    struct az_input *in = add_input(s, "run", "pytorch", paths[0]);
    for (size_t i = 1; i < n; i++)
        assert_int_equal(
            az_vec_push(&in->files,
                        ((struct az_input_file){ .path = az_sv_str(paths[i]), .role = { "", 0 } })),
            0);
    return in;
}

static const char *const EIGHT[] = { "rank0.json", "rank1.json", "rank2.json", "rank3.json",
                                     "rank4.json", "rank5.json", "rank6.json", "rank7.json" };

static void same_tables(const struct az_document *x, const struct az_document *y)
{
    char a[64], b[64];
    assert_int_equal(x->tables.n, y->tables.n);
    for (size_t t = 0; t < x->tables.n; t++) {
        const struct az_table *p = x->tables.v[t], *q = y->tables.v[t];
        assert_true(az_sv_eq(p->id, q->id));
        assert_int_equal(p->cells.n, q->cells.n);
        for (size_t i = 0; i < p->cells.n; i++)
            assert_true(
                az_sv_eq(az_cell_exact(&p->cells.v[i], a), az_cell_exact(&q->cells.v[i], b)));
    }
}

/* Ranks of very different size, one damaged and one lost, on one thread and on many: the same
 * tables and messages. */
static void same_on_any_threads(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = { .workers = 1 };
    struct az_result one, many;
    struct az_diag d1, dn;
    _Atomic uint64_t read = 0;

    for (int r = 0; r < 8; r++)
        write_rank(EIGHT[r], r, 8, r % 3 == 0 ? 2000 : 3);
    write_file("rank2.json", "broken");
    remove("rank6.json");
    add_run(s, EIGHT, 8);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_int_equal(s->plan.jobs.v[0].error, 0);
    az_diag_init(&d1);
    az_result_init(&one, 0);
    assert_int_equal(az_analyze_input(&s->plan.jobs.v[0], &opts, 1, &one, &d1, &read), AZ_EIO);
    assert_true(one.reportable);
    assert_int_equal(d1.errors, 2);
    assert_true(said(&d1, "rank2.json") && said(&d1, "rank6.json"));
    const struct az_table *t = az_document_table(&one.doc, "ranks");
    assert_non_null(t);
    assert_int_equal(t->rows, 8);
    for (unsigned threads = 2; threads <= 9; threads += 7) {
        az_diag_init(&dn);
        az_result_init(&many, 0);
        struct az_seats seats = { .free = (int)threads - 1, .all = threads };
        assert_int_equal(
            az_analyze_input_of(&s->plan.jobs.v[0], &opts, threads, &seats, &many, &dn, NULL),
            AZ_EIO);
        assert_int_equal(atomic_load(&seats.free), threads - 1);
        same_tables(&one.doc, &many.doc);
        assert_int_equal(d1.list.n, dn.list.n);
        for (size_t i = 0; i < dn.list.n; i++)
            assert_true(az_sv_eq(d1.list.v[i].text, dn.list.v[i].text));
        az_result_release(&many);
        az_diag_release(&dn);
    }
    assert_true(read > 100000);
    az_result_release(&one);
    az_diag_release(&d1);
}

/* A limit that holds two ranks, not eight at a time: they are read one after another, and nothing
 * is lost. */
static void a_limit_makes_them_wait(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = { .workers = 8 };
    struct az_result res;
    struct az_diag d;

    for (int r = 0; r < 8; r++)
        write_rank(EIGHT[r], r, 8, 5000);
    add_run(s, EIGHT, 8);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    az_diag_init(&d);
    az_result_init(&res, 0);
    assert_int_equal(az_analyze_input(&s->plan.jobs.v[0], &opts, 1, &res, &d, NULL), 0);
    const size_t alone = atomic_load(&res.mem.peak);
    az_result_release(&res);
    az_result_init(&res, alone + alone / 2);
    assert_int_equal(az_analyze_input(&s->plan.jobs.v[0], &opts, 8, &res, &d, NULL), 0);
    assert_true(res.reportable);
    assert_int_equal(d.errors, 0);
    assert_true(atomic_load(&res.mem.peak) <= alone + alone / 2);
    az_result_release(&res);
    /* less than one needs: said, and nothing is reported */
    az_result_init(&res, alone / 4);
    assert_int_equal(az_analyze_input(&s->plan.jobs.v[0], &opts, 8, &res, &d, NULL), AZ_ELIMIT);
    assert_false(res.reportable);
    assert_true(said(&d, "memory limit"));
    az_result_release(&res);
    az_diag_release(&d);
}

/* Whatever is being done when memory ends, it is said. */
static void a_limit_is_always_told(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = { .workers = 1 };
    static char names[64][16];
    const char *paths[64];
    struct az_result res;
    size_t need, too_little = 0;

    for (int r = 0; r < 64; r++) {
        snprintf(names[r], sizeof names[r], "rank%d.json", r);
        paths[r] = names[r];
        write_rank(names[r], r, 64, 4);
    }
    add_run(s, paths, 64);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    az_result_init(&res, 0);
    assert_int_equal(az_analyze_input(&s->plan.jobs.v[0], &opts, 1, &res, &s->diag, NULL), 0);
    need = atomic_load(&res.mem.peak);
    az_result_release(&res);
    for (size_t k = 1; k < 60; k++) {
        struct az_diag d;
        az_diag_init(&d);
        az_result_init(&res, need / 60 * k);
        const int rc = az_analyze_input(&s->plan.jobs.v[0], &opts, 1, &res, &d, NULL);
        assert_true(rc == 0 || said(&d, "memory limit"));
        too_little += rc != 0;
        az_result_release(&res);
        az_diag_release(&d);
    }
    assert_true(too_little > 10);
}

/* What is kept does not grow with the events of the ranks. */
static void traces_are_given_back(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = { .workers = 1 };
    struct az_result res;
    size_t peak[2];

    for (int many = 0; many < 2; many++) {
        struct az_plan plan;
        for (int r = 0; r < 8; r++)
            write_rank(EIGHT[r], r, 8, 5000);
        az_plan_init(&plan);
        s->config.inputs.n = 0;
        add_run(s, EIGHT, many ? 8 : 2);
        assert_int_equal(az_plan_make(&plan, &s->config, &s->diag), 0);
        az_result_init(&res, 0);
        assert_int_equal(az_analyze_input(&plan.jobs.v[0], &opts, 1, &res, &s->diag, NULL), 0);
        peak[many] = atomic_load(&res.mem.peak);
        az_result_release(&res);
        az_plan_release(&plan);
        az_input_release(&s->config.inputs.v[0]);
        s->config.inputs.n = 0;
    }
    assert_true(peak[1] < peak[0] + peak[0] / 4);
}

static void numbers_no_one_can_hold(void **state)
{
    struct setting *s = *state;
    struct az_run_opts opts = { .workers = 1 };
    static const char *const two[] = { "rank0.json", "rank1.json" };
    struct az_result res;

    write_file("rank0.json", "{\"distributedInfo\":{\"rank\":9000000000000000000,\"world_size\":"
                             "9000000000000000000},\"traceEvents\":["
                             "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,"
                             "\"ts\":1,\"dur\":2}]}");
    write_file("rank1.json",
               "{\"distributedInfo\":{\"rank\":-5,\"world_size\":-5},\"traceEvents\":["
               "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,"
               "\"dur\":2}]}");
    add_run(s, two, 2);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    az_result_init(&res, (size_t)64 << 20);
    assert_int_equal(az_analyze_input(&s->plan.jobs.v[0], &opts, 2, &res, &s->diag, NULL), 0);
    const struct az_table *t = az_document_table(&res.doc, "ranks");
    assert_non_null(t);
    assert_int_equal(t->rows, 2);
    assert_true(said(&s->diag, "invalid rank"));
    az_result_release(&res);
}

/* ---- searches ---- */

static struct az_input *add_search(struct setting *s, const char *base)
{
    struct az_input *in = NULL;
    assert_int_equal(az_config_add_input(&s->config, &in), 0);
    in->search.base_dir = az_sv_str(base);
    return in;
}

static void searches(void **state)
{
    struct setting *s = *state;

    assert_int_equal(mkdir("base", 0777), 0);
    assert_int_equal(mkdir("base/run", 0777), 0);
    assert_int_equal(mkdir("base/.dot", 0777), 0);
    assert_int_equal(symlink("..", "base/run/up"), 0);
    assert_int_equal(symlink("run", "base/alias"), 0);
    write_rank("base/run/rank_0.json", 0, 2, 2);
    write_rank("base/run/rank_1.json", 1, 2, 2);
    write_rank("base/.dot/rank_0.json", 0, 2, 2);
    write_file("base/run/rank_0_result.json",
               "{\n \"schema\": \"analyzer-result/1\" }"); /* own outputs: passed over */
    write_file("base/run/gates.json", "{}");
    write_rank("plain.json", -1, 0, 1);
    add_search(s, "base");
    add_input(s, "plain", "pytorch", "plain.json");
    add_search(s, "base/nothing");
    add_search(s, "plain.json");
    assert_int_equal(az_plan_search(&s->config, &s->diag), 0);
    assert_int_equal(s->config.inputs.n, 4);
    const struct az_input *in = s->config.inputs.v;
    assert_true(in[0].is_run);
    assert_int_equal(in[0].files.n, 2);
    assert_sv(in[0].files.v[1].path, "base/run/rank_1.json");
    assert_sv(in[0].title, "run");
    assert_sv(in[0].stem, "run_performance_report");
    assert_false(in[1].is_run);
    assert_sv(in[2].trouble, "no such folder");
    assert_sv(in[3].trouble, "is not a folder");
    assert_int_equal(az_plan_search(&s->config, &s->diag), 0); /* once is enough */
    assert_int_equal(s->config.inputs.n, 4);
    assert_int_equal(az_plan_make(&s->plan, &s->config, &s->diag), 0);
    assert_sv(s->plan.jobs.v[0].targets.v[0].path, "base/run/run_performance_report.xlsx");
    assert_int_equal(s->plan.jobs.v[2].error, AZ_EIO);
}

/* What a rank leaves can be kept in a part file, whichever analysis left it. */
static void every_part_can_be_kept(void **state)
{
    (void)state;
    for (size_t i = 0; az_rank_analyses[i]; i++) {
        const struct az_rank_analysis *a = az_rank_analyses[i];
        if (!a->reduce)
            continue;
        if (!a->shape)
            fail_msg("%s has no shape", a->name);
        assert_true(az_shape_layout(a->shape) != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_in_names),
        cmocka_unit_test(hosts_in_names),
        cmocka_unit_test(bad_patterns),
        cmocka_unit_test(natural_order),
        cmocka_unit_test_setup_teardown(same_on_any_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_limit_makes_them_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_limit_is_always_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(traces_are_given_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_no_one_can_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(searches, set_up, tear_down),
        cmocka_unit_test(every_part_can_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
