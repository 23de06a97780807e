/* Bandwidth of copies and fills (docs/formulas-collectives.md 6): the rates of those that run at
 * one time, added. Statistics are over the points where at least one runs. The rate of one is the
 * recorded rate, else bytes by time. */
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "compat/hta/breakdown.h"
#include "document/record.h"
#include "facts/groups.h"

#include <math.h>

struct kind_part {
    struct az_sv name; /* "Memcpy HtoD" */
    struct az_hta_stats stats;
    double weighted; /* GB/s, mean over the time that some ran */
    int64_t bytes;   /* -1: of none known */
    size_t n, no_rate;
    int64_t time; /* ticks that some ran */
};
struct memory_part {
    struct kind_part *v;
    size_t n;
};

struct point {
    int64_t at;
    double rate; /* negative: an end */
    bool end;
};
AZ_VEC(struct point, points);

/* "Memcpy DtoD (Device -> Device)" -> "Memcpy DtoD" */
static struct az_sv kind_of(struct az_sv name)
{
    const ptrdiff_t at = az_sv_find(name, AZ_SV(" ("));
    return at > 0 ? az_sv_make(name.p, (size_t)at) : name;
}

static int compare_points(const void *x, const void *y, void *ctx)
{
    const struct point *a = x, *b = y;
    (void)ctx;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (int)b->end - (int)a->end; /* an end before a start of the same time */
}

/* GB/s; NaN: unknown. */
static double rate_of(const struct az_hta *b, const struct az_hta_op *op, int64_t ticks)
{
    const struct az_copy *c = az_hta_copy(b, op);
    if (!c)
        return NAN;
    if (c->gbps > 0)
        return c->gbps;
    return c->bytes >= 0 ? (double)c->bytes * (double)b->trace->ticks_per_ns / (double)ticks : NAN;
}

static int list_points(const struct az_hta *b, const struct az_groups *g, size_t kind,
                       struct points *p, struct kind_part *out)
{
    int rc = 0;
    az_vec_reset(p);
    out->bytes = -1;
    for (uint32_t k = g->first[kind]; rc == 0 && k < g->first[kind + 1]; k++) {
        const struct az_hta_op *op = &b->op[g->item[k]];
        const int64_t us = 1000 * b->trace->ticks_per_ns,
                      end = op->end > op->start ? op->end : op->start + us;
        const double rate = rate_of(b, op, end - op->start);
        out->n++;
        const struct az_copy *c = az_hta_copy(b, op);
        if (c && c->bytes >= 0)
            out->bytes = az_add_sat(out->bytes < 0 ? 0 : out->bytes, c->bytes);
        if (!(rate > 0)) {
            out->no_rate++;
            continue;
        }
        rc = az_vec_push(p, ((struct point){ op->start, rate, false }));
        if (rc == 0)
            rc = az_vec_push(p, ((struct point){ end, rate, true }));
    }
    return rc;
}

/* The running sum is set to nothing where nothing runs, so that no remainder of the additions
 * counts as a point. */
static void measure(const struct points *p, double *value, struct kind_part *out)
{
    double now = 0, area = 0;
    size_t running = 0, n = 0;
    for (size_t i = 0; i < p->n; i++) {
        running = p->v[i].end ? running - 1 : running + 1;
        now = running == 0 ? 0 : now + (p->v[i].end ? -p->v[i].rate : p->v[i].rate);
        if (now > 0)
            value[n++] = now;
        if (i + 1 < p->n && running) {
            area += now * (double)(p->v[i + 1].at - p->v[i].at);
            out->time += p->v[i + 1].at - p->v[i].at;
        }
    }
    out->weighted = out->time ? area / (double)out->time : NAN;
    az_hta_describe_f64(value, n, &out->stats);
}

static int one_kind(struct az_job *job, const struct az_hta *b, const struct az_groups *g,
                    size_t kind, struct points *p, struct kind_part *out)
{
    int rc = list_points(b, g, kind, p, out);
    az_sort_cmp(p->v, p->n, sizeof *p->v, compare_points, NULL, job->mem);
    if (rc)
        return rc;
    double *value = az_mem_alloc(job->mem, (p->n + 1) * sizeof *value);
    if (!value)
        return az_mem_error(job->mem);
    measure(p, value, out);
    az_mem_free(job->mem, value, (p->n + 1) * sizeof *value);
    return AZ_OK;
}

static int compare_kinds(const void *x, const void *y, void *ctx)
{
    (void)ctx;
    return az_sv_cmp(((const struct kind_part *)x)->name, ((const struct kind_part *)y)->name);
}

