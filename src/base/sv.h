/* String views: text from files is (pointer, length), never assumed NUL-terminated or UTF-8. */
#ifndef AZ_BASE_SV_H
#define AZ_BASE_SV_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct az_sv {
    const char *p;
    size_t n;
};

#define AZ_SV(lit) ((struct az_sv){ (lit), sizeof(lit) - 1 })
/* For printf("%.*s", AZ_SVF(v)); views over 2 GiB are truncated. */
#define AZ_SVF(v) (int)((v).n > 0x7fffffff ? 0x7fffffff : (v).n), ((v).p ? (v).p : "")

static inline struct az_sv az_sv_make(const char *p, size_t n) { return (struct az_sv){ p, n }; }
static inline struct az_sv az_sv_str(const char *s)
{
    return (struct az_sv){ s, s ? strlen(s) : 0 };
}
static inline bool az_sv_eq(struct az_sv a, struct az_sv b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool az_sv_is(struct az_sv a, const char *s) { return az_sv_eq(a, az_sv_str(s)); }

/* Bytewise order (shorter first on equal prefix): <0, 0, >0. */
int az_sv_cmp(struct az_sv a, struct az_sv b);
/* ASCII letters compared without case. */
bool az_sv_ieq(struct az_sv a, struct az_sv b);
bool az_sv_starts(struct az_sv a, struct az_sv prefix);
bool az_sv_ends(struct az_sv a, struct az_sv suffix);
/* Offset of the first occurrence of needle in hay, or -1; the empty needle is at 0. */
ptrdiff_t az_sv_find(struct az_sv hay, struct az_sv needle);
/* The same, ASCII letters compared without case. */
ptrdiff_t az_sv_ifind(struct az_sv hay, struct az_sv needle);
/* Without ASCII blanks (space, tab, CR, LF) at both ends. */
struct az_sv az_sv_trim(struct az_sv a);
/* Splits off the part before the separator (all of it if there is none); *rest becomes the part
 * after it. */
struct az_sv az_sv_cut(struct az_sv *rest, char separator);
/* Glob match of a whole view: `*`, `?`, `[..]`; no separators are special. */
bool az_sv_glob(struct az_sv pattern, struct az_sv text);
/* Edit distance (Levenshtein), at most `max` + 1; for "did you mean". */
unsigned az_sv_distance(struct az_sv a, struct az_sv b, unsigned max);

#endif
