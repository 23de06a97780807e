/* Hardware counters of kernels (docs/formulas-collectives.md 6): ranges of the profiler matched by
 * their order to launch calls, with the operators around each call. Only if there are as many
 * ranges as launches: otherwise which range belongs to which launch is not known, and the rows have
 * no operators. */
#include "analyses/registry_list.h"
#include "compat/hta/breakdown.h"
#include "facts/lazy_cache.h"

enum { ROWS = 5000, DEPTH = 64, COLUMNS = 200 }; /* ranges a rank; operators of a stack; counters */

struct counter_row {
    struct az_sv name, kernel, stack, top, bottom;
    int64_t duration;
    const struct az_counter_value *v; /* names: columns of the part */
    size_t n;
};
struct counter_part {
    struct az_sv *column;
    size_t n_columns;
    struct counter_row *row;
    size_t n, more, launches;
    bool matched;
};

/* Names of the operators around a call, outermost first. */
static int stack_of(const struct az_hta *b, uint32_t call_row, struct az_arena *keep,
                    struct counter_row *r)
{
    const struct az_calltree *tree = b->tree;
    uint32_t node[DEPTH], n = 0;
    for (uint32_t at = tree->parent[tree->first_call + call_row]; at != AZ_NO_ROW;
         at = tree->parent[at])
        if (at < tree->first_call && n < DEPTH)
            node[n++] = at;
    if (n == 0)
        return AZ_OK;
    r->bottom = az_hta_copy_text(b, keep, az_node_name(tree, node[0]));
    r->top = az_hta_copy_text(b, keep, az_node_name(tree, node[n - 1]));
    r->stack = r->top;
    for (uint32_t i = n - 1; i > 0 && r->stack.p; i--)
        r->stack = az_arena_printf(keep, "%.*s;%.*s", AZ_SVF(r->stack),
                                   AZ_SVF(az_node_name(tree, node[i - 1])));
    return keep->failed ? az_arena_error(keep) : AZ_OK;
}

/* Launches of kernels by start, and the kernel of each. */
static int list_launches(struct az_job *job, struct az_hta *b, struct az_vec_u32 *calls,
                         uint32_t **kernel)
{
    const struct az_events *e = &b->trace->ev[AZ_CALL];
    int rc = 0;
    *kernel = az_arena_array(job->arena, e->n + 1, sizeof **kernel); /* call row -> op + 1 */
    if (!*kernel)
        return az_arena_error(job->arena);
    for (uint32_t i = 0; i < b->n; i++)
        if (b->op[i].kind == AZ_KERNEL && b->op[i].call != AZ_NO_ROW)
            (*kernel)[b->op[i].call] = i + 1;
    for (uint32_t i = 0; rc == 0 && i < e->n; i++)
        if (az_hta_call_of(b, i) == AZ_HTA_LAUNCH)
            rc = az_vec_push(calls, i);
    return rc;
}

/* Counters that occur, in order of appearance; column: name id -> its number + 1. */
static int list_columns(struct az_job *job, const struct az_hta *b, struct az_arena *keep,
                        uint32_t **column, struct counter_part *p)
{
    const struct az_counter_values *v = &az_optrace(b->trace)->counter_values;
    size_t n = 0;
    *column = az_arena_array(job->arena, b->trace->names.text.n + 1, sizeof **column);
    if (!*column)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < v->n && n < COLUMNS; i++)
        if (!(*column)[v->v[i].name])
            (*column)[v->v[i].name] = (uint32_t)++n;
    p->column = az_arena_array(keep, n + 1, sizeof *p->column);
    if (!p->column)
        return az_arena_error(keep);
    for (size_t i = 0; i < v->n; i++) {
        const uint32_t at = (*column)[v->v[i].name];
        struct az_sv *text = &p->column[at ? at - 1 : 0];
        if (at && !text->p)
            *text = az_hta_copy_text(b, keep, az_trace_text(b->trace, v->v[i].name));
    }
    p->n_columns = n;
    return AZ_OK;
}

