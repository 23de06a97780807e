/* Joining the parts of a PyTorch trace that were read apart. */
#include "formats/pytorch/pytorch.h"
#include "model/append.h"

uint64_t az_pytorch_joined_identity(const uint32_t *name, uint64_t id)
{
    return id & AZ_PYTORCH_IS_TEXT ? AZ_PYTORCH_IS_TEXT | name[(uint32_t)id] : id;
}

static int join_lanes(struct az_pytorch_reader *r, const struct az_trace *part,
                      const uint32_t *name, uint32_t *lane)
{
    for (size_t i = 0; i < part->lanes.n; i++) {
        struct az_lane l = part->lanes.v[i];
        uint32_t *known;
        bool added;
        l.pid = az_pytorch_joined_identity(name, l.pid);
        l.tid = az_pytorch_joined_identity(name, l.tid);
        l.proc = az_pytorch_joined_identity(name, l.proc);
        l.thread = az_pytorch_joined_identity(name, l.thread);
        int rc = az_pytorch_lane_find(r, l.pid, l.tid, l.device_side, &known, &added);
        if (rc == 0 && added)
            rc = az_trace_lane(r->trace, &l, known);
        if (rc)
            return rc;
        lane[i] = *known;
    }
    return 0;
}

static int join_other(struct az_pytorch_reader *r, const struct az_pytorch_reader *part,
                      const uint32_t *name)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < part->meta.n; i++) {
        struct az_pytorch_meta m = part->meta.v[i];
        m.pid = az_pytorch_joined_identity(name, m.pid);
        m.tid = az_pytorch_joined_identity(name, m.tid);
        m.text = name[m.text];
        rc = az_vec_push(&r->meta, m);
    }
    for (size_t i = 0; rc == 0 && i < part->other_cats.n; i++) {
        uint64_t id = name[part->other_cats.v[i] >> 32], count = (uint32_t)part->other_cats.v[i];
        size_t k = 0;
        while (k < r->other_cats.n && r->other_cats.v[k] >> 32 != id)
            k++;
        if (k < r->other_cats.n)
            r->other_cats.v[k] += count;
        else if (k == AZ_PYTORCH_CATEGORIES)
            r->more_cats += count;
        else
            rc = az_vec_push(&r->other_cats, id << 32 | count);
    }
    for (size_t i = 0; rc == 0 && i < part->long_frames.n; i++) {
        struct az_pytorch_frame f = part->long_frames.v[i];
        f.pid = az_pytorch_joined_identity(name, f.pid);
        f.tid = az_pytorch_joined_identity(name, f.tid);
        f.uid += r->uid;
        rc = az_pytorch_frame_add(r, &f);
    }
    r->uid += part->uid;
    r->no_time += part->no_time;
    r->no_device_time += part->no_device_time;
    r->duplicate_keys += part->duplicate_keys;
    r->no_value += part->no_value;
    for (unsigned k = 0; k < AZ_PYTORCH_PHASES; k++)
        r->phase[k] += part->phase[k];
    r->frames += part->frames;
    r->more_cats += part->more_cats;
    return rc;
}

int az_pytorch_join(struct az_pytorch_reader *r, struct az_pytorch_reader *part)
{
    struct az_trace *from = part->trace;
    struct az_mem *mem = r->trace->mem;
    const size_t names = from->names.text.n, lanes = from->lanes.n;
    uint32_t *name = az_mem_alloc(mem, (names + 1) * sizeof *name),
             *lane = az_mem_alloc(mem, (lanes + 1) * sizeof *lane);
    int rc = from->names.error; /* of a part, which is not finalized: an id may be missing */
    if (rc == 0 && (!name || !lane))
        rc = az_mem_error(mem);
    size_t rows[AZ_KIND_COUNT];
    for (size_t k = 0; k < AZ_KIND_COUNT; k++)
        rows[k] = r->trace->ev[k].n;
    /* In the order of first appearance, so that ids come out as if one reader had read all. */
    for (uint32_t i = 0; rc == 0 && i < names; i++)
        name[i] = az_trace_name(r->trace, az_trace_text(from, i));
    if (rc == 0)
        rc = r->trace->names.error;
    if (rc == 0)
        rc = join_lanes(r, from, name, lane);
    if (rc == 0 && part->launch_seen)
        az_pytorch_launch_key(r, az_optrace(from)->key_is_ext);
    if (rc == 0)
        rc = az_optrace_append(r->trace, from,
                               &(struct az_append){ .name = name, .lane = lane, .uid = r->uid });
    if (rc == 0)
        rc = join_other(r, part, name);
    if (rc == 0)
        rc = az_pytorch_begins_join(r, part, name, rows);
    az_mem_free(mem, name, (names + 1) * sizeof *name);
    az_mem_free(mem, lane, (lanes + 1) * sizeof *lane);
    return rc;
}
