/* Compressed output files: what is written comes back, by either library, whole or not at all. */
#include "unit/io_temp.h"

#include <zlib.h>

#include "io/digest.h"
#include "io/gzip_deflate.h"
#include "io/gzip_out.h"
#include "io/source.h"

static enum az_inflater libs[] = { AZ_INFLATE_ZLIB, AZ_INFLATE_ISAL };

static struct az_sv inflated(const char *path, enum az_inflater with)
{
    struct az_source *src = NULL;
    struct az_source_opts o = { .inflater = with, .diag = &t_diag };
    struct az_sv all = { NULL, 0 };
    assert_int_equal(az_source_open(&src, path, &o), 0);
    assert_true(az_source_is_gzip(src));
    assert_int_equal(az_source_all(src, &t_arena, 0, &all), 0);
    az_source_close(src);
    return all;
}

/* n bytes, some of them noise. */
static char *pattern(size_t n)
{
    char *p = az_arena_alloc(&t_arena, n + 1);
    uint32_t x = 7;
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = i / 1000 % 3 ? (char)(i % 50 + 40) : (char)(x >> 24);
    }
    return p;
}

static void roundtrip(size_t n, size_t step)
{
    const char *bytes = pattern(n);
    for (size_t l = 0; l < 2; l++) {
        struct az_gzfile *f;
        if (!az_inflater_has(libs[l]))
            continue;
        assert_int_equal(az_gzfile_open(&f, temp_path("out.gz"), libs[l], NULL, &t_diag), 0);
        for (size_t i = 0; i < n; i += step)
            az_gzfile_write(f, bytes + i, n - i < step ? n - i : step);
        assert_int_equal(az_gzfile_commit(f), 0);
        for (size_t k = 0; k < 2; k++) {
            if (!az_inflater_has(libs[k]))
                continue;
            struct az_sv back = inflated(temp_path("out.gz"), libs[k]);
            assert_int_equal(back.n, n);
            assert_memory_equal(back.p, bytes, n);
        }
    }
}

static void test_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 2, 65535, 65536, 262143, 262144, 262145, 524288, 3000000 };
    for (size_t i = 0; i < AZ_LENGTH(sizes); i++) {
        roundtrip(sizes[i], sizes[i]);
        roundtrip(sizes[i], 4099);
    }
    roundtrip(5000, 1);
}

static void test_empty(void **state)
{
    (void)state;
    for (size_t l = 0; l < 2; l++) {
        struct az_gzfile *f;
        if (!az_inflater_has(libs[l]))
            continue;
        assert_int_equal(az_gzfile_open(&f, temp_path("empty.gz"), libs[l], NULL, &t_diag), 0);
        az_gzfile_write(f, "", 0);
        assert_int_equal(az_gzfile_commit(f), 0);
        assert_int_equal(inflated(temp_path("empty.gz"), AZ_INFLATE_BEST).n, 0);
    }
}

/* Equal writes give equal bytes: no time, no name. */
static void test_repeatable(void **state)
{
    (void)state;
    const char *bytes = pattern(400000);
    for (int i = 0; i < 2; i++) {
        struct az_gzfile *f;
        assert_int_equal(
            az_gzfile_open(&f, temp_path(i ? "b.gz" : "a.gz"), AZ_INFLATE_BEST, NULL, &t_diag), 0);
        az_gzfile_write(f, bytes, 400000);
        assert_int_equal(az_gzfile_commit(f), 0);
    }
    char a[33], b[33];
    uint64_t na, nb;
    assert_int_equal(az_file_digest(temp_path("a.gz"), a, &na), 0);
    assert_int_equal(az_file_digest(temp_path("b.gz"), b, &nb), 0);
    assert_string_equal(a, b);
    assert_true(na < 400000 && na == nb);
}

