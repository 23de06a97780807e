/* How much of each table a page shows. A page of more than a few MB opens slowly, so that its size
 * is divided among the tables: small ones are whole, the others have equal parts. A table that is
 * larger than its part is shown with long texts truncated, with its first columns, and with fewer
 * rows than `html_rows`. With `html_rows` 0 all tables are whole. */
#include "reports/html/html.h"

#include "document/flame.h"
#include "document/tracks.h"

#define PAGE_MOST    2600000 /* bytes by these estimates */
#define TABLES_LEAST 600000
#define OTHERS       350000 /* scripts, charts, verdict, findings */
#define ROWS_DEFAULT 1000   /* an `html_rows` above it raises the limit */
#define ROWS_LEAST   5
#define MARK         32 /* bytes of a mark of the timeline */
#define NODE         40 /* of a node of the flame view, without its name */
#define COLUMNS_MOST 300
#define CELL_MOST    2000 /* bytes of a text */
#define CELL         40   /* of a number with its markup */
#define TEXT         20   /* markup of a text */

static size_t drawings(const struct az_html *h)
{
    size_t bytes = h->doc->tracks ? h->doc->tracks->marks.n * MARK : 0;

    if (h->doc->tracks && h->doc->tracks->names.n)
        bytes += h->doc->tracks->names.n * az_html_name_columns(h->doc->tracks->names.n);
    if (h->doc->flame)
        bytes += h->doc->flame->nodes.n * (NODE + az_html_name_columns(h->doc->flame->nodes.n));
    return bytes;
}

static size_t row_bytes(const struct az_table *t, size_t row, const struct az_html_shown *shown)
{
    size_t bytes = 0;

    for (size_t c = 0; c < shown->columns; c++) {
        const struct az_cell *cell = az_table_at(t, row, c);
        const size_t n = cell->len < shown->cell ? cell->len : shown->cell;
        bytes += cell->type == AZ_TEXT ? TEXT + n : CELL;
    }
    return bytes;
}

static bool is_shown(const struct az_html *h, size_t i)
{
    return h->anchor[i].n && !(h->doc->tables.v[i]->flags & AZ_TABLE_LAST);
}

/* Bytes of each table up to html_rows; their sum. */
static int measure(struct az_html *h, size_t *bytes, size_t *sum)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < h->doc->tables.n; i++) {
        struct az_table *t = h->doc->tables.v[i];
        h->shown[i].rows = t->rows;
        if (!is_shown(h, i))
            continue;
        h->shown[i].rows = t->rows < h->doc->html_rows ? t->rows : h->doc->html_rows;
        rc = az_table_store_rows(t, h->shown[i].rows);
        for (size_t r = 0; rc == 0 && r < h->shown[i].rows; r++)
            bytes[i] += row_bytes(t, r, &h->shown[i]);
        *sum += bytes[i];
    }
    return rc;
}

/* The largest part with which all tables together have at most `most`: what tables smaller than an
 * equal part leave is divided among the others. */
static size_t part_of_each(const size_t *bytes, size_t n, size_t most)
{
    size_t part = 0;

    for (size_t step = most; step > 0; step /= 2) {
        size_t sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += bytes[i] < part + step ? bytes[i] : part + step;
        part += sum <= most ? step : 0;
    }
    return part;
}

static void shorten(struct az_html *h, size_t table, size_t most)
{
    const struct az_table *t = h->doc->tables.v[table];
    struct az_html_shown *shown = &h->shown[table];
    size_t bytes = 0, row = 0;

    shown->cell = CELL_MOST;
    shown->columns = shown->columns < COLUMNS_MOST ? shown->columns : COLUMNS_MOST;
    for (; row < shown->rows; row++) {
        bytes += row_bytes(t, row, shown);
        if (bytes > most && row >= ROWS_LEAST)
            break;
    }
    shown->rows = row;
}

int az_html_fit(struct az_html *h)
{
    const size_t n = h->doc->tables.n, drawn = drawings(h) + OTHERS;
    size_t *bytes = az_arena_array(h->scratch, n + 1, sizeof *bytes), sum = 0,
           most = drawn + TABLES_LEAST < PAGE_MOST ? PAGE_MOST - drawn : TABLES_LEAST;

    h->shown = az_arena_array(h->scratch, n + 1, sizeof *h->shown);
    if (!bytes || !h->shown)
        return az_arena_error(h->scratch);
    memset(bytes, 0, (n + 1) * sizeof *bytes);
    for (size_t i = 0; i < n; i++) {
        const struct az_table *t = h->doc->tables.v[i];
        h->shown[i] = (struct az_html_shown){ t->rows, t->columns.n, SIZE_MAX };
    }
    if (h->doc->html_rows == 0)
        return 0;
    if (h->doc->html_rows > ROWS_DEFAULT)
        most = most / ROWS_DEFAULT * h->doc->html_rows;
    int rc = measure(h, bytes, &sum);
    const size_t part = rc == 0 && sum > most ? part_of_each(bytes, n, most) : SIZE_MAX;
    for (size_t i = 0; part != SIZE_MAX && i < n; i++)
        if (bytes[i] > part)
            shorten(h, i, part);
    return rc;
}
