/* A step as described by the name of a serving engine's mark: vLLM, SGLang, ATOM, TensorRT-LLM
 * (docs/steps.md 2.6). */
#ifndef AZ_CLASSIFY_ENGINE_MARKS_H
#define AZ_CLASSIFY_ENGINE_MARKS_H

#include <stdint.h>

#include "base/sv.h"

enum az_engine_phase {
    AZ_ENGINE_UNKNOWN,
    AZ_ENGINE_PREFILL,
    AZ_ENGINE_DECODE,
    AZ_ENGINE_MIXED,
    AZ_ENGINE_IDLE, /* a step without requests */
    AZ_ENGINE_PHASES
};
struct az_engine_mark {
    enum az_engine_phase phase;
    int64_t batch, tokens, context; /* requests; tokens computed; tokens attended to. -1: unknown */
};
const char *az_engine_phase_text(enum az_engine_phase p); /* "prefill"; "" for unknown */
/* false: the name is no mark of a serving engine. */
bool az_engine_mark_read(struct az_sv name, struct az_engine_mark *out);

#endif
