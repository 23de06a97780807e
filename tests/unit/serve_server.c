/* The methods of the protocol over made-up inputs: whole responses, pages of resources, bounds of
 * results, inputs that change and are read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "query_source.h"
#include "serve/internal.h"

struct world {
    struct query_source q;
    struct az_query_input inputs[2];
    struct az_query_source source;
    bool changed[2];
    int reloads, reload_result;
    struct az_server *s;
};

static const struct az_document *report_of(void *ctx, size_t input, int *rc)
{
    return query_document(&((struct world *)ctx)->q, input, rc);
}

static bool has_changed(void *ctx, size_t input) { return ((struct world *)ctx)->changed[input]; }

static int read_again(void *ctx, const struct az_query_source **source, struct az_diag *diag)
{
    struct world *w = ctx;
    w->reloads++;
    if (w->reload_result)
        return az_diag_fail(diag, w->reload_result, AZ_AT_FILE(AZ_SV("a.json")), "is gone");
    *source = &w->source;
    return 0;
}

/* With n inputs of the same traces, titled "made up" and "b/\xc3\xa9". */
static void open_world(struct world *w, size_t n, const struct az_server_limits *limits, bool fixed)
{
    *w = (struct world){ 0 };
    query_source_init(&w->q);
    for (size_t i = 0; i < 2; i++)
        w->inputs[i] = w->q.input;
    w->inputs[1].title = AZ_SV("b/\xc3\xa9");
    w->inputs[1].n_traces = 1;
    w->source = (struct az_query_source){ w->inputs, n, report_of, w };
    struct az_server_inputs inputs = { &w->source, has_changed, read_again, w };
    if (fixed)
        inputs = (struct az_server_inputs){ .source = &w->source };
    assert_int_equal(az_server_new(&w->s, &inputs, limits), 0);
}

static void close_world(struct world *w)
{
    az_server_free(w->s);
    query_source_release(&w->q);
}

/* The response to a line; the text lives until the next call. */
static const char *ask(struct world *w, const char *line)
{
    static char text[1 << 17];
    struct az_vec_char out;

    az_vec_init(&out, NULL);
    assert_int_equal(az_server_answer(w->s, az_sv_str(line), &out), 0);
    assert_true(out.n < sizeof text);
    snprintf(text, sizeof text, "%.*s", (int)out.n, out.n ? out.v : "");
    az_vec_release(&out);
    return text;
}

/* The text of a tool's result, unescaped as far as needed to read it: \" only. */
static const char *tool(struct world *w, const char *name, const char *args)
{
    static char line[4096], body[1 << 17];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
             "\"arguments\":%s}}",
             name, args);
    const char *from = strstr(ask(w, line), "\"text\":\"");
    size_t n = 0;
    assert_non_null(from);
    for (from += 8; *from && *from != '"'; from++) {
        from += *from == '\\';
        body[n++] = *from;
    }
    assert_true(strcmp(from, "\"}],\"isError\":false}}") == 0 ||
                strcmp(from, "\"}],\"isError\":true}}") == 0);
    body[n++] = strstr(from, "true") ? '!' : '.'; /* ends with '!': an error */
    body[n] = 0;
    return body;
}

#define RPC               "{\"jsonrpc\":\"2.0\","
#define ERROR(code, text) "\"error\":{\"code\":" code ",\"message\":\"" text "\"}}"

