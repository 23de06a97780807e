/* TSV report: every table in one file, its id as a line of its own; tabs and line breaks in texts
 * become blanks. */
#include "base/num.h"
#include "document/rows.h"
#include "io/outfile.h"
#include "reports/report.h"
#include "reports/shared/fields.h"

static void put_row(struct az_outfile *f, const struct az_cell *cells, size_t n, struct az_arena *a)
{
    for (size_t c = 0; c < n; c++) {
        char buf[AZ_NUM_MAX];
        if (c)
            az_outfile_puts(f, AZ_SV("\t"));
        az_outfile_puts(f, cells[c].type == AZ_TEXT ? az_field_line(a, az_cell_text(&cells[c]))
                                                    : az_cell_exact(&cells[c], buf));
    }
    az_outfile_puts(f, AZ_SV("\n"));
}

static int put_table(struct az_outfile *f, const struct az_table *t, struct az_arena *a)
{
    struct az_rows rows;
    az_outfile_puts(f, az_arena_printf(a, "# %.*s\n", AZ_SVF(t->id)));
    az_rows_open(&rows, t, a->mem);
    for (size_t r = 0; r < t->rows; r++) {
        const struct az_cell *cells = az_rows_at(&rows, r);
        if (cells)
            put_row(f, cells, t->columns.n, a);
    }
    const int rc = az_rows_error(&rows);
    az_rows_close(&rows);
    return rc;
}

static int write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                 struct az_diag *diag)
{
    struct az_outfile *f = NULL;
    int rc = az_outfile_open(&f, path, diag);
    for (size_t i = 0; rc == 0 && i < doc->tables.n; i++)
        rc = put_table(f, doc->tables.v[i], scratch);
    if (rc == 0)
        return az_outfile_commit(f);
    az_outfile_abort(f);
    return rc;
}

const struct az_report az_report_tsv = {
    .name = "tsv",
    .extension = ".tsv",
    .help = "house test: all tables in one file",
    .write = write,
};
