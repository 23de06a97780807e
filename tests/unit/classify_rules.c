/* Names as words, and the one form of line of all rule files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/data.h"
#include "base/err.h"
#include "classify/patterns.h"
#include "classify/rules.h"

static void words(void **state)
{
    struct az_words w;
    (void)state;
    az_words_cut(AZ_SV("ncclDevKernel_AllReduce_Sum<4>(x)"), &w);
    static const char *const want[] = { "nccl", "dev", "kernel", "all", "reduce", "sum", "4", "x" };
    assert_int_equal(w.n, 8);
    for (size_t i = 0; i < 8; i++)
        assert_true(az_sv_is(az_word(&w, i), want[i]));
    assert_true(az_words_any(&w, AZ_SV("zzz all_reduce")));
    assert_true(az_words_any(&w, AZ_SV("all_red*")));
    assert_true(az_words_any(&w, AZ_SV("ncc*")));
    assert_false(az_words_any(&w, AZ_SV("all_sum")));    /* they do not follow each other */
    assert_false(az_words_any(&w, AZ_SV("duce all_r"))); /* no parts of words */
    assert_false(az_words_any(&w, AZ_SV("x_y")));        /* past the end */
    assert_false(az_words_any(&w, AZ_SV("")));
    az_words_cut(AZ_SV(""), &w);
    assert_int_equal(w.n, 0);
    /* mangled names: identifiers by their lengths, nothing between them; Li128E is a number, not an
     * identifier */
    az_words_cut(AZ_SV("_ZN2ck6device11gemm_kernelILi128ELin1ENS_3fp8EEEvPf9DoubleTwo"), &w);
    static const char *const mangled[] = {
        "ck", "device", "gemm", "kernel", "fp8", "double", "two"
    };
    assert_int_equal(w.n, 7);
    for (size_t i = 0; i < 7; i++)
        assert_true(az_sv_is(az_word(&w, i), mangled[i]));
    az_words_cut(AZ_SV("_Z99short"), &w); /* a length beyond the end */
    assert_int_equal(w.n, 0);
    az_words_cut(AZ_SV("_Z"), &w);
    az_words_cut(AZ_SV("_Z99999999999999999999999x"), &w);
    assert_int_equal(w.n, 0);
    char *big = malloc(20000);
    memset(big, 'a', 20000);
    az_words_cut(az_sv_make(big, 20000), &w); /* by its beginning */
    assert_int_equal(w.n, 1);
    for (size_t i = 0; i < 20000; i += 2)
        big[i] = '_';
    az_words_cut(az_sv_make(big, 20000), &w);
    assert_int_equal(w.n, AZ_WORDS_MAX);
    free(big);
}

static void patterns(void **state)
{
    struct az_words w;
    (void)state;
    az_words_cut(AZ_SV("volta_s1688gemm_bias"), &w);
    assert_true(az_words_any(&w, AZ_SV("*gemm"))); /* ends so */
    assert_true(az_words_any(&w, AZ_SV("*88g*"))); /* holds it */
    assert_false(az_words_any(&w, AZ_SV("*89g*")));
    assert_false(az_words_any(&w, AZ_SV("*88gemmm*"))); /* longer than its end */
    assert_true(az_words_any(&w, AZ_SV("*volta*")) && az_words_any(&w, AZ_SV("volta*")));
    assert_false(az_words_any(&w, AZ_SV("voltas*")) || az_words_any(&w, AZ_SV("*xvolta")));
    assert_true(az_words_any(&w, AZ_SV("^volta ^x")));
    assert_true(az_words_any(&w, AZ_SV("^volta_*"))); /* any word */
    assert_false(az_words_any(&w, AZ_SV("*_volta"))); /* none before it */
    assert_false(az_words_any(&w, AZ_SV("^bias")));   /* not the first word */
    assert_false(az_words_any(&w, AZ_SV("*gem")));
    assert_true(az_words_any(&w, AZ_SV("*")));
    assert_int_equal(az_words_at(&w, 1, AZ_SV("*gemm_bias")), 2);
    az_words_cut(AZ_SV("triton_poi_fused__to_copy_cat_12"), &w);
    assert_true(az_words_only(&w, AZ_SV("triton_poi_fused to_copy cat")));
    assert_false(az_words_only(&w, AZ_SV("triton_poi_fused to cat")));
    az_words_cut(AZ_SV(""), &w);
    assert_false(az_words_only(&w, AZ_SV("a")));
}

/* The index finds what a search of each pattern finds, those without letters at their begin, too.
 */
