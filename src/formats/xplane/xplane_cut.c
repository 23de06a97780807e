/* A window of an XPlane profile as one: the file without the events of devices, calls and
 * compilations outside, with the window in a field of its own, which other readers skip
 * (docs/regions.md 8). */
#include "base/num.h"
#include "base/sort.h"
#include "formats/shared/cut_output.h"
#include "formats/shared/cut_records.h"
#include "formats/xplane/xplane.h"

enum { PLANES = 1, LINES = 3, EVENTS = 4 };

struct cutting {
    struct az_cut *job;
    const struct az_cut_log *log; /* from, to: what is gone, ascending; NULL: chunks, bits */
    size_t next;                  /* of it, or of chunks */
    const struct az_xplane_chunks *chunks;
    const struct az_vec_u8 *bits;
    const char *base;      /* of the file */
    struct az_mapping map; /* empty: it is in memory */
    const char *used;
    struct az_vec_u64 sizes; /* of the copies of planes and lines, in order */
    size_t size_at;
    bool writing;
    struct az_cut_output output;
    struct az_sv range; /* of the file, to be written in one piece */
};

/* ---- output: first only its sizes ---- */

#define LARGE ((size_t)AZ_XPLANE_USED / 4)

/* In pieces, each of which need not stay in memory once it is written: small ones are given up
 * with what is copied after them. */
static void flush(struct cutting *c)
{
    while (c->range.n) {
        const size_t most = (size_t)AZ_XPLANE_USED, n = c->range.n < most ? c->range.n : most;
        az_cut_output_put(&c->output, az_sv_make(c->range.p, n));
        if (n >= LARGE)
            az_map_used(&c->map, c->range.p, c->range.p + n);
        c->range = az_sv_make(c->range.p + n, c->range.n - n);
    }
}

/* Copies bytes of the file. */
static void copy_bytes(struct cutting *c, struct az_sv bytes, uint64_t *size)
{
    *size += bytes.n;
    if (bytes.p - c->used > AZ_XPLANE_USED) {
        az_map_used(&c->map, c->used, bytes.p);
        c->used = bytes.p;
    }
    if (!c->writing)
        return;
    if (c->range.n && c->range.p + c->range.n == bytes.p) {
        c->range.n += bytes.n;
        return;
    }
    flush(c);
    c->range = bytes;
}

/* Tag and length of a field of bytes. */
static void put_head(struct cutting *c, uint32_t field, uint64_t n, uint64_t *size)
{
    uint8_t head[2 * AZ_PROTOBUF_VARINT], *end;
    end = az_protobuf_put_varint(head, (uint64_t)field << 3 | AZ_PROTOBUF_BYTES);
    end = az_protobuf_put_varint(end, n);
    *size += (uint64_t)(end - head);
    if (!c->writing)
        return;
    flush(c);
    az_cut_output_put(&c->output, az_sv_make((const char *)head, (size_t)(end - head)));
}

/* ---- messages ---- */

int az_xplane_cut_damaged(struct az_cut *job)
{
    return az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_FILE(job->in),
                        "invalid XSpace protobuf; nothing was written");
}

static int is_damaged(const struct cutting *c) { return az_xplane_cut_damaged(c->job); }

/* The first chunk from there on: mostly the last one, or the next. */
static size_t chunk_at(struct cutting *c, uint64_t from)
{
    const struct az_xplane_chunks *chunks = c->chunks;
    if (c->next && chunks->v[c->next - 1].from >= from)
        c->next = az_xplane_chunk_at(chunks, from);
    while (c->next < chunks->n && chunks->v[c->next].from < from)
        c->next++;
    return c->next;
}

/* Is any event gone that begins in these bytes? */
static bool is_any_gone(struct cutting *c, struct az_sv bytes)
{
    const uint64_t from = (uint64_t)(bytes.p - c->base);
    if (c->chunks) {
        size_t i = chunk_at(c, from);
        while (i < c->chunks->n && c->chunks->v[i].from < from + bytes.n &&
               c->chunks->v[i].disposition == AZ_XPLANE_KEPT)
            i++;
        return i < c->chunks->n && c->chunks->v[i].from < from + bytes.n;
    }
    while (c->next < c->log->to.n && c->log->to.v[c->next] <= from)
        c->next++;
    return c->next < c->log->from.n && c->log->from.v[c->next] < from + bytes.n;
}

