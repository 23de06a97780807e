/* Parts of all ranks side by side: events numbered through, sorted into groups.
 * docs/formulas-collectives.md 2, 3.4.
 */
#include "analyses/collectives/collectives.h"
#include "analyses/collectives/rank_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "text/jsonscan.h"

#define MAX_BASE   (INT64_C(1) << 61)
#define OTHER_PASS (AZ_NO_ROW - 1)

/* A list of ranks, as written: each text is parsed once, whatever the number of ranks whose files
 * have it. Lists of equal members have one number. */
struct member_list {
    const int64_t *v; /* ascending, each once */
    size_t n;
    uint32_t set; /* equal members, equal number */
    struct az_sv text;
};
AZ_VEC(struct member_list, member_lists);

/* Groups by name and members; of a name without members, by name. All in time that grows with the
 * lists as written and the events, not with their product. */
struct grouping {
    struct az_coll_run *c;
    struct az_intern names, texts, sets; /* group names; lists as written; members as bytes */
    struct az_map by_pointer;            /* a text where it was met first -> its id in texts */
    struct member_lists lists;           /* by id in texts */
    struct az_map of;                    /* (name, set) -> group */
    struct az_map of_rank;  /* (name, rank) -> the group of known members; AZ_NO_ROW: several */
    struct az_vec_u32 same; /* name -> groups that have it */
    struct az_vec_i64 members;
    uint32_t *group; /* event -> its group */
};

static int ascending(const void *a, const void *b, void *ctx)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

/* "[0, 1]" -> members, ascending, each once; none for what is no list of ranks or was shortened by
 * the profiler. */
static int parse_members(struct grouping *g, struct az_sv text)
{
    struct az_jview v;
    struct az_sv x;
    int64_t rank;
    int rc = 0;
    az_vec_reset(&g->members);
    if (!az_jview_array(&v, text) || az_sv_find(text, AZ_SV("...")) >= 0)
        return 0;
    while (rc == 0 && az_jview_next(&v, &x)) {
        if (az_parse_i64(x, &rank) || rank < 0) {
            az_vec_reset(&g->members);
            return 0;
        }
        rc = az_vec_push(&g->members, rank);
    }
    az_sort_cmp(g->members.v, g->members.n, sizeof *g->members.v, ascending, NULL, g->members.mem);
    size_t n = 0;
    for (size_t i = 0; rc == 0 && i < g->members.n; i++)
        if (n == 0 || g->members.v[n - 1] != g->members.v[i])
            g->members.v[n++] = g->members.v[i];
    g->members.n = rc ? 0 : n;
    return rc;
}

static struct az_sv group_name(struct az_coll_run *c, const struct az_coll_part *p,
                               const struct az_coll_what *w, uint32_t device)
{
    struct az_sv name = w->group.n      ? w->group
                        : c->simplified ? AZ_SV("all")
                                        : AZ_SV("Unknown_Group");
    if (!w->group.n && p->n_devices > 1)
        name = az_arena_printf(c->arena, "%.*s device %u", AZ_SVF(name), device);
    return name;
}

static bool has_replica_groups(struct az_sv ranks) { return az_sv_starts(ranks, AZ_SV("[[")); }

/* Of replica groups ("[[0,2],[1,3]]") the one that has the rank, or none; else the list itself. */
static struct az_sv members_of(const struct az_coll_run *c, struct az_sv ranks, int64_t rank)
{
    struct az_jview groups, group;
    struct az_sv one, member;
    int64_t x;
    if (!has_replica_groups(ranks))
        return ranks;
    if (c->uneven_devices || !az_jview_array(&groups, ranks))
        return AZ_SV("");
    while (az_jview_next(&groups, &one))
        if (az_jview_array(&group, one))
            while (az_jview_next(&group, &member))
                if (az_parse_i64(member, &x) == 0 && x == rank)
                    return one;
    return AZ_SV("");
}

static int new_list(struct grouping *g, struct az_sv text)
{
    struct member_list l = { .text = text.n ? az_rank_list_text(g->c->arena, text) : AZ_SV("") };
    int rc = l.text.p ? parse_members(g, l.text) : az_arena_error(g->c->arena);
    const size_t bytes = g->members.n * sizeof *l.v;
    if (rc == 0)
        rc = az_intern(&g->sets, az_sv_make((const char *)g->members.v, bytes), &l.set);
    if (rc == 0 && g->members.n) {
        int64_t *m = az_arena_array(g->c->arena, g->members.n, sizeof *m);
        if (!m)
            return az_arena_error(g->c->arena);
        memcpy(m, g->members.v, bytes);
        l.v = m;
        l.n = g->members.n;
    }
    return rc ? rc : az_vec_push(&g->lists, l);
}

