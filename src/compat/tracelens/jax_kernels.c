/* Kernels of a profile of JAX as TraceLens reports them: one by one, by name, by category, by
 * arguments, and those that XLA generated (docs/from-tracelens-programs.md). */
#include "compat/tracelens/jax.h"

#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"

#include <math.h>

/* ---- numbers of events ---- */

static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };

struct place {
    struct az_hlo_event e;
    uint32_t device;
    uint64_t line;
    int64_t start;
};
AZ_VEC(struct place, places);

static bool is_gpu(const struct az_hlo *h, const struct az_hlo_event *e)
{
    return h->devices.v[az_hlo_device_of(h, e)].kind == AZ_PLANE_GPU;
}

static int gather(const struct az_hlo *h, struct places *out)
{
    int rc = 0;

    for (size_t k = 0; k < h->n; k++)
        for (size_t i = 0; i < AZ_LENGTH(kinds); i++)
            for (size_t row = 0; rc == 0 && row < h->tr[k].t->ev[kinds[i]].n; row++) {
                const struct az_hlo_event e = { k, row, kinds[i] };
                const struct az_events *ev = az_hlo_events(h, &e);
                const struct az_lane *l = &h->tr[k].t->lanes.v[ev->lane[row]];
                if (is_gpu(h, &e))
                    rc = az_vec_push(out, ((struct place){ e, az_hlo_device_of(h, &e), l->tid,
                                                           ev->start[row] }));
            }
    return rc;
}

static int by_place(const void *x, const void *y, void *ctx)
{
    const struct place *a = x, *b = y;

    (void)ctx;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* Events are numbered by device, line and time. */
static int number_events(struct az_jax *j)
{
    struct az_arena *a = j->h.job->arena;
    struct places p;

    j->uid = az_arena_array(a, j->h.n + 1, sizeof *j->uid);
    int rc = j->uid ? 0 : az_arena_error(a);
    for (size_t k = 0; rc == 0 && k < j->h.n; k++) {
        j->uid[k] = az_arena_array(a, j->h.tr[k].t->ev[AZ_KERNEL].n + 1, sizeof **j->uid);
        rc = j->uid[k] ? 0 : az_arena_error(a);
    }
    az_vec_init(&p, j->h.job->mem);
    if (rc == 0)
        rc = gather(&j->h, &p);
    az_sort_cmp(p.v, p.n, sizeof *p.v, by_place, NULL, j->h.job->mem);
    for (size_t i = 0; rc == 0 && i < p.n; i++)
        if (p.v[i].e.kind == AZ_KERNEL)
            j->uid[p.v[i].e.trace][p.v[i].e.row] = (uint32_t)i;
    az_vec_release(&p);
    return rc;
}

static int map_calls(struct az_jax *j)
{
    j->calls = az_arena_array(j->h.job->arena, j->h.n + 1, sizeof *j->calls);
    int rc = j->calls ? 0 : az_arena_error(j->h.job->arena);

    for (size_t k = 0; rc == 0 && k < j->h.n; k++) {
        const struct az_events *ev = &j->h.tr[k].t->ev[AZ_CALL];
        az_map_init(&j->calls[k], j->h.job->mem, ev->n);
        for (size_t i = 0; rc == 0 && i < ev->n; i++) {
            uint32_t *at;
            bool added;
            rc = az_map_put(&j->calls[k], ev->corr[i], ev->node[i], (uint32_t)i, &at, &added);
        }
    }
    return rc;
}

static void release_calls(struct az_jax *j)
{
    for (size_t k = 0; j->calls && k < j->h.n; k++)
        az_map_release(&j->calls[k]);
}

/* ---- keys ---- */

bool az_jax_on_gpu(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = az_jax_event(i);

    return is_gpu(&((const struct az_jax *)r->ctx)->h, &e);
}

const struct az_hlo_op *az_jax_op(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = az_jax_event(i);

    return az_hlo_event_op(&((const struct az_jax *)r->ctx)->h, &e);
}

int64_t az_jax_uid(const struct az_scope *r, const struct az_item *i)
{
    return ((const struct az_jax *)r->ctx)->uid[i->trace][i->row];
}

void az_jax_put_uid(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_i64(t, az_jax_uid(r, &g->first));
}

static struct az_hlo *hlo_of(const struct az_scope *r) { return &((struct az_jax *)r->ctx)->h; }

static bool category_number(const struct az_scope *r, const struct az_item *i, uint64_t *number)
{
    const struct az_hlo_event e = az_jax_event(i);

    *number = az_hlo_category(hlo_of(r), &e);
    return true;
}

static struct az_sv category_text(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_event e = az_jax_event(i);

    return az_hlo_category_text(hlo_of(r), &e);
}

static void put_category(const struct az_scope *r, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, category_text(r, i));
}

