/* Packets of a Perfetto trace: interning by sequence, compressed packets, track descriptors, slices
 * (docs/formats-rocprof.md 7.2; field numbers of google/perfetto protos/perfetto/trace). */
#include <inttypes.h>

#include "formats/pftrace.h"
#include "text/protowire.h"

#define MAX_PACKET ((size_t)256 << 20)
#define WINDOW     ((size_t)256 << 10)
#define FEW                                                                                        \
    ((size_t)100) /* bytes read at once in a build that moves buffers, or as many as are needed */
#define MAX_NESTED 2 /* compressed packets within compressed packets */

enum { PACKET = 1 };
enum {
    P_SEQUENCE = 10,
    P_EVENT = 11,
    P_INTERNED = 12,
    P_FLAGS = 13,
    P_COMPRESSED = 50,
    P_RENDER_STAGE = 53,
    P_TRACK = 60
};
enum {
    E_CATEGORY_IIDS = 3,
    E_ANNOTATION = 4,
    E_TYPE = 9,
    E_NAME_IID = 10,
    E_TRACK = 11,
    E_CATEGORIES = 22,
    E_NAME = 23
};
enum {
    A_NAME_IID = 1,
    A_BOOL = 2,
    A_UINT = 3,
    A_INT = 4,
    A_DOUBLE = 5,
    A_STRING = 6,
    A_POINTER = 7,
    A_NAME = 10,
    A_STRING_IID = 17
};
enum { I_CATEGORY = 1, I_NAME = 2, I_ANNOTATION = 3, I_STRING = 29 };
enum { TYPE_BEGIN = 1, TYPE_INSTANT = 3, CLEARED = 1 };

struct wire {
    struct az_pf *p;
    struct az_source *src;
    struct az_vec_char window; /* bytes at..n are not yet used */
    size_t at;
    int64_t base; /* offset of window[0] in the (inflated) file */
    bool eof;
    int source_error;
    struct az_map interned;    /* iid, sequence and generation and kind -> name id */
    struct az_map sequence_of; /* id -> number in `generation` */
    struct az_vec_u32 generation;
    struct az_map track_pid; /* uuid -> pid */
    struct az_map key_of;    /* name id -> enum az_pf_key */
    uint64_t packets, damaged, unresolved, render_stages;
    unsigned nested;
};

/* One packet as first looked at. */
struct packet {
    uint64_t sequence, flags;
    struct az_sv event, track, compressed;
    bool render_stage;
    struct az_pb whole;
};

/* ---- interning ---- */

static uint64_t intern_key(struct wire *w, uint32_t sequence, unsigned kind)
{
    return (uint64_t)sequence << 40 | (uint64_t)(w->generation.v[sequence] & 0xffffff) << 8 | kind;
}

static int sequence_number(struct wire *w, uint64_t id, uint32_t *number)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&w->sequence_of, id, 0, (uint32_t)w->generation.n, &at, &added);
    if (rc)
        return rc;
    *number = *at & 0xffffff;
    return added ? az_vec_push(&w->generation, 0) : 0;
}

/* {iid 1, name 2} */
static int intern_entry(struct wire *w, const struct az_pb *m, struct az_sv entry,
                        uint32_t sequence, unsigned kind)
{
    struct az_pb e;
    uint32_t field, id, *at;
    unsigned wt;
    uint64_t value = 0, iid = 0;
    struct az_sv bytes, text = AZ_SV("");
    bool added;
    int rc = az_pb_sub(m, entry, &e);
    while (rc == 0 && (rc = az_pb_next(&e, &field, &wt, &value, &bytes)) > 0) {
        if (field == 1 && wt == AZ_PB_INT)
            iid = value;
        else if (field == 2 && wt == AZ_PB_BYTES)
            text = bytes;
        rc = 0;
    }
    if (rc == 0)
        rc = az_trace_name(w->p->r->t, text, &id);
    if (rc == 0)
        rc = az_map_put(&w->interned, iid, intern_key(w, sequence, kind), id, &at, &added);
    if (rc == 0)
        *at = id;
    return rc;
}

