/* A PyTorch trace read through: see the header. */
#include "formats/pytorch/pytorch_document.h"

#include "io/source.h"

struct reading {
    const struct az_pytorch_document *d;
    struct az_source *src;
    struct az_jscan scan;
};

static int read_more(void *ctx, void *buf, size_t n, size_t *got)
{
    struct reading *r = ctx;
    *got = 0;
    return r->d->cancelled && r->d->cancelled() ? AZ_EINTR : az_source_read(r->src, buf, n, got);
}

static int read_events(struct reading *r)
{
    const struct az_pytorch_document *d = r->d;
    struct az_jarray a;
    if (d->events)
        d->events(d->ctx, false);
    const int rc = az_jscan_records(&r->scan, d->record, d->ctx, false, &a);
    if (d->events)
        d->events(d->ctx, true);
    if (rc == AZ_JSON_OK && (a.truncated || a.malformed) && d->reports_damage)
        az_diag_add(d->diag, AZ_WARNING, AZ_AT_FILE(az_sv_str(d->path)),
                    "damaged: %llu places with malformed JSON%s; whole events are kept",
                    (unsigned long long)a.malformed, a.truncated ? ", truncated" : "");
    return rc == AZ_JSON_OK && a.truncated ? AZ_JSON_END : rc;
}

static int read_member(struct reading *r, struct az_sv key)
{
    if (az_sv_is(key, "traceEvents"))
        return read_events(r);
    return r->d->member ? r->d->member(r->d->ctx, &r->scan, key) : az_jscan_skip_value(&r->scan);
}

static int read_document(struct reading *r)
{
    bool first = true;
    struct az_sv key;
    const int c = az_jscan_peek(&r->scan);
    if (c == '[')
        return read_events(r);
    if (c <= 0)
        return c ? c : AZ_EEMPTY;
    int rc = az_jscan_byte(&r->scan, '{');
    while (rc == AZ_JSON_OK) {
        rc = az_jscan_member(&r->scan, &first, &key);
        if (rc == AZ_JSON_OK)
            rc = read_member(r, key);
    }
    return rc;
}

int az_pytorch_document_read(const struct az_pytorch_document *d)
{
    const struct az_source_opts so = { .mem = d->mem, .diag = d->diag, .keeps_parts = true };
    struct reading r = { .d = d };
    int rc = az_source_open(&r.src, d->path, &so);
    if (rc)
        return rc;
    rc = az_jscan_init(&r.scan, read_more, &r, 0, d->mem);
    if (rc == 0) {
        rc = read_document(&r);
        const struct az_where here = AZ_AT_OFFSET(az_sv_str(d->path), az_jscan_offset(&r.scan));
        if (rc == AZ_JSON_BAD || rc == AZ_JSON_MORE)
            rc = az_diag_fail(d->diag, AZ_EFORMAT, here, "malformed JSON; nothing was written");
        rc = rc == AZ_JSON_END ? AZ_OK : rc;
    }
    az_jscan_release(&r.scan);
    az_source_close(r.src);
    return rc;
}
