/* Reads the inputs of a reader's tests again, each with one small change at a time: a number, a
 * line, a byte, a cell of a database. All results of a program, traces and messages, make one
 * digest. EDITS=1 in the environment prints them, to compare two builds. */
#ifndef TESTS_FORMATS_EDITS_H
#define TESTS_FORMATS_EDITS_H

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/list.h"
#include "unit/trace_rest.h"
#include "unit/trace_text.h"

enum { EDITS_EACH = 24, EDITS_CELLS = 6, EDITS_FILE_MOST = 1 << 16, EDITS_LESS = 1 << 12 };
static uint64_t edits_databases, edits_seed, edits_digest = 0xcbf29ce484222325u;

struct edited {
    char path[512];
    char *bytes;
    size_t n;
};

static inline size_t edits_below(size_t n)
{
    edits_seed = edits_seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(edits_seed >> 33) % n;
}

static inline void edits_add(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        edits_digest = (edits_digest ^ (unsigned char)text[i]) * 0x100000001b3u;
}

static inline bool edits_load(struct edited *e)
{
    struct stat st;
    if (lstat(e->path, &st) || !S_ISREG(st.st_mode) || st.st_size == 0 ||
        st.st_size > EDITS_FILE_MOST)
        return false;
    FILE *in = fopen(e->path, "rb");
    if (!in)
        return false;
    e->n = (size_t)st.st_size;
    e->bytes = malloc(e->n);
    assert_non_null(e->bytes);
    assert_int_equal(fread(e->bytes, 1, e->n, in), e->n);
    assert_int_equal(fclose(in), 0);
    return true;
}

