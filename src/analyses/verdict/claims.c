/* The claims of a report from the parts: one account, one list of checks, findings of
 * which no time is counted twice. */
#include <math.h>

#include "analyses/verdict/verdict.h"
#include "base/num.h"
#include "base/sort.h"

#define TRIFLE  0.0005 /* of the span: smaller findings are in no list */
#define WARNING 0.05
#define KNOWN   0.80 /* of kernel time whose work is known, for a rate of the whole */

/* ---- account ---- */
static void add_account(struct az_claim_account *to, const struct az_claim_account *a)
{
    to->span = az_add_sat(to->span, a->span);
    to->computing = az_add_sat(to->computing, a->computing);
    to->exposed_communication = az_add_sat(to->exposed_communication, a->exposed_communication);
    to->exposed_copy = az_add_sat(to->exposed_copy, a->exposed_copy);
    to->communication = az_add_sat(to->communication, a->communication);
    to->copy = az_add_sat(to->copy, a->copy);
}

static int64_t rounded(int64_t sum, int64_t n) { return n ? (sum + n / 2) / n : 0; }

/* The sum of n accounts becomes their mean; idle time is the remainder. Of devices that are
 * never idle, parts that are all rounded up would leave less than none: the largest part loses it.
 */
static void mean_account(struct az_claim_account *a, int64_t n)
{
    a->span = rounded(a->span, n);
    a->computing = rounded(a->computing, n);
    a->exposed_communication = rounded(a->exposed_communication, n);
    a->exposed_copy = rounded(a->exposed_copy, n);
    a->communication = rounded(a->communication, n);
    a->copy = rounded(a->copy, n);
    a->idle = a->span - a->computing - a->exposed_communication - a->exposed_copy;
    if (a->idle >= 0)
        return;
    int64_t *largest = &a->computing;
    if (a->exposed_communication > *largest)
        largest = &a->exposed_communication;
    if (a->exposed_copy > *largest)
        largest = &a->exposed_copy;
    *largest += a->idle;
    a->idle = 0;
}

static void make_account(const struct az_verdict_whole *w, struct az_claims *c)
{
    int64_t n = 0;
    for (size_t k = 0; k < w->n; k++) {
        const struct az_verdict_part *p = w->part[k];
        for (size_t i = 0; i < p->n_device_accounts; i++) {
            const struct az_verdict_device *d = &p->device_accounts[i];
            const struct az_verdict_other other = az_verdict_other_of(d);
            c->devices.count++;
            if (d->idle)
                continue;
            add_account(&c->account, &d->a);
            add_account(&c->before, &other.before);
            add_account(&c->after, &other.after);
            n++;
        }
        c->scope = p->scope > c->scope ? p->scope : c->scope;
        c->tables_scope = c->tables_scope.n ? c->tables_scope : p->tables;
    }
    mean_account(&c->account, n);
    mean_account(&c->before, n);
    mean_account(&c->after, n);
    c->has_account = n > 0;
}

static int idle_devices(struct az_verdict_whole *w, struct az_claims *c)
{
    struct az_arena *a = w->job->arena;
    struct az_sv *id = az_arena_array(a, (size_t)c->devices.count + 1, sizeof *id);
    if (!id)
        return az_arena_error(a);
    for (size_t k = 0; k < w->n; k++)
        for (size_t i = 0; i < w->part[k]->n_device_accounts; i++) {
            const struct az_verdict_device *d = &w->part[k]->device_accounts[i];
            if (d->idle)
                id[c->devices.n_idle++] =
                    w->ranks && w->n > 1 ? az_arena_printf(a, "%lld:%lld", (long long)w->rank[k],
                                                           (long long)d->device)
                                         : az_arena_printf(a, "%lld", (long long)d->device);
        }
    c->devices.idle = id;
    return a->failed ? az_arena_error(a) : 0;
}

/* ---- ranks, steps, rates ---- */
static int make_ranks(struct az_verdict_whole *w, struct az_claims *c)
{
    const struct az_trace *only = w->job->n_traces == 1 ? w->job->traces[0] : NULL;
    int64_t *present = az_arena_array(w->job->arena, w->n + 1, sizeof *present);
    if (!present)
        return az_arena_error(w->job->arena);
    c->ranks.world = -1;
    c->ranks.present = present;
    if (w->ranks && !only) {
        memcpy(present, w->rank, w->n * sizeof *present);
        c->ranks.n_present = w->n;
        c->ranks.world = w->ranks->world_size;
        c->ranks.missing = w->ranks->missing;
        c->ranks.n_missing = w->ranks->n_missing;
    } else if (only && only->rank >= 0) {
        present[c->ranks.n_present++] = only->rank;
        c->ranks.world = only->world_size;
    }
    return 0;
}

