/* Storage of an operation report: rows and unique arguments. */
#include "model/opreport.h"

static int finalize_opreport(struct az_trace *t)
{
    az_map_release(&az_opreport(t)->map);
    return 0;
}

static void release(struct az_trace *t)
{
    struct az_opreport *r = t->ext;
    az_vec_release(&r->rows);
    az_vec_release(&r->args);
    az_vec_release(&r->files);
    az_map_release(&r->map);
    t->ext = NULL;
}

static const struct az_trace_ext ext_ops = { .caps = AZ_CAP_OPREPORT,
                                             .seal = finalize_opreport,
                                             .release = release };

int az_opreport_init(struct az_trace *t)
{
    struct az_opreport *r = az_arena_alloc(&t->arena, sizeof *r);
    if (!r)
        return az_arena_error(&t->arena);
    az_vec_init(&r->rows, t->mem);
    az_vec_init(&r->args, t->mem);
    az_vec_init(&r->files, t->mem);
    az_map_init(&r->map, t->mem, 256);
    t->ext = r;
    t->ext_ops = &ext_ops;
    return 0;
}

int az_opreport_args(struct az_trace *t, const struct az_opargs *a, uint32_t *row)
{
    struct az_opreport *r = az_opreport(t);
    uint64_t hash = az_hash(a, sizeof *a), other = 0;
    uint32_t *at;
    bool added;

    /* equal hashes of different arguments go on to the next number */
    for (;; other++) {
        int rc = az_map_put(&r->map, hash, other, (uint32_t)r->args.n, &at, &added);
        if (rc)
            return rc;
        *row = *at;
        if (added)
            return az_vec_push(&r->args, *a);
        if (memcmp(&r->args.v[*at], a, sizeof *a) == 0)
            return 0;
    }
}
