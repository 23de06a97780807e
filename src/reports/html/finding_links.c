/* What of the drawings a line of the verdict, or a finding, is about: gaps, families, or events by
 * name. Events are named by the row of its evidence table that it points at (the cells of that row
 * have kernels of an operator, what came after a gap), else by its own words. */
#include "reports/html/html.h"

#include "base/sort.h"
#include "document/tracks.h"

#define ROWS_MOST  400 /* of an evidence table that are about one finding */
#define NAME_LEAST 8   /* bytes of a name that is searched inside of a text */
#define ROW_LEAST  4   /* the same where the text is the row of a finding */

/* Names of the timeline by their bytes. A name that begins a text is the last one that is not
 * after the text, or one that begins that one: `shorter` is the longest of those. The first bytes
 * of all names are known, so that most places of a text are not looked up. */
struct az_name_index {
    size_t n;
    uint32_t *order;      /* names by their bytes */
    uint32_t *shorter;    /* by place in the order: place of the name that begins this one, or n */
    uint64_t start[1024]; /* bits: hashes of the first ROW_LEAST bytes */
    char *text;           /* of all names, one after the other */
    size_t *at, bytes;    /* where each begins in it */
    uint32_t *about;      /* by name: number of the finding that it was last added to */
    uint32_t findings;
};

static uint32_t start_hash(const char *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x * 0x9e3779b1u >> 16;
}

static int by_bytes(const void *a, const void *b, void *names)
{
    const struct az_vec_sv *of = names;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return az_sv_cmp(of->v[x], of->v[y]);
}

static void fill_index(struct az_name_index *x, const struct az_vec_sv *names)
{
    size_t at = 0;
    for (size_t i = 0; i < x->n; i++) {
        uint32_t last = i ? (uint32_t)i - 1 : (uint32_t)x->n;
        const struct az_sv name = names->v[x->order[i]];
        while (last < x->n && !az_sv_starts(name, names->v[x->order[last]]))
            last = x->shorter[last];
        x->shorter[i] = last;
        if (name.n >= ROW_LEAST) {
            const uint32_t h = start_hash(name.p);
            x->start[h / 64] |= UINT64_C(1) << h % 64;
        }
        x->at[i] = at;
        memcpy(x->text + at, names->v[i].n ? names->v[i].p : "", names->v[i].n);
        at += names->v[i].n;
    }
    x->at[x->n] = at;
}

/* NULL: no memory. */
static struct az_name_index *index_of(struct az_html *h)
{
    const struct az_vec_sv *names = &h->doc->tracks->names;
    struct az_name_index *x = h->names;
    if (x)
        return x;
    x = az_arena_alloc(h->scratch, sizeof *x);
    if (!x)
        return NULL;
    *x = (struct az_name_index){ .n = names->n };
    for (size_t i = 0; i < names->n; i++)
        x->bytes += names->v[i].n;
    x->order = az_arena_array(h->scratch, x->n + 1, sizeof *x->order);
    x->shorter = az_arena_array(h->scratch, x->n + 1, sizeof *x->shorter);
    x->about = az_arena_array(h->scratch, x->n + 1, sizeof *x->about);
    x->at = az_arena_array(h->scratch, x->n + 1, sizeof *x->at);
    x->text = az_arena_alloc(h->scratch, x->bytes + 1);
    if (!x->order || !x->shorter || !x->about || !x->at || !x->text)
        return NULL;
    for (size_t i = 0; i < x->n; i++)
        x->order[i] = (uint32_t)i;
    memset(x->about, 0, (x->n + 1) * sizeof *x->about);
    az_sort_cmp(x->order, x->n, sizeof *x->order, by_bytes, (void *)(uintptr_t)names, h->doc->mem);
    fill_index(x, names);
    h->names = x;
    return x;
}

/* A finding and the names that it is about. They are added by number, per text. */
struct search {
    struct az_html *h;
    struct az_name_index *x;
    struct az_about *a;
    struct az_vec_u32 found; /* of the text at hand */
};

