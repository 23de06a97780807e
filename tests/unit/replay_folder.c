/* A replay folder: written from tables, read back, and run with tools that the test puts on PATH.
 */
#include "unit/io_temp.h"

#include "base/data.h"
#include "io/child.h"
#include "replay/parts.h"

static struct az_document doc;
static struct az_replay_counts counts;
static struct az_vec_char text;

static int setup(void **state)
{
    int rc = temp_setup(state);
    az_document_init(&doc, &t_arena);
    az_vec_init(&text, NULL);
    return rc;
}

static int teardown(void **state)
{
    az_vec_release(&text);
    az_document_release(&doc);
    return temp_teardown(state);
}

static void put_file(const char *name, const char *bytes, int mode)
{
    FILE *f = fopen(temp_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, strlen(bytes), f), strlen(bytes));
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(temp_path(name), (mode_t)mode), 0);
}

/* ---- tables as a report has them ---- */

struct row {
    const char *name, *dims, *types, *strides, *concrete;
    double mean, share;
    int64_t count;
};

static void add_table(const char *id, const struct row *rows, size_t n)
{
    static const char *const texts[] = { "name", "Input Dims_first", "Input type_first",
                                         "Input Strides_first", "Concrete Inputs_first" };
    struct az_table *t = az_table_new(&t_arena, id, id, 0);
    for (size_t i = 0; i < 5; i++)
        az_table_column(t, texts[i], AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "param: M", AZ_INT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Kernel Time (µs)_mean", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "name_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "kernel_time_sum_cum_pct", AZ_REAL, AZ_UNIT_RATIO, 0);
    for (size_t i = 0; i < n; i++) {
        const char *const v[] = { rows[i].name, rows[i].dims, rows[i].types, rows[i].strides,
                                  rows[i].concrete };
        for (size_t k = 0; k < 5; k++)
            az_put_text(t, az_sv_str(v[k]));
        az_put_i64(t, 3);
        az_put_f64(t, rows[i].mean);
        az_put_f64(t, rows[i].mean * (double)rows[i].count);
        az_put_i64(t, rows[i].count);
        az_put_f64(t, rows[i].share);
    }
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(az_document_add(&doc, t), 0);
}

#define BF16 "\"c10::BFloat16\""
static const struct row products[] = {
    { "aten::mm", "[[3,5],[5,7]]", "[" BF16 "," BF16 "]", "[[5,1],[7,1]]", "[\"\",\"\"]", 10, 0.5,
      5 },
    { "aten::addmm", "[[7],[3,5],[5,7],[],[]]",
      "[" BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\"]", "[[1],[5,1],[7,1],[],[]]",
      "[\"\",\"\",\"\",\"1\",\"2.\"]", 20, 0.9, 2 },
    { "my::gemm", "[[3,5],[5,7]]", "[" BF16 "," BF16 "]", "", "", 4, 0.95, 1 },
    { "aten::mm", "[[9,9],[9,9]]", "[" BF16 "," BF16 "]", "", "", 1, 1.0, 1 },
};
static const struct row convolutions[] = {
    { "aten::convolution", "[[1,8,9,9],[8,8,3,3],[8],[],[],[],[],[],[]]",
      "[\"float\",\"float\",\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\","
      "\"ScalarList\","
      "\"Scalar\"]",
      "[[648,81,9,1],[72,9,3,1],[1],[],[],[],[],[],[]]",
      "[\"\",\"\",\"\",\"[1, 1]\",\"[0, 0]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]", 30, 1.0, 1 },
};

static int emit(const struct az_replay_opts *o)
{
    az_vec_reset(&text);
    int rc = az_replay_emit(&doc, temp_path("r"), o, &text, &counts, &t_diag);
    assert_int_equal(az_vec_push(&text, '\0'), 0);
    return rc;
}

static void emit_both(void)
{
    add_table("gemm", products, 4);
    add_table("conv", convolutions, 1);
    assert_int_equal(emit(NULL), 0);
}

/* ---- selection ---- */

