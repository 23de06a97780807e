/* Convolutions again as `MIOpenDriver` runs them (docs/formulas-multirank.md 5.5). */
#include "perf/replay_parts.h"

enum { FORWARD = 1, BACKWARD_DATA = 2, BACKWARD_WEIGHTS = 4 };

/* Spatial sizes are those of the driver: depth, height, width; fewer dimensions are at the end. */
struct conv {
    const char *word; /* conv, convfp16, .. */
    int nd;           /* 1 to 3 */
    int64_t n, c, k, groups;
    int64_t in[3], filter[3], pad[3], stride[3], dilation[3];
    bool transposed, channels_last;
};

static const char *driver_word(struct az_sv type)
{
    static const char *const words[][2] = { { "float", "conv" },
                                            { "c10::Half", "convfp16" },
                                            { "c10::BFloat16", "convbfp16" },
                                            { "signed char", "convint8" } };
    for (size_t i = 0; i < AZ_LENGTH(words); i++)
        if (az_sv_ieq(type, az_sv_str(words[i][0])))
            return words[i][1];
    return NULL;
}

/* One number for all dimensions, or one each; `absent` where nothing was recorded. */
static bool spread(const struct az_perf_arg *a, int64_t absent, int64_t least, int nd,
                   int64_t out[3])
{
    int64_t v[3] = { absent };
    bool one = a->value.n == 0 || az_rp_ints(a->value, v, 1);
    if (!one && !az_rp_ints(a->value, v, nd))
        return false;
    for (int i = 0; i < 3; i++) {
        int from = i - (3 - nd);
        out[i] = from < 0 ? least : v[one ? 0 : from];
        if (out[i] < least)
            return false;
    }
    return true;
}

/* Channels are the fastest dimension, and the tensor is not also contiguous in the usual order. */
static bool channels_last(const struct az_perf_arg *a, unsigned *notes)
{
    int64_t s[AZ_PERF_DIMS], want = 1, usual = 1;
    bool last = true, first = true;
    if (a->nd < 4 || !az_rp_strides(a, s, notes))
        return false;
    for (int i = 0; i < a->nd; i++) {
        int at = i == 0 ? 1 : i == a->nd - 1 ? 0 : a->nd - i, plain = a->nd - 1 - i;
        last = last && (a->dim[at] == 1 || s[at] == want);
        first = first && (a->dim[plain] == 1 || s[plain] == usual);
        want *= a->dim[at];
        usual *= a->dim[plain];
    }
    return last && !first;
}

static const char *sizes(const struct az_perf_arg *x, const struct az_perf_arg *w, struct conv *c,
                         unsigned *notes)
{
    c->nd = x->nd - 2;
    if (c->nd < 1 || c->nd > 3 || w->nd != x->nd)
        return "input and filter shapes do not match";
    if (x->elements < 1 || w->elements < 1 || x->elements > EXACT_MAX || w->elements > EXACT_MAX)
        return "size is 0 or too large";
    c->n = x->dim[0];
    c->c = x->dim[1];
    c->k = w->dim[c->transposed ? 1 : 0];
    for (int i = 0; i < 3; i++) {
        int from = i - (3 - c->nd) + 2;
        c->in[i] = from < 2 ? 1 : x->dim[from];
        c->filter[i] = from < 2 ? 1 : w->dim[from];
    }
    c->channels_last = channels_last(x, notes) || channels_last(w, notes);
    c->word = driver_word(x->type_name);
    return c->word ? NULL : "data type not supported by the benchmark";
}

/* first: the argument of the stride; the others follow. */
static const char *geometry(const struct az_perf_model *r, int first, struct conv *c)
{
    const struct az_perf_arg *groups = az_perf_model_arg(r, first + 5);
    c->groups = 1;
    if (!spread(az_perf_model_arg(r, first), 1, 1, c->nd, c->stride) ||
        !spread(az_perf_model_arg(r, first + 1), 0, 0, c->nd, c->pad) ||
        !spread(az_perf_model_arg(r, first + 2), 1, 1, c->nd, c->dilation))
        return "unsupported form of stride, padding or dilation";
    if (groups->value.n && (!az_perf_model_int(groups, &c->groups) || c->groups < 1))
        return "invalid groups";
    return NULL;
}

