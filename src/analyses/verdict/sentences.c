/* The sentences of the verdict. Each is made from claims (document/claims.h); what is in no claim
 * (sums by family, rows of operation reports) comes from the parts. Style: `problem: evidence.
 * Fix.`
 */
#include <inttypes.h>
#include <math.h>

#include "analyses/verdict/sentences.h"
#include "base/human.h"
#include "base/num.h"
#include "document/change.h"
#include "facts/host_operators.h"
#include "facts/lazy_cache.h"
#include "model/window.h"

#define UNEVEN   3    /* a mean that is longer than the median by such a part of it */
#define FOUND    0.01 /* of the span: a finding with a line */
#define COMPUTES 0.6  /* of the span: mostly computing */
#define LARGEST  0.3  /* of kernel time: worth a line */

/* ---- what ran ---- */
static struct az_sv devices(struct az_verdict_text *x)
{
    const int64_t n = x->c->devices.count - (int64_t)x->c->devices.n_idle;
    const struct az_sv name = x->c->devices.name, wanted = x->w->job->opts->device_name;
    struct az_sv text = name.n ? name : n == 1 ? AZ_SV("1 device") : AZ_SV("");
    if (n > 1)
        text = name.n ? az_arena_printf(x->a, "%" PRId64 " x %.*s", n, AZ_SVF(name))
                      : az_verdict_text_counted(x, n, "device");
    if (wanted.n && !az_sv_eq(wanted, name) && !az_sv_is(x->c->devices.peaks, "unknown"))
        text = az_arena_printf(x->a, "%.*s (peaks of %.*s)", AZ_SVF(text), AZ_SVF(wanted));
    if (x->c->devices.n_idle)
        text = az_verdict_text_add(x, text, " + ",
                                   az_arena_printf(x->a, "%zu idle", x->c->devices.n_idle));
    return text;
}

static struct az_sv ranks(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    const bool run = x->w->ranks && x->w->job->n_traces != 1;
    if (run && c->ranks.world > (int64_t)x->w->n)
        return az_arena_printf(x->a, "%zu of %" PRId64 " ranks", x->w->n, c->ranks.world);
    if (run)
        return az_verdict_text_counted(x, (int64_t)x->w->n, "rank");
    if (c->ranks.world > 1 && c->ranks.n_present)
        return az_arena_printf(x->a, "rank %" PRId64 " of %" PRId64, c->ranks.present[0],
                               c->ranks.world);
    /* devices of one file may be of several ranks, which it does not name */
    return c->has_account && c->devices.count == 1 ? AZ_SV("1 rank") : AZ_SV("");
}

/* Mean time of a step in the scope, ns; -1: other time is in it, or there are too few. */
static int64_t mean_step(const struct az_claims *c)
{
    const int64_t n = c->steps.count - (int64_t)c->steps.n_excluded;
    return c->has_account && c->scope == AZ_SCOPE_STEPS && n > 2 ? c->account.span / n : -1;
}

/* Are the marks of steps ranges of the host, which may last longer than the device work? */
static bool has_host_marks(struct az_sv source)
{
    return az_sv_is(source, "profiler_step") || az_sv_is(source, "serving_mark") ||
           az_sv_is(source, "user_range") || az_sv_is(source, "named_range") ||
           az_sv_is(source, "step_annotation");
}

/* ", 8.9 ms apart", the median period; of one step " of 8.9 ms", whose mark is longer than its
 * device work ", host range 9.2 ms"; where most of the time is in other steps ", median 3.4 ms,
 * mean 22.1 ms". Empty: most marks are without device work, or of several steps with device work
 * there is but one, so that none is the distance to another. */
