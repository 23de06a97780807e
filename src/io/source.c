/* Byte source over a file, standard input or memory, inflating where the bytes begin with gzip's
 * magic. */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/digest.h"
#include "io/fs_errors.h"
#include "io/gzip.h"
#include "io/oserror.h"
#include "io/zstd_inflate.h"

#define WINDOW_DEFAULT ((size_t)256 << 10)
#define BUFFER_MIN                                                                                 \
    ((size_t)4096) /* a smaller window is delivered in pieces, but not read in pieces */
#define PIECE    ((size_t)1000) /* of az_source_next in a build that moves buffers */
#define READ_MAX ((size_t)1 << 30)

/* Where a gzip stream is. */
enum stage { IN_MEMBER, BETWEEN_MEMBERS, IN_PADDING, AT_END };

/* Why no more bytes come. Stored until the good bytes before it were delivered, and reported then.
 */
enum fault { NO_FAULT, READ_FAILED, BAD_HEADER, BAD_DATA, BAD_SUM, TRUNCATED, GARBAGE, NO_MEMORY };

struct az_source {
    struct az_mem *mem;
    struct az_diag *diag;
    char *name;
    size_t name_size;
    int fd; /* -1: memory */
    bool own_fd;
    uint64_t size;
    struct az_digest *digest;

    char *buf; /* delivered from here: bytes at..end */
    size_t cap, at, end, window;
    uint64_t delivered;

    struct az_sv in; /* of the file: read and not yet inflated; for memory: what is left */
    char *in_buf;    /* cap bytes, for a gzip file */
    bool in_eof;
    uint64_t in_pos;    /* file offset of in.p */
    struct az_gzip *gz; /* or zstd, or neither */
    struct az_zstd *zstd;
    enum stage stage;

    enum fault fault;
    int fault_errno;
    uint64_t fault_at;
    int error; /* code of the fault once it was reported */
    bool keeps_parts;
    char *lent; /* AZ_MOVE_BUFFERS: a copy of what the last call returned */
    size_t lent_size;
};

static struct az_sv name_of(const struct az_source *s) { return az_sv_str(s->name); }
static bool is_inflated(const struct az_source *s) { return s->gz || s->zstd; }
static bool plain_memory(const struct az_source *s) { return s->fd < 0 && !is_inflated(s); }
static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

static void set_fault(struct az_source *s, enum fault f, uint64_t at)
{
    s->fault = f;
    s->fault_at = at;
}

/* %s: gzip or zstd */
static const char *fault_text(enum fault f)
{
    switch (f) {
    case BAD_HEADER:
        return "damaged %s header; download or copy the file again";
    case BAD_DATA:
        return "damaged %s data; download or copy the file again";
    case BAD_SUM:
        return "%s checksum mismatch: all data was read, but bytes of it have changed; download "
               "or copy the "
               "file again";
    case TRUNCATED:
        return "truncated %s stream; check that the file is complete";
    case GARBAGE:
        return "trailing data after the %s stream; check that the file is one complete compressed "
               "file";
    default:
        return "unreadable";
    }
}

/* Reports the fault once; later calls return the code only. */
static int tell_fault(struct az_source *s)
{
    if (s->error)
        return s->error;
    if (s->fault == READ_FAILED) {
        char text[128];
        s->error = AZ_EIO;
        return IO_FAIL(s->diag, AZ_EIO, AZ_AT_OFFSET(name_of(s), (int64_t)s->fault_at),
                       "cannot read: %s", az_errno_text(s->fault_errno, text));
    }
    if (s->fault == NO_MEMORY) {
        s->error = IO_NO_MEMORY(s->diag, AZ_AT_FILE(name_of(s)), s->mem);
        return s->error;
    }
    s->error = AZ_EFORMAT;
    const bool part = s->delivered > 0 || s->end > s->at; /* there is something before the damage */
    if (s->diag)
        az_diag_add(s->diag, s->keeps_parts && part ? AZ_WARNING : AZ_ERROR,
                    AZ_AT_OFFSET(name_of(s), (int64_t)s->fault_at), fault_text(s->fault),
                    s->zstd ? "zstd" : "gzip");
    return AZ_EFORMAT;
}

/* ---- reading the file ---- */

