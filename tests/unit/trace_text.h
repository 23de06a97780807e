/* A trace as text, for tests of readers that compare it whole: lanes, then events by kind with all
 * their columns, copies, ranges and dispatches, sums, counters, what was dropped, facts. */
#ifndef AZ_UNIT_TRACE_TEXT_H
#define AZ_UNIT_TRACE_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/dispatch.h"
#include "model/trace.h"
#include "model/xtrace.h"

static inline struct az_sv text_name(const struct az_trace *t, uint32_t id)
{
    return id == AZ_NO_ID ? AZ_SV("-") : az_trace_text(t, id);
}

static inline void put_lane(FILE *o, const struct az_trace *t, const struct az_lane *l)
{
    fprintf(o, "%s pid %" PRIu64 " tid %" PRIu64, l->device_side ? "device" : "host", l->pid,
            l->tid);
    if (l->device_side)
        fprintf(o, " device %" PRId64 " context %" PRIu64, l->device, l->context);
    fprintf(o, " proc %" PRIu64, l->proc);
    if (l->thread)
        fprintf(o, " thread %" PRIu64, l->thread);
    if (l->label != AZ_NO_ID)
        fprintf(o, " '%.*s'", AZ_SVF(text_name(t, l->label)));
    fputc('\n', o);
}

static inline void put_dispatch(FILE *o, const struct az_trace *t, uint32_t row)
{
    const struct az_dispatches *d = az_dispatches(t);
    const struct az_dispatch *x = &d->rows.v[row];
    const struct az_dispatch_shape *s = &d->shapes.v[x->shape];
    fprintf(o, " id %" PRIu64 " thread %" PRId64 " '%.*s'", x->id, x->thread,
            AZ_SVF(text_name(t, s->whole)));
    fprintf(o, " grid %u,%u,%u block %u,%u,%u lds %u scratch %u vgpr %u agpr %u sgpr %u",
            s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2], s->lds,
            s->scratch, s->vgpr, s->agpr, s->sgpr);
}

static inline void put_agent(FILE *o, int32_t agent)
{
    if (agent == AZ_NO_AGENT)
        fputs(" -", o);
    else
        fprintf(o, " %d", (int)agent);
}

static inline void put_side(FILE *o, const struct az_trace *t, enum az_kind kind, uint32_t side)
{
    const bool dispatches = t->ext_ops && (t->ext_ops->caps & AZ_CAP_DISPATCHES);
    if (side == AZ_NO_ROW) {
        fputs(" no row", o);
    } else if (kind == AZ_MEMCPY || kind == AZ_MEMSET) {
        const struct az_copy *c = &t->copies.v[side];
        fprintf(o, " bytes %" PRId64 " gbps %g op %d src %d dst %d%s", c->bytes, c->gbps, c->op,
                c->src, c->dst, c->migration ? " migration" : "");
        if (!dispatches)
            return;
        fputs(" route", o);
        put_agent(o, az_dispatches(t)->routes.v[side].src);
        put_agent(o, az_dispatches(t)->routes.v[side].dst);
    } else if (kind == AZ_RANGE) {
        const struct az_range *r = &t->ranges.v[side];
        fprintf(o, " range %" PRIu64 " style %u%s%s", r->id, r->style, r->open ? " open" : "",
                r->crosses ? " crosses" : "");
    } else if (kind == AZ_KERNEL && dispatches) {
        put_dispatch(o, t, side);
    } else if (kind == AZ_CALL && dispatches) {
        fprintf(o, " of %.*s", AZ_SVF(text_name(t, side)));
    } else if (kind == AZ_ALLOC && dispatches) {
        const struct az_alloc *a = &az_dispatches(t)->allocs.v[side];
        fprintf(o, " bytes %" PRId64 " address %" PRIx64 " agent", a->bytes, a->address);
        put_agent(o, a->agent);
    } else {
        fprintf(o, " side %u", side);
    }
}

