/* The library: a configuration, or paths, through a run to the tables of analyzer.h. Nothing
 * is printed and nothing written; what the program does after the inputs of a run (outputs,
 * comparison, gates) is not part of it. */
#include "analyzer.h"

#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "document/rows.h"
#include "library/handle.h"

_Static_assert(ANALYZER_ENOMEM == (int)AZ_ENOMEM && ANALYZER_ELIMIT == (int)AZ_ELIMIT &&
                   ANALYZER_EIO == (int)AZ_EIO && ANALYZER_EFORMAT == (int)AZ_EFORMAT &&
                   ANALYZER_EUSAGE == (int)AZ_EUSAGE && ANALYZER_ECONFIG == (int)AZ_ECONFIG &&
                   ANALYZER_EEMPTY == (int)AZ_EEMPTY && ANALYZER_ECANCELLED == (int)AZ_EINTR &&
                   ANALYZER_ECHILD == (int)AZ_ECHILD && ANALYZER_ERANGE == (int)AZ_ERANGE &&
                   ANALYZER_EINTERNAL == (int)AZ_EINTERNAL,
               "errors are handed through");
_Static_assert(ANALYZER_NOTE == (int)AZ_NOTE && ANALYZER_WARNING == (int)AZ_WARNING &&
                   ANALYZER_ERROR == (int)AZ_ERROR && ANALYZER_HINT == (int)AZ_HINT,
               "severities are handed through");
_Static_assert(ANALYZER_EMPTY == (int)AZ_EMPTY && ANALYZER_TEXT == (int)AZ_TEXT &&
                   ANALYZER_INT == (int)AZ_INT && ANALYZER_REAL == (int)AZ_REAL &&
                   ANALYZER_BOOL == (int)AZ_BOOL,
               "types of cells are handed through");

#define TEXT_NAME "configuration" /* of one from memory, in messages */

struct analyzer_rows {
    const struct az_table *t;
    struct az_rows rows;
    struct az_arena texts;
    struct analyzer_cell *cells;
    size_t next;
};

const char *analyzer_version(void) { return AZ_VERSION; }

const char *analyzer_error_text(int error)
{
    return error == ANALYZER_ECANCELLED ? "cancelled" : az_err_text(error);
}

/* ---- what goes in ---- */

int analyzer_open(struct analyzer **out)
{
    struct analyzer *a;

    if (!out)
        return ANALYZER_EUSAGE;
    *out = NULL;
    a = az_mem_alloc(NULL, sizeof *a);
    if (!a)
        return ANALYZER_ENOMEM;
    *a = (struct analyzer){ 0 };
    if (az_config_init(&a->conf)) {
        az_mem_free(NULL, a, sizeof *a);
        return ANALYZER_ENOMEM;
    }
    az_arena_init(&a->arena, NULL);
    az_vec_init(&a->over, NULL);
    az_vec_init(&a->paths, NULL);
    az_vec_init(&a->messages, NULL);
    az_plan_init(&a->plan);
    az_diag_init(&a->diag);
    *out = a;
    return ANALYZER_OK;
}

void analyzer_close(struct analyzer *a)
{
    if (!a)
        return;
    az_library_query_close(a);
    for (size_t i = 0; i < a->n_inputs; i++)
        az_result_release(&a->inputs[i].res);
    az_plan_release(&a->plan);
    az_config_release(&a->conf);
    az_diag_release(&a->diag);
    az_vec_release(&a->messages);
    az_vec_release(&a->paths);
    az_vec_release(&a->over);
    az_arena_release(&a->arena);
    az_mem_free(NULL, a, sizeof *a);
}

/* Configuration or paths may still be given, and are not of the other kind. */
static bool takes_config(const struct analyzer *a)
{
    return a && !a->done && !a->file && !a->config.p && a->paths.n == 0;
}

int analyzer_config_file(struct analyzer *a, const char *path)
{
    if (!takes_config(a) || !path || !*path)
        return ANALYZER_EUSAGE;
    a->file = az_arena_str(&a->arena, az_sv_str(path));
    return a->file ? ANALYZER_OK : ANALYZER_ENOMEM;
}

