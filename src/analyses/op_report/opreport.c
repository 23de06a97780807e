/* The report of operations: its steps in their order (opreport.h). */
#include "analyses/op_report/opreport.h"

#include <math.h>

#include "analyses/registry_list.h"
#include "facts/families.h"

static int init_report(struct az_op_report *t, struct az_job *job)
{
    size_t i = 0;
    while (!(job->traces[i]->caps & AZ_CAP_OPREPORT))
        i++;
    *t = (struct az_op_report){
        .job = job, .trace = job->traces[i], .r = az_opreport(job->traces[i]), .o = job->opts
    };
    t->last_mark = AZ_NO_ID;
    t->first = az_sv_is(t->o->op_rules, "first");
    az_vec_init(&t->sigs, job->mem);
    az_vec_init(&t->rows, job->mem);
    az_vec_init(&t->advices, job->mem);
    az_vec_init(&t->notes, job->mem);
    t->codes = az_arena_array(job->arena, t->trace->names.text.n + 1, sizeof *t->codes);
    az_map_init(&t->sig_of, job->mem, 256);
    az_map_init(&t->advice_of, job->mem, 256);
    int rc = az_op_report_rules(job->arena, &t->rules);
    return rc ? rc : t->codes ? 0 : az_arena_error(job->arena);
}

static void release(struct az_op_report *t)
{
    az_vec_release(&t->sigs);
    az_vec_release(&t->rows);
    az_vec_release(&t->notes);
    az_vec_release(&t->advices);
    az_map_release(&t->sig_of);
    az_map_release(&t->advice_of);
}

uint8_t az_op_report_suspect(const struct az_op_report *t, const struct az_op_report_row *row)
{
    const struct az_oprow *r = az_op_report_oprow(t, row);
    const double kernel = isnan(row->kernel) ? r->kernel : row->kernel;
    uint8_t s = 0;
    if (r->kind == AZ_OPROW_SIGNPOST)
        return 0;
    s |= kernel < 0 ? TT_SUSPECT_NEGATIVE : 0;
    s |= r->kernel > r->firmware ? TT_SUSPECT_FIRMWARE : 0;
    s |= r->impossible && !s ? TT_SUSPECT_COVERED : 0;
    s |= kernel / 1000 > t->o->max_op_us ? TT_SUSPECT_LONG : 0;
    s |= r->gap < 0 && !(t->overlap && t->overlap[row->row] >= 1) ? TT_SUSPECT_GAP : 0;
    s |= fabs(r->gap) / 1000 > t->o->max_gap_us ? TT_SUSPECT_FAR : 0;
    return s;
}

#define FAR_GAP                                                                                    \
    1e6 /* ns: next to an operation without a valid time a longer gap is invalid, too              \
         */

/* The first row has no row before it. In the first version neither has a row after one without a
 * gap. */
static void mark_gaps(struct az_op_report *t)
{
    bool seen = false, before_invalid = false;
    double before = NAN;
    for (size_t i = 0; i < t->rows.n; i++) {
        struct az_op_report_row *r = &t->rows.v[i];
        const struct az_oprow *x = az_op_report_oprow(t, r);
        const bool signpost = x->kind == AZ_OPROW_SIGNPOST;
        const bool invalid = x->kind == AZ_OPROW_DEVICE && (x->impossible || !x->timed);
        r->no_gap = t->first ? i == 0 || isnan(before) : !seen && !signpost;
        r->no_gap |= !t->first && (before_invalid || invalid) && fabs(x->gap) > FAR_GAP;
        before_invalid = signpost ? before_invalid : invalid;
        seen |= !signpost;
        before = x->gap;
    }
}

static int rate_rows(struct az_op_report *t)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->rows.n; i++) {
        rc = az_op_report_sig(t, t->rows.v[i].row, &t->rows.v[i].sig);
        t->rows.v[i].suspect = az_op_report_suspect(t, &t->rows.v[i]);
    }
    mark_gaps(t);
    return rc;
}

/* Marks that need the overlap of the rows shown. */
static void mark_rows(struct az_op_report *t)
{
    struct az_op_report_figures f;
    for (size_t i = 0; i < t->rows.n; i++) {
        struct az_op_report_row *r = &t->rows.v[i];
        r->suspect = az_op_report_suspect(t, r);
        if (r->no_gap) /* which is not shown, and does not count */
            r->suspect &= (uint8_t) ~(TT_SUSPECT_GAP | TT_SUSPECT_FAR);
        az_op_report_figures(t, r, &f);
        r->suspect |= az_op_report_rate_impossible(&f) ? TT_SUSPECT_RATE : 0;
    }
}

