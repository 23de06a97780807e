/* results.json of rocprofv3: what is read, what is missing, what is broken (docs/formats-rocprof.md
 * 2, 8). */
#define _DEFAULT_SOURCE
#include "formats_nsys.h"
#include "unit/trace_text.h"

#include "model/dispatch.h"

#define PARSE(f) fixture_parse((f), &az_format_rocprof)

#define STRINGS                                                                                    \
    "\"strings\":{\"callback_records\":[],\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[" \
    "]},"                                                                                          \
    "{\"kind\":\"HIP_RUNTIME_API_EXT\",\"operations\":[\"NONE\",\"hipLaunchKernel\"]},"            \
    "{\"kind\":\"MARKER_CORE_RANGE_API\",\"operations\":[\"NONE\",\"roctxThreadRangeA\"]},"        \
    "{\"kind\":\"MEMORY_COPY\",\"operations\":[\"NONE\",\"MEMORY_COPY_HOST_TO_DEVICE\"]}],"        \
    "\"marker_api\":[{\"key\":77,\"value\":\"\xc3\xa9tape \\u0031\"}]}"
#define AGENTS                                                                                     \
    "\"agents\":[{\"id\":{\"handle\":900},\"type\":1,\"logical_node_id\":0},"                      \
    "{\"id\":{\"handle\":18446744073709551615},\"type\":2,\"logical_node_id\":3,\"product_name\":" \
    "\"Acc\",\"cu_"                                                                                \
    "count\":304}]"
#define SYMBOLS                                                                                    \
    "\"kernel_symbols\":[{\"kernel_id\":0,\"code_object_id\":0,\"kernel_name\":\"\",\"truncated_"  \
    "kernel_name\":\"0\"},"                                                                        \
    "{\"kernel_id\":7,\"code_object_id\":1,\"kernel_name\":\"_Z1fv.kd\",\"formatted_kernel_"       \
    "name\":\"void f<int>()\","                                                                    \
    "\"demangled_kernel_name\":\"void f<int>() [clone "                                            \
    ".kd]\",\"truncated_kernel_name\":\"f\",\"arch_vgpr_count\":24,"                               \
    "\"kernel_object\":18446744073709551615}]"
#define META                                                                                       \
    "\"metadata\":{\"pid\":42,\"init_time\":100,\"fini_time\":9000,\"node\":{\"hostname\":\"h\"}," \
    "\"command\":[\"a\","                                                                          \
    "\"b c\"]}"
#define DISPATCH(kernel, start, end, more)                                                         \
    "{\"size\":184,\"kind\":5,\"operation\":2,\"thread_id\":11,\"correlation_id\":{\"internal\":"  \
    "5,\"external\":0},"                                                                           \
    "\"start_timestamp\":" start ",\"end_timestamp\":" end                                         \
    ",\"dispatch_info\":{\"size\":72,\"agent_id\":"                                                \
    "{\"handle\":18446744073709551615},\"queue_id\":{\"handle\":2},\"kernel_id\":" kernel          \
    ",\"dispatch_id\":9,"                                                                          \
    "\"private_segment_size\":16,\"group_segment_size\":512,\"workgroup_size\":{\"x\":64,\"y\":2," \
    "\"z\":1},"                                                                                    \
    "\"grid_size\":{\"x\":128,\"y\":4,\"z\":1}}" more "}"
#define BUFFER(dispatches) "\"buffer_records\":{\"kernel_dispatch\":[" dispatches "]}"
#define TOOL(process)      "{\"rocprofiler-sdk-tool\":[{" process "}]}"

static int parse_text(struct fixture *f, const char *text)
{
    fixture_open(f);
    fixture_add(f, fixture_write(f, "x_results.json", text, strlen(text)), NULL, false);
    return PARSE(f);
}

static const struct az_events *kernels(const struct fixture *f) { return &f->trace.ev[AZ_KERNEL]; }

