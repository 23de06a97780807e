/* Command lines of the micro-benchmarks that measure one recorded operator again: `hipblaslt-bench`
 * for matrix products, `MIOpenDriver` for convolutions. Derived from name, shapes, types and
 * strides alone; no device and no library is queried, so they are the arguments that the framework
 * would pass to the library, not recorded ones (docs/formulas-multirank.md 5.3 and 5.5). Pure
 * functions. */
#ifndef AZ_PERF_REPLAY_H
#define AZ_PERF_REPLAY_H

#include "base/vec.h"
#include "perf/perf.h"

enum az_replay_tool { AZ_REPLAY_NONE, AZ_REPLAY_GEMM, AZ_REPLAY_CONV };

enum az_replay_form {
    AZ_REPLAY_LOGGED, /* as the library logs the call, without a choice of algorithm */
    AZ_REPLAY_BENCH,  /* to be timed: 100 cold and 100 timed runs; convolutions without verification
                       */
    AZ_REPLAY_TUNE    /* offline tuning of a matrix product: the best of 200 solutions */
};

/* Which tool measures operators of this name. */
enum az_replay_tool az_replay_tool(struct az_sv op);

/* Facts about a derived command for the reader; bits. */
enum {
    AZ_REPLAY_NO_STRIDES = 1, /* strides were not recorded: contiguous operands are assumed */
    AZ_REPLAY_COPIED =
        2, /* an operand is in no layout the library supports: the framework copies it first */
    AZ_REPLAY_UNCERTAIN = 4 /* the rule rests on builds of framework or library (1-D or transposed
                               convolutions, fp8 types, beta other than 0) */
};

/* Appends the command of a call, one line without line break; a backward convolution has a line for
 * each result it computes (data, weights), by its output mask. AZ_EFORMAT and *why (a constant
 * text) where there is none; AZ_ENOMEM, AZ_ELIMIT. *notes: the bits above. */
int az_replay_command(const struct az_perf_call *c, enum az_replay_form form,
                      struct az_vec_char *out, unsigned *notes, const char **why) AZ_MUST_USE;

#endif
