#define _DEFAULT_SOURCE
/* A database of rocmProfileData from arbitrary bytes: a file that begins with the SQLite magic as
 * it is, everything else as edits of a small good database (rocpd_fuzz.c). */
#include "database_fuzz.h"

static const char good[] =
    "PRAGMA page_size=512;"
    "CREATE TABLE rocpd_metadata(id INTEGER PRIMARY KEY,tag TEXT,value TEXT);"
    "INSERT INTO rocpd_metadata VALUES(1,'schema_version','3');"
    "CREATE TABLE rocpd_string(id INTEGER PRIMARY KEY,string TEXT);"
    "INSERT INTO rocpd_string VALUES(1,''),(2,'KernelExecution'),(3,'void f<int>(a) [clone .kd]'),"
    "(4,'CopyHostToDevice'),(5,'hipLaunchKernel'),(6,'UserMarker'),(7,'Barrier'),(8,'hip');"
    "CREATE TABLE rocpd_ustring(id INTEGER PRIMARY KEY,string TEXT);"
    "INSERT INTO rocpd_ustring VALUES(1,'step'),(2,'pas \xc3\xa9t\xc3\xa9');"
    "CREATE TABLE rocpd_api(id INTEGER PRIMARY KEY,pid INT,tid INT,start INT,\"end\" INT,"
    "apiName_id INT,category_id INT,domain_id INT,args_id INT);"
    "INSERT INTO rocpd_api VALUES(11,7,8,10,90,6,1,6,1),(12,7,8,20,30,5,1,8,2),"
    "(13,9,9,40,50,5,1,1,99),(14,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);"
    "CREATE TABLE rocpd_kernelapi(api_ptr_id INTEGER PRIMARY KEY,stream TEXT,gridX INT,gridY INT,"
    "gridZ INT,workgroupX INT,workgroupY INT,workgroupZ INT,groupSegmentSize INT,"
    "privateSegmentSize INT,kernelName_id INT);"
    "INSERT INTO rocpd_kernelapi VALUES(12,'0x7f10',4,1,1,256,1,1,512,0,3);"
    "CREATE TABLE rocpd_copyapi(api_ptr_id INTEGER PRIMARY KEY,size INT,kind INT);"
    "INSERT INTO rocpd_copyapi VALUES(13,4096,1);"
    "CREATE TABLE rocpd_op(id INTEGER PRIMARY KEY,gpuId INT,queueId INT,start INT,\"end\" INT,"
    "description_id INT,opType_id INT);"
    "INSERT INTO rocpd_op VALUES(21,2,0,35,60,3,2),(22,2,1,61,70,1,4),(23,2,0,70,71,1,7),"
    "(24,-5,0,80,79,NULL,NULL),(25,2,0,NULL,3,3,2);"
    "CREATE TABLE rocpd_api_ops(id INTEGER PRIMARY KEY,api_id INT,op_id INT);"
    "INSERT INTO rocpd_api_ops VALUES(1,12,21),(2,13,22),(3,NULL,23),(4,99,24);"
    "CREATE TABLE rocpd_monitor(id INTEGER PRIMARY KEY,value TEXT);"
    "INSERT INTO rocpd_monitor VALUES(1,'1700');";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/rpd_fuzz.XXXXXX";
    const struct az_options opts = { .with_header = true, .gpus = 1 };
    int fd = fuzz_file(path);
    fuzz_database(fd, good, data, size);
    (void)close(fd);
    fuzz_format(&(struct format_fuzz){ .format = &az_format_rocpd, .opts = &opts }, path);
    return 0;
}
