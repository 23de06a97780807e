/* The option table itself: consistent rows, defaults, help and schema. */
#include "unit/config_test.h"

#include "base/num.h"

static void rows_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < az_option_count; i++) {
        const struct az_option *o = &az_option_table[i];
        assert_true(o->key && o->key[0] && o->help && o->help[0] && o->formats && o->since &&
                    o->places);
        for (size_t k = i + 1; k < az_option_count; k++) {
            const struct az_option *p = &az_option_table[k];
            if (strcmp(o->key, p->key) == 0 && (o->places & p->places)) {
                fprintf(stderr, "  %s stands twice at one place\n", o->key);
                fail();
            }
            if (o->owner == AZ_OWN_LOADER || o->owner != p->owner || o->offset != p->offset)
                continue;
            /* two keys of one field: one type, range and default */
            assert_int_equal(o->type, p->type);
            assert_true(o->min == p->min && o->max == p->max);
            assert_true((o->fallback == NULL) == (p->fallback == NULL));
            if (o->fallback)
                assert_string_equal(o->fallback, p->fallback);
        }
    }
}

static void defaults_are_in_range(void **state)
{
    (void)state;
    for (size_t i = 0; i < az_option_count; i++) {
        const struct az_option *o = &az_option_table[i];
        int64_t x;
        double d;
        if ((o->type == AZ_OPT_REAL || o->type == AZ_OPT_BOOL) && !o->fallback &&
            o->owner != AZ_OWN_RULE)
            fail(); /* no value stands for "not given" */
        if (!o->fallback)
            continue;
        if (o->type == AZ_OPT_INT) {
            assert_int_equal(az_parse_i64(az_sv_str(o->fallback), &x), 0);
            assert_true(o->min > o->max || ((double)x >= o->min && (double)x <= o->max));
        } else if (o->type == AZ_OPT_REAL) {
            assert_int_equal(az_parse_f64(az_sv_str(o->fallback), &d), 0);
            assert_true(o->min > o->max || (d >= o->min && d <= o->max));
        } else if (o->type == AZ_OPT_ENUM && o->values) {
            assert_non_null(strstr(o->values, o->fallback));
        }
    }
}

static void defaults(void **state)
{
    (void)state;
    struct az_options o;
    az_options_default(&o, NULL);
    assert_int_equal(o.iters, 0);
    assert_int_equal(o.gpus, 1);
    assert_int_equal(o.nvtx_tag.n, 0);
    assert_true(o.with_header && !o.time_scale_given && o.time_scale_to_ms == 1e-6);
    assert_true(o.kernel_total_time_idx == AZ_UNSET_I64 && o.mem_count_idx == AZ_UNSET_I64);
    assert_true(o.nvtx_tag_idx == AZ_UNSET_I64 && o.nvtx_proj_duration_idx == AZ_UNSET_I64);
    assert_true(!o.nccl_compat_names && !o.with_nvtx && !o.with_mem &&
                o.text_mode == AZ_TEXT_AUTO && !o.strict);
    expect_text(o.kernel_names, "demangled");
    assert_int_equal(o.warmup_iters, 0);
    assert_true(o.gap_threshold_us == 500000 && o.short_kernel_us == 10 && o.bound_percent == 65);
    assert_true(o.op_to_op_gap_us == 6.5 && o.min_percentage == 0.5 && o.low_util_percent == 50);
    assert_true(o.micro_idle_us == AZ_UNSET_I64);
    assert_true(o.device_gap_us == 10 && o.launch_spacing_us == 100);
    assert_int_equal(o.decode_gemm_m, 10);
    assert_int_equal(o.low_cores, 10);
    assert_int_equal(o.util_chunks, 30);
    assert_int_equal(o.top_rows, 10);
    expect_text(o.link_by, "correlation");
    expect_text(o.phase_detection_method, "hybrid");
    assert_true(o.topk_ops == AZ_UNSET_I64 && o.topk_roofline_ops == AZ_UNSET_I64 &&
                o.topk_short_kernels == AZ_UNSET_I64);
    assert_int_equal(o.short_kernel_histogram_bins, 100);
    assert_true(o.enable_kernel_summary);
    assert_false(o.include_unlinked_kernels || o.short_kernel_study || o.inference_phase_analysis ||
                 o.detect_recompute || o.include_call_stack || o.include_overlap_info ||
                 o.include_first_occurrence_time || o.group_by_num_kernels ||
                 o.disable_coll_analysis);
    assert_int_equal(o.classes.n + o.labels.n, 0);
    az_options_release(&o);
}

