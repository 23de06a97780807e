/* Packets of the native Perfetto output of PyTorch: texts and counters by number, tracks with their
 * names, slices stored until their ends are known (docs/formats-pytorch.md 1.8). */
#include "formats/pytorch/pytorch_pftrace.h"

enum {
    P_CLOCKS = 6,
    P_TIME = 8,
    P_EVENT = 11,
    P_INTERNED = 12,
    P_FLAGS = 13,
    P_COMPRESSED = 50,
    P_COUNTERS = 52,
    P_STAGE = 53,
    P_TRACK = 60
};
enum { CLEARED = 1 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, E_TYPE = 9, E_TRACK = 11 };

struct packet {
    uint64_t time, flags;
    struct az_sv clocks, event, compressed, counters, stage, track;
};

static uint64_t text_key(uint32_t generation, unsigned kind)
{
    return (uint64_t)generation << 16 | kind;
}

uint32_t az_pytorch_pftrace_text(struct az_pytorch_pftrace *p, unsigned kind, uint32_t generation,
                                 uint64_t iid)
{
    const uint32_t id = az_map_get(&p->interned, iid, text_key(generation, kind));
    p->unresolved += id == AZ_NO_ID;
    return id;
}

/* ---- interned data ---- */

/* {iid 1, name 2}; of kernels a demangled name 3 comes first. */
static int intern_text(struct az_pytorch_pftrace *p, const struct az_protobuf *m,
                       struct az_sv entry, unsigned kind)
{
    uint64_t iid = 0;
    struct az_sv text = AZ_SV(""), demangled = AZ_SV("");
    const struct az_protobuf_field want[] = { { 1, &iid, NULL },
                                              { 2, NULL, &text },
                                              { 3, NULL, &demangled } };
    uint32_t *at;
    bool added;
    int rc = az_protobuf_pick(m, entry, want, kind == PTP_KERNEL ? 3 : 2, NULL);
    if (rc == 0)
        rc = az_map_put(&p->interned, iid, text_key(p->generation, kind), 0, &at, &added);
    if (rc == 0)
        *at = az_trace_name(p->job->trace, demangled.n ? demangled : text);
    return rc;
}

/* A counter of a descriptor: {counter_id 1, name 2}. */
static int intern_counter(struct az_pytorch_pftrace *p, const struct az_protobuf *m,
                          struct az_sv spec, uint64_t descriptor)
{
    uint64_t counter = 0;
    struct az_sv text = AZ_SV("");
    const struct az_protobuf_field want[] = { { 1, &counter, NULL }, { 2, NULL, &text } };
    uint32_t *at;
    bool added;
    int rc = az_protobuf_pick(m, spec, want, 2, NULL);
    if (rc == 0)
        rc = az_map_put(&p->counter_of, descriptor,
                        (uint64_t)p->generation << 40 | (counter & UINT32_MAX), 0, &at, &added);
    if (rc == 0)
        *at = az_trace_name(p->job->trace, text);
    return rc;
}

/* {specs 1 ...} */
static int intern_specs(struct az_pytorch_pftrace *p, const struct az_protobuf *m,
                        struct az_sv message, uint64_t descriptor)
{
    struct az_protobuf e;
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    int rc = az_protobuf_sub(m, message, &e);
    while (rc == 0 && (rc = az_protobuf_next(&e, &field, &wire, &value, &bytes)) > 0)
        rc = field == 1 && wire == AZ_PROTOBUF_BYTES ? intern_counter(p, &e, bytes, descriptor) : 0;
    return rc;
}

/* {iid 1, descriptor 2 {specs 1 ...}} */
static int intern_descriptor(struct az_pytorch_pftrace *p, const struct az_protobuf *m,
                             struct az_sv entry)
{
    struct az_protobuf e;
    uint64_t iid = 0;
    struct az_sv specs = AZ_SV("");
    const struct az_protobuf_field want[] = { { 1, &iid, NULL }, { 2, NULL, &specs } };
    const int rc = az_protobuf_pick(m, entry, want, 2, &e);
    return rc || !specs.n ? rc : intern_specs(p, &e, specs, iid);
}

