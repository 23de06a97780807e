/* From the parts to the claims, the rows of `findings` and the table `verdict`. */
#include "analyses/verdict/report.h"

#include <inttypes.h>
#include <math.h>

#include "analyses/collectives/waiting.h"
#include "analyses/verdict/idle.h"
#include "base/human.h"
#include "base/num.h"
#include "document/verdict_table.h"

#define MANY    32  /* findings that few reports exceed */
#define WARNING 5.0 /* percent of the span */
#define SLOWER  1.2 /* times as long per call: slower than on the other ranks */

/* ---- parts ---- */
static void add_figures(struct az_verdict_part *s, const struct az_verdict_part *p)
{
    s->total = az_add_sat(s->total, p->total);
    s->compute = az_add_sat(s->compute, p->compute);
    s->comm = az_add_sat(s->comm, p->comm);
    s->copies = az_add_sat(s->copies, p->copies);
    s->idle = az_add_sat(s->idle, p->idle);
    s->devices += p->devices;
    s->streams = p->streams > s->streams ? p->streams : s->streams;
    s->launches = az_add_sat(s->launches, p->launches);
    s->kernels = az_add_sat(s->kernels, p->kernels);
    s->names = p->names > s->names ? p->names : s->names;
    s->rated = az_add_sat(s->rated, p->rated);
    s->rateable = az_add_sat(s->rateable, p->rateable);
    s->read += p->read;
    s->dropped += p->dropped;
    s->events += p->events;
    s->unlinked += p->unlinked;
    s->unlinked_ns = az_add_sat(s->unlinked_ns, p->unlinked_ns);
    s->graphs += p->graphs;
    s->bare += p->bare;
    s->hidden += p->hidden;
    s->captured = az_add_sat(s->captured, p->captured);
    s->calls = az_add_sat(s->calls, p->calls);
    s->hidden_ns = az_add_sat(s->hidden_ns, p->hidden_ns);
    s->by_order_ns = az_add_sat(s->by_order_ns, p->by_order_ns);
    s->other = az_add_sat(s->other, p->other);
    s->operator_ns = az_add_sat(s->operator_ns, p->operator_ns);
    s->host_threads = az_add_sat(s->host_threads, p->host_threads);
    s->lacking |= p->lacking;
    s->flops += p->flops;
}

static void add_up(struct az_verdict_whole *w)
{
    w->sum = *w->part[0];
    for (size_t i = 1; i < w->n; i++)
        add_figures(&w->sum, w->part[i]);
    w->devices = w->sum.devices;
}

/* The part of the only trace of a job. */
static int only_part(struct az_job *job, struct az_verdict_part **out)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    int rc = slot ? 0 : az_arena_error(job->arena);
    if (rc == 0 && !*slot) {
        struct az_verdict_part *part = NULL;
        rc = az_verdict_part_make(job, 0, job->arena, true, &part);
        *slot = rc ? NULL : part;
    }
    *out = slot ? *slot : NULL;
    az_job_leave(job, slot);
    return rc;
}

int az_verdict_prepare(struct az_job *job)
{
    struct az_verdict_part *part;
    const bool one = job->n_traces == 1 && !(job->traces[0]->caps & AZ_CAP_OPREPORT);
    return one && job->findings ? only_part(job, &part) : 0;
}

static int collect(struct az_verdict_whole *w)
{
    struct az_job *job = w->job;
    const struct az_verdict_ranks *r = az_verdict_ranks_of(job);
    if (!r)
        return az_arena_error(job->arena);
    const size_t most = job->n_traces == 1 || !r->ranks ? 1 : r->ranks->n;
    w->part = az_arena_array(job->arena, most, sizeof *w->part);
    w->rank = az_arena_array(job->arena, most, sizeof *w->rank);
    if (!w->part || !w->rank)
        return az_arena_error(job->arena);
    w->ranks = r->ranks;
    if (job->n_traces == 1) {
        w->n = 1;
        const int rc = only_part(job, &w->part[0]);
        const int put = rc ? rc : az_region_causes_put(job);
        return put ? put : az_gap_causes_put(job);
    }
    for (size_t i = 0; r->ranks && i < r->ranks->n; i++) {
        if (!r->part[i])
            continue;
        w->part[w->n] = r->part[i];
        w->rank[w->n++] = r->ranks->v[i].rank;
    }
    return 0;
}

