/* Two call trees become one. */
#include "analyses/treediff.h"

#define REPEATED   4096 /* pairs of repeated names that are scored */
#define LEVELS     4    /* levels of a subtree that are compared to score a pair */
#define LEVEL_SIZE 256  /* nodes of one level that are looked at */
#define UNWRAP     64   /* left-over nodes of one side that are looked into */

struct item { /* a merged node to be made */
    uint32_t node[2], parent, depth;
    bool last_sibling;
};
AZ_VEC(struct item, items);

struct pair {
    uint32_t node[2];
};
AZ_VEC(struct pair, pairs);

struct merger {
    struct az_diff *d;
    struct items stack;
    struct az_vec_u32 list[2], ids[2], match;
    struct pairs pairs;
    struct az_arena scratch;
};

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

static bool is_call(const struct az_diff_side *s, uint32_t node)
{
    return node >= s->tree->first_call && node < s->tree->first_frame;
}
static bool is_gpu(const struct az_diff_side *s, uint32_t node) { return node >= s->n_host; }

bool az_diff_on_path(const struct az_diff_side *s, uint32_t node)
{
    uint32_t first, end;
    if (is_gpu(s, node))
        return true;
    az_node_gpu(s->tree, node, &first, &end);
    return first < end;
}

int az_diff_events(const struct az_diff_side *s, uint32_t node, struct az_vec_u32 *gpu)
{
    uint32_t first, end;
    int rc = 0;
    if (is_gpu(s, node))
        return az_vec_push(gpu, node - s->n_host);
    az_node_gpu(s->tree, node, &first, &end);
    for (; rc == 0 && first < end; first++)
        rc = az_vec_push(gpu, s->tree->linked[first]);
    return rc;
}

/* ---- names ---- */

