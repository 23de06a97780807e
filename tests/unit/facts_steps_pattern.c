/* The pattern of steps, on kernels written as letters: the reference, what agrees with it, copies,
 * what is before and after, and where a step begins. Numbers are those of docs/steps.md 3. */
#include "unit/facts_job.h"

#include <stdio.h>

#include "facts/steps_internal.h"

struct run {
    struct fix *f;
    int64_t at;
    struct az_kernels k;
    struct az_loop l;
    bool good;
};

static void kernel(struct run *r, char letter)
{
    const char name[] = { 'k', letter, 0 };
    add(&r->f->t[0], AZ_KERNEL, letter == 'A' ? "adam_multi_tensor" : name,
        stream_lane(&r->f->t[0], 1, 0, 7), r->at, r->at + 10, 0);
    r->at += 11;
}

/* Each letter is a kernel of 10 ns, 1 ns after the one before; 'A' is one of an optimizer. A blank
 * is a gap of 50 ns more, a '.' one of 20, a '<' a copy to the device that begins with the next
 * kernel; "[ab]3" is "ababab". */
static const char *play(struct run *r, const char *letters)
{
    for (; *letters && *letters != ']'; letters++) {
        const char *end = letters;
        if (*letters == '[') {
            int times = 1;
            for (int i = 0; i < times; i++) {
                end = play(r, letters + 1);
                times = atoi(end + 1);
            }
            letters = end + 1 + (times > 9);
        } else if (*letters == ' ' || *letters == '.') {
            r->at += *letters == ' ' ? 50 : 20;
        } else if (*letters == '<') {
            add(&r->f->t[0], AZ_MEMCPY, "Memcpy HtoD", stream_lane(&r->f->t[0], 1, 0, 9), r->at,
                r->at + 1, 0);
        } else {
            kernel(r, *letters);
        }
    }
    return letters;
}

static struct run begin(void **state) { return (struct run){ .f = *state, .at = 1000 }; }

/* The loop of an anchor: the kernels of one letter. */
static void judge(struct run *r, char letter)
{
    uint32_t lane;
    size_t others;
    make_job(r->f, 1);
    assert_int_equal(az_kernels_lane(&r->f->job, 0, &lane, &others), 0);
    assert_int_equal(az_kernels_make(&r->k, &r->f->job, 0, lane, lane), 0);
    for (uint32_t i = 0; i < r->k.kinds; i++) {
        const struct az_sv name = az_trace_text(r->k.t, r->k.name[i]);
        if (name.n < 2 || name.p[1] != letter || (name.p[0] != 'k' && letter != 'd'))
            continue;
        struct az_anchor a = { .kind = i, .n = az_kernel_count(&r->k, i), .same = 1 };
        assert_int_equal(az_loop_judge(&r->k, &a, &r->l, &r->good), 0);
        for (size_t j = 0; j < r->k.kinds; j++) {
            assert_int_equal(r->k.ref[j], 0);
            assert_int_equal(r->k.used[j], 0);
        }
        return;
    }
    fail();
}

static void end(struct run *r) { az_kernels_release(&r->k); }

/* ---- the sequence ---- */
static void kernels_as_kinds(void **state)
{
    struct run r = begin(state);
    play(&r, "ab ab<c.b");
    judge(&r, 'b');
    assert_int_equal(r.k.n, 6);
    assert_int_equal(r.k.kinds, 3);
    static const uint32_t kind[] = { 0, 1, 0, 1, 2, 1 }, at[] = { 0, 2, 1, 3, 5, 4 };
    static const uint32_t first[] = { 0, 2, 5, 6 };
    static const int64_t gap[] = { 0, 1, 51, 1, 1, 21 };
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(r.k.kind[i], kind[i]);
        assert_int_equal(r.k.at[i], at[i]);
        assert_int_equal(r.k.gap[i], gap[i]);
        assert_int_equal(r.k.busy[i + 1], 10 * (int64_t)(i + 1));
    }
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(r.k.first[i], first[i]);
    assert_int_equal(r.k.copies.n, 1);
    assert_int_equal(r.k.copies.v[0], az_kernel_start(&r.k, 4));
    assert_true(r.k.sum[2] == r.k.sum[4] - r.k.sum[2]);
    assert_true(r.k.sum[2] != r.k.sum[6] - r.k.sum[4]);
    end(&r);
}

