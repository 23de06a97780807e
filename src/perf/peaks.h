/* Peak rates of a device and the roofline over them (docs/formulas-models.md 13; figures:
 * configs/devices.csv). */
#ifndef AZ_PERF_PEAKS_H
#define AZ_PERF_PEAKS_H

#include "perf/perf.h"

/* Rates in the order of the columns of devices.csv. */
#define AZ_RATES 13
extern const char *const az_rate_name[AZ_RATES];

struct az_peaks {
    struct az_sv name,
        basis;    /* "MI300X", "peak" or "achievable", "config" where the user gave all */
    double units; /* compute units of the table's device */
    double memory_gb;
    double bw;              /* GB/s (1e9 bytes); NaN unknown */
    double rate[AZ_RATES];  /* TFLOP/s; NaN: the device has none, or it is unknown */
    double host;            /* GB/s of the link to the host in one direction; NaN unknown */
    struct az_sv uncertain; /* fields not confirmed by a vendor document, `|` between them */
    bool own;               /* some rate is the user's */
    const char *how; /* "name", "size" (compute units and memory; says whether others share it),
                        "config", or what the caller puts */
};
/* What a trace says of its device. */
struct az_device_facts {
    struct az_sv name;
    double units, memory_bytes; /* 0 unknown */
};
/* Chosen by the wanted name (of the config), else by the device's name (longest text of `match`
 * that is in it as words of its own, ties by memory), else by compute units and memory within 3
 * percent. basis: empty or "peak", "achievable". False: none known. */
bool az_peaks_find(struct az_sv csv, struct az_sv wanted, struct az_sv basis,
                   const struct az_device_facts *f, struct az_peaks *out);
/* Name of the row whose name or `match` is nearest to a wanted one that was not found; empty: none
 * is near. */
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
/* tf32: a kernel of the operation says so; counts for matrix_fp32 alone. */
void az_roofline(const struct az_peaks *p, const char *unit, struct az_sv prec,
                 struct az_sv fallback, bool tf32, double flops, double bytes,
                 struct az_roofline *out);

#endif
