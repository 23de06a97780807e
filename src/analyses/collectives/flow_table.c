/* All-to-all of uneven sizes: who sends how much to whom, as a list and as a matrix.
 * docs/formulas-collectives.md 3.3. */
#include "analyses/collectives/collectives.h"
#include "base/sort.h"
#include "document/record.h"
#include "text/jsonscan.h"

#include <math.h>

#define MATRIX_RANKS 256 /* a matrix of more is skipped */

struct flow { /* of one source to one destination */
    int64_t src, dst, bytes, count;
};
AZ_VEC(struct flow, flows);

struct az_coll_flows {
    struct az_coll_run *c;
    struct flows v;
    struct az_map pairs; /* (src, dst) -> flow */
};

static double megabytes_of(int64_t bytes) { return (double)bytes / (1024.0 * 1024.0); }

int az_coll_flows_open(struct az_coll_flows **out, struct az_coll_run *c)
{
    struct az_coll_flows *k = az_arena_alloc(c->arena, sizeof *k);
    *out = k;
    if (!k)
        return az_arena_error(c->arena);
    k->c = c;
    az_vec_init(&k->v, c->job->mem);
    az_map_init(&k->pairs, c->job->mem, 64);
    return 0;
}

void az_coll_flows_close(struct az_coll_flows *k)
{
    if (!k)
        return;
    az_map_release(&k->pairs);
    az_vec_release(&k->v);
}

static int add_flow(struct az_coll_flows *k, int64_t src, int64_t dst, int64_t bytes)
{
    const uint32_t at = az_map_number(&k->pairs, (uint64_t)src, (uint64_t)dst, k->v.n);
    if (at == k->v.n)
        az_vec_add(&k->v, ((struct flow){ .src = src, .dst = dst }));
    if (at >= k->v.n)
        return az_mem_error(k->v.mem);
    k->v.v[at].bytes = az_add_sat(k->v.v[at].bytes, bytes);
    k->v.v[at].count++;
    return 0;
}

/* The splits of one member: element j goes to the j-th member of the group, which is a rank of the
 * run. *own: bytes that it keeps, -1 where the splits are unknown. */
int az_coll_flows_add(struct az_coll_flows *k, uint32_t g, int64_t *own)
{
    const struct az_coll_run *c = k->c;
    const struct az_coll_what *w = az_coll_what(c, g);
    const struct az_coll_group *group = &c->groups.v[az_coll_group_of(c, g)];
    const int64_t size = az_coll_dtype_bytes(w->dtype);
    struct az_jview v;
    struct az_sv x;
    size_t n = 0;
    int64_t elements, bytes;
    *own = -1;
    if (!size || !group->members || az_sv_find(w->in_split, AZ_SV("...")) >= 0 ||
        !az_jview_array(&v, w->in_split))
        return 0;
    while (az_jview_next(&v, &x)) /* all or nothing */
        n += az_parse_i64(x, &elements) == 0 && elements >= 0 &&
             !__builtin_mul_overflow(elements, size, &bytes);
    if (n != group->n_members)
        return 0;
    int rc = 0;
    (void)az_jview_array(&v, w->in_split);
    for (size_t j = 0; rc == 0 && j < n && az_jview_next(&v, &x); j++) {
        if (az_parse_i64(x, &elements))
            return 0;
        if (group->members[j] == az_coll_rank(c, g))
            *own = elements * size;
        rc = add_flow(k, az_coll_rank(c, g), group->members[j], elements * size);
    }
    return rc;
}

static int by_pair(const void *p, const void *q, void *ctx)
{
    const struct flow *a = p, *b = q;
    (void)ctx;
    if (a->src != b->src)
        return a->src < b->src ? -1 : 1;
    return a->dst < b->dst ? -1 : a->dst > b->dst;
}

