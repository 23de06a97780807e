/* Rows of the summed reports and of nvtx_gpu_proj_trace into the trace (docs/formats-nsight.md 1.1,
 * 2). */
#include "formats/nsys/nsys_csv.h"

#include <inttypes.h>
#include <math.h>

#include "base/num.h"

#define SHOWN_COMPLAINTS 5

static const enum az_nsys_col sum_counts[] = { NC_INSTANCES, NC_COUNT, NC_CALLS, NC_KERN_INST };
static const enum az_nsys_col kernel_names[] = { NC_NAME, NC_KERNEL_NAME, NC_OPERATION, NC_RANGE,
                                                 NC_NVTX_RANGE };
static const enum az_nsys_col memory_names[] = { NC_OPERATION, NC_NAME, NC_RANGE };
static const enum az_nsys_col time_names[] = { NC_TOTAL_TIME };
static const enum az_nsys_col size_names[] = { NC_TOTAL };
static const enum az_nsys_col proj_times[] = { NC_PROJ_DURATION };
static const enum az_nsys_col proj_names[] = { NC_NAME, NC_RANGE, NC_NVTX_RANGE };

/* ---- which columns ---- */

/* One column: the index of the option if set, else by title, else (a file without header)
 * `fallback`. */
static int choose(const struct az_nsys_csv_file *f, int64_t option, const enum az_nsys_col *cols,
                  size_t n, int fallback)
{
    if (option != AZ_UNSET_I64)
        return option >= 0 && option < INT32_MAX ? (int)option : -1;
    return f->trust_indexes ? fallback : az_nsys_head_first(&f->head, cols, n);
}

/* The titles of the current row, "a, b, c", truncated where the message would get long. */
static struct az_sv titles_seen(struct az_nsys_csv_file *f)
{
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    int rc = 0;
    for (size_t i = 0; i < f->csv.row.n && text.n < 400 && rc == 0; i++) {
        struct az_sv title = az_sv_trim(f->csv.row.v[i].raw);
        rc = az_text_printf(&text, "%s%.*s", i ? ", " : "", AZ_SVF(title));
    }
    struct az_sv seen = az_arena_dup(&f->job->trace->arena, az_text_view(&text));
    az_vec_release(&text);
    return seen;
}

static int missing(struct az_nsys_csv_file *f, enum az_nsys_col col)
{
    return az_diag_fail(f->diag, AZ_EFORMAT, AZ_AT_LINE(f->file->path, f->csv.line),
                        "missing column '%s' of the %s report (columns: %.*s)",
                        az_nsys_col_title(col), az_nsys_report_name(f->report),
                        AZ_SVF(titles_seen(f)));
}

static int bad_unit(struct az_nsys_csv_file *f, int column)
{
    struct az_sv title = az_sv_trim(f->csv.row.v[column].raw);
    return az_diag_fail(f->diag, AZ_EFORMAT, AZ_AT_LINE(f->file->path, f->csv.line),
                        "unknown unit of column '%.*s'; use ns, us, ms, s, B, KB, MB or GB",
                        AZ_SVF(title));
}

static int check_against_titles(struct az_nsys_csv_file *f)
{
    const int used[] = { f->time, f->count, f->name };
    for (size_t i = 0; i < 3; i++)
        if (used[i] >= 0 && (size_t)used[i] >= f->head.n)
            return az_diag_fail(f->diag, AZ_EFORMAT, AZ_AT_LINE(f->file->path, f->csv.line),
                                "column index %d is out of range: %zu columns (%.*s)", used[i],
                                f->head.n, AZ_SVF(titles_seen(f)));
    if (f->time < NSYS_MAX_TITLES && f->head.unit[f->time] == NSYS_UNIT_STRANGE)
        return bad_unit(f, f->time);
    return 0;
}

int az_nsys_csv_pick(struct az_nsys_csv_file *f)
{
    const struct az_options *o = f->job->opts;
    f->count = -1;
    switch (f->report) {
    case NR_MEM_TIME:
        f->time = choose(f, o->mem_time_idx, time_names, 1, 1);
        f->count = choose(f, o->mem_count_idx, sum_counts, 4, 2);
        f->name = choose(f, o->mem_name_idx, memory_names, 3, 8);
        break;
    case NR_MEM_SIZE:
        f->time = choose(f, AZ_UNSET_I64, size_names, 1, 0);
        f->count = choose(f, AZ_UNSET_I64, sum_counts, 4, 1);
        f->name = choose(f, AZ_UNSET_I64, memory_names, 3, 7);
        break;
    case NR_PROJ_TRACE:
        f->time = choose(f, o->nvtx_proj_duration_idx, proj_times, 1, 2);
        f->name = choose(f, o->nvtx_tag_idx, proj_names, 3, 0);
        break;
    case NR_GPU_TRACE:
        f->time = f->head.at[NC_DURATION];
        f->name = f->head.at[NC_NAME];
        return 0; /* its titles were all there, or it would not have been recognized */
    default:
        f->time = choose(f, o->kernel_total_time_idx, time_names, 1, 1);
        f->count = choose(f, o->kernel_instance_idx, sum_counts, 4, 2);
        f->name = choose(f, o->kernel_name_idx, kernel_names, 5, 8);
        break;
    }
    bool projection = f->report == NR_PROJ_TRACE;
    if (f->time < 0)
        return missing(f, projection                 ? NC_PROJ_DURATION
                          : f->report == NR_MEM_SIZE ? NC_TOTAL
                                                     : NC_TOTAL_TIME);
    if (f->count < 0 && !projection)
        return missing(f, f->report == NR_KERNEL_SUM ? NC_INSTANCES : NC_COUNT);
    if (f->name < 0)
        return missing(f, f->report == NR_KERNEL_SUM || projection ? NC_NAME : NC_OPERATION);
    return f->trust_indexes ? 0 : check_against_titles(f);
}

