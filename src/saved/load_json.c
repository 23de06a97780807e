/* A result JSON (schemas/result.schema.json) back into a document. */
#include "base/num.h"
#include "saved/load.h"
#include "text/jsonscan.h"

#define MAX_COLUMNS 65536
#define MAX_TABLES  4096 /* ids are compared pairwise */
#define SHOWN       40   /* bytes of a wrong value in a message */

struct reader {
    struct az_document *doc;
    struct az_sv all, name;
    struct az_diag *diag;
};

static int wrong(const struct reader *r, struct az_sv at, const char *what)
{
    struct az_sv shown = az_sv_make(at.p, at.n < SHOWN ? at.n : SHOWN);
    return az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_OFFSET(r->name, at.p - r->all.p), "%s '%.*s'",
                        what, AZ_SVF(shown));
}

/* After the last element of a container: its bracket. */
static int closed(const struct reader *r, const struct az_jview *v, char bracket, const char *what)
{
    struct az_sv rest = az_sv_trim(v->rest);
    if (rest.n && *rest.p == bracket)
        return AZ_OK;
    return az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_OFFSET(r->name, v->rest.p - r->all.p),
                        "JSON truncated or malformed in %s; check whether the file is complete",
                        what);
}

static bool is_text(struct az_sv v) { return v.n >= 2 && *v.p == '"'; }

static int text_of(const struct reader *r, struct az_sv value, struct az_sv *to)
{
    if (!is_text(value))
        return wrong(r, value, "expected a string, not");
    *to = az_json_unescape(r->doc->arena, az_sv_make(value.p + 1, value.n - 2));
    return to->p ? AZ_OK : az_arena_error(r->doc->arena);
}

/* ---- words ---- */
static bool chart_kind(struct az_sv w, enum az_chart_kind *to)
{
    static const char *const names[] = { [AZ_CHART_STACKED_COLUMN] = "stacked_column",
                                         [AZ_CHART_STACKED_BAR] = "stacked_bar",
                                         [AZ_CHART_PIE] = "pie",
                                         [AZ_CHART_BAR] = "bar",
                                         [AZ_CHART_COLUMN] = "column",
                                         [AZ_CHART_LINE] = "line",
                                         [AZ_CHART_SCATTER_LOG] = "scatter_log",
                                         [AZ_CHART_WATERFALL] = "waterfall",
                                         [AZ_CHART_HEAT] = "heat",
                                         [AZ_CHART_TREND] = "trend",
                                         [AZ_CHART_LIMITS] = "limits" };
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        *to = (enum az_chart_kind)i;
        if (az_sv_is(w, names[i]))
            return true;
    }
    return false;
}

/* ---- tables ---- */
static int column(const struct reader *r, struct az_table *t, struct az_sv value)
{
    struct az_column c = { .type = AZ_EMPTY };
    struct az_jview v;
    struct az_sv key, member, word;
    bool ok = true;
    int rc = AZ_OK;

    if (!az_jview_object(&v, value))
        return wrong(r, value, "a column must be an object, not");
    while (!rc && ok && az_jview_member(&v, &key, &member)) {
        word = member;
        if (az_sv_is(key, "key")) {
            c.flags |= az_sv_is(member, "true") ? AZ_KEY : 0;
            continue;
        }
        rc = text_of(r, member, &word);
        if (rc)
            break;
        if (az_sv_is(key, "name"))
            c.name = word;
        else if (az_sv_is(key, "type"))
            ok = az_cell_type_named(word, &c.type);
        else if (az_sv_is(key, "unit"))
            ok = az_unit_named(word, &c.unit);
        else if (az_sv_is(key, "direction"))
            c.flags |= az_direction_named(word);
    }
    if (!ok)
        return wrong(r, member, "unknown word");
    if (!rc)
        rc = closed(r, &v, '}', "a column");
    if (!rc)
        az_table_columnsv(t, c.name, c.type, c.unit, c.flags);
    return rc ? rc : t->error;
}

static int columns(const struct reader *r, struct az_table *t, struct az_sv value)
{
    struct az_jview v;
    struct az_sv one;
    int rc = AZ_OK;

    if (t->columns.n || !az_jview_array(&v, value))
        return wrong(r, value, "columns must be an array of objects, not");
    while (!rc && az_jview_next(&v, &one)) {
        if (t->columns.n == MAX_COLUMNS)
            return wrong(r, one, "too many columns at");
        rc = column(r, t, one);
    }
    return rc ? rc : closed(r, &v, ']', "columns");
}

static int read_cell(const struct reader *r, struct az_table *t, enum az_cell_type type,
                     struct az_sv value)
{
    struct az_sv text = { "", 0 };
    int64_t i;
    double f;
    int rc;

