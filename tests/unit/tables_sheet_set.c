/* Sheets of another program from our tables: names, columns, order. */
#include "unit/document_env.h"

#include "tables/sheet_set.h"
#include "unit/document_text.h"

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

/* A table of this kind with a text, numbers of both types, a flag and an empty cell. */
static void add_of_kind(struct env *e, const char *id, const char *kind)
{
    struct az_table *t = az_table_new(&e->arena, id, id, 0);

    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER);
    az_table_column(t, "time", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "flag", AZ_BOOL, AZ_UNIT_NONE, 0);
    az_table_column(t, "none", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_put_text(t, AZ_SV("a"));
    az_put_i64(t, 3);
    az_put_f64(t, 1500);
    az_put_bool(t, false);
    az_put_empty(t);
    t->kind = az_sv_str(kind);
    assert_int_equal(az_document_add(&e->doc, t), 0);
}

/* The sheets that are made of the document, one after the other. */
static void sheets_are(struct env *e, const struct az_sheet_set *s, const char *statistics,
                       const char *const *want)
{
    struct az_document to;
    struct az_arena arena;
    size_t i = 0;

    az_arena_init(&arena, NULL);
    az_document_init(&to, &arena);
    assert_int_equal(az_sheet_set_apply(s, &e->doc, az_sv_str(statistics), &to), 0);
    for (; want[i]; i++) {
        assert_true(i < to.tables.n);
        table_is(to.tables.v[i], want[i]);
    }
    assert_int_equal(to.tables.n, i);
    az_document_release(&to);
    az_arena_release(&arena);
}

/* Cells of each type, as they are, divided, moved, and both. */
static void cells_of_each_type(void **state)
{
    static const struct az_sheet_column of_all[] = {
        { .name = "name", .plus = 1 },
        { .name = "flag", .plus = 1 },
        { .name = "none", .per = 10, .plus = 1 },
        { .name = "n" },
        { .name = "next", .from = "n", .plus = 1 },
        { .name = "half", .from = "n", .per = 2 },
        { .name = "half next", .from = "n", .per = 2, .plus = 1 },
        { .name = "time" },
        { .name = "later", .from = "time", .plus = 0.5 },
        { .name = "ms", .from = "time", .per = 1000 },
        { .name = NULL },
    };
    static const struct az_sheet sheet = { .name = "cells", .table = "a", .columns = of_all };
    static const struct az_sheet_set one = { "program", &sheet, 1, false };
    struct env *e = *state;

    add_of_kind(e, "a", "");
    sheets_are(e, &one, "",
               (const char *[]){
                   "cells: name(t 1) flag(b) none(r) n(i 4) next(i 4) half(r 4) half next(r 4) "
                   "time(r us) later(r us) ms(r)\n"
                   " a no - 3 4 1.5 2.5 1500 1500.5 1.5\n",
                   NULL });
}

/* All columns before the first of `before`, without those of `without`: by their end after a star,
 * else whole. */
static void columns_of_all(void **state)
{
    static const struct {
        const char *before, *without, *want;
    } each[] = {
        { NULL, NULL, "s: name(t 1) n(i 4) time(r us) flag(b) none(r %)\n a 3 1500 no -\n" },
        { "", "", "s: name(t 1) n(i 4) time(r us) flag(b) none(r %)\n a 3 1500 no -\n" },
        { "flag|time", NULL, "s: name(t 1) n(i 4)\n a 3\n" },
        { "time|flag", NULL, "s: name(t 1) n(i 4)\n a 3\n" },
        { "none", "n", "s: name(t 1) time(r us) flag(b)\n a 1500 no\n" },
        { "tim", "*me", "s: n(i 4) flag(b) none(r %)\n 3 no -\n" },
        { NULL, "name|*g|e", "s: n(i 4) time(r us) none(r %)\n 3 1500 -\n" },
    };
    struct env *e = *state;

    add_of_kind(e, "a", "");
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        const struct az_sheet sheet = {
            .name = "s", .table = "a", .before = each[i].before, .without = each[i].without
        };
        const struct az_sheet_set one = { "program", &sheet, 1, false };
        sheets_are(e, &one, "", (const char *[]){ each[i].want, NULL });
    }
}

