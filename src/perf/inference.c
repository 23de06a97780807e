/* Attention of serving engines: lengths come from the engine's annotation of the step
 * (docs/formulas-models.md 11.9).
 */
#include "base/num.h"
#include "perf/model.h"

AZ_PERF_MODEL_FILE(inference)

/* Sums over the requests of a step: query lengths, key lengths, their products; of prompts (c) and
 * of generation (g).
 */
struct step {
    double c_sq, c_sk, c_sqsq, c_sqsk, g_sq, g_sk, g_sqsq, g_sqsk;
};

/* Number after `key` where the text in front of it is no word character. */
static bool number_at(struct az_sv text, const char *key, double *v)
{
    size_t n = strlen(key);
    for (size_t i = 0; i + n < text.n; i++) {
        if (memcmp(text.p + i, key, n) != 0 || text.p[i + n] < '0' || text.p[i + n] > '9')
            continue;
        if (i && (text.p[i - 1] == '_' || (text.p[i - 1] >= 'a' && text.p[i - 1] <= 'z')))
            continue;
        size_t end = i + n;
        while (end < text.n && text.p[end] >= '0' && text.p[end] <= '9')
            end++;
        return az_parse_f64(az_sv_make(text.p + i + n, end - i - n), v) == 0;
    }
    return false;
}

/* `(sq1sk2sqsq3sqsk4)`: the parts follow each other. */
static bool match_part(struct az_sv text, const char *word, double *sq, double *sk, double *sqsq,
                       double *sqsk)
{
    static const char *const key[] = { "sq", "sk", "sqsq", "sqsk" };
    double *out[] = { sq, sk, sqsq, sqsk };
    ptrdiff_t at = az_sv_find(text, az_sv_str(word));
    if (at < 0)
        return false;
    struct az_sv rest = az_sv_make(text.p + at, text.n - (size_t)at);
    ptrdiff_t open = az_sv_find(rest, AZ_SV("("));
    if (open < 0)
        return false;
    rest = az_sv_make(rest.p + open + 1, rest.n - (size_t)open - 1);
    for (int i = 0; i < 4; i++) {
        size_t n = strlen(key[i]), end = n;
        if (!az_sv_starts(rest, az_sv_str(key[i])))
            return false;
        while (end < rest.n && rest.p[end] >= '0' && rest.p[end] <= '9')
            end++;
        if (az_parse_f64(az_sv_make(rest.p + n, end - n), out[i]))
            return false;
        rest = az_sv_make(rest.p + end, rest.n - end);
    }
    return true;
}

static bool read_step(struct az_sv t, struct step *s)
{
    *s = (struct step){ 0 };
    if (az_sv_starts(t, AZ_SV("execute_")))
        return match_part(t, "_context_", &s->c_sq, &s->c_sk, &s->c_sqsq, &s->c_sqsk) &&
               match_part(t, "_generation_", &s->g_sq, &s->g_sk, &s->g_sqsq, &s->g_sqsk);
    if (az_sv_starts(t, AZ_SV("step["))) {
        bool c = number_at(t, "c_sq=", &s->c_sq) && number_at(t, "c_sk=", &s->c_sk) &&
                 number_at(t, "c_sqsq=", &s->c_sqsq) && number_at(t, "c_sqsk=", &s->c_sqsk);
        bool g = number_at(t, "g_sq=", &s->g_sq) && number_at(t, "g_sk=", &s->g_sk) &&
                 number_at(t, "g_sqsq=", &s->g_sqsq) && number_at(t, "g_sqsk=", &s->g_sqsk);
        return c || g;
    }
    if (az_sv_starts(t, AZ_SV("prefill[")))
        return number_at(t, "tok=", &s->c_sq) && number_at(t, "sk=", &s->c_sk) &&
               number_at(t, "sqsq=", &s->c_sqsq) && number_at(t, "sqsk=", &s->c_sqsk);
    if (az_sv_starts(t, AZ_SV("decode[")))
        return number_at(t, "tok=", &s->g_sq) && number_at(t, "sk=", &s->g_sk) &&
               number_at(t, "sqsq=", &s->g_sqsq) && number_at(t, "sqsk=", &s->g_sqsk);
    return false;
}

static bool known_step(struct az_perf_model *r, struct step *s)
{
    if (!read_step(r->call->annotation, s) || (s->c_sq == 0 && s->g_sq == 0))
        return az_perf_model_fail(r, "step annotation missing: key lengths unknown");
    return true;
}

/* Rows of queries and of keys (a paged cache: those of the step), heads and their sizes. */
struct heads {
    double n_q, of_q, n_kv, of_kv, d_qk, d_v;
};

