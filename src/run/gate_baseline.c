/* Where the baseline of a run's gates comes from: an input of the run, results of an earlier one,
 * the history. */
#include <time.h>

#include "base/env.h"
#include "base/num.h"
#include "document/ranks_timeline.h"
#include "run/baseline_load.h"
#include "run/gates.h"
#include "run/internal.h"

/* ---- documents ---- */

static bool named_baseline(const struct az_gate_step *s, struct az_sv title, struct az_sv group)
{
    struct az_sv b = s->c->gates.baseline;
    return s->c->gates.given && b.n && (az_sv_eq(b, title) || az_sv_eq(b, group));
}

/* The name under which runs of an input are one. */
static struct az_sv group_of(const struct az_outcome *o)
{
    return o->job->input->run_group.n ? o->job->input->run_group : o->title;
}

static void take_outcome(struct az_gate_step *s, struct az_outcome *o)
{
    const struct az_input *in = o->job->input;
    bool named = named_baseline(s, o->title, in->run_group);
    s->docs[s->n_docs++] =
        (struct az_gate_doc){ .title = o->title,
                              .group = group_of(o),
                              .doc = &o->doc,
                              .labels = &in->opts.labels,
                              .baseline = named || in->baseline,
                              .for_all = named ||
                                         (in->baseline && az_sv_is(in->run_group, AZ_GATE_ALONE)) };
}

static bool is_baseline(const struct az_gate_step *s, const struct az_outcome *o)
{
    return o->job->input->baseline || named_baseline(s, o->title, o->job->input->run_group);
}

/* Is the baseline among the inputs, be it that they failed? */
static bool names_input(const struct az_gate_step *s)
{
    for (size_t i = 0; i < s->n_docs; i++)
        if (s->docs[i].baseline)
            return true;
    for (size_t i = 0; i < s->f->n; i++)
        if (is_baseline(s, &s->f->outcomes[i]))
            return true;
    return false;
}

static bool names_run(struct az_sv b)
{
    return az_sv_is(b, "last") || az_sv_is(b, "last-good") || az_sv_is(b, AZ_HISTORY_LEVEL) ||
           az_sv_starts(b, AZ_SV("pinned:")) || az_sv_is(b, "window") ||
           az_sv_starts(b, AZ_SV("window:"));
}

/* Results of an earlier run that gates.baseline names: read before metrics are chosen, which are
 * those of either side. An error is from_files's. */
static void load_files(struct az_gate_step *s)
{
    const struct az_sv b = s->c->gates.baseline;
    const bool compares = s->c->gates.given && !s->f->plan->bisect && !s->f->plan->calibrate;

    if (compares && b.n && !names_run(b) && !names_input(s))
        s->files_error = az_saved_collect(b.p, &s->files, s->diag);
}

int az_gate_collect_docs(struct az_gate_step *s)
{
    int rc = AZ_OK;

    const struct az_saved_list *saved = s->f->plan->saved;
    s->docs = az_arena_array(&s->arena, s->f->n + (saved ? saved->n : 0), sizeof *s->docs);
    if (!s->docs)
        return az_arena_error(&s->arena);
    for (size_t i = 0; !rc && i < s->f->n; i++) {
        struct az_outcome *o = &s->f->outcomes[i];
        if (!o->reportable || o->error)
            continue;
        if (o->job->saved == AZ_SAVED_TABLES || o->job->saved == AZ_SAVED_BOOK)
            az_saved_guess(&o->doc);
        rc = az_ranks_timeline_add(&o->doc);
        take_outcome(s, o);
    }
    for (size_t i = 0; saved && i < saved->n; i++) {
        struct az_saved_doc *d = saved->v[i];
        rc = rc ? rc : az_ranks_timeline_add(&d->doc);
        s->docs[s->n_docs++] = (struct az_gate_doc){ .title = d->title,
                                                     .group = d->title,
                                                     .doc = &d->doc,
                                                     .baseline = d->baseline,
                                                     .for_all = d->only && d->baseline };
    }
    /* `analyzer gate BASE CAND...`: what comes alone is a repeated run of the first candidate */
    struct az_sv first = AZ_SV("");
    for (size_t i = 0; i < s->n_docs && !first.n; i++)
        if (!s->docs[i].baseline)
            first = s->docs[i].title;
    for (size_t i = 0; saved && i < saved->n; i++)
        if (saved->v[i]->only)
            s->docs[s->n_docs - saved->n + i].group = first;
    for (size_t i = 0; saved && i < s->n_docs - saved->n; i++)
        if (az_sv_is(s->docs[i].group, AZ_GATE_ALONE))
            s->docs[i].group = first;
    load_files(s);
    return rc;
}

