/* Environment variables: the one place that reads them. The library is built with AZ_LIBRARY and
 * has none, as a library's results depend on its arguments only. */
#ifndef AZ_BASE_ENV_H
#define AZ_BASE_ENV_H

/* Value of a variable; NULL: not set, and always in the library. */
const char *az_env(const char *name);

#endif