static int cover(struct az_verdict_whole *w)
{
    for (const struct az_verdict_rule *r = az_verdict_rules; r->name; r++) {
        if (!(r->needs & w->sum.lacking & ~(unsigned)AZ_CAP_OWN)) /* not missed in other formats */
            continue;
        const struct az_sv item = az_arena_printf(w->job->arena, "rule not evaluated: %s", r->name);
        if (!item.p)
            return az_arena_error(w->job->arena);
        struct az_sv lacks = AZ_SV("");
        for (unsigned bit = 1; bit && bit <= r->needs; bit <<= 1)
            if (bit & r->needs & w->sum.lacking)
                lacks = az_arena_printf(w->job->arena, "%.*s%sno %s", AZ_SVF(lacks),
                                        lacks.n ? ", " : "", az_cap_text(bit));
        az_cover(w->job, item.p, NAN, "", lacks);
    }
    return 0;
}

/* Share and severity of a row that another analysis put. */
static void complete(const struct az_verdict_whole *w, struct az_table *t, size_t row, int64_t gain)
{
    struct az_cell *cell = &t->cells.v[row * t->columns.n];
    const double share = 100.0 * (double)gain / (double)az_verdict_mean(w, w->sum.total);
    cell[AZ_FINDING_SHARE] = (struct az_cell){ .type = AZ_REAL, .f = share < 100 ? share : 100 };
    if (az_sv_is(az_cell_text(&cell[AZ_FINDING_SEVERITY]), "info") && share >= WARNING)
        cell[AZ_FINDING_SEVERITY] =
            (struct az_cell){ .type = AZ_TEXT, .s = "warning", .len = sizeof "warning" - 1 };
}

/* Findings of other analyses with an estimated saving compete for the lines. */
static int add_others(struct az_verdict_whole *w, struct az_verdict_founds *found)
{
    struct az_table *t = w->job->findings;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->rows; i++) {
        const struct az_cell *gain = az_table_at(t, i, AZ_FINDING_RECOVERABLE),
                             *ns = az_table_at(t, i, AZ_FINDING_NS),
                             *count = az_table_at(t, i, AZ_FINDING_COUNT);
        const struct az_verdict_rule *rule =
            az_verdict_rule_of(az_cell_text(az_table_at(t, i, AZ_FINDING_RULE)));
        if (gain->type != AZ_INT)
            continue;
        if (w->sum.total > 0)
            complete(w, t, i, gain->i);
        if (rule)
            rc = az_vec_push(
                found,
                ((struct az_verdict_found){
                    .rule = rule,
                    .subject = az_cell_text(az_table_at(t, i, AZ_FINDING_SUBJECT)),
                    .detail = AZ_SV(""),
                    .row = az_cell_text(az_table_at(t, i, AZ_FINDING_ROW)),
                    .overlaps = az_cell_text(az_table_at(t, i, AZ_FINDING_OVERLAPS)),
                    .advice = rule->advice,
                    .advice_text = az_cell_text(az_table_at(t, i, AZ_FINDING_ADVICE)),
                    .count =
                        rule->form == AZ_VERDICT_PLAIN || count->type != AZ_INT ? -1 : count->i,
                    .ns = ns->type == AZ_INT ? ns->i : -1,
                    .gain = az_muldiv(gain->i, (int64_t)(w->devices ? w->devices : 1), 1) }));
    }
    return rc;
}

/* Time that a rank spends on anything but waiting for others. */
static int64_t own_ticks(const struct az_verdict_part *p) { return p->total - p->comm; }

/* Does another analysis report by the rule, in the first rows? */
static bool reported(const struct az_job *job, size_t rows, const char *rule)
{
    for (size_t i = 0; i < rows; i++)
        if (az_sv_is(az_cell_text(az_table_at(job->findings, i, AZ_FINDING_RULE)), rule))
            return true;
    return false;
}

/* Is it known who the others wait for, or that nobody is waited for? */
static bool names_who(const struct az_verdict_whole *w, const struct az_verdict_founds *found)
{
    const struct az_coll_waits *waits = az_coll_waits_of(w->job);
    if (waits && waits->judged)
        return true;
    for (size_t i = 0; i < found->n; i++)
        if (found->v[i].rule->within == AZ_VERDICT_IN_WAITING)
            return true;
    return false;
}