static struct az_sv step_time(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    if (c->trust[AZ_CHECK_STEP_MARKS].status == AZ_CHECK_FAIL ||
        (c->steps.period_ns < 0 && c->steps.count > 1))
        return AZ_SV("");
    const int64_t each = c->steps.period_ns >= 0 ? c->steps.period_ns : x->w->sum.step_ns;
    const int64_t mean = mean_step(c);
    if (c->steps.period_ns < 0 && each > c->account.span &&
        c->trust[AZ_CHECK_TRUNCATED_INPUT].status >= AZ_CHECK_WARN)
        return AZ_SV(""); /* of the host's range; its device work is not all there */
    if (mean >= 0 && c->steps.period_ns > 0 && mean > each + each / UNEVEN)
        return az_arena_printf(x->a, ", median %.*s, mean %.*s",
                               AZ_SVF(az_verdict_text_time(x, each)),
                               AZ_SVF(az_verdict_text_time(x, mean)));
    const struct az_sv time = az_verdict_text_time(x, each);
    if (c->steps.period_ns >= 0)
        return az_arena_printf(x->a, ", %.*s apart", AZ_SVF(time));
    if (c->steps.period_ns < 0 && c->has_account && each > c->account.span)
        return az_arena_printf(x->a, ", %s %.*s",
                               has_host_marks(c->steps.source) ? "host range" : "mark",
                               AZ_SVF(time));
    return az_arena_printf(x->a, " of %.*s", AZ_SVF(time));
}

/* "3 of ", before the number of all steps: those that the span and the account are of. Empty: of
 * all. */
static struct az_sv included_steps(struct az_verdict_text *x)
{
    const int64_t excluded = (int64_t)x->c->steps.n_excluded;
    return excluded ? az_arena_printf(x->a, "%" PRId64 " of ", x->c->steps.count - excluded)
                    : AZ_SV("");
}

/* ", step 0 excluded as warm-up", "as prefill" of the only step of that phase. */
static struct az_sv excluded_step(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    if (c->steps.n_excluded == 0)
        return AZ_SV("");
    const struct az_sv phase = c->steps.excluded_phase;
    return az_arena_printf(x->a, ", %.*s excluded as %.*s",
                           AZ_SVF(az_verdict_text_cut(x, c->steps.excluded[0])),
                           AZ_SVF(phase.n ? phase : AZ_SV("warm-up")));
}

static struct az_sv steps(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    const struct az_verdict_part *p = &x->w->sum;
    if (c->steps.count == 0 && p->repeats)
        return az_arena_printf(x->a, "%zu repeats of %.*s%s%.*s (not steps)", p->repeats,
                               AZ_SVF(az_verdict_text_time(x, p->repeat_ns)),
                               p->repeats_inside.n ? " inside " : "",
                               AZ_SVF(az_verdict_text_cut(x, p->repeats_inside)));
    if (c->steps.count == 0)
        return AZ_SV("");
    const struct az_sv text = az_arena_printf(
        x->a, "%.*s%.*s%.*s (%.*s%.*s)", AZ_SVF(included_steps(x)),
        AZ_SVF(az_verdict_text_counted(x, c->steps.count, az_change_step_noun(c->steps.source))),
        AZ_SVF(step_time(x)), AZ_SVF(az_change_source_text(c->steps.source)),
        AZ_SVF(excluded_step(x)));
    return c->trust[AZ_CHECK_STEP_MARKS].status != AZ_CHECK_FAIL
               ? text
               : az_arena_printf(x->a, "%.*s, not trustworthy", AZ_SVF(text));
}

struct az_sv az_verdict_text_no_device(const struct az_verdict_text *x)
{
    for (size_t i = 0; i < x->w->job->n_traces; i++)
        if (x->w->job->traces[i]
                ->windowed) /* what is outside is not known of a file that was cut */
            return AZ_SV("no device activity in the window");
    return AZ_SV("no device activity recorded");
}

/* Copies and fills that are known by sums only. */
static int64_t copied_ns(const struct az_verdict_text *x)
{
    int64_t ns = 0;
    for (size_t i = 0; i < x->w->job->n_traces; i++) {
        const struct az_trace *t = x->w->job->traces[i];
        for (size_t k = 0; k < t->mem_sums.n; k++)
            ns = az_add_sat(ns, t->mem_sums.v[k].total_ns > 0 ? t->mem_sums.v[k].total_ns : 0);
    }
    return ns;
}