static void messages(void **state)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        /* what is no message */
        { "", "" },
        { " \t ", "" },
        { "{", RPC "\"id\":null," ERROR("-32700", "line is not JSON") },
        { "{} {}", RPC "\"id\":null," ERROR("-32700", "line is not JSON") },
        { "7", RPC "\"id\":null," ERROR("-32600", "a message must be an object") },
        { "[{\"id\":1}]", RPC "\"id\":null," ERROR("-32600", "a message must be an object") },
        /* identifiers: a text, a number, nothing else */
        { RPC "\"id\":[1],\"method\":\"ping\"}",
          RPC "\"id\":null," ERROR("-32600", "an id must be a string or a number") },
        { RPC "\"id\":true,\"method\":\"ping\"}",
          RPC "\"id\":null," ERROR("-32600", "an id must be a string or a number") },
        { RPC "\"id\":{},\"method\":\"ping\"}",
          RPC "\"id\":null," ERROR("-32600", "an id must be a string or a number") },
        { RPC "\"id\":null,\"method\":\"ping\"}", RPC "\"id\":null,\"result\":{}}" },
        { RPC "\"id\":0,\"method\":\"ping\"}", RPC "\"id\":0,\"result\":{}}" },
        { RPC "\"id\":9,\"method\":\"ping\"}", RPC "\"id\":9,\"result\":{}}" },
        { RPC "\"id\":-1.5,\"method\":\"ping\"}", RPC "\"id\":-1.5,\"result\":{}}" },
        { " " RPC "\"id\":\"a\",\"method\":\"ping\"} ", RPC "\"id\":\"a\",\"result\":{}}" },
        /* members */
        { "{\"id\":1,\"method\":\"ping\"}",
          RPC "\"id\":1," ERROR("-32600", "a message must have \\\"jsonrpc\\\":\\\"2.0\\\"") },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
          RPC "\"id\":1," ERROR("-32600", "a message must have \\\"jsonrpc\\\":\\\"2.0\\\"") },
        { "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",
          RPC "\"id\":1," ERROR("-32600", "a message must have \\\"jsonrpc\\\":\\\"2.0\\\"") },
        { RPC "\"id\":1}", RPC "\"id\":1," ERROR("-32600", "missing method") },
        { RPC "\"id\":1,\"method\":3}", RPC "\"id\":1," ERROR("-32600", "missing method") },
        { RPC "\"id\":1,\"result\":{}}", "" },
        { RPC "\"id\":1,\"error\":{}}", "" },
        { RPC "\"method\":\"ping\"}", "" },
        { RPC "\"method\":\"none\"}", "" },
        { RPC "\"id\":1,\"method\":\"none\"}",
          RPC "\"id\":1," ERROR("-32601", "method not found: none") },
        { RPC "\"id\":1,\"method\":\"ping\",\"params\":[]}",
          RPC "\"id\":1," ERROR("-32602", "params must be an object") },
        { RPC "\"id\":1,\"method\":\"ping\",\"params\":{}}", RPC "\"id\":1,\"result\":{}}" },
        { RPC "\"id\":1,\"method\":\"resources/templates/list\"}",
          RPC "\"id\":1,\"result\":{\"resourceTemplates\":[]}}" },
        /* tools/call */
        { RPC "\"id\":1,\"method\":\"tools/call\"}",
          RPC "\"id\":1," ERROR("-32602", "missing tool name") },
        { RPC "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"nothing\"}}",
          RPC "\"id\":1," ERROR("-32602", "unknown tool: nothing") },
        { RPC "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"inputs\","
              "\"arguments\":[]}}",
          RPC "\"id\":1," ERROR("-32602", "arguments must be an object") },
        { RPC "\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"inputs\","
              "\"arguments\":null}}",
          RPC "\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"inputs\\\":["
              "{\\\"input\\\":\\\"made up\\\",\\\"format\\\":\\\"test\\\",\\\"traces\\\":2,"
              "\\\"changed\\\":false}]}\"}],\"isError\":false}}" },
        /* resources */
        { RPC "\"id\":1,\"method\":\"resources/list\"}", RPC
          "\"id\":1,\"result\":{\"resources\":[{\"uri\":\"analyzer://made%20up/findings\","
          "\"name\":\"findings\",\"title\":\"Findings\",\"mimeType\":\"application/json\"}]}}" },
        { RPC "\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":\"-1\"}}",
          RPC "\"id\":1," ERROR("-32602", "unknown cursor: -1") },
        { RPC "\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":\"x\"}}",
          RPC "\"id\":1," ERROR("-32602", "unknown cursor: x") },
        { RPC "\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":\"1\"}}",
          RPC "\"id\":1,\"result\":{\"resources\":[]}}" },
        { RPC "\"id\":1,\"method\":\"resources/read\"}",
          RPC "\"id\":1," ERROR("-32602", "missing uri") },
        { RPC "\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"analyzer://made "
              "up/findings\"}}",
          RPC "\"id\":1," ERROR("-32002", "resource not found: analyzer://made up/findings") },
        { RPC "\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"analyzer://made%20up/"
              "findings\"}}",
          RPC "\"id\":1,\"result\":{\"contents\":[{\"uri\":\"analyzer://made%20up/findings\","
              "\"mimeType\":\"application/json\",\"text\":\"{\\\"table\\\":\\\"findings\\\","
              "\\\"title\\\":\\\"Findings\\\",\\\"columns\\\":[\\\"rule\\\",\\\"time_ns\\\","
              "\\\"bad\\\"],\\\"rows\\\":[[\\\"a 'rule' \\\\\\\"of\\\\\\\" \xc3\xa9\\\",0,false],"
              "[\\\"a 'rule' \\\\\\\"of\\\\\\\" \xc3\xa9\\\",1,true],"
              "[\\\"a 'rule' \\\\\\\"of\\\\\\\" \xc3\xa9\\\",2,false]],\\\"first_row\\\":0,"
              "\\\"cut\\\":false}\"}]}}" },
    };
    struct world w;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, false);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_string_equal(ask(&w, cases[i].line), cases[i].want);
    close_world(&w);
}

