/* What the operations of a report could save. Private to this folder. */
#ifndef AZ_ANALYSES_OP_REPORT_FINDINGS_H
#define AZ_ANALYSES_OP_REPORT_FINDINGS_H

#include "analyses/op_report/scope.h"

/* Findings into the totals: idle time by what is around it, operations by their bound. gaps: idle
 * time can be judged; rates: rates can. rows: operations of the scope, devices merged. */
int az_op_report_find(struct az_op_report_scope *s, const struct az_op_report_rows *rows, bool gaps,
                      bool rates, struct az_op_report_totals *out) AZ_MUST_USE;

#endif
