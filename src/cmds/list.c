/* `analyzer list`: the plug points. */
#include "cmds/internal.h"

#include <stdio.h>

static void print_format(const struct az_format *f)
{
    printf("  %-20s %s", f->name, f->help);
    for (const char *const *alias = f->aliases; alias && *alias; alias++)
        printf("%s%s", alias == f->aliases ? " (in a configuration also: " : ", ", *alias);
    puts(f->aliases && *f->aliases ? ")" : "");
}

static int run_list(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_args a;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    if (az_args_only_help(&a, 0, 0, &rc))
        return rc;
    puts("input formats:");
    for (const struct az_format *const *f = az_formats; *f; f++)
        print_format(*f);
    puts("analyses:");
    for (struct az_entry s = az_entries_of(az_analyses); az_entry_next(&s);)
        printf("  %-20s %s\n", s.name, s.help);
    puts("analyses over the ranks of one run:");
    for (const struct az_rank_analysis *const *p = az_rank_analyses; *p; p++)
        printf("  %-20s %s\n", (*p)->name, (*p)->help);
    puts("output formats:");
    printf("  %-20s %s\n", "text", "aligned text on standard output");
    for (const struct az_report *const *r = az_reports; *r; r++)
        printf("  %-20s %s\n", (*r)->name, (*r)->help);
    return AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_list = {
    "list", "", "list input formats, analyses and output formats", NULL, options, 1, run_list
};
