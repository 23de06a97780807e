#include "model/graph_capture_internal.h"

#include "base/num.h"

/* ---- steps ---- */
static bool number_after(struct az_sv text, const char *word, int64_t *out)
{
    ptrdiff_t at = az_sv_find(text, az_sv_str(word));
    size_t n = 0;
    if (at < 0)
        return false;
    const size_t skip = (size_t)at + strlen(word);
    text = az_sv_make(text.p + skip, text.n - skip);
    while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
        n++;
    return az_parse_i64(az_sv_make(text.p, n), out) == 0;
}

/* The sum of the numbers after each `mark`; -1: none, or one without a number. */
static int64_t sum_after(struct az_sv text, const char *mark)
{
    const size_t n = strlen(mark);
    int64_t sum = 0, v;
    for (ptrdiff_t at; (at = az_sv_find(text, az_sv_str(mark))) >= 0;) {
        text = az_sv_make(text.p + at + n, text.n - (size_t)at - n);
        if (!number_after(text, "", &v))
            return -1;
        sum = az_add_sat(sum, v);
    }
    return sum > 0 ? sum : -1;
}

/* execute_context_<n>(<tokens>)_generation_<n>(<tokens>): the sum; execute_new_<n>_cached_<n>:
 * requests, of which the new ones have more tokens, an unknown number; else the first number,
 * or the tokens of execute_<batch>_context_<n>(sq<tokens>..)_generation_<n>(sq<tokens>..). */
static int64_t batch_of_execute(struct az_sv text, bool tokens)
{
    const int64_t queries = tokens ? sum_after(text, "(sq") : -1;
    int64_t v = -1;
    if (az_sv_starts(text, AZ_SV("execute_context_")))
        return sum_after(text, "(");
    if (number_after(text, "execute_new_", &v))
        return v == 0 && number_after(text, "_cached_", &v) ? v : -1;
    for (; text.n && (text.p[0] < '0' || text.p[0] > '9'); text.n--)
        text.p++;
    if (!number_after(text, "", &v))
        v = -1;
    return queries > v ? queries : v;
}

bool az_step_batch(struct az_sv text, bool tokens, int64_t *batch)
{
    static const char *const counts[] = { "bs=", "batch=", "batch_size=" },
                             *const token_counts[] = { "toks=", "tok=", "tokens=" };
    *batch = -1;
    if (az_sv_starts(text, AZ_SV("execute_"))) {
        *batch = batch_of_execute(text, tokens);
        return true;
    }
    if (!az_sv_starts(text, AZ_SV("step[")) && !az_sv_starts(text, AZ_SV("prefill[")) &&
        !az_sv_starts(text, AZ_SV("decode[")))
        return false;
    for (size_t i = 0; tokens && i < AZ_LENGTH(token_counts); i++)
        if (number_after(text, token_counts[i], batch))
            return true;
    for (size_t i = 0; i < AZ_LENGTH(counts); i++)
        if (number_after(text, counts[i], batch))
            return true;
    return true;
}

static struct az_sv text_of(const struct az_replays *g, enum az_kind k, uint32_t row)
{
    return az_trace_text(g->t, g->t->ev[k].name[row]);
}

static int list_steps(struct az_replays *g)
{
    const struct az_events *e = &g->t->ev[AZ_RANGE];
    int64_t batch;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < e->n; i++)
        if (az_step_batch(text_of(g, AZ_RANGE, i), false, &batch))
            rc = az_vec_push(&g->steps, i);
    return rc;
}

/* The step around a call on its thread, else on any. Steps of other threads may be between: so many
 * are passed. */
static uint32_t step_of(const struct az_replays *g, uint32_t call)
{
    enum { PASSED = 64 };
    const struct az_events *c = &g->t->ev[AZ_CALL], *r = &g->t->ev[AZ_RANGE];
    size_t lo = 0, hi = g->steps.n;
    uint32_t other = AZ_NO_ROW;
    while (lo < hi) { /* first that starts after the call */
        const size_t mid = lo + (hi - lo) / 2;
        if (r->start[g->steps.v[mid]] <= c->start[call])
            lo = mid + 1;
        else
            hi = mid;
    }
    for (int tries = 0; lo > 0 && tries < PASSED; tries++) {
        const uint32_t row = g->steps.v[--lo];
        if (r->end[row] < c->start[call])
            continue;
        if (r->lane[row] == c->lane[call])
            return row;
        other = other == AZ_NO_ROW ? row : other;
    }
    return other;
}

static bool is_graph_launch(const struct az_replays *g, uint32_t call)
{
    return az_sv_ifind(text_of(g, AZ_CALL, call), AZ_SV("graphlaunch")) >= 0;
}

/* Graph launches in order of start; those of one step are numbered, as are those without device
 * events, which are not listed. The driver's call within the runtime's is the same launch. */
static int list_replays(struct az_replays *g)
{
    const struct az_events *e = &g->t->ev[AZ_CALL];
    struct az_map count;
    int rc = 0;
    az_map_init(&count, g->t->mem, 64);
    for (uint32_t i = 0; rc == 0 && i < e->n; i++) {
        const uint32_t up = g->c->parent[g->c->first_call + i];
        const bool inner = up != AZ_NO_ROW && up >= g->c->first_call && up < g->c->first_captured &&
                           is_graph_launch(g, up - g->c->first_call);
        struct az_replay r = { .call = i };
        uint32_t *n;
        bool added;
        if (inner || !is_graph_launch(g, i))
            continue;
        r.step = step_of(g, i);
        rc = az_map_put(&count, r.step, 0, 0, &n, &added);
        if (rc == 0)
            r.position = (*n)++;
        az_node_gpu(g->c, g->c->first_call + i, &r.first, &r.end);
        if (rc == 0 && r.first < r.end)
            rc = az_vec_push(&g->all, r);
    }
    for (size_t i = 0; i < g->all.n; i++)
        g->all.v[i].of = az_map_get(&count, g->all.v[i].step, 0);
    az_map_release(&count);
    return rc;
}

int az_replays_list(struct az_replays *g)
{
    const int rc = list_steps(g);
    return rc ? rc : list_replays(g);
}

int64_t az_replay_batch(const struct az_replays *g, const struct az_replay *r, bool tokens)
{
    int64_t batch = -1;
    if (r->step != AZ_NO_ROW)
        az_step_batch(text_of(g, AZ_RANGE, r->step), tokens, &batch);
    return batch;
}

void az_replays_init(struct az_replays *g, const struct az_trace *t, const struct az_calltree *c)
{
    g->t = t;
    g->c = c;
    az_vec_init(&g->all, t->mem);
    az_vec_init(&g->steps, t->mem);
}

void az_replays_release(struct az_replays *g)
{
    az_vec_release(&g->all);
    az_vec_release(&g->steps);
}
