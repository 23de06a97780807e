/* Kernels of GPUs summed by name, category, HLO operation, and name without digits; and under the
 * names of the operator tables of other frameworks, so that reports can be compared
 * (docs/formats-xplane.md 6). */
#include "analyses/hlo/hlo_events.h"
#include "analyses/registry_list.h"
#include "base/time_units.h"
#include "tables/keys.h"

static struct az_hlo_event event(const struct az_item *i)
{
    return (struct az_hlo_event){ i->trace, i->row, (enum az_kind)i->kind };
}

static uint32_t set_number(const struct az_scope *r, const struct az_item *i)
{
    return ((const struct az_hlo *)r->ctx)->tr[i->trace].same_kernels->of[i->row];
}

static const uint32_t *set_numbers(const struct az_scope *r, uint32_t trace, enum az_kind kind)
{
    return kind == AZ_KERNEL ? ((const struct az_hlo *)r->ctx)->tr[trace].same_kernels->of : NULL;
}

static const struct az_hlo_set *set_of(const struct az_scope *r, const struct az_item *i)
{
    return &((const struct az_hlo *)r->ctx)->tr[i->trace].same_kernels->v[set_number(r, i)];
}

static bool on_gpu(const struct az_scope *r, const struct az_item *i) { return set_of(r, i)->gpu; }

static bool category_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    const struct az_hlo_event e = event(i);
    *number = az_hlo_category(r->ctx, &e);
    return true;
}

static void put_category(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    const struct az_hlo_event e = event(i);
    az_put_text(t, az_hlo_category_text(r->ctx, &e));
}

static void put_per_device(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    const size_t devices = az_hlo_devices_with_kernels(r->ctx);
    az_put_f64(t, az_us_from_ps(g->value->sum) / 1e3 / (double)(devices ? devices : 1));
}

static int64_t kernels_of(const struct az_scope *r, const struct az_item *i)
{
    return set_of(r, i)->n;
}

static int64_t time_of(const struct az_scope *r, const struct az_item *i)
{
    return set_of(r, i)->ticks;
}

static const struct az_key category = { AZ_TEXT, .of = category_of, .put = put_category };

/* clang-format off */
#define KERNELS \
    .needs = AZ_CAP_PROGRAMS, .n_kinds = 1, .kinds = { AZ_KERNEL }, .number_of = set_number, .number_filters = true, \
    .number_rows = set_numbers, .shares = AZ_SHARES_PERCENTS
/* Only counts and sums: by one item per set of equal kernels. */
#define SETS .weight = kernels_of, .values = { { time_of, true } }, .shares = AZ_SHARES_PERCENTS
#define US(header, what, flag) AZ_FIGURE(header, what, 0, AZ_UNIT_US, flag)
#define TOTAL \
    { "count", .figure = AZ_FIG_COUNT }, \
    { "total_us", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US, .flags = AZ_LOWER_BETTER, .sort = -1 }
#define PERCENT \
    { "percent", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE }, \
    { "cum_percent", .figure = AZ_FIG_CUMULATIVE, .unit = AZ_UNIT_PERCENT, .flags = AZ_DETAIL }
#define STATISTICS \
    TOTAL, US("mean_us", AZ_FIG_MEAN, AZ_LOWER_BETTER), US("median_us", AZ_FIG_MEDIAN, AZ_DETAIL), \
    US("std_us", AZ_FIG_STD, AZ_DETAIL), US("min_us", AZ_FIG_MIN, AZ_DETAIL), US("max_us", AZ_FIG_MAX, AZ_DETAIL), \
    PERCENT, \
    { "time_ms_per_device", .figure = AZ_FIG_OWN, .unit = AZ_UNIT_MS, .flags = AZ_LOWER_BETTER | AZ_DETAIL, \
      .put = put_per_device }
/* clang-format on */

/* ---- by name, by category ---- */
static const struct az_table_spec kernel_summary = {
    "kernel_summary",
    "Kernels",
    AZ_TABLE_SUMMARY,
    KERNELS,
    .keep = on_gpu,
    .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                 { "category", &category, .flags = AZ_KEY, .sort = 3 },
                 STATISTICS },
};

static const struct az_table_spec category_summary = {
    "kernel_summary_by_category",
    "Kernels by category",
    AZ_TABLE_SUMMARY,
    KERNELS,
    .keep = on_gpu,
    .columns = { { "category", &category, .flags = AZ_KEY, .sort = 2 }, STATISTICS },
};

/* ---- by HLO operation ---- */
static const struct az_xrow *row_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = event(i);
    return az_hlo_row(r->ctx, &e);
}

/* Traces of several hosts may number their programs differently: the name of the module decides. */
static uint32_t module_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_xrow *row = row_of(r, i);
    return row ? row->module : AZ_NO_ID;
}

static uint32_t op_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_xrow *row = row_of(r, i);
    return row ? row->op : AZ_NO_ID;
}

static bool program_of(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    const struct az_xrow *row = row_of(r, i);
    *number = row ? row->program : 0;
    return true;
}

static void put_program(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_optional(t, az_hlo_program(row_of(r, i), t->arena));
}

static const struct az_key module = { AZ_TEXT, .name = module_of };
static const struct az_key program = { AZ_TEXT, AZ_UNIT_ID, .of = program_of, .put = put_program };
static const struct az_key by_op = { AZ_TEXT, .name = op_of };

