/* A window of an XPlane profile as one: the file without the events of devices, calls and
 * compilations outside, with the window in a field of its own, which other readers skip
 * (docs/regions.md 8). */
#include "base/num.h"
#include "base/sort.h"
#include "formats/shared/cut_output.h"
#include "formats/shared/cut_records.h"
#include "formats/xplane/xplane.h"

enum { LINES = 3, EVENTS = 4 };

struct cutting {
    struct az_cut *job;
    const struct az_cut_log *log; /* from, to: what is gone, ascending; NULL: chunks, bits */
    size_t next;                  /* of it, or of chunks */
    const struct az_xplane_chunks *chunks;
    const struct az_vec_u8 *bits;
    struct az_xplane_block block; /* the file, or the plane being copied */
    struct az_mapping map;        /* empty: it is in memory */
    const char *used;
    /* The copy of a plane, before it is written: bytes of the file, or for p NULL the head of a
     * line whose copy has n bytes. */
    struct az_vec_sv pieces;
    uint64_t size; /* of them, heads included */
    struct az_cut_output output;
    struct az_sv range; /* of the file, to be written in one piece */
};

/* ---- output ---- */

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

/* What is before this byte is not needed any more. */
static void pass_to(struct cutting *c, const char *p)
{
    if (az_xplane_is_copy(&c->block) || p - c->used <= AZ_XPLANE_USED)
        return;
    az_map_used(&c->map, c->used, p);
    c->used = p;
}

static void write_bytes(struct cutting *c, struct az_sv bytes)
{
    pass_to(c, bytes.p);
    if (c->range.n && c->range.p + c->range.n == bytes.p) {
        c->range.n += bytes.n;
        return;
    }
    flush(c);
    c->range = bytes;
}

/* Tag and length of a field of bytes. */
static struct az_sv head_of(uint8_t head[2 * AZ_PROTOBUF_VARINT], uint32_t field, uint64_t n)
{
    uint8_t *end = az_protobuf_put_varint(head, (uint64_t)field << 3 | AZ_PROTOBUF_BYTES);
    end = az_protobuf_put_varint(end, n);
    return az_sv_make((const char *)head, (size_t)(end - head));
}

static void write_head(struct cutting *c, uint32_t field, uint64_t n)
{
    uint8_t head[2 * AZ_PROTOBUF_VARINT];
    flush(c);
    az_cut_output_put(&c->output, head_of(head, field, n));
}

