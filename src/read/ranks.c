/* The ranks of one input together: which rank each file is, which are missing or there twice; then
 * the parts finished into tables, in rank order. Reading: rank_read.c. */
#include "base/sort.h"
#include "read/internal.h"
#include "read/part_file.h"
#include "read/rank_name.h"
#include "tables/views.h"

#define MOST_TOLD 4 /* files of one rank, one by one */
#define NOTICE(f) AZ_AT_FILE((f)->about.path)

void az_ranks_init(struct az_rank_run *r, struct az_input_run *one)
{
    *r = (struct az_rank_run){ .one = one };
    while (az_rank_analyses[r->n_analyses])
        r->n_analyses++;
    one->ranks = r;
}

/* ---- one list of files, in rank order ---- */

static int by_rank(const void *x, const void *y, void *ctx)
{
    const struct az_input_rank *const a = *(struct az_input_rank *const *)x,
                                      *const b = *(struct az_input_rank *const *)y;
    (void)ctx;
    if (a->about.rank != b->about.rank) {
        if (a->about.rank < 0 || b->about.rank < 0) /* unknown ones last */
            return a->about.rank < 0 ? 1 : -1;
        return a->about.rank < b->about.rank ? -1 : 1;
    }
    return az_natural_cmp(a->about.path, b->about.path);
}

static int by_number(const void *x, const void *y, void *ctx)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

/* A message about one file, in its place among those of the others. */
struct remark {
    struct az_input_rank *x;
    enum az_severity severity;
    struct az_sv text;
};
AZ_VEC(struct remark, remarks);

struct gathering {
    struct az_rank_run *r;
    struct az_arena *a;
    const struct az_input_rank *first; /* of the files */
    struct az_input_rank **v;          /* files in rank order */
    size_t n;
    bool by_place; /* no file has its rank: they are numbered as they are listed */
    struct remarks remarks;
    struct az_sv failure; /* the whole run cannot be reported: why */
};

static int remark(struct gathering *g, struct az_input_rank *x, enum az_severity severity,
                  struct az_sv text)
{
    const struct remark m = { x, severity, text };
    x->about.warnings += severity == AZ_WARNING;
    if (x->state == AZ_RANK_LEFT)
        x->why =
            az_sv_starts(text, AZ_SV("skipped: ")) ? az_sv_make(text.p + 10, text.n - 10) : text;
    return text.p ? az_vec_push(&g->remarks, m) : az_arena_error(g->a);
}

/* Messages of the files in rank order, each followed by the messages about it here. */
static void emit_finding(struct gathering *g, struct az_diag *diag)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct az_input_rank *x = g->v[i];
        struct az_diag own = { .errors = x->errors,
                               .warnings = x->warnings,
                               .dropped = x->dropped };
        own.list.v = x->messages;
        own.list.n = x->n_messages;
        az_diag_append(diag, &own);
        for (size_t k = 0; k < g->remarks.n; k++)
            if (g->remarks.v[k].x == x)
                az_diag_add(diag, g->remarks.v[k].severity, NOTICE(x), "%.*s",
                            AZ_SVF(g->remarks.v[k].text));
    }
}

/* The rank of a file: its metadata win over its name. */
static int settle_rank(struct gathering *g, struct az_input_rank *x, size_t place)
{
    int64_t number = x->about.rank;
    int rc = AZ_OK;

    if (number > AZ_RANK_MOST) {
        rc = remark(
            g, x, AZ_WARNING,
            az_arena_printf(g->a, "invalid rank %lld in its metadata, ignored", (long long)number));
        number = -1;
    }
    if (rc == 0 && number >= 0 && x->by_name >= 0 && number != x->by_name)
        rc = remark(g, x, AZ_WARNING,
                    az_arena_printf(
                        g->a,
                        "is rank %lld by its metadata, but %lld by its name; using the metadata",
                        (long long)number, (long long)x->by_name));
    x->about.rank = number >= 0       ? number
                    : x->by_name >= 0 ? x->by_name
                    : g->by_place     ? (int64_t)place
                                      : -1;
    if (rc == 0 && x->about.rank < 0) {
        x->state = AZ_RANK_LEFT;
        rc = remark(g, x, AZ_WARNING,
                    AZ_SV("skipped: no rank in its name or metadata; check --rank-pattern"));
    }
    return rc;
}

