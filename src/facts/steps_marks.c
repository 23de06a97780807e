/* Steps by marks: ranges of the host, ranges of the device, lines of the profiler
 * (docs/steps.md 2). A mark of the host spans the launches; its step spans the launched work. */
#include <inttypes.h>

#include "base/sort.h"
#include "classify/steps.h"
#include "facts/steps_internal.h"
#include "model/window.h"
#include "model/xtrace.h"

/* Marks of ProfilerStep follow each other; where a schedule leaves steps out, there is a hole of at
 * least this part of a step. */
#define HOLE 0.1

struct mark {
    int64_t start, end, number;
    uint32_t lane, name; /* name: id in the trace */
};
AZ_VEC(struct mark, marks);

/* ---- a list of marks without overlap ---- */
/* Do two, of which b starts later, have more than rounding in common? */
static bool overlap(const struct mark *a, const struct mark *b)
{
    const int64_t end = a->end < b->end ? a->end : b->end, length = b->end - b->start;
    return end - b->start > length / 2 || (length == 0 && b->start < a->end);
}

/* Retains those of one lane (AZ_NO_ID: of all), without what is inside another. True if two of
 * different lanes overlap. */
static bool outermost(struct marks *m, uint32_t lane)
{
    size_t kept = 0;
    bool both = false;
    for (size_t i = 0; i < m->n; i++) {
        const struct mark *last = kept ? &m->v[kept - 1] : NULL;
        if (lane != AZ_NO_ID && m->v[i].lane != lane)
            continue;
        if (last && overlap(last, &m->v[i])) {
            both |= m->v[i].lane != last->lane;
            if (lane != AZ_NO_ID || m->v[i].lane == last->lane)
                continue;
        }
        if (last && last->lane == m->v[i].lane && last->end > m->v[i].start)
            m->v[kept - 1].end = m->v[i].start; /* rounding */
        m->v[kept++] = m->v[i];
    }
    m->n = kept;
    return both;
}

/* Do marks take turns in rounds: one of each lane, all of one name? *lanes: how many. */
static bool are_rounds(const struct marks *m, size_t *round_of, size_t *lanes)
{
    size_t n = 0;
    while (n < m->n && !round_of[m->v[n].lane])
        round_of[m->v[n++].lane] = 1;
    for (size_t i = n; i < m->n; i++) {
        size_t *last = &round_of[m->v[i].lane];
        if (*last == 0 || *last == i / n + 1) /* another lane, or twice in this round */
            return false;
        *last = i / n + 1;
    }
    for (size_t i = 0; i < m->n; i++)
        if (m->v[i].name != m->v[i - i % n].name)
            return false;
    *lanes = n;
    return n > 1;
}

/* Devices that mark the same step one after the other have one step, and no period between them. */
static int join_devices(struct az_step_search *s, struct marks *m)
{
    const size_t bytes = (s->t->lanes.n + 1) * sizeof(size_t);
    size_t *round_of = az_mem_alloc(s->job->mem, bytes), lanes = 1, kept = 0;
    if (!round_of)
        return az_mem_error(s->job->mem);
    memset(round_of, 0, bytes);
    const bool rounds = are_rounds(m, round_of, &lanes);
    az_mem_free(s->job->mem, round_of, bytes);
    for (size_t i = 0; rounds && i < m->n; i++) {
        if (i % lanes == 0)
            m->v[kept++] = m->v[i];
        else if (m->v[i].end > m->v[kept - 1].end)
            m->v[kept - 1].end = m->v[i].end;
    }
    m->n = rounds ? kept : m->n;
    return 0;
}

/* Several threads or devices mark at the same time: the one with the most marks defines the steps.
 */
