/* Metrics of a row: those of its arguments, once for all rows with the same ones
 * (az_op_report_sig), and its times (docs/formats-tracy.md 6 to 8, 10). */
#include <math.h>

#include "analyses/op_report/opreport.h"

#define DRAM_WORKERS 12    /* cores of a DRAM-sharded product on an unknown device */
#define IMPOSSIBLE   100.5 /* percent of a peak: more is not rounding */

const char *az_op_report_bound_text(enum az_op_report_bound b)
{
    static const char *const texts[] = { "", "DRAM", "FLOP", "BOTH", "SLOW", "HOST" };
    return texts[b];
}

/* ---- what is shown ---- */

static struct az_sv type_of(const struct az_op_report *t, const struct az_tensor *x)
{
    struct az_sv type = az_op_report_text(t, x->type);
    return t->first && az_sv_is(type, "FLOAT32") ? type : az_tensix_short(type);
}

static struct az_sv precision(const struct az_op_report *t, const struct az_opargs *a, uint8_t kind)
{
    struct az_sv in0 = type_of(t, &a->t[AZ_IN0]), in1 = type_of(t, &a->t[AZ_IN1]),
                 out = type_of(t, &a->t[AZ_OUT0]);
    struct az_sv f = az_op_report_text(t, a->fidelity);
    struct az_arena *arena = t->job->arena;

    if (kind == TT_MATMUL || kind == TT_CONV)
        return az_arena_printf(arena, "%.*s%s%.*s x %.*s => %.*s", AZ_SVF(f), f.n ? " " : "",
                               AZ_SVF(in0), AZ_SVF(in1), AZ_SVF(out));
    return az_arena_printf(arena, "%.*s%s%.*s%s%.*s", AZ_SVF(in0), in1.n ? ", " : "", AZ_SVF(in1),
                           out.n ? " => " : "", AZ_SVF(out));
}

static struct az_sv text_or_x(const struct az_op_report *t, uint32_t id)
{
    return id == AZ_NO_ID ? AZ_SV("x") : az_op_report_text(t, id);
}

static struct az_sv number_or_x(struct az_arena *a, int32_t v)
{
    return v < 0 ? AZ_SV("x") : az_arena_printf(a, "%d", (int)v);
}

static double dimension(const struct az_opargs *a, int tensor, int d)
{
    int64_t v = a->t[tensor].dim[d];
    return v < 0 ? NAN : (double)v;
}
enum { W, Z, Y, X };

static double elements(const struct az_opargs *a, int tensor)
{
    return dimension(a, tensor, W) * dimension(a, tensor, Z) * dimension(a, tensor, Y) *
           dimension(a, tensor, X);
}

static double bytes(const struct az_op_report *t, const struct az_opargs *a, int tensor)
{
    return a->t[tensor].type == AZ_NO_ID
               ? NAN
               : elements(a, tensor) * az_tensix_bytes(az_op_report_text(t, a->t[tensor].type));
}

/* Bytes of inputs 0, 1 and output 0 that are in DRAM; NaN where none does (*any), a shape is
 * missing, or a tensor has neither shape nor memory: it may be there, and a part of the bytes is no
 * rate. */
static double dram_bytes(const struct az_op_report *t, const struct az_opargs *a, bool *any)
{
    static const int tensors[] = { AZ_IN0, AZ_IN1, AZ_OUT0 };
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const struct az_sv memory = az_op_report_text(t, a->t[tensors[i]].memory);
        if (az_sv_find(memory, AZ_SV("DRAM")) < 0 && (memory.n || !isnan(elements(a, tensors[i]))))
            continue;
        *any = true;
        sum += bytes(t, a, tensors[i]);
    }
    return sum > 0 ? sum : NAN;
}

/* Larger of two, as pandas has it: a missing one does not count. */
static double larger(double a, double b) { return isnan(a) ? b : isnan(b) || a > b ? a : b; }