/* A message without the events that are gone; `inside` is the field whose messages may have some.
 */
static int copy_message(struct cutting *c, struct az_sv bytes, uint32_t inside, uint64_t *size);

/* The chunk of events at a place of the file, if one begins there: *m is after it then. */
static int copy_chunk(struct cutting *c, struct az_protobuf *m, uint64_t *size)
{
    const uint64_t from = (uint64_t)((const char *)m->p - c->base);
    const size_t i = chunk_at(c, from);
    const struct az_xplane_chunk *k = i < c->chunks->n ? &c->chunks->v[i] : NULL;
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    if (!k || k->from != from || k->to - k->from > (uint64_t)(m->end - m->p))
        return 0;
    struct az_protobuf events = { m->p, m->p + (k->to - k->from), m->depth };
    m->p = events.end;
    if (k->disposition == AZ_XPLANE_GONE)
        return 1;
    if (k->disposition == AZ_XPLANE_KEPT) {
        copy_bytes(c, az_sv_make(c->base + from, (size_t)(k->to - k->from)), size);
        return 1;
    }
    for (size_t bit = k->bits; events.p < events.end; bit++) {
        const char *tag = (const char *)events.p;
        if (az_protobuf_next(&events, &field, &wire, &v, &b) <= 0 || bit / 8 >= c->bits->n)
            return is_damaged(c);
        if (c->bits->v[bit / 8] >> (bit % 8) & 1)
            copy_bytes(c, az_sv_make(tag, (size_t)((const char *)events.p - tag)), size);
    }
    return 1;
}

static int copy_field(struct cutting *c, struct az_sv body, struct az_sv whole, uint32_t inside,
                      uint64_t *size)
{
    if (inside == EVENTS) {
        if (!is_any_gone(c, body))
            copy_bytes(c, whole, size);
        return AZ_OK;
    }
    if (!is_any_gone(c, body)) {
        copy_bytes(c, whole, size);
        return AZ_OK;
    }
    uint64_t part = 0;
    const uint32_t below = inside == PLANES ? LINES : EVENTS;
    if (c->writing) { /* the file may have changed since its sizes were computed */
        const uint64_t whole_size = c->size_at < c->sizes.n ? c->sizes.v[c->size_at] : 0;
        if (c->size_at++ >= c->sizes.n)
            return is_damaged(c);
        put_head(c, inside, whole_size, size);
        const int rc = copy_message(c, body, below, &part);
        *size += part;
        return rc || part == whole_size ? rc : is_damaged(c);
    }
    const size_t place = c->sizes.n;
    int rc = az_vec_push(&c->sizes, 0);
    if (rc == 0)
        rc = copy_message(c, body, below, &part);
    if (rc)
        return rc;
    c->sizes.v[place] = part;
    put_head(c, inside, part, size);
    *size += part;
    return AZ_OK;
}

static int copy_message(struct cutting *c, struct az_sv bytes, uint32_t inside, uint64_t *size)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    for (;;) {
        if (c->job->cancelled && inside != EVENTS && c->job->cancelled())
            return AZ_EINTR;
        int rc = c->chunks && inside == EVENTS ? copy_chunk(c, &m, size) : 0;
        if (rc < 0)
            return rc;
        if (rc > 0)
            continue;
        const char *tag = (const char *)m.p;
        rc = az_protobuf_next(&m, &field, &wire, &v, &b);
        if (rc <= 0)
            return rc < 0 ? is_damaged(c) : AZ_OK;
        const struct az_sv whole = { tag, (size_t)((const char *)m.p - tag) };
        if (inside == PLANES && field == AZ_XPLANE_WINDOW_FIELD)
            continue;
        if (field != inside || wire != AZ_PROTOBUF_BYTES) {
            copy_bytes(c, whole, size);
            continue;
        }
        rc = copy_field(c, b, whole, inside, size);
        if (rc)
            return rc;
    }
}

static int by_number(const void *a, const void *b, void *ctx)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

