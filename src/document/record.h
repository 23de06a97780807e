/* Tables of records: a constant array names the columns and, where a cell is a field of the record
 * that a row shows, the field. */
#ifndef AZ_DOCUMENT_RECORD_H
#define AZ_DOCUMENT_RECORD_H

#include <stddef.h>

#include "document/table.h"

enum az_field_kind {
    AZ_FIELD_NONE, /* the caller puts the cell */
    AZ_FIELD_I64,
    AZ_FIELD_I32,
    AZ_FIELD_U32,
    AZ_FIELD_F64,
    AZ_FIELD_BOOL,
    AZ_FIELD_TEXT, /* struct az_sv */
    AZ_FIELD_WORD  /* const char * */
};

struct az_record_column {
    const char *name;
    enum az_cell_type type;
    enum az_unit unit;
    unsigned flags; /* AZ_KEY, AZ_DETAIL ... */
    enum az_field_kind kind;
    size_t at;
    double per; /* an integer is divided by this for a column of reals; 0: it is ns or bytes, and
                   the column's unit says */
    bool known; /* a negative number, AZ_NO_ID or an empty text: an empty cell */
};
/* The field of a struct, after the four of the column. */
/* clang-format off */
#define AZ_FIELD(record, field)                                                                    \
    .at = offsetof(record, field),                                                                 \
    .kind = _Generic(((record){ 0 }).field,                                                        \
                     int64_t: AZ_FIELD_I64, uint64_t: AZ_FIELD_I64, int32_t: AZ_FIELD_I32,         \
                     uint32_t: AZ_FIELD_U32, double: AZ_FIELD_F64, bool: AZ_FIELD_BOOL,            \
                     struct az_sv: AZ_FIELD_TEXT, const char *: AZ_FIELD_WORD)
/* clang-format on */
/* The same, empty where it is not known. */
#define AZ_KNOWN(record, field) AZ_FIELD(record, field), .known = true

/* Adds the columns. */
void az_record_columns(struct az_table *t, const struct az_record_column *c, size_t n);
/* A new table of them; NULL: out of memory. */
struct az_table *az_record_table(struct az_arena *arena, const char *id, const char *title,
                                 unsigned flags, const struct az_record_column *c, size_t n);
#define AZ_RECORD_TABLE(arena, id, title, flags, columns)                                          \
    az_record_table(arena, id, title, flags, columns, AZ_LENGTH(columns))
/* Cells of the columns from the first that is still to be put up to one without a field, or the
 * end; c[0] is the column of the table with number `from`. Texts are kept as given. */
void az_put_fields(struct az_table *t, const struct az_record_column *c, size_t n, size_t from,
                   const void *record);
/* All cells of n records, each `size` bytes. */
void az_put_records(struct az_table *t, const struct az_record_column *c, size_t n_columns,
                    const void *records, size_t n, size_t size);
#define AZ_PUT_RECORDS(t, columns, records, n)                                                     \
    az_put_records(t, columns, AZ_LENGTH(columns), records, n, sizeof *(records))

#endif
