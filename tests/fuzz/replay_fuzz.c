/* The readers of a replay folder over arbitrary bytes: outputs of the tools, logs, replay.json, and
 * recorded arguments made into commands. Whatever a log says, only words that are harmless to any
 * shell may become arguments. */
#include <stdlib.h>
#include <string.h>

#include "replay/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
    if (!good)
        abort();
}

static void logs(enum az_parts_group g, struct az_sv text, struct az_arena *a)
{
    struct az_commands list;
    az_vec_init(&list, NULL);
    must(az_commands_read(g, text, a, &list) == 0);
    for (size_t i = 0; i < list.n; i++) {
        const char *const *argv = list.v[i].argv;
        must((argv == NULL) == (list.v[i].why != NULL));
        for (size_t k = 0; argv && argv[k]; k++) {
            must(k > 0 || strcmp(argv[0], az_replay_program[g]) == 0);
            must(argv[k][0] && strpbrk(argv[k], "/ \t\n\r;&|<>$`'\"\\(){}[]*?!~#=%") == NULL);
        }
    }
    az_vec_release(&list);
}

static void outputs(struct az_sv text)
{
    struct az_bench_result r;
    double us = 0;
    for (int g = 0; g < GROUPS; g++)
        if (az_bench_parse((enum az_parts_group)g, text, &r))
            must(r.us >= 0 && isfinite(r.us));
    if (az_torch_parse(text, 0, &us))
        must(us >= 0 && isfinite(us));
}

static void json(struct az_sv text, struct az_arena *a)
{
    struct az_replay_entries list;
    struct az_diag diag;
    az_diag_init(&diag);
    az_vec_init(&list, NULL);
    int rc = az_replay_load_json(text, "replay.json", a, &list, &diag);
    must(rc == 0 || (rc == AZ_EFORMAT && diag.errors));
    for (size_t i = 0; rc == 0 && i < list.n; i++)
        must(list.v[i].no >= 0 && (list.v[i].group == GEMM || list.v[i].group == CONV));
    az_vec_release(&list);
    az_diag_release(&diag);
}

/* Lines: dims, types, strides, concrete inputs. */
static void arguments(struct az_sv text)
{
    static const char *const ops[] = { "aten::mm",
                                       "aten::addmm",
                                       "aten::bmm",
                                       "aten::baddbmm",
                                       "aten::_scaled_mm",
                                       "aten::convolution",
                                       "aten::convolution_backward" };
    struct az_sv part[4];
    for (int i = 0; i < 4; i++)
        part[i] = az_sv_cut(&text, '\n');
    for (size_t i = 0; i < AZ_LENGTH(ops); i++) {
        struct az_perf_call c = { .op = az_sv_str(ops[i]) };
        struct az_vec_char out;
        struct az_jsonw w;
        const char *why;
        unsigned notes;
        if (!az_perf_parse(&c, part[0], part[1], part[2], part[3]))
            return;
        az_vec_init(&out, NULL);
        int rc = az_replay_command(&c, AZ_REPLAY_BENCH, &out, &notes, &why);
        must(rc == 0 ? out.n > 0 : rc == AZ_EFORMAT && why);
        az_vec_reset(&out);
        az_jsonw_init(&w, NULL, &out, 2);
        (void)az_replay_ir(&w, &c);
        must(az_jsonw_finish(&w) == 0);
        az_vec_release(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct az_arena a;
    if (size == 0)
        return 0;
    const struct az_sv text = az_sv_make((const char *)data + 1, size - 1);
    az_arena_init(&a, NULL);
    switch (data[0] % 5) {
    case 0:
        outputs(text);
        break;
    case 1:
        logs(GEMM, text, &a);
        break;
    case 2:
        logs(CONV, text, &a);
        break;
    case 3:
        json(text, &a);
        break;
    default:
        arguments(text);
        break;
    }
    az_arena_release(&a);
    return 0;
}
