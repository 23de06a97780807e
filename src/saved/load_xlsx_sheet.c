/* Sheets of a workbook as CSV text, so that they are read as the CSV files of the same tables. */
#include <math.h>

#include "base/num.h"
#include "saved/load_xlsx.h"

#define TEXT_MOST    ((size_t)512 << 20) /* of one sheet */
#define CELLS_MOST   ((size_t)20000000)
#define STRINGS_MOST ((size_t)16 << 20)
#define LAST_DATE    2958466 /* days: beyond the year 9999 it is none */

/* ---- texts ---- */

/* _x000D_ is a character that XML cannot contain. */
static int append_unescaped(struct az_vec_char *to, struct az_sv s)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < s.n; i++) {
        uint32_t c = 0;
        bool escape = s.n - i >= 7 && s.p[i] == '_' && s.p[i + 1] == 'x' && s.p[i + 6] == '_';
        for (size_t k = i + 2; escape && k < i + 6; k++) {
            const char h = s.p[k];
            const int digit = h >= '0' && h <= '9'   ? h - '0'
                              : h >= 'A' && h <= 'F' ? h - 'A' + 10
                              : h >= 'a' && h <= 'f' ? h - 'a' + 10
                                                     : -1;
            escape = digit >= 0;
            c = c * 16 + (uint32_t)(digit > 0 ? digit : 0);
        }
        if (escape && c < 0x80 && c > 0) {
            rc = az_vec_push(to, (char)c);
            i += 6;
        } else {
            rc = az_vec_push(to, s.p[i]);
        }
    }
    return rc;
}

/* ---- shared strings ---- */

struct strings {
    struct az_book *b;
    struct az_vec_sv *out;
    struct az_vec_char text;
    bool in_text;
    size_t phonetic; /* depth of phonetic text */
};

static int strings_start(void *of, const char *name, const char **attributes)
{
    struct strings *s = of;
    (void)attributes;
    if (strcmp(name, "si") == 0)
        az_vec_reset(&s->text);
    s->phonetic += strcmp(name, "rPh") == 0;
    s->in_text = strcmp(name, "t") == 0 && !s->phonetic;
    return AZ_OK;
}

static int strings_end(void *of, const char *name)
{
    struct strings *s = of;
    struct az_sv text;

    if (strcmp(name, "t") == 0)
        s->in_text = false;
    if (strcmp(name, "rPh") == 0 && s->phonetic)
        s->phonetic--;
    if (strcmp(name, "si") != 0)
        return AZ_OK;
    if (s->out->n >= STRINGS_MOST)
        return az_book_wrong(s->b, NULL, "too many strings in the workbook");
    text = az_arena_dup(s->b->arena, az_text_view(&s->text));
    return text.p ? az_vec_push(s->out, text) : az_arena_error(s->b->arena);
}

static int strings_text(void *of, struct az_sv text)
{
    struct strings *s = of;
    return s->in_text ? az_text_append(&s->text, text) : AZ_OK;
}

static int read_strings(struct az_book *b, const char *part, struct az_vec_sv *out)
{
    struct strings s = { .b = b, .out = out };
    const struct az_book_reader r = { strings_start, strings_end, strings_text, &s };
    int rc;

    az_vec_init(&s.text, b->mem);
    rc = az_book_part(b, part, &r);
    az_vec_release(&s.text);
    return rc == AZ_EEMPTY ? AZ_OK : rc; /* a book of numbers has none */
}

/* ---- formats of cells: which are dates ---- */

struct styles {
    struct az_book *b;
    struct az_vec_u8 *out;
    struct az_vec_u32 custom; /* numbers of formats that are dates */
    bool in_cells;
};

/* A format with letters of dates outside of quotes and brackets. */
static bool is_date_code(const char *code)
{
    char until = 0;

    for (; *code; code++) {
        if (until) {
            until = *code == until ? 0 : until;
        } else if (*code == '"' || *code == '[') {
            until = *code == '"' ? '"' : ']';
        } else if (*code == '\\' || *code == '_' || *code == '*') {
            code += code[1] != 0;
        } else if (strchr("yYmMdDhHsS", *code)) {
            return true;
        }
    }
    return false;
}

static bool is_date_number(const struct styles *s, int64_t number)
{
    if ((number >= 14 && number <= 22) || (number >= 45 && number <= 47))
        return true;
    for (size_t i = 0; i < s->custom.n; i++)
        if (s->custom.v[i] == number)
            return true;
    return false;
}

