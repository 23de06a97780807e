/* Two results on one basis: per step where both have steps of one kind, else the recordings where
 * they did the same amount of work. */
#include "document/change.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/num.h"
#include "document/times.h"

#define SAME_WORK 0.01 /* numbers of kernels that differ by less are of equal work */
#define PARTIAL   0.1  /* of a window that its steps may leave out, for it to be whole steps */

const char *az_change_reason_id(enum az_change_reason r)
{
    static const char *const id[AZ_CHANGE_REASONS] = {
        [AZ_CHANGE_UNREADABLE_INPUT] = "unreadable_input",
        [AZ_CHANGE_TRUNCATED_INPUT] = "truncated_input",
        [AZ_CHANGE_LOST_DEVICE_EVENTS] = "lost_device_events",
        [AZ_CHANGE_MISSING_RANKS] = "missing_ranks",
        [AZ_CHANGE_DEVICE_DIFFERS] = "device_differs",
        [AZ_CHANGE_STEPS_ON_ONE_SIDE] = "steps_on_one_side",
        [AZ_CHANGE_DIFFERENT_LENGTH] = "different_length",
    };
    return r < AZ_CHANGE_REASONS ? id[r] : NULL;
}

const char *az_change_part_id(size_t part)
{
    static const char *const id[AZ_CHANGE_PARTS] = { "computing", "exposed_communication",
                                                     "exposed_copy", "idle" };
    return part < AZ_CHANGE_PARTS ? id[part] : NULL;
}

/* ---- reading the tables of claims ---- */

/* A fact of the verdict; empty cells leave the number as it is. */
static void read_number(const struct az_document *doc, const char *fact, int64_t *to)
{
    const double x = az_cell_number(az_fact_cell(doc, "verdict_facts", fact, "Value"));
    if (!isnan(x))
        *to = fabs(x) > 9e18 ? 0 : llround(x);
}

static struct az_sv text_of(const struct az_document *doc, const char *fact)
{
    return az_fact_text(doc, "verdict_facts", fact, "Text");
}

static void read_facts(const struct az_document *doc, struct az_change_side *s)
{
    read_number(doc, "steps", &s->steps);
    read_number(doc, "kernels", &s->kernels);
    if (s->whole.span == 0)
        read_number(doc, "kernel_ns", &s->whole.span);
    read_number(doc, "devices_counted", &s->devices);
    s->source = text_of(doc, "step_source");
    s->device = text_of(doc, "device_name");
    s->ranks = text_of(doc, "ranks");
    s->missing = text_of(doc, "missing_ranks");
}

/* Iterations and devices of a classic configuration: what its sums are divided by where no
 * steps are recorded. */
static void read_given(const struct az_document *doc, struct az_change_side *s)
{
    int64_t iters, gpus;
    if (az_parse_i64(az_fact_text(doc, "facts", "option num_of_iters", "Value"), &iters))
        iters = 0;
    if (az_parse_i64(az_fact_text(doc, "facts", "option num_of_gpus", "Value"), &gpus))
        gpus = 1;
    if (s->steps > 0 || iters < 1)
        return;
    s->steps = iters;
    s->source = AZ_SV("num_of_iters");
    if (s->has_account)
        return; /* that of a device */
    s->gpus = gpus > 0 ? gpus : 1;
    s->whole.span /= s->gpus;
}

static bool is_window(const struct az_document *doc)
{
    const struct az_table *t = az_document_table(doc, "account");
    return t && t->rows > 0 &&
           az_sv_is(az_cell_text(az_table_at(t, 0, 0)), az_account_scope_id(AZ_SCOPE_WINDOW));
}

/* A window may begin or end inside a step: is it more than the one step that is whole in it? Such a
 * step has no distance to another to be compared. */
static bool has_parts_of_steps(const struct az_document *doc, const struct az_change_side *s)
{
    int64_t period = 0;
    read_number(doc, "step_period_ns", &period);
    return period == 0 && s->step.span > 0 && is_window(doc) &&
           (double)(s->whole.span - s->step.span) > PARTIAL * (double)s->whole.span;
}

/* How many steps the scope is long. Parts of steps are in a window that are no steps of their own,
 * and the last mark of a file has no end. */