static void test_selection(void **state)
{
    (void)state;
    const double share[] = { 0.5, 0.9, 0.98999, 0.99, 1.0 }, first[] = { 0.995, 1.0 };
    assert_int_equal(az_replay_select(share, 5, AZ_REPLAY_BELOW, 0.99), 3); /* strictly below */
    assert_int_equal(az_replay_select(share, 5, AZ_REPLAY_REACH, 0.99), 4);
    assert_int_equal(az_replay_select(first, 2, AZ_REPLAY_BELOW, 0.99),
                     2); /* nothing is kept: all are */
    assert_int_equal(az_replay_select(first, 2, AZ_REPLAY_REACH, 0.99), 1);
    assert_int_equal(az_replay_select(share, 2, AZ_REPLAY_REACH, 0.99), 2); /* never reached */
    assert_int_equal(az_replay_select(share, 2, AZ_REPLAY_BELOW, 0.99), 2);
    assert_int_equal(az_replay_select(NULL, 0, AZ_REPLAY_BELOW, 0.99), 0);
}

/* ---- writing ---- */

/* What is printed of a row stays readable, however many parameters and kernels it has. */
static void test_long_lines(void **state)
{
    (void)state;
    struct az_table *t = az_table_new(&t_arena, "gemm", "gemm", 0);
    char details[4096] = "[", title[32];
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Input Dims_first", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Input type_first", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (int i = 0; i < 20; i++) {
        snprintf(title, sizeof title, "param: stride_number_%d", i);
        az_table_column(t, az_arena_str(&t_arena, az_sv_str(title)), AZ_INT, AZ_UNIT_NONE, 0);
    }
    az_table_column(t, "kernel_details__summarize_kernel_stats", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("aten::mm"));
    az_put_text(t, az_sv_str(products[0].dims));
    az_put_text(t, az_sv_str(products[0].types));
    for (int i = 0; i < 20; i++)
        az_put_i64(t, 1000000 + i);
    for (int i = 0; i < 12; i++)
        snprintf(details + strlen(details), sizeof details - strlen(details),
                 "{\"name\":\"Cijk_%d%0*d\"},", i, i % 2 ? 200 : 30, 0);
    az_put_text(t, az_arena_dup(&t_arena, az_sv_str(details)));
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(az_document_add(&doc, t), 0);
    assert_int_equal(emit(NULL), 0);
    size_t lines = 0, kernels = 0;
    for (char *line = strtok(text.v, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        assert_true(strlen(line) <= 120);
        for (const char *k = line; (k = strstr(k, "Cijk_")) != NULL; k++)
            kernels++;
        if (strstr(line, "kernels "))
            assert_int_equal(strncmp(line, "    kernels Cijk_0", 18), 0);
    }
    assert_true(lines > 6);
    assert_int_equal(kernels, 8); /* and "..." for the rest */
}

static void test_emission(void **state)
{
    (void)state;
    emit_both();
    assert_int_equal(counts.rows, 5);
    assert_int_equal(counts.kept, 4);
    assert_int_equal(counts.commands, 3);
    assert_non_null(strstr(text.v, "gemm: 3 of 4 rows\n"));
    assert_non_null(
        strstr(text.v, "  gemm 0: aten::mm, mean 10.000 us, 50.00 % cumulative\n    M 3\n"));
    assert_non_null(strstr(text.v, "conv 0: aten::convolution"));
    const char *log = temp_read("r/hipblaslt-bench-0.log");
    assert_non_null(log);
    assert_memory_equal(log, "hipblaslt-bench --api_method c -m 7 -n 3 -k 5 ", 46);
    assert_string_equal(log, temp_read("r/gemm-0.hipblaslt.sh"));
    assert_ptr_equal(strchr(log, '\n'), log + strlen(log) - 1);
    assert_memory_equal(temp_read("r/miopen-driver-0.log"), "MIOpenDriver conv -n 1 -c 8 ", 28);
    assert_string_equal(temp_read("r/miopen-driver-0.log"), temp_read("r/conv-0.miopen.sh"));
    const char *tuning = temp_read("r/gemm-1.tuning.sh");
    assert_memory_equal(tuning,
                        "HIPBLASLT_TUNING_FILE=\"${2:-gemm-1.tuning.txt}\" hipblaslt-bench ", 64);
    assert_non_null(strstr(
        tuning, "--requested_solution 200 --cold_iters 5 --iters 30 --device \"${1:-0}\"\n"));
    assert_null(temp_read("r/hipblaslt-bench-2.log")); /* no command for this operator */
    assert_null(temp_read("r/hipblaslt-bench-3.log")); /* not kept */
    assert_int_equal(t_diag.warnings, 2);
    const char *json = temp_read("r/replay.json");
    assert_non_null(
        strstr(json, "{\"arg_name\": \"alpha\", \"arg_type\": \"number\", \"value\": 2}"));
    assert_non_null(strstr(
        json, "{\"shape\": [3, 5], \"dtype\": \"c10::BFloat16\", \"strides\": [5, 1], \"init\": "
              "\"normal\"}"));
    assert_non_null(strstr(json, "\"replay_ir\": null"));
    assert_non_null(
        strstr(json, "{\"arg_name\": \"transposed\", \"arg_type\": \"bool\", \"value\": false}"));
}

/* Products of compiled programs write to memory they are given. */
static void test_out(void **state)
{
    (void)state;
    static const struct row compiled[] = {
        { "aten::mm", "[[3,5],[5,7],[3,7]]", "[" BF16 "," BF16 "," BF16 "]", "[[5,1],[7,1],[7,1]]",
          "[\"\",\"\",\"\"]", 10, 0.3, 5 },
        { "aten::addmm", "[[7],[3,5],[5,7],[],[],[3,7]]",
          "[" BF16 "," BF16 "," BF16 ",\"Scalar\",\"Scalar\"," BF16 "]",
          "[[1],[5,1],[7,1],[],[],[7,1]]", "[\"\",\"\",\"\",\"1\",\"1\",\"\"]", 10, 0.6, 5 },
        { "aten::bmm", "[[2,3,5],[2,5,7],[2,3,7]]", "[" BF16 "," BF16 "," BF16 "]",
          "[[15,5,1],[35,7,1],[21,7,1]]", "[\"\",\"\",\"\"]", 10, 0.9, 5 },
        { "aten::mm", "[[3,5],[5,7],[]]", "[" BF16 "," BF16 ",\"Scalar\"]", "[[5,1],[7,1],[]]",
          "[\"\",\"\",\"6\"]", 10, 0.95, 5 }, /* the type of the result: another operator */
    };
    static const char out[] =
        "{\"arg_name\": \"out\", \"arg_type\": \"Tensor\", \"value\": {\"shape\": [3, 7], "
        "\"dtype\": \"c10::BFloat16\", \"strides\": [7, 1], \"init\": \"normal\"}}";
    add_table("gemm", compiled, 4);
    assert_int_equal(emit(NULL), 0);
    const char *json = temp_read("r/replay.json"), *none = strstr(json, "\"replay_ir\": null"),
               *first = strstr(json, out);
    assert_non_null(first);
    assert_non_null(strstr(first + 1, out)); /* of the second one, after beta and alpha */
    assert_non_null(strstr(json, "\"shape\": [2, 3, 7]"));
    assert_non_null(none);
    assert_null(strstr(none + 1, "\"replay_ir\": null")); /* the last alone */
    const char *kwargs = strstr(json, "\"list_kwargs\"");
    assert_true(kwargs && kwargs < first); /* by name */
}

/* Older traces say nothing of beta and alpha: they are 1, as in the command. */
static void test_without_values(void **state)
{
    (void)state;
    static const struct row old[] = { { "aten::addmm", "[[7],[3,5],[5,7],[],[]]",
                                        "[\"float\",\"float\",\"float\",\"Int\",\"Int\"]", "", "",
                                        20, 1.0, 2 } };
    add_table("gemm", old, 1);
    assert_int_equal(emit(NULL), 0);
    assert_int_equal(t_diag.warnings, 0);
    const char *json = temp_read("r/replay.json");
    assert_non_null(
        strstr(json, "{\"arg_name\": \"beta\", \"arg_type\": \"number\", \"value\": 1}"));
    assert_non_null(
        strstr(json, "{\"arg_name\": \"alpha\", \"arg_type\": \"number\", \"value\": 1}"));
    assert_non_null(strstr(temp_read("r/gemm-0.hipblaslt.sh"), "--alpha 1.000000"));
}

static void test_emission_reach(void **state)
{
    (void)state;
    add_table("gemm", products, 4);
    assert_int_equal(emit(&(struct az_replay_opts){ .rule = AZ_REPLAY_REACH, .share = 0.6 }), 0);
    assert_int_equal(counts.kept, 2);
}

/* What was recorded on a device since must not be lost. */
static void test_second_emission(void **state)
{
    (void)state;
    emit_both();
    put_file("r/hipblaslt-bench-0.log", "hipblaslt-bench -m 1\n", 0644);
    assert_int_equal(emit(NULL), AZ_EUSAGE);
    assert_string_equal(temp_read("r/hipblaslt-bench-0.log"), "hipblaslt-bench -m 1\n");
    assert_int_equal(emit(&(struct az_replay_opts){ .force = true }), 0);
    assert_non_null(strstr(temp_read("r/hipblaslt-bench-0.log"), "-m 7"));
}

static void test_nothing_to_emit(void **state)
{
    (void)state;
    assert_int_equal(emit(NULL), AZ_EEMPTY);
    assert_null(temp_read("r/replay.json"));
    struct az_table *t = az_table_new(&t_arena, "gemm", "gemm", AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("aten::mm"));
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(az_document_add(&doc, t), 0);
    assert_int_equal(emit(NULL), AZ_EFORMAT); /* no column of shapes */
    assert_null(temp_read("r/replay.json"));
}

static void test_hostile_arguments(void **state)
{
    (void)state;
    static const struct row bad[] = {
        { "aten::mm", "[[3,5],[5", "[" BF16 "," BF16 "]", "", "", 10, 0.2, 5 },
        { "aten::mm\" ; rm", "[[3,5],[5,7]]", "[" BF16 "," BF16 "]", "", "", 10, 0.4, 5 },
        { "aten::mm", "", "", "", "", 10, 0.5, 5 },
        { "aten::mm", "[[3,5],[5,7]]", "[" BF16 "," BF16 "]", "[[5],[7,1]]", "", 10, 0.6, 5 },
        { "aten::mm", "[[3,5],[5,7],[1]]", "[" BF16 "," BF16 "," BF16 "]", "", "", 10, 0.7, 5 },
    };
    add_table("gemm", bad, 5);
    assert_int_equal(emit(NULL), 0);
    assert_int_equal(counts.kept, 5);
    struct az_replay_entries list;
    const char *json;
    az_vec_init(&list, NULL);
    assert_int_equal(az_replay_load(temp_path("r"), &t_arena, &list, &json, &t_diag), 0);
    assert_int_equal(list.n, 5);
    assert_true(az_sv_is(list.v[1].name, "aten::mm\" ; rm"));
    az_vec_release(&list);
}

/* ---- reading ---- */

static int load_text(const char *json, struct az_replay_entries *list)
{
    az_vec_init(list, NULL);
    return az_replay_load_json(az_sv_str(json), "replay.json", &t_arena, list, &t_diag);
}

static void test_load(void **state)
{
    (void)state;
    struct az_replay_entries list;
    const char *json;
    emit_both();
    put_file("r/hipblaslt-bench-77.log", "hipblaslt-bench -m 1\n", 0644); /* of no entry */
    az_vec_init(&list, NULL);
    assert_int_equal(az_replay_load(temp_path("r"), &t_arena, &list, &json, &t_diag), 0);
    assert_int_equal(list.n, 4);
    assert_true(az_sv_is(list.v[0].name, "aten::mm"));
    assert_true(list.v[0].profile_us == 10);
    assert_int_equal(list.v[0].count, 5);
    assert_non_null(list.v[0].log);
    assert_true(list.v[0].torch);
    assert_null(list.v[2].log);
    assert_false(list.v[2].torch);
    assert_int_equal(list.v[3].group, CONV);
    assert_int_equal(list.v[3].index, 3);
    az_vec_release(&list);
}

/* A file of another tool: neither group nor number, other operators in between. */
static void test_load_foreign(void **state)
{
    (void)state;
    struct az_replay_entries list;
    assert_int_equal(
        load_text(
            "[{\"op_name\":\"aten::mm\",\"count\":3,\"replay_ir\":{}},{\"op_name\":\"aten::add\"},"
            "{\"op_name\":\"aten::bmm\",\"count\":1,\"replay_ir\":{}},"
            "{\"op_name\":\"aten::convolution\",\"replay_ir\":{}}]",
            &list),
        0);
    assert_int_equal(list.n, 3);
    assert_int_equal(list.v[1].no, 1);
    assert_int_equal(list.v[1].index, 2);
    assert_int_equal(list.v[2].group, CONV);
    assert_int_equal(list.v[2].no, 0);
    az_vec_release(&list);
}

static void test_load_malformed(void **state)
{
    (void)state;
    static const char *const bad[] = { "",           "{}",     "[",
                                       "[1]",        "[{]",    "[{\"op_name\":}]",
                                       "[{\"a\":1}", "[{}] x", "[{\"op_name\" \"x\"}]" };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        struct az_replay_entries list;
        assert_int_equal(load_text(bad[i], &list), AZ_EFORMAT);
        az_vec_release(&list);
    }
    struct az_replay_entries list;
    assert_int_equal(load_text(" [ ] ", &list), 0);
    assert_int_equal(list.n, 0);
    az_vec_release(&list);
}

