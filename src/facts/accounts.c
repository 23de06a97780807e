/* The accounts of a trace: all devices pooled, each device, each step. One pass over the events
 * adds them up; where steps overlap it fills merged lists of all work for them, which are freed. */
#include "base/num.h"
#include "facts/account.h"
#include "facts/steps.h"
#include "model/dispatch.h"
#include "model/optrace.h"
#include "model/window.h"

enum { SCOPE, BEFORE, AFTER, STEP, OTHER_STEP, WINDOWS };

struct pass {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    const struct az_counted *counted;
    struct az_devices_of dev;
    enum az_population population;
    struct az_tally all, *device;   /* device: by slot; NULL with one, whose work is all */
    struct az_span window[WINDOWS]; /* the scope; before it; after it; steps in the middle */
    struct az_tally *cut;           /* by window and slot; NULL: the scope is everything */
    const struct az_steps *steps;   /* NULL or of none: `busy` is not used */
    struct az_busy busy;
    struct az_tally *step; /* of each, clipped to it; NULL: `busy` is used */
    size_t at;             /* the first step that does not end before the event */
    int64_t far[AZ_PARTS]; /* the furthest end of a part so far */
    size_t open[AZ_PARTS]; /* the first step that it does not reach the end of */
    int64_t micro;
    struct az_accounts *out;
    struct az_arena scratch; /* tallies of devices */
};

/* Time between the instances of a window is in no account. */
static void skip_between(const struct pass *p, struct az_account *a)
{
    const int64_t between = az_window_between(p->t, a->first, a->last);
    a->total -= between;
    a->idle -= between;
    a->micro = a->micro < a->idle ? a->micro : a->idle;
}

/* Steps mostly follow each other, and no list is needed to clip work to them. */
static bool are_apart(const struct az_steps *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].start > s->v[i].end || (i > 0 && s->v[i].start < s->v[i - 1].end))
            return false;
    return true;
}

static int open_steps(struct pass *p)
{
    if (!p->steps || p->steps->n == 0 || !are_apart(p->steps))
        return 0;
    p->step = az_mem_alloc(p->job->mem, p->steps->n * sizeof *p->step);
    if (!p->step)
        return az_mem_error(p->job->mem);
    for (size_t i = 0; i < p->steps->n; i++)
        az_tally_init(&p->step[i], p->micro);
    for (int part = 0; part < AZ_PARTS; part++)
        p->far[part] = INT64_MIN;
    return 0;
}

/* What only touches a step is not in it. Events come by start: of steps that an earlier one of the
 * part fills from there on, nothing is left, so that an event is added to one step more than it is
 * the first to fill. */
static void add_to_steps(struct pass *p, enum az_part part, int64_t start, int64_t end)
{
    const struct az_step *s = p->steps->v;
    const size_t n = p->steps->n;
    while (p->at < n && s[p->at].end <= start)
        p->at++;
    for (size_t i = p->at > p->open[part] ? p->at : p->open[part]; i < n && s[i].start < end; i++)
        az_tally_add(&p->step[i], part, start > s[i].start ? start : s[i].start,
                     end < s[i].end ? end : s[i].end);
    if (end > p->far[part])
        p->far[part] = end;
    while (p->open[part] < n && s[p->open[part]].end <= p->far[part])
        p->open[part]++;
}

static inline int add_one(struct pass *p, enum az_part part, uint32_t lane, int64_t start,
                          int64_t end)
{
    az_tally_add(&p->all, part, start, end);
    if (p->device)
        az_tally_add(&p->device[p->dev.slot_of_lane.v[lane]], part, start, end);
    if (p->step)
        add_to_steps(p, part, start, end);
    return p->steps && p->steps->n && !p->step ? az_busy_add(&p->busy, part, start, end) : AZ_OK;
}

static int add_rows(struct pass *p, enum az_kind kind, size_t from, size_t to)
{
    const struct az_events *e = &p->t->ev[kind];
    const uint8_t *skip = p->counted->skip[kind];
    int rc = 0;
    for (size_t row = from; rc == 0 && row < to; row++)
        if (!skip || !skip[row])
            rc = add_one(p, az_part_of(p->job, p->trace, kind, e->name[row]), e->lane[row],
                         e->start[row], e->end[row]);
    return rc;
}

