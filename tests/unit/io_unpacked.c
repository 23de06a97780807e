/* A compressed file as a mapped one: its bytes, what breaks off, and no file that stays. */
#include "unit/io_temp.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/gzip_out.h"
#include "io/unpacked.h"

enum { BYTES = 3000000 };

static char *content;

static void pack(const char *path)
{
    struct az_gzfile *f;
    content = az_arena_alloc(&t_arena, BYTES);
    assert_non_null(content);
    for (size_t i = 0; i < BYTES; i++)
        content[i] = (char)(i * i >> 7);
    assert_int_equal(az_gzfile_open(&f, path, AZ_INFLATE_ZLIB, NULL, &t_diag), 0);
    az_gzfile_write(f, content, BYTES);
    assert_int_equal(az_gzfile_commit(f), 0);
}

static int unpack(const char *path, const char *out, struct az_mapping *m)
{
    const struct az_source_opts o = { .diag = &t_diag, .keeps_parts = true };
    struct az_source *src = NULL;
    assert_int_equal(az_source_open(&src, path, &o), 0);
    const int rc = az_map_unpacked(m, src, out, NULL, &t_diag);
    az_source_close(src);
    return rc;
}

static void whole(void **state)
{
    const char *in = temp_path("in.gz");
    struct az_mapping m;
    (void)state;
    pack(in);
    assert_int_equal(unpack(in, temp_path("out"), &m), 0);
    assert_int_equal(count_entries(), 1);
    assert_int_equal(m.bytes.n, BYTES);
    assert_memory_equal(m.bytes.p, content, BYTES);
    az_unmap_file(&m);
}

static void broken(void **state)
{
    const char *in = temp_path("in.gz");
    struct az_mapping m;
    struct stat st;
    (void)state;
    pack(in);
    assert_int_equal(stat(in, &st), 0);
    assert_int_equal(truncate(in, st.st_size / 2), 0);
    assert_int_equal(unpack(in, temp_path("out"), &m), AZ_EFORMAT);
    assert_true(m.bytes.n > BYTES / 10 && m.bytes.n < BYTES);
    assert_memory_equal(m.bytes.p, content, m.bytes.n);
    az_unmap_file(&m);
    assert_int_equal(count_entries(), 1);
}

static void nowhere(void **state)
{
    const char *in = temp_path("in.gz");
    struct az_mapping m;
    (void)state;
    pack(in);
    assert_int_equal(unpack(in, "/dev/null", &m), AZ_EUSAGE);
    assert_int_equal(t_diag.errors, 0);
    assert_int_equal(unpack(in, "/proc/none/out", &m), AZ_EIO);
    assert_int_equal(t_diag.errors, 1);
    assert_int_equal(m.bytes.n, 0);
}

/* A pipe is not opened: without a reader that waits, and one that there is would see an end. */
static void to_pipe(void **state)
{
    const char *in = temp_path("in.gz"), *out = temp_path("pipe");
    struct az_mapping m;
    (void)state;
    pack(in);
    assert_int_equal(mkfifo(out, 0600), 0);
    (void)alarm(20);
    assert_int_equal(unpack(in, out, &m), AZ_EUSAGE);
    (void)alarm(0);
    assert_int_equal(t_diag.errors, 0);
}

/* The message names the output, not the temporary file. */
static void too_large(void **state)
{
    const char *in = temp_path("in.gz"), *out = temp_path("out");
    const struct rlimit small = { 100000, RLIM_INFINITY };
    struct rlimit before;
    struct az_mapping m;
    (void)state;
    pack(in);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(unpack(in, out, &m), AZ_EIO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    const struct az_sv text = t_diag.list.v[0].text;
    assert_true(az_sv_starts(text, az_sv_str(out)));
    assert_true(az_sv_find(text, AZ_SV("cannot write a temporary file next to it: ")) > 0);
    assert_int_equal(count_entries(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole, temp_setup, temp_teardown),
        cmocka_unit_test_setup_teardown(broken, temp_setup, temp_teardown),
        cmocka_unit_test_setup_teardown(nowhere, temp_setup, temp_teardown),
        cmocka_unit_test_setup_teardown(to_pipe, temp_setup, temp_teardown),
        cmocka_unit_test_setup_teardown(too_large, temp_setup, temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
