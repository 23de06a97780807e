/* The change of each input as a whole (document/change.h): whether candidate and baseline can be
 * compared at all. Evidence comes first: an input that is not comparable is tested by no rule. */
#include <math.h>

#include "base/sort.h"
#include "regression/gate.h"
#include "regression/key_figures.h"
#include "stats/rank_test.h"

static bool has_change(const struct az_gate_verdict *v, struct az_sv input)
{
    for (size_t i = 0; i < v->changes.n; i++)
        if (az_sv_eq(v->changes.v[i].change.input, input))
            return true;
    return false;
}

static int64_t span_of(const struct az_change_side *s)
{
    return s->has_steps ? s->step.span : s->whole.span;
}

/* Of several runs of an input the one in the middle by its time; NULL: none has claims. */
static const struct az_series_claims *middle(const struct az_series *s, struct az_sv input)
{
    const struct az_series_claims *best = NULL;
    size_t n = 0;

    for (size_t i = 0; s && i < s->claims.n; i++)
        n += az_sv_eq(s->claims.v[i].input, input);
    for (size_t i = 0; s && i < s->claims.n && !best; i++) {
        const struct az_series_claims *c = &s->claims.v[i];
        size_t below = 0, alike = 0;
        if (!az_sv_eq(c->input, input))
            continue;
        for (size_t k = 0; k < s->claims.n; k++) {
            const struct az_series_claims *o = &s->claims.v[k];
            if (!az_sv_eq(o->input, input))
                continue;
            below += span_of(&o->side) < span_of(&c->side);
            alike += span_of(&o->side) == span_of(&c->side);
        }
        if (below <= (n - 1) / 2 && below + alike > (n - 1) / 2)
            best = c;
    }
    return best;
}

/* Device time under names that only one side has, as part of both; NaN: names are not known. */
static double unmatched(const struct az_series *a, const struct az_series *b, struct az_sv input)
{
    const struct az_series *side[] = { a, b };
    double all = 0, only = 0;

    for (size_t k = 0; a && b && k < 2; k++)
        for (size_t i = 0; i < side[k]->metrics.n; i++) {
            const struct az_metric *m = &side[k]->metrics.v[i];
            if (!az_sv_eq(m->input, input) || !az_sv_is(m->sheet, AZ_KEY_WORK) ||
                !az_sv_is(m->name, AZ_KEY_WORK_TIME) || m->values.n == 0 ||
                az_sv_starts(m->key_text, AZ_SV("operator |")) ||
                az_sv_starts(m->key_text, AZ_SV("exposed |")) || !(m->values.v[0] > 0))
                continue;
            all += m->values.v[0];
            only += az_series_find(side[1 - k], m) ? 0 : m->values.v[0];
        }
    return all > 0 ? only / all : NAN;
}

/* Of several runs of an input the first that cannot be compared with this baseline counts. */
static void make_gate_changes(const struct az_gate_in *in, const struct az_change_side *base,
                              struct az_sv input, const struct az_series_claims *shown,
                              struct az_gate_change *out, struct az_arena *a)
{
    const struct az_change_opts opts = { .by_device = true, .by_recording = in->by_recording };
    const struct az_series *c = in->cand;

    az_change_make(base, &shown->side, &opts, &out->change);
    out->text = az_change_text(a, &out->change, base, &shown->side);
    for (size_t i = 0; out->change.comparable && i < c->claims.n; i++) {
        struct az_change one;
        if (!az_sv_eq(c->claims.v[i].input, input))
            continue;
        az_change_make(base, &c->claims.v[i].side, &opts, &one);
        if (one.comparable)
            continue;
        out->change = one;
        out->text = az_change_text(a, &one, base, &c->claims.v[i].side);
    }
}

/* Nothing to compare with: the candidate's own facts decide. */
static void alone(struct az_gate_change *out, struct az_sv input, const struct az_gate_in *in,
                  const struct az_series_claims *cand, struct az_arena *a)
{
    struct az_change_side clean = cand->side;
    for (int i = 0; i < AZ_CHECKS; i++)
        clean.trust[i].status = AZ_CHECK_NOT_APPLICABLE;
    clean.known = true;
    make_gate_changes(in, &clean, input, cand, out, a);
    out->change.a_ns = 0;
    out->change.a_steps = 0;
    out->change.share = NAN;
    out->change.has_parts = false;
}

