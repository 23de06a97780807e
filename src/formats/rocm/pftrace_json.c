/* A Perfetto trace of rocprofv3 as JSON, made by traceconv (docs/formats-rocprof.md 7.3). */
#include <inttypes.h>

#include "base/num.h"
#include "formats/rocm/pftrace.h"
#include "formats/shared/json_input.h"
#include "text/jsonscan.h"

enum { K_PH = 1, K_CAT, K_NAME, K_PID, K_TID, K_TS, K_DUR, K_ARGS };
static const char *const event_keys[] = { "ph", "cat", "name", "pid", "tid",
                                          "ts", "dur", "args", NULL };

struct input {
    struct az_pftrace *p;
    struct az_source *src;
    struct az_jscan scan;
    struct az_jkeys keys;
    struct az_jarray array;
    bool source_bad, seen;
    struct az_pftrace_slice slice;
};

static int read_more(void *ctx, void *buf, size_t n, size_t *got)
{
    struct input *in = ctx;
    return az_json_input_read(in->p->r->job, in->src, &in->source_bad, buf, n, got);
}

/* "Agent-2" or 12 or 0.5, as written */
static struct az_pftrace_value value_of(struct az_arena *a, struct az_sv raw)
{
    struct az_pftrace_value v = { .is_text = false };
    if (raw.n >= 2 && raw.p[0] == '"') {
        v.is_text = true;
        v.text = az_json_unescape(a, az_sv_make(raw.p + 1, raw.n - 2));
    } else if (az_parse_i64(raw, &v.i) != 0) {
        v.is_real = az_parse_f64(raw, &v.f) == 0;
    }
    return v;
}

static void annotations(struct input *in, struct az_sv raw)
{
    struct az_jview object;
    struct az_sv key, value;
    if (!az_jview_object(&object, raw))
        return;
    while (az_jview_member(&object, &key, &value)) {
        enum az_pftrace_key k = az_pftrace_key_of(key);
        uint32_t name = AZ_NO_ID;
        struct az_pftrace_value v = value_of(&in->p->r->scratch, value);
        if (k == PF_NONE && v.is_text)
            continue;
        if (k == PF_NONE)
            name = az_trace_name(in->p->r->t, key);
        az_pftrace_annotate(&in->slice, k, name, &v);
    }
}

static int read_text(struct az_jscan *s, struct az_sv *out, bool *escaped)
{
    int rc = az_json_string(s, out, escaped);
    if (rc != AZ_JSON_BAD)
        return rc;
    *escaped = false;
    return az_json_skip(s, out);
}

/* A number, 0 where there is none. */
static int whole(struct az_jscan *s, int64_t *out, bool *has)
{
    bool missing = true;
    const int rc = az_json_i64(s, out, &missing);

    *has = !missing;
    *out = missing ? 0 : *out;
    return rc;
}

/* Nanoseconds of a time in microseconds, 0 where there is none. */
static int time_of(struct az_jscan *s, int64_t *out, bool *has)
{
    bool missing = true;
    const int rc = az_json_decimal(s, 3, out, &missing);

    *has = !missing;
    *out = missing ? 0 : *out;
    return rc;
}

/* One element of traceEvents; without begin_ns its ts and dur count (microseconds). */
static int event(void *ctx, struct az_jscan *s)
{
    struct input *in = ctx;
    struct az_sv ph = AZ_SV(""), cat = AZ_SV(""), name = AZ_SV(""), args = AZ_SV(""), raw;
    int64_t pid = 0, tid = 0, ts = 0, dur = 0;
    bool escaped = false, flag, has_ts = false, has_tid = false;
    int rc, k = az_json_first_key(s, &in->keys);
    while (k >= 0) {
        switch (k) {
        case K_PH:
            rc = read_text(s, &ph, &flag);
            break;
        case K_CAT:
            rc = read_text(s, &cat, &flag);
            break;
        case K_NAME:
            rc = read_text(s, &name, &escaped);
            break;
        case K_PID:
            rc = whole(s, &pid, &flag);
            break;
        case K_TID:
            rc = whole(s, &tid, &has_tid);
            break;
        case K_TS:
            rc = time_of(s, &ts, &has_ts);
            break;
        case K_DUR:
            rc = time_of(s, &dur, &flag);
            break;
        case K_ARGS:
            rc = az_json_skip(s, &args);
            break;
        default:
            rc = az_json_skip(s, &raw);
        }
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_next_key(s, &in->keys, k);
    }
    if (k != AZ_JSON_END)
        return k;
    if (!az_sv_is(ph, "X") && !az_sv_is(ph, "B") && !az_sv_is(ph, "i") && !az_sv_is(ph, "I"))
        return AZ_JSON_OK;
    az_pftrace_slice_init(&in->slice);
    in->slice.category = cat;
    in->slice.pid = pid;
    in->slice.thread = tid;
    in->slice.has_thread = has_tid;
    in->slice.name =
        az_trace_name(in->p->r->t, escaped ? az_json_unescape(&in->p->r->scratch, name) : name);
    annotations(in, args);
    if (!in->slice.has[PF_BEGIN] && has_ts && az_sv_is(ph, "X") &&
        !__builtin_add_overflow(ts, dur, &in->slice.number[PF_END])) {
        in->slice.number[PF_BEGIN] = ts;
        in->slice.has[PF_BEGIN] = in->slice.has[PF_END] = true;
    }
    rc = az_pftrace_add(in->p, &in->slice);
    az_arena_reset(&in->p->r->scratch);
    return rc;
}

