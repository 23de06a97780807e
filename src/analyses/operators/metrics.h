/* Estimates of operators by their models (perf/), made once per operator name, argument set and
 * kernels; peaks of the device; and the columns that show them. */
#ifndef AZ_ANALYSES_OPERATORS_METRICS_H
#define AZ_ANALYSES_OPERATORS_METRICS_H

#include "analyses/operators/framework.h"
#include "perf/peaks.h"

union az_framework_value {
    double number;
    const struct az_sv *text;
};
struct az_framework_estimate {
    const struct az_op_model *model; /* NULL: no model */
    /* NULL: no model. Without its numbers, which are here; az_framework_params_of. */
    const struct az_perf *perf;
    const union az_framework_value *value; /* of its parameters */
    double flops, bytes;                   /* of this direction; NaN: no estimate */
    struct az_sv spec;                     /* "matrix_bf16" */
    const char *why;                       /* no estimate: the reason, a constant; NULL */
    struct az_sv params;                   /* its parameters as a JSON object; empty without any */
    uint32_t number; /* equal for the same name, arguments and kernels of an operator */
    bool tf32;       /* by the name of a kernel */
};

/* Equal for equal params; 0 without any. */
static inline uint64_t az_framework_params_hash(const struct az_framework_estimate *e)
{
    return e->params.n ? az_hash(e->params.p, e->params.n) : 0;
}

struct az_framework_metrics;
struct az_extend;
/* Evaluates the models of a script for every operator that it covers. AZ_ECONFIG: one failed; then
 * nothing of m may be used.
 */
int az_framework_metrics_extend(struct az_framework_metrics *m, struct az_extend *e,
                                struct az_diag *messages) AZ_MUST_USE;
/* Of the job's trace, made on first use, in the job's arena. NULL on failure, the error is in *rc.
 */
struct az_framework_metrics *az_framework_metrics_get(struct az_job *job, struct az_framework *f,
                                                      int *rc);
/* Estimate of an operator node; of the backward pass of that forward operator. */
int az_framework_estimate(struct az_framework_metrics *m, uint32_t node, bool backward,
                          struct az_framework_estimate *out) AZ_MUST_USE;
/* The same for repeated calls: *known, 0 at first, is where these metrics have it. */
int az_framework_estimate_again(struct az_framework_metrics *m, uint32_t node, bool backward,
                                uint32_t *known, struct az_framework_estimate *out) AZ_MUST_USE;
/* Finds what *known is to hold. */
int az_framework_lookup(struct az_framework_metrics *m, uint32_t node, uint32_t *known) AZ_MUST_USE;
/* One such word for each of the n rows of the unified summary, kept with the metrics: each thread
 * has its own. */
int az_framework_known_rows(struct az_framework_metrics *m, size_t n, uint32_t **known) AZ_MUST_USE;
/* Its arguments were recorded but the model cannot use them: worth a warning. What was never
 * recorded is not. */
bool az_framework_unreadable(const struct az_framework_estimate *e);
/* Model of an operator by its name; NULL. */
const struct az_op_model *az_framework_model(struct az_framework_metrics *m, uint32_t name);
struct az_job *az_framework_job(const struct az_framework_metrics *m);
const struct az_trace *az_framework_trace(const struct az_framework_metrics *m);
/* The model is one of the user's script. */
bool az_framework_scripted(struct az_framework_metrics *m, uint32_t name);
/* Peaks of the trace's device; NULL: unknown (then rates have no roofline). */
const struct az_peaks *az_framework_peaks(const struct az_framework_metrics *m);
struct az_roofline az_framework_roofline(const struct az_framework_metrics *m,
                                         const struct az_framework_estimate *e);
struct az_forward; /* facts/forward_links.h */
/* Forward operator whose backward pass a node is, by the wrapper at most five levels above it;
 * AZ_NO_ROW. forward: az_job_forward. */
uint32_t az_framework_backward_of(const struct az_framework *f, const struct az_forward *forward,
                                  uint32_t node);

/* Metrics of a group of operations, each by its own estimate: operations of equal shapes may differ
 * in values that shapes do not have, such as the lengths of the context (docs/formulas-models.md
 * 14). */
struct az_framework_rates {
    double mean, median, std, min, max; /* NaN where there is none */
};
struct az_framework_figures {
    double flops, bytes, intensity; /* the first that is known; NaN */
    struct az_sv spec, params;      /* the first that is not empty */
    double roof_us;                 /* time of the roofline, the first that is known; NaN */
    const char *bound;              /* that one's; "" */
    struct az_framework_rates byte_rate, flop_rate; /* a second, over the operations */
    struct az_framework_rates roof_part;            /* roofline time / time; NaN without peaks */
};
struct az_framework_members {
    int (*estimate)(void *ctx, size_t i,
                    struct az_framework_estimate *e); /* of operation i of the group */
    /* Equal for operations of equal estimates; 0: not known. NULL: it never is. */
    int (*key)(void *ctx, size_t i, uint64_t *key);
    void *ctx;
};
/* ticks: time of each of the n operations; those without time have no rates. */
int az_framework_figures(struct az_framework_metrics *m, const struct az_framework_members *members,
                         const int64_t *ticks, size_t n,
                         struct az_framework_figures *out) AZ_MUST_USE;

/* Parameters of an estimate: how many. */
unsigned az_framework_params_of(const struct az_framework_estimate *e,
                                struct az_perf_param out[AZ_PERF_PARAMS]);
/* The parameters as a JSON object; empty without any. In the arena. */
struct az_sv az_framework_params(const struct az_perf *p, struct az_arena *a);
struct az_sv az_framework_param_text(const struct az_perf_param *p, struct az_arena *a);

/* unified_perf_summary: its columns after the host durations, and their cells. */
void az_framework_metric_columns(const struct az_framework_metrics *m, struct az_table *t);
void az_framework_put_metrics(struct az_table *t, const struct az_framework_figures *f);

#endif
