/* The zip file of a workbook and the XML of its parts: libminizip over the bytes in memory, expat
 * over what it inflates. */
#include <expat.h>
#include <minizip/unzip.h>
#include <string.h>

#include "saved/load_xlsx.h"

#define CHUNK       65536
#define PART_MOST   ((size_t)1 << 30) /* bytes of one part, of all */
#define BOOK_MOST   ((size_t)2 << 30)
#define RATIO_FROM  ((size_t)16 << 20) /* a part of this size is no text that packs this well */
#define RATIO_MOST  300
#define PARTS_MOST  20000
#define FLAG_SECRET 1u /* general purpose flag of an entry: encrypted */

/* ---- bytes as a file ---- */

struct cursor {
    struct az_sv bytes;
    uint64_t at;
};

static voidpf ZCALLBACK open_bytes(voidpf opaque, const void *name, int mode)
{
    (void)name;
    (void)mode;
    return opaque;
}

static uLong ZCALLBACK read_bytes(voidpf opaque, voidpf stream, void *to, uLong n)
{
    struct cursor *c = stream;
    const uint64_t left = c->at < c->bytes.n ? c->bytes.n - c->at : 0;

    (void)opaque;
    n = n < left ? n : (uLong)left;
    if (n)
        memcpy(to, c->bytes.p + c->at, n);
    c->at += n;
    return n;
}

static uLong ZCALLBACK write_bytes(voidpf opaque, voidpf stream, const void *from, uLong n)
{
    (void)opaque;
    (void)stream;
    (void)from;
    (void)n;
    return 0;
}

static ZPOS64_T ZCALLBACK tell_bytes(voidpf opaque, voidpf stream)
{
    (void)opaque;
    return ((struct cursor *)stream)->at;
}

static long ZCALLBACK seek_bytes(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin)
{
    struct cursor *c = stream;
    const uint64_t from = origin == ZLIB_FILEFUNC_SEEK_CUR   ? c->at
                          : origin == ZLIB_FILEFUNC_SEEK_END ? c->bytes.n
                                                             : 0;

    (void)opaque;
    if (offset > c->bytes.n || from + offset > c->bytes.n)
        return -1;
    c->at = from + offset;
    return 0;
}

