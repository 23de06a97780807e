/* A part of a framework trace appended to the whole: side tables first, then the columns with their
 * numbers translated.
 */
#include "model/append.h"

#include "base/num.h"

struct joint {
    struct az_trace *whole, *part;
    const struct az_append *map;
    uint32_t *args, *colls;      /* row of the part -> of the whole */
    uint32_t *geo;               /* the same, both from 1 on */
    uint32_t ops, copies, syncs; /* rows of the whole before: what is added to the part's */
};

static uint32_t name_of(const struct joint *j, uint32_t id)
{
    return id == AZ_NO_ID ? id : j->map->name[id];
}

static int join_args(struct joint *j)
{
    const struct az_op_arg_rows *from = &az_optrace(j->part)->args;
    for (size_t i = 0; i < from->n; i++) {
        const struct az_op_args a = { name_of(j, from->v[i].dims), name_of(j, from->v[i].types),
                                      name_of(j, from->v[i].strides),
                                      name_of(j, from->v[i].concrete), AZ_NO_ID };
        int rc = az_optrace_args(j->whole, &a, &j->args[i]);
        if (rc)
            return rc;
    }
    return 0;
}

static int join_colls(struct joint *j)
{
    const struct az_coll_rows *from = &az_optrace(j->part)->colls;
    for (size_t i = 0; i < from->n; i++) {
        struct az_coll_args a = from->v[i];
        uint32_t *const names[] = { &a.name,    &a.in_nelems, &a.out_nelems, &a.group_size,
                                    &a.dtype,   &a.in_split,  &a.out_split,  &a.pg_name,
                                    &a.pg_desc, &a.pg_ranks };
        for (size_t k = 0; k < AZ_LENGTH(names); k++)
            *names[k] = name_of(j, *names[k]);
        int rc = az_optrace_coll(j->whole, &a, &j->colls[i]);
        if (rc)
            return rc;
    }
    return 0;
}

static int join_sources(struct joint *j)
{
    struct az_coll_sources *to = &az_optrace(j->whole)->coll_sources,
                           *from = &az_optrace(j->part)->coll_sources;
    int rc = az_vec_reserve(to, from->n);
    for (size_t i = 0; rc == 0 && i < from->n; i++) {
        const struct az_coll_source s = from->v[i];
        to->v[to->n++] =
            (struct az_coll_source){ .uid = s.uid + j->map->uid,
                                     .coll = s.coll == AZ_NO_ROW ? AZ_NO_ROW : j->colls[s.coll],
                                     .args = s.args == AZ_NO_ROW ? AZ_NO_ROW : j->args[s.args] };
    }
    return rc;
}

static int join_files(struct joint *j)
{
    const struct az_op_files *from = &az_optrace(j->part)->op_files;
    struct az_op_files *to = &az_optrace(j->whole)->op_files;
    int rc = az_vec_reserve(to, from->n);
    for (size_t i = 0; rc == 0 && i < from->n; i++)
        to->v[to->n++] = (struct az_op_file){ .uid = from->v[i].uid + j->map->uid,
                                              .path = name_of(j, from->v[i].path) };
    return rc;
}

static int join_graph_nodes(struct joint *j)
{
    const struct az_graph_nodes *from = &az_optrace(j->part)->graph_nodes;
    struct az_graph_nodes *to = &az_optrace(j->whole)->graph_nodes;
    int rc = az_vec_reserve(to, from->n);
    for (size_t i = 0; rc == 0 && i < from->n; i++)
        to->v[to->n++] = (struct az_graph_node){ .uid = from->v[i].uid + j->map->uid,
                                                 .module = name_of(j, from->v[i].module),
                                                 .id = from->v[i].id };
    return rc;
}

static int join_graph_waits(struct joint *j)
{
    struct az_optrace *to = az_optrace(j->whole), *from = az_optrace(j->part);
    int rc = az_vec_reserve(&to->graph_waits, from->graph_waits.n);
    if (rc == 0)
        rc = az_vec_reserve(&to->graph_passes, from->graph_passes.n);
    for (size_t i = 0; rc == 0 && i < from->graph_waits.n; i++) {
        struct az_graph_wait w = from->graph_waits.v[i];
        w.lane = j->map->lane[w.lane];
        to->graph_waits.v[to->graph_waits.n++] = w;
    }
    for (size_t i = 0; rc == 0 && i < from->graph_passes.n; i++) {
        struct az_graph_pass x = from->graph_passes.v[i];
        x.lane = j->map->lane[x.lane];
        to->graph_passes.v[to->graph_passes.n++] = x;
    }
    to->logical_lanes += from->logical_lanes;
    return rc;
}

