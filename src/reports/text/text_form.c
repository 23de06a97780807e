/* A table printed by its own form (document/text_table_spec.h): whole, with units, colors, footer,
 * and what is after it. */
#include "base/utf8.h"
#include "document/text_table_spec.h"
#include "reports/shared/fields.h"
#include "reports/text/text.h"

struct form {
    struct az_textout *o;
    const struct az_table *t;
    const struct az_form *f;
    size_t *width;
    size_t total; /* of a line */
};

static void colored(struct az_textout *o, enum az_ink ink, struct az_sv s)
{
    /* 256-colour codes; none for AZ_INK_NONE */
    static const char *const codes[AZ_INK_COUNT] = { "",   "8",  "9",  "10", "11",
                                                     "12", "13", "14", "15", "208" };
    bool on = o->color && ink > AZ_INK_NONE && ink < AZ_INK_COUNT && s.n;
    if (on) {
        az_textout_put(o, AZ_SV("\033[38;5;"));
        az_textout_put(o, az_sv_str(codes[ink]));
        az_textout_put(o, AZ_SV("m"));
    }
    az_textout_put(o, s);
    if (on)
        az_textout_put(o, AZ_SV("\033[0m"));
}

/* A cell as printed; buf stores a number and its unit. */
static struct az_sv shown(const struct form *p, size_t row, const struct az_form_column *c,
                          char *buf)
{
    const struct az_cell *cell = az_table_at(p->t, row, c->column);
    if (cell->type == AZ_EMPTY)
        return AZ_SV("");
    if (cell->type == AZ_TEXT) {
        struct az_sv s = az_field_line(p->o->scratch, az_cell_text(cell));
        return c->display ? c->display(p->o->scratch, s) : s;
    }
    struct az_sv n = az_form_number(az_cell_number(cell), c->decimals, !c->plain, buf);
    size_t unit = c->unit ? strlen(c->unit) : 0;
    if (unit == 0 || n.n + unit + 1 > AZ_FORM_NUMBER)
        return n;
    buf[n.n] = ' ';
    memcpy(buf + n.n + 1, c->unit, unit);
    return az_sv_make(buf, n.n + 1 + unit);
}

static bool is_hidden(const struct form *p, size_t row)
{
    return p->f->hidden && p->f->hidden[row];
}

/* Widths are code points; an id's is measured with separators, as its users' tables always were. */
static void measure(struct form *p)
{
    char buf[AZ_FORM_NUMBER];
    for (size_t i = 0; i < p->f->n; i++) {
        struct az_form_column c = p->f->columns[i];
        c.plain = false;
        p->width[i] = az_utf8_count(az_sv_str(c.title));
        if (p->width[i] < c.least)
            p->width[i] = c.least;
        for (size_t r = 0; r < p->t->rows; r++) {
            size_t w = is_hidden(p, r) ? 0 : az_utf8_count(shown(p, r, &c, buf));
            p->width[i] = w > p->width[i] ? w : p->width[i];
        }
        p->total += p->width[i] + (i ? 2 : 0);
    }
}

static void put_cell(const struct form *p, size_t i, struct az_sv s, bool left, enum az_ink ink)
{
    size_t n = az_utf8_count(s), pad = p->width[i] > n ? p->width[i] - n : 0;
    az_textout_pad(p->o, (i ? 2 : 0) + (left ? 0 : pad));
    colored(p->o, ink, s);
    az_textout_pad(p->o, left ? pad : 0);
}

static void end_row(const struct form *p)
{
    struct az_vec_char *out = p->o->out;
    while (out->n && out->v[out->n - 1] == ' ')
        out->n--;
    az_textout_put(p->o, AZ_SV("\n"));
}

static void put_row(const struct form *p, size_t r)
{
    char buf[AZ_FORM_NUMBER];
    for (size_t i = 0; i < p->f->n; i++) {
        const struct az_form_column *c = &p->f->columns[i];
        put_cell(p, i, shown(p, r, c, buf), c->left,
                 p->f->ink ? p->f->ink[r * p->f->n + i] : AZ_INK_NONE);
    }
    end_row(p);
}

static void repeated(const struct form *p, char c, size_t n)
{
    for (size_t i = 0; i < n; i++)
        az_textout_put(p->o, az_sv_make(&c, 1));
    az_textout_put(p->o, AZ_SV("\n"));
}

static void put_head(const struct form *p)
{
    for (size_t i = 0; i < p->f->before.n; i++)
        az_textout_line(p->o, az_field_line(p->o->scratch, p->f->before.v[i]));
    az_textout_put(p->o, AZ_SV("\n"));
    az_textout_line(p->o, p->f->title);
    repeated(p, '=', az_utf8_count(p->f->title));
    az_textout_put(p->o, AZ_SV("\n"));
    for (size_t i = 0; i < p->f->n; i++)
        put_cell(p, i, az_sv_str(p->f->columns[i].title),
                 !p->f->titles_right || p->f->columns[i].left, AZ_INK_NONE);
    end_row(p);
    repeated(p, '-', p->total);
}

static void put_footer(const struct form *p)
{
    repeated(p, '-', p->total);
    for (size_t i = 0; p->f->footer && i < p->f->n; i++)
        put_cell(p, i, p->f->footer[i], p->f->columns[i].left, AZ_INK_GREY);
    if (p->f->footer)
        end_row(p);
    for (size_t i = 0; i < p->f->after.n; i++) {
        const struct az_form_item *item = &p->f->after.v[i];
        if (item->row < p->t->rows) {
            put_row(p, item->row);
            continue;
        }
        if (item->row == AZ_FORM_BULLET)
            az_textout_put(p->o, AZ_SV("- "));
        az_textout_line(p->o, az_field_line(p->o->scratch, az_sv_make(item->p, item->n)));
    }
}

void az_text_form(struct az_textout *o, const struct az_table *t)
{
    struct form p = { .o = o, .t = t, .f = t->form };
    p.width = az_arena_array(o->scratch, p.f->n + 1, sizeof *p.width);
    if (!p.width) {
        o->error = o->error ? o->error : az_arena_error(o->scratch);
        return;
    }
    measure(&p);
    put_head(&p);
    for (size_t r = 0; r < t->rows && !o->error; r++)
        if (!is_hidden(&p, r))
            put_row(&p, r);
    put_footer(&p);
}
