/* Sampled counters over the ranks of a run: those of each rank, as `counters` has them of one
 * trace. */
#include "analyses/memory/counters.h"
#include "analyses/registry_list.h"

struct counters_part {
    struct az_counter_row *v;
    size_t n;
};

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    struct az_counter_rows rows;
    struct counters_part *p = az_arena_alloc(keep, sizeof *p);
    if (!p)
        return az_arena_error(keep);
    az_vec_init(&rows, job->mem);
    int rc = az_counters_whole(job, 0, &rows);
    p->v = az_arena_array(keep, rows.n + 1, sizeof *p->v);
    if (rc == 0 && !p->v)
        rc = az_arena_error(keep);
    for (size_t i = 0; rc == 0 && i < rows.n; i++) {
        p->v[i] = rows.v[i];
        p->v[i].counter = az_rank_text(job, keep, rows.v[i].counter);
        p->v[i].step = AZ_SV("");
        rc = p->v[i].counter.p ? 0 : az_arena_error(keep);
    }
    p->n = rows.n;
    az_vec_release(&rows);
    *part = p;
    return rc;
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    if (az_document_has(job->doc, AZ_SV("counters"))) /* all traces at once */
        return 0;
    struct az_table *t = az_counters_table(job, true);
    for (size_t i = 0; i < ranks->n; i++) {
        struct counters_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++) {
            p->v[k].rank = ranks->v[i].rank;
            az_counters_put(t, &p->v[k]);
        }
    }
    return az_job_add(job, t, 0);
}

/* ---- the part as bytes ---- */

static const struct az_shape_field row_fields[] = {
    AZ_PLAIN(struct az_counter_row, rank),      AZ_PLAIN(struct az_counter_row, device),
    AZ_TEXT_OF(struct az_counter_row, counter), AZ_TEXT_OF(struct az_counter_row, step),
    AZ_PLAIN(struct az_counter_row, samples),   AZ_PLAIN(struct az_counter_row, mean),
    AZ_PLAIN(struct az_counter_row, least),     AZ_PLAIN(struct az_counter_row, most),
    AZ_PLAIN(struct az_counter_row, busy),      AZ_PLAIN(struct az_counter_row, covered_ms)
};
static const struct az_shape row_shape = AZ_SHAPE(struct az_counter_row, row_fields);
static const struct az_shape_field part_fields[] = { AZ_LIST_OF(struct counters_part, v, n,
                                                                row_shape) };
static const struct az_shape part_shape = AZ_SHAPE(struct counters_part, part_fields);

const struct az_rank_analysis az_rank_analysis_samples = {
    .name = "rank_samples",
    .help = "sampled counters by rank",
    .needs = AZ_CAP_SAMPLES | AZ_CAP_CALLTREE, /* other formats have all traces at once */
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