/* What is found, in short: the reference and its neighbors, then the steps. */
static const char *found(struct run *r)
{
    static char text[2000];
    struct az_cuts c;
    double inside = 0;
    bool good = false;
    const struct az_loop *l = &r->l;
    az_vec_init(&c, &r->f->mem);
    int n = snprintf(text, sizeof text, "%zu+%zu", l->from, l->len);
    if (r->good)
        n += snprintf(text + n, sizeof text - (size_t)n, " %zu%s %zu%s%s%s%s%s%s:", l->head,
                      l->head_clean ? "c" : "", l->tail, l->tail_clean ? "c" : "",
                      l->optimizer ? " optimizer" : "", l->copies ? " copies" : "",
                      l->nested ? " nested" : "", l->whole ? " whole" : "",
                      l->exact ? " exact" : "");
    if (r->good)
        assert_int_equal(az_loop_cut(&r->k, &r->l, &c, &inside, &good), 0);
    for (size_t i = 0; i < c.n; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %zu-%zu%s", c.v[i].from, c.v[i].end,
                      c.v[i].apart ? "|" : "");
    for (size_t i = 0; i < c.n; i++)
        if (c.v[i].agreement < 1)
            n += snprintf(text + n, sizeof text - (size_t)n, " (%zu: %.3f)", i, c.v[i].agreement);
    if (r->good)
        n += snprintf(text + n, sizeof text - (size_t)n, " at %zu, %.3f%s", l->at, inside,
                      good ? "" : ", no loop");
    az_vec_release(&c);
    return text;
}

