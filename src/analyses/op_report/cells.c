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

void az_op_report_id_column(const struct az_op_report *t, struct az_table *table, unsigned flags)
{
    az_table_column(table, "ID", t->r->files.n > 1 ? AZ_TEXT : AZ_INT, AZ_UNIT_ID, flags);
}

void az_op_report_put_id(const struct az_op_report *t, struct az_table *table,
                         const struct az_op_report_row *row)
{
    const struct az_oprow *r = az_op_report_oprow(t, row);
    if (t->r->files.n > 1)
        az_put_text(table, az_arena_printf(t->job->arena, "%.*s:%u", AZ_SVF(t->r->files.v[r->file]),
                                           r->line));
    else
        az_put_i64(table, r->line);
}