/* ---- running ---- */

/* Tools that say by their arguments what to do: -m 7 is good, -k chooses an accident. */
static void put_tools(bool gemm, bool conv)
{
    assert_int_equal(mkdir(temp_path("bin"), 0755), 0);
    if (gemm)
        put_file("bin/hipblaslt-bench",
                 "#!/bin/sh\n"
                 "case \"$*\" in\n"
                 "*'-m 901 '*) sleep 30 ;;\n"
                 "*'-m 902 '*) echo no device >&2; exit 7 ;;\n"
                 "*'-m 903 '*) echo nonsense; exit 0 ;;\n"
                 "*'-m 904 '*) kill -9 $$ ;;\n"
                 "esac\n"
                 "echo '[0]:m,hipblaslt-Gflops,hipblaslt-GB/s,us'\n"
                 "echo '    7,100,20,12.5'\n"
                 "echo '    --Solution name:  Best'\n",
                 0755);
    if (conv)
        put_file(
            "bin/MIOpenDriver",
            "#!/bin/sh\necho 'stats: name, GFLOPs, GB/s, timeMs'\necho 'stats: fwd, 5, 6, 0.033'\n",
            0755);
    setenv("PATH", az_arena_printf(&t_arena, "%s:/usr/bin:/bin", temp_path("bin")).p, 1);
}

