#include "analyses/rates.h"

#include "base/data.h"
#include "model/xtrace.h"

/* A file with rates of one basis only is used as it is: its basis is given next to the rates.
 */
static bool of_file(const struct az_options *o, const struct az_device_facts *f,
                    struct az_peaks *out)
{
    struct az_sv wanted = o->arch_device.n ? o->arch_device : o->device_name;
    struct az_sv other =
        az_sv_is(o->roofline_basis, "achievable") ? AZ_SV("peak") : AZ_SV("achievable");
    if (o->arch_rows.n == 0)
        return false;
    if (!az_peaks_find_user(o->arch_rows, wanted, o->roofline_basis, f, out) &&
        !az_peaks_find_user(o->arch_rows, wanted, other, f, out))
        return false;
    out->how = AZ_HOW_FILE;
    return true;
}

/* Last requested device: several analyses request the same one, and the table is long. */
struct known {
    struct az_device_facts f;
    struct az_sv given; /* device_peaks */
    struct az_peaks peaks;
    bool found;
};

static bool same_device(const struct az_device_facts *a, const struct az_device_facts *b)
{
    return az_sv_eq(a->name, b->name) && !(a->units < b->units) && !(a->units > b->units) &&
           !(a->memory_bytes < b->memory_bytes) && !(a->memory_bytes > b->memory_bytes) &&
           !(a->tflops < b->tflops) && !(a->tflops > b->tflops) && !(a->gbps < b->gbps) &&
           !(a->gbps > b->gbps);
}

/* The peaks that the profile states are those of its device, which may be one core of a chip. */
static bool of_profile(const struct az_device_facts *f, struct az_peaks *out)
{
    double *bf16 = NULL;
    if (!(f->tflops > 0) || !(f->gbps > 0))
        return false;
    if (out->name.n == 0) {
        out->name = f->name;
        out->basis = AZ_SV("peak");
    }
    for (int i = 0; i < AZ_RATES; i++)
        if (strcmp(az_rate_name[i], "matrix_bf16") == 0)
            bf16 = &out->rate[i];
    const double share = *bf16 > 0 ? f->tflops / *bf16 : NAN;
    for (int i = 0; i < AZ_RATES; i++)
        out->rate[i] *= share;
    *bf16 = f->tflops;
    out->bw = f->gbps;
    out->source = AZ_PEAKS_DATA_SHEET;
    out->how = "profile";
    return true;
}

/* The table's rates, or those that the profile states. */
static bool of_table(const struct az_options *o, struct az_sv basis,
                     const struct az_device_facts *f, struct az_peaks *out)
{
    const bool found = az_peaks_find(az_data("devices.csv"), o->device_name, basis, f, out);
    return (o->device_name.n == 0 && of_profile(f, out)) || found;
}

static int find_peaks(struct az_job *job, const struct az_device_facts *f, struct az_peaks *out,
                      bool *found)
{
    const struct az_options *o = job->opts;
    struct az_sv bad;
    *found = of_file(o, f, out) || of_table(o, o->roofline_basis, f, out);
    if (o->device_peaks.n == 0)
        return 0;
    if (!az_peaks_override(out, o->device_peaks, &bad))
        return az_diag_fail(job->diag, AZ_ECONFIG, AZ_NOWHERE,
                            "device_peaks: invalid rate '%.*s'; use NAME=VALUE such as "
                            "mem_bw_gbps=3350 matrix_bf16=989.4",
                            AZ_SVF(bad));
    *found = true;
    return 0;
}

/* The table's theoretical rates, whatever the report is to compare with. */
static int find_listed(struct az_job *job, const struct az_device_facts *f, struct az_peaks *out,
                       bool *found)
{
    *found = of_table(job->opts, AZ_SV("peak"), f, out);
    return 0;
}

typedef int finder(struct az_job *job, const struct az_device_facts *f, struct az_peaks *out,
                   bool *found);

