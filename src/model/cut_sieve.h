/* Which events of a file that is cut are inside its window, in memory that does not grow with the
 * file: it is read once to find the window and, of every few correlation ids, when their calls
 * began and their device work ran; then again, when what is inside or outside by these figures is
 * not stored. The rest, at the edges of the window, is stored, and az_window_apply decides. */
#ifndef AZ_MODEL_CUT_SIEVE_H
#define AZ_MODEL_CUT_SIEVE_H

#include "model/window.h"

struct az_sieve_page; /* of correlation ids that follow each other */
AZ_VEC(struct az_sieve_page, az_sieve_pages);

struct az_sieve {
    struct az_mem *mem;
    const struct az_window *window;
    bool finding; /* the first reading */
    bool counted; /* the reader's own: device work is known from its counters only */
    bool counters;
    int error;           /* of the first reading */
    int64_t first, last; /* of the recording */
    struct az_window_parts parts;
    struct az_sieve_pages pages;
    struct az_map at; /* process, id >> shift >> 6 -> page */
    size_t most;      /* pages: more are joined in pairs */
    unsigned shift;   /* a page has the times of each 2^shift ids */
    uint32_t met;     /* the last page; AZ_NO_ID: none */
    struct {
        int64_t first, last, longest; /* starts; first > last: none */
    } unlinked;                       /* device work without a correlation id */
    struct az_spans work; /* by part: of its device work that was not stored; end < start: none */
    struct az_spans near; /* merged: where device work of the window may run */
    struct az_spans sure; /* merged: where some does */
};

void az_sieve_init(struct az_sieve *s, const struct az_window *w, struct az_mem *mem);
void az_sieve_release(struct az_sieve *s);

enum az_sieve_verdict {
    AZ_SIEVE_STORE,
    AZ_SIEVE_INSIDE,
    AZ_SIEVE_BESIDE, /* outside, and kept: it runs next to work of the window */
    AZ_SIEVE_OUTSIDE
};
/* An event of a process. In the first reading marks that may choose the window are to be stored. */
enum az_sieve_verdict az_sieve_event(struct az_sieve *s, enum az_kind kind, uint64_t process,
                                     const struct az_event *e);
/* Between the readings, when s->parts are those of the window. AZ_ENOMEM, AZ_ELIMIT. */
int az_sieve_settle(struct az_sieve *s) AZ_MUST_USE;

#endif
