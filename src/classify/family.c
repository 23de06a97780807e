#include "classify/family.h"

static const char *const texts[AZ_FAMILIES] = {
    "other", "gemm",        "attention", "conv", "moe",   "communication", "norm", "softmax",
    "loss",  "elementwise", "reduce",    "copy", "index", "kv_cache",      "rope", "optimizer",
    "sort",  "random",      "quantize",  "fill", "pool",  "fft",           "ssm",  "sparse"
};

struct az_sv az_family_text(enum az_family f)
{
    return az_sv_str(texts[(unsigned)f < AZ_FAMILIES ? f : 0]);
}

bool az_family_of(struct az_sv text, enum az_family *out)
{
    for (int f = 0; f < AZ_FAMILIES; f++)
        if (az_sv_is(text, texts[f])) {
            *out = (enum az_family)f;
            return true;
        }
    return false;
}
