/* The totals of a report of operations: scope, account, trust checks, findings
 * (docs/formats-tracy.md 18). */
#include <inttypes.h>
#include <math.h>

#include "analyses/op_report/findings.h"
#include "facts/steps.h"

#define FAIL 20 /* one in so many: the check fails */

struct az_op_report_totals *az_op_report_totals_of(struct az_job *job)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    if (slot && !*slot)
        *slot = az_arena_alloc(job->arena, sizeof(struct az_op_report_totals));
    az_job_leave(job, slot);
    return slot ? *slot : NULL;
}

/* Any warns, 5% fail. */
static struct az_check_result check_of(int64_t count, int64_t of, int64_t time)
{
    return (struct az_check_result){ .status = of == 0              ? AZ_CHECK_NOT_APPLICABLE
                                               : count == 0         ? AZ_CHECK_PASS
                                               : count * FAIL >= of ? AZ_CHECK_FAIL
                                                                    : AZ_CHECK_WARN,
                                     .count = count,
                                     .of = of,
                                     .time_ns = time };
}

/* Operations without times, and with impossible ones, of the rows that were chosen. */
static void check_times(const struct az_op_report_scope *s, struct az_op_report_totals *o)
{
    const struct az_op_report *t = s->t;
    const bool window = s->scope == AZ_SCOPE_WINDOW && t->in_window;
    int64_t all = 0, timed = 0, impossible = 0;
    double ns = 0;
    for (size_t i = 0; i < t->r->rows.n; i++) {
        const struct az_oprow *r = &t->r->rows.v[i];
        if (r->kind != AZ_OPROW_DEVICE || (window && !t->in_window[i]))
            continue;
        all++;
        timed += r->timed;
        impossible += r->impossible;
        ns += r->impossible ? fabs(r->kernel) : 0;
    }
    o->impossible_ns = ns < 9e18 ? llround(ns) : INT64_MAX;
    o->check[AZ_CHECK_LOST_DEVICE_EVENTS] = check_of(all - timed, all, 0);
    o->check[AZ_CHECK_IMPOSSIBLE_TIMES] = check_of(impossible, timed, o->impossible_ns);
}

/* Rates of products and convolutions, and what they add up to. */
static void check_rates(const struct az_op_report_scope *s, const struct az_op_report_rows *rows,
                        struct az_op_report_totals *o)
{
    struct az_op_report *t = s->t;
    int64_t ns = 0;
    o->flop = NAN;
    for (size_t i = 0; i < rows->n; i++) {
        const struct az_op_report_sig *sig = az_op_report_sig_of(t, &rows->v[i]);
        const int64_t time = llround(az_op_report_row_ns(t, &rows->v[i]));
        struct az_op_report_figures f;
        az_op_report_figures(t, &rows->v[i], &f);
        if (!isnan(sig->flop)) {
            o->flop = isnan(o->flop) ? sig->flop : o->flop + sig->flop;
            o->rated += time;
        }
        o->rateable += time;
        if (isnan(f.flops_percent) && isnan(f.dram_percent))
            continue;
        o->rates++;
        o->impossible_rates += az_op_report_rate_impossible(&f);
        ns += az_op_report_rate_impossible(&f) ? time : 0;
    }
    o->check[AZ_CHECK_IMPOSSIBLE_RATES] = check_of(o->impossible_rates, o->rates, ns);
}

/* Operations of no known family may be communication. */
static void check_families(const struct az_op_report_scope *s, const struct az_op_report_rows *rows,
                           struct az_op_report_totals *o)
{
    struct az_job *job = s->t->job;
    int64_t count = 0, ns = 0, all = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const int64_t time = llround(az_op_report_row_ns(s->t, &rows->v[i]));
        const uint32_t name =
            az_job_name(job, s->trace, az_op_report_oprow(s->t, &rows->v[i])->code);
        const bool other = az_job_family(job, name) == AZ_FAMILY_OTHER;
        count += other;
        ns += other ? time : 0;
        all += time;
    }
    o->check[AZ_CHECK_UNKNOWN_KERNELS] = check_of(0, (int64_t)rows->n, ns);
    o->check[AZ_CHECK_UNKNOWN_KERNELS].count = count;
    if (rows->n && ns * FAIL >= all && ns > 0)
        o->check[AZ_CHECK_UNKNOWN_KERNELS].status = AZ_CHECK_WARN;
}

static void check_device(const struct az_op_report *t, struct az_op_report_totals *o)
{
    o->peaks = !t->has_peaks ? "unknown" : t->o->worker_cores > 0 ? "user" : "data sheet";
    o->check[AZ_CHECK_DEVICE_PEAKS] = check_of(!t->has_peaks, 1, 0);
    if (!t->has_peaks)
        o->check[AZ_CHECK_DEVICE_PEAKS].status = AZ_CHECK_WARN;
}

static void check_marks(const struct az_op_report_scope *s, struct az_op_report_totals *o)
{
    const int64_t marks = s->steps ? (int64_t)s->steps->marks : 0;
    const int64_t empty = s->steps ? (int64_t)s->steps->empty_marks : 0;
    if (marks == 0)
        return;
    o->check[AZ_CHECK_STEP_MARKS] = check_of(empty, marks, 0);
    if (empty)
        o->check[AZ_CHECK_STEP_MARKS].status = 2 * empty > marks ? AZ_CHECK_FAIL : AZ_CHECK_WARN;
}

