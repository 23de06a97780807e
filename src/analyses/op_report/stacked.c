/* The stacked summary: time by operation, by operation and memory of its first input, or by
 * category; and the chart of it (docs/formats-tracy.md 15). */
#include <math.h>

#include "analyses/op_report/opreport.h"
#include "base/sort.h"
#include "document/record.h"
#include "stats/stats.h"

#define CHART_LABELS 24 /* segments of a stack; the rest is one more */

struct group {
    struct az_sv label, category;
    int64_t device; /* -1 where devices are merged */
    uint64_t count;
    double time, weighted, weight; /* ns; sums of FLOPs % times time, of time */
    struct az_vec_f64 flops;
};
AZ_VEC(struct group, groups);

struct stack {
    struct az_op_report *t;
    struct groups g;
    struct az_map index; /* label's hash and device -> group */
    bool category, by_device;
    double time;
    struct az_vec_f64 device_time; /* by device */
};

/* DEV_0_L1_HEIGHT_SHARDED -> height_sharded: the last two parts; without '_' the
 * empty text. */
static struct az_sv memory_of(struct az_arena *a, struct az_sv m)
{
    size_t parts = 0, i = m.n;
    while (i > 0 && !(m.p[i - 1] == '_' && ++parts == 2))
        i--;
    if (parts == 0)
        return AZ_SV("");
    char *low = az_arena_str(a, az_sv_make(m.p + i, m.n - i));
    for (char *c = low; c && *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
    return az_sv_str(low);
}

/* Once for all rows of the same operation and arguments. */
static struct az_sv label(struct stack *s, const struct az_op_report_row *row)
{
    struct az_op_report *t = s->t;
    struct az_op_report_sig *sig = &t->sigs.v[row->sig];
    struct az_sv word = az_op_report_first_word(sig->shown);
    if (sig->label.p)
        return sig->label;
    sig->label = word;
    if (s->category)
        sig->label = az_op_report_category(t, sig);
    else if (az_sv_is(t->o->group_by, "memory") && !t->o->no_stack_by_in0) {
        struct az_sv m = memory_of(
            t->job->arena, az_op_report_text(t, az_op_report_args_of(t, row)->t[AZ_IN0].memory));
        if (m.n)
            sig->label = az_arena_printf(t->job->arena, "%.*s (in0:%.*s)", AZ_SVF(word), AZ_SVF(m));
    }
    return sig->label;
}

static int group_of(struct stack *s, const struct az_op_report_row *row, struct group **out)
{
    struct az_sv name = label(s, row);
    int64_t device = s->by_device ? az_op_report_oprow(s->t, row)->device : -1;
    uint32_t *at;
    bool added;
    int rc = name.p ? az_map_put(&s->index, az_hash(name.p, name.n), (uint64_t)device,
                                 (uint32_t)s->g.n, &at, &added)
                    : az_arena_error(s->t->job->arena);
    if (rc)
        return rc;
    if (added) {
        struct group g = { .label = name,
                           .device = device,
                           .category =
                               az_op_report_category(s->t, az_op_report_sig_of(s->t, row)) };
        az_vec_init(&g.flops, s->t->job->mem);
        rc = az_vec_push(&s->g, g);
        if (rc)
            return rc;
    }
    *out = &s->g.v[*at];
    return 0;
}

static int add_device(struct stack *s, int64_t device, double time)
{
    int rc = 0;
    while (rc == 0 && device >= (int64_t)s->device_time.n && device < 65536)
        rc = az_vec_push(&s->device_time, 0);
    if (rc == 0 && device >= 0 && device < (int64_t)s->device_time.n)
        s->device_time.v[device] += time;
    return rc;
}

static bool flops_impossible(const struct az_op_report_figures *f)
{
    return az_op_report_rate_impossible(
        &(struct az_op_report_figures){ .dram_percent = NAN, .flops_percent = f->flops_percent });
}

static int collect(struct stack *s)
{
    struct az_op_report *t = s->t;
    const bool compat = t->o->compat & (AZ_TOOL_TT_PERF_REPORT | AZ_TOOL_ALL); /* counts them */
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->rows.n; i++) {
        const struct az_op_report_row *row = &t->rows.v[i];
        struct az_op_report_figures f;
        struct group *g = NULL;
        if (az_op_report_sig_of(t, row)->kind == TT_SIGNPOST)
            continue;
        rc = group_of(s, row, &g);
        if (rc)
            break;
        az_op_report_figures(t, row, &f);
        double time = az_op_report_row_ns(t, row);
        g->count++;
        g->time += time;
        s->time += time;
        rc = add_device(s, g->device, time);
        if (rc || isnan(f.flops_percent) || (!compat && flops_impossible(&f)))
            continue;
        g->weighted += f.flops_percent * time;
        g->weight += time;
        rc = az_vec_push(&g->flops, f.flops_percent);
    }
    return rc;
}

