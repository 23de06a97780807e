/* The history: what runs claim (document/change.h), so that a later run can be found comparable
 * with them, and which runs are of one series. */
#include <stddef.h>

#include "regression/history_db.h"

static const struct {
    const char *key;
    size_t at;
} numbers[] = {
#define SIDE(key, field)                                                                           \
    {                                                                                              \
        key, offsetof(struct az_change_side, field)                                                \
    }
#define ACCOUNT(key, field)                                                                        \
    SIDE(key ".span_ns", field.span), SIDE(key ".computing_ns", field.computing),                  \
        SIDE(key ".exposed_communication_ns", field.exposed_communication),                        \
        SIDE(key ".exposed_copy_ns", field.exposed_copy), SIDE(key ".idle_ns", field.idle),        \
        SIDE(key ".communication_ns", field.communication), SIDE(key ".copy_ns", field.copy)
    SIDE("steps", steps), SIDE("kernels", kernels), SIDE("devices", devices),
    ACCOUNT("account", whole), ACCOUNT("step", step)
#undef ACCOUNT
};
static const struct {
    const char *key;
    size_t at;
} texts[] = { SIDE("step_source", source), SIDE("device_name", device), SIDE("ranks", ranks),
              SIDE("missing_ranks", missing) };
static const struct {
    const char *key;
    size_t at;
} flags[] = { SIDE("known", known), SIDE("has_account", has_account),
              SIDE("has_steps", has_steps) };
#undef SIDE

static void *field(struct az_change_side *s, size_t at) { return (char *)s + at; }

/* ---- writing ---- */

struct putting {
    struct az_history *h;
    sqlite3_stmt *st;
    int64_t run;
    const struct az_series_claims *c;
};

/* One value; text.p NULL: the number. */
static int put_value(struct putting *p, const char *key, int64_t number, struct az_sv text)
{
    (void)sqlite3_bind_int64(p->st, 1, p->run);
    az_history_db_bind_text(p->st, 2, p->c->input);
    (void)sqlite3_bind_int64(p->st, 3, p->c->rep);
    az_history_db_bind_text(p->st, 4, az_sv_str(key));
    if (text.p)
        az_history_db_bind_text(p->st, 5, text);
    else
        (void)sqlite3_bind_int64(p->st, 5, number);
    const int rc = az_history_db_step(p->h, p->st);
    (void)sqlite3_reset(p->st);
    return rc < 0 ? rc : 0;
}

static int put_side(struct putting *p)
{
    struct az_change_side s = p->c->side;
    const struct az_sv none = { NULL, 0 };
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < AZ_LENGTH(flags); i++)
        rc = put_value(p, flags[i].key, *(bool *)field(&s, flags[i].at), none);
    for (size_t i = 0; !rc && i < AZ_LENGTH(numbers); i++)
        if (*(int64_t *)field(&s, numbers[i].at))
            rc = put_value(p, numbers[i].key, *(int64_t *)field(&s, numbers[i].at), none);
    for (size_t i = 0; !rc && i < AZ_LENGTH(texts); i++)
        if (((struct az_sv *)field(&s, texts[i].at))->n)
            rc = put_value(p, texts[i].key, 0, *(struct az_sv *)field(&s, texts[i].at));
    for (int i = 0; !rc && i < AZ_CHECKS; i++)
        if (s.trust[i].status != AZ_CHECK_NOT_APPLICABLE)
            rc = put_value(p, az_check_id((enum az_check)i), 0,
                           az_sv_str(az_check_status_id(s.trust[i].status)));
    return rc;
}

int az_history_db_put_claims(struct az_history *h, int64_t run, const struct az_series *s)
{
    struct putting p = { .h = h, .run = run };
    int rc = az_history_db_prepare(h, "INSERT OR REPLACE INTO claim VALUES(?,?,?,?,?)", &p.st);

    for (size_t i = 0; !rc && i < s->claims.n; i++) {
        p.c = &s->claims.v[i];
        if (p.c->claimed)
            rc = put_side(&p);
    }
    (void)sqlite3_finalize(p.st);
    return rc;
}

/* ---- reading ---- */

static void take_value(struct az_change_side *s, struct az_sv key, sqlite3_stmt *st,
                       struct az_arena *a)
{
    for (size_t i = 0; i < AZ_LENGTH(flags); i++)
        if (az_sv_is(key, flags[i].key))
            *(bool *)field(s, flags[i].at) = sqlite3_column_int64(st, 3) != 0;
    for (size_t i = 0; i < AZ_LENGTH(numbers); i++)
        if (az_sv_is(key, numbers[i].key))
            *(int64_t *)field(s, numbers[i].at) = sqlite3_column_int64(st, 3);
    for (size_t i = 0; i < AZ_LENGTH(texts); i++)
        if (az_sv_is(key, texts[i].key))
            *(struct az_sv *)field(s, texts[i].at) = az_history_db_text(st, 3, a);
    for (int i = 0; i < AZ_CHECKS; i++) {
        if (!az_sv_is(key, az_check_id((enum az_check)i)))
            continue;
        const struct az_sv status = az_history_db_text(st, 3, a);
        for (int k = 0; k < AZ_CHECK_STATUSES; k++)
            if (az_sv_is(status, az_check_status_id((enum az_check_status)k)))
                s->trust[i].status = (enum az_check_status)k;
    }
}

