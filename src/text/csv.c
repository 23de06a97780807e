/* CSV rows from a window over a byte source. Two splitters with one meaning: by the index of
 * csv_index.c, and byte by byte, which also reads the rows whose quotes the index cannot follow. */
#include "text/csv.h"

#include "text/csv_index.h"

#define WINDOW_DEFAULT  ((size_t)256 << 10)
#define MAX_ROW_DEFAULT ((size_t)64 << 20)
#define MAX_FIELDS      ((size_t)1 << 20)
#define FEW                                                                                        \
    ((size_t)100) /* bytes per read in a build that moves buffers, or as many as are stored */
#define PADDING AZ_CSV_BLOCK /* readable bytes after the window's content */

int az_csv_init(struct az_csv *c, struct az_source *src, char sep, struct az_mem *mem)
{
    *c = (struct az_csv){
        .src = src, .mem = mem, .sep = sep, .max_row = MAX_ROW_DEFAULT, .scalar = !AZ_CSV_SIMD
    };
    az_vec_init(&c->row, mem);
    az_vec_init(&c->window, mem);
    c->next_line = 1;
    if (sep == '"' || sep == '\n' || sep == '\r')
        return AZ_EUSAGE;
    c->index = az_mem_alloc(mem, sizeof *c->index);
    return c->index ? 0 : az_mem_error(mem);
}

void az_csv_release(struct az_csv *c)
{
    az_vec_release(&c->row);
    az_vec_release(&c->window);
    if (c->index)
        az_mem_free(c->mem, c->index, sizeof *c->index);
    c->index = NULL;
}

/* ---- the window ---- */

/* Puts the window into another block with room for `more` bytes, in a build that moves buffers. */
static int move_window(struct az_csv *c, size_t more)
{
    size_t n = c->window.n;
    char *w = az_mem_move(c->window.v, n, n + more + PADDING);
    if (!w)
        return AZ_ENOMEM;
    for (size_t i = 0; i < c->row.n; i++)
        c->row.v[i].raw.p = w + (c->row.v[i].raw.p - c->window.v);
    memset(w + n, 0, more + PADDING);
    c->window.v = w;
    return 0;
}

/* Reads after what is in the window until it is full or the source ends. An error waits until the
 * bytes before it are used up. */
static int read_window(struct az_csv *c)
{
    size_t before = c->window.n, room = c->room;
    if (AZ_MOVES) {
        size_t few = before < FEW ? FEW : before;
        room = room - before < few ? room : before + few;
        int r = move_window(c, room - before);
        if (r)
            return r;
    }
    while (c->window.n < room && !c->eof && !c->pending) {
        size_t got;
        int r = az_source_read(c->src, c->window.v + c->window.n, room - c->window.n, &got);
        c->window.n += got;
        c->pending = r;
        c->eof = r == 0 && got == 0;
    }
    memset(c->window.v + c->window.n, 0, PADDING); /* the index loads whole blocks */
    return c->pending && c->window.n == before ? c->pending : 0;
}

/* Twice the room, for a row that fills the window. Views in c->row follow. */
static int grow_window(struct az_csv *c)
{
    size_t room, n = c->window.n;
    struct az_vec_char wide;
    az_vec_init(&wide, c->mem);
    if (!az_size_mul(c->room, 2, &room) || room > SIZE_MAX - PADDING)
        return AZ_ERANGE;
    int r = az_vec_reserve(&wide, room + PADDING);
    if (r)
        return r;
    memcpy(wide.v, c->window.v, n);
    wide.n = n;
    for (size_t i = 0; i < c->row.n; i++)
        c->row.v[i].raw.p = wide.v + (c->row.v[i].raw.p - c->window.v);
    az_vec_release(&c->window);
    c->window = wide;
    c->room = room;
    return 0;
}

/* Moves the unfinished row to the front and reads on. Views in c->row follow. `known` bytes from
 * c->at on contain no row end. Returns 0 also at the end of the source (then c->eof is set). */
static int refill(struct az_csv *c, size_t known)
{
    size_t have = c->window.n - c->at;
    if (known > c->max_row)
        return AZ_EFORMAT;
    memmove(c->window.v, c->window.v + c->at, have);
    for (size_t i = 0; i < c->row.n; i++)
        c->row.v[i].raw.p -= c->at;
    c->window.n = have;
    c->at = 0;
    int r = have == c->room ? grow_window(c) : 0;
    return r ? r : read_window(c);
}

static int begin(struct az_csv *c)
{
    c->begun = true;
    c->room = c->window_size ? c->window_size : WINDOW_DEFAULT;
    if (c->room < 4)
        c->room = 4; /* the byte order mark must fit */
    int r = az_vec_reserve(&c->window, c->room + PADDING);
    r = r ? r : read_window(c);
    if (r == 0 && c->window.n >= 3 && memcmp(c->window.v, "\xef\xbb\xbf", 3) == 0)
        c->at = 3;
    az_csv_index_start(c->index, c->at);
    return r;
}

