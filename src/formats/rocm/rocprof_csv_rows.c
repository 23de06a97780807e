/* Rows of the CSV files of rocprof into the model (docs/formats-rocprof.md 3). */
#include <math.h>

#include "base/num.h"
#include "formats/rocm/rocprof_csv.h"

static const struct az_csv_field *csv_cell(const struct az_rocprof_csv_file *f, enum az_col c)
{
    return f->at[c] < 0 || (size_t)f->at[c] >= f->csv.row.n ? NULL : &f->csv.row.v[f->at[c]];
}

/* 0 for a column that is absent or an empty cell; *ok false for text that is not a number. */
static int64_t integer(const struct az_rocprof_csv_file *f, enum az_col c, bool *ok)
{
    const struct az_csv_field *x = csv_cell(f, c);
    int64_t v = 0;
    double real;
    int rc = x ? az_csv_i64(x, &v) : 1;
    if (rc < 0 && az_csv_f64(x, &real) == 0 && real >= 0 && real < 9e18) /* "16384.000000" */
        v = (int64_t)real;
    else if (rc < 0)
        *ok = false;
    return rc == 1 ? 0 : v;
}

/* The same of a column that every row needs: a cell without a number is an invalid row. */
static int64_t needed(const struct az_rocprof_csv_file *f, enum az_col c, bool *ok)
{
    const struct az_csv_field *x = csv_cell(f, c);
    int64_t v;
    *ok = *ok && x && az_csv_i64(x, &v) != 1;
    v = integer(f, c, ok);
    return v;
}

static uint64_t id_number(const struct az_rocprof_csv_file *f, enum az_col c)
{
    bool ok = true;
    uint64_t big;
    const struct az_csv_field *x = csv_cell(f, c);
    int64_t v = integer(f, c, &ok);
    return ok || !x || az_parse_u64(az_sv_trim(x->raw), &big) != 0 ? (uint64_t)v : big;
}

static struct az_sv cell_text(const struct az_rocprof_csv_file *f, enum az_col c)
{
    const struct az_csv_field *x = csv_cell(f, c);
    return x ? az_csv_text(&f->r->scratch, x) : AZ_SV("");
}

/* Name id of a cell; which: 0 or 1, as two columns of a row are searched. Equal cells often follow
 * each other. */
static uint32_t cell_name(struct az_rocprof_csv_file *f, enum az_col c, int which)
{
    struct az_sv s = cell_text(f, c);
    if (f->name[which].text.p && az_sv_eq(f->name[which].text, s))
        return f->name[which].id;
    const uint32_t id = az_trace_name(f->r->t, s);
    f->name[which].text = az_trace_text(f->r->t, id);
    f->name[which].id = id;
    return id;
}

static int64_t agent(const struct az_rocprof_csv_file *f, enum az_col c)
{
    const struct az_csv_field *x = csv_cell(f, c);
    return x ? az_rocprof_agent_number(x->raw) : AZ_NO_AGENT;
}

/* ---- rows: 0, 1 for a row that cannot be used, or an error ---- */

static int kernel_row(struct az_rocprof_csv_file *f, struct az_rocprof_kernel *k)
{
    bool ok = true;
    int64_t a = agent(f, f->at[C_AGENT] >= 0 ? C_AGENT : C_GPU);
    *k = (struct az_rocprof_kernel){ .start = integer(f, C_START, &ok),
                                     .end = integer(f, C_END, &ok),
                                     .thread = integer(f, C_THREAD, &ok),
                                     .agent = a == AZ_NO_AGENT ? 0 : a,
                                     .queue = integer(f, C_QUEUE, &ok),
                                     .stream = integer(f, C_STREAM, &ok),
                                     .corr = id_number(f, C_CORR),
                                     .dispatch = id_number(f, C_DISPATCH),
                                     .name = AZ_NO_ID };
    struct az_dispatch_shape *s = &k->shape;
    s->lds = az_rocprof_u32(integer(f, f->at[C_LDS] >= 0 ? C_LDS : C_LDS_OLD, &ok));
    s->scratch = az_rocprof_u32(integer(f, f->at[C_SCRATCH] >= 0 ? C_SCRATCH : C_SCRATCH_OLD, &ok));
    s->vgpr = az_rocprof_u32(integer(f, C_VGPR, &ok));
    s->agpr = az_rocprof_u32(integer(f, C_AGPR, &ok));
    s->sgpr = az_rocprof_u32(integer(f, C_SGPR, &ok));
    for (int i = 0; i < 3; i++) {
        s->grid[i] = az_rocprof_u32(integer(f, (enum az_col)(C_GRID_X + i), &ok));
        s->block[i] = az_rocprof_u32(integer(f, (enum az_col)(C_BLOCK_X + i), &ok));
    }
    if (f->at[C_GRID_X] < 0 && f->at[C_GRID] >= 0) { /* only the products are there */
        s->grid[0] = az_rocprof_u32(integer(f, C_GRID, &ok));
        s->block[0] = az_rocprof_u32(integer(f, C_BLOCK, &ok));
        s->grid[1] = s->grid[2] = s->block[1] = s->block[2] = 1;
    }
    if (f->table == T_KERNELS) {
        (void)needed(f, C_START, &ok);
        (void)needed(f, C_END, &ok);
    }
    if (!ok || !csv_cell(f, C_KERNEL))
        return 1;
    if (!az_rocprof_csv_legacy(f->at))
        s->whole = cell_name(f, C_KERNEL, 0);
    else
        s->whole = az_trace_name(f->r->t, az_rocprof_formatted(cell_text(f, C_KERNEL)));
    return f->r->t->names.error;
}

