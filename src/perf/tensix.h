/* Tenstorrent cores: peaks of the devices (configs/tt_devices.csv), sizes of data types, which math
 * fidelity a matrix product needs, work of the operations that have a formula. Pure functions over
 * shapes. Sources: docs/formats-tracy.md 7 to 9, 12.1; attention and convolution: tt-mlir change
 * 9046; collectives: tt-perf-report change 58. */
#ifndef AZ_PERF_TENSIX_H
#define AZ_PERF_TENSIX_H

#include <stdint.h>

#include "base/sv.h"

enum az_fidelity {
    AZ_HIFI4,
    AZ_HIFI3,
    AZ_HIFI2,
    AZ_LOFI,
    AZ_FIDELITIES,
    AZ_FIDELITY_UNKNOWN = AZ_FIDELITIES
};
enum az_fidelity az_fidelity_of(struct az_sv text);

struct az_tensix {
    struct az_sv name;
    int64_t workers;            /* cores of the full grid unless the file has another number */
    double dram;                /* GB/s (1e9) of one chip */
    double peak[AZ_FIDELITIES]; /* TFLOPS a core */
    double link;                /* GB/s of one Ethernet link; 0: unknown */
    int64_t links;              /* of a collective that does not have it */
    int64_t dram_workers;       /* cores that a DRAM-sharded product runs on; 0: unknown */
};
/* A device by its name or another name of it, case ignored. False: not known. */
bool az_tensix_find(struct az_sv name, struct az_tensix *out);
/* The i-th device of the table; false after the last. */
bool az_tensix_at(size_t i, struct az_tensix *out);

/* Bytes of an element: the first digits of the name as bits, 4 without digits. Shared exponents are
 * not counted. */
double az_tensix_bytes(struct az_sv type);
/* BFLOAT16 -> BF16; the name itself where there is no short one. */
struct az_sv az_tensix_short(struct az_sv type);

/* Is the fidelity right for these types? Text: advice for a person, NULL for none. */
enum az_fit {
    AZ_FIT_UNKNOWN,
    AZ_FIT_NOT_APPLICABLE,
    AZ_FIT_SUFFICIENT,
    AZ_FIT_TOO_HIGH,
    AZ_FIT_TOO_LOW
};
const char *az_fit_text(enum az_fit v);
enum az_fit az_fidelity_fit(struct az_sv in0, struct az_sv in1, struct az_sv out,
                            enum az_fidelity f, const char **advice);

/* FLOP of attention over whole sequences: b batches, h heads of the query, sq and sk positions, dk
 * and dv per head; causal: half; window (> 0): at most so many keys a query. */
double az_attention_flop(double b, double h, double sq, double sk, double dk, double dv,
                         bool causal, double window);
/* Bytes one device moves over its links for a collective with a ring of r devices over `bytes` of
 * tensor. linear: twice. */
double az_collective_bytes(double bytes, double r, bool linear);

#endif
