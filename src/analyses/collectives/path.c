/* The critical path over ranks, and its tables. */
#include "analyses/collectives/path.h"

#include "analyses/collectives/clock.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"
#include "tables/engine.h"

/* ---- the walk ---- */

/* A rank's own time on the common clock. */
static int64_t common(const struct az_coll_run *c, size_t r, int64_t t)
{
    const struct az_coll_track *k = c->clock[r].track;
    t += c->shift[r];
    return k ? t - az_coll_ahead(k, t) : t;
}

/* Local time that ends at *t, of which `want` is on the path: by family and host as in the rank's
 * data, the rest idle. Where clocks drift, or the path begins within, in proportion. */
static void trace_back_rank(const struct az_coll_part *p, const struct az_coll_local *l,
                            int64_t all, int64_t want, struct az_coll_path *out)
{
    int64_t sum = 0, given = 0;
    for (uint32_t i = 0; i < l->n; i++)
        sum = az_add_sat(sum, az_coll_part_share(p, l->first + i).ns);
    const int64_t whole = sum > all ? sum : all;
    for (uint32_t i = 0; i < l->n && whole > 0; i++) {
        const struct az_coll_share s = az_coll_part_share(p, l->first + i);
        const int64_t ns = want == whole ? s.ns : az_muldiv(s.ns, want, whole);
        *(s.family == AZ_COLL_HOST ? &out->host : &out->family[s.family]) += ns;
        given += ns;
    }
    out->idle += want - given;
}

/* The local piece before *t on a rank; false: the path begins in it. */
static bool local_piece(const struct az_coll_run *c, size_t r, size_t at, int64_t *t,
                        struct az_coll_path *out)
{
    const struct az_coll_part *p = c->part[r];
    const struct az_coll_local l = az_coll_part_local(p, at);
    int64_t from =
        l.event == AZ_NO_ROW ? common(c, r, l.from) : az_coll_end(c, c->base[r] + l.event);
    from = from > *t ? *t : from;
    const int64_t begin = from < out->begin ? out->begin : from, want = *t - begin;
    trace_back_rank(p, &l, *t - from, want, out);
    out->by_rank[r] += want;
    *t = begin;
    if (begin == out->begin || l.event != AZ_NO_ROW)
        return begin > out->begin;
    out->idle += *t - out->begin; /* nothing of this rank was before it */
    out->by_rank[r] += *t - out->begin;
    *t = out->begin;
    return false;
}

/* The member that arrived last among those that had when this one ended; ties: the lowest rank. */
static uint32_t arrival(const struct az_coll_run *c, uint32_t g, int64_t end)
{
    uint32_t last = g;
    if (c->coll[g] == AZ_NO_ROW)
        return g;
    const struct az_coll_coll *x = &c->colls.v[c->coll[g]];
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t m = az_coll_member(c, x, i);
        const int64_t s = az_coll_start(c, m), best = az_coll_start(c, last);
        if (s <= end && (s > best || (s == best && c->rank[m] < c->rank[last])))
            last = m;
    }
    return last;
}

void az_coll_path_walk(const struct az_coll_run *c, size_t rank, size_t local,
                       struct az_coll_path *out)
{
    int64_t t = out->end;
    size_t left = c->n + 1; /* an operation that takes no time may be met twice, but not for ever */
    out->last = rank;
    while (local_piece(c, rank, local, &t, out) && left-- > 0) {
        const uint32_t g = c->base[rank] + az_coll_part_local(c->part[rank], local).event,
                       m = arrival(c, g, t);
        const int64_t start = az_coll_start(c, m), from = start > t            ? t
                                                          : start < out->begin ? out->begin
                                                                               : start;
        out->transfer += t - from;
        out->by_group[az_coll_group_of(c, g)] += t - from;
        out->hops++;
        t = from;
        rank = c->rank[m];
        local = m - c->base[rank];
    }
    if (t > out->begin) {
        out->idle += t - out->begin;
        out->by_rank[rank] += t - out->begin;
    }
    out->length = out->idle + out->host + out->transfer;
    for (size_t f = 0; f < AZ_FAMILIES; f++)
        out->length += out->family[f];
}

