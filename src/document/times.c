/* Times in the tables of a result, found by the meaning of their columns. */
#include "document/times.h"

#include <math.h>
#include <stdlib.h>

#include "base/intern.h"
#include "classify/rules.h"
#include "document/schema.h"
#include "document/table_kinds.h"

#define SAME     1e-6 /* sums that differ by less are the same */
#define SLACK_NS 1000 /* what the columns of a sum are rounded by */

enum { TOTAL, BUSY, IDLE, COMPUTE, COMM, COPIES, PARTS };

/* Names of the parts in the timelines of the formats (docs/account.md). */
static const struct {
    const char *name;
    int part;
} names[] = {
    { "total_time", TOTAL },
    { "busy_time", BUSY },
    { "idle_time", IDLE },
    { "idle", IDLE },
    { "computation_time", COMPUTE },
    { "exposed_comm_time", COMM },
    { "communication_time", COMM },
    { "exposed_memcpy_time", COPIES },
    { "exposed_memcpy_time_ms", COPIES },
    { "memcpy_time", COPIES },
};

static bool is_time(const struct az_table *t, ptrdiff_t at)
{
    return at >= 0 && (t->columns.v[at].type == AZ_INT || t->columns.v[at].type == AZ_REAL) &&
           az_unit_same_dimension(t->columns.v[at].unit, AZ_UNIT_NS);
}

double az_time_at(const struct az_table *t, size_t row, ptrdiff_t column)
{
    const double scale = az_unit_base(t->columns.v[column].unit) / 1e-9,
                 x = az_cell_number(az_table_at(t, row, (size_t)column));

    if (isnan(x) || fabs(x) > 1e18 / scale)
        return 0;
    return scale >= 1 ? x * round(scale) : x / round(1 / scale);
}

ptrdiff_t az_time_column(const struct az_table *t, const char *stem)
{
    const ptrdiff_t at = az_schema_find(t, az_sv_str(stem));
    return is_time(t, at) ? at : -1;
}

ptrdiff_t az_text_column(const struct az_table *t, const char *stem)
{
    const ptrdiff_t at = az_schema_find(t, az_sv_str(stem));
    return at >= 0 && t->columns.v[at].type == AZ_TEXT ? at : -1;
}

bool az_is_read(const struct az_table *t)
{
    return !(t->flags & AZ_TABLE_TEXT_ONLY) && t->cells.n >= t->rows * t->columns.n;
}

/* Recomputed work has rows of its own next to those of all. */
static bool is_again(const struct az_table *t, size_t row, ptrdiff_t column)
{
    return column >= 0 && az_table_at(t, row, (size_t)column)->type == AZ_BOOL &&
           az_table_at(t, row, (size_t)column)->b;
}

static void add_row(const struct az_table *t, size_t row, ptrdiff_t type, ptrdiff_t time,
                    double *sum, size_t *n)
{
    const struct az_sv name = az_cell_text(az_table_at(t, row, (size_t)type));

    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        if (!az_sv_is(name, names[i].name))
            continue;
        sum[names[i].part] += az_time_at(t, row, time);
        n[names[i].part]++;
        return;
    }
}

static int64_t mean_ns(double sum, size_t n) { return n ? llround(sum / (double)n) : 0; }