static int run(const struct az_replay_run_opts *o, size_t *failed)
{
    az_document_release(&doc);
    az_document_init(&doc, &t_arena);
    return az_replay_run(temp_path("r"), o, &doc, failed, &t_diag);
}

static double value(const char *table, size_t row, const char *column)
{
    const struct az_table *t = az_document_table(&doc, table);
    assert_non_null(t);
    ptrdiff_t at = az_table_find(t, column);
    assert_true(at >= 0 && row < t->rows);
    return az_cell_number(az_table_at(t, row, (size_t)at));
}

static void status_is(const char *table, size_t row, const char *column, const char *want)
{
    const struct az_table *t = az_document_table(&doc, table);
    assert_non_null(t);
    struct az_sv s = az_cell_text(az_table_at(t, row, (size_t)az_table_find(t, column)));
    if (!az_sv_is(s, want))
        print_message("%s %zu: %.*s\n", table, row, AZ_SVF(s));
    assert_true(az_sv_is(s, want));
}

static const struct az_replay_run_opts no_torch = { .no_torch = true, .timeout_s = 1 };

static void test_run(void **state)
{
    (void)state;
    size_t failed;
    emit_both();
    put_tools(true, true);
    assert_int_equal(run(&no_torch, &failed), 0);
    assert_int_equal(failed, 1); /* the operator without a command */
    status_is("gemm_node_replay", 0, "status", "ok");
    status_is("gemm_node_replay", 2, "status", "no-command");
    assert_true(value("gemm_node_replay", 0, "Avg. gemm-bench time (us)") == 12.5);
    assert_true(value("gemm_node_replay", 0, "Diff profile vs. gemm-bench (us)") == 2.5);
    assert_true(value("gemm_node_replay", 0, "Diff profile vs. gemm-bench (pct)") == 25);
    assert_true(value("gemm_node_replay", 1, "Diff profile vs. gemm-bench (pct)") == -37.5);
    assert_true(isnan(value("gemm_node_replay", 0, "Avg. replay time (us)")));
    status_is("gemm_node_replay", 0, "solution", "Best");
    assert_true(value("conv_node_replay", 0, "Avg. conv-bench time (us)") == 33);
    assert_non_null(strstr(temp_read("r/hipblaslt-bench-0.out"), "    7,100,20,12.5\n"));
    assert_non_null(strstr(temp_read("r/miopen-driver-0.out"), "timeMs"));
}

