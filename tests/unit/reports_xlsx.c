/* Workbooks: opened by openpyxl and compared with CSV and JSON; equal bytes for equal documents;
 * cuts are said; failed writes leave nothing. */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "reports/list.h"
#include "reports/xlsx.h"
#include "unit/reports_common.h"

static int entries(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    int n = 0;
    assert_non_null(d);
    while ((e = readdir(d)))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static void print_messages(struct sample *s)
{
    for (size_t i = 0; i < s->diag.list.n; i++)
        print_message("%.*s\n", AZ_SVF(s->diag.list.v[i].text));
}

static void write_all(struct sample *s)
{
    int rc = az_report_xlsx.write(&s->doc, sample_path(s, "book.xlsx"), &s->scratch, &s->diag);
    print_messages(s);
    assert_int_equal(rc, 0);
    assert_int_equal(az_report_csv.write(&s->doc, sample_path(s, "csv"), &s->scratch, &s->diag), 0);
    assert_int_equal(az_report_json.write(&s->doc, sample_path(s, "r.json"), &s->scratch, &s->diag),
                     0);
    assert_int_equal(s->diag.list.n, 0);
}

static void check(struct sample *s, const char *more)
{
    const char *python = python_with("openpyxl, jsonschema");
    char command[4096];
    if (!python) {
        print_message("no Python with openpyxl and jsonschema: workbook not compared\n");
        return;
    }
    snprintf(command, sizeof command,
             "%s %s/tests/check_workbook.py %s/book.xlsx %s/csv --json %s/r.json --schema "
             "%s/schemas/result.schema.json %s",
             python, root_dir(), s->dir.p, s->dir.p, s->dir.p, root_dir(), more);
    assert_int_equal(system(command), 0);
}

/* A trend is a line chart, a heat map a colour scale; a waterfall has no native chart, and none is
 * missed. */
static void charts_of_histories(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 20);
    sample_history(&s);
    write_all(&s);
    check(&s, "--charts 5 --expect-sheets 7");
    sample_end(&s);
}

static void whole_document_agrees(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 300);
    write_all(&s);
    check(&s, "--charts 4 --expect-sheets 6");
    sample_end(&s);
}

static void constant_memory_agrees(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 12000); /* 108,000 cells */
    s.doc.xlsx_rows = 0;
    write_all(&s);
    check(&s, "--charts 4 --expect-sheets 6");
    sample_end(&s);
}

static void cuts_are_said(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 300);
    s.doc.xlsx_rows = 5;
    assert_int_equal(
        az_document_add(&s.doc, sample_kernels(&s.arena, "kernels_0", 40, AZ_TABLE_WHOLE)), 0);
    write_all(&s);
    check(&s, "--expect-sheets 7");
    sample_end(&s);
}

static void cuts_without_a_coverage_table(void **state)
{
    (void)state;
    struct sample s;
    sample_begin(&s);
    assert_int_equal(az_document_add(&s.doc, sample_kernels(&s.arena, "kern_sum", 30, 0)), 0);
    s.doc.xlsx_rows = 7;
    write_all(&s);
    check(&s, "--expect-sheets 3");
    sample_end(&s);
}

