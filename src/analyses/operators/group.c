#include "analyses/operators/group.h"

#include "base/num.h"
#include "base/sort.h"

/* Order of the companion's rows: rows that differ only by what overlaps them stay together. */
struct op_row {
    uint32_t group;
    int64_t time, base_time; /* of the group; of the plain row it belongs to */
    uint64_t uid, base_uid;  /* of the first operation; the least of the plain row */
};

/* Longest plain row first, ties by its least uid; within one the longest first, ties by uid. */
static int compare_rows(const void *a, const void *b, void *ctx)
{
    const struct op_row *x = a, *y = b;
    (void)ctx;
    if (x->base_time != y->base_time)
        return x->base_time > y->base_time ? -1 : 1;
    if (x->base_uid != y->base_uid)
        return x->base_uid < y->base_uid ? -1 : 1;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->uid < y->uid ? -1 : x->uid > y->uid;
}

static int put_in_order(struct az_op_groups *x)
{
    const struct az_groups *g = &x->g;
    struct az_arena a;
    az_arena_init(&a, x->job->mem);
    struct op_row *row = az_arena_array(&a, g->groups + 1, sizeof *row),
                  *plain = az_arena_array(&a, x->base->groups + 1, sizeof *plain);
    int rc = row && plain ? 0 : az_arena_error(&a);
    for (uint32_t k = 0; rc == 0 && k < g->groups; k++) {
        const uint32_t first = az_groups_first(g, k), base = x->base->of[first];
        row[k] = (struct op_row){ .group = k,
                                  .time = az_groups_sum(g, k, x->time),
                                  .uid = x->kind->uid(x->ctx, first) };
        if (plain[base].group++ == 0 || row[k].uid < plain[base].uid) /* counts its rows */
            plain[base].uid = row[k].uid;
        plain[base].time = az_add_sat(plain[base].time, row[k].time);
    }
    for (size_t k = 0; rc == 0 && k < g->groups; k++) {
        const struct op_row *base = &plain[x->base->of[az_groups_first(g, k)]];
        row[k].base_time = base->time;
        row[k].base_uid = base->uid;
    }
    if (rc == 0)
        az_sort_cmp(row, g->groups, sizeof *row, compare_rows, NULL, x->job->mem);
    for (size_t k = 0; rc == 0 && k < g->groups; k++)
        rc = x->kind->put(x->ctx, x, row[k].group);
    az_arena_release(&a);
    return rc;
}

static int table(struct az_op_groups *x)
{
    const struct az_op_kind *kind = x->kind;
    x->t = kind->open(x->ctx, x);
    if (!x->t)
        return az_arena_error(x->job->arena);
    az_table_reserve(x->t, x->g.groups);
    int rc = x->base ? put_in_order(x) : 0;
    for (size_t k = 0; rc == 0 && !x->base && k < x->g.groups; k++)
        rc = kind->put(x->ctx, x, k);
    if (rc == 0 && !x->base)
        rc = az_record_sort(x->t);
    if (rc == 0)
        az_framework_shares(x->t, (int)az_record_place(x->t, kind->sum));
    if (rc == 0 && !x->base && kind->option)
        az_framework_truncate(x->job, x->t, kind->most, kind->option);
    return az_job_add(x->job, x->t, rc);
}

static int key_split(void *ctx, size_t i, uint64_t key[2])
{
    const struct az_op_groups *x = ctx;
    key[0] = x->base->of[i];
    key[1] = x->overlap->names[i];
    return 1;
}

static int companion(const struct az_op_groups *plain)
{
    struct az_op_groups x = *plain;
    struct az_overlap_ops o = { 0 };
    struct az_arena a;
    az_arena_init(&a, x.job->mem);
    struct az_gpu_run *own = az_arena_array(&a, x.n + 1, sizeof *own);
    for (size_t i = 0; own && i < x.n; i++)
        own[i] = x.kind->own(x.ctx, i);
    int rc = own ? az_framework_overlap_ops(&o, x.job, x.fw, own, x.n) : az_arena_error(&a);
    az_arena_release(&a);
    x.g = (struct az_groups){ 0 };
    x.details = (struct az_framework_details){ .fw = x.fw };
    x.base = &plain->g;
    x.overlap = &o;
    if (rc == 0)
        rc = az_groups_by(&x.g, x.n, key_split, &x, x.job->mem);
    if (rc == 0)
        rc = az_framework_details_init(&x.details, x.fw, x.job->arena, x.job->mem);
    if (rc == 0)
        rc = table(&x);
    az_framework_details_release(&x.details);
    az_groups_release(&x.g);
    az_framework_overlap_ops_release(&o);
    return rc;
}

int az_op_tables(struct az_op_groups *x)
{
    int rc = az_framework_details_init(&x->details, x->fw, x->job->arena, x->job->mem);
    if (rc == 0)
        rc = az_groups_by(&x->g, x->n, x->kind->key, x->ctx, x->job->mem);
    if (rc == 0 && !x->job->opts->include_overlap_info)
        az_groups_forget(&x->g); /* the companion needs it */
    if (rc == 0)
        rc = table(x);
    az_framework_details_release(&x->details);
    if (rc == 0 && x->job->opts->include_overlap_info)
        rc = companion(x);
    az_groups_release(&x->g);
    return rc;
}

static const struct az_record_column overlap_column[] = {
    { "overlapping_kernel_names", AZ_TEXT, .flags = AZ_KEY },
};

void az_op_overlap_column(const struct az_op_groups *x, struct az_table *t)
{
    if (x->overlap)
        AZ_RECORD_COLUMNS(t, overlap_column);
}

void az_op_put_overlap(const struct az_op_groups *x, size_t group)
{
    if (x->overlap)
        az_put_optional(x->t, az_overlap_text(x->overlap, az_groups_first(&x->g, group)));
}

int az_op_put_details(struct az_op_groups *x, size_t group)
{
    struct az_mem *mem = x->job->mem;
    struct az_sv full = AZ_SV(""), brief = AZ_SV("");
    size_t n;
    const uint32_t *op = az_groups_items(&x->g, group, &n);
    struct az_gpu_run *runs = az_mem_alloc(mem, (n + 1) * sizeof *runs);
    if (!runs)
        return az_mem_error(mem);
    for (size_t i = 0; i < n; i++)
        runs[i] = x->kind->own(x->ctx, op[i]);
    int rc = az_framework_details_make(&x->details, runs, n, &full, &brief);
    az_mem_free(mem, runs, (n + 1) * sizeof *runs);
    az_put_text(x->t, full);
    az_put_text(x->t, brief);
    return rc || !x->overlap ? rc : az_framework_put_overlap(x->overlap, x->t, op, n, &x->details);
}