/* Leaves what is gone in log->from and log->to, in the order of the file. */
static void list_gone(struct az_cut_log *log, struct az_mem *mem)
{
    size_t n = 0;
    bool sorted = true;
    for (size_t i = 0; i < log->what.n; i++) {
        if (!az_cut_log_is_gone(log, i))
            continue;
        sorted &= n == 0 || log->to.v[n - 1] <= log->from.v[i];
        log->from.v[n] = log->from.v[i];
        log->to.v[n++] = log->to.v[i];
    }
    log->from.n = log->to.n = n;
    if (sorted)
        return;
    az_sort_cmp(log->from.v, n, sizeof *log->from.v, by_number, NULL, mem);
    az_sort_cmp(log->to.v, n, sizeof *log->to.v, by_number, NULL, mem);
}

static int copy_file(struct cutting *c, const struct az_trace *t, struct az_sv bytes)
{
    struct az_arena a;
    uint64_t size = 0;
    az_arena_init(&a, c->job->mem);
    c->base = c->used = bytes.p;
    struct az_sv window = az_cut_spans_text(t, &a);
    if (window.p)
        window =
            az_arena_printf(&a, "%lld %.*s", (long long)az_xtrace(t)->origin_ns, AZ_SVF(window));
    int rc = window.p ? copy_message(c, bytes, PLANES, &size) : az_arena_error(&a);
    c->writing = true;
    c->next = 0;
    c->used = bytes.p;
    if (rc == 0)
        rc = az_cut_output_open(&c->output, c->job->out, c->job->mem, c->job->diag);
    if (rc == 0) {
        rc = copy_message(c, bytes, PLANES, &size);
        put_head(c, AZ_XPLANE_WINDOW_FIELD, window.n, &size);
        az_cut_output_put(&c->output, window);
        rc = az_cut_output_close(&c->output, rc);
    }
    az_arena_release(&a);
    return rc;
}

int az_xplane_write_chunks(struct az_cut *job, struct az_xplane *r,
                           const struct az_xplane_chunks *chunks, const struct az_vec_u8 *bits)
{
    struct cutting c = { .job = job, .chunks = chunks, .bits = bits, .map = r->map };
    az_vec_init(&c.sizes, job->mem);
    const int rc = copy_file(&c, r->t, r->bytes);
    az_vec_release(&c.sizes);
    return rc;
}

int az_xplane_write_cut(struct az_cut *job, const struct az_trace *t, struct az_cut_log *log)
{
    const struct az_source_opts so = { .mem = job->mem, .diag = job->diag };
    struct cutting c = { .job = job, .log = log };
    struct az_source *src = NULL;
    struct az_vec_char text; /* of a file that cannot be mapped */
    az_vec_init(&text, job->mem);
    az_vec_init(&c.sizes, job->mem);
    az_cut_count(job, t, log);
    list_gone(log, job->mem);
    int rc = az_source_open(&src, job->in.p, &so);
    if (rc == 0 && !az_source_is_gzip(src))
        rc = az_map_file(&c.map, job->in.p, job->diag);
    else if (rc == 0)
        rc = az_source_rest(src, &text);
    if (rc == 0)
        rc = copy_file(&c, t, c.map.bytes.n ? c.map.bytes : az_text_view(&text));
    az_source_close(src);
    az_unmap_file(&c.map);
    az_vec_release(&c.sizes);
    az_vec_release(&text);
    return rc;
}

/* "ORIGIN [[start, end], ...]" */
int az_xplane_read_window(struct az_xplane *r)
{
    struct az_protobuf m = az_protobuf_of(r->bytes);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    const char *used = r->bytes.p;
    while (az_protobuf_next(&m, &field, &wire, &v, &b) > 0) {
        az_xplane_passed(r, &used, (const char *)m.p);
        if (field != AZ_XPLANE_WINDOW_FIELD || wire != AZ_PROTOBUF_BYTES)
            continue;
        const struct az_sv origin = az_sv_cut(&b, ' ');
        return az_parse_i64(origin, &r->origin_ns) == 0 ? az_cut_spans_read(r->t, b) : AZ_OK;
    }
    return AZ_OK;
}
