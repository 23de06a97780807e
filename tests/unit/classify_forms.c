/* Forms of names, which differ in numbers alone: what holds for all names of one, and what does
 * not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "classify/kernels.h"
#include "classify/rule_cache.h"

/* Are the answers for names together those for each alone? */
static void check_together(const char *const *name, size_t n, const struct az_user_names *user)
{
    struct az_kernel_rules *rules = az_kernel_rules_new(user, NULL);
    struct az_sv text[64];
    uint8_t wanted[64];
    struct az_arena a;
    struct az_name_classes c;
    az_arena_init(&a, NULL);
    for (size_t i = 0; i < n; i++)
        text[i] = az_sv_str(name[i]);
    memset(wanted, 1, n);
    assert_int_equal(az_name_classes_make(&c, text, wanted, n, user, &a, NULL), 0);
    for (uint32_t i = 0; i < n; i++) {
        const struct az_kernel_class *want = az_kernel_class_of(rules, text[i]),
                                     *got = az_name_class(&c, i);
        if (!az_sv_eq(got->name, want->name) || got->copies != want->copies)
            fail_msg("%s: got %.*s, want %.*s", name[i], AZ_SVF(got->name), AZ_SVF(want->name));
    }
    az_arena_release(&a);
    az_kernel_rules_free(rules, NULL);
}

/* Names that differ in numbers: of one class, unless the number is part of a word, of a mangled
 * name, or of what the user asks for. */
static void names_of_numbers(void **state)
{
    static const char *const name[] = { "fusion.1",
                                        "fusion.2",
                                        "loop_add_fusion_3",
                                        "loop_add_fusion_44",
                                        "add 2",
                                        "add2",
                                        "add3",
                                        "copy-start.1",
                                        "copy-start.27",
                                        "copy-start1",
                                        "12",
                                        "13",
                                        "gemm_16Nccl",
                                        "gemm_17Nccl",
                                        "conv2d",
                                        "conv_2d",
                                        "conv_3d",
                                        "conv3d",
                                        "void k<float, (int)1>(float const*)",
                                        "void k<float, (int)2>(float const*)",
                                        "void k<float, (int)2>(float const*) 3",
                                        "_ZN4gemm2xxEv",
                                        "_ZN2ge4mmxxEv",
                                        "fp8 8 gemm",
                                        "fp16 8 gemm",
                                        "fp8 16 gemm",
                                        "step 7 of 9",
                                        "step 8 of 9",
                                        "step 7 of 10",
                                        "part 7",
                                        "part 8",
                                        "part 71" };
    struct az_class_rules map;
    (void)state;
    check_together(name, AZ_LENGTH(name), &(struct az_user_names){ .map = NULL });
    az_vec_init(&map, NULL);
    check_together(name, AZ_LENGTH(name), &(struct az_user_names){ .map = &map });
    assert_int_equal(az_vec_push(&map, ((struct az_class_rule){ AZ_SV("step 7"), AZ_SV("step 7"),
                                                                AZ_SV("nccl") })),
                     0);
    check_together(name, AZ_LENGTH(name), &(struct az_user_names){ .map = &map });
    check_together(name, AZ_LENGTH(name),
                   &(struct az_user_names){ .collectives = AZ_SV("part7=x 7=allreduce") });
    az_vec_release(&map);
}

