/* How many launches wait on each stream (docs/formulas-collectives.md 6): +1 at the start of a call
 * that enqueues work which is in the trace, -1 at the start of that work. Statistics over the
 * points of this step function, as in other tools, and weighted by the duration of each length. A
 * graph launch is one entry on each stream it works on, gone when its first work there starts. */
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "compat/hta/breakdown.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

#include <math.h>

enum { PARTS = 100 };                         /* of the window, in queue_length_over_time */
enum { CHART_RANKS = 16, COLUMN_RANKS = 64 }; /* ranks in the chart, in queue_length_over_time */

struct point {
    int64_t at;
    int64_t delta;
};
AZ_VEC(struct point, points);

struct queue_stream {
    int64_t device, stream;
    struct az_hta_stats stats; /* over points */
    double weighted;           /* mean over time; NaN: no time */
    int64_t empty, full;       /* ticks without and with too many waiting */
};
struct queue_part {
    struct queue_stream *v;
    size_t n;
    int64_t window;       /* ticks from the first to the last event */
    double length[PARTS]; /* mean of all streams together by part of the window */
};

/* ---- reduce ---- */
/* At one time a launch comes before a start, so that the length does not dip below what it was. */
static int compare_points(const void *x, const void *y, void *ctx)
{
    const struct point *a = x, *b = y;
    (void)ctx;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->delta > b->delta ? -1 : a->delta < b->delta;
}

/* Points of one stream. seen: call row -> last stream + 1 on which its entry was counted. */
static int list_points(struct az_hta *b, const struct az_hta_stream *s, uint32_t *seen,
                       struct points *p)
{
    const uint32_t number = (uint32_t)(s - b->stream) + 1;
    int rc = 0;
    az_vec_reset(p);
    for (uint32_t i = 0; rc == 0 && i < s->n; i++) {
        const struct az_hta_op *op = &b->op[b->by_stream[s->first + i]];
        if (op->call == AZ_NO_ROW || !az_hta_enqueues(az_hta_call_of(b, op->call)))
            continue;
        if (seen[op->call] == number && az_hta_call_of(b, op->call) == AZ_HTA_GRAPH)
            continue;
        seen[op->call] = number;
        rc = az_vec_push(p, ((struct point){ az_hta_call_start(b, op->call), 1 }));
        if (rc == 0)
            rc = az_vec_push(p, ((struct point){ op->start, -1 }));
    }
    return rc;
}

/* Adds length x time of [from, to) to the parts of the window. */
static void spread(const struct az_hta *b, int64_t from, int64_t to, int64_t length, double *part)
{
    const double width = (double)(b->last - b->first) / PARTS;
    if (length == 0 || width <= 0)
        return;
    double at = (double)(from - b->first), end = (double)(to - b->first);
    for (int k = (int)(at / width); k >= 0 && k < PARTS && at < end; k++) {
        const double stop = (k + 1) * width < end ? (k + 1) * width : end;
        part[k] += (double)length * (stop > at ? stop - at : 0);
        at = stop;
    }
}

static void measure(const struct az_hta *b, const struct points *p, int64_t *length,
                    struct queue_stream *q, double *part)
{
    int64_t now = 0, whole = 0;
    double area = 0;
    for (size_t i = 0; i < p->n; i++) {
        now += p->v[i].delta;
        length[i] = now;
        if (i + 1 == p->n)
            break;
        const int64_t lasts = p->v[i + 1].at - p->v[i].at;
        area += (double)now * (double)lasts;
        whole += lasts;
        q->empty += now == 0 ? lasts : 0;
        q->full += now >= b->opts->max_queue_length ? lasts : 0;
        spread(b, p->v[i].at, p->v[i + 1].at, now, part);
    }
    q->weighted = whole ? area / (double)whole : NAN;
    az_hta_describe_i64(length, p->n, &q->stats);
}

static int one_stream(struct az_job *job, struct az_hta *b, const struct az_hta_stream *s,
                      uint32_t *seen, struct points *p, struct queue_part *out)
{
    int rc = list_points(b, s, seen, p);
    if (rc || p->n == 0)
        return rc;
    int64_t *length = az_mem_alloc(job->mem, p->n * sizeof *length);
    if (!length)
        return az_mem_error(job->mem);
    az_sort_cmp(p->v, p->n, sizeof *p->v, compare_points, NULL, job->mem);
    struct queue_stream *q = &out->v[out->n];
    *q = (struct queue_stream){ .device = s->device, .stream = s->stream };
    if (rc == 0) {
        measure(b, p, length, q, out->length);
        out->n++;
    }
    az_mem_free(job->mem, length, p->n * sizeof *length);
    return rc;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct points p;
    struct az_hta *b = az_hta_get(job, &rc);
    if (!b)
        return rc;
    struct queue_part *out = az_arena_alloc(keep, sizeof *out);
    uint32_t *seen = az_arena_array(job->arena, b->trace->ev[AZ_CALL].n + 1, sizeof *seen);
    if (!out || !seen || !(out->v = az_arena_array(keep, b->n_streams + 1, sizeof *out->v)))
        return az_arena_error(keep);
    az_vec_init(&p, job->mem);
    out->window = b->last > b->first ? b->last - b->first : 0;
    for (size_t k = 0; rc == 0 && k < b->n_streams; k++)
        rc = one_stream(job, b, &b->stream[k], seen, &p, out);
    for (int k = 0; out->window && k < PARTS; k++)
        out->length[k] /= (double)out->window / PARTS;
    az_vec_release(&p);
    *part = out;
    return rc;
}

