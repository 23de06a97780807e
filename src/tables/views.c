/* The list of views, and the choice among them. */
#include "tables/views.h"

#include "tables/sheet_set.h"

#include <math.h>

#define HTA       AZ_TOOL_HTA
#define NSYS      AZ_TOOL_NSYS
#define TRACELENS AZ_TOOL_TRACELENS
#define RANKS     AZ_TOOL_RANK_SHEETS

#define USER_CLASSES "user_classes"  /* only with a class map */
#define FAMILIES     "family_sheets" /* only for a comparison with a report that has them */
#define CLASSIC      "classic_"      /* begins tables of the classic Nsight block */

struct view {
    const char *table;     /* id */
    const char *questions; /* of the table, divided by blanks */
    unsigned tool;         /* whose vocabulary it is; 0: ours */
    bool request; /* another tool's detail: not shown to users of a format that has a tool of its
                     own */
    const char *several; /* column that must have two values: with one, another table has the same;
                            NULL: none */
    const char *nonzero; /* column that must have a number other than 0: else there is nothing to
                            report; NULL: none */
};

/* clang-format off */
/* Of one question the better table comes first. A table that is not in the list is always shown. */
static const struct view views[] = {
    /* timelines */
    { "gpu_timeline", "timeline", 0, false, NULL, NULL },
    { "iterations", "timeline " CLASSIC "iterations", 0, false, NULL, NULL },
    { "gpu_timelines_by_rank", "each_rank_timeline rank_timelines timeline", 0, false, NULL, NULL },
    { "gpu_timelines", "rank_timelines", TRACELENS, false, NULL, NULL },
    { "temporal_breakdown", "each_rank_timeline", HTA, true, NULL, NULL },
    { "gpu_events_averages", "timeline", TRACELENS, false, NULL, NULL },
    { "gpu_timeline_by_device", "device_timeline", 0, false, "device", NULL },
    { "gpu_timeline_by_agent", "device_timeline", 0, false, "agent", NULL },
    { "device_iterations", "step_timeline", 0, false, NULL, NULL }, /* by device, too */
    { "steps", "steps step_timeline utilization", 0, false, NULL, NULL },
    { "step_times", "steps", 0, false, NULL, NULL }, /* by program, where no step is found */
    { "gpu_timeline_by_step", "step_timeline", 0, false, "step", NULL },
    { "gpu_utilization", "utilization", NSYS, true, NULL, NULL },
    { "nccl_exposure", "exposed_by_collective exposed_in_all", 0, false, NULL, NULL },
    { "nccl_exposure_ranks", "exposed_by_rank", 0, true, NULL, NULL },
    { "idle_gaps", "gaps", 0, false, NULL, NULL },
    { "tpu_timeline", "gaps timeline", 0, false, NULL, NULL },
    { "ops", "gaps operators", 0, false, NULL, NULL },
    { "gpu_gaps", "gaps", NSYS, false, NULL, NULL },
    { "idle_causes", "idle_causes gap_sizes", 0, false, NULL, NULL },
    { "gpu_gaps_histogram", "gap_sizes", NSYS, true, NULL, NULL },
    { "idle_time_breakdown", "idle_causes", HTA, true, NULL, NULL },
    { "idle_interval_stats", "idle_intervals", HTA, true, NULL, NULL },
    /* kernels */
    { "time_by_family", "families classes", 0, false, NULL, NULL },
    { "time_by_family_by_rank", "families_by_rank", HTA, true, NULL, NULL },
    { "kernel_summary", "kernels communication_kernels", 0, false, NULL, NULL },
    { "tpu_op_summary", "kernels", 0, false, NULL, NULL },
    { "ops_stacked", "kernels classes", 0, false, NULL, NULL },
    { "kern_sum", "kernels", NSYS, true, NULL, NULL },
    { "exposed_communication", "communication_kernels exposed_in_all", 0, false, NULL, NULL }, /* by rank */
    { "comm_overlap", "exposed_in_all", 0, false, NULL, NULL },
    { "comm_comp_overlap", "exposed_in_all", HTA, false, NULL, NULL },
    { "kernels_by_name", "kernels", 0, false, NULL, NULL },
    { "kernel_breakdown", "kernels", HTA, true, NULL, NULL },
    { "classes", "classes " USER_CLASSES " " CLASSIC "classes", 0, false, NULL, NULL },
    { "kernel_summary_by_category", "classes " USER_CLASSES, TRACELENS, false, NULL, NULL },
    { "kernel_class_summary", "classes " USER_CLASSES, 0, false, NULL, NULL },
    { "category_summary", "classes", 0, false, NULL, NULL },
    { "kernel_type_breakdown", "kinds", HTA, true, NULL, NULL },
    { "kernel_type_breakdown_by_rank", "kinds_by_rank", HTA, true, NULL, NULL },
    { "kernel_summary_by_shape", "kernels_by_grid", 0, false, NULL, NULL },
    /* requested: shown next to another tool's form of it, and equal in every format */
    { "kernels_by_grid", "kernels_by_grid kernels_by_geometry", NSYS, false, NULL, NULL },
    { "hlo_op_summary", "hlo_operations", 0, false, NULL, NULL },
    { "xla_summary", "hlo_operations", TRACELENS, false, NULL, NULL },
    { "xla_top", "kernels", 0, false, NULL, NULL },
    { "gpu_events", "device_events", 0, true, NULL, NULL },
    /* copies and memory */
    { "memory_copy_summary", "copies", 0, false, NULL, NULL },
    { "memcpy_summary", "copies copy_sizes", 0, false, NULL, NULL },
    { "mem_time_sum", "copies", NSYS, false, NULL, NULL },
    { "memops", "copies " CLASSIC "copies", 0, false, NULL, NULL },
    { "memory_copy_by_copy_bytes", "copy_sizes", 0, false, NULL, NULL },
    { "mem_size_sum", "copy_sizes", NSYS, true, NULL, NULL },
    { "memory_bw_summary", "copy_rates", HTA, true, NULL, NULL },
    /* calls and launches */
    { "api_summary", "calls", 0, false, NULL, NULL },
    { "api_stats", "calls", 0, false, NULL, NULL },
    { "api_sum", "calls", NSYS, true, NULL, NULL },
    { "hip_summary", "calls", 0, true, NULL, NULL },
    { "osrt_sum", "os_calls", NSYS, false, NULL, NULL },
    { "host_summary", "host_calls compilation", 0, false, NULL, NULL },
    { "host_compile", "compilation", 0, false, NULL, NULL },
    { "api_kernel_summary", "launches", 0, false, NULL, NULL },
    { "kern_exec_sum", "launches", NSYS, true, NULL, NULL },
    { "launch_stats", "launches", HTA, true, NULL, NULL },
    { "cuda_kernel_launch_stats", "launch_each", HTA, true, NULL, NULL },
    { "cuda_kernel_launch_stats_describe", "launches", HTA, true, NULL, NULL },
    { "op_launches", "launch_counts", HTA, true, NULL, NULL },
    { "queue_length_summary", "queue", HTA, true, NULL, NULL },
    { "queue_length_over_time", "queue_over_time", HTA, true, NULL, NULL },
    { "blocked_on_full_queue", "full_queue", HTA, true, NULL, NULL },
    /* ranges */
    { "roctx_summary", "ranges range_device", 0, false, NULL, NULL },
    { "user_annotations", "ranges", HTA, true, NULL, NULL },
    { "nvtx_sum", "ranges", NSYS, true, NULL, NULL },
    { "nvtx_gpu_proj_sum", "range_device", NSYS, true, NULL, NULL },
    { "nvtx_gpu_proj_trace", "range_device_each", NSYS, true, NULL, NULL },
    { "nvtx_kern_sum", "range_kernels", NSYS, true, NULL, NULL },
    /* operators */
    { "unified_perf_summary", "operator_rates", 0, false, NULL, NULL },
    { "families", "operator_rates " FAMILIES, TRACELENS, false, NULL, NULL }, /* GEMM, SDPA_fwd ... */
    { "kernel_launchers", "operators_of_ranks", 0, false, NULL, NULL },
    { "rank_families", "operators_of_ranks " FAMILIES, RANKS, false, NULL, NULL }, /* gemm, attn ... */
    { "roofline", "operator_rates", 0, true, NULL, NULL },
    { "unmatched_kernels", "unmatched", 0, true, NULL, NULL },
    { "hlo_roofline", "hlo_rates", 0, false, NULL, NULL },
    { "hlo_op_perf", "hlo_rates", 0, false, NULL, NULL },
    { "ops_summary", "operators", 0, false, NULL, NULL },
    { "ops_summary_by_category", "operator_categories", 0, false, NULL, NULL },
    /* collectives */
    { "collectives_by_type", "collectives_by_type", 0, false, NULL, NULL },
    { "coll_analysis", "collectives_by_type", 0, false, NULL, NULL },
    { "nccl_summary_implicit_sync", "collectives_by_type", TRACELENS, false, NULL, NULL },
    { "summary_nccl_implicit_sync_cat", "collectives_by_type", TRACELENS, false, NULL, NULL },
    { "nccl", "collectives_by_type " CLASSIC "nccl", 0, false, NULL, NULL },
    { "collectives", "collectives_each collective_kernels", 0, false, NULL, NULL },
    { "collectives_by_op", "collectives_by_op", 0, true, NULL, NULL },
    { "nccl_implicit_sync_cat", "collectives_each", RANKS, true, NULL, NULL },
    { "nccl_implicit_sync", "collectives_each", RANKS, true, NULL, NULL },
    { "nccl_implicit_sync_cat_detailed", "collectives_each", RANKS, true, NULL, NULL },
    { "nccl_long", "collective_kernels", RANKS, true, NULL, NULL },
    { "long", "collective_kernels", RANKS, true, NULL, NULL },
    { "nccl_summary_long", "collectives_by_type", RANKS, true, NULL, NULL },
    { "process_groups", "process_groups", 0, false, "group_id", NULL },
    { "nccl_wait_heatmap", "collective_waits", 0, true, NULL, NULL },
    { "data_quality", "quality", 0, false, NULL, "Count" }, /* of operation reports: column Rows, always shown */
    /* ranks */
    { "ranks", "ranks clocks", 0, false, NULL, NULL },
    { "clock_offsets", "clocks", 0, false, NULL, NULL },
    { "straggler_summary", "stragglers", 0, false, NULL, NULL },
    { "straggler_candidates", "stragglers", HTA, false, NULL, NULL },
    { "short_cpu_op_counts", "short_operators", TRACELENS, true, NULL, NULL },
    { "cuda_events_summary", "rank_events", 0, true, NULL, NULL },
    { "linked_and_short_kernels", "short_kernels", 0, true, NULL, NULL },
};
/* clang-format on */