int analyzer_config_text(struct analyzer *a, const char *text, size_t size)
{
    if (!takes_config(a) || !text)
        return ANALYZER_EUSAGE;
    a->config = az_arena_dup(&a->arena, az_sv_make(text, size));
    return a->config.p ? ANALYZER_OK : ANALYZER_ENOMEM;
}

int analyzer_add_path(struct analyzer *a, const char *path)
{
    const char *copy;

    if (!a || a->done || a->file || a->config.p || !path)
        return ANALYZER_EUSAGE;
    copy = az_arena_str(&a->arena, az_sv_str(path));
    return copy ? az_vec_push(&a->paths, copy) : ANALYZER_ENOMEM;
}

static int set_value(struct analyzer *a, bool option, const char *key, const char *value)
{
    struct az_override o = { .kind = AZ_SET_PATH };

    if (!a || a->done || !key || !*key || !value)
        return ANALYZER_EUSAGE;
    if (option)
        o.kind = AZ_SET_OPTION;
    o.key = az_arena_dup(&a->arena, az_sv_str(key));
    o.value = az_arena_dup(&a->arena, az_sv_str(value));
    return o.key.p && o.value.p ? az_vec_push(&a->over, o) : ANALYZER_ENOMEM;
}

int analyzer_set_option(struct analyzer *a, const char *key, const char *value)
{
    return set_value(a, true, key, value);
}

int analyzer_set_value(struct analyzer *a, const char *path, const char *value)
{
    return set_value(a, false, path, value);
}

void analyzer_on_cancel(struct analyzer *a, int (*is_requested)(void *context), void *context)
{
    if (!a || a->done)
        return;
    a->is_requested = is_requested;
    a->context = context;
}

/* ---- the work ---- */

static bool is_cancelled(void *ctx)
{
    const struct analyzer *a = ctx;
    return a->is_requested(a->context) != 0;
}

/* What is done after the inputs of a run, and what is written next to them. */
static void leave_out_steps(struct az_config *c)
{
    c->no_reports = true;
    c->compare.wanted = c->side_by_side = c->gates.given = false;
    c->history.path = AZ_SV("");
    az_vec_reset(&c->outputs.formats);
    for (size_t i = 0; i < c->inputs.n; i++) {
        c->inputs.v[i].opts.node_replay = false;
        c->inputs.v[i].opts.strict |= c->strict;
    }
}

static bool is_saved(const char *path) { return az_saved_kind(path) != AZ_SAVED_NONE; }

/* As the command line has them: ranks of one run are one input if they are all there is, the files
 * of one report, too; saved results are inputs of their own. */
static int plan_paths(struct analyzer *a)
{
    struct az_config *c = &a->conf;
    bool saved = false;
    int rc = AZ_OK;

    for (size_t i = 0; i < a->paths.n; i++)
        saved |= is_saved(a->paths.v[i]);
    c->takes_results = saved;
    if (!saved && a->paths.n > 1)
        return az_plan_paths(c, a->paths.v, a->paths.n, &a->diag);
    for (size_t i = 0; !rc && i < a->paths.n; i++)
        rc = is_saved(a->paths.v[i]) ? az_plan_saved(c, a->paths.v[i])
             : a->paths.n == 1       ? az_plan_runs(c, a->paths.v[i], &a->diag)
                                     : az_plan_paths(c, &a->paths.v[i], 1, &a->diag);
    return rc;
}

