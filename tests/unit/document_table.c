/* Tables: building, errors, exact texts, sorting. */
#include "unit/document_env.h"

#include <math.h>

#include "base/num.h"
#include "document/rows.h"

static struct az_table *three(struct env *e)
{
    struct az_table *t = az_table_new(&e->arena, "t", "T", AZ_TABLE_SUMMARY);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "x", AZ_REAL, AZ_UNIT_NS, 0);
    return t;
}

static void add(struct az_table *t, const char *name, int64_t n, double x)
{
    az_put_copy(t, az_sv_str(name));
    az_put_i64(t, n);
    az_put_f64(t, x);
}

static void rows_fill_left_to_right(void **state)
{
    struct az_table *t = three(*state);
    add(t, "a", 1, 0.5);
    add(t, "b", INT64_MIN, NAN);
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->cells.n, 6);
    assert_int_equal(az_table_at(t, 1, 1)->i, INT64_MIN);
    assert_int_equal(az_table_at(t, 1, 2)->type, AZ_EMPTY);
    assert_int_equal(az_table_find(t, "x"), 2);
    assert_int_equal(az_table_find(t, "y"), -1);
    az_table_free(t);
    az_table_free(NULL);
}

static void integers_in_real_columns_become_reals(void **state)
{
    struct az_table *t = three(*state);
    az_put_empty(t);
    az_put_empty(t);
    az_put_i64(t, 7);
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(az_table_at(t, 0, 2)->type, AZ_REAL);
    assert_true(az_table_at(t, 0, 2)->f == 7.0);
    az_table_free(t);
}

static void mistakes_are_remembered(void **state)
{
    struct az_table *t = three(*state);
    az_put_text(t, AZ_SV("half a row"));
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);

    t = three(*state);
    az_put_i64(t, 1); /* a number in a text column */
    add(t, "later", 1, 1);
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    assert_int_equal(t->rows, 0);
    az_table_free(t);

    t = three(*state);
    add(t, "a", 1, 1);
    az_table_column(t, "too late", AZ_INT, AZ_UNIT_NONE, 0);
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);

    struct env *e = *state;
    t = az_table_new(&e->arena, "none", "no columns", 0);
    az_put_i64(t, 1);
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);
}

