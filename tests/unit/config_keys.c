/* Keys, types, ranges and where keys may stand, by the option table. */
#include "unit/config_test.h"

#define PRE  "{ \"inputs\": [ { \"path\": \"a\""
#define POST " } ] }"

static void unknown_keys(void **state)
{
    (void)state;
    expect_error("{ \"inputs\": [ { \"path\": \"a\" } ], \"input\": 1 }",
                 "c.json:1: /input: unknown key 'input' (did you mean 'inputs'?)");
    expect_error(PRE ", \"analysis_args\": {\n \"num_iters\": 5 }" POST,
                 "c.json:2: /inputs/0/analysis_args/num_iters: unknown key 'num_iters' (did you "
                 "mean 'num_of_iters'?)");
    expect_error(PRE ", \"Title\": \"x\"" POST,
                 "c.json:1: /inputs/0/Title: unknown key 'Title' (did you mean 'title'?)");
    expect_error(PRE ", \"zebra\": \"x\"" POST, "c.json:1: /inputs/0/zebra: unknown key 'zebra'");
    expect_error("{ \"title\": \"x\", \"inputs\": [ { \"path\": \"a\" } ] }",
                 "c.json:1: /title: unknown key 'title' (it belongs in an input)");
    expect_error(PRE ", \"analysis_args\": { \"topk_ops\": 1 }" POST,
                 "c.json:1: /inputs/0/analysis_args/topk_ops: unknown key 'topk_ops' (it belongs "
                 "in options)");
    expect_error(
        PRE ", \"options\": { \"gap_us\": 1 }" POST,
        "c.json:1: /inputs/0/options/gap_us: unknown key 'gap_us' (it belongs in thresholds)");
    expect_error(PRE ", \"$schema\": \"x\"" POST,
                 "c.json:1: /inputs/0/$schema: unknown key '$schema'");
    expect_error(PRE ", \"\": 1" POST, "c.json:1: /inputs/0/: unknown key ''");
    expect_error("{ \"inputs\": [ { \"path\": \"a\" } ], \"gats\": {} }",
                 "c.json:1: /gats: unknown key 'gats' (did you mean 'gates'?)");
    expect_error("{ \"inputs\": [ { \"path\": \"a\" } ], \"history\": \"h.db\" }",
                 "c.json:1: /history: history must be an object, not a string");
}

static void all_problems_are_told(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "{ \"jobs\": -1,\n \"inputs\": [\n  { \"format\": \"xyz\", \"options\": { "
             "\"top_rows\": true } },\n"
             "  { \"format\": \"csv\", \"analysis_args\": { \"bogus\": 1 } },\n  7 ],\n"
             " \"kernel_to_class_map\": { \"a\": \"x\", \"ab\": \"x\", \"c\": 5 } }");
    assert_int_equal(l.rc, AZ_ECONFIG);
    expect_message(&l, 0, "c.json:1: /jobs: jobs must be a whole number, 0 to 4096, not '-1'");
    expect_message(
        &l, 1, "c.json:6: /kernel_to_class_map/c: the class of 'c' must be a string, not a number");
    expect_message(
        &l, 2,
        "c.json:6: /kernel_to_class_map/ab: a and ab should NOT be the substring of each other.");
    expect_message(&l, 3,
                   "c.json:3: /inputs/0/format: unsupported input format 'xyz'; use one of: auto, "
                   "csv, nsys-rep, nsys-sqlite, pytorch");
    expect_message(&l, 4,
                   "c.json:3: /inputs/0/options/top_rows: top_rows must be a whole number, 0 or "
                   "more, not 'true'");
    expect_message(&l, 5, "c.json:4: /inputs/1/analysis_args/bogus: unknown key 'bogus'");
    expect_message(&l, 6,
                   "c.json:4: /inputs/1: missing key 'nsys_csv_file_path'; add it with kernel_sum, "
                   "the CSV to read");
    expect_message(&l, 7,
                   "c.json:4: /inputs/1/analysis_args: missing key 'num_of_iters'; set the number "
                   "of iterations in the profile, 1 or more");
    expect_message(&l, 8, "c.json:5: /inputs/2: an input must be an object, not a number");
    assert_int_equal(l.diag.errors, 9);
    loaded_end(&l);
}

