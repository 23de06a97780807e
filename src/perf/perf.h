/* Models of operators: from a name and its recorded arguments to floating-point operations, bytes
 * moved and the unit that does the work. Pure functions; what is an operator's model is in
 * configs/op_models.csv. Formulas: docs/formulas-models.md 4 to 11, with its recommended values
 * where other tools are wrong (its section 12). */
#ifndef AZ_PERF_PERF_H
#define AZ_PERF_PERF_H

#include <math.h>
#include <stdint.h>

#include "base/mem.h"

#define AZ_PERF_ARGS   256 /* generated kernels have more than 64 */
#define AZ_PERF_DIMS   8
#define AZ_PERF_PARAMS 24

/* A data type by its name in a trace, compared without case. */
struct az_dtype {
    const char *name;
    double bytes;     /* per element; NaN unknown; 0 for what is no memory (numbers, None) */
    const char *prec; /* "bf16", "" none */
    bool tensor;      /* names the elements of a tensor */
    bool complex;
};
/* Never NULL; an unknown name has NaN bytes and counts as a tensor. */
const struct az_dtype *az_dtype_find(struct az_sv name);

struct az_perf_arg {
    int nd;
    int64_t dim[AZ_PERF_DIMS];
    double elements; /* product of dim, 1 for []; of a list the sum over its tensors */
    const struct az_dtype *type;
    struct az_sv type_name, dims, strides; /* JSON text as recorded */
    struct az_sv value;                    /* concrete value without quotes; empty for tensors */
    bool list;                             /* a list of tensors; count of them */
    unsigned count;
};

/* A fact recorded next to the arguments ("MoE topk"). */
struct az_perf_fact {
    struct az_sv name, value;
};

struct az_perf_call {
    struct az_sv op;
    struct az_perf_arg arg[AZ_PERF_ARGS];
    unsigned n;
    const struct az_sv *kernels; /* names of its device kernels in order of time */
    size_t n_kernels;
    struct az_sv annotation; /* text of the serving engine's step that encloses it */
    const struct az_perf_fact *fact;
    size_t n_facts;
};
/* Fills arg and n from the four JSON lists (compact text; empty: not recorded). False if malformed:
 * lists of other shapes, numbers that are none, more than AZ_PERF_DIMS dimensions. Arguments beyond
 * AZ_PERF_ARGS are skipped. */
bool az_perf_parse(struct az_perf_call *c, struct az_sv dims, struct az_sv types,
                   struct az_sv strides, struct az_sv concrete);
/* Dimensions of tensor i of a list of tensors. False: there is none. */
bool az_perf_list_item(const struct az_perf_arg *a, unsigned i, struct az_perf_arg *out);

/* One row of configs/op_models.csv. */
struct az_op_model {
    struct az_sv op;       /* may end in `*` */
    struct az_sv family;   /* table its events are listed in */
    struct az_sv category; /* of the operator; empty: by its kernels */
    struct az_sv model;    /* function */
    struct az_sv args;     /* where its operands stand: `A=1 B=2 C=0 beta=3` */
};
struct az_op_models {
    struct az_op_model *v; /* sorted by op; patterns after the plain names */
    size_t n, plain;
};
int az_op_models_load(struct az_op_models *m, struct az_sv csv, struct az_arena *a) AZ_MUST_USE;
/* Those of op_models.csv, read once in a process. NULL: no memory. */
const struct az_op_models *az_op_models_listed(void);
const struct az_op_model *az_op_model_find(const struct az_op_models *m, struct az_sv op);

enum az_perf_kind {
    AZ_PARAM_INT,
    AZ_PARAM_REAL,
    AZ_PARAM_BOOL,
    AZ_PARAM_TEXT,
    AZ_PARAM_JSON,
    AZ_PARAM_NONE
};
struct az_perf_param {
    const char *name;
    enum az_perf_kind kind;
    double number;     /* INT, REAL, BOOL */
    struct az_sv text; /* TEXT; JSON as text */
};

struct az_perf {
    double flops, bytes;         /* NaN: no estimate */
    double bwd_flops, bwd_bytes; /* of the backward pass of this forward operator; NaN: none */
    const char *unit;            /* "matrix", "vector"; "" none */
    struct az_sv prec;           /* "bf16"; empty unknown */
    struct az_sv fallback; /* precision whose peak is used where the device has no rate for `prec`:
                              the activations' */
    const struct az_perf_param *param; /* in the arena */
    unsigned n_params;                 /* at most AZ_PERF_PARAMS */
    const char *why;                   /* no estimate: the reason; NULL */
    bool assumed;                      /* depends on a size that the trace does not have */
};
/* Runs the row's model. 0 also when there is no estimate (out->why); AZ_ENOMEM, AZ_ELIMIT;
 * AZ_EINTERNAL for a model name that does not exist. Texts live in the arena or in the call. */
int az_perf_eval(const struct az_perf_call *c, const struct az_op_model *m, struct az_arena *a,
                 struct az_perf *out) AZ_MUST_USE;
/* "matrix_bf16"; empty without a precision. */
struct az_sv az_perf_spec(const struct az_perf *p, struct az_arena *a);

/* Transpose flags of a matrix kernel by its name (the library's column-major view); false if it is
 * unknown. */
bool az_perf_transpose(struct az_sv kernel, bool *ta, bool *tb);

#endif