/* ---- rows ---- */

/* A field the index found, so that a quote in front has its closing one. */
static inline void set_field(struct az_csv_field *f, const char *p, size_t n)
{
    *f = (struct az_csv_field){ .raw = { p, n } };
    if (*p !=
        '"') /* an empty field shows what is after it: a separator, a line end, or the padding */
        return;
    f->quoted = true;
    f->doubled = p[n - 1] != '"'; /* text after the closing quote */
    f->raw = az_sv_make(p + 1, n - 2 + f->doubled);
}

/* What only quoted fields with quotes or line breaks need. Returns the number of line breaks. */
static int64_t finish_quoted(struct az_csv *c)
{
    int64_t breaks = 0;
    for (size_t i = 0; i < c->row.n; i++) {
        struct az_csv_field *f = &c->row.v[i];
        if (!f->quoted || f->raw.n == 0)
            continue;
        f->doubled = f->doubled || memchr(f->raw.p, '"', f->raw.n);
        const char *p = f->raw.p, *end = p + f->raw.n;
        while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
            p++;
            breaks++;
        }
    }
    return breaks;
}

/* The row's fields are complete; its last byte is before `end`, and `next` is where the next row
 * starts. */
static int end_row(struct az_csv *c, size_t end, size_t next, bool look_inside)
{
    if (end - c->at > c->max_row || c->row.n > MAX_FIELDS)
        return AZ_EFORMAT;
    c->next_line += 1 + (look_inside ? finish_quoted(c) : 0);
    c->open_line = c->eof && next == end ? c->line : 0;
    c->blank = c->row.n == 1 && c->row.v[0].raw.n == 0 && !c->row.v[0].quoted;
    if (c->blank)
        c->row.n = 0;
    c->at = next;
    return 1;
}

/* The end of a line's content [from, to): a CR before the LF (or before the end of the file)
 * belongs to the line end.
 */
static inline const char *before_cr(const char *from, const char *to)
{
    return to > from && to[-1] == '\r' ? to - 1 : to;
}

/* A quote opened at window offset `quote` never closes. */
static int open_quote(struct az_csv *c, size_t quote)
{
    if (c->window.n - c->at > c->max_row)
        return AZ_EFORMAT;
    for (size_t i = c->at; i < quote; i++)
        c->line += c->window.v[i] == '\n';
    return AZ_EFORMAT;
}

/* ---- byte by byte ---- */

/* Outcomes of one field next to 0. */
enum { NEED_MORE = 1, NOT_CLOSED = 2 };

/* The field that starts at `start` ends before *end; *closed is the offset after its closing quote,
 * 0 if it has none.
 */
static int find_end(const struct az_csv *c, size_t start, size_t *closed, size_t *end)
{
    const char *w = c->window.v;
    size_t p = start, n = c->window.n;
    *closed = 0;
    if (p < n && w[p] == '"') {
        for (p++;; p += 2) {
            const char *q = p < n ? memchr(w + p, '"', n - p) : NULL;
            if (!q)
                return c->eof ? NOT_CLOSED : NEED_MORE;
            p = (size_t)(q - w);
            if (p + 1 == n && !c->eof)
                return NEED_MORE;
            if (p + 1 == n || w[p + 1] != '"')
                break;
        }
        *closed = ++p;
    }
    while (p < n && w[p] != c->sep && w[p] != '\n')
        p++;
    *end = p;
    return p == n && !c->eof ? NEED_MORE : 0;
}

static int push_field(struct az_csv *c, size_t start, size_t closed, size_t end)
{
    const char *p = c->window.v + start;
    struct az_csv_field f = { .raw = { p, end - start } };
    if (closed) {
        f.quoted = true;
        f.doubled = closed != end; /* text after the closing quote */
        f.raw = az_sv_make(p + 1, end - start - 2 + f.doubled);
    }
    return c->row.n == MAX_FIELDS ? AZ_EFORMAT : az_vec_push(&c->row, f);
}

/* The row at c->at; from its start again whenever the window had to be filled. */
static int row_by_bytes(struct az_csv *c)
{
    size_t start = c->at, closed = 0, end = 0;
    c->row.n = 0;
    for (;;) {
        int r = find_end(c, start, &closed, &end);
        if (r == NOT_CLOSED)
            return open_quote(c, start);
        if (r == NEED_MORE) {
            c->row.n = 0;
            r = refill(c, c->window.n - c->at);
            if (r)
                return r;
            start = c->at;
            continue;
        }
        bool more = end < c->window.n && c->window.v[end] == c->sep;
        const char *w = c->window.v;
        r = push_field(c, start, closed, more ? end : (size_t)(before_cr(w + start, w + end) - w));
        if (r)
            return r;
        if (!more)
            return end_row(c, end, end < c->window.n ? end + 1 : end, true);
        start = end + 1;
    }
}

