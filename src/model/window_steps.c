/* The options of a window, and the part of a trace that has the steps of these numbers
 * (docs/regions.md 7). The marks are those of the fact of steps (facts/steps_marks.c): of one kind,
 * of ranges those of the name with the most time, of each process those of the thread that has most
 * of them. */
#include <inttypes.h>

#include "classify/steps.h"
#include "model/window.h"
#include "model/xtrace.h"

#include "base/num.h"
#include "base/sort.h"

bool az_window_steps(struct az_sv text, int64_t *first, int64_t *last)
{
    const ptrdiff_t at = az_sv_find(text, AZ_SV("-"));
    const struct az_sv from = at < 0 ? text : az_sv_make(text.p, (size_t)at),
                       to = at < 0 ? text : az_sv_make(text.p + at + 1, text.n - (size_t)at - 1);
    return az_parse_i64(from, first) == 0 && az_parse_i64(to, last) == 0 && *first >= 0 &&
           *last >= *first;
}

struct mark {
    int64_t start, end, number;
    uint64_t process;
    uint32_t lane, stem;
};
AZ_VEC(struct mark, marks);

struct stem {
    struct az_sv text;
    int64_t ticks;
};
AZ_VEC(struct stem, stems);

struct marking {
    const struct az_trace *t;
    struct marks marks;
    struct stems stems;
    struct az_vec_u32 count; /* by lane */
    enum az_step_mark kind;  /* the first of the list that any host event is */
};

static int stem_of(struct marking *m, struct az_sv text, int64_t ticks, uint32_t *stem)
{
    size_t i = 0;
    while (i < m->stems.n && !az_sv_eq(m->stems.v[i].text, text))
        i++;
    const int rc = i < m->stems.n ? AZ_OK : az_vec_push(&m->stems, ((struct stem){ text, 0 }));
    if (rc == 0)
        m->stems.v[i].ticks += ticks;
    *stem = (uint32_t)i;
    return rc;
}

/* Marks of the best kind so far; those of a worse one go. */
static int add_mark(struct marking *m, const struct az_events *e, size_t i)
{
    struct az_sv stem;
    int64_t number;
    const enum az_step_mark kind = az_step_mark_of(az_trace_text(m->t, e->name[i]), &stem, &number);
    struct mark x = { e->start[i], e->end[i], number, 0, e->lane[i], 0 };
    if (kind == AZ_MARK_NONE || (m->kind != AZ_MARK_NONE && kind > m->kind))
        return AZ_OK;
    if (kind != m->kind) {
        az_vec_reset(&m->marks);
        az_vec_reset(&m->stems);
        m->kind = kind;
    }
    /* ids of framework traces are unique in the file, whose processes are one program */
    if (!m->t->ext_ops || !(m->t->ext_ops->caps & AZ_CAP_CALLTREE))
        x.process = m->t->lanes.v[x.lane].proc;
    const int rc = kind == AZ_MARK_RANGE ? stem_of(m, stem, x.end - x.start, &x.stem) : AZ_OK;
    return rc ? rc : az_vec_push(&m->marks, x);
}

static int list_marks(struct marking *m)
{
    static const enum az_kind kinds[] = { AZ_RANGE, AZ_HOST_OP };
    int rc = AZ_OK;
    for (size_t k = 0; k < AZ_LENGTH(kinds); k++) {
        const struct az_events *e = &m->t->ev[kinds[k]];
        for (size_t i = 0; rc == 0 && i < e->n; i++)
            if (e->name[i] != AZ_NO_ID && e->end[i] > e->start[i])
                rc = add_mark(m, e, i);
    }
    return rc;
}

/* By process, then start; of equal starts the longer one, which contains the other. */
static int by_process(const void *x, const void *y, void *ctx)
{
    const struct mark *a = x, *b = y;
    (void)ctx;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->end > b->end ? -1 : a->end < b->end;
}

