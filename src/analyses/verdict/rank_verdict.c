/* What the rules leave of one trace. */
#include <math.h>

#include "analyses/rates.h"
#include "analyses/registry_list.h"
#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/num.h"
#include "base/sort.h"
#include "facts/devices.h"
#include "facts/families.h"
#include "facts/host_operators.h"
#include "facts/lazy_cache.h"
#include "facts/trust.h"
#include "model/optrace.h"

#define FAMILIES 5 /* named */

struct az_sv az_verdict_copy_text(struct az_verdict *v, struct az_sv s)
{
    if (s.n == 0)
        return AZ_SV("");
    const struct az_sv kept = az_rank_text(v->job, v->keep, s);
    v->keep->failed |= kept.p == NULL;
    return kept;
}

/* Where the name begins without its namespaces. */
static size_t base_of(struct az_sv name)
{
    for (size_t i = name.n; i > 1; i--)
        if (name.p[i - 1] == ':' && name.p[i - 2] == ':')
            return i;
    return 0;
}

/* What names a kernel: `void at::native::elementwise_kernel<128, 4, ...>(int, ...)` without return
 * type, template, parameters and, where the rest is enough, namespaces. */
struct az_sv az_verdict_short(struct az_sv name)
{
    enum { PLAIN = 8 };
    bool parts = az_sv_starts(name, AZ_SV("void "));
    if (parts)
        name = az_sv_make(name.p + 5, name.n - 5);
    for (size_t i = 1; i < name.n; i++) {
        const char c = name.p[i];
        if (c == '(' &&
            az_sv_starts(az_sv_make(name.p + i, name.n - i), AZ_SV("(anonymous namespace)"))) {
            i += sizeof "(anonymous namespace)" - 2;
        } else if (c == '<' || (c == '(' && name.p[i - 1] != ' ')) {
            name.n = i;
            parts = true;
        }
    }
    const size_t base = parts ? base_of(name) : 0;
    return name.n - base >= PLAIN ? az_sv_make(name.p + base, name.n - base) : name;
}

/* Is a finding with that key one of the list? */
static bool is_summed(const struct az_verdict_sums *s, uint64_t key)
{
    const size_t first = AZ_LOWER_BY(s->v, s->n, key, key);
    return first < s->n && s->v[first].key == key;
}

int az_verdict_add(struct az_verdict *v, const char *rule, const struct az_verdict_found *f)
{
    struct az_verdict_found x = *f;
    x.rule = az_verdict_rule_of(az_sv_str(rule));
    if (!x.rule)
        return AZ_EINTERNAL;
    if (v->summing)
        return az_vec_push(v->sums, ((struct az_verdict_sum){ az_verdict_key(&x), x.gain }));
    if (v->sums && !is_summed(v->sums, az_verdict_key(&x)))
        return 0;
    x.subject = az_verdict_copy_text(v, f->subject);
    x.detail = az_verdict_copy_text(v, f->detail);
    x.row = az_verdict_copy_text(v, f->row);
    x.call = az_verdict_copy_text(v, f->call);
    x.range = az_verdict_copy_text(v, f->range);
    x.frame = az_verdict_copy_text(v, f->frame);
    x.operation = az_verdict_copy_text(v, f->operation);
    x.group = az_verdict_copy_text(v, f->group);
    x.advice = f->advice ? f->advice : x.rule->advice;
    if (v->keep->failed || v->job->arena->failed)
        return az_arena_error(v->keep->failed ? v->keep : v->job->arena);
    return az_vec_push(&v->part->found, x);
}

/* The parts add up to the span: idle gets the rounding error. */
static struct az_claim_account claim_account(const struct az_verdict *v, const struct az_account *a)
{
    struct az_claim_account c = { .span = az_verdict_ns(v, a->total),
                                  .computing = az_verdict_ns(v, a->compute),
                                  .exposed_communication = az_verdict_ns(v, a->exposed_comm),
                                  .exposed_copy = az_verdict_ns(v, a->exposed_copies),
                                  .communication = az_verdict_ns(v, a->comm),
                                  .copy = az_verdict_ns(v, a->copies) };
    c.idle = c.span - c.computing - c.exposed_communication - c.exposed_copy;
    return c;
}

