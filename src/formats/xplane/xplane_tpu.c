/* XPlane: lines of a TPU core. The stats of an operation are in its metadata, so that they are read
 * once per name. */
#include "base/sort.h"
#include "classify/rules.h"
#include "formats/xplane/xplane.h"
#include "model/clean.h"
#include "model/window.h"

/* "%copy-start.1 = (f32[..." -> "copy-start.1" */
struct az_sv az_xplane_short_name(struct az_sv name)
{
    const ptrdiff_t at = az_sv_find(name, AZ_SV(" = "));
    if (at >= 0)
        name.n = (size_t)at;
    if (name.n && name.p[0] == '%')
        name = az_sv_make(name.p + 1, name.n - 1);
    return name;
}

/* Stats of an event (field 4) or of its metadata (field 5). */
static int read_stats(struct az_xplane *r, struct az_protobuf *body, uint32_t field,
                      struct az_xrow *row)
{
    struct az_xplane_value v;
    int rc;
    while ((rc = az_xplane_next_stat(r, body, field, &v)) > 0) {
        switch (v.role) {
        case XP_PROGRAM:
            row->program = v.number;
            row->has_program = true;
            break;
        case XP_CATEGORY:
            row->category = az_xplane_name(r, &v);
            break;
        case XP_FLOPS:
            row->flops = az_xplane_whole(&v);
            break;
        case XP_BYTES:
            row->bytes = az_xplane_whole(&v);
            break;
        case XP_TF_OP:
            row->scope = az_xplane_name(r, &v);
            break;
        case XP_HLO_MODULE:
            row->module = az_xplane_name(r, &v);
            break;
        default:
            break;
        }
    }
    return rc;
}

static int row_of(struct az_xplane *r, struct az_xplane_meta *m)
{
    struct az_xrow row = { .module = AZ_NO_ID,
                           .scope = AZ_NO_ID,
                           .details = AZ_NO_ID,
                           .category = AZ_NO_ID,
                           .flops = -1,
                           .bytes = -1 };
    struct az_protobuf body = az_protobuf_of(m->body);
    uint32_t index;
    row.op = az_trace_name(r->t, m->display.n ? m->display : az_xplane_short_name(m->name));
    int rc = read_stats(r, &body, 5, &row);
    if (rc == 0)
        rc = az_xtrace_row(r->t, &row, &index);
    if (rc == 0)
        m->row = index + 1;
    return rc;
}

/* An event that repeats the stats of its metadata: *node is its own row then. */
static int own_row(struct az_xplane *r, struct az_protobuf *stats, uint64_t *node)
{
    struct az_xrow row = r->x->rows.v[*node - 1];
    uint32_t index;
    int rc = read_stats(r, stats, 4, &row);
    if (rc == 0)
        rc = az_xtrace_row(r->t, &row, &index);
    if (rc == 0)
        *node = (uint64_t)index + 1;
    return rc;
}

static int describe(struct az_xplane *r, struct az_xplane_meta *m, struct az_xplane_event *x,
                    struct az_event *e)
{
    const int rc = m->row ? AZ_OK : row_of(r, m);
    if (rc)
        return rc;
    e->node = m->row;
    e->name = r->x->rows.v[m->row - 1].op;
    return x->look ? own_row(r, &x->stats, &e->node) : AZ_OK;
}

/* "while.5" as "while". */
static struct az_sv unnumbered(struct az_sv name)
{
    size_t n = name.n;
    while (n && (name.p[n - 1] == '.' || (name.p[n - 1] >= '0' && name.p[n - 1] <= '9')))
        n--;
    return az_sv_make(name.p, n);
}

/* Control flow is no work of its own: it lasts as long as what it runs, pauses included. */
static bool is_container(struct az_xplane *r, uint64_t node)
{
    enum { LEAF = 1, CONTAINER };
    struct az_xrow *row = &r->x->rows.v[node - 1];
    if (!row->container) {
        const struct az_sv category =
            row->category == AZ_NO_ID ? AZ_SV("") : az_trace_text(r->t, row->category);
        struct az_rule rule;
        const struct az_sv name = category.n ? category : unnumbered(az_trace_text(r->t, row->op));
        row->container =
            az_rules_find("xla_events.rules", "container", name, &rule) ? CONTAINER : LEAF;
    }
    return row->container == CONTAINER;
}