/* ---- fields ---- */

struct az_sv az_nsys_csv_text(const struct az_nsys_csv_file *f, int column)
{
    if (column < 0 || (size_t)column >= f->csv.row.n)
        return az_sv_make("", 0);
    const struct az_csv_field *field = &f->csv.row.v[column];
    if (!field->quoted && az_sv_is(field->raw, "None"))
        return az_sv_make("", 0); /* NULL of older releases */
    return az_csv_text(&f->job->trace->arena, field);
}

static int64_t unit_of(const struct az_nsys_csv_file *f, int column)
{
    if (f->trust_indexes || column >= NSYS_MAX_TITLES || (size_t)column >= f->head.n)
        return NSYS_UNIT_NONE;
    int64_t unit = f->head.unit[column];
    return unit > 0 ? unit : NSYS_UNIT_NONE;
}

int az_nsys_csv_value(const struct az_nsys_csv_file *f, int column, int64_t *out)
{
    if (column < 0 || (size_t)column >= f->csv.row.n)
        return 1;
    return az_csv_scaled(&f->csv.row.v[column], unit_of(f, column), out);
}

/* A statistic in ns or bytes; NaN where it is missing or unreadable (nothing is computed from it).
 */
static double statistic(const struct az_nsys_csv_file *f, enum az_nsys_col col)
{
    int at = f->head.at[col];
    double x = 0;
    if (at < 0 || (size_t)at >= f->csv.row.n || az_csv_f64(&f->csv.row.v[at], &x) != 0)
        return NAN;
    return x * (double)unit_of(f, at);
}

static int64_t integer(const struct az_nsys_csv_file *f, enum az_nsys_col col, int64_t fallback)
{
    int at = f->head.at[col];
    int64_t x = 0;
    if (at < 0 || (size_t)at >= f->csv.row.n || az_csv_i64(&f->csv.row.v[at], &x) != 0)
        return fallback;
    return x;
}

int az_nsys_csv_skip(struct az_nsys_csv_file *f, const char *reason)
{
    struct az_where at = AZ_AT_LINE(f->file->path, f->csv.line);
    if (++f->complaints <= SHOWN_COMPLAINTS)
        az_diag_add(f->diag, AZ_WARNING, at, "row skipped: %s", reason);
    else if (f->complaints == SHOWN_COMPLAINTS + 1)
        az_diag_add(f->diag, AZ_WARNING, at,
                    "more rows skipped; see the data coverage for their number");
    az_trace_dropped(f->job->trace, AZ_DROP_LOST, reason, 1, 0);
    return 0;
}

/* ---- rows ---- */

/* A count may be written "3.0" by spreadsheet programs. */
static int count_field(const struct az_csv_field *field, int64_t *out)
{
    int rc = az_csv_i64(field, out);
    if (rc >= 0)
        return rc;
    double x = 0;
    rc = az_csv_f64(field, &x);
    if (rc != 0)
        return rc;
    if (x != floor(x) || fabs(x) > 9e15)
        return AZ_EFORMAT;
    *out = (int64_t)x;
    return 0;
}

static int total_field(const struct az_nsys_csv_file *f, struct az_sum *s)
{
    int rc = f->value_rc;
    if (rc != 0)
        return rc;
    s->total_ns = f->value;
    s->total = (double)s->total_ns;
    /* As written, so that the classic arithmetic sees what the reference sees; a scale set by the
     * user overrides the title. */
    if (unit_of(f, f->time) == 1 || f->job->opts->time_scale_given)
        rc = az_csv_f64(&f->csv.row.v[f->time], &s->total);
    return rc;
}

/* Room for the rows that are probably left: a list that grows is copied, and its pages are touched
 * twice. A guess only: of no more than a small file has, far below the limit of memory. */
static void make_room(const struct az_nsys_csv_file *f, struct az_sums *list)
{
    const size_t left = az_csv_rows_left(&f->csv, list->n);
    const struct az_mem *m = list->mem;
    const size_t more = left < 16384 ? left : 16384, bytes = more * sizeof *list->v;
    if (!m || m->limit == 0 || bytes < m->limit / 16) {
        const int rc = az_vec_reserve(list, more);
        (void)rc; /* without it the list grows as it must */
    }
}