void az_verdict_sum_devices(struct az_verdict_part *p)
{
    p->total = p->compute = p->comm = p->copies = p->idle = 0;
    p->devices = 0;
    for (size_t i = 0; i < p->n_device_accounts; i++) {
        const struct az_claim_account *a = &p->device_accounts[i].a;
        if (p->device_accounts[i].idle)
            continue;
        p->total = az_add_sat(p->total, a->span);
        p->compute = az_add_sat(p->compute, a->computing);
        p->comm = az_add_sat(p->comm, a->exposed_communication);
        p->copies = az_add_sat(p->copies, a->exposed_copy);
        p->idle = az_add_sat(p->idle, a->idle);
        p->devices++;
    }
}

static struct az_claim_account outside_account(const struct az_verdict *v,
                                               const struct az_device_account *of, size_t i)
{
    return of ? claim_account(v, &of[i].a) : (struct az_claim_account){ 0 };
}

/* The mean of the two steps in the middle. */
static struct az_claim_account step_account(const struct az_verdict *v, const struct az_accounts *a,
                                            size_t i)
{
    if (!a->median_step)
        return (struct az_claim_account){ 0 };
    const struct az_claim_account x = claim_account(v, &a->median_step[i].a),
                                  y = claim_account(v, &a->other_median_step[i].a);
    struct az_claim_account c = {
        .span = x.span + (y.span - x.span) / 2,
        .computing = x.computing + (y.computing - x.computing) / 2,
        .exposed_communication =
            x.exposed_communication + (y.exposed_communication - x.exposed_communication) / 2,
        .exposed_copy = x.exposed_copy + (y.exposed_copy - x.exposed_copy) / 2,
        .communication = x.communication + (y.communication - x.communication) / 2,
        .copy = x.copy + (y.copy - x.copy) / 2
    };
    c.idle = c.span - c.computing - c.exposed_communication - c.exposed_copy;
    return c;
}

bool az_verdict_set_other(struct az_verdict *v, struct az_verdict_device *d,
                          const struct az_verdict_other *other)
{
    d->other = az_arena_room(v->keep, sizeof *d->other);
    if (d->other) {
        *d->other = *other;
        d->n_other = 1;
    }
    return d->other != NULL;
}

static int accounts(struct az_verdict *v)
{
    const struct az_accounts *a = v->accounts;
    struct az_verdict_part *p = v->part;
    p->device_accounts = az_arena_array(v->keep, a->n_devices + 1, sizeof *p->device_accounts);
    if (!p->device_accounts)
        return az_arena_error(v->keep);
    for (size_t i = 0; i < a->n_devices; i++) {
        const struct az_account in = az_account_in_scope(a, i);
        p->device_accounts[p->n_device_accounts++] = (struct az_verdict_device){
            .device = a->device[i].device, .idle = a->idle[i], .a = claim_account(v, &in)
        };
    }
    for (size_t i = 0; (a->before || a->median_step) && i < a->n_devices; i++) {
        const struct az_verdict_other other = { .before = outside_account(v, a->before, i),
                                                .after = outside_account(v, a->after, i),
                                                .step = step_account(v, a, i) };
        if (!az_verdict_set_other(v, &p->device_accounts[i], &other))
            return az_arena_error(v->keep);
    }
    az_verdict_sum_devices(p);
    p->scope = v->t->windowed ? AZ_SCOPE_WINDOW : a->by_steps ? AZ_SCOPE_STEPS : AZ_SCOPE_RECORDING;
    v->window = a->window;
    return 0;
}

static void device_name(struct az_verdict *v)
{
    for (size_t i = 0; i < v->t->devices.n && !v->part->device.n; i++)
        v->part->device = az_verdict_copy_text(v, v->t->devices.v[i].name);
    for (size_t i = 0; i < v->t->facts.n && !v->part->device.n; i++) {
        const struct az_fact *f = &v->t->facts.v[i];
        struct az_sv text = f->value; /* "TPU v6 Lite, 918 TFLOP/s", "AMD, 304 cores" */
        const struct az_sv name = az_sv_cut(&text, ',');
        if (az_sv_starts(f->key, AZ_SV("device ")) && name.n)
            v->part->device = az_verdict_copy_text(
                v, az_sv_find(f->key, AZ_SV("GPU")) >= 0 && az_sv_find(name, AZ_SV(" ")) < 0
                       ? az_arena_printf(v->job->arena, "%.*s GPU", AZ_SVF(name))
                       : name);
    }
    if (!v->part->device.n && v->t->caps & AZ_CAP_PROGRAMS && az_has_tpu(v->t))
        v->part->device = AZ_SV("TPU"); /* the model is not known */
}

