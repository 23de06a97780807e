/* PyTorch traces: layouts, categories, tolerances, metadata (docs/formats-pytorch.md 1), and one
 * file read by several threads. */
#include "formats_nsys.h"
#include "unit/trace_text.h"

#include <sys/stat.h>
#include <zlib.h>

#include "formats/pytorch/pytorch.h"
#include "formats/pytorch/pytorch_capture.h"

#define PARSE(f)   fixture_parse((f), &az_format_pytorch)
#define EV(fields) "{\"ph\":\"X\"," fields "}"
#define KERNEL                                                                                     \
    EV("\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":10.5,\"dur\":2,\"args\":{"    \
       "\"correlation\":3,"                                                                        \
       "\"device\":0,\"stream\":7}")
#define LAUNCH                                                                                     \
    EV("\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":5,"      \
       "\"dur\":1.25,"                                                                             \
       "\"args\":{\"correlation\":3,\"External id\":4}")
#define OP                                                                                         \
    EV("\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":4,\"dur\":6,\"args\":" \
       "{\"External id\":4}")

static void begin(struct fixture *f, const char *text, size_t n)
{
    fixture_open(f);
    f->opts.link_by = AZ_SV("correlation");
    fixture_add(f, fixture_write(f, "trace.json", text, n), NULL, false);
}

/* Parses and seals; the fixture is to be closed. */
static void read_text(struct fixture *f, const char *text)
{
    begin(f, text, strlen(text));
    assert_int_equal(PARSE(f), 0);
    assert_int_equal(az_trace_finalize(&f->trace), 0);
}

static void fails(const char *text, int code, const char *message)
{
    struct fixture f;
    begin(&f, text, strlen(text));
    assert_int_equal(PARSE(&f), code);
    assert_true(said(&f, AZ_ERROR, message));
    fixture_close(&f);
}

/* One op, one call, one kernel, linked. */
static void assert_basic(const struct fixture *f)
{
    const struct az_events *k = &f->trace.ev[AZ_KERNEL], *c = &f->trace.ev[AZ_CALL],
                           *o = &f->trace.ev[AZ_HOST_OP];
    assert_int_equal(k->n, 1);
    assert_int_equal(c->n, 1);
    assert_int_equal(o->n, 1);
    assert_int_equal(k->start[0], 10500);
    assert_int_equal(k->end[0], 12500);
    assert_int_equal(c->end[0], 6250);
    assert_true(named(f, k->name[0], "k") && named(f, o->name[0], "aten::mm"));
    const struct az_calltree *t = az_tree(&f->trace);
    assert_int_equal(t->n_linked, 1);
    assert_int_equal(t->parent[t->gpu_call[0]], 0);
}

static void layouts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"schemaVersion\":1,\"traceEvents\":[" OP "," LAUNCH "," KERNEL "]}",
        "{\"traceEvents\":[" KERNEL "," OP "," LAUNCH
        "],\"traceName\":\"t\",\"x\":[1,{\"traceEvents\":2}]}",
        "[" LAUNCH "," KERNEL "," OP "]",
        "\n  {\n  \"a\": \"\\\"traceEvents\\\": [\", \"traceEvents\" : [ " OP " ,\n" LAUNCH
        ",\n\n " KERNEL "\n ] }\n",
        "\xef\xbb\xbf{\"trace\\u0045vents\":[" OP "," LAUNCH "," KERNEL "]}",
        "{\"traceEvents\":[" OP "," LAUNCH "],\"more\":1,\"traceEvents\":[" KERNEL "]}",
    };
    for (size_t i = 0; i < AZ_LENGTH(texts); i++) {
        struct fixture f;
        read_text(&f, texts[i]);
        assert_basic(&f);
        assert_int_equal(f.diag.errors + f.diag.warnings, 0);
        assert_int_equal(f.trace.read, 3);
        assert_int_equal(f.trace.kept, 3);
        fixture_close(&f);
    }
}

/* The file that is too many is named. */
static void two_files(void **state)
{
    struct fixture f;
    (void)state;
    begin(&f, "[]", 2);
    fixture_add(&f, "second.json", NULL, false);
    assert_int_equal(PARSE(&f), AZ_EUSAGE);
    assert_true(said(&f, AZ_ERROR, "several files in one input"));
    assert_true(said(&f, AZ_ERROR, "second.json"));
    fixture_close(&f);
}

/* Kernels, copies and fills of a replayed graph have their nodes. */
static void graph_nodes(void **state)
{
    static const char *const cats[] = { "kernel", "gpu_memcpy", "gpu_memset" };
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cats); i++) {
        struct fixture f;
        char text[400];
        (void)snprintf(text, sizeof text,
                       "[{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"Memcpy DtoD\",\"pid\":0,\"tid\":7,"
                       "\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,\"correlation\":3,"
                       "\"graph node id\":55}}]",
                       cats[i]);
        read_text(&f, text);
        assert_int_equal(az_optrace(&f.trace)->graph_nodes.n, 1);
        assert_int_equal(az_optrace(&f.trace)->graph_nodes.v[0].id, 55);
        fixture_close(&f);
    }
}

/* By valid JSON each letter of a category or phase may be an escape. */
static void escaped_letters(void **state)
{
    (void)state;
    struct fixture f;
    read_text(&f,
              "{\"traceEvents\":[{\"ph\":\"\\u0058\",\"cat\":\"\\u006bernel\",\"name\":\"k\","
              "\"pid\":0,\"tid\":7,\"ts\":10,\"dur\":2,\"args\":{\"device\":0,\"stream\":7}}]}");
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 1);
    assert_int_equal(f.trace.ev[AZ_KERNEL].end[0] - f.trace.ev[AZ_KERNEL].start[0], 2000);
    fixture_close(&f);
}