/* Packets that order a queue, which rocprof (version 1) lists among the kernels. */
static bool is_barrier(struct az_rocprof_csv_file *f, uint32_t whole, uint64_t count, int64_t ticks)
{
    if (!az_sv_is(az_trace_text(f->r->t, whole), "<barrier packet>"))
        return false;
    f->r->t->read += f->table == T_KERNELS;
    az_trace_dropped(f->r->t, AZ_DROP_NOT_MODELLED, "barriers of queues", count, ticks);
    return true;
}

/* One row a dispatch, its counters in columns. */
static int take_legacy(struct az_rocprof_csv_file *f, const struct az_rocprof_kernel *k)
{
    struct az_counter c = { .proc = f->r->proc, .dispatch = k->dispatch };
    if (is_barrier(f, k->shape.whole, 1, k->end > k->start ? k->end - k->start : 0))
        return 0;
    int rc = az_rocprof_kernel(f->r, k);
    if (rc == 0 && f->n_counters)
        rc = az_rocprof_kernel_name(f->r, k->shape.whole, &c.kernel);
    for (size_t i = 0; rc == 0 && i < f->n_counters; i++) {
        const size_t at = (size_t)f->counters[i].at;
        c.counter = f->counters[i].name;
        if (!f->r->t->cut_log && at < f->csv.row.n && az_csv_f64(&f->csv.row.v[at], &c.value) == 0)
            rc = az_vec_push(&f->r->d->counters, c);
    }
    return rc;
}

static int take_kernel(struct az_rocprof_csv_file *f)
{
    struct az_rocprof_kernel k;
    int rc = kernel_row(f, &k);
    if (rc)
        return rc;
    return az_rocprof_csv_legacy(f->at) ? take_legacy(f, &k) : az_rocprof_kernel(f->r, &k);
}

/* One row a dispatch and counter. */
static int take_counter(struct az_rocprof_csv_file *f)
{
    struct az_rocprof_kernel k;
    struct az_counter c = { .proc = f->r->proc };
    const struct az_csv_field *value = csv_cell(f, C_COUNTER_VALUE);
    int rc = kernel_row(f, &k);
    if (rc || !value || az_csv_f64(value, &c.value) != 0)
        return rc ? rc : 1;
    c.dispatch = k.dispatch;
    rc = az_rocprof_kernel_name(f->r, k.shape.whole, &c.kernel);
    c.counter = cell_name(f, C_COUNTER, 1);
    if (rc == 0 && !f->r->t->cut_log)
        rc = az_vec_push(&f->r->d->counters, c);
    /* The rows of a dispatch follow each other: it is added once, at its first one. */
    bool again = f->r->any_counted && f->r->counted_proc == f->r->proc &&
                 f->r->counted_dispatch == k.dispatch;
    return rc || again || f->at[C_START] < 0 || f->at[C_END] < 0 ? rc
                                                                 : az_rocprof_counted(f->r, &k);
}

static int take_copy(struct az_rocprof_csv_file *f)
{
    bool ok = true;
    struct az_rocprof_copy c = { .start = needed(f, C_START, &ok),
                                 .end = needed(f, C_END, &ok),
                                 .bytes = -1,
                                 .queue = integer(f, C_QUEUE, &ok),
                                 .stream = integer(f, C_STREAM, &ok),
                                 .src = (int32_t)agent(f, C_SRC),
                                 .dst = (int32_t)agent(f, C_DST),
                                 .corr = id_number(f, C_CORR) };
    if (!ok)
        return 1;
    c.name = cell_name(f, C_DIRECTION, 0);
    return az_rocprof_copy(f->r, &c);
}