/* What runs next to the work of a window makes the device busy, and is no event of it. */
static int add_with_others(struct pass *p)
{
    struct az_work_sweep s = az_work_sweep(p->job, p->trace, p->counted);
    struct az_work_event e;
    int rc = 0;
    s.with_others = true;
    while (rc == 0 && az_work_next(&s, &e)) {
        const uint32_t slot = p->dev.slot_of_lane.v[e.lane];
        if (slot == AZ_NO_ID)
            continue;
        rc = add_one(p, e.part, e.lane, e.start, e.end);
        p->all.events -= e.other;
        if (p->device)
            p->device[slot].events -= e.other;
    }
    return rc;
}

static int add_events(struct pass *p)
{
    struct az_sweep sweep = { .t = p->t };
    enum az_kind kind;
    size_t from, to;
    int rc = 0;
    if (p->t->window_others.n)
        rc = add_with_others(p);
    while (rc == 0 && !p->t->window_others.n && az_sweep_rows(&sweep, &kind, &from, &to))
        rc = add_rows(p, kind, from, to);
    return rc ? rc : az_busy_close(&p->busy);
}

/* From the first start to the last end of the processes that have them; 0 where none does. */
static int64_t process_ticks(const struct az_trace *t)
{
    const struct az_dispatches *d = t->caps & AZ_CAP_DISPATCHES ? az_dispatches(t) : NULL;
    int64_t lo = INT64_MAX, hi = INT64_MIN, ticks;
    for (size_t i = 0; d && i < d->processes.n; i++) {
        const struct az_process *x = &d->processes.v[i];
        if (x->init <= 0 || x->fini <= x->init)
            continue;
        lo = x->init < lo ? x->init : lo;
        hi = x->fini > hi ? x->fini : hi;
    }
    return hi > lo && !__builtin_mul_overflow(hi - lo, t->ticks_per_ns, &ticks) ? ticks : 0;
}

static int measure(struct pass *p)
{
    struct az_accounts *out = p->out;
    const int64_t whole = p->t->windowed ? 0 : process_ticks(p->t);
    const size_t n = p->dev.slots.n;
    out->device = az_arena_array(p->job->arena, n + 1, sizeof *out->device);
    out->devices = n;
    if (!out->device)
        return az_arena_error(p->job->arena);
    az_tally_account(&p->all, &out->all);
    skip_between(p, &out->all);
    if (out->all.events)
        az_account_extend(&out->all, whole);
    for (size_t i = 0; i < n; i++) {
        struct az_device_account d = { .device = p->dev.slots.v[i].device, .a = out->all };
        if (p->device) {
            az_tally_account(&p->device[i], &d.a);
            skip_between(p, &d.a);
            az_account_extend(&d.a, whole);
        }
        if (d.a.events)
            out->device[out->n_devices++] = d;
    }
    return 0;
}

/* ---- the scope of the verdict ---- */
#define IDLE_PART 100 /* of the busiest device's time: a device with less is idle */

/* Of ranks merged into one file: the lanes' number of a slot's rank; 0: there is one rank. */
static uint32_t rank_of_slot(const struct pass *p, size_t slot)
{
    const struct az_vec_u32 *scopes =
        p->t->caps & AZ_CAP_CALLTREE ? &az_optrace(p->t)->lane_scopes : NULL;
    for (size_t i = 0; scopes && i < scopes->n; i++)
        if (p->dev.slot_of_lane.v[i] == slot)
            return scopes->v[i];
    return 0;
}

