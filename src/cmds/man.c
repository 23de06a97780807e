/* Manual pages, made from the rows of the commands and from the option table: what `make install`
 * puts into share/man. */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>

#include "config/config.h"

/* Text in roff: a backslash, a hyphen that is typed, and what would be a request at the begin of a
 * line. */
static void put_text(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const bool begin = i == 0 || text[i - 1] == '\n';
        if (begin && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stdout);
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else if (text[i] == '^')
            fputs("\\(ha", stdout);
        else if (text[i] == '~')
            fputs("\\(ti", stdout);
        else
            putchar(text[i]);
    }
}

static void put(const char *text) { put_text(text, strlen(text)); }

static void put_line(const char *before, const char *text)
{
    fputs(before, stdout);
    put(text);
    putchar('\n');
}

static void head(const char *name, const char *section, const char *what)
{
    printf(".\\\" made by `analyzer help --man`\n.TH ");
    for (const char *c = name; *c; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    printf(" %s \"\" \"analyzer " AZ_VERSION "\" \"analyzer\"\n.SH NAME\n", section);
    put(name);
    put_line(" \\- ", what);
}

static void put_option(const struct az_cmd_opt *row)
{
    const struct az_cmd_opt o = az_help_row(row);

    fputs(".TP\n", stdout);
    if (o.id < 256)
        printf("\\fB\\-%c\\fR, ", o.id);
    fputs("\\fB\\-\\-", stdout);
    put(o.name);
    fputs("\\fR", stdout);
    if (o.arg) {
        fputs("=\\fI", stdout);
        put(o.arg);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_line("", o.help);
}

static void put_status(void)
{
    static const char *const rows[][2] = {
        { "0", "done, all gates passed" },
        { "1", "a gate failed" },
        { "2", "wrong usage or configuration, nothing was run" },
        { "3", "some input or output failed or a gate was inconclusive, the rest was done" },
        { "4", "internal error" },
        { "130", "interrupted" },
    };
    puts(".SH EXIT STATUS");
    for (size_t i = 0; i < AZ_LENGTH(rows); i++) {
        printf(".TP\n.B %s\n", rows[i][0]);
        put_line("", rows[i][1]);
    }
}

static void see_also(const char *but)
{
    bool first = true;

    puts(".SH SEE ALSO");
    if (but)
        printf(".BR analyzer (1)");
    first = !but;
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++) {
        if (but && strcmp((*c)->name, but) == 0)
            continue;
        printf("%s.BR analyzer\\-", first ? "" : ",\n");
        put((*c)->name);
        printf(" (1)");
        first = false;
    }
    if (!but || strcmp(but, "config") != 0)
        printf(",\n.BR analyzer\\-config (5)");
    putchar('\n');
}

static void man_command(const struct az_cmd *cmd)
{
    char name[64];

    snprintf(name, sizeof name, "analyzer-%s", cmd->name);
    head(name, "1", cmd->help);
    puts(".SH SYNOPSIS");
    printf(".B analyzer ");
    put(cmd->name);
    putchar('\n');
    put_line("", cmd->args[0] ? cmd->args : "[options]");
    if (cmd->args[0] && cmd->n_opts > 1)
        puts("[options]");
    if (cmd->more) {
        puts(".SH DESCRIPTION");
        put_line("", cmd->more);
    }
    puts(".SH OPTIONS");
    for (size_t i = 0; i < cmd->n_opts; i++)
        put_option(&cmd->opts[i]);
    put_status();
    see_also(cmd->name);
}

static void man_program(void)
{
    head("analyzer", "1", "where the time of accelerator programs goes, from their profiles");
    puts(".SH SYNOPSIS\n.nf\n.B analyzer \\-\\-config=FILE [options]\n.B analyzer run PATH... "
         "[options]\n.B analyzer COMMAND ...\n.fi\n.SH DESCRIPTION");
    put_line("", "Reads profiles of Nsight Systems, the PyTorch profiler, rocprofv3, XPlane (JAX, "
                 "TensorFlow) and Tenstorrent's Tracy, alone or of many ranks, and reports them as "
                 "text, workbooks, CSV, JSON, HTML and Markdown; compares runs, and fails where "
                 "one is worse than its baseline. The input formats and outputs that are built in "
                 "are listed by 'analyzer list'.");
    puts(".SH COMMANDS");
    for (const struct az_cmd *const *c = az_cmd_table; *c; c++) {
        printf(".TP\n\\fB");
        put((*c)->name);
        fputs("\\fR ", stdout);
        put_line("", (*c)->args);
        put_line("", (*c)->help);
    }
    puts(".SH FILES");
    printf(".TP\n.I ");
    put_line("", AZ_DATADIR);
    put_line("", "data, schemas, documentation and examples that came with the program");
    put_status();
    see_also(NULL);
}

/* `analyzer help config` as a page: headings, "  key (type; default)", "      what it is". */
static int man_config(void)
{
    struct az_vec_char text;
    int rc;

    az_vec_init(&text, NULL);
    rc = az_config_help(&text);
    head("analyzer-config", "5", "keys of a configuration of analyzer");
    puts(".SH DESCRIPTION");
    bool began = false;
    for (size_t i = 0; rc == 0 && i < text.n;) {
        size_t n = 0, blank = 0;
        while (i + n < text.n && text.v[i + n] != '\n')
            n++;
        while (blank < n && text.v[i + blank] == ' ')
            blank++;
        began |= n == 0;
        if (n && began && blank == 0)
            fputs(".SH ", stdout);
        if (blank == 2)
            fputs(".TP\n\\fB", stdout);
        put_text(text.v + i + blank, n - blank);
        if (n)
            puts(blank == 2 ? "\\fR" : "");
        i += n + 1;
    }
    az_vec_release(&text);
    see_also("config");
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

int az_print_man(const char *about)
{
    const struct az_cmd *cmd = about ? az_cmd_find(about) : NULL;

    if (about && strcmp(about, "config") == 0)
        return man_config();
    if (cmd)
        man_command(cmd);
    else
        man_program();
    return AZ_EXIT_OK;
}