static void copies(void **state)
{
    (void)state;
    struct az_options a, b;
    az_options_default(&a, NULL);
    struct az_class_rule rule = { AZ_SV("K"), AZ_SV("k"), AZ_SV("c") };
    struct az_label label = { AZ_SV("l"), AZ_SV("v") };
    assert_int_equal(az_vec_push(&a.classes, rule), 0);
    assert_int_equal(az_vec_push(&a.labels, label), 0);
    a.warmup_iters = 5;
    assert_int_equal(az_options_copy(&b, &a), 0);
    a.classes.v[0].name = AZ_SV("other");
    az_options_release(&a);
    assert_int_equal(b.warmup_iters, 5);
    assert_int_equal(b.classes.n, 1);
    expect_text(b.classes.v[0].name, "c");
    expect_text(b.labels.v[0].value, "v");
    az_options_release(&b);
}

static void finding(void **state)
{
    (void)state;
    assert_non_null(az_option_find(AZ_SV("path"), AZ_AT_INPUT));
    assert_ptr_not_equal(az_option_find(AZ_SV("path"), AZ_AT_INPUT),
                         az_option_find(AZ_SV("path"), AZ_AT_REPORT));
    assert_null(az_option_find(AZ_SV("path"), AZ_AT_TOP));
    assert_null(az_option_find(AZ_SV("pat"), AZ_AT_INPUT));
    assert_null(az_option_find(AZ_SV(""), ~0u));
}

static void help_names_every_key(void **state)
{
    (void)state;
    struct az_vec_char t;
    char key[80];
    az_vec_init(&t, NULL);
    assert_int_equal(az_config_help(&t), 0);
    for (size_t i = 0; i < az_option_count; i++) {
        snprintf(key, sizeof key, "\n  %s (", az_option_table[i].key);
        assert_true(az_sv_find(az_text_view(&t), az_sv_str(key)) >= 0);
        assert_true(az_sv_find(az_text_view(&t), az_sv_str(az_option_table[i].help)) >= 0);
    }
    assert_true(az_sv_find(az_text_view(&t),
                           AZ_SV("\n  num_of_gpus (whole number, 1 or more; default 1)\n")) >= 0);
    az_vec_release(&t);
}

static void make_schema(struct az_vec_char *t)
{
    struct az_jsonw w;
    az_vec_init(t, NULL);
    az_jsonw_init(&w, NULL, t, 2);
    assert_int_equal(az_config_schema(&w, &test_names), 0);
}

static void schema(void **state)
{
    (void)state;
    struct az_vec_char t, again;
    char key[80];
    make_schema(&t);
    make_schema(&again);
    assert_true(az_sv_eq(az_text_view(&t), az_text_view(&again)));
    for (size_t i = 0; i < az_option_count; i++) {
        snprintf(key, sizeof key, "\"%s\": {", az_option_table[i].key);
        assert_true(az_sv_find(az_text_view(&t), az_sv_str(key)) >= 0);
    }
    struct az_sv s = az_text_view(&t);
    assert_true(az_sv_find(s, AZ_SV("\"additionalProperties\": false")) >= 0);
    assert_true(az_sv_find(s, AZ_SV("\"nsys-sqlite\"")) >= 0);
    assert_true(az_sv_find(s, AZ_SV("^([Aa][Uu][Tt][Oo]|[Cc][Ss][Vv]|")) >= 0);
    assert_true(az_sv_find(s, AZ_SV("http://json-schema.org/draft-07/schema#")) >= 0);
    az_vec_release(&t);
    az_vec_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sound), cmocka_unit_test(defaults_are_in_range),
        cmocka_unit_test(defaults),       cmocka_unit_test(copies),
        cmocka_unit_test(finding),        cmocka_unit_test(help_names_every_key),
        cmocka_unit_test(schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