/* Without steps each rank has a window of its own: that of the devices of one process. */
static struct az_span own_window(const struct pass *p, size_t slot)
{
    const struct az_accounts *out = p->out;
    const uint32_t rank = rank_of_slot(p, slot);
    struct az_span w = { INT64_MAX, INT64_MIN };
    for (size_t i = 0, n = 0; i < p->dev.slots.n; i++) {
        if (p->device && p->device[i].events == 0)
            continue;
        const struct az_account *a = &out->device[n].a;
        const bool counts = !out->idle[n++] && rank_of_slot(p, i) == rank;
        w.start = counts && a->first < w.start ? a->first : w.start;
        w.end = counts && a->last > w.end ? a->last : w.end;
    }
    return w.start <= w.end ? w : p->window[SCOPE];
}

/* All devices share the windows, but for those of ranks merged into one file. */
static void window_accounts(const struct pass *p, int w, struct az_device_account *out)
{
    size_t n = 0;
    for (size_t i = 0; i < p->dev.slots.n; i++) {
        struct az_account a;
        if (p->device && p->device[i].events == 0)
            continue;
        if (p->cut)
            az_tally_account(&p->cut[(size_t)w * p->dev.slots.n + i], &a);
        else
            az_tally_account(p->device ? &p->device[i] : &p->all, &a);
        const bool own = w == SCOPE && !p->out->by_steps && rank_of_slot(p, i);
        const struct az_span window = own ? own_window(p, i) : p->window[w];
        a.first = window.start;
        a.last = window.end;
        a.total = a.last - a.first - az_window_between(p->t, a.first, a.last);
        a.idle = a.total - a.busy;
        out[n++] = (struct az_device_account){ p->dev.slots.v[i].device, a };
    }
}

/* Marks idle devices; true if that changed. */
static bool mark_idle(struct az_accounts *out)
{
    int64_t most = 0;
    bool changed = false;
    for (size_t i = 0; i < out->n_devices; i++) {
        const int64_t busy = az_account_in_scope(out, i).busy;
        most = busy > most ? busy : most;
    }
    for (size_t i = 0; i < out->n_devices; i++) {
        const int64_t busy = az_account_in_scope(out, i).busy;
        const bool idle = (double)busy * IDLE_PART < (double)most;
        changed |= idle != out->idle[i];
        out->idle[i] = idle;
    }
    return changed;
}

/* Slots whose devices have a part in the choice of the window. */
static uint8_t *counted_slots(struct pass *p)
{
    uint8_t *counts = az_arena_array(p->job->arena, p->dev.slots.n + 1, 1);
    size_t n = 0;
    for (size_t i = 0; counts && i < p->dev.slots.n; i++) {
        const bool works = !p->device || p->device[i].events > 0;
        counts[i] = works && !p->out->idle[n];
        n += works;
    }
    return counts;
}

/* The window of the steps, for the devices that are not idle; by_steps: there is one. */
static int choose_window(struct pass *p)
{
    uint8_t *counts = counted_slots(p);
    if (!counts)
        return az_arena_error(p->job->arena);
    const int rc = az_job_steps_scope(p->job, p->trace, counts, &p->window[SCOPE]);
    p->out->by_steps = rc == 0 && p->window[SCOPE].start <= p->window[SCOPE].end;
    return rc;
}

/* Without steps: from the first start to the last end of the devices that are not idle. */
static void whole_window(struct pass *p)
{
    const struct az_accounts *out = p->out;
    struct az_span *w = &p->window[SCOPE];
    *w = (struct az_span){ INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < out->n_devices; i++) {
        const struct az_account *a = &out->device[i].a;
        if (out->idle[i])
            continue;
        w->start = a->first < w->start ? a->first : w->start;
        w->end = a->last > w->end ? a->last : w->end;
    }
}

static void cut_to_windows(struct pass *p, const struct az_work_event *e)
{
    const size_t slots = p->dev.slots.n, slot = p->dev.slot_of_lane.v[e->lane];
    for (size_t w = 0; w < WINDOWS; w++) {
        const struct az_span *x = &p->window[w];
        const int64_t start = e->start > x->start ? e->start : x->start;
        const int64_t end = e->end < x->end ? e->end : x->end;
        if (start < end)
            az_tally_add(&p->cut[w * slots + slot], e->part, start, end);
    }
}

