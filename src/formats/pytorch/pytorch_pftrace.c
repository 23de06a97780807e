/* Format "pytorch-pftrace": the native Perfetto output of the PyTorch profiler
 * (docs/formats-pytorch.md 1.8). Its messages become the events that the JSON form has, and the
 * same reader handles them. */
#include "formats/pytorch/pytorch_pftrace.h"

#include "base/sort.h"
#include "formats/list.h"
#include "formats/pytorch/pytorch_capture.h"
#include "io/path.h"

/* ---- recognizing ---- */

enum { PACKETS = 1, INTERNED = 12, COMPRESSED = 50, COUNTERS = 52, STAGE = 53 };
enum { PROBED = 1 << 18 }; /* of a compressed packet */

/* Interned data that only this writer has, or its words in it. */
static bool interned_sign(struct az_sv data)
{
    static const char *const words[] = { "cpu_op", "cuda_runtime", "user_annotation",
                                         "python_function" };
    struct az_protobuf m = az_protobuf_of(data);
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    while (az_protobuf_next(&m, &field, &wire, &value, &bytes) > 0) {
        if (field == PTP_KERNEL || field == PTP_KERNEL_ARG)
            return true;
        for (size_t i = 0;
             field == PTP_CATEGORY && wire == AZ_PROTOBUF_BYTES && i < AZ_LENGTH(words); i++)
            if (az_sv_find(bytes, az_sv_str(words[i])) >= 0)
                return true;
    }
    return false;
}

static bool packets_sign(struct az_sv head, bool nested);

/* The beginning of a compressed packet. */
static bool compressed_sign(struct az_sv bytes)
{
    struct az_vec_char out;
    az_vec_init(&out, NULL);
    const int rc =
        az_inflate_block(bytes, PROBED, &out); /* truncated at the end of the head, and at PROBED */
    const bool sign = out.n &&
                      (rc == 0 || rc == AZ_EFORMAT || rc == AZ_ERANGE || rc == AZ_ELIMIT) &&
                      packets_sign(az_text_view(&out), true);
    az_vec_release(&out);
    return sign;
}

static bool packet_sign(struct az_sv packet, bool nested)
{
    struct az_protobuf m = az_protobuf_of(packet);
    uint32_t field;
    unsigned wire;
    uint64_t value;
    struct az_sv bytes = AZ_SV("");
    while (az_protobuf_next(&m, &field, &wire, &value, &bytes) > 0)
        if (field == STAGE || field == COUNTERS ||
            (field == INTERNED && wire == AZ_PROTOBUF_BYTES && interned_sign(bytes)) ||
            (field == COMPRESSED && wire == AZ_PROTOBUF_BYTES && !nested && compressed_sign(bytes)))
            return true;
    /* truncated by the end of the head: the last field is there in part */
    if (!nested && field == COMPRESSED && wire == AZ_PROTOBUF_BYTES) {
        uint64_t length;
        if (az_protobuf_varint(&m, &length) == 0 && m.p < m.end)
            return compressed_sign(az_sv_make((const char *)m.p, (size_t)(m.end - m.p)));
    }
    return false;
}

/* Packets one after another, one of them with a sign; the head may end inside one. */
static bool packets_sign(struct az_sv head, bool nested)
{
    struct az_protobuf m = az_protobuf_of(head);
    uint64_t tag, length;
    while (m.p < m.end && az_protobuf_varint(&m, &tag) == 0 &&
           tag == (PACKETS << 3 | AZ_PROTOBUF_BYTES) && az_protobuf_varint(&m, &length) == 0) {
        const size_t left = (size_t)(m.end - m.p), n = length < left ? (size_t)length : left;
        if (packet_sign(az_sv_make((const char *)m.p, n), nested))
            return true;
        m.p += n;
    }
    return false;
}

static int probe(struct az_sv head, struct az_sv path)
{
    (void)path;
    return head.n && head.p[0] == (PACKETS << 3 | AZ_PROTOBUF_BYTES) && packets_sign(head, false)
               ? 95
               : 0;
}

