/* The user's script: what it may say, and what becomes of one that misbehaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "extend/extend.h"

struct fixture {
    struct az_arena arena;
    struct az_mem mem;
    struct az_diag diag;
    struct az_extend *script;
    char path[64];
};

static struct fixture *begin(size_t limit)
{
    static struct fixture f;
    f = (struct fixture){ 0 };
    az_mem_init(&f.mem, limit);
    az_arena_init(&f.arena, NULL);
    az_diag_init(&f.diag);
    snprintf(f.path, sizeof f.path, "/tmp/az_script_%ld.lua", (long)getpid());
    return &f;
}

static void end(struct fixture *f)
{
    az_extend_close(f->script);
    az_diag_release(&f->diag);
    az_arena_release(&f->arena);
    remove(f->path);
    assert_int_equal(f->mem.used, 0);
}

static int open_text(struct fixture *f, const char *text)
{
    FILE *o = fopen(f->path, "w");
    assert_non_null(o);
    fputs(text, o);
    fclose(o);
    return az_extend_open(&f->script, f->path, &f->arena, &f->mem, &f->diag);
}

static int call(struct fixture *f, struct az_perf *p)
{
    struct az_sv kernel = AZ_SV("k1");
    struct az_perf_call c = { .op = AZ_SV("my::op"), .kernels = &kernel, .n_kernels = 1 };
    assert_true(az_perf_parse(&c, AZ_SV("[[2,3],[]]"), AZ_SV("[\"float\",\"Scalar\"]"), AZ_SV(""),
                              AZ_SV("[\"\",\"7\"]")));
    return az_extend_model(f->script, &c, &f->arena, p, &f->diag);
}

static void works(void **state)
{
    (void)state;
    struct fixture *f = begin(0);
    struct az_perf p;
    assert_int_equal(
        open_text(f, "categories = { mine = { 'b::two', 'a::one' } }\n"
                     "perf_models = { ['my::op'] = function(e)\n"
                     "  assert(e.name == 'my::op' and #e.dims == 2 and #e.dims[2] == 0 and "
                     "e.types[1] == 'float')\n"
                     "  assert(e.kernels[1] == 'k1' and string.find(e.types[1], 'loa') == 2)\n"
                     "  return 2 * e.dims[1][1] * tonumber(e.concrete[2]), e.dims[1][2], 'bf16', "
                     "'vector' end }\n"),
        0);
    const struct az_extend_categories *c = az_extend_categories_of(f->script);
    assert_int_equal(c->n, 2);
    assert_true(az_sv_is(c->v[0].op, "a::one") &&
                az_sv_is(c->v[0].category, "mine")); /* in order of name */
    assert_true(az_extend_has_model(f->script, AZ_SV("my::op")));
    assert_false(az_extend_has_model(f->script, AZ_SV("a::one")));
    assert_int_equal(call(f, &p), 0);
    assert_true(p.flops == 28 && p.bytes == 3 && az_sv_is(p.prec, "bf16"));
    assert_string_equal(p.unit, "vector");
    end(f);
}

static void nothing_said(void **state)
{
    (void)state;
    struct fixture *f = begin(0);
    struct az_perf p;
    assert_int_equal(open_text(f, "perf_models = { ['my::op'] = function(e) return nil, 5 end }"),
                     0);
    assert_int_equal(call(f, &p), 0);
    assert_true(isnan(p.flops) && p.bytes == 5 && !p.why);
    end(f);
    f = begin(0);
    assert_int_equal(open_text(f, ""), 0);
    assert_int_equal(az_extend_categories_of(f->script)->n, 0);
    end(f);
}