const struct az_key az_jax_category = { AZ_TEXT, .of = category_number, .put = put_category };

struct az_sv az_jax_tuple(struct az_arena *a, const int64_t *v, size_t n)
{
    struct az_sv text = AZ_SV("(");

    for (size_t i = 0; text.p && i < n; i++)
        text = az_arena_printf(a, "%.*s%s%lld", AZ_SVF(text), i ? ", " : "", (long long)v[i]);
    return az_arena_printf(a, "%.*s%s)", AZ_SVF(text), n == 1 ? "," : "");
}

/* Does the operand have dimensions and a layout? */
static bool has_shape(const struct az_hlo_shape *s) { return s->n_dims > 0 && !s->n_parts; }

/* Of every such operand its dimensions, or its type. */
static struct az_sv operands(const struct az_scope *r, const struct az_item *i, bool types)
{
    struct az_arena *a = r->job->arena;
    const struct az_hlo_op *op = az_jax_op(r, i);
    struct az_sv text = AZ_SV("(");
    size_t n = 0;

    for (size_t k = 0; op && k < op->n_operands && text.p; k++) {
        const struct az_hlo_shape *s = &op->operands[k];
        if (!has_shape(s))
            continue;
        const struct az_sv one = types ? az_arena_printf(a, "'%.*s'", AZ_SVF(s->type))
                                       : az_jax_tuple(a, s->dims, s->n_dims);
        text = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(text), n++ ? ", " : "", AZ_SVF(one));
    }
    return az_arena_printf(a, "%.*s%s)", AZ_SVF(text), n == 1 ? "," : "");
}

AZ_OF_ITEM(struct az_sv, dims_text, operands(s, i, false))
AZ_OF_ITEM(struct az_sv, types_text, operands(s, i, true))
AZ_OF_ITEM(struct az_sv, no_list, i ? AZ_SV("()") : AZ_SV(""))
const struct az_key az_jax_dims = { AZ_TEXT, .text = dims_text };
const struct az_key az_jax_types = { AZ_TEXT, .text = types_text };
static const struct az_key nothing = { AZ_TEXT, .text = no_list };

/* ---- details ---- */

/* Python's form of a text. */
static struct az_sv quoted(struct az_arena *a, struct az_sv text)
{
    const char quote =
        az_sv_find(text, AZ_SV("'")) >= 0 && az_sv_find(text, AZ_SV("\"")) < 0 ? '"' : '\'';
    return az_arena_printf(a, "%c%.*s%c", quote, AZ_SVF(text), quote);
}

static struct az_sv metadata_of(struct az_arena *a, const struct az_hlo_op *op)
{
    struct az_sv file = op->source, line = AZ_SV("");

    if (!op->scope.n)
        return AZ_SV("NA");
    for (size_t i = op->source.n; i-- > 0;)
        if (op->source.p[i] == ':') {
            file = az_sv_make(op->source.p, i);
            line = az_sv_make(op->source.p + i + 1, op->source.n - i - 1);
            break;
        }
    return file.n ? az_arena_printf(a,
                                    "metadata={op_name=\"%.*s\" source_file=\"%.*s\" "
                                    "source_line=%.*s",
                                    AZ_SVF(op->scope), AZ_SVF(file), AZ_SVF(line))
                  : az_arena_printf(a, "metadata={op_name=\"%.*s\"", AZ_SVF(op->scope));
}

/* Members of the dictionary that the program gives. */
static struct az_sv operation_details(struct az_arena *a, const struct az_hlo_op *op)
{
    struct az_sv list = AZ_SV("["), target = AZ_SV("NA");

