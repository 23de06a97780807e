/* The table engine against a slow and plain reference, over many random traces. */
#include "unit/facts_job.h"

#include <math.h>

#include "stats/stats.h"
#include "tables/keys.h"

enum { TRACES = 2, EVENTS = 200, NAMES = 7 };

static uint32_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*seed >> 33);
}

static const char *const names[NAMES] = { "a", "b", "c", "d", "e", "f", "g" };

static void fill(struct fix *f, uint64_t seed, size_t traces)
{
    for (size_t t = 0; t < traces; t++) {
        f->t[t].ticks_per_ns = 1;
        for (size_t i = 0, n = next(&seed) % EVENTS; i < n; i++) {
            const int64_t start = next(&seed) % 100000,
                          d = next(&seed) % 3 ? next(&seed) % 1000 : 7;
            const char *name = names[(next(&seed) + t) % NAMES];
            add(&f->t[t], AZ_KERNEL, name,
                stream_lane(&f->t[t], 1, next(&seed) % 3, next(&seed) % 2 + 7), start, start + d,
                0);
        }
    }
}

/* ---- the reference: every event against every row ---- */

struct row {
    struct az_sv name;
    int64_t rank, device, stream;
    int64_t v[TRACES * EVENTS];
    size_t n;
};

static struct row *reference(const struct fix *f, size_t *n)
{
    struct row *rows = calloc(TRACES * 3 * 2 * NAMES, sizeof *rows);
    *n = 0;
    for (size_t t = 0; t < f->job.n_traces; t++)
        for (size_t i = 0; i < f->t[t].ev[AZ_KERNEL].n; i++) {
            const struct az_events *e = &f->t[t].ev[AZ_KERNEL];
            const struct az_lane *l = &f->t[t].lanes.v[e->lane[i]];
            const struct az_sv name = az_trace_text(&f->t[t], e->name[i]);
            size_t k = 0;
            while (k < *n && !(az_sv_eq(rows[k].name, name) && rows[k].rank == (int64_t)t &&
                               rows[k].device == l->device && rows[k].stream == (int64_t)l->tid))
                k++;
            if (k == *n)
                rows[(*n)++] = (struct row){
                    .name = name, .rank = (int64_t)t, .device = l->device, .stream = (int64_t)l->tid
                };
            rows[k].v[rows[k].n++] = e->end[i] - e->start[i];
        }
    return rows;
}

#define FIGURE(header, what)                                                                       \
    {                                                                                              \
        header, .figure = what, .unit = AZ_UNIT_NS                                                 \
    }
static const struct az_table_spec spec = {
    "by_all",
    "Kernels",
    .n_kinds = 1,
    .kinds = { AZ_KERNEL },
    .columns = { { "rank", &az_key_rank, .sort = 2, .when = az_when_ranks },
                 { "name", &az_key_name, .sort = 3 },
                 { "device", &az_key_device, .sort = 4 },
                 { "stream", &az_key_stream, .sort = 5 },
                 { "count", .figure = AZ_FIG_COUNT },
                 { "sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS, .sort = -1 },
                 FIGURE("mean", AZ_FIG_MEAN),
                 FIGURE("median", AZ_FIG_MEDIAN),
                 FIGURE("min", AZ_FIG_MIN),
                 FIGURE("max", AZ_FIG_MAX),
                 FIGURE("std", AZ_FIG_STD),
                 FIGURE("p95", AZ_FIG_P95),
                 FIGURE("p99", AZ_FIG_P99),
                 { "us", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US },
                 AZ_SHARE_COLUMNS },
};

static double at(const struct az_table *t, size_t row, const char *column)
{
    const ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0);
    return az_cell_number(az_table_at(t, row, (size_t)c));
}

static void same(double a, double b) { assert_true((isnan(a) && isnan(b)) || a == b); }

