/* Advice: fixes for host operations, gaps and slow matmuls (conditions: docs/formats-tracy.md 14).
 */
#include <math.h>
#include <stdio.h>

#include "analyses/op_report/findings.h"
#include "base/sort.h"
#include "document/record.h"

static void add_advice(struct az_op_report_advice *a, struct az_sv text)
{
    if (a->n < TT_ADVICE_MAX && text.n)
        a->text[a->n++] = text;
}

static void add_fidelity(struct az_op_report_advice *a, const struct az_op_report_sig *s)
{
    if (s->advice)
        add_advice(a, az_sv_str(s->advice));
}

static void dram_bound(struct az_op_report *t, const struct az_op_report_sig *s,
                       const struct az_opargs *x, const struct az_op_report_figures *f,
                       struct az_op_report_advice *a)
{
    if (!x->dram_sharded && !s->sparse)
        add_advice(a, AZ_SV("DRAM-bound: use a DRAM-sharded program config "
                            "(MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig)"));
    if (s->verdict == AZ_FIT_TOO_HIGH ||
        (s->verdict == AZ_FIT_TOO_LOW && f->flops_percent < t->o->low_flops_percent))
        add_fidelity(a, s);
}

static void flop_bound(struct az_op_report *t, const struct az_op_report_row *row,
                       const struct az_op_report_sig *s, const struct az_op_report_figures *f,
                       struct az_op_report_advice *a)
{
    const double budget = az_op_report_budget(t, row);
    if (f->cores < budget && !az_op_report_args_of(t, row)->dram_sharded)
        add_advice(a, az_arena_printf(t->job->arena, "use more cores: %.0f of %.0f in use",
                                      f->cores, budget));
    if (s->verdict == AZ_FIT_TOO_HIGH)
        add_fidelity(a, s);
}

static bool has_subblock(const struct az_opargs *x)
{
    return x->subblock_h >= 0 && x->subblock_w >= 0;
}

bool az_op_report_small_blocks(const struct az_opargs *x)
{
    return x->block_w < 2 ||
           (!x->dram_sharded && (!has_subblock(x) || (int64_t)x->subblock_h * x->subblock_w < 2));
}

struct az_sv az_op_report_input_elsewhere(struct az_op_report *t, const struct az_opargs *x)
{
    const struct az_sv memory = az_op_report_text(t, x->t[AZ_IN0].memory);

    return az_sv_find(memory, AZ_SV("L1")) < 0 ? memory : AZ_SV("");
}

static void program_config(struct az_op_report *t, const struct az_opargs *x,
                           struct az_op_report_advice *a)
{
    struct az_arena *arena = t->job->arena;

    if (x->block_w < 0)
        add_advice(a, AZ_SV("set in0_block_w in the program config"));
    else if (x->block_w < 2)
        add_advice(
            a, az_arena_printf(arena, "in0_block_w=%d is small; try 2 or more", (int)x->block_w));
    if (x->dram_sharded)
        return;
    if (!has_subblock(x))
        add_advice(a, AZ_SV("set the output subblock in the program config"));
    else if ((int64_t)x->subblock_h * x->subblock_w < 2)
        add_advice(
            a,
            az_arena_printf(
                arena,
                "output subblock %dx%d is small; try out_subblock_h * out_subblock_w of 2 or more",
                (int)x->subblock_h, (int)x->subblock_w));
    if (!az_op_report_small_blocks(x))
        add_advice(a, az_arena_printf(
                          arena, "slow with reasonable in0_block_w=%d and output subblock %dx%d",
                          (int)x->block_w, (int)x->subblock_h, (int)x->subblock_w));
}

static void advise_slow(struct az_op_report *t, const struct az_op_report_sig *s,
                        const struct az_opargs *x, struct az_op_report_advice *a)
{
    const struct az_sv memory = az_op_report_input_elsewhere(t, x);
    if (memory.n)
        add_advice(a,
                   az_arena_printf(t->job->arena, "place input 0 in L1 if it fits (it is in %.*s)",
                                   AZ_SVF(memory)));
    if (x->block_w < 0 && x->subblock_h < 0 && x->subblock_w < 0) {
        add_advice(a, AZ_SV("program_config missing; set in0_block_w and the output subblock"));
        return;
    }
    program_config(t, x, a);
    add_fidelity(a, s);
}

