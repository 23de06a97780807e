/* One table as aligned columns that fit the width: names are shortened first, headers broken over
 * two lines, texts truncated, and only then columns skipped, the least important first. */
#include <stdio.h>

#include "base/env.h"
#include "base/utf8.h"
#include "document/schema.h"
#include "reports/shared/fields.h"
#include "reports/shared/words.h"
#include "reports/text/text.h"
#include "text/names.h"

enum {
    INDENT = 2,
    GAP = 2,           /* blanks between columns */
    LEAST_MAIN = 24,   /* the widest text column is not squeezed below this */
    LEAST_SCREEN = 36, /* nor below this on the first screen, */
    FEW_COLUMNS = 4,   /* where more than so many are shown */
    LEAST_TEXT = 12,
    LEAST_KEY = 16,
    LEAST_ONE = 30,      /* the only key */
    LEAST_SENTENCE = 56, /* of a block */
    MOST_TEXT = 100,     /* of any text column */
    MOST_NAMES = 500,    /* of a column that are compared */
    MOST_COMPARED = 32,  /* rows, of which some may look the same */
    MOST_VALUE = 40,     /* of a text in a note */
    HEADER_LINES = 3,    /* at most */
    KEEP = 6             /* columns of this importance and above go first */
};

struct field { /* a column that is shown */
    size_t col;
    struct az_scale scale;
    struct az_sv header;
    size_t header_width; /* of its longest line */
    size_t cells, width; /* of the widest cell; of the column */
    unsigned importance; /* the largest is skipped first */
    bool start;          /* shown as a time after the trace's first event */
    struct az_sv *name;  /* its cells, if they are texts, left-justified; NULL: numbers */
};
struct view {
    const struct az_table *t;
    int64_t origin_ns; /* starts are shown after it; -1: as they are */
    struct field *field;
    size_t n, rows;
    size_t left_out; /* columns that did not fit */
    size_t whole;    /* width of the table with all of them */
    bool broken;     /* headers need several lines */
    bool screen;     /* columns are in the order of their importance */
};

/* End of a line: no blanks before the break. */
static void end_row(struct az_textout *o)
{
    while (o->out->n && o->out->v[o->out->n - 1] == ' ')
        o->out->n--;
    az_textout_put(o, AZ_SV("\n"));
}

static struct az_sv shown(const struct view *v, const struct field *f, size_t row, char *buf)
{
    const struct az_cell c = az_field_after_origin(az_table_at(v->t, row, f->col),
                                                   &v->t->columns.v[f->col], v->origin_ns);

    if (f->name)
        return f->name[row];
    return az_field_number(&c, &v->t->columns.v[f->col],
                           az_field_scale_row(v->t, row, f->col, f->scale), buf);
}

/* ---- headers ---- */

/* Where the first line of a header ends if it may have `width` columns: after a blank or `_`. */
static size_t header_end(struct az_sv s, size_t width)
{
    size_t end = 0;

    if (az_utf8_width(s) <= width)
        return s.n;
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[i - 1] != ' ' && s.p[i - 1] != '_')
            continue;
        if (end && az_utf8_width(az_sv_trim(az_sv_make(s.p, i))) > width)
            break;
        end = i;
    }
    return end ? end : s.n;
}

/* Its line of that number, broken for a width. */
static struct az_sv header_line(struct az_sv s, size_t width, size_t line)
{
    for (size_t i = 0; i < line && s.n; i++) {
        size_t end = header_end(s, width);
        s = az_sv_make(s.p + end, s.n - end);
    }
    return az_sv_trim(az_sv_make(s.p, line + 1 < HEADER_LINES ? header_end(s, width) : s.n));
}

/* Width of the longest line if it is broken for `width`. */
static size_t header_width(struct az_sv s, size_t width)
{
    size_t most = 0;

    for (size_t i = 0; i < HEADER_LINES; i++) {
        size_t w = az_utf8_width(header_line(s, width, i));
        most = w > most ? w : most;
    }
    return most;
}

