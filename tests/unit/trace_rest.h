/* What the text of a trace leaves out, for digests: rows of reports, what frameworks add. */
#ifndef AZ_UNIT_TRACE_REST_H
#define AZ_UNIT_TRACE_REST_H

#include <math.h>

#include "model/opreport.h"
#include "model/optrace.h"
#include "unit/trace_text.h"

static inline void put_report(FILE *o, const struct az_trace *t)
{
    const struct az_opreport *r = az_opreport(t);
    for (size_t i = 0; i < r->rows.n; i++) {
        const struct az_oprow *w = &r->rows.v[i];
        const double all[] = { w->kernel,    w->firmware, w->gap, w->pm_ideal, w->pm_compute,
                               w->pm_memory, w->pm_fpu,   w->noc, w->dram,     w->eth };
        fprintf(o, "row %u %d '%.*s' %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
                w->line, w->kind, AZ_SVF(text_name(t, w->code)), w->start, w->at, w->first, w->last,
                w->call);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            fprintf(o, isnan(all[k]) ? " -" : " %g", all[k]);
        fprintf(o, " args %u %u %d %d %d '%.*s' %d%d%d %d\n", w->args, w->replay, w->device,
                w->cores, w->budget, AZ_SVF(text_name(t, w->sub)), w->timed, w->impossible,
                w->cached, w->file);
    }
    for (size_t i = 0; i < r->args.n; i++) {
        const struct az_opargs *a = &r->args.v[i];
        const int32_t all[] = { a->block_w,         a->subblock_h,   a->subblock_w,
                                a->window_h,        a->window_w,     a->out_height_tiles,
                                a->act_block_tiles, a->num_links,    a->groups,
                                a->window,          a->nonzero,      a->dram_sharded,
                                a->double_buffer,   a->split_reader, a->causal,
                                a->linear,          a->sparse_a,     a->sparse_b };
        const uint32_t texts[] = { a->fidelity, a->halo_window,   a->halo_stride,
                                   a->halo_pad, a->halo_dilation, a->halo_layout };
        fputs("args", o);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            fprintf(o, " %d", all[k]);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            fprintf(o, " '%.*s'", AZ_SVF(text_name(t, texts[k])));
        for (size_t k = 0; k < AZ_TENSORS; k++)
            fprintf(o, " [%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " '%.*s' '%.*s']",
                    a->t[k].dim[0], a->t[k].dim[1], a->t[k].dim[2], a->t[k].dim[3],
                    AZ_SVF(text_name(t, a->t[k].type)), AZ_SVF(text_name(t, a->t[k].memory)));
        fputc('\n', o);
    }
    fprintf(o, "report '%.*s' '%.*s' %" PRId64 " %d%d %" PRId64 " %d%d%d%d%d\n", AZ_SVF(r->arch),
            AZ_SVF(r->version), r->workers, r->budgets_differ, r->replayed, r->devices,
            r->names_arch, r->has_host_start, r->has_device, r->has_firmware, r->call_has_device);
}

