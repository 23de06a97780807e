/* Tables of records: every kind of field, functions of a record, units, empty cells, optional
 * columns, order, columns that the caller puts. */
#include "unit/document_env.h"

#include "base/intern.h"
#include "document/record.h"

struct other {
    int64_t size; /* also: ticks per ns */
    struct az_sv name;
};
struct rec {
    int64_t ns;
    uint32_t id;
    int32_t small;
    double x;
    bool yes;
    struct az_sv text;
    const char *word;
    int64_t pair[2];
    const struct other *other;
};

AZ_OF_RECORD(int64_t, doubled, struct rec, 2 * r->ns)
AZ_OF_RECORD(double, halved, struct rec, r->x / 2)
AZ_OF_RECORD(int64_t, odd, struct rec, r->ns < 0 ? -1 : r->ns & 1)
AZ_TEXT_OF_RECORD(joined, struct rec, az_arena_printf(texts, "%s!", r->word))

static const struct az_record_column columns[] = {
    { "ns", AZ_INT, AZ_UNIT_NS, AZ_FIELD(struct rec, ns) },
    { "us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct rec, ns) },
    { "ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER, AZ_FIELD(struct rec, ns) },
    { "of_ps", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct rec, ns), .ps = true },
    { "id", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY, AZ_KNOWN(struct rec, id) },
    { "small", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN(struct rec, small) },
    { "own", AZ_REAL, .unit = AZ_UNIT_RATIO },
    { "x", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(struct rec, x) },
    { "yes", AZ_BOOL, AZ_FIELD(struct rec, yes) },
    { "text", AZ_TEXT, AZ_KNOWN(struct rec, text) },
    { "word", AZ_TEXT, AZ_FIELD(struct rec, word) },
    { "second", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct rec, pair[1]) },
};

static void put_row(struct az_table *t, const struct rec *r)
{
    az_put_row(t, r);
    az_put_f64(t, 0.5);
    az_put_row(t, r);
}

static void fields_and_own_cells(void **state)
{
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "t", "T", AZ_TABLE_SUMMARY);
    az_table_column(t, "before", AZ_TEXT, AZ_UNIT_NONE, 0); /* not one of the record's */
    az_record_columns(t, columns, AZ_LENGTH(columns));
    az_put_text(t, AZ_SV("a"));
    put_row(t, &(struct rec){ 2500, 7, -1, 1.25, true, AZ_SV("text"), "word", { 1, 2 }, NULL });
    az_put_text(t, AZ_SV("b"));
    put_row(t, &(struct rec){ -1, AZ_NO_ID, 3, 0.0 / 0.0, false, AZ_SV(""), "", { 0, -4 }, NULL });
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(t->rows, 2);
    assert_int_equal(t->columns.v[3].flags, AZ_LOWER_BETTER);
    assert_int_equal(az_table_at(t, 0, 1)->i, 2500);
    assert_true(az_table_at(t, 0, 2)->f == 2.5);
    assert_true(az_table_at(t, 0, 3)->f == 0.0025);
    assert_true(az_table_at(t, 0, 4)->f == 0.0025);
    assert_int_equal(az_table_at(t, 0, 5)->i, 7);
    assert_int_equal(az_table_at(t, 0, 6)->type, AZ_EMPTY);
    assert_true(az_table_at(t, 0, 7)->f == 0.5);
    assert_true(az_table_at(t, 0, 8)->f == 1.25);
    assert_true(az_table_at(t, 0, 9)->b);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 10)), "text"));
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 11)), "word"));
    assert_int_equal(az_table_at(t, 0, 12)->i, 2);
    assert_int_equal(az_table_at(t, 1, 1)->i, -1); /* known to be: not marked as perhaps unknown */
    assert_int_equal(az_table_at(t, 1, 5)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 6)->i, 3);
    assert_int_equal(az_table_at(t, 1, 8)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 10)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 11)->type, AZ_TEXT);
    assert_int_equal(az_table_at(t, 1, 12)->i, -4);
    az_table_free(t);
}

static void whole_records(void **state)
{
    struct env *e = *state;
    static const struct az_record_column two[] = {
        { "word", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct rec, word) },
        { "ns", AZ_INT, AZ_UNIT_NS, AZ_KNOWN(struct rec, ns) },
    };
    const struct rec r[] = { { .word = "a", .ns = 1 }, { .word = "b", .ns = -1 } };
    struct az_table *t = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, two);
    AZ_PUT_ROWS(t, r, 2);
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(t->rows, 2);
    assert_int_equal(az_table_at(t, 0, 1)->i, 1);
    assert_int_equal(az_table_at(t, 1, 1)->type, AZ_EMPTY);
    az_put_rows(NULL, r, 2, sizeof *r);
    assert_int_equal(az_record_sort(NULL), 0);
    az_put_known(t, 0); /* a text is wanted */
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);
}

