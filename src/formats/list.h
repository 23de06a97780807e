/* The input formats: one row each; a const struct az_format az_format_NAME in a file of the folder
 * of its profiler. */
#ifndef AZ_FORMATS_LIST_H
#define AZ_FORMATS_LIST_H

#include "formats/format.h"

/* clang-format off */
#define AZ_FORMATS(X) \
    X(nsys_csv) \
    X(nsys_sqlite) \
    X(nsys_rep) \
    X(pytorch) \
    X(pytorch_pftrace) \
    X(tracy) \
    X(rocprof) \
    X(rocpd) \
    X(pftrace) \
    X(xplane)
/* clang-format on */

#define AZ_FORMAT_DECLARE(name) extern const struct az_format az_format_##name;
AZ_FORMATS(AZ_FORMAT_DECLARE)

#endif
