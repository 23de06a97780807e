/* Alignment of two sequences of names. */
#include "analyses/diff/tree.h"

#define CELLS ((size_t)64 << 20) /* of one table: two bits each */

enum step { MATCH = 1, DELETE = 2, INSERT = 3, REPLACE = 0 };

struct strip { /* cells of n rows and m columns */
    uint8_t *bits;
    size_t m;
};
static void put_step(const struct strip *s, size_t i, size_t j, enum step v)
{
    const size_t cell = i * s->m + j;
    s->bits[cell / 4] = (uint8_t)(s->bits[cell / 4] | (unsigned)v << (cell % 4 * 2));
}
static enum step get_step(const struct strip *s, size_t i, size_t j)
{
    const size_t cell = i * s->m + j;
    return (enum step)(s->bits[cell / 4] >> (cell % 4 * 2) & 3);
}

/* Costs of one row from those of the row before; which step was cheapest goes into the strip (NULL:
 * not requested). */
static void align_row(const uint32_t *a, size_t i, const uint32_t *b, size_t m,
                      const uint32_t *above, uint32_t *here, const struct strip *s)
{
    here[0] = above[0] + 1;
    for (size_t j = 0; j < m; j++) {
        const bool same = a[i] == b[j];
        const uint32_t diagonal = above[j] + !same, up = above[j + 1] + 1, left = here[j] + 1;
        uint32_t least = diagonal < up ? diagonal : up;
        least = left < least ? left : least;
        here[j + 1] = least;
        if (s)
            put_step(s, i, j,
                     same && least == diagonal ? MATCH
                     : least == up             ? DELETE
                     : least == left           ? INSERT
                                               : REPLACE);
    }
}

static int whole(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t first_b,
                 uint32_t *match, struct az_mem *mem)
{
    const size_t bytes = n * m / 4 + 1, costs = 2 * (m + 1) * sizeof(uint32_t);
    struct strip s = { .bits = az_mem_alloc(mem, bytes), .m = m };
    uint32_t *cost = az_mem_alloc(mem, costs);
    int rc = s.bits && cost ? 0 : az_mem_error(mem);
    if (rc == 0) {
        uint32_t *above = cost, *here = cost + m + 1;
        memset(s.bits, 0, bytes);
        for (size_t j = 0; j <= m; j++)
            above[j] = (uint32_t)j;
        for (size_t i = 0; i < n; i++) {
            align_row(a, i, b, m, above, here, &s);
            uint32_t *t = above;
            above = here;
            here = t;
        }
        for (size_t i = n, j = m; i > 0 && j > 0;) {
            const enum step step = get_step(&s, i - 1, j - 1);
            if (step == MATCH)
                match[i - 1] = first_b + (uint32_t)(j - 1);
            i -= step != INSERT;
            j -= step != DELETE;
        }
    }
    if (s.bits)
        az_mem_free(mem, s.bits, bytes);
    if (cost)
        az_mem_free(mem, cost, costs);
    return rc;
}

/* Costs of aligning all of a with every beginning of b (backwards: every end of b). */
static void costs_of(const uint32_t *a, size_t n, const uint32_t *b, size_t m, bool backwards,
                     uint32_t *above, uint32_t *here)
{
    for (size_t j = 0; j <= m; j++)
        above[j] = (uint32_t)j;
    for (size_t i = 0; i < n; i++) {
        const uint32_t x = a[backwards ? n - 1 - i : i];
        here[0] = above[0] + 1;
        for (size_t j = 0; j < m; j++) {
            const uint32_t diagonal = above[j] + (x != b[backwards ? m - 1 - j : j]),
                           up = above[j + 1] + 1, left = here[j] + 1;
            here[j + 1] = diagonal < up ? (diagonal < left ? diagonal : left)
                          : up < left   ? up
                                        : left;
        }
        memcpy(above, here, (m + 1) * sizeof *here);
    }
}

/* Where b is best cut when a is truncated in the middle (Hirschberg). */
static int best_cut(const uint32_t *a, size_t n, const uint32_t *b, size_t m, size_t *cut,
                    struct az_mem *mem)
{
    const size_t bytes = 3 * (m + 1) * sizeof(uint32_t), half = n / 2;
    uint32_t *cost = az_mem_alloc(mem, bytes);
    uint32_t least = UINT32_MAX;
    if (!cost)
        return az_mem_error(mem);
    uint32_t *head = cost, *tail = cost + m + 1, *work = cost + 2 * (m + 1);
    costs_of(a, half, b, m, false, head, work);
    costs_of(a + half, n - half, b, m, true, tail, work);
    for (size_t j = 0; j <= m; j++)
        if (head[j] + tail[m - j] < least) {
            least = head[j] + tail[m - j];
            *cut = j;
        }
    az_mem_free(mem, cost, bytes);
    return 0;
}

/* Halves of halves: 2^15 cells a side are far below the limit, so this is never deep. */
static int align(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t first_b,
                 uint32_t *match, struct az_mem *mem)
{
    size_t cut = 0;
    if (n == 0 || m == 0)
        return 0;
    if (n == 1 || n * m <= CELLS)
        return whole(a, n, b, m, first_b, match, mem);
    int rc = best_cut(a, n, b, m, &cut, mem);
    if (rc == 0)
        rc = align(a, n / 2, b, cut, first_b, match, mem);
    return rc ? rc
              : align(a + n / 2, n - n / 2, b + cut, m - cut, first_b + (uint32_t)cut,
                      match + n / 2, mem);
}

int az_diff_align(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *match,
                  struct az_mem *mem)
{
    for (size_t i = 0; i < n; i++)
        match[i] = AZ_NO_ROW;
    for (; n > 0 && m > 0 && a[n - 1] == b[m - 1]; n--, m--) /* a match at the end comes first */
        match[n - 1] = (uint32_t)(m - 1);
    return align(a, n, b, m, 0, match, mem);
}
