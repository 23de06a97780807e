/* Rows that are made when they are read: by a reader, held for good, in a document and its copy. */
#include "unit/document_env.h"

#include <stdio.h>

/* Squares, and a text that lives as long as the row. */
static void squares(const void *of, size_t row, struct az_table *into)
{
    const int64_t from = *(const int64_t *)of;
    const int64_t x = from + (int64_t)row;
    az_put_text(into, az_arena_printf(into->arena, "row %lld", (long long)x));
    az_put_i64(into, x * x);
}

static void half_a_row(const void *of, size_t row, struct az_table *into)
{
    (void)of;
    (void)row;
    az_put_empty(into);
}

/* Three rows at a time, as far as there are so many. */
static void three_squares(const void *of, size_t row, struct az_table *into)
{
    const size_t all = 1000 - row < 3 ? 1000 - row : 3;
    for (size_t i = 0; i < all; i++)
        squares(of, row + i, into);
}

static const int64_t from = 10;

static struct az_table *made(struct env *e, size_t rows, unsigned flags, az_row_maker *make)
{
    struct az_table *t = az_table_new(&e->arena, "t", "T", flags);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "square", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_make(t, rows, make, &from);
    assert_int_equal(az_table_finish(t), 0);
    return t;
}

static void are_squares(const struct az_table *t, size_t rows)
{
    char want[32];
    for (size_t r = 0; r < rows; r++) {
        snprintf(want, sizeof want, "row %zu", r + 10);
        assert_true(az_sv_is(az_cell_text(az_table_at(t, r, 0)), want));
        assert_int_equal(az_table_at(t, r, 1)->i, (r + 10) * (r + 10));
    }
}

static void read_in_any_order(void **state)
{
    struct env *e = *state;
    struct az_table *t = made(e, 1000, 0, squares);
    struct az_rows r;
    az_rows_open(&r, t, &e->mem);
    for (size_t i = 0; i < 1000; i++) {
        const size_t row = i * 7 % 1000;
        const struct az_cell *c = az_rows_at(&r, row);
        assert_non_null(c);
        assert_int_equal(c[1].i, (row + 10) * (row + 10));
    }
    assert_int_equal(az_rows_error(&r), 0);
    assert_int_equal(t->cells.n, 0); /* nothing stays */
    az_rows_close(&r);
    az_table_free(t);
}

static void held_in_parts(void **state)
{
    struct env *e = *state;
    struct az_table *t = made(e, 100, 0, squares);
    assert_int_equal(az_table_store_rows(t, 10), 0);
    assert_int_equal(az_table_store_rows(t, 3), 0);
    assert_int_equal(t->cells.n, 20);
    assert_int_equal(t->rows, 100);
    are_squares(t, 10);
    const int by[] = { 1 };
    assert_int_equal(az_table_sort(t, by, 1), AZ_EINTERNAL); /* not all are there */
    assert_int_equal(az_table_store_rows(t, SIZE_MAX), 0);
    are_squares(t, 100);
    const int down[] = { -2 };
    assert_int_equal(az_table_sort(t, down, 1), 0);
    assert_int_equal(az_table_at(t, 0, 1)->i, 109 * 109);
    az_table_truncate(t, 5);
    assert_int_equal(t->rows, 5);
    az_table_free(t);
}

static void part_of_a_row_is_an_error(void **state)
{
    struct env *e = *state;
    struct az_table *t = made(e, 3, 0, half_a_row);
    struct az_rows r;
    az_rows_open(&r, t, &e->mem);
    assert_null(az_rows_at(&r, 0));
    assert_int_equal(az_rows_error(&r), AZ_EINTERNAL);
    az_rows_close(&r);
    assert_int_equal(az_table_store_rows(t, 1), AZ_EINTERNAL);
    az_table_free(t);
}

