/* Nodes of the two trees: their names, children, device events; lists and pairs of them. */
#include "analyses/diff/internal.h"

struct az_sv az_diff_name(const struct az_diff_side *s, uint32_t node)
{
    if (node < s->n_host)
        return az_node_name(s->tree, node);
    const uint32_t id = az_gpu_event(s->tree, node - s->n_host).name;
    return id == AZ_NO_ID ? AZ_SV("") : az_trace_text(s->trace, id);
}

static uint32_t name_id(const struct az_diff_side *s, uint32_t node)
{
    uint32_t row;
    if (node >= s->n_host)
        return az_gpu_event(s->tree, node - s->n_host).name;
    const enum az_kind k = az_node_kind(s->tree, node, &row);
    return s->trace->ev[k].name[row];
}

bool az_diff_is_call(const struct az_diff_side *s, uint32_t node)
{
    return node >= s->tree->first_call && node < s->tree->first_frame;
}

bool az_diff_on_path(const struct az_diff_side *s, uint32_t node)
{
    uint32_t first, end;
    if (az_diff_is_gpu(s, node))
        return true;
    az_node_gpu(s->tree, node, &first, &end);
    return first < end;
}

int az_diff_events(const struct az_diff_side *s, uint32_t node, struct az_vec_u32 *gpu)
{
    uint32_t first, end;
    int rc = 0;
    if (az_diff_is_gpu(s, node))
        return az_vec_push(gpu, node - s->n_host);
    az_node_gpu(s->tree, node, &first, &end);
    for (; rc == 0 && first < end; first++)
        rc = az_vec_push(gpu, s->tree->linked[first]);
    return rc;
}

/* ---- names ---- */

static bool hex_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int az_diff_normal(struct az_arena *a, struct az_sv name, bool loose, struct az_sv *out)
{
    char *text = az_arena_alloc(a, name.n + 8);
    size_t n = 0;
    if (!text)
        return az_arena_error(a);
    if (az_sv_is(name, "hipModuleLaunchKernel"))
        name = AZ_SV("cuLaunchKernel");
    const ptrdiff_t py = az_sv_find(name, AZ_SV(".py("));
    if (loose && py >= 0) { /* the file alone: neither its folders nor the function */
        size_t at = (size_t)py;
        while (at > 0 && name.p[at - 1] != '/')
            at--;
        name = az_sv_make(name.p + at, (size_t)py + 3 - at);
    }
    for (size_t i = 0; i < name.n;) {
        size_t end = i + 2;
        if (name.p[i] == '0' && i + 2 < name.n && name.p[i + 1] == 'x' &&
            hex_digit(name.p[i + 2])) {
            while (end < name.n && hex_digit(name.p[end]))
                end++;
            memcpy(text + n, "0xXXXX", end - i < 6 ? end - i : 6); /* never longer than it was */
            n += end - i < 6 ? end - i : 6;
            i = end;
        } else if (az_sv_starts(az_sv_make(name.p + i, name.n - i), AZ_SV(".py("))) {
            for (end = i + 4; end < name.n && name.p[end] >= '0' && name.p[end] <= '9';)
                end++;
            memcpy(text + n, ".py", 3);
            n += 3;
            i = end < name.n && name.p[end] == ')' ? end + 1 : i + 3;
        } else {
            text[n++] = name.p[i++];
        }
    }
    *out = az_sv_make(text, n);
    return 0;
}

int az_diff_name_id(struct az_merger *m, int side, uint32_t node, bool loose, uint32_t *id)
{
    struct az_diff_side *s = &m->d->side[side];
    const uint32_t raw = name_id(s, node);
    struct az_sv text;
    *id = AZ_NO_ID;
    if (raw == AZ_NO_ID)
        return 0;
    if (!loose && s->name_of.v[raw]) {
        *id = s->name_of.v[raw] - 1;
        return 0;
    }
    int rc = az_diff_normal(&m->scratch, az_trace_text(s->trace, raw), loose, &text);
    if (rc == 0)
        rc = az_intern(&m->d->names, text, id);
    if (rc == 0 && !loose)
        s->name_of.v[raw] = *id + 1;
    return rc;
}

/* ---- children ---- */

uint32_t az_diff_next_child(const struct az_calltree *c, uint32_t node, uint32_t after)
{
    const uint32_t pre = after == AZ_NO_ROW ? c->pre[node] + 1 : c->last[after] + 1;
    return pre <= c->last[node] ? c->by_pre[pre] : AZ_NO_ROW;
}

int az_diff_children(const struct az_diff_side *s, uint32_t node, struct az_vec_u32 *out)
{
    uint32_t first, end;
    int rc = 0;
    az_vec_reset(out);
    if (az_diff_is_gpu(s, node))
        return 0;
    for (uint32_t c = az_diff_next_child(s->tree, node, AZ_NO_ROW); rc == 0 && c != AZ_NO_ROW;
         c = az_diff_next_child(s->tree, node, c))
        if (az_diff_on_path(s, c))
            rc = az_vec_push(out, c);
    if (!az_diff_is_call(s, node))
        return rc;
    az_node_gpu(s->tree, node, &first, &end);
    for (; rc == 0 && first < end; first++)
        if (s->tree->gpu_node[s->tree->linked[first]] == node)
            rc = az_vec_push(out, s->n_host + s->tree->linked[first]);
    return rc;
}

bool az_diff_has_id(const struct az_vec_u32 *ids, uint32_t id)
{
    for (size_t i = 0; i < ids->n; i++)
        if (ids->v[i] == id)
            return true;
    return false;
}

int az_diff_ids(struct az_merger *m, int side, const struct az_vec_u32 *nodes, bool loose,
                struct az_vec_u32 *out)
{
    int rc = 0;
    az_vec_reset(out);
    for (size_t i = 0; rc == 0 && i < nodes->n; i++) {
        uint32_t id;
        rc = az_diff_name_id(m, side, nodes->v[i], loose, &id);
        if (rc == 0)
            rc = az_vec_push(out, id);
    }
    return rc;
}

/* ---- the merged tree ---- */

int az_diff_add_pair(struct az_merger *m, uint32_t a, uint32_t b)
{
    return az_vec_push(&m->pairs, ((struct az_pair){ { a, b } }));
}

/* k-th of a name to the k-th of that name. */
