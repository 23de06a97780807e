/* Sealing a large trace on several threads. */
#ifndef AZ_MODEL_SEAL_H
#define AZ_MODEL_SEAL_H

#include "model/trace.h"

/* az_trace_seal with kinds of events sorted side by side. The same trace whatever the threads. */
int az_trace_seal_on(struct az_trace *t, unsigned threads) AZ_MUST_USE;

#endif
