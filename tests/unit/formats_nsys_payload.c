/* Payloads of NVTX ranges: values of every type and width, and payloads that are too short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/nsys/nsys_sqlite.h"

enum { HEADER = 32, AT = 3, VALUES = 16, DOMAIN = 5 };

/* Bytes of each type of NVTX; 0: no number. */
static const uint8_t width[] = { 0, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 1, 1,
                                 2, 2, 4, 4, 8, 8, 0, 0, 0, 8, 8, 0 };
#define TYPES ((int)sizeof width)

/* Schema n has a communicator of type n; schema 100 all fields, of 4 bytes each. */
static void make(const char *path)
{
    sqlite3 *db;
    char sql[6000];
    size_t n = (size_t)snprintf(
        sql, sizeof sql,
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER);"
        "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId INTEGER,schemaId INTEGER,"
        "type INTEGER,name TEXT,offset INTEGER);"
        "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
        "(5,99,16777216,'NCCL communicator ID',3),(5,98,8,'NCCL communicator ID',1048577),"
        "(5,100,8,'NCCL communicator ID',NULL),(5,100,5,'Message size [bytes]',8),"
        "(5,100,5,'Peer rank',12),(5,100,5,'No. of ranks',16),(5,100,5,'Rank',20),"
        "(5,100,5,'Other',24)");
    for (int t = 0; t < TYPES; t++)
        n += (size_t)snprintf(sql + n, sizeof sql - n, ",(5,%d,%d,'NCCL communicator ID',%d)", t, t,
                              AT);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static struct az_sv payload(unsigned char *data, uint8_t schema, size_t values)
{
    memset(data, 0, HEADER);
    data[8] = schema;
    data[16] = (unsigned char)values;
    for (size_t i = 0; i < VALUES + 8; i++)
        data[HEADER + i] = (unsigned char)(i + 1);
    return az_sv_make((char *)data, HEADER + values);
}

static void every_type(const struct az_nsys_payloads *p)
{
    unsigned char data[HEADER + VALUES + 8];
    struct az_comm_note note;
    for (int t = 0; t < TYPES; t++) {
        uint64_t want = 0;
        for (size_t i = width[t]; i-- > 0;)
            want = want << 8 | (AT + 1 + i);
        assert_int_equal(az_nsys_payload_read(p, DOMAIN, payload(data, (uint8_t)t, VALUES), &note),
                         width[t] > 0);
        if (width[t] == 0)
            continue;
        assert_true(note.comm == want);
        assert_true(note.bytes == -1 && note.peer == -1 && note.ranks == -1 && note.rank == -1);
        const size_t most = AT + (size_t)width[t];
        assert_true(az_nsys_payload_read(p, DOMAIN, payload(data, (uint8_t)t, most), &note));
        assert_false(az_nsys_payload_read(p, DOMAIN, payload(data, (uint8_t)t, most - 1), &note));
    }
    assert_true(az_nsys_payload_read(p, DOMAIN, payload(data, 99, VALUES), &note));
    assert_true(note.comm == 0x07060504); /* an enumeration of the domain */
    assert_false(az_nsys_payload_read(p, DOMAIN, payload(data, 98, VALUES), &note));
    assert_false(az_nsys_payload_read(p, DOMAIN, payload(data, 97, VALUES), &note));
    assert_false(az_nsys_payload_read(p, DOMAIN + 1, payload(data, 8, VALUES), &note));
    const struct az_sv whole = payload(data, 8, VALUES);
    assert_false(az_nsys_payload_read(p, DOMAIN, az_sv_make(whole.p, HEADER - 1), &note));
}

static void every_field(const struct az_nsys_payloads *p)
{
    unsigned char data[HEADER + VALUES + 8];
    struct az_comm_note note;
    const struct az_sv whole = payload(data, 100, VALUES + 8);
    assert_true(az_nsys_payload_read(p, DOMAIN, whole, &note));
    assert_true(note.comm == 0x0807060504030201u);
    assert_int_equal(note.bytes, 0x0c0b0a09);
    assert_int_equal(note.peer, 0x100f0e0d);
    assert_int_equal(note.ranks, 0x14131211);
    assert_int_equal(note.rank, 0x18171615);
    data[HEADER + 15] = 0x80; /* a negative peer */
    assert_true(az_nsys_payload_read(p, DOMAIN, whole, &note));
    assert_int_equal(note.peer, -1);
    assert_int_equal(note.rank, 0x18171615);
}

static void payloads(void **state)
{
    char path[] = "/tmp/az_payload_XXXXXX";
    struct az_mem mem;
    struct az_diag diag;
    struct az_trace trace;
    struct az_options opts = { .with_header = true };
    struct az_parse job = { .opts = &opts, .trace = &trace, .diag = &diag, .mem = &mem };
    struct az_nsys_payloads p;
    struct az_nsys_db x;
    (void)state;
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    make(path);
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    assert_int_equal(az_trace_init(&trace, &mem), 0);
    assert_int_equal(az_nsys_db_open(&x, &job, az_sv_str(path)), 0);
    assert_int_equal(az_nsys_payloads_open(&p, &x), 0);
    every_type(&p);
    every_field(&p);
    az_nsys_payloads_close(&p);
    az_nsys_db_close(&x);
    az_trace_release(&trace);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(payloads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