    if (op && op->target.n)
        target = az_arena_printf(a, "custom_call_target=\"%.*s\"", AZ_SVF(op->target));
    for (size_t k = 0, n = 0; op && k < op->n_operands && list.p; k++)
        if (has_shape(&op->operands[k]))
            list = az_arena_printf(a, "%.*s%s'%.*s'", AZ_SVF(list), n++ ? ", " : "",
                                   AZ_SVF(op->operands[k].text));
    return az_arena_printf(
        a, ", 'custom_call_target': %.*s, 'operands': %.*s], 'outputs': 'NA', 'metadata': %.*s",
        AZ_SVF(quoted(a, target)), AZ_SVF(list),
        AZ_SVF(quoted(a, op ? metadata_of(a, op) : AZ_SV("NA"))));
}

static struct az_sv number(struct az_arena *a, double x)
{
    char text[AZ_NUM_MAX];
    const struct az_cell c = { .type = AZ_REAL, .f = x };

    return az_arena_dup(a, az_cell_exact(&c, text));
}

static double microseconds(double ps) { return ps / 1e6; }

struct az_sv az_jax_details(const struct az_scope *r, const struct az_group *g, bool operation)
{
    struct az_arena *a = r->job->arena;
    const struct az_figures *v = g->value;
    const double n = (double)g->n, population = v->n > 1 ? v->std * sqrt((n - 1) / n) : 0;
    const struct az_sv name = az_job_text(r->job, az_item_name(r, &g->first));
    const struct az_sv more = operation ? operation_details(a, az_jax_op(r, &g->first)) : AZ_SV("");

    return az_arena_printf(
        a,
        "[{'name': %.*s%.*s, 'count': %lld, 'total_duration_us': %.*s, 'mean_duration_us': %.*s, "
        "'median_duration_us': %.*s, 'std_dev_duration_us': %.*s, 'min_duration_us': %.*s, "
        "'max_duration_us': %.*s}]",
        AZ_SVF(quoted(a, name)), AZ_SVF(more), (long long)g->n,
        AZ_SVF(number(a, microseconds((double)v->sum))), AZ_SVF(number(a, microseconds(v->mean))),
        AZ_SVF(number(a, microseconds(v->median))), AZ_SVF(number(a, microseconds(population))),
        AZ_SVF(number(a, microseconds(v->min))), AZ_SVF(number(a, microseconds(v->max))));
}

static void put_details(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_text(t, az_jax_details(r, g, true));
}

static void put_kernel(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    struct az_arena *a = r->job->arena;
    const struct az_sv name = az_job_text(r->job, az_item_name(r, &g->first));

    az_put_text(t, az_arena_printf(a, "[{'name': %.*s, 'dur': %.*s%.*s}]", AZ_SVF(quoted(a, name)),
                                   AZ_SVF(number(a, microseconds((double)g->value->sum))),
                                   AZ_SVF(operation_details(a, az_jax_op(r, &g->first)))));
}

static void put_categories(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    az_put_text(t, az_arena_printf(r->job->arena, "['%.*s']", AZ_SVF(category_text(r, &g->first))));
}

static void put_per_gpu(const struct az_scope *r, const struct az_group *g, struct az_table *t)
{
    const size_t devices = az_hlo_devices_with_kernels(hlo_of(r));

    az_put_f64(t, microseconds((double)g->value->sum) / 1e3 / (double)(devices ? devices : 1));
}

/* ---- one by one ---- */

static int64_t one_event(const struct az_scope *r, const struct az_item *i)
{
    (void)r;
    (void)i;
    return 1;
}

static const struct az_lane *lane_of(const struct az_scope *r, const struct az_item *i)
{
    return az_item_lane(r, i);
}

AZ_OF_ITEM(int64_t, pid_of, lane_of(s, i)->device + 1)
AZ_OF_ITEM(int64_t, tid_of, (int64_t)lane_of(s, i)->tid)

/* Between the start of the call and that of the kernel. */
static double latency_of(const struct az_scope *r, const struct az_item *i)
{
    const struct az_jax *j = r->ctx;
    const struct az_hlo_event e = az_jax_event(i);
    const struct az_events *ev = az_hlo_events(&j->h, &e);
    const uint64_t correlation = ev->corr[e.row];
    uint32_t call = AZ_NO_ID;

    if (correlation)
        call = az_map_get(&j->calls[e.trace], correlation, (uint64_t)lane_of(r, i)->device + 1);
    if (correlation && call == AZ_NO_ID)
        call = az_map_get(&j->calls[e.trace], correlation, 0);
    return call == AZ_NO_ID ? NAN
                            : microseconds((double)(ev->start[e.row] -
                                                    j->h.tr[e.trace].t->ev[AZ_CALL].start[call]));
}