static void test_missing_tools(void **state)
{
    (void)state;
    size_t failed;
    emit_both();
    put_tools(false, true);
    assert_int_equal(run(&no_torch, &failed), 0);
    assert_int_equal(failed, 3);
    status_is("gemm_node_replay", 0, "status", "tool-missing");
    status_is("conv_node_replay", 0, "status", "ok");
    assert_int_equal(t_diag.errors, 1);
}

/* Recorded logs alone; each accident keeps the others from nothing. */
static void test_accidents(void **state)
{
    (void)state;
    size_t failed;
    static const char *const want[] = { "timeout", "failed(7)", "parse-error", "failed(137)",
                                        "refused", "ok",        "no-command" };
    assert_int_equal(mkdir(temp_path("r"), 0755), 0);
    put_file("r/hipblaslt-bench-0.log", "hipblaslt-bench -m 901 -n 1\n", 0644);
    put_file("r/hipblaslt-bench-1.log", "hipblaslt-bench -m 902 -n 1\n", 0644);
    put_file("r/hipblaslt-bench-2.log", "hipblaslt-bench -m 903 -n 1\n", 0644);
    put_file("r/hipblaslt-bench-3.log", "hipblaslt-bench -m 904 -n 1\n", 0644);
    put_file("r/hipblaslt-bench-4.log", "hipblaslt-bench -m 1\ntouch x\n", 0644);
    /* two calls: their times are added; the one that comes twice counts once */
    put_file("r/hipblaslt-bench-5.log",
             "hipblaslt-bench -m 1\nhipblaslt-bench -m 2\nhipblaslt-bench -m 1\n", 0644);
    put_file("r/hipblaslt-bench-6.log", "", 0644);
    put_file("r/hipblaslt-bench-x.log", "hipblaslt-bench -m 1\n", 0644);
    put_tools(true, false);
    assert_int_equal(run(&no_torch, &failed), 0);
    for (size_t i = 0; i < AZ_LENGTH(want); i++)
        status_is("gemm_node_replay", i, "status", want[i]);
    assert_int_equal(failed, 6);
    assert_true(value("gemm_node_replay", 5, "Avg. gemm-bench time (us)") == 25);
    assert_true(isnan(value("gemm_node_replay", 0, "Avg. gemm-bench time (us)")));
    assert_null(az_document_table(&doc, "conv_node_replay"));
    assert_non_null(strstr(temp_read("r/hipblaslt-bench-1.out"), "no device"));
}