/* Range of ids, then host rows, then impossible ones. */
static int filter(struct az_op_report *t)
{
    bool range = t->o->id_range.n > 0,
         first_left = range; /* the first row of a range has no row before it */
    size_t n = 0;

    if (range && !az_op_report_id_range(t->o->id_range, &t->range_low, &t->range_high))
        return az_diag_fail(
            t->job->diag, AZ_ECONFIG, AZ_AT_FILE(t->trace->path),
            "invalid id_range '%.*s'; use a range like \"5-10\", \"31-\" or \"-12\"",
            AZ_SVF(t->o->id_range));
    if (range && t->range_low > t->range_high)
        return az_diag_fail(t->job->diag, AZ_ECONFIG, AZ_AT_FILE(t->trace->path),
                            "invalid id_range '%.*s': end before start", AZ_SVF(t->o->id_range));
    for (size_t i = 0; i < t->rows.n; i++) {
        struct az_op_report_row r = t->rows.v[i];
        bool out = range && (az_op_report_oprow(t, &r)->line < t->range_low ||
                             az_op_report_oprow(t, &r)->line > t->range_high);
        bool host = !out && t->o->no_host_ops && az_op_report_sig_of(t, &r)->kind == TT_HOST;
        bool impossible = !out && !host && t->o->drop_impossible && r.suspect & TT_SUSPECT_TIME;
        t->out_of_range += out;
        t->host_dropped += host;
        t->impossible_dropped += impossible;
        r.no_gap |= first_left && !out;
        r.no_gap |= t->o->drop_impossible && r.suspect & TT_SUSPECT_FAR;
        first_left &= out || az_op_report_sig_of(t, &r)->kind == TT_SIGNPOST;
        if (!out && !host && !impossible)
            t->rows.v[n++] = r;
    }
    t->rows.n = n;
    if (range)
        az_op_report_note(t, "ids %.*s only: %llu rows skipped", AZ_SVF(t->o->id_range),
                          (unsigned long long)t->out_of_range);
    if (t->host_dropped)
        az_op_report_note(t, "%llu host operations skipped (no_host_ops)",
                          (unsigned long long)t->host_dropped);
    if (t->impossible_dropped)
        az_op_report_note(t, "%llu invalid rows skipped (drop_impossible)",
                          (unsigned long long)t->impossible_dropped);
    return 0;
}

static void sum_up(struct az_op_report *t)
{
    for (size_t i = 0; i < t->rows.n; i++) {
        uint8_t kind = az_op_report_sig_of(t, &t->rows.v[i])->kind;
        t->time += az_op_report_row_ns(t, &t->rows.v[i]);
        t->gap += az_op_report_row_gap_ns(t, &t->rows.v[i]);
        t->overlapped += az_op_report_row_overlap_ns(t, &t->rows.v[i]);
        t->invalid += kind != TT_HOST && kind != TT_SIGNPOST && isnan(t->rows.v[i].kernel);
        t->counts.host += kind == TT_HOST;
        t->counts.signposts += kind == TT_SIGNPOST && !t->first;
        t->counts.device += kind != TT_HOST && (kind != TT_SIGNPOST || t->first);
    }
    t->time /= 1000;
    t->gap /= 1000;
    t->overlapped /= 1000;
    t->total = t->time + t->gap;
    if (t->invalid)
        az_op_report_note(t,
                          "%llu of %llu device operations without a valid time: blank, not in "
                          "totals",
                          (unsigned long long)t->invalid, (unsigned long long)t->counts.device);
    if (t->overlapped > 0)
        az_op_report_note(t, "%.1f us (%.1f%%) of device time overlaps other operations",
                          t->overlapped, t->overlapped / t->time * 100);
}

/* The operations reported are the device work by family, but for those with impossible times: as
 * the verdict has them. */
static int add_families(struct az_op_report *t)
{
    struct az_job *job = t->job;
    size_t trace = 0;
    int rc = 0;
    while (job->traces[trace] != t->trace)
        trace++;
    for (size_t i = 0; rc == 0 && i < t->rows.n; i++) {
        const uint8_t kind = az_op_report_sig_of(t, &t->rows.v[i])->kind;
        if (kind == TT_HOST || kind == TT_SIGNPOST || t->rows.v[i].suspect & TT_SUSPECT_KERNEL)
            continue;
        const uint32_t name = az_job_name(job, trace, az_op_report_oprow(t, &t->rows.v[i])->code);
        rc = az_job_families_add(job, az_job_family(job, name), 1,
                                 llround(az_op_report_row_ns(t, &t->rows.v[i])));
    }
    return rc;
}

