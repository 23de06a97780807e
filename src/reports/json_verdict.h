/* The verdict of a document alone, as JSON. */
#ifndef AZ_REPORTS_JSON_VERDICT_H
#define AZ_REPORTS_JSON_VERDICT_H

#include "document/document.h"

/* Appends {"verdict": {...}}, as the JSON report has it; "{}" for a document without one. Texts are
 * cleaned into `scratch`. */
int az_json_verdict(const struct az_document *doc, struct az_arena *scratch,
                    struct az_vec_char *out) AZ_MUST_USE;

#endif
