/* The user's script in the analyses of framework traces: its categories and models, all evaluated
 * before the first table, so that a script that fails leaves no trace. */
#ifndef AZ_ANALYSES_OPERATORS_EXTENSION_H
#define AZ_ANALYSES_OPERATORS_EXTENSION_H

#include "analyses/operators/framework.h"

struct az_extend;
/* Opens options.extension_file and puts its categories into f->extra. NULL: none is set, or it
 * failed (f->extension_why). */
struct az_extend *az_framework_extend_open(struct az_job *job, struct az_framework *f, int *rc);
/* Runs its models over every set of arguments and closes it. AZ_ECONFIG: one of them failed. */
int az_framework_extend_run(struct az_job *job, struct az_framework *f,
                            struct az_extend *e) AZ_MUST_USE;

#endif
