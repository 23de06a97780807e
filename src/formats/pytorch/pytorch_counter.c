/* Counters of PyTorch traces: over one kernel (cuda_profiler_range), and sampled over time (phase
 * C; docs/formats-pytorch.md 1.7). */
#include "base/num.h"
#include "formats/pytorch/pytorch.h"

int az_pytorch_add_counters(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_optrace *o = az_optrace(r->trace);
    struct az_counter_range c = { .uid = r->uid,
                                  .start = e->ts,
                                  .first = (uint32_t)o->counter_values.n };
    struct az_jview object;
    struct az_sv key, value;
    if (!e->has_ts || !e->has_dur || e->dur < 0 || __builtin_add_overflow(e->ts, e->dur, &c.end)) {
        r->no_time++;
        return 0;
    }
    int rc = az_pytorch_name(r, e->name, e->name_escaped, &c.name);
    bool more = rc == 0 && az_jview_object(&object, e->args);
    while (more && rc == 0 && az_jview_member(&object, &key, &value)) {
        struct az_counter_value v;
        if (az_parse_f64(value, &v.value) != 0)
            continue;
        rc = az_pytorch_name(r, key, true, &v.name);
        if (rc == 0)
            rc = az_vec_push(&o->counter_values, v);
    }
    c.n = (uint32_t)o->counter_values.n - c.first;
    r->trace->kept++;
    return rc ? rc : az_vec_push(&o->counters, c);
}

/* "GPU 3 Counters" -> 3; of the profiler's own category the process is the device. */
static int64_t device_of(const struct az_pytorch_event *e)
{
    struct az_sv text = e->pid.raw;
    int64_t n;
    if (e->pid.number)
        return az_sv_is(e->cat, "hardware_counters") && e->pid.v >= 0 ? e->pid.v : -1;
    if (text.n < 2 || text.p[0] != '"')
        return -1;
    text = az_sv_make(text.p + 1, text.n - 2);
    if (!az_sv_starts(text, AZ_SV("GPU ")))
        return -1;
    text = az_sv_make(text.p + 4, text.n - 4);
    return az_parse_i64(az_sv_cut(&text, ' '), &n) == 0 && n >= 0 ? n : -1;
}

/* Name of one value: of the counter, and of the value where it has one. */
static int sample_name(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                       struct az_sv key, uint32_t *name)
{
    if (key.n == 0)
        return az_pytorch_name(r, e->name, e->name_escaped, name);
    const struct az_sv both =
        az_arena_printf(&r->scratch, "%.*s: %.*s", AZ_SVF(e->name), AZ_SVF(key));
    return both.p ? az_pytorch_name(r, both, true, name) : az_arena_error(&r->scratch);
}

int az_pytorch_add_samples(struct az_pytorch_reader *r, const struct az_pytorch_event *e)
{
    struct az_jview object;
    struct az_sv key, value;
    int rc = 0;
    bool any = false;
    const int64_t device = device_of(e);
    const bool more = e->has_ts && az_jview_object(&object, e->args);
    while (more && rc == 0 && az_jview_member(&object, &key, &value)) {
        double x;
        uint32_t name;
        if (value.n >= 2 && value.p[0] == '"')
            value = az_sv_make(value.p + 1, value.n - 2);
        if (az_parse_f64(value, &x) != 0)
            continue;
        any = true;
        rc = sample_name(r, e, key, &name);
        if (rc == 0)
            rc = az_trace_sample(r->trace, name, device, e->ts, x);
    }
    r->no_value += !any;
    return rc;
}

/* An allocation or release of profile_memory: what the device has in use after it. Those of the
 * host are skipped. */
int az_pytorch_add_memory(struct az_pytorch_reader *r, const struct az_pytorch_event *e,
                          bool *taken)
{
    static const struct {
        const char *name;
        enum az_pytorch_arg arg;
    } sums[] = { { "Memory allocated [B]", AZ_PYTORCH_ALLOCATED },
                 { "Memory reserved [B]", AZ_PYTORCH_RESERVED } };
    const int64_t device = az_pytorch_number(e, AZ_PYTORCH_MEMORY_DEVICE, -1);
    int rc = 0;
    *taken = e->has_ts && device >= 0 && az_pytorch_number(e, AZ_PYTORCH_MEMORY_KIND, 0) != 0 &&
             az_pytorch_has(e, AZ_PYTORCH_ALLOCATED);
    for (size_t k = 0; rc == 0 && *taken && k < AZ_LENGTH(sums); k++) {
        uint32_t name;
        if (!az_pytorch_has(e, sums[k].arg))
            continue;
        rc = az_pytorch_name(r, az_sv_str(sums[k].name), false, &name);
        if (rc == 0)
            rc = az_trace_sample(r->trace, name, device, e->ts, (double)e->number[sums[k].arg]);
    }
    return rc;
}
