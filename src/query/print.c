/* Results for readers and programs: aligned text, CSV, JSON. Text that comes from files is cleaned.
 */
#include "base/num.h"
#include "base/utf8.h"
#include "query/query.h"
#include "text/csv.h"
#include "text/jsonw.h"
#include "text/text_writer.h"

#define LOOKED_AT 500        /* rows that define the widths */
#define NARROWEST 20         /* of the columns of texts that are shortened */
#define LAST_MOST 40         /* that the last one counts for: it goes on in the next line */
#define GATHER    (64 << 10) /* bytes that go out at once */

struct width {
    size_t n;
    bool number; /* all its cells are numbers: to the right */
    bool cut;    /* wider texts are shortened */
};
AZ_VEC(struct width, widths);

struct az_query_printer {
    enum az_query_form form;
    az_query_out *put;
    void *ctx;
    struct az_vec_char text;
    int error;             /* of the texts or of the sink */
    struct az_arena texts; /* of one row, or of the stored rows */
    size_t n;              /* columns */
    int64_t rows;
    bool cut;
    bool shortened; /* a text of any result printed so far */
    size_t columns; /* of the terminal; 0: none */
    /* text: the first rows are stored until their widths are known */
    struct az_vec_sv held;
    struct widths width;
    bool flowing;
};

int az_query_printer_new(struct az_query_printer **out, enum az_query_form form, az_query_out *put,
                         void *ctx)
{
    struct az_query_printer *p = az_mem_alloc(NULL, sizeof *p);

    *out = p;
    if (!p)
        return AZ_ENOMEM;
    *p = (struct az_query_printer){ .form = form, .put = put, .ctx = ctx };
    az_arena_init(&p->texts, NULL);
    return 0;
}

void az_query_printer_free(struct az_query_printer *p)
{
    if (!p)
        return;
    az_vec_release(&p->text);
    az_vec_release(&p->held);
    az_vec_release(&p->width);
    az_arena_release(&p->texts);
    az_mem_free(NULL, p, sizeof *p);
}

int64_t az_query_printer_rows(const struct az_query_printer *p, bool *cut)
{
    *cut = p->cut;
    return p->rows;
}

bool az_query_printer_shortened(const struct az_query_printer *p) { return p->shortened; }

void az_query_printer_fit(struct az_query_printer *p, size_t columns) { p->columns = columns; }

static int flush(struct az_query_printer *p, size_t least)
{
    if (p->error == 0)
        p->error = az_vec_error(&p->text);
    if (p->error == 0 && p->text.n >= least && p->text.n) {
        p->error = p->put(p->ctx, az_text_view(&p->text));
        az_vec_reset(&p->text);
    }
    return p->error;
}

/* ---- aligned text ---- */

static struct az_sv shown(struct az_query_printer *p, const struct az_cell *c)
{
    char number[AZ_NUM_MAX];

    return az_arena_dup(&p->texts, c->type == AZ_TEXT
                                       ? az_utf8_printable(&p->texts, az_cell_text(c), "")
                                       : az_cell_exact(c, number));
}

/* The start and the end of a name distinguish it. */
static struct az_sv shorten(struct az_query_printer *p, struct az_sv s, size_t most)
{
    const struct az_sv head = az_utf8_cut(s, most / 2);
    size_t from = s.n - (most - most / 2 - 1);

    while (from < s.n && ((unsigned char)s.p[from] & 0xc0) == 0x80)
        from++;
    p->shortened = true;
    return az_arena_printf(&p->texts, "%.*s\xe2\x80\xa6%.*s", AZ_SVF(head), (int)(s.n - from),
                           s.p + from);
}

/* The widest column of texts that can still be shortened, the last one not; n: none. *next: width
 * of the second. */