static void index_of_patterns(void **state)
{
    static const char cell[] = "gemm sgemm_* *gem* a* *b b *_x * x*_gemm q* c_d *zz";
    static const char *const names[] = {
        "gemm",    "volta_sgemm_nn", "a_b",  "ab",  "x",   "b",      "c_d_e",
        "xy_gemm", "quit",           "fizz", "gem", "1_2", "d_c_ab", "zzz"
    };
    static struct az_pattern_index x;
    struct az_pattern_cell of[16];
    struct az_sv text[16], rest = az_sv_str(cell);
    struct az_arena arena;
    size_t n = 0;
    (void)state;
    az_arena_init(&arena, NULL);
    assert_int_equal(az_patterns_init(&x, &arena), 0);
    for (; rest.n; n++) {
        text[n] = az_sv_cut(&rest, ' ');
        of[n] = az_patterns_add(&x, text[n], n);
    }
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        struct az_pattern_hits hits = { { 0 }, { 0 } };
        struct az_words w;
        az_words_cut(az_sv_str(names[i]), &w);
        w.affixes = &x.affixes;
        az_patterns_find(&x, &w, false, NULL, &hits);
        for (size_t k = 0; k < n; k++)
            if (az_patterns_hit(&hits, of[k]) != az_words_any(&w, text[k]))
                fail_msg("'%.*s' in %s", AZ_SVF(text[k]), names[i]);
    }
    az_arena_release(&arena);
}

/* The words of C++ functions: humps, scopes, no parameters. */
static void functions(void **state)
{
    static const struct {
        const char *name, *words; /* those of scopes in brackets */
    } c[] = {
        { "RMSNormFwd2D(float*)", "rms norm fwd2d" },
        { "moeA2ADispatchKernel<int>(Gemm)", "moe a2a dispatch kernel int" },
        { "void ns_a::b::run<c::d<e::f> >(g::h)", "void [ns] [a] [b] run [c] d [e] f" },
        { "void (anonymous namespace)::k<&(op_add(float, int)), 2>(int)",
          "void anonymous namespace k op add float int 2" },
        { "f(int)::{lambda(float)#1}::operator()", "f int lambda float 1 operator" },
        { "cut<off, (int", "cut off int" },
        { "(x)", "x" },
        { "_ZN2ns4kernILi1EEEvPf", "[ns] kern" },
    };
    struct az_words w;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        char text[128] = "";
        size_t n = 0;
        az_words_cut_function(az_sv_str(c[i].name), &w);
        for (size_t k = 0; k < w.n; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, w.scope[k] ? "%s[%.*s]" : "%s%.*s",
                                  k ? " " : "", AZ_SVF(az_word(&w, k)));
        if (strcmp(text, c[i].words) != 0)
            fail_msg("%s: '%s', want '%s'", c[i].name, text, c[i].words);
    }
}

/* A `*` of a pattern is made of affixes; one letter is one at the outer end of its word only. */
static void affixes(void **state)
{
    static const struct {
        const char *word, *pattern;
        bool in;
    } c[] = {
        { "loss3x3", "loss*", true },           { "lossless", "loss*", false },
        { "lossfwd", "loss*", true },           { "sgemm", "*gemm", true },
        { "s16816gemm", "*gemm", true },        { "sbgemm", "*gemm", false },
        { "fwdsgemm", "*gemm", false },         { "gemms", "*gemm*", true },
        { "gemmsfwd", "*gemm*", false },        { "fwdgemmbwds", "*gemm*", true },
        { "europe", "*rope", false },           { "gemm", "gemm*", true },
        { "ropeandrope", "rope*", false },      { "gemm_lossless", "gemm_loss*", false },
        { "gemm_lossfwd", "gemm_loss*", true }, { "anything", "*", true },
    };
    static struct az_affixes a;
    static char many[9 * AZ_AFFIXES];
    struct az_words w;
    size_t n = 0;
    (void)state;
    assert_true(az_affixes_add(&a, AZ_SV("fwd bwd s b \\\n  fwd")));
    assert_int_equal(a.n, 4);
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        az_words_cut(az_sv_str(c[i].word), &w);
        w.affixes = &a;
        if (az_words_any(&w, az_sv_str(c[i].pattern)) != c[i].in)
            fail_msg("%s in %s", c[i].pattern, c[i].word);
    }
    assert_false(az_affixes_add(&a, AZ_SV("abcdefghijklmnopq")));
    for (int i = 0; i < AZ_AFFIXES; i++)
        n += (size_t)snprintf(many + n, sizeof many - n, "x%d ", i);
    assert_false(az_affixes_add(&a, az_sv_make(many, n)));
}