/* First start to last end of what the host recorded, ticks; the last starts late, too. */
static int64_t host_span(const struct az_trace *t)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (enum az_kind k = AZ_HOST_OP; k <= AZ_CALL; k++) {
        const struct az_events *e = &t->ev[k];
        lo = e->n && e->start[0] < lo ? e->start[0] : lo;
        for (size_t i = e->n > 64 ? e->n - 64 : 0; i < e->n; i++)
            hi = e->end[i] > hi ? e->end[i] : hi;
    }
    return hi > lo ? hi - lo : 0;
}

/* Kernel time, and that of no known family: as the table of families has them. */
static int kernel_times(struct az_verdict *v, const struct az_counted *c)
{
    const uint8_t *skip = c->unlinked < c->events ? c->skip[AZ_KERNEL] : NULL;
    struct az_verdict_part *p = v->part;
    const struct az_events *k = &v->t->ev[AZ_KERNEL];
    const bool programs = (v->t->caps & AZ_CAP_PROGRAMS) != 0 && az_has_tpu(v->t);
    int rc = 0;
    const struct az_row_work *work = programs ? az_job_row_work(v->job, v->trace, &rc) : NULL;
    const int64_t *self = programs && rc == 0 ? az_job_self_ticks(v->job, v->trace, &rc) : NULL;
    for (size_t i = 0; rc == 0 && i < k->n; i++) {
        if (skip && skip[i])
            continue;
        const int64_t ns = az_verdict_ns(v, self ? self[i] : k->end[i] - k->start[i]);
        const struct az_row_work *is = work && k->node && k->node[i] ? &work[k->node[i] - 1] : NULL;
        const bool other = is && is->known
                               ? is->family == AZ_FAMILY_OTHER
                               : k->name[i] == AZ_NO_ID ||
                                     az_trace_class(v->t, k->name[i])->family == AZ_FAMILY_OTHER;
        p->kernels = az_add_sat(p->kernels, ns);
        p->other = az_add_sat(p->other, other ? ns : 0);
    }
    return rc;
}

static void trust(struct az_verdict *v, const struct az_counted *c)
{
    struct az_verdict_part *p = v->part;
    uint64_t most = 0;
    p->read = v->t->read;
    for (size_t i = 0; i < v->t->drops.n; i++) {
        const struct az_drop *d = &v->t->drops.v[i];
        if (d->kind != AZ_DROP_LOST)
            continue;
        p->dropped += d->count;
        if (d->count > most)
            p->drop = az_verdict_copy_text(v, d->reason);
        most = d->count > most ? d->count : most;
    }
    p->host = az_verdict_ns(v, host_span(v->t));
    p->events = c->events;
    p->unlinked = c->unlinked;
    p->linked = (v->t->caps & AZ_CAP_CALLTREE) != 0;
}

/* Time of kernels that graphs launched and whose operators are not known: one launch stands for all
 * of them (docs/graphs.md 4). */
static void hidden(struct az_verdict *v)
{
    const struct az_calltree *c = v->t->caps & AZ_CAP_CALLTREE ? az_tree(v->t) : NULL;
    const struct az_events *g = &v->t->ev[AZ_GRAPH];
    int64_t ticks = 0;
    for (size_t i = 0; i < g->n; i++)
        ticks += g->end[i] - g->start[i];
    v->part->kernels = az_add_sat(v->part->kernels, az_verdict_ns(v, ticks));
    for (uint32_t i = 0; c && i < c->n_gpu; i++) {
        const uint32_t call = c->gpu_call[i];
        if (c->gpu_kind[i] != AZ_KERNEL || call == AZ_NO_ROW || c->gpu_node[i] != call ||
            !c->graph_launch[call - c->first_call])
            continue;
        const struct az_event e = az_gpu_event(c, i);
        ticks += e.end - e.start;
    }
    v->part->hidden_ns = az_verdict_ns(v, ticks);
    if (c) {
        const struct az_capture_attach_sums *sums = &az_optrace(v->t)->grafted;
        ticks = az_add_sat(sums->kernels[AZ_PAIR_FAMILIES], sums->kernels[AZ_PAIR_UNNAMED]);
        v->part->by_order_ns = az_verdict_ns(v, az_add_sat(ticks, sums->kernels[AZ_PAIR_MARKS]));
    }
}

