/* Operators of generated kernels, from their names (perf/fused_names.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/data.h"
#include "perf/fused_names.h"

static void is(const char *kernel, const char *wanted)
{
    struct az_vec_char out;

    az_vec_init(&out, NULL);
    az_fused_names(az_sv_str(kernel), &out);
    assert_int_equal(az_vec_error(&out), 0);
    assert_int_equal(az_vec_push(&out, '\0'), 0);
    assert_string_equal(out.v, wanted);
    az_vec_release(&out);
}

static void names(void **state)
{
    (void)state;
    is("triton_poi_fused_add_0", "aten.add");
    is("triton_poi_fused_add_relu_12", "aten.add, aten.relu");
    is("triton_poi_fused__unsafe_view_mul_silu_2", "aten._unsafe_view, aten.mul, aten.silu");
    is("triton_red_fused__to_copy_add_native_layer_norm_native_layer_norm_backward_sum_3",
       "aten._to_copy, aten.add, aten.native_layer_norm, aten.native_layer_norm_backward, "
       "aten.sum");
    is("triton_per_fused__softmax__to_copy_1", "aten._softmax, aten._to_copy");
    is("triton_poi_fused_zeros_like_7", "aten.zeros_like"); /* the last line of the list */
    /* not listed */
    is("triton_poi_fused_add_moe_forward_0", "aten.add, aten.moe_forward");
    is("triton_poi_fused__new_op_add_0", "aten._new_op, aten.add");
    is("triton_poi_fused_cat_fmha_v3_fwd_mul_0", "aten.cat, aten.fmha_v3_fwd, aten.mul");
}

static void other_forms(void **state)
{
    (void)state;
    is("", "");
    is("triton_poi_0", "");
    is("triton_poi_fused_", "");
    is("triton_poi_fused_0", "");
    is("triton_poi_fused_add", "");
    is("triton_poi_fused_add0", "");
    is("triton_poi_fused__0", "");
    is("fused_add_0", "");
}

/* The search needs it. */
static void list_is_sorted(void **state)
{
    struct az_sv rest = az_data("fused_names.txt"), last = AZ_SV("");
    size_t n = 0;

    (void)state;
    while (rest.n) {
        const struct az_sv line = az_sv_cut(&rest, '\n');
        assert_true(az_sv_cmp(last, line) < 0);
        last = line;
        n++;
    }
    assert_true(n > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names), cmocka_unit_test(other_forms),
                                        cmocka_unit_test(list_is_sorted) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
