/* The file of a Perfetto trace: packets one after another, also compressed ones within packets,
 * through a window (docs/formats-rocprof.md 7.2). What is in a packet is the reader's. */
#ifndef AZ_FORMATS_SHARED_PERFETTO_H
#define AZ_FORMATS_SHARED_PERFETTO_H

#include "formats/format.h"
#include "text/protowire.h"

/* Fields of a DebugAnnotation. */
enum {
    AZ_PFTRACE_NAME_IID = 1,
    AZ_PFTRACE_BOOL = 2,
    AZ_PFTRACE_UINT = 3,
    AZ_PFTRACE_INT = 4,
    AZ_PFTRACE_DOUBLE = 5,
    AZ_PFTRACE_STRING = 6,
    AZ_PFTRACE_POINTER = 7,
    AZ_PFTRACE_JSON = 9,
    AZ_PFTRACE_NAME = 10,
    AZ_PFTRACE_ENTRY = 11,
    AZ_PFTRACE_ITEM = 12,
    AZ_PFTRACE_STRING_IID = 17
};

struct az_perfetto {
    struct az_parse *job;
    struct az_sv path;
    struct az_digest *digest; /* of the file; NULL */
    /* One packet, valid until it returns. AZ_EFORMAT: it is damaged, which is counted (not for
     * strict reading); other errors end the file. */
    int (*packet)(void *ctx, struct az_sv bytes, int64_t offset);
    void *ctx;
    uint64_t packets;
    /* private */
    struct az_source *src;
    struct az_vec_char window; /* bytes at..n are not yet used */
    size_t at;
    int64_t base; /* offset of window[0] in the (inflated) file */
    bool eof;
    int source_error;
    uint64_t damaged, zstd;
    unsigned nested;
};
/* Is a packet one of packets that are compressed by zstd (field 133, alone in it)? */
bool az_perfetto_zstd(struct az_sv packet);
/* Reads the whole file; reports truncated, damaged and zstd-compressed content. */
int az_perfetto_read(struct az_perfetto *p) AZ_MUST_USE;
/* For `packet`: the packets of a compressed one. */
int az_perfetto_compressed(struct az_perfetto *p, struct az_sv bytes, int64_t offset) AZ_MUST_USE;

#endif