/* "45.0% gemm, 30.1% communication, 24.9% rest": the largest families of device time. */
static struct az_sv families(struct az_verdict *v, int64_t by[AZ_FAMILIES])
{
    struct az_arena *a = v->job->arena;
    struct az_sv text = AZ_SV("");
    int64_t part[FAMILIES + 1] = { 0 };
    enum az_family of[FAMILIES + 1];
    double whole = 0;
    size_t n = 0;
    for (; n < FAMILIES; n++) {
        size_t most = 0;
        for (size_t f = 1; f < AZ_FAMILIES; f++)
            most = by[f] > by[most] ? f : most;
        if (by[most] == 0)
            break;
        of[n] = (enum az_family)most;
        part[n] = by[most];
        by[most] = 0;
    }
    for (size_t f = 0; f < AZ_FAMILIES; f++)
        part[n] = az_add_sat(part[n], by[f]);
    for (size_t i = 0; i <= n; i++)
        whole += (double)part[i];
    for (size_t i = 0; i <= n; i++)
        if (part[i] > 0)
            text = az_arena_printf(a, "%.*s%s%.1f%% %.*s", AZ_SVF(text), text.n ? ", " : "",
                                   az_percent((double)part[i], whole),
                                   AZ_SVF(i < n ? az_family_text(of[i]) : AZ_SV("rest")));
    return text;
}

/* Formats with sums only. */
static void verdict_of_sums(struct az_verdict *v)
{
    int64_t by[AZ_FAMILIES] = { 0 };
    for (size_t i = 0; i < v->t->kernel_sums.n; i++) {
        const struct az_sum *s = &v->t->kernel_sums.v[i];
        const int64_t ns = s->total_ns > 0 ? s->total_ns : 0;
        const uint32_t name = az_job_name(v->job, v->trace, s->name);
        const enum az_family f = name == AZ_NO_ID ? AZ_FAMILY_OTHER : az_job_family(v->job, name);
        v->part->kernels = az_add_sat(v->part->kernels, ns);
        v->part->launches = az_add_sat(v->part->launches, s->count > 0 ? s->count : 0);
        by[f] = az_add_sat(by[f], ns);
    }
    for (size_t i = 0; i < v->t->mem_sums.n; i++) { /* as in the table of families */
        const struct az_sum *s = &v->t->mem_sums.v[i];
        const uint32_t name = az_job_name(v->job, v->trace, s->name);
        const bool fill = name != AZ_NO_ID && az_job_family(v->job, name) == AZ_FAMILY_FILL;
        int64_t *to = &by[fill ? AZ_FAMILY_FILL : AZ_FAMILY_COPY];
        *to = az_add_sat(*to, s->total_ns > 0 ? s->total_ns : 0);
    }
    v->part->launches =
        az_add_sat(v->part->launches, (int64_t)(v->t->ev[AZ_KERNEL].n + v->t->ev[AZ_GRAPH].n));
    v->part->names = v->t->kernel_sums.n;
    if (v->part->names)
        v->part->families = az_verdict_copy_text(v, families(v, by));
}

static int peaks_of(struct az_verdict *v)
{
    const struct az_device_facts f = az_trace_device(v->t);
    struct az_peaks p;
    bool found = false;
    const int rc = az_job_peaks(v->job, &f, &p, &found);
    v->part->peaks = az_sv_str(az_peaks_source_id(found ? p.source : AZ_PEAKS_UNKNOWN));
    if (found && p.source == AZ_PEAKS_SCALED)
        v->part->peaks_of = az_verdict_copy_text(v, p.name);
    return rc;
}

