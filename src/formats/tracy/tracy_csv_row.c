/* One row of the CSV into the report: kinds of rows, times, shapes (docs/formats-tracy.md 1.1
 * to 1.3). */
#include "formats/tracy/tracy_csv.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"

static const struct az_csv_field *csv_cell(const struct az_tracy_file *f, int col)
{
    return f->at[col] >= 0 && (size_t)f->at[col] < f->csv.row.n ? &f->csv.row.v[f->at[col]] : NULL;
}

static struct az_sv cell_text(struct az_tracy_file *f, int col)
{
    const struct az_csv_field *c = csv_cell(f, col);
    return c ? az_csv_text(&f->job->trace->arena, c) : (struct az_sv){ "", 0 };
}

static void count_bad_cell(struct az_tracy_file *f, int col)
{
    if (f->bad_cells++ == 0) {
        f->bad_line = f->csv.line;
        f->bad_column = az_sv_str(az_tracy_title((enum az_tracy_col)col));
    }
}

/* Most numbers are a few digits: the leading ones of a cell, and how many they are; 0 if too many
 * for this short way.
 */
static size_t short_number(struct az_sv s, int64_t *out)
{
    int64_t v = 0;
    size_t n = 0;
    for (; n < s.n && s.p[n] >= '0' && s.p[n] <= '9'; n++) {
        if (n == 15)
            return 0;
        v = v * 10 + (s.p[n] - '0');
    }
    *out = v;
    return n;
}

static double real_number(struct az_tracy_file *f, int col)
{
    const struct az_csv_field *c = csv_cell(f, col);
    double v;
    int64_t whole_number;
    if (!c || c->raw.n == 0)
        return NAN;
    if (short_number(c->raw, &whole_number) == c->raw.n)
        return (double)whole_number;
    int rc = az_csv_f64(c, &v);
    if (rc == 0 && isfinite(v))
        return v;
    if (rc != 1)
        count_bad_cell(f, col);
    return NAN;
}

/* Whole number, also written "64.0"; `none` for blank. */
static int64_t whole(struct az_tracy_file *f, int col, int64_t none)
{
    const struct az_csv_field *c = csv_cell(f, col);
    int64_t v;
    if (!c || c->raw.n == 0)
        return none;
    if (short_number(c->raw, &v) == c->raw.n)
        return v;
    int rc = az_csv_i64(c, &v);
    if (rc == 0)
        return v;
    if (rc == 1)
        return none;
    double d = real_number(f, col);
    if (isnan(d))
        return none;
    if (d < -9e18 || d > 9e18) {
        count_bad_cell(f, col);
        return none;
    }
    return (int64_t)d;
}

/* Whole and 0 or more, else blank. */
static int32_t small(struct az_tracy_file *f, int col)
{
    const double d = real_number(f, col);
    if (isnan(d) || (d >= 0 && d <= INT32_MAX && d == floor(d)))
        return isnan(d) ? -1 : (int32_t)d;
    count_bad_cell(f, col);
    return -1;
}

#define LARGEST (INT64_C(1) << 32) /* elements of a dimension: more, or 0, is no shape */

int az_tracy_dim(struct az_sv s, int64_t *out)
{
    const char *open;
    double d;
    size_t n = short_number(s, out);

    if (!(n && (n == s.n || (s.p[n] == '[' && s.p[s.n - 1] == ']')))) {
        *out = -1;
        s = az_sv_trim(s);
        if (s.n == 0)
            return 0;
        open = memchr(s.p, '[', s.n);
        if (open && s.p[s.n - 1] != ']')
            return AZ_EFORMAT;
        s.n = open ? (size_t)(open - s.p) : s.n;
        if (az_parse_f64(s, &d) != 0 || !(d >= 0 && d < 1e15) || d != floor(d))
            return AZ_EFORMAT;
        *out = (int64_t)d;
    }
    if (*out >= 1 && *out <= LARGEST)
        return 0;
    *out = -1;
    return AZ_EFORMAT;
}

static uint32_t name_of(struct az_tracy_file *f, int col)
{
    struct az_sv s = az_sv_trim(cell_text(f, col));
    return s.n ? az_trace_name(f->job->trace, s) : AZ_NO_ID;
}

static void tensor(struct az_tracy_file *f, int first, struct az_tensor *t)
{
    for (int d = 0; d < 4; d++) {
        const struct az_csv_field *c = csv_cell(f, first + d);
        t->dim[d] = -1;
        if (c && c->raw.n && az_tracy_dim(c->raw, &t->dim[d]) != 0) {
            struct az_sv none = az_sv_trim(c->raw);
            if (!az_sv_ieq(none, AZ_SV("nan")) && !az_sv_ieq(none, AZ_SV("none")))
                count_bad_cell(f, first + d);
        }
    }
    t->type = name_of(f, first + 4);
    t->memory = name_of(f, first + 5);
}

