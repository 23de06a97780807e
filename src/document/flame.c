/* The tree of device time (flame.h). */
#include "document/flame.h"

#include "base/sort.h"

#define SMALLEST 5000 /* part of the whole that is still a node */

int az_flame_init(struct az_flame *f, struct az_mem *mem)
{
    *f = (struct az_flame){ 0 };
    az_arena_init(&f->arena, mem);
    az_vec_init(&f->nodes, mem);
    az_intern_init(&f->names, &f->arena, mem);
    az_map_init(&f->child, mem, 256);
    return az_vec_push(&f->nodes, ((struct az_flame_node){ .parent = AZ_NO_ID, .name = AZ_NO_ID }));
}

void az_flame_release(struct az_flame *f)
{
    az_map_release(&f->child);
    az_intern_release(&f->names);
    az_vec_release(&f->nodes);
    az_arena_release(&f->arena);
}

int az_flame_child(struct az_flame *f, uint32_t *node, struct az_sv name)
{
    uint32_t id, *value;
    bool added;
    if (f->nodes.v[*node].depth >= AZ_FLAME_DEPTH)
        return 0;
    int rc = az_intern(&f->names, name, &id);
    if (rc == 0)
        rc = az_map_put(&f->child, *node, id, (uint32_t)f->nodes.n, &value, &added);
    if (rc)
        return rc;
    const uint32_t child = *value;
    if (added)
        rc = az_vec_push(&f->nodes,
                         ((struct az_flame_node){
                             .parent = *node, .name = id, .depth = f->nodes.v[*node].depth + 1 }));
    *node = child;
    return rc;
}

void az_flame_add(struct az_flame *f, uint32_t node, int64_t ns, enum az_family family)
{
    struct az_flame_node *n = &f->nodes.v[node];
    n->self += ns;
    n->count++;
    n->family = (uint8_t)family;
}

/* Children come after their parents: from the last to the first. The family is that of the largest
 * child, where more is below than in the node itself. */
static int sum_up(struct az_flame *f)
{
    const size_t n = f->nodes.n;
    int64_t *largest = az_mem_alloc(f->nodes.mem, n * sizeof *largest);
    if (!largest)
        return az_mem_error(f->nodes.mem);
    memset(largest, 0, n * sizeof *largest);
    for (size_t i = n; i-- > 0;) {
        struct az_flame_node *x = &f->nodes.v[i];
        x->total += x->self;
        if (x->parent == AZ_NO_ID)
            continue;
        struct az_flame_node *p = &f->nodes.v[x->parent];
        p->total += x->total;
        p->count += x->count;
        if (x->total > largest[x->parent] && x->total > p->self)
            p->family = x->family;
        if (x->total > largest[x->parent])
            largest[x->parent] = x->total;
    }
    az_mem_free(f->nodes.mem, largest, n * sizeof *largest);
    return 0;
}

static int by_total(const void *pa, const void *pb, void *ctx)
{
    const struct az_flame *f = ctx;
    const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    const int64_t x = f->nodes.v[a].total, y = f->nodes.v[b].total;
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

/* A parent before its children, and of two subtrees the larger first. */
static int by_place(const void *pa, const void *pb, void *ctx)
{
    const struct az_flame *f = ctx;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    const uint32_t da = f->nodes.v[a].depth, db = f->nodes.v[b].depth;
    for (uint32_t d = da; d > db; d--)
        a = f->nodes.v[a].parent;
    for (uint32_t d = db; d > da; d--)
        b = f->nodes.v[b].parent;
    if (a == b)
        return da < db ? -1 : da > db;
    while (f->nodes.v[a].parent != f->nodes.v[b].parent) {
        a = f->nodes.v[a].parent;
        b = f->nodes.v[b].parent;
    }
    return by_total(&a, &b, ctx);
}

/* The nodes that stay, in their order: *n of them. A parent has no less than its child, and was
 * there before it, so that what is truncated by total is never above what stays. */
static int largest(struct az_flame *f, uint32_t *order, size_t *n)
{
    const size_t all = f->nodes.n;
    for (uint32_t i = 0; i < all; i++)
        order[i] = i;
    az_sort_cmp(order, all, sizeof *order, by_total, f, f->nodes.mem);
    *n = all < AZ_FLAME_NODES ? all : AZ_FLAME_NODES;
    while (*n > 1 && f->nodes.v[order[*n - 1]].total < f->nodes.v[0].total / SMALLEST + 1)
        --*n;
    az_sort_cmp(order, *n, sizeof *order, by_place, f, f->nodes.mem);
    return 0;
}

int az_flame_finish(struct az_flame *f)
{
    struct az_flame_nodes out;
    const size_t all = f->nodes.n;
    size_t n = 0;
    az_vec_init(&out, f->nodes.mem);
    uint32_t *order = az_mem_alloc(out.mem, all * sizeof *order),
             *place = az_mem_alloc(out.mem, all * sizeof *place);
    int rc = order && place ? sum_up(f) : az_mem_error(out.mem);
    if (rc == 0)
        rc = largest(f, order, &n);
    if (rc == 0)
        rc = az_vec_reserve(&out, n);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct az_flame_node x = f->nodes.v[order[i]];
        place[order[i]] = (uint32_t)i;
        x.parent = x.parent == AZ_NO_ID ? AZ_NO_ID : place[x.parent];
        out.v[out.n++] = x;
    }
    az_mem_free(out.mem, order, all * sizeof *order);
    az_mem_free(out.mem, place, all * sizeof *place);
    if (rc) {
        az_vec_release(&out);
        return rc;
    }
    az_vec_release(&f->nodes);
    az_map_release(&f->child);
    f->nodes = out;
    return 0;
}
