/* The progress line on stderr: which inputs run, how far, how fast. One line, redrawn in place,
 * cleared before any message. Only the calling thread of az_run touches it. */
#include "run/internal.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/utf8.h"

#define REDRAW_NS   (INT64_C(1000000000) / 6)
#define LINE_BYTES  1024
#define MAX_SHOWN   3
#define TITLE_BYTES 24

int64_t az_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_dumb_terminal(void)
{
    const char *term = az_env("TERM");
    return !term || !*term || strcmp(term, "dumb") == 0;
}

bool az_use_color(enum az_when when, int fd)
{
    const char *no = az_env("NO_COLOR");
    if (when != AZ_AUTO)
        return when == AZ_ALWAYS;
    return !(no && *no) && !is_dumb_terminal() && isatty(fd);
}

void az_progress_init(struct az_progress *p, enum az_when when, size_t total)
{
    *p = (struct az_progress){ .total = total };
    p->on = when == AZ_ALWAYS || (when == AZ_AUTO && isatty(STDERR_FILENO) && !is_dumb_terminal());
}

void az_progress_clear(void *ctx)
{
    struct az_progress *p = ctx;
    if (!p->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->drawn = false;
}

static size_t columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col : 80;
}

/* "title 45% 120.3 MB/s"; of an unknown size the bytes in place of the share. */
static size_t one_item(const struct az_progress_item *it, int64_t now, char *out, size_t room)
{
    uint64_t read = atomic_load_explicit(it->read, memory_order_relaxed);
    double seconds = (double)(now - it->started_ns) / 1e9;
    double rate = seconds > 0.05 ? (double)read / 1e6 / seconds : 0.0;
    struct az_sv title = az_utf8_cut(it->title, TITLE_BYTES);
    int n;

    if (it->bytes > 0 && read <= it->bytes)
        n = snprintf(out, room, " %.*s %d%% %.1f MB/s", AZ_SVF(title),
                     (int)((double)read * 100.0 / (double)it->bytes), rate);
    else
        n = snprintf(out, room, " %.*s %.1f MB %.1f MB/s", AZ_SVF(title), (double)read / 1e6, rate);
    return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

void az_progress_draw(struct az_progress *p, const struct az_progress_item *running, size_t n)
{
    char line[LINE_BYTES];
    int64_t now = az_now_ns();
    struct az_sv shown;
    size_t at;
    int head;

    if (!p->on || (p->last_ns && now - p->last_ns < REDRAW_NS))
        return;
    p->last_ns = now;
    head = snprintf(line, sizeof line, "[%zu/%zu]", p->done, p->total);
    at = head > 0 ? (size_t)head : 0;
    for (size_t i = 0; i < n && i < MAX_SHOWN; i++)
        at += one_item(&running[i], now, line + at, sizeof line - at);
    if (n > MAX_SHOWN) {
        head = snprintf(line + at, sizeof line - at, " and %zu more", n - MAX_SHOWN);
        at += head > 0 && (size_t)head < sizeof line - at ? (size_t)head : 0;
    }
    shown = az_utf8_cut(az_sv_make(line, at), columns() - 1);
    fprintf(stderr, "\r\033[K%.*s", AZ_SVF(shown));
    fflush(stderr);
    p->drawn = true;
}