static void header_rows(struct az_textout *o, const struct view *v)
{
    size_t lines = 1;

    for (size_t i = 0; v->broken && i < v->n; i++)
        for (size_t k = lines; k < HEADER_LINES; k++)
            if (header_line(v->field[i].header, v->field[i].width, k).n)
                lines = k + 1;
    for (size_t k = 0; k < lines; k++) {
        az_textout_pad(o, INDENT);
        for (size_t i = 0; i < v->n; i++) {
            const struct field *f = &v->field[i];
            struct az_sv s = f->header;
            if (v->broken) { /* short headers are at the bottom */
                size_t own = 1;
                while (own < lines && header_line(s, f->width, own).n)
                    own++;
                s = k + own < lines ? AZ_SV("") : header_line(s, f->width, k + own - lines);
            }
            s = az_utf8_fit(o->scratch, s, f->width, false);
            size_t w = az_utf8_width(s), pad = f->width > w ? f->width - w : 0;
            az_textout_pad(o, (i ? GAP : 0) + (f->name ? 0 : pad));
            az_textout_put(o, s);
            az_textout_pad(o, f->name ? pad : 0);
        }
        end_row(o);
    }
}

/* ---- fitting ---- */
static size_t total_width(const struct view *v)
{
    size_t sum = INDENT;

    for (size_t i = 0; i < v->n; i++)
        sum += v->field[i].width + (i ? GAP : 0);
    return sum;
}

static void set_widths(struct view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        struct field *f = &v->field[i];
        size_t head = az_utf8_width(f->header);
        size_t half = (head + 1) / 2;
        if ((v->t->flags & AZ_TABLE_ONE_UNIT) && half < LEAST_KEY) /* titles of inputs */
            half = LEAST_KEY;
        if (v->broken) /* two lines, or as narrow as its longest word */
            head = header_width(f->header, f->cells > half ? f->cells : half);
        f->width = f->cells > head ? f->cells : head;
    }
}

static void drop_one(struct view *v)
{
    size_t worst = 0;

    for (size_t i = 1; i < v->n; i++)
        if (v->field[i].importance >= v->field[worst].importance)
            worst = i;
    memmove(&v->field[worst], &v->field[worst + 1], (v->n - 1 - worst) * sizeof v->field[0]);
    v->n--;
    v->left_out++;
}

static bool is_key(const struct view *v, const struct field *f)
{
    return (v->t->columns.v[f->col].flags & AZ_KEY) != 0;
}

/* The widest text column above a width, keys or others; NULL: none. A key that is the only one has
 * more room. */
static struct field *widest_above(struct view *v, size_t least, bool keys, bool others)
{
    struct field *widest = NULL;
    size_t n_keys = 0;

    for (size_t i = 0; i < v->n; i++)
        n_keys += v->field[i].name && is_key(v, &v->field[i]);
    for (size_t i = 0; i < v->n; i++) {
        struct field *f = &v->field[i];
        const bool key = is_key(v, f);
        const size_t low = key && n_keys == 1 && least < LEAST_ONE ? LEAST_ONE : least;
        if (f->name && f->width > low && (key ? keys : others) &&
            (!widest || f->width > widest->width))
            widest = f;
    }
    return widest;
}

/* Narrows the widest text column: of all, then of those that are no keys, then of
 * keys. False: none can be narrower. */
static bool squeeze(struct view *v, size_t excess)
{
    const bool many = v->screen && v->n > FEW_COLUMNS;
    const size_t least = many ? LEAST_SCREEN : LEAST_MAIN;
    struct field *f = widest_above(v, least, true, true);

    if (f) { /* by halves: another may be the widest then */
        const size_t spare = f->width > least ? f->width - least : 1,
                     step = excess < spare ? excess : spare;
        f->width -= step > 8 ? step / 2 : 1;
        return true;
    }
    if (many) /* columns go before names that cannot be read */
        return false;
    f = widest_above(v, LEAST_TEXT, false, true);
    f = f ? f : widest_above(v, LEAST_KEY, true, false);
    if (f)
        f->width--;
    return f != NULL;
}

/* Widths with headers on several lines, and texts of at most that width. */
static void set_least_widths(struct view *v, size_t most)
{
    v->broken = true;
    set_widths(v);
    for (size_t i = 0; i < v->n; i++)
        if (v->field[i].name && v->field[i].width > most && v->n > 1)
            v->field[i].width = most;
}