static double steps_of_scope(const struct az_document *doc, const struct az_change_side *s)
{
    const double n = (double)s->counted, span = (double)s->whole.span;
    int64_t period = 0;
    read_number(doc, "step_period_ns", &period);
    if (period <= 0 || !is_window(doc))
        return n;
    return fabs(span - n * (double)period) <= PARTIAL * span ? n : span / (double)period;
}

/* Without a median step: the scope, divided by its steps. */
static void divide_scope(struct az_change_side *s, double n)
{
    const struct az_claim_account *w = &s->whole;
    if (s->step.span > 0 || n <= 0)
        return;
    s->step = (struct az_claim_account){
        .span = (int64_t)((double)w->span / n),
        .computing = (int64_t)((double)w->computing / n),
        .exposed_communication = (int64_t)((double)w->exposed_communication / n),
        .exposed_copy = (int64_t)((double)w->exposed_copy / n),
        .communication = (int64_t)((double)w->communication / n),
        .copy = (int64_t)((double)w->copy / n),
    };
    s->step.idle =
        s->step.span - s->step.computing - s->step.exposed_communication - s->step.exposed_copy;
}

/* Of several ranks the mean of theirs. */
static int64_t idle_of_last_step(const struct az_document *doc)
{
    const struct az_table *t = az_document_table(doc, "steps");
    const ptrdiff_t period = t && az_is_read(t) ? az_time_column(t, "period") : -1,
                    idle = period >= 0 ? az_time_column(t, "idle") : -1;
    double sum = 0;
    size_t n = 0;
    for (size_t r = 0; idle >= 0 && r < t->rows; r++)
        if (isnan(az_cell_number(az_table_at(t, r, (size_t)period)))) {
            sum += az_time_at(t, r, idle);
            n++;
        }
    return n ? llround(sum / (double)n) : -1;
}

/* A result without claims: the account that its tables have, if they have one. */
static void read_time(const struct az_document *doc, struct az_change_side *s)
{
    struct az_sum_of_time t;
    az_time_of_document(doc, &t);
    s->known = true;
    if (!t.known)
        return;
    s->whole = (struct az_claim_account){ .span = t.total,
                                          .computing = t.parted ? t.compute : t.busy,
                                          .exposed_communication = t.comm,
                                          .exposed_copy = t.copies,
                                          .idle = t.idle };
    s->has_account = t.parted && t.total > 0;
    s->devices = (int64_t)t.devices;
}

void az_change_side_of(const struct az_document *doc, struct az_change_side *out)
{
    *out = (struct az_change_side){ .devices = 1, .gpus = 1, .last_idle = -1 };
    if (!doc)
        return;
    out->claimed = az_document_table(doc, "verdict_facts") != NULL;
    if (!out->claimed) {
        read_time(doc, out);
        return;
    }
    out->has_account = az_claims_accounts(doc, &out->whole, &out->step);
    az_claims_trust(doc, out->trust);
    read_facts(doc, out);
    read_given(doc, out);
    out->known = out->whole.span > 0;
    out->has_steps = out->steps > 0 && out->known && !has_parts_of_steps(doc, out);
    out->counted = out->steps - (text_of(doc, "excluded_step").n > 0);
    out->single = out->has_steps && out->counted == 1 && out->step.span == 0;
    out->last_idle = idle_of_last_step(doc);
    if (out->has_steps)
        divide_scope(out, steps_of_scope(doc, out));
}

int64_t az_change_gap(const struct az_change_side *x, const struct az_change_side *y)
{
    if (x->single == y->single)
        return 0;
    if (x->single)
        return -az_change_gap(y, x);
    return x->last_idle >= 0 && x->step.idle > x->last_idle ? x->step.idle - x->last_idle : 0;
}

struct az_claim_account az_change_step(const struct az_change_side *x,
                                       const struct az_change_side *y)
{
    struct az_claim_account step = x->step;
    const int64_t gap = az_change_gap(x, y);
    step.span -= gap > 0 ? gap : 0;
    step.idle -= gap > 0 ? gap : 0;
    return step;
}

/* ---- the change ---- */
static bool failed(const struct az_change_side *a, const struct az_change_side *b,
                   enum az_check check)
{
    return a->trust[check].status == AZ_CHECK_FAIL || b->trust[check].status == AZ_CHECK_FAIL;
}

