/* Rules about who is slower than it could be by what the others show: clock_drop, device_imbalance;
 * and recompute (docs/verdict.md 3.6). */
#include <math.h>

#include "analyses/verdict/verdict.h"
#include "base/num.h"
#include "facts/lazy_cache.h"
#include "model/optrace.h"

#define DROP  1.05 /* times slower in the second half */
#define MOST  0.80 /* of the time, in kernels that are slower */
#define EACH  8    /* of a kernel */
#define LEAST 0.5  /* of the kernel time, in kernels that can be compared */
#define CLOCK 2.0  /* no clock falls further than by this factor while a program runs */
#define GROWN 1.1  /* larger copies in the second half: another size of the problem */

struct key { /* kernels of one name and shape, by start */
    int64_t count, seen;
    int64_t early, n_early; /* ticks of the first third of them: their undisturbed duration */
    int64_t second, n_second, worst; /* worst: the longest of them, which may be disturbed */
    int64_t rest, n_rest;            /* after the first third */
};
AZ_VEC(struct key, keys);

struct last { /* kernel of a name */
    uint64_t shape;
    uint32_t key; /* + 1; 0: there was none */
    uint8_t work; /* enum az_work of the name + 1; 0: not computed */
};

/* What kernels of one name differ by: the arguments of their operator, else their grid. */
static uint64_t shape_of(const struct az_verdict *v, const struct az_link *link, size_t i)
{
    const struct az_events *k = &v->t->ev[AZ_KERNEL];
    const uint32_t call = link->call[AZ_KERNEL] ? link->call[AZ_KERNEL][i] : AZ_NO_ROW;
    if (k->geo && k->geo[i])
        return k->geo[i];
    if (call == AZ_NO_ROW || !(v->t->caps & AZ_CAP_CALLTREE))
        return 0;
    const struct az_calltree *c = az_tree(v->t);
    const uint32_t op = az_node_op(c, c->first_call + call);
    const uint32_t side = op == AZ_NO_ROW ? AZ_NO_ROW : az_op_side(v->t, op);
    return side == AZ_NO_ROW ? 0 : 1 + (uint64_t)az_optrace(v->t)->ops.v[side].args;
}

static bool computes(const struct az_verdict *v, uint32_t name, struct last *l)
{
    if (!l->work)
        l->work = (uint8_t)(1 + az_trace_work(v->t, AZ_KERNEL, name));
    return l->work == 1 + AZ_WORK_COMPUTE;
}

/* The key of each kernel; AZ_NO_ID: not compared. last: by name. */
static int number_by(struct az_verdict *v, struct keys *keys, struct az_map *index,
                     struct last *last, uint32_t *of)
{
    const struct az_events *k = &v->t->ev[AZ_KERNEL];
    int rc = 0;
    const struct az_link *link = az_job_link(v->job, v->trace, &rc);
    for (size_t i = 0; link && rc == 0 && i < k->n; i++) {
        uint32_t *at;
        bool added;
        of[i] = AZ_NO_ID;
        if (k->name[i] == AZ_NO_ID || !az_verdict_in_scope(v, k->start[i]) ||
            !computes(v, k->name[i], &last[k->name[i]]))
            continue;
        struct last *l = &last[k->name[i]];
        const uint64_t shape = shape_of(v, link, i);
        if (!l->key || l->shape != shape) {
            rc = az_map_put(index, k->name[i], shape, (uint32_t)keys->n, &at, &added);
            if (rc == 0 && added)
                rc = az_vec_push(keys, ((struct key){ 0 }));
            if (rc)
                break;
            l->key = *at + 1;
            l->shape = shape;
        }
        of[i] = l->key - 1;
        keys->v[of[i]].count++;
    }
    return rc;
}

