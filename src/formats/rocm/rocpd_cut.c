/* Events of a rocpd database in numbers, for a cut (formats/rocm/rocm_cut.h): what the report reads
 * with joins (rocpd_read.c) is looked up here. */
#include "base/sort.h"
#include "formats/rocm/rocm_cut.h"

enum { C_START, C_END, C_EVENT, C_THREAD, C_NAME, C_TIME, C_TRACK };
#define BIT(c) (1u << (c))
static const char *const columns[] = { "start",   "end",       "event_id", "tid",
                                       "name_id", "timestamp", "track_id" };
enum role { ROLE_DISPATCH, ROLE_COPY, ROLE_ALLOC, ROLE_REGION, ROLE_SAMPLE, ROLE_COUNTER };

static const struct {
    const char *name;
    enum role role;
    unsigned kinds, wants;
} tables[] = {
    { "rocpd_kernel_dispatch", ROLE_DISPATCH, AZ_ROCM_WORK,
      BIT(C_START) | BIT(C_END) | BIT(C_EVENT) },
    { "rocpd_memory_copy", ROLE_COPY, AZ_ROCM_WORK, BIT(C_START) | BIT(C_END) | BIT(C_EVENT) },
    { "rocpd_memory_allocate", ROLE_ALLOC, AZ_ROCM_HOST,
      BIT(C_START) | BIT(C_END) | BIT(C_THREAD) },
    { "rocpd_region", ROLE_REGION, AZ_ROCM_CALL | AZ_ROCM_RANGE,
      BIT(C_START) | BIT(C_END) | BIT(C_THREAD) | BIT(C_NAME) | BIT(C_EVENT) },
    { "rocpd_sample", ROLE_SAMPLE, AZ_ROCM_CALL | AZ_ROCM_RANGE,
      BIT(C_TIME) | BIT(C_TRACK) | BIT(C_EVENT) },
    { "rocpd_pmc_event", ROLE_COUNTER, 0, BIT(C_EVENT) },
};

static const char *const event_columns[] = { "stack_id", "category_id" },
                         *const track_columns[] = { "name_id", "tid" },
                         *const thread_columns[] = { "id", "tid" };

/* Tables with one ending: of one set, or of all. */
struct group {
    size_t first, n; /* sets */
    struct az_sqlite_columns events, tracks, threads;
    struct az_sqlite_lookup event, track;
};
AZ_VEC(struct group, groups);
struct id_run { /* ids of rocpd_event, of dispatches that are omitted */
    size_t set;
    int64_t first, last;
};
AZ_VEC(struct id_run, id_runs);
AZ_VEC(sqlite3_stmt *, statements);

struct reading {
    struct az_rocm_cut *c;
    struct groups groups;
    struct statements strings; /* by set; NULL: not prepared yet */
    struct az_map name_of;     /* (id, 2 * set + of a category) -> name id */
    struct az_map thread_of;   /* (id, set) -> place in `threads` */
    struct az_vec_i64 threads;
    struct id_runs gone; /* sorted, and apart */
    size_t group;        /* whose threads are read */
    bool by_guid;        /* sets are rows with their guid */
};

static bool is_null(const struct az_sqlite_row *r, int i) { return r->null >> i & 1; }
static bool is_number(const struct az_sqlite_row *r, int i)
{
    return !((r->null | r->odd) >> i & 1);
}

/* ---- sets ---- */

static bool is_set(const struct reading *x, size_t set, struct az_sv guid)
{
    const struct az_sv own = x->c->sets.v[set].guid;
    return !own.n || az_sv_eq(own, guid);
}

/* The next set of a group, from *set on, that has a row of this guid. Sets of several guids are in
 * their order; those without one have all rows. */
