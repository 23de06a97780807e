/* gpu_timeline: where device time goes (docs/account.md), the mean over devices, per device, and
 * per step. For every trace of device events; formats that follow another tool's row names have
 * their own timeline. */
#include "analyses/timeline.h"

#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

/* ---- layout ---- */
size_t az_timeline_rows(const struct az_account *a, bool split,
                        struct az_timeline_row row[AZ_TIMELINE_ROWS])
{
    const struct {
        struct az_timeline_row row;
        bool shown;
    } r[] = { { { "computation_time", a->compute }, true },
              { { "exposed_comm_time", a->exposed_comm }, true },
              { { "exposed_memcpy_time", a->exposed_copies }, true },
              { { "busy_time", a->busy }, true },
              { { "idle_time", a->idle }, !split },
              { { "micro_idle_time", a->micro }, split },
              { { "macro_idle_time", a->idle - a->micro }, split },
              { { "total_time", a->total }, true },
              { { "total_comm_time", a->comm }, true },
              { { "total_memcpy_time", a->copies }, true } };
    size_t n = 0;
    for (size_t i = 0; i < AZ_LENGTH(r); i++)
        if (r[i].shown)
            row[n++] = r[i].row;
    return n;
}

int az_timeline_chart(struct az_job *job, enum az_chart_kind kind, const char *table,
                      const char *title, const char *time, const char *stack)
{
    static const struct az_sv parts[] = {
        { "computation_time", 16 }, { "exposed_comm_time", 17 }, { "exposed_memcpy_time", 19 },
        { "idle_time", 9 },         { "micro_idle_time", 15 },   { "macro_idle_time", 15 }
    };
    return az_job_chart_parts(job, kind, table, title, time, stack, parts, AZ_LENGTH(parts));
}

/* ---- tables ---- */
/* A trace whose format has a timeline of its own: dispatch_timeline.c, analyses/hlo,
 * operation reports. */
static bool has_own(const struct az_trace *t)
{
    return (t->caps & (AZ_CAP_DISPATCHES | AZ_CAP_PROGRAMS | AZ_CAP_OPREPORT)) != 0;
}
static bool is_ours(const struct az_trace *t)
{
    return (t->caps & (AZ_CAP_CALLTREE | AZ_CAP_TIMELINE)) && !has_own(t);
}

/* Which columns a table has, and what its rows are of. */
struct lead {
    size_t trace;
    bool ranks, devices, steps, sides;
    int64_t device;
    struct az_sv step;
    const char *recompute;
};
struct time_row {
    const struct lead *of;
    int64_t rank;
    const char *type;
    double ms, percent;
};

static bool with_ranks(const void *lead) { return ((const struct lead *)lead)->ranks; }
static bool with_devices(const void *lead) { return ((const struct lead *)lead)->devices; }
static bool with_steps(const void *lead) { return ((const struct lead *)lead)->steps; }
static bool with_sides(const void *lead) { return ((const struct lead *)lead)->sides; }

#define ROW struct time_row
static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = with_ranks },
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, device), .when = with_devices },
    { "step", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, of, step), .when = with_steps },
    { "type", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, type) },
    { "time ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(ROW, ms) },
    { "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) },
    { "is_recompute", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, of, recompute), .when = with_sides },
};

static void put_time(struct az_table *t, const struct lead *lead, int64_t rank,
                     const struct az_trace *trace, const struct az_timeline_row *row, int64_t total)
{
    az_put_row(t, &(struct time_row){ lead, rank, row->type, az_ms(trace, row->ticks),
                                      total ? (double)row->ticks / (double)total * 100.0 : 0.0 });
}

static void put_timeline_rows(struct az_job *job, struct az_table *t, const struct lead *lead,
                              const struct az_account *a)
{
    struct az_timeline_row row[AZ_TIMELINE_ROWS];
    const size_t n = az_timeline_rows(a, job->opts->micro_idle_us != AZ_UNSET_I64, row);
    for (size_t i = 0; i < n; i++)
        put_time(t, lead, az_job_rank(job, lead->trace), job->traces[lead->trace], &row[i],
                 a->total);
}