static void wrong_types(void **state)
{
    (void)state;
    expect_error("{ \"inputs\": {} }", "c.json:1: /inputs: inputs must be an array, not an object");
    expect_error(PRE ", \"title\": 5" POST,
                 "c.json:1: /inputs/0/title: title must be a string or null, not a number");
    expect_error(PRE ", \"format\": null" POST,
                 "c.json:1: /inputs/0/format: format must be a string, not null");
    expect_error(PRE ", \"optional\": 1" POST,
                 "c.json:1: /inputs/0/optional: optional must be true or false, not a number");
    expect_error(PRE ", \"options\": []" POST,
                 "c.json:1: /inputs/0/options: options must be an object, not an array");
    expect_error(PRE ", \"labels\": null" POST,
                 "c.json:1: /inputs/0/labels: labels must be an object, not null");
    expect_error(PRE ", \"labels\": { \"a\": [] }" POST,
                 "c.json:1: /inputs/0/labels/a: label 'a' must be a string, a number or a boolean, "
                 "not an array");
    expect_error(
        "{ \"inputs\": [ { \"path\": {} } ] }",
        "c.json:1: /inputs/0/path: path must be a string or an array of strings, not an object");
    expect_error("{ \"inputs\": [ { \"path\": [ 1 ] } ] }",
                 "c.json:1: /inputs/0/path/0: a path must be a string, not a number");
    expect_error("{ \"inputs\": [ { \"path\": \"\" } ] }",
                 "c.json:1: /inputs/0/path: empty path; name a file");
    expect_error("{ \"inputs\": [ { \"paths\": [] } ] }",
                 "c.json:1: /inputs/0/paths: empty list; name a file");
    expect_error(PRE ", \"device\": {}" POST,
                 "c.json:1: /inputs/0/device: device must be a string, not an object");
    expect_error(PRE ", \"options\": { \"short_kernel_study\": \"yes\" }" POST,
                 "c.json:1: /inputs/0/options/short_kernel_study: short_kernel_study must be true "
                 "or false, not the string "
                 "'yes'");
    expect_error(PRE ", \"options\": { \"strict\": null }" POST,
                 "c.json:1: /inputs/0/options/strict: strict must be true or false, not null");
    expect_error(PRE ", \"options\": { \"top_rows\": \"5\" }" POST,
                 "c.json:1: /inputs/0/options/top_rows: top_rows must be a whole number, 0 or "
                 "more, not the string '5'");
    expect_error(
        PRE ", \"options\": { \"output_xlsx_path\": 5 }" POST,
        "c.json:1: /inputs/0/options/output_xlsx_path: output_xlsx_path must be a string, not '5'");
}

static void ranges_and_words(void **state)
{
    (void)state;
    expect_error(PRE ", \"analysis_args\": { \"num_of_iters\": 0 }" POST,
                 "c.json:1: /inputs/0/analysis_args/num_of_iters: num_of_iters must be a whole "
                 "number, 1 or more, not '0'");
    expect_error(PRE ", \"analysis_args\": { \"num_of_iters\": 2.0 }" POST,
                 "c.json:1: /inputs/0/analysis_args/num_of_iters: num_of_iters must be a whole "
                 "number, 1 or more, not "
                 "'2.0'");
    expect_error(PRE ", \"analysis_args\": { \"num_of_gpus\": 1e1 }" POST,
                 "c.json:1: /inputs/0/analysis_args/num_of_gpus: num_of_gpus must be a whole "
                 "number, 1 or more, not '1e1'");
    expect_error(PRE ", \"analysis_args\": { \"num_of_gpus\": 0 }" POST,
                 "c.json:1: /inputs/0/analysis_args/num_of_gpus: num_of_gpus must be a whole "
                 "number, 1 or more, not '0'");
    expect_error(
        PRE ", \"analysis_args\": { \"text\": \"clasic\" }" POST,
        "c.json:1: /inputs/0/analysis_args/text: text must be one of auto, classic, full, not "
        "the string 'clasic' (did "
        "you mean 'classic'?)");
    expect_error(
        PRE ", \"analysis_args\": { \"text\": \"tiny\" }" POST,
        "c.json:1: /inputs/0/analysis_args/text: text must be one of auto, classic, full, not "
        "the string 'tiny'");
    expect_error(PRE ", \"thresholds\": { \"bound_percent\": 100.5 }" POST,
                 "c.json:1: /inputs/0/thresholds/bound_percent: bound_percent must be at most "
                 "100, not '100.5'");
    expect_error("{ \"memory_limit\": \"64X\", \"inputs\": [ { \"path\": \"a\" } ] }",
                 "c.json:1: /memory_limit: memory_limit must be a number of bytes or a size like "
                 "\"64M\", not the string "
                 "'64X'");
    expect_error("{ \"memory_limit\": -1, \"inputs\": [ { \"path\": \"a\" } ] }",
                 "c.json:1: /memory_limit: memory_limit must be a number of bytes or a size like "
                 "\"64M\", not '-1'");
    expect_error(
        "{ \"outputs\": { \"formats\": [ \"csv\", \"pdf\" ] }, \"inputs\": [ { \"path\": \"a\" } ] "
        "}",
        "c.json:1: /outputs/formats/1: unknown report 'pdf'; use one of: text, csv, json, xlsx");
    expect_error(
        "{ \"outputs\": { \"xlsx_rows\": 1.5 }, \"inputs\": [ { \"path\": \"a\" } ] }",
        "c.json:1: /outputs/xlsx_rows: xlsx_rows must be a whole number, 0 or more, not '1.5'");
}

