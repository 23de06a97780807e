/* Lines: of two descriptors, or of a socket of the file system. While a statement runs, what has
 * arrived is searched for its cancellation. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "serve/serve.h"

#define READ_AT_ONCE 65536

struct lines {
    struct az_server *s;
    int in, out;
    struct az_cancel stop;
    struct az_vec_char text; /* that has arrived and is not processed */
    size_t looked;           /* bytes of it that were searched for a cancellation */
    bool end, overlong;
    struct az_vec_char answer;
};

/* Reads what there is: 1, 0 at the end, negative on failure. */
static int read_more(struct lines *l)
{
    int rc = az_vec_reserve(&l->text, READ_AT_ONCE);
    ssize_t n;

    if (rc)
        return rc;
    n = read(l->in, l->text.v + l->text.n, READ_AT_ONCE);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 1 : AZ_EIO;
    l->text.n += (size_t)n;
    l->end = n == 0;
    return n > 0;
}

/* Polled while a statement runs. */
static bool cancelled(void *ctx)
{
    struct lines *l = ctx;
    struct pollfd p = { .fd = l->in, .events = POLLIN };

    if (az_cancelled(&l->stop))
        return true;
    if (!l->end && l->text.n < AZ_SERVE_LINE && poll(&p, 1, 0) == 1 && read_more(l) < 0)
        l->end = true;
    while (l->looked < l->text.n) {
        const char *from = l->text.v + l->looked, *nl = memchr(from, '\n', l->text.n - l->looked);
        if (!nl)
            return false;
        l->looked += (size_t)(nl - from) + 1;
        if (az_server_cancels(l->s, az_sv_make(from, (size_t)(nl - from))))
            return true;
    }
    return false;
}

static int send_all(int fd, struct az_sv text)
{
    while (text.n) {
        const ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno != EINTR)
            return AZ_EIO;
        if (n > 0)
            text = az_sv_make(text.p + n, text.n - (size_t)n);
    }
    return AZ_OK;
}

/* The line is copied: more text may arrive, and move, while it is processed. */
static int answer(struct lines *l, struct az_sv line)
{
    struct az_vec_char copy;
    int rc;

    az_vec_init(&copy, NULL);
    az_vec_reset(&l->answer);
    rc = az_text_append(&copy, line);
    if (!rc)
        rc = az_server_answer(l->s, az_text_view(&copy), &l->answer);
    if (!rc && l->answer.n)
        rc = az_vec_push(&l->answer, '\n');
    if (!rc)
        rc = send_all(l->out, az_text_view(&l->answer));
    az_vec_release(&copy);
    return rc;
}

/* Processes the complete lines; the last one too at the end. One that is too long is identified by
 * its start, and skipped up to its end. */
static int whole_lines(struct lines *l)
{
    size_t at = 0;
    int rc = AZ_OK;

    while (!rc && !az_cancelled(&l->stop)) {
        const char *from = l->text.v + at;
        const size_t left = l->text.n - at;
        const char *nl = left ? memchr(from, '\n', left) : NULL;
        if (!nl && !(l->end && left) && left <= AZ_SERVE_LINE)
            break;
        const size_t n = nl ? (size_t)(nl - from) : left;
        l->looked = at + n + (nl != NULL);
        if (!l->overlong)
            rc = answer(l, az_sv_make(from, n));
        l->overlong = !nl && !l->end;
        at += n + (nl != NULL);
    }
    if (at) {
        memmove(l->text.v, l->text.v + at, l->text.n - at);
        l->text.n -= at;
        l->looked = 0;
    }
    return rc;
}

int az_serve_lines(struct az_server *s, int in, int out, struct az_cancel stop)
{
    struct lines l = { .s = s, .in = in, .out = out, .stop = stop };
    int rc = AZ_OK;

    az_vec_init(&l.text, NULL);
    az_vec_init(&l.answer, NULL);
    az_server_on_cancel(s, cancelled, &l);
    az_server_set_output(s, out);
    while (!rc && !l.end && !az_cancelled(&stop)) {
        struct pollfd p = { .fd = in, .events = POLLIN };
        if (poll(&p, 1, -1) < 0)
            continue; /* a signal */
        const int got = read_more(&l);
        rc = got < 0 ? got : whole_lines(&l);
    }
    az_server_on_cancel(s, NULL, NULL);
    az_server_set_output(s, -1);
    az_vec_release(&l.text);
    az_vec_release(&l.answer);
    return rc ? rc : az_cancelled(&stop) ? AZ_EINTR : AZ_OK;
}

/* ---- socket ---- */

static int bad_socket(const char *path, const char *what, struct az_diag *diag)
{
    return az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "%s: %s", what, strerror(errno));
}

/* A socket that is there and nobody listens to is left by a server that was killed. */
static bool is_left(const struct sockaddr_un *at)
{
    struct stat st;
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool left = fd >= 0 && lstat(at->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
                connect(fd, (const struct sockaddr *)at, sizeof *at) < 0 && errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return left;
}

static int listen_at(const char *path, int *out, struct az_diag *diag)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    mode_t old;
    int fd, rc;

    if (strlen(path) >= sizeof at.sun_path)
        return az_diag_fail(diag, AZ_EUSAGE, AZ_AT_FILE(az_sv_str(path)),
                            "is too long for a socket (%zu bytes at most)", sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path) + 1);
    if (is_left(&at))
        unlink(path);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return bad_socket(path, "no socket", diag);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    old = umask(0177);
    rc = bind(fd, (const struct sockaddr *)&at, sizeof at);
    umask(old);
    if (rc < 0 || listen(fd, 4) < 0) {
        rc = bad_socket(path, "cannot listen", diag);
        close(fd);
        return rc;
    }
    *out = fd;
    return AZ_OK;
}

int az_serve_socket(struct az_server *s, const char *path, struct az_cancel stop,
                    struct az_diag *diag)
{
    int fd = -1, rc = listen_at(path, &fd, diag);

    if (rc)
        return rc;
    while (rc != AZ_ENOMEM && !az_cancelled(&stop)) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, -1) < 1)
            continue;
        const int client = accept(fd, NULL, NULL);
        if (client < 0)
            continue;
        rc = az_serve_lines(s, client, client, stop); /* a client that goes ends only itself */
        close(client);
    }
    close(fd);
    unlink(path);
    return rc == AZ_ENOMEM ? rc : az_cancelled(&stop) ? AZ_EINTR : AZ_OK;
}
