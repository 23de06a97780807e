/* The step "gates" of a run: rules held against a baseline, the verdict reported, the run kept in the history. */
#ifndef AZ_DRIVER_GATES_H
#define AZ_DRIVER_GATES_H

#include "driver/followup.h"
#include "results/gate.h"
#include "results/history.h"

struct az_gate_step {
    struct az_followup *f;
    struct az_diag *diag;
    const struct az_config *c;
    struct az_arena arena;
    struct az_mem mem;
    struct az_selector *want;
    size_t n_want;
    struct az_series cand, base, noise, drift;
    struct az_history_run run; /* what this run is */
    struct az_verdict verdict;
    bool from_history; /* the baseline is a run of the history */
};

/* ---- gates.c ---- */
bool az_gates_wanted(const struct az_config *c);
int az_step_gates(struct az_followup *f, struct az_diag *diag) AZ_MUST_USE;

/* ---- gate_baseline.c ---- */
/* Name under which an input's figures are pooled: its run_group, else its title. */
struct az_sv az_gate_group(const struct az_outcome *o);
/* Is the outcome part of the baseline (which then names a title or run_group)? */
bool az_gate_is_baseline(const struct az_gate_step *s, const struct az_outcome *o);
/* Fills s->base, s->noise, s->drift; in->base stays NULL and in->no_base says why where there is none. */
int az_gate_find_baseline(struct az_gate_step *s, struct az_gate_in *in) AZ_MUST_USE;
/* Results of an earlier run, read from files. */
int az_gate_load_baseline(struct az_gate_step *s, struct az_gate_in *in) AZ_MUST_USE;
/* What this run is: labels, device, time. */
int az_gate_describe_run(struct az_gate_step *s) AZ_MUST_USE;

#endif