static int load_rows(const char *number, bool whole_reals, int64_t *out)
{
    struct loaded l;
    char text[400];
    snprintf(text, sizeof text, "%s, \"options\": { \"top_rows\": %s }%s", PRE, number, POST);
    loaded_begin(&l);
    l.c.whole_reals = whole_reals;
    l.rc = az_config_load_memory(&l.c, az_sv_str(text), "c.json", NULL, &test_names, &l.diag);
    *out = l.rc ? -1 : l.c.inputs.v[0].opts.top_rows;
    const int rc = l.rc;
    loaded_end(&l);
    return rc;
}

/* 5.0 is a whole number where the command is that of another program. */
static void reals_that_are_whole(void **state)
{
    (void)state;
    static const struct {
        const char *number;
        int rc_whole, rc_real; /* with and without this rule */
        int64_t value;
    } cases[] = {
        { "0", 0, 0, 0 },
        { "7", 0, 0, 7 },
        { "5.0", 0, AZ_ECONFIG, 5 },
        { "2e1", 0, AZ_ECONFIG, 20 },
        { "0.0", 0, AZ_ECONFIG, 0 },
        { "5.5", AZ_ECONFIG, AZ_ECONFIG, -1 },
        { "-1.0", AZ_ECONFIG, AZ_ECONFIG, -1 },
        { "-1", AZ_ECONFIG, AZ_ECONFIG, -1 },
        { "999999999.0", 0, AZ_ECONFIG, 999999999 },
        { "1e15", AZ_ECONFIG, AZ_ECONFIG, -1 },
        { "1e400", AZ_ECONFIG, AZ_ECONFIG, -1 },
        { "99999999999999999999", AZ_ECONFIG, AZ_ECONFIG, -1 },
        { "\"5\"", AZ_ECONFIG, AZ_ECONFIG, -1 },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        int64_t got;
        if (load_rows(cases[i].number, true, &got) != cases[i].rc_whole || got != cases[i].value)
            fail_msg("%s as a whole number: %lld", cases[i].number, (long long)got);
        if (load_rows(cases[i].number, false, &got) != cases[i].rc_real)
            fail_msg("%s: %lld", cases[i].number, (long long)got);
    }
}

static void long_values_are_cut(void **state)
{
    (void)state;
    char text[600], long_word[301];
    struct loaded l;
    memset(long_word, 'x', 300);
    long_word[300] = '\0';
    snprintf(text, sizeof text, PRE ", \"analysis_args\": { \"text\": \"%s\" }" POST, long_word);
    load(&l, text);
    assert_int_equal(l.rc, AZ_ECONFIG);
    assert_true(az_sv_ends(l.diag.list.v[0].text, AZ_SV("xxx...'")));
    assert_true(l.diag.list.v[0].text.n < 200);
    loaded_end(&l);
    snprintf(text, sizeof text, PRE ", \"%s\": 1" POST, long_word);
    load(&l, text);
    assert_int_equal(l.diag.errors, 1);
    loaded_end(&l);
}

static void no_inputs(void **state)
{
    (void)state;
    expect_error("{}", "c.json:1: missing key 'inputs'; add an array with an object per input");
    expect_error("{\"inputs\": [], \"kernel_to_class_map\": {\"a\": \"b\",}}",
                 "c.json:1: /inputs: no inputs; add at least one");
    expect_error("{ \"inputs\": [ {} ] }",
                 "c.json:1: /inputs/0: missing key 'path'; add the files to read, or base_dir");
}

static void contradictions(void **state)
{
    (void)state;
    expect_error(
        "{ \"inputs\": [ { \"path\": \"x\", \"options\": { \"micro_idle_thresh_us\": 4 },\n"
        "\"thresholds\": { \"micro_idle_us\": 5 } } ] }",
        "c.json:2: /inputs/0/thresholds/micro_idle_us: 'micro_idle_us' is 5, but its synonym "
        "'micro_idle_thresh_us' is 4; remove one of them");
    expect_error("{ \"inputs\": [ { \"path\": \"x\" } ], \"extension_file\": \"a.py\" }",
                 "c.json:1: /inputs/0: extension_file 'a.py' is Python; port it to Lua (see "
                 "from-tracelens.md of the documentation)");
}

