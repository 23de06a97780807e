/* Sentences of findings: `problem: evidence. Fix.` */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyses/verdict/sentences.h"
#include "base/human.h"

#define LINES 5    /* findings in the verdict */
#define LEAST 0.01 /* of the span: share of a finding that has a line */
#define RATED 0.5  /* of kernel time with FLOPs or bytes; below: said where nothing is found */
#define NAME  60   /* characters of a name in a sentence */

/* ---- pieces ---- */
/* "GPU idle" as "TPU idle" or "device idle" */
static struct az_sv device_words(struct az_vd_text *x, const char *words)
{
    const struct az_sv w = az_sv_str(words), gpu = AZ_SV("GPU");
    const char *noun = az_vd_text_op_report(x)                             ? "device"
                       : az_sv_find(x->c->devices.name, AZ_SV("TPU")) >= 0 ? "TPU"
                                                                           : NULL;
    const ptrdiff_t at = noun ? az_sv_find(w, gpu) : -1;
    if (at < 0)
        return w;
    return az_arena_printf(x->a, "%.*s%s%s", (int)at, words, noun, words + at + gpu.n);
}

/* "models/vit/modeling_vit.py(252): forward": of a long path the end says where. */
static struct az_sv frame_name(struct az_vd_text *x, struct az_sv frame)
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
    return az_vd_text_cut(x, tail);
}

static struct az_sv capital(struct az_vd_text *x, const char *text)
{
    if (!*text)
        return AZ_SV("");
    const char c = text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
    return az_arena_printf(x->a, "%c%s", c, text + 1);
}

/* ---- one finding ---- */
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
static struct az_sv place(struct az_vd_text *x, const struct az_claim *f)
{
    struct az_sv text = AZ_SV("");
    if (f->call.n)
        text = az_vd_text_add(x, text, ", ", az_vd_text_cut(x, f->call));
    if (f->frame.n)
        text = az_vd_text_add(x, text, ", ", frame_name(x, f->frame));
    else if (f->range.n)
        text = az_vd_text_add(x, text, ", ", az_vd_text_cut(x, f->range));
    else if (f->operation.n)
        text = az_vd_text_add(x, text, ", ", az_vd_text_cut(x, f->operation));
    return text.n ? az_arena_printf(x->a, "in %.*s", AZ_SVF(text)) : text;
}

/* "on device 3", "on rank 5", "on ranks 8-15" */
static struct az_sv whose(struct az_vd_text *x, const struct az_claim *f)
{
    if (f->rank != AZ_NO_RANK)
        return az_arena_printf(x->a, "on rank %" PRId64, f->rank);
    if (f->n_ranks)
        return az_arena_printf(x->a, "on ranks %.*s",
                               AZ_SVF(az_rank_list(x->a, f->ranks, f->n_ranks)));
    return f->device != AZ_NO_RANK ? az_arena_printf(x->a, "on device %" PRId64, f->device)
                                   : AZ_SV("");
}

static struct az_sv gaps_text(struct az_vd_text *x, const struct az_claim *f, struct az_sv title)
{
    struct az_sv text = az_vd_text_counted(x, f->count > 0 ? f->count : 1, "gap");
    if (f->median_ns >= 0 && f->count > 1)
        text = az_vd_text_add(x, text, ", median ", az_vd_text_time(x, f->median_ns));
    else if (f->time_ns >= 0 && f->count > 0)
        text = az_vd_text_add(x, text, f->count == 1 ? " of " : ", mean ",
                              az_vd_text_time(x, f->time_ns / f->count));
    if (f->count > 2 && 2 * f->largest_ns > f->time_ns)
        text = az_vd_text_add(x, text, ", largest ", az_vd_text_time(x, f->largest_ns));
    text = az_vd_text_add(x, text, ", ", place(x, f));
    text = az_vd_text_add(x, text, ", ", whose(x, f));
    text = az_vd_text_add(x, text, ", ", f->subject);
    return az_arena_printf(x->a, "%.*s: %.*s", AZ_SVF(title), AZ_SVF(text));
}

/* "22% not overlapped": how much of communication or of copies is exposed. */
static struct az_sv exposed_part(struct az_vd_text *x, const struct az_vd_rule *r,
                                 const struct az_claim *f)
{
    const int64_t all = az_vd_mean(x->w, f->time_ns);
    if ((r->within != AZ_VD_IN_COMM && r->within != AZ_VD_IN_COPY) || all <= 0)
        return AZ_SV("");
    const double percent = 100.0 * (double)f->saving_ns / (double)all;
    return percent >= 99.5 ? AZ_SV("")
                           : az_arena_printf(x->a, "%.*f%% not overlapped", percent < 10, percent);
}

