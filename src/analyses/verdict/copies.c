/* Findings about copies and fills: the advice follows what is recorded of them (docs/verdict.md
 * 3.2), as kinds of memory, direction, stream, and sizes that go both ways in every iteration. */
#include "analyses/rates.h"
#include "analyses/verdict/exposed.h"
#include "base/human.h"
#include "base/num.h"
#include "base/sort.h"
#include "classify/rules.h"

#include <math.h>

#define FILE_NAME "copies.rules"
#define SMALL     65536 /* bytes of a copy below which its rate is not meaningful */
#define TURNS     3     /* how often data has to go each way to be there and back */
#define MOSTLY    0.5   /* of the bytes, or of the exposed time */

enum memory { UNKNOWN, PAGEABLE, PINNED, MANAGED };
enum way { SOMEWHERE, TO_DEVICE, TO_HOST, ON_DEVICE, BETWEEN_DEVICES };
struct copy_class {
    enum way way;
    enum memory memory;
};

static enum way way_of(struct az_sv name)
{
    static const struct {
        const char *name;
        enum way way;
    } ways[] = { { "to device", TO_DEVICE },
                 { "to host", TO_HOST },
                 { "on device", ON_DEVICE },
                 { "between devices", BETWEEN_DEVICES } };
    struct az_rule r;
    const bool found = az_rules_find(FILE_NAME, "way", name, &r);
    for (size_t i = 0; found && i < AZ_LENGTH(ways); i++)
        if (az_sv_is(r.name, ways[i].name))
            return ways[i].way;
    return SOMEWHERE;
}

bool az_verdict_is_to_host(struct az_sv name) { return way_of(name) == TO_HOST; }

/* By the columns of the trace, else by the name. */
static enum memory memory_of(const struct az_verdict_copies *s, struct az_sv name)
{
    enum { CODE_PAGEABLE, CODE_PINNED, CODE_DEVICE, CODE_ARRAY, CODE_MANAGED }; /* model/trace.h */
    struct az_rule r;
    if (s->src == CODE_MANAGED || s->dst == CODE_MANAGED)
        return MANAGED;
    if (s->src == CODE_PAGEABLE || s->dst == CODE_PAGEABLE)
        return PAGEABLE;
    if (s->src == CODE_PINNED || s->dst == CODE_PINNED)
        return PINNED;
    if (!az_rules_find(FILE_NAME, "memory", name, &r))
        return UNKNOWN;
    return az_sv_is(r.name, "pageable") ? PAGEABLE : az_sv_is(r.name, "pinned") ? PINNED : MANAGED;
}

static struct copy_class class_of(const struct az_verdict *v, const struct az_verdict_copies *s)
{
    const struct az_sv name = s->name == AZ_NO_ID ? AZ_SV("") : az_trace_text(v->t, s->name);
    if (s->fill)
        return (struct copy_class){ SOMEWHERE, UNKNOWN };
    return (struct copy_class){ way_of(name), memory_of(s, name) };
}

/* ---- data that goes there and back ---- */
struct by_size { /* copies of one size */
    int64_t bytes, to_device, to_host, turns;
    enum way last;
};
AZ_VEC(struct by_size, by_sizes);

/* Copies between host and device by size, in the order of time. */
static int count_turns(struct az_verdict *v, const struct az_counted *counted, uint8_t *way_by_name,
                       struct az_map *index, struct by_sizes *out)
{
    const struct az_events *e = &v->t->ev[AZ_MEMCPY];
    const struct az_span *window = &v->accounts->window;
    const uint8_t *skip = counted->skip[AZ_MEMCPY];
    int rc = 0;
    for (size_t i = 0; rc == 0 && e->side && i < e->n; i++) {
        uint32_t *at;
        bool added;
        if ((skip && skip[i]) || e->side[i] == AZ_NO_ROW || e->name[i] == AZ_NO_ID ||
            e->start[i] >= window->end || e->end[i] <= window->start)
            continue;
        uint8_t *way = &way_by_name[e->name[i]];
        if (!*way)
            *way = (uint8_t)(1 + way_of(az_trace_text(v->t, e->name[i])));
        const int64_t bytes = v->t->copies.v[e->side[i]].bytes;
        const enum way is = (enum way)(*way - 1);
        if (bytes <= 0 || (is != TO_DEVICE && is != TO_HOST))
            continue;
        rc = az_map_put(index, (uint64_t)bytes, 0, (uint32_t)out->n, &at, &added);
        if (rc == 0 && added)
            rc = az_vec_push(out, ((struct by_size){ .bytes = bytes, .last = is }));
        if (rc)
            break;
        struct by_size *s = &out->v[*at];
        s->to_device += is == TO_DEVICE;
        s->to_host += is == TO_HOST;
        s->turns += is != s->last;
        s->last = is;
    }
    return rc;
}

