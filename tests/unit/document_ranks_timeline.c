/* The timeline of the ranks by metric: mean, deviation, extremes and whose the most is. */
#include "unit/document_env.h"

#include <math.h>

#include "document/ranks_timeline.h"

#define ABSENT NAN

static struct az_table *by_rank(struct env *e, const char *rank, enum az_unit unit,
                                const double *busy, size_t n)
{
    struct az_table *t = az_table_new(&e->arena, "gpu_timelines_by_rank", "T", 0);
    az_table_column(t, rank, AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "busy", AZ_REAL, unit, 0);
    az_table_column(t, "share", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_table_column(t, "steps", AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < n; i++) {
        az_put_i64(t, (int64_t)(10 + i));
        az_put_f64(t, busy[i]);
        az_put_f64(t, 50);
        az_put_i64(t, 3);
    }
    assert_int_equal(az_table_finish(t), 0);
    return t;
}

static void cell_is(const struct az_table *t, const char *column, double want)
{
    const ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0 && t->rows == 1);
    const double is = az_cell_number(az_table_at(t, 0, (size_t)c));
    if (isnan(want) ? !isnan(is) : fabs(is - want) > 1e-12)
        fail_msg("%s: %g, not %g", column, is, want);
}

static void figures(void **state)
{
    struct env *e = *state;
    static const struct {
        size_t n;
        double busy[4], mean, std, least, most, rank;
        enum az_unit unit;
    } of[] = {
        { 1, { 4 }, 4, 0, 4, 4, 10, AZ_UNIT_MS },
        { 4, { 2, 4, 4, 6 }, 4, 1.4142135623730951, 2, 6, 13, AZ_UNIT_MS },
        { 3, { 6, 6, 3 }, 5, 1.4142135623730951, 3, 6, 10, AZ_UNIT_MS }, /* the first of equals */
        { 3, { ABSENT, 2, 4 }, 3, 1, 2, 4, 12, AZ_UNIT_MS },
        { 2, { 0, 0 }, 0, 0, 0, 0, 10, AZ_UNIT_MS },
        { 2, { 1000, 3000 }, 2, 1, 1, 3, 11, AZ_UNIT_US },
        { 2, { ABSENT, ABSENT }, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, AZ_UNIT_MS },
    };
    for (size_t i = 0; i < AZ_LENGTH(of); i++) {
        struct az_document d;
        az_document_init(&d, &e->arena);
        struct az_table *wide = by_rank(e, "rank", of[i].unit, of[i].busy, of[i].n);
        assert_int_equal(az_document_add(&d, wide), 0);
        assert_int_equal(az_ranks_timeline_add(&d), 0);
        const struct az_table *t = az_document_table(&d, "gpu_timelines");
        assert_non_null(t);
        assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 0)), "busy"));
        cell_is(t, "time_ms_avg", of[i].mean);
        cell_is(t, "time_ms_std", of[i].std);
        cell_is(t, "time_ms_min", of[i].least);
        cell_is(t, "time_ms_max", of[i].most);
        cell_is(t, "rank_max", of[i].rank);
        /* there is one now: nothing is added again */
        assert_int_equal(az_ranks_timeline_add(&d), 0);
        assert_int_equal(d.tables.n, 2);
        az_document_release(&d);
    }
}

static void none_is_made(void **state)
{
    struct env *e = *state;
    static const double busy[] = { 1, 2 };
    struct az_document d;
    az_document_init(&d, &e->arena);
    assert_ptr_equal(az_ranks_timeline(&e->arena, &d), &d);
    assert_int_equal(az_document_add(&d, by_rank(e, "device", AZ_UNIT_MS, busy, 2)), 0);
    assert_int_equal(az_ranks_timeline_add(&d), 0);
    assert_ptr_equal(az_ranks_timeline(&e->arena, &d), &d);
    assert_int_equal(d.tables.n, 1);
    az_document_release(&d);
}

/* The copy has it next to the other tables; the document stays as it is. */
static void in_a_copy(void **state)
{
    struct env *e = *state;
    static const double busy[] = { 1, 3 };
    struct az_document d;
    az_document_init(&d, &e->arena);
    struct az_table *other = az_table_new(&e->arena, "other", "O", 0);
    az_table_column(other, "x", AZ_INT, AZ_UNIT_COUNT, 0);
    az_put_i64(other, 1);
    assert_int_equal(az_document_add(&d, other), 0);
    assert_int_equal(az_document_add(&d, by_rank(e, "Rank", AZ_UNIT_MS, busy, 2)), 0);
    const struct az_document *copy = az_ranks_timeline(&e->arena, &d);
    assert_true(copy && copy != &d);
    assert_int_equal(d.tables.n, 2);
    assert_null(az_document_table(&d, "gpu_timelines"));
    assert_ptr_equal(az_document_table(copy, "other"), other);
    const struct az_table *t = az_document_table(copy, "gpu_timelines");
    assert_non_null(t);
    cell_is(t, "time_ms_avg", 2);
    cell_is(t, "rank_max", 11);
    az_document_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(figures, setup, teardown),
        cmocka_unit_test_setup_teardown(none_is_made, setup, teardown),
        cmocka_unit_test_setup_teardown(in_a_copy, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