static void made_in_blocks(void **state)
{
    struct env *e = *state;
    struct az_table *t = made(e, 1000, 0, three_squares), *short_one;
    struct az_rows r;
    az_rows_open(&r, t, &e->mem);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < 1000; i++) {
            const size_t row = pass ? i * 7 % 1000 : i;
            char want[32];
            const struct az_cell *c = az_rows_at(&r, row);
            assert_non_null(c);
            snprintf(want, sizeof want, "row %zu", row + 10);
            assert_true(az_sv_is(az_cell_text(&c[0]), want));
            assert_int_equal(c[1].i, (row + 10) * (row + 10));
        }
    assert_int_equal(t->cells.n, 0); /* nothing stays */
    az_rows_close(&r);
    assert_int_equal(az_table_store_rows(t, 10), 0); /* in the middle of a block */
    assert_int_equal(t->cells.n, 20);
    are_squares(t, 10);
    assert_int_equal(az_table_store_rows(t, 11), 0);
    assert_int_equal(t->rows, 1000);
    assert_int_equal(az_table_store_rows(t, 1000), 0);
    are_squares(t, 1000);
    az_table_free(t);
    short_one = made(e, 2, 0, three_squares); /* more than there are */
    assert_int_equal(az_table_store_rows(short_one, 1), AZ_EINTERNAL);
    az_table_free(short_one);
}

static void not_behind_rows(void **state)
{
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "t", "T", 0);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
    az_put_i64(t, 1);
    az_table_make(t, 3, squares, &from);
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);
}

static void without_columns(void **state)
{
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "t", "T", AZ_TABLE_SUMMARY);
    az_table_make(t, 3, squares, &from);
    assert_int_equal(az_table_store_rows(t, 3), AZ_EINTERNAL);
    assert_int_equal(t->rows, 0);
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);
}

static void beyond_the_budget(void **state)
{
    struct env *e = *state;
    struct az_table *t = made(e, 1000000, 0, squares);
    e->mem.limit = 1 << 20;
    assert_int_equal(az_table_store_rows(t, t->rows), AZ_ELIMIT);
    assert_int_equal(t->rows, 1000000);
    e->mem.limit = 0;
    az_table_free(t);
}

static int released;
static void release(void *what)
{
    assert_ptr_equal(what, &from);
    released++;
}

static void documents_keep_and_copy(void **state)
{
    struct env *e = *state;
    struct az_document d, copy;
    struct az_arena a;
    az_arena_init(&a, &e->mem);
    az_document_init(&d, &e->arena);
    az_document_init(&copy, &a);
    released = 0;
    assert_int_equal(az_document_own(&d, (void *)(uintptr_t)&from, release), 0);
    assert_int_equal(az_document_add(&d, made(e, 20, 0, squares)), 0);
    assert_int_equal(az_document_table(&d, "t")->cells.n, 0);
    assert_int_equal(az_document_copy(&copy, &d), 0);
    assert_int_equal(released, 0);
    az_document_release(&d);
    assert_int_equal(released, 1);
    assert_int_equal(az_document_table(&copy, "t")->rows, 20);
    are_squares(az_document_table(&copy, "t"), 20); /* outlives what the rows were made of */
    az_document_release(&copy);
    az_arena_release(&a);
}

/* Summaries are jumped about in; a table with a chart has no cells before a report draws it. */
static void shown_tables_are_held(void **state)
{
    struct env *e = *state;
    struct az_document d;
    az_document_init(&d, &e->arena);
    assert_int_equal(az_document_add(&d, made(e, 20, AZ_TABLE_SUMMARY, squares)), 0);
    are_squares(az_document_table(&d, "t"), 20);
    az_document_release(&d);
    az_document_init(&d, &e->arena);
    assert_int_equal(az_document_add(&d, made(e, 20, 0, squares)), 0);
    struct az_chart c = { .kind = AZ_CHART_LINE, .table = AZ_SV("t") };
    az_vec_init(&c.y, &e->mem);
    assert_int_equal(az_document_chart(&d, c), 0);
    assert_int_equal(az_document_table(&d, "t")->cells.n, 0);
    az_document_release(&d);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(read_in_any_order), TEST(held_in_parts),           TEST(part_of_a_row_is_an_error),
        TEST(made_in_blocks),    TEST(not_behind_rows),         TEST(without_columns),
        TEST(beyond_the_budget), TEST(documents_keep_and_copy), TEST(shown_tables_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
