/* Canonical columns by rules over headers: one spelling per word, unit and statistic removed, then
 * the names that tools use for one metric. */
#include "document/schema_index.h"

#include <stdio.h>

#include "base/intern.h"
#include "document/units.h"

#define MAX_WORDS 32
#define NARROW    32  /* columns: comparing is less than hashing */
#define TRIES     16  /* of numbers for equal ids, one by one */
#define MAX_TEXT  512 /* of a header; what is longer is truncated */

/* Texts one after another: printf would be most of the work. */
#define JOINED(a, ...)                                                                             \
    joined(a, (const struct az_sv[]){ __VA_ARGS__ },                                               \
           sizeof((const struct az_sv[]){ __VA_ARGS__ }) / sizeof(struct az_sv))
static struct az_sv joined(struct az_arena *a, const struct az_sv *part, size_t parts)
{
    size_t n = 0, at = 0;

    for (size_t i = 0; i < parts; i++)
        n += part[i].n;
    char *p = az_arena_alloc(a, n + 1);
    if (!p)
        return (struct az_sv){ NULL, 0 };
    for (size_t i = 0; i < parts; at += part[i++].n)
        memcpy(p + at, part[i].p, part[i].n);
    p[n] = 0;
    return az_sv_make(p, n);
}

/* ---- words of a header ---- */

struct words {
    char buf[MAX_TEXT * 2];
    size_t used;
    struct az_sv v[MAX_WORDS];
    const struct az_schema_meaning *meaning[MAX_WORDS]; /* of v, from take_units on */
    size_t n;
    const struct az_schema_index *index;
};

/* Is it `word`, which is not empty? Most are not, by their first character. */
static bool is_word(struct az_sv text, const char *word)
{
    return text.n && *text.p == *word && az_sv_is(text, word);
}

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_of_word(char c) { return is_lower(c) || is_upper(c) || is_digit(c); }
static char lower(char c) { return is_upper(c) ? (char)(c | 0x20) : c; }

static void add_word(struct words *w, const char *p, size_t n)
{
    const bool deviation =
        w->n && az_sv_is(w->v[w->n - 1], "std") && az_sv_ieq(az_sv_make(p, n), AZ_SV("dev"));

    if (n == 0 || deviation || w->n == MAX_WORDS || w->used + n > sizeof w->buf)
        return;
    for (size_t i = 0; i < n; i++)
        w->buf[w->used + i] = lower(p[i]);
    w->v[w->n++] = az_sv_make(w->buf + w->used, n);
    w->used += n;
}

static void remove_word(struct words *w, size_t at)
{
    for (w->n--; at < w->n; at++) { /* a few words */
        w->v[at] = w->v[at + 1];
        w->meaning[at] = w->meaning[at + 1];
    }
}

/* Does a new word start at i? "TotalTime", "KAvg", "GPUOps". */
static bool starts_word(const char *p, size_t n, size_t i)
{
    if (!is_upper(p[i]))
        return false;
    return is_lower(p[i - 1]) || (is_upper(p[i - 1]) && i + 1 < n && is_lower(p[i + 1]));
}

static void split(struct words *w, struct az_sv token)
{
    size_t from = 0;

    for (size_t k = 0; token.n && az_schema_whole_words[k]; k++)
        if (is_word(token, az_schema_whole_words[k])) {
            add_word(w, token.p, token.n);
            return;
        }
    for (size_t i = 1; i < token.n; i++)
        if (starts_word(token.p, token.n, i)) {
            add_word(w, token.p + from, i - from);
            from = i;
        }
    add_word(w, token.p + from, token.n - from);
}

static bool is_phrase(struct az_sv rest, struct az_sv text)
{
    return rest.n >= text.n && az_sv_ieq(az_sv_make(rest.p, text.n), text);
}

/* Replaces "TB/s" by words; returns how many bytes were used, 0: none. */
static size_t take_phrase(struct words *w, struct az_sv rest)
{
    if (!w->index->begins_phrase[(unsigned char)*rest.p])
        return 0;
    for (size_t k = 0; az_schema_phrases[k].text; k++) {
        if (lower(*rest.p) != lower(*az_schema_phrases[k].text))
            continue;
        struct az_sv text = az_sv_str(az_schema_phrases[k].text),
                     to = az_sv_str(az_schema_phrases[k].words);
        if (!is_phrase(rest, text))
            continue;
        while (to.n)
            split(w, az_sv_cut(&to, ' '));
        return text.n;
    }
    return 0;
}