static int styles_start(void *of, const char *name, const char **attributes)
{
    struct styles *s = of;
    const char *number = az_book_attribute(attributes, "numFmtId"),
               *code = az_book_attribute(attributes, "formatCode");
    int64_t n = 0;

    if (strcmp(name, "cellXfs") == 0)
        s->in_cells = true;
    if (!number || az_parse_i64(az_sv_str(number), &n) || n < 0 || n > 65535)
        n = 0;
    if (strcmp(name, "numFmt") == 0 && code && s->custom.n < 65536 && is_date_code(code))
        return az_vec_push(&s->custom, (uint32_t)n);
    if (strcmp(name, "xf") == 0 && s->in_cells && s->out->n < 65536)
        return az_vec_push(s->out, (uint8_t)is_date_number(s, n));
    return AZ_OK;
}

static int styles_end(void *of, const char *name)
{
    struct styles *s = of;
    if (strcmp(name, "cellXfs") == 0)
        s->in_cells = false;
    return AZ_OK;
}

int az_book_shared_read(struct az_book *b, const char *strings, const char *styles,
                        struct az_book_shared *look)
{
    struct styles s = { .b = b, .out = &look->dates };
    const struct az_book_reader r = { styles_start, styles_end, NULL, &s };
    int rc = read_strings(b, strings, &look->strings);

    if (rc)
        return rc;
    az_vec_init(&s.custom, b->mem);
    rc = az_book_part(b, styles, &r);
    az_vec_release(&s.custom);
    return rc == AZ_EEMPTY ? AZ_OK : rc;
}

/* ---- cells ---- */

enum kind { NUMBER, SHARED, TEXT, BOOLEAN, ERROR, DATE };

struct sheet {
    struct az_book *b;
    const char *part;
    const struct az_book_shared *look;
    struct az_vec_char *csv, value;
    size_t columns; /* of the first row with a value */
    size_t at;      /* columns of the row that are written */
    size_t column;  /* of the cell */
    size_t cells;
    bool head_done, style_date, in_value, in_inline;
    enum kind kind;
    size_t phonetic;
};

/* "AB12" -> 27; false: no reference. */
static bool column_of(const char *ref, size_t *out)
{
    size_t n = 0, k = 0;

    for (; ref[k] >= 'A' && ref[k] <= 'Z' && k < 4; k++)
        n = n * 26 + (size_t)(ref[k] - 'A') + 1;
    *out = n - 1;
    return k > 0 && n <= AZ_BOOK_COLUMNS && ref[k] >= '0' && ref[k] <= '9';
}

static int start_cell(struct sheet *s, const char **attributes)
{
    const char *ref = az_book_attribute(attributes, "r"),
               *type = az_book_attribute(attributes, "t"),
               *style = az_book_attribute(attributes, "s");
    int64_t format = -1;

    s->column = s->at;
    if (ref && !column_of(ref, &s->column))
        return az_book_wrong(s->b, s->part, "has a cell outside of any sheet");
    if (s->column < s->at)
        return az_book_wrong(s->b, s->part, "has cells out of order");
    s->kind = !type                                                        ? NUMBER
              : strcmp(type, "s") == 0                                     ? SHARED
              : strcmp(type, "b") == 0                                     ? BOOLEAN
              : strcmp(type, "e") == 0                                     ? ERROR
              : strcmp(type, "d") == 0                                     ? TEXT
              : strcmp(type, "str") == 0 || strcmp(type, "inlineStr") == 0 ? TEXT
                                                                           : NUMBER;
    if (s->kind == NUMBER && style && !az_parse_i64(az_sv_str(style), &format) && format >= 0 &&
        (uint64_t)format < s->look->dates.n && s->look->dates.v[format])
        s->kind = DATE;
    az_vec_reset(&s->value);
    return AZ_OK;
}

static int sheet_start(void *of, const char *name, const char **attributes)
{
    struct sheet *s = of;

    if (strcmp(name, "row") == 0)
        s->at = 0;
    if (strcmp(name, "c") == 0)
        return start_cell(s, attributes);
    s->phonetic += strcmp(name, "rPh") == 0;
    s->in_inline |= strcmp(name, "is") == 0;
    s->in_value =
        !s->phonetic && (strcmp(name, "v") == 0 || (s->in_inline && strcmp(name, "t") == 0));
    return AZ_OK;
}

static int sheet_text(void *of, struct az_sv text)
{
    struct sheet *s = of;
    return s->in_value ? az_text_append(&s->value, text) : AZ_OK;
}

/* A field, quoted where CSV requires it. */
static int put_text(struct az_vec_char *csv, struct az_sv s)
{
    bool plain = true;
    int rc;

    for (size_t i = 0; i < s.n && plain; i++)
        plain = !strchr(",\"\r\n", s.p[i]) || !s.p[i];
    if (plain)
        return az_text_append(csv, s);
    rc = az_vec_push(csv, '"');
    for (size_t i = 0; !rc && i < s.n; i++) {
        rc = az_vec_push(csv, s.p[i]);
        if (!rc && s.p[i] == '"')
            rc = az_vec_push(csv, '"');
    }
    return rc ? rc : az_vec_push(csv, '"');
}

