/* The second pass over a configuration's text, after json-c accepted it: json-c stores no
 * positions, accepts numbers that are not JSON and ignores repeated keys. This scan finds line and
 * column of every key and element, the tokens as written, and reports repeated keys. Values of
 * strings are filled in by json.c. */
#include "config/private.h"

#include "base/intern.h"

AZ_VEC(struct az_node *, node_list);

struct scan {
    struct az_sv text, file;
    size_t at;
    size_t line_at; /* offset where the line of `at` starts */
    int64_t line;
    struct az_arena *a;
    struct az_diag *diag;
    struct az_map seen; /* (hash of the key, object) -> index in `members` */
    struct node_list members;
};

static int scan_value(struct scan *s, struct az_node *n, unsigned depth);

void az_conf_place(struct az_sv text, size_t offset, int64_t *line, int64_t *column)
{
    size_t start = 0;
    *line = 1;
    for (size_t i = 0; i < offset && i < text.n; i++) {
        if (text.p[i] == '\n') {
            ++*line;
            start = i + 1;
        }
    }
    *column = (int64_t)(offset - start) + 1;
}

static int scan_fail(struct scan *s, const char *what)
{
    if (s->diag) {
        az_diag_add(s->diag, AZ_ERROR, AZ_AT_LINE(s->file, s->line),
                    "invalid syntax at column %zu: %s", s->at - s->line_at + 1, what);
    }
    return AZ_ECONFIG;
}

