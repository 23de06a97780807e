/* The output formats: one row each; a const struct az_report az_report_NAME in a file of this
 * folder. */
#ifndef AZ_REPORTS_LIST_H
#define AZ_REPORTS_LIST_H

#include "reports/report.h"

/* clang-format off */
#define AZ_REPORTS(X) \
    X(csv) \
    X(json) \
    X(xlsx) \
    X(html) \
    X(sqlite) \
    X(markdown) \
    X(verdict) \
    X(junit) \
    X(github) \
    X(github_comment) \
    X(openmetrics)
/* clang-format on */

#define AZ_REPORT_DECLARE(name) extern const struct az_report az_report_##name;
AZ_REPORTS(AZ_REPORT_DECLARE)

#endif
