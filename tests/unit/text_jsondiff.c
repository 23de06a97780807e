/* JSON scanner against json-c, event by event, over generated documents (indentation, separators,
 * key order, escapes, misleading text) and over mutations of them that are still JSON. Seeded. */
#include "text_json.h"

#include <json-c/json.h>

static uint64_t seed;
static size_t below(size_t n) { return (size_t)(test_random(&seed) % n); }

/* ---- generating ---- */
struct style {  /* of one writer */
    int blanks; /* 0 none, 1 one after a separator, 2 lines, 3 anything */
    bool shuffle;
};

static void put(struct az_vec_char *o, const char *text)
{
    assert_int_equal(az_text_append(o, az_sv_str(text)), 0);
}

static void blank(struct az_vec_char *o, const struct style *st, bool after_separator)
{
    static const char *const some[] = {
        "", " ", "  ", "\n", "\t", "\r\n    ", "\n                                        ", ""
    };
    if (st->blanks == 1 && after_separator)
        put(o, " ");
    if (st->blanks == 2 && after_separator)
        put(o, below(4) ? " " : "\n      ");
    if (st->blanks == 3)
        put(o, some[below(8)]);
}

static void text(struct az_vec_char *o)
{
    static const char *const pieces[] = { "aten::mm",
                                          "\\\"ph\\\": \\\"X\\\"",
                                          "\\\\",
                                          "\\n",
                                          "\\u00e9",
                                          "\xc3\xa9",
                                          "}]",
                                          "{[",
                                          ",",
                                          "traceEvents",
                                          "\\ud83d\\ude00",
                                          ":",
                                          "void f<int, 4>(float*)",
                                          "\\/",
                                          " ",
                                          "\\\"" };
    put(o, "\"");
    for (size_t n = below(9) ? below(5) : below(60); n > 0; n--)
        put(o, pieces[below(AZ_LENGTH(pieces))]);
    put(o, "\"");
}

static void number(struct az_vec_char *o)
{
    static const char *const odd[] = { "0",      "-0",  "1e3", "2.5E-1", "9007199254740993",
                                       "-12.75", "1E+2" };
    if (below(6) == 0)
        put(o, odd[below(7)]);
    else
        assert_int_equal(
            az_text_printf(o, below(2) ? "%llu.%03u" : "%llu",
                           (unsigned long long)(test_random(&seed) % 10000000000000ull),
                           (unsigned)below(1000)),
            0);
}

static void any_value(struct az_vec_char *o, const struct style *st, int depth)
{
    static const char *const words[] = { "null", "true", "false" };
    size_t kind = below(depth > 3 ? 3 : 5);
    if (kind == 0)
        text(o);
    else if (kind == 1)
        number(o);
    else if (kind == 2)
        put(o, words[below(3)]);
    else {
        put(o, kind == 3 ? "[" : "{");
        size_t n = below(5);
        for (size_t i = 0; i < n; i++) {
            static const char *const keys[] = { "\"ph\"", "\"traceEvents\"", "\"a b\"", "\"ts\"",
                                                "\"\"" };
            blank(o, st, i > 0);
            if (kind == 4) {
                put(o, keys[i]);
                blank(o, st, false);
                put(o, ":");
                blank(o, st, true);
            }
            any_value(o, st, depth + 1);
            blank(o, st, false);
            if (i + 1 < n)
                put(o, ",");
        }
        blank(o, st, false);
        put(o, kind == 3 ? "]" : "}");
    }
}

static void event(struct az_vec_char *o, const struct style *st)
{
    static const char *const keys[] = { "ph",  "cat",  "name", "pid", "ts",
                                        "dur", "args", "id",   "s",   "bp\\u0021" };
    size_t order[10], n = 1 + below(10);
    for (size_t i = 0; i < 10; i++)
        order[i] = i;
    for (size_t i = 9; st->shuffle && i > 0; i--) {
        size_t k = below(i + 1), x = order[i];
        order[i] = order[k];
        order[k] = x;
    }
    put(o, "{");
    for (size_t i = 0; i < n; i++) {
        blank(o, st, i > 0);
        assert_int_equal(az_text_printf(o, "\"%s\"", keys[order[i]]), 0);
        blank(o, st, false);
        put(o, ":");
        blank(o, st, true);
        size_t k = order[i];
        if (k < 3)
            text(o);
        else if (k < 6 && below(10))
            number(o);
        else
            any_value(o, st, 0);
        blank(o, st, false);
        if (i + 1 < n)
            put(o, ",");
    }
    put(o, "}");
}