/* A method's name of any length: 200 bytes of it are said. */
static void long_names(void **state)
{
    char line[400], want[400], name[202];
    struct world w;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    for (size_t n = 199; n <= 201; n++) {
        memset(name, 'x', n);
        name[n] = 0;
        snprintf(line, sizeof line, RPC "\"id\":1,\"method\":\"%s\"}", name);
        snprintf(want, sizeof want,
                 RPC "\"id\":1,\"error\":{\"code\":-32601,\"message\":\"method not found: "
                     "%.200s\"}}",
                 name);
        assert_string_equal(ask(&w, line), want);
    }
    close_world(&w);
}

static void long_lines(void **state)
{
    const size_t most = AZ_SERVE_LINE;
    char *line = malloc(most + 2);
    struct world w;
    (void)state;

    assert_non_null(line);
    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    for (size_t n = most; n <= most + 1; n++) { /* "...ppp": a text, no object */
        memset(line, 'p', n);
        line[0] = line[n - 1] = '"';
        line[n] = 0;
        assert_string_equal(ask(&w, line),
                            n > most ? RPC "\"id\":null," ERROR("-32600", "message too long")
                                     : RPC
                                "\"id\":null," ERROR("-32600", "a message must be an object"));
    }
    free(line);
    close_world(&w);
}

static void versions(void **state)
{
    static const struct {
        const char *wanted, *got;
    } cases[] = { { "\"2024-11-05\"", "2024-11-05" },
                  { "\"2025-03-26\"", "2025-03-26" },
                  { "\"2025-06-18\"", "2025-06-18" },
                  { "\"2023-01-01\"", "2025-06-18" },
                  { "5", "2025-06-18" },
                  { "\"\"", "2025-06-18" } };
    char line[200], want[200];
    struct world w;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        snprintf(line, sizeof line,
                 RPC "\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":%s}}",
                 cases[i].wanted);
        snprintf(want, sizeof want,
                 RPC "\"id\":1,\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":"
                     "{\"listChanged\":false},",
                 cases[i].got);
        assert_memory_equal(ask(&w, line), want, strlen(want));
    }
    close_world(&w);
}

/* Resources of several inputs, whose titles need escapes, 200 a page: 199 to 401 tables. */
static void pages(void **state)
{
    static const size_t counts[] = { 99, 100, 101, 200, 201 }; /* tables of each of two inputs */
    (void)state;

    for (size_t c = 0; c < AZ_LENGTH(counts); c++) {
        char line[200], uri[100], next[40];
        size_t seen = 0, n_pages = 0;
        struct world w;
        open_world(&w, 2, &(struct az_server_limits){ 0 }, true);
        for (size_t k = 1; k < counts[c]; k++) {
            snprintf(uri, sizeof uri, "t %zu", k);
            struct az_table *t = az_table_new(&w.q.arena, az_arena_printf(&w.q.arena, "%s", uri).p,
                                              "T", AZ_TABLE_KEEP_EMPTY);
            az_table_column(t, "n", AZ_INT, AZ_UNIT_COUNT, 0);
            query_must(az_document_add(&w.q.doc, t));
        }
        for (size_t from = 0; from != SIZE_MAX; n_pages++) {
            snprintf(line, sizeof line,
                     RPC "\"id\":1,\"method\":\"resources/list\",\"params\":{\"cursor\":\"%zu\"}}",
                     from);
            const char *page = ask(&w, line), *at = page;
            size_t here = 0;
            for (; (at = strstr(at, "\"uri\":\"")) != NULL; here++, seen++) {
                const size_t table = seen % counts[c];
                at += 7;
                snprintf(uri, sizeof uri, "analyzer://%s/",
                         seen < counts[c] ? "made%20up" : "b%2F%C3%A9");
                assert_memory_equal(at, uri, strlen(uri));
                snprintf(next, sizeof next, table ? "t%%20%zu\"" : "findings\"", table);
                assert_memory_equal(at + strlen(uri), next, strlen(next));
            }
            const size_t left = 2 * counts[c] - from;
            assert_int_equal(here, left < 200 ? left : 200);
            snprintf(next, sizeof next, "\"nextCursor\":\"%zu\"", from + 200);
            assert_int_equal(strstr(page, "nextCursor") != NULL, left > 200);
            assert_true(left <= 200 || strstr(page, next));
            from = left > 200 ? from + 200 : SIZE_MAX;
        }
        assert_int_equal(seen, 2 * counts[c]);
        assert_int_equal(n_pages, (2 * counts[c] + 199) / 200);
        const char *read = ask(&w, RPC "\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
                                       "\"analyzer://b%2F%C3%A9/t%2098\"}}");
        assert_non_null(strstr(read, "\\\"table\\\":\\\"t 98\\\""));
        close_world(&w);
    }
}

