/* Workbooks read back: cells of each type, dates, references, strings, and what is no table. The
 * zip files and their parts are made here by hand. */
#include "saved/load_xlsx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#define SHEET "xl/worksheets/sheet1.xml"

struct part {
    const char *name, *text;
};

static void put16(struct az_vec_char *z, unsigned x)
{
    assert_int_equal(az_vec_push(z, (char)x), 0);
    assert_int_equal(az_vec_push(z, (char)(x >> 8)), 0);
}
static void put32(struct az_vec_char *z, size_t x)
{
    put16(z, (unsigned)x & 0xffff);
    put16(z, (unsigned)(x >> 16));
}

/* What local and central headers of an entry share: stored, without time. */
static void put_entry(struct az_vec_char *z, const struct part *p)
{
    const size_t n = strlen(p->text);
    put16(z, 20), put16(z, 0), put16(z, 0), put32(z, 0);
    put32(z, crc32(0, (const unsigned char *)p->text, (unsigned)n));
    put32(z, n), put32(z, n);
    put16(z, (unsigned)strlen(p->name)), put16(z, 0);
}

static void zip(struct az_vec_char *z, const struct part *parts, size_t n)
{
    size_t at[8], start;
    for (size_t i = 0; i < n; i++) {
        at[i] = z->n;
        put32(z, 0x04034b50);
        put_entry(z, &parts[i]);
        assert_int_equal(az_text_append(z, az_sv_str(parts[i].name)), 0);
        assert_int_equal(az_text_append(z, az_sv_str(parts[i].text)), 0);
    }
    start = z->n;
    for (size_t i = 0; i < n; i++) {
        put32(z, 0x02014b50), put16(z, 20);
        put_entry(z, &parts[i]);
        put16(z, 0), put16(z, 0), put16(z, 0), put32(z, 0), put32(z, at[i]);
        assert_int_equal(az_text_append(z, az_sv_str(parts[i].name)), 0);
    }
    const size_t length = z->n - start;
    put32(z, 0x06054b50), put16(z, 0), put16(z, 0);
    put16(z, (unsigned)n), put16(z, (unsigned)n), put32(z, length), put32(z, start), put16(z, 0);
}

static const char strings[] =
    "<?xml version=\"1.0\"?><sst>"
    "<si><t>plain</t></si>"
    "<si> not <t>a,b</t> this </si>"
    "<si><r><t>ru</t></r><rPh sb=\"0\"><t>no</t></rPh><r><t>n</t></r><phoneticPr/></si>"
    "<si><t>_x0041_</t></si>"
    "<si><t/></si>"
    "</sst>";

/* Formats of cells: the numbers of numFmt are dates where their code has letters of dates. */
static const char styles[] =
    "<styleSheet><numFmts>"
    "<numFmt numFmtId=\"164\" formatCode=\"yyyy\"/>"
    "<numFmt numFmtId=\"165\" formatCode=\"0&quot;days&quot;\"/>"
    "<numFmt numFmtId=\"166\" formatCode=\"[Red]0\"/>"
    "<numFmt numFmtId=\"167\" formatCode=\"\\d0_d*d\"/>"
    "<numFmt numFmtId=\"168\" formatCode=\"[Red]&quot;a&quot;\\dd\"/>"
    "<numFmt numFmtId=\"169\" formatCode=\"0\\\"/>"
    "<numFmt numFmtId=\"170\" formatCode=\"S\"/>"
    "</numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs><cellXfs>"
    "<xf numFmtId=\"0\"/><xf numFmtId=\"13\"/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/>"
    "<xf numFmtId=\"23\"/><xf numFmtId=\"44\"/><xf numFmtId=\"45\"/><xf numFmtId=\"47\"/>"
    "<xf numFmtId=\"48\"/><xf numFmtId=\"164\"/><xf numFmtId=\"165\"/><xf numFmtId=\"166\"/>"
    "<xf numFmtId=\"167\"/><xf numFmtId=\"168\"/><xf numFmtId=\"169\"/><xf numFmtId=\"170\"/>"
    "<xf/><xf numFmtId=\"-14\"/>"
    "</cellXfs><dxfs><xf numFmtId=\"14\"/></dxfs></styleSheet>";
static const uint8_t dates[] = { 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0 };

struct book {
    struct az_mem mem;
    struct az_arena arena;
    struct az_diag diag;
    struct az_vec_char bytes, csv;
    struct az_book b;
    struct az_book_shared look;
};

