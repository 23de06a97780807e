/* The lines of the verdict but for its findings: what ran, where the time went, what to trust. */
#include <inttypes.h>
#include <math.h>

#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/num.h"
#include "results/headline.h"

#define OTHER_PERCENT 5.0  /* of kernel time in no family that is worth a word */
#define SEEN          0.5  /* of the host's time, below which device work may be missing */
#define HIDDEN        0.2  /* of kernel time that graphs launched: operators do not say enough */
#define GRAPH_PERCENT 1.0  /* of graph launches without kernels, from which idle is not trusted */
#define KNOWN         0.80 /* of kernel time whose work is known, for a rate of the whole */

static int put(struct az_vd_whole *w, struct az_table *out, enum az_line_kind kind,
               const char *label, struct az_sv text, int64_t ns)
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
        return az_arena_error(w->job->arena);
    az_headline_put(out, &l);
    return 0;
}

static struct az_sv add(struct az_vd_whole *w, struct az_sv to, const char *between,
                        struct az_sv more)
{
    return az_arena_printf(w->job->arena, "%.*s%s%.*s", AZ_SVF(to), to.n ? between : "",
                           AZ_SVF(more));
}

/* ---- what ran ---- */
static struct az_sv devices(struct az_vd_whole *w)
{
    struct az_arena *a = w->job->arena;
    const size_t n = w->sum.devices;
    if (n <= 1)
        return w->sum.device.n ? w->sum.device : n ? AZ_SV("1 device") : AZ_SV("");
    return w->sum.device.n ? az_arena_printf(a, "%zu x %.*s", n, AZ_SVF(w->sum.device))
                           : az_arena_printf(a, "%zu devices", n);
}

static struct az_sv ranks(struct az_vd_whole *w)
{
    struct az_arena *a = w->job->arena;
    const int64_t rank = w->job->n_traces == 1 ? w->job->traces[0]->rank : -1,
                  world = w->job->n_traces == 1 ? w->job->traces[0]->world_size : -1;
    if (w->ranks && w->job->n_traces != 1)
        return w->ranks->world_size > (int64_t)w->n
                   ? az_arena_printf(a, "%zu of %" PRId64 " ranks", w->n, w->ranks->world_size)
                   : az_arena_printf(a, "%zu rank%s", w->n, w->n == 1 ? "" : "s");
    if (world > 1 && rank >= 0)
        return az_arena_printf(a, "rank %" PRId64 " of %" PRId64, rank, world);
    return AZ_SV("1 rank");
}

static struct az_sv steps(struct az_vd_whole *w)
{
    char each[AZ_HUMAN_MAX];
    if (w->sum.steps == 0)
        return AZ_SV("");
    az_human_time(w->sum.median, each);
    return az_arena_printf(w->job->arena, "%zu step%s of %s %.*s", w->sum.steps,
                           w->sum.steps == 1 ? "" : "s", each, AZ_SVF(w->sum.how));
}

/* A file may hold nothing but what ranges of the host took on the device. */
static struct az_sv no_work(struct az_vd_whole *w)
{
    const size_t n = w->job->n_traces == 1 ? w->job->traces[0]->proj.n : 0;
    const struct az_sv format = w->job->doc->format;
    if (n == 0)
        return az_arena_printf(w->job->arena, "no device work (%.*s)", AZ_SVF(format));
    return az_arena_printf(w->job->arena, "%zu range%s projected onto the device (%.*s)", n,
                           n == 1 ? "" : "s", AZ_SVF(format));
}

static int what(struct az_vd_whole *w, struct az_table *out)
{
    char span[AZ_HUMAN_MAX];
    if (w->sum.total == 0 && w->sum.kernels == 0)
        return put(w, out, AZ_LINE_WHAT, "", no_work(w), -1);
    const int64_t ns = w->sum.total > 0 ? az_vd_mean(w, w->sum.total) : w->sum.kernels;
    struct az_sv text = devices(w);
    const struct az_sv of = ranks(w);
    if (text.n || !az_sv_is(of, "1 rank")) /* sums say neither */
        text = add(w, text, ", ", of);
    if (w->sum.steps)
        text = add(w, text, ", ", steps(w));
    az_human_time(ns, span);
    text =
        az_arena_printf(w->job->arena, "%.*s%s%s%s (%.*s)", AZ_SVF(text), text.n ? ", " : "", span,
                        w->sum.total > 0 ? "" : " of kernels", AZ_SVF(w->job->doc->format));
    return put(w, out, AZ_LINE_WHAT, "", text, ns);
}

/* ---- time ---- */
bool az_vd_doubt(const struct az_vd_whole *w)
{
    const struct az_vd_part *s = &w->sum;
    return s->graphs && 100.0 * (double)s->bare >= GRAPH_PERCENT * (double)s->graphs;
}

