/* A file that is cut in two readings: each record is kept that is kept where all events are
 * stored, for windows, ids, orders and distances in time at random. */
#include "unit/analyses_trace.h"

#include "model/cut_sieve.h"
#include "model/dispatch.h"

enum { MOST = 400 };

struct record {
    struct az_event e;
    enum az_kind kind;
    uint64_t process;
    const char *name;
};

struct program {
    struct record v[MOST];
    size_t n;
    uint64_t seed;
};

static uint64_t random_below(struct program *p, uint64_t n)
{
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    return (p->seed >> 33) % n;
}

static struct record *put(struct program *p, enum az_kind kind, uint64_t process, int64_t start,
                          int64_t length, uint64_t corr)
{
    struct record *r = &p->v[p->n++];
    *r = (struct record){ .kind = kind, .process = process, .name = "x" };
    r->e.start = start;
    r->e.end = start + length;
    r->e.corr = corr;
    return r;
}

/* Ids ascend, or are far apart, or some are missing, or several calls have one. */
static uint64_t id_of(struct program *p, unsigned ids, uint64_t i)
{
    switch (ids) {
    case 0:
        return i + 1;
    case 1:
        return (i + 1) * 977;
    case 2:
        return random_below(p, 4) ? i + 1 : 0;
    default:
        return i / 3 + 1;
    }
}

static void swap(struct record *a, struct record *b)
{
    const struct record x = *a;
    *a = *b;
    *b = x;
}

static void make_program(struct program *p, uint64_t seed)
{
    *p = (struct program){ .seed = seed };
    const unsigned ids = (unsigned)random_below(p, 4), processes = 1 + (unsigned)random_below(p, 2);
    const uint64_t delay = 1 + random_below(p, 400);
    const bool mixed = random_below(p, 2);
    int64_t at[2] = { 0, 5 };
    for (uint64_t i = 0; i < 90; i++) {
        const uint64_t who = random_below(p, processes), id = id_of(p, ids, i);
        if (i % 9 == 0)
            put(p, AZ_RANGE, who + 1, at[who], 40, 0)->name = i % 2 ? "forward" : "backward";
        if (random_below(p, 10))
            put(p, AZ_CALL, who + 1, at[who], 1 + (int64_t)random_below(p, 9), id);
        const enum az_kind kind = random_below(p, 8)   ? AZ_KERNEL
                                  : random_below(p, 2) ? AZ_MEMCPY
                                                       : AZ_SYNC;
        if (random_below(p, 5))
            put(p, kind, who + 1, at[who] + (int64_t)random_below(p, delay),
                (int64_t)random_below(p, 30), id);
        at[who] += 1 + (int64_t)random_below(p, 9);
    }
    for (size_t i = 0; mixed && i < p->n; i++)
        swap(&p->v[i], &p->v[random_below(p, p->n)]);
    const int64_t away = random_below(p, 3) ? 0 : (int64_t)1 << (30 + random_below(p, 12));
    for (size_t i = 0; away && i < p->n; i++) { /* some are seconds from the others */
        const int64_t by = random_below(p, 16) ? 0 : away + (int64_t)random_below(p, 9);
        p->v[i].e.start += by;
        p->v[i].e.end += by;
    }
}

static void begin(struct az_trace *t, struct az_cut_log *log, struct az_sieve *s,
                  const struct az_window *w, struct az_mem *mem)
{
    new_trace(t, mem);
    assert_int_equal(az_dispatches_init(t), 0);
    az_cut_log_init(log, mem);
    log->sieve = s;
    t->window = w;
    t->cut_log = log;
    for (int k = 0; k < AZ_KIND_COUNT; k++)
        az_trace_columns(t, (enum az_kind)k,
                         k == AZ_CALL || k <= AZ_GRAPH || k == AZ_SYNC ? AZ_COL_CORR : 0);
}

static void feed(struct az_trace *t, struct az_cut_log *log, const struct program *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct record *r = &p->v[i];
        struct az_event e = r->e;
        const struct az_lane lane = { .device_side = r->kind <= AZ_GRAPH || r->kind == AZ_SYNC,
                                      .proc = (uint32_t)r->process,
                                      .label = AZ_NO_ID };
        assert_int_equal(az_cut_log_begin(log, i * 10, 0), 0);
        e.name = az_trace_name(t, az_sv_str(r->name));
        assert_int_equal(az_trace_lane(t, &lane, &e.lane), 0);
        assert_int_equal(az_trace_add(t, r->kind, &e), 0);
        if (log->now)
            az_cut_log_end(log, i * 10 + 9);
    }
    log->now = 0;
}

