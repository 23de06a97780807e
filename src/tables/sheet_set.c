/* Sheets of another program, made from a complete document. */
#include "tables/sheet_set.h"

/* What the rows of a sheet are made from: columns of our table, in the order of the sheet. */
struct source {
    struct az_rows *rows;
    const int *column;                 /* place in our table; -1: none */
    const struct az_sheet_column *how; /* of each column; its names are not read */
    size_t n;
};

const struct az_sheet_set *az_sheet_set_find(const struct az_sheet_set *const *list,
                                             struct az_sv name)
{
    for (; *list; list++)
        if (az_sv_is(name, (*list)->name))
            return *list;
    return NULL;
}

bool az_sheet_set_reads(const struct az_sheet_set *s, const char *table)
{
    for (size_t i = 0; s && i < s->n; i++)
        if (strcmp(s->sheets[i].table, table) == 0)
            return true;
    return false;
}

static void put_cell(struct az_table *into, const struct az_cell *c,
                     const struct az_sheet_column *how)
{
    if (c->type == AZ_TEXT)
        az_put_copy(into, az_cell_text(c));
    else if (c->type == AZ_BOOL)
        az_put_bool(into, c->b);
    else if (c->type == AZ_EMPTY)
        az_put_empty(into);
    else if (how->per != 0)
        az_put_f64(into, az_cell_number(c) / how->per + how->plus);
    else if (c->type == AZ_INT)
        az_put_i64(into, c->i + (int64_t)how->plus);
    else
        az_put_f64(into, c->f + how->plus);
}

static void make_row(const void *of, size_t row, struct az_table *into)
{
    const struct source *s = of;
    const struct az_cell *cells = az_rows_at(s->rows, row);

    for (size_t i = 0; cells && i < s->n; i++) {
        if (s->column[i] < 0)
            az_put_empty(into);
        else
            put_cell(into, &cells[s->column[i]], &s->how[i]);
    }
}

static void close_rows(void *rows) { az_rows_close(rows); }

/* Of all columns the first that the sheet does not have. */
static size_t end_of_columns(const struct az_table *from, const struct az_sheet *sheet)
{
    size_t end = from->columns.n;
    struct az_sv rest = az_sv_str(sheet->before ? sheet->before : "");

    while (rest.n) {
        const struct az_sv name = az_sv_cut(&rest, '|');
        for (size_t i = 0; i < end; i++)
            end = az_sv_eq(from->columns.v[i].name, name) ? i : end;
    }
    return end;
}

static bool left_out(struct az_sv header, const struct az_sheet *sheet)
{
    struct az_sv rest = az_sv_str(sheet->without ? sheet->without : "");

    while (rest.n) {
        const struct az_sv name = az_sv_cut(&rest, '|');
        if (name.n && name.p[0] == '*' ? az_sv_ends(header, az_sv_make(name.p + 1, name.n - 1))
                                       : az_sv_eq(header, name))
            return true;
    }
    return false;
}

/* Does the header end with a statistic that was not requested? */
static bool is_unrequested(struct az_sv header, const struct az_sheet *sheet,
                           struct az_sv statistics)
{
    struct az_sv rest = az_sv_str(sheet->measured ? sheet->measured : "");
    bool measured = false;

    while (rest.n && statistics.n && !measured) {
        const struct az_sv name = az_sv_cut(&rest, '|');
        measured = az_sv_starts(header, name) && header.n > name.n && header.p[name.n] == '_';
        if (measured)
            header = az_sv_make(header.p + name.n + 1, header.n - name.n - 1);
    }
    while (measured && statistics.n)
        if (az_sv_eq(az_sv_cut(&statistics, ' '), header))
            return false;
    return measured;
}

/* Columns of a sheet; how many in s->n. */
static void add_columns(struct az_table *t, const struct az_table *from,
                        const struct az_sheet *sheet, struct az_sv statistics, struct source *s,
                        int *column, struct az_sheet_column *how)
{
    const struct az_sheet_column *c = sheet->columns;

    const size_t end = end_of_columns(from, sheet);

    for (size_t i = 0; !c && i < end; i++) {
        const struct az_column *k = &from->columns.v[i];
        if (left_out(k->name, sheet) || is_unrequested(k->name, sheet, statistics))
            continue;
        column[s->n++] = (int)i;
        az_table_columnsv(t, k->name, k->type, k->unit, k->flags);
    }
    for (; c && c->name; c++) {
        const ptrdiff_t at = az_table_find(from, c->from ? c->from : c->name);
        const struct az_column *k = at < 0 ? NULL : &from->columns.v[at];
        if (!k && c->if_there)
            continue;
        how[s->n] = *c;
        column[s->n++] = (int)at;
        az_table_column(t, c->name,
                        !k            ? AZ_TEXT
                        : c->per != 0 ? AZ_REAL
                                      : k->type,
                        k && c->per == 0 ? k->unit : AZ_UNIT_NONE, k ? k->flags : 0);
    }
}

