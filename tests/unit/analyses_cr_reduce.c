/* What a rank's trace says of its collectives: by the kernel, the operation, the annotation, the
 * name. */
#include "unit/analyses_fw.h"

#include "analyses/collectives/collectives.h"

static struct az_coll_part *reduce(struct fw_fix *f)
{
    void *part = NULL;
    ready(f);
    assert_int_equal(az_rank_analysis_collectives.reduce(&f->job, &f->arena, &part), 0);
    return part;
}

static const struct az_coll_what *what(const struct az_coll_part *p, size_t i)
{
    return &p->what[az_coll_part_what(p, i)];
}

static void texts(const struct az_coll_what *w, const char *name, const char *dtype,
                  const char *source)
{
    if (!az_sv_is(w->name, name) || !az_sv_is(w->dtype, dtype) || strcmp(w->source, source))
        fail_msg("got %.*s, %.*s from %s", AZ_SVF(w->name), AZ_SVF(w->dtype), w->source);
}

#define SAYS                                                                                       \
    "\"Collective name\":\"_allgather_base\",\"In msg nelems\":10,\"Out msg nelems\":80,\"Group "  \
    "size\":8,"                                                                                    \
    "\"dtype\":\"BFloat16\",\"Process Group Name\":\"3\",\"Process Group Ranks\":\"[0, "           \
    "1]\",\"Seq\":5"

static void test_kernel_says(void **state)
{
    struct fw_fix *f = *state;
    call(f, 10, 2, "cudaLaunchKernel", 1);
    device(f, "kernel", 0, 16, 100, 20, "ncclDevKernel_AllGather_RING_LL", 1, SAYS);
    device(f, "kernel", 0, 7, 110, 30, "gemm", 2, "");
    device(f, "gpu_memcpy", 0, 7, 150, 30, "Memcpy HtoD", 3, "");
    const struct az_coll_part *p = reduce(f);
    assert_int_equal(p->n, 1);
    texts(what(p, 0), "_allgather_base", "BFloat16", "kernel");
    assert_int_equal(what(p, 0)->in, 10);
    assert_int_equal(what(p, 0)->out, 80);
    assert_int_equal(what(p, 0)->size, 8);
    assert_int_equal(what(p, 0)->kind, AZ_COLL_ALLGATHER);
    assert_int_equal(az_coll_part_event(p, 0).seq, 5);
    assert_int_equal(az_coll_part_event(p, 0).launch, 10000);
    assert_int_equal(az_coll_part_event(p, 0).start, 100000);
    assert_int_equal(az_coll_part_event(p, 0).end, 120000);
    assert_int_equal(p->lane[az_coll_part_lane(p, 0)].stream, 16);
    assert_int_equal(p->busy, 20000);
    assert_int_equal(az_coll_compute_in(p->compute, 0, 1000000), 10000);
    assert_int_equal(p->span, 80000);
    assert_true(p->one_stream);
}

/* The operation above the launch has what the kernel lacks. */
static void test_operation_says(void **state)
{
    struct fw_fix *f = *state;
    op(f, 10, 20, "record_param_comms", SAYS);
    call(f, 15, 2, "cudaLaunchKernel", 1);
    kernel(f, 16, 100, 20, "ncclDevKernel_AllGather_RING_LL", 1);
    const struct az_coll_part *p = reduce(f);
    texts(what(p, 0), "_allgather_base", "BFloat16", "operation");
    assert_true(az_sv_is(what(p, 0)->ranks, "[0, 1]"));
    assert_int_equal(az_coll_part_event(p, 0).seq, 5);
}

