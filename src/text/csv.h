/* CSV by RFC 4180, tolerant: BOM, CRLF, quotes, doubled quotes, line breaks inside quotes, fields without quotes that
 * hold quotes; streaming, constant memory, fields as views. */
#ifndef AZ_TEXT_CSV_H
#define AZ_TEXT_CSV_H

#include "base/diag.h"
#include "io/source.h"

struct az_csv_field {
    struct az_sv raw; /* without the outer quotes; doubled quotes still doubled */
    bool quoted, doubled;
};
AZ_VEC(struct az_csv_field, az_csv_fields);

struct az_csv {
    struct az_source *src; /* borrowed */
    struct az_mem *mem;
    char sep;
    struct az_csv_fields row;  /* of the last az_csv_next */
    int64_t line;              /* 1-based line where that row starts */
    bool blank;                /* that row was an empty line (row.n is then 0) */
    struct az_vec_char window; /* private from here */
    size_t at;
    int64_t next_line;
    bool eof, begun;
    size_t max_row; /* a row longer than this is AZ_EFORMAT (default 64 MiB) */
};

int az_csv_init(struct az_csv *c, struct az_source *src, char sep, struct az_mem *mem) AZ_MUST_USE;
void az_csv_release(struct az_csv *c);
/* 1: a row is in c->row (views live to the next call); 0: end; negative: error. A quote left open at the end of the
 * file is AZ_EFORMAT (c->line says where it began). */
int az_csv_next(struct az_csv *c) AZ_MUST_USE;
/* Text of a field with doubled quotes made single (in the arena only if needed). */
struct az_sv az_csv_text(struct az_arena *a, const struct az_csv_field *f);
/* Number fields: thousands separators inside quotes are stripped. "" and "None" (any case: none, null, nan, n/a): 1 =
 * missing. 0: *out set; negative: not a number. */
int az_csv_i64(const struct az_csv_field *f, int64_t *out) AZ_MUST_USE;
int az_csv_f64(const struct az_csv_field *f, double *out) AZ_MUST_USE;
/* Decimal text times `scale` ticks, e.g. "1.5" in us -> 1500 ns with scale 1000; exact, half to even. */
int az_csv_scaled(const struct az_csv_field *f, int64_t scale, int64_t *out) AZ_MUST_USE;

/* Appends one CSV field (quoted only when needed: separator, quote, CR, LF, leading or trailing blank). */
int az_csv_quote(struct az_vec_char *out, struct az_sv text, char sep) AZ_MUST_USE;

#endif
