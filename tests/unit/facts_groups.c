/* The group-by against a search of all keys: any number of keys, bounded ones, items in no group,
 * orders and sums of groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "facts/groups.h"

enum { ITEMS = 400, MOST_KEYS = 4 };

static uint32_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*seed >> 33);
}

static void numbers_as_they_appear(struct az_mem *mem, size_t keys, size_t below)
{
    uint64_t key[ITEMS][MOST_KEYS], seed = 11 + keys;
    uint32_t group[ITEMS];
    struct az_grouper g;
    assert_int_equal(az_grouper_init(&g, mem, keys, below), 0);
    size_t want = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        for (size_t k = 0; k < MOST_KEYS; k++)
            key[i][k] = next(&seed) % 4;
        size_t same = 0;
        while (same < i && (!keys || memcmp(key[same], key[i], keys * sizeof key[0][0]) != 0))
            same++;
        assert_int_equal(az_grouper_find(&g, key[i], &group[i]), 0);
        assert_int_equal(group[i], same < i ? group[same] : want);
        want += same == i;
        assert_int_equal(g.n, want);
    }
    az_grouper_release(&g);
}

static void keys_of_any_number(void **state)
{
    (void)state;
    struct az_mem mem;
    az_mem_init(&mem, 0);
    for (size_t keys = 0; keys <= MOST_KEYS; keys++)
        numbers_as_they_appear(&mem, keys, 0);
    numbers_as_they_appear(&mem, 1, 4); /* all bounded, and some beyond the bound */
    numbers_as_they_appear(&mem, 1, 2);
    for (size_t keys = 2; keys <= MOST_KEYS; keys++) /* a bound of several keys is none */
        numbers_as_they_appear(&mem, keys, 4);
    assert_int_equal(mem.used, 0);
}

struct source {
    int fail_at;
    size_t asked;
};

/* Multiples of 5 are in none; the others by their remainders. */
static int key_of(void *ctx, size_t i, uint64_t key[2])
{
    struct source *s = ctx;
    assert_int_equal(i, s->asked++);
    key[0] = i % 3;
    key[1] = i % 2;
    return s->fail_at >= 0 && i == (size_t)s->fail_at ? AZ_ELIMIT : i % 5 != 0;
}

static void items_in_group_order(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_groups g;
    int64_t value[ITEMS], all = 0;
    size_t items = 0;
    az_mem_init(&mem, 0);
    for (size_t i = 0; i < ITEMS; i++)
        value[i] = (int64_t)(i * i);
    assert_int_equal(az_groups_by(&g, ITEMS, key_of, &(struct source){ .fail_at = -1 }, &mem), 0);
    assert_int_equal(g.groups, 6);
    assert_int_equal(az_groups_first(&g, 0), 1);
    assert_int_equal(g.of[0], AZ_NO_ID);
    for (size_t k = 0; k < g.groups; k++) {
        size_t n;
        struct az_stats s;
        const uint32_t *item = az_groups_items(&g, k, &n);
        int64_t sum = 0;
        for (size_t i = 0; i < n; i++) {
            assert_true(i == 0 || item[i] > item[i - 1]);
            assert_int_equal(g.of[item[i]], k);
            assert_int_equal(item[i] % 6, item[0] % 6);
            sum += value[item[i]];
        }
        az_groups_stats(&g, k, value, &s);
        assert_int_equal(s.n, n);
        assert_int_equal(s.sum, sum);
        assert_int_equal(az_groups_sum(&g, k, value), sum);
        items += n;
        all += sum;
    }
    assert_int_equal(items, ITEMS - ITEMS / 5);
    assert_true(all > 0);
    az_groups_release(&g);
    assert_int_equal(mem.used, 0);
}

static void errors_of_keys(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_groups g;
    az_mem_init(&mem, 0);
    assert_int_equal(az_groups_by(&g, ITEMS, key_of, &(struct source){ .fail_at = 7 }, &mem),
                     AZ_ELIMIT);
    az_groups_release(&g);
    assert_int_equal(az_groups_by(&g, 0, key_of, NULL, &mem), 0);
    assert_int_equal(g.groups, 0);
    az_groups_release(&g);
    assert_int_equal(mem.used, 0);
    az_mem_init(&mem, 64);
    assert_true(az_groups_by(&g, ITEMS, key_of, &(struct source){ .fail_at = -1 }, &mem) < 0);
    az_groups_release(&g);
    assert_int_equal(mem.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_any_number),
        cmocka_unit_test(items_in_group_order),
        cmocka_unit_test(errors_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