/* How many matrices a sparse product computes, and of how many (docs/formats-tracy.md 7.1). NaN:
 * not in the file. */
static double computed(const struct az_op_report *t, const struct az_opargs *a, double *dense)
{
    const double b0 = dimension(a, AZ_IN0, W) * dimension(a, AZ_IN0, Z),
                 b1 = dimension(a, AZ_IN1, W) * dimension(a, AZ_IN1, Z);
    const bool sparse_a = a->sparse_a == AZ_FLAG_TRUE, sparse_b = a->sparse_b != AZ_FLAG_FALSE;
    double groups = sparse_a ? 1 : b0;
    if (sparse_a && !sparse_b)
        groups = b1 > 0 && floor(b0 / b1) > 1 ? floor(b0 / b1) : 1;
    *dense = sparse_a || sparse_b ? groups * b1 : larger(b0, b1);
    if (a->nonzero >= 0)
        return a->nonzero;
    return t->o->active_experts > 0 ? (double)t->o->active_experts * groups : NAN;
}

static void sparse(struct az_op_report *t, struct az_op_report_sig *s, const struct az_opargs *a,
                   struct az_sv code)
{
    struct az_arena *arena = t->job->arena;
    const double m = dimension(a, AZ_IN0, Y), k = dimension(a, AZ_IN0, X),
                 n = dimension(a, AZ_IN1, X);
    double dense, active = computed(t, a, &dense);
    const double each[] = { m * k, k * n, m * n };
    static const int tensors[] = { AZ_IN0, AZ_IN1, AZ_OUT0 };

    s->sparse = true;
    s->dram_bytes = 0;
    for (int i = 0; i < 3; i++) {
        const struct az_tensor *x = &a->t[tensors[i]];
        if (az_sv_find(az_op_report_text(t, x->memory), AZ_SV("DRAM")) < 0)
            continue;
        s->in_dram = true;
        s->dram_bytes +=
            x->type == AZ_NO_ID ? NAN : each[i] * az_tensix_bytes(az_op_report_text(t, x->type));
    }
    s->flop = 2 * m * k * n * active;
    s->dram_bytes = s->dram_bytes > 0 ? s->dram_bytes * active : NAN;
    s->source = "2 M K N of active matrices (sparse matmul)";
    if (isnan(m) || isnan(k) || isnan(n) || isnan(dense))
        s->why_not = "a shape is missing";
    else if (isnan(active))
        s->why_not = "active experts not recorded (set active_experts)";
    if (isnan(m * k * n * dense)) {
        s->flop = s->dram_bytes = NAN;
        return;
    }
    const struct az_sv shown = isnan(active) ? AZ_SV("?") : az_arena_printf(arena, "%.0f", active);
    s->shown = az_arena_printf(arena, "%.*s active=%.*s/%.0f x %.0f x %.0f x %.0f", AZ_SVF(code),
                               AZ_SVF(shown), dense, m, k, n);
}

static void matmul(struct az_op_report *t, struct az_op_report_sig *s, const struct az_opargs *a,
                   struct az_sv code)
{
    double m = dimension(a, AZ_IN0, Y), k = dimension(a, AZ_IN0, X), n = dimension(a, AZ_IN1, X);
    double batch = t->first ? dimension(a, AZ_IN0, W) * dimension(a, AZ_IN0, Z)
                            : larger(dimension(a, AZ_IN0, W), dimension(a, AZ_IN1, W)) *
                                  larger(dimension(a, AZ_IN0, Z), dimension(a, AZ_IN1, Z));

