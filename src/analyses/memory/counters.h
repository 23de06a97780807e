/* What the tables of sampled counters share (docs/formulas-pytorch.md 16). */
#ifndef AZ_ANALYSES_MEMORY_COUNTERS_H
#define AZ_ANALYSES_MEMORY_COUNTERS_H

#include "facts/lazy_cache.h"

/* Is a counter of this device to be read over work on that one? One of no device is of all. */
static inline bool az_counter_of(const struct az_sampled *c, int64_t device)
{
    return c->device < 0 || device < 0 || c->device == device;
}
/* Percent where the name has a unit: "SM Active (%)", "SMs Active [Throughput %]". */
enum az_unit az_counter_unit(struct az_sv name);
/* What is in brackets at the end of the name: "W" of "GPU Power (W)". Empty: nothing. */
struct az_sv az_counter_unit_text(struct az_sv name);

struct az_counter_row {
    int64_t rank, device;             /* device -1: of none */
    struct az_sv counter, unit, step; /* unit: from the counter's name; empty: none */
    int64_t samples;
    double mean, least, most, busy, covered_ms;
};
AZ_VEC(struct az_counter_row, az_counter_rows);
/* Adds the counters of a trace, each over all its samples. Texts live as long as the document. */
int az_counters_whole(struct az_job *job, size_t trace, struct az_counter_rows *rows) AZ_MUST_USE;
/* The table of them, and a row. */
struct az_table *az_counters_table(struct az_job *job, bool ranks);
void az_counters_put(struct az_table *t, const struct az_counter_row *row);

/* Windows of kernels, operators and ranges by name, with a column for each counter
 * (counters_of.c). */
int az_counters_of_names(struct az_job *job) AZ_MUST_USE;

#endif
