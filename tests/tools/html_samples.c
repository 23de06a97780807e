/* Writes HTML reports of made-up documents, for the test that opens them in a browser: every kind
 * of chart with hostile names, tables and charts that are too large, and nothing at all. usage:
 * html_samples FOLDER       kinds.html, large.html and empty.html */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "document/flame.h"
#include "document/tracks.h"
#include "document/verdict_table.h"
#include "reports/list.h"

static const char *const names[] = {
    "<script>window.hacked = 1</script>",
    "\"><img src=x onerror=\"window.hacked = 2\">",
    "</script><script>window.hacked = 3</script>",
    "' onmouseover='window.hacked = 4",
    "a & b < c > d &amp; &#60;b&#62;",
    "line\xe2\x80\xa8separator \xe2\x80\xa9 and \xe2\x80\xae right to left",
    "bad \xff\xc3 utf-8 and \001 control",
    "\xe6\xa0\xb8\xe5\xbf\x83 \xf0\x9f\x9a\x80 kernel",
    "void cutlass::Kernel<cutlass_80_tensorop_s16816gemm_bf16_256x128_32x3_nt_align8>(Params, int, "
    "float const*, "
    "unsigned long long, std::array<char*, 4>, OffsetCalculator<4, unsigned int, false>)",
    "{{constructor.constructor('window.hacked = 5')()}} ${window.hacked = 6}",
    "<!-- comment",
    "]]> --!> <![CDATA[",
};
#define NAMES AZ_LENGTH(names)

struct set { /* columns of a chart */
    const char *const *name;
    size_t n;
};

static int add_chart(struct az_document *d, enum az_chart_kind kind, const char *table,
                     const char *title, const char *x, struct set y)
{
    struct az_chart c = { .kind = kind,
                          .table = az_sv_str(table),
                          .title = az_sv_str(title),
                          .x = az_sv_str(x),
                          .x_title = az_sv_str(x),
                          .y_title = AZ_SV("ms") };
    int rc = 0;

    az_vec_init(&c.y, d->mem);
    for (size_t i = 0; i < y.n && rc == 0; i++)
        rc = az_vec_push(&c.y, az_sv_str(y.name[i]));
    return rc ? rc : az_document_chart(d, c);
}

