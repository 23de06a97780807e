/* Linked, unlinked and short kernels, and calls, of all ranks (docs/formulas-multirank.md 4.4). */
#include "compat/tracelens/sheets_common.h"

#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"

/* One (name, category) of all ranks. */
struct sum {
    struct az_sv name; /* p NULL: none */
    struct az_tracelens_events all;
    const struct az_tracelens_events **of; /* by rank, NULL: none there; only where requested */
};
AZ_VEC(struct sum, sums);

/* The rows of one kind of a part. */
typedef const struct az_tracelens_events *rows_of(const struct az_tracelens_part *p, size_t *n);

static const struct az_tracelens_events *unlinked_of(const struct az_tracelens_part *p, size_t *n)
{
    *n = p->n_unlinked;
    return p->unlinked_of;
}
static const struct az_tracelens_events *short_of(const struct az_tracelens_part *p, size_t *n)
{
    *n = p->n_short;
    return p->short_of;
}
static const struct az_tracelens_events *calls_of(const struct az_tracelens_part *p, size_t *n)
{
    *n = p->n_calls;
    return p->calls;
}

static int add_rank(const struct az_tracelens_ranks *m, size_t rank,
                    const struct az_tracelens_events *e, struct az_intern *texts, struct az_map *of,
                    struct sums *out)
{
    uint32_t name = AZ_NO_ID, *at;
    bool added;
    struct sum fresh = { .name = { NULL, 0 }, .all = *e };
    int rc = 0;
    if (e->name != AZ_NO_ID) {
        fresh.name = az_tracelens_get(&m->part[rank]->texts, e->name);
        rc = az_intern(texts, fresh.name, &name);
    }
    if (rc == 0)
        rc = az_map_put(of, name, e->cat, (uint32_t)out->n, &at, &added);
    if (rc == 0 && added) {
        fresh.of = az_arena_array(m->job->arena, m->ranks->n, sizeof *fresh.of);
        rc = fresh.of ? az_vec_push(out, fresh) : az_arena_error(m->job->arena);
    } else if (rc == 0) {
        struct az_tracelens_events *to = &out->v[*at].all;
        to->count += e->count;
        to->sum = az_add_sat(to->sum, e->sum);
        to->min = e->min < to->min ? e->min : to->min;
        to->max = e->max > to->max ? e->max : to->max;
    }
    if (rc == 0)
        out->v[*at].of[rank] = e;
    return rc;
}

static int gather(const struct az_tracelens_ranks *m, rows_of *rows, struct sums *out)
{
    struct az_intern texts;
    struct az_map of = { .mem = m->job->mem };
    az_vec_init(out, m->job->mem);
    az_intern_init(&texts, m->job->arena, m->job->mem);
    int rc = 0;
    az_map_init(&of, m->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < m->ranks->n; i++) {
        size_t n = 0;
        const struct az_tracelens_events *e = m->part[i] ? rows(m->part[i], &n) : NULL;
        for (size_t k = 0; rc == 0 && k < n; k++)
            rc = add_rank(m, i, &e[k], &texts, &of, out);
    }
    az_map_release(&of);
    az_intern_release(&texts);
    return rc;
}

static int by_count(const void *x, const void *y, void *ctx)
{
    const struct sum *a = x, *b = y;
    (void)ctx;
    if (a->all.count != b->all.count)
        return a->all.count > b->all.count ? -1 : 1;
    const int name = az_sv_cmp(a->name, b->name);
    return name ? name : (a->all.cat > b->all.cat) - (a->all.cat < b->all.cat);
}

static int by_name(const void *x, const void *y, void *ctx)
{
    const struct sum *a = x, *b = y;
    const int name = az_sv_cmp(a->name, b->name);
    (void)ctx;
    return name ? name : (a->all.cat > b->all.cat) - (a->all.cat < b->all.cat);
}

static struct az_sv device_category(uint32_t kind)
{
    return kind == AZ_KERNEL   ? AZ_SV("kernel")
           : kind == AZ_MEMCPY ? AZ_SV("gpu_memcpy")
                               : AZ_SV("gpu_memset");
}

struct linked_row {
    int64_t rank;
    const struct az_tracelens_part *of;
};
AZ_OF_RECORD(int64_t, linked_all, struct linked_row, r->of->linked + r->of->unlinked)

static const struct az_record_column linked_and_short_kernels_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct linked_row, rank) },
    { "num_kernel_events", AZ_INT, AZ_UNIT_COUNT, .integer = linked_all },
    { "num_kernel_events_linked", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(struct linked_row, of, linked) },
    { "num_kernel_events_unlinked", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER,
      AZ_VIA(struct linked_row, of, unlinked) },
    { "num_short_kernel_events_linked", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER,
      AZ_VIA(struct linked_row, of, short_linked) },
    { "num_short_kernel_events_unlinked", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER,
      AZ_VIA(struct linked_row, of, short_unlinked) },
};

static int linked_table(const struct az_tracelens_ranks *m)
{
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "linked_and_short_kernels", "Linked and short kernels", 0,
                        linked_and_short_kernels_columns);
    for (size_t i = 0; i < m->ranks->n; i++)
        if (m->part[i])
            az_put_row(t, &(struct linked_row){ m->ranks->v[i].rank, m->part[i] });
    return az_job_add(m->job, t, 0);
}

