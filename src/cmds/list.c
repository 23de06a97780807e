/* `analyzer list`: the plug points. */
#include "cmds/internal.h"
#include "cmds/wrap.h"

#include <stdio.h>
#include <string.h>

#include "text/text_writer.h"

/* A name and what it means, with "; " or another text between the parts of it. Empties the text.
 */
static void print_line(struct az_vec_char *text, int width)
{
    struct az_vec_char out;

    az_vec_init(&out, NULL);
    if (az_wrap_line(&out, az_text_view(text), (size_t)width + 3, az_wrap_width()) == AZ_OK)
        fwrite(out.v, 1, out.n, stdout);
    az_vec_release(&out);
    text->n = 0;
}

static void print_named(const char *name, const char *help, int width)
{
    struct az_vec_char text;

    az_vec_init(&text, NULL);
    az_text_format(&text, "  %-*s %s", width, name, help);
    print_line(&text, width);
    az_vec_release(&text);
}

/* ---- parts of the list ---- */
static void print_formats(int width)
{
    struct az_vec_char text;

    puts("input formats:");
    az_vec_init(&text, NULL);
    for (const struct az_format *const *f = az_formats; *f; f++) {
        az_text_format(&text, "  %-*s %s", width, (*f)->name, (*f)->help);
        for (const char *const *alias = (*f)->aliases; alias && *alias; alias++)
            az_text_format(&text, "%s%s",
                           alias == (*f)->aliases ? " (in a configuration also: " : ", ", *alias);
        az_text_format(&text, "%s", (*f)->aliases && *(*f)->aliases ? ")" : "");
        print_line(&text, width);
    }
    az_vec_release(&text);
}

/* Analyses of one name, for several kinds of formats, are one line. */
static void print_analysis(const struct az_entry *s, int width)
{
    struct az_vec_char text;
    bool first = true, again = false; /* again: printed with the first one */

    az_vec_init(&text, NULL);
    for (struct az_entry o = az_entries_of(az_analyses); !again && az_entry_next(&o);) {
        if (strcmp(o.name, s->name) != 0)
            continue;
        again = first && o.help != s->help;
        if (first)
            az_text_format(&text, "  %-*s %s", width, s->name, s->help);
        else
            az_text_format(&text, "; %s", o.help);
        first = false;
    }
    if (!again)
        print_line(&text, width);
    az_vec_release(&text);
}

static void print_analyses(int width)
{
    puts("analyses:");
    for (struct az_entry s = az_entries_of(az_analyses); az_entry_next(&s);)
        print_analysis(&s, width);
    puts("analyses over the ranks of one run:");
    for (const struct az_rank_analysis *const *p = az_rank_analyses; *p; p++)
        print_named((*p)->name, (*p)->help, width);
}

static void print_outputs(int width)
{
    puts("output formats:");
    print_named("text", "aligned text on standard output", width);
    for (const struct az_report *const *r = az_reports; *r; r++)
        print_named((*r)->name, (*r)->help, width);
}

static const struct {
    const char *name;
    void (*print)(int width);
} parts[] = { { "formats", print_formats },
              { "analyses", print_analyses },
              { "outputs", print_outputs } };

/* Of the names, so that all texts begin in one column. */
static int longest_name(void)
{
    size_t n = 0, k;
    for (struct az_entry s = az_entries_of(az_analyses); az_entry_next(&s);)
        n = (k = strlen(s.name)) > n ? k : n;
    for (const struct az_rank_analysis *const *p = az_rank_analyses; *p; p++)
        n = (k = strlen((*p)->name)) > n ? k : n;
    return (int)n;
}

static int run_list(const struct az_cmd *cmd, int argc, char **argv)
{
    const int width = longest_name();
    struct az_args a;
    bool any = false;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    if (az_args_only_help(&a, 0, 1, &rc))
        return rc;
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        if (a.n_operands && strcmp(a.operands[0], parts[i].name) != 0)
            continue;
        parts[i].print(width);
        any = true;
    }
    return any ? AZ_EXIT_OK
               : az_usage_error(cmd, "unknown part '%s'; use formats, analyses or outputs",
                                a.operands[0]);
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_list = { "list",
                                    "[formats|analyses|outputs]",
                                    "list input formats, analyses and output formats",
                                    NULL,
                                    options,
                                    1,
                                    run_list };
