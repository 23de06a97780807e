/* Scaled dot product attention over recorded shapes (docs/formulas-models.md 7). Softmax is not
 * counted. */
#include "perf/model.h"

AZ_PERF_MODEL_FILE(attention)

struct sdpa {
    double b, nq, hq, nk, hk, dqk, dv, size;
    bool causal, flash, bottom;
};

/* Pairs of query and key that see each other. */
static double pairs(const struct sdpa *s, double nq, double nk)
{
    if (!s->causal)
        return nq * nk;
    if (nq == nk)
        return nq * nk / 2;
    if (s->bottom) /* the last query sees all keys */
        return nk > nq ? nq * (nk - nq) + nq * (nq + 1) / 2 : nk * (nk + 1) / 2;
    return nq <= nk ? nq * (nq + 1) / 2 : nk * (nk + 1) / 2 + (nq - nk) * nk;
}

static double forward(const struct sdpa *s, double nq, double nk)
{
    return s->b * s->hq * 2 * pairs(s, nq, nk) * (s->dqk + s->dv);
}

static double backward(const struct sdpa *s, double nq, double nk)
{
    double products = (s->flash ? s->dqk : 0) + 2 * s->dv + 2 * s->dqk;
    double reduce = s->hk > 0 ? s->b * nk * (s->dqk + s->dv) * (s->hq / s->hk - 1)
                              : 0; /* gradients of shared heads are added */
    return s->b * s->hq * 2 * pairs(s, nq, nk) * products +
           (s->causal && nq == nk ? reduce / 2 : reduce);
}

static double forward_bytes(const struct sdpa *s)
{
    return s->b * (s->nq * s->hq + s->nk * s->hk) * (s->dqk + s->dv) * s->size;
}

static double backward_bytes(const struct sdpa *s)
{
    return s->b * (s->nq * s->hq * (2 * s->dqk + s->dv) + 2 * s->nk * s->hk * (s->dqk + s->dv)) *
           s->size;
}

static void p_sdpa(struct az_perf_model *r, const struct sdpa *s, const struct az_perf_arg *q,
                   const struct az_perf_arg *k)
{
    double dropout = 0;
    az_perf_model_p_int(r, "B", s->b);
    az_perf_model_p_int(r, "N_Q", s->nq);
    az_perf_model_p_int(r, "H_Q", s->hq);
    az_perf_model_p_int(r, "N_KV", s->nk);
    az_perf_model_p_int(r, "H_KV", s->hk);
    az_perf_model_p_int(r, "d_h_qk", s->dqk);
    az_perf_model_p_int(r, "d_h_v", s->dv);
    az_perf_model_p_real(
        r, "dropout",
        az_perf_model_list(az_perf_model_key(r, "dropout", -1), &dropout, 1) == 1 ? dropout : 0);
    az_perf_model_p_bool(r, "causal", s->causal);
    az_perf_model_p_bool(r, "flash_impl", s->flash);
    az_perf_model_p_types(r, "dtype_A_B", q, k, NULL);
    az_perf_model_unit(r, "matrix", q->type);
}

static void flags(struct az_perf_model *r, struct sdpa *s, const struct az_perf_arg *q)
{
    s->causal = az_perf_model_true(az_perf_model_key(r, "causal", -1));
    s->flash = az_perf_model_at(r, "flash", 0);
    s->bottom = az_perf_model_attr_is(r, "align", "bottom");
    s->size = q->type->bytes;
}

/* Q=i K=i V=i order=BHND|BNHD causal=i dropout=i flash=1 kind=bwd align=bottom. */
AZ_PERF_MODEL(sdpa)
{
    int first = az_perf_model_at(r, "Q", 0), h = az_perf_model_attr_is(r, "order", "BNHD") ? 2 : 1,
        n = 3 - h;
    const struct az_perf_arg *q = az_perf_model_arg(r, first), *k = az_perf_model_arg(r, first + 1),
                             *v = az_perf_model_arg(r, first + 2);
    struct sdpa s = { 0 };
    if (q->nd != 4 || k->nd != 4 || v->nd != 4)
        return az_perf_model_fail(r, "query, key and value do not have 4 dimensions");
    s = (struct sdpa){ .b = az_perf_model_dim(q, 0),
                       .nq = az_perf_model_dim(q, n),
                       .hq = az_perf_model_dim(q, h),
                       .nk = az_perf_model_dim(k, n),
                       .hk = az_perf_model_dim(k, h),
                       .dqk = az_perf_model_dim(q, 3),
                       .dv = az_perf_model_dim(v, 3) };
    if (az_perf_model_dim(k, 0) != s.b || az_perf_model_dim(v, 0) != s.b ||
        az_perf_model_dim(v, n) != s.nk || az_perf_model_dim(v, h) != s.hk ||
        az_perf_model_dim(k, 3) != s.dqk)
        return az_perf_model_fail(r, "query, key and value shapes do not match");
    flags(r, &s, q);
    p_sdpa(r, &s, q, k);
    if (az_perf_model_attr_is(r, "kind", "bwd"))
        return az_perf_model_done(r, backward(&s, s.nq, s.nk), backward_bytes(&s));
    r->out->bwd_flops = backward(&s, s.nq, s.nk);
    r->out->bwd_bytes = backward_bytes(&s);
    return az_perf_model_done(r, forward(&s, s.nq, s.nk), forward_bytes(&s));
}

