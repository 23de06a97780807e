/* The tools: most are one SQL statement made of their arguments. */
#include <stdio.h>

#include "serve/internal.h"
#include "text/jsonscan.h"

static void put_text(struct az_call *c, const char *key, struct az_sv value)
{
    az_jsonw_key(c->w, key);
    az_jsonw_text(c->w, value);
}

/* Arguments that many tools have: the requested rows. */
static int paging(struct az_call *c, int64_t *offset, int64_t *limit)
{
    *offset = 0;
    *limit = 50;
    if (!az_call_number(c, "offset", offset) || !az_call_number(c, "limit", limit))
        return AZ_EUSAGE;
    return *offset < 0 || *limit < 1
               ? az_call_wrong(c, "'offset' must be 0 or more, 'limit' 1 or more")
               : AZ_OK;
}

static int put_rows(struct az_call *c, struct az_vec_char *sql, int64_t offset, int64_t limit,
                    int rc)
{
    if (!rc)
        rc = az_call_rows(c, az_text_view(sql), offset, limit);
    az_vec_release(sql);
    return rc;
}

/* ---- inputs, tables, describe ---- */

static int tool_inputs(struct az_call *c)
{
    const struct az_query_source *s = az_server_source(c->s);

    az_jsonw_key(c->w, "inputs");
    az_jsonw_array(c->w);
    for (size_t i = 0; i < s->n; i++) {
        az_jsonw_object(c->w);
        put_text(c, "input", s->inputs[i].title);
        put_text(c, "format", s->inputs[i].format);
        az_jsonw_key(c->w, "traces");
        az_jsonw_i64(c->w, (int64_t)s->inputs[i].n_traces);
        az_jsonw_key(c->w, "changed");
        az_jsonw_bool(c->w, az_server_changed(c->s, i));
        az_jsonw_end_object(c->w);
    }
    az_jsonw_end_array(c->w);
    return AZ_OK;
}

static int tool_tables(struct az_call *c)
{
    int64_t offset, limit;
    int rc = paging(c, &offset, &limit);

    put_text(c, "order", AZ_SV("facts, then report tables in report order"));
    return rc ? rc
              : az_call_rows(c, AZ_SV("SELECT name, kind, rows, title FROM tables"), offset,
                             limit < 50 ? limit : 500);
}

static int tool_describe(struct az_call *c)
{
    struct az_vec_char sql;
    struct az_sv table;
    int rc = az_call_text(c, "table", &table) ? AZ_OK : AZ_EUSAGE;

    az_vec_init(&sql, NULL);
    if (!rc && !table.n)
        rc = az_call_wrong(c, "missing 'table'; list tables with the tool 'tables'");
    if (!rc)
        rc = az_text_append(
            &sql, AZ_SV("SELECT name, type, unit, title FROM columns WHERE table_name = "));
    if (!rc)
        rc = az_sql_text(&sql, table);
    put_text(c, "table", table);
    put_text(c, "order", AZ_SV("columns from the left"));
    return put_rows(c, &sql, 0, 500, rc);
}

/* ---- table ---- */

/* A list of column names of an argument; all where there is none. */
static int column_list(struct az_call *c, struct az_vec_char *sql)
{
    const struct az_sv raw = az_rpc_member(c->args, "columns");
    struct az_jview v;
    struct az_sv one, name;
    bool any = false;
    int rc = AZ_OK;

    if (!raw.p || az_sv_is(raw, "null"))
        return az_text_append(sql, AZ_SV("*"));
    if (!az_jview_array(&v, raw))
        return az_call_wrong(c, "'columns' must be a list of names");
    while (!rc && az_jview_next(&v, &one)) {
        if (!az_rpc_text(c->a, one, &name) || !name.n)
            return az_call_wrong(c, "'columns' must be a list of names");
        rc = any ? az_text_append(sql, AZ_SV(", ")) : AZ_OK;
        if (!rc)
            rc = az_sql_name(sql, name);
        any = true;
    }
    return !rc && !any ? az_text_append(sql, AZ_SV("*")) : rc;
}

