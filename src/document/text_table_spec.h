/* A table's own text form for terminals: every row printed, numbers with their unit in the cell,
 * colors, a footer, and text or rows again after it. Made by analyses whose users expect a printed
 * table; a writer needs nothing but this. */
#ifndef AZ_DOCUMENT_TEXT_TABLE_SPEC_H
#define AZ_DOCUMENT_TEXT_TABLE_SPEC_H

#include "base/vec.h"

enum az_ink {
    AZ_INK_NONE,
    AZ_INK_GREY,
    AZ_INK_RED,
    AZ_INK_GREEN,
    AZ_INK_YELLOW,
    AZ_INK_BLUE,
    AZ_INK_MAGENTA,
    AZ_INK_CYAN,
    AZ_INK_WHITE,
    AZ_INK_ORANGE,
    AZ_INK_COUNT
};
/* "red" -> AZ_INK_RED; AZ_INK_NONE for no color's name. */
enum az_ink az_ink_of(struct az_sv name);

struct az_form_column {
    size_t column;            /* of the table */
    const char *title, *unit; /* unit is printed after every number; NULL: none */
    int decimals;             /* of numbers */
    size_t least;             /* width at least */
    bool left;                /* texts to the left */
    bool plain;               /* numbers without thousands separators */
    struct az_sv (*display)(struct az_arena *a,
                            struct az_sv cell); /* texts as printed; NULL: as they are */
};

/* A number as the form prints it: decimals rounded half to even on the binary value, thousands with
 * ','. */
#define AZ_FORM_NUMBER 420
struct az_sv az_form_number(double v, int decimals, bool separators, char buf[AZ_FORM_NUMBER]);

/* After the table: a row of it again, a line of text, or one of a list. Small: there are as many as
 * rows. */
enum { AZ_FORM_TEXT = UINT32_MAX, AZ_FORM_BULLET = UINT32_MAX - 1 };
struct az_form_item {
    const char *p;   /* text, n bytes */
    uint32_t n, row; /* row, AZ_FORM_TEXT or AZ_FORM_BULLET */
};
AZ_VEC(struct az_form_item, az_form_items);

struct az_form {
    struct az_vec_sv before; /* lines; the vectors are freed with the table */
    struct az_sv title;      /* underlined; printed before the table */
    struct az_form_column *columns;
    size_t n;
    bool titles_right;    /* titles of number columns stand right, like their numbers */
    uint8_t *ink;         /* rows x n of enum az_ink; NULL: none */
    uint8_t *hidden;      /* by row: not printed; NULL: none */
    struct az_sv *footer; /* n texts as printed; NULL: none */
    struct az_form_items after;
};

/* 0 or an error. */
static inline int az_form_text(struct az_form *f, struct az_sv text, bool bullet)
{
    struct az_form_item item = { text.p, (uint32_t)text.n, bullet ? AZ_FORM_BULLET : AZ_FORM_TEXT };
    return az_vec_push(&f->after, item);
}
static inline int az_form_row(struct az_form *f, size_t row)
{
    struct az_form_item item = { "", 0, (uint32_t)row };
    return az_vec_push(&f->after, item);
}

#endif
