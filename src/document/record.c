#include "document/record.h"

#include <math.h>

#include "base/intern.h"
#include "base/num.h"
#include "document/rows.h"

enum { CRITERIA = 10 };

static void add_column(struct az_table *t, const struct az_record_column *c, struct az_sv name)
{
    if (!t)
        return;
    az_table_columnsv(t, name, c->type, c->unit, c->flags);
    if (!t->error)
        t->columns.v[t->columns.n - 1].record = c;
}

void az_record_columns_of(struct az_table *t, const struct az_record_column *c, size_t n,
                          const void *of)
{
    for (size_t i = 0; i < n; i++)
        if (!c[i].when || c[i].when(of))
            add_column(t, &c[i], az_sv_str(c[i].name));
}

void az_record_columns(struct az_table *t, const struct az_record_column *c, size_t n)
{
    az_record_columns_of(t, c, n, NULL);
}

void az_record_column_named(struct az_table *t, const struct az_record_column *c, struct az_sv name)
{
    add_column(t, c, name);
}

void az_record_column_nth(struct az_table *t, const struct az_record_column *c, struct az_sv name,
                          size_t nth)
{
    struct az_record_column *of = t ? az_arena_alloc(t->arena, sizeof *of) : NULL;
    if (of) {
        *of = *c;
        of->nth = (uint32_t)nth;
        add_column(t, of, name);
    } else if (t && !t->error) {
        t->error = az_arena_error(t->arena);
    }
}

ptrdiff_t az_record_place(const struct az_table *t, const struct az_record_column *c)
{
    for (size_t i = 0; t && i < t->columns.n; i++)
        if (t->columns.v[i].record == c)
            return (ptrdiff_t)i;
    return -1;
}

struct az_table *az_record_table(struct az_arena *arena, const char *id, const char *title,
                                 unsigned flags, const struct az_record_column *c, size_t n,
                                 const void *of)
{
    struct az_table *t = az_table_new(arena, id, title, flags);
    az_record_columns_of(t, c, n, of);
    return t;
}

/* What a pointer in the record points to; via: its offset + 1, 0: the record itself. */
static const char *base_of(const char *record, uint32_t via)
{
    return via ? *(const char *const *)(const void *)(record + via - 1) : record;
}

/* How many of what a number counts are one of the column's unit. */
static int64_t per_unit(const struct az_record_column *c, const char *record)
{
    int64_t per_ns = c->ps ? 1000 : 1;
    if (c->ticks_via)
        per_ns = *(const int64_t *)(const void *)(base_of(record, c->ticks_via) + c->ticks_at);
    switch (c->unit) {
    case AZ_UNIT_US:
        return 1000 * per_ns;
    case AZ_UNIT_MS:
        return 1000000 * per_ns;
    case AZ_UNIT_S:
        return 1000000000 * per_ns;
    default:
        return per_ns;
    }
}

/* Cells of a row are made one by one in a loop that tables of millions of rows spend their time in:
 * all of it is one function. */
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS struct az_cell integer_cell(const struct az_record_column *c, const char *record, int64_t x,
                                   bool unknown)
{
    if (x == INT64_MIN || (c->known && unknown))
        return az_empty_cell;
    if (c->type == AZ_REAL)
        return az_cell_of_f64(az_quotient(x, per_unit(c, record)));
    return c->type == AZ_BOOL ? (struct az_cell){ .type = AZ_BOOL, .b = x != 0 }
                              : (struct az_cell){ .type = AZ_INT, .i = x };
}

ALWAYS struct az_cell real_cell(const struct az_record_column *c, const char *record, double x)
{
    if (c->ns || c->ps || c->ticks_via)
        return az_cell_of_f64(x / (double)per_unit(c, record));
    return az_cell_of_f64(c->scale != 0 ? x * c->scale : x);
}

ALWAYS struct az_cell text_cell(struct az_table *t, const struct az_record_column *c,
                                struct az_sv x)
{
    if (c->known && x.n == 0 && (x.p || !t->arena->failed))
        return az_empty_cell;
    if (!c->copy)
        return az_cell_of_text(t, x);
    const struct az_sv own = az_arena_dup(t->arena, x);
    if (!own.p)
        t->error = t->error ? t->error : az_arena_error(t->arena);
    return az_cell_of_text(t, own);
}

