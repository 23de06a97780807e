/* Identifiers of tables as words, for labels, legends and headings. */
#ifndef AZ_REPORTS_SHARED_WORDS_H
#define AZ_REPORTS_SHARED_WORDS_H

#include "base/mem.h"

/* "exposed_comm_time" -> "exposed communication", "low_utilization" -> "low utilization". What is
 * no identifier (with capitals, blanks, ...) is returned unchanged. */
struct az_sv az_words_of(struct az_arena *scratch, struct az_sv id);
/* The same of parts of a timeline only: others are returned unchanged, also identifiers, which may
 * be names of the input. */
struct az_sv az_words_of_part(struct az_sv id);

/* The subject of a finding; empty where the words of its rule, before it, are the same or begin so.
 */
struct az_sv az_words_of_subject(struct az_sv rule_words, struct az_sv subject);

#endif
