/* The step "gates": metrics of this run, baseline, verdict, reports, history. */
#include "run/gates.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/env.h"
#include "regression/key_figures.h"
#include "reports/list.h"
#include "run/internal.h"

/* ---- metrics ---- */

/* The selectors of the rules, and of the history. */
static int choose_figures(struct az_gate_step *s)
{
    const struct az_history_opts *h = &s->c->history;
    size_t n = 0;
    struct az_selector *rules =
        az_gate_selectors(s->c->gates.rules.v, s->c->gates.rules.n, &s->arena, &n);

    s->want = az_arena_array(&s->arena, n + 2, sizeof *s->want);
    if (!rules || !s->want)
        return az_arena_error(&s->arena);
    if (n)
        memcpy(s->want, rules, n * sizeof *rules);
    s->n_want = n;
    if (n) /* what a failure is put down to */
        s->want[s->n_want++] = (struct az_selector){
            .table = AZ_SV(AZ_KEY_WORK), .key = AZ_SV("*"), .column = AZ_SV("*"), .directed = true
        };
    if (h->path.n)
        s->want[s->n_want++] = (struct az_selector){ .table = h->tables,
                                                     .key = AZ_SV("*"),
                                                     .column = AZ_SV("*"),
                                                     .rows = (size_t)h->rows,
                                                     .directed = true };
    return AZ_OK;
}

static int gather(struct az_gate_step *s)
{
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < s->n_docs; i++) {
        const struct az_gate_doc *d = &s->docs[i];
        if (!d->baseline)
            rc = az_series_add(&s->cand, d->group, d->doc, NULL, s->want, s->n_want);
    }
    return rc ? rc : az_gate_collect_unreadable(s);
}

/* ---- reports ---- */

/* The Markdown goes after what other steps of the job wrote. */
static int step_summary(const struct az_document *doc, struct az_diag *diag)
{
    const char *path = az_env("GITHUB_STEP_SUMMARY");
    struct az_vec_char text;
    int rc;

    if (!path || !*path)
        return AZ_OK;
    az_vec_init(&text, NULL);
    rc = az_gate_verdict_markdown(doc, &text);
    if (!rc) {
        errno = 0;
        FILE *f = fopen(path, "a");
        bool ok = f && fwrite(text.v, 1, text.n, f) == text.n;
        if ((f && fclose(f)) || !ok)
            rc = az_diag_fail(diag, AZ_EIO, AZ_AT_FILE(az_sv_str(path)),
                              "cannot append the step summary: %s", strerror(errno ? errno : EIO));
    }
    az_vec_release(&text);
    return rc;
}

static int report(struct az_gate_step *s)
{
    struct az_document doc;
    const char *in_action = az_env("GITHUB_ACTIONS");
    const bool by_config = s->f->plan->steps[AZ_STEP_GATES].github,
               github = s->c->gates.given &&
                        (by_config || (in_action && az_sv_is(az_sv_str(in_action), "true")));
    int rc, failed = AZ_OK;

    az_document_init(&doc, &s->arena);
    rc = az_gate_verdict_document(&s->verdict, &doc);
    if (!rc)
        rc = az_gate_figures(s, &doc);
    if (!rc)
        failed = az_followup_report(s->f, AZ_STEP_GATES, &doc, s->diag);
    if (!rc && github)
        rc = az_gate_verdict_github(&doc, &s->f->annotations);
    if (!rc && github)
        rc = step_summary(&doc, s->diag);
    az_document_release(&doc);
    return rc ? rc : failed;
}

/* ---- history ---- */