static inline void put_operation(FILE *o, const struct az_trace *t, uint64_t node)
{
    const struct az_xrow *r = &az_xtrace(t)->rows.v[node - 1];
    fprintf(o, " op '%.*s' of '%.*s' %" PRIu64 "%s scope '%.*s' details '%.*s' category '%.*s'",
            AZ_SVF(text_name(t, r->op)), AZ_SVF(text_name(t, r->module)), r->program,
            r->has_program ? "" : " (no program)", AZ_SVF(text_name(t, r->scope)),
            AZ_SVF(text_name(t, r->details)), AZ_SVF(text_name(t, r->category)));
    fprintf(o, " flops %" PRId64 " bytes %" PRId64, r->flops, r->bytes);
    if (r->hlo != AZ_NO_ROW)
        fprintf(o, " hlo %u", r->hlo);
}

static inline void put_programs(FILE *o, const struct az_trace *t)
{
    const struct az_xtrace *x = az_xtrace(t);
    for (size_t i = 0; i < x->planes.n; i++) {
        const struct az_plane *p = &x->planes.v[i];
        fprintf(o, "plane %s %" PRId64 " '%.*s' '%.*s' units %" PRId64 " clock %" PRId64,
                p->kind == AZ_PLANE_GPU ? "GPU" : "TPU", p->ordinal, AZ_SVF(p->vendor),
                AZ_SVF(p->type), p->units, p->clock_khz);
        fprintf(o, " memory %" PRId64 " %" PRId64 " peaks %g %g\n", p->memory_bytes,
                p->memory_bandwidth, p->peak_tflops, p->peak_hbm_gbps);
    }
    for (size_t i = 0; i < x->hlo.n; i++) {
        const struct az_hlo_op *h = &x->hlo.v[i];
        fprintf(o, "hlo %" PRIu64 " '%.*s' '%.*s' %.*s", h->program, AZ_SVF(h->module),
                AZ_SVF(h->name), AZ_SVF(h->opcode));
        fprintf(o, " target '%.*s' scope '%.*s' source '%.*s' kind %d = %.*s", AZ_SVF(h->target),
                AZ_SVF(h->scope), AZ_SVF(h->source), (int)h->kind, AZ_SVF(h->result.text));
        for (size_t k = 0; k < h->n_operands; k++)
            fprintf(o, ", %.*s", AZ_SVF(h->operands[k].text));
        fputc('\n', o);
    }
    for (size_t i = 0; i < x->host.n; i++)
        fprintf(o, "host '%.*s' %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
                AZ_SVF(text_name(t, x->host.v[i].name)), x->host.v[i].count, x->host.v[i].ticks,
                x->host.v[i].min, x->host.v[i].max);
}

static inline void put_events(FILE *o, const struct az_trace *t, enum az_kind kind)
{
    const struct az_events *e = &t->ev[kind];
    const bool programs = t->ext_ops && (t->ext_ops->caps & AZ_CAP_PROGRAMS);
    for (size_t i = 0; i < e->n; i++) {
        fprintf(o, "%s %" PRId64 " %" PRId64 " '%.*s' @%u", az_kind_text(kind), e->start[i],
                e->end[i], AZ_SVF(text_name(t, e->name[i])), e->lane[i]);
        if (e->corr && e->corr[i])
            fprintf(o, " corr %" PRIu64, e->corr[i]);
        if (e->node && e->node[i] && programs && e->node[i] <= az_xtrace(t)->rows.n)
            put_operation(o, t, e->node[i]);
        else if (e->node && e->node[i])
            fprintf(o, " node %" PRIu64, e->node[i]);
        if (e->geo && e->geo[i]) {
            const struct az_geometry *g = &t->geometries.rows.v[e->geo[i] - 1];
            fprintf(o, " grid %u,%u,%u block %u,%u,%u registers %u shared %u+%u", g->grid[0],
                    g->grid[1], g->grid[2], g->block[0], g->block[1], g->block[2], g->registers,
                    g->static_shared, g->dynamic_shared);
        }
        if (e->side)
            put_side(o, t, kind, e->side[i]);
        fputc('\n', o);
    }
}

static inline void put_sum(FILE *o, const struct az_trace *t, const char *what,
                           const struct az_sum *s)
{
    fprintf(o, "%s '%.*s' total %.9g ns %" PRId64 " count %" PRId64 " %g %g %g %g %g\n", what,
            AZ_SVF(text_name(t, s->name)), s->total, s->total_ns, s->count, s->avg, s->med, s->min,
            s->max, s->std);
}

