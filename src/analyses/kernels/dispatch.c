#include "analyses/kernels/dispatch.h"

#include "base/sort.h"
#include "classify/rules.h"

bool az_dispatch_has(const struct az_trace *t) { return t->caps & AZ_CAP_DISPATCHES; }

int az_dispatch_list_make(struct az_job *job, enum az_kind kind, struct az_dispatch_list *l)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < job->n_traces; i++)
        n += az_dispatch_has(job->traces[i]) ? job->traces[i]->ev[kind].n : 0;
    *l = (struct az_dispatch_list){ .n = n, .mem = job->mem };
    l->trace = az_mem_alloc(job->mem, (n + 1) * sizeof *l->trace);
    l->row = az_mem_alloc(job->mem, (n + 1) * sizeof *l->row);
    l->name = az_mem_alloc(job->mem, (n + 1) * sizeof *l->name);
    l->length = az_mem_alloc(job->mem, (n + 1) * sizeof *l->length);
    if (!l->trace || !l->row || !l->name || !l->length)
        return az_mem_error(job->mem);
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_events *e = &job->traces[i]->ev[kind];
        for (size_t k = 0; az_dispatch_has(job->traces[i]) && k < e->n; k++, at++) {
            l->trace[at] = (uint32_t)i;
            l->row[at] = (uint32_t)k;
            l->name[at] = az_job_name(job, i, e->name[k]);
            l->length[at] = az_ns(job->traces[i], e->end[k] - e->start[k]);
        }
    }
    return 0;
}

void az_dispatch_list_release(struct az_dispatch_list *l)
{
    az_mem_free(l->mem, l->trace, (l->n + 1) * sizeof *l->trace);
    az_mem_free(l->mem, l->row, (l->n + 1) * sizeof *l->row);
    az_mem_free(l->mem, l->name, (l->n + 1) * sizeof *l->name);
    az_mem_free(l->mem, l->length, (l->n + 1) * sizeof *l->length);
    *l = (struct az_dispatch_list){ .n = 0 };
}

/* ---- classes from data files ---- */

struct az_sv az_dispatch_category(struct az_job *job, uint32_t number)
{
    const bool genesis = az_sv_is(job->opts->sheets_as, "tracelens-genesis");
    const struct az_sv user = az_job_user_class(job, number);
    if (user.n)
        return user;
    if (!genesis && az_job_is_comm(job, number))
        return AZ_SV("COMM");
    const struct az_sv name = az_job_text(job, number), short_name = az_kernel_short_name(name);
    const struct az_sv category = az_rules_class(
        "amd_categories.rules", genesis ? "genesis" : "category", short_name.n ? short_name : name);
    return category.n ? category : AZ_SV("Other");
}

/* ---- GPUs in order of appearance ---- */

size_t az_dispatch_gpu_of(const struct az_dispatch_gpus *g, size_t trace, int64_t agent)
{
    const uint32_t at = az_map_get(&g->at, trace, (uint64_t)agent);

    return at == AZ_NO_ID ? SIZE_MAX : at;
}

int az_dispatch_gpus_add(struct az_dispatch_gpus *g, size_t trace, int64_t agent)
{
    uint32_t *at;
    bool added;
    const int rc = az_map_put(&g->at, trace, (uint64_t)agent, (uint32_t)g->list.n, &at, &added);

    return rc || !added ? rc : az_vec_push(&g->list, ((struct az_dispatch_gpu){ trace, agent }));
}

int az_dispatch_gpus_make(struct az_job *job, struct az_dispatch_gpus *g)
{
    az_vec_init(&g->list, job->mem);
    int rc = 0;
    az_map_init(&g->at, job->mem, 16);
    for (size_t i = 0; i < job->n_traces; i++) {
        const struct az_trace *t = job->traces[i];
        const struct az_events *e = &t->ev[AZ_KERNEL];
        uint32_t last = AZ_NO_ROW;
        for (size_t k = 0; rc == 0 && az_dispatch_has(t) && k < e->n; k++) {
            if (e->lane[k] == last)
                continue;
            last = e->lane[k];
            rc = az_dispatch_gpus_add(g, i, t->lanes.v[last].device);
        }
    }
    return rc;
}

static int by_number(const void *a, const void *b, void *ctx)
{
    const struct az_dispatch_gpu *x = a, *y = b;

    (void)ctx;
    if (x->trace != y->trace)
        return x->trace < y->trace ? -1 : 1;
    return x->agent < y->agent ? -1 : x->agent > y->agent;
}

int az_dispatch_gpus_sort(struct az_dispatch_gpus *g, struct az_mem *mem)
{
    int rc = 0;
    az_sort_cmp(g->list.v, g->list.n, sizeof *g->list.v, by_number, NULL, mem);

    for (size_t i = 0; rc == 0 && i < g->list.n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&g->at, g->list.v[i].trace, (uint64_t)g->list.v[i].agent, 0, &at, &added);
        if (rc == 0)
            *at = (uint32_t)i;
    }
    return rc;
}

void az_dispatch_gpus_release(struct az_dispatch_gpus *g)
{
    az_vec_release(&g->list);
    az_map_release(&g->at);
}