AZ_TEXT_OF_RECORD(category_of, struct sum, device_category(r->all.cat))
AZ_OF_RECORD(double, mean_us, struct sum, (double)r->all.sum / (double)r->all.count / 1e3)

static const struct az_record_column unlinked_short_kernels_summary_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(struct sum, name) },
    { "cat", AZ_TEXT, .flags = AZ_KEY, .text = category_of },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct sum, all.count) },
    { "min_dur", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct sum, all.min) },
    { "max_dur", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct sum, all.max) },
    { "mean_dur", AZ_REAL, AZ_UNIT_US, .real = mean_us },
};

static int unlinked_table(const struct az_tracelens_ranks *m, struct sums *s)
{
    struct az_table *t = AZ_RECORD_TABLE(m->job->arena, "unlinked_short_kernels_summary",
                                         "Device events without External id", 0,
                                         unlinked_short_kernels_summary_columns);
    az_sort_cmp(s->v, s->n, sizeof *s->v, by_count, NULL, m->job->mem);
    AZ_PUT_ROWS(t, s->v, s->n);
    return az_job_add(m->job, t, AZ_OK);
}

struct short_row {
    struct az_sv name;
    int64_t count;
    double ranks;
};
AZ_OF_RECORD(double, count_of_rank, struct short_row, (double)r->count / r->ranks)

static const struct az_record_column short_cpu_op_counts_columns[] = {
    { "Parent cpu_op", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct short_row, name) },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, AZ_FIELD(struct short_row, count) },
    { "count_avg", AZ_REAL, AZ_UNIT_COUNT, .real = count_of_rank },
};

static int short_table(const struct az_tracelens_ranks *m, struct sums *s)
{
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "short_cpu_op_counts", "Short kernels by operator", 0,
                        short_cpu_op_counts_columns);
    int64_t total = 0;
    az_sort_cmp(s->v, s->n, sizeof *s->v, by_count, NULL, m->job->mem);
    for (size_t i = 0; i < s->n; i++) {
        total += s->v[i].all.count;
        az_put_row(t, &(struct short_row){ s->v[i].name.p ? s->v[i].name : AZ_SV("(no operator)"),
                                           s->v[i].all.count, (double)m->n });
    }
    if (s->n)
        az_put_row(t, &(struct short_row){ AZ_SV("Total"), total, (double)m->n });
    return az_job_add(m->job, t, AZ_OK);
}

/* What a rank has of a name; an empty cell: nothing. */
static int64_t rank_count(const void *row, size_t rank)
{
    const struct az_tracelens_events *e = ((const struct sum *)row)->of[rank];
    return e ? e->count : INT64_MIN;
}
static double rank_min(const void *row, size_t rank)
{
    const struct az_tracelens_events *e = ((const struct sum *)row)->of[rank];
    return e ? (double)e->min / 1e3 : NAN;
}
static double rank_max(const void *row, size_t rank)
{
    const struct az_tracelens_events *e = ((const struct sum *)row)->of[rank];
    return e ? (double)e->max / 1e3 : NAN;
}
static double rank_mean(const void *row, size_t rank)
{
    const struct az_tracelens_events *e = ((const struct sum *)row)->of[rank];
    return e ? (double)e->sum / (double)e->count / 1e3 : NAN;
}
AZ_TEXT_OF_RECORD(call_category, struct sum,
                  r->all.cat ? AZ_SV("cuda_driver") : AZ_SV("cuda_runtime"))

static const struct az_record_column cuda_events_summary_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(struct sum, name) },
    { "cat", AZ_TEXT, .flags = AZ_KEY, .text = call_category },
};
static const struct az_record_column call_columns_of_rank[] = {
    { "count_r", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, .integer_nth = rank_count },
    { "min_dur_r", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real_nth = rank_min },
    { "max_dur_r", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real_nth = rank_max },
    { "mean_dur_r", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real_nth = rank_mean },
};

static int calls_table(const struct az_tracelens_ranks *m, struct sums *s)
{
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "cuda_events_summary", "Runtime and driver calls", 0,
                        cuda_events_summary_columns);
    for (size_t f = 0; f < AZ_LENGTH(call_columns_of_rank); f++)
        for (size_t i = 0; i < m->ranks->n; i++)
            if (m->part[i])
                az_tracelens_rank_columns(m, t, &call_columns_of_rank[f], 1, i);
    az_sort_cmp(s->v, s->n, sizeof *s->v, by_name, NULL, m->job->mem);
    AZ_PUT_ROWS(t, s->v, s->n);
    return az_job_add(m->job, t, AZ_OK);
}

static int make_sheet(const struct az_tracelens_ranks *m, rows_of *rows,
                      int (*table)(const struct az_tracelens_ranks *, struct sums *))
{
    struct sums s;
    int rc = gather(m, rows, &s);
    if (rc == 0)
        rc = table(m, &s);
    az_vec_release(&s);
    return rc;
}

int az_tracelens_event_tables(const struct az_tracelens_ranks *m)
{
    int rc = linked_table(m);
    if (rc == 0)
        rc = make_sheet(m, unlinked_of, unlinked_table);
    if (rc == 0)
        rc = make_sheet(m, short_of, short_table);
    return rc ? rc : make_sheet(m, calls_of, calls_table);
}
