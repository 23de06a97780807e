/* unmatched_kernels: the kernels that the user's class map does not name, biggest first, each with
 * a key and a class to paste into kernel_to_class_map. The key is the kernel's own identifier (the
 * last one before template arguments and parameters). */
#include "analyses/kernels/class_keys.h"
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"

#define MAX_ROWS 100

struct entry {
    struct az_sv key, example, class_name;
    int64_t ns, count;
    int64_t most; /* ns of the example: of the names of a key the one with the most time */
};
AZ_VEC(struct entry, entries);

struct work {
    struct az_job *job;
    struct az_intern keys; /* key text -> number of its entry */
    struct az_class_keys choice;
    struct entries list;
    int64_t total;
};

static int add_unmatched(struct work *w, const struct az_trace *t, uint32_t id, int64_t ns,
                         int64_t count)
{
    const struct az_sv name = az_trace_text(t, id);
    if (ns < 0) /* not in the file */
        ns = 0;
    w->total = az_add_sat(w->total, ns);
    if (az_classify(w->job->classes, name) != AZ_CLASS_OTHERS)
        return 0;
    uint32_t at;
    struct az_sv key = az_class_key(&w->choice, name);
    int rc = w->choice.starved ? az_mem_error(w->job->mem) : az_intern(&w->keys, key, &at);
    if (rc == 0 && at == w->list.n)
        rc = az_vec_push(&w->list,
                         ((struct entry){ .key = az_arena_dup(w->job->arena, key), .most = -1 }));
    if (rc)
        return rc;
    struct entry *x = &w->list.v[at];
    x->ns = az_add_sat(x->ns, ns);
    x->count = az_add_sat(x->count, count);
    if (ns < x->most || (ns == x->most && az_sv_cmp(name, x->example) >= 0))
        return 0;
    x->most = ns;
    x->example = az_arena_dup(w->job->arena, name);
    x->class_name = az_trace_class(t, id)->name;
    return x->example.p ? 0 : az_arena_error(w->job->arena);
}

/* Names of the kernels of one trace, for what is common to them. */
static int count_names(struct work *w, const struct az_trace *t)
{
    int rc = 0;
    for (uint32_t n = 0; rc == 0 && n < t->classes.ids; n++)
        if (t->classes.of[n] && !az_trace_class(t, n)->copies)
            rc = az_class_keys_add(&w->choice, az_trace_text(t, n), az_trace_class(t, n)->name);
    return rc;
}

/* Kernels of one trace: from events summed by name, or from sums. */
static int add_trace(struct work *w, const struct az_trace *t)
{
    const struct az_events *e = &t->ev[AZ_KERNEL];
    int rc = 0;
    for (size_t i = 0; rc == 0 && e->n == 0 && i < t->kernel_sums.n; i++)
        rc = add_unmatched(w, t, t->kernel_sums.v[i].name, t->kernel_sums.v[i].total_ns,
                           t->kernel_sums.v[i].count);
    if (rc || e->n == 0)
        return rc;
    size_t names = t->names.text.n;
    int64_t *sum = az_mem_alloc(w->job->mem, (names + 1) * 2 * sizeof *sum);
    if (!sum)
        return az_mem_error(w->job->mem);
    memset(sum, 0, (names + 1) * 2 * sizeof *sum);
    for (size_t i = 0; i < e->n; i++) {
        if (e->name[i] >= names)
            continue;
        sum[e->name[i] * 2] =
            az_add_sat(sum[e->name[i] * 2], (e->end[i] - e->start[i]) / t->ticks_per_ns);
        sum[e->name[i] * 2 + 1]++;
    }
    for (uint32_t n = 0; rc == 0 && n < names; n++)
        if (sum[n * 2 + 1])
            rc = add_unmatched(w, t, n, sum[n * 2], sum[n * 2 + 1]);
    az_mem_free(w->job->mem, sum, (names + 1) * 2 * sizeof *sum);
    return rc;
}

struct entry_row {
    const struct entry *entry;
    double percent;
};
#define ROW struct entry_row
static const struct az_record_column columns[] = {
    { "Key", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, entry, key), .sort = 2 },
    { "Suggested class", AZ_TEXT, AZ_VIA(ROW, entry, class_name) },
    { "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_VIA(ROW, entry, ns), .sort = -1 },
    { "Share of kernel time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) },
    { "Count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, entry, count) },
    { "Example", AZ_TEXT, AZ_VIA(ROW, entry, example) },
};

static int put_unmatched_rows(struct work *w, struct az_table *t)
{
    for (size_t i = 0; i < w->list.n; i++) {
        const struct entry *e = &w->list.v[i];
        az_put_row(t, &(ROW){ e, w->total ? (double)e->ns / (double)w->total * 100.0 : 0.0 });
    }
    int rc = az_record_sort(t);
    if (t && t->rows > MAX_ROWS)
        az_cover(w->job, "unmatched_kernels: rows omitted", (double)(t->rows - MAX_ROWS), "count",
                 AZ_SV("100 largest rows shown"));
    az_table_truncate(t, MAX_ROWS);
    return rc;
}

static int run_unmatched(struct az_job *job)
{
    const struct az_user_names user = { .collectives = job->opts->coll_patterns };
    struct az_kernel_rules *rules = az_kernel_rules_new(&user, job->mem);
    struct work w = { .job = job };
    if (!rules)
        return az_mem_error(job->mem);
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "unmatched_kernels", "Unclassified kernels", 0, columns);
    az_vec_init(&w.list, job->mem);
    az_intern_init(&w.keys, job->arena, job->mem);
    int rc = az_class_keys_init(&w.choice, rules, job->arena, job->mem);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = count_names(&w, job->traces[i]);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = add_trace(&w, job->traces[i]);
    if (rc == 0)
        rc = put_unmatched_rows(&w, t);
    az_class_keys_release(&w.choice);
    az_kernel_rules_free(rules, job->mem);
    az_intern_release(&w.keys);
    az_vec_release(&w.list);
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_unmatched = {
    .name = "unmatched_kernels",
    .help = "largest unclassified kernels with suggested class map entries",
    .tables = { "unmatched_kernels" },
    .any = AZ_CAP_KERNEL_SUMS | AZ_CAP_TIMELINE | AZ_CAP_CALLTREE,
    .run = run_unmatched,
};