static inline void put_framework(FILE *o, const struct az_trace *t)
{
    const struct az_optrace *x = az_optrace(t);
    const struct az_calltree *c = x->tree;
    for (size_t i = 0; i < x->ops.n; i++)
        fprintf(o, "op %u seq %" PRId64 "\n", x->ops.v[i].args, az_op_seq(x, (uint32_t)i));
    for (size_t i = 0; i < x->args.n; i++) {
        const struct az_op_args *a = &x->args.v[i];
        fprintf(o, "args '%.*s' '%.*s' '%.*s' '%.*s' '%.*s'\n", AZ_SVF(text_name(t, a->dims)),
                AZ_SVF(text_name(t, a->types)), AZ_SVF(text_name(t, a->strides)),
                AZ_SVF(text_name(t, a->concrete)), AZ_SVF(text_name(t, a->facts)));
    }
    for (size_t i = 0; i < x->colls.n; i++) {
        const struct az_coll_args *a = &x->colls.v[i];
        const uint32_t all[] = { a->name,    a->in_nelems, a->out_nelems, a->group_size,
                                 a->dtype,   a->in_split,  a->out_split,  a->pg_name,
                                 a->pg_desc, a->pg_ranks };
        fprintf(o, "collective %" PRId64 " %" PRId64, a->seq, a->peer);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            fprintf(o, " '%.*s'", AZ_SVF(text_name(t, all[k])));
        fputc('\n', o);
    }
    for (size_t i = 0; i < x->coll_sources.n; i++)
        fprintf(o, "source %u %u %u\n", x->coll_sources.v[i].uid, x->coll_sources.v[i].coll,
                x->coll_sources.v[i].args);
    for (size_t i = 0; i < x->graph_nodes.n; i++)
        fprintf(o, "graph node %u %" PRIu64 " '%.*s'\n", x->graph_nodes.v[i].uid,
                x->graph_nodes.v[i].id, AZ_SVF(text_name(t, x->graph_nodes.v[i].module)));
    for (size_t i = 0; i < x->graph_waits.n; i++)
        fprintf(o, "wait %" PRIu64 " %" PRId64 " %u %d\n", x->graph_waits.v[i].id,
                x->graph_waits.v[i].at, x->graph_waits.v[i].lane, x->graph_waits.v[i].start);
    for (size_t i = 0; i < x->lane_names.n; i++)
        fprintf(o, "lane '%.*s' '%.*s' '%.*s' %u\n",
                AZ_SVF(text_name(t, x->lane_names.v[i].process_name)),
                AZ_SVF(text_name(t, x->lane_names.v[i].process_label)),
                AZ_SVF(text_name(t, x->lane_names.v[i].thread_name)),
                x->lane_scopes.n ? x->lane_scopes.v[i] : 0);
    for (size_t i = 0; i < x->fwdbwd.n; i++)
        fprintf(o, "arrow %" PRIu64 " %" PRId64 " %u %d\n", x->fwdbwd.v[i].id, x->fwdbwd.v[i].at,
                x->fwdbwd.v[i].lane, x->fwdbwd.v[i].start);
    for (size_t i = 0; i < x->counters.n; i++)
        fprintf(o, "counters '%.*s' %u %" PRId64 " %" PRId64 " %u %u\n",
                AZ_SVF(text_name(t, x->counters.v[i].name)), x->counters.v[i].uid,
                x->counters.v[i].start, x->counters.v[i].end, x->counters.v[i].first,
                x->counters.v[i].n);
    for (size_t i = 0; i < x->counter_values.n; i++)
        fprintf(o, "'%.*s' %g\n", AZ_SVF(text_name(t, x->counter_values.v[i].name)),
                x->counter_values.v[i].value);
    for (size_t i = 0; i < x->syncs.n; i++)
        fprintf(o, "sync %" PRId64 " %" PRIu64 "\n", x->syncs.v[i].wait_stream,
                x->syncs.v[i].record_corr);
    for (size_t i = 0; i < x->long_frames.n; i++)
        fprintf(o, "frame '%.*s' %" PRId64 " %" PRId64 " %u\n", AZ_SVF(x->long_frames.v[i].name),
                x->long_frames.v[i].start, x->long_frames.v[i].end, x->long_frames.v[i].lane);
    for (uint32_t i = 0; c && i < c->n; i++)
        fprintf(o, "%d:%u-%u ", (int)c->parent[i], c->pre[i], c->last[i]);
    for (uint32_t i = 0; c && i < c->n_gpu; i++)
        fprintf(o, "%d %u %d;", c->gpu_kind[i], c->gpu_row[i], (int)c->gpu_call[i]);
    fprintf(o, "framework %d%d%d %" PRIu64 " %" PRIu64 "\n", x->has_flows, x->key_is_ext,
            x->has_ops, x->n_events, x->logical_lanes);
}

/* What trace_text leaves out: rows of reports, what frameworks add, what is of the whole trace. */
static inline char *trace_rest(const struct az_trace *t)
{
    char *text = NULL;
    size_t n = 0;
    FILE *o = open_memstream(&text, &n);
    const unsigned caps = t->ext_ops ? t->ext_ops->caps : 0;
    assert_non_null(o);
    if (caps & AZ_CAP_OPREPORT)
        put_report(o, t);
    else if (caps && !(caps & (AZ_CAP_DISPATCHES | AZ_CAP_PROGRAMS)))
        put_framework(o, t);
    for (size_t i = 0; i < t->notes.n; i++)
        fprintf(o, "note '%.*s' '%.*s' %" PRIu64 "\n", AZ_SVF(t->notes.v[i].item),
                AZ_SVF(t->notes.v[i].text), t->notes.v[i].count);
    for (size_t i = 0; i < t->comm_notes.n; i++)
        fprintf(o, "communicator %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                t->comm_notes.v[i].comm, t->comm_notes.v[i].bytes, t->comm_notes.v[i].peer,
                t->comm_notes.v[i].ranks, t->comm_notes.v[i].rank);
    for (size_t i = 0; i < t->recorded_window.n; i++)
        fprintf(o, "window %" PRId64 " %" PRId64 "\n", t->recorded_window.v[i].start,
                t->recorded_window.v[i].end);
    fprintf(o, "rank %" PRId64 " of %" PRId64 " base %" PRId64 " ticks %" PRId64 " %d%d%d%d%d%d\n",
            t->rank, t->world_size, t->base_ns, t->ticks_per_ns, t->classic, t->has_kernels,
            t->has_nvtx, t->has_mem, t->relative, t->truncated);
    fprintf(o, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", t->quality.device_events,
            t->quality.impossible, t->quality.clipped, t->caps);
    assert_int_equal(fclose(o), 0);
    return text;
}

#endif
