/* The table `ops`: one row an operation, and its colored text form (docs/formats-tracy.md 12, 13,
 * 16). */
#include <math.h>
#include <stdio.h>

#include "analyses/op_report/opreport.h"
#include "document/record.h"

/* Columns that are printed, and their places in the table: the first ones, and those of devices
 * that are partitioned. */
enum {
    C_ID,
    C_PERCENT,
    C_BOUND,
    C_CODE,
    C_DEVICE,
    C_TIME,
    C_GAP,
    C_CORES,
    C_DRAM,
    C_DRAM_PERCENT,
    C_FLOPS,
    C_FLOPS_PERCENT,
    C_FIDELITY,
    C_SUB_DEVICE = 22,
    C_AVAILABLE,
    C_OVERLAP = 26,
    C_INKS
};

static struct az_sv suspect_text(uint8_t s, struct az_arena *texts)
{
    static const struct {
        uint8_t bit;
        const char *text;
    } bits[] = { { TT_SUSPECT_LONG, "kernel time over max_op_us" },
                 { TT_SUSPECT_NEGATIVE, "kernel time below 0" },
                 { TT_SUSPECT_FIRMWARE, "kernel time over firmware time" },
                 { TT_SUSPECT_COVERED, "kernel time under other operations" },
                 { TT_SUSPECT_GAP, "gap below 0" },
                 { TT_SUSPECT_FAR, "gap over max_gap_us" },
                 { TT_SUSPECT_RATE, "rate above the peak" } };
    struct az_sv all = { "", 0 };
    for (size_t i = 0; i < AZ_LENGTH(bits); i++)
        if (s & bits[i].bit)
            all = all.n ? az_arena_printf(texts, "%.*s; %s", AZ_SVF(all), bits[i].text)
                        : az_sv_str(bits[i].text);
    return all;
}

#define ROW                struct az_op_report_cells
#define NAME(function, id) AZ_TEXT_OF_RECORD(function, ROW, az_op_report_text(r->t, id))
AZ_TEXT_OF_RECORD(bound_of, ROW, az_sv_str(az_op_report_bound_text(r->f.bound)))
AZ_OF_RECORD(int64_t, cores_of, ROW, isnan(r->f.cores) ? -1 : (int64_t)r->f.cores)
AZ_OF_RECORD(int64_t, is_sharded, ROW, r->a->dram_sharded && r->s->kind == TT_MATMUL)
NAME(output_type, r->a->t[AZ_OUT0].type)
NAME(input_type, r->a->t[AZ_IN0].type)
NAME(weight_type, r->a->t[AZ_IN1].type)
NAME(input_memory, r->a->t[AZ_IN0].memory)
NAME(sub_device, r->r->sub)
NAME(raw_code, r->r->code)
AZ_TEXT_OF_RECORD(category_of, ROW,
                  r->s->kind == TT_SIGNPOST ? AZ_SV("") : az_op_report_category(r->t, r->s))
AZ_TEXT_OF_RECORD(analysis_of, ROW,
                  az_sv_str(r->s->kind == TT_MATMUL ? "full"
                            : r->s->kind == TT_CONV ? "flops_only"
                                                    : "none"))
AZ_TEXT_OF_RECORD(advice_of, ROW, az_op_report_advice_text(r->t, r->row, &r->f))
AZ_TEXT_OF_RECORD(suspect_of, ROW,
                  r->row->suspect ? suspect_text(r->row->suspect, texts) : AZ_SV(""))

static int64_t available_of(const void *record)
{
    const ROW *r = record;
    const bool runs = r->s->kind != TT_SIGNPOST && r->s->kind != TT_HOST;
    const double cores = runs ? az_op_report_budget(r->t, r->row) : 0;
    return cores > 0 ? (int64_t)cores : -1;
}

static double overlap_of(const void *record)
{
    const ROW *r = record;
    const double ns = az_op_report_row_overlap_ns(r->t, r->row);
    return ns > 0 ? ns / 1000 : NAN;
}

static bool has_advice(const void *report)
{
    const struct az_op_report *t = report;
    return !t->o->no_advice;
}

static bool has_raw_codes(const void *report)
{
    const struct az_op_report *t = report;
    return t->o->raw_op_codes;
}

