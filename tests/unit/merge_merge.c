/* Merging traces: every place an event changes, byte for byte; and files that are damaged. */
#include "unit/io_temp.h"

#include "io/source.h"
#include "merge/event.h"
#include "merge/merge.h"

/* ---- one event ---- */

static struct az_vec_char out, padded;

static int setup(void **state)
{
    az_vec_init(&out, NULL);
    az_vec_init(&padded, NULL);
    return temp_setup(state);
}

static int teardown(void **state)
{
    az_vec_release(&padded);
    az_vec_release(&out);
    return temp_teardown(state);
}

static struct az_sv with_sentinel(const char *text)
{
    static const char zeros[64];
    az_vec_reset(&padded);
    assert_int_equal(az_text_append(&padded, az_sv_str(text)), 0);
    assert_int_equal(az_text_append(&padded, az_sv_make(zeros, sizeof zeros)), 0);
    return az_sv_make(padded.v, strlen(text));
}

static bool valid(const char *text)
{
    struct az_merge_event e;
    return az_merge_parse(with_sentinel(text), &e);
}

static const char *shifted(const char *text, int64_t rank, unsigned digits, bool external)
{
    struct az_merge_event e;
    const struct az_merge_shift s = { rank, digits, external };
    az_vec_reset(&out);
    assert_true(az_merge_parse(with_sentinel(text), &e));
    assert_int_equal(az_merge_write(&e, &s, &out), 0);
    assert_int_equal(az_vec_push(&out, '\0'), 0);
    return out.v;
}

static void test_shift(void **state)
{
    (void)state;
    assert_string_equal(
        shifted("{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":1.50,\"args\":{\"correlation\":12,\"x\":"
                "1e3}}",
                3, 4, false),
        "{\"ph\":\"X\",\"pid\":30007, \"pid_raw\": 7,\"tid\":7,\"ts\":1.50,\"args\":{\"rank\": 3, "
        "\"correlation\":30012, \"correlation_raw\": 12,\"x\":1e3}}");
    assert_string_equal(shifted("{\"args\": {}, \"id\" : 12 , \"pid\": 0}", 12, 3, false),
                        "{\"args\": {\"rank\": 12}, \"id\" : 12012, \"id_raw\": 12 , \"pid\": "
                        "12000, \"pid_raw\": 0}");
    assert_string_equal(shifted("{\"id\":12}", 0, 3, false),
                        "{\"id\":12, \"id_raw\": 12, \"args\": {\"rank\": 0}}");
    assert_string_equal(shifted("{}", 5, 3, false), "{\"args\": {\"rank\": 5}}");
    assert_string_equal(shifted("{ }", 5, 3, false), "{ \"args\": {\"rank\": 5}}");
    /* the linking argument alone is shifted */
    assert_string_equal(
        shifted("{\"args\":{\"External id\":5,\"correlation\":6}}", 1, 2, true),
        "{\"args\":{\"rank\": 1, \"External id\":105, \"External id_raw\": 5,\"correlation\":6}}");
}

static void test_odd_ids(void **state)
{
    (void)state;
    assert_string_equal(
        shifted("{\"pid\":\"Spans\"}", 2, 3, false),
        "{\"pid\":\"rank2:Spans\", \"pid_raw\": \"Spans\", \"args\": {\"rank\": 2}}");
    assert_string_equal(shifted("{\"pid\":-1}", 2, 3, false),
                        "{\"pid\":1999, \"pid_raw\": -1, \"args\": {\"rank\": 2}}");
    assert_string_equal(shifted("{\"pid\":-1}", 0, 3, false),
                        "{\"pid\":-1, \"pid_raw\": -1, \"args\": {\"rank\": 0}}");
    assert_string_equal(shifted("{\"id\":1.5}", 2, 3, false),
                        "{\"id\":\"rank2:1.5\", \"id_raw\": 1.5, \"args\": {\"rank\": 2}}");
    assert_string_equal(shifted("{\"id\":null}", 2, 3, false),
                        "{\"id\":null, \"args\": {\"rank\": 2}}");
    /* beyond 64 bits: by its digits */
    assert_string_equal(shifted("{\"id\":98765432109876543210}", 2, 21, false),
                        "{\"id\":2098765432109876543210, \"id_raw\": 98765432109876543210, "
                        "\"args\": {\"rank\": 2}}");
    assert_string_equal(shifted("{\"id\":-98765432109876543210}", 2, 21, false),
                        "{\"id\":\"rank2:-98765432109876543210\", \"id_raw\": "
                        "-98765432109876543210, \"args\": {\"rank\": "
                        "2}}");
}