static const char *not_judged(const struct az_op_report *t, const struct az_op_report_row *row,
                              const struct az_op_report_sig *s)
{
    if (!(row->kernel > 0))
        return "no kernel time";
    if (s->why_not)
        return s->why_not;
    if (!t->has_peaks)
        return "unknown peaks for this architecture";
    if (s->fidelity >= AZ_FIDELITIES)
        return "math fidelity blank or unknown";
    if (s->in_dram && isnan(s->dram_bytes))
        return "a shape or type of a tensor in DRAM is missing";
    return "DRAM and FLOP rates unknown";
}

static int judge(struct az_op_report *t, const struct az_op_report_row *row,
                 const struct az_op_report_figures *f, struct az_op_report_advice *a)
{
    const struct az_op_report_sig *s = az_op_report_sig_of(t, row);
    const struct az_opargs *x = az_op_report_args_of(t, row);
    struct az_vec_char all;

    if (az_op_report_rate_impossible(f))
        a->not_judged = "rate above the peak: check device, fidelity and duration";
    else if (f->bound == TT_DRAM || f->bound == TT_BOTH)
        dram_bound(t, s, x, f, a);
    else if (f->bound == TT_FLOP)
        flop_bound(t, row, s, f, a);
    else if (f->bound == TT_SLOW)
        advise_slow(t, s, x, a);
    else
        a->not_judged = not_judged(t, row, s);
    az_vec_init(&all, t->job->mem);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < a->n; i++)
        rc = az_text_printf(&all, "%s%.*s", i ? " • " : "", AZ_SVF(a->text[i]));
    a->joined = az_arena_dup(t->job->arena, az_text_view(&all));
    az_vec_release(&all);
    return rc;
}

/* Advice on a matrix product; NULL without memory. Rows of equal findings share it. */
static const struct az_op_report_advice *advise(struct az_op_report *t,
                                                const struct az_op_report_row *row,
                                                const struct az_op_report_figures *f)
{
    uint64_t cores = isnan(f->cores) ? 0 : (uint64_t)f->cores + 1;
    uint64_t key = (uint64_t)f->bound |
                   (uint64_t)(f->flops_percent < t->o->low_flops_percent) << 4 |
                   (uint64_t)(row->kernel > 0) << 5 |
                   (uint64_t)az_op_report_rate_impossible(f) << 6 | cores << 8;
    uint32_t *at;
    bool added;
    if (az_map_put(&t->advice_of, row->sig, key, (uint32_t)t->advices.n, &at, &added) != 0)
        return NULL;
    if (!added)
        return t->advices.v[*at];
    struct az_op_report_advice *a = az_arena_alloc(t->job->arena, sizeof *a);
    if (!a || az_vec_push(&t->advices, a) != 0)
        return NULL;
    return judge(t, row, f, a) ? NULL : a;
}

struct az_sv az_op_report_advice_text(struct az_op_report *t, const struct az_op_report_row *row,
                                      const struct az_op_report_figures *f)
{
    if (az_op_report_sig_of(t, row)->kind != TT_MATMUL)
        return AZ_SV("");
    const struct az_op_report_advice *a = advise(t, row, f);
    if (!a)
        t->job->arena->failed = true;
    return a ? a->joined : AZ_SV("");
}

/* ---- the table and the printed section ---- */

/* Rows of the table: the advice on an operation and its arguments, over all rows that have it.
 */
struct advice_text {
    uint8_t section;
    enum az_op_report_bound bound;
    size_t first; /* row */
    uint64_t n;
    double time, gap; /* ns: sums are exact */
    struct az_sv text;
};
AZ_VEC(struct advice_text, saids);
static const char *const sections[] = { "fallback", "gap", "product", "not evaluated" };
enum { FALLBACK, GAP, PRODUCT, NOT_JUDGED };

/* Rows that print the same: one line with a count. */
struct same_advice {
    size_t first; /* row */
    uint64_t n;
    double time, gap;                         /* ns */
    const struct az_op_report_advice *advice; /* of a product */
    enum az_op_report_bound bound;
};
AZ_VEC(struct same_advice, same_advices);

struct section {
    struct az_op_report *t;
    struct az_form *form;
    struct az_map groups; /* of the section being printed: signature, advice -> same_advice */
    struct same_advices same_advice;
    struct az_map index; /* section and signature, text -> advice_text */
    struct saids advice_text;
    int rc;
};