/* ---- slices ---- */

static int by_track_and_time(const void *x, const void *y, void *ctx)
{
    const struct az_pytorch_pftrace_slice *a = x, *b = y;
    (void)ctx;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at); /* of one time: as they are in the file */
}

/* Beginnings of a track come before their ends in the file, and are in no order among each other:
 * in the order of time an end is of the slice that began last. */
static int pair_slices(struct az_pytorch_pftrace *p)
{
    struct az_vec_u32 open;
    int rc = 0;
    az_sort_cmp(p->slices.v, p->slices.n, sizeof *p->slices.v, by_track_and_time, NULL,
                p->job->mem);
    az_vec_init(&open, p->job->mem);
    for (uint32_t i = 0; rc == 0 && i < p->slices.n; i++) {
        const struct az_pytorch_pftrace_slice *s = &p->slices.v[i];
        if (i && p->slices.v[i - 1].track != s->track) {
            p->open += open.n;
            az_vec_reset(&open);
        }
        if (!s->end)
            rc = az_vec_push(&open, i);
        else if (open.n == 0)
            p->without_begin++;
        else
            rc = az_pytorch_pftrace_span(p, &p->slices.v[open.v[--open.n]], s->at);
        if (rc == AZ_EFORMAT) /* checked when it was stored, but not its content */
            rc = p->job->opts->strict ? rc : (p->unresolved++, 0);
        if (p->reader.scratch.head)
            az_arena_reset(&p->reader.scratch);
    }
    p->open += open.n;
    az_vec_release(&open);
    return rc;
}

/* ---- device events ---- */

/* What a node of a graph waited for, as the arrows that the JSON form has. */
static int add_waits(struct az_pytorch_pftrace *p)
{
    struct az_graph_waits *to = &az_optrace(p->job->trace)->graph_waits;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < p->waits.n; i++) {
        const uint32_t before = az_map_get(&p->event_of, p->waits.v[i].before, 0);
        if (before == AZ_NO_ID || p->waits.v[i].after >= p->gpus.n)
            continue;
        const struct az_pytorch_pftrace_gpu *a = &p->gpus.v[before],
                                            *b = &p->gpus.v[p->waits.v[i].after];
        rc = az_vec_push(to, ((struct az_graph_wait){ i, a->end, a->lane, true }));
        if (rc == 0)
            rc = az_vec_push(to, ((struct az_graph_wait){ i, b->start, b->lane, false }));
    }
    return rc;
}

