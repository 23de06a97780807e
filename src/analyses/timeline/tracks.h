/* Tracks of the traces of a job. Private to tracks*.c. */
#ifndef AZ_ANALYSES_TIMELINE_TRACKS_H
#define AZ_ANALYSES_TIMELINE_TRACKS_H

#include "document/tracks.h"
#include "facts/job.h"

/* Fills initialized tracks with at most job->draw marks. *begin_ns: of the tracks' time 0, ns since
 * 1970 where the traces have a base. */
int az_tracks_make(struct az_job *job, struct az_tracks *out, int64_t *begin_ns) AZ_MUST_USE;
/* Gives tracks, allocated in the arena of the job, to its document; released on failure. */
int az_tracks_attach(struct az_job *job, struct az_tracks *t, int rc) AZ_MUST_USE;

#endif
