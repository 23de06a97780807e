/* From the parts to the rows of `findings` and the table `verdict`. */
#include "analyses/verdict/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/num.h"
#include "base/sort.h"
#include "results/headline.h"

#define MANY     32  /* findings that few reports exceed */
#define LINES    5   /* findings in the verdict */
#define EXPLAINS 0.3 /* of the exposed communication, by who is waited for */
#define WARNING  5.0 /* percent of the total */
#define INFO     1.0
#define TRIFLE   0.05 /* below: in no table */
#define JUDGED                                                                                     \
    50.0 /* percent of kernel time with FLOPs or bytes; below: said where nothing is found */

/* ---- parts ---- */
static void add_figures(struct az_vd_part *s, const struct az_vd_part *p)
{
    s->total += p->total;
    s->compute += p->compute;
    s->comm += p->comm;
    s->copies += p->copies;
    s->idle += p->idle;
    s->outside += p->outside;
    s->devices += p->devices;
    s->kernels = az_add_sat(s->kernels, p->kernels);
    s->names = p->names > s->names ? p->names : s->names;
    s->rated += p->rated;
    s->rateable += p->rateable;
    s->read += p->read;
    s->dropped += p->dropped;
    s->events += p->events;
    s->unlinked += p->unlinked;
    s->unlinked_ns += p->unlinked_ns;
    s->graphs += p->graphs;
    s->bare += p->bare;
    s->hidden += p->hidden;
    s->hidden_ns += p->hidden_ns;
    s->by_order_ns += p->by_order_ns;
    s->other = az_add_sat(s->other, p->other);
    s->warm_up |= p->warm_up;
    s->lacking |= p->lacking;
    s->flops += p->flops;
}

static void add_up(struct az_vd_whole *w)
{
    w->sum = *w->part[0];
    for (size_t i = 1; i < w->n; i++)
        add_figures(&w->sum, w->part[i]);
    w->devices = w->sum.devices;
}

/* The part of the only trace of a job. */
static int only_part(struct az_job *job, struct az_vd_part **out)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    int rc = slot ? 0 : az_arena_error(job->arena);
    if (rc == 0 && !*slot) {
        struct az_vd_part *part = NULL;
        rc = az_vd_part_make(job, 0, job->arena, &part);
        *slot = rc ? NULL : part;
    }
    *out = slot ? *slot : NULL;
    az_job_leave(job, slot);
    return rc;
}

int az_vd_prepare(struct az_job *job)
{
    struct az_vd_part *part;
    const bool one = job->n_traces == 1 && !(job->traces[0]->caps & AZ_CAP_OPREPORT);
    return one && job->findings ? only_part(job, &part) : 0;
}

static int collect(struct az_vd_whole *w)
{
    struct az_job *job = w->job;
    const struct az_vd_ranks *r = az_vd_ranks_of(job);
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
        return only_part(job, &w->part[0]);
    }
    for (size_t i = 0; r->ranks && i < r->ranks->n; i++) {
        if (!r->part[i])
            continue;
        w->part[w->n] = r->part[i];
        w->rank[w->n++] = r->ranks->v[i].rank;
    }
    return 0;
}

/* ---- findings ---- */
static uint64_t key_of(const struct az_vd_found *f) { return az_hash(f->subject.p, f->subject.n); }

