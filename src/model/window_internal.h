/* Between the files of windows. */
#ifndef AZ_MODEL_WINDOW_INTERNAL_H
#define AZ_MODEL_WINDOW_INTERNAL_H

#include "model/window.h"

/* The steps that a window chooses, by process and start. */
int az_window_of_steps(const struct az_trace *t, const struct az_window *w,
                       struct az_window_parts *out, enum az_window_miss *miss) AZ_MUST_USE;
/* Device events that are marked in gone[kind] and run at the same time as t->window_work become
 * t->window_others. */
int az_window_keep_others(struct az_trace *t, uint8_t *const gone[4]) AZ_MUST_USE;

#endif
