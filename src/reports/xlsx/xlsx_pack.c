/* The workbook from the one that the library made of the small parts, and the rows of tables, which
 * are packed already, in memory or in files of their own (xlsx_rows.c). The library packs at a
 * level that needs twice the time of all the rest, reads rows back twice to do so, and does not
 * check whether they were written: here they go into their sheets between what the library has
 * before and after them, and every step is checked. The other parts are copied as they are packed.
 */
#include <errno.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>
#include <stdio.h>

#include "io/gzip_deflate.h"
#include "reports/xlsx/xlsx.h"

#define CHUNK     65536
#define LEVEL     1 /* noted in the file; xlsx_rows.c has that of the rows */
#define NAME_MOST 256
#define SHEET     "xl/worksheets/sheet"

struct pack {
    struct az_xlsx *x;
    unzFile in;
    zipFile out;
    char *chunk;
    char name[NAME_MOST];
    unz_file_info64 info;
    uint32_t sum;
    uint64_t size;
};

/* The rows of the part that is checked; NULL: it has none. */
static const struct az_xlsx_piece *piece_of(const struct pack *p)
{
    char name[NAME_MOST];
    for (size_t i = 0; i < p->x->pieces.n; i++) {
        snprintf(name, sizeof name, SHEET "%u.xml", p->x->pieces.v[i].sheet);
        if (strcmp(name, p->name) == 0)
            return &p->x->pieces.v[i];
    }
    return NULL;
}

static bool begin_part(struct pack *p, int level)
{
    const zip_fileinfo z = { .dosDate = p->info.dosDate };
    return zipOpenNewFileInZip2_64(p->out, p->name, &z, NULL, 0, NULL, 0, NULL, Z_DEFLATED, level,
                                   true, p->x->zip64) == ZIP_OK;
}

static bool write_packed(void *out, const char *p, size_t n)
{
    return n == 0 || zipWriteInFileInZip(out, p, (unsigned)n) == ZIP_OK;
}

/* As it is packed. */
static bool copy_part(struct pack *p)
{
    int method, level, n;
    if (unzOpenCurrentFile2(p->in, &method, &level, 1) != UNZ_OK || !begin_part(p, level))
        return false;
    while ((n = unzReadCurrentFile(p->in, p->chunk, CHUNK)) > 0)
        if (!write_packed(p->out, p->chunk, (size_t)n))
            return false;
    return n == 0 && unzCloseCurrentFile(p->in) == UNZ_OK &&
           zipCloseFileInZipRaw64(p->out, p->info.uncompressed_size, p->info.crc) == ZIP_OK;
}

static bool pack_text(struct pack *p, struct az_sv s, bool last)
{
    p->sum = az_deflate_sum(p->sum, s.p, s.n);
    p->size += s.n;
    return az_deflate_add(p->x->deflate, s.p, s.n, last);
}

static bool copy_file(struct pack *p, const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n;
    bool good = f != NULL;
    if (f)
        setvbuf(f, NULL, _IONBF, 0); /* the chunk is one */
    while (good && (n = fread(p->chunk, 1, CHUNK, f)) > 0)
        good = write_packed(p->out, p->chunk, n);
    good = good && !ferror(f);
    if (f)
        fclose(f);
    return good;
}

static bool copy_rows(struct pack *p, const struct az_xlsx_piece *piece)
{
    p->sum = az_deflate_sum_join(p->sum, piece->sum, piece->size);
    p->size += piece->size;
    return write_packed(p->out, piece->packed.v, piece->packed.n) &&
           (!piece->path.n || copy_file(p, piece->path.p));
}

/* What the library wrote, with the rows at the end of the sheet's data. */
static bool pack_sheet(struct pack *p, struct az_sv sheet, const struct az_xlsx_piece *piece)
{
    const struct az_sv begin = AZ_SV("<sheetData>"), end = AZ_SV("</sheetData>");
    const ptrdiff_t empty = az_sv_find(sheet, AZ_SV("<sheetData/>")),
                    at = empty >= 0 ? empty : az_sv_find(sheet, end);
    const size_t rest = (size_t)at + end.n; /* of one length with the empty one */
    struct az_deflate *d = p->x->deflate;
    p->sum = 0;
    p->size = 0;
    az_deflate_restart(d, write_packed, p->out);
    if (at < 0 || !begin_part(p, LEVEL) || !pack_text(p, az_sv_make(sheet.p, (size_t)at), false) ||
        (empty >= 0 && !pack_text(p, begin, false)) || !az_deflate_flush(d) || !copy_rows(p, piece))
        return false;
    az_deflate_restart(d, write_packed, p->out);
    return pack_text(p, end, false) &&
           pack_text(p, az_sv_make(sheet.p + rest, sheet.n - rest), true) &&
           zipCloseFileInZipRaw64(p->out, p->size, p->sum) == ZIP_OK;
}

static bool fill_part(struct pack *p, const struct az_xlsx_piece *piece)
{
    const size_t n = (size_t)p->info.uncompressed_size;
    char *text = az_mem_alloc(p->x->mem, n + 1);
    const bool good = text && n < INT32_MAX && unzOpenCurrentFile(p->in) == UNZ_OK &&
                      unzReadCurrentFile(p->in, text, (unsigned)n) == (int)n &&
                      unzCloseCurrentFile(p->in) == UNZ_OK &&
                      pack_sheet(p, az_sv_make(text, n), piece);
    az_mem_free(p->x->mem, text, n + 1);
    return good;
}

static bool each_part(struct pack *p)
{
    int rc = unzGoToFirstFile(p->in);
    for (; rc == UNZ_OK; rc = unzGoToNextFile(p->in)) {
        if (unzGetCurrentFileInfo64(p->in, &p->info, p->name, sizeof p->name, NULL, 0, NULL, 0) !=
            UNZ_OK)
            return false;
        const struct az_xlsx_piece *piece = piece_of(p);
        if (!(piece ? fill_part(p, piece) : copy_part(p)))
            return false;
    }
    return rc == UNZ_END_OF_LIST_OF_FILE;
}

bool az_xlsx_pack(struct az_xlsx *x, const char *book, const char *to)
{
    struct pack p = { .x = x, .chunk = az_mem_alloc(x->mem, CHUNK) };
    p.in = p.chunk ? unzOpen64(book) : NULL;
    p.out = p.in ? zipOpen64(to, APPEND_STATUS_CREATE) : NULL;
    bool good = p.out && each_part(&p);
    const int cause = errno;
    if (p.out)
        good = zipClose(p.out, NULL) == ZIP_OK && good;
    if (p.in)
        unzClose(p.in);
    az_mem_free(x->mem, p.chunk, CHUNK);
    if (!good && cause)
        errno = cause;
    return good;
}
