/* A window of an XPlane profile as one: the file without the events of devices, calls and
 * compilations outside, with the window in a field of its own, which other readers skip
 * (docs/regions.md 8). */
#include <stdio.h>

#include "base/num.h"
#include "formats/shared/cut_output.h"
#include "formats/shared/cut_records.h"
#include "formats/xplane/xplane.h"

enum { PLANES = 1, LINES = 3, EVENTS = 4 };

struct cutting {
    struct az_cut *job;
    const char *base;   /* of the file */
    struct az_map gone; /* place of an event in the file */
};

static int put(struct az_vec_char *out, const void *p, size_t n)
{
    const int rc = az_vec_reserve(out, out->n + n);
    if (rc == 0 && n) {
        memcpy(out->v + out->n, p, n);
        out->n += n;
    }
    return rc;
}

static int put_bytes_field(struct az_vec_char *out, uint32_t field, const char *p, size_t n)
{
    char head[20];
    size_t k = 0;
    const uint64_t number[2] = { (uint64_t)field << 3 | AZ_PROTOBUF_BYTES, n };
    for (int i = 0; i < 2; i++) {
        uint64_t v = number[i];
        for (; v >= 0x80; v >>= 7)
            head[k++] = (char)(v | 0x80);
        head[k++] = (char)v;
    }
    const int rc = put(out, head, k);
    return rc ? rc : put(out, p, n);
}

static int is_damaged(const struct cutting *c)
{
    return az_diag_fail(c->job->diag, AZ_EFORMAT, AZ_AT_FILE(c->job->in),
                        "invalid XSpace protobuf; nothing was written");
}

/* A message without the events that are gone; `inside` is the field whose messages may have some,
 * 0: these are events. */
static int copy_message(struct cutting *c, struct az_sv bytes, uint32_t inside,
                        struct az_vec_char *out);

static int copy_field(struct cutting *c, struct az_sv body, struct az_sv whole, uint32_t inside,
                      struct az_vec_char *out)
{
    struct az_vec_char part;
    if (inside == EVENTS) {
        const bool gone = az_map_get(&c->gone, (uint64_t)(body.p - c->base), 0) != AZ_NO_ID;
        return gone ? AZ_OK : put(out, whole.p, whole.n);
    }
    az_vec_init(&part, c->job->mem);
    int rc = copy_message(c, body, inside == PLANES ? LINES : EVENTS, &part);
    if (rc == 0)
        rc = put_bytes_field(out, inside, part.v, part.n);
    az_vec_release(&part);
    return rc;
}

static int copy_message(struct cutting *c, struct az_sv bytes, uint32_t inside,
                        struct az_vec_char *out)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    for (;;) {
        const char *tag = (const char *)m.p;
        int rc = az_protobuf_next(&m, &field, &wire, &v, &b);
        if (rc <= 0)
            return rc < 0 ? is_damaged(c) : AZ_OK;
        const struct az_sv whole = { tag, (size_t)((const char *)m.p - tag) };
        if (inside == PLANES && field == AZ_XPLANE_WINDOW_FIELD)
            continue;
        rc = field == inside && wire == AZ_PROTOBUF_BYTES ? copy_field(c, b, whole, inside, out)
                                                          : put(out, whole.p, whole.n);
        if (rc)
            return rc;
    }
}

static int list_gone(struct cutting *c, const struct az_cut_log *log)
{
    int rc = 0;
    az_map_init(&c->gone, c->job->mem, 0);
    for (size_t i = 0; rc == 0 && i < log->what.n; i++) {
        uint32_t *at;
        bool added;
        if (az_cut_log_is_gone(log, i))
            rc = az_map_put(&c->gone, log->from.v[i], 0, 1, &at, &added);
    }
    return rc;
}

static int write_file(struct az_cut *job, const struct az_vec_char *out)
{
    struct az_cut_output o;
    const int rc = az_cut_output_open(&o, job->out, job->mem, job->diag);
    if (rc)
        return rc;
    az_cut_output_put(&o, az_sv_make(out->v, out->n));
    return az_cut_output_close(&o, AZ_OK);
}

static int copy_file(struct cutting *c, const struct az_trace *t, const struct az_cut_log *log,
                     struct az_sv bytes, struct az_arena *a)
{
    struct az_vec_char out;
    az_vec_init(&out, c->job->mem);
    c->base = bytes.p;
    struct az_sv window = az_cut_spans_text(t, a);
    if (window.p)
        window =
            az_arena_printf(a, "%lld %.*s", (long long)az_xtrace(t)->origin_ns, AZ_SVF(window));
    int rc = window.p ? list_gone(c, log) : az_arena_error(a);
    if (rc == 0)
        rc = copy_message(c, bytes, PLANES, &out);
    if (rc == 0)
        rc = put_bytes_field(&out, AZ_XPLANE_WINDOW_FIELD, window.p, window.n);
    if (rc == 0)
        rc = write_file(c->job, &out);
    az_vec_release(&out);
    return rc;
}

int az_xplane_write_cut(struct az_cut *job, const struct az_trace *t, const struct az_cut_log *log)
{
    const struct az_source_opts so = { .mem = job->mem, .diag = job->diag };
    struct cutting c = { .job = job };
    struct az_source *src = NULL;
    struct az_arena a;
    struct az_sv bytes;
    az_arena_init(&a, job->mem);
    int rc = az_source_open(&src, job->in.p, &so);
    if (rc == 0)
        rc = az_source_all(src, &a, 0, &bytes);
    if (rc == 0)
        rc = copy_file(&c, t, log, bytes, &a);
    if (rc == 0)
        az_cut_count(job, log);
    az_source_close(src);
    az_map_release(&c.gone);
    az_arena_release(&a);
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
    while (az_protobuf_next(&m, &field, &wire, &v, &b) > 0) {
        if (field != AZ_XPLANE_WINDOW_FIELD || wire != AZ_PROTOBUF_BYTES)
            continue;
        const struct az_sv origin = az_sv_cut(&b, ' ');
        return az_parse_i64(origin, &r->origin_ns) == 0 ? az_cut_spans_read(r->t, b) : AZ_OK;
    }
    return AZ_OK;
}
