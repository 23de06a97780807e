/* Columns `Host`, `Host call` and `Host op` of table `idle_gaps`: what the host did in the longest
 * gaps of the scope, as the verdict has it. The table is made before, without the verdict's rules;
 * its cells are filled in here. Gaps outside of the scope stay as they are. */
#include "analyses/verdict/idle.h"

#define GAPS 50 /* as the table has */

struct long_gap {
    int64_t device, start, length; /* ns */
    const char *host;
    struct az_sv call, op;
    bool launches; /* without an operator the one of the launch, which the table has, stays */
};
struct az_gap_causes {
    struct long_gap gap[GAPS]; /* the longest first */
    size_t n;
};

static void **slot_of(struct az_job *job)
{
    static const char what;
    return az_job_slot(job, &what);
}

int az_gap_causes_open(struct az_gap_causes **out, struct az_verdict *v)
{
    *out = NULL;
    if (!v->job->doc || v->job->n_traces != 1 || !(v->t->caps & AZ_CAP_CALLTREE))
        return AZ_OK;
    *out = az_arena_alloc(v->job->arena, sizeof **out);
    return *out ? AZ_OK : az_arena_error(v->job->arena);
}

/* In the words of the table. NULL: the verdict has none of them. */
static const char *host_words(enum az_cause cause, bool in_operator)
{
    static const char *const words[AZ_CAUSES] = {
        [AZ_CAUSE_DEVICE_GAP] = "launched before",
        [AZ_CAUSE_DEPENDENCY] = "launched before",
        [AZ_CAUSE_GRAPH_GAP] = "launched before",
        [AZ_CAUSE_LAUNCH_BOUND] = "launching",
        [AZ_CAUSE_SYNCHRONIZATION] = "waiting",
        [AZ_CAUSE_BLOCKING_COPY] = "waiting",
        [AZ_CAUSE_BLOCKING_CALL] = "waiting",
        [AZ_CAUSE_ALLOCATION] = "waiting",
        [AZ_CAUSE_PROFILER_OVERHEAD] = "profiler overhead",
        [AZ_CAUSE_MODULE_LOADING] = "loading modules",
        [AZ_CAUSE_DATA_LOADING] = "loading data",
        [AZ_CAUSE_CHECKPOINT] = "checkpointing",
        [AZ_CAUSE_COMPILATION] = "compiling",
        [AZ_CAUSE_HOST_RANGE] = "in a range",
        [AZ_CAUSE_HOST_FRAME] = "in Python code",
        [AZ_CAUSE_HOST_COMPUTE] = "between calls",
    };
    return cause == AZ_CAUSE_HOST_COMPUTE && in_operator ? "in an operator" : words[cause];
}

/* The column has the launch of the next operation; else what the host was in. */
static bool names_launch(enum az_cause cause)
{
    return cause == AZ_CAUSE_DEVICE_GAP || cause == AZ_CAUSE_DEPENDENCY ||
           cause == AZ_CAUSE_GRAPH_GAP || cause == AZ_CAUSE_LAUNCH_BOUND;
}

static struct az_sv text_of(const struct az_trace *t, uint32_t name)
{
    return name == AZ_NO_ID ? AZ_SV("") : az_trace_text(t, name);
}

/* Name of the call that launched the operation after the gap. */
static uint32_t launch_name(const struct az_verdict_host *h, const struct az_idle_gap *gap)
{
    const uint32_t call = h ? az_verdict_launch(h, gap->after) : AZ_NO_ROW;
    return call == AZ_NO_ROW ? AZ_NO_ID : h->t->ev[AZ_CALL].name[call];
}

void az_gap_causes_add(struct az_gap_causes *c, const struct az_verdict_judge *j, int64_t device,
                       const struct az_idle_gap *gap, const struct az_verdict_why *why)
{
    const struct az_trace *t = j->v->t;
    const char *host = c ? host_words(why->cause, why->op != AZ_NO_ID) : NULL;
    const int64_t length = az_ns(t, gap->end - gap->start);
    if (!host || (c->n == GAPS && length <= c->gap[GAPS - 1].length))
        return;
    const bool launches = names_launch(why->cause);
    const struct long_gap g = {
        .device = device,
        .start = az_ns(t, gap->start),
        .length = length,
        .host = host,
        .call = text_of(t, launches ? launch_name(j->h, gap) : why->call),
        .op = text_of(t, why->op),
        .launches = launches,
    };
    size_t i = c->n < GAPS ? c->n++ : GAPS - 1;
    for (; i > 0 && length > c->gap[i - 1].length; i--)
        c->gap[i] = c->gap[i - 1];
    c->gap[i] = g;
}

int az_gap_causes_finish(struct az_gap_causes *c, struct az_job *job)
{
    if (!c)
        return AZ_OK;
    void **slot = slot_of(job);
    if (slot)
        *slot = c;
    const int rc = slot ? AZ_OK : az_arena_error(job->arena);
    az_job_leave(job, slot);
    return rc;
}

/* ---- the table ---- */

/* The cell has a copy, which lives as long as the table. */
static void put_text(struct az_job *job, struct az_table *t, size_t row, ptrdiff_t column,
                     struct az_sv of)
{
    const struct az_sv text = az_arena_printf(job->doc->arena, "%.*s", AZ_SVF(of));
    t->cells.v[row * t->columns.n + (size_t)column] =
        text.n ? (struct az_cell){ .type = AZ_TEXT, .s = text.p, .len = AZ_CELL_LENGTH(text.n) }
               : (struct az_cell){ .type = AZ_EMPTY };
}

static const struct long_gap *find(const struct az_gap_causes *c, int64_t device, int64_t start)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->gap[i].device == device && c->gap[i].start == start)
            return &c->gap[i];
    return NULL;
}

int az_gap_causes_put(struct az_job *job)
{
    struct az_table *t = az_verdict_stored_table(job->doc, "idle_gaps");
    void **slot = t ? slot_of(job) : NULL;
    const struct az_gap_causes *c = slot ? *slot : NULL;
    az_job_leave(job, slot);
    if (!c)
        return AZ_OK;
    const ptrdiff_t device = az_table_find(t, "Device"), start = az_table_find(t, "Start (ns)"),
                    host = az_table_find(t, "Host"), call = az_table_find(t, "Host call"),
                    op = az_table_find(t, "Host op");
    if (device < 0 || start < 0 || host < 0 || call < 0 || op < 0)
        return AZ_EINTERNAL;
    for (size_t r = 0; r < t->rows; r++) {
        const struct long_gap *g =
            find(c, az_table_at(t, r, (size_t)device)->i, az_table_at(t, r, (size_t)start)->i);
        if (!g)
            continue;
        put_text(job, t, r, host, az_sv_str(g->host));
        put_text(job, t, r, call, g->call);
        if (g->op.n || !g->launches)
            put_text(job, t, r, op, g->op);
    }
    return job->doc->arena->failed ? az_arena_error(job->doc->arena) : AZ_OK;
}
