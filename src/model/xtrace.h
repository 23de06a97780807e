/* What a profile of a compiled program (XLA: JAX, TensorFlow) adds to the model: devices, the
 * program and instruction each device event belongs to, those instructions themselves, and sums of
 * host events. Rules: docs/formats-xplane.md. */
#ifndef AZ_MODEL_XTRACE_H
#define AZ_MODEL_XTRACE_H

#include "model/trace.h"

/* ---- shapes and instructions ---- */
struct az_hlo_shape {
    struct az_sv text; /* "bf16[8,16]{1,0}", "(f32[2]{0},s8[64]{0})" */
    struct az_sv type; /* "bf16"; "tuple" */
    unsigned bits;     /* of an element; 0: tuple, token, opaque */
    size_t n_dims, n_parts;
    int64_t *dims;
    struct az_hlo_shape *parts; /* of a tuple */
    int64_t elements, bytes;    /* saturating; a tuple: 0 and the sum of its parts */
};

struct az_hlo_dims { /* a list of numbers */
    size_t n;
    int64_t *v;
};

enum az_hlo_kind {
    AZ_HLO_OTHER, /* bytes only */
    AZ_HLO_GEMM,
    AZ_HLO_GEMM_FUSION, /* a fusion that computes one or more products */
    AZ_HLO_CONV,
    AZ_HLO_ATTENTION_FWD,
    AZ_HLO_ATTENTION_BWD,
    AZ_HLO_COLLECTIVE
};
enum az_hlo_conv { AZ_CONV_FORWARD, AZ_CONV_BACKWARD_INPUT, AZ_CONV_BACKWARD_FILTER };
enum az_hlo_family {
    AZ_HLO_COLL_NONE,
    AZ_HLO_COLL_ALL_REDUCE,
    AZ_HLO_COLL_ALL_GATHER,
    AZ_HLO_COLL_REDUCE_SCATTER,
    AZ_HLO_COLL_ALL_TO_ALL,
    AZ_HLO_COLL_PERMUTE,
    AZ_HLO_COLL_BROADCAST
};

struct az_hlo_dot { /* one matrix product */
    const struct az_hlo_shape *lhs, *rhs;
    struct az_hlo_dims lhs_contract, rhs_contract, lhs_batch, rhs_batch;
};

/* An instruction that device events of this trace belong to. Texts in the trace's arena. */
struct az_hlo_op {
    uint64_t program;
    struct az_sv module, name, opcode, target, scope, source; /* source: file:line */
    enum az_hlo_kind kind;
    struct az_hlo_shape result, *operands;
    size_t n_operands;
    /* products */
    struct az_hlo_dot *dots;
    size_t n_dots;
    double beta;
    struct az_sv epilogue;
    /* convolution */
    enum az_hlo_conv conv;
    int64_t conv_groups;
    struct az_sv window;    /* "1x2x2" */
    int64_t output_feature; /* dimension of the filter that counts output features */
    /* attention: -1 where the program has none */
    int64_t batch, heads, kv_heads, q_len, kv_len, qk_dim, v_dim;
    struct az_sv mask, layout;
    /* collective */
    enum az_hlo_family family;
    bool start;                 /* asynchronous: the result is (operands, results, ...) */
    struct az_hlo_dims *groups; /* member ranks of each group; NULL: one group of all */
    size_t n_groups;
};
AZ_VEC(struct az_hlo_op, az_hlo_ops);
const char *az_hlo_family_text(enum az_hlo_family f); /* "all-reduce" */

/* ---- devices and lanes ---- */
enum az_plane_kind { AZ_PLANE_GPU, AZ_PLANE_TPU };
struct az_plane {
    enum az_plane_kind kind;
    int64_t ordinal;
    struct az_sv vendor, type; /* "AMD"; "TPU v6 Lite", "NVIDIA H200"; may be empty */
    int64_t units, clock_khz, memory_bytes, memory_bandwidth; /* cores, B/s; 0: unknown */
    double peak_tflops, peak_hbm_gbps;                        /* recorded in the file; 0: unknown */
};
AZ_VEC(struct az_plane, az_planes);

enum az_xlane_role {
    AZ_XLANE_WORK,
    AZ_XLANE_MODULES,
    AZ_XLANE_ASYNC,
    AZ_XLANE_STEPS,
    AZ_XLANE_HOST
};
AZ_VEC(uint8_t, az_xlane_roles);

/* Arguments of a device event; unique rows. Name ids, AZ_NO_ID where absent. */
struct az_xrow {
    uint64_t program;
    uint32_t module, op, scope, details, category; /* category: of a TPU operation, "loop fusion" */
    uint32_t hlo;         /* row of az_xtrace.hlo; AZ_NO_ROW: not found, or no op */
    int64_t flops, bytes; /* one execution; -1: unknown */
    bool has_program;
    uint8_t container; /* 1: a leaf, 2: control flow, which encloses others; 0: not decided */
};
AZ_VEC(struct az_xrow, az_xrows);

struct az_xhost { /* host events of one name */
    uint32_t name;
    uint64_t count;
    int64_t ticks, min, max;
};
AZ_VEC(struct az_xhost, az_xhosts);

struct az_xstep { /* a host event with a step number (StepTraceAnnotation) */
    int64_t start, end, number;
    uint32_t name, lane;
};
AZ_VEC(struct az_xstep, az_xsteps);

/* trace.ext of a trace with AZ_CAP_PROGRAMS. Columns by kind:
 *   AZ_KERNEL     kernels of a GPU, operations of a TPU core; corr; node = row of `rows` + 1 (0:
 *                 none)
 *   AZ_MEMCPY, AZ_MEMSET  the same; side = row of trace.copies
 *   AZ_GPU_RANGE  by the role of the lane: runs of programs, asynchronous operations, steps; in the
 *                 lane of a TPU's operations control flow, which encloses others; same node
 *   AZ_CALL       host calls with a correlation; node = device + 1 (0 not recorded)
 *   AZ_RANGE      host events of compilation
 * A lane's `context` is its row of `planes`, its `tid` the line id of the file. */
struct az_xtrace {
    struct az_planes planes;
    struct az_xlane_roles roles; /* parallel to trace.lanes */
    struct az_xrows rows;
    struct az_hlo_ops hlo;
    struct az_xhosts host;
    struct az_xsteps steps;                    /* in file order */
    struct az_sv host_name;                    /* from the profile, else its file */
    int64_t profile_start_ns, profile_stop_ns; /* Unix time; 0: unknown */
    int64_t origin_ns;                         /* of the file: where its ticks count from */
    struct az_map row_of;                      /* while building: unique rows */
};
/* Creates trace->ext; ticks become picoseconds. */
int az_xtrace_init(struct az_trace *t) AZ_MUST_USE;
static inline struct az_xtrace *az_xtrace(const struct az_trace *t) { return t->ext; }
/* Index of the equal row, added if new. */
int az_xtrace_row(struct az_trace *t, const struct az_xrow *row, uint32_t *index) AZ_MUST_USE;
/* Lane with its role. */
int az_xtrace_lane(struct az_trace *t, const struct az_lane *lane, enum az_xlane_role role,
                   uint32_t *index) AZ_MUST_USE;
static inline const struct az_xrow *az_xtrace_row_of(const struct az_trace *t, enum az_kind k,
                                                     size_t event)
{
    const uint64_t node = t->ev[k].node ? t->ev[k].node[event] : 0;
    return node ? &az_xtrace(t)->rows.v[node - 1] : NULL;
}

#endif