static int choose_lane(struct az_step_search *s, struct marks *m)
{
    const size_t bytes = (s->t->lanes.n + 1) * sizeof(uint32_t);
    if (!outermost(m, AZ_NO_ID))
        return 0;
    uint32_t *n = az_mem_alloc(s->job->mem, bytes), best = 0;
    if (!n)
        return az_mem_error(s->job->mem);
    memset(n, 0, bytes);
    for (size_t i = 0; i < m->n; i++)
        n[m->v[i].lane]++;
    for (uint32_t i = 0; i < s->t->lanes.n; i++)
        best = n[i] > n[best] ? i : best;
    outermost(m, best);
    az_mem_free(s->job->mem, n, bytes);
    return 0;
}

/* ---- windows ---- */
static int put_window(struct az_step_search *s, const struct mark *m, bool on_device)
{
    const struct az_sv text = az_trace_text(s->t, m->name);
    int rc = az_vec_push(&s->found, ((struct az_step){ .start = m->start,
                                                       .end = m->end,
                                                       .mark_start = m->start,
                                                       .mark_end = m->end,
                                                       .number = m->number,
                                                       .name = az_step_mark_name(text),
                                                       .mark = text }));
    if (rc == 0 && !on_device)
        rc = az_vec_push(&s->process, s->t->lanes.v[m->lane].proc);
    return rc;
}

/* Steps that follow each other end where the next one starts, so that the time between is in one of
 * them. */
static void join_windows(struct az_step_search *s)
{
    struct az_step *a = NULL;
    for (size_t i = 0; i < s->found.n; i++) {
        struct az_step *b = &s->found.v[i];
        if (s->linked && b->work_end < 0)
            continue;
        const double hole = a ? (double)(b->mark_start - a->mark_end) : 0;
        if (a && b->start > a->start && hole <= HOLE * (double)(a->mark_end - a->mark_start))
            a->end = b->start;
        a = b;
    }
}

/* A mark without work, where others have some, uses no time of the device: between the steps
 * around it. */
static void place_empty(struct az_step_search *s)
{
    int64_t next = INT64_MAX;
    for (size_t i = s->found.n; i-- > 0;) { /* not after the next one */
        struct az_step *x = &s->found.v[i];
        if (x->work_end >= 0)
            next = x->start;
        else
            x->start = x->end = next;
    }
    for (size_t i = 1; i < s->found.n; i++) { /* at the end of the one before */
        struct az_step *x = &s->found.v[i];
        const int64_t end = s->found.v[i - 1].end;
        if (x->work_end < 0 && end < x->start)
            x->start = x->end = end;
    }
}

/* Where no launch is in any mark, the marks themselves are the windows. */
static int windows(struct az_step_search *s, const struct marks *m, bool on_device)
{
    int rc = 0;
    az_vec_reset(&s->process);
    for (size_t i = 0; rc == 0 && i < m->n; i++)
        rc = put_window(s, &m->v[i], on_device);
    if (rc == 0)
        rc = az_steps_attach(s);
    for (size_t i = 0; rc == 0 && s->linked && i < s->found.n; i++) {
        s->found.v[i].start = s->found.v[i].work_start;
        s->found.v[i].end = s->found.v[i].work_end;
    }
    return rc;
}

/* Marks without length are none; they are counted for the check step_marks. */
static void drop_empty(struct az_step_search *s, struct marks *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->v[i].end > m->v[i].start)
            m->v[kept++] = m->v[i];
    s->zero_marks = m->n - kept;
    if (kept == 0 && s->only_zero == 0)
        s->only_zero = s->zero_marks;
    m->n = kept;
}

/* Marks that the window cuts are no steps: their work is not whole. */
static void drop_cut(struct az_step_search *s, struct marks *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->n; i++)
        if (!az_window_cuts(s->t, m->v[i].lane, m->v[i].start, m->v[i].end))
            m->v[kept++] = m->v[i];
    s->out->cut += m->n - kept;
    m->n = kept;
}

