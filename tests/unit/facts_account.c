/* The account of device time against a count of every tick, in order and out of order, whole and in
 * windows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "facts/account.h"

#define SPAN 300

static void one_count(const uint8_t bits[SPAN], int64_t lo, int64_t hi, const struct az_account *a)
{
    int64_t n[16] = { 0 };
    for (int64_t x = lo; x < hi; x++)
        n[bits[x]]++;
    assert_int_equal(a->total, hi - lo);
    assert_int_equal(a->idle, n[0]);
    assert_int_equal(a->busy, hi - lo - n[0]);
    assert_int_equal(a->compute, n[1] + n[3] + n[5] + n[7] + n[9] + n[11] + n[13] + n[15]);
    assert_int_equal(a->comm, n[2] + n[3] + n[6] + n[7] + n[10] + n[11] + n[14] + n[15]);
    assert_int_equal(a->copies, n[4] + n[5] + n[6] + n[7] + n[12] + n[13] + n[14] + n[15]);
    assert_int_equal(a->exposed_comm, n[2] + n[6] + n[10] + n[14]);
    assert_int_equal(a->exposed_copies, n[4] + n[12]);
    assert_int_equal(a->other, n[8]);
    assert_int_equal(a->compute + a->exposed_comm + a->exposed_copies + a->other + a->idle,
                     a->total);
}

static void agrees_with_ticks(void **state)
{
    (void)state;
    struct az_mem mem;
    az_mem_init(&mem, 0);
    srand(7);
    for (int round = 0; round < 200; round++) {
        uint8_t bits[SPAN] = { 0 };
        int64_t first = SPAN, last = 0, at = 0;
        struct az_busy b;
        struct az_account a;
        az_busy_init(&b, &mem);
        for (int i = 0; i < 20; i++) {
            const int64_t start = round % 2 ? rand() % 250 : (at += rand() % 12),
                          end = start + rand() % 40;
            const enum az_part part = rand() % 4;
            assert_int_equal(az_busy_add(&b, part, start, end), 0);
            first = start < first ? start : first;
            last = end > last ? end : last;
            for (int64_t x = start; x < end; x++)
                bits[x] |= (uint8_t)(1u << part);
        }
        assert_int_equal(az_busy_close(&b), 0);
        az_account_of(&b, NULL, 0, &a);
        assert_int_equal(a.events, 20);
        assert_int_equal(a.first, first);
        assert_int_equal(a.last, last);
        one_count(bits, first, last, &a);
        for (int k = 0; k < 10; k++) {
            const int64_t lo = rand() % 200, hi = lo + rand() % 100;
            az_account_of(&b, &(struct az_span){ lo, hi }, 0, &a);
            one_count(bits, lo, hi, &a);
        }
        az_busy_release(&b);
    }
    assert_int_equal(mem.used, 0);
}

/* The account of a window is the same with the sums of an index and without. */
static void index_agrees(void **state)
{
    (void)state;
    enum { EVENTS = 6000, LIMIT = 5 };
    struct az_mem mem;
    az_mem_init(&mem, 0);
    srand(11);
    for (int round = 0; round < 6; round++) {
        struct az_busy b;
        int64_t at = 0;
        az_busy_init(&b, &mem);
        for (int i = 0; i < EVENTS; i++) {
            const int64_t start = at += rand() % 12, end = start + rand() % (round % 3 ? 9 : 3);
            assert_int_equal(az_busy_add(&b, rand() % (1 + round % 4 + 1) % 4, start, end), 0);
        }
        assert_int_equal(az_busy_close(&b), 0);
        struct az_busy indexed = b;
        assert_int_equal(az_busy_index(&indexed, LIMIT), 0);
        assert_true(indexed.part_sums.n > 2 && indexed.busy_sums.n > 2);
        for (int k = 0; k < 400; k++) {
            const int64_t lo = k % 9 ? rand() % at : b.all.v[(size_t)rand() % b.all.n].start,
                          hi = k % 7 ? rand() % (at + 50) : b.all.v[(size_t)rand() % b.all.n].end;
            const struct az_span window = { lo < hi ? lo : hi, lo < hi ? hi : lo };
            struct az_account plain, quick;
            az_account_of(&b, &window, LIMIT, &plain);
            az_account_of(&indexed, &window, LIMIT, &quick);
            assert_memory_equal(&plain, &quick, sizeof plain);
        }
        az_busy_release(&indexed);
    }
    assert_int_equal(mem.used, 0);
}

