/* Ranks of a set against counting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rank_bitmap.h"

enum { MOST = 1000 };

static void ranks(void **state)
{
    uint64_t seed = 88172645463325252u;
    (void)state;
    for (unsigned every = 1; every < 200; every = every * 3 + 1) {
        struct az_rank_word v[MOST / 64 + 1] = { { 0, 0 } };
        bool in[MOST + 1] = { false };
        for (size_t i = 0; i <= MOST; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            in[i] = (seed >> 33) % every == 0;
            if (in[i])
                az_rank_set(v, i);
        }
        assert_int_equal(az_rank_words(MOST), MOST / 64 + 1);
        az_rank_close(v, MOST);
        for (size_t i = 0, below = 0; i <= MOST; below += in[i++]) {
            assert_int_equal(az_rank(v, i), below);
            assert_int_equal(az_rank_has(v, i), in[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ranks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