static void write_pieces(struct cutting *c)
{
    for (size_t i = 0; i < c->pieces.n; i++)
        if (c->pieces.v[i].p)
            write_bytes(c, c->pieces.v[i]);
        else
            write_head(c, LINES, c->pieces.v[i].n);
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
    const uint64_t from = az_xplane_offset(&c->block, bytes.p);
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

/* Bytes of the file that are next in the copy of a plane. */
static int add_bytes(struct cutting *c, struct az_sv bytes)
{
    struct az_sv *last = c->pieces.n ? &c->pieces.v[c->pieces.n - 1] : NULL;
    pass_to(c, bytes.p);
    c->size += bytes.n;
    if (!last || !last->p || last->p + last->n != bytes.p)
        return az_vec_push(&c->pieces, bytes);
    last->n += bytes.n;
    return 0;
}

/* A message without the events that are gone; `inside` is the field whose messages may have some.
 */
static int copy_message(struct cutting *c, struct az_sv bytes, uint32_t inside);

/* The chunk of events at a place of the file, if one begins there: *m is after it then. */
static int copy_chunk(struct cutting *c, struct az_protobuf *m)
{
    const uint64_t from = az_xplane_offset(&c->block, m->p);
    const size_t i = chunk_at(c, from);
    const struct az_xplane_chunk *k = i < c->chunks->n ? &c->chunks->v[i] : NULL;
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    int rc = 0;
    if (!k || k->from != from || k->to - k->from > (uint64_t)(m->end - m->p))
        return 0;
    struct az_protobuf events = { m->p, m->p + (k->to - k->from), m->depth };
    m->p = events.end;
    if (k->disposition == AZ_XPLANE_GONE)
        return 1;
    if (k->disposition == AZ_XPLANE_KEPT)
        rc = add_bytes(c, az_sv_make((const char *)events.p, (size_t)(k->to - k->from)));
    for (size_t bit = k->bits;
         k->disposition == AZ_XPLANE_MIXED && rc == 0 && events.p < events.end; bit++) {
        const char *tag = (const char *)events.p;
        if (az_protobuf_next(&events, &field, &wire, &v, &b) <= 0 || bit / 8 >= c->bits->n)
            return is_damaged(c);
        if (c->bits->v[bit / 8] >> (bit % 8) & 1)
            rc = add_bytes(c, az_sv_make(tag, (size_t)((const char *)events.p - tag)));
    }
    return rc ? rc : 1;
}

/* A line, or an event. */
static int copy_field(struct cutting *c, struct az_sv body, struct az_sv whole, uint32_t inside)
{
    if (!is_any_gone(c, body))
        return add_bytes(c, whole);
    if (inside == EVENTS)
        return AZ_OK;
    uint8_t head[2 * AZ_PROTOBUF_VARINT];
    const size_t place = c->pieces.n;
    const uint64_t before = c->size;
    int rc = az_vec_push(&c->pieces, ((struct az_sv){ NULL, 0 }));
    if (rc == 0)
        rc = copy_message(c, body, EVENTS);
    if (rc)
        return rc;
    c->pieces.v[place].n = (size_t)(c->size - before);
    c->size += head_of(head, LINES, c->size - before).n;
    return AZ_OK;
}

static int copy_message(struct cutting *c, struct az_sv bytes, uint32_t inside)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    for (;;) {
        if (c->job->cancelled && inside != EVENTS && c->job->cancelled())
            return AZ_EINTR;
        int rc = c->chunks && inside == EVENTS ? copy_chunk(c, &m) : 0;
        if (rc < 0)
            return rc;
        if (rc > 0)
            continue;
        const char *tag = (const char *)m.p;
        rc = az_protobuf_next(&m, &field, &wire, &v, &b);
        if (rc <= 0)
            return rc < 0 ? is_damaged(c) : AZ_OK;
        const struct az_sv whole = { tag, (size_t)((const char *)m.p - tag) };
        rc = field == inside && wire == AZ_PROTOBUF_BYTES ? copy_field(c, b, whole, inside)
                                                          : add_bytes(c, whole);
        if (rc)
            return rc;
    }
}

static int write_plane(struct cutting *c, struct az_sv body)
{
    const char *begin = c->used;
    c->size = 0;
    az_vec_reset(&c->pieces);
    const int rc = copy_message(c, az_xplane_load(&c->block, body), LINES);
    if (rc == 0) {
        write_head(c, AZ_XPLANE_PLANE_FIELD, c->size);
        c->used = begin;
        write_pieces(c);
        flush(c);
    }
    az_xplane_unload(&c->block);
    return rc;
}