static bool same_kernel(const struct az_verdict_kernel *a, const struct az_verdict_kernel *b)
{
    return a->count == b->count && a->blocks == b->blocks && az_sv_eq(a->name, b->name);
}

/* Time per call of a kernel on the other ranks, all of which call it as often; -1: they do not. */
static int64_t usual_call(const struct az_verdict_whole *w, size_t slow,
                          const struct az_verdict_kernel *kernel)
{
    int64_t ns = 0, count = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct az_verdict_part *p = w->part[i];
        size_t k = 0;
        while (i != slow && k < p->n_top && !same_kernel(&p->top[k], kernel))
            k++;
        if (i == slow)
            continue;
        if (k == p->n_top)
            return -1;
        ns = az_add_sat(ns, p->top[k].ns);
        count += p->top[k].count;
    }
    return count > 0 ? ns / count : -1;
}

/* "; gemm takes 161.4 us per call there, 80.2 us on the others": the kernel that loses the most
 * time there, of those that take clearly longer. */
static struct az_sv slow_kernel(const struct az_verdict_whole *w, size_t slow)
{
    const struct az_verdict_part *p = w->part[slow];
    const struct az_verdict_kernel *best = NULL;
    int64_t most = 0, usual = 0;
    char there[AZ_HUMAN_MAX], others[AZ_HUMAN_MAX];
    for (size_t i = 0; i < p->n_top; i++) {
        const struct az_verdict_kernel *k = &p->top[i];
        const int64_t each = k->count > 0 ? usual_call(w, slow, k) : -1;
        if (each <= 0 || (double)k->ns < SLOWER * (double)each * (double)k->count ||
            k->ns - each * k->count <= most)
            continue;
        most = k->ns - each * k->count;
        best = k;
        usual = each;
    }
    if (!best)
        return AZ_SV("");
    az_human_time(best->ns / best->count, there);
    az_human_time(usual, others);
    return az_arena_printf(w->job->arena, "; %.*s takes %s per call there, %s on the others",
                           AZ_SVF(az_verdict_short(best->name)), there, others);
}

/* Where steps are too few for a verdict on stragglers: the rank that needs clearly more of its own
 * time, which the others spend waiting. */
static int slow_rank(struct az_verdict_whole *w, struct az_verdict_founds *found)
{
    size_t slow = 0;
    int64_t next = 0, waits = 0;
    if (!w->ranks || w->n < 3 || names_who(w, found))
        return 0;
    for (size_t i = 1; i < w->n; i++)
        slow = own_ticks(w->part[i]) > own_ticks(w->part[slow]) ? i : slow;
    const struct az_verdict_part *s = w->part[slow];
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        const struct az_verdict_part *p = w->part[i];
        if (i == slow)
            continue;
        const int64_t more = p->comm - s->comm, less = own_ticks(s) - own_ticks(p);
        next = own_ticks(p) > next ? own_ticks(p) : next;
        least = own_ticks(p) < least ? own_ticks(p) : least;
        waits += more < less ? more : less;
    }
    /* apart from the others by more than they are from each other */
    if (waits <= 0 || own_ticks(s) - next <= next - least || 50 * (own_ticks(s) - next) < s->total)
        return 0;
    char each[AZ_HUMAN_MAX];
    const int64_t scope = (int64_t)s->steps - (s->excluded.n > 0);
    az_human_time(waits / (int64_t)(w->n - 1) / (scope > 0 ? scope : 1), each);
    const struct az_verdict_rule *rule = az_verdict_rule_of(AZ_SV("device_imbalance"));
    const struct az_verdict_found f = {
        .rule = rule,
        .advice = w->job->n_traces == 1 ? rule->advice : AZ_ADVICE_FIX_STRAGGLER, /* of a run */
        .has_rank = true,
        .rank = w->rank[slow],
        .subject = az_arena_printf(w->job->arena, "rank %" PRId64, w->rank[slow]),
        .detail = az_arena_printf(w->job->arena, ", the others wait for it, %s%s on average%.*s",
                                  each, scope > 0 ? " per step" : "", AZ_SVF(slow_kernel(w, slow))),
        .row = az_arena_printf(w->job->arena, "%" PRId64, w->rank[slow]),
        .call = AZ_SV(""),
        .count = (int64_t)w->n - 1,
        .ns = waits,
        .gain = az_muldiv(waits, (int64_t)w->n, (int64_t)w->n - 1)
    };
    return az_vec_push(found, f);
}

