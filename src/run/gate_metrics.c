/* The key metrics of the documents of a gate: a part of the time that is a metric of one side is
 * one of the other, however small it is there. */
#include "regression/key_figures.h"
#include "run/baseline_load.h"
#include "run/gates.h"
#include "run/internal.h"

/* A part that is a metric of the documents that are compared with each other as `input`. */
struct gate_part {
    struct az_sv input, name;
};
AZ_VEC(struct gate_part, gate_parts);

/* The parts of the time that earlier runs of the history had as metrics; none where it cannot be
 * read: that is reported where it is needed. */
static int chosen_figures(const struct az_gate_step *s, struct az_sv group, struct az_arena *a,
                          struct az_vec_sv *out)
{
    struct az_history *h = NULL;
    struct az_diag diag;
    int rc = AZ_OK;

    if (!s->c->history.path.n)
        return AZ_OK;
    az_diag_init(&diag);
    if (!az_history_open(&h, s->c->history.path.p, AZ_HISTORY_READ, &diag))
        rc = az_history_names(h, group, AZ_SV(AZ_KEY_PARTS), a, out);
    az_history_close(h);
    az_diag_release(&diag);
    return rc;
}

/* Do rules use the key metrics? */
static bool wants_key_figures(const struct az_gate_step *s)
{
    for (size_t i = 0; i < s->c->gates.rules.n; i++)
        if (az_sv_starts(s->c->gates.rules.v[i].table, AZ_SV("key_")))
            return true;
    return false;
}

/* ---- what is compared with what ---- */

struct az_sv az_gate_input_of(const struct az_gate_step *s, struct az_sv title, bool alone)
{
    for (size_t i = 0; i < s->n_docs; i++)
        if (!s->docs[i].baseline &&
            (az_sv_eq(s->docs[i].title, title) || az_sv_eq(s->docs[i].group, title)))
            return s->docs[i].group;
    return alone && s->cand.inputs.n == 1 ? s->cand.inputs.v[0] : title;
}

/* Is each document compared with each other one? */
static bool is_one_input(const struct az_gate_step *s)
{
    struct az_sv first = AZ_SV("");

    for (size_t i = 0; i < s->n_docs; i++) {
        if (s->docs[i].for_all)
            return true;
        if (s->docs[i].baseline)
            continue;
        first = first.n ? first : s->docs[i].group;
        if (!az_sv_eq(first, s->docs[i].group))
            return s->f->plan->bisect;
    }
    return true;
}

/* ---- the metrics ---- */

static bool has_part(const struct gate_parts *parts, struct gate_part p)
{
    for (size_t i = 0; i < parts->n; i++)
        if (az_sv_eq(parts->v[i].name, p.name) && az_sv_eq(parts->v[i].input, p.input))
            return true;
    return false;
}

static int begin(struct az_gate_step *s, struct az_document *doc, struct az_sv group,
                 struct az_sv input, struct gate_parts *parts)
{
    struct az_vec_sv chosen, names;
    int rc;

    az_vec_init(&chosen, NULL);
    az_vec_init(&names, NULL);
    rc = chosen_figures(s, group, &s->arena, &chosen);
    if (!rc)
        rc = az_key_figures_begin(doc, &chosen, s->cand.by_recording, &names);
    for (size_t i = 0; !rc && i < names.n; i++) {
        const struct gate_part p = { input, names.v[i] };
        if (!has_part(parts, p))
            rc = az_vec_push(parts, p);
    }
    az_vec_release(&chosen);
    az_vec_release(&names);
    return rc ? rc : az_key_work_add(doc, s->cand.by_recording);
}

static int filter(struct az_document *doc, struct az_sv input, const struct gate_parts *parts)
{
    struct az_vec_sv names;
    int rc = AZ_OK;

    az_vec_init(&names, NULL);
    for (size_t i = 0; !rc && i < parts->n; i++)
        if (az_sv_eq(parts->v[i].input, input))
            rc = az_vec_push(&names, parts->v[i].name);
    if (!rc)
        az_key_parts_filter(doc, &names);
    az_vec_release(&names);
    return rc;
}

/* The first step adds what could be a metric, the second leaves the metrics of either side. */
static int each_document(struct az_gate_step *s, bool first, struct gate_parts *parts)
{
    const bool one = is_one_input(s);
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < s->n_docs + s->files.n; i++) {
        struct az_saved_doc *file = i < s->n_docs ? NULL : s->files.v[i - s->n_docs];
        struct az_document *doc = file ? &file->doc : s->docs[i].doc;
        const struct az_sv group = file ? file->title : s->docs[i].group,
                           input = one                           ? AZ_SV("")
                                   : file || s->docs[i].baseline ? az_gate_input_of(s, group, false)
                                                                 : group;
        rc = first ? begin(s, doc, group, input, parts) : filter(doc, input, parts);
    }
    return rc;
}

int az_gate_add_metrics(struct az_gate_step *s)
{
    struct gate_parts parts;
    int rc = AZ_OK;

    if (!wants_key_figures(s))
        return AZ_OK;
    az_vec_init(&parts, NULL);
    rc = each_document(s, true, &parts);
    if (!rc)
        rc = each_document(s, false, &parts);
    az_vec_release(&parts);
    return rc;
}
