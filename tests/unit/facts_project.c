/* Links and projection, against brute force on random traces. */
#include "unit/analyses_trace.h"

struct fix {
    struct az_mem mem;
    struct az_arena arena;
    struct az_trace t;
    struct az_link link;
    struct az_launches launches;
    struct az_projection p;
};

static int setup(void **state)
{
    struct fix *f = calloc(1, sizeof *f);
    az_mem_init(&f->mem, 0);
    az_arena_init(&f->arena, &f->mem);
    new_trace(&f->t, &f->mem);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fix *f = *state;
    az_trace_release(&f->t);
    az_arena_release(&f->arena);
    size_t left = f->mem.used;
    free(f);
    return left == 0 ? 0 : -1; /* scratch must have been given back */
}

static void project(struct fix *f)
{
    assert_int_equal(az_trace_finalize(&f->t), 0);
    assert_int_equal(az_link_make(&f->link, &f->t, &f->arena, &f->mem), 0);
    assert_int_equal(az_launches_make(&f->launches, &f->t, &f->link, &f->arena, &f->mem), 0);
    assert_int_equal(az_project(&f->p, &f->t, &f->launches, &f->arena, &f->mem), 0);
}

static void links_by_process_and_id(void **state)
{
    struct fix *f = *state;
    uint32_t a = host_lane(&f->t, 1, 1), b = host_lane(&f->t, 2, 1),
             ga = stream_lane(&f->t, 1, 0, 7), gb = stream_lane(&f->t, 2, 0, 7);
    add(&f->t, AZ_CALL, "launch", a, 10, 20, 5);
    add(&f->t, AZ_CALL, "launch", b, 11, 21, 5);
    add(&f->t, AZ_CALL, "inner", a, 12, 18, 5);        /* same id later: the first counts */
    add(&f->t, AZ_CALL, "far", a, 30, 31, 1ull << 60); /* ids too wide for a table */
    add(&f->t, AZ_CALL, "none", b, 40, 41, 0);
    add(&f->t, AZ_KERNEL, "k", ga, 100, 110, 5);
    add(&f->t, AZ_KERNEL, "k", gb, 101, 110, 5);
    add(&f->t, AZ_KERNEL, "k", ga, 102, 110, 1ull << 60);
    add(&f->t, AZ_KERNEL, "k", ga, 103, 110, 6); /* within the ids, no such call */
    add(&f->t, AZ_KERNEL, "k", gb, 104, 110, 0); /* id 0 is none, though a call has none too */
    add(&f->t, AZ_KERNEL, "k", gb, 105, 110, 1ull << 60);
    project(f);
    const uint32_t *call = f->link.call[AZ_KERNEL];
    assert_int_equal(call[0], 0);
    assert_int_equal(call[1], 1);
    assert_int_equal(call[2], 3);
    assert_int_equal(call[3], AZ_NO_ROW);
    assert_int_equal(call[4], AZ_NO_ROW);
    assert_int_equal(call[5], AZ_NO_ROW);
    assert_null(f->link.call[AZ_MEMCPY]);
    assert_int_equal(f->launches.n, 3);
}

/* A table of every id between the first and the last of a process would be gigabytes here. */
static void many_processes_stay_small(void **state)
{
    enum { PROCESSES = 3000, APART = 30000 };
    struct fix *f = *state;
    for (uint32_t p = 1; p <= PROCESSES; p++) {
        uint32_t host = host_lane(&f->t, p, 1);
        add(&f->t, AZ_CALL, "launch", host, p, p, 1);
        add(&f->t, AZ_CALL, "launch", host, p, p, APART);
        add(&f->t, AZ_KERNEL, "k", stream_lane(&f->t, p, 0, 7), p, p, APART);
    }
    assert_int_equal(az_trace_finalize(&f->t), 0);
    size_t before = f->mem.used;
    assert_int_equal(az_link_make(&f->link, &f->t, &f->arena, &f->mem), 0);
    assert_true(f->mem.peak - before < 4u << 20);
    for (uint32_t i = 0; i < PROCESSES; i++)
        assert_int_equal(f->link.call[AZ_KERNEL][i], 2 * i + 1);
}