/* Work of the device as begin and end events is read; a begin without an end is lost. */
static void begins_and_ends(void **state)
{
    (void)state;
    struct fixture f;
    read_text(&f,
              "{\"traceEvents\":[" OP "," LAUNCH "," KERNEL
              ",{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":20},"
              "{\"ph\":\"E\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":25},"
              "{\"ph\":\"B\",\"cat\":\"gpu_memset\",\"name\":\"m\",\"pid\":0,\"tid\":7,\"ts\":26},"
              "{\"ph\":\"E\",\"pid\":0,\"tid\":7,\"ts\":28},"
              "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":30},"
              "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"o\",\"pid\":1,\"tid\":1,\"ts\":20}]}");
    trace_is(&f.trace, "host pid 1 tid 1 proc 1 thread 1\n"
                       "device pid 0 tid 7 device 0 context 7 proc 0\n"
                       "kernel 10500 12500 'k' @1 no row\n"
                       "kernel 20000 25000 'k' @1 no row\n"
                       "memset 26000 28000 'm' @1 bytes -1 gbps 0 op -1 src -1 dst -1\n"
                       "host op 4000 10000 'aten::mm' @0\n"
                       "API call 5000 6250 'cudaLaunchKernel' @0\n"
                       "dropped 1 (0): begins of device spans without an end (phases B and E)\n"
                       "dropped 1 (0): begins and ends of spans written apart (phases B and E)\n"
                       "read 9 kept 5\n");
    assert_int_equal(f.trace.ev[AZ_KERNEL].n, 2);
    assert_int_equal(f.trace.ev[AZ_KERNEL].end[1] - f.trace.ev[AZ_KERNEL].start[1], 5000);
    assert_int_equal(f.trace.ev[AZ_MEMSET].n, 1);
    assert_int_equal(f.trace.ev[AZ_MEMSET].end[0] - f.trace.ev[AZ_MEMSET].start[0], 2000);
    assert_int_equal(dropped(&f, "begins of device spans without an end (phases B and E)"), 1);
    assert_int_equal(dropped(&f, "begins and ends of spans written apart (phases B and E)"), 1);
    fixture_close(&f);
}

#ifdef AZ_V3
struct memory {
    const char *p;
    size_t n;
};
static int from_memory(void *ctx, void *buf, size_t n, size_t *got)
{
    struct memory *m = ctx;
    *got = m->n < n ? m->n : n;
    memcpy(buf, m->p, *got);
    m->p += *got;
    m->n -= *got;
    return 0;
}

static void read_by(struct fixture *f, az_pytorch_record *record, struct az_pytorch_reader *r)
{
    static const char text[] =
        "[" OP "," LAUNCH "," KERNEL
        ",\n  {\n    \"ph\": \"f\", \"id\": 3, \"pid\": 0, \"tid\": \"stream 7\", "
        "\"ts\": 10.500, \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  },\n" OP "," LAUNCH
        "," KERNEL
        ",{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\\u0041\"}}"
        "," EV(
            "\"cat\":\"cpu_op\",\"name\":\"b\\\"\",\"pid\":-1,\"tid\":1,\"ts\":1753411222594.212,"
            "\"dur\":1e3,\"args\":{\"Input Dims\": [[1, 2], []],\n      \"Input type\": "
            "[\"float\", \"\"],"
            "\n          \"Concrete Inputs\": [\"\", \"]\"]}") "]";
    struct memory m = { text, sizeof text - 1 };
    struct az_jscan s;
    struct az_jarray a;
    fixture_open(f);
    assert_int_equal(az_optrace_init(&f->trace, &f->opts), 0);
    assert_int_equal(az_pytorch_reader_init(r, &f->trace, &f->opts), 0);
    assert_int_equal(az_jscan_init(&s, from_memory, &m, 200, NULL), 0);
    assert_int_equal(az_jscan_records(&s, record, r, true, &a), 0);
    assert_int_equal(a.records, 9);
    az_jscan_release(&s);
}

/* The form for processors with AVX2 and that for all others read the same. */
static void forms_of_the_reader(void **state)
{
    (void)state;
    struct fixture f, g;
    static struct az_pytorch_reader any, v3;
    if (az_pytorch_event_reader() != az_pytorch_event_v3)
        return;
    read_by(&f, az_pytorch_event_any, &any);
    read_by(&g, az_pytorch_event_v3, &v3);
    assert_int_equal(f.trace.names.text.n, g.trace.names.text.n);
    assert_int_equal(f.trace.lanes.n, g.trace.lanes.n);
    assert_int_equal(any.uid, v3.uid);
    assert_int_equal(f.trace.ev[AZ_HOST_OP].n, 3);
    for (enum az_kind k = 0; k < AZ_KIND_COUNT; k++) {
        const struct az_events *x = &f.trace.ev[k], *y = &g.trace.ev[k];
        assert_int_equal(x->n, y->n);
        for (size_t i = 0; i < x->n; i++) {
            assert_int_equal(x->start[i], y->start[i]);
            assert_int_equal(x->end[i], y->end[i]);
            assert_int_equal(x->name[i], y->name[i]);
            assert_int_equal(x->lane[i], y->lane[i]);
        }
    }
    az_pytorch_reader_release(&any);
    az_pytorch_reader_release(&v3);
    fixture_close(&f);
    fixture_close(&g);
}
#endif

/* A base that no event's time could be added to is unknown. */
static void base_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } rows[] = { { "1767189312000000000", 1767189312000000000 },
                 { "\"1767189312000000000\"", 1767189312000000000 },
                 { "9223372036854775807", 0 },
                 { "-9223372036854775808", 0 },
                 { "-1", 0 },
                 { "1e30", 0 },
                 { "null", 0 } };
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        struct fixture f;
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"traceEvents\":[" OP "," LAUNCH "," KERNEL "],\"baseTimeNanoseconds\":%s}",
                 rows[i].text);
        read_text(&f, text);
        assert_basic(&f);
        assert_int_equal(f.trace.base_ns, rows[i].ns);
        fixture_close(&f);
    }
}

