/* Paths of regions ("train / layer.* / attention") in a table: their names are those of the user,
 * which are not shortened as names of kernels are. A row below the one that it is inside of has an
 * indent in place of its path. */
#include "reports/text/text.h"

enum { DEPTH = 64 };

static bool is_inside(struct az_sv path, struct az_sv around)
{
    static const struct az_sv joint = { " / ", 3 };
    return path.n > around.n + joint.n && az_sv_starts(path, around) &&
           az_sv_starts(az_sv_make(path.p + around.n, path.n - around.n), joint);
}

void az_text_paths(struct az_textout *o, struct az_sv *path, size_t n)
{
    struct az_sv around[DEPTH]; /* rows right above, each inside the one before */
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        const struct az_sv whole = path[i];
        while (depth && !is_inside(whole, around[depth - 1]))
            depth--;
        const size_t from = depth ? around[depth - 1].n + 3 : 0;
        if (depth)
            path[i] = az_arena_printf(o->scratch, "%*s%.*s", (int)(2 * depth), "",
                                      AZ_SVF(az_sv_make(whole.p + from, whole.n - from)));
        if (depth < DEPTH)
            around[depth++] = whole;
    }
}
