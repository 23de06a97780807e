/* Files whose names differ in the rank only: which are one run, and what to report where they were
 * not combined. */
#include <string.h>

#include "base/intern.h"
#include "io/path.h"
#include "read/internal.h"
#include "read/rank_name.h"

#define LONG_NUMBER 9 /* digits: a time, which differs between the ranks of one run */

/* What is after the rank, without the packing: ranks of one run may be packed or not. */
static struct az_sv behind_rank(struct az_sv base, const struct az_rank_place *at)
{
    const size_t end = az_path_unpacked(base).n;
    return az_sv_make(base.p + at->end, end > at->end ? end - at->end : 0);
}

struct az_sv az_group_without_rank(struct az_arena *a, const struct az_rank_name *name,
                                   struct az_sv path)
{
    const struct az_sv base = az_path_base(path);
    struct az_rank_place at;
    if (!az_rank_name_find(name, base, &at))
        return (struct az_sv){ "", 0 };
    const struct az_sv head = az_sv_make(path.p, path.n - base.n + at.digits),
                       tail = behind_rank(base, &at);
    char *text = az_arena_str(a, az_arena_printf(a, "%.*s#%.*s", AZ_SVF(head), AZ_SVF(tail)));
    size_t n = head.n + 1, digits = 0;

    for (size_t i = n; text && text[i]; i++) { /* after the rank */
        const bool more = text[i + 1] >= '0' && text[i + 1] <= '9';
        digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
        text[n++] = text[i];
        if (digits >= LONG_NUMBER && !more)
            n -= digits;
    }
    return text ? az_sv_make(text, n) : (struct az_sv){ "", 0 };
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* Length of the name of a host at `i`: `host3`, `h3`, `node-03`, `rank_1`, `host_b`; 0: none. */
static size_t host_at(struct az_sv base, size_t i, size_t *mark)
{
    static const char *const marks[] = { "host", "node", "rank", "worker", "h", NULL };
    if (i > 0 && (is_letter(base.p[i - 1]) || is_digit(base.p[i - 1])))
        return 0;
    for (const char *const *m = marks; *m; m++) {
        const struct az_sv word = az_sv_str(*m);
        size_t at = i + word.n;
        if (at >= base.n || !az_sv_ieq(az_sv_make(base.p + i, word.n), word))
            continue;
        *mark = word.n;
        at += word.n > 1 && (base.p[at] == '_' || base.p[at] == '-' || base.p[at] == '.');
        const size_t first = at;
        while (at < base.n && is_digit(base.p[at]))
            at++;
        if (word.n > 1 && at == first && at < base.n && is_letter(base.p[at]))
            at++;
        if (at > first && (at == base.n || !(is_letter(base.p[at]) || is_digit(base.p[at]))))
            return at - i;
    }
    return 0;
}

struct az_sv az_group_without_host(struct az_arena *a, struct az_sv path)
{
    const struct az_sv base = az_path_base(path);
    char *text = az_arena_str(a, path);
    size_t n = path.n - base.n, mark = 0;
    bool any = false;

    if (!text)
        return (struct az_sv){ NULL, 0 };
    for (size_t i = 0; i < base.n;) { /* what is skipped is longer than the mark for it */
        const size_t host = host_at(base, i, &mark);
        if (host) {
            memmove(text + n, base.p + i, mark);
            text[n + mark] = '#';
            n += mark + 1;
            any = true;
        } else
            text[n++] = base.p[i];
        i += host ? host : 1;
    }
    return any ? az_sv_make(text, n) : (struct az_sv){ "", 0 };
}

static bool is_separator(char c) { return c == '_' || c == '-' || c == '.'; }

struct az_sv az_group_hosts_title(struct az_arena *a, struct az_sv path)
{
    const struct az_sv name = az_path_stem(az_path_base(path));
    char *text = az_arena_str(a, name);
    size_t n = 0, first = 0, mark;
    bool any = false;

