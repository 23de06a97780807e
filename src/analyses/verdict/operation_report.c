/* Verdict of a report of operations, which has its own account, checks and findings. */
#include "analyses/op_report/totals.h"
#include "analyses/verdict/verdict.h"
#include "model/opreport.h"

static int report_findings(struct az_verdict *v, const struct az_op_report_totals *o)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < o->n_findings; i++) {
        const struct az_op_report_finding *f = &o->finding[i];
        rc = az_verdict_add(v, f->rule,
                            &(struct az_verdict_found){ .subject = f->subject,
                                                        .row = f->row,
                                                        .operation = f->operation,
                                                        .cause = f->cause,
                                                        .advice = f->advice,
                                                        .count = f->count,
                                                        .ns = f->ns,
                                                        .gain = f->gain,
                                                        .median = f->median,
                                                        .largest = f->largest });
    }
    return rc;
}

static int report_devices(struct az_verdict *v, const struct az_op_report_totals *o)
{
    struct az_verdict_part *p = v->part;
    p->device_accounts = az_arena_array(v->keep, o->n_devices + 1, sizeof *p->device_accounts);
    if (!p->device_accounts)
        return az_arena_error(v->keep);
    p->n_device_accounts = o->n_devices;
    for (size_t i = 0; i < o->n_devices; i++) {
        const struct az_op_report_device *d = &o->device[i];
        const struct az_verdict_other other = { d->before, d->after, d->step };
        p->device_accounts[i] =
            (struct az_verdict_device){ .device = d->device, .idle = d->idle, .a = d->a };
        if ((d->before.span || d->after.span || d->step.span) &&
            !az_verdict_set_other(v, &p->device_accounts[i], &other))
            return az_arena_error(v->keep);
    }
    az_verdict_sum_devices(p);
    return 0;
}

void az_verdict_operation_steps(const struct az_verdict *v)
{
    const struct az_op_report_totals *o = v->job->doc ? az_op_report_totals_of(v->job) : NULL;
    struct az_verdict_part *p = v->part;
    if (!o || !o->known || o->scope != AZ_SCOPE_WINDOW || p->steps == 0)
        return;
    p->steps = o->steps;
    p->excluded = p->excluded_phase = AZ_SV("");
    if (p->steps == 0)
        p->period = p->step_ns = -1;
}

int az_verdict_operation_report(struct az_verdict *v)
{
    const struct az_op_report_totals *o = v->job->doc ? az_op_report_totals_of(v->job) : NULL;
    struct az_verdict_part *p = v->part;
    if (!o || !o->known)
        return 0;
    for (int c = 0; c < AZ_CHECKS; c++)
        if (o->check[c].status != AZ_CHECK_NOT_APPLICABLE)
            p->check[c] = o->check[c];
    p->suspects = o->check[AZ_CHECK_IMPOSSIBLE_TIMES].count;
    p->suspect_ns = o->impossible_ns;
    p->after = az_verdict_copy_text(v, o->after_signpost);
    p->merged = o->merged;
    p->tables = az_verdict_copy_text(v, o->tables);
    p->scope = o->scope;
    p->operations = o->operations;
    p->device = az_verdict_copy_text(v, az_opreport(v->t)->arch);
    p->peaks = az_verdict_copy_text(v, az_sv_str(o->peaks));
    p->flops = o->flop;
    p->rated = o->rated;
    p->rateable = o->rateable;
    p->rated_kernels = o->rates;
    p->impossible_rates = o->impossible_rates;
    const int rc = report_devices(v, o);
    return rc ? rc : report_findings(v, o);
}