static int sum_row(struct az_nsys_csv_file *f, struct az_sums *list)
{
    struct az_trace *t = f->job->trace;
    struct az_sum s = { .count = 0 };
    int rc = total_field(f, &s);
    if (rc == AZ_ERANGE)
        return az_nsys_csv_skip(f, "time out of range");
    if (rc != 0)
        return az_nsys_csv_skip(f, "missing or invalid time");
    if ((size_t)f->count >= f->csv.row.n || count_field(&f->csv.row.v[f->count], &s.count) != 0)
        return az_nsys_csv_skip(f, "missing or invalid count");
    if (s.total_ns < 0 || s.count < 0)
        return az_nsys_csv_skip(f, s.count < 0 ? "negative count" : "negative time");
    struct az_sv name = az_nsys_csv_text(f, f->name);
    if (name.n == 0)
        return az_nsys_csv_skip(f, "row without a name");
    s.name = az_trace_name(t, name);
    s.avg = statistic(f, NC_AVG);
    s.med = statistic(f, NC_MED);
    s.min = statistic(f, NC_MIN);
    s.max = statistic(f, NC_MAX);
    s.std = statistic(f, NC_STD);
    if (list->n == 256)
        make_room(f, list);
    return az_vec_push(list, s);
}

static uint32_t name_or_none(struct az_nsys_csv_file *f, enum az_nsys_col col)
{
    struct az_sv text = az_nsys_csv_text(f, f->head.at[col]);
    return text.n ? az_trace_name(f->job->trace, text) : AZ_NO_ID;
}

static int64_t time_or_none(const struct az_nsys_csv_file *f, enum az_nsys_col col)
{
    int64_t x = 0;
    return az_nsys_csv_value(f, f->head.at[col], &x) == 0 ? x : INT64_MIN;
}

static int projection_row(struct az_nsys_csv_file *f)
{
    struct az_trace *t = f->job->trace;
    struct az_sv name = az_nsys_csv_text(f, f->name);
    if (name.n == 0) { /* older releases: the operations outside every range
                          (docs/formats-nsight.md 2.3), no defect */
        az_trace_dropped(t, AZ_DROP_NOT_MODELLED, "projection row without a name", 1, 0);
        return 0;
    }
    struct az_proj p = { .start = time_or_none(f, NC_PROJ_START),
                         .orig_start = time_or_none(f, NC_ORIG_START),
                         .orig_duration = time_or_none(f, NC_ORIG_DURATION),
                         .pid = integer(f, NC_PID, -1),
                         .tid = integer(f, NC_TID, -1),
                         .gpu_ops = integer(f, NC_GPU_OPS, -1),
                         .level = integer(f, NC_LEVEL, -1),
                         .children = integer(f, NC_CHILDREN, -1),
                         .range_id = integer(f, NC_RANGE_ID, -1),
                         .parent_id = integer(f, NC_PARENT_ID, -1) };
    p.duration = f->value;
    if (f->value_rc != 0)
        return az_nsys_csv_skip(f, "missing or invalid projected duration");
    p.name = az_trace_name(t, name);
    p.style = name_or_none(f, NC_STYLE);
    p.stack = name_or_none(f, NC_RANGE_STACK);
    return t->names.error ? t->names.error : az_vec_push(&t->proj, p);
}

/* Is this a message line or the titles of the next report rather than data? */
static bool ends_section(const struct az_nsys_csv_file *f)
{
    if (f->trust_indexes)
        return false;
    if (f->csv.row.n == 1 && f->head.n > 1)
        return !f->csv.row.v[0].quoted; /* "Processing [...]..." or "SKIPPED: ..." */
    if (f->value_rc >= 0)
        return false;
    struct az_nsys_head next;
    az_nsys_head_init(&next);
    for (size_t i = 0; i < f->csv.row.n; i++)
        az_nsys_head_add(&next, f->csv.row.v[i].raw);
    return az_nsys_head_report(&next) != NR_NONE;
}

int az_nsys_csv_row(struct az_nsys_csv_file *f)
{
    struct az_trace *t = f->job->trace;
    f->value_rc = az_nsys_csv_value(f, f->time, &f->value);
    if (ends_section(f))
        return 1;
    t->read++;
    f->short_last = false;
    if (f->csv.row.n < f->head.n && (size_t)f->name >= f->csv.row.n) {
        f->short_last = true;
        return az_nsys_csv_skip(f, "too few fields; check whether the file is truncated");
    }
    switch (f->report) {
    case NR_MEM_TIME:
        return sum_row(f, &t->mem_sums);
    case NR_MEM_SIZE:
        return sum_row(f, &t->mem_sizes);
    case NR_PROJ_TRACE:
        return projection_row(f);
    case NR_GPU_TRACE:
        return az_nsys_csv_gpu_row(f);
    default:
        return sum_row(f, &t->kernel_sums);
    }
}