static int prepare(struct analyzer *a)
{
    struct az_config_names names;
    struct az_config *c = &a->conf;
    int rc = az_plan_names(&a->plan.arena, &names);

    if (!rc && a->file)
        rc = az_config_load(c, a->file, &a->over, &names, &a->diag);
    else if (!rc && a->config.p)
        rc = az_config_load_memory(c, a->config, TEXT_NAME, &a->over, &names, &a->diag);
    else if (!rc)
        rc = az_config_quick(c, &a->over, &names, &a->diag);
    if (a->is_requested)
        c->cancel = (struct az_cancel){ .is_requested = is_cancelled, .ctx = a };
    if (!rc && !a->file && !a->config.p && a->paths.n == 0)
        rc = az_diag_fail(&a->diag, AZ_EUSAGE, AZ_NOWHERE,
                          "no inputs; pass a configuration or paths");
    if (!rc && a->paths.n)
        rc = plan_paths(a);
    if (!rc)
        rc = az_plan_search(c, &a->diag);
    if (!rc)
        leave_out_steps(c);
    return rc ? rc : az_plan_make(&a->plan, c, &a->diag);
}

unsigned az_library_threads(const struct analyzer *a)
{
    const long n = a->conf.jobs ? (long)a->conf.jobs : sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

int az_library_messages(struct analyzer *a, const struct az_diag *d, int64_t input)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < d->list.n; i++) {
        const char *text = az_arena_str(&a->arena, d->list.v[i].text);
        rc = text ? az_vec_push(&a->messages,
                                ((struct library_message){ text, d->list.v[i].severity, input }))
                  : AZ_ENOMEM;
    }
    if (!rc && d->dropped) {
        const struct az_sv more =
            az_arena_printf(&a->arena, "%zu more messages omitted", d->dropped);
        rc = more.p ? az_vec_push(&a->messages,
                                  ((struct library_message){ more.p, AZ_WARNING, input }))
                    : AZ_ENOMEM;
    }
    return rc;
}

/* A text as reports have it: what is no UTF-8, and control bytes, are replaced. */
const char *az_library_text(struct az_arena *a, struct az_sv s)
{
    return az_arena_str(a, az_utf8_printable(a, s, "\t\n"));
}

static int add_table(struct analyzer *a, struct analyzer_table *to, const struct az_table *t)
{
    *to = (struct analyzer_table){ .t = t,
                                   .id = az_library_text(&a->arena, t->id),
                                   .title = az_library_text(&a->arena, t->title) };
    to->names = az_arena_array(&a->arena, t->columns.n, sizeof *to->names);
    for (size_t i = 0; to->names && i < t->columns.n; i++)
        to->names[i] = az_library_text(&a->arena, t->columns.v[i].name);
    return a->arena.failed ? AZ_ENOMEM : AZ_OK;
}

int az_library_tables(struct analyzer *a, struct library_input *in)
{
    const struct az_table_list *tables = &in->res.doc.tables;
    int rc = AZ_OK;

    in->tables = az_arena_array(&a->arena, tables->n, sizeof *in->tables);
    if (!in->tables)
        return AZ_ENOMEM;
    for (size_t i = 0; !rc && i < tables->n; i++) {
        if (tables->v[i]->flags & AZ_TABLE_TEXT_ONLY)
            continue;
        rc = add_table(a, &in->tables[in->n_tables], tables->v[i]);
        in->n_tables += rc == AZ_OK;
    }
    return rc;
}

/* One input, its error in it; only what ends the whole is returned. */
static int run_input(struct analyzer *a, const struct az_plan_job *job)
{
    const struct az_run_opts opts = { .memory_limit = a->conf.memory_limit };
    struct library_input *in = &a->inputs[a->n_inputs];
    struct az_diag diag;
    int rc;

    az_diag_init(&diag);
    az_result_init(&in->res, a->conf.memory_limit);
    a->n_inputs++;
    in->title = az_library_text(&a->arena, job->input->title);
    in->format = job->format ? job->format->name : job->saved ? AZ_FORMAT_RESULT : "";
    atomic_store(&a->now, 0);
    if (job->saved)
        in->error = az_read_one(job, az_library_threads(a), &in->res, &diag);
    else
        in->error = az_analyze_input(job, &opts, az_library_threads(a), &in->res, &diag, &a->now);
    atomic_fetch_add(&a->before, atomic_exchange(&a->now, 0));
    rc = in->title ? az_library_messages(a, &job->diag, (int64_t)a->n_inputs - 1) : AZ_ENOMEM;
    if (!rc)
        rc = az_library_messages(a, &diag, (int64_t)a->n_inputs - 1);
    if (!in->error && a->conf.strict && job->diag.warnings + diag.warnings > 0)
        in->error = AZ_EFORMAT;
    if (!rc && in->res.reportable)
        rc = az_library_tables(a, in);
    az_diag_release(&diag);
    return rc ? rc : in->error == AZ_EINTR ? AZ_EINTR : AZ_OK;
}