static const struct view *view_of(struct az_sv table)
{
    for (size_t i = 0; i < AZ_LENGTH(views); i++)
        if (az_sv_is(table, views[i].table))
            return &views[i];
    return NULL;
}

static bool asked_for(const struct view *v, struct az_view_choice c)
{
    const unsigned sheets = c.compat & TRACELENS ? RANKS : 0;
    return (c.compat & AZ_TOOL_ALL) || (v->tool & (c.compat | sheets)) ||
           az_sheet_set_reads(c.sheets, v->table);
}

/* May the table be shown at all, whatever else is there? */
static bool allowed(const struct view *v, struct az_view_choice c)
{
    if (asked_for(v, c) || !v->request || !c.native)
        return true;
    return v->tool & c.native;
}

static bool has_question(const char *list, struct az_sv question)
{
    struct az_sv rest = az_sv_str(list);
    while (rest.n)
        if (az_sv_eq(az_sv_cut(&rest, ' '), question))
            return true;
    return false;
}

static bool same_cell(const struct az_cell *a, const struct az_cell *b)
{
    if (a->type == AZ_TEXT || b->type == AZ_TEXT)
        return a->type == b->type && az_sv_eq(az_cell_text(a), az_cell_text(b));
    return a->type == b->type &&
           (a->type == AZ_EMPTY || fabs(az_cell_number(a) - az_cell_number(b)) < 0.5);
}