ALWAYS struct az_cell field_cell(struct az_table *t, const struct az_record_column *c,
                                 const char *record, const void *field)
{
    switch (c->kind) {
    case AZ_FIELD_I64:
        return integer_cell(c, record, *(const int64_t *)field, *(const int64_t *)field < 0);
    case AZ_FIELD_I32:
        return integer_cell(c, record, *(const int32_t *)field, *(const int32_t *)field < 0);
    case AZ_FIELD_U32:
        return integer_cell(c, record, *(const uint32_t *)field,
                            *(const uint32_t *)field == AZ_NO_ID);
    case AZ_FIELD_F64:
        return real_cell(c, record, *(const double *)field);
    case AZ_FIELD_BOOL:
        return (struct az_cell){ .type = AZ_BOOL, .b = *(const bool *)field };
    case AZ_FIELD_TEXT:
        return text_cell(t, c, *(const struct az_sv *)field);
    case AZ_FIELD_WORD:
        return text_cell(t, c, az_sv_str(*(const char *const *)field));
    default:
        return az_empty_cell;
    }
}

static bool puts_cells(const struct az_record_column *c)
{
    return c && (c->kind != AZ_FIELD_NONE || c->integer || c->real || c->integer_nth ||
                 c->real_nth || c->text);
}

/* Of a column that puts its cells. */
ALWAYS struct az_cell cell_of(struct az_table *t, const struct az_record_column *c,
                              const char *record)
{
    if (c->kind != AZ_FIELD_NONE) {
        const char *base = base_of(record, c->via);
        return base ? field_cell(t, c, record, base + c->at + (size_t)c->nth * c->step)
                    : az_empty_cell;
    }
    if (c->integer) {
        const int64_t x = c->integer(record);
        return integer_cell(c, record, x, x < 0);
    }
    if (c->real)
        return real_cell(c, record, c->real(record));
    if (c->integer_nth) {
        const int64_t x = c->integer_nth(record, c->nth);
        return integer_cell(c, record, x, x < 0);
    }
    if (c->real_nth)
        return real_cell(c, record, c->real_nth(record, c->nth));
    return text_cell(t, c, c->text(record, t->arena));
}

/* false: the caller puts it. */
static bool put_cell(struct az_table *t, const struct az_record_column *c, const char *record)
{
    if (!puts_cells(c))
        return false;
    const struct az_cell cell = cell_of(t, c, record);
    if (!t->error)
        az_put_cell(t, cell);
    return true;
}

void az_put_row(struct az_table *t, const void *record)
{
    const size_t n = t ? t->columns.n : 0;
    for (size_t i = t ? t->at : 0; i < n && !t->error; i++)
        if (!put_cell(t, t->columns.v[i].record, record))
            break;
}

void az_put_cells(struct az_table *t, size_t n, const void *record)
{
    for (; t && n > 0 && !t->error; n--) {
        if (!record)
            az_put_empty(t);
        else if (!put_cell(t, t->columns.v[t->at].record, record))
            t->error = AZ_EINTERNAL;
    }
}

void az_put_columns(struct az_table *t, const struct az_record_column *c, size_t n,
                    const void *record)
{
    size_t left = t ? t->columns.n - t->at : 0; /* a full row begins the next */
    for (; left > 0 && !t->error; left--) {
        const struct az_record_column *own = t->columns.v[t->at].record;
        if (own < c || own >= c + n || !put_cell(t, own, record))
            break;
    }
}

/* Cells of one column for all records. */
struct filling {
    struct az_table *t;
    const struct az_column *column;
    struct az_cell *to;
    const char *records;
    size_t n, size;
};

