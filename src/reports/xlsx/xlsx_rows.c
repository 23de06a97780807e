/* Rows of tables, packed as they are put together: in memory or, in constant memory mode, where
 * they are many, in a file for each sheet, from which xlsx_pack.c puts them into the workbook.
 * Through the functions of the library a cell is copied, stored until its row is complete and
 * printed piece by piece, which needs twice the time of all the rest; here a row is put together at
 * once. The XML is that of the library (tests/unit/reports_xlsx.c compares it). */
#include "reports/xlsx/xlsx_lib.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "base/swar.h"
#include "io/gzip_deflate.h"
#include "reports/xlsx/xlsx.h"

#define LEVEL       1      /* of zlib, the quickest: rows pack to a sixth at any level */
#define KEEP        262144 /* bytes that are collected before they are packed */
#define SPILL       131072 /* packed bytes, from which those of a sheet go to a file */
#define CELL_ROOM   128    /* of a cell without its text: tags, reference, style, a number */
#define REPEATING   256    /* columns of a table whose cells are compared with those above */
#define ESCAPE_MOST 7      /* bytes that one byte of a text becomes at most: "_x001F_" */
#define EXACT       ((int64_t)1 << 53)

static void fail_rows(struct az_xlsx_rows *w, int code)
{
    if (!w->x->error)
        w->x->error = code;
}

static char *copy_text(char *to, const char *text, size_t n)
{
    memcpy(to, text, n);
    return to + n;
}
#define PUT(to, text) copy_text(to, text, sizeof(text) - 1)

/* ---- packed rows ---- */
static struct az_xlsx_piece *piece_of_rows(struct az_xlsx_rows *w)
{
    return &w->x->pieces.v[w->x->pieces.n - 1];
}

static bool open_file(struct az_xlsx_rows *w, struct az_xlsx_piece *piece)
{
    struct az_arena *scratch = w->x->scratch;

    piece->path = az_arena_printf(scratch, "%.*s/rows%u.xml", AZ_SVF(w->x->folder), piece->sheet);
    if (!piece->path.p)
        fail_rows(w, az_arena_error(scratch));
    else if (!(w->file = fopen(piece->path.p, "wb")))
        az_xlsx_lost(w->x);
    if (w->file)
        setvbuf(w->file, NULL, _IONBF, 0); /* they come in large parts */
    return w->file != NULL;
}

static bool take_packed(void *rows, const char *p, size_t n)
{
    struct az_xlsx_rows *w = rows;
    struct az_xlsx_piece *piece = piece_of_rows(w);

    if (!w->file && (!w->x->constant_memory || piece->packed.n + n <= SPILL)) {
        const int rc = az_text_append(&piece->packed, az_sv_make(p, n));
        if (rc)
            fail_rows(w, rc);
        return rc == 0;
    }
    if (!w->file && !open_file(w, piece))
        return false;
    if (n && fwrite(p, 1, n, w->file) != n)
        az_xlsx_lost(w->x);
    return !w->x->error;
}

static void pack_text(struct az_xlsx_rows *w)
{
    struct az_xlsx_piece *piece = piece_of_rows(w);

    piece->sum = az_deflate_sum(piece->sum, w->text.v, w->text.n);
    piece->size += w->text.n;
    if (!az_deflate_add(w->x->deflate, w->text.v, w->text.n, false))
        fail_rows(w, AZ_EINTERNAL);
    w->text.n = 0;
}

static int begin_packing(struct az_xlsx_rows *w)
{
    struct az_xlsx *x = w->x;

    if (!x->deflate) {
        const struct az_deflate_opts o = { .zlib_level = LEVEL };
        const int rc = az_deflate_new(&x->deflate, &o, x->mem);
        if (rc)
            return rc;
    }
    az_deflate_restart(x->deflate, take_packed, w);
    return 0;
}

/* ---- pieces of a row ---- */
static char *reserve_text(struct az_xlsx_rows *w, size_t n)
{
    const int rc = w->text.cap - w->text.n >= n ? 0 : az_vec_reserve(&w->text, n);
    if (rc)
        fail_rows(w, rc);
    return rc ? NULL : w->text.v + w->text.n;
}

/* ` s="3"` of a column, which the library numbers when it is first used. */
static void learn_style(struct az_xlsx_col *c)
{
    char number[AZ_NUM_MAX];
    const int32_t index = c->format ? lxw_format_get_xf_index(c->format) : 0;
    char *s = PUT(c->style, "\"");
    if (index)
        s = PUT(copy_text(PUT(s, " s=\""), number, az_format_i64(index, number)), "\"");
    c->style_n = (uint8_t)(s - c->style);
}