    s->rated = true;
    s->sharded = a->dram_sharded;
    if (!t->first && az_op_report_code(t, s->code)->sparse) {
        sparse(t, s, a, code);
        return;
    }
    s->flop = 2 * m * k * n * batch;
    s->dram_bytes = dram_bytes(t, a, &s->in_dram);
    s->source = "2 M K N batch (matmul)";
    if (isnan(m) || isnan(k) || isnan(n)) {
        s->why_not = "a shape is missing";
        s->dram_bytes = NAN; /* of a product that is not known there is no rate at all */
        return;
    }
    if (batch > 1 && !t->first)
        s->shown = az_arena_printf(t->job->arena, "%.*s b={%.0f} x %.0f x %.0f x %.0f",
                                   AZ_SVF(code), batch, m, k, n);
    else
        s->shown = az_arena_printf(t->job->arena, "%.*s %.0f x %.0f x %.0f", AZ_SVF(code), m, k, n);
}

static void rate_conv(struct az_op_report *t, struct az_op_report_sig *s, const struct az_opargs *a,
                      struct az_sv code)
{
    struct az_arena *arena = t->job->arena;
    double m = dimension(a, AZ_OUT0, Y), n = dimension(a, AZ_IN1, X);
    double k = a->window_h < 0 ? NAN : dimension(a, AZ_IN0, X) * a->window_h * a->window_w;
    struct az_sv p = number_or_x(arena, a->out_height_tiles),
                 b = number_or_x(arena, a->act_block_tiles);
    const char *adb = a->double_buffer != AZ_FLAG_FALSE ? " ADB" : "",
               *sr = a->split_reader != AZ_FLAG_FALSE ? " SR" : "";

    s->rated = true;
    s->flop = 2 * m * k * n;
    s->source = "2 M K N (convolution as matmul, padded shapes)";
    if (isnan(k))
        s->why_not = "no window_hw in the attributes";
    else if (isnan(m) || isnan(n))
        s->why_not = "a shape is missing";
    else
        s->shown = az_arena_printf(arena, "%.*s %.0f x %.0f x %.0f [ABH=%.*s|%.*s%s%s]",
                                   AZ_SVF(code), m, k, n, AZ_SVF(p), AZ_SVF(b), adb, sr);
}

/* w=(3,3) s=(2,2) p=((1, 1), (1, 1)) d=(1,1) | HEIGHT_SHARDED */
static void rate_halo(struct az_op_report *t, struct az_op_report_sig *s, const struct az_opargs *a,
                      struct az_sv code)
{
    s->shown =
        az_arena_printf(t->job->arena, "%.*s w=%.*s s=%.*s p=%.*s d=%.*s | %.*s", AZ_SVF(code),
                        AZ_SVF(text_or_x(t, a->halo_window)), AZ_SVF(text_or_x(t, a->halo_stride)),
                        AZ_SVF(text_or_x(t, a->halo_pad)), AZ_SVF(text_or_x(t, a->halo_dilation)),
                        AZ_SVF(text_or_x(t, a->halo_layout)));
}

/* Query, key and value are inputs 0, 1 and 2: W batch, Z heads, Y positions, X head size. */
static void attention(struct az_op_report_sig *s, const struct az_opargs *a)
{
    double dv = isnan(dimension(a, AZ_IN2, X)) ? dimension(a, AZ_IN1, X) : dimension(a, AZ_IN2, X);
    s->flop = az_attention_flop(dimension(a, AZ_IN0, W), dimension(a, AZ_IN0, Z),
                                dimension(a, AZ_IN0, Y), dimension(a, AZ_IN1, Y),
                                dimension(a, AZ_IN0, X), dv, a->causal == AZ_FLAG_TRUE, a->window);
    s->source = "2 B Hq Sq Sk (Dk + Dv), causal half (tt-mlir change 9046)";
    if (isnan(s->flop))
        s->why_not = "a shape is missing";
}