/* Rows of a result: by the request, by the limits of the server, by bytes. */
static void rows(void **state)
{
    static const struct {
        const char *tool, *args, *want;
        int64_t rows, bytes;
    } cases[] = {
        { "query", "{\"sql\":\"SELECT id FROM kernels WHERE id < 4\",\"limit\":3}",
          "{\"order\":\"in the order of the "
          "statement\",\"columns\":[\"id\"],\"rows\":[[1],[2],[3]],"
          "\"first_row\":0,\"cut\":false}.",
          0, 0 },
        { "query", "{\"sql\":\"SELECT id FROM kernels WHERE id < 4\",\"limit\":2}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"id\"],\"rows\":[[1],[2]],"
          "\"first_row\":0,\"cut\":true,\"more\":\"repeat with offset 2\"}.",
          0, 0 },
        { "query", "{\"sql\":\"SELECT id FROM kernels WHERE id < 4\",\"offset\":2,\"limit\":1}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"id\"],\"rows\":[[3]],"
          "\"first_row\":2,\"cut\":false}.",
          0, 0 },
        { "query", "{\"sql\":\"SELECT id FROM kernels WHERE id < 4\",\"offset\":1,\"limit\":1}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"id\"],\"rows\":[[2]],"
          "\"first_row\":1,\"cut\":true,\"more\":\"repeat with offset 2\"}.",
          0, 0 },
        { "query", "{\"sql\":\"SELECT id FROM kernels\",\"offset\":24}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"id\"],\"rows\":[],"
          "\"first_row\":24,\"cut\":false}.",
          0, 0 },
        /* the server's limit of rows */
        { "query", "{\"sql\":\"SELECT id FROM kernels WHERE id < 4\"}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"id\"],\"rows\":[[1],[2]],"
          "\"first_row\":0,\"cut\":true,\"more\":\"repeat with offset 2\"}.",
          2, 0 },
        { "query", "{\"sql\":\"SELECT id FROM kernels WHERE id < 4\",\"limit\":1}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"id\"],\"rows\":[[1]],"
          "\"first_row\":0,\"cut\":true,\"more\":\"repeat with offset 1\"}.",
          2, 0 },
        /* of bytes: 92 are written before the rows, a row counts 14 and 12 for each other cell */
        { "query", "{\"sql\":\"SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3\"}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"a\"],\"rows\":[[1],[2]],"
          "\"first_row\":0,\"cut\":true,\"more\":\"repeat with offset 2\"}.",
          0, 84 },
        /* the first row comes whole or with its texts shortened */
        { "query", "{\"sql\":\"SELECT 'abcdefghijklmnopqrstuvwxyz' AS a, 'bcdefghijklmnop' AS b\"}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"a\",\"b\"],\"rows\":["
          "[\"abcdefghij\",\"bcdefghijk\"]],\"first_row\":0,\"cut\":false}.",
          0, 20 },
        { "query", "{\"sql\":\"SELECT 'abcde' AS a, 'fghij' AS b\"}",
          "{\"order\":\"in the order of the statement\",\"columns\":[\"a\",\"b\"],\"rows\":["
          "[\"abcde\",\"fghij\"]],\"first_row\":0,\"cut\":false}.",
          0, 18 },
        /* kinds of cells */
        { "query",
          "{\"sql\":\"SELECT 1.5 AS r, -7 AS i, NULL AS n, 'a\\tb\\u0001' AS t, x'41' AS b\"}",
          "{\"order\":\"in the order of the "
          "statement\",\"columns\":[\"r\",\"i\",\"n\",\"t\",\"b\"],"
          "\"rows\":[[1.5,-7,null,\"a\\tb\xef\xbf\xbd\",\"A\"]],\"first_row\":0,\"cut\":false}.",
          0, 0 },
    };
    (void)state;

    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct world w;
        open_world(&w, 1, &(struct az_server_limits){ cases[i].rows, cases[i].bytes, 0, 0 }, true);
        assert_string_equal(tool(&w, cases[i].tool, cases[i].args), cases[i].want);
        close_world(&w);
    }
}

