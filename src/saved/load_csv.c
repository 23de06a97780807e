/* One CSV table back: read twice, once to find the types of its columns, once for the cells. */
#include <math.h>

#include "base/num.h"
#include "base/utf8.h"
#include "document/units.h"
#include "saved/load.h"
#include "text/csv.h"

#define MAX_COLUMNS 65536

/* What the fields of a column have been so far. */
struct kind {
    bool not_int, not_real, not_bool, any;
};

struct reader {
    const struct az_csv_file *file;
    struct az_diag *diag;
    struct az_mem *mem;
    struct az_source *src;
    struct az_csv csv;
    bool open;
};

static int wrong(const struct reader *r, const char *what, size_t n, size_t columns)
{
    return az_diag_fail(r->diag, AZ_EFORMAT, AZ_AT_LINE(r->file->name, r->csv.line),
                        "%s: %zu fields for %zu columns", what, n, columns);
}

static void close_reader(struct reader *r)
{
    if (r->open) {
        az_csv_warn_open(&r->csv, r->file->name, r->diag);
        az_csv_release(&r->csv);
    }
    az_source_close(r->src);
    r->src = NULL;
    r->open = false;
}

static int open_reader(struct reader *r)
{
    struct az_source_opts o = { .mem = r->mem, .diag = r->diag };
    int rc = r->file->bytes.p ? az_source_open_memory(&r->src, r->file->bytes, r->file->name.p, &o)
                              : az_source_open(&r->src, r->file->name.p, &o);
    if (!rc)
        rc = az_csv_init(&r->csv, r->src, ',', r->mem);
    r->open = !rc;
    return rc;
}

/* 1: a row that is not an empty line; 0: end. */
static int next_row(struct reader *r)
{
    int rc;
    size_t before = r->diag->errors;

    do
        rc = az_csv_next(&r->csv);
    while (rc == 1 && r->csv.blank);
    if (rc == AZ_EFORMAT && r->diag->errors == before)
        return az_diag_fail(r->diag, rc, AZ_AT_LINE(r->file->name, r->csv.line),
                            "not a CSV file: unterminated quote, or row too long");
    return rc;
}

/* ---- types ---- */

/* Numbers that would not come back as written are names: 007, and more digits than fit in 64 bits.
 */
static bool is_name(struct az_sv s)
{
    size_t i = s.n && *s.p == '-' ? 1 : 0;
    return s.n > i + 1 && s.p[i] == '0' && s.p[i + 1] >= '0' && s.p[i + 1] <= '9';
}

static bool missing(struct az_sv s)
{
    return s.n == 0 || az_sv_ieq(s, AZ_SV("nan")) || az_sv_ieq(s, AZ_SV("none")) ||
           az_sv_ieq(s, AZ_SV("null"));
}

static bool is_bool(struct az_sv s) { return az_sv_is(s, "True") || az_sv_is(s, "False"); }

static void look_at(struct kind *k, const struct az_csv_field *f)
{
    struct az_sv s = az_sv_trim(f->raw);
    int64_t i;
    double d;
    int rc;

    if (missing(s))
        return;
    k->any = true;
    k->not_bool |= !is_bool(s);
    if (k->not_real)
        return;
    rc = is_name(s) ? AZ_ERANGE : az_parse_i64(s, &i);
    if (rc == AZ_OK)
        return;
    k->not_int = true;
    k->not_real = rc == AZ_ERANGE || az_parse_f64(s, &d) != 0 || !isfinite(d);
}

static enum az_cell_type type_of(const struct kind *k)
{
    if (!k->any)
        return AZ_EMPTY;
    return !k->not_int ? AZ_INT : !k->not_real ? AZ_REAL : !k->not_bool ? AZ_BOOL : AZ_TEXT;
}

static int find_types(struct reader *r, struct kind *kinds, size_t n)
{
    int rc;

    while ((rc = next_row(r)) == 1) {
        if (r->csv.row.n > n)
            return wrong(r, "row longer than the header", r->csv.row.n, n);
        for (size_t i = 0; i < r->csv.row.n; i++)
            look_at(&kinds[i], &r->csv.row.v[i]);
    }
    return rc;
}