static void test_odd_args(void **state)
{
    (void)state;
    assert_string_equal(shifted("{\"args\":null}", 2, 3, false), "{\"args\":{\"rank\": 2}}");
    assert_string_equal(shifted("{\"args\":[1]}", 2, 3, false),
                        "{\"args\":{\"rank\": 2, \"args_raw\": [1]}}");
    assert_string_equal(shifted("{\"args\":{\"a\":1,\"rank\":\"x\"}}", 2, 3, false),
                        "{\"args\":{\"a\":1,\"rank\":2, \"rank_raw\": \"x\" }}");
    /* a nested `pid` is no process, a `correlation` outside args no link */
    assert_string_equal(
        shifted("{\"correlation\":4,\"args\":{\"pid\":9,\"q\":{\"correlation\":3}}}", 2, 3, false),
        "{\"correlation\":4,\"args\":{\"rank\": 2, \"pid\":9,\"q\":{\"correlation\":3}}}");
    /* twice the same key: a reader takes the last */
    assert_string_equal(shifted("{\"pid\":1,\"pid\":2}", 1, 2, false),
                        "{\"pid\":1,\"pid\":102, \"pid_raw\": 2, \"args\": {\"rank\": 1}}");
}

static void test_validity(void **state)
{
    (void)state;
    static const char *const good[] = { "{\"a\":[1,-0.5e+3,true,false,null,{\"b\":[]}]}",
                                        "{\"a\":\"\\u00e9\\\"\\\\\"}", "{ \"a\" : 0 }",
                                        "{\"\xc3\xa9\":1}" };
    static const char *const bad[] = { "{\"a\":01}",
                                       "{\"a\":+1}",
                                       "{\"a\":1.}",
                                       "{\"a\":.5}",
                                       "{\"a\":1e}",
                                       "{\"a\":NaN}",
                                       "{\"a\":-Infinity}",
                                       "{\"a\":tru}",
                                       "{\"a\":\"\t\"}",
                                       "{\"a\":\"\\x\"}",
                                       "{\"a\":\"\\u12g4\"}",
                                       "{\"a\":[1}]",
                                       "{\"a\":[1,]}",
                                       "{\"a\":1,}",
                                       "{a:1}",
                                       "{\"a\" 1}",
                                       "{\"a\":}",
                                       "{\"a\":\"\xff\"}",
                                       "{\"a\":1 2}",
                                       "{\"a\":\"\\\"}",
                                       "[]",
                                       "{\"a\":{\"b\":1]}" };
    for (size_t i = 0; i < AZ_LENGTH(good); i++)
        assert_true(valid(good[i]));
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        if (valid(bad[i]))
            print_message("taken: %s\n", bad[i]);
        assert_false(valid(bad[i]));
    }
    char deep[400];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    memset(deep + 200, ']', 195);
    memcpy(deep + 395, "}", 2);
    assert_false(valid(deep));
}

static const char *mended(const char *text)
{
    struct az_merge_event e;
    assert_int_equal(az_merge_repair(az_sv_str(text), &out), 0);
    assert_true(az_merge_parse(az_text_view(&out), &e));
    assert_int_equal(az_vec_push(&out, '\0'), 0);
    return out.v;
}

static void test_mending(void **state)
{
    (void)state;
    assert_string_equal(mended("{\"a\":NaN,\"b\":[-Infinity,inf]}"),
                        "{\"a\":null,\"b\":[null,null]}");
    assert_string_equal(mended("{\"a\":\"x\ty\x01\"}"), "{\"a\":\"x\\u0009y\\u0001\"}");
    assert_string_equal(mended("{\"a\":\"NaN \\q \\u12 \\n\"}"),
                        "{\"a\":\"NaN \\\\q \\\\u12 \\n\"}");
    assert_string_equal(mended("{\"a\":\"\xff\xc3\xa9\xef\xbf\xbd\"}"),
                        "{\"a\":\"\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\"}");
}

/* ---- whole files ---- */

