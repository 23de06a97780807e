/* Events of a database of rocmProfileData in numbers, for a cut (formats/rocm/rocm_cut.h): the same
 * as in a report of it (rpd.c). */
#include "formats/rocm/rocm_cut.h"

enum { C_ID, C_START, C_END, C_PID, C_THREAD, C_NAME, C_ARGS, C_TYPE };
#define BIT(c) (1u << (c))
static const char *const columns[] = { "id",  "start",      "end",     "pid",
                                       "tid", "apiName_id", "args_id", "opType_id" };
enum role { ROLE_CALL, ROLE_OPERATION };
static const struct az_rocm_table tables[] = {
    { "rocpd_api", ROLE_CALL, AZ_ROCM_CALL | AZ_ROCM_RANGE,
      BIT(C_ID) | BIT(C_START) | BIT(C_END) | BIT(C_PID) | BIT(C_THREAD) | BIT(C_NAME) |
          BIT(C_ARGS),
      0 },
    { "rocpd_op", ROLE_OPERATION, AZ_ROCM_WORK, BIT(C_ID) | BIT(C_START) | BIT(C_END) | BIT(C_TYPE),
      0 },
};

static const char *const link_columns[] = { "api_id", "op_id" }, *const call_columns[] = { "pid" };
static const struct az_sqlite_columns links = { link_columns, 2, NULL },
                                      calls = { call_columns, 1, NULL };

/* Calls of operations whose ids follow each other: eight bytes for each. */
enum { LINKS = 64 };
struct link_page {
    uint64_t known; /* a bit each */
    int64_t call[LINKS];
};
AZ_VEC(struct link_page, link_pages);

struct reading {
    struct az_rocm_cut *c;
    struct az_map page_of; /* id of an operation / LINKS -> place in `pages` */
    struct link_pages pages;
    struct az_sqlite_lookup call;
    struct az_map name_of; /* (id, 0) of a string, (id, 1) of arguments -> name id */
    sqlite3_stmt *string, *args;
};

static bool is_number(const struct az_sqlite_row *r, int i)
{
    return !((r->null | r->odd) >> i & 1);
}

/* ---- names ---- */

/* Name id of a string; AZ_NO_ID: there is none of this id, or it is empty. */
static int name_of(struct reading *x, sqlite3_stmt *st, int64_t id, uint32_t *name)
{
    uint32_t *at;
    bool added;
    *name = AZ_NO_ID;
    const int rc = az_map_put(&x->name_of, (uint64_t)id, st == x->args, AZ_NO_ID, &at, &added);
    if (rc)
        return rc;
    if (added && st) {
        (void)sqlite3_reset(st);
        (void)sqlite3_bind_int64(st, 1, id);
        if (az_sqlite_step(&x->c->x.file, st) == SQLITE_ROW) {
            const char *p = (const char *)sqlite3_column_text(st, 0);
            const int n = sqlite3_column_bytes(st, 0);
            if (p && n > 0)
                *at = az_trace_name(&x->c->marks, az_sv_make(p, (size_t)n));
        }
    }
    *name = *at;
    return x->c->marks.names.error;
}

static struct az_sv name_text(const struct reading *x, uint32_t name)
{
    return name == AZ_NO_ID ? AZ_SV("") : az_trace_text(&x->c->marks, name);
}

/* ---- operations ---- */

