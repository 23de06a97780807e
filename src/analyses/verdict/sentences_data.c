/* Sentences about the input data of the verdict. */
#include <inttypes.h>

#include "analyses/verdict/sentences.h"
#include "document/change.h"
#include "facts/host_operators.h"

#define HIDDEN 0.2 /* of kernel time that graphs launched: operators are not informative enough */

/* "rank 3 is", "ranks 3 to 5 are" */
static struct az_sv ranks_text(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    return az_arena_printf(x->a, c->ranks.n_missing == 1 ? "rank %.*s is" : "ranks %.*s are",
                           AZ_SVF(az_rank_list(x->a, c->ranks.missing, c->ranks.n_missing)));
}

/* What a check found. {n} of {of}: its counts, {t}: its time, {has}: "has" or "have" by n. An
 * operation report has operations where others have launches and device events. */
static const struct {
    const char *text, *of_operations; /* NULL: the same */
} check_texts[AZ_CHECKS] = {
    [AZ_CHECK_LOST_DEVICE_EVENTS] = { "{n} of {of} kernel launches {has} no device event",
                                      "{n} of {of} operations {has} no device time" },
    [AZ_CHECK_UNLINKED_DEVICE_WORK] = { "{n} of {of} device events not linked to a launch ({t})" },
    [AZ_CHECK_IMPOSSIBLE_TIMES] = { "{n} of {of} device events with invalid timestamps excluded, "
                                    "their time is idle",
                                    "{n} of {of} recorded operations{devices} with invalid "
                                    "timestamps excluded, their time is idle" },
    [AZ_CHECK_STREAM_OVERLAP] = { "{n} device events overlap later ones of their stream, clipped "
                                  "by {t}" },
    [AZ_CHECK_LAUNCH_ORDER] = { "{n} of {of} kernels start before their launch, by up to {t}" },
    [AZ_CHECK_STEP_MARKS] = { "{n} of {of} step marks without device work" },
    [AZ_CHECK_SKIPPED_DEVICE_WORK] = { "{tracks} not in the account ({t})" },
    [AZ_CHECK_TRUNCATED_INPUT] = { "input is truncated" },
    [AZ_CHECK_MISSING_RANKS] = { "{ranks} missing" },
    [AZ_CHECK_CORRELATION_COLLISIONS] = { "{n} of {of} launches share a correlation ID" },
    [AZ_CHECK_UNKNOWN_KERNELS] = { "{share} of kernel time in unclassified kernels" },
    [AZ_CHECK_GRAPH_UNRECORDED] = { "{n} of {of} graph launches {has} no kernels recorded" },
    [AZ_CHECK_DEVICE_PEAKS] = { "device peaks {peaks}" },
    [AZ_CHECK_IMPOSSIBLE_RATES] = { "{n} of {of} kernels faster than the peak: check device, model "
                                    "or clock" },
    [AZ_CHECK_EARLIER_WORK] = { "work launched before the recording may have run for {t}" },
};

static struct az_sv check_word(struct az_verdict_text *x, enum az_check check, struct az_sv word)
{
    const struct az_check_result *r = &x->c->trust[check];
    const struct az_verdict_part *s = &x->w->sum;
    if (az_sv_is(word, "n"))
        return az_verdict_text_count(x, r->count);
    if (az_sv_is(word, "of"))
        return az_verdict_text_count(x, r->of);
    if (az_sv_is(word, "t"))
        return az_verdict_text_time(x, r->time_ns);
    if (az_sv_is(word, "has"))
        return az_sv_str(r->count == 1 ? "has" : "have");
    if (az_sv_is(word, "devices")) /* which the tables merge */
        return x->c->devices.count < 2
                   ? AZ_SV("")
                   : az_arena_printf(x->a, " of %" PRId64 " devices", x->c->devices.count);
    if (az_sv_is(word, "tracks"))
        return az_verdict_text_counted(x, r->count, "device track");
    if (az_sv_is(word, "ranks"))
        return ranks_text(x);
    if (az_sv_is(word, "share"))
        return az_arena_printf(x->a, "%.1f%%",
                               s->kernels > 0 ? 100 * (double)s->other / (double)s->kernels : 0);
    if (!az_sv_is(x->c->devices.peaks, "scaled"))
        return AZ_SV("unknown (set device_peaks)");
    return s->peaks_of.n
               ? az_arena_printf(x->a, "scaled from the data sheet of %.*s", AZ_SVF(s->peaks_of))
               : AZ_SV("scaled from a data sheet");
}