/* q, kv: whose types are those of the queries and of the cache. All that the metrics depend on is a
 * parameter, so that rows of equal parameters are equal work. */
static bool result(struct az_perf_model *r, const struct step *s, double window,
                   const struct heads *h, const struct az_perf_arg *q, const struct az_perf_arg *kv)
{
    const double hq = h->of_q, hk = h->of_kv, dqk = h->d_qk, dv = h->d_v;
    const double bq = q->type->bytes, bkv = kv->type->bytes;
    double cap = window > 0 ? s->g_sq * window : INFINITY;
    double g_sqsk = s->g_sqsk < cap ? s->g_sqsk : cap, g_sk = s->g_sk < cap ? s->g_sk : cap,
           d = dqk + dv;
    az_perf_model_p_int(r, "B", 1); /* requests are packed */
    az_perf_model_p_int(r, "N_Q", h->n_q);
    az_perf_model_p_int(r, "H_Q", hq);
    az_perf_model_p_int(r, "H_V", hk);
    az_perf_model_p_int(r, "H_K", hk);
    az_perf_model_p_int(r, "N_KV", h->n_kv);
    az_perf_model_p_int(r, "H_KV", hk);
    az_perf_model_p_int(r, "d_h_qk", dqk);
    az_perf_model_p_int(r, "d_h_v", dv);
    az_perf_model_p_real(r, "dropout", 0);
    az_perf_model_p_bool(r, "causal",
                         false); /* the sums of the step include only attended tokens */
    az_perf_model_p_bool(r, "flash_impl", true);
    az_perf_model_p_int(r, "c_sq", s->c_sq);
    az_perf_model_p_int(r, "c_sk", s->c_sk);
    az_perf_model_p_int(r, "c_sqsq", s->c_sqsq);
    az_perf_model_p_int(r, "c_sqsk", s->c_sqsk);
    az_perf_model_p_int(r, "g_sq", s->g_sq);
    az_perf_model_p_int(r, "g_sk", g_sk);
    az_perf_model_p_int(r, "g_sqsq", s->g_sqsq);
    az_perf_model_p_int(r, "g_sqsk", g_sqsk);
    az_perf_model_p_text(r, "dtype_Q", q->type_name);
    az_perf_model_p_text(r, "dtype_KV", kv->type_name);
    return az_perf_model_done(r, hq * d * (2 * s->c_sqsk - s->c_sqsq + 2 * g_sqsk),
                              (s->c_sq + s->g_sq) * (hq + hk) * d * bq +
                                  (s->c_sk - s->c_sq + g_sk - s->g_sq) * hk * d * bkv);
}

/* Q=i [T,H,d]; K=i, its last three dims, or heads=last2: H_KV is the last but one; V=i: d_v from
 * it. */
AZ_PERF_MODEL(inference_attention)
{
    const struct az_perf_arg *q = az_perf_model_key(r, "Q", 0), *k = az_perf_model_key(r, "K", 1),
                             *v = az_perf_model_key(r, "V", -1);
    struct step s;
    if (q->nd < 3 || k->nd < 3)
        return az_perf_model_fail(r, "query and key do not have 3 dimensions");
    if (!known_step(r, &s))
        return false;
    az_perf_model_unit(r, "matrix", q->type);
    const bool paged = az_perf_model_at(r, "K", -1) >= 0;
    const struct heads h = { .n_q = az_perf_model_dim(q, -3),
                             .of_q = az_perf_model_dim(q, -2),
                             .n_kv = paged ? s.c_sk + s.g_sk : az_perf_model_dim(k, -3),
                             .of_kv = az_perf_model_dim(k, -2),
                             .d_qk = az_perf_model_dim(q, -1),
                             .d_v = az_perf_model_dim(v->nd ? v : k, -1) };
    return result(r, &s, 0, &h, q, k);
}

/* Decode over a paged cache: Q=i0, heads of the cache in cache=i [.., H, ..], window=i. */
AZ_PERF_MODEL(paged_decode)
{
    const struct az_perf_arg *q = az_perf_model_arg(r, 0),
                             *cache = az_perf_model_operand(r, "cache");
    struct step s;
    double w = 0;
    if (q->nd < 3 || cache->nd < 2)
        return az_perf_model_fail(r, "unsupported shape of query or cache");
    if (!known_step(r, &s))
        return false;
    s.c_sq = s.c_sk = s.c_sqsq = s.c_sqsk = 0;
    if (s.g_sq == 0)
        return az_perf_model_fail(r, "no generation in this step");
    if (az_perf_model_list(az_perf_model_operand(r, "window"), &w, 1) != 1)
        w = 0;
    az_perf_model_unit(r, "matrix", q->type);
    const struct heads h = { .n_q = az_perf_model_dim(q, -3),
                             .of_q = az_perf_model_dim(q, -2),
                             .n_kv = s.g_sk,
                             .of_kv = az_perf_model_dim(cache, 1),
                             .d_qk = az_perf_model_dim(q, -1),
                             .d_v = az_perf_model_dim(q, -1) };
    return result(r, &s, w, &h, q, cache);
}

