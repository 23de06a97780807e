/* The sheets of the programs of TraceLens (tables/sheet_set.h, docs/from-tracelens.md). */
#ifndef AZ_COMPAT_TRACELENS_SHEET_SETS_H
#define AZ_COMPAT_TRACELENS_SHEET_SETS_H

#include "tables/sheet_set.h"

extern const struct az_sheet_set az_tracelens_inference, az_tracelens_hip_api,
    az_tracelens_hip_activity, az_tracelens_memory_copy, az_tracelens_collectives,
    az_tracelens_multirank, az_tracelens_compare, az_tracelens_jax, az_tracelens_genesis;

#define AZ_TRACELENS_SHEET_SETS                                                                    \
    &az_tracelens_inference, &az_tracelens_hip_api, &az_tracelens_hip_activity,                    \
        &az_tracelens_memory_copy, &az_tracelens_collectives, &az_tracelens_multirank,             \
        &az_tracelens_compare, &az_tracelens_jax, &az_tracelens_genesis,

#endif
