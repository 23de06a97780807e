/* Prefill or decode by name: rules of configs/phases.rules, evaluated once per operator name and
 * set of kernel names. */
#include "analyses/phases/phase.h"

#include "base/data.h"
#include "base/num.h"
#include "classify/rules.h"

#define KERNELS_READ 64 /* names of a launch that are examined: a graph launch has thousands */

/* First rule of the method that matches: its label, or the empty view. */
static struct az_sv by_rules(const struct az_words *w, const char *method)
{
    struct az_sv rules = az_data("phases.rules");
    struct az_rule r;
    while (az_rules_next(&rules, &r))
        if (az_sv_is(r.group, method) && az_rule_matches(&r, AZ_SV(""), w))
            return r.name;
    return AZ_SV("");
}

static uint8_t phase_of(struct az_sv label)
{
    return az_sv_is(label, "Prefill")  ? AZ_PHASE_PREFILL
           : az_sv_is(label, "Decode") ? AZ_PHASE_DECODE
                                       : AZ_PHASE_MIXED;
}

/* Number of a word like sl128, seq128, seqlen128, or of the two words seqlen 128; 0 if it is none.
 */
static int64_t length_at(const struct az_words *w, size_t i)
{
    static const char *const prefix[] = { "seqlen", "seq", "sl" };
    struct az_sv word = az_word(w, i);
    int64_t v = 0;
    for (size_t p = 0; p < 3; p++) {
        size_t len = strlen(prefix[p]);
        if (!az_sv_starts(word, az_sv_str(prefix[p])))
            continue;
        struct az_sv digits = az_sv_make(word.p + len, word.n - len);
        if (digits.n == 0 && p == 0 && i + 1 < w->n)
            digits = az_word(w, i + 1);
        if (az_parse_i64(digits, &v) == 0)
            return v;
    }
    return 0;
}

/* Mean of the sequence lengths in a name; 0 if it has none. */
static double sequence_length(const struct az_words *w)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < w->n; i++) {
        int64_t v = length_at(w, i);
        sum += v > 0 ? (double)v : 0;
        n += v > 0;
    }
    return n > 0 ? sum / n : 0;
}

/* Operator name and names of its kernels as one text. */
static int text_of(const struct az_framework *f, const struct az_launcher *l, bool kernels,
                   struct az_vec_char *buf)
{
    const uint32_t count = az_launcher_count(l);
    az_vec_reset(buf);
    az_text_add(buf, az_node_name(f->tree, l->node));
    for (uint32_t i = 0; kernels && i < count && i < KERNELS_READ; i++) {
        struct az_event e = az_gpu_event(f->tree, f->launchers->own.v[l->first + i]);
        az_text_add(buf, AZ_SV(" "));
        az_text_add(buf, az_framework_text(f, e.name, ""));
    }
    return az_vec_error(buf);
}

static int decide(const struct az_framework *f, const struct az_launcher *l, int64_t threshold,
                  struct az_vec_char *buf, struct az_name_phase *out)
{
    struct az_words w;
    int rc = text_of(f, l, false, buf);
    if (rc)
        return rc;
    az_words_cut(az_text_view(buf), &w);
    out->framework = phase_of(by_rules(&w, "framework_apis"));
    out->attention = phase_of(by_rules(&w, "attention_patterns"));
    out->is_attention = by_rules(&w, "attention_shapes").n != 0;
    rc = text_of(f, l, true, buf);
    if (rc)
        return rc;
    az_words_cut(az_text_view(buf), &w);
    out->gemm_named = by_rules(&w, "gemm_params").n != 0;
    out->gemm = phase_of(by_rules(&w, "gemm_params"));
    double length = by_rules(&w, "no_lengths").n ? 0 : sequence_length(&w);
    out->kernel_names = phase_of(by_rules(&w, "kernel_names"));
    if (length == 1)
        out->kernel_names = AZ_PHASE_DECODE;
    else if (length > (double)threshold)
        out->kernel_names = AZ_PHASE_PREFILL;
    return 0;
}

/* Names of the kernels of a launch as one number. */
static uint64_t kernels_hash(const struct az_framework *f, const struct az_launcher *l)
{
    const uint32_t count = az_launcher_count(l);
    uint64_t h = count < KERNELS_READ ? count : KERNELS_READ;
    for (uint32_t i = 0; i < count && i < KERNELS_READ; i++) {
        uint64_t pair[2] = { h, az_gpu_event(f->tree, f->launchers->own.v[l->first + i]).name };
        h = az_hash(pair, sizeof pair);
    }
    return h;
}

int az_phase_names_init(struct az_phase_names *n, const struct az_framework *f, int64_t threshold,
                        struct az_mem *mem)
{
    *n = (struct az_phase_names){ .fw = f, .threshold = threshold };
    az_vec_init(&n->text, mem);
    az_vec_init(&n->list, mem);
    az_map_init(&n->seen, mem, 64);
    return 0;
}

void az_phase_names_release(struct az_phase_names *n)
{
    az_map_release(&n->seen);
    az_vec_release(&n->text);
    az_vec_release(&n->list);
}

int az_phase_by_names(struct az_phase_names *n, uint32_t launcher, struct az_name_phase *out)
{
    const struct az_launcher *l = &n->fw->launchers->rows.v[launcher];
    uint32_t *at;
    bool added;
    int rc = az_map_put(&n->seen, az_framework_node(n->fw, l->node).name, kernels_hash(n->fw, l),
                        (uint32_t)n->list.n, &at, &added);
    uint32_t known = rc ? 0 : *at;
    if (rc == 0 && added) {
        rc = decide(n->fw, l, n->threshold, &n->text, out);
        if (rc == 0)
            rc = az_vec_push(&n->list, *out);
    }
    if (rc == 0)
        *out = n->list.v[known];
    return rc;
}
