/* Sentences of findings: `problem: evidence. Fix.` */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyses/verdict/sentences.h"
#include "base/human.h"
#include "facts/regions.h"

#define LINES      5    /* findings in the verdict */
#define FEW        0.2  /* of exposed work: overlap of less is no remedy for it */
#define MUCH       0.1  /* of the span: copies that are worth an advice whatever they save */
#define LEAST      0.01 /* of the span: share of a finding that has a line */
#define CALLS      3    /* named of a first use */
#define MOSTLY     0.5  /* of the time of gaps: the host is in a place from this share on, */
#define NEARLY_ALL 0.9  /* and below this one "mostly" in it */
#define RATED      0.5  /* of kernel time with FLOPs or bytes; below: printed if nothing is found */
#define NAME       60   /* characters of a name in a sentence */
#define BOUNDED    0.0005 /* of the span: less saving than this is no other saving */
#define UNLIKE     10     /* calls whose lengths differ by this factor have a range in a sentence */
#define ALIKE      4      /* times of devices in one line differ by at most this factor */

/* ---- pieces ---- */
/* "GPU idle" as "TPU idle" or "device idle" */
static struct az_sv device_words(struct az_verdict_text *x, const char *words)
{
    const struct az_sv w = az_sv_str(words), gpu = AZ_SV("GPU");
    const char *noun = az_verdict_text_op_report(x) ? "device"
                       : az_verdict_text_tpu(x)     ? "TPU"
                                                    : NULL;
    const ptrdiff_t at = noun ? az_sv_find(w, gpu) : -1;
    if (at < 0)
        return w;
    return az_arena_printf(x->a, "%.*s%s%s", (int)at, words, noun, words + at + gpu.n);
}

/* "models/vit/modeling_vit.py(252): forward": of a long path the end is the place. */
static struct az_sv frame_name(struct az_verdict_text *x, struct az_sv frame)
{
    struct az_sv tail = frame;
    while (tail.n > NAME) {
        size_t i = 1; /* a slash at the begin is none between folders */
        while (i < tail.n && tail.p[i] != '/')
            i++;
        if (i == tail.n)
            break;
        tail = az_sv_make(tail.p + i + (i + 1 < tail.n), tail.n - i - (i + 1 < tail.n));
    }
    return az_verdict_text_cut(x, tail);
}

static struct az_sv capital(struct az_verdict_text *x, const char *text)
{
    if (!*text)
        return AZ_SV("");
    const char c = text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
    return az_arena_printf(x->a, "%c%s", c, text + 1);
}

/* ---- one finding ---- */
/* Part of the time of gaps that is in its call, frame, ...: all of it where that is not known. */
static double share_of(const struct az_claim *f, enum az_place p)
{
    return f->in_place[p] >= 0 && f->time_ns > 0 ? (double)f->in_place[p] / (double)f->time_ns : 1;
}

static bool is_in_operator(const struct az_claim *f)
{
    return f->cause == AZ_CAUSE_HOST_COMPUTE && f->operation.n &&
           share_of(f, AZ_PLACE_OPERATOR) >= MOSTLY;
}

/* An operator that Python code runs is nearer to the gap than the code. */
static const char *idle_words(const struct az_claim *f)
{
    return is_in_operator(f) ? "host-bound, GPU idle during an operator"
           : f->cause == AZ_CAUSE_HOST_COMPUTE && f->frame.n
               ? "host-bound, GPU idle during operators"
               : az_cause_words(f->cause);
}

/* Frame, else range, else operator, where half of the time is in it; of time in a range the range,
 * of time in an operator that one. AZ_PLACES: none. */
static enum az_place place_of(const struct az_claim *f)
{
    const bool range = f->range.n && share_of(f, AZ_PLACE_RANGE) >= MOSTLY;
    if (is_in_operator(f))
        return AZ_PLACE_OPERATOR;
    if (f->frame.n && share_of(f, AZ_PLACE_FRAME) >= MOSTLY &&
        !(range && f->cause == AZ_CAUSE_HOST_RANGE))
        return AZ_PLACE_FRAME;
    if (range)
        return AZ_PLACE_RANGE;
    return f->operation.n && share_of(f, AZ_PLACE_OPERATOR) >= MOSTLY ? AZ_PLACE_OPERATOR
                                                                      : AZ_PLACES;
}

