/* Which math fidelity a matrix product needs (docs/formats-tracy.md 12.1). A fidelity is how many
 * passes the multiplier makes over pieces of the mantissas: 4, 3, 2 or 1; what no pass multiplies
 * is lost. */
#include "base/err.h"
#include "perf/tensix.h"

enum az_fidelity az_fidelity_of(struct az_sv text)
{
    static const char *const names[AZ_FIDELITIES] = { "HiFi4", "HiFi3", "HiFi2", "LoFi" };
    for (int i = 0; i < AZ_FIDELITIES; i++)
        if (az_sv_is(text, names[i]))
            return (enum az_fidelity)i;
    return AZ_FIDELITY_UNKNOWN;
}

const char *az_fit_text(enum az_fit v)
{
    switch (v) {
    case AZ_FIT_NOT_APPLICABLE:
        return "not applicable";
    case AZ_FIT_SUFFICIENT:
        return "sufficient";
    case AZ_FIT_TOO_HIGH:
        return "too high";
    case AZ_FIT_TOO_LOW:
        return "too low";
    default:
        return "unknown";
    }
}

/* Bits of the mantissa; 0: no such type known; -1: an integer. */
static int mantissa(struct az_sv type)
{
    static const struct {
        const char *name;
        int bits;
    } types[] = { { "FLOAT32", 23 }, { "BFLOAT16", 8 }, { "BFLOAT8_B", 7 }, { "BFLOAT4_B", 3 },
                  { "UINT8", -1 },   { "UINT16", -1 },  { "INT32", -1 },    { "UINT32", -1 } };
    for (size_t i = 0; i < AZ_LENGTH(types); i++)
        if (az_sv_is(type, types[i].name))
            return types[i].bits;
    return 0;
}

struct fit {
    enum az_fit verdict;
    const char *advice;
};

#define GOOD     AZ_FIT_SUFFICIENT
#define TOO_HIGH AZ_FIT_TOO_HIGH
#define TOO_LOW  AZ_FIT_TOO_LOW

/* Cases by in0, in1 and out; columns by fidelity: HiFi4, HiFi3, HiFi2, LoFi. HiFi3 leaves out the
 * product of the two low pieces: not lossless for BF16, more than HiFi2 wherever that suffices. */
static const struct fit table[5][AZ_FIDELITIES] = {
    /* BF16 activations, 7 bits or more out */
    { { GOOD, "HiFi2 may suffice: it ignores the last bit of the activations and is twice as fast "
              "as HiFi4" },
      { TOO_LOW,
        "use HiFi4 unless this matmul is FLOP-bound: it is lossless for BF16 activations" },
      { TOO_LOW,
        "use HiFi4 unless this matmul is FLOP-bound: it is lossless for BF16 activations" },
      { TOO_LOW, "use HiFi2 or HiFi4: LoFi drops bits of BF16 activations" } },
    /* BF16 activations, BFP4 out */
    { { TOO_HIGH, "HiFi2 should suffice for a BFP4 output: it ignores only the last bit of the "
                  "activations and is twice as fast as HiFi4" },
      { TOO_HIGH, "HiFi2 should suffice for a BFP4 output and is 1.5x as fast as HiFi3" },
      { GOOD, "LoFi may suffice for a BFP4 output and is almost twice as fast as HiFi2" },
      { TOO_LOW, "HiFi2 may be more accurate for large matmuls with many accumulations" } },
    /* weights of 7 bits or more, 7 bits or more out */
    { { TOO_HIGH, "HiFi2 is sufficient for BFP8 and twice as fast as HiFi4" },
      { TOO_HIGH, "HiFi2 is sufficient for BFP8 and 1.5x as fast as HiFi3" },
      { GOOD, NULL },
      { TOO_LOW, "use HiFi2: LoFi ignores the last two bits of the weights" } },
    /* weights of 7 bits or more, BFP4 out */
    { { TOO_HIGH, "HiFi2 is sufficient for BFP8 and twice as fast as HiFi4" },
      { TOO_HIGH, "HiFi2 is sufficient for BFP8 and 1.5x as fast as HiFi3" },
      { GOOD, "LoFi may suffice for a BFP4 output and is almost twice as fast as HiFi2" },
      { TOO_LOW,
        "HiFi2 may be slightly more accurate for large matmuls with many accumulations" } },
    /* BFP4 weights */
    { { TOO_HIGH, "LoFi is sufficient for BFP4 weights and much faster" },
      { TOO_HIGH, "LoFi is sufficient for BFP4 weights and much faster" },
      { TOO_HIGH, "LoFi is sufficient for BFP4 weights and much faster" },
      { GOOD, NULL } },
};

enum az_fit az_fidelity_fit(struct az_sv in0, struct az_sv in1, struct az_sv out,
                            enum az_fidelity f, const char **advice)
{
    int a = mantissa(in0), w = mantissa(in1), o = mantissa(out), row;

    *advice = NULL;
    if (a < 0 || w < 0 || o < 0)
        return AZ_FIT_NOT_APPLICABLE;
    if (a == 0 || w == 0 || o == 0 || f >= AZ_FIDELITIES)
        return AZ_FIT_UNKNOWN;
    if (a == 8)
        row = o >= 7 ? 0 : 1;
    else if (w >= 7)
        row = o >= 7 ? 2 : 3;
    else
        row = 4;
    *advice = table[row][f].advice;
    return table[row][f].verdict;
}
