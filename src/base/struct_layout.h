/* Structures as bytes: one engine that walks a description of the structs, so that a module
 * describes the members of its structs once instead of writing them and reading them back.
 *
 * Bytes: members in the order of their description, each value little-endian in its own width and
 * aligned to it (from the beginning of the bytes), gaps zero; doubles bit for bit. A text is a u32,
 * its place in a dictionary that the caller stores next to the bytes (AZ_NO_ID: the text without a
 * pointer). A list is a u64 count (UINT64_MAX: no list), then its elements. So equal structs have
 * equal bytes, whatever is between their members, and pointers and constants of one program are in
 * none of them.
 *
 * Bytes may come from a damaged or a hostile file: reading checks every length before it is used,
 * and `valid` of a shape checks what only the owner can (places within another list). */
#ifndef AZ_BASE_STRUCT_LAYOUT_H
#define AZ_BASE_STRUCT_LAYOUT_H

#include "base/intern.h"

enum az_shape_kind {
    AZ_SHAPE_PLAIN, /* numbers, enums */
    AZ_SHAPE_I64,   /* int64_t: within +-AZ_SHAPE_I64_MOST, or one of the ends of its type */
    AZ_SHAPE_FLAG,  /* bool: a byte, 0 or 1 */
    AZ_SHAPE_TEXT,  /* struct az_sv; read back with a NUL after it */
    AZ_SHAPE_WORD,  /* const char *, a constant of the program or NULL; read back as a copy */
    AZ_SHAPE_NEST,  /* a struct, or an array of some */
    AZ_SHAPE_LIST,  /* a pointer to structs whose number is another member */
    AZ_SHAPE_NAMED  /* a pointer to a constant that has a name */
};

struct az_shape;
struct az_shape_names { /* of AZ_SHAPE_NAMED */
    const char *(*name_of)(const void *constant);
    const void *(*find)(struct az_sv name); /* NULL: none of that name */
};
struct az_shape_field {
    const char *name;
    enum az_shape_kind kind;
    size_t at, width, count; /* of an element; how many in an array */
    const struct az_shape *of;
    size_t n_at, n_width; /* of a list: where its number is */
    size_t more;          /* elements after those that are counted */
    const struct az_shape_names *names;
};
struct az_shape {
    const char *name;
    size_t size;
    const struct az_shape_field *field;
    size_t n;
    bool (*valid)(const void *of); /* NULL: any values do */
};

#define AZ_SHAPE_WIDTH(T, m) sizeof(((T *)0)->m)
/* Times and their sums stay below it (model/trace.h AZ_TIME_MAX); the ends stand for "none". */
#define AZ_SHAPE_I64_MOST (INT64_C(1) << 61)
#define AZ_SHAPE_KIND(T, m)                                                                        \
    _Generic(((T *)0)->m, bool : AZ_SHAPE_FLAG, int64_t : AZ_SHAPE_I64, default : AZ_SHAPE_PLAIN)
/* Rows of a description: `T` is the type, `m` the member. */
#define AZ_PLAIN(T, m)                                                                             \
    {                                                                                              \
#m, AZ_SHAPE_KIND(T, m), offsetof(T, m), AZ_SHAPE_WIDTH(T, m), 1, NULL, 0, 0, 0, NULL      \
    }
#define AZ_PLAINS(T, m) /* an array */                                                             \
    {                                                                                              \
#m, AZ_SHAPE_KIND(T, m[0]), offsetof(T, m), AZ_SHAPE_WIDTH(T, m[0]),                       \
            AZ_SHAPE_WIDTH(T, m) / AZ_SHAPE_WIDTH(T, m[0]), NULL, 0, 0, 0, NULL                    \
    }
#define AZ_TEXT_OF(T, m)                                                                           \
    {                                                                                              \
#m, AZ_SHAPE_TEXT, offsetof(T, m), 4, 1, NULL, 0, 0, 0, NULL                               \
    }
#define AZ_WORD_OF(T, m)                                                                           \
    {                                                                                              \
#m, AZ_SHAPE_WORD, offsetof(T, m), 4, 1, NULL, 0, 0, 0, NULL                               \
    }
#define AZ_NAMED_OF(T, m, names)                                                                   \
    {                                                                                              \
#m, AZ_SHAPE_NAMED, offsetof(T, m), 4, 1, NULL, 0, 0, 0, &(names)                          \
    }
#define AZ_NEST_OF(T, m, shape)                                                                    \
    {                                                                                              \
#m, AZ_SHAPE_NEST, offsetof(T, m), 0, 1, &(shape), 0, 0, 0, NULL                           \
    }
#define AZ_NESTS_OF(T, m, shape) /* an array */                                                    \
    {                                                                                              \
#m, AZ_SHAPE_NEST, offsetof(T, m), 0, AZ_SHAPE_WIDTH(T, m) / AZ_SHAPE_WIDTH(T, m[0]),      \
            &(shape), 0, 0, 0, NULL                                                                \
    }
#define AZ_LIST_MORE(T, m, n, shape, more)                                                         \
    {                                                                                              \
#m, AZ_SHAPE_LIST, offsetof(T, m), 8, 1, &(shape), offsetof(T, n), AZ_SHAPE_WIDTH(T, n),   \
            (more), NULL                                                                           \
    }
#define AZ_LIST_OF(T, m, n, shape) AZ_LIST_MORE(T, m, n, shape, 0)
#define AZ_VEC_OF(T, m, shape)     AZ_LIST_OF(T, m.v, m.n, shape) /* read back without capacity */
/* The description of T by rows named `fields`. */
#define AZ_SHAPE(T, fields)                                                                        \
    {                                                                                              \
#T, sizeof(T), (fields), AZ_LENGTH(fields), NULL                                           \
    }
#define AZ_SHAPE_IF(T, fields, ask)                                                                \
    {                                                                                              \
#T, sizeof(T), (fields), AZ_LENGTH(fields), (ask)                                          \
    }

extern const struct az_shape az_shape_i64, az_shape_u8, az_shape_text; /* lists of these */

/* What changes when the bytes of a shape would mean something else. */
uint64_t az_shape_layout(const struct az_shape *s);
/* Appends the bytes of a struct at `from`; texts go to the dictionary. out->n is a multiple of 8
 * before and after. AZ_ENOMEM, AZ_ELIMIT. */
int az_shape_write(const struct az_shape *s, const void *from, struct az_intern *texts,
                   struct az_vec_char *out) AZ_MUST_USE;
/* Reads one back into `to`, which has the size of the shape, with what it points to in the arena.
 * `text`: by place in the dictionary, with a NUL after each. The bytes are used up. AZ_EFORMAT:
 * they do not fit the shape; AZ_ENOMEM, AZ_ELIMIT. */
int az_shape_read(const struct az_shape *s, void *to, struct az_sv bytes, const struct az_sv *text,
                  size_t n_texts, struct az_arena *keep) AZ_MUST_USE;
/* The same, to find out whether they fit: what `to` points to may be in `bytes`, too. */
int az_shape_check(const struct az_shape *s, void *to, struct az_sv bytes, const struct az_sv *text,
                   size_t n_texts, struct az_arena *scratch) AZ_MUST_USE;

#endif
