/* Trees of pages: sqlite.org/fileformat2.html 1.6. A page that is full is written after the last
 * one of the file, and its number and last key go to the page above; the page that is left at the
 * end replaces the empty first page of the table. Every inner page has a key, as SQLite demands. */
#include "formats/shared/sqlite_append.h"

#include <errno.h>
#include <stdio.h>

#include "formats/shared/sqlite_bytes.h"

enum {
    LOCK_BYTE = 0x40000000, /* the page that has it is never used */
    LEAST_CELL = 4,
    MOST_KEY = 9,
    COUNT_AT = 28 /* in the header of the file: number of pages */
};

struct level {
    unsigned char *page; /* cells from the end down to `top`, their places from the header up */
    unsigned cells, top, last_size;
    uint32_t right; /* the last child */
};

struct az_append {
    FILE *file;
    struct az_mem *mem;
    uint32_t page_size, pages, root;
    uint32_t made; /* pages that SQLite made */
    unsigned depth;
    struct level level[AZ_PAGE_DEPTH];
    unsigned char *overflow; /* a page */
    uint64_t copied;         /* such pages */
    int64_t key;             /* of the last row */
    int error, code;         /* code: errno */
};

static void put_two(unsigned char *p, unsigned x)
{
    p[0] = (unsigned char)(x >> 8);
    p[1] = (unsigned char)x;
}

static void put_four(unsigned char *p, uint32_t x)
{
    put_two(p, x >> 16);
    put_two(p + 2, x & 0xffff);
}

/* Nine bytes have 64 bits: the last one has eight of them. */
static size_t put_varint(unsigned char *p, uint64_t x)
{
    unsigned char reversed[MOST_KEY];
    size_t n = 0;
    if (x >> 56) {
        p[8] = (unsigned char)x;
        x >>= 8;
        for (int i = 7; i >= 0; i--, x >>= 7)
            p[i] = (unsigned char)(x | 0x80);
        return MOST_KEY;
    }
    do
        reversed[n++] = (unsigned char)(x & 0x7f);
    while ((x >>= 7) != 0);
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(reversed[n - 1 - i] | (i + 1 < n ? 0x80 : 0));
    return n;
}

/* ---- pages ---- */

static void fail_write(struct az_append *w)
{
    if (!w->error) {
        w->error = AZ_EIO;
        w->code = errno;
    }
}

static void write_bytes(struct az_append *w, const unsigned char *p, size_t n)
{
    if (!w->error && fwrite(p, 1, n, w->file) != n)
        fail_write(w);
}

static uint32_t lock_page(const struct az_append *w) { return LOCK_BYTE / w->page_size + 1; }

static uint32_t page_after(const struct az_append *w, uint32_t page)
{
    return page + 1 == lock_page(w) ? page + 2 : page + 1;
}

static uint32_t write_page(struct az_append *w, const unsigned char *page)
{
    if (w->pages >= UINT32_MAX - 2 && !w->error)
        w->error = AZ_ELIMIT;
    if (w->pages + 1 == lock_page(w)) {
        write_bytes(w, page, w->page_size); /* what it has is of no importance */
        w->pages++;
    }
    write_bytes(w, page, w->page_size);
    return ++w->pages;
}

static unsigned header_of(unsigned level)
{
    return level ? AZ_PAGE_INNER_HEADER : AZ_PAGE_LEAF_HEADER;
}

static struct level *level_at(struct az_append *w, unsigned at)
{
    if (!w->error && at >= AZ_PAGE_DEPTH)
        w->error = AZ_ELIMIT;
    if (!w->error && !w->level[at].page &&
        !(w->level[at].page = az_mem_alloc(w->mem, w->page_size)))
        w->error = az_mem_error(w->mem);
    if (w->error)
        return NULL;
    for (; w->depth <= at; w->depth++) {
        w->level[w->depth].cells = 0;
        w->level[w->depth].top = w->page_size;
    }
    return &w->level[at];
}

static void finish_page(struct level *v, unsigned level)
{
    unsigned char *p = v->page, *gap = p + header_of(level) + 2 * (size_t)v->cells;
    p[0] = level ? AZ_PAGE_INNER : AZ_PAGE_LEAF;
    put_two(p + 1, 0); /* nothing is free */
    put_two(p + 3, v->cells);
    put_two(p + 5, v->top & 0xffff); /* 0: 65,536 */
    p[7] = 0;
    if (level)
        put_four(p + 8, v->right);
    memset(gap, 0, (size_t)(p + v->top - gap));
}

static uint32_t close_page(struct az_append *w, unsigned level, struct level *v)
{
    finish_page(v, level);
    const uint32_t page = write_page(w, v->page);
    v->cells = 0;
    v->top = w->page_size;
    return page;
}

static bool has_room(const struct level *v, unsigned level, size_t n)
{
    return header_of(level) + 2 * ((size_t)v->cells + 1) + n <= v->top;
}

static unsigned char *add_cell(struct level *v, unsigned level, size_t n)
{
    v->top -= (unsigned)n;
    put_two(v->page + header_of(level) + 2 * (size_t)v->cells++, v->top);
    v->last_size = (unsigned)n;
    return v->page + v->top;
}

/* A child and its last key. Where the page is full, the child before it becomes the last one of the
 * page, and its key goes up. */
