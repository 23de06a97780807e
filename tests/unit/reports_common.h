/* A document with every kind of column, long and hostile texts, charts; and how tests call Python.
 */
#ifndef TESTS_REPORTS_COMMON_H
#define TESTS_REPORTS_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "document/verdict_table.h"
#include "io/outfile.h"
#include "io/path.h"
#include "reports/report.h"

struct sample {
    struct az_mem mem;
    struct az_arena arena, scratch;
    struct az_document doc;
    struct az_diag diag;
    struct az_sv dir; /* private folder */
};

static inline struct az_table *sample_coverage(struct az_arena *a)
{
    struct az_table *t = az_table_new(a, "coverage", "Coverage", AZ_TABLE_LAST | AZ_TABLE_SUMMARY);

    az_table_column(t, "Item", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Value", AZ_REAL, AZ_UNIT_NONE, 0);
    az_table_column(t, "Unit", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Note", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("events read"));
    az_put_f64(t, 1234567);
    az_put_text(t, AZ_SV("events"));
    az_put_text(t, AZ_SV(""));
    az_put_text(t, AZ_SV("share in others"));
    az_put_f64(t, 12.5);
    az_put_text(t, AZ_SV("%"));
    az_put_text(t, AZ_SV("kernels no rule of the class map names"));
    return t;
}

static inline struct az_table *sample_facts(struct az_arena *a)
{
    struct az_table *t = az_table_new(a, "facts", "Facts", AZ_TABLE_LAST);

    az_table_column(t, "Fact", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Value", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_put_text(t, AZ_SV("tool"));
    az_put_text(t, AZ_SV("analyzer"));
    return t;
}

/* A verdict of every kind of line. */
static inline void sample_verdict(struct az_document *doc, struct az_arena *a)
{
    struct az_table *t = az_headline_table(a);
    const struct az_line lines[] = {
        { .text = AZ_SV("MI300X, 1 rank, 12 steps, 908.3 ms (pytorch)"), .ns = 908300000 },
        { .kind = AZ_LINE_TIME,
          .label = AZ_SV("time"),
          .text = AZ_SV("36.5 % computing, 0.0 % waiting for communication, 63.5 % idle"),
          .ns = -1,
          .percent = 0.0 / 0.0 },
        { .kind = AZ_LINE_FINDING,
          .label = AZ_SV("-62.1 %"),
          .text = AZ_SV("idle: 4 gaps of 141 ms"),
          .rule = AZ_SV("idle"),
          .severity = AZ_SV("warning"),
          .evidence = AZ_SV("kernels"),
          .row = AZ_SV("host in hipMemcpyWithStream"),
          .ns = 564000000,
          .percent = 62.1 },
        { .kind = AZ_LINE_NOTE, .label = AZ_SV("note"), .text = AZ_SV("=1+1"), .ns = -1 },
        { .kind = AZ_LINE_TRUST, .label = AZ_SV("trust"), .text = AZ_SV("all linked"), .ns = -1 },
    };

    for (size_t i = 0; i < AZ_LENGTH(lines); i++)
        az_headline_put(t, &lines[i]);
    assert_int_equal(az_headline_add(doc, t), 0);
}

static inline struct az_table *sample_findings(struct az_arena *a)
{
    struct az_table *t = az_table_new(a, "findings", "Findings", AZ_TABLE_SUMMARY);

    az_table_column(t, "Rule", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Severity", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Subject", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Time (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Advice", AZ_TEXT, AZ_UNIT_NONE, 0);
    const char *severity[] = { "error", "warning", "info" };
    for (int i = 0; i < 3; i++) {
        az_put_text(t, AZ_SV("many short kernels"));
        az_put_text(t, az_sv_str(severity[i]));
        az_put_text(t, i ? AZ_SV("stream 7") : AZ_SV(""));
        az_put_i64(t, 12 * i);
        if (i == 2)
            az_put_empty(t);
        else
            az_put_i64(t, 3200000);
        az_put_text(t, AZ_SV("fuse them, or capture the step in a graph"));
    }
    return t;
}

/* Kernel-like rows: `rows` of them, the first few hostile. */
static inline struct az_table *sample_kernels(struct az_arena *a, const char *id, size_t rows,
                                              unsigned flags)
{
    static char huge[40000];
    struct az_table *t = az_table_new(a, id, "Kernels by total time", flags);
    const char *odd[] = { "=1+1",
                          "@SUM(A1)",
                          "+cmd",
                          "-x",
                          "esc \033[31m and \001 and \r",
                          "bad \xff\xc3 utf-8",
                          "\xe6\xa0\xb8 \xf0\x9f\x9a\x80 kernel",
                          "_x0041_ literal",
                          "with \"quotes\", comma",
                          "two\nlines",
                          "nonchar \xef\xbf\xbf \xef\xbf\xbe",
                          " blanks around " };
    size_t n_odd = AZ_LENGTH(odd);

    memset(huge, 'k', sizeof huge);
    az_table_column(t, "Time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Total Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Instances", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Avg (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "ms", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL);
    az_table_column(t, "Moved", AZ_INT, AZ_UNIT_BYTES, AZ_DETAIL);
    az_table_column(t, "big id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "graph", AZ_BOOL, AZ_UNIT_NONE, 0);
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t r = 0; r < rows; r++) {
        int64_t total = (int64_t)(1 + (rows - r) * 123457), count = (int64_t)(r % 50 + 1);
        if (r == 3)
            az_put_f64(t, 0.0 / 0.0);
        else
            az_put_f64(t, 100.0 * (double)(rows - r) / (double)(rows * (rows + 1) / 2));
        az_put_i64(t, total);
        az_put_i64(t, count);
        az_put_f64(t, (double)total / (double)count);
        az_put_f64(t, (double)total / 1e6);
        az_put_i64(t, total * 1024);
        az_put_i64(t, r == 1 ? INT64_C(9007199254740993) : r == 2 ? INT64_MIN : (int64_t)r);
        az_put_bool(t, r % 2 == 0);
        if (r < n_odd)
            az_put_text(t, az_sv_str(odd[r]));
        else if (r == n_odd)
            az_put_text(t, az_sv_make(huge, sizeof huge));
        else
            az_put_text(t,
                        az_arena_printf(a, "void kernel_%zu<float, %zu>(Tensor, int)", r, r % 7));
    }
    return t;
}

static inline struct az_table *sample_roofline(struct az_arena *a)
{
    struct az_table *t = az_table_new(a, "roofline", "Roofline", 0);

    az_table_column(t, "op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "FLOPS/Byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, 0);
    az_table_column(t, "TFLOPS/s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER);
    for (int i = 0; i < 20; i++) {
        az_put_text(t, az_arena_printf(a, "op%d", i));
        az_put_f64(t, 0.1 * (double)(1 << i % 12));
        az_put_f64(t, 0.5 * (double)(i + 1));
    }
    return t;
}

static inline void sample_chart(struct sample *s, enum az_chart_kind kind, const char *table,
                                const char *title, const char *x, const char *y, size_t rows)
{
    struct az_chart c = { .kind = kind,
                          .table = az_sv_str(table),
                          .title = az_sv_str(title),
                          .x = az_sv_str(x),
                          .x_title = az_sv_str(x),
                          .y_title = az_sv_str(y),
                          .max_rows = rows };

    az_vec_init(&c.y, &s->mem);
    assert_int_equal(az_vec_push(&c.y, az_sv_str(y)), 0);
    assert_int_equal(az_document_chart(&s->doc, c), 0);
}

/* A table for waterfalls, heat maps and trends, with a chart of each kind. */
static inline void sample_history(struct sample *s)
{
    static const char *const heat[] = { "value", "change" }, *const fall[] = { "change", "total" },
                             *const trend[] = { "value", "median", "low", "high", "mark" };
    static const struct {
        enum az_chart_kind kind;
        const char *title;
        const char *const *y;
        size_t n;
    } charts[] = { { AZ_CHART_WATERFALL, "What changed", fall, 2 },
                   { AZ_CHART_HEAT, "Nights by value", heat, 2 },
                   { AZ_CHART_TREND, "Nights", trend, 5 } };
    struct az_table *t = az_table_new(&s->arena, "nights", "Nights", 0);

    az_table_column(t, "night", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "change", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "total", AZ_BOOL, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, trend[i], AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "mark", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (int i = 0; i < 12; i++) {
        az_put_text(t, az_arena_printf(&s->arena, "night %d", i));
        az_put_f64(t, i == 0 || i == 11 ? 100 + i : i % 3 - 1);
        az_put_bool(t, i == 0 || i == 11);
        az_put_f64(t, 100 + i % 4 + (i == 9 ? 12 : 0));
        az_put_f64(t, 101.5);
        az_put_f64(t, 98);
        az_put_f64(t, 105);
        az_put_text(t, i == 9 ? AZ_SV("regressed") : AZ_SV(""));
    }
    assert_int_equal(az_document_add(&s->doc, t), 0);
    for (size_t i = 0; i < 3; i++) {
        sample_chart(s, charts[i].kind, "nights", charts[i].title, "night", charts[i].y[0], 0);
        struct az_chart *c = &s->doc.charts.v[s->doc.charts.n - 1];
        for (size_t k = 1; k < charts[i].n; k++)
            assert_int_equal(az_vec_push(&c->y, az_sv_str(charts[i].y[k])), 0);
    }
}

static inline void sample_begin(struct sample *s)
{
    az_mem_init(&s->mem, 0);
    az_arena_init(&s->arena, &s->mem);
    az_arena_init(&s->scratch, &s->mem);
    az_diag_init(&s->diag);
    az_document_init(&s->doc, &s->arena);
    s->doc.title = AZ_SV("Sample \xe2\x82\xac run");
    s->doc.input = AZ_SV("runs/sample.sqlite");
    s->doc.format = AZ_SV("nsys-sqlite");
    assert_int_equal(az_tmpdir_make(&s->arena, "reports", &s->dir, &s->diag), 0);
}

static inline void sample_fill(struct sample *s, size_t rows)
{
    sample_begin(s);
    assert_int_equal(az_document_add(&s->doc, sample_coverage(&s->arena)), 0);
    assert_int_equal(az_document_add(&s->doc, sample_facts(&s->arena)), 0);
    assert_int_equal(
        az_document_add(&s->doc, sample_kernels(&s->arena, "kern_sum", rows, AZ_TABLE_SUMMARY)), 0);
    assert_int_equal(az_document_add(&s->doc, sample_roofline(&s->arena)), 0);
    assert_int_equal(az_document_add(&s->doc, sample_findings(&s->arena)), 0);
    sample_chart(s, AZ_CHART_PIE, "kern_sum", "Share of kernel time", "Name", "Time (%)", 8);
    sample_chart(s, AZ_CHART_BAR, "kern_sum", "Top kernels", "Name", "Total Time (ns)", 8);
    sample_chart(s, AZ_CHART_SCATTER_LOG, "roofline", "Roofline", "FLOPS/Byte", "TFLOPS/s", 0);
    sample_chart(s, AZ_CHART_COLUMN, "roofline", "Histogram", "op", "TFLOPS/s", 0);
    sample_chart(s, AZ_CHART_LINE, "no_such_table", "Nothing", "a", "b", 0);
}

static inline void sample_end(struct sample *s)
{
    az_tmpdir_remove(s->dir.p);
    az_document_release(&s->doc);
    az_arena_release(&s->scratch);
    az_arena_release(&s->arena);
    az_diag_release(&s->diag);
    assert_int_equal(s->mem.used, 0);
}

static inline const char *sample_path(struct sample *s, const char *name)
{
    struct az_sv p = az_arena_printf(&s->arena, "%s/%s", s->dir.p, name);

    assert_non_null(p.p);
    return p.p;
}

static inline char *read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    rewind(f);
    char *p = malloc((size_t)size + 1);
    assert_non_null(p);
    *n = fread(p, 1, (size_t)size, f);
    assert_int_equal(*n, size);
    p[size] = 0;
    fclose(f);
    return p;
}

/* A Python that has `module`, or NULL: the test is then skipped. */
static inline const char *python_with(const char *module)
{
    static const char *const names[] = { "python3", "/usr/bin/python3" };
    char command[256];

    for (size_t i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "%s -c 'import %s' >/dev/null 2>&1", names[i], module);
        if (system(command) == 0)
            return names[i];
    }
    return NULL;
}

/* Repository root: the tests run in it, or in a folder below. */
static inline const char *root_dir(void)
{
    static const char *const up[] = { ".", "..", "../..", "../../.." };
    char path[64];

    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/tests/check_workbook.py", up[i]);
        if (access(path, R_OK) == 0)
            return up[i];
    }
    return ".";
}

#endif
