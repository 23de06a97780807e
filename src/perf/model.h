/* Shared by the models; private to this room. */
#ifndef AZ_PERF_MODEL_H
#define AZ_PERF_MODEL_H

#include "perf/perf.h"

struct az_perf_model {
    const struct az_perf_call *call;
    const struct az_op_model *row;
    struct az_arena *arena;
    struct az_perf *out; /* its parameters are collected in `param` */
    struct az_perf_param param[AZ_PERF_PARAMS];
};
typedef bool (*az_perf_model_model)(struct az_perf_model *r);

/* Number after `key=` in the row's args. */
int az_perf_model_at(const struct az_perf_model *r, const char *key, int absent);
/* Text after `key=`; empty. */
struct az_sv az_perf_model_word(const struct az_perf_model *r, const char *key);
bool az_perf_model_attr_is(const struct az_perf_model *r, const char *key, const char *value);
/* Argument i; beyond the recorded ones: an empty None. */
const struct az_perf_arg *az_perf_model_arg(const struct az_perf_model *r, int i);
static inline const struct az_perf_arg *az_perf_model_key(const struct az_perf_model *r,
                                                          const char *key, int absent)
{
    return az_perf_model_arg(r, az_perf_model_at(r, key, absent));
}
/* The same where each row of the model has the key; without it, none (-1). */
static inline int az_perf_model_number(const struct az_perf_model *r, const char *key)
{
    return az_perf_model_at(r, key, -1);
}
static inline const struct az_perf_arg *az_perf_model_operand(const struct az_perf_model *r,
                                                              const char *key)
{
    return az_perf_model_arg(r, az_perf_model_number(r, key));
}
static inline double az_perf_model_dim(const struct az_perf_arg *a,
                                       int i) /* negative: from the end; 0 if there is none */
{
    i = i < 0 ? a->nd + i : i;
    return i >= 0 && i < a->nd ? (double)a->dim[i] : 0.0;
}
static inline bool az_perf_model_dims(const struct az_perf_arg *a) { return a->nd > 0; }
/* A tensor, 0-dimensional ones too. */
static inline bool az_perf_model_tensor(const struct az_perf_arg *a)
{
    return a->type->tensor || a->nd > 0;
}
/* Bytes of all its elements. */
static inline double az_perf_model_size(const struct az_perf_arg *a)
{
    return az_perf_model_tensor(a) ? a->elements * a->type->bytes : 0.0;
}

/* Right-aligned broadcast of two shapes; elements of the result, -1: they do not broadcast. */
double az_perf_model_broadcast(const struct az_perf_arg *a, const struct az_perf_arg *b);
/* Bytes of an element of the result of two operands: the wider tensor; a number or a 0-dim operand
 * does not widen. */
double az_perf_model_promoted(const struct az_perf_arg *a, const struct az_perf_arg *b);

/* Concrete values of an argument. */
bool az_perf_model_int(const struct az_perf_arg *a, int64_t *v);
bool az_perf_model_true(const struct az_perf_arg *a); /* "True", or a number that is not 0 */
/* List `[1, 2]` (True and False are 1 and 0) or one number; number of elements, at most max; -1:
 * none or malformed. */
int az_perf_model_list(const struct az_perf_arg *a, double *v, int max);
/* Fact recorded next to the arguments; absent where there is none. */
double az_perf_model_fact(const struct az_perf_model *r, const char *name, double absent);

bool az_perf_model_fail(struct az_perf_model *r, const char *why); /* false */
/* Sets the result; true. */
bool az_perf_model_done(struct az_perf_model *r, double flops, double bytes);
/* Unit and precision by a type (its name for the peak); "" leaves the precision unknown. */
void az_perf_model_unit(struct az_perf_model *r, const char *unit, const struct az_dtype *t);
void az_perf_model_prec(struct az_perf_model *r, const char *unit, const char *prec);

void az_perf_model_p_int(struct az_perf_model *r, const char *name, double v);
void az_perf_model_p_real(struct az_perf_model *r, const char *name, double v);
void az_perf_model_p_bool(struct az_perf_model *r, const char *name, bool v);
void az_perf_model_p_text(struct az_perf_model *r, const char *name, struct az_sv v);
void az_perf_model_p_json(struct az_perf_model *r, const char *name,
                          struct az_sv v); /* empty: None */
/* ["c10::BFloat16","float"]; a NULL argument is null. */
void az_perf_model_p_types(struct az_perf_model *r, const char *name, const struct az_perf_arg *a,
                           const struct az_perf_arg *b, const struct az_perf_arg *c);
/* [2,2] */
void az_perf_model_p_list(struct az_perf_model *r, const char *name, const double *v, int n);

/* ---- models ---- */
struct az_perf_model_entry {
    const char *name;
    az_perf_model_model run;
};
/* AZ_PERF_MODEL(name) { ... } defines the model that rows of configs/op_models.csv call
 * `name`, of `struct az_perf_model *r`; true: it has a result. The linker gathers the entries of
 * all files. */
#define AZ_PERF_MODEL(name)                                                                        \
    static bool az_perf_model_##name(struct az_perf_model *r);                                     \
    static const struct az_perf_model_entry az_perf_model_entry_##name                             \
        __attribute__((used, section("az_perf_models"),                                            \
                       aligned(sizeof(void *)))) = { #name, az_perf_model_##name };                \
    static bool az_perf_model_##name(struct az_perf_model *r)

/* Files of models: each has AZ_PERF_MODEL_FILE(its name), so that it is linked. */
#define AZ_PERF_MODEL_FILES(X)                                                                     \
    X(attention) X(conv) X(data_movement) X(elementwise) X(gemm) X(inference) X(misc) X(moe) X(norm)
#define AZ_PERF_MODEL_FILE(name)         const char az_perf_model_file_##name = 0;
#define AZ_PERF_MODEL_FILE_DECLARE(name) extern const char az_perf_model_file_##name;
AZ_PERF_MODEL_FILES(AZ_PERF_MODEL_FILE_DECLARE)

#endif
