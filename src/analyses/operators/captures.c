/* Table graph_captures: what became of graph launches, by shape of their captures and by rule of
 * pairing (docs/graphs.md 3). */
#include "analyses/operators/framework.h"
#include "document/record.h"

struct line {
    int64_t batch;
    const char *mode, *paired, *how;
    uint64_t launches, events;
    int64_t ns;
    double share;
};

static const struct az_record_column columns[] = {
    { "Batch", AZ_INT, AZ_UNIT_NONE, AZ_KEY, AZ_KNOWN(struct line, batch) },
    { "Mode", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct line, mode) },
    { "Paired", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct line, paired) },
    { "Pairing", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct line, how) },
    { "Graph launches", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct line, launches) },
    { "Device events", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct line, events) },
    { "Time (ns)", AZ_INT, AZ_UNIT_NS, 0, AZ_FIELD(struct line, ns) },
    { "Share of graph time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct line, share) },
};

static int run_captures(struct az_job *job)
{
    static const char *const modes[] = { "", "full", "piecewise" };
    int rc;
    const struct az_framework *fw = az_framework_get(job, &rc);
    if (!fw)
        return rc;
    const struct az_capture_attach_rows *r = &fw->ops->graft_rows;
    struct line *line = az_arena_array(job->arena, r->n + 1, sizeof *line);
    double whole = 0;
    if (!line)
        return az_arena_error(job->arena);
    if (r->n == 0)
        return 0;
    for (size_t i = 0; i < r->n; i++)
        whole += (double)r->v[i].ticks;
    for (size_t i = 0; i < r->n; i++) {
        const struct az_capture_attach_row *x = &r->v[i];
        line[i] = (struct line){ .batch = x->batch,
                                 .mode = modes[x->mode],
                                 .paired = az_paired((enum az_pair_by)x->by) ? "yes" : "no",
                                 .how = az_pair_text((enum az_pair_by)x->by),
                                 .launches = x->launches,
                                 .events = x->events,
                                 .ns = az_ns(fw->trace, x->ticks),
                                 .share = az_percent((double)x->ticks, whole) };
    }
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "graph_captures", "Graph launches by capture", 0, columns);
    AZ_PUT_ROWS(t, line, r->n);
    return az_job_add(job, t, 0);
}

const struct az_analysis az_analysis_fw_captures = {
    .name = "graph_captures",
    .help = "graph launches by capture shape and matching rule",
    .needs = AZ_CAP_CALLTREE,
    .run = run_captures,
};