/* Of a range that is the cause also the operator in it. */
static struct az_sv place_name(struct az_verdict_text *x, const struct az_claim *f, enum az_place p)
{
    if (p == AZ_PLACE_FRAME)
        return frame_name(x, f->frame);
    if (p == AZ_PLACE_OPERATOR)
        return az_verdict_text_cut(x, f->operation);
    const struct az_sv range = az_verdict_text_cut(x, f->range);
    if (f->cause != AZ_CAUSE_HOST_RANGE || f->operation.n == 0 ||
        az_sv_eq(f->operation, f->range) || share_of(f, AZ_PLACE_OPERATOR) < NEARLY_ALL)
        return range;
    return az_arena_printf(x->a, "%.*s (%.*s)", AZ_SVF(range),
                           AZ_SVF(az_verdict_text_cut(x, f->operation)));
}

/* "in cudaMemcpy, load_batch": where the host is. "mostly in load_batch": for less than 90% of the
 * time. */
static struct az_sv place(struct az_verdict_text *x, const struct az_claim *f)
{
    const enum az_place p = place_of(f);
    struct az_sv text = AZ_SV("");
    if (f->call.n && share_of(f, AZ_PLACE_CALL) >= MOSTLY)
        text = az_arena_printf(x->a, "in %.*s", AZ_SVF(az_verdict_text_cut(x, f->call)));
    if (p == AZ_PLACES)
        return text;
    const char *in = share_of(f, p) < NEARLY_ALL ? "mostly in " : text.n ? "" : "in ";
    return az_verdict_text_add(x, text, ", ",
                               az_arena_printf(x->a, "%s%.*s", in, AZ_SVF(place_name(x, f, p))));
}

/* "on device 3", "on rank 5", "on ranks 8-15" */
static struct az_sv whose(struct az_verdict_text *x, const struct az_claim *f)
{
    if (f->rank != AZ_NO_RANK)
        return az_arena_printf(x->a, "on rank %" PRId64, f->rank);
    if (f->n_ranks)
        return az_arena_printf(x->a, "on ranks %.*s",
                               AZ_SVF(az_rank_list(x->a, f->ranks, f->n_ranks)));
    return f->device != AZ_NO_RANK ? az_arena_printf(x->a, "on device %" PRId64, f->device)
                                   : AZ_SV("");
}

/* Is the length of most gaps misleading: is more than half of the time in the longest one, or in
 * gaps that are longer than the median? */
static bool is_uneven(const struct az_claim *f)
{
    return f->largest_ns > 0 && (2 * f->largest_ns > f->time_ns ||
                                 (f->median_ns >= 0 && f->median_ns < f->time_ns / f->count / 2));
}

struct line {
    struct az_claim c; /* the sum of its findings; texts of the first, which is the largest */
    size_t findings;
    int64_t first_count, first_ns; /* of the first */
    struct az_sv place;            /* its range, with counters as "*" */
    bool mixed;                    /* its findings have several causes, all of a first use */
    struct az_sv call[CALLS];      /* their calls, */
    int64_t in_calls;              /* and the time in these */
    double saving;                 /* of the span: what the advice can save of the claim's share */
    double overlap;                /* of the span: what compute can hide, of copies that only less
                                    * copying helps; negative: they are none */
};

/* "5 gaps, median 21 ms" */
static struct az_sv alike_gaps(struct az_verdict_text *x, const struct az_claim *f, int64_t count,
                               int64_t ns)
{
    const struct az_sv text = az_verdict_text_counted(x, count > 0 ? count : 1, "gap");
    if (f->median_ns >= 0 && count > 1)
        return az_verdict_text_add(x, text, ", median ", az_verdict_text_time(x, f->median_ns));
    if (ns < 0 || count <= 0)
        return text;
    return az_verdict_text_add(x, text, count == 1 ? " of " : ", mean ",
                               az_verdict_text_time(x, ns / count));
}

/* Gaps of several findings are of unlike lengths: nearly all of the time is in the first, or the
 * length of the longest is all that is known. */
