/* Parts of a verdict made by hand. */
#ifndef AZ_TESTS_ANALYSES_PARTS_H
#define AZ_TESTS_ANALYSES_PARTS_H

#include "unit/analyses_job.h"

#include "analyses/verdict/verdict.h"

static struct az_vec_char said; /* what a test compares */

static inline const char *text_said(void)
{
    az_vec_add(&said, 0);
    assert_int_equal(az_vec_error(&said), 0);
    return said.v;
}

struct world {
    struct fix *f;
    struct az_verdict_part part[4];
    struct az_verdict_part *parts[4];
    struct az_verdict_device device[4][4];
    struct az_verdict_other other[4][4];
    struct az_verdict_founds found;
    struct az_verdict_whole w;
    int64_t rank[4];
    struct az_ranks ranks;
    struct az_claims *c;
};

/* n parts of one device each whose account is this: computing, communication, copies; of 1000. */
static inline void world_of(struct world *x, struct fix *f, size_t n, int64_t computing,
                            int64_t comm, int64_t copies)
{
    *x = (struct world){ .f = f };
    if (!f->job.arena)
        make_job(f, 1);
    az_vec_init(&x->found, NULL);
    for (size_t k = 0; k < n; k++) {
        x->parts[k] = &x->part[k];
        x->rank[k] = (int64_t)k;
        x->device[k][0].a = (struct az_claim_account){ .span = 1000,
                                                       .computing = computing,
                                                       .exposed_communication = comm,
                                                       .exposed_copy = copies };
        x->part[k].device_accounts = x->device[k];
        x->part[k].n_device_accounts = 1;
        x->part[k].period = -1;
    }
    x->w = (struct az_verdict_whole){
        .job = &f->job, .part = x->parts, .rank = x->rank, .n = n, .devices = 1
    };
    x->w.sum.peaks = AZ_SV("data sheet");
}

/* Other times of a device, which it has from now on. */
static inline struct az_verdict_other *other_of(struct world *x, size_t part, size_t device)
{
    x->device[part][device].other = &x->other[part][device];
    x->device[part][device].n_other = 1;
    return &x->other[part][device];
}

static inline void claims_of(struct world *x)
{
    assert_int_equal(az_verdict_claims_make(&x->w, &x->found, &x->c), 0);
}

#endif
