/* Columns of every type by the Arrow C stream interface, as its consumers read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer.h"
#include "library/handle.h"

/* The structures of arrow.apache.org/docs/format/CDataInterface.html. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

enum { NAME, COUNT, SHARE, FLAG, NONE, COLUMNS };
#define ROWS 11 /* more than a byte of bits */

/* Row 3 has no values; the flag is set in rows 0, 1, 4, 8 and 10. */
static bool is_set(size_t row) { return row < 2 || row == 4 || row == 8 || row == 10; }

static struct analyzer_columns *filled(size_t rows)
{
    static const struct {
        const char *name, *unit;
        enum az_cell_type type;
    } of[COLUMNS] = { { "name", "", AZ_TEXT },
                      { "count", "", AZ_INT },
                      { "share", "%", AZ_REAL },
                      { "flag", "", AZ_BOOL },
                      { "none", "ns", AZ_EMPTY } };
    struct analyzer_columns *c;
    assert_int_equal(az_columns_new(&c, COLUMNS), 0);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_int_equal(az_columns_name(c, i, az_sv_str(of[i].name), of[i].unit, of[i].type), 0);
    for (size_t r = 0; r < rows; r++) {
        struct az_cell cell[COLUMNS] = { { .type = AZ_EMPTY } };
        if (r != 3) {
            cell[NAME] = (struct az_cell){ .type = AZ_TEXT,
                                           .len = r % 2 ? 3 : 4,
                                           .s = r % 2 ? "odd" : "even" };
            cell[COUNT] = (struct az_cell){ .type = AZ_INT, .i = (int64_t)r - 5 };
            cell[SHARE] = (struct az_cell){ .type = AZ_REAL, .f = (double)r / 4 };
            cell[FLAG] = (struct az_cell){ .type = AZ_BOOL, .b = is_set(r) };
        }
        assert_int_equal(az_columns_row(c, cell), 0);
    }
    assert_int_equal(az_columns_finish(c), 0);
    return c;
}

static void check_schema(struct ArrowArrayStream *stream)
{
    static const char *const names[] = { "name", "count", "share", "flag", "none" },
                             *const formats[] = { "U", "l", "g", "b", "g" };
    struct ArrowSchema s;
    assert_int_equal(stream->get_schema(stream, &s), 0);
    assert_string_equal(s.format, "+s");
    assert_string_equal(s.name, "");
    assert_int_equal(s.n_children, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_string_equal(s.children[i]->name, names[i]);
        assert_string_equal(s.children[i]->format, formats[i]);
        assert_int_equal(s.children[i]->flags, 2);
        assert_int_equal(s.children[i]->n_children, 0);
    }
    assert_null(s.children[COUNT]->metadata);
    int32_t number;
    const char *m = s.children[NONE]->metadata; /* one pair: "unit", "ns" */
    memcpy(&number, m, 4);
    assert_int_equal(number, 1);
    memcpy(&number, m + 4, 4);
    assert_int_equal(number, 4);
    assert_memory_equal(m + 8, "unit", 4);
    memcpy(&number, m + 12, 4);
    assert_int_equal(number, 2);
    assert_memory_equal(m + 16, "ns", 2);
    s.release(&s);
    assert_null(s.release);
}

static void check_text(const struct ArrowArray *a)
{
    const int64_t *at = a->buffers[1];
    const char *text = a->buffers[2];
    assert_int_equal(a->n_buffers, 3);
    for (size_t r = 0; r < ROWS; r++) {
        const char *want = r == 3 ? "" : r % 2 ? "odd" : "even";
        assert_int_equal(at[r + 1] - at[r], strlen(want));
        assert_memory_equal(text + at[r], want, strlen(want));
    }
}

static void check_batch(const struct ArrowArray *b)
{
    assert_true(b->length == ROWS && b->n_children == COLUMNS && b->n_buffers == 1);
    assert_true(b->null_count == 0 && b->offset == 0 && !b->buffers[0]);
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct ArrowArray *a = b->children[i];
        const uint8_t *valid = a->buffers[0];
        assert_true(a->length == ROWS && a->offset == 0);
        assert_int_equal(a->null_count, i == NONE ? ROWS : 1);
        for (size_t r = 0; r < ROWS; r++)
            assert_int_equal(valid[r / 8] >> r % 8 & 1, i != NONE && r != 3);
    }
    check_text(b->children[NAME]);
    const int64_t *count = b->children[COUNT]->buffers[1];
    const double *share = b->children[SHARE]->buffers[1];
    const uint8_t *flag = b->children[FLAG]->buffers[1];
    assert_int_equal(b->children[FLAG]->n_buffers, 2);
    for (size_t r = 0; r < ROWS; r++) {
        assert_int_equal(flag[r / 8] >> r % 8 & 1, is_set(r));
        if (r != 3)
            assert_true(count[r] == (int64_t)r - 5 && share[r] == (double)r / 4);
    }
}

/* One batch, then the end; whoever is released first, the others stay. */
static void one_batch(void **state)
{
    struct analyzer_columns *c = filled(ROWS);
    struct ArrowArrayStream stream;
    struct ArrowArray batch, last;
    (void)state;
    assert_int_equal(analyzer_columns_arrow(c, &stream), 0);
    analyzer_columns_close(c);
    check_schema(&stream);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    check_batch(&batch);
    assert_int_equal(stream.get_next(&stream, &last), 0);
    assert_null(last.release);
    stream.release(&stream);
    assert_null(stream.release);
    struct ArrowArray kept = *batch.children[NAME]; /* a consumer moves it out */
    batch.children[NAME]->release = NULL;
    batch.release(&batch);
    assert_null(batch.release);
    check_text(&kept);
    kept.release(&kept);
}

static void no_rows(void **state)
{
    struct analyzer_columns *c = filled(0);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    (void)state;
    assert_int_equal(analyzer_columns_arrow(c, &stream), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_true(batch.length == 0 && batch.n_children == COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_int_equal(batch.children[i]->null_count, 0);
        assert_non_null(batch.children[i]->buffers[1]);
    }
    batch.release(&batch);
    stream.release(&stream);
    analyzer_columns_close(c);
}

static void wrong_calls(void **state)
{
    struct analyzer_columns *c = filled(1);
    struct ArrowArrayStream stream;
    (void)state;
    assert_int_equal(analyzer_columns_arrow(NULL, &stream), ANALYZER_EUSAGE);
    assert_int_equal(analyzer_columns_arrow(c, NULL), ANALYZER_EUSAGE);
    analyzer_columns_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_batch), cmocka_unit_test(no_rows),
                                        cmocka_unit_test(wrong_calls) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
