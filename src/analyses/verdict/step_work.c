/* Table `step_work`: device work of the median step by name, the step that comparisons are about.
 * Of two steps in the middle it is the mean. Times are sums over the devices that count, divided by
 * their number, so that they are parts of the account of that step. */
#include "analyses/verdict/verdict.h"
#include "base/num.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/families.h"
#include "facts/lazy_cache.h"

struct sum { /* of one name and kind */
    uint32_t name;
    enum az_kind kind;
    int64_t count, ticks; /* of all steps */
};
AZ_VEC(struct sum, sums);

struct work {
    struct az_job *job;
    struct az_arena scratch;
    const struct az_trace *t;
    const struct az_accounts *accounts;
    struct az_span step[2];
    size_t steps; /* 1: both are one */
    struct az_devices_of dev;
    bool *counts;                   /* by slot: the device has a part in the account */
    uint32_t *index[AZ_KIND_COUNT]; /* name -> number of its sum + 1; NULL: none of that kind */
    struct sums sums;
    uint8_t *of_row; /* name -> family of its row + 1; NULL: the names decide */
};

static int find_devices(struct work *w)
{
    const struct az_accounts *a = w->accounts;
    const size_t n = w->dev.slots.n;
    w->counts = az_arena_array(&w->scratch, n + 1, sizeof *w->counts);
    for (size_t i = 0; w->counts && i < n; i++) {
        const size_t device = az_accounts_device(a, w->dev.slots.v[i].device);
        w->counts[i] = device < a->n_devices && !a->idle[device];
    }
    return w->counts ? 0 : az_arena_error(&w->scratch);
}

static int sum_of(struct work *w, enum az_kind kind, uint32_t name, struct sum **out)
{
    uint32_t **const index = &w->index[kind];
    if (!*index)
        *index = az_arena_array(&w->scratch, w->t->names.text.n, sizeof **index);
    if (!*index)
        return az_arena_error(&w->scratch);
    uint32_t *at = &(*index)[name];
    if (!*at) {
        const int rc = az_vec_push(&w->sums, ((struct sum){ .name = name, .kind = kind }));
        if (rc)
            return rc;
        *at = (uint32_t)w->sums.n;
    }
    *out = &w->sums.v[*at - 1];
    return 0;
}

static int add_event(struct work *w, enum az_kind kind, size_t row)
{
    const struct az_events *e = &w->t->ev[kind];
    const int64_t start = e->start[row], end = e->end[row];
    int64_t ticks = 0, starts = 0;
    for (size_t k = 0; k < w->steps; k++) {
        const struct az_span *step = &w->step[k];
        const int64_t lo = start > step->start ? start : step->start,
                      hi = end < step->end ? end : step->end;
        ticks += hi > lo ? hi - lo : 0;
        starts += start >= step->start && start < step->end;
    }
    if (ticks == 0 || e->name[row] == AZ_NO_ID || !w->counts[w->dev.slot_of_lane.v[e->lane[row]]])
        return 0;
    struct sum *s = NULL;
    const int rc = sum_of(w, kind, e->name[row], &s);
    if (rc)
        return rc;
    s->ticks += ticks;
    s->count += starts;
    return 0;
}

static int gather(struct work *w)
{
    int rc;
    const struct az_counted *c = az_job_counted(w->job, 0, AZ_ALL_WORK, &rc);
    if (!c)
        return rc;
    const struct az_span *a = &w->step[0], *b = &w->step[1];
    const int64_t from = a->start < b->start ? a->start : b->start,
                  until = a->end > b->end ? a->end : b->end;
    struct az_sweep s = { .t = w->t };
    enum az_kind kind;
    size_t row, to;
    rc = find_devices(w);
    while (rc == 0 && az_sweep_rows(&s, &kind, &row, &to)) {
        const struct az_events *e = &w->t->ev[kind];
        const uint8_t *skip = c->skip[kind];
        if (e->start[row] >= until)
            break;
        for (; rc == 0 && row < to; row++)
            if (e->end[row] > from && !(skip && skip[row]))
                rc = add_event(w, kind, row);
    }
    return rc;
}

static int longest_first(const void *x, const void *y, void *ctx)
{
    const struct sum *a = x, *b = y;
    const struct work *w = ctx;
    if (a->ticks != b->ticks)
        return a->ticks > b->ticks ? -1 : 1;
    return a->name != b->name
               ? az_sv_cmp(az_trace_text(w->t, a->name), az_trace_text(w->t, b->name))
               : (int)a->kind - (int)b->kind;
}

