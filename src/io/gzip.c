/* The only file that uses zlib and ISA-L. ISA-L inflates traces three times faster and is optional
 * at build time; zlib is always there, and tests run both. */
#include "io/gzip.h"

#include <zlib.h>
#ifdef AZ_WITH_ISAL
#include <isa-l/igzip_lib.h>
#endif

/* Both libraries count in 32 bits. */
#define STEP_MAX ((size_t)1 << 30)

struct az_gzip {
    struct az_mem *mem;
    enum az_inflater which;
    struct az_arena zarena; /* zlib's own state: its free function has no size argument */
    z_stream z;
    bool z_open;
#ifdef AZ_WITH_ISAL
    struct inflate_state *isal;
    struct isal_gzip_header head; /* isal_inflate forgets its flags where input ends inside it */
    bool in_head;
#endif
};

bool az_inflater_has(enum az_inflater which)
{
#ifdef AZ_WITH_ISAL
    (void)which;
    return true;
#else
    return which != AZ_INFLATE_ISAL;
#endif
}

/* ---- zlib ---- */

static void *zlib_alloc(void *arena, unsigned n, unsigned size)
{
    return az_arena_array(arena, n, size);
}
static void zlib_free(void *arena, void *p) { (void)arena, (void)p; }

static int zlib_start(struct az_gzip *g)
{
    az_arena_init(&g->zarena, g->mem);
    g->z = (z_stream){ .zalloc = zlib_alloc, .zfree = zlib_free, .opaque = &g->zarena };
    int r = inflateInit2(&g->z, 16 + MAX_WBITS); /* 16: a gzip wrapper and nothing else */
    if (r == Z_MEM_ERROR)
        return az_arena_error(&g->zarena);
    if (r != Z_OK)
        return AZ_EINTERNAL;
    g->z_open = true;
    return 0;
}

static enum az_gzip_step zlib_verdict(const z_stream *z, int r)
{
    if (r == Z_STREAM_END)
        return AZ_GZIP_MEMBER_END;
    if (r == Z_OK || r == Z_BUF_ERROR)
        return AZ_GZIP_GOING;
    if (r == Z_MEM_ERROR)
        return AZ_GZIP_NO_MEMORY;
    struct az_sv why = az_sv_str(z->msg);
    if (az_sv_is(why, "incorrect data check") || az_sv_is(why, "incorrect length check"))
        return AZ_GZIP_BAD_SUM;
    if (az_sv_is(why, "incorrect header check") || az_sv_is(why, "unknown compression method") ||
        az_sv_is(why, "unknown header flags set") || az_sv_is(why, "header crc mismatch"))
        return AZ_GZIP_BAD_HEADER;
    return AZ_GZIP_BAD_DATA;
}

static enum az_gzip_step zlib_step(struct az_gzip *g, struct az_sv in, size_t *used, char *out,
                                   size_t room, size_t *made)
{
    g->z.next_in = (z_const Bytef *)(uintptr_t)in.p; /* zlib does not write to its input */
    g->z.avail_in = (uInt)in.n;
    g->z.next_out = (Bytef *)out;
    g->z.avail_out = (uInt)room;
    int r = inflate(&g->z, Z_NO_FLUSH);
    *used = in.n - g->z.avail_in;
    *made = room - g->z.avail_out;
    return zlib_verdict(&g->z, r);
}

/* ---- ISA-L ---- */

#ifdef AZ_WITH_ISAL
static void isal_begin(struct az_gzip *g)
{
    g->isal->crc_flag = ISAL_GZIP_NO_HDR_VER; /* checksum and length verified */
    isal_gzip_header_init(&g->head);
    g->in_head = true;
}

static int isal_start(struct az_gzip *g)
{
    g->isal = az_mem_alloc(g->mem, sizeof *g->isal);
    if (!g->isal)
        return az_mem_error(g->mem);
    isal_inflate_init(g->isal);
    isal_begin(g);
    return 0;
}

static enum az_gzip_step isal_verdict(const struct inflate_state *s, int r)
{
    switch (r) {
    case ISAL_DECOMP_OK:
    case ISAL_END_INPUT:
    case ISAL_OUT_OVERFLOW:
        /* FINISH: all output was passed on, and the checksum was compared. */
        return s->block_state == ISAL_BLOCK_FINISH ? AZ_GZIP_MEMBER_END : AZ_GZIP_GOING;
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD:
        return AZ_GZIP_BAD_HEADER;
    case ISAL_INCORRECT_CHECKSUM:
        return AZ_GZIP_BAD_SUM;
    default:
        return AZ_GZIP_BAD_DATA;
    }
}

