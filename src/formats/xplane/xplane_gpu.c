/* XPlane: device lines of a GPU plane. Only lines `Stream #...` contain device events; the others
 * repeat them. */
#include "base/num.h"
#include "classify/rules.h"
#include "formats/xplane/xplane.h"

enum { KIND_KERNEL = 1, KIND_COPY, KIND_SET, KIND_FILL };

static uint8_t kind_of(struct az_xplane *r, struct az_xplane_meta *m)
{
    if (!m->kind) {
        const struct az_sv c =
            az_rule_cache_class(&r->events, "xla_events.rules", "event", &r->t->arena, m->name);
        m->kind = az_sv_is(c, "copy")   ? KIND_COPY
                  : az_sv_is(c, "set")  ? KIND_SET
                  : az_sv_is(c, "fill") ? KIND_FILL
                                        : KIND_KERNEL;
    }
    return m->kind;
}

/* Stats of an event (field 4) or of its metadata (field 5). */
static int read_stats(struct az_xplane *r, struct az_protobuf *m, uint32_t field,
                      struct az_xrow *row, uint64_t *correlation)
{
    struct az_xplane_value v;
    int rc;
    while ((rc = az_xplane_next_stat(r, m, field, &v)) > 0) {
        switch (v.role) {
        case XP_CORRELATION:
            *correlation = v.number;
            break;
        case XP_PROGRAM:
            row->program = v.number;
            row->has_program = true;
            break;
        case XP_HLO_OP:
            row->op = az_xplane_name(r, &v);
            break;
        case XP_HLO_MODULE:
            row->module = az_xplane_name(r, &v);
            break;
        case XP_SCOPE:
            row->scope = az_xplane_name(r, &v);
            break;
        case XP_KERNEL_DETAILS:
        case XP_COPY_DETAILS:
            row->details = az_xplane_name(r, &v);
            break;
        default:
            break;
        }
    }
    return rc;
}

/* "kind:... size:655360 dest:2": the number after "size:", -1 without one. */
static int64_t copy_bytes(struct az_sv details)
{
    int64_t bytes;
    ptrdiff_t at = az_sv_find(details, AZ_SV("size:"));
    if (at < 0)
        return -1;
    const char *p = details.p + at + 5, *end = details.p + details.n, *stop = p;
    while (stop < end && *stop >= '0' && *stop <= '9')
        stop++;
    return az_parse_i64(az_sv_make(p, (size_t)(stop - p)), &bytes) == 0 ? bytes : -1;
}

bool az_xplane_has_metadata(const struct az_xrow *row)
{
    return row->has_program || row->op != AZ_NO_ID || row->module != AZ_NO_ID ||
           row->scope != AZ_NO_ID || row->details != AZ_NO_ID;
}

/* The metadata entry's values for all its events, once. */
static int ask_meta(struct az_xplane *r, struct az_xplane_meta *m)
{
    struct az_xplane_defaults defaults = { .row = { .module = AZ_NO_ID,
                                                    .op = AZ_NO_ID,
                                                    .scope = AZ_NO_ID,
                                                    .details = AZ_NO_ID,
                                                    .category = AZ_NO_ID,
                                                    .flops = -1,
                                                    .bytes = -1 } };
    struct az_protobuf body = az_protobuf_of(m->body);
    const int rc = read_stats(r, &body, 5, &defaults.row, &defaults.correlation);
    m->has_defaults = true;
    if (rc || (!az_xplane_has_metadata(&defaults.row) && !defaults.correlation))
        return rc;
    m->defaults = az_arena_alloc(&r->t->arena, sizeof *m->defaults);
    if (!m->defaults)
        return az_arena_error(&r->t->arena);
    *m->defaults = defaults;
    return AZ_OK;
}

