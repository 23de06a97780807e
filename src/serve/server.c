/* The methods of the protocol. */
#include <stdio.h>

#include "base/num.h"
#include "io/watchdog.h"
#include "serve/internal.h"
#include "text/jsonscan.h"

enum {
    PARSE_ERROR = -32700,
    BAD_REQUEST = -32600,
    NO_METHOD = -32601,
    BAD_PARAMS = -32602,
    NO_RESOURCE = -32002,
    TOO_LATE = -32001
};
enum { PAGE = 200, KEPT = 8 };
enum { END_LATE = 3 /* exit status: an incomplete result */ };

struct az_server {
    struct az_server_inputs inputs;
    struct az_server_limits limits;
    struct az_query *query; /* NULL: the inputs could not be read again */
    struct az_arena arena;  /* of one message */
    struct az_diag diag;
    struct az_vec_char body; /* of a tool */
    struct az_vec_char late; /* error of the request whose statement does not end */
    int out;                 /* where that goes; -1: nowhere */
    struct az_sv id;         /* of the request in progress; p NULL: none */
    bool (*is_requested)(void *ctx);
    void *ctx;
    struct {
        const char *table;
        int64_t ns;
    } longest[KEPT];
};

static bool is_requested(void *ctx)
{
    const struct az_server *s = ctx;
    return s->is_requested && s->is_requested(s->ctx);
}

static int open_query(struct az_server *s)
{
    const struct az_query_limits l = { .cancel = { is_requested, s } };
    return az_query_open(&s->query, s->inputs.source, &l, &s->diag);
}

int az_server_new(struct az_server **out, const struct az_server_inputs *inputs,
                  const struct az_server_limits *limits)
{
    struct az_server *s = az_mem_alloc(NULL, sizeof *s);
    int rc;

    *out = NULL;
    if (!s)
        return AZ_ENOMEM;
    *s = (struct az_server){ .inputs = *inputs, .limits = *limits, .out = -1 };
    s->limits.rows = limits->rows ? limits->rows : 1000;
    s->limits.bytes = limits->bytes ? limits->bytes : 64 << 10;
    s->limits.ms = limits->ms ? limits->ms : 30000;
    s->limits.memory = limits->memory ? limits->memory : (int64_t)1 << 30;
    az_arena_init(&s->arena, NULL);
    az_diag_init(&s->diag);
    az_vec_init(&s->body, NULL);
    az_vec_init(&s->late, NULL);
    rc = open_query(s);
    if (rc)
        az_server_free(s);
    else
        *out = s;
    return rc;
}

void az_server_free(struct az_server *s)
{
    if (!s)
        return;
    az_query_close(s->query);
    az_vec_release(&s->body);
    az_vec_release(&s->late);
    az_diag_release(&s->diag);
    az_arena_release(&s->arena);
    az_mem_free(NULL, s, sizeof *s);
}

void az_server_on_cancel(struct az_server *s, bool (*ask)(void *ctx), void *ctx)
{
    s->is_requested = ask;
    s->ctx = ctx;
}

void az_server_set_output(struct az_server *s, int fd) { s->out = fd; }

static void on_watch(void *ctx, int64_t ms)
{
    struct az_server *s = ctx;

    if (ms && s->out >= 0 && s->late.n)
        az_watchdog_start(ms, s->out, az_text_view(&s->late), END_LATE);
    else
        az_watchdog_stop();
}

struct az_query *az_server_query(struct az_server *s)
{
    const struct az_query_limits l = { .cancel = { is_requested, s },
                                       .ms = s->limits.ms,
                                       .bytes = s->limits.memory,
                                       .length = 100000,
                                       .watch = on_watch,
                                       .watch_ctx = s };
    az_query_limit(s->query, &l);
    return s->query;
}
const struct az_query_source *az_server_source(const struct az_server *s)
{
    return s->inputs.source;
}
const struct az_server_limits *az_server_limits(const struct az_server *s) { return &s->limits; }
bool az_server_changed(const struct az_server *s, size_t input)
{
    return s->inputs.changed && s->inputs.changed(s->inputs.ctx, input);
}

int az_server_reload(struct az_server *s, struct az_diag *diag)
{
    if (!s->inputs.reload)
        return az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "cannot read these inputs again");
    az_query_close(s->query);
    s->query = NULL;
    memset(s->longest, 0, sizeof s->longest);
    const int rc = s->inputs.reload(s->inputs.ctx, &s->inputs.source, diag);
    return rc ? rc : open_query(s);
}

