/* The journal of a file that is cut has its records and events again, whatever their numbers. */
#include "unit/analyses_trace.h"

#include "formats/shared/cut_journal.h"
#include "model/cut_sieve.h"

enum { RECORDS = 3000, LANES = 300, SUMS = 256 };

struct record {
    uint64_t from, to;
    size_t first, n; /* events */
    uint32_t count;
    bool outside, apart;
};

/* What is written, or read again. */
struct contents {
    struct record *records;
    size_t n;
    struct az_cut_journal_events events;
    const struct az_cut_log *log;
    bool cancelled;
};

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static uint64_t random_bits(void) { return random_below(1u << 31) << 33 ^ random_below(1u << 31); }

/* Mostly near the last one, sometimes as far as times go. */
static int64_t random_time(int64_t last)
{
    switch (random_below(20)) {
    case 0:
        return AZ_TIME_MAX - (int64_t)random_below(9);
    case 1:
        return -AZ_TIME_MAX + (int64_t)random_below(9);
    default:
        last = last > AZ_TIME_MAX / 2 || last < -AZ_TIME_MAX / 2 ? 0 : last;
        return last + (int64_t)random_below(1u << 24) - (1 << 20);
    }
}

static struct az_cut_journal_event random_event(int64_t last)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_CALL, AZ_RANGE, AZ_GPU_RANGE, AZ_MODULE };
    const uint64_t corr = random_below(4) ? random_below(1000) : random_bits();
    struct az_cut_journal_event e = { kinds[random_below(5)], (uint32_t)random_below(LANES),
                                      random_time(last), 0, corr };
    const int64_t room = AZ_TIME_MAX - e.start, length = (int64_t)random_below(1u << 30);
    e.end = e.start + (length < room ? length : room);
    return e;
}

static void add_event(struct az_trace *t, const struct az_cut_journal_event *x)
{
    const struct az_event e = { .start = x->start,
                                .end = x->end,
                                .lane = x->lane,
                                .corr = x->corr,
                                .name = AZ_NO_ID,
                                .side = AZ_NO_ROW };
    assert_int_equal(az_trace_add(t, x->kind, &e), 0);
}

/* The next record of the contents: sums of a lane become one. */
static void expect(struct contents *c, const struct record *r, const struct az_cut_journal_event *e)
{
    struct record *last = c->n ? &c->records[c->n - 1] : NULL;
    struct az_cut_journal_event *sum = last && last->n ? &c->events.v[last->first] : NULL;
    if (r->n == 1 && e->kind == AZ_GAP_FRAME && last && last->n == 1 && sum->kind == AZ_GAP_FRAME &&
        sum->lane == e->lane && last->count < SUMS) {
        last->apart |= r->from > last->to + 1;
        last->to = r->to;
        last->count++;
        sum->start = e->start < sum->start ? e->start : sum->start;
        sum->end = e->end > sum->end ? e->end : sum->end;
        return;
    }
    c->records[c->n] = *r;
    c->records[c->n++].first = c->events.n;
    for (size_t i = 0; i < r->n; i++)
        assert_int_equal(az_vec_push(&c->events, e[i]), 0);
}

static void write_record(struct az_trace *t, struct az_cut_log *log, struct contents *c,
                         struct record r, const struct az_cut_journal_event *e)
{
    for (size_t i = 0; i < r.n; i++)
        add_event(t, &e[i]);
    if (r.outside)
        (void)az_cut_log_event(log);
    if (r.n > 1 && random_below(30) == 0) { /* a record that is not whole */
        assert_int_equal(log->record(log->ctx, r.from, 0), 0);
        return;
    }
    assert_int_equal(log->record(log->ctx, r.from, r.to), 0);
    expect(c, &r, e);
}

static void write_records(struct az_trace *t, struct az_cut_log *log, struct contents *c)
{
    struct az_cut_journal_event e[40];
    uint64_t at = 0, sums = 0;
    int64_t last = 0;
    bool empty = true;
    for (size_t i = 0; i < RECORDS; i++) {
        struct record r = { .count = 1 };
        sums = sums ? sums - 1 : random_below(300) == 0 ? random_below(700) : 0;
        r.from = at + (random_below(9) ? 1 : random_below(1u << 20));
        r.to = at = r.from + 2 + random_below(random_below(9) ? 200 : UINT64_C(1) << 40);
        r.n = sums || empty ? 1 : random_below(9) ? random_below(3) : random_below(40);
        for (size_t k = 0; k < r.n; k++)
            e[k] = random_event(last);
        if (sums) {
            e[0].kind = AZ_GAP_FRAME;
            e[0].lane = (uint32_t)(sums / 300);
        }
        last = r.n ? e[0].start : last;
        empty = !r.n; /* of two that follow each other the log makes one */
        r.outside = !r.n && random_below(2);
        write_record(t, log, c, r, e);
    }
}

/* Of the second reading: each record is one of the log. */
static int collect(void *ctx, enum az_kind kind, const struct az_event *e)
{
    struct contents *c = ctx;
    struct az_cut_log *log = (struct az_cut_log *)(uintptr_t)c->log;
    const struct az_cut_journal_event x = { kind, e->lane, e->start, e->end, e->corr };
    log->stored = true;
    assert_int_equal(az_vec_push(&c->events, x), 0);
    return 0;
}

static void assert_records(const struct contents *c, const struct az_cut_log *log)
{
    assert_int_equal(log->what.n, c->n);
    for (size_t i = 0; i < c->n; i++) {
        const struct record *r = &c->records[i];
        assert_int_equal(log->from.v[i], r->from);
        assert_int_equal(log->to.v[i], r->to);
        assert_int_equal(az_cut_log_count(log, i), r->count);
        assert_int_equal(log->what.v[i],
                         (r->outside ? AZ_RECORD_EVENT : 0) | (r->apart ? AZ_RECORD_APART : 0));
    }
}

