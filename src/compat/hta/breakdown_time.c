/* Where device time of each rank goes: temporal breakdown, kinds and their overlap, hidden and
 * exposed communication, kernels and annotations by name (docs/formulas-collectives.md 5 and 6).
 * Exact: no time is rounded. */
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "compat/hta/breakdown.h"
#include "document/record.h"
#include "facts/account.h"

/* Communication of one name: time of its kernels under computation, and not. */
struct comm_name {
    struct az_sv name;
    size_t n;
    int64_t sum, hidden; /* ticks, each kernel for itself */
};

struct time_part {
    size_t ops, left_out,
        no_launch; /* no_launch: of ops, those whose launch the trace does not hold */
    struct az_account a;
    int64_t at_once[8]; /* time of each combination of parts, by bits 1 << az_part */
    struct az_hta_names kernels[AZ_HTA_TYPES]; /* by type */
    struct az_hta_names notes[2];              /* annotations on the host, on the device */
    size_t notes_n[2];
    struct comm_name *comms; /* by exposed time */
    size_t n_comms;
};

/* ---- reduce ---- */
static enum az_part part_of(enum az_hta_type type)
{
    switch (type) {
    case AZ_HTA_COMPUTATION:
        return AZ_PART_COMPUTE;
    case AZ_HTA_COMMUNICATION:
        return AZ_PART_COMM;
    case AZ_HTA_MEMORY:
        return AZ_PART_COPY;
    default:
        return AZ_PART_NONE;
    }
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
    const size_t lo = AZ_LOWER_BY(set->v, set->n, start, time);
    if (lo == 0)
        return 0;
    const struct az_span x = set->v[lo - 1];
    return sum[lo - 1] + (time < x.end ? time : x.end) - x.start;
}

/* One for each name of communication that counts; row: name id -> its place + 1. */
static int comm_names(struct az_job *job, const struct az_hta *b, const struct az_counted *counted,
                      uint32_t *row, struct az_arena *keep, struct time_part *p)
{
    const size_t ids = b->trace->names.text.n;
    struct az_work_sweep sweep = az_work_sweep(job, 0, counted);
    struct az_work_event e;
    while (az_work_next(&sweep, &e)) {
        uint32_t *r = &row[e.name == AZ_NO_ID ? ids : e.name];
        if (e.part == AZ_PART_COMM && !*r)
            *r = (uint32_t)++p->n_comms;
    }
    p->comms = az_arena_array(keep, p->n_comms + 1, sizeof *p->comms);
    return p->comms ? 0 : az_arena_error(keep);
}

/* Of what counts in the account of time, whatever the other breakdowns leave out. */
static int communication(struct az_job *job, const struct az_hta *b,
                         const struct az_counted *counted, const struct az_spans *compute,
                         struct az_arena *keep, struct time_part *p)
{
    const size_t ids = b->trace->names.text.n;
    uint32_t *row = az_arena_array(job->arena, ids + 1, sizeof *row);
    int64_t *sum = az_arena_array(job->arena, compute->n + 1, sizeof *sum);
    struct az_work_sweep sweep = az_work_sweep(job, 0, counted);
    struct az_work_event e;
    int rc = row && sum ? comm_names(job, b, counted, row, keep, p) : az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < compute->n; i++)
        sum[i + 1] = sum[i] + compute->v[i].end - compute->v[i].start;
    while (rc == 0 && az_work_next(&sweep, &e)) {
        if (e.part != AZ_PART_COMM)
            continue;
        struct comm_name *c = &p->comms[row[e.name == AZ_NO_ID ? ids : e.name] - 1];
        if (c->n++ == 0)
            c->name = az_hta_copy_text(b, keep, az_hta_text(b, e.name));
        c->sum = az_add_sat(c->sum, e.end - e.start);
        c->hidden =
            az_add_sat(c->hidden, before(compute, sum, e.end) - before(compute, sum, e.start));
    }
    if (rc == 0 && keep->failed)
        rc = az_arena_error(keep);
    if (rc == 0)
        az_sort_cmp(p->comms, p->n_comms, sizeof *p->comms, compare_comms, NULL, job->mem);
    return rc;
}