/* Traces of formats whose ranks have numbers only where there are several in a file: used as
 * recorded if that is a numbering; else nothing is believed, and they are numbered as they are
 * listed. */
static bool number_traces(struct gathering *g, struct az_input_rank *files)
{
    const struct az_plan_job *job = g->r->one->job;
    bool good = true;
    if (!(job->input->parts || job->parts) || job->format->ranks_reduced)
        return false;
    int64_t *seen = az_arena_array(g->a, g->n, sizeof *seen);
    size_t n = 0;
    for (size_t i = 0; seen && i < g->n; i++) {
        if (files[i].state != AZ_RANK_THERE)
            continue;
        const int64_t number = files[i].about.rank;
        good &= number >= 0 && number <= AZ_RANK_MOST;
        seen[n++] = number;
    }
    if (!seen)
        return false;
    az_sort_cmp(seen, n, sizeof *seen, by_number, NULL, NULL);
    for (size_t i = 1; i < n; i++)
        good &= seen[i] != seen[i - 1];
    for (size_t i = 0; !good && i < g->n; i++)
        files[i].by_name = files[i].about.rank = -1;
    return !good;
}

static int settle(struct gathering *g, struct az_input_rank *files)
{
    int rc = AZ_OK;
    const struct az_input *in = g->r->one->job->input;
    g->by_place = !in->is_run || (g->n == 1 && !in->group.n) || /* a search has requested ranks */
                  number_traces(g, files);
    for (size_t i = 0; i < g->n; i++)
        g->by_place &=
            files[i].by_name < 0 && (files[i].state != AZ_RANK_THERE || files[i].about.rank < 0);
    for (size_t i = 0; rc == 0 && i < g->n; i++) {
        struct az_input_rank *x = &files[i];
        g->v[i] = x;
        if (!x->about.path.n) /* it was not read */
            x->about.path = g->r->one->job->files.v[i].path;
        x->about.warnings = x->warnings;
        if (x->state == AZ_RANK_THERE)
            rc = settle_rank(g, x, i);
        else
            x->about.rank = x->by_name;
    }
    az_sort_cmp(g->v, g->n, sizeof *g->v, by_rank, NULL, NULL);
    return rc;
}

/* The file that a rank is read from: its trace, or "part 'FILE'". */
static struct az_sv source_of(const struct gathering *g, const struct az_input_rank *x)
{
    const struct az_sv part = g->r->one->job->files.v[x - g->first].part;
    return part.n ? az_arena_printf(g->a, "part '%.*s'", AZ_SVF(part))
                  : az_arena_printf(g->a, "'%.*s'", AZ_SVF(x->about.path));
}

static struct az_sv duplicate_text(const struct gathering *g, const struct az_input_rank *x,
                                   const struct az_input_rank *kept)
{
    const bool part = g->r->one->job->files.v[x - g->first].part.n > 0;
    const struct az_sv own = part ? source_of(g, x) : AZ_SV("");
    return az_arena_printf(g->a,
                           "duplicate rank %lld%s%.*s, also in %.*s; select one with a filter, or "
                           "set duplicate_rank to first, last, or each-step",
                           (long long)x->about.rank, part ? " in " : "", AZ_SVF(own),
                           AZ_SVF(source_of(g, kept)));
}