/* Arguments: what is refused, conditions, orders. */
static void arguments(void **state)
{
#define TABLE(order, names, rows, more)                                                            \
    "{\"table\":\"kernels\",\"order\":\"" order "\",\"columns\":[" names "],\"rows\":[" rows       \
    "]," more
#define ALL "\"first_row\":0,\"cut\":false}."
    static const struct {
        const char *tool, *args, *want;
    } cases[] = {
        { "table", "{}", "missing 'table'; list tables with the tool 'tables'!" },
        { "table", "{\"table\":1}", "'table' must be a string!" },
        { "table", "{\"table\":null}", "missing 'table'; list tables with the tool 'tables'!" },
        { "table", "{\"table\":\"kernels\",\"offset\":-1}",
          "'offset' must be 0 or more, 'limit' 1 or more!" },
        { "table", "{\"table\":\"kernels\",\"limit\":0}",
          "'offset' must be 0 or more, 'limit' 1 or more!" },
        { "table", "{\"table\":\"kernels\",\"limit\":1.5}", "'limit' must be a whole number!" },
        { "table", "{\"table\":\"kernels\",\"offset\":\"1\"}", "'offset' must be a whole number!" },
        { "table", "{\"table\":\"kernels\",\"columns\":\"id\"}",
          "'columns' must be a list of names!" },
        { "table", "{\"table\":\"kernels\",\"columns\":[1]}",
          "'columns' must be a list of names!" },
        { "table", "{\"table\":\"kernels\",\"columns\":[\"\"]}",
          "'columns' must be a list of names!" },
        { "table", "{\"table\":\"kernels\",\"filter\":[]}",
          "'filter' must be an object of columns and values!" },
        { "table", "{\"table\":\"kernels\",\"filter\":{\"id\":[]}}",
          "a value of 'filter' must be a string, a number, true, false or null!" },
        { "table", "{\"table\":\"kernels\",\"order\":5}", "'order' must be a string!" },
        { "table", "{\"table\":\"kernels\",\"columns\":[\"id\"],\"filter\":{\"copies\":null}}",
          "SQL: no such column: copies (character 34); columns of kernels: id, input, rank, "
          "start_ns, "
          "end_ns, dur_ns, name, device, stream, lane, correlation, call, op, op_name, scope, "
          "step, "
          "self_ns, class, family, work, grid_x, grid_y, grid_z, block_x, block_y, block_z, "
          "registers, shared_bytes, collective, process_group, collective_type, "
          "collective_elements!" },
        { "table",
          "{\"table\":\"kernels\",\"columns\":[\"id\",\"name\"],\"filter\":{\"rank\":0,\"name\":"
          "\"gemm_?\",\"op\":null},\"order\":\"-id\",\"limit\":2}",
          TABLE("-id", "\"id\",\"name\"", "[12,\"gemm_c\"],[9,\"gemm_a\"]",
                "\"first_row\":0,\"cut\":true,\"more\":\"repeat with offset 2\"}.") },
        { "table",
          "{\"table\":\"kernels\",\"columns\":[\"id\"],\"filter\":{\"name\":\"*_b\",\"rank\":1},"
          "\"order\":\"id\",\"limit\":50}",
          TABLE("id", "\"id\"", "[13],[17],[21]", ALL) },
        { "table",
          "{\"table\":\"kernels\",\"columns\":[\"id\"],\"filter\":{\"id\":9,\"name\":\"gemm_a\"}}",
          TABLE("in table order", "\"id\"", "[9]", ALL) },
        { "table", "{\"table\":\"kernels\",\"columns\":[\"id\"],\"filter\":{\"id\":-1}}",
          TABLE("in table order", "\"id\"", "", ALL) },
        { "table", "{\"table\":\"kernels\",\"columns\":[\"id\"],\"filter\":{\"id\":true}}",
          TABLE("in table order", "\"id\"", "[1]", ALL) },
        { "table", "{\"table\":\"kernels\",\"columns\":[\"id\"],\"filter\":{\"name\":\"gemm\"}}",
          TABLE("in table order", "\"id\"", "", ALL) },
        { "table", "{\"table\":\"copies\",\"columns\":[\"a\\\"b\"],\"filter\":{\"name\":\"it's\"}}",
          "SQL: no such column: a\"b (character 8); columns of copies: id, input, rank, start_ns, "
          "end_ns, "
          "dur_ns, "
          "name, device, stream, lane, correlation, call, op, op_name, scope, step, kind, bytes, "
          "gb_per_s, "
          "source, destination!" },
        { "table",
          "{\"table\":\"kernels\",\"columns\":[],\"filter\":{\"name\":\"it's\"},\"order\":null}",
          "{\"table\":\"kernels\",\"order\":\"in table "
          "order\",\"columns\":[\"id\",\"input\",\"rank\","
          "\"start_ns\",\"end_ns\",\"dur_ns\",\"name\",\"device\",\"stream\",\"lane\","
          "\"correlation\","
          "\"call\",\"op\",\"op_name\",\"scope\",\"step\",\"self_ns\",\"class\",\"family\","
          "\"work\","
          "\"grid_x\",\"grid_y\",\"grid_z\",\"block_x\",\"block_y\",\"block_z\",\"registers\","
          "\"shared_bytes\",\"collective\",\"process_group\",\"collective_type\","
          "\"collective_elements\"],\"rows\":[]," ALL },
        { "describe", "{}", "missing 'table'; list tables with the tool 'tables'!" },
        { "describe", "{\"table\":[]}", "'table' must be a string!" },
        { "query", "{}", "missing 'sql'; use a SELECT over the tables listed by 'tables'!" },
        { "query", "{\"sql\":7}", "'sql' must be a string!" },
        { "window", "{}", "missing or unordered 'start_ns' and 'end_ns'!" },
        { "window", "{\"start_ns\":5}", "missing or unordered 'start_ns' and 'end_ns'!" },
        { "window", "{\"end_ns\":5}", "missing or unordered 'start_ns' and 'end_ns'!" },
        { "window", "{\"start_ns\":6,\"end_ns\":5}",
          "missing or unordered 'start_ns' and 'end_ns'!" },
        { "window", "{\"start_ns\":\"6\",\"end_ns\":5}", "'start_ns' must be a whole number!" },
        { "window", "{\"start_ns\":6,\"end_ns\":{}}", "'end_ns' must be a whole number!" },
        { "kernel", "{}", "missing 'name'; use the full name of a kernel!" },
        { "kernel", "{\"name\":false}", "'name' must be a string!" },
        { "kernel", "{\"name\":\"gemm\"}",
          "no kernel 'gemm'; list names with SELECT DISTINCT name FROM kernels!" },
        { "verdict", "{\"input\":\"x\"}",
          "no input 'x' for 'input'; list inputs with the tool 'inputs'!" },
        { "verdict", "{\"input\":3}", "'input' must be a string!" },
    };
    struct world w;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_string_equal(tool(&w, cases[i].tool, cases[i].args), cases[i].want);
    close_world(&w);
}

