/* What an event is, by its category: those of every backend of the profiler; and the words of some:
 * queues, copies, geometry (docs/formats-pytorch.md 1.3, 1.6). */
#include "base/num.h"
#include "formats/pytorch/pytorch.h"

/* Compared without a call, as the length is a constant. */
#define CATEGORY(text, kind)                                                                       \
    if (cat.n == sizeof(text) - 1 && memcmp(cat.p, text, sizeof(text) - 1) == 0)                   \
    return kind

static enum az_kind known_category(struct az_sv cat)
{
    CATEGORY("cpu_op", AZ_HOST_OP);
    CATEGORY("cuda_runtime", AZ_CALL);
    CATEGORY("kernel", AZ_KERNEL);
    CATEGORY("python_function", AZ_FRAME);
    CATEGORY("cuda_driver", AZ_CALL);
    CATEGORY("gpu_memcpy", AZ_MEMCPY);
    CATEGORY("gpu_memset", AZ_MEMSET);
    CATEGORY("user_annotation", AZ_RANGE);
    CATEGORY("gpu_user_annotation", AZ_GPU_RANGE);
    CATEGORY("cuda_sync", AZ_SYNC);
    CATEGORY("overhead", AZ_OVERHEAD);
    CATEGORY("Operator", AZ_HOST_OP);
    CATEGORY("Runtime", AZ_CALL);
    CATEGORY("Kernel", AZ_KERNEL);
    CATEGORY("Memcpy", AZ_MEMCPY);
    CATEGORY("Memset", AZ_MEMSET);
    CATEGORY("mtia_ccp_events", AZ_KERNEL); /* on the device */
    CATEGORY("hpu_op", AZ_CALL);            /* of the host's runtime */
    return AZ_KIND_COUNT;
}

/* Backends name their categories in the same way: xpu_runtime, mtia_runtime, privateuse1_driver,
 * xpu_sync. */
static const struct {
    struct az_sv end;
    enum az_kind kind;
} patterns[] = {
    { { "_runtime", 8 }, AZ_CALL },
    { { "_driver", 7 }, AZ_CALL },
    { { "_sync", 5 }, AZ_SYNC },
};

enum az_kind az_pytorch_kind_of(struct az_sv cat)
{
    const enum az_kind known = known_category(cat);
    if (known != AZ_KIND_COUNT)
        return known;
    for (size_t i = 0; i < AZ_LENGTH(patterns); i++)
        if (az_sv_ends(cat, patterns[i].end))
            return patterns[i].kind;
    return AZ_KIND_COUNT;
}

int64_t az_pytorch_queue(const struct az_pytorch_event *e)
{
    const struct az_sv text = az_pytorch_text(e, AZ_PYTORCH_L0_QUEUE);
    uint64_t v = 0;
    if (az_pytorch_has(e, AZ_PYTORCH_STREAM))
        return -1;
    if (az_pytorch_number(e, AZ_PYTORCH_SYCL_QUEUE, -1) >= 0)
        return e->number[AZ_PYTORCH_SYCL_QUEUE];
    if (text.n < 3 || text.n > 17 || !az_sv_starts(text, AZ_SV("0x")))
        return -1;
    for (size_t i = 2; i < text.n; i++) {
        const char c = (char)(text.p[i] | 0x20);
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return -1;
        v = v << 4 | (unsigned)digit;
    }
    return v <= INT64_MAX ? (int64_t)v : -1;
}

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }

struct az_sv az_pytorch_copy_text(struct az_arena *a, const struct az_pytorch_event *e)
{
    const struct az_sv kind = az_pytorch_text(e, AZ_PYTORCH_COPY_KIND),
                       src = az_pytorch_text(e, AZ_PYTORCH_COPY_SRC),
                       dst = az_pytorch_text(e, AZ_PYTORCH_COPY_DST);
    if (!kind.n || !az_sv_is(e->name, "Memcpy"))
        return az_sv_make(NULL, 0);
    if (!src.n || !dst.n)
        return az_arena_printf(a, "Memcpy %.*s", AZ_SVF(kind));
    return az_arena_printf(a, "Memcpy %.*s (%c%.*s -> %c%.*s)", AZ_SVF(kind), upper(src.p[0]),
                           (int)src.n - 1, src.p + 1, upper(dst.p[0]), (int)dst.n - 1, dst.p + 1);
}

/* "[128, 1, 1]"; zeros if it is anything else. Every kernel has two: they are read in place. */
static void three_numbers(struct az_sv text, uint32_t out[3])
{
    text = text.n ? text : AZ_SV(""); /* a key that is not there is no address */
    const char *p = text.p, *end = text.p + text.n;
    uint32_t v[3] = { 0 };
    size_t n = 0;
    memset(out, 0, 3 * sizeof *out);
    for (; n < 3; n++) {
        uint64_t x = 0;
        if (p == end || *p++ != (n ? ',' : '['))
            return;
        while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
            p++;
        if (p == end || *p < '0' || *p > '9')
            return;
        for (; p < end && *p >= '0' && *p <= '9' && x < AZ_NO_SIZE; p++)
            x = 10 * x + (uint64_t)(*p - '0');
        v[n] = az_geometry_figure((int64_t)x, 0);
        while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
            p++;
    }
    if (p + 1 == end && *p == ']')
        memcpy(out, v, sizeof v);
}

int az_pytorch_geometry(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                        uint32_t *row)
{
    struct az_geometry g = { .static_shared = AZ_NO_SIZE, .dynamic_shared = AZ_NO_SIZE };
    int64_t v;
    three_numbers(az_pytorch_text(e, AZ_PYTORCH_GRID), g.grid);
    three_numbers(az_pytorch_text(e, AZ_PYTORCH_BLOCK), g.block);
    if (az_parse_i64(az_pytorch_text(e, AZ_PYTORCH_REGISTERS), &v) == 0)
        g.registers = az_geometry_figure(v, 0);
    if (az_parse_i64(az_pytorch_text(e, AZ_PYTORCH_SHARED), &v) == 0)
        g.static_shared = az_geometry_figure(v, AZ_NO_SIZE);
    return az_geometries_put(&r->trace->geometries, &g, row);
}
