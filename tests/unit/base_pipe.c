/* Reading ahead on another thread: the same bytes, errors after them, closing at any time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/pipe.h"

struct numbers {
    unsigned next, end, most; /* bytes made; at most this many at once */
    int rc;                   /* at the end */
    bool with_bytes;          /* the last bytes come together with rc */
    unsigned calls_after_end;
};

static int fill(void *ctx, void *buf, size_t n, size_t *got)
{
    struct numbers *s = ctx;
    unsigned char *b = buf;
    size_t k = 0;
    if (s->next == s->end) {
        s->calls_after_end++;
        *got = 0;
        return s->rc;
    }
    while (k < n && k < s->most && s->next < s->end)
        b[k++] = (unsigned char)(s->next++ * 7 % 251);
    *got = k;
    if (s->next == s->end && s->with_bytes) {
        s->calls_after_end++;
        return s->rc;
    }
    return 0;
}

static void reads_all(struct numbers s, size_t block, unsigned blocks, size_t chunk)
{
    struct az_mem mem;
    struct az_pipe *p;
    unsigned char buf[600];
    unsigned at = 0;
    size_t got = 0;
    int rc;
    az_mem_init(&mem, 0);
    assert_int_equal(az_pipe_open(&p, fill, &s, block, blocks, &mem), 0);
    while ((rc = az_pipe_read(p, buf, chunk, &got)) == 0 && got) {
        assert_true(got <= chunk);
        for (size_t i = 0; i < got; i++)
            assert_int_equal(buf[i], at++ * 7 % 251);
    }
    assert_int_equal(at, s.end);
    assert_int_equal(rc, s.rc);
    assert_int_equal(az_pipe_read(p, buf, chunk, &got), s.rc); /* and stays so */
    assert_int_equal(got, 0);
    az_pipe_close(p);
    assert_int_equal(s.calls_after_end, 1);
    assert_int_equal(mem.used, 0);
}

static void same_bytes(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 3, 64, 500 };
    for (size_t b = 0; b < 4; b++)
        for (size_t c = 0; c < 4; c++)
            for (unsigned blocks = 0; blocks < 5; blocks += 2) {
                reads_all((struct numbers){ .end = 2000, .most = 100 }, sizes[b], blocks, sizes[c]);
                reads_all((struct numbers){ .end = 0, .most = 100 }, sizes[b], blocks, sizes[c]);
            }
}

static void errors_come_last(void **state)
{
    (void)state;
    reads_all((struct numbers){ .end = 777, .most = 50, .rc = AZ_EIO }, 64, 3, 100);
    reads_all((struct numbers){ .end = 0, .most = 50, .rc = AZ_EFORMAT }, 64, 3, 100);
    reads_all((struct numbers){ .end = 777, .most = 50, .rc = AZ_EIO, .with_bytes = true }, 64, 3,
              7);
}

static void closed_early(void **state)
{
    (void)state;
    for (unsigned chunks = 0; chunks < 20; chunks++) {
        struct numbers s = { .end = 1000000, .most = 64 };
        struct az_pipe *p;
        unsigned char buf[64];
        size_t got;
        assert_int_equal(az_pipe_open(&p, fill, &s, 64, 4, NULL), 0);
        for (unsigned i = 0; i < chunks; i++)
            assert_int_equal(az_pipe_read(p, buf, sizeof buf, &got), 0);
        az_pipe_close(p);
        assert_true(s.next <= (chunks + 5) * 64); /* no further ahead than its blocks */
    }
    az_pipe_close(NULL);
}

static void memory_limit(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_pipe *p;
    struct numbers s = { .end = 10, .most = 10 };
    for (size_t limit = 1; limit < 1200; limit += 50) {
        az_mem_init(&mem, limit);
        int rc = az_pipe_open(&p, fill, &s, 256, 4, &mem);
        assert_true(rc == AZ_ELIMIT || rc == 0);
        if (rc == 0)
            az_pipe_close(p);
        else
            assert_null(p);
        assert_int_equal(mem.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(errors_come_last),
        cmocka_unit_test(closed_early),
        cmocka_unit_test(memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
