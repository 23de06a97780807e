/* What is known of collectives by their names: kinds, element sizes, the factor from algorithm to
 * bus bandwidth. Which kernels are collectives: classify/kernels.h. Rules:
 * docs/formulas-collectives.md 1 and 3. */
#ifndef AZ_CLASSIFY_COLLECTIVES_H
#define AZ_CLASSIFY_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sv.h"

enum az_coll_kind {
    AZ_COLL_UNKNOWN,
    AZ_COLL_ALLREDUCE,
    AZ_COLL_REDUCESCATTER,
    AZ_COLL_ALLGATHER,
    AZ_COLL_ALLTOALL,
    AZ_COLL_ALLTOALLV,
    AZ_COLL_BROADCAST,
    AZ_COLL_REDUCE,
    AZ_COLL_GATHER,
    AZ_COLL_SCATTER,
    AZ_COLL_SEND,
    AZ_COLL_RECV,
    AZ_COLL_SENDRECV, /* a kernel that does both: may be an all-to-all */
    AZ_COLL_BARRIER,
    AZ_COLL_KINDS
};
/* "allreduce", ...; static text. */
const char *az_coll_kind_text(enum az_coll_kind k);
/* Kind by a collective's name as frameworks write it ("_allgather_base", "nccl:all_to_all"):
 * letters without case, '_',
 * '-', spaces and a leading "nccl:" do not count. */
enum az_coll_kind az_coll_kind_of(struct az_sv name);
/* No rank can end before the last one has begun. */
bool az_coll_synchronises(enum az_coll_kind k);

/* Class of the kernels of a kind: "Comm-AllReduce"; of an unknown kind: "Comm-Generic". */
struct az_sv az_coll_class(enum az_coll_kind k);
/* Which collective the kernels of a class are ("reduce_scatter"), for kernels without a
 * description; empty: unknown. Static text. */
struct az_sv az_coll_of_class(struct az_sv class_name);
/* The user's patterns for collectives ("part=collective part=collective", parts in any case): is
 * one in the kernel's name? *name: the action of the kernel in its name. */
bool az_coll_match_pattern(struct az_sv patterns, struct az_sv kernel, struct az_sv *name);

/* Bytes of an element by the framework's type names ("BFloat16"); 0: unknown. */
int64_t az_coll_dtype_bytes(struct az_sv dtype);
/* The same names for the types of operator arguments ("c10::BFloat16", "long int"); empty: unknown.
 * Static text. */
struct az_sv az_coll_dtype_of(struct az_sv argument_type);

/* Bus bandwidth / algorithm bandwidth among n ranks (docs/formulas-collectives.md 3); NaN for kinds
 * without one or n < 1. */
double az_coll_factor(enum az_coll_kind k, int64_t n);

#endif