/* Of columns that are measured only the requested statistics; others stay. */
static void requested_statistics(void **state)
{
    static const char *const headers[] = { "name",     "time_mean", "time_max", "time",
                                           "time_",    "timely",    "n_mean",   "n_std",
                                           "n_n_mean", "other_max" };
    static const struct {
        const char *statistics, *want;
    } each[] = {
        { "", "s: name(i) time_mean(i) time_max(i) time(i) time_(i) timely(i) n_mean(i) n_std(i) "
              "n_n_mean(i) other_max(i)\n 0 1 2 3 4 5 6 7 8 9\n" },
        { "mean", "s: name(i) time_mean(i) time(i) timely(i) n_mean(i) other_max(i)\n"
                  " 0 1 3 5 6 9\n" },
        { "max mean",
          "s: name(i) time_mean(i) time_max(i) time(i) timely(i) n_mean(i) other_max(i)\n"
          " 0 1 2 3 5 6 9\n" },
        { "me", "s: name(i) time(i) timely(i) other_max(i)\n 0 3 5 9\n" },
    };
    static const struct az_sheet sheet = { .name = "s", .table = "a", .measured = "time|n" },
                                 plain = { .name = "s", .table = "a" };
    static const struct az_sheet_set one = { "program", &sheet, 1, false },
                                     none = { "program", &plain, 1, false };
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "a", "a", 0);

    for (size_t i = 0; i < AZ_LENGTH(headers); i++)
        az_table_column(t, headers[i], AZ_INT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < AZ_LENGTH(headers); i++)
        az_put_i64(t, (int64_t)i);
    assert_int_equal(az_document_add(&e->doc, t), 0);
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        sheets_are(e, &one, each[i].statistics, (const char *[]){ each[i].want, NULL });
    sheets_are(e, &none, "mean", (const char *[]){ each[0].want, NULL });
}

/* Sheets of a kind are made of each of its tables but those that have a sheet of their own; the
 * rest is what no sheet is made of, unless its name is taken. */
static void tables_of_a_kind(void **state)
{
#define ROW "name(t 1) n(i 4) time(r us) flag(b) none(r %)\n a 3 1500 no -\n"
    static const struct az_sheet of_kind[] = {
        { .table = "family" },
        { .name = "own", .table = "gemm" },
        { .name = "x_*_y", .table = "by_*" },
        { .name = "fixed", .table = "at_*" },
        { .name = "taken", .table = "by_a" },
    };
    static const struct az_sheet_set kinds = { "program", of_kind, AZ_LENGTH(of_kind), true };
    struct env *e = *state;

    add_of_kind(e, "conv", "family");
    add_of_kind(e, "gemm", "family");
    add_of_kind(e, "by_a", "");
    add_of_kind(e, "by_", "");
    add_of_kind(e, "at_b", "other");
    add_of_kind(e, "taken", "");
    add_of_kind(e, "by", "");
    add_of_kind(e, "last", "");
    sheets_are(e, &kinds, "",
               (const char *[]){ "conv: " ROW, "own: " ROW, "x_a: " ROW, "x_: " ROW, "fixed: " ROW,
                                 "taken: " ROW, "by: " ROW, "last: " ROW, NULL });
    assert_true(az_sheet_set_reads(&kinds, "gemm") && az_sheet_set_reads(&kinds, "by_a"));
    assert_false(az_sheet_set_reads(&kinds, "conv") || az_sheet_set_reads(&kinds, ""));
#undef ROW
}

/* What is said of the document is said of the sheets. */
static void properties_of_the_document(void **state)
{
    struct env *e = *state;
    struct az_document to;
    struct az_arena arena;

    add_of_kind(e, "a", "");
    e->doc.tables.v[0]->note = AZ_SV("note");
    e->doc.title = AZ_SV("title");
    e->doc.input = AZ_SV("input");
    e->doc.format = AZ_SV("format");
    e->doc.xlsx_rows = 1;
    e->doc.html_rows = 2;
    e->doc.text_rows = 3;
    e->doc.origin_ns = 4;
    az_arena_init(&arena, NULL);
    az_document_init(&to, &arena);
    assert_int_equal(az_sheet_set_apply(&set, &e->doc, AZ_SV(""), &to), 0);
    assert_true(az_sv_is(to.title, "title") && az_sv_is(to.input, "input"));
    assert_true(az_sv_is(to.format, "format"));
    assert_int_equal(to.xlsx_rows, 1);
    assert_int_equal(to.html_rows, 2);
    assert_int_equal(to.text_rows, 3);
    assert_int_equal(to.origin_ns, 4);
    assert_true(az_sv_is(to.tables.v[0]->note, "note"));
    assert_true(az_sv_is(to.tables.v[0]->title, "a"));
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
        cmocka_unit_test_setup_teardown(cells_of_each_type, setup, teardown),
        cmocka_unit_test_setup_teardown(columns_of_all, setup, teardown),
        cmocka_unit_test_setup_teardown(requested_statistics, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_of_a_kind, setup, teardown),
        cmocka_unit_test_setup_teardown(properties_of_the_document, setup, teardown),
        cmocka_unit_test_setup_teardown(found_by_name, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
