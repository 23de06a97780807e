/* The file format is described at sqlite.org/fileformat2.html: 1.6 the trees of pages, 2.1 records.
 */
#include "formats/shared/sqlite_texts.h"

#include "formats/shared/sqlite_bytes.h"

#define READ_AT_ONCE ((size_t)16 << 10)

enum { FIRST_TEXT = 13 }; /* type of an empty text; the even ones above are bytes */

/* ---- what can be read so ---- */

/* A key that is not the number of the row has an index of its own, whatever its type. */
static bool is_row_number(struct az_sqlite *x, const char *table)
{
    sqlite3_stmt *st = NULL;
    int rc =
        az_sqlite_prepare(x, "SELECT 1 FROM pragma_index_list(?1) WHERE origin='pk' LIMIT 1", &st);
    if (rc == SQLITE_OK && (rc = sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC)) == SQLITE_OK)
        rc = az_sqlite_step(x, st);
    (void)sqlite3_finalize(st);
    return rc == SQLITE_DONE;
}

static bool find_columns(struct az_texts *t, const char *table, const char *key, const char *value)
{
    sqlite3_stmt *st = NULL;
    bool plain = true, has_key = false, has_value = false;
    if (az_sqlite_prepare(t->p.x,
                          "SELECT name,type,pk,hidden FROM pragma_table_xinfo(?1) ORDER BY cid",
                          &st) != SQLITE_OK)
        return false;
    (void)sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    for (unsigned at = 0; plain && az_sqlite_step(t->p.x, st) == SQLITE_ROW; at++) {
        const char *name = (const char *)sqlite3_column_text(st, 0),
                   *type = (const char *)sqlite3_column_text(st, 1);
        plain = name && type && sqlite3_column_int(st, 3) == 0;
        if (plain && strcmp(name, key) == 0)
            has_key =
                sqlite3_column_int(st, 2) == 1 && az_sv_ieq(az_sv_str(type), AZ_SV("INTEGER"));
        else if (plain && strcmp(name, value) == 0) {
            has_value = true;
            t->place = at;
        }
    }
    (void)sqlite3_finalize(st);
    return plain && has_key && has_value;
}

bool az_texts_open(struct az_texts *t, struct az_sqlite *x, const char *table, const char *key,
                   const char *value)
{
    *t = (struct az_texts){ .slots = 0 };
    if (!az_pages_find(&t->p, x, table) || !t->p.utf8 || !find_columns(t, table, key, value) ||
        !is_row_number(x, table))
        return false;
    const size_t size = t->p.page_size;
    t->run = size < READ_AT_ONCE ? READ_AT_ONCE / size : 1;
    t->slots = (unsigned)(AZ_TEXTS_HELD / (t->run * size));
    return true;
}

void az_texts_close(struct az_texts *t)
{
    for (unsigned i = 0; i < t->slots; i++)
        az_mem_free(t->p.x->job->mem, t->slot[i].bytes, t->run * t->p.page_size);
    t->slots = 0;
}

/* ---- finding ---- */

/* A page, with its neighbors. NULL: SQLite has to read it. */
static const unsigned char *page_at(struct az_texts *t, uint64_t number)
{
    const struct az_pages *p = &t->p;
    const uint64_t run = (number - 1) / t->run, first = run * t->run + 1;
    if (number < 2 || number > p->pages)
        return NULL;
    unsigned slot = (unsigned)(run % t->slots);
    if (t->slot[slot].n == 0 || t->slot[slot].first != first) {
        const uint64_t left = p->pages - first + 1, n = left < t->run ? left : t->run;
        if (!t->slot[slot].bytes &&
            !(t->slot[slot].bytes = az_mem_alloc(p->x->job->mem, t->run * p->page_size)))
            return NULL;
        t->slot[slot].n = 0;
        if (p->file->pMethods->xRead(p->file, t->slot[slot].bytes, (int)(n * p->page_size),
                                     (sqlite3_int64)((first - 1) * p->page_size)) != SQLITE_OK)
            return NULL;
        t->slot[slot].first = first;
        t->slot[slot].n = n;
    }
    return t->slot[slot].bytes + (number - first) * p->page_size;
}

/* The cell of a key, by halving as SQLite does: that finds the same one on a page whose cells are
 * in no order. *payload: bytes of its record. On a page that names others *at is the place of the
 * one to go on with. NULL: not found, or unusual. */
static const unsigned char *cell_of(const struct az_pages *p, const unsigned char *page,
                                    int64_t key, uint64_t *payload, unsigned *at)
{
    const bool leaf = page[0] == AZ_PAGE_LEAF;
    const unsigned n = az_two(page + 3), header = leaf ? AZ_PAGE_LEAF_HEADER : AZ_PAGE_INNER_HEADER,
                   top = header + 2 * n;
    const unsigned char *end = page + p->usable;
    unsigned low = 0, high = n;
    if (n == 0 || n > az_page_most_cells(p->page_size) || top > p->usable)
        return NULL;
    while (low < high) {
        const unsigned middle = (low + high - 1) / 2,
                       from = az_two(page + header + 2 * (size_t)middle);
        const unsigned char *cell = page + from;
        uint64_t number;
        if (from < top || from + 4 > p->usable)
            return NULL;
        const unsigned char *next = leaf ? cell : cell + 4;
        if (leaf && (!az_varint(&next, end, payload) || next - cell > 8))
            return NULL;
        if (!az_varint(&next, end, &number))
            return NULL;
        if ((int64_t)number == key) {
            *at = middle;
            return leaf ? next : cell;
        }
        if ((int64_t)number < key)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    if (leaf)
        return NULL;
    return low == n ? page + 8 : page + az_two(page + header + 2 * (size_t)low);
}

/* The text in a record that is all on its page. */
static bool text_of(const struct az_texts *t, const unsigned char *record, uint64_t bytes,
                    struct az_sv *text)
{
    const unsigned char *at = record, *end = record + bytes;
    uint64_t header, type = 0, size = 0;
    if (!az_varint(&at, end, &header) || header > bytes)
        return false;
    const unsigned char *types_end = record + header, *data = types_end;
    for (unsigned i = 0; i <= t->place; i++) {
        data += size;
        if (!az_varint(&at, types_end, &type) ||
            (size = az_size_of_type(type)) > (uint64_t)(end - data))
            return false;
    }
    if (type < FIRST_TEXT || type % 2 == 0 || (at >= types_end && data + size != end))
        return false;
    *text = az_sv_make((const char *)data, (size_t)size);
    return true;
}

bool az_texts_get(struct az_texts *t, int64_t key, struct az_sv *text)
{
    uint64_t number = t->p.root, payload = 0;
    for (unsigned depth = 0; t->slots > 0 && depth < AZ_PAGE_DEPTH; depth++) {
        const unsigned char *page = page_at(t, number), *cell;
        unsigned at;
        if (!page || (page[0] != AZ_PAGE_LEAF && page[0] != AZ_PAGE_INNER))
            return false;
        if (!(cell = cell_of(&t->p, page, key, &payload, &at)))
            return false;
        if (page[0] == AZ_PAGE_LEAF)
            return payload <= t->p.usable - 35 &&
                   payload <= (uint64_t)(page + t->p.usable - cell) &&
                   text_of(t, cell, payload, text);
        if (cell + 4 > page + t->p.usable)
            return false;
        number = az_four(cell);
    }
    return false;
}
