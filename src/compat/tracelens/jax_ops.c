/* Work and rates of GEMMs, convolutions and attention of a profile of JAX, a sheet per category of
 * kernels, as TraceLens reports them (docs/from-tracelens-programs.md). */
#include "compat/tracelens/jax.h"

#include <math.h>

static const struct az_jax *jax_of(const struct az_scope *r) { return r->ctx; }

/* Kinds of one model are one kind; AZ_HLO_OTHER: none has a model. */
static enum az_hlo_kind model_of(const struct az_hlo_op *op)
{
    switch (op->kind) {
    case AZ_HLO_GEMM:
    case AZ_HLO_GEMM_FUSION:
        return AZ_HLO_GEMM;
    case AZ_HLO_ATTENTION_FWD:
    case AZ_HLO_ATTENTION_BWD:
        return AZ_HLO_ATTENTION_FWD;
    case AZ_HLO_CONV:
        return AZ_HLO_CONV;
    default:
        return AZ_HLO_OTHER;
    }
}

static bool is_of_table(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = az_jax_event(i);
    const struct az_hlo_op *op = az_jax_op(r, i);

    return az_jax_on_gpu(r, i) && op && model_of(op) == jax_of(r)->kind &&
           az_sv_eq(az_hlo_category_text(&((struct az_jax *)r->ctx)->h, &e), jax_of(r)->category);
}

/* ---- parameters ---- */

static bool of_gemm(const struct az_scope *r) { return jax_of(r)->kind == AZ_HLO_GEMM; }
static bool of_conv(const struct az_scope *r) { return jax_of(r)->kind == AZ_HLO_CONV; }
static bool of_attention(const struct az_scope *r) { return !of_gemm(r) && !of_conv(r); }

static int64_t product(const struct az_hlo_op *op, int which)
{
    struct az_gemm g;

    if (!op || !az_hlo_op_gemm(op, &g))
        return AZ_UNKNOWN;
    return which == 'B' ? g.b : which == 'M' ? g.m : which == 'N' ? g.n : g.k;
}
static int64_t known(int64_t x) { return x < 0 ? AZ_UNKNOWN : x; }

AZ_OF_ITEM(int64_t, gemm_b, product(az_jax_op(s, i), 'B'))
AZ_OF_ITEM(int64_t, gemm_m, product(az_jax_op(s, i), 'M'))
AZ_OF_ITEM(int64_t, gemm_n, product(az_jax_op(s, i), 'N'))
AZ_OF_ITEM(int64_t, gemm_k, product(az_jax_op(s, i), 'K'))
AZ_OF_ITEM(int64_t, batch_of, known(az_jax_op(s, i)->batch))
AZ_OF_ITEM(int64_t, heads_of, known(az_jax_op(s, i)->heads))
AZ_OF_ITEM(int64_t, kv_heads_of, known(az_jax_op(s, i)->kv_heads))
AZ_OF_ITEM(int64_t, q_len_of, known(az_jax_op(s, i)->q_len))
AZ_OF_ITEM(int64_t, kv_len_of, known(az_jax_op(s, i)->kv_len))
AZ_OF_ITEM(int64_t, qk_dim_of, known(az_jax_op(s, i)->qk_dim))
AZ_OF_ITEM(int64_t, v_dim_of, known(az_jax_op(s, i)->v_dim))

static const struct az_hlo_shape *input_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_op *op = az_jax_op(r, i);

    return op->n_operands ? &op->operands[0] : &op->result;
}

static const struct az_hlo_shape *output_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_op *op = az_jax_op(r, i);

    return op->result.n_parts ? &op->result.parts[0] : &op->result;
}

AZ_OF_ITEM(struct az_sv, input_shape,
           az_jax_tuple(s->job->arena, input_of(s, i)->dims, input_of(s, i)->n_dims))
AZ_OF_ITEM(struct az_sv, output_shape,
           az_jax_tuple(s->job->arena, output_of(s, i)->dims, output_of(s, i)->n_dims))
AZ_OF_ITEM(int64_t, element_bytes, input_of(s, i)->bits / 8)