static int add_kernels(struct az_document *d, size_t rows)
{
    struct az_table *t = az_table_new(d->arena, "kernels", names[0], AZ_TABLE_SUMMARY);

    if (!t)
        return AZ_ENOMEM;
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Total (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Share (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Mean (ns)", AZ_REAL, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "AI", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_DETAIL);
    az_table_column(t, "TFLOPS", AZ_REAL, AZ_UNIT_TFLOPS, AZ_DETAIL);
    az_table_column(t, "graph", AZ_BOOL, AZ_UNIT_NONE, 0);
    for (size_t r = 0; r < rows; r++) {
        int64_t total = (int64_t)(3000000 + (r * 7919) % rows * 1000),
                count = (int64_t)(1 + r % 37);
        if (r < NAMES)
            az_put_text(t, az_sv_str(names[r]));
        else
            az_put_text(t, az_arena_printf(d->arena, "kernel_%zu<float, %zu>", r, r % 5));
        az_put_i64(t, total);
        az_put_f64(t, 100.0 * (double)(r % 100 + 1) / 101);
        az_put_i64(t, r % 11 == 3 ? -count : count);
        if (r % 13 == 5)
            az_put_empty(t);
        else
            az_put_f64(t, (double)total / (double)count);
        az_put_f64(t, r % 17 == 4 ? 0 : pow(10, (double)(r % 400) / 100 - 1));
        az_put_f64(t, pow(10, (double)(r % 271) / 90 - 1));
        az_put_bool(t, r % 2 == 0);
    }
    return az_document_add(d, t);
}

static int add_nights(struct az_document *d, size_t rows)
{
    static const char *const columns[] = { "value", "median", "low", "high", "other" };
    struct az_table *t = az_table_new(d->arena, "nights", "Nights", 0);

    if (!t)
        return AZ_ENOMEM;
    az_table_column(t, "night", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < 5; i++)
        az_table_column(t, columns[i], AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "mark", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "change", AZ_REAL, AZ_UNIT_MS, 0);
    az_table_column(t, "total", AZ_BOOL, AZ_UNIT_NONE, 0);
    for (size_t r = 0; r < rows; r++) {
        bool odd = r % 23 == 17, total = r == 0 || r + 1 == rows;
        double level = 100 + 3 * sin((double)r) + (odd ? 15 : 0);
        az_put_text(
            t, r < NAMES && r % 3 == 1
                   ? az_sv_str(names[r])
                   : az_arena_printf(d->arena, "nightly run %zu of the suite on node-0042", r + 1));
        az_put_f64(t, level);
        az_put_f64(t, 100);
        az_put_f64(t, 95);
        az_put_f64(t, 105);
        az_put_f64(t, level / 3 + (double)(r % 4));
        az_put_text(t, odd ? AZ_SV("regressed <b>") : AZ_SV(""));
        az_put_f64(t, total ? 240 : 8 * sin(1 + (double)r * 5));
        az_put_bool(t, total);
    }
    return az_document_add(d, t);
}

static int add_parts(struct az_document *d)
{
    static const char *const part[] = { "compute", "exposed", "busy", "idle" };
    struct az_table *t = az_table_new(d->arena, "parts", "Time by part", 0);

    if (!t)
        return AZ_ENOMEM;
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "time (ms)", AZ_REAL, AZ_UNIT_MS, 0);
    for (int i = 0; i < 32; i++) {
        double v[] = { 60 + i / 4, 20 - i / 4, 80, 20 };
        az_put_i64(t, i / 4);
        az_put_text(t, az_sv_str(part[i % 4]));
        az_put_f64(t, v[i % 4]);
    }
    return az_document_add(d, t);
}

static int add_findings(struct az_document *d)
{
    static const char *const severity[] = { "error", "warning", "info" };
    struct az_table *t = az_table_new(d->arena, "findings", "Findings", AZ_TABLE_SUMMARY);

    if (!t)
        return AZ_ENOMEM;
    az_table_column(t, "Rule", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Severity", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Subject", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Time (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Advice", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < 15; i++) {
        az_put_text(t, AZ_SV("exposed communication"));
        az_put_text(t, az_sv_str(severity[i % 3]));
        az_put_text(t, az_sv_str(names[i % NAMES]));
        az_put_i64(t, (int64_t)i * 12);
        az_put_i64(t, 3200000 >> i);
        az_put_text(t, AZ_SV("overlap it with compute, or fuse the buckets"));
    }
    return az_document_add(d, t);
}

static int add_charts(struct az_document *d)
{
    static const char *const times[] = { "Total (ns)", "Mean (ns)" }, *const rates[] = { "TFLOPS" },
                             *const values[] = { "value", "median", "low", "high", "mark" },
                             *const changes[] = { "change", "total" },
                             *const parts[] = { "time (ms)" },
                             *const heat[] = { "value", "other", "change", "median" },
                             *const limits[] = { "change", "low",   "high", "other",
                                                 "mark",   "night", "night" };
    static const struct az_sv whole[] = { { "compute", 7 }, { "exposed", 7 }, { "idle", 4 } };
    static const struct {
        enum az_chart_kind kind;
        const char *table, *title, *x;
        struct set y;
    } charts[] = {
        { AZ_CHART_PIE, "kernels", "Pie", "Name", { times, 1 } },
        { AZ_CHART_BAR, "kernels", "Bars", "Name", { times, 1 } },
        { AZ_CHART_COLUMN, "kernels", "Histogram", "Name", { times, 1 } },
        { AZ_CHART_STACKED_BAR, "kernels", "Stacked bars", "Name", { times, 2 } },
        { AZ_CHART_STACKED_COLUMN, "kernels", "Stacked columns", "Name", { times, 2 } },
        { AZ_CHART_SCATTER_LOG, "kernels", "Scatter </script>", "AI", { rates, 1 } },
        { AZ_CHART_LINE, "nights", "Line", "night", { values, 2 } },
        { AZ_CHART_TREND, "nights", "Trend <b>bold</b>", "night", { values, 5 } },
        { AZ_CHART_WATERFALL, "nights", "Waterfall", "night", { changes, 2 } },
        { AZ_CHART_HEAT, "nights", "Heat", "night", { heat, 4 } },
        { AZ_CHART_LIMITS, "nights", "Limits <b>", "night", { limits, 7 } },
        { AZ_CHART_BAR, "parts", "Parts", "type", { parts, 1 } },
        { AZ_CHART_BAR, "no such table", "Nothing", "type", { parts, 1 } },
        { AZ_CHART_BAR, "parts", "No such column", "type", { rates, 1 } },
    };
    int rc = 0;

    for (size_t i = 0; i < AZ_LENGTH(charts) && rc == 0; i++) {
        rc = add_chart(d, charts[i].kind, charts[i].table, charts[i].title, charts[i].x,
                       charts[i].y);
        if (rc == 0 && strcmp(charts[i].title, "Parts") == 0) {
            d->charts.v[i].parts = whole;
            d->charts.v[i].n_parts = AZ_LENGTH(whole);
            d->charts.v[i].stack = AZ_SV("rank");
        } else if (rc == 0 && charts[i].kind == AZ_CHART_SCATTER_LOG) {
            d->charts.v[i].size = AZ_SV("Total (ns)");
        }
    }
    return rc;
}

/* ---- verdict, timeline and flame view ---- */
static int add_verdict(struct az_document *d)
{
    const struct az_line lines[] = {
        { .text = AZ_SV("Made up <b>, 2 ranks, 40 steps, 1.0 s"), .ns = 1000000000 },
        { .kind = AZ_LINE_TIME,
          .label = AZ_SV("time"),
          .text = AZ_SV("52.3 % computing, 9.7 % waiting for communication, 1.5 % copying, 36.5 % "
                        "idle; MFU 13.9 % of bf16 peak"),
          .ns = -1 },
        { .kind = AZ_LINE_FINDING,
          .label = AZ_SV("-36.5 %"),
          .text = AZ_SV("idle: 4 gaps of 90 ms, host in <script>window.hacked = 8</script>"),
          .rule = AZ_SV("idle_host"),
          .severity = AZ_SV("warning"),
          .evidence = AZ_SV("nights"),
          .ns = 365000000,
          .percent = 36.5 },
        { .kind = AZ_LINE_FINDING,
          .label = AZ_SV("-9.0 %"),
          .text = AZ_SV("a kernel at a tenth of its roofline"),
          .rule = AZ_SV("roofline_headroom"),
          .severity = AZ_SV("info"),
          .evidence = AZ_SV("kernels"),
          .row = az_sv_str(names[4]),
          .ns = 90000000,
          .percent = 9 },
        { .kind = AZ_LINE_TRUST,
          .label = AZ_SV("trust"),
          .text = AZ_SV("all 4,315 device events linked; nothing dropped"),
          .ns = -1 },
    };
    struct az_table *t = az_headline_table(d->arena);

    if (!t)
        return AZ_ENOMEM;
    for (size_t i = 0; i < AZ_LENGTH(lines); i++)
        az_headline_put(t, &lines[i]);
    return az_headline_add(d, t);
}

static void release_tracks(void *t) { az_tracks_release(t); }
static void release_flame(void *f) { az_flame_release(f); }

#define STEPS 40
#define SPAN  1000000000
static const struct az_track_lane lanes[] = {
    { .kind = AZ_TRACK_STEPS, .rank = -1, .device = -1, .stream = -1 },
    { .kind = AZ_TRACK_GAPS, .rank = 0, .stream = -1 },
    { .kind = AZ_TRACK_STREAM, .rank = 0, .stream = 7 },
    { .kind = AZ_TRACK_STREAM, .rank = 0, .stream = -1 },
    { .kind = AZ_TRACK_GAPS, .rank = 1, .stream = -1 },
    { .kind = AZ_TRACK_STREAM, .rank = 1, .stream = 7 }
};

static int put(struct az_lod *l, struct az_tracks *t, struct az_track_mark m)
{
    struct az_track_lane *lane = &t->lanes.v[m.lane];
    m.busy = m.duration;
    m.count = 1;
    lane->busy += m.busy;
    lane->events++;
    lane->family[m.family] += m.busy;
    return az_lod_add(l, &m);
}

/* Bursts of kernels on each stream, a gap after each burst. */
static int put_marks(struct az_lod *l, struct az_tracks *t, size_t events)
{
    const int64_t step = SPAN / STEPS, one = step * 6 / 10 / (int64_t)(events / STEPS + 1);
    int rc = 0;

    for (int64_t s = 0; s < STEPS && rc == 0; s++) {
        rc = put(l, t,
                 (struct az_track_mark){
                     .start = s * step, .duration = step, .lane = 0, .name = NAMES + (uint32_t)s });
        for (uint32_t lane = 1; lane < AZ_LENGTH(lanes) && rc == 0; lane++) {
            if (lanes[lane].kind == AZ_TRACK_GAPS)
                rc = put(l, t,
                         (struct az_track_mark){ .start = s * step + step * 6 / 10,
                                                 .lane = lane,
                                                 .duration = step * 4 / 10 });
            for (size_t i = 0; lanes[lane].kind == AZ_TRACK_STREAM && i < events / STEPS && rc == 0;
                 i++)
                rc =
                    put(l, t,
                        (struct az_track_mark){ .start = s * step + (int64_t)i * one,
                                                .lane = lane,
                                                .duration = one * (int64_t)(50 + i % 51) / 100,
                                                .name = (uint32_t)(i % NAMES),
                                                .family = (uint8_t)(i % NAMES * 7 % AZ_FAMILIES) });
        }
    }
    return rc;
}

static int add_tracks(struct az_document *d, size_t events)
{
    struct az_tracks *t = az_arena_alloc(d->arena, sizeof *t);
    struct az_lod l = { .n_levels = 0 };
    bool exact;
    int rc = t ? 0 : AZ_ENOMEM;

    if (rc)
        return rc;
    az_tracks_init(t, d->mem);
    rc = az_document_own(d, t, release_tracks);
    t->span = SPAN;
    for (size_t i = 0; i < AZ_LENGTH(lanes) && rc == 0; i++)
        rc = az_vec_push(&t->lanes, lanes[i]);
    for (size_t i = 0; i < NAMES + STEPS && rc == 0; i++) {
        rc = az_vec_push(&t->names, i < NAMES ? az_sv_str(names[i])
                                              : az_arena_printf(d->arena, "step %zu", i - NAMES));
        rc = rc ? rc : az_vec_push(&t->families, (uint8_t)(i < NAMES ? i * 7 % AZ_FAMILIES : 0));
    }
    rc = rc ? rc : az_lod_init(&l, 0, SPAN, AZ_LENGTH(lanes), AZ_TRACK_MARKS, d->mem);
    rc = rc ? rc : put_marks(&l, t, events);
    rc = rc ? rc : az_lod_finish(&l, t, &exact);
    az_lod_release(&l);
    d->tracks = t;
    return rc;
}

static int add_flame(struct az_document *d, size_t paths)
{
    struct az_flame *f = az_arena_alloc(d->arena, sizeof *f);
    int rc = f ? az_flame_init(f, d->mem) : AZ_ENOMEM;

    if (rc)
        return rc;
    rc = az_document_own(d, f, release_flame);
    for (size_t i = 0; i < paths && rc == 0; i++) {
        uint32_t node = 0;
        for (size_t k = 0; k < 3 + i % 5 && rc == 0; k++)
            rc = az_flame_child(f, &node,
                                k == 2 ? az_sv_str(names[i % NAMES])
                                       : az_arena_printf(d->arena, "module %zu", i % (k + 3)));
        az_flame_add(f, node, (int64_t)(1 + i % 97) * 1000, (enum az_family)(i % AZ_FAMILIES));
    }
    f->of = "modules & operators";
    rc = rc ? rc : az_flame_finish(f);
    d->flame = f;
    return rc;
}

static int write_one(const char *folder, const char *name, size_t kernels, size_t nights)
{
    struct az_mem mem;
    struct az_arena arena, scratch;
    struct az_document d;
    struct az_diag diag;
    char path[4096];
    int rc = 0;

    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_arena_init(&scratch, &mem);
    az_diag_init(&diag);
    az_document_init(&d, &arena);
    if (kernels) {
        d.title = AZ_SV("Made up <script>window.hacked = 7</script>");
        d.input = AZ_SV("runs/\"made\" up.json");
        d.format = AZ_SV("none");
        rc = az_vec_push(&d.preface, AZ_SV("[Warning]: a message <b>"));
        rc = rc ? rc : add_findings(&d);
        rc = rc ? rc : add_kernels(&d, kernels);
        rc = rc ? rc : add_nights(&d, nights);
        rc = rc ? rc : add_parts(&d);
        rc = rc ? rc : add_charts(&d);
        rc = rc ? rc : add_verdict(&d);
        rc = rc ? rc : add_tracks(&d, kernels * 10);
        rc = rc ? rc : add_flame(&d, kernels);
    }
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    rc = rc ? rc : az_report_html.write(&d, path, &scratch, &diag);
    for (size_t i = 0; i < diag.list.n; i++)
        fprintf(stderr, "%.*s\n", AZ_SVF(diag.list.v[i].text));
    az_document_release(&d);
    az_arena_release(&scratch);
    az_arena_release(&arena);
    az_diag_release(&diag);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: html_samples FOLDER\n");
        return 2;
    }
    return write_one(argv[1], "kinds", 24, 40) || write_one(argv[1], "large", 100000, 5000) ||
           write_one(argv[1], "empty", 0, 0);
}
