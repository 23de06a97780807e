/* Workbooks: opened by openpyxl and compared with CSV and JSON; equal bytes for equal documents;
 * cuts are said; failed writes leave nothing. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "reports/list.h"
#include "reports/xlsx/xlsx.h"
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

/* A trend is a line chart, a heat map a color scale; a waterfall has no native chart, and none is
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

static void give_equal_bytes(size_t kernels)
{
    size_t n[2];
    char *bytes[2];
    for (int i = 0; i < 2; i++) {
        struct sample s;
        sample_fill(&s, kernels);
        s.doc.xlsx_rows = 0;
        write_all(&s);
        bytes[i] = read_file(sample_path(&s, "book.xlsx"), &n[i]);
        sample_end(&s);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(bytes[0], bytes[1], n[0]);
    free(bytes[0]);
    free(bytes[1]);
}

static void equal_documents_give_equal_bytes(void **state)
{
    (void)state;
    give_equal_bytes(200);
    give_equal_bytes(12000); /* put together here */
}

/* On one screen: the verdict, a link to every sheet, and right of them charts; no column of a
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
    snprintf(command, sizeof command,
             "%s -c \"import openpyxl,sys; b=openpyxl.load_workbook(sys.argv[1]); w=b['summary']; "
             "assert w['A2'].value.startswith('MI300X') and w['A4'].value == '-62.1 %%  idle: 4 "
             "gaps of 141 "
             "ms (kernels)', w['A4'].value; assert w['A5'].data_type == 's'; "
             "to={c.hyperlink.location.split('!')[0].strip(chr(39)) for r in "
             "w.iter_rows(max_row=40, "
             "max_col=1) for c in r if c.hyperlink}; assert set(b.sheetnames[1:]) <= to, to; "
             "at=[c.anchor._from for c in w._charts]; assert at[0].row == 1 and at[0].col > 1; "
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
    assert_true(az_sv_is(az_cell_text(az_table_at(plan.coverage, 0, 0)),
                         "xlsx chart rows omitted: All of it"));
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
            if (!constant && limits[i] > 100000) /* the file is smaller */
                continue;
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

/* ---- rows past the library ---- */
static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static void assert_number(double v)
{
    char want[64], got[AZ_NUM_MAX + 1];
    const size_t n = az_xlsx_number_text(v, got);
    snprintf(want, sizeof want, "%.16G", v);
    got[n] = 0;
    assert_string_equal(got, want);
}

static void numbers_are_those_of_printf(void **state)
{
    (void)state;
    static const double odd[] = { 0,      -0.0,   1,       -1,       9.7,     0.95,
                                  8.41,   1e15,   1e16,    1e14,     0.1,     0.01,
                                  0.001,  1e-4,   1e-5,    0.5,      2.5,     1e300,
                                  5e-324, 1.5e15, 12345.6, 1e22,     -0.03,   99999.5,
                                  1 / 3., 2 / 3., 0.3,     0.1 + .2, 999.999, 1e15 - 0.125 };
    for (size_t i = 0; i < AZ_LENGTH(odd); i++)
        assert_number(odd[i]);
    for (int e = -10; e < 17; e++) { /* next to powers of ten, where digits carry over */
        assert_number(nextafter(pow(10, e), 0));
        assert_number(nextafter(pow(10, e), 1e30));
        assert_number(-nextafter(pow(10, e), 0));
    }
    for (int i = 0; i < 100000; i++) {
        double v;
        const uint64_t bits = next_random();
        memcpy(&v, &bits, sizeof v);
        if (isfinite(v) && i % 4 == 0) /* any double */
            assert_number(v);
        assert_number((double)(bits >> 20) / 1000);
        assert_number((double)(bits >> 40) / 4096); /* ties */
        assert_number(ldexp((double)(bits >> 11), -(int)(bits & 63) - 10));
    }
}