static bool hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

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
        if (name.p[i] == '0' && i + 2 < name.n && name.p[i + 1] == 'x' && hex_digit(name.p[i + 2])) {
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

static int normal_id(struct merger *m, int side, uint32_t node, bool loose, uint32_t *id)
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

/* Next host child of a node behind `after` (AZ_NO_ROW: the first); AZ_NO_ROW at the end. */
static uint32_t next_child(const struct az_calltree *c, uint32_t node, uint32_t after)
{
    const uint32_t pre = after == AZ_NO_ROW ? c->pre[node] + 1 : c->last[after] + 1;
    return pre <= c->last[node] ? c->by_pre[pre] : AZ_NO_ROW;
}

/* Children with device work, and the device events a call launched itself. */
static int children(const struct az_diff_side *s, uint32_t node, struct az_vec_u32 *out)
{
    uint32_t first, end;
    int rc = 0;
    az_vec_reset(out);
    if (is_gpu(s, node))
        return 0;
    for (uint32_t c = next_child(s->tree, node, AZ_NO_ROW); rc == 0 && c != AZ_NO_ROW; c = next_child(s->tree, node, c))
        if (az_diff_on_path(s, c))
            rc = az_vec_push(out, c);
    if (!is_call(s, node))
        return rc;
    az_node_gpu(s->tree, node, &first, &end);
    for (; rc == 0 && first < end; first++)
        if (s->tree->gpu_call[s->tree->linked[first]] == node)
            rc = az_vec_push(out, s->n_host + s->tree->linked[first]);
    return rc;
}

static bool has_id(const struct az_vec_u32 *ids, uint32_t id)
{
    for (size_t i = 0; i < ids->n; i++)
        if (ids->v[i] == id)
            return true;
    return false;
}

static int ids_of(struct merger *m, int side, const struct az_vec_u32 *nodes, bool loose, struct az_vec_u32 *out)
{
    int rc = 0;
    az_vec_reset(out);
    for (size_t i = 0; rc == 0 && i < nodes->n; i++) {
        uint32_t id;
        rc = normal_id(m, side, nodes->v[i], loose, &id);
        if (rc == 0)
            rc = az_vec_push(out, id);
    }
    return rc;
}

/* A child with device work on the other side only is still its counterpart: adds those of `side`. */
static int add_counterparts(struct merger *m, int side, uint32_t node)
{
    const struct az_diff_side *s = &m->d->side[side];
    struct az_vec_u32 *list = &m->list[side], joined;
    size_t at = 0;
    int rc = 0;
    if (is_gpu(s, node) || m->ids[!side].n == 0)
        return 0;
    az_vec_init(&joined, m->d->mem);
    for (uint32_t c = next_child(s->tree, node, AZ_NO_ROW); rc == 0 && c != AZ_NO_ROW;
         c = next_child(s->tree, node, c)) {
        uint32_t id;
        bool take = at < list->n && list->v[at] == c;
        at += take;
        if (!take) {
            rc = normal_id(m, side, c, false, &id);
            take = id != AZ_NO_ID && has_id(&m->ids[!side], id) && !has_id(&m->ids[side], id);
        }
        if (rc == 0 && take)
            rc = az_vec_push(&joined, c);
    }
    for (; rc == 0 && at < list->n; at++) /* device events */
        rc = az_vec_push(&joined, list->v[at]);
    az_vec_release(list);
    *list = joined;
    return rc ? rc : ids_of(m, side, list, false, &m->ids[side]);
}

/* Through operators and frames that hold nothing but one other: the first that branches or launches. */
static uint32_t unwrapped(const struct az_diff_side *s, uint32_t node)
{
    for (;;) {
        uint32_t only = AZ_NO_ROW, n = 0;
        if (is_gpu(s, node) || is_call(s, node))
            return node;
        for (uint32_t c = next_child(s->tree, node, AZ_NO_ROW); c != AZ_NO_ROW && n < 2;
             c = next_child(s->tree, node, c))
            if (az_diff_on_path(s, c)) {
                only = c;
                n++;
            }
        if (n != 1 || is_call(s, only))
            return node;
        node = only;
    }
}

static int both_children(struct merger *m, const uint32_t node[2])
{
    int rc = 0;
    for (int k = 0; rc == 0 && k < 2; k++) {
        rc = children(&m->d->side[k], node[k], &m->list[k]);
        if (rc == 0)
            rc = ids_of(m, k, &m->list[k], false, &m->ids[k]);
    }
    for (int k = 0; rc == 0 && k < 2; k++)
        rc = add_counterparts(m, k, node[k]);
    for (int k = 0; rc == 0 && k < 2; k++) { /* one against many: what the one holds is against them */
        const struct az_diff_side *s = &m->d->side[k];
        if (m->list[k].n != 1 || m->list[!k].n < 2 || has_id(&m->ids[!k], m->ids[k].v[0]) ||
            is_gpu(s, m->list[k].v[0]) || is_call(s, m->list[k].v[0]))
            continue;
        rc = children(s, unwrapped(s, m->list[k].v[0]), &m->list[k]);
        if (rc == 0)
            rc = ids_of(m, k, &m->list[k], false, &m->ids[k]);
        break;
    }
    return rc;
}

/* ---- pairing ---- */

static int add_pair(struct merger *m, uint32_t a, uint32_t b)
{
    return az_vec_push(&m->pairs, ((struct pair){ { a, b } }));
}

/* k-th of a name to the k-th of that name. */
static int pair_by_order(struct merger *m)
{
    struct az_map next;
    int rc = az_map_init(&next, m->d->mem, m->list[0].n);
    m->d->paired_by_order++;
    for (size_t i = 0; i < m->list[0].n; i++)
        m->match.v[i] = AZ_NO_ROW;
    for (int side = 0; rc == 0 && side < 2; side++)
        for (size_t i = 0; rc == 0 && i < m->list[side].n; i++) {
            uint32_t *count, *at;
            bool added;
            rc = az_map_put(&next, m->ids[side].v[i], (uint64_t)side, 0, &count, &added);
            const uint32_t k = rc ? 0 : (*count)++;
            if (rc == 0)
                rc = az_map_put(&next, m->ids[side].v[i], 2 + (uint64_t)k, (uint32_t)i, &at, &added);
            if (rc == 0 && side == 1 && !added && *at != AZ_NO_ROW) {
                m->match.v[*at] = (uint32_t)i;
                *at = AZ_NO_ROW;
            }
        }
    az_map_release(&next);
    return rc;
}

/* Aligns the lists by their ids; pairs go to m->pairs, what is left over stays in the lists. */
static int align_lists(struct merger *m)
{
    int rc = 0;
    size_t left = 0;
    if (m->list[0].n == 0 || m->list[1].n == 0)
        return 0;
    az_vec_reset(&m->match);
    rc = az_vec_reserve(&m->match, m->list[0].n);
    if (rc)
        return rc;
    if (m->list[0].n > AZ_DIFF_CHILDREN || m->list[1].n > AZ_DIFF_CHILDREN)
        rc = pair_by_order(m);
    else
        rc = az_diff_align(m->ids[0].v, m->list[0].n, m->ids[1].v, m->list[1].n, m->match.v, m->d->mem);
    for (size_t i = 0; rc == 0 && i < m->list[0].n; i++) {
        const uint32_t j = m->match.v[i];
        if (j == AZ_NO_ROW) {
            m->list[0].v[left] = m->list[0].v[i];
            m->ids[0].v[left++] = m->ids[0].v[i];
            continue;
        }
        rc = add_pair(m, m->list[0].v[i], m->list[1].v[j]);
        m->list[1].v[j] = AZ_NO_ROW;
    }
    m->list[0].n = m->ids[0].n = left;
    left = 0;
    for (size_t j = 0; j < m->list[1].n; j++)
        if (m->list[1].v[j] != AZ_NO_ROW) {
            m->list[1].v[left] = m->list[1].v[j];
            m->ids[1].v[left++] = m->ids[1].v[j];
        }
    m->list[1].n = m->ids[1].n = left;
    return rc;
}

static bool any_call(const struct merger *m)
{
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < m->list[k].n; i++)
            if (is_call(&m->d->side[k], m->list[k].v[i]))
                return true;
    return false;
}

