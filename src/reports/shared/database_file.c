/* Trees of an SQLite database file are built from their leaves: a page that is full is written, and
 * its number and last key go to the page above. Every page but the first of a tree's last level
 * has a key, as SQLite demands. */
#include "reports/shared/database_file.h"

#include <math.h>

#define PAGE       4096u
#define LEAF       8u       /* bytes of the header of a page */
#define INNER      12u      /* the same of one with children */
#define FILE_HEAD  100u     /* bytes before the header of page 1 */
#define MOST_CELLS 700u     /* of a page: 4 bytes and a pointer each, at least */
#define MOST_KEY   1024u    /* bytes of a cell of keys */
#define CHAIN      4092u    /* bytes of a record in each page of its overflow */
#define LEAST      489u     /* bytes of a record that stay in its tree, of one that overflows */
#define LOCK_PAGE  0x40001u /* the page of SQLite's lock bytes, at 1 GiB, is never used */

struct az_dbfile_level {
    unsigned cells, top; /* contents grow from the end of the page down to `top` */
    size_t last;         /* bytes of the cell added last */
    uint32_t right;      /* the last child */
    uint16_t at[MOST_CELLS];
    uint8_t page[PAGE];
};

static void put16(uint8_t *p, uint32_t x)
{
    p[0] = (uint8_t)(x >> 8);
    p[1] = (uint8_t)x;
}

static void put32(uint8_t *p, uint32_t x)
{
    put16(p, x >> 16);
    put16(p + 2, x & 0xffff);
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put_big_endian(uint8_t *p, uint64_t x, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(x >> 8 * (bytes - 1 - i));
}

/* A number below 2^56, seven bits a byte, the highest first. */
static unsigned put_varint(uint8_t *p, uint64_t x)
{
    unsigned n = 1;

    while (n < 8 && x >> 7 * n)
        n++;
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)((x >> 7 * (n - 1 - i) & 0x7f) | (i + 1 < n ? 0x80 : 0));
    return n;
}

/* ---- pages ---- */

static uint32_t write_page(struct az_dbfile *f, const uint8_t *page)
{
    static const uint8_t zeros[PAGE];

    if (f->pages + 1 == LOCK_PAGE) {
        az_outfile_write(f->out, zeros, PAGE);
        f->pages++;
    }
    az_outfile_write(f->out, page, PAGE);
    return ++f->pages;
}

static uint32_t page_after(uint32_t page) { return page + 1 == LOCK_PAGE ? page + 2 : page + 1; }

static void empty(struct az_dbfile_level *v)
{
    v->cells = 0;
    v->top = PAGE;
    v->last = 0;
    v->right = 0;
}

static struct az_dbfile_level *level_of(struct az_dbfile *f, unsigned at)
{
    if (!f->error && at >= AZ_DBFILE_LEVELS)
        f->error = AZ_ELIMIT;
    if (!f->error && !f->level[at]) {
        f->level[at] = az_mem_alloc(f->mem, sizeof *f->level[at]);
        f->error = f->level[at] ? 0 : az_mem_error(f->mem);
    }
    if (f->error)
        return NULL;
    for (; f->depth <= at; f->depth++)
        empty(f->level[f->depth]);
    return f->level[at];
}

/* Header and pointers of a page whose cells are in place; `at`: where its header is. */
static void finish_page(const struct az_dbfile *f, unsigned level, struct az_dbfile_level *v,
                        unsigned at)
{
    static const uint8_t kinds[2][2] = { { 13, 5 }, { 10, 2 } }; /* by kind; leaf or not */
    uint8_t *p = v->page + at, *pointers = p + (level ? INNER : LEAF);

    p[0] = kinds[f->kind][level > 0];
    put16(p + 1, 0); /* nothing is free */
    put16(p + 3, v->cells);
    put16(p + 5, v->top);
    p[7] = 0;
    if (level)
        put32(p + 8, v->right);
    for (unsigned i = 0; i < v->cells; i++)
        put16(pointers + 2 * (size_t)i, v->at[i]);
    uint8_t *gap = pointers + 2 * (size_t)v->cells;
    memset(gap, 0, (size_t)(v->page + v->top - gap));
}

static uint32_t close_page(struct az_dbfile *f, unsigned level, struct az_dbfile_level *v)
{
    finish_page(f, level, v, 0);
    const uint32_t page = write_page(f, v->page);
    empty(v);
    return page;
}

static bool has_room(const struct az_dbfile *f, const struct az_dbfile_level *v, unsigned level,
                     size_t n)
{
    const size_t head = level ? INNER + (f->first ? FILE_HEAD : 0) : LEAF;
    return n + head + 2 * ((size_t)v->cells + 1) <= v->top;
}

static uint8_t *add_cell(struct az_dbfile_level *v, size_t n)
{
    v->top -= (unsigned)n;
    v->at[v->cells++] = (uint16_t)v->top;
    v->last = n;
    return v->page + v->top;
}

