/* Verdict as a comment on a pull request: what changed per step, why, and a folded table; at most
 * 30 lines of Markdown. */
#include <math.h>

#include "base/human.h"
#include "document/verdict_table.h"
#include "io/outfile.h"
#include "regression/verdict.h"
#include "reports/report.h"
#include "reports/shared/fields.h"

#define LINES   30 /* of the comment */
#define INPUTS  2  /* with a line of their own */
#define REASONS 3
#define MARK    "<!-- analyzer gate -->\n" /* a workflow finds its earlier comment by it */

struct comment {
    const struct az_gate_verdict *v;
    struct az_vec_char *out;
    struct az_arena *a;
    int error;
};

static void put_text(struct comment *c, struct az_sv text)
{
    if (!c->error)
        c->error = az_text_append(c->out, text);
}

static void put_escaped(struct comment *c, struct az_sv text)
{
    if (!c->error)
        c->error = az_field_markdown(c->out, text, c->a);
}

static struct az_sv time_text(struct comment *c, int64_t ns)
{
    char text[AZ_HUMAN_MAX];
    return az_arena_dup(c->a, az_sv_make(text, az_human_time(ns, text)));
}

static struct az_sv change_text(struct comment *c, double share)
{
    return isnan(share) ? AZ_SV("") : az_arena_printf(c->a, "%+.1f%%", share * 100);
}

/* ---- what changed ---- */

/* "train_step: 451 us -> 520 us per step (+15.4%)" */
static void put_input(struct comment *c, const struct az_gate_change *x)
{
    const struct az_change *k = &x->change;

    put_text(c, AZ_SV("**"));
    put_escaped(c, k->input);
    put_text(c, AZ_SV("**: "));
    if (!k->comparable) {
        put_text(c, AZ_SV("not comparable: "));
        put_escaped(c, x->text);
    } else if (k->a_ns > 0 && k->b_ns > 0) {
        put_text(c, az_arena_printf(c->a, "%.*s → %.*s%s, **%.*s**", AZ_SVF(time_text(c, k->a_ns)),
                                    AZ_SVF(time_text(c, k->b_ns)), k->per_step ? " per step" : "",
                                    AZ_SVF(change_text(c, k->share))));
    } else {
        put_text(c, AZ_SV("no total time"));
    }
    if (c->v->base_label.n) {
        put_text(c, AZ_SV(" against "));
        put_escaped(c, c->v->base_label);
    }
    put_text(c, AZ_SV("  \n"));
}

static double size_of(const struct az_gate_change *x)
{
    return x->change.comparable && !isnan(x->change.share) ? fabs(x->change.share) : -1;
}

/* The input that changed most, whose parts are shown. NULL: none has parts. */
static const struct az_gate_change *largest(const struct az_gate_verdict *v)
{
    const struct az_gate_change *out = NULL;

    for (size_t i = 0; i < v->changes.n; i++) {
        const struct az_gate_change *x = &v->changes.v[i];
        if (x->change.comparable && x->change.has_parts && (!out || size_of(x) > size_of(out)))
            out = x;
    }
    return out;
}

static void put_parts(struct comment *c, const struct az_gate_change *x)
{
    static const char *const names[] = { "compute", "exposed communication", "exposed copies",
                                         "idle" };
    const char *basis = x->change.per_step ? "per step" : "whole recording";

    put_text(c, AZ_SV("\n| "));
    if (c->v->changes.n > 1)
        put_escaped(c, az_arena_printf(c->a, "%.*s, %s", AZ_SVF(x->change.input), basis));
    else
        put_text(c, az_sv_str(basis));
    put_text(c, AZ_SV(" | baseline | candidate | change |\n|---|---:|---:|---:|\n"));
    for (size_t i = 0; i < AZ_CHANGE_PARTS; i++) {
        const int64_t *ns = x->change.part[i];
        const double share = ns[0] > 0 ? (double)ns[1] / (double)ns[0] - 1 : (double)NAN;
        put_text(c, az_arena_printf(c->a, "| %s | %.*s | %.*s | %.*s |\n", names[i],
                                    AZ_SVF(time_text(c, ns[0])), AZ_SVF(time_text(c, ns[1])),
                                    AZ_SVF(change_text(c, share))));
    }
}

/* ---- why ---- */

