#define _DEFAULT_SOURCE
/* Any bytes as the script of an extension (Lua): it is opened and asked for the work of an
 * operator. It ends, what fails has a message, and all memory is given back. */
#include <stdint.h>
#include <stdlib.h>

#include "extend/extend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct az_extend *e, struct az_arena *a, struct az_diag *diag)
{
    struct az_sv kernel = AZ_SV("k1");
    struct az_perf_call c = { .op = AZ_SV("my::op"), .kernels = &kernel, .n_kernels = 1 };
    struct az_perf p = { 0 };
    const size_t before = diag->errors + diag->warnings;
    if (!az_perf_parse(&c, AZ_SV("[[2,3],[]]"), AZ_SV("[\"float\",\"Scalar\"]"), AZ_SV(""),
                       AZ_SV("[\"\",\"7\"]")))
        abort();
    if (az_extend_model(e, &c, a, &p, diag) == AZ_ECONFIG &&
        diag->errors + diag->warnings + diag->dropped == before)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct az_extend *e = NULL;
    struct az_arena a;
    struct az_mem mem;
    struct az_diag diag;

    if (size > 16384)
        return 0;
    az_mem_init(&mem, 64u << 20);
    az_arena_init(&a, NULL);
    az_diag_init(&diag);
    const int rc =
        az_extend_open_text(&e, "fuzz.lua", az_sv_make((const char *)data, size), &a, &mem, &diag);
    if (rc && rc != AZ_ENOMEM && rc != AZ_ELIMIT && diag.errors == 0)
        abort();
    if (rc == 0)
        ask(e, &a, &diag);
    az_extend_close(e);
    az_arena_release(&a);
    az_diag_release(&diag);
    if (mem.used != 0)
        abort();
    return 0;
}