/* ---- windows ---- */

struct paths {
    struct az_coll_run *c;
    struct az_coll_path *v; /* one a step, or one */
    size_t n;
};

static int by_number(const void *x, const void *y, void *ctx)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

static int make_rows(struct paths *k, const int64_t *number, size_t n)
{
    const struct az_coll_run *c = k->c;
    int64_t *ranks = az_arena_array(c->arena, c->ranks->n + 1, sizeof *ranks);
    int64_t *groups = az_arena_array(c->arena, c->groups.n + 1, sizeof *groups);
    k->v = az_arena_array(c->arena, n + 1, sizeof *k->v);
    if (!k->v || !ranks || !groups)
        return az_arena_error(c->arena);
    for (size_t i = 0; i < n; i++) /* sums are of all paths */
        k->v[i] = (struct az_coll_path){ .step = number ? number[i] : -1,
                                         .begin = INT64_MAX,
                                         .end = INT64_MIN,
                                         .by_rank = ranks,
                                         .by_group = groups };
    k->n = n;
    return 0;
}

/* Numbers of the steps of all ranks, ascending. */
static int step_numbers(const struct az_coll_run *c, struct az_vec_i64 *out)
{
    int rc = 0;
    for (size_t r = 0; r < c->ranks->n; r++)
        for (size_t i = 0; rc == 0 && c->part[r] && i < c->part[r]->n_steps; i++)
            if (c->part[r]->steps[i].number >= 0)
                rc = az_vec_push(out, c->part[r]->steps[i].number);
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_number, NULL, out->mem);
    size_t n = 0;
    for (size_t i = 0; i < out->n; i++)
        if (n == 0 || out->v[n - 1] != out->v[i])
            out->v[n++] = out->v[i];
    out->n = n;
    return rc;
}

static struct az_coll_path *path_of(const struct paths *k, int64_t number)
{
    const size_t low = AZ_LOWER_BY(k->v, k->n, step, number);
    return low < k->n && k->v[low].step == number ? &k->v[low] : NULL;
}

struct window {
    size_t rank, local; /* that end last */
};

static void widen(const struct az_coll_run *c, struct az_coll_path *p, struct window *w, size_t r,
                  size_t local, int64_t from, int64_t to)
{
    const int64_t begin = common(c, r, from), end = common(c, r, to);
    p->begin = begin < p->begin ? begin : p->begin;
    if (end > p->end) {
        p->end = end;
        *w = (struct window){ r, local };
    }
}

static int find_all(struct paths *k)
{
    const struct az_coll_run *c = k->c;
    struct az_vec_i64 numbers;
    int rc;
    az_vec_init(&numbers, c->job->mem);
    rc = step_numbers(c, &numbers);
    const bool steps = numbers.n > 0;
    if (rc == 0)
        rc = make_rows(k, steps ? numbers.v : NULL, steps ? numbers.n : 1);
    az_vec_release(&numbers);
    struct window *w = rc ? NULL : az_arena_array(c->arena, k->n + 1, sizeof *w);
    if (!w)
        return rc ? rc : az_arena_error(c->arena);
    for (size_t r = 0; r < c->ranks->n; r++) {
        const struct az_coll_part *p = c->part[r];
        if (!p || p->n_local == 0)
            continue;
        for (size_t i = 0; steps && i < p->n_steps; i++) {
            struct az_coll_path *x = path_of(k, p->steps[i].number);
            if (x)
                widen(c, x, &w[x - k->v], r, p->n + i, p->steps[i].start, p->steps[i].end);
        }
        if (!steps && p->first <= p->last)
            widen(c, k->v, w, r, p->n_local - 1, p->first, p->last);
    }
    for (size_t i = 0; i < k->n; i++)
        if (k->v[i].begin < k->v[i].end)
            az_coll_path_walk(c, w[i].rank, w[i].local, &k->v[i]);
    return 0;
}

/* ---- tables ---- */

static int64_t family_of(const struct az_coll_path *p, bool copies)
{
    int64_t sum = 0;
    for (size_t f = 0; f < AZ_FAMILIES; f++)
        if ((f == AZ_FAMILY_COPY || f == AZ_FAMILY_FILL) == copies)
            sum += p->family[f];
    return sum;
}