static int number(struct az_verdict *v, struct keys *keys, uint32_t *of)
{
    const size_t bytes = (v->t->names.text.n + 1) * sizeof(struct last);
    struct last *last = az_mem_alloc(v->job->mem, bytes);
    struct az_map index;
    int rc = 0;
    az_map_init(&index, v->job->mem, 256);
    if (!last)
        rc = az_mem_error(v->job->mem);
    if (rc == 0) {
        memset(last, 0, bytes);
        rc = number_by(v, keys, &index, last, of);
    }
    az_map_release(&index);
    az_mem_free(v->job->mem, last, bytes);
    return rc;
}

static void add_up(struct az_verdict *v, struct keys *keys, const uint32_t *of)
{
    const struct az_events *e = &v->t->ev[AZ_KERNEL];
    for (size_t i = 0; i < e->n; i++) {
        if (of[i] == AZ_NO_ID)
            continue;
        struct key *k = &keys->v[of[i]];
        const int64_t ticks = e->end[i] - e->start[i], place = k->seen++;
        if (3 * place < k->count) {
            k->early += ticks;
            k->n_early++;
        } else {
            k->rest += ticks;
            k->n_rest++;
        }
        if (2 * place >= k->count) {
            k->second += ticks;
            k->n_second++;
            k->worst = ticks > k->worst ? ticks : k->worst;
        }
    }
}

/* Are the largest copies of the second half of the scope larger than those of the first? Kernels of
 * one grid then do not do equal work: the program sweeps sizes. */
static bool sizes_grow(const struct az_verdict *v)
{
    const struct az_events *e = &v->t->ev[AZ_MEMCPY];
    const struct az_span *scope = &v->accounts->window;
    const int64_t middle = scope->start + (scope->end - scope->start) / 2;
    int64_t most[2] = { 0, 0 };
    for (size_t i = 0; i < e->n; i++) {
        const struct az_copy *c =
            e->side && e->side[i] != AZ_NO_ROW ? &v->t->copies.v[e->side[i]] : NULL;
        if (!c || c->migration || !az_verdict_in_scope(v, e->start[i]))
            continue;
        int64_t *m = &most[e->start[i] >= middle];
        *m = c->bytes > *m ? c->bytes : *m;
    }
    return most[0] > 0 && (double)most[1] > GROWN * (double)most[0];
}

static int tell_drop(struct az_verdict *v, const struct keys *keys)
{
    double later = 0, as_before = 0, slower = 0, all = 0, gain = 0;
    int64_t count = 0;
    for (size_t i = 0; i < keys->n; i++) {
        const struct key *k = &keys->v[i];
        all += (double)k->second;
        if (k->count < EACH)
            continue;
        const double each = (double)k->early / (double)k->n_early;
        const double before = each * (double)(k->n_second - 1),
                     after = (double)(k->second - k->worst);
        later += after;
        as_before += before;
        slower += after > (1 + (DROP - 1) / 2) * before ? after : 0;
        gain += (double)k->rest - each * (double)k->n_rest;
        count += k->n_second;
    }
    if (later <= LEAST * all || later < DROP * as_before || later > CLOCK * as_before ||
        slower < MOST * later || sizes_grow(v))
        return 0;
    v->drop = true;
    const struct az_verdict_found f = { .subject = AZ_SV("equal work in the second half"),
                                        .detail = az_arena_printf(
                                            v->job->arena, ", %.2fx the time of the first third",
                                            later / as_before),
                                        .row = AZ_SV(""),
                                        .count = count,
                                        .ns = az_verdict_ns(v, llround(later)),
                                        .gain = az_verdict_ns(v, llround(gain)) };
    return az_verdict_add(v, "clock_drop", &f);
}