static void lines(void **state)
{
    struct az_sv text = AZ_SV("# comment\n\n g ; A ; gemm ; words ; one two ; "
                              "three\ng;B;;is;x;;z\ng;C;gem;is;x\ng;D;;like;x\ng;E;;is;");
    struct az_rule r;
    (void)state;
    assert_true(az_rules_next(&text, &r));
    assert_true(az_sv_is(r.group, "g") && az_sv_is(r.name, "A") && r.family == AZ_FAMILY_GEMM &&
                !r.bad);
    assert_true(r.how == AZ_RULE_WORDS && az_sv_is(r.one, "one two") && az_sv_is(r.with, "three") &&
                r.without.n == 0);
    assert_true(az_rules_next(&text, &r));
    assert_true(r.how == AZ_RULE_IS && r.with.n == 0 && az_sv_is(r.without, "z") &&
                r.family == AZ_FAMILY_OTHER && !r.bad);
    for (int i = 0; i < 3; i++) { /* no such family, no such HOW, no pattern */
        assert_true(az_rules_next(&text, &r));
        assert_true(r.bad);
    }
    assert_false(az_rules_next(&text, &r));
    text = AZ_SV("g ; A ; ; is ; x \\\n    yy \\\n    z ; ; n\ng ; B ; ; is ; q");
    assert_true(az_rules_next(&text, &r) && !r.bad && az_sv_is(r.without, "n"));
    struct az_words w = { .n = 0 };
    assert_true(az_rule_matches(&r, AZ_SV("yy"), &w) && az_rule_matches(&r, AZ_SV("z"), &w));
    assert_true(az_rules_next(&text, &r) && az_sv_is(r.name, "B"));
    assert_false(az_rules_next(&text, &r));
}

static void how(void **state)
{
    static const struct {
        const char *line, *yes, *no;
    } c[] = {
        { "g;x;;begins;abc", "ABCd", "xabc" },
        { "g;x;;contains;abc", "xAbCd", "ab" },
        { "g;x;;contains;conv!ert", "convert_conv", "convert" },
        { "g;x;;is;abc", "abc", "ABC" },
        { "g;x;;has;bc", "abcd", "aBCd" },
        { "g;x;;glob;a*c ?z", "abbc", "abcd" },
        { "g;x;;words;big;cat dog;red", "big_cat", "big_red_cat" },
        { "g;x;;words;big;cat dog", "bigDog", "big_fish" },
        { "g;x;;only;a b;b", "a_b_1", "a_1" },
        { "g;x;;is;abc;abc", "abc", "abd" },
    };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(c); i++) {
        struct az_sv text = az_sv_str(c[i].line);
        struct az_words w;
        struct az_rule r;
        assert_true(az_rules_next(&text, &r) && !r.bad);
        az_words_cut(az_sv_str(c[i].yes), &w);
        if (!az_rule_matches(&r, az_sv_str(c[i].yes), &w))
            fail_msg("%s is not in %s", c[i].line, c[i].yes);
        az_words_cut(az_sv_str(c[i].no), &w);
        if (az_rule_matches(&r, az_sv_str(c[i].no), &w))
            fail_msg("%s is in %s", c[i].line, c[i].no);
    }
}

