/* Derives benchmark commands for a script: one call a line on standard input, fields by tab: op,
 * dims, types, strides, concrete (JSON lists); one line out: the command to be timed, or "-" and
 * why there is none. */
#include <stdio.h>
#include <stdlib.h>

#include "perf/replay.h"

int main(void)
{
    struct az_vec_char out;
    char *line = NULL;
    size_t cap = 0;
    int rc = 0;
    az_vec_init(&out, NULL);
    for (ssize_t n; rc == 0 && (n = getline(&line, &cap, stdin)) > 0;) {
        struct az_sv rest = az_sv_make(line, (size_t)n - (line[n - 1] == '\n')), f[5];
        struct az_perf_call c = { 0 };
        const char *why = "malformed arguments";
        unsigned notes;
        for (int i = 0; i < 5; i++)
            f[i] = az_sv_cut(&rest, '\t');
        c.op = f[0];
        az_vec_reset(&out);
        rc = az_perf_parse(&c, f[1], f[2], f[3], f[4])
                 ? az_replay_command(&c, AZ_REPLAY_BENCH, &out, &notes, &why)
                 : AZ_EFORMAT;
        if (rc == 0)
            printf("%.*s\n", (int)out.n, out.v);
        else
            printf("-\t%s\n", why ? why : az_err_text(rc));
        rc = rc == AZ_EFORMAT ? 0 : rc;
    }
    free(line);
    az_vec_release(&out);
    return rc != 0;
}
