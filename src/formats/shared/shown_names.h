/* Short names of kernels, for display: the whole name decides the class, and a short name that no
 * rule of classes matches is shown with template arguments. So is that of a launcher, a template
 * that runs the function in its arguments: one short name would be all kernels of a program. */
#ifndef AZ_FORMATS_SHARED_SHOWN_NAMES_H
#define AZ_FORMATS_SHARED_SHOWN_NAMES_H

#include "classify/kernels.h"
#include "classify/rules.h"
#include "model/trace.h"

struct az_shown_names {
    struct az_trace *t;
    struct az_arena scratch;
    struct az_kernel_rules *rules; /* NULL before they are needed */
    struct az_vec_u32 of; /* name id of a whole name -> name id shown; AZ_NO_ID: not decided */
    struct az_rule_list launchers; /* read with `rules` */
    struct az_vec_u8 kind;         /* of short names, by name id */
};
void az_shown_names_init(struct az_shown_names *s, struct az_trace *t);
void az_shown_names_release(struct az_shown_names *s);
/* The id of the name shown for a whole name; AZ_NO_ID: not decided yet. */
static inline uint32_t az_shown_name_known(const struct az_shown_names *s, uint32_t whole)
{
    return whole < s->of.n ? s->of.v[whole] : AZ_NO_ID;
}
/* The same, decided once a whole name. shorter: id of the short name that the file or a rule of its
 * tools has. `kentry` of "void ck_tile::kentry<2, ck_tile::GemmKernel<P>, A>(A)" is
 * "kentry<2, GemmKernel, A>". AZ_ENOMEM, AZ_ELIMIT. */
int az_shown_name(struct az_shown_names *s, uint32_t whole, uint32_t shorter,
                  uint32_t *name) AZ_MUST_USE;
/* Decides it otherwise. AZ_ENOMEM, AZ_ELIMIT. */
int az_shown_name_set(struct az_shown_names *s, uint32_t whole, uint32_t name) AZ_MUST_USE;

#endif