static struct az_sv gaps_of(struct az_verdict_text *x, const struct az_claim *f,
                            const struct line *line)
{
    const bool unlike = line && line->findings > 1;
    if (unlike && (double)line->first_ns >= NEARLY_ALL * (double)f->time_ns)
        return az_arena_printf(x->a, "%.*s, and %" PRId64 " shorter",
                               AZ_SVF(alike_gaps(x, f, line->first_count, line->first_ns)),
                               f->count - line->first_count);
    if (unlike)
        return az_verdict_text_add(x, az_verdict_text_counted(x, f->count, "gap"), ", largest ",
                                   az_verdict_text_time(x, f->largest_ns));
    const struct az_sv text = alike_gaps(x, f, f->count, f->time_ns);
    return f->count > 2 && is_uneven(f)
               ? az_verdict_text_add(x, text, ", largest ", az_verdict_text_time(x, f->largest_ns))
               : text;
}

static struct az_sv gaps_text(struct az_verdict_text *x, const struct az_claim *f,
                              struct az_sv title, const struct line *line)
{
    const bool mixed = line && line->mixed;
    const double in_calls = mixed ? (double)line->in_calls / (double)f->time_ns : 0;
    const char *in = in_calls >= NEARLY_ALL ? ", in "
                     : in_calls >= MOSTLY   ? ", mostly in "
                                            : ", partly in ";
    struct az_sv text = gaps_of(x, f, line);
    for (size_t i = 0; mixed && i < CALLS; i++)
        text = az_verdict_text_add(x, text, i ? ", " : in, az_verdict_text_cut(x, line->call[i]));
    if (!mixed)
        text = az_verdict_text_add(x, text, ", ", place(x, f));
    text = az_verdict_text_add(x, text, ", ", whose(x, f));
    text = az_verdict_text_add(x, text, ", ", f->subject);
    return az_arena_printf(x->a, "%.*s: %.*s", AZ_SVF(title), AZ_SVF(text));
}

/* "22% not overlapped": how much of communication or of copies is exposed. */
static struct az_sv exposed_part(struct az_verdict_text *x, const struct az_verdict_rule *r,
                                 const struct az_claim *f)
{
    const int64_t all = az_verdict_mean(x->w, f->time_ns);
    if ((r->within != AZ_VERDICT_IN_COMM && r->within != AZ_VERDICT_IN_COPY) || all <= 0)
        return AZ_SV("");
    const double percent = 100.0 * (double)f->exposed_ns / (double)all;
    return percent >= 99.5 ? AZ_SV("")
                           : az_arena_printf(x->a, "%.*f%% not overlapped", percent < 10, percent);
}

/* ", 120 calls, mean 3.2 us"; where they differ much ", 120 calls of 1.2 us to 1.2 ms, mean 3.2 us"
 */
static struct az_sv calls_text(struct az_verdict_text *x, const struct az_claim *f,
                               struct az_sv text)
{
    if (f->count > 1)
        text = az_arena_printf(x->a, "%.*s%s%.*s%.*s", AZ_SVF(text), text.n ? ", " : "",
                               AZ_SVF(az_verdict_text_counted(x, f->count, "call")),
                               AZ_SVF(az_verdict_text_scope(x, f)));
    if (f->count > 1 && f->smallest_ns > 0 && f->largest_ns >= UNLIKE * f->smallest_ns)
        text = az_arena_printf(x->a, "%.*s of %.*s to %.*s", AZ_SVF(text),
                               AZ_SVF(az_verdict_text_time(x, f->smallest_ns)),
                               AZ_SVF(az_verdict_text_time(x, f->largest_ns)));
    if (f->count > 0 && f->time_ns >= 0)
        text = az_verdict_text_add(x, text, f->count > 1 ? ", mean " : ", ",
                                   az_verdict_text_time(x, f->time_ns / f->count));
    return text;
}

static struct az_sv times_text(struct az_verdict_text *x, const struct az_verdict_rule *r,
                               const struct az_claim *f)
{
    struct az_sv text = f->subject;
    if (f->groups > 1)
        text = az_verdict_text_add(x, text, " in ", az_verdict_text_counted(x, f->groups, "group"));
    text = calls_text(x, f, text);
    text = az_verdict_text_add(x, text, ", ", exposed_part(x, r, f));
    text = az_verdict_text_add(x, text, ", ", whose(x, f));
    return az_arena_printf(x->a, "%s%s%.*s", r->title, *r->title ? ": " : "", AZ_SVF(text));
}

