/* The course of one clock against the others. Private to cr_clock.c, cr_clock_fit.c and their tests. */
#ifndef AZ_ANALYSES_COLLECTIVES_CLOCK_H
#define AZ_ANALYSES_COLLECTIVES_CLOCK_H

#include "base/mem.h"
#include "base/vec.h"

#define CR_MOST_PIECES 32

/* How far it is ahead: from `from` on, offset + drift (t - from), in ns; the first piece holds before it, too. */
struct cr_piece {
    int64_t from;
    double offset, drift;
};
struct cr_track {
    struct cr_piece piece[CR_MOST_PIECES];
    uint32_t n; /* 0: not known */
};

/* Difference; what cannot be a time any more is cut. */
int64_t cr_minus(int64_t a, int64_t b);
/* Median, in whole ns; reorders v. */
int64_t cr_median(int64_t *v, size_t n);
/* ns that a clock is ahead at t. */
int64_t cr_ahead(const struct cr_track *k, int64_t t);
/* Offset, drift and steps from n differences y at ascending times t: medians of bins, cut into as few straight pieces
 * as describe them. A drift or a step is taken only where it is far above the scatter; steps false: no step. scratch:
 * n. */
void cr_fit(const int64_t *t, const int64_t *y, size_t n, bool steps, int64_t *scratch, struct cr_track *out);
/* Greatest median of what a bin of differences is off its track: what the track does not describe. */
int64_t cr_unfit(const int64_t *t, const int64_t *y, size_t n, int64_t *scratch, const struct cr_track *k);

#endif
