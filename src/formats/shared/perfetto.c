/* Packets of a Perfetto trace, one by one (docs/formats-rocprof.md 7.2). */
#include "formats/shared/perfetto.h"

#include <inttypes.h>

#define MAX_PACKET ((size_t)256 << 20)
#define WINDOW     ((size_t)256 << 10)
#define FEW                                                                                        \
    ((size_t)100) /* bytes read at once in a build that moves buffers, or as many as are needed */
#define MAX_NESTED 2 /* compressed packets within compressed packets */

enum { PACKET = 1 };

bool az_perfetto_zstd(struct az_sv packet) { return az_sv_starts(packet, AZ_SV("\xaa\x08")); }

/* A packet whose content is damaged is skipped and counted. */
static int one_packet(struct az_perfetto *w, struct az_sv bytes, int64_t offset)
{
    if (az_perfetto_zstd(bytes)) {
        w->packets++;
        w->zstd++;
        return 0;
    }
    const int rc = w->packet(w->ctx, bytes, offset);
    w->packets++;
    if (rc != AZ_EFORMAT)
        return rc;
    if (w->job->opts->strict)
        return az_diag_fail(w->job->diag, rc, AZ_AT_OFFSET(w->path, offset), "damaged packet");
    w->damaged++;
    return 0;
}

/* Packets of a compressed one. */
static int packets(struct az_perfetto *w, struct az_sv bytes, int64_t offset)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    uint32_t field;
    unsigned wt;
    uint64_t value;
    struct az_sv part = AZ_SV("");
    int rc = 0;
    while (rc == 0 && (rc = az_protobuf_next(&m, &field, &wt, &value, &part)) > 0)
        rc = field == PACKET && wt == AZ_PROTOBUF_BYTES ? one_packet(w, part, offset) : 0;
    return rc;
}

int az_perfetto_compressed(struct az_perfetto *w, struct az_sv bytes, int64_t offset)
{
    struct az_vec_char out;
    if (w->nested == MAX_NESTED)
        return AZ_EFORMAT;
    az_vec_init(&out, w->job->mem);
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

/* Puts the window into another block with room for `more` bytes, in a build that moves buffers. */
static int move_window(struct az_perfetto *w, size_t more)
{
    char *v = az_mem_move(w->window.v, w->window.n, w->window.n + more);
    if (!v)
        return AZ_ENOMEM;
    w->window.v = v;
    return 0;
}

/* Makes `need` bytes available at the cursor, or as many as there are. */
static int refill(struct az_perfetto *w, size_t need)
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
        rc = move_window(w, room - have);
    }
    while (rc == 0 && w->window.n < room && !w->eof) {
        size_t got = 0;
        rc = az_source_read(w->src, w->window.v + w->window.n, room - w->window.n, &got);
        w->window.n += got;
        if (rc == AZ_EFORMAT) { /* gzip that breaks off: what came before is used */
            w->source_error = rc;
            rc = 0;
            got = 0;
        }
        w->eof = rc == 0 && got == 0;
    }
    return rc;
}

static int truncated(struct az_perfetto *w)
{
    struct az_parse *job = w->job;
    struct az_where at = AZ_AT_OFFSET(w->path, w->base + (int64_t)w->at);
    if (w->packets == 0)
        return az_diag_fail(job->diag, AZ_EFORMAT, at,
                            "not a Perfetto trace, or truncated in its first packet");
    if (job->opts->strict)
        return az_diag_fail(job->diag, AZ_EFORMAT, at, "truncated after %" PRIu64 " packets",
                            w->packets);
    az_diag_add(job->diag, AZ_WARNING, at,
                "truncated or damaged: %" PRIu64 " packets before it read, the rest is missing",
                w->packets);
    az_trace_truncated(w->job->trace, "file truncated (packets after the end are unknown)");
    return 0;
}

/* One top-level field; 1: another may follow, 0: end. */
static int next_packet(struct az_perfetto *w)
{
    int rc = AZ_MOVES ? move_window(w, 0) : 0; /* of the last packet nothing is used */
    if (rc == 0)
        rc = refill(w, 32);
    if (rc || w->at == w->window.n)
        return rc;
    struct az_protobuf m = az_protobuf_of(az_sv_make(w->window.v + w->at, w->window.n - w->at));
    uint64_t tag, length;
    if (az_protobuf_varint(&m, &tag) != 0)
        return truncated(w);
    if ((tag & 7) != AZ_PROTOBUF_BYTES) { /* nothing but packets is expected; numbers are skipped */
        uint32_t field;
        unsigned wt;
        struct az_sv part = AZ_SV("");
        m = az_protobuf_of(az_sv_make(w->window.v + w->at, w->window.n - w->at));
        rc = az_protobuf_next(&m, &field, &wt, &length, &part);
        if (rc <= 0)
            return truncated(w);
        w->at = (size_t)((const char *)m.p - w->window.v);
        return 1;
    }
    if (az_protobuf_varint(&m, &length) != 0)
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
        rc = one_packet(w, body, w->base + (int64_t)w->at);
    w->at += head + (size_t)length;
    return rc ? rc : 1;
}

static int all_packets(struct az_perfetto *w)
{
    struct az_parse *job = w->job;
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

static int open_file(struct az_perfetto *w)
{
    const struct az_source_opts so = { .mem = w->job->mem,
                                       .diag = w->job->diag,
                                       .digest = w->digest,
                                       .keeps_parts = !w->job->opts->strict };
    return az_source_open(&w->src, w->path.p, &so);
}

int az_perfetto_read(struct az_perfetto *w)
{
    int rc = open_file(w);
    if (rc)
        return rc;
    az_vec_init(&w->window, w->job->mem);
    rc = az_vec_reserve(&w->window, WINDOW);
    if (rc == 0)
        rc = all_packets(w);
    if (rc == 0 && w->damaged) {
        az_diag_add(w->job->diag, AZ_WARNING, AZ_AT_FILE(w->path),
                    "%" PRIu64 " damaged packet(s) skipped", w->damaged);
        az_trace_dropped(w->job->trace, AZ_DROP_LOST, "damaged packets", w->damaged, 0);
    }
    if (rc == 0 && w->zstd) {
        az_diag_add(w->job->diag, AZ_WARNING, AZ_AT_FILE(w->path),
                    "%" PRIu64 " packet(s) compressed with zstd skipped; decompress them with "
                    "'traceconv decompress_packets'",
                    w->zstd);
        az_trace_dropped(w->job->trace, AZ_DROP_LOST, "packets compressed with zstd, not supported",
                         w->zstd, 0);
    }
    az_vec_release(&w->window);
    az_source_close(w->src);
    return rc;
}
