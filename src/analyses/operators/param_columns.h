/* The columns "param: X" of a table of operations by parameters: one for every parameter that any
 * of them has. */
#ifndef AZ_ANALYSES_OPERATORS_PARAM_COLUMNS_H
#define AZ_ANALYSES_OPERATORS_PARAM_COLUMNS_H

#include "document/table.h"
#include "perf/perf.h"

#define AZ_PARAM_COLUMNS 48 /* distinct parameter names of one table; further ones are skipped */

struct az_param_columns {
    const char *name[AZ_PARAM_COLUMNS]; /* in order of appearance */
    enum az_perf_kind kind[AZ_PARAM_COLUMNS];
    unsigned n;
};
/* Takes note of a parameter of some row, before the columns are made. Its name must outlive *c. */
void az_param_note(struct az_param_columns *c, const struct az_perf_param *p);
void az_param_columns_make(const struct az_param_columns *c, struct az_table *t);
/* The cells of a row with these parameters; texts are kept as given or made in the table's arena.
 */
void az_param_put(const struct az_param_columns *c, struct az_table *t,
                  const struct az_perf_param *p, unsigned n);

#endif
