/* The keys of one object into their places, by the option table: unknown keys, kinds of values. */
#include "config/private.h"

#include "base/num.h"
#include "base/utf8.h"

bool az_formats_include(const char *formats, struct az_sv format)
{
    struct az_sv rest = az_sv_str(formats);
    if (rest.n == 0 || format.n == 0 || az_sv_is(format, "auto"))
        return true;
    while (rest.n > 0) {
        const char *blank = memchr(rest.p, ' ', rest.n);
        size_t n = blank ? (size_t)(blank - rest.p) : rest.n;
        struct az_sv one = az_sv_make(rest.p, n);
        if (az_sv_eq(one, format))
            return true;
        if (az_sv_is(one, "nsys") &&
            (az_sv_is(format, "csv") || az_sv_starts(format, AZ_SV("nsys"))))
            return true;
        if (az_sv_is(one, "pytorch") && az_sv_is(format, "pytorch-pftrace")) /* the same model */
            return true;
        n += blank != NULL;
        rest = az_sv_make(rest.p + n, rest.n - n);
    }
    return false;
}

/* Numbers that are equal may be written in different ways. */
static bool same_value(struct az_sv x, struct az_sv y)
{
    double a, b;
    if (az_parse_f64(x, &a) == 0 && az_parse_f64(y, &b) == 0)
        return !(a < b) && !(a > b);
    return az_sv_eq(x, y);
}

static bool is_plain(const struct az_node *n)
{
    return n->kind == AZ_NODE_TEXT || n->kind == AZ_NODE_NUMBER || n->kind == AZ_NODE_BOOL;
}

/* Records that an option was set, and reports one that contradicts an earlier one of the same
 * meaning. */
static void given_add(struct az_loader *l, const struct az_option *o, const struct az_node *n,
                      struct az_where at)
{
    struct az_set_option *g = az_arena_array(l->a, 1, sizeof *g);
    if (!g)
        l->fatal = AZ_ENOMEM;
    if (!g || (o->owner != AZ_OWN_OPTIONS && o->owner != AZ_OWN_OUTPUTS))
        return;
    *g = (struct az_set_option){
        .option = o, .where = at, .text = is_plain(n) ? n->text : AZ_SV(""), .next = l->given
    };
    for (const struct az_set_option *e = l->given; e; e = e->next) {
        const bool same = e->option->owner == o->owner && e->option->offset == o->offset;
        if (same && strcmp(e->option->key, o->key) != 0 && g->text.n && e->text.n &&
            !same_value(e->text, g->text))
            az_load_error(l, n, "'%s' is %.*s, but its synonym '%s' is %.*s; remove one of them",
                          o->key, AZ_SVF(az_utf8_cut(g->text, 80)), e->option->key,
                          AZ_SVF(az_utf8_cut(e->text, 80)));
    }
    l->given = g;
}

#define MANY_ERRORS 200 /* beyond this no nearest key is searched */

static void unknown_key(struct az_loader *l, struct az_node *n, unsigned place)
{
    struct az_sv hint =
        l->diag->errors < MANY_ERRORS ? az_suggest_key(n->key, place, l->a) : AZ_SV("");
    az_load_error(l, n, "unknown key '%.*s'%.*s", AZ_SVF(az_utf8_cut(n->key, 80)), AZ_SVF(hint));
    n->bad = true;
}

/* Kinds of value a key that resolve.c and input.c read themselves may have. */
static const char *wanted_kind(const struct az_option *o, const struct az_node *n)
{
    bool text = n->kind == AZ_NODE_TEXT ||
                (n->typed && (n->kind == AZ_NODE_NUMBER || n->kind == AZ_NODE_BOOL));
    switch (o->type) {
    case AZ_OPT_OBJECT:
    case AZ_OPT_MAP:
        if (o->places == AZ_AT_TOP && strcmp(o->key, "gates") == 0 && n->kind == AZ_NODE_ARRAY)
            return NULL; /* the rules alone */
        return n->kind == AZ_NODE_OBJECT ? NULL : "an object";
    case AZ_OPT_LIST:
        if (o->places == AZ_AT_COMPARE)
            return text || n->kind == AZ_NODE_ARRAY ? NULL : "a string or an array of strings";
        return n->kind == AZ_NODE_ARRAY ? NULL : "an array";
    case AZ_OPT_BOOL:
        return n->kind == AZ_NODE_BOOL ? NULL : "true or false";
    case AZ_OPT_TEXT: /* title */
        return text || n->kind == AZ_NODE_NULL ? NULL : "a string or null";
    case AZ_OPT_PATH:
        if (o->places & (AZ_AT_CSV | AZ_AT_REPORT))
            return text || n->kind == AZ_NODE_NULL ? NULL : "a string or null";
        return text || n->kind == AZ_NODE_ARRAY ? NULL : "a string or an array of strings";
    default:
        return text ? NULL : "a string";
    }
}