/* Why a rank is late: "slower kernels", "GPU idle during a host range". */
static struct az_sv late_words(struct az_verdict_text *x, const struct az_claim *f)
{
    const char *bound = "host-bound, ", *words = idle_words(f);
    if (f->cause == AZ_CAUSE_SLOW_KERNELS || f->cause == AZ_CAUSE_MORE_WORK)
        return f->cause == AZ_CAUSE_MORE_WORK ? AZ_SV("more work") : AZ_SV("slower kernels");
    return device_words(x, words + (strncmp(words, bound, strlen(bound)) == 0 ? strlen(bound) : 0));
}

static struct az_sv plain_text(struct az_verdict_text *x, const struct az_verdict_rule *r,
                               const struct az_claim *f)
{
    struct az_sv text = f->subject;
    if (f->cause != AZ_CAUSE_NONE) {
        text = az_verdict_text_add(x, text, "; cause: ", late_words(x, f));
        text = az_verdict_text_add(x, text, " ", place(x, f));
    }
    return az_arena_printf(x->a, "%s%s%.*s", r->title, *r->title && text.n ? ": " : "",
                           AZ_SVF(text));
}

static struct az_sv finding_text(struct az_verdict_text *x, const struct az_verdict_rule *r,
                                 const struct az_claim *f, const struct line *line)
{
    const bool idle = az_sv_is(f->rule, "idle");
    if (r->form == AZ_VERDICT_GAPS)
        return gaps_text(x, f,
                         device_words(x, line && line->mixed ? "GPU idle during first use"
                                         : idle              ? idle_words(f)
                                                             : r->title),
                         line);
    return r->form == AZ_VERDICT_TIMES ? times_text(x, r, f) : plain_text(x, r, f);
}

struct az_sv az_verdict_finding_text(struct az_verdict_whole *w, const struct az_claims *c,
                                     const struct az_claim *f)
{
    struct az_verdict_text x = { w, c, w->job->arena, NULL };
    return finding_text(&x, az_verdict_rule_of(f->rule), f, NULL);
}

/* ---- advice ---- */
struct az_sv az_verdict_advice_text(const struct az_verdict_whole *w, const struct az_claim *c)
{
    const char *how = w->job->record_host;
    const enum az_advice a = c->advice;
    if (a == AZ_ADVICE_PREFETCH_DATA && c->cause != AZ_CAUSE_DATA_LOADING) /* no loader is known */
        return AZ_SV("read ahead, on another thread");
    if (a == AZ_ADVICE_CHECK_DEPENDENCIES && w->sum.streams == 1) /* there is nothing to wait for */
        return AZ_SV("check other processes on the device, host functions in the stream, and "
                     "managed memory");
    return az_sv_str(a == AZ_ADVICE_RECORD_STACKS && how ? how : az_advice_text(a));
}

/* ---- lines ---- */

/* Does the advice also make copies faster, up to the rate of the link? */
static bool gets_faster(enum az_advice a)
{
    return a == AZ_ADVICE_PIN_MEMORY || a == AZ_ADVICE_PREFETCH_MANAGED_MEMORY;
}

/* Does the advice need compute to overlap with? */
static bool overlaps(enum az_advice a)
{
    return a == AZ_ADVICE_OVERLAP_COMMUNICATION || a == AZ_ADVICE_OVERLAP_COPIES ||
           a == AZ_ADVICE_SEPARATE_STREAM || gets_faster(a);
}

static bool only_overlaps(enum az_advice a) { return overlaps(a) && !gets_faster(a); }

/* Compute of an account that overlaps with no communication, or with no copy, yet; ns. Copies that
 * are not exposed may overlap with communication instead: with as much of it as is exposed. */
static int64_t free_compute(const struct az_claim_account *a, enum az_verdict_within within)
{
    const int64_t overlapped = within == AZ_VERDICT_IN_COMM
                                   ? a->communication - a->exposed_communication
                                   : a->copy - a->exposed_copy - a->exposed_communication;
    return a->computing - (overlapped > 0 ? overlapped : 0);
}