static void open_book(struct book *k, const char *sheet)
{
    const struct part parts[] = { { "xl/sharedStrings.xml", strings },
                                  { "xl/styles.xml", styles },
                                  { SHEET, sheet } };
    memset(k, 0, sizeof *k);
    az_mem_init(&k->mem, 0);
    az_arena_init(&k->arena, &k->mem);
    az_diag_init(&k->diag);
    az_vec_init(&k->bytes, &k->mem);
    az_vec_init(&k->csv, &k->mem);
    az_vec_init(&k->look.strings, &k->mem);
    az_vec_init(&k->look.dates, &k->mem);
    zip(&k->bytes, parts, 3);
    k->b = (struct az_book){ .bytes = az_text_view(&k->bytes),
                             .name = AZ_SV("b.xlsx"),
                             .arena = &k->arena,
                             .mem = &k->mem,
                             .diag = &k->diag };
    assert_int_equal(az_book_open(&k->b), 0);
    assert_int_equal(az_book_shared_read(&k->b, parts[0].name, parts[1].name, &k->look), 0);
}

static void close_book(struct book *k)
{
    az_book_close(&k->b);
    az_vec_release(&k->bytes);
    az_vec_release(&k->csv);
    az_vec_release(&k->look.strings);
    az_vec_release(&k->look.dates);
    az_diag_release(&k->diag);
    az_arena_release(&k->arena);
    assert_int_equal(k->mem.used, 0);
}

/* The rows of a sheet as CSV. */
static void rows_are(const char *rows, bool from_1904, const char *want)
{
    char sheet[2048];
    struct book k;
    (void)snprintf(sheet, sizeof sheet, "<worksheet><sheetData>%s</sheetData></worksheet>", rows);
    open_book(&k, sheet);
    k.look.from_1904 = from_1904;
    assert_int_equal(az_book_sheet(&k.b, SHEET, &k.look, &k.csv), 0);
    if (!az_sv_is(az_text_view(&k.csv), want))
        fail_msg("%s\nis:\n%.*s\nwanted:\n%s", rows, (int)k.csv.n, k.csv.v, want);
    close_book(&k);
}

/* The same of a cell below a header. */
static void cell_is(const char *cell, const char *want)
{
    char rows[1024], text[256];
    (void)snprintf(rows, sizeof rows,
                   "<row><c t=\"str\"><v>h</v></c><c t=\"str\"><v>last</v></c></row>"
                   "<row>%s<c r=\"B2\"><v>7</v></c></row>",
                   cell);
    (void)snprintf(text, sizeof text, "h,last\n%s,7\n", want);
    rows_are(rows, false, text);
}

static void fails(const char *rows, int want, const char *message)
{
    char sheet[2048];
    struct book k;
    (void)snprintf(sheet, sizeof sheet, "<worksheet><sheetData>%s</sheetData></worksheet>", rows);
    open_book(&k, sheet);
    assert_int_equal(az_book_sheet(&k.b, SHEET, &k.look, &k.csv), want);
    assert_int_equal(k.diag.list.n, *message ? 1 : 0);
    if (*message && az_sv_find(k.diag.list.v[0].text, az_sv_str(message)) < 0)
        fail_msg("%.*s", AZ_SVF(k.diag.list.v[0].text));
    close_book(&k);
}

static void shared_strings_and_formats(void **state)
{
    static const char *const text[] = { "plain", "a,b", "run", "_x0041_", "" };
    struct book k;
    (void)state;
    open_book(&k, "<worksheet/>");
    assert_int_equal(k.look.strings.n, AZ_LENGTH(text));
    for (size_t i = 0; i < AZ_LENGTH(text); i++)
        assert_true(az_sv_is(k.look.strings.v[i], text[i]));
    assert_int_equal(k.look.dates.n, AZ_LENGTH(dates));
    assert_memory_equal(k.look.dates.v, dates, sizeof dates);
    /* a book of numbers may lack both */
    k.look.strings.n = k.look.dates.n = 0;
    assert_int_equal(az_book_shared_read(&k.b, "xl/none.xml", "xl/no.xml", &k.look), 0);
    assert_int_equal(k.look.strings.n + k.look.dates.n, 0);
    assert_int_equal(az_book_sheet(&k.b, "xl/none.xml", &k.look, &k.csv), AZ_EFORMAT);
    close_book(&k);
}

