/* Analyses of one input: which of them run, in what order, and on how many threads.
 *
 * On one thread they run in the order of their list. A large input has them side by side, in waves:
 * each then has an arena, a document, a diag and tables of findings and coverage of its own (facts
 * are shared, facts/job.h), which are joined in the order of the list, so that what comes out is
 * the same. One that must be alone runs there, in its turn. The digest of the file and the verdict
 * of the trace are made concurrently.
 */
#include "read/internal.h"

#include "analyses/verdict/report.h"
#include "base/pool.h"
#include "facts/lazy_cache.h"
#include "registry.h"
#include "tables/sheet_set.h"
#include "tables/views.h"

/* "kernel sums, ranges": the capabilities of a mask, for readers. */
static struct az_sv caps_text(struct az_arena *a, unsigned caps, const char *between)
{
    struct az_sv text = { "", 0 };
    for (unsigned bit = 1; bit && bit <= caps; bit <<= 1)
        if (caps & bit)
            text = az_arena_printf(a, "%.*s%s%s", AZ_SVF(text), text.n ? between : "",
                                   az_cap_text(bit));
    return text;
}

/* Facts that an analysis lacks; 0: it can run. */
static unsigned lacking(const struct az_entry *s, unsigned caps)
{
    const unsigned missing = s->needs & ~caps;
    return missing ? missing : s->any & caps ? 0 : s->any;
}

/* Has one before it lacked the same? */
static bool lacked_before(const struct az_entry *s, unsigned caps)
{
    struct az_entry k = az_entries_of(az_analyses);
    while (az_entry_next(&k) && k.name != s->name)
        if (lacking(&k, caps) == lacking(s, caps))
            return true;
    return false;
}

/* One row for each set of facts that some analyses lack, in the order of the first of them. What
 * only one kind of format can have is not missing in others, nor what is read, or recorded, on
 * request only. */
static void cover_skipped(struct az_job *job, unsigned caps)
{
    struct az_arena *a = job->arena;
    const unsigned silent =
        AZ_CAP_OWN | AZ_CAP_SAMPLES | (job->opts->kernel_geometry ? 0u : AZ_CAP_GEOMETRY);
    struct az_entry s = az_entries_of(az_analyses);
    while (az_entry_next(&s)) {
        const unsigned missing = lacking(&s, caps);
        int64_t count = 0;
        struct az_sv names = AZ_SV("");
        if (!missing || (missing & silent) || lacked_before(&s, caps))
            continue;
        struct az_entry k = s;
        do {
            if (lacking(&k, caps) != missing)
                continue;
            names = az_arena_printf(a, "%.*s%s%s", AZ_SVF(names), count ? ", " : "", k.name);
            count++;
        } while (az_entry_next(&k));
        struct az_sv item =
            az_arena_printf(a, "analyses skipped: no %.*s", AZ_SVF(caps_text(a, missing, ", ")));
        if (item.p)
            az_cover(job, item.p, (double)count, "count", names);
    }
}

struct az_view_choice az_input_views(const struct az_input_run *o)
{
    return (struct az_view_choice){ .compat = o->job->input->opts.compat,
                                    .native = o->job->format->tool,
                                    .class_map = o->job->input->opts.classes.n > 0,
                                    .classic = o->res->doc.classic,
                                    .families = o->job->families || o->job->input->opts.node_replay,
                                    .sheets = az_sheet_set_find(az_sheet_sets,
                                                                o->job->input->opts.sheets_as),
                                    .causes = true };
}

/* Is any of its tables shown, or are they not known by name? */
static bool wanted(const struct az_input_run *o, const struct az_entry *s)
{
    bool any = s->n_tables == 0;
    for (size_t i = 0; i < s->n_tables; i++)
        any |= az_views_wanted(&o->res->doc, s->tables[i], az_input_views(o));
    return any;
}

/* Adds the names of tables that were not made to a list. {NULL,0}: out of memory. */
static struct az_sv name_unmade(struct az_job *job, const struct az_entry *s, struct az_sv list)
{
    for (size_t i = 0; list.p && i < s->n_tables; i++)
        list =
            az_arena_printf(job->arena, "%.*s%s%s", AZ_SVF(list), list.n ? ", " : "", s->tables[i]);
    return list;
}