/* ---- names that occur more than once: which of them looks alike ---- */

/* Ids of the nodes of one level, sorted. `level` holds the nodes and gets those of the next. */
static int level_ids(struct merger *m, int side, struct az_vec_u32 *level, struct az_vec_u32 *ids)
{
    struct az_vec_u32 next, own;
    int rc = 0;
    az_vec_init(&next, m->d->mem);
    az_vec_init(&own, m->d->mem);
    for (size_t i = 0; rc == 0 && i < level->n && next.n < LEVEL_SIZE; i++) {
        rc = children(&m->d->side[side], level->v[i], &own);
        for (size_t k = 0; rc == 0 && k < own.n && next.n < LEVEL_SIZE; k++)
            rc = az_vec_push(&next, own.v[k]);
    }
    if (rc == 0)
        rc = ids_of(m, side, &next, false, ids);
    for (size_t i = 1; rc == 0 && i < ids->n; i++) { /* few */
        const uint32_t v = ids->v[i];
        size_t k = i;
        for (; k > 0 && ids->v[k - 1] > v; k--)
            ids->v[k] = ids->v[k - 1];
        ids->v[k] = v;
    }
    az_vec_release(level);
    az_vec_release(&own);
    *level = next;
    return rc;
}

static double overlap(const struct az_vec_u32 *a, const struct az_vec_u32 *b)
{
    size_t i = 0, j = 0, same = 0;
    while (i < a->n && j < b->n) {
        const uint32_t x = a->v[i], y = b->v[j];
        same += x == y;
        i += x <= y;
        j += y <= x;
    }
    const size_t most = a->n > b->n ? a->n : b->n;
    return most ? (double)same / (double)most : 1;
}