static void fit_columns(struct view *v, size_t columns)
{
    const size_t most = MOST_TEXT < columns / 2 ? MOST_TEXT : columns / 2;

    set_widths(v);
    for (;;) {
        size_t total = total_width(v);
        if (total <= columns)
            return;
        if (!v->broken) {
            set_least_widths(v, MOST_TEXT);
            v->whole = total_width(v);
            set_least_widths(v, most);
            continue;
        }
        if (squeeze(v, total - columns))
            continue;
        if (v->n <= 1) {
            if (v->n && v->field[0].width > columns - INDENT)
                v->field[0].width = columns - INDENT;
            return;
        }
        drop_one(v);
        set_least_widths(v, most); /* others have the room */
    }
}

/* ---- blocks: a table whose columns go on below ---- */

/* Width that a column needs at least: names may be truncated, numbers not. */
static size_t least_width(const struct view *v, const struct field *f)
{
    return f->name && !is_key(v, f) && f->width > LEAST_SENTENCE ? LEAST_SENTENCE : f->width;
}

/* Is it the share of the metric at its left, or one of several shares, which stay together? */
static bool belongs(const struct view *v, size_t i)
{
    return i > 0 && (v->t->columns.v[v->field[i].col].flags & AZ_SHARE) &&
           !is_key(v, &v->field[i - 1]) && !v->field[i - 1].name;
}

/* The next columns, from `from` on, that fit next to the keys: at least one. */
static size_t block_end(const struct view *v, size_t from, size_t keys, size_t columns)
{
    size_t used = keys, end = from;

    for (size_t i = from; i < v->n; i++) {
        used += GAP + least_width(v, &v->field[i]);
        if (used > columns && end > from)
            break;
        if (used > columns && !belongs(v, i)) /* too wide by itself */
            return i > from ? i : from + 1;
        if (i + 1 == v->n || !belongs(v, i + 1))
            end = i + 1;
    }
    return end > from ? end : from + 1;
}

static void shrink(struct view *v, size_t columns)
{
    size_t total = total_width(v);

    while (total > columns && squeeze(v, total - columns))
        total = total_width(v);
}

/* ---- a view ---- */
static struct az_sv *names_of(struct az_textout *o, const struct view *v, size_t col)
{
    const bool plain = (v->t->flags & AZ_TABLE_BLOCKS) != 0; /* titles, sentences */
    /* rows that are not shown count, too: a name is to be the right one in the whole table */
    const size_t all = v->t->rows < MOST_NAMES ? v->t->rows : MOST_NAMES,
                 n = v->t->make || all < v->rows ? v->rows : all;
    struct az_sv *name = az_arena_array(o->scratch, n + 1, sizeof *name);

    for (size_t r = 0; name && r < n; r++)
        name[r] = az_field_line(o->scratch, az_cell_text(az_table_at(v->t, r, col)));
    if (name && az_sv_is(v->t->columns.v[col].stem, "path")) {
        az_text_paths(o, name, n);
        return name;
    }
    if (az_sv_is(v->t->columns.v[col].stem, "idle_cause")) {
        for (size_t r = 0; name && r < n; r++)
            name[r] = az_words_of(o->scratch, name[r]);
        return name;
    }
    for (size_t r = 0; name && !plain && r < n; r++)
        name[r] = az_name_plain(o->scratch, name[r]);
    if (name && !plain)
        az_names_shorten(o->scratch, name, n);
    return name;
}

static bool is_comparison(const struct az_table *t)
{
    for (size_t i = 0; i < t->columns.n; i++)
        if (t->columns.v[i].flags & AZ_COMPARED)
            return true;
    return false;
}

/* The largest is skipped first. Keys are needed most, then time, share and count; in a comparison
 * the first key and what is compared, then the other keys. */
static unsigned importance_of(const struct view *v, const struct az_column *c)
{
    bool time = az_unit_same_dimension(c->unit, AZ_UNIT_NS), percent = c->unit == AZ_UNIT_PERCENT,
         count = c->unit == AZ_UNIT_COUNT, first = true;

    if (c->flags & AZ_KEY)
        return v->n > 0 && is_comparison(v->t) ? 2 : 0;
    if (c->flags & AZ_COMPARED)
        return 1;
    for (size_t i = 0; i < v->n; i++) {
        const enum az_unit u = v->t->columns.v[v->field[i].col].unit;
        first &= !(time && az_unit_same_dimension(u, AZ_UNIT_NS)) && u != c->unit;
    }
    if (first && (time || percent || count))
        return time ? 3 : percent ? 4 : 5;
    return KEEP + (unsigned)v->n;
}

