#include "analyses/phases/steady.h"

#include <math.h>

#define NEAR_STEPS 5 /* more steps than this near the maximum begin a region */

/* Without a region: all but the first and the last steps. */
static struct az_steady_part middle(size_t n, size_t wanted)
{
    const size_t missing = wanted > n ? wanted - n : 0, least = missing > 8 ? missing : 8,
                 half = (least < n ? least : n) / 2, end = n - half;
    return (struct az_steady_part){ half, end > half ? end : half + 1 };
}

int az_steady_regions(const struct az_engine_counts *step, size_t n, size_t wanted,
                      struct az_steady_parts *out)
{
    const double share = n >= wanted ? 0.1 : 0.2;
    int64_t most = 0, near = 0;
    size_t start = 0;
    bool inside = false;
    int rc = AZ_OK;
    for (size_t i = 0; i < n; i++)
        most = az_engine_requests(&step[i]) > most ? az_engine_requests(&step[i]) : most;
    const double limit = fmax(1, share * (double)most);
    for (size_t i = 0; i < n && rc == 0; i++) {
        const bool is_near = (double)(most - az_engine_requests(&step[i])) <= limit;
        near += is_near ? !inside : -(int64_t)inside;
        if (!inside && near > NEAR_STEPS) {
            inside = true;
            start = i - (size_t)near + 1;
        }
        if (inside && near <= 0) {
            rc = az_vec_push(out, ((struct az_steady_part){ start, i }));
            inside = false;
            near = 0;
        }
    }
    if (rc == 0 && inside) /* the last step is where the recording breaks off */
        rc = az_vec_push(out, ((struct az_steady_part){ start, n - 1 }));
    return rc || out->n ? rc : az_vec_push(out, middle(n, wanted));
}

static size_t with_prompts(const struct az_engine_counts *step, struct az_steady_part p)
{
    size_t n = 0;
    for (size_t i = p.from; i < p.to; i++)
        n += az_engine_has_context(&step[i]);
    return n;
}

static double requests_of(const struct az_engine_counts *step, struct az_steady_part p)
{
    double sum = 0;
    for (size_t i = p.from; i < p.to; i++)
        sum += (double)az_engine_requests(&step[i]);
    return p.to > p.from ? sum / (double)(p.to - p.from) : 0;
}

/* Windows at equal distances, of which those with prompts come first; then the share of prompts
 * decides, then the requests, then the place. */
static struct az_steady_part mixed(const struct az_engine_counts *step, struct az_steady_part in,
                                   size_t wanted, double reference)
{
    const size_t parts = wanted / 2 < 10 ? wanted / 2 : 10,
                 apart = wanted / (parts ? parts : 1) ? wanted / (parts ? parts : 1) : 1;
    struct az_steady_part best = in;
    double best_miss = 0, best_requests = 0;
    bool any = false, best_prompts = false;
    if (in.to - in.from < wanted)
        return in;
    for (size_t from = in.from; from + wanted <= in.to; from += apart) {
        const struct az_steady_part p = { from, from + wanted };
        const size_t n = with_prompts(step, p);
        const double miss = fabs((double)n / (double)wanted - reference),
                     requests = requests_of(step, p);
        const bool prompts = n > 0,
                   better = miss < best_miss || (miss == best_miss && requests > best_requests);
        if (!any || (prompts && !best_prompts) || (prompts == best_prompts && better)) {
            best = p;
            best_miss = miss;
            best_requests = requests;
            best_prompts = prompts;
        }
        any = true;
    }
    return best;
}

/* The longest row of steps of one kind, the first of equal ones, as far as `wanted`. */
static struct az_steady_part longest(const struct az_engine_counts *step, struct az_steady_part in,
                                     bool (*is)(const struct az_engine_counts *), size_t wanted)
{
    struct az_steady_part best = { in.from, in.from };
    for (size_t i = in.from; i < in.to;) {
        size_t end = i;
        while (end < in.to && is(&step[end]))
            end++;
        if (end - i > best.to - best.from)
            best = (struct az_steady_part){ i, end };
        i = end + 1;
    }
    if (best.to - best.from > wanted)
        best.to = best.from + wanted;
    return best;
}

/* The share of steps with prompts that the load makes; more steps where one of them would not be
 * among `*wanted`. */
static double share_of_load(const struct az_steady_load *load, size_t *wanted)
{
    const double ratio = fmin(1, fmax(0, load->ratio)),
                 share = 2 * (double)load->concurrency / (load->length * (1 + ratio)),
                 least = ceil(1 / share);
    if ((double)*wanted < least && least < 1e9)
        *wanted = (size_t)least;
    return share;
}

void az_steady_choose(const struct az_engine_counts *step, const struct az_steady_parts *regions,
                      size_t wanted, const struct az_steady_load *load,
                      struct az_steady_choice *out)
{
    struct az_steady_part largest = regions->v[0];
    size_t steps = 0, prompts = 0;
    for (size_t i = 0; i < regions->n; i++) {
        const struct az_steady_part p = regions->v[i];
        steps += p.to - p.from;
        prompts += with_prompts(step, p);
        if (p.to - p.from > largest.to - largest.from)
            largest = p;
    }
    *out = (struct az_steady_choice){ .reference = steps ? (double)prompts / (double)steps : 0,
                                      .steps = wanted };
    if (load->concurrency > 0 && load->length > 0)
        out->reference = share_of_load(load, &out->steps);
    out->part[AZ_STEADY_MIXED] = mixed(step, largest, out->steps, out->reference);
    out->part[AZ_STEADY_DECODE] = longest(step, largest, az_engine_decodes_only, wanted);
    out->part[AZ_STEADY_PREFILL] = longest(step, largest, az_engine_has_context, wanted);
}