static void cells_of_each_type(void **state)
{
    (void)state;
    cell_is("<c><v>1.5</v></c>", "1.5");
    cell_is("<c> no <f>1+1</f><v> 2 </v> </c>", "2");
    cell_is("<c t=\"n\"><v>3</v></c>", "3");
    cell_is("<c t=\"s\"><v>0</v></c>", "plain");
    cell_is("<c t=\"s\"><v> 1 </v></c>", "\"a,b\"");
    cell_is("<c t=\"s\"><v>3</v></c>", "A");
    cell_is("<c t=\"s\"><v>4</v></c>", "");
    cell_is("<c t=\"s\"><v> </v></c>", "");
    cell_is("<c t=\"b\"><v>1</v></c>", "True");
    cell_is("<c t=\"b\"><v>TRUE</v></c>", "True");
    cell_is("<c t=\"b\"><v>0</v></c>", "False");
    cell_is("<c t=\"b\"><v/></c>", "");
    cell_is("<c t=\"e\"><v>#N/A</v></c>", "");
    cell_is("<c t=\"d\"><v>2020-01-01</v></c>", "2020-01-01");
    cell_is("<c t=\"str\"><v> x </v></c>", " x ");
    cell_is("<c t=\"inlineStr\"><is><t>in</t><rPh><t>no</t></rPh><r><t>side</t></r></is></c>",
            "inside");
    cell_is("<c t=\"inlineStr\"><t>no</t><is><t>yes</t></is></c>", "yes");
    cell_is("<c s=\"2\"/>", "");
    cell_is("", "");
}

static void texts_with_quotes(void **state)
{
    (void)state;
    cell_is("<c t=\"str\"><v>a\"b</v></c>", "\"a\"\"b\"");
    cell_is("<c t=\"str\"><v>\"</v></c>", "\"\"\"\"");
    cell_is("<c t=\"str\"><v>a\nb</v></c>", "\"a\nb\"");
    cell_is("<c t=\"str\"><v>a&#13;</v></c>", "\"a\r\"");
    cell_is("<c t=\"str\"><v>,</v></c>", "\",\"");
    cell_is("<c t=\"str\"><v>a;b'c</v></c>", "a;b'c");
    cell_is("<c t=\"str\"><v>x_x0041_y_x007a__x007A_</v></c>", "xAyzz");
    cell_is("<c t=\"str\"><v>_x000A_</v></c>", "\"\n\"");
    cell_is("<c t=\"str\"><v>_x005F_x0041_</v></c>", "_x0041_");
    cell_is("<c t=\"str\"><v>_x0000__x0080__x0041</v></c>", "_x0000__x0080__x0041");
    cell_is("<c t=\"str\"><v>_x007f__x00G1__x/041__x0:41_</v></c>", "\x7f_x00G1__x/041__x0:41_");
    cell_is("<c t=\"str\"><v>_x004@__x004`__x0041-</v></c>", "_x004@__x004`__x0041-");
}

static void days(void **state)
{
    static const struct {
        const char *value, *want;
    } each[] = { { "0", "1899-12-30" },
                 { "2", "1900-01-01" },
                 { "25568", "1969-12-31" },
                 { "25569", "1970-01-01" },
                 { "36525", "1999-12-31" },
                 { "36526", "2000-01-01" },
                 { "36584", "2000-02-28" },
                 { "36585", "2000-02-29" },
                 { "36586", "2000-03-01" },
                 { "43890", "2020-02-29" },
                 { "43921", "2020-03-31" },
                 { "43922", "2020-04-01" },
                 { "44104", "2020-09-30" },
                 { "44105", "2020-10-01" },
                 { "44196.5", "2020-12-31 12:00:00" },
                 { "44197", "2021-01-01" },
                 { "73109", "2100-02-28" },
                 { "73110", "2100-03-01" },
                 { "73111", "2100-03-02" },
                 { "1.999999", "1900-01-01" },
                 { "2.99998", "1900-01-01 23:59:58" },
                 { "2.04236111111", "1900-01-01 01:01:00" },
                 { "2958465", "9999-12-31" },
                 { "2958466", "2958466" },
                 { "-1", "-1" },
                 { "soon", "soon" },
                 { "", "" } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        char cell[64];
        (void)snprintf(cell, sizeof cell, "<c s=\"2\"><v>%s</v></c>", each[i].value);
        cell_is(cell, each[i].want);
    }
    cell_is("<c s=\"0\"><v>2</v></c>", "2");
    cell_is("<c s=\"18\"><v>2</v></c>", "2"); /* no such format */
    cell_is("<c s=\"15\"><v>2</v></c>", "1900-01-01");
    cell_is("<c s=\"-1\"><v>2</v></c>", "2");
    cell_is("<c s=\"2\" t=\"str\"><v>2</v></c>", "2");
    rows_are("<row><c s=\"2\"><v>0</v></c></row><row><c s=\"2\"><v>60</v></c></row>", true,
             "1904-01-01\n1904-03-01\n");
}