static size_t count_columns(const struct az_table *from, const struct az_sheet *sheet)
{
    size_t n = 0;

    while (sheet->columns && sheet->columns[n].name)
        n++;
    return n ? n : from->columns.n;
}

/* "new_*" of "old_*": what the star is for stays. */
static const char *sheet_id(struct az_arena *a, const struct az_table *from,
                            const struct az_sheet *sheet)
{
    const char *star = sheet->name ? strchr(sheet->name, '*') : NULL;
    const char *old = strchr(sheet->table, '*');

    if (!sheet->name)
        return az_arena_str(a, from->id);
    if (!star || !old)
        return sheet->name;
    const size_t n = (size_t)(old - sheet->table);
    return az_arena_printf(a, "%.*s%.*s", (int)(star - sheet->name), sheet->name,
                           (int)(from->id.n - n), from->id.p + n)
        .p;
}

static int add_sheet(struct az_document *to, const struct az_table *from,
                     const struct az_sheet *sheet, struct az_sv statistics)
{
    struct az_arena *a = to->arena;
    const size_t n = count_columns(from, sheet) + 1;
    const char *id = sheet_id(a, from, sheet);
    struct az_table *t = az_table_new(a, id, az_arena_str(a, from->title), from->flags);
    struct az_rows *rows = az_arena_array(a, 1, sizeof *rows);
    struct source *s = az_arena_array(a, 1, sizeof *s);
    int *column = az_arena_array(a, n, sizeof *column);
    struct az_sheet_column *how = az_arena_array(a, n, sizeof *how);

    if (!t || !rows || !s || !column || !how) {
        az_table_free(t);
        return az_arena_error(a);
    }
    t->note = from->note;
    *s = (struct source){ .rows = rows, .column = column, .how = how };
    add_columns(t, from, sheet, statistics, s, column, how);
    az_rows_open(rows, from, to->mem);
    const int rc = az_document_own(to, rows, close_rows);
    if (rc) {
        az_table_free(t);
        return rc;
    }
    if (from->rows)
        az_table_make(t, from->rows, make_row, s);
    /* Rows stored there are stored here: writers look it up. */
    const int held = from->make ? 0 : az_table_store_rows(t, from->rows);
    const int added = az_document_add(to, t);
    return held ? held : added;
}

/* Is the sheet made of this table? Not of one of several that has a sheet of its own. */
static bool is_read(const struct az_sheet_set *set, const struct az_sheet *s,
                    const struct az_table *t)
{
    const size_t n = strlen(s->table);

    if (n && s->table[n - 1] == '*')
        return az_sv_starts(t->id, az_sv_make(s->table, n - 1));
    if (az_sv_is(t->id, s->table))
        return true;
    bool found = t->kind.n && az_sv_is(t->kind, s->table);
    for (size_t i = 0; found && i < set->n; i++)
        found = !az_sv_is(t->id, set->sheets[i].table);
    return found;
}

/* Has the other document a sheet of the table's name, or one made from it? */
static bool replaced(const struct az_sheet_set *set, const struct az_document *to,
                     const struct az_table *t)
{
    bool found = az_document_has(to, t->id);

    for (size_t i = 0; !found && i < set->n; i++)
        found = is_read(set, &set->sheets[i], t);
    return found;
}

int az_sheet_set_apply(const struct az_sheet_set *s, const struct az_document *from,
                       struct az_sv statistics, struct az_document *to)
{
    static const struct az_sheet whole = { .table = "" };
    const size_t n = from->tables.n;
    int rc = 0;

    to->title = from->title;
    to->input = from->input;
    to->format = from->format;
    to->xlsx_rows = from->xlsx_rows;
    to->html_rows = from->html_rows;
    to->text_rows = from->text_rows;
    to->origin_ns = from->origin_ns;
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; rc == 0 && k < n; k++)
            if (is_read(s, &s->sheets[i], from->tables.v[k]))
                rc = add_sheet(to, from->tables.v[k], &s->sheets[i], statistics);
    for (size_t k = 0; s->rest && rc == 0 && k < n; k++)
        if (!replaced(s, to, from->tables.v[k]))
            rc = add_sheet(to, from->tables.v[k], &whole, statistics);
    return rc;
}