static int examine_trace(struct az_verdict *v)
{
    int rc = 0;
    const struct az_counted *c = az_job_counted(v->job, v->trace, AZ_ALL_WORK, &rc);
    if (!c)
        return rc;
    const struct az_trust *checks = az_job_trust(v->job, v->trace, &rc);
    if (!checks)
        return rc;
    memcpy(v->part->check, checks->check, sizeof v->part->check);
    v->part->captured = checks->captured;
    v->part->calls = checks->launches;
    device_name(v);
    verdict_of_sums(v);
    trust(v, c);
    rc = kernel_times(v, c);
    if (rc)
        return rc;
    hidden(v);
    if (v->t->caps & AZ_CAP_OPREPORT) {
        rc = az_verdict_operation_report(v);
    } else if (v->t->caps & AZ_CAP_TIMELINE) {
        v->accounts = az_job_accounts(v->job, v->trace, AZ_ALL_WORK, &rc);
        if (!v->accounts)
            return rc;
        rc = accounts(v);
    }
    if (rc == 0 && v->t->caps & (AZ_CAP_TIMELINE | AZ_CAP_CALLTREE))
        rc = az_verdict_steps_make(v);
    if (rc == 0 && (v->t->caps & AZ_CAP_OPREPORT))
        az_verdict_operation_steps(v);
    if (rc == 0 && (v->t->caps & AZ_CAP_PROGRAMS))
        rc = az_verdict_program_rates(v);
    return rc || v->t->caps & AZ_CAP_OPREPORT ? rc : peaks_of(v);
}

/* Of the rules for events only these apply to a report of operations, which has its own. */
static bool about_steps(const struct az_verdict_rule *r)
{
    return r->find == az_verdict_find_warm_up || r->find == az_verdict_find_jitter;
}

/* Of the device that has the most of them. The queues of an operation report are no lanes. */
static int count_streams(struct az_verdict *v)
{
    struct az_devices_of dev;
    if (v->t->caps & AZ_CAP_OPREPORT)
        return 0;
    int rc = az_devices_make(&dev, v->t, AZ_BY_DEVICE, v->job->mem);
    size_t *n = rc ? NULL : az_arena_array(v->job->arena, dev.slots.n + 1, sizeof *n);
    for (size_t i = 0; n && i < dev.slot_of_lane.n; i++) {
        const uint32_t slot = dev.slot_of_lane.v[i];
        if (slot != AZ_NO_ID && ++n[slot] > v->part->streams)
            v->part->streams = n[slot];
    }
    az_devices_release(&dev);
    return rc || n ? rc : az_arena_error(v->job->arena);
}

/* The arena gets the list itself, a copy would be as large; its first one is not a finding. */
static void hand_over(struct az_verdict_founds *found, struct az_arena *keep)
{
    _Static_assert(sizeof *found->v >= AZ_ARENA_HEAD, "what the arena overwrites");
    az_vec_trim(found);
    if (found->n)
        az_arena_adopt(keep, found->v, found->cap * sizeof *found->v);
    *found = (struct az_verdict_founds){ .v = found->n ? found->v + 1 : NULL,
                                         .n = found->n ? found->n - 1 : 0 };
}

int az_verdict_part_make(struct az_job *job, size_t trace, struct az_arena *keep, bool alone,
                         struct az_verdict_part **out)
{
    struct az_verdict v = { .job = job,
                            .trace = trace,
                            .t = job->traces[trace],
                            .keep = keep,
                            .alone = alone,
                            .bandwidth = NAN,
                            .window = { INT64_MIN, INT64_MAX } };
    v.part = az_arena_alloc(keep, sizeof *v.part);
    if (!v.part)
        return az_arena_error(keep);
    *v.part = (struct az_verdict_part){ .flops = NAN, .peak = NAN, .period = -1 };
    az_vec_init(&v.part->found, job->mem);
    int rc = az_vec_push(&v.part->found, (struct az_verdict_found){ .gain = -1 });
    if (rc == 0)
        rc = examine_trace(&v);
    if (rc == 0)
        rc = az_verdict_top_kernels(&v);
    if (rc == 0)
        rc = count_streams(&v);
    const struct az_host_ops *host = rc == 0 ? az_job_host_ops(job, trace, &rc) : NULL;
    if (host) {
        v.part->operator_ns = host->operator_ns;
        v.part->host_threads = host->threads;
    }
    for (const struct az_verdict_rule *r = az_verdict_rules; rc == 0 && r->name; r++) {
        if (!r->find || (v.t->caps & AZ_CAP_OPREPORT && !about_steps(r)))
            continue;
        if ((r->needs & ~v.t->caps) == 0)
            rc = r->find(&v);
        else
            v.part->lacking |= r->needs & ~v.t->caps;
    }
    *out = v.part;
    hand_over(&v.part->found, keep);
    return rc;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    struct az_verdict_part *p = NULL;
    const int rc = az_verdict_part_make(job, 0, keep, false, &p);
    *part = p;
    return rc;
}