/* Two files of one rank: as the input requires. Returns false if that is an error. */
static int duplicates(struct gathering *g)
{
    const struct az_sv rule = g->r->one->job->input->opts.duplicate_rank;
    const bool first = az_sv_is(rule, "first"), last = az_sv_is(rule, "last");
    struct az_input_rank *kept = NULL, *again = NULL;
    size_t refused = 0;
    int rc = AZ_OK;

    for (size_t i = 0; rc == 0 && i < g->n; i++) {
        struct az_input_rank *x = g->v[i], *out;
        if (x->state != AZ_RANK_THERE)
            continue;
        if (!kept || kept->about.rank != x->about.rank) {
            kept = x;
            continue;
        }
        if (!first && !last) {
            g->failure = AZ_SV("two files of one rank");
            if (refused++ < MOST_TOLD)
                rc = remark(g, x, AZ_ERROR, duplicate_text(g, x, kept));
            again = x;
            continue;
        }
        out = first ? x : kept;
        kept = first ? kept : x;
        out->state = AZ_RANK_LEFT;
        rc = remark(g, out, AZ_WARNING,
                    az_arena_printf(g->a, "skipped: rank %lld is read from %.*s (duplicate_rank)",
                                    (long long)out->about.rank, AZ_SVF(source_of(g, kept))));
    }
    if (rc == 0 && refused > MOST_TOLD)
        rc = remark(
            g, again, AZ_ERROR,
            az_arena_printf(g->a, "and %zu more files of duplicate ranks", refused - MOST_TOLD));
    return rc;
}

/* ---- the set ---- */

