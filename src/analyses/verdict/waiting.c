/* Late ranks (analyses/collectives/waiting.h) as findings with a cause, derived from the late
 * rank's own kernels and idle time. The communication that waits for it loses the waiting, or is a
 * part of the cause where it is mostly that. */
#include "analyses/collectives/waiting.h"
#include "analyses/verdict/verdict.h"
#include "base/num.h"

#include <math.h>

#define MOSTLY 0.5  /* of a delay, or of a finding's time */
#define EQUAL  0.02 /* counts and grids of equal work differ by no more */
#define HEAVY  1.1  /* times the computation of the other stages */

struct search {
    struct az_verdict_whole *w;
    const struct az_coll_waits *waits;
    struct az_verdict_founds *found;
    size_t n_parts_found;       /* findings of the parts come first */
    bool *late;                 /* by part: somebody waits for it */
    uint32_t heavy;             /* stage that computes longest; AZ_NO_ROW: none stands out */
    double heavy_ns, others_ns; /* of its ranks, and of those of the other stages: means */
};

/* The part of a rank of the run; -1: none. */
static ptrdiff_t part_of(const struct search *s, uint32_t rank)
{
    const int64_t number = s->waits->c->ranks->v[rank].rank;
    for (size_t k = 0; !s->waits->c->of && k < s->w->n; k++)
        if (s->w->rank[k] == number)
            return (ptrdiff_t)k;
    return -1;
}

static bool is_rule(const struct az_verdict_found *f, const char *name)
{
    return az_sv_is(az_sv_str(f->rule->name), name);
}

/* ---- kernels of the late rank ---- */
/* Mean of a kernel over the parts that nobody waits for. */
struct usual {
    double count, ns, blocks;
};
static struct usual usual_kernel(const struct search *s, struct az_sv name)
{
    struct usual u = { 0 };
    size_t n = 0;
    for (size_t k = 0; k < s->w->n; k++) {
        const struct az_verdict_part *p = s->w->part[k];
        if (s->late[k])
            continue;
        n++;
        for (size_t i = 0; i < p->n_top; i++)
            if (az_sv_eq(p->top[i].name, name)) {
                u.count += (double)p->top[i].count;
                u.ns += (double)p->top[i].ns;
                u.blocks += p->top[i].blocks;
            }
    }
    if (n)
        u = (struct usual){ u.count / (double)n, u.ns / (double)n, u.blocks / (double)n };
    return u;
}

static bool nearly_equal(double a, double b) { return fabs(a - b) <= EQUAL * (a > b ? a : b); }

/* Equal kernels that are longer, or more of them, for at least half of the delay. */
static enum az_cause kernel_cause(const struct search *s, size_t part, double delay)
{
    const struct az_verdict_part *p = s->w->part[part];
    double slower = 0, more = 0;
    for (size_t i = 0; i < p->n_top; i++) {
        const struct az_verdict_kernel *k = &p->top[i];
        const struct usual u = usual_kernel(s, k->name);
        const double excess = (double)k->ns - u.ns;
        if (nearly_equal((double)k->count, u.count) && nearly_equal(k->blocks, u.blocks))
            slower += excess;
        else
            more += excess;
    }
    if (slower + more < MOSTLY * delay)
        return AZ_CAUSE_NONE;
    return slower >= more ? AZ_CAUSE_SLOW_KERNELS : AZ_CAUSE_MORE_WORK;
}

/* ---- idle time of the late rank ---- */
/* Idle time of a part with the cause and place of another's finding. */
static int64_t same_idle(const struct az_verdict_part *p, const struct az_verdict_found *f)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->found.n; i++) {
        const struct az_verdict_found *o = &p->found.v[i];
        if (o->rule == f->rule && o->cause == f->cause && az_sv_eq(o->range, f->range) &&
            az_sv_eq(o->frame, f->frame) && az_sv_eq(o->call, f->call) && o->gain > 0)
            sum = az_add_sat(sum, o->gain);
    }
    return sum;
}

