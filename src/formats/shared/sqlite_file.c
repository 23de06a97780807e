/* The file of a database as SQLite reads it: an incomplete page of the file is damage, and a
 * failing disk is not. SQLite itself reads the missing end of a page as zeros, and a truncated
 * export would have rows of zeros without a warning; it treats errors of a failing disk as damage.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>

#include "formats/shared/sqlite_open.h"
#include "io/fs_errors.h"

#define ALIGNED(n) (((size_t)(n) + 15) & ~(size_t)15)

/* After the file of the system's VFS in the memory that SQLite passes: its methods, and those that
 * replace them. */
struct whole {
    const sqlite3_io_methods *real;
    sqlite3_io_methods mine;
    const char *name; /* SQLite's, as long as the file is open */
};

static int read_whole(sqlite3_file *f, void *buf, int n, sqlite3_int64 at)
{
    const struct whole *w =
        (const struct whole *)((const char *)f->pMethods - offsetof(struct whole, mine));
    int rc = w->real->xRead(f, buf, n, at);

    if (rc == SQLITE_IOERR_SHORT_READ)
        return SQLITE_CORRUPT;
    if ((rc & 0xff) != SQLITE_IOERR)
        return rc;
    az_fs_error_note(w->name ? w->name : "database", EIO);
    return SQLITE_IOERR_READ;
}

static int open_whole(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
    sqlite3_vfs *system = vfs->pAppData;
    int rc = system->xOpen(system, name, f, flags, out);

    if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
        return rc;
    struct whole *w = (struct whole *)((char *)f + ALIGNED(system->szOsFile));
    w->real = f->pMethods;
    w->name = name;
    w->mine = *f->pMethods;
    w->mine.xRead = read_whole;
    if (w->mine.iVersion > 2) /* no mapping: a file truncated meanwhile would end the program */
        w->mine.iVersion = 2;
    f->pMethods = &w->mine;
    return rc;
}

const char *az_sqlite_vfs(void)
{
    static sqlite3_vfs whole; /* SQLite links it into its list; written once, under the lock */
    sqlite3_mutex *lock =
        sqlite3_initialize() == SQLITE_OK ? sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1) : NULL;
    int rc = SQLITE_OK;

    sqlite3_mutex_enter(lock);
    if (!whole.zName) {
        sqlite3_vfs *system = sqlite3_vfs_find(NULL);

        if (!system) { /* SQLite has no memory to begin with */
            sqlite3_mutex_leave(lock);
            return NULL;
        }
        whole = *system;
        whole.pNext = NULL;
        whole.zName = "analyzer";
        whole.pAppData = system;
        whole.szOsFile = (int)(ALIGNED(system->szOsFile) + sizeof(struct whole));
        whole.xOpen = open_whole;
        rc = sqlite3_vfs_register(&whole, 0);
    }
    sqlite3_mutex_leave(lock);
    return rc == SQLITE_OK ? whole.zName : NULL;
}
