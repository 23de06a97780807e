/* Text of a configuration into a tree: json-c checks that it is JSON (with comments and trailing
 * commas) and decodes strings; scan.c adds what json-c does not store. The only file that includes
 * json-c. */
#include "config/private.h"

#include <json-c/json.h>

#include "base/utf8.h"

enum { ROOM = 64 << 10, VALUE_ROOM = 1000 /* up to 900 bytes for a value of two */ };

static int fail_at(struct az_diag *diag, struct az_sv text, struct az_sv file, size_t offset,
                   const char *what, const char *advice)
{
    if (diag) {
        int64_t line, column;
        az_conf_place(text, offset, &line, &column);
        az_diag_add(diag, AZ_ERROR, AZ_AT_LINE(file, line), "invalid syntax at column %lld: %s%s",
                    (long long)column, what, advice);
    }
    return AZ_ECONFIG;
}

/* NUL bytes and bytes that are not UTF-8: json-c would stop at the one and accept the other. */
static int check_bytes(struct az_sv text, struct az_sv file, struct az_diag *diag)
{
    const char *nul = text.n ? memchr(text.p, '\0', text.n) : NULL;
    if (nul)
        return fail_at(diag, text, file, (size_t)(nul - text.p), "NUL byte",
                       "; use a UTF-8 text file");
    if (az_utf8_valid(text))
        return 0;
    for (size_t i = 0, next = 0; i < text.n; i = next) {
        uint32_t code = az_utf8_next(text, &next);
        bool written = az_sv_starts(az_sv_make(text.p + i, text.n - i), AZ_SV("\xef\xbf\xbd"));
        if (code == 0xfffd && !written)
            return fail_at(diag, text, file, i, "invalid UTF-8", "; save the file as UTF-8");
    }
    return 0;
}

static int tokener_fail(struct json_tokener *tok, struct az_sv text, struct az_sv file,
                        struct az_diag *diag)
{
    enum json_tokener_error e = json_tokener_get_error(tok);
    size_t at = json_tokener_get_parse_end(tok);
    if (e == json_tokener_continue || at >= text.n)
        return fail_at(diag, text, file, text.n, "unexpected end of file",
                       "; close the open bracket, quote or comment");
    if (e == json_tokener_error_depth)
        return fail_at(diag, text, file, at, "nested too deep", "; use at most 32 levels");
    return fail_at(diag, text, file, at, json_tokener_error_desc(e),
                   at == 0 ? "; a configuration is JSON ('analyzer init PROFILE' writes one)" : "");
}

struct az_sv az_conf_decode(struct az_sv token, struct az_arena *a)
{
    struct az_sv out = { 0 };
    struct json_tokener *tok = az_mem_room(ROOM + 2 * token.n) ? json_tokener_new() : NULL;
    if (!tok || token.n > CONFIG_MAX_BYTES)
        goto done;
    struct json_object *jo = json_tokener_parse_ex(tok, token.p, (int)token.n);
    if (json_object_is_type(jo, json_type_string))
        out = az_arena_dup(
            a, az_sv_make(json_object_get_string(jo), (size_t)json_object_get_string_len(jo)));
    json_object_put(jo);
done:
    if (tok)
        json_tokener_free(tok);
    return out;
}

/* JSON's own form of a number; json-c also accepts 01, 1e, NaN and Infinity. */
static bool is_number(struct az_sv s)
{
    size_t i = 0;
#define DIGITS()                                                                                   \
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')                                              \
    i++
    if (i < s.n && s.p[i] == '-')
        i++;
    size_t start = i;
    DIGITS();
    if (i == start || (s.p[start] == '0' && i > start + 1))
        return false;
    if (i < s.n && s.p[i] == '.') {
        start = ++i;
        DIGITS();
        if (i == start)
            return false;
    }
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        i++;
        if (i < s.n && (s.p[i] == '+' || s.p[i] == '-'))
            i++;
        start = i;
        DIGITS();
        if (i == start)
            return false;
    }
#undef DIGITS
    return i == s.n;
}

static int node_fail(const struct az_node *n, struct az_arena *a, struct az_diag *diag,
                     const char *what)
{
    if (diag)
        az_diag_add(diag, AZ_ERROR, az_node_where(n, a), "%s '%.*s'", what, AZ_SVF(n->text));
    return AZ_ECONFIG;
}

