/* A server for editors and agents: inputs are read once and stay open, questions come as messages
 * of JSON-RPC 2.0, one a line, in the words of the Model Context Protocol (docs/query.md 5).
 *
 *   a line in -> az_server_answer -> a line out, or none (a notification)
 *
 * Nothing is written to a file, no network is listened to: the lines are standard input and output,
 * or a socket of the file system that only its owner can open. A message that is wrong gets the
 * error of the protocol and ends nothing; the end of the input, SIGTERM or SIGINT end the server.
 *
 * Layers: json.c is what is a message and what is in it; server.c the methods of the protocol;
 * tools.c the tools, most of which are one SQL statement over query/query.h; compare.c those with
 * two inputs; answer.c the bounds of a result; transport.c lines and files.
 *
 * Every answer of a tool has at most `rows` rows and `bytes` bytes, reports whether it was
 * truncated and how to request the rest, names the table it is of and the order of its rows. A
 * statement has limits of time and memory; a client that cancels its request ends the statement.
 * One thread. */
#ifndef AZ_SERVE_SERVE_H
#define AZ_SERVE_SERVE_H

#include "query/query.h"

#define AZ_SERVE_LINE (4 << 20) /* bytes of a message at most */

/* What the server is about. Borrowed. */
struct az_server_inputs {
    const struct az_query_source *source;
    /* Has a file of an input changed since it was read? NULL: never. */
    bool (*changed)(void *ctx, size_t input);
    /* Reads all inputs again; *source becomes the new one, the old one is gone. Not 0: they could
     * not be read, a message is in diag, and there are no inputs until it succeeds. NULL: it
     * cannot. */
    int (*reload)(void *ctx, const struct az_query_source **source, struct az_diag *diag);
    void *ctx;
};
struct az_server_limits {
    int64_t rows, bytes; /* of a response; 0: 1000 rows, 64 KiB */
    int64_t ms, memory;  /* of a statement; 0: 30 s, 1 GiB */
};

struct az_server;
int az_server_new(struct az_server **out, const struct az_server_inputs *inputs,
                  const struct az_server_limits *limits) AZ_MUST_USE;
void az_server_free(struct az_server *s);
/* The response to one message, appended without a line end; nothing for a notification. What is
 * wrong with a message is in the response; only AZ_ENOMEM is returned. */
int az_server_answer(struct az_server *s, struct az_sv line, struct az_vec_char *out) AZ_MUST_USE;
/* Polled while a statement runs; true ends it. NULL: never. */
void az_server_on_cancel(struct az_server *s, bool (*is_requested)(void *ctx), void *ctx);
/* Where responses go, for a statement that does not end within its time limit inside one function
 * of SQL: the process prints the error and ends, with status 3. Negative: nowhere (the default). */
void az_server_set_output(struct az_server *s, int fd);
/* Does the message cancel the request in progress? */
bool az_server_cancels(const struct az_server *s, struct az_sv line);

/* Reads lines of `in` and writes responses to `out` until the end of the input or `stop`. 0,
 * AZ_EINTR (stop), AZ_EIO. */
int az_serve_lines(struct az_server *s, int in, int out, struct az_cancel stop) AZ_MUST_USE;
/* Listens on a socket at `path` (mode 0600; an old one that nobody listens to is replaced), one
 * client at a time, until `stop`. AZ_EIO with a message. */
int az_serve_socket(struct az_server *s, const char *path, struct az_cancel stop,
                    struct az_diag *diag) AZ_MUST_USE;

#endif