/* Does the table distinguish what its column is for? A table whose rows are not stored has many. */
static bool tells_apart(const struct az_table *t, const char *name)
{
    const ptrdiff_t c = az_table_find_nocase(t, name);
    if (c < 0 || t->make)
        return true;
    for (size_t r = 1; r < t->rows; r++)
        if (!same_cell(az_table_at(t, 0, (size_t)c), az_table_at(t, r, (size_t)c)))
            return true;
    return false;
}

static bool has_nonzero(const struct az_table *t, const char *name)
{
    const ptrdiff_t c = az_table_find_nocase(t, name);
    bool found = c < 0 || t->make;
    for (size_t r = 0; !found && r < t->rows; r++)
        found = fabs(az_cell_number(az_table_at(t, r, (size_t)c))) > 0;
    return found;
}

/* Has the table something of its own? */
static bool speaks(const struct az_table *t, const struct view *v)
{
    return (!v->several || tells_apart(t, v->several)) &&
           (!v->nonzero || has_nonzero(t, v->nonzero));
}

static bool present(const struct az_document *d, const struct view *v, struct az_view_choice c)
{
    const struct az_table *t = az_document_table(d, v->table);
    if (!t && c.causes && az_sv_is(az_sv_str(v->table), "idle_causes"))
        return true;
    return t && allowed(v, c) && speaks(t, v);
}

