/* Shared by the command lines of both tools; private to this room. */
#ifndef AZ_PERF_REPLAY_PARTS_H
#define AZ_PERF_REPLAY_PARTS_H

#include "perf/model.h"
#include "perf/replay.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53: sizes and strides go through doubles */

/* The list of exactly n whole numbers. */
bool az_rp_ints(struct az_sv list, int64_t *v, int n);
/* Strides of a tensor, those of a contiguous one where they were not recorded. */
bool az_rp_strides(const struct az_perf_arg *a, int64_t *s, unsigned *notes);

int az_rp_conv(const struct az_perf_model *r, enum az_replay_form form, struct az_vec_char *out,
               unsigned *notes, const char **why) AZ_MUST_USE;

#endif
