/* Deep copies of documents: every text moves to the new arena, so that a result outlives the traces
 * it was made of. */
#include "base/intern.h"
#include "document/document.h"
#include "document/text_table_spec.h"

struct copier {
    struct az_document *to;
    struct az_arena *a;
    struct az_intern texts; /* of cells: names repeat over many tables */
};

static int clone_view(const struct copier *c, struct az_sv from, struct az_sv *to)
{
    *to = az_arena_dup(c->a, from);
    return to->p ? AZ_OK : az_arena_error(c->a);
}

static int views(const struct copier *c, const struct az_vec_sv *from, struct az_vec_sv *to)
{
    int rc = az_vec_reserve(to, from->n);

    for (size_t i = 0; !rc && i < from->n; i++) {
        rc = clone_view(c, from->v[i], &to->v[to->n]);
        to->n += !rc;
    }
    return rc;
}

static int cells(struct copier *c, const struct az_cell *v, size_t n, struct az_table *to)
{
    for (size_t i = 0; i < n; i++) {
        struct az_cell cell = v[i];
        if (cell.type == AZ_TEXT) {
            uint32_t id = 0;
            const int rc = az_intern(&c->texts, az_cell_text(&cell), &id);
            if (rc)
                return rc;
            cell.s = az_intern_text(&c->texts, id).p;
        }
        to->cells.v[to->cells.n++] = cell; /* there is room */
    }
    return 0;
}

static int clone_rows(struct copier *c, const struct az_table *from, struct az_table *to)
{
    struct az_rows r;

    az_table_reserve(to, from->rows);
    az_rows_open(&r, from, to->mem);
    int rc = to->error;
    for (size_t row = 0; !rc && row < from->rows; row++) {
        const struct az_cell *v = az_rows_at(&r, row);
        rc = v ? cells(c, v, from->columns.n, to) : az_rows_error(&r);
    }
    az_rows_close(&r);
    to->rows = rc ? 0 : from->rows;
    return rc;
}

static int layout(const struct copier *c, const struct az_layout *from, struct az_table *to)
{
    struct az_layout *l = az_table_layout(to);
    int rc = l ? views(c, &from->before, &l->before) : az_arena_error(c->a);

    if (!rc)
        rc = views(c, &from->after, &l->after);
    if (!rc) {
        l->titles = from->titles;
        l->rows = from->rows;
        l->display = from->display;
    }
    return rc;
}

/* n bytes into the arena; NULL stays NULL. */
static int bytes(const struct copier *c, const void *from, size_t n, size_t size, void *to)
{
    void *p = NULL;

    if (from) {
        p = az_arena_array(c->a, n, size);
        if (!p)
            return az_arena_error(c->a);
        if (n)
            memcpy(p, from, n * size);
    }
    memcpy(to, &p, sizeof p);
    return AZ_OK;
}

static int items(const struct copier *c, const struct az_form_items *from, struct az_form_items *to)
{
    int rc = az_vec_reserve(to, from->n);

    for (size_t i = 0; !rc && i < from->n; i++) {
        struct az_form_item item = from->v[i];
        struct az_sv text = { NULL, 0 };
        rc = clone_view(c, az_sv_make(item.p, item.n), &text);
        item.p = text.p;
        if (!rc)
            to->v[to->n++] = item;
    }
    return rc;
}

static int clone_form(const struct copier *c, const struct az_form *from, size_t rows,
                      struct az_table *to)
{
    struct az_form *f = az_arena_alloc(c->a, sizeof *f);
    int rc;

    if (!f)
        return az_arena_error(c->a);
    *f = (struct az_form){ .n = from->n, .titles_right = from->titles_right };
    az_vec_init(&f->before, to->mem);
    az_vec_init(&f->after, to->mem);
    to->form = f; /* from here on freed with the table */
    if ((rc = views(c, &from->before, &f->before)) ||
        (rc = clone_view(c, from->title, &f->title)) ||
        (rc = bytes(c, from->columns, from->n, sizeof *from->columns, &f->columns)) ||
        (rc = bytes(c, from->ink, rows * from->n, 1, &f->ink)) ||
        (rc = bytes(c, from->hidden, rows, 1, &f->hidden)) ||
        (rc = bytes(c, from->footer, from->n, sizeof *from->footer, &f->footer)))
        return rc;
    for (size_t i = 0; !rc && f->footer && i < f->n; i++)
        rc = clone_view(c, from->footer[i], &f->footer[i]);
    return rc ? rc : items(c, &from->after, &f->after);
}

