/* Verdicts of a history made again. */
#include "run/history_rejudge.h"

#include "regression/gate.h"

struct rejudge {
    struct az_history *h;
    const struct az_config *c;
    size_t n, failed;
};

static int judge(struct rejudge *j, const struct az_series *cand, struct az_gate_in *in,
                 struct az_arena *a, int64_t id)
{
    struct az_gate_verdict v;
    int rc;

    az_gate_verdict_init(&v, a);
    if (in->base) {
        v.base_id = in->base->id;
        v.base_label = in->base->label;
    }
    in->cand = cand;
    rc = az_gate_run(in, &v);
    if (!rc)
        rc = az_history_judge(j->h, id, &v);
    j->n += !rc;
    j->failed += !rc && v.outcome == AZ_GATES_FAIL;
    az_gate_verdict_release(&v);
    return rc;
}

static int one_run(struct rejudge *j, const struct az_history_run *run)
{
    const struct az_sv choice =
        j->c->gates.baseline.n ? j->c->gates.baseline : AZ_SV(AZ_HISTORY_LEVEL);
    struct az_gate_in in = { .rules = j->c->gates.rules.v,
                             .n_rules = j->c->gates.rules.n,
                             .by_recording = az_sv_is(j->c->gates.basis, "recording"),
                             .drift_rel = j->c->history.drift_rel,
                             .drift_days = j->c->history.drift_days,
                             .hold = j->c->history.accept_after };
    struct az_history_run own;
    struct az_series cand, base;
    struct az_metric_past past;
    struct az_arena a;
    size_t others = 0;
    bool found = false;
    int rc, two, three;

    az_arena_init(&a, NULL);
    rc = az_series_init(&cand, &a);
    two = az_series_init(&base, &a);
    three = az_metric_past_init(&past, &a);
    cand.by_recording = base.by_recording = in.by_recording;
    rc = rc ? rc : two ? two : three;
    if (!rc)
        rc = az_history_load(j->h, run->id, &own, &cand);
    if (!rc)
        rc = az_history_past(j->h, run, run->id, &cand, &past, &others);
    if (!rc)
        rc = az_history_baseline(j->h, choice, run, &cand, &base, &found, &in.no_base);
    if (!rc) {
        in.past = &past;
        in.base = found ? &base : NULL;
        in.first = !found;
        in.by_level = az_sv_is(choice, AZ_HISTORY_LEVEL) && past.runs.n > 0;
        rc = judge(j, &cand, &in, &a, run->id);
    }
    az_metric_past_release(&past);
    az_series_release(&base);
    az_series_release(&cand);
    az_arena_release(&a);
    return rc;
}

int az_history_rejudge(struct az_history *h, const struct az_config *c, size_t *n, size_t *failed,
                       struct az_diag *diag)
{
    struct rejudge j = { h, c, 0, 0 };
    struct az_history_runs runs;
    struct az_arena a;
    int rc;

    (void)diag;
    az_arena_init(&a, NULL);
    az_vec_init(&runs, NULL);
    rc = az_history_list(h, 0, &a, &runs);
    for (size_t i = runs.n; !rc && i-- > 0;)
        rc = one_run(&j, &runs.v[i]);
    az_vec_release(&runs);
    az_arena_release(&a);
    *n = j.n;
    *failed = j.failed;
    return rc;
}
