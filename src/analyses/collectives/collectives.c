/* collectives over the ranks of a run: what each waits for, how fast they are, who is late.
 * docs/formulas-collectives.md. */
#include "analyses/collectives/path.h"
#include "analyses/registry_list.h"

/* "7 of 8 ranks; missing: 3": ranks without results, because they have no file or no
 * work in it. */
static struct az_sv attendance(const struct az_coll_run *c)
{
    const struct az_ranks *rs = c->ranks;
    int64_t *absent = az_arena_array(c->arena, rs->n_missing + rs->n, sizeof *absent);
    size_t n = 0, k = 0;
    if (!absent)
        return AZ_SV("");
    for (size_t r = 0; r < rs->n; r++) {
        while (k < rs->n_missing && rs->missing[k] < rs->v[r].rank)
            absent[n++] = rs->missing[k++];
        if (!c->part[r])
            absent[n++] = rs->v[r].rank;
    }
    while (k < rs->n_missing)
        absent[n++] = rs->missing[k++];
    return az_arena_printf(c->arena, "%lld of %lld ranks; missing: %.*s",
                           (long long)rs->world_size - (long long)n, (long long)rs->world_size,
                           AZ_SVF(az_rank_list(c->arena, absent, n)));
}

/* Files that are missing, members that do not agree. */
static void findings(const struct az_coll_run *c)
{
    int64_t partial = 0, differ = 0;
    for (size_t i = 0; i < c->colls.n; i++) {
        const struct az_coll_coll *x = &c->colls.v[i];
        partial += (x->flags & AZ_COLL_PARTIAL) && !(x->flags & AZ_COLL_INCOMPLETE);
        differ += (x->flags & AZ_COLL_ARGS_DIFFER) != 0;
    }
    if (partial)
        az_finding(c->job, "partial_collectives", "warning", attendance(c), partial, -1,
                   AZ_SV("latencies are upper bounds, bandwidths lower bounds; a late missing rank "
                         "cannot be detected"));
    if (differ)
        az_finding(c->job, "collective_arguments_differ", "warning", AZ_SV("collectives"), differ,
                   -1,
                   AZ_SV("type or size differs between ranks of one collective (see status in "
                         "nccl_implicit_sync)"));
}

static void coverage(const struct az_coll_run *c)
{
    const struct az_coll_what *last = NULL;
    int64_t guessed = 0;
    bool by_name = false; /* of the last description: many events in a row have it */
    for (uint32_t g = 0; g < c->n; g++) {
        const struct az_coll_what *w = az_coll_what(c, g);
        if (w != last)
            by_name = az_sv_is(az_sv_str(w->source), "kernel name");
        last = w;
        guessed += by_name;
    }
    az_cover(c->job, "collective kernels", (double)c->n, "", AZ_SV("all ranks"));
    az_cover(c->job, "collectives matched across ranks", (double)c->colls.n, "", AZ_SV(""));
    az_cover(c->job, "unmatched collective kernels", (double)c->unmatched, "", AZ_SV(""));
    if (guessed)
        az_cover(c->job, "collective kernels known by name only", (double)guessed, "",
                 AZ_SV("no type, size or group: matched by order in one group, no bandwidth"));
}

static int tables(struct az_coll_run *c)
{
    int rc = az_coll_sync_tables(c);
    if (rc == 0)
        rc = az_coll_a2av_tables(c);
    if (rc == 0)
        rc = az_coll_straggler_tables(c);
    if (rc == 0)
        rc = az_coll_exposure_tables(c);
    if (rc == 0 && c->traces->n > 1)
        rc = az_coll_clock_table(c);
    if (rc == 0)
        rc = az_coll_path_tables(c);
    if (rc == 0)
        rc = az_coll_unmatched_table(c);
    return rc ? rc : az_coll_long_tables(c);
}

static int measure(struct az_coll_run *c)
{
    int rc = az_coll_gather(c);
    if (rc || c->n == 0)
        return rc;
    rc = az_coll_match(c);
    if (rc == 0)
        rc = az_coll_align_clocks(c);
    if (rc == 0)
        rc = az_colls_measure(c);
    return rc ? rc : tables(c);
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_coll_run *c = az_arena_alloc(job->arena, sizeof *c);
    const struct az_coll_part **part = az_arena_array(job->arena, ranks->n + 1, sizeof *part);
    if (!c || !part)
        return az_arena_error(job->arena);
    for (size_t r = 0; r < ranks->n; r++)
        part[r] = parts[r];
    *c = (struct az_coll_run){
        .job = job, .ranks = ranks, .arena = job->arena, .part = part, .compat = job->opts->compat
    };
    int rc = az_coll_split_devices(c);
    if (rc || c->ranks->world_size < 2) /* nobody to talk to */
        return rc;
    rc = az_document_own(job->doc, c, az_coll_release);
    if (rc == 0)
        rc = measure(c);
    if (rc == 0 && c->n) {
        for (size_t r = 0; r < c->ranks->n; r++)
            if (c->clock[r].applied &&
                (!c->of || r == 0 || c->of[r] != c->of[r - 1])) /* of devices: the first one's */
                az_rank_set_offset(job, ranks, c->of ? c->of[r] : r, -c->clock[r].offset);
        findings(c);
        coverage(c);
    }
    c->job = NULL;
    return rc;
}

const struct az_rank_analysis az_rank_analysis_collectives = {
    .name = "collectives",
    .help = "collectives across ranks: latency, bandwidth, waits, stragglers, all-to-all, clocks",
    .of_devices = true,
    .keeps_parts = true,
    .any = AZ_CAP_TIMELINE | AZ_CAP_CALLTREE | AZ_CAP_DISPATCHES | AZ_CAP_PROGRAMS,
    .reduce = az_coll_reduce,
    .shape = &az_coll_part_shape,
    .finish = finish,
};