static void whole(void **state)
{
    struct fixture f;
    (void)state;
    assert_int_equal(
        parse_text(
            &f,
            TOOL(META
                 "," AGENTS "," STRINGS "," SYMBOLS
                 ",\"callback_records\":{\"counter_collection\":[]},"
                 "\"buffer_records\":{\"kernel_dispatch\":[" DISPATCH(
                     "7", "300", "450",
                     ",\"stream_id\":{\"handle\":4}") "," DISPATCH("7", "200", "210",
                                                                   "") "],"
                                                                       "\"hip_api\":[{\"kind\":1,"
                                                                       "\"operation\":1,"
                                                                       "\"correlation_id\":{"
                                                                       "\"internal\":5},\"start_"
                                                                       "timestamp\":150,\"end_"
                                                                       "timestamp\":160,\"thread_"
                                                                       "id\":11,"
                                                                       "\"args\":[{\"name\":\"x\","
                                                                       "\"value\":\"}]\"}]}],"
                                                                       "\"marker_api\":[{\"kind\":"
                                                                       "2,\"operation\":1,"
                                                                       "\"correlation_id\":{"
                                                                       "\"internal\":77},\"start_"
                                                                       "timestamp\":140,\"end_"
                                                                       "timestamp\":500,\"thread_"
                                                                       "id\":11}],"
                                                                       "\"memory_copy\":[{\"kind\":"
                                                                       "3,\"operation\":1,"
                                                                       "\"correlation_id\":{"
                                                                       "\"internal\":6},\"start_"
                                                                       "timestamp\":1,\"end_"
                                                                       "timestamp\":2,"
                                                                       "\"dst_agent_id\":{"
                                                                       "\"handle\":"
                                                                       "18446744073709551615},"
                                                                       "\"src_agent_id\":{"
                                                                       "\"handle\":900},\"bytes\":"
                                                                       "4096}],"
                                                                       "\"memory_allocation\":[{"
                                                                       "\"kind\":9,"
                                                                       "\"operation\":1,\"start_"
                                                                       "timestamp\":1,\"end_"
                                                                       "timestamp\":2,\"agent_id\":"
                                                                       "{\"handle\":0},"
                                                                       "\"address\":"
                                                                       "\"0xffffffffffffff00\","
                                                                       "\"allocation_size\":0}],"
                                                                       "\"pc_sample_host_trap\":[1,"
                                                                       "2]}")),
        0);
    trace_is(&f.trace,
             "device pid 42 tid 2 device 3 context 4 proc 1\n"
             "device pid 42 tid 2 device 3 context 0 proc 1\n"
             "host pid 42 tid 11 proc 1\n"
             "device pid 42 tid 0 device 3 context 0 proc 1\n"
             "host pid 42 tid 0 proc 1\n"
             "kernel 300 450 'f' @0 corr 5 grid 2,2,1 block 64,2,1 registers 24 shared "
             "512+4294967295 id 9 thread 11 'void f<int>() [clone .kd]' grid 128,4,1 block 64,2,1 "
             "lds 512 scratch 16 vgpr 24 agpr 0 sgpr 0\n"
             "kernel 200 210 'f' @1 corr 5 grid 2,2,1 block 64,2,1 registers 24 shared "
             "512+4294967295 id 9 thread 11 'void f<int>() [clone .kd]' grid 128,4,1 block 64,2,1 "
             "lds 512 scratch 16 vgpr 24 agpr 0 sgpr 0\n"
             "memcpy 1 2 'MEMORY_COPY_HOST_TO_DEVICE' @3 corr 6 bytes 4096 gbps 0 op -1 src -1 dst "
             "-1 route 0 3\n"
             "API call 150 160 'hipLaunchKernel' @2 corr 5 of HIP_RUNTIME_API_EXT\n"
             "range 140 500 'étape 1' @2 corr 77 range 77 style 0\n"
             "allocation 1 2 'kind 9 operation 1' @4 bytes 0 address ffffffffffffff00 agent -\n"
             "agent 1 0\n"
             "agent 1 3 gpu\n"
             "process 42 100 9000\n"
             "device 3 'Acc' 304 0\n"
             "hostname = h\n"
             "command = a b c\n"
             "read 6 kept 6\n");
    assert_int_equal(az_trace_finalize(&f.trace), 0);
    const struct az_dispatches *d = az_dispatches(&f.trace);
    assert_int_equal(kernels(&f)->n, 2);
    assert_int_equal(kernels(&f)->start[0], 200); /* sorted */
    assert_true(named(&f, kernels(&f)->name[1], "f"));
    const struct az_dispatch *row = az_dispatch_of(&f.trace, 1);
    const struct az_dispatch_shape *s = &d->shapes.v[row->shape];
    assert_int_equal(d->shapes.n, 1);
    assert_true(named(&f, s->whole, "void f<int>() [clone .kd]"));
    assert_int_equal(s->vgpr, 24);
    assert_int_equal(s->grid[1], 4);
    assert_int_equal(s->lds, 512);
    assert_int_equal(row->id, 9);
    assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[1]].device, 3);
    assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[1]].context, 4);
    assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[0]].context, 0); /* no stream_id */
    assert_true(named(&f, f.trace.ev[AZ_RANGE].name[0], "\xc3\xa9tape 1"));
    assert_true(named(&f, f.trace.ev[AZ_CALL].name[0], "hipLaunchKernel"));
    assert_true(named(&f, f.trace.ev[AZ_CALL].side[0], "HIP_RUNTIME_API_EXT"));
    assert_true(named(&f, f.trace.ev[AZ_MEMCPY].name[0], "MEMORY_COPY_HOST_TO_DEVICE"));
    assert_int_equal(f.trace.copies.v[0].bytes, 4096);
    assert_int_equal(d->routes.v[0].src, 0);
    assert_int_equal(d->routes.v[0].dst, 3);
    assert_true(d->allocs.v[0].address == 0xffffffffffffff00u);
    assert_int_equal(d->allocs.v[0].agent, AZ_NO_AGENT);
    assert_true(named(&f, f.trace.ev[AZ_ALLOC].name[0], "kind 9 operation 1"));
    assert_int_equal(d->processes.v[0].fini, 9000);
    assert_true(fact_is(&f, "command", "a b c"));
    assert_int_equal(f.trace.devices.n, 1);
    assert_int_equal(f.diag.errors + f.diag.warnings, 0);
    fixture_close(&f);
}