static int one_row(const struct az_hta *b, const struct az_counter_range *c, const uint32_t *column,
                   struct az_arena *keep, struct counter_row *r)
{
    const struct az_counter_value *all = az_optrace(b->trace)->counter_values.v;
    struct az_counter_value *v =
        az_arena_array(keep, (c->n < COLUMNS ? c->n : COLUMNS) + 1, sizeof *v);
    size_t n = 0;
    if (!v)
        return az_arena_error(keep);
    for (uint32_t k = 0; k < c->n && n < COLUMNS; k++) {
        const struct az_counter_value *from = &all[c->first + k];
        if (column[from->name])
            v[n++] = (struct az_counter_value){ column[from->name] - 1, from->value };
    }
    *r = (struct counter_row){ .name = az_hta_copy_text(b, keep, az_hta_text(b, c->name)),
                               .duration = c->end - c->start,
                               .v = v,
                               .n = n };
    return keep->failed ? az_arena_error(keep) : AZ_OK;
}

static int counter_rows(struct az_hta *b, const struct az_vec_u32 *calls, const uint32_t *kernel,
                        const uint32_t *column, struct az_arena *keep, struct counter_part *p)
{
    const struct az_counter_ranges *c = &az_optrace(b->trace)->counters;
    int rc = 0;
    p->launches = calls->n;
    p->matched = calls->n == c->n;
    p->n = c->n < ROWS ? c->n : ROWS;
    p->more = c->n - p->n;
    p->row = az_arena_array(keep, p->n + 1, sizeof *p->row);
    if (!p->row)
        return az_arena_error(keep);
    for (size_t i = 0; rc == 0 && i < p->n; i++) {
        rc = one_row(b, &c->v[i], column, keep, &p->row[i]);
        if (rc || !p->matched)
            continue;
        const uint32_t op = kernel[calls->v[i]];
        p->row[i].kernel =
            op ? az_hta_copy_text(b, keep, az_hta_text(b, b->op[op - 1].name)) : AZ_SV("");
        rc = stack_of(b, calls->v[i], keep, &p->row[i]);
    }
    return rc;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct az_vec_u32 calls;
    uint32_t *kernel = NULL, *column = NULL;
    if (az_optrace(job->traces[0])->counters.n == 0)
        return AZ_OK;
    struct az_hta *b = az_hta_get(job, &rc);
    struct counter_part *p = b ? az_arena_alloc(keep, sizeof *p) : NULL;
    if (!p)
        return b ? az_arena_error(keep) : rc;
    az_vec_init(&calls, job->mem);
    rc = list_launches(job, b, &calls, &kernel);
    if (rc == 0)
        rc = list_columns(job, b, keep, &column, p);
    if (rc == 0)
        rc = counter_rows(b, &calls, kernel, column, keep, p);
    az_vec_release(&calls);
    *part = p;
    return rc;
}

/* ---- finish ---- */
/* All counters of all ranks, each once. */
static int all_columns(const struct az_ranks *ranks, void *const *parts, struct az_vec_sv *all)
{
    int rc = 0;
    for (size_t i = 0; i < ranks->n; i++) {
        const struct counter_part *p = parts[i];
        for (size_t k = 0; rc == 0 && p && k < p->n_columns; k++) {
            size_t at = 0;
            while (at < all->n && !az_sv_eq(all->v[at], p->column[k]))
                at++;
            rc = at == all->n ? az_vec_push(all, p->column[k]) : 0;
        }
    }
    return rc;
}

