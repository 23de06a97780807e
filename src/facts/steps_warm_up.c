/* Repeats that the program itself calls warm-up: inside a range of that name (docs/steps.md 4). */
#include "base/sort.h"
#include "classify/rules.h"
#include "facts/steps_internal.h"
#include "facts/threads.h"

/* known: by name, 0 not read, 1 no, 2 yes. */
static bool is_warm_up(const struct az_trace *t, uint8_t *known, uint32_t name,
                       const struct az_rule_list *rules)
{
    if (!known[name]) {
        const struct az_sv text = az_trace_text(t, name);
        const bool may_be = az_sv_ifind(text, AZ_SV("warm")) >= 0; /* most are not */
        known[name] = may_be && az_rules_class_of(rules, "warm_up", text).n > 0 ? 2 : 1;
    }
    return known[name] == 2;
}

/* By lane: it is of a thread that launches, or the first one of a process. What other threads call
 * warm-up is theirs. Where no calls are recorded all threads count. */
static bool *lanes_of_steps(const struct az_step_search *s, int *rc)
{
    const struct az_trace *t = s->t;
    const struct az_events *c = &t->ev[AZ_CALL];
    size_t n;
    const uint32_t *thread = az_threads_of_lanes(t, s->job->arena, s->job->mem, &n, rc);
    bool *calls = thread ? az_arena_array(s->job->arena, n + 1, sizeof *calls) : NULL,
         *out = calls ? az_arena_array(s->job->arena, t->lanes.n + 1, sizeof *out) : NULL;
    if (!out) {
        *rc = *rc ? *rc : az_arena_error(s->job->arena);
        return NULL;
    }
    for (size_t i = 0; i < c->n; i++)
        calls[thread[c->lane[i]]] = true;
    for (size_t i = 0; i < t->lanes.n; i++)
        out[i] = c->n == 0 || calls[thread[i]] || t->lanes.v[i].tid == t->lanes.v[i].pid;
    return out;
}

static int list_warm_ups(struct az_step_search *s, uint8_t *known, struct az_spans *out)
{
    const struct az_events *e = &s->t->ev[AZ_RANGE];
    const bool *counts = NULL;
    struct az_rule_list rules = { 0 };
    int rc = az_rules_read_group("trace_names.rules", "warm_up", s->job->arena, &rules);
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        if (e->name[i] == AZ_NO_ID || !is_warm_up(s->t, known, e->name[i], &rules))
            continue;
        counts = counts ? counts : lanes_of_steps(s, &rc);
        if (rc == 0 && counts[e->lane[i]])
            rc = az_vec_push(out, ((struct az_span){ e->start[i], e->end[i] }));
    }
    az_spans_union(out);
    return rc;
}

int az_steps_warm_ups(struct az_step_search *s, struct az_spans *out)
{
    const size_t bytes = s->t->names.text.n + 1;
    if (s->t->ev[AZ_RANGE].n == 0)
        return 0;
    uint8_t *known = az_mem_alloc(s->job->mem, bytes);
    if (!known)
        return az_mem_error(s->job->mem);
    memset(known, 0, bytes);
    const int rc = list_warm_ups(s, known, out);
    az_mem_free(s->job->mem, known, bytes);
    return rc;
}

bool az_steps_in_warm_up(const struct az_spans *warm, int64_t start, int64_t end)
{
    const size_t lo =
        AZ_LOWER_BY(warm->v, warm->n, end, end); /* the first that ends at `end` or later */
    return lo < warm->n && warm->v[lo].start <= start;
}