/* Removes the tables that are not shown, and reports which, with those that were not made. */
static int select_views(struct az_input_run *o, struct az_job *job, struct az_sv unmade)
{
    struct az_sv withheld;
    const int rc = az_views_select(&o->res->doc, az_input_views(o), &withheld);
    if (rc == 0 && withheld.n && unmade.n)
        withheld = az_arena_printf(job->arena, "%.*s, %.*s", AZ_SVF(withheld), AZ_SVF(unmade));
    else if (rc == 0 && unmade.n)
        withheld = unmade;
    if (rc == 0 && !withheld.p)
        return az_arena_error(job->arena);
    if (rc == 0 && withheld.n)
        az_cover(job, "tables on request (compat)", 0.0 / 0.0, "", withheld);
    return rc ? rc : az_views_alias(&o->res->doc, o->job->input->opts.compat);
}

static int run_entry(struct az_input_run *o, const struct az_entry *s, struct az_job *job)
{
    const size_t before = o->diag->errors;
    if (az_cancelled(o->job->cancel))
        return AZ_EINTR;
    return az_input_report_error(o, az_entry_run(s, job), before, s->name);
}

static bool is_fatal(int rc) { return rc == AZ_ENOMEM || rc == AZ_ELIMIT || rc == AZ_EINTR; }

/* ---- members: parts of the job ---- */

#define MANY_EVENTS 4096 /* from which the memory of the verdict matters */

enum task { ANALYSIS, VERDICT, DIGEST };
enum { VERDICT_PART = 15, DIGEST_PART = 12 }; /* as az_analysis.part */

struct member {
    enum task task;
    struct az_entry entry;
    size_t file; /* of a digest */
    unsigned part;
    bool unwanted, open; /* open: job and what is in it are to be joined or closed */
    int rc;
    struct az_job job;
    struct az_document doc;
    struct az_diag diag;
};

struct waves {
    struct az_input_run *o;
    struct az_job *whole;
    struct member *v, *verdict; /* verdict: joined last, its place among the analyses is there */
    uint32_t *order;            /* of v: in which they begin */
    size_t n;
    struct az_sv *unmade;
    int *failed;
};

static int open_member(struct waves *w, struct member *m)
{
    struct az_result *res = w->o->res;
    struct az_arena *arena = &res->sides[res->n_sides++];
    az_arena_init(arena, &res->mem);
    const int rc = az_document_part(&res->doc, arena, &m->doc);
    if (rc)
        return rc;
    az_diag_init(&m->diag);
    m->open = true;
    m->job = az_job_part(w->whole);
    m->job.arena = arena;
    m->job.diag = &m->diag;
    m->job.doc = &m->doc;
    m->job.coverage = az_coverage_table(arena);
    m->job.findings = az_findings_table(arena);
    return m->job.coverage && m->job.findings ? 0 : az_arena_error(arena);
}

static void close_member(struct member *m)
{
    if (!m->open)
        return;
    az_document_release(&m->doc);
    az_table_free(m->job.coverage);
    az_table_free(m->job.findings);
    az_diag_release(&m->diag);
    m->open = false;
}

/* On a thread. */
static void run_member(void *ctx, unsigned i)
{
    struct waves *w = ctx;
    struct member *m = &w->v[w->order[i]];
    if (az_cancelled(w->o->job->cancel))
        m->rc = AZ_EINTR;
    else if (m->task == DIGEST)
        m->rc = az_digest_finish(w->o->res->digests[m->file], w->o->job->files.v[m->file].path.p,
                                 NULL); /* where that fails, the facts try it again */
    else
        m->rc = m->task == VERDICT ? az_verdict_prepare(&m->job) : az_entry_run(&m->entry, &m->job);
    if (m->task != DIGEST && m->rc == 0 && m->job.arena->failed)
        m->rc = az_arena_error(m->job.arena);
}

/* What a member made becomes the whole's. The error of the member, or of joining. */
static int join_member(struct waves *w, struct member *m)
{
    struct az_input_run *o = w->o;
    const size_t before = o->diag->errors;
    int rc = m->rc;
    az_diag_append_new(o->diag, &m->diag);
    if (!is_fatal(rc)) { /* what it made before it failed stays */
        const int joined = az_document_join(w->whole->doc, &m->doc);
        if (joined == 0) {
            az_table_append(w->whole->coverage, m->job.coverage);
            az_table_append(w->whole->findings, m->job.findings);
        }
        rc = rc ? rc : joined;
    }
    rc = az_input_report_error(o, rc, before, m->entry.name);
    close_member(m);
    return rc;
}

