#include "formats/shared/json_input.h"

int az_json_input_read(struct az_parse *job, struct az_source *src, bool *bad, void *buf, size_t n,
                       size_t *got)
{
    if (job->progress)
        atomic_store_explicit(job->progress, az_source_consumed(src), memory_order_relaxed);
    if (job->cancelled && job->cancelled(job->ctx))
        return AZ_EINTR;
    *got = 0;
    const int rc = *bad ? 0 : az_source_read(src, buf, n, got);
    if (rc != AZ_EFORMAT)
        return rc;
    *bad = true;
    return 0;
}