static void values_arrive(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "{ \"jobs\": 3, \"memory_limit\": \"64M\", \"strict\": true, \"warn_only\": true,\n"
             "\"options\": { \"warmup_iters\": 2, \"topk_ops\": 7, \"micro_idle_thresh_us\": 5 },\n"
             "\"thresholds\": { \"gap_us\": 12.5, \"micro_idle_us\": 5 }, \"device\": \"H100\",\n"
             "\"outputs\": { \"dir\": \"out\", \"formats\": [ \"csv\", \"text\", \"csv\" ], "
             "\"xlsx_rows\": 0 },\n"
             "\"labels\": { \"commit\": \"abc\", \"job\": 17, \"nightly\": true },\n"
             "\"kernel_to_class_map\": { \"gemm\": \"Gemm\" },\n"
             "\"inputs\": [ { \"path\": \"one\", \"format\": \"pytorch\" },\n"
             "{ \"path\": \"two\", \"format\": \"PyTorch\", \"options\": { \"warmup_iters\": 9, "
             "\"topk_ops\": null,\n"
             "   \"output_csvs_dir\": \"tables\", \"text\": \"full\", \"link_by\": \"flow\" }, "
             "\"thresholds\": { "
             "\"micro_idle_us\": null },\n"
             "  \"outputs\": { \"formats\": \"json, xlsx\" }, \"labels\": { \"job\": \"18\" }, "
             "\"device\": \"B200\",\n"
             "  \"kernel_to_class_map\": {} } ] }");
    show(&l);
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.jobs, 3);
    assert_int_equal(l.c.memory_limit, 64 << 20);
    assert_true(l.c.strict && l.c.warn_only);
    assert_int_equal(l.c.inputs.n, 2);
    const struct az_input *a = &l.c.inputs.v[0], *b = &l.c.inputs.v[1];
    assert_true(a->opts.strict && b->opts.strict);
    assert_int_equal(a->opts.warmup_iters, 2);
    assert_int_equal(b->opts.warmup_iters, 9);
    assert_int_equal(a->opts.topk_ops, 7);
    assert_true(b->opts.topk_ops == AZ_UNSET_I64);
    assert_int_equal(a->opts.micro_idle_us, 5);
    assert_true(b->opts.micro_idle_us == AZ_UNSET_I64);
    assert_true(a->opts.gap_threshold_us == 12.5 && b->opts.gap_threshold_us == 12.5);
    expect_text(a->opts.device_name, "H100");
    expect_text(b->opts.device_name, "B200");
    expect_text(a->opts.link_by, "correlation");
    expect_text(b->opts.link_by, "flow");
    assert_true(a->opts.text_mode == AZ_TEXT_AUTO && b->opts.text_mode == AZ_TEXT_FULL);
    expect_text(a->outputs.dir, "out");
    expect_text(b->outputs.dir, "out");
    expect_text(a->outputs.csv_dir, "");
    expect_text(b->outputs.csv_dir, "tables");
    assert_int_equal(a->outputs.xlsx_rows, 0);
    assert_int_equal(a->outputs.formats.n, 2);
    expect_text(a->outputs.formats.v[0], "csv");
    expect_text(a->outputs.formats.v[1], "text");
    assert_int_equal(b->outputs.formats.n, 2);
    expect_text(b->outputs.formats.v[0], "json");
    expect_text(b->outputs.formats.v[1], "xlsx");
    assert_int_equal(l.c.outputs.formats.n, 2);
    assert_int_equal(a->opts.classes.n, 1);
    expect_text(a->opts.classes.v[0].name, "gemm");
    assert_int_equal(b->opts.classes.n, 0);
    assert_int_equal(a->opts.labels.n, 3);
    assert_int_equal(b->opts.labels.n, 3);
    expect_text(a->opts.labels.v[1].value, "17");
    expect_text(b->opts.labels.v[1].value, "18");
    expect_text(b->opts.labels.v[2].value, "true");
    expect_text(b->format, "pytorch");
    loaded_end(&l);
}

