/* What a report of operations adds to the model: one row an operation as its writer saw it (device,
 * host, or a signpost between them), with shapes, placement, fidelity and device times. Rules:
 * docs/formats-tracy.md 1. Names are ids of trace.names; AZ_NO_ID: the cell was blank. */
#ifndef AZ_MODEL_OPREPORT_H
#define AZ_MODEL_OPREPORT_H

#include "model/trace.h"

struct az_tensor {
    int64_t dim[4];        /* W, Z, Y, X in elements as stored (padded); -1: blank */
    uint32_t type, memory; /* "BFLOAT16", "DEV_0_L1_INTERLEAVED" */
};
enum { AZ_IN0, AZ_IN1, AZ_IN2, AZ_OUT0, AZ_TENSORS };

enum az_flag3 { AZ_FLAG_ABSENT, AZ_FLAG_FALSE, AZ_FLAG_TRUE };

/* What an operation was called with. Rows are unique, so that a row number stands for the whole
 * set; made from zeroed memory, since rows are compared as bytes. Numbers that the attributes do
 * not name are -1. */
struct az_opargs {
    struct az_tensor t[AZ_TENSORS];
    uint32_t fidelity;                       /* "HiFi2" */
    int32_t block_w, subblock_h, subblock_w; /* of a matmul's program configuration */
    int32_t window_h, window_w, out_height_tiles, act_block_tiles; /* convolution */
    int32_t num_links, groups, window; /* collectives; convolution; attention */
    int32_t nonzero;                   /* matrices of a sparse product that are computed */
    uint32_t halo_window, halo_stride, halo_pad, halo_dilation, halo_layout; /* texts as shown */
    uint8_t dram_sharded, double_buffer, split_reader, causal,
        linear;                 /* enum az_flag3; dram_sharded: 0 or 1 */
    uint8_t sparse_a, sparse_b; /* enum az_flag3: inputs of a sparse product */
    uint8_t unused[5];
};
AZ_VEC(struct az_opargs, az_opargs_rows);

enum az_opkind { AZ_OPROW_DEVICE, AZ_OPROW_HOST, AZ_OPROW_SIGNPOST };

struct az_oprow {
    int64_t start;       /* host start, ns; INT64_MIN: blank */
    int64_t at;          /* of a device operation: its kernel's start on the timeline, ns */
    int64_t first, last; /* cycles: start and end of the firmware; -1: blank */
    int64_t call;        /* global call count; -1: blank */
    double kernel, firmware, gap; /* ns; NaN: blank */
    double pm_ideal;              /* ns by the writer's performance model; NaN: blank */
    float pm_compute, pm_memory;
    double pm_fpu, noc, dram, eth; /* percent, as the writer measured or modeled; NaN: blank */
    uint32_t code;                 /* name of the operation, text of a signpost */
    uint32_t args;                 /* row of opreport.args */
    uint32_t line;                 /* of its file, the header being 1 */
    uint32_t replay;               /* trace id and replay together; AZ_NO_ID: not replayed */
    int32_t device;                /* -1: blank; several files: made distinct by file */
    int32_t cores;                 /* -1: blank */
    int32_t budget;                /* worker cores available to the operation; -1: blank */
    uint32_t sub;                  /* name of its sub device; AZ_NO_ID: blank */
    uint16_t file;
    uint8_t kind; /* enum az_opkind */
    /* Of a device operation (docs/formats-tracy.md 3.2). timed: its kernel has a duration;
     * impossible: which is negative, longer than the firmware's, or is for the most part under
     * other operations of its sub device. Those that are timed and possible are kernels of the
     * trace. */
    bool timed, impossible;
    uint8_t cached; /* enum az_flag3: the program was not compiled for this call */
};
static inline bool az_oprow_counts(const struct az_oprow *r)
{
    return r->kind == AZ_OPROW_DEVICE && r->timed && !r->impossible;
}
AZ_VEC(struct az_oprow, az_oprows);

/* trace.ext of an operation report. */
struct az_opreport {
    struct az_oprows rows; /* file after file, in file order */
    struct az_opargs_rows args;
    struct az_vec_sv files; /* base names, in order */
    struct az_sv arch;      /* as the file names it first; empty: it does not */
    struct az_sv version;   /* of the layout: "v1", "v2", "v2.1" */
    int64_t workers;        /* worker cores in the file, the largest; 0: not in it */
    bool budgets_differ;    /* rows name several */
    bool replayed;          /* some rows are of replays of a trace */
    int64_t devices;        /* distinct device numbers */
    bool names_arch;        /* the layout has a column for it, filled or not */
    bool has_host_start, has_device, has_firmware;
    bool call_has_device; /* the low ten bits of every device row's call count are its device */
    struct az_map map;    /* building: unique args */
};
/* Creates trace->ext, which az_trace_release frees. */
int az_opreport_init(struct az_trace *t) AZ_MUST_USE;
static inline struct az_opreport *az_opreport(const struct az_trace *t) { return t->ext; }
/* Row of equal arguments, new or known. */
int az_opreport_args(struct az_trace *t, const struct az_opargs *a, uint32_t *row) AZ_MUST_USE;

#endif
