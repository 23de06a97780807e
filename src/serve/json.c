/* Messages as JSON: checked whole before anything is read from it, so that the views of
 * text/jsonscan.h are safe. */
#include "base/utf8.h"
#include "serve/internal.h"
#include "text/jsonscan.h"

#define DEEPEST 64

struct check {
    const char *p, *end;
};

static void space(struct check *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'))
        c->p++;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool string(struct check *c)
{
    if (c->p >= c->end || *c->p++ != '"')
        return false;
    while (c->p < c->end) {
        const char x = *c->p++;
        if (x == '"')
            return true;
        if ((unsigned char)x < ' ')
            return false;
        if (x != '\\')
            continue;
        if (c->p >= c->end)
            return false;
        const char e = *c->p++;
        if (e == 'u') {
            for (int i = 0; i < 4; i++)
                if (c->p >= c->end || !is_hex(*c->p++))
                    return false;
        } else if (!e || !strchr("\"\\/bfnrt", e)) {
            return false;
        }
    }
    return false;
}

static bool digits(struct check *c)
{
    const char *from = c->p;
    while (c->p < c->end && *c->p >= '0' && *c->p <= '9')
        c->p++;
    return c->p > from;
}

static bool number(struct check *c)
{
    if (c->p < c->end && *c->p == '-')
        c->p++;
    if (c->p < c->end && *c->p == '0')
        c->p++;
    else if (!digits(c))
        return false;
    if (c->p < c->end && *c->p == '.') {
        c->p++;
        if (!digits(c))
            return false;
    }
    if (c->p < c->end && (*c->p == 'e' || *c->p == 'E')) {
        c->p++;
        if (c->p < c->end && (*c->p == '+' || *c->p == '-'))
            c->p++;
        return digits(c);
    }
    return true;
}

static bool skip_word(struct check *c, const char *w)
{
    const size_t n = strlen(w);
    const bool is = (size_t)(c->end - c->p) >= n && memcmp(c->p, w, n) == 0;
    c->p += is ? n : 0;
    return is;
}

static bool value(struct check *c, unsigned depth);

static bool members(struct check *c, unsigned depth, char close, bool object)
{
    c->p++;
    space(c);
    if (c->p < c->end && *c->p == close) {
        c->p++;
        return true;
    }
    for (;;) {
        space(c);
        if (object) {
            if (!string(c))
                return false;
            space(c);
            if (c->p >= c->end || *c->p++ != ':')
                return false;
        }
        if (!value(c, depth + 1))
            return false;
        space(c);
        if (c->p >= c->end)
            return false;
        if (*c->p == close) {
            c->p++;
            return true;
        }
        if (*c->p++ != ',')
            return false;
    }
}

static bool value(struct check *c, unsigned depth)
{
    space(c);
    if (c->p >= c->end || depth > DEEPEST)
        return false;
    switch (*c->p) {
    case '{':
        return members(c, depth, '}', true);
    case '[':
        return members(c, depth, ']', false);
    case '"':
        return string(c);
    case 't':
        return skip_word(c, "true");
    case 'f':
        return skip_word(c, "false");
    case 'n':
        return skip_word(c, "null");
    default:
        return number(c);
    }
}

bool az_rpc_valid(struct az_sv text)
{
    struct check c = { text.p, text.p + text.n };

    if (!az_utf8_valid(text) || !value(&c, 0))
        return false;
    space(&c);
    return c.p == c.end;
}

bool az_rpc_is_object(struct az_sv raw) { return raw.n >= 2 && *raw.p == '{'; }

struct az_sv az_rpc_member(struct az_sv object, const char *key)
{
    struct az_sv found = { NULL, 0 }, name, member;
    struct az_jview v;

    if (!object.p || !az_jview_object(&v, object))
        return found;
    while (az_jview_member(&v, &name, &member))
        if (az_sv_is(name, key))
            found = member;
    return found;
}

bool az_rpc_text(struct az_arena *a, struct az_sv raw, struct az_sv *to)
{
    if (!raw.p || raw.n < 2 || *raw.p != '"')
        return false;
    *to = az_json_text(a, raw);
    return to->p != NULL;
}