int az_xplane_add_operation(struct az_xplane *r, struct az_event *e)
{
    return az_trace_add(r->t, is_container(r, e->node) ? AZ_GPU_RANGE : AZ_KERNEL, e);
}

/* Starts of the operations of lanes, to find those in a container. */
struct lane_start {
    uint32_t lane;
    int64_t start;
};
AZ_VEC(struct lane_start, lane_starts);

static int compare_starts(const void *a, const void *b, void *ctx)
{
    const struct lane_start *x = a, *y = b;
    (void)ctx;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* Does an operation of the lane start in [start, end)? */
static bool has_operation(const struct lane_starts *in, uint32_t lane, int64_t start, int64_t end)
{
    const struct lane_start from = { lane, start };
    const size_t at = az_lower_cmp(in->v, in->n, sizeof *in->v, &from, compare_starts, NULL);
    return at < in->n && in->v[at].lane == lane && in->v[at].start < end;
}

static bool is_container_row(const struct az_xplane *r, size_t row)
{
    return r->x->roles.v[r->t->ev[AZ_GPU_RANGE].lane[row]] == AZ_XLANE_WORK;
}

static int collect_starts(struct az_xplane *r, struct lane_starts *out)
{
    const struct az_events *ev = &r->t->ev[AZ_KERNEL];
    for (size_t i = 0; i < ev->n; i++)
        az_vec_add(out, ((struct lane_start){ ev->lane[i], ev->start[i] }));
    az_sort_cmp(out->v, out->n, sizeof *out->v, compare_starts, NULL, r->job->mem);
    return az_vec_error(out);
}

/* In a file that holds a window, the operations of a container that crosses an edge may be outside
 * of it. */
static bool is_recorded(const struct az_trace *t, int64_t start, int64_t end)
{
    const struct az_spans *window = &t->recorded_window;
    const uint32_t at = az_span_at(window, start);
    return window->n == 0 || (at != 0 && at == az_span_at(window, end));
}

static int move_rows(struct az_xplane *r, const struct lane_starts *in, uint8_t *gone, bool *any)
{
    const struct az_events *ev = &r->t->ev[AZ_GPU_RANGE];
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        if (!is_container_row(r, i) || !is_recorded(r->t, ev->start[i], ev->end[i]) ||
            has_operation(in, ev->lane[i], ev->start[i], ev->end[i]))
            continue;
        gone[i] = 1;
        *any = true;
        rc = az_trace_add(r->t, AZ_KERNEL,
                          &(struct az_event){ .start = ev->start[i],
                                              .end = ev->end[i],
                                              .name = ev->name[i],
                                              .lane = ev->lane[i],
                                              .node = ev->node ? ev->node[i] : 0 });
    }
    return rc;
}

int az_xplane_empty_containers(struct az_xplane *r)
{
    const size_t n = r->t->ev[AZ_GPU_RANGE].n;
    size_t first = 0;
    bool any = false;
    while (first < n && !is_container_row(r, first))
        first++;
    if (first == n || r->t->cut_log)
        return AZ_OK;
    struct lane_starts in;
    az_vec_init(&in, r->job->mem);
    uint8_t *gone = az_mem_alloc(r->job->mem, n);
    if (gone)
        memset(gone, 0, n);
    int rc = gone ? collect_starts(r, &in) : az_mem_error(r->job->mem);
    if (rc == 0)
        rc = move_rows(r, &in, gone, &any);
    if (rc == 0 && any)
        az_trace_remove_first(r->t, AZ_GPU_RANGE, gone, n);
    az_mem_free(r->job->mem, gone, n);
    az_vec_release(&in);
    return rc;
}