/* The identity that every report checks of itself: exact in integers. */
static void self_check(struct az_job *job, const struct az_trace *t, const struct az_account *a)
{
    int64_t rest = a->total - (a->compute + a->exposed_comm + a->exposed_copies + a->idle);
    az_cover(job, "gpu_timeline: total - (computation + exposed_comm + exposed_memcpy + idle)",
             (double)rest / (double)t->ticks_per_ns, "ns",
             rest ? AZ_SV("must be 0; report this as a bug") : AZ_SV("exact"));
}

/* With detect_recompute: the account of the work that is run again, and of the rest. */
static int one_side(struct az_job *job, const struct az_framework *fw, bool recompute,
                    struct az_account *out)
{
    const int64_t us = job->opts->micro_idle_us;
    struct az_busy b;
    int rc = 0;
    az_busy_init(&b, job->mem);
    for (uint32_t i = 0; rc == 0 && i < fw->tree->n_gpu; i++) {
        const uint32_t g = fw->order[i];
        const struct az_event e = az_gpu_event(fw->tree, g);
        if (az_framework_counts(fw, g) && az_framework_gpu_recompute(fw, g) == recompute)
            rc = az_busy_add(&b, (enum az_part)fw->gpu_class[g], e.start, e.end);
    }
    if (rc == 0)
        rc = az_busy_close(&b);
    if (rc == 0)
        az_account_of(&b, NULL,
                      us == AZ_UNSET_I64 ? 0 : az_muldiv(us, 1000 * fw->trace->ticks_per_ns, 1),
                      out);
    az_busy_release(&b);
    return rc;
}

static int both_sides(struct az_job *job, struct az_table *t, size_t trace)
{
    struct az_account a;
    int rc;
    const struct az_framework *fw = az_framework_get(job, &rc);
    for (int side = 0; fw && rc == 0 && side < 2; side++) {
        rc = one_side(job, fw, side, &a);
        if (rc == 0) {
            put_timeline_rows(
                job, t, &(struct lead){ .trace = trace, .recompute = side ? "True" : "False" }, &a);
            self_check(job, fw->trace, &a);
        }
    }
    return rc;
}

/* Of the busiest device's time: a device with less has no part in the mean. */
#define IDLE_PART 100

/* TraceLens's table pools devices: idle is when none of them works. */
static bool is_pooled(const struct az_options *o)
{
    return (o->compat & (AZ_TOOL_TRACELENS | AZ_TOOL_ALL)) != 0;
}

static void add_account(struct az_account *sum, const struct az_account *a)
{
    sum->compute += a->compute;
    sum->comm += a->comm;
    sum->copies += a->copies;
    sum->exposed_comm += a->exposed_comm;
    sum->exposed_copies += a->exposed_copies;
    sum->micro += a->micro;
    sum->first = a->first < sum->first ? a->first : sum->first;
    sum->last = a->last > sum->last ? a->last : sum->last;
}

/* The mean over the devices at work, in the window that they share. Returns their number. */
static size_t mean_account(const struct az_accounts *all, struct az_account *mean)
{
    struct az_account sum = { .first = INT64_MAX, .last = INT64_MIN };
    int64_t most = 0, n = 0;
    for (size_t i = 0; i < all->n_devices; i++)
        most = all->device[i].a.busy > most ? all->device[i].a.busy : most;
    for (size_t i = 0; i < all->n_devices; i++) {
        if ((double)all->device[i].a.busy * IDLE_PART < (double)most)
            continue;
        add_account(&sum, &all->device[i].a);
        n++;
    }
    if (n == 0)
        return 0;
    *mean = (struct az_account){ .compute = sum.compute / n,
                                 .comm = sum.comm / n,
                                 .copies = sum.copies / n,
                                 .exposed_comm = sum.exposed_comm / n,
                                 .exposed_copies = sum.exposed_copies / n,
                                 .micro = sum.micro / n,
                                 .first = sum.first,
                                 .last = sum.last,
                                 .total = sum.last - sum.first };
    mean->busy = mean->compute + mean->exposed_comm + mean->exposed_copies;
    mean->idle = mean->total - mean->busy;
    return (size_t)n;
}

