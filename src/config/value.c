/* One value into its field, by its row of the option table. Every message has the form
 * "KEY must be WHAT, not 'GOT'". */
#include <math.h>

#include "config/private.h"

#include "base/num.h"
#include "base/utf8.h"
#include "model/window.h"

#define SHOWN 80 /* bytes of a wrong value in a message */

struct az_sv az_value_range(const struct az_option *o, struct az_arena *a)
{
    char lo[AZ_NUM_MAX + 1] = "", hi[AZ_NUM_MAX + 1] = "";
    if (o->min > o->max)
        return AZ_SV("");
    lo[az_format_f64(o->min, lo)] = '\0';
    hi[az_format_f64(o->max, hi)] = '\0';
    return o->max >= 1e9 ? az_arena_printf(a, "%s or more", lo)
                         : az_arena_printf(a, "%s to %s", lo, hi);
}

/* "one of a, b, c" */
static struct az_sv one_of(const char *words, struct az_arena *a)
{
    struct az_vec_char text;
    az_vec_init(&text, NULL);
    int rc = az_text_append(&text, AZ_SV("one of "));
    for (const char *c = words; rc == 0 && *c; c++)
        rc = *c == '|' ? az_text_append(&text, AZ_SV(", ")) : az_vec_push(&text, *c);
    struct az_sv out = az_arena_dup(a, az_text_view(&text));
    az_vec_release(&text);
    return out;
}

static bool is_field(const struct az_option *o, size_t offset)
{
    return o->owner == AZ_OWN_OPTIONS && o->offset == offset;
}

static bool is_window_end(const struct az_option *o)
{
    return is_field(o, offsetof(struct az_options, from)) ||
           is_field(o, offsetof(struct az_options, to));
}

/* What is expected, in words. */
static struct az_sv expected_text(const struct az_option *o, struct az_arena *a)
{
    struct az_sv range = az_value_range(o, a);
    const char *comma = range.n ? ", " : "";
    switch (o->type) {
    case AZ_OPT_BOOL:
        return AZ_SV("true or false");
    case AZ_OPT_INT:
        return az_arena_printf(a, "a whole number%s%.*s", comma, AZ_SVF(range));
    case AZ_OPT_REAL:
        return az_arena_printf(a, "a number%s%.*s", comma, AZ_SVF(range));
    case AZ_OPT_SIZE:
        return AZ_SV("a number of bytes or a size like \"64M\"");
    case AZ_OPT_ENUM:
        return is_field(o, offsetof(struct az_options, steps))
                   ? az_arena_printf(a, "%.*s, or numbers of steps (12, 10-12)",
                                     AZ_SVF(one_of(o->values, a)))
                   : one_of(o->values, a);
    case AZ_OPT_SET:
        return az_arena_printf(a, "a list of %.*s", AZ_SVF(one_of(o->values, a)));
    case AZ_OPT_LIST:
        return AZ_SV("a list of names");
    case AZ_OPT_MAP:
    case AZ_OPT_OBJECT:
        return AZ_SV("an object");
    case AZ_OPT_TEXT:
        if (is_window_end(o))
            return az_arena_printf(a, AZ_WINDOW_END_TEXT);
        break;
    case AZ_OPT_PATH:
        break;
    }
    return AZ_SV("a string");
}

static struct az_sv actual_text(const struct az_node *n, struct az_arena *a)
{
    struct az_sv text = az_utf8_cut(n->text, SHOWN);
    const char *dots = text.n < n->text.n ? "..." : "";
    if (n->kind == AZ_NODE_TEXT)
        return az_arena_printf(a, "%s'%.*s%s'", n->typed ? "" : "the string ", AZ_SVF(text), dots);
    if (n->kind == AZ_NODE_NUMBER || n->kind == AZ_NODE_BOOL)
        return az_arena_printf(a, "'%.*s%s'", AZ_SVF(text), dots);
    return az_sv_str(az_node_kind_text(n->kind));
}

/* A number over the end of a range whose end is not among the expected values, in words. */
static bool beyond(const struct az_option *o, const struct az_node *n)
{
    double x;
    return (o->type == AZ_OPT_INT || o->type == AZ_OPT_REAL) && o->min <= o->max &&
           (n->kind == AZ_NODE_NUMBER || n->typed) && az_parse_f64(n->text, &x) == 0 && x > o->max;
}

static struct az_sv at_most(const struct az_option *o, struct az_arena *a)
{
    char hi[AZ_NUM_MAX + 1];
    hi[az_format_f64(o->max, hi)] = '\0';
    return az_arena_printf(a, "at most %s", hi);
}