struct az_sv az_verdict_text_check(struct az_verdict_text *x, enum az_check check)
{
    const bool operations = x->w->sum.operations > 0 && check_texts[check].of_operations;
    struct az_sv rest = az_sv_str(operations                ? check_texts[check].of_operations
                                  : check_texts[check].text ? check_texts[check].text
                                                            : "");
    struct az_sv out = AZ_SV("");
    while (rest.n) {
        const struct az_sv plain = az_sv_cut(&rest, '{'), word = az_sv_cut(&rest, '}'),
                           value = word.n ? check_word(x, check, word) : AZ_SV("");
        out = az_arena_printf(x->a, "%.*s%.*s%.*s", AZ_SVF(out), AZ_SVF(plain), AZ_SVF(value));
    }
    return out;
}

/* Unknown peaks matter where there is work to compare with them. */
static bool worth_words(struct az_verdict_text *x, enum az_check check)
{
    return check != AZ_CHECK_DEVICE_PEAKS || x->w->sum.rated > 0;
}

static struct az_sv checks(struct az_verdict_text *x)
{
    struct az_sv text = AZ_SV("");
    for (int s = AZ_CHECK_FAIL; s >= AZ_CHECK_WARN; s--)
        for (int i = 0; i < AZ_CHECKS; i++)
            if ((int)x->c->trust[i].status == s && worth_words(x, (enum az_check)i))
                text =
                    az_verdict_text_add(x, text, "; ", az_verdict_text_check(x, (enum az_check)i));
    return text;
}

/* "29 operations in the 3 steps, devices merged", as the tables have them. */
static struct az_sv operations(struct az_verdict_text *x, int64_t n)
{
    bool merged = false;
    for (size_t k = 0; k < x->w->n; k++)
        merged |= x->w->part[k]->merged;
    return az_arena_printf(x->a, "%.*s%.*s%s", AZ_SVF(az_verdict_text_counted(x, n, "operation")),
                           AZ_SVF(az_verdict_text_steps(x)), merged ? ", devices merged" : "");
}

static struct az_sv events(struct az_verdict_text *x)
{
    const struct az_verdict_part *s = &x->w->sum;
    const bool linked =
        x->c->trust[AZ_CHECK_UNLINKED_DEVICE_WORK].status == AZ_CHECK_PASS && s->unlinked == 0;
    if (s->operations)
        return operations(x, s->operations);
    if (x->c->trust[AZ_CHECK_UNLINKED_DEVICE_WORK].status >= AZ_CHECK_WARN)
        return AZ_SV(""); /* the check counts them */
    if (s->events == 0)
        return s->kernels > 0 || x->c->host.operator_ns == 0 ? AZ_SV("")
                                                             : az_verdict_text_no_device(x);
    return az_arena_printf(
        x->a, "%.*s%s%s", AZ_SVF(az_verdict_text_counted(x, (int64_t)s->events, "device event")),
        *az_verdict_text_recording(x) ? " in the recording" : "", linked ? ", all linked" : "");
}

static struct az_sv known_work(struct az_verdict_text *x)
{
    const struct az_verdict_part *s = &x->w->sum;
    struct az_sv text = AZ_SV("");
    if (s->rateable > 0)
        text = az_arena_printf(
            x->a, "FLOPs/bytes known for %.1f%% of compute kernel time%.*s",
            100.0 * (double)s->rated / (double)s->rateable,
            AZ_SVF(*az_verdict_text_recording(x) ? az_verdict_text_steps(x) : AZ_SV("")));
    if (s->kernels > 0 && HIDDEN * (double)s->kernels < (double)s->hidden_ns)
        text = az_verdict_text_add(
            x, text, "; ",
            az_arena_printf(x->a,
                            "%.0f%% of %skernel time launched by graphs, without operators "
                            "and shapes",
                            100 * (double)s->hidden_ns / (double)s->kernels,
                            az_verdict_text_recording(x)));
    if (s->kernels > 0 && s->by_order_ns > 0)
        text = az_verdict_text_add(
            x, text, "; ",
            az_arena_printf(x->a,
                            "operators of %.0f%% of %skernel time matched to graph captures by "
                            "order only",
                            100 * (double)s->by_order_ns / (double)s->kernels,
                            az_verdict_text_recording(x)));
    return text;
}

