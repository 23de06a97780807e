#include "io/gzip_deflate.h"

#include <zlib.h>
#ifdef AZ_WITH_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#endif

#define OUT_BYTES ((size_t)64 << 10)
#define SAMPLE    ((size_t)32 << 10) /* bytes whose frequencies the codes of a stream are made of */

#ifdef AZ_WITH_ISAL
struct isal {
    struct isal_zstream s;
    struct isal_hufftables codes; /* of this stream, where it begins with enough bytes */
    struct isal_huff_histogram counts;
    bool begun;
};
#endif

struct az_deflate {
    struct az_mem *mem;
    struct az_deflate_opts o;
    bool failed, z_open;
    struct az_arena zarena; /* zlib's own state */
    z_stream z;
#ifdef AZ_WITH_ISAL
    struct isal *isal; /* NULL: zlib packs */
#endif
    char out[OUT_BYTES];
};

#ifdef AZ_WITH_ISAL
/* Level 0: with levels 1 and 2 of ISA-L 2.30 the bytes of a small stream depend on the addresses of
 * its buffers, about once in some thousand streams; level 3 takes four times as long. */
static int isal_start(struct az_deflate *d)
{
    struct isal *x = d->isal = az_mem_alloc(d->mem, sizeof *x);
    if (!x)
        return az_mem_error(d->mem);
    memset(x, 0, sizeof *x);
    isal_deflate_init(&x->s);
    x->s.level = 0;
    x->s.gzip_flag = d->o.gzip ? IGZIP_GZIP : IGZIP_DEFLATE;
    return 0;
}

static void isal_restart(struct isal *x)
{
    isal_deflate_reset(&x->s);
    isal_deflate_set_hufftables(&x->s, NULL, IGZIP_HUFFTABLE_DEFAULT);
    x->begun = false;
}

/* Level 0 codes by fixed tables, which packs rows of sheets a fifth worse than tables of their own
 * frequencies do. Those take the instructions of packing 50 KB. */
static void choose_codes(struct isal *x, const char *p, size_t n)
{
    if (n < 2 * SAMPLE)
        return;
    memset(&x->counts, 0, sizeof x->counts);
    isal_update_histogram((uint8_t *)p, SAMPLE, &x->counts);
    if (isal_create_hufftables(&x->codes, &x->counts) == 0)
        isal_deflate_set_hufftables(&x->s, &x->codes, IGZIP_HUFFTABLE_CUSTOM);
}

static void isal_step(struct az_deflate *d, const char *p, uint32_t n, bool last, bool flush)
{
    struct isal_zstream *s = &d->isal->s;
    if (!d->isal->begun)
        choose_codes(d->isal, p, n);
    d->isal->begun = true;
    s->next_in = (uint8_t *)p;
    s->avail_in = n;
    s->end_of_stream = last;
    s->flush = flush ? SYNC_FLUSH : NO_FLUSH;
    do {
        s->next_out = (uint8_t *)d->out;
        s->avail_out = OUT_BYTES;
        d->failed |= isal_deflate(s) != COMP_OK;
        d->failed = d->failed || !d->o.write(d->o.to, d->out, OUT_BYTES - s->avail_out);
    } while (!d->failed && s->avail_out == 0);
    d->failed |= s->avail_in != 0;
}
#endif

static void *zlib_alloc(void *arena, unsigned n, unsigned size)
{
    return az_arena_array(arena, n, size);
}
static void zlib_free(void *arena, void *p) { (void)arena, (void)p; }

