/* What the tables of TraceLens's report of JAX share: the kernels of GPUs with their numbers there
 * (docs/from-tracelens-programs.md). Private to jax*.c. */
#ifndef AZ_COMPAT_TRACELENS_JAX_H
#define AZ_COMPAT_TRACELENS_JAX_H

#include "analyses/hlo/perf.h"
#include "tables/keys.h"

struct az_jax {
    struct az_hlo h;
    uint32_t **uid;        /* trace -> kernel -> number among the events of devices */
    struct az_map *calls;  /* trace -> (correlation, device + 1; 0: unknown) -> call */
    enum az_hlo_kind kind; /* of the operations of the table being made (jax_ops.c) */
    struct az_sv category;
};

static inline struct az_hlo_event az_jax_event(const struct az_item *i)
{
    return (struct az_hlo_event){ i->trace, i->row, (enum az_kind)i->kind };
}
bool az_jax_on_gpu(const struct az_scope *r, const struct az_item *i);
const struct az_hlo_op *az_jax_op(const struct az_scope *r, const struct az_item *i);
int64_t az_jax_uid(const struct az_scope *r, const struct az_item *i);
void az_jax_put_uid(const struct az_scope *r, const struct az_group *g, struct az_table *t);
extern const struct az_key az_jax_category, az_jax_dims, az_jax_types;
/* "(1, 2)", "(1,)" in Python's form. */
struct az_sv az_jax_tuple(struct az_arena *a, const int64_t *v, size_t n);
/* The kernel, its operation and the statistics of a row as a list of one Python dictionary;
 * operation: with the data of its program. */
struct az_sv az_jax_details(const struct az_scope *r, const struct az_group *g, bool operation);
/* Tables op_<category> of the categories with modeled operations. */
int az_jax_op_tables(struct az_jax *j) AZ_MUST_USE;

#endif