/* The attributes of most rows were seen before: their text is a kilobyte, so only its hash is
 * looked up. */
static int attributes(struct az_tracy_file *f, struct az_opargs *a)
{
    struct az_tracy_attributes *known = f->attributes;
    struct az_sv s = cell_text(f, TC_ATTRIBUTES);
    uint32_t *at;
    bool added;
    int rc = az_map_put(&known->map, az_hash(s.p, s.n), s.n, (uint32_t)known->rows.n, &at, &added);

    if (rc)
        return rc;
    if (!added) {
        *a = known->rows.v[*at];
        return 0;
    }
    memset(a, 0, sizeof *a);
    az_tracy_attributes(f->job->trace, s, a);
    return az_vec_push(&known->rows, *a);
}

static int read_args(struct az_tracy_file *f, uint32_t *row)
{
    struct az_opargs a;
    int rc = attributes(f, &a);
    for (int t = 0; t < AZ_TENSORS; t++)
        tensor(f, TC_PLAIN + t * 6, &a.t[t]);
    a.fidelity = name_of(f, TC_FIDELITY);
    return rc ? rc : az_opreport_args(f->job->trace, &a, row);
}

static enum az_opkind kind_of(struct az_sv type)
{
    if (az_sv_is(type, "signpost"))
        return AZ_OPROW_SIGNPOST;
    if (az_sv_is(type, "python_fallback") || az_sv_is(type, "tt_dnn_cpu"))
        return AZ_OPROW_HOST;
    return AZ_OPROW_DEVICE;
}

static uint32_t replay(struct az_tracy_file *f)
{
    struct az_sv trace = az_sv_trim(cell_text(f, TC_TRACE)),
                 session = az_sv_trim(cell_text(f, TC_REPLAY));
    if (trace.n == 0 && session.n == 0)
        return AZ_NO_ID;
    f->report->replayed = true;
    struct az_sv both =
        az_arena_printf(&f->job->trace->arena, "%.*s/%.*s", AZ_SVF(trace), AZ_SVF(session));
    return az_trace_name(f->job->trace, both); /* no memory: an error of the trace's arena */
}

static void note_device(struct az_tracy_file *f, const struct az_oprow *r)
{
    if (r->device > f->max_device)
        f->max_device = r->device;
    if (r->kind != AZ_OPROW_DEVICE || r->call < 0 || r->device < 0)
        return;
    f->call_seen = true;
    f->call_differs |= (r->call & 1023) != r->device;
}

/* Worker cores of a row: finite, whole, 1 to 2^20. -1: blank or not usable, which is counted. */
static int32_t budget(struct az_tracy_file *f)
{
    const double v = real_number(f, TC_WORKERS);
    if (isnan(v))
        return -1;
    if (v >= 1 && v <= 1 << 20 && v == floor(v))
        return (int32_t)v;
    f->bad_budgets++;
    return -1;
}

static uint8_t cached(struct az_tracy_file *f)
{
    const struct az_sv s = az_sv_trim(cell_text(f, TC_CACHE_HIT));
    return az_sv_ieq(s, AZ_SV("true"))    ? AZ_FLAG_TRUE
           : az_sv_ieq(s, AZ_SV("false")) ? AZ_FLAG_FALSE
                                          : AZ_FLAG_ABSENT;
}

/* A whole number, also written "1.0", or the text itself. */
static uint32_t sub_device(struct az_tracy_file *f)
{
    struct az_sv s = az_sv_trim(cell_text(f, TC_SUB_DEVICE));
    char number[24];
    double v;
    if (s.n && az_parse_f64(s, &v) == 0 && v == floor(v) && fabs(v) < 1e15)
        s = az_sv_make(number, (size_t)snprintf(number, sizeof number, "%.0f", v));
    return s.n ? az_trace_name(f->job->trace, s) : AZ_NO_ID;
}

/* The device by the whole file: the first architecture, the largest grid. */
static void note_grid(struct az_tracy_file *f, const struct az_oprow *row)
{
    struct az_opreport *r = f->report;
    struct az_where here = AZ_AT_LINE(f->path, f->csv.line);
    struct az_sv arch = az_sv_trim(cell_text(f, TC_ARCH));

    if (arch.n && !r->arch.n)
        r->arch = az_arena_dup(&f->job->trace->arena, arch);
    else if (arch.n && !az_sv_eq(arch, r->arch) && !f->told_arch) {
        f->told_arch = true;
        az_diag_add(f->job->diag, AZ_WARNING, here,
                    "second architecture '%.*s'; peaks of the first, '%.*s', are used for all",
                    AZ_SVF(arch), AZ_SVF(r->arch));
    }
    if (row->budget > 0 && r->workers > 0 && row->budget != r->workers)
        r->budgets_differ = true;
    r->workers = row->budget > r->workers ? row->budget : r->workers;
}

