/* The report of operations on Tenstorrent devices: what its steps share. Private to this folder.
 * Order of work (docs/formats-tracy.md 3): select (sort, window of signposts, merge of devices),
 * rate each row, range of ids and host rows, totals, tables. */
#ifndef AZ_ANALYSES_OP_REPORT_OPREPORT_H
#define AZ_ANALYSES_OP_REPORT_OPREPORT_H

#include "analyses/analysis.h"
#include "classify/rules.h"
#include "document/text_table_spec.h"
#include "model/opreport.h"
#include "perf/tensix.h"

enum az_op_report_kind {
    TT_OTHER,
    TT_HOST,
    TT_MATMUL,
    TT_CONV,
    TT_HALO,
    TT_ATTENTION,
    TT_DECODE,
    TT_GATHER,
    TT_SCATTER,
    TT_REDUCE,
    TT_SIGNPOST
};

/* The result of the rules (configs/az_op_report_ops.rules) for a name. */
struct az_op_report_code {
    bool known;
    uint8_t kind, ink;     /* enum az_op_report_kind, enum az_ink */
    bool judged;           /* its printed fidelity shows the verdict */
    bool sparse;           /* a sparse product */
    bool mean, fastest;    /* merged over devices by mean; by the smallest (first version) */
    bool other_told;       /* category Other was reported */
    struct az_sv category; /* empty: none */
};

/* What holds for every row of one operation with the same arguments, whatever its time. */
struct az_op_report_sig {
    uint32_t code, args;
    uint8_t kind; /* enum az_op_report_kind */
    uint8_t fidelity, verdict;
    struct az_sv shown;                   /* "Matmul 32 x 64 x 64" */
    struct az_sv precision;               /* "HiFi2 BF16 x BF16 => BF16" */
    double flop, dram_bytes, moved_bytes; /* NaN: no formula or missing shapes */
    bool in_dram; /* one of inputs 0, 1 and output 0 is in DRAM, or may, whether its size is known
                     or not */
    bool rated;   /* its FLOP count in the tables of operations (matrix products, convolution) */
    bool sparse;  /* a product of which a part of the matrices is computed */
    bool sharded; /* a DRAM-sharded product */
    const char *source;  /* of flop; NULL */
    const char *why_not; /* no flop because; NULL */
    const char *advice;  /* on fidelity; NULL */
    struct az_sv label;  /* of the stacked report, computed on first use */
};
AZ_VEC(struct az_op_report_sig, az_op_report_sigs);

/* One row of the report: a row of the file, or several devices' merged into one. */
struct az_op_report_row {
    uint32_t row, sig; /* of opreport.rows, of sigs */
    double kernel;     /* ns, merged; NaN: blank */
    bool no_gap;       /* first row: its gap is not between two rows shown */
    uint8_t suspect;   /* TT_SUSPECT_* */
};
AZ_VEC(struct az_op_report_row, az_op_report_rows);

enum {
    TT_SUSPECT_LONG = 1,      /* kernel time above max_op_us */
    TT_SUSPECT_FIRMWARE = 2,  /* kernel time above the firmware's, which encloses it */
    TT_SUSPECT_GAP = 4,       /* negative gap */
    TT_SUSPECT_FAR = 8,       /* gap above max_gap_us */
    TT_SUSPECT_NEGATIVE = 16, /* negative kernel time */
    TT_SUSPECT_COVERED = 32,  /* under other operations for most of its kernel time */
    TT_SUSPECT_RATE = 64,     /* FLOPs or DRAM above the peak; its times may be right */
    /* Whose own time is impossible. The others have an impossible gap before them, or are just
     * long: an operation that is compiled first waits for seconds, and its time is good. */
    TT_SUSPECT_KERNEL = TT_SUSPECT_FIRMWARE | TT_SUSPECT_NEGATIVE | TT_SUSPECT_COVERED,
    TT_SUSPECT_TIME = TT_SUSPECT_KERNEL | TT_SUSPECT_LONG /* what drop_impossible omits */
};

enum az_op_report_bound { TT_NO_BOUND, TT_DRAM, TT_FLOP, TT_BOTH, TT_SLOW, TT_ON_HOST };
const char *az_op_report_bound_text(enum az_op_report_bound b);

/* A row's metrics; NaN: blank. */
struct az_op_report_figures {
    double time, gap, percent; /* us, us, of time and gap of all rows shown */
    double cores, dram, dram_percent, tflops, flops_percent;
    enum az_op_report_bound bound;
};

