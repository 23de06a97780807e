/* Walking a tree of folders. */
#include <errno.h>
#include <sys/stat.h>

#include "base/intern.h"
#include "io/names.h"
#include "io/oserror.h"
#include "io/path.h"

struct walking {
    const struct az_walk *w;
    struct az_diag *diag;
    struct az_vec_char path; /* NUL-terminated; the NUL is not counted */
    struct az_names names;
    struct az_map seen; /* (dev, ino) of folders entered -> 1, of those left again -> 0 */
    unsigned links;     /* above the folder at hand */
    size_t entered;     /* folders below links */
};

static int set_path(struct walking *k, size_t keep, const char *name)
{
    k->path.n = keep;
    int r = 0;
    if (keep && k->path.v[keep - 1] != '/')
        r = az_text_append(&k->path, AZ_SV("/"));
    r = r ? r : az_text_append(&k->path, az_sv_make(name, strlen(name) + 1));
    if (r == 0)
        k->path.n--;
    return r;
}

/* Enters the folder in k->path once (with aliases: not inside itself): 1, or 0 when it is not to be
 * entered. */
static int enter(struct walking *k, const struct az_path_info *info)
{
    uint32_t *value;
    bool added;
    int r = az_map_put(&k->seen, info->dev, info->ino, 1, &value, &added);
    if (r || (!added && (*value || !k->w->aliases)))
        return r;
    *value = 1;
    if (k->w->aliases && k->links && ++k->entered > AZ_WALK_MOST)
        return IO_FAIL(k->diag, AZ_ERANGE, AZ_AT_FILE(az_text_view(&k->path)),
                       "more than %d folders followed through links; check for link cycles",
                       AZ_WALK_MOST);
    return 1;
}

static int leave(struct walking *k, const struct az_path_info *info)
{
    uint32_t *value;
    bool added;
    int r = az_map_put(&k->seen, info->dev, info->ino, 0, &value, &added);
    if (r == 0 && k->w->aliases)
        *value = 0;
    return r;
}

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static int walk_folder(struct walking *k, unsigned depth);

static int walk_entry(struct walking *k, unsigned depth)
{
    struct az_path_info info = az_path_stat(k->path.v);
    int r = k->w->visit(k->w->ctx, k->path.v, &info, depth);
    if (r != 0)
        return r < 0 ? r : 0;
    if (info.kind != AZ_PATH_DIR || (k->w->max_depth && depth >= k->w->max_depth))
        return 0;
    const bool link = (!k->w->follow_links || k->w->aliases) && is_link(k->path.v);
    if (!k->w->follow_links && link)
        return 0;
    k->links += link;
    r = enter(k, &info);
    if (r == 1) {
        r = walk_folder(k, depth + 1);
        r = r ? r : leave(k, &info);
    }
    k->links -= link;
    return r;
}

/* The entries of the folder in k->path, which is left as it was. */
static int walk_folder(struct walking *k, unsigned depth)
{
    char text[128];
    size_t from, to, keep = k->path.n;
    int r = az_names_push(&k->names, k->path.v, k->w->hidden, &from, &to);
    if (r == AZ_EIO && depth > 1) {
        if (k->diag)
            az_diag_add(k->diag, AZ_WARNING, AZ_AT_FILE(az_text_view(&k->path)),
                        "cannot read this folder: %s", az_errno_text(errno, text));
        return 0;
    }
    if (r)
        return r == AZ_EIO ? IO_FAIL(k->diag, r, AZ_AT_FILE(az_text_view(&k->path)),
                                     "cannot read: %s", az_errno_text(errno, text))
                           : r;
    for (size_t i = from; i < to && r == 0; i++) {
        r = set_path(k, keep, az_names_get(&k->names, i));
        r = r ? r : walk_entry(k, depth);
    }
    az_names_pop(&k->names, from);
    k->path.n = keep;
    k->path.v[keep] = '\0';
    return r;
}

int az_path_walk(const char *root, const struct az_walk *w, struct az_diag *diag)
{
    char text[128];
    struct walking k = { .w = w, .diag = diag };
    struct az_path_info info = az_path_stat(root);
    if (info.kind == AZ_PATH_MISSING)
        return IO_FAIL(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(root)), "cannot read: %s",
                       az_errno_text(errno, text));
    if (info.kind != AZ_PATH_DIR) {
        int v = w->visit(w->ctx, root, &info, 0);
        return v < 0 ? v : 0;
    }
    az_vec_init(&k.path, NULL);
    az_names_init(&k.names, NULL);
    az_map_init(&k.seen, NULL, 64);
    int r = set_path(&k, 0, root);
    r = r ? r : enter(&k, &info);
    r = r < 0 ? r : walk_folder(&k, 1);
    az_map_release(&k.seen);
    az_names_release(&k.names);
    az_vec_release(&k.path);
    return r;
}
