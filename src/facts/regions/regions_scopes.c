/* Regions without host threads: scopes of compiled programs, operations between signposts. */
#include "base/sort.h"
#include "facts/families.h"
#include "facts/regions/regions_internal.h"
#include "model/opreport.h"
#include "model/xtrace.h"

/* ---- scopes ---- */

/* Cuts the next part off "jit(step)/transpose(jvp(A/B))/dot": slashes in parentheses divide
 * nothing. */
static struct az_sv cut_scope(struct az_sv *rest)
{
    size_t n = 0, deep = 0;
    while (n < rest->n && (rest->p[n] != '/' || deep)) {
        deep += rest->p[n] == '(';
        deep -= rest->p[n] == ')' && deep;
        n++;
    }
    const struct az_sv part = az_sv_make(rest->p, n);
    *rest = az_sv_make(rest->p + n + (n < rest->n), rest->n - n - (n < rest->n));
    return part;
}

/* "jvp(Model)" of "transpose(jvp(Model))", which computes its gradient. */
static bool forward_part(struct az_sv *part)
{
    static const struct az_sv around = { "transpose(", 10 };
    if (!az_sv_starts(*part, around) || part->p[part->n - 1] != ')')
        return false;
    *part = az_sv_make(part->p + around.n, part->n - around.n - 1);
    return true;
}

static int child_named(struct az_region_search *s, uint32_t parent, struct az_sv name,
                       uint32_t *region)
{
    char *text = az_mem_alloc(s->job->mem, name.n + 1);
    if (!text)
        return az_mem_error(s->job->mem);
    const size_t n = az_region_fold(name, AZ_REGION_HLO_SCOPE, text);
    const int rc = az_regions_child(s, parent, az_sv_make(text, n), AZ_REGION_HLO_SCOPE, region);
    az_mem_free(s->job->mem, text, name.n + 1);
    return rc;
}

/* "jit(step)" of the program "jit_step", as scopes begin. */
static int child_program(struct az_region_search *s, struct az_sv module, uint32_t *region)
{
    static const struct az_sv jit = { "jit_", 4 };
    if (!az_sv_starts(module, jit))
        return child_named(s, AZ_NO_ID, module, region);
    const struct az_sv name =
        az_arena_printf(s->job->arena, "jit(%.*s)", (int)(module.n - jit.n), module.p + jit.n);
    return name.p ? child_named(s, AZ_NO_ID, name, region) : az_arena_error(s->job->arena);
}

/* Region of a row; while they are searched AZ_NO_ROW: it has no work. */
struct scope_place {
    uint32_t region, forward; /* forward: of which it is the gradient; AZ_NO_ID: of none */
};

/* The last part of a scope is the primitive. Without a scope the program is the region. */
static int place_scope(struct az_region_search *s, struct az_sv scope, struct az_sv module,
                       struct scope_place *at)
{
    bool backward = false;
    int rc = AZ_OK;
    *at = (struct scope_place){ AZ_NO_ID, AZ_NO_ID };
    for (struct az_sv part = cut_scope(&scope); rc == 0 && scope.n; part = cut_scope(&scope)) {
        struct az_sv forward = part;
        backward |= forward_part(&forward);
        if (part.n)
            rc = child_named(s, at->region, part, &at->region);
        if (rc == 0 && part.n)
            rc = child_named(s, at->forward, forward, &at->forward);
    }
    if (rc == 0 && at->region == AZ_NO_ID && module.n)
        rc = child_program(s, module, &at->region);
    if (!backward)
        at->forward = AZ_NO_ID;
    return rc;
}

/* Scopes without work in the window are no regions: place[row].region is AZ_NO_ROW until a row with
 * work is found. */
static void find_used(const struct az_region_search *s, struct scope_place *place)
{
    for (size_t i = 0; i < az_xtrace(s->t)->rows.n; i++)
        place[i].region = AZ_NO_ROW;
    for (int k = 0; k <= AZ_GRAPH; k++) {
        const struct az_events *e = &s->t->ev[k];
        for (size_t i = 0; e->node && i < e->n; i++)
            if (e->node[i])
                place[e->node[i] - 1].region = 0;
    }
}

static int place_rows(struct az_region_search *s, struct scope_place *place)
{
    const struct az_xtrace *x = az_xtrace(s->t);
    int rc = AZ_OK;
    find_used(s, place);
    for (size_t i = 0; rc == 0 && i < x->rows.n; i++) {
        const struct az_xrow *row = &x->rows.v[i];
        if (place[i].region == AZ_NO_ROW)
            continue;
        struct az_sv scope = az_trace_text(s->t, row->scope);
        if (!scope.n && row->hlo != AZ_NO_ROW)
            scope = x->hlo.v[row->hlo].scope;
        rc = place_scope(s, scope, az_trace_text(s->t, row->module), &place[i]);
    }
    return rc;
}