static void widths_are_those_of_printf(void **state)
{
    (void)state;
    static const double odd[] = { 0,    -0.0,  9.4,    9.5,    9.994,   9.995,    9.9999995,
                                  99.6, 0.96,  999.99, -0.001, -9.9996, -999999,  1e14,
                                  1e15, 1e300, 0.5,    1.5,    1e6,     999999.5, 123456.75 };
    for (size_t i = 0; i < AZ_LENGTH(odd); i++)
        for (int decimals = 0; decimals <= 6; decimals++) {
            char want[AZ_XLSX_REAL];
            const int n = snprintf(want, sizeof want, "%.*f", decimals, odd[i]);
            assert_int_equal(az_xlsx_whole_width(odd[i], decimals),
                             n - (decimals ? decimals + 1 : 0));
        }
}

static struct az_cell text_cell(const char *text)
{
    return (struct az_cell){ .type = AZ_TEXT, .s = text, .len = (uint32_t)strlen(text) };
}

static struct az_cell odd_cell(size_t row, size_t col)
{
    static const char *const texts[] = { "plain",
                                         " leads",
                                         "trails\n",
                                         "a<b>&c\"'",
                                         "_x0041_",
                                         "_x",
                                         "tab\tand\nline",
                                         "gr\xc3\xbc\xc3\x9f",
                                         "bad \xff byte",
                                         "\x01\x1f control",
                                         "",
                                         "=1+1",
                                         "void k<float, 4>(int)",
                                         "1234567_x0041_89",
                                         "123456_x0041_789",
                                         "12345678901234567_x0041_",
                                         "plain_but_long_enough_for_x",
                                         "only the last ones >",
                                         "1234567890 del \x7f",
                                         "1234567_" };
    switch ((row * 7 + col) % 6) {
    case 0:
        return (struct az_cell){ .type = AZ_INT, .i = (int64_t)(next_random() >> (row % 60)) };
    case 1:
        return (struct az_cell){ .type = AZ_REAL, .f = (double)(next_random() >> 30) / 1000 };
    case 2:
        return text_cell(texts[row % AZ_LENGTH(texts)]);
    case 3:
        return (struct az_cell){ .type = AZ_BOOL, .b = row & 1 };
    case 4:
        return (struct az_cell){ .type = AZ_REAL, .f = row % 5 ? -1.0 / (double)row : NAN };
    default:
        return (struct az_cell){ .type = AZ_EMPTY };
    }
}

enum { ODD_ROWS = 3000, ODD_COLUMNS = 30 };
static void write_odd(struct sample *s, const char *name, bool by_library)
{
    struct az_xlsx x;
    struct az_xlsx_rows w;
    struct az_sv sheet;
    enum az_xlsx_style style[ODD_COLUMNS];
    struct az_cell cells[ODD_COLUMNS];
    char *longest = malloc(70001); /* is cut */
    memset(longest, '&', 70000);
    longest[70000] = 0;
    seed = 88172645463325252u;
    assert_int_equal(
        az_xlsx_open(&x, sample_path(s, name), true, false, &s->scratch, &s->mem, &s->diag), 0);
    struct lxw_worksheet *ws = az_xlsx_sheet(&x, AZ_SV("odd"), &sheet);
    for (size_t c = 0; c < ODD_COLUMNS; c++) {
        az_xlsx_text(&x, ws, 0, c, AZ_SV("head"), AZ_STYLE_HEADER);
        style[c] = c % 3 == 0 ? AZ_STYLE_PLAIN : c % 3 == 1 ? AZ_STYLE_FIXED3 : AZ_STYLE_INDENTED;
    }
    if (!by_library)
        assert_int_equal(az_xlsx_rows_open(&w, &x, ws, style, ODD_COLUMNS), 0);
    for (size_t r = 1; r < ODD_ROWS; r++) {
        for (size_t c = 0; c < ODD_COLUMNS && r % 4 != 2; c++) /* else those above */
            cells[c] = r % 100 == 50 ? (struct az_cell){ .type = AZ_EMPTY } : odd_cell(r, c);
        if (r == 17)
            cells[3] = text_cell(longest);
        for (size_t c = 0; by_library && c < ODD_COLUMNS; c++)
            az_xlsx_cell(&x, ws, r, c, &cells[c], style[c]);
        if (!by_library)
            az_xlsx_row(&w, r, cells);
    }
    if (!by_library)
        az_xlsx_rows_close(&w);
    assert_int_equal(az_xlsx_close(&x), 0);
    free(longest);
}