static int exposure(struct az_job *job, const struct az_hta *b, struct az_arena *keep,
                    struct time_part *p)
{
    struct az_busy busy;
    struct az_work_event e;
    int rc;
    const struct az_counted *counted = az_job_counted(job, 0, AZ_TABLE_WORK, &rc);
    struct az_work_sweep sweep = az_work_sweep(job, 0, counted);
    az_busy_init(&busy, job->mem);
    while (rc == 0 && az_work_next(&sweep, &e))
        if (e.part == AZ_PART_COMPUTE)
            rc = az_busy_add(&busy, e.part, e.start, e.end);
    if (rc == 0)
        rc = az_busy_close(&busy);
    if (rc == 0)
        rc = communication(job, b, counted, &busy.of[AZ_PART_COMPUTE], keep, p);
    az_busy_release(&busy);
    return rc;
}

static int kernel_names(struct az_job *job, struct az_hta *b, struct az_arena *keep,
                        struct time_part *p)
{
    uint32_t *name = az_arena_array(job->arena, b->n + 1, sizeof *name);
    int64_t *duration = az_arena_array(job->arena, b->n + 1, sizeof *duration);
    int rc = name && duration ? AZ_OK : az_arena_error(job->arena);
    for (int type = 0; rc == 0 && type < AZ_HTA_TYPES; type++) {
        size_t n = 0;
        for (size_t i = 0; i < b->n; i++) {
            if (b->op[i].type != type)
                continue;
            name[n] = b->op[i].name;
            duration[n++] = b->op[i].end - b->op[i].start;
        }
        rc = az_hta_group_names(b, job->mem, name, duration, n, keep, &p->kernels[type]);
    }
    return rc;
}

/* Annotations that begin before the step that is dropped. */
static int annotations(struct az_job *job, struct az_hta *b, int side, struct az_arena *keep,
                       struct time_part *p)
{
    const struct az_events *e = &b->trace->ev[side ? AZ_GPU_RANGE : AZ_RANGE];
    uint32_t *name = az_arena_array(job->arena, e->n + 1, sizeof *name);
    int64_t *duration = az_arena_array(job->arena, e->n + 1, sizeof *duration);
    size_t n = 0;
    if (!name || !duration)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < e->n; i++) {
        if (e->start[i] >= b->cut)
            continue;
        name[n] = e->name[i];
        duration[n++] = e->end[i] - e->start[i];
    }
    p->notes_n[side] = n;
    return az_hta_group_names(b, job->mem, name, duration, n, keep, &p->notes[side]);
}

static int measure(struct az_job *job, const struct az_hta *b, struct time_part *p)
{
    struct az_busy busy;
    int rc = 0;
    az_busy_init(&busy, job->mem);
    for (size_t i = 0; rc == 0 && i < b->n; i++)
        rc = az_busy_add(&busy, part_of(b->op[i].type), b->op[i].start, b->op[i].end);
    if (rc == 0)
        rc = az_busy_close(&busy);
    if (rc == 0)
        az_account_with_parts(&busy, NULL, 0, &p->a, p->at_once);
    az_busy_release(&busy);
    return rc;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct az_hta *b = az_hta_get(job, &rc);
    if (!b)
        return rc;
    struct time_part *p = az_arena_alloc(keep, sizeof *p);
    if (!p)
        return az_arena_error(keep);
    p->ops = b->n;
    p->left_out = b->left_out;
    for (size_t i = 0; b->tree && i < b->n; i++)
        p->no_launch += b->op[i].call == AZ_NO_ROW;
    rc = measure(job, b, p);
    if (rc == 0)
        rc = exposure(job, b, keep, p);
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

/* The title, with the scope where that is not all of the trace. NULL: no memory. */
static const char *title_of(struct az_job *job, const struct az_ranks *ranks, void *const *parts,
                            const char *title)
{
    return left_out(ranks, parts) > 0
               ? az_arena_printf(job->arena, "%s, last step excluded", title).p
               : title;
}

struct time_row {
    const struct az_rank *rank;
    const struct time_part *part;
    int64_t non_compute, hidden_comm; /* ticks */
};
#define ROW struct time_row
AZ_OF_RECORD(double, idle_percent, ROW,
             az_hta_percent((double)r->part->a.idle, (double)r->part->a.total))
AZ_OF_RECORD(double, compute_percent, ROW,
             az_hta_percent((double)r->part->a.compute, (double)r->part->a.total))
AZ_OF_RECORD(double, other_percent, ROW,
             az_hta_percent((double)r->non_compute, (double)r->part->a.total))
AZ_OF_RECORD(double, hidden_percent, ROW,
             az_hta_percent((double)r->hidden_comm, (double)r->part->a.comm))
/* clang-format off */
#define ACCOUNT(header, flag, field)                                                               \
    { header, AZ_REAL, AZ_UNIT_US, flag, AZ_VIA(ROW, part, a.field), AZ_HTA_TICKS(ROW) }
/* clang-format on */
static const struct az_record_column temporal_columns[] = {
    AZ_HTA_RANK(ROW),
    ACCOUNT("idle_time(us)", AZ_LOWER_BETTER, idle),
    ACCOUNT("compute_time(us)", 0, compute),
    { "non_compute_time(us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, non_compute),
      AZ_HTA_TICKS(ROW) },
    ACCOUNT("kernel_time(us)", AZ_LOWER_BETTER, total),
    { "idle_time_pctg", AZ_REAL, AZ_UNIT_PERCENT, AZ_LOWER_BETTER, .real = idle_percent },
    { "compute_time_pctg", AZ_REAL, AZ_UNIT_PERCENT, .real = compute_percent },
    { "non_compute_time_pctg", AZ_REAL, AZ_UNIT_PERCENT, .real = other_percent },
    ACCOUNT("communication_time(us)", 0, comm),
    ACCOUNT("exposed_communication_time(us)", AZ_LOWER_BETTER, exposed_comm),
    ACCOUNT("memory_time(us)", 0, copies),
    { "operations", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, part, ops) },
};
static const struct az_record_column overlap_columns[] = {
    AZ_HTA_RANK(ROW),
    { "comp_comm_overlap_pctg", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER,
      .real = hidden_percent },
    ACCOUNT("communication(us)", 0, comm),
    { "hidden(us)", AZ_REAL, AZ_UNIT_US, 0, AZ_FIELD(ROW, hidden_comm), AZ_HTA_TICKS(ROW) },
    ACCOUNT("exposed(us)", AZ_LOWER_BETTER, exposed_comm),
};

