/* The native Perfetto output of PyTorch into the model: slices, render stages, launches, waits,
 * counters, what is missing, and files larger than what is read at once (docs/formats-pytorch.md
 * 1.8 to 1.10). */
#include <stdio.h>

#include "formats_nsys.h"
#include "unit/trace_text.h"
#include "unit/xplane_make.h"

#include "model/optrace.h"

#define BASE INT64_C(1700000000000000000)

static struct az_vec_char file;

/* A packet of this body. */
static void packet(const struct pb *body)
{
    struct pb *m = pb_new(), *out = pb_new();
    pb_raw(m, body->b, body->n);
    pb_num(m, 10, 1);
    pb_msg(out, 1, m);
    assert_int_equal(az_text_append(&file, az_sv_make(out->b, out->n)), 0);
    free(m);
    free(out);
}

/* A packet with one message, at a time. */
static void packet_at(int64_t at, unsigned field, const struct pb *message)
{
    struct pb *m = pb_new();
    pb_num(m, 8, (uint64_t)(BASE + at));
    pb_msg(m, field, message);
    packet(m);
    free(m);
}

static void put_entry(struct pb *to, unsigned kind, uint64_t iid, unsigned name, const char *text)
{
    struct pb *m = pb_new();
    pb_num(m, 1, iid);
    pb_text(m, name, text);
    pb_msg(to, kind, m);
    free(m);
}

/* Clocks, a track of thread 42, and all names. */
static void begin_file(void)
{
    static const char *const categories[] = { "cpu_op", "cuda_runtime", "user_annotation" },
                             *const names[] = { "aten::mm", "cudaLaunchKernel", "step",
                                                "Memcpy HtoD" },
                             *const notes[] = { "Sequence number", "correlation", "Input Dims" },
                             *const gpu[] = { "Kernel",         "Memcpy",     "Other stage",
                                              "[007] stream 7", "stream 9 x", "stream x" },
                             *const texts[] = { "float" }, *const kernels[] = { "gemm", "relu" },
                             *const arguments[] = { "shared memory", "registers per thread" };
    static const struct {
        unsigned kind, field;
        size_t n;
        const char *const *text;
    } all[] = {
        { 1, 2, AZ_LENGTH(categories), categories }, { 2, 2, AZ_LENGTH(names), names },
        { 3, 2, AZ_LENGTH(notes), notes },           { 24, 2, AZ_LENGTH(gpu), gpu },
        { 29, 2, AZ_LENGTH(texts), texts },          { 1000, 3, AZ_LENGTH(kernels), kernels },
        { 1001, 2, AZ_LENGTH(arguments), arguments }
    };
    struct pb *m = pb_new(), *inner = pb_new(), *body = pb_new();
    az_vec_init(&file, NULL);
    for (uint64_t clock = 1; clock <= 6; clock += 5) {
        inner->n = 0;
        pb_num(inner, 1, clock);
        pb_num(inner, 2, (uint64_t)BASE);
        pb_msg(m, 1, inner);
    }
    pb_msg(body, 6, m);
    packet(body);
    m->n = inner->n = body->n = 0;
    pb_num(inner, 1, 41);
    pb_num(inner, 2, 42);
    pb_text(inner, 5, "main");
    pb_num(m, 1, 1000);
    pb_msg(m, 4, inner);
    pb_msg(body, 60, m);
    packet(body);
    m->n = body->n = 0;
    for (size_t k = 0; k < AZ_LENGTH(all); k++)
        for (size_t i = 0; i < all[k].n; i++)
            put_entry(m, all[k].kind, i + 1, all[k].field, all[k].text[i]);
    inner->n = 0;
    put_entry(inner, 1, 1, 2, "GPU clock");
    put_entry(inner, 1, 2, 2, "power");
    struct pb *descriptor = pb_new();
    pb_num(descriptor, 1, 5);
    pb_msg(descriptor, 2, inner);
    pb_msg(m, 47, descriptor);
    pb_msg(body, 12, m);
    packet(body);
    free(descriptor);
    free(m);
    free(inner);
    free(body);
}

