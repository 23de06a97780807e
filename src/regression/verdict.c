/* A verdict: its storage, and its words. */
#include "regression/verdict.h"

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