/* When in the trace something was. */
static bool is_start(const struct view *v, const struct az_column *c)
{
    return az_field_is_start(c, v->origin_ns);
}

static bool is_time(const struct az_table *t, const struct field *f)
{
    return !f->start && !f->name && az_unit_same_dimension(t->columns.v[f->col].unit, AZ_UNIT_NS);
}

static void set_header(struct az_textout *o, const struct view *v, struct field *f)
{
    const struct az_column *c = &v->t->columns.v[f->col];

    if ((v->t->flags & AZ_TABLE_BLOCKS) && c->unit == AZ_UNIT_PERCENT && (c->flags & AZ_SHARE)) {
        f->header = AZ_SV("%"); /* of the column at its left */
        return;
    }
    f->header =
        az_field_line(o->scratch, az_field_title_after(o->scratch, v->t, f->col,
                                                       f->name ? "" : f->scale.unit, v->origin_ns));
}

static void measure(const struct view *v, struct field *f)
{
    char buf[AZ_FIELD_MAX];

    f->cells = 0;
    for (size_t r = 0; r < v->rows; r++) {
        size_t w = az_utf8_width(shown(v, f, r, buf));
        f->cells = w > f->cells ? w : f->cells;
    }
}

static int add_field(struct az_textout *o, struct view *v, size_t col,
                     const struct az_screen_part *part)
{
    const struct az_column *c = &v->t->columns.v[col];
    struct field *f = &v->field[v->n];

    *f = (struct field){ .col = col, .scale = az_field_scale_read(v->t, col, v->rows) };
    f->start = is_start(v, c);
    if (f->start)
        f->scale = az_field_start_scale(v->t, col, v->rows, v->origin_ns);
    if (c->type == AZ_TEXT && !(f->name = names_of(o, v, col)))
        return az_arena_error(o->scratch);
    set_header(o, v, f);
    measure(v, f);
    f->importance = part ? (unsigned)v->n : importance_of(v, c);
    const bool empty_input = (v->t->flags & AZ_TABLE_ONE_UNIT) && c->unit != AZ_UNIT_PERCENT;
    if (f->cells || (c->flags & AZ_KEY) || empty_input) /* another empty column is no help */
        v->n++;
    return 0;
}

/* One unit for the times of a table, as far as each can be read in it. */
static void common_unit(struct az_textout *o, struct view *v)
{
    const struct az_table *t = v->t;
    const char *unit = "";
    double most = 0; /* the largest unit, in seconds */

    for (size_t i = 0; i < v->n; i++) {
        const struct field *f = &v->field[i];
        const double s = az_unit_base(t->columns.v[f->col].unit) * f->scale.divide;
        if (is_time(t, f) && s > most && az_field_largest(t, f->col, v->rows) > 0) {
            most = s;
            unit = f->scale.unit;
        }
    }
    for (size_t i = 0; i < v->n; i++) {
        struct field *f = &v->field[i];
        const double divide = most / az_unit_base(t->columns.v[f->col].unit),
                     largest = az_field_largest(t, f->col, v->rows);
        if (!is_time(t, f) || strcmp(unit, f->scale.unit) == 0 ||
            (largest > 0 && largest < divide / 10) || most <= 0)
            continue;
        f->scale = (struct az_scale){ divide, largest > 0 ? 3 : 0, unit };
        set_header(o, v, f);
        measure(v, f);
    }
}

static bool same_names(const struct field *f, size_t a, size_t b)
{
    return az_sv_eq(f->name[a], f->name[b]);
}

/* On the first screen a text stays by which rows of one name differ: they cannot be read without
 * it. */
static void keep_what_differs(struct view *v)
{
    const struct field *first = &v->field[0];

    for (size_t i = 1; v->screen && first->name && i < v->n; i++)
        for (size_t b = 1; v->field[i].name && b < v->rows; b++)
            for (size_t a = 0; a < b; a++)
                if (same_names(first, a, b) && !same_names(&v->field[i], a, b))
                    v->field[i].importance = first->importance;
}