struct range_row {
    const struct az_rank *rank;
    const struct counter_row *of;
};
#define ROW struct range_row
static const struct az_record_column columns[] = {
    AZ_HTA_RANK(ROW),
    { "range", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, of, name) },
    { "kernel", AZ_TEXT, AZ_KNOWN_VIA(ROW, of, kernel) },
    { "top_level_op", AZ_TEXT, AZ_KNOWN_VIA(ROW, of, top) },
    { "bottom_level_op", AZ_TEXT, AZ_KNOWN_VIA(ROW, of, bottom) },
    { "op_stack", AZ_TEXT, AZ_KNOWN_VIA(ROW, of, stack) },
    { "range duration (us)", AZ_REAL, AZ_UNIT_US, 0, AZ_VIA(ROW, of, duration), AZ_HTA_TICKS(ROW) },
};

static void put_range(struct az_table *t, const struct az_rank *r, const struct counter_part *p,
                      const struct counter_row *x, const struct az_vec_sv *all)
{
    az_put_row(t, &(ROW){ r, x });
    for (size_t k = 0; k < all->n; k++) {
        size_t at = 0;
        while (at < x->n && !az_sv_eq(p->column[x->v[at].name], all->v[k]))
            at++;
        if (at < x->n)
            az_put_f64(t, x->v[at].value);
        else
            az_put_empty(t);
    }
}

static void cover(struct az_job *job, const struct az_rank *r, const struct counter_part *p)
{
    if (p->more)
        az_cover(job, "ranges omitted from cupti_counters", (double)p->more, "",
                 az_arena_printf(job->arena, "last ranges of rank %lld", (long long)r->rank));
    if (!p->matched)
        az_cover(job, "cupti_counters without operators", (double)(p->n + p->more), "",
                 az_arena_printf(
                     job->arena,
                     "rank %lld has %zu kernel launches: counts of ranges and launches differ",
                     (long long)r->rank, p->launches));
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_vec_sv all;
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "cupti_counters", "Hardware counters by kernel", 0, columns);
    az_vec_init(&all, job->mem);
    const int rc = all_columns(ranks, parts, &all);
    for (size_t k = 0; k < all.n; k++)
        az_table_columnsv(t, all.v[k], AZ_REAL, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct counter_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++)
            put_range(t, &ranks->v[i], p, &p->row[k], &all);
        if (p)
            cover(job, &ranks->v[i], p);
    }
    az_vec_release(&all);
    return az_job_add(job, t, rc);
}

/* ---- the part as bytes ---- */

static bool part_valid(const void *of)
{
    const struct counter_part *p = of;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->row[i].n; k++)
            if (p->row[i].v[k].name >= p->n_columns)
                return false;
    return true;
}
static const struct az_shape_field value_fields[] = { AZ_PLAIN(struct az_counter_value, name),
                                                      AZ_PLAIN(struct az_counter_value, value) };
static const struct az_shape value_shape = AZ_SHAPE(struct az_counter_value, value_fields);
static const struct az_shape_field row_fields[] = { AZ_TEXT_OF(struct counter_row, name),
                                                    AZ_TEXT_OF(struct counter_row, kernel),
                                                    AZ_TEXT_OF(struct counter_row, stack),
                                                    AZ_TEXT_OF(struct counter_row, top),
                                                    AZ_TEXT_OF(struct counter_row, bottom),
                                                    AZ_PLAIN(struct counter_row, duration),
                                                    AZ_LIST_OF(struct counter_row, v, n,
                                                               value_shape) };
static const struct az_shape row_shape = AZ_SHAPE(struct counter_row, row_fields);
static const struct az_shape_field part_fields[] = {
    AZ_LIST_OF(struct counter_part, column, n_columns, az_shape_text),
    AZ_LIST_OF(struct counter_part, row, n, row_shape), AZ_PLAIN(struct counter_part, more),
    AZ_PLAIN(struct counter_part, launches), AZ_PLAIN(struct counter_part, matched)
};
static const struct az_shape part_shape = AZ_SHAPE_IF(struct counter_part, part_fields, part_valid);

const struct az_rank_analysis az_rank_analysis_counters = {
    .name = "rank_counters",
    .help = "hardware counters by kernel",
    .needs = AZ_CAP_CALLTREE,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
