/* Iterations of a loop without annotations (formats/pytorch/pytorch_loop.h): which calls repeat,
 * and whose they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/pytorch/pytorch_loop.h"

#define ROOT 1000u /* the name of a caller; calls have letters */

struct fixture {
    struct az_mem mem;
    struct az_pytorch_loop loop;
    struct az_pytorch_step_list steps;
};

static void fixture_open(struct fixture *f)
{
    az_mem_init(&f->mem, 0);
    az_pytorch_loop_init(&f->loop, &f->mem);
    az_vec_init(&f->steps, &f->mem);
}

static void fixture_close(struct fixture *f)
{
    az_pytorch_loop_release(&f->loop);
    az_vec_release(&f->steps);
}

static void add(struct fixture *f, uint32_t name, int64_t start, int64_t end, uint64_t corr)
{
    const struct az_pytorch_call c = {
        .start = start, .end = end, .tid = 1, .corr = corr, .name = name, .parent = AZ_NO_ROW
    };

    assert_int_equal(az_vec_push(&f->loop.calls, c), 0);
}

/* Calls of 10 ns from a time on, the first with device work 7. */
static void add_row(struct fixture *f, const char *names, int64_t from)
{
    for (size_t i = 0; names[i]; i++)
        add(f, (unsigned char)names[i], from + 10 * (int64_t)i, from + 10 * (int64_t)i + 10,
            i ? AZ_PYTORCH_NO_CORR : 7);
}

static void find(struct fixture *f)
{
    assert_int_equal(az_vec_push(&f->loop.device_ids, 7), 0);
    assert_int_equal(az_pytorch_loop_find(&f->loop, &f->steps), 0);
}

/* The iterations of a row of calls as text: those of each, separated by blanks. */
static const char *iterations_of(const char *names, bool called, char out[64])
{
    struct fixture f;
    size_t n = 0;

    fixture_open(&f);
    add_row(&f, names, 0);
    if (called)
        add(&f, ROOT, -5, 10 * (int64_t)strlen(names) + 5, AZ_PYTORCH_NO_CORR);
    find(&f);
    for (size_t i = 0; i < f.steps.n; i++) {
        const struct az_pytorch_step *s = &f.steps.v[i];
        assert_false(s->named);
        assert_int_equal(s->counts.generation_requests, 1);
        assert_int_equal(s->counts.tokens, 1);
        for (int64_t at = s->start; at < s->end; at += 10)
            out[n++] = names[at / 10];
        out[n++] = ' ';
    }
    out[n] = '\0';
    if (f.steps.n) {
        assert_int_equal(f.loop.caller, called ? ROOT : AZ_NO_ROW);
        assert_true(f.loop.length > 0);
    }
    fixture_close(&f);
    return out;
}

static void repeats(void **state)
{
    static const struct {
        const char *names, *wanted;
    } cases[] = {
        { "ababab", "ab ab ab " },
        { "abab", "" },              /* twice only */
        { "xyababab", "ab ab ab " }, /* what comes before is skipped */
        { "abababx", "ab ab ab " },  /* the last one ends with b */
        { "aaa", "a a a " },
        { "aaaaaa", "a a a a a a " },          /* not aa */
        { "abababcdefgh", "" },                /* half of the calls */
        { "abababcdefg", "ab ab ab " },        /* more than half */
        { "abacabacabac", "abac abac abac " }, /* a occurs twice in it: whole ones only */
        { "abacabacabacabxc", "abac abac abac " },
        { "abababaxbab", "ab ab ab axb ab " }, /* other calls between its ends */
        { "abababaab", "ab ab ab ab " },       /* an a without its b is none */
        { "abcabcabcab", "abc abc abc " },
    };
    char out[64];

    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        assert_string_equal(iterations_of(cases[i].names, true, out), cases[i].wanted);
        assert_string_equal(iterations_of(cases[i].names, false, out), cases[i].wanted);
    }
}

