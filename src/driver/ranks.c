/* The ranks of one input: each read, reduced to parts and given back; then finished together. */
#include "driver/internal.h"

#include "base/sort.h"

/* One file on its way. */
struct one_rank {
    struct az_rank about;
    void **part; /* by analysis */
    bool there, active;
};

void az_ranks_init(struct az_rank_run *r, struct az_one *one)
{
    *r = (struct az_rank_run){ .one = one };
    while (az_rank_analyses[r->n_analyses])
        r->n_analyses++;
    one->ranks = r;
}

static struct az_sv fact(const struct az_trace *t, const char *key)
{
    for (size_t i = 0; i < t->facts.n; i++)
        if (az_sv_is(t->facts.v[i].key, key))
            return t->facts.v[i].value;
    return AZ_SV("");
}

static int describe(struct az_rank *about, const struct az_trace *t, struct az_sv path, struct az_arena *keep)
{
    *about = (struct az_rank){ .rank = t->rank,
                               .path = path,
                               .host = az_arena_dup(keep, fact(t, "hostname")),
                               .device = az_arena_dup(keep, t->devices.n ? t->devices.v[0].name : AZ_SV("")),
                               .devices = (int64_t)t->devices.n,
                               .world_size = t->world_size,
                               .base_ns = t->base_ns,
                               .ticks_per_ns = t->ticks_per_ns,
                               .read = t->read,
                               .kept = t->kept };
    return about->host.p && about->device.p ? AZ_OK : az_arena_error(keep);
}

/* All parts of one rank's trace. */
static int reduce(struct az_rank_run *r, const struct az_trace *t, struct one_rank *x)
{
    struct az_one *o = r->one;
    struct az_arena *keep = &o->res->arena, scratch;
    struct az_job job = { .opts = &o->job->input->opts,
                          .traces = &t,
                          .n_traces = 1,
                          .arena = &scratch,
                          .mem = &o->res->mem,
                          .diag = o->diag };
    struct az_classifier classes;
    int rc = describe(&x->about, t, t->path, keep);

    x->part = az_arena_array(keep, r->n_analyses + 1, sizeof *x->part);
    if (!rc && !x->part)
        rc = az_arena_error(keep);
    az_arena_init(&scratch, &o->res->mem);
    if (!rc)
        rc = az_classifier_init(&classes, &job.opts->classes, &scratch);
    if (rc) {
        az_arena_release(&scratch);
        return az_one_explain(o, rc, o->diag->errors, "reducing a rank");
    }
    job.classes = &classes;
    for (size_t i = 0; rc == 0 && i < r->n_analyses; i++) {
        const struct az_rank_analysis *an = az_rank_analyses[i];
        const size_t before = o->diag->errors;
        if ((an->needs & ~t->caps) || (an->any && !(an->any & t->caps)))
            continue;
        rc = az_one_explain(o, an->reduce(&job, keep, &x->part[i]), before, an->name);
    }
    az_classifier_release(&classes);
    az_arena_release(&scratch);
    x->active = az_trace_has_activity(t);
    x->there = rc == 0;
    return rc;
}

static int by_rank(const void *x, const void *y, void *ctx)
{
    const struct one_rank *a = x, *b = y;
    (void)ctx;
    if (a->there != b->there)
        return a->there ? -1 : 1;
    if (a->about.rank != b->about.rank)
        return a->about.rank < b->about.rank ? -1 : 1;
    return az_sv_cmp(a->about.path, b->about.path);
}

static int missing_ranks(struct az_ranks *s, struct az_arena *a)
{
    int64_t *missing = az_arena_array(a, (size_t)s->world_size, sizeof *missing);
    if (!missing)
        return az_arena_error(a);
    for (int64_t k = 0; k < s->world_size; k++)
        if (az_ranks_find(s, k) < 0)
            missing[s->n_missing++] = k;
    s->missing = missing;
    return AZ_OK;
}

