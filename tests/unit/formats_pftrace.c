/* Perfetto traces of rocprofv3: packets encoded here by hand, and the JSON form
 * (docs/formats-rocprof.md 7, 8). */
#define _DEFAULT_SOURCE
#include "formats_nsys.h"
#include "unit/trace_text.h"

#include <zlib.h>

#include "model/dispatch.h"

#define PARSE(f) fixture_parse((f), &az_format_pftrace)

struct buf {
    unsigned char v[8192];
    size_t n;
};

static void varint(struct buf *b, uint64_t x)
{
    for (; x > 127; x >>= 7)
        b->v[b->n++] = (unsigned char)(x | 128);
    b->v[b->n++] = (unsigned char)x;
    assert_true(b->n < sizeof b->v - 16);
}
static void num(struct buf *b, unsigned field, uint64_t x)
{
    varint(b, field << 3);
    varint(b, x);
}
static void bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
    varint(b, field << 3 | 2);
    varint(b, n);
    assert_true(b->n + n < sizeof b->v);
    memcpy(b->v + b->n, p, n);
    b->n += n;
}
static void text(struct buf *b, unsigned field, const char *s) { bytes(b, field, s, strlen(s)); }
static void sub(struct buf *b, unsigned field, const struct buf *inner)
{
    bytes(b, field, inner->v, inner->n);
}

static void entry(struct buf *b, unsigned kind, uint64_t iid, const char *s)
{
    struct buf e = { .n = 0 };
    num(&e, 1, iid);
    text(&e, 2, s);
    sub(b, kind, &e);
}
static void note(struct buf *b, const char *name, uint64_t value)
{
    struct buf a = { .n = 0 };
    text(&a, 10, name);
    num(&a, 3, value);
    sub(b, 4, &a);
}
static void note_text(struct buf *b, const char *name, const char *value)
{
    struct buf a = { .n = 0 };
    text(&a, 10, name);
    text(&a, 6, value);
    sub(b, 4, &a);
}
static void note_double(struct buf *b, const char *name, double x)
{
    struct buf a = { .n = 0 };
    text(&a, 10, name);
    varint(&a, 5 << 3 | 1);
    memcpy(a.v + a.n, &x, 8);
    a.n += 8;
    sub(b, 4, &a);
}

/* A kernel's BEGIN; its name given as text, or as an interned number. */
static void kernel_event(struct buf *out, const char *name, uint64_t iid, uint64_t begin,
                         uint64_t end)
{
    struct buf e = { .n = 0 };
    num(&e, 9, 1);
    num(&e, 11, 50);
    text(&e, 22, "kernel_dispatch");
    if (name)
        text(&e, 23, name);
    else
        num(&e, 10, iid);
    note(&e, "begin_ns", begin);
    note(&e, "end_ns", end);
    note_text(&e, "agent", "GPU-1");
    note(&e, "queue", 3);
    note(&e, "corr_id", 7);
    note(&e, "stream_ID", 4);
    note(&e, "grid_size", 2048);
    note(&e, "VGPR_Count", 32);
    note(&e, "kernel_id", 9);
    note_double(&e, "SQ_WAVES", 12.5);
    sub(out, 11, &e);
}

static void packet(struct buf *file, uint64_t sequence, uint64_t flags, const struct buf *content)
{
    struct buf p = *content;
    num(&p, 10, sequence);
    if (flags)
        num(&p, 13, flags);
    sub(file, 1, &p);
}

static int parse_bytes(struct fixture *f, const struct buf *file)
{
    fixture_open(f);
    fixture_add(f, fixture_write(f, "t.pftrace", (const char *)file->v, file->n), NULL, false);
    return PARSE(f);
}

static const struct az_events *kernels(const struct fixture *f) { return &f->trace.ev[AZ_KERNEL]; }