/* <c r="AB12" s="3"; pieces are copied with what is after them, as their length is not known. */
static char *begin_cell(struct az_xlsx_rows *w, char *to, size_t col)
{
    struct az_xlsx_col *c = &w->col[col];
    if (!c->style_n)
        learn_style(c);
    memcpy(to, c->head, sizeof c->head);
    to += c->head_n;
    memcpy(to, w->row, sizeof w->row);
    to += w->row_n;
    memcpy(to, c->style, sizeof c->style);
    w->extent.col_least = col < w->extent.col_least ? col : w->extent.col_least;
    w->extent.col_most = col > w->extent.col_most ? col : w->extent.col_most;
    return to + c->style_n;
}

static void number(struct az_xlsx_rows *w, size_t col, double v)
{
    char *to = isfinite(v) ? reserve_text(w, CELL_ROOM) : NULL;
    if (!to)
        return;
    to = PUT(begin_cell(w, to, col), "><v>");
    to += az_xlsx_number_text(v, to);
    to = PUT(to, "</v></c>");
    w->text.n = (size_t)(to - w->text.v);
}

static void boolean(struct az_xlsx_rows *w, size_t col, bool v)
{
    char *to = reserve_text(w, CELL_ROOM);
    if (!to)
        return;
    to = PUT(begin_cell(w, to, col), " t=\"b\"><v>");
    *to++ = v ? '1' : '0';
    to = PUT(to, "</v></c>");
    w->text.n = (size_t)(to - w->text.v);
}

/* What has to be done with a text: nothing, or of some characters what XML requires, or all
 * that the library does. `_x` may be the beginning of an escape. */
enum care { AS_IT_IS, ESCAPED, PREPARED };

static enum care care_of_bytes(const char *p, size_t n, bool more)
{
    enum care care = AS_IT_IS;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < ' ' || p[i] >= 0x7f || (p[i] == '_' && (i + 1 < n || more) && p[i + 1] == 'x'))
            return PREPARED;
        if (p[i] == '&' || p[i] == '<' || p[i] == '>')
            care = ESCAPED;
    }
    return care;
}

/* Is there nothing of that in eight bytes? An `_` at their end is checked with the next ones. */
static bool eight_are_plain(uint64_t x)
{
    const uint64_t odd = az_eight_below(x, ' ') | x | (x + AZ_EIGHT(1)),
                   marks = az_eight_has(x, '&') | az_eight_has(x & ~AZ_EIGHT(2), '<'),
                   escapes = az_eight_has(x, '_') << 8 & az_eight_has(x, 'x');
    return ((odd | marks | escapes) & AZ_EIGHT(0x80)) == 0;
}

#define STRIDE 7 /* of eight bytes, for pairs */