static int make_view(struct az_textout *o, const struct az_table *t, size_t rows,
                     const struct az_screen_part *part, struct view *v)
{
    const size_t all = part && part->n ? part->n : t->columns.n;
    int rc = 0;

    *v =
        (struct view){ .t = t, .rows = rows < t->rows ? rows : t->rows, .origin_ns = o->origin_ns };
    v->screen = part && part->n;
    v->field = az_arena_array(o->scratch, all + 1, sizeof v->field[0]);
    if (!v->field)
        return az_arena_error(o->scratch);
    for (size_t i = 0; !rc && i < all; i++) {
        const size_t col = part && part->n ? part->col[i] : i;
        if (!(t->columns.v[col].flags & AZ_DETAIL) || (part && part->n) ||
            is_start(v, &t->columns.v[col]))
            rc = add_field(o, v, col, part && part->n ? part : NULL);
    }
    if (!(t->flags & AZ_TABLE_ONE_UNIT))
        common_unit(o, v);
    keep_what_differs(v);
    return rc;
}

static void cut_names(struct az_textout *o, struct view *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->field[i].name && v->field[i].cells > v->field[i].width)
            az_names_cut(o->scratch, v->field[i].name, v->rows, v->field[i].width);
}

/* Color of a change: worse is red, better is green. */
static const char *change_color(const struct az_table *t, size_t row, size_t col)
{
    int worse = az_field_worse(t, row, col);

    return worse > 0 ? AZ_TEXT_RED : worse < 0 ? AZ_TEXT_GREEN : NULL;
}

static void put_body(struct az_textout *o, const struct view *v)
{
    char buf[AZ_FIELD_MAX];

    for (size_t r = 0; r < v->rows; r++) {
        az_textout_pad(o, INDENT);
        for (size_t i = 0; i < v->n; i++) {
            const struct field *f = &v->field[i];
            struct az_sv s = az_utf8_fit(o->scratch, shown(v, f, r, buf), f->width, true);
            size_t w = az_utf8_width(s), pad = f->width > w ? f->width - w : 0;
            az_textout_pad(o, (i ? GAP : 0) + (f->name ? 0 : pad));
            az_textout_colored(o, change_color(v->t, r, f->col), s);
            az_textout_pad(o, f->name ? pad : 0);
        }
        end_row(o);
    }
}

static void put_more(struct az_textout *o, size_t rows, size_t columns, size_t whole)
{
    char line[160], part[80] = "", width[32] = "";

    if (!rows && !columns)
        return;
    if (rows)
        snprintf(part, sizeof part, "%zu more row%s%s", rows, rows == 1 ? "" : "s",
                 columns ? ", " : "");
    snprintf(line, sizeof line, "  ... %s", part);
    if (whole <= AZ_COLUMNS_MOST)
        snprintf(width, sizeof width, "COLUMNS=%zu or ", whole);
    if (columns)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%zu more column%s (%sCSV)",
                 columns, columns == 1 ? "" : "s", width);
    az_textout_colored(o, AZ_TEXT_DIM, az_sv_str(line));
    az_textout_put(o, AZ_SV("\n"));
}

void az_text_more(struct az_textout *o, size_t rows) { put_more(o, rows, 0, 0); }

/* The names of a block are truncated by themselves: the next one has the same keys. */
static bool own_names(struct az_textout *o, struct view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        struct az_sv *name =
            v->field[i].name ? az_arena_array(o->scratch, v->rows + 1, sizeof *name) : NULL;
        if (v->field[i].name && !name)
            return false;
        if (name && v->rows)
            memcpy(name, v->field[i].name, v->rows * sizeof *name);
        v->field[i].name = name;
    }
    return true;
}

