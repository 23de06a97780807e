/* Profiles of other programs: traces in the form of Chrome's (JSON of events with "ph"), which
 * resemble those of the PyTorch profiler, and the tables, databases and folders of profilers that
 * are not read. Recognized by what only they contain, and rejected by name with a remedy. */
#ifndef AZ_FORMATS_SHARED_UNSUPPORTED_FORMATS_H
#define AZ_FORMATS_SHARED_UNSUPPORTED_FORMATS_H

#include "base/sv.h"

/* What the file with these first bytes is, and what to read instead, as the text of a message;
 * NULL: none of those known. */
const char *az_foreign(struct az_sv head);
/* The same by the name of the file, of formats without text. */
const char *az_foreign_name(struct az_sv name);
/* The same by the name of a process in the file, wherever that is. */
const char *az_foreign_process(struct az_sv name);
/* The same by a table of a database. */
const char *az_foreign_table(struct az_sv name);
/* The same by the name of a folder, without those it is in. */
const char *az_foreign_folder(struct az_sv name);

/* Why an SQLite database is no profile, by its tables, of which `known` lists those of profilers;
 * NULL: it may be one, or cannot be read. */
const char *az_sqlite_alien(const char *path, bool (*known)(struct az_sv table));

#endif
