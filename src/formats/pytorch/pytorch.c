/* PyTorch profiler traces: container and top-level members (docs/formats-pytorch.md 1.1, 1.2).
 * Events: pytorch_event.c. */
#include "formats/pytorch/pytorch.h"
#include "base/num.h"
#include "formats/list.h"
#include "formats/pytorch/pytorch_capture.h"
#include "formats/shared/cut_records.h"
#include "formats/shared/unsupported_formats.h"
#include "io/path.h"

#define PIPE_MIN ((uint64_t)256 << 10) /* compressed bytes from which on a thread reads ahead */

static int read_source(void *ctx, void *buf, size_t n, size_t *got)
{
    struct az_pytorch_input *in = ctx;
    const uint64_t used = az_source_consumed(in->src);
    if (in->job->progress && used > in->reported) {
        atomic_fetch_add_explicit(in->job->progress, used - in->reported, memory_order_relaxed);
        in->reported = used;
    }
    if (in->job->cancelled && in->job->cancelled(in->job->ctx))
        return AZ_EINTR;
    *got = 0;
    int rc = in->source_bad ? 0 : az_source_read(in->src, buf, n, got);
    if (rc == AZ_EFORMAT) {
        in->source_bad = true;
        rc = 0;
    }
    return rc;
}

/* How many more rows to make room for next to the n that there are, if the whole file will have
 * `most` times as many. Where that is much more than there is room for, soon; else not before there
 * is hardly any left, and then some, as each time may copy all. */
static size_t wanted_room(size_t n, size_t cap, double most)
{
    const double all = (double)n * most;
    const bool soon = all > 1.25 * (double)cap;
    if (n < 64 || cap >= n + (soon ? n / 2 : n / 32))
        return 0;
    return soon || all > 1.08 * (double)n ? (size_t)(all - (double)n) : n / 12;
}

/* Columns that are nearly full get the estimated size for the whole file, at most eight times their
 * elements: then they are not copied from one block to the next. Without memory for that they grow
 * as they are filled. */
static void make_room(const struct az_pytorch_input *in)
{
    const uint64_t used = az_source_consumed(in->src),
                   size = in->share ? in->share : az_source_size(in->src);
    if (used == 0 || used >= size)
        return;
    const double more = 1.03 * (double)size / (double)used, most = more < 8 ? more : 8;
    for (enum az_kind k = 0; k < AZ_KIND_COUNT; k++) {
        const struct az_events *e = &in->room->ev[k];
        (void)!az_trace_reserve(in->room, k, wanted_room(e->n, e->cap, most));
    }
    struct az_optrace *o = az_optrace(in->room);
    (void)!az_vec_reserve(&o->ops, wanted_room(o->ops.n, o->ops.cap, most));
}

int az_pytorch_fill(void *ctx, void *buf, size_t n, size_t *got)
{
    struct az_pytorch_input *in = ctx;
    if (in->room)
        make_room(in);
    return in->pipe ? az_pipe_read(in->pipe, buf, n, got) : read_source(in, buf, n, got);
}

static struct az_sv unquoted(struct az_sv raw)
{
    return raw.n >= 2 && raw.p[0] == '"' ? az_sv_make(raw.p + 1, raw.n - 2) : raw;
}

static void device_properties(struct az_trace *t, struct az_sv raw)
{
    struct az_jview list, object;
    struct az_sv item, key, value;
    if (!az_jview_array(&list, raw))
        return;
    while (az_jview_next(&list, &item)) {
        struct az_device d = { .id = (int64_t)t->devices.n };
        if (!az_jview_object(&object, item))
            continue;
        while (az_jview_member(&object, &key, &value)) {
            int64_t *number = az_sv_is(key, "id")               ? &d.id
                              : az_sv_is(key, "numSms")         ? &d.sm_count
                              : az_sv_is(key, "totalGlobalMem") ? &d.memory_bytes
                                                                : NULL;
            if (number && az_parse_i64(value, number) != 0)
                *number = 0;
            if (az_sv_is(key, "name"))
                d.name = az_arena_dup(&t->arena, az_json_unescape(&t->arena, unquoted(value)));
        }
        if (az_vec_push(&t->devices, d) != 0) {
            t->arena.failed = true; /* sealing reports it: tables would be missing without a word */
            return;
        }
    }
}

