/* The only file that uses libzstd. Its memory is charged, as all of an input is: for that it has
 * to be passed an allocator, by a part of its interface that is declared only on request. */
#define ZSTD_STATIC_LINKING_ONLY
#include "io/zstd_inflate.h"

bool az_zstd_begins(struct az_sv v)
{
    return v.n >= 4 &&
           (memcmp(v.p, "\x28\xb5\x2f\xfd", 4) == 0 ||
            (((unsigned char)v.p[0] & 0xf0) == 0x50 && memcmp(v.p + 1, "\x2a\x4d\x18", 3) == 0));
}

#ifdef AZ_WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

struct az_zstd {
    struct az_mem *mem;
    ZSTD_DCtx *z;
};

/* A block with its size: the library's free function is not set it. */
union block {
    size_t size;
    max_align_t aligned;
};

static void *zstd_alloc(void *mem, size_t size)
{
    size_t bytes;
    union block *b = az_size_add(size, sizeof *b, &bytes) ? az_mem_alloc(mem, bytes) : NULL;
    if (!b)
        return NULL;
    b->size = bytes;
    return b + 1;
}

static void zstd_free(void *mem, void *p)
{
    union block *b = p ? (union block *)p - 1 : NULL;
    if (b)
        az_mem_free(mem, b, b->size);
}

int az_zstd_new(struct az_zstd **out, struct az_mem *mem)
{
    const ZSTD_customMem of = { zstd_alloc, zstd_free, mem };
    struct az_zstd *x = az_mem_alloc(mem, sizeof *x);
    *out = NULL;
    if (!x)
        return az_mem_error(mem);
    *x = (struct az_zstd){ .mem = mem, .z = ZSTD_createDCtx_advanced(of) };
    if (!x->z) {
        az_mem_free(mem, x, sizeof *x);
        return az_mem_error(mem);
    }
    *out = x;
    return 0;
}

void az_zstd_free(struct az_zstd *x)
{
    if (!x)
        return;
    (void)ZSTD_freeDCtx(x->z);
    az_mem_free(x->mem, x, sizeof *x);
}

void az_zstd_restart(struct az_zstd *x) { (void)ZSTD_DCtx_reset(x->z, ZSTD_reset_session_only); }

static enum az_gzip_step failed(size_t code)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return AZ_GZIP_NO_MEMORY;
    case ZSTD_error_checksum_wrong:
        return AZ_GZIP_BAD_SUM;
    case ZSTD_error_prefix_unknown:
    case ZSTD_error_version_unsupported:
    case ZSTD_error_frameParameter_unsupported:
    case ZSTD_error_frameParameter_windowTooLarge:
    case ZSTD_error_dictionary_wrong:
        return AZ_GZIP_BAD_HEADER;
    default:
        return AZ_GZIP_BAD_DATA;
    }
}

enum az_gzip_step az_zstd_inflate(struct az_zstd *x, struct az_sv in, size_t *used, char *out,
                                  size_t room, size_t *made)
{
    ZSTD_inBuffer from = { in.p, in.n, 0 };
    ZSTD_outBuffer to = { out, room, 0 };
    const size_t left = ZSTD_decompressStream(x->z, &to, &from);
    *used = from.pos;
    *made = to.pos;
    if (ZSTD_isError(left))
        return failed(left);
    return left == 0 ? AZ_GZIP_MEMBER_END : AZ_GZIP_GOING;
}
#else
int az_zstd_new(struct az_zstd **out, struct az_mem *mem)
{
    (void)mem;
    *out = NULL;
    return AZ_EINTERNAL;
}
void az_zstd_free(struct az_zstd *z) { (void)z; }
void az_zstd_restart(struct az_zstd *z) { (void)z; }
enum az_gzip_step az_zstd_inflate(struct az_zstd *z, struct az_sv in, size_t *used, char *out,
                                  size_t room, size_t *made)
{
    (void)z, (void)in, (void)out, (void)room;
    *used = *made = 0;
    return AZ_GZIP_BAD_DATA;
}
#endif
