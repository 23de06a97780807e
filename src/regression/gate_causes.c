/* One failure a cause, where the key metrics are compared: what follows from another metric only
 * warns (docs/formulas-compare.md 4). */
#include "regression/gate.h"
#include "regression/key_figures.h"

#define MOST 0.5 /* most of a change is more than this part of it */

/* How near to the cause a failure of the key metrics is: a part of the time, the total, what
 * contains or repeats it; 0: it is none of them. */
static int nearness(const struct az_gate_result *x)
{
    if (x->status != AZ_GATE_FAIL || x->drift)
        return 0;
    if (az_sv_is(x->sheet, AZ_KEY_PARTS))
        return 3;
    if (!az_sv_is(x->sheet, AZ_KEY_FIGURES))
        return 0;
    return az_sv_is(x->key_text, AZ_KEY_TOTAL) ? 2 : 1;
}

static bool same_run(const struct az_gate_result *x, const struct az_gate_result *y)
{
    return az_sv_eq(x->input, y->input);
}

/* That all kernels have in common; NULL: it is another. */
static const char *common_cause(const struct az_gate_result *x)
{
    return nearness(x) == 3 ? az_gate_common_cause(x) : NULL;
}

static void set_cause(struct az_gate_result *x, const struct az_gate_result *cause)
{
    x->follows = cause->key_text;
    x->same_cause = common_cause(cause) != NULL;
    x->in_part = !(cause->delta > MOST * x->delta);
}

/* A slow-down of everything, or more calls of it, is one failure, of the part that lost most. */
static void find_slow_down(struct az_gate_verdict *v)
{
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        const struct az_gate_result *most = x;
        const char *cause = common_cause(x);
        for (size_t k = 0; cause && k < v->results.n; k++) {
            const struct az_gate_result *y = &v->results.v[k];
            if (common_cause(y) == cause && same_run(x, y) && y->delta > most->delta)
                most = y;
        }
        if (most != x)
            set_cause(x, most);
    }
}

static bool is_part(const struct az_gate_result *x, const char *name)
{
    return nearness(x) == 3 && az_sv_is(x->key_text, name);
}

/* Longer copies that delay the device are in two parts of the time: exposed copies, and the family
 * with those that run next to other work. */
static void find_exposed_copies(struct az_gate_verdict *v)
{
    for (size_t i = 0; i < v->results.n; i++)
        for (size_t k = 0; is_part(&v->results.v[i], "copy") && k < v->results.n; k++)
            if (same_run(&v->results.v[i], &v->results.v[k]) &&
                is_part(&v->results.v[k], "exposed copies"))
                set_cause(&v->results.v[i], &v->results.v[k]);
}

/* One failure a cause: where parts of the time fail, the total and what repeats it follow from
 * them, and only warn; so do parts where the total is better all the same. */
static void find_causes(struct az_gate_verdict *v)
{
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        const int near = nearness(x);
        const struct az_gate_result *cause = NULL;
        for (size_t k = 0; near > 0 && near < 3 && k < v->results.n; k++) {
            const struct az_gate_result *y = &v->results.v[k];
            if (same_run(x, y) && nearness(y) > near &&
                (!cause || nearness(y) > nearness(cause) ||
                 (nearness(y) == nearness(cause) && y->delta > cause->delta)))
                cause = y;
        }
        if (cause)
            set_cause(x, cause);
    }
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        for (size_t k = 0; nearness(x) == 3 && k < v->results.n; k++) {
            const struct az_gate_result *y = &v->results.v[k];
            if (same_run(x, y) && az_sv_is(y->sheet, AZ_KEY_FIGURES) &&
                az_sv_is(y->key_text, AZ_KEY_TOTAL) && y->status == AZ_GATE_IMPROVED)
                x->made_up = true;
        }
    }
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        if (x->follows.n || x->made_up) {
            x->status = AZ_GATE_WARN;
            x->level = AZ_LEVEL_WARN;
        }
    }
}

static int explain_causes(struct az_gate_verdict *v, struct az_arena *a)
{
    for (size_t i = 0; i < v->results.n; i++) {
        struct az_gate_result *x = &v->results.v[i];
        if (!x->follows.n && !x->made_up)
            continue;
        x->text = az_arena_printf(a, "%.*s: %s%.*s", AZ_SVF(x->text),
                                  x->made_up      ? "the total improved nevertheless"
                                  : x->same_cause ? "same cause as "
                                  : x->in_part    ? "follows in part from "
                                                  : "follows from ",
                                  AZ_SVF(x->follows));
        if (!x->text.p)
            return az_arena_error(a);
    }
    return AZ_OK;
}

int az_gate_causes(struct az_gate_verdict *v, struct az_arena *a)
{
    find_slow_down(v);
    find_exposed_copies(v);
    find_causes(v);
    return explain_causes(v, a);
}
