/* Pieces of the verdict's sentences. */
#include <inttypes.h>
#include <math.h>

#include "analyses/verdict/sentences.h"
#include "base/human.h"
#include "document/change.h"

#define NAME 60 /* characters of a name in a sentence */

struct az_sv az_verdict_text_add(struct az_verdict_text *x, struct az_sv to, const char *between,
                                 struct az_sv more)
{
    if (more.n == 0)
        return to;
    return az_arena_printf(x->a, "%.*s%s%.*s", AZ_SVF(to), to.n ? between : "", AZ_SVF(more));
}

bool az_verdict_text_op_report(const struct az_verdict_text *x)
{
    return x->w->job->n_traces == 1 && x->w->job->traces[0]->caps & AZ_CAP_OPREPORT;
}

bool az_verdict_text_tpu(const struct az_verdict_text *x)
{
    return az_sv_find(x->c->devices.name, AZ_SV("TPU")) >= 0;
}

struct az_sv az_verdict_text_time(struct az_verdict_text *x, int64_t ns)
{
    char t[AZ_HUMAN_MAX];
    az_human_time(ns, t);
    return az_arena_printf(x->a, "%s", t);
}

struct az_sv az_verdict_text_count(struct az_verdict_text *x, int64_t n)
{
    char t[AZ_HUMAN_MAX];
    az_human_count(n, t);
    return az_arena_printf(x->a, "%s", t);
}

struct az_sv az_verdict_text_counted(struct az_verdict_text *x, int64_t n, const char *noun)
{
    return az_arena_printf(x->a, "%.*s %s%s", AZ_SVF(az_verdict_text_count(x, n)), noun,
                           n == 1 ? "" : "s");
}

struct az_sv az_verdict_text_steps(struct az_verdict_text *x)
{
    const struct az_claims *c = x->c;
    const int64_t n = c->steps.count - (int64_t)c->steps.n_excluded;
    if (c->scope != AZ_SCOPE_STEPS || n < 1)
        return AZ_SV("");
    return az_arena_printf(
        x->a, " in %s%.*s", n == 1 ? "" : "the ",
        AZ_SVF(az_verdict_text_counted(x, n, az_change_step_noun(c->steps.source))));
}

struct az_sv az_verdict_text_scope(struct az_verdict_text *x, const struct az_claim *f)
{
    const int64_t n = x->c->devices.count - (int64_t)x->c->devices.n_idle;
    if (!x->c->tables_scope.n)
        return AZ_SV("");
    const struct az_sv text = az_verdict_text_steps(x);
    return f->device != AZ_NO_RANK || n < 2
               ? text
               : az_arena_printf(x->a, "%.*s on %" PRId64 " devices", AZ_SVF(text), n);
}

struct az_sv az_verdict_text_cut(struct az_verdict_text *x, struct az_sv name)
{
    return name.n <= NAME ? name : az_arena_printf(x->a, "%.*s...", NAME, name.p);
}

int az_verdict_text_put(struct az_verdict_text *x, enum az_line_kind kind, const char *label,
                        struct az_sv text, int64_t ns)
{
    const struct az_line l = { .kind = kind,
                               .label = az_sv_str(label),
                               .text = text,
                               .rule = AZ_SV(""),
                               .severity = AZ_SV(""),
                               .evidence = AZ_SV(""),
                               .row = AZ_SV(""),
                               .ns = ns,
                               .percent = NAN };
    if (!text.p)
        return az_arena_error(x->a);
    az_headline_put(x->out, &l);
    return 0;
}

/* ---- checks ---- */
struct az_sv az_verdict_text_qualified(struct az_verdict_text *x)
{
    for (int i = 0; i < AZ_CHECKS; i++)
        if (x->c->qualified_by & 1u << i)
            return az_arena_printf(x->a, "not trustworthy: %.*s",
                                   AZ_SVF(az_verdict_text_check(x, (enum az_check)i)));
    return AZ_SV("");
}