static bool is_unit(const struct az_schema_index *x, struct az_sv text, enum az_unit unit,
                    bool bracketed)
{
    const struct az_schema_unit *u = &az_schema_units[x->unit_row[unit]];

    for (; u->text && u->unit == unit; u++)
        if ((bracketed || u->word) && az_sv_ieq(text, az_sv_str(u->text)))
            return true;
    return false;
}

static bool is_any_unit(struct az_sv text)
{
    for (size_t k = 0; az_schema_units[k].text; k++)
        if (az_sv_ieq(text, az_sv_str(az_schema_units[k].text)))
            return true;
    return false;
}

/* "(ns)" or "[%]" at the start of rest: how many bytes, if it is the unit of the column. A text and
 * a count have none: "Kernel duration (us)_count". */
static size_t take_unit(const struct az_schema_index *x, struct az_sv rest,
                        const struct az_column *c)
{
    const char close = rest.p[0] == '(' ? ')' : ']';
    const char *end = rest.p[0] == '(' || rest.p[0] == '[' ? memchr(rest.p, close, rest.n) : NULL;

    if (!end)
        return 0;
    struct az_sv text = az_sv_make(rest.p + 1, (size_t)(end - rest.p) - 1);
    const bool none = c->unit == AZ_UNIT_COUNT || (c->unit == AZ_UNIT_NONE && c->type == AZ_TEXT);
    const bool fits = is_unit(x, text, c->unit, true) || (none && is_any_unit(text));
    return fits ? text.n + 2 : 0;
}

static void words_of(struct words *w, struct az_sv name, const struct az_column *c)
{
    size_t from = 0, i = 0, taken;

    w->n = w->used = 0;
    name.n = name.n > MAX_TEXT ? MAX_TEXT : name.n;
    while (i < name.n) {
        struct az_sv rest = az_sv_make(name.p + i, name.n - i);
        const bool letter = is_of_word(name.p[i]);
        taken = letter ? 0 : take_unit(w->index, rest, c);
        if (taken == 0 && from == i)
            taken = take_phrase(w, rest);
        if (letter && taken == 0) {
            while (++i < name.n && is_of_word(name.p[i]))
                ;
            continue;
        }
        split(w, az_sv_make(name.p + from, i - from));
        i += taken ? taken : 1;
        from = i;
    }
    split(w, az_sv_make(name.p + from, name.n - from));
}

/* ---- what is summed up ---- */

/* Removes words of totals, and returns the word of another summary ("mean", "p95"); "": none.
 */
static const char *take_summary(struct words *w, enum az_unit unit)
{
    const char *found = "";
    const bool adds_up = unit != AZ_UNIT_NONE && unit != AZ_UNIT_ID;

    for (size_t i = 0; i < w->n;) {
        const char *summary = w->meaning[i] ? w->meaning[i]->summary : NULL;
        if (!summary || (*summary == 0 ? !adds_up : *found != 0)) {
            i++;
            continue;
        }
        found = *summary ? summary : found;
        remove_word(w, i);
    }
    return found;
}

static void take_units(struct words *w, const struct az_column *c)
{
    for (size_t i = 0; i < w->n;) {
        if (c->unit != AZ_UNIT_NONE && is_unit(w->index, w->v[i], c->unit, false))
            remove_word(w, i);
        else
            i++;
    }
    while (w->n && c->unit == AZ_UNIT_PERCENT && az_sv_is(w->v[0], "of"))
        remove_word(w, 0);
    for (size_t i = 0; i < w->n; i++) {
        const struct az_schema_meaning *m = az_schema_meaning(w->index, w->v[i]);
        if (m && m->word) {
            w->v[i] = az_sv_str(m->word);
            m = az_schema_meaning(w->index, w->v[i]);
        }
        w->meaning[i] = m;
    }
}

/* Is it one of a list of globs? */
static bool fits_list(const char *list, struct az_sv text)
{
    struct az_sv rest = az_sv_str(list);

    while (rest.n)
        if (az_sv_glob(az_sv_cut(&rest, '|'), text))
            return true;
    return false;
}