static int intern_all(struct wire *w, const struct az_pb *m, struct az_sv data, uint32_t sequence)
{
    struct az_pb d;
    uint32_t field;
    unsigned wt;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    int rc = az_pb_sub(m, data, &d);
    while (rc == 0 && (rc = az_pb_next(&d, &field, &wt, &value, &bytes)) > 0) {
        bool wanted =
            field == I_CATEGORY || field == I_NAME || field == I_ANNOTATION || field == I_STRING;
        rc = wanted && wt == AZ_PB_BYTES ? intern_entry(w, &d, bytes, sequence, field) : 0;
    }
    return rc;
}

static uint32_t interned(struct wire *w, uint32_t sequence, unsigned kind, uint64_t iid)
{
    uint32_t id = az_map_get(&w->interned, iid, intern_key(w, sequence, kind));
    w->unresolved += id == AZ_NO_ID;
    return id;
}

/* ---- slices ---- */

static enum az_pf_key key_of(struct wire *w, uint32_t name, int *rc)
{
    uint32_t *at;
    bool added;
    *rc = az_map_put(&w->key_of, name, 0, 0, &at, &added);
    if (*rc)
        return PF_IGNORED;
    if (added)
        *at = (uint32_t)az_pf_key_of(az_trace_text(w->p->r->t, name));
    return (enum az_pf_key) * at;
}

static int annotation(struct wire *w, const struct az_pb *m, struct az_sv data, uint32_t sequence,
                      struct az_pf_slice *s)
{
    struct az_pb a;
    uint32_t field, name = AZ_NO_ID;
    unsigned wt;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    struct az_pf_value v = { .is_text = false };
    bool has_value = false;
    int rc = az_pb_sub(m, data, &a);
    while (rc == 0 && (rc = az_pb_next(&a, &field, &wt, &value, &bytes)) > 0) {
        rc = 0;
        if (field == A_NAME_IID && wt == AZ_PB_INT)
            name = interned(w, sequence, I_ANNOTATION, value);
        else if (field == A_NAME && wt == AZ_PB_BYTES)
            rc = az_trace_name(w->p->r->t, bytes, &name);
        else if (wt == AZ_PB_INT &&
                 (field == A_UINT || field == A_INT || field == A_BOOL || field == A_POINTER))
            v.i = (int64_t)value, has_value = true;
        else if (field == A_DOUBLE && wt == AZ_PB_FIXED64)
            v.f = az_pb_double(value), v.is_real = has_value = true;
        else if (field == A_STRING && wt == AZ_PB_BYTES)
            v.text = bytes, v.is_text = has_value = true;
        else if (field == A_STRING_IID && wt == AZ_PB_INT)
            v.text = az_trace_text(w->p->r->t, interned(w, sequence, I_STRING, value)),
            v.is_text = has_value = true;
    }
    if (rc || name == AZ_NO_ID || !has_value)
        return rc;
    enum az_pf_key key = key_of(w, name, &rc);
    if (rc == 0)
        az_pf_annotate(s, key, name, &v);
    return rc;
}

/* First of a repeated number, packed or not. */
static int first_number(unsigned wt, uint64_t value, struct az_sv bytes, uint64_t *out)
{
    struct az_pb_numbers it = az_pb_numbers(wt, value, bytes);
    int rc = az_pb_number(&it, out);
    return rc < 0 ? rc : 0;
}

static int track_event(struct wire *w, const struct packet *k, uint32_t sequence)
{
    struct az_pf_slice *s = az_arena_alloc(&w->p->r->scratch, sizeof *s);
    struct az_pb e;
    uint32_t field;
    unsigned wt;
    uint64_t value = 0, type = 0, track = 0, iid;
    struct az_sv bytes = AZ_SV("");
    if (!s)
        return az_arena_error(&w->p->r->scratch);
    az_pf_slice_init(s);
    int rc = az_pb_sub(&k->whole, k->event, &e);
    while (rc == 0 && (rc = az_pb_next(&e, &field, &wt, &value, &bytes)) > 0) {
        rc = 0;
        if (field == E_TYPE && wt == AZ_PB_INT)
            type = value;
        else if (field == E_TRACK && wt == AZ_PB_INT)
            track = value;
        else if (field == E_NAME_IID && wt == AZ_PB_INT)
            s->name = interned(w, sequence, I_NAME, value);
        else if (field == E_NAME && wt == AZ_PB_BYTES)
            rc = az_trace_name(w->p->r->t, bytes, &s->name);
        else if (field == E_CATEGORIES && wt == AZ_PB_BYTES && !s->category.n)
            s->category = bytes;
        else if (field == E_CATEGORY_IIDS && !s->category.n &&
                 (rc = first_number(wt, value, bytes, &iid)) == 0)
            s->category = az_trace_text(w->p->r->t, interned(w, sequence, I_CATEGORY, iid));
        else if (field == E_ANNOTATION && wt == AZ_PB_BYTES)
            rc = annotation(w, &e, bytes, sequence, s);
    }
    if (rc || (type != TYPE_BEGIN && type != TYPE_INSTANT))
        return rc;
    uint32_t pid = az_map_get(&w->track_pid, track, 0);
    s->pid = pid == AZ_NO_ID ? 0 : pid;
    return az_pf_add(w->p, s);
}

