/* What SQLite itself adds to a database of a report: indexes of tables whose rows are not stored,
 * and events with views that have their texts. Private to the room. */
#ifndef AZ_REPORTS_SQLITE_EVENTS_H
#define AZ_REPORTS_SQLITE_EVENTS_H

#include "document/document.h"

struct az_sqlite_more {
    const char *path;                   /* for messages */
    const char *file;                   /* the database */
    const struct az_vec_sv *statements; /* run first */
    const struct az_table_list *events; /* NULL: none */
    const struct az_vec_sv *names;      /* of tables: a view of events does not replace one */
};
/* 0 or an error, with a message. */
int az_sqlite_add(const struct az_sqlite_more *more, struct az_arena *scratch, struct az_mem *mem,
                  struct az_diag *diag) AZ_MUST_USE;

#endif