static void functions_of_a_record(void **state)
{
    struct env *e = *state;
    static const struct az_record_column list[] = {
        { "doubled_us", AZ_REAL, AZ_UNIT_US, .integer = doubled },
        { "halved", AZ_REAL, AZ_UNIT_RATIO, .real = halved },
        { "odd", AZ_BOOL, .integer = odd, .known = true },
        { "joined", AZ_TEXT, .text = joined },
        { "size", AZ_INT, AZ_UNIT_BYTES, AZ_VIA(struct rec, other, size) },
        { "name", AZ_TEXT, AZ_KNOWN_VIA(struct rec, other, name) },
        { "copied", AZ_TEXT, AZ_FIELD(struct rec, text), .copy = true },
        { "ticks", AZ_REAL, AZ_UNIT_US, 0, AZ_FIELD(struct rec, ns),
          AZ_TICKS(struct rec, other, size) },
        { "mean_us", AZ_REAL, AZ_UNIT_US, 0, AZ_FIELD(struct rec, x), .ns = true },
    };
    char copied[] = "text";
    const struct other other = { 9, AZ_SV("") };
    struct az_table *t = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, list);
    az_put_row(t,
               &(struct rec){ 1500, .x = 3, .word = "w", .text = { copied, 4 }, .other = &other });
    az_put_cells(t, 7, &(struct rec){ -1, .x = 0.0 / 0.0, .word = "v", .text = AZ_SV("b") });
    az_put_cells(t, 2, NULL);
    copied[0] = 'T';
    assert_int_equal(az_table_finish(t), 0);
    assert_true(az_table_at(t, 0, 0)->f == 3);
    assert_true(az_table_at(t, 0, 1)->f == 1.5);
    assert_int_equal(az_table_at(t, 0, 2)->type, AZ_BOOL);
    assert_false(az_table_at(t, 0, 2)->b);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 3)), "w!"));
    assert_int_equal(az_table_at(t, 0, 4)->i, 9);
    assert_int_equal(az_table_at(t, 0, 5)->type, AZ_EMPTY);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 6)), "text"));
    assert_true(az_table_at(t, 0, 7)->f == 1500 / 9000.0);
    assert_true(az_table_at(t, 0, 8)->f == 0.003);
    assert_int_equal(az_table_at(t, 1, 1)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 2)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 4)->type, AZ_EMPTY); /* there is no other */
    assert_int_equal(az_table_at(t, 1, 5)->type, AZ_EMPTY);
    az_table_free(t);
}

/* Rows of several records have the cells of each alone. */
static void rows_of_many_records(void **state)
{
    struct env *e = *state;
    static const struct az_record_column list[] = {
        { "ns", AZ_INT, AZ_UNIT_NS, AZ_FIELD(struct rec, ns) },
        { "known", AZ_INT, AZ_UNIT_NS, AZ_KNOWN(struct rec, ns) },
        { "us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct rec, ns) },
        { "second", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct rec, pair[1]) },
        { "size", AZ_INT, AZ_UNIT_BYTES, AZ_VIA(struct rec, other, size) },
        { "joined", AZ_TEXT, .text = joined },
        { "text", AZ_TEXT, AZ_KNOWN(struct rec, text), .copy = true },
        { "halved", AZ_REAL, AZ_UNIT_RATIO, .real = halved },
    };
    const struct other other = { 9, AZ_SV("") };
    struct rec r[100];
    struct az_table *one = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, list),
                    *all = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, list);
    for (int i = 0; i < 100; i++) {
        r[i] = (struct rec){ i % 3 ? i - 50 : INT64_MIN, .x = i % 5 ? i : 0.0 / 0.0,
                             .pair = { 0, -i },          .text = i % 2 ? AZ_SV("t") : AZ_SV(""),
                             .word = i % 7 ? "w" : "",   .other = i % 4 ? &other : NULL };
        az_put_row(one, &r[i]);
    }
    AZ_PUT_ROWS(all, r, 40);
    AZ_PUT_ROWS(all, r + 40, 60);
    assert_int_equal(az_table_finish(all), 0);
    assert_int_equal(all->rows, 100);
    for (size_t i = 0; i < 100; i++)
        for (size_t c = 0; c < AZ_LENGTH(list); c++) {
            const struct az_cell *a = az_table_at(one, i, c), *b = az_table_at(all, i, c);
            assert_int_equal(a->type, b->type);
            if (a->type == AZ_TEXT)
                assert_true(az_sv_eq(az_cell_text(a), az_cell_text(b)));
            else if (a->type != AZ_EMPTY)
                assert_int_equal(a->i, b->i);
        }
    az_table_free(one);
    az_table_free(all);
}