static void gzipped(void **state)
{
    (void)state;
    static const char text[] = "{\"traceEvents\":[" OP "," LAUNCH "," KERNEL "]}";
    unsigned char packed[1000];
    z_stream z = { .next_in = (unsigned char *)text,
                   .avail_in = sizeof text - 1,
                   .next_out = packed,
                   .avail_out = sizeof packed };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t n = z.total_out;
    deflateEnd(&z);
    struct fixture f;
    begin(&f, (const char *)packed, n);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_trace_finalize(&f.trace), 0);
    assert_basic(&f);
    fixture_close(&f);
    begin(&f, (const char *)packed, n - 9); /* the checksum and the last byte are missing */
    assert_int_equal(PARSE(&f), 0);
    assert_true(f.diag.warnings > 0);
    fixture_close(&f);
}

static void old_and_other_writers(void **state)
{
    (void)state;
    struct fixture f;
    read_text(
        &f,
        "[" EV(
            "\"cat\":\"Operator\",\"name\":\"o\",\"pid\":\"p\",\"tid\":\"t\",\"ts\":1,"
            "\"dur\":9") "," EV("\"cat"
                                "\":"
                                "\"Runt"
                                "ime\","
                                "\"name"
                                "\":"
                                "\"cuda"
                                "Launch"
                                "\","
                                "\"pid"
                                "\":"
                                "\"p\","
                                "\"tid"
                                "\":"
                                "\"t\","
                                "\"ts\""
                                ":2,"
                                "\"dur"
                                "\":1,"
                                "\"args"
                                "\":{"
                                "\"corr"
                                "elatio"
                                "n\":"
                                "1}") "," EV("\"cat\":\"Kernel\",\"name\":\"k\","
                                             "\"pid\":0,\"tid\":\"stream "
                                             "7\",\"ts\":5,\"dur\":1,\"args\":{"
                                             "\"correlation\":1}") "," EV("\"cat\":"
                                                                          "\"Memcpy\","
                                                                          "\"name\":"
                                                                          "\"c\","
                                                                          "\"pid\":0,"
                                                                          "\"tid\":"
                                                                          "\"stream "
                                                                          "7\",\"ts\":"
                                                                          "7,\"dur\":"
                                                                          "1,"
                                                                          "\"args\":{"
                                                                          "\"bytes\":"
                                                                          "64}") "," EV("\"cat\""
                                                                                        ":"
                                                                                        "\"Memse"
                                                                                        "t\","
                                                                                        "\"name"
                                                                                        "\":"
                                                                                        "\"s\","
                                                                                        "\"pid\""
                                                                                        ":0,"
                                                                                        "\"tid\""
                                                                                        ":"
                                                                                        "\"strea"
                                                                                        "m "
                                                                                        "7\","
                                                                                        "\"ts\":"
                                                                                        "9,"
                                                                                        "\"dur\""
                                                                                        ":1,"
                                                                                        "\"args"
                                                                                        "\":{}") "]");
    assert_int_equal(f.trace.ev[AZ_HOST_OP].n + f.trace.ev[AZ_CALL].n, 2);
    assert_int_equal(f.trace.ev[AZ_KERNEL].n + f.trace.ev[AZ_MEMCPY].n + f.trace.ev[AZ_MEMSET].n,
                     3);
    assert_int_equal(az_tree(&f.trace)->n_linked, 1);
    assert_int_equal(f.trace.lanes.n, 2);
    const struct az_lane *l = &f.trace.lanes.v[f.trace.ev[AZ_KERNEL].lane[0]];
    assert_true(l->device_side);
    assert_int_equal(l->context, 7);
    assert_int_equal(l->device, 0);
    assert_int_equal(f.trace.copies.v[f.trace.ev[AZ_MEMCPY].side[0]].bytes, 64);
    assert_int_equal(f.trace.copies.v[f.trace.ev[AZ_MEMSET].side[0]].bytes, -1);
    fixture_close(&f);
    /* ROCm: hip names under cuda_runtime, no External id on kernels, memsets without bytes */
    read_text(&f, "[" EV("\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"pid\":5,\"tid\":"
                         "5,\"ts\":2,\"dur\":1,"
                         "\"args\":{\"cid\":211,\"correlation\":9,\"kernel\":\"k\",\"grid\":\"[1, "
                         "1, 1]\"}") "," EV("\"cat\":"
                                            "\"kernel"
                                            "\","
                                            "\"name\":"
                                            "\"k.kd\","
                                            "\"pid\":"
                                            "2,"
                                            "\"tid\":"
                                            "0,\"ts\":"
                                            "5,"
                                            "\"dur\":"
                                            "1,"
                                            "\"args\":"
                                            "{\"device"
                                            "\":2,"
                                            "\"stream"
                                            "\":0,"
                                            "\"correla"
                                            "tion\":9,"
                                            "\"kind\":"
                                            "\"Dispatc"
                                            "h "
                                            "Kernel\""
                                            "}") "]");
    assert_int_equal(az_tree(&f.trace)->n_linked, 1);
    assert_false(az_optrace(&f.trace)->has_ops);
    fixture_close(&f);
    /* the first launch has no correlation: External id links */
    read_text(&f, "[" EV("\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":5,\"tid\":"
                         "5,\"ts\":2,\"dur\":1,"
                         "\"args\":{\"External id\":0}") "," EV("\"cat\":\"kernel\",\"name\":\"k\","
                                                                "\"pid\":2,\"tid\":0,"
                                                                "\"ts\":5,\"dur\":1,\"args\":{"
                                                                "\"External id\":0}") "]");
    assert_true(az_optrace(&f.trace)->key_is_ext);
    assert_int_equal(az_tree(&f.trace)->n_linked, 1);
    fixture_close(&f);
}

