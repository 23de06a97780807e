/* What the user named, and the device work inside it: NVTX and ROCTx ranges, record_function,
 * modules, Python frames, HLO scopes, signposts, marks of serving engines and of steps
 * (docs/regions.md).
 *
 * One tree per trace. A node is a region: a name below the names around it. Counters in a name
 * (`layer.12`, `iter 7`, `step[3]`) are folded to `*`, so that the instances of a loop are one
 * region. On a thread, the instance around another one is the one that began last among those that
 * contain it; ends may differ by a microsecond, to which some profilers round.
 *
 * Each device event belongs to one region at most, the innermost one that is open on the launching
 * thread when the launch begins. A thread that runs backward operators for another thread
 * (autograd) belongs to the regions of that thread where it has none of its own. An operation of a
 * compiled program belongs to the scope that the program names, an operation of a report to the
 * signpost before it. Exclusive times of all regions and `outside` add up to the time of all device
 * events exactly; device time is the sum of durations, not a union.
 *
 * Backward work is counted where it was launched, and in `backward` once more, at the region of the
 * operator that it is the gradient of. */
#ifndef AZ_FACTS_REGIONS_H
#define AZ_FACTS_REGIONS_H

#include "facts/lazy_cache.h"

enum az_region_source {
    AZ_REGION_NVTX,
    AZ_REGION_RECORD_FUNCTION,
    AZ_REGION_MODULE,
    AZ_REGION_FRAME,
    AZ_REGION_HLO_SCOPE,
    AZ_REGION_ROCTX,
    AZ_REGION_SIGNPOST,
    AZ_REGION_ENGINE,
    AZ_REGION_STEP,
    AZ_REGION_SOURCES
};
/* Stable: "record_function". */
const char *az_region_source_text(enum az_region_source s);

struct az_region_sums { /* ticks, and counts */
    int64_t device, backward, exposed_comm;
    int64_t launches, kernels;
};
struct az_region {
    struct az_sv name; /* folded, in the job's arena */
    uint32_t parent;   /* AZ_NO_ID: none; less than its own number */
    uint32_t depth;
    enum az_region_source source;
    int64_t instances;              /* -1: not known */
    struct az_region_sums own, all; /* exclusive, inclusive */
    /* Their device time in whole ns, rounded as running sums of the tree, so that it adds up:
     * `device` is that of the region and of those in it, and all `own` with az_ns of what is
     * outside are az_ns of the total. Less than 1 ns from the time itself. */
    struct {
        int64_t own, device;
    } ns;
    int64_t host, host_own; /* ticks; -1: not known */
    /* Ticks in which the device did nothing between the first start and the last end of the work of
     * an instance, added over instances; -1: no work, or work of several devices in one. */
    int64_t idle;
};
/* From the first start to the last end of the device work of an instance, on one device. */
struct az_region_span {
    uint32_t region, slot; /* slot of az_devices_make(AZ_BY_DEVICE) */
    int64_t first, last;   /* ticks */
};
struct az_regions {
    const struct az_region *v; /* those with an instance or device work; parents first */
    size_t n;
    struct az_region_sums total, outside; /* outside.backward: of forward work in no region */
    const uint32_t *of[AZ_KIND_COUNT];    /* device event -> innermost region, AZ_NO_ID: none */
    const struct az_region_span *works;   /* of the instances in which the device was idle */
    size_t n_works;
    size_t merged; /* instances that were too deep, or of too many names: in the region around */
};
/* NULL on failure, the error is in *rc. Without any region `n` is 0. */
const struct az_regions *az_job_regions(struct az_job *job, size_t trace, int *rc);
/* The same of modules alone, with their names as they are recorded: one region per instance of a
 * module (`Linear_3`), which users find by its number. */
const struct az_regions *az_job_modules(struct az_job *job, size_t trace, int *rc);
/* Of a rank that is reduced: places for the main cause of the idle time of each region (an
 * enum az_cause), by region, NULL where it is not requested; they live as long as job->arena. The
 * verdict of the rank, made later, fills them in. */
int az_regions_reserve_causes(struct az_job *job, int64_t **places) AZ_MUST_USE;
/* NULL: not requested. */
int64_t **az_regions_wanted_causes(struct az_job *job);
/* "train / layer.* / attention", in the job's arena; empty on failure. */
struct az_sv az_region_path(struct az_job *job, const struct az_regions *r, uint32_t region);
/* The name with its counters as `*`; in marks of an engine every number is one. `to` has room for
 * name.n bytes; returns the length. */
size_t az_region_fold(struct az_sv name, enum az_region_source source, char *to);

#endif
