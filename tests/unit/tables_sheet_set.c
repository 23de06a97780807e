/* Sheets of another program from our tables: names, columns, order. */
#include "unit/document_env.h"

#include "tables/sheet_set.h"

static void add(struct env *e, const char *id)
{
    struct az_table *t = az_table_new(&e->arena, id, "Title", 0);

    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "time_us", AZ_INT, AZ_UNIT_US, 0);
    az_table_column(t, "count_x", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "ours", AZ_BOOL, AZ_UNIT_NONE, 0);
    for (int i = 0; i < 3; i++) {
        az_put_text(t, AZ_SV("gemm"));
        az_put_i64(t, 1500 * (i + 1));
        az_put_i64(t, i);
        az_put_bool(t, true);
    }
    assert_int_equal(az_document_add(&e->doc, t), 0);
}

static const struct az_sheet_column columns[] = {
    { .name = "time ms", .from = "time_us", .per = 1000 },
    { .name = "name" },
    { .name = "missing" },
    { .name = "optional", .if_there = true },
    { .name = "next", .from = "count_x", .plus = 1 },
    { .name = NULL },
};
static const struct az_sheet sheets[] = {
    { .name = "first", .table = "b", .columns = columns },
    { .name = "new_*", .table = "old_*", .before = "nothing|ours", .without = "*_x" },
};
static const struct az_sheet_set set = { "program", sheets, AZ_LENGTH(sheets), true };

static void sheets_in_order(void **state)
{
    struct env *e = *state;
    struct az_document to;
    struct az_arena arena;

    add(e, "a");
    add(e, "old_1");
    add(e, "b");
    az_arena_init(&arena, NULL);
    az_document_init(&to, &arena);
    assert_int_equal(az_sheet_set_apply(&set, &e->doc, AZ_SV(""), &to), 0);
    assert_int_equal(to.tables.n, 3);
    assert_true(az_sv_is(to.tables.v[0]->id, "first"));
    assert_true(az_sv_is(to.tables.v[1]->id, "new_1"));
    assert_true(az_sv_is(to.tables.v[2]->id, "a")); /* the rest */

    const struct az_table *t = to.tables.v[0];
    assert_int_equal(t->columns.n, 4); /* what may be missing is */
    assert_int_equal(az_table_at(t, 2, 3)->i, 3);
    assert_int_equal(t->rows, 3);
    assert_true(az_sv_is(t->columns.v[0].name, "time ms"));
    assert_true(az_cell_number(az_table_at(t, 1, 0)) == 3.0);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 2, 1)), "gemm"));
    assert_int_equal(az_table_at(t, 0, 2)->type, AZ_EMPTY);

    t = to.tables.v[1];
    assert_int_equal(t->columns.n, 2);
    assert_int_equal(az_table_at(t, 2, 1)->i, 4500);
    az_document_release(&to);
    az_arena_release(&arena);
}

static void found_by_name(void **state)
{
    static const struct az_sheet_set *const list[] = { &set, NULL };

    (void)state;
    assert_ptr_equal(az_sheet_set_find(list, AZ_SV("program")), &set);
    assert_null(az_sheet_set_find(list, AZ_SV("own")));
    assert_true(az_sheet_set_reads(&set, "b"));
    assert_false(az_sheet_set_reads(&set, "a"));
    assert_false(az_sheet_set_reads(NULL, "b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sheets_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(found_by_name, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
