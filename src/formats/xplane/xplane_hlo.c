/* XPlane: modules of /host:metadata, and the join of device events to their instructions by
 * (program, instruction name). Names of modules repeat, so that they never serve as a key. */
#include <inttypes.h>

#include "base/num.h"
#include "base/sort.h"
#include "formats/xplane/xplane.h"
#include "io/path.h"

int az_xplane_modules(struct az_xplane *r)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->metas.n; i++) {
        const struct az_xplane_meta *m = &r->metas.v[i];
        struct az_xplane_module row = { .program = m->id, .name = m->name, .proto = { NULL, 0 } };
        struct az_protobuf body = az_protobuf_of(m->body);
        struct az_xplane_value v;
        while ((rc = az_xplane_next_stat(r, &body, 5, &v)) > 0)
            if (v.role == XP_HLO_PROTO && v.bytes.n)
                row.proto = v.bytes;
        if (rc == 0)
            rc = az_vec_push(&r->modules, row);
    }
    return rc;
}

/* ---- a module as a list of instructions ---- */

static int add_instruction(struct az_xplane_hlo *h, struct az_sv body)
{
    struct az_protobuf m = az_protobuf_of(body);
    struct az_xplane_instr row = { .body = body, .name = { "", 0 } };
    struct az_sv b = { NULL, 0 };
    uint32_t f, *at;
    unsigned wire;
    uint64_t v = 0;
    bool added;
    int rc;
    while ((rc = az_protobuf_next(&m, &f, &wire, &v, &b)) > 0) {
        if (f == 1 && wire == AZ_PROTOBUF_BYTES)
            row.name = b;
        else if (f == 35 && wire == AZ_PROTOBUF_INT)
            row.id = v;
    }
    if (rc == 0)
        rc = az_map_put(&h->by_id, row.id, 0, (uint32_t)h->instrs.n, &at, &added);
    if (rc == 0)
        rc = az_map_put(&h->by_name, az_hash(row.name.p, row.name.n), row.name.n,
                        (uint32_t)h->instrs.n, &at, &added);
    return rc ? rc : az_vec_push(&h->instrs, row);
}

static int add_computation(struct az_xplane_hlo *h, struct az_sv bytes)
{
    struct az_protobuf m = az_protobuf_of(bytes);
    struct az_xplane_computation row = { .first = h->instrs.n };
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v = 0;
    int rc = AZ_OK, next = 0;
    while (rc == 0 && (next = az_protobuf_next(&m, &f, &wire, &v, &b)) > 0) {
        if (f == 2 && wire == AZ_PROTOBUF_BYTES)
            rc = add_instruction(h, b);
        else if (f == 5 && wire == AZ_PROTOBUF_INT)
            row.id = v;
    }
    row.n = h->instrs.n - row.first;
    if (rc == 0)
        rc = next;
    return rc ? rc : az_vec_push(&h->computations, row);
}

static int open_module(struct az_xplane_hlo *h, struct az_trace *t, struct az_sv proto)
{
    const struct az_sv module = az_protobuf_find(proto, 1);
    struct az_protobuf m = az_protobuf_of(module);
    struct az_sv b = { NULL, 0 };
    uint32_t f;
    unsigned wire;
    uint64_t v;
    int next = 0;
    *h = (struct az_xplane_hlo){ .t = t };
    az_vec_init(&h->instrs, t->mem);
    az_vec_init(&h->computations, t->mem);
    az_map_init(&h->by_id, t->mem, 256);
    int rc = 0;
    az_map_init(&h->by_name, t->mem, 256);
    if (!module.p)
        rc = AZ_EFORMAT;
    while (rc == 0 && (next = az_protobuf_next(&m, &f, &wire, &v, &b)) > 0)
        if (f == 3 && wire == AZ_PROTOBUF_BYTES)
            rc = add_computation(h, b);
    return rc ? rc : next;
}

