/* What all analyses over ranks share, the table of ranks and the summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/analyses_job.h"

#define assert_text(view, text)                                                                    \
    do {                                                                                           \
        const struct az_sv sv_ = (view);                                                           \
        char *copy_ = strndup(sv_.p, sv_.n);                                                       \
        assert_string_equal(copy_, text);                                                          \
        free(copy_);                                                                               \
    } while (0)

static void lists(void **state)
{
    struct fix *f = *state;
    const int64_t v[] = { 0, 1, 3, 5, 6, 7, 9 };
    int64_t many[400];
    assert_text(az_rank_list(&f->arena, v, 0), "");
    assert_text(az_rank_list(&f->arena, v, 1), "0");
    assert_text(az_rank_list(&f->arena, v, 2), "0, 1");
    assert_text(az_rank_list(&f->arena, v, 7), "0, 1, 3, 5-7, 9");
    for (int i = 0; i < 400; i++)
        many[i] = 2 * i;
    const struct az_sv cut = az_rank_list(&f->arena, many, 400);
    assert_true(cut.n < 230 && az_sv_starts(cut, AZ_SV("0, 2, 4")) &&
                az_sv_ends(cut, AZ_SV(" more")));
}

static void texts_are_kept_once(void **state)
{
    struct fix *f = *state;
    struct az_intern texts;
    struct az_arena keep;
    char name[] = "kernel";
    az_arena_init(&keep, &f->mem);
    az_intern_init(&texts, &keep, &f->mem);
    const struct az_sv own = az_rank_text(&f->job, &keep, AZ_SV("kernel"));
    f->job.texts = &texts;
    const struct az_sv a = az_rank_text(&f->job, &keep, az_sv_str(name));
    const struct az_sv b = az_rank_text(&f->job, &keep, AZ_SV("kernel"));
    name[0] = 'X';
    assert_ptr_equal(a.p, b.p);
    assert_ptr_not_equal(a.p, own.p);
    assert_text(a, "kernel");
    assert_non_null(az_rank_text(&f->job, &keep, AZ_SV("")).p);
    az_intern_release(&texts);
    assert_text(b, "kernel"); /* it is the arena's */
    az_arena_release(&keep);
}

static const struct az_fact FACTS[3][2] = {
    { { { "driver_version", 14 }, { "1.0", 3 } }, { { "device 0", 8 }, { "A", 1 } } },
    { { { "driver_version", 14 }, { "2.0", 3 } }, { { "device 0", 8 }, { "A", 1 } } },
    { { { "driver_version", 14 }, { "1.0", 3 } }, { { "device 0", 8 }, { "B", 1 } } },
};

/* Ranks 0, 1 and 3 of a world of 5; 4 could not be read. */
static struct az_ranks three(struct az_rank v[3], struct az_rank_failure *failed)
{
    static const int64_t missing[] = { 2, 4 };
    for (int i = 0; i < 3; i++)
        v[i] = (struct az_rank){ .rank = i == 2 ? 3 : i,
                                 .path = i == 2 ? AZ_SV("/data/run/sub/c.json")
                                         : i    ? AZ_SV("/data/run/b.json")
                                                : AZ_SV("/data/run/a.json"),
                                 .host = AZ_SV("node"),
                                 .device = i == 2 ? AZ_SV("B") : AZ_SV("A"),
                                 .read = 20,
                                 .kept = 10,
                                 .ticks_per_ns = 1,
                                 .facts = FACTS[i],
                                 .n_facts = 2,
                                 .warnings = (size_t)i };
    *failed = (struct az_rank_failure){ 4, AZ_SV("/data/run/d.json"), AZ_SV("empty") };
    return (struct az_ranks){ .v = v,
                              .n = 3,
                              .world_size = 5,
                              .missing = missing,
                              .n_missing = 2,
                              .failed = failed,
                              .n_failed = 1 };
}

static struct az_sv exact(const struct az_table *t, size_t row, const char *column, char *buf)
{
    const ptrdiff_t c = az_table_find(t, column);
    assert_true(c >= 0 && row < t->rows);
    return az_cell_exact(az_table_at(t, row, (size_t)c), buf);
}

static void put_averages(struct fix *f)
{
    struct az_table *t = az_table_new(&f->arena, "gpu_timelines_by_rank", "", 0);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "busy_time", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "idle_time", AZ_REAL, AZ_UNIT_MS, 0);
    for (int rank = 0; rank < 2; rank++) {
        az_put_i64(t, rank);
        az_put_f64(t, 1 + rank);
        az_put_empty(t);
    }
    assert_int_equal(az_table_finish(t), 0);
    assert_int_equal(az_document_add(&f->doc, t), 0);
}

