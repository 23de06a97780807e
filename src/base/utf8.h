/* UTF-8 without trust: cleaning, counting, display width. */
#ifndef AZ_BASE_UTF8_H
#define AZ_BASE_UTF8_H

#include "base/vec.h"

/* Next code point of s at *i (advanced by at least 1); an invalid byte becomes U+FFFD and advances
 * by the maximal bad prefix. */
uint32_t az_utf8_next(struct az_sv s, size_t *i);
bool az_utf8_valid(struct az_sv s);
/* s itself if valid, else a copy in the arena with U+FFFD for each bad sequence. */
struct az_sv az_utf8_clean(struct az_arena *a, struct az_sv s);
/* The same, and control characters (C0, DEL, C1) except those in `keep`, and those that turn the
 * direction of writing, become U+FFFD. */
struct az_sv az_utf8_printable(struct az_arena *a, struct az_sv s, const char *keep);
/* Appends s for a person's eyes: control characters (C0, DEL, C1) and bytes that are not UTF-8
 * become \xNN, so the result is one printable line of valid UTF-8; so does the first of two colons
 * at the beginning of a line, with which commands of workflows begin. 0, AZ_ENOMEM or AZ_ELIMIT. */
int az_utf8_visible(struct az_vec_char *t, struct az_sv s) AZ_MUST_USE;
/* s on one line: each run of blanks (space, tab, line ends) is one space, none at either end. A
 * copy in the arena; {NULL, 0} without memory. */
struct az_sv az_utf8_one_line(struct az_arena *a, struct az_sv s);
/* Code points (not bytes). */
size_t az_utf8_count(struct az_sv s);
/* Terminal columns: wide East Asian and emoji 2, combining 0; independent of the locale. */
size_t az_utf8_width(struct az_sv s);
/* Longest prefix of at most `bytes` bytes that ends between code points. */
struct az_sv az_utf8_cut(struct az_sv s, size_t bytes);
/* Text truncated to at most `width` terminal columns with one `...` character: in its middle or at
 * its end. */
struct az_sv az_utf8_fit(struct az_arena *a, struct az_sv s, size_t width, bool middle);
/* Bytes of prose that fit `columns`: up to the last blanks that do, else to the first, else all of
 * it; no blank is at the end. A number stays with its unit. */
size_t az_utf8_break(struct az_sv s, size_t columns);
/* Appends the line with its newline, as it is where it fits; else its first `indent` bytes (whole
 * code points), then the rest, broken as prose and continued below itself; of two colons that a
 * line would begin with the first is \x3a, as by az_utf8_visible. 0 or an error of memory. */
int az_utf8_wrap(struct az_vec_char *out, struct az_sv line, size_t indent,
                 size_t width) AZ_MUST_USE;
/* UTF-16 code units, as spreadsheets count characters, and the longest prefix of at most `units` of
 * them. */
size_t az_utf8_units(struct az_sv s);
struct az_sv az_utf8_cut_units(struct az_sv s, size_t units);
/* Lower case by simple Unicode mapping (one code point to one); all else, bad bytes too, stays.
 * {NULL, 0} without memory. */
struct az_sv az_utf8_lower(struct az_arena *a, struct az_sv s);

#endif