static int add_operation(struct az_xplane *r, struct az_xplane_meta *m, struct az_xplane_event *x,
                         struct az_event *e)
{
    const int rc = describe(r, m, x, e);
    return rc ? rc : az_xplane_add_operation(r, e);
}

static int add_asynchronous(struct az_xplane *r, struct az_xplane_meta *m,
                            struct az_xplane_event *x, struct az_event *e)
{
    const int rc = describe(r, m, x, e);
    return rc ? rc : az_trace_add(r->t, AZ_GPU_RANGE, e);
}

/* Stats for which an event is read: profilers write others (device times, run ids) into every
 * one. */
static void choose_stats(struct az_xplane *r)
{
    for (size_t i = 0; i < r->stat_names.n; i++) {
        const struct az_xplane_stat_name *s = &r->stat_names.v[i];
        if (s->id < sizeof r->look)
            r->look[s->id] = s->role == XP_PROGRAM || s->role == XP_CATEGORY ||
                             s->role == XP_FLOPS || s->role == XP_BYTES || s->role == XP_TF_OP ||
                             s->role == XP_HLO_MODULE;
    }
}

/* Does a line of this name have events? Damage is detected, and reported, when the line is read.
 */
static bool has_events(struct az_xplane *r, const char *name)
{
    const uint8_t *bad = r->bad;
    const char *what = r->what;
    struct az_cut_log *log = r->t->cut_log;
    bool found = false;
    r->t->cut_log = NULL; /* which has the events when the line is read */
    for (size_t i = 0; !found && i < r->lines.n; i++) {
        struct az_xplane_line l;
        struct az_xplane_event x;
        if (az_xplane_line(r, r->lines.v[i], &l) || !az_sv_is(l.name, name))
            continue;
        struct az_protobuf m = az_protobuf_of(l.body);
        found = az_xplane_next_event(r, &m, &x) > 0;
    }
    r->bad = bad;
    r->what = what;
    r->t->cut_log = log;
    return found;
}

/* A profile recorded without operations: the runs of its programs stand for them, so that there is
 * a timeline. */
static int programs_as_work(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane)
{
    const uint64_t read = r->t->read, kept = r->t->kept; /* counted as ranges already */
    const int rc = az_xplane_events(r, l, plane, AZ_XLANE_WORK, add_operation);
    r->t->read = read;
    r->t->kept = kept;
    return rc;
}

static int tpu_line(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane, bool bare)
{
    if (az_sv_is(l->name, "XLA Ops"))
        return az_xplane_events(r, l, plane, AZ_XLANE_WORK, add_operation);
    if (az_sv_is(l->name, "Async XLA Ops"))
        return az_xplane_events(r, l, plane, AZ_XLANE_ASYNC, add_asynchronous);
    if (az_sv_is(l->name, "XLA Modules")) {
        const int rc = az_xplane_ranges(r, l, plane, AZ_XLANE_MODULES);
        return rc || !bare ? rc : programs_as_work(r, l, plane);
    }
    if (az_sv_is(l->name, "Steps"))
        return az_xplane_ranges(r, l, plane, AZ_XLANE_STEPS);
    return az_xplane_skip_line(r, l, "lines of a TPU without operations");
}

void az_xplane_report_bare(struct az_xplane *r, struct az_sv plane)
{
    az_diag_add(r->job->diag, AZ_WARNING, AZ_AT_FILE(r->path),
                "'%.*s' has no operations (line 'XLA Ops'): its program runs are counted as "
                "computation",
                AZ_SVF(plane));
}

int az_xplane_tpu(struct az_xplane *r, uint32_t plane)
{
    int rc = AZ_OK;
    choose_stats(r);
    const bool bare = !has_events(r, "XLA Ops") && has_events(r, "XLA Modules");
    if (bare)
        az_xplane_report_bare(r, r->plane_name);
    for (size_t i = 0; rc == 0 && i < r->lines.n; i++) {
        struct az_xplane_line l;
        rc = az_xplane_line(r, r->lines.v[i], &l);
        if (rc == 0)
            rc = tpu_line(r, &l, plane, bare);
    }
    return rc;
}
