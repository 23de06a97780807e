/* File names of a configuration: next to the config file first, then from the current directory;
 * globs expanded. */
#include "config/private.h"

#include "base/intern.h"
#include "io/path.h"

static bool exists(struct az_sv path) { return az_path_stat(path.p).kind != AZ_PATH_MISSING; }

static bool has_base(struct az_sv base, struct az_sv path)
{
    return base.n > 0 && !az_sv_is(base, ".") && path.n > 0 && path.p[0] != '/';
}

struct az_sv az_path_lookup(struct az_arena *a, struct az_sv base, struct az_sv path)
{
    struct az_sv own = az_arena_dup(a, path);
    if (!own.p || az_sv_is(path, "-") || !has_base(base, path))
        return own;
    struct az_sv beside = az_path_join(a, base, path);
    if (!beside.p)
        return beside;
    return exists(beside) ? beside : own;
}

/* Matches of a glob next to the config, else of the glob as written. */
static int expand_glob(struct az_arena *a, struct az_sv base, struct az_sv path,
                       struct az_vec_sv *found)
{
    int rc = 0;
    if (has_base(base, path)) {
        struct az_sv beside = az_path_join(a, base, path);
        rc = beside.p ? az_path_glob(a, beside, found) : az_arena_error(a);
    }
    if (rc == 0 && found->n == 0)
        rc = az_path_glob(a, path, found);
    return rc;
}

int az_config_expand(struct az_config *c, struct az_sv base, struct az_sv path, struct az_sv role,
                     bool optional, struct az_input_files *out, struct az_where at,
                     struct az_diag *diag)
{
    struct az_vec_sv found;
    az_vec_init(&found, NULL);
    int rc = 0;
    struct az_input_file file = { .path = az_path_lookup(&c->arena, base, path),
                                  .role = role,
                                  .optional = optional };
    if (!file.path.p)
        return az_arena_error(&c->arena);
    if (az_sv_is(path, "-") || !az_path_is_glob(path) || exists(file.path)) {
        /* A file that is not there is found by the run, which fails the input, or goes on without a
         * file of a role; an optional one of no role is skipped here, as a glob without a match is.
         */
        if (!optional || role.n || az_sv_is(path, "-") || exists(file.path))
            rc = az_vec_push(out, file);
        goto done;
    }
    rc = expand_glob(&c->arena, base, path, &found);
    for (size_t i = 0; rc == 0 && i < found.n; i++) {
        file.path = found.v[i];
        rc = az_vec_push(out, file);
    }
    if (rc == 0 && found.n == 0 && !optional)
        rc = az_diag_fail(diag, AZ_ECONFIG, at, "no file matches '%.*s' (%s)", AZ_SVF(path),
                          at.file.n ? "set \"optional\": true if this is expected"
                                    : "check the path");
done:
    az_vec_release(&found);
    return rc;
}

static void load_one(struct az_loader *l, const struct az_node *n, const char *role, bool optional,
                     struct az_input_files *out)
{
    if (n->kind != AZ_NODE_TEXT && !(n->typed && n->kind == AZ_NODE_NUMBER)) {
        az_load_error(l, n, "a path must be a string, not %s", az_node_kind_text(n->kind));
        return;
    }
    if (n->text.n == 0) {
        az_load_error(l, n, "empty path; name a file");
        return;
    }
    int rc;
    if (l->no_files) {
        struct az_input_file file = { .path = n->text,
                                      .role = az_sv_str(role),
                                      .optional = optional };
        rc = az_vec_push(out, file);
    } else {
        rc = az_config_expand(l->c, l->base, n->text, az_sv_str(role), optional, out,
                              az_node_where(n, l->a), l->diag);
    }
    if (rc < 0 && rc != AZ_ECONFIG)
        l->fatal = rc;
}

/* A file named twice (for example by two globs) would be counted twice: the first is used. */
static void drop_repeated(struct az_loader *l, const struct az_node *n,
                          struct az_input_files *files)
{
    struct az_intern seen;
    size_t kept = 0;
    if (files->n < 2)
        return;
    int rc = 0;
    az_intern_init(&seen, l->a, NULL);
    for (size_t i = 0; rc == 0 && i < files->n; i++) {
        uint32_t id;
        size_t before = seen.text.n;
        rc = az_intern(&seen, files->v[i].path, &id);
        if (rc == 0 && seen.text.n > before)
            files->v[kept++] = files->v[i];
        else if (rc == 0)
            az_load_warn(l, n, "duplicate file '%.*s'; it is read once", AZ_SVF(files->v[i].path));
    }
    if (rc == 0)
        files->n = kept;
    else
        l->fatal = rc;
    az_intern_release(&seen);
}

bool az_paths_load(struct az_loader *l, const struct az_node *n, const char *role, bool optional,
                   struct az_input_files *out)
{
    if (!n || n->kind == AZ_NODE_NULL || (optional && n->kind == AZ_NODE_TEXT && n->text.n == 0))
        return false;
    if (n->kind == AZ_NODE_ARRAY && n->n == 0) {
        az_load_error(l, n, "empty list; name a file");
    } else if (n->kind == AZ_NODE_ARRAY) {
        for (const struct az_node *c = n->first; c && !l->fatal; c = c->next)
            load_one(l, c, role, optional, out);
    } else {
        load_one(l, n, role, optional, out);
    }
    if (!role[0])
        drop_repeated(l, n, out);
    return true;
}