AZ_OF_RECORD(int64_t, compute_of, struct az_coll_path, family_of(r, false))
AZ_OF_RECORD(int64_t, copies_of, struct az_coll_path, family_of(r, true))
#define PATH(header, field)                                                                        \
    {                                                                                              \
        header, AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct az_coll_path, field)         \
    }
static const struct az_record_column critical_path_of_run_columns[] = {
    { "step", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN(struct az_coll_path, step) },
    PATH("length_us", length),
    { "compute_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .integer = compute_of },
    { "copies_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .integer = copies_of },
    PATH("transfer_us", transfer),
    PATH("host_us", host),
    PATH("idle_us", idle),
    { "collectives", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct az_coll_path, hops) },
    { "last_rank", AZ_INT, .unit = AZ_UNIT_ID },
};

static int steps_table(const struct paths *k)
{
    const struct az_coll_run *c = k->c;
    struct az_table *t =
        AZ_RECORD_TABLE(c->arena, "critical_path_of_run", "Critical path across ranks", 0,
                        critical_path_of_run_columns);
    for (size_t i = 0; i < k->n; i++) {
        const struct az_coll_path *p = &k->v[i];
        if (p->begin >= p->end)
            continue;
        az_put_row(t, p);
        az_put_i64(t, c->ranks->v[p->last].rank);
    }
    return az_job_add(c->job, t, 0);
}

struct share_row {
    const char *by;
    struct az_sv name;
    int64_t ns;
    double percent;
};
static const struct az_record_column critical_path_shares_columns[] = {
    { "by", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct share_row, by) },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct share_row, name), .copy = true, .sort = 1 },
    { "time_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(struct share_row, ns), .sort = -2 },
    { "share_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(struct share_row, percent) },
};

static void put_share(struct az_table *t, const char *by, struct az_sv name, int64_t ns,
                      int64_t all)
{
    const struct share_row r = { by, name, ns, az_percent((double)ns, (double)all) };
    if (ns)
        az_put_row(t, &r);
}

static int shares_table(const struct paths *k)
{
    const struct az_coll_run *c = k->c;
    struct az_table *t = AZ_RECORD_TABLE(c->arena, "critical_path_shares", "Critical path by rank",
                                         0, critical_path_shares_columns);
    int64_t all = 0, idle = 0, host = 0, transfer = 0;
    for (size_t i = 0; i < k->n; i++) {
        all += k->v[i].length;
        idle += k->v[i].idle;
        host += k->v[i].host;
        transfer += k->v[i].transfer;
    }
    for (size_t f = 0; f < AZ_FAMILIES; f++) {
        int64_t sum = 0;
        for (size_t i = 0; i < k->n; i++)
            sum += k->v[i].family[f];
        put_share(t, "family", az_family_text((enum az_family)f), sum, all);
    }
    put_share(t, "family", AZ_SV("transfer"), transfer, all);
    put_share(t, "family", AZ_SV("host"), host, all);
    put_share(t, "family", AZ_SV("idle"), idle, all);
    for (size_t r = 0; r < c->ranks->n; r++)
        put_share(t, "rank", az_arena_printf(c->arena, "%lld", (long long)c->ranks->v[r].rank),
                  k->v[0].by_rank[r], all);
    for (size_t g = 0; g < c->groups.n; g++) {
        const struct az_sv id = c->groups.v[g].id; /* "tp#3_" */
        put_share(t, "group", id.n ? az_sv_make(id.p, id.n - 1) : c->groups.v[g].name,
                  k->v[0].by_group[g], all);
    }
    return az_job_add(c->job, t, az_record_sort(t));
}

int az_coll_path_tables(struct az_coll_run *c)
{
    struct paths k = { .c = c };
    bool all = true;
    for (size_t r = 0; r < c->ranks->n; r++)
        all &= !c->part[r] || c->part[r]->n_local > 0;
    if (!all || c->n == 0)
        return 0;
    int rc = find_all(&k);
    if (rc == 0)
        rc = steps_table(&k);
    return rc ? rc : shares_table(&k);
}
