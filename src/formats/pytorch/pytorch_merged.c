/* Traces of several ranks that a tool has put into one file: numbers of launches and of devices are
 * unique within a rank only. The tools mark the processes of a rank: by a text in the process id
 * ("[TP01] 4711", "rank1::0"), or by an offset that they add to it. */
#include "formats/pytorch/pytorch.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A process id up to the number after "rank"; empty: it has none. */
static struct az_sv up_to_rank(struct az_sv id)
{
    const ptrdiff_t at = az_sv_ifind(id, AZ_SV("rank"));
    size_t end = at < 0 ? id.n : (size_t)at + 4;
    if (end < id.n && strchr("_-=: [", id.p[end]))
        end++;
    const size_t from = end;
    while (end < id.n && is_digit(id.p[end]))
        end++;
    return az_sv_make(id.p, end > from ? end : 0);
}

/* A process id without its number: what names the rank. */
static struct az_sv mark_of(struct az_trace *t, struct az_sv id)
{
    size_t from = 0, end;
    if (up_to_rank(id).n)
        return up_to_rank(id);
    if (id.n && is_digit(id.p[0])) { /* "4711 [TP01]" */
        while (from < id.n && is_digit(id.p[from]))
            from++;
        return az_sv_make(id.p + from, id.n - from);
    }
    for (end = id.n; end > 0 && !is_digit(id.p[end - 1]);)
        end--;
    for (from = end; from > 0 && is_digit(id.p[from - 1]);)
        from--;
    return end < id.n ? az_arena_printf(&t->arena, "%.*s#%.*s", (int)from, id.p, (int)(id.n - end),
                                        id.p + end)
                      : az_sv_make(id.p, from);
}

struct marks {
    struct az_trace *t;
    struct az_vec_u32 scope;   /* by lane */
    struct az_vec_i64 offsets; /* of processes of devices, ascending */
    struct az_intern texts;
};

/* Does the lane count: has it calls of the runtime, or work of a device? */
static int lanes_in_use(const struct az_trace *t, uint8_t **used)
{
    static const enum az_kind kinds[] = { AZ_CALL, AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
    uint8_t *u = az_mem_alloc(t->mem, t->lanes.n + 1);
    if (!u)
        return az_mem_error(t->mem);
    memset(u, 0, t->lanes.n + 1);
    for (size_t k = 0; k < AZ_LENGTH(kinds); k++)
        for (size_t i = 0; i < t->ev[kinds[k]].n; i++)
            u[t->ev[kinds[k]].lane[i]] = 1;
    *used = u;
    return AZ_OK;
}

static int add_offset(struct az_vec_i64 *list, int64_t offset)
{
    size_t at = list->n;
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i] == offset)
            return AZ_OK;
    const int rc = az_vec_push(list, offset);
    for (; rc == 0 && at > 0 && list->v[at - 1] > offset; at--)
        list->v[at] = list->v[at - 1];
    if (rc == 0)
        list->v[at] = offset;
    return rc;
}

/* The process of a device is the device's number, and more by an offset. */
static int find_offsets(struct marks *m, const uint8_t *used)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < m->t->lanes.n; i++) {
        const struct az_lane *l = &m->t->lanes.v[i];
        if (used[i] && l->device_side && !(l->pid & AZ_PYTORCH_IS_TEXT) && l->device >= 0 &&
            l->pid >= (uint64_t)l->device)
            rc = add_offset(&m->offsets, (int64_t)l->pid - l->device);
    }
    return rc;
}

static int scope_of(struct marks *m, const struct az_lane *l, uint32_t *scope)
{
    if (l->pid & AZ_PYTORCH_IS_TEXT) {
        const int rc =
            az_intern(&m->texts, mark_of(m->t, az_trace_text(m->t, (uint32_t)l->pid)), scope);
        *scope += 1 + (uint32_t)m->offsets.n;
        return rc;
    }
    size_t k = m->offsets.n;
    while (k > 0 && m->offsets.v[k - 1] > (int64_t)l->pid)
        k--;
    *scope = (uint32_t)k;
    return AZ_OK;
}

/* Each scope of a device has a host, and there is more than one: else the marks mean something
 * else. */
static bool is_merged(const struct marks *m, const uint8_t *used)
{
    uint32_t first = AZ_NO_ID;
    bool several = false;
    for (size_t i = 0; i < m->t->lanes.n; i++) {
        bool host = false;
        if (!used[i] || !m->t->lanes.v[i].device_side)
            continue;
        first = first == AZ_NO_ID ? m->scope.v[i] : first;
        several |= m->scope.v[i] != first;
        for (size_t k = 0; k < m->t->lanes.n && !host; k++)
            host = used[k] && !m->t->lanes.v[k].device_side && m->scope.v[k] == m->scope.v[i];
        if (!host)
            return false;
    }
    return several;
}

/* Equal numbers of devices of two scopes are two devices: all are numbered again. */
static void number_devices(struct marks *m, const uint8_t *used)
{
    struct az_lane *l = m->t->lanes.v;
    const size_t n = m->t->lanes.n;
    bool again = false;
    int64_t next = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            again |= used[i] && used[k] && l[i].device_side && l[k].device_side &&
                     l[i].device == l[k].device && m->scope.v[i] != m->scope.v[k];
    if (!again)
        return;
    int64_t *fresh = az_arena_array(&m->t->arena, n, sizeof *fresh);
    for (size_t i = 0; fresh && i < n; i++) {
        fresh[i] = -1;
        for (size_t k = 0; k < i && l[i].device_side; k++)
            if (l[k].device_side && l[i].device == l[k].device && m->scope.v[i] == m->scope.v[k])
                fresh[i] = fresh[k];
        if (fresh[i] < 0 && l[i].device_side)
            fresh[i] = next++;
    }
    for (size_t i = 0; fresh && i < n; i++)
        if (l[i].device_side)
            l[i].device = fresh[i];
}

int az_pytorch_find_merged(struct az_pytorch_reader *r)
{
    struct marks m = { .t = r->trace };
    uint8_t *used = NULL;
    int rc = lanes_in_use(m.t, &used);
    az_vec_init(&m.scope, m.t->mem);
    az_vec_init(&m.offsets, m.t->mem);
    az_intern_init(&m.texts, &m.t->arena, m.t->mem);
    if (rc == 0)
        rc = find_offsets(&m, used);
    for (size_t i = 0; rc == 0 && i < m.t->lanes.n; i++) {
        uint32_t scope = 0;
        rc = scope_of(&m, &m.t->lanes.v[i], &scope);
        if (rc == 0)
            rc = az_vec_push(&m.scope, scope);
    }
    if (rc == 0 && is_merged(&m, used)) {
        number_devices(&m, used);
        az_optrace(m.t)->lane_scopes = m.scope;
        az_vec_init(&m.scope, m.t->mem);
        az_trace_note(m.t, "ranks merged into this file", 0,
                      "distinguished by their process ids; launches and devices are matched within "
                      "each");
    }
    az_mem_free(m.t->mem, used, m.t->lanes.n + 1);
    az_vec_release(&m.scope);
    az_vec_release(&m.offsets);
    az_intern_release(&m.texts);
    return rc;
}
