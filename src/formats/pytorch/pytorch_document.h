/* A PyTorch trace read through, for what copies a part of it: its events as they are written, and
 * its other members. */
#ifndef AZ_FORMATS_PYTORCH_PYTORCH_DOCUMENT_H
#define AZ_FORMATS_PYTORCH_PYTORCH_DOCUMENT_H

#include "base/diag.h"
#include "text/jsonscan.h"

struct az_pytorch_document {
    const char *path;
    struct az_mem *mem;
    struct az_diag *diag;
    bool (*cancelled)(void); /* NULL: never */
    /* An event whose brace was read. */
    int (*record)(void *ctx, struct az_jscan *s);
    /* The list of events begins, and ends; NULL: nothing to do. */
    void (*events)(void *ctx, bool end);
    /* Another member, whose value comes next; `key` is valid until it is read. NULL: skipped. */
    int (*member)(void *ctx, struct az_jscan *s, struct az_sv key);
    void *ctx;
    bool reports_damage; /* a warning about malformed events */
};
/* 0 also for a trace that is truncated; AZ_EFORMAT with a message, AZ_EEMPTY, AZ_EINTR. */
int az_pytorch_document_read(const struct az_pytorch_document *d) AZ_MUST_USE;

#endif