void az_apply_object(struct az_loader *l, struct az_node *object, unsigned place,
                     struct az_options *opts, struct az_outputs *outputs)
{
    struct az_store t = {
        .opts = opts,
        .outputs = outputs,
        .config = place & (AZ_AT_TOP | AZ_AT_COMPARE | AZ_AT_GATES | AZ_AT_HISTORY) ? l->c : NULL,
        .search = l->search,
        .rule = l->rule,
        .a = l->a,
        .names = l->names,
        .diag = l->diag,
        .whole_reals = l->c->whole_reals
    };
    for (struct az_node *n = object ? object->first : NULL; n && !l->fatal; n = n->next) {
        const struct az_option *o = az_option_find(n->key, place);
        if (place == AZ_AT_TOP && az_sv_is(n->key, "$schema"))
            continue;
        if (!o) {
            unknown_key(l, n, place);
            continue;
        }
        const char *wanted = o->owner == AZ_OWN_LOADER ? wanted_kind(o, n) : NULL;
        int rc = 0;
        if (wanted)
            az_load_error(l, n, "%s must be %s, not %s", o->key, wanted,
                          az_node_kind_text(n->kind));
        else
            rc = az_value_store(o, n, &t);
        if (rc < 0 && rc != AZ_ECONFIG)
            l->fatal = rc;
        n->bad = wanted || rc < 0;
        if (!n->bad)
            given_add(l, o, n, az_node_where(n, l->a));
        if (!n->bad && o->owner != AZ_OWN_LOADER && !az_formats_include(o->formats, l->format))
            az_load_warn(l, n, "'%s' has no effect on format '%.*s'", o->key, AZ_SVF(l->format));
    }
}

void az_apply_shared(struct az_loader *l, struct az_node *object, struct az_options *opts,
                     struct az_outputs *outputs)
{
    struct az_node *map = az_node_get(object, "kernel_to_class_map"),
                   *labels = az_node_get(object, "labels"),
                   *script = az_node_get(object, "extension_file");
    az_apply_object(l, az_node_get(object, "options"), AZ_AT_OPTIONS, opts, outputs);
    az_apply_object(l, az_node_get(object, "thresholds"), AZ_AT_THRESHOLDS, opts, outputs);
    az_apply_object(l, az_node_get(object, "outputs"), AZ_AT_OUTPUTS, opts, outputs);
    if (map)
        az_classes_load(l, map, &opts->classes);
    if (labels)
        az_labels_load(l, labels, &opts->labels);
    if ((script || az_node_get(az_node_get(object, "options"), "extension_file")) &&
        opts->extension_file.n > 0 && !l->no_files)
        opts->extension_file = az_path_lookup(l->a, l->base, opts->extension_file);
    if (az_node_get(az_node_get(object, "options"), "comparison_json_path") &&
        opts->comparison_json_path.n > 0 && !l->no_files)
        opts->comparison_json_path = az_path_lookup(l->a, l->base, opts->comparison_json_path);
    if (az_node_get(az_node_get(object, "options"), "capture_folder") &&
        opts->capture_folder.n > 0 && !l->no_files)
        opts->capture_folder = az_path_lookup(l->a, l->base, opts->capture_folder);
    if (az_node_get(az_node_get(object, "options"), "comparison_capture_folder") &&
        opts->comparison_capture_folder.n > 0 && !l->no_files)
        opts->comparison_capture_folder =
            az_path_lookup(l->a, l->base, opts->comparison_capture_folder);
    if (az_node_get(az_node_get(object, "options"), "gpu_arch_json_path") &&
        opts->gpu_arch_json_path.n > 0 && !l->no_files)
        opts->gpu_arch_json_path = az_path_lookup(l->a, l->base, opts->gpu_arch_json_path);
}