int az_gate_collect_unreadable(struct az_gate_step *s)
{
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < s->f->n; i++) {
        const struct az_outcome *o = &s->f->outcomes[i];
        struct az_series_claims c = { .claimed = true, .unreadable = true };
        if (o->reportable && !o->error)
            continue;
        az_change_side_of(NULL, &c.side);
        c.input = group_of(o);
        if (!is_baseline(s, o) && az_sv_is(c.input, AZ_GATE_ALONE))
            c.input = s->cand.inputs.n ? s->cand.inputs.v[0] : o->title;
        if (!is_baseline(s, o))
            rc = az_series_claim(&s->cand, &c);
        else if (o->job->input->run_group.n && !az_sv_is(c.input, AZ_GATE_ALONE))
            rc = az_series_claim(&s->base, &c);
        for (size_t k = 0;
             !rc && is_baseline(s, o) && az_sv_is(c.input, AZ_GATE_ALONE) && k < s->cand.inputs.n;
             k++) {
            c.input = s->cand.inputs.v[k];
            rc = az_series_claim(&s->base, &c);
        }
    }
    return rc;
}

/* ---- what this run is ---- */

/* A label of the history's own, else of the configuration (any input's; the first counts). */
static struct az_sv label(const struct az_gate_step *s, const char *key)
{
    const struct az_labels *own = &s->c->history_labels;
    for (size_t i = 0; i < own->n; i++)
        if (az_sv_is(own->v[i].key, key))
            return own->v[i].value;
    for (size_t k = 0; k < s->n_docs; k++) {
        const struct az_labels *l = s->docs[k].labels;
        for (size_t i = 0; l && !s->docs[k].baseline && i < l->n; i++)
            if (az_sv_is(l->v[i].key, key))
                return l->v[i].value;
    }
    return AZ_SV("");
}

/* Time of the run: its label, else SOURCE_DATE_EPOCH; -1: neither. They were checked before the
 * run. */
static int64_t find_time(const struct az_gate_step *s)
{
    struct az_sv text = label(s, "created");
    const char *epoch = az_env("SOURCE_DATE_EPOCH");
    int64_t time;
    return az_history_time(text.n ? text : az_sv_str(epoch), &time) ? time : -1;
}

static int check_labels(const struct az_labels *l, struct az_where at, struct az_diag *diag)
{
    int64_t time;
    int rc = AZ_OK;
    for (size_t i = 0; i < l->n; i++)
        if (az_sv_is(l->v[i].key, "created") && l->v[i].value.n &&
            !az_history_time(l->v[i].value, &time))
            rc = az_diag_fail(
                diag, AZ_ECONFIG, at,
                "invalid label created '%.*s'; use 2026-01-31, 2026-01-31T02:00:00Z or seconds",
                AZ_SVF(l->v[i].value));
    return rc;
}

int az_labels_check(const struct az_config *c, struct az_diag *diag)
{
    int rc = check_labels(&c->history_labels, c->history.where, diag);

    for (size_t i = 0; !rc && i < c->inputs.n; i++)
        rc = check_labels(&c->inputs.v[i].opts.labels, c->inputs.v[i].where, diag);
    return rc;
}

int az_gates_check(struct az_diag *diag)
{
    const char *epoch = az_env("SOURCE_DATE_EPOCH");
    int64_t time;
    int rc = AZ_OK;

    if (epoch && *epoch && !az_history_time(az_sv_str(epoch), &time))
        rc = az_diag_fail(diag, AZ_ECONFIG, AZ_NOWHERE, "invalid SOURCE_DATE_EPOCH '%s'", epoch);
    return rc;
}

static struct az_sv all_devices(struct az_gate_step *s)
{
    struct az_sv out = AZ_SV("");
    for (size_t i = 0; i < s->cand.inputs.n; i++) {
        struct az_sv one = az_series_get_fact(&s->cand, s->cand.inputs.v[i], "device");
        if (one.n && az_sv_find(out, one) < 0)
            out = out.n ? az_arena_printf(&s->arena, "%.*s, %.*s", AZ_SVF(out), AZ_SVF(one)) : one;
    }
    return out;
}

int az_gate_describe_run(struct az_gate_step *s)
{
    struct az_history_run *r = &s->run;
    char hex[33] = "";
    uint64_t size;

    s->verdict.created = find_time(s);
    r->created = az_history_time_text(&s->arena, s->verdict.created >= 0 ? s->verdict.created
                                                                         : (int64_t)time(NULL));
    r->label = label(s, "label");
    r->commit = label(s, "commit");
    r->branch = label(s, "branch");
    r->host = label(s, "host");
    r->stack = label(s, "stack");
    r->device = all_devices(s);
    if (!r->stack.n && s->n_docs)
        r->stack = s->docs[0].doc->format;
    if (s->c->path.n && az_file_digest(s->c->path.p, hex, &size) == 0)
        r->config_hash = az_arena_dup(&s->arena, az_sv_str(hex));
    s->cand.label = r->label.n ? r->label : r->commit;
    int rc = AZ_OK;
    for (size_t i = 0; !rc && label(s, "stack").n && i < s->cand.inputs.n; i++)
        rc = az_series_fact(&s->cand, s->cand.inputs.v[i], AZ_SV("stack"), r->stack);
    if (rc)
        return rc;
    return s->arena.failed ? az_arena_error(&s->arena) : AZ_OK;
}