struct az_verdict_ranks *az_verdict_ranks_of(struct az_job *job)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    if (slot && !*slot)
        *slot = az_arena_alloc(job->arena, sizeof(struct az_verdict_ranks));
    az_job_leave(job, slot);
    return slot ? *slot : NULL;
}

/* The parts wait until the tables of all other analyses are made. */
static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_verdict_ranks *r = az_verdict_ranks_of(job);
    if (!r)
        return az_arena_error(job->arena);
    r->ranks = ranks;
    r->part = parts;
    return 0;
}

/* ---- the part as bytes ---- */

static bool idle_valid(const void *of)
{
    return (unsigned)((const struct az_verdict_idle *)of)->cause < AZ_CAUSES;
}
static const char *rule_name(const void *rule)
{
    return ((const struct az_verdict_rule *)rule)->name;
}
static const void *rule_find(struct az_sv name) { return az_verdict_rule_of(name); }
static const struct az_shape_names rules = { rule_name, rule_find };
static bool found_valid(const void *of)
{
    const struct az_verdict_found *f = of;
    return f->rule != NULL && (unsigned)f->cause < AZ_CAUSES && (unsigned)f->advice < AZ_ADVICES;
}
static const struct az_shape_field idle_fields[] = {
    AZ_PLAIN(struct az_verdict_idle, cause),     AZ_PLAIN(struct az_verdict_idle, device),
    AZ_TEXT_OF(struct az_verdict_idle, range),   AZ_TEXT_OF(struct az_verdict_idle, frame),
    AZ_TEXT_OF(struct az_verdict_idle, call),    AZ_TEXT_OF(struct az_verdict_idle, op),
    AZ_TEXT_OF(struct az_verdict_idle, next),    AZ_PLAIN(struct az_verdict_idle, count),
    AZ_PLAIN(struct az_verdict_idle, ns),        AZ_PLAIN(struct az_verdict_idle, median),
    AZ_PLAIN(struct az_verdict_idle, longest),   AZ_PLAIN(struct az_verdict_idle, start),
    AZ_PLAIN(struct az_verdict_idle, first_use), AZ_PLAIN(struct az_verdict_idle, across),
    AZ_PLAINS(struct az_verdict_idle, in_place)
};
static const struct az_shape idle_shape =
    AZ_SHAPE_IF(struct az_verdict_idle, idle_fields, idle_valid);
static const struct az_shape_field idles_fields[] = { AZ_LIST_OF(struct az_verdict_idles, v, n,
                                                                 idle_shape) };
static const struct az_shape idles_shape = AZ_SHAPE(struct az_verdict_idles, idles_fields);
static const struct az_shape_field found_fields[] = {
    AZ_NAMED_OF(struct az_verdict_found, rule, rules),
    AZ_TEXT_OF(struct az_verdict_found, subject),
    AZ_TEXT_OF(struct az_verdict_found, detail),
    AZ_TEXT_OF(struct az_verdict_found, row),
    AZ_TEXT_OF(struct az_verdict_found, call),
    AZ_TEXT_OF(struct az_verdict_found, range),
    AZ_TEXT_OF(struct az_verdict_found, frame),
    AZ_TEXT_OF(struct az_verdict_found, operation),
    AZ_TEXT_OF(struct az_verdict_found, group),
    AZ_PLAIN(struct az_verdict_found, cause),
    AZ_PLAIN(struct az_verdict_found, advice),
    AZ_PLAIN(struct az_verdict_found, has_device),
    AZ_PLAIN(struct az_verdict_found, has_rank),
    AZ_PLAIN(struct az_verdict_found, device),
    AZ_PLAIN(struct az_verdict_found, rank),
    AZ_LIST_OF(struct az_verdict_found, ranks, n_ranks, az_shape_i64),
    AZ_PLAIN(struct az_verdict_found, groups),
    AZ_PLAIN(struct az_verdict_found, coll_kind),
    AZ_PLAIN(struct az_verdict_found, members),
    AZ_PLAIN(struct az_verdict_found, bytes),
    AZ_PLAIN(struct az_verdict_found, size_least),
    AZ_PLAIN(struct az_verdict_found, size_most),
    AZ_PLAIN(struct az_verdict_found, median),
    AZ_PLAIN(struct az_verdict_found, smallest),
    AZ_PLAIN(struct az_verdict_found, largest),
    AZ_PLAINS(struct az_verdict_found, in_place),
    AZ_PLAIN(struct az_verdict_found, first_use),
    AZ_PLAIN(struct az_verdict_found, outside_scope),
    AZ_PLAIN(struct az_verdict_found, reached),
    AZ_PLAIN(struct az_verdict_found, count),
    AZ_PLAIN(struct az_verdict_found, ns),
    AZ_PLAIN(struct az_verdict_found, gain),
    AZ_PLAIN(struct az_verdict_found, faster)
};
static const struct az_shape found_shape =
    AZ_SHAPE_IF(struct az_verdict_found, found_fields, found_valid);