/* One read(2); *got = 0 at the end. false: s->fault is set. */
static bool read_some(struct az_source *s, char *dst, size_t n, size_t *got)
{
    *got = 0;
    if (s->in_eof || n == 0)
        return true;
    for (;;) {
        ssize_t r = read(s->fd, dst, min_size(n, READ_MAX));
        if (r >= 0) {
            *got = (size_t)r;
            s->in_eof = r == 0;
            if (s->digest && r)
                az_digest_update(s->digest, dst, *got);
            else if (s->digest)
                az_digest_end(s->digest);
            return true;
        }
        if (errno == EAGAIN ||
            errno == EWOULDBLOCK) { /* an inherited non-blocking pipe: wait for it */
            struct pollfd p = { .fd = s->fd, .events = POLLIN };
            (void)poll(&p, 1, -1);
        } else if (errno != EINTR) {
            s->fault_errno = errno;
            az_fs_error_note(s->name, errno);
            set_fault(s, READ_FAILED, s->in_pos + s->in.n);
            return false;
        }
    }
}

/* At least `want` (small) compressed bytes in s->in, unless the file ends. */
static bool fill_input(struct az_source *s, size_t want)
{
    if (s->fd < 0)
        s->in_eof = true; /* memory: all of it is in s->in from the start */
    while (s->in.n < want && !s->in_eof) {
        if (AZ_MOVES) {
            char *to = az_mem_alloc(NULL, s->cap);
            if (to && s->in.n)
                memcpy(to, s->in.p, s->in.n);
            if (to) {
                az_mem_free(NULL, s->in_buf, 0);
                s->in.p = s->in_buf = to;
            }
        }
        if (s->in.n)
            memmove(s->in_buf, s->in.p, s->in.n);
        s->in.p = s->in_buf;
        size_t got;
        if (!read_some(s, s->in_buf + s->in.n, s->cap - s->in.n, &got))
            return false;
        s->in.n += got;
    }
    return true;
}

static void take_input(struct az_source *s, size_t n)
{
    s->in.p += n;
    s->in.n -= n;
    s->in_pos += n;
}

/* ---- gzip and zstd ---- */

static bool gzip_begins(struct az_sv v) { return v.n >= 2 && memcmp(v.p, "\x1f\x8b", 2) == 0; }

/* After a member: another one, zero padding up to the end (tapes, block-wise copies), the end, or
 * garbage. */
static bool between_members(struct az_source *s)
{
    if (!fill_input(s, 4))
        return false;
    if (s->in.n == 0) {
        s->stage = AT_END;
    } else if (s->in.p[0] == 0) {
        s->stage = IN_PADDING;
    } else if (s->gz && gzip_begins(s->in)) {
        az_gzip_restart(s->gz);
        s->stage = IN_MEMBER;
    } else if (s->zstd && az_zstd_begins(s->in)) {
        az_zstd_restart(s->zstd);
        s->stage = IN_MEMBER;
    } else {
        set_fault(s, GARBAGE, s->in_pos);
        return false;
    }
    return true;
}

static bool skip_padding(struct az_source *s)
{
    if (!fill_input(s, 1))
        return false;
    size_t n = 0;
    while (n < s->in.n && s->in.p[n] == 0)
        n++;
    take_input(s, n);
    if (s->in.n) {
        set_fault(s, GARBAGE, s->in_pos);
        return false;
    }
    if (s->in_eof)
        s->stage = AT_END;
    return true;
}

static bool inflate_member(struct az_source *s, char *dst, size_t n, size_t *made)
{
    size_t used;
    if (!fill_input(s, 1))
        return false;
    enum az_gzip_step step = s->zstd ? az_zstd_inflate(s->zstd, s->in, &used, dst, n, made)
                                     : az_gzip_inflate(s->gz, s->in, &used, dst, n, made);
    take_input(s, used);
    switch (step) {
    case AZ_GZIP_GOING:
        if (used == 0 && *made == 0 && s->in.n == 0 && s->in_eof)
            set_fault(s, TRUNCATED, s->in_pos);
        else if (used == 0 && *made == 0 && s->in.n != 0)
            set_fault(s, BAD_DATA, s->in_pos); /* a decoder that stands still must not hang us */
        break;
    case AZ_GZIP_MEMBER_END:
        s->stage = BETWEEN_MEMBERS;
        break;
    case AZ_GZIP_BAD_HEADER:
        set_fault(s, BAD_HEADER, s->in_pos);
        break;
    case AZ_GZIP_BAD_SUM:
        set_fault(s, BAD_SUM, s->in_pos);
        break;
    case AZ_GZIP_NO_MEMORY:
        set_fault(s, NO_MEMORY, s->in_pos);
        break;
    default:
        set_fault(s, BAD_DATA, s->in_pos);
    }
    return s->fault == NO_FAULT;
}

