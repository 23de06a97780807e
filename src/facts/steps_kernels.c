/* The kernels of the busiest lane as a sequence of kinds, for the search of a pattern. 36 bytes a
 * kernel while it lasts. */
#include "facts/steps_internal.h"
#include "model/optrace.h"

static const enum az_kind kernel_kinds[] = { AZ_KERNEL, AZ_GRAPH };

static bool counts(const struct az_counted *c, enum az_kind kind, size_t row)
{
    return !c->skip[kind] || !c->skip[kind][row];
}

/* ---- which lane ---- */
int az_kernels_lane(struct az_job *job, size_t trace, uint32_t *lane, size_t *others)
{
    int rc;
    const struct az_trace *t = job->traces[trace];
    const struct az_counted *c = az_job_counted(job, trace, AZ_ALL_WORK, &rc);
    const size_t bytes = (t->lanes.n + 1) * 2 * sizeof(int64_t); /* computation, other */
    int64_t *busy = c ? az_mem_alloc(job->mem, bytes) : NULL, most = 0;
    *lane = AZ_NO_ID;
    *others = 0;
    if (!busy)
        return c ? az_mem_error(job->mem) : rc;
    memset(busy, 0, bytes);
    for (size_t k = 0; k < AZ_LENGTH(kernel_kinds); k++) {
        const struct az_events *e = &t->ev[kernel_kinds[k]];
        for (size_t i = 0; i < e->n; i++)
            if (counts(c, kernel_kinds[k], i))
                busy[2 * e->lane[i] + (az_part_of(job, trace, kernel_kinds[k], e->name[i]) !=
                                       AZ_PART_COMPUTE)] += e->end[i] - e->start[i];
    }
    for (uint32_t i = 0; i < t->lanes.n; i++)
        if (busy[2 * i] > most) {
            most = busy[2 * i];
            *lane = i;
        }
    for (uint32_t i = 0; *lane != AZ_NO_ID && i < t->lanes.n; i++)
        *others += i != *lane && busy[2 * i] + busy[2 * i + 1] > 0 &&
                   t->lanes.v[i].device == t->lanes.v[*lane].device;
    az_mem_free(job->mem, busy, bytes);
    return 0;
}

/* ---- the sequence ---- */
struct filter {
    const struct az_trace *t;
    const struct az_counted *counted;
    uint8_t *of_lane; /* is it the lane, or one of the device? */
};

static bool is_of(const struct filter *f, enum az_kind kind, uint32_t row)
{
    return f->of_lane[f->t->ev[kind].lane[row]] && counts(f->counted, kind, row);
}

static size_t count(const struct filter *f)
{
    size_t n = 0;
    for (size_t k = 0; k < AZ_LENGTH(kernel_kinds); k++)
        for (uint32_t row = 0; row < f->t->ev[kernel_kinds[k]].n; row++)
            n += is_of(f, kernel_kinds[k], row);
    return n;
}

/* The next of them. *end: when all operations before it, of any kind, had ended; INT64_MIN where
 * there are none. */
static bool next_operation(const struct filter *f, struct az_sweep *sweep, uint32_t *op,
                           int64_t *end, int64_t *reach)
{
    while (az_sweep_next(sweep, op)) {
        const enum az_kind kind = az_op_kind(*op);
        const uint32_t row = az_op_row(*op);
        const int64_t stop = f->t->ev[kind].end[row];
        *end = *reach;
        *reach = stop > *reach ? stop : *reach;
        if ((kind == AZ_KERNEL || kind == AZ_GRAPH) && is_of(f, kind, row))
            return true;
    }
    return false;
}

