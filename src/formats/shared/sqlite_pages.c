/* The file format is described at sqlite.org/fileformat2.html: 1.3 the header, 1.6 the trees of
 * pages, 2.1 records. */
#include "formats/shared/sqlite_pages.h"

#include <limits.h>

#include "base/num.h"
#include "formats/shared/sqlite_bytes.h"

#define WINDOW ((size_t)256 << 10) /* most that is read at once */

enum {
    HEADER = 100, /* of the file */
    GO_ON = 1     /* the rest is SQLite's */
};

/* ---- what can be read so ---- */

static bool read_header(struct az_pages *p)
{
    unsigned char h[HEADER];
    if (sqlite3_file_control(p->x->db, "main", SQLITE_FCNTL_FILE_POINTER, &p->file) != SQLITE_OK ||
        !p->file || !p->file->pMethods ||
        p->file->pMethods->xRead(p->file, h, sizeof h, 0) != SQLITE_OK)
        return false;
    p->page_size = az_two(h + 16) == 1 ? 65536 : az_two(h + 16);
    const bool power = (p->page_size & (p->page_size - 1)) == 0;
    p->usable = p->page_size - h[20];
    p->pages = p->page_size ? p->x->size / p->page_size : 0;
    const uint32_t counted = az_four(h + 28); /* counts where the writer knew that number */
    if (counted && counted < p->pages && memcmp(h + 24, h + 92, 4) == 0)
        p->pages = counted;
    p->utf8 = az_four(h + 56) == 1;
    return h[19] == 1 && power && p->page_size >= 512 && p->usable >= 480;
}

/* The first page of a table; 0: it has none, or none with this name. */
static uint32_t root_of(sqlite3 *db, const char *table)
{
    static const char sql[] = "SELECT rootpage FROM sqlite_master WHERE type='table' AND name=?1";
    sqlite3_stmt *st = NULL;
    int64_t root = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        root = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    return root > 1 && root < UINT32_MAX ? (uint32_t)root : 0;
}

static size_t number_of(const char *const *columns, size_t n, struct az_sv name)
{
    size_t k = 0;
    while (k < n && !az_sv_is(name, columns[k]))
        k++;
    return k;
}

/* Their columns have whole numbers as integers. */
static bool is_integer_type(struct az_sv type)
{
    return az_sv_ieq(type, AZ_SV("INTEGER")) || az_sv_ieq(type, AZ_SV("BIGINT"));
}

static bool is_number_type(struct az_sv type)
{
    return is_integer_type(type) || az_sv_ieq(type, AZ_SV("REAL"));
}

/* Where in a record the columns are: in the order of the table's, unless some are computed. Numbers
 * after the last required column are places, too: then a record can be checked for its length. */
static bool find_places(struct az_pages *p, const char *table, const char *const *columns, size_t n)
{
    sqlite3_stmt *st = NULL;
    size_t found = 0;
    unsigned keys = 0;
    bool plain = true, numbers = true;
    p->alias = -1;
    if (sqlite3_prepare_v2(p->x->db,
                           "SELECT name,type,pk,hidden FROM pragma_table_xinfo(?1) ORDER BY cid",
                           -1, &st, NULL) != SQLITE_OK)
        return false;
    (void)sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    for (unsigned at = 0; plain && at < AZ_PAGES_PLACES && sqlite3_step(st) == SQLITE_ROW; at++) {
        const char *name = (const char *)sqlite3_column_text(st, 0),
                   *type = (const char *)sqlite3_column_text(st, 1);
        const size_t k = number_of(columns, n, az_sv_str(name ? name : ""));
        keys += sqlite3_column_int(st, 2) != 0;
        plain = sqlite3_column_int(st, 3) == 0 &&
                !az_sv_ieq(az_sv_str(name ? name : ""), AZ_SV("rowid"));
        p->of[at] = k < n ? (int8_t)k : -1;
        numbers = k < n || (numbers && type && is_number_type(az_sv_str(type)));
        p->places = numbers ? at + 1 : p->places;
        if (k == n)
            continue;
        found++;
        plain = plain && type && is_integer_type(az_sv_str(type));
        if (sqlite3_column_int(st, 2) == 0)
            continue;
        plain = plain && az_sv_ieq(az_sv_str(type), AZ_SV("INTEGER"));
        p->alias = (int)k;
    }
    (void)sqlite3_finalize(st);
    p->columns = n;
    plain = plain && (p->alias < 0 || keys == 1);
    return plain && found == n;
}