/* No description at all, but the tensors of the operation; the kernel's name says the rest. */
static void test_operation_tensors(void **state)
{
    struct fw_fix *f = *state;
    op(f, 10, 20, "record_param_comms",
       "\"Input Dims\":[[4, 5],[],[3]],\"Input type\":[\"c10::Half\",\"\",\"c10::Half\"]");
    call(f, 15, 2, "cudaLaunchKernel", 1);
    kernel(f, 7, 100, 20, "void vllm::cross_device_reduce_2stage<half>", 1);
    const struct az_coll_part *p = reduce(f);
    texts(what(p, 0), "allreduce", "Half", "operation");
    assert_int_equal(what(p, 0)->in, 23);
    assert_int_equal(what(p, 0)->out, 23);
    assert_int_equal(what(p, 0)->group.n, 0);
}

static void annotated(struct fw_fix *f)
{
    op(f, 10, 30, "record_param_comms",
       "\"Input Dims\":[[],[]],\"Input type\":[\"TensorList\",\"Scalar\"]");
    span(f, "user_annotation", 100, 2, 11, 20, "nccl:broadcast",
         "\"Input Dims\":[[7]],\"Input type\":[\"int\"]");
    span(f, "user_annotation", 100, 1, 12, 20, "nccl:all_to_all",
         "\"Input Dims\":[[6144]],\"Input type\":[\"float\"]");
    call(f, 15, 2, "cudaLaunchKernel", 1);
    call(f, 45, 2, "cudaLaunchKernel", 2); /* after both */
    kernel(f, 7, 100, 20, "ncclKernel_SendRecv_RING_SIMPLE", 1);
    kernel(f, 7, 130, 20, "ncclKernel_SendRecv_RING_SIMPLE", 2);
    kernel(f, 7, 150, 20, "ncclKernel_SendRecv_RING_SIMPLE", 3); /* launch not recorded */
}

static void test_annotation_says(void **state)
{
    struct fw_fix *f = *state;
    annotated(f);
    const struct az_coll_part *p = reduce(f);
    assert_int_equal(p->n, 3);
    texts(what(p, 0), "all_to_all", "Float", "annotation");
    assert_int_equal(what(p, 0)->kind, AZ_COLL_ALLTOALL);
    assert_int_equal(what(p, 0)->in, 6144);
    assert_int_equal(what(p, 0)->out, -1);
    texts(what(p, 1), "sendrecv", "", "kernel name");
    assert_int_equal(az_coll_part_event(p, 1).what, az_coll_part_event(p, 2).what);
    assert_true(az_coll_part_event(p, 2).launch == INT64_MIN);
}

static void test_kernels_alone(void **state)
{
    struct fw_fix *f = *state;
    annotated(f);
    option(f, "collective_arguments", "kernel");
    const struct az_coll_part *p = reduce(f);
    texts(what(p, 0), "sendrecv", "", "kernel name");
    assert_int_equal(p->n_what, 1);
}

static void test_patterns(void **state)
{
    struct fw_fix *f = *state;
    option(f, "collective_patterns", "one_shot=allreduce");
    kernel(f, 7, 100, 20, "my_one_shot_kernel", 1);
    kernel(f, 8, 100, 20, "another", 2);
    kernel(f, 8, 130, 20, "ncclDevKernel_Generic", 3);
    const struct az_coll_part *p = reduce(f);
    assert_int_equal(p->n, 2);
    texts(what(p, 0), "allreduce", "", "kernel name");
    texts(what(p, 1), "", "", "kernel name");
    assert_int_equal(what(p, 1)->kind, AZ_COLL_UNKNOWN);
    assert_int_equal(az_coll_compute_in(p->compute, 0, 1000000), 20000);
    assert_false(p->one_stream);
}