/* One key head; how far a query sees by mode=swa|csa|hca, window=N, topk=N. */
AZ_PERF_MODEL(v4_decode)
{
    const struct az_perf_arg *q = az_perf_model_arg(r, 0), *k = az_perf_model_arg(r, 1);
    struct step s;
    double w = az_perf_model_fact(r, "window", az_perf_model_number(r, "window")),
           topk = az_perf_model_fact(r, "topk", az_perf_model_number(r, "topk"));
    if (q->nd < 3)
        return az_perf_model_fail(r, "query does not have 3 dimensions");
    if (!known_step(r, &s))
        return false;
    if (s.g_sq == 0)
        return az_perf_model_fail(r, "no generation in this step");
    double ctx = s.g_sk / s.g_sq;
    s.c_sq = s.c_sk = s.c_sqsq = s.c_sqsk = 0;
    if (az_perf_model_attr_is(r, "mode", "csa"))
        w += fmin(ceil(ctx / 4), topk);
    else if (az_perf_model_attr_is(r, "mode", "hca"))
        w += ceil(ctx / 128);
    az_perf_model_unit(r, "matrix", q->type);
    const struct heads h = { .n_q = az_perf_model_dim(q, -3),
                             .of_q = az_perf_model_dim(q, -2),
                             .n_kv = s.g_sk,
                             .of_kv = 1,
                             .d_qk = az_perf_model_dim(q, -1),
                             .d_v = az_perf_model_dim(q, -1) };
    return result(r, &s, w, &h, q, k->nd ? k : q);
}

/* Pairs are listed: i2 and i5. */
AZ_PERF_MODEL(sparse_prefill)
{
    const struct az_perf_arg *q = az_perf_model_arg(r, 0), *k = az_perf_model_arg(r, 1);
    if (q->nd != 3)
        return az_perf_model_fail(r, "query does not have 3 dimensions");
    double n = az_perf_model_dim(az_perf_model_arg(r, 2), 0) +
               az_perf_model_dim(az_perf_model_arg(r, 5), 0),
           h = az_perf_model_dim(q, 1), d = az_perf_model_dim(q, 2);
    if (n == 0)
        return az_perf_model_fail(r, "no pairs recorded");
    az_perf_model_unit(r, "matrix", q->type);
    az_perf_model_p_int(r, "pairs", n);
    az_perf_model_p_int(r, "H_Q", h);
    az_perf_model_p_int(r, "d_h_qk", d);
    return az_perf_model_done(r, n * h * 4 * d,
                              2 * az_perf_model_dim(q, 0) * h * d * q->type->bytes +
                                  n * d * (k->nd ? k->type->bytes : q->type->bytes));
}

/* Gated delta rule. */
AZ_PERF_MODEL(gdn)
{
    const struct az_perf_arg *qkv = az_perf_model_arg(r, 0), *b = az_perf_model_arg(r, 1),
                             *out = az_perf_model_arg(r, 3);
    struct step s;
    if (qkv->nd != 2 || b->nd < 2 || out->nd != 3)
        return az_perf_model_fail(r, "unsupported argument shapes");
    if (!known_step(r, &s))
        return false;
    double t = s.c_sq + s.g_sq, hv = az_perf_model_dim(b, 1), dv = az_perf_model_dim(out, 2),
           hk = hv / 2, dk = hk > 0 ? (az_perf_model_dim(qkv, 1) - hv * dv) / 2 / hk : 0;
    if (dk <= 0)
        return az_perf_model_fail(r, "unsupported argument shapes");
    az_perf_model_unit(r, "matrix", qkv->type);
    az_perf_model_p_int(r, "T", t);
    az_perf_model_p_int(r, "H_V", hv);
    az_perf_model_p_int(r, "d_k", dk);
    az_perf_model_p_int(r, "d_v", dv);
    return az_perf_model_done(r, 7 * t * hv * dv * dk, 2 * t * hv * (dk + 2 * dv + 2));
}
