/* Numbers and names of the colors of a table's text form. */
#include "document/text_table_spec.h"

#include <stdio.h>

enum az_ink az_ink_of(struct az_sv name)
{
    static const char *const names[AZ_INK_COUNT] = { "",     "grey",    "red",  "green", "yellow",
                                                     "blue", "magenta", "cyan", "white", "orange" };
    for (int i = 1; i < AZ_INK_COUNT; i++)
        if (az_sv_is(name, names[i]))
            return (enum az_ink)i;
    return AZ_INK_NONE;
}

struct az_sv az_form_number(double v, int decimals, bool separators, char buf[AZ_FORM_NUMBER])
{
    char plain[330];
    int n = snprintf(plain, sizeof plain, "%.*f", decimals < 9 ? decimals : 9, v);
    size_t len = n < 0 ? 0 : (size_t)n, digits = 0, at = 0;

    for (size_t i = plain[0] == '-'; i < len && plain[i] >= '0' && plain[i] <= '9'; i++)
        digits++;
    for (size_t i = 0; i < len; i++) {
        size_t done = i - (plain[0] == '-');
        if (separators && i > (size_t)(plain[0] == '-') && done < digits &&
            (digits - done) % 3 == 0)
            buf[at++] = ',';
        buf[at++] = plain[i];
    }
    return az_sv_make(buf, at);
}
