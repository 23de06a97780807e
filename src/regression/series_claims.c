/* What the runs of a series claim. */
#include "regression/series.h"

int az_series_claim(struct az_series *s, const struct az_series_claims *c)
{
    struct az_series_claims own = *c;
    struct az_sv *const text[] = { &own.input, &own.side.source, &own.side.device, &own.side.ranks,
                                   &own.side.missing };
    for (size_t i = 0; i < AZ_LENGTH(text); i++)
        *text[i] = az_arena_dup(s->arena, *text[i]);
    if (s->arena->failed)
        return az_arena_error(s->arena);
    az_vec_init(&own.steps, s->arena->mem);
    int rc = AZ_OK;
    for (size_t i = 0; !rc && i < c->steps.n; i++)
        rc = az_vec_push(&own.steps, c->steps.v[i]);
    if (!rc)
        rc = az_vec_push(&s->claims, own);
    if (rc)
        az_vec_release(&own.steps);
    return rc;
}

const struct az_series_claims *az_series_claims_of(const struct az_series *s, struct az_sv input)
{
    for (size_t i = 0; i < s->claims.n; i++)
        if (az_sv_eq(s->claims.v[i].input, input))
            return &s->claims.v[i];
    return NULL;
}