static void rows_have_the_xml_of_the_library(void **state)
{
    (void)state;
    struct sample s;
    char command[1024];
    sample_begin(&s);
    write_odd(&s, "library.xlsx", true);
    write_odd(&s, "rows.xlsx", false);
    snprintf(
        command, sizeof command,
        "cd %s && ${PYTHON:-python3} -c 'import zipfile as z; a, b = z.ZipFile(\"library.xlsx\"), "
        "z.ZipFile(\"rows.xlsx\"); assert a.namelist() == b.namelist() and not b.testzip(); "
        "assert all(a.read(n) == b.read(n) for n in a.namelist())'",
        s.dir.p);
    assert_int_equal(system(command), 0);
    sample_end(&s);
}

/* Threads share the rows of a large table; where a segment ends does not depend on them. */
static void segments_are_those_of_one_thread(void **state)
{
    (void)state;
    struct sample s;
    char command[1024];
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "large", "Large", 0);
    az_table_column(t, "row", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "text", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (int c = 0; c < 4; c++)
        az_table_column(t, &"abcd"[c], AZ_REAL, AZ_UNIT_US, 0);
    for (int i = 0; i < 9999; i++) {
        az_put_i64(t, i);
        az_put_text(t, i % 7 ? AZ_SV("some <name>") : AZ_SV(""));
        for (int c = 0; c < 4; c++)
            az_put_f64(t, i / (c + 3.));
    }
    assert_int_equal(az_document_add(&s.doc, t), 0);
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        char name[32];
        snprintf(name, sizeof name, "by_%u.xlsx", threads);
        assert_int_equal(
            az_report_xlsx.write_on(&s.doc, sample_path(&s, name), threads, &s.scratch, &s.diag),
            0);
    }
    snprintf(
        command, sizeof command,
        "cd %s && cmp by_1.xlsx by_3.xlsx && cmp by_1.xlsx by_5.xlsx && ${PYTHON:-python3} -c '"
        "import re, zipfile as z; a = z.ZipFile(\"by_1.xlsx\"); assert not a.testzip(); "
        "x = [a.read(n).decode() for n in a.namelist() if \"sheets/sheet\" in n]; "
        "x = max(x, key=len); v = re.findall(\"<row r=.([0-9]+)\", x); "
        "assert v == [str(i + 1) for i in range(10000)]; "
        "v = re.findall(\"<c r=.A[0-9]+.[^>]*><v>([0-9]+)<\", x); "
        "assert v[1:] == [str(i) for i in range(9999)]; "
        "assert \"<dimension ref=.A1:F10000.\".replace(\".\", chr(34)) in x'",
        s.dir.p);
    assert_int_equal(system(command), 0);
    sample_end(&s);
}

/* A column for each rank: one element of the file, as wide as the widest. */
static void many_columns_share_a_width(void **state)
{
    (void)state;
    struct sample s;
    char command[1024], name[64];
    sample_begin(&s);
    struct az_table *t = az_table_new(&s.arena, "ranks", "A column for each rank", 0);
    for (int i = 0; i < 600; i++) {
        (void)snprintf(name, sizeof name, i % 2 ? "rank %d" : "duration of rank %d", i);
        az_table_column(t, name, AZ_INT, AZ_UNIT_COUNT, 0);
    }
    for (int i = 0; i < 600; i++)
        az_put_i64(t, i);
    assert_int_equal(az_document_add(&s.doc, t), 0);
    write_all(&s);
    snprintf(
        command, sizeof command,
        "cd %s && ${PYTHON:-python3} -c 'import re, zipfile; b = zipfile.ZipFile(\"book.xlsx\"); "
        "w = [re.findall(r\"<col min=.(\\d+). max=.(\\d+). width=.([\\d.]+)\", "
        "b.read(n).decode()) for n in b.namelist() if \"/sheet\" in n]; "
        "w = max(w, key=len); assert len(w) == 257 and w[256][:2] == (\"257\", \"600\") "
        "and w[256][2] >= w[254][2], w[250:]'",
        s.dir.p);
    assert_int_equal(system(command), 0);
    sample_end(&s);
}