static void add_whole(struct az_trace *t, struct az_cut_log *log, struct az_sieve *s)
{
    struct az_event whole = { .start = s->first, .end = s->last, .name = AZ_NO_ID };
    log->sieve = NULL;
    assert_int_equal(az_trace_add(t, AZ_OVERHEAD, &whole), 0);
    log->sieve = s;
}

/* One a record: is it gone? Returns the records of the log. */
static size_t list_gone(const struct az_cut_log *log, bool *gone)
{
    size_t n = 0;
    for (size_t i = 0; i < log->what.n; i++)
        for (uint32_t k = 0; k < az_cut_log_count(log, i); k++)
            gone[n++] = az_cut_log_is_gone(log, i);
    return n;
}

static size_t whole(const struct program *p, const struct az_window *w, bool *gone,
                    enum az_window_miss *miss, struct az_mem *mem)
{
    struct az_trace t;
    struct az_cut_log log;
    begin(&t, &log, NULL, w, mem);
    feed(&t, &log, p);
    assert_int_equal(az_trace_finalize(&t), 0);
    *miss = (enum az_window_miss)t.window_miss;
    const size_t n = list_gone(&log, gone);
    az_cut_log_release(&log);
    az_trace_release(&t);
    return n;
}

static size_t sifted(const struct program *p, const struct az_window *w, size_t most, bool *gone,
                     enum az_window_miss *miss, struct az_mem *mem)
{
    struct az_trace t;
    struct az_cut_log log;
    struct az_sieve s;
    size_t n = 0, stored = 0;
    az_sieve_init(&s, w, mem);
    s.most = most;
    begin(&t, &log, &s, w, mem);
    feed(&t, &log, p);
    add_whole(&t, &log, &s);
    assert_int_equal(az_trace_finalize(&t), 0);
    *miss = (enum az_window_miss)t.window_miss;
    if (*miss == AZ_WINDOW_FOUND) {
        assert_int_equal(az_sieve_settle(&s), 0);
        assert_true(s.pages.n <= most + 1); /* processes are apart */
        az_cut_log_release(&log);
        az_trace_release(&t);
        begin(&t, &log, &s, w, mem);
        feed(&t, &log, p);
        for (int k = 0; k < AZ_KIND_COUNT; k++)
            stored += t.ev[k].n;
        assert_true(stored < p->n);
        assert_int_equal(az_trace_finalize(&t), 0);
        n = list_gone(&log, gone);
    }
    az_cut_log_release(&log);
    az_trace_release(&t);
    az_sieve_release(&s);
    return n;
}

static void random_programs(void **state)
{
    static const char *const froms[] = { "", "10%", "40%", "@forward", "100ns" };
    static const char *const tos[] = { "", "45%", "60%", "400ns", "@backward" };
    static const size_t most[] = { 1000, 16, 3, 1 };
    struct az_mem mem;
    struct az_diag diag;
    size_t found = 0, kept = 0;
    (void)state;
    az_mem_init(&mem, 0);
    az_diag_init(&diag);
    for (uint64_t seed = 1; seed <= 1200; seed++) {
        struct program p;
        struct az_window w;
        struct az_options o = { .range = AZ_SV("") };
        bool any, a[MOST], b[MOST];
        enum az_window_miss one, two;
        make_program(&p, seed);
        o.from = az_sv_str(froms[seed % 5]);
        o.to = az_sv_str(tos[seed / 5 % 5]);
        o.range = seed % 3 ? o.range : AZ_SV("forward");
        if (az_window_read(&o, &w, &any, &diag) != 0)
            continue;
        const size_t n = whole(&p, &w, a, &one, &mem),
                     m = sifted(&p, &w, seed % 3 ? most[seed % 4] : 1000, b, &two, &mem);
        assert_int_equal(one, two);
        if (one != AZ_WINDOW_FOUND)
            continue;
        found++;
        assert_int_equal(n, p.n);
        assert_int_equal(m, p.n);
        for (size_t i = 0; i < n; i++) {
            if (a[i] != b[i])
                fail_msg("seed %d, record %d: %d and %d", (int)seed, (int)i, a[i], b[i]);
            kept += !a[i];
        }
    }
    assert_true(found > 800 && kept > 2000);
    az_diag_release(&diag);
    assert_int_equal(mem.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
