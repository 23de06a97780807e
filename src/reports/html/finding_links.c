/* What of the drawings a line of the verdict, or a finding, is about: gaps, families, or events by
 * name. Events are named by the row of its evidence table that it points at (the cells of that row
 * hold kernels of an operator, what came after a gap), else by its own words. */
#include "reports/html/html.h"

#include "document/tracks.h"

#define ROWS_MOST  400 /* of an evidence table that are about one finding */
#define NAME_LEAST 8   /* bytes of a name that is looked for inside of a text */

static bool holds(struct az_sv a, struct az_sv part, size_t least)
{
    return part.n >= least && az_sv_find(a, part) >= 0;
}

static void add_name(struct az_about *a, size_t name)
{
    for (size_t i = 0; i < a->n_names; i++)
        if (a->name[i] == name)
            return;
    if (a->n_names < AZ_LENGTH(a->name))
        a->name[a->n_names++] = (uint32_t)name;
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
static void names_in_row(const struct az_tracks *k, const struct az_table *t, size_t row,
                         struct az_about *a)
{
    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_sv cell = az_cell_text(az_table_at(t, row, c));
        for (size_t i = 0; cell.n && i < k->names.n; i++)
            if (az_sv_eq(k->names.v[i], cell) || holds(cell, k->names.v[i], NAME_LEAST))
                add_name(a, i);
    }
}

static void names_by_evidence(const struct az_html *h, struct az_about *a)
{
    const struct az_table *t = evidence_of(h, a);
    size_t found = 0;

    for (size_t r = 0; t && r < t->rows && found < ROWS_MOST; r++) {
        if (!is_row(t, r, a))
            continue;
        names_in_row(h->doc->tracks, t, r, a);
        found++;
    }
}

/* ---- by its words ---- */
/* A name of the timeline and a subject: one is in the other. The row of gaps is their cause: there
 * only the text names an event. */
static void names_by_words(const struct az_html *h, struct az_about *a)
{
    const struct az_tracks *t = h->doc->tracks;

    for (size_t i = 0; i < t->names.n; i++) {
        const struct az_sv name = t->names.v[i];
        const bool row = az_sv_eq(name, a->row) || holds(name, a->row, 4) || holds(a->row, name, 4);
        if ((!a->gaps && row) || holds(a->text, name, NAME_LEAST))
            add_name(a, i);
    }
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
static ptrdiff_t keep(struct az_html *h, const struct az_about *finding)
{
    struct az_about *a = h->doc->tracks ? az_arena_alloc(h->scratch, sizeof *a) : NULL;
    ptrdiff_t at = 0;

    if (!a)
        return -1;
    *a = *finding;
    kinds_about(a);
    if (!a->families)
        names_by_evidence(h, a);
    if (!a->families && a->n_names == 0)
        names_by_words(h, a);
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
    const ptrdiff_t about = finding->rule.n ? keep(h, finding) : -1;

    if (about >= 0)
        az_html_putf(h, " data-about=\"%td\"", about);
    if (h->doc->flame && finding->rule.n && finding->row.n >= 4) {
        az_html_put(h, AZ_SV(" data-row=\""));
        az_html_line(h, finding->row);
        az_html_put(h, AZ_SV("\""));
    }
}