static void one_kernel(void **state)
{
    struct buf file = { .n = 0 }, p = { .n = 0 }, d = { .n = 0 }, proc = { .n = 0 };
    struct fixture f;
    (void)state;
    num(&proc, 1, 4242);
    num(&d, 1, 50);
    sub(&d, 3, &proc);
    sub(&p, 60, &d);
    packet(&file, 1, 1, &p);
    p.n = 0;
    kernel_event(&p, "void f<int>(int) [clone .kd]", 0, 100, 180);
    packet(&file, 1, 2, &p);
    assert_true(az_format_pftrace.probe(az_sv_make((char *)file.v, file.n), AZ_SV("x")) > 80);
    assert_int_equal(parse_bytes(&f, &file), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_int_equal(kernels(&f)->end[0], 180);
    assert_true(named(&f, kernels(&f)->name[0], "f"));
    const struct az_dispatches *x = az_dispatches(&f.trace);
    const struct az_lane *lane = &f.trace.lanes.v[kernels(&f)->lane[0]];
    assert_int_equal(lane->device, 1);
    assert_int_equal(lane->tid, 4); /* the file holds the queue less one */
    assert_int_equal(lane->context, 4);
    assert_int_equal(lane->pid, 4242);
    assert_int_equal(x->shapes.v[0].grid[0], 2048);
    assert_int_equal(x->shapes.v[0].grid[1], 1);
    assert_int_equal(x->counters.n, 1); /* an annotation of no known name */
    assert_true(named(&f, x->counters.v[0].counter, "SQ_WAVES"));
    assert_true(x->counters.v[0].value == 12.5);
    fixture_close(&f);
}

/* Numbers are names of their sequence, until it is cleared. */
static void interning(void **state)
{
    struct buf file = { .n = 0 }, p = { .n = 0 }, i = { .n = 0 };
    struct fixture f;
    (void)state;
    entry(&i, 2, 1, "a.kd");
    kernel_event(&p, NULL, 1, 1, 2); /* the event may be before the names of its packet */
    sub(&p, 12, &i);
    packet(&file, 1, 1, &p);
    p.n = i.n = 0;
    entry(&i, 2, 1, "b.kd");
    sub(&p, 12, &i);
    kernel_event(&p, NULL, 1, 3, 4);
    packet(&file, 2, 1, &p); /* another sequence */
    p.n = 0;
    kernel_event(&p, NULL, 1, 5, 6);
    packet(&file, 1, 2, &p);
    p.n = i.n = 0;
    entry(&i, 2, 2, "c.kd");
    sub(&p, 12, &i);
    kernel_event(&p, NULL, 1, 7, 8);
    packet(&file, 1, 1, &p); /* cleared: 1 is unknown now */
    assert_int_equal(parse_bytes(&f, &file), 0);
    assert_int_equal(kernels(&f)->n, 4);
    assert_true(named(&f, kernels(&f)->name[0], "a"));
    assert_true(named(&f, kernels(&f)->name[1], "b"));
    assert_true(named(&f, kernels(&f)->name[2], "a"));
    assert_true(named(&f, kernels(&f)->name[3], "(no name)"));
    assert_true(said(&f, AZ_WARNING, "1 interned name(s) missing"));
    fixture_close(&f);
}

static void compressed(void **state)
{
    struct buf inner = { .n = 0 }, p = { .n = 0 }, file = { .n = 0 }, z = { .n = 0 };
    struct fixture f;
    uLongf n = sizeof z.v;
    (void)state;
    kernel_event(&p, "k.kd", 0, 5, 9);
    packet(&inner, 1, 1, &p);
    assert_int_equal(compress(z.v, &n, inner.v, inner.n), Z_OK);
    z.n = n;
    p.n = 0;
    sub(&p, 50, &z);
    sub(&file, 1, &p);
    assert_int_equal(parse_bytes(&f, &file), 0);
    assert_int_equal(kernels(&f)->n, 1);
    fixture_close(&f);
    z.n = n / 2; /* a packet that breaks off: what is readable of it is read */
    p.n = file.n = 0;
    sub(&p, 50, &z);
    sub(&file, 1, &p);
    p.n = 0;
    kernel_event(&p, "l.kd", 0, 5, 9);
    packet(&file, 1, 1, &p);
    assert_int_equal(parse_bytes(&f, &file), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(said(&f, AZ_WARNING, "damaged packet(s)"));
    fixture_close(&f);
}

static void defects(void **state)
{
    struct buf file = { .n = 0 }, p = { .n = 0 };
    struct fixture f;
    (void)state;
    kernel_event(&p, "k.kd", 0, 5, 9);
    packet(&file, 1, 1, &p);
    size_t good = file.n;
    packet(&file, 1, 2, &p);
    file.n -= 3;
    assert_int_equal(parse_bytes(&f, &file), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(said(&f, AZ_WARNING, "truncated or damaged: 1 packets before it read"));
    fixture_close(&f);

    file.n = good;
    p.n = 0;
    bytes(&p, 11, "\x48\x01\x22\x7f", 4); /* an annotation longer than its event */
    packet(&file, 1, 2, &p);
    assert_int_equal(parse_bytes(&f, &file), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(said(&f, AZ_WARNING, "1 damaged packet(s) skipped"));
    fixture_close(&f);

    memset(file.v, 0xff, 40);
    file.n = 40;
    assert_int_equal(parse_bytes(&f, &file), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "not a Perfetto trace"));
    fixture_close(&f);
}

/* Perfetto output of PyTorch, not of rocprofv3. */
static void render_stages(void **state)
{
    struct buf file = { .n = 0 }, p = { .n = 0 }, e = { .n = 0 };
    struct fixture f;
    (void)state;
    num(&e, 1, 5);
    num(&e, 2, 1000);
    num(&p, 8, 77);
    sub(&p, 53, &e);
    packet(&file, 1, 1, &p);
    assert_int_equal(parse_bytes(&f, &file), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "use the format"));
    fixture_close(&f);
}

static void categories(void **state)
{
    struct buf file = { .n = 0 }, p = { .n = 0 }, e = { .n = 0 };
    struct fixture f;
    (void)state;
    static const char *const cats[] = { "hip_api", "marker_api", "odd", "hsa_api" };
    for (size_t i = 0; i < 4; i++) {
        p.n = e.n = 0;
        num(&e, 9, 1);
        text(&e, 22, cats[i]);
        text(&e, 23, "n\xc3\xa9");
        note(&e, "tid", 31);
        if (i != 3) { /* one without times */
            note(&e, "begin_ns", 10);
            note(&e, "delta_ns", 5);
        }
        sub(&p, 11, &e);
        packet(&file, 1, 1, &p);
    }
    assert_int_equal(parse_bytes(&f, &file), 0);
    assert_int_equal(f.trace.ev[AZ_CALL].n, 1);
    assert_int_equal(f.trace.ev[AZ_CALL].end[0], 15);
    assert_true(named(&f, f.trace.ev[AZ_CALL].side[0], "hip_api"));
    assert_true(named(&f, f.trace.ev[AZ_RANGE].name[0], "n\xc3\xa9"));
    assert_int_equal(dropped(&f, "category odd"), 1);
    assert_int_equal(dropped(&f, "slices without begin_ns or end_ns"), 1);
    fixture_close(&f);
}

static void json_form(void **state)
{
    static const char text_form[] =
        "{\"traceEvents\":[{\"ph\":\"M\",\"cat\":\"__metadata\",\"name\":\"thread_name\",\"pid\":8,"
        "\"tid\":1,\"ts\":0,"
        "\"args\":{\"name\":\"x\"}},"
        "{\"ph\":\"X\",\"cat\":\"kernel_dispatch\",\"name\":\"void f<int>() [clone "
        ".kd]\",\"pid\":8,\"tid\":2,\"ts\":1.0,\"dur\":2.0,\"args\":{\"begin_ns\":1001,\"end_ns\":"
        "3003,"
        "\"agent\":\"Agent-2\",\"corr_id\":5,\"tid\":12,\"LDS_Block_Size\":\"512\",\"SQ_WAVES\":3."
        "5}},"
        "{\"ph\":\"X\",\"cat\":\"memory_copy\",\"name\":\"MEMORY_COPY_DEVICE_TO_HOST\",\"pid\":8,"
        "\"tid\":2,\"ts\":7.5,"
        "\"dur\":0.25,\"args\":{\"src_agent\":2,\"dst_agent\":\"0\",\"copy_bytes\":64,\"corr_id\":"
        "6}}],"
        "\"displayTimeUnit\":\"ns\"}";
    struct fixture f;
    (void)state;
    assert_true(
        az_format_pftrace.probe(az_sv_make(text_form, sizeof text_form - 1), AZ_SV("x.json")) >
        az_format_pytorch.probe(az_sv_make(text_form, sizeof text_form - 1), AZ_SV("x.json")));
    fixture_open(&f);
    fixture_add(&f, fixture_write(&f, "t.json", text_form, sizeof text_form - 1), NULL, false);
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace, "device pid 8 tid 0 device 2 context 0 proc 1\n"
                       "kernel 1001 3003 'f' @0 corr 5 id 0 thread 12 'void f<int>() [clone .kd]' "
                       "grid 0,1,1 block 0,1,1 lds 512 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
                       "memcpy 7500 7750 'MEMORY_COPY_DEVICE_TO_HOST' @0 corr 6 bytes 64 gbps 0 op "
                       "-1 src -1 dst -1 route 2 0\n"
                       "counter 1 5 'f' SQ_WAVES 3.5\n"
                       "process 8 0 0\n"
                       "read 2 kept 2\n");
    assert_int_equal(kernels(&f)->start[0], 1001);
    assert_true(named(&f, kernels(&f)->name[0], "f"));
    assert_int_equal(az_dispatches(&f.trace)->shapes.v[0].lds, 512);
    assert_int_equal(az_dispatches(&f.trace)->counters.n, 1);
    assert_int_equal(f.trace.ev[AZ_MEMCPY].start[0],
                     7500); /* without begin_ns: ts and dur, microseconds */
    assert_int_equal(f.trace.ev[AZ_MEMCPY].end[0], 7750);
    assert_int_equal(az_dispatches(&f.trace)->routes.v[0].src, 2);
    fixture_close(&f);
    fixture_open(&f);
    fixture_add(&f, fixture_write(&f, "t.json", text_form, sizeof text_form - 60), NULL, false);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(said(&f, AZ_WARNING, "truncated: "));
    fixture_close(&f);
}

/* min_tid and max_tid choose slices by the thread of their track; where the file has none, by the
 * thread that launched them. */
static void threads(void **state)
{
    static const char calls[] =
        "{\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"kernel_dispatch\",\"name\":\"of_9\",\"pid\":8,\"tid\":9,\"args\":{"
        "\"begin_ns\":1,\"end_ns\":2,\"agent\":\"Agent-2\",\"corr_id\":5,\"tid\":3}},"
        "{\"ph\":\"X\",\"cat\":\"kernel_dispatch\",\"name\":\"of_3\",\"pid\":8,\"args\":{"
        "\"begin_ns\":1,\"end_ns\":2,\"agent\":\"Agent-2\",\"corr_id\":6,\"tid\":3}},"
        "{\"ph\":\"X\",\"cat\":\"hip_api\",\"name\":\"one\",\"pid\":8,\"tid\":3,\"args\":{"
        "\"begin_ns\":7,\"end_ns\":8,\"corr_id\":6,\"tid\":3,\"stream_ID\":4,\"operation\":214}},"
        "{\"ph\":\"X\",\"cat\":\"hip_api\",\"name\":\"other\",\"pid\":8,\"tid\":3,\"args\":{"
        "\"begin_ns\":5,\"end_ns\":6,\"corr_id\":7,\"tid\":3,\"stream_ID\":-2}}]}";
    struct fixture f;
    (void)state;
    fixture_open(&f);
    f.opts.min_tid = 3;
    f.opts.max_tid = 3;
    f.opts.hip_summary_group = AZ_SV("name+op");
    fixture_add(&f, fixture_write(&f, "t.json", calls, sizeof calls - 1), NULL, false);
    assert_int_equal(PARSE(&f), 0);
    trace_is(&f.trace, "device pid 8 tid 0 device 2 context 0 proc 1\n"
                       "host pid 8 tid 3 proc 1\n"
                       "kernel 1 2 'of_3' @0 corr 6 id 0 thread 3 'of_3' grid 0,1,1 block 0,1,1 "
                       "lds 0 scratch 0 vgpr 0 agpr 0 sgpr 0\n"
                       "API call 7 8 'one' @1 corr 6 of hip_api\n"
                       "API call 5 6 'other' @1 corr 7 of hip_api\n"
                       "process 8 0 0\n"
                       "dropped 1 (0): slices of other threads (min_tid, max_tid)\n"
                       "read 3 kept 3\n");
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(named(&f, kernels(&f)->name[0], "of_3"));
    assert_int_equal(dropped(&f, "slices of other threads (min_tid, max_tid)"), 1);

    const struct az_events *e = &f.trace.ev[AZ_CALL];
    const struct az_call_note *note = az_dispatches(&f.trace)->call_notes.v;
    assert_int_equal(e->n, 2);
    assert_int_equal(note[e->uid[0]].stream, 4);
    assert_int_equal(note[e->uid[0]].operation, 214);
    assert_int_equal(note[e->uid[1]].stream, -2);
    assert_int_equal(note[e->uid[1]].operation, 0);
    fixture_close(&f);
}

static void probing(void **state)
{
    (void)state;
    /* XPlane begins with the same byte: planes of (id, name, lines) */
    assert_int_equal(
        az_format_pftrace.probe(az_sv_make("\x0a\x0a\x08\x01\x12\x06/host:", 12), AZ_SV("x")), 0);
    assert_int_equal(
        az_format_pftrace.probe(AZ_SV("\nplain text that begins with a line break"), AZ_SV("x")),
        0);
    assert_int_equal(
        az_format_pftrace.probe(AZ_SV("{\"traceEvents\":[{\"cat\":\"kernel\"}]}"), AZ_SV("x")), 0);
    assert_true(az_sv_is(az_format_pftrace.stem(AZ_SV("d/9_results.pftrace")), "9"));

    /* the window that is looked at ends inside the first packet, a compressed one; or inside a
     * plane of XPlane */
    static char head[8192];
    memset(head, 'x', sizeof head);
    memcpy(head, "\x0a\x80\x80\x08\x92\x03\xf0\xff\x07", 9);
    assert_true(az_format_pftrace.probe(az_sv_make(head, sizeof head), AZ_SV("x")) > 80);
    memcpy(head, "\x0a\x80\x80\x08\x08\x01\x1a\xf0\xff\x07", 10);
    assert_int_equal(az_format_pftrace.probe(az_sv_make(head, sizeof head), AZ_SV("x")), 0);
    assert_int_equal(az_format_pftrace.probe(AZ_SV("\nzZap"), AZ_SV("x")), 0);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xafb5afe1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_kernel), cmocka_unit_test(interning),     cmocka_unit_test(compressed),
        cmocka_unit_test(defects),    cmocka_unit_test(render_stages), cmocka_unit_test(categories),
        cmocka_unit_test(json_form),  cmocka_unit_test(threads),       cmocka_unit_test(probing),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
