/* Identities of an SQLite export: string ids to names, processes and threads to lanes. */
#include "formats/nsys/nsys_sqlite.h"

/* ---- names ---- */

/* StringIds is searched by its key, one row per distinct id: what is never used (symbols of
 * call chains) is never read. A table without that key is read whole, once. */
static bool id_is_key(struct az_nsys_db *x)
{
    sqlite3_stmt *st = NULL;
    bool key = false;
    if (az_sqlite_prepare(&x->file, "PRAGMA table_info(\"StringIds\")", &st) == SQLITE_OK)
        while (az_sqlite_step(&x->file, st) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(st, 1);
            if (name && strcmp(name, "id") == 0)
                key = sqlite3_column_int(st, 5) == 1;
        }
    sqlite3_finalize(st);
    return key;
}

static int remember(struct az_nsys_names *names, int64_t string_id, uint32_t id)
{
    uint64_t key = (uint64_t)string_id;
    if (key < NSYS_DENSE_IDS) {
        while (names->dense.n <= key) {
            int rc = az_vec_push(&names->dense, AZ_NO_ID);
            if (rc != 0)
                return rc;
        }
        names->dense.v[key] = id;
        return 0;
    }
    uint32_t *value;
    bool added;
    int rc = az_map_put(&names->sparse, key, 0, id, &value, &added);
    if (rc == 0)
        *value = id;
    return rc;
}

static uint32_t recall(const struct az_nsys_names *names, int64_t string_id)
{
    uint64_t key = (uint64_t)string_id;
    if (key < NSYS_DENSE_IDS)
        return key < names->dense.n ? names->dense.v[key] : AZ_NO_ID;
    return az_map_get(&names->sparse, key, 0);
}

static int take_string(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    (void)ctx;
    if (az_nsys_is_null(r, 1) || recall(&x->names, az_nsys_i64(r, 0)) != AZ_NO_ID)
        return 0;
    return remember(&x->names, az_nsys_i64(r, 0), az_trace_name(x->t, az_nsys_text(r, 1)));
}

static int load_all_strings(struct az_nsys_db *x)
{
    static const struct az_nsys_column want[] = { { "id", true }, { "value", true } };
    return az_nsys_each(x, "StringIds", want, 2, take_string, NULL);
}

int az_nsys_strings_open(struct az_nsys_db *x)
{
    if (!az_nsys_has_table(x, "StringIds")) {
        az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                    "missing table 'StringIds': every name is [Unknown]");
        return 0;
    }
    if (!id_is_key(x))
        return load_all_strings(x);
    int rc = sqlite3_prepare_v3(x->db, "SELECT value FROM StringIds WHERE id=?1", -1,
                                SQLITE_PREPARE_PERSISTENT, &x->string, NULL);
    if (rc != SQLITE_OK)
        az_diag_add(x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
                    "cannot read table 'StringIds': every name is [Unknown] (%s)",
                    sqlite3_errmsg(x->db));
    else
        (void)az_texts_open(&x->texts, &x->file, "StringIds", "id", "value");
    return rc == SQLITE_NOMEM ? AZ_ENOMEM : 0;
}

/* "cudaMemcpyAsync_v3020" without its suffix; "cudaGraphLaunch_v10000" has it, as the profiler's
 * own reports do. */
static struct az_sv without_version(struct az_sv name)
{
    if (name.n >= 6 && memcmp(name.p + name.n - 6, "_v", 2) == 0)
        name.n -= 6;
    return name;
}

static int string_damaged(struct az_nsys_db *x, int rc)
{
    if ((rc & 0xff) == SQLITE_INTERRUPT)
        return az_sqlite_error(&x->file, rc);
    if ((rc & 0xff) == SQLITE_NOMEM)
        return AZ_ENOMEM;
    if (!x->partial)
        az_diag_add(
            x->job->diag, AZ_WARNING, AZ_AT_FILE(x->path),
            "table 'StringIds' is damaged: some names are [Unknown] (%s); export the report again",
            sqlite3_errmsg(x->db));
    x->partial = true;
    return 0;
}

/* The text of a string id, valid to the next call; found = false if there is none. */
static int string_text(struct az_nsys_db *x, int64_t string_id, struct az_sv *text, bool *found)
{
    *found = false;
    if (!x->string) {
        uint32_t id = recall(&x->names, string_id);
        *found = id != AZ_NO_ID;
        *text = az_trace_text(x->t, id);
        return 0;
    }
    if ((*found = az_texts_get(&x->texts, string_id, text)))
        return 0;
    (void)sqlite3_reset(x->string);
    (void)sqlite3_bind_int64(x->string, 1, string_id);
    int rc = az_sqlite_step(&x->file, x->string);
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return string_damaged(x, rc);
    x->file.suspect |= rc == SQLITE_DONE; /* an export has every name */
    if (rc == SQLITE_DONE)
        return 0;
    const char *p = (const char *)sqlite3_column_text(x->string, 0);
    int n = sqlite3_column_bytes(x->string, 0);
    *found = p != NULL;
    *text = az_sv_make(p ? p : "", n > 0 ? (size_t)n : 0);
    return 0;
}

