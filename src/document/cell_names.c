/* Names of columns in files. */
#include "document/table.h"

const char *az_cell_type_text(enum az_cell_type t)
{
    switch (t) {
    case AZ_TEXT:
        return "text";
    case AZ_INT:
        return "int";
    case AZ_REAL:
        return "real";
    case AZ_BOOL:
        return "bool";
    case AZ_EMPTY:
        break;
    }
    return "empty";
}

/* Names of units as files have them: stable, unlike the display text, and never empty where there
 * is a meaning. */
const char *az_unit_name(enum az_unit u)
{
    switch (u) {
    case AZ_UNIT_ID:
        return "id";
    case AZ_UNIT_COUNT:
        return "count";
    case AZ_UNIT_RATIO:
        return "ratio";
    default:
        return az_unit_text(u);
    }
}

const char *az_direction_text(unsigned flags)
{
    return (flags & AZ_HIGHER_BETTER) ? "higher" : (flags & AZ_LOWER_BETTER) ? "lower" : "none";
}

bool az_cell_type_named(struct az_sv w, enum az_cell_type *to)
{
    static const char *const names[] = { [AZ_EMPTY] = "empty",
                                         [AZ_TEXT] = "text",
                                         [AZ_INT] = "int",
                                         [AZ_REAL] = "real",
                                         [AZ_BOOL] = "bool" };
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        *to = (enum az_cell_type)i;
        if (az_sv_is(w, names[i]))
            return true;
    }
    return false;
}

bool az_unit_named(struct az_sv w, enum az_unit *to)
{
    static const struct {
        const char *name;
        enum az_unit unit;
    } own[] = { { "id", AZ_UNIT_ID },
                { "count", AZ_UNIT_COUNT },
                { "ratio", AZ_UNIT_RATIO },
                { "TFLOPS/s", AZ_UNIT_TFLOPS }, /* as results of version 0.1 have it, */
                { "MB", AZ_UNIT_MB },           /* and MiB */
                { "", AZ_UNIT_NONE } };

    for (size_t i = 0; i < AZ_LENGTH(own); i++) {
        *to = own[i].unit;
        if (az_sv_is(w, own[i].name))
            return true;
    }
    for (int u = AZ_UNIT_NONE; u <= AZ_UNIT_PER_S; u++) {
        *to = (enum az_unit)u;
        if (az_sv_is(w, az_unit_text(*to)))
            return true;
    }
    return false;
}

unsigned az_direction_named(struct az_sv w)
{
    return az_sv_is(w, "higher") ? AZ_HIGHER_BETTER : az_sv_is(w, "lower") ? AZ_LOWER_BETTER : 0;
}