static void edges_are_inclusive(void **state)
{
    struct fix *f = *state;
    uint32_t h = host_lane(&f->t, 1, 1), other = host_lane(&f->t, 1, 2),
             g = stream_lane(&f->t, 1, 0, 7);
    add_range(&f->t, "exact", h, 10, 20, 1, 0, false);
    add_range(&f->t, "late", h, 11, 20, 2, 0, false);  /* the call starts before it */
    add_range(&f->t, "short", h, 10, 19, 3, 0, false); /* and ends after it */
    add_range(&f->t, "thread", other, 0, 99, 4, 0, false);
    add_range(&f->t, "crosses", h, 0, 99, 5, 1, true);
    add(&f->t, AZ_CALL, "graph", h, 10, 20, 1);
    add(&f->t, AZ_KERNEL, "k", g, 15, 40, 1);
    add(&f->t, AZ_KERNEL, "k", g, 41, 60, 1);
    add_copy(&f->t, AZ_MEMCPY, "c", g, 12, 30, 1, (struct az_copy){ .bytes = 1 });
    project(f);
    assert_int_equal(f->p.n, 1);
    uint32_t row = f->p.order[0];
    assert_int_equal(az_range_id(&f->t, row), 1);
    assert_int_equal(f->p.ops[row], 1); /* one correlation id, three operations */
    assert_int_equal(f->p.start[row], 12);
    assert_int_equal(f->p.end[row], 60);
}

static void graph_rows_do_not_project(void **state)
{
    struct fix *f = *state;
    uint32_t h = host_lane(&f->t, 1, 1), g = stream_lane(&f->t, 1, 0, 7);
    add_range(&f->t, "r", h, 0, 50, 1, 0, false);
    add(&f->t, AZ_CALL, "graph", h, 10, 20, 1);
    add(&f->t, AZ_GRAPH, "g", g, 15, 40, 1);
    project(f);
    assert_int_equal(f->p.n, 0);
    assert_int_equal(f->launches.n, 1); /* but it is a launch, for windows */
    assert_int_equal(az_op_kind(f->launches.op[0]), AZ_GRAPH);
}

static void equal_ranges_nest_in_file_order(void **state)
{
    struct fix *f = *state;
    uint32_t h = host_lane(&f->t, 1, 1);
    add_range(&f->t, "inner", h, 12, 15, 3, 0, false);
    add_range(&f->t, "a", h, 10, 20, 1, 0, false);
    add_range(&f->t, "b", h, 10, 20, 2, 0, false);
    add_range(&f->t, "wide", h, 10, 30, 4, 0, false);
    project(f);
    /* rows by start: a 0, b 1, wide 2, inner 3 */
    assert_int_equal(f->p.parent[2], AZ_NO_ROW);
    assert_int_equal(f->p.parent[0], 2);
    assert_int_equal(f->p.parent[1], 0);
    assert_int_equal(f->p.parent[3], 1);
    assert_int_equal(f->p.level[3], 3);
    assert_int_equal(f->p.n, 0); /* nothing was launched */
}

static void nothing_at_all(void **state)
{
    struct fix *f = *state;
    project(f);
    assert_int_equal(f->p.n, 0);
    assert_int_equal(f->launches.n, 0);
}

/* ---- brute force ---- */
static bool projectable(const struct az_trace *t, size_t i)
{
    return !az_range_side(t, i)->crosses;
}

static void check_range(const struct fix *f, size_t i)
{
    const struct az_events *r = &f->t.ev[AZ_RANGE], *c = &f->t.ev[AZ_CALL],
                           *k = &f->t.ev[AZ_KERNEL];
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    uint32_t calls = 0;
    for (size_t j = 0; projectable(&f->t, i) && j < c->n; j++) {
        bool any = false;
        if (c->lane[j] != r->lane[i] || c->start[j] < r->start[i] || c->end[j] > r->end[i])
            continue;
        for (size_t o = 0; o < k->n; o++) {
            if (k->corr[o] != c->corr[j] ||
                f->t.lanes.v[k->lane[o]].proc != f->t.lanes.v[c->lane[j]].proc)
                continue;
            any = true;
            lo = k->start[o] < lo ? k->start[o] : lo;
            hi = k->end[o] > hi ? k->end[o] : hi;
        }
        calls += any;
    }
    assert_int_equal(f->p.ops[i], calls);
    if (calls) {
        assert_int_equal(f->p.start[i], lo);
        assert_int_equal(f->p.end[i], hi);
    }
}

static void check_parent(const struct fix *f, size_t i)
{
    const struct az_events *r = &f->t.ev[AZ_RANGE];
    uint32_t best = AZ_NO_ROW;
    for (size_t j = 0; projectable(&f->t, i) && j < r->n; j++) {
        bool equal = r->start[j] == r->start[i] && r->end[j] == r->end[i];
        if (j == i || !projectable(&f->t, j) || r->lane[j] != r->lane[i] || (equal && j > i))
            continue;
        if (r->start[j] > r->start[i] || r->end[j] < r->end[i])
            continue;
        if (best == AZ_NO_ROW || r->end[j] - r->start[j] <= r->end[best] - r->start[best])
            best = (uint32_t)j;
    }
    assert_int_equal(f->p.parent[i], best);
    assert_int_equal(f->p.level[i], best == AZ_NO_ROW ? 0 : f->p.level[best] + 1);
}

