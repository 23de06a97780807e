/* Tables: building, reading, sorting. */
#include "document/table.h"

#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "document/rows.h"
#include "document/text_table_spec.h"

enum dimension {
    DIM_NONE,
    DIM_ID,
    DIM_COUNT,
    DIM_TIME,
    DIM_BYTES,
    DIM_PERCENT,
    DIM_RATIO,
    DIM_FLOP,
    DIM_BYTE_RATE,
    DIM_FLOP_RATE,
    DIM_INTENSITY,
    DIM_RATE
};

static const struct unit_row {
    const char *text;
    double base;
    enum dimension dim;
} units[] = {
    [AZ_UNIT_NONE] = { "", 1, DIM_NONE },
    [AZ_UNIT_ID] = { "", 1, DIM_ID },
    [AZ_UNIT_COUNT] = { "", 1, DIM_COUNT },
    [AZ_UNIT_PS] = { "ps", 1e-12, DIM_TIME },
    [AZ_UNIT_NS] = { "ns", 1e-9, DIM_TIME },
    [AZ_UNIT_US] = { "us", 1e-6, DIM_TIME },
    [AZ_UNIT_MS] = { "ms", 1e-3, DIM_TIME },
    [AZ_UNIT_S] = { "s", 1, DIM_TIME },
    [AZ_UNIT_BYTES] = { "B", 1, DIM_BYTES },
    [AZ_UNIT_KB] = { "KB", 1e3, DIM_BYTES },
    [AZ_UNIT_MB] = { "MiB", 1024.0 * 1024.0, DIM_BYTES }, /* "(MB)" in names of TraceLens */
    [AZ_UNIT_GB] = { "GB", 1e9, DIM_BYTES },
    [AZ_UNIT_PERCENT] = { "%", 1, DIM_PERCENT },
    [AZ_UNIT_RATIO] = { "", 1, DIM_RATIO },
    [AZ_UNIT_FLOP] = { "FLOP", 1, DIM_FLOP },
    [AZ_UNIT_GFLOP] = { "GFLOP", 1e9, DIM_FLOP },
    [AZ_UNIT_GBPS] = { "GB/s", 1e9, DIM_BYTE_RATE },
    [AZ_UNIT_TBPS] = { "TB/s", 1e12, DIM_BYTE_RATE },
    [AZ_UNIT_TFLOPS] = { "TFLOP/s", 1e12, DIM_FLOP_RATE },
    [AZ_UNIT_FLOP_PER_BYTE] = { "FLOP/B", 1, DIM_INTENSITY },
    [AZ_UNIT_PER_S] = { "1/s", 1, DIM_RATE },
};

static const struct unit_row *unit_row(enum az_unit u)
{
    return (unsigned)u < AZ_LENGTH(units) ? &units[u] : &units[AZ_UNIT_NONE];
}

const char *az_unit_text(enum az_unit u) { return unit_row(u)->text; }
double az_unit_base(enum az_unit u) { return unit_row(u)->base; }
bool az_unit_same_dimension(enum az_unit a, enum az_unit b)
{
    return unit_row(a)->dim == unit_row(b)->dim;
}

/* ---- building ---- */
static void fail_table(struct az_table *t, int code)
{
    if (t && !t->error)
        t->error = code;
}

struct az_table *az_table_new(struct az_arena *arena, const char *id, const char *title,
                              unsigned flags)
{
    struct az_table *t = az_arena_alloc(arena, sizeof *t);

    if (!t)
        return NULL;
    *t = (struct az_table){ .flags = flags, .arena = arena, .mem = arena->mem };
    t->id = az_arena_dup(arena, az_sv_str(id));
    t->title = az_arena_dup(arena, az_sv_str(title));
    az_vec_init(&t->columns, t->mem);
    az_vec_init(&t->cells, t->mem);
    return t->id.p && t->title.p ? t : NULL;
}

void az_table_free(struct az_table *t)
{
    if (!t)
        return;
    if (t->layout) {
        az_vec_release(&t->layout->before);
        az_vec_release(&t->layout->after);
    }
    if (t->form) {
        az_vec_release(&t->form->before);
        az_vec_release(&t->form->after);
        t->form = NULL;
    }
    az_vec_release(&t->columns);
    az_vec_release(&t->cells);
    t->rows = t->at = 0;
}

void az_table_columnsv(struct az_table *t, struct az_sv name, enum az_cell_type type,
                       enum az_unit unit, unsigned flags)
{
    struct az_column c = { .type = type, .unit = unit, .flags = flags };

    if (!t)
        return;
    if (t->cells.n > 0) {
        fail_table(t, AZ_EINTERNAL);
        return;
    }
    c.name = az_arena_dup(t->arena, name);
    if (!c.name.p) {
        fail_table(t, az_arena_error(t->arena));
        return;
    }
    int rc = az_vec_push(&t->columns, c);
    if (rc)
        fail_table(t, rc);
}

