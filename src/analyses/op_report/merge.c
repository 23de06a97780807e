/* One operation of several devices into one row (docs/formats-tracy.md 5). Devices are matched by
 * the call count where it holds the device number, so that an operation missing on one device does
 * not shift the others; else by name, in order. Rows come in the order of the operations, not of
 * the lines; host rows and signposts are before the operation that follows them. */
#include <math.h>

#include "analyses/op_report/opreport.h"
#include "base/sort.h"

struct merge {
    struct az_op_report *t;
    const uint32_t *window;
    size_t n;
    uint32_t *block; /* by position in the window: number of its block; AZ_NO_ROW: no device row */
    uint32_t *queue; /* positions, device by device in ascending number */
    uint32_t *from;  /* devices + 1: where each device's part of queue begins */
    size_t devices, blocks;
    struct az_vec_u32 rank; /* by block: place in the order */
};

static const struct az_oprow *row_at(const struct merge *m, size_t i)
{
    return &m->t->r->rows.v[m->window[i]];
}
static bool takes_part(const struct az_oprow *r)
{
    return r->kind == AZ_OPROW_DEVICE && r->device >= 0;
}

static void *alloc_rows(struct merge *m, size_t n)
{
    return az_arena_array(m->t->job->arena, n ? n : 1, sizeof(uint32_t));
}

/* queue and from: a counting sort by device. */
static int make_queues(struct merge *m)
{
    struct az_map index; /* device -> 1: which numbers occur (numbers may be far apart) */
    struct az_vec_i64 ids;
    int64_t *key = NULL;
    uint32_t *order = NULL;
    int rc = 0;
    az_map_init(&index, m->t->job->mem, 64);
    az_vec_init(&ids, m->t->job->mem);
    for (size_t i = 0; rc == 0 && i < m->n; i++) {
        uint32_t *at;
        bool added = false;
        if (takes_part(row_at(m, i)))
            rc = az_map_put(&index, (uint64_t)row_at(m, i)->device, 0, 0, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(&ids, row_at(m, i)->device);
    }
    m->devices = ids.n;
    m->from = alloc_rows(m, ids.n + 2);
    m->queue = alloc_rows(m, m->n);
    key = az_mem_alloc(m->t->job->mem, (ids.n + 1) * sizeof *key);
    order = alloc_rows(m, ids.n);
    if (rc == 0 && (!m->from || !m->queue || !key || !order))
        rc = az_mem_error(m->t->job->mem);
    for (size_t d = 0; rc == 0 && d < ids.n; d++)
        key[d] = ids.v[d];
    if (rc == 0)
        az_sort_order(key, ids.n, order, m->t->job->mem);
    for (size_t d = 0; rc == 0 && d < ids.n; d++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&index, (uint64_t)ids.v[order[d]], 0, 0, &at, &added);
        *at = (uint32_t)d;
    }
    for (size_t i = 0; rc == 0 && i < m->n; i++)
        if (takes_part(row_at(m, i)))
            m->from[az_map_get(&index, (uint64_t)row_at(m, i)->device, 0) + 1]++;
    for (size_t d = 0; rc == 0 && d < ids.n; d++)
        m->from[d + 1] += m->from[d];
    uint32_t *next = alloc_rows(m, ids.n);
    if (rc == 0 && next && ids.n)
        memcpy(next, m->from, ids.n * sizeof *next);
    for (size_t i = 0; rc == 0 && next && i < m->n; i++)
        if (takes_part(row_at(m, i)))
            m->queue[next[az_map_get(&index, (uint64_t)row_at(m, i)->device, 0)]++] = (uint32_t)i;
    az_mem_free(m->t->job->mem, key, (ids.n + 1) * sizeof *key);
    az_vec_release(&ids);
    az_map_release(&index);
    return rc ? rc : next ? 0 : az_mem_error(m->t->job->mem);
}

/* ---- by call count ---- */

/* The same call of all devices has one block; a call that a device made again (a replayed trace) is
 * its next occurrence. */
static int blocks_by_call(struct merge *m)
{
    struct az_map block, seen;
    int rc = 0;
    az_map_init(&block, m->t->job->mem, m->n);
    az_map_init(&seen, m->t->job->mem, m->n);
    for (size_t d = 0; rc == 0 && d < m->devices; d++)
        for (uint32_t q = m->from[d]; rc == 0 && q < m->from[d + 1]; q++) {
            const struct az_oprow *r = row_at(m, m->queue[q]);
            uint64_t call = (uint64_t)(r->call >> 10), times;
            uint32_t *at;
            bool added;
            rc = az_map_put(&seen, call, d, 0, &at, &added);
            if (rc)
                break;
            times = (*at)++;
            rc = az_map_put(&block, call, times << 32 | r->code, (uint32_t)m->blocks, &at, &added);
            if (rc)
                break;
            m->blocks += added;
            m->block[m->queue[q]] = *at;
        }
    az_map_release(&block);
    az_map_release(&seen);
    return rc;
}