/* A slice's begin and end, with more fields of the event. */
static void slice(int64_t from, int64_t to, uint64_t category, uint64_t name, const struct pb *more)
{
    struct pb *m = pb_new();
    if (from >= 0) {
        pb_num(m, 9, 1);
        pb_num(m, 11, 1000);
        pb_num(m, 3, category);
        pb_num(m, 10, name);
        if (more)
            pb_raw(m, more->b, more->n);
        packet_at(from, 11, m);
    }
    m->n = 0;
    pb_num(m, 9, 2);
    pb_num(m, 11, 1000);
    if (to >= 0)
        packet_at(to, 11, m);
    free(m);
}

/* A note of an event: {name_iid 1, uint 3 | string 6 | string_iid 17}. */
static void note(struct pb *to, uint64_t iid, unsigned kind, uint64_t value)
{
    struct pb *m = pb_new();
    pb_num(m, 1, iid);
    pb_num(m, kind, value);
    pb_msg(to, 4, m);
    free(m);
}

struct stage {
    int64_t at;
    uint64_t id, duration, stage, queue;
    unsigned name_field; /* 19 kernel, 20 name */
    uint64_t name;
    uint64_t waits[4]; /* end at 0 */
    bool packed;
    const char *extra[8]; /* names and texts, end at NULL */
    uint64_t gpu;
};

static void render(const struct stage *s, const struct pb *launch)
{
    struct pb *m = pb_new(), *x = pb_new();
    pb_num(m, 1, s->id);
    pb_num(m, 2, s->duration);
    pb_num(m, 13, s->queue);
    pb_num(m, 14, s->stage);
    if (s->gpu)
        pb_num(m, 11, s->gpu);
    if (s->name_field)
        pb_num(m, s->name_field, s->name);
    for (size_t i = 0; s->extra[i]; i += 2) {
        x->n = 0;
        pb_text(x, 1, s->extra[i]);
        pb_text(x, 2, s->extra[i + 1]);
        pb_msg(m, 6, x);
    }
    x->n = 0;
    for (size_t i = 0; s->waits[i]; i++) {
        if (s->packed)
            pb_varint(x, s->waits[i]);
        else
            pb_num(m, 18, s->waits[i]);
    }
    if (x->n)
        pb_msg(m, 18, x);
    if (launch)
        pb_msg(m, 21, launch);
    packet_at(s->at, 53, m);
    free(m);
    free(x);
}

static void parse(struct fixture *f)
{
    fixture_open(f);
    f->opts.kernel_geometry = true;
    fixture_add(f, fixture_write(f, "t.pftrace", file.v, file.n), NULL, false);
    az_vec_release(&file);
    assert_int_equal(fixture_parse(f, &az_format_pytorch_pftrace), 0);
}

/* Slices in one another, in no order in the file; the correlation of what a call launched. */
static void slices(void **state)
{
    struct fixture f;
    struct pb *more = pb_new(), *ids = pb_new();
    (void)state;
    begin_file();
    render(&(struct stage){ .at = 500,
                            .id = 1,
                            .duration = 50,
                            .stage = 1,
                            .queue = 4,
                            .name_field = 19,
                            .name = 1,
                            .extra = { "correlation", "77" } },
           NULL);
    pb_num(ids, 1, 9); /* not there */
    pb_num(ids, 1, 1);
    pb_msg(more, 3000, ids);
    slice(30, -1, 2, 2, more);
    more->n = 0;
    note(more, 1, 3, 12);
    slice(20, -1, 1, 1, more);
    slice(10, 90, 3, 3, NULL);
    slice(-1, 35, 0, 0, NULL);
    slice(-1, 60, 0, 0, NULL);
    slice(-1, 95, 0, 0, NULL); /* of no slice */
    slice(96, -1, 1, 1, NULL); /* without an end */
    more->n = 0;
    note(more, 2, 3, 78);
    slice(97, 98, 2, 2, more);
    parse(&f);
    trace_is(&f.trace, "device pid 0 tid 7 device 0 context 7 proc 0\n"
                       "host pid 41 tid 42 proc 41 thread 42\n"
                       "kernel 500 550 'gemm' @0 corr 77 no row\n"
                       "host op 20 60 'aten::mm' @1 side 0\n"
                       "API call 30 35 'cudaLaunchKernel' @1 corr 77\n"
                       "API call 97 98 'cudaLaunchKernel' @1 corr 78\n"
                       "range 10 90 'step' @1 no row\n"
                       "dropped 1 (0): slices without an end\n"
                       "dropped 1 (0): ends of slices without a beginning\n"
                       "read 5 kept 5\n");
    fixture_close(&f);
    free(more);
    free(ids);
}