/* The ring is as large as the tensor grows (gather) or shrinks (scatter). */
static void collective(const struct az_op_report *t, struct az_op_report_sig *s,
                       const struct az_opargs *a)
{
    double in = bytes(t, a, AZ_IN0), out = bytes(t, a, AZ_OUT0);
    double ring = s->kind == TT_GATHER    ? out / in
                  : s->kind == TT_SCATTER ? in / out
                                          : (double)t->r->devices;
    double tensor = s->kind == TT_GATHER ? out : in;

    s->source =
        "no FLOP; bytes moved: tensor (r - 1) / r, twice on a line (tt-perf-report change 58)";
    if (isfinite(ring) && ring > 1 && isfinite(tensor))
        s->moved_bytes = az_collective_bytes(tensor, ring, a->linear == AZ_FLAG_TRUE);
    else
        s->why_not = "unknown ring size";
}

static void fill_rates(struct az_op_report *t, struct az_op_report_sig *s, const struct az_oprow *r)
{
    const struct az_opargs *a = &t->r->args.v[r->args];
    struct az_sv code = az_op_report_text(t, r->code);
    bool matrix;

    s->kind = r->kind == AZ_OPROW_SIGNPOST ? TT_SIGNPOST
              : r->kind == AZ_OPROW_HOST   ? TT_HOST
                                           : az_op_report_code(t, r->code)->kind;
    if (t->first && s->kind != TT_MATMUL && s->kind != TT_HOST && s->kind != TT_SIGNPOST)
        s->kind = TT_OTHER;
    matrix = s->kind == TT_MATMUL || (!t->first && s->kind == TT_CONV);
    s->fidelity = (uint8_t)az_fidelity_of(az_op_report_text(t, a->fidelity));
    s->flop = s->dram_bytes = s->moved_bytes = NAN;
    s->shown = s->kind == TT_SIGNPOST && !t->first
                   ? az_arena_printf(t->job->arena, "%.*s (signpost)", AZ_SVF(code))
                   : code;
    s->precision = precision(t, a, s->kind);
    if (matrix)
        s->verdict = (uint8_t)az_fidelity_fit(
            az_op_report_text(t, a->t[AZ_IN0].type), az_op_report_text(t, a->t[AZ_IN1].type),
            az_op_report_text(t, a->t[AZ_OUT0].type), (enum az_fidelity)s->fidelity, &s->advice);
    if (s->kind == TT_MATMUL)
        matmul(t, s, a, code);
    else if (s->kind == TT_CONV)
        rate_conv(t, s, a, code);
    else if (s->kind == TT_HALO)
        rate_halo(t, s, a, code);
    else if (s->kind == TT_ATTENTION)
        attention(s, a);
    else if (s->kind == TT_DECODE)
        s->why_not = "key length not recorded";
    else if (s->kind == TT_GATHER || s->kind == TT_SCATTER || s->kind == TT_REDUCE)
        collective(t, s, a);
}

int az_op_report_sig(struct az_op_report *t, uint32_t row, uint32_t *sig)
{
    const struct az_oprow *r = &t->r->rows.v[row];
    struct az_op_report_sig s = { .code = r->code, .args = r->args };
    uint32_t *at;
    bool added;
    int rc = az_map_put(&t->sig_of, (uint64_t)r->code << 2 | r->kind, r->args, (uint32_t)t->sigs.n,
                        &at, &added);

    if (rc)
        return rc;
    *sig = *at;
    if (!added)
        return 0;
    fill_rates(t, &s, r);
    if (!s.shown.p)
        return az_arena_error(t->job->arena);
    return az_vec_push(&t->sigs, s);
}

/* ---- a row ---- */

/* us; NaN: blank. */
static double row_time(const struct az_op_report *t, const struct az_op_report_row *row)
{
    uint8_t kind = az_op_report_sig_of(t, row)->kind;
    if (kind == TT_HOST || kind == TT_SIGNPOST)
        return NAN;
    return row->kernel / 1000; /* NaN: blank */
}

double az_op_report_row_gap(const struct az_op_report *t, const struct az_op_report_row *row)
{
    return row->no_gap ? NAN : az_op_report_oprow(t, row)->gap / 1000;
}

