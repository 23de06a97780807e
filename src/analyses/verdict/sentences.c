/* The sentences of the verdict. Each is made from claims (results/claims.h); what no claim holds
 * (sums by family, rows of operation reports) comes from the parts. Style: `problem: evidence.
 * Fix.`
 */
#include <inttypes.h>
#include <math.h>

#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/num.h"
#include "results/headline.h"

#define LINES   5    /* findings in the verdict */
#define LEAST   0.01 /* of the span: share of a finding that has a line */
#define OUTSIDE 0.01 /* of the scope: device activity around it that is worth a line */
#define HIDDEN  0.2  /* of kernel time that graphs launched: operators do not say enough */
#define RATED   0.5  /* of kernel time with FLOPs or bytes; below: said where nothing is found */
#define NAME    60   /* characters of a name in a sentence */

struct writer {
    struct az_vd_whole *w;
    const struct az_claims *c;
    struct az_arena *a;
    struct az_table *out;
};

/* ---- pieces ---- */
static struct az_sv add(struct writer *x, struct az_sv to, const char *between, struct az_sv more)
{
    if (more.n == 0)
        return to;
    return az_arena_printf(x->a, "%.*s%s%.*s", AZ_SVF(to), to.n ? between : "", AZ_SVF(more));
}

/* Of a report of operations, whose devices are no GPUs. */
static bool is_op_report(const struct writer *x)
{
    return x->w->job->n_traces == 1 && x->w->job->traces[0]->caps & AZ_CAP_OPREPORT;
}

/* "GPU idle" as "TPU idle" or "device idle" */
static struct az_sv device_words(struct writer *x, const char *words)
{
    const struct az_sv w = az_sv_str(words), gpu = AZ_SV("GPU");
    const char *noun = is_op_report(x)                                     ? "device"
                       : az_sv_find(x->c->devices.name, AZ_SV("TPU")) >= 0 ? "TPU"
                                                                           : NULL;
    const ptrdiff_t at = noun ? az_sv_find(w, gpu) : -1;
    if (at < 0)
        return w;
    return az_arena_printf(x->a, "%.*s%s%s", (int)at, words, noun, words + at + gpu.n);
}

/* Label of the account. */
static const char *device_time(const struct writer *x)
{
    return is_op_report(x)                                     ? "Device"
           : az_sv_find(x->c->devices.name, AZ_SV("TPU")) >= 0 ? "TPU time"
                                                               : "GPU time";
}

static struct az_sv human(struct writer *x, int64_t ns)
{
    char t[AZ_HUMAN_MAX];
    az_human_time(ns, t);
    return az_arena_printf(x->a, "%s", t);
}

static struct az_sv number(struct writer *x, int64_t n)
{
    char t[AZ_HUMAN_MAX];
    az_human_count(n, t);
    return az_arena_printf(x->a, "%s", t);
}

/* "4 gaps", "1 gap" */
static struct az_sv counted(struct writer *x, int64_t n, const char *noun)
{
    return az_arena_printf(x->a, "%.*s %s%s", AZ_SVF(number(x, n)), noun, n == 1 ? "" : "s");
}

static struct az_sv cut(struct writer *x, struct az_sv name)
{
    return name.n <= NAME ? name : az_arena_printf(x->a, "%.*s...", NAME, name.p);
}

/* "models/vit/modeling_vit.py(252): forward": of a long path the end says where. */
static struct az_sv frame_name(struct writer *x, struct az_sv frame)
{
    struct az_sv tail = frame;
    while (tail.n > NAME) {
        size_t i = 0;
        while (i < tail.n && (i == 0 || tail.p[i] != '/'))
            i++;
        if (i == tail.n)
            break;
        tail = az_sv_make(tail.p + i + (i + 1 < tail.n), tail.n - i - (i + 1 < tail.n));
    }
    return cut(x, tail);
}

static struct az_sv capital(struct writer *x, const char *text)
{
    if (!*text)
        return AZ_SV("");
    const char c = text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
    return az_arena_printf(x->a, "%c%s", c, text + 1);
}

