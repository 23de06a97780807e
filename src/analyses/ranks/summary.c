/* The first table of a report over ranks: who is there, and what a rank takes on average. The
 * averages are those of other tables of the document, so this comes last and goes first. */
#include <math.h>

#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

/* Every trace counts; nothing is kept. */
static int reduce(struct az_job *job, struct az_arena *keep, void **out)
{
    (void)job;
    *out = az_arena_alloc(keep, 1);
    return *out ? 0 : az_arena_error(keep);
}

struct item_row {
    const char *item;
    double value;
    const char *unit;
    struct az_sv note;
};
static const struct az_record_column columns[] = {
    { "item", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct item_row, item), .copy = true },
    { "value", AZ_REAL, AZ_FIELD(struct item_row, value) },
    { "unit", AZ_TEXT, AZ_FIELD(struct item_row, unit), .copy = true },
    { "note", AZ_TEXT, AZ_KNOWN(struct item_row, note), .copy = true },
};

static void put_item(struct az_table *t, const char *item, double value, const char *unit,
                     struct az_sv note)
{
    az_put_row(t, &(struct item_row){ item, value, unit, note });
}

#define MOST_LISTED 4 /* names */

/* Number of different texts of the ranks, and the first ones of them. */
static size_t different(struct az_job *job, const struct az_ranks *r, size_t offset,
                        struct az_table *t, struct az_sv *list)
{
    struct az_vec_char text;
    struct az_intern seen;
    uint32_t id;
    size_t named = 0;
    int rc = 0;
    az_intern_init(&seen, job->arena, job->mem);

    *list = AZ_SV("");
    az_vec_init(&text, job->mem);
    for (size_t i = 0; rc == 0 && i < r->n; i++) {
        struct az_sv v;
        const size_t before = seen.text.n;
        memcpy(&v, (const char *)&r->v[i] + offset, sizeof v);
        if (v.n)
            rc = az_intern(&seen, v, &id);
        if (rc || seen.text.n == before || named++ > MOST_LISTED)
            continue;
        rc = named > MOST_LISTED
                 ? az_text_append(&text, AZ_SV(", ..."))
                 : az_text_printf(&text, "%s%.*s", named > 1 ? ", " : "", AZ_SVF(v));
    }
    const size_t n = seen.text.n;
    if (rc == 0)
        *list = az_arena_dup(job->arena, az_text_view(&text));
    else if (!t->error)
        t->error = rc;
    az_vec_release(&text);
    az_intern_release(&seen);
    return n;
}

static void presence(struct az_job *job, const struct az_ranks *r, struct az_table *t)
{
    struct az_sv list, hosts, devices;
    int64_t *present = az_arena_array(job->arena, r->n, sizeof *present);
    for (size_t i = 0; present && i < r->n; i++)
        present[i] = r->v[i].rank;
    list = present ? az_rank_list(job->arena, present, r->n) : AZ_SV("");
    put_item(t, "world size", (double)r->world_size, "", AZ_SV(""));
    put_item(t, "ranks present", (double)r->n, "", list);
    put_item(t, "ranks missing", (double)r->n_missing, "",
             az_rank_list(job->arena, r->missing, r->n_missing));
    put_item(t, "files", (double)(r->n + r->n_failed + r->n_left), "",
             r->n_left ? AZ_SV("some skipped") : AZ_SV(""));
    if (r->n_failed)
        put_item(t, "unreadable files", (double)r->n_failed, "", AZ_SV(""));
    size_t n = different(job, r, offsetof(struct az_rank, host), t, &hosts);
    if (n)
        put_item(t, "hosts", (double)n, "", hosts);
    n = different(job, r, offsetof(struct az_rank, device), t, &devices);
    if (n)
        put_item(t, "device types", (double)n, "", devices);
    uint64_t events = 0;
    for (size_t i = 0; i < r->n; i++)
        events += r->v[i].kept;
    put_item(t, "events", (double)events, "", AZ_SV("kept, all ranks"));
}

/* Averages of a table with a key column and one of averages; `in_ms`: ms in one unit of it. */
static void averages(struct az_job *job, struct az_table *out, const char *table, const char *key,
                     const char *value, double in_ms, const char *what)
{
    const struct az_table *t = az_document_table(job->doc, table);
    const ptrdiff_t k = t ? az_table_find(t, key) : -1, v = t ? az_table_find(t, value) : -1;
    for (size_t i = 0; k >= 0 && v >= 0 && i < t->rows; i++) {
        const struct az_sv name = az_cell_text(az_table_at(t, i, (size_t)k));
        const double x = az_cell_number(az_table_at(t, i, (size_t)v));
        const struct az_sv item = az_arena_printf(job->arena, "%s: %.*s", what, AZ_SVF(name));
        if (item.p && !isnan(x) && x != 0)
            put_item(out, item.p, x * in_ms, "ms", AZ_SV("mean per rank"));
    }
}

/* Those of the timeline, of which each column is a figure. */
static void average_times(struct az_job *job, struct az_table *out)
{
    const struct az_table *t = az_document_table(job->doc, "gpu_timelines_by_rank");
    for (size_t c = 1; t && t->rows && c < t->columns.n; c++) {
        double sum = 0;
        for (size_t r = 0; r < t->rows; r++)
            sum += az_cell_number(az_table_at(t, r, c));
        const struct az_sv item =
            az_arena_printf(job->arena, "timeline: %.*s", AZ_SVF(t->columns.v[c].name));
        if (item.p && !isnan(sum))
            put_item(out, item.p, sum / (double)t->rows, "ms", AZ_SV("mean per rank"));
    }
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "rank_summary", "Rank summary",
                        job->n_traces == 0 ? AZ_TABLE_SUMMARY | AZ_TABLE_SHORT : 0, columns);
    (void)parts;
    presence(job, ranks, t);
    const size_t alone = t ? t->rows : 0;
    average_times(job, t);
    averages(job, t, "grouped_breakdown", "Group", "Time (s)", 1e3, "group");
    if (t && !t->error && t->rows == alone && ranks->n_missing == 0 && ranks->n_failed == 0) {
        az_table_free(t); /* the table of the ranks has the same */
        return 0;
    }
    const int rc = az_job_emit(job, t, 0, NULL, 0);
    /* In front of the first table of the ranks: where the traces are kept, theirs come first. */
    struct az_table_list *l = &job->doc->tables;
    if (rc == 0 && job->n_traces == 0 && l->n) {
        struct az_table *mine = l->v[l->n - 1];
        memmove(l->v + 1, l->v, (l->n - 1) * sizeof(struct az_table *));
        l->v[0] = mine;
    }
    return rc;
}

/* ---- the part as bytes ---- */

static const struct az_shape part_shape = { "rank_summary", 1, NULL, 0, NULL };

const struct az_rank_analysis az_rank_analysis_rank_summary = {
    .name = "rank_summary",
    .help = "ranks present and missing, mean times per rank",
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