/* m: the meaning of the core */
static struct az_sv canonical(const struct az_schema_meaning *m, struct az_sv table,
                              struct az_sv core, enum az_unit unit)
{
    for (size_t k = 0; m && k < AZ_SCHEMA_MASKS; k++)
        for (uint64_t left = m->rules[k]; left; left &= left - 1) {
            const struct az_schema_rule *r =
                &az_schema_rules[k * 64 + (size_t)__builtin_ctzll(left)];
            if ((r->unit == AZ_UNIT_NONE || az_unit_same_dimension(r->unit, unit)) &&
                (!r->tables || fits_list(r->tables, table)))
                return az_sv_str(r->stem);
        }
    return core;
}

static struct az_sv join_words(struct az_arena *a, const struct words *w)
{
    size_t n = w->n;
    char *p, *at;

    for (size_t i = 0; i < w->n; i++)
        n += w->v[i].n;
    at = p = az_arena_alloc(a, n + 1);
    for (size_t i = 0; p && i < w->n; i++) {
        if (i)
            *at++ = '_';
        memcpy(at, w->v[i].p, w->v[i].n);
        at += w->v[i].n;
    }
    return p ? az_sv_make(p, (size_t)(at - p)) : (struct az_sv){ NULL, 0 };
}

/* Stem of one part of a header, which "::" and "__" divide in comparisons: "baseline::Total Time
 * (ns)". */
static struct az_sv part_stem(const struct az_schema_index *x, struct az_table *t,
                              struct az_sv part, const struct az_column *c, bool measure,
                              struct az_arena *scratch)
{
    const struct az_column plain = { .type = AZ_TEXT, .unit = AZ_UNIT_NONE },
                           *of = measure ? c : &plain;
    struct words w;
    struct az_sv core;

    w.index = x;
    words_of(&w, part, of);
    if (measure)
        take_units(&w, of);
    const char *summary = measure ? take_summary(&w, c->unit) : "";
    core = join_words(scratch, &w);
    if (!core.p)
        return core;
    if (measure)
        core =
            canonical(w.n == 1 ? w.meaning[0] : az_schema_meaning(x, core), t->id, core, c->unit);
    if (core.n == 0 && *summary && c->unit == AZ_UNIT_NONE)
        return az_sv_str(summary);
    if (core.n == 0)
        core = az_sv_str("column");
    return *summary ? JOINED(scratch, core, AZ_SV("_"), az_sv_str(summary)) : core;
}

/* The next part of a header; *rest is what follows. */
static struct az_sv next_part(struct az_sv *rest)
{
    struct az_sv part = *rest;

    for (size_t i = 1; i + 2 < rest->n; i++)
        if (memcmp(rest->p + i, "::", 2) == 0 || memcmp(rest->p + i, "__", 2) == 0) {
            part.n = i;
            *rest = az_sv_make(rest->p + i + 2, rest->n - i - 2);
            return part;
        }
    *rest = az_sv_make(rest->p + rest->n, 0);
    return part;
}

/* open: the table's columns are names of the user's. */
static struct az_sv stem_of(const struct az_schema_index *x, struct az_table *t,
                            const struct az_column *c, bool open, struct az_arena *scratch)
{
    const bool variant = az_sv_find(c->name, AZ_SV("::")) >= 0;
    struct az_sv rest = c->name, stem = { "", 0 };

    if (open)
        return part_stem(x, t, c->name, c, false, scratch);
    for (bool first = true; first || rest.n; first = false) {
        struct az_sv part = next_part(&rest);
        struct az_column own = *c;
        if (!variant && first &&
            rest.n) /* "Total Time (ns)__variant_pct": the unit is that of the last part */
            own.unit = az_unit_of_column(part, c->type);
        struct az_sv one = part_stem(x, t, part, &own, variant ? !first : first, scratch);
        if (!one.p)
            return one;
        stem = stem.n ? JOINED(scratch, stem, AZ_SV("__"), one) : one;
        if (!stem.p)
            return stem;
    }
    return stem;
}

/* ---- ids ---- */

static const char *suffix_of(enum az_unit u)
{
    return (unsigned)u < AZ_SCHEMA_SUFFIXES && az_schema_suffixes[u] ? az_schema_suffixes[u] : "";
}

/* Counts of something have it in their stem already. */
static bool says_count(struct az_sv stem)
{
    return az_sv_is(stem, "count") || az_sv_starts(stem, AZ_SV("count_")) ||
           az_sv_ends(stem, AZ_SV("_count")) || az_sv_find(stem, AZ_SV("_count_")) >= 0;
}