#define EV(pid, name, corr)                                                                        \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":" #pid                   \
    ",\"tid\":1,\"ts\":1,\"dur\":2,\"args\":"                                                      \
    "{\"correlation\":" #corr "}}"
#define KERNEL(corr)                                                                               \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":3,\"dur\":4,"      \
    "\"args\":{"                                                                                   \
    "\"correlation\":" #corr "}}"
#define TRACE(rank, events)                                                                        \
    "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":" #rank                                    \
    ",\"world_size\":2},\"displayTimeUnit\":\"ms\","                                               \
    "\"baseTimeNanoseconds\":5,\"traceEvents\":[" events "],\"traceName\":\"x\"}"

static struct az_merge_result result;

static int merge_with(const struct az_merge_opts *o, size_t n)
{
    static const char *const names[] = { "a_rank0.json", "a_rank1.json", "a_rank2.json" };
    struct az_merge_input in[3];
    for (size_t i = 0; i < n; i++) {
        in[i].path = az_sv_str(temp_path(names[i]));
        in[i].rank = az_pytorch_rank_of_name(in[i].path, AZ_SV("rank"));
    }
    return az_pytorch_merge(in, n, o, temp_path("out.json.gz"), &result, &t_diag);
}

static const char *merged(void)
{
    struct az_source *src = NULL;
    struct az_sv all = { NULL, 0 };
    if (az_source_open(&src, temp_path("out.json.gz"), NULL) != 0)
        return NULL;
    assert_true(az_source_is_gzip(src));
    assert_int_equal(az_source_all(src, &t_arena, 0, &all), 0);
    az_source_close(src);
    return all.p;
}

static void put_text(const char *name, const char *text) { temp_write(name, az_sv_str(text)); }

static void test_two_ranks(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5) "," KERNEL(5)));
    put_text("a_rank1.json", TRACE(1, EV(2345, "launch", 5) "," KERNEL(5)));
    assert_int_equal(merge_with(NULL, 2), 0);
    assert_int_equal(result.ranks, 2);
    assert_int_equal(result.kept, 4);
    assert_int_equal(result.digits,
                     5); /* 2345 of rank 1 has four: the largest of all counts, not of the first */
    assert_string_equal(
        merged(),
        "{\"schemaVersion\": 1, \"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": 5, "
        "\"ranks\": [0, 1], "
        "\"traceEvents\": [\n"
        "{\"ph\": \"M\", \"pid\": 10, \"tid\": 0, \"ts\": 0, \"name\": \"process_name\", \"args\": "
        "{\"name\": \"RANK 0 "
        "- "
        "CPU\", \"rank\": 0}},\n"
        "{\"ph\": \"M\", \"pid\": 10, \"tid\": 0, \"ts\": 0, \"name\": \"process_sort_index\", "
        "\"args\": "
        "{\"sort_index\": "
        "0, \"rank\": 0}},\n"
        "{\"ph\": \"M\", \"pid\": 0, \"tid\": 0, \"ts\": 0, \"name\": \"process_name\", \"args\": "
        "{\"name\": \"RANK 0 "
        "- "
        "GPU\", \"rank\": 0}},\n"
        "{\"ph\": \"M\", \"pid\": 0, \"tid\": 0, \"ts\": 0, \"name\": \"process_sort_index\", "
        "\"args\": "
        "{\"sort_index\": "
        "1, \"rank\": 0}},\n"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch\",\"pid\":10, \"pid_raw\": "
        "10,\"tid\":1,\"ts\":1,\"dur\":2,\"args\":{\"rank\": 0, \"correlation\":5, "
        "\"correlation_raw\": 5}},\n"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0, \"pid_raw\": "
        "0,\"tid\":7,\"ts\":3,\"dur\":4,\"args\":{\"rank\": 0, \"correlation\":5, "
        "\"correlation_raw\": 5}},\n"
        "{\"ph\": \"M\", \"pid\": 102345, \"tid\": 0, \"ts\": 0, \"name\": \"process_name\", "
        "\"args\": {\"name\": "
        "\"RANK 1 "
        "- CPU\", \"rank\": 1}},\n"
        "{\"ph\": \"M\", \"pid\": 102345, \"tid\": 0, \"ts\": 0, \"name\": \"process_sort_index\", "
        "\"args\": "
        "{\"sort_index\": 2, \"rank\": 1}},\n"
        "{\"ph\": \"M\", \"pid\": 100000, \"tid\": 0, \"ts\": 0, \"name\": \"process_name\", "
        "\"args\": {\"name\": "
        "\"RANK 1 "
        "- GPU\", \"rank\": 1}},\n"
        "{\"ph\": \"M\", \"pid\": 100000, \"tid\": 0, \"ts\": 0, \"name\": \"process_sort_index\", "
        "\"args\": "
        "{\"sort_index\": 3, \"rank\": 1}},\n"
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"launch\",\"pid\":102345, \"pid_raw\": "
        "2345,\"tid\":1,\"ts\":1,\"dur\":2,\"args\":{\"rank\": 1, \"correlation\":100005, "
        "\"correlation_raw\": 5}},\n"
        "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":100000, \"pid_raw\": "
        "0,\"tid\":7,\"ts\":3,\"dur\":4,\"args\":{\"rank\": 1, \"correlation\":100005, "
        "\"correlation_raw\": 5}}\n]}\n");
}

