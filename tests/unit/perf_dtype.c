/* Names of data types: bytes of an element, precision, and whether it is an element of a tensor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf.h"

static void expect(const char *name, double bytes, const char *precision, bool tensor, bool complex)
{
    const struct az_dtype *t = az_dtype_find(az_sv_str(name));
    if (!(t->bytes == bytes))
        fail_msg("%s: %g bytes", name, t->bytes);
    assert_string_equal(t->prec, precision);
    assert_int_equal(t->tensor, tensor);
    assert_int_equal(t->complex, complex);
}

static void elements(void **state)
{
    static const struct {
        double bytes;
        const char *precision, *names[8];
    } of[] = {
        { 8, "fp64", { "double", "f64" } },
        { 4, "fp32", { "float", "f32" } },
        { 2, "fp16", { "c10::Half", "f16" } },
        { 2, "bf16", { "c10::BFloat16", "bf16" } },
        { 8, "", { "long int", "long", "unsigned long" } },
        { 4, "", { "int", "unsigned int" } },
        { 2, "", { "short", "short int", "unsigned short" } },
        { 1, "int8", { "signed char", "c10::qint8" } },
        { 1, "", { "unsigned char", "bool", "c10::quint8", "c10::Float8_e8m0fnu" } },
        { 1, "fp8", { "c10::Float8_e4m3fn", "c10::Float8_e4m3fnuz", "c10::Float8_e5m2" } },
        { 1, "fp8", { "c10::Float8_e5m2fnuz", "fp8", "f8", "f8e4m3fn", "f8e5m2", "f8e4m3fnuz" } },
        { 1, "fp8", { "f8e5m2fnuz" } },
        { 1, "fp4", { "c10::Float4_e2m1fn_x2", "fp4", "mxfp4" } },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(of); i++)
        for (const char *const *name = of[i].names; *name; name++)
            expect(*name, of[i].bytes, of[i].precision, true, false);
    expect("FLOAT", 4, "fp32", true, false);
}

static void complex_numbers(void **state)
{
    (void)state;
    expect("c10::complex<double>", 16, "fp64", true, true);
    expect("c10::complex<float>", 8, "fp32", true, true);
    expect("c10::complex<c10::Half>", 4, "fp16", true, true);
}

static void no_memory(void **state)
{
    (void)state;
    expect("", 0, "", false, false);
    expect("Scalar", 0, "", false, false);
    expect("ScalarList", 0, "", false, false);
}

static void unknown_names(void **state)
{
    static const char *const names[] = { "unknown", "floa", "floats", "f", "?" };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        const struct az_dtype *t = az_dtype_find(az_sv_str(names[i]));
        assert_true(isnan(t->bytes) && t->tensor && !t->complex);
        assert_string_equal(t->prec, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements),
        cmocka_unit_test(complex_numbers),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(unknown_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