static struct az_sv doubt(struct az_vd_whole *w)
{
    if (!az_vd_doubt(w))
        return AZ_SV("");
    return az_arena_printf(w->job->arena,
                           " (not trustworthy: %" PRIu64 " of %" PRIu64
                           " graph launches have no kernels recorded)",
                           w->sum.bare, w->sum.graphs);
}

void az_vd_tenths(const struct az_vd_whole *w, int t[AZ_VD_SHARES])
{
    const struct az_vd_part *s = &w->sum;
    const int64_t part[AZ_VD_SHARES] = { s->compute, s->comm, s->copies, s->idle };
    az_human_shares(part, AZ_VD_SHARES, t);
}

static int account(struct az_vd_whole *w, struct az_table *out)
{
    const struct az_vd_part *s = &w->sum;
    int t[AZ_VD_SHARES];
    az_vd_tenths(w, t);
    struct az_sv text = az_arena_printf(
        w->job->arena,
        "%d.%d %% computing, %d.%d %% waiting for communication, %d.%d %% copying, %d.%d %% "
        "idle%.*s",
        t[0] / 10, t[0] % 10, t[1] / 10, t[1] % 10, t[2] / 10, t[2] % 10, t[3] / 10, t[3] % 10,
        AZ_SVF(doubt(w)));
    if (w->devices > 1)
        text =
            az_arena_printf(w->job->arena, "%.*s; mean of %zu devices", AZ_SVF(text), w->devices);
    if (s->outside > 0 && s->outside > s->total / 100) {
        char outside[AZ_HUMAN_MAX];
        az_human_time(az_vd_mean(w, s->outside), outside);
        text = az_arena_printf(
            w->job->arena,
            "%.*s; without %s of the recording before the first and after the last work",
            AZ_SVF(text), outside);
    }
    if (s->flops > 0 && (double)s->rated >= KNOWN * (double)s->rateable) {
        const double rate = s->flops / (double)s->total * 1e9, mfu = 100.0 * rate / s->peak;
        char flops[AZ_HUMAN_MAX];
        az_human_flops(rate, flops);
        text = az_arena_printf(w->job->arena, "%.*s; %s%s", AZ_SVF(text), flops,
                               w->devices > 1 ? " each" : "");
        if (s->peak > 0)
            text = mfu < 0.05
                       ? az_arena_printf(w->job->arena, "%.*s, MFU below 0.1 %%", AZ_SVF(text))
                       : az_arena_printf(w->job->arena, "%.*s, MFU %.1f %% of %.*s peak",
                                         AZ_SVF(text), mfu, AZ_SVF(s->precision));
        if ((double)s->rated < 0.99 * (double)s->rateable)
            text = az_arena_printf(w->job->arena, "%.*s (work known of %.1f %% of kernel time)",
                                   AZ_SVF(text), 100.0 * (double)s->rated / (double)s->rateable);
    }
    return put(w, out, AZ_LINE_TIME, "time", text, az_vd_mean(w, s->total));
}

/* Formats of sums, and traces of which nothing counts. */
static int sums(struct az_vd_whole *w, struct az_table *out)
{
    const struct az_sv text =
        w->sum.names
            ? az_arena_printf(w->job->arena,
                              "of kernels: %.*s (sums of %zu names; when they ran is not in the "
                              "file)",
                              AZ_SVF(w->sum.families), w->sum.names)
            : AZ_SV("no device event is linked to its launch: include_unlinked_kernels counts "
                    "them");
    return put(w, out, AZ_LINE_TIME, "time", text, w->sum.kernels);
}

int az_vd_put_head(struct az_vd_whole *w, struct az_table *out)
{
    const int rc = what(w, out);
    if (rc)
        return rc;
    return w->sum.total > 0 ? account(w, out) : w->sum.names || w->sum.unlinked ? sums(w, out) : 0;
}

/* ---- trust ---- */
static struct az_sv links(struct az_vd_whole *w)
{
    const struct az_vd_part *s = &w->sum;
    struct az_arena *a = w->job->arena;
    char n[AZ_HUMAN_MAX], m[AZ_HUMAN_MAX];
    az_human_count((int64_t)s->events, n);
    az_human_count((int64_t)s->unlinked, m);
    if (s->events == 0)
        return AZ_SV("");
    if (s->operations) {
        az_human_count(s->operations, n);
        return az_arena_printf(a, "%s operation%s", n, s->operations == 1 ? "" : "s");
    }
    if (s->unlinked)
        return az_arena_printf(a, "%s of %s device events without their launch", m, n);
    return az_arena_printf(a, "%s%s device events%s", w->sum.linked ? "all " : "", n,
                           w->sum.linked ? " linked" : "");
}

