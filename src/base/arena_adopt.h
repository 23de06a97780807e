/* Large texts become part of an arena without a copy. */
#ifndef AZ_BASE_ARENA_ADOPT_H
#define AZ_BASE_ARENA_ADOPT_H

#include "base/mem.h"

/* Bytes at the start of such a block that the arena needs for itself. */
#define AZ_ARENA_HEAD 32

/* The arena owns p from now on, `size` bytes of az_mem_alloc or az_mem_realloc with the arena's
 * budget, and overwrites its first AZ_ARENA_HEAD bytes. */
void az_arena_adopt(struct az_arena *a, void *p, size_t size);

#endif