static int put(struct writer *x, enum az_line_kind kind, const char *label, struct az_sv text,
               int64_t ns)
{
    const struct az_line l = { .kind = kind,
                               .label = az_sv_str(label),
                               .text = text,
                               .rule = AZ_SV(""),
                               .severity = AZ_SV(""),
                               .evidence = AZ_SV(""),
                               .row = AZ_SV(""),
                               .ns = ns,
                               .percent = NAN };
    if (!text.p)
        return az_arena_error(x->a);
    az_headline_put(x->out, &l);
    return 0;
}

/* ---- what ran ---- */
static struct az_sv devices(struct writer *x)
{
    const int64_t n = x->c->devices.count - (int64_t)x->c->devices.n_idle;
    const struct az_sv name = x->c->devices.name;
    struct az_sv text = name.n ? name : n == 1 ? AZ_SV("1 device") : AZ_SV("");
    if (n > 1)
        text = name.n ? az_arena_printf(x->a, "%" PRId64 " x %.*s", n, AZ_SVF(name))
                      : counted(x, n, "device");
    if (x->c->devices.n_idle)
        text = add(x, text, " + ", az_arena_printf(x->a, "%zu idle", x->c->devices.n_idle));
    return text;
}

static struct az_sv ranks(struct writer *x)
{
    const struct az_claims *c = x->c;
    const bool run = x->w->ranks && x->w->job->n_traces != 1;
    if (run && c->ranks.world > (int64_t)x->w->n)
        return az_arena_printf(x->a, "%zu of %" PRId64 " ranks", x->w->n, c->ranks.world);
    if (run)
        return counted(x, (int64_t)x->w->n, "rank");
    if (c->ranks.world > 1 && c->ranks.n_present)
        return az_arena_printf(x->a, "rank %" PRId64 " of %" PRId64, c->ranks.present[0],
                               c->ranks.world);
    return c->has_account ? AZ_SV("1 rank") : AZ_SV("");
}

static struct az_sv source_words(struct az_sv id)
{
    static const struct {
        const char *id, *words;
    } known[] = { { "profiler_step", "ProfilerStep" },
                  { "serving_mark", "serving engine marks" },
                  { "user_range", "configured range" },
                  { "named_range", "step ranges" },
                  { "step_annotation", "step annotations" },
                  { "device_steps", "device step line" },
                  { "program_runs", "program runs" },
                  { "signpost", "signposts" },
                  { "trace_replay", "trace replays" },
                  { "kernel_pattern", "repeating kernels, no step marks" } };
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(id, known[i].id))
            return az_sv_str(known[i].words);
    return id;
}

static struct az_sv steps(struct writer *x)
{
    const struct az_claims *c = x->c;
    const struct az_vd_part *p = &x->w->sum;
    if (c->steps.count == 0 && p->repeats)
        return az_arena_printf(x->a, "%zu repeats of %.*s%s%.*s (not steps)", p->repeats,
                               AZ_SVF(human(x, p->repeat_ns)),
                               p->repeats_inside.n ? " inside " : "",
                               AZ_SVF(cut(x, p->repeats_inside)));
    if (c->steps.count == 0)
        return AZ_SV("");
    const int64_t each = c->steps.period_ns >= 0 ? c->steps.period_ns : p->step_ns;
    const char *noun = az_sv_is(c->steps.source, "kernel_pattern") ? "repeat" : "step";
    return az_arena_printf(x->a, "%.*s of %.*s (%.*s%s)", AZ_SVF(counted(x, c->steps.count, noun)),
                           AZ_SVF(human(x, each)), AZ_SVF(source_words(c->steps.source)),
                           c->steps.n_excluded ? ", first excluded as warm-up" : "");
}

/* Inputs without a time line of a device. */
static struct az_sv no_device(struct writer *x)
{
    const struct az_vd_part *p = &x->w->sum;
    const size_t ranges = x->w->job->n_traces == 1 ? x->w->job->traces[0]->proj.n : 0;
    if (p->kernels > 0)
        return az_arena_printf(x->a, "%.*s of kernels", AZ_SVF(human(x, p->kernels)));
    if (ranges)
        return az_arena_printf(x->a, "%.*s projected onto the device",
                               AZ_SVF(counted(x, (int64_t)ranges, "range")));
    if (x->c->host.operator_ns > 0)
        return az_arena_printf(x->a, "CPU only: %.*s in operators on %.*s",
                               AZ_SVF(human(x, x->c->host.operator_ns)),
                               AZ_SVF(counted(x, x->c->host.threads, "thread")));
    return AZ_SV("no device activity");
}

