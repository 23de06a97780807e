/* Kernels whose parameters changed from one side to the other: the same function to a reader. */
#include "compare/compare_causes.h"

/* "f<int>" of "f<int>(float *, int)": a name without the parameters at its end. What follows a
 * blank is no list of parameters: "Memcpy HtoD (Pinned -> Device)". */
static struct az_sv without_parameters(struct az_sv name)
{
    size_t depth = 0;

    if (!az_sv_ends(name, AZ_SV(")")))
        return name;
    for (size_t i = name.n; i-- > 1;) {
        depth += name.p[i] == ')';
        if (name.p[i] == '(' && --depth == 0)
            return name.p[i - 1] == ' ' ? name : az_sv_make(name.p, i);
    }
    return name;
}

struct function { /* kernels of one side only, of this name without parameters */
    size_t n[2], last[2];
};
AZ_VEC(struct function, functions);

static bool is_lonely(const struct az_work_sums *s) { return (s->ns[0] > 0) != (s->ns[1] > 0); }

static int count_functions(const struct az_sv *name, const struct az_work_sums *sums, size_t n,
                           struct az_intern *ids, struct functions *out)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < n; i++) {
        const size_t side = sums[i].ns[0] > 0 ? 0 : 1;
        uint32_t id;
        if (!is_lonely(&sums[i]))
            continue;
        rc = az_intern(ids, without_parameters(name[i]), &id);
        if (rc == 0 && id == out->n)
            rc = az_vec_push(out, ((struct function){ { 0, 0 }, { 0, 0 } }));
        if (rc)
            return rc;
        out->v[id].n[side]++;
        out->v[id].last[side] = i;
    }
    return rc;
}

int az_compare_pair_functions(struct az_sv *name, struct az_work_sums *sums, size_t n,
                              struct az_mem *mem)
{
    struct az_arena texts;
    struct az_intern ids;
    struct functions of;

    az_arena_init(&texts, mem);
    az_intern_init(&ids, &texts, mem);
    az_vec_init(&of, mem);
    const int rc = count_functions(name, sums, n, &ids, &of);
    for (size_t k = 0; rc == 0 && k < of.n; k++) {
        const struct function *f = &of.v[k];
        if (f->n[0] != 1 || f->n[1] != 1)
            continue;
        sums[f->last[0]].ns[1] = sums[f->last[1]].ns[1];
        sums[f->last[1]].ns[1] = 0;
        name[f->last[0]] = without_parameters(name[f->last[0]]);
    }
    az_vec_release(&of);
    az_intern_release(&ids);
    az_arena_release(&texts);
    return rc;
}
