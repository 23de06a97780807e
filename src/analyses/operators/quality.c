/* What can be trusted and what is missing: data_quality. */
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "classify/rules.h"
#include "classify/steps.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

#include <inttypes.h>
#include <math.h>

struct work {
    struct az_job *job;
    struct az_framework *fw;
};

struct overlap {
    uint64_t count;
    int64_t ticks, busy;
};

/* Events of one stream that begin before an earlier one of it has ended: impossible on hardware
 * that runs a stream in order. */
static int stream_overlaps(struct work *w, struct overlap *o)
{
    size_t lanes = w->fw->trace->lanes.n;
    int64_t *end = az_mem_alloc(w->job->mem, (lanes + 1) * sizeof *end);
    if (!end)
        return az_mem_error(w->job->mem);
    for (size_t l = 0; l < lanes; l++)
        end[l] = INT64_MIN;
    for (uint32_t i = 0; i < w->fw->tree->n_gpu; i++) {
        struct az_event e = az_gpu_event(w->fw->tree, w->fw->order[i]);
        o->busy += e.end - e.start;
        if (e.start < end[e.lane]) {
            o->count++;
            o->ticks += (e.end < end[e.lane] ? e.end : end[e.lane]) - e.start;
        }
        if (e.end > end[e.lane])
            end[e.lane] = e.end;
    }
    az_mem_free(w->job->mem, end, (lanes + 1) * sizeof *end);
    return 0;
}

struct check {
    struct az_sv name, note;
    uint64_t count;
    int64_t ns;
    double share; /* percent */
};
static const struct az_record_column data_quality_columns[] = {
    { "Check", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct check, name) },
    { "Count", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, AZ_FIELD(struct check, count) },
    { "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct check, ns) },
    { "Share of device time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE,
      AZ_FIELD(struct check, share) },
    { "Note", AZ_TEXT, AZ_FIELD(struct check, note) },
};

static void put_check(struct work *w, struct az_table *t, const char *check, uint64_t count,
                      int64_t ticks, int64_t whole, const char *note)
{
    az_put_row(t, &(struct check){ az_sv_str(check), az_sv_str(note), count,
                                   az_ns(w->fw->trace, ticks),
                                   whole <= 0      ? 0.0
                                   : ticks > whole ? NAN /* invalid times have no share */
                                                   : (double)ticks / (double)whole * 100.0 });
}

/* Device events by how they were launched. */
struct linkage {
    uint64_t unlinked, graph, graph_launches; /* the last of `graph` */
    int64_t unlinked_ticks, graph_ticks, long_ticks;
    uint64_t zero, longer;
};

/* counted: zeros, one per call. */
static struct linkage look_at_links(const struct work *w, int64_t window, uint8_t *counted)
{
    struct linkage l = { 0 };
    const struct az_calltree *c = w->fw->tree;
    for (uint32_t g = 0; g < c->n_gpu; g++) {
        struct az_event e = az_gpu_event(c, g);
        int64_t d = e.end - e.start;
        l.zero += d == 0;
        l.longer += window > 0 && d > window;
        l.long_ticks += window > 0 && d > window ? d : 0;
        if (c->gpu_call[g] == AZ_NO_ROW) {
            l.unlinked++;
            l.unlinked_ticks += d;
        } else if (c->gpu_node[g] == c->gpu_call[g] &&
                   c->graph_launch[c->gpu_call[g] - c->first_call]) { /* its operator unknown */
            uint8_t *const launch = &counted[c->gpu_call[g] - c->first_call];
            l.graph_launches += !*launch;
            *launch = 1;
            l.graph++;
            l.graph_ticks += d;
        }
    }
    return l;
}

/* Length of the host's recording: no device event can last longer. */
static int64_t host_window(const struct work *w)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (enum az_kind k = AZ_HOST_OP; k <= AZ_CALL; k++) {
        const struct az_events *e = &w->fw->trace->ev[k];
        for (size_t i = 0; i < e->n; i++) {
            lo = e->start[i] < lo ? e->start[i] : lo;
            hi = e->end[i] > hi ? e->end[i] : hi;
        }
    }
    return hi > lo ? hi - lo : 0;
}

