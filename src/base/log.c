/* Log lines on standard error; the library (AZ_LIBRARY) writes none. flockfile serializes the
 * threads, so that `before` (which clears a progress line) and the line stay together, and one
 * write(2) keeps the line whole next to other processes. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/utf8.h"

#ifdef AZ_LIBRARY
void az_log_line(const struct az_log *log, enum az_log_level level, const char *fmt, ...)
{
    (void)log;
    (void)level;
    (void)fmt;
}
#else
static void write_all(const char *p, size_t n)
{
    while (n > 0) {
        const ssize_t done = write(STDERR_FILENO, p, n);
        if (done < 0 && errno != EINTR)
            return; /* nowhere to report it */
        if (done > 0) {
            p += done;
            n -= (size_t)done;
        }
    }
}

/* Without memory: what fits of it, with a question mark for all that is not plain ASCII. */
static void write_plain(const char *fmt, va_list ap)
{
    char line[1024] = "analyzer: ";
    const size_t start = strlen(line), most = sizeof line - start - 1;
    const int n = vsnprintf(line + start, most, fmt, ap);
    size_t end = start + (n < 0 ? 0 : (size_t)n < most ? (size_t)n : most - 1);

    for (size_t i = start; i < end; i++)
        if (line[i] < ' ' || line[i] > '~')
            line[i] = '?';
    line[end++] = '\n';
    write_all(line, end);
}

#define PREFIX AZ_SV("analyzer: ")

/* The text as a line that fits the terminal, ready to be written. */
static int put_line(const struct az_log *log, struct az_sv text, struct az_vec_char *line)
{
    const size_t columns = isatty(STDERR_FILENO) ? az_env_columns(STDERR_FILENO) : 0;
    struct az_vec_char plain, lines;

    az_vec_init(&plain, NULL);
    az_vec_init(&lines, NULL);
    int rc = az_text_append(&plain, PREFIX);
    rc = rc ? rc : az_utf8_visible(&plain, text);
    rc = rc ? rc
            : az_utf8_wrap(&lines, az_text_view(&plain), PREFIX.n, columns ? columns : SIZE_MAX);
    if (rc == 0 && log->color)
        rc = az_text_append(line, AZ_SV("\033[1manalyzer:\033[0m "));
    const size_t from = rc == 0 && log->color ? PREFIX.n : 0;
    rc = rc ? rc : az_text_append(line, az_sv_make(lines.v + from, lines.n - from));
    az_vec_release(&plain);
    az_vec_release(&lines);
    return rc;
}

/* False without memory. */
static bool make_line(const struct az_log *log, const char *fmt, va_list ap,
                      struct az_vec_char *line)
{
    struct az_vec_char raw;
    va_list again;

    az_vec_init(&raw, NULL);
    va_copy(again, ap);
    const int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    bool ok = n >= 0 && az_vec_reserve(&raw, (size_t)n + 1) == 0;
    if (ok) {
        vsnprintf(raw.v, (size_t)n + 1, fmt, ap);
        raw.n = (size_t)n;
    }
    if (raw.n > 0 && raw.v[raw.n - 1] == '\n')
        raw.n--;
    ok = ok && put_line(log, az_text_view(&raw), line) == 0;
    az_vec_release(&raw);
    return ok;
}

void az_log_line(const struct az_log *log, enum az_log_level level, const char *fmt, ...)
{
    if (level > log->level)
        return;
    struct az_vec_char line;
    va_list ap;
    az_vec_init(&line, NULL);
    va_start(ap, fmt);
    const bool made = make_line(log, fmt, ap, &line);
    va_end(ap);
    flockfile(stderr);
    if (log->before)
        log->before(log->ctx);
    fflush(stderr);
    va_start(ap, fmt);
    if (made)
        write_all(line.v, line.n);
    else
        write_plain(fmt, ap);
    va_end(ap);
    funlockfile(stderr);
    az_vec_release(&line);
}
#endif
