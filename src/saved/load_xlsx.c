/* Workbooks back into documents: which sheets there are and where their parts are. */
#include "saved/load_xlsx.h"

#include <string.h>

#define FILE_MOST   ((size_t)256 << 20)
#define SHEETS_MOST 4096

/* A relation of a part to another: "rId3" -> "worksheets/sheet1.xml". */
struct relation {
    struct az_sv id, type, target;
};
AZ_VEC(struct relation, relations);

struct sheet_of {
    struct az_sv name, id;
};
AZ_VEC(struct sheet_of, sheets);

struct contents {
    struct az_book *b;
    struct relations relations;
    struct sheets sheets;
    bool from_1904, is_workbook;
};

static struct az_sv copy_text(struct contents *c, const char *text)
{
    return text ? az_arena_dup(c->b->arena, az_sv_str(text)) : AZ_SV("");
}

static int relation_start(void *of, const char *name, const char **attributes)
{
    struct contents *c = of;
    struct relation r;

    if (strcmp(name, "Relationship") != 0 || c->relations.n >= SHEETS_MOST)
        return AZ_OK;
    r.id = copy_text(c, az_book_attribute(attributes, "Id"));
    r.type = copy_text(c, az_book_attribute(attributes, "Type"));
    r.target = copy_text(c, az_book_attribute(attributes, "Target"));
    return r.id.p && r.type.p && r.target.p ? az_vec_push(&c->relations, r)
                                            : az_arena_error(c->b->arena);
}

static int workbook_start(void *of, const char *name, const char **attributes)
{
    struct contents *c = of;
    const char *date = az_book_attribute(attributes, "date1904");
    struct sheet_of s;

    c->is_workbook |= strcmp(name, "workbook") == 0;
    if (strcmp(name, "workbookPr") == 0 && date)
        c->from_1904 = strcmp(date, "1") == 0 || strcmp(date, "true") == 0;
    if (strcmp(name, "sheet") != 0)
        return AZ_OK;
    if (c->sheets.n >= SHEETS_MOST)
        return az_book_wrong(c->b, NULL, "too many sheets in the workbook");
    s.name = copy_text(c, az_book_attribute(attributes, "name"));
    s.id = copy_text(c, az_book_attribute(attributes, "id"));
    return s.name.p && s.id.p ? az_vec_push(&c->sheets, s) : az_arena_error(c->b->arena);
}

static int read_relations(struct contents *c, const char *part)
{
    const struct az_book_reader r = { relation_start, NULL, NULL, c };
    const int rc = az_book_part(c->b, part, &r);

    return rc == AZ_EEMPTY ? az_book_wrong(c->b, part, "is missing: not a workbook") : rc;
}

static struct az_sv target_of(const struct contents *c, struct az_sv id, const char *type)
{
    for (size_t i = 0; i < c->relations.n; i++) {
        const struct relation *r = &c->relations.v[i];
        if ((id.n == 0 || az_sv_eq(r->id, id)) && az_sv_ends(r->type, az_sv_str(type)))
            return r->target;
    }
    return AZ_SV("");
}

/* The name of a part that another in `folder` refers to. */
static const char *part_of(struct contents *c, struct az_sv folder, struct az_sv target)
{
    if (az_sv_starts(target, AZ_SV("/")))
        return az_arena_str(c->b->arena, az_sv_make(target.p + 1, target.n - 1));
    return az_arena_printf(c->b->arena, "%.*s%.*s", AZ_SVF(folder), AZ_SVF(target)).p;
}

/* The part of the workbook, its folder, and the relations of it. */
static int find_workbook(struct contents *c, struct az_sv *folder)
{
    const struct az_book_reader r = { workbook_start, NULL, NULL, c };
    struct az_sv target, base;
    const char *part, *relations;
    int rc = read_relations(c, "_rels/.rels");

    if (rc)
        return rc;
    target = target_of(c, AZ_SV(""), "/officeDocument");
    part = part_of(c, AZ_SV(""), target.n ? target : AZ_SV("xl/workbook.xml"));
    if (!part)
        return az_arena_error(c->b->arena);
    base = az_sv_str(part);
    while (base.n && base.p[base.n - 1] != '/')
        base.n--;
    *folder = base;
    rc = az_book_part(c->b, part, &r);
    if (rc == AZ_EEMPTY)
        return az_book_wrong(c->b, part, "is missing: not a workbook");
    if (!rc && !c->is_workbook)
        return az_book_wrong(c->b, part, "is not a workbook document");
    relations = az_arena_printf(c->b->arena, "%.*s_rels/%s.rels", AZ_SVF(base), part + base.n).p;
    az_vec_reset(&c->relations);
    if (rc || !relations)
        return rc ? rc : az_arena_error(c->b->arena);
    return read_relations(c, relations);
}