static void lanes(void **state)
{
    (void)state;
    struct fixture f;
    /* -1, "-1", 1 and "" are four threads; the same numbers on the host and the device are two
     * lanes */
    read_text(
        &f,
        "[" EV("\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":-1,\"tid\":-1,\"ts\":1,\"dur\":"
               "1") "," EV("\"cat\":\"cpu_"
                           "op\",\"name\":"
                           "\"b\",\"pid\":-1,"
                           "\"tid\":\"-1\","
                           "\"ts\":1,\"dur\":"
                           "1") "," EV("\"cat"
                                       "\":"
                                       "\"cpu_"
                                       "op\","
                                       "\"name"
                                       "\":"
                                       "\"c\","
                                       "\"pid"
                                       "\":"
                                       "\"\","
                                       "\"tid"
                                       "\":1,"
                                       "\"ts\""
                                       ":1,"
                                       "\"dur"
                                       "\":1") "," EV("\"cat\":\"cpu_op\",\"name\":\"d\",\"ts\":1,"
                                                      "\"dur\":1") "," EV("\"cat\":"
                                                                          "\"kernel\""
                                                                          ",\"name\":"
                                                                          "\"e\","
                                                                          "\"pid\":-"
                                                                          "1,\"tid\":"
                                                                          "-1,\"ts\":"
                                                                          "1,\"dur\":"
                                                                          "1") "," EV("\"ca"
                                                                                      "t\":"
                                                                                      "\"cp"
                                                                                      "u_"
                                                                                      "op\""
                                                                                      ","
                                                                                      "\"na"
                                                                                      "me\""
                                                                                      ":\"f"
                                                                                      "\","
                                                                                      "\"pi"
                                                                                      "d\":"
                                                                                      "-1,"
                                                                                      "\"ti"
                                                                                      "d\":"
                                                                                      "-"
                                                                                      "1,"
                                                                                      "\"ts"
                                                                                      "\":"
                                                                                      "3,"
                                                                                      "\"du"
                                                                                      "r\":"
                                                                                      "1") "]");
    const struct az_events *o = &f.trace.ev[AZ_HOST_OP];
    assert_int_equal(f.trace.lanes.n, 5);
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            assert_int_not_equal(o->lane[i], o->lane[j]);
    assert_int_equal(o->lane[0], o->lane[4]);
    assert_int_not_equal(o->lane[0], f.trace.ev[AZ_KERNEL].lane[0]);
    fixture_close(&f);
}

static void events_left_out(void **state)
{
    (void)state;
    struct fixture f;
    read_text(
        &f,
        "[" EV("\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"dur\":1") "," EV(
            "\"cat\":\"cpu_op\","
            "\"name\":\"a\",\"pid\":1,"
            "\"tid\":1,\"ts\":1") "," EV("\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,"
                                         "\"tid\":1,\"ts\":NaN,"
                                         "\"dur\":"
                                         "1") "," EV("\"cat\":\"cpu_op\",\"name\":\"a\","
                                                     "\"pid\":1,\"tid\":1,"
                                                     "\"ts\":"
                                                     "1,\"dur\":-1") "," EV("\"cat\":\"cpu_"
                                                                            "op\",\"name\":"
                                                                            "\"a\","
                                                                            "\"pid\":1,"
                                                                            "\"tid\":1,"
                                                                            "\"ts\":"
                                                                            "9223372036854775"
                                                                            ",\"dur\":"
                                                                            "922337203685477"
                                                                            "5") "," EV("\"ca"
                                                                                        "t\":"
                                                                                        "\"py"
                                                                                        "thon"
                                                                                        "_"
                                                                                        "func"
                                                                                        "tion"
                                                                                        "\","
                                                                                        "\"na"
                                                                                        "me\""
                                                                                        ":"
                                                                                        "\"a"
                                                                                        "\","
                                                                                        "\"pi"
                                                                                        "d\":"
                                                                                        "1,"
                                                                                        "\"ti"
                                                                                        "d\":"
                                                                                        "1,"
                                                                                        "\"ts"
                                                                                        "\":"
                                                                                        "1,"
                                                                                        "\"du"
                                                                                        "r\":"
                                                                                        "1") "," EV("\"c"
                                                                                                    "at"
                                                                                                    "\":"
                                                                                                    "\"m"
                                                                                                    "tia"
                                                                                                    "_x"
                                                                                                    "\","
                                                                                                    "\"n"
                                                                                                    "ame"
                                                                                                    "\":"
                                                                                                    "\"a"
                                                                                                    "\","
                                                                                                    "\"p"
                                                                                                    "id"
                                                                                                    "\":"
                                                                                                    "1,"
                                                                                                    "\"t"
                                                                                                    "id"
                                                                                                    "\":"
                                                                                                    "1,"
                                                                                                    "\"t"
                                                                                                    "s\""
                                                                                                    ":1,"
                                                                                                    "\"d"
                                                                                                    "ur"
                                                                                                    "\":"
                                                                                                    "1") "," EV("\"cat\":\"mtia_x\","
                                                                                                                "\"name\":\"a\",\"pid\":1,"
                                                                                                                "\"tid\":1,\"ts\":1,"
                                                                                                                "\"dur\":1") ","
                                                                                                                             "{\"ph\":"
                                                                                                                             "\"Q\"},{"
                                                                                                                             "\"ph\":\"i\"}"
                                                                                                                             ",{\"ph\":"
                                                                                                                             "\"C\"},{"
                                                                                                                             "\"cat\":"
                                                                                                                             "\"x\"},{}," OP
                                                                                                                             "]");
    assert_int_equal(dropped(&f, "spans without a start or a duration"), 5);
    assert_int_equal(
        dropped(&f, "python frames (used only for call stacks and recompute detection)"), 1);
    assert_int_equal(dropped(&f, "category mtia_x"), 2);
    assert_int_equal(dropped(&f, "events of unknown phase"), 3);
    assert_int_equal(dropped(&f, "samples of counters without a number or a time (phase C)"), 1);
    assert_int_equal(dropped(&f, "events without a length (phases i, I and R)"), 1);
    assert_int_equal(f.trace.ev[AZ_HOST_OP].n, 1);
    assert_int_equal(f.trace.ev[AZ_HOST_OP].uid[0], 13);
    assert_int_equal(f.trace.read, 14);
    assert_int_equal(f.trace.kept, 1);
    assert_int_equal(az_optrace(&f.trace)->n_events, 14);
    fixture_close(&f);
    begin(&f,
          "[" EV("\"cat\":\"python_function\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":"
                 "1") "]",
          strlen("[" EV("\"cat\":\"python_function\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,"
                        "\"dur\":1") "]"));
    f.opts.include_call_stack = true;
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.trace.ev[AZ_FRAME].n, 1);
    fixture_close(&f);
}

