/* That no output of a run replaces another one or an input, by name and by file. */
#include "run/internal.h"

#include "base/sort.h"
#include "io/path.h"

struct check {
    struct az_plan *p;
    const struct az_config *c;
    struct az_diag *diag;
};

struct place { /* an output or an input in the file system */
    struct az_sv path, canonical;
    struct az_path_info info;
    size_t job;  /* from jobs.n on: a step */
    bool input;  /* of the run; also the configuration itself */
    bool tables; /* a folder of one CSV file a table */
};
AZ_VEC(struct place, places);

/* Devices and pipes may be written by all. */
static int add_place(struct az_arena *a, struct places *list, struct az_sv path, size_t job,
                     bool input)
{
    struct place pl = { .path = path, .job = job, .input = input };
    int rc;

    if (!path.n || az_sv_is(path, "-"))
        return AZ_OK;
    pl.info = az_path_stat(path.p);
    if (pl.info.kind == AZ_PATH_OTHER)
        return AZ_OK;
    rc = az_path_canonical(a, path.p, &pl.canonical);
    if (rc) { /* cannot be resolved (no right to look): the name as given is the best there is */
        if (rc == AZ_ENOMEM)
            return rc;
        pl.canonical = path;
    }
    return az_vec_push(list, pl);
}

static int add_targets_places(struct az_arena *a, struct places *list,
                              const struct az_targets *targets, size_t job)
{
    int rc = AZ_OK;

    for (size_t k = 0; !rc && k < targets->n; k++) {
        size_t before = list->n;
        rc = add_place(a, list, targets->v[k].path, job, false);
        if (list->n > before)
            list->v[before].tables =
                !targets->v[k].table.n && targets->v[k].report->extension[0] == '\0';
    }
    return rc;
}

/* Outputs before inputs, so that the first of equal places is an output if any is. */
static int by_rank(const struct place *x, const struct place *y)
{
    if (x->input != y->input)
        return x->input ? 1 : -1;
    return x->job < y->job ? -1 : x->job > y->job;
}

static int by_name(const void *x, const void *y, void *ctx)
{
    const struct place *a = x, *b = y;
    int c = az_sv_cmp(a->canonical, b->canonical);
    (void)ctx;
    return c ? c : by_rank(a, b);
}

static int by_file(const void *x, const void *y, void *ctx)
{
    const struct place *a = x, *b = y;
    (void)ctx;
    if (a->info.dev != b->info.dev)
        return a->info.dev < b->info.dev ? -1 : 1;
    if (a->info.ino != b->info.ino)
        return a->info.ino < b->info.ino ? -1 : 1;
    return by_rank(a, b);
}

static bool same_name(const struct place *x, const struct place *y)
{
    return az_sv_eq(x->canonical, y->canonical);
}

static bool same_node(const struct az_path_info *x, const struct az_path_info *y)
{
    return x->kind == AZ_PATH_FILE && y->kind == AZ_PATH_FILE && x->dev == y->dev &&
           x->ino == y->ino;
}

/* Other names of one file (hard links); equal names were reported before. Looked at more than once:
 * where another run replaces both files, the second may get the number that the first one had. */
static bool same_file(const struct place *x, const struct place *y)
{
    struct az_path_info a = x->info, b = y->info;
    bool same = same_node(&a, &b);
    for (int i = 0; i < 3 && same; i++) {
        a = az_path_stat(x->path.p);
        b = az_path_stat(y->path.p);
        same = same_node(&a, &b);
    }
    return same;
}

/* Who writes a place, and where that is in the configuration. */
static struct az_sv owner(const struct check *n, size_t job)
{
    return job < n->p->jobs.n ? n->p->jobs.v[job].input->title
                              : az_sv_str(n->p->steps[job - n->p->jobs.n].what);
}
static struct az_where place_of_job(const struct check *n, size_t job)
{
    if (job < n->p->jobs.n)
        return az_input_place(n->p->jobs.v[job].input);
    return n->c->path.n ? AZ_AT_FILE(n->c->path) : AZ_NOWHERE;
}

static int collide(const struct check *n, const struct place *o, const struct place *other)
{
    struct az_sv x = owner(n, o->job), y = owner(n, other->job);

    if (other->input)
        return az_diag_fail(n->diag, AZ_ECONFIG, place_of_job(n, o->job),
                            "output '%.*s' of '%.*s' is an input; nothing was run", AZ_SVF(o->path),
                            AZ_SVF(x));
    if (other->job >= n->p->jobs.n)
        return az_diag_fail(n->diag, AZ_ECONFIG, place_of_job(n, o->job),
                            "'%.*s' and the %.*s would both write '%.*s'; use different outputs",
                            AZ_SVF(x), AZ_SVF(y), AZ_SVF(o->path));
    return az_diag_fail(
        n->diag, AZ_ECONFIG, place_of_job(n, o->job),
        "inputs '%.*s' and '%.*s' would both write '%.*s'; use different titles or outputs",
        AZ_SVF(x), AZ_SVF(y), AZ_SVF(o->path));
}