static void test_abort_leaves_nothing(void **state)
{
    (void)state;
    struct az_gzfile *f;
    assert_int_equal(az_gzfile_open(&f, temp_path("none.gz"), AZ_INFLATE_BEST, NULL, &t_diag), 0);
    az_gzfile_write(f, "abc", 3);
    az_gzfile_abort(f);
    az_gzfile_abort(NULL);
    assert_int_equal(count_entries(), 0);
}

static void test_errors(void **state)
{
    (void)state;
    struct az_gzfile *f;
    struct az_mem mem;
    az_mem_init(&mem, 1000);
    assert_int_equal(az_gzfile_open(&f, temp_path("x.gz"), AZ_INFLATE_BEST, &mem, &t_diag),
                     AZ_ELIMIT);
    assert_null(f);
    assert_int_equal(mem.used, 0);
    assert_int_equal(az_gzfile_open(&f, "/proc/no/such/x.gz", AZ_INFLATE_BEST, NULL, &t_diag),
                     AZ_EIO);
    /* a device that is full */
    assert_int_equal(az_gzfile_open(&f, "/dev/full", AZ_INFLATE_BEST, NULL, &t_diag), 0);
    az_gzfile_write(f, pattern(500000), 500000);
    assert_int_equal(az_gzfile_commit(f), AZ_EIO);
}

/* ---- bare streams, which workbooks have ---- */
struct taken {
    char *p;
    size_t n, most;
};

static bool take(void *to, const char *p, size_t n)
{
    struct taken *t = to;
    if (t->n + n > t->most)
        return false;
    memcpy(t->p + t->n, p, n);
    t->n += n;
    return true;
}

static void assert_inflates(const struct taken *t, const char *bytes, size_t n)
{
    char *back = az_arena_alloc(&t_arena, n + 1);
    z_stream z = { .next_in = (Bytef *)t->p,
                   .avail_in = (uInt)t->n,
                   .next_out = (Bytef *)back,
                   .avail_out = (uInt)n + 1 };
    assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(z.total_out, n);
    assert_memory_equal(back, bytes, n);
    inflateEnd(&z);
}

static void pack(enum az_inflater which, const char *bytes, size_t n, size_t step, struct taken *to)
{
    struct az_deflate *d;
    const struct az_deflate_opts o = { .which = which, .zlib_level = 1, .write = take, .to = to };
    uint32_t sum = 0;
    assert_int_equal(az_deflate_new(&d, &o, NULL), 0);
    for (size_t i = 0; i < n; i += step) {
        const size_t part = n - i < step ? n - i : step;
        sum = az_deflate_sum(sum, bytes + i, part);
        assert_true(az_deflate_add(d, bytes + i, part, false));
    }
    assert_true(az_deflate_add(d, "", 0, true));
    az_deflate_free(d);
    assert_int_equal(sum, crc32(0, (const Bytef *)bytes, (uInt)n));
}

static void test_bare_streams(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 65536, 1000000 };
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < AZ_LENGTH(sizes); i++) {
            const char *bytes = pattern(sizes[i]);
            struct taken t = { az_arena_alloc(&t_arena, 1200000), 0, 1200000 },
                         again = { az_arena_alloc(&t_arena, 1200000), 0, 1200000 };
            pack(libs[l], bytes, sizes[i], 7001, &t);
            pack(libs[l], bytes, sizes[i], 7001, &again);
            assert_inflates(&t, bytes, sizes[i]);
            assert_int_equal(t.n, again.n);
            assert_memory_equal(t.p, again.p, t.n);
        }
}