static void keep_longest_stem(struct marking *m)
{
    size_t best = 0, n = 0;
    for (size_t i = 1; i < m->stems.n; i++)
        best = m->stems.v[i].ticks > m->stems.v[best].ticks ? i : best;
    for (size_t i = 0; i < m->marks.n; i++)
        if (m->marks.v[i].stem == best)
            m->marks.v[n++] = m->marks.v[i];
    m->marks.n = n;
}

/* The thread with the most marks, where threads of a process mark at the same time; AZ_NO_ID. */
static uint32_t main_lane(struct marking *m, size_t from, size_t to)
{
    uint32_t best = m->marks.v[from].lane;
    bool both = false;
    const struct mark *last = &m->marks.v[from];
    for (size_t i = from; i < to; i++) {
        const struct mark *x = &m->marks.v[i];
        both |= x->lane != last->lane && x->start + (x->end - x->start) / 2 < last->end;
        m->count.v[x->lane] = 0;
        last = x->end > last->end ? x : last;
    }
    for (size_t i = from; i < to; i++)
        m->count.v[m->marks.v[i].lane]++;
    for (size_t i = from; i < to; i++) {
        const uint32_t lane = m->marks.v[i].lane;
        if (m->count.v[lane] > m->count.v[best] ||
            (lane < best && m->count.v[lane] == m->count.v[best]))
            best = lane;
    }
    return both ? best : AZ_NO_ID;
}

/* Numbers are those of the names, else places. Steps that follow each other are one part, with the
 * time between them. */
static int add_parts(struct marking *m, size_t from, size_t to, const struct az_window *w,
                     struct az_window_parts *out)
{
    const uint32_t lane = main_lane(m, from, to);
    int64_t place = 0, end = INT64_MIN;
    bool follows = false;
    int rc = AZ_OK;
    for (size_t i = from; rc == 0 && i < to; i++) {
        const struct mark *x = &m->marks.v[i];
        const int64_t number = x->number < 0 ? place : x->number;
        if ((lane != AZ_NO_ID && x->lane != lane) || x->start < end)
            continue;
        end = x->end;
        place++;
        const bool chosen = az_window_add_step(w, number);
        if (chosen && follows) {
            out->spans.v[out->spans.n - 1].end = end;
        } else if (chosen) {
            rc = az_vec_push(&out->spans, ((struct az_span){ x->start, end }));
            if (rc == 0)
                rc = az_vec_push(&out->process, x->process);
        }
        follows = chosen;
    }
    return rc;
}

/* Steps of a profile of compiled programs, which have no names: annotations of the host where it
 * launches, else lines of steps of the devices. */
static int list_programs(struct marking *m)
{
    const struct az_xtrace *x = az_xtrace(m->t);
    const struct az_events *e = &m->t->ev[AZ_GPU_RANGE];
    const bool host = x->steps.n && m->t->ev[AZ_CALL].n;
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && !host && i < e->n; i++)
        if (x->roles.v[e->lane[i]] == AZ_XLANE_STEPS && e->end[i] > e->start[i])
            rc = az_vec_push(&m->marks,
                             ((struct mark){ e->start[i], e->end[i], -1, 0, e->lane[i], 0 }));
    const bool lines = m->marks.n > 0;
    for (size_t i = 0; rc == 0 && !lines && i < x->steps.n; i++)
        rc = az_vec_push(&m->marks,
                         ((struct mark){ x->steps.v[i].start, x->steps.v[i].end,
                                         x->steps.v[i].number, 0, x->steps.v[i].lane, 0 }));
    m->kind = m->marks.n ? AZ_MARK_PROFILER : AZ_MARK_NONE;
    return rc;
}

static int find_parts(struct marking *m, const struct az_window *w, struct az_window_parts *out)
{
    const bool programs = m->t->ext_ops && (m->t->ext_ops->caps & AZ_CAP_PROGRAMS);
    int rc = programs ? list_programs(m) : list_marks(m);
    if (rc == 0 && m->kind == AZ_MARK_RANGE)
        keep_longest_stem(m);
    for (size_t i = 0; rc == 0 && i < m->t->lanes.n; i++)
        rc = az_vec_push(&m->count, 0);
    az_sort_cmp(m->marks.v, m->marks.n, sizeof *m->marks.v, by_process, NULL, m->t->mem);
    for (size_t i = 0, to; rc == 0 && i < m->marks.n; i = to) {
        for (to = i; to < m->marks.n && m->marks.v[to].process == m->marks.v[i].process; to++)
            ;
        rc = add_parts(m, i, to, w, out);
    }
    if (m->marks.n && m->marks.v[0].process == m->marks.v[m->marks.n - 1].process)
        az_vec_reset(&out->process); /* those of one process are those of all */
    return rc;
}