#define META(what, value)                                                                          \
    "{\"ph\":\"M\",\"name\":\"process_" what "\",\"pid\":10,\"tid\":0,\"args\":{" value "}}"
static const char many[] = TRACE(
    0,
    META("name", "\"name\":\"python\"") "," META("labels", "\"labels\":\"GPU 3\"") "," META(
        "sort_index", "\"sort_index\":9") ","
                                          "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":10,"
                                          "\"tid\":1,\"args\":{\"name\":\"t\"}},"
                                          "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"Record\","
                                          "\"pid\":\"Spans\",\"ts\":1},"
                                          "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f."
                                          "py(1)\",\"pid\":10,\"ts\":1}," EV(10, "first", 1) "," EV(
                                              10, "second", 2) "," KERNEL(2));

static void test_what_is_left_out(void **state)
{
    (void)state;
    put_text("a_rank0.json", many);
    assert_int_equal(merge_with(NULL, 1), 0);
    assert_int_equal(result.read, 9);
    assert_int_equal(result.process, 3);
    assert_int_equal(result.trace, 1);
    assert_int_equal(result.python, 1);
    assert_int_equal(result.kept, 4);
    assert_non_null(strstr(merged(), "thread_name"));
    assert_null(strstr(merged(), "f.py"));
    assert_null(strstr(merged(), "Spans"));
    assert_non_null(strstr(
        merged(),
        "\"pid\": 10, \"tid\": 0, \"ts\": 0, \"name\": \"process_name\", \"args\": {\"name\": "
        "\"RANK 0 - GPU\"")); /* by its label */
    assert_int_equal(merge_with(&(struct az_merge_opts){ .keep_python = true }, 1), 0);
    assert_non_null(strstr(merged(), "f.py"));
    struct az_sv kernel = AZ_SV("kernel"), second = AZ_SV("econ");
    struct az_vec_sv one = { .v = &kernel, .n = 1 }, name = { .v = &second, .n = 1 };
    assert_int_equal(merge_with(&(struct az_merge_opts){ .cats = &one }, 1), 0);
    assert_int_equal(result.filtered, 2);
    assert_null(strstr(merged(), "\"second\""));
    assert_int_equal(merge_with(&(struct az_merge_opts){ .names = &name }, 1), 0);
    assert_int_equal(result.filtered, 2);
    assert_null(strstr(merged(), "first"));
    assert_non_null(strstr(merged(), "second"));
}

/* The rest of a rank that breaks off is missing, and said; the other one is whole. */
static void test_damaged_rank(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5) "," KERNEL(5)));
    put_text("a_rank1.json",
             "{\"distributedInfo\":{\"rank\":1},\"baseTimeNanoseconds\":5,\"traceEvents\":[" EV(
                 11, "kept", 5) ",{\"ph\":\"X\",\"na");
    assert_int_equal(merge_with(NULL, 2), 0);
    assert_int_equal(result.ranks, 2);
    assert_int_equal(result.damaged, 1);
    assert_int_equal(result.kept, 3);
    assert_int_equal(t_diag.errors, 1);
    assert_non_null(strstr(last_message(), "a_rank1.json"));
    assert_non_null(strstr(last_message(), "truncated"));
    assert_non_null(strstr(merged(), "kept"));
    assert_memory_equal(merged() + strlen(merged()) - 4, "\n]}\n", 4);
}

