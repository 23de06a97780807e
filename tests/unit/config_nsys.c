/* Inputs as users of the classic Nsight tool write them (docs/formats-nsight.md 1.1, 1.2, 1.6). */
#include "unit/config_test.h"

#define CSV(files, args)                                                                           \
    "{ \"inputs\": [ { \"format\": \"csv\", \"title\": \"T\",\n \"nsys_csv_file_path\": { " files  \
    " },\n \"analysis_args\": { " args " } } ] }"
#define REP(report, args)                                                                          \
    "{ \"inputs\": [ { \"format\": \"nsys-rep\", \"title\": \"T\",\n \"nsys_report\": { " report   \
    " },\n \"analysis_args\": { " args " } } ] }"
#define KERNELS  "\"kernel_sum\": \"d/k_cuda_gpu_kern_sum.csv\""
#define ITERS    "\"num_of_iters\": 5"
#define MAP(map) "{ \"inputs\": [ { \"path\": \"a\" } ],\n\"kernel_to_class_map\": {\n" map " } }"

static void csv_files(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, CSV(KERNELS ", \"nvtx_proj_trace\": \"n.csv\", \"mem_time_sum\": \"m.csv\"",
                 ITERS ", \"num_of_gpus\": 2, \"nvtx_tag_of_iter\": \"step\""));
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.diag.list.n, 0);
    const struct az_input *in = &l.c.inputs.v[0];
    expect_text(in->title, "T");
    assert_false(in->no_heading);
    expect_text(in->format, "csv");
    assert_int_equal(in->files.n, 3);
    expect_text(in->files.v[0].role, "kernel_sum");
    expect_text(in->files.v[0].path, "d/k_cuda_gpu_kern_sum.csv");
    assert_int_equal(in->files.v[0].path.p[in->files.v[0].path.n], 0);
    assert_false(in->files.v[0].optional);
    expect_text(in->files.v[1].role, "nvtx_proj_trace");
    assert_true(in->files.v[1].optional);
    expect_text(in->files.v[2].role, "mem_time_sum");
    assert_true(in->files.v[2].optional);
    assert_int_equal(in->opts.iters, 5);
    assert_int_equal(in->opts.gpus, 2);
    expect_text(in->opts.nvtx_tag, "step");
    loaded_end(&l);
}

static void csv_without_optional_files(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, CSV(KERNELS ", \"nvtx_proj_trace\": null, \"mem_time_sum\": \"\"", ITERS));
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.inputs.v[0].files.n, 1);
    assert_int_equal(l.c.inputs.v[0].opts.gpus, 1);
    loaded_end(&l);
    expect_fine(CSV(KERNELS, ITERS), NULL);
}

static void csv_needs(void **state)
{
    (void)state;
    expect_error(CSV("\"mem_time_sum\": \"m.csv\"", ITERS),
                 "c.json:2: /inputs/0/nsys_csv_file_path: missing key 'kernel_sum' (the "
                 "cuda_gpu_kern_sum CSV)");
    expect_error(CSV("\"kernel_sum\": null", ITERS),
                 "c.json:2: /inputs/0/nsys_csv_file_path: missing key 'kernel_sum' (the "
                 "cuda_gpu_kern_sum CSV)");
    expect_error(CSV("\"kernel_sum\": \"\"", ITERS),
                 "c.json:2: /inputs/0/nsys_csv_file_path/kernel_sum: empty path; name a file");
    expect_error(CSV("\"kernel_sum\": 5", ITERS),
                 "c.json:2: /inputs/0/nsys_csv_file_path/kernel_sum: kernel_sum must be a string "
                 "or null, not a number");
    expect_error(CSV("\"kernel_sums\": \"k.csv\", " KERNELS, ITERS),
                 "c.json:2: /inputs/0/nsys_csv_file_path/kernel_sums: unknown key 'kernel_sums' "
                 "(did you mean "
                 "'kernel_sum'?)");
    expect_error(CSV(KERNELS, ""), "c.json:3: /inputs/0/analysis_args: missing key 'num_of_iters'; "
                                   "set the number of iterations in the profile, 1 or more");
    expect_error(CSV(KERNELS, "\"num_of_iters\": null"),
                 "c.json:3: /inputs/0/analysis_args: missing key 'num_of_iters'; set the number of "
                 "iterations in the profile, 1 or more");
    expect_error("{ \"inputs\": [ { \"nsys_csv_file_path\": { " KERNELS " } } ] }",
                 "c.json:1: /inputs/0: missing key 'num_of_iters' in analysis_args; set the number "
                 "of iterations in the profile, 1 or more");
    expect_error("{ \"inputs\": [ { \"format\": \"csv\", \"analysis_args\": { " ITERS " } } ] }",
                 "c.json:1: /inputs/0: missing key 'nsys_csv_file_path'; add it with kernel_sum, "
                 "the CSV to read");
}