static int what(struct writer *x)
{
    const struct az_claims *c = x->c;
    struct az_sv text = c->has_account || c->devices.name.n ? devices(x) : AZ_SV("");
    const int64_t ns = c->has_account ? c->account.span : x->w->sum.kernels;
    text = add(x, text, ", ", ranks(x));
    text = add(x, text, ", ", steps(x));
    text = add(x, text, ", ", c->has_account ? human(x, ns) : no_device(x));
    text = az_arena_printf(x->a, "%.*s (%.*s)", AZ_SVF(text), AZ_SVF(x->w->job->doc->format));
    return put(x, AZ_LINE_WHAT, "", text, ns);
}

/* ---- the account ---- */
/* The failed check, next to the figures that depend on it. */
static struct az_sv check_text(struct writer *x, enum az_check check);

static struct az_sv qualified(struct writer *x)
{
    for (int i = 0; i < AZ_CHECKS; i++)
        if (x->c->qualified_by & 1u << i)
            return az_arena_printf(x->a, " (not trustworthy: %.*s)",
                                   AZ_SVF(check_text(x, (enum az_check)i)));
    return AZ_SV("");
}

static struct az_sv rates(struct writer *x)
{
    const struct az_claims *c = x->c;
    char flops[AZ_HUMAN_MAX];
    if (isnan(c->rates.flops_per_s) || c->trust[AZ_CHECK_IMPOSSIBLE_RATES].status == AZ_CHECK_FAIL)
        return AZ_SV("");
    az_human_flops(c->rates.flops_per_s, flops);
    struct az_sv text =
        az_arena_printf(x->a, "%s%s", flops, x->w->devices > 1 ? " per device" : "");
    if (!isnan(c->rates.mfu))
        text = c->rates.mfu < 0.0005
                   ? add(x, text, ", ", AZ_SV("MFU below 0.1%"))
                   : az_arena_printf(x->a, "%.*s, MFU %.1f%% of %.*s peak", AZ_SVF(text),
                                     100 * c->rates.mfu, AZ_SVF(c->rates.precision));
    if (c->rates.flops_known_share < 0.99)
        text = az_arena_printf(x->a, "%.*s (FLOPs known for %.1f%% of kernel time)", AZ_SVF(text),
                               100 * c->rates.flops_known_share);
    return text;
}

static int account(struct writer *x)
{
    const struct az_claim_account *a = &x->c->account;
    const int64_t part[] = { a->computing, a->exposed_communication, a->exposed_copy, a->idle };
    const bool bound =
        x->c->trust[AZ_CHECK_UNKNOWN_KERNELS].status >= AZ_CHECK_WARN && x->c->ranks.world > 1;
    int t[AZ_LENGTH(part)];
    az_human_shares(part, AZ_LENGTH(part), t);
    struct az_sv text = az_arena_printf(
        x->a,
        "%d.%d%% compute, %s%d.%d%% exposed communication, %d.%d%% exposed copies, %d.%d%% "
        "idle%.*s",
        t[0] / 10, t[0] % 10, bound ? "at least " : "", t[1] / 10, t[1] % 10, t[2] / 10, t[2] % 10,
        t[3] / 10, t[3] % 10, AZ_SVF(qualified(x)));
    if (x->w->devices > 1)
        text = az_arena_printf(x->a, "%.*s; mean of %zu devices", AZ_SVF(text), x->w->devices);
    text = add(x, text, "; ", rates(x));
    return put(x, AZ_LINE_TIME, device_time(x), text, a->span);
}

/* "5.0 s before the first step (82% copies)" */
static struct az_sv outside_text(struct writer *x, const struct az_claim_account *a,
                                 const char *where)
{
    const struct {
        int64_t ns;
        const char *what;
    } part[] = { { a->computing, "compute" },
                 { a->exposed_communication, "communication" },
                 { a->exposed_copy, "copies" },
                 { a->idle, "idle" } };
    size_t most = 0;
    if ((double)a->span < OUTSIDE * (double)x->c->account.span)
        return AZ_SV("");
    for (size_t i = 1; i < AZ_LENGTH(part); i++)
        most = part[i].ns > part[most].ns ? i : most;
    return az_arena_printf(x->a, "%.*s %s (%.0f%% %s)", AZ_SVF(human(x, a->span)), where,
                           100.0 * (double)part[most].ns / (double)a->span, part[most].what);
}