static void arguments(void **state)
{
    (void)state;
    struct fixture f;
    read_text(
        &f,
        "[" EV(
            "\"cat\":\"cpu_op\",\"name\":\"q\\\"\\u00e9\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,"
            "\"args\":"
            "{\"Input Dims\": [[1, 2], []],"
            "\"Input type\":[\"a b\", \"\"],\"Sequence number\":7,\"Fwd thread "
            "id\":2,\"\\u0045xternal "
            "id\":5,\"unknown\":{\"Input Dims\":[9]}}") "," EV("\"cat\":\"cpu_op\",\"name\":\"r\","
                                                               "\"pid\":"
                                                               "1,\"tid\":1,\"ts\":2,\"dur\":1,"
                                                               "\"args\":{"
                                                               "\"Input type\":[\"a "
                                                               "b\",\"\"],\"Input "
                                                               "Dims\":[[1,2],[]]}") "," EV("\"cat"
                                                                                            "\":"
                                                                                            "\"cpu_"
                                                                                            "op\","
                                                                                            "\"name"
                                                                                            "\":"
                                                                                            "\"s\","
                                                                                            "\"pid"
                                                                                            "\":1,"
                                                                                            "\"tid"
                                                                                            "\":1,"
                                                                                            "\"ts\""
                                                                                            ":3,"
                                                                                            "\"dur"
                                                                                            "\":1,"
                                                                                            "\"args"
                                                                                            "\":"
                                                                                            "null") "," EV("\"cat\":"
                                                                                                           "\"kernel\","
                                                                                                           "\"name\":"
                                                                                                           "\"nccl\","
                                                                                                           "\"pid\":0,"
                                                                                                           "\"tid\":1,"
                                                                                                           "\"ts\":3,"
                                                                                                           "\"dur\":1,"
                                                                                                           "\"args\":{"
                                                                                                           "\"Collectiv"
                                                                                                           "e "
                                                                                                           "name\":"
                                                                                                           "\"allreduce"
                                                                                                           "\",\"In "
                                                                                                           "msg "
                                                                                                           "nelems\":"
                                                                                                           "12,"
                                                                                                           "\"Seq\":3,"
                                                                                                           "\"Comms "
                                                                                                           "Id\":"
                                                                                                           "99999999999"
                                                                                                           "999999999,"
                                                                                                           "\"Process "
                                                                                                           "Group "
                                                                                                           "Ranks\":\"["
                                                                                                           "0, 1]\"}") "]");
    const struct az_optrace *o = az_optrace(&f.trace);
    const struct az_events *e = &f.trace.ev[AZ_HOST_OP];
    assert_true(named(&f, e->name[0], "q\"\xc3\xa9"));
    assert_int_equal(o->args.n, 1); /* equal but for blanks and order */
    assert_true(o->ops_by_row);     /* most operators have a row: all do */
    assert_int_equal(o->ops.n, e->n);
    assert_int_equal(o->ops.v[0].args, o->ops.v[1].args);
    assert_int_equal(az_op_seq(o, 0), 7);
    assert_int_equal(az_op_seq(o, 1), -1);
    assert_int_equal(o->ops.v[2].args, AZ_NO_ROW);
    assert_int_equal(az_op_seq(o, 2), -1);
    assert_true(named(&f, o->args.v[0].dims, "[[1,2],[]]") &&
                named(&f, o->args.v[0].types, "[\"a b\",\"\"]"));
    assert_int_equal(o->args.v[0].strides, AZ_NO_ID);
    const struct az_coll_args *c = &o->colls.v[f.trace.ev[AZ_KERNEL].side[0]];
    assert_true(named(&f, c->name, "allreduce") && named(&f, c->in_nelems, "12") &&
                named(&f, c->pg_ranks, "[0, 1]"));
    assert_int_equal(c->seq, 3);
    assert_int_equal(c->dtype, AZ_NO_ID);
    fixture_close(&f);
}

/* Sequence numbers of any size; operators that lie in the file in another order than by start, and
 * of which most or few have a row. */