/* Rows of operation reports that count nowhere. */
static struct az_sv not_counted(struct az_verdict_text *x)
{
    const struct az_verdict_part *s = &x->w->sum;
    struct az_sv text = AZ_SV("");
    if (s->after.n)
        text = az_arena_printf(x->a,
                               "only operations after the last signpost '%.*s' "
                               "(ignore_signposts: all)",
                               AZ_SVF(s->after));
    if (s->bad_gaps)
        text = az_verdict_text_add(
            x, text, "; ",
            az_arena_printf(x->a, "%.*s excluded",
                            AZ_SVF(az_verdict_text_counted(x, s->bad_gaps, "invalid gap"))));
    if (s->first_runs)
        text = az_verdict_text_add(
            x, text, "; ",
            az_arena_printf(x->a, "%.*s before %" PRId64 " first runs (compilation) excluded",
                            AZ_SVF(az_verdict_text_time(x, s->first_ns)), s->first_runs));
    return text;
}

/* "no data dropped", only where no check has found anything missing. */
static struct az_sv dropped(struct az_verdict_text *x)
{
    static const enum az_check against[] = { AZ_CHECK_TRUNCATED_INPUT, AZ_CHECK_IMPOSSIBLE_TIMES,
                                             AZ_CHECK_GRAPH_UNRECORDED,
                                             AZ_CHECK_SKIPPED_DEVICE_WORK, AZ_CHECK_MISSING_RANKS };
    const struct az_verdict_part *s = &x->w->sum;
    if (s->dropped) /* what a missing end had is unknown */
        return az_arena_printf(
            x->a, "%s%.*s dropped (%.*s)",
            x->c->trust[AZ_CHECK_TRUNCATED_INPUT].status == AZ_CHECK_PASS ? "" : "at least ",
            AZ_SVF(az_verdict_text_counted(x, (int64_t)s->dropped, "row")), AZ_SVF(s->drop));
    if (x->c->trust[AZ_CHECK_LOST_DEVICE_EVENTS].status != AZ_CHECK_PASS)
        return AZ_SV("");
    for (size_t i = 0; i < AZ_LENGTH(against); i++)
        if (x->c->trust[against[i]].status >= AZ_CHECK_WARN)
            return AZ_SV("");
    return AZ_SV("no data dropped");
}

/* Where no check applies. */
static struct az_sv nothing_to_check(const struct az_verdict_text *x)
{
    bool totals = x->w->sum.names > 0;
    for (size_t i = 0; i < x->w->job->n_traces; i++)
        totals |= az_trace_no_device(x->w->job->traces[i]) == AZ_NO_DEVICE_TOTALS ||
                  x->w->job->traces[i]->mem_sums.n > 0;
    return totals ? AZ_SV("totals only, no events to check") : AZ_SV("no device events to check");
}

int az_verdict_text_data(struct az_verdict_text *x)
{
    struct az_sv text = checks(x);
    text = az_verdict_text_add(x, text, "; ", events(x));
    text = az_verdict_text_add(x, text, "; ", known_work(x));
    text = az_verdict_text_add(x, text, "; ", not_counted(x));
    text = az_verdict_text_add(x, text, "; ", dropped(x));
    return az_verdict_text_put(x, AZ_LINE_TRUST, "Data", text.n ? text : nothing_to_check(x), -1);
}

/* Tables of operations that are of another scope than the account. */
int az_verdict_text_tables(struct az_verdict_text *x)
{
    struct az_sv scope = x->c->tables_scope;
    const int64_t n = x->c->steps.count - (int64_t)x->c->steps.n_excluded;
    if (!scope.n && x->c->scope == AZ_SCOPE_STEPS && az_claims_has_outside(x->c))
        scope = az_arena_printf(
            x->a, "kernels, operators and regions of the whole recording, not only of the %.*s",
            AZ_SVF(az_verdict_text_counted(x, n, az_change_step_noun(x->c->steps.source))));
    return scope.n ? az_verdict_text_put(x, AZ_LINE_NOTE, "Tables", scope, -1) : AZ_OK;
}
