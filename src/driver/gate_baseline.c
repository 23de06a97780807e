/* Where the baseline of a run's gates comes from: an input of the run, results of an earlier one, the history. */
#include <stdlib.h>
#include <time.h>

#include "base/num.h"
#include "driver/gates.h"
#include "driver/internal.h"

#define NOISE_RUNS 30

struct az_sv az_gate_group(const struct az_outcome *o)
{
    return o->job->input->run_group.n ? o->job->input->run_group : o->title;
}

bool az_gate_is_baseline(const struct az_gate_step *s, const struct az_outcome *o)
{
    struct az_sv b = s->c->gates.baseline;
    return s->c->gates.given && b.n && (az_sv_eq(b, o->title) || az_sv_eq(b, o->job->input->run_group));
}

/* ---- what this run is ---- */

/* A label of the history's own, else of the configuration (any input's; the first counts). */
static struct az_sv label(const struct az_gate_step *s, const char *key)
{
    const struct az_labels *own = &s->c->history_labels;
    for (size_t i = 0; i < own->n; i++)
        if (az_sv_is(own->v[i].key, key))
            return own->v[i].value;
    for (size_t k = 0; k < s->f->n; k++) {
        const struct az_labels *l = &s->f->outcomes[k].job->input->opts.labels;
        for (size_t i = 0; i < l->n; i++)
            if (az_sv_is(l->v[i].key, key))
                return l->v[i].value;
    }
    return AZ_SV("");
}

/* Time of the run: its label, else SOURCE_DATE_EPOCH; -1: neither. */
static int find_time(struct az_gate_step *s, int64_t *out)
{
    struct az_sv text = label(s, "created");
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    *out = -1;
    if (text.n && !az_history_time(text, out))
        return az_diag_fail(s->diag, AZ_ECONFIG, s->c->history.where,
                            "label 'created': '%.*s' is no time (2026-01-31, 2026-01-31T02:00:00Z or seconds)",
                            AZ_SVF(text));
    if (!text.n && epoch && *epoch && !az_history_time(az_sv_str(epoch), out))
        return az_diag_fail(s->diag, AZ_ECONFIG, AZ_NOWHERE, "SOURCE_DATE_EPOCH: '%s' is no time", epoch);
    return AZ_OK;
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
    int rc = find_time(s, &s->verdict.created);

    if (rc)
        return rc;
    r->created = az_history_time_text(&s->arena, s->verdict.created >= 0 ? s->verdict.created : (int64_t)time(NULL));
    r->label = label(s, "label");
    r->commit = label(s, "commit");
    r->branch = label(s, "branch");
    r->host = label(s, "host");
    r->stack = label(s, "stack");
    r->device = all_devices(s);
    if (!r->stack.n && s->f->n)
        r->stack = s->f->outcomes[0].doc.format;
    if (s->c->path.n && az_file_digest(s->c->path.p, hex, &size) == 0)
        r->config_hash = az_arena_dup(&s->arena, az_sv_str(hex));
    s->cand.label = r->label.n ? r->label : r->commit;
    return s->arena.failed ? az_arena_error(&s->arena) : AZ_OK;
}

/* ---- kinds of baseline ---- */

/* The named inputs stand for every input of the candidate. */
static int from_inputs(struct az_gate_step *s, struct az_gate_in *in)
{
    bool any = false;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < s->f->n; i++) {
        const struct az_outcome *o = &s->f->outcomes[i];
        if (!az_gate_is_baseline(s, o) || !o->reportable || o->error)
            continue;
        any = true;
        for (size_t k = 0; !rc && k < s->cand.inputs.n; k++)
            rc = az_series_add(&s->base, s->cand.inputs.v[k], &o->doc, NULL, s->want, s->n_want);
    }
    s->base.label = s->c->gates.baseline;
    if (any)
        in->base = &s->base;
    else
        in->no_base =
            az_arena_printf(&s->arena, "no baseline: the input '%.*s' could not be read", AZ_SVF(s->c->gates.baseline));
    return rc;
}

static bool names_input(const struct az_gate_step *s)
{
    for (size_t i = 0; i < s->f->n; i++)
        if (az_gate_is_baseline(s, &s->f->outcomes[i]))
            return true;
    return false;
}

static bool names_run(struct az_sv b)
{
    return az_sv_is(b, "last") || az_sv_is(b, "last-good") || az_sv_starts(b, AZ_SV("pinned:")) ||
           az_sv_is(b, "window") || az_sv_starts(b, AZ_SV("window:"));
}

static int from_history(struct az_gate_step *s, struct az_history *h, struct az_gate_in *in)
{
    bool found = false;
    int rc = az_history_baseline(h, s->c->gates.baseline, &s->run, &s->base, &found, &in->no_base);
    if (!rc && found)
        in->base = &s->base;
    return rc;
}

/* Earlier runs: noise where no test is possible, and slow drift. */
static int look_back(struct az_gate_step *s, struct az_history *h, struct az_gate_in *in)
{
    bool found = false;
    int rc = az_history_noise(h, &s->run, NOISE_RUNS, &s->noise);

    if (!rc)
        in->noise = &s->noise;
    if (!rc && s->c->history.drift_rel > 0)
        rc = az_history_drift(h, &s->run, s->c->history.drift_days, &s->drift, &found, &in->drift_text);
    if (!rc && found) {
        in->drift = &s->drift;
        in->drift_rel = s->c->history.drift_rel;
    }
    return rc;
}

static int with_history(struct az_gate_step *s, struct az_gate_in *in)
{
    struct az_history *h = NULL;
    struct az_sv path = s->c->history.path;
    int rc;

    if (az_path_stat(path.p).kind == AZ_PATH_MISSING) {
        if (names_run(s->c->gates.baseline))
            in->no_base =
                az_arena_printf(&s->arena, "no baseline: the history '%.*s' is empty", AZ_SVF(az_path_base(path)));
        return AZ_OK;
    }
    rc = az_history_open(&h, path.p, AZ_HISTORY_READ, s->diag);
    if (!rc && names_run(s->c->gates.baseline))
        rc = from_history(s, h, in);
    if (!rc)
        rc = look_back(s, h, in);
    az_history_close(h);
    return rc;
}

int az_gate_find_baseline(struct az_gate_step *s, struct az_gate_in *in)
{
    struct az_sv b = s->c->gates.baseline;
    int rc = AZ_OK;

    in->no_base = AZ_SV("no baseline (give gates.baseline, or a history)");
    if (names_input(s))
        rc = from_inputs(s, in);
    else if (b.n && !names_run(b))
        rc = az_gate_load_baseline(s, in);
    if (!rc && s->c->history.path.n)
        rc = with_history(s, in);
    return rc;
}
