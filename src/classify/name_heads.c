#include "classify/name_heads.h"

/* Where the arguments of the short name begin in the whole one; SIZE_MAX: nowhere. */
static size_t arguments_at(struct az_sv whole, struct az_sv shorter)
{
    for (size_t i = 0; i + shorter.n < whole.n; i++)
        if (whole.p[i + shorter.n] == '<' &&
            az_sv_starts(az_sv_make(whole.p + i, whole.n - i), shorter))
            return i + shorter.n + 1;
    return SIZE_MAX;
}

/* The end of the argument that begins at i: its comma, or the bracket that closes them all. */
static size_t argument_end(struct az_sv s, size_t i)
{
    size_t depth = 0;
    for (; i < s.n; i++) {
        const char c = s.p[i];
        if (depth == 0 && (c == ',' || c == '>'))
            break;
        if (c == '<' || c == '(' || c == '{')
            depth++;
        else if (c == '>' || c == ')' || c == '}')
            depth -= depth > 0;
    }
    return i;
}

/* Without its own arguments, and without the scopes of a plain identifier. */
static struct az_sv head_of(struct az_sv argument)
{
    struct az_sv s = az_sv_trim(argument);
    const ptrdiff_t open = az_sv_find(s, AZ_SV("<"));
    if (open > 0)
        s.n = (size_t)open;
    ptrdiff_t scope;
    while (az_sv_find(s, AZ_SV("(")) < 0 && (scope = az_sv_find(s, AZ_SV("::"))) >= 0)
        s = az_sv_make(s.p + scope + 2, s.n - (size_t)scope - 2);
    return s;
}

struct az_sv az_kernel_name_heads(struct az_arena *a, struct az_sv whole, struct az_sv shorter)
{
    const size_t from = arguments_at(whole, shorter);
    if (shorter.n == 0 || from == SIZE_MAX)
        return shorter;
    char *out = az_arena_array(a, 2 * whole.n + 2, 1);
    size_t n = shorter.n;
    if (!out)
        return az_sv_make(NULL, 0);
    memcpy(out, shorter.p, n);
    for (size_t i = from, end; i < whole.n; i = end + 1) {
        end = argument_end(whole, i);
        const struct az_sv head = head_of(az_sv_make(whole.p + i, end - i));
        out[n++] = i == from ? '<' : ',';
        if (i > from)
            out[n++] = ' ';
        memcpy(out + n, head.p, head.n);
        n += head.n;
        if (end == whole.n || whole.p[end] == '>')
            break;
    }
    out[n++] = '>';
    return az_sv_make(out, n);
}
