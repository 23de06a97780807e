/* Which table proves a finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "document/document.h"
#include "document/evidence.h"

static struct az_arena arena;
static struct az_document doc;

static int prepare(void **state)
{
    (void)state;
    az_arena_init(&arena, NULL);
    az_document_init(&doc, &arena);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    az_document_release(&doc);
    az_arena_release(&arena);
    return 0;
}

static void add_kernels(const char *id)
{
    struct az_table *t = az_table_new(&arena, id, id, 0);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_NONE, AZ_KEY);
    az_put_text(t, AZ_SV("Matmul 32 x 64"));
    az_put_i64(t, 7);
    assert_int_equal(az_document_add(&doc, t), 0);
}

static void add_finding(const char *evidence, const char *row)
{
    struct az_table *t = az_table_new(&arena, "findings", "Findings", 0);
    az_table_column(t, "Evidence", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Evidence row", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, az_sv_str(evidence));
    az_put_text(t, az_sv_str(row));
    assert_int_equal(az_document_add(&doc, t), 0);
}

static void expect(const char *evidence, const char *row)
{
    const struct az_table *t;
    az_evidence_settle(&doc);
    t = az_document_table(&doc, "findings");
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 0)), evidence));
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, 1)), row));
}

static void table_with_the_row(void **state)
{
    (void)state;
    add_finding("missing gpu_timeline kern_sum", "Matmul");
    add_kernels("kern_sum");
    struct az_table *t = az_table_new(&arena, "gpu_timeline", "", 0);
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("Matmuls"));
    assert_int_equal(az_document_add(&doc, t), 0);
    expect("kern_sum", "Matmul");
}

static void rank_as_a_number(void **state)
{
    (void)state;
    add_finding("ranks", "7");
    add_kernels("ranks");
    expect("ranks", "7");
}

static void no_table_has_the_row(void **state)
{
    (void)state;
    add_finding("special missing general", "Memcpy");
    add_kernels("special");
    add_kernels("general");
    expect("general", "");
}

static void no_row_is_named(void **state)
{
    (void)state;
    add_finding("missing special general", "");
    add_kernels("special");
    add_kernels("general");
    expect("special", "");
}

static void no_table_is_there(void **state)
{
    (void)state;
    add_finding("missing", "Memcpy");
    expect("", "");
}

/* So many that the cells are indexed: the answers are those of the search. */
static void many_findings(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        bool found;
    } asked[] = { { "Matmul", true }, { "Matmul 32 x 64", true }, { "Matmul 32", true },
                  { "7", true },      { "Mat", false },           { "Matmul 3", false },
                  { "Memcpy", false } };
    struct az_table *t = az_table_new(&arena, "findings", "Findings", 0);
    az_table_column(t, "Evidence", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Evidence row", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < 100; i++) {
        az_put_text(t, AZ_SV("kern_sum"));
        az_put_text(t, az_sv_str(asked[i % AZ_LENGTH(asked)].row));
    }
    assert_int_equal(az_document_add(&doc, t), 0);
    add_kernels("kern_sum");
    az_evidence_settle(&doc);
    for (size_t i = 0; i < 100; i++)
        assert_true(
            az_sv_is(az_cell_text(az_table_at(t, i, 1)),
                     asked[i % AZ_LENGTH(asked)].found ? asked[i % AZ_LENGTH(asked)].row : ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(table_with_the_row, prepare, clear),
        cmocka_unit_test_setup_teardown(rank_as_a_number, prepare, clear),
        cmocka_unit_test_setup_teardown(no_table_has_the_row, prepare, clear),
        cmocka_unit_test_setup_teardown(no_row_is_named, prepare, clear),
        cmocka_unit_test_setup_teardown(no_table_is_there, prepare, clear),
        cmocka_unit_test_setup_teardown(many_findings, prepare, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