static void nvtx_needs_a_tag(void **state)
{
    (void)state;
    expect_error(CSV(KERNELS ", \"nvtx_proj_trace\": \"n.csv\"", ITERS),
                 "c.json:3: /inputs/0/analysis_args: missing key 'nvtx_tag_of_iter' (input 'T' "
                 "sets nvtx_proj_trace); set the name of the range around one iteration");
    expect_error(
        CSV(KERNELS ", \"nvtx_proj_trace\": \"n.csv\"", ITERS ", \"nvtx_tag_of_iter\": null"),
        "c.json:3: /inputs/0/analysis_args/nvtx_tag_of_iter: missing key 'nvtx_tag_of_iter' (input "
        "'T' sets nvtx_proj_trace); set the name of the range around one iteration");
    expect_error(REP("\"path\": \"x.nsys-rep\", \"with_nvtx\": true", ITERS),
                 "c.json:3: /inputs/0/analysis_args: missing key 'nvtx_tag_of_iter' (input 'T' "
                 "sets with_nvtx); set the name of the range around one iteration");
    expect_fine(
        REP("\"path\": \"x.nsys-rep\", \"with_nvtx\": true", ITERS ", \"nvtx_tag_of_iter\": \"s\""),
        NULL);
    expect_fine(REP("\"path\": \"x.nsys-rep\", \"with_nvtx\": false", ITERS), NULL);
}

static void reports(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, REP("\"path\": \"x.nsys-rep\", \"with_mem\": true", ITERS));
    assert_int_equal(l.rc, 0);
    expect_text(l.c.inputs.v[0].files.v[0].path, "x.nsys-rep");
    expect_text(l.c.inputs.v[0].files.v[0].role, "");
    assert_true(l.c.inputs.v[0].opts.with_mem);
    assert_false(l.c.inputs.v[0].opts.with_nvtx);
    loaded_end(&l);
    expect_error(REP("\"with_mem\": true", ITERS),
                 "c.json:2: /inputs/0/nsys_report: missing key 'path' (the .nsys-rep file)");
    expect_error(REP("\"path\": \"x\"", ""),
                 "c.json:3: /inputs/0/analysis_args: missing key 'num_of_iters'; set the number of "
                 "iterations in the profile, 1 or more");
    expect_error(
        "{ \"inputs\": [ { \"format\": \"nsys-rep\", \"analysis_args\": { " ITERS " } } ] }",
        "c.json:1: /inputs/0: missing key 'nsys_report'; add it with path, the report to read");
    expect_fine("{ \"inputs\": [ { \"format\": \"nsys-rep\", \"path\": \"x.nsys-rep\", "
                "\"options\": { " ITERS " } } ] }",
                NULL);
}

