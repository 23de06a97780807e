/* JSON Schema (draft 7) of the configuration, for editors and checks, from the option table. The
 * program decides: it also rejects what a schema cannot express (2.0 as an integer, files that are
 * not there, keys that conflict). */
#include "config/private.h"

#include "base/num.h"

struct schema {
    struct az_jsonw *w;
    const struct az_config_names *names;
};

static void put_text(struct az_jsonw *w, const char *key, const char *text)
{
    az_jsonw_key(w, key);
    az_jsonw_text(w, az_sv_str(text));
}

/* "type": "x" or ["x", "null"] */
static void put_type(struct az_jsonw *w, const char *type, bool nullable)
{
    if (!nullable) {
        put_text(w, "type", type);
        return;
    }
    az_jsonw_key(w, "type");
    az_jsonw_array(w);
    az_jsonw_text(w, az_sv_str(type));
    az_jsonw_text(w, AZ_SV("null"));
    az_jsonw_end_array(w);
}

static void put_words(struct az_jsonw *w, struct az_sv words)
{
    az_jsonw_key(w, "enum");
    az_jsonw_array(w);
    while (words.n > 0) {
        const char *bar = memchr(words.p, '|', words.n);
        size_t n = bar ? (size_t)(bar - words.p) : words.n;
        az_jsonw_text(w, az_sv_make(words.p, n));
        n += bar != NULL;
        words = az_sv_make(words.p + n, words.n - n);
    }
    az_jsonw_end_array(w);
}

/* A word, or numbers of steps. */
static void put_steps(struct az_jsonw *w, const struct az_option *o)
{
    az_jsonw_key(w, "anyOf");
    az_jsonw_array(w);
    az_jsonw_object(w);
    put_words(w, az_sv_str(o->values));
    az_jsonw_end_object(w);
    az_jsonw_object(w);
    put_text(w, "type", "string");
    put_text(w, "pattern", "^[0-9]+(-[0-9]+)?$");
    az_jsonw_end_object(w);
    az_jsonw_object(w);
    put_text(w, "type", "integer");
    az_jsonw_end_object(w);
    az_jsonw_end_array(w);
}

/* A list of words, or one string with commas between them. */
static void put_set(struct az_jsonw *w, const struct az_option *o)
{
    az_jsonw_key(w, "anyOf");
    az_jsonw_array(w);
    az_jsonw_object(w);
    az_jsonw_key(w, "type");
    az_jsonw_text(w, AZ_SV("array"));
    az_jsonw_key(w, "items");
    az_jsonw_object(w);
    put_words(w, az_sv_str(o->values));
    az_jsonw_end_object(w);
    az_jsonw_end_object(w);
    az_jsonw_object(w);
    az_jsonw_key(w, "type");
    az_jsonw_text(w, AZ_SV("string"));
    az_jsonw_end_object(w);
    az_jsonw_end_array(w);
}

static void put_number(struct az_jsonw *w, const char *key, bool integer, double x)
{
    az_jsonw_key(w, key);
    if (integer)
        az_jsonw_i64(w, (int64_t)x);
    else
        az_jsonw_f64(w, x);
}

static void put_range(struct az_jsonw *w, const struct az_option *o)
{
    double fallback;
    bool integer = o->type == AZ_OPT_INT;
    put_type(w, integer ? "integer" : "number", o->fallback == NULL);
    if (o->min <= o->max) {
        put_number(w, "minimum", integer, o->min);
        put_number(w, "maximum", integer, o->max);
    }
    if (o->fallback && az_parse_f64(az_sv_str(o->fallback), &fallback) == 0)
        put_number(w, "default", integer, fallback);
}

/* Names of formats: as listed for completion, and in any letter case, as the program accepts them.
 */
static void put_format(struct schema *s)
{
    struct az_jsonw *w = s->w;
    static const char *const own[] = { "auto", "csv", "nsys-rep" };
    struct az_vec_char words, pattern;
    az_vec_init(&words, NULL);
    az_vec_init(&pattern, NULL);
    az_text_add(&words, AZ_SV("auto|csv|nsys-rep"));
    for (size_t i = 0; s->names && s->names->formats && s->names->formats[i]; i++) {
        bool known = false;
        for (size_t k = 0; k < AZ_LENGTH(own); k++)
            known |= strcmp(own[k], s->names->formats[i]) == 0;
        if (!known)
            az_text_format(&words, "|%s", s->names->formats[i]);
    }
    az_text_add(&pattern, AZ_SV("^("));
    for (size_t i = 0; i < words.n; i++) {
        char c = words.v[i];
        if (c >= 'a' && c <= 'z')
            az_text_format(&pattern, "[%c%c]", c - 'a' + 'A', c);
        else
            az_vec_add(&pattern, c);
    }
    az_text_add(&pattern, AZ_SV(")$"));
    az_jsonw_key(w, "anyOf");
    az_jsonw_array(w);
    az_jsonw_object(w);
    put_words(w, az_text_view(&words));
    az_jsonw_end_object(w);
    az_jsonw_object(w);
    az_jsonw_key(w, "type");
    az_jsonw_text(w, AZ_SV("string"));
    az_jsonw_key(w, "pattern");
    az_jsonw_text(w, az_text_view(&pattern));
    az_jsonw_end_object(w);
    az_jsonw_end_array(w);
    if (w->error == 0 && (words.failed || pattern.failed))
        w->error = AZ_ENOMEM;
    az_vec_release(&words);
    az_vec_release(&pattern);
}