/* From a timeline: rows of parts, of each device or of all ranks. */
static bool from_timeline(const struct az_table *t, struct az_sum_of_time *out)
{
    const ptrdiff_t type = az_text_column(t, "type"),
                    again = az_schema_find(t, AZ_SV("is_recompute"));
    ptrdiff_t time = az_time_column(t, "time_mean");
    double sum[PARTS] = { 0 };
    size_t n[PARTS] = { 0 };

    time = time < 0 ? az_time_column(t, "time") : time;
    if (type < 0 || time < 0 || az_schema_find(t, AZ_SV("step")) >= 0)
        return false;
    for (size_t r = 0; r < t->rows; r++)
        if (!is_again(t, r, again))
            add_row(t, r, type, time, sum, n);
    if (n[TOTAL] == 0 || n[BUSY] != n[TOTAL])
        return false;
    *out = (struct az_sum_of_time){ .known = true,
                                    .total = mean_ns(sum[TOTAL], n[TOTAL]),
                                    .busy = mean_ns(sum[BUSY], n[BUSY]),
                                    .comm = mean_ns(sum[COMM], n[COMM]),
                                    .copies = mean_ns(sum[COPIES], n[COPIES]),
                                    .devices = n[TOTAL],
                                    .table = t->id };
    out->idle = out->total - out->busy;
    out->compute = out->busy - out->comm - out->copies;
    out->parted =
        n[COMPUTE] == n[TOTAL] &&
        llabs(out->compute - mean_ns(sum[COMPUTE], n[COMPUTE])) <= 2 + out->busy / 1000000;
    return true;
}

static void put_serial(const struct az_table *t, double busy, double idle,
                       struct az_sum_of_time *out)
{
    *out = (struct az_sum_of_time){ .known = true,
                                    .serial = true,
                                    .busy = llround(busy),
                                    .idle = llround(idle),
                                    .total = llround(busy) + llround(idle),
                                    .devices = 1,
                                    .table = t->id };
}

/* From the checks of a report of operations: it defines which of its times and gaps count. */
static bool from_checks(const struct az_table *t, struct az_sum_of_time *out)
{
    const ptrdiff_t check = az_text_column(t, "check"), time = az_time_column(t, "device_time"),
                    gap = az_time_column(t, "gap");

    for (size_t r = 0; check >= 0 && time >= 0 && gap >= 0 && r < t->rows; r++) {
        if (!az_sv_is(az_cell_text(az_table_at(t, r, (size_t)check)), AZ_TIME_ACCOUNT))
            continue;
        put_serial(t, az_time_at(t, r, time), az_time_at(t, r, gap), out);
        return true;
    }
    return false;
}

/* From a list of operations with the gap before each, where nothing defines which of them count. */
static bool from_gaps(const struct az_table *t, struct az_sum_of_time *out)
{
    const ptrdiff_t time = az_time_column(t, "kernel_time"), gap = az_time_column(t, "gap");
    double busy = 0, idle = 0;

    if (az_text_column(t, "operation") < 0 || time < 0 || gap < 0)
        return false;
    for (size_t r = 0; r < t->rows; r++) {
        busy += az_time_at(t, r, time);
        idle += az_time_at(t, r, gap);
    }
    put_serial(t, busy, idle, out);
    return true;
}

void az_time_of_document(const struct az_document *d, struct az_sum_of_time *out)
{
    bool (*const ways[])(const struct az_table *,
                         struct az_sum_of_time *) = { from_timeline, from_checks, from_gaps };

    *out = (struct az_sum_of_time){ .devices = 1 };
    for (size_t w = 0; w < AZ_LENGTH(ways) && !out->known; w++)
        for (size_t i = 0; i < d->tables.n && !out->known; i++)
            if (az_is_read(d->tables.v[i]))
                (void)ways[w](d->tables.v[i], out);
}

/* ---- rows with a name and a time ---- */

bool az_time_rows_contains_others(const struct az_time_rows *s, size_t row)
{
    const char *whole = az_compare_spec_of(s->t->id, s->t)->total;
    struct az_rule rule;
    if (s->category && az_rules_find("xla_events.rules", "container",
                                     az_cell_text(az_table_at(s->t, row, s->category - 1)), &rule))
        return true;
    return whole && az_sv_is(az_cell_text(az_table_at(s->t, row, (size_t)s->label)), whole);
}

static double sum_of(const struct az_time_rows *s)
{
    double sum = 0;

    for (size_t r = 0; r < s->t->rows; r++)
        if (!az_time_rows_contains_others(s, r))
            sum += az_time_at(s->t, r, s->time);
    return sum;
}

