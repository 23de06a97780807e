/* Any bytes as messages for the server, one a line: every answer is one JSON value without a line
 * end, a line that is no JSON has one, statements of SQL end in time, and all memory is given back.
 * Build with clang -fsanitize=fuzzer,address,undefined, or with driver.c. */
#include <stdint.h>

#include "query_source.h"
#include "serve/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one_line(struct az_server *s, struct az_sv line)
{
    struct az_vec_char out;

    az_vec_init(&out, NULL);
    (void)az_server_cancels(s, line);
    query_must(az_server_answer(s, line, &out));
    if (out.n && (!az_rpc_valid(az_text_view(&out)) || memchr(out.v, '\n', out.n)))
        abort();
    if (!out.n && az_sv_trim(line).n && !az_rpc_valid(az_sv_trim(line)))
        abort();
    az_vec_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct az_server_limits limits = {
        .rows = 20, .bytes = 2000, .ms = 100, .memory = 4 << 20
    };
    struct az_sv rest = az_sv_make((const char *)data, size);
    struct query_source q;
    struct az_server *s;

    if (size > 65536)
        return 0;
    query_source_init(&q);
    const struct az_server_inputs inputs = { .source = &q.source };
    query_must(az_server_new(&s, &inputs, &limits));
    for (int i = 0; rest.n && i < 20; i++)
        one_line(s, az_sv_cut(&rest, '\n'));
    az_server_free(s);
    query_source_release(&q);
    return 0;
}
