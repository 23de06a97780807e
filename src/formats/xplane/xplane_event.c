/* XPlane: events of a line, and their stats. Nearly all are as profilers write them, which is read
 * without the general reader of fields; any other form that the wire format allows is read by it.
 */
#include "formats/xplane/xplane.h"
#include "model/window.h"

enum {
    META = 1 << 3 | AZ_PROTOBUF_INT,
    OFFSET = 2 << 3 | AZ_PROTOBUF_INT,
    DURATION = 3 << 3 | AZ_PROTOBUF_INT
};

/* A stat as profilers write it: short, its id first. Passes over it; false for any other form. */
static inline bool plain_stat(const struct az_xplane *r, struct az_protobuf *m,
                              struct az_xplane_event *e)
{
    const uint8_t *p = m->p;
    unsigned id;
    if (m->end - p < 4 || p[0] != (4 << 3 | AZ_PROTOBUF_BYTES) || p[1] < 2 || p[1] >= 0x80 ||
        p[1] > m->end - p - 2 || p[2] != (1 << 3 | AZ_PROTOBUF_INT) ||
        !az_xplane_short_id(p + 3, p[1] - 1, &id))
        return false;
    if (r->look[id]) {
        e->look = true;
        e->mark = p;
        e->marks++;
    }
    m->p = p + 2 + p[1];
    return true;
}

static inline int other_field(struct az_protobuf *m, struct az_xplane_event *e)
{
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v = 0;
    const uint8_t *at = m->p;
    const int rc = az_protobuf_next(m, &field, &wire, &v, &b);
    if (rc <= 0)
        return rc;
    if (field == 4 && wire == AZ_PROTOBUF_BYTES) {
        e->stats.p = e->stats.p == m->end ? at : e->stats.p;
        e->look = e->odd = true;
    } else if (field <= 3 && wire == AZ_PROTOBUF_INT) { /* its tag in more bytes than needed */
        e->odd = true;
        *(field == 1   ? &e->meta
          : field == 2 ? (uint64_t *)&e->offset
                       : (uint64_t *)&e->duration) = v;
    }
    return rc;
}

/* One of the numbers of an event; false for any other field. */
static inline bool plain_number(struct az_protobuf *m, struct az_xplane_event *e, int *rc)
{
    const unsigned tag = m->p < m->end ? *m->p : 0;
    uint64_t v = 0;
    if (tag != META && tag != OFFSET && tag != DURATION)
        return false;
    m->p++;
    *rc = az_protobuf_varint(m, &v) == 0 ? 1 : AZ_EFORMAT;
    if (tag == META)
        e->meta = v;
    else if (tag == OFFSET)
        e->offset = (int64_t)v;
    else
        e->duration = (int64_t)v;
    return true;
}

int az_xplane_event_stats(struct az_xplane *r, struct az_xplane_event *e)
{
    struct az_protobuf m = e->stats;
    int rc = 1;
    e->stats.p = m.end;
    while (rc > 0 && m.p < m.end) {
        const uint8_t *at = m.p;
        if (plain_number(&m, e, &rc)) {
            e->odd |= e->stats.p != e->stats.end; /* what is equal after it is not the whole */
        } else if (plain_stat(r, &m, e)) {
            e->stats.p = e->stats.p == m.end ? at : e->stats.p;
            while (plain_stat(r, &m, e))
                ;
        } else {
            rc = other_field(&m, e);
        }
    }
    return rc < 0 ? az_xplane_bad(r, m.p, "an event") : 1;
}

/* Of the events of a line; what else is in the file is read again. */
void az_xplane_used(struct az_xplane *r, const uint8_t *to)
{
    if (r->used < to)
        az_map_used(&r->map, (const char *)r->used, (const char *)to);
    r->used = to;
}

/* The number after this tag, if it is there: what is after it. */
static inline const uint8_t *number(const uint8_t *p, const uint8_t *end, unsigned tag, uint64_t *v)
{
    uint64_t x = 0;
    if (p >= end || *p != tag) /* eight bytes are there from the end on, not from later */
        return p;
    if (p[1] < 0x80 && p + 2 <= end) {
        *v = p[1];
        return p + 2;
    }
    const unsigned n = az_protobuf_varint_word(p + 1, &x);
    if (n == 0 || p + 1 + n > end)
        return p;
    *v = x;
    return p + 1 + n;
}

/* An event of fewer than 16384 bytes, next in its line. */
static inline bool plain_event(struct az_protobuf *line, struct az_protobuf *event)
{
    const uint8_t *p = line->p;
    if (line->end - p < 3 || p[0] != (4 << 3 | AZ_PROTOBUF_BYTES) || (p[1] >= 0x80 && p[2] >= 0x80))
        return false;
    const ptrdiff_t n = p[1] < 0x80 ? p[1] : (p[1] & 0x7f) | (ptrdiff_t)p[2] << 7;
    p += p[1] < 0x80 ? 2 : 3;
    if (n > line->end - p)
        return false;
    *event = (struct az_protobuf){ p, p + n, 0 };
    line->p = p + n;
    return true;
}