static void close_module(struct az_xplane_hlo *h)
{
    az_vec_release(&h->instrs);
    az_vec_release(&h->computations);
    az_map_release(&h->by_id);
    az_map_release(&h->by_name);
}

static const struct az_xplane_instr *by_name(const struct az_xplane_hlo *h, struct az_sv name)
{
    const uint32_t i = az_map_get(&h->by_name, az_hash(name.p, name.n), name.n);
    return i != AZ_NO_ID && az_sv_eq(h->instrs.v[i].name, name) ? &h->instrs.v[i] : NULL;
}

/* ---- asynchronous aliases ---- */

/* "all-gather.12" -> "all-gather" and 12; 0 without a number. */
static struct az_sv family_name(struct az_sv name, uint64_t *number)
{
    size_t n = name.n;
    *number = 0;
    while (n && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
        n--;
    if (n == name.n || n == 0 || name.p[n - 1] != '.')
        return name;
    for (size_t i = n; i < name.n && *number < UINT64_MAX / 16; i++)
        *number = *number * 10 + (uint64_t)(name.p[i] - '0');
    return az_sv_make(name.p, n - 1);
}

struct alias {
    uint64_t number;
    struct az_sv name;
    uint32_t index;
};
AZ_VEC(struct alias, aliases);

static int alias_order(const void *a, const void *b, void *ctx)
{
    const struct alias *x = a, *y = b;
    (void)ctx;
    return x->number != y->number ? (x->number < y->number ? -1 : 1) : az_sv_cmp(x->name, y->name);
}

/* Instructions named FAMILY + suffix, in order of their numbers. */
static int candidates(const struct az_xplane_hlo *h, struct az_sv family, struct az_sv suffix,
                      struct aliases *out)
{
    int rc = AZ_OK;
    az_vec_reset(out);
    for (size_t i = 0; rc == 0 && i < h->instrs.n; i++) {
        struct alias a = { .name = h->instrs.v[i].name, .index = (uint32_t)i };
        const struct az_sv base = family_name(a.name, &a.number);
        if (base.n == family.n + suffix.n && az_sv_starts(base, family) && az_sv_ends(base, suffix))
            rc = az_vec_push(out, a);
    }
    az_sort_cmp(out->v, out->n, sizeof *out->v, alias_order, NULL, h->t->mem);
    return rc;
}

struct group { /* rows of one program */
    const uint32_t *row;
    size_t n;
};

/* Position of an op among the ops of its family in the trace, by number. */
static size_t position(const struct az_xplane *r, const struct group *g, struct az_sv name)
{
    struct alias own = { .name = name };
    const struct az_sv family = family_name(name, &own.number);
    size_t before = 0;
    struct az_sv seen = { NULL, 0 };
    for (size_t i = 0; i < g->n; i++) { /* rows of a program are ordered by op */
        struct alias a = { .name = az_trace_text(r->t, r->x->rows.v[g->row[i]].op) };
        if (!az_sv_eq(family_name(a.name, &a.number), family) || (seen.p && az_sv_eq(a.name, seen)))
            continue;
        seen = a.name;
        before += alias_order(&a, &own, NULL) < 0;
    }
    return before;
}

static int find_alias(const struct az_xplane *r, const struct az_xplane_hlo *h,
                      const struct group *g, struct az_sv name, const struct az_xplane_instr **out)
{
    static const char *const families[] = { "all-gather", "all-to-all", "reduce-scatter",
                                            "all-reduce", "collective-permute" };
    struct aliases list;
    uint64_t number;
    const struct az_sv family = family_name(name, &number);
    bool known = false;
    int rc = AZ_OK;
    for (size_t i = 0; i < AZ_LENGTH(families); i++)
        known = known || az_sv_is(family, families[i]);
    if (!known)
        return AZ_OK;
    az_vec_init(&list, h->t->mem);
    rc = candidates(h, family, AZ_SV("-start"), &list);
    if (rc == 0 && list.n == 0)
        rc = candidates(h, family, AZ_SV("-done"), &list);
    if (rc == 0 && list.n) {
        const size_t at = list.n == 1 ? 0 : position(r, g, name);
        if (at < list.n)
            *out = &h->instrs.v[list.v[at].index];
    }
    az_vec_release(&list);
    return rc;
}

/* ---- join ---- */

static const struct az_xplane_module *module_of(const struct az_xplane *r, uint64_t program)
{
    for (size_t i = 0; i < r->modules.n; i++)
        if (r->modules.v[i].program == program)
            return &r->modules.v[i];
    return NULL;
}

/* "<module>(<program>).hlo_proto.pb" next to the profile, where the file itself does not contain
 * the program. */
static int sidecar(struct az_xplane *r, const struct az_xrow *row, struct az_sv *proto)
{
    struct az_arena *a = &r->t->arena;
    struct az_sv module = az_trace_text(r->t, row->module);
    struct az_source_opts so = { .mem = r->job->mem, .diag = r->job->diag };
    struct az_source *src = NULL;
    *proto = (struct az_sv){ NULL, 0 };
    if (module.n == 0 || module.n > 512 || memchr(module.p, '/', module.n) ||
        memchr(module.p, 0, module.n))
        return AZ_OK;
    const struct az_sv name =
        az_arena_printf(a, "%.*s(%" PRId64 ").hlo_proto.pb", AZ_SVF(module), (int64_t)row->program);
    const struct az_sv path = name.p ? az_path_join(a, az_path_dir(r->path), name) : name;
    if (!path.p)
        return az_arena_error(a);
    if (az_path_stat(path.p).kind != AZ_PATH_FILE)
        return AZ_OK;
    int rc = az_source_open(&src, path.p, &so);
    if (rc == 0)
        rc = az_source_all(src, a, 0, proto);
    az_source_close(src);
    return rc == AZ_EIO || rc == AZ_EFORMAT ? AZ_OK
                                            : rc; /* reported already; the profile is still good */
}

/* Decodes what one row belongs to; rows of the same op share it. */
static int join_row(struct az_xplane *r, const struct az_xplane_hlo *h, const struct group *g,
                    struct az_xrow *row, const struct az_xrow *before)
{
    const struct az_sv name = az_trace_text(r->t, row->op);
    if (before && before->op == row->op) {
        row->hlo = before->hlo;
        return AZ_OK;
    }
    const struct az_xplane_instr *i = by_name(h, name);
    int rc = i ? AZ_OK : find_alias(r, h, g, name, &i);
    if (rc || !i)
        return rc;
    struct az_hlo_op op = { .program = row->program,
                            .module = az_trace_text(r->t, row->module),
                            .name = name };
    rc = az_xplane_decode(h, i, &op);
    if (rc)
        return rc;
    row->hlo = (uint32_t)r->x->hlo.n;
    return az_vec_push(&r->x->hlo, op);
}

static int join_program(struct az_xplane *r, const struct group *g)
{
    struct az_xrow *first = &r->x->rows.v[g->row[0]], *before = NULL;
    const struct az_xplane_module *m = module_of(r, first->program);
    struct az_sv proto = m ? m->proto : (struct az_sv){ NULL, 0 };
    struct az_xplane_hlo h;
    int rc = proto.p ? AZ_OK : sidecar(r, first, &proto);
    if (rc || !proto.p)
        return rc;
    rc = open_module(&h, r->t, proto);
    for (size_t i = 0; rc == 0 && i < g->n; i++) {
        struct az_xrow *row = &r->x->rows.v[g->row[i]];
        rc = join_row(r, &h, g, row, before);
        before = row;
    }
    close_module(&h);
    if (rc == AZ_EFORMAT) { /* the events stand without it */
        az_diag_add(r->job->diag, AZ_WARNING, AZ_AT_FILE(r->path),
                    "the program '%.*s' (%" PRIu64
                    ") in this file is damaged: shapes of its operations are missing",
                    AZ_SVF(az_trace_text(r->t, first->module)), first->program);
        rc = AZ_OK;
    }
    return rc;
}

int az_xplane_join(struct az_xplane *r)
{
    struct az_xtrace *x = r->x;
    const size_t n = x->rows.n;
    int64_t *key = az_mem_alloc(r->job->mem, (n + 1) * sizeof *key);
    uint32_t *order = az_mem_alloc(r->job->mem, (n + 1) * sizeof *order);
    int rc = key && order ? AZ_OK : az_mem_error(r->job->mem);
    size_t used = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        key[i] = x->rows.v[i].op;
        if (x->rows.v[i].has_program && x->rows.v[i].op != AZ_NO_ID &&
            x->rows.v[i].category == AZ_NO_ID)
            order[used++] = (uint32_t)i;
    }
    if (rc == 0)
        az_sort_by(key, order, used, r->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++)
        key[i] = (int64_t)x->rows.v[i].program;
    if (rc == 0)
        az_sort_by(key, order, used, r->job->mem);
    for (size_t i = 0, k; rc == 0 && i < used; i = k) {
        for (k = i + 1; k < used && key[order[k]] == key[order[i]]; k++)
            ;
        const struct group g = { order + i, k - i };
        rc = join_program(r, &g);
    }
    az_mem_free(r->job->mem, key, (n + 1) * sizeof *key);
    az_mem_free(r->job->mem, order, (n + 1) * sizeof *order);
    return rc;
}