static const uint8_t *remove_last(struct az_dbfile_level *v)
{
    const uint8_t *cell = v->page + v->top;
    v->cells--;
    v->top += (unsigned)v->last;
    return cell;
}

/* A child and its last key. Where the page is full, the child before it becomes the last one of the
 * page, and its key goes up. */
static void add_child(struct az_dbfile *f, unsigned level, uint32_t child, const uint8_t *key,
                      size_t n)
{
    struct az_dbfile_level *v = level_of(f, level);
    uint8_t up[MOST_KEY];

    if (!v)
        return;
    if (!has_room(f, v, level, n + 4)) {
        const size_t size = v->last - 4;
        const uint8_t *cell = remove_last(v);
        memcpy(up, cell + 4, size);
        v->right = get32(cell);
        add_child(f, level + 1, close_page(f, level, v), up, size);
    }
    uint8_t *cell = add_cell(v, n + 4);
    put32(cell, child);
    memcpy(cell + 4, key, n);
}

/* ---- records ---- */

static unsigned int_type(int64_t x)
{
    const uint64_t m = (uint64_t)(x < 0 ? ~x : x);

    if (x == 0 || x == 1)
        return x ? 9 : 8;
    if (m < 1u << 15)
        return m < 1u << 7 ? 1 : 2;
    if (m < 1u << 31)
        return m < 1u << 23 ? 3 : 4;
    return m < (uint64_t)1 << 47 ? 5 : 6;
}

static uint64_t type_of(const struct az_cell *c)
{
    switch (c->type) {
    case AZ_TEXT:
        return 13 + 2 * (uint64_t)c->len;
    case AZ_INT:
        return int_type(c->i);
    case AZ_BOOL:
        return c->b ? 9 : 8;
    case AZ_REAL:
        return isnan(c->f) ? 0 : 7;
    case AZ_EMPTY:
        break;
    }
    return 0;
}

static size_t size_of(uint64_t type)
{
    static const uint8_t sizes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
    return type < AZ_LENGTH(sizes) ? sizes[type] : (size_t)(type - 13) / 2;
}

static uint8_t *put_value(uint8_t *p, const struct az_cell *c, uint64_t type)
{
    const size_t n = size_of(type);
    uint64_t bits;

    if (c->type == AZ_TEXT && n)
        memcpy(p, c->s, n);
    else if (c->type == AZ_INT)
        put_big_endian(p, (uint64_t)c->i, (unsigned)n);
    else if (type == 7) {
        memcpy(&bits, &c->f, sizeof bits);
        put_big_endian(p, bits, 8);
    }
    return p + n;
}

/* The types of the cells, then their values. */
static void make_record(struct az_dbfile *f, const struct az_cell *cells, size_t n)
{
    uint8_t number[9];
    size_t head = 0, body = 0;

    az_vec_reset(&f->types);
    az_vec_reset(&f->record);
    if (az_vec_reserve(&f->types, n))
        f->error = az_mem_error(f->mem);
    for (size_t i = 0; !f->error && i < n; i++) {
        const uint64_t type = type_of(&cells[i]);
        f->types.v[f->types.n++] = type;
        head += type < 128 ? 1 : put_varint(number, type);
        body += size_of(type);
    }
    size_t own = put_varint(number, head + 1);
    own = put_varint(number, head + own);
    if (f->error || az_vec_reserve(&f->record, own + head + body)) {
        f->error = f->error ? f->error : az_mem_error(f->mem);
        return;
    }
    uint8_t *p = (uint8_t *)f->record.v;
    p += put_varint(p, head + own);
    for (size_t i = 0; i < n; i++)
        p += put_varint(p, f->types.v[i]);
    for (size_t i = 0; i < n; i++)
        p = put_value(p, &cells[i], f->types.v[i]);
    f->record.n = own + head + body;
}

/* Bytes of the record that stay in its tree. */
static size_t local_size(const struct az_dbfile *f, size_t n)
{
    const size_t most = f->kind == AZ_DBFILE_KEYS ? 1002 : 4061;
    if (n <= most)
        return n;
    const size_t some = LEAST + (n - LEAST) % CHAIN;
    return some <= most ? some : LEAST;
}

static uint32_t write_overflow(struct az_dbfile *f, const char *p, size_t n)
{
    const uint32_t first = page_after(f->pages);
    uint8_t page[PAGE];

    while (n) {
        const size_t part = n < CHAIN ? n : CHAIN;
        put32(page, n > part ? page_after(page_after(f->pages)) : 0);
        memcpy(page + 4, p, part);
        memset(page + 4 + part, 0, CHAIN - part);
        write_page(f, page);
        p += part;
        n -= part;
    }
    return first;
}

/* ---- trees ---- */

/* A full leaf is written. Of keys its last one goes up, so that the next leaf has one too. */
static void close_leaf(struct az_dbfile *f, struct az_dbfile_level *v)
{
    uint8_t up[MOST_KEY];
    size_t n;

    if (f->kind == AZ_DBFILE_KEYS) {
        n = v->last;
        memcpy(up, remove_last(v), n);
    } else {
        n = put_varint(up, f->rows - 1);
    }
    add_child(f, 1, close_page(f, 0, v), up, n);
}

