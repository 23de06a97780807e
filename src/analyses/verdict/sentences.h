/* Between the parts that write the verdict's sentences. Texts are in the arena of the job; a failed
 * allocation returns an empty text, and the arena stores the error. */
#ifndef AZ_ANALYSES_VERDICT_SENTENCES_H
#define AZ_ANALYSES_VERDICT_SENTENCES_H

#include "analyses/verdict/verdict.h"
#include "document/verdict_table.h"

struct az_verdict_text {
    struct az_verdict_whole *w;
    const struct az_claims *c;
    struct az_arena *a;
    struct az_table *out; /* the lines */
};

/* ---- pieces ---- */
/* to + between + more; where one of them is empty the other one alone. */
struct az_sv az_verdict_text_add(struct az_verdict_text *x, struct az_sv to, const char *between,
                                 struct az_sv more);
/* "1.20 ms" */
struct az_sv az_verdict_text_time(struct az_verdict_text *x, int64_t ns);
/* "12,400" */
struct az_sv az_verdict_text_count(struct az_verdict_text *x, int64_t n);
/* "4 gaps", "1 gap" */
/* "no device activity recorded", or "... in the window". */
struct az_sv az_verdict_text_no_device(const struct az_verdict_text *x);
/* Before "kernel time" of the whole recording: "the recording's " where work outside the scope has
 * a line. */
const char *az_verdict_text_recording(const struct az_verdict_text *x);
struct az_sv az_verdict_text_counted(struct az_verdict_text *x, int64_t n, const char *noun);
/* " in the 3 steps", those of the account; empty where it is of none. */
struct az_sv az_verdict_text_steps(struct az_verdict_text *x);
/* " in the 3 steps on 2 devices": of the calls of a finding, where the tables have others; else
 * empty.
 */
struct az_sv az_verdict_text_scope(struct az_verdict_text *x, const struct az_claim *f);
/* A name, a long one truncated. */
struct az_sv az_verdict_text_cut(struct az_verdict_text *x, struct az_sv name);
/* A part of the account, as a share of its time. */
static inline double az_verdict_text_percent(const struct az_verdict_text *x, int64_t part)
{
    const int64_t span = x->c->account.span;
    return span > 0 && part > 0 ? 100 * (double)part / (double)span : 0;
}
/* Of a report of operations, whose devices are no GPUs. */
bool az_verdict_text_op_report(const struct az_verdict_text *x);
bool az_verdict_text_tpu(const struct az_verdict_text *x);
/* "not trustworthy: input is truncated", the failed check that the account depends on; empty. */
struct az_sv az_verdict_text_qualified(struct az_verdict_text *x);
/* Adds a line that is no finding. ns: the time it is about; -1: none. */
int az_verdict_text_put(struct az_verdict_text *x, enum az_line_kind kind, const char *label,
                        struct az_sv text, int64_t ns) AZ_MUST_USE;

/* ---- lines ---- */
int az_verdict_text_findings(struct az_verdict_text *x) AZ_MUST_USE;
int az_verdict_text_data(struct az_verdict_text *x) AZ_MUST_USE;
/* What the tables of operations cover, where the account is of other operations. */
int az_verdict_text_tables(struct az_verdict_text *x) AZ_MUST_USE;
/* What a check found: "12 of 400 kernel launches have no device event". */
struct az_sv az_verdict_text_check(struct az_verdict_text *x, enum az_check check);

#endif