/* Inputs without a timeline of a device. */
static struct az_sv no_device(struct az_verdict_text *x)
{
    const struct az_verdict_part *p = &x->w->sum;
    const size_t ranges = x->w->job->n_traces == 1 ? x->w->job->traces[0]->proj.n : 0;
    if (p->kernels > 0)
        return az_arena_printf(x->a, "%.*s of kernels",
                               AZ_SVF(az_verdict_text_time(x, p->kernels)));
    if (copied_ns(x) > 0)
        return az_arena_printf(x->a, "%.*s of copies and fills, no kernels",
                               AZ_SVF(az_verdict_text_time(x, copied_ns(x))));
    if (ranges)
        return az_arena_printf(x->a, "%.*s projected onto the device",
                               AZ_SVF(az_verdict_text_counted(x, (int64_t)ranges, "range")));
    if (x->c->host.operator_ns > 0)
        return az_arena_printf(x->a, "%.*s, %.*s in operators on %.*s",
                               AZ_SVF(az_verdict_text_no_device(x)),
                               AZ_SVF(az_verdict_text_time(x, x->c->host.operator_ns)),
                               AZ_SVF(az_verdict_text_counted(x, x->c->host.threads, "thread")));
    for (size_t i = 0; i < x->w->job->n_traces; i++)
        if (az_trace_no_device(x->w->job->traces[i]) == AZ_NO_DEVICE_TOTALS)
            return AZ_SV("totals of calls or copies, no kernels");
    return az_verdict_text_no_device(x);
}

/* "part: range 'forward*'", "part: steps 10-12": of a report that is not of the whole recording. */
static struct az_sv part_of_recording(struct az_verdict_text *x)
{
    const struct az_options *o = x->w->job->opts;
    int64_t first, last;
    struct az_sv text = AZ_SV("");
    if (o->range.n)
        text = az_arena_printf(x->a, "range '%.*s'", AZ_SVF(az_verdict_text_cut(x, o->range)));
    if (az_window_steps(o->steps, &first, &last))
        text = az_verdict_text_add(
            x, text, ", ",
            az_arena_printf(x->a, "step%s %.*s", first == last ? "" : "s", AZ_SVF(o->steps)));
    if (o->from.n)
        text =
            az_verdict_text_add(x, text, ", ", az_arena_printf(x->a, "from %.*s", AZ_SVF(o->from)));
    if (o->to.n)
        text = az_verdict_text_add(x, text, o->from.n ? " " : ", ",
                                   az_arena_printf(x->a, "to %.*s", AZ_SVF(o->to)));
    return text.n ? az_arena_printf(x->a, "part: %.*s", AZ_SVF(text)) : text;
}

static int put_subject(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    struct az_sv text = c->has_account || c->devices.name.n ? devices(x) : AZ_SV("");
    const int64_t ns = c->has_account ? c->account.span : x->w->sum.kernels;
    text = az_verdict_text_add(x, text, ", ", ranks(x));
    text = az_verdict_text_add(x, text, ", ", part_of_recording(x));
    text = az_verdict_text_add(x, text, ", ", steps(x));
    text = az_verdict_text_add(x, text, ", ",
                               c->has_account ? az_verdict_text_time(x, ns) : no_device(x));
    text = az_arena_printf(x->a, "%.*s (%.*s)", AZ_SVF(text), AZ_SVF(x->w->job->doc->format));
    return az_verdict_text_put(x, AZ_LINE_WHAT, "", text, ns);
}

/* ---- the account ---- */
/* Label of the account. */
static const char *device_time(const struct az_verdict_text *x)
{
    return az_verdict_text_op_report(x) ? "Device"
           : az_verdict_text_tpu(x)     ? "TPU time"
                                        : "GPU time";
}

/* The failed check, next to the metrics that depend on it. */
static struct az_sv qualified(struct az_verdict_text *x)
{
    const struct az_sv why = az_verdict_text_qualified(x);
    return why.n ? az_arena_printf(x->a, " (%.*s)", AZ_SVF(why)) : why;
}

static struct az_sv rates(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    char flops[AZ_HUMAN_MAX];
    /* of a span that is not trustworthy no rate is, either */
    if (isnan(c->rates.flops_per_s) || c->qualified_by ||
        c->trust[AZ_CHECK_IMPOSSIBLE_RATES].status == AZ_CHECK_FAIL)
        return AZ_SV("");
    az_human_flops(c->rates.flops_per_s, flops);
    struct az_sv text =
        az_arena_printf(x->a, "%s%s", flops, x->w->devices > 1 ? " per device" : "");
    if (!isnan(c->rates.mfu))
        text = c->rates.mfu < 0.0005
                   ? az_verdict_text_add(x, text, ", ", AZ_SV("MFU below 0.1%"))
                   : az_arena_printf(x->a, "%.*s, MFU %.1f%% of %.*s peak", AZ_SVF(text),
                                     100 * c->rates.mfu, AZ_SVF(c->rates.precision));
    if (c->rates.flops_known_share < 0.99)
        text = az_arena_printf(x->a, "%.*s (FLOPs known for %.1f%% of compute kernel time)",
                               AZ_SVF(text), 100 * c->rates.flops_known_share);
    return text;
}