/* Members in another order: numbers are named when the process ends. */
static void order_of_members(void **state)
{
    struct fixture f;
    (void)state;
    assert_int_equal(parse_text(&f, TOOL(AGENTS "," BUFFER(DISPATCH(
                                        "7", "1", "2", "")) "," SYMBOLS "," STRINGS "," META)),
                     0);
    assert_true(named(&f, kernels(&f)->name[0], "f"));
    assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[0]].pid, 42);
    fixture_close(&f);
}

/* Records before everything that says who they are of: a copy to the host, an allocation, a
 * dispatch, also one that is known by its counters alone. */
static void records_first(void **state)
{
    static const char *const buffers =
        "\"buffer_records\":{%s\"memory_copy\":[{\"kind\":3,\"operation\":2,\"start_timestamp\":3,"
        "\"end_timestamp\":4,\"src_agent_id\":{\"handle\":18446744073709551615},\"dst_agent_id\":{"
        "\"handle\":900}}],\"memory_allocation\":[{\"kind\":1,\"operation\":1,\"start_timestamp\":"
        "1,"
        "\"end_timestamp\":2,\"agent_id\":{\"handle\":18446744073709551615}},{\"kind\":1,"
        "\"operation\":1,"
        "\"start_timestamp\":5,\"end_timestamp\":6,\"agent_id\":{\"handle\":0}}]}";
    static const char dispatch[] = "\"kernel_dispatch\":[" DISPATCH("7", "1", "2", "") "],";
    static const char counted[] =
        "\"callback_records\":{\"counter_collection\":[{\"dispatch_data\":" DISPATCH(
            "7", "1", "2", "") ",\"records\":[]}]}";
    char text[8192], part[4096];
    struct fixture f;
    (void)state;
    for (int i = 0; i < 2; i++) {
        (void)snprintf(part, sizeof part, buffers, i ? "" : dispatch);
        (void)snprintf(text, sizeof text, TOOL("%s,%s," SYMBOLS "," AGENTS "," STRINGS "," META),
                       part, i ? counted : "\"x\":1");
        assert_int_equal(parse_text(&f, text), 0);
        const struct az_dispatches *d = az_dispatches(&f.trace);
        assert_int_equal(kernels(&f)->n, 1);
        assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[0]].device, 3);
        assert_int_equal(f.trace.lanes.v[kernels(&f)->lane[0]].pid, 42);
        assert_int_equal(d->routes.v[0].src, 3);
        assert_int_equal(d->routes.v[0].dst, 0);
        assert_int_equal(f.trace.lanes.v[f.trace.ev[AZ_MEMCPY].lane[0]].device,
                         3); /* the GPU of the two */
        assert_int_equal(d->allocs.v[0].agent, 3);
        assert_int_equal(d->allocs.v[1].agent, AZ_NO_AGENT);
        fixture_close(&f);
    }
}

