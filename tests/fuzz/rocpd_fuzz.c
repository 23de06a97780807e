#define _DEFAULT_SOURCE
/* A rocpd database from arbitrary bytes: a file that begins with the SQLite magic is taken as a
 * database as it is; everything else is a list of edits (offset, byte) of a small good database, so
 * that the reader gets past the first page. */
#include "database_fuzz.h"

static const char good[] =
    "PRAGMA page_size=512;"
    "CREATE TABLE rocpd_string_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',string TEXT);INSERT "
    "INTO "
    "rocpd_string_x(id,string) VALUES(1,'KERNEL_DISPATCH'),(2,'MEMORY_COPY_HOST_TO_DEVICE'),"
    "(3,'hipLaunchKernel'),(4,'HIP_RUNTIME_API_EXT'),(5,'pas "
    "\xc3\xa9t\xc3\xa9'),(6,'MARKER_CORE_RANGE_API'),(7,'mark');"
    "CREATE TABLE rocpd_info_process_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',pid INT,init "
    "INT,fini INT,command "
    "TEXT);INSERT INTO rocpd_info_process_x(id,pid,init,fini,command) VALUES(1,77,10,9000,'./x');"
    "CREATE TABLE rocpd_info_thread_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',tid INT);INSERT "
    "INTO "
    "rocpd_info_thread_x(id,tid) VALUES(3,5150);"
    "CREATE TABLE rocpd_info_agent_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',type "
    "TEXT,absolute_index "
    "INT,logical_index INT,name TEXT,product_name TEXT,extdata TEXT);"
    "INSERT INTO "
    "rocpd_info_agent_x(id,type,absolute_index,logical_index,name,product_name,extdata) "
    "VALUES(0,'CPU',0,0,'c','C','{}'),(9,'GPU',4,2,'gfx','Acc','{\"cu_count\": 304}');"
    "CREATE TABLE rocpd_info_kernel_symbol_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT "
    "'x',kernel_name "
    "TEXT,display_name TEXT,sgpr_count INT,arch_vgpr_count INT,accum_vgpr_count INT,extdata TEXT);"
    "INSERT INTO rocpd_info_kernel_symbol_x(id,kernel_name,display_name,arch_vgpr_count,extdata) "
    "VALUES(12,'_Z1f.kd','void f<int>(a, b)',32,'{\"truncated_kernel_name\": \"f\"}');"
    "CREATE TABLE rocpd_info_pmc_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',name TEXT,symbol "
    "TEXT);INSERT INTO "
    "rocpd_info_pmc_x(id,name,symbol) VALUES(70,'Waves','SQ_WAVES');"
    "CREATE TABLE rocpd_event_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',category_id "
    "INT,stack_id INT);INSERT INTO "
    "rocpd_event_x(id,category_id,stack_id) VALUES(1,1,500),(2,4,500),(3,6,501),(4,6,502);"
    "CREATE TABLE rocpd_kernel_dispatch_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',tid "
    "INT,agent_id INT,kernel_id "
    "INT,dispatch_id INT,queue_id INT,stream_id INT,start INT,\"end\" INT,"
    "private_segment_size INT,group_segment_size INT,workgroup_size_x INT,workgroup_size_y "
    "INT,workgroup_size_z "
    "INT,grid_size_x INT,grid_size_y INT,grid_size_z INT,event_id INT);"
    "INSERT INTO "
    "rocpd_kernel_dispatch_x(tid,agent_id,kernel_id,dispatch_id,queue_id,stream_id,start,\"end\","
    "group_segment_size,"
    "grid_size_x,event_id) VALUES(3,9,12,1,2,6,100,200,256,64,1),"
    "(NULL,9,99,2,2,6,300,310,0,64,NULL);"
    "CREATE TABLE rocpd_pmc_event_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',event_id "
    "INT,pmc_id INT,value "
    "REAL);INSERT INTO rocpd_pmc_event_x(event_id,pmc_id,value) "
    "VALUES(1,70,2.5),(1,70,4),(NULL,70,1);"
    "CREATE TABLE rocpd_memory_copy_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',start "
    "INT,\"end\" INT,name_id "
    "INT,src_agent_id INT,dst_agent_id INT,size INT,queue_id INT,stream_id INT,event_id INT);"
    "INSERT INTO rocpd_memory_copy_x(start,\"end\",name_id,src_agent_id,dst_agent_id,size) "
    "VALUES(1,5,2,0,9,4096),(6,7,NULL,NULL,NULL,NULL),(8,9,NULL,9,9,1);"
    "CREATE TABLE rocpd_memory_allocate_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',tid "
    "INT,agent_id INT,type "
    "TEXT,level TEXT,start INT,\"end\" INT,address INT,size INT,event_id INT);"
    "INSERT INTO rocpd_memory_allocate_x(type,level,start,\"end\",address,size,agent_id) "
    "VALUES('ALLOC','REAL',1,2,-256,64,9),('RECLAIM','SCRATCH',1,2,0,8,9),('FREE','VIRTUAL',3,4,0,"
    "0,NULL);"
    "CREATE TABLE rocpd_region_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',tid INT,start "
    "INT,\"end\" INT,name_id "
    "INT,event_id INT);"
    "INSERT INTO rocpd_region_x(tid,start,\"end\",name_id,event_id) "
    "VALUES(3,80,90,3,2),(3,70,95,5,3),(3,20,21,3,NULL);"
    "CREATE TABLE rocpd_track_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',name_id INT,tid "
    "INT);INSERT INTO "
    "rocpd_track_x(id,name_id,tid) VALUES(1,7,3);"
    "CREATE TABLE rocpd_sample_x(id INTEGER PRIMARY KEY,guid TEXT DEFAULT 'x',track_id "
    "INT,timestamp INT,event_id "
    "INT);INSERT INTO rocpd_sample_x(track_id,timestamp,event_id) VALUES(1,85,4);";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/rocpd_fuzz.XXXXXX";
    const struct az_options opts = { .with_header = true, .gpus = 1 };
    int fd = fuzz_file(path);
    fuzz_database(fd, good, data, size);
    (void)close(fd);
    fuzz_format(&(struct format_fuzz){ .format = &az_format_rocpd, .opts = &opts }, path);
    return 0;
}
