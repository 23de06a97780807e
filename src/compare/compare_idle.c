/* By which cause the idle time of two results differs: the change of each cause in their tables
 * `idle_causes` (docs/formulas-compare.md 1.2). */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "compare/compare_causes.h"
#include "document/claims.h"

#define MOST 0.5  /* of the change, for one cause or place to be named; more than this */
#define NEAR 0.25 /* of the change: by so much the mean of all steps may differ from the step */

struct idle_sums { /* ns of the basis: baseline, variant */
    double ns[2];
};
AZ_VEC(struct idle_sums, idle_list);

struct idle_groups {
    struct az_intern ids;
    struct idle_list list; /* by id */
};

struct idle_side {
    const struct az_table *t; /* NULL: no idle time */
    ptrdiff_t cause, idle;
    double scale; /* from sums of the table to the basis */
};

static struct az_sv cause_at(const struct idle_side *s, size_t row)
{
    return az_cell_text(az_table_at(s->t, row, (size_t)s->cause));
}

static struct az_sv text_at(const struct idle_side *s, size_t row, const char *stem)
{
    const ptrdiff_t at = az_text_column(s->t, stem);
    return at >= 0 ? az_cell_text(az_table_at(s->t, row, (size_t)at)) : AZ_SV("");
}

/* Frame, else range, operator, call. */
static struct az_sv place_at(const struct idle_side *s, size_t row)
{
    static const char *const stems[] = { "frame", "range", "host_op", "host_call" };

    for (size_t i = 0; i < AZ_LENGTH(stems); i++)
        if (text_at(s, row, stems[i]).n)
            return text_at(s, row, stems[i]);
    return AZ_SV("");
}

/* Mean idle time of what is compared, by the scope of the table. */
static double mean_idle(const struct az_causes *o, size_t side)
{
    const struct az_change_side *x = &o->read[side];

    return (double)x->whole.idle / (double)(o->change.per_step && x->counted > 0 ? x->counted : 1);
}

/* The table of a side; false: it does not have the idle time that is compared. */
static bool find_side(const struct az_causes *o, size_t side, const struct az_document *doc,
                      struct idle_side *s)
{
    const double mean = mean_idle(o, side), change = (double)(o->side[1].idle - o->side[0].idle);
    double sum = 0;

    *s = (struct idle_side){ .t = az_document_table(doc, "idle_causes") };
    if (fabs(mean - (double)o->side[side].idle) > NEAR * fabs(change))
        return false;
    if (!s->t)
        return mean <= NEAR * fabs(change);
    s->cause = az_text_column(s->t, "cause");
    s->idle = az_time_column(s->t, "idle");
    if (!az_is_read(s->t) || s->cause < 0 || s->idle < 0)
        return false;
    for (size_t r = 0; r < s->t->rows; r++)
        sum += az_time_at(s->t, r, s->idle);
    s->scale = sum > 0 ? mean / sum : 0;
    return sum > 0;
}

/* Adds up the rows of a cause by their place; cause empty: all rows by their cause. */
static int add_rows(struct idle_groups *g, const struct idle_side *s, size_t side,
                    struct az_sv cause)
{
    int rc = 0;

    for (size_t r = 0; rc == 0 && s->t && r < s->t->rows; r++) {
        const struct az_sv of = cause_at(s, r);
        if (cause.n && !az_sv_eq(of, cause))
            continue;
        const uint32_t id = az_intern_id(&g->ids, cause.n ? place_at(s, r) : of);
        rc = g->ids.error;
        if (rc == 0 && id == g->list.n)
            rc = az_vec_push(&g->list, ((struct idle_sums){ { 0, 0 } }));
        if (rc == 0)
            g->list.v[id].ns[side] += az_time_at(s->t, r, s->idle) * s->scale;
    }
    return rc;
}

/* The text of the group that has most of the change; empty: none has. In the arena. */
static int find_most(const struct az_comparison *c, const struct idle_side side[2], double change,
                     struct az_sv cause, struct az_sv *most)
{
    struct idle_groups g;
    int rc = 0;

    *most = AZ_SV("");
    az_intern_init(&g.ids, c->a, c->doc->mem);
    az_vec_init(&g.list, c->doc->mem);
    for (size_t i = 0; rc == 0 && i < 2; i++)
        rc = add_rows(&g, &side[i], i, cause);
    for (uint32_t k = 0; rc == 0 && k < g.list.n; k++)
        if ((g.list.v[k].ns[1] - g.list.v[k].ns[0]) / change > MOST)
            *most = az_intern_text(&g.ids, k);
    az_vec_release(&g.list);
    az_intern_release(&g.ids);
    return rc;
}

/* Is the host in operators, as far as the tables have it? Such time between calls is theirs. */
static bool is_in_operators(const struct idle_side side[2], struct az_sv cause)
{
    for (size_t i = 0; i < 2; i++)
        for (size_t r = 0; side[i].t && r < side[i].t->rows; r++)
            if (az_sv_eq(cause_at(&side[i], r), cause) &&
                (text_at(&side[i], r, "frame").n || text_at(&side[i], r, "host_op").n))
                return true;
    return false;
}

/* "idle between host calls"; empty: the cause is not known. */
static struct az_sv words_of(const struct idle_side side[2], struct az_sv id)
{
    if (az_sv_is(id, az_cause_id(AZ_CAUSE_HOST_COMPUTE)) && is_in_operators(side, id))
        return AZ_SV("idle during operators");
    for (int k = AZ_CAUSE_NONE + 1; k < AZ_CAUSES; k++) {
        const enum az_cause cause = (enum az_cause)k;
        const struct az_sv words = az_sv_str(az_cause_words(cause)), gpu = AZ_SV("GPU ");
        const ptrdiff_t at = az_sv_find(words, AZ_SV("GPU idle "));
        if (!az_sv_is(id, az_cause_id(cause)))
            continue;
        if (at >= 0)
            return az_sv_make(words.p + at + gpu.n, words.n - (size_t)at - gpu.n);
        return cause == AZ_CAUSE_LAUNCH_BOUND ? words : AZ_SV("");
    }
    return AZ_SV("");
}

int az_compare_idle(const struct az_comparison *c, const struct az_causes *o, size_t variant,
                    struct az_sv *text)
{
    const double change = (double)(o->side[1].idle - o->side[0].idle);
    struct idle_side side[2];
    struct az_sv cause, place;

    *text = AZ_SV("");
    if (!(fabs(change) > 0) || !o->read[0].has_account || !o->read[1].has_account ||
        !find_side(o, 0, c->in[c->base].doc, &side[0]) ||
        !find_side(o, 1, c->in[variant].doc, &side[1]))
        return 0;
    int rc = find_most(c, side, change, AZ_SV(""), &cause);
    const struct az_sv words = words_of(side, cause);
    if (rc || words.n == 0)
        return rc;
    rc = find_most(c, side, change, cause, &place);
    if (rc)
        return rc;
    *text = az_arena_printf(c->a, "most of the change: %.*s%s%.*s", AZ_SVF(words),
                            place.n ? ", in " : "",
                            AZ_SVF(place.n ? az_words_name(c->a, place) : AZ_SV("")));
    return text->p ? 0 : az_arena_error(c->a);
}