/* {uuid 1, process 3 {pid 1}, thread 4 {pid 1}, parent_uuid 5} */
static int track_descriptor(struct wire *w, const struct packet *k)
{
    struct az_pb t, sub;
    uint32_t field, inner, pid = AZ_NO_ID, *at;
    unsigned wt;
    uint64_t value = 0, uuid = 0, parent = 0;
    struct az_sv bytes = AZ_SV("");
    bool added;
    int rc = az_pb_sub(&k->whole, k->track, &t);
    while (rc == 0 && (rc = az_pb_next(&t, &field, &wt, &value, &bytes)) > 0) {
        rc = 0;
        if (field == 1 && wt == AZ_PB_INT)
            uuid = value;
        else if (field == 5 && wt == AZ_PB_INT)
            parent = value;
        else if ((field == 3 || field == 4) && wt == AZ_PB_BYTES &&
                 (rc = az_pb_sub(&t, bytes, &sub)) == 0) {
            while (rc == 0 && (rc = az_pb_next(&sub, &inner, &wt, &value, &bytes)) > 0) {
                rc = 0;
                if (inner == 1 && wt == AZ_PB_INT && value < AZ_NO_ID)
                    pid = (uint32_t)value;
            }
        }
    }
    if (rc)
        return rc;
    if (pid == AZ_NO_ID && parent)
        pid = az_map_get(&w->track_pid, parent, 0);
    return pid == AZ_NO_ID ? 0 : az_map_put(&w->track_pid, uuid, 0, pid, &at, &added);
}

/* ---- packets ---- */

static int packets(struct wire *w, struct az_sv bytes, int64_t offset);

static int compressed(struct wire *w, struct az_sv bytes, int64_t offset)
{
    struct az_vec_char out;
    if (w->nested == MAX_NESTED)
        return AZ_EFORMAT;
    az_vec_init(&out, w->p->r->job->mem);
    w->nested++;
    int rc = az_inflate_block(bytes, MAX_PACKET, &out);
    if (rc == 0 || (rc == AZ_EFORMAT && out.n)) {
        w->damaged += rc != 0;
        rc = packets(w, az_text_view(&out), offset);
    }
    w->nested--;
    az_vec_release(&out);
    return rc;
}

static int look(struct az_sv bytes, struct packet *k)
{
    uint32_t field;
    unsigned wt;
    uint64_t value = 0;
    struct az_sv part = AZ_SV("");
    int rc;
    *k = (struct packet){ .whole = az_pb_of(bytes) };
    while ((rc = az_pb_next(&k->whole, &field, &wt, &value, &part)) > 0) {
        if (field == P_SEQUENCE && wt == AZ_PB_INT)
            k->sequence = value;
        else if (field == P_FLAGS && wt == AZ_PB_INT)
            k->flags = value;
        else if (field == P_EVENT && wt == AZ_PB_BYTES)
            k->event = part;
        else if (field == P_TRACK && wt == AZ_PB_BYTES)
            k->track = part;
        else if (field == P_COMPRESSED && wt == AZ_PB_BYTES)
            k->compressed = part;
        k->render_stage |= field == P_RENDER_STAGE;
    }
    return rc;
}