int az_window_of_steps(const struct az_trace *t, const struct az_window *w,
                       struct az_window_parts *out, enum az_window_miss *miss)
{
    struct marking m = { .t = t, .kind = AZ_MARK_NONE };
    az_vec_init(&m.marks, t->mem);
    az_vec_init(&m.stems, t->mem);
    az_vec_init(&m.count, t->mem);
    const int rc = find_parts(&m, w, out);
    if (rc == 0 && !out->spans.n)
        *miss = m.marks.n ? AZ_WINDOW_NO_STEP : AZ_WINDOW_NO_MARKS;
    az_vec_release(&m.marks);
    az_vec_release(&m.stems);
    az_vec_release(&m.count);
    return rc;
}

/* ---- options ---- */
bool az_window_time(struct az_sv text, int64_t *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
    double factor = 1e9, v;
    for (size_t i = 0; i < AZ_LENGTH(units); i++)
        if (az_sv_ends(text, az_sv_str(units[i].unit))) {
            factor = units[i].ns;
            text = az_sv_trim(az_sv_make(text.p, text.n - strlen(units[i].unit)));
            break;
        }
    if (az_parse_f64(text, &v) != 0 || !(v >= 0) || v * factor > (double)AZ_TIME_MAX)
        return false;
    *ns = (int64_t)(v * factor + 0.5);
    return true;
}

bool az_window_end(struct az_sv text, struct az_window_end *out)
{
    *out = (struct az_window_end){ .ns = AZ_UNSET_I64, .percent = -1 };
    if (!text.n)
        return true;
    if (az_sv_ends(text, AZ_SV("%")))
        return az_parse_f64(az_sv_make(text.p, text.n - 1), &out->percent) == 0 &&
               out->percent >= 0 && out->percent <= 100;
    if (text.p[0] == '@' && text.n > 1) {
        out->range = az_sv_make(text.p + 1, text.n - 1);
        return true;
    }
    return az_window_time(text, &out->ns);
}

static int read_end(struct az_sv text, const char *key, struct az_window_end *out,
                    struct az_diag *diag)
{
    if (az_window_end(text, out))
        return AZ_OK;
    return az_diag_fail(diag, AZ_ECONFIG, AZ_NOWHERE, "invalid %s '%.*s'; use " AZ_WINDOW_END_TEXT,
                        key, AZ_SVF(text));
}

bool az_window_is_empty(struct az_sv from, struct az_sv to)
{
    struct az_window_end a, b;
    if (!az_window_end(from, &a) || !az_window_end(to, &b))
        return false;
    return (a.ns != AZ_UNSET_I64 && b.ns != AZ_UNSET_I64 && b.ns <= a.ns) ||
           (a.percent >= 0 && b.percent >= 0 && b.percent <= a.percent);
}

int az_window_read(const struct az_options *o, struct az_window *out, bool *any,
                   struct az_diag *diag)
{
    *out = (struct az_window){ .range = o->range, .step = -1, .last_step = -1 };
    int rc = read_end(o->from, "--from", &out->from, diag);
    if (rc == 0)
        rc = read_end(o->to, "--to", &out->to, diag);
    if (rc == 0 && az_window_is_empty(o->from, o->to))
        rc = az_diag_fail(diag, AZ_ECONFIG, AZ_NOWHERE, AZ_WINDOW_EMPTY_TEXT, AZ_SVF(o->from),
                          AZ_SVF(o->to));
    az_window_steps(o->steps, &out->step, &out->last_step);
    *any = o->from.n || o->to.n || o->range.n || out->step >= 0;
    return rc;
}