/* Which rules hold for a form of names. */
static void forms(void **state)
{
    static const struct {
        enum az_rule_how how;
        const char *one, *without;
        bool allow;
    } rule[] = {
        { AZ_RULE_WORDS, "gemm add2 *x4* conv_2d ^to_*", "", true },
        { AZ_RULE_WORDS, "gemm conv_2", "", false },
        { AZ_RULE_WORDS, "12*", "", false },
        { AZ_RULE_WORDS, "**", "", false },
        { AZ_RULE_WORDS, "^7_x", "", false },
        { AZ_RULE_ONLY, "a b", "*3", false },
        { AZ_RULE_HAS, "conv_ conv.", "", true },
        { AZ_RULE_HAS, "fp8", "", false },
        { AZ_RULE_GLOB, "copy.* x", "", true },
        { AZ_RULE_GLOB, "copy.?", "", false },
        { AZ_RULE_GLOB, "copy.[a-z]", "", false },
    };
    struct az_forms f;
    struct az_sv same[2] = { AZ_SV("a.12 (345)x6 7y 89"), AZ_SV("a.3 (4)x6 7y 0") };
    bool known;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(rule); i++)
        assert_int_equal(az_forms_allow(&(struct az_rule){ .how = rule[i].how,
                                                           .one = az_sv_str(rule[i].one),
                                                           .without = az_sv_str(rule[i].without) }),
                         rule[i].allow);
    az_forms_init(&f);
    struct az_form_place *first = az_forms_find(&f, same[0], &known);
    assert_false(known);
    assert_ptr_equal(az_forms_find(&f, same[1], &known), first);
    assert_true(known);
    assert_true(az_sv_eq(az_sv_make(first->text, first->n), AZ_SV("a.0 (0)x6 7y 0")));
    az_forms_find(&f, AZ_SV("a.12 (345)x7 7y 89"), &known);
    assert_false(known);
    assert_null(az_forms_find(&f, AZ_SV("_ZN1a2bcEv"), &known));
    assert_null(az_forms_find(&f, AZ_SV(""), &known));
    /* every length around the sixteen bytes that are looked at together, up to the longest */
    for (size_t n = 1; n < AZ_FORM_MAX + 3; n++) {
        char text[AZ_FORM_MAX + 3];
        memset(text, 'x', n);
        text[n - 1] = '5';
        if (n > 1)
            text[n - 2] = '.';
        const struct az_form_place *at = az_forms_find(&f, az_sv_make(text, n), &known);
        assert_int_equal(at != NULL, n <= AZ_FORM_MAX);
        text[n - 1] = '0';
        if (at)
            assert_true(az_sv_eq(az_sv_make(at->text, at->n), az_sv_make(text, n)));
    }
}

/* A group asked of many names says of each what its rules say. */
static void asked(void **state)
{
    static const char *const name[] = { "copy",          "copy.1",    "copy.2",    "memset 3",
                                        "memset 4",      "",          "nvjet_1",   "nvjet_2",
                                        "kernel_func 7", "fusion.12", "fusion.13", "conv_9",
                                        "conv_10",       "conv9" };
    static const char *const groups[] = { "event", "category", "host", "nothing" };
    (void)state;
    for (size_t g = 0; g < AZ_LENGTH(groups); g++) {
        struct az_rule_cache q = { .forms = false };
        struct az_arena a;
        struct az_mem none;
        az_arena_init(&a, NULL);
        for (size_t i = 0; i < 2 * AZ_LENGTH(name); i++) {
            const struct az_sv s = az_sv_str(name[i % AZ_LENGTH(name)]);
            assert_true(az_sv_eq(az_rule_cache_class(&q, "xla_events.rules", groups[g], &a, s),
                                 az_rules_class("xla_events.rules", groups[g], s)));
        }
        az_arena_release(&a);
        az_mem_init(&none, 1);
        az_arena_init(&a, &none);
        q = (struct az_rule_cache){ .forms = false };
        assert_true(
            az_sv_eq(az_rule_cache_class(&q, "xla_events.rules", groups[g], &a, AZ_SV("copy.1")),
                     az_rules_class("xla_events.rules", groups[g], AZ_SV("copy.1"))));
        az_arena_release(&a);
    }
}

/* Rules that read the numbers of names are searched for each name. */
static void asked_without_forms(void **state)
{
    (void)state;
    struct az_rule_cache q = { .forms = false };
    struct az_arena a;
    az_arena_init(&a, NULL);
    assert_int_equal(az_rules_read_group("xla_events.rules", "event", &a, &q.rules), 0);
    for (int i = 0; i < 2; i++) {
        const struct az_sv s = AZ_SV("copy.1");
        assert_true(az_sv_eq(az_rule_cache_class(&q, "xla_events.rules", "event", &a, s),
                             az_rules_class("xla_events.rules", "event", s)));
    }
    az_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(names_of_numbers), cmocka_unit_test(forms),
                                        cmocka_unit_test(asked),
                                        cmocka_unit_test(asked_without_forms) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