static void bad_script(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } bad[] = { { "x = = 1", ":1: unexpected symbol" },
                { "while true do end", "took more than 20 million instructions" },
                { "t = {} while true do t[#t + 1] = string.rep('x', 100000) .. #t end",
                  "took more than 64 MiB" },
                { "error('no')", ":1: no" },
                { "error({})", "not a string" },
                { "io.open('/etc/passwd')", "nil value" },
                { "os.exit(0)", "nil value" },
                { "require('os')", "nil value" },
                { "load('x = 1')", "nil value" },
                { "dofile('/etc/passwd')", "nil value" },
                { "pcall(error)", "nil value" },
                { "categories = 7", "not a table" },
                { "categories = { a = 'b' }", "list of operators" },
                { "categories = { a = { 1 } }", "not a string" },
                { "categories = {} for i = 1, 17 do categories['c' .. i] = {} end",
                  "more than 16 categories" },
                { "perf_models = { 1 }", "must map" },
                { "tree_postprocess = 1", "not a function" } };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        struct fixture *f = begin(0);
        assert_int_equal(open_text(f, bad[i].text), AZ_ECONFIG);
        assert_null(f->script);
        assert_int_equal(f->diag.errors, 1);
        if (az_sv_find(f->diag.list.v[0].text, az_sv_str(bad[i].said)) < 0)
            fail_msg("'%s': %.*s", bad[i].text, AZ_SVF(f->diag.list.v[0].text));
        end(f);
    }
}

static void bad_model(void **state)
{
    (void)state;
    static const struct {
        const char *body, *said;
    } bad[] = { { "while true do end", "took more than 20 million instructions" },
                { "return 'many'", "expected a number" },
                { "return -1", "expected a number" },
                { "return 0/0", "expected a number" },
                { "return 1/0", "expected a number" },
                { "return 1, {}", "expected a number" },
                { "return 1, 1, 7", "precision" },
                { "return 1, 1, 'bf16', 'tensor'", "unit 'tensor'" },
                { "return e.dims[9][1]", "nil value" },
                { "local t = {} while true do t[#t + 1] = string.rep('x', 100000) .. #t end",
                  "64 MiB" } };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        struct fixture *f = begin(0);
        struct az_perf p;
        char text[256];
        snprintf(text, sizeof text, "perf_models = { ['my::op'] = function(e) %s end }",
                 bad[i].body);
        assert_int_equal(open_text(f, text), 0);
        assert_int_equal(call(f, &p), AZ_ECONFIG);
        assert_int_equal(f->diag.errors, 1);
        struct az_sv said = f->diag.list.v[0].text;
        if (az_sv_find(said, az_sv_str(bad[i].said)) < 0 || az_sv_find(said, AZ_SV("'my::op'")) < 0)
            fail_msg("'%s': %.*s", bad[i].body, AZ_SVF(said));
        end(f);
    }
}

/* One call of a function in C is one instruction to the hook, however long it takes. */
static void endless_functions(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "string.rep('', 1 << 62)",
        "string.rep('', 1 << 62, '')",
        "table.move({}, 1, 1 << 62, 2)",
        "table.move({}, math.mininteger, math.maxinteger, 2)",
        "table.concat({}, '', math.mininteger, math.maxinteger)",
        "local t = {} for i = 1, 1000000 do t[i] = i end while true do table.insert(t, 1, 0) "
        "table.remove(t, 1) end",
        "local t = {} for i = 1, 1000000 do t[i] = 0 end while true do table.sort(t) end",
        "local t = {} for i = 1, 1000000 do t[i] = 0 end while true do table.sort(t, math.ult) end",
        "local t = {} for i = 1, 500000 do t[i] = 0 end while true do table.unpack(t) end",
        "while true do table.unpack({}, 1, 500000) end",
        "local a, b = string.rep('x', 1000000) .. 'a', string.rep('x', 1000000) .. 'b' "
        "local t = {} for i = 1, 100000 do t[i] = i % 2 == 0 and a or b end "
        "while true do table.sort(t) end",
        "local s = string.rep('x', 1000000) while true do string.find(s, 'y') end",
        "local s = string.rep('x', 1000000) while true do utf8.len(s) end",
        "local s = string.rep('x', 1000000) while true do local u = s:upper() end",
        "local s = string.rep('x', 1000000) while true do local u = s .. s:sub(1, 1) end",
        "local s = string.rep('x', 1000000) while true do local u = s:byte(-1) end",
        "getmetatable('').__index = function() end",
    };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        struct fixture *f = begin(0);
        alarm(100);
        assert_int_equal(open_text(f, bad[i]), AZ_ECONFIG);
        alarm(0);
        struct az_sv said = f->diag.list.v[0].text;
        if (i + 1 < AZ_LENGTH(bad) && az_sv_find(said, AZ_SV("20 million")) < 0)
            fail_msg("'%s': %.*s", bad[i], AZ_SVF(said));
        end(f);
    }
    struct fixture *f = begin(0);
    assert_int_equal(open_text(f, "string.rep('x', 1 << 21)"), AZ_ECONFIG);
    assert_true(az_sv_find(f->diag.list.v[0].text, AZ_SV("more than 1 MiB")) >= 0);
    end(f);
    f = begin(0); /* they still do what they are for */
    assert_int_equal(
        open_text(f, "local t = { 3, 1, 2 } table.sort(t) assert(table.concat(t, ',') == '1,2,3') "
                     "table.sort(t, function(a, b) return a > b end) assert(t[1] == 3) "
                     "table.insert(t, 1, 9) assert(table.remove(t, 1) == 9 and #t == 3) "
                     "assert(select('#', table.unpack(t)) == 3 and string.rep('ab', 2) == 'abab') "
                     "assert(table.move(t, 1, 3, 2)[4] == 1 and ('%d'):format(7) == '7')"),
        0);
    end(f);
}

