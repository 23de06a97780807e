/* Counters in the names of regions. */
#include "facts/regions.h"

#include <string.h>

/* A number after one of these counts, also without a separator between them. */
static const char *const counted[] = { "layer", "block", "iter",  "iteration",  "step",  "epoch",
                                       "batch", "stage", "chunk", "microbatch", "expert" };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The letters before a place: "layer" of "h.layer12". */
static struct az_sv word_before(struct az_sv name, size_t at)
{
    size_t from = at;
    while (from > 0 && is_letter(name.p[from - 1]))
        from--;
    return az_sv_make(name.p + from, at - from);
}

/* Digits [from, to) count something where they stand for themselves ("layer.12", "step[3]") or at
 * the end of a word that is counted ("layer12"); not in `conv2d`, `bf16`, `resnet50`. */
static bool is_counter(struct az_sv name, size_t from, size_t to)
{
    if (to < name.n && is_letter(name.p[to]))
        return false;
    if (from == 0 || !is_letter(name.p[from - 1]))
        return true;
    const struct az_sv word = word_before(name, from);
    for (size_t i = 0; i < AZ_LENGTH(counted); i++)
        if (word.n == strlen(counted[i]) && az_sv_ifind(word, az_sv_str(counted[i])) == 0)
            return true;
    return false;
}

size_t az_region_fold(struct az_sv name, enum az_region_source source, char *to)
{
    size_t n = 0;
    for (size_t i = 0, end; i < name.n; i = end) {
        for (end = i; end < name.n && is_digit(name.p[end]); end++)
            ;
        if (end == i) {
            to[n++] = name.p[i];
            end = i + 1;
        } else if (source == AZ_REGION_ENGINE || is_counter(name, i, end)) {
            to[n++] = '*';
        } else {
            memcpy(to + n, name.p + i, end - i);
            n += end - i;
        }
    }
    return n;
}

const char *az_region_source_text(enum az_region_source s)
{
    static const char *const text[AZ_REGION_SOURCES] = {
        [AZ_REGION_NVTX] = "nvtx",           [AZ_REGION_RECORD_FUNCTION] = "record_function",
        [AZ_REGION_MODULE] = "module",       [AZ_REGION_FRAME] = "frame",
        [AZ_REGION_HLO_SCOPE] = "hlo_scope", [AZ_REGION_ROCTX] = "roctx",
        [AZ_REGION_SIGNPOST] = "signpost",   [AZ_REGION_ENGINE] = "engine",
        [AZ_REGION_STEP] = "step",
    };
    return s < AZ_REGION_SOURCES ? text[s] : "";
}

#define BETWEEN " / "

struct az_sv az_region_path(struct az_job *job, const struct az_regions *r, uint32_t region)
{
    const size_t joint = strlen(BETWEEN);
    size_t n = 0;
    for (uint32_t i = region; i != AZ_NO_ID; i = r->v[i].parent)
        n += r->v[i].name.n + joint;
    char *text = az_arena_alloc(job->arena, n + 1);
    if (!text)
        return (struct az_sv){ NULL, 0 };
    size_t at = n - joint;
    for (uint32_t i = region; i != AZ_NO_ID; i = r->v[i].parent) {
        at -= r->v[i].name.n;
        memcpy(text + at, r->v[i].name.p, r->v[i].name.n);
        if (r->v[i].parent != AZ_NO_ID) {
            at -= joint;
            memcpy(text + at, BETWEEN, joint);
        }
    }
    return az_sv_make(text, n - joint);
}