/* As many copies of the size one way as the other, and not first all of one: the parts of a big
 * upload that comes back in the end are no iterations. */
static bool is_there_and_back(const struct by_size *s)
{
    const int64_t least = s->to_device < s->to_host ? s->to_device : s->to_host,
                  most = s->to_device + s->to_host - least;
    return least >= TURNS && 5 * least >= 4 * most && s->turns >= least;
}

/* Bytes each way, and those of sizes that go there and back. */
struct traffic {
    double to_device, to_host, back_to_device, back_to_host;
};

static int find_traffic(struct az_verdict *v, const struct az_counted *counted, struct traffic *out)
{
    const size_t bytes = v->t->names.text.n + 1;
    uint8_t *way_by_name = az_mem_alloc(v->job->mem, bytes);
    struct az_map index;
    struct by_sizes sizes;
    az_vec_init(&sizes, v->job->mem);
    int rc = 0;
    az_map_init(&index, v->job->mem, 16);
    if (!way_by_name)
        rc = az_mem_error(v->job->mem);
    if (rc == 0) {
        memset(way_by_name, 0, bytes);
        rc = count_turns(v, counted, way_by_name, &index, &sizes);
    }
    for (size_t i = 0; rc == 0 && i < sizes.n; i++) {
        const struct by_size *s = &sizes.v[i];
        const double up = (double)s->bytes * (double)s->to_device,
                     down = (double)s->bytes * (double)s->to_host;
        out->to_device += up;
        out->to_host += down;
        out->back_to_device += is_there_and_back(s) ? up : 0;
        out->back_to_host += is_there_and_back(s) ? down : 0;
    }
    az_map_release(&index);
    az_vec_release(&sizes);
    az_mem_free(v->job->mem, way_by_name, bytes);
    return rc;
}

/* ---- findings ---- */
/* Operations of a compiled program that begin or wait for a copy: `copy-done.2` as `copy-done`. */
static struct az_sv compiled_copy(struct az_sv name)
{
    struct az_sv of = name;
    if (!az_sv_starts(name, AZ_SV("copy-done")) && !az_sv_starts(name, AZ_SV("copy-start")))
        return AZ_SV("");
    return az_sv_cut(&of, '.');
}

/* Part of what the copy used, above 1: impossible; NaN: not known. A copy on the device reads and
 * writes its memory. */
static double link_part(struct az_verdict *v, const struct copy_class *c, double gbps)
{
    const struct az_device_facts f = az_trace_device(v->t);
    struct az_peaks p;
    bool found = false;
    const bool on_device = c->way == ON_DEVICE;
    if (c->way == SOMEWHERE || c->way == BETWEEN_DEVICES ||
        az_job_peaks(v->job, &f, &p, &found) != 0 || !found)
        return NAN;
    const double used = on_device ? 2 * gbps : gbps, peak = on_device ? p.bw : p.host;
    return peak > 0 ? used / peak : NAN;
}

/* "1.30 TB/s", "25.0 GB/s", "0.512 GB/s": three digits. */
static struct az_sv rate_words(struct az_arena *a, double gbps)
{
    const bool tera = gbps >= 999.5;
    const double x = tera ? gbps / 1000 : gbps;
    const int decimals = x >= 99.95 ? 0 : x >= 9.995 ? 1 : x >= 0.9995 ? 2 : 3;
    return az_arena_printf(a, "%.*f %s", decimals, x, tera ? "TB/s" : "GB/s");
}