static void distributed_info(struct az_trace *t, struct az_sv raw)
{
    struct az_jview object;
    struct az_sv key, value;
    if (!az_jview_object(&object, raw))
        return;
    while (az_jview_member(&object, &key, &value)) {
        int64_t v;
        if (az_sv_is(key, "rank") && az_parse_i64(value, &v) == 0)
            t->rank = v;
        else if (az_sv_is(key, "world_size") && az_parse_i64(value, &v) == 0)
            t->world_size = v;
        else if (az_sv_is(key, "backend"))
            az_trace_fact(t, "backend", az_arena_dup(&t->arena, unquoted(value)));
        else if (az_sv_is(key, "hostname") || az_sv_is(key, "host_name"))
            az_trace_fact(t, "hostname", az_arena_dup(&t->arena, unquoted(value)));
        else if (az_sv_is(key, "node_id"))
            az_trace_fact(t, "node_id", az_arena_dup(&t->arena, unquoted(value)));
    }
}

static bool is_fact(struct az_sv key)
{
    static const char *const facts[] = { "schemaVersion",
                                         "cupti_version",
                                         "cuda_runtime_version",
                                         "cuda_driver_version",
                                         "roctracer_version",
                                         "hip_runtime_version",
                                         "hip_driver_version",
                                         "record_shapes",
                                         "with_stack",
                                         "profile_memory",
                                         "with_flops",
                                         "with_modules",
                                         "baseTimeNanoseconds",
                                         "hostname",
                                         "host_name",
                                         "node_id" };
    for (size_t i = 0; i < AZ_LENGTH(facts); i++)
        if (az_sv_is(key, facts[i]))
            return true;
    return false;
}

/* A reader of one document. */
struct document {
    struct az_pytorch_input in;
    struct az_jscan scan;
    struct az_pytorch_reader reader;
    struct az_pytorch_tuning tuning;
};

static bool can_split(const struct document *d)
{
    const struct az_pytorch_input *in = &d->in;
    return in->job->threads > 1 && !in->job->opts->strict && !in->seen_events &&
           !az_source_is_gzip(in->src) && (int64_t)az_source_size(in->src) >= d->tuning.split_min &&
           !az_sv_is(in->job->files[0].path, "-");
}

static int events(struct document *d)
{
    struct az_pytorch_input *in = &d->in;
    struct az_jarray a;
    const bool split = can_split(d);
    int c = az_jscan_peek(&d->scan);
    if (c != '[')
        return c < 0 ? c : c ? AZ_JSON_BAD : AZ_JSON_MORE;
    in->seen_events = true;
    if (split)
        return az_pytorch_split(in, &d->scan, &d->reader, d->tuning.window);
    int rc = az_jscan_records(&d->scan, az_pytorch_event_reader(), &d->reader,
                              in->job->opts->strict, &a);
    in->array.records += a.records;
    in->array.malformed += a.malformed;
    in->array.skipped_bytes += a.skipped_bytes;
    if (in->array.first_bad < 0)
        in->array.first_bad = a.first_bad;
    in->array.truncated |= a.truncated;
    in->array.end_offset = a.end_offset;
    return rc;
}

/* Spans of host time that `analyzer cut` kept: [[start, end], ...] in ticks. */
static int recorded_window(struct document *d)
{
    struct az_sv raw;
    const int rc = az_jscan_value(&d->scan, &raw);
    return rc == AZ_JSON_OK ? az_cut_spans_read(d->in.job->trace, raw) : rc;
}

static int member(struct document *d, struct az_sv key)
{
    struct az_trace *t = d->in.job->trace;
    struct az_jscan *s = &d->scan;
    struct az_sv raw;
    key = az_json_unescape(&d->reader.scratch, key);
    if (!key.p)
        return az_arena_error(&d->reader.scratch);
    if (az_sv_is(key, "traceEvents"))
        return events(d);
    if (az_sv_is(key, AZ_PYTORCH_WINDOW_KEY))
        return recorded_window(d);
    bool devices = az_sv_is(key, "deviceProperties"), dist = az_sv_is(key, "distributedInfo");
    char name[40];
    if (!devices && !dist && (!is_fact(key) || key.n >= sizeof name))
        return az_jscan_skip_value(s);
    memcpy(name, key.p, key.n < sizeof name ? key.n : 0); /* the key moves with the window */
    name[key.n < sizeof name ? key.n : 0] = 0;
    int rc = az_jscan_value(s, &raw);
    if (rc != AZ_JSON_OK)
        return rc;
    if (devices)
        device_properties(t, raw);
    else if (dist)
        distributed_info(t, raw);
    else {
        const char *kept = az_arena_str(&t->arena, az_sv_str(name));
        if (strcmp(name, "baseTimeNanoseconds") == 0 &&
            (az_parse_i64(unquoted(raw), &t->base_ns) != 0 || t->base_ns < 0 ||
             t->base_ns > AZ_TIME_MAX))
            t->base_ns = 0; /* no time that added to an event's would fit */
        if (kept)
            az_trace_fact(t, kept, az_arena_dup(&t->arena, unquoted(raw)));
    }
    return AZ_JSON_OK;
}

