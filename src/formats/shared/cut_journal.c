/* Events of a file as differences to those before them, as varints: see the header. */
#include "formats/shared/cut_journal.h"

#include "text/protowire.h"

/* A record: its head, the bytes since the last one and its own, and its events: kind, lane unless
 * it is that of the event before, start, length, correlation id. */
enum { FEW = 7, OUTSIDE = 8, SEVERAL = 16, APART = 32 }; /* of a head; FEW: more events follow */
#define SAME_LANE 0x80u
/* Ends a record of sums, so that those of a window are not kept for one of them. */
#define SUMS_MOST     256
#define REPLAY_CANCEL 65536 /* records between two checks */

void az_cut_journal_init(struct az_cut_journal *j, struct az_mem *mem)
{
    *j = (struct az_cut_journal){ .to = 0 };
    az_vec_init(&j->bytes, mem);
    az_vec_init(&j->last, mem);
    az_vec_init(&j->events, mem);
    az_vec_init(&j->lanes, mem);
}

void az_cut_journal_release(struct az_cut_journal *j)
{
    az_vec_release(&j->bytes);
    az_vec_release(&j->last);
    az_vec_release(&j->events);
    az_vec_release(&j->lanes);
}

/* ---- writing ---- */

static int last_of(struct az_cut_journal_lanes *last, uint32_t lane,
                   struct az_cut_journal_lane **of)
{
    int rc = AZ_OK;
    while (rc == 0 && last->n <= lane)
        rc = az_vec_push(last, ((struct az_cut_journal_lane){ 0, 0 }));
    *of = rc ? NULL : &last->v[lane];
    return rc;
}

static int put_event(struct az_cut_journal *j, const struct az_cut_journal_event *e, uint32_t *lane)
{
    const bool same = e->lane == *lane;
    struct az_cut_journal_lane *last;
    int rc = last_of(&j->last, e->lane, &last);
    if (rc == 0)
        rc = az_vec_reserve(&j->bytes, 1 + 4 * AZ_PROTOBUF_VARINT);
    if (rc)
        return rc;
    uint8_t *p = j->bytes.v + j->bytes.n;
    *p++ = (uint8_t)((unsigned)e->kind | (same ? SAME_LANE : 0));
    p = same ? p : az_protobuf_put_varint(p, e->lane);
    p = az_protobuf_put_zigzag(p, (uint64_t)e->start - (uint64_t)last->start);
    p = az_protobuf_put_varint(p, (uint64_t)e->end - (uint64_t)e->start);
    p = az_protobuf_put_zigzag(p, e->corr - last->corr);
    j->bytes.n = (size_t)(p - j->bytes.v);
    *last = (struct az_cut_journal_lane){ e->start, e->corr };
    *lane = e->lane;
    return AZ_OK;
}

static int put_record(struct az_cut_journal *j, const struct az_cut_journal_record *r,
                      const struct az_cut_journal_event *e, size_t n)
{
    uint32_t lane = 0;
    int rc = az_vec_reserve(&j->bytes, 1 + 4 * AZ_PROTOBUF_VARINT);
    if (rc)
        return rc;
    uint8_t *p = j->bytes.v + j->bytes.n;
    *p++ = (uint8_t)((n < FEW ? n : FEW) | (r->outside ? OUTSIDE : 0) |
                     (r->count > 1 ? SEVERAL : 0) | (r->apart ? APART : 0));
    p = n < FEW ? p : az_protobuf_put_varint(p, n);
    p = r->count > 1 ? az_protobuf_put_varint(p, r->count) : p;
    p = az_protobuf_put_varint(p, r->from - j->to);
    p = az_protobuf_put_varint(p, r->to - r->from);
    j->bytes.n = (size_t)(p - j->bytes.v);
    j->to = r->to;
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = put_event(j, &e[i], &lane);
    return rc;
}

static int put_sums(struct az_cut_journal *j)
{
    const int rc = j->sums.count ? put_record(j, &j->sums, &j->sum, 1) : AZ_OK;
    j->sums.count = 0;
    return rc;
}

/* Is the record a sum, which became part of those before it? */
static bool join_sums(struct az_cut_journal *j, const struct az_cut_journal_record *r)
{
    const struct az_cut_journal_event *e = j->events.v;
    if (!j->sums.count || j->sums.count >= SUMS_MOST || j->sum.lane != e->lane)
        return false;
    j->sums.apart |= r->from > j->sums.to + 1;
    j->sums.to = r->to;
    j->sums.count++;
    j->sum.start = e->start < j->sum.start ? e->start : j->sum.start;
    j->sum.end = e->end > j->sum.end ? e->end : j->sum.end;
    return true;
}

static int add_record(void *ctx, uint64_t from, uint64_t to)
{
    struct az_cut_journal *j = ctx;
    const struct az_cut_journal_record r = {
        .from = from,
        .to = to,
        .count = 1,
        .outside = !j->events.n && (j->log->what.v[0] & AZ_RECORD_EVENT),
    };
    const bool sum = j->events.n == 1 && j->events.v[0].kind == AZ_GAP_FRAME;
    int rc = AZ_OK;
    if (to && !(sum && join_sums(j, &r))) {
        rc = put_sums(j);
        if (rc == 0 && sum) {
            j->sums = r;
            j->sum = j->events.v[0];
        } else if (rc == 0) {
            rc = put_record(j, &r, j->events.v, j->events.n);
        }
    }
    az_vec_reset(&j->events);
    j->log->what.v[0] = 0;
    return rc;
}

