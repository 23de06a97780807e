/* Evidence from calls about the host: launches that take long, code that is loaded, the profiler's
 * own time, graphs without kernels. */
#include "analyses/verdict/host.h"
#include "base/sort.h"
#include "stats/log_buckets.h"

#define RULES      "trace_names.rules"
#define SLOW_US    20        /* a launch that does more than to launch is longer than this */
#define SLOW_MANY  5         /* and so many times the median launch */
#define FEW        8         /* launches without a median: the first one may be the slow one */
#define USUAL_US   10        /* no usual launch is longer */
#define MOST_US    1000      /* nor does any launch alone take so long */
#define MOST_FIRST (1 << 22) /* first launches by device and name */

/* ---- classes, slow launches ---- */
static enum az_verdict_call class_of_call(const struct az_verdict_host *h, uint32_t name)
{
    static const char *const text[AZ_VERDICT_CALLS] = {
        "",         "launch",    "graph",         "async_copy", "fill", "copy", "synchronize",
        "allocate", "load_code", "prepare_graph", "profiler"
    };
    const struct az_sv is =
        az_rules_class_of(&h->call_rules, "host_call", az_trace_text(h->t, name));
    int k = AZ_VERDICT_CALLS - 1;
    while (k > 0 && !az_sv_is(is, text[k]))
        k--;
    return (enum az_verdict_call)k;
}

/* From the median launch of the input, give or take 3%: of n launches by the buckets of their
 * lengths. */
static void set_slow(struct az_verdict_host *h, const uint32_t count[AZ_LOG_BUCKETS], uint32_t n)
{
    const int64_t us = (int64_t)1000 * h->t->ticks_per_ns;
    uint32_t at = 0, k = 0;
    for (; k + 1 < AZ_LOG_BUCKETS && at + count[k] < n / 2 + n % 2; k++)
        at += count[k];
    h->slow = SLOW_US * us;
    int64_t usual = az_log_bucket_start(k);
    if (n < FEW && usual > USUAL_US * us)
        usual = USUAL_US * us;
    if (n && SLOW_MANY * usual > h->slow)
        h->slow = SLOW_MANY * usual;
    if (h->slow > MOST_US * us) /* where most launches load */
        h->slow = MOST_US * us;
}

int az_verdict_read_calls(struct az_verdict_host *h)
{
    const struct az_events *c = &h->t->ev[AZ_CALL];
    uint32_t count[AZ_LOG_BUCKETS] = { 0 }, launches = 0;
    uint8_t *of_name = az_arena_array(&h->arena, h->t->names.text.n + 1, 1); /* class + 1 */
    uint8_t *class = h->call_class = az_arena_array(&h->arena, c->n + 1, 1);
    if (!of_name || !class)
        return az_arena_error(&h->arena);
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t name = c->name[i];
        if (name == AZ_NO_ID)
            continue;
        if (!of_name[name])
            of_name[name] = (uint8_t)(class_of_call(h, name) + 1);
        class[i] = (uint8_t)(of_name[name] - 1);
        h->graph_calls += class[i] == AZ_VERDICT_CALL_GRAPH;
        if (class[i] != AZ_VERDICT_CALL_LAUNCH)
            continue;
        count[az_log_bucket(c->end[i] - c->start[i])]++;
        launches++;
    }
    set_slow(h, count, launches);
    return 0;
}

/* ---- code that is loaded ---- */
/* Marks the launches of kernels that were launched before: in order of the launches, by name. Each
 * process loads for itself on each of its devices. */
static int mark_loaded(struct az_verdict_host *h, const struct az_devices_of *d)
{
    const struct az_events *k = &h->t->ev[AZ_KERNEL], *c = &h->t->ev[AZ_CALL];
    const uint32_t *call = h->link->call[AZ_KERNEL];
    const size_t names = h->t->names.text.n + 1;
    const bool one = names * (d->slots.n + 1) > MOST_FIRST; /* as if all were one device */
    uint32_t *first = az_arena_array(&h->arena, names * (one ? 1 : d->slots.n + 1), sizeof *first);
    h->loaded = az_arena_array(&h->arena, c->n + 1, 1);
    if (!first || !h->loaded)
        return az_arena_error(&h->arena);
    for (size_t i = 0; i < k->n; i++)
        if (k->name[i] != AZ_NO_ID && call[i] != AZ_NO_ROW)
            h->loaded[call[i]] = 1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->n; i++) {
            const uint32_t of = call[i];
            if (k->name[i] == AZ_NO_ID || of == AZ_NO_ROW)
                continue;
            const uint32_t at = d->slot_of_lane.v[k->lane[i]];
            const size_t slot = one ? 0 : at == AZ_NO_ID ? d->slots.n : at;
            uint32_t *f = &first[slot * names + k->name[i]];
            if (pass)
                h->loaded[of] &= *f != of + 1; /* a graph launches several */
            else if (!*f || c->start[of] < c->start[*f - 1])
                *f = of + 1;
        }
    return 0;
}

