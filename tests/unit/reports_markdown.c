/* Markdown: nothing in a cell is markup, and no text is too long for a host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/list.h"

struct fixture {
    struct az_arena arena, scratch;
    struct az_document doc;
    struct az_diag diag;
    char path[64];
};

static void begin(struct fixture *f)
{
    az_arena_init(&f->arena, NULL);
    az_arena_init(&f->scratch, NULL);
    az_document_init(&f->doc, &f->arena);
    az_diag_init(&f->diag);
    snprintf(f->path, sizeof f->path, "/tmp/az-markdown-%ld.md", (long)getpid());
    f->doc.title = AZ_SV("a *title* <b>");
    f->doc.text_rows = 20;
}

static char *written(struct fixture *f)
{
    static char text[100000];
    assert_int_equal(az_report_markdown.write(&f->doc, f->path, &f->scratch, &f->diag), 0);
    FILE *i = fopen(f->path, "rb");
    assert_non_null(i);
    text[fread(text, 1, sizeof text - 1, i)] = '\0';
    fclose(i);
    unlink(f->path);
    return text;
}

static void end(struct fixture *f)
{
    az_document_release(&f->doc);
    az_arena_release(&f->arena);
    az_arena_release(&f->scratch);
    az_diag_release(&f->diag);
}

static struct az_table *table(struct fixture *f, const char *id, size_t rows, const char *name)
{
    struct az_table *t =
        az_table_new(&f->arena, id, "A | table", AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    az_table_column(t, "na|me", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Total (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "unseen", AZ_INT, AZ_UNIT_NONE, AZ_DETAIL);
    for (size_t r = 0; r < rows; r++) {
        az_put_text(t, az_sv_str(name));
        az_put_i64(t, 1500000 + (int64_t)r);
        az_put_empty(t);
    }
    assert_int_equal(az_document_add(&f->doc, t), 0);
    return t;
}

/* Tables that are few rows by nature end in what counts: their total. */
static void short_tables_are_whole(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    table(&f, "t", 23, "x")->flags |= AZ_TABLE_SHORT;
    assert_null(strstr(written(&f), "more row"));
    end(&f);
    begin(&f);
    table(&f, "t", 23, "x");
    assert_non_null(strstr(written(&f), "3 more rows"));
    end(&f);
}

/* Values with a unit in their row have decimals where one of them has; counts have none. */
static void whole_values_next_to_fractions(void **state)
{
    static const struct {
        const char *unit;
        double v[2];
    } rows[] = { { "ms", { 3.06, 2 } }, { "", { 22, 31.5 } }, { "ms", { 4, 2 } } };
    struct fixture f;
    (void)state;
    begin(&f);
    struct az_table *t = az_table_new(&f.arena, "sums", "Sums", AZ_TABLE_SUMMARY);
    az_table_column(t, "Unit", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Baseline", AZ_REAL, AZ_UNIT_NONE, 0);
    az_table_column(t, "Variant", AZ_REAL, AZ_UNIT_NONE, 0);
    for (size_t r = 0; r < AZ_LENGTH(rows); r++) {
        az_put_text(t, az_sv_str(rows[r].unit));
        az_put_f64(t, rows[r].v[0]);
        az_put_f64(t, rows[r].v[1]);
    }
    assert_int_equal(az_document_add(&f.doc, t), 0);
    const char *text = written(&f);
    assert_non_null(strstr(text, "3.060 | 2.000"));
    assert_non_null(strstr(text, "22 | 31.500"));
    assert_non_null(strstr(text, "4 | 2 |"));
    end(&f);
}

static void markup_is_escaped(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f);
    table(&f, "t", 2, "a|b\n`c` <script> & _d_");
    table(&f, "empty", 0, "");
    const char *text = written(&f);
    assert_non_null(strstr(text, "## a \\*title\\* &lt;b>\n"));
    assert_non_null(strstr(text, "| Na me | Time (ms) |\n|---|---:|\n"));
    assert_non_null(strstr(text, "| a\\|b \\`c\\` &lt;script> &amp; \\_d\\_ | 1.500 |\n"));
    assert_non_null(strstr(text, "(none)"));
    assert_null(strstr(text, "unseen"));
    end(&f);
}

static void long_documents_are_cut(void **state)
{
    struct fixture f;
    char id[16];
    (void)state;
    begin(&f);
    for (int i = 0; i < 100; i++) {
        snprintf(id, sizeof id, "t%d", i);
        table(&f, id, 500,
              "a name that is long enough to make a table of a few kilobytes, ***************");
    }
    const char *text = written(&f);
    assert_true(strlen(text) < 60000 && strlen(text) > 50000);
    assert_non_null(strstr(text, "_... 480 more rows_"));
    assert_non_null(strstr(text, "more tables would make this text too long"));
    end(&f);
}

/* A start is a time after the first event, and its heading names that, in every report for readers;
 * without an origin it is as recorded. */
static void starts_after_the_first_event(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct fixture f;
        begin(&f);
        f.doc.origin_ns = known ? 7000000000 : -1;
        struct az_table *t = az_table_new(&f.arena, "gaps", "Gaps", AZ_TABLE_SUMMARY);
        az_table_column(t, "Start (ns)", AZ_INT, AZ_UNIT_NS, AZ_KEY);
        az_table_column(t, "Start of the longest (ns)", AZ_INT, AZ_UNIT_NS, 0);
        az_put_i64(t, 7000432020);
        az_put_i64(t, 7000046800);
        assert_int_equal(az_document_add(&f.doc, t), 0);
        const char *text = written(&f);
        assert_int_equal(strstr(text, "| Start after first event (us) | Start of the longest after "
                                      "first event (us) |") != NULL,
                         known);
        assert_int_equal(strstr(text, "| 432.020 | 46.800 |") != NULL, known);
        assert_int_equal(strstr(text, "7,000.4") != NULL || strstr(text, "7.000") != NULL, !known);
        assert_int_equal(az_report_html.write(&f.doc, f.path, &f.scratch, &f.diag), 0);
        FILE *i = fopen(f.path, "rb");
        static char page[4000000];
        assert_non_null(i);
        page[fread(page, 1, sizeof page - 1, i)] = '\0';
        fclose(i);
        unlink(f.path);
        assert_int_equal(strstr(page, "Start after first event (us)</th>") != NULL, known);
        /* the exact value is the recorded one */
        assert_int_equal(strstr(page, "title=\"7000432020 ns\">432.020</td>") != NULL, known);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(whole_values_next_to_fractions),
                                        cmocka_unit_test(markup_is_escaped),
                                        cmocka_unit_test(short_tables_are_whole),
                                        cmocka_unit_test(starts_after_the_first_event),
                                        cmocka_unit_test(long_documents_are_cut) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