static int outside(struct writer *x)
{
    const bool warm = x->c->steps.n_excluded > 0, window = x->c->scope == AZ_SCOPE_WINDOW;
    struct az_sv text = outside_text(x, &x->c->before,
                                     window ? "before the window"
                                     : warm ? "before the second step"
                                            : "before the first step");
    text = add(x, text, ", ",
               outside_text(x, &x->c->after, window ? "after the window" : "after the last step"));
    return text.n ? put(x, AZ_LINE_NOTE, "Outside", text, -1) : 0;
}

/* Formats of sums. */
static int sums(struct writer *x)
{
    const struct az_vd_part *p = &x->w->sum;
    if (p->names == 0)
        return 0;
    return put(x, AZ_LINE_TIME, device_time(x),
               az_arena_printf(x->a,
                               "%.*s (sums over %zu kernel names; no times of individual kernels "
                               "in the file)",
                               AZ_SVF(p->families), p->names),
               p->kernels);
}

/* ---- findings ---- */
static const char *idle_words(enum az_cause cause)
{
    static const char *const words[AZ_CAUSES] = {
        [AZ_CAUSE_PAGE_FAULT] = "GPU idle during page faults",
        [AZ_CAUSE_UNKNOWN] = "GPU idle, launch not recorded",
        [AZ_CAUSE_GRAPH_GAP] = "GPU idle between nodes of a graph",
        [AZ_CAUSE_DEVICE_GAP] = "GPU idle between queued kernels",
        [AZ_CAUSE_DEPENDENCY] = "GPU idle with work already queued",
        [AZ_CAUSE_PROFILER_OVERHEAD] = "GPU idle during profiler overhead",
        [AZ_CAUSE_BLOCKING_COPY] = "GPU idle during a blocking copy",
        [AZ_CAUSE_ALLOCATION] = "GPU idle during memory allocation",
        [AZ_CAUSE_BLOCKING_CALL] = "GPU idle during a blocking call",
        [AZ_CAUSE_MODULE_LOADING] = "GPU idle during module loading",
        [AZ_CAUSE_DATA_LOADING] = "GPU idle during data loading",
        [AZ_CAUSE_CHECKPOINT] = "GPU idle during checkpointing",
        [AZ_CAUSE_COMPILATION] = "GPU idle during compilation",
        [AZ_CAUSE_SYNCHRONIZATION] = "GPU idle after synchronization",
        [AZ_CAUSE_LAUNCH_BOUND] = "launch-bound",
        [AZ_CAUSE_HOST_RANGE] = "host-bound, GPU idle during a host range",
        [AZ_CAUSE_HOST_FRAME] = "host-bound, GPU idle during Python code",
        [AZ_CAUSE_HOST_COMPUTE] = "host-bound, GPU idle between host calls",
        [AZ_CAUSE_UNKNOWN_HOST] = "GPU idle, host calls not recorded",
    };
    return cause < AZ_CAUSES && words[cause] ? words[cause] : "GPU idle";
}

/* ", in cudaMemcpy, in range load_batch, before copy_": where the host is. */
static struct az_sv place(struct writer *x, const struct az_claim *f)
{
    struct az_sv text = AZ_SV("");
    if (f->call.n)
        text = add(x, text, ", ", cut(x, f->call));
    if (f->frame.n)
        text = add(x, text, ", ", frame_name(x, f->frame));
    else if (f->range.n)
        text = add(x, text, ", ", cut(x, f->range));
    else if (f->operation.n)
        text = add(x, text, ", ", cut(x, f->operation));
    return text.n ? az_arena_printf(x->a, "in %.*s", AZ_SVF(text)) : text;
}