/* Makes room for `most` members, which read what the whole job has. */
static int open_parts(struct waves *w, size_t most)
{
    struct az_result *res = w->o->res;
    w->v = az_arena_array(&res->arena, most, sizeof *w->v);
    w->order = az_arena_array(&res->arena, most, sizeof *w->order);
    res->sides = az_arena_array(&res->arena, most, sizeof *res->sides);
    (void)az_job_names(w->whole); /* every part numbers names in the same way */
    if (!w->v || !w->order || !res->sides || !w->whole->shared)
        return az_arena_error(&res->arena);
    return az_job_share(w->whole);
}

/* The part of the verdict is joined after all analyses. rc: their error. */
static int join_verdict(struct waves *w, struct member *verdict, int rc)
{
    verdict->entry.name = "verdict";
    if (rc == 0 && verdict->rc == 0)
        return join_member(w, verdict); /* else it is made again, and fails there */
    close_member(verdict);
    return rc;
}

/* ---- one after the other ---- */

static int each_entry(struct waves *w)
{
    struct az_input_run *o = w->o;
    struct az_entry s = az_entries_of(az_analyses);
    while (az_entry_next(&s)) {
        if (lacking(&s, o->caps))
            continue;
        if (!wanted(o, &s)) {
            *w->unmade = name_unmade(w->whole, &s, *w->unmade);
            continue;
        }
        const int rc = run_entry(o, &s, w->whole);
        if (is_fatal(rc))
            return rc;
        *w->failed = rc ? rc : *w->failed;
        az_views_prune(&o->res->doc, az_input_views(o));
    }
    return AZ_OK;
}

/* Its search for findings has memory for each operation and shape, which that of the tables is not
 * added to. What facts report that it uses first is joined last, as it is where analyses run side
 * by side. */
static int verdict_first(struct waves *w)
{
    struct az_job *job = w->whole;
    const struct az_job whole = *job;
    struct member m = { .task = VERDICT };
    w->o->res->sides = az_arena_array(&w->o->res->arena, 1, sizeof *w->o->res->sides);
    int rc = w->o->res->sides ? open_member(w, &m) : az_arena_error(&w->o->res->arena);
    if (rc) {
        close_member(&m);
        return rc;
    }
    job->diag = &m.diag;
    job->coverage = m.job.coverage;
    job->findings = m.job.findings;
    m.rc = az_verdict_prepare(job);
    job->diag = whole.diag;
    job->coverage = whole.coverage;
    job->findings = whole.findings;
    az_mem_trim();
    return join_verdict(w, &m, each_entry(w));
}

/* ---- side by side ---- */

/* One that must be alone, on the whole. Messages of another are not repeated. */
static int run_alone(struct waves *w, struct member *m)
{
    struct az_input_run *o = w->o;
    struct az_diag *whole = w->whole->diag;
    const size_t before = o->diag->errors;
    if (az_cancelled(o->job->cancel))
        return AZ_EINTR;
    az_diag_init(&m->diag);
    w->whole->diag = &m->diag;
    const int rc = az_entry_run(&m->entry, w->whole);
    w->whole->diag = whole;
    az_diag_append_new(o->diag, &m->diag);
    az_diag_release(&m->diag);
    return az_input_report_error(o, rc, before, m->entry.name);
}

static int join_wave(struct waves *w)
{
    int rc = AZ_OK;
    for (size_t i = 0; i < w->n; i++) {
        struct member *m = &w->v[i];
        if (m->task != ANALYSIS)
            continue;
        if (is_fatal(rc)) {
            close_member(m);
        } else if (m->unwanted || !wanted(w->o, &m->entry)) {
            *w->unmade = name_unmade(w->whole, &m->entry, *w->unmade);
            close_member(m);
        } else { /* those before it are joined */
            rc = m->entry.alone ? run_alone(w, m) : join_member(w, m);
            *w->failed = rc ? rc : *w->failed;
            az_views_prune(&w->o->res->doc, az_input_views(w->o));
        }
    }
    return is_fatal(rc) ? rc : AZ_OK;
}

/* The dearest first, else in the order of the list. */
static void put_in_order(struct waves *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t at = i;
        for (; at > 0 && w->v[w->order[at - 1]].part < w->v[i].part; at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = i;
    }
}

