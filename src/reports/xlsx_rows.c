/* Rows of large tables, written to a file for each sheet, from which xlsx_pack.c puts them into the
 * workbook. Through the functions of the library a cell is copied, kept until its row is complete
 * and printed piece by piece, which takes twice the time of all the rest; here a row is put
 * together at once. The XML is that of the library (tests/unit/reports_xlsx.c compares it). */
#include "reports/xlsx_lib.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "reports/xlsx.h"

#define KEEP        65536 /* bytes that are collected before they are written */
#define CELL_ROOM   128   /* of a cell without its text: tags, reference, style, a number */
#define ESCAPE_MOST 7     /* bytes that one byte of a text becomes at most: "_x001F_" */
#define EXACT       ((int64_t)1 << 53)

static void fail(struct az_xlsx_rows *w, int code)
{
    if (!w->x->error)
        w->x->error = code;
}

/* ---- numbers ---- */
/* Digits of v, 16 of them, and the power of ten of the first of them: 1e-4 <= v < 1e15.
 * Exact, ties to even, as printf does it. */
static int sixteen_digits(double v, uint64_t *digits)
{
    static const double decade[] = { 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3,  1e4, 1e5,
                                     1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14 };
    static const uint64_t power[] = { 1,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000,
                                      1000000000000000000,
                                      UINT64_C(10000000000000000000) };
    int e2, at = 0;
    const uint64_t m = (uint64_t)ldexp(frexp(v, &e2), 53);
    while (at + 1 < (int)AZ_LENGTH(decade) && v >= decade[at + 1])
        at++;
    const int e10 = at - 4, shift = 53 - e2; /* 3 to 66 */
    const unsigned __int128 all = (unsigned __int128)m * power[15 - e10],
                            half = (unsigned __int128)1 << (shift - 1);
    uint64_t d = (uint64_t)(all >> shift);
    const unsigned __int128 rest = all - ((unsigned __int128)d << shift);
    d += rest > half || (rest == half && (d & 1));
    *digits = d == power[16] ? power[15] : d;
    return e10 + (d == power[16]);
}

/* Digits from the first to the last that is no zero. */
static int put_digits(uint64_t digits, char out[16])
{
    int n = 16;
    for (int i = 15; i >= 0; i--, digits /= 10)
        out[i] = (char)('0' + digits % 10);
    while (n > 1 && out[n - 1] == '0')
        n--;
    return n;
}

size_t az_xlsx_number_text(double v, char out[AZ_NUM_MAX])
{
    const double size = fabs(v);
    if (size < 1e15 && size == floor(size) && v != 0)
        return az_format_i64((int64_t)v, out);
    if (!(size >= 1e-4 && size < 1e15))
        return (size_t)snprintf(out, AZ_NUM_MAX, "%.16G", v);
    char digit[16], *p = out;
    uint64_t digits;
    const int e10 = sixteen_digits(size, &digits), n = put_digits(digits, digit);
    if (v < 0)
        *p++ = '-';
    if (e10 < 0) {
        memcpy(p, "0.000", 5);
        p += 1 - e10;
    }
    for (int i = 0; i < n || i <= e10; i++) {
        if (i == e10 + 1 && i > 0)
            *p++ = '.';
        *p++ = i < n ? digit[i] : '0';
    }
    return (size_t)(p - out);
}

/* ---- pieces of a row ---- */
static char *put(char *to, const char *text, size_t n)
{
    memcpy(to, text, n);
    return to + n;
}
#define PUT(to, text) put(to, text, sizeof(text) - 1)

static bool flush(struct az_xlsx_rows *w)
{
    if (w->text.n && fwrite(w->text.v, 1, w->text.n, w->file) != w->text.n)
        az_xlsx_lost(w->x);
    w->text.n = 0;
    return !w->x->error;
}