static void check_row(const struct az_table *t, size_t i, struct row *r, double all)
{
    struct az_stats s;
    az_stats_i64(r->v, r->n, &s);
    assert_true(at(t, i, "count") == (double)r->n);
    assert_true(at(t, i, "sum") == (double)s.sum);
    same(at(t, i, "us"), (double)s.sum / 1e3);
    same(at(t, i, "mean"), s.mean);
    same(at(t, i, "median"), s.median);
    same(at(t, i, "min"), (double)s.min);
    same(at(t, i, "max"), (double)s.max);
    assert_true(fabs(at(t, i, "std") - s.std) <= 1e-9 * s.std ||
                (isnan(s.std) && isnan(at(t, i, "std"))));
    same(at(t, i, "p95"), az_percentile_i64(r->v, r->n, 95));
    same(at(t, i, "p99"), az_percentile_i64(r->v, r->n, 99));
    same(at(t, i, "Percentage (%)"), az_percent((double)s.sum, all));
}

static void against_reference(uint64_t seed, size_t traces)
{
    void *state;
    size_t n;
    setup(&state);
    struct fix *f = state;
    fill(f, seed, traces);
    make_job(f, traces);
    assert_int_equal(az_spec_make(&f->job, &spec, NULL, NULL), 0);
    struct row *rows = reference(f, &n);
    const struct az_table *t = az_document_table(&f->doc, "by_all");
    assert_int_equal(t ? t->rows : 0, n);
    double all = 0, running = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < rows[k].n; i++)
            all += (double)rows[k].v[i];
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < n && !(az_sv_eq(rows[k].name, az_cell_text(az_table_at(
                                                     t, i, (size_t)az_table_find(t, "name")))) &&
                          rows[k].device == (int64_t)at(t, i, "device") &&
                          rows[k].stream == (int64_t)at(t, i, "stream") &&
                          (traces == 1 || rows[k].rank == (int64_t)at(t, i, "rank"))))
            k++;
        assert_true(k < n);
        check_row(t, i, &rows[k], all);
        running += at(t, i, "sum");
        same(at(t, i, "Cumulative Percentage (%)"), az_percent(running, all));
        assert_true(i == 0 || at(t, i - 1, "sum") >= at(t, i, "sum"));
    }
    free(rows);
    assert_int_equal(teardown(&state), 0);
}

static void random_traces(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++)
        against_reference(seed, 1 + seed % TRACES);
}

/* Picoseconds: whole ns are rounded, other units are not; extremes of parts of ns are no integers.
 */
static void picoseconds(void **state)
{
    struct fix *f = *state;
    f->t[0].ticks_per_ns = 1000;
    add(&f->t[0], AZ_KERNEL, "x", stream_lane(&f->t[0], 1, 0, 7), 0, 1499, 0);
    add(&f->t[0], AZ_KERNEL, "x", stream_lane(&f->t[0], 1, 0, 7), 2000, 3002, 0);
    make_job(f, 1);
    assert_int_equal(az_spec_make(&f->job, &spec, NULL, NULL), 0);
    const struct az_table *t = az_document_table(&f->doc, "by_all");
    assert_true(at(t, 0, "sum") == 3);
    assert_true(at(t, 0, "min") == 1.002);
    assert_true(at(t, 0, "us") == 2501 / 1e6);
}

static struct az_sv letter(const struct az_scope *r, const struct az_item *i)
{
    const struct az_sv name = az_job_text(r->job, az_item_name(r, i));
    return name.n && name.p[0] < 'd' ? AZ_SV("early") : AZ_SV("late");
}

static const struct az_sums *kernel_sums(const struct az_trace *t) { return &t->kernel_sums; }
static bool not_a(const struct az_scope *r, const struct az_item *i)
{
    return !az_sv_is(az_job_text(r->job, az_item_name(r, i)), "a");
}

/* A text key, rows that came summed for one trace and events of the other, a filter, and a cut. */
static void texts_and_given_rows(void **state)
{
    static const struct az_key half = { AZ_TEXT, .text = letter, .by_name = true };
    static const struct az_table_spec by_half = {
        "by_half",
        "Kernels",
        .n_kinds = 1,
        .kinds = { AZ_KERNEL },
        .given = kernel_sums,
        .merge_given = true,
        .keep = not_a,
        .columns = { { "half", &half, .sort = 2 },
                     { "count", .figure = AZ_FIG_COUNT },
                     { "sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS, .sort = -1 },
                     FIGURE("mean", AZ_FIG_MEAN) },
        .top = 1,
    };
    struct fix *f = *state;
    const struct az_sum s = {
        .name = name_of(&f->t[1], "b"), .total_ns = 100, .count = 4, .med = NAN
    };
    assert_int_equal(az_vec_push(&f->t[1].kernel_sums, s), 0);
    add(&f->t[0], AZ_KERNEL, "a", stream_lane(&f->t[0], 1, 0, 7), 0, 1000, 0);
    add(&f->t[0], AZ_KERNEL, "c", stream_lane(&f->t[0], 1, 0, 7), 0, 10, 0);
    add(&f->t[0], AZ_KERNEL, "g", stream_lane(&f->t[0], 1, 0, 7), 0, 50, 0);
    make_job(f, 2);
    assert_int_equal(az_spec_make(&f->job, &by_half, NULL, NULL), 0);
    const struct az_table *t = az_document_table(&f->doc, "by_half");
    assert_int_equal(t->rows, 1);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 0)), "early"));
    assert_true(at(t, 0, "count") == 5);
    assert_true(at(t, 0, "sum") == 110);
    assert_true(at(t, 0, "mean") == 22);
}

