/* ops_all and, with include_overlap_info, ops_all_kl_overlap. */
#ifndef AZ_ANALYSES_OPERATORS_ARGS_H
#define AZ_ANALYSES_OPERATORS_ARGS_H

#include "analyses/operators/framework.h"

int az_framework_args_tables(struct az_job *job, struct az_framework *fw) AZ_MUST_USE;

#endif