/* ---- cells ---- */
static void put_cell(struct az_table *t, enum az_cell_type type, const struct az_csv_field *f)
{
    struct az_sv s = az_sv_trim(f->raw);
    int64_t i = 0;
    double d = 0;

    if (type == AZ_TEXT && f->raw.n)
        az_put_copy(t, az_csv_text(t->arena, f));
    else if (type == AZ_INT && az_parse_i64(s, &i) == 0)
        az_put_i64(t, i);
    else if (type == AZ_REAL && az_parse_f64(s, &d) == 0)
        az_put_f64(t, d);
    else if (type == AZ_BOOL && is_bool(s))
        az_put_bool(t, *s.p == 'T');
    else
        az_put_empty(t);
}

static int fill_table(struct reader *r, struct az_table *t)
{
    size_t n = t->columns.n;
    int rc = next_row(r); /* the header */

    while (rc == 1 && (rc = next_row(r)) == 1) {
        if (r->csv.row.n > n)
            return wrong(r, "row longer than the header", r->csv.row.n, n);
        for (size_t i = 0; i < n && !t->error; i++) {
            if (i < r->csv.row.n)
                put_cell(t, t->columns.v[i].type, &r->csv.row.v[i]);
            else
                az_put_empty(t);
        }
        if (t->error)
            return t->error;
    }
    return rc;
}

static int make_columns(struct reader *r, struct az_table *t, struct az_vec_sv *names,
                        const struct kind *kinds)
{
    for (size_t i = 0; i < names->n; i++) {
        struct az_sv name = names->v[i];
        enum az_cell_type type = type_of(&kinds[i]);
        enum az_unit unit = az_unit_of_column(name, type);
        if (type == AZ_EMPTY) /* no cell has a type: its name may */
            type = unit == AZ_UNIT_NONE ? AZ_TEXT : AZ_REAL;
        if (name.n == 0)
            name = az_arena_printf(t->arena, "column %zu", i + 1);
        az_table_columnsv(t, name, type, unit, 0);
    }
    (void)r;
    return t->error;
}

static int read_names(struct reader *r, struct az_arena *a, struct az_vec_sv *names)
{
    int rc = next_row(r);

    if (rc <= 0)
        return rc;
    if (r->csv.row.n > MAX_COLUMNS)
        return wrong(r, "header too long", r->csv.row.n, MAX_COLUMNS);
    rc = az_vec_reserve(names, r->csv.row.n);
    for (size_t i = 0; !rc && i < r->csv.row.n; i++) {
        struct az_sv text = az_arena_dup(a, az_csv_text(a, &r->csv.row.v[i]));
        rc = text.p ? az_vec_push(names, text) : az_arena_error(a);
    }
    return rc;
}

static int read_table(struct reader *r, struct az_table *t, struct az_vec_sv *names)
{
    struct kind *kinds;
    int rc = open_reader(r);

    if (!rc)
        rc = read_names(r, t->arena, names);
    if (rc || names->n == 0)
        return rc;
    kinds = az_arena_array(t->arena, names->n, sizeof *kinds);
    if (!kinds)
        return az_arena_error(t->arena);
    rc = find_types(r, kinds, names->n);
    close_reader(r);
    if (!rc)
        rc = make_columns(r, t, names, kinds);
    if (!rc)
        rc = open_reader(r);
    return rc ? rc : fill_table(r, t);
}

int az_load_csv(struct az_document *doc, struct az_sv id, const struct az_csv_file *file,
                struct az_diag *diag)
{
    struct reader r = { .file = file, .diag = diag, .mem = doc->mem };
    struct az_table *t = az_table_new(doc->arena, "", "", AZ_TABLE_KEEP_EMPTY);
    struct az_vec_sv names;
    int rc;

    if (!t)
        return az_diag_memory(diag, az_arena_error(doc->arena), AZ_AT_FILE(file->name), doc->mem);
    az_vec_init(&names, doc->mem);
    t->id = t->title = az_arena_dup(doc->arena, id);
    rc = t->id.p ? read_table(&r, t, &names) : az_arena_error(doc->arena);
    close_reader(&r);
    az_vec_release(&names);
    if (!rc && az_document_has(doc, id))
        rc = az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(file->name), "duplicate table name");
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        rc = az_diag_memory(diag, rc, AZ_AT_FILE(file->name), doc->mem);
    if (rc) {
        az_table_free(t);
        return rc;
    }
    return az_document_add(doc, t);
}
