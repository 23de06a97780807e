/* Classes of kernel names, and NCCL collectives: each row of the rules' table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "classify/classmap.h"

static struct az_arena arena;

static int set_up(void **state)
{
    (void)state;
    az_arena_init(&arena, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    az_arena_release(&arena);
    return 0;
}

static void add_rule(struct az_class_rules *r, const char *key, const char *name)
{
    const struct az_class_rule rule = { az_sv_str(key), az_utf8_lower(&arena, az_sv_str(key)),
                                        az_sv_str(name) };
    assert_int_equal(az_vec_push(r, rule), 0);
}

static uint32_t classify(const struct az_classifier *c, const char *kernel)
{
    return az_classify(c, az_sv_str(kernel));
}

static void classes_in_order(void **state)
{
    (void)state;
    struct az_class_rules r;
    struct az_classifier c;
    az_vec_init(&r, NULL);
    add_rule(&r, "gemm", "gemm");
    add_rule(&r, "Softmax", "softmax");
    add_rule(&r, "cutlass", "gemm");
    add_rule(&r, "\xc3\x89l\xc3\xa9ment", "element"); /* upper-case E acute in front */
    assert_int_equal(az_classifier_init(&c, &r, &arena), 0);
    static const char *const names[] = { "others", "gemm", "softmax", "element", "nccl" };
    assert_int_equal(c.names.n, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(az_sv_is(c.names.v[i], names[i]));
    assert_int_equal(c.nccl, 4);
    assert_int_equal(classify(&c, "ampere_sgemm_128"), 1);
    assert_int_equal(classify(&c, "void CUTLASS::Kernel<int>"), 1);
    assert_int_equal(classify(&c, "SOFTMAX_warp"), 2);
    assert_int_equal(classify(&c, "softmax_gemm"), 1);    /* both: the first in the map */
    assert_int_equal(classify(&c, "gemm_NcCl_fused"), 4); /* nccl before all */
    assert_int_equal(classify(&c, "\xc3\x89l\xc3\xa9ment"), 3);
    assert_int_equal(classify(&c, "x_\xc3\xa9L\xc3\x89ment_y"), 3);
    assert_int_equal(classify(&c, "copy \xe4\xb8\xad NCCL"), 4);
    assert_int_equal(classify(&c, "copy\xff gemm"), 1);
    assert_int_equal(classify(&c, "elementwise"), AZ_CLASS_OTHERS);
    assert_int_equal(classify(&c, ""), AZ_CLASS_OTHERS);
    az_classifier_release(&c);
    az_vec_release(&r);
}

static void a_class_called_nccl(void **state)
{
    (void)state;
    struct az_class_rules r;
    struct az_classifier c;
    az_vec_init(&r, NULL);
    add_rule(&r, "rccl", "nccl");
    add_rule(&r, "gemm", "gemm");
    add_rule(&r, "all_reduce", "nccl");
    assert_int_equal(az_classifier_init(&c, &r, &arena), 0);
    assert_int_equal(c.names.n, 3); /* no second class of that name */
    assert_int_equal(c.nccl, 2);
    assert_true(az_sv_is(c.names.v[1], "gemm"));
    assert_true(az_sv_is(c.names.v[2], "nccl"));
    assert_int_equal(classify(&c, "rcclKernel"), 2);
    assert_int_equal(classify(&c, "my_all_reduce"), 2);
    assert_int_equal(classify(&c, "ncclKernel"), 2);
    assert_int_equal(classify(&c, "gemm"), 1);
    az_classifier_release(&c);
    az_vec_release(&r);
}

static void empty_map_and_empty_key(void **state)
{
    (void)state;
    struct az_class_rules r;
    struct az_classifier c;
    az_vec_init(&r, NULL);
    assert_int_equal(az_classifier_init(&c, &r, &arena), 0);
    assert_int_equal(c.names.n, 2);
    assert_int_equal(c.nccl, 1);
    assert_int_equal(classify(&c, "anything"), AZ_CLASS_OTHERS);
    az_classifier_release(&c);
    add_rule(&r, "", "all"); /* alone it is legal, and contained in every name */
    assert_int_equal(az_classifier_init(&c, &r, &arena), 0);
    assert_int_equal(classify(&c, "anything"), 1);
    assert_int_equal(classify(&c, "nccl"), 2);
    az_classifier_release(&c);
    az_vec_release(&r);
}

