/* What is run, one after the other: analyses, and tables that are specifications alone. */
#include "analyses/analysis.h"

#include "analyses/ranks/ranks.h"

static void of_analysis(struct az_entry *s)
{
    const struct az_analysis *a = *s->at;
    s->name = a->name;
    s->help = a->help;
    s->needs = a->needs;
    s->any = a->any;
    s->after = a->after;
    s->alone = a->alone;
    s->part = a->part;
    s->tables = a->tables;
    for (s->n_tables = 0; s->n_tables < AZ_LENGTH(a->tables) && a->tables[s->n_tables];)
        s->n_tables++;
}

static void of_spec(struct az_entry *s)
{
    s->name = s->spec->id;
    s->help = s->spec->help;
    s->needs = s->spec->needs;
    s->any = s->spec->any;
    s->tables = &s->spec->id;
    s->n_tables = 1;
    s->after = (*s->at)->after && s->spec == (*s->at)->specs;
    s->alone = (*s->at)->alone;
    s->part = (*s->at)->part;
}

bool az_entry_next(struct az_entry *s)
{
    if (s->started && s->spec && (++s->spec)->id) {
        of_spec(s);
        return true;
    }
    s->at += s->started;
    s->started = true;
    while (*s->at && (*s->at)->specs && !(*s->at)->specs->id)
        s->at++;
    if (!*s->at)
        return false;
    s->spec = (*s->at)->specs;
    if (s->spec)
        of_spec(s);
    else
        of_analysis(s);
    return true;
}

static int run(const struct az_entry *s, struct az_job *job)
{
    if (!s->spec)
        return (*s->at)->run(job);
    return !s->spec->is_requested || s->spec->is_requested(job->opts)
               ? az_spec_make(job, s->spec, NULL, NULL)
               : 0;
}

int az_entry_run(const struct az_entry *s, struct az_job *job)
{
    const int rc = run(s, job);
    return rc || !job->arena->failed ? rc : az_arena_error(job->arena);
}

int az_rank_analysis_reduce(const struct az_rank_analysis *an, struct az_job *job,
                            struct az_arena *keep, void **part)
{
    const int rc = an->reduce(job, keep, part);
    if (rc == 0 && job->arena->failed)
        return az_arena_error(job->arena);
    return rc || !keep->failed ? rc : az_arena_error(keep);
}

int az_rank_analysis_finish(const struct az_rank_analysis *an, struct az_job *job,
                            const struct az_ranks *ranks, void *const *parts)
{
    const int rc = an->finish(job, ranks, parts);
    return rc || !job->arena->failed ? rc : az_arena_error(job->arena);
}
