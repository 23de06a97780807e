/* Handles of the library: order of calls, errors as values, canceling, two at a time, progress,
 * cursors. */
#include "run_files.h"

#include <pthread.h>
#include <stdatomic.h>

#include "analyzer.h"

#define TRACE_EVENTS 60000

static int nowhere(void **state)
{
    struct setting *s = calloc(1, sizeof *s);
    assert_non_null(s);
    snprintf(s->dir, sizeof s->dir, "/tmp/az-library.XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    assert_int_equal(chdir(s->dir), 0);
    *state = s;
    return 0;
}

static int gone(void **state)
{
    static const char *const files[] = { "k.csv", "t.json", "c.json" };
    struct setting *s = *state;
    for (size_t i = 0; i < AZ_LENGTH(files); i++)
        unlink(files[i]);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(s->dir), 0); /* the library has left nothing */
    free(s);
    return 0;
}

static struct analyzer *opened(const char *path)
{
    struct analyzer *a;
    assert_int_equal(analyzer_open(&a), 0);
    if (path)
        assert_int_equal(analyzer_add_path(a, path), 0);
    return a;
}

/* A trace that takes a while: kernels on two streams. */
static void write_trace(const char *path)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("{\"traceEvents\": [\n", f);
    for (int i = 0; i < TRACE_EVENTS; i++)
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"kernel_%d\",\"pid\":0,\"tid\":%d,"
                "\"ts\":%d,\"dur\":5,"
                "\"args\":{\"device\":0,\"stream\":%d,\"correlation\":%d}}%s\n",
                i % 50, 7 + i % 2, i * 10, 7 + i % 2, i, i + 1 < TRACE_EVENTS ? "," : "");
    fputs("]}\n", f);
    assert_int_equal(fclose(f), 0);
}

static void tables_of_a_path(void **state)
{
    const struct analyzer_cell *cells;
    struct analyzer_rows *rows, *others;
    struct analyzer *a;
    uint64_t done, all;

    (void)state;
    write_file("k.csv", KERNELS);
    a = opened("k.csv");
    assert_int_equal(analyzer_set_option(a, "num_of_iters", "2"), 0);
    assert_int_equal(analyzer_analyse(a), 0);
    assert_int_equal(analyzer_input_count(a), 1);
    assert_string_equal(analyzer_input_format(a, 0), "csv");
    assert_int_equal(analyzer_input_error(a, 0), 0);
    const struct analyzer_table *t = analyzer_table_find(a, 0, "kern_sum");
    assert_non_null(t);
    assert_int_equal(analyzer_table_rows(t), 2);
    size_t total = 0;
    while (total < analyzer_table_columns(t) && strcmp(analyzer_column_unit(t, total), "ns") != 0)
        total++;
    assert_true(total < analyzer_table_columns(t));
    assert_null(analyzer_column_unit(t, analyzer_table_columns(t)));
    assert_int_equal(analyzer_rows_open(t, &rows), 0);
    assert_int_equal(analyzer_rows_open(t, &others), 0);
    assert_int_equal(analyzer_rows_next(rows, &cells), 1);
    assert_true(cells[total].type == ANALYZER_INT || cells[total].type == ANALYZER_REAL);
    const struct analyzer_cell first = cells[total];
    assert_int_equal(analyzer_rows_next(rows, &cells), 1);
    assert_int_equal(analyzer_rows_next(rows, &cells), 0);
    assert_null(cells);
    assert_int_equal(analyzer_rows_next(others, &cells), 1);
    assert_memory_equal(&cells[total], &first, sizeof first);
    analyzer_rows_close(rows);
    analyzer_rows_close(others);
    analyzer_progress(a, &done, &all);
    assert_int_equal(all, strlen(KERNELS));
    assert_int_equal(done, all);
    analyzer_close(a);
}