static bool has_number(struct az_sv list, struct az_sv number)
{
    while (list.n)
        if (az_sv_eq(az_sv_cut(&list, ' '), number))
            return true;
    return false;
}

/* Does one side lack a rank that the other has? */
static bool lacks_ranks(const struct az_change_side *x, const struct az_change_side *y)
{
    struct az_sv missing = x->missing;
    while (missing.n)
        if (has_number(y->ranks, az_sv_cut(&missing, ' ')))
            return true;
    return false;
}

static bool same_work(const struct az_change_side *a, const struct az_change_side *b)
{
    const double most = (double)(a->kernels > b->kernels ? a->kernels : b->kernels);
    return most <= 0 || fabs((double)(a->kernels - b->kernels)) <= SAME_WORK * most;
}

static enum az_change_reason reason_of(const struct az_change_side *a,
                                       const struct az_change_side *b,
                                       const struct az_change_opts *o)
{
    if (!a->known || !b->known)
        return AZ_CHANGE_UNREADABLE_INPUT;
    if (failed(a, b, AZ_CHECK_TRUNCATED_INPUT))
        return AZ_CHANGE_TRUNCATED_INPUT;
    if (failed(a, b, AZ_CHECK_LOST_DEVICE_EVENTS))
        return AZ_CHANGE_LOST_DEVICE_EVENTS;
    if (lacks_ranks(a, b) || lacks_ranks(b, a))
        return AZ_CHANGE_MISSING_RANKS;
    if (o->by_device && a->device.n && b->device.n && !az_sv_eq(a->device, b->device))
        return AZ_CHANGE_DEVICE_DIFFERS;
    if (o->by_recording)
        return AZ_CHANGE_COMPARABLE;
    if (a->has_steps != b->has_steps || (a->has_steps && !az_sv_eq(a->source, b->source)))
        return AZ_CHANGE_STEPS_ON_ONE_SIDE;
    if (!a->has_steps && !same_work(a, b))
        return AZ_CHANGE_DIFFERENT_LENGTH;
    return AZ_CHANGE_COMPARABLE;
}

static void put_parts(struct az_change *c, const struct az_claim_account *a, size_t side)
{
    c->part[AZ_CHANGE_COMPUTING][side] = a->computing;
    c->part[AZ_CHANGE_COMMUNICATION][side] = a->exposed_communication;
    c->part[AZ_CHANGE_COPY][side] = a->exposed_copy;
    c->part[AZ_CHANGE_IDLE][side] = a->idle;
}

void az_change_make(const struct az_change_side *a, const struct az_change_side *b,
                    const struct az_change_opts *o, struct az_change *out)
{
    const bool per_step =
        a->has_steps && b->has_steps && az_sv_eq(a->source, b->source) && !o->by_recording;
    const struct az_claim_account x = per_step ? az_change_step(a, b) : a->whole,
                                  y = per_step ? az_change_step(b, a) : b->whole;
    *out = (struct az_change){ .input = AZ_SV(""),
                               .per_step = per_step,
                               .noun = az_change_step_noun(a->source),
                               .reason = reason_of(a, b, o),
                               .a_ns = x.span,
                               .b_ns = y.span,
                               .a_steps = a->has_steps ? a->steps : 0,
                               .b_steps = b->has_steps ? b->steps : 0,
                               .counted = { a->has_steps ? a->counted : 0,
                                            b->has_steps ? b->counted : 0 },
                               .share = NAN,
                               .unmatched_share = NAN,
                               .has_parts = a->has_account && b->has_account };
    out->comparable = out->reason == AZ_CHANGE_COMPARABLE;
    if (out->a_ns > 0 && out->b_ns > 0)
        out->share = (double)out->b_ns / (double)out->a_ns - 1;
    put_parts(out, &x, 0);
    put_parts(out, &y, 1);
}

/* ---- words ---- */
const char *az_change_step_noun(struct az_sv source)
{
    return az_sv_is(source, "kernel_pattern") ? "repeat" : "step";
}

