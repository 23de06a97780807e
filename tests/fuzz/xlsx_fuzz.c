/* Any bytes as a workbook: as they are, or (where they begin with '<') as the first sheet of an
 * otherwise sound one, with a text and a date to refer to. What is refused has a message. All
 * memory is given back. Build with clang -fsanitize=fuzzer,address,undefined, or with driver.c. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "saved/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 65536

static const char *const parts[][2] = {
    { "_rels/.rels",
      "<r><Relationship Id='1' Type='x/officeDocument' Target='xl/workbook.xml'/></r>" },
    { "xl/workbook.xml", "<workbook><sheet name='kern_sum' r:id='s'/></workbook>" },
    { "xl/_rels/workbook.xml.rels",
      "<r><Relationship Id='s' Type='x/worksheet' Target='worksheets/sheet1.xml'/>"
      "<Relationship Id='t' Type='x/sharedStrings' Target='sharedStrings.xml'/>"
      "<Relationship Id='u' Type='x/styles' Target='styles.xml'/></r>" },
    { "xl/sharedStrings.xml", "<sst><si><t>Name</t></si><si><r><t>a_x000A_b</t></r></si></sst>" },
    { "xl/styles.xml", "<s><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></s>" },
    { "xl/worksheets/sheet1.xml", NULL },
};

struct out {
    unsigned char b[MOST + 4096];
    size_t n;
};

static void put(struct out *o, uint32_t x, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        o->b[o->n++] = (unsigned char)(x >> (8 * i));
}

static void put_bytes(struct out *o, const void *p, size_t n)
{
    memcpy(o->b + o->n, p, n);
    o->n += n;
}

/* The fields that a local header and one of the directory share. */
static void put_entry(struct out *o, const char *name, const void *p, size_t n)
{
    put(o, 20, 2);
    put(o, 0, 4); /* flags, stored */
    put(o, 0, 4); /* time */
    put(o, (uint32_t)crc32(0, p, (uInt)n), 4);
    put(o, (uint32_t)n, 4);
    put(o, (uint32_t)n, 4);
    put(o, (uint32_t)strlen(name), 2);
    put(o, 0, 2);
}

static void make_book(struct out *o, const uint8_t *sheet, size_t size)
{
    uint32_t at[AZ_LENGTH(parts)];
    size_t directory;

    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        const void *p = parts[i][1] ? (const void *)parts[i][1] : sheet;
        const size_t n = parts[i][1] ? strlen(parts[i][1]) : size;
        at[i] = (uint32_t)o->n;
        put(o, 0x04034b50, 4);
        put_entry(o, parts[i][0], p, n);
        put_bytes(o, parts[i][0], strlen(parts[i][0]));
        put_bytes(o, p, n);
    }
    directory = o->n;
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        const void *p = parts[i][1] ? (const void *)parts[i][1] : sheet;
        const size_t n = parts[i][1] ? strlen(parts[i][1]) : size;
        put(o, 0x02014b50, 4);
        put(o, 20, 2);
        put_entry(o, parts[i][0], p, n);
        put(o, 0, 2); /* comment, disk, attributes */
        put(o, 0, 4);
        put(o, 0, 4);
        put(o, at[i], 4);
        put_bytes(o, parts[i][0], strlen(parts[i][0]));
    }
    put(o, 0x06054b50, 4);
    put(o, 0, 4);
    put(o, AZ_LENGTH(parts), 2);
    put(o, AZ_LENGTH(parts), 2);
    put(o, (uint32_t)(o->n - directory - 12), 4);
    put(o, (uint32_t)directory, 4);
    put(o, 0, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct out book;
    struct az_sv bytes = { (const char *)data, size };
    struct az_document doc;
    struct az_arena arena;
    struct az_diag diag;
    struct az_mem mem;

    if (size == 0 || size > MOST)
        return 0;
    if (data[0] == '<') {
        book.n = 0;
        make_book(&book, data, size);
        bytes = az_sv_make((const char *)book.b, book.n);
    }
    az_mem_init(&mem, (size_t)64 << 20);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    az_diag_init(&diag);
    int rc = az_load_xlsx(&doc, bytes, AZ_SV("fuzz"), &diag);
    if ((rc != 0) != (diag.errors > 0))
        abort();
    az_document_release(&doc);
    az_arena_release(&arena);
    az_diag_release(&diag);
    if (mem.used != 0)
        abort();
    return 0;
}