/* Rows of one trace of several devices. */
static void device_rows(struct az_job *job, struct az_table *t, size_t trace,
                        const struct az_accounts *a)
{
    struct az_account mean;
    if (is_pooled(job->opts)) {
        t->title = AZ_SV("GPU timeline, devices pooled");
        mean = a->all;
    } else {
        const size_t n = mean_account(a, &mean);
        const struct az_sv title =
            az_arena_printf(job->arena, "GPU timeline (mean of %zu devices)", n);
        t->title = title.p ? title : t->title;
    }
    put_timeline_rows(job, t, &(struct lead){ .trace = trace }, &mean);
    self_check(job, job->traces[trace], &mean);
}

static int whole(struct az_job *job)
{
    const bool split = job->opts->detect_recompute && (job->traces[0]->caps & AZ_CAP_CALLTREE);
    const struct lead of = { .ranks = job->n_traces > 1, .sides = split };
    struct az_table *t =
        AZ_RECORD_TABLE_OF(job->arena, "gpu_timeline", "GPU timeline",
                           AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY | AZ_TABLE_SHORT, columns, &of);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_accounts *a =
            is_ours(job->traces[i]) && !split ? az_job_accounts(job, i, AZ_TABLE_WORK, &rc) : NULL;
        if (split && is_ours(job->traces[i]))
            rc = both_sides(job, t, i);
        if (!a)
            continue;
        if (a->n_devices > 1) {
            device_rows(job, t, i, a);
            continue;
        }
        put_timeline_rows(job, t, &(struct lead){ .trace = i }, &a->all);
        self_check(job, job->traces[i], &a->all);
    }
    return az_job_add(job, t, rc);
}

/* ---- a table of many accounts ---- */
/* Rows of the accounts of devices or steps: they are made of these when they are read, where there
 * are many (document/rows.h). Lives as long as the table. */
struct account_part { /* of a trace */
    size_t first;     /* number of its first account */
    size_t trace;
    int64_t rank;
    const struct az_trace *t;
    const struct az_accounts *a;
};
struct account_rows {
    struct lead lead;
    bool split;
    size_t each; /* rows of an account */
    size_t n, n_accounts;
    struct account_part *part;     /* n */
    const struct az_accounts *any; /* the first that has one; NULL: there is none */
};

static void put_account(const struct account_rows *x, const struct account_part *p, size_t account,
                        size_t row, struct az_table *t)
{
    const struct az_account *a = x->lead.steps ? &p->a->step[account].a : &p->a->device[account].a;
    struct lead lead = x->lead;
    lead.trace = p->trace;
    if (lead.steps)
        lead.step = p->a->step[account].name;
    else
        lead.device = p->a->device[account].device;
    struct az_timeline_row r[AZ_TIMELINE_ROWS];
    const size_t n = az_timeline_rows(a, x->split, r);
    for (; row < n; row++)
        put_time(t, &lead, p->rank, p->t, &r[row], a->total);
}

static void make_account(const void *of, size_t row, struct az_table *t)
{
    const struct account_rows *x = of;
    const size_t account = row / x->each;
    size_t low = 0, high = x->n;
    while (high - low > 1) {
        const size_t mid = low + (high - low) / 2;
        if (x->part[mid].first <= account)
            low = mid;
        else
            high = mid;
    }
    const struct account_part *p = &x->part[low];
    put_account(x, p, account - p->first, row % x->each, t);
}

static bool same_lead(const struct account_rows *x, const struct account_part *p, size_t account)
{
    return x->lead.steps ? az_sv_eq(x->any->step[0].name, p->a->step[account].name)
                         : x->any->device[0].device == p->a->device[account].device;
}

/* Are the devices, or the names of the steps, not all the same? */
static bool has_several(const struct account_rows *x)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct az_accounts *a = x->part[i].a;
        const size_t n = x->lead.steps ? a->n_steps : a->n_devices;
        for (size_t k = 0; k < n; k++)
            if (!same_lead(x, &x->part[i], k))
                return true;
    }
    return false;
}

static void put_accounts(struct account_rows *x, struct az_table *t)
{
    enum { MANY = 1000 };
    if (x->n_accounts >= MANY && has_several(x)) {
        az_table_make(t, x->n_accounts * x->each, make_account, x);
        return;
    }
    for (size_t i = 0; i < x->n_accounts; i++)
        make_account(x, i * x->each, t);
}