static void rows_and_references(void **state)
{
    (void)state;
    rows_are("", false, "");
    rows_are("<row/><row><c><v>1</v></c></row><row/><row><c><v>2</v></c></row>", false, "1\n2\n");
    rows_are(
        "<row><c r=\"B1\"><v>1</v></c><c r=\"D1\"><v>2</v></c></row>"
        "<row><c r=\"A2\"><v>3</v></c></row><row><c r=\"C3\"><v>4</v></c><c><v>5</v></c></row>",
        false, ",1,,2\n3\n,,4,5\n");
    /* cells that are only formatted are none, at the end and before */
    rows_are("<row><c r=\"A1\"><v>1</v></c><c r=\"B1\" s=\"2\"/></row>"
             "<row><c r=\"A2\" s=\"2\"/><c r=\"B2\"/></row><row><c r=\"A3\"><v>2</v></c>"
             "<c r=\"C3\" t=\"str\"><v/></c></row>",
             false, "1\n2\n");
    rows_are("<row><c r=\"Z1\"><v>1</v></c><c r=\"AA1\"><v>2</v></c></row>", false,
             ",,,,,,,,,,,,,,,,,,,,,,,,,1,2\n");
    fails("<row><c><v>1</v></c></row><row><c r=\"B2\"><v>1</v></c></row>", AZ_ERANGE, "");
    fails("<row><c><v>1</v></c></row><row><c r=\"B2\" t=\"str\"><v>a</v></c></row>", AZ_ERANGE, "");
    fails("<row><c r=\"B1\"><v>1</v></c><c r=\"A1\"><v>1</v></c></row>", AZ_EFORMAT,
          "cells out of order");
    fails("<row><c r=\"B1\"><v>1</v></c><c r=\"B1\"><v>1</v></c></row>", AZ_EFORMAT,
          "cells out of order");
    fails("<row><c r=\"XFE1\"><v>1</v></c></row>", AZ_EFORMAT, "outside of any sheet");
    fails("<row><c r=\"AAAAA1\"><v>1</v></c></row>", AZ_EFORMAT, "outside of any sheet");
    fails("<row><c r=\"A\"><v>1</v></c></row>", AZ_EFORMAT, "outside of any sheet");
    fails("<row><c r=\"1\"><v>1</v></c></row>", AZ_EFORMAT, "outside of any sheet");
    fails("<row><c r=\"a1\"><v>1</v></c></row>", AZ_EFORMAT, "outside of any sheet");
    fails("<row><c t=\"s\"><v>5</v></c></row>", AZ_EFORMAT, "refers to a string missing");
    fails("<row><c t=\"s\"><v>-1</v></c></row>", AZ_EFORMAT, "refers to a string missing");
    fails("<row><c t=\"s\"><v>x</v></c></row>", AZ_EFORMAT, "refers to a string missing");
    fails("<row><c>", AZ_EFORMAT, "is not XML");
    fails("</sheetData></worksheet><!DOCTYPE x>", AZ_EFORMAT, "is not XML");
}

/* The last column of a sheet, and none after it. */
static void last_column(void **state)
{
    struct book k;
    (void)state;
    open_book(&k, "<worksheet><row><c r=\"XFD1\"><v>1</v></c></row></worksheet>");
    assert_int_equal(az_book_sheet(&k.b, SHEET, &k.look, &k.csv), 0);
    assert_int_equal(k.csv.n, AZ_BOOK_COLUMNS + 1);
    close_book(&k);
    open_book(&k, "<!DOCTYPE x><worksheet/>");
    assert_int_equal(az_book_sheet(&k.b, SHEET, &k.look, &k.csv), AZ_EFORMAT);
    assert_true(az_sv_find(k.diag.list.v[0].text, AZ_SV("declares a document type")) >= 0);
    assert_int_equal(k.diag.list.n, 1);
    close_book(&k);
}

/* ---- the book ---- */

#define RELATION(id, type, target)                                                                 \
    "<Relationship Id=\"" id "\" Type=\"http://x/" type "\" Target=\"" target "\"/>"
#define ROWS(a, b)                                                                                 \
    "<x:worksheet xmlns:x=\"u\"><x:row><x:c "                                                      \
    "t=\"str\"><x:v>n</x:v></x:c></x:row><x:row><x:c><x:v>" #a                                     \
    "</x:v></x:c></x:row><x:row><x:c><x:v>" #b "</x:v></x:c></x:row></x:worksheet>"

