/* Private to io: words of errno, and failing with or without a diag. */
#ifndef AZ_IO_OSERROR_H
#define AZ_IO_OSERROR_H

#include "base/diag.h"

/* Text of an errno value, in buf; safe with threads. */
const char *az_errno_text(int e, char buf[128]);

/* az_diag_fail, where the diag may be NULL. */
#define IO_FAIL(diag, code, at, ...)                                                               \
    ((diag) ? az_diag_fail((diag), (code), (at), __VA_ARGS__) : (code))
#define IO_NO_MEMORY(diag, at, mem)                                                                \
    ((diag) ? az_diag_memory((diag), az_mem_error(mem), (at), (mem)) : az_mem_error(mem))

#endif
