/* `analyzer gate --calibrate`: limits as a block of a configuration. */
#include <math.h>

#include "base/sort.h"
#include "regression/calibrate.h"
#include "run/gates.h"
#include "text/jsonw.h"

#define LOOSE 0.5 /* a limit above it is wider than the scatter of equal work */
#define NAMED 6   /* of such limits */

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

static int widest_first(const void *x, const void *y, void *ctx)
{
    const struct az_calibrated *const *a = x, *const *b = y;

    (void)ctx;
    return (*a)->rel > (*b)->rel ? -1 : (*a)->rel < (*b)->rel;
}

/* The limits that find little, the widest first. */
static int warn_of_wide_limits(const struct az_calibrated_list *list, struct az_arena *a,
                               struct az_diag *diag)
{
    const struct az_calibrated **wide = az_arena_array(a, list->n + 1, sizeof *wide);
    struct az_sv names = AZ_SV("");
    size_t n = 0;

    for (size_t i = 0; wide && i < list->n; i++)
        if (list->v[i].rel > LOOSE)
            wide[n++] = &list->v[i];
    if (wide && n)
        az_sort_cmp(wide, n, sizeof *wide, widest_first, NULL, NULL);
    for (size_t i = 0; i < n && i < NAMED; i++)
        names =
            az_arena_printf(a, "%.*s%s'%.*s' of table '%.*s' %.0f%%", AZ_SVF(names), i ? ", " : "",
                            AZ_SVF(wide[i]->name), AZ_SVF(wide[i]->sheet), 100 * wide[i]->rel);
    if (n > NAMED)
        names = az_arena_printf(a, "%.*s, %zu more", AZ_SVF(names), n - NAMED);
    if (n && !a->failed)
        az_diag_add(diag, AZ_WARNING, AZ_NOWHERE,
                    "calibration: %zu limit%s above %.0f%% find%s little: %.*s; check that all "
                    "runs are of the same work",
                    n, n == 1 ? "" : "s", 100 * LOOSE, n == 1 ? "s" : "", AZ_SVF(names));
    return a->failed ? az_arena_error(a) : AZ_OK;
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
    if (!rc)
        rc = warn_of_wide_limits(&list, &s->arena, s->diag);
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