static void equal_documents_give_equal_bytes(void **state)
{
    (void)state;
    size_t n[2];
    char *bytes[2];
    for (int i = 0; i < 2; i++) {
        struct sample s;
        sample_fill(&s, 200);
        write_all(&s);
        bytes[i] = read_file(sample_path(&s, "book.xlsx"), &n[i]);
        sample_end(&s);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* At 1500 x 900 points of a screen: the verdict, a link to every sheet, and charts; no column of a
 * sheet is wider than 60. */
static void first_screen_has_verdict_links_and_charts(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 200);
    sample_verdict(&s.doc, &s.arena);
    write_all(&s);
    const char *python = python_with("openpyxl");
    char command[2048];
    snprintf(
        command, sizeof command,
        "%s -c \"import openpyxl,sys; b=openpyxl.load_workbook(sys.argv[1]); w=b['summary']; "
        "assert w['A2'].value.startswith('MI300X') and w['A4'].value == '-62.1 %%', w['A4'].value; "
        "assert w['B4'].value == 'idle: 4 gaps of 141 ms (kernels)'; assert w['B5'].data_type == "
        "'s'; to={c.hyperlink.location.split('!')[0].strip(chr(39)) for r in "
        "w.iter_rows(max_row=40, "
        "max_col=1) for c in r if c.hyperlink}; assert set(b.sheetnames[1:]) <= to, to; "
        "at=[c.anchor._from for c in w._charts]; assert at[0].row <= 14 and at[0].col == 1; "
        "assert max(a.row for a in at) < 50; "
        "wide=[d.width for t in b.worksheets for d in t.column_dimensions.values()]; assert "
        "max(wide) <= 60.8, max(wide)\" %s/book.xlsx",
        python ? python : "false", s.dir.p);
    if (python)
        assert_int_equal(system(command), 0);
    sample_end(&s);
}

static void odd_ids_and_empty_tables(void **state)
{
    (void)state;
    struct sample s;
    const char *ids[] = { "summary",
                          "a/b",
                          "A?b",
                          "History",
                          "nccl_implicit_sync_cat_detailed",
                          "nccl_implicit_sync_cat_detailed_x",
                          "'q'" };
    sample_begin(&s);
    for (size_t i = 0; i < AZ_LENGTH(ids); i++)
        assert_int_equal(
            az_document_add(&s.doc, sample_kernels(&s.arena, ids[i], 2, AZ_TABLE_SUMMARY)), 0);
    struct az_table *t =
        az_table_new(&s.arena, "empty", "Nothing here", AZ_TABLE_KEEP_EMPTY | AZ_TABLE_SUMMARY);
    az_table_column(t, "a", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    assert_int_equal(
        az_document_add(&s.doc, sample_kernels(&s.arena, "hidden", 2, AZ_TABLE_TEXT_ONLY)), 0);
    int rc = az_report_xlsx.write(&s.doc, sample_path(&s, "book.xlsx"), &s.scratch, &s.diag);
    print_messages(&s);
    assert_int_equal(rc, 0);
    const char *python = python_with("openpyxl");
    char command[2048];
    snprintf(
        command, sizeof command,
        "%s -c \"import openpyxl,sys; b=openpyxl.load_workbook(sys.argv[1]); "
        "want=['summary','summary~2','a_b','A_b~2','history_','nccl_implicit_sync_cat_detailed',"
        "'nccl_implicit_sync_cat_detail~2','_q_','empty']; sys.exit(b.sheetnames != want)\" "
        "%s/book.xlsx",
        python ? python : "false", s.dir.p);
    if (python)
        assert_int_equal(system(command), 0);
    sample_end(&s);
}

static void long_tables_go_on_in_a_second_sheet(void **state)
{
    (void)state;
    struct sample s;
    struct az_xlsx_plan plan;
    const size_t rows = AZ_XLSX_ROWS - 1 + 3;
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "t", "T", 0);
    az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < rows; i++)
        az_put_i64(t, (int64_t)i);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    s.doc.xlsx_rows = 0;
    sample_chart(&s, AZ_CHART_LINE, "t", "All of it", "n", "n", 0);
    assert_int_equal(az_xlsx_plan_make(&plan, &s.doc, &s.scratch), 0);
    assert_int_equal(plan.parts.n, 3); /* two of the table, and coverage because of the chart */
    assert_int_equal(plan.parts.v[0].rows, AZ_XLSX_ROWS - 1);
    assert_int_equal(plan.parts.v[1].first, AZ_XLSX_ROWS - 1);
    assert_int_equal(plan.parts.v[1].rows, 3);
    assert_int_equal(plan.parts.v[1].number, 2);
    assert_non_null(plan.coverage);
    assert_int_equal(plan.coverage->rows, 1);
    assert_true(
        az_sv_is(az_cell_text(az_table_at(plan.coverage, 0, 0)), "xlsx chart rows cut: All of it"));
    assert_true(az_cell_number(az_table_at(plan.coverage, 0, 1)) == 3);
    az_xlsx_plan_release(&plan);
    s.doc.xlsx_rows = 10;
    assert_int_equal(az_xlsx_plan_make(&plan, &s.doc, &s.scratch), 0);
    assert_int_equal(plan.parts.n, 2);
    assert_int_equal(plan.parts.v[0].rows, 10);
    assert_int_equal(plan.coverage->rows, 2);
    az_xlsx_plan_release(&plan);
    sample_end(&s);
}

/* In a child: files may not grow beyond `limit`, which stands for a full disk. */
static int write_limited(struct sample *s, rlim_t limit)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit r = { limit, limit };
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &r) != 0 || !freopen("/dev/null", "w", stderr))
            _exit(99);
        int rc =
            az_report_xlsx.write(&s->doc, sample_path(s, "out/book.xlsx"), &s->scratch, &s->diag);
        _exit(rc == AZ_EIO && s->diag.errors >= 1 ? 1 : rc == 0 ? 0 : 98);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void full_disk_leaves_nothing(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 12000);
    static const rlim_t limits[] = { 0, 1000, 4096, 20000, 100000, 300000 };
    for (int constant = 0; constant < 2; constant++) {
        s.doc.xlsx_rows = constant ? 0 : 3000;
        for (size_t i = 0; i < AZ_LENGTH(limits); i++) {
            if (write_limited(&s, limits[i]) != 1)
                fail_msg("limit %lu: no error", (unsigned long)limits[i]);
            assert_int_equal(entries(sample_path(&s, "out")), 0);
        }
    }
    assert_int_equal(write_limited(&s, RLIM_INFINITY), 0);
    assert_int_equal(entries(sample_path(&s, "out")), 1);
    sample_end(&s);
}

static void unwritable_targets(void **state)
{
    (void)state;
    struct sample s;
    sample_fill(&s, 5);
    FILE *f = fopen(sample_path(&s, "file"), "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(
        az_report_xlsx.write(&s.doc, sample_path(&s, "file/book.xlsx"), &s.scratch, &s.diag),
        AZ_EIO);
    assert_int_equal(az_report_csv.write(&s.doc, sample_path(&s, "file/csv"), &s.scratch, &s.diag),
                     AZ_EIO);
    assert_int_equal(
        az_report_json.write(&s.doc, sample_path(&s, "file/r.json"), &s.scratch, &s.diag), AZ_EIO);
    assert_int_equal(s.diag.errors, 3);
    sample_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_document_agrees),
        cmocka_unit_test(charts_of_histories),
        cmocka_unit_test(constant_memory_agrees),
        cmocka_unit_test(cuts_are_said),
        cmocka_unit_test(cuts_without_a_coverage_table),
        cmocka_unit_test(equal_documents_give_equal_bytes),
        cmocka_unit_test(first_screen_has_verdict_links_and_charts),
        cmocka_unit_test(odd_ids_and_empty_tables),
        cmocka_unit_test(long_tables_go_on_in_a_second_sheet),
        cmocka_unit_test(full_disk_leaves_nothing),
        cmocka_unit_test(unwritable_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
