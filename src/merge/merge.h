/* PyTorch traces of many ranks as one trace for a viewer (docs/formulas-multirank.md 6): a gzip
 * JSON file written as the traces are read, in constant memory. */
#ifndef AZ_MERGE_MERGE_H
#define AZ_MERGE_MERGE_H

#include "base/diag.h"

struct az_merge_input {
    struct az_sv path; /* NUL-terminated; a regular file, plain or gzip: it is read twice */
    int64_t rank;      /* by its name; -1: by distributedInfo */
};

struct az_merge_opts {
    bool keep_python;              /* python_function events, too */
    const struct az_vec_sv *cats;  /* only events of these categories; NULL or empty: all */
    const struct az_vec_sv *names; /* only events whose name contains one of these */
    unsigned threads;              /* for the first pass, a file each; 0: 1 */
    struct az_mem *mem;            /* budget; NULL: none */
    bool (*cancelled)(void *ctx);  /* polled; NULL: never */
    void *ctx;
};

struct az_merge_result {
    size_t ranks, damaged,
        left_out;        /* merged; merged as far as they are whole; not merged at all */
    uint64_t read, kept; /* events */
    uint64_t python, trace, filtered, process, malformed; /* skipped, by reason */
    uint64_t repaired; /* events with texts or numbers that JSON does not allow, repaired */
    uint64_t bytes;    /* JSON read, inflated, of one pass */
    unsigned digits;   /* ids of rank r are shifted by r x 10^digits */
    bool external;     /* the linking argument is `External id`: no launch has a `correlation` */
};

/* Merges into `out` (gzip whatever its name). Of every event: `args.rank`; integer `pid`, `id` and
 * the linking argument shifted by rank x 10^(digits of the largest of them in all ranks + 1), the
 * old value as `<field>_raw` next to it, so that no two ranks share one; such fields that are no
 * integers get the prefix `rank<n>:`. Process names are `RANK n - CPU` or `RANK n - GPU`. All else
 * stays as it is. `Trace` events and python_function events are skipped. Returns 0 also when a rank
 * is damaged or cannot be read (then named as an error in diag, and counted); AZ_EUSAGE: two inputs
 * have one rank, or a rank is not known, or `out` is an input; AZ_EFORMAT: no rank can be read;
 * AZ_EIO, AZ_EINTR, AZ_ENOMEM, AZ_ELIMIT. Nothing is written unless it returns 0. */
int az_pytorch_merge(const struct az_merge_input *in, size_t n, const struct az_merge_opts *opts,
                     const char *out, struct az_merge_result *result,
                     struct az_diag *diag) AZ_MUST_USE;

/* Rank in a file's name: the digits after the first `pattern` that is followed, maybe after `-` or
 * `_`, by digits; -1.
 */
int64_t az_pytorch_rank_of_name(struct az_sv path, struct az_sv pattern);

#endif
