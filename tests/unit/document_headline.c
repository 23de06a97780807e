/* The verdict of a report as a table and back; numbers for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/human.h"
#include "document/verdict_table.h"

static void times_are_in_the_unit_people_read(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } row[] = {
        { 0, "0 ns" },
        { 999, "999 ns" },
        { 1000, "1.0 us" },
        { 30540, "30.5 us" },
        { 999940, "999.9 us" },
        { 999960, "1.0 ms" },
        { 78415440772, "78.4 s" },
        { 119000000000, "119.0 s" },
        { 120000000000, "2.0 min" },
        { -5000, "-5.0 us" },
    };
    char text[AZ_HUMAN_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        az_human_time(row[i].ns, text);
        assert_string_equal(text, row[i].text);
    }
    az_human_bytes(17, text);
    assert_string_equal(text, "17 B");
    az_human_bytes(999960, text);
    assert_string_equal(text, "1.0 MB");
    az_human_count(-4315, text);
    assert_string_equal(text, "-4,315");
}

static void lines_come_back(void **state)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
    struct az_table *other, *t;
    struct az_line l = { .kind = AZ_LINE_FINDING,
                         .label = AZ_SV("-62.1 %"),
                         .text = AZ_SV("idle"),
                         .rule = AZ_SV("idle"),
                         .ns = 7,
                         .percent = 62.1 };

    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    other = az_table_new(&arena, "other", "Other", AZ_TABLE_KEEP_EMPTY);
    assert_int_equal(az_document_add(&doc, other), 0);
    assert_null(az_headline_of(&doc));
    t = az_headline_table(&arena);
    az_headline_put(t, &l);
    l = (struct az_line){ .kind = AZ_LINE_TRUST, .text = AZ_SV("all"), .ns = -1, .percent = NAN };
    az_headline_put(t, &l);
    assert_int_equal(az_headline_add(&doc, t), 0);
    assert_ptr_equal(doc.tables.v[0], t);
    assert_ptr_equal(az_headline_of(&doc), t);
    l = az_headline_line(t, 0);
    assert_int_equal(l.kind, AZ_LINE_FINDING);
    assert_true(az_sv_eq(l.label, AZ_SV("-62.1 %")));
    assert_int_equal(l.ns, 7);
    assert_true(l.percent == 62.1);
    l = az_headline_line(t, 1);
    assert_int_equal(l.kind, AZ_LINE_TRUST);
    assert_int_equal(l.ns, -1);
    assert_true(isnan(l.percent));
    az_document_release(&doc);
    az_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_in_the_unit_people_read),
        cmocka_unit_test(lines_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
