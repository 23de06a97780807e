/* Calls of MPI and UCX in an SQLite export, as ranges of their threads in the domains "MPI" and
 * "UCX" (docs/formats-nsight.md 3.7). */
#include "formats/nsys/nsys_sqlite.h"

enum { START, END, THREAD, TEXT, N };

struct mpi {
    bool ucx;
    struct az_map name; /* (name id of a text, is it of UCX) -> of the same in the domain */
    uint64_t id;        /* of the last range */
    int64_t rank;       /* of the export; -1: none yet, -2: several */
};

static int full_name(struct az_nsys_db *x, struct mpi *m, uint32_t text, uint32_t *name)
{
    uint32_t *at;
    bool added;
    *name = az_map_get(&m->name, text, m->ucx);
    if (*name != AZ_NO_ID)
        return 0;
    const struct az_sv full = az_arena_printf(&x->scratch, "%s:%.*s", m->ucx ? "UCX" : "MPI",
                                              AZ_SVF(az_trace_text(x->t, text)));
    if (!full.p)
        return az_arena_error(&x->scratch);
    *name = az_trace_name(x->t, full);
    return az_map_put(&m->name, text, m->ucx, *name, &at, &added);
}

static int take_call(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct mpi *m = ctx;
    struct az_trace *t = x->t;
    struct az_event e = { .start = az_nsys_i64(r, START),
                          .end = az_nsys_i64(r, END),
                          .side = (uint32_t)t->ranges.n };
    uint32_t text;
    if (az_nsys_without_time(x, r, START, END, AZ_RANGE))
        return 0;
    x->t->read++;
    if (t->ranges.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    int rc = az_nsys_name(x, &x->names, az_nsys_i64(r, TEXT), &text);
    if (rc)
        return rc;
    rc = full_name(x, m, text, &e.name);
    if (rc == 0)
        rc = az_nsys_host_lane(x, (uint64_t)az_nsys_i64(r, THREAD), &e.lane);
    if (rc == 0)
        rc = az_vec_push(&t->ranges, ((struct az_range){ .id = ++m->id }));
    return rc ? rc : az_nsys_add(x, AZ_RANGE, &e);
}

static int take_rank(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    struct mpi *m = ctx;
    const int64_t rank = az_nsys_i64(r, 0);
    (void)x;
    m->rank = m->rank == -1 || m->rank == rank ? rank : -2;
    return 0;
}

int az_nsys_read_mpi(struct az_nsys_db *x)
{
    static const char *const tables[] = {
        "MPI_P2P_EVENTS",   "MPI_COLLECTIVES_EVENTS", "MPI_START_WAIT_EVENTS",
        "MPI_OTHER_EVENTS", "UCP_SUBMIT_EVENTS",      "UCP_PROGRESS_EVENTS",
        "UCP_EVENTS"
    };
    static const struct az_nsys_column want[N] = {
        { "start", true }, { "end", true }, { "globalTid", true }, { "textId", true }
    };
    static const struct az_nsys_column rank[] = { { "rank", true } };
    struct mpi m = { .rank = -1 };
    int rc = 0;
    az_map_init(&m.name, x->job->mem, 16);
    for (size_t i = 0; i < x->t->ranges.n; i++) /* ids of NVTX ranges are rows of their table */
        m.id = x->t->ranges.v[i].id > m.id ? x->t->ranges.v[i].id : m.id;
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(tables); i++) {
        m.ucx = tables[i][0] == 'U';
        rc = az_nsys_each(x, tables[i], want, N, take_call, &m);
    }
    if (rc == 0)
        rc = az_nsys_each(x, "MPI_RANKS", rank, 1, take_rank, &m);
    az_map_release(&m.name);
    if (m.rank >= 0 && x->t->rank < 0)
        x->t->rank = m.rank;
    return rc;
}