/* By device, then most time first, then by label. */
static int in_order(const void *a, const void *b, void *ctx)
{
    const struct group *x = a, *y = b;
    (void)ctx;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return az_sv_cmp(x->label, y->label);
}

static double whole(const struct stack *s, const struct group *g)
{
    return s->by_device && g->device >= 0 && (size_t)g->device < s->device_time.n
               ? s->device_time.v[g->device]
               : s->time;
}

struct stacked_row {
    const struct group *g;
    double share, time, least, most, mean, std, weighted; /* percent, us; NaN: no rates */
};
static bool by_device(const void *stack) { return ((const struct stack *)stack)->by_device; }
static bool has_rates(const void *stack) { return !((const struct stack *)stack)->category; }
#define ROW struct stacked_row
static const struct az_record_column stacked_columns[] = {
    { "Total % [%]", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, share) },
    { "Op Code", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, g, label) },
    { "Device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN_VIA(ROW, g, device), .when = by_device },
    { "Device Time Sum [μs]", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, time) },
    { "Op Count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, g, count) },
    { "Op Category", AZ_TEXT, AZ_VIA(ROW, g, category), .when = has_rates },
    { "Min FLOPs [%]", AZ_REAL, AZ_UNIT_PERCENT, AZ_FIELD(ROW, least), .when = has_rates },
    { "Max FLOPs [%]", AZ_REAL, AZ_UNIT_PERCENT, AZ_FIELD(ROW, most), .when = has_rates },
    { "Mean FLOPs [%]", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(ROW, mean),
      .when = has_rates },
    { "Std FLOPs [%]", AZ_REAL, AZ_UNIT_PERCENT, AZ_FIELD(ROW, std), .when = has_rates },
    { "Weighted Mean FLOPs [%]", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER,
      AZ_FIELD(ROW, weighted), .when = has_rates },
};
#undef ROW

static void put_row(const struct stack *s, struct az_table *x, const struct group *g)
{
    const struct az_vec_f64 *v = &g->flops;
    const double all = whole(s, g);
    struct stacked_row row = { .g = g,
                               .share = all > 0 ? g->time / all * 100 : 0,
                               .time = g->time / 1000,
                               .least = NAN,
                               .most = NAN,
                               .mean = v->n ? az_mean_f64(v->v, v->n) : NAN,
                               .std = v->n > 1 ? az_std_f64(v->v, v->n, 1) : NAN,
                               .weighted = g->weight > 0 ? g->weighted / g->weight : NAN };
    for (size_t i = 0; i < v->n; i++) {
        row.least = isnan(row.least) || v->v[i] < row.least ? v->v[i] : row.least;
        row.most = isnan(row.most) || v->v[i] > row.most ? v->v[i] : row.most;
    }
    az_put_row(x, &row);
}

