/* A user's script (Lua 5.4): categories and models of operators. It can reach no file, process or network, and runs
 * under a limit of instructions and memory. */
#ifndef AZ_EXTEND_EXTEND_H
#define AZ_EXTEND_EXTEND_H

#include "base/diag.h"
#include "perf/perf.h"

#define AZ_EXTEND_INSTRUCTIONS 20000000            /* of the script itself, and of each call of one of its functions */
#define AZ_EXTEND_MEMORY       (64u * 1024 * 1024) /* bytes of the script's own data */
#define AZ_EXTEND_CATEGORIES   16                  /* new names of categories */

struct az_extend_category {
    struct az_sv op, category;
};
AZ_VEC(struct az_extend_category, az_extend_categories);

struct az_extend;
/* Runs the script and reads its tables `categories` (category -> list of operators) and `perf_models` (operator ->
 * function). Texts in the arena. AZ_ECONFIG with a message: it cannot be read, is no Lua, raises, takes too long or too
 * much, or says nonsense. */
int az_extend_open(struct az_extend **out, const char *path, struct az_arena *a, struct az_mem *mem,
                   struct az_diag *diag) AZ_MUST_USE;
void az_extend_close(struct az_extend *e); /* NULL is fine */
const struct az_extend_categories *az_extend_categories_of(const struct az_extend *e);
bool az_extend_has_model(const struct az_extend *e, struct az_sv op);
/* perf_models[op](event): FLOPs, bytes, precision, unit; what it leaves out (nil) is not known. AZ_ECONFIG with a
 * message as above. */
int az_extend_model(struct az_extend *e, const struct az_perf_call *c, struct az_arena *a, struct az_perf *out,
                    struct az_diag *diag) AZ_MUST_USE;

#endif