int64_t az_server_longest(struct az_server *s, const char *table)
{
    for (size_t i = 0; i < KEPT; i++)
        if (s->longest[i].table == table)
            return s->longest[i].ns;
    return -1;
}
void az_server_set_longest(struct az_server *s, const char *table, int64_t ns)
{
    for (size_t i = 0; i < KEPT; i++)
        if (!s->longest[i].table) {
            s->longest[i].table = table;
            s->longest[i].ns = ns;
            return;
        }
}

/* ---- responses ---- */

static void begin(struct az_server *s, struct az_jsonw *w, struct az_vec_char *out)
{
    az_jsonw_init(w, NULL, out, 0);
    az_jsonw_object(w);
    az_jsonw_key(w, "jsonrpc");
    az_jsonw_text(w, AZ_SV("2.0"));
    az_jsonw_key(w, "id");
    if (s->id.p)
        az_jsonw_raw(w, s->id);
    else
        az_jsonw_null(w);
}

static int put_error(struct az_server *s, struct az_vec_char *out, int code, const char *text,
                     struct az_sv what)
{
    struct az_jsonw w;

    begin(s, &w, out);
    az_jsonw_key(&w, "error");
    az_jsonw_object(&w);
    az_jsonw_key(&w, "code");
    az_jsonw_i64(&w, code);
    az_jsonw_key(&w, "message");
    az_jsonw_text(&w, what.n ? az_arena_printf(&s->arena, "%s: %.*s", text,
                                               (int)(what.n > 200 ? 200 : what.n), what.p)
                             : az_sv_str(text));
    az_jsonw_end_object(&w);
    az_jsonw_end_object(&w);
    return az_jsonw_finish(&w);
}

static void member(struct az_jsonw *w, const char *key, struct az_sv value)
{
    az_jsonw_key(w, key);
    az_jsonw_text(w, value);
}

/* ---- initialize, tools/list ---- */

static void initialize(struct az_server *s, struct az_jsonw *w, struct az_sv params)
{
    static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18" };
    struct az_sv wanted = AZ_SV(""), version = AZ_SV("2025-06-18");

    if (az_rpc_text(&s->arena, az_rpc_member(params, "protocolVersion"), &wanted))
        for (size_t i = 0; i < AZ_LENGTH(versions); i++)
            if (az_sv_is(wanted, versions[i]))
                version = wanted;
    member(w, "protocolVersion", version);
    az_jsonw_key(w, "capabilities");
    az_jsonw_raw(w, AZ_SV("{\"tools\":{\"listChanged\":false},"
                          "\"resources\":{\"subscribe\":false,\"listChanged\":false}}"));
    az_jsonw_key(w, "serverInfo");
    az_jsonw_object(w);
    member(w, "name", AZ_SV("analyzer"));
    member(w, "version", az_sv_str(AZ_VERSION));
    az_jsonw_end_object(w);
    member(
        w, "instructions",
        AZ_SV("Profiles of GPU programs. Begin with the tool 'verdict': what ran, where the time "
              "went, estimated savings. 'tables' and 'describe' list the tables and columns for "
              "'query' (read-only SQL) and 'table'. Columns that end in _ns are nanoseconds. "
              "Responses are limited in size; 'more' describes how to get the rest."));
}

static void list_tools(struct az_jsonw *w)
{
    az_jsonw_key(w, "tools");
    az_jsonw_array(w);
    for (size_t i = 0; i < az_serve_n_tools; i++) {
        const struct az_serve_tool *t = &az_serve_tools[i];
        az_jsonw_object(w);
        member(w, "name", az_sv_str(t->name));
        member(w, "description", az_sv_str(t->help));
        az_jsonw_key(w, "inputSchema");
        az_jsonw_raw(w, az_sv_str(t->schema));
        az_jsonw_key(w, "annotations");
        az_jsonw_raw(w, AZ_SV("{\"readOnlyHint\":true,\"openWorldHint\":false}"));
        az_jsonw_end_object(w);
    }
    az_jsonw_end_array(w);
}

/* ---- tools/call ---- */

static struct az_sv messages(struct az_server *s, int rc)
{
    struct az_sv text = AZ_SV("");