static void put_ranks(struct az_table *t, const struct az_ranks *ranks, void *const *parts)
{
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        if (p)
            az_put_row(t, &(ROW){ &ranks->v[i], p, p->a.busy - p->a.compute,
                                  p->a.comm - p->a.exposed_comm });
    }
}

static int temporal(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "temporal_breakdown",
                                         title_of(job, ranks, parts, "Device time by rank"),
                                         AZ_TABLE_SUMMARY, temporal_columns);
    put_ranks(t, ranks, parts);
    int rc = az_document_add(job->doc, t);
    return rc ? rc
              : az_job_chart(job, AZ_CHART_STACKED_COLUMN, "temporal_breakdown",
                             "Device time by rank", "rank",
                             (const char *const[]){ "compute_time(us)", "non_compute_time(us)",
                                                    "idle_time(us)", NULL },
                             "us");
}

/* "COMPUTATION overlapping COMMUNICATION" */
static struct az_sv combination(struct az_arena *a, unsigned bits)
{
    struct az_sv text = AZ_SV("");
    for (int k = 0; k < 3; k++)
        if (bits & 1u << k)
            text = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(text), text.n ? " overlapping " : "",
                                   AZ_SVF(az_hta_type_text((enum az_hta_type)k)));
    return text;
}

struct type_row {
    int64_t rank;
    struct az_sv type;
    double us, percent;
};
#undef ROW
#define ROW struct type_row
/* clang-format off */
#define TYPE_COLUMNS(place)                                                                        \
    { "kernel_type", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, type) },                              \
    { "sum", AZ_REAL, AZ_UNIT_US, 0, AZ_FIELD(ROW, us), .sort = -(place) },                        \
    { "percentage", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) }
/* clang-format on */
static const struct az_record_column type_columns[] = { TYPE_COLUMNS(1) };
static const struct az_record_column rank_type_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .sort = 1 },
    TYPE_COLUMNS(2),
};

static int types_by_rank(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "kernel_type_breakdown_by_rank",
                                         title_of(job, ranks, parts, "Device time by kind, rank"),
                                         0, rank_type_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        const struct az_rank *r = &ranks->v[i];
        double whole = 0;
        for (int k = 1; p && k < 8; k++)
            whole += az_hta_us(r, p->at_once[k]);
        for (unsigned k = 1; p && k < 8; k++) {
            const double us = az_hta_us(r, p->at_once[k]);
            if (p->at_once[k])
                az_put_row(t, &(ROW){ r->rank, combination(job->arena, k), us,
                                      az_hta_percent(us, whole) });
        }
    }
    return az_job_add(job, t, az_record_sort(t));
}

