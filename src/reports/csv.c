/* CSV report: a directory with one file per table, `<table id>.csv`: header, LF, numbers exact
 * (az_cell_exact). Texts are cleaned like in every report. Tables of AZ_TABLE_TEXT_ONLY are
 * skipped. Each file appears whole or not at all, and none before all are complete. Nothing is
 * removed: where tables are replaced and others are next to them, which are then most likely of an
 * earlier run, that is reported, as the folder would otherwise be read as one result.
 */
#include "text/csv.h"

#include <stdatomic.h>

#include "base/num.h"
#include "base/pool.h"
#include "io/outfile.h"
#include "io/path.h"
#include "reports/report.h"
#include "reports/shared/fields.h"

#define FLUSH_AT (64 * 1024) /* bytes gathered before they are handed to the file */
#define WIDE     1000        /* cells of a row for which room is reserved at once */

/* How a file is written. */
struct style {
    bool no_formulas; /* texts that a spreadsheet would run get a leading apostrophe */
    bool crlf;
};

/* What a column had in the row before: many columns of a long table repeat it, and bytes are copied
 * faster than numbers are formatted. */
struct repeat {
    struct az_cell cell; /* AZ_BOOL: nothing that can be copied */
    unsigned n;
    char text[AZ_NUM_MAX];
};

struct writer {
    struct az_outfile *f;
    struct repeat *last; /* by column, of each WIDE ones the same */
    struct az_vec_char buf;
    struct style style;
    struct az_arena *scratch;
};

static void flush(struct writer *w)
{
    az_outfile_write(w->f, w->buf.v, w->buf.n);
    az_vec_reset(&w->buf);
}

static int header(struct writer *w, const struct az_table *t)
{
    struct az_vec_char *buf = &w->buf;
    int rc = 0;

    for (size_t c = 0; c < t->columns.n && !rc; c++) {
        if (c)
            rc = az_text_append(buf, AZ_SV(","));
        if (!rc)
            rc = az_csv_quote(buf, az_field_text(w->scratch, t->columns.v[c].name), ',');
        if (buf->n >= FLUSH_AT)
            flush(w);
    }
    return rc ? rc : az_text_append(buf, w->style.crlf ? AZ_SV("\r\n") : AZ_SV("\n"));
}

/* Would a spreadsheet run it? */
static bool is_formula(struct az_sv s) { return s.n && memchr("=+-@\t\r", *s.p, 6); }

enum { NUMBER = AZ_NUM_MAX + 2 }; /* bytes of a cell of a number, with what is around it */

static int room_for(struct az_vec_char *buf, size_t n)
{
    return buf->cap - buf->n < n ? az_vec_reserve(buf, n) : 0;
}

/* A long text goes to the file piece by piece. */
static int put_long(struct writer *w, struct az_sv text)
{
    const bool quoted = az_csv_needs_quotes(text, ',');
    int rc = quoted ? az_text_append(&w->buf, AZ_SV("\"")) : 0;
    while (rc == 0 && text.n) {
        const struct az_sv piece = az_sv_make(text.p, text.n < FLUSH_AT ? text.n : FLUSH_AT);
        rc = quoted ? az_csv_double_quotes(&w->buf, piece) : az_text_append(&w->buf, piece);
        text = az_sv_make(text.p + piece.n, text.n - piece.n);
        if (rc == 0)
            flush(w);
    }
    return rc || !quoted ? rc : az_text_append(&w->buf, AZ_SV("\""));
}

/* A cell that is not a number, and room for `more` bytes after it. */
static int put_other(struct writer *w, const struct az_cell *cell, size_t more)
{
    struct az_vec_char *buf = &w->buf;
    struct az_sv text = cell->type == AZ_TEXT ? az_cell_text(cell) : az_cell_exact(cell, NULL);
    if (w->style.no_formulas && cell->type == AZ_TEXT && is_formula(text)) {
        text = az_arena_printf(w->scratch, "'%.*s", AZ_SVF(text));
        if (!text.p)
            return az_arena_error(w->scratch);
    }
    if (text.n > FLUSH_AT) {
        const int rc = put_long(w, az_field_text(w->scratch, text));
        return rc ? rc : room_for(buf, more);
    }
    int rc = room_for(buf, text.n + 18 + more);
    const size_t copied = rc ? SIZE_MAX : az_csv_copy_plain(text, buf->v + buf->n);

    if (copied != SIZE_MAX) {
        buf->n += copied;
        return 0;
    }
    if (rc == 0)
        rc = az_csv_quote(buf, az_field_text(w->scratch, text), ',');
    return rc ? rc : room_for(buf, more);
}

static bool repeats(const struct repeat *r, const struct az_cell *cell)
{
    if (r->cell.type != cell->type || r->cell.len != cell->len)
        return false;
    return cell->type == AZ_TEXT ? memcmp(r->text, cell->s, cell->len) == 0
                                 : cell->type != AZ_BOOL && r->cell.i == cell->i;
}

