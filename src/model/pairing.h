/* Pairing the launches of a captured graph with the device events of one replay (docs/graphs.md 3).
 * Both are lists of keys: the name id of a kernel, or one of those below.
 */
#ifndef AZ_MODEL_PAIRING_H
#define AZ_MODEL_PAIRING_H

#include "base/mem.h"

enum {
    AZ_KEY_KERNEL = -1, /* a captured launch without a kernel name: any */
    AZ_KEY_COPY = -2,
    AZ_KEY_FILL = -3
};

enum az_pair_by {
    AZ_PAIR_ORDER,   /* the same names in the same order */
    AZ_PAIR_NAMES,   /* each event is paired with the next launch of its name; launches may be left
                        over */
    AZ_PAIR_STREAMS, /* the same for each of several streams */
    AZ_PAIR_NTH,     /* as often each name: the k-th launch with the k-th event */
    /* the captured launches do not name their kernels: */
    AZ_PAIR_FAMILIES, /* as many, in order, of the operators' families (model/capture_match_check.h)
                       */
    AZ_PAIR_UNNAMED,  /* as many, in order; nothing more is known */
    AZ_PAIR_MARKS,    /* of another number: in order between marks (az_pair_marks) */
    /* not paired: */
    AZ_PAIR_NO_CAPTURE, /* none of the launch's shape */
    AZ_PAIR_AMBIGUOUS,  /* more than one has these kernels */
    AZ_PAIR_DIFFERENT,  /* the names, or their number, are not those of the capture */
    AZ_PAIR_BETWEEN,    /* between two marks there are not as many as captured */
    AZ_PAIR_UNLIKE,     /* nor are the families of its operators */
    AZ_PAIR_COUNT
};
static inline bool az_paired(enum az_pair_by p) { return p < AZ_PAIR_NO_CAPTURE; }
const char *az_pair_text(enum az_pair_by p);

struct az_pairing {
    const uint32_t *launch; /* keys in order of capture */
    size_t n_launches;
    const uint32_t *event; /* keys in order of start (or of graph nodes) */
    const uint32_t *lane;  /* of the events */
    size_t n_events;
    uint32_t *launch_of; /* out: by event */
    struct az_mem *mem;
};
/* The first rule that pairs every event; AZ_PAIR_DIFFERENT if none does. *rc: AZ_ENOMEM, AZ_ELIMIT.
 */
enum az_pair_by az_pair_launches(const struct az_pairing *p, int *rc);

/* Of a capture whose launches do not name their kernels and are of another number: between marks,
 * which are launches of known kernels (docs/graphs.md 3.2). */
struct az_marks {
    const uint32_t *launch; /* keys in order of capture */
    const uint32_t *op;     /* of each the name of its innermost operator; AZ_NO_ID */
    size_t n_launches;
    const uint32_t *event; /* keys in order */
    size_t n_events;
    uint32_t *launch_of; /* out: by event; AZ_NO_ID: not paired */
    struct az_mem *mem;
};
/* paired: how many events were; 0: there are no marks, or not the same ones. AZ_ENOMEM, AZ_ELIMIT.
 */
int az_pair_marks(const struct az_marks *m, size_t *paired) AZ_MUST_USE;

#endif