void az_table_column(struct az_table *t, const char *name, enum az_cell_type type,
                     enum az_unit unit, unsigned flags)
{
    az_table_columnsv(t, az_sv_str(name), type, unit, flags);
}

void az_table_width(struct az_table *t, int title_width, int width, int decimals)
{
    if (t->columns.n == 0) {
        fail_table(t, AZ_EINTERNAL);
        return;
    }
    struct az_column *c = &t->columns.v[t->columns.n - 1];
    c->title_width = title_width;
    c->width = width;
    c->decimals = decimals;
}

struct az_layout *az_table_layout(struct az_table *t)
{
    if (t->layout)
        return t->layout;
    t->layout = az_arena_alloc(t->arena, sizeof *t->layout);
    if (!t->layout) {
        fail_table(t, az_arena_error(t->arena));
        return NULL;
    }
    az_vec_init(&t->layout->before, t->mem);
    az_vec_init(&t->layout->after, t->mem);
    return t->layout;
}

/* May a cell of this type be in a column of that type? (az_put_i64 makes reals of integers for real
 * columns.) */
static bool is_cell_allowed(enum az_cell_type column, enum az_cell_type cell)
{
    return cell == AZ_EMPTY || cell == column;
}

/* Room for one more cell; apart from what is done for each. */
static __attribute__((noinline)) bool grow(struct az_table *t)
{
    const int rc = az_vec_reserve(&t->cells, 1);
    if (rc)
        fail_table(t, rc);
    return rc == 0;
}

static inline void put_cell(struct az_table *t, struct az_cell c)
{
    if (!t || t->error)
        return;
    if (t->at >= t->columns.n || !is_cell_allowed(t->columns.v[t->at].type, c.type)) {
        fail_table(t, AZ_EINTERNAL);
        return;
    }
    if (t->cells.n == t->cells.cap && !grow(t))
        return;
    t->cells.v[t->cells.n++] = c;
    if (++t->at == t->columns.n) {
        t->at = 0;
        t->rows++;
    }
}

void az_put_cell(struct az_table *t, struct az_cell c) { put_cell(t, c); }

void az_put_text(struct az_table *t, struct az_sv s)
{
    if (t)
        put_cell(t, az_cell_of_text(t, s));
}

void az_put_copy(struct az_table *t, struct az_sv s)
{
    struct az_sv own = t ? az_arena_dup(t->arena, s) : s;

    if (own.p)
        az_put_text(t, own);
    else
        fail_table(t, az_arena_error(t->arena));
}

void az_put_optional(struct az_table *t, struct az_sv s)
{
    if (s.n)
        az_put_text(t, s);
    else
        az_put_empty(t);
}

void az_put_optional_copy(struct az_table *t, struct az_sv s)
{
    if (s.n)
        az_put_copy(t, s);
    else
        az_put_empty(t);
}

void az_put_i64(struct az_table *t, int64_t x)
{
    if (t && t->at < t->columns.n && t->columns.v[t->at].type == AZ_REAL)
        put_cell(t, (struct az_cell){ .type = AZ_REAL, .f = (double)x });
    else
        put_cell(t, (struct az_cell){ .type = AZ_INT, .i = x });
}

void az_put_known(struct az_table *t, int64_t x)
{
    if (x >= 0)
        az_put_i64(t, x);
    else
        az_put_empty(t);
}

void az_put_f64(struct az_table *t, double x) { put_cell(t, az_cell_of_f64(x)); }

void az_put_bool(struct az_table *t, bool x)
{
    put_cell(t, (struct az_cell){ .type = AZ_BOOL, .b = x });
}
void az_put_empty(struct az_table *t) { put_cell(t, (struct az_cell){ .type = AZ_EMPTY }); }

void az_table_reserve(struct az_table *t, size_t rows)
{
    size_t cells;
    if (!t || t->error)
        return;
    if (!az_size_mul(rows, t->columns.n, &cells))
        t->error = AZ_ERANGE;
    else
        t->error = az_vec_reserve(&t->cells, cells);
}

void az_table_append(struct az_table *t, const struct az_table *from)
{
    az_table_reserve(t, from->rows);
    if (t->error == 0)
        t->error = from->error;
    for (size_t i = 0; t->error == 0 && i < from->rows * from->columns.n; i++)
        put_cell(t, from->cells.v[i]);
}

int az_table_finish(struct az_table *t)
{
    if (!t->error && t->at != 0)
        t->error = AZ_EINTERNAL;
    return t->error;
}

/* ---- reading ---- */
double az_cell_number(const struct az_cell *c)
{
    switch (c->type) {
    case AZ_INT:
        return (double)c->i;
    case AZ_REAL:
        return c->f;
    case AZ_BOOL:
        return c->b ? 1 : 0;
    case AZ_EMPTY:
    case AZ_TEXT:
        break;
    }
    return (double)NAN;
}