static int ZCALLBACK close_bytes(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

static int ZCALLBACK error_bytes(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

/* ---- the book ---- */

int az_book_wrong(struct az_book *b, const char *part, const char *what)
{
    if (!part)
        return az_diag_fail(b->diag, AZ_EFORMAT, AZ_AT_FILE(b->name), "%s", what);
    return az_diag_fail(b->diag, AZ_EFORMAT, AZ_AT_FILE(b->name), "part '%s': %s", part, what);
}

int az_book_open(struct az_book *b)
{
    static const char secret[] = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
    struct cursor *c = az_arena_alloc(b->arena, sizeof *c);
    zlib_filefunc64_def io = { .zopen64_file = open_bytes,
                               .zread_file = read_bytes,
                               .zwrite_file = write_bytes,
                               .ztell64_file = tell_bytes,
                               .zseek64_file = seek_bytes,
                               .zclose_file = close_bytes,
                               .zerror_file = error_bytes,
                               .opaque = c };
    unz_global_info64 info;

    b->zip = NULL;
    if (!c)
        return az_arena_error(b->arena);
    *c = (struct cursor){ .bytes = b->bytes };
    if (az_sv_starts(b->bytes, az_sv_make(secret, 8)))
        return az_book_wrong(b, NULL,
                             "encrypted or legacy workbook; save it as .xlsx without a password");
    b->zip = unzOpen2_64("", &io);
    if (!b->zip)
        return az_book_wrong(b, NULL, "truncated workbook (incomplete zip file); copy it again");
    if (unzGetGlobalInfo64(b->zip, &info) != UNZ_OK || info.number_entry > PARTS_MOST)
        return az_book_wrong(b, NULL, "too many parts in the workbook");
    return AZ_OK;
}

void az_book_close(struct az_book *b)
{
    if (b->zip)
        (void)unzClose(b->zip);
    b->zip = NULL;
}

static bool book_has(const struct az_book *b, const char *part)
{
    return unzLocateFile(b->zip, part, 1) == UNZ_OK;
}

/* ---- a part ---- */

struct parse {
    struct az_book *b;
    const struct az_book_reader *r;
    const char *part;
    XML_Parser parser;
    int error;
};

static const char *without_prefix(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static void stop_parser(struct parse *p, int error)
{
    if (!error || p->error)
        return;
    p->error = error;
    (void)XML_StopParser(p->parser, XML_FALSE);
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct parse *p = user;
    if (!p->error && p->r->start)
        stop_parser(p, p->r->start(p->r->of, without_prefix(name), attributes));
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    struct parse *p = user;
    if (!p->error && p->r->end)
        stop_parser(p, p->r->end(p->r->of, without_prefix(name)));
}

static void XMLCALL on_text(void *user, const XML_Char *s, int n)
{
    struct parse *p = user;
    if (!p->error && p->r->text)
        stop_parser(p, p->r->text(p->r->of, az_sv_make(s, (size_t)n)));
}

/* Workbooks have no document type, and entities of one could grow without end. */
static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int internal)
{
    struct parse *p = user;
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    stop_parser(p, az_book_wrong(p->b, p->part, "declares a document type, invalid in a workbook"));
}

static int check_size(struct parse *p, size_t made, const unz_file_info64 *info)
{
    const bool bomb = made > RATIO_FROM && made / RATIO_MOST > info->compressed_size;

    if (bomb || made > PART_MOST || p->b->inflated > BOOK_MOST)
        return az_book_wrong(p->b, p->part, "decompresses to more than the limit of a workbook");
    return AZ_OK;
}

static int feed_parser(struct parse *p, const unz_file_info64 *info)
{
    char *chunk = az_arena_alloc(p->b->arena, CHUNK);
    size_t made = 0;
    int n, rc = chunk ? AZ_OK : az_arena_error(p->b->arena);

    while (!rc && (n = unzReadCurrentFile(p->b->zip, chunk, CHUNK)) != 0) {
        if (n < 0)
            return az_book_wrong(p->b, p->part, "is damaged");
        made += (size_t)n;
        p->b->inflated += (size_t)n;
        rc = check_size(p, made, info);
        if (!rc && XML_Parse(p->parser, chunk, n, 0) != XML_STATUS_OK)
            rc = p->error ? p->error : az_book_wrong(p->b, p->part, "is not XML");
    }
    if (!rc && XML_Parse(p->parser, "", 0, 1) != XML_STATUS_OK)
        rc = p->error ? p->error : az_book_wrong(p->b, p->part, "is truncated XML");
    return rc;
}

int az_book_part(struct az_book *b, const char *part, const struct az_book_reader *r)
{
    struct parse p = { .b = b, .r = r, .part = part };
    unz_file_info64 info;
    int rc;

    if (!book_has(b, part))
        return AZ_EEMPTY;
    if (unzGetCurrentFileInfo64(b->zip, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK)
        return az_book_wrong(b, part, "is damaged");
    if (info.flag & FLAG_SECRET)
        return az_book_wrong(b, part, "is encrypted; save the workbook without a password");
    if (unzOpenCurrentFile(b->zip) != UNZ_OK)
        return az_book_wrong(b, part, "is damaged, or uses an unsupported compression");
    p.parser = XML_ParserCreate(NULL);
    rc = p.parser ? AZ_OK : AZ_ENOMEM;
    if (!rc) {
        XML_SetUserData(p.parser, &p);
        XML_SetElementHandler(p.parser, on_start, on_end);
        XML_SetCharacterDataHandler(p.parser, on_text);
        XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
        rc = feed_parser(&p, &info);
        XML_ParserFree(p.parser);
    }
    if (unzCloseCurrentFile(b->zip) == UNZ_CRCERROR && !rc)
        rc = az_book_wrong(b, part, "is damaged: checksum mismatch");
    return rc;
}

const char *az_book_attribute(const char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2)
        if (strcmp(without_prefix(attributes[i]), name) == 0)
            return attributes[i + 1];
    return NULL;
}
