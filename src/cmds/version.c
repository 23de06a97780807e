/* `analyzer version`: the version and what is built in. */
#include "cmds/internal.h"
#include "reports/report.h"

#include <stdio.h>

#include "io/sandbox.h"

/* The headers of these libraries stay in the rooms that use them; for their names only, the
 * prototypes do. */
const char *zlibVersion(void);
const char *sqlite3_libversion(void);
const char *json_c_version(void);
const char *XML_ExpatVersion(void); /* "expat_2.5.0" */
const char *utf8proc_version(void);

/* What made the program: facts of the compiler, and two that the Makefile defines for this file
 * alone. */
#ifndef AZ_SOURCE
#define AZ_SOURCE "unknown"
#endif
#ifndef AZ_LUA
#define AZ_LUA "lua"
#endif
#ifdef __clang__
#define AZ_COMPILER "clang " __clang_version__
#else
#define AZ_COMPILER "gcc " __VERSION__
#endif
#if defined(__x86_64__)
#define AZ_MACHINE "x86_64"
#elif defined(__aarch64__)
#define AZ_MACHINE "aarch64"
#else
#define AZ_MACHINE "another machine"
#endif
#ifdef AZ_SANITIZED
#define AZ_KIND "sanitized"
#elif defined(__OPTIMIZE__)
#define AZ_KIND "optimized"
#else
#define AZ_KIND "not optimized"
#endif

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
    printf("%s\nexpat %s\nutf8proc %s\n", AZ_LUA, XML_ExpatVersion() + 6, utf8proc_version());
#ifdef AZ_OPTIMISED
    puts("compiled with: " AZ_OPTIMISED);
#endif
#ifdef AZ_INSIDE
    puts("statically linked: " AZ_INSIDE);
#endif
#ifdef AZ_WITH_ISAL
    puts("gzip input: isa-l");
#else
    puts("gzip input: zlib");
#endif
#ifdef AZ_WITH_ZSTD
    puts("zstd input: libzstd");
#else
    puts("zstd input: none");
#endif
    const unsigned has = az_sandbox_has(); /* of the kernel it runs on */
    printf("sandbox:%s%s%s\n", has & AZ_SANDBOX_HAS_SECCOMP ? " seccomp" : "",
           has & AZ_SANDBOX_HAS_LANDLOCK ? " landlock" : "", has ? "" : " none");
    puts("built by: " AZ_COMPILER " for " AZ_MACHINE ", " AZ_KIND);
    puts("source: " AZ_SOURCE);
    puts("data: " AZ_DATADIR);
    print_formats();
    return AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = { { 'h', "help", NULL, "print this help" } };
const struct az_cmd az_cmd_version = {
    "version", "", "print the version and build configuration", NULL, options, 1, run_version
};