static void short_gaps(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_busy b;
    struct az_account a;
    az_mem_init(&mem, 0);
    az_busy_init(&b, &mem);
    assert_int_equal(az_busy_add(&b, AZ_PART_COMPUTE, 10, 20), 0);
    assert_int_equal(az_busy_add(&b, AZ_PART_COPY, 25, 30), 0);
    assert_int_equal(az_busy_add(&b, AZ_PART_COMPUTE, 80, 90), 0);
    assert_int_equal(az_busy_close(&b), 0);
    az_account_of(&b, NULL, 6, &a);
    assert_int_equal(a.idle, 55);
    assert_int_equal(a.micro, 5);
    az_account_of(&b, &(struct az_span){ 0, 100 }, 6,
                  &a); /* before the first and after the last is no gap */
    assert_int_equal(a.idle, 75);
    assert_int_equal(a.micro, 5);
    az_account_extend(&a, 200);
    assert_int_equal(a.total, 200);
    assert_int_equal(a.idle, 175);
    az_account_extend(&a, 0);
    assert_int_equal(a.total, 200);
    az_busy_reset(&b);
    az_account_of(&b, NULL, 6, &a);
    assert_int_equal(a.total, 0);
    assert_int_equal(a.events, 0);
    az_busy_release(&b);
    assert_int_equal(mem.used, 0);
}

/* Added up as they come: the account that merged lists give, at every moment. */
static void tallied_as_listed(void **state)
{
    uint64_t seed = 9;
    (void)state;
    for (int round = 0; round < 400; round++) {
        struct az_busy busy;
        struct az_tally tally;
        int64_t at = round % 3 - 1;
        const int64_t micro = round % 7;
        az_busy_init(&busy, NULL);
        az_tally_init(&tally, micro);
        for (int i = 0; i < round % 60; i++) {
            struct az_account listed, tallied;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const enum az_part part = (enum az_part)((seed >> 33) % (round % 2 ? 4 : 3));
            at += (int64_t)(seed >> 40) % 5;
            const int64_t end = at + (int64_t)(seed >> 50) % 9;
            assert_int_equal(az_busy_add(&busy, part, at, end), 0);
            az_tally_add(&tally, part, at, end);
            assert_int_equal(az_busy_close(&busy), 0);
            az_account_of(&busy, NULL, micro, &listed);
            az_tally_account(&tally, &tallied);
            assert_memory_equal(&listed, &tallied, sizeof listed);
        }
        az_busy_release(&busy);
    }
}

/* Cut to windows that follow each other as they come (facts/accounts.c): what lists give for each.
 */
static void cut_as_listed(void **state)
{
    enum { WINDOWS = 6, WIDTH = 7 };
    uint64_t seed = 4;
    (void)state;
    for (int round = 0; round < 400; round++) {
        struct az_busy busy;
        struct az_tally tally[WINDOWS];
        int64_t at = -3;
        const int64_t micro = round % 4;
        az_busy_init(&busy, NULL);
        for (int w = 0; w < WINDOWS; w++)
            az_tally_init(&tally[w], micro);
        for (int i = 0; i < 40; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const enum az_part part = (enum az_part)((seed >> 33) % 4);
            at += (int64_t)(seed >> 40) % 4;
            const int64_t end = at + (int64_t)(seed >> 50) % 12;
            assert_int_equal(az_busy_add(&busy, part, at, end), 0);
            for (int w = 0; w < WINDOWS; w++) {
                const int64_t lo = w * WIDTH, hi = lo + WIDTH - w % 2;
                if (at < hi && end > lo)
                    az_tally_add(&tally[w], part, at > lo ? at : lo, end < hi ? end : hi);
            }
        }
        assert_int_equal(az_busy_close(&busy), 0);
        for (int w = 0; w < WINDOWS; w++) {
            const struct az_span window = { w * WIDTH, w * WIDTH + WIDTH - w % 2 };
            struct az_account listed, cut;
            az_account_of(&busy, &window, micro, &listed);
            az_tally_account(&tally[w], &cut);
            assert_int_equal(listed.compute, cut.compute);
            assert_int_equal(listed.comm, cut.comm);
            assert_int_equal(listed.copies, cut.copies);
            assert_int_equal(listed.busy, cut.busy);
            assert_int_equal(listed.other, cut.other);
            assert_int_equal(listed.micro, cut.micro);
            assert_int_equal(listed.exposed_comm, cut.exposed_comm);
            assert_int_equal(listed.exposed_copies, cut.exposed_copies);
        }
        az_busy_release(&busy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agrees_with_ticks),
                                        cmocka_unit_test(index_agrees),
                                        cmocka_unit_test(tallied_as_listed),
                                        cmocka_unit_test(cut_as_listed),
                                        cmocka_unit_test(short_gaps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
