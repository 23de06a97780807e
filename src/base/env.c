/* Environment variables. */
#include "base/env.h"

#include <stdlib.h>

#ifdef AZ_LIBRARY
const char *az_env(const char *name)
{
    (void)name;
    return NULL;
}
#else
const char *az_env(const char *name) { return getenv(name); }
#endif