/* A tree of one operator that launched two kernels, by two calls. */
struct fake {
    char said[200];
};
static struct az_sv fake_name(void *c, uint32_t n)
{
    (void)c;
    return n ? AZ_SV("launch") : AZ_SV("my::op");
}
static const char *fake_kind(void *c, uint32_t n)
{
    (void)c;
    return n ? "call" : "op";
}
static uint32_t fake_parent(void *c, uint32_t n)
{
    (void)c;
    return n ? 0 : AZ_EXTEND_NO_NODE;
}
static uint32_t fake_child(void *c, uint32_t n, uint32_t after)
{
    (void)c;
    return n                            ? AZ_EXTEND_NO_NODE
           : after == AZ_EXTEND_NO_NODE ? 1
           : after == 1                 ? 2
                                        : AZ_EXTEND_NO_NODE;
}
static void fake_span(void *c, uint32_t n, int64_t *start, int64_t *end)
{
    (void)c;
    *start = 10 * n;
    *end = *start + 7;
}
static uint32_t fake_kernels(void *c, uint32_t n, uint32_t *first)
{
    (void)c;
    *first = n == 2;
    return n ? 1 : 2;
}
static struct az_extend_kernel fake_kernel(void *c, uint32_t i)
{
    (void)c;
    return (struct az_extend_kernel){ .name = i ? AZ_SV("k2") : AZ_SV("k1"),
                                      .ns = 100 + i,
                                      .call = i + 1 };
}
static struct az_extend_args fake_args(void *c, uint32_t n)
{
    (void)c;
    (void)n;
    return (
        struct az_extend_args){ AZ_SV("[[2]]"), { "", 0 }, { "", 0 }, AZ_SV("[\"\"]"), { "", 0 } };
}
static int64_t fake_sequence(void *c, uint32_t n)
{
    (void)c;
    return n ? -1 : 77;
}
/* Nodes 2 and 3 are the backward operators of node 1. */
static uint32_t fake_forward(void *c, uint32_t n)
{
    (void)c;
    return n ? 0 : AZ_EXTEND_NO_NODE;
}
static uint32_t fake_backward(void *c, uint32_t n, uint32_t after)
{
    (void)c;
    if (after == AZ_EXTEND_NO_NODE)
        return n ? AZ_EXTEND_NO_NODE : 1;
    return after == 1 ? 2 : AZ_EXTEND_NO_NODE;
}
static const char *fake_rename(void *c, uint32_t n, struct az_sv s)
{
    struct fake *f = c;
    snprintf(f->said + strlen(f->said), 60, "rename %u %.*s;", n, AZ_SVF(s));
    return n ? "no operator" : NULL;
}
static const char *fake_remove(void *c, uint32_t n)
{
    struct fake *f = c;
    snprintf(f->said + strlen(f->said), 60, "remove %u;", n);
    return NULL;
}
static const char *fake_insert(void *c, struct az_sv s, const uint32_t *v, size_t n,
                               const struct az_extend_args *a)
{
    struct fake *f = c;
    snprintf(f->said + strlen(f->said), 120,
             "insert %.*s %zu@%u dims %.*s concrete %.*s facts %.*s;", AZ_SVF(s), n, v[0],
             AZ_SVF(a->dims), AZ_SVF(a->concrete), AZ_SVF(a->facts));
    return NULL;
}

