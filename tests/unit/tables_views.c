/* Views: which of the tables that answer one question are shown. */
#include "unit/document_env.h"

#include "tables/views.h"

/* A table of two rows; its first column holds a and b. */
static void add(struct env *e, const char *id, const char *column, int64_t a, int64_t b)
{
    struct az_table *t = az_table_new(&e->arena, id, id, 0);
    az_table_column(t, column, AZ_INT, AZ_UNIT_COUNT, 0);
    az_put_i64(t, a);
    az_put_i64(t, b);
    assert_int_equal(az_document_add(&e->doc, t), 0);
}

static void chosen(struct env *e, unsigned compat, unsigned native, const char *withheld)
{
    struct az_sv got;
    assert_int_equal(az_views_select(&e->doc,
                                     (struct az_view_choice){ .compat = compat, .native = native },
                                     &got),
                     0);
    assert_int_equal(got.n, strlen(withheld));
    assert_memory_equal(got.p, withheld, got.n);
}

static void better_answer_wins(void **state)
{
    struct env *e = *state;
    add(e, "kern_sum", "Instances", 1, 2); /* the order of making says nothing */
    add(e, "kernel_summary", "Count", 1, 2);
    add(e, "made_by_a_script", "x", 1, 2);
    chosen(e, 0, 0, "kern_sum");
    assert_non_null(az_document_table(&e->doc, "made_by_a_script"));
}

/* The timeline of ranks, steps, gaps by size: each once. What the verdict adds at the end counts.
 */
static void one_table_a_question(void **state)
{
    struct env *e = *state;
    struct az_sv withheld;
    add(e, "gpu_timelines", "rank_max", 0, 1);
    add(e, "gpu_timelines_by_rank", "rank", 0, 1);
    add(e, "steps", "step", 0, 1);
    add(e, "step_times", "count", 1, 2);
    add(e, "gpu_gaps_histogram", "Gaps", 1, 2);
    assert_int_equal(
        az_views_select(&e->doc, (struct az_view_choice){ .native = AZ_TOOL_NSYS, .causes = true },
                        &withheld),
        0);
    assert_true(az_sv_is(withheld, "gpu_timelines, step_times, gpu_gaps_histogram"));
}

static void only_answer_stays(void **state)
{
    struct env *e = *state;
    add(e, "kern_sum", "Instances", 1, 2);
    add(e, "gpu_gaps", "Duration (ns)", 1, 2);
    chosen(e, 0, 0, "");
    assert_int_equal(e->doc.tables.n, 2);
}

static void asked_for(void **state)
{
    struct env *e = *state;
    const struct az_view_choice nsys = { .compat = AZ_TOOL_NSYS, .native = AZ_TOOL_TRACELENS },
                                none = { .native = AZ_TOOL_TRACELENS };
    add(e, "kernel_summary", "Count", 1, 2);
    assert_true(az_views_wanted(&e->doc, "kern_sum", nsys));
    assert_false(az_views_wanted(&e->doc, "kern_sum", none));
    assert_true(az_views_wanted(
        &e->doc, "kern_sum",
        (struct az_view_choice){ .compat = AZ_TOOL_ALL, .native = AZ_TOOL_TRACELENS }));
    assert_true(az_views_wanted(&e->doc, "unknown", none));
    add(e, "kern_sum", "Instances", 1, 2);
    add(e, "temporal_breakdown", "rank", 0, 1);
    chosen(e, AZ_TOOL_NSYS, AZ_TOOL_TRACELENS, "temporal_breakdown");
}

/* What another tool's users alone know is not shown where the format has users of its own, even if
 * nobody else answers; a format without gets it. */
static void details_of_others(void **state)
{
    struct env *e = *state;
    add(e, "api_sum", "Num Calls", 1, 2);
    chosen(e, 0, 0, "");
    chosen(e, 0, AZ_TOOL_NSYS, "");
    chosen(e, 0, AZ_TOOL_TRACELENS, "api_sum");
}

/* Time by family answers the question of classes, but not of those that the user has named. */
static void classes_of_the_user(void **state)
{
    struct env *e = *state;
    struct az_view_choice c = { .native = AZ_TOOL_TRACELENS, .class_map = true };
    add(e, "kernel_class_summary", "count", 1, 2);
    assert_true(az_views_wanted(&e->doc, "kernel_class_summary", c));
    add(e, "time_by_family", "count", 1, 2);
    assert_true(az_views_wanted(&e->doc, "kernel_class_summary", c));
    c.class_map = false;
    assert_false(az_views_wanted(&e->doc, "kernel_class_summary", c));
    chosen(e, 0, AZ_TOOL_TRACELENS, "kernel_class_summary");
    assert_non_null(az_document_table(&e->doc, "time_by_family"));
}