/* Details: the text omits them or prints them for some devices only (see `printed`). */
static const struct az_record_column ops_columns[] = {
    AZ_OP_REPORT_ID(AZ_KEY),
    { "Total %", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, f.percent) },
    { "Bound", AZ_TEXT, .text = bound_of },
    { "OP Code", AZ_TEXT, AZ_VIA(ROW, s, shown) },
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(ROW, r, device) },
    { "Device Time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, f.time) },
    { "Op-to-Op Gap", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, f.gap) },
    { "Cores", AZ_INT, AZ_UNIT_COUNT, .integer = cores_of, .known = true },
    { "DRAM", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER, AZ_FIELD(ROW, f.dram) },
    { "DRAM %", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(ROW, f.dram_percent) },
    { "FLOPs", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER, AZ_FIELD(ROW, f.tflops) },
    { "FLOPs %", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(ROW, f.flops_percent) },
    { "Math Fidelity", AZ_TEXT, AZ_VIA(ROW, s, precision) },
    { "Output Datatype", AZ_TEXT, .flags = AZ_DETAIL, .text = output_type, .known = true },
    { "Input 0 Datatype", AZ_TEXT, .flags = AZ_DETAIL, .text = input_type, .known = true },
    { "Input 1 Datatype", AZ_TEXT, .flags = AZ_DETAIL, .text = weight_type, .known = true },
    { "DRAM Sharded", AZ_BOOL, .flags = AZ_DETAIL, .integer = is_sharded },
    { "Input 0 Memory", AZ_TEXT, .flags = AZ_DETAIL, .text = input_memory, .known = true },
    { "Inner Dim Block Size", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, a, block_w) },
    { "Output Subblock H", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, a, subblock_h) },
    { "Output Subblock W", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, a, subblock_w) },
    { "Global Call Count", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN_VIA(ROW, r, call) },
    { "Sub Device ID", AZ_TEXT, .flags = AZ_DETAIL, .text = sub_device, .known = true },
    { "Available Cores", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, .integer = available_of, .known = true },
    { "Op Category", AZ_TEXT, .flags = AZ_DETAIL, .text = category_of },
    { "Bound Analysis", AZ_TEXT, .flags = AZ_DETAIL, .text = analysis_of },
    { "Overlap", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = overlap_of },
    { "Advice", AZ_TEXT, .text = advice_of, .when = has_advice },
    { "Raw OP Code", AZ_TEXT, .text = raw_code, .known = true, .when = has_raw_codes },
    { "Suspect", AZ_TEXT, .text = suspect_of }, /* last: not in tt-perf-report */
};
#undef ROW

/* ---- colors ---- */

static void ink_bound(const struct az_op_report_figures *f, uint8_t *ink)
{
    bool both = !isnan(f->dram_percent) && !isnan(f->flops_percent);
    if (az_op_report_rate_impossible(f)) { /* nothing follows from it */
        if (f->dram_percent > f->flops_percent || isnan(f->flops_percent))
            ink[C_DRAM] = ink[C_DRAM_PERCENT] = AZ_INK_RED;
        else
            ink[C_FLOPS] = ink[C_FLOPS_PERCENT] = AZ_INK_RED;
        return;
    }
    switch (f->bound) {
    case TT_DRAM:
        ink[C_BOUND] = ink[C_DRAM] = ink[C_DRAM_PERCENT] = AZ_INK_GREEN;
        break;
    case TT_FLOP:
        ink[C_BOUND] = ink[C_FLOPS] = ink[C_FLOPS_PERCENT] = AZ_INK_GREEN;
        break;
    case TT_SLOW:
        ink[C_BOUND] = AZ_INK_YELLOW;
        if (both && f->dram_percent > f->flops_percent)
            ink[C_DRAM] = ink[C_DRAM_PERCENT] = AZ_INK_YELLOW;
        else if (both)
            ink[C_FLOPS] = ink[C_FLOPS_PERCENT] = AZ_INK_YELLOW;
        break;
    case TT_ON_HOST:
        ink[C_BOUND] = AZ_INK_RED;
        break;
    default:
        break;
    }
}

void az_op_report_row_inks(struct az_op_report *t, const struct az_op_report_row *row,
                           const struct az_op_report_figures *f, uint8_t *ink)
{
    static const uint8_t verdicts[] = { AZ_INK_WHITE, AZ_INK_WHITE, AZ_INK_GREEN, AZ_INK_RED,
                                        AZ_INK_CYAN };
    const struct az_op_report_sig *s = az_op_report_sig_of(t, row);
    const double budget = az_op_report_budget(t, row);

    memset(ink, AZ_INK_NONE, C_INKS);
    if (f->percent < t->o->min_percentage && (t->first || s->kind != TT_HOST)) {
        memset(ink, AZ_INK_GREY, C_INKS);
        return;
    }
    ink[C_CODE] = az_op_report_code(t, s->code)->ink;
    if (isnan(f->cores))
        ink[C_CORES] = AZ_INK_GREY;
    else if (s->sharded && !t->first)
        ink[C_CORES] = AZ_INK_GREEN;
    else if (f->cores < (double)t->o->low_cores && (t->first || 2 * f->cores < budget))
        ink[C_CORES] = AZ_INK_RED;
    else if (budget > 0 && f->cores == budget)
        ink[C_CORES] = AZ_INK_GREEN;
    ink_bound(f, ink);
    if (f->gap > t->o->op_to_op_gap_us)
        ink[C_GAP] = AZ_INK_RED;
    if (s->rated && az_op_report_code(t, s->code)->judged)
        ink[C_FIDELITY] = verdicts[s->verdict];
}

