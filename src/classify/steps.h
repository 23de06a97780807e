/* Which ranges mark a step of a framework, by their names (docs/steps.md 2). */
#ifndef AZ_CLASSIFY_STEPS_H
#define AZ_CLASSIFY_STEPS_H

#include <stdint.h>

#include "base/sv.h"

enum az_step_mark {
    AZ_MARK_NONE,
    AZ_MARK_PROFILER, /* ProfilerStep#12 */
    AZ_MARK_ENGINE,   /* execute_context_1(512)_generation_0(0), step[DECODE bs=8], prefill[...] */
    AZ_MARK_RANGE     /* train_step, iteration 12, "TSL:...#hlo_module=jit_train_step,..." */
};
/* *stem: the name without the number at its end, a view into it; *number: that number, -1: none. */
enum az_step_mark az_step_mark_of(struct az_sv name, struct az_sv *stem, int64_t *number);
/* The name of a mark for readers: without the domain that Nsight puts in front of a range
 * (":iteration 0", "train:step 3"), where what follows it is a mark. */
struct az_sv az_step_mark_name(struct az_sv name);
/* The name of a range in the program: without the colon that Nsight from schema 3.16 on puts in
 * front of names of the default domain (":forward"), and without the arguments that PyTorch adds
 * to names of operators ("aten::mm, op_id = 12, sizes = [[8, 8]]"). */
struct az_sv az_range_plain_name(struct az_sv name);

#endif