static int refuse(const struct az_option *o, const struct az_node *n, const struct az_store *t)
{
    struct az_sv w = beyond(o, n) ? at_most(o, t->a) : expected_text(o, t->a),
                 g = actual_text(n, t->a), hint = AZ_SV("");
    struct az_where at = t->at ? *t->at : az_node_where(n, t->a);
    const char *dashes = t->flag ? "--" : "";
    if ((o->type == AZ_OPT_ENUM || o->type == AZ_OPT_SET) && n->kind == AZ_NODE_TEXT)
        hint = az_suggest_word(n->text, az_sv_str(o->values));
    if (hint.n)
        az_diag_add(t->diag, AZ_ERROR, at, "%s%s must be %.*s, not %.*s (did you mean '%.*s'?)",
                    dashes, o->key, AZ_SVF(w), AZ_SVF(g), AZ_SVF(hint));
    else
        az_diag_add(t->diag, AZ_ERROR, at, "%s%s must be %.*s, not %.*s", dashes, o->key, AZ_SVF(w),
                    AZ_SVF(g));
    return AZ_ECONFIG;
}

static bool in_range(const struct az_option *o, double x)
{
    return o->min > o->max || (x >= o->min && x <= o->max);
}

/* A word of "a|b|c"; empty view if it is none of them. */
static struct az_sv word_of(const char *words, struct az_sv word)
{
    struct az_sv rest = az_sv_str(words);
    while (rest.n > 0) {
        const char *bar = memchr(rest.p, '|', rest.n);
        size_t n = bar ? (size_t)(bar - rest.p) : rest.n;
        if (az_sv_eq(az_sv_make(rest.p, n), word))
            return az_sv_make(rest.p, n);
        n += bar != NULL;
        rest = az_sv_make(rest.p + n, rest.n - n);
    }
    return AZ_SV("");
}

static char *field(const struct az_option *o, const struct az_store *t)
{
    char *base = NULL;
    if (o->owner == AZ_OWN_OPTIONS)
        base = (char *)t->opts;
    else if (o->owner == AZ_OWN_OUTPUTS)
        base = (char *)t->outputs;
    else if (o->owner == AZ_OWN_CONFIG)
        base = (char *)t->config;
    else if (o->owner == AZ_OWN_SEARCH)
        base = (char *)t->search;
    else if (o->owner == AZ_OWN_RULE)
        base = (char *)t->rule;
    return base ? base + o->offset : NULL;
}

static int store_int(const struct az_option *o, const struct az_node *n, const struct az_store *t,
                     int64_t *to)
{
    int64_t x;
    double real;
    if (n->kind != AZ_NODE_NUMBER)
        return refuse(o, n, t);
    if (az_parse_i64(n->text, &x) < 0) {
        if (!t->whole_reals || az_parse_f64(n->text, &real) || fabs(real) >= 1e15 ||
            real != floor(real))
            return refuse(o, n, t);
        x = (int64_t)real;
    }
    if (!in_range(o, (double)x))
        return refuse(o, n, t);
    *to = x;
    return 0;
}

static int store_real(const struct az_option *o, const struct az_node *n, const struct az_store *t,
                      double *to)
{
    double x;
    if (n->kind != AZ_NODE_NUMBER || az_parse_f64(n->text, &x) < 0 || !in_range(o, x))
        return refuse(o, n, t);
    *to = x;
    if (is_field(o, offsetof(struct az_options, time_scale_to_ms)))
        t->opts->time_scale_given = true;
    return 0;
}

static int store_enum(const struct az_option *o, const struct az_node *n, const struct az_store *t,
                      void *to)
{
    struct az_sv word = n->kind == AZ_NODE_TEXT ? word_of(o->values, n->text) : AZ_SV("");
    int64_t first, last;
    if (word.n == 0 && is_field(o, offsetof(struct az_options, steps)) &&
        (n->kind == AZ_NODE_TEXT || n->kind == AZ_NODE_NUMBER) &&
        az_window_steps(n->text, &first, &last))
        word = az_arena_dup(t->a, n->text);
    if (word.n == 0)
        return refuse(o, n, t);
    if (is_field(o, offsetof(struct az_options, text_mode)))
        *(int64_t *)to = az_sv_is(word, "full")      ? AZ_TEXT_FULL
                         : az_sv_is(word, "classic") ? AZ_TEXT_CLASSIC
                                                     : AZ_TEXT_AUTO;
    else
        *(struct az_sv *)to = word; /* a view into the table */
    return 0;
}

/* On the command line a number or a word is a string where a string is expected. */
static bool is_text(const struct az_node *n)
{
    return n->kind == AZ_NODE_TEXT ||
           (n->typed && (n->kind == AZ_NODE_NUMBER || n->kind == AZ_NODE_BOOL));
}

static int store_text(const struct az_option *o, const struct az_node *n, const struct az_store *t,
                      struct az_sv *to)
{
    struct az_window_end end;
    if (!is_text(n) || (is_window_end(o) && !az_window_end(n->text, &end)))
        return refuse(o, n, t);
    *to = n->text;
    return 0;
}