static int join_geometries(struct joint *j)
{
    const struct az_geometry_rows *from = &j->part->geometries.rows;
    int rc = 0;
    j->geo[0] = 0;
    for (size_t i = 0; rc == 0 && i < from->n; i++)
        rc = az_geometries_put(&j->whole->geometries, &from->v[i], &j->geo[i + 1]);
    return rc;
}

/* Rows that events number: operators, copies and waits. */
static int join_rows(struct joint *j)
{
    struct az_optrace *to = az_optrace(j->whole), *from = az_optrace(j->part);
    int rc = az_vec_reserve(&to->ops, from->ops.n);
    if (rc == 0)
        rc = az_vec_reserve(&j->whole->copies, j->part->copies.n);
    if (rc == 0)
        rc = az_vec_reserve(&to->syncs, from->syncs.n);
    if (rc)
        return rc;
    j->ops = (uint32_t)to->ops.n;
    j->copies = (uint32_t)j->whole->copies.n;
    j->syncs = (uint32_t)to->syncs.n;
    for (size_t i = 0; i < from->syncs.n; i++)
        to->syncs.v[to->syncs.n++] = from->syncs.v[i];
    for (size_t i = 0; i < from->ops.n; i++) {
        struct az_op op = from->ops.v[i];
        op.args = op.args == AZ_NO_ROW ? AZ_NO_ROW : j->args[op.args];
        op.seq -= op.seq < -1 ? (int32_t)to->long_seqs.n : 0;
        to->ops.v[to->ops.n++] = op;
    }
    for (size_t i = 0; i < j->part->copies.n; i++)
        j->whole->copies.v[j->whole->copies.n++] = j->part->copies.v[i];
    rc = to->long_seqs.n + from->long_seqs.n < INT32_MAX
             ? az_vec_reserve(&to->long_seqs, from->long_seqs.n)
             : AZ_ERANGE;
    for (size_t i = 0; rc == 0 && i < from->long_seqs.n; i++)
        to->long_seqs.v[to->long_seqs.n++] = from->long_seqs.v[i];
    az_vec_release(&from->ops);
    az_vec_release(&from->long_seqs);
    az_vec_release(&j->part->copies);
    return rc;
}

static int join_arrows(struct joint *j)
{
    struct az_optrace *to = az_optrace(j->whole), *from = az_optrace(j->part);
    int rc = az_vec_reserve(&to->flows, from->flows.n);
    if (rc == 0)
        rc = az_vec_reserve(&to->fwdbwd, from->fwdbwd.n);
    if (rc)
        return rc;
    for (size_t i = 0; i < from->flows.n; i++) {
        struct az_flow f = from->flows.v[i];
        f.lane = f.lane == AZ_NO_ROW ? AZ_NO_ROW : j->map->lane[f.lane];
        to->flows.v[to->flows.n++] = f;
    }
    for (size_t i = 0; i < from->fwdbwd.n; i++) {
        struct az_fwdbwd f = from->fwdbwd.v[i];
        f.lane = j->map->lane[f.lane];
        to->fwdbwd.v[to->fwdbwd.n++] = f;
    }
    return 0;
}

static int join_counters(struct joint *j)
{
    struct az_optrace *to = az_optrace(j->whole), *from = az_optrace(j->part);
    const uint32_t at = (uint32_t)to->counter_values.n;
    int rc = az_vec_reserve(&to->counters, from->counters.n);
    if (rc == 0)
        rc = az_vec_reserve(&to->counter_values, from->counter_values.n);
    if (rc)
        return rc;
    for (size_t i = 0; i < from->counters.n; i++) {
        struct az_counter_range c = from->counters.v[i];
        c.name = name_of(j, c.name);
        c.uid += j->map->uid;
        c.first += at;
        to->counters.v[to->counters.n++] = c;
    }
    for (size_t i = 0; i < from->counter_values.n; i++) {
        struct az_counter_value v = from->counter_values.v[i];
        v.name = name_of(j, v.name);
        to->counter_values.v[to->counter_values.n++] = v;
    }
    return 0;
}

static int join_samples(struct joint *j)
{
    const struct az_samples *from = &j->part->samples;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < from->rows.n; i++) {
        const struct az_sample *x = &from->rows.v[i];
        const struct az_sampled *c = &from->counters.v[x->counter];
        rc = az_trace_sample(j->whole, name_of(j, c->name), c->device, x->at, x->value);
    }
    j->whole->kept -= from->rows.n; /* the part has counted them */
    az_vec_release(&j->part->samples.rows);
    return rc;
}

