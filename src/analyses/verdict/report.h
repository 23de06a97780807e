/* The verdict of a report, for the driver. */
#ifndef AZ_ANALYSES_VERDICT_REPORT_H
#define AZ_ANALYSES_VERDICT_REPORT_H

#include "facts/job.h"

/* When all tables are made: completes job->findings (share, severity, order) and puts the table
 * `verdict` first in the document. */
int az_vd_report(struct az_job *job) AZ_MUST_USE;

#endif