/* Tables of the classic block come with a report that has it. */
static void classic_block(void **state)
{
    struct env *e = *state;
    struct az_view_choice c = { .native = AZ_TOOL_NSYS };
    add(e, "time_by_family", "count", 1, 2);
    add(e, "classes", "count", 1, 2);
    add(e, "mem_time_sum", "Count", 1, 2);
    add(e, "memops", "Count", 1, 2);
    assert_false(az_views_wanted(&e->doc, "classes", c));
    assert_false(az_views_wanted(&e->doc, "memops", c));
    c.classic = true;
    assert_true(az_views_wanted(&e->doc, "classes", c));
    assert_true(az_views_wanted(&e->doc, "memops", c));
}

/* Tables by family of operators: on request, where nothing else answers, and for comparisons. */
static void family_sheets(void **state)
{
    struct env *e = *state;
    struct az_view_choice c = { .native = AZ_TOOL_TRACELENS };
    assert_true(az_views_wanted(&e->doc, "families", c));
    add(e, "unified_perf_summary", "count", 1, 2);
    assert_false(az_views_wanted(&e->doc, "families", c));
    c.families = true;
    assert_true(az_views_wanted(&e->doc, "families", c));
    c.families = false;
    c.compat = AZ_TOOL_TRACELENS;
    assert_true(az_views_wanted(&e->doc, "families", c));
    add(e, "GEMM", "count", 1, 2);
    e->doc.tables.v[e->doc.tables.n - 1]->kind = AZ_SV("families");
    chosen(e, 0, AZ_TOOL_TRACELENS, "GEMM");
}

static void one_value_or_nothing_to_say(void **state)
{
    struct env *e = *state;
    add(e, "gpu_timeline_by_device", "device", 3, 3);
    add(e, "gpu_timeline_by_step", "Step", 1, 2);
    add(e, "data_quality", "Count", 0, 0);
    chosen(e, 0, 0, "gpu_timeline_by_device, data_quality");
    assert_int_equal(e->doc.tables.n, 1);
}

/* A chart goes with its table. */
static void charts(void **state)
{
    struct env *e = *state;
    struct az_chart c = { .table = AZ_SV("kern_sum"), .x = AZ_SV("Instances") };
    add(e, "kernel_summary", "Count", 1, 2);
    add(e, "kern_sum", "Instances", 1, 2);
    az_vec_init(&c.y, &e->mem);
    assert_int_equal(az_vec_push(&c.y, AZ_SV("Instances")), 0);
    assert_int_equal(az_document_chart(&e->doc, c), 0);
    chosen(e, 0, 0, "kern_sum");
    assert_int_equal(e->doc.charts.n, 0);
}

/* Rows that will not be shown are freed while the document grows, but for those that rules read;
 * the list of what is withheld stays the same. */
static void add_long(struct env *e, const char *id, const char *column)
{
    struct az_table *t = az_table_new(&e->arena, id, id, 0);
    az_table_column(t, column, AZ_INT, AZ_UNIT_COUNT, 0);
    for (int64_t i = 0; i < 5000; i++)
        az_put_i64(t, i);
    assert_int_equal(az_document_add(&e->doc, t), 0);
}

static void pruned(void **state)
{
    struct env *e = *state;
    const struct az_view_choice choice = { .native = AZ_TOOL_TRACELENS };
    add_long(e, "time_by_family", "count");
    add_long(e, "category_summary", "count");
    add_long(e, "idle_gaps", "count");
    add_long(e, "gpu_gaps", "Duration (ns)");
    az_views_prune(&e->doc, choice);
    static const struct {
        const char *table;
        size_t rows;
    } left[] = { { "time_by_family", 5000 },
                 { "category_summary", 0 },
                 { "idle_gaps", 5000 },
                 { "gpu_gaps", 5000 } };
    for (size_t i = 0; i < AZ_LENGTH(left); i++)
        assert_int_equal(az_document_table(&e->doc, left[i].table)->rows, left[i].rows);
    add(e, "kernel_summary", "count", 1, 2);
    chosen(e, 0, AZ_TOOL_TRACELENS, "category_summary, gpu_gaps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(better_answer_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(one_table_a_question, setup, teardown),
        cmocka_unit_test_setup_teardown(only_answer_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(details_of_others, setup, teardown),
        cmocka_unit_test_setup_teardown(classes_of_the_user, setup, teardown),
        cmocka_unit_test_setup_teardown(classic_block, setup, teardown),
        cmocka_unit_test_setup_teardown(family_sheets, setup, teardown),
        cmocka_unit_test_setup_teardown(one_value_or_nothing_to_say, setup, teardown),
        cmocka_unit_test_setup_teardown(charts, setup, teardown),
        cmocka_unit_test_setup_teardown(pruned, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
