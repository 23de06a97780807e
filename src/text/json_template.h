/* Records that differ only in their numbers. A file of profiler records repeats the same keys in
 * the same order some hundred thousand times: once one record was read by its keys, its text is
 * stored as a form, literal text with places for numbers, and a record of that form needs no search
 * for keys. What does not fit in every byte is read by its keys, so the result is the same.
 *
 *   if (az_json_template_read(f, s, e, sizeof *e)) -> done
 *   az_json_template_begin(f)
 *   ... reading by keys calls az_json_template_place(f, s->p, place) before each value that is a
 * number az_json_template_end(f, from, s->p, e, sizeof *e): after success
 */
#ifndef AZ_TEXT_JSON_TEMPLATE_H
#define AZ_TEXT_JSON_TEMPLATE_H

#include <stdalign.h>

#include "text/jsonscan.h"

enum {
    AZ_JSON_TEMPLATE_PIECES = 64,
    AZ_JSON_TEMPLATE_RECORD = 512,             /* bytes of the largest record */
    AZ_JSON_TEMPLATE_NOWHERE = UINT16_MAX - 1, /* an unused number */
    AZ_JSON_TEMPLATE_NONE = UINT16_MAX         /* no number after this text */
};

struct az_json_template_piece {
    alignas(16) char text[32];
    uint32_t mask;  /* bit i: byte i counts */
    uint16_t place; /* of the number after it: bytes from the start of the record */
    uint8_t len;
};

/* A number of the record that was learned from last. */
struct az_json_template_value {
    const char *p;
    uint64_t value;
    uint16_t place;
    bool varies; /* had another value in a record before: the others are text of the form */
};

/* All zero: nothing learned. */
struct az_jform {
    struct az_json_template_piece piece[AZ_JSON_TEMPLATE_PIECES];
    alignas(8) unsigned char start[AZ_JSON_TEMPLATE_RECORD]; /* the record without its numbers */
    size_t n;                                                /* pieces; 0: no form */
    bool learning, fits;
    unsigned matched, trials; /* records read by the form since it was made; forms made in vain */
    unsigned passed;          /* records by keys since the last one by the form, or learned from */
    size_t places, known;     /* of `now`; of `then`, 0: none */
    struct az_json_template_value now[AZ_JSON_TEMPLATE_PIECES], then[AZ_JSON_TEMPLATE_PIECES];
};

/* Before a record is read by its keys. It is learned from, but ever more rarely while that does not
 * help. */
void az_json_template_begin(struct az_jform *f);

void az_json_template_place_(struct az_jform *f, const char *p, size_t place);
/* A value at p that goes to `place` of the record (an int64_t or uint64_t there;
 * AZ_JSON_TEMPLATE_NOWHERE: a value that is skipped). */
static inline void az_json_template_place(struct az_jform *f, const char *p, size_t place)
{
    if (f->learning)
        az_json_template_place_(f, p, place);
}

void az_json_template_clear_(struct az_jform *f, size_t place);
/* The reader sets what is at `place` without a number of the text: no form, if one was read before.
 */
static inline void az_json_template_clear(struct az_jform *f, size_t place)
{
    if (f->learning)
        az_json_template_clear_(f, place);
}

/* This record has more than numbers (a view into the text): no form. */
static inline void az_json_template_unfit(struct az_jform *f) { f->fits = false; }

/* The record read from [from, end) is `record`. */
void az_json_template_end(struct az_jform *f, const char *from, const char *end, const void *record,
                          size_t size);

/* How many digits the plain number at p has, at most 15; 0: none, or written otherwise. */
static inline unsigned az_json_template_number(const char *p, uint64_t *v)
{
    const unsigned digits = az_digits(p, v); /* reads at most 16 */
    return digits > 15 || (*p == '0' && digits > 1) ? 0 : digits;
}

/* Reads the record at s->p and moves s->p after it; false: it has another form, and `record` is
 * not valid. */
static inline bool az_json_template_read(struct az_jform *f, struct az_jscan *s, void *record,
                                         size_t size)
{
    const char *p = s->p;
    if (f->n == 0)
        return false;
    memcpy(record, f->start, size);
    for (const struct az_json_template_piece *x = f->piece, *end = x + f->n; x < end; x++) {
        if (!az_equal32(p, x->text, x->mask))
            return false;
        p += x->len;
        if (x->place == AZ_JSON_TEMPLATE_NONE)
            continue;
        uint64_t v;
        const unsigned digits = az_json_template_number(p, &v);
        if (digits == 0)
            return false;
        if (x->place != AZ_JSON_TEMPLATE_NOWHERE)
            memcpy((unsigned char *)record + x->place, &v, sizeof v);
        p += digits;
    }
    s->p = p;
    f->matched++;
    f->passed = 0;
    return true;
}

#endif