/* Conditions: a value is equal, a text with * or ? matches as a glob, null is empty. */
static int conditions(struct az_call *c, struct az_vec_char *sql)
{
    const struct az_sv raw = az_rpc_member(c->args, "filter");
    struct az_jview v;
    struct az_sv key, value, text;
    const char *word = " WHERE ";
    int rc = AZ_OK;

    if (!raw.p || az_sv_is(raw, "null"))
        return AZ_OK;
    if (!az_jview_object(&v, raw))
        return az_call_wrong(c, "'filter' must be an object of columns and values");
    while (!rc && az_jview_member(&v, &key, &value)) {
        rc = az_text_append(sql, az_sv_str(word));
        if (!rc)
            rc = az_sql_name(sql, az_json_unescape(c->a, key));
        word = " AND ";
        if (rc)
            break;
        if (az_rpc_text(c->a, value, &text)) {
            const bool glob = memchr(text.p, '*', text.n) || memchr(text.p, '?', text.n);
            rc = az_text_append(sql, glob ? AZ_SV(" GLOB ") : AZ_SV(" = "));
            if (!rc)
                rc = az_sql_text(sql, text);
        } else if (az_sv_is(value, "null")) {
            rc = az_text_append(sql, AZ_SV(" IS NULL"));
        } else if (*value.p == '-' || (*value.p >= '0' && *value.p <= '9') ||
                   az_sv_is(value, "true") || az_sv_is(value, "false")) {
            rc = az_text_printf(sql, " = %.*s", AZ_SVF(value));
        } else {
            rc = az_call_wrong(
                c, "a value of 'filter' must be a string, a number, true, false or null");
        }
    }
    return rc;
}

static int ordered(struct az_call *c, struct az_vec_char *sql)
{
    struct az_sv order;
    int rc = az_call_text(c, "order", &order) ? AZ_OK : AZ_EUSAGE;

    if (rc)
        return rc;
    if (!order.n) {
        put_text(c, "order", AZ_SV("in table order"));
        return AZ_OK;
    }
    const bool down = *order.p == '-';
    put_text(c, "order", order);
    rc = az_text_append(sql, AZ_SV(" ORDER BY "));
    if (!rc)
        rc = az_sql_name(sql, down ? az_sv_make(order.p + 1, order.n - 1) : order);
    return rc || !down ? rc : az_text_append(sql, AZ_SV(" DESC"));
}

static int tool_table(struct az_call *c)
{
    struct az_vec_char sql;
    struct az_sv table;
    int64_t offset, limit;
    int rc = paging(c, &offset, &limit);

    az_vec_init(&sql, NULL);
    if (!rc && !az_call_text(c, "table", &table))
        rc = AZ_EUSAGE;
    if (!rc && !table.n)
        rc = az_call_wrong(c, "missing 'table'; list tables with the tool 'tables'");
    if (!rc)
        put_text(c, "table", table);
    if (!rc)
        rc = az_text_append(&sql, AZ_SV("SELECT "));
    if (!rc)
        rc = column_list(c, &sql);
    if (!rc)
        rc = az_text_append(&sql, AZ_SV(" FROM "));
    if (!rc)
        rc = az_sql_name(&sql, table);
    if (!rc)
        rc = conditions(c, &sql);
    if (!rc)
        rc = ordered(c, &sql);
    return put_rows(c, &sql, offset, limit, rc);
}

/* ---- query ---- */

static int tool_query(struct az_call *c)
{
    struct az_sv sql;
    int64_t offset, limit;
    int rc = paging(c, &offset, &limit);

    if (!rc && !az_call_text(c, "sql", &sql))
        rc = AZ_EUSAGE;
    if (!rc && !sql.n)
        rc = az_call_wrong(c, "missing 'sql'; use a SELECT over the tables listed by 'tables'");
    if (!rc)
        put_text(c, "order", AZ_SV("in the order of the statement"));
    return rc ? rc : az_call_rows(c, sql, offset, limit);
}

/* ---- verdict ---- */

