/* Byte source: one handle for a file, standard input ("-"), a gzip stream of any of these
 * (recognized by its magic, also multi-member), and memory. Reads forward only; peek does not
 * consume. */
#ifndef AZ_IO_SOURCE_H
#define AZ_IO_SOURCE_H

#include "base/diag.h"

struct az_digest;
struct az_source;

/* BEST is ISA-L where it is built in, else zlib; tests select one of them. */
/* Of gzip; zstd has one library. */
enum az_inflater { AZ_INFLATE_BEST, AZ_INFLATE_ZLIB, AZ_INFLATE_ISAL };
bool az_inflater_has(enum az_inflater which);

struct az_source_opts {
    struct az_mem *mem;   /* budget of the window; may be NULL */
    struct az_diag *diag; /* messages; may be NULL */
    size_t window;        /* bytes delivered at once at most; 0: 256 KiB */
    bool raw;             /* do not inflate */
    uint64_t start;       /* begin at this offset of a regular file */
    enum az_inflater inflater;
    bool keeps_parts; /* what comes before damaged content is used: the damage is a warning if there
                         is any */
    /* Of the bytes of the file as they are on disk (io/digest.h); may be NULL. */
    struct az_digest *digest;
};

/* path "-": standard input. Errors: AZ_EIO (message with errno text), AZ_ENOMEM, AZ_ELIMIT. A
 * directory is AZ_EIO. */
int az_source_open(struct az_source **s, const char *path,
                   const struct az_source_opts *opts) AZ_MUST_USE;
/* Reads from memory, which must outlive the source; inflates it too unless opts->raw. `name` is for
 * messages. */
int az_source_open_memory(struct az_source **s, struct az_sv bytes, const char *name,
                          const struct az_source_opts *opts) AZ_MUST_USE;
void az_source_close(struct az_source *s);

/* The first min(n, all) bytes not yet consumed, without consuming; n at most the window. Fewer only
 * at the end. */
int az_source_peek(struct az_source *s, size_t n, struct az_sv *out) AZ_MUST_USE;
/* Next chunk, consumed; empty at the end. The view lives to the next call. A truncated gzip stream,
 * a wrong checksum or garbage after the last member is AZ_EFORMAT with the offset, after all good
 * bytes were delivered. */
int az_source_next(struct az_source *s, struct az_sv *chunk) AZ_MUST_USE;
/* Copies up to n bytes into buf (a parser's own window), often fewer; *got = 0 only at the end (or
 * for n = 0). */
int az_source_read(struct az_source *s, void *buf, size_t n, size_t *got) AZ_MUST_USE;
/* Everything that is left, in the arena, NUL-terminated; AZ_ELIMIT over max bytes (0: none). With
 * keeps_parts and AZ_EFORMAT `out` has the bytes before the damage. */
int az_source_all(struct az_source *s, struct az_arena *a, size_t max,
                  struct az_sv *out) AZ_MUST_USE;
/* The same without a limit, appended where it can grow in place: nothing is in memory twice. */
int az_source_rest(struct az_source *s, struct az_vec_char *out) AZ_MUST_USE;

const char *az_source_name(const struct az_source *s);
bool az_source_is_gzip(const struct az_source *s);
/* The content broke off or was damaged, and that has been reported: what was delivered is what came
 * before. */
bool az_source_damaged(const struct az_source *s);
/* It was damaged, but nothing is missing: only its checksum is wrong, so bytes may have changed. */
bool az_source_whole(const struct az_source *s);
/* Bytes of the file used so far (compressed), and delivered so far (inflated). For progress and
 * messages. */
uint64_t az_source_consumed(const struct az_source *s);
uint64_t az_source_delivered(const struct az_source *s);
/* Size of the file, 0 when unknown (pipe). */
uint64_t az_source_size(const struct az_source *s);

/* Appends the inflated bytes of one zlib or gzip stream in memory to out. AZ_EFORMAT: damaged, what
 * came before the damage is appended; AZ_ERANGE: more than max bytes. */
int az_inflate_block(struct az_sv in, size_t max, struct az_vec_char *out) AZ_MUST_USE;

/* Whole regular file, uncompressed, mapped read-only (for splitting one file over threads). AZ_EIO
 * also for a pipe. A file that shrinks while mapped raises SIGBUS: use only where the caller
 * accepts that (never for "-"). */
struct az_mapping {
    struct az_sv bytes;
    int fd; /* where there are any */
};
int az_map_file(struct az_mapping *m, const char *path, struct az_diag *diag) AZ_MUST_USE;
/* Copies bytes of it from a place on: how many; fewer where it cannot be read. */
size_t az_map_read(const struct az_mapping *m, uint64_t at, void *to, size_t n);
/* These bytes of it are read, and hardly any of them again: they need not stay in memory. Reading
 * them is as good as before. */
void az_map_used(const struct az_mapping *m, const char *from, const char *to);
void az_unmap_file(struct az_mapping *m);

#endif