/* What runs in a window: events that touch it, those that began long before, too. */
static void windows(void **state)
{
#define EVENT(what, id, rank, from, to, dur, device, stream, thread, name)                         \
    "[\"" what "\"," id ",\"made up\"," rank "," from "," to "," dur "," device "," stream         \
    "," thread ",\"" name "\"]"
#define HEAD                                                                                       \
    "{\"order\":\"start_ns\",\"columns\":[\"what\",\"id\",\"input\",\"rank\",\"start_ns\","        \
    "\"end_ns\",\"dur_ns\",\"device\",\"stream\",\"thread\",\"name\"],\"rows\":["
    static const struct {
        const char *args, *want;
    } cases[] = {
        { "{\"start_ns\":111,\"end_ns\":149}", HEAD "]," ALL },
        { "{\"start_ns\":110,\"end_ns\":110}",
          HEAD EVENT("call", "2", "0", "100", "110", "10", "null", "null", "1", "launch") "," EVENT(
              "call", "14", "1", "100", "110", "10", "null", "null", "1", "launch") "]," ALL },
        { "{\"start_ns\":150,\"end_ns\":150,\"limit\":1}",
          HEAD EVENT(
              "kernel", "2", "0", "150", "161", "11", "0", "7", "null",
              "softmax_b") "],\"first_row\":0,\"cut\":true,\"more\":\"repeat with offset 1\"}." },
        { "{\"start_ns\":1171,\"end_ns\":1300,\"limit\":3}",
          HEAD EVENT(
              "kernel", "12", "0", "1150", "1171", "21", "0", "7", "null",
              "gemm_c") "," EVENT("kernel", "24", "1", "1150", "1171", "21", "0", "7", "null",
                                  "gemm_a") "," EVENT("copy", "1", "0", "1300", "1308", "8", "0",
                                                      "7", "null",
                                                      "copy H2D") "],\"first_row\":0,\"cut\":true,"
                                                                  "\"more\":\"repeat with offset "
                                                                  "3\"}." },
        { "{\"start_ns\":1308,\"end_ns\":9000}",
          HEAD EVENT("copy", "1", "0", "1300", "1308", "8", "0", "7", "null", "copy H2D") "," EVENT(
              "copy", "2", "1", "1300", "1308", "8", "0", "7", "null", "copy H2D") "]," ALL },
        { "{\"start_ns\":1309,\"end_ns\":9000}", HEAD "]," ALL },
        { "{\"start_ns\":-9223372036854775807,\"end_ns\":0,\"limit\":1}",
          HEAD EVENT(
              "call", "1", "0", "0", "10", "10", "null", "null", "1",
              "launch") "],\"first_row\":0,\"cut\":true,\"more\":\"repeat with offset 1\"}." },
    };
    struct world w;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        assert_string_equal(tool(&w, "window", cases[i].args), cases[i].want);
    close_world(&w);
}