/* Integers as they are, or as times: most columns of long tables. */
static bool fill_integers(const struct filling *f)
{
    const struct az_record_column *c = f->column->record;
    const bool narrow = c->kind == AZ_FIELD_U32, real = c->type == AZ_REAL;
    const size_t step = f->t->columns.n, offset = c->at + (size_t)c->nth * c->step;
    const char *record = f->records;
    struct az_cell *to = f->to;
    if ((c->kind != AZ_FIELD_I64 && !narrow) || c->type != f->column->type || c->ticks_via ||
        (c->type != AZ_INT && !real))
        return false;
    const int64_t unit = real ? per_unit(c, record) : 1, none = narrow ? AZ_NO_ID : INT64_MIN,
                  least = c->known && !narrow ? 0 : INT64_MIN;
    for (size_t i = 0; i < f->n; i++, record += f->size, to += step) {
        const char *at = base_of(record, c->via);
        *to = az_empty_cell;
        if (!at)
            continue;
        at += offset;
        const int64_t x =
            narrow ? *(const uint32_t *)(const void *)at : *(const int64_t *)(const void *)at;
        if (x < least || (x == none && (c->known || !narrow)))
            continue;
        *to = real ? az_cell_of_f64(az_quotient(x, unit))
                   : (struct az_cell){ .type = AZ_INT, .i = x };
    }
    return true;
}

static void fill_column(const struct filling *f)
{
    struct az_table *t = f->t;
    const struct az_record_column *c = f->column->record;
    const char *record = f->records;
    struct az_cell *to = f->to;
    if (fill_integers(f))
        return;
    for (size_t i = 0; i < f->n; i++, record += f->size, to += t->columns.n) {
        const struct az_cell cell = cell_of(t, c, record);
        if (cell.type != AZ_EMPTY && cell.type != f->column->type && !t->error)
            t->error = AZ_EINTERNAL;
        *to = cell;
    }
}

/* Whole rows, where the records have all of their cells. */
static bool put_blocks(struct az_table *t, const void *records, size_t n, size_t size)
{
    const size_t columns = t->columns.n;
    size_t cells;
    for (size_t i = 0; i < columns; i++)
        if (!puts_cells(t->columns.v[i].record))
            return false;
    if (t->error || t->at || columns == 0 || !az_size_mul(n, columns, &cells))
        return false;
    if ((t->error = az_vec_reserve(&t->cells, cells)) != 0)
        return true;
    for (size_t i = 0; i < columns && !t->error; i++)
        fill_column(&(struct filling){ t, &t->columns.v[i], t->cells.v + t->cells.n + i, records, n,
                                       size });
    if (t->error)
        return true;
    t->cells.n += cells;
    t->rows += n;
    return true;
}

void az_put_rows(struct az_table *t, const void *records, size_t n, size_t size)
{
    if (!t || n == 0 || put_blocks(t, records, n, size))
        return;
    for (size_t i = 0; i < n; i++)
        az_put_row(t, (const char *)records + i * size);
}

static int64_t whole_number(double x) { return isnan(x) || fabs(x) > 9e18 ? 0 : llround(x); }

void az_record_get(const struct az_table *t, size_t row, const struct az_record_column *c, size_t n,
                   void *record)
{
    static const struct az_cell none = { .type = AZ_EMPTY };
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t at = az_table_find(t, c[i].name);
        const struct az_cell *cell = at < 0 ? &none : az_table_at(t, row, (size_t)at);
        void *field = (char *)record + c[i].at;
        if (c[i].via)
            continue;
        if (c[i].kind == AZ_FIELD_I64)
            *(int64_t *)field = whole_number(az_cell_number(cell));
        else if (c[i].kind == AZ_FIELD_F64)
            *(double *)field = az_cell_number(cell);
        else if (c[i].kind == AZ_FIELD_TEXT)
            *(struct az_sv *)field = az_cell_text(cell);
    }
}

int az_record_sort(struct az_table *t)
{
    int keys[CRITERIA];
    size_t n = 0;
    for (int place = 1; t && place <= CRITERIA; place++) {
        for (size_t i = 0; i < t->columns.n; i++) {
            const int sort = t->columns.v[i].record ? t->columns.v[i].record->sort : 0;
            if (sort == place)
                keys[n++] = (int)i;
            else if (sort == -place)
                keys[n++] = -(int)i - 1;
        }
    }
    return az_table_sort(t, keys, n);
}