static bool is_reason(const struct az_gate_result *x)
{
    return !x->follows.n && (x->level != AZ_LEVEL_INFO || x->status == AZ_GATE_IMPROVED);
}

static struct az_sv place_of(struct comment *c, const struct az_gate_result *x)
{
    const struct az_sv place = az_gate_place(c->a, x, c->v->changes.n > 1);
    return place.n ? place : AZ_SV("run");
}

static void put_reasons(struct comment *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->v->results.n; i++) {
        const struct az_gate_result *x = &c->v->results.v[i];
        if (!is_reason(x) || n++ >= REASONS)
            continue;
        put_text(c, n == 1 ? AZ_SV("\n- **") : AZ_SV("- **"));
        put_text(c, az_sv_str(az_gate_status_text(x->status)));
        put_text(c, AZ_SV("** "));
        put_escaped(c, place_of(c, x));
        put_text(c, AZ_SV(": "));
        put_escaped(c, x->text);
        put_text(c, AZ_SV("\n"));
    }
    if (n > REASONS)
        put_text(c, az_arena_printf(c->a, "- and %zu more\n", n - REASONS));
}

/* ---- the folded table ---- */

static size_t lines_of(const struct az_vec_char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < text->n; i++)
        n += text->v[i] == '\n';
    return n;
}

/* As many rows as there is room for, without those that are reasons already. */
static void put_table(struct comment *c)
{
    const size_t used = lines_of(c->out) + 7; /* around the rows */
    size_t reasons = 0, shown = 0;

    put_text(c, AZ_SV("\n<details><summary>"));
    for (int s = 0, n = 0; s < AZ_GATE_STATUSES; s++)
        if (c->v->count[s])
            put_text(c, az_arena_printf(c->a, "%s%zu %s", n++ ? ", " : "", c->v->count[s],
                                        az_gate_status_text((enum az_gate_status)s)));
    put_text(c, AZ_SV("</summary>\n\n| status | metric | change |\n|---|---|---|\n"));
    for (size_t i = 0; i < c->v->results.n && used + shown < LINES; i++) {
        const struct az_gate_result *x = &c->v->results.v[i];
        if (is_reason(x) && reasons++ < REASONS)
            continue;
        shown++;
        put_text(c, az_arena_printf(c->a, "| %s | ", az_gate_status_text(x->status)));
        put_escaped(c, place_of(c, x));
        put_text(c, AZ_SV(" | "));
        put_escaped(c, x->text);
        put_text(c, AZ_SV(" |\n"));
    }
    put_text(c, AZ_SV("\n</details>\n"));
}

static void put_comment(struct comment *c)
{
    const struct az_gate_change *parts = largest(c->v);

    put_text(c, AZ_SV(MARK "### Performance: "));
    put_text(c, az_sv_str(az_gate_verdict_text(c->v)));
    put_text(c, AZ_SV("\n\n"));
    for (size_t i = 0; i < c->v->changes.n && i < INPUTS; i++)
        put_input(c, &c->v->changes.v[i]);
    if (c->v->changes.n > INPUTS)
        put_text(c, az_arena_printf(c->a, "and %zu more inputs\n", c->v->changes.n - INPUTS));
    if (parts)
        put_parts(c, parts);
    put_reasons(c);
    if (c->v->results.n)
        put_table(c);
}

static int comment_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                         struct az_diag *diag)
{
    const struct az_where at = AZ_AT_FILE(az_sv_str(path));
    struct az_outfile *f = NULL;
    struct az_vec_char text;
    struct comment c = { .v = doc->verdict, .out = &text, .a = scratch };

    if (!doc->verdict)
        return az_diag_fail(diag, AZ_EUSAGE, at, "no verdict to write; add \"gates\"");
    az_vec_init(&text, NULL);
    put_comment(&c);
    if (!c.error && scratch->failed)
        c.error = az_arena_error(scratch);
    if (c.error)
        c.error = az_diag_memory(diag, c.error, at, NULL);
    if (!c.error)
        c.error = az_outfile_open(&f, path, diag);
    if (!c.error) {
        az_outfile_puts(f, az_text_view(&text));
        c.error = az_outfile_commit(f);
    }
    az_vec_release(&text);
    return c.error;
}

const struct az_report az_report_github_comment = {
    .name = "github-comment",
    .extension = ".comment.md",
    .help = "gates: a comment on a pull request: what changed per step, with a folded table",
    .verdict = true,
    .write = comment_write,
};