/* Idle time that is no gap, where it is a percent of the span. */
static struct az_sv edges(struct az_verdict_text *x)
{
    int64_t sum = 0;
    for (size_t k = 0; k < x->w->n; k++)
        sum = az_add_sat(sum, az_verdict_edges(x->w->part[k]));
    const int64_t mean = az_verdict_mean(x->w, sum);
    if (x->c->qualified_by || 100 * (double)mean < (double)x->c->account.span)
        return AZ_SV("");
    return az_arena_printf(x->a, " (%.1f%% before a device's first or after its last work)",
                           az_verdict_text_percent(x, mean));
}

static int account(struct az_verdict_text *x)
{
    const struct az_claim_account *a = &x->c->account;
    const bool bound =
        x->c->trust[AZ_CHECK_UNKNOWN_KERNELS].status >= AZ_CHECK_WARN && x->c->ranks.world > 1;
    struct az_sv text = az_arena_printf(
        x->a,
        "%.1f%% compute, %s%.1f%% exposed communication, %.1f%% exposed copies, %.1f%% "
        "idle%.*s%.*s",
        az_verdict_text_percent(x, a->computing), bound ? "at least " : "",
        az_verdict_text_percent(x, a->exposed_communication),
        az_verdict_text_percent(x, a->exposed_copy), az_verdict_text_percent(x, a->idle),
        AZ_SVF(edges(x)), AZ_SVF(qualified(x)));
    if (x->w->devices > 1)
        text = az_arena_printf(x->a, "%.*s; mean of %zu devices", AZ_SVF(text), x->w->devices);
    text = az_verdict_text_add(x, text, "; ", rates(x));
    return az_verdict_text_put(x, AZ_LINE_TIME, device_time(x), text, a->span);
}

const char *az_verdict_text_recording(const struct az_verdict_text *x)
{
    return az_claims_has_outside(x->c) ? "the recording's " : "";
}

/* "5.0 s before the first step (82% copies)", "366.4 us through step 0 (81% compute)" */
static struct az_sv outside_text(struct az_verdict_text *x, const struct az_claim_account *a,
                                 struct az_sv where)
{
    const struct {
        int64_t ns;
        const char *what;
    } part[] = { { a->computing, "compute" },
                 { a->exposed_communication, "communication" },
                 { a->exposed_copy, "copies" },
                 { a->idle, "idle" } };
    size_t most = 0;
    if (!az_claims_is_outside(x->c, a))
        return AZ_SV("");
    for (size_t i = 1; i < AZ_LENGTH(part); i++)
        most = part[i].ns > part[most].ns ? i : most;
    return az_arena_printf(x->a, "%.*s %.*s (%.0f%% %s)", AZ_SVF(az_verdict_text_time(x, a->span)),
                           AZ_SVF(where), 100.0 * (double)part[most].ns / (double)a->span,
                           part[most].what);
}

static int outside(struct az_verdict_text *x)
{
    const bool window = x->c->scope == AZ_SCOPE_WINDOW;
    const char *noun = window ? "window" : az_change_step_noun(x->c->steps.source);
    struct az_sv before = az_arena_printf(x->a, "before the %s%s", window ? "" : "first ", noun);
    if (!window && x->c->steps.n_excluded)
        before = az_arena_printf(x->a, "through %.*s",
                                 AZ_SVF(az_verdict_text_cut(x, x->c->steps.excluded[0])));
    struct az_sv text = outside_text(x, &x->c->before, before);
    text = az_verdict_text_add(
        x, text, ", ",
        outside_text(x, &x->c->after,
                     az_arena_printf(x->a, "after the %s%s", window ? "" : "last ", noun)));
    return text.n ? az_verdict_text_put(x, AZ_LINE_NOTE, "Outside", text, -1) : 0;
}

