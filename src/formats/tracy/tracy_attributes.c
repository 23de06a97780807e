/* The ATTRIBUTES cell: what analyses use of it. The writer prints C++ structures into it, with ';'
 * for ','. */
#include "base/num.h"
#include "formats/tracy/tracy_csv.h"

#define DRAM_SHARDED "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"

/* Text after the first `key`; the null view if there is none. */
static struct az_sv behind(struct az_sv text, const char *key)
{
    struct az_sv k = az_sv_str(key);
    ptrdiff_t at = az_sv_find(text, k);
    return at < 0 ? (struct az_sv){ NULL, 0 }
                  : az_sv_make(text.p + at + k.n, text.n - (size_t)at - k.n);
}

static size_t digits(struct az_sv s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
        n++;
    return n;
}

static int32_t small(struct az_sv s)
{
    int64_t v;
    return s.n && az_parse_i64(s, &v) == 0 && v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
}

/* First digits right after some occurrence of `key`; -1. */
static int32_t number_after(struct az_sv text, const char *key)
{
    for (struct az_sv rest = behind(text, key); rest.p; rest = behind(rest, key)) {
        size_t n = digits(rest);
        if (n)
            return small(az_sv_make(rest.p, n));
    }
    return -1;
}

/* The number that fills everything from `key` to the next ';'; -1. */
static int32_t whole_number(struct az_sv text, const char *key)
{
    struct az_sv s = behind(text, key);
    const char *end = s.p ? memchr(s.p, ';', s.n) : NULL;
    if (end)
        s.n = (size_t)(end - s.p);
    return small(az_sv_trim(s));
}

static uint8_t flag_after(struct az_sv text, const char *key)
{
    struct az_sv s = behind(text, key);
    if (!s.p)
        return AZ_FLAG_ABSENT;
    return az_sv_starts(s, AZ_SV("true")) || az_sv_starts(s, AZ_SV("1")) ? AZ_FLAG_TRUE
                                                                         : AZ_FLAG_FALSE;
}

/* The value after `key`, with or without quotes, to the next ';' or the end. */
static struct az_sv attribute(struct az_sv text, const char *key)
{
    struct az_sv s = behind(text, key);
    size_t n = 0;
    if (s.n && *s.p == '\'')
        s = az_sv_make(s.p + 1, s.n - 1);
    while (n < s.n && s.p[n] != '\'' && s.p[n] != ';' && s.p[n] != '}' && s.p[n] != ',')
        n++;
    s.n = n;
    return az_sv_trim(s);
}

static int32_t attribute_number(struct az_sv text, const char *key)
{
    const struct az_sv s = attribute(text, key);
    return digits(s) == s.n ? small(s) : -1;
}

static uint8_t attribute_flag(struct az_sv text, const char *key)
{
    const struct az_sv s = attribute(text, key);
    return az_sv_ieq(s, AZ_SV("true")) || az_sv_is(s, "1")    ? AZ_FLAG_TRUE
           : az_sv_ieq(s, AZ_SV("false")) || az_sv_is(s, "0") ? AZ_FLAG_FALSE
                                                              : AZ_FLAG_ABSENT;
}

/* "(h;w)" after `key`. */
static void pair_after(struct az_sv text, const char *key, int32_t *h, int32_t *w)
{
    struct az_sv s = behind(text, key);
    *h = *w = -1;
    if (s.n < 2 || s.p[0] != '(')
        return;
    const char *semi = memchr(s.p, ';', s.n), *close = memchr(s.p, ')', s.n);
    if (!semi || !close || close < semi)
        return;
    *h = small(az_sv_trim(az_sv_make(s.p + 1, (size_t)(semi - s.p - 1))));
    *w = small(az_sv_trim(az_sv_make(semi + 1, (size_t)(close - semi - 1))));
    if (*h < 0 || *w < 0)
        *h = *w = -1;
}

/* The bracketed text after `key`, brackets balanced, with ',' for ';'. */
static uint32_t bracketed(struct az_trace *t, struct az_sv text, const char *key)
{
    struct az_sv s = behind(text, key);
    char buf[128];
    size_t n = 0, depth = 0;

    if (!s.p)
        return AZ_NO_ID;
    for (size_t i = 0; i < s.n && n < sizeof buf; i++) {
        char c = s.p[i];
        if (depth == 0 && (c == ';' || c == '\'' || c == ')'))
            break;
        depth += c == '(';
        depth -= c == ')' && depth > 0;
        buf[n++] = c == ';' ? ',' : c;
        if (c == ')' && depth == 0)
            break;
    }
    return az_trace_name(t, az_sv_make(buf, n));
}

/* "TensorMemoryLayout::HEIGHT_SHARDED;" -> HEIGHT_SHARDED */
static uint32_t layout(struct az_trace *t, struct az_sv text)
{
    struct az_sv s = behind(text, "memory_layout=");
    if (!s.p)
        return AZ_NO_ID;
    const char *end = memchr(s.p, ';', s.n);
    if (end)
        s.n = (size_t)(end - s.p);
    struct az_sv part = behind(s, "::");
    return az_trace_name(t, part.p ? part : s);
}

void az_tracy_attributes(struct az_trace *t, struct az_sv text, struct az_opargs *a)
{
    bool config = az_sv_find(text, AZ_SV("program_config")) >= 0;

    a->dram_sharded = az_sv_find(text, AZ_SV(DRAM_SHARDED)) >= 0;
    a->block_w = config ? number_after(text, "in0_block_w=") : -1;
    a->subblock_h = config ? number_after(text, "out_subblock_h=") : -1;
    a->subblock_w = config ? number_after(text, "out_subblock_w=") : -1;
    pair_after(text, "window_hw=", &a->window_h, &a->window_w);
    a->out_height_tiles = whole_number(text, "per_core_out_matrix_height_ntile=");
    a->act_block_tiles = whole_number(text, "act_block_h_ntiles=");
    a->double_buffer = flag_after(text, "enable_act_double_buffer': '");
    a->split_reader = flag_after(text, "enable_split_reader': '");
    a->num_links = number_after(text, "'num_links': '");
    a->groups = number_after(text, "'groups': '");
    a->nonzero = attribute_number(text, "'nnz': ");
    a->sparse_a = attribute_flag(text, "'is_input_a_sparse': ");
    a->sparse_b = attribute_flag(text, "'is_input_b_sparse': ");
    a->window = number_after(text, "'sliding_window_size': '");
    a->causal = flag_after(text, "'is_causal': '");
    a->linear = az_sv_find(text, AZ_SV("Topology::Linear")) >= 0 ? AZ_FLAG_TRUE
                : az_sv_find(text, AZ_SV("Topology::Ring")) >= 0 ? AZ_FLAG_FALSE
                                                                 : AZ_FLAG_ABSENT;
    a->halo_window = bracketed(t, text, "window_hw=");
    a->halo_stride = bracketed(t, text, "stride_hw=");
    a->halo_dilation = bracketed(t, text, "dilation_hw=");
    a->halo_pad = bracketed(t, text, "padding=");
    a->halo_layout = layout(t, text);
}
