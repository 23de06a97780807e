/* Texts for sentences about two results: pairs of times in one unit, changes with their sign, names
 * and tags truncated to a readable length. All in the arena; {NULL, 0}: no memory. */
#ifndef AZ_DOCUMENT_NAME_WORDS_H
#define AZ_DOCUMENT_NAME_WORDS_H

#include "base/mem.h"
#include "base/sv.h"

/* "1.08 s -> 908 ms", "8.53 -> 11.1 ms": three digits each, more where they do not differ in these
 * but do in others. */
struct az_sv az_words_pair(struct az_arena *a, int64_t from, int64_t to, const char *between);
struct az_sv az_words_change(struct az_arena *a, int64_t ns);    /* "+65.0 ms" */
struct az_sv az_words_time(struct az_arena *a, int64_t ns);      /* "65.0 ms" */
struct az_sv az_words_factor(struct az_arena *a, double factor); /* "12.3x", "123x" */
/* A name in a form for sentences: without namespaces and parameters, truncated if it is long. */
struct az_sv az_words_name(struct az_arena *a, struct az_sv name);
/* "a -> b", each shortened to half of that length. */
struct az_sv az_words_renamed(struct az_arena *a, const struct az_sv name[2]);
/* The names of one list truncated to that length; in place. */
void az_words_names_cut(struct az_arena *a, struct az_sv *name, size_t n);
/* Reduces long tags to the words in which they differ. */
void az_words_tags(struct az_sv *tags, size_t n);

#endif