/* Names, units and types of the columns, and the cells of both kernels; nothing beyond the last. */
static void cells_of_a_path(void **state)
{
    static const struct {
        const char *name, *unit;
        int type;
    } want[] = { { "Time (%)", "%", ANALYZER_REAL },  { "Total Time (ns)", "ns", ANALYZER_INT },
                 { "Instances", "", ANALYZER_INT },   { "Avg (ns)", "ns", ANALYZER_REAL },
                 { "Med (ns)", "ns", ANALYZER_REAL }, { "Min (ns)", "ns", ANALYZER_REAL },
                 { "Max (ns)", "ns", ANALYZER_REAL }, { "StdDev (ns)", "ns", ANALYZER_REAL },
                 { "Name", "", ANALYZER_TEXT } };
    const struct analyzer_cell *cells;
    struct analyzer_rows *rows;
    struct analyzer *a;
    (void)state;
    write_file("k.csv", KERNELS);
    a = opened("k.csv");
    assert_int_equal(analyzer_analyse(a), 0);
    assert_string_equal(analyzer_input_title(a, 0), "k");
    assert_null(analyzer_input_title(a, 1));
    assert_null(analyzer_input_format(a, 1));
    assert_int_equal(analyzer_table_count(a, 1), 0);
    const struct analyzer_table *t = analyzer_table_find(a, 0, "kern_sum");
    assert_string_equal(analyzer_table_id(t), "kern_sum");
    assert_string_equal(analyzer_table_title(t), "Kernels");
    assert_null(analyzer_table_find(a, 0, NULL));
    assert_null(analyzer_table_find(a, 0, "kern"));
    assert_null(analyzer_table_at(a, 0, analyzer_table_count(a, 0)));
    for (size_t i = 0; i < AZ_LENGTH(want); i++) {
        assert_string_equal(analyzer_column_name(t, i), want[i].name);
        assert_string_equal(analyzer_column_unit(t, i), want[i].unit);
        assert_int_equal(analyzer_column_type(t, i), want[i].type);
    }
    const size_t all = analyzer_table_columns(t);
    assert_null(analyzer_column_name(t, all));
    assert_int_equal(analyzer_column_type(t, all), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_rows_open(t, &rows), 0);
    assert_int_equal(analyzer_rows_next(rows, &cells), 1);
    assert_true(cells[0].value.real == 75 && cells[3].value.real == 1e6);
    assert_int_equal(cells[1].value.integer, 3000000);
    assert_int_equal(cells[2].value.integer, 3);
    assert_string_equal(cells[8].value.text, "void gemm<float, 4>(int)");
    assert_int_equal(cells[8].length, 24);
    assert_int_equal(analyzer_rows_next(rows, &cells), 1);
    assert_string_equal(cells[8].value.text, "relu_forward");
    assert_int_equal(cells[2].value.integer, 2);
    assert_int_equal(analyzer_rows_next(rows, NULL), ANALYZER_EUSAGE);
    analyzer_rows_close(rows);
    assert_int_equal(analyzer_rows_open(t, NULL), ANALYZER_EUSAGE);
    analyzer_close(a);
}

static void order_of_calls(void **state)
{
    const struct analyzer_cell *cells;
    struct analyzer_rows *rows;
    struct analyzer *a = opened(NULL);

    (void)state;
    assert_int_equal(analyzer_analyse(a), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_message_count(a), 1);
    assert_int_equal(analyzer_message_severity(a, 0), ANALYZER_ERROR);
    assert_int_equal(analyzer_message_input(a, 0), -1);
    assert_int_equal(analyzer_analyse(a), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_add_path(a, "k.csv"), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_set_option(a, "num_of_iters", "1"), ANALYZER_EUSAGE);
    assert_null(analyzer_table_at(a, 0, 0));
    assert_int_equal(analyzer_input_error(a, 0), ANALYZER_EUSAGE);
    analyzer_close(a);
    a = opened("k.csv");
    assert_int_equal(analyzer_config_file(a, "c.json"), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_set_value(a, "", "1"), ANALYZER_EUSAGE);
    analyzer_close(a);
    analyzer_close(NULL);
    analyzer_rows_close(NULL);
    assert_int_equal(analyzer_open(NULL), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_analyse(NULL), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_rows_open(NULL, &rows), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_rows_next(NULL, &cells), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_table_columns(NULL), 0);
    assert_string_equal(analyzer_error_text(ANALYZER_ECANCELLED), "cancelled");
}

/* One input fails, the other is there; nothing that the configuration asks the program to write is
 * written. */
static void a_configuration(void **state)
{
    static const char text[] =
        "{ \"inputs\": [ { \"format\": \"csv\", \"title\": \"one\", \"nsys_csv_file_path\": "
        "{ \"kernel_sum\": \"k.csv\" }, \"analysis_args\": { \"num_of_iters\": 1 } },\n { "
        "\"format\": \"pytorch\", "
        "\"title\": \"two\", "
        "\"path\": \"t.json\" } ], \"outputs\": { \"formats\": [\"csv\", \"json\"] }, \"compare\": "
        "{} }";
    struct analyzer *a;

    (void)state;
    write_file("k.csv", KERNELS);
    write_file("t.json", "no trace");
    write_file("c.json", text);
    for (int from_file = 0; from_file < 2; from_file++) {
        a = opened(NULL);
        assert_int_equal(from_file ? analyzer_config_file(a, "c.json")
                                   : analyzer_config_text(a, text, strlen(text)),
                         0);
        assert_int_equal(analyzer_analyse(a), ANALYZER_EFORMAT);
        assert_int_equal(analyzer_input_count(a), 2);
        assert_string_equal(analyzer_input_title(a, 0), "one");
        assert_int_equal(analyzer_input_error(a, 0), 0);
        assert_int_equal(analyzer_input_error(a, 1), ANALYZER_EFORMAT);
        assert_non_null(analyzer_table_find(a, 0, "kern_sum"));
        bool said = false;
        for (size_t i = 0; i < analyzer_message_count(a); i++)
            said |= analyzer_message_input(a, i) == 1 &&
                    strstr(analyzer_message_text(a, i), "t.json") != NULL;
        assert_true(said);
        analyzer_close(a);
    }
    a = opened(NULL);
    assert_int_equal(analyzer_config_text(a, "{ \"inputs\": 5 }", 15), 0);
    assert_int_equal(analyzer_analyse(a), ANALYZER_ECONFIG);
    assert_true(analyzer_message_count(a) > 0);
    analyzer_close(a);
}

