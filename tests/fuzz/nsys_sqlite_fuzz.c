#define _DEFAULT_SOURCE
/* An Nsight SQLite export from arbitrary bytes: a file that begins with the SQLite magic is taken as a database as it
 * is; everything else is a list of edits (offset, byte) of a small good export, so that the reader gets past the first
 * page. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char good[] =
    "PRAGMA page_size=512;CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY,value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES(0,'[Unknown]'),(1,'void "
    "gemm<float>(int)'),(2,'cudaLaunchKernel_v7000'),(3,'step'),(4,'TSL');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" INTEGER,deviceId INTEGER,streamId "
    "INTEGER,correlationId "
    "INTEGER,globalPid INTEGER,demangledName INTEGER,graphNodeId INTEGER);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<60) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
    "SELECT "
    "i*10,i*10+5,i%2,7,i,281475245146112,i%3,NULL FROM n;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER,\"end\" INTEGER,globalPid INTEGER,bytes INTEGER,copyKind "
    "INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1,2,281475245146112,4096,1),(3,4,281475245146112,NULL,8);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER,\"end\" INTEGER,globalTid INTEGER,correlationId "
    "INTEGER,nameId "
    "INTEGER);INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1,5,281475245146128,1,2),(6,7,281475245146128,2,2);"
    "CREATE TABLE NVTX_EVENTS(start INTEGER,\"end\" INTEGER,eventType INTEGER,text TEXT,globalTid INTEGER,endGlobalTid "
    "INTEGER,textId INTEGER,domainId INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES(0,NULL,75,NULL,281475245146128,NULL,4,1),(0,9,59,NULL,281475245146128,NULL,3,1),"
    "(2,NULL,60,'open',281475245146128,NULL,NULL,0),(3,4,34,'mark',281475245146128,NULL,NULL,0);"
    "CREATE TABLE META_DATA_EXPORT(name TEXT,value TEXT);INSERT INTO META_DATA_EXPORT "
    "VALUES('EXPORT_SCHEMA_VERSION_MAJOR',"
    "'3'),('EXPORT_SCHEMA_VERSION_MINOR','16');"
    "CREATE TABLE TARGET_INFO_GPU(id INTEGER,name TEXT,smCount INTEGER);INSERT INTO TARGET_INFO_GPU "
    "VALUES(0,'H100',132);";

/* The good export as bytes, made once; belongs to SQLite's allocator. */
static unsigned char *good_bytes(sqlite3_int64 *n)
{
    static unsigned char *bytes;
    static sqlite3_int64 size;
    if (!bytes) {
        sqlite3 *db;
        if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_exec(db, good, NULL, NULL, NULL) != SQLITE_OK)
            abort();
        bytes = sqlite3_serialize(db, "main", &size, 0);
        if (!bytes)
            abort();
        (void)sqlite3_close(db);
    }
    *n = size;
    return bytes;
}

static void write_input(int fd, const uint8_t *data, size_t size)
{
    if (size >= 16 && memcmp(data, "SQLite format 3", 16) == 0) {
        if (write(fd, data, size) != (ssize_t)size)
            abort();
        return;
    }
    sqlite3_int64 n;
    const unsigned char *from = good_bytes(&n);
    if (write(fd, from, (size_t)n) != (ssize_t)n)
        abort();
    for (size_t i = 0; i + 3 <= size; i += 3) { /* 16-bit place in the file, byte */
        off_t at = (off_t)((size_t)(data[i] | data[i + 1] << 8) % (size_t)n);
        if (at >= 16 && pwrite(fd, data + i + 2, 1, at) != 1)
            abort();
    }
    if (size % 3 == 1 && ftruncate(fd, (off_t)(n * data[size - 1] / 256)) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/nsys_sqlite_fuzz.XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
        abort();
    write_input(fd, data, size);
    (void)close(fd);

    struct az_mem mem;
    struct az_diag diag;
    struct az_trace trace;
    struct az_options opts = { .with_header = true, .gpus = 1 };
    struct az_file file = { .path = az_sv_str(path) };
    az_mem_init(&mem, 64u << 20);
    az_diag_init(&diag);
    if (az_trace_init(&trace, &mem) == 0) {
        struct az_parse job = {
            .files = &file, .n_files = 1, .opts = &opts, .trace = &trace, .diag = &diag, .mem = &mem, .threads = 1
        };
        int rc = az_format_nsys_sqlite.parse(&job);
        if (rc != 0 && diag.errors == 0)
            abort(); /* an error always has a message */
        if (rc == 0 && az_trace_seal(&trace) != 0)
            abort();
        az_trace_release(&trace);
    }
    if (mem.used != 0)
        abort();
    az_diag_release(&diag);
    (void)unlink(path);
    return 0;
}
