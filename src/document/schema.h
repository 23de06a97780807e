/* Canonical columns: what a column of a table means, whatever tool its header is from
 * (docs/columns.md). The id is a stem, the same for every format ("kernel_time"), and the unit
 * ("_ns"). Look up the stem to find one meaning. */
#ifndef AZ_DOCUMENT_SCHEMA_H
#define AZ_DOCUMENT_SCHEMA_H

#include "document/table.h"

/* The indexed rules for all tables of a document; in the arena. NULL: out of
 * memory.
 */
struct az_schema_index;
struct az_schema_index *az_schema_index_new(struct az_arena *a);
/* Sets id, stem and title of all columns, from the table's id, the headers and the units. Ids are
 * unique in the table: a second column of a meaning and unit gets "_2" after its stem. AZ_ENOMEM or
 * AZ_ELIMIT. */
int az_schema_apply(struct az_table *t, const struct az_schema_index *x) AZ_MUST_USE;
/* Makes the headers the titles again, for a table whose columns are named by the user. */
void az_schema_restore_headers(struct az_table *t);
/* A header of constant words as a title: "of total" -> "Of total". */
struct az_sv az_schema_sentence_case(struct az_arena *a, struct az_sv header);
/* Titles of a table of a comparison: its headers, of which those that are words of the program
 * begin with a capital; columns named by inputs stay as they are. */
int az_schema_title_comparison(struct az_table *t) AZ_MUST_USE;
/* Column of a canonical id ("kernel_time_us"), else the first of a stem ("kernel_time"); -1: none.
 */
ptrdiff_t az_schema_find(const struct az_table *t, struct az_sv id);

#endif
