/* Large tables of a workbook in segments, which threads put together and pack apart from each
 * other. Where a segment ends depends on the table alone, so that the bytes do not depend on the
 * threads. */
#include "base/pool.h"
#include "io/gzip_deflate.h"
#include "reports/xlsx/xlsx.h"
#include "reports/xlsx/xlsx_lib.h"

#define SEGMENT_CELLS 16384 /* about 800 KB of text */
#define THREADS_MOST  16

struct segment {
    struct az_xlsx x; /* a copy, with memory, packing and failures of its own */
    struct az_arena scratch;
    struct az_xlsx_extent extent;
    size_t from, end;
};
struct segments {
    const struct az_xlsx_part *p;
    const enum az_xlsx_style *style;
    struct segment of[THREADS_MOST];
};

static void put_rows(struct az_xlsx_rows *w, const struct az_xlsx_part *p, struct az_rows *rows,
                     size_t from, size_t end)
{
    const struct az_cell *cells;

    for (size_t r = from; r < end && !w->x->error && (cells = az_rows_at(rows, p->first + r)); r++)
        az_xlsx_row(w, r + 1, cells);
}

static void open_segment(struct segment *s, const struct az_xlsx *x)
{
    s->x = *x;
    s->x.constant_memory = false;
    s->x.deflate = NULL;
    s->x.error = 0;
    s->x.scratch = &s->scratch;
    az_arena_init(&s->scratch, x->mem);
    az_vec_init(&s->x.text, x->mem);
    az_vec_init(&s->x.row_text, x->mem);
    az_vec_init(&s->x.pieces, x->mem);
}

static void make_segment(void *of, unsigned i)
{
    const struct segments *all = of;
    struct segment *s = &((struct segments *)of)->of[i];
    struct az_xlsx_rows w;
    struct az_rows rows;

    if (az_xlsx_rows_open(&w, &s->x, NULL, all->style, all->p->columns))
        return;
    az_rows_open(&rows, all->p->t, s->x.mem);
    put_rows(&w, all->p, &rows, s->from, s->end);
    s->x.error = s->x.error ? s->x.error : az_rows_error(&rows);
    az_rows_close(&rows);
    az_xlsx_rows_close(&w);
    s->extent = w.extent;
}

static void close_segment(struct segment *s)
{
    for (size_t i = 0; i < s->x.pieces.n; i++)
        az_vec_release(&s->x.pieces.v[i].packed);
    az_vec_release(&s->x.pieces);
    az_vec_release(&s->x.row_text);
    az_vec_release(&s->x.text);
    az_deflate_free(s->x.deflate);
    az_arena_release(&s->scratch);
}

/* n segments of so many rows from `from` on, into the sheet in their order. */
static void put_segments(struct az_xlsx_rows *w, struct segments *all, size_t n, size_t from,
                         size_t rows)
{
    struct az_xlsx *x = w->x;

    for (size_t i = 0; i < n; i++) {
        struct segment *s = &all->of[i];
        open_segment(s, x);
        s->from = from + i * rows;
        s->end = s->from + rows < all->p->rows ? s->from + rows : all->p->rows;
    }
    const int rc = az_pool_split((unsigned)n, (unsigned)n, make_segment, all);
    x->error = x->error ? x->error : rc;
    for (size_t i = 0; i < n; i++) {
        struct segment *s = &all->of[i];
        x->error = x->error ? x->error : s->x.error;
        if (!x->error)
            az_xlsx_rows_append(w, &s->x.pieces.v[0], &s->extent);
        close_segment(s);
    }
}

/* The library numbers a format when it is first used: before several threads use them. */
static void number_formats(struct az_xlsx *x, const enum az_xlsx_style *style, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        struct lxw_format *f = az_xlsx_style(x, style[c]);
        if (f)
            (void)lxw_format_get_xf_index(f);
    }
}

void az_xlsx_part_rows(struct az_xlsx_rows *w, const struct az_xlsx_part *p, struct az_rows *rows,
                       const enum az_xlsx_style *style, size_t from)
{
    const size_t each = p->columns < SEGMENT_CELLS ? SEGMENT_CELLS / p->columns : 1;
    const size_t most = w->x->threads < 1              ? 1
                        : w->x->threads < THREADS_MOST ? w->x->threads
                                                       : THREADS_MOST;
    struct segments *all = NULL;

    if (from < p->rows && p->rows - from >= 2 * each) {
        all = az_arena_alloc(w->x->scratch, sizeof *all);
        w->x->error = all ? w->x->error : az_arena_error(w->x->scratch);
    }
    if (!all) {
        put_rows(w, p, rows, from, p->rows);
        return;
    }
    *all = (struct segments){ .p = p, .style = style };
    number_formats(w->x, style, p->columns);
    while (from < p->rows && !w->x->error) {
        const size_t left = (p->rows - from + each - 1) / each, n = left < most ? left : most;
        put_segments(w, all, n, from, each);
        from += n * each;
    }
}