static struct az_sv times_text(struct az_vd_text *x, const struct az_vd_rule *r,
                               const struct az_claim *f)
{
    struct az_sv text = f->subject;
    if (f->groups > 1)
        text = az_vd_text_add(x, text, " in ", az_vd_text_counted(x, f->groups, "group"));
    if (f->count > 1)
        text = az_vd_text_add(x, text, ", ", az_vd_text_counted(x, f->count, "call"));
    if (f->count > 0 && f->time_ns >= 0)
        text = az_vd_text_add(x, text, f->count > 1 ? ", mean " : ", ",
                              az_vd_text_time(x, f->time_ns / f->count));
    text = az_vd_text_add(x, text, ", ", exposed_part(x, r, f));
    text = az_vd_text_add(x, text, ", ", whose(x, f));
    return az_arena_printf(x->a, "%s%s%.*s", r->title, *r->title ? ": " : "", AZ_SVF(text));
}

/* Why a rank is late: "slower kernels", "GPU idle during a host range". */
static struct az_sv late_words(struct az_vd_text *x, enum az_cause cause)
{
    const char *bound = "host-bound, ", *words = idle_words(cause);
    if (cause == AZ_CAUSE_SLOW_KERNELS || cause == AZ_CAUSE_MORE_WORK)
        return cause == AZ_CAUSE_MORE_WORK ? AZ_SV("more work") : AZ_SV("slower kernels");
    return device_words(x, words + (strncmp(words, bound, strlen(bound)) == 0 ? strlen(bound) : 0));
}

static struct az_sv plain_text(struct az_vd_text *x, const struct az_vd_rule *r,
                               const struct az_claim *f)
{
    struct az_sv text = f->subject;
    if (f->cause != AZ_CAUSE_NONE) {
        text = az_vd_text_add(x, text, "; cause: ", late_words(x, f->cause));
        text = az_vd_text_add(x, text, " ", place(x, f));
    }
    return az_arena_printf(x->a, "%s%s%.*s", r->title, *r->title && text.n ? ": " : "",
                           AZ_SVF(text));
}

static struct az_sv finding_text(struct az_vd_text *x, const struct az_vd_rule *r,
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
    struct az_vd_text x = { w, c, w->job->arena, NULL };
    return finding_text(&x, az_vd_rule_of(f->rule), f);
}

/* What to do: once, where several lines have the same advice. */
static struct az_sv advice_text(struct az_vd_text *x, const struct az_claim *const *line, size_t n,
                                const struct az_claim *f)
{
    for (size_t i = 0; i < n; i++)
        if (line[i]->advice == f->advice)
            return AZ_SV("");
    return capital(x, az_advice_text(f->advice));
}

/* A part of the account is not larger in a line than in the account, whose parts are rounded so
 * that they add up. */
static double shown_share(struct az_vd_text *x, const struct az_vd_rule *r, double share)
{
    const struct az_claim_account *a = &x->c->account;
    const int64_t part[] = { a->idle, a->exposed_communication, a->exposed_copy, a->computing };
    int t[AZ_LENGTH(part)];
    az_human_shares(part, AZ_LENGTH(part), t);
    const double most = r->within < AZ_LENGTH(part) ? t[r->within] / 10.0 : 100;
    return share > most ? most : share;
}

static int finding(struct az_vd_text *x, const struct az_claim *const *line, size_t n,
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

static struct az_sv nothing_found(struct az_vd_text *x)
{
    const struct az_vd_part *s = &x->w->sum;
    const int64_t all = s->rateable > 0 ? s->rateable : s->kernels;
    const double known = all > 0 ? (double)s->rated / (double)all : 1;
    if (x->c->qualified_by)
        return AZ_SV("no finding: the account is not trustworthy");
    if (known >= RATED || az_vd_text_op_report(x))
        return AZ_SV("no finding above 1%");
    return az_arena_printf(x->a,
                           "no finding above 1%%; %.0f%% of kernel time could not be compared with "
                           "the roofline (no operators with shapes)",
                           100 - 100 * known);
}

int az_vd_text_findings(struct az_vd_text *x)
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
    return rc || n || !x->c->has_account
               ? rc
               : az_vd_text_put(x, AZ_LINE_NOTE, "", nothing_found(x), -1);
}
