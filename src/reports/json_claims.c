/* The object `verdict` of a JSON report but for its lines: schemas/verdict.schema.json. */
#include "reports/json_claims.h"

#include <math.h>

#include "base/num.h"
#include "reports/shared/fields.h"

struct writer {
    struct az_jsonw *w;
    struct az_arena *scratch;
};

static void integer(struct writer *j, const char *key, int64_t v)
{
    az_jsonw_key(j->w, key);
    az_jsonw_i64(j->w, v);
}

/* Null where the value is not known. */
static void integer_or_null(struct writer *j, const char *key, int64_t v, bool known)
{
    az_jsonw_key(j->w, key);
    if (known)
        az_jsonw_i64(j->w, v);
    else
        az_jsonw_null(j->w);
}

static void put_real(struct writer *j, const char *key, double v)
{
    az_jsonw_key(j->w, key);
    if (isnan(v))
        az_jsonw_null(j->w);
    else
        az_jsonw_f64(j->w, v);
}

static void text_value(struct writer *j, struct az_sv s)
{
    az_jsonw_text(j->w, az_field_text(j->scratch, s));
}

static void put_text(struct writer *j, const char *key, struct az_sv s)
{
    az_jsonw_key(j->w, key);
    if (s.n)
        text_value(j, s);
    else
        az_jsonw_null(j->w);
}

static void boolean(struct writer *j, const char *key, bool v)
{
    az_jsonw_key(j->w, key);
    az_jsonw_bool(j->w, v);
}

static void begin(struct writer *j, const char *key)
{
    az_jsonw_key(j->w, key);
    az_jsonw_compact(j->w, true);
    az_jsonw_object(j->w);
}

static void end_object(struct writer *j)
{
    az_jsonw_end_object(j->w);
    az_jsonw_compact(j->w, false);
}

static void integers(struct writer *j, const char *key, const int64_t *v, size_t n)
{
    az_jsonw_key(j->w, key);
    az_jsonw_array(j->w);
    for (size_t i = 0; i < n; i++)
        az_jsonw_i64(j->w, v[i]);
    az_jsonw_end_array(j->w);
}

/* An ID that is a number is written as one; "RANK:ID" as text. */
static void device_ids(struct writer *j, const char *key, const struct az_sv *v, size_t n)
{
    az_jsonw_key(j->w, key);
    az_jsonw_array(j->w);
    for (size_t i = 0; i < n; i++) {
        int64_t id;
        if (az_parse_i64(v[i], &id) == 0)
            az_jsonw_i64(j->w, id);
        else
            text_value(j, v[i]);
    }
    az_jsonw_end_array(j->w);
}

static void devices(struct writer *j, const struct az_claims *c)
{
    begin(j, "devices");
    integer(j, "count", c->devices.count);
    device_ids(j, "idle", c->devices.idle, c->devices.n_idle);
    put_text(j, "name", c->devices.name);
    put_text(j, "peaks", c->devices.peaks);
    end_object(j);
    begin(j, "ranks");
    integers(j, "present", c->ranks.present, c->ranks.n_present);
    integer_or_null(j, "world", c->ranks.world, c->ranks.world >= 0);
    integers(j, "missing", c->ranks.missing, c->ranks.n_missing);
    end_object(j);
}

static void account(struct writer *j, const struct az_claims *c)
{
    const struct az_claim_account *a = &c->account;
    if (!c->has_account) {
        put_text(j, "account", AZ_SV(""));
        return;
    }
    begin(j, "account");
    put_text(j, "scope", az_sv_str(az_account_scope_id(c->scope)));
    integer(j, "span_ns", a->span);
    integer(j, "computing_ns", a->computing);
    integer(j, "exposed_communication_ns", a->exposed_communication);
    integer(j, "exposed_copy_ns", a->exposed_copy);
    integer(j, "idle_ns", a->idle);
    integer(j, "communication_ns", a->communication);
    integer(j, "copy_ns", a->copy);
    az_jsonw_key(j->w, "qualified_by");
    az_jsonw_array(j->w);
    for (int i = 0; i < AZ_CHECKS; i++)
        if (c->qualified_by & 1u << i)
            text_value(j, az_sv_str(az_check_id((enum az_check)i)));
    az_jsonw_end_array(j->w);
    end_object(j);
}

static void steps(struct writer *j, const struct az_claims *c)
{
    begin(j, "outside");
    integer(j, "before_ns", c->before.span);
    integer(j, "after_ns", c->after.span);
    end_object(j);
    if (c->steps.count == 0) {
        put_text(j, "steps", AZ_SV(""));
        return;
    }
    begin(j, "steps");
    integer(j, "count", c->steps.count);
    integer_or_null(j, "period_ns", c->steps.period_ns, c->steps.period_ns >= 0);
    put_text(j, "source", c->steps.source);
    put_text(j, "first", c->steps.first);
    az_jsonw_key(j->w, "excluded");
    az_jsonw_array(j->w);
    for (size_t i = 0; i < c->steps.n_excluded; i++)
        text_value(j, c->steps.excluded[i]);
    az_jsonw_end_array(j->w);
    end_object(j);
}