    if (az_sv_is(value, "null")) {
        az_put_empty(t);
    } else if (type == AZ_TEXT && is_text(value)) {
        rc = text_of(r, value, &text);
        if (rc)
            return rc;
        az_put_text(t, text);
    } else if (type == AZ_INT && az_parse_i64(value, &i) == 0) {
        az_put_i64(t, i);
    } else if (type == AZ_REAL && az_parse_f64(value, &f) == 0) {
        az_put_f64(t, f);
    } else if (type == AZ_BOOL && (az_sv_is(value, "true") || az_sv_is(value, "false"))) {
        az_put_bool(t, *value.p == 't');
    } else {
        return wrong(r, value, "cell is not of its column's type:");
    }
    return t->error;
}

static int read_row(const struct reader *r, struct az_table *t, struct az_sv value)
{
    struct az_jview v;
    struct az_sv one;
    size_t n = 0;
    int rc = AZ_OK;

    if (!az_jview_array(&v, value))
        return wrong(r, value, "a row must be an array, not");
    while (!rc && az_jview_next(&v, &one)) {
        if (n == t->columns.n)
            return wrong(r, value, "row with more cells than there are columns:");
        rc = read_cell(r, t, t->columns.v[n++].type, one);
    }
    if (!rc && n < t->columns.n)
        return wrong(r, value, "row with fewer cells than there are columns:");
    return rc ? rc : closed(r, &v, ']', "a row");
}

static int read_rows(const struct reader *r, struct az_table *t, struct az_sv value)
{
    struct az_jview v;
    struct az_sv one;
    int rc = AZ_OK;

    if (!az_jview_array(&v, value))
        return wrong(r, value, "rows must be an array, not");
    while (!rc && az_jview_next(&v, &one))
        rc = read_row(r, t, one);
    return rc ? rc : closed(r, &v, ']', "rows");
}

static int table_members(const struct reader *r, struct az_table *t, struct az_sv value)
{
    struct az_sv key, member, body = { NULL, 0 };
    struct az_jview v;
    int rc = AZ_OK;

    if (!az_jview_object(&v, value))
        return wrong(r, value, "a table must be an object, not");
    while (!rc && az_jview_member(&v, &key, &member)) {
        if (az_sv_is(key, "id"))
            rc = text_of(r, member, &t->id);
        else if (az_sv_is(key, "title"))
            rc = text_of(r, member, &t->title);
        else if (az_sv_is(key, "columns"))
            rc = columns(r, t, member);
        else if (az_sv_is(key, "rows"))
            body = member;
    }
    if (!rc)
        rc = closed(r, &v, '}', "a table");
    if (!rc && (t->id.n == 0 || t->columns.n == 0))
        return wrong(r, value, "table without id or columns:");
    return rc || !body.p ? rc : read_rows(r, t, body);
}

static int table(const struct reader *r, struct az_sv value)
{
    struct az_table *t = az_table_new(r->doc->arena, "", "", AZ_TABLE_KEEP_EMPTY);
    int rc;

    if (!t)
        return az_arena_error(r->doc->arena);
    rc = table_members(r, t, value);
    if (!rc && r->doc->tables.n >= MAX_TABLES)
        rc = wrong(r, value, "too many tables at");
    if (!rc && az_document_has(r->doc, t->id))
        rc = wrong(r, value, "duplicate table ID:");
    if (rc) {
        az_table_free(t);
        return rc;
    }
    return az_document_add(r->doc, t);
}

static int tables(const struct reader *r, struct az_sv value)
{
    struct az_jview v;
    struct az_sv one;
    int rc = AZ_OK;

    if (!az_jview_array(&v, value))
        return wrong(r, value, "tables must be an array, not");
    while (!rc && az_jview_next(&v, &one))
        rc = table(r, one);
    return rc ? rc : closed(r, &v, ']', "tables");
}

/* ---- charts, messages, the whole ---- */
static int texts(const struct reader *r, struct az_sv value, struct az_vec_sv *to)
{
    struct az_jview v;
    struct az_sv one, text = { "", 0 };
    int rc = AZ_OK;

    if (!az_jview_array(&v, value))
        return wrong(r, value, "expected an array of strings, not");
    while (!rc && az_jview_next(&v, &one)) {
        rc = text_of(r, one, &text);
        if (!rc)
            rc = az_vec_push(to, text);
    }
    return rc ? rc : closed(r, &v, ']', "an array of strings");
}

/* Parts of a chart live in the document's arena. */
static int chart_parts(const struct reader *r, struct az_chart *c, struct az_sv value)
{
    struct az_vec_sv list;
    int rc;

    az_vec_init(&list, r->doc->mem);
    rc = texts(r, value, &list);
    struct az_sv *parts = rc ? NULL : az_arena_array(r->doc->arena, list.n + 1, sizeof *parts);
    if (parts && list.n)
        memcpy(parts, list.v, list.n * sizeof *parts);
    else if (!rc && !parts)
        rc = az_arena_error(r->doc->arena);
    c->parts = parts;
    c->n_parts = rc ? 0 : list.n;
    az_vec_release(&list);
    return rc;
}