static bool finds_compute(const struct az_claims *c)
{
    for (size_t i = 0; i < c->n_findings; i++)
        if (c->findings[i].part_of < 0 && c->findings[i].share >= FOUND &&
            az_verdict_rule_of(c->findings[i].rule)->within == AZ_VERDICT_IN_COMPUTE)
            return true;
    return false;
}

/* The computing kernel that takes most of the time of a device that computes most of the time,
 * where there is no other sentence about its work. */
static int largest_kernel(struct az_verdict_text *x)
{
    const struct az_claim_account *a = &x->c->account;
    const struct az_verdict_part *p = &x->w->sum;
    struct az_name_sums sums;
    struct az_name_sum room;
    if (x->w->job->n_traces != 1 || az_verdict_text_op_report(x) || p->kernels <= 0 ||
        !((double)a->computing >= COMPUTES * (double)a->span) || finds_compute(x->c))
        return 0;
    const int rc = az_job_kernels(x->w->job, &sums);
    size_t at = 0;
    while (rc == 0 && at < sums.n &&
           az_job_family(x->w->job, az_name_sum_at(&sums, at, &room)->name) ==
               AZ_FAMILY_COMMUNICATION)
        at++;
    if (rc || at == sums.n)
        return rc;
    const struct az_name_sum *k = az_name_sum_at(&sums, at, &room);
    const double share = (double)k->total / (double)p->kernels;
    if (!(share >= LARGEST) || share > 1 || k->count <= 0)
        return 0;
    const struct az_sv name = az_verdict_short(az_job_text(x->w->job, k->name));
    return az_verdict_text_put(
        x, AZ_LINE_NOTE, "Kernels",
        az_arena_printf(
            x->a, "%.*s: %.1f%% of %skernel time, %.*s, %s%.*s",
            AZ_SVF(az_verdict_text_cut(x, name)), 100 * share, az_verdict_text_recording(x),
            AZ_SVF(az_verdict_text_counted(x, k->count, "call")), k->count > 1 ? "mean " : "",
            AZ_SVF(az_verdict_text_time(x, k->total / k->count))),
        -1);
}

/* Most of the recording is a graph capture, whose launches run nothing. */
static int capture(struct az_verdict_text *x)
{
    const struct az_verdict_part *p = &x->w->sum;
    if (p->captured <= p->calls / 2)
        return 0;
    return az_verdict_text_put(
        x, AZ_LINE_NOTE, "",
        az_arena_printf(x->a, "graph capture: %.*s of %.*s captured, not run",
                        AZ_SVF(az_verdict_text_count(x, p->captured)),
                        AZ_SVF(az_verdict_text_counted(x, p->calls, "launch call"))),
        -1);
}

static bool has_copy_sums(const struct az_verdict_text *x)
{
    for (size_t i = 0; i < x->w->job->n_traces; i++)
        if (x->w->job->traces[i]->mem_sums.n)
            return true;
    return false;
}

/* Formats of sums. */
static int put_sums(struct az_verdict_text *x)
{
    const struct az_verdict_part *p = &x->w->sum;
    if (p->names == 0)
        return 0;
    return az_verdict_text_put(
        x, AZ_LINE_TIME, has_copy_sums(x) ? device_time(x) : "Kernels",
        az_arena_printf(x->a, "%.*s (totals of %zu kernel name%s%s)", AZ_SVF(p->families), p->names,
                        p->names == 1 ? "" : "s",
                        has_copy_sums(x) ? " and of copies; no individual events in the file"
                                         : "; no individual kernels in the file"),
        p->kernels);
}

int az_verdict_put_lines(struct az_verdict_whole *w, const struct az_claims *c,
                         struct az_table *out)
{
    struct az_verdict_text x = { w, c, w->job->arena, out };
    int rc = put_subject(&x);
    if (rc == 0)
        rc = c->has_account ? account(&x) : put_sums(&x);
    if (rc == 0 && c->has_account)
        rc = outside(&x);
    if (rc == 0 && c->has_account)
        rc = largest_kernel(&x);
    if (rc == 0)
        rc = capture(&x);
    if (rc == 0)
        rc = az_verdict_text_findings(&x);
    if (rc == 0)
        rc = az_verdict_text_data(&x);
    if (rc == 0)
        rc = az_verdict_text_tables(&x);
    return rc ? rc : x.a->failed ? az_arena_error(x.a) : 0;
}