static void several_processes(void **state)
{
    struct fixture f;
    (void)state;
    static const char other[] =
        "\"kernel_symbols\":[{\"kernel_id\":7,\"code_object_id\":1,\"kernel_name\":\"g.kd\","
        "\"formatted_kernel_name\":\"g\"}]";
    char text[8192];
    (void)snprintf(text, sizeof text, "{\"rocprofiler-sdk-tool\":[{%s},{%s}]}",
                   META "," AGENTS "," SYMBOLS "," BUFFER(DISPATCH("7", "10", "20", "")), AGENTS);
    (void)snprintf(text + strlen(text) - 3, sizeof text - strlen(text) + 3, ",%s,%s}]}", other,
                   BUFFER(DISPATCH("7", "30", "40", "")));
    assert_int_equal(parse_text(&f, text), 0);
    assert_int_equal(kernels(&f)->n, 2);
    assert_true(named(&f, kernels(&f)->name[0], "f"));
    assert_true(named(&f, kernels(&f)->name[1], "g")); /* id 7 is another kernel there */
    assert_int_equal(az_dispatches(&f.trace)->processes.n, 2);
    assert_int_not_equal(f.trace.lanes.v[kernels(&f)->lane[0]].proc,
                         f.trace.lanes.v[kernels(&f)->lane[1]].proc);
    fixture_close(&f);
}

static void kernel_without_symbol(void **state)
{
    struct fixture f;
    (void)state;
    assert_int_equal(parse_text(&f, TOOL(AGENTS "," SYMBOLS "," BUFFER(DISPATCH(
                                        "99", "1", "2", "") "," DISPATCH("0", "3", "4", "")))),
                     0);
    assert_true(named(&f, kernels(&f)->name[0], "unknown_kernel_99"));
    assert_true(
        named(&f, kernels(&f)->name[1], "unknown_kernel_0")); /* the placeholder is no name */
    assert_true(said(&f, AZ_WARNING, "2 dispatch(es) of kernels without a symbol"));
    fixture_close(&f);
}

/* The number of each of many kernels without a symbol, wherever the index has it. */
static void many_without_symbols(void **state)
{
    enum { FIRST = 1000, KERNELS = 120 };
    static char text[KERNELS * 600];
    struct fixture f;
    size_t n = 0;
    (void)state;
    n += (size_t)snprintf(text, sizeof text,
                          "{\"rocprofiler-sdk-tool\":[{" AGENTS "," SYMBOLS
                          ",\"buffer_records\":{\"kernel_dispatch\":[");
    for (int i = 0; i < KERNELS; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s" DISPATCH("%d", "%d", "%d", ""),
                              i ? "," : "", 10 * i, 10 * i + 5, FIRST + i);
    (void)snprintf(text + n, sizeof text - n, "]}}]}");
    assert_int_equal(parse_text(&f, text), 0);
    assert_int_equal(kernels(&f)->n, KERNELS);
    for (int i = 0; i < KERNELS; i++) {
        char want[40];
        snprintf(want, sizeof want, "unknown_kernel_%d", FIRST + i);
        assert_true(named(&f, kernels(&f)->name[i], want));
    }
    fixture_close(&f);
}