int analyzer_analyse(struct analyzer *a)
{
    int rc, failed = AZ_OK;

    if (!a || a->done)
        return ANALYZER_EUSAGE;
    a->done = true;
    rc = prepare(a);
    if (rc && rc != AZ_EINTR && a->diag.errors == 0)
        az_diag_add(&a->diag, AZ_ERROR, AZ_NOWHERE, "%s", az_err_text(rc));
    failed = az_library_messages(a, &a->diag, -1);
    rc = rc ? rc : failed;
    if (rc)
        return rc;
    a->inputs = az_arena_array(&a->arena, a->plan.jobs.n, sizeof *a->inputs);
    if (!a->inputs)
        return ANALYZER_ENOMEM;
    for (size_t i = 0; i < a->plan.jobs.n; i++)
        atomic_fetch_add(&a->all, a->plan.jobs.v[i].bytes);
    for (size_t i = 0; !rc && i < a->plan.jobs.n; i++) {
        if (az_cancelled(&a->conf.cancel))
            return ANALYZER_ECANCELLED;
        rc = run_input(a, &a->plan.jobs.v[i]);
        failed = failed ? failed : a->inputs[i].error;
    }
    return rc ? rc : failed;
}

void analyzer_progress(const struct analyzer *a, uint64_t *done, uint64_t *all)
{
    if (done)
        *done = a ? atomic_load(&a->before) + atomic_load(&a->now) : 0;
    if (all)
        *all = a ? atomic_load(&a->all) : 0;
}

/* ---- what came out ---- */

static const struct library_message *message_at(const struct analyzer *a, size_t i)
{
    return a && i < a->messages.n ? &a->messages.v[i] : NULL;
}

size_t analyzer_message_count(const struct analyzer *a) { return a ? a->messages.n : 0; }

const char *analyzer_message_text(const struct analyzer *a, size_t i)
{
    const struct library_message *m = message_at(a, i);
    return m ? m->text : NULL;
}

int analyzer_message_severity(const struct analyzer *a, size_t i)
{
    const struct library_message *m = message_at(a, i);
    return m ? (int)m->severity : ANALYZER_EUSAGE;
}

int64_t analyzer_message_input(const struct analyzer *a, size_t i)
{
    const struct library_message *m = message_at(a, i);
    return m ? m->input : -1;
}

const struct library_input *az_library_input(const struct analyzer *a, size_t i)
{
    return a && i < a->n_inputs ? &a->inputs[i] : NULL;
}

size_t analyzer_input_count(const struct analyzer *a) { return a ? a->n_inputs : 0; }

const char *analyzer_input_title(const struct analyzer *a, size_t input)
{
    const struct library_input *in = az_library_input(a, input);
    return in ? in->title : NULL;
}

const char *analyzer_input_format(const struct analyzer *a, size_t input)
{
    const struct library_input *in = az_library_input(a, input);
    return in ? in->format : NULL;
}

int analyzer_input_error(const struct analyzer *a, size_t input)
{
    const struct library_input *in = az_library_input(a, input);
    return in ? in->error : ANALYZER_EUSAGE;
}

size_t analyzer_table_count(const struct analyzer *a, size_t input)
{
    const struct library_input *in = az_library_input(a, input);
    return in ? in->n_tables : 0;
}

const struct analyzer_table *analyzer_table_at(const struct analyzer *a, size_t input, size_t i)
{
    const struct library_input *in = az_library_input(a, input);
    return in && i < in->n_tables ? &in->tables[i] : NULL;
}