static bool on_path(const struct az_calltree *c, uint32_t node)
{
    uint32_t first, end;
    az_node_gpu(c, node, &first, &end);
    return first < end;
}

enum { LAUNCHES = 1, BARE = 2 };

/* Marks of steps by range: those of the profiler, else those of a serving engine; what is launched
 * in each. */
struct marks {
    const struct az_events *e;
    uint32_t *row; /* by start */
    uint8_t *holds;
    size_t n;
};

static int list_marks(struct az_job *job, const struct az_trace *t, struct marks *m)
{
    static const enum az_step_mark kinds[] = { AZ_MARK_PROFILER, AZ_MARK_ENGINE };
    m->e = &t->ev[AZ_RANGE];
    m->row = az_arena_array(job->arena, m->e->n + 1, sizeof *m->row);
    m->holds = az_arena_array(job->arena, m->e->n + 1, 1);
    if (!m->row || !m->holds)
        return az_arena_error(job->arena);
    for (size_t k = 0; m->n == 0 && k < AZ_LENGTH(kinds); k++)
        for (uint32_t i = 0; i < m->e->n; i++) {
            struct az_sv stem;
            int64_t number;
            if (az_step_mark_of(az_trace_text(t, m->e->name[i]), &stem, &number) == kinds[k])
                m->row[m->n++] = i;
        }
    return 0;
}

/* In the mark around it that began last; marks of a few threads may be between. */
static void put_launch(struct marks *m, int64_t at, bool bare)
{
    enum { PASSED = 64 };
    size_t lo = 0, hi = m->n;
    while (lo < hi) { /* first that starts after it */
        const size_t mid = lo + (hi - lo) / 2;
        if (m->e->start[m->row[mid]] <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t tries = 0; lo > 0 && tries < PASSED; tries++)
        if (m->e->end[m->row[--lo]] > at) {
            m->holds[lo] |= bare ? LAUNCHES | BARE : LAUNCHES;
            return;
        }
}

/* known: of the names of calls, 2 where they launch a graph. */
static bool launches_graph(const uint8_t *known, uint32_t name)
{
    return name != AZ_NO_ID && known[name] == 2;
}

int az_framework_graphs_count(struct az_job *job, const struct az_framework *f,
                              struct az_framework_graphs *g)
{
    const struct az_calltree *c = f->tree;
    const struct az_events *e = &f->trace->ev[AZ_CALL];
    uint8_t *known =
        az_arena_array(job->arena, f->trace->names.text.n + 1, 1); /* name id -> 1 no, 2 yes */
    struct marks m = { .n = 0 };
    *g = (struct az_framework_graphs){ 0 };
    if (!known)
        return az_arena_error(job->arena);
    const int rc = list_marks(job, f->trace, &m);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < e->n; i++) {
        const uint32_t name = e->name[i];
        if (name != AZ_NO_ID && !known[name])
            known[name] = 1 + az_sv_is(az_rules_class("trace_names.rules", "call",
                                                      az_trace_text(f->trace, name)),
                                       "graph");
    }
    for (uint32_t i = 0; i < e->n; i++) {
        const uint32_t up = c->parent[c->first_call + i];
        if (!launches_graph(known, e->name[i]) ||
            (up != AZ_NO_ROW && up >= c->first_call && up < c->first_captured &&
             launches_graph(known, e->name[up - c->first_call])))
            continue; /* the driver's call within the runtime's is the same launch */
        const bool bare = !on_path(c, c->first_call + i);
        g->launches++;
        g->bare += bare;
        put_launch(&m, e->start[i], bare);
    }
    for (size_t i = 0; i < m.n; i++) {
        g->steps += m.holds[i] != 0;
        g->bare_steps += (m.holds[i] & BARE) != 0;
    }
    return 0;
}

