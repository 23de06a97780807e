/* Metadata of a process of a results.json: metadata, agents, counters, names of operations;
 * and, when the process is read to its end, the numbers of its records replaced by names
 * (docs/formats-rocprof.md 2).
 */
#include <inttypes.h>

#include "base/num.h"
#include "formats/rocm/rocprof_json.h"

static int64_t integer(struct az_sv raw)
{
    int64_t v;
    return az_parse_i64(raw, &v) == 0 ? v : 0;
}

static void add_fact(struct az_rocprof_json *j, const char *key, struct az_sv value)
{
    for (size_t i = 0; i < j->r->t->facts.n; i++) /* of several processes the first one's */
        if (az_sv_is(j->r->t->facts.v[i].key, key))
            return;
    if (value.n)
        az_trace_fact(j->r->t, key, value);
}

static void read_node(struct az_rocprof_json *j, struct az_sv raw)
{
    static const char *const wanted[] = { "hostname", "machine_id", "system_name", "release" };
    struct az_jview object;
    struct az_sv key, value;
    if (!az_jview_object(&object, raw))
        return;
    while (az_jview_member(&object, &key, &value))
        for (size_t i = 0; i < AZ_LENGTH(wanted); i++)
            if (az_sv_is(key, wanted[i]))
                add_fact(j, wanted[i], az_json_text(&j->arena, value));
}

static void command(struct az_rocprof_json *j, struct az_sv raw)
{
    struct az_jview list;
    struct az_sv item, line = AZ_SV("");
    if (!az_jview_array(&list, raw))
        return;
    while (az_jview_next(&list, &item)) {
        struct az_sv word = az_json_text(&j->arena, item);
        line =
            az_arena_printf(&j->arena, "%.*s%s%.*s", AZ_SVF(line), line.n ? " " : "", AZ_SVF(word));
    }
    add_fact(j, "command", line);
}

int az_rocprof_json_metadata(struct az_rocprof_json *j, struct az_sv raw)
{
    struct az_process *p = az_rocprof_current(j->r);
    struct az_jview object;
    struct az_sv key, value;
    if (!az_jview_object(&object, raw))
        return 0;
    while (az_jview_member(&object, &key, &value)) {
        if (az_sv_is(key, "pid"))
            p->pid = j->r->pid = integer(value);
        else if (az_sv_is(key, "init_time"))
            p->init = integer(value);
        else if (az_sv_is(key, "fini_time"))
            p->fini = integer(value);
        else if (az_sv_is(key, "node"))
            read_node(j, value);
        else if (az_sv_is(key, "command"))
            command(j, value);
    }
    return j->arena.failed ? az_arena_error(&j->arena) : 0;
}

/* {"handle": N} */
static uint64_t handle_of(struct az_sv raw)
{
    struct az_jview object;
    struct az_sv key, value;
    uint64_t v = 0;
    if (!az_jview_object(&object, raw))
        return az_parse_u64(raw, &v) == 0 ? v : 0;
    while (az_jview_member(&object, &key, &value))
        if (az_sv_is(key, "handle") && az_parse_u64(value, &v) != 0)
            v = 0;
    return v;
}

static int64_t memory_of(struct az_sv raw)
{
    struct az_jview list, object;
    struct az_sv item, key, value;
    int64_t sum = 0;
    if (!az_jview_array(&list, raw))
        return 0;
    while (az_jview_next(&list, &item) && az_jview_object(&object, item))
        while (az_jview_member(&object, &key, &value))
            if (az_sv_is(key, "size_in_bytes"))
                sum = az_add_sat(sum, integer(value));
    return sum;
}

static int agent(struct az_rocprof_json *j, struct az_sv raw)
{
    int64_t index = -1, node_id = -1, cus = 0, bytes = 0, type = 0;
    uint64_t id = 0;
    struct az_sv name = AZ_SV(""), product = AZ_SV(""), key, value;
    struct az_jview object;
    uint32_t *at;
    bool added;
    if (!az_jview_object(&object, raw))
        return 0;
    while (az_jview_member(&object, &key, &value)) {
        int64_t *to = az_sv_is(key, "logical_node_id") ? &index
                      : az_sv_is(key, "node_id")       ? &node_id
                      : az_sv_is(key, "cu_count")      ? &cus
                      : az_sv_is(key, "type")          ? &type
                                                       : NULL;
        if (to)
            *to = integer(value);
        else if (az_sv_is(key, "id"))
            id = handle_of(value);
        else if (az_sv_is(key, "name"))
            name = az_json_text(&j->arena, value);
        else if (az_sv_is(key, "product_name"))
            product = az_json_text(&j->arena, value);
        else if (az_sv_is(key, "mem_banks"))
            bytes = memory_of(value);
    }
    index = index >= 0 ? index : node_id;
    if (index < 0 || index > INT32_MAX)
        return 0;
    int rc = az_map_put(&j->agent_of, id, 0, (uint32_t)index, &at, &added);
    return rc ? rc
              : az_rocprof_agent(j->r, index, type == 2, product.n ? product : name, cus, bytes);
}

