/* Peak rates of a device and the roofline over them (docs/formulas-models.md 13; values:
 * configs/devices.csv). */
#ifndef AZ_PERF_PEAKS_H
#define AZ_PERF_PEAKS_H

#include "perf/perf.h"

/* Rates in the order of the columns of devices.csv. */
#define AZ_RATES 13
extern const char *const az_rate_name[AZ_RATES];

/* Where the rates come from, worst first. */
enum az_peaks_source {
    AZ_PEAKS_UNKNOWN,
    AZ_PEAKS_SCALED,     /* of a whole device, by the share that is there, or of one like it */
    AZ_PEAKS_DATA_SHEET, /* of exactly this device */
    AZ_PEAKS_USER
};
/* "unknown", "scaled", "data sheet", "user". */
const char *az_peaks_source_id(enum az_peaks_source source);

struct az_peaks {
    struct az_sv name,
        basis; /* "MI300X", "peak" or "achievable", "config" where the user set all */
    enum az_peaks_source source;
    double units; /* compute units of the table's device */
    double share; /* of those, what the rates are for: 1 the whole device */
    double memory_gb;
    double cache_mb;        /* in front of the memory; NaN unknown */
    double bw;              /* GB/s (1e9 bytes); NaN unknown */
    double rate[AZ_RATES];  /* TFLOP/s; NaN: the device has none, or it is unknown */
    double host;            /* GB/s of the link to the host in one direction; NaN unknown */
    struct az_sv uncertain; /* fields not confirmed by a vendor document, `|` between them */
    bool own;               /* some rate is the user's */
    const char *how;        /* "name", "size" (compute units and memory; whether others share it),
                               "config", or the caller's text */
};
/* A trace's data about its device. */
struct az_device_facts {
    struct az_sv name;
    double units, memory_bytes; /* 0 unknown */
    double tflops, gbps;        /* peaks that the profile states; 0 none */
};
/* Chosen by the requested name (of the config), else by the device's name: the row whose `match`
 * leaves the fewest words of it over, ties by length, then by units and memory; a name without such
 * words, or none, by compute units and memory within 3 percent. Rates of a part of a device, of a
 * variant without a row and of a device of other size are those of the row times the share of
 * compute units (bandwidth: of memory); without units, or for more units than the row has, they are
 * unknown. basis: empty or "peak", "achievable". False: none known (docs/formulas-models.md 13). */
bool az_peaks_find(struct az_sv csv, struct az_sv wanted, struct az_sv basis,
                   const struct az_device_facts *f, struct az_peaks *out);
/* The same in a user-defined table: its rates apply to every device whose name contains the row's.
 */
bool az_peaks_find_user(struct az_sv csv, struct az_sv wanted, struct az_sv basis,
                        const struct az_device_facts *f, struct az_peaks *out);
/* Name of the row whose name or `match` is nearest to a requested one that was not found; empty:
 * none is near. */
struct az_sv az_peaks_nearest(struct az_sv csv, struct az_sv basis, struct az_sv wanted);
/* `mem_bw_gbps=4100 matrix_bf16=650` over what was found (or over nothing). False and the word that
 * is none in *bad. */
bool az_peaks_override(struct az_peaks *p, struct az_sv text, struct az_sv *bad);
void az_peaks_none(struct az_peaks *p);

struct az_roofline {
    double compute_us, memory_us, time_us; /* NaN unknown */
    const char *bound;                     /* "COMPUTE_BOUND", "MEMORY_BOUND", "" */
    const char *peak;                      /* rate used, "" none */
    double tflops;                         /* that rate; NaN */
    bool assumed; /* another rate than the operation's own is used instead */
};
/* tf32: a kernel of the operation shows it; counts for matrix_fp32 alone. */
void az_roofline(const struct az_peaks *p, const char *unit, struct az_sv prec,
                 struct az_sv fallback, bool tf32, double flops, double bytes,
                 struct az_roofline *out);

/* What an operation did, to compare it with the limits of its device. */
struct az_rate {
    const char *unit;    /* "matrix", "vector", "" */
    struct az_sv prec;   /* empty unknown */
    double flops, bytes; /* NaN unknown; bytes: of memory that it needs to touch at least */
    double us;           /* time on the device */
};
enum az_rate_result {
    AZ_RATE_UNKNOWN, /* no work, no peak or no time is known */
    AZ_RATE_POSSIBLE,
    AZ_RATE_IMPOSSIBLE /* above a peak of FLOPs or memory (docs/formulas-models.md 13) */
};
/* limits: whole peaks, none that were measured. */
enum az_rate_result az_rate_check(const struct az_peaks *limits, const struct az_rate *r);

#endif
