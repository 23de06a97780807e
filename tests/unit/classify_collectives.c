/* Names of collectives, bytes of their types, factors of the bus bandwidth. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "classify/collectives.h"

static void kinds(void **state)
{
    static const struct {
        enum az_coll_kind kind;
        const char *class_name, *collective, *names[5];
    } of[] = {
        { AZ_COLL_ALLREDUCE,
          "Comm-AllReduce",
          "allreduce",
          { "allreduce", "nccl:all_reduce", "allreduce_coalesced", "All Reduce" } },
        { AZ_COLL_REDUCESCATTER,
          "Comm-ReduceScatter",
          "reduce_scatter",
          { "reduce_scatter", "_reduce_scatter_base", "reduce_scatter_tensor_coalesced" } },
        { AZ_COLL_ALLGATHER,
          "Comm-AllGather",
          "allgather",
          { "allgather", "_allgather_base", "allgather_into_tensor_coalesced" } },
        { AZ_COLL_ALLTOALL, "Comm-AllToAll", "all_to_all", { "all_to_all", "alltoall_base" } },
        { AZ_COLL_ALLTOALLV, "Comm-AllToAll", "all_to_all", { "all_to_allv" } },
        { AZ_COLL_BROADCAST, "Comm-Broadcast", "broadcast", { "broadcast", "_broadcast_oop" } },
        { AZ_COLL_REDUCE, "Comm-Reduce", "reduce", { "reduce", "_reduce_oop" } },
        { AZ_COLL_GATHER, "Comm-Gather", "gather", { "gather" } },
        { AZ_COLL_SCATTER, "Comm-Scatter", "scatter", { "scatter" } },
        { AZ_COLL_SEND, "Comm-Send", "send", { "send" } },
        { AZ_COLL_RECV, "Comm-Recv", "recv", { "recv" } },
        { AZ_COLL_SENDRECV, "Comm-SendRecv", "sendrecv", { "SendRecv" } },
        { AZ_COLL_BARRIER, "Comm-Barrier", "barrier", { "barrier" } },
        { AZ_COLL_UNKNOWN, "Comm-Generic", NULL, { "", "nccl:", "allreduces", "nccl" } },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        for (const char *const *name = of[i].names; *name; name++)
            if (az_coll_kind_of(az_sv_str(*name)) != of[i].kind)
                fail_msg("%s", *name);
        assert_true(az_sv_is(az_coll_class(of[i].kind), of[i].class_name));
        assert_true(az_sv_is(az_coll_of_class(az_sv_str(of[i].class_name)),
                             of[i].collective ? of[i].collective : ""));
        const bool all = of[i].kind == AZ_COLL_ALLREDUCE || of[i].kind == AZ_COLL_REDUCESCATTER ||
                         of[i].kind == AZ_COLL_ALLGATHER || of[i].kind == AZ_COLL_ALLTOALL ||
                         of[i].kind == AZ_COLL_BARRIER;
        assert_int_equal(az_coll_synchronises(of[i].kind), all);
    }
    assert_string_equal(az_coll_kind_text(AZ_COLL_BARRIER), "barrier");
    assert_string_equal(az_coll_kind_text(AZ_COLL_KINDS), "unknown");
}

/* Letters beyond the first 64 are of no name; separators do not count. */
static void long_names(void **state)
{
    char name[160];
    (void)state;
    memset(name, '_', sizeof name);
    memcpy(name + 100, "barrier", 7);
    assert_int_equal(az_coll_kind_of(az_sv_make(name, 150)), AZ_COLL_BARRIER);
    memset(name, 'x', sizeof name);
    for (size_t n = 63; n < 67; n++)
        assert_int_equal(az_coll_kind_of(az_sv_make(name, n)), AZ_COLL_UNKNOWN);
}