static size_t widest(const struct az_query_printer *p, size_t *next)
{
    size_t at = p->n;

    *next = NARROWEST;
    for (size_t i = 0; i + 1 < p->n; i++) {
        const struct width *w = &p->width.v[i];
        if (w->number || w->n <= NARROWEST)
            continue;
        if (at == p->n || w->n > p->width.v[at].n) {
            *next = at == p->n ? *next : p->width.v[at].n;
            at = i;
        } else if (w->n > *next) {
            *next = w->n;
        }
    }
    return at;
}

/* The widest columns are shortened until a row fits the terminal. */
static void fit(struct az_query_printer *p)
{
    size_t all = 0, next;

    for (size_t i = 0; i < p->n; i++) {
        const size_t n = p->width.v[i].n;
        all += (i ? 2 : 0) + (i + 1 == p->n && n > LAST_MOST ? LAST_MOST : n);
    }
    for (size_t i; all > p->columns && (i = widest(p, &next)) < p->n;) {
        struct width *w = &p->width.v[i];
        const size_t enough = w->n - (all - p->columns < w->n ? all - p->columns : w->n),
                     step = next < w->n ? next : w->n - 1, to = enough > step ? enough : step;
        all -= w->n - to;
        w->n = to;
        w->cut = true;
    }
}

static void put_blanks(struct az_query_printer *p, size_t n)
{
    while (n-- > 0)
        az_text_add(&p->text, AZ_SV(" "));
}

static int put_line(struct az_query_printer *p, const struct az_sv *cells)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct width *w = &p->width.v[i];
        const bool cut = w->cut && az_utf8_width(cells[i]) > w->n;
        const struct az_sv cell = cut ? shorten(p, cells[i], w->n) : cells[i];
        const size_t has = az_utf8_width(cell), more = w->n > has ? w->n - has : 0;
        put_blanks(p, (i ? 2 : 0) + (w->number ? more : 0));
        az_text_add(&p->text, cell);
        if (!w->number && i + 1 < p->n)
            put_blanks(p, more);
    }
    az_text_add(&p->text, AZ_SV("\n"));
    return flush(p, GATHER);
}

/* The stored rows; those after them go out as they come. */
static int let_go(struct az_query_printer *p)
{
    int rc = 0;

    p->flowing = true;
    if (p->columns)
        fit(p);
    for (size_t i = 0; rc == 0 && p->n && i < p->held.n / p->n; i++)
        rc = put_line(p, p->held.v + i * p->n);
    az_vec_reset(&p->held);
    return rc;
}

static int text_row(struct az_query_printer *p, const struct az_cell *cells, size_t n)
{
    int rc = 0;

    if (p->flowing) {
        az_arena_reset(&p->texts);
        az_vec_reset(&p->held);
    }
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_sv s = shown(p, &cells[i]);
        const size_t has = az_utf8_width(s);
        rc = s.p ? az_vec_push(&p->held, s) : AZ_ENOMEM;
        if (p->flowing)
            continue;
        p->width.v[i].n = has > p->width.v[i].n ? has : p->width.v[i].n;
        p->width.v[i].number &= cells[i].type != AZ_TEXT;
    }
    if (rc == 0 && p->flowing)
        return put_line(p, p->held.v);
    return rc == 0 && p->rows == LOOKED_AT ? let_go(p) : rc;
}

static int text_begin(struct az_query_printer *p, const struct az_query_column *columns, size_t n)
{
    int rc = 0;

    p->flowing = false;
    az_arena_reset(&p->texts);
    az_vec_reset(&p->held);
    az_vec_reset(&p->width);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_sv name =
            az_arena_dup(&p->texts, az_utf8_printable(&p->texts, columns[i].name, ""));
        rc = name.p ? az_vec_push(&p->held, name) : AZ_ENOMEM;
        if (rc == 0)
            rc = az_vec_push(&p->width,
                             ((struct width){ .n = az_utf8_width(name), .number = true }));
    }
    return rc;
}

/* ---- CSV ---- */

static void write_csv(struct az_query_printer *p, struct az_sv text, const char *allowed)
{
    if (p->error == 0)
        p->error = az_csv_quote(&p->text, az_utf8_printable(&p->texts, text, allowed), ',');
}