int az_rocprof_json_agents(struct az_rocprof_json *j, struct az_sv raw)
{
    struct az_jview list;
    struct az_sv item;
    int rc = 0;
    if (!az_jview_array(&list, raw))
        return 0;
    while (rc == 0 && az_jview_next(&list, &item))
        rc = agent(j, item);
    return rc;
}

int az_rocprof_json_counter_list(struct az_rocprof_json *j, struct az_sv raw)
{
    struct az_jview list, object;
    struct az_sv item, key, value;
    int rc = 0;
    if (!az_jview_array(&list, raw))
        return 0;
    while (rc == 0 && az_jview_next(&list, &item) && az_jview_object(&object, item)) {
        struct az_sv name = AZ_SV("");
        uint64_t id = 0;
        uint32_t at;
        while (az_jview_member(&object, &key, &value)) {
            if (az_sv_is(key, "id"))
                id = handle_of(value);
            else if (az_sv_is(key, "name"))
                name = az_json_text(&j->arena, value);
        }
        rc = az_rocprof_json_counter_number(j, id, &at);
        if (rc == 0 && name.n)
            j->counter_names.v[at].name = az_trace_name(j->r->t, name);
    }
    return rc;
}

int az_rocprof_json_operations(struct az_rocprof_json *j, struct az_sv raw)
{
    struct az_jview list, object, inner;
    struct az_sv item, key, value, text;
    int rc = 0;
    if (!az_jview_array(&list, raw))
        return 0;
    while (rc == 0 && az_jview_next(&list, &item)) {
        struct az_rocprof_json_kind k = { .name = AZ_SV(""), .first = j->operations.n };
        bool known = az_jview_object(&object, item);
        while (known && rc == 0 && az_jview_member(&object, &key, &value)) {
            if (az_sv_is(key, "kind"))
                k.name = az_json_text(&j->arena, value);
            else if (az_sv_is(key, "operations") && az_jview_array(&inner, value))
                while (rc == 0 && az_jview_next(&inner, &text))
                    rc = az_vec_push(&j->operations, az_json_text(&j->arena, text));
        }
        k.n = j->operations.n - k.first;
        if (rc == 0)
            rc = az_vec_push(&j->kinds, k);
    }
    return j->arena.failed ? az_arena_error(&j->arena) : rc;
}

/* ---- begin and end of a process ---- */

int az_rocprof_json_process_begin(struct az_rocprof_json *j)
{
    struct az_trace *t = j->r->t;
    struct az_mem *mem = j->r->job->mem;
    for (size_t k = 0; k < AZ_KIND_COUNT; k++)
        j->first_event[k] = t->ev[k].n;
    j->first_row = j->r->d->rows.n;
    j->first_counter = j->r->d->counters.n;
    j->first_pending = j->r->n_pending;
    j->first_alloc = j->r->d->allocs.n;
    j->first_lane = t->lanes.n;
    j->said_process = j->said_agents = j->late_process = j->late_agents = false;
    az_arena_init(&j->arena, mem);
    az_vec_init(&j->symbols, mem);
    az_vec_init(&j->counter_names, mem);
    az_vec_init(&j->kinds, mem);
    az_vec_init(&j->operations, mem);
    az_vec_init(&j->shapes.shapes, mem);
    az_vec_init(&j->handles, mem);
    struct az_map *maps[] = { &j->kernel_of, &j->agent_of, &j->counter_of, &j->marker_of,
                              &j->shapes.shape_of };
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_init(maps[i], mem, 64);
    return az_rocprof_process(j->r, 0, 0, 0);
}

void az_rocprof_json_process_release(struct az_rocprof_json *j)
{
    az_map_release(&j->kernel_of);
    az_map_release(&j->agent_of);
    az_map_release(&j->counter_of);
    az_map_release(&j->marker_of);
    az_map_release(&j->shapes.shape_of);
    az_vec_release(&j->shapes.shapes);
    az_vec_release(&j->symbols);
    az_vec_release(&j->handles);
    az_vec_release(&j->counter_names);
    az_vec_release(&j->kinds);
    az_vec_release(&j->operations);
    az_arena_release(&j->arena);
}