/* "96.9 % of kernel time has FLOPs or bytes" */
static struct az_sv rated(struct az_vd_whole *w)
{
    const struct az_vd_part *s = &w->sum;
    if (s->rateable <= 0)
        return AZ_SV("");
    return az_arena_printf(w->job->arena, "; %.1f %% of kernel time has FLOPs or bytes",
                           100.0 * (double)s->rated / (double)s->rateable);
}

/* What the figures do not hold: operations before a signpost, what the host recorded besides, gaps
 * before operations that were compiled. */
static struct az_sv uncounted(struct az_vd_whole *w, struct az_sv text)
{
    const struct az_vd_part *s = &w->sum;
    struct az_arena *a = w->job->arena;
    if (s->after.n)
        text = add(w, text, "; ",
                   az_arena_printf(a,
                                   "only those after the last signpost, '%.*s', count "
                                   "(ignore_signposts: all)",
                                   AZ_SVF(s->after)));
    if (w->n == 1 && s->total > 0 && s->first_runs == 0 && s->after.n == 0 &&
        (double)s->host * SEEN > (double)az_vd_mean(w, s->total)) {
        char device[AZ_HUMAN_MAX], host[AZ_HUMAN_MAX];
        az_human_time(az_vd_mean(w, s->total), device);
        az_human_time(s->host, host);
        text = add(w, text, "; ",
                   az_arena_printf(a, "device work covers %s of the %s that the host recorded",
                                   device, host));
    }
    if (s->suspects) {
        char ns[AZ_HUMAN_MAX];
        az_human_time(s->suspect_ns, ns);
        text = add(w, text, "; ",
                   az_arena_printf(a, "%" PRId64 " with impossible times not counted (%s)",
                                   s->suspects, ns));
    }
    if (s->bad_gaps)
        text = add(w, text, "; ",
                   az_arena_printf(a, "%" PRId64 " impossible gap%s not counted", s->bad_gaps,
                                   s->bad_gaps == 1 ? "" : "s"));
    if (s->first_runs) {
        char first[AZ_HUMAN_MAX];
        az_human_time(s->first_ns, first);
        text = add(w, text, "; ",
                   az_arena_printf(
                       a, "%s before %" PRId64 " operations that were compiled are not counted",
                       first, s->first_runs));
    }
    return text;
}

int az_vd_put_trust(struct az_vd_whole *w, struct az_table *out)
{
    const struct az_vd_part *s = &w->sum;
    struct az_arena *a = w->job->arena;
    const struct az_sv known = rated(w);
    struct az_sv text = links(w);
    text = az_arena_printf(a, "%.*s%.*s", AZ_SVF(text), AZ_SVF(known));
    char n[AZ_HUMAN_MAX];
    if (s->bare)
        text = add(
            w, text, "; ",
            az_arena_printf(a, "%" PRIu64 " of %" PRIu64 " graph launches have no kernels recorded",
                            s->bare, s->graphs));
    if (s->kernels > 0 && HIDDEN * (double)s->kernels < (double)s->hidden_ns)
        text = add(w, text, "; ",
                   az_arena_printf(a,
                                   "%.0f %% of kernel time was launched by graphs, without its "
                                   "operators and shapes",
                                   100 * (double)s->hidden_ns / (double)s->kernels));
    if (s->kernels > 0 && s->by_order_ns > 0)
        text = add(w, text, "; ",
                   az_arena_printf(a,
                                   "%.0f %% of kernel time got its operators from graph captures "
                                   "by order, which kernel names cannot confirm",
                                   100 * (double)s->by_order_ns / (double)s->kernels));
    const double other = s->kernels > 0 ? 100.0 * (double)s->other / (double)s->kernels : 0;
    if (other > OTHER_PERCENT)
        text =
            add(w, text, "; ",
                az_arena_printf(a, "%.1f %% of kernel time in kernels of no known family", other));
    if (w->ranks && w->ranks->n_missing)
        text =
            add(w, text, "; ",
                az_arena_printf(
                    a, w->ranks->n_missing == 1 ? "rank %.*s is missing" : "ranks %.*s are missing",
                    AZ_SVF(az_rank_list(a, w->ranks->missing, w->ranks->n_missing))));
    text = uncounted(w, text);
    if (s->warm_up)
        text = add(w, text, "; ", AZ_SV("the first step is not like the others"));
    az_human_count((int64_t)s->dropped, n);
    text = add(w, text, "; ",
               s->dropped ? az_arena_printf(a, "%s row%s lost (%.*s)", n,
                                            s->dropped == 1 ? "" : "s", AZ_SVF(s->drop))
                          : AZ_SV("nothing lost"));
    return put(w, out, AZ_LINE_TRUST, "trust", text, -1);
}