/* A host operation in the common model. Device operations follow when all rows are read
 * (az_tracy_time_line); until then r->at is when the host called. */
static int event(struct az_tracy_file *f, struct az_oprow *r)
{
    struct az_trace *t = f->job->trace;
    struct az_lane lane = { .device = -1, .label = AZ_NO_ID };
    struct az_event e = { .name = r->code,
                          .start = r->start == INT64_MIN ? f->last_start : r->start };

    if (r->kind == AZ_OPROW_SIGNPOST)
        return 0;
    f->last_start = r->at = e.start;
    if (r->kind == AZ_OPROW_DEVICE)
        return 0;
    double length = real_number(f, TC_HOST_DURATION);
    if (isnan(length) || length < 0 || length > 9e17 || e.start > INT64_MAX - (int64_t)1e18)
        length = 0;
    e.end = e.start + llround(length);
    const int rc = az_trace_lane(t, &lane, &e.lane);
    return rc ? rc : az_trace_add(t, AZ_HOST_OP, &e);
}

int64_t az_tracy_row_start(struct az_tracy_file *f) { return whole(f, TC_START, INT64_MIN); }

bool az_tracy_row_is_inside(struct az_tracy_file *f)
{
    const struct az_window *w = &f->chosen;
    if (!f->job->trace->window || !az_tracy_window_chooses(w))
        return true;
    const bool signpost = kind_of(az_sv_trim(cell_text(f, TC_TYPE))) == AZ_OPROW_SIGNPOST;
    const bool inside = az_tracy_window_row(
        &f->window, w, signpost, az_sv_trim(cell_text(f, TC_CODE)), az_tracy_row_start(f));
    f->job->trace->windowed |= inside;
    int64_t *length = &f->job->trace->recorded; /* at least 1: there are times */
    if (f->window.timed &&
        (__builtin_sub_overflow(f->window.last, f->window.first, length) || *length < 1))
        *length = 1;
    return inside;
}

int az_tracy_row(struct az_tracy_file *f)
{
    struct az_oprow r = { .file = (uint16_t)f->index, .line = (uint32_t)(f->rows + 1) };

    r.code = name_of(f, TC_CODE);
    if (r.code == AZ_NO_ID && f->device_side)
        r.code = az_trace_name(f->job->trace, AZ_SV("(unnamed)"));
    if (r.code == AZ_NO_ID) {
        f->nameless++;
        return f->job->trace->names.error;
    }
    r.kind = (uint8_t)kind_of(az_sv_trim(cell_text(f, TC_TYPE)));
    r.start = whole(f, TC_START, INT64_MIN);
    r.call = whole(f, TC_CALL, -1);
    r.device = small(f, TC_DEVICE);
    r.cores = small(f, TC_CORES);
    r.budget = budget(f);
    r.first = whole(f, TC_FIRST_CYCLE, -1);
    r.last = whole(f, TC_LAST_CYCLE, -1);
    r.cached = cached(f);
    r.kernel = real_number(f, TC_KERNEL);
    r.firmware = real_number(f, TC_FIRMWARE);
    if (f->kernel_cycles && isnan(r.firmware))
        r.firmware = r.kernel;
    r.gap = real_number(f, TC_GAP);
    r.pm_ideal = real_number(f, TC_PM_IDEAL);
    r.pm_compute = (float)real_number(f, TC_PM_COMPUTE);
    r.pm_memory = (float)real_number(f, TC_PM_MEMORY);
    r.pm_fpu = real_number(f, TC_PM_FPU);
    r.noc = real_number(f, TC_NOC);
    r.dram = real_number(f, TC_DRAM);
    r.eth = real_number(f, TC_ETH);
    note_device(f, &r);
    if (r.kind == AZ_OPROW_DEVICE)
        note_grid(f, &r);
    r.replay = replay(f);
    r.sub = sub_device(f);
    int rc = read_args(f, &r.args);
    if (rc == 0)
        rc = event(f, &r);
    az_vec_add(&f->report->rows, r);
    return rc                           ? rc
           : f->job->trace->names.error ? f->job->trace->names.error
                                        : az_vec_error(&f->report->rows);
}