/* Cells that the column cannot have, and rows that have begun already. */
static void rows_that_do_not_fit(void **state)
{
    struct env *e = *state;
    static const struct az_record_column list[] = {
        { "word", AZ_TEXT, AZ_FIELD(struct rec, word) },
        { "ns", AZ_TEXT, AZ_FIELD(struct rec, ns) },
    };
    const struct rec r[2] = { { .word = "a", .ns = 1 }, { .word = "b", .ns = 2 } };
    struct az_table *t = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, list);
    AZ_PUT_ROWS(t, r, 2);
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    assert_int_equal(t->rows, 0);
    az_table_free(t);
    t = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, list);
    az_put_text(t, AZ_SV("x"));
    az_put_empty(t);
    az_put_text(t, AZ_SV("y"));
    AZ_PUT_ROWS(t, r, 0);
    assert_int_equal(t->rows, 1);
    az_table_free(t);
}

static bool wanted(const void *of) { return *(const bool *)of; }

static void optional_columns_and_order(void **state)
{
    struct env *e = *state;
    static const struct az_record_column list[] = {
        { "ns", AZ_INT, AZ_UNIT_NS, 0, AZ_FIELD(struct rec, ns), .when = wanted, .sort = 1 },
        { "id", AZ_INT, AZ_UNIT_ID, 0, AZ_FIELD(struct rec, id), .sort = 3 },
        { "small", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct rec, small), .sort = -2 },
    };
    const struct rec r[] = {
        { .ns = 2, .id = 1, .small = 5 },
        { .ns = 1, .id = 2, .small = 6 },
        { .ns = 2, .id = 3, .small = 7 },
        { .ns = 2, .id = 0, .small = 7 },
    };
    const uint32_t want[2][4] = { { 0, 3, 2, 1 }, { 2, 0, 3, 1 } };
    for (int with = 0; with < 2; with++) {
        const bool of = with;
        struct az_table *t = AZ_RECORD_TABLE_OF(&e->arena, "t", "T", 0, list, &of);
        AZ_PUT_ROWS(t, r, 4);
        assert_int_equal(t->columns.n, 2 + with);
        assert_int_equal(az_record_sort(t), 0);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(az_table_at(t, i, (size_t)with)->i, want[with][i]);
        az_table_free(t);
    }
}

static void parts_of_a_row(void **state)
{
    struct env *e = *state;
    static const struct az_record_column first[] = {
        { "ns", AZ_INT, AZ_UNIT_NS, 0, AZ_FIELD(struct rec, ns) },
    };
    static const struct az_record_column second[] = {
        { "size", AZ_INT, AZ_UNIT_BYTES, 0, AZ_FIELD(struct other, size) },
        { "name", AZ_TEXT, AZ_UNIT_NONE, 0, AZ_FIELD(struct other, name) },
    };
    struct az_table *t = AZ_RECORD_TABLE(&e->arena, "t", "T", 0, first);
    AZ_RECORD_COLUMNS(t, second);
    az_record_column_named(t, &second[0], AZ_SV("more"));
    assert_true(az_sv_is(t->columns.v[3].name, "more"));
    const struct other o = { 3, AZ_SV("three") };
    az_put_cells(t, 1, &(struct rec){ .ns = 1 });
    az_put_row(t, &o);
    az_put_cells(t, 1, &(struct rec){ .ns = 2 });
    az_put_cells(t, 2, NULL);
    az_put_row(t, &o);
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(t->rows, 2);
    assert_int_equal(az_table_at(t, 0, 3)->i, 3);
    assert_int_equal(az_table_at(t, 1, 1)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 2)->type, AZ_EMPTY);
    assert_int_equal(az_table_at(t, 1, 3)->i, 3);
    az_table_column(t, "late", AZ_INT, AZ_UNIT_NONE, 0);
    assert_int_equal(az_table_finish(t), AZ_EINTERNAL);
    az_table_free(t);
}

/* Columns of several equal things: elements of an array and of what a pointer leads to, values of
 * record and number. */
