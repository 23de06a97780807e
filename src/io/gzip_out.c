/* Writing gzip by ISA-L or zlib. ISA-L compresses traces about five times faster than zlib at a
 * like size. */
#include "io/gzip_out.h"

#include <zlib.h>
#ifdef AZ_WITH_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include "io/oserror.h"

#define IN_BYTES   ((size_t)256 << 10)
#define OUT_BYTES  ((size_t)64 << 10)
#define ZLIB_LEVEL 3

struct az_gzfile {
    struct az_mem *mem;
    struct az_outfile *file;
    bool isal, failed, z_open;
    struct az_arena zarena; /* zlib's own state */
    z_stream z;
#ifdef AZ_WITH_ISAL
    struct isal_zstream *s;
    uint8_t *level;
#endif
    size_t n;
    char in[IN_BYTES];
    char out[OUT_BYTES];
};

static void *zlib_alloc(void *arena, unsigned n, unsigned size)
{
    return az_arena_array(arena, n, size);
}
static void zlib_free(void *arena, void *p) { (void)arena, (void)p; }

static void release(struct az_gzfile *f)
{
    if (f->z_open)
        (void)deflateEnd(&f->z);
    az_arena_release(&f->zarena);
#ifdef AZ_WITH_ISAL
    if (f->level)
        az_mem_free(f->mem, f->level, ISAL_DEF_LVL1_DEFAULT);
    if (f->s)
        az_mem_free(f->mem, f->s, sizeof *f->s);
#endif
    az_mem_free(f->mem, f, sizeof *f);
}

#ifdef AZ_WITH_ISAL
static int isal_start(struct az_gzfile *f)
{
    f->s = az_mem_alloc(f->mem, sizeof *f->s);
    f->level = az_mem_alloc(f->mem, ISAL_DEF_LVL1_DEFAULT);
    if (!f->s || !f->level)
        return az_mem_error(f->mem);
    memset(f->s, 0, sizeof *f->s);
    memset(f->level, 0, ISAL_DEF_LVL1_DEFAULT);
    isal_deflate_init(f->s);
    f->s->level = 1;
    f->s->level_buf = f->level;
    f->s->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    f->s->gzip_flag = IGZIP_GZIP;
    return 0;
}

static void isal_step(struct az_gzfile *f, bool last)
{
    f->s->next_in = (uint8_t *)f->in;
    f->s->avail_in = (uint32_t)f->n;
    f->s->end_of_stream = last;
    f->s->flush = NO_FLUSH;
    do {
        f->s->next_out = (uint8_t *)f->out;
        f->s->avail_out = OUT_BYTES;
        f->failed |= isal_deflate(f->s) != COMP_OK;
        az_outfile_write(f->file, f->out, OUT_BYTES - f->s->avail_out);
    } while (!f->failed && f->s->avail_out == 0);
    f->failed |= f->s->avail_in != 0;
}
#endif

static int zlib_start(struct az_gzfile *f)
{
    f->z = (z_stream){ .zalloc = zlib_alloc, .zfree = zlib_free, .opaque = &f->zarena };
    int r = deflateInit2(&f->z, ZLIB_LEVEL, Z_DEFLATED, 16 + MAX_WBITS, 8,
                         Z_DEFAULT_STRATEGY); /* 16: gzip */
    f->z_open = r == Z_OK;
    return r == Z_OK ? 0 : r == Z_MEM_ERROR ? az_arena_error(&f->zarena) : AZ_EINTERNAL;
}

static void zlib_step(struct az_gzfile *f, bool last)
{
    f->z.next_in = (Bytef *)f->in;
    f->z.avail_in = (uInt)f->n;
    do {
        f->z.next_out = (Bytef *)f->out;
        f->z.avail_out = OUT_BYTES;
        f->failed |= deflate(&f->z, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR;
        az_outfile_write(f->file, f->out, OUT_BYTES - f->z.avail_out);
    } while (!f->failed && f->z.avail_out == 0);
}

static void step(struct az_gzfile *f, bool last)
{
    if (f->failed)
        return;
#ifdef AZ_WITH_ISAL
    if (f->isal)
        isal_step(f, last);
#endif
    if (!f->isal)
        zlib_step(f, last);
    f->n = 0;
}

int az_gzfile_open(struct az_gzfile **out, const char *path, enum az_inflater which,
                   struct az_mem *mem, struct az_diag *diag)
{
    struct az_gzfile *f = az_mem_alloc(mem, sizeof *f);
    *out = NULL;
    if (!f)
        return IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(path)), mem);
    memset(f, 0, offsetof(struct az_gzfile, in));
    f->mem = mem;
    az_arena_init(&f->zarena, mem);
    f->isal = which != AZ_INFLATE_ZLIB && az_inflater_has(AZ_INFLATE_ISAL);
    int rc = 0;
#ifdef AZ_WITH_ISAL
    if (f->isal)
        rc = isal_start(f);
#endif
    if (!f->isal)
        rc = zlib_start(f);
    if (rc)
        rc = IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(path)), mem);
    else
        rc = az_outfile_open(&f->file, path, diag);
    if (rc) {
        release(f);
        return rc;
    }
    *out = f;
    return 0;
}

void az_gzfile_write(struct az_gzfile *f, const void *p, size_t n)
{
    const char *from = p;
    while (n) {
        size_t part = IN_BYTES - f->n < n ? IN_BYTES - f->n : n;
        memcpy(f->in + f->n, from, part);
        f->n += part;
        from += part;
        n -= part;
        if (f->n == IN_BYTES)
            step(f, false);
        if (f->failed)
            return;
    }
}

int az_gzfile_commit(struct az_gzfile *f)
{
    int rc = AZ_EINTERNAL;
    step(f, true);
    if (f->failed)
        az_outfile_abort(f->file);
    else
        rc = az_outfile_commit(f->file);
    release(f);
    return rc;
}

void az_gzfile_abort(struct az_gzfile *f)
{
    if (!f)
        return;
    az_outfile_abort(f->file);
    release(f);
}