static void random_traces_agree_with_brute_force(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 60; round++) {
        void *s;
        setup(&s);
        struct fix *f = s;
        uint32_t h[3] = { host_lane(&f->t, 1, 1), host_lane(&f->t, 1, 2), host_lane(&f->t, 2, 1) };
        uint32_t g[2] = { stream_lane(&f->t, 1, 0, 7), stream_lane(&f->t, 2, 1, 7) };
        /* ranges and calls overlap as they like; in every other round calls end in their order */
        const bool ordered = round % 2;
        const int calls = ordered ? 300 : 60;
        for (int i = 0; i < 60; i++) {
            int64_t at = rand() % 100;
            add_range(&f->t, "r", h[rand() % 3], at, at + rand() % 40, (uint64_t)(1000 - i), 0,
                      rand() % 10 == 0);
        }
        for (int i = 0; i < calls; i++) {
            const int64_t at = rand() % 100, length = ordered ? 3 : rand() % 6;
            add(&f->t, AZ_CALL, "c", h[rand() % 3], at, at + length, (uint64_t)i + 1);
        }
        for (int i = 0; i < calls * 4 / 3; i++) {
            int64_t at = rand() % 300;
            add(&f->t, AZ_KERNEL, "k", g[rand() % 2], at, at + rand() % 20,
                (uint64_t)(rand() % (calls + 10)));
        }
        project(f);
        size_t rows = 0;
        for (size_t i = 0; i < f->p.n_ranges; i++) {
            uint32_t children = 0;
            check_range(f, i);
            check_parent(f, i);
            for (size_t j = 0; j < f->p.n_ranges; j++)
                children += f->p.parent[j] == i && f->p.ops[j] > 0;
            assert_int_equal(f->p.children[i], children);
            rows += f->p.ops[i] > 0;
        }
        assert_int_equal(f->p.n, rows);
        for (size_t i = 1; i < rows; i++)
            assert_true(az_range_id(&f->t, f->p.order[i - 1]) < az_range_id(&f->t, f->p.order[i]));
        assert_int_equal(teardown(&s), 0);
    }
}

static void memory_limit_is_an_error(void **state)
{
    struct fix *f = *state;
    uint32_t h = host_lane(&f->t, 1, 1), g = stream_lane(&f->t, 1, 0, 7);
    for (int i = 0; i < 5000; i++) {
        add_range(&f->t, "r", h, i * 10, i * 10 + 9, (uint64_t)i, 0, false);
        add(&f->t, AZ_CALL, "c", h, i * 10 + 1, i * 10 + 3, (uint64_t)i + 1);
        add(&f->t, AZ_KERNEL, "k", g, i * 10 + 5, i * 10 + 9, (uint64_t)i + 1);
    }
    assert_int_equal(az_trace_finalize(&f->t), 0);
    size_t base = f->mem.used;
    bool done = false;
    for (size_t more = 0; !done; more += 20000) { /* every place where memory may run out */
        struct az_arena arena;
        az_arena_init(&arena, &f->mem);
        f->mem.limit = base + more;
        int rc = az_link_make(&f->link, &f->t, &arena, &f->mem);
        if (rc == 0)
            rc = az_launches_make(&f->launches, &f->t, &f->link, &arena, &f->mem);
        if (rc == 0)
            rc = az_project(&f->p, &f->t, &f->launches, &arena, &f->mem);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        done = rc == 0;
        az_arena_release(&arena);
        assert_int_equal(f->mem.used, base);
    }
    f->mem.limit = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(links_by_process_and_id, setup, teardown),
        cmocka_unit_test_setup_teardown(many_processes_stay_small, setup, teardown),
        cmocka_unit_test_setup_teardown(edges_are_inclusive, setup, teardown),
        cmocka_unit_test_setup_teardown(graph_rows_do_not_project, setup, teardown),
        cmocka_unit_test_setup_teardown(equal_ranges_nest_in_file_order, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_at_all, setup, teardown),
        cmocka_unit_test(random_traces_agree_with_brute_force),
        cmocka_unit_test_setup_teardown(memory_limit_is_an_error, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