/* " at 25.0 GB/s, 48% of the host link", or "below 1% of ..."; empty: impossible. */
static struct az_sv rate_text(struct az_verdict *v, const struct copy_class *c, double gbps)
{
    const double part = link_part(v, c, gbps);
    if (part > 1)
        return AZ_SV("");
    const struct az_sv rate = rate_words(v->job->arena, gbps);
    if (isnan(part))
        return az_arena_printf(v->job->arena, " at %.*s", AZ_SVF(rate));
    return az_arena_printf(v->job->arena, " at %.*s, %s%.0f%% of the %s", AZ_SVF(rate),
                           part < 0.005 ? "below " : "", part < 0.005 ? 1 : 100 * part,
                           c->way == ON_DEVICE ? "memory bandwidth" : "host link");
}

/* Exposed time less the duration of the copies at the rate of the link, ns; -1: not known. */
static int64_t faster_at_peak(struct az_verdict *v, const struct az_verdict_copies *s,
                              const struct copy_class *c)
{
    if (s->ticks <= 0 || !s->sized)
        return -1;
    const double part = link_part(v, c, s->bytes / (double)az_verdict_ns(v, s->ticks));
    return isnan(part) || part > 1 ? -1
                                   : az_whole((1 - part) * (double)az_verdict_ns(v, s->exposed));
}

static enum az_advice advice_of(const struct az_verdict_copies *s, const struct copy_class *c,
                                const struct traffic *t)
{
    const double all = c->way == TO_DEVICE ? t->to_device : t->to_host,
                 back = c->way == TO_DEVICE ? t->back_to_device : t->back_to_host;
    if (s->fill)
        return AZ_ADVICE_AVOID_FILLS;
    if (c->memory == MANAGED)
        return AZ_ADVICE_PREFETCH_MANAGED_MEMORY;
    if (c->way == ON_DEVICE || c->way == BETWEEN_DEVICES)
        return AZ_ADVICE_AVOID_DEVICE_COPIES;
    if ((c->way == TO_DEVICE || c->way == TO_HOST) && all > 0 && back >= MOSTLY * all)
        return AZ_ADVICE_KEEP_ON_DEVICE;
    if (c->memory == PAGEABLE)
        return AZ_ADVICE_PIN_MEMORY;
    /* what is on a stream of its own already has to start earlier */
    const bool apart = (double)s->with_kernels < MOSTLY * (double)s->exposed;
    return c->memory == PINNED || apart ? AZ_ADVICE_OVERLAP_COPIES : AZ_ADVICE_SEPARATE_STREAM;
}

struct az_sv az_verdict_sizes_text(struct az_arena *a, int64_t least, int64_t most, double mean)
{
    char bytes[AZ_HUMAN_MAX], largest[AZ_HUMAN_MAX];
    const bool unlike = most > AZ_VERDICT_ALIKE * least;
    az_human_bytes(unlike ? (double)least : mean, bytes);
    az_human_bytes((double)most, largest);
    return unlike ? az_arena_printf(a, " of %s to %s", bytes, largest)
                  : az_arena_printf(a, " of %s", bytes);
}

static struct az_sv detail_of(struct az_verdict *v, const struct az_verdict_copies *s,
                              const struct copy_class *c)
{
    if (!s->sized)
        return AZ_SV("");
    const struct az_sv size =
        az_verdict_sizes_text(v->job->arena, s->smallest, s->largest, s->bytes / (double)s->count);
    if (s->bytes < SMALL * (double)s->count || s->ticks <= 0)
        return size;
    const struct az_sv rate = rate_text(v, c, s->bytes / (double)az_verdict_ns(v, s->ticks));
    return az_arena_printf(v->job->arena, "%.*s%.*s", AZ_SVF(size), AZ_SVF(rate));
}

/* The kernels that migrations of pages go on under wait for them. */
static int put_page_faults(struct az_verdict *v, const struct az_verdict_copies *s,
                           const struct az_verdict_found *f)
{
    struct az_verdict_found x = *f;
    x.gain = az_verdict_ns(v, s->ticks - s->exposed);
    return x.gain > 0 ? az_verdict_add(v, "page_faults", &x) : 0;
}