struct az_op_report_counts {
    uint64_t device, host, signposts;
};

/* Differences between devices that the merge met. */
struct az_op_report_merge_notes {
    uint64_t blocks, incomplete; /* operations; those not found on every device */
    uint64_t first_block;        /* of the incomplete ones, from 0 */
    uint32_t first_code;
    bool by_call; /* matched by call count; else by name */
};

#define TT_ADVICE_MAX 6
struct az_op_report_advice {
    struct az_sv text[TT_ADVICE_MAX];
    size_t n;
    const char *not_judged; /* why there is no result; NULL: there is one */
    struct az_sv joined;    /* all texts in a cell */
};
AZ_VEC(struct az_op_report_advice *, az_op_report_advices);

struct az_op_report {
    struct az_job *job;
    const struct az_trace *trace;
    const struct az_opreport *r;
    const struct az_options *o;
    bool first; /* op_rules = first */
    struct az_tensix peaks;
    bool has_peaks;
    int64_t workers;
    struct az_sv arch;
    const char *workers_from;
    struct az_rule_list rules;       /* configs/tt_ops.rules */
    struct az_op_report_code *codes; /* by name id */
    struct az_op_report_sigs sigs;
    struct az_map sig_of;
    struct az_map advice_of; /* what determines a row's advice -> number of advices */
    struct az_op_report_advices advices;
    struct az_op_report_rows rows; /* what is reported, in order */
    uint8_t *in_window; /* by row of the file: inside the window of signposts; NULL: all */
    double *overlap;    /* ns, by row of the file: of its kernel under operations that began
                           before it on its device; NULL: no sub devices, or none */
    bool partitioned;   /* rows name sub devices, or several numbers of available cores */
    bool names_sub;     /* rows name sub devices */
    struct az_op_report_counts counts;
    struct az_op_report_merge_notes merge;
    uint64_t out_of_range, host_dropped, impossible_dropped, unmerged_from;
    double total;      /* us: time and gap of all rows */
    double time, gap;  /* us */
    double overlapped; /* us: of time, under other operations; the rest is busy time */
    uint64_t invalid;  /* device operations without a valid time */
    /* Text of the last signpost, where the window begins with it; else AZ_NO_ID. */
    uint32_t last_mark;
    bool nothing_after;     /* and no operation follows it */
    struct az_vec_sv notes; /* what was done, for readers */
    int64_t range_low, range_high;
    bool hold; /* az_op_report_emit keeps tables back in held[] */
    struct az_table *held[8];
    size_t n_held;
};

/* ---- rules.c ---- */
const struct az_op_report_code *az_op_report_code(struct az_op_report *t, uint32_t name);
struct az_sv az_op_report_category(struct az_op_report *t, const struct az_op_report_sig *s);
/* First word of a name. */
struct az_sv az_op_report_first_word(struct az_sv s);
int az_op_report_rules(struct az_arena *a, struct az_rule_list *out) AZ_MUST_USE;
struct az_sv az_op_report_category_of(const struct az_rule_list *rules, struct az_sv first_word);
enum az_ink az_op_report_ink_of(const struct az_rule_list *rules, struct az_sv code);
/* "5-10", "31-", "-12", "-"; false: not of that form. */
bool az_op_report_id_range(struct az_sv text, int64_t *low, int64_t *high);
int az_op_report_device(struct az_op_report *t) AZ_MUST_USE;

/* ---- select.c, merge.c ---- */
/* Rows in the order of the report; whole: without the window of signposts, signposts kept. Only
 * row, kernel are set. */
int az_op_report_select(struct az_op_report *t, bool whole,
                        struct az_op_report_rows *out) AZ_MUST_USE;
/* Window (row numbers in order of time) into merged rows. */
int az_op_report_merge(struct az_op_report *t, const uint32_t *window, size_t n,
                       struct az_op_report_rows *out,
                       struct az_op_report_merge_notes *notes) AZ_MUST_USE;
void az_op_report_note(struct az_op_report *t, const char *fmt, ...) AZ_PRINTF(2, 3);

/* ---- rates.c ---- */
int az_op_report_sig(struct az_op_report *t, uint32_t row, uint32_t *sig) AZ_MUST_USE;
void az_op_report_figures(const struct az_op_report *t, const struct az_op_report_row *row,
                          struct az_op_report_figures *f);
enum az_op_report_bound az_op_report_bound(const struct az_op_report *t, double dram_percent,
                                           double flops_percent, bool no_dram);