static void assert_events(const struct az_cut_journal_events *a,
                          const struct az_cut_journal_events *b)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->v[i].kind, b->v[i].kind);
        assert_int_equal(a->v[i].lane, b->v[i].lane);
        assert_int_equal(a->v[i].start, b->v[i].start);
        assert_int_equal(a->v[i].end, b->v[i].end);
        assert_int_equal(a->v[i].corr, b->v[i].corr);
    }
}

static void begin(struct az_trace *t, struct az_cut_log *log, struct az_sieve *s,
                  struct az_mem *mem)
{
    new_trace(t, mem);
    az_cut_log_init(log, mem);
    log->sieve = s;
    t->cut_log = log;
}

static void write_journal(struct az_cut_journal *j, struct az_sieve *s, struct contents *c,
                          struct az_mem *mem)
{
    struct az_trace t;
    struct az_cut_log log;
    begin(&t, &log, s, mem);
    for (uint32_t i = 0; i < LANES; i++) {
        const struct az_lane lane = { .tid = i, .proc = i / 9, .label = i };
        uint32_t index;
        assert_int_equal(az_trace_lane(&t, &lane, &index), 0);
    }
    assert_int_equal(az_cut_journal_begin(j, &t, &log), 0);
    write_records(&t, &log, c);
    log.now = 0;
    assert_int_equal(az_cut_journal_end(j), 0);
    assert_null(log.pass);
    assert_null(log.record);
    az_cut_log_release(&log);
    az_trace_release(&t);
}

static bool cancel(void) { return true; }

static void records_again(void **state)
{
    static const struct az_window window = { .step = -1 };
    struct az_mem mem;
    (void)state;
    az_mem_init(&mem, 0);
    for (seed = 1; seed <= 40; seed++) {
        const uint64_t this_seed = seed;
        struct az_trace t;
        struct az_cut_log log;
        struct az_sieve s;
        struct az_cut_journal j;
        static struct record records[RECORDS];
        struct contents c = { .records = records }, d = { .log = &log };
        az_vec_init(&c.events, &mem);
        az_vec_init(&d.events, &mem);
        az_sieve_init(&s, &window, &mem);
        az_cut_journal_init(&j, &mem);
        write_journal(&j, &s, &c, &mem);
        s.finding = false;
        begin(&t, &log, &s, &mem);
        log.pass = collect;
        log.ctx = &d;
        assert_int_equal(az_cut_journal_replay(&j, &t, &log, cancel), 0); /* not so many records */
        az_cut_log_settle(&log);
        assert_records(&c, &log);
        assert_events(&c.events, &d.events);
        assert_int_equal(t.lanes.n, LANES);
        assert_int_equal(t.lanes.v[20].proc, 2);
        assert_int_equal(t.lanes.v[20].label, AZ_NO_ID);
        az_cut_log_release(&log);
        az_trace_release(&t);
        az_cut_journal_release(&j);
        az_sieve_release(&s);
        az_vec_release(&c.events);
        az_vec_release(&d.events);
        seed = this_seed;
    }
    assert_int_equal(mem.used, 0);
}

/* A kernel and its call take some 15 bytes each, and sums that follow each other one event. */
static void bytes_of_events(void **state)
{
    static const struct az_window window = { .step = -1 };
    struct az_mem mem;
    struct az_trace t;
    struct az_cut_log log;
    struct az_sieve s;
    struct az_cut_journal j;
    (void)state;
    az_mem_init(&mem, 0);
    az_sieve_init(&s, &window, &mem);
    az_cut_journal_init(&j, &mem);
    begin(&t, &log, &s, &mem);
    for (uint32_t i = 0; i < 3; i++) {
        const struct az_lane lane = { .tid = i };
        uint32_t index;
        assert_int_equal(az_trace_lane(&t, &lane, &index), 0);
    }
    assert_int_equal(az_cut_journal_begin(&j, &t, &log), 0);
    for (int64_t i = 0; i < 100000; i++) { /* one for the check of interrupts, too */
        const uint32_t lane = (uint32_t)(i & 1);
        const int64_t start = i / 2 * 3000000;
        const struct az_cut_journal_event e = { lane ? AZ_KERNEL : AZ_CALL, lane, start,
                                                start + 2500000, (uint64_t)(i / 2 + 1) };
        add_event(&t, &e);
        assert_int_equal(log.record(log.ctx, (uint64_t)i * 201 + 1, (uint64_t)i * 201 + 201), 0);
    }
    assert_true(j.bytes.n < 100000 * 16);
    const size_t before = j.bytes.n;
    for (int64_t i = 0; i < SUMS; i++) {
        const struct az_cut_journal_event e = { AZ_GAP_FRAME, 2, i * 1000, i * 1000 + 900, 1 };
        const uint64_t from = UINT64_C(100000) * 201 + (uint64_t)i * 101 + 1;
        add_event(&t, &e);
        assert_int_equal(log.record(log.ctx, from, from + 100), 0);
    }
    assert_int_equal(j.bytes.n, before);
    log.now = 0;
    assert_int_equal(az_cut_journal_end(&j), 0);
    assert_true(j.bytes.n < before + 24);
    az_cut_log_release(&log);
    az_trace_release(&t);
    assert_int_equal(az_sieve_settle(&s), 0);
    begin(&t, &log, &s, &mem);
    assert_int_equal(az_cut_journal_replay(&j, &t, &log, cancel), AZ_EINTR);
    az_cut_log_release(&log);
    az_trace_release(&t);
    az_cut_journal_release(&j);
    az_sieve_release(&s);
    assert_int_equal(mem.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(records_again),
                                        cmocka_unit_test(bytes_of_events) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
