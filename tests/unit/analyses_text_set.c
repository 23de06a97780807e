/* Texts stored once each: numbers of them, long ones without a copy, a budget that ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/operators/text_set.h"

enum { LARGE = 300 * 1024 };

static void equal_texts_are_one(void **state)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_text_set set;
    const char *first[1000];
    char text[32];
    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_text_set_init(&set, &arena);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            const int n = snprintf(text, sizeof text, "kernel %d", i);
            const struct az_sv kept = az_text_set_add(&set, az_sv_make(text, (size_t)n));
            assert_string_equal(kept.p, text);
            assert_int_equal(kept.n, n);
            if (round == 0)
                first[i] = kept.p;
            assert_ptr_equal(kept.p, first[i]);
        }
    assert_int_equal(set.n, 1000);
    assert_int_equal(az_text_set_add(&set, AZ_SV("")).n, 0);
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

static void fill(struct az_vec_char *text, char letter)
{
    static char part[1024];
    memset(part, letter, sizeof part);
    az_text_set_begin(text);
    for (int i = 0; i < LARGE / 1024; i++)
        az_text_add(text, az_sv_make(part, sizeof part));
    assert_int_equal(az_vec_error(text), 0);
}

static void long_texts_are_not_copied(void **state)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_text_set set;
    struct az_vec_char text;
    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_text_set_init(&set, &arena);
    az_vec_init(&text, &mem);
    (void)az_text_set_add(&set, AZ_SV("short"));
    fill(&text, 'a');
    const struct az_sv a = az_text_set_end(&set, &text);
    assert_int_equal(a.n, LARGE);
    assert_int_equal(a.p[0], 'a');
    assert_int_equal(a.p[LARGE - 1], 'a');
    assert_int_equal(a.p[LARGE], '\0');
    assert_int_equal(text.n, 0);
    assert_true(mem.used < LARGE + 32 * 1024);
    fill(&text, 'a');
    assert_ptr_equal(az_text_set_end(&set, &text).p, a.p);
    fill(&text, 'b');
    const struct az_sv b = az_text_set_end(&set, &text);
    assert_int_equal(b.p[LARGE - 1], 'b');
    assert_int_equal(a.p[LARGE - 1], 'a');
    az_text_set_begin(&text);
    az_text_add(&text, AZ_SV("short"));
    assert_string_equal(az_text_set_end(&set, &text).p, "short");
    assert_int_equal(set.n, 3);
    az_vec_release(&text);
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

static void without_memory(void **state)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_text_set set;
    char text[32];
    int kept = 0;
    (void)state;
    az_mem_init(&mem, 64 * 1024);
    az_arena_init(&arena, &mem);
    az_text_set_init(&set, &arena);
    for (; kept < 100000; kept++) {
        const int n = snprintf(text, sizeof text, "kernel %d", kept);
        if (!az_text_set_add(&set, az_sv_make(text, (size_t)n)).p)
            break;
    }
    assert_in_range(kept, 100, 99999);
    assert_string_equal(az_text_set_add(&set, AZ_SV("kernel 7")).p, "kernel 7");
    assert_int_equal(az_arena_error(&arena), AZ_ELIMIT);
    az_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_are_one),
        cmocka_unit_test(long_texts_are_not_copied),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
