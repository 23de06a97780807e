/* Levels of detail of a timeline: what is merged, what stays by itself, and that all of it is
 * bounded and says the same time at every level. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "document/tracks.h"

struct env {
    struct az_mem mem;
    struct az_tracks out;
    struct az_lod lod;
};

static void begin(struct env *e, int64_t to, size_t lanes, size_t budget)
{
    az_mem_init(&e->mem, 0);
    az_tracks_init(&e->out, &e->mem);
    assert_int_equal(az_lod_init(&e->lod, 0, to, lanes, budget, &e->mem), 0);
}

static void end(struct env *e)
{
    az_lod_release(&e->lod);
    az_tracks_release(&e->out);
    assert_int_equal(e->mem.used, 0);
}

static void add(struct env *e, uint32_t lane, int64_t start, int64_t duration, uint32_t name,
                enum az_family family)
{
    const struct az_track_mark m = { .start = start,
                                     .duration = duration,
                                     .busy = duration,
                                     .lane = lane,
                                     .name = name,
                                     .count = 1,
                                     .family = (uint8_t)family };
    assert_int_equal(az_lod_add(&e->lod, &m), 0);
}

static bool finish(struct env *e)
{
    bool exact = false;
    assert_int_equal(az_lod_finish(&e->lod, &e->out, &exact), 0);
    return exact;
}

static void short_neighbours_become_a_density(void **state)
{
    struct env e;
    (void)state;
    begin(&e, 1024000, 1, 5000); /* level 0: 1 us and a bit a place */
    const int64_t r = e.lod.resolution[0];
    assert_true(r >= 1000);
    add(&e, 0, 0, 100, 7, AZ_FAMILY_GEMM);
    add(&e, 0, 200, 300, 8, AZ_FAMILY_NORM);
    add(&e, 0, 600, 250, 9, AZ_FAMILY_GEMM);
    add(&e, 0, 20 * r, 2 * r, 10, AZ_FAMILY_COPY); /* long: by itself */
    add(&e, 0, 40 * r, 50, 11, AZ_FAMILY_COPY);    /* far from the others */
    assert_true(finish(&e));
    const struct az_track_level *coarse = &e.out.levels.v[0],
                                *all = &e.out.levels.v[e.out.levels.n - 1];
    assert_int_equal(coarse->n, 3);
    assert_int_equal(all->n, 5);
    assert_int_equal(all->resolution, 0);
    const struct az_track_mark *m = &e.out.marks.v[coarse->first];
    assert_int_equal(m[0].start, 0);
    assert_int_equal(m[0].duration, 850);
    assert_int_equal(m[0].busy, 650);
    assert_int_equal(m[0].count, 3);
    assert_int_equal(m[0].name, 8);                /* the longest */
    assert_int_equal(m[0].family, AZ_FAMILY_GEMM); /* most of the time */
    assert_int_equal(m[1].start, 20 * r);
    assert_int_equal(m[1].count, 1);
    assert_int_equal(m[2].count, 1);
    end(&e);
}

/* Millions of events, in bursts, on two lanes: the levels stay within the budget, each has all the
 * time and all events of its lanes, in order. */
static void levels_are_bounded_and_say_the_same(void **state)
{
    struct env e;
    int64_t busy[2] = { 0 };
    (void)state;
    begin(&e, 1000000000, 2, 20000);
    for (int64_t i = 0; i < 400000; i++)
        for (uint32_t lane = 0; lane < 2; lane++) {
            const int64_t d = 500 + i * 37 % 1200;
            if (i % 1000 > 700 + 100 * lane)
                continue;
            add(&e, lane, i * 2500, d, (uint32_t)(i % 50), (enum az_family)(i % 50 % AZ_FAMILIES));
            busy[lane] += d;
        }
    assert_false(finish(&e));
    assert_true(e.out.marks.n <= 20000 && e.out.marks.n > 5000);
    assert_true(e.out.levels.n >= 4);
    for (size_t i = 0; i < e.out.levels.n; i++) {
        const struct az_track_level *l = &e.out.levels.v[i];
        int64_t time = 0, last = -1;
        for (size_t k = 0; k < l->n; k++) {
            const struct az_track_mark *m = &e.out.marks.v[l->first + k];
            assert_int_equal(m->lane, l->lane);
            assert_true(m->start >= last && m->busy <= m->duration);
            assert_true(m->start + m->duration <= 1000000000);
            last = m->start;
            time += m->busy;
        }
        assert_true(time == busy[l->lane]);
        if (i >= 2)
            assert_true(l->resolution < e.out.levels.v[i - 2].resolution);
    }
    end(&e);
}

/* Long work that overlaps on one lane, which no stream does, is not drawn without end. */
static void overlaps_do_not_break_the_bound(void **state)
{
    struct env e;
    (void)state;
    begin(&e, 1000000, 1, 4000);
    for (int64_t i = 0; i < 50000; i++)
        add(&e, 0, i * 10, 400000, 0, AZ_FAMILY_OTHER);
    assert_false(finish(&e));
    assert_true(e.out.levels.n >= 1);
    assert_true(e.out.marks.n > 0 && e.out.marks.n <= 4000);
    end(&e);
}

static void a_part_is_cut_at_its_ends(void **state)
{
    struct env e;
    (void)state;
    begin(&e, 0, 1, 100);
    az_lod_release(&e.lod);
    assert_int_equal(az_lod_init(&e.lod, 1000, 2000, 1, 100, &e.mem), 0);
    add(&e, 0, 0, 500, 0, AZ_FAMILY_GEMM);
    add(&e, 0, 900, 300, 0, AZ_FAMILY_GEMM);
    add(&e, 0, 1900, 300, 0, AZ_FAMILY_GEMM);
    add(&e, 0, 2500, 300, 0, AZ_FAMILY_GEMM);
    assert_true(finish(&e));
    const struct az_track_level *l = &e.out.levels.v[e.out.levels.n - 1];
    assert_int_equal(l->from, 1000);
    assert_int_equal(l->n, 2);
    assert_int_equal(e.out.marks.v[l->first].start, 1000);
    assert_int_equal(e.out.marks.v[l->first].duration, 200);
    assert_int_equal(e.out.marks.v[l->first + 1].duration, 100);
    end(&e);
}

static void nothing_at_all(void **state)
{
    struct env e;
    (void)state;
    begin(&e, 1000, 3, 100);
    assert_true(finish(&e));
    assert_int_equal(e.out.marks.n, 0);
    end(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_neighbours_become_a_density),
        cmocka_unit_test(levels_are_bounded_and_say_the_same),
        cmocka_unit_test(overlaps_do_not_break_the_bound),
        cmocka_unit_test(a_part_is_cut_at_its_ends),
        cmocka_unit_test(nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