/* Items of a list: real values, some of which an item does not have; shares are of the first value,
 * whatever sum comes before it. */
struct pair {
    int64_t count, ns;
    double rate;
};
static const struct pair *pair(const struct az_scope *s, const struct az_item *i)
{
    return &((const struct pair *)s->ctx)[i->row];
}
AZ_OF_ITEM(int64_t, parity_of, i->row % 2)
AZ_OF_ITEM(int64_t, ns_of, pair(s, i)->ns)
AZ_OF_ITEM(int64_t, count_of, pair(s, i)->count)
AZ_OF_ITEM(double, rate_of, pair(s, i)->rate)
static const struct az_key parity = { AZ_INT, AZ_UNIT_ID, .integer = parity_of };
static const struct az_table_spec of_list = {
    "of_list", "Pairs", .values = { { ns_of }, { count_of }, { .real = rate_of } },
    .columns = { { "parity", &parity },
                 { "count", .figure = AZ_FIG_SUM, .value = 1, .unit = AZ_UNIT_COUNT },
                 { "us", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US },
                 { "percent", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT },
                 AZ_FIGURE("rates", AZ_FIG_COUNT, 2, AZ_UNIT_COUNT, 0),
                 AZ_FIGURE("mean", AZ_FIG_MEAN, 2, AZ_UNIT_US, 0),
                 AZ_FIGURE("median", AZ_FIG_MEDIAN, 2, AZ_UNIT_US, 0),
                 AZ_FIGURE("std", AZ_FIG_STD, 2, AZ_UNIT_US, 0),
                 AZ_FIGURE("max", AZ_FIG_MAX, 2, AZ_UNIT_US, 0),
                 AZ_FIGURE("p25", AZ_FIG_P25, 2, AZ_UNIT_US, 0),
                 AZ_FIGURE("p75", AZ_FIG_P75, 0, AZ_UNIT_NS, 0) },
    .shares = AZ_SHARES_CELLS
};

static void real_values(void **state)
{
    struct fix *f = *state;
    struct pair v[] = { { 9, 1000, 4 }, { 1, 2000, NAN }, { 9, 3000, 1 }, { 1, 4000, NAN },
                        { 9, 0, 2.5 },  { 1, 0, NAN },    { 9, 0, NAN } };
    make_job(f, 1);
    assert_int_equal(az_spec_make(&f->job, &of_list, v, &(struct az_item_list){ .n = 7 }), 0);
    const struct az_table *t = az_document_table(&f->doc, "of_list");
    assert_int_equal(t->rows, 2);
    assert_true(at(t, 0, "count") == 36 && at(t, 1, "count") == 3);
    assert_true(at(t, 0, "us") == 4 && at(t, 1, "us") == 6);
    same(at(t, 0, "percent"), 40);
    assert_true(at(t, 0, "rates") == 3 && at(t, 1, "rates") == 0);
    assert_true(at(t, 0, "mean") == 2.5 && at(t, 0, "median") == 2.5 && at(t, 0, "max") == 4);
    assert_true(at(t, 0, "std") == 1.5 && at(t, 0, "p25") == 1.75 && at(t, 0, "p75") == 1500);
    assert_int_equal(az_table_at(t, 1, (size_t)az_table_find(t, "mean"))->type, AZ_EMPTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_traces),
        cmocka_unit_test_setup_teardown(picoseconds, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_and_given_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(real_values, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