/* A caller nearer to the root first, of those the earlier one; callers without device work never.
 */
static void callers(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    add(&f, ROOT, 0, 1000, AZ_PYTORCH_NO_CORR);
    add(&f, ROOT + 1, 0, 100, AZ_PYTORCH_NO_CORR);
    add(&f, 'a', 10, 20, AZ_PYTORCH_NO_CORR);
    add(&f, 'a', 20, 30, AZ_PYTORCH_NO_CORR);
    add(&f, 'a', 30, 40, AZ_PYTORCH_NO_CORR);
    add(&f, ROOT + 2, 100, 200, AZ_PYTORCH_NO_CORR);
    add(&f, ROOT + 3, 110, 200, AZ_PYTORCH_NO_CORR);
    add_row(&f, "bbb", 120);
    add(&f, ROOT + 4, 300, 400, AZ_PYTORCH_NO_CORR);
    add_row(&f, "ccc", 310);
    add(&f, ROOT + 5, 400, 500, AZ_PYTORCH_NO_CORR);
    add_row(&f, "ddd", 410);
    find(&f);
    assert_int_equal(f.loop.caller, ROOT + 4);
    assert_int_equal(f.loop.length, 1);
    assert_int_equal(f.steps.n, 3);
    assert_int_equal(f.steps.v[0].start, 310);
    assert_int_equal(f.steps.v[2].end, 340);
    assert_int_equal(f.steps.v[0].tid, 1);
    fixture_close(&f);
}

/* Outermost calls only where no caller has any that repeat, and only of threads with device work;
 * nothing at all is an empty list. */
static void threads(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    add_row(&f, "aaa", 0);
    add(&f, ROOT, 100, 200, AZ_PYTORCH_NO_CORR);
    add_row(&f, "bbb", 110);
    find(&f);
    assert_int_equal(f.loop.caller, ROOT);
    fixture_close(&f);

    fixture_open(&f);
    for (int i = 0; i < 3; i++)
        add(&f, 'a', 10 * i, 10 * i + 10, AZ_PYTORCH_NO_CORR);
    find(&f);
    assert_int_equal(f.steps.n, 0);
    assert_int_equal(f.loop.length, 0);
    fixture_close(&f);

    fixture_open(&f);
    find(&f);
    assert_int_equal(f.steps.n, 0);
    fixture_close(&f);
}

/* A frame that begins in another one and ends 1 us or more after it is no caller; an operator is.
 */
static void misplaced(void **state)
{
    static const struct {
        int64_t ends_in; /* of the frame around its begin, ns later */
        bool frame, kept;
    } cases[] = { { 999, true, true }, { 1000, true, false }, { 1000, false, true } };

    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        fixture_open(&f);
        add(&f, ROOT, 0, 9000, AZ_PYTORCH_NO_CORR);
        add(&f, 'x', 10, 20 + cases[i].ends_in, AZ_PYTORCH_NO_CORR);
        add(&f, ROOT + 1, 20, 5000, AZ_PYTORCH_NO_CORR);
        f.loop.calls.v[2].frame = cases[i].frame;
        add_row(&f, "ababab", 2000);
        add_row(&f, "ab", 6000);
        find(&f);
        assert_int_equal(f.steps.n, cases[i].kept ? 3 : 4);
        fixture_close(&f);
    }
}

/* A sequence of as many calls as are compared, and one of more. */
static void longest(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        struct fixture f;
        const uint32_t n = AZ_PYTORCH_LOOP_LONGEST + more;
        fixture_open(&f);
        for (uint32_t i = 0; i < 3 * n; i++)
            add(&f, i % n, 10 * i, 10 * i + 10, i ? AZ_PYTORCH_NO_CORR : 7);
        find(&f);
        assert_int_equal(f.steps.n, more ? 0 : 3);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(repeats), cmocka_unit_test(callers),
                                        cmocka_unit_test(threads), cmocka_unit_test(misplaced),
                                        cmocka_unit_test(longest) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
