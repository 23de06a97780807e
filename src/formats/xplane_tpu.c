/* XPlane: lines of a TPU core. What an operation says of itself stands with its metadata, so that it is read once a
 * name. */
#include "formats/xplane.h"

/* "%copy-start.1 = (f32[..." -> "copy-start.1" */
static struct az_sv short_name(struct az_sv name)
{
    const ptrdiff_t at = az_sv_find(name, AZ_SV(" = "));
    if (at >= 0)
        name.n = (size_t)at;
    if (name.n && name.p[0] == '%')
        name = az_sv_make(name.p + 1, name.n - 1);
    return name;
}

static int read_meta(struct az_xp *r, struct az_xp_meta *m, struct az_xrow *row)
{
    struct az_pb body = az_pb_of(m->body);
    struct az_xp_value v;
    int rc;
    while ((rc = az_xp_next_stat(r, &body, 5, &v)) > 0) {
        switch (v.role) {
        case XP_PROGRAM:
            row->program = v.number;
            row->has_program = true;
            break;
        case XP_CATEGORY:
            rc = az_xp_name(r, &v, &row->category);
            break;
        case XP_FLOPS:
            row->flops = (int64_t)v.number;
            break;
        case XP_BYTES:
            row->bytes = (int64_t)v.number;
            break;
        case XP_TF_OP:
            rc = az_xp_name(r, &v, &row->scope);
            break;
        case XP_HLO_MODULE:
            rc = az_xp_name(r, &v, &row->module);
            break;
        default:
            break;
        }
        if (rc < 0)
            return rc;
    }
    return rc;
}

static int row_of(struct az_xp *r, struct az_xp_meta *m)
{
    struct az_xrow row = {
        .module = AZ_NO_ID, .scope = AZ_NO_ID, .details = AZ_NO_ID, .category = AZ_NO_ID, .flops = -1, .bytes = -1
    };
    uint32_t index;
    int rc = az_trace_name(r->t, m->display.n ? m->display : short_name(m->name), &row.op);
    if (rc == 0)
        rc = read_meta(r, m, &row);
    if (rc == 0)
        rc = az_xtrace_row(r->t, &row, &index);
    if (rc == 0)
        m->row = index + 1;
    return rc;
}

static int describe(struct az_xp *r, struct az_xp_meta *m, struct az_event *e)
{
    const int rc = m->row ? AZ_OK : row_of(r, m);
    if (rc == 0) {
        e->node = m->row;
        e->name = r->x->rows.v[m->row - 1].op;
    }
    return rc;
}

static int add_operation(struct az_xp *r, struct az_xp_meta *m, struct az_xp_event *x, struct az_event *e)
{
    const int rc = describe(r, m, e);
    (void)x;
    return rc ? rc : az_trace_add(r->t, AZ_KERNEL, e);
}

static int add_asynchronous(struct az_xp *r, struct az_xp_meta *m, struct az_xp_event *x, struct az_event *e)
{
    const int rc = describe(r, m, e);
    (void)x;
    return rc ? rc : az_trace_add(r->t, AZ_GPU_RANGE, e);
}

int az_xp_tpu(struct az_xp *r, uint32_t plane)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < r->lines.n; i++) {
        struct az_xp_line l;
        rc = az_xp_line(r, r->lines.v[i], &l);
        if (rc)
            break;
        if (az_sv_is(l.name, "XLA Ops"))
            rc = az_xp_events(r, &l, plane, AZ_XLANE_WORK, add_operation);
        else if (az_sv_is(l.name, "Async XLA Ops"))
            rc = az_xp_events(r, &l, plane, AZ_XLANE_ASYNC, add_asynchronous);
        else if (az_sv_is(l.name, "XLA Modules"))
            rc = az_xp_ranges(r, &l, plane, AZ_XLANE_MODULES);
        else if (az_sv_is(l.name, "Steps"))
            rc = az_xp_ranges(r, &l, plane, AZ_XLANE_STEPS);
        else
            rc = az_xp_skip_line(r, &l, "lines of a TPU that hold no operations");
    }
    return rc;
}
