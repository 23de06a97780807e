/* Names that a wrong statement may have meant. */
#include "query/internal.h"
#include "text/typo.h"

#include <string.h>

#define MOST_COLUMNS 40 /* in a message */

#define GENERAL AZ_SV("list tables and columns with '.tables' and '.schema'")

static struct az_sv name_at(const struct az_table *t, size_t row, size_t column)
{
    return az_cell_text(az_table_at(t, row, column));
}

/* Is the name a word of the statement? Without case, as in SQL. */
static bool is_word(struct az_sv sql, struct az_sv name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    for (size_t i = 0; i < sql.n;) {
        size_t n = 0;
        while (i + n < sql.n && memchr(letters, sql.p[i + n], sizeof letters - 1))
            n++;
        if (n && az_sv_ieq(az_sv_make(sql.p + i, n), name))
            return true;
        i += n ? n : 1;
    }
    return false;
}

/* The row whose name in `column` is nearest; of columns, those of tables in the statement only
 * (NULL: any). -1: none is near. */
static ptrdiff_t nearest(const struct az_table *t, size_t column, struct az_sv word,
                         const struct az_sv *sql)
{
    unsigned best_d = az_typo_limit(word.n) + 1;
    ptrdiff_t best = -1;

    for (size_t r = 0; r < t->rows; r++) {
        unsigned d;
        if (sql && !is_word(*sql, name_at(t, r, 0)))
            continue;
        d = az_sv_distance(word, name_at(t, r, column), best_d);
        if (d < best_d) {
            best_d = d;
            best = (ptrdiff_t)r;
        }
    }
    return best;
}

/* "columns of kernels: id, start_ns, ..." of the first table that the statement names. */
static struct az_sv columns_of(struct az_arena *a, const struct az_table *t, struct az_sv sql)
{
    struct az_sv table = AZ_SV(""), out = AZ_SV("");
    size_t n = 0;

    for (size_t r = 0; r < t->rows && n <= MOST_COLUMNS; r++) {
        if (!table.n && is_word(sql, name_at(t, r, 0)))
            table = name_at(t, r, 0);
        if (!table.n || !az_sv_eq(table, name_at(t, r, 0)))
            continue;
        n++;
        out = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(out), n > 1 ? ", " : "",
                              AZ_SVF(n > MOST_COLUMNS ? AZ_SV("...") : name_at(t, r, 1)));
    }
    return n ? az_arena_printf(a, "columns of %.*s: %.*s", AZ_SVF(table), AZ_SVF(out)) : GENERAL;
}

struct az_sv az_query_remedy(struct az_query *q, struct az_sv message, struct az_sv sql)
{
    const bool table = az_sv_starts(message, AZ_SV("no such table: ")),
               column = az_sv_starts(message, AZ_SV("no such column: "));
    struct az_sv word = message;
    int rc;

    if (!table && !column)
        return GENERAL;
    while (memchr(word.p, ' ', word.n) ||
           memchr(word.p, '.', word.n)) /* the last part of a qualified name */
        word = az_sv_make(word.p + 1, word.n - 1);
    const struct az_table *names =
        table ? az_query_tables(q, true, &rc) : az_query_columns(q, true, &rc);
    if (!names)
        return GENERAL;
    const ptrdiff_t at = nearest(names, table ? 0 : 1, word, table ? NULL : &sql);
    struct az_sv out = GENERAL;
    if (at >= 0)
        out = az_arena_printf(az_query_arena(q), "did you mean '%.*s'?",
                              AZ_SVF(name_at(names, (size_t)at, table ? 0 : 1)));
    else if (column)
        out = columns_of(az_query_arena(q), names, sql);
    return out.p ? out : GENERAL;
}