static const struct az_shape_field kernel_fields[] = { AZ_TEXT_OF(struct az_verdict_kernel, name),
                                                       AZ_PLAIN(struct az_verdict_kernel, count),
                                                       AZ_PLAIN(struct az_verdict_kernel, ns),
                                                       AZ_PLAIN(struct az_verdict_kernel, blocks) };
static const struct az_shape kernel_shape = AZ_SHAPE(struct az_verdict_kernel, kernel_fields);
static bool account_valid(const void *of)
{
    const struct az_claim_account *a = of;
    return a->computing + a->exposed_communication + a->exposed_copy + a->idle == a->span;
}
static const struct az_shape_field account_fields[] = {
    AZ_PLAIN(struct az_claim_account, span),
    AZ_PLAIN(struct az_claim_account, computing),
    AZ_PLAIN(struct az_claim_account, exposed_communication),
    AZ_PLAIN(struct az_claim_account, exposed_copy),
    AZ_PLAIN(struct az_claim_account, idle),
    AZ_PLAIN(struct az_claim_account, communication),
    AZ_PLAIN(struct az_claim_account, copy)
};
static const struct az_shape account_shape =
    AZ_SHAPE_IF(struct az_claim_account, account_fields, account_valid);
static const struct az_shape_field other_fields[] = {
    AZ_NEST_OF(struct az_verdict_other, before, account_shape),
    AZ_NEST_OF(struct az_verdict_other, after, account_shape),
    AZ_NEST_OF(struct az_verdict_other, step, account_shape)
};
static const struct az_shape other_shape = AZ_SHAPE(struct az_verdict_other, other_fields);
static bool device_valid(const void *of)
{
    const struct az_verdict_device *d = of;
    return d->n_other <= 1 && (d->other || !d->n_other);
}
static const struct az_shape_field device_fields[] = {
    AZ_PLAIN(struct az_verdict_device, device), AZ_PLAIN(struct az_verdict_device, idle),
    AZ_NEST_OF(struct az_verdict_device, a, account_shape),
    AZ_LIST_OF(struct az_verdict_device, other, n_other, other_shape)
};
static const struct az_shape device_shape =
    AZ_SHAPE_IF(struct az_verdict_device, device_fields, device_valid);
static bool check_valid(const void *of)
{
    return (unsigned)((const struct az_check_result *)of)->status < AZ_CHECK_STATUSES;
}
static const struct az_shape_field check_fields[] = { AZ_PLAIN(struct az_check_result, status),
                                                      AZ_PLAIN(struct az_check_result, count),
                                                      AZ_PLAIN(struct az_check_result, of),
                                                      AZ_PLAIN(struct az_check_result, time_ns) };
static const struct az_shape check_shape =
    AZ_SHAPE_IF(struct az_check_result, check_fields, check_valid);
