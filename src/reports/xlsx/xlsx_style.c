/* Formats of the workbook's cells: one number format per unit. */
#include "reports/xlsx/xlsx_lib.h"

#include "reports/shared/fields.h"
#include "reports/xlsx/xlsx.h"

/* Number formats; styles that are not here have the general one. */
static const struct {
    const char *number;
    int decimals;
} numbers[AZ_STYLE_COUNT] = {
    [AZ_STYLE_WHOLE] = { "#,##0", 0 },

    [AZ_STYLE_FIXED2] = { "#,##0.00", 2 },     [AZ_STYLE_FIXED3] = { "#,##0.000", 3 },
    [AZ_STYLE_FIXED6] = { "#,##0.000000", 6 }, [AZ_STYLE_PERCENT] = { "0.00", 2 },
    [AZ_STYLE_RATIO] = { "0.000", 3 },         [AZ_STYLE_ID] = { "0", 0 },
    [AZ_STYLE_FRACTION] = { "0.0%", 3 },
};

const char *az_xlsx_number_format(enum az_xlsx_style s) { return numbers[s].number; }
int az_xlsx_decimals(enum az_xlsx_style s) { return numbers[s].number ? numbers[s].decimals : -1; }

static void set_fill(struct lxw_format *f, lxw_color_t background, lxw_color_t font)
{
    format_set_pattern(f, LXW_PATTERN_SOLID);
    format_set_bg_color(f, background);
    format_set_font_color(f, font);
}

/* Fill of a conditional format: only the background color counts there. */
static void set_conditional_fill(struct lxw_format *f, lxw_color_t background, lxw_color_t font)
{
    format_set_bg_color(f, background);
    format_set_font_color(f, font);
}

/* Bold in one color: titles, links, labels of the verdict. */
static void colored(struct lxw_format *f, enum az_xlsx_style s)
{
    static const struct {
        enum az_xlsx_style style;
        lxw_color_t color;
        bool bold;
        double size; /* 0: as it is */
    } styles[] = { { AZ_STYLE_TITLE, 0x1F3864, true, 15 }, { AZ_STYLE_LINK, 0x1F4E9E, true, 12 },
                   { AZ_STYLE_ENTRY, 0x1F4E9E, false, 0 }, { AZ_STYLE_BAD, 0x9C0006, true, 0 },
                   { AZ_STYLE_WARN, 0x7F6000, true, 0 },   { AZ_STYLE_LABEL, 0, true, 0 } };

    for (size_t i = 0; i < AZ_LENGTH(styles); i++) {
        if (styles[i].style != s)
            continue;
        if (styles[i].bold)
            format_set_bold(f);
        if (styles[i].size > 0)
            format_set_font_size(f, styles[i].size);
        if (styles[i].color)
            format_set_font_color(f, styles[i].color);
        return;
    }
}

static void decorate(struct lxw_format *f, enum az_xlsx_style s)
{
    colored(f, s);
    switch (s) {
    case AZ_STYLE_HEADER:
        format_set_bold(f);
        set_fill(f, 0x1F3864, 0xFFFFFF);
        format_set_bottom(f, LXW_BORDER_THIN);
        break;
    case AZ_STYLE_HEADING_RIGHT:
        format_set_align(f, LXW_ALIGN_RIGHT);
        format_set_bold(f);
        set_fill(f, 0xD9E2F3, 0x1F3864);
        break;
    case AZ_STYLE_HEADING:
        format_set_indent(f, 1);
        format_set_bold(f);
        set_fill(f, 0xD9E2F3, 0x1F3864);
        break;
    case AZ_STYLE_INDENTED:
        format_set_indent(f, 1);
        break;
    case AZ_STYLE_LINK:
        format_set_underline(f, LXW_UNDERLINE_SINGLE);
        break;
    case AZ_STYLE_GRAY:
        format_set_font_color(f, 0x7F7F7F);
        format_set_italic(f);
        break;
    case AZ_STYLE_RED:
        set_conditional_fill(f, 0xFFC7CE, 0x9C0006);
        break;
    case AZ_STYLE_YELLOW:
        set_conditional_fill(f, 0xFFEB9C, 0x7F6000);
        break;
    case AZ_STYLE_GREEN:
        set_conditional_fill(f, 0xC6EFCE, 0x006100);
        break;
    case AZ_STYLE_BLUE:
        set_conditional_fill(f, 0xDDEBF7, 0x1F3864);
        break;
    default:
        break;
    }
}

struct lxw_format *az_xlsx_style(struct az_xlsx *x, enum az_xlsx_style s)
{
    if (s == AZ_STYLE_PLAIN)
        return NULL;
    if (!x->style[s]) {
        x->style[s] = workbook_add_format(x->book);
        if (!x->style[s]) {
            x->error = x->error ? x->error : AZ_ENOMEM;
            return NULL;
        }
        if (numbers[s].number)
            format_set_num_format(x->style[s], numbers[s].number);
        decorate(x->style[s], s);
    }
    return x->style[s];
}

enum az_xlsx_style az_xlsx_style_of(const struct az_column *c)
{
    if (c->type == AZ_TEXT || c->type == AZ_BOOL || c->type == AZ_EMPTY)
        return AZ_STYLE_PLAIN;
    switch (c->unit) {
    case AZ_UNIT_NONE:
        if (az_field_is_fraction(c))
            return AZ_STYLE_FRACTION;
        return c->type == AZ_INT ? AZ_STYLE_ID : AZ_STYLE_PLAIN;
    case AZ_UNIT_ID:
        return AZ_STYLE_ID;
    case AZ_UNIT_COUNT:
        return c->type == AZ_INT ? AZ_STYLE_WHOLE : AZ_STYLE_FIXED2;
    case AZ_UNIT_PS:
    case AZ_UNIT_NS:
    case AZ_UNIT_BYTES:
    case AZ_UNIT_FLOP:
        return AZ_STYLE_WHOLE;
    case AZ_UNIT_US:
    case AZ_UNIT_MS:
    case AZ_UNIT_KB:
    case AZ_UNIT_MB:
    case AZ_UNIT_GB:
    case AZ_UNIT_GFLOP:
    case AZ_UNIT_TBPS:
        return AZ_STYLE_FIXED3;
    case AZ_UNIT_S:
        return AZ_STYLE_FIXED6;
    case AZ_UNIT_PERCENT:
        return AZ_STYLE_PERCENT;
    case AZ_UNIT_RATIO:
        return AZ_STYLE_RATIO;
    case AZ_UNIT_GBPS:
    case AZ_UNIT_TFLOPS:
    case AZ_UNIT_FLOP_PER_BYTE:
    case AZ_UNIT_PER_S:
        return AZ_STYLE_FIXED2;
    }
    return AZ_STYLE_PLAIN;
}
