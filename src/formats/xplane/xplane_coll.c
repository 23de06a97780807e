/* Collectives of HLO: which ranks talk to which. */
#include "formats/xplane/xplane.h"

#define MAX_RANKS ((uint64_t)1 << 20) /* of one collective: what a file may require memory for */
#define MAX_PAIRS 8192                /* each is compared with those before it */

static int add_group(struct az_trace *t, struct az_sv message, struct az_hlo_op *op)
{
    return az_xplane_numbers(t, message, 1, &op->groups[op->n_groups++]);
}

/* Messages of a repeated field. */
static size_t count(struct az_sv body, uint32_t field)
{
    struct az_protobuf m = az_protobuf_of(body);
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    size_t n = 0;
    while (az_protobuf_next(&m, &f, &wire, &v, &b) > 0)
        n += f == field && wire == AZ_PROTOBUF_BYTES;
    return n;
}

static int listed_groups(struct az_trace *t, struct az_sv body, uint32_t field,
                         struct az_hlo_op *op)
{
    struct az_protobuf m = az_protobuf_of(body);
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    int rc = AZ_OK;
    const size_t n = count(body, field);
    if (n == 0)
        return AZ_OK;
    op->groups = az_arena_array(&t->arena, n, sizeof *op->groups);
    if (!op->groups)
        return az_arena_error(&t->arena);
    while (rc == 0 && op->n_groups < n && az_protobuf_next(&m, &f, &wire, &v, &b) > 0)
        if (f == field && wire == AZ_PROTOBUF_BYTES)
            rc = add_group(t, b, op);
    return rc;
}

/* Element `i` of arange(product of dims) reshaped to dims, transposed by perm and read in order. */
static int64_t iota_member(const struct az_hlo_dims *dims, const struct az_hlo_dims *perm,
                           uint64_t i)
{
    int64_t member = 0;
    for (size_t k = perm->n; k-- > 0;) {
        const size_t from = (size_t)perm->v[k];
        const uint64_t index = i % (uint64_t)dims->v[from];
        int64_t stride = 1;
        i /= (uint64_t)dims->v[from];
        for (size_t d = from + 1; d < dims->n; d++)
            stride *= dims->v[d];
        member += (int64_t)index * stride;
    }
    return member;
}

static bool iota_is_sane(uint64_t groups, uint64_t size, const struct az_hlo_dims *dims,
                         const struct az_hlo_dims *perm)
{
    uint64_t product = 1, seen = 0;
    if (groups == 0 || size == 0 || groups > MAX_RANKS || size > MAX_RANKS ||
        groups * size > MAX_RANKS || perm->n != dims->n || dims->n > 32)
        return false;
    for (size_t i = 0; i < dims->n; i++) {
        if (dims->v[i] < 1 || (uint64_t)dims->v[i] > MAX_RANKS || perm->v[i] < 0 ||
            (size_t)perm->v[i] >= dims->n)
            return false;
        product *= (uint64_t)dims->v[i];
        seen |= UINT64_C(1) << perm->v[i];
        if (product > MAX_RANKS)
            return false;
    }
    return product == groups * size && seen == (UINT64_C(1) << dims->n) - 1;
}

static int iota_groups(struct az_trace *t, struct az_sv message, struct az_hlo_op *op)
{
    struct az_hlo_dims groups, size, dims, perm;
    int rc = az_xplane_numbers(t, message, 1, &groups);
    if (rc == 0)
        rc = az_xplane_numbers(t, message, 2, &size);
    if (rc == 0)
        rc = az_xplane_numbers(t, message, 3, &dims);
    if (rc == 0)
        rc = az_xplane_numbers(t, message, 4, &perm);
    if (rc)
        return rc;
    if (perm.n == 0 && dims.n) { /* skipped where it changes nothing */
        perm.v = az_arena_array(&t->arena, dims.n, sizeof *perm.v);
        if (!perm.v)
            return az_arena_error(&t->arena);
        for (; perm.n < dims.n; perm.n++)
            perm.v[perm.n] = (int64_t)perm.n;
    }
    if (groups.n != 1 || size.n != 1 ||
        !iota_is_sane((uint64_t)groups.v[0], (uint64_t)size.v[0], &dims, &perm))
        return AZ_OK; /* reported as one group of all */
    const size_t n = (size_t)groups.v[0], each = (size_t)size.v[0];
    int64_t *member = az_arena_array(&t->arena, n * each, sizeof *member);
    op->groups = az_arena_array(&t->arena, n, sizeof *op->groups);
    if (!member || !op->groups)
        return az_arena_error(&t->arena);
    for (size_t i = 0; i < n * each; i++)
        member[i] = iota_member(&dims, &perm, i);
    for (op->n_groups = 0; op->n_groups < n; op->n_groups++)
        op->groups[op->n_groups] = (struct az_hlo_dims){ each, member + op->n_groups * each };
    return AZ_OK;
}

/* Ranks of source and target pairs: one group. */
static int pair_group(struct az_trace *t, struct az_sv body, struct az_hlo_op *op)
{
    struct az_protobuf m = az_protobuf_of(body);
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    int rc = AZ_OK;
    const size_t n = count(body, 52);
    if (n == 0 || n > MAX_PAIRS)
        return AZ_OK;
    op->groups = az_arena_alloc(&t->arena, sizeof *op->groups);
    int64_t *rank = az_arena_array(&t->arena, 2 * n, sizeof *rank);
    if (!op->groups || !rank)
        return az_arena_error(&t->arena);
    op->groups[0].v = rank;
    op->n_groups = 1;
    while (rc == 0 && az_protobuf_next(&m, &f, &wire, &v, &b) > 0) {
        if (f != 52 || wire != AZ_PROTOBUF_BYTES)
            continue;
        for (uint32_t side = 1; rc == 0 && side <= 2; side++) {
            struct az_hlo_dims one;
            rc = az_xplane_numbers(t, b, side, &one);
            const int64_t r = one.n ? one.v[0] : 0; /* rank 0 is not written */
            size_t k = 0;
            while (rc == 0 && k < op->groups[0].n && rank[k] != r)
                k++;
            if (rc == 0 && k == op->groups[0].n && k < 2 * n)
                rank[op->groups[0].n++] = r;
        }
    }
    return rc;
}

int az_xplane_collective(struct az_trace *t, struct az_sv body, struct az_hlo_op *op)
{
    const struct az_sv list = az_protobuf_find(body, 87);
    int rc = AZ_OK;
    op->kind = AZ_HLO_COLLECTIVE;
    if (list.p) {
        const struct az_sv iota = az_protobuf_find(list, 2);
        rc = iota.p ? iota_groups(t, iota, op) : listed_groups(t, list, 1, op);
    }
    if (rc == 0 && op->n_groups == 0)
        rc = listed_groups(t, body, 49, op);
    if (rc == 0 && op->n_groups == 0)
        rc = pair_group(t, body, op);
    return rc;
}