static const struct {
    const char *letters, *want;
} cases[] = {
    { "[abcdefghij ]4", "2+10 2c 8c whole exact: 0-10 10-20 20-30 30-40 at 8, 1.000" },
    { "[abcdefghij]4", "2+10 2c 8c whole exact: 0-10 10-20 20-30 30-40 at 8, 1.000" },
    { "efghij [abcdefghij ]3abcd", "8+10 8c 2c whole exact: 0-10 10-20 20-30 30-40 at 2, 1.000" },
    { "xyzw [abcdefghij ]4xyz", "6+10" },
    { "xyzw [abcdeAghij ]4xyz",
      "6+10 6 11 optimizer: 0-10 10-20 20-30 30-40 (0: 0.600) at 4, 0.851" },
    { "xyzw [<abcdefghij ]4xyz", "6+10 6 11 copies: 4-14 14-24 24-34 34-44 at 8, 0.851" },
    { "abcdefghij abcdefghix [abcdefghij ]3",
      "22+10 2c 8c whole exact: 0-10 10-20 20-30 30-40 40-50 (1: 0.900) at 8, 1.000" },
    { "abcdefghij abcdefghxx [abcdefghij ]3",
      "22+10 2c 8c whole exact: 0-10 10-20 20-30 30-40 40-50 (1: 0.800) at 8, 1.000" },
    { "[abcdefghij ]3tt [abcdefghij ]2",
      "2+10 2c 8c whole exact: 0-10 10-20 20-30| 32-42 42-52 at 8, 0.962" },
    { "[abcdefghij ]3t [abcdefghij ]2",
      "2+10 2c 8c whole exact: 0-10 10-20 20-31 31-41 41-51 (2: 0.909) at 8, 1.000" },
    { "x[abcdA]4xyz", "3+5 3 6 optimizer: 1-6 6-11 11-16 16-21 at 3, 0.833" },
    { "[defghij abc.]4d", "9+10 9c 2c: 7-17 17-27 27-37 at 8, 1.000" },
    { "xyz[<abcdefghij]10abcdefghijyz",
      "5+10 5 10 copies: 5-15 15-25 25-35 35-45 45-55 55-65 65-75 75-85 85-95 95-105 at 0, 0.870" },
    { "xyz[<abcdefghij]9[abcdefghij]2yz", "5+10" },
    { "xyz[ab<cdefghij]10abcdefghijyz",
      "5+10 5 10 copies: 5-15 15-25 25-35 35-45 45-55 55-65 65-75 75-85 85-95 95-105 at 0, 0.870" },
    { "xyz[abc<defghij]9[abcdefghij]2yz",
      "5+10 5 10 copies: 5-15 15-25 25-35 35-45 45-55 55-65 65-75 75-85 85-95 95-105 at 0, 0.870" },
    { "xyz[abc<defghij]8[abcdefghij]3yz", "5+10" },
    { "1[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXY]4",
      "3+50 3 48c whole: 1-51 51-101 101-151 151-201 at 48, 0.995" },
    { "[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXY]4 1",
      "2+50 2c 49 whole: 2-52 52-102 102-152 152-201 (3: 0.960) at 0, 1.000" },
    { "WX1Y[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXY]3abcde",
      "6+50 6c 3c: 9-59 59-109 109-159 at 3, 1.000" },
    { "[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXY]3abcd1", "2+50" },
    { "VW1X[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWX]3abcde", "6+49" },
    { "[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWX]3abcd1", "2+49" },
    { "a1bc[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXY]3",
      "56+50 3c 48c whole: 4-54 54-104 104-154 at 48, 1.000" },
    { "123[mpq[gbdef]4cs]4mpq", "26+25 26 5c nested: 6-31 31-56 56-81 81-106 at 5, 0.943" },
    { "123[mpq[gbdef]3cs]4mpq", "21+20" },
    { "123[mpq[gbde]5cs]4mpq", "26+25" },
    { "mpq[gbdef]4cs[mpq[gbdef]4cs]4mpq13", "23+25" },
    { "[cbbb]5", "0+4" },
    { "[cbab]5", "0+4 0c 4c whole exact: 0-4 4-8 8-12 12-16 16-20 at 0, 1.000" },
    { "[abcdefghij ]2abxdefghij [abcdefghij ]3",
      "32+10 2c 8c whole exact: 0-10 10-20 20-30 30-40 40-50 50-60 (2: 0.900) at 8, 1.000" },
    { "[abcdefghij ]2abxyefghij [abcdefghij ]3",
      "32+10 2c 8c whole exact: 0-10 10-20| 30-40 40-50 50-60 at 8, 0.833" },
    { "[bcdAeAfghijklmnopqrstu]4",
      "1+22 1c 21c optimizer whole exact: 0-22 22-44 44-66 66-88 at 21, 1.000" },
    { "[bcdAe fAghijklmnopqrst]4",
      "1+21 1c 20c optimizer whole exact: 0-21 21-42 42-63 63-84 at 20, 1.000" },
    { "[cdefghijklmnopqrsA<b ]4",
      "0+19 0c 19c optimizer copies whole exact: 0-19 19-38 38-57 57-76 at 0, 1.000" },
    { "[cdefghijklmnopqrsAb tu]4",
      "0+21 0c 21c optimizer whole exact: 0-21 21-42 42-63 63-84 at 0, 1.000" },
    { "[cdefghijklmnopqrsAbtu v]4",
      "0+22 0c 22c optimizer whole exact: 0-22 22-44 44-66 66-88 at 0, 1.000" },
    { "xyz[<abcdefghij<abcyxwvuts]7[<abcdefghij]7",
      "145+10 5 8c copies: 3-13 13-23 23-33 33-43 43-53 53-63 63-73 73-83 83-93 93-103 103-113 "
      "113-123 123-133 133-143 143-153 153-163 163-173 173-183 183-193 193-203 203-213 (1: 0.300) "
      "(3: 0.300) (5: 0.300) (7: 0.300) (9: 0.300) (11: 0.300) (13: 0.300) at 8, 0.986" },
    { "xyz[<abcdefghij<abcyxwvuts]8[<abcdefghij]5", "165+10" },
    { "fghij.[abcde fghij.]4abcde",
      "7+10 7c 3c whole exact: 0-10 10-20 20-30 30-40 40-50 at 3, 1.000" },
    { "fghij [abcde.fghij ]4abcde",
      "7+10 7c 3c whole exact: 0-10 10-20 20-30 30-40 40-50 at 3, 1.000" },
    { "ghij.[abcde fghij.]4abcde",
      "6+10 6c 3c: 0-9 9-19 19-29 29-39 39-49 (0: 0.900) at 3, 1.000" },
    { "fghij.[abcde.fghij.]4abcd",
      "7+10 7c 2c: 0-10 10-20 20-30 30-40 40-49 (4: 0.900) at 3, 1.000" },
    { "fgh ij [abcde.fgh.ij ]4abcde",
      "7+10 7c 3c whole exact: 0-10 10-20 20-30 30-40 40-50 at 3, 1.000" },
    { "[cabdefghij]4c", "0+10 0c 1c: 1-11 11-21 21-31 31-41 at 1, 1.000" },
    { "1[abcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWX]4", "3+49" },
    { "yz[bcdAeAfghijklmnopqrstu]4yz",
      "3+22 3 23 optimizer: 8-30 30-52 52-74 at 5, 0.717, no loop" },
    { "yz[bcdAe fAghijklmnopqrst]4yz",
      "3+21 3 22 optimizer: 9-30 30-51 51-72 at 6, 0.716, no loop" },
    { "yz[cdefghijklmnopqrsA<b ]4yz",
      "2+19 2 21 optimizer copies: 2-21 21-40 40-59 59-80 (3: 0.905) at 0, 0.975" },
    { "yz[cdefghijklmnopqrsAb tu]4yz",
      "2+21 2 23 optimizer: 0-21 21-42 42-63 63-84 (0: 0.905) at 19, 0.955" },
    { "yz[cdefghijklmnopqrsAbtu v]4yz",
      "2+22 2 24 optimizer: 0-20 20-42 42-64 64-86 (0: 0.818) at 18, 0.935" },
    { "yz[cdefghijklmnopqrsAb tu.]4cdefghijklmnopqrsAb",
      "2+21 2 19c optimizer: 0-21 21-42 42-63 63-84 84-105 (0: 0.905) at 19, 1.000" },
    { "yz[cdefghijklmnopqrsAb.tu ]4cdefghijklmnopqrsAb tu",
      "2+21 2 21c optimizer: 0-21 21-42 42-63 63-84 84-105 (0: 0.905) at 19, 1.000" },
    { "yz[cdefghijklmnopqrsAb tuv]4cdefghijklmnopqrsAb tuv",
      "2+22 2 22c optimizer: 0-21 21-43 43-65 65-87 87-109 (0: 0.864) at 19, 1.000" },
    { "xyz[<abcde fghij.]4<abcde", "5+10 5 3c copies: 8-18 18-28 28-38 38-48 at 3, 0.833" },
    { "xyz[<abcde.fghij ]4<abcde", "5+10 5 3c copies: 3-13 13-23 23-33 33-43 at 8, 0.938" },
    { "xyz[<abcde fghij ]4<abcdefg", "5+10 5 5c copies: 8-18 18-28 28-38 38-48 at 3, 0.840" },
    { "xyz[<abcde..fghij ]4<abcde", "5+10 5 3c copies: 8-18 18-28 28-38 38-48 at 3, 0.833" },
    { "xyz[<abcde. .fghij ]4<abcde", "5+10 5 3c copies: 8-18 18-28 28-38 38-48 at 3, 0.833" },
    { "xyz[<abcdefghij]4<abcde", "5+10 5 3c copies: 8-18 18-28 28-38 38-48 at 3, 0.833" },
    { "[cabdefghij]4", "0+10 0c 10c whole exact: 0-10 10-20 20-30 30-40 at 0, 1.000" },
    { "[abcdefghij ]3abcdefghijk lmnopq [abcdefghij ]3",
      "2+10 2c 8c whole exact: 0-10 10-20 20-30 30-40| 47-57 57-67 67-77 at 8, 0.909" },
    { "[abcdefghij ]3abcdex [abcdefghij ]3",
      "2+10 2c 8c whole exact: 0-10 10-20 20-30 30-36 36-46 46-56 56-66 (3: 0.500) at 8, 1.000" },
    { "[abcdefghij ]3acbdefghij [abcdefghij ]3abcde",
      "42+10 2c 3c: 0-10 10-20 20-30 30-40 40-50 50-60 60-70 at 8, 1.000" },
    { "xy[abcdefghij ]3z[abcdefghij ]3abcdefgxy", "4+10" }
};