static int store_size(const struct az_option *o, const struct az_node *n, const struct az_store *t,
                      uint64_t *to)
{
    bool ok = (n->kind == AZ_NODE_NUMBER && az_parse_u64(n->text, to) == 0) ||
              (n->kind == AZ_NODE_TEXT && az_parse_size(n->text, to) == 0);
    return ok ? 0 : refuse(o, n, t);
}

/* Name of a report as the registry has it. */
static const char *report_name(struct az_sv word, const struct az_config_names *names)
{
    if (az_sv_is(word, "text"))
        return "text";
    for (size_t i = 0; names && names->reports && names->reports[i]; i++) {
        if (az_sv_is(word, names->reports[i]))
            return names->reports[i];
    }
    return NULL;
}

static int add_report(struct az_sv word, const struct az_node *n, const struct az_store *t,
                      struct az_vec_sv *to)
{
    const char *name = report_name(word, t->names);
    struct az_where at = t->at ? *t->at : az_node_where(n, t->a);
    if (!name) {
        struct az_vec_char known;
        az_vec_init(&known, NULL);
        int rc = az_text_append(&known, AZ_SV("text"));
        for (size_t i = 0; rc == 0 && t->names && t->names->reports && t->names->reports[i]; i++) {
            if (strcmp(t->names->reports[i], "text") != 0)
                rc = az_text_printf(&known, ", %s", t->names->reports[i]);
        }
        const struct az_sv near =
            az_suggest_name(word, t->names ? t->names->reports : NULL, "text", t->a);
        az_diag_add(t->diag, AZ_ERROR, at, "unknown report '%.*s'%.*s; use one of: %.*s",
                    AZ_SVF(az_utf8_cut(word, SHOWN)), AZ_SVF(near), AZ_SVF(az_text_view(&known)));
        az_vec_release(&known);
        return AZ_ECONFIG;
    }
    for (size_t i = 0; i < to->n; i++) {
        if (az_sv_is(to->v[i], name))
            return 0;
    }
    return az_vec_push(to, az_sv_str(name));
}

/* outputs.formats: a list, or one string "text,json". */
static int store_reports(const struct az_option *o, const struct az_node *n,
                         const struct az_store *t, struct az_vec_sv *to)
{
    int rc = 0;
    if (n->kind != AZ_NODE_ARRAY && n->kind != AZ_NODE_TEXT)
        return refuse(o, n, t);
    az_vec_reset(to);
    for (const struct az_node *c = n->first; c; c = c->next) {
        int one = c->kind == AZ_NODE_TEXT ? add_report(c->text, c, t, to) : refuse(o, c, t);
        rc = one < 0 ? one : rc;
    }
    struct az_sv rest = n->kind == AZ_NODE_TEXT ? n->text : AZ_SV("");
    while (rest.n > 0) {
        const char *comma = memchr(rest.p, ',', rest.n);
        size_t len = comma ? (size_t)(comma - rest.p) : rest.n;
        int one = add_report(az_sv_trim(az_sv_make(rest.p, len)), n, t, to);
        rc = one < 0 ? one : rc;
        len += comma != NULL;
        rest = az_sv_make(rest.p + len, rest.n - len);
    }
    return rc;
}

/* filters: a list of texts, or one. */
static int store_filters(const struct az_option *o, const struct az_node *n,
                         const struct az_store *t, struct az_search *to)
{
    const bool one = is_text(n);
    size_t k = 0;
    if (!one && n->kind != AZ_NODE_ARRAY)
        return refuse(o, n, t);
    struct az_sv *v = az_arena_array(t->a, one ? 1 : n->n, sizeof *v);
    if (!v)
        return az_arena_error(t->a);
    for (const struct az_node *c = one ? n : n->first; c; c = one ? NULL : c->next) {
        if (!is_text(c) || c->text.n == 0)
            return refuse(o, c, t);
        v[k++] = c->text;
    }
    to->filters = v;
    to->n_filters = k;
    return 0;
}

static int add_word(const struct az_option *o, struct az_sv word, const struct az_node *n,
                    const struct az_store *t, unsigned *to)
{
    struct az_sv rest = az_sv_str(o->values);
    for (unsigned bit = 1; rest.n; bit <<= 1) {
        if (!az_sv_ieq(az_sv_cut(&rest, '|'), az_sv_trim(word)))
            continue;
        *to |= bit;
        return 0;
    }
    struct az_node bad = *n;
    bad.kind = AZ_NODE_TEXT;
    bad.text = az_sv_trim(word);
    return refuse(o, &bad, t);
}

