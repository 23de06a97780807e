/* The document of a results.json: {"rocprofiler-sdk-tool": [ process, ... ]}
 * (docs/formats-rocprof.md 2). A process may be tens of megabytes: its arrays are read record by
 * record. */
#include "formats/rocm/rocprof_json.h"
#include "formats/shared/cut_records.h"
#include "formats/shared/json_input.h"
#include "model/window.h"

static int read_more(void *ctx, void *buf, size_t n, size_t *got)
{
    struct az_rocprof_json *in = ctx;
    return az_json_input_read(in->r->job, in->src, &in->source_bad, buf, n, got);
}

/* An array of records; anything else is skipped. */
static int records(struct az_rocprof_json *j, int (*record)(void *, struct az_jscan *))
{
    struct az_jarray a;
    int c = az_jscan_peek(&j->scan);
    if (c < 0)
        return c;
    if (c != '[')
        return az_jscan_skip_value(&j->scan);
    if (j->r->t->cut_log)
        az_cut_log_part(j->r->t->cut_log);
    int rc = az_jscan_records(&j->scan, record, j, j->r->job->opts->strict, &a);
    j->total.records += a.records;
    j->total.malformed += a.malformed;
    j->total.skipped_bytes += a.skipped_bytes;
    if (j->total.first_bad < 0)
        j->total.first_bad = a.first_bad;
    j->total.truncated |= a.truncated;
    j->total.end_offset = a.end_offset;
    return rc;
}

/* A small member as a whole. */
static int whole(struct az_rocprof_json *j, int (*read)(struct az_rocprof_json *, struct az_sv))
{
    struct az_sv raw;
    int rc = az_jscan_value(&j->scan, &raw);
    return rc == AZ_JSON_OK ? read(j, raw) : rc;
}

/* Members of an object, each to `member`; the object may be absent (null). */
static int object(struct az_rocprof_json *j,
                  int (*member)(struct az_rocprof_json *, struct az_sv key))
{
    struct az_sv key;
    bool first = true;
    int c = az_jscan_peek(&j->scan);
    if (c < 0)
        return c;
    if (c != '{')
        return az_jscan_skip_value(&j->scan);
    int rc = az_jscan_byte(&j->scan, '{');
    while (rc == AZ_JSON_OK && !j->total.truncated) {
        rc = az_jscan_member(&j->scan, &first, &key);
        if (rc == AZ_JSON_OK)
            rc = member(j, key);
    }
    return rc == AZ_JSON_END ? AZ_JSON_OK : rc;
}

static int buffer_member(struct az_rocprof_json *j, struct az_sv key)
{
    static const struct {
        const char *key;
        enum az_rocprof_json_array array;
    } known[] = { { "kernel_dispatch", RJ_KERNELS },
                  { "memory_copy", RJ_COPIES },
                  { "memory_allocation", RJ_ALLOCS },
                  { "scratch_memory", RJ_SCRATCH },
                  { "marker_api", RJ_MARKERS } };
    for (size_t i = 0; i < AZ_LENGTH(known); i++) {
        if (az_sv_is(key, known[i].key)) {
            j->array = known[i].array;
            return records(j, az_rocprof_json_record);
        }
    }
    if (!az_sv_ends(key, AZ_SV("_api")))
        return az_jscan_skip_value(&j->scan);
    j->array = RJ_CALLS;
    return records(j, az_rocprof_json_record);
}

static int callback_member(struct az_rocprof_json *j, struct az_sv key)
{
    if (!az_sv_is(key, "counter_collection"))
        return az_jscan_skip_value(&j->scan);
    j->array = RJ_COUNTERS;
    return records(j, az_rocprof_json_record);
}

static int strings_member(struct az_rocprof_json *j, struct az_sv key)
{
    if (az_sv_is(key, "buffer_records"))
        return whole(j, az_rocprof_json_operations);
    return az_sv_is(key, "marker_api") ? records(j, az_rocprof_json_marker)
                                       : az_jscan_skip_value(&j->scan);
}

static int process_member(struct az_rocprof_json *j, struct az_sv key)
{
    if (az_sv_is(key, "metadata")) {
        j->said_process = true;
        return whole(j, az_rocprof_json_metadata);
    }
    if (az_sv_is(key, "agents")) {
        j->said_agents = true;
        return whole(j, az_rocprof_json_agents);
    }
    if (az_sv_is(key, "counters"))
        return whole(j, az_rocprof_json_counter_list);
    if (az_sv_is(key, "strings"))
        return object(j, strings_member);
    if (az_sv_is(key, "kernel_symbols"))
        return records(j, az_rocprof_json_symbol);
    const bool callbacks = az_sv_is(key, "callback_records");
    if (!callbacks && !az_sv_is(key, "buffer_records"))
        return az_jscan_skip_value(&j->scan);
    j->late_process |= !j->said_process;
    j->late_agents |= !j->said_agents;
    return object(j, callbacks ? callback_member : buffer_member);
}

/* One process; its records are named even if the file breaks off inside. */
static int process(struct az_rocprof_json *j)
{
    int rc = az_rocprof_json_process_begin(j);
    if (rc) {
        az_rocprof_json_process_release(j);
        return rc;
    }
    rc = object(j, process_member);
    bool readable = rc == AZ_JSON_OK || rc == AZ_JSON_BAD || rc == AZ_JSON_MORE;
    if (!readable) {
        az_rocprof_json_process_release(j);
        return rc;
    }
    int end = az_rocprof_json_process_end(j);
    return end ? end : rc;
}