/* Texts of ranks that were read by one thread are one copy: found by where they are. */
static int list_of(struct grouping *g, struct az_sv text, const struct member_list **out)
{
    uint32_t *known, id;
    bool added;
    int rc = az_map_put(&g->by_pointer, (uintptr_t)text.p, text.n, 0, &known, &added);
    if (rc == 0 && added) {
        rc = az_intern(&g->texts, text, &id);
        if (rc == 0)
            *known = id;
        if (rc == 0 && id == g->lists.n)
            rc = new_list(g, text);
    }
    if (rc == 0)
        *out = &g->lists.v[*known];
    return rc;
}

/* For events without recorded members: the only group of that name to which a rank belongs. */
static int note_members(struct grouping *g, uint32_t name, uint32_t group,
                        const struct member_list *l)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < l->n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&g->of_rank, name, (uint64_t)l->v[i], group, &at, &added);
        if (rc == 0 && !added && *at != group)
            *at = AZ_NO_ROW;
    }
    return rc;
}

static int new_group(struct grouping *g, const struct az_coll_what *w, uint32_t name_id,
                     const struct member_list *l)
{
    struct az_coll_run *c = g->c;
    const struct az_sv name = az_intern_text(&g->names, name_id);
    struct az_coll_group x = {
        .name = name, .ranks = l->text, .size = w->size, .members = l->v, .n_members = l->n
    };
    if (has_replica_groups(w->ranks) && l->n)
        x.size = (int64_t)l->n;
    const uint32_t same = g->same.v[name_id]++;
    x.expected = x.n_members ? (int64_t)x.n_members : x.size > 0 ? x.size : c->ranks->world_size;
    x.id = c->simplified && az_sv_is(name, "all") && !same ? AZ_SV("")
           : same ? az_arena_printf(c->arena, "%.*s#%u_", AZ_SVF(name), same + 1)
                  : az_arena_printf(c->arena, "%.*s_", AZ_SVF(name));
    const int rc = note_members(g, name_id, (uint32_t)c->groups.n, l);
    return rc ? rc : x.id.p ? az_vec_push(&c->groups, x) : az_arena_error(c->arena);
}

static int find_group(struct grouping *g, size_t r, const struct az_coll_what *w, struct az_sv name,
                      const struct member_list *l, uint32_t *group)
{
    uint32_t id, *at;
    bool added;
    int rc = name.p ? az_intern(&g->names, name, &id) : az_arena_error(g->c->arena);
    if (rc == 0 && id == g->same.n)
        rc = az_vec_push(&g->same, 0);
    if (rc)
        return rc;
    if (!l->n && w->group.n) {
        *group = az_map_get(&g->of_rank, id, (uint64_t)g->c->ranks->v[r].rank);
        if (*group != AZ_NO_ROW)
            return 0;
    }
    rc = az_map_put(&g->of, id, l->n ? 1 + (uint64_t)l->set : 0, (uint32_t)g->c->groups.n, &at,
                    &added);
    if (rc == 0)
        *group = *at;
    return rc == 0 && added ? new_group(g, w, id, l) : rc;
}