static int ascending(const void *x, const void *y, void *ctx)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

/* Medians over the ranks; names of the first one. */
static int make_steps(struct az_verdict_whole *w, struct az_claims *c)
{
    int64_t *period = az_arena_array(w->job->arena, 2 * w->n + 2, sizeof *period);
    int64_t *count = period ? period + w->n + 1 : NULL;
    const struct az_verdict_part *first = NULL, *warm = NULL;
    size_t n = 0, m = 0, excluded = 0;
    if (!period)
        return az_arena_error(w->job->arena);
    c->steps.period_ns = -1;
    for (size_t k = 0; k < w->n; k++) {
        const struct az_verdict_part *p = w->part[k];
        if (p->steps == 0)
            continue;
        first = first ? first : p;
        warm = warm || !p->excluded.n ? warm : p;
        excluded += p->excluded.n > 0;
        count[n++] = (int64_t)p->steps;
        if (p->period >= 0)
            period[m++] = p->period;
    }
    if (!first)
        return 0;
    az_sort_cmp(count, n, sizeof *count, ascending, NULL, w->job->mem);
    az_sort_cmp(period, m, sizeof *period, ascending, NULL, w->job->mem);
    c->steps.count = count[n / 2];
    if (m)
        c->steps.period_ns = (period[(m - 1) / 2] + period[m / 2]) / 2;
    c->steps.source = first->source;
    c->steps.first = first->first;
    if (warm && 2 * excluded >= n) {
        c->steps.excluded = &warm->excluded;
        c->steps.n_excluded = 1;
        c->steps.excluded_phase = warm->excluded_phase;
    }
    return 0;
}

static int by_span(const void *x, const void *y, void *ctx)
{
    const struct az_claim_account *a = x, *b = y;
    (void)ctx;
    return a->span < b->span ? -1 : a->span > b->span;
}

/* Of each part the mean over its devices; of these the median by span, or the mean of the two in
 * the middle. */
static int make_step_account(struct az_verdict_whole *w, struct az_claims *c)
{
    struct az_claim_account *of = az_arena_array(w->job->arena, w->n + 1, sizeof *of);
    size_t n = 0;
    if (!of)
        return az_arena_error(w->job->arena);
    for (size_t k = 0; k < w->n; k++) {
        int64_t devices = 0;
        of[n] = (struct az_claim_account){ 0 };
        for (size_t i = 0; i < w->part[k]->n_device_accounts; i++) {
            const struct az_verdict_device *d = &w->part[k]->device_accounts[i];
            const struct az_claim_account step = az_verdict_other_of(d).step;
            if (d->idle || step.span == 0)
                continue;
            add_account(&of[n], &step);
            devices++;
        }
        mean_account(&of[n], devices);
        n += devices > 0;
    }
    if (n == 0)
        return 0;
    az_sort_cmp(of, n, sizeof *of, by_span, NULL, w->job->mem);
    c->step = of[(n - 1) / 2];
    add_account(&c->step, &of[n / 2]);
    mean_account(&c->step, 2);
    return 0;
}

static void make_rates(const struct az_verdict_whole *w, struct az_claims *c)
{
    const struct az_verdict_part *s = &w->sum;
    c->rates.flops_per_s = c->rates.flops_known_share = c->rates.mfu = NAN;
    c->rates.precision = s->precision;
    if (s->rateable > 0)
        c->rates.flops_known_share = (double)s->rated / (double)s->rateable;
    if (!(s->flops > 0) || !(c->rates.flops_known_share >= KNOWN) || s->total <= 0)
        return;
    c->rates.flops_per_s = s->flops / (double)s->total * 1e9;
    if (s->peak > 0 && c->trust[AZ_CHECK_IMPOSSIBLE_RATES].status < AZ_CHECK_WARN)
        c->rates.mfu = c->rates.flops_per_s / s->peak;
}

/* ---- checks ---- */
static void add_check(struct az_check_result *to, const struct az_check_result *r)
{
    to->status = r->status > to->status ? r->status : to->status;
    to->count += r->count;
    to->of += r->of;
    to->time_ns = az_add_sat(to->time_ns, r->time_ns);
}