static uint64_t address(struct az_sv s)
{
    uint64_t v = 0;
    s = az_sv_trim(s);
    if (!az_sv_starts(s, AZ_SV("0x")))
        return az_parse_u64(s, &v) == 0 ? v : 0;
    for (size_t i = 2; i < s.n; i++) {
        char c = s.p[i];
        unsigned digit =
            c >= '0' && c <= '9' ? (unsigned)(c - '0') : ((unsigned char)c | 32u) - 'a' + 10u;
        if (digit > 15)
            return 0;
        v = v << 4 | digit;
    }
    return v;
}

static int span_row(struct az_rocprof_csv_file *f, enum az_col name, struct az_rocprof_span *s)
{
    bool ok = true;
    *s = (struct az_rocprof_span){ .start = integer(f, C_START, &ok),
                                   .end = integer(f, C_END, &ok),
                                   .thread = integer(f, C_THREAD, &ok),
                                   .corr = id_number(f, C_CORR) };
    if (ok)
        s->name = cell_name(f, name, 0);
    return !ok;
}

static int take_alloc(struct az_rocprof_csv_file *f)
{
    struct az_rocprof_alloc a = { .what = { .agent = (int32_t)agent(f, C_AGENT),
                                            .address = address(cell_text(f, C_ADDRESS)) } };
    bool ok = true;
    a.what.bytes = integer(f, C_BYTES, &ok);
    int rc = ok ? span_row(f, C_OPERATION, &a.at) : 1;
    return rc ? rc : az_rocprof_alloc(f->r, &a);
}

static int take_call(struct az_rocprof_csv_file *f)
{
    struct az_rocprof_span s;
    bool ok = true;
    int64_t pid = integer(f, C_PID, &ok);
    if (ok && pid > 0 && az_rocprof_current(f->r)->pid == 0)
        az_rocprof_current(f->r)->pid = f->r->pid = pid;
    const int rc = ok ? span_row(f, C_FUNCTION, &s) : 1;
    if (rc)
        return rc;
    s.domain = cell_name(f, C_DOMAIN, 1);
    bool marker = az_sv_starts(az_trace_text(f->r->t, s.domain), AZ_SV("MARKER"));
    return marker ? az_rocprof_range(f->r, &s) : az_rocprof_call(f->r, &s);
}

static int take_agent(struct az_rocprof_csv_file *f)
{
    bool ok = true;
    int64_t index = integer(f, f->at[C_LOGICAL] >= 0 ? C_LOGICAL : C_NODE, &ok),
            cus = integer(f, C_CUS, &ok);
    struct az_sv name = cell_text(f, C_PRODUCT);
    if (!ok || index < 0 || index > INT32_MAX)
        return 1;
    bool gpu = az_sv_ieq(az_sv_trim(cell_text(f, C_TYPE)), AZ_SV("GPU"));
    return az_rocprof_agent(f->r, index, gpu, name.n ? name : cell_text(f, C_NAME), cus, 0);
}

static double number(const struct az_rocprof_csv_file *f, enum az_col c)
{
    const struct az_csv_field *x = csv_cell(f, c);
    double v;
    return x && az_csv_f64(x, &v) == 0 ? v : NAN;
}

/* Two rows whose kernels have one short name: sums added, the deviation of all their dispatches
 * together. */
static void join_sums(struct az_sum *a, const struct az_sum *b)
{
    const double n = (double)a->count, m = (double)b->count, all = n + m, apart = b->avg - a->avg;
    const double of_a = a->count > 1 ? (n - 1) * a->std * a->std : 0,
                 of_b = b->count > 1 ? (m - 1) * b->std * b->std : 0;
    a->std = all > 1 ? sqrt((of_a + of_b + apart * apart * n * m / all) / (all - 1)) : NAN;
    a->count = az_add_sat(a->count, b->count);
    a->total_ns = az_add_sat(a->total_ns, b->total_ns);
    a->total = (double)a->total_ns;
    a->avg = a->total / (double)a->count;
    a->min = isnan(b->min) || a->min < b->min ? a->min : b->min;
    a->max = isnan(b->max) || a->max > b->max ? a->max : b->max;
}