static void rates(struct writer *j, const struct az_claims *c)
{
    begin(j, "rates");
    put_real(j, "flops_per_s", c->rates.flops_per_s);
    put_real(j, "flops_known_share", c->rates.flops_known_share);
    put_real(j, "mfu", c->rates.mfu);
    put_text(j, "precision", c->rates.precision);
    end_object(j);
    begin(j, "host");
    integer(j, "operator_ns", c->host.operator_ns);
    integer(j, "threads", c->host.threads);
    end_object(j);
}

static void finding(struct writer *j, const struct az_claim *f)
{
    az_jsonw_compact(j->w, true);
    az_jsonw_object(j->w);
    put_text(j, "rule", f->rule);
    integer_or_null(j, "saving_ns", f->saving_ns, f->saving_ns >= 0);
    put_real(j, "share", f->share);
    integer_or_null(j, "count", f->count, f->count >= 0);
    integer_or_null(j, "rank", f->rank, f->rank != AZ_NO_RANK);
    integers(j, "ranks", f->ranks, f->n_ranks);
    integer_or_null(j, "device", f->device, f->device != AZ_NO_RANK);
    put_text(j, "group", f->group);
    integer_or_null(j, "groups", f->groups, f->groups >= 0);
    const char *cause = az_cause_id(f->cause), *advice = az_advice_id(f->advice);
    put_text(j, "cause", az_sv_str(cause ? cause : ""));
    put_text(j, "call", f->call);
    put_text(j, "range", f->range);
    put_text(j, "frame", f->frame);
    put_text(j, "operation", f->operation);
    integer_or_null(j, "part_of", f->part_of, f->part_of >= 0);
    boolean(j, "outside_scope", f->outside_scope);
    put_text(j, "advice", az_sv_str(advice ? advice : ""));
    az_jsonw_key(j->w, "evidence");
    az_jsonw_object(j->w);
    put_text(j, "table", f->table);
    put_text(j, "row", f->row);
    az_jsonw_end_object(j->w);
    az_jsonw_end_object(j->w);
    az_jsonw_compact(j->w, false);
}

static void trust(struct writer *j, const struct az_claims *c)
{
    az_jsonw_key(j->w, "trust");
    az_jsonw_array(j->w);
    for (int i = 0; i < AZ_CHECKS; i++) {
        const struct az_check_result *r = &c->trust[i];
        az_jsonw_compact(j->w, true);
        az_jsonw_object(j->w);
        put_text(j, "check", az_sv_str(az_check_id((enum az_check)i)));
        put_text(j, "status", az_sv_str(az_check_status_id(r->status)));
        integer(j, "count", r->count);
        integer(j, "of", r->of);
        integer(j, "time_ns", r->time_ns);
        az_jsonw_end_object(j->w);
        az_jsonw_compact(j->w, false);
    }
    az_jsonw_end_array(j->w);
}

void az_json_claims(struct az_jsonw *w, const struct az_claims *c, struct az_arena *scratch)
{
    struct writer j = { w, scratch };
    devices(&j, c);
    account(&j, c);
    steps(&j, c);
    rates(&j, c);
    az_jsonw_key(w, "findings");
    az_jsonw_array(w);
    for (size_t i = 0; i < c->n_findings; i++)
        finding(&j, &c->findings[i]);
    az_jsonw_end_array(w);
    trust(&j, c);
}

void az_json_change(struct az_jsonw *w, const struct az_change *c, struct az_arena *scratch)
{
    struct writer j = { w, scratch };
    const char *reason = az_change_reason_id(c->reason);
    az_jsonw_compact(w, true);
    az_jsonw_object(w);
    put_text(&j, "input", c->input);
    put_text(&j, "basis", az_sv_str(c->per_step ? "step" : "recording"));
    boolean(&j, "comparable", c->comparable);
    put_text(&j, "reason", az_sv_str(reason ? reason : ""));
    integer_or_null(&j, "a_ns", c->a_ns, c->a_ns > 0);
    integer_or_null(&j, "b_ns", c->b_ns, c->b_ns > 0);
    put_real(&j, "share", c->share);
    integer_or_null(&j, "a_steps", c->a_steps, c->a_steps > 0);
    integer_or_null(&j, "b_steps", c->b_steps, c->b_steps > 0);
    put_real(&j, "unmatched_share", c->unmatched_share);
    az_jsonw_key(w, "parts");
    az_jsonw_array(w);
    for (size_t i = 0; c->has_parts && i < AZ_CHANGE_PARTS; i++) {
        az_jsonw_object(w);
        put_text(&j, "part", az_sv_str(az_change_part_id(i)));
        integer(&j, "a_ns", c->part[i][0]);
        integer(&j, "b_ns", c->part[i][1]);
        az_jsonw_end_object(w);
    }
    az_jsonw_end_array(w);
    az_jsonw_end_object(w);
    az_jsonw_compact(w, false);
}