/* ---- kinds of baseline ---- */

/* A document of the candidate with the same tables, for what CSV tables do not have. */
static const struct az_document *like_of(const struct az_gate_step *s, struct az_sv group)
{
    for (size_t i = 0; i < s->n_docs; i++)
        if (!s->docs[i].baseline && az_sv_eq(s->docs[i].group, group))
            return s->docs[i].doc;
    return NULL;
}

static int add_base(struct az_gate_step *s, struct az_sv group, const struct az_document *doc)
{
    return az_series_add(&s->base, group, doc, like_of(s, group), s->want, s->n_want);
}

/* Documents of this run that are the baseline. */
static int from_docs(struct az_gate_step *s, struct az_gate_in *in)
{
    struct az_sv name = AZ_SV("");
    size_t n = 0;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < s->n_docs; i++) {
        const struct az_gate_doc *d = &s->docs[i];
        if (!d->baseline)
            continue;
        name = n++ ? name : d->title;
        for (size_t k = 0; !rc && d->for_all && k < s->cand.inputs.n; k++)
            rc = add_base(s, s->cand.inputs.v[k], d->doc);
        if (!rc && !d->for_all)
            rc = add_base(s, az_gate_input_of(s, d->group, false), d->doc);
    }
    s->base.label = s->c->gates.baseline.n ? s->c->gates.baseline : name;
    in->base = n ? &s->base : NULL;
    in->no_base = AZ_SV("no baseline: its input could not be read");
    return rc;
}

/* Results of an earlier run, read from files. */
static int from_files(struct az_gate_step *s, struct az_gate_in *in)
{
    const struct az_saved_list *l = &s->files;
    struct az_sv path = s->c->gates.baseline;
    int rc = s->files_error;

    for (size_t i = 0; !rc && i < l->n; i++)
        rc = add_base(s, az_gate_input_of(s, l->v[i]->title, l->n == 1), &l->v[i]->doc);
    if (rc) { /* reported already; the gates that need none go on */
        in->no_base = az_arena_printf(&s->arena, "no baseline: '%.*s' could not be read",
                                      AZ_SVF(az_path_base(path)));
    } else {
        const bool folder = az_path_stat(path.p).kind == AZ_PATH_DIR;
        s->base.label = az_arena_dup(&s->arena, folder ? az_path_base(path) : az_saved_name(path));
        in->base = &s->base;
    }
    return rc == AZ_ENOMEM || rc == AZ_ELIMIT || rc == AZ_EINTERNAL ? rc : AZ_OK;
}

/* The first nights: nothing can be tested, nothing is wrong, and this run is stored for later ones.
 */
static int first_night(struct az_gate_step *s, struct az_gate_in *in)
{
    const char *few = az_sv_starts(s->c->gates.baseline, AZ_SV("window")) ? "enough runs" : "a run";

    if (!s->c->history.store || az_sv_starts(s->c->gates.baseline, AZ_SV("pinned:")))
        return AZ_OK;
    in->first = true;
    in->no_base = az_arena_printf(&s->arena,
                                  "no gate result yet: the history '%.*s' has no %s to "
                                  "compare with; this one is stored for the next",
                                  AZ_SVF(az_path_base(s->c->history.path)), few);
    return in->no_base.p ? AZ_OK : az_arena_error(&s->arena);
}

/* No run is of this series yet: another device is compared with the newest run, and found not
 * comparable; another driver or framework is a new beginning. */
static int first_of_series(struct az_gate_step *s, struct az_history *h, struct az_gate_in *in)
{
    struct az_history_series x;
    struct az_history_run other;
    int rc = az_history_find_series(h, &s->run, &s->cand, &x);

    if (rc || !x.text.n)
        return rc ? rc : first_night(s, in);
    in->series = x.text;
    if (x.device && s->c->gates.given) {
        rc = az_history_load(h, x.newest, &other, &s->base);
        s->base.id = az_arena_printf(&s->arena, "%lld", (long long)x.newest);
        s->base.label = az_arena_printf(&s->arena, "run %lld of %.*s", (long long)x.newest,
                                        AZ_SVF(other.created));
        in->base = &s->base;
        return rc ? rc : s->arena.failed ? az_arena_error(&s->arena) : AZ_OK;
    }
    rc = first_night(s, in);
    if (!rc && in->first)
        in->no_base = az_arena_printf(
            &s->arena, "no gate result yet: %.*s; it is stored for the next", AZ_SVF(x.text));
    return rc ? rc : s->arena.failed ? az_arena_error(&s->arena) : AZ_OK;
}