/* "on device 3", "on rank 5", "on ranks 8-15" */
static struct az_sv whose(struct writer *x, const struct az_claim *f)
{
    if (f->rank != AZ_NO_RANK)
        return az_arena_printf(x->a, "on rank %" PRId64, f->rank);
    if (f->n_ranks)
        return az_arena_printf(x->a, "on ranks %.*s",
                               AZ_SVF(az_rank_list(x->a, f->ranks, f->n_ranks)));
    return f->device != AZ_NO_RANK ? az_arena_printf(x->a, "on device %" PRId64, f->device)
                                   : AZ_SV("");
}

static struct az_sv gaps_text(struct writer *x, const struct az_claim *f, struct az_sv title)
{
    struct az_sv text = counted(x, f->count > 0 ? f->count : 1, "gap");
    if (f->median_ns >= 0 && f->count > 1)
        text = add(x, text, ", median ", human(x, f->median_ns));
    else if (f->time_ns >= 0 && f->count > 0)
        text = add(x, text, f->count == 1 ? " of " : ", mean ", human(x, f->time_ns / f->count));
    if (f->count > 2 && 2 * f->largest_ns > f->time_ns)
        text = add(x, text, ", largest ", human(x, f->largest_ns));
    text = add(x, text, ", ", place(x, f));
    text = add(x, text, ", ", whose(x, f));
    text = add(x, text, ", ", f->subject);
    return az_arena_printf(x->a, "%.*s: %.*s", AZ_SVF(title), AZ_SVF(text));
}

/* "22% not overlapped": how much of communication or of copies is exposed. */
static struct az_sv exposed_part(struct writer *x, const struct az_vd_rule *r,
                                 const struct az_claim *f)
{
    const int64_t all = az_vd_mean(x->w, f->time_ns);
    if ((r->within != AZ_VD_IN_COMM && r->within != AZ_VD_IN_COPY) || all <= 0)
        return AZ_SV("");
    const double percent = 100.0 * (double)f->saving_ns / (double)all;
    return percent >= 99.5 ? AZ_SV("")
                           : az_arena_printf(x->a, "%.*f%% not overlapped", percent < 10, percent);
}

static struct az_sv times_text(struct writer *x, const struct az_vd_rule *r,
                               const struct az_claim *f)
{
    struct az_sv text = f->subject;
    if (f->groups > 1)
        text = add(x, text, " in ", counted(x, f->groups, "group"));
    if (f->count > 1)
        text = add(x, text, ", ", counted(x, f->count, "call"));
    if (f->count > 0 && f->time_ns >= 0)
        text = add(x, text, f->count > 1 ? ", mean " : ", ", human(x, f->time_ns / f->count));
    text = add(x, text, ", ", exposed_part(x, r, f));
    text = add(x, text, ", ", whose(x, f));
    return az_arena_printf(x->a, "%s%s%.*s", r->title, *r->title ? ": " : "", AZ_SVF(text));
}

static struct az_sv late_words(enum az_cause cause)
{
    return cause == AZ_CAUSE_NONE           ? AZ_SV("")
           : cause == AZ_CAUSE_SLOW_KERNELS ? AZ_SV("slower kernels")
           : cause == AZ_CAUSE_MORE_WORK    ? AZ_SV("more work")
                                            : az_sv_str(idle_words(cause));
}

static struct az_sv plain_text(struct writer *x, const struct az_vd_rule *r,
                               const struct az_claim *f)
{
    struct az_sv text = f->subject;
    if (f->cause != AZ_CAUSE_NONE) {
        text = add(x, text, ", ", late_words(f->cause));
        text = add(x, text, " ", place(x, f));
    }
    return az_arena_printf(x->a, "%s%s%.*s", r->title, *r->title && text.n ? ": " : "",
                           AZ_SVF(text));
}

static struct az_sv finding_text(struct writer *x, const struct az_vd_rule *r,
                                 const struct az_claim *f)
{
    if (r->form == AZ_VD_GAPS)
        return gaps_text(
            x, f, device_words(x, az_sv_is(f->rule, "idle") ? idle_words(f->cause) : r->title));
    return r->form == AZ_VD_TIMES ? times_text(x, r, f) : plain_text(x, r, f);
}

struct az_sv az_vd_finding_text(struct az_vd_whole *w, const struct az_claims *c,
                                const struct az_claim *f)
{
    struct writer x = { w, c, w->job->arena, NULL };
    return finding_text(&x, az_vd_rule_of(f->rule), f);
}