static void blocks(struct az_textout *o, struct view *all)
{
    struct view v = *all;
    size_t keys = INDENT, n_keys = 0, from, to;

    all->broken = true;
    set_widths(all);
    while (n_keys < all->n && is_key(all, &all->field[n_keys])) {
        keys += all->field[n_keys].width + (n_keys ? GAP : 0);
        n_keys++;
    }
    for (from = n_keys; from < all->n && !o->error; from = to) {
        to = block_end(all, from, keys, o->columns);
        v = *all;
        v.n = n_keys + to - from;
        v.field = az_arena_array(o->scratch, v.n + 1, sizeof *v.field);
        if (!v.field) {
            o->error = az_arena_error(o->scratch);
            return;
        }
        memcpy(v.field, all->field, n_keys * sizeof *v.field);
        memcpy(v.field + n_keys, all->field + from, (to - from) * sizeof *v.field);
        shrink(&v, o->columns);
        if (!own_names(o, &v)) {
            o->error = az_arena_error(o->scratch);
            return;
        }
        cut_names(o, &v);
        if (from > n_keys)
            az_textout_put(o, AZ_SV("\n"));
        header_rows(o, &v);
        put_body(o, &v);
    }
}

static void put_note(struct az_textout *o, struct az_sv text)
{
    az_textout_pad(o, INDENT);
    az_textout_wrapped(o, az_field_line(o->scratch, text), INDENT, INDENT);
}

/* ---- rows that look the same ---- */

/* Do rows equal each other in all texts and ids that are shown? */
static bool same_row(const struct view *v, size_t a, size_t b)
{
    for (size_t i = 0; i < v->n; i++) {
        const struct field *f = &v->field[i];
        const struct az_cell *x = az_table_at(v->t, a, f->col), *y = az_table_at(v->t, b, f->col);
        if (f->name && !same_names(f, a, b))
            return false;
        if (!f->name && is_key(v, f) && (x->type != y->type || x->i != y->i))
            return false;
    }
    return true;
}

static bool is_printed(const struct view *v, size_t col)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->field[i].col == col)
            return true;
    return false;
}

/* A key of the table that is not shown and differs between the rows; -1: none. */
static ptrdiff_t key_that_differs(const struct view *v, size_t a, size_t b)
{
    const struct az_table *t = v->t;

    for (size_t c = 0; c < t->columns.n; c++)
        if ((t->columns.v[c].flags & AZ_KEY) && t->columns.v[c].type == AZ_TEXT &&
            !is_printed(v, c) &&
            !az_sv_eq(az_cell_text(az_table_at(t, a, c)), az_cell_text(az_table_at(t, b, c))))
            return (ptrdiff_t)c;
    return -1;
}

static struct az_sv short_value(struct az_textout *o, const struct az_cell *cell)
{
    const struct az_sv s = az_name_plain(o->scratch, az_field_line(o->scratch, az_cell_text(cell)));
    return s.n ? az_utf8_fit(o->scratch, s, MOST_VALUE, true) : AZ_SV("none");
}

/* The first two rows that look the same: the key in which they differ. */
static void note_equal_rows(struct az_textout *o, const struct view *v)
{
    const size_t rows = v->rows < MOST_COMPARED && !v->t->make ? v->rows : 0;

    for (size_t b = 1; b < rows; b++)
        for (size_t a = 0; a < b; a++) {
            const ptrdiff_t c = same_row(v, a, b) ? key_that_differs(v, a, b) : -1;
            if (c < 0)
                continue;
            put_note(o, az_arena_printf(o->scratch, "Equal rows differ in %.*s: %.*s; %.*s.",
                                        AZ_SVF(v->t->columns.v[c].stem),
                                        AZ_SVF(short_value(o, az_table_at(v->t, a, (size_t)c))),
                                        AZ_SVF(short_value(o, az_table_at(v->t, b, (size_t)c)))));
            return;
        }
}

void az_text_table(struct az_textout *o, const struct az_table *t, size_t rows,
                   const struct az_screen_part *part)
{
    struct view v;

    az_text_title(o, az_text_title_of(t), t->id);
    if (t->rows == 0) {
        az_textout_put(o, AZ_SV("  (none)\n"));
        return;
    }
    int rc = make_view(o, t, rows, part, &v);
    if (rc) {
        o->error = o->error ? o->error : rc;
        return;
    }
    if (t->flags & AZ_TABLE_BLOCKS) {
        blocks(o, &v);
    } else {
        fit_columns(&v, o->columns);
        cut_names(o, &v);
        header_rows(o, &v);
        put_body(o, &v);
        note_equal_rows(o, &v);
    }
    if (t->note.n)
        put_note(o, t->note);
    put_more(o, t->rows - v.rows, v.left_out, v.whole);
}
