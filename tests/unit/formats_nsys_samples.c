/* What an Nsight SQLite export has sampled: metrics of GPUs and of network adapters, and memory in
 * use, all samples in the order of their reading. */
#include "formats_nsys.h"

#include <sqlite3.h>

#define TABLES                                                                                     \
    "CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY,value TEXT NOT NULL);"                 \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" INTEGER,deviceId INTEGER,"      \
    "contextId INTEGER,streamId INTEGER,correlationId INTEGER,globalPid INTEGER,"                  \
    "demangledName INTEGER,shortName INTEGER);"                                                    \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,\"end\",deviceId) "                              \
    "VALUES(1,2,1),(3,4,0),(5,6,1);"
#define METRICS                                                                                    \
    "CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INTEGER,metricId INTEGER,metricName TEXT);"       \
    "CREATE TABLE GPU_METRICS(timestamp INTEGER,typeId INTEGER,metricId INTEGER,value INTEGER);"
#define ADAPTERS                                                                                   \
    "CREATE TABLE TARGET_INFO_NETWORK_METRICS(metricsListId INTEGER,metricsIdx INTEGER,name "      \
    "TEXT,unit TEXT);"                                                                             \
    "CREATE TABLE NET_NIC_METRIC(start INTEGER,globalId INTEGER,metricsListId INTEGER,"            \
    "metricsIdx INTEGER,value REAL);"
#define MEMORY                                                                                     \
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER,deviceId INTEGER,bytes INTEGER,"      \
    "memKind INTEGER,memoryOperationType INTEGER);"

/* The database has these samples: name, device, time, value. */
static void samples_are(const char *sql, const char *want)
{
    struct fixture f;
    sqlite3 *db;
    char text[2048] = "";
    size_t n = 0;
    fixture_open(&f);
    const char *path = fixture_path(&f, "x.sqlite");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    fixture_add(&f, path, NULL, false);
    assert_int_equal(fixture_parse(&f, &az_format_nsys_sqlite), 0);
    const struct az_samples *s = &f.trace.samples;
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct az_sample *x = &s->rows.v[i];
        const struct az_sampled *c = &s->counters.v[x->counter];
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s | %lld | %lld | %g\n",
                              AZ_SVF(az_trace_text(&f.trace, c->name)), (long long)c->device,
                              (long long)x->at, x->value);
    }
    for (size_t i = 0; i < f.trace.drops.n; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "dropped %llu: %.*s\n",
                              (unsigned long long)f.trace.drops.v[i].count,
                              AZ_SVF(f.trace.drops.v[i].reason));
    if (strcmp(text, want) != 0)
        fail_msg("\n%swanted:\n%s", text, want);
    fixture_close(&f);
}

/* The lowest byte of a type is the number of the GPU; two metrics of each GPU. */
static void metrics_of_gpus(void **state)
{
    (void)state;
    samples_are(TABLES METRICS "INSERT INTO TARGET_INFO_GPU_METRICS VALUES(256,1,' SM '),"
                               "(257,1,'SM'),(257,2,'DRAM'),(257,2,'again');"
                               "INSERT INTO GPU_METRICS VALUES(10,257,1,40),(10,256,1,50),"
                               "(11,257,2,0),(12,257,1,NULL),(12,256,2,60),(13,256,2,61),"
                               "(14,257,7,62);",
                "SM | 1 | 10 | 40\nSM | 0 | 10 | 50\nDRAM | 1 | 11 | 0\nmetric 2 | 0 | 12 | 60\n"
                "metric 2 | 0 | 13 | 61\nmetric 7 | 1 | 14 | 62\n"
                "dropped 1: samples of counters without a number\n");
}

/* GPUs of other numbers are those with work, in their order, if there are as many; whatever the
 * number of their metrics. */
