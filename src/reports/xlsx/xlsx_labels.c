/* Names along the axis of a chart, shortened so that they leave room for the bars: the library
 * reads them from cells only, and those of the table have the whole names. They are in columns of
 * the summary that are folded away. */
#include "reports/xlsx/xlsx_lib.h"

#include "base/utf8.h"
#include "reports/shared/fields.h"
#include "reports/xlsx/xlsx.h"
#include "text/names.h"

#define FIRST_COLUMN 60   /* nobody scrolls there */
#define LONG         30   /* columns of a label */
#define NAMES_MOST   1000 /* that are compared */

/* Columns of the longest of them. */
static size_t longest(const struct az_xlsx_part *p, size_t col, size_t rows)
{
    size_t most = 0;

    for (size_t r = 0; r < rows; r++) {
        const struct az_cell *c = az_table_at(p->t, p->first + r, col);
        const size_t w = c->type == AZ_TEXT ? az_utf8_width(az_cell_text(c)) : 0;
        most = w > most ? w : most;
    }
    return most;
}

static struct az_sv *names(struct az_xlsx *x, const struct az_xlsx_part *p, size_t col, size_t rows)
{
    struct az_sv *name = az_arena_array(x->scratch, rows + 1, sizeof *name);

    for (size_t r = 0; name && r < rows; r++)
        name[r] = az_name_plain(
            x->scratch,
            az_field_line(x->scratch, az_cell_text(az_table_at(p->t, p->first + r, col))));
    if (name && rows <= NAMES_MOST) {
        az_names_shorten(x->scratch, name, rows);
        az_names_cut(x->scratch, name, rows, LONG);
    }
    return name;
}

bool az_xlsx_labels(struct az_xlsx *x, struct lxw_chart *chart, struct lxw_chart_series *s,
                    const struct az_xlsx_part *p, size_t col, size_t rows)
{
    struct az_xlsx_labels *l = &x->labels;
    const lxw_row_col_options folded = { .hidden = LXW_TRUE };

    /* rows of the summary are written in order there */
    if (!l->sheet || x->constant_memory || longest(p, col, rows) <= LONG)
        return false;
    if (l->part != p || l->of != col || l->rows != rows) { /* series of one chart have the same */
        struct az_sv *name = names(x, p, col, rows);
        const size_t to = FIRST_COLUMN + l->n++;
        for (size_t r = 0; name && r < rows; r++)
            az_xlsx_text(x, l->sheet, r + 1, to, az_utf8_fit(x->scratch, name[r], LONG, true),
                         AZ_STYLE_PLAIN);
        worksheet_set_column_opt(l->sheet, (lxw_col_t)to, (lxw_col_t)to, LXW_DEF_COL_WIDTH, NULL,
                                 (lxw_row_col_options *)&folded);
        l->part = p;
        l->of = col;
        l->rows = rows;
    }
    const lxw_col_t at = (lxw_col_t)(FIRST_COLUMN + l->n - 1);
    chart_series_set_categories(s, l->sheet->name, 1, at, (lxw_row_t)rows, at);
    chart_show_hidden_data(chart);
    return true;
}