static void limits(void **state)
{
    struct analyzer *a;

    (void)state;
    write_trace("t.json");
    a = opened("t.json");
    assert_int_equal(analyzer_set_value(a, "memory_limit", "1M"), 0);
    assert_int_equal(analyzer_set_value(a, "jobs", "2"), 0);
    assert_int_equal(analyzer_analyse(a), ANALYZER_ELIMIT);
    analyzer_close(a);
}

struct counter {
    _Atomic int asked;
    int last; /* from this question on the answer is yes; -1: never */
};

static int count(void *context)
{
    struct counter *c = context;
    return atomic_fetch_add(&c->asked, 1) >= c->last && c->last >= 0;
}

/* At every moment of the work: each ends as canceled, and only with the handle that was asked. */
static void cancelling(void **state)
{
    struct counter whole = { .last = -1 };
    struct analyzer *a;

    (void)state;
    write_trace("t.json");
    a = opened("t.json");
    analyzer_on_cancel(a, count, &whole);
    assert_int_equal(analyzer_analyse(a), 0);
    analyzer_close(a);
    const int questions = atomic_load(&whole.asked);
    assert_true(questions > 3);
    for (int i = 0; i < 8; i++) {
        struct counter c = { .last = questions / 2 * i / 7 };
        a = opened("t.json");
        analyzer_on_cancel(a, count, &c);
        assert_int_equal(analyzer_analyse(a), ANALYZER_ECANCELLED);
        analyzer_close(a);
    }
}

struct side {
    const char *path;
    int last, rc;
    size_t tables, rows;
};

static void *analyse(void *arg)
{
    struct side *s = arg;
    struct counter c = { .last = s->last };
    struct analyzer *a;

    s->rc = analyzer_open(&a);
    s->rc = s->rc ? s->rc : analyzer_add_path(a, s->path);
    analyzer_on_cancel(a, count, &c);
    s->rc = s->rc ? s->rc : analyzer_analyse(a);
    s->tables = analyzer_table_count(a, 0);
    for (size_t i = 0; i < s->tables; i++)
        s->rows += analyzer_table_rows(analyzer_table_at(a, 0, i));
    analyzer_close(a);
    return NULL;
}

