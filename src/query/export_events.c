/* The tables of facts as tables of a document, made row by row for who writes them. */
#include "document/rows.h"
#include "query/columns.h"

struct events { /* as long-lived as the document */
    struct az_query_input input;
    struct az_query_source source;
    struct az_facts_of *facts;
    struct az_table_list tables;
};
struct one {
    struct az_query_rows *rows;
    const struct az_query_table *table;
};

static void release(void *what)
{
    struct events *e = what;

    for (size_t i = 0; i < e->tables.n; i++)
        az_table_free(e->tables.v[i]);
    az_vec_release(&e->tables);
    az_facts_of_free(e->facts);
}

static void make_row(const void *of, size_t row, struct az_table *into)
{
    const struct one *x = of;
    struct az_query_row at;
    size_t hint = 0;

    az_query_rows_at(x->rows, row, &hint, &at);
    for (size_t c = 0; c < x->table->n_columns; c++) {
        struct az_cell cell;
        az_query_cell(&at, &x->table->columns[c], &cell);
        if (cell.type == AZ_TEXT)
            az_put_text(into, az_cell_text(&cell));
        else if (cell.type == AZ_INT)
            az_put_i64(into, cell.i);
        else if (cell.type == AZ_REAL)
            az_put_f64(into, cell.f);
        else
            az_put_empty(into);
    }
}

static int add_table(struct events *e, struct az_arena *a, size_t table)
{
    const struct az_query_table *t = az_query_table_list[table];
    struct one *x = az_arena_alloc(a, sizeof *x);
    int rc;
    struct az_query_rows *rows = az_query_rows_of(e->facts, table, &rc);

    if (!rows || !x || az_query_rows_n(rows) == 0)
        return rows ? x ? AZ_OK : az_arena_error(a) : rc;
    *x = (struct one){ rows, t };
    struct az_table *out = az_table_new(a, t->name, t->help, 0);
    for (size_t c = 0; c < t->n_columns; c++)
        az_table_column(out, t->columns[c].name, t->columns[c].type, t->columns[c].unit, 0);
    az_table_make(out, az_query_rows_n(rows), make_row, x);
    if (!out)
        return az_arena_error(a);
    rc = out->error ? out->error : az_vec_push(&e->tables, out);
    if (rc)
        az_table_free(out);
    return rc;
}

static const struct az_document *no_document(void *ctx, size_t input, int *rc)
{
    (void)ctx;
    (void)input;
    *rc = AZ_EUSAGE;
    return NULL;
}

int az_query_add_events(struct az_document *doc, const struct az_query_input *input)
{
    struct events *e = az_arena_alloc(doc->arena, sizeof *e);
    int rc;

    if (!e)
        return az_arena_error(doc->arena);
    e->input = *input;
    e->source = (struct az_query_source){ &e->input, 1, no_document, NULL };
    az_vec_init(&e->tables, input->mem);
    rc = az_facts_of_new(&e->facts, &e->source);
    for (size_t i = 0; rc == 0 && i < az_query_n_tables; i++)
        rc = add_table(e, doc->arena, i);
    if (rc) {
        release(e);
        return rc;
    }
    rc = az_document_own(doc, e, release); /* releases it when it fails */
    doc->events = rc ? NULL : &e->tables;
    return rc;
}