/* How alike two subtrees are: equal levels, and the share that is equal of the first that differs. */
static int likeness(struct merger *m, uint32_t a, uint32_t b, double *score)
{
    struct az_vec_u32 level[2], ids[2];
    int rc = 0;
    *score = 0;
    for (int k = 0; k < 2; k++) {
        az_vec_init(&level[k], m->d->mem);
        az_vec_init(&ids[k], m->d->mem);
    }
    rc = az_vec_push(&level[0], a);
    if (rc == 0)
        rc = az_vec_push(&level[1], b);
    for (int n = 0; rc == 0 && n < LEVELS; n++) {
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = level_ids(m, k, &level[k], &ids[k]);
        const double part = rc ? 0 : overlap(&ids[0], &ids[1]);
        *score += part;
        if (part < 1 || ids[0].n == 0)
            break;
    }
    for (int k = 0; k < 2; k++) {
        az_vec_release(&level[k]);
        az_vec_release(&ids[k]);
    }
    return rc;
}

struct score {
    double likeness;
    size_t a, b; /* of the occurrences */
    bool was;    /* paired by the alignment */
};

static bool better(const struct score *x, const struct score *y)
{
    if (x->likeness != y->likeness)
        return x->likeness > y->likeness;
    if (x->was != y->was)
        return x->was;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/* Pairs the occurrences of one name anew, the most alike first. a, b: the nodes; was[i]: index in b or AZ_NO_ROW;
 * result likewise in was. */
static int pair_alike(struct merger *m, const struct az_vec_u32 *a, const struct az_vec_u32 *b, uint32_t *was)
{
    const size_t n = a->n * b->n, bytes = n * sizeof(struct score);
    struct score *all = az_mem_alloc(m->d->mem, bytes);
    int rc = all ? 0 : az_mem_error(m->d->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        all[i] = (struct score){ .a = i / b->n, .b = i % b->n, .was = was[i / b->n] == i % b->n };
        rc = likeness(m, a->v[all[i].a], b->v[all[i].b], &all[i].likeness);
    }
    for (size_t i = 0; rc == 0 && i < a->n; i++)
        was[i] = AZ_NO_ROW;
    for (size_t round = 0; rc == 0 && round < a->n && round < b->n; round++) {
        const struct score *best = NULL;
        for (size_t i = 0; i < n; i++)
            if (all[i].likeness >= 0 && (!best || better(&all[i], best)))
                best = &all[i];
        const size_t x = best->a, y = best->b;
        was[x] = (uint32_t)y;
        for (size_t i = 0; i < n; i++)
            if (all[i].a == x || all[i].b == y)
                all[i].likeness = -1; /* taken */
    }
    if (all)
        az_mem_free(m->d->mem, all, bytes);
    return rc;
}

/* Occurrences of one name in what was paired and what is left over. */
static int occurrences(struct merger *m, uint32_t id, struct az_vec_u32 out[2], struct az_vec_u32 *was)
{
    int rc = 0;
    for (int k = 0; k < 2; k++)
        az_vec_reset(&out[k]);
    az_vec_reset(was);
    for (size_t i = 0; rc == 0 && i < m->pairs.n; i++) {
        uint32_t of;
        rc = normal_id(m, 0, m->pairs.v[i].node[0], false, &of);
        if (rc || of != id)
            continue;
        rc = az_vec_push(was, (uint32_t)out[1].n);
        for (int k = 0; rc == 0 && k < 2; k++)
            rc = az_vec_push(&out[k], m->pairs.v[i].node[k]);
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; rc == 0 && i < m->list[k].n; i++) {
            if (m->ids[k].v[i] != id)
                continue;
            rc = az_vec_push(&out[k], m->list[k].v[i]);
            if (rc == 0 && k == 0)
                rc = az_vec_push(was, AZ_NO_ROW);
        }
    return rc;
}

static void drop(struct az_vec_u32 *nodes, struct az_vec_u32 *ids, uint32_t id)
{
    size_t n = 0;
    for (size_t i = 0; i < nodes->n; i++)
        if (ids->v[i] != id) {
            nodes->v[n] = nodes->v[i];
            ids->v[n++] = ids->v[i];
        }
    nodes->n = ids->n = n;
}

static int replace_pairs(struct merger *m, uint32_t id, const struct az_vec_u32 v[2], const uint32_t *was)
{
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->pairs.n; i++) {
        uint32_t of;
        rc = normal_id(m, 0, m->pairs.v[i].node[0], false, &of);
        if (of != id)
            m->pairs.v[n++] = m->pairs.v[i];
    }
    m->pairs.n = n;
    for (int k = 0; k < 2; k++)
        drop(&m->list[k], &m->ids[k], id);
    for (size_t i = 0; rc == 0 && i < v[0].n; i++) {
        if (was[i] != AZ_NO_ROW) {
            rc = add_pair(m, v[0].v[i], v[1].v[was[i]]);
            v[1].v[was[i]] = AZ_NO_ROW;
            continue;
        }
        rc = az_vec_push(&m->list[0], v[0].v[i]);
        if (rc == 0)
            rc = az_vec_push(&m->ids[0], id);
    }
    for (size_t i = 0; rc == 0 && i < v[1].n; i++)
        if (v[1].v[i] != AZ_NO_ROW) {
            rc = az_vec_push(&m->list[1], v[1].v[i]);
            if (rc == 0)
                rc = az_vec_push(&m->ids[1], id);
        }
    return rc;
}