static enum az_gzip_step isal_step(struct az_gzip *g, struct az_sv in, size_t *used, char *out,
                                   size_t room, size_t *made)
{
    struct inflate_state *s = g->isal;
    s->next_in = (uint8_t *)(uintptr_t)in.p; /* ISA-L does not write to its input */
    s->avail_in = (uint32_t)in.n;
    s->next_out = (uint8_t *)out;
    s->avail_out = (uint32_t)room;
    int r = g->in_head ? isal_read_gzip_header(s, &g->head) : ISAL_DECOMP_OK;
    g->in_head = g->in_head && r != ISAL_DECOMP_OK;
    if (r == ISAL_DECOMP_OK)
        r = isal_inflate(s);
    /* In damaged data ISA-L may count more than its input: then avail_in has wrapped around. */
    *used = s->avail_in <= in.n ? in.n - s->avail_in : in.n;
    *made = room - s->avail_out;
    return isal_verdict(s, r);
}
#endif

/* ---- one face ---- */

static enum az_inflater pick_inflater(enum az_inflater which)
{
    if (which != AZ_INFLATE_BEST)
        return which;
    return az_inflater_has(AZ_INFLATE_ISAL) ? AZ_INFLATE_ISAL : AZ_INFLATE_ZLIB;
}

int az_gzip_new(struct az_gzip **out, enum az_inflater which, struct az_mem *mem)
{
    *out = NULL;
    struct az_gzip *g = az_mem_alloc(mem, sizeof *g);
    if (!g)
        return az_mem_error(mem);
    *g = (struct az_gzip){ .mem = mem, .which = pick_inflater(which) };
    int r = AZ_EINTERNAL;
#ifdef AZ_WITH_ISAL
    if (g->which == AZ_INFLATE_ISAL)
        r = isal_start(g);
#endif
    if (g->which == AZ_INFLATE_ZLIB)
        r = zlib_start(g);
    if (r != 0) {
        az_gzip_free(g);
        return r;
    }
    *out = g;
    return 0;
}

void az_gzip_free(struct az_gzip *g)
{
    if (!g)
        return;
    if (g->z_open)
        (void)inflateEnd(&g->z);
    if (g->which == AZ_INFLATE_ZLIB)
        az_arena_release(&g->zarena);
#ifdef AZ_WITH_ISAL
    if (g->isal)
        az_mem_free(g->mem, g->isal, sizeof *g->isal);
#endif
    az_mem_free(g->mem, g, sizeof *g);
}

void az_gzip_restart(struct az_gzip *g)
{
#ifdef AZ_WITH_ISAL
    if (g->which == AZ_INFLATE_ISAL) {
        isal_inflate_reset(g->isal);
        isal_begin(g);
        return;
    }
#endif
    (void)inflateReset(&g->z);
}

enum az_gzip_step az_gzip_inflate(struct az_gzip *g, struct az_sv in, size_t *used, char *out,
                                  size_t room, size_t *made)
{
    if (in.n > STEP_MAX)
        in.n = STEP_MAX;
    if (room > STEP_MAX)
        room = STEP_MAX;
#ifdef AZ_WITH_ISAL
    if (g->which == AZ_INFLATE_ISAL)
        return isal_step(g, in, used, out, room, made);
#endif
    return zlib_step(g, in, used, out, room, made);
}

/* ---- one stream in memory ---- */

int az_inflate_block(struct az_sv in, size_t max, struct az_vec_char *out)
{
    struct az_arena own;
    az_arena_init(&own, out->mem);
    z_stream z = { .zalloc = zlib_alloc, .zfree = zlib_free, .opaque = &own };
    const size_t from = out->n;
    int rc = 0, r = inflateInit2(&z, 32 + MAX_WBITS); /* 32: either wrapper */
    if (r != Z_OK) {
        rc = r == Z_MEM_ERROR ? az_arena_error(&own) : AZ_EINTERNAL;
        goto out;
    }
    z.next_in = (z_const Bytef *)(uintptr_t)in.p;
    z.avail_in = (uInt)(in.n < STEP_MAX ? in.n : STEP_MAX);
    while (r == Z_OK) {
        if (out->n - from >= max) {
            rc = AZ_ERANGE;
            break;
        }
        size_t room = max - (out->n - from) < 65536 ? max - (out->n - from) : 65536;
        rc = az_vec_reserve(out, room);
        if (rc != 0)
            break;
        z.next_out = (Bytef *)out->v + out->n;
        z.avail_out = (uInt)room;
        r = inflate(&z, Z_NO_FLUSH);
        out->n += room - z.avail_out;
    }
    if (rc == 0 && r != Z_STREAM_END)
        rc = r == Z_MEM_ERROR ? az_arena_error(&own) : AZ_EFORMAT;
    (void)inflateEnd(&z);
out:
    az_arena_release(&own);
    return rc;
}