static void numbers_of_gpus(void **state)
{
    (void)state;
    samples_are(TABLES METRICS "INSERT INTO GPU_METRICS VALUES(10,5,1,40),(10,4,1,50),(10,5,2,41),"
                               "(10,4,2,51);",
                "metric 1 | 1 | 10 | 40\nmetric 1 | 0 | 10 | 50\n"
                "metric 2 | 1 | 10 | 41\nmetric 2 | 0 | 10 | 51\n");
    samples_are(TABLES METRICS "INSERT INTO GPU_METRICS VALUES(10,5,1,40),(10,4,1,50),(10,6,1,41);",
                "metric 1 | 5 | 10 | 40\nmetric 1 | 4 | 10 | 50\nmetric 1 | 6 | 10 | 41\n");
    samples_are(TABLES METRICS "INSERT INTO GPU_METRICS VALUES(10,5,1,40),(11,5,2,50);",
                "metric 1 | 5 | 10 | 40\nmetric 2 | 5 | 11 | 50\n");
    samples_are(TABLES METRICS "INSERT INTO GPU_METRICS VALUES(10,1,1,40),(11,1,2,50);",
                "metric 1 | 1 | 10 | 40\nmetric 2 | 1 | 11 | 50\n");
    /* the counters of the adapters and of memory are of other devices */
    samples_are(TABLES METRICS MEMORY
                "INSERT INTO GPU_METRICS VALUES(10,5,1,40),(10,4,1,50);"
                "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(1,5,64,2,0);",
                "metric 1 | 1 | 10 | 40\nmetric 1 | 0 | 10 | 50\n"
                "Memory in use: device [B] | 5 | 1 | 64\n");
}

static void metrics_of_adapters(void **state)
{
    (void)state;
    samples_are(TABLES ADAPTERS
                "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES(1,0,' Bytes received ','B/s'),"
                "(1,1,'Bytes sent [B/s]','B/s'),(2,0,'Packets',' '),(2,0,'again','x');"
                "INSERT INTO NET_NIC_METRIC VALUES(10,255,1,0,1.5),(10,255,1,1,2.5),"
                "(11,16,1,0,3.5),(12,255,1,0,4.5),(13,255,2,0,5),(14,255,2,9,6),(15,255,3,9,7),"
                "(16,255,2,9,8),(17,255,1,0,NULL);",
                "NIC ff: Bytes received [B/s] | -1 | 10 | 1.5\n"
                "NIC ff: Bytes sent [B/s] | -1 | 10 | 2.5\n"
                "NIC 10: Bytes received [B/s] | -1 | 11 | 3.5\n"
                "NIC ff: Bytes received [B/s] | -1 | 12 | 4.5\n"
                "NIC ff: Packets | -1 | 13 | 5\n"
                "NIC ff: metric 9 | -1 | 14 | 6\nNIC ff: metric 9 | -1 | 15 | 7\n"
                "NIC ff: metric 9 | -1 | 16 | 8\n"
                "dropped 1: samples of counters without a number\n");
}

/* By time, whatever the order of the rows, of each device and kind; never less than nothing. */
static void memory_in_use(void **state)
{
    (void)state;
    samples_are(TABLES MEMORY
                "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(30,0,100,2,1),(10,0,100,2,0),"
                "(20,0,50,2,0),(20,1,7,2,0),(25,0,8,1,0),(40,0,60,2,1),(50,0,5,2,0),(60,0,5,2,7),"
                "(61,0,-5,2,0),(70,0,1,0,0),(71,0,2,3,0),(72,0,3,4,0),(73,0,4,5,0),(74,0,5,6,0),"
                "(75,0,6,7,0),(76,0,7,-1,0),(77,0,0,2,0);",
                "Memory in use: device [B] | 0 | 10 | 100\n"
                "Memory in use: device [B] | 0 | 20 | 150\n"
                "Memory in use: device [B] | 1 | 20 | 7\n"
                "Memory in use: pinned [B] | 0 | 25 | 8\n"
                "Memory in use: device [B] | 0 | 30 | 50\n"
                "Memory in use: device [B] | 0 | 40 | 0\n"
                "Memory in use: device [B] | 0 | 50 | 5\n"
                "Memory in use: pageable [B] | 0 | 70 | 1\n"
                "Memory in use: array [B] | 0 | 71 | 2\n"
                "Memory in use: managed [B] | 0 | 72 | 3\n"
                "Memory in use: device static [B] | 0 | 73 | 4\n"
                "Memory in use: managed static [B] | 0 | 74 | 5\n"
                "Memory in use: unknown [B] | 0 | 75 | 6\n"
                "Memory in use: unknown [B] | 0 | 76 | 13\n"
                "Memory in use: device [B] | 0 | 77 | 5\n"
                "dropped 2: memory event that neither allocates nor frees\n"
                "dropped 1: memory freed that was allocated before the recording\n");
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xb77ceff9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_of_gpus),
        cmocka_unit_test(numbers_of_gpus),
        cmocka_unit_test(metrics_of_adapters),
        cmocka_unit_test(memory_in_use),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
