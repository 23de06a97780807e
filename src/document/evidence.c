#include "document/evidence.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/intern.h"
#include "document/claims.h"

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

/* ---- tables in which many rows are searched ---- */

#define SCANS 32 /* of a table; then its cells are indexed */

struct index {
    const struct az_table *table;
    unsigned scans;
    bool ready;
    struct az_map words; /* hashes of what is_row accepts, with the lengths */
};
AZ_VEC(struct index, indexes);

struct search {
    const struct az_document *d;
    struct indexes indexes;
};

static uint64_t add_letter(uint64_t hash, char c)
{
    return (hash ^ (unsigned char)c) * UINT64_C(0x100000001b3);
}

/* The whole text, and each part of it that ends before a space. */
static int index_text(struct az_map *words, struct az_sv text)
{
    uint64_t hash = 0;
    uint32_t *at;
    bool added;
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < text.n; i++) {
        hash = add_letter(hash, text.p[i]);
        if (i + 1 == text.n || text.p[i + 1] == ' ')
            rc = az_map_put(words, hash, i + 1, 0, &at, &added);
    }
    return rc;
}

static int index_cells(struct index *x)
{
    char number[32];
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < x->table->rows * x->table->columns.n; i++) {
        const struct az_cell *c = &x->table->cells.v[i];
        if (c->type == AZ_INT)
            (void)snprintf(number, sizeof number, "%" PRId64, c->i);
        if (c->type == AZ_INT || c->type == AZ_TEXT)
            rc = index_text(&x->words, c->type == AZ_INT ? az_sv_str(number) : az_cell_text(c));
    }
    return rc;
}

/* NULL: few searches so far, or no memory. */
static const struct az_map *index_of(struct search *s, const struct az_table *t)
{
    size_t i = 0;
    while (i < s->indexes.n && s->indexes.v[i].table != t)
        i++;
    if (i == s->indexes.n && az_vec_push(&s->indexes, ((struct index){ .table = t })) != 0)
        return NULL;
    struct index *x = &s->indexes.v[i];
    if (++x->scans == SCANS) {
        az_map_init(&x->words, s->d->mem, 64);
        x->ready = index_cells(x) == AZ_OK;
        if (!x->ready)
            az_map_release(&x->words);
    }
    return x->ready ? &x->words : NULL;
}

static bool has_row(struct search *s, const struct az_table *t, struct az_sv text)
{
    const size_t n = t->make || !text.n ? 0 : t->rows * t->columns.n;
    const struct az_map *words = n ? index_of(s, t) : NULL;
    uint64_t hash = 0;
    if (words) {
        for (size_t i = 0; i < text.n; i++)
            hash = add_letter(hash, text.p[i]);
        return az_map_get(words, hash, text.n) != AZ_NO_ID;
    }
    for (size_t i = 0; i < n; i++)
        if (is_row(&t->cells.v[i], text))
            return true;
    return false;
}

/* *has: the table has the row. */
static struct az_sv choose(struct search *s, struct az_sv ids, struct az_sv row, bool *has)
{
    struct az_sv other = AZ_SV("");
    *has = false;
    while (ids.n) {
        const struct az_sv id = az_sv_cut(&ids, ' ');
        const struct az_table *t = table_of(s->d, id);
        if (t && (t->make || has_row(s, t, row))) {
            *has = true;
            return id;
        }
        if (t && (row.n || !other.n))
            other = id;
    }
    return other;
}

static void settle(struct search *s, struct az_table *t)
{
    const ptrdiff_t at = t ? az_table_find_nocase(t, "evidence") : -1,
                    row = t ? az_table_find_nocase(t, "evidence row") : -1;
    if (at < 0 || row < 0 || t->make)
        return;
    for (size_t r = 0; r < t->rows; r++) {
        struct az_cell *cells = &t->cells.v[r * t->columns.n];
        const struct az_sv ids = az_cell_text(&cells[at]);
        bool has;
        const struct az_sv id = choose(s, ids, az_cell_text(&cells[row]), &has);
        if (!ids.n)
            continue;
        cells[at] =
            id.n ? (struct az_cell){ .type = AZ_TEXT, .len = AZ_CELL_LENGTH(id.n), .s = id.p }
                 : (struct az_cell){ .type = AZ_EMPTY };
        if (!has)
            cells[row] = (struct az_cell){ .type = AZ_EMPTY };
    }
}

static void settle_claims(struct search *s, const struct az_document *d)
{
    for (size_t i = 0; d->claims && i < d->claims->n_findings; i++) {
        struct az_claim *f = &d->claims->findings[i];
        bool has;
        f->table = choose(s, f->table, f->row, &has);
        f->row = has ? f->row : AZ_SV("");
    }
}

void az_evidence_settle(struct az_document *d)
{
    struct search s = { .d = d };
    az_vec_init(&s.indexes, d->mem);
    settle_claims(&s, d);
    settle(&s, az_document_table(d, "verdict"));
    settle(&s, az_document_table(d, "findings"));
    for (size_t i = 0; i < s.indexes.n; i++)
        if (s.indexes.v[i].ready)
            az_map_release(&s.indexes.v[i].words);
    az_vec_release(&s.indexes);
}