static void sequence_numbers(void **state)
{
    (void)state;
#define NUMBERED(ts, args)                                                                         \
    EV("\"cat\":\"cpu_op\",\"name\":\"o\",\"pid\":1,\"tid\":1,\"dur\":1,\"ts\":" #ts               \
       ",\"args\":{" args "}")
    struct fixture f;
    read_text(
        &f,
        "[" NUMBERED(5, "\"Sequence number\":4294967297") "," NUMBERED(
            1,
            "\"Sequence "
            "number\":2147483647") "," NUMBERED(4,
                                                "\"x\":1") "," NUMBERED(3,
                                                                        "\"Input "
                                                                        "Dims\":[[1]],\"Sequence "
                                                                        "number\":-7") "," NUMBERED(2,
                                                                                                    "\""
                                                                                                    "Se"
                                                                                                    "qu"
                                                                                                    "en"
                                                                                                    "ce"
                                                                                                    " n"
                                                                                                    "um"
                                                                                                    "be"
                                                                                                    "r"
                                                                                                    "\""
                                                                                                    ":2"
                                                                                                    "14"
                                                                                                    "74"
                                                                                                    "83"
                                                                                                    "64"
                                                                                                    "8") "]");
    const int64_t want[] = { 2147483647, 2147483648, -7, -1, 4294967297 };
    const struct az_optrace *o = az_optrace(&f.trace);
    assert_true(o->ops_by_row && !f.trace.ev[AZ_HOST_OP].side);
    for (uint32_t i = 0; i < AZ_LENGTH(want); i++) {
        assert_int_equal(az_op_side(&f.trace, i), i);
        assert_int_equal(az_op_seq(o, i), want[i]);
        assert_int_equal(o->ops.v[i].args, i == 2 ? 0 : AZ_NO_ROW);
    }
    fixture_close(&f);
    read_text(&f, "[" NUMBERED(2, "\"Sequence number\":4294967297") "," NUMBERED(
                      1, "") "," NUMBERED(3, "") "," NUMBERED(4, "") "]");
    o = az_optrace(&f.trace);
    assert_false(o->ops_by_row);
    assert_int_equal(o->ops.n, 1);
    assert_int_equal(az_op_side(&f.trace, 0), AZ_NO_ROW);
    assert_int_equal(az_op_seq(o, az_op_side(&f.trace, 1)), 4294967297);
    fixture_close(&f);
#undef NUMBERED
}

/* Arguments that begin alike, come again, end inside the reader's window and stand where others
 * did. */
static void repeated_arguments(void **state)
{
    (void)state;
    static const char *const dims[] = {
        "[[1, 2, 3, 4, 5, 6, 7, 8]]",    "[[1, 2, 3, 4, 5, 6, 7, 8], []]", "[]", "[ ]",   "[\"]\"]",
        "[[1, 2, 3, 4, 5, 6, 7, 8],[]]", "[[1, 2, 3, 4, 5, 6, 7, 88]]",    "7",  "\"[]\""
    };
    enum { KINDS = AZ_LENGTH(dims), OPS = 40 * KINDS };
    static char text[OPS * 400];
    size_t n = 0;
    text[n++] = '[';
    for (int i = 0; i < OPS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::%s\",\"pid\":1,"
                              "\"tid\":1,\"ts\":%d,"
                              "\"dur\":1,\"args\":{\"Input Dims\":%s,\"Input Strides\": %s}}",
                              i ? "," : "", i % 7 ? "convolution" : "mm", i, dims[i * i % KINDS],
                              dims[(i / 3) % KINDS]);
    text[n++] = ']';
    for (size_t window = 0; window < 2000; window += 613) { /* 0: the usual one */
        struct fixture f;
        begin(&f, text, n);
        const struct az_pytorch_tuning tuning = { .split_min = INT64_MAX, .window = window };
        struct az_parse job = { .files = f.files,
                                .n_files = 1,
                                .opts = &f.opts,
                                .trace = &f.trace,
                                .diag = &f.diag,
                                .mem = &f.mem,
                                .threads = 1 };
        assert_int_equal(az_pytorch_parse(&job, &tuning), 0);
        assert_int_equal(az_trace_finalize(&f.trace), 0);
        const struct az_optrace *o = az_optrace(&f.trace);
        const struct az_events *e = &f.trace.ev[AZ_HOST_OP];
        assert_int_equal(e->n, OPS);
        for (int i = 0; i < OPS; i++) {
            const struct az_op_args *a =
                &o->args.v[o->ops.v[az_op_side(&f.trace, (uint32_t)i)].args];
            const char *want[] = { dims[i * i % KINDS], dims[(i / 3) % KINDS] };
            for (int k = 0; k < 2; k++) {
                char compact[64];
                size_t m = 0;
                for (const char *c = want[k]; *c; c++)
                    if (*c != ' ')
                        compact[m++] = *c;
                compact[m] = 0;
                assert_true(named(&f, k ? a->strides : a->dims, compact));
            }
        }
        fixture_close(&f);
    }
}

/* A process name without a thread, device and stream below zero, more categories than are listed
 * one by one. */
static void odd_numbers(void **state)
{
    (void)state;
    struct fixture f;
    char text[64 << 10];
    int n =
        snprintf(text, sizeof text,
                 "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":-1,\"args\":{\"name\":\"p\"}},"
                 "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":-1,\"tid\":-2,\"ts\":1,"
                 "\"dur\":1}");
    for (int i = 0; i < 300; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ",{\"ph\":\"X\",\"cat\":\"cat%d\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":"
                      "1,\"dur\":1}",
                      i);
    snprintf(text + n, sizeof text - (size_t)n, "]");
    read_text(&f, text);
    const uint32_t lane = f.trace.ev[AZ_KERNEL].lane[0];
    assert_int_equal(f.trace.lanes.v[lane].device, -1);
    assert_true(f.trace.lanes.v[lane].context == UINT64_MAX);
    assert_true(named(&f, az_optrace(&f.trace)->lane_names.v[lane].process_name, "p"));
    assert_int_equal(f.trace.drops.n, 257);
    assert_int_equal(f.trace.drops.v[256].count, 44);
    fixture_close(&f);
}

