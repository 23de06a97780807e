/* What a device does during one iteration: for every range of the iteration tag and every device it
 * launched work on, the window from the first to the last of that work, and the unions of all work
 * of the device inside the window by class (docs/formats-nsight.md 3.5). Compute, exposed NCCL,
 * exposed memory and idle time add up to the window. */
#include <math.h>

#include "analyses/registry_list.h"
#include "analyses/timeline/iteration_summary.h"
#include "base/num.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/account.h"
#include "facts/devices.h"

struct window { /* of one range on one device */
    uint32_t range, slot;
    int64_t lo, hi;
    int64_t compute, nccl, mem; /* sums of durations of what was launched inside */
    size_t next;                /* of the same device; SIZE_MAX: it is the last */
};
AZ_VEC(struct window, windows);

/* The longest gaps before the spans of a device, of blocks of them, as a tree: of windows that
 * overlap a lot. */
#define BLOCK ((size_t)64)
struct gap_tree {
    int64_t *most; /* node k is over 2k and 2k + 1; from `leaves` on the blocks; NULL: no tree */
    size_t leaves;
};

struct work {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    struct az_devices_of dev;
    struct az_busy *busy; /* by slot */
    struct gap_tree *gaps;
    struct windows windows;
    size_t *last_of; /* by slot: its last window + 1; 0: none */
    struct az_table *out;
    struct az_iteration_rows rows; /* for the summary */
};

static const char *const columns[] = {
    "Window (ns)",           "Host (ns)",         "Compute (ns)",     "NCCL (ns)", "Mem (ns)",
    "Compute and NCCL (ns)", "Exposed NCCL (ns)", "Exposed Mem (ns)", "Busy (ns)", "Idle (ns)"
};

struct window_row {
    struct az_sv range;
    int64_t range_id, device, start, rank;
    int64_t x[ITERATION_FIGURES]; /* in the order of `columns` */
    double hidden;
    int64_t gaps, largest, next, compute, nccl, mem; /* next: INT64_MIN: it is the last */
};
#define ROW struct window_row
static const struct az_record_column range_columns[] = {
    { "Range", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(ROW, range) },
    { "RangeId", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, range_id) },
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, device) },
    { "Window Start (ns)", AZ_INT, AZ_UNIT_NS, AZ_FIELD(ROW, start) },
};
#define TIME(n, flag)                                                                              \
    {                                                                                              \
        "", AZ_INT, AZ_UNIT_NS, flag, AZ_FIELD(ROW, x[n])                                          \
    }
