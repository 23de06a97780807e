/* Where device time of each rank goes: temporal breakdown, kinds and their overlap, hidden and exposed communication,
 * kernels and annotations by name (docs/formulas-collectives.md 5 and 6). Exact: no time is rounded. */
#include "analyses/ranks/breakdown.h"
#include "analyses/list.h"
#include "base/num.h"
#include "base/sort.h"
#include "facts/shared.h"

/* Communication of one name: time of its kernels under computation, and not. */
struct comm_name {
    struct az_sv name;
    size_t n;
    int64_t sum, hidden; /* ticks, each kernel for itself */
};

struct time_part {
    size_t ops, left_out, no_launch;         /* no_launch: of ops, those whose launch the trace does not hold */
    int64_t span, busy;                      /* first start to last end; union */
    int64_t compute, comm, memory, hidden;   /* unions; hidden: of comm under compute */
    int64_t by_bits[8];                      /* 1 computation, 2 communication, 4 memory */
    struct az_bd_names kernels[AZ_BD_TYPES]; /* by type */
    struct az_bd_names notes[2];             /* annotations on the host, on the device */
    size_t notes_n[2];
    struct comm_name *comms; /* by exposed time */
    size_t n_comms;
};

/* ---- reduce ---- */
struct sets {
    struct az_spans of[3], all;
};

static int fill_sets(const struct az_bd *b, struct sets *s)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < b->n; i++) {
        const struct az_span x = { b->op[i].start, b->op[i].end };
        rc = az_vec_push(&s->all, x);
        if (rc == 0 && b->op[i].type < 3)
            rc = az_vec_push(&s->of[b->op[i].type], x);
    }
    for (int k = 0; k < 3; k++)
        az_spans_union(&s->of[k]); /* work is in order of start */
    az_spans_union(&s->all);
    return rc;
}

static int compare_comms(const void *x, const void *y, void *ctx)
{
    const struct comm_name *a = x, *b = y;
    const int64_t ea = a->sum - a->hidden, eb = b->sum - b->hidden;
    (void)ctx;
    if (ea != eb)
        return ea > eb ? -1 : 1;
    return az_sv_cmp(a->name, b->name);
}

/* Time of a merged set before a time; sum: of the spans before each. */
static int64_t before(const struct az_spans *set, const int64_t *sum, int64_t time)
{
    size_t lo = 0, hi = set->n;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (set->v[mid].start < time)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0)
        return 0;
    const struct az_span x = set->v[lo - 1];
    return sum[lo - 1] + (time < x.end ? time : x.end) - x.start;
}

static int communication(struct az_job *job, const struct az_bd *b, const struct az_spans *compute,
                         struct az_arena *keep, struct time_part *p)
{
    const size_t ids = b->trace->names.text.n;
    uint32_t *row = az_arena_array(job->arena, ids + 1, sizeof *row); /* name id -> row + 1 */
    int64_t *sum = az_arena_array(job->arena, compute->n + 1, sizeof *sum);
    size_t names = 0;
    if (!row || !sum)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < compute->n; i++)
        sum[i + 1] = sum[i] + compute->v[i].end - compute->v[i].start;
    for (size_t i = 0; i < b->n; i++) {
        uint32_t *r = &row[b->op[i].name == AZ_NO_ID ? ids : b->op[i].name];
        if (b->op[i].type == AZ_BD_COMMUNICATION && !*r)
            *r = (uint32_t)++names;
    }
    p->comms = az_arena_array(keep, names + 1, sizeof *p->comms);
    if (!p->comms)
        return az_arena_error(keep);
    p->n_comms = names;
    for (size_t i = 0; i < b->n; i++) {
        const struct az_bd_op *o = &b->op[i];
        if (o->type != AZ_BD_COMMUNICATION)
            continue;
        struct comm_name *c = &p->comms[row[o->name == AZ_NO_ID ? ids : o->name] - 1];
        if (c->n++ == 0)
            c->name = az_bd_keep(b, keep, az_bd_text(b, o->name));
        c->sum = az_add_sat(c->sum, o->end - o->start);
        c->hidden = az_add_sat(c->hidden, before(compute, sum, o->end) - before(compute, sum, o->start));
    }
    return keep->failed ? az_arena_error(keep)
                        : az_sort_cmp(p->comms, names, sizeof *p->comms, compare_comms, NULL, job->mem);
}

