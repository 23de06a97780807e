/* Rows of cuda_gpu_trace: device events with times, but without host calls or ranges
 * (docs/formats-nsight.md 2.2, 4). */
#include "base/num.h"
#include "formats/nsys/nsys_csv.h"

/* "NVIDIA A100-SXM4-40GB (0)" or "0": the number, and what is before it as the name. */
static int64_t device_number(struct az_sv text, struct az_sv *name)
{
    int64_t id = -1;
    *name = az_sv_make("", 0);
    text = az_sv_trim(text);
    if (text.n && text.p[text.n - 1] == ')') {
        size_t open = text.n - 1;
        while (open > 0 && text.p[open] != '(')
            open--;
        *name = az_sv_trim(az_sv_make(text.p, open));
        text = az_sv_make(text.p + open + 1, text.n - open - 2);
    }
    return az_parse_i64(text, &id) == 0 && id >= 0 ? id : -1;
}

static int note_device(struct az_trace *t, int64_t id, struct az_sv name)
{
    if (id < 0)
        return 0;
    for (size_t i = 0; i < t->devices.n; i++)
        if (t->devices.v[i].id == id)
            return 0;
    struct az_device d = { .id = id, .name = az_arena_dup(&t->arena, name) };
    return d.name.p ? az_vec_push(&t->devices, d) : az_arena_error(&t->arena);
}

static uint64_t number(const struct az_nsys_csv_file *f, enum az_nsys_col col)
{
    int at = f->head.at[col];
    int64_t x = 0;
    if (at < 0 || (size_t)at >= f->csv.row.n || az_csv_i64(&f->csv.row.v[at], &x) != 0 || x < 0)
        return 0;
    return (uint64_t)x;
}

/* Codes of az_copy.src and dst. */
static int16_t memory_kind(struct az_sv text)
{
    static const char *const kinds[] = { "Pageable", "Pinned",        "Device",         "Array",
                                         "Managed",  "Device Static", "Managed Static", "Unknown" };
    for (size_t i = 0; i < AZ_LENGTH(kinds); i++)
        if (az_sv_ieq(text, az_sv_str(kinds[i])))
            return (int16_t)i;
    return -1;
}

static enum az_kind kind_of(struct az_sv name)
{
    if (!az_sv_starts(name, AZ_SV("[CUDA ")))
        return AZ_KERNEL;
    if (az_sv_find(name, AZ_SV(" memcpy")) >= 0)
        return AZ_MEMCPY;
    return az_sv_find(name, AZ_SV(" memset")) >= 0 ? AZ_MEMSET : AZ_KERNEL;
}

static int side_row(struct az_nsys_csv_file *f, struct az_event *e)
{
    struct az_trace *t = f->job->trace;
    struct az_copy c = { .bytes = -1, .op = -1 };
    c.migration = az_sv_find(az_nsys_csv_text(f, f->name), AZ_SV("Unified")) >= 0;
    if (az_nsys_csv_value(f, f->head.at[NC_BYTES], &c.bytes) != 0)
        c.bytes = -1;
    c.src = memory_kind(az_nsys_csv_text(f, f->head.at[NC_SRC_KIND]));
    c.dst = memory_kind(az_nsys_csv_text(f, f->head.at[NC_DST_KIND]));
    if (t->copies.n >= AZ_NO_ROW)
        return AZ_ERANGE;
    e->side = (uint32_t)t->copies.n;
    return az_vec_push(&t->copies, c);
}

static uint32_t shared_memory(const struct az_nsys_csv_file *f, enum az_nsys_col col)
{
    int64_t bytes = -1;
    return az_nsys_csv_value(f, f->head.at[col], &bytes) == 0
               ? az_geometry_figure(bytes, AZ_NO_SIZE)
               : AZ_NO_SIZE;
}

static int take_geometry(const struct az_nsys_csv_file *f, uint32_t *row)
{
    struct az_geometry g = { .registers = az_geometry_figure((int64_t)number(f, NC_REGISTERS), 0),
                             .static_shared = shared_memory(f, NC_STATIC_SHARED),
                             .dynamic_shared = shared_memory(f, NC_DYNAMIC_SHARED) };
    for (unsigned i = 0; i < 3; i++) {
        g.grid[i] = az_geometry_figure((int64_t)number(f, (enum az_nsys_col)(NC_GRID_X + i)), 0);
        g.block[i] = az_geometry_figure((int64_t)number(f, (enum az_nsys_col)(NC_BLOCK_X + i)), 0);
    }
    return az_geometries_put(&f->job->trace->geometries, &g, row);
}

int az_nsys_csv_gpu_row(struct az_nsys_csv_file *f)
{
    struct az_trace *t = f->job->trace;
    struct az_event e = { .side = AZ_NO_ROW };
    int64_t duration = 0;
    if (az_nsys_csv_value(f, f->head.at[NC_START], &e.start) != 0)
        return az_nsys_csv_skip(f, "missing or invalid start");
    if (az_nsys_csv_value(f, f->head.at[NC_DURATION], &duration) != 0)
        return az_nsys_csv_skip(f, "missing or invalid duration");
    struct az_sv name = az_nsys_csv_text(f, f->name);
    if (name.n == 0)
        return az_nsys_csv_skip(f, "row without a name");
    if (duration < 0) {
        az_trace_impossible(t, kind_of(name), e.start, e.start);
        return 0;
    }
    e.end = az_add_sat(e.start, duration);
    e.corr = number(f, NC_CORR);

    struct az_sv device_name;
    int64_t device = device_number(az_nsys_csv_text(f, f->head.at[NC_DEVICE]), &device_name);
    struct az_lane lane = { .device_side = true,
                            .tid = number(f, NC_STREAM),
                            .device = device,
                            .context = number(f, NC_CONTEXT),
                            .label = AZ_NO_ID };
    enum az_kind kind = kind_of(name);
    int rc = note_device(t, device, device_name);
    if (rc == 0)
        rc = az_trace_lane(t, &lane, &e.lane);
    e.name = az_trace_name(t, name);
    if (rc == 0 && kind != AZ_KERNEL)
        rc = side_row(f, &e);
    else if (rc == 0 && az_geometry_read(t))
        rc = take_geometry(f, &e.geo);
    if (rc == 0)
        rc = az_trace_add(t, kind, &e);
    return rc;
}
