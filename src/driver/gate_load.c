/* Baselines read from files. */
#include "driver/gates.h"

int az_gate_load_baseline(struct az_gate_step *s, struct az_gate_in *in)
{
    (void)in;
    return az_diag_fail(s->diag, AZ_ECONFIG, s->c->gates.where, "baseline '%.*s': not read yet",
                        AZ_SVF(s->c->gates.baseline));
}