void az_framework_graphs_cover(struct az_job *job, struct az_framework_graphs g)
{
    if (!g.bare)
        return;
    const struct az_sv steps =
        g.bare_steps ? az_arena_printf(job->arena, ", in %" PRIu64 " of %" PRIu64 " steps",
                                       g.bare_steps, g.steps)
                     : AZ_SV("");
    az_cover(job, "graph launches without device events", (double)g.bare, "launches",
             az_arena_printf(job->arena,
                             "of %" PRIu64
                             "%.*s; their kernels are not recorded and count as idle time",
                             g.launches, AZ_SVF(steps)));
    az_finding(job, "graph_unrecorded", g.bare * 10 > g.launches ? "error" : "warning",
               az_arena_printf(job->arena, "%" PRIu64 " of %" PRIu64 " graph launches", g.bare,
                               g.launches),
               (int64_t)g.bare, -1,
               AZ_SV("no device events recorded: kernel time counts as idle and the kernels are in "
                     "no table; record device activity during graph replay"));
}

void az_framework_captures_cover(struct az_job *job, const struct az_capture_attach_sums *s)
{
    int64_t whole = 0;
    for (int by = 0; by < AZ_PAIR_COUNT; by++)
        whole = az_add_sat(whole, s->ticks[by]);
    for (enum az_pair_by by = 0; by < AZ_PAIR_COUNT; by++) {
        if (!s->events[by])
            continue;
        const struct az_sv item = az_arena_printf(
            job->arena, "graph kernels %s: %s",
            az_paired(by) ? "matched to a capture" : "without operator", az_pair_text(by));
        if (item.p)
            az_cover(job, item.p, az_percent((double)s->ticks[by], (double)whole), "%",
                     by == AZ_PAIR_BETWEEN
                         ? az_arena_printf(job->arena,
                                           "of graph kernel time; %" PRIu64
                                           " events of launches matched by another rule",
                                           s->events[by])
                         : az_arena_printf(job->arena,
                                           "of graph kernel time; %" PRIu64 " events of %" PRIu64
                                           " graph launches",
                                           s->events[by], s->launches[by]));
    }
    if (s->unread)
        az_cover(job, "capture traces without a capture", (double)s->unread, "files",
                 AZ_SV("missing, unreadable, truncated or unrelated file; their graph kernels stay "
                       "with the graph launch"));
    if (s->surplus)
        az_cover(job, "captured launches without device event", (double)s->surplus, "launches",
                 AZ_SV("skipped: no matching kernel in the replay"));
}

static void cover(struct work *w, const struct linkage *l, int64_t busy)
{
    const struct az_events *k = &w->fw->trace->ev[AZ_KERNEL];
    int64_t others = 0;
    for (size_t i = 0; i < k->n; i++)
        if (az_sv_is(az_framework_kernel_class(w->fw, k->name[i]), "others"))
            others += k->end[i] - k->start[i];
    double whole = busy > 0 ? (double)busy : 1;
    az_cover(w->job, "device time linked to a launch",
             100.0 - (double)l->unlinked_ticks / whole * 100.0, "%", AZ_SV("of device time"));
    az_cover(w->job, "device time not linked to a launch",
             (double)l->unlinked_ticks / whole * 100.0, "%",
             AZ_SV("mostly launched before the recording began; not in the operator tables"));
    az_cover(w->job, "device time launched by graphs", (double)l->graph_ticks / whole * 100.0, "%",
             AZ_SV("operators and shapes of captured code are not in the trace"));
    az_cover(w->job, "kernel time in kernel class others",
             w->fw->kernels ? (double)others / (double)w->fw->kernels * 100.0 : 0, "%",
             AZ_SV("names not in the class map or built-in rules"));
    az_framework_captures_cover(w->job, &w->fw->ops->grafted);
    if (l->unlinked)
        az_finding(
            w->job, "unlinked_device_events", "info", AZ_SV("unlinked device events"),
            (int64_t)l->unlinked, az_ns(w->fw->trace, l->unlinked_ticks),
            AZ_SV("start recording before the work is launched, or set include_unlinked_kernels"));
    if (l->graph_ticks > busy / 2)
        az_finding(w->job, "graph_hidden", "warning", AZ_SV("graph launches"),
                   (int64_t)l->graph_launches, az_ns(w->fw->trace, l->graph_ticks),
                   AZ_SV("operator tables show only the graph launch; set capture_folder to the "
                         "capture traces, or see kernel_summary and kernel classes"));
}