/* n bytes of the buffer from `from` on are the cell; after them is room for a number. */
static void note_cell(struct repeat *r, const struct az_cell *cell, const char *from, size_t n)
{
    r->cell = *cell;
    r->n = (unsigned)n;
    memcpy(r->text, from, AZ_NUM_MAX);
    if (cell->type == AZ_TEXT && (n != cell->len || memcmp(r->text, cell->s, n) != 0))
        r->cell.type = AZ_BOOL; /* quoted, or cleaned */
}

/* Numbers are written in place: tables have millions of them. */
static int format_cells(struct writer *w, const struct az_cell *cells, size_t n,
                        struct repeat *last, bool first)
{
    struct az_vec_char *buf = &w->buf;
    int rc = room_for(buf, n * NUMBER + 2);
    char *at = buf->v + buf->n;

    for (size_t c = 0; c < n && !rc; c++) {
        const struct az_cell *cell = &cells[c];
        struct repeat *r = &last[c];
        if (c || !first)
            *at++ = ',';
        if (repeats(r, cell)) {
            memcpy(at, r->text, AZ_NUM_MAX);
            at += r->n;
            continue;
        }
        const size_t from = (size_t)(at - buf->v);
        if (cell->type == AZ_INT) {
            at += az_format_i64(cell->i, at);
        } else if (cell->type == AZ_REAL) {
            at += az_format_f64(cell->f, at);
        } else if (cell->type != AZ_EMPTY) {
            buf->n = from;
            rc = put_other(w, cell, (n - c) * NUMBER + 2);
            at = buf->v + buf->n;
        }
        if (cell->type == AZ_TEXT && (rc || cell->len > AZ_NUM_MAX))
            r->cell.type = AZ_BOOL; /* a long one may be in the file already */
        else
            note_cell(r, cell, buf->v + from, (size_t)(at - buf->v) - from);
    }
    if (rc == 0)
        buf->n = (size_t)(at - buf->v);
    return rc;
}

/* Of a table with a column for each rank, a row has thousands of cells. */
static int format_row(struct writer *w, const struct az_cell *cells, size_t n)
{
    int rc = format_cells(w, cells, n < WIDE ? n : WIDE, w->last, true);
    for (size_t c = WIDE; c < n && !rc; c += WIDE) {
        if (w->buf.n >= FLUSH_AT)
            flush(w);
        rc = format_cells(w, cells + c, n - c < WIDE ? n - c : WIDE, w->last, false);
    }
    return rc ? rc : az_text_append(&w->buf, w->style.crlf ? AZ_SV("\r\n") : AZ_SV("\n"));
}

/* Into w->f, which has its temporary name then; NULL with an error. */
static int write_table(const struct az_table *t, const char *path, struct writer *w,
                       struct az_diag *diag)
{
    struct az_mem *mem = w->buf.mem;
    struct az_rows rows;
    int rc = az_outfile_open(&w->f, path, diag);

    if (rc)
        return rc;
    w->last =
        az_arena_array(w->scratch, t->columns.n < WIDE ? t->columns.n + 1 : WIDE, sizeof *w->last);
    rc = w->last ? header(w, t) : az_arena_error(w->scratch);
    az_rows_open(&rows, t, mem);
    for (size_t r = 0; r < t->rows && !rc; r++) {
        const struct az_cell *cells = az_rows_at(&rows, r);
        rc = cells ? format_row(w, cells, t->columns.n) : az_rows_error(&rows);
        if (!rc && w->buf.n >= FLUSH_AT)
            flush(w);
    }
    az_rows_close(&rows);
    if (!rc && w->scratch->failed)
        rc = az_arena_error(w->scratch);
    if (rc) {
        az_outfile_abort(w->f);
        w->f = NULL;
        return az_diag_memory(diag, rc, AZ_AT_FILE(az_sv_str(path)), mem);
    }
    flush(w);
    az_outfile_finish(w->f);
    return AZ_OK;
}

struct others {
    const struct az_vec_sv *written; /* names without extension */
    struct az_arena *a;
    struct az_sv first;
    size_t n;
};

static int visit_file(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct others *o = ctx;
    struct az_sv name = az_path_base(az_sv_str(path));

    (void)depth;
    if (info->kind != AZ_PATH_FILE || !az_sv_ends(name, AZ_SV(".csv")))
        return 1;
    for (size_t i = 0; i < o->written->n; i++)
        if (az_sv_eq(o->written->v[i], az_sv_make(name.p, name.n - 4)))
            return 0;
    if (o->n++ == 0)
        o->first = az_arena_dup(o->a, name);
    return 0;
}

/* Tables in the folder that this run did not write. */
static int tell_others(const char *path, const struct az_vec_sv *written, struct az_arena *scratch,
                       struct az_diag *diag)
{
    struct others o = { .written = written, .a = scratch };
    const struct az_walk w = { .max_depth = 1, .visit = visit_file, .ctx = &o };
    int rc = az_path_walk(path, &w, diag);

    if (!rc && o.n)
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(az_sv_str(path)),
                    "%zu CSV file(s) in this folder are not of this run, the first '%.*s'; remove "
                    "them, or use an empty folder",
                    o.n, AZ_SVF(o.first));
    return rc;
}