static int copy_table(struct copier *c, const struct az_table *from)
{
    struct az_table *t = az_table_new(c->a, "", "", from->flags | AZ_TABLE_KEEP_EMPTY);
    int rc;

    if (!t)
        return az_arena_error(c->a);
    if ((rc = clone_view(c, from->id, &t->id)) || (rc = clone_view(c, from->title, &t->title)) ||
        (rc = clone_view(c, from->note, &t->note)))
        goto drop;
    for (size_t i = 0; i < from->columns.n; i++) {
        const struct az_column *col = &from->columns.v[i];
        az_table_columnsv(t, col->name, col->type, col->unit, col->flags);
        az_table_width(t, col->title_width, col->width, col->decimals);
    }
    rc = az_table_finish(t);
    if (!rc)
        rc = clone_rows(c, from, t);
    if (!rc && from->layout)
        rc = layout(c, from->layout, t);
    if (!rc && from->form)
        rc = clone_form(c, from->form, from->rows, t);
    if (rc)
        goto drop;
    rc = az_document_add(c->to, t);
    if (!rc)
        t->flags = from->flags;
    return rc;
drop:
    az_table_free(t);
    return rc;
}

static int chart(const struct copier *c, const struct az_chart *from)
{
    struct az_chart to = { .kind = from->kind,
                           .max_rows = from->max_rows,
                           .small = from->small,
                           .n_parts = from->n_parts };
    struct az_sv *parts = NULL;
    int rc;

    az_vec_init(&to.y, c->to->mem);
    if ((rc = clone_view(c, from->table, &to.table)) ||
        (rc = clone_view(c, from->title, &to.title)) ||
        (rc = clone_view(c, from->x_title, &to.x_title)) ||
        (rc = clone_view(c, from->y_title, &to.y_title)) || (rc = clone_view(c, from->x, &to.x)) ||
        (rc = views(c, &from->y, &to.y)) || (rc = clone_view(c, from->stack, &to.stack)) ||
        (rc = clone_view(c, from->size, &to.size)) ||
        (rc = bytes(c, from->parts, from->n_parts, sizeof *parts, &parts))) {
        az_vec_release(&to.y);
        return rc;
    }
    for (size_t i = 0; !rc && parts && i < to.n_parts; i++)
        rc = clone_view(c, parts[i], &parts[i]);
    to.parts = parts;
    if (rc) {
        az_vec_release(&to.y);
        return rc;
    }
    return az_document_chart(c->to, to);
}

int az_document_copy_table(struct az_document *dst, const struct az_table *t)
{
    struct copier c = { .to = dst, .a = dst->arena };
    az_intern_init(&c.texts, dst->arena, dst->mem);

    int rc = copy_table(&c, t);
    az_intern_release(&c.texts);
    return rc;
}

int az_document_copy(struct az_document *dst, const struct az_document *src)
{
    struct copier c = { .to = dst, .a = dst->arena };
    int rc = 0;
    az_intern_init(&c.texts, dst->arena, dst->mem);

    dst->no_heading = src->no_heading;
    dst->classic = src->classic;
    dst->text_full = src->text_full;
    dst->text_all = src->text_all;
    dst->verdict_first = src->verdict_first;
    dst->text_rows = src->text_rows;
    dst->text_columns = src->text_columns;
    dst->origin_ns = src->origin_ns;
    dst->xlsx_rows = src->xlsx_rows;
    dst->html_rows = src->html_rows;
    if ((rc = clone_view(&c, src->title, &dst->title)) ||
        (rc = clone_view(&c, src->input, &dst->input)) ||
        (rc = clone_view(&c, src->format, &dst->format)) ||
        (rc = clone_view(&c, src->schema, &dst->schema)) ||
        (rc = views(&c, &src->preface, &dst->preface)) ||
        (rc = views(&c, &src->epilogue, &dst->epilogue)))
        goto out;
    for (size_t i = 0; !rc && i < src->tables.n; i++)
        rc = copy_table(&c, src->tables.v[i]);
    for (size_t i = 0; !rc && i < src->charts.n; i++)
        rc = chart(&c, &src->charts.v[i]);
out:
    az_intern_release(&c.texts);
    return rc;
}