static const struct az_table_spec op_summary = {
    "hlo_op_summary",
    "HLO operations",
    AZ_TABLE_SUMMARY,
    KERNELS,
    .keep = on_gpu,
    .columns = { { "hlo_module", &module, .flags = AZ_KEY, .sort = 2 },
                 { "program_id", &program, .flags = AZ_KEY, .sort = 3 },
                 { "hlo_op", &by_op, .flags = AZ_KEY, .sort = 4 },
                 { "category", &category, .flags = AZ_KEY },
                 STATISTICS },
};

/* ---- kernels that XLA made, by name without digits ---- */
static struct az_sv without_digits(struct az_arena *a, struct az_sv name)
{
    char *out = az_arena_str(a, name);
    size_t n = 0;
    for (size_t i = 0; out && i < name.n; i++)
        if (name.p[i] < '0' || name.p[i] > '9')
            out[n++] = name.p[i];
    return az_sv_make(out ? out : "", n);
}

static bool uncategorized(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = event(i);
    return on_gpu(r, i) && az_sv_starts(az_hlo_category_text(r->ctx, &e), AZ_SV("Uncategorized"));
}

static struct az_sv stem_of(const struct az_scope *r, const struct az_item *i)
{
    return without_digits(r->job->arena, az_job_text(r->job, az_item_name(r, i)));
}

static const struct az_key stem = { AZ_TEXT, .text = stem_of, .by_name = true };

static const struct az_table_spec xla_summary = {
    "xla_summary",
    "XLA-generated kernels",
    SETS,
    .keep = uncategorized,
    .columns = { { "name_without_digits", &stem, .flags = AZ_KEY, .sort = 2 }, TOTAL, PERCENT },
};

/* "jit(f)/jit(main)/conv_general_dilated" -> "conv_general_dilated"; an operation without a scope:
 * its HLO name without its number; a kernel without an operation: its own name. */
static struct az_sv operator_of(struct az_hlo *h, const struct az_hlo_event *e)
{
    const struct az_trace *t = h->tr[e->trace].t;
    const struct az_xrow *row = az_hlo_row(h, e);
    const struct az_hlo_op *op = az_hlo_event_op(h, e);
    struct az_sv scope = op ? op->scope : row ? az_trace_text(t, row->scope) : AZ_SV("");
    for (size_t i = scope.n; i-- > 0;)
        if (scope.p[i] == '/' && i + 1 < scope.n)
            return az_sv_make(scope.p + i + 1, scope.n - i - 1);
    struct az_sv name = row ? az_trace_text(t, row->op) : AZ_SV("");
    const char *dot = name.n ? memchr(name.p, '.', name.n) : NULL;
    if (dot)
        name.n = (size_t)(dot - name.p);
    return name.n ? name : az_hlo_text(h, az_hlo_name(h, e));
}

static struct az_sv operator_text(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = event(i);
    return operator_of(r->ctx, &e);
}

static const struct az_key operator= { AZ_TEXT, .text = operator_text };

/* clang-format off */
#define OPERATORS \
    { "op category", &category, .flags = AZ_KEY, .sort = 3 }, \
    { "Count", .figure = AZ_FIG_COUNT }, \
    { "total_direct_kernel_time_ms", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS, .flags = AZ_LOWER_BETTER, .sort = -1 }, \
    AZ_SHARE_COLUMNS
/* clang-format on */
static const struct az_table_spec operators_by_category = {
    "ops_summary_by_category", "Operations by category", SETS, .keep = on_gpu,
    .columns = { OPERATORS },
};

static const struct az_table_spec operators = {
    "ops_summary",
    "Operations",
    SETS,
    .keep = on_gpu,
    .columns = { { "name", &operator, .flags = AZ_KEY, .sort = 2 }, OPERATORS },
};

AZ_VEC(struct az_item, az_items);

/* One item for each set, in the order in which they came. */
static int list_sets(struct az_hlo *h, struct az_items *out)
{
    int rc = az_hlo_group_kernels(h);
    for (size_t k = 0; rc == 0 && k < h->n; k++)
        for (size_t i = 0; rc == 0 && i < h->tr[k].same_kernels->n; i++)
            rc = az_vec_push(out, ((struct az_item){ .trace = (uint32_t)k,
                                                     .row = h->tr[k].same_kernels->v[i].first,
                                                     .kind = AZ_KERNEL,
                                                     .name = AZ_NO_ID }));
    return rc;
}

static int run_kernels(struct az_job *job)
{
    struct az_hlo h;
    struct az_items sets;
    static const struct az_table_spec *const specs[] = { &category_summary, &kernel_summary,
                                                         &op_summary },
                                             *const summed[] = { &xla_summary,
                                                                 &operators_by_category,
                                                                 &operators };
    az_vec_init(&sets, job->mem);
    int rc = az_hlo_init(&h, job);
    const bool any = rc == 0 && az_hlo_devices_with_kernels(&h) > 0;
    if (any)
        rc = list_sets(&h, &sets);
    for (size_t i = 0; rc == 0 && any && i < AZ_LENGTH(specs); i++)
        rc = az_spec_make(job, specs[i], &h, NULL);
    for (size_t i = 0; rc == 0 && any && i < AZ_LENGTH(summed); i++)
        rc = az_spec_make(job, summed[i], &h, &(struct az_item_list){ sets.v, sets.n });
    az_vec_release(&sets);
    return az_hlo_release(&h, rc);
}

const struct az_analysis az_analysis_hlo_kernels = {
    .name = "hlo_kernels",
    .help = "GPU kernels by name, category, HLO operation, framework operation",
    .needs = AZ_CAP_PROGRAMS,
    .run = run_kernels,
};