static int open_accounts(struct az_job *job, struct account_rows **out, struct lead lead)
{
    struct az_timeline_row r[AZ_TIMELINE_ROWS];
    struct account_rows *x = az_arena_alloc(job->arena, sizeof *x);
    int rc = 0;
    *out = x;
    if (!x)
        return az_arena_error(job->arena);
    lead.ranks = job->n_traces > 1;
    *x = (struct account_rows){ .lead = lead, .split = job->opts->micro_idle_us != AZ_UNSET_I64 };
    x->each = az_timeline_rows(&(struct az_account){ 0 }, x->split, r);
    x->part = az_arena_array(job->arena, job->n_traces + 1, sizeof *x->part);
    if (!x->part)
        return az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_accounts *a =
            is_ours(job->traces[i]) ? az_job_accounts(job, i, AZ_TABLE_WORK, &rc) : NULL;
        const size_t n = !a ? 0 : lead.steps ? a->n_steps : a->n_devices;
        x->any = n > 0 && !x->any ? a : x->any;
        if (a)
            x->part[x->n++] =
                (struct account_part){ x->n_accounts, i, az_job_rank(job, i), job->traces[i], a };
        x->n_accounts += n;
    }
    return rc;
}

static int by_device(struct az_job *job)
{
    struct account_rows *x;
    int rc = open_accounts(job, &x, (struct lead){ .devices = true });
    if (rc)
        return rc;
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "gpu_timeline_by_device",
                                            "GPU timeline by device", 0, columns, &x->lead);
    put_accounts(x, t);
    for (size_t i = 0; rc == 0 && i < x->n; i++)
        if (x->part[i].a->devices > 1)
            az_finding(job, "several_devices", "info", AZ_SV("gpu_timeline"),
                       (int64_t)x->part[i].a->devices, -1,
                       is_pooled(job->opts)
                           ? AZ_SV("several devices in the trace: pooled in "
                                   "gpu_timeline, separate in gpu_timeline_by_device")
                           : AZ_SV("several devices in the trace: mean in gpu_timeline, "
                                   "separate in gpu_timeline_by_device"));
    return az_job_add(job, t, rc);
}

static int by_step(struct az_job *job)
{
    struct account_rows *x;
    int rc = open_accounts(job, &x, (struct lead){ .steps = true });
    if (rc)
        return rc;
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "gpu_timeline_by_step",
                                            "GPU timeline by profiler step", 0, columns, &x->lead);
    put_accounts(x, t);
    return az_job_add(job, t, rc);
}

static int charts(struct az_job *job)
{
    int rc = az_timeline_chart(job, AZ_CHART_BAR, "gpu_timeline", "GPU timeline", "time ms",
                               job->n_traces > 1 ? "rank" : "is_recompute");
    if (rc == 0)
        rc = az_timeline_chart(job, AZ_CHART_STACKED_BAR, "gpu_timeline_by_device",
                               "GPU timeline by device", "time ms", "device");
    if (rc == 0)
        rc = az_timeline_chart(job, AZ_CHART_STACKED_BAR, "gpu_timeline_by_step",
                               "GPU timeline by profiler step", "time ms", "step");
    return rc;
}

static int run_timeline(struct az_job *job)
{
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; i < job->n_traces; i++)
        n += is_ours(job->traces[i]);
    for (size_t i = 0; n && rc == 0 && i < job->n_traces; i++) {
        const struct az_counted *a =
            is_ours(job->traces[i]) ? az_job_counted(job, i, AZ_TABLE_WORK, &rc) : NULL;
        if (a && a->events && a->unlinked == a->events && !az_tables_count_unlinked(job->opts))
            az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(job->traces[i]->path),
                        "none of %zu device events is linked to a launch: gpu_timeline is 0; set "
                        "include_unlinked_kernels",
                        a->events);
    }
    if (n == 0 || rc)
        return rc;
    rc = whole(job);
    if (rc == 0)
        rc = by_device(job);
    if (rc == 0)
        rc = by_step(job);
    return rc ? rc : charts(job);
}

const struct az_analysis az_analysis_gpu_timeline = {
    .name = "gpu_timeline",
    .help = "device time by compute, communication, copies, idle: total, per device, per step",
    .any = AZ_CAP_CALLTREE | AZ_CAP_TIMELINE,
    .run = run_timeline,
    .part = 10,
};