/* ---- what a window names and the trace does not have: errors, and steps that are missing ---- */

enum az_window_miss az_window_miss_of_rows(const struct az_window *w, bool timed)
{
    if (w->range.n || w->step >= 0)
        return w->range.n ? AZ_WINDOW_NO_RANGE : AZ_WINDOW_NO_STEP;
    if (w->from.range.n || w->to.range.n)
        return AZ_WINDOW_NO_ENDS;
    return timed ? AZ_WINDOW_NO_ROWS : AZ_WINDOW_NO_EVENTS;
}

/* ---- numbers of steps ---- */

bool az_window_add_step(const struct az_window *w, int64_t number)
{
    if (w->numbers)
        az_vec_add(w->numbers, number);
    return number >= w->step && number <= w->last_step;
}

static int by_number(const void *x, const void *y, void *ctx)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

/* In order, each once. */
static void sort_numbers(struct az_vec_i64 *v, struct az_mem *mem)
{
    size_t n = 0;
    az_sort_cmp(v->v, v->n, sizeof *v->v, by_number, NULL, mem);
    for (size_t i = 0; i < v->n; i++)
        if (n == 0 || v->v[i] != v->v[n - 1])
            v->v[n++] = v->v[i];
    v->n = n;
}

/* "1", "1-3". */
static struct az_sv span_text(struct az_trace *t, int64_t first, int64_t last)
{
    return first == last ? az_arena_printf(&t->arena, "%" PRId64, first)
                         : az_arena_printf(&t->arena, "%" PRId64 "-%" PRId64, first, last);
}

/* "the trace has 8 steps, 2-9". */
static struct az_sv present_text(struct az_trace *t, const struct az_vec_i64 *v)
{
    if (!v || !v->n)
        return AZ_SV("see table 'steps'");
    return az_arena_printf(&t->arena, "the trace has %zu step%s, %.*s", v->n, v->n == 1 ? "" : "s",
                           AZ_SVF(span_text(t, v->v[0], v->v[v->n - 1])));
}

/* Number of steps of the window that the trace does not have, and the first of them. */
static uint64_t count_missing(const struct az_window *w, int64_t *first)
{
    uint64_t missing = (uint64_t)w->last_step - (uint64_t)w->step + 1;
    *first = w->step;
    for (size_t i = 0; i < w->numbers->n; i++) {
        const int64_t number = w->numbers->v[i];
        missing -= number >= w->step && number <= w->last_step;
        *first += number == *first;
    }
    return missing;
}

static void warn_missing(struct az_diag *diag, struct az_sv path, const struct az_window *w,
                         struct az_trace *t)
{
    int64_t first;
    const uint64_t missing = count_missing(w, &first);
    const struct az_sv span = span_text(t, w->step, w->last_step),
                       present = present_text(t, w->numbers);
    if (!missing)
        return;
    if (missing == 1)
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(path),
                    "missing step '%" PRId64 "' of '%.*s'; %.*s", first, AZ_SVF(span),
                    AZ_SVF(present));
    else
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(path),
                    "missing %" PRIu64 " of %" PRIu64 " steps '%.*s'; %.*s", missing,
                    (uint64_t)w->last_step - (uint64_t)w->step + 1, AZ_SVF(span), AZ_SVF(present));
    az_trace_note(t, "missing steps of the window", missing, present.p ? present.p : "");
}

/* ---- errors ---- */

#define MOST_NAMES 8 /* in a message */

/* "layer.12" as the pattern "layer.*", which a window accepts. */
static struct az_sv folded_name(struct az_trace *t, struct az_sv name)
{
    char *p = az_arena_alloc(&t->arena, name.n + 1);
    size_t n = 0;
    for (size_t i = 0; p && i < name.n; i++) {
        const bool digit = name.p[i] >= '0' && name.p[i] <= '9';
        if (!digit || n == 0 || p[n - 1] != '*')
            p[n++] = digit ? '*' : name.p[i];
    }
    return az_sv_make(p, p ? n : 0);
}