static int other_event(struct az_xplane *r, struct az_protobuf *line, struct az_protobuf *event,
                       const uint8_t **tag)
{
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v;
    int rc;
    while (*tag = line->p, (rc = az_protobuf_next(line, &field, &wire, &v, &b)) > 0) {
        if (field == 4 && wire == AZ_PROTOBUF_BYTES) {
            *event = az_protobuf_of(b);
            return 1;
        }
    }
    return rc < 0 ? az_xplane_bad(r, line->p, "a line") : 0;
}

/* The next one that the pass reads. */
static int event_of_pass(struct az_xplane *r, struct az_protobuf *line, struct az_protobuf *event)
{
    const uint8_t *tag;
    for (;;) {
        line->p = az_xplane_pass_over(r->passes, line->p);
        tag = line->p;
        if (plain_event(line, event))
            break;
        const int rc = other_event(r, line, event, &tag);
        if (rc <= 0)
            return rc;
        const uint8_t *over = az_xplane_pass_over(r->passes, tag);
        if (over == tag)
            break;
        line->p = over;
    }
    const int rc = az_xplane_pass_event(r->passes, tag, event->end);
    return rc ? rc : 1;
}

int az_xplane_event_numbers(struct az_xplane *r, struct az_protobuf *line,
                            struct az_xplane_event *e)
{
    struct az_protobuf m;
    if (line->p - r->used > AZ_XPLANE_USED || line->p < r->used)
        az_xplane_used(r, line->p);
    if (r->passes && r->t->cut_log) {
        const int rc = event_of_pass(r, line, &m);
        if (rc <= 0)
            return rc;
    } else if (!plain_event(line, &m)) {
        const uint8_t *tag;
        const int rc = other_event(r, line, &m, &tag);
        if (rc <= 0)
            return rc;
    }
    if (!r->passes && r->t->cut_log) {
        const int rc = az_cut_log_begin(r->t->cut_log, az_xplane_offset(&r->block, m.p),
                                        az_xplane_offset(&r->block, m.end));
        if (rc)
            return rc;
    }
    *e = (struct az_xplane_event){ .meta = 0 };
    if (az_xplane_wide(r, m.end)) {
        m.p = number(m.p, m.end, META, &e->meta);
        m.p = number(m.p, m.end, OFFSET, (uint64_t *)&e->offset);
        m.p = number(m.p, m.end, DURATION, (uint64_t *)&e->duration);
    }
    e->stats = m;
    return 1;
}

int az_xplane_next_event(struct az_xplane *r, struct az_protobuf *line, struct az_xplane_event *e)
{
    const int rc = az_xplane_event_numbers(r, line, e);
    return rc > 0 ? az_xplane_event_stats(r, e) : rc;
}

int az_xplane_stat(struct az_xplane *r, struct az_sv stat, struct az_xplane_value *out)
{
    struct az_protobuf m = az_protobuf_of(stat);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v = 0, id = 0;
    int rc;
    *out = (struct az_xplane_value){ .bytes = { "", 0 } };
    while ((rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0) {
        if (field == 1 && wire == AZ_PROTOBUF_INT) {
            id = v;
        } else if ((field == 3 || field == 4 || field == 7)
                       ? wire == AZ_PROTOBUF_INT
                       : field == 2 && wire == AZ_PROTOBUF_FIXED64) {
            out->kind = field;
            out->number = v;
        } else if ((field == 5 || field == 6) && wire == AZ_PROTOBUF_BYTES) {
            out->kind = field;
            out->bytes = b;
        }
    }
    if (rc < 0)
        return az_xplane_bad(r, m.p, "a stat");
    const uint32_t i = az_xplane_find(&r->stat_ids, id);
    out->role = i == AZ_NO_ID ? XP_NONE : r->stat_names.v[i].role;
    return 1;
}

int az_xplane_next_stat(struct az_xplane *r, struct az_protobuf *m, uint32_t field,
                        struct az_xplane_value *out)
{
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    int rc;
    unsigned id;
    if (az_xplane_short_stat(r, m, field, &id, out)) {
        const uint32_t i = az_xplane_find(&r->stat_ids, id);
        out->role = i == AZ_NO_ID ? XP_NONE : r->stat_names.v[i].role;
        return 1;
    }
    while ((rc = az_protobuf_next(m, &f, &wire, &v, &b)) > 0)
        if (f == field && wire == AZ_PROTOBUF_BYTES)
            return az_xplane_stat(r, b, out);
    return rc < 0 ? az_xplane_bad(r, m->p, "stats") : 0;
}
