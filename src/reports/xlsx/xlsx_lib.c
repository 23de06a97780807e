/* Loading the workbook library, see xlsx_lib.h. */
#include "reports/xlsx/xlsx_lib.h"
#include "reports/report.h"

const char *az_xlsx_version(void) { return LXW_VERSION; }

#ifdef AZ_XLSX_SONAME
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

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
