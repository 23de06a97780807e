/* Markdown report, for a pull request or a chat: the summary tables with readable numbers. At most
 * MAX_BYTES, since hosts truncate or reject longer texts; what is skipped is reported, with the
 * number of rows, columns and tables. */
#include "base/utf8.h"
#include "document/verdict_table.h"
#include "io/outfile.h"
#include "reports/report.h"
#include "reports/shared/fields.h"
#include "text/names.h"

#define MAX_BYTES   60000 /* under 60 KB, with room for the last lines */
#define RESERVED    2000  /* of them, for the line about skipped tables */
#define COLUMNS_MAX 16    /* of a table */
#define TEXT_MAX    72    /* terminal columns of a cell's text */

struct writer {
    const struct az_document *doc;
    struct az_arena *scratch;
    struct az_vec_char out;
    int error;
};

static void put_text(struct writer *w, struct az_sv s)
{
    if (!w->error)
        w->error = az_text_append(&w->out, s);
}

static void put_str(struct writer *w, const char *s) { put_text(w, az_sv_str(s)); }

/* One line in which nothing is markup: characters of Markdown, tables and HTML are escaped. */
static void put_plain(struct writer *w, struct az_sv s)
{
    struct az_sv line = az_field_line(w->scratch, s);

    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '<')
            put_str(w, "&lt;");
        else if (line.p[i] == '&')
            put_str(w, "&amp;");
        else if (strchr("\\`*_{}[]|#~@", line.p[i]) && line.p[i])
            put_text(w, (struct az_sv){ (const char[]){ '\\', line.p[i] }, 2 });
        else
            put_text(w, az_sv_make(line.p + i, 1));
    }
}

static void put_note(struct writer *w, size_t n, const char *what, const char *behind)
{
    put_text(w, az_arena_printf(w->scratch, "\n_... %zu more %s%s%s_\n", n, what, n == 1 ? "" : "s",
                                behind));
}

/* Texts of a column's first rows, shortened as far as they stay different; NULL: it has numbers. */
static struct az_sv *names_of(struct writer *w, const struct az_table *t, size_t col, size_t rows)
{
    struct az_sv *name = NULL;

    if (t->columns.v[col].type == AZ_TEXT)
        name = az_arena_array(w->scratch, rows + 1, sizeof *name);
    for (size_t r = 0; name && r < rows; r++)
        name[r] = az_name_plain(w->scratch,
                                az_field_line(w->scratch, az_cell_text(az_table_at(t, r, col))));
    if (name) {
        az_names_shorten(w->scratch, name, rows);
        az_names_cut(w->scratch, name, rows, TEXT_MAX);
    }
    return name;
}

/* name: texts of the column; NULL: numbers. */
static void put_cell(struct writer *w, const struct az_table *t, size_t row, size_t col,
                     const struct az_sv *name, struct az_scale scale)
{
    const struct az_cell c =
        az_field_after_origin(az_table_at(t, row, col), &t->columns.v[col], w->doc->origin_ns);
    char buf[AZ_FIELD_MAX];

    if (name)
        put_plain(w, name[row]);
    else
        put_text(w, az_field_number(&c, &t->columns.v[col], az_field_scale_row(t, row, col, scale),
                                    buf));
}

static size_t visible_columns(const struct az_table *t)
{
    size_t n = 0;
    for (size_t c = 0; c < t->columns.n; c++)
        n += !(t->columns.v[c].flags & AZ_DETAIL);
    return n;
}

static void put_rows(struct writer *w, const struct az_table *t, size_t rows)
{
    size_t col[COLUMNS_MAX], n = az_field_choose(t, col, COLUMNS_MAX), all = visible_columns(t);
    struct az_scale scale[COLUMNS_MAX];
    struct az_sv *name[COLUMNS_MAX];

    put_str(w, "\n|");
    for (size_t i = 0; i < n; i++) {
        const struct az_column *c = &t->columns.v[col[i]];
        scale[i] = az_field_is_start(c, w->doc->origin_ns)
                       ? az_field_start_scale(t, col[i], rows, w->doc->origin_ns)
                       : az_field_scale_read(t, col[i], rows);
        name[i] = names_of(w, t, col[i], rows);
        put_str(w, " ");
        put_plain(w,
                  az_field_title_after(w->scratch, t, col[i],
                                       c->type == AZ_TEXT ? "" : scale[i].unit, w->doc->origin_ns));
        put_str(w, " |");
    }
    put_str(w, "\n|");
    for (size_t i = 0; i < n; i++)
        put_str(w, t->columns.v[col[i]].type == AZ_TEXT ? "---|" : "---:|");
    put_str(w, "\n");
    for (size_t r = 0; r < rows; r++) {
        put_str(w, "|");
        for (size_t i = 0; i < n; i++) {
            put_str(w, " ");
            put_cell(w, t, r, col[i], name[i], scale[i]);
            put_str(w, " |");
        }
        put_str(w, "\n");
    }
    if (rows < t->rows)
        put_note(w, t->rows - rows, "row", "");
    if (n < all)
        put_note(w, all - n, "column", " (see CSV, JSON or workbook)");
}

