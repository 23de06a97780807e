/* `analyzer gate --calibrate`: limits as a block of a configuration. */
#include <math.h>

#include "regression/calibrate.h"
#include "run/gates.h"
#include "text/jsonw.h"

#define LOOSE 0.5 /* a limit above it is wider than the scatter of equal work */

static size_t runs_of(const struct az_series *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->runs.n; i++)
        n = s->runs.v[i] > n ? s->runs.v[i] : n;
    return n;
}

/* A name in a glob means itself. */
static struct az_sv literal(struct az_arena *a, struct az_sv s)
{
    struct az_sv out = AZ_SV("");
    for (size_t i = 0; i < s.n; i++) {
        bool special = s.p[i] == '*' || s.p[i] == '?' || s.p[i] == '[';
        out = az_arena_printf(a, special ? "%.*s[%c]" : "%.*s%c", AZ_SVF(out), s.p[i]);
    }
    return out;
}

static void put_rule(struct az_jsonw *w, const struct az_calibrated *c, struct az_arena *a)
{
    az_jsonw_object(w);
    az_jsonw_key(w, "table");
    az_jsonw_text(w, literal(a, c->sheet));
    az_jsonw_key(w, "column");
    az_jsonw_text(w, literal(a, c->name));
    az_jsonw_key(w, "rel");
    az_jsonw_f64(w, c->rel);
    az_jsonw_key(w, "abs");
    az_jsonw_f64(w, c->abs);
    az_jsonw_end_object(w);
}

/* Copies of one recording have no scatter, and limits of no use. */
static void warn_of_equal_runs(const struct az_calibrated_list *list, size_t runs,
                               struct az_diag *diag)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].worst_abs > 0)
            return;
    if (list->n)
        az_diag_add(diag, AZ_WARNING, AZ_NOWHERE,
                    "calibration: all %zu runs are equal in every metric; use profiles of "
                    "different runs",
                    runs);
}

/* The widest limit, where it finds little. */
static void warn_of_wide_limits(const struct az_calibrated_list *list, struct az_diag *diag)
{
    const struct az_calibrated *most = NULL;
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].rel > LOOSE && (!most || list->v[i].rel > most->rel))
            most = &list->v[i];
    if (most)
        az_diag_add(
            diag, AZ_WARNING, AZ_NOWHERE,
            "calibration: the limit of '%.*s' of table '%.*s' is %.0f%%, which finds little; "
            "check that all runs are of the same work",
            AZ_SVF(most->name), AZ_SVF(most->sheet), 100 * most->rel);
}

int az_gate_calibrate(struct az_gate_step *s)
{
    struct az_calibrated_list list;
    struct az_vec_char text;
    struct az_jsonw w;
    size_t runs = runs_of(&s->cand);
    int rc;

    if (runs < 2)
        return az_diag_fail(s->diag, AZ_EEMPTY, AZ_NOWHERE,
                            "calibration needs repeated runs of the same thing, there %s %zu",
                            runs == 1 ? "is" : "are", runs);
    az_vec_init(&list, NULL);
    az_vec_init(&text, NULL);
    rc = az_calibrate(&s->cand, &list);
    warn_of_equal_runs(&list, runs, s->diag);
    warn_of_wide_limits(&list, s->diag);
    az_jsonw_init(&w, NULL, &text, 4);
    az_jsonw_object(&w);
    az_jsonw_key(&w, "rules");
    az_jsonw_array(&w);
    for (size_t i = 0; i < list.n; i++)
        put_rule(&w, &list.v[i], &s->arena);
    az_jsonw_end_array(&w);
    az_jsonw_end_object(&w);
    if (!rc)
        rc = az_jsonw_finish(&w);
    if (!rc)
        rc = az_text_printf(&s->f->text,
                            "// limits that %zu runs of the same thing stay within: the smallest "
                            "pair (rel, abs) without a "
                            "false alarm\n\"gates\": %.*s\n",
                            runs, AZ_SVF(az_text_view(&text)));
    az_vec_release(&list);
    az_vec_release(&text);
    return rc;
}