/* A table that would be too small on one page goes on over others, with its header and keys. */
static void wide_tables_print_over_pages(void **state)
{
    (void)state;
    struct sample s;
    char command[1024];
    sample_begin(&s);
    for (int wide = 0; wide < 2; wide++) {
        struct az_table *t =
            az_table_new(&s.arena, wide ? "wide" : "narrow", wide ? "Wide" : "Narrow", 0);
        az_table_column(t, "key", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
        for (int i = 0; i < (wide ? 40 : 3); i++)
            az_table_column(t, az_arena_printf(&s.arena, "column %d", i).p, AZ_INT, AZ_UNIT_COUNT,
                            0);
        az_put_text(t, AZ_SV("a"));
        for (int i = 0; i < (wide ? 40 : 3); i++)
            az_put_i64(t, i);
        assert_int_equal(az_document_add(&s.doc, t), 0);
    }
    write_all(&s);
    snprintf(
        command, sizeof command,
        "cd %s && ${PYTHON:-python3} -c 'import re, zipfile; b = zipfile.ZipFile(\"book.xlsx\"); "
        "p = [re.findall(r\"<pageSetup[^>]*>\", b.read(n).decode()) for n in b.namelist() if "
        "\"worksheets/sheet\" in n]; w = b.read(\"xl/workbook.xml\").decode(); "
        "assert sum(\"scale=\\\"55\\\"\" in x for q in p for x in q) == 1, p; "
        "assert sum(\"fitToHeight=\\\"0\\\"\" in x for q in p for x in q) >= 1, p; "
        "assert \"$A:$A,\" in w, w'",
        s.dir.p);
    assert_int_equal(system(command), 0);
    sample_end(&s);
}

/* Their header is a row like the others, and the only one of a table without rows. */
static void many_columns_have_a_header(void **state)
{
    (void)state;
    struct sample s;
    char command[1024], name[64];
    sample_begin(&s);
    for (int rows = 0; rows <= 1; rows++) {
        struct az_table *t = az_table_new(&s.arena, rows ? "some" : "none",
                                          "A column for each rank", AZ_TABLE_KEEP_EMPTY);
        for (int i = 0; i < 300; i++) {
            (void)snprintf(name, sizeof name, "time of rank %d <us>", i);
            az_table_column(t, name, AZ_INT, AZ_UNIT_COUNT, 0);
        }
        for (int i = 0; i < 300 * rows; i++)
            az_put_i64(t, i);
        assert_int_equal(az_document_add(&s.doc, t), 0);
    }
    write_all(&s);
    const char *python = python_with("openpyxl");
    if (!python)
        skip();
    snprintf(command, sizeof command,
             "cd %s && %s -c 'import openpyxl; "
             "b = openpyxl.load_workbook(\"book.xlsx\"); "
             "rows = [list(b[n].iter_rows()) for n in (\"none\", \"some\")]; "
             "assert [len(r) for r in rows] == [1, 2] and [c.value for c in rows[1][1]] == "
             "list(range(300)); assert all([c.value for c in r[0]] == [\"time of rank %%d <us>\" "
             "%% i for i in range(300)] and all(c.font.b for c in r[0]) for r in rows)'",
             s.dir.p, python);
    assert_int_equal(system(command), 0);
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
        cmocka_unit_test(numbers_are_those_of_printf),
        cmocka_unit_test(widths_are_those_of_printf),
        cmocka_unit_test(many_columns_share_a_width),
        cmocka_unit_test(wide_tables_print_over_pages),
        cmocka_unit_test(many_columns_have_a_header),
        cmocka_unit_test(rows_have_the_xml_of_the_library),
        cmocka_unit_test(segments_are_those_of_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
