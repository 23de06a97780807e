#include "document/evidence.h"

#include "document/claims.h"

#include <inttypes.h>
#include <stdio.h>

static const struct az_table *table_of(const struct az_document *d, struct az_sv id)
{
    for (size_t i = 0; i < d->tables.n; i++)
        if (az_sv_eq(d->tables.v[i]->id, id))
            return d->tables.v[i];
    return NULL;
}

/* Is the cell the text, or does it begin with it as a word of its own ("Matmul 32 x 2048")? */
static bool is_row(const struct az_cell *c, struct az_sv text)
{
    char number[32];
    if (c->type == AZ_TEXT) {
        const struct az_sv cell = az_cell_text(c);
        return az_sv_starts(cell, text) && (cell.n == text.n || cell.p[text.n] == ' ');
    }
    if (c->type != AZ_INT)
        return false;
    (void)snprintf(number, sizeof number, "%" PRId64, c->i);
    return az_sv_is(text, number);
}

static bool has_row(const struct az_table *t, struct az_sv text)
{
    const size_t n = t->make ? 0 : t->rows * t->columns.n;
    for (size_t i = 0; text.n && i < n; i++)
        if (is_row(&t->cells.v[i], text))
            return true;
    return false;
}

/* *has: the table has the row. */
static struct az_sv choose(const struct az_document *d, struct az_sv ids, struct az_sv row,
                           bool *has)
{
    struct az_sv other = AZ_SV("");
    *has = false;
    while (ids.n) {
        const struct az_sv id = az_sv_cut(&ids, ' ');
        const struct az_table *t = table_of(d, id);
        if (t && (t->make || has_row(t, row))) {
            *has = true;
            return id;
        }
        if (t && (row.n || !other.n))
            other = id;
    }
    return other;
}

static void settle(const struct az_document *d, struct az_table *t)
{
    const ptrdiff_t at = t ? az_table_find_nocase(t, "evidence") : -1,
                    row = t ? az_table_find_nocase(t, "evidence row") : -1;
    if (at < 0 || row < 0 || t->make)
        return;
    for (size_t r = 0; r < t->rows; r++) {
        struct az_cell *cells = &t->cells.v[r * t->columns.n];
        const struct az_sv ids = az_cell_text(&cells[at]);
        bool has;
        const struct az_sv id = choose(d, ids, az_cell_text(&cells[row]), &has);
        if (!ids.n)
            continue;
        cells[at] = id.n ? (struct az_cell){ .type = AZ_TEXT, .len = (uint32_t)id.n, .s = id.p }
                         : (struct az_cell){ .type = AZ_EMPTY };
        if (!has)
            cells[row] = (struct az_cell){ .type = AZ_EMPTY };
    }
}

static void settle_claims(struct az_document *d)
{
    for (size_t i = 0; d->claims && i < d->claims->n_findings; i++) {
        struct az_claim *f = &d->claims->findings[i];
        bool has;
        f->table = choose(d, f->table, f->row, &has);
        f->row = has ? f->row : AZ_SV("");
    }
}

void az_evidence_settle(struct az_document *d)
{
    settle_claims(d);
    settle(d, az_document_table(d, "verdict"));
    settle(d, az_document_table(d, "findings"));
}
