/* Command line values (--set, --opt), variables, and the quick look without a configuration. */
#include "unit/config_test.h"

#define TWO                                                                                        \
    "{ \"inputs\": [ { \"path\": \"a\", \"title\": \"A\" },\n { \"path\": \"b\", \"title\": "      \
    "\"B\" } ] }"

struct setting {
    int kind;
    const char *key, *value;
};

static void load_with(struct loaded *l, const char *text, const struct setting *set)
{
    struct az_overrides over;
    az_vec_init(&over, NULL);
    for (; set->key; set++) {
        struct az_override o = { .key = az_sv_str(set->key), .value = az_sv_str(set->value) };
        o.kind = set->kind ? AZ_SET_OPTION : AZ_SET_PATH;
        assert_int_equal(az_vec_push(&over, o), 0);
    }
    if (text) {
        load_over(l, text, &over);
    } else {
        loaded_begin(l);
        l->rc = az_config_quick(&l->c, &over, &test_names, &l->diag);
    }
    az_vec_release(&over);
}

static void expect_set_error(int kind, const char *key, const char *value, const char *message)
{
    struct loaded l;
    const struct setting set[] = { { kind, key, value }, { 0 } };
    load_with(&l, TWO, set);
    if (l.rc != AZ_ECONFIG || l.diag.list.n != 1) {
        show(&l);
        fail();
    }
    expect_message(&l, 0, message);
    loaded_end(&l);
}

static void set_paths(void **state)
{
    (void)state;
    struct loaded l;
    const struct setting set[] = { { 0, "outputs.dir", "out dir" },
                                   { 0, "inputs.0.title", "2024" },
                                   { 0, "inputs.1.title", "null" },
                                   { 0, "inputs.*.analysis_args.num_of_iters", "7" },
                                   { 0, "jobs", "2" },
                                   { 0, "outputs.formats", "[\"json\"]" },
                                   { 0, "inputs.2", "{ \"path\": \"c\" }" },
                                   { 0, "inputs.2.path", "[\"d\", \"e\"]" },
                                   { 0, "/kernel_to_class_map/a.b", "true" },
                                   { 0, "/kernel_to_class_map/x~1y~0z", "one" },
                                   { 0, "labels.job", "12" },
                                   { 0 } };
    load_with(&l, TWO, set);
    show(&l);
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.inputs.n, 3);
    const struct az_input *in = l.c.inputs.v;
    expect_text(l.c.outputs.dir, "out dir");
    expect_text(in[0].outputs.dir, "out dir");
    expect_text(in[0].title, "2024"); /* reads as a number, is wanted as text */
    assert_true(in[1].no_heading);
    assert_int_equal(in[0].opts.iters, 7);
    assert_int_equal(in[1].opts.iters, 7);
    assert_int_equal(in[2].opts.iters, 0); /* came later */
    assert_int_equal(l.c.jobs, 2);
    expect_text(l.c.outputs.formats.v[0], "json");
    assert_int_equal(in[2].files.n, 2);
    expect_text(in[2].files.v[1].path, "e");
    expect_text(in[0].opts.classes.v[0].key, "a.b");
    expect_text(in[0].opts.classes.v[0].name, "true");
    expect_text(in[0].opts.classes.v[1].key, "x/y~z");
    expect_text(in[0].opts.labels.v[0].value, "12");
    loaded_end(&l);
}

static void set_errors(void **state)
{
    (void)state;
    expect_set_error(0, "jobs", "many",
                     "--set: /jobs: jobs must be a whole number, 0 to 4096, not 'many'");
    expect_set_error(0, "inputs.0.titel", "x",
                     "--set: /inputs/0/titel: unknown key 'titel' (did you mean 'title'?)");
    expect_set_error(0, "inputs.9.title", "x",
                     "--set: no such element 'inputs.9.title'; use inputs.0.title=x, "
                     "inputs.*.title=x or /a/b=x");
    expect_set_error(0, "inputs.x.title", "x",
                     "--set: no such element 'inputs.x.title'; use inputs.0.title=x, "
                     "inputs.*.title=x or /a/b=x");
    expect_set_error(0, "inputs.0.title.x", "x",
                     "--set: no such key in the configuration 'inputs.0.title.x'; use "
                     "inputs.0.title=x, inputs.*.title=x or /a/b=x");
    expect_set_error(
        0, "inputs..title", "x",
        "--set: invalid path 'inputs..title'; use inputs.0.title=x, inputs.*.title=x or /a/b=x");
    expect_set_error(0, "", "x",
                     "--set: invalid path ''; use inputs.0.title=x, inputs.*.title=x or /a/b=x");
}

