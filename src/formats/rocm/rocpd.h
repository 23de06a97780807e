/* Private to rocpd*.c and rpd.c: one database being read (docs/formats-rocprof.md 4). */
#ifndef AZ_FORMATS_ROCM_ROCPD_H
#define AZ_FORMATS_ROCM_ROCPD_H

#include "formats/rocm/rocprof.h"
#include "formats/shared/sqlite_open.h"

struct az_rocpd_symbol {
    uint32_t whole, shown; /* name ids */
    int64_t vgpr, agpr, sgpr;
};
AZ_VEC(struct az_rocpd_symbol, az_rocpd_symbols);

/* One set of tables: those with the same ending, or the plain ones, of one guid if they have
 * several. */
struct az_rocpd_set {
    struct az_sv suffix; /* "_00006409_..." or empty */
    struct az_sv guid;   /* empty: all rows */
};
AZ_VEC(struct az_rocpd_set, az_rocpd_sets);

struct az_rocpd {
    struct az_rocprof *r;
    struct az_sv path;
    struct az_sqlite file;
    sqlite3 *db; /* of file */
    struct az_arena arena;
    uint64_t zero_strings; /* with zero bytes: their page is damaged */
    bool partial;
    struct az_rpd *rpd;             /* rpd.c: what it reads */
    const struct az_rocpd_set *set; /* being read */
    /* of the set */
    struct az_map string_of; /* id -> name id */
    struct az_map agent_of;  /* id -> logical index */
    struct az_map thread_of; /* id -> number in `threads` */
    struct az_vec_i64 threads;
    struct az_map symbol_of; /* id -> number in `symbols` */
    struct az_rocpd_symbols symbols;
    struct az_map pmc_of; /* id -> name id */
    sqlite3_stmt *string;
};

/* Opens read-only and lists the sets of tables, none for rocmProfileData; messages in the diag. */
int az_rocpd_open(struct az_rocpd *x, struct az_rocprof *r, struct az_sv path,
                  struct az_rocpd_sets *sets) AZ_MUST_USE;
void az_rocpd_close(struct az_rocpd *x);

/* The required columns of a table, NULL for those it lacks; false: no such table. `alias` names the
 * table in the list. */
bool az_rocpd_columns(struct az_rocpd *x, const char *table, const char *alias,
                      const char *const *columns, size_t n, struct az_sv *list);
/* Full name of a table of the set, quoted. */
struct az_sv az_rocpd_table(struct az_rocpd *x, const char *table);
/* " WHERE alias.guid='...'" where the set requires it. */
struct az_sv az_rocpd_where(struct az_rocpd *x, const char *alias);
/* Runs a query over a table and hands each row to fn; a damaged or unreadable table is a warning
 * and a count. */
int az_rocpd_each(struct az_rocpd *x, const char *table, struct az_sv sql,
                  int (*fn)(struct az_rocpd *x, sqlite3_stmt *row)) AZ_MUST_USE;

/* Spans of the window that a file has which was cut. */
#define AZ_ROCPD_WINDOW_TABLE "ANALYZER_WINDOW"
/* ---- rocm_cut.c ---- */
int az_rocpd_cut(struct az_cut *job) AZ_MUST_USE;

int az_rocpd_read_set(struct az_rocpd *x) AZ_MUST_USE;

/* ---- rpd.c ---- */
/* A database of rocmProfileData? Sets x->set. */
bool az_rpd_is(struct az_rocpd *x);
int az_rpd_read(struct az_rocpd *x) AZ_MUST_USE;
/* Is an operation of this type no work of the device? */
bool az_rpd_is_barrier(struct az_sv type);
/* Is it a function of the program, which it recorded by name, and none of a runtime or of the
 * recorder ("ApiTable::writeRows")? Such functions contain the calls that they make. */
bool az_rpd_is_own_function(struct az_sv name);

#endif