/* Stages by their names, else by numbers; queues, devices, sizes of launches, waits. */
static void render_stages(void **state)
{
    struct fixture f;
    struct pb *launch = pb_new(), *m = pb_new();
    (void)state;
    begin_file();
    pb_num(m, 1, 16);
    pb_num(m, 3, 2);
    pb_msg(launch, 1, m);
    m->n = 0;
    pb_num(m, 2, 128);
    pb_msg(launch, 2, m);
    for (uint64_t i = 1; i <= 3; i++) { /* the third has no name */
        m->n = 0;
        pb_num(m, 1, i);
        pb_num(m, 4, 1000 * i);
        pb_msg(launch, 3, m);
    }
    render(&(struct stage){ .at = 100,
                            .id = 1,
                            .duration = 50,
                            .stage = 1,
                            .queue = 4,
                            .name_field = 19,
                            .name = 1,
                            .extra = { "correlation", "7", "device id", "1", "stream id", "7" } },
           launch);
    render(&(struct stage){ .at = 150, /* where the one before it ends: truncated */
                            .id = 2,
                            .duration = 10,
                            .stage = 2,
                            .queue = 4,
                            .name_field = 20,
                            .name = 4,
                            .extra = { "correlation", "8", "device id", "1", "bytes", "4096" } },
           NULL);
    render(&(struct stage){ .at = 170,
                            .id = 3,
                            .duration = 5,
                            .stage = 1,
                            .queue = 5,
                            .name_field = 19,
                            .name = 2,
                            .waits = { 1, 2, 0 },
                            .packed = true,
                            .gpu = 2 },
           NULL);
    render(&(struct stage){ .at = 180,
                            .id = 4,
                            .duration = 5,
                            .stage = 1,
                            .queue = 6,
                            .name_field = 19,
                            .name = 2,
                            .waits = { 3, 99, 0 } },
           NULL);
    render(&(struct stage){ .at = 190, .id = 5, .duration = 1, .stage = 3, .queue = 77 }, NULL);
    parse(&f);
    trace_is(&f.trace,
             "device pid 1 tid 7 device 1 context 7 proc 0\n"
             "device pid 2 tid 9 device 2 context 9 proc 0\n"
             "device pid 0 tid 6 device 0 context 6 proc 0\n"
             "device pid 0 tid 77 device 0 context 77 proc 0\n"
             "kernel 100 150 'gemm' @0 corr 7 grid 16,1,2 block 1,128,1 registers 2000 shared "
             "1000+4294967295 no row\n"
             "kernel 170 175 'relu' @1 corr 4611686018427387907 no row\n"
             "kernel 180 185 'relu' @2 corr 4611686018427387908 no row\n"
             "memcpy 150 160 'Memcpy HtoD' @0 corr 8 bytes 4096 gbps 0 op -1 src -1 dst -1\n"
             "dropped 1 (0): category Other stage\n"
             "read 5 kept 4\n");
    const struct az_graph_waits *w = &az_optrace(&f.trace)->graph_waits;
    static const int64_t at[] = { 150, 170, 160, 170, 175, 180 };
    assert_int_equal(w->n, AZ_LENGTH(at));
    for (size_t i = 0; i < w->n; i++) {
        assert_int_equal(w->v[i].id, i / 2);
        assert_int_equal(w->v[i].at, at[i]);
        assert_int_equal(w->v[i].start, i % 2 == 0);
    }
    fixture_close(&f);
    free(launch);
    free(m);
}

