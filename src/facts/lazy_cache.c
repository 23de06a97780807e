/* Names, classes, links and projections of a job. */
#include "base/num.h"
#include "facts/lazy_cache_internal.h"

#define MAX_CHART_ROWS 200 /* more bars than that cannot be distinguished */

/* One trace: numbers are its name ids, texts are its own or copied when needed. */
static int number_one(struct az_job *job, struct az_shared *s)
{
    s->n_names = job->n_traces ? job->traces[0]->names.text.n : 0;
    if (job->lasting) {
        s->text = job->traces[0]->names.text.v;
        return 0;
    }
    s->copy = az_arena_array(job->arena, s->n_names, sizeof *s->copy);
    return s->copy ? 0 : az_arena_error(job->arena);
}

/* Several: all names are interned once; the table of strings stays, the hash table goes. */
static int number_many(struct az_job *job, struct az_shared *s)
{
    struct az_intern all;
    int rc = 0;
    az_intern_init(&all, job->arena, job->mem);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_intern *names = &job->traces[i]->names;
        s->trace[i].number = az_arena_array(job->arena, names->text.n, sizeof *s->trace[i].number);
        if (!s->trace[i].number)
            rc = az_arena_error(job->arena);
        for (size_t k = 0; rc == 0 && k < names->text.n; k++)
            rc = az_intern(&all, names->text.v[k], &s->trace[i].number[k]);
    }
    if (rc == 0) {
        struct az_sv *text = az_arena_array(job->arena, all.text.n, sizeof *text);
        rc = text ? 0 : az_arena_error(job->arena);
        if (text && all.text.n > 0)
            memcpy(text, all.text.v, all.text.n * sizeof *text);
        s->n_names = all.text.n;
        s->text = text;
    }
    az_intern_release(&all);
    return rc;
}

/* Classes that the traces have of their names. */
static void number_classes(const struct az_job *job, struct az_shared *s)
{
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_name_classes *c = &job->traces[i]->classes;
        for (uint32_t k = 0; k < c->ids; k++)
            if (c->of[k])
                s->kernel[s->trace[i].number ? s->trace[i].number[k] : k] = az_name_class(c, k);
    }
}

struct az_shared *az_shared_of(struct az_job *job)
{
    /* after a failure none: callers that got no number of names have no room for the numbers */
    if (job->shared || job->arena->failed)
        return job->shared;
    struct az_shared *s = az_arena_alloc(job->arena, sizeof *s);
    if (!s)
        return NULL;
    s->trace = az_arena_array(job->arena, job->n_traces, sizeof *s->trace);
    if (!s->trace || (job->n_traces == 1 ? number_one(job, s) : number_many(job, s)) != 0)
        return NULL;
    s->class_of = az_arena_array(job->arena, s->n_names, sizeof *s->class_of);
    s->kernel = az_arena_array(job->arena, s->n_names, sizeof *s->kernel);
    if (!s->class_of || !s->kernel)
        return NULL;
    number_classes(job, s);
    return job->shared = s;
}

uint32_t az_job_name(struct az_job *job, size_t trace, uint32_t id)
{
    struct az_shared *s = az_shared_of(job);
    if (!s || id >= job->traces[trace]->names.text.n)
        return AZ_NO_ID;
    return s->trace[trace].number ? s->trace[trace].number[id] : id;
}

size_t az_job_names(struct az_job *job)
{
    struct az_shared *s = az_shared_of(job);
    return s ? s->n_names : 0;
}

struct az_sv az_job_text(struct az_job *job, uint32_t number)
{
    struct az_shared *s = az_shared_of(job);
    if (!s || number >= s->n_names)
        return AZ_SV("");
    if (s->text)
        return s->text[number];
    const struct az_sv text = az_trace_text(job->traces[0], number);
    const char *copy = atomic_load_explicit(&s->copy[number], memory_order_acquire);
    if (!copy) {
        const struct az_sv own = az_arena_dup(job->arena, text);
        if (!own.p)
            return own;
        /* where another part was first, its copy is the one */
        if (atomic_compare_exchange_strong(&s->copy[number], &copy, own.p))
            copy = own.p;
    }
    return az_sv_make(copy, text.n);
}

uint32_t az_job_class(struct az_job *job, uint32_t number)
{
    struct az_shared *s = az_shared_of(job);
    if (!s || number >= s->n_names)
        return AZ_CLASS_OTHERS;
    uint32_t class = atomic_load_explicit(&s->class_of[number], memory_order_relaxed);
    if (class == 0) {
        class = az_classify(job->classes, az_job_text(job, number)) + 1;
        atomic_store_explicit(&s->class_of[number], class, memory_order_relaxed);
    }
    return class - 1;
}

struct az_sv az_job_user_class(struct az_job *job, uint32_t number)
{
    const uint32_t user =
        job->classes && job->classes->rules->n ? az_job_class(job, number) : AZ_CLASS_OTHERS;
    return user == AZ_CLASS_OTHERS || user == job->classes->nccl ? AZ_SV("")
                                                                 : job->classes->names.v[user];
}

const struct az_kernel_class *az_job_kernel(struct az_job *job, uint32_t number)
{
    struct az_shared *s = az_shared_of(job);
    const struct az_kernel_class *c = s && number < s->n_names ? s->kernel[number] : NULL;
    return c ? c : az_kernel_class_none();
}

