#include "analyses/kernels/class_keys.h"

#include <ctype.h>

#include "classify/rules.h"

#define FEW_NAMES        4    /* of fewer names nothing is common */
#define MOST_IDENTIFIERS 32   /* of a name that are examined */
#define SHORT            24   /* characters of a key that nobody would shorten */
#define MOST_LOOKS       1000 /* at beginnings; each is searched in all names */
#define MOST_WORDS       2000 /* what most names hold is among their first words */

/* ---- identifiers ---- */
static bool is_identifier(char c) { return isalnum((unsigned char)c) != 0 || c == '_'; }

/* Last name of an Itanium-mangled symbol's path (_ZN2ck6device11gemm_kernelI... -> gemm_kernel);
 * the empty view if it is none. */
static struct az_sv mangled_identifier(struct az_sv s)
{
    struct az_sv last = AZ_SV("");
    if (!az_sv_starts(s, AZ_SV("_Z")))
        return last;
    for (size_t i = s.n > 2 && s.p[2] == 'N' ? 3 : 2; i < s.n && isdigit((unsigned char)s.p[i]);) {
        size_t n = 0;
        for (; i < s.n && isdigit((unsigned char)s.p[i]) && n < s.n; i++)
            n = n * 10 + (size_t)(s.p[i] - '0');
        if (n == 0 || n > s.n - i)
            break;
        last = az_sv_make(s.p + i, n);
        i += n;
    }
    return last;
}

/* "void at::native::(anonymous namespace)::copy_kernel<4, F>(int)" -> "copy_kernel"; names without
 * such structure as they are. */
static struct az_sv own_identifier(struct az_sv name)
{
    static const struct az_sv anonymous = { "(anonymous namespace)", 21 };
    size_t end = 0;
    struct az_sv mangled = mangled_identifier(name);
    if (mangled.n)
        return mangled;
    while (end < name.n && name.p[end] != '<') {
        struct az_sv rest = az_sv_make(name.p + end, name.n - end);
        if (az_sv_starts(rest, anonymous))
            end += anonymous.n;
        else if (name.p[end] == '(')
            break;
        else
            end++;
    }
    while (end > 0 && !is_identifier(name.p[end - 1]))
        end--;
    size_t from = end;
    while (from > 0 && is_identifier(name.p[from - 1]))
        from--;
    return end > from ? az_sv_make(name.p + from, end - from) : name;
}

/* Cuts the next <length><identifier> off a mangled name; empty at the end. */
static struct az_sv next_mangled(struct az_sv *rest)
{
    while (rest->n) {
        size_t i = 0, n = 0;
        while (i < rest->n && !isdigit((unsigned char)rest->p[i]))
            i++;
        for (; i < rest->n && isdigit((unsigned char)rest->p[i]) && n < rest->n; i++)
            n = n * 10 + (size_t)(rest->p[i] - '0');
        const bool is = n > 0 && n <= rest->n - i && !isdigit((unsigned char)rest->p[i]) &&
                        is_identifier(rest->p[i]);
        const struct az_sv id = az_sv_make(rest->p + i, is ? n : 0);
        *rest = az_sv_make(rest->p + i + id.n, rest->n - i - id.n);
        if (is)
            return id;
    }
    return AZ_SV("");
}

/* Cuts the next identifier off the name; empty at the end. */
static struct az_sv next_identifier(struct az_sv *rest, bool mangled)
{
    if (mangled)
        return next_mangled(rest);
    size_t from = 0, end;
    while (from < rest->n && !is_identifier(rest->p[from]))
        from++;
    for (end = from; end < rest->n && is_identifier(rest->p[end]);)
        end++;
    const struct az_sv id = az_sv_make(rest->p + from, end - from);
    *rest = az_sv_make(rest->p + end, rest->n - end);
    return id;
}