static int kernel_names(struct az_job *job, struct az_bd *b, struct az_arena *keep, struct time_part *p)
{
    uint32_t *name = az_arena_array(job->arena, b->n + 1, sizeof *name);
    int64_t *duration = az_arena_array(job->arena, b->n + 1, sizeof *duration);
    int rc = name && duration ? AZ_OK : az_arena_error(job->arena);
    for (int type = 0; rc == 0 && type < AZ_BD_TYPES; type++) {
        size_t n = 0;
        for (size_t i = 0; i < b->n; i++) {
            if (b->op[i].type != type)
                continue;
            name[n] = b->op[i].name;
            duration[n++] = b->op[i].end - b->op[i].start;
        }
        rc = az_bd_group_names(b, job->mem, name, duration, n, keep, &p->kernels[type]);
    }
    return rc;
}

/* Annotations; those on the host only up to the step that is dropped. */
static int annotations(struct az_job *job, struct az_bd *b, int side, struct az_arena *keep, struct time_part *p)
{
    const struct az_events *e = &b->trace->ev[side ? AZ_GPU_RANGE : AZ_RANGE];
    uint32_t *name = az_arena_array(job->arena, e->n + 1, sizeof *name);
    int64_t *duration = az_arena_array(job->arena, e->n + 1, sizeof *duration);
    size_t n = 0;
    if (!name || !duration)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < e->n; i++) {
        if (!side && e->start[i] >= b->cut)
            continue;
        name[n] = e->name[i];
        duration[n++] = e->end[i] - e->start[i];
    }
    p->notes_n[side] = n;
    return az_bd_group_names(b, job->mem, name, duration, n, keep, &p->notes[side]);
}

static int measure(struct az_job *job, struct az_bd *b, struct az_arena *keep, struct time_part *p)
{
    struct sets s;
    for (int k = 0; k < 3; k++)
        az_vec_init(&s.of[k], job->mem);
    az_vec_init(&s.all, job->mem);
    int rc = fill_sets(b, &s);
    if (rc == 0 && s.all.n) {
        p->span = s.all.v[s.all.n - 1].end - s.all.v[0].start;
        p->busy = az_spans_length(&s.all);
        p->compute = az_spans_length(&s.of[AZ_BD_COMPUTATION]);
        p->comm = az_spans_length(&s.of[AZ_BD_COMMUNICATION]);
        p->memory = az_spans_length(&s.of[AZ_BD_MEMORY]);
        p->hidden = az_spans_overlap(&s.of[AZ_BD_COMPUTATION], &s.of[AZ_BD_COMMUNICATION]);
        az_bd_sweep(s.of, p->by_bits);
        rc = communication(job, b, &s.of[AZ_BD_COMPUTATION], keep, p);
    }
    for (int k = 0; k < 3; k++)
        az_vec_release(&s.of[k]);
    az_vec_release(&s.all);
    return rc;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct az_bd *b = az_bd_get(job, &rc);
    if (!b)
        return rc;
    struct time_part *p = az_arena_alloc(keep, sizeof *p);
    if (!p)
        return az_arena_error(keep);
    p->ops = b->n;
    p->left_out = b->left_out;
    for (size_t i = 0; b->tree && i < b->n; i++)
        p->no_launch += b->op[i].call == AZ_NO_ROW;
    rc = measure(job, b, keep, p);
    if (rc == 0)
        rc = kernel_names(job, b, keep, p);
    for (int side = 0; rc == 0 && b->tree && side < 2; side++)
        rc = annotations(job, b, side, keep, p);
    *part = p;
    return rc;
}

/* ---- finish ---- */
static double left_out(const struct az_ranks *ranks, void *const *parts)
{
    double n = 0;
    for (size_t i = 0; i < ranks->n; i++)
        n += parts[i] ? (double)((const struct time_part *)parts[i])->left_out : 0;
    return n;
}

/* A table with its title, which says where it is not about all of the trace. NULL: no memory. */
static struct az_table *new_table(struct az_job *job, const struct az_ranks *ranks, void *const *parts, const char *id,
                                  const char *title, unsigned flags)
{
    struct az_sv text = az_sv_str(title);
    if (left_out(ranks, parts) > 0)
        text = az_arena_printf(job->arena, "%s, without the last profiler step", title);
    return text.p ? az_table_new(job->arena, id, text.p, flags) : NULL;
}