/* others_sized: of copies of the same class sizes are recorded. */
static int put_traffic(struct az_verdict *v, const struct az_verdict_copies *s,
                       const struct traffic *t, bool others_sized)
{
    const struct copy_class c = class_of(v, s);
    const struct az_sv name = s->name == AZ_NO_ID ? AZ_SV("") : az_trace_text(v->t, s->name);
    struct az_rule r;
    const bool says = c.memory != PAGEABLE || az_rules_find(FILE_NAME, "memory", name, &r);
    struct az_verdict_found f = {
        .subject = says ? name : az_arena_printf(v->job->arena, "pageable %.*s", AZ_SVF(name)),
        .detail = detail_of(v, s, &c),
        .row = name,
        .count = s->count,
        .smallest = az_verdict_ns(v, s->lengths.least),
        .largest = az_verdict_ns(v, s->lengths.most),
        .ns = az_verdict_ns(v, s->ticks),
        .gain = az_verdict_ns(v, s->exposed),
        .faster = faster_at_peak(v, s, &c),
        .advice = advice_of(s, &c, t),
        .size_least = s->sized ? s->smallest : 0,
        .size_most = s->sized ? s->largest : 0
    };
    const struct az_sv compiled = compiled_copy(name);
    if (compiled.n) {
        f.subject = f.row = compiled;
        f.advice = AZ_ADVICE_KEEP_ON_DEVICE;
    }
    if (!s->sized && others_sized) /* in the subject, which distinguishes findings */
        f.subject = az_arena_printf(v->job->arena, "%.*s of unknown size", AZ_SVF(f.subject));
    /* a fill without a kernel that could do it instead is none to avoid */
    if (s->fill && v->t->ev[AZ_KERNEL].n == 0 && v->t->ev[AZ_GRAPH].n == 0)
        return 0;
    int rc = s->exposed > 0 ? az_verdict_add(v, "exposed_copy", &f) : 0;
    if (rc == 0 && c.memory == MANAGED)
        rc = put_page_faults(v, s, &f);
    return rc;
}

static int by_name(const struct az_verdict_copies *x, const struct az_verdict_copies *y,
                   struct az_verdict *v)
{
    const struct copy_class c = class_of(v, x), d = class_of(v, y);
    if (x->fill != y->fill)
        return x->fill ? 1 : -1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (c.memory > d.memory) - (c.memory < d.memory);
}

/* Copies of one name and class are one, whatever their kinds of memory; without those whose size is
 * not recorded, which come after them: a rate is that of all copies of its line. */
static int by_class(const void *a, const void *b, void *ctx)
{
    const struct az_verdict_copies *x = a, *y = b;
    const int order = by_name(x, y, ctx);
    return order ? order : y->sized - x->sized;
}

static void join_sums(struct az_verdict *v, struct az_verdict_copy_sums *sums)
{
    size_t kept = 0;
    az_sort_cmp(sums->v, sums->n, sizeof *sums->v, by_class, v, v->job->mem);
    for (size_t i = 0; i < sums->n; i++) {
        const struct az_verdict_copies *s = &sums->v[i];
        struct az_verdict_copies *last = kept ? &sums->v[kept - 1] : NULL;
        if (!last || by_class(last, s, v) != 0) {
            sums->v[kept++] = *s;
            continue;
        }
        last->count += s->count;
        last->ticks = az_add_sat(last->ticks, s->ticks);
        last->exposed += s->exposed;
        az_verdict_lengths_join(&last->lengths, &s->lengths);
        last->with_kernels += s->with_kernels;
        last->bytes += s->bytes;
        last->largest = s->largest > last->largest ? s->largest : last->largest;
        if (s->smallest && (last->smallest == 0 || s->smallest < last->smallest))
            last->smallest = s->smallest;
    }
    sums->n = kept;
}

int az_verdict_find_copies(struct az_verdict *v, const struct az_counted *counted,
                           struct az_verdict_copy_sums *sums)
{
    struct traffic t = { 0 };
    bool up = false, down = false;
    int rc = 0;
    join_sums(v, sums);
    for (size_t i = 0; rc == 0 && i < sums->n; i++) {
        const enum way way = class_of(v, &sums->v[i]).way;
        up |= way == TO_DEVICE;
        down |= way == TO_HOST;
    }
    if (rc == 0 && up && down)
        rc = find_traffic(v, counted, &t);
    for (size_t i = 0; rc == 0 && i < sums->n; i++)
        rc = put_traffic(v, &sums->v[i], &t, i && by_name(&sums->v[i - 1], &sums->v[i], v) == 0);
    return rc;
}