static int add_link(void *ctx, const struct az_sqlite_row *row)
{
    struct reading *x = ctx;
    const uint64_t id = (uint64_t)row->v[1];
    uint32_t *at;
    bool added;
    if (row->null)
        return AZ_OK;
    int rc = az_map_put(&x->page_of, id / LINKS, 0, (uint32_t)x->pages.n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(&x->pages, (struct link_page){ .known = 0 });
    if (rc)
        return rc;
    struct link_page *page = &x->pages.v[*at];
    const uint64_t bit = UINT64_C(1) << id % LINKS;
    if (!(page->known & bit)) /* the first one counts */
        page->call[id % LINKS] = row->v[0];
    page->known |= bit;
    return AZ_OK;
}

/* The call of an operation: its process. */
static int find_call(struct reading *x, int64_t operation, struct az_rocm_event *e)
{
    const uint64_t id = (uint64_t)(operation < 0 ? 0 : operation);
    const uint32_t at = az_map_get(&x->page_of, id / LINKS, 0);
    const struct link_page *page = at == AZ_NO_ID ? NULL : &x->pages.v[at];
    struct az_sqlite_row row;
    int64_t process = 0;
    if (page && (page->known >> id % LINKS & 1)) {
        const int64_t call = page->call[id % LINKS];
        const int found = az_sqlite_lookup_find(&x->call, call, &row);
        if (found < 0)
            return found;
        e->corr = (uint64_t)call;
        process = found ? row.v[0] : 0;
    }
    return az_rocprof_select(&x->c->r, process);
}

static int take_operation(struct reading *x, const struct az_sqlite_row *row,
                          struct az_rocm_event *e)
{
    uint32_t type;
    e->kind = AZ_ROCM_NONE;
    if (!is_number(row, C_START) || !is_number(row, C_END))
        return AZ_OK;
    int rc = name_of(x, x->string, row->v[C_TYPE], &type);
    if (rc == 0)
        rc = find_call(x, row->v[C_ID], e);
    const struct az_sv text = name_text(x, rc ? AZ_NO_ID : type);
    e->start = row->v[C_START];
    e->end = row->v[C_END];
    if (rc == 0 && e->end >= e->start && !az_rpd_is_barrier(text))
        e->kind = AZ_ROCM_WORK;
    return rc;
}

/* ---- calls ---- */

static int take_call(struct reading *x, const struct az_sqlite_row *row, struct az_rocm_event *e)
{
    e->kind = AZ_ROCM_NONE;
    if (!is_number(row, C_START) || !is_number(row, C_END))
        return AZ_OK;
    e->start = row->v[C_START];
    e->end = row->v[C_END] < e->start ? e->start : row->v[C_END];
    e->thread = row->v[C_THREAD];
    e->corr = (uint64_t)row->v[C_ID];
    int rc = az_rocprof_select(&x->c->r, row->v[C_PID]);
    if (rc == 0)
        rc = name_of(x, x->string, row->v[C_NAME], &e->name);
    if (rc)
        return rc;
    const struct az_sv name = name_text(x, e->name);
    const bool marker = az_sv_is(name, "UserMarker");
    e->kind = marker || az_rpd_is_own_function(name) ? AZ_ROCM_RANGE : AZ_ROCM_CALL;
    if (!marker || !x->c->finding)
        return AZ_OK;
    const uint32_t plain = e->name;
    rc = name_of(x, x->args, row->v[C_ARGS], &e->name);
    e->name = e->name == AZ_NO_ID ? plain : e->name;
    return rc;
}

static int decode_row(struct az_rocm_cut *c, const struct az_rocm_table *t,
                      const struct az_sqlite_row *row, az_rocm_event_fn fn)
{
    struct az_rocm_event e = { .name = AZ_NO_ID, .event = INT64_MIN };
    struct reading *x = c->own;
    const int rc = t->role == ROLE_CALL ? take_call(x, row, &e) : take_operation(x, row, &e);
    e.process = c->r.proc;
    return rc ? rc : fn(c, &e);
}

/* ---- opening ---- */

static int prepare_string(struct reading *x, const char *sql, sqlite3_stmt **st)
{
    /* a table that is missing: no names */
    return az_sqlite_prepare(&x->c->x.file, sql, st) == SQLITE_NOMEM ? AZ_ENOMEM : AZ_OK;
}

static int open_tables(struct reading *x)
{
    struct az_rocm_cut *c = x->c;
    struct az_sv list;
    const bool own =
        az_rocpd_columns(&c->x, "rocpd_ustring", "U", (const char *[]){ "string" }, 1, &list);
    int rc = prepare_string(x, "SELECT string FROM rocpd_string WHERE id=?1", &x->string);
    if (rc == 0)
        rc = prepare_string(x,
                            own ? "SELECT string FROM rocpd_ustring WHERE id=?1"
                                : "SELECT string FROM rocpd_string WHERE id=?1",
                            &x->args);
    if (rc == 0)
        rc = az_rocprof_process(&c->r, 0, 0, 0);
    if (rc == 0)
        rc = az_sqlite_lookup_open(&x->call, &c->x.file, "rocpd_api", "id", &calls);
    if (rc == 0)
        rc = az_sqlite_table_rows(&c->x.file, "rocpd_api_ops", &links, ~0u, add_link, x);
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(tables); i++)
        rc = az_rocm_add_table(c, &tables[i]);
    return rc;
}

static int open_rpd(struct az_rocm_cut *c)
{
    struct reading *x = az_mem_alloc(c->job->mem, sizeof *x);
    if (!x)
        return az_mem_error(c->job->mem);
    memset(x, 0, sizeof *x);
    x->c = c;
    c->own = x;
    c->columns = (struct az_sqlite_columns){ columns, AZ_LENGTH(columns), NULL };
    az_map_init(&x->page_of, c->job->mem, 0);
    az_vec_init(&x->pages, c->job->mem);
    az_map_init(&x->name_of, c->job->mem, 0);
    return open_tables(x);
}

static void close_rpd(struct az_rocm_cut *c)
{
    struct reading *x = c->own;
    az_sqlite_lookup_close(&x->call);
    (void)sqlite3_finalize(x->string);
    (void)sqlite3_finalize(x->args);
    az_map_release(&x->page_of);
    az_vec_release(&x->pages);
    az_map_release(&x->name_of);
    az_mem_free(c->job->mem, x, sizeof *x);
    c->own = NULL;
}

const struct az_rocm_source az_rpd_cut_source = { .open = open_rpd,
                                                  .close = close_rpd,
                                                  .decode = decode_row };
