/* CSV by RFC 4180, tolerant: BOM, CRLF, quotes, doubled quotes, line breaks inside quotes, fields
 * without quotes that contain quotes; streaming, constant memory, fields as views. */
#ifndef AZ_TEXT_CSV_H
#define AZ_TEXT_CSV_H

#include "base/diag.h"
#include "io/source.h"

struct az_csv_field {
    /* Without the outer quotes; doubled quotes still doubled. Text after the closing quote ("a"b)
     * stays as it is. */
    struct az_sv raw;
    bool quoted;
    bool doubled; /* raw contains quotes: az_csv_text returns the text */
};
AZ_VEC(struct az_csv_field, az_csv_fields);

struct az_csv_index;
struct az_csv {
    struct az_source *src; /* borrowed */
    struct az_mem *mem;
    char sep;
    struct az_csv_fields row; /* of the last az_csv_next */
    int64_t line;             /* 1-based line where that row starts */
    bool blank;               /* that row was an empty line (row.n is then 0) */
    int64_t open_line; /* its line, if it is the last row and no line end closes it; else 0 */
    size_t max_row;    /* a row of more bytes is AZ_EFORMAT (default 64 MiB); also one of over 2^20
                          fields */

    /* Private from here. Tests may set the first two before the first az_csv_next. */
    bool scalar;               /* split byte by byte instead of 64 bytes at a time */
    size_t window_size;        /* bytes read at once; 0: 256 KiB */
    struct az_vec_char window; /* bytes at..n are not yet handed out */
    size_t at, room;
    struct az_csv_index *index;
    int64_t next_line;
    bool eof, begun;
    int pending, failed; /* an error after the bytes in the window; an error already returned */
};

/* A quote opens a quoted field only as the first byte of a field; elsewhere it is text. AZ_EUSAGE
 * for a separator that is a quote or a line end. */
int az_csv_init(struct az_csv *c, struct az_source *src, char sep, struct az_mem *mem) AZ_MUST_USE;
void az_csv_release(struct az_csv *c);
/* 1: a row is in c->row (views live to the next call); 0: end; negative: error, which later calls
 * repeat. A quote left open at the end of the file is AZ_EFORMAT (c->line is where it began);
 * errors of the source pass through after the good rows before them. */
int az_csv_next(struct az_csv *c) AZ_MUST_USE;
/* Rows that are probably still to come, if n is what was read so far; 0: unknown. */
size_t az_csv_rows_left(const struct az_csv *c, size_t n);
/* After the last row: warns if no line end closes it. A truncated number is still a number, and
 * nothing else shows it. */
void az_csv_warn_open(const struct az_csv *c, struct az_sv path, struct az_diag *diag);
/* Text of a field with doubled quotes made single (in the arena only if needed). */
struct az_sv az_csv_text(struct az_arena *a, const struct az_csv_field *f);
/* Number fields: thousands separators inside quotes are stripped where they are in groups of three
 * ("1,234,567.8"; not "1,5"). "" and "None" (any case: none, null, nan, n/a): 1 = missing. 0: *out
 * set; negative: not a number (AZ_EFORMAT) or too large (AZ_ERANGE). Blanks around are ignored. */
int az_csv_i64(const struct az_csv_field *f, int64_t *out) AZ_MUST_USE;
int az_csv_f64(const struct az_csv_field *f, double *out) AZ_MUST_USE;
/* Decimal text times `scale` (> 0) ticks, e.g. "1.5" in us -> 1500 ns with scale 1000; exact, half
 * to even. With a scale that is no power of ten more than 19 significant digits are AZ_ERANGE.
 * Missing and errors as above. */
int az_csv_scaled(const struct az_csv_field *f, int64_t scale, int64_t *out) AZ_MUST_USE;

/* Appends one CSV field (quoted only when needed: separator, quote, CR, LF, leading or trailing
 * blank). */
int az_csv_quote(struct az_vec_char *out, struct az_sv text, char sep) AZ_MUST_USE;
/* The same of a long field in pieces: is it quoted, and a piece of its text as it is in quotes. */
bool az_csv_needs_quotes(struct az_sv text, char sep);
int az_csv_double_quotes(struct az_vec_char *out, struct az_sv text) AZ_MUST_USE;
/* The usual field of commas: printable ASCII without a quote. Copies it, in quotes where they are
 * needed, with up to 18 bytes of room after it: how many bytes it is; SIZE_MAX: it is none, and
 * there may be anything in `out`. */
size_t az_csv_copy_plain(struct az_sv text, char *out);

#endif
