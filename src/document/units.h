/* Units of columns by their names. */
#ifndef AZ_DOCUMENT_UNITS_H
#define AZ_DOCUMENT_UNITS_H

#include "document/table.h"

/* The unit in a column's name ("(µs)", "_ms", "time ms", "(%)", "TFLOPS/s");
 * AZ_UNIT_NONE if none. */
enum az_unit az_unit_of_column(struct az_sv name, enum az_cell_type type);

#endif