static bool is_windowed(const struct pass *p) { return p->job->traces[p->trace]->windowed; }

/* The median step, as the mean of two; false: there is none. A step that is alone in a window has
 * no distance to another: it is its own device work, next to parts of others. */
static bool find_median_step(const struct pass *p, struct az_span step[2])
{
    const struct az_steps *s = p->steps;
    const bool windowed = is_windowed(p);
    if (!s || s->n == 0 || (!p->out->by_steps && !windowed))
        return false;
    if (s->period >= 0) {
        memcpy(step, s->middle, sizeof s->middle);
        return true;
    }
    step[0] = step[1] = s->scope;
    return windowed && s->n == s->excluded + 1 && s->scope.end > s->scope.start;
}

static int sweep_windows(struct pass *p)
{
    struct az_work_sweep s = az_work_sweep(p->job, p->trace, p->counted);
    const size_t n = WINDOWS * p->dev.slots.n;
    struct az_work_event e;
    p->window[BEFORE] = (struct az_span){ p->out->all.first, p->window[SCOPE].start };
    p->window[AFTER] = (struct az_span){ p->window[SCOPE].end, p->out->all.last };
    if (!find_median_step(p, &p->window[STEP]))
        p->window[STEP] = p->window[OTHER_STEP] = (struct az_span){ 0, 0 };
    if (!p->cut)
        p->cut = az_arena_array(&p->scratch, n + 1, sizeof *p->cut);
    if (!p->cut)
        return az_arena_error(&p->scratch);
    for (size_t i = 0; i < n; i++)
        az_tally_init(&p->cut[i], p->micro);
    s.with_others = true;
    while (az_work_next(&s, &e))
        if (p->dev.slot_of_lane.v[e.lane] != AZ_NO_ID)
            cut_to_windows(p, &e);
    return 0;
}

static struct az_device_account *accounts_of_devices(const struct pass *p)
{
    return az_arena_array(p->job->arena, p->out->n_devices + 1, sizeof *p->out->scoped);
}

static int measure_window(const struct pass *p, int window, struct az_device_account **out)
{
    *out = accounts_of_devices(p);
    if (!*out)
        return az_arena_error(p->job->arena);
    window_accounts(p, window, *out);
    return 0;
}

/* Does the account of a device in the scope differ from that of the recording by more than the
 * window that all share? */
static bool has_own_account(const struct pass *p)
{
    const bool merged = (p->t->caps & AZ_CAP_CALLTREE) && az_optrace(p->t)->lane_scopes.n;
    return p->cut || merged || p->t->windowed || !p->device;
}

static int account_scope(const struct pass *p)
{
    struct az_accounts *out = p->out;
    out->window = p->window[SCOPE];
    if (!has_own_account(p))
        return 0;
    if (!out->scoped)
        out->scoped = accounts_of_devices(p);
    if (!out->scoped)
        return az_arena_error(p->job->arena);
    window_accounts(p, SCOPE, out->scoped);
    return 0;
}

/* Idle devices are known when the time in the window is, and the window when they are: a few
 * rounds, mostly one. */
static int measure_scope(struct pass *p)
{
    enum { ROUNDS = 3 };
    struct az_accounts *out = p->out;
    struct az_span step[2];
    int rc = 0;
    out->idle = az_arena_array(p->job->arena, out->n_devices + 1, sizeof *out->idle);
    if (!out->idle)
        return az_arena_error(p->job->arena);
    for (int round = 0; rc == 0 && round < ROUNDS; round++) {
        rc = p->steps && p->steps->n && !is_windowed(p) ? choose_window(p) : 0;
        if (rc == 0 && !out->by_steps)
            whole_window(p);
        if (rc == 0 && (out->by_steps || round > 0 || find_median_step(p, step)))
            rc = sweep_windows(p);
        if (rc == 0)
            rc = account_scope(p);
        if (rc)
            return rc;
        if (!mark_idle(out))
            break;
    }
    if (p->cut)
        rc = measure_window(p, BEFORE, &out->before);
    if (rc == 0 && p->cut)
        rc = measure_window(p, AFTER, &out->after);
    if (find_median_step(p, out->median)) {
        if (rc == 0)
            rc = measure_window(p, STEP, &out->median_step);
        if (rc == 0)
            rc = measure_window(p, OTHER_STEP, &out->other_median_step);
    }
    return rc;
}

