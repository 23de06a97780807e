/* nsys-rep: the database next to a report, the converter, its failures, the private folder
 * (docs/formats-nsight.md 4). */
#define _DEFAULT_SOURCE
#include <fcntl.h>

#define FIXTURE_PARSES_ONCE /* another program may fail, too */
#include "formats_nsys.h"

#include <dirent.h>
#include <sqlite3.h>
#include <time.h>

#define PARSE(f)  fixture_parse((f), &az_format_nsys_rep)
#define CONVERTER "tests/gen/fake_nsys"

/* An export of one kernel, one copy, one range, one call. */
static void write_db(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TABLE StringIds(id INTEGER PRIMARY KEY,value TEXT);INSERT INTO "
                     "StringIds VALUES(1,'gemm');"
                     "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER,\"end\" "
                     "INTEGER,globalPid INTEGER,demangledName "
                     "INTEGER);INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,5,16777216,1);"
                     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER,\"end\" "
                     "INTEGER,globalPid INTEGER,copyKind "
                     "INTEGER);INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1,5,16777216,1);"
                     "CREATE TABLE NVTX_EVENTS(start INTEGER,\"end\" INTEGER,eventType "
                     "INTEGER,text TEXT,globalTid INTEGER);"
                     "INSERT INTO NVTX_EVENTS VALUES(0,9,59,'step',16777217);",
                     NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
}

static const char *make_report(struct fixture *f, const char *name)
{
    const char *path = fixture_write(f, name, "not documented", 14);
    fixture_add(f, path, NULL, false);
    return path;
}

static void set_age(const char *path, long seconds)
{
    const struct timespec now = { .tv_sec = time(NULL) - seconds };
    const struct timespec times[2] = { now, now };
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Entries of $TMPDIR, which the test points at a folder of its own: nothing may be left in it. */
static int left_over(const char *dir)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static const char *own_tmp(struct fixture *f)
{
    const char *dir = fixture_path(f, "tmp");
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(setenv("TMPDIR", dir, 1), 0);
    return dir;
}

static void begin(struct fixture *f, const char *mode)
{
    fixture_open(f);
    unsetenv("NSYS");
    const char *db = fixture_path(f, "made.db");
    write_db(db);
    assert_int_equal(setenv("FAKE_NSYS_DB", db, 1), 0);
    assert_int_equal(setenv("FAKE_NSYS_MODE", mode, 1), 0);
    f->opts.nsys_path = AZ_SV(CONVERTER);
}

static void finish(struct fixture *f)
{
    unsetenv("TMPDIR");
    unsetenv("FAKE_NSYS_LOG");
    fixture_close(f);
}

static void converted(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "");
    const char *tmp = own_tmp(&f), *log = fixture_path(&f, "args");
    assert_int_equal(setenv("FAKE_NSYS_LOG", log, 1), 0);
    const char *report = make_report(&f, "my run.nsys-rep");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    assert_true(named(&f, f.trace.ev[AZ_KERNEL].name[0], "gemm"));
    assert_false(f.trace.has_mem ||
                 f.trace.has_nvtx); /* not asked for: only the classic block leaves them out */
    assert_int_equal(f.trace.ev[AZ_RANGE].n, 1);
    assert_int_equal(left_over(tmp), 0);
    assert_int_equal(f.progress, 14);
    char args[512] = { 0 };
    FILE *in = fopen(log, "r");
    assert_non_null(in);
    assert_true(fread(args, 1, sizeof args - 1, in) > 0);
    fclose(in);
    assert_ptr_equal(strstr(args, "export\n--type\nsqlite\n--force-overwrite\ntrue\n--output\n"),
                     args);
    assert_non_null(strstr(args, report)); /* one argument though it holds a blank */
    finish(&f);

    begin(&f, "");
    f.opts.with_mem = f.opts.with_nvtx = true;
    (void)make_report(&f, "old.qdrep");
    assert_int_equal(PARSE(&f), 0);
    assert_true(f.trace.has_mem && f.trace.has_nvtx);
    finish(&f);
}