static int types(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "kernel_type_breakdown",
                                         title_of(job, ranks, parts, "Device time by kind"),
                                         AZ_TABLE_SUMMARY, type_columns);
    double total = 0, sum[8] = { 0 };
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        double whole = 0;
        for (int k = 1; p && k < 8; k++) {
            sum[k] += az_hta_us(&ranks->v[i], p->at_once[k]);
            whole += az_hta_us(&ranks->v[i], p->at_once[k]);
        }
        total += whole;
    }
    for (unsigned k = 1; k < 8; k++)
        if (sum[k] > 0)
            az_put_row(
                t, &(ROW){ -1, combination(job->arena, k), sum[k], az_hta_percent(sum[k], total) });
    return az_job_add(job, t, az_record_sort(t));
}

static int overlap(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(
        job->arena, "comm_comp_overlap",
        title_of(job, ranks, parts, "Communication overlap by rank"), 0, overlap_columns);
    put_ranks(t, ranks, parts);
    return az_document_add(job->doc, t);
}

struct comm_row {
    const struct az_rank *rank;
    const struct comm_name *of;
    int64_t exposed; /* ticks */
};
#undef ROW
#define ROW struct comm_row
AZ_OF_RECORD(double, exposed_percent, ROW, az_hta_percent((double)r->exposed, (double)r->of->sum))
static const struct az_record_column exposed_columns[] = {
    AZ_HTA_RANK(ROW),
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, of, name) },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, n) },
    { "sum (us)", AZ_REAL, AZ_UNIT_US, 0, AZ_VIA(ROW, of, sum), AZ_HTA_TICKS(ROW) },
    { "hidden (us)", AZ_REAL, AZ_UNIT_US, 0, AZ_VIA(ROW, of, hidden), AZ_HTA_TICKS(ROW) },
    { "exposed (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, exposed),
      AZ_HTA_TICKS(ROW) },
    { "exposed_pctg", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, .real = exposed_percent },
};

static int exposed(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "exposed_communication",
                                         "Overlapped vs exposed communication", 0, exposed_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        for (size_t k = 0; p && k < p->n_comms; k++)
            az_put_row(t,
                       &(ROW){ &ranks->v[i], &p->comms[k], p->comms[k].sum - p->comms[k].hidden });
    }
    return az_document_add(job->doc, t);
}

/* clang-format off */
#define NAMES(header)                                                                              \
    AZ_HTA_NAME_COLUMNS,                                                                           \
    { header, AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct az_hta_name_row, of) },                    \
    AZ_HTA_RANK(struct az_hta_name_row),                                                           \
    { "count", AZ_INT, AZ_UNIT_COUNT, 0, AZ_VIA(struct az_hta_name_row, name, n) }
/* clang-format on */
static const struct az_record_column kernel_columns[] = { NAMES("kernel_type") };
static const struct az_record_column note_columns[] = { NAMES("side") };

static void put_names(struct az_table *t, const struct az_rank *r, const struct az_hta_names *names,
                      struct az_sv of)
{
    for (size_t k = 0; k < names->n; k++)
        az_put_row(t, &(struct az_hta_name_row){ r, &names->v[k], of });
}

static int kernels(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(
        job->arena, "kernel_breakdown", title_of(job, ranks, parts, "Device work by name and rank"),
        0, kernel_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        for (int type = 0; p && type < AZ_HTA_TYPES; type++)
            put_names(t, &ranks->v[i], &p->kernels[type], az_hta_type_text((enum az_hta_type)type));
    }
    return az_document_add(job->doc, t);
}

static int notes(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "user_annotations",
                                         "Annotations by name and rank", 0, note_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        for (int side = 1; p && side >= 0; side--)
            put_names(t, &ranks->v[i], &p->notes[side], side ? AZ_SV("device") : AZ_SV("host"));
    }
    return az_document_add(job->doc, t);
}

