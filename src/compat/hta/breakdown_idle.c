/* Why streams stood idle: gaps between the operations of each stream, by cause
 * (docs/formulas-collectives.md 6). A gap is the start of an operation less the end of the one
 * before it, and may be negative. host_wait: the operation was launched after the end of the one
 * before; kernel_wait: it was waiting already and the gap is short; other. */
#include "analyses/registry_list.h"
#include "base/num.h"
#include "compat/hta/breakdown.h"
#include "document/record.h"

#include <math.h>

enum { HOST_WAIT, KERNEL_WAIT, OTHER, CAUSES };
static const char *const cause_text[CAUSES] = { "host_wait", "kernel_wait", "other" };

struct stream_part {
    int64_t device, stream;
    int64_t sum[CAUSES];
    struct az_hta_stats stats[CAUSES];
};
struct idle_part {
    struct stream_part *v;
    size_t n;
};

static int cause(const struct az_hta *b, const struct az_hta_op *op, int64_t before, int64_t delay)
{
    if (az_hta_call_start(b, op->call) > before)
        return HOST_WAIT;
    return op->start - before < delay ? KERNEL_WAIT : OTHER;
}

static void one_stream(const struct az_hta *b, const struct az_hta_stream *s, int64_t delay,
                       int64_t *gap[CAUSES], struct stream_part *out)
{
    size_t n[CAUSES] = { 0 };
    *out = (struct stream_part){ .device = s->device, .stream = s->stream };
    for (uint32_t i = 1; i < s->n; i++) {
        const struct az_hta_op *op = &b->op[b->by_stream[s->first + i]];
        const int64_t before = b->op[b->by_stream[s->first + i - 1]].end,
                      length = op->start - before;
        const int c = cause(b, op, before, delay);
        gap[c][n[c]++] = length;
        out->sum[c] = az_add_sat(out->sum[c], length);
    }
    for (int c = 0; c < CAUSES; c++)
        az_hta_describe_i64(gap[c], n[c], &out->stats[c]);
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    int64_t *gap[CAUSES];
    size_t most = 0;
    const struct az_hta *b = az_hta_get(job, &rc);
    if (!b)
        return rc;
    struct idle_part *p = az_arena_alloc(keep, sizeof *p);
    if (!p || !(p->v = az_arena_array(keep, b->n_streams + 1, sizeof *p->v)))
        return az_arena_error(keep);
    for (size_t k = 0; k < b->n_streams; k++)
        most = b->stream[k].n > most ? b->stream[k].n : most;
    for (int c = 0; c < CAUSES; c++)
        if (!(gap[c] = az_arena_array(job->arena, most + 1, sizeof **gap)))
            return az_arena_error(job->arena);
    const int64_t delay =
        az_muldiv(b->opts->consecutive_kernel_delay_ns, b->trace->ticks_per_ns, 1);
    for (p->n = 0; p->n < b->n_streams; p->n++)
        one_stream(b, &b->stream[p->n], delay, gap, &p->v[p->n]);
    *part = p;
    return AZ_OK;
}

/* A cause that never occurred has no row, but `other` always has: the first operation of a stream
 * belongs to it. */
static bool has_row(const struct stream_part *s, int c) { return c == OTHER || s->stats[c].n; }

struct cause_row {
    const struct az_rank *rank;
    const struct stream_part *of;
    const struct az_hta_stats *stats;
    const char *cause;
    int64_t ticks;
    double ratio;
};
#define ROW struct cause_row
static const struct az_record_column breakdown_columns[] = {
    AZ_HTA_RANK(ROW),
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, stream) },
    { "idle_category", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, cause) },
    { "idle_time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, ticks), AZ_HTA_TICKS(ROW) },
    { "idle_time_ratio", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(ROW, ratio) },
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN_VIA(ROW, of, device) },
};
static const struct az_record_column interval_columns[] = {
    { "idle_category", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, cause) },
    AZ_HTA_RANK(ROW),
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, stream) },
    AZ_HTA_STATS(ROW, stats, AZ_UNIT_US, AZ_HTA_TICKS(ROW)),
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN_VIA(ROW, of, device) },
};

static int table(struct az_job *job, struct az_table *t, const struct az_ranks *ranks,
                 void *const *parts)
{
    for (size_t i = 0; i < ranks->n; i++) {
        const struct idle_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++) {
            const struct stream_part *s = &p->v[k];
            const double all = (double)s->sum[0] + (double)s->sum[1] + (double)s->sum[2];
            for (int c = 0; c < CAUSES; c++)
                if (has_row(s, c))
                    az_put_row(t, &(ROW){ &ranks->v[i], s, &s->stats[c], cause_text[c], s->sum[c],
                                          all == 0 ? NAN : (double)s->sum[c] / all });
        }
    }
    return az_document_add(job->doc, t);
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const int rc = table(job,
                         AZ_RECORD_TABLE(job->arena, "idle_time_breakdown",
                                         "Stream idle time by cause", 0, breakdown_columns),
                         ranks, parts);
    return rc ? rc
              : table(job,
                      AZ_RECORD_TABLE(job->arena, "idle_interval_stats",
                                      "Stream idle intervals by cause", 0, interval_columns),
                      ranks, parts);
}

/* ---- the part as bytes ---- */

static const struct az_shape_field stream_fields[] = {
    AZ_PLAIN(struct stream_part, device), AZ_PLAIN(struct stream_part, stream),
    AZ_PLAINS(struct stream_part, sum), AZ_NESTS_OF(struct stream_part, stats, az_hta_shape_stats)
};
static const struct az_shape stream_shape = AZ_SHAPE(struct stream_part, stream_fields);
static const struct az_shape_field part_fields[] = { AZ_LIST_OF(struct idle_part, v, n,
                                                                stream_shape) };
static const struct az_shape part_shape = AZ_SHAPE(struct idle_part, part_fields);

const struct az_rank_analysis az_rank_analysis_idle = {
    .name = "rank_idle",
    .help = "stream idle time by rank and cause (host wait, kernel wait, other)",
    .any = AZ_CAP_CALLTREE | AZ_CAP_TIMELINE | AZ_CAP_PROGRAMS,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
