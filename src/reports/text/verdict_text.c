/* Verdicts for the terminal, and as Markdown. */
#include <math.h>

#include "base/utf8.h"
#include "document/verdict_table.h"
#include "regression/verdict.h"
#include "reports/report.h"
#include "reports/shared/fields.h"
#include "reports/text/text.h"

#define SHOWN         20
#define STATUS        14   /* columns of a result's status */
#define INDENT        6    /* of the result, where it needs a second line */
#define MARKDOWN_MOST 9500 /* a summary that a person reads */

/* Results that are shown: all but what is as it was, or follows from another. */
static bool worth(const struct az_gate_result *x)
{
    if (x->follows.n)
        return false;
    return x->level != AZ_LEVEL_INFO || (x->status != AZ_GATE_PASS && x->status != AZ_GATE_SKIP);
}

static const char *color_of(const struct az_gate_result *x)
{
    if (x->level == AZ_LEVEL_FAIL || x->level == AZ_LEVEL_INCONCLUSIVE)
        return "\033[31m";
    return x->level == AZ_LEVEL_WARN ? "\033[33m" : x->status == AZ_GATE_IMPROVED ? "\033[32m" : "";
}

static void put_text(struct az_textout *o, const char *s) { az_textout_put(o, az_sv_str(s)); }

/* "input / table / key / column", what there is of them. */
static struct az_sv place_of(const struct az_gate_result *x, struct az_arena *a, bool inputs)
{
    const struct az_sv out = az_field_line(a, az_gate_place(a, x, inputs));

    return out.n     ? out
           : x->rule ? az_arena_printf(a, "rule '%.*s'", AZ_SVF(x->rule_name))
                     : AZ_SV("run");
}

/* The input that all results are of; empty: there are several, or none is named. */
static struct az_sv only_input(const struct az_gate_verdict *v)
{
    struct az_sv one = AZ_SV("");
    for (size_t i = 0; i < v->results.n; i++) {
        const struct az_sv of = v->results.v[i].input;
        if (of.n && one.n && !az_sv_eq(of, one))
            return AZ_SV("");
        one = of.n ? of : one;
    }
    return one;
}

/* What the first line names already is not repeated. */
static void labelled(struct az_textout *o, const char *what, struct az_sv label,
                     struct az_sv answer)
{
    if (label.n == 0 || az_sv_find(answer, label) >= 0)
        return;
    put_text(o, what);
    az_textout_line(o, az_field_line(o->scratch, label));
}

/* The first line of the verdict. */
static struct az_sv answer_of(const struct az_document *doc)
{
    const struct az_table *t = az_headline_of(doc);
    return t && t->rows ? az_headline_line(t, 0).text
                        : az_sv_str(az_gate_verdict_text(doc->verdict));
}

/* "6 fail, 2 warn": nothing where the first line counts them, all being the same. */
static void counts(struct az_textout *o, const struct az_gate_verdict *v)
{
    size_t kinds = 0;
    for (int s = 0; s < AZ_GATE_STATUSES; s++)
        kinds += v->count[s] > 0;
    for (int s = 0, n = 0; kinds > 1 && s < AZ_GATE_STATUSES; s++)
        if (v->count[s])
            az_textout_put(o, az_arena_printf(o->scratch, "%s%zu %s",
                                              n++ ? ", " : "metrics: ", v->count[s],
                                              az_gate_status_text((enum az_gate_status)s)));
    put_text(o, kinds > 1 ? "\n" : "");
}

static void put_headline(struct az_textout *o, const struct az_gate_verdict *v, struct az_sv answer,
                         struct az_sv input)
{
    static const char *const color[] = { "\033[32m", "\033[31m", "\033[31m" };

    az_textout_line(o, az_arena_printf(o->scratch, "===== Gates%s%.*s =====", input.n ? ": " : "",
                                       AZ_SVF(az_field_line(o->scratch, input))));
    put_text(o, o->color ? color[v->outcome] : "");
    az_textout_wrapped(o, az_field_line(o->scratch, answer), 0, INDENT);
    put_text(o, o->color ? "\033[0m" : "");
    labelled(o, "baseline: ", v->base_label, answer);
    labelled(o, "candidate: ", az_sv_eq(v->cand_label, input) ? AZ_SV("") : v->cand_label, answer);
    counts(o, v);
}

/* Has the first line it already? */
static bool answered(struct az_textout *o, const struct az_gate_result *x, struct az_sv answer)
{
    const struct az_sv place = place_of(x, o->scratch, false);
    return az_sv_find(answer, az_arena_printf(o->scratch, "%.*s: %.*s", AZ_SVF(place),
                                              AZ_SVF(x->text))) >= 0 ||
           (x->sheet.n == 0 && x->metric.n == 0 && x->text.n && az_sv_find(answer, x->text) >= 0);
}