/* The whole numbers after "key:", divided by commas; how many of the n there are. */
static int detail(struct az_sv details, struct az_sv key, int64_t *v, int n)
{
    while (details.n) {
        struct az_sv word = az_sv_cut(&details, ' ');
        int found = 0;
        if (!az_sv_starts(word, key) || word.n <= key.n || word.p[key.n] != ':')
            continue;
        word = az_sv_make(word.p + key.n + 1, word.n - key.n - 1);
        while (found < n && word.n && az_parse_i64(az_sv_cut(&word, ','), &v[found]) == 0)
            found++;
        return found;
    }
    return 0;
}

/* "regs:32 static_shared:0 dynamic_shared:1024 grid:132,1,1 block:128,1,1 occ_pct:50", in any
 * order. */
static int geometry_row(struct az_xplane *r, uint32_t details, uint32_t *row)
{
    const struct az_sv text = az_trace_text(r->t, details);
    struct az_geometry g = { .static_shared = AZ_NO_SIZE, .dynamic_shared = AZ_NO_SIZE };
    int64_t grid[3], block[3], v;
    if (detail(text, AZ_SV("grid"), grid, 3) < 3 || detail(text, AZ_SV("block"), block, 3) < 3) {
        *row = 0;
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        g.grid[i] = az_geometry_figure(grid[i], 0);
        g.block[i] = az_geometry_figure(block[i], 0);
    }
    if (detail(text, AZ_SV("regs"), &v, 1))
        g.registers = az_geometry_figure(v, 0);
    if (detail(text, AZ_SV("static_shared"), &v, 1))
        g.static_shared = az_geometry_figure(v, AZ_NO_SIZE);
    if (detail(text, AZ_SV("dynamic_shared"), &v, 1))
        g.dynamic_shared = az_geometry_figure(v, AZ_NO_SIZE);
    return az_geometries_put(&r->t->geometries, &g, row);
}

/* Kernels repeat the same texts. */
static int take_geometry(struct az_xplane *r, uint32_t details, uint32_t *row)
{
    *row = 0;
    if (details == AZ_NO_ID || !az_geometry_read(r->t))
        return 0;
    if (details >= r->geometry.n) {
        const size_t more = (size_t)details + 1 - r->geometry.n;
        const int rc = az_vec_reserve(&r->geometry, more);
        if (rc)
            return rc;
        memset(r->geometry.v + r->geometry.n, 0xff, more * sizeof *r->geometry.v);
        r->geometry.n += more;
    }
    uint32_t *known = &r->geometry.v[details];
    const int rc = *known == AZ_NO_ROW ? geometry_row(r, details, known) : 0;
    *row = *known;
    return rc;
}

static bool same_row(const struct az_xrow *a, const struct az_xrow *b)
{
    return a->op == b->op && a->module == b->module && a->scope == b->scope &&
           a->details == b->details && a->program == b->program &&
           a->has_program == b->has_program && a->category == b->category && a->flops == b->flops &&
           a->bytes == b->bytes;
}

/* An event's stats are often those of the last one of its name. */
int az_xplane_row_of(struct az_xplane *r, struct az_xplane_meta *m, const struct az_xrow *row,
                     uint32_t *index)
{
    int rc = 0;
    if (m->row == 0 || !same_row(row, &r->x->rows.v[m->row - 1])) {
        rc = az_xtrace_row(r->t, row, index);
        m->row = rc ? 0 : *index + 1;
    }
    *index = m->row - 1;
    return rc;
}

int az_xplane_add_work(struct az_xplane *r, struct az_xplane_meta *m, const struct az_xrow *row,
                       struct az_event *e)
{
    e->name = az_xplane_meta_name(r, m);
    const uint8_t kind = kind_of(r, m);
    if (kind == KIND_KERNEL || (kind == KIND_FILL && row->op != AZ_NO_ID)) {
        const int rc = take_geometry(r, row->details, &e->geo);
        return rc ? rc : az_trace_add(r->t, AZ_KERNEL, e);
    }
    const struct az_copy c = {
        .bytes = copy_bytes(az_trace_text(r->t, row->details)), .op = -1, .src = -1, .dst = -1
    };
    e->side = (uint32_t)r->t->copies.n;
    const int rc = az_vec_push(&r->t->copies, c);
    return rc ? rc : az_trace_add(r->t, kind == KIND_COPY ? AZ_MEMCPY : AZ_MEMSET, e);
}

