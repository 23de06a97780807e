/* The tree of device time: sums, order, and what is too small to be a node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "document/flame.h"

static void add(struct az_flame *f, const char *const *path, int64_t ns, enum az_family family)
{
    uint32_t node = 0;
    for (; *path; path++)
        assert_int_equal(az_flame_child(f, &node, az_sv_str(*path)), 0);
    az_flame_add(f, node, ns, family);
}

static void check_node(const struct az_flame *f, size_t i, const char *name, int64_t total,
                       uint32_t parent)
{
    const struct az_flame_node *n = &f->nodes.v[i];
    const struct az_sv got = az_intern_text(&f->names, n->name);
    if (!az_sv_is(got, name) || n->total != total || n->parent != parent)
        fail_msg("node %zu: '%.*s' %lld below %u", i, AZ_SVF(got), (long long)n->total, n->parent);
}

static void times_add_up(void **state)
{
    static const char *const a[] = { "layer", "gemm", NULL },
                             *const b[] = { "layer", "norm", NULL },
                             *const c[] = { "head", "gemm", NULL },
                             *const tiny[] = { "tiny", NULL };
    struct az_mem mem;
    struct az_flame f;
    (void)state;
    az_mem_init(&mem, 0);
    assert_int_equal(az_flame_init(&f, &mem), 0);
    add(&f, b, 30000, AZ_FAMILY_NORM);
    add(&f, c, 90000, AZ_FAMILY_GEMM);
    add(&f, a, 20000, AZ_FAMILY_GEMM);
    add(&f, a, 20000, AZ_FAMILY_GEMM);
    add(&f, tiny, 1, AZ_FAMILY_COPY);
    assert_int_equal(az_flame_finish(&f), 0);
    assert_int_equal(f.nodes.n, 6);
    check_node(&f, 0, "", 160001, AZ_NO_ID);
    check_node(&f, 1, "head", 90000, 0);
    check_node(&f, 2, "gemm", 90000, 1);
    check_node(&f, 3, "layer", 70000, 0);
    check_node(&f, 4, "gemm", 40000, 3);
    check_node(&f, 5, "norm", 30000, 3);
    assert_int_equal(f.nodes.v[4].count, 2);
    assert_int_equal(f.nodes.v[0].count, 5);
    assert_int_equal(f.nodes.v[3].family, AZ_FAMILY_GEMM); /* of most of what is below */
    az_flame_release(&f);
    assert_int_equal(mem.used, 0);
}

static void nodes_and_depth_are_bounded(void **state)
{
    struct az_mem mem;
    struct az_flame f;
    (void)state;
    az_mem_init(&mem, 0);
    assert_int_equal(az_flame_init(&f, &mem), 0);
    for (int i = 0; i < 3000; i++) {
        uint32_t node = 0;
        for (int k = 0; k < 300; k++) {
            char name[40];
            const int n = snprintf(name, sizeof name, "%d", k < 2 ? i : k);
            if (i && k >= 4)
                break;
            assert_int_equal(az_flame_child(&f, &node, az_sv_make(name, (size_t)n)), 0);
        }
        az_flame_add(&f, node, 1000000 + i, AZ_FAMILY_GEMM);
    }
    assert_int_equal(az_flame_finish(&f), 0);
    assert_true(f.nodes.n <= AZ_FLAME_NODES && f.nodes.n > 2000);
    for (uint32_t i = 1; i < f.nodes.n; i++) {
        assert_true(f.nodes.v[i].parent < i);
        assert_true(f.nodes.v[i].depth == f.nodes.v[f.nodes.v[i].parent].depth + 1);
        assert_true(f.nodes.v[i].depth <= AZ_FLAME_DEPTH);
    }
    az_flame_release(&f);
    assert_int_equal(mem.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_add_up),
        cmocka_unit_test(nodes_and_depth_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
