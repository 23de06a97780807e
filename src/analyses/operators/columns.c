/* Cells and columns that tables of framework traces share. */
#include "analyses/operators/framework.h"
#include "document/record.h"

void az_framework_put_id(const struct az_framework *f, struct az_table *t, uint32_t id)
{
    az_put_optional(t, az_framework_text(f, id, ""));
}

static const struct az_record_column recompute_column[] = {
    { "is_recompute", AZ_TEXT, .flags = AZ_KEY },
};

void az_framework_recompute_column(const struct az_framework *f, struct az_table *t)
{
    if (f->opts->detect_recompute)
        AZ_RECORD_COLUMNS(t, recompute_column);
}

void az_framework_put_recompute(const struct az_framework *f, struct az_table *t, bool is)
{
    if (f->opts->detect_recompute)
        az_put_text(t, is ? AZ_SV("True") : AZ_SV("False"));
}

struct key_row {
    const struct az_framework *of;
    struct az_sv name, category;
    const struct az_lane_names *lane;
    const struct az_op_args *args; /* NULL: none */
};
#define LANE_NAME(name, field)                                                                     \
    AZ_TEXT_OF_RECORD(name, struct key_row, az_framework_text(r->of, r->lane->field, "Unknown"))
#define ARGUMENT(name, field)                                                                      \
    AZ_TEXT_OF_RECORD(name, struct key_row,                                                        \
                      az_framework_text(r->of, r->args ? r->args->field : AZ_NO_ID, ""))
LANE_NAME(process_name, process_name)
LANE_NAME(process_label, process_label)
LANE_NAME(thread_name, thread_name)
ARGUMENT(dims_of, dims)
ARGUMENT(types_of, types)
ARGUMENT(strides_of, strides)
ARGUMENT(concrete_of, concrete)

static const struct az_record_column key_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct key_row, name) },
    { "op category", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct key_row, category) },
    { "process_name", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = process_name },
    { "process_label", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = process_label },
    { "thread_name", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = thread_name },
    { "Input Dims", AZ_TEXT, .flags = AZ_KEY, .text = dims_of, .known = true },
    { "Input type", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = types_of, .known = true },
    { "Input Strides", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = strides_of, .known = true },
    { "Concrete Inputs", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = concrete_of, .known = true },
};
static const struct az_record_column share_columns[] = {
    /* az_framework_shares fills them */
    { "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_SHARE },
    { "Cumulative Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_DETAIL },
};

struct az_table *az_framework_key_table(struct az_arena *a, const char *id, const char *title,
                                        unsigned flags)
{
    return AZ_RECORD_TABLE(a, id, title, flags, key_columns);
}

void az_framework_put_keys(const struct az_framework *f, struct az_table *t, struct az_sv name,
                           struct az_sv category, uint32_t node)
{
    const struct az_lane_names *lane = &f->ops->lane_names.v[az_framework_node(f, node).lane];
    const struct key_row r = { f, name, category, lane, az_framework_args(f, node) };
    AZ_PUT_COLUMNS(t, key_columns, &r);
}

void az_framework_share_columns(struct az_table *t) { AZ_RECORD_COLUMNS(t, share_columns); }

void az_framework_put_share(struct az_table *t) { az_put_cells(t, AZ_LENGTH(share_columns), NULL); }

void az_framework_shares(struct az_table *t, int value)
{
    double sum = 0, run = 0;
    const ptrdiff_t at = az_record_place(t, share_columns);
    for (size_t r = 0; at >= 0 && r < t->rows; r++)
        sum += az_cell_number(az_table_at(t, r, (size_t)value));
    for (size_t r = 0; at >= 0 && r < t->rows; r++) {
        double v = az_cell_number(az_table_at(t, r, (size_t)value));
        struct az_cell *c = &t->cells.v[r * t->columns.n + (size_t)at];
        run += v;
        c[0] = (struct az_cell){ .type = AZ_REAL, .f = sum > 0 ? v / sum * 100.0 : 0.0 };
        c[1] = (struct az_cell){ .type = AZ_REAL, .f = sum > 0 ? run / sum * 100.0 : 0.0 };
    }
}

void az_framework_truncate(struct az_job *job, struct az_table *t, int64_t rows, const char *option)
{
    if (!t)
        return;
    const struct az_sv item = az_arena_printf(job->arena, "%.*s: rows skipped", AZ_SVF(t->id));
    if (rows == AZ_UNSET_I64 || rows < 0 || (uint64_t)rows >= t->rows)
        return;
    if (item.p)
        az_cover(job, item.p, (double)(t->rows - (size_t)rows), "count", az_sv_str(option));
    az_table_truncate(t, (size_t)rows);
}