/* Ranks that have rows of their own; 0: it is no table of ranks. */
static int ranks_of(const struct az_table *t, struct az_mem *mem, double *n)
{
    const ptrdiff_t rank = az_schema_find(t, AZ_SV("rank"));
    struct az_map seen;
    int rc = 0;
    az_map_init(&seen, mem, 64);

    *n = 0;
    for (size_t r = 0; !rc && rank >= 0 && r < t->rows; r++) {
        const double x = az_cell_number(az_table_at(t, r, (size_t)rank));
        uint32_t *value;
        bool added = false;
        if (x >= 0 && x < 1e9)
            rc = az_map_put(&seen, (uint64_t)x, 0, 0, &value, &added);
        *n += added;
    }
    az_map_release(&seen);
    return rc;
}

/* Ranges nest: a row of each range around its launch has the time of a kernel. */
static bool is_by_range(const struct az_time_rows *s) { return az_text_column(s->t, "range") >= 0; }

/* The work of the median step of a device, next to tables of all steps and devices. */
static bool is_of_a_step(const struct az_table *t) { return az_sv_is(t->id, "step_work"); }

/* Of several ranks this is the mean already. */
static bool is_mean_of_ranks(const struct az_table *t)
{
    return az_sv_is(t->id, "grouped_breakdown");
}

/* Is s a better list of the work than the one before? */
static bool better(const struct az_sum_of_time *account, const struct az_time_rows *s,
                   const struct az_time_rows *before)
{
    const double busy = (double)account->busy + SLACK_NS;

    if (!before->t)
        return true;
    if (is_by_range(s) != is_by_range(before))
        return is_by_range(before);
    if (account->known && account->serial && (s->sum > busy || before->sum > busy))
        return s->sum < before->sum * (1 - SAME);
    return s->sum > before->sum * (1 + SAME);
}

int az_time_rows_find(const struct az_document *d, const char *label, const char *time,
                      const struct az_sum_of_time *account, struct az_time_rows *out)
{
    int rc = AZ_OK;

    *out = (struct az_time_rows){ .t = NULL };
    for (size_t i = 0; !rc && i < d->tables.n; i++) {
        const struct az_table *t = d->tables.v[i];
        struct az_time_rows s = { .t = t,
                                  .label = az_text_column(t, label),
                                  .time = az_time_column(t, time),
                                  .family = az_text_column(t, "family"),
                                  .category = (size_t)(az_text_column(t, "category") + 1) };
        if (!az_is_read(t) || s.label < 0 || s.time < 0 || t->rows == 0 || is_of_a_step(t))
            continue;
        rc = ranks_of(t, d->mem, &s.per);
        if (is_mean_of_ranks(t))
            s.per = 1;
        else if (!(s.per > 0))
            s.per = account->devices ? (double)account->devices : 1;
        s.per *= account->steps ? (double)account->steps : 1;
        s.sum = sum_of(&s) / s.per;
        if (better(account, &s, out))
            *out = s;
    }
    return rc;
}

bool az_time_named_copy(struct az_sv name)
{
    static const char *const starts[] = { "Memcpy", "[CUDA memcpy", "MEMORY_COPY_" };

    for (size_t i = 0; i < AZ_LENGTH(starts); i++)
        if (az_sv_starts(name, az_sv_str(starts[i])))
            return true;
    return false;
}

/* As profilers name copies, and programs of theirs that are recorded as kernels. */
bool az_time_rows_copied(const struct az_time_rows *s, size_t row,
                         const struct az_kernel_rules *rules)
{
    const struct az_sv name = az_cell_text(az_table_at(s->t, row, (size_t)s->label));

    return az_time_named_copy(name) || az_kernel_class_of(rules, name)->copies;
}

enum az_family az_time_rows_family(const struct az_time_rows *s, size_t row,
                                   const struct az_kernel_rules *rules)
{
    enum az_family f = AZ_FAMILY_OTHER;

    if (s->family >= 0 && az_family_of(az_cell_text(az_table_at(s->t, row, (size_t)s->family)), &f))
        return f;
    return az_kernel_class_of(rules, az_cell_text(az_table_at(s->t, row, (size_t)s->label)))
        ->family;
}
