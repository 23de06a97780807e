/* What is known of operations and devices by name: configs/az_op_report_ops.rules,
 * configs/tt_devices.csv, options. */
#include "classify/rules.h"
#include "analyses/op_report/devices.h"
#include "analyses/op_report/opreport.h"
#include "base/data.h"
#include "base/num.h"

#define FILE_NAME "tt_ops.rules"

static enum az_op_report_kind kind_of(struct az_sv value)
{
    static const struct {
        const char *name;
        enum az_op_report_kind kind;
    } kinds[] = { { "host", TT_HOST },     { "matmul", TT_MATMUL },       { "conv", TT_CONV },
                  { "halo", TT_HALO },     { "attention", TT_ATTENTION }, { "decode", TT_DECODE },
                  { "gather", TT_GATHER }, { "scatter", TT_SCATTER },     { "reduce", TT_REDUCE } };
    for (size_t i = 0; i < AZ_LENGTH(kinds); i++)
        if (az_sv_is(value, kinds[i].name))
            return kinds[i].kind;
    return TT_OTHER;
}

int az_op_report_rules(struct az_arena *a, struct az_rule_list *out)
{
    return az_rules_read(FILE_NAME, a, out);
}

enum az_ink az_op_report_ink_of(const struct az_rule_list *rules, struct az_sv code)
{
    const struct az_sv ink = az_rules_class_of(rules, "ink", code);
    return ink.n ? az_ink_of(ink) : AZ_INK_WHITE;
}

struct az_sv az_op_report_first_word(struct az_sv s) { return az_sv_cut(&s, ' '); }

static struct az_sv class_of(const struct az_rule_list *rules, const char *what, struct az_sv word)
{
    const struct az_sv tail = AZ_SV("DeviceOperation"),
                       whole = az_rules_class_of(rules, what, word);
    if (whole.n || !az_sv_ends(word, tail))
        return whole;
    return az_rules_class_of(rules, what, az_sv_make(word.p, word.n - tail.n));
}

struct az_sv az_op_report_category_of(const struct az_rule_list *rules, struct az_sv word)
{
    return class_of(rules, "category", word);
}

static bool has_class(const struct az_rule_list *rules, const char *what, struct az_sv text)
{
    return az_rules_class_of(rules, what, text).n > 0;
}

const struct az_op_report_code *az_op_report_code(struct az_op_report *t, uint32_t name)
{
    struct az_op_report_code *c = &t->codes[name];
    if (c->known)
        return c;
    const struct az_sv text = az_op_report_text(t, name);
    c->known = true;
    c->ink = (uint8_t)az_op_report_ink_of(&t->rules, text);
    c->kind = (uint8_t)kind_of(az_rules_class_of(&t->rules, "kind", text));
    c->judged = has_class(&t->rules, "judged", text);
    c->sparse = has_class(&t->rules, "sparse", text);
    c->mean = has_class(&t->rules, "mean", text);
    c->fastest = has_class(&t->rules, "fastest", text);
    return c;
}

/* Category by the first word of what is shown; Other is reported once a name. */
struct az_sv az_op_report_category(struct az_op_report *t, const struct az_op_report_sig *s)
{
    struct az_op_report_code *c = &t->codes[s->code];
    struct az_sv word = az_op_report_first_word(s->shown);
    if (!c->category.p)
        c->category = az_op_report_category_of(&t->rules, word);
    if (!c->category.n && !(t->o->compat & (AZ_TOOL_TT_PERF_REPORT | AZ_TOOL_ALL)))
        c->category = class_of(&t->rules, "more", word);
    if (c->category.n)
        return c->category;
    if (!c->other_told) {
        c->other_told = true;
        az_op_report_note(t, "unknown category of '%.*s', using Other", AZ_SVF(word));
    }
    return AZ_SV("Other");
}

static bool bound_of(struct az_sv s, int64_t none, int64_t *out)
{
    char digits[24];
    size_t n = 0;
    s = az_sv_trim(s);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == ',')
            continue;
        if (s.p[i] < '0' || s.p[i] > '9' || n == sizeof digits)
            return false;
        digits[n++] = s.p[i];
    }
    *out = none;
    return n == 0 ? s.n == 0 : az_parse_i64(az_sv_make(digits, n), out) == 0;
}

bool az_op_report_id_range(struct az_sv text, int64_t *low, int64_t *high)
{
    struct az_sv rest = text, first = az_sv_cut(&rest, '-');
    if (first.n == text.n || memchr(rest.p, '-', rest.n))
        return false;
    return bound_of(first, 0, low) && bound_of(rest, INT64_MAX, high);
}

bool az_op_report_is_device(struct az_sv name)
{
    struct az_tensix d;
    return az_tensix_find(name, &d);
}

struct az_sv az_op_report_device_names(struct az_arena *a)
{
    struct az_tensix d;
    struct az_sv all = AZ_SV("");
    for (size_t i = 0; az_tensix_at(i, &d); i++)
        all = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(all), i ? ", " : "", AZ_SVF(d.name));
    return all;
}

/* Peaks and grid: the file's come first, then the options', then the table's. */
int az_op_report_device(struct az_op_report *t)
{
    const struct az_options *o = t->o;
    struct az_sv named = o->arch.n ? o->arch : o->device_name, file = t->r->arch;
    struct az_where here = AZ_AT_FILE(t->trace->path);
    const char *from = "the file";

    if (file.n && o->arch.n && !az_sv_ieq(file, o->arch))
        az_op_report_note(t, "architecture '%.*s' from the options (file: '%.*s')", AZ_SVF(o->arch),
                          AZ_SVF(file));
    t->arch = o->arch.n ? o->arch : file.n ? file : named.n ? named : AZ_SV("wormhole");
    if (o->arch.n || !file.n)
        from = o->arch.n ? "arch" : named.n ? "device" : "default";
    t->has_peaks = az_tensix_find(t->arch, &t->peaks);
    if (!t->has_peaks && o->arch.n)
        return az_diag_fail(t->job->diag, AZ_ECONFIG, here,
                            "unknown architecture '%.*s' (known: %.*s)", AZ_SVF(t->arch),
                            AZ_SVF(az_op_report_device_names(t->job->arena)));
    if (!t->has_peaks)
        az_diag_add(
            t->job->diag, AZ_WARNING, here,
            "unknown peaks for architecture '%.*s', percentages and bounds skipped (known: %.*s)",
            AZ_SVF(t->arch), AZ_SVF(az_op_report_device_names(t->job->arena)));
    t->workers = o->worker_cores > 0 ? o->worker_cores
                 : t->r->workers > 0 ? t->r->workers
                 : t->has_peaks      ? t->peaks.workers
                                     : 0;
    t->workers_from = o->worker_cores > 0 ? "worker_cores"
                      : t->r->workers > 0 ? "the file"
                                          : "the architecture";
    az_op_report_note(t, "layout %.*s; architecture %.*s (%s), %lld worker cores (%s%s)",
                      AZ_SVF(t->r->version), AZ_SVF(t->arch), from, (long long)t->workers,
                      t->workers_from,
                      t->r->budgets_differ && o->worker_cores <= 0 ? ", largest of several" : "");
    return 0;
}