/* Operations of the scope, devices merged as in the tables. Where these hold less, because the
 * steps reach over signposts, all rows are merged again. */
static int rows_of(struct az_op_report_scope *s, struct az_op_report_rows *out)
{
    struct az_op_report *t = s->t;
    struct az_op_report_rows all;
    int rc = 0;
    az_vec_init(&all, t->job->mem);
    const bool again = s->scope == AZ_SCOPE_STEPS;
    if (again)
        rc = az_op_report_select(t, true, &all);
    for (size_t i = 0; rc == 0 && i < all.n; i++) {
        rc = az_op_report_sig(t, all.v[i].row, &all.v[i].sig);
        all.v[i].suspect = rc == 0 ? az_op_report_suspect(t, &all.v[i]) : 0;
    }
    const struct az_op_report_rows *from = again ? &all : &t->rows;
    for (size_t i = 0; rc == 0 && i < from->n; i++) {
        const struct az_oprow *r = az_op_report_oprow(t, &from->v[i]);
        const uint8_t kind = az_op_report_sig_of(t, &from->v[i])->kind;
        if (az_oprow_counts(r) && kind != TT_HOST && kind != TT_SIGNPOST &&
            r->at >= s->window.start && r->at < s->window.end)
            rc = az_vec_push(out, from->v[i]);
    }
    az_vec_release(&all);
    return rc;
}

/* Do the tables have other operations than the account? A window that the user chose is of both. */
static bool tables_differ(const struct az_op_report_scope *s)
{
    if (s->scope != AZ_SCOPE_STEPS)
        return false;
    for (size_t k = 0; k < s->n; k++) {
        const int64_t at = s->t->r->rows.v[s->row[k]].at;
        if (az_op_report_in_tables(s, s->row[k]) != (at >= s->window.start && at < s->window.end))
            return true;
    }
    return false;
}

static bool is_merged(const struct az_op_report *t)
{
    return t->r->devices > 1 && !t->o->no_merge_devices;
}

/* What the tables of operations cover, where the account is of other operations or of each device.
 */
static struct az_sv tables_scope(const struct az_op_report_scope *s)
{
    const struct az_op_report *t = s->t;
    struct az_arena *a = t->job->arena;
    const bool merged = is_merged(t), differ = tables_differ(s);
    struct az_sv text = merged || differ ? AZ_SV("operations") : AZ_SV("");
    if (differ)
        text = t->last_mark != AZ_NO_ID
                   ? az_arena_printf(a,
                                     "operations after the last signpost '%.*s', not of all "
                                     "steps (ignore_signposts: all)",
                                     AZ_SVF(az_op_report_text(t, t->last_mark)))
                   : AZ_SV("operations of the whole file, not of the steps only");
    if (merged)
        text = az_arena_printf(a, "%.*s%s %" PRId64 " devices merged", AZ_SVF(text),
                               differ ? "," : " of", t->r->devices);
    return text;
}

static size_t steps_inside(const struct az_op_report_scope *s)
{
    const int64_t ticks = s->t->trace->ticks_per_ns;
    size_t n = 0;
    for (size_t i = 0; s->steps && i < s->steps->n; i++)
        n += s->steps->v[i].start / ticks >= s->window.start &&
             s->steps->v[i].end / ticks <= s->window.end;
    return n;
}

static void keep_account(const struct az_op_report_scope *s, struct az_op_report_totals *o)
{
    o->scope = s->scope;
    o->steps = steps_inside(s);
    o->device = s->device;
    o->n_devices = s->n_devices;
    for (size_t d = 0; d < s->n_devices; d++) {
        if (s->device[d].idle)
            continue;
        o->busy += (s->device[d].a.span - s->device[d].a.idle) / (int64_t)s->working;
        o->idle += s->device[d].a.idle / (int64_t)s->working;
    }
}

int az_op_report_verdict(struct az_op_report *t)
{
    struct az_op_report_totals *o = az_op_report_totals_of(t->job);
    struct az_op_report_scope s;
    struct az_op_report_rows rows;
    if (!o)
        return az_arena_error(t->job->arena);
    az_vec_init(&rows, t->job->mem);
    int rc = az_op_report_scope_make(&s, t);
    if (rc == 0 && s.n)
        rc = rows_of(&s, &rows);
    if (rc == 0) {
        if (t->last_mark != AZ_NO_ID && s.scope == AZ_SCOPE_WINDOW)
            o->after_signpost = az_op_report_text(t, t->last_mark);
        o->merged = is_merged(t);
        o->tables = tables_scope(&s);
        check_times(&s, o);
        check_rates(&s, &rows, o);
        check_families(&s, &rows, o);
        check_device(t, o);
        check_marks(&s, o);
        keep_account(&s, o);
        o->operations = (int64_t)rows.n;
        o->known = o->check[AZ_CHECK_LOST_DEVICE_EVENTS].of > 0;
        const bool gaps = o->check[AZ_CHECK_IMPOSSIBLE_TIMES].status != AZ_CHECK_FAIL,
                   rates = o->check[AZ_CHECK_IMPOSSIBLE_RATES].status != AZ_CHECK_FAIL;
        rc = s.n ? az_op_report_find(&s, &rows, gaps, rates, o) : 0;
    }
    az_vec_release(&rows);
    return rc;
}