    if (!text)
        return AZ_SV("");
    for (size_t i = 0; i < name.n;) {
        const size_t host = host_at(name, i, &mark);
        any |= host > 0;
        while (host && n && is_separator(text[n - 1]))
            n--;
        if (!host)
            text[n++] = name.p[i];
        i += host ? host : 1;
    }
    while (first < n && is_separator(text[first]))
        first++;
    if (any && first < n)
        return az_sv_make(text + first, n - first);
    const struct az_sv folder = az_path_base(az_path_dir(path));
    return az_sv_is(folder, ".") || az_sv_is(folder, "/") ? AZ_SV("") : folder;
}

static void hint_rank(struct az_diag *diag, const struct az_rank_name *name, struct az_sv path,
                      size_t n)
{
    const struct az_sv base = az_path_base(path), dir = az_path_dir(path);
    struct az_rank_place at;
    if (!az_rank_name_find(name, base, &at))
        return;
    az_diag_add(diag, AZ_HINT, AZ_NOWHERE,
                "%zu files appear to be ranks of one run but are reported separately; to combine "
                "them: analyzer multirank -b '%.*s'",
                n, AZ_SVF(dir));
}

/* Inputs of one file each whose names differ in the rank only. */
struct same_name {
    struct az_sv first; /* path */
    int64_t rank;       /* of the first */
    size_t n;           /* those of another rank, and the first */
};
AZ_VEC(struct same_name, same_names);

static int note_rank(struct same_names *list, struct az_intern *keys,
                     const struct az_rank_name *name, const struct az_input *in)
{
    const struct az_sv path = in->files.v[0].path, base = az_path_base(path);
    struct az_rank_place at;
    uint32_t id;
    int rc;

    if (!az_rank_name_find(name, base, &at))
        return AZ_OK;
    const struct az_sv tail = behind_rank(base, &at);
    struct az_sv key =
        az_arena_printf(keys->arena, "%.*s %.*s%.*s#%.*s", AZ_SVF(in->format),
                        (int)(path.n - base.n), path.p, (int)at.digits, base.p, AZ_SVF(tail));
    rc = key.p ? az_intern(keys, key, &id) : az_arena_error(keys->arena);
    if (!rc && id == list->n)
        rc = az_vec_push(list, ((struct same_name){ .first = path, .rank = at.rank }));
    if (rc)
        return rc;
    struct same_name *x = &list->v[id];
    x->n += x->n == 0 || at.rank != x->rank;
    return AZ_OK;
}

int az_group_hint(struct az_config *c, struct az_diag *diag)
{
    const struct az_inputs *in = &c->inputs;
    struct az_rank_name name;
    struct az_intern keys;
    struct same_names list;
    int rc = az_rank_name_init(&name, AZ_SV(""), &c->arena, AZ_NOWHERE, diag);

    if (rc)
        return rc;
    az_vec_init(&list, NULL);
    az_intern_init(&keys, &c->arena, NULL);
    for (size_t i = 0; !rc && i < in->n; i++) {
        const struct az_format *f = az_format_find(in->v[i].format);
        if (in->v[i].files.n == 1 && f && f->ranks_reduced)
            rc = note_rank(&list, &keys, &name, &in->v[i]);
    }
    for (size_t i = 0; !rc && i < list.n; i++)
        if (list.v[i].n > 1)
            hint_rank(diag, &name, list.v[i].first, list.v[i].n);
    az_intern_release(&keys);
    az_vec_release(&list);
    az_rank_name_release(&name);
    return rc;
}

/* Inputs of one file each whose names differ in one short number, after the same text. */
struct numbered {
    struct az_sv first; /* path */
    size_t n, run;      /* which of the numbers of the name; RUN_UNKNOWN, RUN_VARIOUS */
};
AZ_VEC(struct numbered, numbereds);
enum { RANK_DIGITS = 5 }; /* longer ones are times or processes */
#define RUN_UNKNOWN SIZE_MAX
#define RUN_VARIOUS (SIZE_MAX - 1)

/* The k-th number of a base name. */
static struct az_sv number_of(struct az_sv base, size_t k)
{
    for (size_t i = 0, end; i < base.n; i = end) {
        for (end = i; end < base.n && is_digit(base.p[end]);)
            end++;
        if (end > i && k-- == 0)
            return az_sv_make(base.p + i, end - i);
        end += end == i;
    }
    return az_sv_make(base.p + base.n, 0);
}

/* The text before a number, by which --rank-pattern finds it. */
static struct az_sv word_before(struct az_sv base, struct az_sv number)
{
    const size_t end = (size_t)(number.p - base.p);
    size_t from = end;
    while (from > 0 && is_separator(base.p[from - 1]))
        from--;
    while (from > 0 && is_letter(base.p[from - 1]))
        from--;
    return az_sv_make(base.p + from, end - from);
}

/* Numbers of iterations and of runs are none of ranks. */
static bool counts_steps(struct az_sv word)
{
    static const char *const words[] = { "step",    "iter",    "iteration", "epoch", "stage",
                                         "session", "cycle",   "part",      "run",   "test",
                                         "trial",   "version", "v" };
    while (word.n && is_separator(word.p[word.n - 1]))
        word.n--;
    for (size_t i = 0; i < AZ_LENGTH(words); i++)
        if (az_sv_ieq(word, az_sv_str(words[i])))
            return true;
    return false;
}

/* Which number of two names of one form differs. */
static size_t differing_run(struct az_sv x, struct az_sv y)
{
    size_t found = RUN_UNKNOWN;
    for (size_t k = 0;; k++) {
        const struct az_sv a = number_of(x, k), b = number_of(y, k);
        if (!a.n || !b.n)
            return found;
        if (!az_sv_eq(a, b))
            found = found == RUN_UNKNOWN ? k : RUN_VARIOUS;
    }
}

static int note_number(struct numbereds *list, struct az_intern *keys, const struct az_input *in)
{
    const struct az_sv path = in->files.v[0].path, base = az_path_base(path);
    struct az_vec_char form;
    uint32_t id = 0;
    int rc = AZ_OK;
    az_vec_init(&form, NULL);
    az_text_add(&form, az_path_dir(path));
    for (size_t i = 0, end; i < base.n; i = end) {
        for (end = i; end < base.n && is_digit(base.p[end]);)
            end++;
        az_text_add(&form, end > i ? AZ_SV("/#") : az_sv_make(base.p + i, 1));
        end += end == i;
    }
    rc = az_vec_error(&form);
    if (rc == 0)
        rc = az_intern(keys, az_text_view(&form), &id);
    az_vec_release(&form);
    if (rc == 0 && id == list->n)
        return az_vec_push(list, ((struct numbered){ path, 1, RUN_UNKNOWN }));
    if (rc)
        return rc;
    struct numbered *x = &list->v[id];
    const size_t run = differing_run(az_path_base(x->first), base);
    x->run = x->n == 1 || x->run == run ? run : RUN_VARIOUS;
    x->n++;
    return AZ_OK;
}

static void hint_pattern(struct az_diag *diag, const struct numbered *x)
{
    const struct az_sv base = az_path_base(x->first);
    if (x->n < 2 || x->run >= RUN_VARIOUS)
        return;
    const struct az_sv number = number_of(base, x->run), word = word_before(base, number);
    if (number.n > RANK_DIGITS || counts_steps(word))
        return;
    az_diag_add(diag, AZ_HINT, AZ_NOWHERE,
                "%zu files like '%.*s' differ in one number only; to report them as ranks of one "
                "run: --rank-pattern=%s%.*s",
                x->n, AZ_SVF(base), word.n ? "" : "re:^", AZ_SVF(word));
}

int az_group_pattern_hint(struct az_config *c, const struct az_rank_name *name,
                          struct az_diag *diag)
{
    struct az_intern keys;
    struct numbereds list;
    int rc = AZ_OK;

    az_vec_init(&list, NULL);
    az_intern_init(&keys, &c->arena, NULL);
    for (size_t i = 0; rc == 0 && i < c->inputs.n; i++) {
        const struct az_input *in = &c->inputs.v[i];
        const struct az_format *f = az_format_find(in->format);
        struct az_rank_place at;
        bool folder;
        if (in->files.n == 1 && !in->parts && f && f->ranks_reduced &&
            !az_rank_name_find_in(name, in->files.v[0].path, &at, &folder))
            rc = note_number(&list, &keys, in);
    }
    for (size_t i = 0; rc == 0 && i < list.n; i++)
        hint_pattern(diag, &list.v[i]);
    az_intern_release(&keys);
    az_vec_release(&list);
    return rc;
}