static void formats(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "{ \"inputs\": [ { \"nsys_csv_file_path\": { " KERNELS
             " }, \"analysis_args\": { " ITERS " } },\n"
             " { \"format\": \"CSV\", \"path\": \"a.csv\", \"analysis_args\": { " ITERS " } },\n"
             " { \"format\": \"Nsys-Rep\", \"nsys_report\": { \"path\": \"x\" }, "
             "\"analysis_args\": { " ITERS " } },\n"
             " { \"path\": \"x\" }, { \"format\": \"AUTO\", \"path\": \"x\" } ] }");
    assert_int_equal(l.rc, 0);
    expect_text(l.c.inputs.v[0].format, "csv");
    expect_text(l.c.inputs.v[1].format, "csv");
    expect_text(l.c.inputs.v[2].format, "nsys-rep");
    expect_text(l.c.inputs.v[3].format, "auto");
    expect_text(l.c.inputs.v[4].format, "auto");
    loaded_end(&l);
    expect_fine("{ \"inputs\": [ { \"format\": \"nsys-sqlite\", \"path\": \"x\", "
                "\"nsys_csv_file_path\": { " KERNELS " } } ] }",
                "c.json:1: /inputs/0/nsys_csv_file_path: has no effect on format 'nsys-sqlite'");
    expect_fine("{ \"inputs\": [ { \"format\": \"nsys-sqlite\", \"path\": \"x\", \"nsys_report\": "
                "{ \"path\": \"y\" } } ] }",
                "c.json:1: /inputs/0/nsys_report: has no effect on format 'nsys-sqlite'");
}

static void titles(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, "{ \"inputs\": [ { \"title\": null, \"path\": \"d/one.sqlite\" }, { \"path\": "
             "\"d/two.json.gz\" },\n"
             "{ \"title\": \"\", \"path\": \"x\" } ] }");
    assert_int_equal(l.rc, 0);
    expect_text(l.c.inputs.v[0].title, "one");
    assert_true(l.c.inputs.v[0].no_heading);
    expect_text(l.c.inputs.v[1].title, "two");
    assert_false(l.c.inputs.v[1].no_heading);
    expect_text(l.c.inputs.v[2].title, "");
    assert_false(l.c.inputs.v[2].no_heading);
    loaded_end(&l);
}

static void seldom_used_arguments(void **state)
{
    (void)state;
    struct loaded l;
    load(&l,
         CSV(KERNELS, ITERS
             ", \"with_header\": false, \"time_scale_to_ms\": 0.001, \"kernel_total_time_idx\": 1, "
             "\"kernel_instance_idx\": 2, \"kernel_name_idx\": 7, \"nvtx_tag_idx\": 0, "
             "\"nvtx_proj_duration_idx\": 3, \"mem_name_idx\": 4, \"mem_time_idx\": 5, "
             "\"mem_count_idx\": 6"));
    assert_int_equal(l.rc, 0);
    const struct az_options *o = &l.c.inputs.v[0].opts;
    assert_false(o->with_header);
    assert_true(o->time_scale_given && o->time_scale_to_ms == 0.001);
    assert_int_equal(o->kernel_total_time_idx, 1);
    assert_int_equal(o->kernel_instance_idx, 2);
    assert_int_equal(o->kernel_name_idx, 7);
    assert_int_equal(o->nvtx_tag_idx, 0);
    assert_int_equal(o->nvtx_proj_duration_idx, 3);
    assert_int_equal(o->mem_name_idx, 4);
    assert_int_equal(o->mem_time_idx, 5);
    assert_int_equal(o->mem_count_idx, 6);
    loaded_end(&l);
    load(&l, CSV(KERNELS, ITERS));
    assert_false(l.c.inputs.v[0].opts.time_scale_given);
    assert_true(l.c.inputs.v[0].opts.time_scale_to_ms == 1e-6);
    assert_true(l.c.inputs.v[0].opts.kernel_name_idx == AZ_UNSET_I64);
    loaded_end(&l);
    expect_error(CSV(KERNELS, ITERS ", \"kernel_name_idx\": -1"),
                 "c.json:3: /inputs/0/analysis_args/kernel_name_idx: kernel_name_idx must be a "
                 "whole number, 0 to 10000, "
                 "not '-1'");
}

