/* SQL over the inputs of a handle: events are read when the first statement comes, tables of
 * reports are those of the analysis. */
#include "query/query.h"
#include "library/columns.h"

#define MOST_ROWS  1000000 /* as the command's defaults */
#define MOST_MS    300000
#define MOST_BYTES ((int64_t)2 << 30)

struct az_library_query {
    struct analyzer *a;
    struct az_arena arena;
    struct az_diag diag;
    struct az_result *read; /* the events of each input */
    struct az_query_input *inputs;
    size_t n;
    struct az_query_source source;
    struct az_query *sql;
};

struct sink {
    struct analyzer_columns *columns;
    bool truncated;
};

void az_library_query_close(struct analyzer *a)
{
    struct az_library_query *q = a->query;

    if (!q)
        return;
    az_query_close(q->sql);
    for (size_t i = 0; i < q->n; i++)
        az_result_release(&q->read[i]);
    az_diag_release(&q->diag);
    az_arena_release(&q->arena);
    az_mem_free(NULL, q, sizeof *q);
    a->query = NULL;
}

static const struct az_document *document(void *ctx, size_t input, int *rc)
{
    const struct library_input *in = &((struct az_library_query *)ctx)->a->inputs[input];

    *rc = in->error;
    return in->res.reportable ? &in->res.doc : NULL;
}

/* The handle's title of an input, with a number where one before has it, too. */
static struct az_sv unique_title(struct az_library_query *q, struct az_sv title)
{
    struct az_sv out = title;

    for (size_t k = 2, i = 0; i < q->n; i++)
        if (az_sv_eq(q->inputs[i].title, out)) {
            out = az_arena_printf(&q->arena, "%.*s~%zu", AZ_SVF(title), k++);
            i = (size_t)-1; /* against all again */
        }
    return out;
}

/* An input that cannot be read has no events; its tables can still be queried. */
static int read_events(struct az_library_query *q, const struct az_plan_job *job)
{
    struct az_result *res = &q->read[q->n];
    const struct az_trace **views;
    int rc;

    az_result_init(res, q->a->conf.memory_limit);
    rc = job->saved ? AZ_OK : az_read_one(job, az_library_threads(q->a), res, &q->diag);
    views = az_arena_array(&q->arena, res->n_traces + 1, sizeof *views);
    for (size_t i = 0; views && i < res->n_traces; i++)
        views[i] = &res->traces[i];
    q->inputs[q->n] = (struct az_query_input){ .title = unique_title(q, job->input->title),
                                               .format = az_sv_str(q->a->inputs[q->n].format),
                                               .traces = views,
                                               .n_traces = views ? res->n_traces : 0,
                                               .opts = &job->input->opts,
                                               .arena = &res->arena,
                                               .mem = &res->mem };
    q->n++;
    return q->arena.failed || rc == AZ_ENOMEM ? AZ_ENOMEM : rc == AZ_EINTR ? AZ_EINTR : AZ_OK;
}

static int open_query(struct analyzer *a)
{
    const size_t n = a->n_inputs;
    struct az_library_query *q = az_mem_alloc(NULL, sizeof *q);
    int rc;

    if (!q)
        return AZ_ENOMEM;
    *q = (struct az_library_query){ .a = a };
    a->query = q;
    az_arena_init(&q->arena, NULL);
    az_diag_init(&q->diag);
    q->read = az_arena_array(&q->arena, n + 1, sizeof *q->read);
    q->inputs = az_arena_array(&q->arena, n + 1, sizeof *q->inputs);
    rc = q->arena.failed ? AZ_ENOMEM : AZ_OK;
    for (size_t i = 0; !rc && i < n; i++)
        rc = read_events(q, &a->plan.jobs.v[i]);
    q->source = (struct az_query_source){ q->inputs, q->n, document, q };
    const struct az_query_limits limits = {
        .rows = MOST_ROWS, .ms = MOST_MS, .bytes = MOST_BYTES, .cancel = a->conf.cancel
    };
    return rc ? rc : az_query_open(&q->sql, &q->source, &limits, &q->diag);
}

/* ---- results ---- */

static int begin(void *ctx, const struct az_query_column *columns, size_t n)
{
    struct sink *s = ctx;
    int rc = az_columns_new(&s->columns, n);

    for (size_t i = 0; !rc && i < n; i++)
        rc = az_columns_name(s->columns, i, columns[i].name, "", AZ_EMPTY);
    return rc;
}

static int add_row(void *ctx, const struct az_cell *cells, size_t n)
{
    struct sink *s = ctx;
    (void)n;
    return az_columns_row(s->columns, cells);
}

static int end_rows(void *ctx, bool cut)
{
    struct sink *s = ctx;
    s->truncated = cut;
    return az_columns_finish(s->columns);
}

int analyzer_query(struct analyzer *a, const char *sql, struct analyzer_columns **out)
{
    struct sink s = { .columns = NULL };
    const struct az_query_sink sink = { begin, add_row, end_rows, &s };
    int rc = AZ_OK, noted;

    if (out)
        *out = NULL;
    if (!a || !a->done || !sql || !out)
        return ANALYZER_EUSAGE;
    if (!a->query)
        rc = open_query(a);
    if (!rc)
        rc = az_query_run(a->query->sql, az_sv_str(sql), &sink, NULL, &a->query->diag);
    if (!rc && !s.columns)
        rc = az_diag_fail(&a->query->diag, AZ_EUSAGE, AZ_NOWHERE, "no statement '%s'", sql);
    if (!rc && s.truncated)
        az_diag_add(&a->query->diag, AZ_WARNING, AZ_NOWHERE, "result truncated after %d rows",
                    MOST_ROWS);
    noted = a->query ? az_library_messages(a, &a->query->diag, -1) : AZ_OK;
    rc = rc ? rc : noted;
    if (a->query) {
        az_diag_release(&a->query->diag);
        az_diag_init(&a->query->diag);
    }
    if (a->query && !a->query->sql)
        az_library_query_close(a);
    if (rc) {
        analyzer_columns_close(s.columns);
        return rc;
    }
    *out = s.columns;
    return ANALYZER_OK;
}