static void counters(void **state)
{
    struct fixture f;
    struct pb *m = pb_new(), *v = pb_new();
    const double real = 1.5;
    uint64_t bits;
    (void)state;
    memcpy(&bits, &real, sizeof bits);
    begin_file();
    for (int i = 0; i < 4; i++) {
        m->n = v->n = 0;
        pb_num(v, 1, i == 2 ? 9 : 1); /* the third has no name */
        pb_num(v, 2, i == 3 ? UINT64_MAX : 100 + (uint64_t)i);
        pb_msg(m, 2, v);
        v->n = 0;
        pb_num(v, 1, 2);
        pb_varint(v, 3 << 3 | 1);
        pb_raw(v, &bits, sizeof bits);
        pb_msg(m, 2, v);
        pb_num(m, 4, 5); /* the descriptor may come after the values */
        if (i)
            pb_num(m, 3, (uint64_t)i);
        packet_at(10 * i, 52, m);
    }
    parse(&f);
    trace_is(&f.trace, "sample 'GPU clock' device 0 0 100\n"
                       "sample 'power' device 0 0 1.5\n"
                       "sample 'GPU clock' device 1 10 101\n"
                       "sample 'power' device 1 10 1.5\n"
                       "sample 'power' device 2 20 1.5\n"
                       "sample 'GPU clock' device 3 30 -1\n"
                       "sample 'power' device 3 30 1.5\n"
                       "read 8 kept 7\n");
    assert_true(said(&f, AZ_WARNING, "1 interned name(s) missing"));
    fixture_close(&f);
    free(m);
    free(v);
}

/* Packets across the edges of what is read at once. */
static void large_file(void **state)
{
    enum { N = 20000 };
    struct fixture f;
    (void)state;
    begin_file();
    for (int i = 0; i < N; i++)
        render(&(struct stage){ .at = 10 * i,
                                .id = (uint64_t)i + 1,
                                .duration = 5 + (uint64_t)i % 3,
                                .stage = 1,
                                .queue = 4,
                                .name_field = 19,
                                .name = 1 + (uint64_t)i % 2 },
               NULL);
    assert_true(file.n > 2 * (256 << 10));
    parse(&f);
    const struct az_events *e = &f.trace.ev[AZ_KERNEL];
    assert_int_equal(e->n, N);
    for (int i = 0; i < N; i++) {
        assert_int_equal(e->start[i], 10 * i);
        assert_int_equal(e->end[i], 10 * i + 5 + i % 3);
        assert_true(az_sv_is(az_trace_text(&f.trace, e->name[i]), i % 2 ? "relu" : "gemm"));
    }
    fixture_close(&f);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0x57daa203);
}

/* A packet with these bytes as its compressed packets, stored; its length. */
static size_t compressed(const unsigned char *bytes, size_t n, unsigned char *out)
{
    const size_t body = n + 11; /* with the header, that of the block, and the checksum */
    const unsigned char head[] = { 0x0a,
                                   (unsigned char)(body + 3),
                                   0x92,
                                   3,
                                   (unsigned char)body,
                                   0x78,
                                   0x01,
                                   0x01,
                                   (unsigned char)n,
                                   0,
                                   (unsigned char)(255 - n),
                                   255 };
    assert_true(body + 3 < 128);
    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, bytes, n);
    memset(out + sizeof head + n, 0, 4);
    return sizeof head + n + 4;
}

/* A sign is found in a compressed packet, and not in one inside another. */
static void packed_signs(void **state)
{
    const unsigned char sign[] = { 0x0a, 3, 0xaa, 3, 0 }; /* a render stage */
    unsigned char once[128], twice[128];
    (void)state;
    const size_t n = compressed(sign, sizeof sign, once), m = compressed(once, n, twice);
    const struct az_sv plain = az_sv_make((const char *)sign, sizeof sign);
    assert_int_equal(az_format_pytorch_pftrace.probe(plain, AZ_SV("x")), 95);
    assert_int_equal(az_format_pytorch_pftrace.probe(az_sv_make((const char *)once, n), AZ_SV("x")),
                     95);
    assert_int_equal(
        az_format_pytorch_pftrace.probe(az_sv_make((const char *)twice, m), AZ_SV("x")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_signs),  cmocka_unit_test(slices),
        cmocka_unit_test(render_stages), cmocka_unit_test(counters),
        cmocka_unit_test(large_file),    cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