/* ---- finish ---- */
struct queue_row {
    const struct az_rank *rank;
    const struct queue_stream *of;
    const struct az_hta_stats *stats;
    double full; /* part of the window */
};
#define ROW struct queue_row
static const struct az_record_column summary_columns[] = {
    AZ_HTA_RANK(ROW),
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, stream) },
    AZ_HTA_STATS(ROW, stats, AZ_UNIT_COUNT, .ns = false),
    { "mean_over_time", AZ_REAL, AZ_UNIT_COUNT, AZ_VIA(ROW, of, weighted) },
    { "empty (us)", AZ_REAL, AZ_UNIT_US, 0, AZ_VIA(ROW, of, empty), AZ_HTA_TICKS(ROW) },
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN_VIA(ROW, of, device) },
};
static const struct az_record_column blocked_columns[] = {
    AZ_HTA_RANK(ROW),
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, stream) },
    { "duration_at_max_queue_length", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, of, full),
      AZ_HTA_TICKS(ROW) },
    { "relative_duration_at_max_queue_length", AZ_REAL, AZ_UNIT_RATIO, AZ_LOWER_BETTER,
      AZ_FIELD(ROW, full) },
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN_VIA(ROW, of, device) },
};

/* full: only streams whose queue was full. */
static void put_streams(struct az_table *t, const struct az_ranks *ranks, void *const *parts,
                        bool full)
{
    for (size_t i = 0; i < ranks->n; i++) {
        const struct queue_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++) {
            const struct queue_stream *s = &p->v[k];
            if (!full || s->full)
                az_put_row(
                    t, &(ROW){ &ranks->v[i], s, &s->stats, (double)s->full / (double)p->window });
        }
    }
}

static int summary(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "queue_length_summary",
                                         "Queued launches by stream", 0, summary_columns);
    put_streams(t, ranks, parts, false);
    return az_document_add(job->doc, t);
}

static int blocked(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "blocked_on_full_queue",
                                         "Time with a full queue", 0, blocked_columns);
    put_streams(t, ranks, parts, true);
    return az_document_add(job->doc, t);
}

static int over_time(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const char *y[CHART_RANKS + 1] = { NULL };
    const size_t n = ranks->n < COLUMN_RANKS ? ranks->n : COLUMN_RANKS;
    size_t shown = 0, any = 0;
    struct az_table *t =
        az_table_new(job->arena, "queue_length_over_time", "Queued launches by rank", 0);
    for (size_t i = 0; i < ranks->n; i++)
        any += parts[i] && ((const struct queue_part *)parts[i])->n;
    az_table_column(t, "part of the window (%)", AZ_INT, AZ_UNIT_PERCENT, AZ_KEY);
    for (size_t i = 0; i < n; i++) {
        const struct az_sv name =
            az_arena_printf(job->arena, "rank %lld", (long long)ranks->v[i].rank);
        if (!name.p)
            return az_job_add(job, t, az_arena_error(job->arena));
        az_table_columnsv(t, name, AZ_REAL, AZ_UNIT_COUNT, 0);
        if (shown < CHART_RANKS && parts[i])
            y[shown++] = name.p;
    }
    for (int k = 0; any && k < PARTS; k++) {
        az_put_i64(t, k);
        for (size_t i = 0; i < n; i++)
            az_put_f64(t, parts[i] ? ((const struct queue_part *)parts[i])->length[k] : NAN);
    }
    if (n < ranks->n)
        az_cover(job, "ranks omitted from queue_length_over_time", (double)(ranks->n - n), "",
                 AZ_SV("last ranks"));
    const int rc = az_document_add(job->doc, t);
    return rc ? rc
              : az_job_chart(job, AZ_CHART_LINE, "queue_length_over_time",
                             "Queued launches by rank", "part of the window (%)", y, "launches");
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    int rc = summary(job, ranks, parts);
    if (rc == 0)
        rc = blocked(job, ranks, parts);
    return rc ? rc : over_time(job, ranks, parts);
}

/* ---- the part as bytes ---- */

static const struct az_shape_field stream_fields[] = { AZ_PLAIN(struct queue_stream, device),
                                                       AZ_PLAIN(struct queue_stream, stream),
                                                       AZ_NEST_OF(struct queue_stream, stats,
                                                                  az_hta_shape_stats),
                                                       AZ_PLAIN(struct queue_stream, weighted),
                                                       AZ_PLAIN(struct queue_stream, empty),
                                                       AZ_PLAIN(struct queue_stream, full) };
static const struct az_shape stream_shape = AZ_SHAPE(struct queue_stream, stream_fields);
static const struct az_shape_field part_fields[] = {
    AZ_LIST_OF(struct queue_part, v, n, stream_shape), AZ_PLAIN(struct queue_part, window),
    AZ_PLAINS(struct queue_part, length)
};
static const struct az_shape part_shape = AZ_SHAPE(struct queue_part, part_fields);

const struct az_rank_analysis az_rank_analysis_queue = {
    .name = "rank_queue",
    .help = "queued launches by rank and stream, time with a full queue",
    .any = AZ_CAP_CALLTREE | AZ_CAP_CALLS | AZ_CAP_PROGRAMS,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
