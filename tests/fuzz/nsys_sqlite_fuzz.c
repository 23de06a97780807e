#define _DEFAULT_SOURCE
/* An Nsight SQLite export from arbitrary bytes: a file that begins with the SQLite magic is taken
 * as a database as it is; everything else is a list of edits (offset, byte) of a small good export,
 * so that the reader gets past the first page. */
#include "database_fuzz.h"

static const char good[] =
    "PRAGMA page_size=512;CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY,value TEXT NOT "
    "NULL);"
    "INSERT INTO StringIds VALUES(0,'[Unknown]'),(1,'void "
    "gemm<float>(int)'),(2,'cudaLaunchKernel_v7000'),(3,'step'),(4,'TSL');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" INTEGER,deviceId "
    "INTEGER,streamId "
    "INTEGER,correlationId "
    "INTEGER,globalPid INTEGER,demangledName INTEGER,graphNodeId INTEGER);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<60) INSERT INTO "
    "CUPTI_ACTIVITY_KIND_KERNEL "
    "SELECT "
    "i*10,i*10+5,i%2,7,i,281475245146112,i%3,NULL FROM n;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER,\"end\" INTEGER,globalPid INTEGER,bytes "
    "INTEGER,copyKind "
    "INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY "
    "VALUES(1,2,281475245146112,4096,1),(3,4,281475245146112,NULL,8);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER,\"end\" INTEGER,globalTid "
    "INTEGER,correlationId "
    "INTEGER,nameId "
    "INTEGER);INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME "
    "VALUES(1,5,281475245146128,1,2),(6,7,281475245146128,2,2);"
    "CREATE TABLE NVTX_EVENTS(start INTEGER,\"end\" INTEGER,eventType INTEGER,text TEXT,globalTid "
    "INTEGER,endGlobalTid "
    "INTEGER,textId INTEGER,domainId INTEGER,binaryData TEXT);"
    "INSERT INTO NVTX_EVENTS "
    "VALUES(0,NULL,75,NULL,281475245146128,NULL,4,1,NULL),(0,9,59,NULL,281475245146128,NULL,3,1,"
    "x'0100000000000000020000000000000010000000000000003000000000000000"
    "0df0adde000000000010000000000000'),"
    "(2,NULL,60,'open',281475245146128,NULL,NULL,0,NULL),"
    "(3,4,34,'mark',281475245146128,NULL,NULL,0,NULL);"
    "CREATE TABLE META_DATA_EXPORT(name TEXT,value TEXT);INSERT INTO META_DATA_EXPORT "
    "VALUES('EXPORT_SCHEMA_VERSION_MAJOR',"
    "'3'),('EXPORT_SCHEMA_VERSION_MINOR','16');"
    "CREATE TABLE TARGET_INFO_GPU(id INTEGER,name TEXT,smCount INTEGER);INSERT INTO "
    "TARGET_INFO_GPU "
    "VALUES(0,'H100',132);"
    "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INTEGER,schemaId INTEGER,type INTEGER,name "
    "TEXT,\"offset\" INTEGER);INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES "
    "VALUES(1,2,18,'NCCL communicator ID',NULL),(1,2,22,'Message size [bytes]',8),"
    "(1,3,5,'No. of ranks',8),(1,3,5,'Rank',12),(1,4,5,'Peer rank',16);"
    "CREATE TABLE GPU_METRICS(timestamp INTEGER,typeId INTEGER,metricId INTEGER,value INTEGER);"
    "INSERT INTO GPU_METRICS VALUES(0,72057594037927936,1,55),(40,72057594037927936,1,60),"
    "(20,72057594037927937,2,NULL),(90,72057594037927936,7,1);"
    "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER,metricId INTEGER,metricName TEXT);"
    "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(72057594037927936,1,'SMs Active [Throughput %]');"
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER,deviceId INTEGER,bytes "
    "INTEGER,memKind INTEGER,memoryOperationType INTEGER);INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS "
    "VALUES(5,0,4096,2,0),(9,0,4096,2,1),(12,0,9000,2,1),(13,1,1,9,7);"
    "CREATE TABLE MPI_OTHER_EVENTS(start INTEGER,\"end\" INTEGER,globalTid INTEGER,textId "
    "INTEGER);INSERT INTO MPI_OTHER_EVENTS VALUES(1,3,281475245146128,3);"
    "CREATE TABLE MPI_RANKS(globalTid INTEGER,rank INTEGER);INSERT INTO MPI_RANKS "
    "VALUES(281475245146128,3);";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/nsys_sqlite_fuzz.XXXXXX";
    const struct az_options opts = { .with_header = true, .gpus = 1 };
    int fd = fuzz_file(path);
    fuzz_database(fd, good, data, size);
    (void)close(fd);
    fuzz_format(&(struct format_fuzz){ .format = &az_format_nsys_sqlite, .opts = &opts }, path);
    return 0;
}