/* ---- steps ---- */
static void measure_step(const struct pass *p, size_t i, struct az_account *out)
{
    const struct az_span window = { p->steps->v[i].start, p->steps->v[i].end };
    if (!p->step) {
        az_account_of(&p->busy, &window, p->micro, out);
        return;
    }
    az_tally_account(&p->step[i], out);
    out->events = p->all.events;
    out->first = window.start;
    out->last = window.end;
    out->total = window.end - window.start;
    out->idle = out->total - out->busy;
}

/* Steps that overlap a lot have most work in many of them. */
static int index_steps(struct pass *p)
{
    enum { DEEP = 4 };
    const struct az_steps *s = p->steps;
    const int64_t span = p->out->all.last - p->out->all.first;
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += (double)(s->v[i].end - s->v[i].start);
    return !p->step && sum > DEEP * (double)span ? az_busy_index(&p->busy, p->micro) : 0;
}

static int steps(struct pass *p)
{
    const struct az_steps *s = p->steps;
    if (!s || s->n == 0)
        return 0;
    p->out->step = az_arena_array(p->job->arena, s->n, sizeof *p->out->step);
    if (!p->out->step)
        return az_arena_error(p->job->arena);
    const int rc = index_steps(p);
    if (rc)
        return rc;
    for (size_t i = 0; i < s->n; i++) {
        p->out->step[i].name = s->v[i].name;
        measure_step(p, i, &p->out->step[i].a);
    }
    p->out->n_steps = s->n;
    return 0;
}

static int make_accounts(struct pass *p)
{
    if (p->dev.slots.n > 1) {
        p->device = az_arena_array(&p->scratch, p->dev.slots.n, sizeof *p->device);
        if (!p->device)
            return az_arena_error(&p->scratch);
        for (size_t i = 0; i < p->dev.slots.n; i++)
            az_tally_init(&p->device[i], p->micro);
    }
    int rc = 0;
    if (p->counted->events) /* without device work steps have no account */
        p->steps = az_job_steps(p->job, p->trace, &rc);
    if (rc == 0)
        rc = open_steps(p);
    if (rc == 0)
        rc = add_events(p);
    if (rc == 0)
        rc = measure(p);
    if (rc == 0)
        rc = steps(p);
    if (rc == 0 && p->population == AZ_ALL_WORK)
        rc = measure_scope(p);
    if (p->steps)
        az_mem_free(p->job->mem, p->step, p->steps->n * sizeof *p->step);
    return rc;
}

static int make_one(struct az_job *job, size_t trace, enum az_population population,
                    struct az_accounts *out)
{
    struct pass p = {
        .job = job, .trace = trace, .t = job->traces[trace], .population = population, .out = out
    };
    if (job->opts->micro_idle_us != AZ_UNSET_I64)
        p.micro = az_muldiv(job->opts->micro_idle_us, 1000 * p.t->ticks_per_ns, 1);
    int rc;
    p.counted = az_job_counted(job, trace, population, &rc);
    if (!p.counted)
        return rc;
    az_tally_init(&p.all, p.micro);
    az_busy_init(&p.busy, job->mem);
    az_arena_init(&p.scratch, job->mem);
    rc = az_devices_make(&p.dev, p.t, AZ_BY_DEVICE, job->mem);
    if (rc == 0)
        rc = make_accounts(&p);
    az_devices_release(&p.dev);
    az_busy_release(&p.busy);
    az_arena_release(&p.scratch);
    return rc;
}

/* A list of facts, one a trace. */
static void **of_traces(struct az_job *job, void **slot, int *rc)
{
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    *rc = slot && *slot ? 0 : az_arena_error(job->arena);
    return slot ? *slot : NULL;
}