/* Name ids of a kernel number. */
static int resolve_kernel(struct az_rocprof_json *j, uint32_t number,
                          const struct az_rocprof_json_symbol **out)
{
    struct az_rocprof_json_symbol *y = &j->symbols.v[number];
    int rc = 0;
    *out = y;
    if (y->shown_id != AZ_NO_ID)
        return 0;
    if (y->shown.n)
        y->shown_id = az_trace_name(j->r->t, y->shown);
    if (y->whole.n)
        y->whole_id = az_trace_name(j->r->t, y->whole);
    if (y->shown_id != AZ_NO_ID && y->whole_id != AZ_NO_ID)
        rc = az_rocprof_shown_name(j->r, y->whole_id, y->shown_id, &y->shown_id);
    if (rc || y->shown_id != AZ_NO_ID)
        return rc;
    uint64_t id = 0; /* the key whose number this is: rare, so a search will do */
    for (size_t i = 0; i <= j->kernel_of.mask; i++)
        if (j->kernel_of.cell[i].used && j->kernel_of.cell[i].value == number)
            id = j->kernel_of.cell[i].k0;
    y->shown_id = az_rocprof_unknown_kernel(j->r, id);
    y->whole_id = y->whole_id == AZ_NO_ID ? y->shown_id : y->whole_id;
    return j->r->t->names.error;
}

static int resolve_shape(struct az_rocprof_json *j, struct az_dispatch_shape *s)
{
    const struct az_rocprof_json_symbol *y;
    int rc = resolve_kernel(j, s->whole, &y);
    if (rc)
        return rc;
    s->whole = y->whole_id;
    s->vgpr = az_rocprof_u32(y->vgpr);
    s->agpr = az_rocprof_u32(y->agpr);
    s->sgpr = az_rocprof_u32(y->sgpr);
    return 0;
}

static int resolve_kernels(struct az_rocprof_json *j)
{
    struct az_events *e = &j->r->t->ev[AZ_KERNEL];
    struct az_dispatch_shapes *s = &j->shapes.shapes;
    const struct az_rocprof_json_symbol *y;
    int rc = 0;
    uint32_t *final = az_arena_array(&j->arena, s->n + 1, sizeof *final);
    if (!final)
        return az_arena_error(&j->arena);
    for (size_t i = 0; rc == 0 && i < s->n; i++) {
        rc = resolve_shape(j, &s->v[i]);
        if (rc == 0)
            rc = az_dispatch_shape(j->r->d, &s->v[i], &final[i]);
    }
    for (size_t i = j->first_row; rc == 0 && i < j->r->d->rows.n; i++)
        j->r->d->rows.v[i].shape = final[j->r->d->rows.v[i].shape];
    for (size_t i = j->first_event[AZ_KERNEL]; rc == 0 && i < e->n; i++) {
        rc = resolve_kernel(j, e->name[i], &y);
        e->name[i] = y->shown_id;
        j->r->unnamed += !y->known;
    }
    for (size_t i = j->first_pending; rc == 0 && i < j->r->n_pending; i++) {
        struct az_rocprof_kernel *k = &j->r->pending[i].k;
        rc = resolve_kernel(j, k->name, &y);
        k->name = y->shown_id;
        if (rc == 0)
            rc = resolve_shape(j, &k->shape);
    }
    return rc;
}

static int resolve_counters(struct az_rocprof_json *j)
{
    const struct az_rocprof_json_symbol *y;
    int rc = 0;
    for (size_t i = 0; i < j->counter_names.n; i++) {
        struct az_rocprof_json_counter *c = &j->counter_names.v[i];
        if (c->name == AZ_NO_ID)
            c->name = az_trace_name(j->r->t, az_arena_printf(&j->arena, "counter_%" PRIu64, c->id));
    }
    for (size_t i = j->first_counter; rc == 0 && i < j->r->d->counters.n; i++) {
        struct az_counter *c = &j->r->d->counters.v[i];
        rc = resolve_kernel(j, c->kernel, &y);
        c->kernel = y->shown_id;
        c->counter = j->counter_names.v[c->counter].name;
    }
    return rc;
}

/* Text of an operation's code; a number where the file does not name it. */
static struct az_sv operation_text(struct az_rocprof_json *j, uint32_t code)
{
    uint32_t kind = code >> 20, op = code & 0xfffff;
    if (kind < j->kinds.n && op < j->kinds.v[kind].n)
        return j->operations.v[j->kinds.v[kind].first + op];
    return az_arena_printf(&j->arena, "kind %" PRIu32 " operation %" PRIu32, kind, op);
}

static struct az_sv domain_text(struct az_rocprof_json *j, uint32_t kind)
{
    if (kind < j->kinds.n && j->kinds.v[kind].name.n)
        return j->kinds.v[kind].name;
    return az_arena_printf(&j->arena, "kind %" PRIu32, kind);
}