/* A packet whose content is damaged is skipped and counted. */
static int packet(struct wire *w, struct az_sv bytes, int64_t offset)
{
    struct packet k;
    uint32_t sequence = 0, field;
    unsigned wt;
    uint64_t value;
    struct az_sv part = AZ_SV("");
    int rc = look(bytes, &k);
    if (rc == 0)
        rc = sequence_number(w, k.sequence, &sequence);
    if (rc == 0 && (k.flags & CLEARED))
        w->generation.v[sequence]++;
    struct az_pb again = az_pb_of(bytes);
    while (rc == 0 && (rc = az_pb_next(&again, &field, &wt, &value, &part)) > 0)
        rc = field == P_INTERNED && wt == AZ_PB_BYTES ? intern_all(w, &again, part, sequence) : 0;
    if (rc == 0 && k.track.p)
        rc = track_descriptor(w, &k);
    if (rc == 0 && k.event.p)
        rc = track_event(w, &k, sequence);
    if (rc == 0 && k.compressed.p)
        rc = compressed(w, k.compressed, offset);
    w->packets++;
    w->render_stages += k.render_stage;
    az_arena_reset(&w->p->r->scratch);
    if (rc != AZ_EFORMAT)
        return rc;
    if (w->p->r->job->opts->strict)
        return az_diag_fail(w->p->r->job->diag, rc, AZ_AT_OFFSET(w->p->path, offset),
                            "damaged packet");
    w->damaged++;
    return 0;
}

/* Packets of a compressed one. */
static int packets(struct wire *w, struct az_sv bytes, int64_t offset)
{
    struct az_pb m = az_pb_of(bytes);
    uint32_t field;
    unsigned wt;
    uint64_t value;
    struct az_sv part = AZ_SV("");
    int rc = 0;
    while (rc == 0 && (rc = az_pb_next(&m, &field, &wt, &value, &part)) > 0)
        rc = field == PACKET && wt == AZ_PB_BYTES ? packet(w, part, offset) : 0;
    return rc;
}

/* ---- the file ---- */

/* Puts the window into another block with room for `more` bytes, in a build that moves buffers. */
static int move(struct wire *w, size_t more)
{
    char *v = az_mem_move(w->window.v, w->window.n, w->window.n + more);
    if (!v)
        return AZ_ENOMEM;
    w->window.v = v;
    return 0;
}

/* Makes `need` bytes available at the cursor, or as many as there are. */
static int refill(struct wire *w, size_t need)
{
    size_t have = w->window.n - w->at;
    int rc = 0;
    if (have >= need || w->eof)
        return 0;
    memmove(w->window.v, w->window.v + w->at, have);
    w->base += (int64_t)w->at;
    w->window.n = have;
    w->at = 0;
    rc = az_vec_reserve(&w->window, (need > WINDOW ? need : WINDOW) - have);
    size_t room = w->window.cap;
    if (AZ_MOVES && rc == 0) {
        room = need > FEW ? need : FEW;
        rc = move(w, room - have);
    }
    while (rc == 0 && w->window.n < room && !w->eof) {
        size_t got = 0;
        rc = az_source_read(w->src, w->window.v + w->window.n, room - w->window.n, &got);
        w->window.n += got;
        if (rc == AZ_EFORMAT) { /* gzip that breaks off: what came before is kept */
            w->source_error = rc;
            rc = 0;
            got = 0;
        }
        w->eof = rc == 0 && got == 0;
    }
    return rc;
}

static int truncated(struct wire *w)
{
    struct az_parse *job = w->p->r->job;
    struct az_where at = AZ_AT_OFFSET(w->p->path, w->base + (int64_t)w->at);
    if (w->packets == 0)
        return az_diag_fail(job->diag, AZ_EFORMAT, at,
                            "not a Perfetto trace, or its first packet is cut off");
    if (job->opts->strict)
        return az_diag_fail(job->diag, AZ_EFORMAT, at, "truncated after %" PRIu64 " packets",
                            w->packets);
    az_diag_add(job->diag, AZ_WARNING, at,
                "truncated or damaged: %" PRIu64 " packets before it kept, the rest is missing",
                w->packets);
    az_trace_dropped(w->p->r->t, "file truncated (packets after the end are unknown)", 1, 0);
    return 0;
}

