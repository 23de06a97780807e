/* What tables there are, for readers. */
#include "query/internal.h"

bool az_query_complete(const char *sql) { return sqlite3_complete(sql) != 0; }

int az_query_describe(struct az_vec_char *out)
{
    static const char *const type[] = {
        [AZ_TEXT] = "text", [AZ_INT] = "integer", [AZ_REAL] = "real"
    };
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < az_query_n_tables; i++) {
        const struct az_query_table *t = az_query_table_list[i];
        rc = az_text_printf(out, "  %s: %s\n", t->name, t->help);
        for (size_t c = 0; rc == 0 && c < t->n_columns; c++) {
            const struct az_query_table_column *x = &t->columns[c];
            const char *unit = az_unit_text(x->unit);
            rc = az_text_printf(out, "      %-20s %-8s%-5s %s\n", x->name, type[x->type], unit,
                                x->help);
        }
    }
    return rc;
}

static struct az_sv cell_text(const struct az_table *t, size_t row, size_t column)
{
    return az_cell_text(az_table_at(t, row, column));
}

/* The columns are listed table by table, in the order of the tables. */
int az_query_schema(struct az_query *q, struct az_sv glob, struct az_vec_char *out)
{
    int rc;
    const struct az_table *t = az_query_columns(q, true, &rc);
    struct az_sv open = AZ_SV("");

    for (size_t r = 0; t && r < t->rows; r++) {
        const struct az_sv table = cell_text(t, r, 0), name = cell_text(t, r, 1),
                           unit = cell_text(t, r, 3), title = cell_text(t, r, 4);
        const bool last = r + 1 == t->rows || !az_sv_eq(cell_text(t, r + 1, 0), table);
        if (glob.n && !az_sv_glob(glob, table))
            continue;
        if (!az_sv_eq(open, table))
            az_text_format(out, "CREATE TABLE \"%.*s\"(\n", AZ_SVF(table));
        open = table;
        az_text_format(out, "  \"%.*s\" %.*s%s -- %.*s%s%.*s\n", AZ_SVF(name),
                       AZ_SVF(cell_text(t, r, 2)), last ? "" : ",", AZ_SVF(title),
                       unit.n ? ", " : "", AZ_SVF(unit));
        if (last)
            az_text_add(out, AZ_SV(");\n"));
    }
    return rc ? rc : az_vec_error(out);
}
