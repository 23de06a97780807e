#include "classify/steps.h"

#include <string.h>

#include "base/err.h"
#include "classify/word_match.h"

/* Whole names, numbers apart. Names that only contain such a word are parts of a step
 * (`Optimizer.step#AdamW.step`, `train_step/forward`). */
static const char names[] =
    "^train_step ^training_step ^trainstep ^train_iteration ^train_iter "
    "^training_iteration ^train_batch ^training_batch ^run_training_batch "
    "^step ^global_step ^train_global_step ^iteration ^iter ^train_one_step "
    "^train_one_batch ^decode_step ^inference_step ^generation_step "
    "^denoise_step ^denoising_step ^batch ^forward_step ^micro_step";

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Splits off a number at the end, and what joins it to the name: "step 12", "iteration=12",
 * "iter[12]", "step (12)". */
static struct az_sv cut_number(struct az_sv name, int64_t *number)
{
    size_t end = name.n, from;
    int64_t v = 0;
    *number = -1;
    while (end > 0 && (name.p[end - 1] == ']' || name.p[end - 1] == ')' || name.p[end - 1] == ' '))
        end--;
    for (from = end; from > 0 && is_digit(name.p[from - 1]); from--)
        ;
    if (from == end || end - from > 18)
        return name;
    for (size_t i = from; i < end; i++)
        v = v * 10 + (name.p[i] - '0');
    *number = v;
    while (from > 0 && strchr(" #:=_-[(", name.p[from - 1]))
        from--;
    return az_sv_make(name.p, from);
}

/* Without the domain that Nsight puts in front ("train:step 3", ":step 3"). */
static struct az_sv without_domain(struct az_sv name)
{
    const ptrdiff_t at = az_sv_find(name, AZ_SV(":"));
    return at < 0 || (size_t)at + 1 >= name.n
               ? name
               : az_sv_make(name.p + at + 1, name.n - (size_t)at - 1);
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* All names above end so. Most names of a trace do not, and are not split into words. */
static bool may_be_whole(struct az_sv text)
{
    static const char *const ends[] = { "step", "iter", "iteration", "batch" };
    size_t n = text.n;
    while (n > 0 && (lower(text.p[n - 1]) < 'a' || lower(text.p[n - 1]) > 'z'))
        n--;
    for (size_t i = 0; i < AZ_LENGTH(ends); i++) {
        size_t k = strlen(ends[i]), at = n;
        while (k > 0 && at > 0 && lower(text.p[at - 1]) == ends[i][k - 1]) {
            k--;
            at--;
        }
        if (k == 0)
            return true;
    }
    return false;
}

static bool whole(struct az_sv text)
{
    struct az_words w;
    if (!may_be_whole(text))
        return false;
    az_words_cut(text, &w);
    struct az_sv rest = AZ_SV(names);
    while (w.n && rest.n)
        if (az_words_at(&w, 0, az_sv_cut(&rest, ' ')) == w.n)
            return true;
    return false;
}

/* A run of a compiled program with a meaningful name: "TSL:XlaModule:#hlo_module=jit_train_step
 * ,program_id=7#". */
static bool of_program(struct az_sv name)
{
    static const struct az_sv key = { "hlo_module=", 11 };
    const ptrdiff_t at = az_sv_find(name, key);
    if (at < 0)
        return false;
    struct az_sv rest = az_sv_make(name.p + at + key.n, name.n - (size_t)at - key.n), module;
    int64_t number;
    module = cut_number(az_sv_cut(&rest, ','), &number);
    for (size_t i = 0; i < 2 && !whole(module); i++) { /* jit_train_step, pmap__train_step */
        const ptrdiff_t join = az_sv_find(module, AZ_SV("_"));
        if (join < 0)
            return false;
        module = az_sv_make(module.p + join + 1, module.n - (size_t)join - 1);
    }
    return whole(module);
}

enum az_step_mark az_step_mark_of(struct az_sv name, struct az_sv *stem, int64_t *number)
{
    static const char *const engine[] = { "execute_", "step[", "prefill[", "decode[",
                                          "[Executor] _forward_step" };
    *number = -1;
    *stem = name;
    const struct az_sv plain = without_domain(name);
    if (az_sv_starts(name, AZ_SV("ProfilerStep")) || az_sv_starts(plain, AZ_SV("ProfilerStep"))) {
        *stem = cut_number(name, number);
        return AZ_MARK_PROFILER;
    }
    for (size_t i = 0; i < AZ_LENGTH(engine); i++)
        if (az_sv_starts(name, az_sv_str(engine[i])) || az_sv_starts(plain, az_sv_str(engine[i])))
            return AZ_MARK_ENGINE;
    if (of_program(name))
        return AZ_MARK_RANGE;
    *stem = cut_number(name, number);
    if (whole(*stem) || whole(without_domain(*stem)))
        return AZ_MARK_RANGE;
    return AZ_MARK_NONE;
}

/* "aten::mm, seq = 7, op_id = 12, sizes = [[8, 8]]" is aten::mm: emit_nvtx of PyTorch writes what
 * differs from call to call into the name. The number of the sequence is in front of the others. */
static struct az_sv without_arguments(struct az_sv name)
{
    static const char *const marks[] = { ", op_id = ", ", sizes = [" };
    size_t end = name.n;
    for (size_t i = 0; i < AZ_LENGTH(marks); i++) {
        const ptrdiff_t at = az_sv_find(name, az_sv_str(marks[i]));
        end = at > 0 && (size_t)at < end ? (size_t)at : end;
    }
    const ptrdiff_t seq = az_sv_find(name, AZ_SV(", seq = "));
    /* old releases write it alone, where it may be a range of the user, too */
    const bool is_operator = end < name.n || az_sv_find(name, AZ_SV("::")) > 0;
    if (is_operator && seq > 0 && (size_t)seq < end)
        end = (size_t)seq;
    return az_sv_make(name.p, end);
}

struct az_sv az_range_plain_name(struct az_sv name)
{
    if (name.n > 1 && name.p[0] == ':' && name.p[1] != ':')
        name = az_sv_make(name.p + 1, name.n - 1);
    return without_arguments(name);
}

struct az_sv az_step_mark_name(struct az_sv name)
{
    const struct az_sv plain = without_domain(name);
    struct az_sv stem;
    int64_t number;
    if (plain.n == name.n || az_step_mark_of(plain, &stem, &number) == AZ_MARK_NONE ||
        of_program(name))
        return name;
    return plain;
}
