/* Any bytes as a saved result: a JSON, or a CSV table whose name the first byte chooses. What is
 * refused has a message; what is taken, compared with itself, is the same in every row. All memory
 * is given back. Build with clang -fsanitize=fuzzer,address,undefined, or with driver.c. */
#include <stdint.h>
#include <stdlib.h>

#include "saved/load.h"
#include "saved_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const ids[] = { "kern_sum",       "gpu_timeline",  "ops",    "GEMM",
                                   "kernel_summary", "unknown_table", "ops_all" };

static int load(struct az_document *doc, struct az_sv bytes, unsigned choice, struct az_diag *diag)
{
    struct az_csv_file file = { .name = AZ_SV("fuzz"), .bytes = bytes };
    if (choice == 0)
        return az_load_json(doc, bytes, AZ_SV("fuzz"), diag);
    return az_load_csv(doc, az_sv_str(ids[choice % AZ_LENGTH(ids)]), &file, diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct az_document doc;
    struct az_arena arena;
    struct az_diag diag;
    struct az_mem mem;
    if (size == 0 || size > 65536)
        return 0;
    az_mem_init(&mem, (size_t)64 << 20);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    az_diag_init(&diag);
    /* the first byte of a JSON is its bracket */
    unsigned choice = data[0] == '{' ? 0 : 1 + data[0] % 7u;
    size_t skip = choice ? 1 : 0;
    int rc = load(&doc, az_sv_make((const char *)data + skip, size - skip), choice, &diag);
    if (rc != 0 && diag.errors == 0)
        abort();
    if (rc == 0)
        fuzz_with_itself(&doc, &mem, &diag);
    az_document_release(&doc);
    az_arena_release(&arena);
    az_diag_release(&diag);
    if (mem.used != 0)
        abort();
    return 0;
}
