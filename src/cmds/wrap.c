/* Lines of commands that fit the terminal. */
#include "cmds/wrap.h"

#include <stdint.h>
#include <unistd.h>

#include "base/env.h"
#include "base/utf8.h"
#include "read/result.h"
#include "text/text_writer.h"

size_t az_wrap_width(void)
{
    const char *given = az_env("COLUMNS");

    return (given && *given) || isatty(STDOUT_FILENO) ? az_text_columns() : SIZE_MAX;
}

static size_t count_blanks(struct az_sv s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] == ' ')
        n++;
    return n;
}

int az_wrap_line(struct az_vec_char *out, struct az_sv line, size_t indent, size_t width)
{
    size_t used = 0;
    int rc = AZ_OK;

    while (rc == AZ_OK && line.n) {
        size_t blanks = count_blanks(line), n = blanks;
        while (n < line.n && line.p[n] != ' ')
            n++;
        size_t room = az_utf8_width(az_sv_make(line.p, n));
        if (used > indent && used + room > width) {
            rc = az_text_printf(out, "\n%*s", (int)indent, "");
            used = indent;
            room -= blanks;
        } else {
            blanks = 0;
        }
        if (rc == AZ_OK)
            rc = az_text_append(out, az_sv_make(line.p + blanks, n - blanks));
        used += room;
        line = az_sv_make(line.p + n, line.n - n);
    }
    return rc ? rc : az_text_append(out, AZ_SV("\n"));
}