/* What compute can overlap with at most, ns: no device computes for another one. A mean over the
 * devices, as the account is. */
static double can_overlap(const struct az_verdict_text *x, enum az_verdict_within within)
{
    double all = 0;
    size_t devices = 0;
    for (size_t i = 0; i < x->w->n; i++)
        for (size_t k = 0; k < x->w->part[i]->n_device_accounts; k++) {
            const struct az_verdict_device *d = &x->w->part[i]->device_accounts[k];
            const int64_t exposed = within == AZ_VERDICT_IN_COMM ? d->a.exposed_communication
                                                                 : d->a.exposed_copy,
                          most = free_compute(&d->a, within);
            if (d->idle)
                continue;
            all += (double)(exposed < most ? exposed : most);
            devices++;
        }
    return devices ? all / (double)devices : (double)free_compute(&x->c->account, within);
}

/* Exposed work is at least as long as what has no compute to overlap with: the findings of
 * one part of the account share the compute there is. */
static void bound_by_compute(const struct az_verdict_text *x, struct line *v, size_t n,
                             enum az_verdict_within within)
{
    const double all = can_overlap(x, within);
    double exposed = 0;
    for (size_t i = 0; i < n; i++)
        if (az_verdict_rule_of(v[i].c.rule)->within == within && overlaps(v[i].c.advice))
            exposed += (double)v[i].c.saving_ns;
    for (size_t i = 0; i < n && exposed > all; i++) {
        const struct az_claim *c = &v[i].c;
        if (az_verdict_rule_of(c->rule)->within != within || !overlaps(c->advice))
            continue;
        const double faster = !gets_faster(c->advice) ? 0
                              : c->faster_ns < 0      ? 1
                                                 : (double)c->faster_ns / (double)c->exposed_ns,
                     part = all / exposed + faster;
        v[i].saving = part < 1 ? part * c->share : c->share;
    }
}

/* Is idle time of the same cause and ranks? Time of host code also of the same code: layers are. */
static bool same_cause(const struct line *x, const struct line *y)
{
    const struct az_claim *a = &x->c, *b = &y->c;
    const bool by_place = a->cause == AZ_CAUSE_HOST_RANGE || a->cause == AZ_CAUSE_HOST_FRAME ||
                          a->cause == AZ_CAUSE_HOST_COMPUTE;
    const bool first_use = a->first_use && b->first_use;
    return az_sv_is(a->rule, "idle") && az_sv_is(b->rule, "idle") &&
           (a->cause == b->cause || first_use) && a->rank == b->rank && a->n_ranks == b->n_ranks &&
           (a->n_ranks == 0 || memcmp(a->ranks, b->ranks, a->n_ranks * sizeof *a->ranks) == 0) &&
           az_sv_eq(a->subject, b->subject) &&
           (!by_place || (az_sv_eq(x->place, y->place) && az_sv_eq(a->frame, b->frame)));
}

static struct az_sv name_at(const struct az_claim *c, enum az_place p)
{
    return p == AZ_PLACE_CALL    ? c->call
           : p == AZ_PLACE_FRAME ? c->frame
           : p == AZ_PLACE_RANGE ? c->range
                                 : c->operation;
}

static void add_to_line(struct line *l, const struct line *from)
{
    struct az_claim *c = &l->c;
    const struct az_claim *f = &from->c;
    if (!az_sv_eq(c->range, f->range) && az_sv_eq(l->place, from->place)) {
        c->in_place[AZ_PLACE_RANGE] += f->in_place[AZ_PLACE_RANGE];
        c->range = l->place;
    }
    c->saving_ns += f->saving_ns;
    c->share += f->share;
    c->count += f->count;
    c->time_ns += f->time_ns;
    c->largest_ns = f->largest_ns > c->largest_ns ? f->largest_ns : c->largest_ns;
    for (enum az_place p = 0; p < AZ_PLACES; p++)
        if (c->in_place[p] >= 0 && f->in_place[p] >= 0 && az_sv_eq(name_at(c, p), name_at(f, p)))
            c->in_place[p] += f->in_place[p];
    l->findings++;
    l->mixed |= f->cause != c->cause;
    size_t i = 0;
    while (i < CALLS && l->call[i].n && !az_sv_eq(l->call[i], f->call))
        i++;
    if (i < CALLS) {
        l->call[i] = f->call;
        l->in_calls += from->in_calls;
    }
    if (l->mixed) /* which loading code mostly is, or leads to */
        c->advice = AZ_ADVICE_PRELOAD_MODULES;
}

