/* Reads a finished workbook back. The library copies its temporary files into the zip without
 * checking whether they contain all that was written, so a full disk would produce a valid zip of
 * broken sheets and no error. Costs a few percent of the writing. Each part of the zip is deflated;
 * with a gzip header and trailer around it, io/source inflates and checks it. */
#include "reports/xlsx/xlsx_verify.h"

#include "io/source.h"

#define END_SIZE     22 /* end of central directory record, no comment */
#define CENTRAL_SIZE 46
#define LOCAL_SIZE   30
#define ZIP64        0xffffffffu /* the true value is in a zip64 record, which is not read here */

static uint32_t read_u16(const char *p)
{
    return (uint32_t)(unsigned char)p[0] | (uint32_t)(unsigned char)p[1] << 8;
}
static uint32_t read_u32(const char *p) { return read_u16(p) | read_u16(p + 2) << 16; }

/* Balance of tags, fed in pieces. Attribute values and texts contain no raw '<' or '>' (the library
 * escapes both). */
struct xml {
    enum { TEXT, OPENED, IN_TAG, IN_END, IN_NOTE } state;
    char last;
    int64_t depth;
    bool root, bad;
};

static void feed_xml(struct xml *x, struct az_sv s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (x->state == TEXT) {
            if (c == '<')
                x->state = OPENED;
        } else if (x->state == OPENED) {
            x->state = c == '/' ? IN_END : c == '?' || c == '!' ? IN_NOTE : IN_TAG;
            x->bad |= x->state == IN_TAG && x->depth == 0 && x->root; /* a second root */
            x->root |= x->state == IN_TAG;
        } else if (c == '>') {
            if (x->state == IN_TAG && x->last != '/')
                x->depth++;
            if (x->state == IN_END)
                x->depth--;
            x->bad |= x->depth < 0;
            x->state = TEXT;
        } else {
            x->bad |= c == '<';
        }
        x->last = c;
    }
}

static bool balanced(const struct xml *x)
{
    return x->root && !x->bad && x->depth == 0 && x->state == TEXT;
}

/* One part: `data` is the raw deflate stream. */
static int check_part(struct az_sv data, const char *crc, const char *size, struct az_vec_char *gz,
                      const char **damage)
{
    static const char head[10] = { 0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
    struct az_source_opts opts = { .mem = NULL };
    struct az_source *src = NULL;
    struct xml xml = { .state = TEXT };
    struct az_sv chunk;
    int rc;

    az_vec_reset(gz);
    if ((rc = az_text_append(gz, az_sv_make(head, sizeof head))) ||
        (rc = az_text_append(gz, data)) || (rc = az_text_append(gz, az_sv_make(crc, 4))) ||
        (rc = az_text_append(gz, az_sv_make(size, 4))))
        return rc;
    rc = az_source_open_memory(&src, az_text_view(gz), "part of a workbook", &opts);
    if (rc)
        return rc;
    while ((rc = az_source_next(src, &chunk)) == 0 && chunk.n > 0)
        feed_xml(&xml, chunk);
    az_source_close(src);
    if (rc == 0 && !balanced(&xml)) {
        *damage = "incomplete XML of a sheet; check for a full disk of the temporary folder";
        rc = AZ_EFORMAT;
    }
    return rc;
}

/* Walks the central directory. */
static int check_zip(struct az_sv zip, struct az_vec_char *gz, const char **damage)
{
    *damage = "the zip directory is damaged";
    if (zip.n < END_SIZE || memcmp(zip.p + zip.n - END_SIZE, "PK\5\6", 4) != 0)
        return AZ_EFORMAT;
    const char *end = zip.p + zip.n - END_SIZE;
    size_t parts = read_u16(end + 10), at = read_u32(end + 16);
    if (at == ZIP64 || parts == 0xffff)
        return 0;
    for (size_t i = 0; i < parts; i++) {
        const char *c = zip.p + at;
        if (at + CENTRAL_SIZE > zip.n || memcmp(c, "PK\1\2", 4) != 0)
            return AZ_EFORMAT;
        at += CENTRAL_SIZE + read_u16(c + 28) + read_u16(c + 30) + read_u16(c + 32);
        size_t packed = read_u32(c + 20), local = read_u32(c + 42);
        if (packed == ZIP64 || local == ZIP64 || read_u32(c + 24) == ZIP64)
            continue;
        if (local + LOCAL_SIZE > zip.n || memcmp(zip.p + local, "PK\3\4", 4) != 0)
            return AZ_EFORMAT;
        size_t data =
            local + LOCAL_SIZE + read_u16(zip.p + local + 26) + read_u16(zip.p + local + 28);
        if (data + packed > zip.n || read_u16(c + 10) != 8)
            return AZ_EFORMAT;
        int rc = check_part(az_sv_make(zip.p + data, packed), c + 16, c + 24, gz, damage);
        if (rc)
            return rc;
    }
    return parts ? 0 : AZ_EFORMAT;
}

int az_xlsx_verify(const char *path, struct az_mem *mem, const char **damage)
{
    struct az_mapping map = { .bytes = { NULL, 0 } };
    struct az_vec_char gz;
    int rc = az_map_file(&map, path, NULL);

    *damage = NULL;
    if (rc)
        return rc;
    az_vec_init(&gz, mem);
    rc = check_zip(map.bytes, &gz, damage);
    az_vec_release(&gz);
    az_unmap_file(&map);
    return rc;
}
