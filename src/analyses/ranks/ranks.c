/* Ranks of a run. */
#include "analyses/ranks/ranks.h"
#include "base/sort.h"

#include <inttypes.h>

ptrdiff_t az_ranks_find(const struct az_ranks *r, int64_t rank)
{
    const size_t low = AZ_LOWER_BY(r->v, r->n, rank, rank);
    return low < r->n && r->v[low].rank == rank ? (ptrdiff_t)low : -1;
}

struct az_sv az_rank_text(struct az_job *job, struct az_arena *keep, struct az_sv text)
{
    uint32_t id;
    if (!job->texts || text.n == 0)
        return az_arena_dup(keep, text);
    if (az_intern(job->texts, text, &id) != 0)
        return (struct az_sv){ NULL, 0 };
    return az_intern_text(job->texts, id);
}

static const struct az_shape_field drop_fields[] = { AZ_TEXT_OF(struct az_drop, reason),
                                                     AZ_PLAIN(struct az_drop, count),
                                                     AZ_PLAIN(struct az_drop, ticks),
                                                     AZ_PLAIN(struct az_drop, kind),
                                                     AZ_PLAIN(struct az_drop, device) };
const struct az_shape az_rank_shape_drop = AZ_SHAPE(struct az_drop, drop_fields);
static const struct az_shape_field fact_fields[] = { AZ_TEXT_OF(struct az_fact, key),
                                                     AZ_TEXT_OF(struct az_fact, value) };
const struct az_shape az_rank_shape_fact = AZ_SHAPE(struct az_fact, fact_fields);

struct az_sv az_rank_list(struct az_arena *a, const int64_t *v, size_t n)
{
    struct az_sv text = AZ_SV("");
    for (size_t i = 0, j; i < n; i = j) {
        const char *comma = i ? ", " : "";
        if (text.n > 200)
            return az_arena_printf(a, "%.*s and %zu more", AZ_SVF(text), n - i);
        for (j = i + 1; j < n && v[j] == v[j - 1] + 1;)
            j++;
        if (j - i < 3)
            j = i + 1; /* two in a row are written as two */
        if (j - i > 2)
            text = az_arena_printf(a, "%.*s%s%" PRId64 "-%" PRId64, AZ_SVF(text), comma, v[i],
                                   v[j - 1]);
        else
            text = az_arena_printf(a, "%.*s%s%" PRId64, AZ_SVF(text), comma, v[i]);
    }
    return text;
}

void az_rank_set_offset(struct az_job *job, const struct az_ranks *r, size_t i, int64_t ns)
{
    struct az_table *t = az_document_table(job->doc, "ranks");
    const ptrdiff_t rank = t ? az_table_find(t, "rank") : -1,
                    column = t ? az_table_find(t, "offset_ns") : -1;
    /* by rank, all that are there first or among those that are missing */
    for (size_t row = i; rank >= 0 && column >= 0 && row < t->rows; row++) {
        const struct az_cell *c = az_table_at(t, row, (size_t)rank);
        if (c->type != AZ_INT || c->i != r->v[i].rank)
            continue;
        t->cells.v[row * t->columns.n + (size_t)column] =
            (struct az_cell){ .type = AZ_INT, .i = ns };
        return;
    }
}