static bool is_full(const struct search *s) { return s->a->n_names == AZ_LENGTH(s->a->name); }

static int by_number(const void *a, const void *b, void *unused)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    (void)unused;
    return (x > y) - (x < y);
}

static void add_found(struct search *s)
{
    az_sort_cmp(s->found.v, s->found.n, sizeof *s->found.v, by_number, NULL, s->h->doc->mem);
    for (size_t i = 0; i < s->found.n && !is_full(s); i++) {
        const uint32_t name = s->found.v[i];
        if (s->x->about[name] != s->x->findings)
            s->a->name[s->a->n_names++] = name;
        s->x->about[name] = s->x->findings;
    }
    s->found.n = 0;
}

/* Names that begin the text, of `least` bytes; `whole`: of any length, if they are all of it. */
static int find_at(struct search *s, struct az_sv text, size_t least, bool whole)
{
    const struct az_vec_sv *names = &s->h->doc->tracks->names;
    size_t low = 0, high = s->x->n;
    int rc = 0;
    while (low < high) { /* the first name after the text */
        const size_t mid = (low + high) / 2;
        if (az_sv_cmp(names->v[s->x->order[mid]], text) > 0)
            high = mid;
        else
            low = mid + 1;
    }
    for (size_t i = low ? low - 1 : s->x->n; rc == 0 && i < s->x->n; i = s->x->shorter[i]) {
        const struct az_sv name = names->v[s->x->order[i]];
        const bool fits = name.n >= least || (whole && name.n == text.n);
        if (fits && az_sv_starts(text, name))
            rc = az_vec_push(&s->found, s->x->order[i]);
    }
    return rc;
}

/* Names of `least` bytes inside of the text, and the text as a name. */
static int find_inside(struct search *s, struct az_sv text, size_t least)
{
    int rc = find_at(s, text, least, true);
    for (size_t i = 1; rc == 0 && i + least <= text.n; i++) {
        const uint32_t h = start_hash(text.p + i);
        if (s->x->start[h / 64] >> h % 64 & 1)
            rc = find_at(s, az_sv_make(text.p + i, text.n - i), least, false);
    }
    return rc;
}

/* Names that the text is inside of. */
static int find_around(struct search *s, struct az_sv text)
{
    const struct az_name_index *x = s->x;
    size_t from = 0, name = 0;
    int rc = 0;
    while (rc == 0 && text.n >= ROW_LEAST) {
        const ptrdiff_t at = az_sv_find(az_sv_make(x->text + from, x->bytes - from), text);
        if (at < 0)
            break;
        from += (size_t)at;
        while (x->at[name + 1] <= from)
            name++;
        const bool inside = from + text.n <= x->at[name + 1];
        if (inside)
            rc = az_vec_push(&s->found, (uint32_t)name);
        from = inside ? x->at[name + 1] : from + 1;
    }
    return rc;
}

static bool holds(struct az_sv a, struct az_sv part, size_t least)
{
    return part.n >= least && az_sv_find(a, part) >= 0;
}

/* ---- by the evidence ---- */
static const struct az_table *evidence_of(const struct az_html *h, const struct az_about *a)
{
    for (size_t i = 0; a->evidence.n && i < h->doc->tables.n; i++)
        if (az_sv_eq(h->doc->tables.v[i]->id, a->evidence) && !h->doc->tables.v[i]->make)
            return h->doc->tables.v[i];
    return NULL;
}

/* The row that a finding points at; without one those whose key its text names. */
static bool is_row(const struct az_table *t, size_t row, const struct az_about *a)
{
    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_sv cell = az_cell_text(az_table_at(t, row, c));
        if (a->row.n ? az_sv_eq(cell, a->row)
                     : (t->columns.v[c].flags & AZ_KEY) && holds(a->text, cell, NAME_LEAST))
            return true;
    }
    return false;
}

/* Names of the timeline in the cells of a row. */
static int names_in_row(struct search *s, const struct az_table *t, size_t row)
{
    int rc = 0;
    for (size_t c = 0; rc == 0 && c < t->columns.n; c++) {
        const struct az_sv cell = az_cell_text(az_table_at(t, row, c));
        rc = cell.n ? find_inside(s, cell, NAME_LEAST) : 0;
        if (rc == 0)
            add_found(s);
    }
    return rc;
}