static int processes(struct az_rocprof_json *j)
{
    int rc = az_jscan_byte(&j->scan, '[');
    while (rc == AZ_JSON_OK) {
        int c = az_jscan_peek(&j->scan);
        if (c == ']')
            return az_jscan_byte(&j->scan, ']');
        if (c <= 0)
            return c < 0 ? c : AZ_JSON_MORE;
        rc = c == '{' ? process(j) : az_jscan_skip_value(&j->scan);
        if (rc != AZ_JSON_OK || j->total.truncated)
            return rc;
        c = az_jscan_peek(&j->scan);
        if (c == 0)
            return AZ_JSON_MORE;
        if (c == ',')
            rc = az_jscan_byte(&j->scan, ',');
        else if (c != ']')
            return c < 0 ? c : AZ_JSON_BAD;
    }
    return rc;
}

/* What `analyzer cut` kept. */
static int recorded_window(struct az_rocprof_json *j, struct az_sv raw)
{
    return az_cut_spans_read(j->r->t, raw);
}

static int top_member(struct az_rocprof_json *j, struct az_sv key)
{
    if (az_sv_is(key, AZ_CUT_KEY) && !j->window_seen) {
        j->window_seen = true;
        return whole(j, recorded_window);
    }
    if (!az_sv_is(key, "rocprofiler-sdk-tool"))
        return az_jscan_skip_value(&j->scan);
    j->tool_seen = true;
    return processes(j);
}

/* Reports what was wrong with the text; the code the parse returns. */
static int verdict(struct az_rocprof_json *j, int rc)
{
    struct az_parse *job = j->r->job;
    struct az_where here = AZ_AT_OFFSET(j->path, az_jscan_offset(&j->scan));
    const struct az_jarray *a = &j->total;
    unsigned long long n = (unsigned long long)a->records;
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT || rc == AZ_EINTR || rc == AZ_EIO)
        return rc;
    if (rc == AZ_ERANGE)
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "one JSON value is larger than %zu MiB",
                            j->scan.max_record >> 20);
    bool cut = a->truncated || rc == AZ_JSON_MORE || j->source_bad;
    if (!j->tool_seen && rc == AZ_JSON_OK)
        return az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_FILE(j->path),
                            "not a rocprofv3 result: missing key 'rocprofiler-sdk-tool'");
    if (!j->tool_seen || (cut && a->records == 0))
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "%s",
                            cut ? "file truncated before its records" : "malformed JSON");
    if (job->opts->strict && (cut || rc == AZ_JSON_BAD || a->malformed))
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "%s after %llu records",
                            cut ? "truncated" : "malformed JSON", n);
    if (cut) {
        az_diag_add(job->diag, AZ_WARNING,
                    AZ_AT_OFFSET(j->path, a->truncated ? a->end_offset : az_jscan_offset(&j->scan)),
                    "truncated: %llu complete records read, the rest is missing; check whether the "
                    "profiler was stopped while writing",
                    n);
        az_trace_truncated(j->r->t, "file truncated (records after the end are unknown)");
    } else if (rc == AZ_JSON_BAD) {
        az_diag_add(job->diag, AZ_WARNING, here, "malformed JSON: %llu records before it read", n);
        az_trace_dropped(j->r->t, AZ_DROP_LOST, "rest of a malformed file", 1, 0);
    }
    if (a->malformed) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_OFFSET(j->path, a->first_bad),
                    "malformed JSON at %llu place(s), %llu bytes skipped, %llu records read",
                    (unsigned long long)a->malformed, (unsigned long long)a->skipped_bytes, n);
        az_trace_dropped(j->r->t, AZ_DROP_LOST, "malformed records", a->malformed, 0);
    }
    return 0;
}

static int document(struct az_rocprof_json *j)
{
    int c = az_jscan_peek(&j->scan);
    if (c < 0)
        return c;
    if (c != '{')
        return c == '[' ? AZ_JSON_OK : AZ_JSON_BAD; /* a list: valid JSON without the key */
    return object(j, top_member);
}

int az_rocprof_read_json_file(struct az_rocprof *r, struct az_sv path)
{
    struct az_rocprof_json *j = az_arena_alloc(&r->scratch, sizeof *j);
    struct az_source_opts so = { .mem = r->job->mem,
                                 .diag = r->job->diag,
                                 .keeps_parts = !r->job->opts->strict };
    if (!j)
        return az_arena_error(&r->scratch);
    j->r = r;
    j->path = path;
    j->total.first_bad = -1;
    int rc = az_source_open(&j->src, path.p, &so);
    if (rc)
        return rc;
    az_rocprof_json_record_keys_init(j);
    az_rocprof_json_symbol_keys_init(j);
    rc = az_jscan_init(&j->scan, read_more, j, 0, r->job->mem);
    if (rc == 0) {
        rc = verdict(j, document(j));
        az_jscan_release(&j->scan);
    }
    if (rc == 0 && j->no_time)
        az_trace_dropped(r->t, AZ_DROP_LOST, "records without a start or an end", j->no_time, 0);
    if (rc == 0 && j->no_device_time)
        az_trace_lost(r->t, AZ_KERNEL, "records of the device without a start or an end",
                      j->no_device_time, 0);
    az_source_close(j->src);
    return rc;
}