/* A name of which one side has more than the other: the most alike belong together, wherever they stand. */
static int repeated_names(struct merger *m)
{
    struct az_vec_u32 v[2], was, seen;
    int rc = 0;
    az_vec_init(&v[0], m->d->mem);
    az_vec_init(&v[1], m->d->mem);
    az_vec_init(&was, m->d->mem);
    az_vec_init(&seen, m->d->mem);
    for (int k = 0; rc == 0 && k < 2; k++)
        for (size_t i = 0; rc == 0 && i < m->ids[k].n && i < REPEATED;) {
            const uint32_t id = m->ids[k].v[i];
            if (has_id(&seen, id)) {
                i++;
                continue;
            }
            rc = az_vec_push(&seen, id);
            if (rc == 0)
                rc = occurrences(m, id, v, &was);
            if (rc || v[0].n == 0 || v[1].n == 0 || v[0].n * v[1].n > REPEATED) {
                i++;
                continue;
            }
            rc = pair_alike(m, &v[0], &v[1], was.v);
            if (rc == 0)
                rc = replace_pairs(m, id, v, was.v);
            i = 0; /* the lists are others now */
        }
    az_vec_release(&v[0]);
    az_vec_release(&v[1]);
    az_vec_release(&was);
    az_vec_release(&seen);
    return rc;
}

/* ---- wrappers ---- */

static int replace_by_children(struct merger *m, int side, size_t at)
{
    struct az_vec_u32 own, *list = &m->list[side];
    az_vec_init(&own, m->d->mem);
    int rc = children(&m->d->side[side], list->v[at], &own);
    if (rc == 0)
        rc = az_vec_reserve(list, own.n + 1);
    if (rc == 0) {
        memmove(list->v + at + own.n, list->v + at + 1, (list->n - at - 1) * sizeof *list->v);
        for (size_t i = 0; i < own.n; i++)
            list->v[at + i] = own.v[i];
        list->n += own.n - 1;
        rc = ids_of(m, side, list, false, &m->ids[side]);
    }
    az_vec_release(&own);
    return rc;
}

