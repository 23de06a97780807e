/* Keys that tables of any format have. A key needs only what its events carry. */
#ifndef AZ_TABLES_KEYS_H
#define AZ_TABLES_KEYS_H

#include "tables/engine.h"

extern const struct az_key az_key_name;       /* of the event */
extern const struct az_key az_key_family;     /* of a kernel's name: gemm, attention, ... */
extern const struct az_key az_key_class;      /* of a kernel's name by the user's map */
extern const struct az_key az_key_style;      /* "PushPop", "StartEnd": of rows of az_name_sums */
extern const struct az_key az_key_row_family; /* of rows of az_job_families */
extern const struct az_key az_key_rank;       /* number of the trace: az_job_rank */
extern const struct az_key az_key_device;     /* of the lane */
extern const struct az_key az_key_stream;     /* of the lane */
extern const struct az_key az_key_thread;     /* of the lane */
extern const struct az_key
    az_key_bytes; /* of a copy or fill; those of unknown size are in no row */

bool az_when_ranks(const struct az_scope *r); /* more than one trace */
/* Bytes of a copy or fill; AZ_UNKNOWN. */
int64_t az_value_bytes(const struct az_scope *r, const struct az_item *i);

#endif