static void set_options(void **state)
{
    (void)state;
    struct loaded l;
    const struct setting set[] = { { 1, "num_of_iters", " 4 " },
                                   { 1, "gap_us", "2.5" },
                                   { 1, "text", "full" },
                                   { 1, "short_kernel_study", "on" },
                                   { 1, "nvtx_tag_of_iter", " step 1" },
                                   { 1, "output_xlsx_path", "x.xlsx" },
                                   { 1, "topk_ops", "1" },
                                   { 1, "topk_ops", "2" },
                                   { 0, "inputs.0.options.topk_ops", "9" },
                                   { 0 } };
    load_with(&l, TWO, set);
    show(&l);
    assert_int_equal(l.rc, 0);
    for (size_t i = 0; i < 2; i++) {
        const struct az_input *in = &l.c.inputs.v[i];
        assert_int_equal(in->opts.iters, 4);
        assert_true(in->opts.gap_threshold_us == 2.5);
        assert_true(in->opts.text_mode == AZ_TEXT_FULL && in->opts.short_kernel_study);
        expect_text(in->opts.nvtx_tag, " step 1"); /* text is taken as it is */
        expect_text(in->outputs.xlsx, "x.xlsx");
        assert_int_equal(in->opts.topk_ops, 2); /* the last one, and more than --set */
    }
    loaded_end(&l);
}

static void option_errors(void **state)
{
    (void)state;
    /* once, though there are two inputs */
    expect_set_error(1, "num_of_iter", "4",
                     "--opt: unknown option 'num_of_iter' (did you mean 'num_of_iters'?)");
    expect_set_error(1, "num_of_iters", "0",
                     "--opt: num_of_iters must be a whole number, 1 or more, not '0'");
    expect_set_error(1, "num_of_iters", "4.0",
                     "--opt: num_of_iters must be a whole number, 1 or more, not '4.0'");
    expect_set_error(1, "num_of_iters", "",
                     "--opt: num_of_iters must be a whole number, 1 or more, not ''");
    expect_set_error(1, "strict", "maybe", "--opt: strict must be true or false, not 'maybe'");
    expect_set_error(
        1, "link_by", "flows",
        "--opt: link_by must be one of correlation, flow, not 'flows' (did you mean 'flow'?)");
    expect_set_error(1, "title", "x", "--opt: unknown option 'title' (it belongs in an input)");
}

static void set_satisfies_what_is_required(void **state)
{
    (void)state;
    struct loaded l;
    const struct setting set[] = { { 1, "num_of_iters", "4" }, { 0 } };
    load_with(&l,
              "{ \"inputs\": [ { \"format\": \"csv\", \"nsys_csv_file_path\": { \"kernel_sum\": "
              "\"k\" } } ] }",
              set);
    assert_int_equal(l.rc, 0);
    loaded_end(&l);
}

static void one_option_alone(void **state)
{
    (void)state;
    struct az_options o;
    struct az_arena a;
    struct az_diag d;
    az_arena_init(&a, NULL);
    az_diag_init(&d);
    az_options_default(&o, NULL);
    assert_int_equal(az_option_set(&o, AZ_SV("warmup_iters"), AZ_SV("3"), &a, AZ_NOWHERE, &d), 0);
    assert_int_equal(o.warmup_iters, 3);
    assert_int_equal(az_option_set(&o, AZ_SV("output_xlsx_path"), AZ_SV("x"), &a, AZ_NOWHERE, &d),
                     AZ_ECONFIG);
    assert_true(az_sv_is(d.list.v[0].text, "option 'output_xlsx_path' cannot be set here"));
    assert_int_equal(
        az_option_set(&o, AZ_SV("time_scale_to_ms"), AZ_SV("1e-3"), &a, AZ_NOWHERE, &d), 0);
    assert_true(o.time_scale_given && o.time_scale_to_ms == 1e-3);
    az_options_release(&o);
    az_diag_release(&d);
    az_arena_release(&a);
}