int az_verdict_find_clock(struct az_verdict *v)
{
    struct keys keys;
    const size_t bytes = (v->t->ev[AZ_KERNEL].n + 1) * sizeof(uint32_t);
    uint32_t *of = v->accounts ? az_mem_alloc(v->job->mem, bytes) : NULL;
    if (!of)
        return v->accounts ? az_mem_error(v->job->mem) : 0;
    az_vec_init(&keys, v->job->mem);
    int rc = number(v, &keys, of);
    if (rc == 0) {
        add_up(v, &keys, of);
        rc = tell_drop(v, &keys);
    }
    az_vec_release(&keys);
    az_mem_free(v->job->mem, of, bytes);
    return rc;
}

/* ---- device_imbalance ---- */
#define ALIKE 50 /* part of the collectives by which devices differ at most */
#define APART 50 /* part of the window by which the slowest device is apart at least */

/* Time of a device that the others wait for: what it computes, or all but its communication. */
typedef int64_t device_time(const struct az_account *a);
static int64_t computing(const struct az_account *a) { return a->compute; }
static int64_t not_communicating(const struct az_account *a) { return a->total - a->exposed_comm; }

/* Devices that have a part in the account: the slowest, and how the others do. */
struct devices {
    size_t slow; /* index; n_devices: there is none */
    struct az_account of_slow;
    device_time *time;
    int64_t n, next, least, all; /* next: longest of the others */
};

static struct devices compare_devices(const struct az_accounts *a, device_time *time)
{
    struct devices d = {
        .slow = a->n_devices, .time = time, .next = INT64_MIN, .least = INT64_MAX
    };
    for (size_t i = 0; i < a->n_devices; i++) {
        const struct az_account x = az_account_in_scope(a, i);
        if (!a->idle[i] && (d.slow == a->n_devices || time(&x) > time(&d.of_slow))) {
            d.slow = i;
            d.of_slow = x;
        }
    }
    for (size_t i = 0; i < a->n_devices; i++) {
        const struct az_account x = az_account_in_scope(a, i);
        const int64_t ticks = time(&x);
        if (a->idle[i])
            continue;
        d.n++;
        d.all += ticks;
        if (i == d.slow)
            continue;
        d.next = ticks > d.next ? ticks : d.next;
        d.least = ticks < d.least ? ticks : d.least;
    }
    return d;
}

/* One device is apart from the others by more than they are from each other. */
static bool is_apart(const struct devices *d)
{
    const int64_t apart = d->n < 2 ? 0 : d->time(&d->of_slow) - d->next;
    return apart > 0 && apart > d->next - d->least && APART * apart >= d->of_slow.total;
}

/* What one of the others waits longer, on average: no more than the slowest is longer. */
static int64_t mean_wait(const struct az_accounts *a, const struct devices *d)
{
    const struct az_account *s = &d->of_slow;
    int64_t waits = 0;
    for (size_t i = 0; i < a->n_devices; i++) {
        const struct az_account o = az_account_in_scope(a, i);
        if (a->idle[i] || i == d->slow)
            continue;
        const int64_t more = o.exposed_comm - s->exposed_comm, less = d->time(s) - d->time(&o);
        waits += more < less ? more : less;
    }
    return waits / (d->n - 1);
}

/* Do the devices that count communicate equally often? */
static int communicate_alike(struct az_verdict *v, bool *same)
{
    const struct az_events *e = &v->t->ev[AZ_KERNEL];
    struct az_devices_of dev;
    int64_t least = INT64_MAX, most = 0;
    int rc = az_devices_make(&dev, v->t, AZ_BY_DEVICE, v->job->mem);
    int64_t *count = az_arena_array(v->job->arena, dev.slots.n + 1, sizeof *count);
    if (rc == 0 && !count)
        rc = az_arena_error(v->job->arena);
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        if (az_verdict_in_scope(v, e->start[i]) &&
            az_part_of(v->job, v->trace, AZ_KERNEL, e->name[i]) == AZ_PART_COMM)
            count[dev.slot_of_lane.v[e->lane[i]]]++;
    for (size_t k = 0; rc == 0 && k < dev.slots.n; k++)
        for (size_t i = 0; i < v->accounts->n_devices; i++)
            if (v->accounts->device[i].device == dev.slots.v[k].device && !v->accounts->idle[i]) {
                least = count[k] < least ? count[k] : least;
                most = count[k] > most ? count[k] : most;
            }
    az_devices_release(&dev);
    *same = least > 0 && ALIKE * (most - least) <= most;
    return rc;
}

