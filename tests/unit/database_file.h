/* Files that SQLite makes next to a database: a damaged header may request its log. */
#ifndef TESTS_DATABASE_FILE_H
#define TESTS_DATABASE_FILE_H

#include <stdio.h>
#include <unistd.h>

static inline void remove_database(const char *path)
{
    static const char *const suffix[] = { "", "-wal", "-shm", "-journal" };

    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        char name[256];
        (void)snprintf(name, sizeof name, "%s%s", path, suffix[i]);
        (void)unlink(name);
    }
}

#endif
