/* The ranks of a run: present and missing ranks, input coverage of each, differences. Where the
 * traces have been freed, the coverage of all of them together. */
#include <inttypes.h>

#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

/* Kept of one rank; ns. */
struct part {
    int64_t steps; /* -1: its format has none */
    int64_t first, last;
    bool timed;  /* first and last hold */
    bool active; /* it has work of a device */
    bool links;  /* device events may be linked to launches */
    int64_t device, linked, graph, kernels, others;
    uint64_t unlinked_events;
    struct az_framework_graphs graphs;
    struct az_capture_attach_sums captured; /* ns */
    struct az_drop *drops;
    size_t n_drops;
};

/* ---- reduce ---- */

static void time_range(struct part *p, const struct az_trace *t)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (size_t k = 0; k < AZ_GAP_FRAME; k++) {
        const struct az_events *e = &t->ev[k];
        for (size_t i = 0; i < e->n; i++) {
            lo = e->start[i] < lo ? e->start[i] : lo;
            hi = e->end[i] > hi ? e->end[i] : hi;
        }
    }
    p->timed = lo <= hi;
    p->first = p->timed ? t->base_ns + az_ns(t, lo) : 0;
    p->last = p->timed ? t->base_ns + az_ns(t, hi) : 0;
}

static int64_t count_steps(const struct az_trace *t)
{
    const struct az_events *e = &t->ev[AZ_RANGE];
    int64_t n = 0;
    if (!(t->caps & AZ_CAP_CALLTREE))
        return -1;
    for (size_t i = 0; i < e->n; i++)
        n += e->name[i] != AZ_NO_ID &&
             az_sv_starts(az_trace_text(t, e->name[i]), AZ_SV("ProfilerStep#"));
    return n;
}

/* Device time of a framework's trace: by its launches, by its kernels' classes. */
static int framework_time(struct az_job *job, struct part *p)
{
    const struct az_trace *t = job->traces[0];
    int64_t device = 0, linked = 0, graph = 0, kernels = 0, others = 0;
    int rc;
    struct az_framework *fw = az_framework_get(job, &rc);
    if (!fw)
        return rc;
    const struct az_calltree *c = fw->tree;
    p->links = true;
    for (uint32_t g = 0; g < c->n_gpu; g++) {
        const struct az_event e = az_gpu_event(c, g);
        const uint32_t call = c->gpu_call[g];
        const bool kernel = c->gpu_kind[g] == AZ_KERNEL;
        device = az_add_sat(device, e.end - e.start);
        p->unlinked_events += call == AZ_NO_ROW;
        linked = az_add_sat(linked, call == AZ_NO_ROW ? 0 : e.end - e.start);
        if (call != AZ_NO_ROW && c->gpu_node[g] == call && c->graph_launch[call - c->first_call])
            graph = az_add_sat(graph, e.end - e.start);
        kernels = az_add_sat(kernels, kernel ? e.end - e.start : 0);
        if (kernel && az_sv_is(az_framework_kernel_class(fw, e.name), "others"))
            others = az_add_sat(others, e.end - e.start);
    }
    p->device = az_ns(t, device);
    p->linked = az_ns(t, linked);
    p->graph = az_ns(t, graph);
    p->kernels = az_ns(t, kernels);
    p->others = az_ns(t, others);
    p->captured = fw->ops->grafted;
    for (int by = 0; by < AZ_PAIR_COUNT; by++)
        p->captured.ticks[by] = az_ns(t, p->captured.ticks[by]);
    return az_framework_graphs_count(job, fw, &p->graphs);
}

static int keep_drops(struct az_job *job, struct az_arena *keep, struct part *p)
{
    const struct az_trace *t = job->traces[0];
    p->drops = az_arena_array(keep, t->drops.n, sizeof *p->drops);
    for (size_t i = 0; p->drops && i < t->drops.n; i++) {
        const struct az_drop *d = &t->drops.v[i];
        p->drops[i] = *d;
        p->drops[i].reason = az_rank_text(job, keep, d->reason);
        p->drops[i].ticks = az_ns(t, d->ticks);
        if (!p->drops[i].reason.p)
            return az_arena_error(keep);
        p->n_drops++;
    }
    return p->drops ? 0 : az_arena_error(keep);
}

static int reduce(struct az_job *job, struct az_arena *keep, void **out)
{
    const struct az_trace *t = job->traces[0];
    struct part *p = az_arena_alloc(keep, sizeof *p);
    if (!p)
        return az_arena_error(keep);
    *out = p;
    time_range(p, t);
    p->active = az_trace_has_activity(t);
    p->steps = count_steps(t);
    const int rc = keep_drops(job, keep, p);
    return rc == 0 && (t->caps & AZ_CAP_CALLTREE) ? framework_time(job, p) : rc;
}

