/* The outputs of one input, written side by side where it has threads. */
#include "base/pool.h"
#include "registry.h"
#include "run/internal.h"
#include "run/output_sources.h"
#include "tables/sheet_set.h"

static int write_target(const struct az_plan *plan, const struct az_target *out,
                        const struct az_document *doc, unsigned threads, struct az_arena *scratch,
                        struct az_diag *diag)
{
    int rc = az_outputs_guard(plan, out, doc, diag);

    if (rc)
        return rc;
    if (!out->table.n && out->report->write_on)
        return out->report->write_on(doc, out->path.p, threads, scratch, diag);
    if (!out->table.n)
        return out->report->write(doc, out->path.p, scratch, diag);
    rc = az_csv_write_table(doc, out->table, out->path.p, out->crlf, scratch, diag);
    if (rc != AZ_EEMPTY)
        return rc;
    az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(out->path), "not written: no table '%.*s'",
                AZ_SVF(out->table));
    return AZ_OK;
}

/* The outputs of one input, written side by side where it has threads; their messages stay in
 * order. */
struct written {
    struct az_diag diag;
    int rc;
    bool left; /* interrupted before it */
};
struct writing {
    const struct az_plan *plan;
    const struct az_plan_job *job;
    struct az_result *res;
    unsigned threads; /* of a writer; several outputs have one each */
    struct written *v;
};

/* Is the document large, and does none of several writers lock rows in a table that another reads?
 */
static bool worth_threads(const struct az_document *doc, size_t writers)
{
    size_t cells = 0;
    bool made = doc->events != NULL;
    for (size_t i = 0; i < doc->tables.n; i++) {
        cells += doc->tables.v[i]->rows * doc->tables.v[i]->columns.n;
        made |= doc->tables.v[i]->make != NULL;
    }
    return cells >= AZ_LEAST_EVENTS && (writers == 1 || !made);
}

/* The tables as they are, or the sheets of another program that are made from them. */
static int write_sheets(const struct writing *w, const struct az_target *out,
                        struct az_arena *scratch, struct az_diag *diag)
{
    const struct az_document *doc = &w->res->doc;
    const struct az_sheet_set *set =
        out->table.n ? NULL : az_sheet_set_find(az_sheet_sets, w->job->input->opts.sheets_as);
    struct az_document sheets;
    struct az_arena arena;

    if (!set)
        return write_target(w->plan, out, doc, w->threads, scratch, diag);
    az_arena_init(&arena, doc->mem);
    az_document_init(&sheets, &arena);
    int rc = az_sheet_set_apply(set, doc, w->job->input->opts.collective_metrics, &sheets);
    if (!rc)
        rc = write_target(w->plan, out, &sheets, 1, scratch, diag);
    az_document_release(&sheets);
    az_arena_release(&arena);
    return rc;
}

static void write_one(void *ctx, unsigned i)
{
    struct writing *w = ctx;
    struct written *x = &w->v[i];
    const struct az_target *out = &w->job->targets.v[i];
    struct az_arena scratch;

    az_diag_init(&x->diag);
    x->left = az_interrupted();
    if (x->left)
        return;
    az_arena_init(&scratch, &w->res->mem);
    x->rc = write_sheets(w, out, &scratch, &x->diag);
    if (x->rc && x->rc != AZ_EINTR && x->diag.errors == 0)
        az_diag_add(&x->diag, AZ_ERROR, AZ_AT_FILE(out->path), "cannot write: %s",
                    az_err_text(x->rc));
    az_arena_release(&scratch);
}

int az_outputs_write(const struct az_plan *plan, const struct az_plan_job *job,
                     struct az_result *res, unsigned threads, struct az_diag *diag)
{
    struct az_arena names;
    struct az_sv written = AZ_SV("");
    const size_t n = job->targets.n;
    struct writing w = { .plan = plan, .job = job, .res = res };
    int failed = AZ_OK;

    az_arena_init(&names, NULL);
    w.v = az_arena_array(&names, n, sizeof *w.v);
    if (!w.v)
        return AZ_ENOMEM;
    threads = worth_threads(&res->doc, n) ? threads : 1;
    w.threads = n == 1 ? threads : 1;
    failed = az_pool_split(threads, (unsigned)n, write_one, &w);
    for (size_t i = 0; i < n; i++) {
        const struct az_target *out = &job->targets.v[i];
        az_diag_append(diag, &w.v[i].diag);
        az_diag_release(&w.v[i].diag);
        if (w.v[i].rc) {
            failed = w.v[i].rc;
        } else if (!w.v[i].left) {
            az_source_mark(out->path, job->source);
            written = az_arena_printf(&names, "%.*s%s%.*s%s", AZ_SVF(written),
                                      written.n ? ", " : "", AZ_SVF(out->path),
                                      out->report->extension[0] || out->table.n ? "" : "/");
        }
    }
    if (written.n)
        az_diag_add(diag, AZ_HINT, AZ_NOWHERE, "wrote %.*s", AZ_SVF(written));
    az_arena_release(&names);
    return failed;
}