static void limits(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_arena small;
    struct az_class_rules r;
    struct az_classifier c;
    az_mem_init(&m, 20);
    az_arena_init(&small, &m);
    az_vec_init(&r, NULL);
    assert_int_equal(az_classifier_init(&c, &r, &small), AZ_ELIMIT);
    assert_int_equal(m.used, 0);
    az_arena_release(&small);
}

static void operation_is(const char *kernel, bool compat, const char *want)
{
    const struct az_sv got = az_nccl_operation(az_sv_str(kernel), compat);
    if (!az_sv_is(got, want))
        fail_msg("'%s' gives '%.*s', not '%s'", kernel, AZ_SVF(got), want);
}

static void collectives(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *want;
    } row[] = {
        { "ncclKernel_AllReduce_RING_LL_Sum_half(ncclDevComm*, unsigned long, ncclWork*)",
          "AllReduce" },
        { "ncclDevKernel_AllGather_RING_LL(ncclDevComm*, unsigned long, ncclWork*)", "AllGather" },
        { "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*)", "ReduceScatter" },
        { "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", "SendRecv" },
        { "ncclDevKernel_SendRecv(ncclDevComm *, unsigned long, ncclWork *)", "SendRecv" },
        { "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<(unsigned long)4096>)", "Generic" },
        { "ncclDevKernel_Generic(ncclDevComm *)", "Generic" },
        { "ncclAllReduceRingLLKernel_sum_f16(ncclColl)", "AllReduce" },
        { "ncclSendRecvKernel_copy_i8(ncclColl)", "SendRecv" },
        { "ncclSymDevKernel_AllGather_LL(ncclSymDevArgs)", "AllGather" },
        { "ncclKernel_Broadcast_RING_LL_Sum_int8_t", "Broadcast" },
        { "ncclKernel_Reduce_RING_LL_Sum_float", "Reduce" },
        { "ncclDevKernel_AlltoAll_LL", "AllToAll" },
        { "ncclKernel_Recv_x", "Recv" },
        { "ncclKernel_Send_x", "Send" },
        { "ncclKernel_Gather_x", "Gather" },
        { "ncclKernel_Scatter_x", "Scatter" },
        { "ncclkernelwithout", "ncclkernelwithout" }, /* no underscore: the identifier */
        { "ncclThing(int)", "ncclThing" },
        { "void ns::ncclThing<int>(float*)", "ncclThing" },
        { "void ns::ncclDevKernel_Foo_Bar<int>(float*)", "Foo" },
        { "my_nccl_allreduce_kernel", "AllReduce" },
        { "MYNCCL_REDUCESCATTER_F16", "ReduceScatter" },
        { "nccl__x", "nccl__x" }, /* an empty field names nothing */
        { "ncclKernel_", "ncclKernel_" },
        { "nccl_Gather_AllReduce_Broadcast", "AllReduce" }, /* longest, then leftmost */
        { "nccl_Broadcast_AllReduce", "Broadcast" },
        { "fused_Generic(ncclDevComm*)",
          "ncclDevComm" },                     /* only the identifier around nccl counts */
        { "user_all_collective(int)", "all" }, /* in the class by the user's map */
        { "userAllGather(int)", "AllGather" },
        { "plain", "plain" },
        { "nccl", "nccl" },
        { "", "" },
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++)
        operation_is(row[i].kernel, false, row[i].want);
}

static void collectives_as_the_reference(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *want;
    } row[] = {
        { "ncclKernel_AllReduce_RING_LL_Sum_half(ncclDevComm*)", "AllReduce" },
        { "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*)", "ReduceScatter" },
        { "ncclDevKernel_SendRecv(ncclDevComm *, unsigned long, ncclWork *)",
          "SendRecv(ncclDevComm *, unsigned long, ncclWork *)" },
        { "ncclDevKernel_Generic_4(ncclDevComm *)", "Generic" },
        { "ncclAllReduceRingLLKernel_sum_f16(ncclColl)", "sum" },
        { "ncclSendRecvKernel_copy_i8(ncclColl)", "copy" },
        { "nccl__x", "" },
        { "nccl_", "" },
        { "ncclThing(int)", "ncclThing" }, /* the reference fails here: the robust rule */
    };
    for (size_t i = 0; i < AZ_LENGTH(row); i++)
        operation_is(row[i].kernel, true, row[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_in_order),
        cmocka_unit_test(a_class_called_nccl),
        cmocka_unit_test(empty_map_and_empty_key),
        cmocka_unit_test(limits),
        cmocka_unit_test(collectives),
        cmocka_unit_test(collectives_as_the_reference),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
