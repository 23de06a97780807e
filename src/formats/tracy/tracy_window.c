/* A window of an operation report: rows from a signpost to the next one, or by the time of their
 * host (docs/regions.md 7); and the rows as a report of their own. */
#include "base/num.h"
#include "classify/steps.h"
#include "formats/shared/cut_output.h"
#include "formats/shared/cut_records.h"
#include "formats/tracy/tracy_csv.h"
#include "model/window.h"

bool az_tracy_window_needs_times(const struct az_window *w)
{
    return w->from.percent >= 0 || w->to.percent >= 0;
}

bool az_tracy_window_chooses(const struct az_window *w)
{
    return w->range.n || w->step >= 0 || w->from.ns != AZ_UNSET_I64 || w->to.ns != AZ_UNSET_I64 ||
           az_tracy_window_needs_times(w);
}

static void set_part(struct az_window_end *e, const struct az_tracy_window *s)
{
    const double length = (double)s->last - (double)s->first + 1; /* the last row is before 100% */
    if (e->percent >= 0)
        e->ns = s->timed ? az_whole(length * e->percent / 100) : INT64_MAX;
}

void az_tracy_window_set_parts(struct az_window *w, const struct az_tracy_window *s)
{
    set_part(&w->from, s);
    set_part(&w->to, s);
}

void az_tracy_window_time(struct az_tracy_window *s, int64_t start)
{
    if (start == INT64_MIN)
        return;
    if (!s->timed)
        s->first = start;
    s->timed = true;
    s->last = start;
}

/* What a signpost begins. */
static void take_signpost(struct az_tracy_window *s, const struct az_window *w, struct az_sv name)
{
    struct az_sv stem;
    int64_t number;
    if (w->range.n)
        s->inside = az_window_names(w, name);
    if (w->step < 0 || az_step_mark_of(name, &stem, &number) == AZ_MARK_NONE)
        return;
    number = number < 0 ? s->place : number;
    s->place++;
    s->inside = az_window_add_step(w, number);
}

bool az_tracy_window_row(struct az_tracy_window *s, const struct az_window *w, bool signpost,
                         struct az_sv name, int64_t start)
{
    if (s->rows++ == 0)
        s->inside = !w->range.n && w->step < 0;
    if (signpost)
        take_signpost(s, w, name);
    az_tracy_window_time(s, start);
    const int64_t at = s->timed ? s->last - s->first : 0;
    const bool inside = s->inside && (w->from.ns == AZ_UNSET_I64 || at >= w->from.ns) &&
                        (w->to.ns == AZ_UNSET_I64 || at < w->to.ns);
    s->any |= inside;
    return inside;
}

/* ---- a report of the rows ---- */

struct az_tracy_copy {
    struct az_cut *job;
    struct az_cut_output output;
};

static void put_text(struct az_tracy_copy *c, struct az_sv s) { az_cut_output_put(&c->output, s); }

void az_tracy_copy_row(struct az_tracy_copy *c, const struct az_csv *csv, bool kept)
{
    c->job->read++;
    c->job->kept += kept;
    for (size_t i = 0; kept && i < csv->row.n; i++) {
        const struct az_csv_field *f = &csv->row.v[i];
        put_text(c, i ? AZ_SV(",") : AZ_SV(""));
        put_text(c, f->quoted ? AZ_SV("\"") : AZ_SV(""));
        put_text(c, f->raw);
        put_text(c, f->quoted ? AZ_SV("\"") : AZ_SV(""));
    }
    if (kept)
        put_text(c, AZ_SV("\n"));
}

static int read_rows(struct az_cut *job, struct az_tracy_copy *copy,
                     int (*parse)(struct az_parse *, struct az_tracy_copy *))
{
    const struct az_file file = { .path = job->in };
    struct az_trace t;
    struct az_parse p = az_cut_parse(job, &file, &t);
    int rc = az_trace_init(&t, job->mem);
    t.path = job->in;
    t.window = job->window;
    if (rc == 0)
        rc = parse(&p, copy);
    if (rc == 0)
        rc = az_window_check(job->diag, job->in, job->window, &t,
                             t.windowed ? AZ_WINDOW_FOUND
                                        : az_window_miss_of_rows(job->window, t.recorded > 0));
    az_trace_release(&t);
    return rc;
}

int az_tracy_cut(struct az_cut *job, int (*parse)(struct az_parse *, struct az_tracy_copy *))
{
    struct az_tracy_copy c = { .job = job };
    if (job->keep != AZ_CUT_ALL || !az_tracy_window_chooses(job->window))
        return az_diag_fail(job->diag, AZ_EUSAGE, AZ_AT_FILE(job->in),
                            "an operation report is cut by --range, --steps, or times of --from "
                            "and --to");
    const int rc = az_cut_output_open(&c.output, job->out, job->mem, job->diag);
    if (rc)
        return rc;
    put_text(&c, AZ_SV(AZ_TRACY_WINDOW_REMARK "\n"));
    return az_cut_output_close(&c.output, read_rows(job, &c, parse));
}