static bool next_set(const struct reading *x, const struct group *g, struct az_sv guid, size_t *set)
{
    size_t lo = *set, hi = g->first + g->n;
    const struct az_rocpd_set *sets = x->c->sets.v;
    if (lo < hi && !sets[lo].guid.n)
        return true;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (az_sv_cmp(sets[mid].guid, guid) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    *set = lo;
    return lo < g->first + g->n && is_set(x, lo, guid);
}

/* ---- names ---- */

static int prepare_string(struct reading *x, size_t set, sqlite3_stmt **st)
{
    struct az_rocpd *d = &x->c->x;
    *st = x->strings.v[set];
    if (*st)
        return AZ_OK;
    const struct az_rocpd_set *own = &x->c->sets.v[set];
    d->set = own;
    const struct az_sv where = az_rocpd_where(d, "S"),
                       sql = az_arena_printf(&d->arena, "SELECT string FROM %.*s S%.*s%sS.id=?1",
                                             AZ_SVF(az_rocpd_table(d, "rocpd_string")),
                                             AZ_SVF(where), where.n ? " AND " : " WHERE ");
    if (!sql.p)
        return az_arena_error(&d->arena);
    /* no such table: no names */
    const int code = az_sqlite_prepare(&d->file, sql.p, st);
    x->strings.v[set] = *st;
    return code == SQLITE_NOMEM ? AZ_ENOMEM : AZ_OK;
}

/* Name id of a row of rocpd_string; `none` for NULL and for ids that are not there. */
static int name_of(struct reading *x, size_t set, bool category, int64_t id, bool null,
                   uint32_t *name)
{
    struct az_sv text = category ? AZ_SV("UNKNOWN") : AZ_SV("[unknown]");
    const int64_t key = null ? INT64_MIN : id;
    sqlite3_stmt *st = NULL;
    uint32_t *at;
    bool added;
    int rc = az_map_put(&x->name_of, (uint64_t)key, 2 * set + category, AZ_NO_ID, &at, &added);
    if (rc == 0 && added && !null)
        rc = prepare_string(x, set, &st);
    if (rc)
        return rc;
    if (st) {
        (void)sqlite3_reset(st);
        (void)sqlite3_bind_int64(st, 1, id);
        if (az_sqlite_step(&x->c->x.file, st) == SQLITE_ROW) {
            const char *s = (const char *)sqlite3_column_text(st, 0);
            text = az_sv_make(s ? s : "", s ? (size_t)sqlite3_column_bytes(st, 0) : 0);
        }
    }
    if (added)
        *at = az_trace_name(&x->c->marks, text);
    *name = *at;
    return x->c->marks.names.error;
}

/* ---- events ---- */

/* The row of rocpd_event: correlation id, and the kind by the category. */
static int find_event(struct reading *x, struct group *g, size_t set,
                      const struct az_sqlite_row *row, struct az_rocm_event *e)
{
    struct az_sqlite_row found = { .null = ~0u };
    uint32_t category;
    int rc = 0;
    if (!is_null(row, C_EVENT)) {
        e->event = row->v[C_EVENT];
        rc = az_sqlite_lookup_find(&g->event, row->v[C_EVENT], &found);
    }
    if (rc <= 0 || !is_set(x, set, found.text))
        found = (struct az_sqlite_row){ .null = ~0u };
    e->corr = (uint64_t)found.v[0];
    if (rc < 0 || e->kind == AZ_ROCM_WORK)
        return rc < 0 ? rc : AZ_OK;
    rc = name_of(x, set, true, found.v[1], is_null(&found, 1), &category);
    if (rc == 0 && az_sv_starts(az_trace_text(&x->c->marks, category), AZ_SV("MARKER")))
        e->kind = AZ_ROCM_RANGE;
    return rc;
}

static int64_t thread_of(const struct reading *x, size_t set, int64_t id)
{
    const uint32_t at = az_map_get(&x->thread_of, (uint64_t)id, set);
    return at == AZ_NO_ID ? id : x->threads.v[at];
}

/* Start and end, unless a report takes the row for none. */
static bool take_times(const struct az_sqlite_row *row, struct az_rocm_event *e)
{
    if (!is_number(row, C_START) || !is_number(row, C_END))
        return false;
    e->start = row->v[C_START];
    e->end = row->v[C_END];
    if (e->end >= e->start)
        return true;
    e->end = e->start;
    return e->kind != AZ_ROCM_WORK;
}

static int take_sample(struct reading *x, struct group *g, size_t set,
                       const struct az_sqlite_row *row, struct az_rocm_event *e)
{
    struct az_sqlite_row track = { .null = ~0u };
    int rc = AZ_OK;
    if (!is_number(row, C_TIME)) {
        e->kind = AZ_ROCM_NONE;
        return AZ_OK;
    }
    e->start = e->end = row->v[C_TIME];
    if (x->c->finding && !is_null(row, C_TRACK))
        rc = az_sqlite_lookup_find(&g->track, row->v[C_TRACK], &track);
    if (rc <= 0 || !is_set(x, set, track.text))
        track = (struct az_sqlite_row){ .null = ~0u };
    rc = rc < 0 ? rc : find_event(x, g, set, row, e);
    e->thread = thread_of(x, set, track.v[1]);
    return rc || !x->c->finding ? rc
                                : name_of(x, set, false, track.v[0], is_null(&track, 0), &e->name);
}

static int take_event(struct reading *x, struct group *g, size_t set, enum role role,
                      const struct az_sqlite_row *row, struct az_rocm_event *e)
{
    if (role == ROLE_SAMPLE)
        return take_sample(x, g, set, row, e);
    if (!take_times(row, e)) {
        e->kind = AZ_ROCM_NONE;
        e->event = is_null(row, C_EVENT) ? e->event : row->v[C_EVENT];
        return AZ_OK;
    }
    if (x->c->finding)
        e->thread = thread_of(x, set, row->v[C_THREAD]);
    if (role == ROLE_ALLOC || (x->c->finding && e->kind == AZ_ROCM_WORK))
        return AZ_OK;
    const int rc = find_event(x, g, set, row, e);
    return rc || !x->c->finding || e->kind != AZ_ROCM_RANGE
               ? rc
               : name_of(x, set, false, row->v[C_NAME], is_null(row, C_NAME), &e->name);
}

static int decode_row(struct az_rocm_cut *c, const struct az_rocm_table *t,
                      const struct az_sqlite_row *row, az_rocm_event_fn fn)
{
    static const enum az_rocm_kind kinds[] = { AZ_ROCM_WORK, AZ_ROCM_WORK, AZ_ROCM_HOST,
                                               AZ_ROCM_CALL, AZ_ROCM_CALL };
    struct reading *x = c->own;
    struct group *g = &x->groups.v[t->group];
    int rc = AZ_OK;
    for (size_t set = g->first; rc == 0 && next_set(x, g, row->text, &set); set++) {
        struct az_rocm_event e = { .kind = kinds[t->role],
                                   .process = (uint32_t)set + 1,
                                   .name = AZ_NO_ID,
                                   .event = INT64_MIN };
        rc = take_event(x, g, set, (enum role)t->role, row, &e);
        if (rc == 0)
            rc = fn(c, &e);
    }
    return rc;
}

/* ---- counters ---- */

/* Dispatches that are omitted; only tables of dispatches have counters. */
static int note_gone(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    struct reading *x = c->own;
    const size_t set = e->process - 1;
    struct id_run *last = x->gone.n ? &x->gone.v[x->gone.n - 1] : NULL;
    if (c->now->role != ROLE_DISPATCH || e->event == INT64_MIN || az_rocm_is_inside(c, e))
        return AZ_OK;
    if (last && last->set == set && last->last < INT64_MAX && last->last + 1 == e->event) {
        last->last++;
        return AZ_OK;
    }
    return az_vec_push(&x->gone, ((struct id_run){ set, e->event, e->event }));
}

static int by_first(const void *p, const void *q, void *ctx)
{
    const struct id_run *a = p, *b = q;
    (void)ctx;
    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static bool has_counters(struct az_rocm_cut *c)
{
    bool any = false;
    for (size_t i = 0; i < c->tables.n && !any; i++) {
        sqlite3_stmt *st = NULL;
        if (c->tables.v[i].role != ROLE_COUNTER)
            continue;
        char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\" LIMIT 1", c->tables.v[i].name);
        c->x.file.starved |= !sql;
        any = sql && az_sqlite_prepare(&c->x.file, sql, &st) == SQLITE_OK &&
              az_sqlite_step(&c->x.file, st) == SQLITE_ROW;
        (void)sqlite3_finalize(st);
        sqlite3_free(sql);
    }
    return any;
}

static int settle_counters(struct az_rocm_cut *c)
{
    struct reading *x = c->own;
    size_t n = 0;
    const int rc = has_counters(c) ? az_rocm_each(c, AZ_ROCM_WORK, note_gone) : AZ_OK;
    az_sort_cmp(x->gone.v, x->gone.n, sizeof *x->gone.v, by_first, NULL, c->job->mem);
    for (size_t i = 0; i < x->gone.n; i++) {
        const struct id_run run = x->gone.v[i];
        struct id_run *last = n ? &x->gone.v[n - 1] : NULL;
        if (!last || last->set != run.set || last->last < run.first)
            x->gone.v[n++] = run;
        else
            last->last = run.last > last->last ? run.last : last->last;
    }
    x->gone.n = n;
    return rc;
}

static bool is_gone(const struct reading *x, size_t set, int64_t event)
{
    size_t lo = 0, hi = x->gone.n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const struct id_run *r = &x->gone.v[mid];
        if (r->set < set || (r->set == set && r->last < event))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < x->gone.n && x->gone.v[lo].set == set && x->gone.v[lo].first <= event;
}

static int keep_counter(struct az_rocm_cut *c, const struct az_rocm_table *t,
                        const struct az_sqlite_row *row)
{
    const struct reading *x = c->own;
    const struct group *g = &x->groups.v[t->group];
    bool gone = false;
    if (is_null(row, C_EVENT))
        return 1;
    for (size_t set = g->first; !gone && next_set(x, g, row->text, &set); set++)
        gone = is_gone(x, set, row->v[C_EVENT]);
    return !gone;
}

/* ---- opening ---- */

static int take_thread(void *ctx, const struct az_sqlite_row *row)
{
    struct reading *x = ctx;
    const struct group *g = &x->groups.v[x->group];
    int rc = AZ_OK;
    for (size_t set = g->first; rc == 0 && next_set(x, g, row->text, &set); set++) {
        uint32_t *at;
        bool added = false;
        if (is_null(row, 1))
            continue;
        rc = az_map_put(&x->thread_of, (uint64_t)row->v[0], set, (uint32_t)x->threads.n, &at,
                        &added);
        if (rc == 0 && added)
            rc = az_vec_push(&x->threads, row->v[1]);
    }
    return rc;
}

static const char *full_name(struct az_rocm_cut *c, const char *table, struct az_sv suffix)
{
    return az_arena_printf(&c->arena, "%s%.*s", table, AZ_SVF(suffix)).p;
}

/* Instant marks are read only where all their tables are there. */
static bool has_samples(const struct group *g) { return g->event.open && g->track.open; }

static int open_group(struct reading *x, size_t number)
{
    struct az_rocm_cut *c = x->c;
    struct group *g = &x->groups.v[number];
    const char *guid = x->by_guid ? "guid" : NULL;
    const struct az_sv suffix = c->sets.v[g->first].suffix;
    const char *events = full_name(c, "rocpd_event", suffix),
               *tracks = full_name(c, "rocpd_track", suffix),
               *threads = full_name(c, "rocpd_info_thread", suffix);
    g->events = (struct az_sqlite_columns){ event_columns, 2, guid };
    g->tracks = (struct az_sqlite_columns){ track_columns, 2, guid };
    g->threads = (struct az_sqlite_columns){ thread_columns, 2, guid };
    int rc = events && tracks && threads ? AZ_OK : az_arena_error(&c->arena);
    if (rc == 0)
        rc = az_sqlite_lookup_open(&g->event, &c->x.file, events, "id", &g->events);
    if (rc == 0)
        rc = az_sqlite_lookup_open(&g->track, &c->x.file, tracks, "id", &g->tracks);
    x->group = number;
    if (rc == 0)
        rc = az_sqlite_table_rows(&c->x.file, threads, &g->threads, ~0u, take_thread, x);
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(tables); i++) {
        const struct az_rocm_table t = { full_name(c, tables[i].name, suffix), (int)tables[i].role,
                                         tables[i].kinds, tables[i].wants, number };
        if (tables[i].role != ROLE_SAMPLE || has_samples(g))
            rc = az_rocm_add_table(c, &t);
    }
    return rc;
}