    for (size_t i = 0; i < s->diag.list.n; i++)
        if (s->diag.list.v[i].severity == AZ_ERROR)
            text = az_arena_printf(&s->arena, "%.*s%s%.*s", AZ_SVF(text), text.n ? "\n" : "",
                                   AZ_SVF(s->diag.list.v[i].text));
    return text.n ? text : rc == AZ_EINTR ? AZ_SV("cancelled") : az_sv_str(az_err_text(rc));
}

/* Inputs whose files are not what they were. */
static void stale(struct az_server *s, struct az_jsonw *w)
{
    bool any = false;

    for (size_t i = 0; s->query && i < s->inputs.source->n; i++) {
        if (!az_server_changed(s, i))
            continue;
        if (!any) {
            az_jsonw_key(w, "changed_inputs");
            az_jsonw_array(w);
        }
        any = true;
        az_jsonw_text(w, s->inputs.source->inputs[i].title);
    }
    if (any) {
        az_jsonw_end_array(w);
        member(w, "hint", AZ_SV("files changed since they were read; use the tool 'reload'"));
    }
}

/* Runs a tool into the body; its error, if it has one, instead. */
static int run_tool(struct az_server *s, const struct az_serve_tool *t, struct az_sv args,
                    bool *failed)
{
    struct az_jsonw w;
    struct az_call c = {
        .s = s, .args = args, .a = &s->arena, .w = &w, .text = &s->body, .diag = &s->diag
    };
    int rc;

    az_vec_reset(&s->body);
    az_jsonw_init(&w, NULL, &s->body, 0);
    az_jsonw_object(&w);
    if (!s->query && strcmp(t->name, "reload") != 0)
        rc = az_diag_fail(&s->diag, AZ_EIO, AZ_NOWHERE,
                          "cannot read the inputs again; retry with the tool 'reload'");
    else
        rc = t->run(&c);
    if (!rc)
        stale(s, &w);
    az_jsonw_end_object(&w);
    if (!rc)
        rc = az_jsonw_finish(&w);
    *failed = rc != AZ_OK;
    if (rc == AZ_OK || rc == AZ_ENOMEM)
        return rc;
    az_vec_reset(&s->body);
    return az_text_append(&s->body, messages(s, rc));
}

static int call_tool(struct az_server *s, struct az_sv params, struct az_vec_char *out)
{
    struct az_sv name = AZ_SV(""), args = az_rpc_member(params, "arguments");
    const struct az_serve_tool *t = NULL;
    struct az_jsonw w;
    bool failed;

    if (!az_rpc_text(&s->arena, az_rpc_member(params, "name"), &name))
        return put_error(s, out, BAD_PARAMS, "missing tool name", AZ_SV(""));
    for (size_t i = 0; i < az_serve_n_tools; i++)
        if (az_sv_is(name, az_serve_tools[i].name))
            t = &az_serve_tools[i];
    if (!t)
        return put_error(s, out, BAD_PARAMS, "unknown tool", name);
    if (args.p && az_sv_is(args, "null"))
        args.p = NULL;
    if (args.p && !az_rpc_is_object(args))
        return put_error(s, out, BAD_PARAMS, "arguments must be an object", AZ_SV(""));
    az_vec_reset(&s->late);
    int rc = put_error(s, &s->late, TOO_LATE,
                       "statement exceeded the time limit inside one SQL function; the server ends",
                       AZ_SV(""));
    if (!rc)
        rc = az_vec_push(&s->late, '\n');
    if (!rc)
        rc = run_tool(s, t, args, &failed);
    if (rc)
        return rc;
    begin(s, &w, out);
    az_jsonw_key(&w, "result");
    az_jsonw_object(&w);
    az_jsonw_key(&w, "content");
    az_jsonw_array(&w);
    az_jsonw_object(&w);
    member(&w, "type", AZ_SV("text"));
    member(&w, "text", az_text_view(&s->body));
    az_jsonw_end_object(&w);
    az_jsonw_end_array(&w);
    az_jsonw_key(&w, "isError");
    az_jsonw_bool(&w, failed);
    az_jsonw_end_object(&w);
    az_jsonw_end_object(&w);
    return az_jsonw_finish(&w);
}

/* ---- resources: each table of each report ---- */

static struct az_sv encoded(struct az_arena *a, struct az_sv s)
{
    char *out = az_arena_alloc(a, 3 * s.n + 1);
    size_t n = 0;