/* The lines after line i with the same of the other devices of each rank, in `other`; 0 where a
 * device that works has none, or an unlike one. */
static size_t on_other_devices(const struct az_verdict_text *x, const struct line *v, size_t n,
                               size_t i, size_t *other)
{
    const int64_t working = x->c->devices.count - (int64_t)x->c->devices.n_idle;
    size_t found = 0;
    for (size_t k = i + 1; v[i].c.device != AZ_NO_RANK && k < n; k++)
        if (v[k].c.device != AZ_NO_RANK && v[k].c.device != v[i].c.device &&
            same_cause(&v[i], &v[k]) && v[i].c.saving_ns <= ALIKE * v[k].c.saving_ns)
            other[found++] = k;
    return ((int64_t)found + 1) * (int64_t)x->w->n == working ? found : 0;
}

/* Equal findings on all devices are one line. */
static size_t join_devices(const struct az_verdict_text *x, struct line *v, size_t n, size_t *other)
{
    for (size_t i = 0; i < n; i++) {
        const size_t found = on_other_devices(x, v, n, i, other);
        for (size_t k = 0; k < found; k++)
            add_to_line(&v[i], &v[other[k]]);
        if (found)
            v[i].c.device = AZ_NO_RANK;
        for (size_t k = found; k-- > 0; n--)
            memmove(&v[other[k]], &v[other[k] + 1], (n - other[k] - 1) * sizeof *v);
    }
    return n;
}

/* Lines of several findings come before those that they are larger than. */
static void raise_sums(struct line *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct line l = v[i];
        size_t k = i;
        for (; l.findings > 1 && k > 0 && v[k - 1].c.share < l.c.share; k--)
            v[k] = v[k - 1];
        v[k] = l;
    }
}

/* What to do: once, where several lines have the same advice. */
static struct az_sv advice_text(struct az_verdict_text *x, const struct line *line, size_t n,
                                const struct az_claim *f)
{
    for (size_t i = 0; i < n; i++)
        if (line[i].c.advice == f->advice)
            return AZ_SV("");
    return capital(x, az_verdict_advice_text(x->w, f).p);
}

/* Copies or communication of much of the time, of which compute can overlap next to nothing: to
 * copy or send less can save all of it. They count together, however many lines they are. */
static void find_less_work(struct line *v, size_t n, const char *rule)
{
    double share = 0, saving = 0;
    for (size_t i = 0; i < n; i++) {
        if (!az_sv_is(v[i].c.rule, rule) || !only_overlaps(v[i].c.advice))
            continue;
        share += v[i].c.share;
        saving += v[i].saving;
    }
    const double few = FEW * share > LEAST ? FEW * share : LEAST;
    for (size_t i = 0; i < n; i++) {
        struct line *l = &v[i];
        const bool other = !only_overlaps(l->c.advice);
        if (!az_sv_is(l->c.rule, rule) || (other ? l->c.share : share) < MUCH ||
            (other ? l->saving >= LEAST : saving >= few))
            continue;
        l->overlap = l->saving;
        l->saving = l->c.share;
    }
}

static bool only_less_helps(const struct line *l) { return l->overlap >= 0; }

/* Percent of a line: no more than its part of the account, or the compute that it is to overlap
 * with. */
static double shown_saving(struct az_verdict_text *x, const struct line *l)
{
    const struct az_claim_account *a = &x->c->account;
    const int64_t part[] = { a->idle, a->exposed_communication, a->exposed_copy, a->computing };
    const enum az_verdict_within within = az_verdict_rule_of(l->c.rule)->within;
    const double compute = az_verdict_text_percent(x, a->computing);
    double most = within < AZ_LENGTH(part) ? az_verdict_text_percent(x, part[within]) : 100;
    if (l->saving < l->c.share && !gets_faster(l->c.advice) && most > compute)
        most = compute;
    return 100 * l->saving > most ? most : 100 * l->saving;
}

