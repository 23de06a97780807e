/* Private to merging: one event as the bytes it is, with the places that change. */
#ifndef AZ_MERGE_EVENT_H
#define AZ_MERGE_EVENT_H

#include "base/vec.h"

struct az_merge_event {
    struct az_sv text; /* from `{` to `}` */
    /* raw values, views into the text; {NULL, 0}: absent; of keys written twice the last */
    struct az_sv ph, cat, name, pid, id, args;
    struct az_sv rank, correlation, external, labels; /* in args */
    bool empty, args_empty;
};

/* What follows the text must be readable for 64 bytes. False: it is not valid JSON, so it may not
 * be copied. */
bool az_merge_parse(struct az_sv text, struct az_merge_event *e);
/* A copy in which control bytes in strings are escaped, bad UTF-8 and bad escapes replaced, NaN and
 * infinities null, with 64 zero bytes after it (not counted). 0, AZ_ENOMEM, AZ_ELIMIT. */
int az_merge_repair(struct az_sv text, struct az_vec_char *out) AZ_MUST_USE;

/* Without quotes, if it is a string; else empty. */
struct az_sv az_merge_string(struct az_sv raw);
/* Digits of a whole number, without sign; 0 for the number 0; -1: no whole number. */
int az_merge_digits(struct az_sv raw);

/* The event as it is written for a rank. `digits`: ids are shifted by rank x 10^digits; `external`:
 * the linking argument.
 */
struct az_merge_shift {
    int64_t rank;
    unsigned digits;
    bool external;
};
int az_merge_write(const struct az_merge_event *e, const struct az_merge_shift *s,
                   struct az_vec_char *out) AZ_MUST_USE;
/* The value of `pid` as az_merge_write writes it. */
void az_merge_id(struct az_sv raw, const struct az_merge_shift *s, struct az_vec_char *out);

#endif