/* The first device gives the order; what another one has more is after what preceded it there. */
static int order_by_devices(struct merge *m)
{
    uint32_t *next = alloc_rows(m, m->blocks + 1),
             head = (uint32_t)m->blocks; /* a ring with a head */
    uint8_t *placed = az_arena_array(m->t->job->arena, m->blocks + 1, 1);
    int rc = next && placed ? az_vec_reserve(&m->rank, m->blocks) : az_mem_error(m->t->job->mem);

    if (rc)
        return rc;
    next[head] = head;
    for (size_t d = 0; d < m->devices; d++) {
        uint32_t before = head;
        for (uint32_t q = m->from[d]; q < m->from[d + 1]; q++) {
            uint32_t b = m->block[m->queue[q]];
            if (!placed[b]) {
                placed[b] = 1;
                next[b] = next[before];
                next[before] = b;
            }
            before = b;
        }
    }
    m->rank.n = m->blocks;
    uint32_t place = 0;
    for (uint32_t b = next[head]; b != head; b = next[b])
        m->rank.v[b] = place++;
    return 0;
}

/* ---- by name ---- */

/* Heads of the queues with the name of the first one that is not empty make a block. The first
 * version requested no name and stopped with the shortest queue. */
static int blocks_by_name(struct merge *m)
{
    uint32_t *head = alloc_rows(m, m->devices);
    size_t left = 0;
    int rc = head ? 0 : az_mem_error(m->t->job->mem);

    for (size_t d = 0; rc == 0 && d < m->devices; d++) {
        head[d] = m->from[d];
        left += m->from[d + 1] - m->from[d];
    }
    while (rc == 0 && left) {
        uint32_t name = AZ_NO_ID;
        for (size_t d = 0; m->t->first && d < m->devices; d++)
            if (head[d] == m->from[d + 1])
                return 0;
        for (size_t d = 0; d < m->devices; d++) {
            if (head[d] == m->from[d + 1])
                continue;
            uint32_t code = row_at(m, m->queue[head[d]])->code;
            name = name == AZ_NO_ID ? code : name;
            if (code != name && !m->t->first)
                continue;
            m->block[m->queue[head[d]++]] = (uint32_t)m->blocks;
            left--;
        }
        rc = az_vec_push(&m->rank, (uint32_t)m->blocks);
        m->blocks++;
    }
    return rc;
}

/* ---- a block into a row ---- */
/* ns; NaN: blank, or impossible. */
static double kernel_of(const struct az_op_report *t, const struct az_oprow *r)
{
    return t->first ? r->firmware : r->impossible ? NAN : r->kernel;
}

struct best {
    uint32_t row; /* of the report; AZ_NO_ROW: none yet */
    uint32_t members;
    double value; /* of the chosen row */
    double sum;
    uint32_t known; /* durations in sum */
};

static void take_best(struct az_op_report *t, struct best *b, uint32_t row)
{
    const struct az_oprow *r = &t->r->rows.v[row];
    double v = kernel_of(t, r);
    bool smallest = t->first && az_op_report_code(t, r->code)->fastest;

    b->members++;
    if (!isnan(v)) {
        b->sum += v;
        b->known++;
    }
    if (b->row == AZ_NO_ROW || (isnan(b->value) && !isnan(v)) ||
        (smallest ? v < b->value : v > b->value)) {
        b->row = row;
        b->value = v;
    }
}

static int choose(struct merge *m, struct best *best)
{
    for (size_t b = 0; b < m->blocks; b++)
        best[b] = (struct best){ .row = AZ_NO_ROW };
    struct az_op_report *t = m->t;
    uint32_t *first = alloc_rows(m, m->blocks);
    if (!first)
        return az_mem_error(t->job->mem);
    for (size_t d = 0; d < m->devices; d++)
        for (uint32_t q = m->from[d]; q < m->from[d + 1]; q++) {
            uint32_t i = m->queue[q], b = m->block[i];
            if (b == AZ_NO_ROW)
                continue;
            if (best[b].row == AZ_NO_ROW)
                first[b] = m->window[i];
            take_best(t, &best[b], m->window[i]);
        }
    for (size_t b = 0; b < m->blocks; b++) {
        const struct az_oprow *r = &t->r->rows.v[first[b]];
        if (t->first || !az_op_report_code(t, r->code)->mean)
            continue;
        best[b].row = first[b];
        best[b].value = best[b].known ? best[b].sum / best[b].known : NAN;
    }
    return 0;
}