/* Without marks inside a range that is named as warm-up, where others are left. */
static int drop_warm_ups(struct az_step_search *s, struct marks *m)
{
    struct az_spans warm;
    size_t others = 0, kept = 0;
    az_vec_init(&warm, s->job->mem);
    const int rc = az_steps_warm_ups(s, &warm);
    for (size_t i = 0; rc == 0 && warm.n && i < m->n; i++)
        others += !az_steps_in_warm_up(&warm, m->v[i].start, m->v[i].end);
    for (size_t i = 0; others && i < m->n; i++)
        if (!az_steps_in_warm_up(&warm, m->v[i].start, m->v[i].end))
            m->v[kept++] = m->v[i];
    m->n = kept ? kept : m->n;
    az_vec_release(&warm);
    return rc;
}

static int use_marks(struct az_step_search *s, struct marks *m, enum az_step_how how,
                     struct az_sv text, bool on_device)
{
    drop_cut(s, m);
    drop_empty(s, m);
    int rc = on_device || how == AZ_STEPS_TAG ? 0 : drop_warm_ups(s, m);
    if (rc == 0)
        rc = choose_lane(s, m);
    if (rc == 0 && (how == AZ_STEPS_DEVICE || how == AZ_STEPS_PROGRAM))
        rc = join_devices(s, m);
    if (rc == 0)
        rc = windows(s, m, on_device);
    if (rc || s->found.n == 0)
        return rc;
    s->out->how = how;
    s->out->mark = text;
    if (how == AZ_STEPS_PROFILER || how == AZ_STEPS_DEVICE)
        join_windows(s);
    if (s->linked)
        place_empty(s);
    return 0;
}

/* ---- the user's tag ---- */
static int by_mark(const void *x, const void *y, void *ctx)
{
    const struct az_step *a = x, *b = y;
    (void)ctx;
    return a->mark_start < b->mark_start ? -1 : a->mark_start > b->mark_start;
}

/* Projected ranges of the file itself. */
static int add_projected(struct az_step_search *s, uint32_t id)
{
    const int64_t k = s->t->ticks_per_ns;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->t->proj.n; i++) {
        const struct az_proj *p = &s->t->proj.v[i];
        if (p->name == id && p->start != INT64_MIN && p->duration >= 0)
            rc = az_vec_push(&s->found,
                             ((struct az_step){ .start = p->start * k,
                                                .end = (p->start + p->duration) * k,
                                                .mark_start = p->start * k,
                                                .mark_end = (p->start + p->duration) * k }));
    }
    az_sort_cmp(s->found.v, s->found.n, sizeof *s->found.v, by_mark, NULL, s->job->mem);
    return rc ? rc : az_steps_attach(s);
}

int az_steps_by_tag(struct az_step_search *s)
{
    struct az_job_tag tag;
    struct marks m;
    int rc = az_job_tag(s->job, &tag);
    const uint32_t id = rc == 0 && tag.given ? az_intern_find(&s->t->names, tag.text) : AZ_NO_ID;
    if (rc || id == AZ_NO_ID)
        return rc;
    az_vec_init(&m, s->job->mem);
    for (size_t k = 0; rc == 0 && k < 2 && s->found.n == 0; k++) {
        const enum az_kind kind = k ? AZ_GPU_RANGE : AZ_RANGE;
        const struct az_events *e = &s->t->ev[kind];
        az_vec_reset(&m);
        for (size_t i = 0; rc == 0 && i < e->n; i++)
            if (e->name[i] == id)
                rc = az_vec_push(&m, ((struct mark){ e->start[i], e->end[i], -1, e->lane[i], id }));
        if (rc == 0 && m.n)
            rc = use_marks(s, &m, AZ_STEPS_TAG, tag.text, kind == AZ_GPU_RANGE);
    }
    az_vec_release(&m);
    if (rc == 0 && s->found.n == 0)
        rc = add_projected(s, id);
    if (rc == 0 && s->found.n) {
        s->out->how = AZ_STEPS_TAG;
        s->out->mark = tag.text;
        rc = az_steps_number(s, "iteration");
    }
    return rc;
}