static int tool_verdict(struct az_call *c)
{
    const struct az_query_source *s = az_server_source(c->s);
    const struct az_document *d;
    size_t input;
    int rc = az_call_input(c, "input", &input), failed;

    if (rc)
        return rc;
    d = s->document(s->ctx, input, &failed);
    if (!d)
        return az_diag_fail(c->diag, failed ? failed : AZ_EEMPTY, AZ_NOWHERE,
                            "cannot compute the report of this input: %s",
                            az_err_text(failed ? failed : AZ_EEMPTY));
    put_text(c, "input", s->inputs[input].title);
    static const char *const tables[] = { "verdict", "findings" };
    for (size_t i = 0; !rc && i < AZ_LENGTH(tables); i++) {
        const struct az_table *t = az_document_table(d, tables[i]);
        if (!t)
            continue;
        az_jsonw_key(c->w, tables[i]);
        az_jsonw_object(c->w);
        put_text(c, "order",
                 i ? AZ_SV("recoverable time, longest first")
                   : AZ_SV("what ran, time, findings, trust"));
        rc = az_call_table(c, t, 20);
        az_jsonw_end_object(c->w);
    }
    return rc;
}

/* ---- window ---- */

/* Events that run between two times: those that begin at most the longest event before. */
static int window_of(struct az_call *c, struct az_vec_char *sql, const char *what,
                     const char *table, bool device, int64_t from, int64_t to)
{
    int64_t longest = az_server_longest(c->s, table);

    if (longest < 0) {
        char text[80];
        snprintf(text, sizeof text, "SELECT ifnull(max(dur_ns), 0) FROM %s", table);
        const int rc = az_call_one(c, az_sv_str(text), &longest);
        if (rc)
            return rc;
        az_server_set_longest(c->s, table, longest);
    }
    const int64_t low = from > INT64_MIN + longest ? from - longest : INT64_MIN;
    return az_text_printf(
        sql,
        "%sSELECT '%s' AS what, id, input, rank, start_ns, end_ns, dur_ns, %s AS device, %s AS "
        "stream, %s AS thread, name FROM %s WHERE start_ns BETWEEN %lld AND %lld AND end_ns >= "
        "%lld",
        sql->n ? " UNION ALL " : "", what, device ? "device" : "NULL", device ? "stream" : "NULL",
        device ? "NULL" : "thread", table, (long long)low, (long long)to, (long long)from);
}

static int tool_window(struct az_call *c)
{
    int64_t from = INT64_MIN, to = INT64_MIN, offset, limit;
    struct az_vec_char sql;
    int rc = paging(c, &offset, &limit);

    az_vec_init(&sql, NULL);
    if (!rc && (!az_call_number(c, "start_ns", &from) || !az_call_number(c, "end_ns", &to)))
        rc = AZ_EUSAGE;
    if (!rc && (from == INT64_MIN || to < from))
        rc = az_call_wrong(c, "missing or unordered 'start_ns' and 'end_ns'");
    if (!rc)
        rc = window_of(c, &sql, "kernel", "kernels", true, from, to);
    if (!rc)
        rc = window_of(c, &sql, "copy", "copies", true, from, to);
    if (!rc)
        rc = window_of(c, &sql, "op", "ops", false, from, to);
    if (!rc)
        rc = window_of(c, &sql, "call", "calls", false, from, to);
    if (!rc)
        rc = window_of(c, &sql, "range", "ranges", false, from, to);
    if (!rc)
        rc = az_text_append(&sql, AZ_SV(" ORDER BY start_ns, what, id"));
    put_text(c, "order", AZ_SV("start_ns"));
    return put_rows(c, &sql, offset, limit, rc);
}

/* ---- kernel ---- */

static int tool_kernel(struct az_call *c)
{
    struct az_query_grouping of = { .table = "kernels",
                                    .by = { "input", "rank", "class", "family" },
                                    .n_by = 4 };
    struct az_vec_char sql;
    bool any = false;

    if (!az_call_text(c, "name", &of.name))
        return AZ_EUSAGE;
    if (!of.name.n)
        return az_call_wrong(c, "missing 'name'; use the full name of a kernel");
    put_text(c, "table", AZ_SV("kernels"));
    int rc = az_call_groups(c, "times", &of, 20, &any);
    if (!rc && !any)
        return az_call_wrong(c,
                             "no kernel '%.*s'; list names with SELECT DISTINCT name FROM kernels",
                             AZ_SVF(of.name));
    of = (struct az_query_grouping){ .table = "kernels",
                                     .name = of.name,
                                     .by = { "grid_x", "grid_y", "grid_z", "block_x", "block_y",
                                             "block_z", "registers", "shared_bytes" },
                                     .n_by = 8,
                                     .known = true };
    if (!rc)
        rc = az_call_groups(c, "shapes", &of, 10, &any);
    of = (struct az_query_grouping){
        .table = "kernels", .name = of.name, .by = { "op_name", "scope" }, .n_by = 2, .known = true
    };
    if (!rc)
        rc = az_call_groups(c, "launchers", &of, 10, &any);
    az_vec_init(&sql, NULL);
    if (!rc)
        rc = az_text_append(
            &sql, AZ_SV("SELECT id, start_ns, dur_ns, device, stream, step, call, op FROM kernels "
                        "WHERE name = "));
    if (!rc)
        rc = az_sql_text(&sql, of.name);
    if (!rc)
        rc = az_text_append(&sql, AZ_SV(" ORDER BY dur_ns DESC, id LIMIT 5"));
    if (!rc)
        rc = az_call_part(c, "slowest", az_text_view(&sql), 5);
    az_vec_release(&sql);
    return rc;
}

