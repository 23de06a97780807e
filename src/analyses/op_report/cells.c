/* What the tables of operations share: notes, ids of rows, handing a table over. */
#include <stdarg.h>
#include <stdio.h>

#include "analyses/op_report/opreport.h"

void az_op_report_note(struct az_op_report *t, const char *fmt, ...)
{
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    struct az_sv kept = az_arena_dup(t->job->arena, az_sv_make(line, len));
    if (kept.p && az_vec_push(&t->notes, kept) != 0)
        t->job->arena->failed = true;
}

int az_op_report_emit(struct az_op_report *t, struct az_table *table, int rc)
{
    if (!table)
        return az_arena_error(t->job->arena);
    if (rc == 0)
        rc = az_table_finish(table);
    if (rc) {
        az_table_free(table);
        return rc;
    }
    if (t->hold && t->n_held < AZ_LENGTH(t->held)) {
        t->held[t->n_held++] = table;
        return 0;
    }
    return az_document_add(t->job->doc, table);
}

struct az_op_report_cells az_op_report_cells_of(struct az_op_report *t,
                                                const struct az_op_report_row *row)
{
    struct az_op_report_cells c = { .t = t,
                                    .row = row,
                                    .r = az_op_report_oprow(t, row),
                                    .s = az_op_report_sig_of(t, row),
                                    .a = az_op_report_args_of(t, row) };
    az_op_report_figures(t, row, &c.f);
    return c;
}

int64_t az_op_report_line(const void *cells)
{
    const struct az_op_report_cells *c = cells;
    return c->r->line;
}

struct az_sv az_op_report_place(const void *cells, struct az_arena *texts)
{
    const struct az_op_report_cells *c = cells;
    return az_arena_printf(texts, "%.*s:%u", AZ_SVF(c->t->r->files.v[c->r->file]), c->r->line);
}

bool az_op_report_has_one_file(const void *report)
{
    const struct az_op_report *t = report;
    return t->r->files.n <= 1;
}

bool az_op_report_has_files(const void *report) { return !az_op_report_has_one_file(report); }
