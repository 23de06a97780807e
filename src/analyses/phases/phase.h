/* Prefill or decode: the phase of every launcher of an inference trace (docs/formulas-pytorch.md
 * 11). */
#ifndef AZ_ANALYSES_PHASES_PHASE_H
#define AZ_ANALYSES_PHASES_PHASE_H

#include "analyses/operators/framework.h"

enum az_phase { AZ_PHASE_MIXED, AZ_PHASE_PREFILL, AZ_PHASE_DECODE };
enum az_phase_by {
    AZ_BY_NOTHING,
    AZ_BY_ANNOTATION,
    AZ_BY_KERNEL_NAMES,
    AZ_BY_FRAMEWORK,
    AZ_BY_ATTENTION,
    AZ_BY_GEMM,
    AZ_BY_FREQUENCY,
    AZ_BY_COUNT
};
const char *az_phase_by_text(enum az_phase_by by);

struct az_phases {
    uint8_t *phase, *by; /* by launcher */
};
/* Decides all launchers by opts->phase_detection_method. In the job's arena. */
int az_framework_phases(struct az_job *job, struct az_framework *f,
                        struct az_phases *out) AZ_MUST_USE;

/* ---- by names (phase_names.c) ---- */
/* Evidence from the names of a launch, an az_phase each. */
struct az_name_phase {
    uint8_t kernel_names, framework, attention, gemm;
    bool gemm_named;   /* a gemm_params rule matched (the result may be Mixed) */
    bool is_attention; /* its shapes are those of an attention */
};
AZ_VEC(struct az_name_phase, az_name_phases);
struct az_phase_names {
    const struct az_framework *fw;
    int64_t threshold;  /* sequence lengths above it are prefill */
    struct az_map seen; /* (operator name, hash of kernel names) -> index in list */
    struct az_name_phases list;
    struct az_vec_char text;
};
/* To be released also after an error. */
int az_phase_names_init(struct az_phase_names *n, const struct az_framework *f, int64_t threshold,
                        struct az_mem *mem) AZ_MUST_USE;
void az_phase_names_release(struct az_phase_names *n);
int az_phase_by_names(struct az_phase_names *n, uint32_t launcher,
                      struct az_name_phase *out) AZ_MUST_USE;

#endif