static int from_history(struct az_gate_step *s, struct az_history *h, struct az_gate_in *in)
{
    bool found = false, young = false;
    int rc = az_history_baseline(h, s->c->gates.baseline, &s->run, &s->cand, &s->base, &found,
                                 &in->no_base);
    if (!rc && found)
        in->base = &s->base;
    if (!rc && !found)
        rc = az_history_is_young(h, s->c->gates.baseline, &s->run, &s->cand, &young);
    return rc || !young ? rc : first_of_series(s, h, in);
}

/* Earlier nights: noise where no test is possible, levels and slow drift. */
static int look_back(struct az_gate_step *s, struct az_history *h, struct az_gate_in *in)
{
    size_t others = 0;
    int rc = az_history_past(h, &s->run, 0, &s->cand, &s->past, &others);

    if (rc)
        return rc;
    in->past = &s->past;
    in->drift_rel = s->c->history.drift_rel;
    in->drift_days = s->c->history.drift_days;
    in->hold = s->c->history.accept_after;
    in->by_level = az_sv_is(s->c->gates.baseline, AZ_HISTORY_LEVEL) && s->past.runs.n > 0;
    return AZ_OK;
}

/* A database that another run is just making is as good as none: AZ_EEMPTY without a message. */
static int open_history(struct az_gate_step *s, struct az_history **h)
{
    struct az_diag diag;
    int rc;

    az_diag_init(&diag);
    rc = az_history_open(h, s->c->history.path.p, AZ_HISTORY_READ, &diag);
    for (size_t i = 0; rc && rc != AZ_EEMPTY && i < diag.list.n; i++)
        az_diag_add(s->diag, AZ_ERROR, AZ_NOWHERE, "%.*s", AZ_SVF(diag.list.v[i].text));
    az_diag_release(&diag);
    if (!rc)
        az_history_messages(*h, s->diag);
    return rc;
}

static int with_history(struct az_gate_step *s, struct az_gate_in *in)
{
    struct az_history *h = NULL;
    struct az_sv path = s->c->history.path;
    int rc;

    if (az_path_stat(path.p).kind == AZ_PATH_MISSING) {
        if (names_run(s->c->gates.baseline))
            in->no_base = az_arena_printf(&s->arena, "no baseline: the history '%.*s' is empty",
                                          AZ_SVF(az_path_base(path)));
        return names_run(s->c->gates.baseline) ? first_night(s, in) : AZ_OK;
    }
    rc = open_history(s, &h);
    if (rc == AZ_EEMPTY) {
        in->no_base = AZ_SV("no baseline: the history is empty");
        return names_run(s->c->gates.baseline) ? first_night(s, in) : AZ_OK;
    }
    if (!rc && names_run(s->c->gates.baseline))
        rc = from_history(s, h, in);
    if (!rc)
        rc = look_back(s, h, in);
    az_history_close(h);
    if (!rc || rc == AZ_ENOMEM || rc == AZ_ELIMIT || rc == AZ_EINTERNAL)
        return rc;
    s->history_error = rc; /* reported already; the gates that need none of it go on, and reports
                              have what there is */
    if (!in->base)
        in->no_base =
            az_arena_printf(&s->arena, "no baseline: the history '%.*s' could not be read",
                            AZ_SVF(az_path_base(path)));
    return in->no_base.p ? AZ_OK : az_arena_error(&s->arena);
}

bool az_gates_lack_baseline(const struct az_config *c)
{
    const struct az_sv b = c->gates.baseline;

    if (!c->gates.given || !b.n || names_run(b) || memchr(b.p, '*', b.n) || memchr(b.p, '?', b.n))
        return false;
    for (size_t i = 0; i < c->inputs.n; i++)
        if (az_sv_eq(c->inputs.v[i].title, b) || az_sv_eq(c->inputs.v[i].run_group, b))
            return false;
    return az_path_stat(b.p).kind == AZ_PATH_MISSING;
}

int az_gate_find_baseline(struct az_gate_step *s, struct az_gate_in *in)
{
    struct az_sv b = s->c->gates.baseline;
    int rc = AZ_OK;

    in->no_base = AZ_SV("no baseline; set gates.baseline, or use a history");
    if (names_input(s))
        rc = from_docs(s, in);
    else if (b.n && !names_run(b))
        rc = from_files(s, in);
    if (!rc && s->c->history.path.n)
        rc = with_history(s, in);
    return rc;
}