/* One row a rule and subject, over all parts. */
static int merge(struct az_vd_whole *w, struct az_vd_founds *out)
{
    struct az_map seen;
    int rc = az_map_init(&seen, w->job->mem, 16);
    for (size_t k = 0; rc == 0 && k < w->n; k++) {
        for (size_t i = 0; rc == 0 && i < w->part[k]->found.n; i++) {
            const struct az_vd_found *f = &w->part[k]->found.v[i];
            uint32_t *at;
            bool added;
            rc = az_map_put(&seen, key_of(f), (uint64_t)(f->rule - az_vd_rules), (uint32_t)out->n,
                            &at, &added);
            if (rc == 0 && added)
                rc = az_vec_push(out, *f);
            if (rc || added)
                continue;
            struct az_vd_found *o = &out->v[*at];
            if (f->gain > o->gain)
                o->detail = f->detail;
            if (o->ns + f->ns > 0)
                o->reached = (o->reached * (double)o->ns + f->reached * (double)f->ns) /
                             (double)(o->ns + f->ns);
            o->count = o->count >= 0 && f->count >= 0 ? o->count + f->count : -1;
            o->ns = o->ns >= 0 && f->ns >= 0 ? az_add_sat(o->ns, f->ns) : -1;
            o->gain = o->gain >= 0 && f->gain >= 0 ? az_add_sat(o->gain, f->gain) : -1;
        }
    }
    az_map_release(&seen);
    return rc;
}

