/* Whole numbers and strides of arguments that are measured again. */
#include "perf/replay.h"

#include "perf/replay_parts.h"

bool az_rp_ints(struct az_sv list, int64_t *v, int n)
{
    double d[AZ_PERF_DIMS];
    struct az_perf_arg a = { .value = list };
    if (n > AZ_PERF_DIMS || az_perf_model_list(&a, d, AZ_PERF_DIMS) != n)
        return false;
    for (int i = 0; i < n; i++) {
        if (!(d[i] >= -EXACT_MAX && d[i] <= EXACT_MAX))
            return false;
        v[i] = (int64_t)d[i];
    }
    return true;
}

bool az_rp_strides(const struct az_perf_arg *a, int64_t *s, unsigned *notes)
{
    bool recorded = a->strides.n && az_rp_ints(a->strides, s, a->nd);
    double step = 1;
    for (int i = a->nd - 1; !recorded && i >= 0; i--) {
        if (step > EXACT_MAX)
            return false;
        s[i] = (int64_t)step;
        step *= a->dim[i] > 1 ? (double)a->dim[i] : 1;
    }
    if (!recorded)
        *notes |= AZ_REPLAY_NO_STRIDES;
    for (int i = 0; i < a->nd; i++)
        if (s[i] < 0)
            return false;
    return true;
}