/* ---- kernels by their metadata ---- */

static bool holds_any(struct az_sv text, struct az_sv words)
{
    while (words.n) {
        const struct az_sv one = az_sv_trim(az_sv_cut(&words, ' '));
        if (one.n && az_sv_find(text, one) >= 0)
            return true;
    }
    return false;
}

/* The framework's name of the operation, by the program or by the event itself, and the line it was
 * written on. */
static bool row_is_wanted(const struct az_xplane *r, const struct az_xrow *row)
{
    const struct az_sv words = r->job->opts->keyword_filters;
    const struct az_hlo_op *op = row->hlo != AZ_NO_ROW ? &r->x->hlo.v[row->hlo] : NULL;
    return (op && (holds_any(op->scope, words) || holds_any(op->source, words))) ||
           (row->scope != AZ_NO_ID && holds_any(az_trace_text(r->t, row->scope), words));
}

int az_xplane_filter(struct az_xplane *r)
{
    struct az_events *e = &r->t->ev[AZ_KERNEL];
    const size_t n = e->n;
    uint64_t dropped = 0;
    int64_t ticks = 0;
    if (az_sv_trim(r->job->opts->keyword_filters).n == 0 || n == 0)
        return AZ_OK;
    uint8_t *gone = az_mem_alloc(r->job->mem, n),
            *wanted = az_mem_alloc(r->job->mem, r->x->rows.n + 1);
    int rc = gone && wanted ? AZ_OK : az_mem_error(r->job->mem);
    for (size_t i = 0; rc == 0 && i < r->x->rows.n; i++)
        wanted[i] = row_is_wanted(r, &r->x->rows.v[i]);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        gone[i] = !e->node[i] || !wanted[e->node[i] - 1];
        dropped += gone[i];
        ticks = gone[i] ? az_add_sat(ticks, e->end[i] - e->start[i]) : ticks;
    }
    if (rc == 0)
        rc = az_trace_replace(r->t, AZ_KERNEL, gone, NULL, 0);
    if (rc == 0 && dropped) {
        az_trace_dropped(r->t, AZ_DROP_FILTERED,
                         "kernels excluded by kernel_metadata_keyword_filters", dropped, ticks);
        r->t->kept -= dropped;
    }
    az_mem_free(r->job->mem, gone, n);
    az_mem_free(r->job->mem, wanted, r->x->rows.n + 1);
    return rc;
}