/* ---- tables ---- */
/* Of communication that a finding about a late rank counts: how much of it waits for that rank. */
static struct az_sv subject_of(struct az_verdict_whole *w, const struct az_claims *c,
                               const struct az_claim *f)
{
    const struct az_verdict_rule *r = az_verdict_rule_of(f->rule);
    const struct az_claim *late = f->part_of >= 0 ? &c->findings[f->part_of] : NULL;
    char wait[AZ_HUMAN_MAX];
    if (r->form == AZ_VERDICT_GAPS)
        return az_verdict_finding_text(w, c, f);
    if (!late || r->within != AZ_VERDICT_IN_COMM || late->rank == AZ_NO_RANK ||
        az_verdict_rule_of(late->rule)->within != AZ_VERDICT_IN_WAITING)
        return f->subject;
    az_human_time(late->saving_ns < f->saving_ns ? late->saving_ns : f->saving_ns, wait);
    return az_arena_printf(w->job->arena, "%.*s, %s of it waiting for rank %" PRId64,
                           AZ_SVF(f->subject), wait, late->rank);
}

/* The rows of other analyses are there already. */
static void put_findings(struct az_verdict_whole *w, const struct az_claims *c)
{
    const size_t others = w->job->findings->rows;
    az_table_reserve(w->job->findings, c->n_findings);
    for (size_t i = 0; i < c->n_findings; i++) {
        const struct az_claim *f = &c->findings[i];
        const struct az_verdict_rule *r = az_verdict_rule_of(f->rule);
        if (reported(w->job, others, r->name))
            continue;
        const struct az_finding_row row = { .rule = r->name,
                                            .severity = f->severity.p,
                                            .lasting = w->job->n_traces == 1,
                                            .subject = subject_of(w, c, f),
                                            .count = f->count,
                                            .ns = az_verdict_mean(w, f->time_ns),
                                            .recoverable = f->saving_ns,
                                            .share = 100 * f->share,
                                            .evidence = f->table,
                                            .row = f->row,
                                            .overlaps = az_sv_str(r->overlaps),
                                            .advice = az_verdict_advice_text(w, f) };
        az_finding_put(w->job, &row);
    }
}

static int write_all(struct az_verdict_whole *w)
{
    struct az_verdict_founds found;
    struct az_claims *c = NULL;
    struct az_table *out = az_headline_table(w->job->arena);
    az_vec_init(&found, w->job->mem);
    int rc = out ? az_vec_reserve(&found, MANY) : az_arena_error(w->job->arena);
    if (rc == 0)
        rc = az_verdict_merge(w, &found);
    if (rc == 0)
        rc = az_verdict_find_waiting(w, &found);
    if (rc == 0)
        rc = slow_rank(w, &found);
    if (rc == 0)
        rc = add_others(w, &found);
    if (rc == 0)
        rc = az_verdict_claims_make(w, &found, &c);
    az_vec_release(&found);
    if (rc == 0) {
        put_findings(w, c);
        w->job->doc->claims = c;
        rc = az_verdict_put_lines(w, c, out);
    }
    if (rc == 0)
        rc = az_verdict_idle_table(w);
    if (rc == 0 && w->job->n_traces == 1 &&
        w->job->traces[0]->caps & (AZ_CAP_TIMELINE | AZ_CAP_OPREPORT))
        rc = az_verdict_step_work(w->job);
    if (rc == 0)
        rc = az_claims_tables(w->job->doc, c);
    if (rc)
        az_table_free(out);
    else
        rc = az_headline_add(w->job->doc, out);
    return rc ? rc : cover(w);
}

int az_verdict_report(struct az_job *job)
{
    static const int order[] = { -AZ_FINDING_RECOVERABLE - 1, -AZ_FINDING_NS - 1 };
    struct az_verdict_whole w = { .job = job };
    if (!job->findings)
        return 0;
    int rc = collect(&w);
    if (rc == 0 && w.n) {
        add_up(&w);
        rc = write_all(&w);
    }
    return rc ? rc : az_table_sort(job->findings, order, 2);
}