/* Groups of one rank's events. pass 0: those whose members are known; pass 1: the others. */
static int group_rank(struct grouping *g, size_t r, int pass)
{
    struct az_coll_run *c = g->c;
    const struct az_coll_part *p = c->part[r];
    const size_t n = p->n_what * (p->n_devices + 1);
    uint32_t *of = az_mem_alloc(c->job->mem, (n + 1) * sizeof *of);
    int rc = of ? 0 : az_mem_error(c->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        of[i] = AZ_NO_ROW;
    for (size_t i = 0; rc == 0 && i < p->n; i++) {
        const uint32_t row = az_coll_part_what(p, i), device = az_coll_part_device(p, i);
        const struct az_coll_what *w = &p->what[row];
        uint32_t *known = &of[row * (p->n_devices + 1) + device];
        if (*known == OTHER_PASS)
            continue;
        if (*known == AZ_NO_ROW) {
            const struct member_list *l = NULL;
            rc = list_of(g, members_of(c, w->ranks, c->ranks->v[r].rank), &l);
            if (rc == 0 && (l->n > 0) != (pass == 0))
                *known = OTHER_PASS;
            if (rc || *known == OTHER_PASS)
                continue;
            rc = find_group(g, r, w, group_name(c, p, w, device), l, known);
        }
        if (rc == 0)
            g->group[c->base[r] + i] = *known;
    }
    az_mem_free(c->job->mem, of, (n + 1) * sizeof *of);
    return rc;
}

static void grouping_release(struct grouping *g)
{
    struct az_intern *const interns[] = { &g->names, &g->texts, &g->sets };
    struct az_map *const maps[] = { &g->by_pointer, &g->of, &g->of_rank };
    for (size_t i = 0; i < AZ_LENGTH(interns); i++)
        if (interns[i]->slot)
            az_intern_release(interns[i]);
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_release(maps[i]);
    az_vec_release(&g->lists);
    az_vec_release(&g->same);
    az_vec_release(&g->members);
}

static int make_groups(struct az_coll_run *c)
{
    struct az_mem *mem = c->job->mem;
    struct grouping g = { .c = c, .group = az_mem_alloc(mem, (c->n + 1) * sizeof *g.group) };
    if (!g.group)
        return az_mem_error(mem);
    az_vec_init(&g.lists, mem);
    az_vec_init(&g.same, mem);
    az_vec_init(&g.members, mem);
    int rc = 0;
    az_intern_init(&g.names, c->arena, mem);
    az_intern_init(&g.texts, c->arena, mem);
    az_intern_init(&g.sets, c->arena, mem);
    az_map_init(&g.by_pointer, mem, 64);
    az_map_init(&g.of, mem, 64);
    az_map_init(&g.of_rank, mem, 64);
    for (int pass = 0; rc == 0 && pass < 2; pass++)
        for (size_t r = 0; rc == 0 && r < c->ranks->n; r++)
            if (c->part[r])
                rc = group_rank(&g, r, pass);
    if (rc == 0)
        rc = az_packed_room(&c->group, c->n, c->groups.n, c->arena);
    for (size_t i = 0; rc == 0 && i < c->n; i++)
        az_packed_set(&c->group, i, g.group[i]);
    az_mem_free(mem, g.group, (c->n + 1) * sizeof *g.group);
    grouping_release(&g);
    return rc;
}

/* ---- facts of the run ---- */
static void clocks_and_names(struct az_coll_run *c)
{
    bool based = false, baseless = false;
    c->simplified = true;
    for (size_t r = 0; r < c->ranks->n; r++) {
        const struct az_coll_part *p = c->part[r];
        const int64_t base = c->ranks->v[r].base_ns;
        if (!p)
            continue;
        c->simplified &= p->one_stream;
        for (size_t i = 0; i < p->n_what; i++)
            c->simplified &= p->what[i].group.n == 0;
        if (base > 0 && base < MAX_BASE)
            based = true;
        else
            baseless = true;
    }
    c->mixed_bases = based && baseless;
    for (size_t r = 0; r < c->ranks->n; r++)
        c->shift[r] = based && !baseless ? c->ranks->v[r].base_ns : 0;
}

static int median_step(struct az_coll_run *c)
{
    struct az_vec_i64 v;
    struct az_stats s;
    int rc = 0;
    az_vec_init(&v, c->job->mem);
    for (size_t r = 0; r < c->ranks->n; r++)
        for (size_t i = 0; rc == 0 && c->part[r] && i < c->part[r]->n_steps; i++)
            rc = az_vec_push(&v, c->part[r]->steps[i].end - c->part[r]->steps[i].start);
    if (rc == 0 && v.n) {
        az_stats_i64(v.v, v.n, &s);
        c->step = (int64_t)s.median;
    }
    az_vec_release(&v);
    return rc;
}

/* Nodes: as many ranks as one is recorded to have; else by host name; else by the devices that the
 * first trace lists. One recording is of one node. */
static int nodes(struct az_coll_run *c)
{
    const struct az_ranks *rs = c->ranks;
    struct az_intern names;
    bool hosts = rs->n > 0;
    uint32_t host = 0;
    int rc = 0;
    az_intern_init(&names, c->arena, c->job->mem);
    for (size_t r = 0; r < rs->n; r++)
        hosts &= rs->v[r].host.n > 0;
    c->gpus_per_node = c->job->opts->gpus_per_node;
    c->nodes_by_host = c->gpus_per_node == 0 && hosts;
    if (c->gpus_per_node == 0 && rs->n && !hosts)
        c->gpus_per_node = rs->v[0].devices;
    for (size_t r = 0; rc == 0 && r < rs->n; r++) {
        c->node[r] = c->traces->n == 1      ? 0
                     : c->gpus_per_node > 0 ? rs->v[r].rank / c->gpus_per_node
                                            : -1;
        if (!c->nodes_by_host)
            continue;
        rc = az_intern(&names, rs->v[r].host, &host); /* numbered as they appear */
        c->node[r] = host;
    }
    az_intern_release(&names);
    return rc;
}

/* By name; without names by number, if hosts have several devices: one that shows a rank its own
 * device alone is no evidence. */
static bool other_host(const struct az_coll_run *c, size_t r, size_t q)
{
    const struct az_sv a = c->ranks->v[r].host, b = c->ranks->v[q].host;
    if (a.n && b.n)
        return !az_sv_eq(a, b);
    return c->gpus_per_node > 1 && c->node[r] >= 0 && c->node[q] >= 0 && c->node[r] != c->node[q];
}

static const char *span_of(const struct az_coll_run *c, const struct az_coll_group *g)
{
    int64_t first = -1;
    for (size_t i = 0; i < g->n_members; i++) {
        const ptrdiff_t r = az_ranks_find(c->ranks, g->members[i]);
        int64_t node = -1;
        if (!c->nodes_by_host && c->gpus_per_node > 0)
            node = g->members[i] / c->gpus_per_node;
        else if (r >= 0)
            node = c->node[r];
        if (node < 0)
            return "unknown";
        if (first >= 0 && node != first)
            return "inter_node";
        first = node;
    }
    return g->n_members ? "intra_node" : "unknown";
}

static void attend(struct az_coll_run *c, struct az_coll_group *g, size_t r, size_t *first)
{
    g->present++;
    *first = *first == SIZE_MAX ? r : *first;
    g->by_duration |= other_host(c, *first, r);
}

/* Which of a group's ranks are there, and on one host or several: of its members, or where they are
 * not known, of those that have events of it (which are by rank). */
static int attendance(struct az_coll_run *c)
{
    size_t *first = az_arena_array(c->arena, c->groups.n + 1, sizeof *first);
    uint32_t *last = az_arena_array(c->arena, c->groups.n + 1, sizeof *last);
    if (!first || !last)
        return az_arena_error(c->arena);
    for (size_t i = 0; i < c->groups.n; i++)
        first[i] = SIZE_MAX;
    for (uint32_t g = 0; g < c->n; g++) {
        const uint32_t i = az_coll_group_of(c, g), r = c->rank[g];
        if (c->groups.v[i].members || last[i] == r + 1)
            continue;
        last[i] = r + 1;
        attend(c, &c->groups.v[i], r, &first[i]);
    }
    for (size_t i = 0; i < c->groups.n; i++) {
        struct az_coll_group *g = &c->groups.v[i];
        for (size_t k = 0; g->members && k < g->n_members; k++) {
            const ptrdiff_t r = az_ranks_find(c->ranks, g->members[k]);
            if (r >= 0 && c->part[r])
                attend(c, g, (size_t)r, &first[i]);
        }
        g->expected = g->expected < g->present ? g->present : g->expected;
        g->span = span_of(c, g);
    }
    return 0;
}

int az_coll_gather(struct az_coll_run *c)
{
    const size_t ranks = c->ranks->n;
    c->base = az_arena_array(c->arena, ranks + 1, sizeof *c->base);
    c->clock = az_arena_array(c->arena, ranks + 1, sizeof *c->clock);
    c->shift = az_arena_array(c->arena, ranks + 1, sizeof *c->shift);
    c->node = az_arena_array(c->arena, ranks + 1, sizeof *c->node);
    az_vec_init(&c->groups, c->job->mem);
    az_vec_init(&c->colls, c->job->mem);
    az_vec_init(&c->member, c->job->mem);
    if (!c->base || !c->clock || !c->shift || !c->node)
        return az_arena_error(c->arena);
    for (size_t r = 0; r < ranks; r++) {
        if (c->part[r] && c->part[r]->n >= AZ_NO_ROW - c->base[r])
            return AZ_ERANGE;
        c->base[r + 1] = c->base[r] + (c->part[r] ? (uint32_t)c->part[r]->n : 0);
    }
    c->n = c->base[ranks];
    uint32_t **const columns[] = { &c->rank, &c->coll };
    for (size_t i = 0; i < AZ_LENGTH(columns); i++)
        if (!(*columns[i] = az_arena_array(c->arena, c->n + 1, sizeof(uint32_t))))
            return az_arena_error(c->arena);
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t g = c->base[r]; g < c->base[r + 1]; g++)
            c->rank[g] = r;
    clocks_and_names(c);
    int rc = nodes(c);
    if (rc == 0)
        rc = median_step(c);
    if (rc == 0)
        rc = make_groups(c);
    return rc ? rc : attendance(c);
}

void az_coll_release(void *v)
{
    struct az_coll_run *c = v;
    az_vec_release(&c->groups);
    az_vec_release(&c->colls);
    az_vec_release(&c->member);
}