static const struct az_xrow no_row = { .module = AZ_NO_ID,
                                       .op = AZ_NO_ID,
                                       .scope = AZ_NO_ID,
                                       .details = AZ_NO_ID,
                                       .category = AZ_NO_ID,
                                       .flops = -1,
                                       .bytes = -1 };

/* Its correlation, and the row of its stats. */
static int read_event(struct az_xplane *r, struct az_xplane_meta *m, struct az_xplane_event *x,
                      struct az_event *e)
{
    struct az_xrow row = no_row;
    uint32_t index = 0;
    if (m->defaults) {
        row = m->defaults->row;
        e->corr = m->defaults->correlation;
    }
    int rc = read_stats(r, &x->stats, 4, &row, &e->corr);
    const bool says = az_xplane_has_metadata(&row);
    if (rc == 0 && says)
        rc = az_xplane_row_of(r, m, &row, &index);
    e->node = says ? (uint64_t)index + 1 : 0;
    return rc;
}

/* Kernels repeat the same stats (xplane_dedup.c). */
static int read_alike(struct az_xplane *r, struct az_xplane_meta *m, struct az_xplane_event *x,
                      struct az_event *e)
{
    struct az_protobuf mark = { x->mark, x->stats.end, 0 };
    struct az_xplane_value v = { .number = 0 };
    uint32_t index = 0;
    bool added = false;
    int rc = az_xplane_dedup_stats(r, x, &index, &added);
    if (rc == 0 && added) {
        rc = read_event(r, m, x, e);
        r->stats.v[index].node = (uint32_t)e->node;
        return rc;
    }
    if (rc == 0 && x->mark)
        rc = az_xplane_next_stat(r, &mark, 4, &v);
    if (rc < 0)
        return rc;
    e->corr = v.number;
    e->node = r->stats.v[index].node;
    return AZ_OK;
}

static int add_work(struct az_xplane *r, struct az_xplane_meta *m, struct az_xplane_event *x,
                    struct az_event *e)
{
    int rc = m->has_defaults ? AZ_OK : ask_meta(r, m);
    const bool repeated = !m->defaults && !x->odd && x->marks <= 1 && !az_xplane_dedup_full(r);
    if (!repeated)
        r->stats_last = AZ_NO_ROW;
    if (rc == 0)
        rc = repeated ? read_alike(r, m, x, e) : read_event(r, m, x, e);
    if (rc == 0)
        rc = az_xplane_add_work(r, m, e->node ? &r->x->rows.v[e->node - 1] : &no_row, e);
    if (rc == 0 && repeated && e->side == AZ_NO_ROW) { /* a kernel */
        r->stats.v[r->stats_last].name = e->name;
        r->stats.v[r->stats_last].geo = e->geo;
    }
    return rc;
}

/* An event whose stats are known: *e is whole but for its times. */
static bool known_work(struct az_xplane *r, const struct az_xplane_event *x, struct az_event *e)
{
    const struct az_xplane_stats *t = az_xplane_dedup_next(r, x, &e->corr);
    if (!t)
        return false;
    e->name = t->name;
    e->geo = t->geo;
    e->node = t->node;
    return true;
}

/* Events of a stream: as az_xplane_events, but what is known of them is not read. */
static int stream(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane)
{
    struct az_protobuf m = az_protobuf_of(l->body);
    struct az_xplane_event x;
    uint32_t lane;
    int rc = az_xplane_lane(r, l, plane, AZ_XLANE_WORK, &lane);
    if (rc)
        return rc;
    r->stats_last = AZ_NO_ROW;
    while ((rc = az_xplane_event_numbers(r, &m, &x)) > 0) {
        struct az_event e = { .lane = lane, .side = AZ_NO_ROW };
        struct az_xplane_meta *meta = NULL;
        const bool known = known_work(r, &x, &e);
        if (!known) {
            rc = az_xplane_event_stats(r, &x);
            if (rc < 0)
                return rc;
            meta = az_xplane_meta_of(r, &x);
        }
        r->t->read++;
        if ((!known && !meta) || !az_xplane_times(r, l, &x, &e.start, &e.end))
            continue;
        rc = known ? az_trace_add(r->t, AZ_KERNEL, &e) : add_work(r, meta, &x, &e);
        if (rc)
            return rc;
        r->t->kept++;
    }
    return rc;
}

