/* Tracks: the data of the timeline drawing, which no table reads. Lanes (the steps,
 * and for each device its gaps and its streams) with marks on them, at several levels of detail, so
 * that any part of the run has marks that do not merge, and the whole stays small however long the
 * run was: at most AZ_TRACK_MARKS marks.
 *
 * A level has a resolution. Work as long as that is a mark by itself; shorter work (and work that
 * overlaps such a mark on its lane) less than a resolution apart becomes one mark, a density: its
 * extent (of short work at most two resolutions), how much of it was busy, how many events, the
 * family with most of the time and the name of the longest event.
 * Level 0 shows the whole run in about 1,000 places, each further one four times as much;
 * resolution 0 is every event by itself. Levels are made together in one pass over the events, and
 * one that grows over its budget is dropped, so that memory does not follow the events. Of the
 * levels of the whole run the finest that fits is used, and those of the coarser ones that fit with
 * it. Where that is not every event, a part of the run (a typical step) has levels of its own,
 * finer ones: a level has the time in which it is valid.
 *
 * Times are ns from the begin of the run. Names are truncated by whoever makes the lanes' texts;
 * they are given as they are. Levels, marks and names depend on the events only: equal inputs have
 * equal tracks. */
#ifndef AZ_DOCUMENT_TRACKS_H
#define AZ_DOCUMENT_TRACKS_H

#include "base/intern.h"
#include "classify/family.h"

#define AZ_TRACK_MARKS 50000
#define AZ_TRACK_LANES 160 /* from which the streams of a device share one */
#define AZ_TRACK_LANES_MOST                                                                        \
    600 /* of all devices and ranks: a canvas has at most 32,767 rows of pixels */
#define AZ_TRACK_LEVELS 14 /* of one build */

#define AZ_TRACK_OTHER_DEVICES (-2) /* device of the lane of those after the ones shown */

enum az_track_kind { AZ_TRACK_STEPS, AZ_TRACK_GAPS, AZ_TRACK_STREAM, AZ_TRACK_KINDS };
struct az_track_lane {
    enum az_track_kind kind;
    int64_t rank, device, stream; /* -1: none; a stream: those after the ones shown */
    int64_t busy, events;         /* ns of its events, and how many */
    int64_t family[AZ_FAMILIES];  /* of a stream: ns by family */
};
struct az_track_mark {
    int64_t start, duration, busy; /* ns */
    uint32_t lane, name;           /* name: of the tracks, AZ_NO_ID: none */
    uint32_t count;
    uint8_t family; /* enum az_family */
};
AZ_VEC(struct az_track_mark, az_track_marks);
struct az_track_level { /* of one lane */
    uint32_t lane;
    int64_t resolution, from, to; /* ns */
    size_t first, n;              /* marks, by start */
};
AZ_VEC(struct az_track_level, az_track_levels);
AZ_VEC(struct az_track_lane, az_track_lanes);

struct az_tracks {
    int64_t span;  /* ns */
    int64_t begin; /* of the run, as the tables of one trace have starts, ns; -1: none */
    struct az_track_lanes lanes;
    struct az_track_levels levels; /* of a lane: of the whole run, coarse to fine; of its part */
    struct az_track_marks marks;
    struct az_vec_sv names;    /* as long-lived as the document */
    struct az_vec_u8 families; /* of the names */
    /* Of the whole run, with what has no lane; 0: what the lanes show is all. */
    size_t streams, devices, hidden_ranks;
    int64_t hidden_events;
};
void az_tracks_init(struct az_tracks *t, struct az_mem *mem);
void az_tracks_release(struct az_tracks *t);

/* ---- making levels ---- */
struct az_lod_open; /* the density that a lane is at, at one level */
struct az_lod {
    int64_t from, to;
    size_t lanes, budget, n_levels;
    int64_t resolution[AZ_TRACK_LEVELS];
    bool dead[AZ_TRACK_LEVELS];
    struct az_track_marks level[AZ_TRACK_LEVELS];
    struct az_lod_open *open; /* by level, then lane */
    struct az_mem *mem;
};
/* For the part [from, to) of the run; budget: marks of all levels together. */
int az_lod_init(struct az_lod *l, int64_t from, int64_t to, size_t lanes, size_t budget,
                struct az_mem *mem) AZ_MUST_USE;
/* An event; those of a lane by start. What is outside of the part is skipped, or clipped at its
 * ends. */
int az_lod_add(struct az_lod *l, const struct az_track_mark *event) AZ_MUST_USE;
/* Adds the levels that fit to the tracks, coarse to fine, and releases the rest. *exact: the
 * finest one has every event. */
int az_lod_finish(struct az_lod *l, struct az_tracks *out, bool *exact) AZ_MUST_USE;
void az_lod_release(struct az_lod *l);

#endif