/* The set of those that are there, in rank order. */
static int gather(struct az_rank_run *r, struct one_rank *ranks, size_t n)
{
    struct az_arena *a = &r->one->res->arena;
    struct az_rank *v = az_arena_array(a, n, sizeof *v);
    int rc = az_sort_cmp(ranks, n, sizeof *ranks, by_rank, NULL, NULL);

    r->parts = az_arena_array(a, r->n_analyses + 1, sizeof *r->parts);
    if (!rc && (!v || !r->parts))
        rc = az_arena_error(a);
    for (size_t k = 0; !rc && k < r->n_analyses; k++)
        if (!(r->parts[k] = az_arena_array(a, n, sizeof **r->parts)))
            rc = az_arena_error(a);
    if (rc)
        return rc;
    r->set.v = v;
    for (size_t i = 0; i < n && ranks[i].there; i++) {
        v[i] = ranks[i].about;
        for (size_t k = 0; k < r->n_analyses; k++)
            r->parts[k][i] = ranks[i].part[k];
        r->active |= ranks[i].active;
        r->set.n++;
        r->set.world_size = v[i].world_size > r->set.world_size ? v[i].world_size : r->set.world_size;
        r->set.world_size = v[i].rank >= r->set.world_size ? v[i].rank + 1 : r->set.world_size;
    }
    return missing_ranks(&r->set, a);
}

/* Where the file does not say its rank: the last number of its name, else its place. */
static int64_t rank_of_name(struct az_sv path, size_t place)
{
    struct az_sv base = az_path_base(path);
    for (size_t i = 0; i + 1 < base.n; i++) {
        int64_t v = 0;
        if (!az_sv_starts(az_sv_make(base.p + i, base.n - i), AZ_SV("rank")) &&
            !az_sv_starts(az_sv_make(base.p + i, base.n - i), AZ_SV("worker")))
            continue;
        while (i < base.n && (base.p[i] < '0' || base.p[i] > '9'))
            i++;
        for (; i < base.n && base.p[i] >= '0' && base.p[i] <= '9' && v < 100000; i++)
            v = v * 10 + (base.p[i] - '0');
        return v;
    }
    return (int64_t)place;
}

int az_ranks_reduce(struct az_rank_run *r)
{
    struct az_one *o = r->one;
    const struct az_files *files = &o->job->files;
    struct one_rank *ranks = az_arena_array(&o->res->arena, files->n, sizeof *ranks);
    int rc = ranks ? AZ_OK : az_arena_error(&o->res->arena), failed = AZ_OK;

    for (size_t i = 0; !rc && i < files->n; i++) {
        struct az_trace t;
        rc = az_trace_init(&t, &o->res->mem);
        if (rc)
            break;
        rc = az_one_read(o, &t, &files->v[i], 1);
        if (!rc)
            rc = reduce(r, &t, &ranks[i]);
        if (!rc && ranks[i].about.rank < 0)
            ranks[i].about.rank = rank_of_name(t.path, i);
        if (!rc)
            o->caps |= t.caps;
        az_trace_release(&t);
        if (rc && rc != AZ_EINTR && rc != AZ_ENOMEM && rc != AZ_ELIMIT) {
            failed = rc;
            rc = AZ_OK;
        }
    }
    if (!rc)
        rc = gather(r, ranks, files->n);
    rc = az_one_explain(o, rc, o->diag->errors, "reading ranks");
    return rc ? rc : failed;
}

int az_ranks_of_traces(struct az_rank_run *r)
{
    struct az_result *res = r->one->res;
    struct one_rank *ranks = az_arena_array(&res->arena, res->n_traces, sizeof *ranks);
    int rc = ranks ? AZ_OK : az_arena_error(&res->arena);

    for (size_t i = 0; !rc && i < res->n_traces; i++) {
        rc = reduce(r, &res->traces[i], &ranks[i]);
        if (!rc && ranks[i].about.rank < 0)
            ranks[i].about.rank = (int64_t)i;
    }
    if (!rc)
        rc = gather(r, ranks, res->n_traces);
    return az_one_explain(r->one, rc, r->one->diag->errors, "comparing ranks");
}

int az_ranks_finish(struct az_rank_run *r, struct az_job *job)
{
    int failed = AZ_OK;
    for (size_t k = 0; k < r->n_analyses && r->set.n; k++) {
        const struct az_rank_analysis *an = az_rank_analyses[k];
        const size_t before = r->one->diag->errors;
        bool any = false;
        for (size_t i = 0; i < r->set.n; i++)
            any |= r->parts[k][i] != NULL;
        if (!any)
            continue;
        const int rc = az_one_explain(r->one, an->finish(job, &r->set, r->parts[k]), before, an->name);
        if (rc == AZ_ENOMEM || rc == AZ_ELIMIT || rc == AZ_EINTR)
            return rc;
        failed = rc ? rc : failed;
    }
    return failed;
}
