/* Colors of the parts of time and of the families of work: the same on every page, in every chart
 * and in workbooks. */
#ifndef AZ_REPORTS_SHARED_PALETTE_H
#define AZ_REPORTS_SHARED_PALETTE_H

#include <stdint.h>

#include "base/sv.h"

struct az_paint {
    const char *variable; /* of the style sheet (html.css): "f5", "gap" */
    uint32_t rgb;         /* its value on a light page */
};
/* By the name of a series or a label, in any case: "Exposed communication", "idle_time", "gemm".
 * False: it has no color of its own. */
bool az_palette_find(struct az_sv name, struct az_paint *out);

#endif