/* ---- the table ---- */

struct work {
    size_t folder; /* bytes that all paths begin with up to a '/': skipped, so that a result does
                      not contain its place */
    struct az_job *job;
    const struct az_ranks *ranks;
    const struct part *const *part; /* by rank of the set; NULL: none */
};

struct rank_row { /* INT64_MIN, empty: not known */
    int64_t rank, steps, events, first, last, offset;
    struct az_sv file, host, device, status;
};
#define ROW struct rank_row
static const struct az_record_column ranks_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank) },
    { "file", AZ_TEXT, AZ_KNOWN(ROW, file), .copy = true },
    { "host", AZ_TEXT, AZ_KNOWN(ROW, host), .copy = true },
    { "device", AZ_TEXT, AZ_KNOWN(ROW, device), .copy = true },
    { "steps", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, steps) },
    { "events", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, events) },
    { "first_ts_ns", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, first) },
    { "last_ts_ns", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, last) },
    { "offset_ns", AZ_INT, AZ_UNIT_NS, AZ_FIELD(ROW, offset) }, /* later: az_rank_set_offset */
    { "status", AZ_TEXT, AZ_FIELD(ROW, status), .copy = true },
};

static struct az_sv file_of(const struct work *w, struct az_sv path)
{
    return az_sv_make(path.p + w->folder, path.n - w->folder);
}

static void common_folder(struct work *w)
{
    const struct az_ranks *s = w->ranks;
    const struct az_sv first = s->v[0].path;
    size_t n = first.n;
    for (size_t i = 1; i < s->n + s->n_failed + s->n_left; i++) {
        const size_t behind = s->n + s->n_failed;
        const struct az_sv p = i < s->n     ? s->v[i].path
                               : i < behind ? s->failed[i - s->n].path
                                            : s->left[i - behind].path;
        n = p.n < n ? p.n : n;
        while (n > 0 && memcmp(p.p, first.p, n) != 0)
            n--;
    }
    while (n > 0 && first.p[n - 1] != '/')
        n--;
    w->folder = n;
}

static void put_rank(const struct work *w, struct az_table *t, size_t i)
{
    const struct az_rank *r = &w->ranks->v[i];
    const struct part *p = w->part[i];
    const char *state = p && !p->active ? "no device work" : "ok";
    az_put_row(t, &(ROW){ .rank = r->rank,
                          .steps = p && p->steps >= 0 ? p->steps : INT64_MIN,
                          .events = (int64_t)r->kept,
                          .first = p && p->timed ? p->first : INT64_MIN,
                          .last = p && p->timed ? p->last : INT64_MIN,
                          .offset = INT64_MIN,
                          .file = file_of(w, r->path),
                          .host = r->host,
                          .device = r->device,
                          .status = r->warnings
                                        ? az_arena_printf(w->job->arena, "%s, %zu warning%s", state,
                                                          r->warnings, r->warnings > 1 ? "s" : "")
                                        : az_sv_str(state) });
}

static void put_absent(struct az_table *t, bool known, int64_t rank, struct az_sv path,
                       struct az_sv status)
{
    az_put_row(t, &(ROW){ .rank = known ? rank : INT64_MIN,
                          .steps = INT64_MIN,
                          .events = INT64_MIN,
                          .first = INT64_MIN,
                          .last = INT64_MIN,
                          .offset = INT64_MIN,
                          .file = path,
                          .status = status });
}

enum { MOST_MISSING = 1000 }; /* rows; coverage has them all */

static bool failed_rank(const struct az_ranks *s, int64_t rank)
{
    for (size_t i = 0; i < s->n_failed; i++)
        if (s->failed[i].rank == rank)
            return true;
    return false;
}

static int list_ranks(const struct work *w)
{
    static const int by_rank[] = { AZ_UP(0), AZ_UP(1) };
    const struct az_ranks *s = w->ranks;
    struct az_table *t = AZ_RECORD_TABLE(w->job->arena, "ranks", "Ranks", 0, ranks_columns);
    for (size_t i = 0; i < s->n; i++)
        put_rank(w, t, i);
    for (size_t i = 0; i < s->n_failed; i++)
        put_absent(t, s->failed[i].rank >= 0, s->failed[i].rank, file_of(w, s->failed[i].path),
                   az_arena_printf(w->job->arena, "failed: %.*s", AZ_SVF(s->failed[i].why)));
    for (size_t i = 0; i < s->n_left; i++)
        put_absent(t, s->left[i].rank >= 0, s->left[i].rank, file_of(w, s->left[i].path),
                   AZ_SV("skipped"));
    for (size_t i = 0; i < s->n_missing && i < MOST_MISSING; i++)
        if (!failed_rank(s, s->missing[i]))
            put_absent(t, true, s->missing[i], AZ_SV(""), AZ_SV("missing"));
    return az_job_emit(w->job, t, 0, by_rank, 2);
}