/* ", 94.8% of the time; compute can overlap at most 4.8%": where that is not what it saves. Of
 * copies that get faster by an unknown factor the time is the bound. */
static struct az_sv bounded_text(struct az_verdict_text *x, struct az_sv text, const struct line *l)
{
    const bool faster =
        az_verdict_rule_of(l->c.rule)->within == AZ_VERDICT_IN_COPY && gets_faster(l->c.advice);
    if (only_less_helps(l) && l->overlap < BOUNDED)
        return az_verdict_text_add(x, text, "; ", AZ_SV("no compute to overlap with"));
    if (only_less_helps(l))
        return az_arena_printf(x->a, "%.*s; %s at most %.1f%%", AZ_SVF(text),
                               faster ? "the rate of the link and overlap can save"
                                      : "compute can overlap",
                               100 * l->overlap);
    if (faster && l->c.faster_ns < 0)
        return az_verdict_text_add(x, text, "; ", AZ_SV("whole copy time, link rate unknown"));
    if (!(l->saving < l->c.share - BOUNDED))
        return text;
    text = az_arena_printf(x->a, "%.*s, %.1f%% of the time", AZ_SVF(text), 100 * l->c.share);
    if (faster)
        return text;
    if (shown_saving(x, l) < 0.05)
        return az_verdict_text_add(x, text, "; ", AZ_SV("no compute to overlap with"));
    return az_arena_printf(x->a, "%.*s; compute can overlap at most %.1f%%", AZ_SVF(text),
                           shown_saving(x, l));
}

static struct az_sv line_advice(struct az_verdict_text *x, const struct line *line, size_t n)
{
    if (!only_less_helps(&line[n]))
        return line[n].c.outside_scope || line[n].saving >= LEAST
                   ? advice_text(x, line, n, &line[n].c)
                   : AZ_SV("");
    for (size_t i = 0; i < n; i++)
        if (only_less_helps(&line[i]) && az_sv_eq(line[i].c.rule, line[n].c.rule))
            return AZ_SV("");
    if (az_sv_is(line[n].c.rule, "exposed_copy"))
        return AZ_SV("Copy less: keep data on the device");
    /* of one rank alone, waiting for others is in it */
    const struct az_sv less = capital(x, az_advice_text(AZ_ADVICE_REDUCE_MESSAGE_SIZE));
    return x->w->n > 1 || x->c->ranks.world == 1 || x->c->devices.count > 1 || !less.p
               ? less
               : az_verdict_text_add(x, less, "; ",
                                     AZ_SV("analyze all ranks together to find a late one"));
}

static int finding(struct az_verdict_text *x, const struct line *line, size_t n)
{
    const struct az_claim *f = &line[n].c;
    const struct az_verdict_rule *r = az_verdict_rule_of(f->rule);
    const struct az_sv text = f->outside_scope
                                  ? f->subject
                                  : bounded_text(x, finding_text(x, r, f, &line[n]), &line[n]),
                       advice = line_advice(x, line, n);
    const struct az_line l = {
        .kind = AZ_LINE_FINDING,
        .label = f->outside_scope ? AZ_SV("Warm-up")
                                  : az_arena_printf(x->a, "%.1f%%", shown_saving(x, &line[n])),
        .text = advice.n ? az_arena_printf(x->a, "%.*s%s %.*s", AZ_SVF(text),
                                           az_sv_ends(text, AZ_SV(".")) ? "" : ".", AZ_SVF(advice))
                         : text,
        .rule = f->rule,
        .severity = f->severity,
        .evidence = f->table,
        .row = az_sv_is(f->table, "idle_causes") ? AZ_SV("") : f->row, /* it is in the sentence */
        .ns = f->saving_ns,
        .percent = f->outside_scope ? NAN : 100 * f->share
    };
    az_headline_put(x->out, &l);
    return l.text.p ? 0 : az_arena_error(x->a);
}