/* ---- words ---- */
int az_class_keys_init(struct az_class_keys *k, const struct az_kernel_rules *classes,
                       struct az_arena *arena, struct az_mem *mem)
{
    *k = (struct az_class_keys){ .classes = classes };
    az_vec_init(&k->all, mem);
    az_vec_init(&k->all_class, mem);
    az_vec_init(&k->serves, mem);
    az_vec_init(&k->count, mem);
    az_vec_init(&k->class_of, mem);
    az_vec_init(&k->common, mem);
    k->pairs = az_arena_array(arena, MOST_WORDS, sizeof *k->pairs);
    if (!k->pairs)
        return az_arena_error(arena);
    int rc = az_rules_read_group("kernel_classes.rules", "common word", arena, &k->rules);
    az_intern_init(&k->words, arena, mem);
    az_intern_init(&k->ids, arena, mem);
    az_intern_init(&k->beginnings, arena, mem);
    return rc;
}

void az_class_keys_release(struct az_class_keys *k)
{
    az_intern_release(&k->words);
    az_vec_release(&k->count);
    az_intern_release(&k->ids);
    az_vec_release(&k->class_of);
    az_vec_release(&k->common);
    az_vec_release(&k->all);
    az_vec_release(&k->all_class);
    az_intern_release(&k->beginnings);
    az_vec_release(&k->serves);
}

static bool seen_before(const struct az_words *w, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (az_sv_eq(az_word(w, j), az_word(w, i)))
            return true;
    return false;
}

static int add_identifiers(struct az_class_keys *k, struct az_sv name, struct az_sv class_name)
{
    const bool mangled = az_sv_starts(name, AZ_SV("_Z"));
    int rc = 0, n = 0;
    for (struct az_sv id = next_identifier(&name, mangled); rc == 0 && id.n && n < MOST_IDENTIFIERS;
         id = next_identifier(&name, mangled), n++) {
        uint32_t at;
        rc = az_intern(&k->ids, id, &at);
        if (rc == 0 && at == k->class_of.n)
            rc = az_vec_push(&k->class_of, class_name);
        if (rc == 0 && !az_sv_eq(k->class_of.v[at], class_name))
            k->class_of.v[at] = AZ_SV("");
    }
    return rc;
}

int az_class_keys_add(struct az_class_keys *k, struct az_sv name, struct az_sv class_name)
{
    struct az_words w;
    int rc = 0;
    az_words_cut(name, &w);
    k->names++;
    for (size_t i = 0; rc == 0 && i < w.n; i++) {
        uint32_t id;
        if (seen_before(&w, i))
            continue;
        rc = az_intern(&k->words, az_word(&w, i), &id);
        if (rc == 0 && id == k->count.n)
            rc = az_vec_push(&k->count, 0) || az_vec_push(&k->common, 0)
                     ? az_mem_error(k->count.mem)
                     : 0;
        if (rc == 0)
            k->count.v[id]++;
    }
    rc = rc ? rc : az_vec_push(&k->all, name);
    rc = rc ? rc : az_vec_push(&k->all_class, class_name);
    return rc ? rc : add_identifiers(k, name, class_name);
}

/* Bits of the pairs of bytes in a word: a word that holds another has all of its bits. */
static uint64_t pairs_of(struct az_sv word)
{
    uint64_t bits = 0;
    for (size_t i = 1; i < word.n; i++)
        bits |= (uint64_t)1 << (((unsigned char)word.p[i - 1] * 7 + (unsigned char)word.p[i]) & 63);
    return bits;
}

/* Names whose words hold this one: a key is searched anywhere in a name. */
static uint32_t names_with(struct az_class_keys *k, struct az_sv word)
{
    const uint64_t pairs = pairs_of(word);
    uint32_t n = 0;
    for (; k->n_pairs < k->count.n && k->n_pairs < MOST_WORDS; k->n_pairs++)
        k->pairs[k->n_pairs] = pairs_of(az_intern_text(&k->words, (uint32_t)k->n_pairs));
    for (size_t i = 0; i < k->n_pairs && n <= k->names / 2; i++)
        if ((pairs & ~k->pairs[i]) == 0 &&
            az_sv_find(az_intern_text(&k->words, (uint32_t)i), word) >= 0)
            n += k->count.v[i];
    return n;
}

