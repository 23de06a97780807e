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

/* Some rank has streams of several devices: then the device is part of the key. */
static void device_column(struct az_table *t)
{
    az_table_column(t, "device", AZ_INT, AZ_UNIT_ID, AZ_KEY);
}

/* A cause that never occurred has no row, but `other` always has: the first operation of a stream
 * belongs to it. */
static bool has_row(const struct stream_part *s, int c) { return c == OTHER || s->stats[c].n; }

static const struct az_record_column idle_time_breakdown_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "stream", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "idle_category", AZ_TEXT, .flags = AZ_KEY },
    { "idle_time", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "idle_time_ratio", AZ_REAL, .unit = AZ_UNIT_RATIO },
};

static int breakdown(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "idle_time_breakdown", "Stream idle time by cause", 0,
                        idle_time_breakdown_columns);
    device_column(t);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct idle_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++) {
            const struct stream_part *s = &p->v[k];
            const double all = (double)s->sum[0] + (double)s->sum[1] + (double)s->sum[2];
            for (int c = 0; c < CAUSES; c++) {
                if (!has_row(s, c))
                    continue;
                az_put_i64(t, ranks->v[i].rank);
                az_put_i64(t, s->stream);
                az_put_text(t, az_sv_str(cause_text[c]));
                az_put_f64(t, az_hta_us(&ranks->v[i], s->sum[c]));
                az_put_f64(t, all == 0 ? NAN : (double)s->sum[c] / all);
                az_put_known(t, s->device);
            }
        }
    }
    return az_document_add(job->doc, t);
}

static const struct az_record_column idle_interval_stats_columns[] = {
    { "idle_category", AZ_TEXT, .flags = AZ_KEY },
    { "rank", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "stream", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
};

static int intervals(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "idle_interval_stats", "Stream idle intervals by cause", 0,
                        idle_interval_stats_columns);
    az_hta_stats_columns(t, AZ_UNIT_US);
    device_column(t);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct idle_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++) {
            const struct stream_part *s = &p->v[k];
            for (int c = 0; c < CAUSES; c++) {
                if (!has_row(s, c))
                    continue;
                az_put_text(t, az_sv_str(cause_text[c]));
                az_put_i64(t, ranks->v[i].rank);
                az_put_i64(t, s->stream);
                az_hta_put_stats(t, &s->stats[c], az_hta_scale(&ranks->v[i]));
                az_put_known(t, s->device);
            }
        }
    }
    return az_document_add(job->doc, t);
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const int rc = breakdown(job, ranks, parts);
    return rc ? rc : intervals(job, ranks, parts);
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
