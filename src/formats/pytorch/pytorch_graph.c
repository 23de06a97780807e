/* Nodes of graphs as the CUPTI monitor has them (docs/formats-pytorch.md 1.6): annotations as
 * modules, what waits for what, nodes that are no device work. */
#include "formats/pytorch/pytorch.h"

/* A list as text ('["layers.0", "mlp"]') is a path: layers.0/mlp. */
static struct az_sv path_of(struct az_pytorch_reader *r, struct az_sv text)
{
    struct az_jview list;
    struct az_sv item, path = AZ_SV("");
    if (!az_jview_array(&list, text))
        return text;
    while (az_jview_next(&list, &item)) {
        if (item.n >= 2 && item.p[0] == '"')
            item = az_json_unescape(&r->scratch, az_sv_make(item.p + 1, item.n - 2));
        path = az_arena_printf(&r->scratch, "%.*s%s%.*s", AZ_SVF(path), path.n ? "/" : "",
                               AZ_SVF(item));
    }
    return path;
}

/* Id of the module of a node; AZ_NO_ID: it has none. */
static int module_of(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                     uint32_t *module)
{
    const bool whole = az_pytorch_has(e, AZ_PYTORCH_ANNOTATION);
    struct az_sv text = az_pytorch_text(e, whole ? AZ_PYTORCH_ANNOTATION : AZ_PYTORCH_MODULE);
    *module = AZ_NO_ID;
    if (!text.n)
        return 0;
    text = az_json_unescape(&r->scratch, text);
    if (text.p && whole && text.n && text.p[0] == '[')
        text = path_of(r, text);
    if (!text.p)
        return az_arena_error(&r->scratch);
    if (text.n)
        *module = az_trace_name(r->trace, text);
    return 0;
}

int az_pytorch_graph_node(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_optrace *o = az_optrace(r->trace);
    struct az_graph_node n = { .uid = r->uid,
                               .id = (uint64_t)az_pytorch_number(e, AZ_PYTORCH_GRAPH_NODE, 0) };
    o->logical_lanes += az_pytorch_has(e, AZ_PYTORCH_ORIGINAL) &&
                        az_pytorch_has(e, AZ_PYTORCH_STREAM) &&
                        e->number[AZ_PYTORCH_ORIGINAL] != e->number[AZ_PYTORCH_STREAM];
    if (!n.id)
        return 0;
    const int rc = module_of(r, e, &n.module);
    return rc ? rc : az_vec_push(&o->graph_nodes, n);
}

int az_pytorch_graph_wait(struct az_pytorch_reader *r, const struct az_pytorch_event *e, int64_t id)
{
    struct az_graph_wait w = { .id = (uint64_t)id, .at = e->ts, .start = e->ph == 's' };
    if (!e->has_ts || (e->ph != 's' && e->ph != 'f')) {
        r->no_time++;
        return 0;
    }
    const int rc = az_pytorch_lane(r, e, true, &w.lane);
    r->trace->kept++;
    return rc ? rc : az_vec_push(&az_optrace(r->trace)->graph_waits, w);
}

bool az_pytorch_is_graph_pass(struct az_sv cat)
{
    return az_sv_is(cat, "graph_event_node") || az_sv_is(cat, "graph_host_node");
}

int az_pytorch_graph_pass(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_graph_pass p = { .start = e->ts };
    if (!e->has_ts || !e->has_dur || e->dur < 0 || __builtin_add_overflow(e->ts, e->dur, &p.end)) {
        r->no_time++;
        return 0;
    }
    const int rc = az_pytorch_lane(r, e, true, &p.lane);
    r->trace->kept++;
    return rc ? rc : az_vec_push(&az_optrace(r->trace)->graph_passes, p);
}