/* A list, or one string; of report names, else any non-empty text. A list of paths (and of what to
 * compare) has one at least. */
enum list_of { LIST_REPORTS, LIST_PATHS, LIST_TEXTS };
static void put_list(struct schema *s, enum list_of what)
{
    const bool reports = what == LIST_REPORTS;
    struct az_jsonw *w = s->w;
    az_jsonw_key(w, "anyOf");
    az_jsonw_array(w);
    az_jsonw_object(w);
    put_text(w, "type", "string");
    if (!reports)
        put_number(w, "minLength", true, 1);
    az_jsonw_end_object(w);
    az_jsonw_object(w);
    put_text(w, "type", "array");
    az_jsonw_key(w, "items");
    az_jsonw_object(w);
    put_text(w, "type", "string");
    if (reports) {
        az_jsonw_key(w, "enum");
        az_jsonw_array(w);
        az_jsonw_text(w, AZ_SV("text"));
        for (size_t i = 0; s->names && s->names->reports && s->names->reports[i]; i++) {
            if (strcmp(s->names->reports[i], "text") != 0)
                az_jsonw_text(w, az_sv_str(s->names->reports[i]));
        }
        az_jsonw_end_array(w);
    } else {
        put_number(w, "minLength", true, 1);
    }
    az_jsonw_end_object(w);
    if (what == LIST_PATHS)
        put_number(w, "minItems", true, 1);
    az_jsonw_end_object(w);
    az_jsonw_end_array(w);
}

static void put_map(struct az_jsonw *w, const struct az_option *o)
{
    static const char *const values[] = { "string", "number", "boolean" };
    size_t n = strcmp(o->key, "labels") == 0 ? 3 : 1;
    put_text(w, "type", "object");
    az_jsonw_key(w, "additionalProperties");
    az_jsonw_object(w);
    az_jsonw_key(w, "type");
    if (n > 1)
        az_jsonw_array(w);
    for (size_t i = 0; i < n; i++)
        az_jsonw_text(w, az_sv_str(values[i]));
    if (n > 1)
        az_jsonw_end_array(w);
    az_jsonw_end_object(w);
}

static void put_inputs(struct az_jsonw *w, const struct az_option *o, const char *item)
{
    put_text(w, "type", "array");
    put_number(w, "minItems", true, o->min);
    put_number(w, "maxItems", true, o->max);
    az_jsonw_key(w, "items");
    az_jsonw_object(w);
    put_text(w, "$ref", item);
    az_jsonw_end_object(w);
}

static void put_string(struct schema *s, const struct az_option *o)
{
    bool required = strcmp(o->key, "kernel_sum") == 0 || (o->places & AZ_AT_REPORT);
    if (o->type == AZ_OPT_PATH && o->owner == AZ_OWN_LOADER && (o->places & AZ_AT_INPUT)) {
        put_list(s, LIST_PATHS);
        return;
    }
    put_type(s->w, "string", !required && o->fallback == NULL);
    if (required)
        put_number(s->w, "minLength", true, 1);
    if (o->fallback)
        put_text(s->w, "default", o->fallback);
}

/* An object, or its rules alone. */
static void put_gates(struct az_jsonw *w, const char *ref)
{
    const struct az_option *rules = az_option_find(AZ_SV("rules"), AZ_AT_GATES);
    az_jsonw_key(w, "type");
    az_jsonw_array(w);
    az_jsonw_text(w, AZ_SV("object"));
    az_jsonw_text(w, AZ_SV("array"));
    az_jsonw_end_array(w);
    az_jsonw_key(w, "anyOf");
    az_jsonw_array(w);
    az_jsonw_object(w);
    put_text(w, "$ref", ref);
    az_jsonw_end_object(w);
    az_jsonw_object(w);
    put_inputs(w, rules, "#/definitions/rule");
    az_jsonw_end_object(w);
    az_jsonw_end_array(w);
}

static enum list_of list_kind(const struct az_option *o)
{
    if (o->places == AZ_AT_COMPARE)
        return LIST_PATHS;
    return o->owner == AZ_OWN_SEARCH ? LIST_TEXTS : LIST_REPORTS;
}

static void put_reference(struct az_jsonw *w, const char *key)
{
    char ref[80] = "#/definitions/";
    strncat(ref, key, sizeof ref - strlen(ref) - 1);
    if (strcmp(key, "gates") == 0)
        put_gates(w, ref);
    else
        put_text(w, "$ref", ref);
}