static void put_line(struct section *s, struct az_sv text)
{
    if (s->rc == 0)
        s->rc = az_form_text(s->form, text, false);
}

static void heading(struct section *s, const char *title)
{
    char rule[64];
    size_t n = strlen(title) < sizeof rule - 1 ? strlen(title) : sizeof rule - 1;
    memset(rule, '-', n);
    put_line(s, AZ_SV(""));
    put_line(s, az_sv_str(title));
    put_line(s, az_arena_dup(s->t->job->arena, az_sv_make(rule, n)));
}

static void again(struct section *s, size_t row)
{
    if (s->rc == 0)
        s->rc = az_form_row(s->form, row);
}

/* Counts a row among those like it: the same operation and arguments, bound and advice. */
static struct same_advice *count(struct section *s, size_t i, enum az_op_report_bound bound,
                                 uint64_t advice)
{
    const struct az_op_report_row *row = &s->t->rows.v[i];
    uint64_t key = (uint64_t)row->sig << 8 | (uint64_t)bound;
    uint32_t *at;
    bool added = false;

    if (s->rc == 0)
        s->rc = az_map_put(&s->groups, key, advice, (uint32_t)s->same_advice.n, &at, &added);
    if (s->rc == 0 && added)
        s->rc = az_vec_push(&s->same_advice, ((struct same_advice){ .first = i, .bound = bound }));
    if (s->rc)
        return NULL;
    struct same_advice *one = &s->same_advice.v[*at];
    one->n++;
    one->time += az_op_report_row_ns(s->t, row);
    one->gap += az_op_report_row_gap_ns(s->t, row);
    return one;
}

static void begin_group(struct section *s)
{
    az_map_release(&s->groups);
    s->same_advice.n = 0;
    az_map_init(&s->groups, s->t->job->mem, 64);
}

/* The first row, and how many like it there are. */
static void print_alike(struct section *s, const struct same_advice *one)
{
    again(s, one->first);
    if (one->n > 1)
        put_line(
            s, az_arena_printf(s->t->job->arena, "  and %llu similar: total %.0f μs, gaps %.0f μs",
                               (unsigned long long)one->n - 1, one->time / 1000, one->gap / 1000));
}

static void put_advice(struct section *s, uint8_t section, size_t i,
                       const struct az_op_report_figures *f, struct az_sv text)
{
    uint64_t key = (uint64_t)s->t->rows.v[i].sig << 8 | (uint64_t)section << 4 | (uint64_t)f->bound;
    uint32_t *at;
    bool added = false;
    if (s->rc == 0)
        s->rc = az_map_put(&s->index, key, az_hash(text.p, text.n), (uint32_t)s->advice_text.n, &at,
                           &added);
    if (s->rc == 0 && added)
        s->rc = az_vec_push(&s->advice_text,
                            ((struct advice_text){
                                .section = section, .bound = f->bound, .first = i, .text = text }));
    if (s->rc)
        return;
    struct advice_text *advice_text = &s->advice_text.v[*at];
    advice_text->n++;
    advice_text->time += az_op_report_row_ns(s->t, &s->t->rows.v[i]);
    advice_text->gap += az_op_report_row_gap_ns(s->t, &s->t->rows.v[i]);
}

static void fallback(struct section *s)
{
    struct az_op_report *t = s->t;
    struct az_op_report_figures f;
    if (t->counts.host == 0)
        return;
    heading(s, "Fallback");
    begin_group(s);
    for (size_t i = 0; i < t->rows.n; i++) {
        if (az_op_report_sig_of(t, &t->rows.v[i])->kind != TT_HOST)
            continue;
        az_op_report_figures(t, &t->rows.v[i], &f);
        put_advice(s, FALLBACK, i, &f, AZ_SV("move it to the device"));
        count(s, i, f.bound, 0);
    }
    for (size_t i = 0; i < s->same_advice.n; i++)
        print_alike(s, &s->same_advice.v[i]);
    put_line(s, AZ_SV(""));
    put_line(s, AZ_SV("These operations ran on the host and interrupted the device."));
    az_finding(t->job, "host_operations", "warning", AZ_SV("host fallback operations"),
               (int64_t)t->counts.host, -1, AZ_SV("move them to the device"));
}

