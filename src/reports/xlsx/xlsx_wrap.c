/* The workbook library without its traps (libxlsxwriter 1.1.4), each in one place:
 * - NaN and infinities would be written as such and spoil the sheet: nothing is written;
 * - invalid UTF-8 is copied raw: cleaned first; a literal "_x0041_" would be read back as "A":
 * escaped;
 * - texts over 32,767 characters are rejected: truncated with a mark; strings are never formulas;
 * - numbers are written with 16 digits: integers beyond 2^53 become text (reals may lose the 17th
 * digit);
 * - sheet names are rejected with a line on stderr: made valid before;
 * - the creation time differs from run to run: fixed;
 * - temporary files have shared random names: a private folder per workbook, so that no lock is
 * needed;
 * - memory that it does not get is not noticed everywhere: it is searched before (room);
 * - a full disk under the temporary folder is not noticed: the finished file is read back
 * (xlsx_verify.c). */
#include "reports/xlsx/xlsx_lib.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "base/utf8.h"
#include "io/gzip_deflate.h"
#include "io/outfile.h"
#include "reports/shared/fields.h"
#include "reports/xlsx/xlsx.h"
#include "reports/xlsx/xlsx_verify.h"

#define CREATED 946684800 /* 2000-01-01 00:00:00 UTC: equal runs write equal bytes */
#define EXACT   ((int64_t)1 << 53)
/* A cell is a handful of allocations, which need a page each where no heap can grow; charts and the
 * compression at the end need more than cells. */
#define ROOM_CELLS 64
#define ROOM       ((size_t)8 << 20)
#define ROOM_CLOSE ((size_t)24 << 20)

static void fail_workbook(struct az_xlsx *x, int code)
{
    if (!x->error)
        x->error = code;
}

/* Is there room for the next calls of the library? */
static bool reserve_room(struct az_xlsx *x, size_t size)
{
    if (!az_mem_room(size))
        fail_workbook(x, AZ_ENOMEM);
    return !x->error;
}

static bool room_for_cell(struct az_xlsx *x)
{
    return x->cells++ % ROOM_CELLS || x->error ? !x->error : reserve_room(x, ROOM);
}

/* ---- texts ---- */
/* `_xHHHH_` at p? Spreadsheets read it as one character. */
static bool is_escape(const char *p, size_t n)
{
    if (n < 7 || p[0] != '_' || p[1] != 'x' || p[6] != '_')
        return false;
    for (size_t i = 2; i < 6; i++) {
        if (!strchr("0123456789abcdefABCDEF", p[i]))
            return false;
    }
    return true;
}

static size_t count_escapes(struct az_sv s)
{
    size_t n = 0;
    ptrdiff_t at;

    for (size_t i = 0; (at = az_sv_find(az_sv_make(s.p + i, s.n - i), AZ_SV("_x"))) >= 0; i++) {
        i += (size_t)at;
        n += is_escape(s.p + i, s.n - i);
    }
    return n;
}

#define ESCAPE_EXTRA 6 /* characters that escaping adds: "_x005F" */

/* The library counts the escaped text. */
bool az_xlsx_too_long(struct az_sv s)
{
    if (s.n <= AZ_XLSX_CELL / 2) /* escaping does not double a text */
        return false;
    return az_utf8_units(s) + ESCAPE_EXTRA * count_escapes(s) > AZ_XLSX_CELL;
}

/* Units of a too long text that surely fit with the mark after them. An escape is 7 units long, 13
 * when escaped. */
static size_t room_for(struct az_sv s)
{
    size_t extra = ESCAPE_EXTRA * count_escapes(s);

    return extra < AZ_XLSX_CELL / 2 ? AZ_XLSX_CELL - 1 - extra : AZ_XLSX_CELL / 2;
}

static int append_escaped(struct az_vec_char *out, struct az_sv s)
{
    ptrdiff_t at;
    size_t done = 0;
    int rc = 0;

    for (size_t i = 0; !rc && (at = az_sv_find(az_sv_make(s.p + i, s.n - i), AZ_SV("_x"))) >= 0;
         i++) {
        i += (size_t)at;
        if (!is_escape(s.p + i, s.n - i))
            continue;
        rc = az_text_append(out, az_sv_make(s.p + done, i - done));
        if (!rc)
            rc = az_text_append(out, AZ_SV("_x005F"));
        done = i;
    }
    return rc ? rc : az_text_append(out, az_sv_make(s.p + done, s.n - done));
}

const char *az_xlsx_prepared(struct az_xlsx *x, struct az_sv s)
{
    struct az_sv clean = az_field_text(x->scratch, s);
    bool cut = az_xlsx_too_long(clean);
    int rc;

    az_vec_reset(&x->text);
    rc = append_escaped(&x->text, cut ? az_utf8_cut_units(clean, room_for(clean)) : clean);
    if (!rc && cut)
        rc = az_text_append(&x->text, AZ_SV("\xe2\x80\xa6"));
    if (!rc)
        rc = az_text_append(&x->text, az_sv_make("", 1));
    if (rc) {
        fail_workbook(x, rc);
        return NULL;
    }
    return x->text.v;
}