/* ---- reload ---- */

static int tool_reload(struct az_call *c)
{
    const int rc = az_server_reload(c->s, c->diag);
    return rc ? rc : tool_inputs(c);
}

/* ---- the list ---- */
/* clang-format off */
#define OBJECT(members) "{\"type\":\"object\",\"properties\":{" members "},\"additionalProperties\":false"
#define NEEDS(names)    ",\"required\":[" names "]}"
#define STRING(name, help)  "\"" name "\":{\"type\":\"string\",\"description\":\"" help "\"}"
#define INTEGER(name, help) "\"" name "\":{\"type\":\"integer\",\"description\":\"" help "\"}"
#define PAGING INTEGER("offset", "first row, from 0") "," INTEGER("limit", "maximum number of rows (50)")
#define INPUT  STRING("input", "title of an input; optional if there is only one")

const struct az_serve_tool az_serve_tools[] = {
    { "inputs", "Lists the open profiles: title, format, and whether their files changed since.",
      OBJECT("") "}", tool_inputs },
    { "verdict", "Summary: hardware and steps, time breakdown, estimated savings, data coverage; then every finding with its evidence (table and filter).", OBJECT(INPUT) "}", tool_verdict },
    { "tables", "All tables with their number of rows: facts (kernels, copies, ops, calls, launches, gaps, steps ...) and the "
      "tables of the reports.", OBJECT(PAGING) "}", tool_tables },
    { "describe", "Columns of a table with type, unit and meaning.",
      OBJECT(STRING("table", "name of a table")) NEEDS("\"table\""), tool_describe },
    { "table", "Rows of a table, chosen and ordered.",
      OBJECT(STRING("table", "name of a table") ","
             "\"columns\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"names; all if omitted\"},"
             "\"filter\":{\"type\":\"object\",\"description\":\"column: value; a text with * or ? is a pattern, null is empty\"},"
             STRING("order", "a column; with - before it descending") "," PAGING) NEEDS("\"table\""), tool_table },
    { "query", "Runs one read-only SQLite SELECT statement over the tables.",
      OBJECT(STRING("sql", "the statement") "," PAGING) NEEDS("\"sql\""), tool_query },
    { "window", "What ran between two times, on devices and host, by start.",
      OBJECT(INTEGER("start_ns", "on the clock of the trace") "," INTEGER("end_ns", "likewise") "," PAGING)
      NEEDS("\"start_ns\",\"end_ns\""), tool_window },
    { "kernel", "One kernel by its whole name: times of each rank, grids, what launched it, its slowest runs.",
      OBJECT(STRING("name", "the name, as the table kernels has it")) NEEDS("\"name\""), tool_kernel },
    { "compare", "Two inputs: which is faster, and the causes that add up to the difference.",
      OBJECT(STRING("baseline", "title of an input") "," STRING("variant", "title of an input"))
      NEEDS("\"baseline\",\"variant\""), az_tool_compare },
    { "gate", "Compares the key metrics of an input with a baseline: pass or fail, with the metrics.",
      OBJECT(STRING("baseline", "title of an input") "," STRING("candidate", "title of an input"))
      NEEDS("\"baseline\",\"candidate\""), az_tool_gate },
    { "reload", "Reads all inputs again after their files changed.", OBJECT("") "}", tool_reload },
};
/* clang-format on */
const size_t az_serve_n_tools = AZ_LENGTH(az_serve_tools);
