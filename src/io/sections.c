/* Files of named sections. */
#include "io/sections.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io/digest.h"
#include "io/fs_errors.h"
#include "io/oserror.h"

static const char magic[8] = { 'A', 'Z', 'S', 'E', 'C', 'T', '\r', '\n' };

#define ORDER 0x01020304u
#define ROW   64
#define AT    64 /* what everything is a multiple of */

enum {
    AT_ORDER = 8,
    AT_VERSION = 12,
    AT_LENGTH = 16,
    AT_COUNT = 24,
    AT_ROW = 28,
    AT_TOOL = 32,
    AT_KEY = 48,
    AT_SUM = 56
};
enum { ROW_LAYOUT = 24, ROW_AT = 32, ROW_LENGTH = 40, ROW_SUM = 48 };

/* ---- writing ---- */

static int pad_bytes(struct az_vec_char *v)
{
    static const char zeros[AT];
    return v->n % AT ? az_text_append(v, az_sv_make(zeros, AT - v->n % AT)) : AZ_OK;
}

int az_sections_begin(struct az_sections_out *o, size_t most, const char *tool, uint64_t key,
                      struct az_mem *mem)
{
    static const char zeros[ROW];
    const uint32_t head[2] = { ORDER, AZ_SECTIONS_VERSION }, row = ROW, rows = (uint32_t)most;
    int rc = AZ_OK;

    o->n = 0;
    az_vec_init(&o->image, mem);
    if (most > AZ_SECTIONS_MOST)
        return AZ_EINTERNAL;
    for (size_t i = 0; rc == 0 && i < 1 + most; i++)
        rc = az_text_append(&o->image, az_sv_make(zeros, ROW));
    if (rc)
        return rc;
    char *p = o->image.v;
    memcpy(p, magic, sizeof magic);
    memcpy(p + AT_ORDER, head, sizeof head);
    memcpy(p + AT_COUNT, &rows, sizeof rows);
    memcpy(p + AT_ROW, &row, sizeof row);
    memcpy(p + AT_TOOL, tool, strnlen(tool, AZ_SECTIONS_TOOL - 1));
    memcpy(p + AT_KEY, &key, sizeof key);
    return AZ_OK;
}

int az_sections_add(struct az_sections_out *o, const char *name, uint64_t layout,
                    struct az_sv bytes)
{
    const uint64_t at = o->image.n, n = bytes.n, sum = az_checksum(bytes.p, bytes.n);
    int rc = strlen(name) < AZ_SECTIONS_NAME && o->n < AZ_SECTIONS_MOST ? AZ_OK : AZ_EINTERNAL;

    if (rc == 0)
        rc = az_text_append(&o->image, bytes);
    if (rc == 0)
        rc = pad_bytes(&o->image);
    if (rc)
        return rc;
    char *row = o->image.v + AZ_SECTIONS_HEAD + o->n++ * ROW;
    memcpy(row, name, strlen(name));
    memcpy(row + ROW_LAYOUT, &layout, 8);
    memcpy(row + ROW_AT, &at, 8);
    memcpy(row + ROW_LENGTH, &n, 8);
    memcpy(row + ROW_SUM, &sum, 8);
    return AZ_OK;
}

/* Of the head but for its own place, and of the table. */
static uint64_t head_sum(const char *image, size_t rows)
{
    const uint64_t sums[2] = { az_checksum(image, AT_SUM),
                               az_checksum(image + AZ_SECTIONS_HEAD, rows * ROW) };
    return az_checksum(sums, sizeof sums);
}

int az_sections_end(struct az_sections_out *o)
{
    char *p = o->image.v;
    const uint64_t length = o->image.n;
    uint32_t rows;

    memcpy(&rows, p + AT_COUNT, sizeof rows);
    if (rows != o->n)
        return AZ_EINTERNAL;
    memcpy(p + AT_LENGTH, &length, sizeof length);
    const uint64_t sum = head_sum(p, rows);
    memcpy(p + AT_SUM, &sum, sizeof sum);
    return AZ_OK;
}

void az_sections_release(struct az_sections_out *o) { az_vec_release(&o->image); }

/* ---- reading ---- */