static bool stop(void *ctx)
{
    (void)ctx;
    return true;
}

static void test_interrupted(void **state)
{
    (void)state;
    size_t failed;
    assert_int_equal(mkdir(temp_path("r"), 0755), 0);
    put_file("r/hipblaslt-bench-0.log", "hipblaslt-bench -m 901 -n 1\n", 0644);
    put_tools(true, false);
    assert_int_equal(
        run(&(struct az_replay_run_opts){ .no_torch = true, .cancelled = stop }, &failed),
        AZ_EINTR);
}

static void test_no_folder(void **state)
{
    (void)state;
    size_t failed;
    assert_int_equal(run(&no_torch, &failed), AZ_EIO);
    assert_int_equal(mkdir(temp_path("r"), 0755), 0);
    assert_int_equal(run(&no_torch, &failed), AZ_EEMPTY);
    put_file("r/replay.json", "[{]", 0644);
    assert_int_equal(run(&no_torch, &failed), AZ_EFORMAT);
}

/* A link where the output is to go is not followed. */
static void test_output_is_a_link(void **state)
{
    (void)state;
    size_t failed;
    assert_int_equal(mkdir(temp_path("r"), 0755), 0);
    put_file("precious", "mine\n", 0644);
    put_file("r/hipblaslt-bench-0.log", "hipblaslt-bench -m 1\n", 0644);
    assert_int_equal(symlink(temp_path("precious"), temp_path("r/hipblaslt-bench-0.out")), 0);
    put_tools(true, false);
    assert_int_equal(run(&no_torch, &failed), 0);
    assert_int_equal(failed, 0);
    assert_string_equal(temp_read("precious"), "mine\n");
}