static void document(struct az_vec_char *o, size_t events)
{
    struct style st = { .blanks = (int)below(4), .shuffle = below(2) };
    o->n = 0;
    blank(o, &st, false);
    put(o, "{");
    for (size_t i = below(4); i > 0; i--) {
        assert_int_equal(az_text_printf(o, "\"meta%zu\"", i), 0);
        blank(o, &st, false);
        put(o, ":");
        any_value(o, &st, 0);
        put(o, ",");
        blank(o, &st, true);
    }
    put(o, "\"traceEvents\":");
    blank(o, &st, true);
    put(o, "[");
    for (size_t i = 0; i < events; i++) {
        blank(o, &st, i > 0);
        event(o, &st);
        blank(o, &st, false);
        if (i + 1 < events)
            put(o, ",");
    }
    put(o, "]");
    if (below(2)) {
        put(o, ",\"after\":");
        any_value(o, &st, 0);
    }
    blank(o, &st, false);
    put(o, "}");
}

/* ---- comparing ---- */
struct check {
    struct az_jkeys keys;
    struct az_arena arena;
    struct json_object *events;
    size_t index;
    bool wrong;
};

static bool same_text(struct json_object *o, struct az_sv got)
{
    return json_object_is_type(o, json_type_string) &&
           (size_t)json_object_get_string_len(o) == got.n &&
           memcmp(json_object_get_string(o), got.p, got.n) == 0;
}

/* The scanner's number against the text that json-c kept of it. */
static bool same_number(struct json_object *o, bool missing, int64_t got, int scale)
{
    int64_t want;
    bool text = json_object_is_type(o, json_type_string);
    if (!text && !json_object_is_type(o, json_type_int) &&
        !json_object_is_type(o, json_type_double))
        return missing;
    bool bad = az_parse_decimal(az_sv_str(json_object_get_string(o)), scale, &want) != 0;
    return bad ? missing : !missing && got == want;
}

static bool same_raw(struct json_object *o, struct az_sv raw)
{
    struct json_tokener *t = json_tokener_new_ex(200);
    struct json_object *got = json_tokener_parse_ex(t, raw.p, (int)raw.n);
    if (!got && json_tokener_get_error(t) == json_tokener_continue)
        got = json_tokener_parse_ex(t, " ", 1); /* a number ends with the text */
    bool same = json_object_equal(o, got);
    json_object_put(got);
    json_tokener_free(t);
    return same;
}

static int check_value(struct check *c, struct az_jscan *s, int key, struct json_object *want,
                       bool has)
{
    struct az_sv raw;
    bool flag, ok;
    int rc;
    int64_t v = 0;
    if (key >= K_TS && key <= K_PID) {
        rc = az_json_decimal(s, key == K_PID ? 0 : 3, &v, &flag);
        ok = rc != AZ_JSON_OK || (has && same_number(want, flag, v, key == K_PID ? 0 : 3));
    } else if (key >= K_PH && key <= K_NAME && *s->p == '"') {
        rc = az_json_string(s, &raw, &flag);
        ok = rc != AZ_JSON_OK ||
             (has && same_text(want, flag ? az_json_unescape(&c->arena, raw) : raw));
    } else {
        rc = az_json_skip(s, &raw);
        ok = rc != AZ_JSON_OK || (key == AZ_JSON_UNKNOWN ? true : has && same_raw(want, raw));
    }
    c->wrong = c->wrong || !ok;
    return rc;
}

static int check_record(void *ctx, struct az_jscan *s)
{
    struct check *c = ctx;
    struct json_object *want = c->index < json_object_array_length(c->events)
                                   ? json_object_array_get_idx(c->events, c->index)
                                   : NULL;
    size_t known = 0;
    int k = az_json_first_key(s, &c->keys);
    while (k >= 0) {
        struct json_object *v = NULL;
        bool has = k > 0 && json_object_object_get_ex(want, test_keys[k - 1], &v);
        int rc = check_value(c, s, k, v, has);
        if (rc != AZ_JSON_OK)
            return rc;
        known += k > 0;
        k = az_json_next_key(s, &c->keys, k);
    }
    if (k != AZ_JSON_END)
        return k;
    for (size_t i = 0; test_keys[i]; i++)
        known -= json_object_object_get_ex(want, test_keys[i], NULL);
    c->wrong = c->wrong || !want || known != 0; /* none twice, none missed */
    c->index++;
    return AZ_JSON_OK;
}