/* Each device is searched for once. */
static int peaks_of(struct az_job *job, void **slot, finder *find_for,
                    const struct az_device_facts *f, struct az_peaks *out, bool *found)
{
    struct known *k = slot ? *slot : NULL;
    if (!slot)
        return az_arena_error(job->arena);
    if (!k || !same_device(&k->f, f) || !az_sv_eq(k->given, job->opts->device_peaks)) {
        k = az_arena_alloc(job->arena, sizeof *k);
        if (!k)
            return az_arena_error(job->arena);
        const int rc = find_for(job, f, &k->peaks, &k->found);
        if (rc)
            return rc;
        k->f = *f;
        k->given = job->opts->device_peaks;
        *slot = k;
    }
    *out = k->peaks;
    *found = k->found;
    return 0;
}

int az_job_peaks(struct az_job *job, const struct az_device_facts *f, struct az_peaks *out,
                 bool *found)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const int rc = peaks_of(job, slot, find_peaks, f, out, found);
    az_job_leave(job, slot);
    return rc;
}

bool az_job_limits(struct az_job *job, const struct az_device_facts *f, struct az_peaks *out)
{
    static const char what;
    struct az_peaks wanted;
    bool found = false, listed = false;
    void **slot = az_job_slot(job, &what);
    const int rc = peaks_of(job, slot, find_listed, f, out, &listed);
    az_job_leave(job, slot);
    if (rc)
        return false;
    if (az_job_peaks(job, f, &wanted, &found) != 0 || !found)
        return listed;
    if (!listed) {
        *out = wanted;
        return true;
    }
    for (int i = 0; i < AZ_RATES; i++)
        if (wanted.rate[i] > out->rate[i] || isnan(out->rate[i]))
            out->rate[i] = wanted.rate[i];
    out->bw = wanted.bw > out->bw ? wanted.bw : out->bw;
    return true;
}

struct az_device_facts az_plane_device(const struct az_plane *p)
{
    return (struct az_device_facts){ .name = p->type,
                                     .units = (double)p->units,
                                     .memory_bytes = (double)p->memory_bytes,
                                     .tflops = p->peak_tflops,
                                     .gbps = p->peak_hbm_gbps };
}

/* Some event is on the device: files also name those that another process uses. */
static bool is_used(const struct az_trace *t, int64_t device)
{
    for (size_t i = 0; i < t->lanes.n; i++)
        if (t->lanes.v[i].device_side && t->lanes.v[i].device == device)
            return true;
    return false;
}

struct az_device_facts az_trace_device(const struct az_trace *t)
{
    struct az_device_facts f = { .name = AZ_SV("") };
    bool used = false;

    for (size_t i = 0; i < t->devices.n && !used; i++)
        used = is_used(t, t->devices.v[i].id);
    for (size_t i = 0; i < t->devices.n && !f.name.n; i++) {
        const struct az_device *d = &t->devices.v[i];
        if (used && !is_used(t, d->id))
            continue;
        f = (struct az_device_facts){ .name = d->name,
                                      .units = (double)d->sm_count,
                                      .memory_bytes = (double)d->memory_bytes };
    }
    if (t->caps & AZ_CAP_PROGRAMS)
        for (size_t i = 0; i < az_xtrace(t)->planes.n && !f.name.n; i++)
            f = az_plane_device(&az_xtrace(t)->planes.v[i]);
    return f;
}

void az_job_unknown_device(struct az_job *job, struct az_where where)
{
    const struct az_options *o = job->opts;
    struct az_sv near = az_peaks_nearest(o->arch_rows, o->roofline_basis, o->device_name);
    if (near.n == 0)
        near = az_peaks_nearest(az_data("devices.csv"), o->roofline_basis, o->device_name);
    az_diag_add(job->diag, AZ_WARNING, where,
                "no %.*s rates for device '%.*s' (%s%.*s%sroofline skipped); set \"device_peaks\", "
                "\"gpu_arch_json_path\" or a device name from configs/devices.csv",
                AZ_SVF(o->roofline_basis), AZ_SVF(o->device_name), near.n ? "did you mean '" : "",
                AZ_SVF(near), near.n ? "'? " : "");
}