static void say_merge(struct az_op_report *t)
{
    const struct az_op_report_merge_notes *m = &t->merge;
    if (t->r->devices > 1 && t->o->no_merge_devices)
        az_op_report_note(t, "%lld devices, not merged", (long long)t->r->devices);
    else if (t->r->devices > 1)
        az_op_report_note(t, "%lld devices, merged by %s into %llu operations",
                          (long long)t->r->devices, m->by_call ? "call count" : "name",
                          (unsigned long long)m->blocks);
    if (m->incomplete && !t->first) {
        struct az_sv name = az_op_report_text(t, m->first_code);
        az_diag_add(
            t->job->diag, AZ_WARNING, AZ_AT_FILE(t->trace->path),
            "%llu of %llu operations missing on some of %lld devices, first 'operation %llu, %.*s' "
            "(%s)",
            (unsigned long long)m->incomplete, (unsigned long long)m->blocks,
            (long long)t->r->devices, (unsigned long long)m->first_block, AZ_SVF(name),
            m->by_call
                ? "values cover the devices that ran them"
                : "matched by name: this and later operations of the same name may be mismatched");
    }
}

static void cover(struct az_op_report *t)
{
    struct az_job *j = t->job;
    uint64_t dropped = t->out_of_range + t->host_dropped + t->impossible_dropped;
    az_cover(j, "operation rows reported", (double)t->rows.n, "",
             az_arena_printf(j->arena, "of %zu rows in the file", t->r->rows.n));
    if (dropped)
        az_cover(j, "operation rows skipped by options", (double)dropped, "",
                 AZ_SV("id_range, no_host_ops, drop_impossible"));
    az_cover(j, "device time reported", t->time * 1000, "ns",
             AZ_SV("kernel time of reported rows, devices merged"));
    for (size_t i = 0; i < t->notes.n; i++)
        az_cover(j, "note", 0.0 / 0.0, "", t->notes.v[i]);
}

/* What needs much memory of its own comes before the largest table, so that both are never there at
 * once. */
static int tables(struct az_op_report *t)
{
    static int (*const early[])(struct az_op_report *) = {
        az_op_report_models, az_op_report_signposts, az_op_report_iterations, az_op_report_replays
    };
    int rc = 0;
    t->hold = true;
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(early); i++)
        rc = early[i](t);
    t->hold = false;
    if (rc == 0)
        rc = az_op_report_ops(t);
    if (rc == 0)
        rc = az_op_report_stacked(t);
    for (size_t i = 0; i < t->n_held; i++) {
        if (rc == 0)
            rc = az_document_add(t->job->doc, t->held[i]);
        else
            az_table_free(t->held[i]);
    }
    return rc;
}

/* Why no operation is left, and which option helps. */
static void say_empty(const struct az_op_report *t)
{
    const struct az_sv mark = az_op_report_text(t, t->last_mark);
    bool any = false;
    for (size_t i = 0; i < t->r->rows.n && !any; i++)
        any = t->r->rows.v[i].kind != AZ_OPROW_SIGNPOST;
    if (t->nothing_after && any)
        az_diag_add(t->job->diag, AZ_WARNING, AZ_AT_FILE(t->trace->path),
                    "no operations after the last signpost '%.*s'; set last_signpost=first to "
                    "start at the first of that name, start_signpost and end_signpost to select "
                    "others, or ignore_signposts=true",
                    AZ_SVF(mark));
    else
        az_diag_add(t->job->diag, AZ_WARNING, AZ_AT_FILE(t->trace->path),
                    "no operations to report (%s)",
                    any ? "check the signpost and range options, or set ignore_signposts=true"
                    : t->r->rows.n ? "only signposts in the file"
                                   : "no rows in the file");
}

static int run_opreport(struct az_job *job)
{
    struct az_op_report t;
    int rc = init_report(&t, job);

    if (rc == 0)
        rc = az_op_report_device(&t);
    if (rc == 0)
        rc = az_op_report_select(&t, false, &t.rows);
    t.nothing_after = t.last_mark != AZ_NO_ID && t.rows.n == 0;
    if (rc == 0)
        rc = rate_rows(&t);
    if (rc == 0)
        rc = filter(&t);
    if (rc == 0 && !t.first)
        rc = az_op_report_overlap(&t);
    if (rc == 0) {
        mark_rows(&t);
        say_merge(&t);
        sum_up(&t);
        if (t.counts.device + t.counts.host == 0)
            say_empty(&t);
        rc = add_families(&t);
    }
    if (rc == 0)
        rc = tables(&t);
    if (rc == 0)
        rc = az_op_report_verdict(&t);
    if (rc == 0)
        rc = az_op_report_quality(&t); /* it holds the totals, too */
    if (rc == 0)
        cover(&t);
    release(&t);
    return rc == 0 && job->arena->failed ? az_arena_error(job->arena) : rc;
}

const struct az_analysis az_analysis_tt = {
    .name = "operations",
    .help = "report operations with rates, bounds, advice; stacked summary, signposts, iterations, "
            "data quality",
    .needs = AZ_CAP_OPREPORT,
    .run = run_opreport,
    .alone = true,
};