/* ---- marks of frameworks ---- */
enum { UNREAD = 0xff };
struct name_kind { /* the kind of a name */
    struct az_sv stem;
    int64_t number;
    uint32_t group; /* of names of one stem */
    uint8_t kind;   /* enum az_step_mark; UNREAD */
};
struct names {
    struct name_kind *of; /* by name id */
    size_t bytes;
    enum az_kind kind[2]; /* of events */
    unsigned marks[2];    /* kinds of marks among their names: 1 << enum az_step_mark */
    size_t kinds;
};

static void read_kind(struct az_step_search *s, struct names *n, size_t k)
{
    const struct az_events *e = &s->t->ev[n->kind[k]];
    uint32_t last = AZ_NO_ID;
    for (size_t i = 0; i < e->n; i++) {
        if (e->name[i] == last || e->name[i] == AZ_NO_ID)
            continue;
        last = e->name[i];
        struct name_kind *x = &n->of[last];
        if (x->kind == UNREAD)
            x->kind = (uint8_t)az_step_mark_of(az_trace_text(s->t, last), &x->stem, &x->number);
        n->marks[k] |= 1u << x->kind;
    }
}

/* Once a name. */
static int read_names(struct az_step_search *s, struct names *n)
{
    const size_t ids = s->t->names.text.n;
    n->bytes = (ids + 1) * sizeof *n->of;
    n->of = az_mem_alloc(s->job->mem, n->bytes);
    if (!n->of)
        return az_mem_error(s->job->mem);
    for (size_t i = 0; i < ids; i++)
        n->of[i] = (struct name_kind){ .kind = UNREAD };
    for (size_t k = 0; k < n->kinds; k++)
        read_kind(s, n, k);
    return 0;
}

static void add_times(const struct names *n, const struct az_events *e, struct az_vec_i64 *sum)
{
    for (size_t i = 0; sum->n && i < e->n; i++)
        if (e->name[i] != AZ_NO_ID && n->of[e->name[i]].kind == AZ_MARK_RANGE)
            sum->v[n->of[e->name[i]].group] += e->end[i] - e->start[i];
}

/* Ranges with several step names: the outermost is one, that with the most time. *group:
 * the number of its stem; AZ_NO_ID: there is none. */
static int longest_stem(struct az_step_search *s, struct names *n, uint32_t *group)
{
    struct az_map stems;
    struct az_vec_i64 sum;
    int rc = 0;
    az_map_init(&stems, s->job->mem, 16);
    *group = AZ_NO_ID;
    az_vec_init(&sum, s->job->mem);
    for (size_t i = 0; rc == 0 && i < s->t->names.text.n; i++) {
        const struct az_sv stem = n->of[i].stem;
        uint32_t *number;
        bool added = false;
        if (n->of[i].kind != AZ_MARK_RANGE)
            continue;
        rc = az_map_put(&stems, az_hash(stem.p, stem.n), stem.n, (uint32_t)sum.n, &number, &added);
        n->of[i].group = rc ? 0 : *number;
        if (rc == 0 && added)
            rc = az_vec_push(&sum, 0);
    }
    for (size_t k = 0; rc == 0 && k < n->kinds; k++)
        if (n->marks[k] & 1u << AZ_MARK_RANGE)
            add_times(n, &s->t->ev[n->kind[k]], &sum);
    for (uint32_t i = 0; rc == 0 && i < sum.n; i++)
        if (*group == AZ_NO_ID || sum.v[i] > sum.v[*group])
            *group = i;
    az_vec_release(&sum);
    az_map_release(&stems);
    return rc;
}