/* ---- by the index ---- */

/* Fields up to the next line end, or as far as the index goes. true: the line end was found, at
 * *end, before *start. The row must have room for a field from each indexed byte. */
static bool take_fields(struct az_csv *c, size_t *start, size_t *end)
{
    struct az_csv_index *x = c->index;
    const char *w = c->window.v, *block = w + x->base + AZ_CSV_BLOCK * x->block;
    const char *from = w + *start, *to = from;
    struct az_csv_field *f = c->row.v + c->row.n;
    uint64_t left = x->left;
    for (;;) {
        for (; left; left &= left - 1) {
            to = block + __builtin_ctzll(left);
            if (*to == '\n')
                break;
            set_field(f++, from, (size_t)(to - from));
            from = to + 1;
        }
        if (left || x->block >= x->blocks)
            break;
        block += AZ_CSV_BLOCK;
        left = ++x->block < x->blocks ? x->ends[x->block] : 0;
    }
    bool found = left != 0;
    if (found) {
        set_field(f++, from, (size_t)(before_cr(from, to) - from));
        from = to + 1;
        left &= left - 1;
    }
    x->left = left;
    c->row.n = (size_t)(f - c->row.v);
    *start = (size_t)(from - w);
    *end = (size_t)(to - w);
    return found;
}

/* Indexes more; reads more first if the rest is less than a block. Where the source broke off, what
 * is there is indexed: it may contain whole rows. */
static int extend_index(struct az_csv *c, size_t *start)
{
    struct az_csv_index *x = c->index;
    if (c->window.n - x->scanned < AZ_CSV_BLOCK && !c->eof && !c->pending) {
        size_t shift = c->at;
        int r = refill(c, x->scanned - c->at);
        if (r && !c->pending)
            return r;
        x->scanned -= shift;
        *start -= shift;
    }
    az_csv_index_chunk(x, c->window.v, c->window.n, c->eof || c->pending, c->sep);
    return c->row.n > MAX_FIELDS ? AZ_EFORMAT : az_vec_reserve(&c->row, AZ_CSV_CHUNK + 1);
}

/* The last row, which no line end closes. */
static int last_row(struct az_csv *c, size_t start, bool look_inside)
{
    size_t n = c->window.n;
    if (c->index->in_quote)
        return open_quote(c, start);
    const char *from = c->window.v + start;
    set_field(&c->row.v[c->row.n++], from, (size_t)(before_cr(from, c->window.v + n) - from));
    return end_row(c, n, n, look_inside);
}

static int row_by_index(struct az_csv *c)
{
    struct az_csv_index *x = c->index;
    size_t start = c->at, end = start;
    int r =
        az_vec_reserve(&c->row, 2 * (AZ_CSV_CHUNK + 1)); /* mostly enough for extend_index, too */
    bool inside = x->doubled || x->breaks;
    while (r == 0) {
        if (take_fields(c, &start, &end))
            return end_row(c, end, start, inside);
        if (x->irregular) {
            r = row_by_bytes(c);
            az_csv_index_start(x, c->at);
            return r;
        }
        if (c->eof && x->scanned == c->window.n)
            return last_row(c, start, inside);
        if (c->pending && x->scanned == c->window.n)
            return c->pending;
        r = extend_index(c, &start);
        inside = inside || x->doubled || x->breaks;
    }
    return r;
}

int az_csv_next(struct az_csv *c)
{
    int r = c->failed;
    if (r == 0 && !c->begun)
        r = begin(c);
    c->row.n = 0;
    c->blank = false;
    c->line = c->next_line;
    if (AZ_MOVES && r == 0)
        r = move_window(c, 0); /* rows live to the next call */
    /* Bytes of a next row, or the end. */
    if (r == 0 && c->at == c->window.n && !c->eof) {
        r = refill(c, 0);
        az_csv_index_start(c->index, 0);
    }
    if (r == 0 && c->at == c->window.n)
        return 0;
    if (r == 0)
        r = c->scalar ? row_by_bytes(c) : row_by_index(c);
    if (r < 0) {
        c->row.n = 0;
        c->failed = r;
    }
    return r;
}

size_t az_csv_rows_left(const struct az_csv *c, size_t n)
{
    const uint64_t size = az_source_is_gzip(c->src) ? 0 : az_source_size(c->src);
    const uint64_t used = az_source_delivered(c->src) - (c->window.n - c->at);
    return used > 0 && size > used ? (size_t)((double)(size - used) / (double)used * (double)n) : 0;
}

void az_csv_warn_open(const struct az_csv *c, struct az_sv path, struct az_diag *diag)
{
    if (c->open_line)
        az_diag_add(
            diag, AZ_WARNING, AZ_AT_LINE(path, c->open_line),
            "no line end after the last row; if the file is truncated, its last value is wrong");
}
