/* Output files compressed as they are written: a gzip stream into an az_outfile, in constant
 * memory. */
#ifndef AZ_IO_GZIP_OUT_H
#define AZ_IO_GZIP_OUT_H

#include "io/outfile.h"
#include "io/source.h"

struct az_gzfile;

/* `which`: the library, as for inflating (BEST is ISA-L where it is built in, else zlib). No name
 * and no time are stored, so equal writes produce equal bytes. AZ_EIO, AZ_ENOMEM, AZ_ELIMIT with a
 * message. */
int az_gzfile_open(struct az_gzfile **f, const char *path, enum az_inflater which,
                   struct az_mem *mem, struct az_diag *diag) AZ_MUST_USE;
/* Errors are remembered and reported by commit. */
void az_gzfile_write(struct az_gzfile *f, const void *p, size_t n);
static inline void az_gzfile_puts(struct az_gzfile *f, struct az_sv s)
{
    az_gzfile_write(f, s.p, s.n);
}
/* Ends the stream, renames the file to its name; frees f. AZ_EIO, AZ_EINTERNAL. */
int az_gzfile_commit(struct az_gzfile *f) AZ_MUST_USE;
/* Ends the stream, frees f; *file, to which nothing is added, is to be committed. NULL on failure:
 * AZ_EINTERNAL. */
int az_gzfile_finish(struct az_gzfile *f, struct az_outfile **file) AZ_MUST_USE;
/* Removes the temporary file, frees f; NULL is allowed. */
void az_gzfile_abort(struct az_gzfile *f);

#endif
