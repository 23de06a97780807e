/* Globs. A pattern is a list of components; the tree is walked once with the set of components that
 * may match the next name (as a regular expression is run over text), so `**` ten times over costs
 * no more than once. */
#include <errno.h>
#include <sys/stat.h>

#include "base/sort.h"
#include "io/fs_errors.h"
#include "io/names.h"
#include "io/path.h"

#define PARTS_MAX 63

struct globbing {
    struct az_sv part[PARTS_MAX];
    bool literal[PARTS_MAX], deep[PARTS_MAX]; /* deep: `**` */
    unsigned parts;
    bool only_dirs; /* the pattern ends with a slash */
    struct az_arena *a;
    struct az_vec_sv *out;
    struct az_vec_char path; /* NUL-terminated; the NUL is not counted */
    struct az_names names;
};

bool az_path_is_glob(struct az_sv pattern)
{
    for (size_t i = 0; i < pattern.n; i++)
        if (pattern.p[i] == '*' || pattern.p[i] == '?' || pattern.p[i] == '[')
            return true;
    return false;
}

static int set_path(struct globbing *g, size_t keep, struct az_sv name)
{
    g->path.n = keep;
    int r = 0;
    if (keep && g->path.v[keep - 1] != '/')
        r = az_text_append(&g->path, AZ_SV("/"));
    r = r ? r : az_text_append(&g->path, name);
    r = r ? r : az_text_append(&g->path, az_sv_make("", 1));
    if (r == 0)
        g->path.n--;
    return r;
}

/* Splits the pattern; components up to the first with a wildcard go straight to the path. */
static int split(struct globbing *g, struct az_sv p)
{
    int r = 0;
    g->only_dirs = p.n && p.p[p.n - 1] == '/';
    if (p.n && p.p[0] == '/')
        r = az_text_append(&g->path, AZ_SV("/"));
    while (p.n && r == 0) {
        size_t n = 0;
        while (n < p.n && p.p[n] != '/')
            n++;
        struct az_sv part = az_sv_make(p.p, n);
        p = az_sv_make(p.p + n + (n < p.n), p.n - n - (n < p.n));
        bool literal = !az_path_is_glob(part), deep = az_sv_is(part, "**");
        if (part.n == 0 || (deep && g->parts && g->deep[g->parts - 1]))
            continue; /* "a//b" and two `**` in a row mean the same as one */
        if (literal && g->parts == 0) {
            r = set_path(g, g->path.n, part);
        } else if (g->parts == PARTS_MAX) {
            r = AZ_ERANGE;
        } else {
            g->part[g->parts] = part;
            g->literal[g->parts] = literal;
            g->deep[g->parts++] = deep;
        }
    }
    r = r ? r : az_text_append(&g->path, az_sv_make("", 1));
    if (r == 0)
        g->path.n--;
    return r;
}

/* Adds what may follow without a name: after `**` its successor. */
static uint64_t closure(const struct globbing *g, uint64_t set)
{
    for (unsigned i = 0; i < g->parts; i++)
        if (set >> i & 1 && g->deep[i])
            set |= (uint64_t)2 << i;
    return set;
}

static bool part_matches(const struct globbing *g, unsigned i, struct az_sv name)
{
    if (g->literal[i])
        return az_sv_eq(g->part[i], name);
    if (name.p[0] == '.' && g->part[i].p[0] != '.')
        return false;
    return az_sv_glob(g->part[i], name);
}

/* The set after `name`. `**` matches any folder that is no link and not hidden; as the last
 * component it also matches files. */
static uint64_t next_states(const struct globbing *g, uint64_t set, struct az_sv name,
                            bool real_dir)
{
    uint64_t next = 0;
    for (unsigned i = 0; i < g->parts; i++) {
        if (!(set >> i & 1))
            continue;
        if (!g->deep[i])
            next |= part_matches(g, i, name) ? (uint64_t)2 << i : 0;
        else if (name.p[0] != '.' && real_dir)
            next |= (uint64_t)1 << i;
        else if (name.p[0] != '.' && i + 1 == g->parts)
            next |= (uint64_t)2 << i;
    }
    return closure(g, next);
}

static int glob_folder(struct globbing *g, uint64_t set);

