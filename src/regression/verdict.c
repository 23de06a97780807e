/* A verdict: its storage, and its words. */
#include "regression/verdict.h"

#include <math.h>

const char *az_gate_status_text(enum az_gate_status s)
{
    static const char *const text[AZ_GATE_STATUSES] = { [AZ_GATE_PASS] = "pass",
                                                        [AZ_GATE_FAIL] = "fail",
                                                        [AZ_GATE_WARN] = "warn",
                                                        [AZ_GATE_UNSTABLE] = "unstable",
                                                        [AZ_GATE_OUTLIER] = "outlier",
                                                        [AZ_GATE_IMPROVED] = "improved",
                                                        [AZ_GATE_NEW] = "new",
                                                        [AZ_GATE_REMOVED] = "removed",
                                                        [AZ_GATE_SKIP] = "skip",
                                                        [AZ_GATE_ERROR] = "error",
                                                        [AZ_GATE_INCONCLUSIVE] = "inconclusive" };
    return (unsigned)s < AZ_GATE_STATUSES ? text[s] : "";
}

void az_gate_verdict_init(struct az_gate_verdict *v, struct az_arena *arena)
{
    *v = (struct az_gate_verdict){ .arena = arena, .created = -1 };
    az_vec_init(&v->results, arena->mem);
    az_vec_init(&v->changes, arena->mem);
}

void az_gate_verdict_release(struct az_gate_verdict *v)
{
    az_vec_release(&v->results);
    az_vec_release(&v->changes);
}

const char *az_gate_verdict_text(const struct az_gate_verdict *v)
{
    return v->outcome == AZ_GATES_PASS   ? "pass"
           : v->outcome == AZ_GATES_FAIL ? "fail"
                                         : "inconclusive";
}

double az_gate_seconds(struct az_sv unit)
{
    static const struct {
        const char *text;
        double s;
    } times[] = { { "ps", 1e-12 },       { "ns", 1e-9 }, { "us", 1e-6 },
                  { "\xc2\xb5s", 1e-6 }, { "ms", 1e-3 }, { "s", 1 } };
    for (size_t i = 0; i < AZ_LENGTH(times); i++)
        if (az_sv_is(unit, times[i].text))
            return times[i].s;
    return 0;
}

/* Of two limits that both count the larger one, of either the smaller one. */
bool az_gate_limit_is_absolute(const struct az_gate_result *x)
{
    const double rel = x->used.rel * fabs(x->base.center);

    if (!(x->used.abs > 0))
        return false;
    return x->rule && az_sv_is(x->rule->combine, "any") ? x->used.abs < rel : x->used.abs > rel;
}

double az_gate_limit_percent(const struct az_gate_result *x)
{
    const double b = fabs(x->base.center);

    if (!az_gate_limit_is_absolute(x))
        return 100 * x->used.rel;
    return b > 0 ? 100 * x->used.abs / b : NAN;
}