static int run_wave(struct waves *w)
{
    int rc = AZ_OK;
    size_t n = 0;
    put_in_order(w);
    for (size_t i = 0; i < w->n; i++) { /* those that are run */
        struct member *m = &w->v[w->order[i]];
        m->unwanted = m->task == ANALYSIS && !wanted(w->o, &m->entry);
        if (m->unwanted || m->entry.alone)
            continue;
        if (rc == 0 && m->task != DIGEST)
            rc = open_member(w, m);
        w->order[n++] = w->order[i];
    }
    if (rc == 0)
        rc = az_pool_split(w->o->threads, (unsigned)n, run_member, w);
    for (size_t i = 0; rc && i < w->n; i++)
        close_member(&w->v[i]);
    return rc ? rc : join_wave(w);
}

static void add_member(struct waves *w, struct member m) { w->v[w->n++] = m; }

/* What is made next to the analyses. */
static void add_others(struct waves *w)
{
    const struct az_result *res = w->o->res;
    add_member(w, (struct member){ .task = VERDICT, .part = VERDICT_PART });
    for (size_t i = 0; i < res->n_digests && i < w->o->job->files.n; i++) {
        if (az_input_can_digest(w->o->job->files.v[i].path))
            add_member(w, (struct member){ .task = DIGEST, .file = i, .part = DIGEST_PART });
    }
}

/* The next analyses that may run at the same time. False: there are none. */
static bool gather(struct waves *w, struct az_entry *s, bool *more)
{
    const size_t others = w->n;
    for (; *more; *more = az_entry_next(s)) {
        if (lacking(s, w->o->caps))
            continue;
        if (w->n > others && s->after)
            break;
        add_member(w, (struct member){ .task = ANALYSIS, .entry = *s, .part = s->part });
    }
    return w->n > others;
}

static int each_wave(struct waves *w)
{
    struct az_entry s = az_entries_of(az_analyses);
    bool more = az_entry_next(&s), first = true;
    struct member verdict = { .task = ANALYSIS };
    int rc = AZ_OK;
    for (w->n = 0; rc == 0; w->n = 0) {
        if (first)
            add_others(w);
        const bool any = gather(w, &s, &more);
        if (!any && !first)
            break;
        rc = run_wave(w);
        if (first)
            verdict = w->v[0];
        first = false;
    }
    return verdict.open ? join_verdict(w, &verdict, rc) : rc;
}

static size_t count_entries(void)
{
    struct az_entry s = az_entries_of(az_analyses);
    size_t n = 0;
    while (az_entry_next(&s))
        n++;
    return n;
}

static int in_waves(struct waves *w)
{
    int rc = open_parts(w, count_entries() + w->o->job->files.n + 1);
    if (rc)
        return rc;
    rc = each_wave(w);
    az_job_unshare(w->whole);
    return rc;
}

/* Does no analysis change what another reads? */
static bool are_apart(const struct az_job *job)
{
    return job->opts->extension_file.n == 0 && !job->opts->include_overlap_info;
}

/* Are there threads for analyses side by side, and is it worth it? */
static bool side_by_side(const struct az_input_run *o, const struct az_job *job)
{
    bool large = false;
    for (size_t i = 0; i < job->n_traces; i++)
        large |= az_input_is_large(o, job->traces[i]);
    return large && are_apart(job);
}

/* Is there a trace of many operations? */
static bool has_many_operations(const struct az_job *job)
{
    const struct az_trace *t = job->n_traces == 1 ? job->traces[0] : NULL;
    return t && t->caps & AZ_CAP_HOST_OPS && az_input_events(t) >= MANY_EVENTS;
}

static int analyze(struct waves *w)
{
    if (side_by_side(w->o, w->whole))
        return in_waves(w);
    return has_many_operations(w->whole) && are_apart(w->whole) ? verdict_first(w) : each_entry(w);
}

int az_input_analyse(struct az_input_run *o, struct az_job *job)
{
    struct az_sv unmade = AZ_SV("");
    int failed = AZ_OK, rc = AZ_OK;
    struct waves w = { .o = o, .whole = job, .unmade = &unmade, .failed = &failed };
    if (job->n_traces)
        rc = analyze(&w);
    if (rc)
        return rc;
    if (job->n_traces)
        cover_skipped(job, o->caps);
    job->threads = o->threads;
    rc = az_ranks_finish(o->ranks, job);
    if (rc == 0)
        rc = select_views(o, job, unmade);
    return rc ? rc : failed;
}