static int add_event(void *ctx, enum az_kind kind, const struct az_event *e)
{
    struct az_cut_journal *j = ctx;
    const struct az_cut_journal_event x = { kind, e->lane, e->start, e->end, e->corr };
    const int rc = az_vec_push(&j->events, x);
    return rc ? rc : az_cut_log_sift(j->log, kind, j->t->lanes.v[e->lane].proc, e) ? 0 : 1;
}

int az_cut_journal_begin(struct az_cut_journal *j, struct az_trace *t, struct az_cut_log *log)
{
    j->t = t;
    j->log = log;
    log->pass = add_event;
    log->record = add_record;
    log->ctx = j;
    log->now = 1; /* the record that is being read, whichever */
    return az_vec_push(&log->what, 0);
}

int az_cut_journal_end(struct az_cut_journal *j)
{
    struct az_cut_log *log = j->log;
    int rc = put_sums(j);
    log->pass = NULL;
    log->record = NULL;
    log->now = 0;
    for (size_t i = 0; rc == 0 && i < j->t->lanes.n; i++) {
        struct az_lane lane = j->t->lanes.v[i];
        lane.label = AZ_NO_ID; /* of the names of that trace */
        rc = az_vec_push(&j->lanes, lane);
    }
    az_vec_release(&j->last);
    az_vec_release(&j->events);
    return rc;
}

/* ---- reading ---- */

struct reader {
    struct az_protobuf m;
    struct az_cut_journal_lanes last;
    struct az_trace *t;
    struct az_cut_log *log;
    uint64_t to;
    bool bad;
};

static uint64_t varint(struct reader *r)
{
    uint64_t v = 0;
    r->bad |= az_protobuf_varint(&r->m, &v) != 0;
    return v;
}

static int replay_event(struct reader *r, uint32_t *lane)
{
    struct az_event e = { .name = AZ_NO_ID, .side = AZ_NO_ROW };
    struct az_cut_journal_lane *last;
    const unsigned head = *r->m.p++;
    *lane = head & SAME_LANE ? *lane : (uint32_t)varint(r);
    const int rc =
        r->bad || *lane >= r->t->lanes.n ? AZ_EINTERNAL : last_of(&r->last, *lane, &last);
    if (rc)
        return rc;
    e.lane = *lane;
    e.start = (int64_t)((uint64_t)last->start + (uint64_t)az_protobuf_zigzag(varint(r)));
    e.end = (int64_t)((uint64_t)e.start + varint(r));
    e.corr = last->corr + (uint64_t)az_protobuf_zigzag(varint(r));
    *last = (struct az_cut_journal_lane){ e.start, e.corr };
    return r->bad ? AZ_EINTERNAL : az_trace_add(r->t, (enum az_kind)(head & ~SAME_LANE), &e);
}

static int replay_record(struct reader *r)
{
    const unsigned head = *r->m.p++;
    const size_t n = (head & FEW) < FEW ? head & FEW : (size_t)varint(r);
    const uint32_t count = head & SEVERAL ? (uint32_t)varint(r) : 1;
    const uint64_t from = r->to + varint(r), to = from + varint(r);
    uint32_t lane = 0;
    int rc = r->bad ? AZ_EINTERNAL : az_cut_log_begin(r->log, from, to);
    if (rc)
        return rc;
    r->log->count.v[r->log->count.n - 1] = count;
    if (head & APART)
        r->log->what.v[r->log->now - 1] |= AZ_RECORD_APART;
    if (head & OUTSIDE)
        (void)az_cut_log_event(r->log);
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = r->m.p < r->m.end ? replay_event(r, &lane) : AZ_EINTERNAL;
    if (rc == 0)
        az_cut_log_end(r->log, to);
    r->to = to;
    return rc;
}

int az_cut_journal_replay(const struct az_cut_journal *j, struct az_trace *t,
                          struct az_cut_log *log, bool (*cancelled)(void))
{
    struct reader r = { .m = az_protobuf_of(az_sv_make((const char *)j->bytes.v, j->bytes.n)),
                        .t = t,
                        .log = log };
    int rc = AZ_OK;
    az_vec_init(&r.last, j->bytes.mem);
    for (int k = 0; k < AZ_KIND_COUNT; k++)
        az_trace_columns(t, (enum az_kind)k, AZ_COL_CORR);
    for (size_t i = 0; rc == 0 && i < j->lanes.n; i++)
        rc = az_vec_push(&t->lanes, j->lanes.v[i]);
    for (size_t i = 1; rc == 0 && r.m.p < r.m.end; i++) {
        rc = replay_record(&r);
        if (rc == 0 && i % REPLAY_CANCEL == 0 && cancelled && cancelled())
            rc = AZ_EINTR;
    }
    log->now = 0;
    az_vec_release(&r.last);
    return rc;
}
