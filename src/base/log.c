/* Log lines on standard error. flockfile serialises the threads, so that `before` (which clears a
 * progress line) and the line stay together, and one write(2) keeps the line whole next to other
 * processes. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"

static void write_all(const char *p, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(STDERR_FILENO, p, n);
        if (done < 0 && errno != EINTR)
            return; /* nowhere to say it */
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

void az_log_line(const struct az_log *log, enum az_log_level level, const char *fmt, ...)
{
    if (level > log->level)
        return;
    struct az_vec_char raw, line;
    az_vec_init(&raw, NULL);
    az_vec_init(&line, NULL);
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n >= 0 && az_vec_reserve(&raw, (size_t)n + 1) == 0) {
        vsnprintf(raw.v, (size_t)n + 1, fmt, again);
        raw.n = (size_t)n;
    }
    va_end(again);
    if (raw.n > 0 && raw.v[raw.n - 1] == '\n')
        raw.n--;
    if (az_text_append(&line,
                       log->color ? AZ_SV("\033[1manalyzer:\033[0m ") : AZ_SV("analyzer: ")) == 0 &&
        az_utf8_visible(&line, az_text_view(&raw)) == 0 &&
        az_text_append(&line, AZ_SV("\n")) == 0) {
        flockfile(stderr);
        if (log->before)
            log->before(log->ctx);
        fflush(stderr);
        write_all(line.v, line.n);
        funlockfile(stderr);
    }
    az_vec_release(&raw);
    az_vec_release(&line);
}