static int most_time(const void *x, const void *y, void *ctx)
{
    const struct az_vd_found *a = x, *b = y;
    (void)ctx;
    if (a->order != b->order)
        return a->order > b->order ? -1 : 1;
    if (a->call.n && a->rule != b->rule && az_sv_eq(a->call, b->call)) /* the one that says more */
        return a->rule->overlaps[0] ? -1 : 1;
    if (a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    return az_sv_cmp(a->subject, b->subject);
}

static bool names_who(const struct az_vd_found *f)
{
    return az_sv_is(az_sv_str(f->rule->name), "straggler") ||
           az_sv_is(az_sv_str(f->rule->name), "device_imbalance");
}

/* By what it would bring; who the others wait for comes before the communication in which they do,
 * where that is a good part of it. */
static void order(struct az_vd_founds *found)
{
    int64_t most = 0, all = 0;
    for (size_t i = 0; i < found->n; i++) {
        struct az_vd_found *f = &found->v[i];
        f->order = f->gain;
        if (!az_sv_is(az_sv_str(f->rule->name), "exposed_communication"))
            continue;
        all = az_add_sat(all, f->gain);
        most = f->gain > most ? f->gain : most;
    }
    for (size_t i = 0; i < found->n; i++) {
        struct az_vd_found *f = &found->v[i];
        if (names_who(f) && (double)f->gain >= EXPLAINS * (double)all && f->order <= most)
            f->order = most + 1;
    }
}

static double share_of(const struct az_vd_whole *w, int64_t gain)
{
    return gain < 0 || w->sum.total <= 0 ? NAN : 100.0 * (double)gain / (double)w->sum.total;
}

static const char *severity_of(const struct az_vd_rule *r, double share)
{
    return r->trust ? "error" : share >= WARNING ? "warning" : "info";
}

/* Its subject, with what follows it. */
static struct az_sv subject_of(struct az_vd_whole *w, const struct az_vd_found *f)
{
    if (f->reached > 0)
        return az_arena_printf(w->job->arena, "%.*s at %.*f %%%.*s", AZ_SVF(f->subject),
                               f->reached < 10, f->reached, AZ_SVF(f->detail));
    return az_arena_printf(w->job->arena, "%.*s%.*s", AZ_SVF(f->subject), AZ_SVF(f->detail));
}

static struct az_sv advice_of(const struct az_vd_found *f)
{
    return f->advice ? az_sv_str(az_advice_text(f->advice)) : f->advice_text;
}

static void put_finding(struct az_vd_whole *w, struct az_vd_found *f)
{
    const int64_t gain = f->gain > w->sum.total && w->sum.total > 0 ? w->sum.total : f->gain;
    const double share = share_of(w, gain);
    if (share < TRIFLE)
        return;
    f->whole = subject_of(w, f);
    const struct az_finding_row row = { .rule = f->rule->name,
                                        .severity = severity_of(f->rule, share),
                                        .lasting = w->job->n_traces == 1,
                                        .subject = f->whole,
                                        .count = f->count,
                                        .ns = az_vd_mean(w, f->ns),
                                        .recoverable = az_vd_mean(w, gain),
                                        .share = share,
                                        .evidence = az_sv_str(f->rule->evidence),
                                        .row = f->row,
                                        .overlaps = az_sv_str(f->rule->overlaps),
                                        .advice = advice_of(f) };
    az_finding_put(w->job, &row);
}

/* ---- the lines ---- */
/* ", 22 % of it exposed": how much of communication or copies nothing hides. */
static struct az_sv exposed_part(struct az_vd_whole *w, const struct az_vd_found *f)
{
    if (f->ns <= 0 || f->gain < 0 || !az_sv_starts(az_sv_str(f->rule->name), AZ_SV("exposed_")))
        return AZ_SV("");
    const int tenths = (int)lround(1000.0 * (double)f->gain / (double)f->ns);
    if (tenths >= 995)
        return AZ_SV("");
    return tenths < 100
               ? az_arena_printf(w->job->arena, ", %d.%d %% of it exposed", tenths / 10,
                                 tenths % 10)
               : az_arena_printf(w->job->arena, ", %d %% of it exposed", (tenths + 5) / 10);
}

static struct az_sv line_text(struct az_vd_whole *w, const struct az_vd_found *f)
{
    struct az_arena *a = w->job->arena;
    const char *words = f->rule->words;
    const struct az_sv subject = f->whole.p ? f->whole : subject_of(w, f);
    char mean[AZ_HUMAN_MAX], n[AZ_HUMAN_MAX];
    if (f->count <= 0 || f->ns < 0 || f->rule->form == AZ_VD_PLAIN)
        return az_arena_printf(a, "%s%s%.*s", words, *words ? " " : "", AZ_SVF(subject));
    az_human_time(f->ns / f->count, mean);
    az_human_count(f->count, n);
    if (f->rule->form == AZ_VD_GAPS)
        return az_arena_printf(a, "%s: %s gap%s of %s, %.*s", words, n, f->count == 1 ? "" : "s",
                               mean, AZ_SVF(subject));
    const bool many = f->count != 1;
    return az_arena_printf(a, "%s%s%.*s, %s%s%s%.*s", words, *words ? ": " : "", AZ_SVF(subject),
                           many ? n : "", many ? " times " : "", mean, AZ_SVF(exposed_part(w, f)));
}

/* "TEXT. Do this": what a line before says already is not said again. */
static struct az_sv with_advice(struct az_vd_whole *w, const struct az_vd_found *f,
                                const struct az_vd_found *const *line, size_t n)
{
    const struct az_sv text = line_text(w, f);
    const struct az_sv advice = advice_of(f);
    if (advice.n == 0)
        return text;
    for (size_t i = 0; i < n; i++)
        if (az_sv_eq(advice_of(line[i]), advice))
            return text;
    const char first = *advice.p;
    return az_arena_printf(
        w->job->arena, "%.*s%s %c%.*s", AZ_SVF(text), az_sv_ends(text, AZ_SV("...")) ? "" : ".",
        first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first, (int)advice.n - 1, advice.p + 1);
}

/* Time that a line before counts already. */
static bool told(const struct az_vd_found *f, const struct az_vd_found *const *line, size_t n)
{
    int64_t counted = names_who(f) ? INT64_MIN / 2 : 0;
    const struct az_sv overlaps = f->overlaps.p ? f->overlaps : az_sv_str(f->rule->overlaps);
    for (size_t i = 0; i < n; i++) {
        const struct az_vd_rule *r = line[i]->rule;
        if (f->call.n && r != f->rule && az_sv_eq(f->call, line[i]->call))
            return true;
        counted += az_sv_find(overlaps, az_sv_str(r->name)) >= 0 ? line[i]->gain : 0;
    }
    return counted >= f->gain;
}

/* What is said where no finding is worth a line: also of what could not be looked at. */
static struct az_sv nothing_found(struct az_vd_whole *w)
{
    const struct az_vd_part *s = &w->sum;
    const int64_t all = s->rateable > 0 ? s->rateable : s->kernels;
    const double known = all > 0 ? 100.0 * (double)s->rated / (double)all : 100;
    if (az_vd_doubt(w))
        return AZ_SV("what is idle cannot be judged: record the kernels of graphs first");
    if (known >= JUDGED || (w->job->n_traces == 1 && w->job->traces[0]->caps & AZ_CAP_OPREPORT))
        return AZ_SV("nothing above 1 % of the time stands out");
    return az_arena_printf(
        w->job->arena,
        "nothing above 1 %% of the time stands out; %.0f %% of kernel time could "
        "not be held against the device: no operators with shapes",
        100 - known);
}

/* A part of the account is not larger in a line than in the account, which is rounded so that its
 * parts add up. */
static double shown_share(const struct az_vd_whole *w, const struct az_vd_found *f, double share)
{
    int t[AZ_VD_SHARES];
    double most = 100;
    az_vd_tenths(w, t);
    if (f->rule->form == AZ_VD_GAPS)
        most = t[AZ_VD_IDLE] / 10.0;
    else if (az_sv_is(az_sv_str(f->rule->name), "exposed_copy"))
        most = t[AZ_VD_COPIES] / 10.0;
    else if (az_sv_is(az_sv_str(f->rule->name), "exposed_communication"))
        most = t[AZ_VD_COMM] / 10.0;
    return share > most ? most : share;
}

static int put_lines(struct az_vd_whole *w, const struct az_vd_founds *found, struct az_table *out)
{
    const struct az_vd_found *line[LINES];
    size_t n = 0;
    for (size_t i = 0; i < found->n && n < LINES; i++) {
        const struct az_vd_found *f = &found->v[i];
        const double share = share_of(w, f->gain);
        if (f->rule->trust || f->rule->sums || !(share >= INFO) || told(f, line, n))
            continue;
        const struct az_line l = { .kind = AZ_LINE_FINDING,
                                   .label = az_arena_printf(w->job->arena, "-%.1f %%",
                                                            shown_share(w, f, share)),
                                   .text = with_advice(w, f, line, n),
                                   .rule = az_sv_str(f->rule->name),
                                   .severity = az_sv_str(severity_of(f->rule, share)),
                                   .evidence = az_sv_str(f->rule->evidence),
                                   .row = f->row,
                                   .ns = az_vd_mean(w, f->gain),
                                   .percent = share > 100 ? 100 : share };
        az_headline_put(out, &l);
        line[n++] = f;
    }
    if (n == 0 && w->sum.total > 0) {
        const struct az_line l = { .kind = AZ_LINE_NOTE,
                                   .label = AZ_SV(""),
                                   .text = nothing_found(w),
                                   .rule = AZ_SV(""),
                                   .severity = AZ_SV(""),
                                   .evidence = AZ_SV(""),
                                   .row = AZ_SV(""),
                                   .ns = -1,
                                   .percent = NAN };
        az_headline_put(out, &l);
    }
    return w->job->arena->failed ? az_arena_error(w->job->arena) : 0;
}

static int cover(struct az_vd_whole *w)
{
    for (const struct az_vd_rule *r = az_vd_rules; r->name; r++) {
        if (!(r->needs & w->sum.lacking & ~(unsigned)AZ_CAP_OWN)) /* not missed in other formats */
            continue;
        const struct az_sv item = az_arena_printf(w->job->arena, "rule not judged: %s", r->name);
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
static void complete(const struct az_vd_whole *w, struct az_table *t, size_t row, int64_t gain)
{
    struct az_cell *cell = &t->cells.v[row * t->columns.n];
    const double share = 100.0 * (double)gain / (double)az_vd_mean(w, w->sum.total);
    cell[AZ_FINDING_SHARE] = (struct az_cell){ .type = AZ_REAL, .f = share < 100 ? share : 100 };
    if (az_sv_is(az_cell_text(&cell[AZ_FINDING_SEVERITY]), "info") && share >= WARNING)
        cell[AZ_FINDING_SEVERITY] =
            (struct az_cell){ .type = AZ_TEXT, .s = "warning", .len = sizeof "warning" - 1 };
}

/* What a straggler's row says of it. */
static struct az_sv delay_text(struct az_vd_whole *w, const struct az_vd_rule *r, int64_t ns)
{
    char each[AZ_HUMAN_MAX];
    if (!az_sv_is(az_sv_str(r->name), "straggler") || ns < 0)
        return AZ_SV("");
    az_human_time(ns, each);
    return az_arena_printf(w->job->arena, ", %s in each step", each);
}

/* Findings of other analyses that say what they would bring: they compete for the lines. */
static int add_others(struct az_vd_whole *w, struct az_vd_founds *found)
{
    struct az_table *t = w->job->findings;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->rows; i++) {
        const struct az_cell *gain = az_table_at(t, i, AZ_FINDING_RECOVERABLE),
                             *ns = az_table_at(t, i, AZ_FINDING_NS),
                             *count = az_table_at(t, i, AZ_FINDING_COUNT);
        const struct az_vd_rule *rule =
            az_vd_rule_of(az_cell_text(az_table_at(t, i, AZ_FINDING_RULE)));
        if (gain->type != AZ_INT)
            continue;
        if (w->sum.total > 0)
            complete(w, t, i, gain->i);
        if (rule)
            rc = az_vec_push(
                found,
                ((struct az_vd_found){
                    .rule = rule,
                    .subject = az_cell_text(az_table_at(t, i, AZ_FINDING_SUBJECT)),
                    .detail = delay_text(w, rule, ns->type == AZ_INT ? ns->i : -1),
                    .row = az_cell_text(az_table_at(t, i, AZ_FINDING_ROW)),
                    .overlaps = az_cell_text(az_table_at(t, i, AZ_FINDING_OVERLAPS)),
                    .advice = rule->advice,
                    .advice_text = az_cell_text(az_table_at(t, i, AZ_FINDING_ADVICE)),
                    .count = rule->form == AZ_VD_PLAIN || count->type != AZ_INT ? -1 : count->i,
                    .ns = ns->type == AZ_INT ? ns->i : -1,
                    .gain = az_muldiv(gain->i, (int64_t)(w->devices ? w->devices : 1), 1) }));
    }
    return rc;
}

/* Time that a rank spends on anything but waiting for others. */
static int64_t own(const struct az_vd_part *p) { return p->total - p->comm; }

/* Does another analysis report by the rule? */
static bool reported(const struct az_job *job, const char *rule)
{
    for (size_t i = 0; i < job->findings->rows; i++)
        if (az_sv_is(az_cell_text(az_table_at(job->findings, i, AZ_FINDING_RULE)), rule))
            return true;
    return false;
}

/* Graph launches without kernels, of traces whose operators nobody looks at. */
static int bare_graphs(struct az_vd_whole *w, struct az_vd_founds *found)
{
    if (!az_vd_doubt(w) || reported(w->job, "graph_unrecorded"))
        return 0;
    const struct az_vd_rule *rule = az_vd_rule_of(AZ_SV("graph_unrecorded"));
    const struct az_vd_found f = { .rule = rule,
                                   .subject = az_arena_printf(
                                       w->job->arena, "%" PRIu64 " of %" PRIu64 " graph launches",
                                       w->sum.bare, w->sum.graphs),
                                   .detail = AZ_SV(""),
                                   .row = AZ_SV(""),
                                   .call = AZ_SV(""),
                                   .advice = rule->advice,
                                   .count = (int64_t)w->sum.bare,
                                   .ns = -1,
                                   .gain = -1 };
    return az_vec_push(found, f);
}

/* Where steps are too few for a verdict on stragglers: the rank that needs clearly more of its own
 * time, which the others spend waiting. */
static int slow_rank(struct az_vd_whole *w, struct az_vd_founds *found)
{
    size_t slow = 0;
    int64_t next = 0, waits = 0;
    if (!w->ranks || w->n < 3 || reported(w->job, "straggler"))
        return 0;
    for (size_t i = 1; i < w->n; i++)
        slow = own(w->part[i]) > own(w->part[slow]) ? i : slow;
    const struct az_vd_part *s = w->part[slow];
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        const struct az_vd_part *p = w->part[i];
        if (i == slow)
            continue;
        const int64_t more = p->comm - s->comm, less = own(s) - own(p);
        next = own(p) > next ? own(p) : next;
        least = own(p) < least ? own(p) : least;
        waits += more < less ? more : less;
    }
    /* apart from the others by more than they are from each other */
    if (waits <= 0 || own(s) - next <= next - least || 50 * (own(s) - next) < s->total)
        return 0;
    char each[AZ_HUMAN_MAX];
    az_human_time(waits / (int64_t)(w->n - 1), each);
    const struct az_vd_rule *rule = az_vd_rule_of(AZ_SV("device_imbalance"));
    const struct az_vd_found f = {
        .rule = rule,
        .advice = rule->advice,
        .has_rank = true,
        .rank = w->rank[slow],
        .subject =
            az_arena_printf(w->job->arena, "the others wait for rank %" PRId64, w->rank[slow]),
        .detail = az_arena_printf(w->job->arena, ", %s each on average", each),
        .row = az_arena_printf(w->job->arena, "%" PRId64, w->rank[slow]),
        .call = AZ_SV(""),
        .count = (int64_t)w->n - 1,
        .ns = waits,
        .gain = az_muldiv(waits, (int64_t)w->n, (int64_t)w->n - 1)
    };
    return az_vec_push(found, f);
}

static int write_all(struct az_vd_whole *w)
{
    struct az_vd_founds found;
    struct az_table *out = az_headline_table(w->job->arena);
    az_vec_init(&found, w->job->mem);
    int rc = out ? az_vec_reserve(&found, MANY) : az_arena_error(w->job->arena);
    if (rc == 0)
        rc = merge(w, &found);
    if (rc == 0)
        rc = slow_rank(w, &found);
    if (rc == 0)
        rc = bare_graphs(w, &found);
    const size_t ours = found.n;
    if (rc == 0)
        rc = add_others(w, &found);
    az_table_reserve(w->job->findings, ours);
    for (size_t i = 0; rc == 0 && i < ours; i++)
        put_finding(w, &found.v[i]);
    order(&found);
    if (rc == 0)
        rc = az_sort_cmp(found.v, found.n, sizeof *found.v, most_time, NULL, w->job->mem);
    if (rc == 0)
        rc = az_vd_put_head(w, out);
    if (rc == 0)
        rc = put_lines(w, &found, out);
    if (rc == 0)
        rc = az_vd_put_trust(w, out);
    az_vec_release(&found);
    if (rc == 0)
        rc = az_vd_idle_table(w);
    if (rc)
        az_table_free(out);
    else
        rc = az_headline_add(w->job->doc, out);
    return rc ? rc : cover(w);
}

int az_vd_report(struct az_job *job)
{
    static const int order[] = { -AZ_FINDING_RECOVERABLE - 1, -AZ_FINDING_NS - 1 };
    struct az_vd_whole w = { .job = job };
    if (!job->findings)
        return 0;
    int rc = collect(&w);
    if (rc == 0 && w.n) {
        add_up(&w);
        rc = write_all(&w);
    }
    return rc ? rc : az_table_sort(job->findings, order, 2);
}