static void note_incomplete(struct merge *m, const struct best *best,
                            struct az_op_report_merge_notes *notes)
{
    notes->blocks = m->blocks;
    notes->first_block = UINT64_MAX;
    for (size_t b = 0; b < m->blocks; b++) {
        if (best[b].members == m->devices)
            continue;
        notes->incomplete++;
        if (m->rank.v[b] < notes->first_block) {
            notes->first_block = m->rank.v[b];
            notes->first_code = m->t->r->rows.v[best[b].row].code;
        }
    }
}

/* Blocks by rank, each after the host rows and signposts whose next device row is in it. */
static int put_rows(struct merge *m, const struct best *best, struct az_op_report_rows *out)
{
    size_t others = 0, k = 0;
    for (size_t i = 0; i < m->n; i++)
        others += !takes_part(row_at(m, i));
    if (m->t->first)
        others = 0;
    size_t n = m->blocks + others;
    int64_t *key = az_mem_alloc(m->t->job->mem, (n + 1) * sizeof *key);
    uint32_t *item = alloc_rows(m, n), *order = alloc_rows(m, n);
    int rc = key && item && order ? az_vec_reserve(out, n) : az_mem_error(m->t->job->mem);
    size_t files = m->t->r->files.n;
    int64_t *next = az_arena_array(m->t->job->arena, files + 1,
                                   sizeof *next); /* by file: hosts have clocks of their own */

    if (rc == 0 && !next)
        rc = az_mem_error(m->t->job->mem);
    for (size_t i = 0; rc == 0 && i < files; i++)
        next[i] = (int64_t)m->blocks * 2;
    for (size_t i = m->n; rc == 0 && i-- > 0;) { /* backwards: what follows is known */
        size_t file = row_at(m, i)->file;
        if (m->block[i] != AZ_NO_ROW)
            next[file] = (int64_t)m->rank.v[m->block[i]] * 2;
        else if (!m->t->first && !takes_part(row_at(m, i))) {
            key[k] = next[file];
            item[k++] = (uint32_t)i;
        }
    }
    for (size_t i = 0; rc == 0 && i < k / 2; i++) { /* file order again, for the stable sort */
        int64_t x = key[i];
        uint32_t y = item[i];
        key[i] = key[k - 1 - i];
        item[i] = item[k - 1 - i];
        key[k - 1 - i] = x;
        item[k - 1 - i] = y;
    }
    for (size_t b = 0; rc == 0 && b < m->blocks; b++) {
        key[k] = (int64_t)m->rank.v[b] * 2 + 1;
        item[k++] = (uint32_t)b;
    }
    if (rc == 0)
        az_sort_order(key, k, order, m->t->job->mem);
    for (size_t i = 0; rc == 0 && i < k; i++) {
        struct az_op_report_row r = { .kernel = NAN };
        if (order[i] < others)
            r.row = m->window[item[order[i]]];
        else {
            r.row = best[item[order[i]]].row;
            r.kernel = best[item[order[i]]].value;
        }
        out->v[out->n++] = r;
    }
    az_mem_free(m->t->job->mem, key, (n + 1) * sizeof *key);
    return rc;
}

static int unmerged(struct az_op_report *t, const uint32_t *window, size_t n,
                    struct az_op_report_rows *out)
{
    int rc = az_vec_reserve(out, n);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_oprow *r = &t->r->rows.v[window[i]];
        out->v[out->n++] = (struct az_op_report_row){ .row = window[i], .kernel = kernel_of(t, r) };
    }
    return rc;
}

int az_op_report_merge(struct az_op_report *t, const uint32_t *window, size_t n,
                       struct az_op_report_rows *out, struct az_op_report_merge_notes *notes)
{
    struct merge m = { .t = t, .window = window, .n = n };
    if (t->r->devices < 2 || t->o->no_merge_devices)
        return unmerged(t, window, n, out);
    az_vec_init(&m.rank, t->job->mem);
    m.block = alloc_rows(&m, n);
    int rc = m.block ? make_queues(&m) : az_mem_error(t->job->mem);
    if (rc == 0) {
        memset(m.block, 0xff, n * sizeof *m.block);
        notes->by_call = t->r->call_has_device && !t->first;
        rc = notes->by_call ? blocks_by_call(&m) : blocks_by_name(&m);
    }
    if (rc == 0 && notes->by_call)
        rc = order_by_devices(&m);
    struct best *best = rc == 0 ? az_arena_array(t->job->arena, m.blocks + 1, sizeof *best) : NULL;
    if (rc == 0)
        rc = best ? choose(&m, best) : az_mem_error(t->job->mem);
    if (rc == 0) {
        note_incomplete(&m, best, notes);
        rc = put_rows(&m, best, out);
    }
    az_vec_release(&m.rank);
    return rc;
}