static int open_rocpd(struct az_rocm_cut *c)
{
    struct reading *x = az_mem_alloc(c->job->mem, sizeof *x);
    int rc = AZ_OK;
    if (!x)
        return az_mem_error(c->job->mem);
    memset(x, 0, sizeof *x);
    x->c = c;
    c->own = x;
    az_vec_init(&x->groups, c->job->mem);
    az_vec_init(&x->strings, c->job->mem);
    az_vec_init(&x->threads, c->job->mem);
    az_vec_init(&x->gone, c->job->mem);
    az_map_init(&x->name_of, c->job->mem, 0);
    az_map_init(&x->thread_of, c->job->mem, 0);
    for (size_t i = 0; i < c->sets.n; i++)
        x->by_guid |= c->sets.v[i].guid.n > 0;
    c->columns =
        (struct az_sqlite_columns){ columns, AZ_LENGTH(columns), x->by_guid ? "guid" : NULL };
    const bool all = c->sets.n && !c->sets.v[0].suffix.n;
    for (size_t i = 0; rc == 0 && i < c->sets.n; i++) {
        const struct group g = { .first = i, .n = all ? c->sets.n : 1 };
        if (!all || i == 0)
            rc = az_vec_push(&x->groups, g);
        if (rc == 0)
            rc = az_vec_push(&x->strings, NULL);
        if (rc == 0)
            rc = az_rocprof_process(&c->r, 0, 0, 0);
    }
    c->r.pid = 0;
    for (size_t i = 0; rc == 0 && i < x->groups.n; i++)
        rc = open_group(x, i);
    return rc;
}

static void close_rocpd(struct az_rocm_cut *c)
{
    struct reading *x = c->own;
    for (size_t i = 0; i < x->groups.n; i++) {
        az_sqlite_lookup_close(&x->groups.v[i].event);
        az_sqlite_lookup_close(&x->groups.v[i].track);
    }
    for (size_t i = 0; i < x->strings.n; i++)
        (void)sqlite3_finalize(x->strings.v[i]);
    az_vec_release(&x->groups);
    az_vec_release(&x->strings);
    az_vec_release(&x->threads);
    az_vec_release(&x->gone);
    az_map_release(&x->name_of);
    az_map_release(&x->thread_of);
    az_mem_free(c->job->mem, x, sizeof *x);
    c->own = NULL;
}

const struct az_rocm_source az_rocpd_cut_source = { .open = open_rocpd,
                                                    .close = close_rocpd,
                                                    .decode = decode_row,
                                                    .settle = settle_counters,
                                                    .keeps = keep_counter };