/* The idle time that the late rank has more of than the others, if it explains the delay. */
static const struct az_verdict_found *idle_cause(const struct search *s, size_t part, double delay)
{
    const struct az_verdict_part *p = s->w->part[part];
    const struct az_verdict_found *best = NULL;
    double most = 0;
    for (size_t i = 0; i < p->found.n; i++) {
        const struct az_verdict_found *f = &p->found.v[i];
        double others = 0;
        size_t n = 0;
        if (!is_rule(f, "idle") || f->gain <= 0)
            continue;
        for (size_t k = 0; k < s->w->n; k++)
            if (!s->late[k]) {
                others += (double)same_idle(s->w->part[k], f);
                n++;
            }
        const double excess = (double)same_idle(p, f) - (n ? others / (double)n : 0);
        if (excess > most) {
            most = excess;
            best = f;
        }
    }
    return most >= MOSTLY * delay ? best : NULL;
}

static void add_cause(const struct search *s, const struct az_coll_late *l,
                      struct az_verdict_found *f)
{
    const ptrdiff_t part = part_of(s, l->member[0]);
    if (part < 0)
        return;
    f->cause = kernel_cause(s, (size_t)part, (double)l->saving);
    if (f->cause == AZ_CAUSE_SLOW_KERNELS)
        f->advice = AZ_ADVICE_CHECK_CLOCKS;
    else if (f->cause == AZ_CAUSE_MORE_WORK)
        f->advice = AZ_ADVICE_BALANCE_RANKS;
    if (f->cause != AZ_CAUSE_NONE)
        return;
    const struct az_verdict_found *idle = idle_cause(s, (size_t)part, (double)l->saving);
    if (!idle)
        return;
    f->cause = idle->cause;
    f->call = idle->call;
    f->range = idle->range;
    f->frame = idle->frame;
    f->operation = idle->operation;
}

/* ---- communication that waits ---- */
static bool is_of(const struct az_verdict_found *f, const struct az_coll_run *c,
                  const struct az_coll_coll *x)
{
    const struct az_coll_what *what = az_coll_what(c, az_coll_member(c, x, 0));
    if (x->flags & AZ_COLL_PAIR)
        return f->coll_kind == AZ_COLL_SEND || f->coll_kind == AZ_COLL_RECV;
    return f->coll_kind == (int64_t)what->kind && (!f->members || f->members == what->size);
}

/* Time that the collectives of a finding wait; pairs: of send and recv alone. */
static double wait_in(const struct search *s, const struct az_verdict_found *f, bool pairs)
{
    const struct az_coll_run *c = s->waits->c;
    double wait = 0;
    for (size_t k = 0; is_rule(f, "exposed_communication") && k < c->colls.n; k++)
        if (is_of(f, c, &c->colls.v[k]) && (!pairs || c->colls.v[k].flags & AZ_COLL_PAIR))
            wait += (double)c->colls.v[k].exposed_wait;
    return wait;
}

/* The part of each finding's wait that makes up `ns`, where no finding has more than its time: what
 * one cannot have the others do. */
static double waiting_rate(const struct search *s, const double *wait, double ns)
{
    double rate = 0, last = -1;
    while (rate > last) {
        double left = ns, all = 0;
        last = rate;
        for (size_t i = 0; i < s->n_parts_found; i++) {
            const double gain = (double)s->found->v[i].gain;
            if (rate * wait[i] > gain)
                left -= gain;
            else
                all += wait[i];
        }
        if (all > 0 && left / all > rate)
            rate = left / all;
    }
    return rate;
}

/* Subtracts `ns` of waiting (of all ranks) from the findings of exposed communication, in the
 * shares in which their collectives wait. What is part of an earlier cause stays so. */