/* Files that change: said in every result, until they are read again, with or without success. */
static void reloads(void **state)
{
#define INPUTS(first, second)                                                                      \
    "{\"inputs\":[{\"input\":\"made up\",\"format\":\"test\",\"traces\":2,\"changed\":" first      \
    "},{\"input\":\"b/\xc3\xa9\",\"format\":\"test\",\"traces\":1,\"changed\":" second "}]"
    struct world w;
    (void)state;

    open_world(&w, 2, &(struct az_server_limits){ 0 }, false);
    assert_string_equal(tool(&w, "inputs", "{}"), INPUTS("false", "false") "}.");
    w.changed[1] = true;
    assert_string_equal(
        tool(&w, "inputs", "{}"),
        INPUTS("false", "true") ",\"changed_inputs\":[\"b/\xc3\xa9\"],\"hint\":"
                                "\"files changed since they were read; use the tool 'reload'\"}.");
    w.changed[0] = true;
    assert_string_equal(
        tool(&w, "inputs", "{}"),
        INPUTS("true",
               "true") ",\"changed_inputs\":[\"made up\",\"b/\xc3\xa9\"],"
                       "\"hint\":\"files changed since they were read; use the tool 'reload'\"}.");
    assert_string_equal(tool(&w, "query", "{\"sql\":\"SELEC\"}") +
                            strlen(tool(&w, "query", "{\"sql\":\"SELEC\"}")) - 1,
                        "!");
    w.reload_result = AZ_EIO;
    assert_string_equal(tool(&w, "reload", "{}"), "a.json: is gone!");
    assert_string_equal(tool(&w, "inputs", "{}"),
                        "cannot read the inputs again; retry with the tool 'reload'!");
    assert_string_equal(ask(&w, RPC "\"id\":1,\"method\":\"resources/list\"}"),
                        RPC "\"id\":1,\"result\":{\"resources\":[]}}");
    assert_non_null(strstr(ask(&w, RPC "\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":"
                                       "\"analyzer://made%20up/findings\"}}"),
                           "resource not found"));
    w.reload_result = 0;
    w.changed[0] = w.changed[1] = false;
    assert_string_equal(tool(&w, "reload", "{}"), INPUTS("false", "false") "}.");
    assert_int_equal(w.reloads, 2);
    assert_non_null(
        strstr(tool(&w, "query", "{\"sql\":\"SELECT count(*) FROM kernels\"}"), "[[36]]"));
    close_world(&w);
    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    assert_string_equal(tool(&w, "reload", "{}"), "cannot read these inputs again!");
    assert_non_null(
        strstr(tool(&w, "query", "{\"sql\":\"SELECT count(*) FROM kernels\"}"), "[[24]]"));
    close_world(&w);
}

/* The longest event of a table is kept for eight tables, and forgotten when inputs are read again.
 */
static void longest(void **state)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
    struct world w;
    struct az_diag diag;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, false);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(az_server_longest(w.s, names[i]), -1);
        az_server_set_longest(w.s, names[i], 100 + i);
    }
    for (int i = 0; i < 9; i++)
        assert_int_equal(az_server_longest(w.s, names[i]), i < 8 ? 100 + i : -1);
    az_diag_init(&diag);
    assert_int_equal(az_server_reload(w.s, &diag), 0);
    for (int i = 0; i < 9; i++)
        assert_int_equal(az_server_longest(w.s, names[i]), -1);
    az_diag_release(&diag);
    close_world(&w);
}