enum az_family az_job_family(struct az_job *job, uint32_t number)
{
    enum az_family f;
    const struct az_sv user = az_job_user_class(job, number);
    return user.n && az_family_of(user, &f) ? f : az_job_kernel(job, number)->family;
}

struct az_sv az_job_class_text(struct az_job *job, uint32_t number)
{
    const struct az_sv user = az_job_user_class(job, number);
    return user.n ? user : az_job_kernel(job, number)->name;
}

static const struct az_link *link_of(struct az_job *job, size_t trace, int *rc)
{
    struct az_shared *s = az_shared_of(job);
    *rc = s ? 0 : az_arena_error(job->arena);
    if (!s || s->trace[trace].link)
        return s ? s->trace[trace].link : NULL;
    struct az_link *l = az_arena_alloc(job->arena, sizeof *l);
    *rc =
        l ? az_link_make(l, job->traces[trace], job->arena, job->mem) : az_arena_error(job->arena);
    if (*rc == 0)
        s->trace[trace].link = l;
    return *rc == 0 ? l : NULL;
}

const struct az_link *az_job_link(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const struct az_link *l = link_of(job, trace, rc);
    az_job_leave(job, slot);
    return l;
}

static const struct az_launches *launches_of(struct az_job *job, size_t trace, int *rc)
{
    const struct az_link *link = az_job_link(job, trace, rc);
    struct az_shared *s = az_shared_of(job);
    if (!link)
        return NULL;
    if (s->trace[trace].launches)
        return s->trace[trace].launches;
    struct az_launches *l = az_arena_alloc(job->arena, sizeof *l);
    *rc = l ? az_launches_make(l, job->traces[trace], link, job->arena, job->mem)
            : az_arena_error(job->arena);
    if (*rc == 0)
        s->trace[trace].launches = l;
    return *rc == 0 ? l : NULL;
}

const struct az_launches *az_job_launches(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const struct az_launches *l = launches_of(job, trace, rc);
    az_job_leave(job, slot);
    return l;
}

static const struct az_projection *projection_of(struct az_job *job, size_t trace, int *rc)
{
    const struct az_launches *l = az_job_launches(job, trace, rc);
    struct az_shared *s = az_shared_of(job);
    if (!l)
        return NULL;
    if (s->trace[trace].projection)
        return s->trace[trace].projection;
    struct az_projection *p = az_arena_alloc(job->arena, sizeof *p);
    *rc =
        p ? az_project(p, job->traces[trace], l, job->arena, job->mem) : az_arena_error(job->arena);
    if (*rc == 0)
        s->trace[trace].projection = p;
    return *rc == 0 ? p : NULL;
}

const struct az_projection *az_job_projection(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const struct az_projection *p = projection_of(job, trace, rc);
    az_job_leave(job, slot);
    return p;
}

bool az_job_has(const struct az_job *job, unsigned caps)
{
    for (size_t i = 0; i < job->n_traces; i++) {
        if ((job->traces[i]->caps & caps) == caps)
            return true;
    }
    return false;
}

int az_job_emit(struct az_job *job, struct az_table *t, int rc, const int *order, size_t n)
{
    return az_job_add(job, t, rc ? rc : az_table_sort(t, order, n));
}

int az_job_chart(struct az_job *job, enum az_chart_kind kind, const char *table, const char *title,
                 const char *x, const char *const *y, const char *y_title)
{
    struct az_chart c = { .kind = kind };
    if (!az_document_table(job->doc, table)) /* skipped because it was empty */
        return 0;
    c.table = az_sv_str(table);
    c.title = az_sv_str(title);
    c.max_rows = MAX_CHART_ROWS;
    c.x = c.x_title = az_sv_str(x);
    c.y_title = az_sv_str(y_title);
    az_vec_init(&c.y, job->doc->mem);
    for (; *y; y++) {
        int rc = az_vec_push(&c.y, az_sv_str(*y));
        if (rc != 0) {
            az_vec_release(&c.y);
            return rc;
        }
    }
    return az_document_chart(job->doc, c);
}

/* Has the column more than one value? That of a table whose rows are not stored has. */
static bool has_several(const struct az_table *t, const char *column)
{
    ptrdiff_t c = t ? az_table_find(t, column) : -1;
    if (c >= 0 && t->make)
        return true;
    char buf[2][AZ_NUM_MAX];
    for (size_t r = 1; c >= 0 && r < t->rows; r++) {
        const struct az_cell *a = az_table_at(t, 0, (size_t)c), *b = az_table_at(t, r, (size_t)c);
        if (!az_sv_eq(az_cell_exact(a, buf[0]), az_cell_exact(b, buf[1])))
            return true;
    }
    return false;
}

int az_job_chart_parts(struct az_job *job, enum az_chart_kind kind, const char *table,
                       const char *title, const char *value, const char *stack,
                       const struct az_sv *parts, size_t n)
{
    size_t before = job->doc->charts.n;
    if (kind == AZ_CHART_STACKED_BAR && !has_several(az_document_table(job->doc, table), stack))
        return 0;
    int rc =
        az_job_chart(job, kind, table, title, "type", (const char *const[]){ value, NULL }, "ms");
    if (rc != 0 || job->doc->charts.n == before)
        return rc;
    struct az_chart *c = &job->doc->charts.v[before];
    c->parts = parts;
    c->n_parts = n;
    c->max_rows = 0;
    c->stack = stack ? az_sv_str(stack) : AZ_SV("");
    return 0;
}
