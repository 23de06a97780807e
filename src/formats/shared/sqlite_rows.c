/* Rows of a table in numbers: see the header. */
#include "formats/shared/sqlite_rows.h"

/* ---- columns ---- */

static void note_column(struct az_sqlite_table *t, const char *name, unsigned wants)
{
    const struct az_sqlite_columns *c = t->columns;
    for (size_t k = 0; k < c->n; k++)
        if ((wants >> k & 1) && sqlite3_stricmp(name, c->number[k]) == 0)
            t->has |= 1u << k;
    t->has_text |= c->text && sqlite3_stricmp(name, c->text) == 0;
}

static void open_pages(struct az_sqlite_table *t)
{
    const struct az_sqlite_columns *c = t->columns;
    const char *columns[AZ_ROW_NUMBERS];
    size_t n = 0;
    for (size_t k = 0; k < c->n; k++) {
        const bool has = t->has >> k & 1;
        t->at[k] = (int8_t)(has ? (int)n : -1);
        if (has)
            columns[n++] = c->number[k];
    }
    t->plain = az_pages_open(&t->pages, t->x, t->name, columns, n);
    if (t->plain && t->has_text) {
        t->text_place = az_pages_place(&t->pages, t->name, c->text);
        t->plain = t->text_place >= 0 && t->pages.utf8;
    }
}

bool az_sqlite_table_open(struct az_sqlite_table *t, struct az_sqlite *x, const char *name,
                          const struct az_sqlite_columns *columns, unsigned wants)
{
    sqlite3_stmt *st = NULL;
    bool any = false;
    *t = (struct az_sqlite_table){ .x = x, .name = name, .columns = columns, .text_place = -1 };
    if (az_sqlite_prepare(x, "SELECT name FROM pragma_table_xinfo(?1)", &st) == SQLITE_OK &&
        sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC) == SQLITE_OK)
        for (; az_sqlite_step(x, st) == SQLITE_ROW; any = true) {
            const char *column = (const char *)sqlite3_column_text(st, 0);
            x->starved |= !column;
            note_column(t, column ? column : "", wants);
        }
    (void)sqlite3_finalize(st);
    if (any)
        open_pages(t);
    return any;
}

bool az_sqlite_row_parse(const struct az_sqlite_table *t, const struct az_pages_row *stored,
                         struct az_sqlite_row *row)
{
    row->null = row->odd = 0;
    row->text = AZ_SV("");
    for (size_t k = 0; k < t->columns->n; k++) {
        const int8_t at = t->at[k];
        row->v[k] = at < 0 ? 0 : stored->value[at];
        row->null |= (at < 0 ? 1u : stored->null >> at & 1) << k;
    }
    return !t->has_text || az_record_text(stored->record, stored->end, t->text_place, &row->text);
}

/* ---- by SQLite ---- */

/* "start",NULL,...,"guid" FROM "table" */
static char *select_of(const struct az_sqlite_table *t, const char *more)
{
    sqlite3_str *s = sqlite3_str_new(t->x->db);
    sqlite3_str_appendall(s, "SELECT ");
    for (size_t k = 0; k < t->columns->n; k++)
        if (t->has >> k & 1)
            sqlite3_str_appendf(s, "\"%w\",", t->columns->number[k]);
        else
            sqlite3_str_appendall(s, "NULL,");
    if (t->has_text)
        sqlite3_str_appendf(s, "\"%w\"", t->columns->text);
    else
        sqlite3_str_appendall(s, "NULL");
    sqlite3_str_appendf(s, " FROM \"%w\"%s", t->name, more);
    return sqlite3_str_finish(s);
}

static int prepare_select(const struct az_sqlite_table *t, const char *more, const char *key,
                          sqlite3_stmt **st)
{
    char *tail = key ? sqlite3_mprintf(" WHERE \"%w\"=?1", key) : NULL,
         *sql = key && !tail ? NULL : select_of(t, tail ? tail : more);
    const int code = sql ? az_sqlite_prepare(t->x, sql, st) : SQLITE_NOMEM;
    sqlite3_free(tail);
    sqlite3_free(sql);
    return code == SQLITE_OK ? AZ_OK : az_sqlite_error(t->x, code);
}

void az_sqlite_row_number(struct az_sqlite_row *row, size_t k, sqlite3_stmt *st, int at)
{
    const int type = at < 0 ? SQLITE_NULL : sqlite3_column_type(st, at);
    row->v[k] = type == SQLITE_NULL ? 0 : sqlite3_column_int64(st, at);
    row->null |= (uint32_t)(type == SQLITE_NULL) << k;
    row->odd |= (uint32_t)(type == SQLITE_TEXT || type == SQLITE_BLOB) << k;
}

