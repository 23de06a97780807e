/* Lines of commands that fit the terminal. */
#include "cmds/wrap.h"

#include <stdint.h>
#include <unistd.h>

#include "base/env.h"

enum { PAGE = 80, INDENT = 4 };

size_t az_wrap_width(void)
{
    const size_t columns = az_env_columns(STDOUT_FILENO);

    return columns ? columns : SIZE_MAX;
}

/* Where the text of a row begins: after the first blanks between words, two or more; 0: prose. */
static size_t second_column(struct az_sv line)
{
    size_t lead = 0;

    while (lead < line.n && line.p[lead] == ' ')
        lead++;
    for (size_t i = lead; i + 2 < line.n; i++) {
        if (line.p[i] != ' ' || line.p[i + 1] != ' ')
            continue;
        while (i < line.n && line.p[i] == ' ')
            i++;
        return i;
    }
    return lead > INDENT ? lead : lead ? lead + INDENT : 0;
}

/* The lines of prose that the text begins with; the rest is what follows them. */
static size_t paragraph(struct az_sv *rest, bool *wide)
{
    const char *const start = rest->p;
    size_t n = 0;

    *wide = false;
    for (struct az_sv next = *rest; next.n;) {
        const struct az_sv line = az_sv_cut(&next, '\n');
        if (!line.n || second_column(line))
            break;
        *wide |= az_utf8_width(line) > PAGE;
        n = (size_t)(line.p + line.n - start);
        *rest = next;
    }
    return n;
}

/* A paragraph with a line that does not fit, as one. */
static int put_filled(struct az_vec_char *out, struct az_sv lines)
{
    struct az_vec_char joined;
    int rc;

    az_vec_init(&joined, NULL);
    az_text_add(&joined, lines);
    for (size_t i = 0; i < joined.n; i++)
        if (joined.v[i] == '\n')
            joined.v[i] = ' ';
    rc = az_vec_error(&joined);
    rc = rc ? rc : az_utf8_wrap(out, az_text_view(&joined), 0, PAGE);
    az_vec_release(&joined);
    return rc;
}

int az_wrap_page(struct az_vec_char *out, struct az_sv text)
{
    const struct az_sv usage = AZ_SV("usage: ");
    int rc = AZ_OK;

    while (rc == AZ_OK && text.n) {
        const char *const start = text.p;
        bool wide = false;
        const bool first = az_sv_starts(text, usage);
        const size_t n = first ? 0 : paragraph(&text, &wide);
        if (n && wide) {
            rc = put_filled(out, az_sv_make(start, n));
        } else if (n) {
            az_text_add(out, az_sv_make(start, n));
            az_text_add(out, AZ_SV("\n"));
        } else {
            const struct az_sv line = az_sv_cut(&text, '\n');
            rc = az_utf8_wrap(out, line, first ? usage.n : second_column(line), PAGE);
        }
    }
    return rc ? rc : az_vec_error(out);
}