static int chart_member(const struct reader *r, struct az_chart *c, struct az_sv key,
                        struct az_sv value)
{
    struct az_sv word = { "", 0 };
    int64_t n;
    int rc;

    if (az_sv_is(key, "y"))
        return texts(r, value, &c->y);
    if (az_sv_is(key, "parts"))
        return chart_parts(r, c, value);
    if (az_sv_is(key, "max_rows")) {
        if (az_parse_i64(value, &n) || n < 0)
            return wrong(r, value, "expected a number of rows, not");
        c->max_rows = (size_t)n;
        return AZ_OK;
    }
    rc = text_of(r, value, &word);
    if (rc)
        return rc;
    if (az_sv_is(key, "kind") && !chart_kind(word, &c->kind))
        return wrong(r, value, "unknown kind of chart");
    struct az_sv *to = az_sv_is(key, "table")     ? &c->table
                       : az_sv_is(key, "title")   ? &c->title
                       : az_sv_is(key, "x_title") ? &c->x_title
                       : az_sv_is(key, "y_title") ? &c->y_title
                       : az_sv_is(key, "x")       ? &c->x
                       : az_sv_is(key, "stack")   ? &c->stack
                       : az_sv_is(key, "size")    ? &c->size
                                                  : &word;
    *to = word;
    return AZ_OK;
}

static int chart(const struct reader *r, struct az_sv value)
{
    struct az_chart c = { .kind = AZ_CHART_BAR };
    struct az_sv key, member;
    struct az_jview v;
    int rc = AZ_OK;

    az_vec_init(&c.y, r->doc->mem);
    if (!az_jview_object(&v, value))
        return wrong(r, value, "a chart must be an object, not");
    while (!rc && az_jview_member(&v, &key, &member))
        rc = chart_member(r, &c, key, member);
    if (!rc)
        rc = closed(r, &v, '}', "a chart");
    if (!rc)
        return az_document_chart(r->doc, c);
    az_vec_release(&c.y);
    return rc;
}

static int charts(const struct reader *r, struct az_sv value)
{
    struct az_jview v;
    struct az_sv one;
    int rc = AZ_OK;

    if (!az_jview_array(&v, value))
        return wrong(r, value, "charts must be an array, not");
    while (!rc && az_jview_next(&v, &one))
        rc = chart(r, one);
    return rc ? rc : closed(r, &v, ']', "charts");
}

static int schema(const struct reader *r, struct az_sv value)
{
    struct az_sv name = { "", 0 };
    int rc = text_of(r, value, &name);

    if (rc || az_sv_is(name, "analyzer-result/1"))
        return rc;
    if (az_sv_starts(name, AZ_SV("analyzer-comparison/")))
        return wrong(r, value, "is a comparison, not a result; use the results that it compares:");
    return wrong(r, value, "schema is not analyzer-result/1 but");
}

static int member(const struct reader *r, struct az_sv key, struct az_sv value)
{
    struct az_document *doc = r->doc;

    if (az_sv_is(key, "schema"))
        return schema(r, value);
    if (az_sv_is(key, "title") && az_sv_is(value, "null")) {
        doc->no_heading = true;
        return AZ_OK;
    }
    if (az_sv_is(key, "title"))
        return text_of(r, value, &doc->title);
    if (az_sv_is(key, "input"))
        return text_of(r, value, &doc->input);
    if (az_sv_is(key, "format"))
        return text_of(r, value, &doc->format);
    if (az_sv_is(key, "messages"))
        return texts(r, value, &doc->preface);
    if (az_sv_is(key, "tables"))
        return tables(r, value);
    if (az_sv_is(key, "charts"))
        return charts(r, value);
    return AZ_OK; /* of a later version */
}

int az_load_json(struct az_document *doc, struct az_sv bytes, struct az_sv name,
                 struct az_diag *diag)
{
    struct reader r = { .doc = doc, .all = bytes, .name = name, .diag = diag };
    struct az_sv key, value;
    struct az_jview v;
    bool known = false;
    int rc = AZ_OK;

    if (!az_jview_object(&v, bytes))
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(name),
                            "not an analyzer result: no JSON object");
    while (!rc && az_jview_member(&v, &key, &value)) {
        known |= az_sv_is(key, "schema");
        rc = member(&r, key, value);
    }
    if (!rc)
        rc = closed(&r, &v, '}', "the document");
    if (!rc && !known)
        rc = az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(name),
                          "not an analyzer result: no key 'schema'");
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        rc = az_diag_memory(diag, rc, AZ_AT_FILE(name), doc->mem);
    return rc;
}