/* The path of g is an entry reached with `set` (closed). */
static int glob_entry(struct globbing *g, uint64_t set, bool is_dir)
{
    int r = 0;
    if (set >> g->parts & 1 && (is_dir || !g->only_dirs)) {
        struct az_sv copy = az_arena_dup(g->a, az_text_view(&g->path));
        r = copy.p ? az_vec_push(g->out, copy) : az_arena_error(g->a);
    }
    uint64_t inside = set & (((uint64_t)1 << g->parts) - 1);
    return r == 0 && inside && is_dir ? glob_folder(g, inside) : r;
}

static bool is_there(const char *path, struct stat *st)
{
    if (lstat(path, st) == 0)
        return true;
    az_fs_error_note(path, errno);
    return false;
}

static int try_name(struct globbing *g, size_t keep, uint64_t set, struct az_sv name)
{
    struct stat st;
    int r = set_path(g, keep, name);
    if (r || !is_there(g->path.v, &st))
        return r;
    bool real_dir = S_ISDIR(st.st_mode), is_dir = real_dir;
    if (S_ISLNK(st.st_mode))
        is_dir = az_path_stat(g->path.v).kind == AZ_PATH_DIR;
    uint64_t next = next_states(g, set, name, real_dir);
    return next ? glob_entry(g, next, is_dir) : 0;
}

/* Names the folder need not be listed for: it may be large, or not readable. "." and ".." are never
 * listed. */
static int glob_literals(struct globbing *g, uint64_t set, bool only_dots)
{
    size_t keep = g->path.n;
    int r = 0;
    for (unsigned i = 0; i < g->parts && r == 0; i++) {
        if (!(set >> i & 1) || !g->literal[i])
            continue;
        bool dots = az_sv_is(g->part[i], ".") || az_sv_is(g->part[i], "..");
        if (dots || !only_dots)
            r = try_name(g, keep, (uint64_t)1 << i, g->part[i]);
    }
    g->path.n = keep;
    return r;
}

static int glob_folder(struct globbing *g, uint64_t set)
{
    size_t from, to, keep = g->path.n;
    bool listing = false, hidden = false;
    for (unsigned i = 0; i < g->parts; i++) {
        listing |= (set >> i & 1) && !g->literal[i];
        hidden |= (set >> i & 1) && g->part[i].p[0] == '.';
    }
    int r = glob_literals(g, set, listing);
    if (r || !listing)
        return r;
    g->path.v[keep] = '\0';
    r = az_names_push(&g->names, g->path.v, hidden, &from, &to);
    if (r)
        return r == AZ_EIO ? 0 : r; /* unreadable folders match nothing, as in a shell */
    for (size_t i = from; i < to && r == 0; i++) {
        r = try_name(g, keep, set, az_sv_str(az_names_get(&g->names, i)));
    }
    az_names_pop(&g->names, from);
    g->path.n = keep;
    return r;
}

static int by_text(const void *x, const void *y, void *ctx)
{
    (void)ctx;
    return az_sv_cmp(*(const struct az_sv *)x, *(const struct az_sv *)y);
}

/* The walk is nearly in order already; names such as "a-b" next to a folder "a" disturb it, and
 * ".." may return a path twice. */
static void sort_unique(struct az_vec_sv *v, struct az_mem *mem)
{
    az_sort_cmp(v->v, v->n, sizeof *v->v, by_text, NULL, mem);
    size_t kept = 0;
    for (size_t i = 0; i < v->n; i++)
        if (kept == 0 || !az_sv_eq(v->v[kept - 1], v->v[i]))
            v->v[kept++] = v->v[i];
    v->n = kept;
}

int az_path_glob(struct az_arena *a, struct az_sv pattern, struct az_vec_sv *out)
{
    struct globbing g = { .a = a, .out = out };
    struct stat st;
    az_vec_init(&g.path, a->mem);
    az_names_init(&g.names, a->mem);
    az_vec_reset(out);
    int r = split(&g, pattern);
    if (r == 0 && g.parts == 0) { /* no wildcard: the name itself, if it exists */
        if (g.path.n && is_there(g.path.v, &st))
            r = glob_entry(&g, 1, az_path_stat(g.path.v).kind == AZ_PATH_DIR);
    } else if (r == 0) {
        r = glob_folder(&g, closure(&g, 1) & (((uint64_t)1 << g.parts) - 1));
    }
    if (r == 0 && out->n > 1)
        sort_unique(out, a->mem);
    az_names_release(&g.names);
    az_vec_release(&g.path);
    return r;
}
