/* The machine that a file of rocprofv3 was recorded on. */
#ifndef AZ_FORMATS_ROCM_ROCPROF_MACHINE_H
#define AZ_FORMATS_ROCM_ROCPROF_MACHINE_H

#include "formats/format.h"

/* See az_format.machine: of a database, and of a document. */
int az_rocpd_machine(struct az_sv path, struct az_arena *a, struct az_sv *machine) AZ_MUST_USE;
int az_rocprof_machine(struct az_sv path, struct az_arena *a, struct az_sv *machine) AZ_MUST_USE;

#endif