static int take_waiting(struct search *s, double ns, bool pairs, const char *cause)
{
    double *wait = az_arena_array(s->w->job->arena, s->n_parts_found + 1, sizeof *wait);
    if (!wait)
        return az_arena_error(s->w->job->arena);
    for (size_t i = 0; i < s->n_parts_found; i++)
        wait[i] = wait_in(s, &s->found->v[i], pairs);
    const double rate = waiting_rate(s, wait, ns);
    for (size_t i = 0; i < s->n_parts_found; i++) {
        struct az_verdict_found *f = &s->found->v[i];
        const double part = rate * wait[i];
        if (part <= 0 || f->overlaps.n)
            continue;
        if (part >= MOSTLY * (double)f->gain) {
            f->overlaps = az_sv_str(cause);
        } else {
            f->gain -= (int64_t)part;
            f->overlaps = AZ_SV("");
        }
    }
    return 0;
}

/* Idle time of the late ranks is the same cause once more. */
static void nest_idle(struct search *s, const struct az_coll_late *l, const char *rule)
{
    for (size_t i = 0; i < s->n_parts_found; i++) {
        struct az_verdict_found *f = &s->found->v[i];
        if (!is_rule(f, "idle") || !(f->has_rank || f->n_ranks))
            continue;
        bool all = true;
        for (size_t k = 0; k < (f->has_rank ? 1 : f->n_ranks); k++) {
            const int64_t rank = f->has_rank ? f->rank : f->ranks[k];
            bool is = false;
            for (size_t j = 0; j < l->n; j++)
                is |= s->waits->c->ranks->v[l->member[j]].rank == rank;
            all &= is;
        }
        if (all)
            f->overlaps = az_sv_str(rule);
    }
}

/* ---- findings ---- */
static int name_members(struct search *s, const struct az_coll_late *l, struct az_verdict_found *f)
{
    int64_t *ranks = az_arena_array(s->w->job->arena, l->n + 1, sizeof *ranks);
    if (!ranks)
        return az_arena_error(s->w->job->arena);
    for (size_t i = 0; i < l->n; i++)
        ranks[i] = s->waits->c->ranks->v[l->member[i]].rank;
    f->has_rank = l->n == 1;
    f->rank = ranks[0];
    f->ranks = ranks;
    f->n_ranks = l->n == 1 ? 0 : l->n;
    return 0;
}

static const char *rule_of(const struct az_coll_late *l)
{
    static const char *const rules[] = { [AZ_LATE_RANKS] = "straggler",
                                         [AZ_LATE_DEVICE] = "device_imbalance",
                                         [AZ_LATE_GROUP] = "slow_group",
                                         [AZ_LATE_PIPELINE] = "pipeline_bubble",
                                         [AZ_LATE_ABSENT] = "straggler" };
    return rules[l->kind];
}

/* The delay of a step, over those in the scope. */
static int64_t saving_of(const struct search *s, const struct az_coll_late *l)
{
    const ptrdiff_t part = l->kind == AZ_LATE_RANKS ? part_of(s, l->member[0]) : -1;
    const struct az_verdict_part *p = part < 0 ? NULL : s->w->part[part];
    return p && p->steps ? l->step * (int64_t)(p->steps - (p->excluded.n > 0)) : l->saving;
}

static int put_late(struct search *s, const struct az_coll_late *l)
{
    const int64_t devices = (int64_t)(s->w->devices ? s->w->devices : 1), saving = saving_of(s, l);
    struct az_verdict_found f = { .rule = az_verdict_rule_of(az_sv_str(rule_of(l))),
                                  .subject = l->subject,
                                  .detail = l->detail,
                                  .overlaps = AZ_SV(""),
                                  .row = l->group,
                                  .group = l->group,
                                  .groups = l->groups,
                                  .count = l->count,
                                  .ns = l->each,
                                  .gain = az_muldiv(saving, devices, 1) };
    f.advice = f.rule->advice;
    int rc = l->kind == AZ_LATE_RANKS || l->kind == AZ_LATE_GROUP ? name_members(s, l, &f) : 0;
    if (l->kind == AZ_LATE_ABSENT) { /* its waiting is in nobody's collectives: as in the rule */
        f.overlaps = (struct az_sv){ NULL, 0 };
        f.has_rank = s->waits->c->ranks->n_missing == 1;
        f.rank = s->waits->c->ranks->missing[0];
        return az_vec_push(s->found, f);
    }
    if (l->kind == AZ_LATE_DEVICE) {
        f.has_device = true;
        f.device = s->waits->c->ranks->v[l->member[0]].rank;
    }
    if (l->kind == AZ_LATE_RANKS) {
        f.row = az_arena_printf(s->w->job->arena, "%lld",
                                (long long)s->waits->c->ranks->v[l->member[0]].rank);
        add_cause(s, l, &f);
        nest_idle(s, l, "straggler");
    }
    const double waiting = l->kind == AZ_LATE_RANKS
                               ? (double)saving * (double)(devices - (int64_t)l->n)
                               : (double)f.gain;
    if (rc == 0)
        rc = take_waiting(s, waiting, l->kind == AZ_LATE_PIPELINE, rule_of(l));
    return rc ? rc : az_vec_push(s->found, f);
}