int az_history_db_load_claims(struct az_history *h, int64_t run, struct az_series *s)
{
    struct az_series_claims c = { .claimed = false };
    sqlite3_stmt *st;
    int rc;

    if (h->version < 4)
        return AZ_OK;
    rc = az_history_db_prepare(
        h, "SELECT input,rep,k,v FROM claim WHERE run_id=? ORDER BY input,rep,k", &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(h, st)) == 1) {
        const struct az_sv input = az_history_db_text(st, 0, s->arena);
        const uint32_t rep = (uint32_t)sqlite3_column_int64(st, 1);
        rc = AZ_OK;
        if (c.claimed && (rep != c.rep || !az_sv_eq(input, c.input)))
            rc = az_series_claim(s, &c);
        if (!c.claimed || rep != c.rep || !az_sv_eq(input, c.input))
            c = (struct az_series_claims){ .input = input, .rep = rep, .claimed = true };
        take_value(&c.side, az_history_db_text(st, 2, s->arena), st, s->arena);
        if (rc || s->arena->failed)
            break;
    }
    (void)sqlite3_finalize(st);
    rc = rc ? rc : s->arena->failed ? az_arena_error(s->arena) : AZ_OK;
    return rc || !c.claimed ? rc : az_series_claim(s, &c);
}

/* ---- series ---- */

/* Facts of which another value is another series. */
static const struct {
    const char *fact, *word;
} apart[] = {
    { "device", "" }, { "driver", "driver " }, { "runtime", "runtime " }, { "stack", "stack " }
};

static int read_pairs(struct az_history *h, const char *sql, int64_t run,
                      const struct az_series *cand, struct az_history_db_other *out)
{
    struct az_arena *a = cand->arena;
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, sql, &st);

    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(h, st)) == 1) {
        const struct az_sv input = az_history_db_text(st, 0, a), key = az_history_db_text(st, 1, a),
                           was = az_history_db_text(st, 2, a);
        for (size_t i = 0; !out->what && i < AZ_LENGTH(apart); i++) {
            const struct az_sv is = az_sv_is(key, apart[i].fact)
                                        ? az_series_get_fact(cand, input, apart[i].fact)
                                        : AZ_SV("");
            if (is.n && was.n && !az_sv_eq(is, was))
                *out = (struct az_history_db_other){
                    apart[i].fact, az_arena_printf(a, "%s%.*s", apart[i].word, AZ_SVF(was)),
                    az_arena_printf(a, "%s%.*s", apart[i].word, AZ_SVF(is))
                };
        }
    }
    (void)sqlite3_finalize(st);
    return rc ? rc : a->failed ? az_arena_error(a) : AZ_OK;
}

/* Is a run of an older version, whose sums are those of recordings, and are those of the candidate
 * per step? */
static int has_no_steps(struct az_history *h, int64_t run, const struct az_series *cand,
                        struct az_history_db_other *out)
{
    sqlite3_stmt *st;
    bool steps = false;
    int rc;

    for (size_t i = 0; i < cand->claims.n; i++)
        steps |= cand->claims.v[i].claimed && cand->claims.v[i].side.has_steps &&
                 cand->claims.v[i].side.steps * cand->claims.v[i].side.gpus > 1;
    if (!steps || cand->by_recording)
        return AZ_OK;
    rc = AZ_OK;
    int found = 0;
    if (h->version >= 4) {
        rc = az_history_db_prepare(h, "SELECT 1 FROM claim WHERE run_id=? LIMIT 1", &st);
        if (rc)
            return rc;
        (void)sqlite3_bind_int64(st, 1, run);
        found = az_history_db_step(h, st);
        (void)sqlite3_finalize(st);
    }
    if (found == 0)
        *out = (struct az_history_db_other){ "basis", AZ_SV("whole recordings (an older version)"),
                                             AZ_SV("steps") };
    return found < 0 ? found : rc;
}

int az_history_db_other_series(struct az_history *h, int64_t run, const struct az_series *cand,
                               struct az_history_db_other *out)
{
    int rc = AZ_OK;

    *out = (struct az_history_db_other){ .what = NULL };
    if (h->version >= 2)
        rc = read_pairs(h, "SELECT input,k,v FROM fact WHERE run_id=? ORDER BY input,k", run, cand,
                        out);
    if (!rc && !out->what)
        rc = has_no_steps(h, run, cand, out);
    return rc;
}

/* Does a run count its steps otherwise than the candidate does? Its metrics are no past of it. */
int az_history_db_other_steps(struct az_history *h, int64_t run, const struct az_series *cand,
                              bool *other)
{
    struct az_series one;
    int rc = az_series_init(&one, cand->arena);

    *other = false;
    if (!rc)
        rc = az_history_db_load_claims(h, run, &one);
    for (size_t i = 0; !rc && !cand->by_recording && i < one.claims.n; i++) {
        const struct az_series_claims *was = &one.claims.v[i],
                                      *is = az_series_claims_of(cand, was->input);
        *other |= is && is->claimed &&
                  (is->side.has_steps != was->side.has_steps ||
                   (is->side.has_steps && !az_sv_eq(is->side.source, was->side.source)));
    }
    az_series_release(&one);
    return rc;
}
