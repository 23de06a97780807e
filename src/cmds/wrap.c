/* Lines of commands that fit the terminal. */
#include "cmds/wrap.h"

#include <stdint.h>
#include <unistd.h>

#include "base/env.h"
#include "base/utf8.h"
#include "read/result.h"
#include "text/line_break.h"

size_t az_wrap_width(void)
{
    const char *given = az_env("COLUMNS");

    return (given && *given) || isatty(STDOUT_FILENO) ? az_text_columns() : SIZE_MAX;
}

int az_wrap_line(struct az_vec_char *out, struct az_sv line, size_t indent, size_t width)
{
    const bool fits = az_utf8_width(line) <= width;
    const struct az_sv head = fits ? line : az_utf8_cut(line, indent);

    az_text_add(out, head);
    for (struct az_sv rest = az_sv_make(line.p + head.n, line.n - head.n); rest.n;) {
        const size_t end = az_line_break(rest, width > indent ? width - indent : 1);
        az_text_add(out, az_sv_make(rest.p, end));
        rest = az_sv_trim(az_sv_make(rest.p + end, rest.n - end));
        if (rest.n)
            az_text_format(out, "\n%*s", (int)indent, "");
    }
    az_text_add(out, AZ_SV("\n"));
    return az_vec_error(out);
}