void az_dbfile_row(struct az_dbfile *f, const struct az_cell *cells, size_t n)
{
    uint8_t head[18];
    size_t size = 0;
    struct az_dbfile_level *v = level_of(f, 0);

    if (v)
        make_record(f, cells, n);
    if (f->error)
        return;
    f->rows++;
    size = put_varint(head, f->record.n);
    if (f->kind == AZ_DBFILE_ROWS)
        size += put_varint(head + size, f->rows);
    const size_t local = local_size(f, f->record.n);
    const bool over = local < f->record.n;
    const size_t whole = size + local + (over ? 4 : 0);
    if (!has_room(f, v, 0, whole))
        close_leaf(f, v);
    uint8_t *cell = add_cell(v, whole);
    memcpy(cell, head, size);
    memcpy(cell + size, f->record.v, local);
    if (over)
        put32(cell + size + local, write_overflow(f, f->record.v + local, f->record.n - local));
}

void az_dbfile_begin(struct az_dbfile *f, enum az_dbfile_kind kind)
{
    f->kind = kind;
    f->depth = 0;
    f->rows = 0;
    (void)level_of(f, 0);
}

/* The page of each level is the last child of the one above. Returns the page before the root. */
static uint32_t close_levels(struct az_dbfile *f)
{
    uint32_t page = 0;

    for (unsigned i = 0; i + 1 < f->depth; i++) {
        page = close_page(f, i, f->level[i]);
        f->level[i + 1]->right = page;
    }
    return page;
}

uint32_t az_dbfile_end(struct az_dbfile *f)
{
    if (f->error)
        return 0;
    (void)close_levels(f);
    return close_page(f, f->depth - 1, f->level[f->depth - 1]);
}

/* ---- file ---- */

void az_dbfile_init(struct az_dbfile *f, struct az_outfile *out, struct az_mem *mem)
{
    static const uint8_t zeros[PAGE];

    *f = (struct az_dbfile){ .out = out, .mem = mem };
    az_vec_init(&f->record, mem);
    az_vec_init(&f->types, mem);
    az_vec_init(&f->entries, mem);
    write_page(f, zeros); /* of page 1, which is known last */
}

void az_dbfile_add(struct az_dbfile *f, struct az_dbfile_entry e)
{
    if (!f->error && az_vec_push(&f->entries, e))
        f->error = az_mem_error(f->mem);
}

static struct az_cell text_cell(struct az_sv s)
{
    return (struct az_cell){ .type = AZ_TEXT, .len = AZ_CELL_LENGTH(s.n), .s = s.p };
}

static void put_file_header(const struct az_dbfile *f, uint8_t *p, uint32_t application_id,
                            uint32_t version)
{
    memset(p, 0, FILE_HEAD);
    memcpy(p, "SQLite format 3", 16);
    put16(p + 16, PAGE);
    p[18] = p[19] = 1; /* no log */
    p[21] = 64;
    p[22] = p[23] = 32;
    put32(p + 24, 1); /* changes */
    put32(p + 28, f->pages);
    put32(p + 40, 1); /* of the schema */
    put32(p + 44, 4); /* format of the schema */
    put32(p + 56, 1); /* UTF-8 */
    put32(p + 60, version);
    put32(p + 68, application_id);
    put32(p + 92, 1);
    put32(p + 96, 3008003); /* the first version that writes this format */
}

int az_dbfile_finish(struct az_dbfile *f, uint32_t application_id, uint32_t version)
{
    az_dbfile_begin(f, AZ_DBFILE_ROWS);
    f->first = true;
    for (size_t i = 0; i < f->entries.n; i++) {
        const struct az_dbfile_entry *e = &f->entries.v[i];
        const struct az_cell cells[] = { text_cell(az_sv_str(e->type)),
                                         text_cell(e->name),
                                         text_cell(e->table),
                                         { .type = AZ_INT, .i = e->root },
                                         text_cell(e->sql) };
        az_dbfile_row(f, cells, AZ_LENGTH(cells));
    }
    /* Page 1 has less room: a leaf that is too long for it becomes its only child. */
    if (!f->error && f->depth == 1 && LEAF + FILE_HEAD + 2 * f->level[0]->cells > f->level[0]->top)
        (void)level_of(f, 1);
    if (f->error)
        return f->error;
    (void)close_levels(f);
    struct az_dbfile_level *root = f->level[f->depth - 1];
    finish_page(f, f->depth - 1, root, FILE_HEAD);
    put_file_header(f, root->page, application_id, version);
    az_outfile_rewrite(f->out, 0, root->page, PAGE);
    return 0;
}

void az_dbfile_release(struct az_dbfile *f)
{
    for (size_t i = 0; i < AZ_DBFILE_LEVELS; i++)
        if (f->level[i])
            az_mem_free(f->mem, f->level[i], sizeof *f->level[i]);
    az_vec_release(&f->record);
    az_vec_release(&f->types);
    az_vec_release(&f->entries);
}