/* compat: a list of words, or one string "a,b". */
static int store_set(const struct az_option *o, const struct az_node *n, const struct az_store *t,
                     unsigned *to)
{
    struct az_sv rest = n->kind == AZ_NODE_TEXT ? n->text : AZ_SV("");
    int rc = 0;
    if (n->kind != AZ_NODE_ARRAY && n->kind != AZ_NODE_TEXT)
        return refuse(o, n, t);
    *to = 0;
    for (const struct az_node *c = n->first; rc == 0 && c; c = c->next)
        rc = c->kind == AZ_NODE_TEXT ? add_word(o, c->text, c, t, to) : refuse(o, c, t);
    while (rc == 0 && rest.n > 0)
        rc = add_word(o, az_sv_cut(&rest, ','), n, t, to);
    return rc;
}

/* null restores the value of an absent key, where there is no default to write instead. */
static int store_null(const struct az_option *o, const struct az_node *n, const struct az_store *t,
                      char *to)
{
    if (o->fallback || o->type == AZ_OPT_LIST)
        return refuse(o, n, t);
    if (o->type == AZ_OPT_INT)
        *(int64_t *)to = is_field(o, offsetof(struct az_options, iters)) ? 0 : AZ_UNSET_I64;
    else if (o->type == AZ_OPT_SET)
        memcpy(to, &(unsigned){ 0 }, sizeof(unsigned));
    else if (o->type == AZ_OPT_REAL)
        memcpy(to, &(double){ AZ_GATE_UNSET }, sizeof(double));
    else
        *(struct az_sv *)to = AZ_SV("");
    return 0;
}

int az_value_store(const struct az_option *o, const struct az_node *n, const struct az_store *t)
{
    void *to = field(o, t);
    if (!to)
        return 0; /* read by resolve.c */
    if (n->kind == AZ_NODE_NULL)
        return store_null(o, n, t, to);
    switch (o->type) {
    case AZ_OPT_BOOL:
        if (n->kind != AZ_NODE_BOOL)
            return refuse(o, n, t);
        *(bool *)to = az_sv_ieq(n->text, AZ_SV("true"));
        return 0;
    case AZ_OPT_INT:
        return store_int(o, n, t, to);
    case AZ_OPT_REAL:
        return store_real(o, n, t, to);
    case AZ_OPT_TEXT:
    case AZ_OPT_PATH:
        return store_text(o, n, t, to);
    case AZ_OPT_ENUM:
        return store_enum(o, n, t, to);
    case AZ_OPT_LIST:
        return o->owner == AZ_OWN_SEARCH ? store_filters(o, n, t, t->search)
                                         : store_reports(o, n, t, to);
    case AZ_OPT_SIZE:
        return store_size(o, n, t, to);
    case AZ_OPT_SET:
        return store_set(o, n, t, to);
    case AZ_OPT_MAP:
    case AZ_OPT_OBJECT:
        break;
    }
    return refuse(o, n, t);
}

/* true, yes, on, 1 and their opposites, as a boolean of JSON; other text stays a string and is
 * rejected. */
static void read_bool(struct az_node *n)
{
    struct az_sv yes = word_of("true|yes|on|1", n->text), no = word_of("false|no|off|0", n->text);
    if (yes.n || no.n) {
        n->kind = AZ_NODE_BOOL;
        n->text = yes.n ? AZ_SV("true") : AZ_SV("false");
    }
}

int az_value_store_text(struct az_sv key, struct az_sv value, struct az_where at,
                        const struct az_store *t)
{
    const unsigned places = AZ_AT_OPTIONS | AZ_AT_THRESHOLDS | AZ_AT_ARGS;
    const struct az_option *o = az_option_find(key, places);
    struct az_store with = *t;
    with.at = &at;
    if (!o) {
        struct az_sv hint = az_suggest_key(key, places, t->a);
        az_diag_add(t->diag, AZ_ERROR, at, "unknown option '%.*s'%.*s",
                    AZ_SVF(az_utf8_cut(key, SHOWN)),
                    AZ_SVF(hint.n ? hint : AZ_SV("; see 'analyzer help config'")));
        return AZ_ECONFIG;
    }
    if (!field(o, t)) {
        az_diag_add(t->diag, AZ_ERROR, at, "option '%s' cannot be set here", o->key);
        return AZ_ECONFIG;
    }
    struct az_node n = { .kind = AZ_NODE_TEXT,
                         .typed = true,
                         .text = az_arena_dup(t->a, az_sv_trim(value)) };
    if (!n.text.p)
        return az_arena_error(t->a);
    if (o->type == AZ_OPT_BOOL)
        read_bool(&n);
    else if (o->type == AZ_OPT_INT || o->type == AZ_OPT_REAL)
        n.kind = AZ_NODE_NUMBER;
    else if (o->type != AZ_OPT_ENUM)
        n.text = az_arena_dup(t->a, value);
    return n.text.p ? az_value_store(o, &n, &with) : az_arena_error(t->a);
}
