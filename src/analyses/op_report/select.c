/* Which rows are reported, in which order: by host start time, inside the window of signposts,
 * devices merged (docs/formats-tracy.md 3 to 5). */

#include "analyses/op_report/opreport.h"
#include "base/sort.h"

/* Which rows are kept: hosts have clocks of their own, so each file is truncated at its own
 * signposts. */
struct window {
    uint32_t *order; /* rows by time */
    size_t n;
    size_t low, high; /* of the file examined */
    int64_t file;     /* -1: of no file alone */
    bool cut;         /* a rule chose it: its signposts are dropped */
    bool quiet;       /* notes were made for another file */
    uint8_t *out;     /* by place in order: not kept */
};

static const struct az_oprow *row_at(const struct az_op_report *t, const struct window *w, size_t i)
{
    return &t->r->rows.v[w->order[i]];
}

#define say(t, w, ...) ((w)->quiet ? (void)0 : az_op_report_note((t), __VA_ARGS__))

/* A signpost of the options that is not there: the report is of more than the user requested. */
static void warn_missing(struct az_op_report *t, const struct window *w, const char *option,
                         struct az_sv text, const char *twice)
{
    say(t, w, "%s '%.*s' not found%s, ignored", option, AZ_SVF(text), twice);
    if (!w->quiet)
        az_diag_add(t->job->diag, AZ_WARNING, AZ_AT_FILE(t->trace->path),
                    "%s '%.*s' not found%s, ignored; see table 'signposts'", option, AZ_SVF(text),
                    twice);
}

static int by_time(struct az_op_report *t, struct window *w)
{
    /* replays have the times of the calls that were captured */
    const bool sorted =
        t->r->has_host_start && !t->o->tracing_mode && (!t->r->replayed || t->first);
    w->n = t->r->rows.n;
    w->order = az_mem_alloc(t->job->mem, (w->n + 1) * sizeof *w->order);
    int64_t *key = sorted ? az_mem_alloc(t->job->mem, (w->n + 1) * sizeof *key) : NULL;
    int rc = w->order && (key || !sorted) ? 0 : az_mem_error(t->job->mem);

    for (size_t i = 0; rc == 0 && i < w->n; i++) {
        int64_t s = t->r->rows.v[i].start;
        w->order[i] = (uint32_t)i;
        if (sorted)
            key[i] = s == INT64_MIN ? INT64_MAX : s; /* blank last */
    }
    if (rc == 0 && sorted)
        az_sort_order(key, w->n, w->order, t->job->mem);
    az_mem_free(t->job->mem, key, (w->n + 1) * sizeof *key);
    return rc;
}

static bool is_signpost(const struct az_op_report *t, const struct window *w, size_t i)
{
    return row_at(t, w, i)->kind == AZ_OPROW_SIGNPOST &&
           (w->file < 0 || row_at(t, w, i)->file == w->file);
}

/* Position of the nth (from 0) signpost of that text; w->n if there is none. */
static size_t find_signpost(const struct az_op_report *t, const struct window *w, struct az_sv text,
                            size_t nth)
{
    for (size_t i = 0; i < w->n; i++)
        if (is_signpost(t, w, i) && az_sv_eq(az_op_report_text(t, row_at(t, w, i)->code), text) &&
            nth-- == 0)
            return i;
    return w->n;
}

static void cut_start(struct az_op_report *t, struct window *w)
{
    struct az_sv s = t->o->start_signpost;
    size_t i = find_signpost(t, w, s, 0);
    if (i == w->n) {
        warn_missing(t, w, "start_signpost", s, "");
        return;
    }
    w->low = i + 1;
    w->cut = true;
    say(t, w, "operations after signpost '%.*s'", AZ_SVF(s));
}

static void cut_end(struct az_op_report *t, struct window *w)
{
    struct az_sv e = t->o->end_signpost;
    bool same = az_sv_eq(e, t->o->start_signpost);
    size_t i = find_signpost(t, w, e, same);
    if (i == w->n) {
        warn_missing(t, w, "end_signpost", e, same ? " twice" : "");
        return;
    }
    if (same && find_signpost(t, w, e, 2) < w->n)
        say(t, w, "signpost '%.*s' occurs more than twice; using the first two", AZ_SVF(e));
    w->high = i;
    w->cut = true;
    say(t, w, "operations before signpost '%.*s'", AZ_SVF(e));
}

static bool has_operations(const struct az_op_report *t, const struct window *w, size_t from,
                           size_t to)
{
    for (size_t i = from; i < to; i++)
        if (row_at(t, w, i)->kind != AZ_OPROW_SIGNPOST &&
            (w->file < 0 || row_at(t, w, i)->file == w->file))
            return true;
    return false;
}