static int read_document(struct document *d)
{
    struct az_jscan *s = &d->scan;
    struct az_sv key;
    bool first = true;
    int c = az_jscan_peek(s);
    if (c < 0)
        return c;
    if (c == 0)
        return AZ_EEMPTY;
    if (c == '[')
        return events(d);
    int rc = az_jscan_byte(s, '{');
    while (rc == AZ_JSON_OK && !d->in.array.truncated) {
        rc = az_jscan_member(s, &first, &key);
        if (rc == AZ_JSON_OK)
            rc = member(d, key);
    }
    return rc == AZ_JSON_END ? AZ_JSON_OK : rc;
}

/* Reads to the end of the file, which is where a compressed one reports damage: nothing but blanks
 * may follow. */
static int read_whole(struct document *d)
{
    int rc = read_document(d);
    if (rc != AZ_JSON_OK || d->in.array.truncated)
        return rc;
    int c = az_jscan_peek(&d->scan);
    return c > 0 ? AZ_JSON_BAD : c;
}

/* Reports what was wrong with the text; the code the parse returns. */
static int verdict(const struct document *d, int rc)
{
    const struct az_pytorch_input *in = &d->in;
    const struct az_jscan *s = &d->scan;
    struct az_parse *job = in->job;
    struct az_sv path = job->files[0].path;
    struct az_where here = AZ_AT_OFFSET(path, az_jscan_offset(s));
    const struct az_jarray *a = &in->array;
    if (rc == AZ_EEMPTY)
        return az_diag_fail(job->diag, rc, AZ_AT_FILE(path),
                            "empty file (the profiler wrote nothing)");
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(job->diag, rc, here, job->mem);
    if (rc == AZ_ERANGE)
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "one JSON value is larger than %zu MiB",
                            s->max_record >> 20);
    if (rc == AZ_EINTR || rc == AZ_EIO)
        return rc;
    bool cut = a->truncated || rc == AZ_JSON_MORE;
    if (!in->seen_events) {
        if (rc == AZ_JSON_OK)
            return az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_FILE(path),
                                "no 'traceEvents' in this JSON; check that it is a profiler trace");
        return az_diag_fail(job->diag, AZ_EFORMAT, here, "%s",
                            cut ? "file truncated before its events" : "malformed JSON");
    }
    if (rc == AZ_JSON_BAD && job->opts->strict)
        return az_diag_fail(job->diag, AZ_EFORMAT, here,
                            "malformed JSON (without --strict it would be skipped and counted)");
    const bool whole = in->source_bad && az_source_whole(in->src);
    if (whole && !cut && job->opts->strict)
        return AZ_EFORMAT; /* the message is there */
    if (whole && !cut)
        az_trace_note(job->trace, "gzip checksum mismatch", 1, "events may be wrong");
    if (cut || (in->source_bad && !whole)) {
        int64_t at = a->truncated ? a->end_offset : az_jscan_offset(s);
        if (job->opts->strict)
            return az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_OFFSET(path, at),
                                "truncated after %llu events", (unsigned long long)a->records);
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_OFFSET(path, at),
                    "truncated: %llu complete events read, the rest is missing; check whether the "
                    "profiler was stopped while writing",
                    (unsigned long long)a->records);
        az_trace_truncated(job->trace, "file truncated (events after the end are unknown)");
    } else if (rc == AZ_JSON_BAD) {
        az_diag_add(job->diag, AZ_WARNING, here,
                    "malformed JSON after the events; %llu events read",
                    (unsigned long long)a->records);
    }
    if (a->malformed) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_OFFSET(path, a->first_bad),
                    "malformed JSON at %llu place(s), %llu bytes skipped, %llu events read",
                    (unsigned long long)a->malformed, (unsigned long long)a->skipped_bytes,
                    (unsigned long long)a->records);
        az_trace_dropped(job->trace, AZ_DROP_LOST, "malformed events", a->malformed, 0);
    }
    return rc < 0 && rc > AZ_JSON_END ? rc : 0;
}

/* Events, and not one of a category of the profiler: {NULL, 0}, or some categories that are there.
 */