double az_op_report_row_ns(const struct az_op_report *t, const struct az_op_report_row *row)
{
    return isnan(row->kernel) || isnan(row_time(t, row)) ? 0 : row->kernel;
}

double az_op_report_row_gap_ns(const struct az_op_report *t, const struct az_op_report_row *row)
{
    double gap = az_op_report_oprow(t, row)->gap;
    return row->no_gap || isnan(gap) || (gap < 0 && !t->first) ? 0 : gap;
}

enum az_op_report_bound az_op_report_bound(const struct az_op_report *t, double dram, double flops,
                                           bool no_dram)
{
    double limit = t->o->bound_percent;
    bool has_dram = !isnan(dram), has_flops = !isnan(flops);

    if (t->first) {
        has_dram = dram > 0;
        has_flops = flops > 0;
    }
    if (has_dram && has_flops)
        return dram >= limit    ? flops >= limit ? TT_BOTH : TT_DRAM
               : flops >= limit ? TT_FLOP
                                : TT_SLOW;
    if (t->first)
        return TT_NO_BOUND;
    if (has_flops && no_dram) /* all in L1: only the FLOPs can limit it */
        return flops >= limit ? TT_FLOP : TT_SLOW;
    return has_dram && dram >= limit ? TT_DRAM : TT_NO_BOUND;
}

bool az_op_report_rate_impossible(const struct az_op_report_figures *f)
{
    return f->dram_percent > IMPOSSIBLE || f->flops_percent > IMPOSSIBLE;
}

double az_op_report_budget(const struct az_op_report *t, const struct az_op_report_row *row)
{
    const int32_t own = az_op_report_oprow(t, row)->budget;
    return t->o->worker_cores <= 0 && own > 0 ? own : (double)t->workers;
}

/* Rates need a time above 0; the first version took it from the kernel too. */
static void rates(const struct az_op_report *t, const struct az_op_report_row *row,
                  const struct az_op_report_sig *s, struct az_op_report_figures *f)
{
    double ns = t->first ? az_op_report_oprow(t, row)->kernel : row->kernel;
    double cores = f->cores;

    if (!s->rated || !(ns > 0))
        return;
    f->dram = s->dram_bytes / ns; /* bytes a ns = GB/s */
    f->tflops = s->flop / ns / 1000;
    if (!t->has_peaks)
        return;
    f->dram_percent = f->dram / t->peaks.dram * 100;
    if (s->fidelity < AZ_FIDELITIES && cores > 0)
        f->flops_percent = f->tflops / (t->peaks.peak[s->fidelity] * cores) * 100;
    if (s->kind == TT_MATMUL)
        f->bound = az_op_report_bound(t, f->dram_percent, f->flops_percent, !s->in_dram);
}

void az_op_report_figures(const struct az_op_report *t, const struct az_op_report_row *row,
                          struct az_op_report_figures *f)
{
    const struct az_op_report_sig *s = az_op_report_sig_of(t, row);
    const struct az_oprow *r = az_op_report_oprow(t, row);

    *f = (struct az_op_report_figures){
        .dram = NAN, .dram_percent = NAN, .tflops = NAN, .flops_percent = NAN, .percent = NAN
    };
    f->time = row_time(t, row);
    f->gap = az_op_report_row_gap(t, row);
    f->cores = r->cores < 0 ? NAN : (double)r->cores;
    if (s->sharded)
        f->cores = t->has_peaks && t->peaks.dram_workers > 0 ? (double)t->peaks.dram_workers
                                                             : DRAM_WORKERS;
    if ((!isnan(f->time) || !isnan(f->gap)) && t->total != 0)
        f->percent = ((isnan(f->time) ? 0 : f->time) + az_op_report_row_gap_ns(t, row) / 1000) /
                     t->total * 100;
    if (s->kind == TT_HOST)
        f->bound = TT_ON_HOST;
    rates(t, row, s, f);
}
