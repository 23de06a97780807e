/* The steps of a trace: what is done again and again, one training step, one forward pass
 * (docs/steps.md). By the marks that the user named; else by those of a framework; else by a
 * repeated pattern of kernels; else there are none. Never a guess. */
#ifndef AZ_FACTS_STEPS_H
#define AZ_FACTS_STEPS_H

#include "facts/shared.h"

enum az_step_how {                     /* in the order of preference */
                   AZ_STEPS_TAG,       /* ranges of the option nvtx_tag_of_iter */
                   AZ_STEPS_PROFILER,  /* ProfilerStep#N */
                   AZ_STEPS_DEVICE,    /* lines of steps that a profile of devices has itself */
                   AZ_STEPS_PROGRAM,   /* runs of the program with the most time, where a profile of
                                          compiled programs has no steps */
                   AZ_STEPS_ENGINE,    /* execute_*, step[, prefill[, decode[ of a serving engine */
                   AZ_STEPS_RANGES,    /* train_step, iteration 12, ... */
                   AZ_STEPS_SIGNPOSTS, /* equal signposts of an operation report */
                   AZ_STEPS_PATTERN,   /* kernels that come again in the same number */
                   AZ_STEPS_NONE,      /* no loop found */
                   AZ_STEPS_OFF,       /* the option steps is none */
                   AZ_STEP_HOWS
};
/* For a sentence: "12 steps, by ProfilerStep marks". Of AZ_STEPS_NONE "no loop found". */
const char *az_step_how_text(enum az_step_how how);

struct az_step {
    /* Ticks: when its device work ran. Steps that follow each other (ProfilerStep, patterns) reach
     * to the start of the next one; a range from the first start to the last end of the work
     * launched in it. */
    int64_t start, end;
    int64_t mark_start, mark_end; /* ticks: of the mark; start and end where there is none */
    int64_t number;               /* of the mark's name; else 0, 1, 2, ... */
    struct az_sv name;            /* "ProfilerStep#12", "iteration 0", "step 0" */
    struct az_sv mark;            /* the mark's text as it is in the file; empty: none */
};
struct az_steps {
    enum az_step_how how;
    struct az_sv mark; /* what begins a step: the mark's name without its number, a kernel's name;
                          empty: none */
    const struct az_step *v; /* by start */
    size_t n;
    /* ticks: median of end - start, and their robust deviation (the distance of the quartiles by
     * 1.349); -1: no steps */
    int64_t median, spread;
    /* of a pattern, parts of 1 (NaN of others): agreement of the kernels of a step and the one it
     * is compared with, the median over steps; busy time inside */
    double agreement, inside;
};
/* NULL on failure, *rc says why. */
const struct az_steps *az_job_steps(struct az_job *job, size_t trace, int *rc);
/* "12 steps, by the pattern of kernels (each begins with 'gemm')"; "no loop found". In the job's
 * arena; empty on failure, which the arena remembers. */
struct az_sv az_steps_text(struct az_job *job, const struct az_steps *s);

#endif
