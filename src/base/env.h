/* Environment variables: the one place that reads them. The library is built with AZ_LIBRARY and
 * has none, as a library's results depend on its arguments only. */
#ifndef AZ_BASE_ENV_H
#define AZ_BASE_ENV_H

#include <stddef.h>

/* Value of a variable; NULL: not set, and always in the library. */
const char *az_env(const char *name);
/* COLUMNS, else the width of the terminal that the file descriptor is; 0: neither. */
size_t az_env_width(int fd);
/* Columns of a line of text for readers: the same between 80 and AZ_COLUMNS_MOST; 0: neither. */
enum { AZ_COLUMNS_MOST = 200 };
size_t az_env_columns(int fd);

#endif