static int child_ids(struct merger *m, int side, uint32_t node, struct az_vec_u32 *ids)
{
    struct az_vec_u32 own;
    const struct az_diff_side *s = &m->d->side[side];
    az_vec_init(&own, m->d->mem);
    int rc = is_gpu(s, node) || is_call(s, node) ? 0 : children(s, node, &own);
    if (rc == 0)
        rc = ids_of(m, side, &own, false, ids);
    az_vec_release(&own);
    return rc;
}

static bool equal_ids(const struct az_vec_u32 *a, const struct az_vec_u32 *b)
{
    return a->n && a->n == b->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

/* One node holds the other's like, or both hold the same: wrappers give way to what they hold. *found: one did. */
static int unwrap_one(struct merger *m, bool *found)
{
    struct az_vec_u32 held[2];
    int rc = 0;
    *found = false;
    az_vec_init(&held[0], m->d->mem);
    az_vec_init(&held[1], m->d->mem);
    for (size_t i = 0; rc == 0 && !*found && i < m->list[0].n && i < UNWRAP; i++) {
        rc = child_ids(m, 0, m->list[0].v[i], &held[0]);
        for (size_t j = 0; rc == 0 && !*found && j < m->list[1].n && j < UNWRAP; j++) {
            rc = child_ids(m, 1, m->list[1].v[j], &held[1]);
            if (rc)
                break;
            const bool first_in = has_id(&held[1], m->ids[0].v[i]), second_in = has_id(&held[0], m->ids[1].v[j]),
                       both = equal_ids(&held[0], &held[1]);
            *found = first_in || second_in || both;
            if (second_in || both)
                rc = replace_by_children(m, 0, i);
            if (rc == 0 && *found && !second_in)
                rc = replace_by_children(m, 1, j);
        }
    }
    az_vec_release(&held[0]);
    az_vec_release(&held[1]);
    return rc;
}

/* What is left over is collapsed through wrappers and aligned again; a pair is of the collapsed nodes. */
static int align_collapsed(struct merger *m, bool loose)
{
    struct az_vec_u32 whole[2];
    int rc = 0;
    if (m->list[0].n == 0 || m->list[1].n == 0)
        return 0;
    for (int k = 0; k < 2; k++) {
        az_vec_init(&whole[k], m->d->mem);
        for (size_t i = 0; rc == 0 && i < m->list[k].n; i++) {
            rc = az_vec_push(&whole[k], m->list[k].v[i]);
            m->list[k].v[i] = unwrapped(&m->d->side[k], m->list[k].v[i]);
        }
        if (rc == 0)
            rc = ids_of(m, k, &m->list[k], loose, &m->ids[k]);
    }
    if (rc == 0)
        rc = align_lists(m);
    for (int k = 0; rc == 0 && k < 2; k++) /* what found no partner is itself again */
        for (size_t i = 0, w = 0; i < m->list[k].n; i++, w++) {
            while (unwrapped(&m->d->side[k], whole[k].v[w]) != m->list[k].v[i])
                w++;
            m->list[k].v[i] = whole[k].v[w];
        }
    az_vec_release(&whole[0]);
    az_vec_release(&whole[1]);
    for (int k = 0; rc == 0 && k < 2; k++)
        rc = ids_of(m, k, &m->list[k], false, &m->ids[k]);
    return rc;
}

/* Pairs of the children of two nodes in m->pairs, the rest in m->list. */
static int pair_children(struct merger *m, const uint32_t node[2])
{
    az_vec_reset(&m->pairs);
    int rc = both_children(m, node);
    if (rc == 0 && m->list[0].n == m->list[1].n && !any_call(m)) {
        for (size_t i = 0; rc == 0 && i < m->list[0].n; i++)
            rc = add_pair(m, m->list[0].v[i], m->list[1].v[i]);
        m->list[0].n = m->list[1].n = 0;
        return rc;
    }
    if (rc == 0)
        rc = align_lists(m);
    if (rc == 0)
        rc = repeated_names(m);
    for (bool more = true; rc == 0 && more;) {
        rc = unwrap_one(m, &more);
        if (rc == 0 && more)
            rc = align_lists(m);
    }
    if (rc == 0)
        rc = align_collapsed(m, false);
    return rc ? rc : align_collapsed(m, true);
}

/* ---- the merged tree ---- */

static int64_t start_of(const struct az_diff_side *s, uint32_t node)
{
    uint32_t row;
    if (is_gpu(s, node))
        return az_gpu_event(s->tree, node - s->n_host).start;
    const enum az_kind k = az_node_kind(s->tree, node, &row);
    return s->trace->ev[k].start[row];
}

/* Pairs in the order of the first trace. Already so, but for those of later rounds. */
static void sort_pairs(struct merger *m)
{
    const struct az_diff_side *s = &m->d->side[0];
    for (size_t i = 1; i < m->pairs.n; i++) {
        const struct pair p = m->pairs.v[i];
        const int64_t at = start_of(s, p.node[0]);
        size_t k = i;
        for (; k > 0 && start_of(s, m->pairs.v[k - 1].node[0]) > at; k--)
            m->pairs.v[k] = m->pairs.v[k - 1];
        m->pairs.v[k] = p;
    }
}

/* Puts what comes below node `id` on the stack, last first. */
static int push_below(struct merger *m, uint32_t id)
{
    const struct az_diff_node n = m->d->nodes.v[id];
    int rc = 0;
    bool last = true;
    az_vec_reset(&m->pairs);
    if (n.node[0] != AZ_NO_ROW && n.node[1] != AZ_NO_ROW) {
        rc = pair_children(m, n.node);
        sort_pairs(m);
    } else {
        const int side = n.node[0] == AZ_NO_ROW;
        az_vec_reset(&m->list[!side]);
        rc = children(&m->d->side[side], n.node[side], &m->list[side]);
    }
    for (int k = 1; k >= 0; k--)
        for (size_t i = m->list[k].n; rc == 0 && i-- > 0; last = false) {
            struct item x = {
                .node = { AZ_NO_ROW, AZ_NO_ROW }, .parent = id, .depth = n.depth + 1, .last_sibling = last
            };
            x.node[k] = m->list[k].v[i];
            rc = az_vec_push(&m->stack, x);
        }
    for (size_t i = m->pairs.n; rc == 0 && i-- > 0; last = false)
        rc = az_vec_push(&m->stack, ((struct item){ .node = { m->pairs.v[i].node[0], m->pairs.v[i].node[1] },
                                                    .parent = id,
                                                    .depth = n.depth + 1,
                                                    .last_sibling = last }));
    return rc;
}

static int make_tree(struct merger *m)
{
    struct az_diff *d = m->d;
    int rc = 0;
    while (rc == 0 && m->stack.n) {
        const struct item x = m->stack.v[--m->stack.n];
        const uint32_t id = (uint32_t)d->nodes.n;
        if (id >= AZ_NO_ROW - 1)
            return AZ_ERANGE;
        rc = az_vec_push(&d->nodes, ((struct az_diff_node){ .node = { x.node[0], x.node[1] },
                                                            .parent = x.parent,
                                                            .depth = x.depth,
                                                            .last_sibling = x.last_sibling }));
        if (rc == 0)
            rc = push_below(m, id);
        az_arena_reset(&m->scratch);
    }
    for (size_t i = d->nodes.n; i-- > 0;) {
        struct az_diff_node *n = &d->nodes.v[i];
        n->end = n->end ? n->end : (uint32_t)i + 1;
        struct az_diff_node *up = n->parent == AZ_NO_ROW ? NULL : &d->nodes.v[n->parent];
        if (up && up->end < n->end)
            up->end = n->end;
    }
    return rc;
}

/* Top nodes that are operators, or hold one, in order of start. */
static int roots(struct merger *m, int side)
{
    const struct az_calltree *c = m->d->side[side].tree;
    int rc = 0;
    az_vec_reset(&m->list[side]);
    for (uint32_t p = 0; rc == 0 && p < c->n; p = c->last[c->by_pre[p]] + 1) {
        const uint32_t node = c->by_pre[p];
        if (node < c->first_call || (node >= c->first_frame && az_diff_on_path(&m->d->side[side], node)))
            rc = az_vec_push(&m->list[side], node);
    }
    return rc ? rc : ids_of(m, side, &m->list[side], false, &m->ids[side]);
}

/* As many roots: by position. Else by name, and what is left over stays on its side. */
static int push_roots(struct merger *m)
{
    int rc = roots(m, 0);
    bool last = true;
    if (rc == 0)
        rc = roots(m, 1);
    if (rc == 0 && m->list[0].n == m->list[1].n) {
        for (size_t i = 0; rc == 0 && i < m->list[0].n; i++)
            rc = add_pair(m, m->list[0].v[i], m->list[1].v[i]);
        m->list[0].n = m->list[1].n = 0;
    } else if (rc == 0) {
        rc = align_lists(m);
    }
    for (int k = 1; k >= 0; k--)
        for (size_t i = m->list[k].n; rc == 0 && i-- > 0; last = false) {
            struct item x = { .node = { AZ_NO_ROW, AZ_NO_ROW }, .parent = AZ_NO_ROW, .last_sibling = last };
            x.node[k] = m->list[k].v[i];
            rc = az_vec_push(&m->stack, x);
        }
    for (size_t i = m->pairs.n; rc == 0 && i-- > 0; last = false)
        rc = az_vec_push(&m->stack, ((struct item){ .node = { m->pairs.v[i].node[0], m->pairs.v[i].node[1] },
                                                    .parent = AZ_NO_ROW,
                                                    .last_sibling = last }));
    return rc;
}

static int side_init(struct az_diff_side *s, const struct az_trace *t, struct az_mem *mem)
{
    *s = (struct az_diff_side){ .trace = t, .tree = az_tree(t), .n_host = az_tree(t)->n };
    az_vec_init(&s->name_of, mem);
    const size_t n = t->names.text.n + 1;
    int rc = az_vec_reserve(&s->name_of, n);
    if (rc == 0) {
        memset(s->name_of.v, 0, n * sizeof *s->name_of.v);
        s->name_of.n = n;
    }
    return rc;
}

int az_diff_make(struct az_diff *d, const struct az_trace *first, const struct az_trace *second, struct az_arena *arena,
                 struct az_mem *mem)
{
    struct merger m = { .d = d };
    *d = (struct az_diff){ .arena = arena, .mem = mem };
    az_vec_init(&d->nodes, mem);
    az_vec_init(&m.stack, mem);
    az_vec_init(&m.pairs, mem);
    az_vec_init(&m.match, mem);
    az_arena_init(&m.scratch, mem);
    for (int k = 0; k < 2; k++) {
        az_vec_init(&m.list[k], mem);
        az_vec_init(&m.ids[k], mem);
    }
    int rc = side_init(&d->side[0], first, mem);
    if (rc == 0)
        rc = side_init(&d->side[1], second, mem);
    if (rc == 0)
        rc = az_intern_init(&d->names, arena, mem);
    if (rc == 0)
        rc = push_roots(&m);
    if (rc == 0)
        rc = make_tree(&m);
    for (int k = 0; k < 2; k++) {
        az_vec_release(&m.list[k]);
        az_vec_release(&m.ids[k]);
    }
    az_vec_release(&m.stack);
    az_vec_release(&m.pairs);
    az_vec_release(&m.match);
    az_arena_release(&m.scratch);
    return rc;
}

void az_diff_release(struct az_diff *d)
{
    az_intern_release(&d->names);
    az_vec_release(&d->nodes);
    az_vec_release(&d->side[0].name_of);
    az_vec_release(&d->side[1].name_of);
}