static int by_lane_and_time(const void *x, const void *y, void *ctx)
{
    const struct az_pytorch_pftrace_gpu *a = x, *b = y;
    (void)ctx;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Events that end exactly where the next one of their lane starts: the writer ends them there.
 * After the waits, which number the events. */
static int count_clamped(struct az_pytorch_pftrace *p)
{
    az_sort_cmp(p->gpus.v, p->gpus.n, sizeof *p->gpus.v, by_lane_and_time, NULL, p->job->mem);
    for (size_t i = 1; i < p->gpus.n; i++)
        p->clamped += p->gpus.v[i].lane == p->gpus.v[i - 1].lane &&
                      p->gpus.v[i].start == p->gpus.v[i - 1].end &&
                      p->gpus.v[i - 1].end > p->gpus.v[i - 1].start;
    return 0;
}

static void report_skipped(struct az_pytorch_pftrace *p)
{
    struct az_trace *t = p->job->trace;
    const struct az_where file = AZ_AT_FILE(p->job->files[0].path);
    if (p->gpus.n)
        az_trace_note(t, "device events with truncated durations", p->clamped,
                      "Perfetto output of PyTorch ends each event where the next one of its lane "
                      "starts: durations are lower bounds, and copies have no direction; use the "
                      "JSON output for exact times");
    if (p->open)
        az_trace_dropped(t, AZ_DROP_LOST, "slices without an end", p->open, 0);
    if (p->without_begin)
        az_trace_dropped(t, AZ_DROP_LOST, "ends of slices without a beginning", p->without_begin,
                         0);
    if (p->unresolved)
        az_diag_add(
            p->job->diag, AZ_WARNING, file,
            "%llu interned name(s) missing; check whether the beginning of the file is lost",
            (unsigned long long)p->unresolved);
}

/* ---- the file ---- */

static int read_all(struct az_pytorch_pftrace *p)
{
    struct az_map *const maps[] = { &p->interned, &p->track_of, &p->counter_of, &p->event_of };
    int rc = az_optrace_init(p->job->trace, p->job->opts);
    if (rc == 0)
        rc = az_pytorch_reader_init(&p->reader, p->job->trace, p->job->opts);
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(maps); i++)
        az_map_init(maps[i], p->job->mem, 64);
    if (rc == 0)
        rc = az_pytorch_pftrace_packets(p);
    if (rc == 0)
        rc = pair_slices(p);
    if (rc == 0)
        rc = add_waits(p);
    if (rc == 0)
        rc = count_clamped(p);
    if (rc)
        return rc;
    p->job->trace->base_ns = p->base;
    report_skipped(p);
    rc = az_pytorch_finish(&p->reader);
    return rc ? rc : az_pytorch_captures(p->job);
}

static int parse(struct az_parse *job)
{
    struct az_pytorch_pftrace p = { .job = job };
    const size_t errors = job->diag->errors;
    if (job->n_files > 1)
        return az_diag_fail(job->diag, AZ_EUSAGE, AZ_AT_FILE(job->files[1].path),
                            "several files in one input; use one input per trace");
    p.file = (struct az_perfetto){ .job = job,
                                   .path = job->files[0].path,
                                   .digest = az_parse_digest(job, 0) };
    az_arena_init(&p.kept, job->mem);
    az_vec_init(&p.tracks, job->mem);
    az_vec_init(&p.slices, job->mem);
    az_vec_init(&p.gpus, job->mem);
    az_vec_init(&p.waits, job->mem);
    int rc = read_all(&p);
    if (rc && rc != AZ_EINTR && job->diag->errors == errors)
        rc = rc == AZ_EFORMAT
                 ? az_diag_fail(job->diag, rc, AZ_AT_FILE(p.file.path), "damaged slice")
                 : az_diag_memory(job->diag, rc, AZ_AT_FILE(p.file.path), job->mem);
    az_map_release(&p.interned);
    az_map_release(&p.track_of);
    az_map_release(&p.counter_of);
    az_map_release(&p.event_of);
    az_vec_release(&p.tracks);
    az_vec_release(&p.slices);
    az_vec_release(&p.gpus);
    az_vec_release(&p.waits);
    az_arena_release(&p.kept);
    if (p.reader.trace)
        az_pytorch_reader_release(&p.reader);
    return rc;
}

static struct az_sv path_stem(struct az_sv path)
{
    static const char *const ends[] = { ".gz", ".zst", ".pftrace", ".perfetto-trace", ".pt" };
    path = az_path_base(path);
    for (size_t i = 0; i < AZ_LENGTH(ends); i++)
        if (az_sv_ends(path, az_sv_str(ends[i])))
            path.n -= strlen(ends[i]);
    return path;
}

const struct az_format az_format_pytorch_pftrace = {
    .name = "pytorch-pftrace",
    .tool = AZ_TOOL_TRACELENS | AZ_TOOL_RANK_SHEETS,
    .record_host = "record stacks (with_stack=True) to find the host work",
    .record_operators = "record CPU activity (ProfilerActivity.CPU) to find the host work",
    .help = "PyTorch profiler: its native Perfetto output (.pftrace), also gzip",
    .one_file = true,
    .ranks_reduced = true,
    .probe = probe,
    .parse = parse,
    .stem = path_stem,
};