int az_regions_of_scopes(struct az_region_search *s)
{
    const size_t bytes = (az_xtrace(s->t)->rows.n + 1) * sizeof(struct scope_place);
    int rc;
    const struct az_counted *counted = az_job_counted(s->job, s->trace, AZ_ALL_WORK, &rc);
    const int64_t *own = rc || !az_has_tpu(s->t) ? NULL : az_job_self_ticks(s->job, s->trace, &rc);
    struct scope_place *place = rc ? NULL : az_mem_alloc(s->job->mem, bytes);
    if (rc == 0)
        rc = place ? place_rows(s, place) : az_mem_error(s->job->mem);
    for (int k = 0; rc == 0 && k <= AZ_GRAPH; k++) {
        const struct az_events *e = &s->t->ev[k];
        for (size_t i = 0; i < e->n; i++) {
            const uint64_t row = e->node ? e->node[i] : 0;
            struct scope_place at = { AZ_NO_ID, AZ_NO_ID };
            const int64_t length = own && k == AZ_KERNEL ? own[i] : e->end[i] - e->start[i];
            if (counted->skip[k] && counted->skip[k][i])
                continue;
            at = row ? place[row - 1] : at;
            s->of[k][i] = at.region;
            az_regions_sums(s, at.region)->device += length;
            az_regions_sums(s, at.region)->kernels += k == AZ_KERNEL;
            if (at.forward != AZ_NO_ID)
                s->regions.v[at.forward].own.backward += length;
        }
    }
    for (size_t i = 0; i < s->regions.n; i++)
        s->regions.v[i].instances = s->regions.v[i].host = s->regions.v[i].host_own = -1;
    az_mem_free(s->job->mem, place, bytes);
    return rc;
}

/* ---- signposts ---- */

/* Region of each device operation, in the order in which these are kernels of the trace: by start,
 * then row. Each file has its signposts in the order of its calls. */
static int place_operations(struct az_region_search *s, int64_t *start, uint32_t *region)
{
    const struct az_oprows *rows = &az_opreport(s->t)->rows;
    uint32_t at = AZ_NO_ID;
    size_t n = 0;
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < rows->n; i++) {
        const struct az_oprow *r = &rows->v[i];
        if (i && r->file != rows->v[i - 1].file)
            at = AZ_NO_ID;
        if (r->kind == AZ_OPROW_SIGNPOST) {
            const struct az_sv name = az_trace_text(s->t, r->code);
            char *text = az_mem_alloc(s->job->mem, name.n + 1);
            if (!text)
                return az_mem_error(s->job->mem);
            rc = az_regions_child(s, AZ_NO_ID,
                                  az_sv_make(text, az_region_fold(name, AZ_REGION_SIGNPOST, text)),
                                  AZ_REGION_SIGNPOST, &at);
            az_mem_free(s->job->mem, text, name.n + 1);
            if (rc == 0 && at != AZ_NO_ID && r->file == 0)
                s->regions.v[at].instances++;
        }
        if (!az_oprow_counts(r) || n == s->t->ev[AZ_KERNEL].n)
            continue;
        start[n] = r->at;
        region[n++] = at;
    }
    return rc;
}

static int sum_operations(struct az_region_search *s, const int64_t *start, const uint32_t *region,
                          uint32_t *perm)
{
    const struct az_events *e = &s->t->ev[AZ_KERNEL];
    int rc;
    const struct az_counted *counted = az_job_counted(s->job, s->trace, AZ_ALL_WORK, &rc);
    if (rc == 0)
        az_sort_order(start, e->n, perm, s->job->mem);
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        if (counted->skip[AZ_KERNEL] && counted->skip[AZ_KERNEL][i])
            continue;
        struct az_region_sums *sums = az_regions_sums(s, region[perm[i]]);
        s->of[AZ_KERNEL][i] = region[perm[i]];
        sums->device += e->end[i] - e->start[i];
        sums->kernels++;
    }
    return rc;
}

int az_regions_of_signposts(struct az_region_search *s)
{
    const size_t n = s->t->ev[AZ_KERNEL].n + 1, starts = n * sizeof(int64_t),
                 places = n * sizeof(uint32_t);
    int64_t *start = az_mem_alloc(s->job->mem, starts);
    uint32_t *region = az_mem_alloc(s->job->mem, places), *perm = az_mem_alloc(s->job->mem, places);
    int rc = start && region && perm ? AZ_OK : az_mem_error(s->job->mem);
    if (rc == 0)
        rc = place_operations(s, start, region);
    if (rc == 0 && s->regions.n)
        rc = sum_operations(s, start, region, perm);
    for (size_t i = 0; i < s->regions.n; i++)
        s->regions.v[i].host = s->regions.v[i].host_own = -1;
    az_mem_free(s->job->mem, start, starts);
    az_mem_free(s->job->mem, region, places);
    az_mem_free(s->job->mem, perm, places);
    return rc;
}
