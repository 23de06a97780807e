/* The verdict's data as tables: for CSV, SQL, workbooks, and for comparisons of saved results. */
#include <math.h>
#include <stdio.h>

#include "document/claims.h"
#include "document/record.h"

#define DIGITS 20 /* of a 64-bit number with its sign */

static const char *scope_title(enum az_account_scope s)
{
    return s == AZ_SCOPE_STEPS    ? "Device time in the steps"
           : s == AZ_SCOPE_WINDOW ? "Device time in the window"
                                  : "Device time";
}

static void put_account(struct az_table *t, const char *scope, const struct az_claim_account *a)
{
    az_put_text(t, az_sv_str(scope));
    az_put_i64(t, a->span);
    az_put_i64(t, a->computing);
    az_put_i64(t, a->exposed_communication);
    az_put_i64(t, a->exposed_copy);
    az_put_i64(t, a->idle);
    az_put_i64(t, a->communication);
    az_put_i64(t, a->copy);
}

static struct az_claim_account sum_of(const struct az_claims *c)
{
    struct az_claim_account a = c->account;
    const struct az_claim_account *more[] = { &c->before, &c->after };
    for (size_t i = 0; i < 2; i++) {
        a.span += more[i]->span;
        a.computing += more[i]->computing;
        a.exposed_communication += more[i]->exposed_communication;
        a.exposed_copy += more[i]->exposed_copy;
        a.idle += more[i]->idle;
        a.communication += more[i]->communication;
        a.copy += more[i]->copy;
    }
    return a;
}