static inline void edits_store(const struct edited *e, const char *bytes, size_t n)
{
    FILE *out = fopen(e->path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

/* [from, to) of the file is replaced. */
static inline void edits_replace(const struct edited *e, size_t from, size_t to, const char *by,
                                 size_t n)
{
    char *bytes = malloc(e->n + n);
    assert_non_null(bytes);
    memcpy(bytes, e->bytes, from);
    memcpy(bytes + from, by, n);
    memcpy(bytes + from + n, e->bytes + to, e->n - to);
    edits_store(e, bytes, e->n - (to - from) + n);
    free(bytes);
}

static const char *const edits_values[] = { "-1",
                                            "0",
                                            "1",
                                            "2.5",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "18446744073709551616",
                                            "1e30",
                                            "x",
                                            "",
                                            "null",
                                            "7 ",
                                            "1000" };
enum { EDITS_VALUES = sizeof edits_values / sizeof *edits_values };

static inline bool edits_is_digit(char c) { return c >= '0' && c <= '9'; }

static inline void edits_number(const struct edited *e, size_t at)
{
    const char *by = edits_values[edits_below(EDITS_VALUES)];
    size_t to;
    for (size_t i = 0; i < e->n && !edits_is_digit(e->bytes[at]); i++)
        at = (at + 1) % e->n;
    while (at > 0 && edits_is_digit(e->bytes[at - 1]))
        at--;
    for (to = at; to < e->n && edits_is_digit(e->bytes[to]); to++)
        ;
    edits_replace(e, at, to, by, strlen(by));
}

/* A line, or where there are none what is up to the next brace, is gone or there twice. */
static inline void edits_line(const struct edited *e, size_t at, bool twice)
{
    const char end = memchr(e->bytes, '\n', e->n - 1) ? '\n' : '}';
    size_t to;
    while (at > 0 && e->bytes[at - 1] != end)
        at--;
    for (to = at; to < e->n && e->bytes[to] != end; to++)
        ;
    to += to < e->n;
    edits_replace(e, twice ? to : at, to, e->bytes + at, twice ? to - at : 0);
}

static inline void edits_bytes(const struct edited *e)
{
    static const char other[] = "{}[],:\"\\ 0;.\n-e\xff";
    const size_t at = edits_below(e->n);
    switch (edits_below(7)) {
    case 0:
    case 1:
    case 2:
        edits_number(e, at);
        break;
    case 3:
    case 4:
        edits_line(e, at, edits_below(2));
        break;
    case 5:
        edits_replace(e, at, at + 1, &other[edits_below(sizeof other)], edits_below(2));
        break;
    default:
        edits_replace(e, at, e->n, "", 0);
        break;
    }
}

/* The n-th value of a query; false: there is none. */
static inline bool edits_pick(sqlite3 *db, const char *query, char *out, size_t size)
{
    sqlite3_stmt *s;
    size_t n = 0;
    *out = 0;
    if (sqlite3_prepare_v2(db, query, -1, &s, NULL))
        return false;
    while (sqlite3_step(s) == SQLITE_ROW)
        n++;
    size_t at = n ? edits_below(n) : 0;
    sqlite3_reset(s);
    while (n && sqlite3_step(s) == SQLITE_ROW && at--)
        ;
    if (n && sqlite3_column_text(s, 0))
        (void)snprintf(out, size, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return *out != 0;
}

static inline void edits_cell(const struct edited *e)
{
    static const char *const values[] = {
        "NULL", "-1", "0", "1", "2.5", "9223372036854775807", "'x'", "''", "1000", "x'00ff'", "'12'"
    };
    char query[512], table[128], column[128], row[32];
    sqlite3 *db;
    edits_store(e, e->bytes, e->n);
    assert_int_equal(sqlite3_open(e->path, &db), 0);
    (void)sqlite3_exec(db, "PRAGMA synchronous=OFF;PRAGMA journal_mode=MEMORY", NULL, NULL, NULL);
    if (edits_pick(db, "SELECT name FROM sqlite_master WHERE type='table' ORDER BY name", table,
                   sizeof table)) {
        (void)snprintf(query, sizeof query, "SELECT name FROM pragma_table_info('%s')", table);
        (void)edits_pick(db, query, column, sizeof column);
        (void)snprintf(query, sizeof query, "SELECT rowid FROM \"%s\" ORDER BY 1", table);
        const bool rows = edits_pick(db, query, row, sizeof row);
        const size_t kind = edits_below(12);
        if (kind == 0)
            (void)snprintf(query, sizeof query, "DROP TABLE \"%s\"", table);
        else if (kind == 1)
            (void)snprintf(query, sizeof query, "ALTER TABLE \"%s\" RENAME COLUMN \"%s\" TO zz",
                           table, column);
        else if (kind == 2 && rows)
            (void)snprintf(query, sizeof query, "DELETE FROM \"%s\" WHERE rowid=%s", table, row);
        else
            (void)snprintf(query, sizeof query, "UPDATE \"%s\" SET \"%s\"=%s WHERE rowid=%s", table,
                           column, values[edits_below(sizeof values / sizeof *values)],
                           rows ? row : "1");
        (void)sqlite3_exec(db, query, NULL, NULL, NULL);
    }
    sqlite3_close(db);
}

static inline void edits_result(const struct az_parse *job, const struct az_format *format,
                                const char *dir)
{
    struct az_mem mem;
    struct az_diag diag;
    struct az_trace t;
    struct az_parse again = *job;
    _Atomic uint64_t progress = 0;
    char code[16], *text = NULL, *rest = NULL;
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    assert_int_equal(az_trace_init(&t, &mem), 0);
    again.trace = &t;
    again.diag = &diag;
    again.mem = &mem;
    again.progress = &progress;
    int rc = format->parse(&again);
    if (rc == 0)
        rc = az_trace_finalize(&t);
    if (rc == 0) {
        text = trace_text(&t);
        rest = trace_rest(&t);
        edits_add(text, strlen(text));
        edits_add(rest, strlen(rest));
    }
    edits_add(code, (size_t)snprintf(code, sizeof code, "%d\n", rc));
    for (size_t i = 0; i < diag.list.n; i++) {
        const struct az_sv m = diag.list.v[i].text;
        const bool own = m.n > strlen(dir) && memcmp(m.p, dir, strlen(dir)) == 0;
        const size_t from = own ? strlen(dir) : 0;
        edits_add(m.p + from, m.n - from);
        if (getenv("EDITS"))
            fprintf(stderr, "%.*s\n", (int)(m.n - from), m.p + from);
    }
    if (getenv("EDITS"))
        fprintf(stderr, "= %d\n%s%s\n", rc, text ? text : "", rest ? rest : "");
    free(text);
    free(rest);
    az_trace_release(&t);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
}

static inline int edits_by_name(const void *a, const void *b)
{
    return strcmp(((const struct edited *)a)->path, ((const struct edited *)b)->path);
}

/* Each small file of the folder that is no compressed one. */
static inline void edits_of(const struct az_parse *job, const struct az_format *format,
                            const char *dir)
{
    struct edited files[16];
    size_t n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e && n < 16; e = readdir(d)) {
        (void)snprintf(files[n].path, sizeof files[n].path, "%s/%.255s", dir, e->d_name);
        if (edits_load(&files[n]))
            n++;
    }
    closedir(d);
    qsort(files, n, sizeof *files, edits_by_name);
    for (size_t i = 0; i < n; i++) {
        const struct edited *e = &files[i];
        const bool packed = memcmp(e->bytes, "\x1f\x8b", e->n < 2 ? e->n : 2) == 0 ||
                            memcmp(e->bytes, "\x28\xb5\x2f\xfd", e->n < 4 ? e->n : 4) == 0;
        const bool database = e->n > 16 && memcmp(e->bytes, "SQLite format 3", 16) == 0;
        const size_t times = packed              ? 0
                             : database          ? EDITS_CELLS
                             : e->n > EDITS_LESS ? EDITS_CELLS
                                                 : EDITS_EACH;
        /* by the content: other inputs are changed as before; pages of SQLite differ by version */
        edits_seed = database ? ++edits_databases : 0;
        for (size_t k = 0; k < e->n && !database; k++)
            edits_seed = (edits_seed ^ (unsigned char)e->bytes[k]) * 0x100000001b3u;
        for (size_t k = 0; k < times; k++) {
            if (database)
                edits_cell(e);
            else
                edits_bytes(e);
            edits_result(job, format, dir);
        }
        if (times)
            edits_store(e, e->bytes, e->n);
        free(e->bytes);
    }
}

static inline void edits_are(uint32_t want)
{
    const uint32_t is = (uint32_t)(edits_digest ^ edits_digest >> 32);
    if (is != want)
        fprintf(stderr, "  the digest of the edited inputs is 0x%08x, wanted 0x%08x\n", is, want);
    assert_true(is == want);
}

#endif
