/* NVTX ranges of an SQLite export (docs/formats-nsight.md 3.2, 3.4). One pass: names wait until all
 * domains are known, open ranges until the latest time is known. */
#include "classify/steps.h"
#include "formats/nsys/nsys_sqlite.h"
#include "model/window.h"

enum nvtx_type {
    PUSH_POP = 59,
    START_END = 60,
    TEXT_PUSH_POP = 70,
    TEXT_START_END = 71,
    DOMAIN_CREATE = 75
};

/* From this schema version on the reports put a colon before names of the default domain too. */
#define COLON_MAJOR 3
#define COLON_MINOR 16

enum { ROW, START, END, TYPE, TEXT, THREAD, END_THREAD, TEXT_ID, DOMAIN_ID, DATA, N };
static const struct az_nsys_column want[N] = { { "rowid", false },        { "start", true },
                                               { "end", false },          { "eventType", true },
                                               { "text", false },         { "globalTid", false },
                                               { "endGlobalTid", false }, { "textId", false },
                                               { "domainId", false },     { "binaryData", false } };

struct domain {
    uint32_t name; /* AZ_NO_ID: none was created */
    int64_t start; /* of the event that created it: the earliest counts */
};
AZ_VEC(struct domain, domains);

struct label {
    uint32_t text, domain; /* name id; index of the domain */
};
AZ_VEC(struct label, labels);

struct nvtx {
    struct az_nsys_db *x;
    const struct az_nsys_row *row; /* the current one */
    struct domains domains;
    struct az_map domain_of; /* (domain id, process) -> index */
    struct labels labels;    /* the names of the events are indexes into this list until the end */
    struct az_map label_of;  /* (domain index, text) -> index */
    struct az_nsys_payloads payloads;
    int64_t latest;                 /* start or end of a range, of the file that was cut, too */
    const struct az_window *window; /* only ranges whose name may choose it; NULL: all */
    struct az_vec_u8 chosen;        /* with it, by label; empty: labels are read first */
};

/* Index of a key in a list that grows with the map. */
static int index_of(struct az_map *map, uint64_t k0, uint64_t k1, size_t next, uint32_t *index,
                    bool *added)
{
    uint32_t *value;
    if (next >= AZ_NO_ID)
        return AZ_ERANGE;
    int rc = az_map_put(map, k0, k1, (uint32_t)next, &value, added);
    if (rc == 0)
        *index = *value;
    return rc;
}

static int domain_index(struct nvtx *v, uint32_t *index)
{
    bool added = false;
    int rc = index_of(&v->domain_of, (uint64_t)az_nsys_i64(v->row, DOMAIN_ID),
                      NSYS_PROC(az_nsys_i64(v->row, THREAD)), v->domains.n, index, &added);
    if (rc == 0 && added)
        rc = az_vec_push(&v->domains, ((struct domain){ .name = AZ_NO_ID }));
    return rc;
}

static int row_text(struct nvtx *v, uint32_t *id)
{
    if (!az_nsys_is_null(v->row, TEXT_ID))
        return az_nsys_name(v->x, &v->x->names, az_nsys_i64(v->row, TEXT_ID), id);
    *id = az_trace_name(v->x->t, az_nsys_text(v->row, TEXT));
    return v->x->t->names.error;
}

static int take_domain(struct nvtx *v)
{
    uint32_t index, name;
    int64_t start = az_nsys_i64(v->row, START);
    int rc = domain_index(v, &index);
    if (rc == 0)
        rc = row_text(v, &name);
    if (rc != 0)
        return rc;
    struct domain *d = &v->domains.v[index];
    if (d->name == AZ_NO_ID || start < d->start)
        *d = (struct domain){ .name = name, .start = start };
    return 0;
}

static int range_label(struct nvtx *v, uint32_t *index)
{
    struct label l;
    bool added = false;
    int rc = domain_index(v, &l.domain);
    if (rc == 0)
        rc = row_text(v, &l.text);
    if (rc == 0)
        rc = index_of(&v->label_of, l.domain, l.text, v->labels.n, index, &added);
    if (rc == 0 && added)
        rc = az_vec_push(&v->labels, l);
    return rc;
}