/* Moves to `to`, counting lines. */
static void scan_move(struct scan *s, size_t to)
{
    for (; s->at < to; s->at++) {
        if (s->text.p[s->at] == '\n') {
            s->line++;
            s->line_at = s->at + 1;
        }
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

size_t az_conf_blank(struct az_sv text, size_t at)
{
    while (at < text.n) {
        struct az_sv rest = az_sv_make(text.p + at, text.n - at);
        if (is_blank(rest.p[0])) {
            at++;
        } else if (az_sv_starts(rest, AZ_SV("//"))) {
            const char *eol = memchr(rest.p, '\n', rest.n);
            at = eol ? (size_t)(eol - text.p) + 1 : text.n;
        } else if (az_sv_starts(rest, AZ_SV("/*"))) {
            ptrdiff_t close = az_sv_find(az_sv_make(rest.p + 2, rest.n - 2), AZ_SV("*/"));
            if (close < 0)
                return at;
            at += (size_t)close + 4;
        } else {
            return at;
        }
    }
    return at;
}

/* Offset after the string that starts at `at`; text.n without its end. */
static size_t string_end(struct az_sv text, size_t at)
{
    char quote = text.p[at++];
    while (at < text.n && text.p[at] != quote)
        at += text.p[at] == '\\' && at + 1 < text.n ? 2 : 1;
    return at < text.n ? at + 1 : text.n;
}

size_t az_conf_count(struct az_sv text)
{
    size_t n = 1, at = 0;
    while (at < text.n) {
        char c = text.p[at];
        if (c == '"' || c == '\'') {
            at = string_end(text, at);
        } else if (c == '/') {
            size_t next = az_conf_blank(text, at);
            at = next > at ? next : at + 1;
        } else {
            n += c == '{' || c == '[' || c == ',';
            at++;
        }
    }
    return n;
}

static char scan_peek(struct scan *s)
{
    scan_move(s, az_conf_blank(s->text, s->at));
    return s->at < s->text.n ? s->text.p[s->at] : '\0';
}

/* Marks where n starts. */
static void scan_mark(const struct scan *s, struct az_node *n)
{
    n->file = s->file;
    n->line = s->line;
    n->column = (int64_t)(s->at - s->line_at) + 1;
}

/* A string with its quotes (json-c accepts both kinds). */
static int scan_string(struct scan *s, struct az_sv *token)
{
    char quote = s->text.p[s->at];
    size_t i = s->at + 1;
    for (; i < s->text.n && s->text.p[i] != quote; i++) {
        if (s->text.p[i] != '\\')
            continue;
        i++;
        if (az_sv_starts(az_sv_make(s->text.p + i, s->text.n - i), AZ_SV("u0000"))) {
            scan_move(s, i - 1);
            return scan_fail(s, "\\u0000 in a string");
        }
    }
    if (i >= s->text.n)
        return scan_fail(s, "unterminated string");
    *token = az_sv_make(s->text.p + s->at, i + 1 - s->at);
    scan_move(s, i + 1);
    return 0;
}

static int scan_key(struct scan *s, struct az_node *n)
{
    struct az_sv token = { 0 };
    int rc = scan_string(s, &token);
    if (rc < 0)
        return rc;
    if (memchr(token.p, '\\', token.n))
        n->key = az_conf_decode(token, s->a);
    else
        n->key = az_arena_dup(s->a, az_sv_make(token.p + 1, token.n - 2));
    return n->key.p ? 0 : s->a->failed ? az_arena_error(s->a) : scan_fail(s, "invalid key");
}

/* null, true, false, or anything that may be meant as a number. */
static int scan_word(struct scan *s, struct az_node *n)
{
    size_t i = s->at;
    while (i < s->text.n && !is_blank(s->text.p[i]) && !memchr(",:]}[{\"'/", s->text.p[i], 9))
        i++;
    if (i == s->at)
        return scan_fail(s, "expected a value");
    n->text = az_arena_dup(s->a, az_sv_make(s->text.p + s->at, i - s->at));
    if (!n->text.p)
        return az_arena_error(s->a);
    scan_move(s, i);
    if (az_sv_ieq(n->text, AZ_SV("null")))
        n->kind = AZ_NODE_NULL;
    else if (az_sv_ieq(n->text, AZ_SV("true")) || az_sv_ieq(n->text, AZ_SV("false")))
        n->kind = AZ_NODE_BOOL;
    else
        n->kind = AZ_NODE_NUMBER;
    return 0;
}

/* Adds a member, or replaces an earlier one with the same key: the last value
 * wins at the first position, as in json-c and in the reference tool. */
static int add_member(struct scan *s, struct az_node *object, struct az_node *n)
{
    uint32_t *index = NULL;
    bool added = false;
    uint64_t hash = az_hash(n->key.p, n->key.n);
    int rc = az_map_put(&s->seen, hash, (uintptr_t)object, (uint32_t)s->members.n, &index, &added);
    if (rc < 0)
        return rc;
    if (added) {
        az_node_append(object, n);
        return az_vec_push(&s->members, n);
    }
    struct az_node *old = s->members.v[*index];
    if (!az_sv_eq(old->key, n->key)) { /* two keys of one hash */
        az_node_append(object, n);
        return 0;
    }
    if (s->diag) {
        az_diag_add(s->diag, AZ_WARNING, az_node_where(old, s->a),
                    "duplicate key '%.*s', also in line %lld; the last value is used",
                    AZ_SVF(n->key), (long long)n->line);
    }
    az_node_replace(old, n);
    return 0;
}

static int scan_object(struct scan *s, struct az_node *object, unsigned depth)
{
    object->kind = AZ_NODE_OBJECT;
    scan_move(s, s->at + 1);
    for (char c = scan_peek(s); c != '}'; c = scan_peek(s)) {
        struct az_node *n = az_node_new(s->a, AZ_NODE_NULL);
        if (!n)
            return az_arena_error(s->a);
        if (c != '"' && c != '\'')
            return scan_fail(s, "expected a quoted key");
        scan_mark(s, n);
        n->parent = object;
        int rc = scan_key(s, n);
        if (rc < 0)
            return rc;
        if (scan_peek(s) != ':')
            return scan_fail(s, "':' expected");
        scan_move(s, s->at + 1);
        rc = scan_value(s, n, depth + 1);
        if (rc == 0)
            rc = add_member(s, object, n);
        if (rc < 0)
            return rc;
        if (scan_peek(s) == ',')
            scan_move(s, s->at + 1);
        else if (scan_peek(s) != '}')
            return scan_fail(s, "expected ',' or '}'");
    }
    scan_move(s, s->at + 1);
    return 0;
}

static int scan_array(struct scan *s, struct az_node *array, unsigned depth)
{
    array->kind = AZ_NODE_ARRAY;
    scan_move(s, s->at + 1);
    while (scan_peek(s) != ']') {
        struct az_node *n = az_node_new(s->a, AZ_NODE_NULL);
        if (!n)
            return az_arena_error(s->a);
        scan_mark(s, n);
        az_node_append(array, n);
        int rc = scan_value(s, n, depth + 1);
        if (rc < 0)
            return rc;
        if (scan_peek(s) == ',')
            scan_move(s, s->at + 1);
        else if (scan_peek(s) != ']')
            return scan_fail(s, "expected ',' or ']'");
    }
    scan_move(s, s->at + 1);
    return 0;
}

static int scan_value(struct scan *s, struct az_node *n, unsigned depth)
{
    if (depth > CONFIG_MAX_DEPTH)
        return scan_fail(s, "nested too deep");
    switch (scan_peek(s)) {
    case '{':
        return scan_object(s, n, depth);
    case '[':
        return scan_array(s, n, depth);
    case '"':
    case '\'':
        n->kind = AZ_NODE_TEXT;
        return scan_string(s, &n->text);
    default:
        return scan_word(s, n);
    }
}

int az_conf_scan(struct az_sv text, struct az_sv file, struct az_arena *a, struct az_diag *diag,
                 struct az_node **root, size_t *end)
{
    struct scan s = { .text = text, .file = file, .line = 1, .a = a, .diag = diag };
    az_vec_init(&s.members, NULL);
    int rc = 0;
    az_map_init(&s.seen, NULL, 64);
    *root = az_node_new(a, AZ_NODE_NULL);
    if (!*root) {
        rc = az_arena_error(a);
        goto out;
    }
    (void)scan_peek(&s);
    scan_mark(&s, *root);
    rc = scan_value(&s, *root, 0);
    *end = s.at;
out:
    az_map_release(&s.seen);
    az_vec_release(&s.members);
    return rc;
}
