/* The steps "side by side" and "comparison" of a run. */
#include "driver/followup.h"

int az_step_side_by_side(struct az_followup *f, struct az_diag *diag)
{
    (void)f;
    (void)diag;
    return AZ_OK;
}

int az_step_compare(struct az_followup *f, struct az_diag *diag)
{
    (void)f;
    (void)diag;
    return AZ_OK;
}