static void tables_of_a_run(void **state)
{
    struct fix *f = *state;
    struct az_rank v[3];
    struct az_rank_failure failed;
    const struct az_ranks ranks = three(v, &failed);
    void *parts[3] = { NULL, NULL, NULL };
    char buf[64];

    f->job = (struct az_job){
        .opts = &f->opts, .arena = &f->arena, .mem = &f->mem, .diag = &f->diag, .doc = &f->doc
    };
    f->job.coverage = az_coverage_table(&f->arena);
    f->job.findings = az_findings_table(&f->arena);
    /* a part of rank 1 only */
    add(&f->t[0], AZ_KERNEL, "k", 0, 100, 350, 0);
    assert_int_equal(az_trace_finalize(&f->t[0]), 0);
    f->t[0].base_ns = 1000;
    f->job.traces = f->views;
    f->job.n_traces = 1;
    assert_int_equal(az_rank_analysis_ranks.reduce(&f->job, &f->arena, &parts[1]), 0);
    f->job.n_traces = 0;
    assert_int_equal(az_rank_analysis_ranks.finish(&f->job, &ranks, parts), 0);
    put_averages(f);
    assert_int_equal(az_rank_analysis_rank_summary.finish(&f->job, &ranks, parts), 0);

    const struct az_table *t = az_document_table(&f->doc, "ranks");
    assert_non_null(t);
    assert_int_equal(t->rows, 5); /* 2 is missing, 4 failed: one row each */
    assert_text(exact(t, 0, "file", buf), "a.json");
    assert_text(exact(t, 0, "first_ts_ns", buf), "");
    assert_text(exact(t, 0, "status", buf), "ok");
    assert_text(exact(t, 1, "first_ts_ns", buf), "1100");
    assert_text(exact(t, 1, "last_ts_ns", buf), "1350");
    assert_text(exact(t, 1, "steps", buf), "");
    assert_text(exact(t, 1, "status", buf), "ok, 1 warning");
    assert_text(exact(t, 2, "status", buf), "missing");
    assert_text(exact(t, 3, "file", buf), "sub/c.json");
    assert_text(exact(t, 4, "rank", buf), "4");
    assert_text(exact(t, 4, "status", buf), "failed: empty");
    az_rank_set_offset(&f->job, &ranks, 2, -77);
    assert_text(exact(t, 3, "offset_ns", buf), "-77");
    assert_text(exact(t, 1, "offset_ns", buf), "");

    t = f->doc.tables.v[0];
    assert_text(t->id, "rank_summary");
    assert_text(exact(t, 0, "item", buf), "world size");
    assert_text(exact(t, 0, "value", buf), "5");
    assert_text(exact(t, 2, "note", buf), "2, 4");
    assert_text(exact(t, t->rows - 1, "item", buf),
                "timeline: busy_time"); /* what is empty is not an average */
    assert_text(exact(t, t->rows - 1, "value", buf), "1.5");
    assert_int_equal(az_table_finish(f->job.findings), 0);
    bool version = false, device = false;
    for (size_t i = 0; i < f->job.findings->rows; i++) {
        const struct az_sv s = exact(f->job.findings, i, "Subject", buf);
        version |= az_sv_eq(s, AZ_SV("driver_version: '1.0' on ranks 0, 3; '2.0' on rank 1"));
        device |= az_sv_eq(s, AZ_SV("device: 'A' on ranks 0, 1; 'B' on rank 3"));
    }
    assert_true(version && device);
}

/* The offset of a document without the table goes nowhere. */
static void no_table_no_offset(void **state)
{
    struct fix *f = *state;
    struct az_rank v[3];
    struct az_rank_failure failed;
    const struct az_ranks ranks = three(v, &failed);
    f->job.doc = &f->doc;
    az_rank_set_offset(&f->job, &ranks, 0, 5);
    assert_int_equal(f->doc.tables.n, 0);
    assert_int_equal(az_ranks_find(&ranks, 3), 2);
    assert_int_equal(az_ranks_find(&ranks, 2), -1);
    assert_int_equal(az_ranks_find(&ranks, -1), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_are_kept_once, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_of_a_run, setup, teardown),
        cmocka_unit_test_setup_teardown(no_table_no_offset, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