static void names_full(void **state)
{
    struct fixture f;
    (void)state;
    static const char text[] = TOOL(AGENTS "," SYMBOLS "," BUFFER(DISPATCH("7", "1", "2", "")));
    fixture_open(&f);
    f.opts.kernel_names = AZ_SV("full");
    fixture_add(&f, fixture_write(&f, "x_results.json", text, sizeof text - 1), NULL, false);
    assert_int_equal(PARSE(&f), 0);
    assert_true(named(&f, kernels(&f)->name[0], "void f<int>()"));
    fixture_close(&f);
}

static void lengths(void **state)
{
    struct fixture f;
    (void)state;
    assert_int_equal(parse_text(&f, TOOL(AGENTS "," SYMBOLS "," BUFFER(DISPATCH(
                                        "7", "5", "5", "") "," DISPATCH("7", "9", "3", "")))),
                     0);
    assert_int_equal(kernels(&f)->n, 1); /* a negative length is impossible */
    assert_int_equal(f.trace.quality.impossible, 1);
    fixture_close(&f);
}

static void empty_arrays(void **state)
{
    static const char *const texts[] = {
        "{\"rocprofiler-sdk-tool\":[]}", TOOL(""), TOOL(META "," BUFFER("")),
        TOOL("\"buffer_records\":null"),
        TOOL("\"buffer_records\":{\"kernel_dispatch\":null,\"hip_api\":{}}")
    };
    struct fixture f;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(texts); i++) {
        assert_int_equal(parse_text(&f, texts[i]), 0);
        assert_false(az_trace_has_activity(&f.trace));
        fixture_close(&f);
    }
}

static void wrong_content(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = { { "{\"a\":1}", "not a rocprofv3 result: missing key 'rocprofiler-sdk-tool'" },
                  { "[1,2]", "missing key 'rocprofiler-sdk-tool'" },
                  { "{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{",
                    "truncated before its records" },
                  { "nonsense", "malformed" },
                  { "{\"a\":", "truncated before" } };
    struct fixture f;
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        fixture_open(&f);
        fixture_add(&f, fixture_write(&f, "x_results.json", cases[i].text, strlen(cases[i].text)),
                    NULL, false);
        int rc = PARSE(&f);
        if (i != 3) { /* that one is taken for a CSV */
            assert_int_equal(rc, AZ_EFORMAT);
            assert_true(said(&f, AZ_ERROR, cases[i].said));
        }
        assert_int_not_equal(rc, 0);
        fixture_close(&f);
    }
}

static void truncated(void **state)
{
    static const char text[] = TOOL(
        AGENTS "," SYMBOLS "," BUFFER(DISPATCH("7", "1", "2", "") "," DISPATCH("7", "3", "4", "")));
    struct fixture f;
    (void)state;
    fixture_open(&f);
    fixture_add(&f, fixture_write(&f, "x_results.json", text, sizeof text - 40), NULL, false);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(named(&f, kernels(&f)->name[0], "f")); /* named although the process has no end */
    assert_true(said(&f, AZ_WARNING, "truncated: "));
    fixture_close(&f);

    fixture_open(&f);
    f.opts.strict = true;
    fixture_add(&f, fixture_write(&f, "x_results.json", text, sizeof text - 40), NULL, false);
    assert_int_equal(PARSE(&f), AZ_EFORMAT);
    assert_true(said(&f, AZ_ERROR, "truncated after "));
    fixture_close(&f);
}

