/* What one input is to be analyzed with: plain fields. Filled from the option table
 * (config/options.c), the only place with the keys, defaults and ranges; read by
 * formats and analyses. */
#ifndef AZ_MODEL_OPTIONS_H
#define AZ_MODEL_OPTIONS_H

#include "base/vec.h"
#include "classify/classmap.h"
#include "model/option_rows.h"

#define AZ_UNSET_I64 INT64_MIN /* an integer option without a default that is not set */

struct az_label {
    struct az_sv key, value;
};
AZ_VEC(struct az_label, az_labels);

/* Tools whose tables are known by name; the bits of the option `compat`, in the order of its words.
 */
enum az_tool {
    AZ_TOOL_HTA = 1,
    AZ_TOOL_NSYS = 2,
    AZ_TOOL_TRACELENS = 4,
    AZ_TOOL_TT_PERF_REPORT = 8,
    AZ_TOOL_ALL = 16, /* everything, tables of no tool too */
    AZ_TOOL_RANK_SHEETS =
        32 /* no word of its own: the sheets of collectives over ranks, of tracelens */
};

enum az_text_mode { AZ_TEXT_AUTO, AZ_TEXT_CLASSIC, AZ_TEXT_FULL };

struct az_options {
    /* run */
    int64_t iters;         /* num_of_iters; 0: not set */
    int64_t gpus;          /* num_of_gpus, default 1 */
    struct az_sv nvtx_tag; /* nvtx_tag_of_iter; empty: not set */
    /* classic Nsight arguments; AZ_UNSET_I64: by header */
    bool with_header;
    double time_scale_to_ms;
    bool time_scale_given;
    int64_t kernel_total_time_idx, kernel_instance_idx, kernel_name_idx;
    int64_t nvtx_tag_idx, nvtx_proj_duration_idx;
    int64_t mem_name_idx, mem_time_idx, mem_count_idx;
    bool nccl_compat_names; /* the long SendRecv( form of the reference (docs/formats-nsight.md 1.4)
                             */
    bool with_nvtx, with_mem;  /* nsys_report */
    struct az_sv kernel_names; /* nsys-sqlite: demangled (default), short, mangled */
    struct az_sv nsys_path;    /* nsys executable; empty: PATH */
    int64_t nsys_timeout_s;
    int64_t text_mode; /* enum az_text_mode */
    /* iterations and gaps */
    struct az_sv steps; /* auto | marks | pattern | none; empty: auto */
    int64_t warmup_iters;
    double gap_threshold_us;
    /* thresholds */
    double short_kernel_us, bound_percent, op_to_op_gap_us, min_percentage, low_util_percent;
    double device_gap_us, launch_spacing_us; /* causes of idle time */
    int64_t micro_idle_us;                   /* AZ_UNSET_I64: none */
    int64_t decode_gemm_m, low_cores;
    int64_t util_chunks;
    int64_t top_rows; /* rows per table in the text summary */
    bool strict;      /* reject what is otherwise tolerated */
    /* classes and labels */
    struct az_class_rules classes;
    struct az_labels labels;
    struct az_sv device_name;    /* of configs/devices.csv; empty: from the profile */
    struct az_sv roofline_basis; /* peak, achievable */
    /* Rates that win over the table: "mem_bw_gbps=4100 matrix_bf16=650". */
    struct az_sv device_peaks;
    struct az_sv gpu_arch_json_path; /* rates of devices in a JSON file; wins over device_name;
                                        empty: none */
    struct az_sv arch_rows;          /* of that file, as configs/devices.csv */
    struct az_sv arch_device;        /* the only device of that file; empty: there are several */
    struct az_sv extension_file;
    /* Pytorch: the trace that this one is compared with; empty: none. */
    struct az_sv comparison_json_path;
    /* Pytorch: traces of graph captures; empty: those next to a trace. */
    struct az_sv capture_folder;
    /* pytorch (docs/formulas-pytorch.md 13) */
    struct az_sv link_by;                                    /* correlation | flow */
    struct az_sv phase_detection_method;                     /* hybrid, ... */
    int64_t topk_ops, topk_roofline_ops, topk_short_kernels; /* AZ_UNSET_I64: all */
    int64_t short_kernel_histogram_bins;
    bool include_unlinked_kernels, short_kernel_study, enable_kernel_summary,
        inference_phase_analysis, detect_recompute, enable_pseudo_ops;
    bool include_call_stack, include_overlap_info, include_first_occurrence_time,
        group_by_num_kernels, group_by_parent_module;
    bool disable_coll_analysis;
    /* collectives over ranks (docs/formulas-collectives.md) */
    struct az_sv coll_patterns;  /* "part=collective ..." */
    struct az_sv coll_arguments; /* any | kernel */
    struct az_sv coll_sheets;    /* auto | current | historic | both */
    struct az_sv align_clocks;   /* auto | always | never */
    int64_t gpus_per_node;       /* 0: not set */
    /* operation reports (docs/formats-tracy.md 16) */
    struct az_sv start_signpost, end_signpost; /* empty: not set */
    struct az_sv last_signpost;  /* last | first: which of several equal last signposts */
    struct az_sv id_range, arch; /* empty: not set */
    struct az_sv group_by;       /* op | memory | category */
    struct az_sv op_rules;       /* current | first */
    bool ignore_signposts, print_signposts, no_advice, raw_op_codes, no_host_ops, no_merge_devices,
        tracing_mode, no_summary, no_stack_by_in0, drop_impossible, hide_small;
    int64_t worker_cores;   /* 0: by the file or the architecture */
    int64_t active_experts; /* of each group of a sparse product; 0: from the file */
    double traced_gap_us, low_flops_percent, max_op_us, max_gap_us;
    /* rocprof, rocpd, pftrace (docs/formats-rocprof.md 6.6, 7.3) */
    bool kernel_details, disable_kernel_summary, merge_kernels, allow_multi_kernel_per_api;
    int64_t topk_kernels;         /* AZ_UNSET_I64: all */
    int64_t min_event_ns;         /* of the activity reports */
    struct az_sv exclude_kernels; /* whole words, blanks between them */
    /* xplane */
    struct az_sv keyword_filters; /* words with blanks between them; empty: all kernels */
    unsigned compat;              /* AZ_TOOL_* whose tables are shown too */
    bool kernel_geometry;         /* read grids and blocks: kernels_by_grid */
    /* ranks of one run (docs/formulas-multirank.md) */
    bool all_kernels;             /* a table of every kernel for each rank */
    struct az_sv launcher_events; /* kernels | all: what kernel_launchers counts */
    bool node_replay;             /* benchmark commands of the costliest operations */
    struct az_sv rank_pattern;    /* text before the number in a file's name, or "re:" and a regular
                                     expression; empty:    the default */
    struct az_sv duplicate_rank;  /* error | first | last | each-step */
    AZ_OPTION_ROWS(AZ_OPTION_FIELD)
};

/* Do tables that TraceLens defines too count device work without a recorded launch? They do,
 * unless that tool's definition was chosen (compat). Facts and the verdict always count it. */
static inline bool az_tables_count_unlinked(const struct az_options *o)
{
    return o->include_unlinked_kernels || !(o->compat & (AZ_TOOL_TRACELENS | AZ_TOOL_ALL));
}

#endif