static int intern_all(struct az_pytorch_pftrace *p, const struct az_protobuf *m, struct az_sv data)
{
    static const unsigned kinds[] = { PTP_CATEGORY, PTP_NAME,   PTP_ANNOTATION, PTP_GPU,
                                      PTP_STRING,   PTP_KERNEL, PTP_KERNEL_ARG };
    struct az_protobuf d;
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    int rc = az_protobuf_sub(m, data, &d);
    while (rc == 0 && (rc = az_protobuf_next(&d, &field, &wire, &value, &bytes)) > 0) {
        rc = field == PTP_COUNTERS && wire == AZ_PROTOBUF_BYTES ? intern_descriptor(p, &d, bytes)
                                                                : 0;
        for (size_t i = 0; rc == 0 && wire == AZ_PROTOBUF_BYTES && i < AZ_LENGTH(kinds); i++)
            if (field == kinds[i])
                rc = intern_text(p, &d, bytes, field);
    }
    return rc;
}

/* ---- tracks ---- */
static int put_meta(struct az_pytorch_pftrace *p, const struct az_pytorch_pftrace_track *t,
                    uint32_t kind, struct az_sv text)
{
    struct az_pytorch_meta m = { .pid = t->pid, .tid = t->tid, .kind = kind };
    if (!text.n)
        return 0;
    m.text = az_trace_name(p->job->trace, text);
    return az_vec_push(&p->reader.meta, m);
}

struct named { /* {pid 1, tid 2, name 5 of a thread, 6 of a process} */
    uint64_t pid, tid;
    struct az_sv name;
};

static int read_named(const struct az_protobuf *m, struct az_sv message, uint32_t name_field,
                      struct named *out)
{
    *out = (struct named){ .name = AZ_SV("") };
    const struct az_protobuf_field want[] = { { 1, &out->pid, NULL },
                                              { 2, &out->tid, NULL },
                                              { name_field, NULL, &out->name } };
    const int rc = az_protobuf_pick(m, message, want, 3, NULL);
    out->pid &= INT32_MAX;
    out->tid &= INT64_MAX;
    return rc;
}

/* {uuid 1, process 3, thread 4, parent 5} */
static int read_track(struct az_pytorch_pftrace *p, struct az_sv message)
{
    struct az_protobuf m = az_protobuf_of(message);
    const struct az_protobuf top = m;
    struct az_pytorch_pftrace_track t = { 0, 0 };
    struct named process = { .name = AZ_SV("") }, thread = process;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0, uuid = 0, parent = 0;
    struct az_sv bytes = AZ_SV("");
    int rc;
    while ((rc = az_protobuf_next(&m, &field, &wire, &value, &bytes)) > 0) {
        if (field == 1 && wire == AZ_PROTOBUF_INT)
            uuid = value;
        else if (field == 5 && wire == AZ_PROTOBUF_INT)
            parent = value;
        else if (wire == AZ_PROTOBUF_BYTES && (field == 3 || field == 4))
            rc = read_named(&top, bytes, field == 3 ? 6 : 5, field == 3 ? &process : &thread);
        if (rc < 0)
            return rc;
    }
    if (rc)
        return rc;
    const uint32_t up = parent ? az_map_get(&p->track_of, parent, 0) : AZ_NO_ID;
    if (up != AZ_NO_ID)
        t = p->tracks.v[up];
    t.pid = thread.pid ? thread.pid : process.pid ? process.pid : t.pid;
    t.tid = thread.tid ? thread.tid : t.tid;
    const uint32_t at = az_map_number(&p->track_of, uuid, 0, p->tracks.n);
    if (at == p->tracks.n)
        az_vec_add(&p->tracks, t);
    if (at >= p->tracks.n)
        return az_mem_error(p->tracks.mem);
    p->tracks.v[at] = t;
    rc = put_meta(p, &t, 0, process.name);
    return rc ? rc : put_meta(p, &t, 2, thread.name);
}

/* ---- packets ---- */

/* {clocks 1 {id 1, time 2}}: the first clock of the first snapshot. */
static int read_clocks(struct az_pytorch_pftrace *p, struct az_sv message)
{
    const struct az_sv clock = az_protobuf_find(message, 1);
    struct az_protobuf m = az_protobuf_of(clock);
    uint32_t field;
    unsigned wire;
    uint64_t value = 0;
    struct az_sv bytes;
    int rc;
    while ((rc = az_protobuf_next(&m, &field, &wire, &value, &bytes)) > 0)
        if (!p->based && field == 2 && wire == AZ_PROTOBUF_INT && value <= (uint64_t)AZ_TIME_MAX) {
            p->base = (int64_t)value;
            p->based = true;
        }
    return rc;
}