static char *room(struct az_xlsx_rows *w, size_t n)
{
    const int rc = az_vec_reserve(&w->text, n);
    if (rc)
        fail(w, rc);
    return rc ? NULL : w->text.v + w->text.n;
}

/* <c r="AB12" s="3" */
static char *begin_cell(struct az_xlsx_rows *w, char *to, size_t col, struct lxw_format *format)
{
    struct az_xlsx_col *c = &w->col[col];
    if (!c->known || c->format != format) {
        char number[AZ_NUM_MAX];
        const int32_t index = format ? lxw_format_get_xf_index(format) : 0;
        char *s = c->style;
        if (index)
            s = PUT(put(PUT(s, " s=\""), number, az_format_i64(index, number)), "\"");
        c->style_n = (uint8_t)(s - c->style);
        c->format = format;
        c->known = true;
    }
    to = put(PUT(to, "<c r=\""), c->name, c->name_n);
    to = put(to, w->row, w->row_n);
    to = put(PUT(to, "\""), c->style, c->style_n);
    if (w->at < w->ws->dim_rowmin)
        w->ws->dim_rowmin = w->at;
    if (w->at > w->ws->dim_rowmax)
        w->ws->dim_rowmax = w->at;
    if (col < w->ws->dim_colmin)
        w->ws->dim_colmin = (lxw_col_t)col;
    if (col > w->ws->dim_colmax)
        w->ws->dim_colmax = (lxw_col_t)col;
    return to;
}

static void number(struct az_xlsx_rows *w, size_t col, double v, struct lxw_format *format)
{
    char text[AZ_NUM_MAX], *to = isfinite(v) ? room(w, CELL_ROOM) : NULL;
    if (!to)
        return;
    to = PUT(begin_cell(w, to, col, format), "><v>");
    to = PUT(put(to, text, az_xlsx_number_text(v, text)), "</v></c>");
    w->text.n = (size_t)(to - w->text.v);
}

static void boolean(struct az_xlsx_rows *w, size_t col, bool v, struct lxw_format *format)
{
    char *to = room(w, CELL_ROOM);
    if (!to)
        return;
    to = PUT(begin_cell(w, to, col, format), " t=\"b\"><v>");
    *to++ = v ? '1' : '0';
    to = PUT(to, "</v></c>");
    w->text.n = (size_t)(to - w->text.v);
}

/* Is it written as it is, but for the characters that XML takes for its own? */
static bool plain(struct az_sv s)
{
    bool good = s.n < AZ_XLSX_CELL / 2;
    for (size_t i = 0; good && i < s.n; i++)
        good =
            s.p[i] >= ' ' && s.p[i] < 0x7f && !(s.p[i] == '_' && i + 1 < s.n && s.p[i + 1] == 'x');
    return good;
}

static char *escape(char *to, char c)
{
    static const char hex[] = "0123456789ABCDEF";
    if (c == '&')
        return PUT(to, "&amp;");
    if (c == '<')
        return PUT(to, "&lt;");
    if (c == '>')
        return PUT(to, "&gt;");
    if ((unsigned char)c < ' ' && c != '\t' && c != '\n') {
        to = PUT(to, "_x00");
        *to++ = hex[(unsigned char)c >> 4];
        *to++ = hex[c & 15];
        c = '_';
    }
    *to++ = c;
    return to;
}

static void text(struct az_xlsx_rows *w, size_t col, struct az_sv s, struct lxw_format *format)
{
    if (s.n == 0)
        return;
    if (!plain(s)) {
        const char *p = az_xlsx_prepared(w->x, s);
        if (!p)
            return;
        s = az_sv_str(p);
    }
    char *to = s.n ? room(w, CELL_ROOM + ESCAPE_MOST * s.n) : NULL;
    if (!to)
        return;
    to = PUT(begin_cell(w, to, col, format), " t=\"inlineStr\"><is><t");
    if (isspace((unsigned char)s.p[0]) || isspace((unsigned char)s.p[s.n - 1]))
        to = PUT(to, " xml:space=\"preserve\"");
    *to++ = '>';
    for (size_t i = 0; i < s.n; i++)
        to = escape(to, s.p[i]);
    to = PUT(to, "</t></is></c>");
    w->text.n = (size_t)(to - w->text.v);
}