static void metadata(void **state)
{
    (void)state;
    struct fixture f;
    read_text(
        &f,
        "{\"deviceProperties\":[{\"id\":0,\"name\":\"A "
        "\\u0042\",\"numSms\":132,\"totalGlobalMem\":80},{\"id\":1,\"name\":\"\"},7],"
        "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,\"world_size\":8},\"cupti_version\":"
        "24,\"with_"
        "stack\":\"1\",\"ignored\":{\"rank\":9},"
        "\"traceEvents\":[" OP
        ",{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"old\"}},"
        "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":"
        "\"py\\tthon\"}},"
        "{\"name\":\"process_labels\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"labels\":"
        "\"CPU\"}},"
        "{\"name\":\"no_such\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"x\"}},"
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"main\"}}"
        "," KERNEL "],\"schemaVersion\":1}");
    const struct az_optrace *o = az_optrace(&f.trace);
    const struct az_lane_names *l = &o->lane_names.v[f.trace.ev[AZ_HOST_OP].lane[0]];
    assert_true(named(&f, l->process_name, "py\tthon") && named(&f, l->process_label, "CPU") &&
                named(&f, l->thread_name, "main"));
    assert_int_equal(o->lane_names.v[f.trace.ev[AZ_KERNEL].lane[0]].process_name, AZ_NO_ID);
    assert_int_equal(f.trace.rank, 3);
    assert_int_equal(f.trace.world_size, 8);
    assert_int_equal(f.trace.devices.n, 2);
    assert_true(az_sv_is(f.trace.devices.v[0].name, "A B"));
    assert_int_equal(f.trace.devices.v[0].sm_count, 132);
    assert_true(fact_is(&f, "backend", "nccl") && fact_is(&f, "cupti_version", "24") &&
                fact_is(&f, "schemaVersion", "1"));
    fixture_close(&f);
}

static void flows(void **state)
{
    (void)state;
    struct fixture f;
    static const char text[] =
        "[" LAUNCH "," KERNEL ",{\"ph\":\"s\",\"id\":\"3\",\"pid\":1,\"tid\":1,\"ts\":5,\"cat\":"
        "\"ac2g\",\"name\":\"ac2g\"},"
        "{\"ph\":\"f\",\"id\":3,\"pid\":0,\"tid\":7,\"ts\":10.5,\"cat\":\"ac2g\",\"bp\":\"e\"},{"
        "\"ph\":\"s\",\"id\":"
        "\"x\",\"cat\":\"ac2g\"},"
        "{\"ph\":\"s\",\"id\":4,\"pid\":1,\"tid\":1,\"ts\":1,\"cat\":\"fwdbwd\"},{\"ph\":\"f\","
        "\"id\":4,\"pid\":1,"
        "\"tid\":2,\"ts\":9,\"cat\":\"fwdbwd\"},"
        "{\"ph\":\"s\",\"id\":5,\"cat\":\"other\"}]";
    begin(&f, text, sizeof text - 1);
    f.opts.link_by = AZ_SV("flow");
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(az_optrace(&f.trace)->flows.n, 2);
    assert_int_equal(az_optrace(&f.trace)->fwdbwd.n, 2);
    assert_int_equal(az_trace_finalize(&f.trace), 0);
    assert_int_equal(az_tree(&f.trace)->n_linked, 1);
    fixture_close(&f);
    read_text(&f, text);
    assert_int_equal(az_optrace(&f.trace)->flows.n, 0);
    assert_true(az_optrace(&f.trace)->has_flows);
    assert_int_equal(az_tree(&f.trace)->n_linked, 1);
    fixture_close(&f);
}

static void broken_files(void **state)
{
    (void)state;
    struct fixture f;
    fails("", AZ_EEMPTY, "empty file");
    fails("  \n ", AZ_EEMPTY, "empty file");
    fails("{\"a\":1}", AZ_EFORMAT, "no 'traceEvents'");
    fails("{\"traceEven", AZ_EFORMAT, "truncated before its events");
    fails("{\"a\" 1}", AZ_EFORMAT, "malformed JSON");
    fails("hello", AZ_EFORMAT, "malformed JSON");
    fails("{\"traceEvents\":{}}", AZ_EFORMAT, "malformed JSON");
    begin(&f, "[" OP "," KERNEL ",{\"ph\":\"X\",\"na",
          strlen("[" OP "," KERNEL ",{\"ph\":\"X\",\"na"));
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "truncated: 2 complete events read"));
    assert_int_equal(f.trace.kept, 2);
    fixture_close(&f);
    static const char bad[] = "[" OP ",{\"ph\":\"X\",\"na\"me\":1}," KERNEL "]";
    begin(&f, bad, sizeof bad - 1);
    assert_int_equal(PARSE(&f), 0);
    assert_true(said(&f, AZ_WARNING, "malformed JSON at 1 place(s)"));
    assert_int_equal(dropped(&f, "malformed events"), 1);
    assert_int_equal(f.trace.kept, 2);
    fixture_close(&f);
    begin(&f, bad, sizeof bad - 1);
    f.opts.strict = true;
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "malformed JSON"));
    fixture_close(&f);
    begin(&f, "[" OP, strlen("[" OP));
    f.opts.strict = true;
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "truncated after 1 events"));
    fixture_close(&f);
    begin(&f, "[" OP "]", strlen("[" OP "]"));
    f.cancel = true;
    assert_int_equal(PARSE(&f), AZ_EINTR);
    fixture_close(&f);
}

static void tolerances(void **state)
{
    (void)state;
    struct fixture f;
    read_text(&f, "[" EV("\"cat\":\"kernel\",\"name\":\"a\tb\x01\xff\",\"pid\":0,\"tid\":1,\"ts\":"
                         "1.0005,\"dur\":\"2."
                         "5\",\"args\":{\"bytes\":Infinity,\"stream\":-inf,\"device\":nan}") "]");
    const struct az_events *k = &f.trace.ev[AZ_KERNEL];
    assert_true(named(&f, k->name[0], "a\tb\x01\xff"));
    assert_int_equal(k->start[0], 1000); /* half to even */
    assert_int_equal(k->end[0], 3500);
    assert_int_equal(f.trace.lanes.v[0].device, 0);
    fixture_close(&f);
}