/* The number of ranks in the files; the greatest counts. */
static int world_size(struct gathering *g, struct az_ranks *s)
{
    int rc = AZ_OK;
    for (size_t i = 0; i < g->n; i++) {
        struct az_input_rank *x = g->v[i];
        if (x->state == AZ_RANK_THERE && x->about.world_size > AZ_RANK_MOST)
            x->about.world_size = -1;
        if (x->state == AZ_RANK_THERE && x->about.world_size > s->world_size)
            s->world_size = x->about.world_size;
    }
    const int64_t number = s->world_size;
    for (size_t i = 0; rc == 0 && i < g->n; i++) {
        struct az_input_rank *x = g->v[i];
        if (x->state != AZ_RANK_THERE)
            continue;
        if (x->about.rank >= s->world_size)
            s->world_size = x->about.rank + 1;
        if (number > 0 && x->about.world_size > 0 && x->about.world_size != number)
            rc = remark(g, x, AZ_WARNING,
                        az_arena_printf(
                            g->a, "has world size %lld, others %lld; check whether runs are mixed",
                            (long long)x->about.world_size, (long long)number));
        else if (number > 0 && x->about.rank >= number)
            rc = remark(g, x, AZ_WARNING,
                        az_arena_printf(g->a, "is rank %lld of a world of %lld ranks",
                                        (long long)x->about.rank, (long long)number));
    }
    return rc;
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

static struct az_sv first_error(const struct az_input_rank *x)
{
    for (size_t i = 0; i < x->n_messages; i++) {
        struct az_sv text = x->messages[i].text, path = x->about.path;
        if (x->messages[i].severity != AZ_ERROR)
            continue;
        if (az_sv_starts(text, path) && text.n > path.n + 1)
            text = az_sv_trim(az_sv_make(text.p + path.n + 1, text.n - path.n - 1));
        return text;
    }
    return az_sv_str(az_err_text(x->error));
}

static int fill_set(struct gathering *g)
{
    struct az_rank_run *r = g->r;
    struct az_rank *v = az_arena_array(g->a, g->n, sizeof *v);
    struct az_rank_failure *failed = az_arena_array(g->a, g->n, sizeof *failed);
    struct az_rank_failure *left = az_arena_array(g->a, g->n, sizeof *left);
    r->file = az_arena_array(g->a, g->n, sizeof *r->file);
    bool ok = v && failed && left && r->file;

    r->parts = az_arena_array(g->a, r->n_analyses + 1, sizeof *r->parts);
    for (size_t k = 0; r->parts && ok && k < r->n_analyses; k++)
        ok = (r->parts[k] = az_arena_array(g->a, g->n, sizeof **r->parts)) != NULL;
    if (!ok || !r->parts)
        return az_arena_error(g->a);
    r->set.v = v;
    r->set.failed = failed;
    r->set.left = left;
    for (size_t i = 0; i < g->n; i++) {
        const struct az_input_rank *x = g->v[i];
        if (x->state == AZ_RANK_FAILED)
            failed[r->set.n_failed++] = (struct az_rank_failure){ .rank = x->about.rank,
                                                                  .path = x->about.path,
                                                                  .why = first_error(x) };
        if (x->state == AZ_RANK_LEFT)
            left[r->set.n_left++] = (struct az_rank_failure){ .rank = x->about.rank,
                                                              .path = x->about.path,
                                                              .why = x->why };
        if (x->state != AZ_RANK_THERE)
            continue;
        v[r->set.n] = x->about;
        r->file[r->set.n] = (size_t)(x - g->first);
        for (size_t k = 0; k < r->n_analyses; k++)
            r->parts[k][r->set.n] = x->part[k];
        r->active |= x->active;
        r->set.n++;
    }
    return missing_ranks(&r->set, g->a);
}

/* From files to the set; the messages of all are reported whatever comes. */
static int gather(struct az_rank_run *r, struct az_input_rank *files, size_t n)
{
    struct gathering g = { .r = r, .a = &r->one->res->arena, .first = files, .n = n };
    int rc;

    az_vec_init(&g.remarks, &r->one->res->mem);
    g.v = az_arena_array(g.a, n, sizeof *g.v);
    rc = g.v ? settle(&g, files) : az_arena_error(g.a);
    if (!rc)
        rc = duplicates(&g);
    if (!rc)
        rc = world_size(&g, &r->set);
    if (!rc && !g.failure.n)
        rc = fill_set(&g);
    if (g.v)
        emit_finding(&g, r->one->diag);
    az_vec_release(&g.remarks);
    return rc ? rc : g.failure.n ? AZ_EFORMAT : AZ_OK;
}

/* ---- entry points ---- */

int az_ranks_names(struct az_input_run *o, struct az_input_rank *ranks)
{
    struct az_arena scratch;
    struct az_rank_name name;
    int rc;

    az_arena_init(&scratch, &o->res->mem);
    rc = az_rank_name_init(&name, o->job->input->opts.rank_pattern, &scratch, AZ_NOWHERE, o->diag);
    for (size_t i = 0; rc == 0 && i < o->job->files.n; i++) {
        struct az_rank_place at;
        bool folder;
        ranks[i].by_name =
            az_rank_name_find_in(&name, o->job->files.v[i].path, &at, &folder) ? at.rank : -1;
    }
    if (rc == 0)
        az_rank_name_release(&name);
    az_arena_release(&scratch);
    return rc;
}

int az_ranks_reduce(struct az_rank_run *r)
{
    struct az_input_run *o = r->one;
    const size_t n = o->job->files.n, before = o->diag->errors;
    struct az_input_rank *ranks = az_arena_array(&o->res->arena, n, sizeof *ranks);
    int rc = ranks ? az_ranks_names(o, ranks) : az_arena_error(&o->res->arena), fatal;

    fatal = rc ? rc : az_ranks_read(o, ranks);
    if (!rc && fatal != AZ_EINTR)
        rc = gather(r, ranks, n);
    rc = fatal ? fatal : rc;
    r->files = ranks;
    if (rc)
        return az_input_report_error(o, rc, before, "reading ranks");
    for (size_t i = 0; i < n; i++) {
        rc = ranks[i].state == AZ_RANK_FAILED ? ranks[i].error : rc;
        o->hook_failed = ranks[i].hook_failed ? ranks[i].hook_failed : o->hook_failed;
    }
    if (r->set.n == 0 && !rc)
        rc = az_diag_fail(o->diag, AZ_EEMPTY, AZ_AT_FILE(o->job->input->files.v[0].path),
                          "no file of this run is a rank");
    return rc;
}

/* Ranks of other formats: numbered as in their traces, or in the order of the files where that is
 * not a numbering. */
static void number_kept(const struct az_result *res, struct az_input_rank *ranks)
{
    bool good = true;
    for (size_t i = 0; i < res->n_traces; i++) {
        good &= res->traces[i].rank >= 0 && res->traces[i].rank <= AZ_RANK_MOST;
        for (size_t k = 0; good && k < i; k++)
            good = res->traces[k].rank != res->traces[i].rank;
    }
    for (size_t i = 0; i < res->n_traces; i++)
        ranks[i].by_name = ranks[i].about.rank = good ? res->traces[i].rank : (int64_t)i;
}

int az_ranks_of_traces(struct az_rank_run *r)
{
    struct az_result *res = r->one->res;
    struct az_input_rank *ranks = az_arena_array(&res->arena, res->n_traces, sizeof *ranks);
    int rc = ranks ? AZ_OK : az_arena_error(&res->arena);

    for (size_t i = 0; !rc && i < res->n_traces; i++)
        rc = az_rank_reduce(r->one, &res->traces[i], res->traces[i].path, &res->arena, NULL,
                            &ranks[i]);
    if (!rc) {
        number_kept(res, ranks);
        rc = gather(r, ranks, res->n_traces);
    }
    return az_input_report_error(r->one, rc, r->one->diag->errors, "comparing ranks");
}

/* Data in part files of an analysis whose tables are there, and the rows of tables that will not be
 * shown: so the parts of a large run do not stay until all tables are next to them. */
static void give_back(struct az_rank_run *r, size_t k)
{
    struct az_result *res = r->one->res;
    if (!az_rank_analyses[k]->keeps_parts && res->n_parts) {
        for (size_t i = k; i < res->n_parts; i += r->n_analyses)
            az_arena_release(&res->parts[i]);
        for (size_t i = 0; i < r->set.n; i++)
            r->parts[k][i] = NULL;
        az_mem_trim(); /* of the threads that have read them */
    }
    az_views_prune(&res->doc, az_input_views(r->one));
}

/* Before the first analysis that retains its parts: those of part files, which were only checked.
 */
static int read_again(struct az_rank_run *r)
{
    struct az_input_run *o = r->one;
    void **part = az_arena_array(&o->res->arena, r->n_analyses, sizeof *part);
    struct az_intern texts;
    int rc = AZ_OK;
    if (!part)
        return az_arena_error(&o->res->arena);
    az_intern_init(&texts, &o->res->arena, &o->res->mem);
    for (size_t i = 0; rc == 0 && i < r->set.n; i++) {
        const struct az_file *f = &o->job->files.v[r->file[i]];
        if (az_cancelled(o->job->cancel))
            rc = AZ_EINTR;
        if (rc || !f->part.n)
            continue;
        rc = az_part_again(o, f, o->res->parts, &texts, part);
        for (size_t k = 0; k < r->n_analyses; k++) {
            if (part[k])
                r->parts[k][i] = part[k];
            part[k] = NULL;
        }
    }
    az_intern_release(&texts);
    r->read_again = true;
    return rc;
}

static bool any_part(const struct az_rank_run *r, size_t k)
{
    bool any = false;
    for (size_t i = 0; i < r->set.n; i++)
        any |= r->parts[k][i] != NULL;
    return any;
}

int az_ranks_finish(struct az_rank_run *r, struct az_job *job)
{
    struct az_ranks *set =
        az_arena_alloc(job->arena, sizeof *set); /* rows are made when they are written */
    int failed = AZ_OK;

    if (!set)
        return az_arena_error(job->arena);
    *set = r->set;
    for (size_t k = 0; k < r->n_analyses && set->n; k++) {
        const struct az_rank_analysis *an = az_rank_analyses[k];
        const size_t before = r->one->diag->errors;
        if (!any_part(r, k))
            continue;
        int rc = an->keeps_parts && r->one->res->n_parts && !r->read_again ? read_again(r) : AZ_OK;
        if (rc)
            return az_input_report_error(r->one, rc, before, "reading parts again");
        rc = az_input_report_error(r->one, az_rank_analysis_finish(an, job, set, r->parts[k]),
                                   before, an->name);
        if (rc == AZ_ENOMEM || rc == AZ_ELIMIT || rc == AZ_EINTR)
            return rc;
        if (rc)
            failed = rc;
        give_back(r, k);
    }
    return failed;
}