static int put_unescaped(struct sheet *s, struct az_sv text)
{
    struct az_vec_char plain;
    int rc;

    if (az_sv_find(text, AZ_SV("_x")) < 0)
        return put_text(s->csv, text);
    az_vec_init(&plain, s->b->mem);
    rc = append_unescaped(&plain, text);
    if (!rc)
        rc = put_text(s->csv, az_text_view(&plain));
    az_vec_release(&plain);
    return rc;
}

static int put_shared(struct sheet *s, struct az_sv value)
{
    int64_t i = -1;

    if (az_parse_i64(value, &i) || i < 0 || (uint64_t)i >= s->look->strings.n)
        return az_book_wrong(s->b, s->part, "refers to a string missing from the workbook");
    return put_unescaped(s, s->look->strings.v[i]);
}

/* Days since the end of 1899, or since 1904, as ISO 8601. */
static int put_date(struct sheet *s, struct az_sv value)
{
    double x;
    int64_t days, seconds, era, year, day, month;

    if (az_parse_f64(value, &x) || !(x >= 0) || !(x < LAST_DATE))
        return put_text(s->csv, value);
    days = (int64_t)floor(x) + (s->look->from_1904 ? 1462 : 0);
    seconds = llround((x - floor(x)) * 86400);
    days += seconds / 86400 - 25569 + 719468; /* to 1970, to March of year 0 */
    seconds %= 86400;
    era = days / 146097;
    day = days % 146097;
    year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5 - 1;
    month += month < 10 ? 3 : -9;
    year += 400 * era + (month <= 2);
    if (seconds == 0)
        return az_text_printf(s->csv, "%04lld-%02lld-%02lld", (long long)year, (long long)month,
                              (long long)day);
    return az_text_printf(s->csv, "%04lld-%02lld-%02lld %02lld:%02lld:%02lld", (long long)year,
                          (long long)month, (long long)day, (long long)(seconds / 3600),
                          (long long)(seconds / 60 % 60), (long long)(seconds % 60));
}

static int put_value(struct sheet *s)
{
    const struct az_sv value = az_text_view(&s->value), trimmed = az_sv_trim(value);

    switch (s->kind) {
    case SHARED:
        return trimmed.n ? put_shared(s, trimmed) : AZ_OK;
    case TEXT:
        return put_unescaped(s, value);
    case BOOLEAN:
        return az_text_append(s->csv, az_sv_is(trimmed, "1") || az_sv_ieq(trimmed, AZ_SV("true"))
                                          ? AZ_SV("True")
                                          : AZ_SV("False"));
    case DATE:
        return trimmed.n ? put_date(s, trimmed) : AZ_OK;
    case NUMBER:
        return put_text(s->csv, trimmed);
    case ERROR:
        break; /* #N/A: no value */
    }
    return AZ_OK;
}

static int end_cell(struct sheet *s)
{
    int rc = AZ_OK;

    s->in_inline = false;
    if (s->kind != TEXT && s->value.n == 0)
        return AZ_OK; /* only formatted */
    if (s->head_done && s->column >= s->columns)
        return s->value.n == 0 ? AZ_OK : AZ_ERANGE; /* free text, not a table */
    for (; !rc && s->at < s->column; s->at++)
        rc = az_vec_push(s->csv, ',');
    if (!rc)
        rc = put_value(s);
    if (!rc)
        rc = az_vec_push(s->csv, ',');
    s->at++;
    s->cells += s->at;
    if (!rc && (s->cells > CELLS_MOST || s->csv->n > TEXT_MOST))
        rc = az_book_wrong(s->b, s->part, "has too many cells");
    return rc;
}

/* The comma after the last cell becomes the end of the line. */
static int end_row(struct sheet *s)
{
    if (s->at == 0)
        return AZ_OK;
    s->csv->v[s->csv->n - 1] = '\n';
    if (!s->head_done)
        s->columns = s->at;
    s->head_done = true;
    s->at = 0;
    return AZ_OK;
}

static int sheet_end(void *of, const char *name)
{
    struct sheet *s = of;

    s->in_value = false;
    if (strcmp(name, "rPh") == 0 && s->phonetic)
        s->phonetic--;
    if (strcmp(name, "c") == 0)
        return end_cell(s);
    return strcmp(name, "row") == 0 ? end_row(s) : AZ_OK;
}

int az_book_sheet(struct az_book *b, const char *part, const struct az_book_shared *look,
                  struct az_vec_char *csv)
{
    struct sheet s = { .b = b, .part = part, .look = look, .csv = csv };
    const struct az_book_reader r = { sheet_start, sheet_end, sheet_text, &s };
    int rc;

    az_vec_init(&s.value, b->mem);
    rc = az_book_part(b, part, &r);
    az_vec_release(&s.value);
    return rc == AZ_EEMPTY ? az_book_wrong(b, part, "is missing") : rc;
}