/* Packed sequences [T,H,D]: lengths are not recorded. One sequence of the largest length, the
 * others equal: a lower bound. seqs=i: cumulative lengths of queries, keys at i+1; longest=i: of
 * queries, keys at i+1. */
AZ_PERF_MODEL(sdpa_varlen)
{
    int first = az_perf_model_at(r, "Q", 0), seqs = az_perf_model_number(r, "seqs"),
        longest = az_perf_model_number(r, "longest");
    const struct az_perf_arg *q = az_perf_model_arg(r, first), *k = az_perf_model_arg(r, first + 1),
                             *v = az_perf_model_arg(r, first + 2);
    int64_t mq, mk;
    if (q->nd != 3 || k->nd != 3 || v->nd != 3 ||
        az_perf_model_dim(k, 0) != az_perf_model_dim(v, 0) ||
        az_perf_model_dim(q, 2) != az_perf_model_dim(k, 2))
        return az_perf_model_fail(r, "query, key and value shapes do not match");
    if (!az_perf_model_int(az_perf_model_arg(r, longest), &mq) ||
        !az_perf_model_int(az_perf_model_arg(r, longest + 1), &mk))
        return az_perf_model_fail(r, "maximum sequence length not recorded");
    struct sdpa s = { .b = 1,
                      .nq = az_perf_model_dim(q, 0),
                      .hq = az_perf_model_dim(q, 1),
                      .nk = az_perf_model_dim(k, 0),
                      .hk = az_perf_model_dim(k, 1),
                      .dqk = az_perf_model_dim(q, 2),
                      .dv = az_perf_model_dim(v, 2) };
    double n = az_perf_model_dim(az_perf_model_arg(r, seqs), 0) - 1,
           nk = az_perf_model_dim(az_perf_model_arg(r, seqs + 1), 0) - 1;
    if (n < 1 || nk < 1)
        return az_perf_model_fail(r, "sequence lengths not recorded");
    flags(r, &s, q);
    p_sdpa(r, &s, q, k);
    az_perf_model_p_int(r, "num_seqs", n);
    az_perf_model_p_int(r, "max_seqlen", (double)mq);
    double rest_q = n > 1 ? floor((s.nq - (double)mq) / (n - 1)) : 0,
           rest_k = nk > 1 ? floor((s.nk - (double)mk) / (nk - 1)) : 0;
    double f = forward(&s, (double)mq, (double)mk) + (n - 1) * forward(&s, rest_q, rest_k);
    double b = backward(&s, (double)mq, (double)mk) + (n - 1) * backward(&s, rest_q, rest_k);
    r->out->assumed = n > 1;
    if (az_perf_model_attr_is(r, "kind", "bwd"))
        return az_perf_model_done(r, b, backward_bytes(&s));
    r->out->bwd_flops = b;
    r->out->bwd_bytes = backward_bytes(&s);
    return az_perf_model_done(r, f, forward_bytes(&s));
}

/* Query [B,S,N,H,D] alone is recorded with its shape. */
AZ_PERF_MODEL(evoformer)
{
    const struct az_perf_arg *q = az_perf_model_arg(r, 0);
    if (q->nd != 5)
        return az_perf_model_fail(r, "query does not have 5 dimensions");
    struct sdpa s = { .b = az_perf_model_dim(q, 0) * az_perf_model_dim(q, 1),
                      .nq = az_perf_model_dim(q, 2),
                      .hq = az_perf_model_dim(q, 3),
                      .nk = az_perf_model_dim(q, 2),
                      .hk = az_perf_model_dim(q, 3),
                      .dqk = az_perf_model_dim(q, 4),
                      .dv = az_perf_model_dim(q, 4),
                      .size = q->type->bytes };
    p_sdpa(r, &s, q, az_perf_model_arg(r, 1));
    r->out->bwd_flops = backward(&s, s.nq, s.nk);
    r->out->bwd_bytes = backward_bytes(&s);
    return az_perf_model_done(r, forward(&s, s.nq, s.nk), forward_bytes(&s));
}