/* What helps against gaps of a cause. */
static const char *const gap_advice[AZ_GAP_CAUSES] = {
    [AZ_GAP_BETWEEN] = "capture a trace, or keep the host ahead of the device",
    [AZ_GAP_OUTSIDE] = "keep the host ahead of the device outside of trace replays",
    [AZ_GAP_REPLAYS] = "queue the next replay before synchronizing",
    [AZ_GAP_INSIDE] = "check dependencies inside the replay",
    [AZ_GAP_COMPILE] = "compile before the measured part",
    [AZ_GAP_HOST] = "move host operations to the device",
};

/* Gaps of the rows shown, and the rows, as places in the report; before: the device row shown
 * before it. */
static int list_gaps(struct az_op_report *t, struct az_op_report_gap_list *out,
                     struct az_vec_u32 *rows)
{
    uint32_t before = AZ_NO_ROW;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->rows.n; i++) {
        const struct az_op_report_row *r = &t->rows.v[i];
        const double ns = az_op_report_row_gap_ns(t, r);
        if (az_op_report_oprow(t, r)->kind != AZ_OPROW_DEVICE)
            continue;
        if (ns > 0) {
            rc = az_vec_push(out, ((struct az_op_report_gap){ before == AZ_NO_ROW ? r->row : before,
                                                              r->row, llround(ns) }));
            if (rc == 0)
                rc = az_vec_push(rows, (uint32_t)i);
        }
        before = r->row;
    }
    return rc;
}

/* One line per cause with its part of busy time and gaps, which the verdict divides in the same
 * way. */
static void print_savings(struct section *s, const double saving[AZ_GAP_CAUSES])
{
    struct az_op_report *t = s->t;
    const double all = t->total - t->overlapped;
    put_line(s, AZ_SV(""));
    put_line(
        s, az_arena_printf(t->job->arena,
                           "These operations started more than %g μs after the previous operation.",
                           t->o->op_to_op_gap_us));
    put_line(s, AZ_SV("Estimated saving, of busy time and gaps:"));
    for (size_t i = 0; s->rc == 0 && i < AZ_GAP_CAUSES; i++)
        if (saving[i] > 0)
            s->rc = az_form_text(s->form,
                                 az_arena_printf(t->job->arena, "%.1f%%, %.0f μs: %s",
                                                 all > 0 ? saving[i] / 10 / all : 0,
                                                 saving[i] / 1000, gap_advice[i]),
                                 true);
}

static void put_gaps(struct section *s)
{
    struct az_op_report *t = s->t;
    struct az_op_report_gap_rules rules;
    struct az_op_report_gap_list list;
    struct az_vec_u32 rows;
    struct az_op_report_figures f;
    double saving[AZ_GAP_CAUSES] = { 0 }; /* ns */
    az_vec_init(&list, t->job->mem);
    az_vec_init(&rows, t->job->mem);
    begin_group(s);
    if (s->rc == 0)
        s->rc = list_gaps(t, &list, &rows);
    if (s->rc == 0)
        s->rc = az_op_report_gap_rules_make(&rules, t, &list);
    for (size_t i = 0; s->rc == 0 && i < list.n; i++) {
        uint32_t host;
        if (!((double)list.v[i].ns > t->o->op_to_op_gap_us * 1000))
            continue;
        const enum az_gap_cause cause = az_op_report_gap_cause(&rules, &list.v[i], &host);
        az_op_report_figures(t, &t->rows.v[rows.v[i]], &f);
        put_advice(s, GAP, rows.v[i], &f, az_sv_str(gap_advice[cause]));
        count(s, rows.v[i], f.bound, cause);
        saving[cause] += (double)list.v[i].ns - t->o->traced_gap_us * 1000;
    }
    if (s->rc == 0 && s->same_advice.n) {
        heading(s, "High op-to-op gap");
        for (size_t i = 0; i < s->same_advice.n; i++)
            print_alike(s, &s->same_advice.v[i]);
        print_savings(s, saving);
    }
    az_vec_release(&list);
    az_vec_release(&rows);
}

static struct az_sv without_advice(struct section *s, const struct az_op_report_advice *a)
{
    return a->not_judged ? az_arena_printf(s->t->job->arena, "not evaluated: %s", a->not_judged)
                         : AZ_SV("nothing to improve");
}