/* "1x2x2": its numbers; how many. */
static size_t window(const struct az_hlo_op *op, int64_t v[8])
{
    struct az_sv rest = op->window;
    size_t n = 0;

    while (rest.n && n < 8) {
        const struct az_sv one = az_sv_cut(&rest, 'x');
        v[n] = 0;
        for (size_t i = 0; i < one.n; i++)
            v[n] = v[n] * 10 + (one.p[i] - '0');
        n++;
    }
    return n;
}

static struct az_sv filter_shape(const struct az_scope *r, const struct az_item *i)
{
    int64_t v[8];
    const size_t n = window(az_jax_op(r, i), v);

    return az_jax_tuple(r->job->arena, v, n);
}

static struct az_sv conv_nd(const struct az_scope *r, const struct az_item *i)
{
    int64_t v[8];

    return az_arena_printf(r->job->arena, "conv%zud", window(az_jax_op(r, i), v));
}

AZ_OF_ITEM(struct az_sv, no, i ? AZ_SV("False") : AZ_SV(""))

/* ---- work and rates ---- */

static double amount(const struct az_scope *r, const struct az_item *i, bool flops)
{
    int64_t f, b;

    az_hlo_op_work(az_jax_op(r, i), &f, &b);
    const int64_t x = flops ? f : b;
    return x < 0 ? NAN : (double)x;
}

/* Per picosecond is per second in units of 1e12. */
static double rate_of_model(const struct az_scope *r, const struct az_item *i, bool flops)
{
    const struct az_hlo_event e = az_jax_event(i);
    const int64_t ticks = az_hlo_ticks(&jax_of(r)->h, &e);

    return ticks > 0 ? amount(r, i, flops) / (double)ticks : NAN;
}

AZ_OF_ITEM(double, tflops, rate_of_model(s, i, true))
AZ_OF_ITEM(double, tbps, rate_of_model(s, i, false))

static void put_gflops(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_f64(t, amount(r, &g->first, true) / 1e9);
}

static void put_megabytes(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_f64(t, amount(r, &g->first, false) / 1048576.0);
}

static void put_intensity(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_f64(t, amount(r, &g->first, true) / amount(r, &g->first, false));
}

static void put_details(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_text(t, az_jax_details(r, g, false));
}

AZ_OF_ITEM(struct az_sv, not_known, i ? AZ_SV("Unknown") : AZ_SV(""))
AZ_OF_ITEM(struct az_sv, line_name, az_trace_text(az_item_trace(s, i), az_item_lane(s, i)->label))
static const struct az_key unknown = { AZ_TEXT, .text = not_known };
static const struct az_key line = { AZ_TEXT, .text = line_name };

/* clang-format off */
#define NUMBER(header, of_item, if_kind) \
    { "param: " header, &(const struct az_key){ AZ_INT, AZ_UNIT_COUNT, .integer = of_item }, .flags = AZ_KEY, .when = if_kind }
#define TEXT(header, of_item, if_kind) \
    { "param: " header, &(const struct az_key){ AZ_TEXT, .text = of_item }, .follows = true, .flags = AZ_KEY, .when = if_kind }
#define OWN(header, as, of_unit, how) { header, .figure = AZ_FIG_OWN, .type = as, .unit = of_unit, .put = how }
#define FIVE(header, n, as) \
    AZ_FIGURE(header "mean", AZ_FIG_MEAN, n, as, 0), AZ_FIGURE(header "median", AZ_FIG_MEDIAN, n, as, AZ_DETAIL), \
    AZ_FIGURE(header "std", AZ_FIG_STD, n, as, AZ_DETAIL), AZ_FIGURE(header "min", AZ_FIG_MIN, n, as, AZ_DETAIL), \
    AZ_FIGURE(header "max", AZ_FIG_MAX, n, as, AZ_DETAIL)
