/* Log lines on stderr, whole lines at a time from any thread; levels by -q, -v, -vv. Not for
 * results. */
#ifndef AZ_BASE_LOG_H
#define AZ_BASE_LOG_H

#include "base/err.h"
#include "base/sv.h"

enum az_log_level { AZ_LOG_QUIET = -1, AZ_LOG_NORMAL = 0, AZ_LOG_VERBOSE = 1, AZ_LOG_DEBUG = 2 };

struct az_log {
    enum az_log_level level;
    bool color;
    void (*before)(
        void *ctx); /* called before a line is written, to clear a progress line; may be NULL */
    void *ctx;
};
/* One write(2) per line, "analyzer: " in front. Lines above log->level are dropped. */
void az_log_line(const struct az_log *log, enum az_log_level level, const char *fmt, ...)
    AZ_PRINTF(3, 4);

#endif