static struct az_sv only_others(const struct document *d)
{
    const struct az_pytorch_reader *r = &d->reader;
    struct az_arena *a = &d->in.job->trace->arena;
    struct az_sv list = AZ_SV("");
    if (d->in.job->trace->kept || r->frames || r->no_time || r->no_device_time)
        return az_sv_make(NULL, 0);
    if (!r->other_cats.n) /* it writes no such events: no span of it was found */
        return r->phase[AZ_PYTORCH_HALVES_PH]
                   ? AZ_SV("unknown: its spans are begin and end events (phases B and E)")
                   : az_sv_make(NULL, 0);
    if (r->other_cats.n == 1 &&
        az_trace_text(d->in.job->trace, (uint32_t)(r->other_cats.v[0] >> 32)).n == 0)
        return AZ_SV("empty");
    for (size_t i = 0; i < r->other_cats.n && i < 4; i++)
        list = az_arena_printf(
            a, "%.*s%s'%.*s'", AZ_SVF(list), i ? ", " : "",
            AZ_SVF(az_trace_text(d->in.job->trace, (uint32_t)(r->other_cats.v[i] >> 32))));
    return list;
}

/* The profiler writes the span of its own recording even where it recorded nothing. */
static bool is_empty_recording(const struct document *d)
{
    const struct az_trace *t = d->in.job->trace;
    const struct az_pytorch_reader *r = &d->reader;
    bool schema = false;
    for (size_t i = 0; i < t->facts.n; i++)
        schema |= az_sv_is(t->facts.v[i].key, "schemaVersion");
    return schema && r->other_cats.n == 1 &&
           az_sv_is(az_trace_text(t, (uint32_t)(r->other_cats.v[0] >> 32)), "Trace");
}

/* A trace that only resembles one of the profiler's, by the names of its processes or because it
 * has nothing of it. */
static int refuse_others(const struct document *d)
{
    const struct az_pytorch_metas *meta = &d->reader.meta;
    const struct az_where file = AZ_AT_FILE(d->in.job->files[0].path);
    for (size_t i = 0; i < meta->n; i++) {
        const char *what =
            meta->v[i].kind == 0
                ? az_foreign_process(az_trace_text(d->in.job->trace, meta->v[i].text))
                : NULL;
        if (what)
            return az_diag_fail(d->in.job->diag, AZ_EFORMAT, file, "%s", what);
    }
    if (d->in.job->trace->recorded_window.n) /* a cut has what its window has, if that is nothing */
        return AZ_OK;
    const struct az_sv others = only_others(d);
    if (others.n && is_empty_recording(d))
        return az_diag_fail(d->in.job->diag, AZ_EEMPTY, file,
                            "the PyTorch profiler recorded nothing; run the model between start "
                            "and stop of the profiler");
    if (others.n)
        return az_diag_fail(d->in.job->diag, AZ_EFORMAT, file,
                            "Chrome trace, but not of the PyTorch profiler: its categories are "
                            "%.*s; see 'analyzer list'",
                            AZ_SVF(others));
    return 0;
}

/* Everything from an open source; d->in.src may be another one afterwards. */
static int parse_document(struct document *d)
{
    struct az_parse *job = d->in.job;
    struct az_where file = AZ_AT_FILE(job->files[0].path);
    int rc = az_optrace_init(job->trace, job->opts);
    if (rc == 0)
        rc = az_pytorch_reader_init(&d->reader, job->trace, job->opts);
    if (rc == 0 && d->tuning.captured)
        az_pytorch_reader_captured(&d->reader);
    if (rc == 0)
        rc = az_jscan_init(&d->scan, az_pytorch_fill, &d->in, d->tuning.window, job->mem);
    const bool failed = rc != 0;
    d->in.room = failed || d->in.pipe ? NULL : job->trace;
    if (failed)
        rc = az_diag_memory(job->diag, rc, file, job->mem);
    else
        rc = read_whole(d);
    az_pipe_close(d->in.pipe); /* messages of its thread come before ours */
    d->in.pipe = NULL;
    if (!failed)
        rc = verdict(d, rc);
    if (rc == 0)
        rc = refuse_others(d);
    if (rc == 0 && (rc = az_pytorch_finish(&d->reader)) != 0)
        rc = az_diag_memory(job->diag, rc, file, job->mem);
    az_jscan_release(&d->scan);
    if (d->reader.trace)
        az_pytorch_reader_release(&d->reader);
    return rc;
}

static void document_init(struct document *d, struct az_parse *job)
{
    memset(d, 0, sizeof *d);
    d->in.job = job;
    d->in.array.first_bad = -1;
    d->scan.mem = job->mem;
}

