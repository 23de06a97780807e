#include "classify/engine_counts.h"

#include <string.h>

#include "base/err.h"
#include "base/num.h"

/* Numbers in a name; beyond this one is none, so that sums of them fit. */
#define MOST INT64_C(1000000000000000)

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Matches a literal at the front of the rest. */
static bool skip_word(struct az_sv *rest, const char *word)
{
    const size_t n = strlen(word);
    if (!az_sv_starts(*rest, az_sv_str(word)))
        return false;
    *rest = az_sv_make(rest->p + n, rest->n - n);
    return true;
}

/* Matches digits. */
static bool skip_number(struct az_sv *rest, int64_t *value)
{
    size_t n = 0;
    while (n < rest->n && is_digit(rest->p[n]))
        n++;
    if (n == 0 || az_parse_i64(az_sv_make(rest->p, n), value) || *value > MOST)
        return false;
    *rest = az_sv_make(rest->p + n, rest->n - n);
    return true;
}

/* The digits after `key=`, a whole word; 0: none. */
static int64_t number_of(struct az_sv text, const char *key)
{
    const size_t n = strlen(key);
    for (size_t i = 0; i + n + 1 < text.n; i++) {
        struct az_sv rest = az_sv_make(text.p + i + n + 1, text.n - i - n - 1);
        int64_t value;
        if (memcmp(text.p + i, key, n) == 0 && text.p[i + n] == '=' &&
            (i == 0 || !is_word(text.p[i - 1])) && skip_number(&rest, &value))
            return value;
    }
    return 0;
}

static bool has_number(struct az_sv text, const char *key)
{
    for (ptrdiff_t at; (at = az_sv_find(text, az_sv_str(key))) >= 0;) {
        const size_t after = (size_t)at + strlen(key);
        if (after < text.n && is_digit(text.p[after]))
            return true;
        text = az_sv_make(text.p + at + 1, text.n - (size_t)at - 1);
    }
    return false;
}

/* (sq1sk2sqsq3sqsk4): the first number; the others are sums of lengths. */
static bool skip_lengths(struct az_sv *rest, int64_t *tokens)
{
    int64_t other;
    return skip_word(rest, "(sq") && skip_number(rest, tokens) && skip_word(rest, "sk") &&
           skip_number(rest, &other) && skip_word(rest, "sqsq") && skip_number(rest, &other) &&
           skip_word(rest, "sqsk") && skip_number(rest, &other) && skip_word(rest, ")");
}

static bool skip_tokens(struct az_sv *rest, int64_t *tokens)
{
    return skip_word(rest, "(") && skip_number(rest, tokens) && skip_word(rest, ")");
}

/* vLLM: execute_context_1(512)_generation_3(3); execute_515_context_1(sq512sk..)_generation_... */
static enum az_engine_grammar read_vllm(struct az_sv name, struct az_engine_counts *c)
{
    int64_t all;
    const bool detailed = !az_sv_starts(name, AZ_SV("execute_context_"));
    bool (*const lengths)(struct az_sv *, int64_t *) = detailed ? skip_lengths : skip_tokens;
    if (!skip_word(&name, "execute_") ||
        (detailed && (!skip_number(&name, &all) || !skip_word(&name, "_"))) ||
        !skip_word(&name, "context_") || !skip_number(&name, &c->context_requests) ||
        !lengths(&name, &c->context_tokens) || !skip_word(&name, "_generation_") ||
        !skip_number(&name, &c->generation_requests) || !lengths(&name, &c->generation_tokens))
        return AZ_ENGINE_NO_STEP;
    c->tokens = c->context_tokens + c->generation_tokens;
    return detailed ? AZ_ENGINE_DETAILED : AZ_ENGINE_NATIVE;
}

static const struct az_engine_counts of_unknown = { 0, 0, 1, 1, 1 };

/* step[EXTEND bs=2 toks=14721], step[DECODE bs=8] */
static void read_sglang_native(struct az_sv name, bool decodes, struct az_engine_counts *c)
{
    struct az_sv rest = name;
    int64_t requests = 0, tokens = 0;
    while (rest.n && is_word(rest.p[0]))
        rest = az_sv_make(rest.p + 1, rest.n - 1);
    bool whole = skip_word(&rest, " bs=") && skip_number(&rest, &requests);
    if (whole && skip_word(&rest, " toks="))
        whole = skip_number(&rest, &tokens);
    if (!whole || !az_sv_starts(rest, AZ_SV("]"))) {
        *c = of_unknown;
        return;
    }
    if (decodes)
        *c = (struct az_engine_counts){ 0, 0, requests, requests, requests };
    else
        *c = (struct az_engine_counts){ requests, tokens, 0, 0, tokens ? tokens : requests };
}

