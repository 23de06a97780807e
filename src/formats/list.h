/* The input formats of this folder, for registry.c. */
#ifndef AZ_FORMATS_LIST_H
#define AZ_FORMATS_LIST_H

#include "formats/format.h"

extern const struct az_format az_format_nsys_csv, az_format_nsys_sqlite, az_format_nsys_rep;
extern const struct az_format az_format_pytorch;
extern const struct az_format az_format_tracy;
extern const struct az_format az_format_rocprof, az_format_rocpd, az_format_pftrace;
extern const struct az_format az_format_xplane;

#endif
