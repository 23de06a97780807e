#include "classify/engine_marks.h"

#include <string.h>

#include "base/num.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The number right after a word that no letter precedes; -1: none. */
static int64_t number_after(struct az_sv text, const char *word)
{
    const size_t n = strlen(word);
    for (size_t at = 0; at + n <= text.n; at++) {
        const char before = at ? text.p[at - 1] : ' ';
        size_t end = at + n;
        int64_t v;
        if (memcmp(text.p + at, word, n) != 0 || (before >= 'a' && before <= 'z') ||
            (before >= 'A' && before <= 'Z'))
            continue;
        while (end < text.n && is_digit(text.p[end]))
            end++;
        if (az_parse_i64(az_sv_make(text.p + at + n, end - at - n), &v) == 0)
            return v;
    }
    return -1;
}

static int64_t first_of(struct az_sv text, const char *const *words)
{
    int64_t v = -1;
    for (; *words && v < 0; words++)
        v = number_after(text, *words);
    return v;
}

/* -1 where neither is recorded. */
static int64_t sum_of(int64_t a, int64_t b) { return a < 0 ? b : b < 0 ? a : az_add_sat(a, b); }

static enum az_engine_phase phase_of(int64_t prefill, int64_t decode)
{
    if (prefill < 0 && decode < 0)
        return AZ_ENGINE_UNKNOWN;
    return prefill > 0 && decode > 0 ? AZ_ENGINE_MIXED
           : prefill > 0             ? AZ_ENGINE_PREFILL
           : decode > 0              ? AZ_ENGINE_DECODE
                                     : AZ_ENGINE_IDLE;
}

/* From a word to the next ')': "context_15(sq15360sk15360)". */
static struct az_sv part_of(struct az_sv text, const char *word)
{
    const ptrdiff_t at = az_sv_find(text, az_sv_str(word));
    if (at < 0)
        return AZ_SV("");
    text = az_sv_make(text.p + at, text.n - (size_t)at);
    const ptrdiff_t end = az_sv_find(text, AZ_SV(")"));
    return end < 0 ? text : az_sv_make(text.p, (size_t)end + 1);
}

/* execute_[TOKENS_]context_N(TOKENS)_generation_N(TOKENS), the parentheses also (sqTOKENSskCONTEXT
 * ...); execute_new_N_cached_N. */
static void read_execute(struct az_sv name, struct az_engine_mark *m)
{
    static const char *const count[] = { "(sq", "(", NULL };
    const struct az_sv new = part_of(name, "context_"), old = part_of(name, "generation_");
    int64_t prefill = number_after(new, "context_"), decode = number_after(old, "generation_");
    if (prefill < 0 && decode < 0) {
        prefill = number_after(name, "new_");
        decode = number_after(name, "cached_");
    }
    m->phase = phase_of(prefill, decode);
    m->batch = sum_of(prefill, decode);
    m->tokens = sum_of(first_of(new, count), first_of(old, count));
    const ptrdiff_t a = az_sv_find(new, AZ_SV("sk")), b = az_sv_find(old, AZ_SV("sk"));
    if (a >= 0 || b >= 0)
        m->context =
            sum_of(a < 0 ? -1 : number_after(az_sv_make(new.p + a, new.n - (size_t)a), "sk"),
                   b < 0 ? -1 : number_after(az_sv_make(old.p + b, old.n - (size_t)b), "sk"));
}

/* step[DECODE bs=32], prefill[bs=1 tokens=512], decode[bs=8 ctx=4096] */
static void read_brackets(struct az_sv name, struct az_engine_mark *m)
{
    static const char *const batch[] = { "batch_size=", "batch=", "bs=", "reqs=", NULL };
    static const char *const tokens[] = { "num_tokens=", "tokens=", "toks=", "tok=", NULL };
    static const char *const context[] = { "context=", "ctx=", "kv=", "seqlen=", "seq_len=", NULL };
    static const struct {
        const char *word;
        enum az_engine_phase phase;
    } phases[] = { { "PREFILL", AZ_ENGINE_PREFILL }, { "EXTEND", AZ_ENGINE_PREFILL },
                   { "DECODE", AZ_ENGINE_DECODE },   { "VERIFY", AZ_ENGINE_DECODE },
                   { "MIXED", AZ_ENGINE_MIXED },     { "IDLE", AZ_ENGINE_IDLE } };
    const ptrdiff_t at = az_sv_find(name, AZ_SV("["));
    size_t end = (size_t)at + 1;
    while (end < name.n && name.p[end] != ' ' && name.p[end] != ']')
        end++;
    const struct az_sv word = az_sv_starts(name, AZ_SV("step["))
                                  ? az_sv_make(name.p + at + 1, end - (size_t)at - 1)
                                  : az_sv_make(name.p, (size_t)at);
    for (size_t i = 0; i < AZ_LENGTH(phases) && m->phase == AZ_ENGINE_UNKNOWN; i++)
        if (az_sv_ifind(word, az_sv_str(phases[i].word)) >= 0)
            m->phase = phases[i].phase;
    m->batch = first_of(name, batch);
    m->tokens = first_of(name, tokens);
    m->context = first_of(name, context);
}

/* [Executor] _forward_step 12: 1 ctx reqs, 512 ctx tokens, 3 gen reqs */
static int64_t number_before(struct az_sv text, const char *word)
{
    const ptrdiff_t at = az_sv_find(text, az_sv_str(word));
    size_t from = at < 0 ? 0 : (size_t)at;
    int64_t v;
    while (from > 0 && text.p[from - 1] == ' ')
        from--;
    const size_t end = from;
    while (from > 0 && is_digit(text.p[from - 1]))
        from--;
    return at >= 0 && az_parse_i64(az_sv_make(text.p + from, end - from), &v) == 0 ? v : -1;
}

static void read_executor(struct az_sv name, struct az_engine_mark *m)
{
    const int64_t prefill = number_before(name, "ctx reqs"),
                  decode = number_before(name, "gen reqs"),
                  tokens = number_before(name, "ctx tokens");
    m->phase = phase_of(prefill, decode);
    m->batch = sum_of(prefill, decode);
    m->tokens = tokens < 0 ? -1 : sum_of(tokens, number_before(name, "gen tokens"));
}

const char *az_engine_phase_text(enum az_engine_phase p)
{
    static const char *const text[AZ_ENGINE_PHASES] = { "", "prefill", "decode", "mixed", "idle" };
    return p < AZ_ENGINE_PHASES ? text[p] : "";
}

bool az_engine_mark_read(struct az_sv name, struct az_engine_mark *out)
{
    *out = (struct az_engine_mark){ AZ_ENGINE_UNKNOWN, -1, -1, -1 };
    if (az_sv_starts(name, AZ_SV("execute_")))
        read_execute(name, out);
    else if (az_sv_starts(name, AZ_SV("step[")) || az_sv_starts(name, AZ_SV("prefill[")) ||
             az_sv_starts(name, AZ_SV("decode[")))
        read_brackets(name, out);
    else if (az_sv_starts(name, AZ_SV("[Executor] _forward_step")))
        read_executor(name, out);
    else
        return false;
    return true;
}