static struct az_form *make_form(struct stack *s, const struct az_table *x)
{
    static const struct {
        const char *column;
        struct az_form_column form;
    } forms[] = {
        { "Total % [%]", { .title = "Total %", .unit = "%", .decimals = 2 } },
        { "Op Code", { .title = "Op Code", .left = true } },
        { "Device", { .title = "Device" } },
        { "Device Time Sum [μs]", { .title = "Device Time Sum", .unit = "μs", .decimals = 2 } },
        { "Op Count", { .title = "Op Count" } },
        { "Op Category", { .title = "Op Category" } },
        { "Min FLOPs [%]", { .title = "Min FLOPs", .unit = "%", .decimals = 2 } },
        { "Max FLOPs [%]", { .title = "Max FLOPs", .unit = "%", .decimals = 2 } },
        { "Mean FLOPs [%]", { .title = "Mean FLOPs", .unit = "%", .decimals = 2 } },
        { "Std FLOPs [%]", { .title = "Std FLOPs", .unit = "%", .decimals = 2 } },
        { "Weighted Mean FLOPs [%]",
          { .title = "Weighted Mean FLOPs", .unit = "%", .decimals = 2 } },
    };
    struct az_arena *a = s->t->job->arena;
    struct az_form *f = az_arena_alloc(a, sizeof *f);
    struct az_form_column *c = az_arena_array(a, AZ_LENGTH(forms), sizeof *c);
    if (!f || !c)
        return NULL;
    *f = (struct az_form){ .title = AZ_SV("Stacked report"), .columns = c, .titles_right = true };
    az_vec_init(&f->before, s->t->job->mem);
    az_vec_init(&f->after, s->t->job->mem);
    for (size_t i = 0; i < AZ_LENGTH(forms); i++) {
        ptrdiff_t at = az_table_find(x, forms[i].column);
        if (at < 0)
            continue;
        c[f->n] = forms[i].form;
        c[f->n++].column = (size_t)at;
    }
    f->ink = az_arena_array(a, s->g.n + 1, f->n);
    for (size_t g = 0; f->ink && g < s->g.n && !s->category; g++)
        f->ink[g * f->n + 1] = (uint8_t)az_op_report_ink_of(&s->t->rules, s->g.v[g].label);
    return f->ink ? f : NULL;
}

/* ---- the chart: one stack per device, one column per label ---- */

static int rank_of(struct az_sv category)
{
    static const char *const order[] = { "Compute", "CCL", "TM", "DM", "Host" };
    for (int i = 0; i < (int)AZ_LENGTH(order); i++)
        if (az_sv_is(category, order[i]))
            return i;
    return (int)AZ_LENGTH(order);
}

static int by_category(const void *a, const void *b, void *ctx)
{
    const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
    int cx = rank_of(x->category), cy = rank_of(y->category);
    (void)ctx;
    if (cx != cy)
        return cx < cy ? -1 : 1;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return az_sv_cmp(x->label, y->label);
}

static double time_of(const struct stack *s, struct az_sv name, int64_t device)
{
    uint32_t at = az_map_get(&s->index, az_hash(name.p, name.n), (uint64_t)device);
    for (size_t i = 0; at != AZ_NO_ID && i < s->g.n; i++)
        if (s->g.v[i].device == device && az_sv_eq(s->g.v[i].label, name))
            return s->g.v[i].time;
    return 0;
}

/* The labels with most time over all devices, in the order of the chart. */
static void chart_labels(struct stack *s, struct group **pick, size_t *found)
{
    size_t n = 0;
    for (size_t i = 0; i < s->g.n; i++) { /* groups are sorted: a device's largest first */
        size_t k = 0;
        while (k < n && !az_sv_eq(pick[k]->label, s->g.v[i].label))
            k++;
        if (k == n && n < CHART_LABELS && s->g.v[i].time > 0)
            pick[n++] = &s->g.v[i];
    }
    *found = n;
    az_sort_cmp(pick, n, sizeof *pick, by_category, NULL, s->t->job->mem);
}