/* Both populations are one where everything counts. */
static enum az_population which(const struct az_job *job, enum az_population p)
{
    return az_tables_count_unlinked(job->opts) ? AZ_ALL_WORK : p;
}

const struct az_accounts *az_job_accounts(struct az_job *job, size_t trace, enum az_population p,
                                          int *rc)
{
    static const char what[AZ_POPULATIONS];
    p = which(job, p);
    void **slot = az_job_slot(job, &what[p]), **of = of_traces(job, slot, rc);
    if (of && !of[trace]) {
        struct az_accounts *a = az_arena_alloc(job->arena, sizeof *a);
        *rc = a ? make_one(job, trace, p, a) : az_arena_error(job->arena);
        of[trace] = *rc ? NULL : a;
    }
    const struct az_accounts *made = of ? of[trace] : NULL;
    az_job_leave(job, slot);
    return made;
}

/* ---- events that count ---- */
static int count(struct az_job *job, size_t trace, enum az_population p, struct az_counted *c)
{
    static const enum az_kind work[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET, AZ_GRAPH };
    const struct az_trace *t = job->traces[trace];
    const struct az_calltree *tree = t->caps & AZ_CAP_CALLTREE ? az_tree(t) : NULL;
    for (size_t k = 0; k < AZ_LENGTH(work); k++)
        c->events += t->ev[work[k]].n;
    for (uint32_t g = 0; tree && g < tree->n_gpu; g++) {
        const enum az_kind kind = tree->gpu_kind[g];
        if (tree->gpu_call[g] != AZ_NO_ROW)
            continue;
        c->unlinked++;
        if (p == AZ_ALL_WORK)
            continue;
        if (!c->skip[kind] && !(c->skip[kind] = az_arena_array(job->arena, t->ev[kind].n + 1, 1)))
            return az_arena_error(job->arena);
        c->skip[kind][tree->gpu_row[g]] = 1;
    }
    return 0;
}

const struct az_counted *az_job_counted(struct az_job *job, size_t trace, enum az_population p,
                                        int *rc)
{
    static const char what[AZ_POPULATIONS];
    p = which(job, p);
    void **slot = az_job_slot(job, &what[p]), **of = of_traces(job, slot, rc);
    if (of && !of[trace]) {
        struct az_counted *c = az_arena_alloc(job->arena, sizeof *c);
        *rc = c ? count(job, trace, p, c) : az_arena_error(job->arena);
        of[trace] = *rc ? NULL : c;
    }
    const struct az_counted *made = of ? of[trace] : NULL;
    az_job_leave(job, slot);
    return made;
}

static bool next_event(struct az_work_sweep *s, struct az_work_event *out)
{
    uint32_t op;
    while (az_sweep_next(&s->at, &op)) {
        const enum az_kind kind = az_op_kind(op);
        const struct az_events *e = &s->at.t->ev[kind];
        const uint32_t row = az_op_row(op);
        if (s->counted->skip[kind] && s->counted->skip[kind][row])
            continue;
        *out = (struct az_work_event){
            .start = e->start[row],
            .end = e->end[row],
            .name = e->name[row],
            .lane = e->lane[row],
            .part = az_part_of(s->job, s->trace, kind, e->name[row]),
            .kind = kind,
        };
        return true;
    }
    return false;
}

bool az_work_next(struct az_work_sweep *s, struct az_work_event *out)
{
    const struct az_other_works *others = &s->at.t->window_others;
    if (!s->held && (!s->with_others || s->other >= others->n))
        return next_event(s, out);
    if (!s->held)
        s->held = next_event(s, &s->next);
    if (s->other < others->n && (!s->held || others->v[s->other].start < s->next.start)) {
        const struct az_other_work *x = &others->v[s->other++];
        const enum az_kind kind = (enum az_kind)x->kind;
        *out = (struct az_work_event){
            x->start, x->end, x->name, x->lane, az_part_of(s->job, s->trace, kind, x->name),
            kind,     true
        };
        return true;
    }
    *out = s->next;
    const bool any = s->held;
    s->held = false;
    return any;
}
