/* Integer times as floating point in the units of tables: rounded once, to the nearest double. */
#ifndef AZ_BASE_TIME_UNITS_H
#define AZ_BASE_TIME_UNITS_H

#include "base/num.h"

static inline double az_us_from_ticks(int64_t ticks, int64_t ticks_per_ns)
{
    return az_quotient(ticks, 1000 * ticks_per_ns);
}
static inline double az_ms_from_ticks(int64_t ticks, int64_t ticks_per_ns)
{
    return az_quotient(ticks, 1000000 * ticks_per_ns);
}
static inline double az_us_from_ns(int64_t ns) { return az_us_from_ticks(ns, 1); }
static inline double az_ms_from_ns(int64_t ns) { return az_ms_from_ticks(ns, 1); }
static inline double az_us_from_ps(int64_t ps) { return az_us_from_ticks(ps, 1000); }
static inline double az_ms_from_ps(int64_t ps) { return az_ms_from_ticks(ps, 1000); }

#endif