static int load_sheet(struct contents *c, const struct sheet_of *s, struct az_sv folder,
                      const struct az_book_shared *look, struct az_document *doc)
{
    const struct az_sv target = target_of(c, s->id, "/worksheet");
    struct az_vec_char csv;
    const char *part;
    int rc;

    if (target.n == 0 || az_sv_ieq(s->name, AZ_SV("summary")))
        return AZ_OK; /* a chart alone; content of our workbooks for readers */
    part = part_of(c, folder, target);
    if (!part)
        return az_arena_error(c->b->arena);
    az_vec_init(&csv, c->b->mem);
    rc = az_book_sheet(c->b, part, look, &csv);
    if (rc == AZ_ERANGE) {
        az_diag_add(c->b->diag, AZ_WARNING, AZ_AT_FILE(c->b->name),
                    "sheet '%.*s' skipped: not a table (a row is longer than the first)",
                    AZ_SVF(s->name));
        rc = AZ_OK;
    } else if (!rc) {
        const struct az_sv place =
            az_arena_printf(c->b->arena, "%.*s, sheet %.*s", AZ_SVF(c->b->name), AZ_SVF(s->name));
        const struct az_csv_file file = { .name = place,
                                          .bytes = csv.n ? az_text_view(&csv) : AZ_SV("") };
        rc = place.p ? az_load_csv(doc, s->name, &file, c->b->diag) : az_arena_error(c->b->arena);
    }
    az_vec_release(&csv);
    return rc;
}

static int load_contents(struct contents *c, struct az_document *doc)
{
    struct az_book_shared look = { .from_1904 = false };
    struct az_sv folder = AZ_SV("");
    int rc = find_workbook(c, &folder);

    az_vec_init(&look.strings, c->b->mem);
    az_vec_init(&look.dates, c->b->mem);
    if (!rc) {
        const struct az_sv strings = target_of(c, AZ_SV(""), "/sharedStrings"),
                           styles = target_of(c, AZ_SV(""), "/styles");
        const char *parts[2] = { part_of(c, folder,
                                         strings.n ? strings : AZ_SV("sharedStrings.xml")),
                                 part_of(c, folder, styles.n ? styles : AZ_SV("styles.xml")) };
        look.from_1904 = c->from_1904;
        rc = parts[0] && parts[1] ? az_book_shared_read(c->b, parts[0], parts[1], &look)
                                  : az_arena_error(c->b->arena);
    }
    for (size_t i = 0; !rc && i < c->sheets.n; i++)
        rc = load_sheet(c, &c->sheets.v[i], folder, &look, doc);
    if (!rc && doc->tables.n == 0)
        rc = az_diag_fail(c->b->diag, AZ_EEMPTY, AZ_AT_FILE(c->b->name),
                          "the workbook has no sheet with a table");
    az_vec_release(&look.strings);
    az_vec_release(&look.dates);
    return rc;
}

int az_load_xlsx(struct az_document *doc, struct az_sv bytes, struct az_sv name,
                 struct az_diag *diag)
{
    struct az_arena arena;
    struct az_book b = {
        .bytes = bytes, .name = name, .arena = &arena, .mem = doc->mem, .diag = diag
    };
    struct contents c = { .b = &b };
    const size_t before = diag->errors;
    int rc;

    az_arena_init(&arena, doc->mem);
    az_vec_init(&c.relations, doc->mem);
    az_vec_init(&c.sheets, doc->mem);
    rc = bytes.n > FILE_MOST ? az_book_wrong(&b, NULL, "workbook too large") : az_book_open(&b);
    if (!rc)
        rc = load_contents(&c, doc);
    if (rc && diag->errors == before)
        rc = az_diag_memory(diag, rc, AZ_AT_FILE(name), doc->mem);
    az_book_close(&b);
    az_vec_release(&c.relations);
    az_vec_release(&c.sheets);
    az_arena_release(&arena);
    return rc;
}
