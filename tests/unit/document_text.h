/* A table as text, for tests that compare it whole: "id: header(type unit flags)...", then its
 * rows, a space before each cell, "-" for an empty one. */
#ifndef AZ_UNIT_DOCUMENT_TEXT_H
#define AZ_UNIT_DOCUMENT_TEXT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document/document.h"

static inline void put_cell(FILE *out, const struct az_cell *c)
{
    switch (c->type) {
    case AZ_TEXT:
        fprintf(out, " %.*s", (int)c->len, c->s);
        break;
    case AZ_INT:
        fprintf(out, " %lld", (long long)c->i);
        break;
    case AZ_REAL:
        fprintf(out, isnan(c->f) ? " nan" : " %.9g", c->f);
        break;
    case AZ_BOOL:
        fprintf(out, " %s", c->b ? "yes" : "no");
        break;
    default:
        fputs(" -", out);
    }
}

/* Compares the table, whole, with the lines. */
static inline void table_is(const struct az_table *t, const char *want)
{
    static const char types[] = "etirb";
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    assert_non_null(t);
    fprintf(out, "%.*s:", AZ_SVF(t->id));
    for (size_t i = 0; i < t->columns.n; i++) {
        const struct az_column *c = &t->columns.v[i];
        const char *unit = az_unit_text(c->unit);
        fprintf(out, " %.*s(%c%s%s", AZ_SVF(c->name), types[c->type], *unit ? " " : "", unit);
        if (c->flags)
            fprintf(out, " %u", (unsigned)c->flags);
        fputc(')', out);
    }
    fputc('\n', out);
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t i = 0; i < t->columns.n; i++)
            put_cell(out, az_table_at(t, row, i));
        fputc('\n', out);
    }
    fclose(out);
    if (strcmp(text, want) != 0)
        fail_msg("\n%swanted:\n%s", text, want);
    free(text);
}

#endif