static int64_t input_bytes(const struct az_scope *r, const struct az_item *i)
{
    const struct az_hlo_op *op = az_jax_op(r, i);
    int64_t sum = 0;

    for (size_t k = 0; op && k < op->n_operands; k++)
        sum = az_add_sat(sum, has_shape(&op->operands[k]) ? op->operands[k].bytes : 0);
    return sum;
}

static bool is_generated(const struct az_scope *r, const struct az_item *i)
{
    return az_jax_on_gpu(r, i) && az_sv_starts(category_text(r, i), AZ_SV("Uncategorized"));
}

static const struct az_key uid = { AZ_INT, AZ_UNIT_ID, .integer = az_jax_uid };
static const struct az_key count = { AZ_INT, AZ_UNIT_COUNT, .integer = one_event };
static const struct az_key pid = { AZ_INT, AZ_UNIT_ID, .integer = pid_of };
static const struct az_key tid = { AZ_INT, AZ_UNIT_ID, .integer = tid_of };
static const struct az_key bytes = { AZ_INT, AZ_UNIT_BYTES, .integer = input_bytes };

static uint32_t set_number(const struct az_scope *r, const struct az_item *i)
{
    return hlo_of(r)->tr[i->trace].same_kernels->of[i->row];
}

static struct az_sv without_digits(const struct az_scope *r, const struct az_item *i)
{
    char *out = az_arena_str(r->job->arena, az_job_text(r->job, az_item_name(r, i)));
    size_t n = 0;

    for (const char *p = out; p && *p; p++)
        if (*p < '0' || *p > '9')
            out[n++] = *p;
    return az_sv_make(out ? out : "", n);
}

static const struct az_key stem = { AZ_TEXT, .text = without_digits };

/* clang-format off */
#define KERNELS .needs = AZ_CAP_PROGRAMS, .n_kinds = 1, .kinds = { AZ_KERNEL }
#define GROUPED KERNELS, .number_of = set_number, .number_filters = true, .shares = AZ_SHARES_PERCENTS
#define US(header, what) AZ_FIGURE(header, what, 0, AZ_UNIT_US, AZ_LOWER_BETTER)
#define BOTH(what, figure) US("total_direct_kernel_time_" what, figure), US("total_subtree_kernel_time_" what, figure)
#define OWN(header, as, of_unit, how) { header, .figure = AZ_FIG_OWN, .type = as, .unit = of_unit, .put = how }
#define SAME(header, key) { header, &key, .follows = true }
#define LAUNCHERS \
    SAME("name", az_key_name), { "UID", &uid, .flags = AZ_KEY, .sort = 1 }, SAME("op category", az_jax_category), \
    US("total_direct_kernel_time", AZ_FIG_SUM), US("total_subtree_kernel_time", AZ_FIG_SUM), \
    SAME("direct_kernel_count", count), SAME("pid", pid), SAME("tid", tid), SAME("Input Dims", az_jax_dims), \
    SAME("Input type", az_jax_types), SAME("Input Strides", nothing), SAME("Concrete Inputs", nothing), \
    OWN("kernel_details", AZ_TEXT, AZ_UNIT_NONE, put_kernel), \
    { "GPU_kernel_launch_latency", .figure = AZ_FIG_MEAN, .value = 1, .unit = AZ_UNIT_US }
#define SUM { "total_direct_kernel_time_sum", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US, .flags = AZ_LOWER_BETTER, .sort = -1 }
#define MS(header) AZ_FIGURE(header, AZ_FIG_SUM, 0, AZ_UNIT_MS, AZ_LOWER_BETTER)
#define SUMMARY(key) \
    { "name", &key, .flags = AZ_KEY, .sort = 2 }, SUM, US("total_subtree_kernel_time_sum", AZ_FIG_SUM), \
    MS("total_direct_kernel_time_ms"), MS("total_subtree_kernel_time_ms"), { "Count", .figure = AZ_FIG_COUNT }, \
    OWN("Categories", AZ_TEXT, AZ_UNIT_NONE, put_categories), AZ_SHARE_COLUMNS, \
    OWN("time ms per gpu", AZ_REAL, AZ_UNIT_MS, put_per_gpu)