/* One top-level field; 1: another may follow, 0: end. */
static int next_packet(struct wire *w)
{
    int rc = AZ_MOVES ? move(w, 0) : 0; /* of the last packet nothing is kept */
    if (rc == 0)
        rc = refill(w, 32);
    if (rc || w->at == w->window.n)
        return rc;
    struct az_pb m = az_pb_of(az_sv_make(w->window.v + w->at, w->window.n - w->at));
    uint64_t tag, length;
    if (az_pb_varint(&m, &tag) != 0)
        return truncated(w);
    if ((tag & 7) != AZ_PB_BYTES) { /* nothing but packets is expected; numbers are passed over */
        uint32_t field;
        unsigned wt;
        struct az_sv part = AZ_SV("");
        m = az_pb_of(az_sv_make(w->window.v + w->at, w->window.n - w->at));
        rc = az_pb_next(&m, &field, &wt, &length, &part);
        if (rc <= 0)
            return truncated(w);
        w->at = (size_t)((const char *)m.p - w->window.v);
        return 1;
    }
    if (az_pb_varint(&m, &length) != 0)
        return truncated(w);
    size_t head = (size_t)((const char *)m.p - (w->window.v + w->at));
    if (length > MAX_PACKET)
        return truncated(w);
    rc = refill(w, head + (size_t)length);
    if (rc)
        return rc;
    if (w->window.n - w->at < head + length)
        return truncated(w);
    struct az_sv body = az_sv_make(w->window.v + w->at + head, (size_t)length);
    if (tag >> 3 == PACKET)
        rc = packet(w, body, w->base + (int64_t)w->at);
    w->at += head + (size_t)length;
    return rc ? rc : 1;
}

static int all_packets(struct wire *w)
{
    struct az_parse *job = w->p->r->job;
    int rc;
    while ((rc = next_packet(w)) > 0) {
        if (w->packets % 4096 != 0)
            continue;
        if (job->progress)
            atomic_store_explicit(job->progress, az_source_consumed(w->src), memory_order_relaxed);
        if (job->cancelled && job->cancelled(job->ctx))
            return AZ_EINTR;
    }
    if (rc == 0 && w->source_error && w->window.n == w->at)
        rc = truncated(w);
    return rc;
}

static void count_defects(struct wire *w)
{
    struct az_parse *job = w->p->r->job;
    struct az_where at = AZ_AT_FILE(w->p->path);
    if (w->damaged) {
        az_diag_add(job->diag, AZ_WARNING, at, "%" PRIu64 " damaged packet(s) skipped", w->damaged);
        az_trace_dropped(w->p->r->t, "damaged packets", w->damaged, 0);
    }
    if (w->unresolved)
        az_diag_add(job->diag, AZ_WARNING, at,
                    "%" PRIu64
                    " interned name(s) are not in the file (did its beginning get lost?)",
                    w->unresolved);
}

int az_pftrace_wire_file(struct az_pf *p)
{
    struct wire w = { .p = p };
    struct az_mem *mem = p->r->job->mem;
    struct az_source_opts so = { .mem = mem,
                                 .diag = p->r->job->diag,
                                 .keeps_parts = !p->r->job->opts->strict };
    struct az_map *maps[] = { &w.interned, &w.sequence_of, &w.track_pid, &w.key_of };
    int rc = az_source_open(&w.src, p->path.p, &so);
    if (rc)
        return rc;
    az_vec_init(&w.window, mem);
    az_vec_init(&w.generation, mem);
    for (size_t i = 0; i < AZ_LENGTH(maps); i++) {
        int one = az_map_init(maps[i], mem, 64);
        rc = rc ? rc : one;
    }
    if (rc == 0)
        rc = az_vec_reserve(&w.window, WINDOW);
    if (rc == 0)
        rc = all_packets(&w);
    if (rc == 0)
        count_defects(&w);
    if (rc == 0 && w.render_stages) /* else it would look like a trace without device work */
        rc = az_diag_fail(p->r->job->diag, AZ_EFORMAT, AZ_AT_FILE(p->path),
                          "device events are GPU render stages, as the PyTorch profiler writes "
                          "them to Perfetto, which are not read (export_chrome_trace to a name "
                          "that ends in .json)");
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_release(maps[i]);
    az_vec_release(&w.window);
    az_vec_release(&w.generation);
    az_source_close(w.src);
    return rc;
}
