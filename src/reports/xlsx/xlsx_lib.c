/* Loading the workbook library, see xlsx_lib.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memfd_create */
#endif
#include "reports/xlsx/xlsx_lib.h"
#include "reports/report.h"

const char *az_xlsx_version(void) { return LXW_VERSION; }

#ifdef AZ_XLSX_SONAME
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The names of the functions, as the list has them: the macros of the header would change them. */
#define NAME(f) #f,
static const char *const names[] = { AZ_XLSX_FUNCTIONS(NAME) };
#undef NAME

struct az_xlsx_lib az_xlsx_lib;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *missing; /* what could not be loaded, NULL: all is there */

_Static_assert(sizeof az_xlsx_lib == sizeof names, "one pointer a function");

/* Never unloaded: the addresses are used until the program ends. Pointers to functions and to data
 * are of one size wherever dlsym exists. */
static void load_library(void)
{
    void *lib = dlopen(AZ_XLSX_SONAME, RTLD_NOW | RTLD_LOCAL);
    char *to = (char *)&az_xlsx_lib;

    if (!lib) {
        missing = AZ_XLSX_SONAME;
        return;
    }
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        void *f = dlsym(lib, names[i]);
        if (!f)
            missing = names[i];
        memcpy(to + i * sizeof f, &f, sizeof f);
    }
}

/* The library writes each part of a workbook to a temporary file, reads it back and removes it. Of
 * a small workbook those some thirty files took half of the time beyond CSVs, as some file systems
 * search long for an inode while many were removed recently. The parts are small without the rows
 * of tables (xlsx_rows.c), so that they stay in memory: the program exports this function
 * (Makefile), and the dynamic linker prefers it to the library's own, which is called where the
 * system has no such files. */
FILE *
az_xlsx_part_file(char *folder) __asm__("lxw_tmpfile"); /* whose type depends on the version */

FILE *az_xlsx_part_file(char *folder)
{
    const int fd = memfd_create("workbook", MFD_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "w+b") : NULL;

    if (f)
        return f;
    if (fd >= 0)
        (void)close(fd);
    return lxw_tmpfile(folder);
}

int az_xlsx_load(struct az_where where, struct az_diag *diag)
{
    (void)pthread_once(&once, load_library);
    if (!missing)
        return AZ_OK;
    return az_diag_fail(
        diag, AZ_EIO, where,
        "cannot load the workbook library '%s'; install libxlsxwriter, or use another format",
        missing);
}
#else
int az_xlsx_load(struct az_where where, struct az_diag *diag)
{
    (void)where;
    (void)diag;
    return AZ_OK;
}
#endif
