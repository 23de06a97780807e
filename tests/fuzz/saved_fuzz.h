/* What the harnesses of saved results share: a document compared with itself is the same. */
#ifndef AZ_TESTS_SAVED_FUZZ_H
#define AZ_TESTS_SAVED_FUZZ_H

#include <stdlib.h>

#include "compare/compare.h"

/* compare_summary: nothing is changed, new or removed. */
static inline void fuzz_check_same(const struct az_document *out)
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

static inline void fuzz_with_itself(const struct az_document *doc, struct az_mem *mem,
                                    struct az_diag *diag)
{
    struct az_compare_input in[2] = { { doc, AZ_SV("a"), AZ_SV("a"), NULL },
                                      { doc, AZ_SV("b"), AZ_SV("b"), NULL } };
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
        fuzz_check_same(&out);
    az_document_release(&out);
    az_arena_release(&arena);
}

#endif