static enum care care_of(struct az_sv s)
{
    enum care all = s.n < AZ_XLSX_CELL / 2 ? AS_IT_IS : PREPARED;
    size_t i = 0;
    for (; all != PREPARED && s.n - i >= 8; i += STRIDE) {
        if (eight_are_plain(az_eight(s.p + i)))
            continue;
        const enum care some = care_of_bytes(s.p + i, STRIDE, true);
        all = some > all ? some : all;
    }
    if (all == PREPARED)
        return all;
    const enum care rest = care_of_bytes(s.p + i, s.n - i, false);
    return rest > all ? rest : all;
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

static char *put_text(char *to, struct az_sv s, enum care care)
{
    if (care == AS_IT_IS)
        return copy_text(to, s.p, s.n);
    for (size_t i = 0; i < s.n; i++)
        to = escape(to, s.p[i]);
    return to;
}

static void put_string(struct az_xlsx_rows *w, size_t col, struct az_sv s)
{
    const enum care care = care_of(s);
    if (s.n == 0)
        return;
    if (care == PREPARED) {
        const char *p = az_xlsx_prepared(w->x, s);
        if (!p)
            return;
        s = az_sv_str(p);
    }
    char *to = s.n ? reserve_text(w, CELL_ROOM + ESCAPE_MOST * s.n) : NULL;
    if (!to)
        return;
    to = PUT(begin_cell(w, to, col), " t=\"inlineStr\"><is><t");
    if (isspace((unsigned char)s.p[0]) || isspace((unsigned char)s.p[s.n - 1]))
        to = PUT(to, " xml:space=\"preserve\"");
    *to++ = '>';
    to = PUT(put_text(to, s, care), "</t></is></c>");
    w->text.n = (size_t)(to - w->text.v);
}

/* ---- rows ---- */
int az_xlsx_rows_open(struct az_xlsx_rows *w, struct az_xlsx *x, struct lxw_worksheet *ws,
                      const enum az_xlsx_style *style, size_t columns)
{
    *w = (struct az_xlsx_rows){ .x = x,
                                .ws = ws,
                                .extent = { .row_least = SIZE_MAX, .col_least = SIZE_MAX },
                                .columns = columns,
                                .text = x->row_text };
    az_vec_init(&x->row_text, x->mem);
    w->col = az_arena_array(x->scratch, columns + 1, sizeof *w->col);
    if (columns <= REPEATING)
        w->last = az_arena_array(x->scratch, columns + 1, sizeof *w->last);
    if (!w->col || (columns <= REPEATING && !w->last)) {
        fail_rows(w, az_arena_error(x->scratch));
        return x->error;
    }
    for (size_t c = 0; c < columns; c++) {
        char name[LXW_MAX_CELL_NAME_LENGTH];
        lxw_rowcol_to_cell_abs(name, 0, (lxw_col_t)c, 0, 0); /* "AB1" */
        w->col[c].format = az_xlsx_style(x, style[c]);
        const char *end = copy_text(PUT(w->col[c].head, "<c r=\""), name, strlen(name) - 1);
        w->col[c].head_n = (uint8_t)(end - w->col[c].head);
    }
    struct az_xlsx_piece piece = { .sheet = ws ? ws->index + 1u : 0 };
    az_vec_init(&piece.packed, x->mem);
    if (x->constant_memory)
        lxw_worksheet_write_single_row(ws); /* what the library still stores */
    int rc = begin_packing(w);
    if (!rc)
        rc = az_vec_push(&x->pieces, piece);
    if (rc)
        fail_rows(w, rc);
    return x->error;
}

static void put_cell(struct az_xlsx_rows *w, size_t c, const struct az_cell *cell)
{
    char exact[AZ_NUM_MAX];

    if (cell->type == AZ_TEXT)
        put_string(w, c, az_cell_text(cell));
    else if (cell->type == AZ_INT && (cell->i > EXACT || cell->i < -EXACT))
        put_string(w, c, az_cell_exact(cell, exact));
    else if (cell->type == AZ_INT || cell->type == AZ_REAL)
        number(w, c, az_cell_number(cell));
    else if (cell->type == AZ_BOOL)
        boolean(w, c, cell->b);
}

/* ---- cells that repeat those above ---- */
#define BEFORE_TEXT " t=\"inlineStr\"><is><t>"
#define AFTER_TEXT  "</t></is></c>"
enum { TEXT_AT = sizeof BEFORE_TEXT - 1, TEXT_TAGS = TEXT_AT + sizeof AFTER_TEXT - 1 };

static bool repeats(const struct az_xlsx_repeat *r, const struct az_cell *cell)
{
    if (r->cell.type != cell->type || cell->type == AZ_EMPTY)
        return false;
    if (cell->type != AZ_TEXT)
        return r->cell.i == cell->i;
    return r->cell.len == cell->len && memcmp(r->text + TEXT_AT, cell->s, cell->len) == 0;
}

static void copy_repeat(struct az_xlsx_rows *w, size_t c, const struct az_xlsx_repeat *r)
{
    char *to = reserve_text(w, CELL_ROOM + AZ_XLSX_REPEAT);

    if (!to)
        return;
    to = begin_cell(w, to, c);
    memcpy(to, r->text, AZ_XLSX_REPEAT);
    w->text.n = (size_t)(to + r->n - w->text.v);
}

/* The cell that begins at `from`: a number, or a text in which nothing is escaped. */
static void note_cell(struct az_xlsx_rows *w, size_t c, const struct az_cell *cell, size_t from)
{
    struct az_xlsx_repeat *r = &w->last[c];
    const size_t before = (size_t)w->col[c].head_n + w->row_n + w->col[c].style_n;
    const size_t n = w->text.n - from;

    r->cell.type = AZ_EMPTY;
    if (n <= before || n - before > AZ_XLSX_REPEAT || w->x->error || cell->type == AZ_BOOL)
        return;
    const char *p = w->text.v + from + before;
    if (cell->type == AZ_TEXT && (n - before != (size_t)TEXT_TAGS + cell->len ||
                                  memcmp(p + TEXT_AT, cell->s, cell->len) != 0))
        return;
    memcpy(r->text, p, n - before);
    r->n = (uint8_t)(n - before);
    r->cell = *cell;
}

static void put_cells(struct az_xlsx_rows *w, const struct az_cell *cells)
{
    for (size_t c = 0; c < w->columns && !w->x->error; c++) {
        const size_t from = w->text.n;
        if (w->last && repeats(&w->last[c], &cells[c])) {
            copy_repeat(w, c, &w->last[c]);
            continue;
        }
        put_cell(w, c, &cells[c]);
        if (w->last && cells[c].type != AZ_EMPTY)
            note_cell(w, c, &cells[c], from);
    }
}

/* Bytes of the text before the row, and those with its beginning. */
struct row_begin {
    size_t before, after;
};

static bool begin_row(struct az_xlsx_rows *w, size_t row, struct row_begin *b)
{
    char *to = reserve_text(w, CELL_ROOM), at[AZ_NUM_MAX] = "";

    if (!to)
        return false;
    b->before = w->text.n;
    w->row_n = (uint8_t)az_format_i64((int64_t)row + 1, at);
    memcpy(w->row, at, sizeof w->row);
    to = PUT(copy_text(PUT(to, "<row r=\""), w->row, w->row_n), "\">");
    w->text.n = b->after = (size_t)(to - w->text.v);
    return true;
}

static void end_row(struct az_xlsx_rows *w, size_t row, const struct row_begin *b)
{
    if (w->text.n == b->after) { /* no cells, no row */
        w->text.n = b->before;
        return;
    }
    w->extent.row_least = row < w->extent.row_least ? row : w->extent.row_least;
    w->extent.row_most = row > w->extent.row_most ? row : w->extent.row_most;
    char *to = reserve_text(w, CELL_ROOM);
    if (!to)
        return;
    w->text.n = (size_t)(PUT(to, "</row>") - w->text.v);
    if (w->text.n >= KEEP)
        pack_text(w);
}

void az_xlsx_row(struct az_xlsx_rows *w, size_t row, const struct az_cell *cells)
{
    struct row_begin b;

    if (!begin_row(w, row, &b))
        return;
    put_cells(w, cells);
    end_row(w, row, &b);
}

void az_xlsx_row_header(struct az_xlsx_rows *w, const struct az_column *columns)
{
    struct az_xlsx_col *of_cells = w->col;
    struct row_begin b;

    w->col = az_arena_array(w->x->scratch, w->columns + 1, sizeof *w->col);
    if (w->col && begin_row(w, 0, &b)) {
        memcpy(w->col, of_cells, w->columns * sizeof *w->col);
        for (size_t c = 0; c < w->columns && !w->x->error; c++) {
            w->col[c].format = az_xlsx_style(w->x, AZ_STYLE_HEADER);
            put_string(w, c, columns[c].name);
        }
        end_row(w, 0, &b);
    }
    w->col = of_cells; /* the arena remembers its failures */
}

static bool flush_rows(struct az_xlsx_rows *w)
{
    if (!az_deflate_flush(w->x->deflate))
        fail_rows(w, AZ_EINTERNAL);
    return !w->x->error;
}

void az_xlsx_rows_append(struct az_xlsx_rows *w, const struct az_xlsx_piece *piece,
                         const struct az_xlsx_extent *e)
{
    struct az_xlsx_piece *to = piece_of_rows(w);

    pack_text(w);
    if (!flush_rows(w) || !take_packed(w, piece->packed.v, piece->packed.n))
        return;
    to->sum = az_deflate_sum_join(to->sum, piece->sum, piece->size);
    to->size += piece->size;
    w->extent.row_least = e->row_least < w->extent.row_least ? e->row_least : w->extent.row_least;
    w->extent.row_most = e->row_most > w->extent.row_most ? e->row_most : w->extent.row_most;
    w->extent.col_least = e->col_least < w->extent.col_least ? e->col_least : w->extent.col_least;
    w->extent.col_most = e->col_most > w->extent.col_most ? e->col_most : w->extent.col_most;
}

/* The library writes where the cells of a sheet are. */
static void set_extent(struct lxw_worksheet *ws, const struct az_xlsx_extent *e)
{
    if (e->row_least > e->row_most)
        return;
    ws->dim_rowmin = e->row_least < ws->dim_rowmin ? (lxw_row_t)e->row_least : ws->dim_rowmin;
    ws->dim_rowmax = e->row_most > ws->dim_rowmax ? (lxw_row_t)e->row_most : ws->dim_rowmax;
    ws->dim_colmin = e->col_least < ws->dim_colmin ? (lxw_col_t)e->col_least : ws->dim_colmin;
    ws->dim_colmax = e->col_most > ws->dim_colmax ? (lxw_col_t)e->col_most : ws->dim_colmax;
}

void az_xlsx_rows_close(struct az_xlsx_rows *w)
{
    if (!w->x->error) {
        pack_text(w);
        flush_rows(w);
    }
    if (w->ws)
        set_extent(w->ws, &w->extent);
    if (w->file && fclose(w->file) != 0 && !w->x->error)
        az_xlsx_lost(w->x);
    w->file = NULL;
    az_vec_release(&w->x->row_text);
    w->x->row_text = w->text;
    w->x->row_text.n = 0;
}
