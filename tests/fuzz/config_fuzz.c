/* Fuzzes the configuration loader from memory: any bytes give a configuration or messages, no
 * crash, no leak. Nothing is looked up on disk. Lines "KEY=VALUE" after a first byte 0xfe (never in
 * UTF-8) are command line values: --set, and
 * --opt where the line starts with '+'. */
#include <stdint.h>
#include <stdlib.h>

#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const formats[] = { "csv", "nsys-rep", "nsys-sqlite", NULL };
static const char *const reports[] = { "csv", "json", "xlsx", NULL };

static void add_line(struct az_overrides *over, struct az_sv line)
{
    struct az_override o = { .kind = AZ_SET_PATH };
    if (line.n > 0 && line.p[0] == '+') {
        o.kind = AZ_SET_OPTION;
        line = az_sv_make(line.p + 1, line.n - 1);
    }
    const char *equal = line.n ? memchr(line.p, '=', line.n) : NULL;
    if (!equal)
        return;
    o.key = az_sv_make(line.p, (size_t)(equal - line.p));
    o.value = az_sv_make(equal + 1, line.n - o.key.n - 1);
    if (az_vec_push(over, o) < 0)
        abort();
}

static struct az_sv split(struct az_sv all, struct az_overrides *over)
{
    const char *mark = all.n ? memchr(all.p, 0xfe, all.n) : NULL;
    if (!mark)
        return all;
    struct az_sv text = az_sv_make(all.p, (size_t)(mark - all.p));
    struct az_sv rest = az_sv_make(mark + 1, all.n - text.n - 1);
    while (rest.n > 0) {
        const char *eol = memchr(rest.p, '\n', rest.n);
        size_t n = eol ? (size_t)(eol - rest.p) : rest.n;
        add_line(over, az_sv_make(rest.p, n));
        n += eol != NULL;
        rest = az_sv_make(rest.p + n, rest.n - n);
    }
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct az_config_names names = { formats, reports };
    struct az_overrides over;
    struct az_config config;
    struct az_diag diag;
    az_vec_init(&over, NULL);
    struct az_sv text = split(az_sv_make((const char *)data, size), &over);
    az_diag_init(&diag);
    if (az_config_init(&config) < 0)
        abort();
    int rc = az_config_load_memory(&config, text, "fuzz.json", &over, &names, &diag);
    if ((rc == 0) != (diag.errors == 0)) /* a failure says why, and a message of failure fails */
        abort();
    if (rc == 0 && config.inputs.n == 0)
        abort();
    for (size_t i = 0; rc == 0 && i < config.inputs.n; i++) {
        const struct az_input *in = &config.inputs.v[i];
        if (in->files.n == 0 || in->opts.gpus < 1 || !in->title.p || !in->format.n)
            abort();
    }
    az_config_release(&config);
    az_diag_release(&diag);
    az_vec_release(&over);
    return 0;
}