static void product(struct section *s, size_t i)
{
    struct az_op_report_figures f;
    az_op_report_figures(s->t, &s->t->rows.v[i], &f);
    const struct az_op_report_advice *a = advise(s->t, &s->t->rows.v[i], &f);
    if (!a) {
        s->rc = az_arena_error(s->t->job->arena);
        return;
    }
    for (size_t k = 0; k < a->n; k++)
        put_advice(s, PRODUCT, i, &f, a->text[k]);
    if (!a->n)
        put_advice(s, a->not_judged ? NOT_JUDGED : PRODUCT, i, &f, without_advice(s, a));
    struct same_advice *one = count(s, i, f.bound, az_hash(a->joined.p, a->joined.n));
    if (one && !one->advice)
        one->advice = a;
}

static void products(struct section *s)
{
    begin_group(s);
    for (size_t i = 0; s->rc == 0 && i < s->t->rows.n; i++)
        if (az_op_report_sig_of(s->t, &s->t->rows.v[i])->kind == TT_MATMUL)
            product(s, i);
    if (s->same_advice.n)
        heading(s, "Matmuls");
    for (size_t i = 0; s->rc == 0 && i < s->same_advice.n; i++) {
        const struct az_op_report_advice *a = s->same_advice.v[i].advice;
        if (i)
            put_line(s, AZ_SV(""));
        print_alike(s, &s->same_advice.v[i]);
        for (size_t k = 0; s->rc == 0 && k < a->n; k++)
            s->rc = az_form_text(s->form, a->text[k], true);
        if (!a->n)
            put_line(s, without_advice(s, a));
    }
}

/* By section, most time first. */
static int in_order(const void *a, const void *b, void *ctx)
{
    const struct advice_text *x = a, *y = b;
    (void)ctx;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

struct advice_row {
    struct az_op_report_cells cells; /* of its first row */
    const struct advice_text *advice_text;
};
#define ROW struct advice_row
AZ_TEXT_OF_RECORD(section_of, ROW, az_sv_str(sections[r->advice_text->section]))
AZ_TEXT_OF_RECORD(bound_of, ROW, az_sv_str(az_op_report_bound_text(r->advice_text->bound)))
AZ_OF_RECORD(double, time_of, ROW, r->advice_text->time / 1000)
AZ_OF_RECORD(double, gap_of, ROW, r->advice_text->gap / 1000)
static const struct az_record_column advice_columns[] = {
    { "Section", AZ_TEXT, .flags = AZ_KEY, .text = section_of },
    { "OP Code", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, cells.s, shown) },
    { "Bound", AZ_TEXT, .flags = AZ_KEY, .text = bound_of },
    { "Advice", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, advice_text, text) },
    { "Rows", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, AZ_VIA(ROW, advice_text, n) },
    { "Device Time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = time_of },
    { "Op-to-Op Gap", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = gap_of },
    AZ_OP_REPORT_ID(0),
};
#undef ROW

static int table(struct section *s)
{
    struct az_op_report *t = s->t;
    struct az_table *x =
        AZ_RECORD_TABLE_OF(t->job->arena, "advice", "Advice", 0, advice_columns, t);
    az_sort_cmp(s->advice_text.v, s->advice_text.n, sizeof *s->advice_text.v, in_order, NULL,
                t->job->mem);
    for (size_t i = 0; i < s->advice_text.n; i++) {
        const struct advice_text *one = &s->advice_text.v[i];
        az_put_row(x,
                   &(struct advice_row){ .cells = az_op_report_cells_of(t, &t->rows.v[one->first]),
                                         .advice_text = one });
    }
    return az_op_report_emit(t, x, AZ_OK);
}

int az_op_report_advice(struct az_op_report *t, struct az_form *form)
{
    struct section s = { .t = t, .form = form };
    size_t before = form->after.n;
    az_vec_init(&s.advice_text, t->job->mem);
    az_vec_init(&s.same_advice, t->job->mem);
    az_map_init(&s.index, t->job->mem, 64);
    put_line(&s, AZ_SV(""));
    put_line(&s, AZ_SV("Advice"));
    put_line(&s, AZ_SV("======"));
    fallback(&s);
    put_gaps(&s);
    products(&s);
    if (s.rc == 0 && form->after.n == before + 3)
        form->after.n = before;
    if (s.rc == 0)
        s.rc = table(&s);
    az_vec_release(&s.advice_text);
    az_vec_release(&s.same_advice);
    az_map_release(&s.index);
    az_map_release(&s.groups);
    return s.rc;
}