AZ_OF_RECORD(double, total_mb, struct flow, megabytes_of(r->bytes))
AZ_OF_RECORD(double, mean_mb, struct flow, megabytes_of(r->bytes) / (double)r->count)
static const struct az_record_column heatmap_columns[] = {
    { "src_rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct flow, src) },
    { "dst_rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct flow, dst) },
    { "total_sent_MB", AZ_REAL, AZ_UNIT_MB, .real = total_mb },
    { "avg_sent_MB", AZ_REAL, AZ_UNIT_MB, .real = mean_mb },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct flow, count) },
};

static int heatmap(struct az_coll_flows *k)
{
    struct az_coll_run *c = k->c;
    struct az_table *t = AZ_RECORD_TABLE(c->arena, "nccl_all2allv_heatmap",
                                         "All-to-all traffic by rank pair", 0, heatmap_columns);
    AZ_PUT_ROWS(t, k->v.v, k->v.n);
    return az_job_add(c->job, t, 0);
}

/* Ranks that send or receive, ascending; -1: too many for a matrix. */
static int64_t ranks_of(const struct flows *f, int64_t *rank)
{
    int64_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        for (int side = 0; side < 2; side++) {
            const int64_t r = side ? f->v[i].dst : f->v[i].src;
            int64_t at = 0;
            while (at < n && rank[at] < r)
                at++;
            if (at < n && rank[at] == r)
                continue;
            if (n == MATRIX_RANKS)
                return -1;
            memmove(&rank[at + 1], &rank[at], (size_t)(n - at) * sizeof *rank);
            rank[at] = r;
            n++;
        }
    }
    return n;
}

/* The same as rows and columns; flows are sorted. */
static int matrix(struct az_coll_flows *k)
{
    struct az_coll_run *c = k->c;
    int64_t rank[MATRIX_RANKS + 1];
    const int64_t n = ranks_of(&k->v, rank);
    struct az_chart chart = { .kind = AZ_CHART_HEAT,
                              .table = AZ_SV("nccl_all2allv_matrix"),
                              .title = AZ_SV("All-to-all traffic matrix (MiB)"),
                              .x = AZ_SV("src_rank"),
                              .x_title = AZ_SV("sender"),
                              .y_title = AZ_SV("receiver") };
    if (n < 0) {
        az_cover(c->job, "nccl_all2allv_matrix skipped", (double)c->ranks->n, "ranks",
                 AZ_SV("more than 256 ranks; see nccl_all2allv_heatmap for all pairs"));
        return 0;
    }
    struct az_table *t =
        az_table_new(c->arena, "nccl_all2allv_matrix", "All-to-all traffic matrix (MiB)", 0);
    az_vec_init(&chart.y, c->job->doc->mem);
    int rc = 0;
    az_table_column(t, "src_rank", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (int64_t j = 0; rc == 0 && j < n; j++) {
        const struct az_sv name = az_arena_printf(c->arena, "to rank %lld", (long long)rank[j]);
        az_table_columnsv(t, name, AZ_REAL, AZ_UNIT_MB, 0);
        rc = az_vec_push(&chart.y, name);
    }
    size_t at = 0;
    for (int64_t i = 0; rc == 0 && i < n; i++) {
        az_put_text(t, az_arena_printf(c->arena, "rank %lld", (long long)rank[i]));
        for (int64_t j = 0; j < n; j++) {
            const bool here = at < k->v.n && k->v.v[at].src == rank[i] && k->v.v[at].dst == rank[j];
            az_put_f64(t, here ? megabytes_of(k->v.v[at++].bytes) : NAN);
        }
    }
    rc = az_job_add(c->job, t, rc);
    if (rc) {
        az_vec_release(&chart.y);
        return rc;
    }
    return az_document_chart(c->job->doc, chart);
}

int az_coll_flow_tables(struct az_coll_flows *k)
{
    az_sort_cmp(k->v.v, k->v.n, sizeof *k->v.v, by_pair, NULL, k->c->job->mem);
    if (k->v.n == 0)
        return 0;
    int rc = heatmap(k);
    return rc ? rc : matrix(k);
}
