/* What a report of operations holds for the verdict: the account of its devices, the trust checks
 * that its rows decide, and findings (docs/formats-tracy.md 18). Times in ns. */
#ifndef AZ_ANALYSES_OP_REPORT_TOTALS_H
#define AZ_ANALYSES_OP_REPORT_TOTALS_H

#include "document/claims.h"
#include "facts/job.h"

struct az_op_report_device {
    int64_t device;
    bool idle; /* busy for less than 1% of the busiest device's time */
    struct az_claim_account a, before, after; /* in the scope; of device activity outside of it */
    struct az_claim_account step;             /* of the median step; span 0: there is none */
};

struct az_op_report_finding {
    const char *rule; /* constant */
    enum az_cause cause;
    enum az_advice advice;
    struct az_sv subject, row, operation; /* as long-lived as the job; row: name of the operation */
    int64_t count, ns, gain;              /* sums over the devices that are not idle */
    int64_t median, largest;              /* of one event */
};

struct az_op_report_totals {
    bool known; /* the analysis has run, and the report has device operations */
    enum az_account_scope scope;
    size_t steps; /* in the scope */
    const struct az_op_report_device *device;
    size_t n_devices;
    int64_t busy, idle; /* the mean over devices that are not idle */
    int64_t operations; /* rows of device operations with possible times in the scope, devices
                           merged */
    int64_t impossible_ns;
    struct az_check_result check[AZ_CHECKS]; /* those that rows decide; others not_applicable */
    const struct az_op_report_finding *finding;
    size_t n_findings;
    double flop;                     /* in the scope, of one device; NaN: none is known */
    int64_t rated, rateable;         /* kernel time of which it is known, could be known */
    int64_t rates, impossible_rates; /* products and convolutions with a rate; above the peak */
    const char *peaks;               /* "data sheet", "user", "unknown" */
    struct az_sv after_signpost;     /* operations before it do not count; empty: all count */
    bool merged;                     /* equal operations of several devices are one */
    struct az_sv tables; /* what the tables of operations cover; empty: what the account does */
};
/* Filled by the analysis `operations`. NULL on failure, which the arena remembers. */
struct az_op_report_totals *az_op_report_totals_of(struct az_job *job);

#endif