static int document(struct input *in)
{
    struct az_jscan *s = &in->scan;
    struct az_sv key;
    bool first = true;
    int rc = az_jscan_byte(s, '{');
    while (rc == AZ_JSON_OK && !in->array.truncated) {
        rc = az_jscan_member(s, &first, &key);
        if (rc != AZ_JSON_OK)
            break;
        bool events = az_sv_is(key, "traceEvents") && az_jscan_peek(s) == '[';
        in->seen |= events;
        rc = events ? az_jscan_records(s, event, in, in->p->r->job->opts->strict, &in->array)
                    : az_jscan_skip_value(s);
    }
    return rc == AZ_JSON_END ? AZ_JSON_OK : rc;
}

static int verdict(struct input *in, int rc)
{
    struct az_parse *job = in->p->r->job;
    struct az_sv path = in->p->path;
    struct az_where here = AZ_AT_OFFSET(path, az_jscan_offset(&in->scan));
    const struct az_jarray *a = &in->array;
    if (rc < 0 && rc > AZ_JSON_END && rc != AZ_ERANGE)
        return rc;
    if (rc == AZ_ERANGE)
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "one JSON value is larger than %zu MiB",
                            in->scan.max_record >> 20);
    bool cut = a->truncated || rc == AZ_JSON_MORE || in->source_bad;
    if (!in->seen)
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "%s",
                            cut                ? "file truncated before its events"
                            : rc == AZ_JSON_OK ? "no 'traceEvents' in this JSON"
                                               : "malformed JSON");
    if (job->opts->strict && (cut || rc == AZ_JSON_BAD || a->malformed))
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "%s after %" PRIu64 " events",
                            cut ? "truncated" : "malformed JSON", a->records);
    if (cut || rc == AZ_JSON_BAD) {
        az_diag_add(job->diag, AZ_WARNING, here,
                    "%s: %" PRIu64 " complete events read, the rest is missing",
                    cut ? "truncated" : "malformed JSON", a->records);
        az_trace_truncated(in->p->r->t, "file truncated (events after the end are unknown)");
    }
    if (a->malformed) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_OFFSET(path, a->first_bad),
                    "malformed JSON at %" PRIu64 " place(s), %" PRIu64 " bytes skipped, %" PRIu64
                    " events read",
                    a->malformed, a->skipped_bytes, a->records);
        az_trace_dropped(in->p->r->t, AZ_DROP_LOST, "malformed events", a->malformed, 0);
    }
    return 0;
}

int az_pftrace_json_file(struct az_pftrace *p)
{
    struct az_source_opts so = { .mem = p->r->job->mem,
                                 .diag = p->r->job->diag,
                                 .keeps_parts = !p->r->job->opts->strict };
    struct input *in = az_mem_alloc(p->r->job->mem, sizeof *in);
    if (!in)
        return az_mem_error(p->r->job->mem);
    memset(in, 0, sizeof *in);
    in->p = p;
    in->array.first_bad = -1;
    az_jkeys_init(&in->keys, event_keys);
    int rc = az_source_open(&in->src, p->path.p, &so);
    if (rc == 0) {
        rc = az_jscan_init(&in->scan, read_more, in, 0, p->r->job->mem);
        if (rc == 0) {
            rc = verdict(in, document(in));
            az_jscan_release(&in->scan);
        }
        az_source_close(in->src);
    }
    az_mem_free(p->r->job->mem, in, sizeof *in);
    return rc;
}