/* What is not in the tables is reported. */
static void cover(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const double n = left_out(ranks, parts);
    if (n > 0)
        az_cover(job, "device events excluded from rank breakdowns", n, "",
                 AZ_SV("launched in the last profiler step (last_step: keep includes it) or by an "
                       "unrecorded call"));
    int64_t no_launch = 0;
    for (size_t i = 0; i < ranks->n; i++) {
        const struct time_part *p = parts[i];
        no_launch += p ? (int64_t)p->no_launch : 0;
    }
    if (no_launch && !az_tables_count_unlinked(job->opts))
        az_cover(job, "unlinked device events in rank breakdowns", (double)no_launch, "events",
                 AZ_SV("included as in HTA; gpu_timeline and gpu_timelines include them only with "
                       "include_unlinked_kernels"));
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    cover(job, ranks, parts);
    int rc = temporal(job, ranks, parts);
    if (rc == 0)
        rc = types(job, ranks, parts);
    if (rc == 0)
        rc = types_by_rank(job, ranks, parts);
    if (rc == 0)
        rc = kernels(job, ranks, parts);
    if (rc == 0)
        rc = overlap(job, ranks, parts);
    if (rc == 0)
        rc = exposed(job, ranks, parts);
    return rc ? rc : notes(job, ranks, parts);
}

/* ---- the part as bytes ---- */

static const struct az_shape_field account_fields[] = {
    AZ_PLAIN(struct az_account, compute),        AZ_PLAIN(struct az_account, comm),
    AZ_PLAIN(struct az_account, copies),         AZ_PLAIN(struct az_account, exposed_comm),
    AZ_PLAIN(struct az_account, exposed_copies), AZ_PLAIN(struct az_account, other),
    AZ_PLAIN(struct az_account, busy),           AZ_PLAIN(struct az_account, idle),
    AZ_PLAIN(struct az_account, total),          AZ_PLAIN(struct az_account, micro),
    AZ_PLAIN(struct az_account, first),          AZ_PLAIN(struct az_account, last),
    AZ_PLAIN(struct az_account, events)
};
/* Lengths: that of an unknown time would be added to others. */
static bool account_valid(const void *of)
{
    const struct az_account *a = of;
    const int64_t length[] = { a->compute, a->comm, a->copies, a->exposed_comm, a->exposed_copies,
                               a->other,   a->busy, a->idle,   a->total,        a->micro };
    bool ok = true;
    for (size_t i = 0; i < AZ_LENGTH(length); i++)
        ok &= length[i] >= 0 && length[i] <= 2 * AZ_SHAPE_I64_MOST;
    return ok;
}
static const struct az_shape account_shape =
    AZ_SHAPE_IF(struct az_account, account_fields, account_valid);
static const struct az_shape_field comm_fields[] = { AZ_TEXT_OF(struct comm_name, name),
                                                     AZ_PLAIN(struct comm_name, n),
                                                     AZ_PLAIN(struct comm_name, sum),
                                                     AZ_PLAIN(struct comm_name, hidden) };
static bool comm_valid(const void *of)
{
    const struct comm_name *c = of;
    return c->sum >= 0 && c->hidden >= 0;
}
static const struct az_shape comm_shape = AZ_SHAPE_IF(struct comm_name, comm_fields, comm_valid);
static bool part_valid(const void *of)
{
    const struct time_part *p = of;
    bool ok = true;
    for (size_t i = 0; i < AZ_LENGTH(p->at_once); i++)
        ok &= p->at_once[i] >= 0 && p->at_once[i] <= 2 * AZ_SHAPE_I64_MOST;
    return ok;
}
static const struct az_shape_field part_fields[] = {
    AZ_PLAIN(struct time_part, ops),
    AZ_PLAIN(struct time_part, left_out),
    AZ_PLAIN(struct time_part, no_launch),
    AZ_NEST_OF(struct time_part, a, account_shape),
    AZ_PLAINS(struct time_part, at_once),
    AZ_NESTS_OF(struct time_part, kernels, az_hta_shape_names),
    AZ_NESTS_OF(struct time_part, notes, az_hta_shape_names),
    AZ_PLAINS(struct time_part, notes_n),
    AZ_LIST_OF(struct time_part, comms, n_comms, comm_shape)
};
static const struct az_shape part_shape = AZ_SHAPE_IF(struct time_part, part_fields, part_valid);

const struct az_rank_analysis az_rank_analysis_breakdown = {
    .name = "rank_breakdown",
    .help = "device time by rank: compute, communication, copies, idle, overlap, kernels",
    .any = AZ_CAP_CALLTREE | AZ_CAP_TIMELINE | AZ_CAP_PROGRAMS,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
