/* The reader of events for processors with AVX2: the Makefile compiles this file for them. */
#ifdef AZ_V3
#define AZ_PYTORCH_EVENT az_pytorch_event_v3
#include "formats/pytorch/pytorch_event_impl.h"
#else
#include "formats/pytorch/pytorch.h"
#endif
