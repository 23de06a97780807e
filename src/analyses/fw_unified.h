/* Rows of unified_perf_summary: which operations are taken (fw_unified.c), and their tables (fw_unified_table.c). */
#ifndef AZ_ANALYSES_FW_UNIFIED_H
#define AZ_ANALYSES_FW_UNIFIED_H

#include "analyses/fw.h"

struct az_unified_row {
    uint32_t node; /* operator taken, or owner of a synthetic row */
    uint32_t gpu;  /* synthetic: its device event; AZ_NO_ROW: all under the node */
    uint64_t uid;  /* of the node; synthetic rows are numbered on behind the file's events */
    struct az_sv name, category;
    uint32_t name_group; /* equal for equal names */
    bool model;          /* its operator has a performance model */
    uint32_t forward;    /* forward operator whose model's backward pass stands for it; AZ_NO_ROW */
    int64_t time;        /* union of its device events, ticks */
};
AZ_VEC(struct az_unified_row, az_unified_rows);

/* unified_perf_summary and, with include_overlap_info, unified_perf_summary_kl_overlap. */
int az_unified_tables(struct az_job *job, struct az_fw *fw, const struct az_unified_rows *rows) AZ_MUST_USE;
/* roofline, its chart, and the share of device time without a model in `coverage` (fw_roofline.c). */
int az_unified_roofline(struct az_job *job, struct az_fw *fw, const struct az_unified_rows *rows) AZ_MUST_USE;

#endif
