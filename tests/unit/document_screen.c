/* The first screen: one table a question, the better answer first; graphs hide operators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/summary_view.h"

struct fixture {
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
};

static void begin(struct fixture *f)
{
    az_mem_init(&f->mem, 0);
    az_arena_init(&f->arena, &f->mem);
    az_document_init(&f->doc, &f->arena);
    f->doc.format = AZ_SV("pytorch");
}

static void end(struct fixture *f)
{
    az_document_release(&f->doc);
    az_arena_release(&f->arena);
}

static void add(struct fixture *f, const char *id, const char *name, const char *value, int rows)
{
    struct az_table *t = az_table_new(&f->arena, id, id, AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);

    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "device", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, name, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Kernel Time (\xc2\xb5s)_sum", AZ_REAL, AZ_UNIT_US, 0);
    for (int i = 0; i < rows; i++) {
        az_put_i64(t, 3);
        az_put_i64(t, 0);
        az_put_text(t, az_sv_str(value));
        az_put_f64(t, 10);
    }
    assert_int_equal(az_document_add(&f->doc, t), 0);
}

static void one_table_a_question(void **state)
{
    struct az_screen_part part[AZ_SCREEN_PARTS];
    struct fixture f;

    (void)state;
    begin(&f);
    assert_int_equal(az_screen_choose(&f.doc, part), 0);
    add(&f, "kernel_summary", "Kernel name", "k", 20);
    add(&f, "unified_perf_summary", "name", "aten::mm", 20);
    add(&f, "kernel_class_summary", "kernel class", "gemm", 1); /* one class says nothing */
    assert_int_equal(az_screen_choose(&f.doc, part), 1);
    assert_true(az_sv_is(part[0].table->id, "unified_perf_summary"));
    assert_true(part[0].rows < 20);
    assert_int_equal(part[0].n, 3); /* one device is not named; the operation is first */
    assert_int_equal(part[0].col[0], 2);
    assert_int_equal(part[0].col[2], 0);
    add(&f, "ops_summary_by_category", "op category", "gemm", 2);
    assert_int_equal(az_screen_choose(&f.doc, part), 2);
    assert_true(az_sv_is(part[0].table->id, "ops_summary_by_category"));
    add(&f, "findings", "rule", "graph_hidden", 1);
    assert_int_equal(az_screen_choose(&f.doc, part), 2);
    assert_true(az_sv_is(part[1].table->id, "kernel_summary"));
    f.doc.format = AZ_SV("comparison");
    assert_int_equal(az_screen_choose(&f.doc, part), 0);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_table_a_question) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