static const struct az_record_column account_columns[] = {
    { "Scope", AZ_TEXT, .flags = AZ_KEY },
    { "Span (ns)", AZ_INT, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Computing (ns)", AZ_INT, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Exposed communication (ns)", AZ_INT, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Exposed copy (ns)", AZ_INT, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Idle (ns)", AZ_INT, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Communication (ns)", AZ_INT, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
    { "Copy (ns)", AZ_INT, AZ_UNIT_NS, .flags = AZ_LOWER_BETTER },
};

/* A row per scope: the one that the verdict is about first; then the median step. */
static int account(struct az_document *doc, const struct az_claims *c)
{
    struct az_table *t = az_table_new(doc->arena, "account", scope_title(c->scope), 0);
    const struct az_claim_account whole = sum_of(c);
    if (!t)
        return az_arena_error(doc->arena);
    az_record_columns(t, account_columns, AZ_LENGTH(account_columns));
    if (c->has_account)
        put_account(t, az_account_scope_id(c->scope), &c->account);
    if (c->step.span > 0)
        put_account(t, "step", &c->step);
    if (c->has_account && c->scope != AZ_SCOPE_RECORDING) {
        put_account(t, "before", &c->before);
        put_account(t, "after", &c->after);
        put_account(t, "recording", &whole);
    }
    return az_document_add(doc, t);
}

static const struct az_record_column trust_checks_columns[] = {
    { "Check", AZ_TEXT, .flags = AZ_KEY },       { "Status", .type = AZ_TEXT },
    { "Count", AZ_INT, .unit = AZ_UNIT_COUNT },  { "Of", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "Time (ns)", AZ_INT, .unit = AZ_UNIT_NS },
};

static int trust(struct az_document *doc, const struct az_claims *c)
{
    struct az_table *t = az_table_new(doc->arena, "trust_checks", "Trust checks", 0);
    if (!t)
        return az_arena_error(doc->arena);
    az_record_columns(t, trust_checks_columns, AZ_LENGTH(trust_checks_columns));
    for (int i = 0; i < AZ_CHECKS; i++) {
        const struct az_check_result *r = &c->trust[i];
        az_put_text(t, az_sv_str(az_check_id((enum az_check)i)));
        az_put_text(t, az_sv_str(az_check_status_id(r->status)));
        az_put_i64(t, r->count);
        az_put_i64(t, r->of);
        az_put_i64(t, r->time_ns);
    }
    return az_document_add(doc, t);
}

static void fact(struct az_table *t, const char *name, struct az_sv text)
{
    if (text.n == 0)
        return;
    az_put_text(t, az_sv_str(name));
    az_put_empty(t);
    az_put_copy(t, text);
}

static void figure(struct az_table *t, const char *name, double value)
{
    if (isnan(value))
        return;
    az_put_text(t, az_sv_str(name));
    az_put_f64(t, value);
    az_put_empty(t);
}

/* "0 1 2". One buffer: lists of ranks are long. */
static struct az_sv numbers(struct az_arena *a, const int64_t *v, size_t n)
{
    const size_t room = n * (DIGITS + 1) + 1;
    char *to = n ? az_arena_alloc(a, room) : NULL;
    size_t used = 0;
    for (size_t i = 0; to && i < n; i++)
        used += (size_t)snprintf(to + used, room - used, i ? " %lld" : "%lld", (long long)v[i]);
    return to ? az_sv_make(to, used) : AZ_SV("");
}

/* "0:1 0:2" */
static struct az_sv texts(struct az_arena *a, const struct az_sv *v, size_t n)
{
    size_t room = 1, used = 0;
    for (size_t i = 0; i < n; i++)
        room += v[i].n + 1;
    char *to = n ? az_arena_alloc(a, room) : NULL;
    for (size_t i = 0; to && i < n; i++)
        used += (size_t)snprintf(to + used, room - used, "%s%.*s", i ? " " : "", AZ_SVF(v[i]));
    return to ? az_sv_make(to, used) : AZ_SV("");
}

static const struct az_record_column verdict_facts_columns[] = {
    { "Fact", AZ_TEXT, .flags = AZ_KEY },
    { "Value", .type = AZ_REAL },
    { "Text", .type = AZ_TEXT },
};

static int facts(struct az_document *doc, const struct az_claims *c)
{
    struct az_table *t = az_table_new(doc->arena, "verdict_facts", "Devices, ranks and steps", 0);
    if (!t)
        return az_arena_error(doc->arena);
    az_record_columns(t, verdict_facts_columns, AZ_LENGTH(verdict_facts_columns));
    figure(t, "devices", (double)c->devices.count);
    figure(t, "devices_counted", (double)(c->devices.count - (int64_t)c->devices.n_idle));
    figure(t, "kernels", c->kernels ? (double)c->kernels : NAN);
    figure(t, "kernel_ns", c->kernel_ns ? (double)c->kernel_ns : NAN);
    fact(t, "device_name", c->devices.name);
    fact(t, "device_peaks", c->devices.peaks);
    fact(t, "idle_devices", texts(doc->arena, c->devices.idle, c->devices.n_idle));
    figure(t, "world_size", c->ranks.world < 0 ? NAN : (double)c->ranks.world);
    fact(t, "ranks", numbers(doc->arena, c->ranks.present, c->ranks.n_present));
    fact(t, "missing_ranks", numbers(doc->arena, c->ranks.missing, c->ranks.n_missing));
    figure(t, "steps", c->steps.count ? (double)c->steps.count : NAN);
    figure(t, "step_period_ns",
           c->steps.period_ns < 0 || !c->steps.count ? NAN : (double)c->steps.period_ns);
    fact(t, "step_source", c->steps.source);
    fact(t, "first_step", c->steps.first);
    fact(t, "excluded_step", c->steps.n_excluded ? c->steps.excluded[0] : AZ_SV(""));
    figure(t, "flops_per_s", c->rates.flops_per_s);
    figure(t, "flops_known_share", c->rates.flops_known_share);
    figure(t, "mfu", c->rates.mfu);
    fact(t, "precision", c->rates.precision);
    for (size_t i = 0; i < c->n_findings; i++)
        if (c->findings[i].part_of < 0 && !c->findings[i].outside_scope) {
            fact(t, "first_finding", c->findings[i].rule);
            break;
        }
    figure(t, "operator_ns", c->host.operator_ns ? (double)c->host.operator_ns : NAN);
    figure(t, "operator_threads", c->host.threads ? (double)c->host.threads : NAN);
    return az_document_add(doc, t);
}

int az_claims_tables(struct az_document *doc, const struct az_claims *c)
{
    int rc = account(doc, c);
    if (rc == 0)
        rc = trust(doc, c);
    return rc ? rc : facts(doc, c);
}
