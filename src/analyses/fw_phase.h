/* Prefill or decode: the phase of every launcher of an inference trace (spec: PyTorch-profiler report, section 11). */
#ifndef AZ_ANALYSES_FW_PHASE_H
#define AZ_ANALYSES_FW_PHASE_H

#include "analyses/fw.h"

enum az_phase { AZ_PHASE_MIXED, AZ_PHASE_PREFILL, AZ_PHASE_DECODE };
enum az_phase_by { AZ_BY_NOTHING, AZ_BY_ANNOTATION, AZ_BY_KERNEL_NAMES, AZ_BY_FRAMEWORK, AZ_BY_ATTENTION, AZ_BY_GEMM, AZ_BY_FREQUENCY, AZ_BY_COUNT };
const char *az_phase_by_text(enum az_phase_by by);

struct az_phases {
    uint8_t *phase, *by; /* by launcher */
};
/* Decides all launchers by opts->phase_detection_method. In the job's arena. */
int az_fw_phases(struct az_job *job, struct az_fw *f, struct az_phases *out) AZ_MUST_USE;

#endif
