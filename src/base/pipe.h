/* Reading ahead: a thread calls a fill function and has a few blocks ready for the thread that
 * reads them. */
#ifndef AZ_BASE_PIPE_H
#define AZ_BASE_PIPE_H

#include "base/mem.h"

struct az_pipe;

/* fill: 0 or an error code; *got = 0 at the end. It is called on the pipe's thread only, until it
 * returned the end or an error, or the pipe is closed. There are `blocks` (at least 2) of `block`
 * bytes. AZ_ENOMEM, AZ_ELIMIT; AZ_ENOMEM also if no thread could be started. */
int az_pipe_open(struct az_pipe **p, int (*fill)(void *ctx, void *buf, size_t n, size_t *got),
                 void *ctx, size_t block, unsigned blocks, struct az_mem *mem) AZ_MUST_USE;
/* Copies up to n bytes, often fewer; *got = 0 at the end (and for n = 0). An error of fill comes
 * after the bytes before it. */
int az_pipe_read(struct az_pipe *p, void *buf, size_t n, size_t *got) AZ_MUST_USE;
/* Ends the thread (a call of fill is waited for). NULL is allowed. */
void az_pipe_close(struct az_pipe *p);

#endif