    for (size_t i = 0; out && i < s.n; i++) {
        const unsigned char c = (unsigned char)s.p[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            (c && strchr("-._~", c)))
            out[n++] = (char)c;
        else
            n += (size_t)snprintf(out + n, 4, "%%%02X", c);
    }
    return az_sv_make(out, n);
}

static struct az_sv uri_of(struct az_server *s, size_t input, const struct az_table *t)
{
    return az_arena_printf(&s->arena, "analyzer://%.*s/%.*s",
                           AZ_SVF(encoded(&s->arena, s->inputs.source->inputs[input].title)),
                           AZ_SVF(encoded(&s->arena, t->id)));
}

static const struct az_document *document(struct az_server *s, size_t i, int *rc)
{
    return s->inputs.source->document(s->inputs.source->ctx, i, rc);
}

static int list_resources(struct az_server *s, struct az_sv params, struct az_vec_char *out)
{
    struct az_sv cursor;
    struct az_jsonw w;
    int64_t from = 0, at = 0, next = -1;

    if (az_rpc_text(&s->arena, az_rpc_member(params, "cursor"), &cursor) &&
        (az_parse_i64(cursor, &from) || from < 0))
        return put_error(s, out, BAD_PARAMS, "unknown cursor", cursor);
    begin(s, &w, out);
    az_jsonw_key(&w, "result");
    az_jsonw_object(&w);
    az_jsonw_key(&w, "resources");
    az_jsonw_array(&w);
    for (size_t i = 0; s->query && i < s->inputs.source->n; i++) {
        int failed;
        const struct az_document *d = document(s, i, &failed);
        for (size_t k = 0; d && k < d->tables.n; k++, at++) {
            const struct az_table *t = d->tables.v[k];
            if (at < from || at >= from + PAGE) {
                next = at >= from + PAGE ? from + PAGE : next;
                continue;
            }
            az_jsonw_object(&w);
            member(&w, "uri", uri_of(s, i, t));
            member(&w, "name", t->id);
            member(&w, "title", t->title);
            member(&w, "mimeType", AZ_SV("application/json"));
            az_jsonw_end_object(&w);
        }
    }
    az_jsonw_end_array(&w);
    if (next >= 0)
        member(&w, "nextCursor", az_arena_printf(&s->arena, "%lld", (long long)next));
    az_jsonw_end_object(&w);
    az_jsonw_end_object(&w);
    return az_jsonw_finish(&w);
}

static const struct az_table *find_resource(struct az_server *s, struct az_sv uri)
{
    for (size_t i = 0; s->query && i < s->inputs.source->n; i++) {
        const struct az_sv start =
            az_arena_printf(&s->arena, "analyzer://%.*s/",
                            AZ_SVF(encoded(&s->arena, s->inputs.source->inputs[i].title)));
        int failed;
        const struct az_document *d = az_sv_starts(uri, start) ? document(s, i, &failed) : NULL;
        for (size_t k = 0; d && k < d->tables.n; k++)
            if (az_sv_eq(uri_of(s, i, d->tables.v[k]), uri))
                return d->tables.v[k];
    }
    return NULL;
}

static int read_resource(struct az_server *s, struct az_sv params, struct az_vec_char *out)
{
    struct az_sv uri;
    struct az_jsonw w, b;
    struct az_call c = { .s = s, .a = &s->arena, .w = &b, .text = &s->body, .diag = &s->diag };
    int rc;

    if (!az_rpc_text(&s->arena, az_rpc_member(params, "uri"), &uri))
        return put_error(s, out, BAD_PARAMS, "missing uri", AZ_SV(""));
    const struct az_table *t = find_resource(s, uri);
    if (!t)
        return put_error(s, out, NO_RESOURCE, "resource not found", uri);
    az_vec_reset(&s->body);
    az_jsonw_init(&b, NULL, &s->body, 0);
    az_jsonw_object(&b);
    member(&b, "table", t->id);
    member(&b, "title", t->title);
    rc = az_call_table(&c, t, -1);
    az_jsonw_end_object(&b);
    if (!rc)
        rc = az_jsonw_finish(&b);
    if (rc)
        return rc;
    begin(s, &w, out);
    az_jsonw_key(&w, "result");
    az_jsonw_object(&w);
    az_jsonw_key(&w, "contents");
    az_jsonw_array(&w);
    az_jsonw_object(&w);
    member(&w, "uri", uri);
    member(&w, "mimeType", AZ_SV("application/json"));
    member(&w, "text", az_text_view(&s->body));
    az_jsonw_end_object(&w);
    az_jsonw_end_array(&w);
    az_jsonw_end_object(&w);
    az_jsonw_end_object(&w);
    return az_jsonw_finish(&w);
}