static void print_sizes(const struct conv *c, struct az_vec_char *out)
{
    const long long h = c->in[1], w = c->in[2], y = c->filter[1], x = c->filter[2];
    if (c->nd == 3)
        az_text_format(
            out,
            " -n %lld -c %lld --in_d %lld -H %lld -W %lld -k %lld --fil_d %lld -y %lld -x %lld "
            "--pad_d %lld -p %lld -q %lld --conv_stride_d %lld -u %lld -v %lld --dilation_d %lld "
            "-l %lld -j %lld --spatial_dim 3",
            (long long)c->n, (long long)c->c, (long long)c->in[0], h, w, (long long)c->k,
            (long long)c->filter[0], y, x, (long long)c->pad[0], (long long)c->pad[1],
            (long long)c->pad[2], (long long)c->stride[0], (long long)c->stride[1],
            (long long)c->stride[2], (long long)c->dilation[0], (long long)c->dilation[1],
            (long long)c->dilation[2]);
    else
        az_text_format(out,
                       " -n %lld -c %lld -H %lld -W %lld -k %lld -y %lld -x %lld -p %lld -q %lld "
                       "-u %lld -v %lld "
                       "-l %lld -j %lld",
                       (long long)c->n, (long long)c->c, h, w, (long long)c->k, y, x,
                       (long long)c->pad[1], (long long)c->pad[2], (long long)c->stride[1],
                       (long long)c->stride[2], (long long)c->dilation[1],
                       (long long)c->dilation[2]);
}

static int print_conv(const struct conv *c, int direction, enum az_replay_form form,
                      struct az_vec_char *out)
{
    const char *layout = c->nd == 3 ? "NDHWC" : "NHWC";
    az_text_format(out, "MIOpenDriver %s", c->word);
    print_sizes(c, out);
    if (c->channels_last)
        az_text_format(out, " --in_layout %s --fil_layout %s --out_layout %s", layout, layout,
                       layout);
    az_text_format(out, " -m %s -g %lld -F %d -t 1", c->transposed ? "trans" : "conv",
                   (long long)c->groups, direction);
    if (form != AZ_REPLAY_LOGGED)
        az_text_add(out, AZ_SV(" -V 0"));
    return az_vec_error(out);
}

/* Which results a backward convolution computes: input, weights, bias. */
static int directions(const struct az_perf_model *r)
{
    double mask[3] = { 1, 1, 0 };
    const struct az_perf_arg *a = az_perf_model_arg(r, 10);
    if (a->value.n && az_perf_model_list(a, mask, 3) != 3)
        return 0;
    return (mask[0] != 0 ? BACKWARD_DATA : 0) | (mask[1] != 0 ? BACKWARD_WEIGHTS : 0);
}

int az_rp_conv(const struct az_perf_model *r, enum az_replay_form form, struct az_vec_char *out,
               unsigned *notes, const char **why)
{
    struct conv c = { 0 };
    bool backward = az_sv_is(r->call->op, "aten::convolution_backward");
    int first = backward ? 4 : 3, which = backward ? directions(r) : FORWARD, rc = 0, lines = 0;
    c.transposed = az_perf_model_true(az_perf_model_arg(r, first + 3));
    *why = sizes(az_perf_model_arg(r, backward), az_perf_model_arg(r, backward + 1), &c, notes);
    if (!*why)
        *why = geometry(r, first, &c);
    if (!*why && !which)
        *why = "unsupported form of output_mask";
    if (*why)
        return AZ_EFORMAT;
    *notes |= c.nd == 1 || c.transposed ? AZ_REPLAY_UNCERTAIN : 0;
    for (int d = FORWARD; rc == 0 && d <= BACKWARD_WEIGHTS; d *= 2) {
        if (!(which & d))
            continue;
        rc = lines++ ? az_text_append(out, AZ_SV("\n")) : 0;
        if (rc == 0)
            rc = print_conv(&c, d, form, out);
    }
    return rc;
}