static void test_malformed_event(void **state)
{
    (void)state;
    put_text("a_rank0.json",
             TRACE(0, EV(10, "one", 5) ",{\"ph\":\"X\",\"dur\":01x}," EV(
                          10, "two", 6) ","
                                        "{\"ph\":\"X\",\"name\":\"tab\there\",\"dur\":NaN}"));
    assert_int_equal(merge_with(NULL, 1), 0);
    assert_int_equal(result.damaged, 1);
    assert_int_equal(result.malformed, 1);
    assert_int_equal(result.repaired, 1);
    assert_int_equal(result.kept, 3);
    assert_non_null(strstr(merged(), "\"name\":\"tab\\u0009here\",\"dur\":null"));
}

static void test_unusable_ranks(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5)));
    put_text("a_rank1.json", "");
    put_text("a_rank2.json", "no json");
    assert_int_equal(merge_with(NULL, 3), 0);
    assert_int_equal(result.ranks, 1);
    assert_int_equal(result.left_out, 2);
    assert_int_equal(t_diag.errors, 2);
    assert_int_equal(unlink(temp_path("out.json.gz")), 0);
    assert_int_equal(unlink(temp_path("a_rank0.json")), 0);
    assert_int_equal(merge_with(NULL, 3), AZ_EFORMAT);
    assert_null(merged());
}

static void test_ranks(void **state)
{
    (void)state;
    assert_int_equal(az_pytorch_rank_of_name(AZ_SV("d5/rank_12_trace.json"), AZ_SV("rank")), 12);
    assert_int_equal(az_pytorch_rank_of_name(AZ_SV("rank-0.json"), AZ_SV("rank")), 0);
    assert_int_equal(az_pytorch_rank_of_name(AZ_SV("rank7.json"), AZ_SV("rank")), 7);
    assert_int_equal(az_pytorch_rank_of_name(AZ_SV("ranks_rank_3.json"), AZ_SV("rank")), 3);
    assert_int_equal(az_pytorch_rank_of_name(AZ_SV("rank7/trace.json"), AZ_SV("rank")), -1);
    assert_int_equal(az_pytorch_rank_of_name(AZ_SV("worker4_rank.json"), AZ_SV("worker")), 4);
    assert_int_equal(az_pytorch_rank_of_name(AZ_SV("rank99999999999999999999.json"), AZ_SV("rank")),
                     -1);
    /* the trace knows better than its name */
    put_text("a_rank0.json", TRACE(4, EV(10, "launch", 5)));
    assert_int_equal(merge_with(NULL, 1), 0);
    assert_int_equal(t_diag.warnings, 1);
    assert_non_null(strstr(merged(), "\"RANK 4 - CPU\""));
    /* two files of one rank */
    put_text("a_rank1.json", TRACE(4, EV(10, "launch", 5)));
    assert_int_equal(merge_with(NULL, 2), AZ_EUSAGE);
    assert_non_null(strstr(last_message(), "duplicate rank 4, also in '"));
}

/* Files are numbered in their order where none of them has a rank; the rank of one, whichever it
 * is, makes those of the others unknown. */
static void test_files_without_rank(void **state)
{
    (void)state;
    struct az_merge_input in[2];
    for (int ranked = -1; ranked < 2; ranked++) {
        for (int i = 0; i < 2; i++) {
            static const char *const names[] = { "a_rank0.json", "a_rank1.json" };
            put_text(names[i], "[" EV(10, "launch", 5) "]");
            in[i] = (struct az_merge_input){ .path = az_sv_str(temp_path(names[i])),
                                             .rank = i == ranked ? 1 : -1 };
        }
        assert_int_equal(az_pytorch_merge(in, 2, NULL, temp_path("out.json.gz"), &result, &t_diag),
                         ranked < 0 ? 0 : AZ_EUSAGE);
        if (ranked < 0)
            assert_non_null(strstr(merged(), "\"ranks\": [0, 1]"));
        else
            assert_non_null(strstr(last_message(), "unknown rank"));
    }
}