/* ---- coverage ---- */

static void add_captured(struct az_capture_attach_sums *sum,
                         const struct az_capture_attach_sums *one)
{
    for (int by = 0; by < AZ_PAIR_COUNT; by++) {
        sum->launches[by] += one->launches[by];
        sum->events[by] += one->events[by];
        sum->ticks[by] = az_add_sat(sum->ticks[by], one->ticks[by]);
    }
    sum->surplus += one->surplus;
    sum->unread += one->unread;
}

struct totals {
    uint64_t read, kept, unlinked_events;
    struct az_framework_graphs graphs;
    struct az_capture_attach_sums captured;
    int64_t device, linked, graph, kernels, others;
    bool links;
};

static struct totals add_up(const struct work *w)
{
    struct totals sum = { 0 };
    for (size_t i = 0; i < w->ranks->n; i++) {
        const struct part *p = w->part[i];
        sum.read += w->ranks->v[i].read;
        sum.kept += w->ranks->v[i].kept;
        if (!p)
            continue;
        sum.links |= p->links;
        sum.unlinked_events += p->unlinked_events;
        sum.graphs.launches += p->graphs.launches;
        sum.graphs.bare += p->graphs.bare;
        sum.graphs.steps += p->graphs.steps;
        sum.graphs.bare_steps += p->graphs.bare_steps;
        add_captured(&sum.captured, &p->captured);
        sum.device = az_add_sat(sum.device, p->device);
        sum.linked = az_add_sat(sum.linked, p->linked);
        sum.graph = az_add_sat(sum.graph, p->graph);
        sum.kernels = az_add_sat(sum.kernels, p->kernels);
        sum.others = az_add_sat(sum.others, p->others);
    }
    return sum;
}

/* Skipped by reason, in order of appearance; each with the number of ranks it happened on. */
static int cover_drops(const struct work *w)
{
    struct az_drops all;
    struct az_vec_u64 on;
    int rc = 0;
    az_vec_init(&all, w->job->mem);
    az_vec_init(&on, w->job->mem);
    for (size_t i = 0; rc == 0 && i < w->ranks->n; i++) {
        for (size_t k = 0; rc == 0 && w->part[i] && k < w->part[i]->n_drops; k++) {
            const struct az_drop *d = &w->part[i]->drops[k];
            size_t r = 0;
            while (r < all.n && (all.v[r].kind != d->kind || !az_sv_eq(all.v[r].reason, d->reason)))
                r++;
            if (r == all.n)
                rc = az_vec_push(&all, ((struct az_drop){ .reason = d->reason, .kind = d->kind }));
            if (rc == 0 && r == on.n)
                rc = az_vec_push(&on, 0);
            if (rc)
                break;
            all.v[r].count += d->count;
            all.v[r].ticks = az_add_sat(all.v[r].ticks, d->ticks);
            on.v[r]++;
        }
    }
    for (size_t r = 0; rc == 0 && r < all.n; r++) {
        struct az_sv note =
            az_arena_printf(w->job->arena, "on %" PRIu64 " of %zu ranks", on.v[r], w->ranks->n);
        if (all.v[r].ticks > 0)
            note = az_arena_printf(w->job->arena,
                                   "on %" PRIu64 " of %zu ranks, %" PRId64 " ns in total", on.v[r],
                                   w->ranks->n, all.v[r].ticks);
        if (note.p)
            az_cover_drop(w->job, &all.v[r], note);
    }
    az_vec_release(&all);
    az_vec_release(&on);
    return rc;
}

