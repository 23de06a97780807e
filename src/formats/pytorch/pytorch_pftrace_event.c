/* Messages of the native Perfetto output of PyTorch as events of its reader
 * (docs/formats-pytorch.md 1.9). */
#include "base/num.h"
#include "formats/pytorch/pytorch_pftrace.h"

enum {
    E_CATEGORY_IIDS = 3,
    E_ANNOTATION = 4,
    E_NAME_IID = 10,
    E_CATEGORIES = 22,
    E_NAME = 23,
    E_GPU = 3000
};
enum {
    S_ID = 1,
    S_DURATION = 2,
    S_EXTRA = 6,
    S_GPU = 11,
    S_QUEUE = 13,
    S_STAGE = 14,
    S_WAITS = 18,
    S_KERNEL = 19,
    S_NAME = 20,
    S_LAUNCH = 21
};
/* No correlation of CUPTI: those that are made here of event ids. */
#define MADE_CORRELATION (UINT64_C(1) << 62)

void az_pytorch_pftrace_event_init(struct az_pytorch_event *e)
{
    memset(e, 0, sizeof *e);
    e->ph = 'X';
    e->has_ts = e->has_dur = true;
    e->pid.number = e->tid.number = true;
}

/* Into the model; what was made for the event is freed. */
static int add_event(struct az_pytorch_pftrace *p, struct az_pytorch_event *e, int64_t start,
                     int64_t end)
{
    struct az_pytorch_reader *r = &p->reader;
    e->ts = start;
    e->dur = end - start;
    const int rc = az_pytorch_add(r, e);
    r->uid++;
    return rc;
}

static struct az_sv text_of(const struct az_pytorch_pftrace *p, uint32_t id)
{
    return id == AZ_NO_ID ? AZ_SV("") : az_trace_text(p->job->trace, id);
}

/* ---- slices ---- */

/* The correlation of what a call launched: {launched 1 ...}. */
static int launched(struct az_pytorch_pftrace *p, const struct az_protobuf *m, struct az_sv message,
                    uint64_t *corr)
{
    struct az_protobuf a;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0, id;
    struct az_sv bytes = AZ_SV("");
    int rc = az_protobuf_sub(m, message, &a);
    while (rc == 0 && (rc = az_protobuf_next(&a, &field, &wire, &value, &bytes)) > 0) {
        struct az_protobuf_numbers ids = az_protobuf_numbers(wire, value, bytes);
        rc = 0;
        while (field == 1 && *corr == 0 && (rc = az_protobuf_number(&ids, &id)) > 0) {
            const uint32_t at = az_map_get(&p->event_of, id, 0);
            *corr = at == AZ_NO_ID ? 0 : p->gpus.v[at].corr;
            rc = 0;
        }
        rc = rc < 0 ? rc : 0;
    }
    return rc;
}

static int first_text(struct az_pytorch_pftrace *p, unsigned kind, uint32_t generation,
                      unsigned wire, uint64_t value, struct az_sv bytes, struct az_sv *out)
{
    struct az_protobuf_numbers it = az_protobuf_numbers(wire, value, bytes);
    uint64_t iid;
    const int rc = az_protobuf_number(&it, &iid);
    if (rc > 0)
        *out = text_of(p, az_pytorch_pftrace_text(p, kind, generation, iid));
    return rc < 0 ? rc : 0;
}

static int slice_field(struct az_pytorch_pftrace *p, const struct az_pytorch_pftrace_slice *s,
                       struct az_pytorch_event *e, const struct az_protobuf *m, uint32_t field,
                       unsigned wire, uint64_t value, struct az_sv bytes, uint64_t *corr)
{
    if (field == E_NAME_IID && wire == AZ_PROTOBUF_INT)
        e->name = text_of(p, az_pytorch_pftrace_text(p, PTP_NAME, s->generation, value));
    else if (field == E_NAME && wire == AZ_PROTOBUF_BYTES)
        e->name = bytes;
    else if (field == E_CATEGORIES && wire == AZ_PROTOBUF_BYTES && !e->cat.n)
        e->cat = bytes;
    else if (field == E_CATEGORY_IIDS && !e->cat.n)
        return first_text(p, PTP_CATEGORY, s->generation, wire, value, bytes, &e->cat);
    else if (field == E_ANNOTATION && wire == AZ_PROTOBUF_BYTES)
        return az_pytorch_pftrace_annotation(p, e, m, bytes, s->generation);
    else if (field == E_GPU && wire == AZ_PROTOBUF_BYTES)
        return launched(p, m, bytes, corr);
    return 0;
}