static void variables(void **state)
{
    (void)state;
    struct loaded l;
    setenv("AZ_TEST_A", "alpha", 1);
    setenv("AZ_TEST_EMPTY", "", 1);
    unsetenv("AZ_TEST_NONE");
    load(&l,
         "{ \"inputs\": [ { \"path\": [ \"d/${AZ_TEST_A}/x${AZ_TEST_A}\", "
         "\"${AZ_TEST_NONE:-dir/x}/f\" ],\n"
         "\"title\": \"$5 ${AZ_TEST_NONE:-} $AZ_TEST_A ${AZ_TEST_EMPTY}|${AZ_TEST_EMPTY:-e}$\",\n"
         "\"labels\": { \"${AZ_TEST_A}\": \"${AZ_TEST_A}\" } } ] }");
    show(&l);
    assert_int_equal(l.rc, 0);
    expect_text(l.c.inputs.v[0].files.v[0].path, "d/alpha/xalpha");
    expect_text(l.c.inputs.v[0].files.v[1].path, "dir/x/f");
    expect_text(l.c.inputs.v[0].title, "$5  $AZ_TEST_A |e$");
    expect_text(l.c.inputs.v[0].opts.labels.v[0].key, "${AZ_TEST_A}"); /* values only */
    expect_text(l.c.inputs.v[0].opts.labels.v[0].value, "alpha");
    loaded_end(&l);
    expect_error("{ \"inputs\": [ {\n \"path\": \"${AZ_TEST_NONE}/x\" } ] }",
                 "c.json:2: /inputs/0/path: variable 'AZ_TEST_NONE' is not set; set it, or use "
                 "${AZ_TEST_NONE:-default}");
    expect_error("{ \"inputs\": [ { \"path\": \"a\", \"title\": \"${A\" } ] }",
                 "c.json:1: /inputs/0/title: '${' without '}'; use ${NAME} or ${NAME:-default}");
    expect_error(
        "{ \"inputs\": [ { \"path\": \"a\", \"title\": \"${1A}\" } ] }",
        "c.json:1: /inputs/0/title: invalid reference '${1A}'; use ${NAME} or ${NAME:-default}");
    expect_error(
        "{ \"inputs\": [ { \"path\": \"a\", \"title\": \"${A-b}\" } ] }",
        "c.json:1: /inputs/0/title: invalid reference '${A-b}'; use ${NAME} or ${NAME:-default}");
    expect_error("{ \"inputs\": [ { \"path\": \"a\", \"title\": \"${A:-x${B}}\" } ] }",
                 "c.json:1: /inputs/0/title: invalid reference '${A:-x${B}'; remove the reference "
                 "from the default");
}

static void quick_look(void **state)
{
    (void)state;
    struct loaded l;
    struct az_input *a = NULL, *b = NULL;
    const struct setting set[] = { { 1, "warmup_iters", "2" },
                                   { 0, "outputs.dir", "out" },
                                   { 0, "jobs", "3" },
                                   { 0, "kernel_to_class_map.gemm", "G" },
                                   { 0, "inputs.*.labels.x", "y" },
                                   { 0 } };
    load_with(&l, NULL, set);
    show(&l);
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.inputs.n, 0);
    assert_int_equal(az_config_add_input(&l.c, &a), 0);
    expect_text(a->format, "auto");
    assert_int_equal(a->opts.warmup_iters, 2);
    expect_text(a->opts.classes.v[0].name, "g");
    expect_text(a->opts.labels.v[0].value, "y");
    expect_text(a->outputs.dir, "out");
    expect_text(l.c.outputs.dir, "out");
    assert_int_equal(l.c.jobs, 3);
    assert_int_equal(a->files.n, 0);
    const struct az_class_rule *own = a->opts.classes.v;
    assert_int_equal(az_config_add_input(&l.c, &b), 0);
    assert_int_equal(l.c.inputs.n, 2);
    assert_ptr_not_equal(b->opts.classes.v, own);
    loaded_end(&l);
    const struct setting none[] = { { 0 } };
    load_with(&l, NULL, none);
    assert_int_equal(l.rc, 0);
    assert_int_equal(az_config_add_input(&l.c, &a), 0);
    assert_int_equal(a->opts.gpus, 1);
    assert_int_equal(a->outputs.xlsx_rows, 10000);
    assert_int_equal(a->outputs.html_rows, 1000);
    loaded_end(&l);
    const struct setting bad[] = { { 1, "warmup", "2" }, { 0, "inputs.0.pth", "x" }, { 0 } };
    load_with(&l, NULL, bad);
    assert_int_equal(l.rc, AZ_ECONFIG);
    assert_int_equal(l.diag.errors, 2);
    expect_message(&l, 0, "--set: /inputs/0/pth: unknown key 'pth' (did you mean 'path'?)");
    expect_message(&l, 1, "--opt: unknown option 'warmup'; see 'analyzer help config'");
    loaded_end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_paths),
        cmocka_unit_test(set_errors),
        cmocka_unit_test(set_options),
        cmocka_unit_test(option_errors),
        cmocka_unit_test(set_satisfies_what_is_required),
        cmocka_unit_test(one_option_alone),
        cmocka_unit_test(variables),
        cmocka_unit_test(quick_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
