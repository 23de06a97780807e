/* The data files of `configs/`, embedded at build time, so that the program needs no installation
 * to run. */
#ifndef AZ_BASE_DATA_H
#define AZ_BASE_DATA_H

#include "base/sv.h"

/* Bytes of a file by its name ("op_categories.csv"); the empty view for a name that is not
 * embedded. */
struct az_sv az_data(const char *name);

#endif