/* Time of the rows under others of their device, where the device is partitioned (overlap.c). */
int az_op_report_overlap(struct az_op_report *t) AZ_MUST_USE;
/* Worker cores that were available to a row; 0: unknown. */
double az_op_report_budget(const struct az_op_report *t, const struct az_op_report_row *row);
/* ns of a row's kernel under other operations; 0: none that counts. */
double az_op_report_row_overlap_ns(const struct az_op_report *t,
                                   const struct az_op_report_row *row);
/* Is a rate above the peak? */
bool az_op_report_rate_impossible(const struct az_op_report_figures *f);
double az_op_report_row_gap(const struct az_op_report *t, const struct az_op_report_row *row);
/* The same in ns, blank as 0: files have whole ns, so sums are exact in any order. */
double az_op_report_row_ns(const struct az_op_report *t, const struct az_op_report_row *row);
double az_op_report_row_gap_ns(const struct az_op_report *t, const struct az_op_report_row *row);
static inline const struct az_oprow *az_op_report_oprow(const struct az_op_report *t,
                                                        const struct az_op_report_row *r)
{
    return &t->r->rows.v[r->row];
}
static inline const struct az_op_report_sig *az_op_report_sig_of(const struct az_op_report *t,
                                                                 const struct az_op_report_row *r)
{
    return &t->sigs.v[r->sig];
}
static inline const struct az_opargs *az_op_report_args_of(const struct az_op_report *t,
                                                           const struct az_op_report_row *r)
{
    return &t->r->args.v[t->r->rows.v[r->row].args];
}
static inline struct az_sv az_op_report_text(const struct az_op_report *t, uint32_t id)
{
    return az_trace_text(t->trace, id);
}

/* ---- tables ---- */
int az_op_report_emit(struct az_op_report *t, struct az_table *table, int rc) AZ_MUST_USE;
/* A row of the report; records of tables about rows begin with it. */
struct az_op_report_cells {
    struct az_op_report *t;
    const struct az_op_report_row *row;
    const struct az_oprow *r;
    const struct az_op_report_sig *s; /* NULL: its operation is not the subject */
    const struct az_opargs *a;
    struct az_op_report_figures f;
};
struct az_op_report_cells az_op_report_cells_of(struct az_op_report *t,
                                                const struct az_op_report_row *row);
/* Id of a row: its line, "file:line" where there are several files. Of tables made for the report.
 */
int64_t az_op_report_line(const void *cells);
struct az_sv az_op_report_place(const void *cells, struct az_arena *texts);
bool az_op_report_has_one_file(const void *report);
bool az_op_report_has_files(const void *report);
#define AZ_OP_REPORT_ID(flags)                                                                     \
    { "ID",                                                                                        \
      AZ_INT,                                                                                      \
      AZ_UNIT_ID,                                                                                  \
      flags,                                                                                       \
      .integer = az_op_report_line,                                                                \
      .when = az_op_report_has_one_file },                                                         \
    {                                                                                              \
        "ID", AZ_TEXT, AZ_UNIT_ID, flags, .text = az_op_report_place,                              \
                                          .when = az_op_report_has_files                           \
    }
int az_op_report_ops(struct az_op_report *t) AZ_MUST_USE;
void az_op_report_row_inks(struct az_op_report *t, const struct az_op_report_row *r,
                           const struct az_op_report_figures *f, uint8_t *ink);
int az_op_report_stacked(struct az_op_report *t) AZ_MUST_USE;
int az_op_report_signposts(struct az_op_report *t) AZ_MUST_USE;
int az_op_report_iterations(struct az_op_report *t) AZ_MUST_USE;
int az_op_report_replays(struct az_op_report *t) AZ_MUST_USE;
int az_op_report_quality(struct az_op_report *t) AZ_MUST_USE;
int az_op_report_models(struct az_op_report *t) AZ_MUST_USE;

/* Account, trust checks and findings, for the verdict (totals.h; verdict.c, findings.c). */
int az_op_report_verdict(struct az_op_report *t) AZ_MUST_USE;
/* Marks of a row (TT_SUSPECT_*). */
uint8_t az_op_report_suspect(const struct az_op_report *t, const struct az_op_report_row *row);

/* ---- advice.c ---- */
/* Text of the Advice cell; empty for rows that get none. */
struct az_sv az_op_report_advice_text(struct az_op_report *t, const struct az_op_report_row *r,
                                      const struct az_op_report_figures *f);
/* The advice table, and its section below the printed operations. */
int az_op_report_advice(struct az_op_report *t, struct az_form *form) AZ_MUST_USE;

#endif