const char *az_xlsx_string(struct az_xlsx *x, struct az_sv s, size_t units)
{
    char *p = az_arena_str(x->scratch, az_utf8_cut_units(az_field_text(x->scratch, s), units));

    if (!p)
        fail_workbook(x, az_arena_error(x->scratch));
    return p ? p : "";
}

/* ---- cells ---- */
void az_xlsx_text(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col,
                  struct az_sv s, enum az_xlsx_style style)
{
    const char *p = s.n ? az_xlsx_prepared(x, s) : NULL;

    if (!p || !room_for_cell(x))
        return;
    if (worksheet_write_string(ws, (lxw_row_t)row, (lxw_col_t)col, p, az_xlsx_style(x, style)) !=
        LXW_NO_ERROR)
        fail_workbook(x, AZ_EINTERNAL);
}

void az_xlsx_number(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col, double v,
                    enum az_xlsx_style style)
{
    if (!isfinite(v) || !room_for_cell(x))
        return;
    if (worksheet_write_number(ws, (lxw_row_t)row, (lxw_col_t)col, v, az_xlsx_style(x, style)) !=
        LXW_NO_ERROR)
        fail_workbook(x, AZ_EINTERNAL);
}

void az_xlsx_cell(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col,
                  const struct az_cell *c, enum az_xlsx_style style)
{
    char buf[AZ_NUM_MAX];

    switch (c->type) {
    case AZ_TEXT:
        az_xlsx_text(x, ws, row, col, az_cell_text(c), style);
        return;
    case AZ_INT:
        if (c->i > EXACT || c->i < -EXACT)
            az_xlsx_text(x, ws, row, col, az_cell_exact(c, buf), style);
        else
            az_xlsx_number(x, ws, row, col, (double)c->i, style);
        return;
    case AZ_REAL:
        az_xlsx_number(x, ws, row, col, c->f, style);
        return;
    case AZ_BOOL:
        if (worksheet_write_boolean(ws, (lxw_row_t)row, (lxw_col_t)col, c->b,
                                    az_xlsx_style(x, style)) != LXW_NO_ERROR)
            fail_workbook(x, AZ_EINTERNAL);
        return;
    case AZ_EMPTY:
        return;
    }
}

void az_xlsx_link(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t col,
                  struct az_sv sheet, struct az_sv shown, enum az_xlsx_style style)
{
    struct az_vec_char url;
    int rc;

    az_vec_init(&url, x->mem);
    rc = az_text_append(&url, AZ_SV("internal:'"));
    for (size_t i = 0; i < sheet.n && !rc; i++) { /* an apostrophe in a name is doubled */
        rc = az_text_append(&url, az_sv_make(sheet.p + i, 1));
        if (!rc && sheet.p[i] == '\'')
            rc = az_text_append(&url, AZ_SV("'"));
    }
    if (!rc)
        rc = az_text_append(&url, az_sv_make("'!A1", sizeof "'!A1"));
    if (rc)
        fail_workbook(x, rc);
    const char *text = az_xlsx_string(x, shown, 255);
    if (!x->error && worksheet_write_url_opt(ws, (lxw_row_t)row, (lxw_col_t)col, url.v,
                                             az_xlsx_style(x, style), text, NULL) != LXW_NO_ERROR)
        fail_workbook(x, AZ_EINTERNAL);
    az_vec_release(&url);
}

/* ---- workbook ---- */
int az_xlsx_open(struct az_xlsx *x, const char *path, bool constant_memory, bool zip64,
                 struct az_arena *scratch, struct az_mem *mem, struct az_diag *diag)
{
    *x = (struct az_xlsx){ .scratch = scratch,
                           .diag = diag,
                           .mem = mem,
                           .path = path,
                           .constant_memory = constant_memory };
    x->zip64 = zip64;
    az_vec_init(&x->names, mem);
    az_vec_init(&x->text, mem);
    az_vec_init(&x->pieces, mem);
    az_vec_init(&x->row_text, mem);
    x->error = az_xlsx_load(AZ_AT_FILE(az_sv_str(path)), diag);
    if (x->error)
        return x->error;
    x->error = az_outname_reserve(scratch, path, &x->tmp_name, diag);
    if (x->error)
        return x->error;
    x->error = az_tmpdir_make(scratch, "xlsx", &x->folder, diag);
    if (x->error)
        goto fail;
    lxw_workbook_options options = {
        .constant_memory = constant_memory,
        .tmpdir = (char *)x->folder.p, /* the library copies it */
        .use_zip64 = zip64,
    };
    if (!reserve_room(x, ROOM)) {
        az_diag_memory(diag, x->error, AZ_AT_FILE(az_sv_str(path)), mem);
        goto fail;
    }
    lxw_doc_properties properties = { .created = CREATED };
    x->book_name = az_arena_printf(scratch, "%.*s/book.xlsx", AZ_SVF(x->folder));
    if (!x->book_name.p) {
        x->error = az_arena_error(scratch);
        goto fail;
    }
    x->book = workbook_new_opt(x->book_name.p, &options);
    if (x->book && workbook_set_properties(x->book, &properties) == LXW_NO_ERROR)
        return 0;
    x->error = AZ_ENOMEM;
    az_diag_memory(diag, x->error, AZ_AT_FILE(az_sv_str(path)), mem);
fail:
    return az_xlsx_close(x);
}