static void add_child(struct az_append *w, unsigned level, uint32_t child, const unsigned char *key,
                      size_t n)
{
    struct level *v = level_at(w, level);
    unsigned char up[MOST_KEY];
    if (!v)
        return;
    if (!has_room(v, level, n + 4)) {
        const size_t size = v->last_size - 4;
        const unsigned char *cell = v->page + v->top;
        memcpy(up, cell + 4, size);
        v->right = az_four(cell);
        v->cells--;
        v->top += v->last_size;
        add_child(w, level + 1, close_page(w, level, v), up, size);
    }
    unsigned char *cell = add_cell(v, level, n + 4);
    put_four(cell, child);
    memcpy(cell + 4, key, n);
}

/* ---- rows ---- */

/* Copies pages that have the rest of a record. Returns the first one; 0: they cannot be read. No
 * two records share one, unless the file is damaged: then a chain may have no end. */
static uint32_t copy_overflow(struct az_append *w, const struct az_pages *from, uint32_t number,
                              uint64_t left)
{
    const uint32_t first = page_after(w, w->pages), room = w->page_size - 4;
    if (!w->overflow && !(w->overflow = az_mem_alloc(w->mem, w->page_size))) {
        w->error = az_mem_error(w->mem);
        return 0;
    }
    w->copied += (left - 1) / room + 1;
    if (left > (uint64_t)from->pages * room || w->copied > from->pages) {
        w->error = AZ_EFORMAT;
        return 0;
    }
    while (left) {
        if (number < 2 || number > from->pages ||
            from->file->pMethods->xRead(from->file, w->overflow, (int)w->page_size,
                                        (sqlite3_int64)(number - 1) * w->page_size) != SQLITE_OK)
            return 0;
        const uint64_t part = left < room ? left : room;
        number = az_four(w->overflow);
        left -= part;
        put_four(w->overflow, left ? page_after(w, page_after(w, w->pages)) : 0);
        memset(w->overflow + 4 + part, 0, (size_t)(room - part));
        write_page(w, w->overflow);
    }
    return first;
}

int az_append_row(struct az_append *w, const struct az_pages *from, const struct az_pages_row *row)
{
    const size_t here = (size_t)(row->end - row->cell);
    const uint64_t over = row->payload - (uint64_t)(row->end - row->record);
    struct level *v = w->error ? NULL : &w->level[0];
    unsigned char key[MOST_KEY];
    uint32_t rest = 0;
    if (v && over)
        rest = row->overflow ? copy_overflow(w, from, row->overflow, over) : 0;
    if (w->error)
        return w->error;
    if (over && !rest)
        return 1;
    /* rows of whole tables fit in as many pages as they have; and there is the page of the lock */
    if (w->pages - w->made > from->pages + 1)
        return w->error = AZ_EFORMAT;
    const size_t size = here + (over ? 4 : 0), whole = size < LEAST_CELL ? LEAST_CELL : size;
    if (!has_room(v, 0, whole)) {
        const size_t n = put_varint(key, (uint64_t)w->key);
        add_child(w, 1, close_page(w, 0, v), key, n);
    }
    unsigned char *cell = add_cell(v, 0, whole);
    memset(cell, 0, LEAST_CELL);
    memcpy(cell, row->cell, here);
    if (over)
        put_four(cell + here, rest);
    w->key = row->rowid;
    return w->error;
}

void az_append_begin(struct az_append *w, uint32_t root)
{
    w->root = root;
    w->depth = 0;
    (void)level_at(w, 0);
}

void az_append_end(struct az_append *w)
{
    const off_t root = (off_t)(w->root - 1) * (off_t)w->page_size;
    if (w->error)
        return;
    for (unsigned i = 0; i + 1 < w->depth; i++) {
        const uint32_t page = close_page(w, i, &w->level[i]);
        w->level[i + 1].right = page;
    }
    finish_page(&w->level[w->depth - 1], w->depth - 1);
    if (fseeko(w->file, root, SEEK_SET) != 0)
        fail_write(w);
    write_bytes(w, w->level[w->depth - 1].page, w->page_size);
    if (fseeko(w->file, 0, SEEK_END) != 0)
        fail_write(w);
}

/* ---- the file ---- */

struct az_append *az_append_open(const char *path, uint32_t page_size, struct az_mem *mem)
{
    struct az_append *w = az_mem_alloc(mem, sizeof *w);
    off_t size = -1;
    errno = 0;
    if (!w)
        return NULL;
    *w = (struct az_append){ .mem = mem, .page_size = page_size };
    w->file = fopen(path, "r+b");
    if (w->file && fseeko(w->file, 0, SEEK_END) == 0)
        size = ftello(w->file);
    if (size < 0) {
        if (w->file)
            (void)fclose(w->file);
        az_mem_free(mem, w, sizeof *w);
        return NULL;
    }
    w->pages = w->made = (uint32_t)(size / (off_t)page_size);
    return w;
}

int az_append_close(struct az_append *w)
{
    unsigned char count[4];
    put_four(count, w->pages);
    if (!w->error && fseeko(w->file, COUNT_AT, SEEK_SET) != 0)
        fail_write(w);
    write_bytes(w, count, sizeof count);
    if (fclose(w->file) != 0)
        fail_write(w);
    const int rc = w->error, code = w->code;
    for (unsigned i = 0; i < AZ_PAGE_DEPTH; i++)
        az_mem_free(w->mem, w->level[i].page, w->page_size);
    az_mem_free(w->mem, w->overflow, w->page_size);
    az_mem_free(w->mem, w, sizeof *w);
    errno = code;
    return rc;
}
