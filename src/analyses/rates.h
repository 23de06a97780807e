/* The peak rates that count for a device of an input. Private to the analyses of rooflines. */
#ifndef AZ_ANALYSES_RATES_H
#define AZ_ANALYSES_RATES_H

#include "analyses/analysis.h"
#include "perf/peaks.h"

#define AZ_HOW_FILE "gpu_arch_json_path" /* az_peaks.how */

/* By the options of the job: device_peaks over the file of gpu_arch_json_path over
 * configs/devices.csv. *found: some are known. AZ_ECONFIG with a message: device_peaks holds what
 * is no rate. */
int az_job_peaks(struct az_job *job, const struct az_device_facts *f, struct az_peaks *out,
                 bool *found) AZ_MUST_USE;

/* Upper limits of the device's kernels, whatever rates the user chose: the data sheet's
 * peaks of the trace's device, with the user's where these are higher or the only ones. False: none
 * are known. */
bool az_job_limits(struct az_job *job, const struct az_device_facts *f, struct az_peaks *out);

/* The device of a trace: of those with events the first that has a name, else the last.
 */
struct az_device_facts az_trace_device(const struct az_trace *t);
struct az_plane;
struct az_device_facts az_plane_device(const struct az_plane *p);

/* Warns that no rates are known of the device that the configuration names, with the nearest
 * name that is known. */
void az_job_unknown_device(struct az_job *job, struct az_where where);

#endif
