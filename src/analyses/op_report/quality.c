/* What of the report can be trusted: impossible rows, missing values, operations not found on all
 * devices; totals with and without the impossible rows. */
#include <math.h>

#include "analyses/op_report/opreport.h"
#include "analyses/op_report/totals.h"
#include "base/num.h"
#include "document/record.h"
#include "document/times.h"

struct check {
    uint64_t rows;
    double time, gap; /* whole ns, so that the sums are exact */
};

static void count(struct check *c, bool hit, double time, double gap)
{
    if (!hit)
        return;
    c->rows++;
    c->time += time;
    c->gap += gap;
}

enum {
    Q_ALL,
    Q_IMPOSSIBLE,
    Q_LEFT_GAPS, /* over the limit, of possible rows */
    Q_KERNEL,
    Q_LONG,
    Q_NEGATIVE,
    Q_FIRMWARE,
    Q_COVERED,
    Q_GAP,
    Q_FAR,
    Q_RATE,
    Q_NO_TIME,
    Q_NO_RATE,
    Q_FIDELITY,
    Q_CHECKS
};

static void check_rows(const struct az_op_report *t, struct check *c)
{
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct az_op_report_row *r = &t->rows.v[i];
        const struct az_op_report_sig *s = az_op_report_sig_of(t, r);
        struct az_op_report_figures f;
        if (s->kind == TT_SIGNPOST)
            continue;
        az_op_report_figures(t, r, &f);
        const double time = az_op_report_row_ns(t, r), gap = az_op_report_row_gap_ns(t, r);
        count(&c[Q_ALL], true, time, gap);
        count(&c[Q_IMPOSSIBLE], r->suspect & TT_SUSPECT_TIME, time, gap);
        count(&c[Q_LEFT_GAPS], r->suspect & TT_SUSPECT_FAR && !(r->suspect & TT_SUSPECT_TIME), 0,
              gap);
        count(&c[Q_KERNEL], r->suspect & TT_SUSPECT_KERNEL, fabs(az_op_report_oprow(t, r)->kernel),
              gap);
        count(&c[Q_LONG], r->suspect & TT_SUSPECT_LONG, time, gap);
        count(&c[Q_NEGATIVE], r->suspect & TT_SUSPECT_NEGATIVE, time, gap);
        count(&c[Q_FIRMWARE], r->suspect & TT_SUSPECT_FIRMWARE, time, gap);
        count(&c[Q_COVERED], r->suspect & TT_SUSPECT_COVERED, time, gap);
        count(&c[Q_GAP], r->suspect & TT_SUSPECT_GAP, time, gap);
        count(&c[Q_FAR], r->suspect & TT_SUSPECT_FAR, time, gap);
        count(&c[Q_RATE], r->suspect & TT_SUSPECT_RATE, time, gap);
        if (s->kind == TT_HOST)
            continue;
        count(&c[Q_NO_TIME], !(r->kernel > 0), time, gap);
        count(&c[Q_NO_RATE], s->rated && isnan(f.tflops), time, gap);
        count(&c[Q_FIDELITY], s->rated && s->fidelity >= AZ_FIDELITIES, time, gap);
    }
}

struct check_row {
    int64_t rows;
    double time, gap, share; /* us, percent; NaN: not counted */
    const char *name, *note;
};
#define ROW struct check_row
static const struct az_record_column check_columns[] = {
    { "Check", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name) },
    { "Rows", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, AZ_FIELD(ROW, rows) },
    { "Device Time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, time) },
    { "Op-to-Op Gap", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, gap) },
    { "Share", AZ_REAL, AZ_UNIT_PERCENT, AZ_FIELD(ROW, share) },
    { "Note", AZ_TEXT, AZ_FIELD(ROW, note) },
};
#undef ROW

