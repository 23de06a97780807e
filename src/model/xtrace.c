#include "model/xtrace.h"

const char *az_hlo_family_text(enum az_hlo_family f)
{
    static const char *const text[] = {
        [AZ_HLO_COLL_NONE] = "",
        [AZ_HLO_COLL_ALL_REDUCE] = "all-reduce",
        [AZ_HLO_COLL_ALL_GATHER] = "all-gather",
        [AZ_HLO_COLL_REDUCE_SCATTER] = "reduce-scatter",
        [AZ_HLO_COLL_ALL_TO_ALL] = "all-to-all",
        [AZ_HLO_COLL_PERMUTE] = "collective-permute",
        [AZ_HLO_COLL_BROADCAST] = "collective-broadcast",
    };
    return (size_t)f < AZ_LENGTH(text) ? text[f] : "";
}

static int finalize_xtrace(struct az_trace *t)
{
    az_map_release(&az_xtrace(t)->row_of);
    return AZ_OK;
}

static void release(struct az_trace *t)
{
    struct az_xtrace *x = t->ext;
    az_vec_release(&x->planes);
    az_vec_release(&x->roles);
    az_vec_release(&x->rows);
    az_vec_release(&x->hlo);
    az_vec_release(&x->host);
    az_vec_release(&x->steps);
    az_map_release(&x->row_of);
    t->ext = NULL;
}

static const struct az_trace_ext ext_ops = { .caps = AZ_CAP_PROGRAMS,
                                             .seal = finalize_xtrace,
                                             .release = release };

int az_xtrace_init(struct az_trace *t)
{
    struct az_xtrace *x = az_arena_alloc(&t->arena, sizeof *x);
    if (!x)
        return az_arena_error(&t->arena);
    t->ext = x;
    t->ext_ops = &ext_ops;
    t->relative = true; /* to the first line of the file */
    t->in_order = 0;    /* operations of a TPU are nested; kernels of a GPU: its reader */
    t->ticks_per_ns = 1000;
    az_vec_init(&x->planes, t->mem);
    az_vec_init(&x->roles, t->mem);
    az_vec_init(&x->rows, t->mem);
    az_vec_init(&x->hlo, t->mem);
    az_vec_init(&x->host, t->mem);
    az_vec_init(&x->steps, t->mem);
    az_trace_columns(t, AZ_KERNEL, AZ_COL_CORR | AZ_COL_NODE);
    az_trace_columns(t, AZ_MEMCPY, AZ_COL_CORR | AZ_COL_NODE | AZ_COL_SIDE);
    az_trace_columns(t, AZ_MEMSET, AZ_COL_CORR | AZ_COL_NODE | AZ_COL_SIDE);
    az_trace_columns(t, AZ_GPU_RANGE, AZ_COL_NODE);
    az_trace_columns(t, AZ_CALL, AZ_COL_CORR | AZ_COL_NODE);
    az_map_init(&x->row_of, t->mem, 64);
    return 0;
}

int az_xtrace_row(struct az_trace *t, const struct az_xrow *row, uint32_t *index)
{
    struct az_xtrace *x = t->ext;
    /* Field by field: the padding of the struct is undefined. The second key contains most of the
     * row itself, so that two rows of one hash are distinguished. */
    const uint64_t key[] = { row->program,
                             (uint64_t)row->module << 32 | row->op,
                             (uint64_t)row->scope << 32 | row->details,
                             (uint64_t)row->category << 1 | row->has_program,
                             (uint64_t)row->flops,
                             (uint64_t)row->bytes };
    uint32_t *at;
    bool added;
    int rc = az_vec_reserve(&x->rows, 1);
    if (rc == 0)
        rc = az_map_put(&x->row_of, az_hash(key, sizeof key), key[1] ^ key[2] << 16,
                        (uint32_t)x->rows.n, &at, &added);
    if (rc)
        return rc;
    if (added) {
        x->rows.v[x->rows.n] = *row;
        x->rows.v[x->rows.n++].hlo = AZ_NO_ROW;
    }
    *index = *at;
    return AZ_OK;
}

int az_xtrace_lane(struct az_trace *t, const struct az_lane *lane, enum az_xlane_role role,
                   uint32_t *index)
{
    struct az_xtrace *x = t->ext;
    const size_t before = t->lanes.n;
    int rc = az_trace_lane(t, lane, index);
    if (rc == 0 && t->lanes.n > before)
        rc = az_vec_push(&x->roles, (uint8_t)role);
    return rc;
}
