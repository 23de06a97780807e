/* Tables of records: one constant entry per column has its header, its type and how its cell
 * follows from the record that a row shows. The entries are in the order of the columns, and
 * nothing else is: a cell cannot be put below another header, and a column that a table omits takes
 * its cell with it.
 *
 *     static const struct az_record_column columns[] = {
 *         { "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN(struct copy_row, stream) },
 *         { "name", AZ_TEXT, .flags = AZ_KEY, .text = name_of },
 *         { "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct copy_row, ns),
 *           .sort = -1 },
 *     };
 *     struct az_table *t = AZ_RECORD_TABLE(arena, "copies", "Copies", 0, columns);
 *     for (...)
 *         az_put_row(t, &(struct copy_row){ ... });
 *     return az_job_add(job, t, az_record_sort(t));
 */
#ifndef AZ_DOCUMENT_RECORD_H
#define AZ_DOCUMENT_RECORD_H

#include <stddef.h>

#include "document/table.h"

enum az_field_kind {
    AZ_FIELD_NONE,
    AZ_FIELD_I64,
    AZ_FIELD_I32,
    AZ_FIELD_U32,
    AZ_FIELD_F64,
    AZ_FIELD_BOOL,
    AZ_FIELD_TEXT, /* struct az_sv */
    AZ_FIELD_WORD  /* const char * */
};

/* An integer in a column of reals counts ns or bytes and becomes the column's unit, rounded once;
 * in a column of truth values it is one. NaN and INT64_MIN are empty cells. Texts are not copied.
 */
struct az_record_column {
    const char *name;
    enum az_cell_type type;
    enum az_unit unit;
    unsigned flags; /* AZ_KEY, AZ_DETAIL ... */
    /* The cell is a field of the record (AZ_FIELD) or of what it points to (AZ_VIA); */
    enum az_field_kind kind;
    uint32_t at, via; /* via: offset of the pointer + 1; 0: none */
    /* or a value of the record. Texts that are made go into `texts`, which lives with the table. */
    int64_t (*integer)(const void *record);
    double (*real)(const void *record);
    struct az_sv (*text)(const void *record, struct az_arena *texts);
    /* Neither: the caller puts the cell. */
    /* Of several equal things (ranks, statistics), one column each (az_record_column_nth): the cell
     * of the nth is `step` bytes further on, or a value of both. */
    uint32_t step, nth;
    int64_t (*integer_nth)(const void *record, size_t nth);
    double (*real_nth)(const void *record, size_t nth);
    double scale;                 /* the double times this; 0: as it is */
    bool ps;                      /* the number counts ps */
    bool ns;                      /* the double counts ns */
    uint32_t ticks_at, ticks_via; /* the number counts ticks: where their number per ns is */
    bool known;                   /* a negative number, AZ_NO_ID or an empty text: an empty cell */
    bool copy;                    /* the text does not live as long as the table */
    int sort; /* 1: first criterion of the order, 2: second ...; negative: descending */
    bool (*when)(const void *of); /* does the table have it? NULL: always */
};

/* The field of a record, after the four of the column. A NULL pointer: an empty cell. */
/* clang-format off */
#define AZ_FIELD_KIND(field)                                                                       \
    _Generic((field), int64_t: AZ_FIELD_I64, uint64_t: AZ_FIELD_I64, int32_t: AZ_FIELD_I32,        \
             uint32_t: AZ_FIELD_U32, double: AZ_FIELD_F64, bool: AZ_FIELD_BOOL,                    \
             struct az_sv: AZ_FIELD_TEXT, const char *: AZ_FIELD_WORD)
#define AZ_FIELD(record, field)                                                                    \
    .at = offsetof(record, field), .kind = AZ_FIELD_KIND(((record *)0)->field)
#define AZ_VIA(record, pointer, field)                                                             \
    .at = offsetof(__typeof__(*((record *)0)->pointer), field),                                   \
    .via = offsetof(record, pointer) + 1, .kind = AZ_FIELD_KIND(((record *)0)->pointer->field)
/* The nth element of an array in the record, or of what a pointer in it points to. */
#define AZ_NTH(record, field)                                                                      \
    .at = offsetof(record, field), .step = sizeof *((record *)0)->field,                           \
    .kind = AZ_FIELD_KIND(*((record *)0)->field)
