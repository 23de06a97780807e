/* What the operations of a report could save. Private to this folder. */
#ifndef AZ_ANALYSES_OP_REPORT_FINDINGS_H
#define AZ_ANALYSES_OP_REPORT_FINDINGS_H

#include "analyses/op_report/scope.h"

/* Findings into the totals: idle time by what is around it, operations by their bound. gaps: idle
 * time can be assigned to causes; rates: rates are known. rows: operations of the scope, devices
 * merged. */
int az_op_report_find(struct az_op_report_scope *s, const struct az_op_report_rows *rows, bool gaps,
                      bool rates, struct az_op_report_totals *out) AZ_MUST_USE;

/* ---- advice.c: what could be changed in a product that neither DRAM nor FLOPs bound ---- */
/* The memory that input 0 is in, where that is not L1; empty: L1, or not known. */
struct az_sv az_op_report_input_elsewhere(struct az_op_report *t, const struct az_opargs *x);
/* in0_block_w or the output subblock is not set, or below 2. */
bool az_op_report_small_blocks(const struct az_opargs *x);

/* Why a device waited; made of the gaps in scope. */
enum az_gap_cause {
    AZ_GAP_BETWEEN, /* between operations */
    AZ_GAP_OUTSIDE, /* the same, where traces are replayed */
    AZ_GAP_REPLAYS, /* before a replay */
    AZ_GAP_INSIDE,  /* inside a replay */
    AZ_GAP_COMPILE, /* before the first run of an operation */
    AZ_GAP_HOST,    /* host operations were called */
    AZ_GAP_CAUSES
};
struct az_op_report_gap_rules {
    struct az_op_report *t;
    uint8_t *first; /* by row: the first of its operation and arguments on its device */
    double others;  /* ns: median of the gaps before operations that ran before; NaN: none */
    bool replayed;
};
int az_op_report_gap_rules_make(struct az_op_report_gap_rules *r, struct az_op_report *t,
                                const struct az_op_report_gap_list *gaps) AZ_MUST_USE;
/* *host: the host operation with the most time in it, else AZ_NO_ID. */
enum az_gap_cause az_op_report_gap_cause(const struct az_op_report_gap_rules *r,
                                         const struct az_op_report_gap *g, uint32_t *host);

#endif