int az_pytorch_pftrace_span(struct az_pytorch_pftrace *p, const struct az_pytorch_pftrace_slice *s,
                            int64_t end)
{
    struct az_pytorch_event e;
    const uint32_t track = az_map_get(&p->track_of, s->track, 0);
    struct az_protobuf top = az_protobuf_of(s->message), m = top;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0, corr = 0;
    struct az_sv bytes = AZ_SV("");
    int rc;
    az_pytorch_pftrace_event_init(&e);
    if (track != AZ_NO_ID) {
        e.pid.v = (int64_t)p->tracks.v[track].pid;
        e.tid.v = (int64_t)p->tracks.v[track].tid;
    }
    while ((rc = az_protobuf_next(&m, &field, &wire, &value, &bytes)) > 0) {
        rc = slice_field(p, s, &e, &top, field, wire, value, bytes, &corr);
        if (rc)
            return rc;
    }
    if (rc == 0 && corr && !az_pytorch_has(&e, AZ_PYTORCH_CORR)) {
        e.number[AZ_PYTORCH_CORR] = (int64_t)corr;
        e.given |= AZ_PYTORCH_BIT(AZ_PYTORCH_CORR);
    }
    return rc ? rc : add_event(p, &e, s->at, end);
}

/* ---- device events ---- */
struct stage {
    uint64_t id, duration, gpu, stage, queue;
    uint32_t kernel, name;
};

/* Stages by their names, else by the writer's numbers. */
static struct az_sv category_of(struct az_pytorch_pftrace *p, uint64_t stage)
{
    static const struct {
        const char *name, *category;
    } stages[] = { { "Kernel", "kernel" },
                   { "Memcpy", "gpu_memcpy" },
                   { "Memset", "gpu_memset" },
                   { "Annotation", "gpu_user_annotation" },
                   { "EventRecord", "graph_event_node" },
                   { "HostNode", "graph_host_node" } };
    const uint32_t id = az_map_get(&p->interned, stage, (uint64_t)p->generation << 16 | PTP_GPU);
    const struct az_sv name = text_of(p, id);
    for (size_t i = 0; i < AZ_LENGTH(stages); i++)
        if (name.n ? az_sv_starts(name, az_sv_str(stages[i].name)) : stage == i + 1)
            return az_sv_str(stages[i].category);
    return name.n ? name : AZ_SV("gpu render stage");
}

/* "[007] stream 7" -> 7; else the number of the text. */
static int64_t queue_number(struct az_pytorch_pftrace *p, uint64_t iid)
{
    const uint32_t id = az_map_get(&p->interned, iid, (uint64_t)p->generation << 16 | PTP_GPU);
    const struct az_sv text = text_of(p, id), word = AZ_SV("stream ");
    const ptrdiff_t at = az_sv_find(text, word);
    int64_t v;
    if (at >= 0) {
        struct az_sv rest = az_sv_make(text.p + at + word.n, text.n - (size_t)at - word.n);
        if (az_parse_i64(az_sv_cut(&rest, ' '), &v) == 0 && v >= 0)
            return v;
    }
    return iid <= INT64_MAX ? (int64_t)iid : 0;
}

static int wait_ids(struct az_pytorch_pftrace *p, unsigned wire, uint64_t value, struct az_sv bytes)
{
    struct az_protobuf_numbers it = az_protobuf_numbers(wire, value, bytes);
    uint64_t id;
    int rc;
    while ((rc = az_protobuf_number(&it, &id)) > 0) {
        const int pushed =
            az_vec_push(&p->waits, ((struct az_pytorch_pftrace_wait){ id, (uint32_t)p->gpus.n }));
        if (pushed)
            return pushed;
    }
    return rc;
}

static int stage_field(struct az_pytorch_pftrace *p, struct stage *s, struct az_pytorch_event *e,
                       const struct az_protobuf *m, uint32_t field, unsigned wire, uint64_t value,
                       struct az_sv bytes)
{
    uint64_t *const numbers[] = { [S_ID] = &s->id,
                                  [S_DURATION] = &s->duration,
                                  [S_GPU] = &s->gpu,
                                  [S_QUEUE] = &s->queue,
                                  [S_STAGE] = &s->stage };
    if (wire == AZ_PROTOBUF_INT && field < AZ_LENGTH(numbers) && numbers[field])
        *numbers[field] = value;
    else if (field == S_EXTRA && wire == AZ_PROTOBUF_BYTES)
        return az_pytorch_pftrace_extra(p, e, m, bytes);
    else if (field == S_WAITS)
        return wait_ids(p, wire, value, bytes);
    else if (field == S_KERNEL && wire == AZ_PROTOBUF_INT)
        s->kernel = az_pytorch_pftrace_text(p, PTP_KERNEL, p->generation, value);
    else if (field == S_NAME && wire == AZ_PROTOBUF_INT)
        s->name = az_pytorch_pftrace_text(p, PTP_NAME, p->generation, value);
    else if (field == S_LAUNCH && wire == AZ_PROTOBUF_BYTES)
        return az_pytorch_pftrace_launch(p, e, m, bytes);
    return 0;
}