static int load_parts(struct az_document *doc, const struct part *parts, size_t n,
                      struct az_diag *diag)
{
    struct az_vec_char bytes;
    az_vec_init(&bytes, NULL);
    zip(&bytes, parts, n);
    const int rc = az_load_xlsx(doc, az_text_view(&bytes), AZ_SV("b.xlsx"), diag);
    az_vec_release(&bytes);
    return rc;
}

static void sheets_of_a_book(void **state)
{
    static const struct part parts[] = {
        { "_rels/.rels", "<Relationships>" RELATION("r9", "other", "no.xml")
                             RELATION("r1", "officeDocument", "book/w.xml") "</Relationships>" },
        { "book/w.xml", "<workbook xmlns:r=\"u\"><workbookPr date1904=\"0\"/><sheets>"
                        "<sheet name=\"two\" r:id=\"r2\"/><sheet name=\"Summary\" r:id=\"r2\"/>"
                        "<sheet name=\"chart\" r:id=\"r3\"/><sheet name=\"one\" r:id=\"r1\"/>"
                        "<sheet name=\"long\" r:id=\"r4\"/></sheets></workbook>" },
        { "book/_rels/w.xml.rels",
          "<Relationships>" RELATION("r1", "worksheet", "s1.xml")
              RELATION("r2", "worksheet", "/other/s2.xml") RELATION("r3", "chartsheet", "c.xml")
                  RELATION("r4", "worksheet", "s4.xml") "</Relationships>" },
        { "book/s1.xml", ROWS(1, 2) },
        { "other/s2.xml", ROWS(3, 4) },
        { "book/s4.xml", "<worksheet><row><c><v>1</v></c></row><row><c><v>1</v></c>"
                         "<c><v>2</v></c></row></worksheet>" },
    };
    struct az_mem mem;
    struct az_arena arena;
    struct az_document doc;
    struct az_diag diag;
    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    az_diag_init(&diag);
    assert_int_equal(load_parts(&doc, parts, AZ_LENGTH(parts), &diag), 0);
    assert_int_equal(doc.tables.n, 2);
    assert_true(az_sv_is(doc.tables.v[0]->id, "two") && az_sv_is(doc.tables.v[1]->id, "one"));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(doc.tables.v[i]->rows, 2);
        assert_int_equal(az_table_at(doc.tables.v[i], 0, 0)->i, i ? 1 : 3);
        assert_int_equal(az_table_at(doc.tables.v[i], 1, 0)->i, i ? 2 : 4);
    }
    assert_int_equal(diag.list.n, 1);
    assert_true(az_sv_find(diag.list.v[0].text, AZ_SV("sheet 'long' skipped")) >= 0);
    az_document_release(&doc);
    az_diag_release(&diag);
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

static void no_workbooks(void **state)
{
    static const struct {
        struct part parts[3];
        size_t n;
        const char *message;
    } each[] = {
        { { { "a.xml", "<a/>" } }, 1, "part '_rels/.rels': is missing" },
        { { { "_rels/.rels", "<Relationships/>" } }, 1, "part 'xl/workbook.xml': is missing" },
        { { { "_rels/.rels", "<Relationships/>" }, { "xl/workbook.xml", "<document/>" } },
          2,
          "part 'xl/workbook.xml': is not a workbook document" },
        { { { "_rels/.rels", "<Relationships/>" }, { "xl/workbook.xml", "<workbook/>" } },
          2,
          "part 'xl/_rels/workbook.xml.rels': is missing" },
        { { { "_rels/.rels", "<Relationships/>" },
            { "xl/workbook.xml", "<workbook/>" },
            { "xl/_rels/workbook.xml.rels", "<Relationships/>" } },
          3,
          "the workbook has no sheet with a table" },
        { { { "_rels/.rels", "<Relationships>" } }, 1, "part '_rels/.rels': is truncated XML" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct az_arena arena;
        struct az_document doc;
        struct az_diag diag;
        az_arena_init(&arena, NULL);
        az_document_init(&doc, &arena);
        az_diag_init(&diag);
        assert_true(load_parts(&doc, each[i].parts, each[i].n, &diag) < 0);
        assert_int_equal(diag.list.n, 1);
        if (az_sv_find(diag.list.v[0].text, az_sv_str(each[i].message)) < 0)
            fail_msg("%.*s", AZ_SVF(diag.list.v[0].text));
        az_document_release(&doc);
        az_diag_release(&diag);
        az_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_strings_and_formats), cmocka_unit_test(cells_of_each_type),
        cmocka_unit_test(texts_with_quotes),          cmocka_unit_test(days),
        cmocka_unit_test(rows_and_references),        cmocka_unit_test(last_column),
        cmocka_unit_test(sheets_of_a_book),           cmocka_unit_test(no_workbooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