static void put_property(struct schema *s, const struct az_option *o)
{
    struct az_jsonw *w = s->w;
    az_jsonw_key(w, o->key);
    az_jsonw_object(w);
    if (o->type == AZ_OPT_OBJECT) { /* what is next to "$ref" is not read */
        put_reference(w, o->key);
        az_jsonw_end_object(w);
        return;
    }
    put_text(w, "description", o->help);
    switch (o->type) {
    case AZ_OPT_BOOL:
        put_text(w, "type", "boolean");
        az_jsonw_key(w, "default");
        az_jsonw_bool(w, o->fallback && strcmp(o->fallback, "true") == 0);
        break;
    case AZ_OPT_INT:
    case AZ_OPT_REAL:
        put_range(w, o);
        break;
    case AZ_OPT_TEXT:
    case AZ_OPT_PATH:
        put_string(s, o);
        break;
    case AZ_OPT_ENUM:
        if (o->owner == AZ_OWN_OPTIONS && o->offset == offsetof(struct az_options, steps))
            put_steps(w, o);
        else if (o->values)
            put_words(w, az_sv_str(o->values));
        else
            put_format(s);
        put_text(w, "default", o->fallback);
        break;
    case AZ_OPT_SET:
        put_set(w, o);
        break;
    case AZ_OPT_LIST:
        if (o->places == AZ_AT_TOP)
            put_inputs(w, o, "#/definitions/input");
        else if (o->places == AZ_AT_GATES)
            put_inputs(w, o, "#/definitions/rule");
        else
            put_list(s, list_kind(o));
        break;
    case AZ_OPT_SIZE:
        az_jsonw_key(w, "type");
        az_jsonw_array(w);
        az_jsonw_text(w, AZ_SV("integer"));
        az_jsonw_text(w, AZ_SV("string"));
        az_jsonw_end_array(w);
        put_number(w, "minimum", true, 0);
        az_jsonw_key(w, "default");
        az_jsonw_i64(w, 0);
        break;
    default:
        put_map(w, o);
        break;
    }
    az_jsonw_end_object(w);
}

/* Members of the object of one place. */
static void put_place(struct schema *s, unsigned place, const char *required)
{
    struct az_jsonw *w = s->w;
    put_text(w, "type", "object");
    az_jsonw_key(w, "properties");
    az_jsonw_object(w);
    if (place == AZ_AT_TOP) {
        az_jsonw_key(w, "$schema");
        az_jsonw_object(w);
        put_text(w, "type", "string");
        az_jsonw_end_object(w);
    }
    for (size_t i = 0; i < az_option_count; i++) {
        if (az_option_table[i].places & place)
            put_property(s, &az_option_table[i]);
    }
    az_jsonw_end_object(w);
    if (required) {
        az_jsonw_key(w, "required");
        az_jsonw_array(w);
        az_jsonw_text(w, az_sv_str(required));
        az_jsonw_end_array(w);
    }
    az_jsonw_key(w, "additionalProperties");
    az_jsonw_bool(w, false);
}

static void put_definition(struct schema *s, const char *key, unsigned place, const char *required)
{
    const struct az_option *o = az_option_find(az_sv_str(key), AZ_AT_INPUT | AZ_AT_TOP);
    az_jsonw_key(s->w, key);
    az_jsonw_object(s->w);
    if (o)
        put_text(s->w, "description", o->help);
    put_place(s, place, required);
    az_jsonw_end_object(s->w);
}

int az_config_schema(struct az_jsonw *w, const struct az_config_names *names)
{
    struct schema s = { w, names };
    az_jsonw_object(w);
    put_text(w, "$schema", "http://json-schema.org/draft-07/schema#");
    put_text(w, "$id", "config.schema.json");
    put_text(w, "title", "analyzer configuration");
    put_text(w, "description",
             "Comments and trailing commas are allowed in the file; strip them before validating.");
    az_jsonw_key(w, "allowComments"); /* for editors, which find the file by its $schema */
    az_jsonw_bool(w, true);
    az_jsonw_key(w, "allowTrailingCommas");
    az_jsonw_bool(w, true);
    put_place(&s, AZ_AT_TOP, "inputs");
    az_jsonw_key(w, "definitions");
    az_jsonw_object(w);
    put_definition(&s, "input", AZ_AT_INPUT, NULL);
    put_definition(&s, "nsys_csv_file_path", AZ_AT_CSV, "kernel_sum");
    put_definition(&s, "nsys_report", AZ_AT_REPORT, "path");
    put_definition(&s, "analysis_args", AZ_AT_ARGS, NULL);
    put_definition(&s, "options", AZ_AT_OPTIONS, NULL);
    put_definition(&s, "thresholds", AZ_AT_THRESHOLDS, NULL);
    put_definition(&s, "outputs", AZ_AT_OUTPUTS, NULL);
    put_definition(&s, "compare", AZ_AT_COMPARE, NULL);
    put_definition(&s, "gates", AZ_AT_GATES, NULL);
    put_definition(&s, "rule", AZ_AT_RULE, NULL);
    put_definition(&s, "history", AZ_AT_HISTORY, "path");
    az_jsonw_end_object(w);
    az_jsonw_end_object(w);
    return az_jsonw_finish(w);
}
