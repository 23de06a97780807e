/* Opening the SQLite database that a profiler wrote: read-only, in one transaction, with words for
 * what is usually wrong with such files. Private to the formats that read databases. */
#ifndef AZ_FORMATS_SHARED_SQLITE_OPEN_H
#define AZ_FORMATS_SHARED_SQLITE_OPEN_H

#include <sqlite3.h>

#include "formats/format.h"

struct az_sqlite_kind {
    /* What the file should have been: "the output of nsys export --type sqlite". */
    const char *expected;
    const char *again; /* how to get a whole one: "export it again" */
    bool views;        /* its tables may be views, which only select and name columns */
};

struct az_sqlite {
    struct az_parse *job;
    const struct az_sqlite_kind *kind;
    struct az_sv path;
    sqlite3 *db;     /* NULL: not open */
    uint64_t size;   /* of the file */
    bool partial;    /* it is shorter than in its header: what is left can be read; reported in a
                        warning */
    uint64_t steps;  /* of SQLite's machine so far */
    bool starved;    /* a statement ran out of memory, whatever its caller made of it */
    bool endless;    /* they are more than reading the file can need: a view that never ends */
    bool suspect;    /* rows of it resemble those of a damaged page */
    char denied[64]; /* view, or function of a view, that the database may not use; empty: none */
};
/* Opens *x afresh; it must stay where it is. job->canceled is checked while queries run. Messages
 * in job->diag; on failure, too, az_sqlite_close is to be called. kind and path are borrowed. */
int az_sqlite_open(struct az_sqlite *x, struct az_parse *job, const struct az_sqlite_kind *kind,
                   struct az_sv path) AZ_MUST_USE;
void az_sqlite_close(struct az_sqlite *x);
/* Reports the meaning of a result code that ends the reading; the error. */
int az_sqlite_error(const struct az_sqlite *x, int code) AZ_MUST_USE;
/* sqlite3_prepare_v2 and sqlite3_step that remember being out of memory: "no such table" needs no
 * check. Codes of SQLite. */
int az_sqlite_prepare(struct az_sqlite *x, const char *sql, sqlite3_stmt **st) AZ_MUST_USE;
int az_sqlite_step(struct az_sqlite *x, sqlite3_stmt *st) AZ_MUST_USE;
/* After the reading: where rows seemed damaged, SQLite checks the pages of the database, and what
 * it finds is a warning. 0, or AZ_EINTR, AZ_ENOMEM, AZ_EFORMAT (a view that may not be read). */
int az_sqlite_check_damage(struct az_sqlite *x, bool *damaged) AZ_MUST_USE;
/* Of a database that is damaged: a lost row, unless lost rows have been counted where they were
 * read.
 */
void az_sqlite_lost_some(struct az_trace *t);
/* ---- sqlite_resume.c ---- */
/* Of a table that is damaged after row `last` (from 0 on): *next is the first row after the
 * damage. The rows between are lost, as many as there are numbers between where the numbers have no
 * gaps. False: no row after it can be found, as the end is damaged; rows before *next are lost. */
bool az_sqlite_resume(struct az_sqlite *x, const char *table, int64_t last, int64_t *next);
/* The number of the last row of a table; where its end is damaged, one that pages name, which is at
 * most that. False: neither can be read. */
bool az_sqlite_last_row(struct az_sqlite *x, const char *table, int64_t *rowid);
/* ---- sqlite_file.c ---- */
/* Name of the VFS that treats an incomplete page of the file as damage. NULL: it cannot
 * be registered, and the system's own serves. */
const char *az_sqlite_vfs(void);

#endif