bool az_pages_find(struct az_pages *p, struct az_sqlite *x, const char *table)
{
    *p = (struct az_pages){ .x = x, .root = root_of(x->db, table) };
    return p->root != 0 && read_header(p);
}

bool az_pages_open(struct az_pages *p, struct az_sqlite *x, const char *table,
                   const char *const *columns, size_t n)
{
    return az_pages_find(p, x, table) && n <= AZ_PAGES_COLUMNS && find_places(p, table, columns, n);
}

int az_pages_place(const struct az_pages *p, const char *table, const char *column)
{
    static const char sql[] = "SELECT cid FROM pragma_table_xinfo(?1) WHERE name=?2 COLLATE NOCASE";
    sqlite3_stmt *st = NULL;
    int place = -1;
    if (sqlite3_prepare_v2(p->x->db, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_bind_text(st, 2, column, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        place = sqlite3_column_int(st, 0);
    (void)sqlite3_finalize(st);
    return place;
}

/* ---- pages ---- */

/* Where the required numbers of records with one header are: most records of a table have one of a
 * few. */
enum { LAYOUTS = 64, LAYOUT_BYTES = 40 };
struct layout {
    unsigned char header[LAYOUT_BYTES]; /* up to the last required type; then 0 */
    bool known, whole;                  /* whole: the header has no more types */
    uint16_t bytes;                     /* of the record, as far as these types go */
    uint16_t end[AZ_PAGES_COLUMNS];     /* of the number; 0: it is `fixed` */
    uint8_t shift[AZ_PAGES_COLUMNS], fixed[AZ_PAGES_COLUMNS];
    uint32_t null;
};

struct reading {
    struct az_pages *p;
    az_pages_fn fn;
    void *ctx;
    struct az_mem *mem;
    unsigned char *window; /* WINDOW bytes: pages first .. first + n - 1 */
    unsigned char *level[AZ_PAGE_DEPTH];
    uint64_t first, n, ahead, seen;
    struct az_pages_row row;
    uint64_t given;
    int64_t rowid; /* of the row before: they ascend */
    size_t columns;
    struct layout layout[LAYOUTS], *last; /* last: of the record before, mostly */
};

/* Reads the page, with those after it as long as they are needed. NULL: SQLite has to read it. */
static const unsigned char *page_at(struct reading *r, uint64_t number)
{
    const size_t size = r->p->page_size;
    if (number >= r->first && number - r->first < r->n)
        return r->window + (number - r->first) * size;
    if (number < 2 || number > r->p->pages || ++r->seen > r->p->pages)
        return NULL;
    const bool near = number >= r->first && number - r->first < 2 * r->ahead;
    r->ahead = !near ? 1 : 2 * r->ahead * size > WINDOW ? r->ahead : 2 * r->ahead;
    r->n = r->p->pages - number + 1 < r->ahead ? r->p->pages - number + 1 : r->ahead;
    r->first = number;
    if (r->p->file->pMethods->xRead(r->p->file, r->window, (int)(r->n * size),
                                    (sqlite3_int64)((number - 1) * size)) == SQLITE_OK)
        return r->window;
    r->n = 0;
    return NULL;
}

uint64_t az_pages_local(const struct az_pages *p, uint64_t payload)
{
    const uint64_t usable = p->usable, most = usable - 35;
    if (payload <= most)
        return payload;
    const uint64_t least = (usable - 12) * 32 / 255 - 23,
                   here = least + (payload - least) % (usable - 4);
    return here <= most ? here : least;
}

static int64_t number_before(const unsigned char *end, unsigned shift)
{
    /* a page begins with at least eight bytes that are no record */
    return (int64_t)(az_eight(end - 8) << shift) >> shift;
}

/* Reads a header, by which the required numbers of a record are found. False: one is not a number,
 * or not on this page. */
static bool lay_out(const struct az_pages *p, const unsigned char *record, const unsigned char *end,
                    struct layout *l)
{
    const unsigned char *at = record;
    uint64_t header, type;
    *l = (struct layout){ .null = 0 };
    if (!az_varint(&at, end, &header) || header > (uint64_t)(end - record))
        return false;
    const unsigned char *types_end = record + header, *data = types_end;
    for (unsigned i = 0; i < p->places; i++) {
        if (!az_varint(&at, types_end, &type))
            return false;
        const uint64_t size = az_size_of_type(type);
        if (size > (uint64_t)(end - data))
            return false;
        data += size;
        const int8_t k = p->of[i];
        if (k < 0)
            continue;
        if (k == p->alias ? type != 0 : type > 9 || type == 7)
            return false;
        if (k == p->alias) /* the record has NULL in place of it */
            continue;
        l->null |= (uint32_t)(type == 0) << k;
        l->end[k] = (uint16_t)(size ? data - record : 0);
        l->shift[k] = (uint8_t)(64 - 8 * size);
        l->fixed[k] = type == 9;
    }
    l->whole = at >= types_end;
    l->bytes = (uint16_t)(data - record);
    /* found again by its bytes, if each type is one of them */
    l->known = p->places < LAYOUT_BYTES && at == record + 1 + p->places;
    if (l->known)
        memcpy(l->header, record, 1 + p->places);
    return true;
}

/* Of n bytes, from which more may be read. */
static bool is_header(const struct layout *l, const unsigned char *record, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        if (az_eight(l->header + i) != az_eight(record + i))
            return false;
    return i == n || (az_eight(l->header + i) ^ az_eight(record + i)) >> (64 - 8 * (n - i)) == 0;
}

/* The layout of a record, one that is known or made in its place. */
static const struct layout *layout_of(struct reading *r, const unsigned char *record,
                                      const unsigned char *end)
{
    const size_t n = 1 + r->p->places;
    uint64_t h = 0;
    if ((uint64_t)(end - record) < n + 7 || n > LAYOUT_BYTES)
        return lay_out(r->p, record, end, &r->layout[0]) ? &r->layout[0] : NULL;
    if (r->last && r->last->known && is_header(r->last, record, n))
        return r->last;
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t left =
            n - i < 8 ? az_eight(record + i) >> (64 - 8 * (n - i)) : az_eight(record + i);
        h = (h ^ left) * UINT64_C(0x9e3779b97f4a7c15);
    }
    struct layout *l = r->last = &r->layout[h >> 58];
    if (l->known && is_header(l, record, n))
        return l;
    return lay_out(r->p, record, end, l) ? l : NULL;
}

/* The required numbers of a record of so many bytes, those up to `end` on this page. False: they
 * are not all there, or the record is not as long as its values. */
static bool take_values(struct reading *r, const unsigned char *record, const unsigned char *end,
                        uint64_t bytes)
{
    const struct layout *l = layout_of(r, record, end);
    if (!l || l->bytes > (uint64_t)(end - record) || (l->whole && l->bytes != bytes))
        return false;
    r->row.null = l->null;
    for (size_t k = 0; k < r->columns; k++)
        r->row.value[k] = l->end[k] ? number_before(record + l->end[k], l->shift[k]) : l->fixed[k];
    if (r->p->alias >= 0)
        r->row.value[r->p->alias] = r->rowid;
    return true;
}

/* Bytes of the free blocks of a page, a list by place; UINT_MAX: it is damaged. */
static unsigned free_bytes(const unsigned char *page, unsigned usable)
{
    unsigned sum = 0, at = az_two(page + 1);
    for (unsigned next; at; at = next) {
        if (at + 4 > usable)
            return UINT_MAX;
        next = az_two(page + at);
        sum += az_two(page + at + 2);
        if (next && next < at + 4)
            return UINT_MAX;
    }
    return sum;
}

/* Do cells of so many bytes, the first of them at `lowest`, and what is free between them fill the
 * page from the offset in its header? Not if the header has too few cells, of which SQLite alone
 * reports nothing while it reads. */
static bool is_filled(const unsigned char *page, unsigned usable, unsigned lowest, uint64_t bytes)
{
    const unsigned from = az_two(page + 5);
    return lowest == from && bytes + free_bytes(page, usable) + page[7] == usable - from;
}

/* Rows of a page of rows. */
static int read_leaf(struct reading *r, const unsigned char *page)
{
    const unsigned n = az_two(page + 3), top = AZ_PAGE_LEAF_HEADER + 2 * n;
    const unsigned char *end = page + r->p->usable;
    unsigned lowest = r->p->usable;
    uint64_t bytes = 0;
    if (n > az_page_most_cells(r->p->page_size) || top > r->p->usable || (n == 0 && r->given))
        return GO_ON;
    for (unsigned i = 0; i < n; i++) {
        const unsigned from = az_two(page + AZ_PAGE_LEAF_HEADER + 2 * (size_t)i);
        const unsigned char *at = page + from;
        uint64_t payload, rowid;
        if (from < top || from >= r->p->usable || !az_varint(&at, end, &payload) ||
            !az_varint(&at, end, &rowid) || (r->given && (int64_t)rowid <= r->rowid))
            return GO_ON;
        lowest = from < lowest ? from : lowest;
        r->rowid = (int64_t)rowid;
        const uint64_t local = az_pages_local(r->p, payload);
        if (local > (uint64_t)(end - at) ||
            (!r->p->cells_only && !take_values(r, at, at + local, payload)))
            return GO_ON;
        r->row.cell = page + from;
        r->row.record = at;
        r->row.end = at + local;
        r->row.payload = payload;
        r->row.rowid = r->rowid;
        r->row.overflow =
            local < payload && end - at - (ptrdiff_t)local >= 4 ? az_four(at + local) : 0;
        const uint64_t cell = (uint64_t)(at - page) - from + local + (local < payload ? 4 : 0);
        bytes += cell < 4 ? 4 : cell;
        const int rc = r->fn(r->ctx, &r->row);
        if (rc)
            return rc;
        r->given++;
    }
    if (n && !is_filled(page, r->p->usable, lowest, bytes))
        r->p->x->suspect = true;
    return 0;
}

/* The same for a page that names others. */
static bool inner_is_filled(const unsigned char *page, unsigned usable)
{
    const unsigned n = az_two(page + 3);
    unsigned lowest = usable;
    uint64_t bytes = 0, key;
    for (unsigned i = 0; i < n; i++) {
        const unsigned from = az_two(page + AZ_PAGE_INNER_HEADER + 2 * (size_t)i);
        const unsigned char *at = page + from + 4;
        if (from + 4 >= usable || !az_varint(&at, page + usable, &key))
            return false;
        lowest = from < lowest ? from : lowest;
        bytes += (uint64_t)(at - page) - from;
    }
    return n == 0 || is_filled(page, usable, lowest, bytes);
}

/* Copies a page that names others: what is read next may move the window. */
static int enter(struct reading *r, unsigned depth, const unsigned char *page)
{
    const size_t size = r->p->page_size;
    if (!r->level[depth] && !(r->level[depth] = az_mem_alloc(r->mem, size)))
        return az_mem_error(r->mem);
    memcpy(r->level[depth], page, size);
    const unsigned n = az_two(page + 3);
    if (n > az_page_most_cells(r->p->page_size) || AZ_PAGE_INNER_HEADER + 2 * n > r->p->usable)
        return GO_ON;
    r->p->x->suspect |= !inner_is_filled(page, r->p->usable);
    return 0;
}

/* The i-th page that a page names; the last one is in its header. 0: none. */
static uint32_t child_of(const struct reading *r, const unsigned char *page, unsigned i)
{
    if (i == az_two(page + 3))
        return az_four(page + 8);
    const unsigned at = az_two(page + AZ_PAGE_INNER_HEADER + 2 * (size_t)i);
    return at + 4 <= r->p->usable ? az_four(page + at) : 0;
}

static int walk_tree(struct reading *r)
{
    const struct az_parse *job = r->p->x->job;
    unsigned next[AZ_PAGE_DEPTH] = { 0 }, depth = 0;
    uint32_t number = r->p->root;
    for (;;) {
        const unsigned char *page = page_at(r, number);
        if (job->cancelled && r->n && number == r->first && job->cancelled(job->ctx))
            return AZ_EINTR;
        if (!page || (page[0] != AZ_PAGE_LEAF && page[0] != AZ_PAGE_INNER) ||
            (page[0] == AZ_PAGE_INNER && depth == AZ_PAGE_DEPTH))
            return GO_ON;
        int rc = page[0] == AZ_PAGE_LEAF ? read_leaf(r, page) : enter(r, depth, page);
        if (rc)
            return rc;
        if (page[0] == AZ_PAGE_INNER)
            next[depth++] = 0;
        while (depth > 0 && next[depth - 1] > az_two(r->level[depth - 1] + 3))
            depth--;
        if (depth == 0)
            return 0;
        number = child_of(r, r->level[depth - 1], next[depth - 1]++);
    }
}

int az_pages_read(struct az_pages *p, az_pages_fn fn, void *ctx, uint64_t *given)
{
    struct reading r = {
        .p = p, .fn = fn, .ctx = ctx, .mem = p->x->job->mem, .ahead = 1, .columns = p->columns
    };
    r.window = az_mem_alloc(r.mem, WINDOW);
    const int rc = r.window ? walk_tree(&r) : az_mem_error(r.mem);
    p->x->suspect |= rc == GO_ON;
    *given = r.given;
    for (unsigned i = 0; i < AZ_PAGE_DEPTH && r.level[i]; i++)
        az_mem_free(r.mem, r.level[i], p->page_size);
    az_mem_free(r.mem, r.window, WINDOW);
    return rc;
}

static int no_row(void *ctx, const struct az_pages_row *row)
{
    (void)ctx, (void)row;
    return 0;
}

int az_pages_check(struct az_sqlite *x, const char *table)
{
    struct az_pages p;
    uint64_t rows;
    if (x->suspect || x->partial || !az_pages_find(&p, x, table))
        return 0;
    p.cells_only = true;
    const int rc = az_pages_read(&p, no_row, NULL, &rows);
    return rc < 0 ? rc : 0;
}

bool az_pages_last_key(struct az_sqlite *x, const char *table, int64_t *rowid)
{
    struct az_pages p;
    uint32_t number = 0;
    bool found = false;
    unsigned char *page = NULL;
    if (az_pages_find(&p, x, table))
        page = az_mem_alloc(x->job->mem, p.page_size);
    if (page)
        number = p.root;
    for (unsigned depth = 0; depth < AZ_PAGE_DEPTH && number > 1 && number <= p.pages; depth++) {
        if (p.file->pMethods->xRead(p.file, page, (int)p.page_size,
                                    (sqlite3_int64)(number - 1) * p.page_size) != SQLITE_OK)
            break;
        const unsigned n = az_two(page + 3);
        if (page[0] != AZ_PAGE_INNER || n == 0 || n > az_page_most_cells(p.page_size) ||
            AZ_PAGE_INNER_HEADER + 2 * n > p.usable)
            break;
        const unsigned from = az_two(page + AZ_PAGE_INNER_HEADER + 2 * ((size_t)n - 1));
        const unsigned char *at = page + from + 4; /* after the number of the page */
        uint64_t key;
        if (from + 4 >= p.usable || !az_varint(&at, page + p.usable, &key))
            break;
        *rowid = (int64_t)key;
        found = true;
        number = az_four(page + 8);
    }
    az_mem_free(x->job->mem, page, p.page_size);
    return found;
}
