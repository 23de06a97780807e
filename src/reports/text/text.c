/* Text report. A document with a classic block is printed by the layouts of its tables, byte for
 * byte (docs/formats-nsight.md 1.5); all others, and text_full, as a summary for readers
 * (text_summary.c). */
#include "reports/text/text.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "document/verdict_table.h"
#include "reports/report.h"
#include "reports/shared/fields.h"

void az_textout_put(struct az_textout *o, struct az_sv s)
{
    if (!o->error)
        o->error = az_text_append(o->out, s);
}

void az_textout_pad(struct az_textout *o, size_t columns)
{
    static const char blanks[] = "                                ";

    while (columns > 0) {
        size_t n = columns < sizeof blanks - 1 ? columns : sizeof blanks - 1;
        az_textout_put(o, az_sv_make(blanks, n));
        columns -= n;
    }
}

void az_textout_line(struct az_textout *o, struct az_sv s)
{
    az_textout_put(o, az_field_text(o->scratch, s));
    az_textout_put(o, AZ_SV("\n"));
}

void az_text_title(struct az_textout *o, struct az_sv title, struct az_sv id)
{
    title = az_utf8_fit(o->scratch, az_field_line(o->scratch, title), o->columns, false);
    id = az_sv_eq(az_utf8_lower(o->scratch, title), id) ? AZ_SV("") : az_field_line(o->scratch, id);
    if (id.n && az_utf8_width(title) + az_utf8_width(id) + 3 > o->columns)
        id = AZ_SV("");
    az_textout_put(o, AZ_SV("\n"));
    az_textout_colored(o, AZ_TEXT_BOLD, title);
    if (id.n)
        az_textout_colored(o, AZ_TEXT_DIM, az_arena_printf(o->scratch, " (%.*s)", AZ_SVF(id)));
    az_textout_put(o, AZ_SV("\n"));
}

static void lines(struct az_textout *o, const struct az_vec_sv *list)
{
    for (size_t i = 0; i < list->n; i++)
        az_textout_line(o, list->v[i]);
}

/* ---- classic: widths count code points and never truncate ---- */
static void classic_text(struct az_textout *o, struct az_sv s, int width)
{
    struct az_sv clean = az_field_line(o->scratch, s);
    size_t points = az_utf8_count(clean), wide = (size_t)abs(width);

    az_textout_put(o, clean);
    az_textout_pad(o, wide > points ? wide - points : 0);
}

static void classic_titles(struct az_textout *o, const struct az_table *t)
{
    for (size_t c = 0; c < t->columns.n; c++)
        classic_text(o, t->columns.v[c].name, t->columns.v[c].title_width);
    az_textout_put(o, AZ_SV("\n"));
}

static void classic_cell(struct az_textout *o, const struct az_table *t, const struct az_cell *cell,
                         const struct az_column *col)
{
    int width = (col->flags & AZ_LEFT) ? -abs(col->width) : col->width;
    struct az_sv text;

    if (o->error)
        return;
    switch (cell->type) {
    case AZ_TEXT:
        text = az_cell_text(cell);
        classic_text(o, t->layout->display ? t->layout->display(text) : text, col->width);
        return;
    case AZ_INT:
        o->error = az_text_printf(o->out, "%*lld", width, (long long)cell->i);
        return;
    case AZ_REAL:
        o->error = az_text_printf(o->out, "%*.*f", width, col->decimals, cell->f);
        return;
    case AZ_BOOL:
        classic_text(o, cell->b ? AZ_SV("True") : AZ_SV("False"), col->width);
        return;
    case AZ_EMPTY:
        classic_text(o, AZ_SV(""), col->width);
        return;
    }
}

static void classic_table(struct az_textout *o, const struct az_table *t)
{
    const struct az_layout *layout = t->layout;

    lines(o, &layout->before);
    if (layout->titles)
        classic_titles(o, t);
    for (size_t r = 0; layout->rows && r < t->rows; r++) {
        for (size_t c = 0; c < t->columns.n; c++)
            classic_cell(o, t, az_table_at(t, r, c), &t->columns.v[c]);
        az_textout_put(o, AZ_SV("\n"));
    }
    lines(o, &layout->after);
}

/* with_verdict: after the heading. */
static void classic_block(struct az_textout *o, const struct az_document *doc, bool with_verdict)
{
    lines(o, &doc->preface);
    if (!doc->no_heading) {
        az_textout_put(o, AZ_SV("===== "));
        az_textout_put(o, az_field_line(o->scratch, doc->title));
        az_textout_put(o, AZ_SV(" =====\n"));
    }
    if (with_verdict) {
        az_text_headline(o, doc);
        if (az_headline_of(doc))
            az_textout_put(o, AZ_SV("\n"));
    }
    for (size_t i = 0; i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        if ((t->flags & AZ_TABLE_CLASSIC) && t->layout)
            classic_table(o, t);
    }
    lines(o, &doc->epilogue);
}

int az_text_write(const struct az_document *doc, struct az_vec_char *out, bool color)
{
    struct az_arena scratch;
    struct az_textout o = { .out = out,
                            .scratch = &scratch,
                            .color = color,
                            .columns = doc->text_columns,
                            .origin_ns = doc->origin_ns };

    az_arena_init(&scratch, doc->mem);
    if (doc->verdict)
        az_text_verdict(&o, doc, doc->text_full);
    else if (doc->classic)
        classic_block(&o, doc, doc->text_full || doc->verdict_first);
    if (!doc->verdict && (!doc->classic || doc->text_full))
        az_text_summary(&o, doc, !doc->classic);
    if (!o.error && scratch.failed)
        o.error = az_arena_error(&scratch);
    az_arena_release(&scratch);
    return o.error;
}