static bool same_kind(const struct az_node *n, struct json_object *jo)
{
    switch (n->kind) {
    case AZ_NODE_NULL:
        return jo == NULL;
    case AZ_NODE_BOOL:
        return json_object_is_type(jo, json_type_boolean);
    case AZ_NODE_NUMBER:
        return json_object_is_type(jo, json_type_int) || json_object_is_type(jo, json_type_double);
    case AZ_NODE_TEXT:
        return json_object_is_type(jo, json_type_string);
    case AZ_NODE_ARRAY:
        return json_object_is_type(jo, json_type_array) && json_object_array_length(jo) == n->n;
    case AZ_NODE_OBJECT:
        return json_object_is_type(jo, json_type_object) &&
               json_object_object_length(jo) == (int)n->n;
    }
    return false;
}

/* Sets the values that json-c read. Depth is bounded by CONFIG_MAX_DEPTH. */
static int fill_node(struct az_node *n, struct json_object *jo, struct az_arena *a,
                     struct az_diag *diag)
{
    if (!same_kind(n, jo))
        return node_fail(n, a, diag, "unexpected token");
    if (n->kind == AZ_NODE_NUMBER && !is_number(n->text))
        return node_fail(n, a, diag, "invalid JSON number");
    if (n->kind == AZ_NODE_TEXT) {
        n->text = az_arena_dup(
            a, az_sv_make(json_object_get_string(jo), (size_t)json_object_get_string_len(jo)));
        return n->text.p ? 0 : az_arena_error(a);
    }
    int rc = 0;
    for (struct az_node *c = n->first; c; c = c->next) {
        struct json_object *value = NULL;
        if (n->kind == AZ_NODE_ARRAY)
            value = json_object_array_get_idx(jo, c->index);
        else if (!json_object_object_get_ex(jo, c->key.p, &value))
            return node_fail(c, a, diag, "unexpected token");
        int one = fill_node(c, value, a, diag);
        if (one == AZ_ENOMEM || one == AZ_ELIMIT)
            return one;
        if (one < 0)
            rc = one;
    }
    return rc;
}

int az_conf_parse(struct az_sv text, struct az_sv file, struct az_arena *a, struct az_diag *diag,
                  struct az_node **root)
{
    struct json_object *jo = NULL;
    size_t end = 0;
    *root = NULL;
    if (az_sv_starts(text, AZ_SV("\xef\xbb\xbf"))) /* byte order mark */
        text = az_sv_make(text.p + 3, text.n - 3);
    if (text.n > CONFIG_MAX_BYTES)
        return fail_at(diag, text, file, 0, "larger than 64 MiB",
                       "; check that the file is a configuration");
    int rc = check_bytes(text, file, diag);
    if (rc < 0)
        return rc;
    if (az_conf_blank(text, 0) == text.n)
        return fail_at(diag, text, file, 0, "empty file", "; add an object { ... }");
    if (az_conf_count(text) > CONFIG_MAX_VALUES)
        return fail_at(diag, text, file, 0, "more than 1000000 values",
                       "; check that the file is a configuration");
    /* json-c does not survive a failed allocation */
    if (!az_mem_room(ROOM + az_conf_count(text) * VALUE_ROOM + 2 * text.n))
        return AZ_ENOMEM;
    struct json_tokener *tok = json_tokener_new_ex(CONFIG_MAX_DEPTH);
    if (!tok)
        return AZ_ENOMEM;
    jo = json_tokener_parse_ex(tok, text.p, (int)text.n + 1);
    if (json_tokener_get_error(tok) != json_tokener_success) {
        rc = tokener_fail(tok, text, file, diag);
        goto out;
    }
    rc = az_conf_scan(text, file, a, diag, root, &end);
    if (rc == 0)
        rc = fill_node(*root, jo, a, diag);
    if (rc == 0 && az_conf_blank(text, end) < text.n)
        rc = fail_at(diag, text, file, az_conf_blank(text, end),
                     "text after the end of the configuration", "; check for an extra bracket");
out:
    json_object_put(jo);
    json_tokener_free(tok);
    return rc;
}
