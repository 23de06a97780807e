/* Any bytes as a saved result: a JSON, or a CSV table whose name the first byte chooses. What is
 * refused has a message; what is taken, compared with itself, is the same in every row. All memory
 * is given back. Build with clang -fsanitize=fuzzer,address,undefined, or with driver.c. */
#include <stdint.h>
#include <stdlib.h>

#include "results/compare.h"
#include "results/load.h"

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

/* compare_summary: nothing is changed, new or removed. */
static void check_same(const struct az_document *out)
{
    static const char *const columns[] = { "changed", "new", "removed" };
    const struct az_table *t = az_document_table(out, "compare_summary");
    for (size_t i = 0; t && i < 3; i++) {
        ptrdiff_t c = az_table_find(t, columns[i]);
        for (size_t r = 0; r < t->rows; r++)
            if (c < 0 || az_cell_number(az_table_at(t, r, (size_t)c)) > 0)
                abort();
    }
}

static void with_itself(const struct az_document *doc, struct az_mem *mem, struct az_diag *diag)
{
    struct az_compare_input in[2] = { { doc, AZ_SV("a"), AZ_SV("a") },
                                      { doc, AZ_SV("b"), AZ_SV("b") } };
    struct az_compare_opts opts = { .normalize = doc->tables.n % 2 == 1, .text_all = true };
    struct az_document out;
    struct az_arena arena;
    az_arena_init(&arena, mem);
    az_document_init(&out, &arena);
    int rc = az_compare(&out, in, 2, &opts, diag);
    /* a table that has neither key nor figure cannot be compared; it is said */
    if (rc != 0 && rc != AZ_ELIMIT && !(rc == AZ_EFORMAT && diag->errors))
        abort();
    if (rc == 0)
        check_same(&out);
    az_document_release(&out);
    az_arena_release(&arena);
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
        with_itself(&doc, &mem, &diag);
    az_document_release(&doc);
    az_arena_release(&arena);
    az_diag_release(&diag);
    if (mem.used != 0)
        abort();
    return 0;
}
