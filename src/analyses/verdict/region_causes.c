/* Column `idle_cause` of table `regions`: what most idle time inside a region has as its cause, by
 * the gaps in the scope of the verdict. The table is made before; its cells are filled in here, or
 * those of the part of a rank. */
#include "analyses/verdict/idle.h"
#include "base/sort.h"
#include "document/schema.h"
#include "facts/regions.h"

/* A gap of one device and cause, with the sum of those up to it. */
struct gap_sum {
    int64_t end, sum;
};
AZ_VEC(struct gap_sum, cause_gaps);

struct az_region_causes {
    struct az_verdict *v;
    const struct az_regions *regions;
    struct cause_gaps *of; /* slot * AZ_CAUSES + cause */
    size_t slots;
};

static size_t bytes_of(size_t slots) { return slots * AZ_CAUSES * sizeof(struct cause_gaps) + 1; }

int az_region_causes_open(struct az_region_causes **out, struct az_verdict *v, size_t slots)
{
    int rc = AZ_OK;
    const struct az_regions *r = NULL;
    *out = NULL;
    if (v->job->doc || az_regions_wanted_causes(v->job)) /* else a rank without a table of them */
        r = az_job_regions(v->job, v->trace, &rc);
    if (!r || !r->n_works)
        return rc;
    struct az_region_causes *c = az_arena_alloc(v->job->arena, sizeof *c);
    if (!c)
        return az_arena_error(v->job->arena);
    *c = (struct az_region_causes){ .v = v, .regions = r, .slots = slots };
    c->of = az_mem_alloc(v->job->mem, bytes_of(slots));
    if (!c->of)
        return az_mem_error(v->job->mem);
    for (size_t i = 0; i < slots * AZ_CAUSES; i++)
        az_vec_init(&c->of[i], v->job->mem);
    *out = c;
    return AZ_OK;
}

void az_region_causes_close(struct az_region_causes *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->slots * AZ_CAUSES; i++)
        az_vec_release(&c->of[i]);
    az_mem_free(c->v->job->mem, c->of, bytes_of(c->slots));
}

int az_region_causes_add(struct az_region_causes *c, uint32_t slot, enum az_cause cause,
                         int64_t start, int64_t end)
{
    if (!c || cause == AZ_CAUSE_NONE || slot >= c->slots)
        return AZ_OK;
    struct cause_gaps *g = &c->of[slot * AZ_CAUSES + (size_t)cause];
    const int64_t before = g->n ? g->v[g->n - 1].sum : 0;
    return az_vec_push(g, ((struct gap_sum){ end, before + end - start }));
}

static int64_t sum_until(const struct cause_gaps *g, int64_t at)
{
    const size_t lo = AZ_UPPER_BY(g->v, g->n, end, at);
    return lo ? g->v[lo - 1].sum : 0;
}

/* Time of each cause in each region. */
static void add_works(const struct az_region_causes *c, int64_t *time)
{
    for (size_t i = 0; i < c->regions->n_works; i++) {
        const struct az_region_span *s = &c->regions->works[i];
        for (size_t k = 0; s->slot < c->slots && k < AZ_CAUSES; k++) {
            const struct cause_gaps *g = &c->of[s->slot * AZ_CAUSES + k];
            time[s->region * AZ_CAUSES + k] += sum_until(g, s->last) - sum_until(g, s->first);
        }
    }
}

static enum az_cause main_cause(const int64_t *time)
{
    size_t best = 0;
    for (size_t k = 1; k < AZ_CAUSES; k++)
        best = time[k] > time[best] ? k : best;
    return time[best] > 0 ? (enum az_cause)best : AZ_CAUSE_NONE;
}

/* By region: its cause. Made while other analyses run, and read when all tables are there. */
static void **slot_of(struct az_job *job)
{
    static const char what;
    return az_job_slot(job, &what);
}

int az_region_causes_finish(struct az_region_causes *c)
{
    if (!c)
        return AZ_OK;
    struct az_job *job = c->v->job;
    const size_t n = c->regions->n, bytes = (n * AZ_CAUSES + 1) * sizeof(int64_t);
    uint8_t *cause = az_arena_array(job->arena, n + 1, 1);
    int64_t *time = az_mem_alloc(job->mem, bytes);
    int64_t **wanted = az_regions_wanted_causes(job);
    int rc = !cause ? az_arena_error(job->arena) : time ? AZ_OK : az_mem_error(job->mem);
    if (rc == 0) {
        memset(time, 0, bytes);
        add_works(c, time);
        for (size_t i = 0; i < n; i++)
            cause[i] = (uint8_t)main_cause(time + i * AZ_CAUSES);
        for (size_t i = 0; wanted && i < n; i++)
            if (wanted[i] && c->regions->v[i].idle > 0)
                *wanted[i] = cause[i];
        void **slot = slot_of(job);
        if (slot)
            *slot = cause;
        rc = slot ? AZ_OK : az_arena_error(job->arena);
        az_job_leave(job, slot);
    }
    az_mem_free(job->mem, time, bytes);
    return rc;
}

/* ---- the table ---- */

struct az_table *az_verdict_stored_table(const struct az_document *d, const char *id)
{
    struct az_table *t = az_document_table(d, id);
    return t && !t->make ? t : NULL;
}

static int list_rows(const struct az_table *t, size_t path, struct az_map *row_of)
{
    int rc = AZ_OK;
    for (size_t r = 0; rc == 0 && r < t->rows; r++) {
        const struct az_sv text = az_cell_text(az_table_at(t, r, path));
        uint32_t *at;
        bool added;
        rc = az_map_put(row_of, az_hash(text.p, text.n), text.n, (uint32_t)r, &at, &added);
    }
    return rc;
}

static int put_causes(struct az_job *job, const struct az_regions *regions, const uint8_t *causes,
                      struct az_table *t)
{
    const ptrdiff_t path = az_table_find(t, "path"), cause = az_table_find(t, "idle_cause");
    struct az_map row_of;
    if (path < 0 || cause < 0)
        return AZ_EINTERNAL;
    az_map_init(&row_of, job->mem, t->rows);
    int rc = list_rows(t, (size_t)path, &row_of);
    for (uint32_t i = 0; rc == 0 && i < regions->n; i++) {
        const struct az_sv text = az_region_path(job, regions, i);
        const uint32_t row = az_map_get(&row_of, az_hash(text.p, text.n), text.n);
        const char *id = az_cause_id((enum az_cause)causes[i]);
        if (id && regions->v[i].idle > 0 && row != AZ_NO_ID)
            t->cells.v[row * t->columns.n + (size_t)cause] =
                (struct az_cell){ .type = AZ_TEXT, .s = id, .len = AZ_CELL_LENGTH(strlen(id)) };
    }
    az_map_release(&row_of);
    return rc;
}

int az_region_causes_put(struct az_job *job)
{
    struct az_table *t = az_verdict_stored_table(job->doc, "regions");
    void **slot = t ? slot_of(job) : NULL;
    const uint8_t *causes = slot ? *slot : NULL;
    int rc = AZ_OK;
    az_job_leave(job, slot);
    const struct az_regions *r = causes ? az_job_regions(job, 0, &rc) : NULL;
    return r ? put_causes(job, r, causes, t) : rc;
}