/* Number of the kind of each operation, AZ_NO_ID for kernels; of: name id -> kind + 1. */
static int number_kinds(const struct az_hta *b, uint32_t *of, uint32_t *kind,
                        struct az_intern *kinds)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < b->n; i++) {
        const struct az_hta_op *op = &b->op[i];
        kind[i] = AZ_NO_ID;
        if ((op->kind != AZ_MEMCPY && op->kind != AZ_MEMSET) || op->name == AZ_NO_ID)
            continue;
        if (!of[op->name]) {
            rc = az_intern(kinds, kind_of(az_hta_text(b, op->name)), &kind[i]);
            of[op->name] = kind[i] + 1;
        }
        kind[i] = of[op->name] - 1;
    }
    return rc;
}

static int all_kinds(struct az_job *job, const struct az_hta *b, const struct az_intern *kinds,
                     const uint32_t *kind, struct az_arena *keep, struct memory_part *out)
{
    struct az_groups g = { 0 };
    struct points p;
    out->v = az_arena_array(keep, kinds->text.n + 1, sizeof *out->v);
    int rc =
        out->v ? az_groups_make(&g, kind, b->n, kinds->text.n, job->mem) : az_arena_error(keep);
    az_vec_init(&p, job->mem);
    for (; rc == 0 && out->n < kinds->text.n; out->n++) {
        out->v[out->n].name = az_hta_copy_text(b, keep, kinds->text.v[out->n]);
        rc = one_kind(job, b, &g, out->n, &p, &out->v[out->n]);
    }
    az_vec_release(&p);
    az_groups_release(&g);
    az_sort_cmp(out->v, out->n, sizeof *out->v, compare_kinds, NULL, job->mem);
    return rc ? rc : keep->failed ? az_arena_error(keep) : AZ_OK;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct az_intern kinds;
    const struct az_hta *b = az_hta_get(job, &rc);
    struct memory_part *out = b ? az_arena_alloc(keep, sizeof *out) : NULL;
    if (!out)
        return b ? az_arena_error(keep) : rc;
    uint32_t *of = az_arena_array(job->arena, b->trace->names.text.n + 1, sizeof *of),
             *kind = az_arena_array(job->arena, b->n + 1, sizeof *kind);
    if (!of || !kind)
        return az_arena_error(job->arena);
    az_intern_init(&kinds, job->arena, job->mem);
    if (rc == 0)
        rc = number_kinds(b, of, kind, &kinds);
    if (rc == 0)
        rc = all_kinds(job, b, &kinds, kind, keep, out);
    az_intern_release(&kinds);
    *part = out;
    return rc;
}

struct kind_row {
    const struct az_rank *rank;
    const struct kind_part *of;
    const struct az_hta_stats *stats;
};
#define ROW struct kind_row
static const struct az_record_column columns[] = {
    AZ_HTA_RANK(ROW),
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, of, name) },
    AZ_HTA_STATS(ROW, stats, AZ_UNIT_GBPS, .ns = false),
    { "mean_over_time", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER, AZ_VIA(ROW, of, weighted) },
    { "operations", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, n) },
    { "without_rate", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, no_rate) },
    { "bytes", AZ_INT, AZ_UNIT_BYTES, AZ_KNOWN_VIA(ROW, of, bytes) },
    { "time (us)", AZ_REAL, AZ_UNIT_US, 0, AZ_VIA(ROW, of, time), AZ_HTA_TICKS(ROW) },
};

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "memory_bw_summary", "Copy and fill bandwidth", 0, columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct memory_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++)
            az_put_row(t, &(ROW){ &ranks->v[i], &p->v[k], &p->v[k].stats });
    }
    return az_document_add(job->doc, t);
}

/* ---- the part as bytes ---- */

static const struct az_shape_field kind_fields[] = {
    AZ_TEXT_OF(struct kind_part, name),   AZ_NEST_OF(struct kind_part, stats, az_hta_shape_stats),
    AZ_PLAIN(struct kind_part, weighted), AZ_PLAIN(struct kind_part, bytes),
    AZ_PLAIN(struct kind_part, n),        AZ_PLAIN(struct kind_part, no_rate),
    AZ_PLAIN(struct kind_part, time)
};
static const struct az_shape kind_shape = AZ_SHAPE(struct kind_part, kind_fields);
static const struct az_shape_field part_fields[] = { AZ_LIST_OF(struct memory_part, v, n,
                                                                kind_shape) };
static const struct az_shape part_shape = AZ_SHAPE(struct memory_part, part_fields);

const struct az_rank_analysis az_rank_analysis_memory = {
    .name = "rank_memory",
    .help = "copy and fill bandwidth by rank",
    .any = AZ_CAP_CALLTREE | AZ_CAP_MEM,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
