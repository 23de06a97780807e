/* The file that a cut writes: plain, or compressed where its name ends so. */
#ifndef AZ_FORMATS_SHARED_CUT_OUTPUT_H
#define AZ_FORMATS_SHARED_CUT_OUTPUT_H

#include "base/diag.h"

struct az_outfile;
struct az_gzfile;
struct az_cut_output {
    struct az_outfile *plain; /* one of the two; neither: not open */
    struct az_gzfile *packed;
};

/* Under a temporary name, as io/outfile.h. AZ_EIO, AZ_ENOMEM, AZ_ELIMIT with a message. */
int az_cut_output_open(struct az_cut_output *o, const char *path, struct az_mem *mem,
                       struct az_diag *diag) AZ_MUST_USE;
/* Errors are remembered and reported at the end. */
void az_cut_output_put(struct az_cut_output *o, struct az_sv text);
/* All is written: it only has to get its name, and needs neither memory nor a descriptor until
 * then. AZ_EIO, AZ_EINTERNAL with a message. */
int az_cut_output_finish(struct az_cut_output *o) AZ_MUST_USE;
/* With rc 0 renames the file to its name, else removes it; rc, or the error of that. One that is
 * not open is left alone. */
int az_cut_output_close(struct az_cut_output *o, int rc) AZ_MUST_USE;

#endif
