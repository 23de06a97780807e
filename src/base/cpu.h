/* Which instructions the processor has that runs the program. */
#ifndef AZ_BASE_CPU_H
#define AZ_BASE_CPU_H

#include <stdbool.h>

/* Files whose names end in _v3 are compiled for processors with AVX2 and BMI (AZ_V3, defined by the
 * Makefile where the compiler can); what they define is called only if this is true. */
static inline bool az_cpu_v3(void)
{
#ifdef AZ_V3
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

#endif