/* A correlation is what differs between events. */
static void choose_stats(struct az_xplane *r)
{
    for (size_t i = 0; i < r->stat_names.n; i++) {
        const struct az_xplane_stat_name *s = &r->stat_names.v[i];
        if (s->id < sizeof r->look)
            r->look[s->id] = s->role == XP_CORRELATION;
    }
}

int az_xplane_events(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane,
                     enum az_xlane_role role, az_xplane_event_fn *take)
{
    struct az_protobuf m = az_protobuf_of(l->body);
    struct az_xplane_event x;
    uint32_t lane;
    int rc = az_xplane_lane(r, l, plane, role, &lane);
    if (rc)
        return rc;
    while ((rc = az_xplane_next_event(r, &m, &x)) > 0) {
        struct az_event e = { .lane = lane, .side = AZ_NO_ROW };
        struct az_xplane_meta *meta = az_xplane_meta_of(r, &x);
        r->t->read++;
        if (!meta || !az_xplane_times(r, l, &x, &e.start, &e.end))
            continue;
        rc = take(r, meta, &x, &e);
        if (rc)
            return rc;
        r->t->kept++;
    }
    return rc;
}

static int add_range(struct az_xplane *r, struct az_xplane_meta *m, struct az_xplane_event *x,
                     struct az_event *e)
{
    (void)x;
    e->name = az_xplane_meta_name(r, m);
    return az_trace_add(r->t, AZ_GPU_RANGE, e);
}

int az_xplane_ranges(struct az_xplane *r, const struct az_xplane_line *l, uint32_t plane,
                     enum az_xlane_role role)
{
    return az_xplane_events(r, l, plane, role, add_range);
}

int az_xplane_skip_line(struct az_xplane *r, const struct az_xplane_line *l, const char *reason)
{
    struct az_protobuf m = az_protobuf_of(l->body);
    struct az_sv b = { NULL, 0 };
    uint32_t field;
    unsigned wire;
    uint64_t v = 0, n = 0;
    int rc;
    while ((rc = az_protobuf_next(&m, &field, &wire, &v, &b)) > 0)
        n += field == 4 && wire == AZ_PROTOBUF_BYTES;
    if (rc < 0)
        return az_xplane_bad(r, m.p, "a line");
    r->t->read += n;
    if (n)
        az_trace_dropped(r->t, AZ_DROP_NOT_MODELLED, reason, n, 0);
    return AZ_OK;
}

int az_xplane_gpu(struct az_xplane *r, uint32_t plane)
{
    int rc = AZ_OK;
    r->t->in_order = 1u << AZ_KERNEL;
    choose_stats(r);
    for (size_t i = 0; rc == 0 && i < r->lines.n; i++) {
        struct az_xplane_line l;
        rc = az_xplane_line(r, r->lines.v[i], &l);
        if (rc)
            break;
        if (az_sv_starts(l.name, AZ_SV("Stream #")))
            rc = stream(r, &l, plane);
        else if (az_sv_is(l.name, "Steps"))
            rc = az_xplane_ranges(r, &l, plane, AZ_XLANE_STEPS);
        else if (az_sv_is(l.name, "XLA Modules"))
            rc = az_xplane_ranges(r, &l, plane, AZ_XLANE_MODULES);
        else
            rc = az_xplane_skip_line(r, &l,
                                     "derived lines of a GPU (duplicate events of its streams)");
    }
    return rc;
}