/* Loops of one anchor, the kernel c. A lower case c after a count: clean, all kernels are of the
 * reference. A bar: the step does not reach to the next one. */
static void loops_of_an_anchor(void **state)
{
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        void *own;
        setup(&own);
        struct run r = begin(&own);
        play(&r, cases[i].letters);
        judge(&r, 'c');
        const char *got = found(&r);
        if (!*cases[i].want)
            printf("@@ %s\n", got);
        else
            assert_string_equal(got, cases[i].want);
        end(&r);
        assert_int_equal(teardown(&own), 0);
    }
}

/* The steps of a whole run: the first begins with the first kernel, times of kernels are in ns. */
static const char *steps_of(struct run *r)
{
    static char text[2000];
    int rc;
    make_job(r->f, 1);
    const struct az_steps *s = az_job_steps(&r->f->job, 0, &rc);
    assert_non_null(s);
    int n = snprintf(text, sizeof text, "%zu", s->n);
    if (s->n)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      " of %.*s, %.3f, %.3f inside, period %ld:", AZ_SVF(s->mark), s->agreement,
                      s->inside, (long)s->period);
    for (size_t i = 0; i < s->n; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %ld-%ld", (long)s->v[i].start - 1000,
                      (long)s->v[i].end - 1000);
    return text;
}

