/* Private to io: the entries of one folder, sorted bytewise, as a run in a shared stack of names,
 * so that a deep walk needs one descriptor and one block of memory. */
#ifndef AZ_IO_NAMES_H
#define AZ_IO_NAMES_H

#include "base/vec.h"

struct az_names {
    struct az_vec_char text; /* NUL-terminated names one after the other */
    struct az_vec_u64 at;    /* offsets of the names of all folders being read, innermost last */
};

void az_names_init(struct az_names *n, struct az_mem *mem);
void az_names_release(struct az_names *n);
/* Pushes the entries of `dir` (without "." and ".."; dot names only if `hidden`); they are
 * at[from..to). AZ_EIO with errno if the folder cannot be read. az_names_pop(from) removes them. */
int az_names_push(struct az_names *n, const char *dir, bool hidden, size_t *from,
                  size_t *to) AZ_MUST_USE;
void az_names_pop(struct az_names *n, size_t from);
static inline const char *az_names_get(const struct az_names *n, size_t i)
{
    return n->text.v + n->at.v[i];
}

#endif
