/* Writes an Nsight SQLite export look-alike for measuring: a kernel table of 28 columns
 * (schema 3.16), 3000 kernel names of about 160 bytes, and one API call a kernel if asked.
 *
 *   gen_nsys_sqlite OUT.sqlite [MILLION_ROWS (5)] [--calls] [--five] [--smoke]
 *     --five   the columns that are not start, end, deviceId, streamId and name get other names, so
 * that five are read
 *     --smoke  20,000 rows */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES 3000

static int fail(sqlite3 *db, const char *what)
{
    fprintf(stderr, "gen_nsys_sqlite: %s: %s\n", what, sqlite3_errmsg(db));
    return 1;
}

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    return *s ^= *s << 17;
}

static int write_strings(sqlite3 *db)
{
    sqlite3_stmt *st;
    char text[256];
    if (sqlite3_prepare_v2(db, "INSERT INTO StringIds VALUES(?1,?2)", -1, &st, NULL) != SQLITE_OK)
        return 1;
    for (int i = 0; i < NAMES; i++) {
        (void)snprintf(
            text, sizeof text,
            "void "
            "cutlass::Kernel_%d<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_nn_"
            "align8, "
            "at::native::AddFunctor<float>, at::detail::Array<char *, (int)%d>>(int, T2, T3)",
            i, i);
        (void)sqlite3_bind_int(st, 1, i + 1);
        (void)sqlite3_bind_text(st, 2, text, -1, SQLITE_TRANSIENT);
        if (sqlite3_step(st) != SQLITE_DONE)
            return 1;
        (void)sqlite3_reset(st);
    }
    (void)sqlite3_bind_int(st, 1, NAMES + 1);
    (void)sqlite3_bind_text(st, 2, "cudaLaunchKernel_v7000", -1, SQLITE_STATIC);
    int rc = sqlite3_step(st);
    (void)sqlite3_finalize(st);
    return rc != SQLITE_DONE;
}

static int write_kernels(sqlite3 *db, int64_t rows)
{
    sqlite3_stmt *st;
    uint64_t seed = 88172645463325252u;
    int64_t at = 1000000;
    const int64_t pid = (INT64_C(1) << 48) | (INT64_C(4242) << 24);
    if (sqlite3_prepare_v2(db,
                           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
                           "VALUES(?1,?2,?3,1,0,?4,?5,?6,?7,?7,?7,1,0,64,?8,1,1,128,"
                           "1,1,0,49152,0,0,?5,0,NULL,0)",
                           -1, &st, NULL) != SQLITE_OK)
        return 1;
    for (int64_t i = 0; i < rows; i++) {
        uint64_t r = next(&seed);
        int64_t start = at + (int64_t)(r % 900), end = start + 2000 + (int64_t)(r >> 20) % 90000;
        at = end;
        (void)sqlite3_bind_int64(st, 1, start);
        (void)sqlite3_bind_int64(st, 2, end);
        (void)sqlite3_bind_int64(st, 3, (int64_t)(r >> 40 & 7));
        (void)sqlite3_bind_int64(st, 4, 7 + (int64_t)(r >> 44 & 3));
        (void)sqlite3_bind_int64(st, 5, i + 1);
        (void)sqlite3_bind_int64(st, 6, pid);
        (void)sqlite3_bind_int64(st, 7, 1 + (int64_t)(r >> 8) % NAMES);
        (void)sqlite3_bind_int64(st, 8, 1 + (int64_t)(r >> 30 & 1023));
        if (sqlite3_step(st) != SQLITE_DONE)
            return 1;
        (void)sqlite3_reset(st);
    }
    return sqlite3_finalize(st) != SQLITE_OK;
}

static int write_calls(sqlite3 *db)
{
    return sqlite3_exec(db,
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL,\"end\" "
                        "INTEGER NOT NULL,"
                        "eventClass INTEGER NOT NULL,globalTid INTEGER,correlationId "
                        "INTEGER,nameId INTEGER NOT NULL,"
                        "returnValue INTEGER NOT NULL,callchainId INTEGER);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT "
                        "start-9000,start-5000,0,globalPid+4242,"
                        "correlationId,3001,0,NULL FROM CUPTI_ACTIVITY_KIND_KERNEL",
                        NULL, NULL, NULL) != SQLITE_OK;
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    int64_t rows = 5000000;
    bool five = false, calls = false, smoke = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--five") == 0)
            five = true;
        else if (strcmp(argv[i], "--calls") == 0)
            calls = true;
        else if (strcmp(argv[i], "--smoke") == 0)
            smoke = true;
        else if (path)
            rows = (int64_t)(atof(argv[i]) * 1e6);
        else
            path = argv[i];
    }
    if (!path || rows <= 0) {
        fprintf(stderr,
                "usage: gen_nsys_sqlite OUT.sqlite [MILLION_ROWS] [--calls] [--five] [--smoke]\n");
        return 2;
    }
    rows = smoke ? 20000 : rows;
    const char *x = five ? "x" : "";
    char create[2048];
    (void)snprintf(create, sizeof create,
                   "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
                   "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY,value TEXT NOT NULL);"
                   "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL,\"end\" INTEGER "
                   "NOT NULL,deviceId INTEGER "
                   "NOT NULL,%scontextId INTEGER NOT NULL,greenContextId INTEGER,streamId INTEGER "
                   "NOT NULL,%scorrelationId "
                   "INTEGER,%sglobalPid INTEGER,demangledName INTEGER NOT NULL,shortName INTEGER "
                   "NOT NULL,mangledName INTEGER,"
                   "launchType INTEGER,cacheConfig INTEGER,registersPerThread INTEGER NOT "
                   "NULL,gridX INTEGER NOT NULL,gridY "
                   "INTEGER NOT NULL,gridZ INTEGER NOT NULL,blockX INTEGER NOT NULL,blockY INTEGER "
                   "NOT NULL,blockZ INTEGER "
                   "NOT NULL,staticSharedMemory INTEGER NOT NULL,dynamicSharedMemory INTEGER NOT "
                   "NULL,localMemoryPerThread "
                   "INTEGER NOT NULL,localMemoryTotal INTEGER NOT NULL,gridId INTEGER NOT "
                   "NULL,sharedMemoryExecuted INTEGER,"
                   "%sgraphNodeId INTEGER,sharedMemoryLimitConfig INTEGER)",
                   x, x, x, x);
    (void)unlink(path);
    sqlite3 *db;
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, create, NULL, NULL, NULL) != SQLITE_OK)
        return fail(db, path);
    if (write_strings(db) != 0 || write_kernels(db, rows) != 0 ||
        (calls && !five && write_calls(db) != 0))
        return fail(db, "writing");
    if (sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        return fail(db, "commit");
    return sqlite3_close(db) != SQLITE_OK;
}