static bool part_valid(const void *of)
{
    return (unsigned)((const struct az_verdict_part *)of)->scope < AZ_SCOPES;
}
static const struct az_shape_field part_fields[] = {
    AZ_PLAIN(struct az_verdict_part, scope),
    AZ_LIST_OF(struct az_verdict_part, device_accounts, n_device_accounts, device_shape),
    AZ_PLAIN(struct az_verdict_part, period),
    AZ_TEXT_OF(struct az_verdict_part, source),
    AZ_TEXT_OF(struct az_verdict_part, first),
    AZ_TEXT_OF(struct az_verdict_part, excluded),
    AZ_TEXT_OF(struct az_verdict_part, excluded_phase),
    AZ_PLAIN(struct az_verdict_part, step_ns),
    AZ_PLAIN(struct az_verdict_part, repeats),
    AZ_PLAIN(struct az_verdict_part, repeat_ns),
    AZ_TEXT_OF(struct az_verdict_part, repeats_inside),
    AZ_PLAIN(struct az_verdict_part, operator_ns),
    AZ_PLAIN(struct az_verdict_part, host_threads),
    AZ_TEXT_OF(struct az_verdict_part, peaks),
    AZ_TEXT_OF(struct az_verdict_part, peaks_of),
    AZ_NESTS_OF(struct az_verdict_part, check, check_shape),
    AZ_PLAIN(struct az_verdict_part, total),
    AZ_PLAIN(struct az_verdict_part, compute),
    AZ_PLAIN(struct az_verdict_part, comm),
    AZ_PLAIN(struct az_verdict_part, copies),
    AZ_PLAIN(struct az_verdict_part, idle),
    AZ_PLAIN(struct az_verdict_part, devices),
    AZ_PLAIN(struct az_verdict_part, streams),
    AZ_TEXT_OF(struct az_verdict_part, device),
    AZ_PLAIN(struct az_verdict_part, kernels),
    AZ_PLAIN(struct az_verdict_part, launches),
    AZ_PLAIN(struct az_verdict_part, names),
    AZ_TEXT_OF(struct az_verdict_part, families),
    AZ_PLAIN(struct az_verdict_part, steps),
    AZ_PLAIN(struct az_verdict_part, flops),
    AZ_PLAIN(struct az_verdict_part, peak),
    AZ_PLAIN(struct az_verdict_part, rated),
    AZ_PLAIN(struct az_verdict_part, rateable),
    AZ_PLAIN(struct az_verdict_part, impossible_rates),
    AZ_PLAIN(struct az_verdict_part, rated_kernels),
    AZ_TEXT_OF(struct az_verdict_part, precision),
    AZ_PLAIN(struct az_verdict_part, read),
    AZ_PLAIN(struct az_verdict_part, dropped),
    AZ_PLAIN(struct az_verdict_part, events),
    AZ_PLAIN(struct az_verdict_part, unlinked),
    AZ_PLAIN(struct az_verdict_part, graphs),
    AZ_PLAIN(struct az_verdict_part, bare),
    AZ_PLAIN(struct az_verdict_part, hidden),
    AZ_PLAIN(struct az_verdict_part, captured),
    AZ_PLAIN(struct az_verdict_part, calls),
    AZ_PLAIN(struct az_verdict_part, linked),
    AZ_PLAIN(struct az_verdict_part, unlinked_ns),
    AZ_PLAIN(struct az_verdict_part, other),
    AZ_PLAIN(struct az_verdict_part, hidden_ns),
    AZ_PLAIN(struct az_verdict_part, by_order_ns),
    AZ_TEXT_OF(struct az_verdict_part, drop),
    AZ_PLAIN(struct az_verdict_part, first_runs),
    AZ_PLAIN(struct az_verdict_part, first_ns),
    AZ_PLAIN(struct az_verdict_part, suspects),
    AZ_PLAIN(struct az_verdict_part, suspect_ns),
    AZ_PLAIN(struct az_verdict_part, bad_gaps),
    AZ_PLAIN(struct az_verdict_part, operations),
    AZ_TEXT_OF(struct az_verdict_part, after),
    AZ_PLAIN(struct az_verdict_part, host),
    AZ_NEST_OF(struct az_verdict_part, idles, idles_shape),
    AZ_LIST_OF(struct az_verdict_part, top, n_top, kernel_shape),
    AZ_VEC_OF(struct az_verdict_part, found, found_shape),
    AZ_PLAIN(struct az_verdict_part, lacking)
};
static const struct az_shape part_shape =
    AZ_SHAPE_IF(struct az_verdict_part, part_fields, part_valid);

const struct az_rank_analysis az_rank_analysis_verdict = {
    .name = "verdict",
    .help = "findings by rank",
    .reduce = reduce,
    .shape = &part_shape,
    .keeps_parts = true,
    .finish = finish,
};