static const struct az_record_column time_columns[ITERATION_FIGURES] = {
    TIME(0, AZ_LOWER_BETTER), TIME(1, AZ_LOWER_BETTER), TIME(2, 0),
    TIME(3, AZ_LOWER_BETTER), TIME(4, AZ_LOWER_BETTER), TIME(5, 0),
    TIME(6, AZ_LOWER_BETTER), TIME(7, AZ_LOWER_BETTER), TIME(8, 0),
    TIME(9, AZ_LOWER_BETTER),
};
static const struct az_record_column detail_columns[] = {
    { "Hidden NCCL (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(ROW, hidden) },
    { "Gaps", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, gaps) },
    { "Largest Gap (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, largest) },
    { "To Next Window (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, next) },
    { "Launched Compute (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, compute) },
    { "Launched NCCL (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, nccl) },
    { "Launched Mem (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, mem) },
    { "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
};

static struct az_table *new_table(struct az_job *job)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "device_iterations", "Device time per iteration",
                        AZ_TABLE_SUMMARY, range_columns);
    for (size_t i = 0; i < ITERATION_FIGURES; i++)
        az_record_column_named(t, &time_columns[i], az_sv_str(columns[i]));
    AZ_RECORD_COLUMNS_OF(t, detail_columns, job);
    return t;
}

/* ---- windows ---- */
/* Takes one launched operation into the windows of its range, which begin at `first`. */
static int widen(struct work *w, size_t first, uint32_t range, uint32_t op)
{
    const struct az_events *e = &w->t->ev[az_op_kind(op)];
    uint32_t row = az_op_row(op), slot = w->dev.slot_of_lane.v[e->lane[row]];
    int64_t duration = e->end[row] - e->start[row];
    if (w->last_of[slot] <= first) {
        struct window fresh = {
            .range = range, .slot = slot, .lo = e->start[row], .hi = e->end[row]
        };
        int rc = az_vec_push(&w->windows, fresh);
        if (rc != 0)
            return rc;
        w->last_of[slot] = w->windows.n;
    }
    struct window *at = &w->windows.v[w->last_of[slot] - 1];
    if (e->start[row] < at->lo)
        at->lo = e->start[row];
    if (e->end[row] > at->hi)
        at->hi = e->end[row];
    switch (az_part_of(w->job, w->trace, az_op_kind(op), e->name[row])) {
    case AZ_PART_COPY:
        at->mem = az_add_sat(at->mem, duration);
        break;
    case AZ_PART_COMM:
        at->nccl = az_add_sat(at->nccl, duration);
        break;
    default:
        at->compute = az_add_sat(at->compute, duration);
    }
    return 0;
}

static int compare_windows(const void *pa, const void *pb, void *ctx)
{
    const struct window *a = pa, *b = pb;
    (void)ctx;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static int range_windows(struct work *w, const struct az_launches *l, uint32_t range)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE], *calls = &w->t->ev[AZ_CALL];
    size_t stop, first = w->windows.n;
    int rc = 0;
    for (size_t i = az_launch_from(l, w->t, e->lane[range], e->start[range], &stop); i < stop;
         i++) {
        uint32_t call = l->call[i];
        if (calls->start[call] > e->end[range])
            break;
        if (calls->end[call] > e->end[range])
            continue;
        for (uint32_t k = l->op_first[i]; rc == 0 && k < l->op_first[i + 1]; k++)
            rc = widen(w, first, range, l->op[k]);
        if (rc != 0)
            return rc;
    }
    az_sort_cmp(w->windows.v + first, w->windows.n - first, sizeof *w->windows.v, compare_windows,
                NULL, w->job->mem);
    return 0;
}

/* Windows of all ranges of the tag, by range id, then device. */
static int all_windows(struct work *w)
{
    int rc;
    const struct az_projection *p = az_job_projection(w->job, w->trace, &rc);
    const struct az_launches *l = p ? az_job_launches(w->job, w->trace, &rc) : NULL;
    uint32_t name = az_job_tag_name(w->job, w->trace);
    if (!l)
        return rc;
    for (size_t i = 0; rc == 0 && name != AZ_NO_ID && i < p->n; i++) {
        if (w->t->ev[AZ_RANGE].name[p->order[i]] == name)
            rc = range_windows(w, l, p->order[i]);
    }
    return rc;
}

/* ---- metrics ---- */
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t gap_before(const struct az_span *span) { return span->start - span[-1].end; }

/* Longest gap before the spans from `from` on, to the one before `end`; from > 0. */
static int64_t longest_gap(const struct gap_tree *t, const struct az_span *span, size_t from,
                           size_t end)
{
    int64_t most = 0;
    for (; from < end && (from % BLOCK || !t->most); from++)
        most = larger(most, gap_before(&span[from]));
    for (; end > from && end % BLOCK; end--)
        most = larger(most, gap_before(&span[end - 1]));
    size_t lo = t->leaves + from / BLOCK, hi = t->leaves + end / BLOCK;
    for (; from < end && lo < hi; lo /= 2, hi /= 2) {
        if (lo % 2)
            most = larger(most, t->most[lo++]);
        if (hi % 2)
            most = larger(most, t->most[--hi]);
    }
    return most;
}

/* Is a span in the window? One that only touches it is not. */
static bool is_inside(const struct az_span *s, int64_t lo, int64_t hi)
{
    return s->start == s->end ? s->start >= lo && s->start <= hi
                              : larger(s->start, lo) < smaller(s->end, hi);
}

/* Gaps of the window: time without work, from its start to its last work. */
static void measure_gaps(const struct work *w, const struct window *at, int64_t *count,
                         int64_t *largest)
{
    const struct az_spans *all = &w->busy[at->slot].all;
    const struct az_spans near = az_spans_window(all, at->lo, at->hi);
    size_t from = near.n ? (size_t)(near.v - all->v) : 0, end = from + near.n;
    *count = *largest = 0;
    while (from < end && !is_inside(&all->v[from], at->lo, at->hi))
        from++;
    while (from < end && !is_inside(&all->v[end - 1], at->lo, at->hi))
        end--;
    if (from == end)
        return;
    const int64_t first = all->v[from].start - at->lo;
    *count = (first > 0) + (int64_t)(end - from - 1); /* merged spans do not touch */
    *largest =
        larger(first > 0 ? first : 0, longest_gap(&w->gaps[at->slot], all->v, from + 1, end));
}

static void figures(const struct work *w, const struct window *at, int64_t x[ITERATION_FIGURES])
{
    const struct az_events *e = &w->t->ev[AZ_RANGE];
    const struct az_span window = { at->lo, at->hi };
    struct az_account a;
    az_account_of(&w->busy[at->slot], &window, 0, &a);
    x[0] = a.total;
    x[1] = e->end[at->range] - e->start[at->range];
    x[2] = a.compute;
    x[3] = a.comm;
    x[4] = a.copies;
    x[5] = a.comm - a.exposed_comm;
    x[6] = a.exposed_comm;
    x[7] = a.exposed_copies;
    x[8] = a.busy;
    x[9] = a.idle;
}

static int make_tree(struct work *w, size_t slot)
{
    const struct az_spans *all = &w->busy[slot].all;
    const size_t leaves = all->n / BLOCK + 1;
    struct gap_tree *t = &w->gaps[slot];
    t->most = az_mem_alloc(w->job->mem, 2 * leaves * sizeof *t->most);
    if (!t->most)
        return az_mem_error(w->job->mem);
    t->leaves = leaves;
    memset(t->most, 0, 2 * leaves * sizeof *t->most);
    for (size_t i = 1; i < all->n; i++) {
        int64_t *most = &t->most[leaves + i / BLOCK];
        *most = larger(*most, gap_before(&all->v[i]));
    }
    for (size_t k = leaves - 1; k > 0; k--)
        t->most[k] = larger(t->most[2 * k], t->most[2 * k + 1]);
    return 0;
}

/* Windows that overlap a lot have most work in many of them. */
static int index_windows(struct work *w)
{
    enum { DEEP = 4 };
    double windows = 0, work = 0;
    int rc = 0;
    for (size_t i = 0; i < w->windows.n; i++)
        windows += (double)(w->windows.v[i].hi - w->windows.v[i].lo);
    for (size_t i = 0; i < w->dev.slots.n; i++) {
        const struct az_spans *all = &w->busy[i].all;
        work += all->n ? (double)(all->v[all->n - 1].end - all->v[0].start) : 0;
    }
    for (size_t i = 0; rc == 0 && windows > DEEP * work && i < w->dev.slots.n; i++) {
        rc = az_busy_index(&w->busy[i], 0);
        if (rc == 0)
            rc = make_tree(w, i);
    }
    return rc;
}

/* Work of every device of the trace. */
static int fill_iterations(struct work *w)
{
    int rc;
    const struct az_counted *counted = az_job_counted(w->job, w->trace, AZ_ALL_WORK, &rc);
    struct az_work_sweep sweep = az_work_sweep(w->job, w->trace, counted);
    struct az_work_event e;
    for (size_t i = 0; i < w->dev.slots.n; i++)
        az_busy_init(&w->busy[i], w->job->mem);
    sweep.with_others = true;
    while (rc == 0 && az_work_next(&sweep, &e))
        if (w->dev.slot_of_lane.v[e.lane] != AZ_NO_ID)
            rc = az_busy_add(&w->busy[w->dev.slot_of_lane.v[e.lane]], e.part, e.start, e.end);
    for (size_t i = 0; rc == 0 && i < w->dev.slots.n; i++)
        rc = az_busy_close(&w->busy[i]);
    return rc ? rc : index_windows(w);
}

/* Finds the next window of each, on the same device. */
static void link_windows(struct work *w)
{
    memset(w->last_of, 0, w->dev.slots.n * sizeof *w->last_of);
    for (size_t i = w->windows.n; i-- > 0;) {
        struct window *at = &w->windows.v[i];
        at->next = w->last_of[at->slot] - 1; /* SIZE_MAX of none */
        w->last_of[at->slot] = i + 1;
    }
}

static int put_window(struct work *w, size_t i)
{
    const struct window *at = &w->windows.v[i];
    int64_t x[ITERATION_FIGURES], n_gaps, largest;
    measure_gaps(w, at, &n_gaps, &largest);
    figures(w, at, x);
    struct window_row r = {
        .range =
            az_job_text(w->job, az_job_name(w->job, w->trace, w->t->ev[AZ_RANGE].name[at->range])),
        .range_id = (int64_t)az_range_id(w->t, at->range),
        .device = w->dev.slots.v[at->slot].device,
        .start = az_ns(w->t, at->lo),
        .rank = az_job_rank(w->job, w->trace),
        .hidden = az_percent((double)x[5], (double)x[3]),
        .gaps = n_gaps,
        .largest = az_ns(w->t, largest),
        .next = at->next == SIZE_MAX ? INT64_MIN : az_ns(w->t, w->windows.v[at->next].lo - at->hi),
        .compute = az_ns(w->t, at->compute),
        .nccl = az_ns(w->t, at->nccl),
        .mem = az_ns(w->t, at->mem),
    };
    struct az_iteration_row row = { .trace = w->trace, .rank = r.rank, .device = r.device };
    for (size_t k = 0; k < ITERATION_FIGURES; k++)
        row.x[k] = r.x[k] = az_ns(w->t, x[k]);
    az_put_row(w->out, &r);
    return az_vec_push(&w->rows, row);
}

/* Rows of the windows of a trace. */
static int put_windows(struct work *w)
{
    const size_t slots = w->dev.slots.n;
    struct az_mem *mem = w->job->mem;
    w->busy = az_mem_alloc(mem, slots * sizeof *w->busy);
    w->gaps = az_mem_alloc(mem, slots * sizeof *w->gaps);
    if (w->gaps)
        memset(w->gaps, 0, slots * sizeof *w->gaps);
    int rc = w->busy && w->gaps ? fill_iterations(w) : az_mem_error(mem);
    link_windows(w);
    for (size_t i = 0; rc == 0 && i < w->windows.n; i++)
        rc = put_window(w, i);
    for (size_t i = 0; w->busy && w->gaps && i < slots; i++) {
        az_busy_release(&w->busy[i]);
        az_mem_free(mem, w->gaps[i].most, 2 * w->gaps[i].leaves * sizeof *w->gaps[i].most);
    }
    az_mem_free(mem, w->busy, w->busy ? slots * sizeof *w->busy : 0);
    az_mem_free(mem, w->gaps, w->gaps ? slots * sizeof *w->gaps : 0);
    w->busy = NULL;
    w->gaps = NULL;
    return rc;
}

static int use_trace(struct work *w)
{
    w->t = w->job->traces[w->trace];
    if (!(w->t->caps & AZ_CAP_RANGES))
        return 0;
    az_vec_reset(&w->windows);
    int rc = az_devices_make(&w->dev, w->t, AZ_BY_DEVICE, w->job->mem);
    const size_t bytes = rc ? 0 : (w->dev.slots.n + 1) * sizeof *w->last_of;
    w->last_of = rc ? NULL : az_mem_alloc(w->job->mem, bytes);
    if (rc == 0 && !w->last_of)
        rc = az_mem_error(w->job->mem);
    if (rc == 0) {
        memset(w->last_of, 0, bytes);
        rc = all_windows(w);
    }
    if (rc == 0 && w->windows.n > 0)
        rc = put_windows(w);
    az_mem_free(w->job->mem, w->last_of, w->last_of ? bytes : 0);
    w->last_of = NULL;
    az_devices_release(&w->dev);
    return rc;
}

static int emit_iterations(struct work *w)
{
    static const char *const parts[] = { "Compute (ns)", "Exposed NCCL (ns)", "Exposed Mem (ns)",
                                         "Idle (ns)", NULL };
    struct az_table *out = w->out;
    w->out = NULL; /* the document's now */
    int rc = az_document_add(w->job->doc, out);
    if (rc == 0)
        rc = az_iteration_summary(w->job, &w->rows, columns);
    if (rc == 0)
        rc = az_job_chart(w->job, AZ_CHART_STACKED_BAR, "device_iterations",
                          "Device time per iteration", "RangeId", parts, "ns");
    return rc;
}

static int run_iterations(struct az_job *job)
{
    struct az_job_tag tag;
    struct work w = { .job = job };
    int rc = az_job_tag(job, &tag);
    if (rc == 0 && !tag.given)
        az_cover(job, "analysis skipped: device_iterations", NAN, "",
                 AZ_SV("nvtx_tag_of_iter not set"));
    if (rc != 0 || tag.count == 0)
        return rc;
    az_vec_init(&w.windows, job->mem);
    az_vec_init(&w.rows, job->mem);
    w.out = new_table(job);
    rc = w.out ? 0 : az_arena_error(job->arena);
    for (w.trace = 0; rc == 0 && w.trace < job->n_traces; w.trace++)
        rc = use_trace(&w);
    if (rc == 0)
        rc = emit_iterations(&w);
    az_table_free(w.out);
    az_vec_release(&w.windows);
    az_vec_release(&w.rows);
    return rc;
}

const struct az_analysis az_analysis_device_iterations = {
    .name = "device_iterations",
    .help = "compute, communication, memory, idle time by iteration and device",
    .needs = AZ_CAP_RANGES | AZ_CAP_LAUNCHES,
    .run = run_iterations,
};