/* What to do: once, where several lines have the same advice. */
static struct az_sv advice_text(struct writer *x, const struct az_claim *const *line, size_t n,
                                const struct az_claim *f)
{
    for (size_t i = 0; i < n; i++)
        if (line[i]->advice == f->advice)
            return AZ_SV("");
    return capital(x, az_advice_text(f->advice));
}

/* A part of the account is not larger in a line than in the account, whose parts are rounded so
 * that they add up. */
static double shown_share(struct writer *x, const struct az_vd_rule *r, double share)
{
    const struct az_claim_account *a = &x->c->account;
    const int64_t part[] = { a->idle, a->exposed_communication, a->exposed_copy, a->computing };
    int t[AZ_LENGTH(part)];
    az_human_shares(part, AZ_LENGTH(part), t);
    const double most = r->within < AZ_LENGTH(part) ? t[r->within] / 10.0 : 100;
    return share > most ? most : share;
}

static int finding(struct writer *x, const struct az_claim *const *line, size_t n,
                   const struct az_claim *f)
{
    const struct az_vd_rule *r = az_vd_rule_of(f->rule);
    const struct az_sv text = f->outside_scope ? f->subject : finding_text(x, r, f),
                       advice = advice_text(x, line, n, f);
    const struct az_line l = {
        .kind = AZ_LINE_FINDING,
        .label = f->outside_scope
                     ? AZ_SV("Warm-up")
                     : az_arena_printf(x->a, "%.1f%%", shown_share(x, r, 100 * f->share)),
        .text = advice.n ? az_arena_printf(x->a, "%.*s%s %.*s", AZ_SVF(text),
                                           az_sv_ends(text, AZ_SV(".")) ? "" : ".", AZ_SVF(advice))
                         : text,
        .rule = f->rule,
        .severity = f->severity,
        .evidence = f->table,
        .row = az_sv_is(f->table, "idle_causes") ? AZ_SV("") : f->row, /* the words say it */
        .ns = f->saving_ns,
        .percent = f->outside_scope ? NAN : 100 * f->share
    };
    az_headline_put(x->out, &l);
    return l.text.p ? 0 : az_arena_error(x->a);
}

static struct az_sv nothing_found(struct writer *x)
{
    const struct az_vd_part *s = &x->w->sum;
    const int64_t all = s->rateable > 0 ? s->rateable : s->kernels;
    const double known = all > 0 ? (double)s->rated / (double)all : 1;
    if (x->c->qualified_by)
        return AZ_SV("no finding: the account is not trustworthy");
    if (known >= RATED || is_op_report(x))
        return AZ_SV("no finding above 1%");
    return az_arena_printf(x->a,
                           "no finding above 1%%; %.0f%% of kernel time could not be compared with "
                           "the roofline (no operators with shapes)",
                           100 - 100 * known);
}

static int findings(struct writer *x)
{
    const struct az_claim *line[LINES];
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < x->c->n_findings && n < LINES; i++) {
        const struct az_claim *f = &x->c->findings[i];
        if (f->part_of >= 0 || (!f->outside_scope && !(f->share >= LEAST)))
            continue;
        rc = finding(x, line, n, f);
        line[n++] = f;
    }
    return rc || n || !x->c->has_account ? rc : put(x, AZ_LINE_NOTE, "", nothing_found(x), -1);
}

/* ---- trust ---- */
static struct az_sv missing_text(struct writer *x)
{
    const struct az_claims *c = x->c;
    return az_arena_printf(
        x->a, c->ranks.n_missing == 1 ? "rank %.*s is missing" : "ranks %.*s are missing",
        AZ_SVF(az_rank_list(x->a, c->ranks.missing, c->ranks.n_missing)));
}

