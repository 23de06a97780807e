/* What the harnesses of input formats share: the bytes as a file, read by the format, sealed, given
 * back. */
#ifndef AZ_TESTS_FORMAT_FUZZ_H
#define AZ_TESTS_FORMAT_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct format_fuzz {
    const struct az_format *format;
    const struct az_options *opts;
    const char *role;
    bool optional;
    size_t n_files;       /* the same file so many times; 0: once */
    bool seal_may_refuse; /* the memory limit may be met while sealing */
    /* On the sealed trace; NULL: nothing. */
    void (*analyse)(const struct az_trace *t, const struct az_options *o, struct az_mem *mem,
                    struct az_diag *diag);
};

/* A new temporary file; `path` ends in XXXXXX. */
static inline int fuzz_file(char *path)
{
    int fd = mkstemp(path);
    if (fd < 0)
        abort();
    return fd;
}

static inline void fuzz_bytes(int fd, struct az_sv bytes)
{
    if (write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
        abort();
}

static inline void fuzz_parse(const struct format_fuzz *f, const struct az_file *files,
                              struct az_mem *mem, struct az_diag *diag)
{
    struct az_trace trace;
    if (az_trace_init(&trace, mem) != 0)
        return;
    struct az_parse job = { .files = files,
                            .n_files = f->n_files ? f->n_files : 1,
                            .opts = f->opts,
                            .trace = &trace,
                            .diag = diag,
                            .mem = mem,
                            .threads = 1 };
    int rc = f->format->parse(&job);
    if (rc != 0 && diag->errors == 0)
        abort(); /* an error always has a message */
    if (rc == 0) {
        rc = az_trace_finalize(&trace);
        if (rc != 0 && !f->seal_may_refuse)
            abort();
    }
    if (rc == 0 && f->analyse)
        f->analyse(&trace, f->opts, mem, diag);
    az_trace_release(&trace);
}

/* Reads the file and removes it. What fails has a message; all memory is given back. */
static inline void fuzz_format(const struct format_fuzz *f, const char *path)
{
    struct az_mem mem;
    struct az_diag diag;
    struct az_file files[2] = {
        { .path = az_sv_str(path), .role = az_sv_str(f->role), .optional = f->optional },
        { .path = az_sv_str(path) }
    };
    az_mem_init(&mem, 64u << 20);
    az_diag_init(&diag);
    fuzz_parse(f, files, &mem, &diag);
    if (mem.used != 0)
        abort();
    az_diag_release(&diag);
    (void)unlink(path);
}

#endif
