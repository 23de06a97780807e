/* Launch geometry: rows are unique, and the column follows its kernels wherever they go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/append.h"

static struct az_geometry geometry(uint32_t blocks)
{
    return (struct az_geometry){
        .grid = { blocks, 1, 1 }, .block = { 64, 2, 1 }, .registers = 32, .static_shared = 8
    };
}

static void open_trace(struct az_trace *t, struct az_mem *m, const struct az_options *o)
{
    assert_int_equal(az_trace_init(t, m), 0);
    assert_int_equal(az_optrace_init(t, o), 0);
    az_trace_columns(t, AZ_KERNEL, AZ_COL_UID | AZ_COL_CORR);
    az_geometry_column(t);
}

/* Kernel with that many blocks; 0: without a geometry. */
static void add(struct az_trace *t, int64_t start, uint32_t blocks)
{
    struct az_lane lane = { .device_side = true, .label = AZ_NO_ID };
    struct az_event e = { .start = start, .end = start + 1, .uid = blocks };
    const struct az_geometry g = geometry(blocks);
    assert_int_equal(az_trace_lane(t, &lane, &e.lane), 0);
    e.name = az_trace_name(t, AZ_SV("k"));
    assert_int_equal(az_geometries_put(&t->geometries, &g, &e.geo), 0);
    assert_true((e.geo == 0) == (blocks == 0));
    assert_int_equal(az_trace_add(t, AZ_KERNEL, &e), 0);
}

/* Every kernel still has the geometry that it was added with. */
static void follows(const struct az_trace *t, size_t n)
{
    assert_int_equal(t->ev[AZ_KERNEL].n, n);
    for (size_t i = 0; i < n; i++) {
        const struct az_geometry *g = az_geometry_of(t, i);
        assert_int_equal(g ? g->grid[0] : 0, t->ev[AZ_KERNEL].uid[i]);
    }
}

static void rows_are_unique(void **state)
{
    (void)state;
    struct az_mem m;
    struct az_geometries g;
    uint32_t number;
    az_mem_init(&m, 0);
    az_geometries_init(&g, &m);
    for (uint32_t i = 0; i < 3000; i++) {
        const struct az_geometry row = geometry(i % 1000 + 1);
        assert_int_equal(az_geometries_put(&g, &row, &number), 0);
        assert_int_equal(number, i % 1000 + 1);
    }
    assert_int_equal(g.rows.n, 1000);
    for (int i = 0; i < 6; i++) { /* a launch without a block says nothing */
        struct az_geometry row = geometry(7);
        *(i < 3 ? &row.grid[i] : &row.block[i - 3]) = 0;
        assert_int_equal(az_geometries_put(&g, &row, &number), 0);
        assert_int_equal(number, 0);
    }
    az_geometries_release(&g);
    assert_int_equal(m.used, 0);
    az_mem_init(&m, 16);
    az_geometries_init(&g, &m);
    const struct az_geometry row = geometry(1);
    assert_int_equal(az_geometries_put(&g, &row, &number), AZ_ELIMIT);
    az_geometries_release(&g);
    assert_int_equal(m.used, 0);
}

static void figures(void **state)
{
    (void)state;
    struct az_geometry g = geometry(1);
    assert_int_equal(az_geometry_shared(&g), 8);
    g.dynamic_shared = 4;
    assert_int_equal(az_geometry_shared(&g), 12);
    g.static_shared = AZ_NO_SIZE;
    assert_int_equal(az_geometry_shared(&g), 4);
    g.dynamic_shared = AZ_NO_SIZE;
    assert_int_equal(az_geometry_shared(&g), -1);
    assert_int_equal(az_geometry_figure(-1, 0), 0);
    assert_int_equal(az_geometry_figure(INT64_C(1) << 32, 0), 0);
    assert_int_equal(az_geometry_figure(5, 0), 5);
}

static void column_follows_its_kernels(void **state)
{
    (void)state;
    const struct az_options o = { .kernel_geometry = true };
    struct az_mem m;
    struct az_trace whole, part;
    az_mem_init(&m, 0);
    open_trace(&whole, &m, &o);
    open_trace(&part, &m, &o);
    for (uint32_t i = 0; i < 100; i++) {
        add(&whole, 1000 - i, i % 7);
        add(&part, 2000 - i, i % 5 + 4); /* some are new to the whole */
    }
    const uint32_t same = 0;
    assert_int_equal(
        az_optrace_append(&whole, &part, &(struct az_append){ .name = &same, .lane = &same }), 0);
    az_trace_release(&part);
    follows(&whole, 200);
    whole.ext_ops->release(&whole); /* no call tree here */
    whole.ext_ops = NULL;
    assert_int_equal(az_trace_finalize(&whole), 0);
    follows(&whole, 200);
    assert_true(whole.caps & AZ_CAP_GEOMETRY);
    assert_string_equal(az_cap_text(AZ_CAP_GEOMETRY), "launch geometry of kernels");
    uint8_t gone[200] = { [3] = 1, [150] = 1 };
    const struct az_event more = { .start = 5, .end = 6 };
    assert_int_equal(az_trace_replace(&whole, AZ_KERNEL, gone, &more, 1), 0);
    follows(&whole, 199);
    az_trace_release(&whole);
    assert_int_equal(m.used, 0);
}

static void a_column_of_none_is_given_back(void **state)
{
    (void)state;
    const struct az_options quiet = { .compat = AZ_TOOL_HTA },
                            nsys = { .compat = AZ_TOOL_NSYS | AZ_TOOL_HTA };
    struct az_trace t;
    assert_false(az_geometry_wanted(&quiet));
    assert_true(az_geometry_wanted(&nsys));
    assert_int_equal(az_trace_init(&t, NULL), 0);
    assert_false(az_geometry_read(&t));
    add(&t, 1, 5);
    assert_null(az_geometry_of(&t, 0));
    az_trace_release(&t);

    assert_int_equal(az_trace_init(&t, NULL), 0);
    az_geometry_column(&t);
    assert_true(az_geometry_read(&t));
    add(&t, 1, 0);
    assert_int_equal(az_trace_finalize(&t), 0);
    assert_false(az_geometry_read(&t));
    assert_null(t.ev[AZ_KERNEL].geo);
    assert_false(t.caps & AZ_CAP_GEOMETRY);
    az_trace_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_unique),
        cmocka_unit_test(figures),
        cmocka_unit_test(column_follows_its_kernels),
        cmocka_unit_test(a_column_of_none_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