#define SAME(header, key) { header, &key, .follows = true }
static const struct az_table_spec operations = {
    "op", "Operations with rates", .needs = AZ_CAP_PROGRAMS, .n_kinds = 1, .kinds = { AZ_KERNEL }, .keep = is_of_table,
    .values = { { NULL }, { .real = tbps }, { .real = tflops } },
    .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                 NUMBER("M", gemm_m, of_gemm), NUMBER("N", gemm_n, of_gemm), NUMBER("K", gemm_k, of_gemm),
                 NUMBER("B", gemm_b, of_gemm),
                 NUMBER("B", batch_of, of_attention), NUMBER("N_Q", q_len_of, of_attention),
                 NUMBER("H_Q", heads_of, of_attention), NUMBER("N_KV", kv_len_of, of_attention),
                 NUMBER("H_KV", kv_heads_of, of_attention), NUMBER("d_h_qk", qk_dim_of, of_attention),
                 NUMBER("d_h_v", v_dim_of, of_attention),
                 TEXT("convNd", conv_nd, of_conv),
                 { "param: input_shape", &(const struct az_key){ AZ_TEXT, .text = input_shape }, .flags = AZ_KEY, .when = of_conv },
                 { "param: filter_shape", &(const struct az_key){ AZ_TEXT, .text = filter_shape }, .flags = AZ_KEY, .when = of_conv },
                 { "param: output_shape", &(const struct az_key){ AZ_TEXT, .text = output_shape }, .flags = AZ_KEY, .when = of_conv },
                 TEXT("bias", no, of_conv), NUMBER("bytes_per_element", element_bytes, of_conv),
                 TEXT("transposed_conv", no, of_conv),
                 OWN("GFLOPS_first", AZ_REAL, AZ_UNIT_GFLOP, put_gflops),
                 OWN("Data Moved (MB)_first", AZ_REAL, AZ_UNIT_NONE, put_megabytes),
                 OWN("FLOPS/Byte_first", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, put_intensity),
                 FIVE("TB/s_", 1, AZ_UNIT_TBPS), FIVE("TFLOPS/s_", 2, AZ_UNIT_TFLOPS),
                 SAME("process_name_first", unknown), SAME("process_label_first", unknown), SAME("thread_name_first", line),
                 OWN("kernel_details__summarize_kernel_stats", AZ_TEXT, AZ_UNIT_NONE, put_details),
                 SAME("Input Dims_first", az_jax_dims), SAME("Input type_first", az_jax_types),
                 FIVE("Kernel Time (µs)_", 0, AZ_UNIT_US),
                 { "Kernel Time (µs)_sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US, .flags = AZ_LOWER_BETTER, .sort = -1 },
                 { "name_count", .figure = AZ_FIG_COUNT }, OWN("UID_first", AZ_INT, AZ_UNIT_ID, az_jax_put_uid) },
};
/* clang-format on */

/* "op_" and the category in lower case, blanks and slashes as underlines. */
static const char *sheet_of(struct az_arena *a, struct az_sv category)
{
    char *name = az_arena_str(a, az_arena_printf(a, "op_%.*s", AZ_SVF(category)));

    for (char *p = name; p && *p; p++)
        *p = *p == ' ' || *p == '/' ? '_' : *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    return name;
}

/* The kinds of modeled operations of a category, in the order of their numbers. */
static int category_tables(struct az_jax *j, struct az_sv category, unsigned kinds)
{
    struct az_table_spec spec = operations;
    int rc = 0;

    spec.id = sheet_of(j->h.job->arena, category);
    if (!spec.id)
        return az_arena_error(j->h.job->arena);
    for (unsigned k = 0; rc == 0 && k < 32; k++) {
        if (!(kinds & 1u << k))
            continue;
        j->kind = (enum az_hlo_kind)k;
        j->category = category;
        rc = az_spec_make(j->h.job, &spec, j, NULL);
    }
    return rc;
}

int az_jax_op_tables(struct az_jax *j)
{
    struct az_hlo *h = &j->h;
    unsigned kinds[64] = { 0 }; /* by category; more have no sheet */
    int rc = 0;

    for (size_t k = 0; k < h->n; k++)
        for (size_t i = 0; i < h->tr[k].same_kernels->n; i++) {
            const struct az_hlo_event e = { k, h->tr[k].same_kernels->v[i].first, AZ_KERNEL };
            const struct az_hlo_op *op = az_hlo_event_op(h, &e);
            const enum az_hlo_kind model = op ? model_of(op) : AZ_HLO_OTHER;
            const uint32_t c = model != AZ_HLO_OTHER ? az_hlo_category(h, &e) : 64;
            if (c < 64)
                kinds[c] |= 1u << model;
        }
    for (size_t c = 0; rc == 0 && c < h->categories.n && c < 64; c++)
        if (kinds[c] && !az_sv_starts(h->categories.v[c], AZ_SV("Uncategorized")))
            rc = category_tables(j, h->categories.v[c], kinds[c]);
    return rc;
}