static void class_map(void **state)
{
    (void)state;
    struct loaded l;
    load(&l,
         MAP("\"XMMA_Gemm\": \"GEMM\", \"\xc3\x89T\xc3\x89\": \"\xc3\x89\", \"Fusion\": \"GEMM\""));
    assert_int_equal(l.rc, 0);
    const struct az_class_rules *r = &l.c.inputs.v[0].opts.classes;
    assert_int_equal(r->n, 3);
    expect_text(r->v[0].key, "XMMA_Gemm");
    expect_text(r->v[0].lower, "xmma_gemm");
    expect_text(r->v[0].name, "gemm");
    expect_text(r->v[1].lower, "\xc3\xa9t\xc3\xa9");
    expect_text(r->v[1].name, "\xc3\xa9");
    expect_text(r->v[2].name, "gemm");
    loaded_end(&l);
    expect_fine(MAP(""), NULL);
    expect_fine(MAP("\"nccl\": \"nccl\""), NULL);
    expect_fine(MAP("\"\": \"all\""), NULL); /* one empty key holds in every name */
}

static void class_map_errors(void **state)
{
    (void)state;
    expect_error(MAP("\"gemm\": \"Others\""),
                 "c.json:3: /kernel_to_class_map/gemm: Class name should not be \"other\" (key "
                 "'gemm'; that class contains all unmatched kernels)");
    expect_error(MAP("\"gemm\": \"gemm\",\n\"xmma_gemm\": \"gemm2\""),
                 "c.json:4: /kernel_to_class_map/xmma_gemm: gemm and xmma_gemm should NOT be the "
                 "substring of each other.");
    expect_error(MAP("\"xmma_GEMM\": \"a\",\n\"Gemm\": \"a\""),
                 "c.json:4: /kernel_to_class_map/Gemm: xmma_GEMM and Gemm should NOT be the "
                 "substring of each other.");
    expect_error(
        MAP("\"a\": \"x\", \"\": \"x\""),
        "c.json:3: /kernel_to_class_map/: a and  should NOT be the substring of each other.");
    expect_error(MAP("\"a\": null"),
                 "c.json:3: /kernel_to_class_map/a: the class of 'a' must be a string, not null");
}

static void class_map_equal_keys(void **state)
{
    (void)state;
    struct loaded l;
    load(&l, MAP("\"Gemm\": \"one\", \"b\": \"two\", \"GEMM\": \"three\""));
    assert_int_equal(l.rc, 0);
    expect_message(&l, 0,
                   "c.json:3: /kernel_to_class_map/GEMM: keys 'Gemm' and 'GEMM' differ only in "
                   "case; the last value is used");
    const struct az_class_rules *r = &l.c.inputs.v[0].opts.classes;
    assert_int_equal(r->n, 2);
    expect_text(r->v[0].lower, "gemm");
    expect_text(r->v[0].name, "three");
    loaded_end(&l);
}

static void class_map_limits(void **state)
{
    (void)state;
    struct loaded l;
    struct az_vec_char t;
    az_vec_init(&t, NULL);
    assert_int_equal(
        az_text_append(&t,
                       AZ_SV("{ \"inputs\": [ { \"path\": \"a\" } ], \"kernel_to_class_map\": { ")),
        0);
    for (int i = 0; i < 5001; i++)
        assert_int_equal(az_text_printf(&t, "\"k%05d\": \"c\",", i), 0);
    assert_int_equal(az_text_append(&t, AZ_SV(" } }")), 0);
    loaded_begin(&l);
    l.rc = az_config_load_memory(&l.c, az_text_view(&t), "c.json", NULL, &test_names, &l.diag);
    assert_int_equal(l.rc, AZ_ECONFIG);
    expect_message(&l, 0, "c.json:1: /kernel_to_class_map: too many keys: 5001 (limit 5000)");
    loaded_end(&l);
    az_vec_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_files),
        cmocka_unit_test(csv_without_optional_files),
        cmocka_unit_test(csv_needs),
        cmocka_unit_test(nvtx_needs_a_tag),
        cmocka_unit_test(reports),
        cmocka_unit_test(formats),
        cmocka_unit_test(titles),
        cmocka_unit_test(seldom_used_arguments),
        cmocka_unit_test(class_map),
        cmocka_unit_test(class_map_errors),
        cmocka_unit_test(class_map_equal_keys),
        cmocka_unit_test(class_map_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