static enum az_check_status share_status(int64_t count, int64_t of, double fail)
{
    if (of <= 0)
        return AZ_CHECK_NOT_APPLICABLE;
    return count == 0                           ? AZ_CHECK_PASS
           : (double)count >= fail * (double)of ? AZ_CHECK_FAIL
                                                : AZ_CHECK_WARN;
}

/* Those that only the whole report has: ranks, peaks and what is faster than they are. */
static void whole_checks(const struct az_verdict_whole *w, struct az_claims *c)
{
    struct az_check_result *r = c->trust;
    int64_t impossible = 0, rated = 0;
    for (size_t k = 0; k < w->n; k++) {
        impossible += w->part[k]->impossible_rates;
        rated += w->part[k]->rated_kernels;
    }
    if (w->job->n_traces != 1 && w->ranks) {
        r[AZ_CHECK_MISSING_RANKS].count = (int64_t)c->ranks.n_missing;
        r[AZ_CHECK_MISSING_RANKS].of = c->ranks.world;
        r[AZ_CHECK_MISSING_RANKS].status = c->ranks.n_missing ? AZ_CHECK_WARN : AZ_CHECK_PASS;
    }
    if (c->has_account) {
        const bool known =
            az_sv_is(c->devices.peaks, "data sheet") || az_sv_is(c->devices.peaks, "user");
        r[AZ_CHECK_DEVICE_PEAKS].count = !known;
        r[AZ_CHECK_DEVICE_PEAKS].of = 1;
        r[AZ_CHECK_DEVICE_PEAKS].status = known ? AZ_CHECK_PASS : AZ_CHECK_WARN;
    }
    if (r[AZ_CHECK_IMPOSSIBLE_RATES].of == 0) { /* else the part has reported it */
        r[AZ_CHECK_IMPOSSIBLE_RATES].count = impossible;
        r[AZ_CHECK_IMPOSSIBLE_RATES].of = rated;
        r[AZ_CHECK_IMPOSSIBLE_RATES].status = share_status(impossible, rated, 0.05);
    }
}

static void make_checks(const struct az_verdict_whole *w, struct az_claims *c)
{
    for (size_t k = 0; k < w->n; k++)
        for (int i = 0; i < AZ_CHECKS; i++)
            add_check(&c->trust[i], &w->part[k]->check[i]);
    whole_checks(w, c);
    for (int i = 0; i < AZ_CHECKS; i++)
        if (c->trust[i].status == AZ_CHECK_FAIL)
            c->qualified_by |= az_checks_of_account() & 1u << i;
}

/* ---- findings ---- */
static bool is_denied(const struct az_claims *c, const struct az_verdict_found *f)
{
    for (int i = 0; i < AZ_CHECKS; i++)
        if (f->rule->denied_by & 1u << i && c->trust[i].status == AZ_CHECK_FAIL)
            return true;
    return false;
}

static struct az_sv with_detail(struct az_verdict_whole *w, const struct az_verdict_found *f)
{
    if (f->reached > 0)
        return az_arena_printf(w->job->arena, "%.*s at %.*f%%%.*s", AZ_SVF(f->subject),
                               f->reached < 10, f->reached, AZ_SVF(f->detail));
    return az_arena_printf(w->job->arena, "%.*s%.*s", AZ_SVF(f->subject), AZ_SVF(f->detail));
}

static int64_t saving_of(const struct az_verdict_whole *w, int64_t span,
                         const struct az_verdict_found *f)
{
    const int64_t saving = az_verdict_mean(w, f->gain);
    return !f->outside_scope && saving > span ? span : saving;
}

static double share_of(int64_t saving, int64_t span)
{
    return span > 0 && saving >= 0 ? (double)saving / (double)span : NAN;
}

bool az_verdict_counts(const struct az_verdict_whole *w, int64_t span,
                       const struct az_verdict_found *f)
{
    return f->gain > 0 && (f->outside_scope || share_of(saving_of(w, span, f), span) >= TRIFLE);
}

int64_t az_verdict_span(const struct az_verdict_whole *w)
{
    struct az_claims c = { .has_account = false };
    make_account(w, &c);
    return c.account.span;
}