/* Operation codes in the names of one kind of events; `known` maps codes to name ids. */
static int resolve_names(struct az_rocprof_json *j, enum az_kind kind, struct az_map *known)
{
    struct az_trace *t = j->r->t;
    struct az_events *e = &t->ev[kind];
    int rc = 0;
    for (size_t i = j->first_event[kind]; rc == 0 && i < e->n; i++) {
        uint32_t code = e->name[i], *id;
        bool added;
        rc = az_map_put(known, code, 0, 0, &id, &added);
        if (rc)
            break;
        if (added)
            *id = az_trace_name(t, operation_text(j, code));
        e->name[i] = *id;
        bool core =
            kind == AZ_RANGE && az_sv_starts(domain_text(j, code >> 20), AZ_SV("MARKER_CORE"));
        uint32_t marker = core ? az_map_get(&j->marker_of, e->corr[i], 0) : AZ_NO_ID;
        if (marker != AZ_NO_ID)
            e->name[i] = marker;
        if (kind != AZ_CALL)
            continue;
        rc = az_map_put(known, e->side[i], 1, 0, &id, &added);
        if (rc == 0 && added)
            *id = az_trace_name(t, domain_text(j, e->side[i]));
        if (rc == 0)
            e->side[i] = *id;
    }
    return rc;
}

/* ---- a process with its id after its records (another program sorted its keys) ---- */

static int64_t late_agent(const struct az_rocprof_json *j, int64_t number)
{
    return number >= 0 && (uint64_t)number < j->handles.n
               ? az_rocprof_json_agent_index(j, j->handles.v[number])
               : number;
}

static int32_t late_route(const struct az_rocprof_json *j, int32_t number)
{
    return number < 0 ? number : (int32_t)late_agent(j, number);
}

/* A copy's lane depends on which of its agents is a GPU. */
static int late_copies(struct az_rocprof_json *j)
{
    struct az_trace *t = j->r->t;
    struct az_events *e = &t->ev[AZ_MEMCPY];
    int rc = 0;
    for (size_t i = j->first_event[AZ_MEMCPY]; rc == 0 && i < e->n; i++) {
        struct az_route *route = &j->r->d->routes.v[e->side[i]];
        const struct az_lane old = t->lanes.v[e->lane[i]];
        route->src = late_route(j, route->src);
        route->dst = late_route(j, route->dst);
        const struct az_rocprof_copy c = { .queue = (int64_t)old.tid,
                                           .stream = (int64_t)old.context,
                                           .src = route->src,
                                           .dst = route->dst };
        rc = az_rocprof_copy_lane(j->r, &c, operation_text(j, e->name[i]), &e->lane[i]);
    }
    return rc;
}

/* Numbers become indexes. Lanes made so far are this process's own; those that copies move to are
 * new. */
static int correct_agents(struct az_rocprof_json *j)
{
    struct az_trace *t = j->r->t;
    for (size_t i = j->first_lane; i < t->lanes.n; i++)
        if (t->lanes.v[i].device_side)
            t->lanes.v[i].device = late_agent(j, t->lanes.v[i].device);
    for (size_t i = j->first_pending; i < j->r->n_pending; i++)
        j->r->pending[i].k.agent = late_agent(j, j->r->pending[i].k.agent);
    for (size_t i = j->first_alloc; i < j->r->d->allocs.n; i++) {
        int32_t *agent = &j->r->d->allocs.v[i].agent;
        const bool known =
            *agent >= 0 && az_map_get(&j->agent_of, j->handles.v[*agent], 0) != AZ_NO_ID;
        *agent = known ? late_route(j, *agent) : AZ_NO_AGENT;
    }
    memset(j->r->lanes, 0, sizeof j->r->lanes);
    return late_copies(j);
}

static void correct_process(struct az_rocprof_json *j)
{
    for (size_t i = j->first_lane; i < j->r->t->lanes.n; i++)
        j->r->t->lanes.v[i].pid = (uint64_t)j->r->pid;
    for (size_t i = j->first_pending; i < j->r->n_pending; i++)
        j->r->pending[i].pid = j->r->pid;
}

int az_rocprof_json_process_end(struct az_rocprof_json *j)
{
    static const enum az_kind named[] = { AZ_MEMCPY, AZ_CALL, AZ_RANGE, AZ_ALLOC };
    struct az_map known;
    int rc = az_vec_error(&j->handles);
    if (rc == 0 && j->late_agents)
        rc = correct_agents(j);
    if (j->late_process)
        correct_process(j);
    if (rc == 0)
        rc = resolve_kernels(j);
    if (rc == 0)
        rc = resolve_counters(j);
    az_map_init(&known, j->r->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(named); i++)
        rc = resolve_names(j, named[i], &known);
    az_map_release(&known);
    if (rc == 0 && j->arena.failed)
        rc = az_arena_error(&j->arena);
    az_rocprof_json_process_release(j);
    return rc;
}
