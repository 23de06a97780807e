/* A user's script (Lua 5.4): categories and models of operators. It can reach no file, process or
 * network, and runs under a limit of instructions and memory. */
#ifndef AZ_EXTEND_EXTEND_H
#define AZ_EXTEND_EXTEND_H

#include "base/diag.h"
#include "perf/perf.h"

#define AZ_EXTEND_INSTRUCTIONS                                                                     \
    20000000 /* of the script itself, and of each call of one of its functions */
#define AZ_EXTEND_NODE_INSTRUCTIONS 200                 /* more for each node of a tree */
#define AZ_EXTEND_MEMORY            (64u * 1024 * 1024) /* bytes of the script's own data */
#define AZ_EXTEND_CATEGORIES        16                  /* new names of categories */
#define AZ_EXTEND_EDITS             1000000             /* changes to one tree */

struct az_extend_category {
    struct az_sv op, category;
};
AZ_VEC(struct az_extend_category, az_extend_categories);

struct az_extend;
/* Runs the script and reads its tables `categories` (category -> list of operators) and
 * `perf_models` (operator -> function), and checks for a function `tree_postprocess`.
 * Texts in the arena. AZ_ECONFIG with a message: it cannot be read, is no Lua, raises, runs too
 * long, uses too much, or returns nonsense. */
int az_extend_open(struct az_extend **out, const char *path, struct az_arena *a, struct az_mem *mem,
                   struct az_diag *diag) AZ_MUST_USE;
/* The same for a script that is built in. */
int az_extend_open_text(struct az_extend **out, const char *name, struct az_sv text,
                        struct az_arena *a, struct az_mem *mem, struct az_diag *diag) AZ_MUST_USE;
void az_extend_close(struct az_extend *e); /* NULL is fine */
const struct az_extend_categories *az_extend_categories_of(const struct az_extend *e);
bool az_extend_has_model(const struct az_extend *e, struct az_sv op);
/* perf_models[op](event): FLOPs, bytes, precision, unit; what it leaves out (nil) is not known.
 * AZ_ECONFIG with a message as above. */
int az_extend_model(struct az_extend *e, const struct az_perf_call *c, struct az_arena *a,
                    struct az_perf *out, struct az_diag *diag) AZ_MUST_USE;

/* The host call tree as a script sees it: nodes are numbers from 0, in the order of the tree
 * (parents before children, threads one after another). Every function gets ctx. */
struct az_extend_args {
    struct az_sv dims, types, strides, concrete; /* JSON lists; empty: not recorded */
    struct az_sv facts;                          /* lines `name=value` */
};
struct az_extend_kernel {
    struct az_sv name;
    int64_t ns;    /* duration */
    uint32_t call; /* node that launched it */
};
#define AZ_EXTEND_NO_NODE UINT32_MAX
struct az_extend_tree {
    void *ctx;
    uint32_t n;
    struct az_sv (*name)(void *ctx, uint32_t node);
    const char *(*kind)(void *ctx, uint32_t node); /* "op", "call", "frame" */
    uint32_t (*parent)(void *ctx, uint32_t node);  /* or AZ_EXTEND_NO_NODE */
    uint32_t (*child)(void *ctx, uint32_t node,
                      uint32_t after); /* first (after: AZ_EXTEND_NO_NODE) or next */
    void (*span)(void *ctx, uint32_t node, int64_t *start, int64_t *end); /* ns */
    uint32_t (*kernels)(void *ctx, uint32_t node,
                        uint32_t *first); /* device events at and below: how many */
    struct az_extend_kernel (*kernel)(void *ctx, uint32_t i); /* i from *first */
    struct az_extend_args (*args)(void *ctx, uint32_t node);
    int64_t (*sequence)(
        void *ctx,
        uint32_t node); /* number that a forward and its backward operator share; -1: none */
    /* The forward operator of a backward operator or of what is below one, and the backward
     * operators of a forward one (first, after: AZ_EXTEND_NO_NODE, or next); or AZ_EXTEND_NO_NODE.
     */
    uint32_t (*forward)(void *ctx, uint32_t node);
    uint32_t (*backward)(void *ctx, uint32_t node, uint32_t after);
    /* Changes; NULL or what is wrong. Numbers of nodes do not change: all changes are made together
     * when the script is done.
     */
    const char *(*rename)(void *ctx, uint32_t op, struct az_sv name);
    const char *(*remove)(void *ctx, uint32_t op);
    const char *(*insert)(void *ctx, struct az_sv name, const uint32_t *nodes, size_t n,
                          const struct az_extend_args *args);
};
bool az_extend_has_tree(const struct az_extend *e);
/* tree_postprocess(tree). AZ_ECONFIG with a message as above; changes requested before have to be
 * dropped then. */
int az_extend_run_tree(struct az_extend *e, const struct az_extend_tree *t,
                       struct az_diag *diag) AZ_MUST_USE;

#endif