static void put_row(const struct az_op_report *t, struct az_table *x, const char *name,
                    const struct check *c, const char *note)
{
    const double time = c->time / 1000, gap = c->gap / 1000;
    az_put_row(x, &(struct check_row){ .name = name,
                                       .rows = (int64_t)c->rows,
                                       .time = time,
                                       .gap = gap,
                                       .share = t->total != 0 ? (time + gap) / t->total * 100 : NAN,
                                       .note = note });
}

/* What the verdict counts; comparisons and gates read it here (document/times.c). */
static void put_account(struct az_op_report *t, struct az_table *x)
{
    const struct az_op_report_totals *o = az_op_report_totals_of(t->job);
    if (!o || !o->known)
        return;
    const struct check c = { (uint64_t)o->operations, (double)o->busy, (double)o->idle };
    put_row(t, x, AZ_TIME_ACCOUNT, &c,
            "busy and idle time per device in the verdict's scope, invalid operations excluded");
}

int az_op_report_quality(struct az_op_report *t)
{
    struct check c[Q_CHECKS] = { { 0, 0, 0 } };
    struct az_table *x = AZ_RECORD_TABLE(t->job->arena, "data_quality", "Data quality",
                                         AZ_TABLE_KEEP_EMPTY | AZ_TABLE_SUMMARY, check_columns);
    check_rows(t, c);
    struct check rest = { c[Q_ALL].rows - c[Q_IMPOSSIBLE].rows,
                          c[Q_ALL].time - c[Q_IMPOSSIBLE].time,
                          c[Q_ALL].gap - c[Q_IMPOSSIBLE].gap - c[Q_LEFT_GAPS].gap };
    put_row(t, x, "all rows", &c[Q_ALL], "totals in ops and ops_stacked");
    put_row(t, x, "without impossible rows", &rest,
            "totals without impossible rows and gaps over the limit (drop_impossible: everywhere)");
    put_account(t, x);
    put_row(t, x, "impossible rows", &c[Q_IMPOSSIBLE],
            "rows that fail any of the next four checks");
    put_row(t, x, "kernel time over the limit", &c[Q_LONG], "thresholds.max_op_us");
    put_row(t, x, "kernel time below 0", &c[Q_NEGATIVE], "");
    put_row(t, x, "kernel time over firmware time", &c[Q_FIRMWARE],
            "the firmware encloses the kernel");
    put_row(t, x, "kernel time under other operations", &c[Q_COVERED],
            "most of its time, on the same sub device");
    put_row(t, x, "gap below 0", &c[Q_GAP], "operation started before its device was free");
    put_row(t, x, "gap over the limit", &c[Q_FAR], "thresholds.max_gap_us");
    put_row(t, x, "rate above the peak", &c[Q_RATE], "FLOPs or DRAM above 100.5%: not evaluated");
    put_row(t, x, "no kernel time", &c[Q_NO_TIME], "blank or 0: no rate");
    put_row(t, x, "matmuls and convolutions without a rate", &c[Q_NO_RATE],
            "missing time, shapes or attributes: see op_models");
    put_row(t, x, "math fidelity blank or unknown", &c[Q_FIDELITY],
            "matmuls and convolutions without a FLOPs percentage");
    if (t->r->devices > 1)
        az_put_row(x,
                   &(struct check_row){ .name = "operations not on all devices",
                                        .rows = (int64_t)t->merge.incomplete,
                                        .time = NAN,
                                        .gap = NAN,
                                        .share = NAN,
                                        .note = t->merge.by_call ? "matched by call count"
                                                                 : "matched by name, in order" });
    if (c[Q_KERNEL].rows)
        az_finding(
            t->job, "impossible_rows", "warning", AZ_SV("operations with invalid timestamps"),
            (int64_t)c[Q_KERNEL].rows, az_whole(c[Q_KERNEL].time),
            AZ_SV("see Suspect in ops and data_quality; set drop_impossible to exclude them"));
    return az_op_report_emit(t, x, 0);
}