static int64_t product(const void *record, size_t nth)
{
    const struct rec *r = record;
    return nth == 1 ? INT64_MIN : r->ns * (int64_t)nth;
}
static double quotient(const void *record, size_t nth)
{
    return ((const struct rec *)record)->x / (double)nth;
}
struct listed {
    const double *v;
};

static void columns_of_the_nth(void **state)
{
    static const struct az_record_column nth[] = {
        { "pair", AZ_INT, AZ_UNIT_COUNT, AZ_NTH(struct rec, pair) },
        { "product", AZ_INT, AZ_UNIT_COUNT, .integer_nth = product },
        { "quotient", AZ_REAL, AZ_UNIT_RATIO, .real_nth = quotient },
    };
    static const struct az_record_column of_list = { "v", AZ_REAL, AZ_UNIT_TBPS, .scale = 1e-3,
                                                     AZ_NTH_VIA(struct listed, v) };
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "t", "T", 0);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < AZ_LENGTH(nth); k++)
            az_record_column_nth(t, &nth[k], az_arena_printf(&e->arena, "%s %zu", nth[k].name, i),
                                 i);
    az_record_column_nth(t, &of_list, AZ_SV("third"), 2);
    az_put_cells(t, 6, &(struct rec){ .ns = 5, .x = 3, .pair = { 7, 8 } });
    az_put_row(t, &(struct listed){ (const double[]){ 1, 2, 4000 } });
    assert_int_equal(az_table_finish(t), 0);
    assert_true(az_sv_is(t->columns.v[4].name, "product 1"));
    assert_int_equal(az_table_at(t, 0, 0)->i, 7);
    assert_int_equal(az_table_at(t, 0, 1)->i, 0);
    assert_int_equal(az_table_at(t, 0, 2)->type, AZ_EMPTY); /* infinite */
    assert_int_equal(az_table_at(t, 0, 3)->i, 8);
    assert_int_equal(az_table_at(t, 0, 4)->type, AZ_EMPTY);
    assert_true(az_table_at(t, 0, 5)->f == 3);
    assert_true(az_table_at(t, 0, 6)->f == 4000 * 1e-3);
    az_record_column_nth(NULL, &of_list, AZ_SV("none"), 0);
    az_table_free(t);
}

/* A row is read back by the headers of the columns, whatever their order; what a table has of a
 * list is put up to the first column of another. */
static void back_to_a_record(void **state)
{
    static const struct az_record_column two[] = {
        { "ns", AZ_INT, AZ_UNIT_NS, AZ_FIELD(struct rec, ns) },
        { "text", AZ_TEXT, AZ_FIELD(struct rec, text) },
        { "x", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(struct rec, x) },
    };
    static const struct az_record_column last = { "last", AZ_INT, AZ_UNIT_ID,
                                                  AZ_FIELD(struct rec, ns) };
    struct env *e = *state;
    struct az_table *t = az_table_new(&e->arena, "t", "T", 0);
    az_record_columns(t, &two[1], 1);
    az_record_columns(t, &two[0], 1);
    az_record_columns(t, &last, 1);
    assert_int_equal(az_record_place(t, &two[0]), 1);
    assert_int_equal(az_record_place(t, &two[2]), -1);
    AZ_PUT_COLUMNS(t, two, (&(struct rec){ .ns = 7, .text = AZ_SV("seven") }));
    assert_int_equal(t->at, 2);
    AZ_PUT_COLUMNS(t, two, &(struct rec){ .ns = 9 }); /* not of the list: nothing */
    assert_int_equal(t->at, 2);
    az_put_columns(t, &last, 1, &(struct rec){ .ns = 8 });
    assert_int_equal(t->rows, 1);
    struct rec r = { .x = 5, .id = 3 };
    AZ_RECORD_GET(t, 0, two, &r);
    assert_int_equal(r.ns, 7);
    assert_true(az_sv_is(r.text, "seven"));
    assert_true(r.x != r.x); /* the table has no such column */
    assert_int_equal(r.id, 3);
    az_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields_and_own_cells, setup, teardown),
        cmocka_unit_test_setup_teardown(whole_records, setup, teardown),
        cmocka_unit_test_setup_teardown(functions_of_a_record, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_of_many_records, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_that_do_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(optional_columns_and_order, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_of_a_row, setup, teardown),
        cmocka_unit_test_setup_teardown(columns_of_the_nth, setup, teardown),
        cmocka_unit_test_setup_teardown(back_to_a_record, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