/* Where it runs, and the id that others refer to. */
static int note_gpu(struct az_pytorch_pftrace *p, const struct stage *s, struct az_pytorch_event *e,
                    int64_t start, int64_t end)
{
    struct az_pytorch_pftrace_gpu g = { .id = s->id, .start = start, .end = end };
    uint32_t *at;
    bool added;
    if (p->gpus.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    if (!az_pytorch_has(e, AZ_PYTORCH_DEVICE)) { /* numbers that are 0 are absent */
        e->number[AZ_PYTORCH_DEVICE] = s->gpu <= INT32_MAX ? (int64_t)s->gpu : 0;
        e->given |= AZ_PYTORCH_BIT(AZ_PYTORCH_DEVICE);
    }
    if (az_pytorch_number(e, AZ_PYTORCH_CORR, 0) <= 0 && s->id) {
        e->number[AZ_PYTORCH_CORR] = (int64_t)(MADE_CORRELATION | (s->id & (MADE_CORRELATION - 1)));
        e->given |= AZ_PYTORCH_BIT(AZ_PYTORCH_CORR);
    }
    g.corr = (uint64_t)az_pytorch_number(e, AZ_PYTORCH_CORR, 0);
    e->pid.v = e->number[AZ_PYTORCH_DEVICE];
    e->tid.v = queue_number(p, s->queue);
    int rc = az_pytorch_lane(&p->reader, e, true, &g.lane);
    if (rc == 0 && s->id)
        rc = az_map_put(&p->event_of, s->id, 0, (uint32_t)p->gpus.n, &at, &added);
    return rc ? rc : az_vec_push(&p->gpus, g);
}

int az_pytorch_pftrace_render_stage(struct az_pytorch_pftrace *p, struct az_sv message, int64_t at)
{
    struct az_pytorch_event e;
    struct stage s = { .kernel = AZ_NO_ID, .name = AZ_NO_ID };
    struct az_protobuf top = az_protobuf_of(message), m = top;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0;
    struct az_sv bytes = AZ_SV("");
    const size_t waits = p->waits.n;
    int64_t end;
    int rc;
    az_pytorch_pftrace_event_init(&e);
    while ((rc = az_protobuf_next(&m, &field, &wire, &value, &bytes)) > 0) {
        rc = stage_field(p, &s, &e, &top, field, wire, value, bytes);
        if (rc)
            break;
    }
    if (rc == 0 &&
        (s.duration > INT64_MAX || __builtin_add_overflow(at, (int64_t)s.duration, &end)))
        rc = AZ_EFORMAT;
    if (rc) {
        p->waits.n = waits;
        return rc;
    }
    e.cat = category_of(p, s.stage);
    e.name = text_of(p, s.kernel != AZ_NO_ID ? s.kernel : s.name);
    rc = note_gpu(p, &s, &e, at, end);
    return rc ? rc : add_event(p, &e, at, end);
}

/* ---- counters: {gpu 3, descriptor iid 4, values 2 {counter 1, int 2, double 3}} ---- */
static int counter_value(struct az_pytorch_pftrace *p, const struct az_protobuf *m,
                         struct az_sv message, uint64_t descriptor, int64_t gpu, int64_t at)
{
    struct az_protobuf a;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0, counter = 0;
    struct az_sv bytes = AZ_SV("");
    double x = 0;
    int rc = az_protobuf_sub(m, message, &a);
    while (rc == 0 && (rc = az_protobuf_next(&a, &field, &wire, &value, &bytes)) > 0) {
        rc = 0;
        if (field == 1 && wire == AZ_PROTOBUF_INT)
            counter = value;
        else if (field == 2 && wire == AZ_PROTOBUF_INT)
            x = (double)(int64_t)value;
        else if (field == 3 && wire == AZ_PROTOBUF_FIXED64)
            x = az_protobuf_double(value);
    }
    if (rc)
        return rc;
    const uint32_t name = az_map_get(&p->counter_of, descriptor,
                                     (uint64_t)p->generation << 40 | (counter & UINT32_MAX));
    p->unresolved += name == AZ_NO_ID;
    p->job->trace->read++;
    return name == AZ_NO_ID ? 0 : az_trace_sample(p->job->trace, name, gpu, at, x);
}

int az_pytorch_pftrace_counter(struct az_pytorch_pftrace *p, struct az_sv message, int64_t at)
{
    struct az_protobuf m = az_protobuf_of(message), again = m;
    const struct az_protobuf top = m;
    uint32_t field;
    unsigned wire;
    uint64_t value = 0, descriptor = 0, gpu = 0;
    struct az_sv bytes = AZ_SV("");
    int rc;
    while ((rc = az_protobuf_next(&m, &field, &wire, &value, &bytes)) > 0) {
        if (wire == AZ_PROTOBUF_INT && field == 4)
            descriptor = value;
        else if (wire == AZ_PROTOBUF_INT && field == 3)
            gpu = value;
    }
    while (rc == 0 && (rc = az_protobuf_next(&again, &field, &wire, &value, &bytes)) > 0)
        rc = field == 2 && wire == AZ_PROTOBUF_BYTES
                 ? counter_value(p, &top, bytes, descriptor, gpu <= INT32_MAX ? (int64_t)gpu : -1,
                                 at)
                 : 0;
    return rc;
}
