/* What a compressed source unpacks to as a mapped file, for readers that go over it several times
 * in little memory. */
#ifndef AZ_IO_UNPACKED_H
#define AZ_IO_UNPACKED_H

#include "io/source.h"

/* The rest of the source, through a temporary file next to `path`, which is removed before this
 * returns: its bytes live until az_unmap_file. AZ_EUSAGE without a message if there can be no file
 * next to it: nothing was read. AZ_EFORMAT without a message if the source breaks off, with what
 * came before; AZ_EIO with one. */
int az_map_unpacked(struct az_mapping *m, struct az_source *src, const char *path,
                    struct az_mem *mem, struct az_diag *diag) AZ_MUST_USE;

#endif
