/* The machine that a file of rocprofv3 was recorded on: its name and its id. CSV files have
 * neither. */
#include "formats/rocm/rocprof_machine.h"

#include "formats/shared/sqlite_open.h"
#include "io/source.h"
#include "text/jsonscan.h"

/* Names without their id are no evidence: containers have equal ones. */
static int join_names(struct az_arena *a, struct az_sv host, struct az_sv id, struct az_sv *machine)
{
    if (host.n && id.n)
        *machine = az_arena_printf(a, "%.*s %.*s", AZ_SVF(host), AZ_SVF(id));
    return a->failed ? az_arena_error(a) : AZ_OK;
}

static struct az_sv text_of(sqlite3_stmt *st, int column)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    return az_sv_str(text ? text : "");
}

/* The first row of the first table of nodes. */
static int read_node(struct az_sqlite *x, struct az_arena *a, struct az_sv *machine)
{
    sqlite3_stmt *names = NULL, *node = NULL;
    int rc = AZ_OK;
    if (az_sqlite_prepare(x,
                          "SELECT name FROM sqlite_master WHERE type='table' AND "
                          "name>='rocpd_info_node' AND name<'rocpd_info_nodf' ORDER BY name",
                          &names) == SQLITE_OK &&
        az_sqlite_step(x, names) == SQLITE_ROW) {
        char *sql = sqlite3_mprintf("SELECT hostname,machine_id FROM \"%w\" LIMIT 1",
                                    sqlite3_column_text(names, 0));
        if (sql && az_sqlite_prepare(x, sql, &node) == SQLITE_OK &&
            az_sqlite_step(x, node) == SQLITE_ROW)
            rc = join_names(a, text_of(node, 0), text_of(node, 1), machine);
        sqlite3_free(sql);
    }
    sqlite3_finalize(node);
    sqlite3_finalize(names);
    return rc;
}

int az_rocpd_machine(struct az_sv path, struct az_arena *a, struct az_sv *machine)
{
    static const struct az_sqlite_kind kind = { .expected = "a rocpd database",
                                                .again = "record it again" };
    const struct az_file file = { .path = path };
    struct az_diag silent; /* the file is opened again when it is read */
    struct az_mem mem;
    struct az_sqlite x;
    az_diag_init(&silent);
    az_mem_init(&mem, 0);
    struct az_parse job = {
        .files = &file, .n_files = 1, .diag = &silent, .mem = &mem, .threads = 1
    };
    *machine = AZ_SV("");
    int rc = az_sqlite_open(&x, &job, &kind, path);
    rc = rc == 0 ? read_node(&x, a, machine) : rc == AZ_ENOMEM ? rc : AZ_OK;
    az_sqlite_close(&x);
    az_diag_release(&silent);
    return rc;
}

#define HEAD ((size_t)64 << 10)

/* The first object `node` of the head of the document. */
static int node_of_head(struct az_sv head, struct az_arena *a, struct az_sv *machine)
{
    const ptrdiff_t at = az_sv_find(head, AZ_SV("\"node\""));
    struct az_sv rest = az_sv_make(head.p + (at < 0 ? 0 : at), at < 0 ? 0 : head.n - (size_t)at);
    const ptrdiff_t from = az_sv_find(rest, AZ_SV("{")), to = az_sv_find(rest, AZ_SV("}"));
    struct az_sv key, value, host = AZ_SV(""), id = AZ_SV("");
    struct az_jview object;
    if (from < 0 || to < from ||
        !az_jview_object(&object, az_sv_make(rest.p + from, (size_t)(to - from + 1))))
        return AZ_OK;
    while (az_jview_member(&object, &key, &value)) {
        if (az_sv_is(key, "hostname"))
            host = az_json_text(a, value);
        else if (az_sv_is(key, "machine_id"))
            id = az_json_text(a, value);
    }
    return join_names(a, host, id, machine);
}

int az_rocprof_machine(struct az_sv path, struct az_arena *a, struct az_sv *machine)
{
    struct az_source *src = NULL;
    struct az_sv head = AZ_SV("");
    *machine = AZ_SV("");
    int rc = az_source_open(&src, path.p, NULL);
    if (rc == 0)
        rc = az_source_peek(src, HEAD, &head);
    const int error = rc == 0 ? node_of_head(head, a, machine) : AZ_OK;
    az_source_close(src);
    return rc == AZ_ENOMEM ? rc : error;
}