/* ---- rows ---- */
int az_xlsx_rows_open(struct az_xlsx_rows *w, struct az_xlsx *x, struct lxw_worksheet *ws,
                      size_t columns)
{
    *w = (struct az_xlsx_rows){ .x = x, .ws = ws, .columns = columns };
    az_vec_init(&w->text, x->mem);
    w->col = az_arena_array(x->scratch, columns + 1, sizeof *w->col);
    if (!w->col) {
        fail(w, az_arena_error(x->scratch));
        return x->error;
    }
    for (size_t c = 0; c < columns; c++) {
        char name[LXW_MAX_CELL_NAME_LENGTH];
        lxw_rowcol_to_cell_abs(name, 0, (lxw_col_t)c, 0, 0); /* "AB1" */
        w->col[c].name_n = (uint8_t)(strlen(name) - 1);
        memcpy(w->col[c].name, name, w->col[c].name_n);
    }
    lxw_worksheet_write_single_row(ws); /* what the library still holds */
    struct az_xlsx_piece piece = { .sheet = ws->index + 1u };
    piece.path = az_arena_printf(x->scratch, "%.*s/rows%u.xml", AZ_SVF(x->folder), piece.sheet);
    int rc = piece.path.p ? az_vec_push(&x->pieces, piece) : az_arena_error(x->scratch);
    if (rc)
        fail(w, rc);
    else if (!(w->file = fopen(piece.path.p, "wb")))
        az_xlsx_lost(x);
    if (w->file)
        setvbuf(w->file, NULL, _IONBF, 0); /* they are collected here */
    return x->error;
}

void az_xlsx_row(struct az_xlsx_rows *w, size_t row, const struct az_cell *cells,
                 const enum az_xlsx_style *style)
{
    char exact[AZ_NUM_MAX], *to = room(w, CELL_ROOM);
    if (!to)
        return;
    const size_t begin = w->text.n;
    w->at = (lxw_row_t)row;
    w->row_n = (uint8_t)az_format_i64((int64_t)row + 1, w->row);
    to = PUT(put(PUT(to, "<row r=\""), w->row, w->row_n), "\">");
    w->text.n = (size_t)(to - w->text.v);
    const size_t empty = w->text.n;
    for (size_t c = 0; c < w->columns && !w->x->error; c++) {
        struct lxw_format *format = az_xlsx_style(w->x, style[c]);
        if (cells[c].type == AZ_TEXT)
            text(w, c, az_cell_text(&cells[c]), format);
        else if (cells[c].type == AZ_INT && (cells[c].i > EXACT || cells[c].i < -EXACT))
            text(w, c, az_cell_exact(&cells[c], exact), format);
        else if (cells[c].type == AZ_INT || cells[c].type == AZ_REAL)
            number(w, c, az_cell_number(&cells[c]), format);
        else if (cells[c].type == AZ_BOOL)
            boolean(w, c, cells[c].b, format);
    }
    if (w->text.n == empty) { /* no cells, no row */
        w->text.n = begin;
        return;
    }
    to = room(w, CELL_ROOM);
    if (!to)
        return;
    w->text.n = (size_t)(PUT(to, "</row>") - w->text.v);
    if (w->text.n >= KEEP)
        (void)flush(w);
}

void az_xlsx_rows_close(struct az_xlsx_rows *w)
{
    if (!w->x->error)
        (void)flush(w);
    if (w->file && fclose(w->file) != 0 && !w->x->error)
        az_xlsx_lost(w->x);
    w->file = NULL;
    az_vec_release(&w->text);
}