/* A table on its way to its file. */
struct sheet {
    const struct az_table *t;
    struct az_sv file;
    struct az_outfile *f; /* complete; NULL: not written */
    struct az_diag diag;
    int rc;
};
struct sheets {
    struct sheet *v;
    uint32_t *order; /* the largest first: they are written side by side */
    size_t n;
    struct az_mem *mem;
    atomic_bool failed;
};

static void write_sheet(void *ctx, unsigned i)
{
    struct sheets *s = ctx;
    struct sheet *x = &s->v[s->order[i]];
    struct az_arena scratch;
    struct writer w = { .scratch = &scratch };
    if (atomic_load(&s->failed))
        return;
    az_arena_init(&scratch, s->mem);
    az_vec_init(&w.buf, s->mem);
    x->rc = write_table(x->t, x->file.p, &w, &x->diag);
    x->f = w.f;
    if (x->rc)
        atomic_store(&s->failed, true);
    az_vec_release(&w.buf);
    az_arena_release(&scratch);
}

static size_t cells_of(const struct az_table *t) { return t->rows * t->columns.n; }

static void add_sheet(struct sheets *s, const struct az_table *t, struct az_sv file, bool in_order)
{
    size_t at = s->n;
    for (; !in_order && at > 0 && cells_of(s->v[s->order[at - 1]].t) < cells_of(t); at--)
        s->order[at] = s->order[at - 1];
    s->order[at] = (uint32_t)s->n;
    s->v[s->n] = (struct sheet){ .t = t, .file = file };
    az_diag_init(&s->v[s->n++].diag);
}

static int write_sheets(struct sheets *s, unsigned threads, struct az_diag *diag)
{
    int rc = az_pool_split(threads, (unsigned)s->n, write_sheet, s);
    size_t bad = 0; /* the first that failed */
    while (bad < s->n && s->v[bad].rc == 0)
        bad++;
    if (rc == 0 && bad < s->n)
        rc = s->v[bad].rc;
    for (size_t i = 0; i < s->n; i++) {
        struct sheet *x = &s->v[i];
        const bool said = rc == 0 || i == bad;
        if (x->f && rc == 0)
            rc = az_outfile_commit(x->f);
        else
            az_outfile_abort(x->f);
        if (said)
            az_diag_append(diag, &x->diag);
        az_diag_release(&x->diag);
    }
    return rc;
}

static int csv_write_on(const struct az_document *doc, const char *path, unsigned threads,
                        struct az_arena *scratch, struct az_diag *diag)
{
    struct sheets s = { .mem = doc->mem };
    struct az_vec_sv used;
    bool replaces = false;

    s.v = az_arena_array(scratch, doc->tables.n, sizeof *s.v);
    s.order = az_arena_array(scratch, doc->tables.n, sizeof *s.order);
    int rc = s.v && s.order ? 0 : az_arena_error(scratch);
    az_vec_init(&used, doc->mem);
    for (size_t i = 0; i < doc->tables.n && !rc; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (t->flags & AZ_TABLE_TEXT_ONLY)
            continue;
        struct az_sv name = az_field_filename(scratch, t->id, &used);
        rc = name.p ? az_vec_push(&used, name) : az_arena_error(scratch);
        struct az_sv file = az_arena_printf(scratch, "%s/%.*s.csv", path, AZ_SVF(name));
        if (!rc && !file.p)
            rc = az_arena_error(scratch);
        if (rc)
            break;
        replaces |= az_path_stat(file.p).kind == AZ_PATH_FILE;
        add_sheet(&s, t, file, threads < 2);
    }
    if (rc)
        az_diag_memory(diag, rc, AZ_AT_FILE(az_sv_str(path)), doc->mem);
    else
        rc = write_sheets(&s, threads, diag);
    if (!rc && replaces)
        rc = tell_others(path, &used, scratch, diag);
    az_vec_release(&used);
    return rc;
}

static int csv_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                     struct az_diag *diag)
{
    return csv_write_on(doc, path, 1, scratch, diag);
}

int az_csv_write_table(const struct az_document *doc, struct az_sv table, const char *path,
                       bool crlf, struct az_arena *scratch, struct az_diag *diag)
{
    struct writer w = { .style = { .no_formulas = true, .crlf = crlf }, .scratch = scratch };
    int rc = AZ_EEMPTY;

    az_vec_init(&w.buf, doc->mem);
    for (size_t i = 0; i < doc->tables.n && rc == AZ_EEMPTY; i++)
        if (az_sv_eq(doc->tables.v[i]->id, table))
            rc = write_table(doc->tables.v[i], path, &w, diag);
    if (rc == 0)
        rc = az_outfile_commit(w.f);
    az_vec_release(&w.buf);
    return rc;
}

const struct az_report az_report_csv = {
    .name = "csv",
    .extension = "",
    .help = "a directory with one CSV file per table, numbers exact",
    .write = csv_write,
    .write_on = csv_write_on,
};