/* A stored gzip member whose last bytes are gone. */
static void truncated_gzip(void **state)
{
    static const char text[] = TOOL(AGENTS "," SYMBOLS "," BUFFER(DISPATCH("7", "1", "2", "")));
    unsigned char gz[sizeof text + 64] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1 };
    size_t n = sizeof text - 1;
    struct fixture f;
    (void)state;
    gz[11] = (unsigned char)n, gz[12] = (unsigned char)(n >> 8), gz[13] = (unsigned char)~n,
    gz[14] = (unsigned char)(~n >> 8);
    memcpy(gz + 15, text, n);
    fixture_open(&f);
    fixture_add(&f, fixture_write(&f, "x_results.json.gz", (const char *)gz, 15 + n - 5), NULL,
                false);
    assert_int_equal(PARSE(&f), 0);
    assert_int_equal(kernels(&f)->n, 1);
    assert_true(said(&f, AZ_WARNING, "truncated: "));
    assert_int_equal(f.diag.errors, 0);   /* the input is done: exit status 0 */
    assert_int_equal(f.diag.warnings, 2); /* "truncated gzip stream", said once */
    fixture_close(&f);
}

static void malformed_record(void **state)
{
    struct fixture f;
    (void)state;
    assert_int_equal(
        parse_text(&f, TOOL(AGENTS "," SYMBOLS "," BUFFER(
                           DISPATCH("7", "1", "2", "") ",{\"size\":184,\"kind\":oops\"}," DISPATCH(
                               "7", "3", "4", "")))),
        0);
    assert_true(kernels(&f)->n >= 1);
    assert_true(said(&f, AZ_WARNING, "malformed JSON"));
    fixture_close(&f);
}

static void counters(void **state)
{
    struct fixture f;
    (void)state;
#define COUNTED                                                                                    \
    "\"counters\":[{\"id\":{\"handle\":71},\"name\":\"SQ_WAVES\"}],\"callback_records\":{"         \
    "\"counter_collection\":["                                                                     \
    "{\"thread_id\":1,\"dispatch_data\":{\"correlation_id\":{\"internal\":5},\"start_timestamp\":" \
    "10,\"end_"                                                                                    \
    "timestamp\":20,"                                                                              \
    "\"dispatch_info\":{\"agent_id\":{\"handle\":18446744073709551615},\"kernel_id\":7,"           \
    "\"dispatch_id\":9}},"                                                                         \
    "\"records\":[{\"counter_id\":{\"handle\":71},\"value\":1.5},{\"counter_id\":{\"handle\":71}," \
    "\"value\":2},"                                                                                \
    "{\"counter_id\":{\"handle\":5},\"value\":3}]}]}"
    assert_int_equal(parse_text(&f, TOOL(AGENTS "," COUNTED "," SYMBOLS)), 0);
    const struct az_counters *c = &az_dispatches(&f.trace)->counters;
    assert_int_equal(c->n, 3);
    assert_true(named(&f, c->v[0].counter, "SQ_WAVES"));
    assert_true(named(&f, c->v[2].counter, "counter_5"));
    assert_true(named(&f, c->v[0].kernel, "f"));
    assert_true(c->v[0].value == 1.5);
    assert_int_equal(kernels(&f)->n,
                     1); /* without a kernel trace the counted dispatches are the kernels */
    assert_true(named(&f, kernels(&f)->name[0], "f"));
    fixture_close(&f);
    assert_int_equal(parse_text(&f, TOOL(AGENTS "," COUNTED "," SYMBOLS
                                                "," BUFFER(DISPATCH("7", "10", "20", "")))),
                     0);
    assert_int_equal(kernels(&f)->n, 1); /* with one they are not counted twice */
    fixture_close(&f);
}

static void probing(void **state)
{
    (void)state;
    static const char json[] = TOOL(META);
    assert_true(az_format_rocprof.probe(az_sv_make(json, sizeof json - 1), AZ_SV("a.json")) > 90);
    assert_int_equal(az_format_rocprof.probe(AZ_SV("{\"traceEvents\":[]}"), AZ_SV("a.json")), 0);
    assert_true(az_sv_is(az_format_rocprof.stem(AZ_SV("/d/908_results.json.gz")), "908"));
    assert_true(az_sv_is(az_format_rocprof.stem(AZ_SV("/d/x.json")), "x"));
    assert_true(az_sv_is(az_format_rocprof.stem(AZ_SV("/d/a_b_kernel_trace.csv")), "a_b"));
    assert_true(az_format_rocprof.is_rank(AZ_SV("1_results.json")));
    assert_false(az_format_rocprof.is_rank(AZ_SV("1_kernel_trace.csv.gz")));
}