/* The operations of compiled programs have the family of their row, as in `time_by_family`. */
static int find_rows(struct work *w)
{
    const struct az_events *ev = &w->t->ev[AZ_KERNEL];
    int rc = 0;
    if (!(w->t->caps & AZ_CAP_PROGRAMS) || !ev->node || !az_has_tpu(w->t))
        return 0;
    const struct az_row_work *row = az_job_row_work(w->job, 0, &rc);
    const size_t names = w->t->names.text.n;
    w->of_row = row ? az_arena_array(w->job->arena, names + 1, sizeof *w->of_row) : NULL;
    if (!w->of_row)
        return rc ? rc : az_arena_error(w->job->arena);
    memset(w->of_row, 0, names + 1);
    for (size_t i = 0; i < ev->n; i++) {
        const uint64_t node = ev->node[i];
        if (node && row[node - 1].known && ev->name[i] < names)
            w->of_row[ev->name[i]] = (uint8_t)(1 + row[node - 1].family);
    }
    return 0;
}

static enum az_family family_of(struct work *w, const struct sum *s)
{
    if (s->kind == AZ_KERNEL && w->of_row && w->of_row[s->name])
        return (enum az_family)(w->of_row[s->name] - 1);
    return s->kind == AZ_MEMCPY   ? AZ_FAMILY_COPY
           : s->kind == AZ_MEMSET ? AZ_FAMILY_FILL
                                  : az_job_family(w->job, az_job_name(w->job, 0, s->name));
}

struct work_row {
    struct az_sv name, family;
    double count;
    int64_t ns;
};
#define ROW struct work_row
static const struct az_record_column columns[] = {
    { "Kernel", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, name) },
    { "Family", AZ_TEXT, AZ_FIELD(ROW, family) },
    { "Count", AZ_REAL, AZ_UNIT_COUNT, AZ_FIELD(ROW, count) },
    { "Kernel time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, ns) },
};

static int put_table(struct work *w)
{
    struct az_table *t =
        AZ_RECORD_TABLE(w->job->arena, "step_work", "Median step device work", 0, columns);
    int64_t devices = 0;
    if (!t)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < w->accounts->n_devices; i++)
        devices += !w->accounts->idle[i];
    const int64_t parts = (int64_t)w->steps * (devices ? devices : 1);
    az_sort_cmp(w->sums.v, w->sums.n, sizeof *w->sums.v, longest_first, w, w->job->mem);
    az_table_reserve(t, w->sums.n);
    for (size_t i = 0; i < w->sums.n; i++) {
        const struct sum *s = &w->sums.v[i];
        az_put_row(t, &(ROW){ az_trace_text(w->t, s->name), az_family_text(family_of(w, s)),
                              (double)s->count / (double)parts, az_ns(w->t, s->ticks) / parts });
    }
    return az_job_add(w->job, t, AZ_OK);
}

int az_verdict_step_work(struct az_job *job)
{
    struct work w = { .job = job, .t = job->traces[0] };
    int rc;
    const struct az_steps *steps = az_job_steps(job, 0, &rc);
    w.accounts = steps ? az_job_accounts(job, 0, AZ_ALL_WORK, &rc) : NULL;
    /* a single step has no distance to the next: it is the scope */
    const bool single =
        steps && steps->n == steps->excluded + 1 && steps->scope.end > steps->scope.start;
    if (!w.accounts || (!w.accounts->median_step && !single))
        return rc;
    memcpy(w.step, w.accounts->median, sizeof w.step);
    if (!w.accounts->median_step)
        w.step[0] = w.step[1] = steps->scope;
    w.steps = w.step[0].start == w.step[1].start && w.step[0].end == w.step[1].end ? 1 : 2;
    az_vec_init(&w.sums, job->mem);
    az_arena_init(&w.scratch, job->mem);
    rc = az_devices_make(&w.dev, w.t, AZ_BY_DEVICE, job->mem);
    if (rc == 0)
        rc = gather(&w);
    if (rc == 0)
        rc = find_rows(&w);
    if (rc == 0)
        rc = put_table(&w);
    az_devices_release(&w.dev);
    az_arena_release(&w.scratch);
    az_vec_release(&w.sums);
    return rc;
}
