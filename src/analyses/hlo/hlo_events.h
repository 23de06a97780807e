/* What the analyses of compiled programs' traces (AZ_CAP_PROGRAMS) share: devices of all traces,
 * ids that hold across traces, classes of kernels, grouped statistics. Private to this folder.
 * Rules: docs/formats-xplane.md 5, 6, 11. */
#ifndef AZ_ANALYSES_HLO_HLO_EVENTS_H
#define AZ_ANALYSES_HLO_HLO_EVENTS_H

#include "analyses/analysis.h"
#include "base/interval.h"
#include "classify/rule_cache.h"
#include "model/xtrace.h"
#include "stats/stats.h"

struct az_hlo_device {
    size_t trace;
    uint32_t plane;
    enum az_plane_kind kind;
    int64_t ordinal;
    struct az_sv label; /* "host/GPU:3" where there are several traces */
    bool kernels;       /* at least one kernel */
};
AZ_VEC(struct az_hlo_device, az_hlo_devices);

/* Equal kernels of a trace: of one name, row of the trace and device (az_hlo_group_kernels). */
struct az_hlo_set {
    uint32_t first, name, plane; /* first: row of the first of them */
    bool gpu;
    int64_t n, ticks;
};
struct az_hlo_sets {
    const struct az_hlo_set *v; /* in the order in which they came */
    size_t n;
    const uint32_t *of; /* row of a kernel -> its set */
};

struct az_hlo {
    struct az_job *job;
    struct az_intern names; /* texts of all traces; ids below are of this */
    struct az_hlo_trace {
        const struct az_trace *t;
        const struct az_xtrace *x;
        uint32_t *id;     /* name of the trace -> id; AZ_NO_ID: not computed yet */
        uint32_t *device; /* plane -> row of devices; AZ_NO_ID: no events */
        struct az_hlo_last_kernel {
            uint32_t name, category;
        } * last; /* row of the trace -> its last kernel and its category + 1; 0: none yet */
        const struct az_hlo_sets *same_kernels; /* NULL: not computed */
    } * tr;
    size_t n;
    struct az_hlo_devices devices; /* with device events, by (trace, kind, ordinal) */
    bool several;                  /* several traces: devices are labeled, not numbered */
    struct az_map category_of;     /* (name id, op id) -> row of categories */
    struct az_vec_sv categories;
    struct az_rule_cache category_rules;
    int error; /* the first of az_hlo_id and az_hlo_category */
};

/* An analysis opens its own and closes it, also when opening failed. */
int az_hlo_init(struct az_hlo *h, struct az_job *job) AZ_MUST_USE;
/* rc, or what stopped a name or a category from being kept. */
int az_hlo_release(struct az_hlo *h, int rc) AZ_MUST_USE;
/* Fills `same_kernels` of every trace. Made once a job. */
int az_hlo_group_kernels(struct az_hlo *h) AZ_MUST_USE;
/* Any device of that kind with events? */
bool az_hlo_has(const struct az_hlo *h, enum az_plane_kind kind);

/* A device event of any kind. */
struct az_hlo_event {
    size_t trace, row;
    enum az_kind kind;
};
static inline const struct az_events *az_hlo_events(const struct az_hlo *h,
                                                    const struct az_hlo_event *e)
{
    return &h->tr[e->trace].t->ev[e->kind];
}
static inline const struct az_xrow *az_hlo_row(const struct az_hlo *h, const struct az_hlo_event *e)
{
    return az_xtrace_row_of(h->tr[e->trace].t, e->kind, e->row);
}
/* The instruction it belongs to; NULL where it is unknown. */
const struct az_hlo_op *az_hlo_event_op(const struct az_hlo *h, const struct az_hlo_event *e);
static inline uint32_t az_hlo_device_of(const struct az_hlo *h, const struct az_hlo_event *e)
{
    const struct az_hlo_trace *tr = &h->tr[e->trace];
    return tr->device[tr->t->lanes.v[az_hlo_events(h, e)->lane[e->row]].context];
}
static inline int64_t az_hlo_ticks(const struct az_hlo *h, const struct az_hlo_event *e)
{
    const struct az_events *ev = az_hlo_events(h, e);
    return ev->end[e->row] - ev->start[e->row];
}
/* Id across traces of a name of trace k; AZ_NO_ID for none (and without memory). */
uint32_t az_hlo_id(struct az_hlo *h, size_t k, uint32_t name);
struct az_sv az_hlo_text(const struct az_hlo *h, uint32_t id);
uint32_t az_hlo_name(struct az_hlo *h, const struct az_hlo_event *e);
/* Name of the host of a trace; further processes on a host are distinguished by a number: "node",
 * "node#2". */
struct az_sv az_hlo_host(const struct az_hlo *h, size_t k);
/* A kernel of communication, by its name: what a library fills or converts for a collective is
 * none, and would count as one more occurrence of it. */
bool az_hlo_is_comm(struct az_hlo *h, const struct az_hlo_event *e);
/* Category id of a kernel. */
uint32_t az_hlo_category(struct az_hlo *h, const struct az_hlo_event *e);
static inline struct az_sv az_hlo_category_text(struct az_hlo *h, const struct az_hlo_event *e)
{
    const uint32_t c = az_hlo_category(h, e);
    return c < h->categories.n ? h->categories.v[c] : (struct az_sv){ "", 0 }; /* without memory */
}

/* ---- tables ---- */
/* What a row about a device event is of; the first member of the records of these tables. */
struct az_hlo_row {
    const struct az_hlo_device *device;
    const struct az_trace *trace;
    const struct az_xrow *row; /* NULL: its program is unknown */
};
struct az_hlo_row az_hlo_row_of(const struct az_hlo *h, const struct az_hlo_event *e);
/* Cells of such a record (document/record.h); empty texts where the program is unknown. */
struct az_sv az_hlo_cell_module(const void *record, struct az_arena *texts);
struct az_sv az_hlo_cell_program(const void *record, struct az_arena *texts);
struct az_sv az_hlo_cell_op(const void *record, struct az_arena *texts);
struct az_sv az_hlo_cell_category(const void *record, struct az_arena *texts);
struct az_sv az_hlo_cell_scope(const void *record, struct az_arena *texts);
struct az_sv az_hlo_cell_details(const void *record, struct az_arena *texts);
struct az_sv az_hlo_program(const struct az_xrow *row, struct az_arena *texts);
/* Column `device` of a table of an az_hlo: a number, or a label where there are several traces. */
bool az_hlo_several(const void *h);
bool az_hlo_single(const void *h);
/* clang-format off */
#define AZ_HLO_DEVICE_COLUMNS(record, device)                                                      \
    { "device", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(record, device, label), .when = az_hlo_several }, \
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(record, device, ordinal), .when = az_hlo_single }
/* clang-format on */
void az_hlo_put_device(struct az_hlo *h, struct az_table *t, uint32_t device);
size_t az_hlo_devices_with_kernels(const struct az_hlo *h);

#endif
