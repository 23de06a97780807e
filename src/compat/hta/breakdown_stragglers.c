/* Ranks that may be stragglers, by the collective whose duration varies most between ranks
 * (docs/formulas-collectives.md 6.1, with its test of names corrected: all communication kernels
 * count). The collectives' own analysis, which matches them one by one, is the better evidence;
 * this one needs nothing but names. */
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "compat/hta/breakdown.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

#include <math.h>

struct last_of { /* the last kernel of one name on one stream in one step */
    struct az_sv name;
    int64_t stream, iteration; /* number of its step */
    int64_t tick;
    double duration; /* in mean steps of this rank */
};
struct straggler_part {
    struct last_of *v;
    size_t n;
};

/* ---- reduce ---- */
static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct az_map seen;
    struct az_hta *b = az_hta_get(job, &rc);
    struct straggler_part *p = b ? az_arena_alloc(keep, sizeof *p) : NULL;
    if (!p)
        return b ? az_arena_error(keep) : rc;
    *part = p;
    if (b->n_steps == 0)
        return AZ_OK;
    const int64_t zero = b->step[0].start;
    const double step = (double)(b->step[b->n_steps - 1].end - zero) / (double)b->n_steps;
    size_t most = 0;
    for (size_t i = 0; i < b->n; i++)
        most += b->op[i].type == AZ_HTA_COMMUNICATION;
    struct last_of *v = p->v =
        az_arena_array(job->arena, most + 1, sizeof *p->v); /* most of it is not kept */
    az_map_init(&seen, job->mem, 64);
    if (!v)
        rc = az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && step > 0 && i < b->n; i++) {
        const struct az_hta_op *op = &b->op[i];
        const ptrdiff_t at = az_hta_step_at(b, az_hta_call_start(b, op->call));
        const int64_t stream = az_lane_stream(b->trace, op->lane);
        uint32_t *row;
        bool added;
        if (op->type != AZ_HTA_COMMUNICATION || op->name == AZ_NO_ID || stream <= 0 || at < 0 ||
            b->step[at].number <= 0 || (double)(op->end - op->start) < 0.01 * step)
            continue;
        rc = az_map_put(&seen, (uint64_t)op->name << 32 | (uint64_t)at, op->lane, (uint32_t)p->n,
                        &row, &added);
        if (rc)
            break;
        if (added)
            p->v[p->n++].name = az_hta_copy_text(b, keep, az_hta_text(b, op->name));
        p->v[*row] = (struct last_of){ .name = p->v[*row].name,
                                       .stream = stream,
                                       .iteration = b->step[at].number,
                                       .tick = op->start,
                                       .duration = (double)(op->end - op->start) / step };
    }
    az_map_release(&seen);
    p->v = az_arena_array(keep, p->n, sizeof *p->v);
    if (!p->v)
        return az_arena_error(keep);
    if (rc == 0)
        memcpy(p->v, v, p->n * sizeof *v);
    return rc ? rc : keep->failed ? az_arena_error(keep) : AZ_OK;
}

/* ---- finish ---- */
struct entry { /* of all ranks, by (stream, name, iteration, rank) */
    const struct last_of *of;
    size_t rank;   /* place */
    int64_t start; /* ns on the clock of the run */
};