static void take_selected(const struct az_sqlite_table *t, sqlite3_stmt *st,
                          struct az_sqlite_row *row)
{
    const int n = (int)t->columns->n;
    row->null = row->odd = 0;
    for (int k = 0; k < n; k++)
        az_sqlite_row_number(row, (size_t)k, st, k);
    const char *text = (const char *)sqlite3_column_text(st, n);
    const int bytes = sqlite3_column_bytes(st, n);
    t->x->starved |= !text && sqlite3_column_type(st, n) == SQLITE_TEXT;
    row->text = text && bytes > 0 ? az_sv_make(text, (size_t)bytes) : AZ_SV("");
}

/* ---- all rows ---- */

struct scan {
    const struct az_sqlite_table *table;
    az_sqlite_row_fn fn;
    void *ctx;
};

static int take_stored(void *ctx, const struct az_pages_row *stored)
{
    const struct scan *s = ctx;
    struct az_sqlite_row row;
    return az_sqlite_row_parse(s->table, stored, &row) ? s->fn(s->ctx, &row) : 1;
}

/* All but the first `given` rows. */
static int scan_rest(const struct scan *s, uint64_t given)
{
    struct az_sqlite_row row;
    sqlite3_stmt *st = NULL;
    int code = SQLITE_ROW, rc = prepare_select(s->table, " NOT INDEXED", NULL, &st);
    if (rc) /* a view */
        return rc;
    while (rc == 0 && (code = az_sqlite_step(s->table->x, st)) == SQLITE_ROW) {
        if (given) {
            given--;
            continue;
        }
        take_selected(s->table, st, &row);
        rc = s->fn(s->ctx, &row);
    }
    if (rc == 0 && code != SQLITE_DONE)
        rc = az_sqlite_error(s->table->x, code);
    (void)sqlite3_finalize(st);
    return rc ? rc : az_pages_check(s->table->x, s->table->name);
}

int az_sqlite_table_rows(struct az_sqlite *x, const char *name,
                         const struct az_sqlite_columns *columns, unsigned wants,
                         az_sqlite_row_fn fn, void *ctx)
{
    struct az_sqlite_table t;
    const struct scan s = { &t, fn, ctx };
    uint64_t given = 0;
    if (!az_sqlite_table_open(&t, x, name, columns, wants))
        return AZ_OK;
    const int rc = t.plain ? az_pages_read(&t.pages, take_stored, (void *)&s, &given) : 1;
    return rc > 0 ? scan_rest(&s, given) : rc;
}

/* ---- a row by its number ---- */

int az_sqlite_lookup_open(struct az_sqlite_lookup *l, struct az_sqlite *x, const char *name,
                          const char *key, const struct az_sqlite_columns *columns)
{
    const char *const keys[] = { key };
    struct az_pages by_key;
    *l = (struct az_sqlite_lookup){ .open = false };
    if (!az_sqlite_table_open(&l->table, x, name, columns, ~0u))
        return AZ_OK;
    for (size_t k = 0; k < columns->n; k++) {
        const bool read = l->table.plain && l->table.at[k] >= 0;
        l->table.place[k] = read ? az_pages_place(&l->table.pages, name, columns->number[k]) : -1;
        l->table.plain = l->table.plain && (!read || l->table.place[k] >= 0);
    }
    /* the key has to be the row number */
    l->table.plain =
        l->table.plain && az_pages_open(&by_key, x, name, keys, 1) && by_key.alias == 0;
    l->key_place = l->table.plain ? az_pages_place(&by_key, name, key) : -1;
    l->table.plain = l->key_place >= 0;
    const int rc = prepare_select(&l->table, "", key, &l->st);
    l->open = rc == 0;
    return rc;
}

void az_sqlite_lookup_close(struct az_sqlite_lookup *l)
{
    for (unsigned i = 0; i < AZ_PAGE_DEPTH && l->level[i]; i++)
        az_mem_free(l->table.x->job->mem, l->level[i], l->table.pages.page_size);
    (void)sqlite3_finalize(l->st);
    *l = (struct az_sqlite_lookup){ .open = false };
}

/* A page at a depth. NULL: it cannot be read. */
static const unsigned char *load_page(struct az_sqlite_lookup *l, unsigned depth, uint32_t number)
{
    const struct az_pages *p = &l->table.pages;
    const uint32_t size = p->page_size;
    if (l->number[depth] == number)
        return l->level[depth];
    l->number[depth] = 0;
    if (number < 2 || number > p->pages)
        return NULL;
    if (!l->level[depth] && !(l->level[depth] = az_mem_alloc(p->x->job->mem, size)))
        return NULL;
    if (p->file->pMethods->xRead(p->file, l->level[depth], (int)size,
                                 (sqlite3_int64)(number - 1) * size) != SQLITE_OK)
        return NULL;
    l->number[depth] = number;
    return l->level[depth];
}