static int temporal(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    static const char *const us[] = { "idle_time(us)", "compute_time(us)", "non_compute_time(us)", "kernel_time(us)" };
    static const char *const share[] = { "idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg" };
    static const char *const ours[] = { "communication_time(us)", "exposed_communication_time(us)", "memory_time(us)" };
    struct az_table *t = new_table(job, ranks, parts, "temporal_breakdown", "Device time by rank", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(job->arena);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    for (size_t i = 0; i < 4; i++)
        az_table_column(t, us[i], AZ_REAL, AZ_UNIT_US, i == 1 ? 0 : AZ_LOWER_BETTER);
    for (size_t i = 0; i < 3; i++)
        az_table_column(t, share[i], AZ_REAL, AZ_UNIT_PERCENT, i ? 0 : AZ_LOWER_BETTER);
    for (size_t i = 0; i < 3; i++)
        az_table_column(t, ours[i], AZ_REAL, AZ_UNIT_US, i == 1 ? AZ_LOWER_BETTER : 0);
    az_table_column(t, "operations", AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        const struct az_rank *r = &ranks->v[i];
        if (!p)
            continue;
        const int64_t idle = p->span - p->busy, other = p->busy - p->compute;
        az_put_i64(t, r->rank);
        az_put_f64(t, az_bd_us(r, idle));
        az_put_f64(t, az_bd_us(r, p->compute));
        az_put_f64(t, az_bd_us(r, other));
        az_put_f64(t, az_bd_us(r, p->span));
        az_put_f64(t, az_bd_percent((double)idle, (double)p->span));
        az_put_f64(t, az_bd_percent((double)p->compute, (double)p->span));
        az_put_f64(t, az_bd_percent((double)other, (double)p->span));
        az_put_f64(t, az_bd_us(r, p->comm));
        az_put_f64(t, az_bd_us(r, p->comm - p->hidden));
        az_put_f64(t, az_bd_us(r, p->memory));
        az_put_i64(t, (int64_t)p->ops);
    }
    int rc = az_document_add(job->doc, t);
    return rc ? rc
              : az_job_chart(job, AZ_CHART_STACKED_COLUMN, "temporal_breakdown", "Device time by rank", "rank",
                             (const char *const[]){ us[1], us[2], us[0], NULL }, "us");
}

/* "COMPUTATION overlapping COMMUNICATION" */
static struct az_sv combination(struct az_arena *a, unsigned bits)
{
    struct az_sv text = AZ_SV("");
    for (int k = 0; k < 3; k++)
        if (bits & 1u << k)
            text = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(text), text.n ? " overlapping " : "",
                                   AZ_SVF(az_bd_type_text((enum az_bd_type)k)));
    return text;
}

static int types(struct az_job *job, const struct az_ranks *ranks, void *const *parts, bool by_rank)
{
    struct az_table *t =
        by_rank ? new_table(job, ranks, parts, "kernel_type_breakdown_by_rank", "Kinds of device work by rank", 0)
                : new_table(job, ranks, parts, "kernel_type_breakdown", "Kinds of device work of all ranks",
                            AZ_TABLE_SUMMARY);
    double total = 0, sum[8] = { 0 };
    if (!t)
        return az_arena_error(job->arena);
    if (by_rank)
        az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "kernel_type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "sum", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "percentage", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        double whole = 0;
        for (int k = 1; p && k < 8; k++) {
            sum[k] += az_bd_us(&ranks->v[i], p->by_bits[k]);
            whole += az_bd_us(&ranks->v[i], p->by_bits[k]);
        }
        total += whole;
        for (unsigned k = 1; p && by_rank && k < 8; k++) {
            if (!p->by_bits[k])
                continue;
            az_put_i64(t, ranks->v[i].rank);
            az_put_text(t, combination(job->arena, k));
            az_put_f64(t, az_bd_us(&ranks->v[i], p->by_bits[k]));
            az_put_f64(t, az_bd_percent(az_bd_us(&ranks->v[i], p->by_bits[k]), whole));
        }
    }
    for (unsigned k = 1; !by_rank && k < 8; k++) {
        if (sum[k] <= 0)
            continue;
        az_put_text(t, combination(job->arena, k));
        az_put_f64(t, sum[k]);
        az_put_f64(t, az_bd_percent(sum[k], total));
    }
    return by_rank ? az_job_emit(job, t, 0, (const int[]){ 0, -3 }, 2) : az_job_emit(job, t, 0, (const int[]){ -2 }, 1);
}

static int overlap(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    static const char *const us[] = { "communication(us)", "hidden(us)", "exposed(us)" };
    struct az_table *t = new_table(job, ranks, parts, "comm_comp_overlap", "Communication hidden by computation", 0);
    if (!t)
        return az_arena_error(job->arena);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "comp_comm_overlap_pctg", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER);
    for (size_t i = 0; i < 3; i++)
        az_table_column(t, us[i], AZ_REAL, AZ_UNIT_US, i == 2 ? AZ_LOWER_BETTER : 0);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        if (!p)
            continue;
        az_put_i64(t, ranks->v[i].rank);
        az_put_f64(t, az_bd_percent((double)p->hidden, (double)p->comm));
        az_put_f64(t, az_bd_us(&ranks->v[i], p->comm));
        az_put_f64(t, az_bd_us(&ranks->v[i], p->hidden));
        az_put_f64(t, az_bd_us(&ranks->v[i], p->comm - p->hidden));
    }
    return az_document_add(job->doc, t);
}

