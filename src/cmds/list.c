/* `analyzer list`: the plug points. */
#include "cmds/internal.h"
#include "cmds/wrap.h"

#include <stdio.h>
#include <string.h>

#include "text/text_writer.h"

/* What is printed at the end, as a whole. */
struct list {
    struct az_vec_char line, out; /* line: the one that is being put together */
    size_t columns;               /* of a line */
    int width;                    /* of names */
    int error;
};

/* Ends the line: a name and what it means. */
static void end_line(struct list *l)
{
    if (l->error == AZ_OK)
        l->error = az_vec_error(&l->line);
    if (l->error == AZ_OK)
        l->error = az_utf8_wrap(&l->out, az_text_view(&l->line), (size_t)l->width + 3, l->columns);
    az_vec_reset(&l->line);
}

static void put_named(struct list *l, const char *name, const char *help)
{
    az_text_format(&l->line, "  %-*s %s", l->width, name, help);
    end_line(l);
}

/* ---- parts of the list ---- */
static void put_formats(struct list *l)
{
    az_text_format(&l->out, "input formats:\n");
    for (const struct az_format *const *f = az_formats; *f; f++) {
        const char *const *aliases = (*f)->aliases;
        az_text_format(&l->line, "  %-*s %s", l->width, (*f)->name, (*f)->help);
        for (const char *const *alias = aliases; alias && *alias; alias++)
            az_text_format(&l->line, "%s%s",
                           alias == aliases ? " (in a configuration also: " : ", ", *alias);
        az_text_format(&l->line, "%s", aliases && *aliases ? ")" : "");
        end_line(l);
    }
}

/* Analyses of one name, for several kinds of formats, are one line. */
static void put_analysis(struct list *l, const struct az_entry *s)
{
    bool first = true;

    for (struct az_entry o = az_entries_of(az_analyses); az_entry_next(&o);) {
        if (strcmp(o.name, s->name) != 0)
            continue;
        if (!first)
            az_text_format(&l->line, "; %s", o.help);
        else if (o.help == s->help)
            az_text_format(&l->line, "  %-*s %s", l->width, s->name, s->help);
        else
            return; /* printed with the first one */
        first = false;
    }
    end_line(l);
}

static void put_analyses(struct list *l)
{
    az_text_format(&l->out, "analyses:\n");
    for (struct az_entry s = az_entries_of(az_analyses); az_entry_next(&s);)
        put_analysis(l, &s);
    az_text_format(&l->out, "analyses over the ranks of one run:\n");
    for (const struct az_rank_analysis *const *p = az_rank_analyses; *p; p++)
        put_named(l, (*p)->name, (*p)->help);
}

static void put_outputs(struct list *l)
{
    az_text_format(&l->out, "output formats:\n");
    put_named(l, "text", "aligned text on standard output");
    for (const struct az_report *const *r = az_reports; *r; r++)
        put_named(l, (*r)->name, (*r)->help);
}

static const struct {
    const char *name;
    void (*put)(struct list *l);
} parts[] = { { "formats", put_formats },
              { "analyses", put_analyses },
              { "outputs", put_outputs } };

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

int az_list_put(struct az_vec_char *out, const char *part, size_t columns)
{
    struct list l = { .width = longest_name(), .columns = columns };
    bool any = false;

    az_vec_init(&l.line, NULL);
    az_vec_init(&l.out, NULL);
    for (size_t i = 0; i < AZ_LENGTH(parts); i++) {
        if (part && strcmp(part, parts[i].name) != 0)
            continue;
        parts[i].put(&l);
        any = true;
    }
    int rc = l.error ? l.error : az_vec_error(&l.out);
    rc = rc ? rc : any ? az_text_append(out, az_text_view(&l.out)) : AZ_EUSAGE;
    az_vec_release(&l.line);
    az_vec_release(&l.out);
    return rc;
}

static int run_list(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_vec_char out;
    struct az_args a;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    if (az_args_only_help(&a, 0, 1, &rc))
        return rc;
    az_vec_init(&out, NULL);
    rc = az_list_put(&out, a.n_operands ? a.operands[0] : NULL, az_wrap_width());
    if (rc == AZ_OK && out.n)
        fwrite(out.v, 1, out.n, stdout);
    az_vec_release(&out);
    if (rc == AZ_EUSAGE)
        return az_usage_error(cmd, "unknown part '%s'; use formats, analyses or outputs",
                              a.operands[0]);
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_list = { "list",
                                    "[formats|analyses|outputs]",
                                    "list input formats, analyses and output formats",
                                    NULL,
                                    options,
                                    1,
                                    run_list };