static int cover_ranks(const struct work *w)
{
    const struct totals sum = add_up(w);
    struct az_job *job = w->job;
    const double all = (double)sum.device;
    az_cover(job, "events read", (double)sum.read, "", AZ_SV("all ranks"));
    az_cover(job, "events kept", (double)sum.kept, "",
             az_arena_printf(job->arena, "%.2f%% of events read",
                             az_percent((double)sum.kept, (double)sum.read)));
    const int rc = cover_drops(w);
    if (rc || !sum.links)
        return rc;
    az_cover(job, "device time", all, "ns", AZ_SV("sum of kernels, copies and fills, all ranks"));
    az_cover(job, "device time linked to a launch", az_percent((double)sum.linked, all), "%",
             AZ_SV("of device time"));
    az_cover(job, "device time not linked to a launch",
             az_percent((double)(sum.device - sum.linked), all), "%",
             AZ_SV("mostly launched before the recording began; not in the operator tables"));
    az_cover(job, "device time launched by graphs", az_percent((double)sum.graph, all), "%",
             AZ_SV("operators and shapes of captured code are not in the trace"));
    az_cover(job, "kernel time in kernel class others",
             az_percent((double)sum.others, (double)sum.kernels), "%",
             AZ_SV("names not in the class map or built-in rules"));
    if (sum.unlinked_events)
        az_finding(
            job, "unlinked_device_events", "info", AZ_SV("unlinked device events"),
            (int64_t)sum.unlinked_events, sum.device - sum.linked,
            AZ_SV("start recording before the work is launched, or set include_unlinked_kernels"));
    az_framework_captures_cover(job, &sum.captured);
    az_framework_graphs_cover(job, sum.graphs);
    return 0;
}

/* Ranks that are there with nothing of a device, next to others that have some: averages count them
 * as 0. */
static void find_idle(const struct work *w)
{
    struct az_arena *a = w->job->arena;
    int64_t *idle = az_arena_array(a, w->ranks->n, sizeof *idle);
    size_t n = 0;
    for (size_t i = 0; idle && i < w->ranks->n; i++)
        if (w->part[i] && !w->part[i]->active)
            idle[n++] = w->ranks->v[i].rank;
    if (n == 0 || n == w->ranks->n)
        return;
    const struct az_sv list = az_rank_list(a, idle, n);
    az_cover(w->job, "ranks without device work", (double)n, "", list);
    az_finding(w->job, "rank_without_device_work", "warning",
               az_arena_printf(a, "rank%s %.*s", n > 1 ? "s" : "", AZ_SVF(list)), (int64_t)n, -1,
               AZ_SV("no kernels or copies in the trace, averages include it as 0; check that the "
                     "profiler ran long enough"));
}

static void cover_presence(const struct work *w)
{
    const struct az_ranks *s = w->ranks;
    struct az_arena *a = w->job->arena;
    az_cover(w->job, "ranks", (double)s->n, "",
             az_arena_printf(a, "world size %" PRId64, s->world_size));
    if (s->n_missing) {
        const struct az_sv list = az_rank_list(a, s->missing, s->n_missing);
        az_cover(w->job, "ranks missing", (double)s->n_missing, "", list);
        az_finding(w->job, "missing_ranks", s->n > 1 ? "warning" : "info",
                   az_arena_printf(a, "rank%s %.*s", s->n_missing > 1 ? "s" : "", AZ_SVF(list)),
                   (int64_t)s->n_missing, -1,
                   AZ_SV("sums and averages include present ranks only"));
    }
    find_idle(w);
    for (size_t i = 0; i < s->n_left; i++)
        az_cover(w->job, "file skipped", 1, "",
                 az_arena_printf(a, "%.*s: %.*s", AZ_SVF(file_of(w, s->left[i].path)),
                                 AZ_SVF(s->left[i].why)));
    for (size_t i = 0; i < s->n_failed; i++) {
        az_cover(w->job, "unreadable rank",
                 s->failed[i].rank >= 0 ? (double)s->failed[i].rank : 0.0 / 0.0, "",
                 az_arena_printf(a, "%.*s: %.*s", AZ_SVF(file_of(w, s->failed[i].path)),
                                 AZ_SVF(s->failed[i].why)));
        az_finding(w->job, "unreadable_rank", "error", file_of(w, s->failed[i].path), 1, -1,
                   s->failed[i].why);
    }
}

/* ---- where the ranks differ ---- */

/* Device, or a fact of that name; p NULL: unknown. */
static struct az_sv said_by(const struct az_rank *r, struct az_sv key)
{
    if (az_sv_is(key, "device"))
        return r->device.n ? r->device : (struct az_sv){ NULL, 0 };
    for (size_t i = 0; i < r->n_facts; i++)
        if (az_sv_eq(r->facts[i].key, key))
            return r->facts[i].value;
    return (struct az_sv){ NULL, 0 };
}