void az_text_verdict(struct az_textout *o, const struct az_document *doc, bool all)
{
    const struct az_gate_verdict *v = doc->verdict;
    const struct az_sv answer = answer_of(doc), input = only_input(v);
    size_t shown = 0, more = 0;

    put_headline(o, v, answer, input);
    for (size_t i = 0; i < v->results.n; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        if (!all && (!worth(x) || answered(o, x, answer)))
            continue;
        if (!all && shown == SHOWN) {
            more++;
            continue;
        }
        shown++;
        put_text(o, o->color ? color_of(x) : "");
        az_textout_put(o, az_arena_printf(o->scratch, "%-12s", az_gate_status_text(x->status)));
        put_text(o, o->color ? "\033[0m  " : "  ");
        const struct az_sv place = place_of(x, o->scratch, input.n == 0);
        const struct az_sv line =
            az_arena_printf(o->scratch, "%.*s: %.*s", AZ_SVF(place), AZ_SVF(x->text));
        az_textout_wrapped(o, az_field_line(o->scratch, line), STATUS, STATUS);
    }
    if (more)
        az_textout_put(o, az_arena_printf(o->scratch, "and %zu more (-v shows all)\n", more));
}

/* ---- Markdown ---- */

static int put_cell(struct az_vec_char *out, struct az_sv s, struct az_arena *a)
{
    int rc = az_text_append(out, AZ_SV("| "));
    rc = rc ? rc : az_field_markdown(out, s, a);
    return rc ? rc : az_text_append(out, AZ_SV(" "));
}

/* What was compared with what, where it is known. */
static int sides(struct az_vec_char *out, const struct az_gate_verdict *v, struct az_arena *a)
{
    const struct az_sv side[] = { v->base_label, v->cand_label };
    static const char *const name[] = { "baseline", "candidate" };
    bool any = false;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < 2; i++) {
        if (!side[i].n)
            continue;
        rc = az_text_printf(out, "%s%s: ", any ? ", " : "", name[i]);
        rc = rc ? rc : az_field_markdown(out, side[i], a);
        any = true;
    }
    return rc || !any ? rc : az_text_append(out, AZ_SV("\n\n"));
}

static int put_row(struct az_vec_char *out, const struct az_gate_result *x, struct az_arena *a)
{
    int rc = put_cell(out, az_sv_str(az_gate_status_text(x->status)), a);
    if (!rc)
        rc = put_cell(out, place_of(x, a, true), a);
    if (!rc)
        rc = put_cell(out, x->text, a);
    if (!rc)
        rc = put_cell(out, x->rule_name, a);
    return rc ? rc : az_text_append(out, AZ_SV("|\n"));
}

int az_gate_verdict_markdown(const struct az_document *doc, struct az_vec_char *out)
{
    const struct az_gate_verdict *v = doc->verdict;
    struct az_arena a;
    size_t more = 0, table = 0;
    int rc;

    az_arena_init(&a, NULL);
    rc = az_text_append(out, AZ_SV("### Gates: "));
    rc = rc ? rc : az_field_markdown(out, answer_of(doc), &a);
    rc = rc ? rc
            : az_text_printf(out,
                             "\n\n%zu fail, %zu inconclusive, %zu error, %zu warn, %zu "
                             "unstable, %zu improved, %zu pass\n\n",
                             v->count[AZ_GATE_FAIL], v->count[AZ_GATE_INCONCLUSIVE],
                             v->count[AZ_GATE_ERROR], v->count[AZ_GATE_WARN],
                             v->count[AZ_GATE_UNSTABLE], v->count[AZ_GATE_IMPROVED],
                             v->count[AZ_GATE_PASS]);
    if (!rc)
        rc = sides(out, v, &a);
    for (size_t i = 0; !rc && i < v->results.n; i++) {
        if (!worth(&v->results.v[i]))
            continue;
        if (!table++)
            rc = az_text_append(out,
                                AZ_SV("| status | metric | change | rule |\n|---|---|---|---|\n"));
        const size_t before = out->n;
        if (!rc && more == 0)
            rc = put_row(out, &v->results.v[i], &a);
        if (more || out->n > MARKDOWN_MOST) {
            out->n = before;
            more++;
        }
    }
    if (!rc && more)
        rc = az_text_printf(out, "\nand %zu more\n", more);
    rc = rc ? rc : a.failed ? az_arena_error(&a) : 0;
    az_arena_release(&a);
    return rc;
}
