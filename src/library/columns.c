/* Tables as columns: one array of 8 bytes per cell, a text in one block with offsets, a bit per
 * cell that has a value. The layout is that of Apache Arrow, so that other programs read it in
 * place. */
#include "library/columns.h"
#include "base/num.h"
#include "base/utf8.h"
#include "document/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(double) == sizeof(int64_t), "a number takes 8 bytes");

int az_columns_new(struct analyzer_columns **out, size_t n)
{
    struct analyzer_columns *c = az_mem_alloc(NULL, sizeof *c);

    *out = NULL;
    if (!c)
        return AZ_ENOMEM;
    *c = (struct analyzer_columns){ .owners = 1, .n = n };
    az_arena_init(&c->names, NULL);
    az_arena_init(&c->texts, NULL);
    c->v = az_arena_array(&c->names, n ? n : 1, sizeof *c->v);
    if (!c->v) {
        analyzer_columns_close(c);
        return AZ_ENOMEM;
    }
    for (size_t i = 0; i < n; i++)
        c->v[i] = (struct az_library_column){ .name = "", .unit = "" };
    *out = c;
    return AZ_OK;
}

int az_columns_name(struct analyzer_columns *c, size_t i, struct az_sv name, const char *unit,
                    enum az_cell_type declared)
{
    c->v[i].name = az_library_text(&c->names, name);
    c->v[i].unit = az_arena_str(&c->names, az_sv_str(unit));
    c->v[i].seen = 1U << declared;
    return c->names.failed ? AZ_ENOMEM : AZ_OK;
}

void az_columns_share(struct analyzer_columns *c) { atomic_fetch_add(&c->owners, 1); }

void analyzer_columns_close(struct analyzer_columns *c)
{
    if (!c || atomic_fetch_sub(&c->owners, 1) > 1)
        return;
    for (size_t i = 0; c->v && i < c->n; i++) {
        az_vec_release(&c->v[i].values);
        az_vec_release(&c->v[i].types);
        az_vec_release(&c->v[i].text);
        az_vec_release(&c->v[i].offsets);
        az_vec_release(&c->v[i].valid);
    }
    az_arena_release(&c->texts);
    az_arena_release(&c->names);
    az_mem_free(NULL, c, sizeof *c);
}

/* ---- filling ---- */

static int64_t bits_of(double x)
{
    int64_t out;
    memcpy(&out, &x, sizeof out);
    return out;
}

static double real_of(int64_t bits)
{
    double out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

/* A text is its end in the block of texts until the column is complete. */
static int add_cell(struct analyzer_columns *c, struct az_library_column *col,
                    const struct az_cell *cell)
{
    int64_t value = 0;
    int rc = az_vec_push(&col->types, (uint8_t)cell->type);

    if (cell->type == AZ_TEXT) {
        const struct az_sv clean = az_utf8_printable(&c->texts, az_cell_text(cell), "\t\n");
        rc = rc ? rc : clean.p ? az_text_append(&col->text, clean) : AZ_ENOMEM;
        value = (int64_t)col->text.n;
    } else if (cell->type == AZ_REAL) {
        value = bits_of(cell->f);
    } else if (cell->type != AZ_EMPTY) {
        value = cell->type == AZ_BOOL ? cell->b : cell->i;
    }
    col->seen |= 1U << cell->type;
    col->nulls += cell->type == AZ_EMPTY;
    return rc ? rc : az_vec_push(&col->values, value);
}

int az_columns_row(struct analyzer_columns *c, const struct az_cell *cells)
{
    int rc = AZ_OK;

    az_arena_reset(&c->texts);
    for (size_t i = 0; !rc && i < c->n; i++)
        rc = add_cell(c, &c->v[i], &cells[i]);
    c->rows += rc == AZ_OK;
    return rc;
}

/* The type that holds all values of a column: SQL results may mix them. Without any value: reals.
 */
static enum az_cell_type type_of(unsigned seen)
{
    if (seen & 1U << AZ_TEXT)
        return AZ_TEXT;
    if (seen & 1U << AZ_REAL)
        return AZ_REAL;
    if (seen & 1U << AZ_INT)
        return AZ_INT;
    return seen & 1U << AZ_BOOL ? AZ_BOOL : AZ_REAL;
}

static int mark_valid(struct az_library_column *col)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < col->types.n; i++) {
        if (i % 8 == 0)
            rc = az_vec_push(&col->valid, 0);
        if (!rc && col->types.v[i] != AZ_EMPTY)
            col->valid.v[i / 8] = (uint8_t)(col->valid.v[i / 8] | 1U << i % 8);
    }
    return rc;
}