/* The middle of a stream is packed before its beginning, by another one. */
static void test_joined_streams(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 30000, 400000 };
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < AZ_LENGTH(sizes); i++) {
            const size_t n = sizes[i], third = n / 3;
            const char *bytes = pattern(n);
            struct taken whole = { az_arena_alloc(&t_arena, 600000), 0, 600000 },
                         middle = { az_arena_alloc(&t_arena, 600000), 0, 600000 };
            struct az_deflate *d;
            const struct az_deflate_opts o = { .which = libs[l], .zlib_level = 1 };
            assert_int_equal(az_deflate_new(&d, &o, NULL), 0);
            az_deflate_restart(d, take, &middle);
            assert_true(az_deflate_add(d, bytes + third, n - 2 * third, false));
            assert_true(az_deflate_flush(d));
            az_deflate_restart(d, take, &whole);
            assert_true(az_deflate_add(d, bytes, third, false));
            assert_true(az_deflate_flush(d));
            assert_true(take(&whole, middle.p, middle.n));
            az_deflate_restart(d, take, &whole);
            assert_true(az_deflate_add(d, bytes + n - third, third, true));
            az_deflate_free(d);
            assert_inflates(&whole, bytes, n);
            assert_int_equal(az_deflate_sum_join(az_deflate_sum(0, bytes, third),
                                                 az_deflate_sum(0, bytes + third, n - third),
                                                 n - third),
                             crc32(0, (const Bytef *)bytes, (uInt)n));
        }
}

/* Rows of a sheet, as text. */
static char *sheet_rows(size_t n)
{
    char *text = az_arena_alloc(&t_arena, n + 64);
    size_t at = 0;
    for (unsigned i = 1; at < n; i++)
        at += (size_t)sprintf(text + at, "<c r=\"B%u\" s=\"3\"><v>%u</v></c>", i, i * 2654435761u);
    return text;
}

/* Codes of the stream's own frequencies: from 64 KB in its first piece on. */
static void test_codes(void **state)
{
    (void)state;
    const size_t n = 65536;
    char *text = sheet_rows(n);
    struct taken whole = { az_arena_alloc(&t_arena, n), 0, n },
                 parts = { az_arena_alloc(&t_arena, n), 0, n },
                 again = { az_arena_alloc(&t_arena, n), 0, n };
    pack(AZ_INFLATE_BEST, text, n, n, &whole);
    pack(AZ_INFLATE_BEST, text, n, n - 1, &parts);
    assert_inflates(&whole, text, n);
    assert_inflates(&parts, text, n);
    if (az_inflater_has(AZ_INFLATE_ISAL))
        assert_true(whole.n < parts.n - parts.n / 10);

    /* A small stream after a large one has fixed codes. */
    struct az_deflate *d;
    const struct az_deflate_opts o = { .zlib_level = 1 };
    struct taken first = { az_arena_alloc(&t_arena, n), 0, n };
    assert_int_equal(az_deflate_new(&d, &o, NULL), 0);
    az_deflate_restart(d, take, &first);
    assert_true(az_deflate_add(d, text, n, true));
    az_deflate_restart(d, take, &again);
    assert_true(az_deflate_add(d, text, n - 1, false));
    assert_true(az_deflate_add(d, text + n - 1, 1, false));
    assert_true(az_deflate_add(d, "", 0, true));
    az_deflate_free(d);
    assert_int_equal(again.n, parts.n);
    assert_memory_equal(again.p, parts.p, parts.n);
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t l = 0; l < 2; l++) {
        char room[1000];
        struct taken t = { room, 0, sizeof room };
        const struct az_deflate_opts o = {
            .which = libs[l], .zlib_level = 1, .write = take, .to = &t
        };
        struct az_deflate *d;
        struct az_mem mem;
        assert_int_equal(az_deflate_new(&d, &o, NULL), 0);
        assert_false(az_deflate_add(d, pattern(500000), 500000, true));
        assert_false(az_deflate_add(d, "", 0, true));
        az_deflate_free(d);
        az_mem_init(&mem, 70000);
        assert_int_equal(az_deflate_new(&d, &o, &mem), AZ_ELIMIT);
        assert_null(d);
        assert_int_equal(mem.used, 0);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, temp_setup, temp_teardown)
    const struct CMUnitTest tests[] = { T(test_sizes),          T(test_empty),
                                        T(test_repeatable),     T(test_abort_leaves_nothing),
                                        T(test_errors),         T(test_bare_streams),
                                        T(test_joined_streams), T(test_codes),
                                        T(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
