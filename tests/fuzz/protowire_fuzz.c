/* The wire reader over arbitrary bytes: views stay inside, the cursor stands inside, nesting ends.
 * The same field read again gives the same. */
#include <stdlib.h>

#include "text/protowire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct az_protobuf m, const uint8_t *lo, const uint8_t *hi)
{
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v = 0, x;
    int rc;
    const uint8_t *before = m.p;
    while ((rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0) {
        if (m.p <= before || m.p > hi || field == 0 || field >= 1u << 29)
            abort();
        before = m.p;
        if (wire == AZ_PROTOBUF_BYTES) {
            struct az_protobuf sub;
            const uint8_t *p = (const uint8_t *)b.p;
            if (p < lo || b.n > (size_t)(hi - p))
                abort();
            struct az_protobuf_numbers it = az_protobuf_numbers(wire, v, b);
            while (az_protobuf_number(&it, &x) > 0)
                if (it.packed.p > it.packed.end)
                    abort();
            if (az_protobuf_sub(&m, b, &sub) == 0)
                walk(sub, lo, hi);
        }
    }
    if (rc == 0 ? m.p != m.end : (rc != AZ_EFORMAT || m.p < lo || m.p > hi))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096) /* depth times length */
        return 0;
    const struct az_sv all = az_sv_make((const char *)data, size);
    walk(az_protobuf_of(all), data, data + size);
    (void)az_protobuf_find(all, 1);
    return 0;
}