static int exposed(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    static const char *const us[] = { "sum (us)", "hidden (us)", "exposed (us)" };
    struct az_table *t =
        new_table(job, ranks, parts, "exposed_communication", "Hidden and exposed time of communication kernels", 0);
    if (!t)
        return az_arena_error(job->arena);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < 3; i++)
        az_table_column(t, us[i], AZ_REAL, AZ_UNIT_US, i == 2 ? AZ_LOWER_BETTER : 0);
    az_table_column(t, "exposed_pctg", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        for (size_t k = 0; p && k < p->n_comms; k++) {
            const struct comm_name *c = &p->comms[k];
            az_put_i64(t, ranks->v[i].rank);
            az_put_text(t, c->name);
            az_put_i64(t, (int64_t)c->n);
            az_put_f64(t, az_bd_us(&ranks->v[i], c->sum));
            az_put_f64(t, az_bd_us(&ranks->v[i], c->hidden));
            az_put_f64(t, az_bd_us(&ranks->v[i], c->sum - c->hidden));
            az_put_f64(t, az_bd_percent((double)(c->sum - c->hidden), (double)c->sum));
        }
    }
    return az_document_add(job->doc, t);
}

static int kernels(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = new_table(job, ranks, parts, "kernel_breakdown", "Device work by name and rank", 0);
    if (!t)
        return az_arena_error(job->arena);
    az_bd_name_columns(t);
    az_table_column(t, "kernel_type", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        for (int type = 0; p && type < AZ_BD_TYPES; type++) {
            for (size_t k = 0; k < p->kernels[type].n; k++) {
                az_bd_put_name(t, &ranks->v[i], &p->kernels[type].v[k]);
                az_put_text(t, az_bd_type_text((enum az_bd_type)type));
                az_put_i64(t, ranks->v[i].rank);
                az_put_i64(t, (int64_t)p->kernels[type].v[k].n);
            }
        }
    }
    return az_document_add(job->doc, t);
}

static int notes(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = az_table_new(job->arena, "user_annotations", "Annotations by name and rank", 0);
    if (!t)
        return az_arena_error(job->arena);
    az_bd_name_columns(t);
    az_table_column(t, "side", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        for (int side = 1; p && side >= 0; side--) {
            for (size_t k = 0; k < p->notes[side].n; k++) {
                az_bd_put_name(t, &ranks->v[i], &p->notes[side].v[k]);
                az_put_text(t, side ? AZ_SV("device") : AZ_SV("host"));
                az_put_i64(t, ranks->v[i].rank);
                az_put_i64(t, (int64_t)p->notes[side].v[k].n);
            }
        }
    }
    return az_document_add(job->doc, t);
}

/* What is not in the tables is told. */
static void cover(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const double n = left_out(ranks, parts);
    if (n > 0)
        az_cover(job, "device events left out of the breakdowns of ranks", n, "",
                 AZ_SV("launched in the last profiler step, or by a call that is not in the trace (last_step: keep)"));
    int64_t no_launch = 0;
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        no_launch += p ? (int64_t)p->no_launch : 0;
    }
    if (no_launch && !job->opts->include_unlinked_kernels)
        az_cover(
            job, "device events without their launch in the breakdowns of ranks", (double)no_launch, "events",
            AZ_SV("counted there, as the tool does whose tables they are; gpu_timeline and gpu_timelines count them "
                  "only with include_unlinked_kernels"));
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    cover(job, ranks, parts);
    int rc = temporal(job, ranks, parts);
    if (rc == 0)
        rc = types(job, ranks, parts, false);
    if (rc == 0)
        rc = types(job, ranks, parts, true);
    if (rc == 0)
        rc = kernels(job, ranks, parts);
    if (rc == 0)
        rc = overlap(job, ranks, parts);
    if (rc == 0)
        rc = exposed(job, ranks, parts);
    return rc ? rc : notes(job, ranks, parts);
}

const struct az_rank_analysis az_rank_analysis_breakdown = {
    .name = "rank_breakdown",
    .help = "device time of each rank: computation, communication, copies, idle, overlap, kernels",
    .any = AZ_CAP_CALLTREE | AZ_CAP_TIMELINE | AZ_CAP_PROGRAMS,
    .reduce = reduce,
    .finish = finish,
};
