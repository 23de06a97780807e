#include "analyses/collectives/rank_list.h"

#include <stdio.h>

#include "base/num.h"

#define LEAST 8 /* numbers of a list that is packed */
#define MOST  (INT64_C(1) << 20)
#define WIDTH 24 /* of a number with what is between it and the next */

/* A packed list is "~FIRST:STEP:COUNT:SEPARATOR:BRACKETS"; SEPARATOR: 1 "," or 2 ", ". */
struct sequence {
    int64_t first, step, count, separator, brackets;
};

/* The next number, without sign or leading zeros. */
static bool next_number(struct az_sv *text, int64_t *out)
{
    size_t n = 0;
    while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9')
        n++;
    if (n == 0 || n > 12 || (n > 1 && *text->p == '0') ||
        az_parse_i64(az_sv_make(text->p, n), out) != 0)
        return false;
    *text = az_sv_make(text->p + n, text->n - n);
    return true;
}

static bool next_separator(struct az_sv *text, int64_t width)
{
    if (text->n < (size_t)width || text->p[0] != ',' || (width == 2 && text->p[1] != ' '))
        return false;
    *text = az_sv_make(text->p + width, text->n - (size_t)width);
    return true;
}

static bool is_sequence(struct az_sv text, struct sequence *s)
{
    int64_t x, last;
    s->brackets = text.n > 2 && text.p[0] == '[' && text.p[text.n - 1] == ']';
    if (s->brackets)
        text = az_sv_make(text.p + 1, text.n - 2);
    if (!next_number(&text, &s->first) || text.n < 2)
        return false;
    s->separator = text.p[1] == ' ' ? 2 : 1;
    last = s->first;
    for (s->count = 1; text.n; s->count++) {
        if (!next_separator(&text, s->separator) || !next_number(&text, &x))
            return false;
        s->step = s->count == 1 ? x - last : s->step;
        if (x - last != s->step)
            return false;
        last = x;
    }
    return s->count >= LEAST && s->count <= MOST;
}

bool az_rank_list_pack(struct az_sv text, char out[AZ_RANK_LIST_PACKED], struct az_sv *packed)
{
    struct sequence s = { .step = 0 };
    if (text.n < AZ_RANK_LIST_PACKED || !is_sequence(text, &s))
        return false;
    const int n = snprintf(out, AZ_RANK_LIST_PACKED, "~%lld:%lld:%lld:%lld:%lld",
                           (long long)s.first, (long long)s.step, (long long)s.count,
                           (long long)s.separator, (long long)s.brackets);
    *packed = az_sv_make(out, (size_t)n);
    return n > 0 && n < AZ_RANK_LIST_PACKED;
}

static bool read_packed(struct az_sv text, struct sequence *s)
{
    int64_t *const field[] = { &s->first, &s->step, &s->count, &s->separator, &s->brackets };
    if (!az_sv_starts(text, AZ_SV("~")) || az_sv_ends(text, AZ_SV(":")))
        return false;
    text = az_sv_make(text.p + 1, text.n - 1);
    for (size_t i = 0; i < AZ_LENGTH(field); i++)
        if (az_parse_i64(az_sv_cut(&text, ':'), field[i]) != 0)
            return false;
    const int64_t far = INT64_C(1) << 40;
    return text.n == 0 && s->count >= LEAST && s->count <= MOST && s->first >= 0 &&
           s->first < far && s->step > -far && s->step < far && s->separator >= 1 &&
           s->separator <= 2 && s->first + (s->count - 1) * s->step >= 0;
}

struct az_sv az_rank_list_text(struct az_arena *a, struct az_sv packed)
{
    struct sequence s;
    if (!read_packed(packed, &s))
        return packed;
    char *p = az_arena_alloc(a, (size_t)s.count * WIDTH + WIDTH), *to = p;
    if (!p)
        return (struct az_sv){ NULL, 0 };
    if (s.brackets)
        *to++ = '[';
    for (int64_t i = 0; i < s.count; i++) {
        char number[AZ_NUM_MAX];
        const size_t n = az_format_i64(s.first + i * s.step, number);
        memcpy(to, number, n);
        to += n;
        if (i + 1 < s.count) {
            memcpy(to, ", ", 2);
            to += s.separator;
        }
    }
    if (s.brackets)
        *to++ = ']';
    return az_sv_make(p, (size_t)(to - p));
}