static void neighbour(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "fail"); /* would fail if it were asked */
    set_age(make_report(&f, "a.nsys-rep"), 100);
    write_db(fixture_path(&f, "a.sqlite"));
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    assert_int_equal(f.progress, 14);
    finish(&f);

    begin(&f, ""); /* an older one is not used */
    (void)make_report(&f, "a.nsys-rep");
    write_db(fixture_path(&f, "a.sqlite"));
    set_age(fixture_path(&f, "a.sqlite"), 100);
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_NOTE, "a.sqlite: older than the report, not used"));
    finish(&f);

    begin(&f, ""); /* nor one that is no export */
    set_age(make_report(&f, "a.nsys-rep"), 100);
    (void)fixture_write(&f, "a.sqlite", "rubbish", 7);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    assert_int_equal(f.diag.errors, 0);
    finish(&f);
}

static void failing(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "fail");
    const char *tmp = own_tmp(&f);
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), AZ_ECHILD);
    assert_true(said(&f, AZ_ERROR, "nsys export failed with status 1"));
    assert_true(said(&f, AZ_ERROR, "The report was written by a newer version of Nsight Systems."));
    for (size_t i = 0; i < f.diag.list.n; i++) /* a message is one line */
        assert_null(memchr(f.diag.list.v[i].text.p, '\n', f.diag.list.v[i].text.n));
    assert_int_equal(left_over(tmp), 0);
    finish(&f);

    begin(&f, "silent");
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), AZ_ECHILD);
    assert_true(said(&f, AZ_ERROR, "wrote no database"));
    finish(&f);

    begin(&f, "garbage");
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(
        said(&f, AZ_ERROR,
             "a.nsys-rep: not an SQLite database")); /* names the report, not the temporary file */
    finish(&f);

    begin(&f, "hang");
    tmp = own_tmp(&f);
    f.opts.nsys_timeout_s = 1;
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), AZ_ECHILD);
    assert_true(said(&f, AZ_ERROR, "a.nsys-rep: '"));
    assert_true(said(&f, AZ_ERROR, "stopped after 1 s"));
    assert_int_equal(left_over(tmp), 0);
    finish(&f);

    begin(&f, "hang");
    f.cancel = true;
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), AZ_EINTR);
    finish(&f);
}

static void absent(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, "");
    char *path = strdup(getenv("PATH"));
    f.opts.nsys_path = AZ_SV("");
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), AZ_ECHILD);
    assert_true(said(&f, AZ_ERROR, "without nsys; install Nsight Systems"));
    assert_true(said(&f, AZ_ERROR, "a.nsys-rep\" and use format \"nsys-sqlite\""));
    write_db(fixture_path(&f, "a.sqlite"));
    set_age(fixture_path(&f, "a.sqlite"), 100);
    assert_int_equal(PARSE(&f), AZ_ECHILD);
    assert_true(said(&f, AZ_ERROR, "without nsys, and its export '"));
    assert_true(said(&f, AZ_ERROR, "a.sqlite' is older; install Nsight Systems, or analyze"));
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    finish(&f);

    begin(&f, "");
    f.opts.nsys_path = AZ_SV("");
    assert_int_equal(setenv("NSYS", CONVERTER, 1),
                     0); /* the environment, if the option is not given */
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), 0);
    finish(&f);

    begin(&f, "");
    f.opts.nsys_path = AZ_SV("/nonexistent/nsys");
    (void)make_report(&f, "a.nsys-rep");
    assert_int_equal(PARSE(&f), AZ_ECHILD);
    assert_true(said(&f, AZ_ERROR,
                     "cannot run '/nonexistent/nsys' (option nsys_path); set the path of nsys"));
    finish(&f);

    begin(&f, "");
    fixture_add(&f, fixture_path(&f, "none.nsys-rep"), NULL, false);
    assert_int_equal(PARSE(&f), AZ_EIO);
    assert_true(said(&f, AZ_ERROR, "none.nsys-rep: no such file or folder"));
    finish(&f);

    begin(&f, "");
    fixture_add(&f, fixture_write(&f, "zero.nsys-rep", "", 0), NULL, false);
    assert_int_equal(PARSE(&f), AZ_EEMPTY);
    finish(&f);
}

static void probing(void **state)
{
    (void)state;
    int (*probe)(struct az_sv, struct az_sv) = az_format_nsys_rep.probe;
    assert_int_equal(probe(AZ_SV("x"), AZ_SV("a/b.nsys-rep")), 90);
    assert_int_equal(probe(AZ_SV("x"), AZ_SV("b.qdrep")), 90);
    assert_int_equal(probe(AZ_SV("x"), AZ_SV("b.sqlite")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converted), cmocka_unit_test(neighbour), cmocka_unit_test(failing),
        cmocka_unit_test(absent),    cmocka_unit_test(probing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