int az_nsys_name_fetch(struct az_nsys_db *x, struct az_nsys_names *names, int64_t string_id,
                       uint32_t *id)
{
    *id = recall(names, string_id);
    if (*id != AZ_NO_ID)
        return 0;
    struct az_sv text;
    bool found;
    int rc = string_text(x, string_id, &text, &found);
    if (rc)
        return rc;
    if (found)
        *id = az_trace_name(x->t, names->cut_version ? without_version(text) : text);
    else
        *id = x->unknown = az_trace_name(x->t, AZ_SV("[Unknown]"));
    return x->t->names.error ? x->t->names.error : remember(names, string_id, *id);
}

/* ---- lanes ---- */

static size_t lane_slot(const struct az_nsys_lane_key *k)
{
    uint64_t h = k->proc ^ (k->proc >> 24) ^ k->context * 0x9e3779b97f4a7c15u ^
                 k->stream * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)k->device * 0x165667b19e3779f9u;
    h *= 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 32) % NSYS_LANE_CACHE;
}

static bool same_lane(const struct az_nsys_lane_key *a, const struct az_nsys_lane_key *b)
{
    return a->proc == b->proc && a->context == b->context && a->stream == b->stream &&
           a->device == b->device;
}

/* The index of a lane through a small cache: rows come in runs of few lanes, and most are of that
 * of the row before. */
static bool known_lane(struct az_nsys_db *x, const struct az_nsys_lane_key *key, uint32_t *index)
{
    const struct az_nsys_known_lane *l = &x->lanes[x->last_lane];
    if (!l->used || !same_lane(&l->key, key)) {
        x->last_lane = lane_slot(key);
        l = &x->lanes[x->last_lane];
    }
    *index = l->lane;
    return l->used && same_lane(&l->key, key);
}

static int cached_lane(struct az_nsys_db *x, const struct az_nsys_lane_key *key,
                       const struct az_lane *lane, uint32_t *index)
{
    int rc = az_trace_lane(x->t, lane, index);
    if (rc == 0)
        x->lanes[lane_slot(key)] = (struct az_nsys_known_lane){ *key, *index, true };
    return rc;
}

int az_nsys_device_lane(struct az_nsys_db *x, uint64_t global_pid, int64_t device, uint64_t context,
                        uint64_t stream, uint32_t *lane)
{
    struct az_nsys_lane_key key = {
        .proc = global_pid, .context = context, .stream = stream, .device = device
    };
    if (known_lane(x, &key, lane))
        return 0;
    struct az_lane l = { .device_side = true,
                         .pid = NSYS_PID(global_pid),
                         .tid = stream,
                         .device = device,
                         .context = context,
                         .proc = x->one_process ? 0 : NSYS_PROC(global_pid),
                         .label = AZ_NO_ID };
    return cached_lane(x, &key, &l, lane);
}

int az_nsys_host_lane(struct az_nsys_db *x, uint64_t global_tid, uint32_t *lane)
{
    struct az_nsys_lane_key key = { .stream = global_tid, .device = -1 };
    if (known_lane(x, &key, lane))
        return 0;
    struct az_lane l = { .pid = NSYS_PID(global_tid),
                         .tid = NSYS_TID(global_tid),
                         .device = -1,
                         .proc = x->one_process ? 0 : NSYS_PROC(global_tid),
                         .thread = global_tid,
                         .label = az_map_get(&x->thread_names, global_tid, 0) };
    return cached_lane(x, &key, &l, lane);
}

bool az_nsys_without_time(struct az_nsys_db *x, const struct az_nsys_row *r, int start, int end,
                          enum az_kind kind)
{
    for (int i = start; i <= end; i++) {
        if (az_nsys_is_number(r, i))
            continue;
        x->t->read++;
        az_trace_lost(x->t, kind, "rows without a start or an end", 1, 0);
        return true;
    }
    return false;
}

int az_nsys_add(struct az_nsys_db *x, enum az_kind kind, const struct az_event *e)
{
    if (e->end < e->start && kind <= AZ_GRAPH) {
        az_trace_impossible(x->t, kind, e->start, e->end);
        return 0;
    }
    if (e->end < e->start) {
        az_trace_lost(x->t, kind, "event that ends before it starts", 1, 0);
        return 0;
    }
    return az_trace_add(x->t, kind, e);
}