static void test_dry_run(void **state)
{
    (void)state;
    size_t failed;
    emit_both();
    assert_int_equal(run(&(struct az_replay_run_opts){ .dry_run = true }, &failed), 0);
    status_is("gemm_node_replay", 0, "status", "ok");
    assert_null(temp_read("r/hipblaslt-bench-0.out"));
}

/* ---- PyTorch: the script with a torch of its own ---- */

static const char fake_torch[] =
    "import types\n"
    "float32 = 'float32'; bfloat16 = 'bfloat16'\n"
    "calls = []\n"
    "class Tensor:\n"
    "    def normal_(self):\n"
    "        return self\n"
    "def zeros(size, dtype, device):\n"
    "    assert device == 'cpu'\n"
    "    t = Tensor(); t.size = size; return t\n"
    "def as_strided(t, shape, strides):\n"
    "    need = 1 + sum((n - 1) * s for n, s in zip(shape, strides))\n"
    "    assert t.size >= need, (t.size, need)\n"
    "    return t\n"
    "class cuda:\n"
    "    @staticmethod\n"
    "    def is_available():\n"
    "        return False\n"
    "def mm(a, b): calls.append('mm')\n"
    "def addmm(a, b, c, beta, alpha):\n"
    "    assert (beta, alpha) == (1, 2)\n"
    "def convolution(x, w, bias, stride, padding, dilation, transposed, output_padding, groups):\n"
    "    assert stride == [1, 1] and transposed is False and groups == 1 and isinstance(bias, "
    "Tensor)\n"
    "ops = types.SimpleNamespace(aten=types.SimpleNamespace(mm=mm, addmm=addmm, "
    "convolution=convolution))\n";