/* Messages of slices are read when their ends are known. */
static int keep_slice(struct az_pytorch_pftrace *p, struct az_sv message, int64_t at)
{
    struct az_pytorch_pftrace_slice s = { .at = at, .generation = p->generation };
    struct az_protobuf m = az_protobuf_of(message);
    uint32_t field;
    unsigned wire;
    uint64_t value = 0, type = 0;
    struct az_sv bytes;
    int rc;
    while ((rc = az_protobuf_next(&m, &field, &wire, &value, &bytes)) > 0) {
        if (field == E_TYPE && wire == AZ_PROTOBUF_INT)
            type = value;
        else if (field == E_TRACK && wire == AZ_PROTOBUF_INT)
            s.track = value;
    }
    if (rc)
        return rc;
    if (type != TYPE_BEGIN && type != TYPE_END) {
        p->job->trace->read++;
        p->reader.phase[AZ_PYTORCH_INSTANTS_PH]++;
        return 0;
    }
    s.end = type == TYPE_END;
    if (!s.end) {
        s.message = az_arena_dup(&p->kept, message);
        if (!s.message.p)
            return az_arena_error(&p->kept);
    }
    return az_vec_push(&p->slices, s);
}

static int read_packet(struct az_sv bytes, struct packet *k)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    uint32_t field;
    unsigned wire;
    uint64_t value = 0;
    struct az_sv part = AZ_SV("");
    int rc;
    *k = (struct packet){ 0 };
    struct az_sv *const parts[] = {
        [P_CLOCKS] = &k->clocks,     [P_EVENT] = &k->event, [P_COMPRESSED] = &k->compressed,
        [P_COUNTERS] = &k->counters, [P_STAGE] = &k->stage, [P_TRACK] = &k->track
    };
    while ((rc = az_protobuf_next(&m, &field, &wire, &value, &part)) > 0) {
        if (field == P_TIME && wire == AZ_PROTOBUF_INT)
            k->time = value;
        else if (field == P_FLAGS && wire == AZ_PROTOBUF_INT)
            k->flags = value;
        else if (wire == AZ_PROTOBUF_BYTES && field < AZ_LENGTH(parts) && parts[field])
            *parts[field] = part;
    }
    return rc;
}

static int read_parts(struct az_pytorch_pftrace *p, const struct packet *k, int64_t offset)
{
    const int64_t at = k->time <= (uint64_t)AZ_TIME_MAX ? (int64_t)k->time - p->base : 0;
    int rc = k->clocks.p ? read_clocks(p, k->clocks) : 0;
    if (rc == 0 && k->track.p)
        rc = read_track(p, k->track);
    if (k->time > (uint64_t)AZ_TIME_MAX && (k->event.p || k->stage.p || k->counters.p)) {
        p->reader.no_time++;
        return rc;
    }
    if (rc == 0 && k->event.p)
        rc = keep_slice(p, k->event, at);
    if (rc == 0 && k->stage.p)
        rc = az_pytorch_pftrace_render_stage(p, k->stage, at);
    if (rc == 0 && k->counters.p)
        rc = az_pytorch_pftrace_counter(p, k->counters, at);
    return rc == 0 && k->compressed.p ? az_perfetto_compressed(&p->file, k->compressed, offset)
                                      : rc;
}

static int packet(void *ctx, struct az_sv bytes, int64_t offset)
{
    struct az_pytorch_pftrace *p = ctx;
    struct packet k;
    struct az_protobuf m = az_protobuf_of(bytes);
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv part = AZ_SV("");
    int rc = read_packet(bytes, &k);
    if (rc == 0 && (k.flags & CLEARED))
        p->generation++;
    const struct az_protobuf top = m;
    while (rc == 0 && (rc = az_protobuf_next(&m, &field, &wire, &value, &part)) > 0)
        rc = field == P_INTERNED && wire == AZ_PROTOBUF_BYTES ? intern_all(p, &top, part) : 0;
    if (rc == 0)
        rc = read_parts(p, &k, offset);
    if (p->reader.scratch.head)
        az_arena_reset(&p->reader.scratch);
    return rc;
}

int az_pytorch_pftrace_packets(struct az_pytorch_pftrace *p)
{
    p->file.packet = packet;
    p->file.ctx = p;
    return az_perfetto_read(&p->file);
}