/* ---- text form ---- */

static struct az_sv signpost_display(struct az_arena *a, struct az_sv s)
{
    struct az_sv tail = AZ_SV(" (signpost)");
    if (!az_sv_ends(s, tail))
        return s;
    return az_arena_printf(a, "🪧 %.*s", AZ_SVF(az_sv_make(s.p, s.n - tail.n)));
}

static struct az_sv with_unit(struct az_op_report *t, double v, int decimals, const char *unit)
{
    char buf[AZ_FORM_NUMBER];
    if (isnan(v))
        return AZ_SV("");
    struct az_sv n = az_form_number(v, decimals, true, buf);
    return az_arena_printf(t->job->arena, "%.*s %s", AZ_SVF(n), unit);
}

/* DRAM rates of products over all busy time: how much of the run's bandwidth is modeled. */
static void dram_of_all(const struct az_op_report *t, double *rate, double *percent)
{
    const double busy = t->time - t->overlapped;
    struct az_op_report_figures f;
    double bytes = 0, weighted = 0;
    for (size_t i = 0; i < t->rows.n; i++) {
        az_op_report_figures(t, &t->rows.v[i], &f);
        if (isnan(f.time) || isnan(f.dram))
            continue;
        bytes += f.dram * f.time;
        weighted += isnan(f.dram_percent) ? 0 : f.dram_percent * f.time;
    }
    *rate = bytes > 0 && busy > 0 ? bytes / busy : NAN;
    *percent = weighted > 0 && busy > 0 ? weighted / busy : NAN;
}

static struct az_sv footer_cell(struct az_op_report *t, size_t column, double rate, double percent)
{
    switch (column) {
    case C_PERCENT:
        return t->total != 0 ? AZ_SV("100.0 %") : AZ_SV("");
    case C_CODE:
        return az_arena_printf(t->job->arena, "%llu device ops, %llu host ops, %llu signposts",
                               (unsigned long long)t->counts.device,
                               (unsigned long long)t->counts.host,
                               (unsigned long long)t->counts.signposts);
    case C_TIME:
        return with_unit(t, t->time, 0, "μs");
    case C_GAP:
        return with_unit(t, t->gap, 0, "μs");
    case C_DRAM:
        return t->first ? AZ_SV("") : with_unit(t, rate, 0, "GB/s");
    case C_DRAM_PERCENT:
        return t->first ? AZ_SV("") : with_unit(t, percent, 1, "%");
    default:
        return AZ_SV("");
    }
}

static void footer(struct az_op_report *t, struct az_form *f)
{
    double rate, percent;
    dram_of_all(t, &rate, &percent);
    f->footer = az_arena_array(t->job->arena, f->n, sizeof *f->footer);
    for (size_t i = 0; f->footer && i < f->n; i++)
        f->footer[i] = footer_cell(t, f->columns[i].column, rate, percent);
}

/* Columns that only partitioned devices have. */
static bool is_shown(const struct az_op_report *t, size_t column)
{
    switch (column) {
    case C_DEVICE:
        return !t->first;
    case C_SUB_DEVICE:
        return t->names_sub;
    case C_AVAILABLE:
        return t->partitioned;
    case C_OVERLAP:
        return t->overlapped > 0;
    default:
        return true;
    }
}

static const struct az_form_column printed[] = {
    { .column = C_ID, .title = "ID", .plain = true },
    { .column = C_PERCENT, .title = "Total %", .unit = "%", .decimals = 1 },
    { .column = C_BOUND, .title = "Bound" },
    { .column = C_CODE, .title = "OP Code", .left = true, .display = signpost_display },
    { .column = C_DEVICE, .title = "Device", .least = 7 },
    { .column = C_SUB_DEVICE, .title = "Sub Device ID" },
    { .column = C_TIME, .title = "Device Time", .unit = "μs" },
    { .column = C_GAP, .title = "Op-to-Op Gap", .unit = "μs" },
    { .column = C_OVERLAP, .title = "Overlap", .unit = "μs" },
    { .column = C_CORES, .title = "Cores" },
    { .column = C_AVAILABLE, .title = "Available Cores" },
    { .column = C_DRAM, .title = "DRAM", .unit = "GB/s" },
    { .column = C_DRAM_PERCENT, .title = "DRAM %", .unit = "%", .decimals = 1 },
    { .column = C_FLOPS, .title = "FLOPs", .unit = "TFLOPs", .decimals = 1 },
    { .column = C_FLOPS_PERCENT, .title = "FLOPs %", .unit = "%", .decimals = 1 },
    { .column = C_FIDELITY, .title = "Math Fidelity" },
};

