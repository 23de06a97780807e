/* How wide the text for readers may be. */
#include "read/result.h"

#include <unistd.h>

#include "base/env.h"

size_t az_text_columns(void)
{
    enum { UNKNOWN = 100 };
    const size_t columns = az_env_columns(STDOUT_FILENO);

    return columns ? columns : UNKNOWN;
}