static void test_peer_and_steps(void **state)
{
    struct fw_fix *f = *state;
    span(f, "user_annotation", 100, 1, 0, 90, "ProfilerStep#3", "");
    device(f, "kernel", 0, 20, 100, 20, "ncclDevKernel_SendRecv", 1,
           "\"Collective name\":\"send\",\"Dst Rank\":5,\"In msg nelems\":\"77\"");
    device(f, "kernel", 0, 20, 130, 20, "ncclDevKernel_SendRecv", 2,
           "\"Collective name\":\"recv\",\"Src Rank\":2,\"In msg nelems\":-3,\"Group size\":\"x\"");
    const struct az_coll_part *p = reduce(f);
    assert_int_equal(what(p, 0)->peer, 5);
    assert_int_equal(what(p, 0)->in, 77);
    assert_int_equal(what(p, 1)->peer, 2);
    assert_int_equal(what(p, 1)->in, -1); /* no count */
    assert_int_equal(what(p, 1)->size, -1);
    assert_int_equal(p->n_steps, 1);
    assert_int_equal(p->steps[0].end - p->steps[0].start, 90000);
}

/* What runs on another device hides nothing. */
static void test_two_devices(void **state)
{
    struct fw_fix *f = *state;
    device(f, "kernel", 3, 7, 100, 20, "ncclDevKernel_AllReduce", 1, "");
    device(f, "kernel", 1, 7, 105, 30, "ncclDevKernel_AllReduce", 2, "");
    device(f, "kernel", 1, 8, 110, 5, "gemm", 3, "");
    device(f, "kernel", 0, 8, 100, 50, "gemm", 4, "");
    const struct az_coll_part *p = reduce(f);
    assert_int_equal(p->n_devices, 2);
    assert_int_equal(p->lane[az_coll_part_lane(p, 0)].device, 1);
    assert_int_equal(p->lane[az_coll_part_lane(p, 1)].device, 0);
    assert_int_equal(az_coll_compute_in(&p->compute[0], 0, 1000000), 5000);
    assert_int_equal(az_coll_compute_in(&p->compute[1], 0, 1000000), 0);
    assert_int_equal(p->busy, 50000);
    assert_int_equal(p->overlap, 5000);
    assert_true(p->one_stream); /* on each */
}

static void test_disabled(void **state)
{
    struct fw_fix *f = *state;
    option(f, "disable_coll_analysis", "true");
    kernel(f, 7, 100, 20, "ncclDevKernel_AllReduce", 1);
    assert_null(reduce(f));
}

static void test_tensor_size(void **state)
{
    int64_t n;
    struct az_sv t;
    (void)state;
    assert_true(az_coll_tensor_size(AZ_SV("[[2,3],[4]]"), AZ_SV("[\"float\",\"float\"]"), &n, &t));
    assert_int_equal(n, 10);
    assert_true(az_sv_is(t, "Float"));
    assert_true(
        az_coll_tensor_size(AZ_SV("[[]]"), AZ_SV("[\"double\"]"), &n, &t)); /* a scalar tensor */
    assert_int_equal(n, 1);
    assert_false(az_coll_tensor_size(AZ_SV("[[2],[2]]"), AZ_SV("[\"float\",\"int\"]"), &n, &t));
    assert_false(az_coll_tensor_size(AZ_SV("[[2]]"), AZ_SV("[\"\"]"), &n, &t));
    assert_false(az_coll_tensor_size(AZ_SV("[[-2]]"), AZ_SV("[\"float\"]"), &n, &t));
    assert_false(
        az_coll_tensor_size(AZ_SV("[[4294967296,4294967296]]"), AZ_SV("[\"float\"]"), &n, &t));
    assert_false(az_coll_tensor_size(AZ_SV("[[9223372036854775807],[1]]"),
                                     AZ_SV("[\"float\",\"float\"]"), &n, &t));
    assert_false(az_coll_tensor_size(AZ_SV("{}"), AZ_SV("[\"float\"]"), &n, &t));
    assert_false(az_coll_tensor_size(AZ_SV(""), AZ_SV(""), &n, &t));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fw_setup, fw_teardown)
    const struct CMUnitTest tests[] = {
        T(test_kernel_says),       T(test_operation_says),
        T(test_operation_tensors), T(test_annotation_says),
        T(test_kernels_alone),     T(test_patterns),
        T(test_peer_and_steps),    T(test_disabled),
        T(test_two_devices),       cmocka_unit_test(test_tensor_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
