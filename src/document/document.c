/* The document of one input: tables in report order, and the rule that names sheets. */
#include "document/document.h"

#include "base/utf8.h"
#include "document/schema.h"

#define SHEET_NAME_MAX 31 /* UTF-16 units, as spreadsheets count */

void az_document_init(struct az_document *d, struct az_arena *arena)
{
    *d = (struct az_document){
        .arena = arena,
        .mem = arena->mem,
        .text_rows = 10,
        .text_columns = 100,
        .origin_ns = -1,
        .xlsx_rows = 10000,
        .html_rows = 1000,
        .schema = AZ_SV("analyzer-result/1"),
    };
    az_vec_init(&d->tables, d->mem);
    az_vec_init(&d->charts, d->mem);
    az_vec_init(&d->preface, d->mem);
    az_vec_init(&d->epilogue, d->mem);
}

struct az_owned {
    void *what;
    void (*release)(void *what);
    struct az_owned *next;
};

int az_document_own(struct az_document *d, void *what, void (*release)(void *what))
{
    struct az_owned *k = az_arena_alloc(d->arena, sizeof *k);

    if (!k) {
        release(what);
        return az_arena_error(d->arena);
    }
    *k = (struct az_owned){ what, release, d->kept };
    d->kept = k;
    return 0;
}

void az_document_release(struct az_document *d)
{
    for (size_t i = 0; i < d->tables.n; i++)
        az_table_free(d->tables.v[i]);
    for (; d->kept; d->kept = d->kept->next)
        d->kept->release(d->kept->what);
    az_vec_release(&d->tables);
    for (size_t i = 0; i < d->charts.n; i++)
        az_vec_release(&d->charts.v[i].y);
    az_vec_release(&d->charts);
    az_vec_release(&d->preface);
    az_vec_release(&d->epilogue);
}

int az_document_part(struct az_document *whole, struct az_arena *arena, struct az_document *part)
{
    if (!whole->names && !(whole->names = az_schema_index_new(whole->arena)))
        return az_arena_error(whole->arena);
    *part = *whole;
    part->arena = arena;
    part->kept = NULL;
    part->tracks = NULL;
    part->flame = NULL;
    part->events = NULL;
    az_vec_init(&part->tables, part->mem);
    az_vec_init(&part->charts, part->mem);
    az_vec_init(&part->preface, part->mem);
    az_vec_init(&part->epilogue, part->mem);
    return 0;
}

static struct az_table *find_table(const struct az_document *d, struct az_sv id)
{
    for (size_t i = 0; i < d->tables.n; i++) {
        if (az_sv_eq(d->tables.v[i]->id, id))
            return d->tables.v[i];
    }
    return NULL;
}

/* Place of a new table: tables of AZ_TABLE_LAST stay after all others, each group in order of
 * arrival. */
static size_t place_of(const struct az_document *d, const struct az_table *t)
{
    size_t i = d->tables.n;

    if (t->flags & AZ_TABLE_LAST)
        return i;
    while (i > 0 && (d->tables.v[i - 1]->flags & AZ_TABLE_LAST))
        i--;
    return i;
}

/* Puts the table that was pushed in its place. */
static void put_last(struct az_document *d)
{
    struct az_table *t = d->tables.v[--d->tables.n];
    const size_t at = place_of(d, t);
    memmove(d->tables.v + at + 1, d->tables.v + at, (d->tables.n - at) * sizeof d->tables.v[0]);
    d->tables.v[at] = t;
    d->tables.n++;
}

/* Writers jump about in the rows of summaries. */
static int hold_shown(struct az_table *t)
{
    const bool shown = (t->flags & (AZ_TABLE_SUMMARY | AZ_TABLE_CLASSIC)) || t->layout || t->form;

    return shown ? az_table_store_rows(t, t->rows) : 0;
}

int az_document_add(struct az_document *d, struct az_table *t)
{
    int rc;

    if (!t)
        return az_arena_error(d->arena);
    rc = az_table_finish(t);
    if (!rc)
        rc = hold_shown(t);
    if (!rc && d->arena->failed) /* one of the texts of the table */
        rc = az_arena_error(d->arena);
    if (rc)
        goto drop;
    if (t->rows == 0 && !(t->flags & AZ_TABLE_KEEP_EMPTY))
        goto drop;
    if (find_table(d, t->id)) { /* two files of one name: one would be lost */
        rc = AZ_EINTERNAL;
        goto drop;
    }
    if (!d->names && !(d->names = az_schema_index_new(d->arena)))
        rc = az_arena_error(d->arena);
    if (!rc)
        rc = az_schema_apply(t, d->names);
    if (rc)
        goto drop;
    if (az_sv_starts(
            d->schema,
            AZ_SV("analyzer-comparison"))) /* columns are named by the inputs: "infer (ms)" */
        rc = az_schema_title_comparison(t);
    if (rc)
        goto drop;
    az_vec_trim(&t->cells); /* they grew by halves */
    az_vec_trim(&t->columns);
    rc = az_vec_push(&d->tables, t);
    if (rc)
        goto drop;
    put_last(d);
    return 0;
drop:
    az_table_free(t);
    return rc;
}