static void put_torch(void)
{
    assert_int_equal(mkdir(temp_path("lib"), 0755), 0);
    put_file("lib/torch.py", fake_torch, 0644);
    setenv("PYTHONPATH", temp_path("lib"), 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
}

static void test_script_compiles(void **state)
{
    (void)state;
    int status = -1;
    emit_both();
    const char *argv[] = { "python3", "-m", "py_compile", temp_path("r/replay_torch.py"), NULL };
    assert_int_equal(az_child_run(argv, NULL, &status, &t_diag), 0);
    assert_int_equal(status, 0);
}

static void test_run_with_torch(void **state)
{
    (void)state;
    size_t failed;
    emit_both();
    put_tools(true, true);
    put_torch();
    assert_int_equal(run(&(struct az_replay_run_opts){ .timeout_s = 60 }, &failed), 0);
    status_is("gemm_node_replay", 0, "replay status", "ok");
    status_is("gemm_node_replay", 1, "replay status", "ok");
    status_is("gemm_node_replay", 2, "replay status", "no-command");
    status_is("conv_node_replay", 0, "replay status", "ok");
    assert_true(value("gemm_node_replay", 0, "Avg. replay time (us)") >= 0);
    unsetenv("PYTHONPATH");
}

/* The whole script at once: an entry that cannot be run is named, the others are timed, the exit
 * status says it. */
static void test_script_alone(void **state)
{
    (void)state;
    int status = -1;
    emit_both();
    put_torch();
    const struct az_child_opts o = { .output = temp_path("printed") };
    const char *argv[] = {
        "python3", temp_path("r/replay_torch.py"), "--iters", "2", "--warmup", "1", NULL
    };
    assert_int_equal(az_child_run(argv, &o, &status, &t_diag), 0);
    assert_int_equal(status, 1);
    const char *printed = temp_read("printed");
    assert_non_null(strstr(printed, "0 aten::mm: mean "));
    assert_non_null(strstr(printed, "2 my::gemm: failed: "));
    assert_non_null(strstr(printed, "3 aten::convolution: mean "));
    unsetenv("PYTHONPATH");
}

/* What a folder names beside the operators that are measured is not run, neither by the command nor
 * by the script: torch.ops reaches the loading of libraries. */
static void test_foreign_operators(void **state)
{
    (void)state;
    static const char *const evil[] = { "load_library::__call__", "aten::__class__", "aten::add",
                                        "aten::mm::mm",           "aten::mm.out",    "" };
    size_t failed;
    int status = -1;
    char json[512];
    put_torch();
    assert_int_equal(mkdir(temp_path("r"), 0755), 0);
    put_file("r/replay_torch.py", az_arena_str(&t_arena, az_data("replay_torch.py")), 0644);
    for (size_t i = 0; i < AZ_LENGTH(evil); i++) {
        snprintf(json, sizeof json,
                 "[{\"op_name\":\"%s\",\"group\":\"gemm\",\"no\":0,\"count\":1,\"replay_ir\":"
                 "{\"list_pos_args\":[{\"value\":\"%s\"}],\"list_kwargs\":[]}}]",
                 evil[i], temp_path("taken.so"));
        put_file("r/replay.json", json, 0644);
        size_t errors = t_diag.errors;
        assert_int_equal(run(&(struct az_replay_run_opts){ .timeout_s = 60 }, &failed), 0);
        assert_int_equal(failed, 1);
        status_is("gemm_node_replay", 0, "replay status", "refused");
        assert_true(t_diag.errors > errors);
        const struct az_child_opts o = { .output = temp_path("printed") };
        const char *argv[] = { "python3", temp_path("r/replay_torch.py"), NULL };
        assert_int_equal(az_child_run(argv, &o, &status, &t_diag), 0);
        assert_int_equal(status, 1);
        assert_non_null(strstr(temp_read("printed"), "failed: refused: "));
    }
    unsetenv("PYTHONPATH");
}

/* ---- tables of a single report ---- */

static void test_tables_of_a_report(void **state)
{
    (void)state;
    static const char *const names[] = { "name",
                                         "Input Dims",
                                         "Input type",
                                         "Input Strides",
                                         "Concrete Inputs",
                                         "operation_count",
                                         "Kernel Time (µs)_sum" };
    static const struct {
        const char *op, *dims;
        int64_t count;
        double sum;
    } rows[] = {
        { "aten::mm", "[[1,2],[2,3]]", 2, 10 },        { "aten::add", "[[1]]", 5, 99 },
        { "aten::mm", "[[4,4],[4,4]]", 1, 100 },       { "aten::mm", "[[1,2],[2,3]]", 3, 20 },
        { "aten::convolution_backward", "[]", 3, 20 }, { "aten::mm", "[[5,5],[5,5]]", 1, 0 }
    };
    struct az_document report;
    az_document_init(&report, &t_arena);
    assert_int_equal(az_replay_tables(&report, &doc, &t_diag), AZ_EEMPTY);
    struct az_table *t = az_table_new(&t_arena, "unified_perf_summary", "", 0);
    for (size_t i = 0; i < 7; i++)
        az_table_column(t, names[i], i < 5 ? AZ_TEXT : i == 5 ? AZ_INT : AZ_REAL, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        az_put_text(t, az_sv_str(rows[i].op));
        az_put_text(t, az_sv_str(rows[i].dims));
        for (int k = 0; k < 3; k++)
            az_put_text(t, AZ_SV("[]"));
        az_put_i64(t, rows[i].count);
        az_put_f64(t, rows[i].sum);
    }
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(az_document_add(&report, t), 0);
    assert_int_equal(az_replay_tables(&report, &doc, &t_diag), 0);
    const struct az_table *g = az_document_table(&doc, "gemm");
    assert_non_null(g);
    assert_int_equal(g->rows, 2);
    assert_true(
        az_cell_number(az_table_at(g, 0, (size_t)az_table_find(g, "Kernel Time (µs)_sum"))) == 100);
    assert_true(
        az_cell_number(az_table_at(g, 1, (size_t)az_table_find(g, "Kernel Time (µs)_mean"))) == 6);
    assert_true(az_cell_number(
                    az_table_at(g, 1, (size_t)az_table_find(g, "kernel_time_sum_cum_pct"))) == 1);
    assert_null(az_document_table(&doc, "conv"));
    az_document_release(&report);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_selection),
        T(test_long_lines),
        T(test_emission),
        T(test_out),
        T(test_without_values),
        T(test_emission_reach),
        T(test_second_emission),
        T(test_nothing_to_emit),
        T(test_hostile_arguments),
        T(test_load),
        T(test_load_foreign),
        T(test_load_malformed),
        T(test_run),
        T(test_missing_tools),
        T(test_accidents),
        T(test_interrupted),
        T(test_no_folder),
        T(test_output_is_a_link),
        T(test_dry_run),
        T(test_script_compiles),
        T(test_run_with_torch),
        T(test_foreign_operators),
        T(test_script_alone),
        T(test_tables_of_a_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