/* Sorted: equal places are neighbors. */
static int compare(const struct check *n, struct places *list,
                   int (*order)(const void *, const void *, void *),
                   bool (*same)(const struct place *, const struct place *))
{
    size_t first = 0;
    int rc = 0;
    az_sort_cmp(list->v, list->n, sizeof *list->v, order, NULL, NULL);

    for (size_t i = 1; rc != AZ_ENOMEM && i < list->n; i++) {
        const struct place *o = &list->v[first], *other = &list->v[i];
        if (!same(o, other))
            first = i;
        else if (!o->input && (same == same_name || !same_name(o, other)))
            rc = collide(n, o, other);
    }
    return rc;
}

/* A file named like a table, in the folder of the tables: one of the two would be lost. */
static int check_among_tables(const struct check *n, const struct places *list)
{
    int rc = AZ_OK;

    for (size_t i = 0; i < list->n; i++) {
        const struct place *o = &list->v[i];
        if (o->input || o->tables || !az_sv_ends(o->canonical, AZ_SV(".csv")))
            continue;
        for (size_t k = 0; k < list->n; k++)
            if (list->v[k].tables && az_sv_eq(az_path_dir(o->canonical), list->v[k].canonical))
                rc = az_diag_fail(
                    n->diag, AZ_ECONFIG, place_of_job(n, o->job),
                    "output '%.*s' may conflict with a table in '%.*s'; use another name",
                    AZ_SVF(o->path), AZ_SVF(list->v[k].path));
    }
    return rc;
}

/* Results of earlier runs: a file, or a folder of them. */
static int add_results(struct az_arena *a, struct places *list, struct az_sv path)
{
    struct az_vec_sv names;
    int rc = add_place(a, list, path, 0, true);

    if (rc || az_path_stat(path.p).kind != AZ_PATH_DIR)
        return rc;
    az_vec_init(&names, NULL);
    struct az_sv glob = az_arena_printf(a, "%.*s/*", AZ_SVF(path));
    rc = glob.p ? az_path_glob(a, glob, &names) : az_arena_error(a);
    for (size_t i = 0; !rc && i < names.n; i++)
        rc = add_place(a, list, names.v[i], 0, true);
    az_vec_release(&names);
    return rc;
}

/* What gates are read from: the baseline, after the inputs have written theirs, and results that
 * were named. */
static int add_gated(const struct check *n, struct az_arena *a, struct places *list)
{
    struct az_sv base = n->c->gates.baseline;
    int rc = AZ_OK;

    if (n->c->gates.given && base.n && az_path_stat(base.p).kind != AZ_PATH_MISSING)
        rc = add_results(a, list, base); /* else a title, a run of the history */
    for (size_t i = 0; !rc && n->p->saved && i < n->p->saved->n; i++)
        rc = add_results(a, list, n->p->saved->v[i]->path);
    return rc;
}

/* Files that options of an input name, read while or after others write theirs. */
static int add_option_files(struct az_arena *a, struct places *list, const struct az_options *o,
                            size_t job)
{
    const struct az_sv files[] = { o->comparison_json_path, o->extension_file,
                                   o->gpu_arch_json_path };
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < AZ_LENGTH(files); i++)
        if (files[i].n && az_path_stat(files[i].p).kind == AZ_PATH_FILE)
            rc = add_place(a, list, files[i], job, true);
    return rc;
}

int az_outputs_collide(struct az_plan *p, const struct az_config *c, struct az_diag *diag)
{
    const struct check of = { p, c, diag }, *const n = &of;
    struct az_arena *a = &n->p->arena;
    struct places list;
    int rc, again;

    az_vec_init(&list, NULL);
    rc = n->c->path.n ? add_place(a, &list, az_arena_dup(a, n->c->path), 0, true) : AZ_OK;
    if (!rc)
        rc = add_gated(n, a, &list);
    for (size_t i = 0; !rc && i < n->p->jobs.n; i++) {
        const struct az_plan_job *job = &n->p->jobs.v[i];
        for (size_t k = 0; !rc && k < job->input->files.n; k++)
            rc = add_place(a, &list, job->input->files.v[k].path, i, true);
        if (!rc)
            rc = add_option_files(a, &list, &job->input->opts, i);
        if (!rc)
            rc = add_targets_places(a, &list, &job->targets, i);
    }
    for (size_t i = 0; !rc && i < AZ_STEP_COUNT; i++)
        rc = add_targets_places(a, &list, &n->p->steps[i].targets, n->p->jobs.n + i);
    if (!rc)
        rc = check_among_tables(n, &list);
    if (!rc && list.n) {
        rc = compare(n, &list, by_name, same_name);
        again = compare(n, &list, by_file, same_file);
        rc = rc ? rc : again;
    }
    az_vec_release(&list);
    return rc;
}
