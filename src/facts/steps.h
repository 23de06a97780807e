/* The steps of a trace: one training step, one forward pass, one replay (docs/steps.md). From the
 * marks that the user named, else from those of a framework, else from a repeated pattern of
 * kernels, else none. */
#ifndef AZ_FACTS_STEPS_H
#define AZ_FACTS_STEPS_H

#include "base/interval.h"
#include "facts/lazy_cache.h"

enum az_step_how {                      /* in the order of preference */
                   AZ_STEPS_TAG,        /* ranges of the option nvtx_tag_of_iter */
                   AZ_STEPS_PROFILER,   /* ProfilerStep#N */
                   AZ_STEPS_DEVICE,     /* lines of steps of the devices */
                   AZ_STEPS_ANNOTATION, /* host annotations with a step number */
                   AZ_STEPS_PROGRAM,    /* runs of the program with the most time, in a profile of
                                           compiled programs without steps */
                   AZ_STEPS_ENGINE,    /* execute_*, step[, prefill[, decode[ of a serving engine */
                   AZ_STEPS_RANGES,    /* train_step, iteration 12, ... */
                   AZ_STEPS_SIGNPOSTS, /* equal signposts of an operation report */
                   AZ_STEPS_REPLAYS,   /* replays of a captured trace in an operation report */
                   AZ_STEPS_PATTERN,   /* kernels that repeat in the same number */
                   AZ_STEPS_NONE,      /* no loop found */
                   AZ_STEPS_OFF,       /* the option steps is none */
                   AZ_STEP_HOWS
};
/* For a sentence: "12 steps from ProfilerStep marks". Of AZ_STEPS_NONE "no loop found". */
const char *az_step_how_text(enum az_step_how how);
/* Stable ID of the JSON verdict: "profiler_step"; "" without steps. */
const char *az_step_source_id(enum az_step_how how);

struct az_step {
    /* Ticks: when its device work ran. Steps that follow each other (ProfilerStep, patterns) reach
     * to the start of the next one; a range from the first start to the last end of the work
     * launched in it. A mark without work, where others have some, has no length. */
    int64_t start, end;
    int64_t mark_start, mark_end; /* ticks: of the mark; start and end where there is none */
    /* ticks: first start and last end of the work launched in the mark, by calls of its process;
     * of work that starts in it where marks are on the device, for a pattern, or where no launch is
     * linked. -1: none */
    int64_t work_start, work_end;
    /* ticks: its mark or, if longer, from work_start to that of the next step that has one (the
     * last: to work_end) */
    int64_t length;
    int64_t number;    /* of the mark's name; else 0, 1, 2, ... */
    struct az_sv name; /* "ProfilerStep#12", "iteration 0", "step 0" */
    struct az_sv mark; /* the mark's text as it is in the file; empty: none */
};

/* A pattern that was rejected: blocks of a model inside one range or frame. */
struct az_step_repeats {
    size_t n;            /* 0: none */
    int64_t period;      /* ticks: median distance of their first kernels */
    struct az_sv inside; /* name of the innermost range or frame with all of their launches */
};

struct az_steps {
    enum az_step_how how;
    struct az_sv mark; /* what begins a step: the mark's name without its number, a kernel's name;
                          empty: none */
    const struct az_step *v; /* by start */
    size_t n;
    /* ticks: median of end - start of steps with work, and their robust deviation (the distance of
     * the quartiles by 1.349); -1: no steps */
    int64_t median, spread;
    /* of a pattern, parts of 1 (NaN of others): agreement of the kernels of a step and the one it
     * is compared with, the median over steps; busy time inside */
    double agreement, inside;

    /* ticks, -1: fewer than two steps. Median distance of the first device events of successive
     * steps, of the marks where no device work is linked to them; without an excluded step */
    int64_t period;
    struct az_span middle[2]; /* the steps, from their first device event to that of the next, whose
                                 distances are the median, or the two of which it is the mean */
    bool linked;              /* device work is linked to the marks by its launches */
    bool in_loop;    /* marks, or a pattern inside a range or frame that is a loop: rules about the
                        first step and uneven steps apply */
    size_t excluded; /* 1: the first step warms up (of three or more, length over 1.5 x the median
                        of the others of its phase), or is the only one of its phase and longer */
    int64_t warm_up; /* ticks: its length less that median; 0 if no step warms up */
    struct az_sv excluded_phase; /* "prefill", for which it is excluded; empty: it warms up */
    /* Ticks, device work of the steps that are not excluded, from the first start to the last end:
     * of all devices, and by slot of az_devices_make(AZ_BY_DEVICE). end < start: no work. */
    struct az_span scope;
    const struct az_span *device_scope;
    size_t n_devices;
    size_t marks;       /* marks seen, those without length included; 0 of a pattern */
    size_t empty_marks; /* without length, or without device work although others have some */
    size_t cut;         /* marks that an edge of the window cuts, which are no steps */
    struct az_step_repeats repeats; /* with how AZ_STEPS_NONE */
};
/* NULL on failure, the error is in *rc. */
const struct az_steps *az_job_steps(struct az_job *job, size_t trace, int *rc);
/* Ticks: where step i begins, by which `period` goes; -1: a linked mark without work. */
int64_t az_step_begin(const struct az_steps *s, size_t i);
/* Ticks from there to where the next step begins that begins anywhere; -1: there is none. */
int64_t az_step_period(const struct az_steps *s, size_t i);
/* The scope of the devices with counts[slot] != 0 (NULL: of all). end < start: no work. Negative
 * error code on failure. */
int az_job_steps_scope(struct az_job *job, size_t trace, const uint8_t *counts,
                       struct az_span *out) AZ_MUST_USE;
/* "12 steps from repeating kernels 'gemm'"; "no loop found". In the job's
 * arena; empty on failure, which the arena remembers. */
struct az_sv az_steps_text(struct az_job *job, const struct az_steps *s);

#endif