static struct az_claim claim_of(struct az_verdict_whole *w, const struct az_claims *c,
                                const struct az_verdict_found *f)
{
    const int64_t span = c->account.span, saving = saving_of(w, span, f);
    const double share = share_of(saving, span);
    struct az_claim x = {
        .rule = az_sv_str(f->rule->name),
        .saving_ns = saving,
        .exposed_ns = saving,
        .faster_ns = f->faster >= 0 ? az_verdict_mean(w, f->faster) : -1,
        .count = f->count,
        .share = share,
        .rank = f->has_rank ? f->rank : AZ_NO_RANK,
        .ranks = f->ranks,
        .n_ranks = f->has_rank ? 0 : f->n_ranks,
        .device = f->has_device ? f->device : AZ_NO_RANK,
        .group = f->group,
        .groups = f->groups > 0 ? f->groups : -1,
        .cause = f->cause,
        .call = f->call,
        .range = f->range,
        .frame = f->frame,
        .operation = f->operation,
        .part_of = -1,
        .first_use = f->first_use,
        .outside_scope = f->outside_scope,
        .advice = f->advice,
        .table = az_sv_str(f->rule->evidence),
        .row = f->row,
        .subject = with_detail(w, f),
        .time_ns = f->ns,
        .median_ns = f->median > 0 ? f->median : -1,
        .smallest_ns = f->smallest > 0 ? f->smallest : -1,
        .largest_ns = f->largest > 0 ? f->largest : -1,
        .severity = AZ_SV("info"),
    };
    for (enum az_place p = 0; p < AZ_PLACES; p++)
        x.in_place[p] = f->in_place[p] > 0 ? f->in_place[p] : -1;
    return x;
}

/* A claim on its way: next to it what decides of which other one it is a part. */
struct draft {
    struct az_claim c;
    const struct az_verdict_found *f;
    int64_t order; /* the saving; larger for a cause that comes before its effect */
    bool apart;    /* communication that is more than what its cause of waiting explains */
    bool cause;    /* of waiting, which explains enough of it to come before */
};

AZ_VEC(struct draft, drafts);

static int by_saving(const void *x, const void *y, void *ctx)
{
    const struct draft *a = x, *b = y;
    (void)ctx;
    if (a->c.outside_scope != b->c.outside_scope)
        return a->c.outside_scope ? 1 : -1;
    if (a->order != b->order)
        return a->order > b->order ? -1 : 1;
    if (a->c.saving_ns != b->c.saving_ns)
        return a->c.saving_ns > b->c.saving_ns ? -1 : 1;
    if (a->f->rule != b->f->rule)
        return a->f->rule < b->f->rule ? -1 : 1;
    return az_sv_cmp(a->c.subject, b->c.subject);
}

#define EXPLAINS 10 /* part of the exposed communication, of a cause that comes before it */

/* Which causes come before the communication that they explain: of less, they are a part. */
static void mark_causes(struct draft *d, size_t n)
{
    int64_t most = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t saving = d[i].c.saving_ns;
        if (d[i].f->rule->within != AZ_VERDICT_IN_COMM)
            continue;
        most = saving > most ? saving : most;
        all = az_add_sat(all, saving);
    }
    for (size_t i = 0; i < n; i++)
        d[i].cause = d[i].f->rule->within == AZ_VERDICT_IN_WAITING &&
                     (d[i].c.saving_ns > most || d[i].c.saving_ns >= all / EXPLAINS);
}

/* Who the others wait for comes before the communication in which they do. */
static void order_causes(struct draft *d, size_t n)
{
    int64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        d[i].order = d[i].c.saving_ns;
        if (d[i].f->rule->within == AZ_VERDICT_IN_COMM)
            most = d[i].order > most ? d[i].order : most;
    }
    for (size_t i = 0; i < n; i++)
        if (d[i].cause && d[i].order <= most)
            d[i].order = most + 1;
}

/* Uneven steps come after the idle, communication and copy time that makes them so, if there is as
 * much: its causes are more specific. */
static void order_steps(struct draft *d, size_t n)
{
    int64_t most = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        if (d[i].f->rule->within != AZ_VERDICT_IN_COMPUTE &&
            d[i].f->rule->within != AZ_VERDICT_IN_ANY) {
            most = d[i].order > most ? d[i].order : most;
            all = az_add_sat(all, d[i].order);
        }
    for (size_t i = 0; i < n; i++)
        if (az_sv_is(d[i].c.rule, "step_jitter") && d[i].order >= most && d[i].order <= all)
            d[i].order = most - 1;
}