static void find_overlaps(struct work *w, const struct overlap *o)
{
    const struct az_trace_quality *q = &w->fw->trace->quality;
    if (o->ticks > o->busy / 100)
        az_finding(w->job, "stream_overlap", "warning", AZ_SV("overlapping events on one stream"),
                   (int64_t)o->count, az_ns(w->fw->trace, o->ticks),
                   AZ_SV("summed durations exceed device busy time; use union times"));
    if (q->clipped_ticks > o->busy / 100)
        az_finding(w->job, "stream_overlap", "warning",
                   AZ_SV("events that end after a later event on the same stream"),
                   (int64_t)q->clipped, az_ns(w->fw->trace, q->clipped_ticks),
                   AZ_SV("clipped at the next start: end times are not device timestamps; check "
                         "the profiler version"));
}

static int quality(struct work *w)
{
    const struct az_trace_quality *q = &w->fw->trace->quality;
    struct az_table *t = AZ_RECORD_TABLE(w->job->arena, "data_quality", "Data quality",
                                         AZ_TABLE_KEEP_EMPTY, data_quality_columns);
    struct overlap o = { 0 };
    struct az_framework_graphs g;
    int rc = stream_overlaps(w, &o);
    if (rc == 0)
        rc = az_framework_graphs_count(w->job, w->fw, &g);
    uint8_t *counted = az_arena_array(w->job->arena, w->fw->trace->ev[AZ_CALL].n + 1, 1);
    if (rc || !counted)
        return az_job_add(w->job, t, rc ? rc : az_arena_error(w->job->arena));
    struct linkage l = look_at_links(w, host_window(w), counted);
    put_check(w, t, "overlaps on one stream", o.count, o.ticks, o.busy,
              "sums add recorded durations; unions count the time once");
    put_check(w, t, "device events clipped at the next start", q->clipped, q->clipped_ticks, o.busy,
              "end after a later event on the same stream; time removed");
    put_check(w, t, "device events with invalid timestamps", q->impossible, q->impossible_ticks,
              o.busy, "excluded everywhere");
    put_check(w, t, "device events longer than the recording", l.longer, l.long_ticks, o.busy,
              "invalid durations");
    put_check(w, t, "device events without duration", l.zero, 0, o.busy, "");
    put_check(w, t, "unlinked device events", l.unlinked, l.unlinked_ticks, o.busy,
              "not in the operator tables");
    put_check(w, t, "graph-launched device events", l.graph, l.graph_ticks, o.busy,
              "several events per launch");
    put_check(w, t, "graph launches without device events", g.bare, 0, o.busy,
              "graph kernels not recorded; the device appears idle");
    put_check(w, t, "host events clipped at the parent's end", w->fw->tree->clamped,
              w->fw->tree->clamped_ticks, 0,
              "end up to 1 µs after the enclosing event; none dropped");
    find_overlaps(w, &o);
    cover(w, &l, o.busy);
    az_framework_graphs_cover(w->job, g);
    return az_job_add(w->job, t, rc);
}

static int run_quality(struct az_job *job)
{
    int rc;
    struct work w = { .job = job, .fw = az_framework_get(job, &rc) };
    return w.fw ? quality(&w) : rc;
}

const struct az_analysis az_analysis_fw_quality = {
    .name = "data_quality",
    .help = "overlaps, invalid durations, unlinked and graph-launched events",
    .needs = AZ_CAP_CALLTREE,
    .run = run_quality,
};
