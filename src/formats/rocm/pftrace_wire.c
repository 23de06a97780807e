/* Packets of a Perfetto trace: interning by sequence, compressed packets, track descriptors, slices
 * (docs/formats-rocprof.md 7.2; field numbers of google/perfetto protos/perfetto/trace). */
#include <inttypes.h>

#include "formats/rocm/pftrace.h"
#include "formats/shared/perfetto.h"
#include "text/protowire.h"

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
enum { I_CATEGORY = 1, I_NAME = 2, I_ANNOTATION = 3, I_STRING = 29 };
enum { TYPE_BEGIN = 1, TYPE_INSTANT = 3, CLEARED = 1 };

struct wire {
    struct az_pftrace *p;
    struct az_perfetto file;
    struct az_map interned;    /* iid, sequence and generation and kind -> name id */
    struct az_map sequence_of; /* id -> number in `generation` */
    struct az_vec_u32 generation;
    struct az_map track_pid; /* uuid -> pid */
    struct az_map key_of;    /* name id -> enum az_pftrace_key */
    uint64_t unresolved, render_stages;
};

/* One packet after the first check. */
struct packet {
    uint64_t sequence, flags;
    struct az_sv event, track, compressed;
    bool render_stage;
    struct az_protobuf whole;
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
static int intern_entry(struct wire *w, const struct az_protobuf *m, struct az_sv entry,
                        uint32_t sequence, unsigned kind)
{
    uint64_t iid = 0;
    struct az_sv text = AZ_SV("");
    const struct az_protobuf_field want[] = { { 1, &iid, NULL }, { 2, NULL, &text } };
    uint32_t *at;
    bool added;
    int rc = az_protobuf_pick(m, entry, want, 2, NULL);
    if (rc == 0)
        rc = az_map_put(&w->interned, iid, intern_key(w, sequence, kind), 0, &at, &added);
    if (rc == 0)
        *at = az_trace_name(w->p->r->t, text);
    return rc;
}

static int intern_all(struct wire *w, const struct az_protobuf *m, struct az_sv data,
                      uint32_t sequence)
{
    struct az_protobuf d;
    uint32_t field;
    unsigned wt;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    int rc = az_protobuf_sub(m, data, &d);
    while (rc == 0 && (rc = az_protobuf_next(&d, &field, &wt, &value, &bytes)) > 0) {
        bool wanted =
            field == I_CATEGORY || field == I_NAME || field == I_ANNOTATION || field == I_STRING;
        rc = wanted && wt == AZ_PROTOBUF_BYTES ? intern_entry(w, &d, bytes, sequence, field) : 0;
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

static enum az_pftrace_key key_of(struct wire *w, uint32_t name, int *rc)
{
    uint32_t *at;
    bool added;
    *rc = az_map_put(&w->key_of, name, 0, 0, &at, &added);
    if (*rc)
        return PF_IGNORED;
    if (added)
        *at = (uint32_t)az_pftrace_key_of(az_trace_text(w->p->r->t, name));
    return (enum az_pftrace_key) * at;
}

static int annotation(struct wire *w, const struct az_protobuf *m, struct az_sv data,
                      uint32_t sequence, struct az_pftrace_slice *s)
{
    struct az_protobuf a;
    uint32_t field, name = AZ_NO_ID;
    unsigned wt;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    struct az_pftrace_value v = { .is_text = false };
    bool has_value = false;
    int rc = az_protobuf_sub(m, data, &a);
    while (rc == 0 && (rc = az_protobuf_next(&a, &field, &wt, &value, &bytes)) > 0) {
        rc = 0;
        if (field == AZ_PFTRACE_NAME_IID && wt == AZ_PROTOBUF_INT)
            name = interned(w, sequence, I_ANNOTATION, value);
        else if (field == AZ_PFTRACE_NAME && wt == AZ_PROTOBUF_BYTES)
            name = az_trace_name(w->p->r->t, bytes);
        else if (wt == AZ_PROTOBUF_INT && (field == AZ_PFTRACE_UINT || field == AZ_PFTRACE_INT ||
                                           field == AZ_PFTRACE_BOOL || field == AZ_PFTRACE_POINTER))
            v.i = (int64_t)value, has_value = true;
        else if (field == AZ_PFTRACE_DOUBLE && wt == AZ_PROTOBUF_FIXED64)
            v.f = az_protobuf_double(value), v.is_real = has_value = true;
        else if (field == AZ_PFTRACE_STRING && wt == AZ_PROTOBUF_BYTES)
            v.text = bytes, v.is_text = has_value = true;
        else if (field == AZ_PFTRACE_STRING_IID && wt == AZ_PROTOBUF_INT)
            v.text = az_trace_text(w->p->r->t, interned(w, sequence, I_STRING, value)),
            v.is_text = has_value = true;
    }
    if (rc || name == AZ_NO_ID || !has_value)
        return rc;
    enum az_pftrace_key key = key_of(w, name, &rc);
    if (rc == 0)
        az_pftrace_annotate(s, key, name, &v);
    return rc;
}

/* First of a repeated number, packed or not. */
static int first_number(unsigned wt, uint64_t value, struct az_sv bytes, uint64_t *out)
{
    struct az_protobuf_numbers it = az_protobuf_numbers(wt, value, bytes);
    int rc = az_protobuf_number(&it, out);
    return rc < 0 ? rc : 0;
}

static int track_event(struct wire *w, const struct packet *k, uint32_t sequence)
{
    struct az_pftrace_slice *s = az_arena_alloc(&w->p->r->scratch, sizeof *s);
    struct az_protobuf e;
    uint32_t field;
    unsigned wt;
    uint64_t value = 0, type = 0, track = 0, iid;
    struct az_sv bytes = AZ_SV("");
    if (!s)
        return az_arena_error(&w->p->r->scratch);
    az_pftrace_slice_init(s);
    int rc = az_protobuf_sub(&k->whole, k->event, &e);
    while (rc == 0 && (rc = az_protobuf_next(&e, &field, &wt, &value, &bytes)) > 0) {
        rc = 0;
        if (field == E_TYPE && wt == AZ_PROTOBUF_INT)
            type = value;
        else if (field == E_TRACK && wt == AZ_PROTOBUF_INT)
            track = value;
        else if (field == E_NAME_IID && wt == AZ_PROTOBUF_INT)
            s->name = interned(w, sequence, I_NAME, value);
        else if (field == E_NAME && wt == AZ_PROTOBUF_BYTES)
            s->name = az_trace_name(w->p->r->t, bytes);
        else if (field == E_CATEGORIES && wt == AZ_PROTOBUF_BYTES && !s->category.n)
            s->category = bytes;
        else if (field == E_CATEGORY_IIDS && !s->category.n &&
                 (rc = first_number(wt, value, bytes, &iid)) == 0)
            s->category = az_trace_text(w->p->r->t, interned(w, sequence, I_CATEGORY, iid));
        else if (field == E_ANNOTATION && wt == AZ_PROTOBUF_BYTES)
            rc = annotation(w, &e, bytes, sequence, s);
    }
    if (rc || (type != TYPE_BEGIN && type != TYPE_INSTANT))
        return rc;
    uint32_t pid = az_map_get(&w->track_pid, track, 0);
    s->pid = pid == AZ_NO_ID ? 0 : pid;
    return az_pftrace_add(w->p, s);
}

/* {uuid 1, process 3 {pid 1}, thread 4 {pid 1}, parent_uuid 5} */
static int track_descriptor(struct wire *w, const struct packet *k)
{
    struct az_protobuf t;
    uint32_t field, pid = AZ_NO_ID, *at;
    unsigned wt;
    uint64_t value = 0, uuid = 0, parent = 0, number = AZ_NO_ID;
    const struct az_protobuf_field of_process = { 1, &number, NULL };
    struct az_sv bytes = AZ_SV("");
    bool added;
    int rc = az_protobuf_sub(&k->whole, k->track, &t);
    while (rc == 0 && (rc = az_protobuf_next(&t, &field, &wt, &value, &bytes)) > 0) {
        rc = 0;
        if (field == 1 && wt == AZ_PROTOBUF_INT)
            uuid = value;
        else if (field == 5 && wt == AZ_PROTOBUF_INT)
            parent = value;
        else if ((field == 3 || field == 4) && wt == AZ_PROTOBUF_BYTES)
            rc = az_protobuf_pick(&t, bytes, &of_process, 1, NULL);
    }
    if (rc)
        return rc;
    if (number < AZ_NO_ID)
        pid = (uint32_t)number;
    if (pid == AZ_NO_ID && parent)
        pid = az_map_get(&w->track_pid, parent, 0);
    return pid == AZ_NO_ID ? 0 : az_map_put(&w->track_pid, uuid, 0, pid, &at, &added);
}

/* ---- packets ---- */

static int read_packet(struct az_sv bytes, struct packet *k)
{
    uint32_t field;
    unsigned wt;
    uint64_t value = 0;
    struct az_sv part = AZ_SV("");
    int rc;
    *k = (struct packet){ .whole = az_protobuf_of(bytes) };
    while ((rc = az_protobuf_next(&k->whole, &field, &wt, &value, &part)) > 0) {
        if (field == P_SEQUENCE && wt == AZ_PROTOBUF_INT)
            k->sequence = value;
        else if (field == P_FLAGS && wt == AZ_PROTOBUF_INT)
            k->flags = value;
        else if (field == P_EVENT && wt == AZ_PROTOBUF_BYTES)
            k->event = part;
        else if (field == P_TRACK && wt == AZ_PROTOBUF_BYTES)
            k->track = part;
        else if (field == P_COMPRESSED && wt == AZ_PROTOBUF_BYTES)
            k->compressed = part;
        k->render_stage |= field == P_RENDER_STAGE;
    }
    return rc;
}

static int packet(void *ctx, struct az_sv bytes, int64_t offset)
{
    struct wire *w = ctx;
    struct packet k;
    uint32_t sequence = 0, field;
    unsigned wt;
    uint64_t value;
    struct az_sv part = AZ_SV("");
    int rc = read_packet(bytes, &k);
    if (rc == 0)
        rc = sequence_number(w, k.sequence, &sequence);
    if (rc == 0 && (k.flags & CLEARED))
        w->generation.v[sequence]++;
    struct az_protobuf again = az_protobuf_of(bytes);
    while (rc == 0 && (rc = az_protobuf_next(&again, &field, &wt, &value, &part)) > 0)
        rc = field == P_INTERNED && wt == AZ_PROTOBUF_BYTES ? intern_all(w, &again, part, sequence)
                                                            : 0;
    if (rc == 0 && k.track.p)
        rc = track_descriptor(w, &k);
    if (rc == 0 && k.event.p)
        rc = track_event(w, &k, sequence);
    if (rc == 0 && k.compressed.p)
        rc = az_perfetto_compressed(&w->file, k.compressed, offset);
    w->render_stages += k.render_stage;
    az_arena_reset(&w->p->r->scratch);
    return rc;
}

int az_pftrace_wire_file(struct az_pftrace *p)
{
    struct wire w = { .p = p };
    struct az_parse *job = p->r->job;
    struct az_map *maps[] = { &w.interned, &w.sequence_of, &w.track_pid, &w.key_of };
    int rc = 0;
    w.file = (struct az_perfetto){ .job = job, .path = p->path, .packet = packet, .ctx = &w };
    az_vec_init(&w.generation, job->mem);
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_init(maps[i], job->mem, 64);
    if (rc == 0)
        rc = az_perfetto_read(&w.file);
    if (rc == 0 && w.unresolved)
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_FILE(p->path),
                    "%" PRIu64
                    " interned name(s) missing; check whether the beginning of the file is lost",
                    w.unresolved);
    if (rc == 0 && w.render_stages) /* else it would seem to be a trace without device work */
        rc = az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_FILE(p->path),
                          "device events are GPU render stages, as written by the PyTorch "
                          "profiler; use the format \"pytorch-pftrace\"");
    for (size_t i = 0; i < AZ_LENGTH(maps); i++)
        az_map_release(maps[i]);
    az_vec_release(&w.generation);
    return rc;
}