static int csv_row(struct az_query_printer *p, const struct az_cell *cells, size_t n)
{
    char number[AZ_NUM_MAX];

    az_arena_reset(&p->texts);
    for (size_t i = 0; i < n; i++) {
        if (i)
            az_text_add(&p->text, AZ_SV(","));
        if (cells[i].type == AZ_TEXT)
            write_csv(p, az_cell_text(&cells[i]), "\t");
        else
            az_text_add(&p->text, az_cell_exact(&cells[i], number));
    }
    az_text_add(&p->text, AZ_SV("\n"));
    return flush(p, GATHER);
}

static int csv_begin(struct az_query_printer *p, const struct az_query_column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            az_text_add(&p->text, AZ_SV(","));
        write_csv(p, columns[i].name, "");
    }
    az_text_add(&p->text, AZ_SV("\n"));
    return flush(p, SIZE_MAX);
}

/* ---- JSON ---- */

static int json_row(struct az_query_printer *p, const struct az_cell *cells, size_t n)
{
    struct az_jsonw w;

    az_text_add(&p->text, p->rows > 1 ? AZ_SV(",\n") : AZ_SV("\n"));
    az_arena_reset(&p->texts);
    az_jsonw_init(&w, NULL, &p->text, 0);
    az_jsonw_array(&w);
    for (size_t i = 0; i < n; i++) {
        if (cells[i].type == AZ_TEXT)
            az_jsonw_text(&w, az_utf8_printable(&p->texts, az_cell_text(&cells[i]), "\t\n"));
        else if (cells[i].type == AZ_INT)
            az_jsonw_i64(&w, cells[i].i);
        else if (cells[i].type == AZ_REAL)
            az_jsonw_f64(&w, cells[i].f);
        else
            az_jsonw_null(&w);
    }
    az_jsonw_end_array(&w);
    const int rc = az_jsonw_finish(&w);
    p->error = p->error ? p->error : rc;
    return flush(p, GATHER);
}

static int json_begin(struct az_query_printer *p, const struct az_query_column *columns, size_t n)
{
    az_text_add(&p->text, AZ_SV("{\"columns\":["));
    for (size_t i = 0; i < n; i++) {
        if (i)
            az_text_add(&p->text, AZ_SV(","));
        az_text_quoted(&p->text, columns[i].name);
    }
    az_text_add(&p->text, AZ_SV("],\"rows\":["));
    return flush(p, SIZE_MAX);
}

/* ---- the sink ---- */

static int begin(void *ctx, const struct az_query_column *columns, size_t n)
{
    struct az_query_printer *p = ctx;

    p->n = n;
    p->rows = 0;
    p->cut = false;
    p->error = 0;
    return p->form == AZ_QUERY_CSV    ? csv_begin(p, columns, n)
           : p->form == AZ_QUERY_JSON ? json_begin(p, columns, n)
                                      : text_begin(p, columns, n);
}

static int print_row(void *ctx, const struct az_cell *cells, size_t n)
{
    struct az_query_printer *p = ctx;

    p->rows++;
    return p->form == AZ_QUERY_CSV    ? csv_row(p, cells, n)
           : p->form == AZ_QUERY_JSON ? json_row(p, cells, n)
                                      : text_row(p, cells, n);
}

static int end_rows(void *ctx, bool cut)
{
    struct az_query_printer *p = ctx;

    p->cut = cut;
    if (p->form == AZ_QUERY_TEXT && !p->flowing)
        (void)let_go(p); /* its error is the printer's */
    if (p->form == AZ_QUERY_JSON)
        az_text_format(&p->text, "%s],\"cut\":%s}\n", p->rows ? "\n" : "", cut ? "true" : "false");
    return flush(p, 0);
}

struct az_query_sink az_query_printer_sink(struct az_query_printer *p)
{
    return (struct az_query_sink){ begin, print_row, end_rows, p };
}
