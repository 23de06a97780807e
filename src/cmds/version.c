/* `analyzer version`: the version and what is built in. */
#include "cmds/internal.h"
#include "reports/report.h"

#include <stdio.h>

/* The headers of these libraries stay in the rooms that use them; for their names only, the
 * prototypes do. */
const char *zlibVersion(void);
const char *sqlite3_libversion(void);
const char *json_c_version(void);

static void print_formats(void)
{
    fputs("formats:", stdout);
    for (const struct az_format *const *f = az_formats; *f; f++)
        printf(" %s", (*f)->name);
    fputs("\nreports: text", stdout);
    for (const struct az_report *const *r = az_reports; *r; r++)
        printf(" %s", (*r)->name);
    putchar('\n');
}

static int run_version(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_args a;
    int rc;

    az_args_init(&a, cmd, argc, argv);
    if (az_args_only_help(&a, 0, 0, &rc))
        return rc;
    puts("analyzer " AZ_VERSION);
    printf("json-c %s\nzlib %s\nsqlite %s\nlibxlsxwriter %s\n", json_c_version(), zlibVersion(),
           sqlite3_libversion(), az_xlsx_version());
#ifdef AZ_OPTIMISED
    puts("compiled with: " AZ_OPTIMISED);
#endif
#ifdef AZ_WITH_ISAL
    puts("gzip input: isa-l");
#else
    puts("gzip input: zlib");
#endif
    print_formats();
    return AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_version = { "version",  "",      "the version and what is built in",
                                       NULL,       options, 1,
                                       run_version };
