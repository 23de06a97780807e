/* Cells and columns that tables of framework traces share. */
#include "analyses/operators/framework.h"

void az_framework_put_id(const struct az_framework *f, struct az_table *t, uint32_t id)
{
    az_put_given(t, az_framework_text(f, id, ""));
}

void az_framework_recompute_column(const struct az_framework *f, struct az_table *t)
{
    if (f->opts->detect_recompute)
        az_table_column(t, "is_recompute", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
}

void az_framework_put_recompute(const struct az_framework *f, struct az_table *t, bool is)
{
    if (f->opts->detect_recompute)
        az_put_text(t, is ? AZ_SV("True") : AZ_SV("False"));
}

void az_framework_key_columns(struct az_table *t)
{
    static const char *const key[] = { "name",          "op category",   "process_name",
                                       "process_label", "thread_name",   "Input Dims",
                                       "Input type",    "Input Strides", "Concrete Inputs" };
    for (size_t i = 0; i < AZ_LENGTH(key); i++)
        az_table_column(t, key[i], AZ_TEXT, AZ_UNIT_NONE,
                        AZ_KEY | (i < 2 || i == 5 ? 0 : AZ_DETAIL));
}

void az_framework_put_keys(const struct az_framework *f, struct az_table *t, struct az_sv name,
                           struct az_sv category, uint32_t node)
{
    const struct az_lane_names *lane = &f->ops->lane_names.v[az_framework_node(f, node).lane];
    const struct az_op_args *a = az_framework_args(f, node);
    az_put_text(t, name);
    az_put_text(t, category);
    az_put_text(t, az_framework_text(f, lane->process_name, "Unknown"));
    az_put_text(t, az_framework_text(f, lane->process_label, "Unknown"));
    az_put_text(t, az_framework_text(f, lane->thread_name, "Unknown"));
    az_framework_put_id(f, t, a ? a->dims : AZ_NO_ID);
    az_framework_put_id(f, t, a ? a->types : AZ_NO_ID);
    az_framework_put_id(f, t, a ? a->strides : AZ_NO_ID);
    az_framework_put_id(f, t, a ? a->concrete : AZ_NO_ID);
}

void az_framework_share_columns(struct az_table *t)
{
    az_table_column(t, "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Cumulative Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
}

void az_framework_put_share(struct az_table *t)
{
    az_put_empty(t);
    az_put_empty(t);
}

void az_framework_shares(struct az_table *t, int value)
{
    double sum = 0, run = 0;
    ptrdiff_t at = az_table_find(t, "Percentage (%)");
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

void az_framework_keep(struct az_job *job, struct az_table *t, int64_t rows, const char *option)
{
    if (!t)
        return;
    const struct az_sv item = az_arena_printf(job->arena, "%.*s: rows skipped", AZ_SVF(t->id));
    if (rows == AZ_UNSET_I64 || rows < 0 || (uint64_t)rows >= t->rows)
        return;
    if (item.p)
        az_cover(job, item.p, (double)(t->rows - (size_t)rows), "count", az_sv_str(option));
    az_table_keep(t, (size_t)rows);
}
