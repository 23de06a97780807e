/* Alignment of names and what counts as the same name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyses/diff/tree.h"

/* "abc" against "bcd": the pairs as text, position in b or `-`. */
static void aligned(const char *a, const char *b, const char *want)
{
    uint32_t x[64] = { 0 }, y[64] = { 0 }, match[64];
    const size_t n = strlen(a), m = strlen(b);
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned char)a[i];
    for (size_t i = 0; i < m; i++)
        y[i] = (unsigned char)b[i];
    assert_int_equal(az_diff_align(x, n, y, m, match, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        const char got = match[i] == AZ_NO_ROW ? '-' : (char)('0' + match[i]);
        if (got != want[i])
            fail_msg("%s against %s: %zu is %c, not %c", a, b, i, got, want[i]);
    }
}

static void alignment(void **state)
{
    (void)state;
    aligned("", "abc", "");
    aligned("abc", "", "---");
    aligned("abc", "abc", "012");
    aligned("abc", "axc", "0-2"); /* a replacement is no match */
    aligned("abc", "bcd", "-01");
    aligned("ab", "aab", "12"); /* the last of equals */
    aligned("kitten", "sitting", "-123-5");
    aligned("abab", "baba", "123-");
    aligned("xyz", "abc", "---");
}

static size_t cost_of(const uint32_t *match, size_t n, size_t m)
{
    /* between two matches the longer of the gaps is what it costs */
    size_t cost = 0, i0 = 0, j0 = 0;
    for (size_t i = 0; i <= n; i++) {
        const size_t j = i == n ? m : match[i];
        if (i < n && match[i] == AZ_NO_ROW)
            continue;
        assert_true(j >= j0);
        cost += i - i0 > j - j0 ? i - i0 : j - j0;
        i0 = i + 1;
        j0 = j + 1;
    }
    return cost;
}

static size_t edit_distance(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    size_t *row = malloc((m + 1) * sizeof *row);
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 0; i < n; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < m; j++) {
            size_t least = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            least = diagonal + 1 < least ? diagonal + 1 : least;
            row[j + 1] = row[j] + 1 < least ? row[j] + 1 : least;
        }
    }
    const size_t d = row[m];
    free(row);
    return d;
}

static uint64_t seed = 7;
static uint32_t any(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % below;
}

/* The cheapest, whatever the sequences; also where the table is made in halves (more than 64
 * million cells). */
static void cheapest(void **state)
{
    (void)state;
    static uint32_t a[9000], b[9000], match[9000];
    for (int round = 0; round < 301; round++) {
        const size_t n = round == 300 ? 9000 : any(40), m = round == 300 ? 8700 : any(40);
        for (size_t i = 0; i < n; i++)
            a[i] = any(round == 300 ? 50 : 5);
        for (size_t i = 0; i < m; i++)
            b[i] = round == 300 && any(10) ? a[i] : any(5);
        assert_int_equal(az_diff_align(a, n, b, m, match, NULL), 0);
        for (size_t i = 0; i < n; i++)
            assert_true(match[i] == AZ_NO_ROW || (match[i] < m && a[i] == b[match[i]]));
        assert_int_equal(cost_of(match, n, m), edit_distance(a, n, b, m));
    }
}

static void normal(void **state)
{
    (void)state;
    static const struct {
        const char *name, *strict, *loose;
    } each[] = { { "aten::mm", "aten::mm", "aten::mm" },
                 { "hipModuleLaunchKernel", "cuLaunchKernel", "cuLaunchKernel" },
                 { "<f at 0x7f12ab>", "<f at 0xXXXX>", "<f at 0xXXXX>" },
                 { "0x1 0x 0xg", "0xX 0x 0xg", "0xX 0x 0xg" },
                 { "torch/nn/mod.py(123): forward", "torch/nn/mod.py: forward", "mod.py" },
                 { "a.py(12", "a.py(12", "a.py" },
                 { "", "", "" } };
    struct az_arena a;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < AZ_LENGTH(each); i++)
        for (int loose = 0; loose < 2; loose++) {
            struct az_sv got;
            assert_int_equal(az_diff_normal(&a, az_sv_str(each[i].name), loose, &got), 0);
            if (!az_sv_is(got, loose ? each[i].loose : each[i].strict))
                fail_msg("'%s': '%.*s'", each[i].name, AZ_SVF(got));
        }
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alignment),
        cmocka_unit_test(cheapest),
        cmocka_unit_test(normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