/* What the range's library recorded in its payload. */
static int range_note(struct nvtx *v, uint32_t *note)
{
    struct az_trace *t = v->x->t;
    struct az_comm_note n;
    if (v->payloads.rows.n == 0 || az_nsys_is_null(v->row, DATA) ||
        !az_nsys_payload_read(&v->payloads, (uint64_t)az_nsys_i64(v->row, DOMAIN_ID),
                              az_nsys_blob(v->row, DATA), &n))
        return 0;
    if (t->comm_notes.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    *note = (uint32_t)t->comm_notes.n + 1;
    return az_vec_push(&t->comm_notes, n);
}

static int take_range(struct nvtx *v, int64_t type)
{
    const struct az_nsys_row *q = v->row;
    struct az_trace *t = v->x->t;
    uint64_t thread = (uint64_t)az_nsys_i64(q, THREAD);
    int64_t row = az_nsys_i64(q, ROW);
    struct az_range r = { .id = row != 0 ? (uint64_t)row : q->number,
                          .style = type == START_END || type == TEXT_START_END,
                          .open = az_nsys_is_null(q, END),
                          .crosses = !az_nsys_is_null(q, END_THREAD) &&
                                     (uint64_t)az_nsys_i64(q, END_THREAD) != thread };
    struct az_event e = { .start = az_nsys_i64(q, START), .side = (uint32_t)t->ranges.n };
    e.end = r.open ? e.start : az_nsys_i64(q, END);
    if (t->ranges.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    v->latest = e.start > v->latest ? e.start : v->latest;
    v->latest = e.end > v->latest ? e.end : v->latest;
    int rc = range_label(v, &e.name);
    if (rc == 0)
        rc = az_nsys_host_lane(v->x, thread, &e.lane);
    if (rc || (v->window && (e.name >= v->chosen.n || !v->chosen.v[e.name])))
        return rc;
    rc = range_note(v, &r.note);
    if (rc == 0)
        rc = az_vec_push(&t->ranges, r);
    return rc == 0 ? az_nsys_add(v->x, AZ_RANGE, &e) : rc;
}

static int take_row(struct az_nsys_db *x, const struct az_nsys_row *row, void *ctx)
{
    struct nvtx *v = ctx;
    v->row = row;
    int64_t type = az_nsys_i64(row, TYPE);
    const bool range =
        type == PUSH_POP || type == START_END || type == TEXT_PUSH_POP || type == TEXT_START_END;
    /* a range without an end is open */
    if (range &&
        az_nsys_without_time(x, row, START, az_nsys_is_null(row, END) ? START : END, AZ_RANGE))
        return 0;
    x->t->read++;
    switch (type) {
    case PUSH_POP:
    case START_END:
    case TEXT_PUSH_POP:
    case TEXT_START_END:
        return take_range(v, type);
    case DOMAIN_CREATE:
        return take_domain(v);
    default:
        az_trace_dropped(x->t, AZ_DROP_NOT_MODELLED, "annotation other than a range", 1, 0);
        return 0;
    }
}

/* "domain:text"; for the default domain ":text" or "text", by the version of the export. */
static int full_name(struct nvtx *v, const struct label *l, uint32_t *id)
{
    struct az_nsys_db *x = v->x;
    uint32_t domain = v->domains.v[l->domain].name;
    bool colon = x->major > COLON_MAJOR || (x->major == COLON_MAJOR && x->minor >= COLON_MINOR);
    *id = l->text;
    if (domain == AZ_NO_ID && !colon)
        return 0;
    struct az_sv text = az_trace_text(x->t, l->text);
    struct az_sv name = az_arena_printf(&x->scratch, "%.*s:%.*s",
                                        AZ_SVF(az_trace_text(x->t, domain)), AZ_SVF(text));
    if (!name.p)
        return az_arena_error(&x->scratch);
    *id = az_trace_name(x->t, name);
    return x->t->names.error;
}

static int settle(struct nvtx *v)
{
    struct az_trace *t = v->x->t;
    struct az_events *ev = &t->ev[AZ_RANGE];
    for (size_t i = 0; i < v->labels.n; i++) {
        uint32_t id;
        int rc = full_name(v, &v->labels.v[i], &id);
        if (rc != 0)
            return rc;
        v->labels.v[i].text = id;
    }
    for (size_t i = 0; i < ev->n; i++) {
        ev->name[i] = v->labels.v[ev->name[i]].text;
        if (t->ranges.v[ev->side[i]].open)
            ev->end[i] = v->latest;
    }
    return 0;
}

/* Which names may choose the window, by themselves or as a mark of a step. */
static int choose_labels(struct nvtx *v)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < v->labels.n; i++) {
        struct az_sv stem;
        int64_t number;
        uint32_t id;
        rc = full_name(v, &v->labels.v[i], &id);
        if (rc)
            break;
        const struct az_sv name = az_trace_text(v->x->t, id);
        rc = az_vec_push(&v->chosen, az_window_names(v->window, name) ||
                                         (v->window->step >= 0 &&
                                          az_step_mark_of(name, &stem, &number) != AZ_MARK_NONE));
    }
    return rc;
}

int64_t az_nsys_open_end(struct az_nsys_db *x)
{
    sqlite3_stmt *st = NULL;
    int64_t end = INT64_MIN;
    if (az_nsys_has_table(x, AZ_NSYS_WINDOW_TABLE) &&
        az_nsys_has_column(x, AZ_NSYS_WINDOW_TABLE, AZ_NSYS_OPEN_END) &&
        az_sqlite_prepare(&x->file, "SELECT max(" AZ_NSYS_OPEN_END ") FROM " AZ_NSYS_WINDOW_TABLE,
                          &st) == SQLITE_OK &&
        az_sqlite_step(&x->file, st) == SQLITE_ROW && sqlite3_column_type(st, 0) == SQLITE_INTEGER)
        end = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return end;
}

int az_nsys_read_nvtx(struct az_nsys_db *x, const struct az_window *window)
{
    struct nvtx v = { .x = x, .latest = az_nsys_open_end(x), .window = window };
    az_trace_columns(x->t, AZ_RANGE, AZ_COL_SIDE);
    az_vec_init(&v.domains, x->job->mem);
    az_vec_init(&v.labels, x->job->mem);
    az_vec_init(&v.chosen, x->job->mem);
    az_map_init(&v.domain_of, x->job->mem, 0);
    az_map_init(&v.label_of, x->job->mem, 0);
    int rc = az_nsys_payloads_open(&v.payloads, x);
    if (rc == 0)
        rc = az_nsys_each(x, "NVTX_EVENTS", want, N, take_row, &v);
    if (rc == 0 && window)
        rc = choose_labels(&v);
    if (rc == 0 && window)
        rc = az_nsys_each(x, "NVTX_EVENTS", want, N, take_row, &v);
    if (rc == 0)
        rc = settle(&v);
    az_nsys_payloads_close(&v.payloads);
    az_map_release(&v.label_of);
    az_map_release(&v.domain_of);
    az_vec_release(&v.chosen);
    az_vec_release(&v.labels);
    az_vec_release(&v.domains);
    return rc;
}
