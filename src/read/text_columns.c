/* How wide the text for readers may be. */
#include "read/result.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/env.h"
#include "base/num.h"

size_t az_text_columns(void)
{
    enum { LEAST = 80, UNKNOWN = 100 };
    const char *given = az_env("COLUMNS");
    struct winsize w;
    int64_t n = 0;

    if ((!given || az_parse_i64(az_sv_str(given), &n) || n <= 0) &&
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
        n = w.ws_col;
    return n <= 0                     ? UNKNOWN
           : n < LEAST                ? LEAST
           : n > AZ_TEXT_COLUMNS_MOST ? AZ_TEXT_COLUMNS_MOST
                                      : (size_t)n;
}