/* Different clocks: no common base is claimed. A bare list of events is a trace, too. */
static void test_clocks_and_bare_lists(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5)));
    put_text("a_rank1.json", "[" EV(10, "launch", 5) "]");
    assert_int_equal(merge_with(NULL, 2), 0);
    assert_null(strstr(merged(), "baseTimeNanoseconds"));
    assert_int_equal(t_diag.warnings, 1);
}

/* Of three clocks two agree; members that the first rank does not have are not written. */
static void test_the_last_clock_differs(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5)));
    put_text("a_rank1.json", TRACE(1, EV(10, "launch", 5)));
    put_text("a_rank2.json", "[" EV(10, "launch", 5) "]");
    assert_int_equal(merge_with(NULL, 3), 0);
    assert_null(strstr(merged(), "baseTimeNanoseconds"));
    assert_non_null(strstr(merged(), "\"ranks\": [0, 1, 2]"));
    assert_int_equal(t_diag.warnings, 1);
    put_text("a_rank0.json", "[" EV(10, "launch", 5) "]");
    put_text("a_rank1.json", "[" EV(10, "launch", 5) "]");
    assert_int_equal(merge_with(NULL, 2), 0);
    assert_int_equal(strncmp(merged(), "{\"ranks\"", 8), 0);
}

/* No launch says a correlation: events are linked by External id. */
static void test_external_id(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"l\","
                                      "\"pid\":1,\"args\":{\"External id\":44}}"));
    put_text("a_rank1.json", TRACE(1, "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"l\","
                                      "\"pid\":1,\"args\":{\"External id\":44}}"));
    assert_int_equal(merge_with(NULL, 2), 0);
    assert_true(result.external);
    assert_int_equal(result.digits, 3);
    assert_non_null(strstr(merged(), "\"External id\":1044, \"External id_raw\": 44"));
}

static void test_output_is_an_input(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5)));
    assert_int_equal(symlink(temp_path("a_rank0.json"), temp_path("out.json.gz")), 0);
    assert_int_equal(merge_with(NULL, 1), AZ_EUSAGE);
    assert_memory_equal(temp_read("a_rank0.json"), "{\"schema", 8);
}

static void test_memory_limit(void **state)
{
    (void)state;
    struct az_mem mem;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5)));
    for (size_t limit = 1000; limit < 3000000; limit = limit * 3 / 2) {
        az_mem_init(&mem, limit);
        int rc = merge_with(&(struct az_merge_opts){ .mem = &mem }, 1);
        assert_true(rc == 0 || rc == AZ_ELIMIT);
        assert_int_equal(mem.used, 0);
    }
}

/* The same file and the same messages, however many files are looked through at a time. */
static void test_threads(void **state)
{
    (void)state;
    const char *first = NULL;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5) "," KERNEL(5)));
    put_text("a_rank1.json",
             "{\"distributedInfo\":{\"rank\":1},\"traceEvents\":[" EV(11, "kept", 5) ",{\"ph");
    put_text("a_rank2.json", "no json");
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        size_t before = t_diag.list.n;
        assert_int_equal(merge_with(&(struct az_merge_opts){ .threads = threads }, 3), 0);
        assert_int_equal(t_diag.list.n - before, 3); /* rank 1, rank 2, the clocks */
        assert_non_null(strstr(t_diag.list.v[before].text.p, "a_rank1"));
        assert_non_null(strstr(t_diag.list.v[before + 1].text.p, "a_rank2"));
        const char *now = merged();
        if (first)
            assert_string_equal(now, first);
        first = now;
    }
}

static bool stop(void *ctx)
{
    (void)ctx;
    return true;
}

static void test_interrupted(void **state)
{
    (void)state;
    put_text("a_rank0.json", TRACE(0, EV(10, "launch", 5)));
    assert_int_equal(merge_with(&(struct az_merge_opts){ .cancelled = stop }, 1), AZ_EINTR);
    assert_null(merged());
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_shift),
        T(test_odd_ids),
        T(test_odd_args),
        T(test_validity),
        T(test_mending),
        T(test_two_ranks),
        T(test_what_is_left_out),
        T(test_damaged_rank),
        T(test_malformed_event),
        T(test_unusable_ranks),
        T(test_ranks),
        T(test_files_without_rank),
        T(test_clocks_and_bare_lists),
        T(test_the_last_clock_differs),
        T(test_external_id),
        T(test_output_is_an_input),
        T(test_memory_limit),
        T(test_threads),
        T(test_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