struct az_sv az_change_source_text(struct az_sv id)
{
    static const struct {
        const char *id, *words;
    } known[] = { { "profiler_step", "ProfilerStep" },
                  { "serving_mark", "serving engine marks" },
                  { "user_range", "configured range" },
                  { "named_range", "step ranges" },
                  { "step_annotation", "step annotations" },
                  { "device_steps", "device step line" },
                  { "program_runs", "program runs" },
                  { "signpost", "signposts" },
                  { "trace_replay", "trace replays" },
                  { "kernel_pattern", "repeating kernels, no step marks" } };
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (az_sv_is(id, known[i].id))
            return az_sv_str(known[i].words);
    return id;
}

static struct az_sv steps_text(struct az_arena *a, const struct az_change_side *s)
{
    const char *noun = az_change_step_noun(s->source);
    if (!s->has_steps && s->steps > 0)
        return az_arena_printf(a, "1 %s and parts of others (%.*s)", noun,
                               AZ_SVF(az_change_source_text(s->source)));
    if (!s->has_steps)
        return AZ_SV("no steps");
    return az_arena_printf(a, "%" PRId64 " %s%s (%.*s)", s->steps, noun, s->steps == 1 ? "" : "s",
                           AZ_SVF(az_change_source_text(s->source)));
}

struct az_sv az_change_text_of(struct az_arena *a, const struct az_change *c,
                               const struct az_change_side *x, const struct az_change_side *y,
                               struct az_sv x_name, struct az_sv y_name)
{
    const bool truncated = x->trust[AZ_CHECK_TRUNCATED_INPUT].status == AZ_CHECK_FAIL,
               lost = x->trust[AZ_CHECK_LOST_DEVICE_EVENTS].status == AZ_CHECK_FAIL,
               lacks = lacks_ranks(x, y);

    switch (c->reason) {
    case AZ_CHANGE_UNREADABLE_INPUT:
        return az_arena_printf(a, "%.*s has no device activity",
                               AZ_SVF(x->known ? y_name : x_name));
    case AZ_CHANGE_TRUNCATED_INPUT:
        return az_arena_printf(a, "%.*s is truncated", AZ_SVF(truncated ? x_name : y_name));
    case AZ_CHANGE_LOST_DEVICE_EVENTS:
        return az_arena_printf(a, "device events are missing in %.*s",
                               AZ_SVF(lost ? x_name : y_name));
    case AZ_CHANGE_MISSING_RANKS:
        return az_arena_printf(a, "%.*s has no files for ranks %.*s",
                               AZ_SVF(lacks ? x_name : y_name),
                               AZ_SVF(lacks ? x->missing : y->missing));
    case AZ_CHANGE_DEVICE_DIFFERS:
        return az_arena_printf(a, "devices differ: %.*s and %.*s", AZ_SVF(x->device),
                               AZ_SVF(y->device));
    case AZ_CHANGE_STEPS_ON_ONE_SIDE:
        if (x->has_steps && y->has_steps)
            return az_arena_printf(a, "different kinds of steps, %.*s in %.*s, %.*s in %.*s",
                                   AZ_SVF(az_change_source_text(x->source)), AZ_SVF(x_name),
                                   AZ_SVF(az_change_source_text(y->source)), AZ_SVF(y_name));
        return az_arena_printf(a, "%.*s in %.*s, %.*s in %.*s", AZ_SVF(steps_text(a, x)),
                               AZ_SVF(x_name), AZ_SVF(steps_text(a, y)), AZ_SVF(y_name));
    case AZ_CHANGE_DIFFERENT_LENGTH:
        return az_arena_printf(a, "no steps, and %" PRId64 " kernel%s in %.*s, %" PRId64 " in %.*s",
                               x->kernels, x->kernels == 1 ? "" : "s", AZ_SVF(x_name), y->kernels,
                               AZ_SVF(y_name));
    default:
        return AZ_SV("");
    }
}

struct az_sv az_change_text(struct az_arena *a, const struct az_change *c,
                            const struct az_change_side *x, const struct az_change_side *y)
{
    return az_change_text_of(a, c, x, y, AZ_SV("the baseline"), AZ_SV("the candidate"));
}

const char *az_change_single_step(const struct az_change *c)
{
    if (c->counted[0] == 2 && c->counted[1] == 2)
        return "one period each"; /* from start to start */
    if (c->counted[0] != 1 || c->counted[1] != 1)
        return NULL;
    return strcmp(c->noun, "step") == 0 ? "one step each" : "one repeat each";
}
