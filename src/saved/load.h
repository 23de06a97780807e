/* Results of earlier runs back into documents: a result JSON, a folder of one CSV file a table, a
 * workbook, or a database. Files are not trusted: errors are reported with their place, memory is
 * bounded by the file's content. */
#ifndef AZ_SAVED_LOAD_H
#define AZ_SAVED_LOAD_H

#include "document/document.h"
#include "document/units.h"
#include "io/source.h"

enum az_saved {
    AZ_SAVED_NONE,     /* no result of ours: a profile, or nothing at all */
    AZ_SAVED_JSON,     /* begins like a result JSON */
    AZ_SAVED_TABLES,   /* a folder with a CSV file named like a table that can be compared */
    AZ_SAVED_DATABASE, /* a database of the report `sqlite` */
    AZ_SAVED_BOOK      /* a workbook (.xlsx), ours or TraceLens's: a table a sheet */
};
/* By content (a file's first bytes, a folder's names); opens and closes it. Never for "-" and
 * pipes. */
enum az_saved az_saved_kind(const char *path);
/* A message, where the first 64 KiB of a file show that it is of this program; NULL: they do not.
 */
const char *az_saved_why_no_profile(const char *path, struct az_sv head);

/* Ends the names of reports, before their extension. */
#define AZ_REPORT_SUFFIX "_perf_report"
/* The name of a saved result for readers: "runs/train_step_perf_report.json" is train_step. */
struct az_sv az_saved_name(struct az_sv path);

/* A history of this program (regression/history.h), by its first page. */
bool az_saved_is_history(const char *path);

/* Reads into doc, which is initialized and empty; texts live in its arena. AZ_EFORMAT, AZ_EIO,
 * AZ_ENOMEM, AZ_ELIMIT with a message. *partial: some tables of a folder could be read although it
 * failed. */
int az_load_saved(struct az_document *doc, enum az_saved kind, const char *path, bool *partial,
                  struct az_diag *diag) AZ_MUST_USE;
/* The same from bytes, which must outlive doc; `name` is for messages. Numbers come back exactly:
 * written again by the JSON report, the document has the same bytes. */
int az_load_json(struct az_document *doc, struct az_sv bytes, struct az_sv name,
                 struct az_diag *diag) AZ_MUST_USE;
/* One CSV table, `id` its name. Types by content, units by the columns' names (az_unit_of_column).
 * The source is opened twice through `open`, once to find the types. */
struct az_csv_file {
    struct az_sv name; /* for messages; opened as a file if bytes.p is NULL. NUL-terminated */
    struct az_sv bytes;
};
int az_load_csv(struct az_document *doc, struct az_sv id, const struct az_csv_file *file,
                struct az_diag *diag) AZ_MUST_USE;

/* The sheets of a workbook, each as the CSV file of its name would be read; a sheet for readers
 * ("summary") is skipped. */
int az_load_xlsx(struct az_document *doc, struct az_sv bytes, struct az_sv name,
                 struct az_diag *diag) AZ_MUST_USE;

/* A database of the report `sqlite` begins so: SQLite, and at AT the number ID, big end first. */
#define AZ_DATABASE_ID 0x415a4c59
#define AZ_DATABASE_AT 68
int az_load_database(struct az_document *doc, const char *path, struct az_diag *diag) AZ_MUST_USE;

#endif
