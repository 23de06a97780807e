/* Output files: written under a temporary name next to the target, renamed when complete; never
 * half a file under a final name, never an input overwritten. */
#ifndef AZ_IO_OUTFILE_H
#define AZ_IO_OUTFILE_H

#include "base/diag.h"

struct az_outfile;

/* Makes missing folders; temporary name ".<base>.<pid>.<n>.tmp" in the target's folder. A target
 * that exists and is no regular file (/dev/full, a pipe, /dev/stdout) is written directly. */
int az_outfile_open(struct az_outfile **f, const char *path, struct az_diag *diag) AZ_MUST_USE;
/* Buffered; errors are remembered and reported by commit. */
void az_outfile_write(struct az_outfile *f, const void *p, size_t n);
void az_outfile_puts(struct az_outfile *f, struct az_sv s);
/* Room for n bytes, to write into, and how many of them are part of the file then. NULL: there is
 * never so much. */
char *az_outfile_room(struct az_outfile *f, size_t n);
void az_outfile_used(struct az_outfile *f, size_t n);
void az_outfile_printf(struct az_outfile *f, const char *fmt, ...) AZ_PRINTF(2, 3);
/* Replaces n bytes at `offset` that are written already; of a file, not of a pipe. */
void az_outfile_rewrite(struct az_outfile *f, uint64_t offset, const void *p, size_t n);
/* Nothing more is written: closes the file, so that many can be renamed together. Its errors are
 * reported by commit. */
void az_outfile_finish(struct az_outfile *f);
/* Flush, close, rename; on any failure the temporary file is removed and AZ_EIO returned with a
 * message. Frees f. */
int az_outfile_commit(struct az_outfile *f) AZ_MUST_USE;
/* Removes the temporary file, frees f. */
void az_outfile_abort(struct az_outfile *f);

/* For libraries that write a named file themselves: reserve a temporary name (in the arena), later
 * commit or discard it. */
int az_outname_reserve(struct az_arena *a, const char *path, struct az_sv *tmp,
                       struct az_diag *diag) AZ_MUST_USE;
int az_outname_commit(const char *tmp, const char *path, struct az_diag *diag) AZ_MUST_USE;
void az_outname_discard(const char *tmp);

/* The same for a folder that does not exist yet: a temporary one next to it, to be filled, then
 * renamed when complete, or removed by az_tmpdir_remove. */
int az_outdir_reserve(struct az_arena *a, const char *path, struct az_sv *tmp,
                      struct az_diag *diag) AZ_MUST_USE;
int az_outdir_commit(const char *tmp, const char *path, struct az_diag *diag) AZ_MUST_USE;

/* A private temporary folder (0700) under $TMPDIR or /tmp; NUL-terminated in the arena. */
int az_tmpdir_make(struct az_arena *a, const char *prefix, struct az_sv *dir,
                   struct az_diag *diag) AZ_MUST_USE;
/* Removes it with all below it (never follows links). */
void az_tmpdir_remove(const char *dir);
/* Temporary files and folders still open are in a list; this removes them all. Called once at
 * the end of an interrupted run, never from a signal handler. */
void az_out_cleanup(void);
/* The same from the handler of a crash: temporary files, and folders of files. */
void az_out_crash(void);

#endif
