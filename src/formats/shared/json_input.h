/* A JSON document as a stream, for the scanner (text/jsonscan.h). */
#ifndef AZ_FORMATS_SHARED_JSON_INPUT_H
#define AZ_FORMATS_SHARED_JSON_INPUT_H

#include "formats/format.h"
#include "io/source.h"

/* Reads on, up to n bytes; *got 0: the end. Reports progress; AZ_EINTR if the job is canceled.
 * *bad is set where a gzip stream breaks off: what came before it is used, and that is the end. */
int az_json_input_read(struct az_parse *job, struct az_source *src, bool *bad, void *buf, size_t n,
                       size_t *got) AZ_MUST_USE;

#endif
