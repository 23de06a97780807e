/* Environment variables. */
#include "base/env.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/num.h"

#ifdef AZ_LIBRARY
const char *az_env(const char *name)
{
    (void)name;
    return NULL;
}
#else
const char *az_env(const char *name) { return getenv(name); }
#endif

size_t az_env_width(int fd)
{
    const char *given = az_env("COLUMNS");
    struct winsize w;
    int64_t n = 0;

    if ((!given || az_parse_i64(az_sv_str(given), &n) || n <= 0) && ioctl(fd, TIOCGWINSZ, &w) == 0)
        n = w.ws_col;
    return n <= 0 ? 0 : (size_t)n;
}

size_t az_env_columns(int fd)
{
    enum { LEAST = 80 };
    const size_t n = az_env_width(fd);

    return n == 0 ? 0 : n < LEAST ? LEAST : n > AZ_COLUMNS_MOST ? AZ_COLUMNS_MOST : n;
}