/* Neither is given, or found: what follows the last signpost; of several with its text the last (or
 * first) one. One that nothing follows ends what was measured and begins nothing: then nothing is
 * cut, unless the report is to be that of tt-perf-report, which is empty. */
static void cut_last(struct az_op_report *t, struct window *w)
{
    size_t last = w->n, count = 0;
    for (size_t i = 0; i < w->n; i++)
        if (is_signpost(t, w, i)) {
            last = i;
            count++;
        }
    if (last == w->n)
        return;
    struct az_sv text = az_op_report_text(t, row_at(t, w, last)->code);
    if (az_sv_is(t->o->last_signpost, "first"))
        last = find_signpost(t, w, text, 0);
    if (!(t->o->compat & (AZ_TOOL_TT_PERF_REPORT | AZ_TOOL_ALL)) &&
        !has_operations(t, w, last + 1, w->n) && has_operations(t, w, 0, last)) {
        say(t, w,
            "no operations after the last of %zu signposts, '%.*s': using all operations (select "
            "with start_signpost and end_signpost)",
            count, AZ_SVF(text));
        w->cut = true; /* of its signposts */
        return;
    }
    w->low = last + 1;
    w->cut = true;
    if (!w->quiet)
        t->last_mark = row_at(t, w, last)->code;
    say(t, w,
        "operations after the last of %zu signposts, '%.*s' (ignore_signposts: the whole file)",
        count, AZ_SVF(text));
}

static void choose_window(struct az_op_report *t, struct window *w)
{
    w->low = 0;
    w->high = w->n;
    w->cut = false;
    if (t->o->start_signpost.n)
        cut_start(t, w);
    if (t->o->end_signpost.n)
        cut_end(t, w);
    if (!w->cut && t->trace->windowed)
        w->cut = true; /* of its signposts: the user chose all that is in the window */
    else if (!w->cut)
        cut_last(t, w);
}

/* Does the file have any of the signposts that the rules could use? */
static bool has_signposts(const struct az_op_report *t, struct window *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (is_signpost(t, w, i))
            return true;
    return false;
}

/* Marks the rows that are not kept. */
static void cut_files(struct az_op_report *t, struct window *w)
{
    for (size_t f = 0; f < t->r->files.n; f++) {
        w->file = (int64_t)f;
        if (t->r->files.n == 1 || !has_signposts(t, w))
            w->file = -1;
        choose_window(t, w);
        w->quiet = true;
        bool drop = w->cut && !t->o->print_signposts && !t->first;
        for (size_t i = 0; i < w->n; i++) {
            const struct az_oprow *r = row_at(t, w, i);
            if (r->file == f &&
                (i < w->low || i >= w->high || (drop && r->kind == AZ_OPROW_SIGNPOST)))
                w->out[i] = 1;
        }
    }
}

/* The window by row of the file. */
static int keep_window(struct az_op_report *t, const struct window *w)
{
    t->in_window = az_arena_array(t->job->arena, w->n + 1, 1);
    if (!t->in_window)
        return az_arena_error(t->job->arena);
    for (size_t i = 0; i < w->n; i++)
        t->in_window[w->order[i]] = !w->out[i];
    return 0;
}

int az_op_report_select(struct az_op_report *t, bool whole, struct az_op_report_rows *out)
{
    struct window w = { .n = 0 };
    struct az_op_report_merge_notes notes = { .blocks = 0 };
    size_t n = 0;
    int rc = by_time(t, &w);

    w.out = az_mem_alloc(t->job->mem, t->r->rows.n + 1);
    if (rc == 0 && !w.out)
        rc = az_mem_error(t->job->mem);
    if (rc == 0) {
        memset(w.out, 0, t->r->rows.n + 1);
        if (t->o->ignore_signposts && !whole)
            az_op_report_note(t, "signposts ignored: whole file");
        else if (!whole)
            cut_files(t, &w);
        if (!whole)
            rc = keep_window(t, &w);
        for (size_t i = 0; i < w.n; i++)
            if (!w.out[i])
                w.order[n++] = w.order[i];
    }
    if (rc == 0) {
        rc = az_op_report_merge(t, w.order, n, out, whole ? &notes : &t->merge);
    }
    az_mem_free(t->job->mem, w.out, t->r->rows.n + 1);
    az_mem_free(t->job->mem, w.order, (t->r->rows.n + 1) * sizeof *w.order);
    return rc;
}
