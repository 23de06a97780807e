#include "perf/arch.h"

#include <math.h>

#include "base/data.h"
#include "base/num.h"

static struct az_sv part(struct az_sv *rest, char separator)
{
    const char *at = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    const size_t n = at ? (size_t)(at - rest->p) : rest->n;
    const struct az_sv text = az_sv_trim(az_sv_make(rest->p, n));
    *rest = az_sv_make(rest->p + n + (at ? 1 : 0), rest->n - n - (at ? 1 : 0));
    return text;
}

static double number(struct az_sv text)
{
    double v;
    return az_parse_f64(text, &v) == 0 ? v : 0;
}

static bool next_row(struct az_sv *text, struct az_arch *a)
{
    while (text->n) {
        struct az_sv line = part(text, '\n');
        if (line.n == 0 || line.p[0] == '#')
            continue;
        a->name = part(&line, ';');
        a->vendor = part(&line, ';');
        a->match = part(&line, ';');
        a->memory_gb = number(part(&line, ';'));
        a->bandwidth_gbps = number(part(&line, ';'));
        a->units = number(part(&line, ';'));
        a->peaks = line;
        return true;
    }
    return false;
}

/* Length of the longest part of the device's name that the row names; 0: none. */
static size_t match_length(const struct az_arch *a, struct az_sv device)
{
    struct az_sv list = a->match;
    size_t best = az_sv_ifind(device, a->name) >= 0 ? a->name.n : 0;
    while (list.n) {
        const struct az_sv word = part(&list, '|');
        if (word.n > best && az_sv_ifind(device, word) >= 0)
            best = word.n;
    }
    return best;
}

/* How far apart, 0 equal; above 1 where units or memory do not fit. */
static double distance(const struct az_arch *a, struct az_sv vendor, double units, double memory_bytes)
{
    const double u = fabs(a->units - units) / a->units,
                 m = fabs(a->memory_gb * 0x1p30 - memory_bytes) / (a->memory_gb * 0x1p30);
    if (a->units <= 0 || a->memory_gb <= 0 || (vendor.n && !az_sv_ieq(vendor, a->vendor)) || u > 0.10 || m > 0.25)
        return 2;
    return u + m;
}

bool az_arch_find(struct az_sv device, struct az_sv vendor, double units, double memory_bytes, struct az_arch *out)
{
    struct az_sv text = az_data("gpu_arch.csv");
    struct az_arch a;
    size_t longest = 0;
    double nearest = 1;
    bool found = false;
    while (next_row(&text, &a)) {
        if (device.n) {
            const size_t n = match_length(&a, device);
            if (n <= longest)
                continue;
            longest = n;
        } else {
            const double d = distance(&a, vendor, units, memory_bytes);
            if (d >= nearest)
                continue;
            nearest = d;
        }
        *out = a;
        found = true;
    }
    return found;
}

double az_arch_peak(const struct az_arch *a, struct az_sv spec)
{
    struct az_sv list = a->peaks;
    while (list.n) {
        struct az_sv item = part(&list, ' ');
        if (az_sv_eq(part(&item, '='), spec))
            return number(item);
    }
    return 0;
}