const struct analyzer_table *analyzer_table_find(const struct analyzer *a, size_t input,
                                                 const char *id)
{
    const struct library_input *in = az_library_input(a, input);

    for (size_t i = 0; in && id && i < in->n_tables; i++)
        if (strcmp(in->tables[i].id, id) == 0)
            return &in->tables[i];
    return NULL;
}

const char *analyzer_table_id(const struct analyzer_table *t) { return t ? t->id : NULL; }
const char *analyzer_table_title(const struct analyzer_table *t) { return t ? t->title : NULL; }
size_t analyzer_table_columns(const struct analyzer_table *t) { return t ? t->t->columns.n : 0; }
size_t analyzer_table_rows(const struct analyzer_table *t) { return t ? t->t->rows : 0; }

const char *analyzer_column_name(const struct analyzer_table *t, size_t column)
{
    return column < analyzer_table_columns(t) ? t->names[column] : NULL;
}

const char *analyzer_column_unit(const struct analyzer_table *t, size_t column)
{
    return column < analyzer_table_columns(t) ? az_unit_text(t->t->columns.v[column].unit) : NULL;
}

int analyzer_column_type(const struct analyzer_table *t, size_t column)
{
    return column < analyzer_table_columns(t) ? (int)t->t->columns.v[column].type : ANALYZER_EUSAGE;
}

/* ---- rows ---- */

static size_t cells_size(const struct az_table *t)
{
    return (t->columns.n + 1) * sizeof(struct analyzer_cell);
}

int analyzer_rows_open(const struct analyzer_table *t, struct analyzer_rows **out)
{
    struct analyzer_rows *r;

    if (out)
        *out = NULL;
    if (!t || !out)
        return ANALYZER_EUSAGE;
    r = az_mem_alloc(NULL, sizeof *r);
    if (!r)
        return ANALYZER_ENOMEM;
    *r = (struct analyzer_rows){ .t = t->t, .cells = az_mem_alloc(NULL, cells_size(t->t)) };
    if (!r->cells) {
        az_mem_free(NULL, r, sizeof *r);
        return ANALYZER_ENOMEM;
    }
    az_rows_open(&r->rows, t->t, NULL);
    az_arena_init(&r->texts, NULL);
    *out = r;
    return ANALYZER_OK;
}

static struct analyzer_cell cell_of(struct az_arena *texts, const struct az_cell *c)
{
    struct analyzer_cell out = { .type = (int32_t)c->type };
    struct az_sv text;

    switch (c->type) {
    case AZ_TEXT:
        text = az_arena_dup(texts, az_utf8_printable(texts, az_cell_text(c), "\t\n"));
        out.value.text = text.p;
        out.length = (uint32_t)text.n;
        break;
    case AZ_INT:
        out.value.integer = c->i;
        break;
    case AZ_REAL:
        out.value.real = c->f;
        break;
    case AZ_BOOL:
        out.value.integer = c->b;
        break;
    case AZ_EMPTY:
        break;
    }
    return out;
}

int analyzer_rows_next(struct analyzer_rows *r, const struct analyzer_cell **cells)
{
    const struct az_cell *from;

    if (!r || !cells)
        return ANALYZER_EUSAGE;
    *cells = NULL;
    if (r->next >= r->t->rows)
        return 0;
    from = az_rows_at(&r->rows, r->next);
    if (!from)
        return az_rows_error(&r->rows);
    az_arena_reset(&r->texts);
    for (size_t i = 0; i < r->t->columns.n; i++)
        r->cells[i] = cell_of(&r->texts, &from[i]);
    if (r->texts.failed)
        return ANALYZER_ENOMEM;
    r->next++;
    *cells = r->cells;
    return 1;
}

void analyzer_rows_close(struct analyzer_rows *r)
{
    if (!r)
        return;
    az_rows_close(&r->rows);
    az_arena_release(&r->texts);
    az_mem_free(NULL, r->cells, cells_size(r->t));
    az_mem_free(NULL, r, sizeof *r);
}
