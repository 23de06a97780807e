/* Texts of HLO instructions: the JSON of a library's matrix product, the attributes of
 * fused attention. */
#include "base/num.h"
#include "formats/xplane/xplane.h"
#include "text/jsonscan.h"

/* ["1", "2"]: decimal numbers as strings, or plain. */
static int string_numbers(struct az_trace *t, struct az_sv raw, struct az_hlo_dims *out)
{
    struct az_jview list;
    struct az_sv item;
    size_t n = 0;
    *out = (struct az_hlo_dims){ 0 };
    if (!az_jview_array(&list, raw))
        return AZ_OK;
    while (az_jview_next(&list, &item))
        n++;
    out->v = az_arena_array(&t->arena, n + 1, sizeof *out->v);
    if (!out->v)
        return az_arena_error(&t->arena);
    (void)az_jview_array(&list, raw);
    while (out->n < n && az_jview_next(&list, &item)) {
        if (item.n >= 2 && item.p[0] == '"')
            item = az_sv_make(item.p + 1, item.n - 2);
        if (az_parse_i64(item, &out->v[out->n]) == 0)
            out->n++;
    }
    return AZ_OK;
}

static int dimension_numbers(struct az_trace *t, struct az_sv raw, struct az_hlo_dot *dot)
{
    struct az_jview object;
    struct az_sv key, value;
    int rc = AZ_OK;
    if (!az_jview_object(&object, raw))
        return AZ_OK;
    while (rc == 0 && az_jview_member(&object, &key, &value)) {
        struct az_hlo_dims *list = az_sv_is(key, "lhs_contracting_dimensions") ? &dot->lhs_contract
                                   : az_sv_is(key, "rhs_contracting_dimensions")
                                       ? &dot->rhs_contract
                                   : az_sv_is(key, "lhs_batch_dimensions") ? &dot->lhs_batch
                                   : az_sv_is(key, "rhs_batch_dimensions") ? &dot->rhs_batch
                                                                           : NULL;
        if (list)
            rc = string_numbers(t, value, list);
    }
    return rc;
}

static int gemm_members(struct az_trace *t, struct az_sv raw, struct az_hlo_op *op,
                        struct az_hlo_dot *dot)
{
    struct az_jview object;
    struct az_sv key, value;
    int rc = AZ_OK;
    if (!az_jview_object(&object, raw))
        return AZ_OK;
    while (rc == 0 && az_jview_member(&object, &key, &value)) {
        if (az_sv_is(key, "dot_dimension_numbers")) {
            rc = dimension_numbers(t, value, dot);
        } else if (az_sv_is(key, "beta")) {
            if (az_parse_f64(value, &op->beta) != 0)
                op->beta = 0;
        } else if (az_sv_is(key, "epilogue") && value.n >= 2) {
            op->epilogue = az_arena_dup(&t->arena, az_sv_make(value.p + 1, value.n - 2));
        }
    }
    return rc;
}

int az_xplane_gemm_config(struct az_trace *t, struct az_sv json, struct az_hlo_op *op,
                          struct az_hlo_dot *dot)
{
    struct az_jview object;
    struct az_sv key, value;
    if (!az_jview_object(&object, json))
        return AZ_OK;
    while (az_jview_member(&object, &key, &value))
        if (az_sv_is(key, "gemm_backend_config"))
            return gemm_members(t, value, op, dot);
    return gemm_members(t, json, op, dot); /* some versions write the inner object alone */
}

/* Value of `key = value` in `{a = 16 : i64, mask_type = "causal", ...}`, up to the comma, type or
 * brace. */
static struct az_sv attribute(struct az_sv text, const char *key)
{
    const struct az_sv k = az_sv_str(key);
    while (text.n) {
        const ptrdiff_t at = az_sv_find(text, k);
        if (at < 0)
            break;
        const bool whole = at == 0 || memchr(" ,{\n\t", text.p[at - 1], 5);
        struct az_sv rest = az_sv_make(text.p + at + k.n, text.n - (size_t)at - k.n);
        text = rest;
        rest = az_sv_trim(rest);
        if (!whole || rest.n == 0 || rest.p[0] != '=')
            continue;
        size_t n = 1;
        while (n < rest.n && !memchr(",:}", rest.p[n], 3))
            n++;
        rest = az_sv_trim(az_sv_make(rest.p + 1, n - 1));
        if (rest.n >= 2 && rest.p[0] == '"')
            rest = az_sv_make(rest.p + 1, rest.n - 2);
        return rest;
    }
    return (struct az_sv){ "", 0 };
}

static int64_t number(struct az_sv text, const char *key)
{
    int64_t v;
    return az_parse_i64(attribute(text, key), &v) == 0 && v >= 0 ? v : -1;
}

/* Without attributes the first three operands are Q, K, V as [batch, length, heads, dimension]. */
static void from_operands(struct az_hlo_op *op)
{
    if (op->n_operands < 3 || op->operands[0].n_dims != 4 || op->operands[1].n_dims != 4 ||
        op->operands[2].n_dims != 4)
        return;
    const int64_t *q = op->operands[0].dims, *k = op->operands[1].dims, *v = op->operands[2].dims;
    op->batch = q[0];
    op->q_len = q[1];
    op->heads = q[2];
    op->qk_dim = q[3];
    op->kv_len = k[1];
    op->kv_heads = k[2];
    op->v_dim = v[3];
}

int az_xplane_attention_config(struct az_trace *t, struct az_sv text, struct az_hlo_op *op)
{
    op->batch = number(text, "input_batch");
    op->heads = number(text, "attn_heads");
    op->kv_heads = number(text, "num_gqa_groups");
    op->q_len = number(text, "q_max_seqlen");
    op->kv_len = number(text, "kv_max_seqlen");
    op->qk_dim = number(text, "qk_head_dim");
    if (op->qk_dim < 0)
        op->qk_dim = number(text, "head_dim");
    op->v_dim = number(text, "v_head_dim");
    if (op->v_dim < 0)
        op->v_dim = op->qk_dim;
    if (op->batch < 0 || op->heads < 0 || op->q_len < 0 || op->kv_len < 0 || op->qk_dim < 0)
        from_operands(op);
    op->mask = az_arena_dup(&t->arena, attribute(text, "mask_type"));
    op->layout = az_arena_dup(&t->arena, attribute(text, "qkv_layout"));
    return op->mask.p && op->layout.p ? AZ_OK : az_arena_error(&t->arena);
}