static bool is_shown(const struct az_table *t)
{
    return (t->flags & (AZ_TABLE_SUMMARY | AZ_TABLE_CLASSIC)) != 0;
}

/* Of the sheets of another program none is a summary: all are shown. */
static bool has_summary(const struct az_document *doc)
{
    for (size_t i = 0; i < doc->tables.n; i++)
        if (is_shown(doc->tables.v[i]))
            return true;
    return az_headline_of(doc) != NULL;
}

/* The verdict as a list; its findings point at their table. */
static void put_verdict(struct writer *w, const struct az_table *t)
{
    for (size_t r = 0; r < t->rows; r++) {
        struct az_line l = az_headline_line(t, r);
        const struct az_line before = az_headline_line(t, r ? r - 1 : 0);
        if (r && az_headline_repeats(&before, &l))
            l.evidence = AZ_SV("");
        if (az_sv_find(l.text, l.row) >= 0) /* it is not named twice */
            l.row = AZ_SV("");
        put_str(w, l.kind == AZ_LINE_WHAT ? "\n**" : r == 1 ? "\n\n- " : "\n- ");
        if (l.label.n) {
            put_str(w, "**");
            put_plain(w, l.label);
            put_str(w, "** ");
        }
        put_plain(w, l.text);
        if (l.evidence.n) {
            put_str(w, " (");
            put_plain(w, l.evidence);
            put_str(w, l.row.n ? ": " : "");
            put_plain(w, l.row);
            put_str(w, ")");
        }
        put_str(w, l.kind == AZ_LINE_WHAT ? "**" : "");
    }
    put_str(w, "\n");
}

/* False: it would be too long, nothing was put. Half the rows are tried, and half of these, before
 * it is skipped. */
static bool put_table(struct writer *w, const struct az_table *t)
{
    const size_t most = t->flags & AZ_TABLE_SHORT ? 0 : w->doc->text_rows;
    size_t before = w->out.n, rows = most && most < t->rows ? most : t->rows;

    for (;;) {
        put_str(w, "\n### ");
        put_plain(w, t->title.n ? t->title : t->id);
        put_str(w, "\n");
        if (t->rows == 0)
            put_str(w, "\n(none)\n");
        else
            put_rows(w, t, rows);
        if (t->note.n) {
            put_str(w, "\n_");
            put_plain(w, t->note);
            put_str(w, "_\n");
        }
        if (w->error || w->out.n <= MAX_BYTES - RESERVED)
            return true;
        w->out.n = before;
        if (rows < 4)
            return false;
        rows /= 2;
    }
}

static void put_document(struct writer *w)
{
    const struct az_document *doc = w->doc;
    const bool all = !has_summary(doc);
    size_t left_out = 0;

    put_str(w, "## ");
    put_plain(w, az_utf8_cut(doc->title.n ? doc->title : doc->input, 400));
    put_str(w, "\n");
    if (doc->input.n) {
        put_str(w, "\n");
        put_plain(w, az_utf8_cut(doc->input, 400));
        put_str(w, "\n");
    }
    for (size_t i = 0; i < doc->preface.n && w->out.n < MAX_BYTES / 4; i++) {
        put_str(w, "\n");
        put_plain(w, az_utf8_cut(doc->preface.v[i], 400));
        put_str(w, "\n");
    }
    if (az_headline_of(doc))
        put_verdict(w, az_headline_of(doc));
    for (size_t i = 0; i < doc->tables.n && !w->error; i++)
        if (all || is_shown(doc->tables.v[i]))
            left_out += !put_table(w, doc->tables.v[i]);
    if (left_out)
        put_note(w, left_out, "table",
                 " would make this text too long (see CSV, JSON or workbook)");
}

static int markdown_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                          struct az_diag *diag)
{
    struct writer w = { .doc = doc, .scratch = scratch };
    struct az_outfile *f = NULL;
    int rc = az_outfile_open(&f, path, diag);

    if (rc)
        return rc;
    az_vec_init(&w.out, doc->mem);
    if (doc->verdict)
        w.error = az_gate_verdict_markdown(doc, &w.out);
    else
        put_document(&w);
    rc = w.error;
    if (!rc && scratch->failed)
        rc = az_arena_error(scratch);
    if (!rc)
        az_outfile_write(f, w.out.v, w.out.n);
    az_vec_release(&w.out);
    if (!rc)
        return az_outfile_commit(f);
    az_outfile_abort(f);
    return az_diag_memory(diag, rc, AZ_AT_FILE(az_sv_str(path)), doc->mem);
}

const struct az_report az_report_markdown = {
    .name = "md",
    .extension = ".md",
    .help = "Markdown of the summary tables, under 60 KB, for pull requests and chats",
    .write = markdown_write,
};
