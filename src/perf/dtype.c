/* Data types as traces name them (docs/formulas-models.md 4). */
#include "perf/perf.h"

const struct az_dtype *az_dtype_find(struct az_sv name)
{
    static const struct az_dtype known[] = {
        { "", 0, "", false, false },
        { "Scalar", 0, "", false, false }, /* an argument of the kernel, no memory */
        { "ScalarList", 0, "", false, false },
        { "double", 8, "fp64", true, false },
        { "float", 4, "fp32", true, false },
        { "c10::Half", 2, "fp16", true, false },
        { "c10::BFloat16", 2, "bf16", true, false },
        { "long int", 8, "", true, false },
        { "int", 4, "", true, false },
        { "long", 8, "", true, false }, /* older profilers */
        { "short", 2, "", true, false },
        { "short int", 2, "", true, false },
        { "signed char", 1, "int8", true, false },
        { "unsigned char", 1, "", true, false },
        { "unsigned short", 2, "", true, false },
        { "unsigned int", 4, "", true, false },
        { "unsigned long", 8, "", true, false },
        { "bool", 1, "", true, false },
        { "c10::Float8_e4m3fn", 1, "fp8", true, false },
        { "c10::Float8_e4m3fnuz", 1, "fp8", true, false },
        { "c10::Float8_e5m2", 1, "fp8", true, false },
        { "c10::Float8_e5m2fnuz", 1, "fp8", true, false },
        { "c10::Float8_e8m0fnu", 1, "", true, false },
        { "c10::Float4_e2m1fn_x2", 1, "fp4", true,
          false }, /* two values a byte; recorded dims are of bytes */
        { "fp8", 1, "fp8", true, false },
        { "fp4", 1, "fp4", true, false },
        { "mxfp4", 1, "fp4", true, false },
        { "c10::complex<double>", 16, "fp64", true, true },
        { "c10::complex<float>", 8, "fp32", true, true },
        { "c10::complex<c10::Half>", 4, "fp16", true, true },
        { "c10::quint8", 1, "", true, false },
        { "c10::qint8", 1, "int8", true, false },
        /* HLO and Triton names */
        { "f64", 8, "fp64", true, false },
        { "f32", 4, "fp32", true, false },
        { "f16", 2, "fp16", true, false },
        { "bf16", 2, "bf16", true, false },
        { "f8", 1, "fp8", true, false },
        { "f8e4m3fn", 1, "fp8", true, false },
        { "f8e5m2", 1, "fp8", true, false },
        { "f8e4m3fnuz", 1, "fp8", true, false },
        { "f8e5m2fnuz", 1, "fp8", true, false },
    };
    static const struct az_dtype unknown = { "unknown", NAN, "", true, false };
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_ieq(name, az_sv_str(known[i].name)))
            return &known[i];
    return &unknown;
}
