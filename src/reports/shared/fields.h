/* What the writers share: cleaned texts, headers with units, readable scales. Private to the room.
 */
#ifndef AZ_REPORTS_SHARED_FIELDS_H
#define AZ_REPORTS_SHARED_FIELDS_H

#include "document/document.h"

/* Text as every writer shows it: bad UTF-8, control bytes (but tab and newline), U+FFFE and U+FFFF
 * become U+FFFD, so that CSV, JSON and workbook agree and XML stays valid. The view itself where
 * nothing is to do. */
struct az_sv az_field_text(struct az_arena *scratch, struct az_sv s);
/* The same on one line: newlines and tabs become blanks. */
struct az_sv az_field_line(struct az_arena *scratch, struct az_sv s);

/* How the numbers of one column are displayed: divided by `divide`, with `decimals` (-1:
 * integers plain, others with 3), under the unit `unit`. */
struct az_scale {
    double divide;
    int decimals;
    const char *unit;
};
/* Chosen from the largest magnitude among the first `rows` rows: 1,234,567 ns -> ms with 3
 * decimals. */
struct az_scale az_field_scale(const struct az_table *t, size_t col, size_t rows);
/* The same in the unit that a person reads, also of times in us, ms and s: the largest is between 1
 * and 1000 of it, with three or four digits; a finer one where many would have fewer than three. */
struct az_scale az_field_scale_read(const struct az_table *t, size_t col, size_t rows);
/* Is the column a share of 0 to 1, which is displayed in percent? */
static inline bool az_field_is_fraction(const struct az_column *c)
{
    return c->unit == AZ_UNIT_NONE && c->type == AZ_REAL && (c->flags & AZ_SHARE);
}
/* Largest magnitude among the first rows. */
double az_field_largest(const struct az_table *t, size_t col, size_t rows);
/* The same for one value, e.g. of a finding. */
struct az_scale az_field_scale_of(enum az_unit unit, enum az_cell_type type, double largest);
/* Column name with the unit shown: "Total (ns)" in ms -> "Total (ms)"; appended as " (ms)" if the
 * name has none. */
struct az_sv az_field_header(struct az_arena *scratch, const struct az_column *c,
                             const char *shown);
/* The same of the column's title, for readers; of its header where it has none. A share has its
 * whole. */
struct az_sv az_field_title(struct az_arena *scratch, const struct az_table *t, size_t col,
                            const char *shown);
/* Title of an axis: a unit alone has the word of what it measures, "ms, all ranks" is
 * "Time, all ranks (ms)". */
struct az_sv az_field_axis(struct az_arena *scratch, struct az_sv title);
/* Number cell by the scale; text cells are not for this. buf of at least AZ_FIELD_MAX bytes. "" for
 * empty. */
#define AZ_FIELD_MAX 400
struct az_sv az_field_number(const struct az_cell *c, const struct az_column *col,
                             struct az_scale s, char *buf);

/* The scale of a column for the cell of a row. Where the row has the unit of its values, a whole
 * one has the decimals of the others: 3.060 and 2.000 ms. */
struct az_scale az_field_scale_row(const struct az_table *t, size_t row, size_t col,
                                   struct az_scale s);

/* When in the trace something was, shown to readers as a time after its first event (origin_ns of
 * the document; below 0: none is known, then a start is as recorded). */
static inline bool az_field_is_start(const struct az_column *c, int64_t origin_ns)
{
    return origin_ns >= 0 && c->unit == AZ_UNIT_NS && c->type == AZ_INT &&
           (az_sv_is(c->stem, "start") || az_sv_starts(c->stem, AZ_SV("start_of_")));
}
/* The cell after the first event where its column is a start; else as it is. */
static inline struct az_cell az_field_after_origin(const struct az_cell *cell,
                                                   const struct az_column *c, int64_t origin_ns)
{
    struct az_cell x = *cell;
    if (x.type == AZ_INT && az_field_is_start(c, origin_ns))
        x.i -= origin_ns;
    return x;
}
/* The unit in which the latest of these starts is read. */
struct az_scale az_field_start_scale(const struct az_table *t, size_t col, size_t rows,
                                     int64_t origin_ns);
/* az_field_title of any column: that of a start names its origin, "Start after first event (us)".
 */
struct az_sv az_field_title_after(struct az_arena *scratch, const struct az_table *t, size_t col,
                                  const char *shown, int64_t origin_ns);

/* Column of exactly that name, or -1. */
ptrdiff_t az_field_column(const struct az_table *t, struct az_sv name);
/* Column "Total" that is true in rows whose value is a level and no change (of a waterfall), or
 * -1. */
ptrdiff_t az_field_level_column(const struct az_table *t);
/* A signed change (AZ_CHANGE): 1 worse, -1 better by the direction of its column, 0 neither, or no
 * change. */
int az_field_worse(const struct az_table *t, size_t row, size_t col);
/* The columns to show where there is room for `most`: not AZ_DETAIL; keys first, then from the
 * left. In table order in col[]; returns their number. */
size_t az_field_choose(const struct az_table *t, size_t *col, size_t most);

/* A name fit for a file: letters, digits, `.`, `_`, `-` and bytes of UTF-8 stay, all else becomes
 * `_`; unique without case among used[]. */
struct az_sv az_field_filename(struct az_arena *scratch, struct az_sv id,
                               const struct az_vec_sv *used);

/* Appends the text as one line, with what Markdown and HTML would read escaped. */
int az_field_markdown(struct az_vec_char *out, struct az_sv s, struct az_arena *a) AZ_MUST_USE;

#endif