static int compare_entries(const void *x, const void *y, void *ctx)
{
    const struct entry *a = x, *b = y;
    (void)ctx;
    if (a->of->stream != b->of->stream)
        return a->of->stream < b->of->stream ? -1 : 1;
    const int c = az_sv_cmp(a->of->name, b->of->name);
    if (c)
        return c;
    if (a->of->iteration != b->of->iteration)
        return a->of->iteration < b->of->iteration ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static bool same_kernel(const struct entry *a, const struct entry *b)
{
    return a->of->stream == b->of->stream && az_sv_eq(a->of->name, b->of->name);
}

/* End of the run of entries of one iteration. */
static size_t iteration_end(const struct entry *v, size_t i, size_t n)
{
    const size_t from = i;
    while (i < n && same_kernel(&v[from], &v[i]) && v[from].of->iteration == v[i].of->iteration)
        i++;
    return i;
}

/* Sample deviation of the durations of a run; NaN for one. */
static double deviation(const struct entry *v, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += v[i].of->duration / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (v[i].of->duration - mean) * (v[i].of->duration - mean);
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

struct chosen {
    size_t from, to;
    double deviation; /* mean over iterations */
};

/* The kernel whose duration varies most between ranks. */
static struct chosen choose(const struct entry *v, size_t n)
{
    struct chosen best = { 0, 0, -1 };
    for (size_t i = 0, k; i < n; i = k) {
        double sum = 0;
        size_t iterations = 0, j;
        for (k = i; k < n && same_kernel(&v[i], &v[k]); k = j) {
            j = iteration_end(v, k, n);
            const double d = deviation(v + k, j - k);
            if (isnan(d))
                continue;
            sum += d;
            iterations++;
        }
        if (iterations && sum / (double)iterations > best.deviation)
            best = (struct chosen){ i, k, sum / (double)iterations };
    }
    return best;
}

static int later(const void *x, const void *y, void *ctx)
{
    const struct entry *a = x, *b = y;
    (void)ctx;
    if (a->start != b->start)
        return a->start > b->start ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Counts the ranks that start the kernel last in each iteration. */
static int count(struct az_job *job, struct entry *v, struct chosen c, int64_t *times, int64_t *of)
{
    int rc = 0;
    for (size_t i = c.from, j; rc == 0 && i < c.to; i = j) {
        j = iteration_end(v, i, c.to);
        az_sort_cmp(v + i, j - i, sizeof *v, later, NULL, job->mem);
        for (size_t k = i; k < j; k++) {
            of[v[k].rank]++;
            times[v[k].rank] += (int64_t)(k - i) < job->opts->straggler_candidates;
        }
    }
    return rc;
}

struct candidate_row {
    const struct az_rank *rank;
    int64_t times, iterations;
    const struct last_of *about;
    double deviation;
};
#define ROW struct candidate_row
static const struct az_record_column candidate_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, rank, rank), .sort = 2 },
    { "times_among_last", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, AZ_FIELD(ROW, times),
      .sort = -1 },
    { "iterations", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, iterations) },
    { "name", AZ_TEXT, AZ_VIA(ROW, about, name) },
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_VIA(ROW, about, stream) },
    { "duration_deviation", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(ROW, deviation) },
};

static int emit_table(struct az_job *job, const struct az_ranks *ranks, struct entry *v,
                      struct chosen c)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "straggler_candidates", "Straggler candidates (HTA definition)",
                        0, candidate_columns);
    int64_t *times = az_arena_array(job->arena, ranks->n, sizeof *times),
            *of = az_arena_array(job->arena, ranks->n, sizeof *of);
    if (!t || !times || !of)
        return az_job_add(job, t, az_arena_error(job->arena));
    const struct last_of about = *v[c.from].of;
    const int rc = count(job, v, c, times, of);
    for (size_t i = 0; rc == 0 && i < ranks->n; i++)
        if (times[i])
            az_put_row(t, &(ROW){ &ranks->v[i], times[i], of[i], &about, c.deviation });
    return az_job_add(job, t, rc ? rc : az_record_sort(t));
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < ranks->n; i++)
        n += parts[i] ? ((const struct straggler_part *)parts[i])->n : 0;
    struct entry *v = az_arena_array(job->arena, n + 1, sizeof *v);
    if (!v)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct straggler_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++)
            v[at++] = (struct entry){ &p->v[k], i,
                                      az_add_sat(ranks->v[i].base_ns,
                                                 p->v[k].tick / ranks->v[i].ticks_per_ns) };
    }
    az_sort_cmp(v, n, sizeof *v, compare_entries, NULL, job->mem);
    const struct chosen c = choose(v, n);
    return c.deviation < 0 ? AZ_OK : emit_table(job, ranks, v, c);
}

/* ---- the part as bytes ---- */

static const struct az_shape_field last_fields[] = { AZ_TEXT_OF(struct last_of, name),
                                                     AZ_PLAIN(struct last_of, stream),
                                                     AZ_PLAIN(struct last_of, iteration),
                                                     AZ_PLAIN(struct last_of, tick),
                                                     AZ_PLAIN(struct last_of, duration) };
static const struct az_shape last_shape = AZ_SHAPE(struct last_of, last_fields);
static const struct az_shape_field part_fields[] = { AZ_LIST_OF(struct straggler_part, v, n,
                                                                last_shape) };
static const struct az_shape part_shape = AZ_SHAPE(struct straggler_part, part_fields);

const struct az_rank_analysis az_rank_analysis_stragglers = {
    .name = "rank_stragglers",
    .help = "ranks that often start the most variable collective last (HTA definition)",
    .needs = AZ_CAP_CALLTREE,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