/* ---- titles ---- */

static bool is_acronym(const struct az_schema_index *x, struct az_sv word)
{
    const struct az_schema_meaning *m = az_schema_meaning(x, word);

    return m && m->acronym;
}

static const char *summary_title(struct az_sv word)
{
    static const struct {
        const char *word, *title;
    } titles[] = { { "mean", "mean " },
                   { "median", "median " },
                   { "min", "min " },
                   { "max", "max " },
                   { "std", "standard deviation of " },
                   { "p25", "25th percentile of " },
                   { "p75", "75th percentile of " },
                   { "p95", "95th percentile of " },
                   { "p99", "99th percentile of " } };

    for (size_t i = 0; i < AZ_LENGTH(titles); i++)
        if (az_sv_is(word, titles[i].word))
            return titles[i].title;
    return NULL;
}

/* "kernel_time_mean" -> "Mean kernel time". */
static struct az_sv stem_title(const struct az_schema_index *x, struct az_arena *a,
                               struct az_sv stem)
{
    struct az_sv rest = stem, last = stem;
    const char *summary;
    char *p, *at;

    for (size_t i = stem.n; i > 0 && last.n == stem.n; i--)
        if (stem.p[i - 1] == '_')
            last = az_sv_make(stem.p + i, stem.n - i);
    summary = last.n < stem.n ? summary_title(last) : NULL;
    rest.n -= summary ? last.n + 1 : 0;
    summary = summary ? summary : "";
    at = p = az_arena_alloc(a, strlen(summary) + stem.n + 1);
    if (!p)
        return (struct az_sv){ NULL, 0 };
    memcpy(at, summary, strlen(summary));
    at += strlen(summary);
    while (rest.n) {
        struct az_sv word = az_sv_cut(&rest, '_');
        const bool capitals = is_acronym(x, word);
        for (size_t i = 0; i < word.n; i++)
            *at++ = (char)(capitals && is_lower(word.p[i]) ? word.p[i] & ~0x20 : word.p[i]);
        if (rest.n)
            *at++ = ' ';
    }
    if (is_lower(*p))
        *p = (char)(*p & ~0x20);
    return az_sv_make(p, (size_t)(at - p));
}

/* Columns whose title is more than their id: families have copies and fills next to kernels, means
 * of sums are no means of kernels, time of regions is summed over streams and devices, which
 * overlap, and idle time between regions is in none. */
static struct az_sv titled_stem(const struct az_table *t, struct az_sv stem)
{
    static const struct {
        const char *table, *stem, *title;
    } titles[] = { { "time_by_family", "kernel_time", "device_time" },
                   { "time_by_family", "kernel_time_mean", "time_per_device_mean" },
                   { "time_by_family", "kernel_time_min", "time_per_device_min" },
                   { "time_by_family", "kernel_time_max", "time_per_device_max" },
                   { "time_by_family_by_rank", "kernel_time", "device_time" },
                   { "kernel_launchers", "kernel_time_mean", "kernel_time_per_rank_mean" },
                   { "kernel_launchers", "count_mean", "count_per_rank_mean" },
                   { "regions", "device", "device_sum" },
                   { "regions", "idle", "idle_inside" } };

    for (size_t i = 0; i < AZ_LENGTH(titles); i++)
        if (az_sv_is(t->id, titles[i].table) && az_sv_is(stem, titles[i].stem))
            return az_sv_str(titles[i].title);
    return stem;
}

/* Columns that the user's names are titled by stay as they are. */
static struct az_sv title_of(const struct az_schema_index *x, const struct az_table *t,
                             const struct az_column *c, bool open, struct az_arena *scratch)
{
    const char *unit = az_unit_text(c->unit);

    if (open || az_sv_find(c->stem, AZ_SV("__")) >= 0 || az_sv_starts(c->name, AZ_SV("param:")))
        return c->name;
    struct az_sv title = stem_title(x, *unit ? scratch : t->arena, titled_stem(t, c->stem));
    return title.p && *unit ? JOINED(t->arena, title, AZ_SV(" ("), az_sv_str(unit), AZ_SV(")"))
                            : title;
}