static void chart_row(struct stack *s, struct az_table *x, int64_t device, struct group **pick,
                      size_t n)
{
    double all = device < 0 ? s->time : s->device_time.v[device], rest = all;
    az_put_text(x, device < 0 ? AZ_SV("all")
                              : az_arena_printf(s->t->job->arena, "%lld", (long long)device));
    for (size_t i = 0; i < n; i++) {
        double v = time_of(s, pick[i]->label, device);
        az_put_f64(x, v / 1000);
        rest -= v;
    }
    az_put_f64(x, rest > all * 1e-9 ? rest / 1000 : 0);
}

static int chart(struct stack *s)
{
    struct group *pick[CHART_LABELS];
    struct az_arena *a = s->t->job->arena;
    size_t n;
    int rc = 0;
    chart_labels(s, pick, &n);
    if (n == 0)
        return 0;
    struct az_table *x = az_table_new(a, "ops_stacked_chart", "Stacked device time by device", 0);
    struct az_chart c = { .kind = AZ_CHART_STACKED_COLUMN,
                          .table = AZ_SV("ops_stacked_chart"),
                          .title = AZ_SV("Device time by operation"),
                          .x_title = AZ_SV("Device"),
                          .y_title = AZ_SV("us"),
                          .x = AZ_SV("Device") };
    if (!x)
        return az_arena_error(a);
    az_vec_init(&c.y, s->t->job->mem);
    az_table_column(x, "Device", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        az_table_columnsv(x, pick[i]->label, AZ_REAL, AZ_UNIT_US, 0);
        rc = az_vec_push(&c.y, pick[i]->label);
    }
    az_table_column(x, "(the rest)", AZ_REAL, AZ_UNIT_US, 0);
    for (size_t d = 0; s->by_device && d < s->device_time.n; d++)
        if (s->device_time.v[d] > 0)
            chart_row(s, x, (int64_t)d, pick, n);
    if (!s->by_device)
        chart_row(s, x, -1, pick, n);
    rc = az_op_report_emit(s->t, x, rc);
    if (rc == 0)
        rc = az_document_chart(s->t->job->doc, c);
    else
        az_vec_release(&c.y);
    return rc;
}

static int table(struct stack *s)
{
    struct az_table *x =
        AZ_RECORD_TABLE_OF(s->t->job->arena, "ops_stacked", "Device time by operation type",
                           AZ_TABLE_SUMMARY, stacked_columns, s);
    if (!x)
        return az_arena_error(s->t->job->arena);
    int rc = 0;
    az_sort_cmp(s->g.v, s->g.n, sizeof *s->g.v, in_order, NULL, s->t->job->mem);
    for (size_t i = 0; rc == 0 && i < s->g.n; i++)
        put_row(s, x, &s->g.v[i]);
    x->form = rc == 0 ? make_form(s, x) : NULL;
    if (rc == 0 && !x->form)
        rc = az_arena_error(s->t->job->arena);
    rc = az_op_report_emit(s->t, x, rc);
    return rc ? rc : chart(s);
}

int az_op_report_stacked(struct az_op_report *t)
{
    struct stack s = { .t = t,
                       .category = az_sv_is(t->o->group_by, "category"),
                       .by_device = t->o->no_merge_devices && t->r->devices > 0 };
    if (t->o->no_summary || t->rows.n == 0)
        return 0;
    az_vec_init(&s.g, t->job->mem);
    az_vec_init(&s.device_time, t->job->mem);
    az_map_init(&s.index, t->job->mem, 64);
    int rc = collect(&s);
    if (rc == 0)
        rc = table(&s);
    for (size_t i = 0; i < s.g.n; i++)
        az_vec_release(&s.g.v[i].flops);
    az_vec_release(&s.g);
    az_vec_release(&s.device_time);
    az_map_release(&s.index);
    return rc;
}
