/* Of each rank and block, the time without anything but communication, against that of the ranks
 * with the same program. What it means is described in cr_verdict.c. */
#include "analyses/collectives/blame.h"
#include "base/sort.h"

#define IMPUTED    0.25 /* of a block's collectives at most */
#define FREE_SHARE 0.8  /* of the usual events, in a block that is no step */
#define ALIKE      3    /* ranks with the same program, to be compared with none else */

static int up(const void *a, const void *b, void *ctx)
{
    const double x = *(const double *)a, y = *(const double *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

int az_coll_sorted(const struct az_coll_blame *m, double *v, size_t n)
{
    return az_sort_cmp(v, n, sizeof *v, up, NULL, m->c->job->mem);
}

/* ---- exposed communication ---- */
/* Time of one rank without anything but communication; at which an event counts is when it began.
 * kinds: most events of each kind in a block. */
static uint64_t expose(struct az_coll_blame *m, size_t r, uint32_t *kinds)
{
    const struct az_cr *c = m->c;
    const struct az_coll_part *p = c->part[r];
    int64_t until = INT64_MIN;
    uint64_t program = 0;
    memset(kinds, 0, m->blocks * AZ_COLL_KINDS * sizeof *kinds);
    for (size_t i = 0; i < p->n; i++) {
        const uint32_t g = c->base[r] + (uint32_t)i, b = az_coll_block_of(m, g);
        const struct az_coll_event *e = &p->ev[i];
        const int64_t from = e->start > until ? e->start : until;
        const int64_t alone =
            e->end > from
                ? e->end - from -
                      az_coll_compute_in(&p->compute[az_coll_lane_of(c, g)->device], from, e->end)
                : 0;
        until = e->end > until ? e->end : until;
        if (b == AZ_NO_ROW)
            continue;
        m->exposed[r * m->blocks + b] += (double)alone;
        m->count[r * m->blocks + b]++;
        kinds[b * AZ_COLL_KINDS + az_coll_what(c, g)->kind]++;
    }
    for (size_t k = 0; k < AZ_COLL_KINDS; k++) {
        uint32_t most = 0;
        for (size_t b = 0; b < m->blocks; b++)
            most = kinds[b * AZ_COLL_KINDS + k] > most ? kinds[b * AZ_COLL_KINDS + k] : most;
        program = (program + most) * UINT64_C(0x9e3779b97f4a7c15) + k + 1;
    }
    return program;
}

/* Ranks that have events in a group; by group and rank. */
static uint8_t *attendance(struct az_coll_blame *m)
{
    const struct az_cr *c = m->c;
    uint8_t *there = az_arena_array(m->a, c->groups.n * m->ranks + 1, 1);
    for (uint32_t g = 0; there && g < c->n; g++)
        there[c->group[g] * m->ranks + c->rank[g]] = 1;
    return there;
}

/* Puts the median of its members where the event of a collective is lost. */
static int impute(struct az_coll_blame *m, double *v)
{
    const struct az_cr *c = m->c;
    const uint8_t *there = attendance(m);
    if (!there)
        return az_arena_error(m->a);
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct az_coll_coll *k = &c->colls.v[x];
        if (!(k->flags & CR_INCOMPLETE) || (k->flags & CR_PAIR) || m->block[x] == AZ_NO_ROW)
            continue;
        for (uint32_t i = 0; i < k->n; i++) {
            const uint32_t g = az_coll_member(c, k, i);
            const struct az_coll_exposed e = az_coll_exposed(c, g);
            v[i] = (double)(e.wait + e.transfer);
        }
        const int rc = az_coll_sorted(m, v, k->n);
        if (rc)
            return rc;
        const double usual = az_coll_middle(v, k->n);
        for (size_t r = 0, i = 0; r < m->ranks; r++) {
            while (i < k->n && c->rank[az_coll_member(c, k, (uint32_t)i)] < r)
                i++;
            if (!there[k->group * m->ranks + r] ||
                (i < k->n && c->rank[az_coll_member(c, k, (uint32_t)i)] == r))
                continue;
            const size_t at = r * m->blocks + m->block[x];
            m->exposed[at] += usual;
            m->count[at]++;
            m->imputed[at]++;
        }
    }
    return 0;
}

/* What the members of collectives wait longer than each of them, where they do. */
static int waits(struct az_coll_blame *m, double *v)
{
    const struct az_cr *c = m->c;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct az_coll_coll *k = &c->colls.v[x];
        if (!(k->flags & CR_SYNC) || m->block[x] == AZ_NO_ROW)
            continue;
        for (uint32_t i = 0; i < k->n; i++)
            v[i] = (double)az_coll_wait_duration(c, k, az_coll_member(c, k, i));
        const int rc = az_coll_sorted(m, v, k->n);
        if (rc)
            return rc;
        const double usual = k->n == 2 ? v[1] : az_coll_middle(v, k->n);
        for (uint32_t i = 0; i < k->n; i++) {
            const uint32_t g = az_coll_member(c, k, i), r = c->rank[g];
            const double less = usual - (double)az_coll_wait_duration(c, k, g);
            m->caused[r] += less > 0 ? less / (double)m->blocks : 0;
            m->synced[r]++;
        }
    }
    return 0;
}