static void read_sglang_detailed(struct az_sv body, bool decodes, bool mixed,
                                 struct az_engine_counts *c)
{
    const int64_t requests = number_of(body, "bs"), tokens = number_of(body, "toks"),
                  prompts = number_of(body, "c_sq"), generated = number_of(body, "g_sq");
    *c = (struct az_engine_counts){ .context_requests = decodes ? 0 : requests,
                                    .context_tokens = decodes ? 0 : prompts,
                                    .generation_requests = decodes ? requests : 0,
                                    .generation_tokens = decodes || mixed ? generated : 0 };
    if (mixed) {
        c->context_requests = number_of(body, "c");
        c->generation_requests = number_of(body, "g");
    }
    c->tokens = prompts + generated ? prompts + generated : tokens ? tokens : requests;
}

/* SGLang: step[EXTEND bs=2 toks=14721], with sums c_sq=.. c_sqsq=.. g_sq=.. */
static enum az_engine_grammar read_sglang(struct az_sv name, struct az_engine_counts *c)
{
    const ptrdiff_t end = az_sv_find(name, AZ_SV("]"));
    if (end < 0 || !skip_word(&name, "step["))
        return AZ_ENGINE_NO_STEP;
    const struct az_sv body = az_sv_make(name.p, (size_t)end - strlen("step["));
    const bool decodes = az_sv_starts(body, AZ_SV("DECODE")),
               mixed = az_sv_starts(body, AZ_SV("MIXED"));
    const size_t word = decodes ? 6 : mixed ? 5 : az_sv_starts(body, AZ_SV("EXTEND")) ? 6 : 0;
    if (word == 0 || (body.n > word && is_word(body.p[word])))
        return AZ_ENGINE_NO_STEP;
    if (has_number(body, "sqsq=")) {
        read_sglang_detailed(body, decodes, mixed, c);
        return AZ_ENGINE_DETAILED;
    }
    read_sglang_native(name, decodes, c);
    return AZ_ENGINE_NATIVE;
}

/* ATOM: prefill[bs=2 tok=14721 ctx=[7803, 6918]], decode[bs=117/128 tok=117 d=117] */
static enum az_engine_grammar read_atom(struct az_sv name, struct az_engine_counts *c)
{
    const bool prefills = skip_word(&name, "prefill[");
    size_t end = name.n;
    if (!prefills && !skip_word(&name, "decode["))
        return AZ_ENGINE_NO_STEP;
    for (end = name.n; end > 0 && name.p[end - 1] != ']'; end--)
        ;
    if (end == 0)
        return AZ_ENGINE_NO_STEP;
    const struct az_sv body = az_sv_make(name.p, end - 1);
    const int64_t requests = number_of(body, "bs"), tokens = number_of(body, "tok");
    *c = prefills ? (struct az_engine_counts){ requests, tokens, 0, 0, tokens }
                  : (struct az_engine_counts){ 0, 0, requests, tokens, tokens };
    return has_number(body, "sqsq=") ? AZ_ENGINE_DETAILED : AZ_ENGINE_NATIVE;
}

/* execute_diffusion_1_1024x1024 */
static enum az_engine_grammar read_diffusion(struct az_sv name, struct az_engine_counts *c)
{
    int64_t size;
    if (!skip_word(&name, "execute_diffusion_") || !skip_number(&name, &c->tokens) ||
        !skip_word(&name, "_") || !skip_number(&name, &size) || !skip_word(&name, "x") ||
        !skip_number(&name, &size))
        return AZ_ENGINE_NO_STEP;
    return AZ_ENGINE_NATIVE;
}

enum az_engine_grammar az_engine_counts_read(struct az_sv name, struct az_engine_counts *out)
{
    static enum az_engine_grammar (*const read[])(struct az_sv, struct az_engine_counts *) = {
        read_vllm, read_sglang, read_atom, read_diffusion
    };
    for (size_t i = 0; i < AZ_LENGTH(read); i++) {
        struct az_engine_counts c = { 0 };
        const enum az_engine_grammar g = read[i](name, &c);
        if (g != AZ_ENGINE_NO_STEP) {
            *out = c;
            return g;
        }
    }
    *out = of_unknown;
    return AZ_ENGINE_NO_STEP;
}
