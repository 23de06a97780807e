/* Overlap of whole operations: names, details and share of time. */
#include "analyses/operators/overlap.h"

#include "base/sort.h"
#include "document/record.h"
#include "text/text_writer.h"

#include <math.h>

struct work {
    struct az_overlap_ops *o;
    const struct az_overlaps *pairs;
    uint32_t *rank;  /* gpu number -> place by start */
    uint32_t *stamp; /* name id -> operation + 1 that has listed it */
    struct az_vec_u32 found;
    struct az_spans spans;
    struct az_vec_char text;
};

static int by_rank(const void *a, const void *b, void *ctx)
{
    const struct work *w = ctx;
    uint32_t x = w->rank[*(const uint32_t *)a], y = w->rank[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

/* Partners of one event: gathers them, adds the length of the union of what it shares with them. */
static int add_event(struct work *w, uint32_t gpu, int64_t *shared)
{
    const struct az_calltree *c = w->o->fw->tree;
    struct az_event e = az_gpu_event(c, gpu);
    az_vec_reset(&w->spans);
    for (uint32_t i = w->pairs->first[gpu]; i < w->pairs->first[gpu + 1]; i++) {
        struct az_event p = az_gpu_event(c, w->pairs->partner[i]);
        struct az_span both = { p.start > e.start ? p.start : e.start,
                                p.end < e.end ? p.end : e.end };
        int rc = az_vec_push(&w->spans, both);
        if (rc == 0)
            rc = az_vec_push(&w->found, w->pairs->partner[i]);
        if (rc)
            return rc;
    }
    az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    *shared += az_spans_length(&w->spans);
    return 0;
}

static int own_time(struct work *w, const struct az_gpu_run *own, int64_t *out)
{
    az_vec_reset(&w->spans);
    for (size_t i = 0; i < own->n; i++) {
        struct az_event e = az_gpu_event(w->o->fw->tree, own->gpu[i]);
        int rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
        if (rc)
            return rc;
    }
    az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    *out = az_spans_length(&w->spans);
    return 0;
}

/* Distinct partners by start into the arena, distinct names in the same order into a list. */
static int finish(struct work *w, size_t op)
{
    const struct az_framework *fw = w->o->fw;
    size_t n = 0;
    az_sort_cmp(w->found.v, w->found.n, sizeof *w->found.v, by_rank, w, w->o->job->mem);
    for (size_t i = 0; i < w->found.n; i++)
        if (n == 0 || w->found.v[i] != w->found.v[n - 1])
            w->found.v[n++] = w->found.v[i];
    uint32_t *kept = az_arena_array(w->o->job->arena, n, sizeof *kept);
    if (!kept)
        return az_arena_error(w->o->job->arena);
    memcpy(kept, w->found.v, n * sizeof *kept);
    w->o->partners[op] = (struct az_gpu_run){ kept, n };
    az_vec_reset(&w->text);
    az_text_add(&w->text, AZ_SV("["));
    for (size_t i = 0; i < n; i++) {
        uint32_t name = az_gpu_event(fw->tree, kept[i]).name;
        if (name == AZ_NO_ID || w->stamp[name] == op + 1)
            continue;
        w->stamp[name] = (uint32_t)(op + 1);
        if (w->text.n > 1)
            az_text_add(&w->text, AZ_SV(","));
        az_text_quoted(&w->text, az_trace_text(fw->trace, name));
    }
    az_text_add(&w->text, AZ_SV("]"));
    w->o->names[op] = az_intern_id(&w->o->texts, az_text_view(&w->text));
    return w->text.failed ? az_vec_error(&w->text) : w->o->texts.error;
}

static int look_at(struct work *w, const struct az_gpu_run *own, size_t op)
{
    int64_t shared = 0, whole = 0;
    int rc = 0;
    az_vec_reset(&w->found);
    for (size_t i = 0; rc == 0 && i < own->n; i++)
        rc = add_event(w, own->gpu[i], &shared);
    if (rc || w->found.n == 0)
        return rc;
    rc = own_time(w, own, &whole);
    w->o->percent[op] =
        whole > 0 ? nearbyint((double)shared / (double)whole * 10000.0) / 100.0 : 0.0;
    return rc ? rc : finish(w, op);
}

int az_framework_overlap_ops(struct az_overlap_ops *o, struct az_job *job, struct az_framework *fw,
                             const struct az_gpu_run *own, size_t n)
{
    struct work w = { .o = o };
    *o = (struct az_overlap_ops){ .n = n, .job = job, .fw = fw };
    int rc = 0;
    az_intern_init(&o->texts, job->arena, job->mem);
    w.pairs = az_framework_overlaps(job, fw, &rc);
    az_vec_init(&w.found, job->mem);
    az_vec_init(&w.spans, job->mem);
    az_vec_init(&w.text, job->mem);
    o->names = az_arena_array(job->arena, n + 1, sizeof *o->names);
    o->percent = az_arena_array(job->arena, n + 1, sizeof *o->percent);
    o->partners = az_arena_array(job->arena, n + 1, sizeof *o->partners);
    w.rank = az_arena_array(job->arena, (size_t)fw->tree->n_gpu + 1, sizeof *w.rank);
    w.stamp = az_arena_array(job->arena, fw->trace->names.text.n + 1, sizeof *w.stamp);
    if (rc == 0 && (!o->names || !o->percent || !o->partners || !w.rank || !w.stamp))
        rc = az_arena_error(job->arena);
    for (uint32_t i = 0; rc == 0 && i < fw->tree->n_gpu; i++)
        w.rank[fw->order[i]] = i;
    (void)az_intern_id(&o->texts, AZ_SV("")); /* 0: none */
    if (rc == 0)
        rc = o->texts.error;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = look_at(&w, &own[i], i);
    az_vec_release(&w.found);
    az_vec_release(&w.spans);
    az_vec_release(&w.text);
    return rc;
}

void az_framework_overlap_ops_release(struct az_overlap_ops *o)
{
    if (o->texts.mem)
        az_intern_release(&o->texts);
}

struct overlap_row {
    struct az_sv full, brief;
    double mean, median, std, min, max; /* percent */
};
static const struct az_record_column framework_overlap_columns[] = {
    { "overlapping_kernels_details_summary", AZ_TEXT, .flags = AZ_DETAIL,
      AZ_KNOWN(struct overlap_row, full) },
    { "trunc_overlapping_kernels_details", AZ_TEXT, .flags = AZ_DETAIL,
      AZ_KNOWN(struct overlap_row, brief) },
    { "overlap_pct_mean", AZ_REAL, AZ_UNIT_PERCENT, AZ_FIELD(struct overlap_row, mean) },
    { "overlap_pct_median", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL,
      AZ_FIELD(struct overlap_row, median) },
    { "overlap_pct_std", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, AZ_FIELD(struct overlap_row, std) },
    { "overlap_pct_min", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, AZ_FIELD(struct overlap_row, min) },
    { "overlap_pct_max", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, AZ_FIELD(struct overlap_row, max) },
};

void az_framework_overlap_columns(struct az_table *t)
{
    az_record_columns(t, framework_overlap_columns, AZ_LENGTH(framework_overlap_columns));
}

int az_framework_put_overlap(struct az_overlap_ops *o, struct az_table *t, const uint32_t *op,
                             size_t n, struct az_framework_details *d)
{
    struct az_mem *mem = o->job->mem;
    struct az_gpu_run *runs = az_mem_alloc(mem, (n + 1) * sizeof *runs);
    double *percent = az_mem_alloc(mem, (n + 1) * sizeof *percent);
    struct az_sv full = AZ_SV(""), brief = AZ_SV("");
    int rc = runs && percent ? 0 : az_mem_error(mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        runs[i] = o->partners[op[i]];
        percent[i] = o->percent[op[i]];
    }
    if (rc == 0)
        rc = az_framework_details_make(d, runs, n, &full, &brief);
    if (rc == 0) {
        struct overlap_row r = { .full = full, .brief = brief };
        r.mean = az_mean_f64(percent, n); /* in this order: percentiles reorder the values */
        r.median = az_percentile_f64(percent, n, 50);
        r.std = az_std_f64(percent, n, 1);
        r.min = az_percentile_f64(percent, n, 0);
        r.max = az_percentile_f64(percent, n, 100);
        az_put_cells(t, AZ_LENGTH(framework_overlap_columns), &r);
    }
    if (runs)
        az_mem_free(mem, runs, (n + 1) * sizeof *runs);
    if (percent)
        az_mem_free(mem, percent, (n + 1) * sizeof *percent);
    return rc;
}