static void option_of_another_format(void **state)
{
    (void)state;
    expect_fine(
        "{ \"inputs\": [ { \"path\": \"a\", \"format\": \"nsys-sqlite\", \"options\": { "
        "\"topk_ops\": 5 } } ] }",
        "c.json:1: /inputs/0/options/topk_ops: 'topk_ops' has no effect on format 'nsys-sqlite'");
    expect_fine("{ \"inputs\": [ { \"path\": \"a\", \"format\": \"nsys-sqlite\", \"thresholds\": { "
                "\"micro_idle_us\": "
                "5 } } ] }",
                "c.json:1: /inputs/0/thresholds/micro_idle_us: 'micro_idle_us' has no effect on "
                "format 'nsys-sqlite'");
    expect_fine(
        "{ \"inputs\": [ { \"path\": \"a\", \"format\": \"pytorch\", \"options\": { "
        "\"util_chunks\": 5 } } ] }",
        "c.json:1: /inputs/0/options/util_chunks: 'util_chunks' has no effect on format 'pytorch'");
    /* as a default of the run it is meant for those it is for */
    expect_fine("{ \"inputs\": [ { \"path\": \"a\", \"format\": \"nsys-sqlite\" } ], \"options\": "
                "{ \"topk_ops\": 5 } }",
                NULL);
    /* another form of the same model takes the same options */
    assert_true(az_formats_include("pytorch xplane", AZ_SV("pytorch-pftrace")));
    assert_false(az_formats_include("rocprof pftrace", AZ_SV("pytorch-pftrace")));
    expect_fine("{ \"inputs\": [ { \"path\": \"a\", \"options\": { \"topk_ops\": 5 } } ] }", NULL);
    expect_fine("{ \"inputs\": [ { \"path\": \"a\", \"format\": \"nsys-sqlite\", \"options\": { "
                "\"nccl_compat_names\": "
                "true } } ] }",
                NULL);
}

static bool same(struct az_sv view, const char *text) { return az_sv_is(view, text); }

/* base_dir and what goes with it: read, with defaults, refused. */
static void searches(void **state)
{
    struct loaded l;
    (void)state;
    load(&l, "{ \"inputs\": [ { \"base_dir\": \"runs\", \"filters\": [\"rank_1\", \"step\"], "
             "\"extension\": \"gz\", "
             "\"filters_exact_rank\": true, \"duplicate_rank\": \"each-step\", \"rank_pattern\": "
             "\"re:r\", "
             "\"all_kernels\": true, \"node_replay\": true, \"output\": \"o.xlsx\", \"overwrite\": "
             "true }, "
             "{ \"base_dir\": \"others\", \"filters\": \"x\" } ] }");
    show(&l);
    assert_int_equal(l.rc, 0);
    const struct az_input *in = l.c.inputs.v, *other = in + 1;
    assert_true(same(in->search.base_dir, "runs") && same(in->search.extension, "gz"));
    assert_int_equal(in->search.n_filters, 2);
    assert_true(same(in->search.filters[1], "step") && in->search.filters_exact_rank &&
                in->outputs.overwrite);
    assert_true(in->opts.all_kernels && in->opts.node_replay &&
                same(in->opts.duplicate_rank, "each-step"));
    assert_true(same(in->opts.rank_pattern, "re:r") && same(in->outputs.xlsx, "o.xlsx"));
    assert_int_equal(in->files.n, 0);
    assert_true(same(other->search.extension, "json") && same(other->opts.duplicate_rank, "error"));
    assert_true(other->search.n_filters == 1 && same(other->search.filters[0], "x"));
    assert_false(other->search.filters_exact_rank || other->outputs.overwrite ||
                 other->opts.all_kernels);
    loaded_end(&l);
    expect_error("{ \"inputs\": [ { \"base_dir\": \"a\", \"path\": \"b\" } ] }",
                 "c.json:1: /inputs/0/path: 'path' cannot be set with 'base_dir'; use two inputs");
    expect_error(
        "{ \"inputs\": [ { \"base_dir\": \"a\", \"filters\": [ \"\" ] } ] }",
        "c.json:1: /inputs/0/filters/0: filters must be a list of names, not the string ''");
    expect_error("{ \"inputs\": [ { \"base_dir\": \"a\", \"extension\": \"zip\" } ] }",
                 "c.json:1: /inputs/0/extension: extension must be one of json, gz, auto, not the "
                 "string 'zip'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_keys),
        cmocka_unit_test(all_problems_are_told),
        cmocka_unit_test(wrong_types),
        cmocka_unit_test(ranges_and_words),
        cmocka_unit_test(reals_that_are_whole),
        cmocka_unit_test(long_values_are_cut),
        cmocka_unit_test(no_inputs),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(contradictions),
        cmocka_unit_test(option_of_another_format),
        cmocka_unit_test(searches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