static void defaults(void **state)
{
    struct world w;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    const struct az_server_limits *l = az_server_limits(w.s);
    assert_int_equal(l->rows, 1000);
    assert_int_equal(l->bytes, 65536);
    assert_int_equal(l->ms, 30000);
    assert_int_equal(l->memory, 1073741824);
    assert_false(az_server_changed(w.s, 0));
    close_world(&w);
    open_world(&w, 1, &(struct az_server_limits){ 1, 2, 3, 4 << 20 }, true);
    l = az_server_limits(w.s);
    assert_int_equal(l->rows, 1);
    assert_int_equal(l->bytes, 2);
    assert_int_equal(l->ms, 3);
    assert_int_equal(l->memory, 4 << 20);
    close_world(&w);
}

struct canceling {
    struct world *w;
    int polls, rights;
};

/* Asked while a statement runs: only the notification with the identifier of the request ends it.
 */
static bool poll_lines(void *ctx)
{
    static const struct {
        const char *line;
        bool cancels;
    } lines[] = {
        { RPC "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":8}}", false },
        { RPC "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"7\"}}", false },
        { RPC "\"method\":\"notifications/cancelled\",\"params\":{}}", false },
        { RPC "\"method\":\"notifications/cancelled\"", false },
        { "[\"notifications/cancelled\"]", false },
        { RPC "\"method\":\"ping\",\"params\":{\"requestId\":7}}", false },
        { RPC "\"method\":\"ping\",\"params\":{\"requestId\":7,\"a\":\"notifications/cancelled\"}}",
          false },
        { " " RPC "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}} ", true },
    };
    struct canceling *c = ctx;
    for (size_t i = 0; i < AZ_LENGTH(lines); i++)
        c->rights += az_server_cancels(c->w->s, az_sv_str(lines[i].line)) == lines[i].cancels;
    c->polls++;
    return true;
}

static void cancels(void **state)
{
    static const char *endless =
        RPC "\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"query\",\"arguments\":"
            "{\"sql\":\"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT "
            "count(*) FROM c\"}}}";
    struct world w;
    struct canceling c = { .w = &w };
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    az_server_on_cancel(w.s, poll_lines, &c);
    const char *got = ask(&w, endless);
    assert_non_null(strstr(got, "\"isError\":true"));
    assert_true(c.polls > 0);
    assert_int_equal(c.rights, 8 * c.polls);
    az_server_on_cancel(w.s, NULL, NULL);
    /* no request is in progress */
    assert_false(az_server_cancels(
        w.s, AZ_SV(RPC "\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}")));
    close_world(&w);
    open_world(&w, 1, &(struct az_server_limits){ 0, 0, 1, 0 }, true);
    got = ask(&w, endless);
    assert_non_null(strstr(got, "\"isError\":true"));
    close_world(&w);
    az_server_free(NULL);
}

static void verdicts(void **state)
{
    struct world w;
    (void)state;

    open_world(&w, 1, &(struct az_server_limits){ 0 }, true);
    assert_string_equal(
        tool(&w, "verdict", "{}"),
        "{\"input\":\"made up\",\"findings\":{\"order\":\"recoverable time, longest first\","
        "\"columns\":[\"rule\",\"time_ns\",\"bad\"],\"rows\":[[\"a 'rule' \\\"of\\\" \xc3\xa9\",0,"
        "false],[\"a 'rule' \\\"of\\\" \xc3\xa9\",1,true],[\"a 'rule' \\\"of\\\" \xc3\xa9\",2,"
        "false]],\"first_row\":0,\"cut\":false}}.");
    w.q.no_report = true;
    assert_string_equal(tool(&w, "verdict", "{}"),
                        "cannot compute the report of this input: nothing in it!");
    close_world(&w);
    open_world(&w, 2, &(struct az_server_limits){ 0 }, true);
    assert_string_equal(tool(&w, "verdict", "{}"),
                        "no input '' for 'input'; list inputs with the tool 'inputs'!");
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),  cmocka_unit_test(long_names), cmocka_unit_test(long_lines),
        cmocka_unit_test(versions),  cmocka_unit_test(pages),      cmocka_unit_test(rows),
        cmocka_unit_test(arguments), cmocka_unit_test(windows),    cmocka_unit_test(reloads),
        cmocka_unit_test(longest),   cmocka_unit_test(defaults),   cmocka_unit_test(cancels),
        cmocka_unit_test(verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
