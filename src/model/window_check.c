/* What a window names and the trace does not have: errors, and steps that are missing. */
#include <inttypes.h>

#include "base/sort.h"
#include "model/window.h"

enum az_window_miss az_window_miss_of_rows(const struct az_window *w, bool timed)
{
    if (w->range.n || w->step >= 0)
        return w->range.n ? AZ_WINDOW_NO_RANGE : AZ_WINDOW_NO_STEP;
    if (w->from.range.n || w->to.range.n || w->from.percent >= 0 || w->to.percent >= 0)
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

static int fail(struct az_diag *diag, struct az_sv path, const struct az_window *w,
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
            "operation (250us)",
    };
    struct az_sv name = w->range;
    if (!name.n && !(w->from.range.n && w->to.range.n)) /* of two, either may be the one */
        name = w->from.range.n ? w->from.range : w->to.range;
    if (miss == AZ_WINDOW_NO_RANGE && name.n)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(path),
                            "no range or module '%.*s'; see the paths in table 'regions'",
                            AZ_SVF(name));
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
        rc = fail(diag, path, w, t, miss);
    else if (numbers && numbers->n)
        warn_missing(diag, path, w, t);
    return rc == 0 && t->arena.failed ? az_arena_error(&t->arena) : rc;
}
