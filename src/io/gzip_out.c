/* Writing gzip: what is collected here is packed by gzip_deflate.c into an output file. */
#include "io/gzip_out.h"

#include "io/gzip_deflate.h"
#include "io/oserror.h"

#define IN_BYTES   ((size_t)256 << 10)
#define ZLIB_LEVEL 3

struct az_gzfile {
    struct az_mem *mem;
    struct az_outfile *file;
    struct az_deflate *deflate;
    bool failed;
    size_t n;
    char in[IN_BYTES];
};

static void release(struct az_gzfile *f)
{
    az_deflate_free(f->deflate);
    az_mem_free(f->mem, f, sizeof *f);
}

static bool take_bytes(void *file, const char *p, size_t n)
{
    az_outfile_write(file, p, n); /* which remembers its failures */
    return true;
}

static void deflate_step(struct az_gzfile *f, bool last)
{
    f->failed = f->failed || !az_deflate_add(f->deflate, f->in, f->n, last);
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
    int rc = az_outfile_open(&f->file, path, diag);
    if (rc)
        goto fail;
    const struct az_deflate_opts o = {
        .which = which, .gzip = true, .zlib_level = ZLIB_LEVEL, .write = take_bytes, .to = f->file
    };
    if (az_deflate_new(&f->deflate, &o, mem)) {
        az_outfile_abort(f->file);
        rc = IO_NO_MEMORY(diag, AZ_AT_FILE(az_sv_str(path)), mem);
        goto fail;
    }
    *out = f;
    return 0;
fail:
    release(f);
    return rc;
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
            deflate_step(f, false);
        if (f->failed)
            return;
    }
}

int az_gzfile_finish(struct az_gzfile *f, struct az_outfile **file)
{
    deflate_step(f, true);
    const bool failed = f->failed;
    *file = failed ? NULL : f->file;
    if (failed)
        az_outfile_abort(f->file);
    release(f);
    return failed ? AZ_EINTERNAL : 0;
}

int az_gzfile_commit(struct az_gzfile *f)
{
    struct az_outfile *file;
    const int rc = az_gzfile_finish(f, &file);
    return rc ? rc : az_outfile_commit(file);
}

void az_gzfile_abort(struct az_gzfile *f)
{
    if (!f)
        return;
    az_outfile_abort(f->file);
    release(f);
}