static bool is_listed(const struct az_sv *list, size_t n, struct az_sv name)
{
    for (size_t i = 0; i < n; i++)
        if (az_sv_eq(list[i], name))
            return true;
    return false;
}

/* "the trace has 'step #*', 'forward'": names of its ranges and modules as they come. */
static struct az_sv range_names(struct az_trace *t)
{
    static const enum az_kind kinds[] = { AZ_RANGE, AZ_MODULE };
    struct az_sv list[MOST_NAMES], out = AZ_SV("");
    uint32_t last = AZ_NO_ID;
    size_t n = 0;
    for (size_t k = 0; k < AZ_LENGTH(kinds); k++)
        for (size_t i = 0; i < t->ev[kinds[k]].n && n < MOST_NAMES; i++) {
            const uint32_t id = t->ev[kinds[k]].name[i];
            if (id == AZ_NO_ID || id == last)
                continue;
            const struct az_sv name = folded_name(t, az_trace_text(t, last = id));
            if (!name.n || is_listed(list, n, name))
                continue;
            list[n++] = name;
            out = az_arena_printf(&t->arena, "%.*s%s'%.*s'", AZ_SVF(out), n > 1 ? ", " : "",
                                  AZ_SVF(name));
        }
    return n == 0 ? AZ_SV("see the paths in table 'regions'")
                  : az_arena_printf(&t->arena, "the trace has %.*s%s", AZ_SVF(out),
                                    n == MOST_NAMES ? ", ... (table 'regions')" : "");
}

static int fail_for_miss(struct az_diag *diag, struct az_sv path, const struct az_window *w,
                         struct az_trace *t, enum az_window_miss miss)
{
    static const char *const text[] = {
        [AZ_WINDOW_FOUND] = "",
        [AZ_WINDOW_NO_RANGE] = "no range or module has this name; see the paths in table 'regions'",
        [AZ_WINDOW_NO_MARKS] = "no step marks for the window (program runs and repeating kernels "
                               "are not marks); use from and to, or range",
        [AZ_WINDOW_NO_STEP] = "no step with these numbers; see table 'steps'",
        [AZ_WINDOW_NO_EVENTS] = "no events with host times; use a trace instead of sums, or "
                                "start_signpost and end_signpost for an operation report",
        [AZ_WINDOW_NO_ROWS] =
            "no operation begins in the window; its times count from the first operation",
        [AZ_WINDOW_NO_ENDS] =
            "no such window of an operation report; use range, steps, or times from its first "
            "operation (250us, 50%)",
    };
    struct az_sv name = w->range;
    if (!name.n && !(w->from.range.n && w->to.range.n)) /* of two, either may be the one */
        name = w->from.range.n ? w->from.range : w->to.range;
    if (miss == AZ_WINDOW_NO_EVENTS && t->read == 0)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(path),
                            "no events recorded; check that the program uses the device and that "
                            "the profiler records it");
    if (miss == AZ_WINDOW_NO_RANGE && name.n)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(path), "no range or module '%.*s'; %.*s",
                            AZ_SVF(name), AZ_SVF(range_names(t)));
    if (miss == AZ_WINDOW_NO_STEP && w->step >= 0) {
        const struct az_sv span = span_text(t, w->step, w->last_step),
                           present = present_text(t, w->numbers);
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(path), "no step%s '%.*s'; %.*s",
                            w->last_step == w->step ? "" : "s", AZ_SVF(span), AZ_SVF(present));
    }
    return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(path), "%s", text[miss]);
}

int az_window_check(struct az_diag *diag, struct az_sv path, const struct az_window *w,
                    struct az_trace *t, enum az_window_miss miss)
{
    struct az_vec_i64 *numbers = w->numbers;
    int rc = numbers ? az_vec_error(numbers) : AZ_OK;
    if (rc)
        return rc;
    if (numbers)
        sort_numbers(numbers, t->mem);
    if (miss != AZ_WINDOW_FOUND)
        rc = fail_for_miss(diag, path, w, t, miss);
    else if (numbers && numbers->n)
        warn_missing(diag, path, w, t);
    return rc == 0 && t->arena.failed ? az_arena_error(&t->arena) : rc;
}