/* The file without the window of an earlier cut, and without the events that are gone. */
static int write_fields(struct cutting *c, struct az_sv bytes,
                        const struct az_xplane_fields *fields)
{
    const char *at = bytes.p;
    for (size_t i = 0; i < fields->n; i++) {
        const struct az_xplane_field *f = &fields->v[i];
        const bool plane = f->number == AZ_XPLANE_PLANE_FIELD && is_any_gone(c, f->bytes);
        if (c->job->cancelled && c->job->cancelled())
            return AZ_EINTR;
        if (!plane && f->number != AZ_XPLANE_WINDOW_FIELD)
            continue;
        write_bytes(c, az_sv_make(at, (size_t)(f->tag - at)));
        const int rc = plane ? write_plane(c, f->bytes) : AZ_OK;
        if (rc)
            return rc;
        at = f->bytes.p + f->bytes.n;
    }
    write_bytes(c, az_sv_make(at, (size_t)(bytes.p + bytes.n - at)));
    return AZ_OK;
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

static int copy_file(struct cutting *c, const struct az_trace *t, struct az_sv bytes,
                     const struct az_xplane_fields *fields)
{
    struct az_arena a;
    az_arena_init(&a, c->job->mem);
    az_vec_init(&c->pieces, c->job->mem);
    az_xplane_block_init(&c->block, &c->map, bytes, c->job->mem);
    c->used = bytes.p;
    struct az_sv window = az_cut_spans_text(t, &a);
    if (window.p)
        window =
            az_arena_printf(&a, "%lld %.*s", (long long)az_xtrace(t)->origin_ns, AZ_SVF(window));
    int rc = window.p ? az_cut_output_open(&c->output, c->job->out, c->job->mem, c->job->diag)
                      : az_arena_error(&a);
    if (rc == 0) {
        rc = write_fields(c, bytes, fields);
        write_head(c, AZ_XPLANE_WINDOW_FIELD, window.n);
        az_cut_output_put(&c->output, window);
        rc = az_cut_output_close(&c->output, rc);
    }
    az_vec_release(&c->pieces);
    az_xplane_block_release(&c->block);
    az_arena_release(&a);
    return rc;
}

int az_xplane_write_chunks(struct az_cut *job, struct az_xplane *r,
                           const struct az_xplane_chunks *chunks, const struct az_vec_u8 *bits)
{
    struct cutting c = { .job = job, .chunks = chunks, .bits = bits, .map = r->map };
    return copy_file(&c, r->t, r->bytes, &r->fields);
}

/* The same of a file whose log has what is gone. */
static int copy_listed(struct cutting *c, const struct az_trace *t, struct az_sv bytes)
{
    struct az_xplane_fields fields;
    struct az_xplane_field f;
    struct az_protobuf m = az_protobuf_of(bytes);
    int rc = AZ_OK, next = 0;
    az_vec_init(&fields, c->job->mem);
    while (rc == 0 && (next = az_xplane_next_field(&m, &f)) > 0)
        rc = f.number ? az_vec_push(&fields, f) : AZ_OK;
    if (rc == 0)
        rc = next < 0 ? is_damaged(c) : copy_file(c, t, bytes, &fields);
    az_vec_release(&fields);
    return rc;
}

int az_xplane_write_cut(struct az_cut *job, const struct az_trace *t, struct az_cut_log *log)
{
    const struct az_source_opts so = { .mem = job->mem, .diag = job->diag };
    struct cutting c = { .job = job, .log = log };
    struct az_source *src = NULL;
    struct az_vec_char text; /* of a file that cannot be mapped */
    az_vec_init(&text, job->mem);
    az_cut_count(job, t, log);
    list_gone(log, job->mem);
    int rc = az_source_open(&src, job->in.p, &so);
    if (rc == 0 && !az_source_is_gzip(src))
        rc = az_map_file(&c.map, job->in.p, job->diag);
    else if (rc == 0)
        rc = az_source_rest(src, &text);
    if (rc == 0)
        rc = copy_listed(&c, t, c.map.bytes.n ? c.map.bytes : az_text_view(&text));
    az_source_close(src);
    az_unmap_file(&c.map);
    az_vec_release(&text);
    return rc;
}

/* "ORIGIN [[start, end], ...]" */
int az_xplane_read_window(struct az_xplane *r)
{
    size_t i = 0;
    while (i < r->fields.n && r->fields.v[i].number != AZ_XPLANE_WINDOW_FIELD)
        i++;
    if (i == r->fields.n)
        return AZ_OK;
    struct az_sv text = r->fields.v[i].bytes;
    const struct az_sv origin = az_sv_cut(&text, ' ');
    return az_parse_i64(origin, &r->origin_ns) == 0 ? az_cut_spans_read(r->t, text) : AZ_OK;
}