static int take_call_sum(struct az_rocprof_csv_file *f, uint32_t name, struct az_sum *s)
{
    struct az_trace *t = f->r->t;
    struct az_call_sum c = { .sum = *s };
    if (s->count < 1)
        return 1;
    c.sum.name = name;
    t->read++;
    t->kept++;
    c.domain = az_trace_name(t, f->domain);
    return az_vec_push(&f->r->d->call_sums, c);
}

/* rocprof before version 3 writes names with commas without quotes: the name is all but the columns
 * after it. */
static void join_name(struct az_rocprof_csv_file *f)
{
    struct az_csv_fields *row = &f->csv.row;
    if (f->at[C_NAME] != 0 || row->n <= f->width || row->v[0].quoted)
        return;
    const size_t more = row->n - f->width;
    const struct az_sv last = row->v[more].raw;
    row->v[0].raw.n = (size_t)(last.p + last.n - row->v[0].raw.p);
    memmove(&row->v[1], &row->v[more + 1], (f->width - 1) * sizeof row->v[0]);
    row->n = f->width;
}

/* Kernels already summed: used where there is no trace of them. */
static int take_sum(struct az_rocprof_csv_file *f)
{
    struct az_trace *t = f->r->t;
    struct az_sum s = { .avg = number(f, C_AVERAGE),
                        .min = number(f, C_MIN),
                        .max = number(f, C_MAX),
                        .std = number(f, C_STD),
                        .med = NAN };
    bool ok = true;
    s.count = integer(f, C_CALLS, &ok);
    s.total_ns = needed(f, C_TOTAL, &ok);
    s.total = (double)s.total_ns;
    ok = ok && s.total_ns >= 0;
    if (!ok)
        return 1;
    const uint32_t whole = cell_name(f, C_NAME, 0);
    if (f->domain.n)
        return take_call_sum(f, whole, &s);
    if (is_barrier(f, whole, s.count > 0 ? (uint64_t)s.count : 0, s.total_ns))
        return 0;
    int rc = az_rocprof_kernel_name(f->r, whole, &s.name);
    if (rc || s.count < 1)
        return rc ? rc : 1;
    t->read++;
    t->kept++;
    uint32_t *at;
    bool added;
    rc = az_map_put(&f->r->sum_of, s.name, 0, (uint32_t)t->kernel_sums.n, &at, &added);
    if (rc == 0 && !added)
        join_sums(&t->kernel_sums.v[*at], &s);
    return rc == 0 && added ? az_vec_push(&t->kernel_sums, s) : rc;
}

/* Each file of a run has all spans: those of the first one that is read count. */
static int take_window(struct az_rocprof_csv_file *f)
{
    struct az_trace *t = f->r->t;
    bool ok = true;
    const struct az_span s = { needed(f, C_WINDOW_START, &ok), needed(f, C_WINDOW_END, &ok) };
    const int64_t process = integer(f, C_PID, &ok);
    if (!ok || s.end < s.start || process < 0)
        return 1;
    if (f->r->window.n && !az_sv_eq(f->r->window, f->path))
        return AZ_OK;
    f->r->window = f->path;
    const int rc = az_vec_push(&t->recorded_window, s);
    return rc || !process ? rc : az_vec_push(&t->window_process, (uint64_t)process);
}

/* Ids of dispatches count within a process, and several processes may write one file. Rows of calls
 * stay with the first one: the kernels that they launch are in a file without processes. */
int az_rocprof_csv_select(struct az_rocprof_csv_file *f)
{
    const bool dispatches =
        f->table == T_COUNTERS || (f->table == T_KERNELS && az_rocprof_csv_legacy(f->at));
    bool ok = true;
    const int64_t pid = dispatches ? integer(f, C_PID, &ok) : 0;
    return ok && pid > 0 ? az_rocprof_select(f->r, pid) : AZ_OK;
}

int az_rocprof_csv_add_row(struct az_rocprof_csv_file *f)
{
    switch (f->table) {
    case T_COUNTERS:
        return take_counter(f);
    case T_KERNELS:
        return take_kernel(f);
    case T_COPIES:
        return take_copy(f);
    case T_ALLOCS:
        return take_alloc(f);
    case T_CALLS:
        return take_call(f);
    case T_AGENTS:
        return take_agent(f);
    case T_SUMS:
        join_name(f);
        return take_sum(f);
    case T_WINDOW:
        return take_window(f);
    case T_SAMPLES:
    case TABLES:
        break;
    }
    return 0;
}