/* "'12.1' on ranks 0-6; '12.4' on ranks 7": empty where all recorded values are equal. */
static struct az_sv differences(const struct work *w, struct az_sv key, size_t *values)
{
    const struct az_ranks *s = w->ranks;
    struct az_arena *a = w->job->arena;
    int64_t *list = az_arena_array(a, s->n, sizeof *list);
    struct az_sv text = AZ_SV("");
    *values = 0;
    for (size_t i = 0; list && i < s->n && *values < 5; i++) {
        const struct az_sv v = said_by(&s->v[i], key);
        bool printed = !v.p;
        size_t n = 0;
        for (size_t k = 0; k < i && !printed; k++)
            printed = az_sv_eq(said_by(&s->v[k], key), v) && said_by(&s->v[k], key).p;
        for (size_t k = i; k < s->n && !printed; k++)
            if (said_by(&s->v[k], key).p && az_sv_eq(said_by(&s->v[k], key), v))
                list[n++] = s->v[k].rank;
        if (printed)
            continue;
        text = az_arena_printf(a, "%.*s%s'%.*s' on rank%s %.*s", AZ_SVF(text), *values ? "; " : "",
                               AZ_SVF(v), n > 1 ? "s" : "", AZ_SVF(az_rank_list(a, list, n)));
        (*values)++;
    }
    return *values > 1 ? text : AZ_SV("");
}

static void find_difference(const struct work *w, struct az_sv key)
{
    size_t values;
    const struct az_sv text = differences(w, key, &values);
    if (text.n)
        az_finding(w->job, "ranks_differ", "warning",
                   az_arena_printf(w->job->arena, "%.*s: %.*s", AZ_SVF(key), AZ_SVF(text)),
                   (int64_t)values, -1,
                   AZ_SV("ranks of one run should match; cross-rank values mix them"));
}

/* The device, and every version that a file names. */
static void find_differences(const struct work *w)
{
    const struct az_rank *r = w->ranks->v;
    find_difference(w, AZ_SV("device"));
    for (size_t i = 0; i < w->ranks->n; i++) {
        for (size_t k = 0; k < r[i].n_facts; k++) {
            const struct az_sv key = r[i].facts[k].key;
            bool before = i > 0 && said_by(&r[0], key).p;
            for (size_t j = 1; j < i && !before; j++)
                before = said_by(&r[j], key).p != NULL;
            if (!before &&
                (az_sv_find(key, AZ_SV("version")) >= 0 || az_sv_find(key, AZ_SV("Version")) >= 0))
                find_difference(w, key);
        }
    }
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const struct part **part = az_arena_array(job->arena, ranks->n, sizeof *part);
    struct work w = { .job = job, .ranks = ranks, .part = part };
    if (!part)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < ranks->n; i++)
        part[i] = parts[i];
    common_folder(&w);
    int rc = list_ranks(&w);
    cover_presence(&w);
    find_differences(&w);
    if (rc == 0 && job->n_traces == 0) /* else the analyses of the traces have reported it */
        rc = cover_ranks(&w);
    return rc;
}

/* ---- the part as bytes ---- */

static const struct az_shape_field graphs_fields[] = {
    AZ_PLAIN(struct az_framework_graphs, launches), AZ_PLAIN(struct az_framework_graphs, bare),
    AZ_PLAIN(struct az_framework_graphs, steps), AZ_PLAIN(struct az_framework_graphs, bare_steps)
};
static const struct az_shape graphs_shape = AZ_SHAPE(struct az_framework_graphs, graphs_fields);
static const struct az_shape_field captured_fields[] = {
    AZ_PLAINS(struct az_capture_attach_sums, launches),
    AZ_PLAINS(struct az_capture_attach_sums, events),
    AZ_PLAINS(struct az_capture_attach_sums, ticks),
    AZ_PLAIN(struct az_capture_attach_sums, surplus)
};
static const struct az_shape captured_shape =
    AZ_SHAPE(struct az_capture_attach_sums, captured_fields);
static const struct az_shape_field part_fields[] = {
    AZ_PLAIN(struct part, steps),
    AZ_PLAIN(struct part, first),
    AZ_PLAIN(struct part, last),
    AZ_PLAIN(struct part, timed),
    AZ_PLAIN(struct part, active),
    AZ_PLAIN(struct part, links),
    AZ_PLAIN(struct part, device),
    AZ_PLAIN(struct part, linked),
    AZ_PLAIN(struct part, graph),
    AZ_PLAIN(struct part, kernels),
    AZ_PLAIN(struct part, others),
    AZ_PLAIN(struct part, unlinked_events),
    AZ_NEST_OF(struct part, graphs, graphs_shape),
    AZ_NEST_OF(struct part, captured, captured_shape),
    AZ_LIST_OF(struct part, drops, n_drops, az_rank_shape_drop)
};
static const struct az_shape part_shape = AZ_SHAPE(struct part, part_fields);

const struct az_rank_analysis az_rank_analysis_ranks = {
    .name = "ranks",
    .help = "ranks of a run: presence, input coverage, differences",
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