static int zlib_start(struct az_deflate *d)
{
    d->z = (z_stream){ .zalloc = zlib_alloc, .zfree = zlib_free, .opaque = &d->zarena };
    int r = deflateInit2(&d->z, d->o.zlib_level, Z_DEFLATED,
                         d->o.gzip ? 16 + MAX_WBITS : -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    d->z_open = r == Z_OK;
    return r == Z_OK ? 0 : r == Z_MEM_ERROR ? az_arena_error(&d->zarena) : AZ_EINTERNAL;
}

static void zlib_step(struct az_deflate *d, const char *p, uint32_t n, bool last, bool flush)
{
    const int how = last ? Z_FINISH : flush ? Z_SYNC_FLUSH : Z_NO_FLUSH;
    d->z.next_in = (Bytef *)p;
    d->z.avail_in = n;
    do {
        d->z.next_out = (Bytef *)d->out;
        d->z.avail_out = OUT_BYTES;
        d->failed |= deflate(&d->z, how) == Z_STREAM_ERROR;
        d->failed = d->failed || !d->o.write(d->o.to, d->out, OUT_BYTES - d->z.avail_out);
    } while (!d->failed && d->z.avail_out == 0);
}

static bool by_isal(enum az_inflater which)
{
    return which != AZ_INFLATE_ZLIB && az_inflater_has(AZ_INFLATE_ISAL);
}

int az_deflate_new(struct az_deflate **out, const struct az_deflate_opts *o, struct az_mem *mem)
{
    struct az_deflate *d = az_mem_alloc(mem, sizeof *d);
    *out = NULL;
    if (!d)
        return az_mem_error(mem);
    memset(d, 0, offsetof(struct az_deflate, out));
    d->mem = mem;
    d->o = *o;
    az_arena_init(&d->zarena, mem);
    int rc = 0;
#ifdef AZ_WITH_ISAL
    if (by_isal(o->which))
        rc = isal_start(d);
#endif
    if (!by_isal(o->which))
        rc = zlib_start(d);
    if (rc) {
        az_deflate_free(d);
        return rc;
    }
    *out = d;
    return 0;
}

void az_deflate_restart(struct az_deflate *d, bool (*write)(void *, const char *, size_t), void *to)
{
    d->o.write = write;
    d->o.to = to;
#ifdef AZ_WITH_ISAL
    if (d->isal) {
        isal_restart(d->isal);
        return;
    }
#endif
    d->failed |= deflateReset(&d->z) != Z_OK;
}

static void pack_step(struct az_deflate *d, const char *p, uint32_t n, bool last, bool flush)
{
#ifdef AZ_WITH_ISAL
    if (d->isal) {
        isal_step(d, p, n, last, flush);
        return;
    }
#endif
    zlib_step(d, p, n, last, flush);
}

bool az_deflate_flush(struct az_deflate *d)
{
    if (!d->failed)
        pack_step(d, "", 0, false, true);
    return !d->failed;
}

bool az_deflate_add(struct az_deflate *d, const char *p, size_t n, bool last)
{
    const size_t most = (size_t)1 << 30; /* the libraries count in 32 bits */
    while (!d->failed && (n || last)) {
        const uint32_t part = (uint32_t)(n < most ? n : most);
        const bool end = last && part == n;
        pack_step(d, p, part, end, false);
        p += part;
        n -= part;
        last = last && !end;
    }
    return !d->failed;
}

uint32_t az_deflate_sum(uint32_t sum, const char *p, size_t n)
{
#ifdef AZ_WITH_ISAL
    return crc32_gzip_refl(sum, (const unsigned char *)p, n);
#else
    return (uint32_t)crc32_z(sum, (const unsigned char *)p, n);
#endif
}

uint32_t az_deflate_sum_join(uint32_t first, uint32_t second, uint64_t n)
{
    return (uint32_t)crc32_combine(first, second, (z_off_t)n);
}

void az_deflate_free(struct az_deflate *d)
{
    if (!d)
        return;
    if (d->z_open)
        (void)deflateEnd(&d->z);
    az_arena_release(&d->zarena);
#ifdef AZ_WITH_ISAL
    if (d->isal)
        az_mem_free(d->mem, d->isal, sizeof *d->isal);
#endif
    az_mem_free(d->mem, d, sizeof *d);
}