static bool has_word(struct az_sv words, const char *word)
{
    while (words.n) {
        const struct az_sv one = az_sv_cut(&words, ' ');
        if (az_sv_is(one, word))
            return true;
    }
    return false;
}

static struct az_sv overlaps_of(const struct az_verdict_found *f)
{
    return f->overlaps.p ? f->overlaps : az_sv_str(f->rule->overlaps);
}

static bool count_same_time(const struct az_verdict_found *a, const struct az_verdict_found *b)
{
    if (a->rule == b->rule)
        return false;
    return has_word(overlaps_of(a), b->rule->name) || has_word(overlaps_of(b), a->rule->name);
}

/* Is communication waiting at least half of its time for a cause? */
static bool is_waiting(const struct draft *d, size_t n, const struct draft *comm)
{
    for (size_t i = 0; i < n; i++)
        if (d[i].cause && count_same_time(d[i].f, comm->f) &&
            2 * d[i].c.saving_ns >= comm->c.saving_ns)
            return true;
    return false;
}

/* Communication of more than twice what each cause of waiting explains is no part of one: the
 * largest loses the time that the causes count, but for what others lose as parts of them. */
static void take_causes(struct draft *d, size_t n, const struct az_claim_account *a)
{
    for (size_t i = 0; i < n; i++) {
        struct az_claim *most = NULL;
        int64_t left = d[i].c.saving_ns;
        if (!d[i].cause)
            continue;
        for (size_t k = 0; k < n; k++) {
            struct az_claim *c = &d[k].c;
            if (d[k].f->rule->within != AZ_VERDICT_IN_COMM || !count_same_time(d[i].f, d[k].f))
                continue;
            if (!d[k].apart && is_waiting(d, n, &d[k])) {
                left -= c->saving_ns;
                continue;
            }
            d[k].apart = true;
            most = !most || c->saving_ns > most->saving_ns ? c : most;
        }
        if (!most || left <= 0)
            continue;
        most->saving_ns -= left;
        most->share = a->span > 0 ? (double)most->saving_ns / (double)a->span : NAN;
    }
}

/* Time of the account that findings of a part of it may share out. */
static int64_t room_of(const struct az_claim_account *a, enum az_verdict_within within)
{
    switch (within) {
    case AZ_VERDICT_IN_IDLE:
        return a->idle;
    case AZ_VERDICT_IN_COMM:
        return a->exposed_communication;
    case AZ_VERDICT_IN_COPY:
        return a->exposed_copy;
    case AZ_VERDICT_IN_COMPUTE:
        return a->computing;
    case AZ_VERDICT_IN_WAITING:
        return a->exposed_communication + a->idle;
    default:
        return a->span;
    }
}

/* Ranks or devices that are late wait for nobody: the mean of the account has the others' waiting
 * alone, and their own work ends so much earlier, too. */
static int64_t room_of_late(const struct az_claims *c, const struct draft *d)
{
    const int64_t devices = c->devices.count - (int64_t)c->devices.n_idle,
                  late = d->f->has_rank || d->f->has_device ? 1 : (int64_t)d->f->n_ranks,
                  room = room_of(&c->account, d->f->rule->within);
    if (d->f->rule->within != AZ_VERDICT_IN_WAITING || late == 0 || late >= devices)
        return room;
    const int64_t wider = az_muldiv(room, devices, devices - late);
    return wider < c->account.span ? wider : c->account.span;
}

/* Index of the larger finding that counts the time of d[i]; -1: none does. */
static int64_t counted_by(const struct draft *d, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (d[k].c.part_of < 0 && count_same_time(d[k].f, d[i].f) &&
            !(d[i].apart && d[k].f->rule->within == AZ_VERDICT_IN_WAITING))
            return (int64_t)k;
    return -1;
}

/* The largest one of the same part of the account, else of all. */
static int64_t largest_alike(const struct draft *d, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (d[k].c.part_of < 0 && d[k].f->rule->within == d[i].f->rule->within)
            return (int64_t)k;
    return i ? 0 : -1;
}

