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

struct account_row {
    struct az_sv scope;
    struct az_claim_account a;
};
#define NS(header, field)                                                                          \
    {                                                                                              \
        header, AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct account_row, a.field)         \
    }
static const struct az_record_column account_columns[] = {
    { "Scope", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct account_row, scope) },
    NS("Span (ns)", span),
    NS("Computing (ns)", computing),
    NS("Exposed communication (ns)", exposed_communication),
    NS("Exposed copy (ns)", exposed_copy),
    NS("Idle (ns)", idle),
    NS("Communication (ns)", communication),
    NS("Copy (ns)", copy),
};

static void put_account(struct az_table *t, const char *scope, const struct az_claim_account *a)
{
    az_put_row(t, &(struct account_row){ az_sv_str(scope), *a });
}

/* A row per scope: the one that the verdict is about first; then the median step. */
static int account(struct az_document *doc, const struct az_claims *c)
{
    struct az_table *t =
        AZ_RECORD_TABLE(doc->arena, "account", scope_title(c->scope), 0, account_columns);
    const struct az_claim_account whole = sum_of(c);
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

struct trust_row {
    struct az_sv check, status;
    int64_t count, of, time_ns;
};
static const struct az_record_column trust_columns[] = {
    { "Check", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct trust_row, check) },
    { "Status", AZ_TEXT, AZ_FIELD(struct trust_row, status) },
    { "Count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct trust_row, count) },
    { "Of", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct trust_row, of) },
    { "Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_FIELD(struct trust_row, time_ns) },
};

static int trust(struct az_document *doc, const struct az_claims *c)
{
    struct az_table *t =
        AZ_RECORD_TABLE(doc->arena, "trust_checks", "Trust checks", 0, trust_columns);
    for (int i = 0; i < AZ_CHECKS; i++) {
        const struct az_check_result *r = &c->trust[i];
        az_put_row(t, &(struct trust_row){ az_sv_str(az_check_id((enum az_check)i)),
                                           az_sv_str(az_check_status_id(r->status)), r->count,
                                           r->of, r->time_ns });
    }
    return az_document_add(doc, t);
}

/* A fact is a number or a text. */
struct fact_row {
    const char *name;
    double value; /* NaN: a text */
    struct az_sv text;
};
static const struct az_record_column fact_columns[] = {
    { "Fact", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct fact_row, name) },
    { "Value", AZ_REAL, AZ_FIELD(struct fact_row, value) },
    { "Text", AZ_TEXT, AZ_KNOWN(struct fact_row, text), .copy = true },
};

static void put_fact(struct az_table *t, const char *name, struct az_sv text)
{
    if (text.n)
        az_put_row(t, &(struct fact_row){ name, NAN, text });
}

static void figure(struct az_table *t, const char *name, double value)
{
    if (!isnan(value))
        az_put_row(t, &(struct fact_row){ name, value, AZ_SV("") });
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

static int facts(struct az_document *doc, const struct az_claims *c)
{
    struct az_table *t =
        AZ_RECORD_TABLE(doc->arena, "verdict_facts", "Devices, ranks and steps", 0, fact_columns);
    figure(t, "devices", (double)c->devices.count);
    figure(t, "devices_counted", (double)(c->devices.count - (int64_t)c->devices.n_idle));
    figure(t, "kernels", c->kernels ? (double)c->kernels : NAN);
    figure(t, "kernel_ns", c->kernel_ns ? (double)c->kernel_ns : NAN);
    put_fact(t, "device_name", c->devices.name);
    put_fact(t, "device_peaks", c->devices.peaks);
    put_fact(t, "idle_devices", texts(doc->arena, c->devices.idle, c->devices.n_idle));
    figure(t, "world_size", c->ranks.world < 0 ? NAN : (double)c->ranks.world);
    put_fact(t, "ranks", numbers(doc->arena, c->ranks.present, c->ranks.n_present));
    put_fact(t, "missing_ranks", numbers(doc->arena, c->ranks.missing, c->ranks.n_missing));
    figure(t, "steps", c->steps.count ? (double)c->steps.count : NAN);
    figure(t, "step_period_ns",
           c->steps.period_ns < 0 || !c->steps.count ? NAN : (double)c->steps.period_ns);
    put_fact(t, "step_source", c->steps.source);
    put_fact(t, "first_step", c->steps.first);
    put_fact(t, "excluded_step", c->steps.n_excluded ? c->steps.excluded[0] : AZ_SV(""));
    figure(t, "flops_per_s", c->rates.flops_per_s);
    figure(t, "flops_known_share", c->rates.flops_known_share);
    figure(t, "mfu", c->rates.mfu);
    put_fact(t, "precision", c->rates.precision);
    for (size_t i = 0; i < c->n_findings; i++)
        if (c->findings[i].part_of < 0 && !c->findings[i].outside_scope) {
            put_fact(t, "first_finding", c->findings[i].rule);
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

/* ---- reading them back ---- */
bool az_claims_accounts(const struct az_document *doc, struct az_claim_account *scope,
                        struct az_claim_account *step)
{
    const struct az_table *t = az_document_table(doc, "account");
    for (size_t i = 0; t && i < t->rows; i++) {
        struct account_row r;
        AZ_RECORD_GET(t, i, account_columns, &r);
        if (az_sv_is(r.scope, "step"))
            *step = r.a;
        else if (i == 0)
            *scope = r.a;
    }
    return scope->span > 0;
}

static void read_check(const struct trust_row *r, struct az_check_result *to)
{
    for (int k = 0; k < AZ_CHECK_STATUSES; k++)
        if (az_sv_is(r->status, az_check_status_id((enum az_check_status)k)))
            to->status = (enum az_check_status)k;
    to->count = r->count;
    to->of = r->of;
    to->time_ns = r->time_ns;
}

void az_claims_trust(const struct az_document *doc, struct az_check_result trust[AZ_CHECKS])
{
    const struct az_table *t = az_document_table(doc, "trust_checks");
    for (size_t k = 0; t && k < t->rows; k++) {
        struct trust_row r;
        AZ_RECORD_GET(t, k, trust_columns, &r);
        for (int i = 0; i < AZ_CHECKS; i++)
            if (az_sv_is(r.check, az_check_id((enum az_check)i)))
                read_check(&r, &trust[i]);
    }
}

const struct az_cell *az_fact_cell(const struct az_document *d, const char *table, const char *fact,
                                   const char *column)
{
    static const struct az_cell none = { .type = AZ_EMPTY };
    const struct az_table *t = az_document_table(d, table);
    const ptrdiff_t name = t ? az_table_find(t, "Fact") : -1,
                    at = t ? az_table_find(t, column) : -1;
    for (size_t r = 0; name >= 0 && at >= 0 && r < t->rows; r++)
        if (az_sv_is(az_cell_text(az_table_at(t, r, (size_t)name)), fact))
            return az_table_at(t, r, (size_t)at);
    return &none;
}