static struct az_sv nothing_found(struct az_verdict_text *x)
{
    const struct az_verdict_part *s = &x->w->sum;
    const int64_t all = s->rateable > 0 ? s->rateable : s->kernels;
    const double known = all > 0 ? (double)s->rated / (double)all : 1;
    if (x->c->qualified_by)
        return AZ_SV("no finding: the account is not trustworthy");
    if (known >= RATED || az_verdict_text_op_report(x))
        return AZ_SV("no finding above 1%");
    return az_arena_printf(x->a,
                           "no finding above 1%%; %.0f%% of compute kernel time could not be "
                           "compared with the roofline (no operators with shapes)",
                           100 - 100 * known);
}

/* Largest saving first, as it is printed; what is outside the scope stays where it is. */
static void sort_lines(struct az_verdict_text *x, struct line *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i, last = i; k-- > 0 && !v[last].c.outside_scope;) {
            if (v[k].c.outside_scope)
                continue;
            if (!(shown_saving(x, &v[k]) < shown_saving(x, &v[last])))
                break;
            const struct line one = v[k];
            v[k] = v[last];
            v[last] = one;
            last = k;
        }
}

/* "ensure_layer_*_weights" */
static struct az_sv folded(struct az_verdict_text *x, struct az_sv range)
{
    char *to = az_arena_alloc(x->a, range.n + 1);
    return to ? az_sv_make(to, az_region_fold(range, AZ_REGION_NVTX, to)) : AZ_SV("");
}

/* Findings that no other one counts, those that belong together as one line, largest first. */
static struct line *make_lines(struct az_verdict_text *x, size_t *n)
{
    const struct az_claims *c = x->c;
    struct line *v = az_arena_array(x->a, c->n_findings + 1, sizeof *v);
    size_t *other = az_arena_array(x->a, c->n_findings + 1, sizeof *other);
    *n = 0;
    if (!v || !other)
        return NULL;
    for (size_t i = 0; i < c->n_findings; i++) {
        const struct az_claim *f = &c->findings[i];
        size_t k = 0;
        if (f->part_of >= 0)
            continue;
        const struct line one = { .c = *f,
                                  .findings = 1,
                                  .first_count = f->count,
                                  .first_ns = f->time_ns,
                                  .place = folded(x, f->range),
                                  .call = { f->call },
                                  .in_calls = f->call.n && f->in_place[AZ_PLACE_CALL] > 0
                                                  ? f->in_place[AZ_PLACE_CALL]
                                                  : 0,
                                  .overlap = -1 };
        while (k < *n && !(v[k].c.device == f->device && same_cause(&v[k], &one)))
            k++;
        if (k < *n)
            add_to_line(&v[k], &one);
        else
            v[(*n)++] = one;
    }
    *n = join_devices(x, v, *n, other);
    for (size_t i = 0; i < *n; i++)
        v[i].saving = v[i].c.share;
    bound_by_compute(x, v, *n, AZ_VERDICT_IN_COMM);
    bound_by_compute(x, v, *n, AZ_VERDICT_IN_COPY);
    find_less_work(v, *n, "exposed_copy");
    find_less_work(v, *n, "exposed_communication");
    raise_sums(v, *n);
    sort_lines(x, v, *n);
    return v;
}

int az_verdict_text_findings(struct az_verdict_text *x)
{
    size_t n, shown = 0;
    struct line *v = make_lines(x, &n);
    int rc = v ? 0 : az_arena_error(x->a);
    bool inside = false;
    for (size_t i = 0; i < n && rc == 0; i++)
        inside |= !v[i].c.outside_scope && v[i].c.share >= LEAST;
    if (rc == 0 && !inside && x->c->has_account)
        rc = az_verdict_text_put(x, AZ_LINE_NOTE, "", nothing_found(x), -1);
    if (rc == 0 && inside && x->c->qualified_by)
        rc = az_verdict_text_put(x, AZ_LINE_NOTE, "Savings", az_verdict_text_qualified(x), -1);
    if (x->c->qualified_by && x->w->job->findings)
        x->w->job->findings->note =
            az_arena_printf(x->a, "Savings are %.*s.", AZ_SVF(az_verdict_text_qualified(x)));
    for (size_t i = 0; rc == 0 && i < n && shown < LINES; i++) {
        if (!v[i].c.outside_scope && !(v[i].c.share >= LEAST))
            continue;
        v[shown] = v[i];
        rc = finding(x, v, shown++);
    }
    return rc;
}
