/* Functions of text in place of SQLite's: their time grows with the product of the lengths of two
 * arguments, and nothing interrupts a function. */
#define _GNU_SOURCE /* memmem: linear in both C libraries of Linux */
#include <stdbool.h>
#include <string.h>

#include "query/internal.h"

#define TRIMMED_MOST 256 /* characters that trim_text() removes */

static bool is_null(sqlite3_value *v) { return sqlite3_value_type(v) == SQLITE_NULL; }

static struct az_sv text_of(sqlite3_value *v)
{
    const char *p = (const char *)sqlite3_value_text(v);
    return az_sv_make(p ? p : "", p ? (size_t)sqlite3_value_bytes(v) : 0);
}

static struct az_sv after(struct az_sv s, size_t n) { return az_sv_make(s.p + n, s.n - n); }

static const char *find_text(struct az_sv in, struct az_sv what)
{
    return memmem(in.p, in.n, what.p, what.n);
}

/* Bytes that begin a character. */
static size_t characters(struct az_sv s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static void sql_instr(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (is_null(argv[0]) || is_null(argv[1]))
        return;
    const bool bytes =
        sqlite3_value_type(argv[0]) == SQLITE_BLOB && sqlite3_value_type(argv[1]) == SQLITE_BLOB;
    struct az_sv in, what;
    if (bytes) {
        const char *p = sqlite3_value_blob(argv[0]), *q = sqlite3_value_blob(argv[1]);
        in = az_sv_make(p ? p : "", (size_t)sqlite3_value_bytes(argv[0]));
        what = az_sv_make(q ? q : "", (size_t)sqlite3_value_bytes(argv[1]));
    } else {
        in = text_of(argv[0]);
        what = text_of(argv[1]);
    }
    const char *at = find_text(in, what);
    const struct az_sv before = az_sv_make(in.p, at ? (size_t)(at - in.p) : 0);
    sqlite3_result_int64(ctx, at ? (int64_t)(bytes ? before.n : characters(before)) + 1 : 0);
}

static void sql_replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (is_null(argv[0]) || is_null(argv[1]) || is_null(argv[2]))
        return;
    struct az_sv in = text_of(argv[0]);
    const struct az_sv what = text_of(argv[1]), by = text_of(argv[2]);
    if (!what.n) {
        sqlite3_result_value(ctx, argv[0]);
        return;
    }
    sqlite3_str *out = sqlite3_str_new(sqlite3_context_db_handle(ctx));
    for (const char *at;
         (at = find_text(in, what)) != NULL && sqlite3_str_errcode(out) == SQLITE_OK;) {
        const size_t n = (size_t)(at - in.p);
        sqlite3_str_append(out, in.p, (int)n);
        sqlite3_str_append(out, by.p, (int)by.n);
        in = after(in, n + what.n);
    }
    sqlite3_str_append(out, in.p, (int)in.n);
    const int code = sqlite3_str_errcode(out), n = sqlite3_str_length(out);
    char *text = sqlite3_str_finish(out);
    if (code != SQLITE_OK) {
        sqlite3_free(text);
        sqlite3_result_error_code(ctx, code);
    } else {
        sqlite3_result_text(ctx, text ? text : "", n, text ? sqlite3_free : SQLITE_STATIC);
    }
}

/* ---- trim with a set of characters ---- */

enum { LEFT = 1, RIGHT = 2 };

static size_t first_length(struct az_sv s)
{
    size_t n = 1;
    while (n < s.n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n++;
    return n;
}

static bool is_in(const struct az_sv *set, size_t n, struct az_sv c)
{
    for (size_t i = 0; i < n; i++)
        if (az_sv_eq(set[i], c))
            return true;
    return false;
}

static struct az_sv trim_left(struct az_sv s, const struct az_sv *set, size_t n)
{
    while (s.n && is_in(set, n, az_sv_make(s.p, first_length(s))))
        s = after(s, first_length(s));
    return s;
}

static struct az_sv trim_right(struct az_sv s, const struct az_sv *set, size_t n)
{
    while (s.n) {
        size_t at = s.n - 1;
        while (at && ((unsigned char)s.p[at] & 0xc0) == 0x80)
            at--;
        if (!is_in(set, n, after(s, at)))
            break;
        s.n = at;
    }
    return s;
}

static void trim_text(sqlite3_context *ctx, sqlite3_value **argv, int sides)
{
    struct az_sv set[TRIMMED_MOST];
    size_t n = 0;

    if (is_null(argv[0]) || is_null(argv[1]))
        return;
    struct az_sv s = text_of(argv[0]), rest = text_of(argv[1]);
    for (; rest.n && n < TRIMMED_MOST; n++) {
        set[n] = az_sv_make(rest.p, first_length(rest));
        rest = after(rest, set[n].n);
    }
    if (rest.n) {
        sqlite3_result_error(ctx, "more than 256 characters to trim", -1);
        return;
    }
    if (sides & LEFT)
        s = trim_left(s, set, n);
    if (sides & RIGHT)
        s = trim_right(s, set, n);
    sqlite3_result_text(ctx, s.p, (int)s.n, SQLITE_TRANSIENT);
}

static void sql_ltrim(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    trim_text(ctx, argv, LEFT);
}
static void sql_rtrim(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    trim_text(ctx, argv, RIGHT);
}
static void sql_trim(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    trim_text(ctx, argv, LEFT | RIGHT);
}

int az_query_functions_add(sqlite3 *db)
{
    static const struct {
        const char *name;
        int argc;
        void (*f)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    } all[] = { { "instr", 2, sql_instr },
                { "replace", 3, sql_replace },
                { "ltrim", 2, sql_ltrim },
                { "rtrim", 2, sql_rtrim },
                { "trim", 2, sql_trim } };
    int code = SQLITE_OK;

    for (size_t i = 0; code == SQLITE_OK && i < AZ_LENGTH(all); i++)
        code = sqlite3_create_function_v2(db, all[i].name, all[i].argc,
                                          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                          NULL, all[i].f, NULL, NULL, NULL);
    return code;
}