/* False where the scanner says something else than json-c. */
static bool agrees(struct json_object *events, struct az_sv doc, size_t window)
{
    struct check c = { .events = events };
    struct bytes src = { .p = doc.p, .n = doc.n };
    struct az_jscan s;
    struct az_jarray a = { .first_bad = -1 };
    struct az_sv key;
    bool first = true;
    az_jkeys_init(&c.keys, test_keys);
    az_arena_init(&c.arena, NULL);
    assert_int_equal(az_jscan_init(&s, bytes_fill, &src, window, NULL), 0);
    int rc = az_jscan_byte(&s, '{');
    while (rc == AZ_JSON_OK) {
        rc = az_jscan_member(&s, &first, &key);
        if (rc == AZ_JSON_OK)
            rc = az_sv_is(key, "traceEvents") ? az_jscan_records(&s, check_record, &c, true, &a)
                                              : az_jscan_skip_value(&s);
    }
    az_jscan_release(&s);
    az_arena_release(&c.arena);
    return rc == AZ_JSON_END && !c.wrong && c.index == json_object_array_length(events) &&
           a.records == c.index && !a.truncated;
}

static struct json_object *parse(struct az_sv doc)
{
    struct json_tokener *t = json_tokener_new_ex(200);
    json_tokener_set_flags(t, JSON_TOKENER_STRICT);
    struct json_object *o = json_tokener_parse_ex(t, doc.p, (int)doc.n);
    if (o && json_tokener_get_parse_end(t) < doc.n &&
        az_sv_trim(az_sv_make(doc.p + json_tokener_get_parse_end(t),
                              doc.n - json_tokener_get_parse_end(t)))
            .n) {
        json_object_put(o);
        o = NULL;
    }
    json_tokener_free(t);
    return o;
}

static void generated(void **state)
{
    (void)state;
    struct az_vec_char doc;
    size_t events = 0;
    az_vec_init(&doc, NULL);
    seed = 20240601;
    for (int round = 0; round < 300; round++) {
        size_t n = below(40);
        document(&doc, n);
        struct json_object *o = parse(az_text_view(&doc)), *list;
        assert_non_null(o);
        assert_true(json_object_object_get_ex(o, "traceEvents", &list));
        assert_int_equal(json_object_array_length(list), n);
        for (size_t w = 0; w < 3; w++) {
            if (!agrees(list, az_text_view(&doc), (const size_t[]){ 64, 200, 65536 }[w])) {
                print_error("window %zu: %.*s\n", w, AZ_SVF(az_text_view(&doc)));
                fail();
            }
        }
        events += n;
        json_object_put(o);
    }
    assert_true(events > 5000);
    az_vec_release(&doc);
}

/* All events are objects, and no object says a key twice (json-c keeps the last only). */
static bool comparable(struct json_object *o, struct json_object **list)
{
    if (!json_object_is_type(o, json_type_object) ||
        !json_object_object_get_ex(o, "traceEvents", list) ||
        !json_object_is_type(*list, json_type_array))
        return false;
    for (size_t i = 0; i < json_object_array_length(*list); i++)
        if (!json_object_is_type(json_object_array_get_idx(*list, i), json_type_object))
            return false;
    return true;
}

/* Bytes changed at random: where it is still JSON for json-c the scanner agrees; else it ends, the
 * same way in every window. */
static void mutated(void **state)
{
    (void)state;
    static const char bytes[] = "{}[]\",:\\ \n0129.-eEtfnux\x80\x01";
    struct az_vec_char doc;
    size_t valid = 0;
    az_vec_init(&doc, NULL);
    seed = 77;
    for (int round = 0; round < 3000; round++) {
        document(&doc, 1 + below(6));
        for (size_t k = 1 + below(3); k > 0; k--)
            doc.v[below(doc.n)] = bytes[below(sizeof bytes - 1)];
        struct dump d = { 0 };
        dump_all_ways(&d, az_text_view(&doc));
        dump_release(&d);
        struct json_object *o = parse(az_text_view(&doc)), *list;
        if (o && comparable(o, &list)) {
            valid++;
            if (!agrees(list, az_text_view(&doc), 4096)) {
                print_error("%.*s\n", AZ_SVF(az_text_view(&doc)));
                fail();
            }
        }
        json_object_put(o);
    }
    assert_true(valid > 300);
    az_vec_release(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated),
        cmocka_unit_test(mutated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