/* A file read once answers as one that is looked through for each name. */
static void read_once(void **state)
{
    static const char *const names[] = { "Matmul",  "SDPAOperation", "AllGather", "Conv2d",
                                         "(torch)", "unknown",       "" };
    static const char *const groups[] = { "kind", "ink", "mean", "category", "no group" };
    struct az_mem mem;
    struct az_arena arena;
    struct az_rule_list list;
    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    assert_int_equal(az_rules_read("tt_ops.rules", &arena, &list), 0);
    assert_true(list.n > 10);
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        for (size_t g = 0; g < AZ_LENGTH(groups); g++)
            assert_true(az_sv_eq(az_rules_class_of(&list, groups[g], az_sv_str(names[i])),
                                 az_rules_class("tt_ops.rules", groups[g], az_sv_str(names[i]))));
    assert_true(az_sv_is(az_rules_class_of(&list, "kind", AZ_SV("Matmul")), "matmul"));
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

/* Each pattern of each rule, as a name with something in place of its wildcards: the list of a
 * file, that of a group and the file itself find the same rule. */
static void same_rule_by_list(const char *file, struct az_arena *arena, struct az_sv group,
                              const struct az_rule_list *all, const struct az_rule_list *of_group,
                              struct az_sv pattern)
{
    const char *g = az_arena_printf(arena, "%.*s", AZ_SVF(group)).p;
    for (int shape = 0; shape < 4; shape++) {
        char name[300];
        size_t n = 0;
        for (size_t i = 0; i < pattern.n && n + 8 < sizeof name; i++) {
            const char c = pattern.p[i];
            if (c == '*' || c == '^')
                n += (size_t)snprintf(name + n, sizeof name - n, "%s", shape & 1 ? "Ab_1" : "");
            else
                name[n++] = shape & 2 && c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
        }
        const struct az_sv made = az_sv_make(name, n);
        struct az_rule r = { .name = AZ_SV("") };
        const struct az_sv wanted = az_rules_find(file, g, made, &r) ? r.name : AZ_SV("");
        if (!az_sv_eq(az_rules_class_of(all, g, made), wanted) ||
            !az_sv_eq(az_rules_class_of(of_group, g, made), wanted))
            fail_msg("%s: %s: '%.*s' is not '%.*s'", file, g, AZ_SVF(made), AZ_SVF(wanted));
    }
}

static void lists_match_as_files(void **state)
{
    static const char *const file[] = { "trace_names.rules", "tt_ops.rules", "amd_categories.rules",
                                        "xla_events.rules" };
    struct az_mem mem;
    struct az_arena arena;
    (void)state;
    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    for (size_t f = 0; f < AZ_LENGTH(file); f++) {
        struct az_rule_list all, of_group;
        assert_int_equal(az_rules_read(file[f], &arena, &all), 0);
        for (size_t i = 0; i < all.n; i++) {
            const char *g = az_arena_printf(&arena, "%.*s", AZ_SVF(all.v[i].group)).p;
            assert_int_equal(az_rules_read_group(file[f], g, &arena, &of_group), 0);
            assert_true(of_group.n > 0 && of_group.one_group && !all.one_group);
            struct az_sv rest = all.v[i].one;
            while (rest.n) {
                const struct az_sv pattern = az_sv_cut(&rest, ' ');
                if (pattern.n && *pattern.p != '\\')
                    same_rule_by_list(file[f], &arena, all.v[i].group, &all, &of_group, pattern);
            }
        }
    }
    az_arena_release(&arena);
    assert_int_equal(mem.used, 0);
}

/* Every line of every file can be read. */
static void files(void **state)
{
    static const char *const names[] = { "amd_activity.rules",    "amd_categories.rules",
                                         "generated_names.rules", "kernel_classes.rules",
                                         "phases.rules",          "rank_groups.rules",
                                         "trace_names.rules",     "tt_ops.rules",
                                         "xla_events.rules" };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        struct az_sv text = az_data(names[i]);
        struct az_rule r;
        size_t n = 0;
        while (az_rules_next(&text, &r)) {
            if (r.bad)
                fail_msg("%s: rule %zu ('%.*s ; %.*s')", names[i], n, AZ_SVF(r.group),
                         AZ_SVF(r.name));
            n++;
        }
        assert_true(n > 0);
    }
    assert_true(
        az_sv_is(az_rules_class("trace_names.rules", "call", AZ_SV("cudaGraphLaunch")), "graph"));
    assert_true(az_rules_class("trace_names.rules", "nothing", AZ_SV("cudaGraphLaunch")).n == 0);
}

/* XPlane names files without folders: those of JAX by name, generic ones by function, too. */
static void frames_of_jax(void **state)
{
    static const struct {
        const char *frame, *class;
    } frame[] = { { "$core.py:630 bind", "range_framework" },
                  { "$core.py:634 _true_bind", "range_framework" },
                  { "$pxla.py:230 batched_device_put", "range_framework" },
                  { "$threading.py:5 run", "range_framework" },
                  { "$core.py:12 train_step", "range" },
                  { "$api.py:3 generate", "range" },
                  { "$train.py:31 main", "range" } };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(frame); i++)
        assert_true(
            az_sv_is(az_rules_class("trace_names.rules", "host_frame", az_sv_str(frame[i].frame)),
                     frame[i].class));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(words),
                                        cmocka_unit_test(patterns),
                                        cmocka_unit_test(index_of_patterns),
                                        cmocka_unit_test(functions),
                                        cmocka_unit_test(affixes),
                                        cmocka_unit_test(lines),
                                        cmocka_unit_test(how),
                                        cmocka_unit_test(read_once),
                                        cmocka_unit_test(lists_match_as_files),
                                        cmocka_unit_test(files),
                                        cmocka_unit_test(frames_of_jax) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