static uint32_t side_of(const struct joint *j, enum az_kind k, uint32_t side)
{
    if (side == AZ_NO_ROW)
        return side;
    switch (k) {
    case AZ_HOST_OP:
        return side + j->ops;
    case AZ_KERNEL:
        return j->colls[side];
    case AZ_SYNC:
        return side + j->syncs;
    default:
        return side + j->copies;
    }
}

static int join_events(struct joint *j, enum az_kind k)
{
    struct az_events *to = &j->whole->ev[k], *from = &j->part->ev[k];
    const size_t n = from->n, at = to->n;
    int rc = az_trace_reserve(j->whole, k, n);
    if (rc || n == 0)
        return rc;
    memcpy(to->start + at, from->start, n * sizeof *to->start);
    memcpy(to->end + at, from->end, n * sizeof *to->end);
    if (to->cols & AZ_COL_CORR)
        memcpy(to->corr + at, from->corr, n * sizeof *to->corr);
    if (to->cols & AZ_COL_NODE)
        memcpy(to->node + at, from->node, n * sizeof *to->node);
    for (size_t i = 0; i < n; i++) {
        to->name[at + i] = name_of(j, from->name[i]);
        to->lane[at + i] = j->map->lane[from->lane[i]];
    }
    for (size_t i = 0; (to->cols & AZ_COL_SIDE) && i < n; i++)
        to->side[at + i] = side_of(j, k, from->side[i]);
    for (size_t i = 0; (to->cols & AZ_COL_UID) && i < n; i++)
        to->uid[at + i] = from->uid[i] + j->map->uid;
    for (size_t i = 0; (to->cols & AZ_COL_GEO) && i < n; i++)
        to->geo[at + i] = j->geo[from->geo[i]];
    to->n += n;
    az_trace_clear(j->part, k);
    return 0;
}

static int join_driver_calls(struct joint *j)
{
    const struct az_map *from = &az_optrace(j->part)->driver_calls;
    int rc = 0;
    for (size_t i = 0; rc == 0 && from->n && i <= from->mask; i++)
        if (from->cell[i].used)
            rc = az_optrace_driver(j->whole, j->map->name[from->cell[i].k0]);
    return rc;
}

static void join_counts(struct joint *j)
{
    struct az_optrace *to = az_optrace(j->whole), *from = az_optrace(j->part);
    to->has_flows |= from->has_flows;
    to->has_ops |= from->has_ops;
    j->whole->read += j->part->read;
    j->whole->kept += j->part->kept;
    j->whole->truncated |= j->part->truncated;
    j->whole->quality.impossible += j->part->quality.impossible;
    j->whole->quality.impossible_ticks =
        az_add_sat(j->whole->quality.impossible_ticks, j->part->quality.impossible_ticks);
    for (size_t i = 0; i < j->part->drops.n; i++)
        az_trace_drop_add(j->whole, &j->part->drops.v[i]);
}

int az_optrace_append(struct az_trace *whole, struct az_trace *part, const struct az_append *map)
{
    struct joint j = { .whole = whole, .part = part, .map = map };
    const size_t n_args = az_optrace(part)->args.n, n_colls = az_optrace(part)->colls.n,
                 n_geo = part->geometries.rows.n;
    j.args = az_mem_alloc(whole->mem, (n_args + 1) * sizeof *j.args);
    j.colls = az_mem_alloc(whole->mem, (n_colls + 1) * sizeof *j.colls);
    j.geo = az_mem_alloc(whole->mem, (n_geo + 1) * sizeof *j.geo);
    int rc = j.args && j.colls && j.geo ? 0 : az_mem_error(whole->mem);
    if (rc == 0)
        rc = join_args(&j);
    if (rc == 0)
        rc = join_geometries(&j);
    if (rc == 0)
        rc = join_colls(&j);
    if (rc == 0)
        rc = join_sources(&j);
    if (rc == 0)
        rc = join_files(&j);
    if (rc == 0)
        rc = join_graph_nodes(&j);
    if (rc == 0)
        rc = join_graph_waits(&j);
    if (rc == 0)
        rc = join_rows(&j);
    if (rc == 0)
        rc = join_arrows(&j);
    if (rc == 0)
        rc = join_driver_calls(&j);
    if (rc == 0)
        rc = join_counters(&j);
    if (rc == 0)
        rc = join_samples(&j);
    for (int k = 0; rc == 0 && k < AZ_KIND_COUNT; k++)
        rc = join_events(&j, (enum az_kind)k);
    if (rc == 0)
        join_counts(&j);
    az_mem_free(whole->mem, j.args, (n_args + 1) * sizeof *j.args);
    az_mem_free(whole->mem, j.colls, (n_colls + 1) * sizeof *j.colls);
    az_mem_free(whole->mem, j.geo, (n_geo + 1) * sizeof *j.geo);
    return rc;
}