static struct az_form *make_form(struct az_op_report *t)
{
    struct az_arena *a = t->job->arena;
    struct az_form *f = az_arena_alloc(a, sizeof *f);
    struct az_form_column *c = az_arena_array(a, AZ_LENGTH(printed), sizeof *c);
    uint8_t *ink = az_arena_array(a, t->rows.n + 1, AZ_LENGTH(printed)),
            *hidden = az_arena_array(a, t->rows.n + 1, 1);
    if (!f || !c || !ink || !hidden)
        return NULL;
    *f = (struct az_form){ .title = AZ_SV("Performance report"), .columns = c, .ink = ink };
    for (size_t i = 0; i < AZ_LENGTH(printed); i++)
        if (is_shown(t, printed[i].column))
            c[f->n++] = printed[i];
    f->hidden = t->o->hide_small ? hidden : NULL;
    az_vec_init(&f->before, t->job->mem);
    az_vec_init(&f->after, t->job->mem);
    footer(t, f);
    return f;
}

/* Inks of a row, without the columns that are not printed. */
static void keep_inks(const struct az_form *f, const uint8_t *all, uint8_t *to)
{
    for (size_t i = 0; i < f->n; i++)
        to[i] = all[f->columns[i].column];
}

static int put_ops_rows(struct az_op_report *t, struct az_table *x, struct az_form *f)
{
    uint8_t ink[C_INKS];
    uint64_t grey = 0, above = 0;
    double grey_time = 0;
    int rc = 0;

    for (size_t i = 0; i < t->rows.n; i++) {
        const struct az_op_report_cells c = az_op_report_cells_of(t, &t->rows.v[i]);
        const struct az_op_report_figures g = c.f;
        az_put_row(x, &c);
        above += (t->rows.v[i].suspect & TT_SUSPECT_RATE) != 0;
        az_op_report_row_inks(t, &t->rows.v[i], &g, ink);
        keep_inks(f, ink, f->ink + i * f->n);
        if (ink[C_ID] != AZ_INK_GREY)
            continue;
        grey++;
        grey_time += isnan(g.percent) ? 0 : g.percent;
        if (f->hidden)
            f->hidden[i] = 1;
    }
    if (t->overlapped > 0)
        rc = az_form_text(f,
                          az_arena_printf(t->job->arena,
                                          "device time: %.0f μs summed, %.0f μs overlapped, %.0f "
                                          "μs busy",
                                          t->time, t->overlapped, t->time - t->overlapped),
                          false);
    if (above && !rc)
        rc = az_form_text(f,
                          az_arena_printf(t->job->arena,
                                          "%llu rows with a rate above the peak: invalid, see "
                                          "Suspect",
                                          (unsigned long long)above),
                          false);
    if (grey == 0 || rc)
        return rc;
    struct az_sv text = az_arena_printf(
        t->job->arena, "%llu rows below %g%% (%s): %.1f%% of total time", (unsigned long long)grey,
        t->o->min_percentage, f->hidden ? "not printed" : "gray", grey_time);
    return az_form_text(f, text, false);
}

int az_op_report_ops(struct az_op_report *t)
{
    struct az_table *x =
        az_table_new(t->job->arena, "ops", "Operations", AZ_TABLE_KEEP_EMPTY | AZ_TABLE_SUMMARY);
    struct az_form *f = make_form(t);
    if (!x || !f) {
        az_table_free(x);
        return az_arena_error(t->job->arena);
    }
    x->form = f;
    AZ_RECORD_COLUMNS_OF(x, ops_columns, t);
    int rc = az_vec_reserve(
        &x->cells, t->rows.n * x->columns.n); /* the largest thing there is: without room to grow */
    if (rc == 0)
        rc = put_ops_rows(t, x, f);
    for (size_t i = 0; rc == 0 && i < t->notes.n; i++)
        rc = az_vec_push(&f->before, t->notes.v[i]);
    rc = az_op_report_emit(t, x, rc);
    return rc || t->o->no_advice ? rc : az_op_report_advice(t, f);
}