/* Is the id that of a column before this one? ids: of wide tables those of all before. */
static int claim(struct az_intern *ids, const struct az_table *t, size_t at, struct az_sv id,
                 bool *taken)
{
    uint32_t number;

    *taken = false;
    if (!ids) {
        for (size_t i = 0; i < at && !*taken; i++)
            *taken = az_sv_eq(t->columns.v[i].id, id);
        return AZ_OK;
    }
    const int rc = az_intern(ids, id, &number);
    *taken = number < at;
    return rc;
}

/* ids: those of the columns before this one; NULL: the table is narrow. What is in `scratch` is not
 * needed after it. */
static int name_column(const struct az_schema_index *x, struct az_table *t, size_t at,
                       struct az_intern *ids, bool open, struct az_arena *scratch)
{
    struct az_column *c = &t->columns.v[at];
    struct az_sv stem = stem_of(x, t, c, open, scratch);
    bool taken = true;

    if (!stem.p)
        return az_arena_error(scratch);
    const char *suffix = c->unit == AZ_UNIT_COUNT && says_count(stem) ? "" : suffix_of(c->unit);
    for (size_t k = 1; taken; k++) {
        char mark[24] = "";
        if (k == TRIES) /* thousands of one name: by the column's place, so that none is tried for
                           long */
            k = at > k ? at : k;
        if (k > 1)
            (void)snprintf(mark, sizeof mark, "_%zu", k);
        struct az_sv id = JOINED(t->arena, stem, az_sv_str(mark), az_sv_str(suffix));
        const int rc = id.p ? claim(ids, t, at, id, &taken) : az_arena_error(t->arena);
        if (rc)
            return rc;
        c->id = id;
        c->stem = az_sv_make(id.p, id.n - strlen(suffix));
    }
    c->title = title_of(x, t, c, open, scratch);
    return c->title.p ? AZ_OK : az_arena_error(scratch->failed ? scratch : t->arena);
}

/* A column for each rank: texts on the way to their names would take more than the names. */
static int name_many(const struct az_schema_index *x, struct az_table *t, bool open)
{
    struct az_arena of_ids, scratch;
    struct az_intern ids;
    int rc = AZ_OK;

    az_arena_init(&of_ids, t->mem);
    az_arena_init(&scratch, t->mem);
    az_intern_init(&ids, &of_ids, t->mem);
    for (size_t i = 0; !rc && i < t->columns.n; i++) {
        az_arena_reset(&scratch);
        rc = name_column(x, t, i, &ids, open, &scratch);
    }
    az_intern_release(&ids);
    az_arena_release(&scratch);
    az_arena_release(&of_ids);
    return rc;
}

int az_schema_apply(struct az_table *t, const struct az_schema_index *x)
{
    const bool open = fits_list(az_schema_open_tables, t->id);
    int rc = AZ_OK;

    if (t->columns.n > NARROW)
        return name_many(x, t, open);
    for (size_t i = 0; !rc && i < t->columns.n; i++)
        rc = name_column(x, t, i, NULL, open, t->arena);
    return rc;
}

void az_schema_restore_headers(struct az_table *t)
{
    for (size_t i = 0; i < t->columns.n; i++)
        t->columns.v[i].title = t->columns.v[i].name;
}

struct az_sv az_schema_sentence_case(struct az_arena *a, struct az_sv header)
{
    if (!header.n || !is_lower(*header.p))
        return header;
    return az_arena_printf(a, "%c%.*s", *header.p & ~0x20, (int)header.n - 1, header.p + 1);
}

int az_schema_title_comparison(struct az_table *t)
{
    if (az_sv_is(t->id, "verdict")) /* as in every report */
        return AZ_OK;
    az_schema_restore_headers(t);
    for (size_t i = 0; fits_list(az_schema_worded_tables, t->id) && i < t->columns.n; i++) {
        struct az_column *c = &t->columns.v[i];
        c->title = az_schema_sentence_case(t->arena, c->title);
        if (!c->title.p)
            return az_arena_error(t->arena);
    }
    return AZ_OK;
}

ptrdiff_t az_schema_find(const struct az_table *t, struct az_sv id)
{
    for (size_t i = 0; i < t->columns.n; i++)
        if (az_sv_eq(t->columns.v[i].id, id))
            return (ptrdiff_t)i;
    for (size_t i = 0; i < t->columns.n; i++)
        if (az_sv_eq(t->columns.v[i].stem, id))
            return (ptrdiff_t)i;
    return -1;
}