static bool inflate_some(struct az_source *s, char *dst, size_t n, size_t *got)
{
    *got = 0;
    bool ok = true;
    while (ok && *got == 0 && s->stage != AT_END) {
        if (s->stage == IN_MEMBER)
            ok = inflate_member(s, dst, n, got);
        else
            ok = s->stage == BETWEEN_MEMBERS ? between_members(s) : skip_padding(s);
    }
    return ok;
}

/* Next bytes of the content into dst; *got = 0 at the end. A fault shows only once no good byte
 * came with it. */
static int produce(struct az_source *s, char *dst, size_t n, size_t *got)
{
    *got = 0;
    if (n == 0)
        return 0;
    if (s->fault == NO_FAULT && is_inflated(s)) {
        (void)inflate_some(s, dst, n, got);
    } else if (s->fault == NO_FAULT) {
        (void)read_some(s, dst, n, got);
        s->in_pos += *got;
    }
    return s->fault != NO_FAULT && *got == 0 ? tell_fault(s) : 0;
}

/* ---- opening ---- */

static int source_new(struct az_source **out, const char *name, const struct az_source_opts *opts)
{
    size_t name_size = strlen(name) + 1;
    *out = NULL;
    struct az_source *s = az_mem_alloc(opts->mem, sizeof *s);
    char *copy = az_mem_alloc(opts->mem, name_size);
    if (!s || !copy) {
        if (s)
            az_mem_free(opts->mem, s, sizeof *s);
        if (copy)
            az_mem_free(opts->mem, copy, name_size);
        return IO_NO_MEMORY(opts->diag, AZ_AT_FILE(az_sv_str(name)), opts->mem);
    }
    memcpy(copy, name, name_size);
    *s = (struct az_source){ .mem = opts->mem,
                             .diag = opts->diag,
                             .name = copy,
                             .name_size = name_size,
                             .fd = -1,
                             .keeps_parts = opts->keeps_parts };
    s->window = opts->window ? opts->window : WINDOW_DEFAULT;
    s->cap = s->window < BUFFER_MIN ? BUFFER_MIN : s->window;
    *out = s;
    return 0;
}

static int new_buffer(struct az_source *s)
{
    s->at = s->end = 0;
    s->buf = az_mem_alloc(s->mem, s->cap);
    return s->buf ? 0 : IO_NO_MEMORY(s->diag, AZ_AT_FILE(name_of(s)), s->mem);
}

static int start_inflater(struct az_source *s, enum az_inflater which)
{
    const bool zstd = az_zstd_begins(s->in);
    int r = new_buffer(s);
    if (r)
        return r;
    r = zstd ? az_zstd_new(&s->zstd, s->mem) : az_gzip_new(&s->gz, which, s->mem);
    if (r == AZ_EINTERNAL && zstd)
        return IO_FAIL(s->diag, r, AZ_AT_FILE(name_of(s)),
                       "compressed with zstd, which this build cannot read; decompress it with "
                       "unzstd");
    if (r == AZ_EINTERNAL)
        return IO_FAIL(s->diag, r, AZ_AT_FILE(name_of(s)), "inflater not built in");
    return r ? IO_NO_MEMORY(s->diag, AZ_AT_FILE(name_of(s)), s->mem) : 0;
}

/* A byte order mark that no profile begins with. */
static bool is_utf16(struct az_sv v)
{
    return v.n >= 2 && (memcmp(v.p, "\xff\xfe", 2) == 0 || memcmp(v.p, "\xfe\xff", 2) == 0);
}

static bool is_compressed(struct az_sv v) { return gzip_begins(v) || az_zstd_begins(v); }

