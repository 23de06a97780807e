/* Messages for users, stored per input and printed by the run.
 * Form: `FILE:line-or-offset: what happened 'subject' (what to do)`, lower case. */
#ifndef AZ_BASE_DIAG_H
#define AZ_BASE_DIAG_H

#include "base/vec.h"

/* A note is printed with -v; a hint is printed as a note, but always (unless quiet). */
enum az_severity { AZ_NOTE, AZ_WARNING, AZ_ERROR, AZ_HINT };

/* Where: a line (text files), a byte offset (streams), a JSON pointer (config), or nothing but the
 * file. */
struct az_where {
    struct az_sv file;    /* empty: no file */
    int64_t line;         /* 1-based; 0: none */
    int64_t offset;       /* byte offset; -1: none */
    struct az_sv pointer; /* JSON pointer; empty: none */
};
#define AZ_AT_FILE(f)      ((struct az_where){ .file = (f), .offset = -1 })
#define AZ_AT_LINE(f, l)   ((struct az_where){ .file = (f), .line = (l), .offset = -1 })
#define AZ_AT_OFFSET(f, o) ((struct az_where){ .file = (f), .offset = (o) })
#define AZ_NOWHERE         ((struct az_where){ .offset = -1 })

struct az_message {
    enum az_severity severity;
    struct az_sv text; /* whole message with its place, without severity word or newline; control
                          bytes made visible */
};
AZ_VEC(struct az_message, az_messages);

struct az_diag {
    struct az_arena arena; /* own memory, no budget: "out of memory" must be sayable */
    struct az_messages list;
    size_t errors, warnings; /* counts, also of those beyond `max` */
    size_t max;              /* stored at most (default 200); the rest is counted in one line */
    size_t dropped;
};

void az_diag_init(struct az_diag *d);
void az_diag_release(struct az_diag *d);
void az_diag_add(struct az_diag *d, enum az_severity s, struct az_where at, const char *fmt, ...)
    AZ_PRINTF(4, 5);
/* Adds an error for `code` and returns `code`, for `return az_diag_fail(...)`. */
int az_diag_fail(struct az_diag *d, int code, struct az_where at, const char *fmt, ...)
    AZ_PRINTF(4, 5);
/* Appends the messages of another diag, and its counts. */
void az_diag_append(struct az_diag *to, const struct az_diag *from);
/* The same without warnings that `to` has: for messages that each of several parts of one job
 * produces. */
void az_diag_append_new(struct az_diag *to, const struct az_diag *from);
/* The message for AZ_ENOMEM and AZ_ELIMIT, with what to do; returns code, or AZ_ELIMIT if the limit
 * of mem was reached. */
int az_diag_memory(struct az_diag *d, int code, struct az_where at, const struct az_mem *mem);

#endif