static const struct {
    const char *letters, *want;
} loops[] = {
    { "[abcdefghij ]2", "0" },
    { "[abcdefghij ]3", "3 of ka, 1.000, 1.000 inside, period 160: 0-160 160-320 320-429" },
    { "[abc ]4", "0" },
    { "[abcd ]3", "3 of ka, 1.000, 1.000 inside, period 94: 0-94 94-188 188-231" },
    { "[abcdeAghij ]5",
      "5 of ka, 1.000, 1.000 inside, period 160: 0-160 160-320 320-480 480-640 640-749" },
    { "[[abcde]4xyA ]4",
      "4 of ka, 1.000, 1.000 inside, period 303: 0-303 303-606 606-909 909-1161" },
    { "[[abcde ]4xy]4",
      "4 of ka, 1.000, 1.000 inside, period 442: 0-442 442-884 884-1326 1326-1767" },
    { "xyz[[<abcdefgh ]3tuv]4<xyz", "0" },
    { "[[<abcdefghA ]3tuv]4",
      "4 of ka, 1.000, 1.000 inside, period 480: 0-480 480-960 960-1440 1440-1919" },
    { "[[<abcdefghA ]2tuv]4",
      "4 of ka, 1.000, 1.000 inside, period 331: 0-331 331-662 662-993 993-1323" },
    { "[[<abcdefgh ]2tu<v]4",
      "4 of ka, 1.000, 1.000 inside, period 309: 0-309 309-618 618-927 927-1235" },
    { "qrs[abcdefghij]6xyz", "0" },
    { "[abcdefghij]3[abxdefghij]2[abcdefghij]3",
      "8 of ka, 1.000, 1.000 inside, period 110: 0-110 110-220 220-330 330-440 440-550 550-660 "
      "660-770 770-879" },
    { "abcdefghij abcdefghij abcdefghi abcdefghij abcdefghij",
      "5 of ka, 1.000, 1.000 inside, period 160: 0-160 160-320 320-469 469-629 629-738" },
    { "xyz[<abcdefghij]10<abcdefghijyz",
      "11 of ka, 1.000, 0.957 inside, period 110: 33-143 143-253 253-363 363-473 473-583 583-693 "
      "693-803 803-913 913-1023 1023-1133 1133-1242" },
    { "[aabcdefghij ]4",
      "4 of ka, 1.000, 1.000 inside, period 171: 0-171 171-342 342-513 513-633" },
    { "[abcdefghij ]3[abcdefghijkl ]3", "0" },
    { "[acbdefghij abcdefghij ]4", "8 of ka, 1.000, 1.000 inside, period 160: 0-160 160-320 "
                                   "320-480 480-640 640-800 800-960 960-1120 1120-1229" },
    { "[abcdefghij ]4zzzzzzzzzzz", "0" },
    { "[abcdefghij ]4zzzzzzzzzzzzz", "0" },
    { "abcdefghij    .abcdefghij  abcdefghij ..abcdefghij abcdefghij",
      "5 of ka, 1.000, 1.000 inside, period 205: 0-330 330-540 540-740 740-900 900-1009" },
    { "[abcdefghij ]3    [abcdefghij ]3       [abcdefghij]2", "0" },
    { "b[acbdefghij]5a",
      "5 of kc, 1.000, 1.000 inside, period 110: 22-132 132-242 242-352 352-462 462-571" }
};

static void steps_of_a_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(loops); i++) {
        void *own;
        setup(&own);
        struct run r = begin(&own);
        play(&r, loops[i].letters);
        const char *got = steps_of(&r);
        if (!*loops[i].want)
            printf("## %s\n", got);
        else
            assert_string_equal(got, loops[i].want);
        assert_int_equal(teardown(&own), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernels_as_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(loops_of_an_anchor, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_of_a_run, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