static bool is_common(struct az_class_keys *k, struct az_sv word)
{
    const uint32_t id = az_intern_find(&k->words, word);
    uint8_t unknown = 0, *known = id == AZ_NO_ID ? &unknown : &k->common.v[id];
    if (!*known) {
        const bool is = az_rules_class_of(&k->rules, "common word", word).n ||
                        (k->names >= FEW_NAMES && names_with(k, word) > k->names / 2);
        *known = is ? 2 : 1;
    }
    return *known == 2;
}

/* Does some word of it distinguish the kernels of one class from others? */
static bool tells(struct az_class_keys *k, struct az_sv id)
{
    const uint32_t at = az_intern_find(&k->ids, id);
    struct az_words w;
    bool letter = false;
    if (at != AZ_NO_ID && k->class_of.v[at].n == 0)
        return false;
    for (size_t i = 0; i < id.n; i++)
        letter |= isalpha((unsigned char)id.p[i]) != 0;
    az_words_cut(id, &w);
    for (size_t i = 0; letter && i < w.n; i++)
        if (az_word(&w, i).n > 2 && !is_common(k, az_word(&w, i)))
            return true;
    return false;
}

/* ---- beginnings ---- */
/* "GEMM-cuBLAS" -> "GEMM": finer classes of one kind may share a key. */
static struct az_sv kind_of(struct az_sv class_name) { return az_sv_cut(&class_name, '-'); }

static bool only_in_class(const struct az_class_keys *k, struct az_sv text, struct az_sv class_name)
{
    for (size_t i = 0; i < k->all.n; i++)
        if (az_sv_find(k->all.v[i], text) >= 0 &&
            !az_sv_eq(kind_of(k->all_class.v[i]), kind_of(class_name)))
            return false;
    return true;
}

/* Is the beginning of an identifier of the class a key for it? */
static bool serves(struct az_class_keys *k, struct az_sv text, struct az_sv class_name)
{
    uint32_t at;
    if (az_vec_reserve(&k->serves, 1) != 0 || az_intern(&k->beginnings, text, &at) != 0) {
        k->starved = true;
        return false;
    }
    if (at == k->serves.n) {
        const bool is =
            k->serves.n < MOST_LOOKS &&
            az_sv_eq(kind_of(az_kernel_class_of(k->classes, text)->name), kind_of(class_name)) &&
            only_in_class(k, text, class_name);
        k->serves.v[k->serves.n++] = (uint8_t)is;
    }
    return k->serves.v[at] != 0;
}

static struct az_sv shortened(struct az_class_keys *k, struct az_sv id, struct az_sv class_name)
{
    if (id.n <= SHORT || az_sv_eq(class_name, az_kernel_class_none()->name))
        return id;
    for (size_t i = 4; i < id.n; i++)
        if (id.p[i] == '_' && serves(k, az_sv_make(id.p, i), class_name))
            return az_sv_make(id.p, i);
    return id;
}

static struct az_sv identifier_key(struct az_class_keys *k, struct az_sv name)
{
    const struct az_sv own = own_identifier(name);
    if (tells(k, own))
        return own;
    const bool mangled = az_sv_starts(name, AZ_SV("_Z"));
    const size_t end = (size_t)(own.p - name.p) + own.n;
    struct az_sv behind = az_sv_make(name.p + end, name.n - end),
                 before = az_sv_make(name.p, end - own.n), id;
    int n = 0;
    for (id = next_identifier(&behind, mangled); id.n && n++ < MOST_IDENTIFIERS;
         id = next_identifier(&behind, mangled))
        if (tells(k, id))
            return id;
    for (id = next_identifier(&before, mangled); id.n && n++ < MOST_IDENTIFIERS;
         id = next_identifier(&before, mangled))
        if (tells(k, id))
            return id;
    return name;
}

struct az_sv az_class_key(struct az_class_keys *k, struct az_sv name)
{
    const struct az_sv found = identifier_key(k, name), own = own_identifier(name);
    const struct az_sv id = az_sv_eq(found, name) && own.n > SHORT ? own : found;
    const struct az_sv key = shortened(k, id, az_kernel_class_of(k->classes, name)->name);
    return key.n < id.n ? key : found;
}