static void types(void **state)
{
    static const struct {
        const char *argument, *type;
        int64_t bytes;
    } of[] = {
        { "float", "Float", 4 },
        { "double", "Double", 8 },
        { "int", "Int", 4 },
        { "long", "Long", 8 },
        { "long int", "Long", 8 },
        { "long long", "Long", 8 },
        { "short", "Short", 2 },
        { "short int", "Short", 2 },
        { "bool", "Bool", 1 },
        { "unsigned char", "Byte", 1 },
        { "signed char", "Char", 1 },
        { "char", "Char", 1 },
        { "uint16_t", "UInt16", 2 },
        { "short unsigned int", "UInt16", 2 },
        { "unsigned int", "UInt32", 4 },
        { "long unsigned int", "UInt64", 8 },
        { "c10::BFloat16", "BFloat16", 2 },
        { "c10::Half", "Half", 2 },
        { "Half", "Half", 2 },
        { "c10::complex<float>", "ComplexFloat", 8 },
        { "c10::complex<double>", "ComplexDouble", 16 },
        { "c10::complex<c10::Half>", "ComplexHalf", 4 },
        { "c10::Float8_e4m3fn", "Float8_e4m3fn", 1 },
        { "c10::Float8_e5m2", "Float8_e5m2", 1 },
        { "c10::Float8_e4m3fnuz", "Float8_e4m3fnuz", 1 },
        { "c10::Float8_e5m2fnuz", "Float8_e5m2fnuz", 1 },
        { "c10::Float8_e8m0fnu", "Float8_e8m0fnu", 1 },
        { "c10::Float4_e2m1fn_x2", "Float4_e2m1fn_x2", 1 },
        { "c10::", "", 0 },
        { "", "", 0 },
        { "Floats", "", 0 },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        const struct az_sv type = az_coll_dtype_of(az_sv_str(of[i].argument));
        assert_true(az_sv_is(type, of[i].type));
        assert_int_equal(az_coll_dtype_bytes(type), of[i].bytes);
    }
}

static void factors(void **state)
{
    static const struct {
        enum az_coll_kind kind;
        int64_t ranks;
        double factor;
    } of[] = {
        { AZ_COLL_ALLREDUCE, 8, 1.75 },
        { AZ_COLL_ALLREDUCE, 1, 0 },
        { AZ_COLL_ALLREDUCE, 2, 1 },
        { AZ_COLL_ALLGATHER, 4, 0.75 },
        { AZ_COLL_REDUCESCATTER, 4, 0.75 },
        { AZ_COLL_ALLTOALL, 4, 0.75 },
        { AZ_COLL_GATHER, 4, 0.75 },
        { AZ_COLL_SCATTER, 4, 0.75 },
        { AZ_COLL_BROADCAST, 4, 1 },
        { AZ_COLL_REDUCE, 1, 1 },
        { AZ_COLL_SEND, 2, 1 },
        { AZ_COLL_RECV, 2, 1 },
        { AZ_COLL_ALLREDUCE, 0, NAN },
        { AZ_COLL_SEND, -1, NAN },
        { AZ_COLL_BARRIER, 8, NAN },
        { AZ_COLL_UNKNOWN, 8, NAN },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        const double x = az_coll_factor(of[i].kind, of[i].ranks);
        assert_true(isnan(of[i].factor) ? isnan(x) : x == of[i].factor);
    }
}

static void patterns_of_the_user(void **state)
{
    struct az_sv name;
    (void)state;
    assert_true(az_coll_match_pattern(AZ_SV("mine=allreduce other"), AZ_SV("k_Mine_1"), &name));
    assert_true(az_sv_is(name, "allreduce"));
    assert_true(az_coll_match_pattern(AZ_SV("mine=allreduce other"), AZ_SV("other"), &name));
    assert_int_equal(name.n, 0);
    assert_false(az_coll_match_pattern(AZ_SV("mine=allreduce other"), AZ_SV("min"), &name));
    assert_int_equal(name.n, 0);
    assert_false(az_coll_match_pattern(AZ_SV(""), AZ_SV("mine"), &name));
    assert_false(az_coll_match_pattern(AZ_SV("=all"), AZ_SV("mine"), &name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),   cmocka_unit_test(long_names),           cmocka_unit_test(types),
        cmocka_unit_test(factors), cmocka_unit_test(patterns_of_the_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