static int names_by_evidence(struct search *s)
{
    const struct az_table *t = evidence_of(s->h, s->a);
    size_t found = 0;
    int rc = 0;

    for (size_t r = 0; rc == 0 && t && r < t->rows && found < ROWS_MOST && !is_full(s); r++) {
        if (!is_row(t, r, s->a))
            continue;
        rc = names_in_row(s, t, r);
        found++;
    }
    return rc;
}

/* ---- by its words ---- */
/* A name of the timeline and a subject: one is in the other. The row of gaps is their cause: there
 * only the text names an event. */
static int names_by_words(struct search *s)
{
    int rc = s->a->gaps ? 0 : find_inside(s, s->a->row, ROW_LEAST);
    if (rc == 0 && !s->a->gaps)
        rc = find_around(s, s->a->row);
    for (size_t i = 0; rc == 0 && i + NAME_LEAST <= s->a->text.n; i++)
        rc = find_at(s, az_sv_make(s->a->text.p + i, s->a->text.n - i), NAME_LEAST, false);
    if (rc == 0)
        add_found(s);
    return rc;
}

static int names_about(struct az_html *h, struct az_about *a)
{
    struct search s = { .h = h, .x = index_of(h), .a = a };
    if (!s.x)
        return az_arena_error(h->scratch);
    s.x->findings++;
    az_vec_init(&s.found, h->doc->mem);
    int rc = names_by_evidence(&s);
    if (rc == 0 && a->n_names == 0)
        rc = names_by_words(&s);
    az_vec_release(&s.found);
    return rc;
}

/* What a rule is about by its name: idle time, copies, communication. */
static void kinds_about(struct az_about *a)
{
    static const struct {
        const char *part;
        bool gaps;
        enum az_family family;
    } rules[] = { { "idle", true, 0 },
                  { "gap", true, 0 },
                  { "launch_bound", true, 0 },
                  { "starv", true, 0 },
                  { "sync", true, 0 },
                  { "utilization", true, 0 },
                  { "small_work", true, 0 },
                  { "comm", false, AZ_FAMILY_COMMUNICATION },
                  { "nccl", false, AZ_FAMILY_COMMUNICATION },
                  { "cop", false, AZ_FAMILY_COPY },
                  { "memset", false, AZ_FAMILY_FILL } };

    for (size_t i = 0; i < AZ_LENGTH(rules); i++) {
        if (az_sv_find(a->rule, az_sv_str(rules[i].part)) < 0)
            continue;
        a->gaps |= rules[i].gaps;
        a->families |= rules[i].gaps ? 0 : 1u << rules[i].family;
    }
}

/* Number of what a finding is about; -1: of nothing that is drawn. */
static ptrdiff_t store_subject(struct az_html *h, const struct az_about *finding)
{
    struct az_about *a = h->doc->tracks ? az_arena_alloc(h->scratch, sizeof *a) : NULL;
    ptrdiff_t at = 0;

    if (!a)
        return -1;
    *a = *finding;
    kinds_about(a);
    const int rc = a->families ? 0 : names_about(h, a);
    h->error = h->error ? h->error : rc;
    if (!a->gaps && !a->families && !a->n_names)
        return -1;
    struct az_about **last = &h->about;
    for (; *last; last = &(*last)->next)
        at++;
    *last = a;
    return at;
}

void az_html_subject(struct az_html *h, const struct az_about *finding)
{
    const ptrdiff_t about = finding->rule.n ? store_subject(h, finding) : -1;

    if (about >= 0)
        az_html_putf(h, " data-about=\"%td\"", about);
    if (h->doc->flame && finding->rule.n && finding->row.n >= 4) {
        az_html_put(h, AZ_SV(" data-row=\""));
        az_html_line(h, finding->row);
        az_html_put(h, AZ_SV("\""));
    }
}
