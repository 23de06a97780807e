/* Sealing a large trace on several threads. */
#ifndef AZ_MODEL_FINALIZE_H
#define AZ_MODEL_FINALIZE_H

#include "model/trace.h"

/* az_trace_finalize with kinds of events sorted and names classified in parallel. The trace does
 * not depend on the threads. */
int az_trace_finalize_on(struct az_trace *t, unsigned threads) AZ_MUST_USE;
int az_trace_classify_on(struct az_trace *t, unsigned threads) AZ_MUST_USE;

#endif
