/* Cutting a file of records by what its own reader makes of them: the whole file is read with the
 * window, and records of which every event is outside are omitted from a copy. What the reader does
 * not read is copied. */
#ifndef AZ_FORMATS_SHARED_CUT_RECORDS_H
#define AZ_FORMATS_SHARED_CUT_RECORDS_H

#include "formats/format.h"
#include "model/window.h"
#include "text/jsonscan.h"

/* The reading of one file of a cut into a trace. */
struct az_parse az_cut_parse(struct az_cut *cut, const struct az_file *file, struct az_trace *t);
/* `keep` is an error, with its message. */
int az_cut_reject_option(struct az_cut *cut) AZ_MUST_USE;
/* An empty trace for a reader, whose records are logged; both are released by the caller in any
 * case. */
int az_cut_begin(struct az_cut *cut, struct az_trace *t, struct az_cut_log *log) AZ_MUST_USE;
/* Reads the file into a trace that the caller releases in any case, also after an error. A window
 * that the file does not have is an error with its message; so is `keep`. */
int az_cut_read(struct az_cut *cut, int (*parse)(struct az_parse *), struct az_trace *t,
                struct az_cut_log *log) AZ_MUST_USE;
/* The same in two readings (model/cut_sieve.h), for a format of which each event is in the record
 * that is being read, and each record has its events from az_trace_add. Records that follow each
 * other may be one in the log. */
int az_cut_read_twice(struct az_cut *cut, int (*parse)(struct az_parse *), struct az_trace *t,
                      struct az_cut_log *log) AZ_MUST_USE;
/* The same of a JSON document (az_cut_json_record), of which the second reading is that of a
 * journal of its events (formats/shared/cut_journal.h). */
int az_cut_read_journal(struct az_cut *cut, int (*parse)(struct az_parse *), struct az_trace *t,
                        struct az_cut_log *log) AZ_MUST_USE;
/* Member of a JSON document with the spans of the window, in ticks: [[start, end], ...]; with a
 * third number of one process. */
#define AZ_CUT_KEY "analyzerWindow"
/* Category of events that a cut added for viewers: no reader takes them, and another cut omits
 * them.
 */
#define AZ_CUT_ADDED "analyzer"
/* "[[start, end], ...]", in the arena; empty on failure. */
struct az_sv az_cut_spans_text(const struct az_trace *t, struct az_arena *a);
/* Reads it back into t->recorded_window. */
int az_cut_spans_read(struct az_trace *t, struct az_sv raw) AZ_MUST_USE;
/* The copy of a JSON document: bytes log->from to log->to of records that are gone are omitted,
 * with a comma next to each; the window is its first member, and cut->extra follows the last
 * record. Compressed where the name ends so. */
int az_cut_json(struct az_cut *cut, const struct az_trace *t,
                const struct az_cut_log *log) AZ_MUST_USE;
/* A record of a JSON document whose brace was read: `read` reads it. One that is not complete in
 * the window of the scanner is read again, and then logged. */
int az_cut_json_record(struct az_cut_log *log, struct az_jscan *s,
                       int (*read)(void *ctx, struct az_jscan *s), void *ctx) AZ_MUST_USE;
/* The record that is being read is of the host and in sums only, which a window has not: outside it
 * is gone. One after the other on a lane are one record. The kind AZ_GAP_FRAME is for these. */
int az_cut_sum(struct az_trace *t, uint32_t lane, int64_t start, int64_t end) AZ_MUST_USE;
/* Numbers of cut->read and cut->kept. */
void az_cut_count(struct az_cut *cut, const struct az_trace *t, const struct az_cut_log *log);

#endif