int az_pytorch_parse(struct az_parse *job, const struct az_pytorch_tuning *tuning)
{
    struct document d;
    const struct az_source_opts so = { .mem = job->mem,
                                       .diag = job->diag,
                                       .digest = az_parse_digest(job, 0),
                                       .keeps_parts = !job->opts->strict };
    document_init(&d, job);
    d.tuning = *tuning;
    int rc = az_source_open(&d.in.src, job->files[0].path.p, &so);
    if (rc)
        return rc;
    if (job->threads > 1 && az_source_is_gzip(d.in.src) && az_source_size(d.in.src) >= PIPE_MIN)
        rc = az_pipe_open(&d.in.pipe, read_source, &d.in, (size_t)256 << 10, 8, job->mem);
    rc = rc ? az_diag_memory(job->diag, rc, AZ_AT_FILE(job->files[0].path), job->mem)
            : parse_document(&d);
    az_source_close(d.in.src);
    if (tuning->parts)
        *tuning->parts = d.in.parts;
    if (tuning->truncated)
        *tuning->truncated = d.in.array.truncated;
    return rc;
}

int az_pytorch_parse_source(struct az_parse *job, struct az_source *src, size_t window)
{
    struct document d;
    document_init(&d, job);
    d.in.src = src;
    d.tuning = (struct az_pytorch_tuning){ .split_min = INT64_MAX, .window = window };
    return parse_document(&d);
}

static int parse(struct az_parse *job)
{
    const struct az_pytorch_tuning tuning = { .split_min = (int64_t)32 << 20 };
    if (job->n_files > 1)
        return az_diag_fail(job->diag, AZ_EUSAGE, AZ_AT_FILE(job->files[1].path),
                            "several files in one input; use one input per trace");
    const int rc = az_pytorch_parse(job, &tuning);
    return rc ? rc : az_pytorch_captures(job);
}

/* A trace has "traceEvents" as a key or is a bare array of events; the key may be after long
 * metadata. */
/* As a key, not as a text in a report about such traces. */
static bool has_key(struct az_sv head, struct az_sv quoted)
{
    ptrdiff_t at;
    while ((at = az_sv_find(head, quoted)) >= 0) {
        const size_t skip = (size_t)at + quoted.n;
        head = az_sv_trim(az_sv_make(head.p + skip, head.n - skip));
        if (head.n && head.p[0] == ':')
            return true;
    }
    return false;
}

static int probe(struct az_sv head, struct az_sv path)
{
    (void)path;
    if (az_sv_starts(head, AZ_SV("\xef\xbb\xbf"))) /* byte order mark; the scanner skips it, too */
        head = az_sv_make(head.p + 3, head.n - 3);
    head = az_sv_trim(head);
    if (head.n < 2 || (head.p[0] != '{' && head.p[0] != '['))
        return 0;
    bool events = az_sv_find(head, AZ_SV("\"traceEvents\"")) >= 0;
    bool ph = az_sv_find(head, AZ_SV("\"ph\"")) >= 0;
    if (head.p[0] == '[')
        return ph ? 60 : 0;
    if (events)
        return 80;
    bool kineto =
        has_key(head, AZ_SV("\"deviceProperties\"")) || has_key(head, AZ_SV("\"schemaVersion\""));
    return kineto ? 60 : 0;
}

static bool any_path(struct az_sv path)
{
    (void)path;
    return true;
}

/* trace.pt.trace.json.gz -> trace */
static struct az_sv path_stem(struct az_sv path)
{
    static const char *const ends[] = { ".gz", ".zst", ".json", ".trace", ".pt" };
    path = az_path_base(path);
    for (size_t i = 0; i < AZ_LENGTH(ends); i++)
        if (az_sv_ends(path, az_sv_str(ends[i])))
            path.n -= strlen(ends[i]);
    return path;
}

const struct az_format az_format_pytorch = {
    .name = "pytorch",
    .tool = AZ_TOOL_TRACELENS | AZ_TOOL_RANK_SHEETS,
    .record_host = "record stacks (with_stack=True) to find the host work",
    .record_operators = "record CPU activity (ProfilerActivity.CPU) to find the host work",
    .help = "PyTorch profiler (Kineto) trace, JSON, also gzip",
    .one_file = true,
    .companions = AZ_PYTORCH_CAPTURE_FOLDER,
    .ranks_reduced = true,
    .probe = probe,
    .parse = parse,
    .cut = az_pytorch_cut,
    .cut_extra = any_path,
    .stem = path_stem,
};