static void probing(void **state)
{
    (void)state;
    const struct az_sv path = AZ_SV("x");
    assert_true(az_format_pytorch.probe(AZ_SV("{\"schemaVersion\":1,\"traceEvents\":["), path) >=
                80);
    assert_true(az_format_pytorch.probe(AZ_SV("\xef\xbb\xbf{\"schemaVersion\":1,\"traceEvents\":["),
                                        path) >= 80);
    assert_true(az_format_pytorch.probe(AZ_SV("\n[{\"ph\":\"X\"}"), path) > 0);
    assert_true(az_format_pytorch.probe(AZ_SV("{\"deviceProperties\":["), path) > 0);
    assert_true(az_format_pytorch.probe(
                    AZ_SV("{\"rows\":[\"schemaVersion\",1],\"schemaVersion\" : 1"), path) > 0);
    assert_int_equal(az_format_pytorch.probe(
                         AZ_SV("{\"rows\":[[\"schemaVersion\", 1], [\"deviceProperties\"]]"), path),
                     0);
    assert_int_equal(az_format_pytorch.probe(AZ_SV("{\"rows\":[\"schemaVersion\""), path), 0);
    assert_int_equal(az_format_pytorch.probe(AZ_SV("[1,2]"), path), 0);
    assert_int_equal(az_format_pytorch.probe(AZ_SV("{}"), path), 0);
    assert_int_equal(az_format_pytorch.probe(AZ_SV("a,b\n"), path), 0);
    assert_true(az_sv_is(az_format_pytorch.stem(AZ_SV("/d/r0.pt.trace.json.gz")), "r0"));
    assert_true(az_sv_is(az_format_pytorch.stem(AZ_SV("r0.json")), "r0"));
}

static void memory_limits(void **state)
{
    (void)state;
    static const char text[] =
        "{\"deviceProperties\":[{\"id\":0}],\"traceEvents\":[" OP "," LAUNCH "," KERNEL "]}";
    int rc = AZ_ELIMIT;
    for (size_t limit = 1000; rc != 0; limit += 3001) {
        struct fixture f;
        begin(&f, text, sizeof text - 1);
        f.mem.limit = f.mem.used + limit;
        rc = PARSE(&f);
        if (rc == 0)
            rc = az_trace_finalize(&f.trace);
        else
            assert_true(said(&f, AZ_ERROR, "memory"));
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        fixture_close(&f);
    }
}

/* Captures that cannot be read are warnings; a list from elsewhere names files of the folder. */
static void captures_that_cannot_be_read(void **state)
{
    (void)state;
    static const char list[] =
        "[{\"file\":\"/elsewhere/broken.json\",\"batch_size\":8,\"mode\":\"FULL\"},"
        "{\"file\":\"/elsewhere/gone.json\",\"batch_size\":16,\"mode\":\"FULL\"}]";
    static const char trace[] = "{\"traceEvents\":[" OP "," EV(
        "\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"pid\":1,\"tid\":1,\"ts\":5,"
        "\"dur\":1.25,\"args\":{\"correlation\":3}") "," KERNEL "]}";
    struct fixture f;
    begin(&f, trace, sizeof trace - 1);
    const char *folder = fixture_path(&f, "captures");
    assert_int_equal(mkdir(folder, 0777), 0);
    fixture_write(&f, "captures/broken.json", "no trace", 8);
    fixture_write(&f, "captures/execution_details.json", list, sizeof list - 1);
    f.opts.capture_folder = az_sv_str(folder);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(f.diag.errors, 0);
    assert_true(said(&f, AZ_WARNING, "captures/broken.json"));
    assert_true(said(&f, AZ_WARNING, "/elsewhere/gone.json"));
    assert_false(said(&f, AZ_WARNING, "/elsewhere/broken.json"));
    assert_int_equal(az_optrace(&f.trace)->grafted.unread, 2);
    fixture_close(&f);
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xfc159c13);
}

/* The rank in the name of a file, else in its folders; the last whole word counts, and of the words
 * `rank`, `tp` and `dp` the first that has a number. */
static void ranks_of_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int64_t want;
    } cases[] = {
        { "rank_3.json", 3 },
        { "rank-3.json", 3 },
        { "rank=3.json", 3 },
        { "rank3.json", 3 },
        { "Rank3.json", 3 },
        { "rank__3.json", -1 },
        { "rank.json", -1 },
        { "rank", -1 },
        { "", -1 },
        { "ranks3.json", -1 },
        { "frank3.json", -1 },
        { "a_rank3.json", 3 },
        { "rank1_rank2.json", 2 },
        { "rank1_rank.json", 1 },
        { "tp4.json", 4 },
        { "dp5.json", 5 },
        { "dp5_tp4.json", 4 },
        { "tp4_rank3.json", 3 },
        { "rank1/trace.json", 1 },
        { "tp1/dp2.json", 2 },
        { "rank1/tp2.json", 2 },
        { "rank1/rank2/x.json", 2 },
        { "dp1/rank2/x.json", 2 },
        { "rank1/x", 1 },
        { "rank12345", 12345 },
        { "rank99999999999999999999", -1 },
    };
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        if (az_pytorch_rank_of(az_sv_str(cases[i].path)) != cases[i].want)
            fail_msg("%s: %lld", cases[i].path,
                     (long long)az_pytorch_rank_of(az_sv_str(cases[i].path)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_paths),
#ifdef AZ_V3
        cmocka_unit_test(forms_of_the_reader),
#endif
        cmocka_unit_test(two_files),
        cmocka_unit_test(graph_nodes),
        cmocka_unit_test(layouts),
        cmocka_unit_test(escaped_letters),
        cmocka_unit_test(begins_and_ends),
        cmocka_unit_test(gzipped),
        cmocka_unit_test(captures_that_cannot_be_read),
        cmocka_unit_test(old_and_other_writers),
        cmocka_unit_test(lanes),
        cmocka_unit_test(arguments),
        cmocka_unit_test(sequence_numbers),
        cmocka_unit_test(repeated_arguments),
        cmocka_unit_test(events_left_out),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(metadata),
        cmocka_unit_test(flows),
        cmocka_unit_test(broken_files),
        cmocka_unit_test(tolerances),
        cmocka_unit_test(probing),
        cmocka_unit_test(memory_limits),
        cmocka_unit_test(base_times),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