static const struct az_table_spec launchers = {
    "jax_kernel_launchers", "Kernels one by one", KERNELS, .keep = az_jax_on_gpu,
    .values = { { NULL }, { .real = latency_of } }, .columns = { LAUNCHERS },
};
static const struct az_table_spec generated = {
    "jax_xla_perf", "XLA-generated kernels one by one", KERNELS, .keep = is_generated,
    .values = { { NULL }, { .real = latency_of } }, .columns = { LAUNCHERS, SAME("total_input_bytes", bytes) },
};
static const struct az_table_spec summary = {
    "jax_kernel_launchers_summary", "Kernels by name", GROUPED, .keep = az_jax_on_gpu,
    .columns = { SUMMARY(az_key_name) },
};
static const struct az_table_spec generated_summary = {
    "jax_xla_summary", "XLA-generated kernels by name", GROUPED, .keep = is_generated, .columns = { SUMMARY(stem) },
};
static const struct az_table_spec by_category = {
    "jax_kernel_launchers_by_category", "Kernels by category", GROUPED, .keep = az_jax_on_gpu,
    .columns = { { "op category", &az_jax_category, .flags = AZ_KEY, .sort = 2 }, { "Count", .figure = AZ_FIG_COUNT },
                 { "total_direct_kernel_time_ms", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS, .flags = AZ_LOWER_BETTER,
                   .sort = -1 },
                 AZ_SHARE_COLUMNS, OWN("time ms per gpu", AZ_REAL, AZ_UNIT_MS, put_per_gpu) },
};
static const struct az_table_spec by_arguments = {
    "jax_kernel_launchers_unique_args", "Kernels by arguments", GROUPED, .keep = az_jax_on_gpu,
    .columns = { { "name", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                 { "op category", &az_jax_category, .flags = AZ_KEY }, { "Input Dims", &az_jax_dims, .flags = AZ_KEY },
                 { "Input type", &az_jax_types, .flags = AZ_KEY }, SAME("Input Strides", nothing),
                 SAME("Concrete Inputs", nothing), { "operation_count", .figure = AZ_FIG_COUNT },
                 BOTH("mean", AZ_FIG_MEAN), BOTH("median", AZ_FIG_MEDIAN), BOTH("std", AZ_FIG_STD),
                 BOTH("min", AZ_FIG_MIN), BOTH("max", AZ_FIG_MAX), SUM, US("total_subtree_kernel_time_sum", AZ_FIG_SUM),
                 OWN("ex_UID", AZ_INT, AZ_UNIT_ID, az_jax_put_uid),
                 OWN("kernel_details_summary", AZ_TEXT, AZ_UNIT_NONE, put_details), AZ_SHARE_COLUMNS },
};
/* clang-format on */

static int make_tables(struct az_jax *j)
{
    static const struct az_table_spec *const specs[] = { &launchers,   &summary,
                                                         &by_category, &by_arguments,
                                                         &generated,   &generated_summary };
    int rc = az_hlo_group_kernels(&j->h);

    rc = rc ? rc : number_events(j);
    rc = rc ? rc : map_calls(j);
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(specs); i++)
        rc = az_spec_make(j->h.job, specs[i], j, NULL);
    rc = rc ? rc : az_jax_op_tables(j);
    release_calls(j);
    return rc;
}

/* Made for the sheets of that program only. */
static int make_sheets(struct az_job *job)
{
    struct az_jax j = { .uid = NULL };

    if (!az_sv_is(job->opts->sheets_as, "tracelens-jax"))
        return 0;
    int rc = az_hlo_init(&j.h, job);
    if (rc == 0 && az_hlo_devices_with_kernels(&j.h) > 0)
        rc = make_tables(&j);
    return az_hlo_release(&j.h, rc);
}

const struct az_analysis az_analysis_jax_kernels = {
    .name = "jax_kernels",
    .help = "sheets of TraceLens for JAX (sheets_as): kernels one by one, by name, by arguments",
    .needs = AZ_CAP_PROGRAMS,
    .run = make_sheets,
};