static inline void put_rest(FILE *o, const struct az_trace *t)
{
    for (size_t i = 0; i < t->kernel_sums.n; i++)
        put_sum(o, t, "kernels", &t->kernel_sums.v[i]);
    for (size_t i = 0; i < t->mem_sums.n; i++)
        put_sum(o, t, "memory", &t->mem_sums.v[i]);
    for (size_t i = 0; i < t->mem_sizes.n; i++)
        put_sum(o, t, "sizes", &t->mem_sizes.v[i]);
    if (t->ext_ops && (t->ext_ops->caps & AZ_CAP_DISPATCHES)) {
        const struct az_dispatches *d = az_dispatches(t);
        for (size_t i = 0; i < d->counters.n; i++) {
            const struct az_counter *c = &d->counters.v[i];
            fprintf(o, "counter %u %" PRIu64 " '%.*s' %.*s %g\n", c->proc, c->dispatch,
                    AZ_SVF(text_name(t, c->kernel)), AZ_SVF(text_name(t, c->counter)), c->value);
        }
        for (size_t i = 0; i < d->call_sums.n; i++) {
            fprintf(o, "%.*s ", AZ_SVF(text_name(t, d->call_sums.v[i].domain)));
            put_sum(o, t, "calls", &d->call_sums.v[i].sum);
        }
        for (size_t i = 0; i < d->agents.n; i++)
            fprintf(o, "agent %u %" PRId64 "%s\n", d->agents.v[i].proc, d->agents.v[i].index,
                    d->agents.v[i].gpu ? " gpu" : "");
        for (size_t i = 0; i < d->processes.n; i++)
            fprintf(o, "process %" PRId64 " %" PRId64 " %" PRId64 "\n", d->processes.v[i].pid,
                    d->processes.v[i].init, d->processes.v[i].fini);
    }
    if (t->ext_ops && (t->ext_ops->caps & AZ_CAP_PROGRAMS))
        put_programs(o, t);
    for (size_t i = 0; i < t->devices.n; i++)
        fprintf(o, "device %" PRId64 " '%.*s' %" PRId64 " %" PRId64 "\n", t->devices.v[i].id,
                AZ_SVF(t->devices.v[i].name), t->devices.v[i].sm_count,
                t->devices.v[i].memory_bytes);
    for (size_t i = 0; i < t->samples.rows.n; i++) {
        const struct az_sample *s = &t->samples.rows.v[i];
        const struct az_sampled *c = &t->samples.counters.v[s->counter];
        fprintf(o, "sample '%.*s' device %" PRId64 " %" PRId64 " %g\n",
                AZ_SVF(text_name(t, c->name)), c->device, s->at, s->value);
    }
    for (size_t i = 0; i < t->drops.n; i++)
        fprintf(o, "dropped %" PRIu64 " (%" PRId64 "): %.*s\n", t->drops.v[i].count,
                t->drops.v[i].ticks, AZ_SVF(t->drops.v[i].reason));
    for (size_t i = 0; i < t->skipped.n; i++)
        fprintf(o, "skipped %" PRIu64 " (%" PRId64 "): %.*s\n", t->skipped.v[i].count,
                t->skipped.v[i].ticks, AZ_SVF(t->skipped.v[i].reason));
    for (size_t i = 0; i < t->facts.n; i++)
        fprintf(o, "%.*s = %.*s\n", AZ_SVF(t->facts.v[i].key), AZ_SVF(t->facts.v[i].value));
    fprintf(o, "read %" PRIu64 " kept %" PRIu64 "\n", t->read, t->kept);
}

/* Compares the trace, whole, with the lines. */
/* To be freed. */
static inline char *trace_text(const struct az_trace *t)
{
    char *text = NULL;
    size_t n = 0;
    FILE *o = open_memstream(&text, &n);
    assert_non_null(o);
    for (size_t i = 0; i < t->lanes.n; i++)
        put_lane(o, t, &t->lanes.v[i]);
    for (unsigned k = 0; k < AZ_KIND_COUNT; k++)
        put_events(o, t, (enum az_kind)k);
    put_rest(o, t);
    assert_int_equal(fclose(o), 0);
    return text;
}

static inline void trace_is(const struct az_trace *t, const char *want)
{
    char *text = trace_text(t);
    if (strcmp(text, want) != 0)
        fprintf(stderr, "--- is:\n%s--- wanted:\n%s---\n", text, want);
    assert_true(strcmp(text, want) == 0);
    free(text);
}

#endif