int az_document_chart(struct az_document *d, struct az_chart c)
{
    const int rc = az_vec_push(&d->charts, c);

    if (rc)
        az_vec_release(&c.y);
    return rc;
}

/* A table that a part has made ready. */
static int move_table(struct az_document *d, struct az_table *t)
{
    const bool there = find_table(d, t->id) != NULL;
    const int rc = there ? AZ_EINTERNAL : az_vec_push(&d->tables, t);
    if (rc)
        az_table_free(t);
    else
        put_last(d);
    return rc;
}

static int move_lines(struct az_vec_sv *to, const struct az_vec_sv *from)
{
    int rc = az_vec_reserve(to, from->n);
    for (size_t i = 0; rc == 0 && i < from->n; i++)
        to->v[to->n++] = from->v[i];
    return rc;
}

int az_document_join(struct az_document *whole, struct az_document *part)
{
    int rc = move_lines(&whole->preface, &part->preface);
    if (rc == 0)
        rc = move_lines(&whole->epilogue, &part->epilogue);
    for (size_t i = 0; i < part->tables.n; i++) {
        if (rc == 0)
            rc = move_table(whole, part->tables.v[i]);
        else
            az_table_free(part->tables.v[i]);
    }
    part->tables.n = 0;
    for (size_t i = 0; i < part->charts.n; i++) {
        if (rc == 0)
            rc = az_document_chart(whole, part->charts.v[i]);
        else
            az_vec_release(&part->charts.v[i].y);
    }
    part->charts.n = 0;
    struct az_owned **end = &part->kept;
    while (*end)
        end = &(*end)->next;
    *end = whole->kept;
    whole->kept = part->kept;
    part->kept = NULL;
    whole->tracks = part->tracks ? part->tracks : whole->tracks;
    whole->flame = part->flame ? part->flame : whole->flame;
    if (!rc && part->arena->failed)
        rc = az_arena_error(part->arena);
    az_document_release(part);
    return rc;
}

bool az_document_has(const struct az_document *d, struct az_sv id)
{
    return find_table(d, id) != NULL;
}
struct az_table *az_document_table(const struct az_document *d, const char *id)
{
    return find_table(d, az_sv_str(id));
}

/* ---- sheet names ---- */

static bool taken(struct az_arena *a, struct az_sv name, const struct az_vec_sv *used)
{
    struct az_sv lower = az_utf8_lower(a, name);

    for (size_t i = 0; used && i < used->n; i++) {
        if (az_sv_eq(lower, az_utf8_lower(a, used->v[i])))
            return true;
    }
    return false;
}

/* Characters that a sheet name may not contain become `_`; so do apostrophes at the ends. In place.
 */
static void make_valid(char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strchr("[]:*?/\\", p[i]) || (unsigned char)p[i] < 0x20 || p[i] == 0x7f)
            p[i] = '_';
    }
    if (n && p[0] == '\'')
        p[0] = '_';
    if (n && p[n - 1] == '\'')
        p[n - 1] = '_';
}

struct az_sv az_sheet_name(struct az_arena *a, struct az_sv id, const struct az_vec_sv *used)
{
    struct az_sv stem = az_utf8_cut_units(az_utf8_clean(a, id), SHEET_NAME_MAX);
    char *p;

    if (stem.n == 0)
        stem = AZ_SV("sheet");
    if (az_sv_ieq(stem, AZ_SV("history"))) /* reserved by spreadsheets */
        stem = AZ_SV("history_");
    p = az_arena_str(a, stem);
    if (!p)
        return (struct az_sv){ NULL, 0 };
    make_valid(p, stem.n);
    stem.p = p;
    struct az_sv name = stem;
    for (unsigned k = 2; name.p && taken(a, name, used); k++) {
        struct az_sv mark = az_arena_printf(a, "~%u", k);
        struct az_sv head = az_utf8_cut_units(stem, SHEET_NAME_MAX - mark.n);
        name = az_arena_printf(a, "%.*s%.*s", AZ_SVF(head), AZ_SVF(mark));
    }
    return name;
}