/* A number in a column of texts, in its shortest form. */
static int print_number(struct az_vec_char *out, uint8_t type, int64_t value)
{
    char text[AZ_NUM_MAX];

    if (type == AZ_BOOL)
        return az_text_append(out, value ? AZ_SV("True") : AZ_SV("False"));
    if (type == AZ_REAL)
        return az_text_append(out, az_sv_make(text, az_format_f64(real_of(value), text)));
    return az_text_printf(out, "%lld", (long long)value);
}

/* Ends of texts become offsets; the block is rebuilt where numbers are among the texts. */
static int finish_texts(struct az_library_column *col)
{
    const bool mixed = (col->seen & (1U << AZ_INT | 1U << AZ_REAL | 1U << AZ_BOOL)) != 0;
    struct az_vec_char all;
    size_t from = 0;
    int rc = az_vec_push(&col->offsets, 0);

    az_vec_init(&all, NULL);
    for (size_t i = 0; !rc && i < col->values.n; i++) {
        const bool text = col->types.v[i] == AZ_TEXT;
        const size_t end = text ? (size_t)col->values.v[i] : from;
        if (mixed && text)
            rc = az_text_append(&all, az_sv_make(col->text.v + from, end - from));
        else if (mixed && col->types.v[i] != AZ_EMPTY)
            rc = print_number(&all, col->types.v[i], col->values.v[i]);
        from = end;
        if (!rc)
            rc = az_vec_push(&col->offsets, (int64_t)(mixed ? all.n : end));
    }
    if (mixed) {
        az_vec_release(&col->text);
        col->text = all;
    }
    az_vec_release(&col->values);
    return rc;
}

/* Reals have no value as NaN; booleans become a byte each, in the place of the types. */
static void finish_numbers(struct az_library_column *col)
{
    for (size_t i = 0; i < col->values.n; i++) {
        const uint8_t type = col->types.v[i];
        if (col->type == AZ_REAL && type != AZ_REAL)
            col->values.v[i] = bits_of(type == AZ_EMPTY ? (double)NAN : (double)col->values.v[i]);
        else if (col->type == AZ_BOOL)
            col->types.v[i] = col->values.v[i] != 0;
    }
}

int az_columns_finish(struct analyzer_columns *c)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < c->n; i++) {
        struct az_library_column *col = &c->v[i];
        col->type = type_of(col->seen);
        if (col->nulls)
            rc = mark_valid(col);
        if (!rc && col->type == AZ_TEXT)
            rc = finish_texts(col);
        else if (!rc)
            finish_numbers(col);
        if (col->type == AZ_BOOL)
            az_vec_release(&col->values);
        else
            az_vec_release(&col->types);
    }
    return rc;
}

/* ---- functions of analyzer.h ---- */

static int fill_columns(struct analyzer_columns *c, const struct az_table *t)
{
    struct az_rows rows;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < c->n; i++) {
        const struct az_column *col = &t->columns.v[i];
        rc = az_columns_name(c, i, col->name, az_unit_text(col->unit), col->type);
    }
    az_rows_open(&rows, t, NULL);
    for (size_t r = 0; !rc && r < t->rows; r++) {
        const struct az_cell *cells = az_rows_at(&rows, r);
        rc = cells ? az_columns_row(c, cells) : az_rows_error(&rows);
    }
    az_rows_close(&rows);
    return rc ? rc : az_columns_finish(c);
}

int analyzer_columns_open(const struct analyzer_table *t, struct analyzer_columns **out)
{
    int rc;

    if (out)
        *out = NULL;
    if (!t || !out)
        return ANALYZER_EUSAGE;
    rc = az_columns_new(out, t->t->columns.n);
    if (rc)
        return rc;
    rc = fill_columns(*out, t->t);
    if (rc) {
        analyzer_columns_close(*out);
        *out = NULL;
    }
    return rc;
}

size_t analyzer_columns_count(const struct analyzer_columns *c) { return c ? c->n : 0; }
size_t analyzer_columns_rows(const struct analyzer_columns *c) { return c ? c->rows : 0; }

int analyzer_columns_at(const struct analyzer_columns *c, size_t i, struct analyzer_column *out)
{
    const struct az_library_column *col;

    if (!c || !out || i >= c->n)
        return ANALYZER_EUSAGE;
    col = &c->v[i];
    *out = (struct analyzer_column){ .name = col->name,
                                     .unit = col->unit,
                                     .type = (int32_t)col->type,
                                     .nulls = col->nulls,
                                     .valid = col->nulls ? col->valid.v : NULL,
                                     .offsets = col->offsets.v };
    if (col->type == AZ_TEXT)
        out->values = col->text.v;
    else if (col->type == AZ_BOOL)
        out->values = col->types.v;
    else
        out->values = col->values.v;
    return ANALYZER_OK;
}