static struct az_sv check_text(struct writer *x, enum az_check check)
{
    const struct az_check_result *r = &x->c->trust[check];
    const struct az_sv n = number(x, r->count), of = number(x, r->of), t = human(x, r->time_ns);
    const struct az_vd_part *s = &x->w->sum;
    const bool operations = s->operations > 0;
    switch (check) {
    case AZ_CHECK_LOST_DEVICE_EVENTS:
        return az_arena_printf(x->a,
                               operations ? "%.*s of %.*s operations have no device time"
                                          : "%.*s of %.*s kernel launches have no device event",
                               AZ_SVF(n), AZ_SVF(of));
    case AZ_CHECK_UNLINKED_DEVICE_WORK:
        return az_arena_printf(x->a, "%.*s of %.*s device events not linked to a launch (%.*s)",
                               AZ_SVF(n), AZ_SVF(of), AZ_SVF(t));
    case AZ_CHECK_IMPOSSIBLE_TIMES:
        return az_arena_printf(x->a, "%.*s of %.*s %s with invalid timestamps excluded", AZ_SVF(n),
                               AZ_SVF(of), operations ? "operations" : "device events");
    case AZ_CHECK_STREAM_OVERLAP:
        return az_arena_printf(x->a,
                               "%.*s device events overlap later ones of their stream, "
                               "clipped by %.*s",
                               AZ_SVF(n), AZ_SVF(t));
    case AZ_CHECK_LAUNCH_ORDER:
        return az_arena_printf(x->a,
                               "%.*s of %.*s kernels start before their launch, by up to %.*s",
                               AZ_SVF(n), AZ_SVF(of), AZ_SVF(t));
    case AZ_CHECK_STEP_MARKS:
        return az_arena_printf(x->a, "%.*s of %.*s step marks without device work", AZ_SVF(n),
                               AZ_SVF(of));
    case AZ_CHECK_SKIPPED_DEVICE_WORK:
        return az_arena_printf(x->a, "%.*s not in the account (%.*s)",
                               AZ_SVF(counted(x, r->count, "device track")), AZ_SVF(t));
    case AZ_CHECK_TRUNCATED_INPUT:
        return AZ_SV("input is truncated");
    case AZ_CHECK_MISSING_RANKS:
        return missing_text(x);
    case AZ_CHECK_CORRELATION_COLLISIONS:
        return az_arena_printf(x->a, "%.*s of %.*s launches share a correlation ID", AZ_SVF(n),
                               AZ_SVF(of));
    case AZ_CHECK_UNKNOWN_KERNELS:
        return az_arena_printf(x->a, "%.1f%% of kernel time in unclassified kernels",
                               s->kernels > 0 ? 100 * (double)s->other / (double)s->kernels : 0);
    case AZ_CHECK_GRAPH_UNRECORDED:
        return az_arena_printf(x->a, "%.*s of %.*s graph launches have no kernels recorded",
                               AZ_SVF(n), AZ_SVF(of));
    case AZ_CHECK_DEVICE_PEAKS:
        return az_sv_is(x->c->devices.peaks, "scaled")
                   ? AZ_SV("device peaks scaled from a data sheet")
                   : AZ_SV("device peaks unknown (set device_peaks)");
    case AZ_CHECK_IMPOSSIBLE_RATES:
        return az_arena_printf(x->a,
                               "%.*s of %.*s kernels faster than the peak: check device, model "
                               "or clock",
                               AZ_SVF(n), AZ_SVF(of));
    default:
        return AZ_SV("");
    }
}

/* Unknown peaks matter where there is work to compare with them. */
static bool worth_words(struct writer *x, enum az_check check)
{
    return check != AZ_CHECK_DEVICE_PEAKS || x->w->sum.rated > 0;
}

static struct az_sv checks(struct writer *x)
{
    struct az_sv text = AZ_SV("");
    for (int s = AZ_CHECK_FAIL; s >= AZ_CHECK_WARN; s--)
        for (int i = 0; i < AZ_CHECKS; i++)
            if ((int)x->c->trust[i].status == s && worth_words(x, (enum az_check)i))
                text = add(x, text, "; ", check_text(x, (enum az_check)i));
    return text;
}

static struct az_sv events(struct writer *x)
{
    const struct az_vd_part *s = &x->w->sum;
    const bool linked =
        x->c->trust[AZ_CHECK_UNLINKED_DEVICE_WORK].status == AZ_CHECK_PASS && s->unlinked == 0;
    if (s->operations)
        return counted(x, s->operations, "operation");
    if (x->c->trust[AZ_CHECK_UNLINKED_DEVICE_WORK].status >= AZ_CHECK_WARN)
        return AZ_SV(""); /* the check counts them */
    if (s->events == 0)
        return s->kernels > 0 || x->c->host.operator_ns == 0 ? AZ_SV("")
                                                             : AZ_SV("no device activity recorded");
    return az_arena_printf(x->a, "%.*s%s", AZ_SVF(counted(x, (int64_t)s->events, "device event")),
                           linked ? ", all linked" : "");
}