/* ---- stages of a pipeline ---- */
struct stage {
    double sum;
    size_t n;
};

/* The stage that computes longest, if clearly longer than each of the others. */
static int find_heavy(struct search *s)
{
    const struct az_coll_stages *g = &s->waits->stages;
    struct stage *of = az_arena_array(s->w->job->arena, g->n + 1, sizeof *of);
    uint32_t most = 0;
    double next = 0;
    if (!of)
        return az_arena_error(s->w->job->arena);
    for (uint32_t r = 0; r < s->waits->c->ranks->n; r++) {
        const ptrdiff_t part = part_of(s, r);
        if (part < 0 || g->of[r] >= g->n)
            continue;
        of[g->of[r]].sum += (double)s->w->part[part]->compute;
        of[g->of[r]].n++;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        if (of[i].n == 0)
            return 0;
        of[i].sum /= (double)of[i].n;
        most = of[i].sum > of[most].sum ? i : most;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        next = i != most && of[i].sum > next ? of[i].sum : next;
        s->others_ns += i == most ? 0 : of[i].sum / (g->n - 1);
    }
    s->heavy_ns = of[most].sum;
    if (s->heavy_ns >= HEAVY * next)
        s->heavy = most;
    return 0;
}

/* Ranks that are late because they are the heavy stage: all of it. */
static bool is_heavy_stage(const struct search *s, const struct az_coll_late *l)
{
    const struct az_coll_stages *g = &s->waits->stages;
    size_t n = 0;
    if (l->kind != AZ_LATE_RANKS || s->heavy == AZ_NO_ROW)
        return false;
    for (uint32_t r = 0; r < s->waits->c->ranks->n; r++)
        n += g->of[r] == s->heavy;
    for (size_t i = 0; i < l->n; i++)
        if (g->of[l->member[i]] != s->heavy)
            return false;
    return l->n == n;
}

static int put_stage(struct search *s)
{
    const struct az_coll_stages *g = &s->waits->stages;
    struct az_arena *a = s->w->job->arena;
    uint32_t *member = az_arena_array(a, s->waits->c->ranks->n + 1, sizeof *member);
    struct az_coll_late l = { .member = member };
    if (!member)
        return az_arena_error(a);
    for (uint32_t r = 0; r < s->waits->c->ranks->n; r++)
        if (g->of[r] == s->heavy)
            member[l.n++] = r;
    struct az_verdict_found f = {
        .rule = az_verdict_rule_of(AZ_SV("stage_imbalance")),
        .subject = az_arena_printf(a, "stage %u of %u", s->heavy, g->n),
        .detail = az_arena_printf(a, ", %.0f%% more compute time than the others",
                                  100 * (s->heavy_ns / s->others_ns - 1)),
        .row = AZ_SV(""),
        .overlaps = AZ_SV("pipeline_bubble"),
        .group = AZ_SV(""),
        .count = -1,
        .ns = -1,
        .gain = (int64_t)((s->heavy_ns - s->others_ns) * (double)s->w->devices)
    };
    f.advice = f.rule->advice;
    const int rc = name_members(s, &l, &f);
    return rc ? rc : az_vec_push(s->found, f);
}

