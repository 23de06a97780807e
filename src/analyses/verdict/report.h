/* The verdict of a report, for a run. */
#ifndef AZ_ANALYSES_VERDICT_REPORT_H
#define AZ_ANALYSES_VERDICT_REPORT_H

#include "facts/job.h"

/* The verdict of the only trace of a job, made concurrently with other analyses: needs no table.
 * For a job of several traces and for operation reports it does nothing. */
int az_verdict_prepare(struct az_job *job) AZ_MUST_USE;
/* When all tables are made: completes job->findings (share, severity, order) and puts the table
 * `verdict` first in the document. */
int az_verdict_report(struct az_job *job) AZ_MUST_USE;

#endif