static struct az_sv known_work(struct writer *x)
{
    const struct az_vd_part *s = &x->w->sum;
    struct az_sv text = AZ_SV("");
    if (s->rateable > 0)
        text = az_arena_printf(x->a, "FLOPs/bytes known for %.1f%% of kernel time",
                               100.0 * (double)s->rated / (double)s->rateable);
    if (s->kernels > 0 && HIDDEN * (double)s->kernels < (double)s->hidden_ns)
        text = add(x, text, "; ",
                   az_arena_printf(x->a,
                                   "%.0f%% of kernel time launched by graphs, without operators "
                                   "and shapes",
                                   100 * (double)s->hidden_ns / (double)s->kernels));
    if (s->kernels > 0 && s->by_order_ns > 0)
        text =
            add(x, text, "; ",
                az_arena_printf(x->a,
                                "operators of %.0f%% of kernel time matched to graph captures by "
                                "order only",
                                100 * (double)s->by_order_ns / (double)s->kernels));
    return text;
}

/* Rows of operation reports that count nowhere. */
static struct az_sv not_counted(struct writer *x)
{
    const struct az_vd_part *s = &x->w->sum;
    struct az_sv text = AZ_SV("");
    if (s->after.n)
        text = az_arena_printf(x->a,
                               "only operations after the last signpost '%.*s' "
                               "(ignore_signposts: all)",
                               AZ_SVF(s->after));
    if (s->bad_gaps)
        text = add(
            x, text, "; ",
            az_arena_printf(x->a, "%.*s excluded", AZ_SVF(counted(x, s->bad_gaps, "invalid gap"))));
    if (s->first_runs)
        text =
            add(x, text, "; ",
                az_arena_printf(x->a, "%.*s before %" PRId64 " first runs (compilation) excluded",
                                AZ_SVF(human(x, s->first_ns)), s->first_runs));
    return text;
}

/* "no data dropped", only where no check has found anything missing. */
static struct az_sv dropped(struct writer *x)
{
    static const enum az_check against[] = { AZ_CHECK_TRUNCATED_INPUT, AZ_CHECK_IMPOSSIBLE_TIMES,
                                             AZ_CHECK_GRAPH_UNRECORDED,
                                             AZ_CHECK_SKIPPED_DEVICE_WORK, AZ_CHECK_MISSING_RANKS };
    const struct az_vd_part *s = &x->w->sum;
    if (s->dropped)
        return az_arena_printf(x->a, "%.*s dropped (%.*s)",
                               AZ_SVF(counted(x, (int64_t)s->dropped, "row")), AZ_SVF(s->drop));
    if (x->c->trust[AZ_CHECK_LOST_DEVICE_EVENTS].status != AZ_CHECK_PASS)
        return AZ_SV("");
    for (size_t i = 0; i < AZ_LENGTH(against); i++)
        if (x->c->trust[against[i]].status >= AZ_CHECK_WARN)
            return AZ_SV("");
    return AZ_SV("no data dropped");
}

static int trust(struct writer *x)
{
    struct az_sv text = checks(x);
    text = add(x, text, "; ", events(x));
    text = add(x, text, "; ", known_work(x));
    text = add(x, text, "; ", not_counted(x));
    text = add(x, text, "; ", dropped(x));
    return put(x, AZ_LINE_TRUST, "Data", text.n ? text : AZ_SV("no check applies to this input"),
               -1);
}

int az_vd_put_lines(struct az_vd_whole *w, const struct az_claims *c, struct az_table *out)
{
    struct writer x = { w, c, w->job->arena, out };
    int rc = what(&x);
    if (rc == 0)
        rc = c->has_account ? account(&x) : sums(&x);
    if (rc == 0 && c->has_account)
        rc = outside(&x);
    if (rc == 0)
        rc = findings(&x);
    if (rc == 0)
        rc = trust(&x);
    return rc ? rc : x.a->failed ? az_arena_error(x.a) : 0;
}