static void memory_limit_is_an_error_not_a_crash(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_arena arena;
    az_mem_init(&mem, 256 << 10);
    az_arena_init(&arena, &mem);
    struct az_table *t = az_table_new(&arena, "t", "T", 0);
    assert_non_null(t);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
    for (int i = 0; i < 100000; i++)
        az_put_i64(t, i);
    assert_int_equal(az_table_finish(t), AZ_ELIMIT);
    az_table_free(t);
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

static void exact_texts(void **state)
{
    (void)state;
    char buf[AZ_NUM_MAX];
    struct az_cell i = { .type = AZ_INT, .i = INT64_MAX }, f = { .type = AZ_REAL, .f = 0.1 },
                   b = { .type = AZ_BOOL, .b = true }, e = { .type = AZ_EMPTY };
    assert_true(az_sv_is(az_cell_exact(&i, buf), "9223372036854775807"));
    assert_true(az_sv_is(az_cell_exact(&f, buf), "0.1"));
    assert_true(az_sv_is(az_cell_exact(&b, buf), "True"));
    assert_true(az_sv_is(az_cell_exact(&e, buf), ""));
    assert_true(isnan(az_cell_number(&e)));
    assert_true(az_cell_number(&b) == 1.0);
}

static void sort_is_stable_and_keeps_empty_last(void **state)
{
    struct az_table *t = three(*state);
    add(t, "b", 1, 5);
    add(t, "a", 2, NAN);
    add(t, "a", 3, 5);
    add(t, "c", INT64_MAX, 9);
    add(t, "d", INT64_MAX - 1, NAN);
    assert_int_equal(az_table_finish(t), 0);
    int down_x[] = { -3 };
    assert_int_equal(az_table_sort(t, down_x, 1), 0);
    int64_t want[] = { INT64_MAX, 1, 3, 2, INT64_MAX - 1 };
    for (size_t r = 0; r < 5; r++)
        assert_int_equal(az_table_at(t, r, 1)->i, want[r]);
    int up_x[] = { 2, 0 };
    assert_int_equal(az_table_sort(t, up_x, 2), 0);
    assert_int_equal(az_table_at(t, 0, 1)->i, 3);
    assert_int_equal(az_table_at(t, 4, 1)->i, INT64_MAX - 1);
    int by_n[] = { -2 }; /* integers are compared exactly, not as doubles */
    assert_int_equal(az_table_sort(t, by_n, 1), 0);
    assert_int_equal(az_table_at(t, 0, 1)->i, INT64_MAX);
    assert_int_equal(az_table_at(t, 1, 1)->i, INT64_MAX - 1);
    int bad[] = { 3 }, worse[] = { -4 };
    assert_int_equal(az_table_sort(t, bad, 1), AZ_EINTERNAL);
    assert_int_equal(az_table_sort(t, worse, 1), AZ_EINTERNAL);
    az_table_truncate(t, 2);
    assert_int_equal(t->rows, 2);
    az_table_truncate(t, 9);
    assert_int_equal(t->rows, 2);
    az_table_free(t);
}

static void units(void **state)
{
    (void)state;
    assert_string_equal(az_unit_text(AZ_UNIT_PERCENT), "%");
    assert_string_equal(az_unit_text(AZ_UNIT_ID), "");
    assert_true(az_unit_base(AZ_UNIT_MS) == 1e-3);
    assert_true(az_unit_same_dimension(AZ_UNIT_PS, AZ_UNIT_S));
    assert_false(az_unit_same_dimension(AZ_UNIT_MS, AZ_UNIT_MB));
    assert_false(az_unit_same_dimension(AZ_UNIT_COUNT, AZ_UNIT_NONE));
    for (int u = AZ_UNIT_NONE; u <= AZ_UNIT_PER_S; u++)
        assert_non_null(az_unit_text((enum az_unit)u));
}

/* A table that could not be made takes everything and is reported once, at the end. */
static void no_memory_for_a_table(void **state)
{
    struct env *e = *state;
    struct az_table *none = NULL;
    az_table_column(none, "n", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_reserve(none, 3);
    az_put_text(none, AZ_SV("x"));
    az_put_copy(none, AZ_SV("x"));
    az_put_optional_copy(none, AZ_SV(""));
    az_put_i64(none, 1);
    az_put_known(none, -1);
    az_put_f64(none, 1.5);
    az_put_bool(none, true);
    az_table_make(none, 3, NULL, NULL);
    az_table_truncate(none, 1);
    assert_int_equal(az_table_find(none, "n"), -1);
    assert_int_equal(az_table_sort(none, (const int[]){ 0 }, 1), 0);
    assert_true(az_document_add(&e->doc, none) < 0);
    az_table_free(none);
}

/* Of many rows cells are most of the memory; a text has all its bytes, or there is an error. */
static void cells_are_small(void **state)
{
    struct az_arena arena;
    (void)state;
    assert_int_equal(sizeof(struct az_cell), 12);
    az_arena_init(&arena, NULL);
    struct az_table *t = az_table_new(&arena, "t", "T", 0);
    az_table_column(t, "a", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, az_sv_make("x", AZ_CELL_TEXT_MOST)); /* not read */
    assert_int_equal(az_cell_text(az_table_at(t, 0, 0)).n, AZ_CELL_TEXT_MOST);
    az_put_text(t, az_sv_make("x", (size_t)AZ_CELL_TEXT_MOST + 1));
    assert_int_equal(az_table_finish(t), AZ_ERANGE);
    az_table_free(t);
    az_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_small),
        cmocka_unit_test_setup_teardown(rows_fill_left_to_right, setup, teardown),
        cmocka_unit_test_setup_teardown(integers_in_real_columns_become_reals, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_are_remembered, setup, teardown),
        cmocka_unit_test(memory_limit_is_an_error_not_a_crash),
        cmocka_unit_test(exact_texts),
        cmocka_unit_test_setup_teardown(sort_is_stable_and_keeps_empty_last, setup, teardown),
        cmocka_unit_test(units),
        cmocka_unit_test_setup_teardown(no_memory_for_a_table, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