#define AZ_NTH_VIA(record, pointer)                                                                \
    .via = offsetof(record, pointer) + 1, .step = sizeof *((record *)0)->pointer,                  \
    .kind = AZ_FIELD_KIND(*((record *)0)->pointer)
/* clang-format on */
/* The number counts ticks; an int64_t of what the record points to is how many are one ns. */
#define AZ_TICKS(record, pointer, field)                                                           \
    .ticks_at = offsetof(__typeof__(*((record *)0)->pointer), field),                              \
    .ticks_via = offsetof(record, pointer) + 1
/* The same, empty where it is not known. */
#define AZ_KNOWN(record, field)              AZ_FIELD(record, field), .known = true
#define AZ_KNOWN_VIA(record, pointer, field) AZ_VIA(record, pointer, field), .known = true

/* A function of a column that is one expression over the record `r`; of a text, over the arena
 * `texts`, too. */
#define AZ_OF_RECORD(type, name, record, value)                                                    \
    static type name(const void *record_)                                                          \
    {                                                                                              \
        const record *r = record_;                                                                 \
        return value;                                                                              \
    }
#define AZ_TEXT_OF_RECORD(name, record, value)                                                     \
    static struct az_sv name(const void *record_, struct az_arena *texts)                          \
    {                                                                                              \
        const record *r = record_;                                                                 \
        (void)texts;                                                                               \
        return value;                                                                              \
    }

/* Adds the columns; those with a condition if it is true for `of`. */
void az_record_columns(struct az_table *t, const struct az_record_column *c, size_t n);
void az_record_columns_of(struct az_table *t, const struct az_record_column *c, size_t n,
                          const void *of);
#define AZ_RECORD_COLUMNS(t, columns) az_record_columns(t, columns, AZ_LENGTH(columns))
#define AZ_RECORD_COLUMNS_OF(t, columns, of)                                                       \
    az_record_columns_of(t, columns, AZ_LENGTH(columns), of)
/* The same with another header, of a single one. */
void az_record_column_named(struct az_table *t, const struct az_record_column *c,
                            struct az_sv name);
/* A column of the nth of several equal things. */
void az_record_column_nth(struct az_table *t, const struct az_record_column *c, struct az_sv name,
                          size_t nth);
/* Place of the column in the table; -1: it has none, or t is NULL. */
ptrdiff_t az_record_place(const struct az_table *t, const struct az_record_column *c);
/* A new table of them; NULL: out of memory. */
struct az_table *az_record_table(struct az_arena *arena, const char *id, const char *title,
                                 unsigned flags, const struct az_record_column *c, size_t n,
                                 const void *of);
#define AZ_RECORD_TABLE(arena, id, title, flags, columns)                                          \
    az_record_table(arena, id, title, flags, columns, AZ_LENGTH(columns), NULL)
#define AZ_RECORD_TABLE_OF(arena, id, title, flags, columns, of)                                   \
    az_record_table(arena, id, title, flags, columns, AZ_LENGTH(columns), of)
/* Cells of one record, from the next column of the current row up to one whose cell the caller
 * puts, or the end of the row. */
void az_put_row(struct az_table *t, const void *record);
/* The next n cells of the current row, where others of another record follow; NULL: empty ones. */
void az_put_cells(struct az_table *t, size_t n, const void *record);
/* The next cells, as far as their columns are of this list: what the table has of it. */
void az_put_columns(struct az_table *t, const struct az_record_column *c, size_t n,
                    const void *record);
#define AZ_PUT_COLUMNS(t, columns, record) az_put_columns(t, columns, AZ_LENGTH(columns), record)
/* The reverse: sets the fields of a record (not those after a pointer) to the cells of a row, found
 * by the headers of the columns. 0, NaN or an empty text for what the table does not have; texts
 * are the table's. */
void az_record_get(const struct az_table *t, size_t row, const struct az_record_column *c, size_t n,
                   void *record);
#define AZ_RECORD_GET(t, row, columns, record)                                                     \
    az_record_get(t, row, columns, AZ_LENGTH(columns), record)
/* All cells of n records, each `size` bytes. */
void az_put_rows(struct az_table *t, const void *records, size_t n, size_t size);
#define AZ_PUT_ROWS(t, records, n) az_put_rows(t, records, n, sizeof *(records))
/* Sorts the stored rows by the columns that are criteria; those added by hand are none.
 * Errors are the table's, NULL is fine. */
int az_record_sort(struct az_table *t) AZ_MUST_USE;

#endif