static int store(struct az_gate_step *s, bool some_failed)
{
    struct az_history *h = NULL;
    int64_t id = 0;
    int rc;

    if (s->history_error)
        return s->history_error;
    if (!s->c->history.path.n || !s->c->history.store || s->cand.inputs.n == 0)
        return AZ_OK;
    /* metrics that failed are excluded from their own baselines only */
    s->run.good = !some_failed && az_gate_is_evidence(&s->verdict);
    rc = az_history_open(&h, s->c->history.path.p, AZ_HISTORY_WRITE, s->diag);
    if (!rc)
        rc = az_history_add(h, &s->run, &s->cand, s->c->gates.given ? &s->verdict : NULL, &id);
    az_history_close(h);
    if (!rc)
        az_log_line(s->f->log, AZ_LOG_VERBOSE, "history '%.*s': stored as run %lld%s",
                    AZ_SVF(s->c->history.path), (long long)id, s->run.good ? "" : ", bad");
    return rc;
}

/* ---- the step ---- */

static int judge(struct az_gate_step *s)
{
    struct az_gate_in in = { .rules = s->c->gates.rules.v,
                             .n_rules = s->c->gates.rules.n,
                             .by_recording = s->cand.by_recording,
                             .cand = &s->cand };
    int rc = AZ_OK;

    if (s->c->gates.given)
        rc = az_gate_find_baseline(s, &in);
    else
        in.base = &s->cand; /* nothing is compared, the verdict is empty */
    s->verdict.no_rules = !s->c->gates.given;
    if (in.base && s->c->gates.given) {
        s->verdict.base_id = s->base.id;
        s->verdict.base_label = s->base.label;
    }
    s->verdict.cand_label = s->cand.label;
    s->verdict.config = s->c->path;
    return rc ? rc : az_gate_run(&in, &s->verdict);
}

static int init_step(struct az_gate_step *s)
{
    struct az_series *all[] = { &s->cand, &s->base };
    int rc = AZ_OK;

    az_mem_init(&s->mem, 0);
    az_arena_init(&s->arena, &s->mem);
    az_vec_init(&s->files, NULL);
    az_gate_verdict_init(&s->verdict, &s->arena);
    for (size_t i = 0; i < AZ_LENGTH(all); i++) {
        int one = az_series_init(all[i], &s->arena);
        rc = rc ? rc : one;
    }
    s->cand.by_recording = s->base.by_recording = az_sv_is(s->c->gates.basis, "recording");
    const int past = az_metric_past_init(&s->past, &s->arena);
    return rc ? rc : past;
}

static void release(struct az_gate_step *s)
{
    az_gate_verdict_release(&s->verdict);
    az_series_release(&s->cand);
    az_series_release(&s->base);
    az_metric_past_release(&s->past);
    az_saved_release(&s->files);
    az_arena_release(&s->arena);
}

int az_step_gates(struct az_followup *f, struct az_diag *diag)
{
    struct az_gate_step s = { .f = f, .diag = diag, .c = f->plan->config };
    bool some_failed = false;
    int rc = init_step(&s), kept = AZ_OK, shown = AZ_OK;

    for (size_t i = 0; i < f->n; i++)
        some_failed |= f->outcomes[i].error != AZ_OK;
    if (!rc)
        rc = az_gate_collect_docs(&s);
    if (!rc)
        rc = az_gate_add_metrics(&s);
    if (!rc)
        rc = choose_figures(&s);
    if (!rc)
        rc = gather(&s);
    if (!rc && (f->plan->calibrate || f->plan->bisect)) {
        rc = f->plan->bisect ? az_gate_bisect(&s) : az_gate_calibrate(&s);
        release(&s);
        return rc;
    }
    if (!rc)
        rc = az_gate_describe_run(&s);
    if (!rc)
        rc = judge(&s);
    if (!rc) {
        f->gate_failed |= s.verdict.outcome == AZ_GATES_FAIL;
        f->failed |= s.verdict.outcome == AZ_GATES_INCONCLUSIVE;
        shown = report(&s);
        kept = az_interrupted() ? AZ_EINTR : store(&s, some_failed);
    }
    release(&s);
    return rc ? rc : shown ? shown : kept;
}