/* The number in a cell, and what follows it: of a page of rows the record. False: it is damaged. */
static bool read_key(const struct az_pages *p, const unsigned char *page, unsigned i,
                     const unsigned char **cell, uint64_t *payload, int64_t *key)
{
    const bool leaf = page[0] == AZ_PAGE_LEAF;
    const unsigned header = leaf ? AZ_PAGE_LEAF_HEADER : AZ_PAGE_INNER_HEADER,
                   from = az_two(page + header + 2 * (size_t)i);
    const unsigned char *end = page + p->usable;
    uint64_t number;
    if (from < header || from + 4 >= p->usable)
        return false;
    *cell = page + from + (leaf ? 0 : 4);
    if ((leaf && !az_varint(cell, end, payload)) || !az_varint(cell, end, &number))
        return false;
    *key = (int64_t)number;
    return true;
}

/* The first cell whose number is at least that; *n: none is. False: the page is damaged. */
static bool find_cell(const struct az_pages *p, const unsigned char *page, int64_t number,
                      unsigned *n, unsigned *at)
{
    const unsigned char *cell;
    uint64_t payload;
    int64_t key;
    unsigned lo = 0, hi = *n = az_two(page + 3);
    const unsigned header = page[0] == AZ_PAGE_LEAF ? AZ_PAGE_LEAF_HEADER : AZ_PAGE_INNER_HEADER;
    if (*n > az_page_most_cells(p->page_size) || header + 2 * *n > p->usable)
        return false;
    while (lo < hi) {
        const unsigned mid = lo + (hi - lo) / 2;
        if (!read_key(p, page, mid, &cell, &payload, &key))
            return false;
        if (key < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    *at = lo;
    return true;
}

/* Finds the page of rows that a number belongs to. */
static bool descend(struct az_sqlite_lookup *l, int64_t number)
{
    const struct az_pages *p = &l->table.pages;
    const unsigned char *page = load_page(l, 0, p->root), *cell;
    uint64_t payload;
    unsigned n, at, depth = 0;
    l->cells = 0;
    for (; page && page[0] == AZ_PAGE_INNER; page = load_page(l, depth, az_four(cell))) {
        if (++depth == AZ_PAGE_DEPTH || !find_cell(p, page, number, &n, &at))
            return false;
        cell = at == n ? page + 8 : page + az_two(page + AZ_PAGE_INNER_HEADER + 2 * (size_t)at);
    }
    if (!page || page[0] != AZ_PAGE_LEAF || !find_cell(p, page, number, &n, &at) || !n ||
        !read_key(p, page, 0, &cell, &payload, &l->first) ||
        !read_key(p, page, n - 1, &cell, &payload, &l->last))
        return false;
    l->leaf = depth;
    l->cells = n;
    l->cell = at;
    return true;
}

/* Takes the values that are on the page. */
static bool take_cell(struct az_sqlite_lookup *l, int64_t number, struct az_sqlite_row *row)
{
    const struct az_sqlite_table *t = &l->table;
    const struct az_pages *p = &t->pages;
    const unsigned char *page = l->level[l->leaf], *record;
    uint64_t payload;
    int64_t key;
    if (l->cell >= l->cells || !read_key(p, page, l->cell, &record, &payload, &key) ||
        key != number)
        return false;
    const uint64_t local = az_pages_local(p, payload);
    if (local > (uint64_t)(page + p->usable - record))
        return false;
    const unsigned char *end = record + local;
    bool null;
    /* a key that is no row number has a value of its own */
    if (!az_record_number(record, end, l->key_place, &key, &null) || !null)
        return false;
    row->null = row->odd = 0;
    row->text = AZ_SV("");
    for (size_t k = 0; k < t->columns->n; k++) {
        null = t->place[k] < 0;
        row->v[k] = 0;
        if (!null && !az_record_number(record, end, t->place[k], &row->v[k], &null))
            return false;
        if (t->place[k] == l->key_place) {
            row->v[k] = number;
            null = false;
        }
        row->null |= (uint32_t)null << k;
    }
    return !t->has_text || az_record_text(record, end, t->text_place, &row->text);
}

static bool seek_row(struct az_sqlite_lookup *l, int64_t number, struct az_sqlite_row *row)
{
    if (!l->cells || number < l->first || number > l->last)
        return descend(l, number) && take_cell(l, number, row);
    l->cell++; /* mostly the next one */
    if (take_cell(l, number, row))
        return true;
    unsigned n;
    return find_cell(&l->table.pages, l->level[l->leaf], number, &n, &l->cell) &&
           take_cell(l, number, row);
}

int az_sqlite_lookup_find(struct az_sqlite_lookup *l, int64_t number, struct az_sqlite_row *row)
{
    if (!l->open)
        return 0;
    if (l->table.plain && seek_row(l, number, row))
        return 1;
    (void)sqlite3_reset(l->st);
    (void)sqlite3_bind_int64(l->st, 1, number);
    const int code = az_sqlite_step(l->table.x, l->st);
    if (code == SQLITE_ROW)
        take_selected(&l->table, l->st, row);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : az_sqlite_error(l->table.x, code);
}