struct az_sv az_cell_exact(const struct az_cell *c, char *buf)
{
    switch (c->type) {
    case AZ_TEXT:
        return az_sv_make(c->s, c->len);
    case AZ_INT:
        return az_sv_make(buf, az_format_i64(c->i, buf));
    case AZ_REAL:
        return az_sv_make(buf, az_format_f64(c->f, buf));
    case AZ_BOOL:
        return c->b ? AZ_SV("True") : AZ_SV("False");
    case AZ_EMPTY:
        break;
    }
    return AZ_SV("");
}

ptrdiff_t az_table_find(const struct az_table *t, const char *name)
{
    for (size_t i = 0; t && i < t->columns.n; i++) {
        if (az_sv_is(t->columns.v[i].name, name))
            return (ptrdiff_t)i;
    }
    return -1;
}

ptrdiff_t az_table_find_nocase(const struct az_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns.n; i++) {
        if (az_sv_ieq(t->columns.v[i].name, az_sv_str(name)))
            return (ptrdiff_t)i;
    }
    return -1;
}

/* ---- sorting ---- */
struct sort_ctx {
    const struct az_table *t;
    const int *keys;
    size_t n;
};

/* Ascending order of two cells that are not empty. Cells of one column have one type. */
static int compare_values(const struct az_cell *a, const struct az_cell *b)
{
    if (a->type == AZ_TEXT && b->type == AZ_TEXT)
        return az_sv_cmp(az_cell_text(a), az_cell_text(b));
    if (a->type == AZ_INT && b->type == AZ_INT)
        return (a->i > b->i) - (a->i < b->i);
    double x = az_cell_number(a), y = az_cell_number(b);
    return (x > y) - (x < y);
}

static int compare_rows(const void *pa, const void *pb, void *vctx)
{
    const struct sort_ctx *s = vctx;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

    for (size_t k = 0; k < s->n; k++) {
        bool down = s->keys[k] < 0;
        size_t col = down ? (size_t)(-s->keys[k] - 1) : (size_t)s->keys[k];
        const struct az_cell *x = az_table_at(s->t, a, col), *y = az_table_at(s->t, b, col);
        bool ex = x->type == AZ_EMPTY, ey = y->type == AZ_EMPTY;
        int c;
        if (ex || ey)
            c = (int)ex - (int)ey; /* empty last in both directions */
        else
            c = down ? compare_values(y, x) : compare_values(x, y);
        if (c)
            return c;
    }
    return 0;
}

static bool keys_valid(const struct az_table *t, const int *keys, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        long col = keys[k] < 0 ? -(long)keys[k] - 1 : keys[k];
        if ((size_t)col >= t->columns.n)
            return false;
    }
    return true;
}

/* Puts the rows into the order, where each of them is; `order` is used up, `spare` has room for
 * one.
 */
static void put_in_order(struct az_table *t, uint32_t *order, struct az_cell *spare)
{
    const size_t width = t->columns.n, bytes = width * sizeof *spare;

    for (uint32_t i = 0; i < t->rows; i++) {
        uint32_t to = i;
        if (order[i] == i)
            continue;
        memcpy(spare, t->cells.v + i * width, bytes);
        while (order[to] != i) { /* a row's place is free once it is copied */
            const uint32_t from = order[to];
            memcpy(t->cells.v + to * width, t->cells.v + from * width, bytes);
            order[to] = to;
            to = from;
        }
        memcpy(t->cells.v + to * width, spare, bytes);
        order[to] = to;
    }
}

int az_table_sort(struct az_table *t, const int *keys, size_t n)
{
    struct sort_ctx ctx = { t, keys, n };
    struct az_vec_u32 order;
    struct az_cells spare;
    int rc = 0;

    if (!t)
        return 0;
    if (t->error) /* a row may be incomplete */
        return t->error;
    if (!keys_valid(t, keys, n) || t->cells.n != t->rows * t->columns.n)
        return AZ_EINTERNAL;
    if (t->rows > UINT32_MAX)
        return AZ_ERANGE;
    if (t->rows < 2 || n == 0)
        return 0;
    az_vec_init(&order, t->mem);
    az_vec_init(&spare, t->mem);
    if ((rc = az_vec_reserve(&order, t->rows)) || (rc = az_vec_reserve(&spare, t->columns.n)))
        goto out;
    for (uint32_t i = 0; i < t->rows; i++)
        order.v[i] = i;
    az_sort_cmp(order.v, t->rows, sizeof order.v[0], compare_rows, &ctx, t->mem);
    put_in_order(t, order.v, spare.v);
out:
    az_vec_release(&order);
    az_vec_release(&spare);
    return rc;
}

void az_table_truncate(struct az_table *t, size_t n)
{
    if (!t || n >= t->rows || t->at != 0)
        return;
    t->rows = n;
    if (t->cells.n > n * t->columns.n)
        t->cells.n = n * t->columns.n;
}