/* ---- peer groups ---- */
/* Process groups of the run whose collectives a finding is about. */
static int count_groups(struct search *s, struct az_verdict_found *f)
{
    const struct az_coll_run *c = s->waits->c;
    double *bytes = az_mem_alloc(s->w->job->mem, (c->groups.n + 1) * 2 * sizeof *bytes);
    double *count = bytes ? bytes + c->groups.n + 1 : NULL;
    if (!bytes)
        return az_mem_error(s->w->job->mem);
    memset(bytes, 0, (c->groups.n + 1) * 2 * sizeof *bytes);
    const struct az_coll_what *last = NULL;
    double each = 0; /* of the last description: many events in a row have it */
    for (uint32_t g = 0; g < c->n; g++) {
        const struct az_coll_what *x = az_coll_what(c, g);
        if ((int64_t)x->kind != f->coll_kind || x->size != f->members)
            continue;
        if (x != last) {
            const double mb = az_coll_mb(x, x->in > x->out ? x->in : x->out);
            each = mb > 0 ? mb * 1048576 : 0;
            last = x;
        }
        bytes[az_coll_group_of(c, g)] += each;
        count[az_coll_group_of(c, g)]++;
    }
    int64_t groups = 0;
    uint32_t only = 0;
    for (uint32_t i = 0; i < c->groups.n; i++) {
        if (count[i] == 0 || (f->bytes && az_coll_message(bytes[i], (int64_t)count[i]) != f->bytes))
            continue;
        groups++;
        only = i;
    }
    f->groups = groups;
    if (groups == 1 && c->groups.v[only].n_members) {
        struct az_sv text = AZ_SV("");
        const struct az_coll_group *g = &c->groups.v[only];
        for (size_t i = 0; i < g->n_members && g->n_members < c->ranks->n; i++)
            text = az_arena_printf(s->w->job->arena, "%.*s%s%lld", AZ_SVF(text), i ? "," : "",
                                   (long long)g->members[i]);
        f->group = text;
    }
    az_mem_free(s->w->job->mem, bytes, (c->groups.n + 1) * 2 * sizeof *bytes);
    return 0;
}

static int name_groups(struct search *s)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->n_parts_found; i++) {
        struct az_verdict_found *f = &s->found->v[i];
        if (!is_rule(f, "exposed_communication") || !f->coll_kind || !f->members)
            continue;
        rc = count_groups(s, f);
    }
    return rc;
}

/* A device that was found already, by what it computes. */
static bool is_known(const struct search *s, const struct az_coll_late *l)
{
    for (size_t i = 0; l->kind == AZ_LATE_DEVICE && i < s->n_parts_found; i++)
        if (is_rule(&s->found->v[i], "device_imbalance"))
            return true;
    return false;
}

int az_verdict_find_waiting(struct az_verdict_whole *w, struct az_verdict_founds *found)
{
    struct search s = { .w = w,
                        .waits = az_coll_waits_of(w->job),
                        .found = found,
                        .n_parts_found = found->n,
                        .heavy = AZ_NO_ROW };
    if (!s.waits)
        return 0;
    s.late = az_arena_array(w->job->arena, w->n + 1, sizeof *s.late);
    if (!s.late)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < s.waits->late.n; i++)
        for (size_t k = 0; s.waits->late.v[i].kind == AZ_LATE_RANKS && k < s.waits->late.v[i].n;
             k++) {
            const ptrdiff_t part = part_of(&s, s.waits->late.v[i].member[k]);
            if (part >= 0)
                s.late[part] = true;
        }
    int rc = name_groups(&s);
    if (rc == 0 && s.waits->stages.n)
        rc = find_heavy(&s);
    for (size_t i = 0; rc == 0 && i < s.waits->late.n; i++)
        if (!is_known(&s, &s.waits->late.v[i]) && !is_heavy_stage(&s, &s.waits->late.v[i]))
            rc = put_late(&s, &s.waits->late.v[i]);
    if (rc == 0 && s.heavy != AZ_NO_ROW)
        rc = put_stage(&s);
    return rc ? rc : w->job->arena->failed ? az_arena_error(w->job->arena) : 0;
}