static void tree(void **state)
{
    (void)state;
    static const struct {
        const char *body, *said, *wrong;
    } each[] = {
        { "assert(tree.size == 3 and #tree.find('op') == 1 and #tree.find('', 'call') == 2 and "
          "tree.kind(2) == 'call')",
          "", NULL },
        { "assert(tree.parent(1) == nil and tree.parent(3) == 1 and #tree.children(1) == 2 and "
          "tree.children(1)[2] == "
          "3)",
          "", NULL },
        { "local a, b = tree.span(2) assert(a == 10 and b == 17 and tree.name(1) == 'my::op')", "",
          NULL },
        { "local k = tree.kernels(1) assert(#k == 2 and k[2].name == 'k2' and k[2].ns == 101 and "
          "k[2].call == 3)",
          "", NULL },
        { "assert(tree.args(1).dims == '[[2]]' and tree.args(1).types == nil)", "", NULL },
        { "assert(tree.sequence(1) == 77 and tree.sequence(2) == nil)", "", NULL },
        { "assert(tree.forward(1) == nil and tree.forward(3) == 1 and #tree.backward(2) == 0 and "
          "#tree.backward(1) == 2 and tree.backward(1)[2] == 3)",
          "", NULL },
        { "tree.rename(1, 'new') tree.remove(1)", "rename 0 new;remove 0;", NULL },
        { "tree.insert('p', { 2, 3 }, { args_from = 1, dims = '[]', facts = { b = true, a = 2.5 } "
          "})",
          "insert p 2@1 dims [] concrete [\"\"] facts a=2.5\nb=true\n;", NULL },
        { "tree.rename(2, 'x')", "rename 1 x;", "no operator" },
        { "tree.name(0)", "", "not a node" },
        { "tree.name(4)", "", "not a node" },
        { "tree.name(1.5)", "", "no integer" },
        { "tree.insert('p', 1)", "", "table expected" },
        { "tree.insert('p', {}, {})", "", "no nodes" },
        { "tree.insert('p', { 1 }, { facts = { 1 } })", "", "not a string" },
        { "while true do tree.find('x') end", "", "20 million" },
    };
    for (size_t i = 0; i < AZ_LENGTH(each); i++) {
        struct fixture *f = begin(0);
        struct fake fake = { "" };
        char text[300];
        const struct az_extend_tree t = { &fake,         3,           fake_name,     fake_kind,
                                          fake_parent,   fake_child,  fake_span,     fake_kernels,
                                          fake_kernel,   fake_args,   fake_sequence, fake_forward,
                                          fake_backward, fake_rename, fake_remove,   fake_insert };
        snprintf(text, sizeof text, "function tree_postprocess(tree) %s end", each[i].body);
        assert_int_equal(open_text(f, text), 0);
        assert_true(az_extend_has_tree(f->script));
        const int rc = az_extend_run_tree(f->script, &t, &f->diag);
        if (rc && !each[i].wrong)
            fail_msg("'%s': %.*s", each[i].body, AZ_SVF(f->diag.list.v[0].text));
        assert_int_equal(rc, each[i].wrong ? AZ_ECONFIG : 0);
        if (each[i].wrong && az_sv_find(f->diag.list.v[0].text, az_sv_str(each[i].wrong)) < 0)
            fail_msg("'%s': %.*s", each[i].body, AZ_SVF(f->diag.list.v[0].text));
        assert_string_equal(fake.said, each[i].said);
        end(f);
    }
}

/* The memory of the input counts, too: no abort, whatever the limit. */
static void small_budget(void **state)
{
    (void)state;
    for (size_t limit = 1000; limit < 60000; limit += 1500) {
        struct fixture *f = begin(limit);
        int rc = open_text(f, "perf_models = { ['my::op'] = function(e) return 1, 2 end }");
        struct az_perf p;
        if (rc == 0)
            rc = call(f, &p);
        assert_true(rc == 0 || rc == AZ_ECONFIG || rc == AZ_ELIMIT);
        end(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works),
        cmocka_unit_test(nothing_said),
        cmocka_unit_test(bad_script),
        cmocka_unit_test(bad_model),
        cmocka_unit_test(tree),
        cmocka_unit_test(small_budget),
        cmocka_unit_test(endless_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
