#define _DEFAULT_SOURCE
/* A database of the report `sqlite` from arbitrary bytes: a file that begins with the SQLite magic
 * is taken as it is; everything else is a list of edits of a small good one. What is refused has a
 * message; what is taken, compared with itself, is the same. All memory is given back. */
#include "database_fuzz.h"
#include "saved/load.h"
#include "saved_fuzz.h"

static const char good[] =
    "PRAGMA page_size=512; PRAGMA application_id=1096436825;"
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "INSERT INTO meta VALUES('schema','1'),('title','a'),('format','pytorch');"
    "CREATE TABLE tables(name TEXT, id TEXT, title TEXT, \"rows\" INTEGER);"
    "INSERT INTO tables VALUES('gpu_timeline','gpu_timeline','Time',2),('ops','ops','',2);"
    "CREATE TABLE columns(table_name TEXT, column_name TEXT, header TEXT, title TEXT, type TEXT, "
    "unit TEXT, direction TEXT, \"key\" BOOLEAN);"
    "INSERT INTO columns VALUES('gpu_timeline','type','type','Type','text','','none',1),"
    "('gpu_timeline','time_ms','time ms','Time','real','ms','lower',0),"
    "('ops','name','name','Name','text','','none',1),('ops','n','count','Count','int','','none',0),"
    "('ops','b','b','B','bool','','none',0);"
    "CREATE TABLE gpu_timeline(type TEXT, time_ms REAL);"
    "INSERT INTO gpu_timeline VALUES('computation_time',1.5),('total_time',NULL);"
    "CREATE TABLE ops(name TEXT, n INTEGER, b BOOLEAN);"
    "INSERT INTO ops VALUES('aten::mm',3,1),('pas \xc3\xa9t\xc3\xa9',-9,0);";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/saved_sqlite_fuzz_XXXXXX";
    struct az_document doc;
    struct az_arena arena;
    struct az_diag diag;
    struct az_mem mem;

    if (size > 65536)
        return 0;
    const int fd = fuzz_file(path);
    fuzz_database(fd, good, data, size);
    (void)close(fd);
    az_mem_init(&mem, (size_t)64 << 20);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    az_diag_init(&diag);
    const int rc = az_load_database(&doc, path, &diag);
    if (rc != 0 && diag.errors == 0)
        abort();
    if (size == 0 && (rc != 0 || doc.tables.n != 2))
        abort(); /* the good one is read */
    if (rc == 0)
        fuzz_with_itself(&doc, &mem, &diag);
    az_document_release(&doc);
    az_arena_release(&arena);
    az_diag_release(&diag);
    (void)unlink(path);
    if (mem.used != 0)
        abort();
    return 0;
}