/* Nests findings so that those at the top add up to no more than the parts of the account. */
static void nest_findings(struct draft *d, size_t n, const struct az_claims *c)
{
    const struct az_claim_account *a = &c->account;
    int64_t used[AZ_VERDICT_WITHINS] = { 0 }, all = 0;
    for (size_t i = 0; i < n && !d[i].c.outside_scope; i++) {
        const enum az_verdict_within in = d[i].f->rule->within;
        int64_t left = room_of_late(c, &d[i]) - used[in];
        left = a->span - all < left ? a->span - all : left;
        d[i].c.part_of = counted_by(d, i);
        if (d[i].c.part_of >= 0)
            continue;
        if (d[i].c.saving_ns > left) {
            d[i].c.part_of = largest_alike(d, i);
            if (d[i].c.part_of >= 0)
                continue;
            d[i].c.saving_ns = left > 0 ? left : 0;
            d[i].c.share = a->span > 0 ? (double)d[i].c.saving_ns / (double)a->span : NAN;
        }
        used[in] += d[i].c.saving_ns;
        all += d[i].c.saving_ns;
    }
}

/* Moves uneven steps, which were nested after what makes them so, to where their saving belongs. */
static void list_by_saving(struct draft *d, size_t n)
{
    size_t at = 0, to = 0;
    while (at < n && !az_sv_is(d[at].c.rule, "step_jitter"))
        at++;
    if (at == n)
        return;
    const struct draft steps = d[at];
    while (to < at && d[to].c.saving_ns >= steps.c.saving_ns)
        to++;
    memmove(&d[to + 1], &d[to], (at - to) * sizeof *d);
    d[to] = steps;
    for (size_t i = 0; i < n; i++) {
        int64_t *of = &d[i].c.part_of;
        if (*of == (int64_t)at)
            *of = (int64_t)to;
        else if (*of >= (int64_t)to && *of < (int64_t)at)
            (*of)++;
    }
}

static int put_in_order(struct az_verdict_whole *w, struct az_claims *c, struct draft *d, size_t n)
{
    struct az_claim *out = az_arena_array(w->job->arena, n + 1, sizeof *out);
    if (!out)
        return az_arena_error(w->job->arena);
    mark_causes(d, n);
    take_causes(d, n, &c->account);
    order_causes(d, n);
    order_steps(d, n);
    az_sort_cmp(d, n, sizeof *d, by_saving, NULL, w->job->mem);
    nest_findings(d, n, c);
    list_by_saving(d, n);
    for (size_t i = 0; i < n; i++) {
        out[i] = d[i].c;
        if (out[i].share >= WARNING)
            out[i].severity = AZ_SV("warning");
    }
    c->findings = out;
    c->n_findings = n;
    return 0;
}

static int make_findings(struct az_verdict_whole *w, const struct az_verdict_founds *found,
                         struct az_claims *c)
{
    struct drafts all;
    int rc = 0;
    az_vec_init(&all, w->job->mem);
    for (size_t i = 0; rc == 0 && i < found->n; i++) {
        const struct az_verdict_found *f = &found->v[i];
        if (f->rule->form == AZ_VERDICT_TRUST || f->rule->form == AZ_VERDICT_SUMS ||
            is_denied(c, f) || !az_verdict_counts(w, c->account.span, f))
            continue;
        rc = az_vec_push(&all, ((struct draft){ .c = claim_of(w, c, f), .f = f }));
    }
    if (rc == 0)
        rc = put_in_order(w, c, all.v, all.n);
    az_vec_release(&all);
    return rc ? rc : w->job->arena->failed ? az_arena_error(w->job->arena) : 0;
}

int az_verdict_claims_make(struct az_verdict_whole *w, const struct az_verdict_founds *found,
                           struct az_claims **out)
{
    struct az_claims *c = az_arena_alloc(w->job->arena, sizeof *c);
    *out = c;
    if (!c)
        return az_arena_error(w->job->arena);
    *c = (struct az_claims){ .has_account = false };
    make_account(w, c);
    c->devices.name = w->sum.device;
    c->devices.peaks = w->sum.peaks.n ? w->sum.peaks : AZ_SV("unknown");
    c->host.operator_ns = w->sum.operator_ns;
    c->host.threads = w->sum.host_threads;
    c->kernels = w->sum.launches;
    c->kernel_ns = c->has_account ? 0 : w->sum.kernels;
    int rc = idle_devices(w, c);
    if (rc == 0)
        rc = make_ranks(w, c);
    if (rc == 0)
        rc = make_steps(w, c);
    if (rc == 0)
        rc = make_step_account(w, c);
    if (rc)
        return rc;
    make_checks(w, c);
    make_rates(w, c);
    return make_findings(w, found, c);
}