static int collect_kind(const struct names *n, const struct az_events *e, enum az_step_mark kind,
                        uint32_t group, struct marks *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const struct name_kind *x = e->name[i] == AZ_NO_ID ? NULL : &n->of[e->name[i]];
        if (x && x->kind == kind && (kind != AZ_MARK_RANGE || x->group == group))
            rc = az_vec_push(
                out, ((struct mark){ e->start[i], e->end[i], x->number, e->lane[i], e->name[i] }));
    }
    return rc;
}

/* By start; of equal starts the longer one, which contains the other. */
static int outer_first(const void *x, const void *y, void *ctx)
{
    const struct mark *a = x, *b = y;
    (void)ctx;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

/* Marks of a kind and, of ranges, of one group; in any category of events. */
static int collect(struct az_step_search *s, const struct names *n, enum az_step_mark kind,
                   uint32_t group, struct marks *out)
{
    int rc = 0;
    size_t of_first = 0;
    az_vec_reset(out);
    for (size_t k = 0; rc == 0 && k < n->kinds; k++) {
        if (n->marks[k] & 1u << kind)
            rc = collect_kind(n, &s->t->ev[n->kind[k]], kind, group, out);
        of_first = k == 0 ? out->n : of_first;
    }
    if (rc || of_first == 0 || of_first == out->n)
        return rc;
    az_sort_cmp(out->v, out->n, sizeof *out->v, outer_first, NULL, s->job->mem);
    return 0;
}

/* Their numbers are all different. */
static bool are_numbered(const struct az_step_search *s)
{
    for (size_t i = 0; i < s->found.n; i++)
        if (s->found.v[i].number < 0 || (i > 0 && s->found.v[i].number <= s->found.v[i - 1].number))
            return false;
    return true;
}

static int by_names(struct az_step_search *s, bool on_device)
{
    static const struct {
        enum az_step_mark mark;
        enum az_step_how how;
    } order[] = { { AZ_MARK_PROFILER, AZ_STEPS_PROFILER },
                  { AZ_MARK_ENGINE, AZ_STEPS_ENGINE },
                  { AZ_MARK_RANGE, AZ_STEPS_RANGES } };
    struct names n = { .kind = { AZ_RANGE, AZ_HOST_OP }, .kinds = 2 };
    struct marks m;
    uint32_t group;
    if (on_device)
        n = (struct names){ .kind = { AZ_GPU_RANGE }, .kinds = 1 };
    az_vec_init(&m, s->job->mem);
    int rc = read_names(s, &n);
    if (rc == 0)
        rc = longest_stem(s, &n, &group);
    for (size_t i = 0; rc == 0 && s->found.n == 0 && i < AZ_LENGTH(order); i++) {
        rc = collect(s, &n, order[i].mark, group, &m);
        if (rc == 0 && m.n)
            rc = use_marks(s, &m, order[i].how,
                           order[i].mark == AZ_MARK_RANGE ? n.of[m.v[0].name].stem : AZ_SV(""),
                           on_device);
    }
    az_mem_free(s->job->mem, n.of, n.bytes);
    az_vec_release(&m);
    if (rc == 0 && s->found.n && !are_numbered(s))
        rc = az_steps_number(s, "step");
    return rc;
}

/* ---- compiled programs ---- */
#define MAIN 0.8 /* of the time of all programs */

/* The program whose runs are nearly all the time of programs; AZ_NO_ID: there is none. */
static int main_program(struct az_step_search *s, uint32_t *name)
{
    const struct az_events *e = &s->t->ev[AZ_GPU_RANGE];
    const struct az_xtrace *x = az_xtrace(s->t);
    const size_t ids = s->t->names.text.n, bytes = (ids + 1) * sizeof(int64_t);
    int64_t *sum = az_mem_alloc(s->job->mem, bytes), all = 0, most = 0;
    *name = AZ_NO_ID;
    if (!sum)
        return az_mem_error(s->job->mem);
    memset(sum, 0, bytes);
    for (size_t i = 0; i < e->n; i++) {
        if (x->roles.v[e->lane[i]] != AZ_XLANE_MODULES || e->name[i] == AZ_NO_ID)
            continue;
        all += e->end[i] - e->start[i];
        sum[e->name[i]] += e->end[i] - e->start[i];
    }
    for (uint32_t i = 0; i < ids; i++)
        if (sum[i] > most) {
            most = sum[i];
            *name = i;
        }
    if ((double)most < MAIN * (double)all)
        *name = AZ_NO_ID;
    az_mem_free(s->job->mem, sum, bytes);
    return 0;
}

/* Ranges of a role; with MODULES those of one name. */
static int device_ranges(struct az_step_search *s, enum az_xlane_role role, uint32_t name)
{
    const struct az_events *e = &s->t->ev[AZ_GPU_RANGE];
    const struct az_xtrace *x = az_xtrace(s->t);
    const bool steps = role == AZ_XLANE_STEPS;
    struct marks m;
    int rc = 0;
    az_vec_init(&m, s->job->mem);
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        if (x->roles.v[e->lane[i]] == role && (steps || e->name[i] == name))
            rc = az_vec_push(&m,
                             ((struct mark){ e->start[i], e->end[i], -1, e->lane[i], e->name[i] }));
    if (rc == 0 && m.n > !steps)
        rc = use_marks(s, &m, steps ? AZ_STEPS_DEVICE : AZ_STEPS_PROGRAM,
                       steps ? AZ_SV("") : az_trace_text(s->t, name), true);
    az_vec_release(&m);
    return rc || s->found.n == 0 ? rc : az_steps_number(s, "step");
}

/* Names with their numbers: "train 12". */
static int name_annotations(struct az_step_search *s)
{
    for (size_t i = 0; i < s->found.n; i++) {
        struct az_step *x = &s->found.v[i];
        x->name = az_arena_printf(s->job->arena, "%.*s %" PRId64, AZ_SVF(x->mark), x->number);
        if (!x->name.p)
            return az_arena_error(s->job->arena);
    }
    return 0;
}

static int annotations(struct az_step_search *s)
{
    const struct az_xsteps *x = &az_xtrace(s->t)->steps;
    struct marks m;
    int rc = 0;
    az_vec_init(&m, s->job->mem);
    for (size_t i = 0; rc == 0 && i < x->n; i++)
        rc = az_vec_push(&m, ((struct mark){ x->v[i].start, x->v[i].end, x->v[i].number,
                                             x->v[i].lane, x->v[i].name }));
    az_sort_cmp(m.v, m.n, sizeof *m.v, outer_first, NULL, s->job->mem);
    if (rc == 0 && m.n)
        rc = use_marks(s, &m, AZ_STEPS_ANNOTATION, az_trace_text(s->t, m.v[0].name), false);
    az_vec_release(&m);
    return rc ? rc : name_annotations(s);
}

static int compiled(struct az_step_search *s)
{
    uint32_t name = AZ_NO_ID;
    int rc = device_ranges(s, AZ_XLANE_STEPS, AZ_NO_ID);
    if (rc == 0 && s->found.n == 0)
        rc = annotations(s);
    if (rc == 0 && s->found.n == 0)
        rc = main_program(s, &name);
    if (rc == 0 && s->found.n == 0 && name != AZ_NO_ID)
        rc = device_ranges(s, AZ_XLANE_MODULES, name);
    return rc;
}

int az_steps_by_framework(struct az_step_search *s)
{
    if (s->t->caps & AZ_CAP_PROGRAMS)
        return compiled(s);
    if (s->t->caps & AZ_CAP_OPREPORT) {
        int rc = az_steps_by_signposts(s, true);
        if (rc == 0 && s->found.n == 0)
            rc = az_steps_by_replays(s);
        return rc || s->found.n ? rc : az_steps_by_signposts(s, false);
    }
    int rc = by_names(s, false);
    return rc || s->found.n ? rc : by_names(s, true);
}