/* ---- messages ---- */

static int method(struct az_server *s, struct az_sv name, struct az_sv params,
                  struct az_vec_char *out)
{
    struct az_jsonw w;

    if (az_sv_is(name, "tools/call"))
        return call_tool(s, params, out);
    if (az_sv_is(name, "resources/list"))
        return list_resources(s, params, out);
    if (az_sv_is(name, "resources/read"))
        return read_resource(s, params, out);
    if (!az_sv_is(name, "initialize") && !az_sv_is(name, "ping") && !az_sv_is(name, "tools/list") &&
        !az_sv_is(name, "resources/templates/list"))
        return put_error(s, out, NO_METHOD, "method not found", name);
    begin(s, &w, out);
    az_jsonw_key(&w, "result");
    az_jsonw_object(&w);
    if (az_sv_is(name, "initialize"))
        initialize(s, &w, params);
    else if (az_sv_is(name, "tools/list"))
        list_tools(&w);
    else if (az_sv_is(name, "resources/templates/list")) {
        az_jsonw_key(&w, "resourceTemplates");
        az_jsonw_raw(&w, AZ_SV("[]"));
    }
    az_jsonw_end_object(&w);
    az_jsonw_end_object(&w);
    return az_jsonw_finish(&w);
}

static int request(struct az_server *s, struct az_sv line, struct az_vec_char *out)
{
    const struct az_sv id = az_rpc_member(line, "id"), params = az_rpc_member(line, "params");
    struct az_sv name, version;

    if (id.p && *id.p != '"' && *id.p != '-' && (*id.p < '0' || *id.p > '9') &&
        !az_sv_is(id, "null"))
        return put_error(s, out, BAD_REQUEST, "an id must be a string or a number", AZ_SV(""));
    s->id = id;
    if (!az_rpc_text(&s->arena, az_rpc_member(line, "jsonrpc"), &version) ||
        !az_sv_is(version, "2.0"))
        return put_error(s, out, BAD_REQUEST, "a message must have \"jsonrpc\":\"2.0\"", AZ_SV(""));
    if (!az_rpc_text(&s->arena, az_rpc_member(line, "method"), &name)) {
        const bool response = az_rpc_member(line, "result").p || az_rpc_member(line, "error").p;
        return response ? AZ_OK : put_error(s, out, BAD_REQUEST, "missing method", AZ_SV(""));
    }
    if (!id.p) /* a notification: no response */
        return AZ_OK;
    if (params.p && !az_rpc_is_object(params))
        return put_error(s, out, BAD_PARAMS, "params must be an object", AZ_SV(""));
    return method(s, name, params, out);
}

int az_server_answer(struct az_server *s, struct az_sv line, struct az_vec_char *out)
{
    const size_t from = out->n;
    int rc;

    line = az_sv_trim(line);
    s->id = (struct az_sv){ NULL, 0 };
    az_arena_reset(&s->arena);
    az_diag_release(&s->diag);
    az_diag_init(&s->diag);
    if (!line.n)
        return AZ_OK;
    if (line.n > AZ_SERVE_LINE)
        rc = put_error(s, out, BAD_REQUEST, "message too long", AZ_SV(""));
    else if (!az_rpc_valid(line))
        rc = put_error(s, out, PARSE_ERROR, "line is not JSON", AZ_SV(""));
    else if (!az_rpc_is_object(line))
        rc = put_error(s, out, BAD_REQUEST, "a message must be an object", AZ_SV(""));
    else
        rc = request(s, line, out);
    s->id = (struct az_sv){ NULL, 0 };
    if (rc)
        out->n = from;
    return rc;
}

bool az_server_cancels(const struct az_server *s, struct az_sv line)
{
    line = az_sv_trim(line);
    if (!s->id.p || az_sv_find(line, AZ_SV("notifications/cancelled")) < 0 || !az_rpc_valid(line) ||
        !az_rpc_is_object(line))
        return false;
    return az_sv_is(az_rpc_member(line, "method"), "\"notifications/cancelled\"") &&
           az_sv_eq(az_rpc_member(az_rpc_member(line, "params"), "requestId"), s->id);
}