static int put_imbalance(struct az_verdict *v, const struct devices *d)
{
    const bool computes = d->time == computing;
    const int64_t wait = mean_wait(v->accounts, d);
    const double mean = (double)d->all / (double)d->n, time = (double)d->time(&d->of_slow);
    if (wait <= 0)
        return 0;
    const struct az_verdict_found f = {
        .subject = az_arena_printf(v->job->arena, "other devices wait for device %lld",
                                   (long long)v->accounts->device[d->slow].device),
        .detail = computes
                      ? az_arena_printf(v->job->arena, ", %.1f%% more compute time than the mean",
                                        100 * (time / mean - 1))
                      : AZ_SV(", last to arrive at collectives"),
        .row = AZ_SV(""),
        .advice = computes ? AZ_ADVICE_NONE : AZ_ADVICE_FIX_STRAGGLER,
        .has_device = true,
        .device = v->accounts->device[d->slow].device,
        .count = d->n - 1,
        .ns = az_verdict_ns(v, wait * (d->n - 1)),
        .gain = az_verdict_ns(v, wait * d->n) /* a step of each device ends so much earlier */
    };
    return az_verdict_add(v, "device_imbalance", &f);
}

/* Who computes longest is waited for in communication by the others; else who has least of it, for
 * whatever reason, where all participate equally often. */
int az_verdict_find_imbalance(struct az_verdict *v)
{
    const struct az_accounts *a = v->accounts;
    bool same = false;
    if (!a || a->n_devices < 2 || a->all.comm == 0)
        return 0;
    struct devices d = compare_devices(a, computing);
    if (is_apart(&d) && mean_wait(a, &d) > 0)
        return put_imbalance(v, &d);
    d = compare_devices(a, not_communicating);
    const int rc = is_apart(&d) ? communicate_alike(v, &same) : 0;
    return rc || !same ? rc : put_imbalance(v, &d);
}

/* Device events below a node that belong to no backward pass of their own. */
static void forward_below(const struct az_calltree *c, uint32_t node, struct az_verdict_found *f)
{
    uint32_t first, end;
    az_node_gpu(c, node, &first, &end);
    for (; first < end; first++) {
        const uint32_t gpu = c->linked[first];
        uint32_t up = c->gpu_call[gpu];
        while (up != node && up != AZ_NO_ROW &&
               !(up < c->first_call &&
                 az_sv_starts(az_node_name(c, up), AZ_SV("autograd::engine::evaluate_function"))))
            up = c->parent[up];
        if (up != node)
            continue;
        const struct az_event e = az_gpu_event(c, gpu);
        f->count++;
        f->gain += e.end - e.start;
    }
}

int az_verdict_find_recompute(struct az_verdict *v)
{
    const struct az_calltree *c = az_tree(v->t);
    struct az_verdict_found f = { .subject = AZ_SV("operators recomputed in the backward pass"),
                                  .detail = AZ_SV(" (activation checkpointing)"),
                                  .row = AZ_SV("CheckpointFunctionBackward") };
    const uint32_t id = az_intern_find(&v->t->names, AZ_SV("CheckpointFunctionBackward"));
    const struct az_events *o = &v->t->ev[AZ_HOST_OP];
    for (uint32_t n = 0; id != AZ_NO_ID && n < c->first_call; n++)
        if (o->name[n] == id)
            forward_below(c, n, &f);
    f.ns = f.gain = az_verdict_ns(v, f.gain);
    return f.gain > 0 ? az_verdict_add(v, "recompute", &f) : 0;
}