static uint64_t u64_at(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint32_t u32_at(const char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

bool az_sections_is(struct az_sv head)
{
    return head.n >= sizeof magic && memcmp(head.p, magic, sizeof magic) == 0;
}

uint64_t az_sections_length(struct az_sv head)
{
    if (head.n < AZ_SECTIONS_HEAD || !az_sections_is(head) || u32_at(head.p + AT_ORDER) != ORDER)
        return 0;
    const uint64_t n = u64_at(head.p + AT_LENGTH);
    return n % AT || n < AZ_SECTIONS_HEAD ? 0 : n;
}

const char *az_sections_open(struct az_sections *s, struct az_sv bytes)
{
    return az_sections_open_head(s, bytes, bytes.n);
}

const char *az_sections_open_head(struct az_sections *s, struct az_sv bytes, uint64_t available)
{
    *s = (struct az_sections){ .image = bytes };
    if (!az_sections_is(bytes))
        return "is not a part file";
    if (bytes.n < AZ_SECTIONS_HEAD)
        return "is truncated in its header";
    if (u32_at(bytes.p + AT_ORDER) != ORDER)
        return "has a different byte order";
    if (u32_at(bytes.p + AT_VERSION) != AZ_SECTIONS_VERSION)
        return "has an unsupported format version";
    const uint64_t length = u64_at(bytes.p + AT_LENGTH);
    const size_t n = u32_at(bytes.p + AT_COUNT);
    if (length > available ||
        bytes.n < AZ_SECTIONS_HEAD + (size_t)(n > AZ_SECTIONS_MOST ? 0 : n) * ROW)
        return "is truncated";
    if (n > AZ_SECTIONS_MOST || u32_at(bytes.p + AT_ROW) != ROW ||
        length < AZ_SECTIONS_HEAD + n * ROW || head_sum(bytes.p, n) != u64_at(bytes.p + AT_SUM))
        return "has a damaged header";
    s->image.n = length < bytes.n ? (size_t)length : bytes.n;
    s->n = n;
    s->key = u64_at(bytes.p + AT_KEY);
    memcpy(s->tool, bytes.p + AT_TOOL, sizeof s->tool - 1);
    for (size_t i = 0; i < n; i++) {
        const char *row = bytes.p + AZ_SECTIONS_HEAD + i * ROW;
        const uint64_t at = u64_at(row + ROW_AT), size = u64_at(row + ROW_LENGTH);
        if (at > length || size > length - at || at % AT)
            return "has a damaged header";
    }
    return NULL;
}

struct az_section az_sections_at(const struct az_sections *s, size_t i)
{
    const char *row = s->image.p + AZ_SECTIONS_HEAD + i * ROW;
    struct az_section x = { .layout = u64_at(row + ROW_LAYOUT) };
    memcpy(x.name, row, sizeof x.name - 1);
    const uint64_t at = u64_at(row + ROW_AT), n = u64_at(row + ROW_LENGTH);
    if (at > s->image.n || n > s->image.n - at)
        return x;
    x.bytes = az_sv_make(s->image.p + at, (size_t)n);
    x.sound = az_checksum(x.bytes.p, x.bytes.n) == u64_at(row + ROW_SUM);
    return x;
}

static int read_bytes(int fd, uint64_t at, uint64_t n, struct az_vec_char *out)
{
    while (n > 0) {
        const size_t want = n < (1u << 20) ? (size_t)n : 1u << 20; /* what it claims may be wrong */
        if (az_vec_reserve(out, want))
            return ENOMEM;
        const ssize_t got = pread(fd, out->v + out->n, want, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : 0;
        out->n += (size_t)got;
        at += (uint64_t)got;
        n -= (uint64_t)got;
    }
    return 0;
}

int az_sections_read(const char *path, uint64_t at, uint64_t n, struct az_vec_char *out,
                     struct az_diag *diag)
{
    char text[128];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const int e = fd < 0 ? errno : read_bytes(fd, at, n, out);
    az_fs_error_note(path, e == ENOMEM ? 0 : e);
    if (fd >= 0)
        (void)close(fd);
    if (e == ENOMEM)
        return az_mem_error(out->mem);
    if (e == ENOENT)
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "no such file or folder");
    return e == 0 ? AZ_OK
                  : IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)), "cannot read: %s",
                            az_errno_text(e, text));
}