#define GPU(handle, more) "{\"id\":{\"handle\":" handle "},\"type\":2," more "}"

/* Which agents become devices: by logical_node_id, else node_id, which must be a number that a
 * device can have. */
static void agents(void **state)
{
    static const char text[] = TOOL("\"agents\":[5," GPU(
        "10",
        "\"node_id\":4,\"logical_node_id\":0,\"name\":"
        "\"zero\"") "," GPU("11",
                            "\"node_id\":5,\"name\":\"gfx\",\"product_name\":\"Five\",\"cu_count\":"
                            "7,"
                            "\"mem_banks\":[{\"size_in_bytes\":100,\"heap\":1},{\"size_in_bytes\":"
                            "20}"
                            "]") "," GPU("12",
                                         "\"name\":\"no number\"") "," GPU("13",
                                                                           "\"node_id\":"
                                                                           "2147483648,"
                                                                           "\"name\":\"too "
                                                                           "large\"") "," GPU("14",
                                                                                              "\"no"
                                                                                              "de_"
                                                                                              "id\""
                                                                                              ":214"
                                                                                              "7483"
                                                                                              "647,"
                                                                                              "\"na"
                                                                                              "me\""
                                                                                              ":\"l"
                                                                                              "arge"
                                                                                              "\"") "," GPU("15",
                                                                                                            "\"logical_node_id\":\"x\",\"name\":\"zero\"") "," /* not a number: 0 */
                                                                                                                                                           "{\"id\":16,\"type\":1,\"node_id\":6,\"name\":\"host\"}]," SYMBOLS
                                                                                                                                                           "," BUFFER(DISPATCH(
                                                                                                                                                               "7",
                                                                                                                                                               "1",
                                                                                                                                                               "2",
                                                                                                                                                               "")));
    static const struct {
        int64_t id;
        const char *name;
        int64_t units, bytes;
    } want[] = { { 0, "zero", 0, 0 }, { 5, "Five", 7, 120 }, { INT32_MAX, "large", 0, 0 } };
    struct fixture f;
    (void)state;
    assert_int_equal(parse_text(&f, text), 0);
    assert_int_equal(f.trace.devices.n, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct az_device *d = &f.trace.devices.v[i];
        assert_int_equal(d->id, want[i].id);
        assert_true(az_sv_is(d->name, want[i].name));
        assert_int_equal(d->sm_count, want[i].units);
        assert_int_equal(d->memory_bytes, want[i].bytes);
    }
    fixture_close(&f);
}

static void memory_limit(void **state)
{
    static const char text[] = TOOL(AGENTS "," SYMBOLS "," BUFFER(DISPATCH("7", "1", "2", "")));
    (void)state;
    for (size_t limit = 10000; limit < 3000000; limit = limit * 5 / 4) {
        struct fixture f;
        fixture_open(&f);
        fixture_add(&f, fixture_write(&f, "x_results.json", text, sizeof text - 1), NULL, false);
        f.mem.limit = limit > f.mem.used ? limit : f.mem.used + 1;
        int rc = PARSE(&f);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        assert_true(rc == 0 || f.diag.errors == 1);
        fixture_close(&f);
    }
}

/* Results of all inputs above, each changed in many ways (formats_edits.h). */
static void edited(void **state)
{
    (void)state;
    edits_are(0xf790541e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(order_of_members),
        cmocka_unit_test(records_first),
        cmocka_unit_test(several_processes),
        cmocka_unit_test(lengths),
        cmocka_unit_test(kernel_without_symbol),
        cmocka_unit_test(names_full),
        cmocka_unit_test(empty_arrays),
        cmocka_unit_test(wrong_content),
        cmocka_unit_test(truncated),
        cmocka_unit_test(truncated_gzip),
        cmocka_unit_test(malformed_record),
        cmocka_unit_test(counters),
        cmocka_unit_test(probing),
        cmocka_unit_test(memory_limit),
        cmocka_unit_test(agents),
        cmocka_unit_test(many_without_symbols),
        cmocka_unit_test(edited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