static int find_loaded(struct az_verdict_host *h)
{
    struct az_devices_of d;
    if (!h->link->call[AZ_KERNEL])
        return 0;
    int rc = az_devices_make(&d, h->t, AZ_BY_PROCESS, h->v->job->mem);
    if (rc == 0)
        rc = mark_loaded(h, &d);
    az_devices_release(&d);
    return rc;
}

/* ---- the profiler's own time ---- */
/* Is time that the profiler gives no name inside the first launch of a kernel, or a call that loads
 * code? The driver loads there, and the profiler with it. */
static bool is_in_loading(struct az_verdict_host *h, const struct az_events *e, size_t i)
{
    const struct az_verdict_nest *n = &h->calls;
    const uint32_t thread = h->thread[e->lane[i]];
    const size_t place = az_verdict_place_at(n, thread, e->start[i]);
    if (place == n->first[thread])
        return false;
    for (uint32_t p = (uint32_t)place - 1; p != AZ_NO_ROW; p = n->up[p]) {
        const uint32_t row = az_verdict_row(n, p);
        const enum az_verdict_call call = az_verdict_call_of(h, row);
        if (n->e->end[row] >= e->end[i] &&
            (call == AZ_VERDICT_CALL_LOAD ||
             (call == AZ_VERDICT_CALL_LAUNCH && h->loaded && !h->loaded[row])))
            return true;
    }
    return false;
}

static int list_overhead(struct az_verdict_host *h)
{
    const struct az_events *e = &h->t->ev[AZ_OVERHEAD];
    struct az_rule_list loads = { 0 };
    int rc = e->n ? az_rules_read_group(RULES, "overhead", &h->arena, &loads) : 0;
    az_vec_init(&h->profiler, h->v->job->mem);
    az_vec_init(&h->loads, h->v->job->mem);
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const struct az_sv name = az_trace_text(h->t, e->name[i]);
        const struct az_sv class = az_rules_class_of(&loads, "overhead", name);
        const bool load = az_sv_is(class, "module_loading") ||
                          (az_sv_is(class, "unknown") && is_in_loading(h, e, i));
        rc = az_vec_push(load ? &h->loads : &h->profiler,
                         ((struct az_span){ e->start[i], e->end[i] }));
    }
    az_spans_union(&h->profiler);
    az_spans_union(&h->loads);
    return rc;
}

int64_t az_verdict_sum_in(const struct az_spans *s, int64_t from, int64_t to)
{
    int64_t sum = 0;
    size_t lo = AZ_UPPER_BY(s->v, s->n, end, from); /* the first that ends after `from` */
    for (; lo < s->n && s->v[lo].start < to; lo++) {
        const int64_t a = s->v[lo].start > from ? s->v[lo].start : from;
        sum += (s->v[lo].end < to ? s->v[lo].end : to) - a;
    }
    return sum;
}

/* ---- graphs without kernels ---- */
static int find_bare(struct az_verdict_host *h)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
    const struct az_events *c = &h->t->ev[AZ_CALL];
    const size_t graphs = h->graph_calls;
    uint8_t *has = graphs ? az_arena_array(&h->arena, c->n + 1, 1) : NULL;
    if (!has)
        return graphs ? az_arena_error(&h->arena) : 0;
    for (size_t k = 0; k < AZ_LENGTH(kinds); k++)
        for (size_t i = 0; h->link->call[kinds[k]] && i < h->t->ev[kinds[k]].n; i++)
            if (h->link->call[kinds[k]][i] != AZ_NO_ROW)
                has[h->link->call[kinds[k]][i]] = 1;
    h->bare = az_arena_array(&h->arena, graphs, sizeof *h->bare);
    if (!h->bare)
        return az_arena_error(&h->arena);
    uint32_t outer = AZ_NO_ROW; /* a call of the driver within one of the runtime is no launch */
    for (uint32_t i = 0; i < c->n; i++) {
        if (az_verdict_call_of(h, i) != AZ_VERDICT_CALL_GRAPH)
            continue;
        if (outer != AZ_NO_ROW && c->end[i] <= c->end[outer] &&
            az_verdict_thread(h, i) == az_verdict_thread(h, outer)) {
            h->n_bare -= has[i] && h->n_bare && h->bare[h->n_bare - 1] == outer;
            continue;
        }
        outer = i;
        h->n_graphs++;
        if (!has[i])
            h->bare[h->n_bare++] = i;
    }
    return 0;
}

bool az_verdict_bare(const struct az_verdict_host *h, int64_t from, int64_t to)
{
    const int64_t *start = h->t->ev[AZ_CALL].start;
    size_t lo = 0, hi = h->n_bare;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (start[h->bare[mid]] < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < h->n_bare && start[h->bare[lo]] < to;
}

int az_verdict_finish_calls(struct az_verdict_host *h)
{
    int rc = find_loaded(h);
    if (rc == 0)
        rc = list_overhead(h);
    return rc ? rc : find_bare(h);
}
