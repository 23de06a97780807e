/* Parts of the reader of workbooks. Private to load_xlsx*.c; the libraries' types stay in the .c
 * files. A workbook is a zip file of XML parts (ECMA-376); it is not trusted: sizes are bounded,
 * what is missing or damaged is reported. */
#ifndef AZ_SAVED_LOAD_XLSX_H
#define AZ_SAVED_LOAD_XLSX_H

#include "saved/load.h"

#define AZ_BOOK_COLUMNS 16384 /* of a sheet */

struct az_book {
    struct az_sv bytes, name; /* of the file; name is for messages */
    void *zip;                /* unzFile */
    struct az_arena *arena;   /* texts of this reader */
    struct az_mem *mem;
    struct az_diag *diag;
    size_t inflated; /* bytes of all parts so far */
};

/* AZ_EFORMAT with a message if it is no zip file, or an encrypted one. */
int az_book_open(struct az_book *b) AZ_MUST_USE;
void az_book_close(struct az_book *b);
/* A message about the workbook, AZ_EFORMAT. */
int az_book_wrong(struct az_book *b, const char *part, const char *what) AZ_MUST_USE;

/* The receiver of a part's elements: names without their prefix; a handler returns 0 or an error
 * that ends the part (with a message). attributes: name, value, ..., NULL. */
struct az_book_reader {
    int (*start)(void *of, const char *name, const char **attributes);
    int (*end)(void *of, const char *name);
    int (*text)(void *of, struct az_sv text);
    void *of;
};
/* Reads a part from start to end. AZ_EEMPTY without a message if the book has none of that name. */
int az_book_part(struct az_book *b, const char *part, const struct az_book_reader *r) AZ_MUST_USE;
/* Value of an attribute, without its prefix ("r:id" is "id"); NULL: none. */
const char *az_book_attribute(const char **attributes, const char *name);

/* ---- load_xlsx_sheet.c ---- */
struct az_book_shared { /* what the cells of all sheets refer to */
    struct az_vec_sv strings;
    struct az_vec_u8 dates; /* of each cell format: does it show a date? */
    bool from_1904;
};
int az_book_shared_read(struct az_book *b, const char *strings, const char *styles,
                        struct az_book_shared *look) AZ_MUST_USE;
/* A sheet as CSV text. AZ_ERANGE without a message if it is no table: a row is longer than the
 * first.
 */
int az_book_sheet(struct az_book *b, const char *part, const struct az_book_shared *look,
                  struct az_vec_char *csv) AZ_MUST_USE;

#endif
