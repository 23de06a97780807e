/* A set of columns with several owners. Private to the room. */
#ifndef AZ_LIBRARY_COLUMNS_H
#define AZ_LIBRARY_COLUMNS_H

#include <stdatomic.h>

#include "library/handle.h"

struct az_library_column {
    const char *name, *unit;
    enum az_cell_type type;
    unsigned seen; /* bits 1 << type, of the declared type, too */
    int64_t nulls;
    struct az_vec_i64 values; /* integers, or the bits of reals */
    struct az_vec_u8 types;   /* while it is filled; of booleans then their values */
    struct az_vec_char text;
    struct az_vec_i64 offsets; /* of texts: rows + 1 */
    struct az_vec_u8 valid;    /* a bit per row; empty: every row has a value */
};

struct analyzer_columns {
    atomic_int owners;
    size_t n, rows;
    struct az_library_column *v;
    struct az_arena names, texts;
};

#endif
