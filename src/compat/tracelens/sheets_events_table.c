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

static int add(const struct az_tracelens_ranks *m, size_t rank, const struct az_tracelens_events *e,
               struct az_intern *texts, struct az_map *of, struct sums *out)
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
    int rc = az_intern_init(&texts, m->job->arena, m->job->mem);
    if (rc == 0)
        rc = az_map_init(&of, m->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < m->ranks->n; i++) {
        size_t n = 0;
        const struct az_tracelens_events *e = m->part[i] ? rows(m->part[i], &n) : NULL;
        for (size_t k = 0; rc == 0 && k < n; k++)
            rc = add(m, i, &e[k], &texts, &of, out);
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

static void put_durations(struct az_table *t, const struct az_tracelens_events *e)
{
    az_put_f64(t, az_us_from_ns(e->min));
    az_put_f64(t, az_us_from_ns(e->max));
    az_put_f64(t, (double)e->sum / (double)e->count / 1e3);
}

static const struct az_record_column linked_and_short_kernels_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "num_kernel_events", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "num_kernel_events_linked", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "num_kernel_events_unlinked", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_LOWER_BETTER },
    { "num_short_kernel_events_linked", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_LOWER_BETTER },
    { "num_short_kernel_events_unlinked", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_LOWER_BETTER },
};

static int linked_table(const struct az_tracelens_ranks *m)
{
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "linked_and_short_kernels", "Linked and short kernels", 0,
                        linked_and_short_kernels_columns);
    for (size_t i = 0; i < m->ranks->n; i++) {
        const struct az_tracelens_part *p = m->part[i];
        if (!p)
            continue;
        az_put_i64(t, m->ranks->v[i].rank);
        az_put_i64(t, p->linked + p->unlinked);
        az_put_i64(t, p->linked);
        az_put_i64(t, p->unlinked);
        az_put_i64(t, p->short_linked);
        az_put_i64(t, p->short_unlinked);
    }
    return az_job_add(m->job, t, 0);
}

static const struct az_record_column unlinked_short_kernels_summary_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY },       { "cat", AZ_TEXT, .flags = AZ_KEY },
    { "count", AZ_INT, .unit = AZ_UNIT_COUNT }, { "min_dur", AZ_REAL, .unit = AZ_UNIT_US },
    { "max_dur", AZ_REAL, .unit = AZ_UNIT_US }, { "mean_dur", AZ_REAL, .unit = AZ_UNIT_US },
};

static int unlinked_table(const struct az_tracelens_ranks *m, struct sums *s)
{
    struct az_table *t = AZ_RECORD_TABLE(m->job->arena, "unlinked_short_kernels_summary",
                                         "Device events without External id", 0,
                                         unlinked_short_kernels_summary_columns);
    int rc = az_sort_cmp(s->v, s->n, sizeof *s->v, by_count, NULL, m->job->mem);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        az_put_given(t, s->v[i].name);
        az_put_text(t, device_category(s->v[i].all.cat));
        az_put_i64(t, s->v[i].all.count);
        put_durations(t, &s->v[i].all);
    }
    return az_job_add(m->job, t, rc);
}

static const struct az_record_column short_cpu_op_counts_columns[] = {
    { "Parent cpu_op", AZ_TEXT, .flags = AZ_KEY },
    { "count", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_LOWER_BETTER },
    { "count_avg", AZ_REAL, .unit = AZ_UNIT_COUNT },
};

static int short_table(const struct az_tracelens_ranks *m, struct sums *s)
{
    struct az_table *t =
        az_table_new(m->job->arena, "short_cpu_op_counts", "Short kernels by operator", 0);
    int64_t total = 0;
    az_record_columns(t, short_cpu_op_counts_columns, AZ_LENGTH(short_cpu_op_counts_columns));
    int rc = az_sort_cmp(s->v, s->n, sizeof *s->v, by_count, NULL, m->job->mem);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        total += s->v[i].all.count;
        az_put_text(t, s->v[i].name.p ? s->v[i].name : AZ_SV("(no operator)"));
        az_put_i64(t, s->v[i].all.count);
        az_put_f64(t, (double)s->v[i].all.count / (double)m->n);
    }
    if (rc == 0 && s->n) {
        az_put_text(t, AZ_SV("Total"));
        az_put_i64(t, total);
        az_put_f64(t, (double)total / (double)m->n);
    }
    return az_job_add(m->job, t, rc);
}

/* One metric of every rank. */
static void put_ranks(const struct az_tracelens_ranks *m, struct az_table *t, const struct sum *s,
                      int figure)
{
    for (size_t i = 0; i < m->ranks->n; i++) {
        const struct az_tracelens_events *e = s->of[i];
        if (!m->part[i])
            continue;
        if (!e)
            az_put_empty(t);
        else if (figure == 0)
            az_put_i64(t, e->count);
        else
            az_put_f64(t, (figure == 1   ? (double)e->min
                           : figure == 2 ? (double)e->max
                                         : (double)e->sum / (double)e->count) /
                              1e3);
    }
}

static int calls_table(const struct az_tracelens_ranks *m, struct sums *s)
{
    static const char *const figure[] = { "count_r", "min_dur_r", "max_dur_r", "mean_dur_r" };
    struct az_table *t =
        az_table_new(m->job->arena, "cuda_events_summary", "Runtime and driver calls", 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "cat", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (int f = 0; f < 4; f++)
        for (size_t i = 0; i < m->ranks->n; i++)
            if (m->part[i])
                az_table_columnsv(
                    t, az_tracelens_column(m->job->arena, figure[f], m->ranks->v[i].rank),
                    f ? AZ_REAL : AZ_INT, f ? AZ_UNIT_US : AZ_UNIT_COUNT, AZ_DETAIL);
    int rc = az_sort_cmp(s->v, s->n, sizeof *s->v, by_name, NULL, m->job->mem);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        az_put_given(t, s->v[i].name);
        az_put_text(t, s->v[i].all.cat ? AZ_SV("cuda_driver") : AZ_SV("cuda_runtime"));
        for (int f = 0; f < 4; f++)
            put_ranks(m, t, &s->v[i], f);
    }
    return az_job_add(m->job, t, rc);
}

static int one(const struct az_tracelens_ranks *m, rows_of *rows,
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
        rc = one(m, unlinked_of, unlinked_table);
    if (rc == 0)
        rc = one(m, short_of, short_table);
    return rc ? rc : one(m, calls_of, calls_table);
}