/* ---- who is compared with whom ---- */
static uint32_t root(uint32_t *of, uint32_t r)
{
    while (of[r] != r)
        r = of[r] = of[of[r]];
    return r;
}

static void components(struct az_coll_blame *m)
{
    const struct az_cr *c = m->c;
    uint32_t *of = m->component;
    for (uint32_t r = 0; r < m->ranks; r++)
        of[r] = r;
    for (size_t x = 0; x < c->colls.n; x++)
        for (uint32_t i = 1; i < c->colls.v[x].n; i++) {
            const uint32_t a = root(of, c->rank[az_coll_member(c, &c->colls.v[x], 0)]),
                           b = root(of, c->rank[az_coll_member(c, &c->colls.v[x], i)]);
            of[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t r = 0; r < m->ranks; r++)
        of[r] = root(of, r);
    for (uint32_t r = 0; r < m->ranks; r++)
        of[r] = c->part[r] ? of[r] : AZ_NO_ROW;
}

static void classes(struct az_coll_blame *m, const uint64_t *program)
{
    for (uint32_t r = 0; r < m->ranks; r++) {
        size_t same = 0;
        m->class[r] = r;
        for (uint32_t q = (uint32_t)m->ranks; m->component[r] != AZ_NO_ROW && q-- > 0;) {
            if (m->component[q] != m->component[r] || program[q] != program[r])
                continue;
            same++;
            m->class[r] = q;
        }
        m->alike[r] = same >= ALIKE;
    }
}

/* ---- what a rank lacks against its peers ---- */
static uint32_t most_events(const struct az_coll_blame *m, size_t r)
{
    uint32_t most = 0;
    for (size_t b = 0; b < m->blocks; b++)
        most = m->count[r * m->blocks + b] > most ? m->count[r * m->blocks + b] : most;
    return most;
}

/* As many events as most ranks with the same program have in this block; without such ranks, as
 * many as it ever has. */
static int usual(const struct az_coll_blame *m, size_t r, size_t b, double *v, uint32_t *n)
{
    size_t k = 0;
    *n = m->alike[r] ? 0 : most_events(m, r);
    for (size_t q = 0; m->alike[r] && q < m->ranks; q++)
        if (m->component[q] == m->component[r] && m->class[q] == m->class[r] &&
            m->count[q * m->blocks + b])
            v[k++] = m->count[q * m->blocks + b];
    if (k == 0)
        return 0;
    const int rc = az_coll_sorted(m, v, k);
    *n = (uint32_t)v[k / 2];
    return rc;
}

/* Blocks that do not hold all that they should count for nothing. */
static int drop(struct az_coll_blame *m, double *v)
{
    for (size_t b = 0; b < m->blocks; b++)
        for (size_t r = 0; r < m->ranks; r++) {
            const size_t at = r * m->blocks + b;
            uint32_t n = 0;
            if (m->component[r] == AZ_NO_ROW)
                continue;
            const int rc = m->alike[r] && r != m->class[r] ? 0 : usual(m, r, b, v, &n);
            if (rc)
                return rc;
            if (m->alike[r] && r == m->class[r])
                m->usual[r] = n;
            n = m->alike[r] ? m->usual[m->class[r]] : n;
            const uint32_t least = m->n_numbers ? n : (uint32_t)(FREE_SHARE * (double)n);
            if (m->count[at] == 0 || m->count[at] < least || (m->n_numbers && m->count[at] != n) ||
                (double)m->imputed[at] > IMPUTED * (double)n)
                m->exposed[at] = NAN;
        }
    return 0;
}

/* Median of sorted values without one that equals x; NaN. */
static double middle_without(const double *v, size_t n, double x)
{
    size_t low = 0, high = n;
    if (n < 2)
        return NAN;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (v[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    const size_t a = (n - 2) / 2, b = (n - 1) / 2; /* of n - 1 values */
    return (v[a + (a >= low)] + v[b + (b >= low)]) / 2;
}

/* What those of a block lack that are compared with the same ranks as `first`: its class, or it
 * alone. */
static int lacks_of(struct az_coll_blame *m, size_t first, size_t b, double *v)
{
    size_t n = 0;
    for (size_t q = 0; q < m->ranks; q++)
        if ((q == first || az_coll_peers(m, first, q)) && !isnan(m->exposed[q * m->blocks + b]))
            v[n++] = m->exposed[q * m->blocks + b];
    const int rc = az_coll_sorted(m, v, n);
    for (size_t r = first; rc == 0 && r < m->ranks; r++) {
        const size_t at = r * m->blocks + b;
        if (r == first || (m->alike[first] && az_coll_peers(m, first, r)))
            m->lack[at] = middle_without(v, n, m->exposed[at]) - m->exposed[at];
    }
    return rc;
}

int az_coll_lacks(struct az_coll_blame *m)
{
    const size_t cells = m->ranks * m->blocks + 1;
    uint64_t *program = az_arena_array(m->a, m->ranks + 1, sizeof *program);
    uint32_t *kinds = az_arena_array(m->a, m->blocks * AZ_COLL_KINDS + 1, sizeof *kinds);
    double *v = az_arena_array(m->a, m->ranks + 1, sizeof *v);
    m->exposed = az_arena_array(m->a, cells, sizeof *m->exposed);
    m->lack = az_arena_array(m->a, cells, sizeof *m->lack);
    m->count = az_arena_array(m->a, cells, sizeof *m->count);
    m->imputed = az_arena_array(m->a, cells, sizeof *m->imputed);
    m->component = az_arena_array(m->a, m->ranks + 1, sizeof *m->component);
    m->class = az_arena_array(m->a, m->ranks + 1, sizeof *m->class);
    m->usual = az_arena_array(m->a, m->ranks + 1, sizeof *m->usual);
    m->synced = az_arena_array(m->a, m->ranks + 1, sizeof *m->synced);
    m->alike = az_arena_array(m->a, m->ranks + 1, sizeof *m->alike);
    m->caused = az_arena_array(m->a, m->ranks + 1, sizeof *m->caused);
    if (m->a->failed)
        return az_arena_error(m->a);
    components(m);
    for (size_t r = 0; r < m->ranks; r++)
        program[r] = m->c->part[r] ? expose(m, r, kinds) : 0;
    classes(m, program);
    int rc = waits(m, v);
    if (rc == 0)
        rc = impute(m, v);
    if (rc == 0)
        rc = drop(m, v);
    for (size_t b = 0; rc == 0 && b < m->blocks; b++)
        for (size_t r = 0; rc == 0 && r < m->ranks; r++)
            if (m->component[r] != AZ_NO_ROW && (!m->alike[r] || m->class[r] == r))
                rc = lacks_of(m, r, b, v);
            else if (m->component[r] == AZ_NO_ROW)
                m->lack[r * m->blocks + b] = NAN;
    return rc;
}