static void two_at_a_time(void **state)
{
    struct side alone = { .path = "t.json", .last = -1 }, sides[4];
    pthread_t threads[4];

    (void)state;
    write_trace("t.json");
    write_file("k.csv", KERNELS);
    analyse(&alone);
    assert_int_equal(alone.rc, 0);
    for (int i = 0; i < 4; i++) {
        sides[i] = (struct side){ .path = i == 3 ? "k.csv" : "t.json", .last = i == 2 ? 2 : -1 };
        assert_int_equal(pthread_create(&threads[i], NULL, analyse, &sides[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(sides[2].rc, ANALYZER_ECANCELLED);
    assert_int_equal(sides[3].rc, 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sides[i].rc, 0);
        assert_int_equal(sides[i].tables, alone.tables);
        assert_int_equal(sides[i].rows, alone.rows);
    }
}

/* The structures of Arrow's interface, as far as a consumer of a stream needs them here. */
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, void *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* Columns, and a stream of them, after the handle; one is taken out of its batch. */
static void columns_of_a_table(void **state)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch, taken, none;
    struct analyzer_columns *c;
    struct analyzer_column col;

    (void)state;
    write_file("k.csv", KERNELS);
    struct analyzer *a = opened("k.csv");
    assert_int_equal(analyzer_analyse(a), 0);
    assert_int_equal(analyzer_columns_open(NULL, &c), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_columns_open(analyzer_table_find(a, 0, "kern_sum"), &c), 0);
    analyzer_close(a);
    assert_int_equal(analyzer_columns_rows(c), 2);
    assert_int_equal(analyzer_columns_at(c, analyzer_columns_count(c), &col), ANALYZER_EUSAGE);
    for (size_t i = 0; i < analyzer_columns_count(c); i++) {
        assert_int_equal(analyzer_columns_at(c, i, &col), 0);
        assert_true((col.type == ANALYZER_TEXT) == (col.offsets != NULL));
        assert_true(col.type != ANALYZER_TEXT || col.offsets[2] >= col.offsets[1]);
        assert_true((col.nulls > 0) == (col.valid != NULL));
    }
    assert_int_equal(analyzer_columns_arrow(c, &stream), 0);
    assert_int_equal(analyzer_columns_arrow(NULL, &stream), ANALYZER_EUSAGE);
    analyzer_columns_close(c);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(stream.get_next(&stream, &none), 0);
    assert_null(none.release);
    stream.release(&stream);
    assert_int_equal(batch.length, 2);
    taken = *batch.children[0];
    batch.children[0]->release = NULL;
    batch.release(&batch);
    assert_int_equal(taken.length, 2);
    assert_non_null(taken.buffers[1]);
    taken.release(&taken);
}

/* Nothing is known before the analysis; after it all bytes of all inputs are read. */
static void progress_of_a_handle(void **state)
{
    uint64_t done = 7, all = 7;
    struct stat k, t;

    (void)state;
    write_file("k.csv", KERNELS);
    write_trace("t.json");
    assert_int_equal(stat("k.csv", &k) + stat("t.json", &t), 0);
    analyzer_progress(NULL, &done, &all);
    assert_int_equal(done + all, 0);
    struct analyzer *a = opened("k.csv");
    assert_int_equal(analyzer_add_path(a, "t.json"), 0);
    done = all = 7;
    analyzer_progress(a, &done, &all);
    assert_int_equal(done + all, 0);
    assert_int_equal(analyzer_analyse(a), 0);
    analyzer_progress(a, &done, NULL);
    analyzer_progress(a, NULL, &all);
    assert_int_equal(all, k.st_size + t.st_size);
    assert_int_equal(done, all);
    analyzer_close(a);
}

static void results_of_handles(void **state)
{
    struct analyzer_columns *c;
    struct analyzer_column col;
    struct analyzer *both;
    const char *json;

    (void)state;
    write_file("k.csv", KERNELS);
    struct analyzer *a = opened("k.csv"), *b = opened("k.csv");
    assert_int_equal(analyzer_query(a, "SELECT 1", &c), ANALYZER_EUSAGE); /* before the analysis */
    assert_int_equal(analyzer_analyse(a), 0);
    assert_int_equal(analyzer_compare(a, 0, b, 0, &both), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_analyse(b), 0);
    assert_int_equal(analyzer_query(a, "SELECT 1 AS x UNION ALL SELECT 2.5", &c), 0);
    assert_int_equal(analyzer_columns_at(c, 0, &col), 0);
    assert_int_equal(col.type, ANALYZER_REAL);
    analyzer_columns_close(c);
    for (size_t i = 0; i < analyzer_message_count(a); i++)
        assert_null(strstr(analyzer_message_text(a, i), "truncated"));
    const size_t before = analyzer_message_count(a);
    assert_int_equal(analyzer_query(a, "SELEC", &c), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_query(a, " ", &c), ANALYZER_EUSAGE);
    assert_null(c);
    assert_int_equal(analyzer_message_count(a), before + 2);
    assert_int_equal(analyzer_verdict(a, 0, &json), 0);
    assert_non_null(strstr(json, "\"verdict\""));
    assert_int_equal(analyzer_verdict(a, 1, &json), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_report(a, 0, "json", "t.json"), 0);
    assert_int_equal(analyzer_report(a, 0, "docx", "t.docx"), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_compare(a, 0, b, 0, &both), 0);
    analyzer_close(b);
    analyzer_close(a);
    assert_non_null(analyzer_table_find(both, 0, "compare_summary"));
    assert_int_equal(analyzer_report(both, 0, "html", "c.json"), 0);
    analyzer_close(both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_of_a_path, nowhere, gone),
        cmocka_unit_test_setup_teardown(cells_of_a_path, nowhere, gone),
        cmocka_unit_test_setup_teardown(order_of_calls, nowhere, gone),
        cmocka_unit_test_setup_teardown(a_configuration, nowhere, gone),
        cmocka_unit_test_setup_teardown(limits, nowhere, gone),
        cmocka_unit_test_setup_teardown(cancelling, nowhere, gone),
        cmocka_unit_test_setup_teardown(two_at_a_time, nowhere, gone),
        cmocka_unit_test_setup_teardown(columns_of_a_table, nowhere, gone),
        cmocka_unit_test_setup_teardown(progress_of_a_handle, nowhere, gone),
        cmocka_unit_test_setup_teardown(results_of_handles, nowhere, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
