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

/* The keyword that a word nearly is; NULL: none. */
static const char *nearest_keyword(struct az_sv word)
{
    static const char *const keywords[] = { "SELECT", "FROM",  "WHERE",    "GROUP",  "ORDER", "BY",
                                            "HAVING", "LIMIT", "DISTINCT", "WITH",   "JOIN",  "ON",
                                            "UNION",  "AND",   "AS",       "VALUES", "DESC" };
    char upper[16];
    unsigned best_d = az_typo_limit(word.n) + 1;
    const char *best = NULL;

    if (word.n >= sizeof upper)
        return NULL;
    for (size_t i = 0; i < word.n; i++)
        upper[i] = (char)(word.p[i] >= 'a' && word.p[i] <= 'z' ? word.p[i] - 'a' + 'A' : word.p[i]);
    for (size_t i = 0; i < AZ_LENGTH(keywords); i++) {
        const unsigned d =
            az_sv_distance(az_sv_make(upper, word.n), az_sv_str(keywords[i]), best_d);
        if (d && d < best_d) { /* a keyword in the wrong place is none that is misspelled */
            best_d = d;
            best = keywords[i];
        }
    }
    return best;
}

/* Of 'near "SELEC": syntax error'. */
static struct az_sv syntax_remedy(struct az_arena *a, struct az_sv message)
{
    struct az_sv rest = az_sv_make(message.p + 6, message.n - 6);
    const char *keyword = nearest_keyword(az_sv_cut(&rest, '"'));

    return keyword ? az_arena_printf(a, "did you mean '%s'?", keyword)
                   : AZ_SV("check the words before it");
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

    if (az_sv_starts(message, AZ_SV("near \"")))
        return syntax_remedy(az_query_arena(q), message);
    if (az_sv_is(message, "incomplete input"))
        return AZ_SV("complete the statement");
    if (az_sv_find(message, AZ_SV(" function")) >= 0)
        return AZ_SV("use a function of SQLite that computes from its arguments");
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