/* Has every question of the table a better one? */
static bool answered(const struct az_document *d, const struct view *v, struct az_view_choice c)
{
    struct az_sv rest = az_sv_str(v->questions);
    while (rest.n) {
        const struct az_sv question = az_sv_cut(&rest, ' ');
        bool found = (!c.families && az_sv_is(question, FAMILIES)) ||
                     (!c.class_map && az_sv_is(question, USER_CLASSES)) ||
                     (!c.classic && az_sv_starts(question, AZ_SV(CLASSIC)));
        for (const struct view *other = views; !found && other < v; other++)
            found = has_question(other->questions, question) && present(d, other, c);
        if (!found)
            return false;
    }
    return true;
}

static bool shown(const struct az_document *d, const struct view *v, struct az_view_choice c)
{
    return asked_for(v, c) || (allowed(v, c) && !answered(d, v, c));
}

bool az_views_wanted(const struct az_document *d, const char *table, struct az_view_choice c)
{
    const struct view *v = view_of(az_sv_str(table));
    return !v || shown(d, v, c);
}

static bool withheld_table(const struct az_document *d, const struct az_table *t,
                           struct az_view_choice c)
{
    const struct view *v = view_of(t->kind.n ? t->kind : t->id);
    return v && (!shown(d, v, c) || (!asked_for(v, c) && !speaks(t, v)));
}

/* Not worth the choice among all views. */
static bool is_small(const struct az_table *t)
{
    enum { CELLS = 4096, COLUMNS = 512 };
    return t->cells.n < CELLS && t->columns.n < COLUMNS;
}

/* Rules over tables (analyses/findings) read these whether they are shown or not. */
static bool is_read(const struct az_table *t)
{
    return az_sv_is(t->id, "gpu_gaps") || az_sv_is(t->id, "device_iterations");
}

/* A table that is replaced stays so: what replaces it is not removed, and what is itself replaced
 * is so by one that replaces this one, too. */
void az_views_prune(struct az_document *d, struct az_view_choice c)
{
    for (size_t i = 0; i < d->tables.n; i++) {
        struct az_table *t = d->tables.v[i];
        if (is_small(t) || is_read(t) || !withheld_table(d, t, c))
            continue;
        az_vec_release(&t->cells);
        t->rows = 0;
        t->make = NULL;
        if (!shown(d, view_of(t->kind.n ? t->kind : t->id), c))
            az_vec_release(&t->columns); /* one a rank, of some; else they are the reason why it is
                                            not shown */
    }
}

int az_views_select(struct az_document *d, struct az_view_choice c, struct az_sv *withheld)
{
    struct az_sv list = AZ_SV("");
    bool *drop = az_arena_array(d->arena, d->tables.n + 1, sizeof *drop);
    size_t kept = 0;

    if (!drop)
        return az_arena_error(d->arena);
    for (size_t i = 0; i < d->tables.n; i++) {
        const struct az_table *t = d->tables.v[i];
        drop[i] = withheld_table(d, t, c);
        if (drop[i])
            list = az_arena_printf(d->arena, "%.*s%s%.*s", AZ_SVF(list), list.n ? ", " : "",
                                   AZ_SVF(t->id));
    }
    for (size_t i = 0; i < d->tables.n; i++) {
        if (drop[i])
            az_table_free(d->tables.v[i]);
        else
            d->tables.v[kept++] = d->tables.v[i];
    }
    d->tables.n = kept;
    for (size_t i = kept = 0; i < d->charts.n; i++) {
        if (az_document_has(d, d->charts.v[i].table))
            d->charts.v[kept++] = d->charts.v[i];
        else
            az_vec_release(&d->charts.v[i].y);
    }
    d->charts.n = kept;
    *withheld = list;
    return list.p ? 0 : az_arena_error(d->arena);
}