/* Ranks that one side has and the other has not, by their number where the world is not known. */
static void other_ranks(struct az_gate_change *c, const struct az_gate_in *in, struct az_arena *a)
{
    const struct az_sv was = az_series_get_fact(in->base, c->change.input, "ranks"),
                       is = az_series_get_fact(in->cand, c->change.input, "ranks");
    if (!c->change.comparable || !was.n || !is.n || az_sv_eq(was, is))
        return;
    c->change.comparable = false;
    c->change.reason = AZ_CHANGE_MISSING_RANKS;
    c->text = az_arena_printf(a, "the number of ranks differs: %.*s in the baseline, %.*s now",
                              AZ_SVF(was), AZ_SVF(is));
}

/* Of runs without claims the facts of their series have the device. */
static void other_device(struct az_gate_change *c, const struct az_gate_in *in, struct az_arena *a)
{
    const struct az_sv was = az_series_get_fact(in->base, c->change.input, "device"),
                       is = az_series_get_fact(in->cand, c->change.input, "device");
    if (!c->change.comparable || !was.n || !is.n || az_sv_eq(was, is))
        return;
    c->change.comparable = false;
    c->change.reason = AZ_CHANGE_DEVICE_DIFFERS;
    c->text = az_arena_printf(a, "the devices differ: %.*s, then %.*s", AZ_SVF(was), AZ_SVF(is));
}

/* A result of an older version does not have the number of steps of its sums. */
static void no_claims(struct az_gate_change *c, const struct az_gate_in *in,
                      const struct az_change_side *cand, struct az_arena *a)
{
    if (!c->change.comparable || in->by_recording || !cand->has_steps ||
        cand->steps * cand->gpus <= 1)
        return;
    c->change.comparable = false;
    c->change.reason = AZ_CHANGE_STEPS_ON_ONE_SIDE;
    c->text = az_arena_printf(a, "%lld steps (%.*s) against a baseline whose steps are not known",
                              (long long)cand->steps, AZ_SVF(cand->source));
}

static int add_changes(const struct az_gate_in *in, struct az_gate_verdict *v, struct az_sv input)
{
    const struct az_series_claims *cand = middle(in->cand, input), *base = middle(in->base, input);
    struct az_gate_change c = {
        .change = { .input = input, .comparable = true, .share = NAN, .unmatched_share = NAN },
        .text = AZ_SV("")
    };
    const bool known = cand && cand->claimed, base_known = base && base->claimed;

    if (known && !base_known)
        alone(&c, input, in, cand, v->arena);
    else if (known)
        make_gate_changes(in, &base->side, input, cand, &c, v->arena);
    c.change.input = input;
    if (known && (cand->unreadable || (base && base->unreadable)))
        c.text = cand->unreadable ? AZ_SV("the candidate could not be read")
                                  : AZ_SV("the baseline could not be read");
    if (known && base && !base->claimed)
        no_claims(&c, in, &cand->side, v->arena);
    if (in->base && az_series_has_input(in->base, input)) {
        other_ranks(&c, in, v->arena);
        other_device(&c, in, v->arena);
    }
    c.change.unmatched_share = unmatched(in->base, in->cand, input);
    c.evidence =
        c.change.reason >= AZ_CHANGE_UNREADABLE_INPUT && c.change.reason <= AZ_CHANGE_MISSING_RANKS;
    return v->arena->failed ? az_arena_error(v->arena) : az_vec_push(&v->changes, c);
}

int az_gate_compare_inputs(const struct az_gate_in *in, struct az_gate_verdict *v)
{
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < in->cand->claims.n; i++)
        if (!has_change(v, in->cand->claims.v[i].input))
            rc = add_changes(in, v, in->cand->claims.v[i].input);
    return rc;
}

const struct az_gate_change *az_gate_change_of(const struct az_gate_verdict *v, struct az_sv input)
{
    for (size_t i = 0; i < v->changes.n; i++)
        if (az_sv_eq(v->changes.v[i].change.input, input))
            return &v->changes.v[i];
    return NULL;
}

bool az_gate_is_evidence(const struct az_gate_verdict *v)
{
    for (size_t i = 0; i < v->changes.n; i++)
        if (!v->changes.v[i].change.comparable &&
            v->changes.v[i].change.reason != AZ_CHANGE_DEVICE_DIFFERS)
            return false;
    return true;
}