struct lxw_worksheet *az_xlsx_sheet(struct az_xlsx *x, struct az_sv wanted, struct az_sv *name)
{
    struct lxw_worksheet *ws = NULL;

    *name = az_sheet_name(x->scratch, az_field_text(x->scratch, wanted), &x->names);
    if (!name->p)
        fail_workbook(x, az_arena_error(x->scratch));
    else if (az_vec_push(&x->names, *name) != 0)
        fail_workbook(x, az_mem_error(x->mem));
    if (x->error || !reserve_room(x, ROOM))
        return NULL;
    errno = 0;
    ws = workbook_add_worksheet(x->book, name->p);
    if (!ws)
        fail_workbook(x, errno == ENOMEM ? AZ_ENOMEM : errno ? AZ_EIO : AZ_EINTERNAL);
    return ws;
}

/* In constant memory mode the library never checks whether its temporary files stored the rows. */
static bool rows_lost(struct az_xlsx *x)
{
    lxw_sheet *s;

    STAILQ_FOREACH(s, x->book->sheets, list_pointers)
    {
        FILE *f = s->is_chartsheet ? NULL : s->u.worksheet->optimize_tmpfile;
        if (f && (fflush(f) != 0 || ferror(f)))
            return true;
    }
    return false;
}

/* Frees without writing; the library forgets the files of constant memory mode. */
static void drop_book(struct az_xlsx *x)
{
    lxw_sheet *s;

    STAILQ_FOREACH(s, x->book->sheets, list_pointers)
    {
        if (!s->is_chartsheet && s->u.worksheet->optimize_tmpfile)
            fclose(s->u.worksheet->optimize_tmpfile);
    }
    lxw_workbook_free(x->book);
}

static int write_error(struct az_xlsx *x, const char *why)
{
    return az_diag_fail(x->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(x->path)),
                        "cannot write workbook (%s; temporary files were in '%.*s')", why,
                        AZ_SVF(x->folder));
}

void az_xlsx_lost(struct az_xlsx *x)
{
    const char *why = errno ? strerror(errno) : "write failed";
    if (!x->error)
        x->error = write_error(x, why);
    x->reported = true;
}

static int finish(struct az_xlsx *x)
{
    errno = 0;
    if (rows_lost(x)) {
        const char *why = errno ? strerror(errno) : "write failed";
        drop_book(x);
        return write_error(x, why);
    }
    errno = 0;
    lxw_error e = workbook_close(x->book);
    if (e == LXW_ERROR_MEMORY_MALLOC_FAILED)
        return az_diag_memory(x->diag, AZ_ENOMEM, AZ_AT_FILE(az_sv_str(x->path)), NULL);
    if (e != LXW_NO_ERROR)
        return write_error(x, errno ? strerror(errno) : lxw_strerror(e));
    const char *damage = NULL;
    int rc = az_xlsx_verify(x->book_name.p, x->mem, &damage);
    if (rc == AZ_EIO || rc == AZ_EFORMAT)
        return write_error(x, damage ? damage : "cannot read it back");
    errno = 0;
    if (rc == 0 && !az_xlsx_pack(x, x->book_name.p, x->tmp_name.p))
        rc = write_error(x, errno ? strerror(errno) : "cannot assemble its parts");
    return rc;
}

int az_xlsx_close(struct az_xlsx *x)
{
    if (x->scratch->failed)
        fail_workbook(x, az_arena_error(x->scratch));
    if (x->book && !x->error)
        (void)reserve_room(x, ROOM_CLOSE);
    if (x->book && x->error) {
        drop_book(x);
        if (x->error == AZ_ENOMEM || x->error == AZ_ELIMIT)
            az_diag_memory(x->diag, x->error, AZ_AT_FILE(az_sv_str(x->path)), x->mem);
        else if (!x->reported)
            az_diag_fail(x->diag, x->error, AZ_AT_FILE(az_sv_str(x->path)),
                         "cannot write workbook (%s)", az_err_text(x->error));
    } else if (x->book) {
        x->error = finish(x);
    }
    if (x->folder.p)
        az_tmpdir_remove(x->folder.p);
    if (x->tmp_name.p && !x->error)
        x->error = az_outname_commit(x->tmp_name.p, x->path, x->diag);
    else if (x->tmp_name.p)
        az_outname_discard(x->tmp_name.p);
    az_vec_release(&x->names);
    az_vec_release(&x->text);
    for (size_t i = 0; i < x->pieces.n; i++)
        az_vec_release(&x->pieces.v[i].packed);
    az_vec_release(&x->pieces);
    az_vec_release(&x->row_text);
    az_deflate_free(x->deflate);
    x->deflate = NULL;
    x->book = NULL;
    return x->error;
}