static int open_fd(struct az_source *s, const char *path, uint64_t start)
{
    struct stat st;
    char text[128];
    s->own_fd = strcmp(path, "-") != 0;
    s->fd = s->own_fd ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
    if (s->fd < 0 || fstat(s->fd, &st) != 0) {
        az_fs_error_note(s->name, errno);
        return errno == ENOENT
                   ? IO_FAIL(s->diag, AZ_EIO, AZ_AT_FILE(name_of(s)), "no such file or folder")
                   : IO_FAIL(s->diag, AZ_EIO, AZ_AT_FILE(name_of(s)), "cannot read: %s",
                             az_errno_text(errno, text));
    }
    if (S_ISDIR(st.st_mode))
        return IO_FAIL(s->diag, AZ_EIO, AZ_AT_FILE(name_of(s)), "cannot read: %s",
                       az_errno_text(EISDIR, text));
    if (S_ISREG(st.st_mode) && st.st_size > 0)
        s->size = (uint64_t)st.st_size;
    if (start && lseek(s->fd, (off_t)start, SEEK_SET) < 0) {
        az_fs_error_note(s->name, errno);
        return IO_FAIL(s->diag, AZ_EIO, AZ_AT_FILE(name_of(s)), "cannot seek: %s",
                       az_errno_text(errno, text));
    }
    s->in_pos = start;
#ifdef POSIX_FADV_SEQUENTIAL
    if (S_ISREG(st.st_mode))
        (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return 0;
}

/* Reads the first bytes, and if they are compressed makes them the input of an inflater. */
static int begin_file(struct az_source *s, const struct az_source_opts *opts)
{
    int r = new_buffer(s);
    size_t got = 1;
    while (r == 0 && s->end < 4 && got) {
        r = produce(s, s->buf + s->end, BUFFER_MIN - s->end,
                    &got); /* the rest goes past this buffer */
        s->end += got;
    }
    if (r == 0 && !opts->raw && !opts->start && is_utf16(az_sv_make(s->buf, s->end)))
        return IO_FAIL(s->diag, AZ_EFORMAT, AZ_AT_FILE(name_of(s)),
                       "UTF-16 text, for example from a PowerShell redirection; save it as UTF-8");
    if (r || opts->raw || !is_compressed(az_sv_make(s->buf, s->end)))
        return r;
    s->in_buf = s->buf;
    s->in = az_sv_make(s->buf, s->end);
    s->in_pos = 0;
    s->buf = NULL;
    return start_inflater(s, opts->inflater);
}

int az_source_open(struct az_source **out, const char *path, const struct az_source_opts *opts)
{
    static const struct az_source_opts none;
    struct az_source *s;
    opts = opts ? opts : &none;
    int r = source_new(&s, strcmp(path, "-") == 0 ? "<stdin>" : path, opts);
    if (r == 0)
        r = open_fd(s, path, opts->start);
    if (r == 0 && opts->digest && !opts->start) {
        az_digest_reset(opts->digest);
        s->digest = opts->digest;
    }
    if (r == 0)
        r = begin_file(s, opts);
    if (r) {
        az_source_close(s);
        s = NULL;
    }
    *out = s;
    return r;
}

int az_source_open_memory(struct az_source **out, struct az_sv bytes, const char *name,
                          const struct az_source_opts *opts)
{
    static const struct az_source_opts none;
    struct az_source *s;
    opts = opts ? opts : &none;
    int r = source_new(&s, name, opts);
    if (r == 0) {
        s->in = bytes;
        s->in_eof = true;
        s->size = bytes.n;
        if (!opts->raw && is_compressed(bytes))
            r = start_inflater(s, opts->inflater);
    }
    if (r) {
        az_source_close(s);
        s = NULL;
    }
    *out = s;
    return r;
}

void az_source_close(struct az_source *s)
{
    if (!s)
        return;
    if (s->own_fd && s->fd >= 0)
        (void)close(s->fd);
    az_gzip_free(s->gz);
    az_zstd_free(s->zstd);
    if (s->lent)
        az_mem_free(s->mem, s->lent, s->lent_size);
    if (s->buf)
        az_mem_free(s->mem, s->buf, s->cap);
    if (s->in_buf)
        az_mem_free(s->mem, s->in_buf, s->cap);
    az_mem_free(s->mem, s->name, s->name_size);
    az_mem_free(s->mem, s, sizeof *s);
}

/* ---- delivering ---- */

/* In a build that moves buffers views are copies that live to the next call. */
static void end_views(struct az_source *s)
{
    if (s->lent)
        az_mem_free(s->mem, s->lent, s->lent_size);
    s->lent = NULL;
}

static void lend_copy(struct az_source *s, struct az_sv *v)
{
    char *p = AZ_MOVES && v->n ? az_mem_alloc(s->mem, v->n) : NULL;
    if (!p)
        return;
    s->lent = memcpy(p, v->p, v->n);
    s->lent_size = v->n;
    v->p = s->lent;
}

int az_source_peek(struct az_source *s, size_t n, struct az_sv *out)
{
    end_views(s);
    n = min_size(n, s->window);
    *out = (struct az_sv){ "", 0 };
    if (plain_memory(s)) {
        if (s->in.n)
            *out = az_sv_make(s->in.p, min_size(n, s->in.n));
        return 0;
    }
    if (s->end - s->at < n && s->at) {
        memmove(s->buf, s->buf + s->at, s->end - s->at);
        s->end -= s->at;
        s->at = 0;
    }
    while (s->end - s->at < n) {
        size_t got;
        int r = produce(s, s->buf + s->end, s->cap - s->end, &got);
        if (r && s->end == s->at)
            return r;
        if (r || got == 0)
            break;
        s->end += got;
    }
    *out = az_sv_make(s->buf + s->at, min_size(n, s->end - s->at));
    lend_copy(s, out);
    return 0;
}

int az_source_next(struct az_source *s, struct az_sv *chunk)
{
    end_views(s);
    *chunk = (struct az_sv){ "", 0 };
    if (plain_memory(s)) {
        size_t n = min_size(s->in.n, s->window);
        if (n)
            *chunk = az_sv_make(s->in.p, n);
        take_input(s, n);
        s->delivered += n;
        return 0;
    }
    if (s->at == s->end) {
        size_t got;
        int r = produce(s, s->buf, s->cap, &got);
        s->at = 0;
        s->end = got;
        if (r)
            return r;
    }
    *chunk =
        az_sv_make(s->buf + s->at,
                   min_size(s->end - s->at, AZ_MOVES ? min_size(PIECE, s->window) : s->window));
    s->at += chunk->n;
    s->delivered += chunk->n;
    lend_copy(s, chunk);
    return 0;
}

int az_source_read(struct az_source *s, void *buf, size_t n, size_t *got)
{
    int r = 0;
    end_views(s);
    *got = 0;
    if (plain_memory(s)) {
        *got = min_size(n, s->in.n);
        if (*got)
            memcpy(buf, s->in.p, *got);
        take_input(s, *got);
    } else if (s->at < s->end) {
        *got = min_size(n, s->end - s->at);
        memcpy(buf, s->buf + s->at, *got);
        s->at += *got;
    } else {
        r = produce(s, buf, n, got); /* straight into the caller's buffer */
    }
    s->delivered += *got;
    return r;
}

static int collect(struct az_source *s, size_t max, struct az_vec_char *into)
{
    for (;;) {
        struct az_sv chunk;
        int r = az_source_next(s, &chunk);
        if (r || chunk.n == 0)
            return r;
        if (max && (chunk.n > max || into->n > max - chunk.n))
            return IO_FAIL(s->diag, AZ_ELIMIT, AZ_AT_FILE(name_of(s)), "larger than %zu bytes",
                           max);
        if (az_text_append(into, chunk) != 0)
            return IO_NO_MEMORY(s->diag, AZ_AT_FILE(name_of(s)), s->mem);
    }
}

int az_source_rest(struct az_source *s, struct az_vec_char *out) { return collect(s, 0, out); }

int az_source_all(struct az_source *s, struct az_arena *a, size_t max, struct az_sv *out)
{
    struct az_vec_char text;
    az_vec_init(&text, s->mem);
    *out = (struct az_sv){ "", 0 };
    int r = collect(s, max, &text);
    if ((r == 0 || (r == AZ_EFORMAT && s->keeps_parts)) && text.n) {
        *out = az_arena_dup(a, az_text_view(&text));
        if (!out->p)
            r = IO_NO_MEMORY(s->diag, AZ_AT_FILE(name_of(s)), a->mem);
    }
    az_vec_release(&text);
    return r;
}

/* ---- queries ---- */

const char *az_source_name(const struct az_source *s) { return s->name; }
bool az_source_is_gzip(const struct az_source *s) { return is_inflated(s); }
bool az_source_damaged(const struct az_source *s) { return s->error == AZ_EFORMAT; }
bool az_source_whole(const struct az_source *s) { return s->fault == BAD_SUM; }
uint64_t az_source_delivered(const struct az_source *s) { return s->delivered; }
uint64_t az_source_size(const struct az_source *s) { return s->size; }
uint64_t az_source_consumed(const struct az_source *s)
{
    return is_inflated(s) ? s->in_pos : s->delivered;
}
