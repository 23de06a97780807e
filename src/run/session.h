/* Inputs that stay open, to be queried repeatedly: their traces are read once and retained, their
 * reports are made on request. */
#ifndef AZ_RUN_SESSION_H
#define AZ_RUN_SESSION_H

#include "query/query.h"
#include "run/run.h"

struct az_session_input {
    const struct az_plan_job *job;
    struct az_sv title;      /* unique; in the session's arena */
    struct az_result res;    /* traces, and the report of what is no run of ranks */
    struct az_result report; /* of a run of ranks */
    const struct az_trace **views;
    struct az_diag diag; /* messages while it was read and analyzed */
    int error;           /* of reading; a report may be there all the same */
    bool requested;      /* the report was made, or could not be */
    int report_error;
    int64_t mtime_ns, size; /* of its files when they were read: the newest, the sum */
};
struct az_session {
    struct az_arena arena;
    struct az_config conf;
    struct az_plan plan;
    struct az_session_input *inputs;
    size_t n;
    struct az_query_input *requested; /* the same for queries */
    struct az_query_source source;
    struct az_run_opts opts;
};

/* Plans and reads the inputs of these paths (files, folders, globs; as `analyzer run` accepts
 * them). Inputs that cannot be read have an error; none of them readable is that error. To be
 * closed also when it fails. planned: NULL for none. Messages about the whole in diag, about an
 * input in its own. AZ_EINTR. */
int az_session_open(struct az_session *s, const char *const *paths, size_t n,
                    const struct az_overrides *over, az_on_plan *planned, void *ctx,
                    struct az_diag *diag) AZ_MUST_USE;
void az_session_close(struct az_session *s);
/* The report of an input, made on first use. NULL: it has none, *rc is the reason. */
const struct az_document *az_session_document(struct az_session *s, size_t input, int *rc);
/* Has a file of an input another size or time than when it was read? */
bool az_session_changed(const struct az_session *s, size_t input);

#endif