static uint64_t weight(uint64_t kind)
{
    uint64_t x = (kind + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static void *alloc_array(struct az_kernels *k, size_t n, size_t size, int *rc)
{
    size_t bytes;
    void *p = az_size_mul(n, size, &bytes) ? az_mem_alloc(k->job->mem, bytes) : NULL;
    if (!p && *rc == 0)
        *rc = az_mem_error(k->job->mem) ? az_mem_error(k->job->mem) : AZ_ERANGE;
    if (p)
        memset(p, 0, bytes);
    return p;
}

static void free_array(struct az_kernels *k, void *p, size_t n, size_t size)
{
    az_mem_free(k->job->mem, p, n * size);
}

/* Numbers the names in order of first appearance. */
static int number_names(struct az_kernels *k, const struct filter *f)
{
    const size_t ids = f->t->names.text.n + 1;
    struct az_sweep sweep = { .t = f->t };
    uint32_t op;
    int64_t end, reach = INT64_MIN;
    int rc = 0;
    uint32_t *kind_of = alloc_array(k, ids, sizeof *kind_of, &rc);
    for (size_t i = 0; rc == 0 && i < k->n && next_operation(f, &sweep, &op, &end, &reach); i++) {
        const struct az_events *e = &f->t->ev[az_op_kind(op)];
        const uint32_t row = az_op_row(op), name = e->name[row];
        const int64_t start = e->start[row];
        uint32_t *at = &kind_of[name == AZ_NO_ID ? ids - 1 : name];
        k->gap[i] = end == INT64_MIN || start <= end ? 0 : start - end;
        k->busy[i + 1] = k->busy[i] + (e->end[row] - start);
        *at = *at ? *at : (uint32_t)++k->kinds;
        k->op[i] = op;
        k->kind[i] = *at - 1;
        k->sum[i + 1] = k->sum[i] + weight(*at - 1);
    }
    free_array(k, kind_of, ids, sizeof *kind_of);
    return rc;
}

/* Places by kind, and what is known of each kind. */
static int list_kinds(struct az_kernels *k)
{
    int rc = 0;
    k->first = alloc_array(k, k->kinds + 1, sizeof *k->first, &rc);
    k->name = alloc_array(k, k->kinds + 1, sizeof *k->name, &rc);
    k->optimizer = alloc_array(k, k->kinds + 1, 1, &rc);
    k->ref = alloc_array(k, k->kinds + 1, sizeof *k->ref, &rc);
    k->used = alloc_array(k, k->kinds + 1, sizeof *k->used, &rc);
    if (rc)
        return rc;
    for (size_t i = 0; i < k->n; i++)
        k->first[k->kind[i] + 1]++;
    for (size_t i = 0; i < k->kinds; i++)
        k->first[i + 1] += k->first[i];
    for (size_t i = 0; i < k->n; i++)
        k->at[k->first[k->kind[i]]++] = (uint32_t)i;
    for (size_t i = k->kinds; i > 0; i--) /* undo the advance */
        k->first[i] = k->first[i - 1];
    k->first[0] = 0;
    for (size_t i = 0; i < k->kinds; i++) {
        const uint32_t op = k->op[k->at[k->first[i]]];
        k->name[i] = k->t->ev[az_op_kind(op)].name[az_op_row(op)];
        k->optimizer[i] = k->name[i] != AZ_NO_ID &&
                          az_trace_class(k->t, k->name[i])->family == AZ_FAMILY_OPTIMIZER;
    }
    return 0;
}

static bool is_host_copy(struct az_sv name)
{
    static const char *const words[] = { "htod",           "dtoh",           "host_to_device",
                                         "device_to_host", "host-to-device", "device-to-host",
                                         "hosttodevice",   "devicetohost" };
    for (size_t i = 0; i < AZ_LENGTH(words); i++)
        if (az_sv_ifind(name, az_sv_str(words[i])) >= 0)
            return true;
    return false;
}

static int list_copies(struct az_kernels *k)
{
    const struct az_events *e = &k->t->ev[AZ_MEMCPY];
    uint32_t last = AZ_NO_ID;
    bool is = false;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        if (e->name[i] != last || i == 0) {
            last = e->name[i];
            is = is_host_copy(az_trace_text(k->t, last));
        }
        if (is)
            rc = az_vec_push(&k->copies, e->start[i]);
    }
    return rc;
}

static int make_kernels(struct az_kernels *k, const struct filter *f)
{
    int rc = 0;
    k->n = count(f);
    if (k->n >= UINT32_MAX)
        return AZ_ERANGE;
    k->op = alloc_array(k, k->n + 1, sizeof *k->op, &rc);
    k->kind = alloc_array(k, k->n + 1, sizeof *k->kind, &rc);
    k->at = alloc_array(k, k->n + 1, sizeof *k->at, &rc);
    k->sum = alloc_array(k, k->n + 1, sizeof *k->sum, &rc);
    k->gap = alloc_array(k, k->n + 1, sizeof *k->gap, &rc);
    k->busy = alloc_array(k, k->n + 1, sizeof *k->busy, &rc);
    if (rc == 0)
        rc = number_names(k, f);
    if (rc == 0)
        rc = list_kinds(k);
    return rc;
}

int az_kernels_make(struct az_kernels *k, struct az_job *job, size_t trace, uint32_t lane,
                    uint32_t like)
{
    int rc;
    const struct az_counted *counted = az_job_counted(job, trace, AZ_ALL_WORK, &rc);
    struct filter f = { job->traces[trace], counted, NULL };
    *k = (struct az_kernels){ .job = job, .trace = trace, .t = f.t };
    az_vec_init(&k->copies, job->mem);
    if (!counted)
        return rc;
    f.of_lane = alloc_array(k, f.t->lanes.n + 1, 1, &rc);
    for (size_t i = 0; rc == 0 && i < f.t->lanes.n; i++)
        f.of_lane[i] =
            lane == AZ_NO_ID ? f.t->lanes.v[i].device == f.t->lanes.v[like].device : i == lane;
    if (rc == 0)
        rc = make_kernels(k, &f);
    free_array(k, f.of_lane, f.t->lanes.n + 1, 1);
    return rc ? rc : list_copies(k);
}

void az_kernels_release(struct az_kernels *k)
{
    free_array(k, k->op, k->n + 1, sizeof *k->op);
    free_array(k, k->kind, k->n + 1, sizeof *k->kind);
    free_array(k, k->at, k->n + 1, sizeof *k->at);
    free_array(k, k->sum, k->n + 1, sizeof *k->sum);
    free_array(k, k->gap, k->n + 1, sizeof *k->gap);
    free_array(k, k->busy, k->n + 1, sizeof *k->busy);
    free_array(k, k->first, k->kinds + 1, sizeof *k->first);
    free_array(k, k->name, k->kinds + 1, sizeof *k->name);
    free_array(k, k->optimizer, k->kinds + 1, 1);
    free_array(k, k->ref, k->kinds + 1, sizeof *k->ref);
    free_array(k, k->used, k->kinds + 1, sizeof *k->used);
    az_vec_release(&k->copies);
}
