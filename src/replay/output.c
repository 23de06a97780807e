/* What the benchmarks print (docs/formulas-multirank.md 5.4). Columns are found by their names,
 * never by their place: versions differ in what is before and after. */
#include "base/num.h"
#include "replay/parts.h"
#include "text/jsonscan.h"

static bool number(struct az_sv s, double *v)
{
    return az_parse_f64(az_sv_trim(s), v) == 0 && isfinite(*v);
}

static bool time_of(struct az_sv s, double *v) { return number(s, v) && *v >= 0; }

/* ---- hipblaslt-bench ---- */

struct columns {
    ptrdiff_t us, gflops, gbps;
    size_t n;
};

/* `[0]:transA,..,us`: true if a column is called exactly `us`. */
static bool header_of(struct az_sv line, struct columns *c)
{
    struct columns h = { -1, -1, -1, 0 };
    line = az_sv_trim(line);
    while (line.n) {
        struct az_sv name = az_sv_trim(az_sv_cut(&line, ','));
        ptrdiff_t at = (ptrdiff_t)h.n++;
        if (az_sv_is(name, "us"))
            h.us = at;
        else if (az_sv_is(name, "hipblaslt-Gflops"))
            h.gflops = at;
        else if (az_sv_is(name, "hipblaslt-GB/s"))
            h.gbps = at;
    }
    if (h.us < 0 || h.n < 2)
        return false;
    *c = h;
    return true;
}

static bool values_of(struct az_sv line, const struct columns *c, struct az_bench_result *r)
{
    struct az_bench_result v = { NAN, NAN, NAN, { "", 0 } };
    size_t n = 0;
    line = az_sv_trim(line);
    for (; line.n; n++) {
        struct az_sv field = az_sv_cut(&line, ',');
        double x;
        if ((ptrdiff_t)n == c->us && time_of(field, &x))
            v.us = x;
        else if ((ptrdiff_t)n == c->gflops && number(field, &x))
            v.gflops = x;
        else if ((ptrdiff_t)n == c->gbps && number(field, &x))
            v.gbps = x;
    }
    if (n < 2 || isnan(v.us))
        return false;
    *r = v;
    return true;
}

static bool parse_gemm(struct az_sv text, struct az_bench_result *r)
{
    const struct az_sv name = AZ_SV("--Solution name:");
    struct columns c = { -1, -1, -1, 0 };
    bool found = false, pending = false,
         current = false; /* the winner's block comes last, so the last block counts */
    while (text.n) {
        struct az_sv line = az_sv_trim(az_sv_cut(&text, '\n'));
        if (line.n == 0)
            continue;
        if (az_sv_starts(line, AZ_SV("Winner"))) {
            pending = c.us >= 0; /* its values may come without a header of their own */
            current = false;
        } else if (header_of(line, &c)) {
            pending = true;
            current = false;
        } else if (pending) {
            pending = false;
            current = values_of(line, &c, r);
            found |= current;
        } else if (current && az_sv_starts(line, name)) {
            r->solution = az_sv_trim(az_sv_make(line.p + name.n, line.n - name.n));
        }
    }
    return found;
}

/* ---- MIOpenDriver ---- */

struct stats {
    ptrdiff_t ms, gflops, gbps;
    size_t n;
};

static bool stats_header(struct az_sv line, struct stats *s)
{
    struct stats h = { -1, -1, -1, 0 };
    while (line.n) {
        struct az_sv name = az_sv_trim(az_sv_cut(&line, ','));
        ptrdiff_t at = (ptrdiff_t)h.n++;
        if (az_sv_is(name, "timeMs"))
            h.ms = at;
        else if (az_sv_is(name, "GFLOPs"))
            h.gflops = at;
        else if (az_sv_is(name, "GB/s"))
            h.gbps = at;
    }
    if (h.ms < 0)
        return false;
    *s = h;
    return true;
}

/* A line of values ends with a number; where it has another number of fields than the header, its
 * last one is the time.
 */
static bool stats_values(struct az_sv line, const struct stats *s, struct az_bench_result *r)
{
    struct az_sv rest = line, field = { "", 0 };
    struct az_bench_result v = { NAN, NAN, NAN, r->solution };
    size_t n = 0;
    double x, last = NAN;
    for (; rest.n; n++) {
        field = az_sv_cut(&rest, ',');
        bool good = number(field, &x);
        last = good ? x : (double)NAN;
        if (good && (ptrdiff_t)n == s->ms)
            v.us = x * 1e3;
        else if (good && (ptrdiff_t)n == s->gflops)
            v.gflops = x;
        else if (good && (ptrdiff_t)n == s->gbps)
            v.gbps = x;
    }
    if (n < 2 || isnan(last))
        return false;
    if (n != s->n) {
        v.us = last * 1e3;
        v.gflops = v.gbps = NAN;
    }
    if (!(v.us >= 0))
        return false;
    *r = v;
    return true;
}

/* After `word`, up to the next blank. */
static struct az_sv behind(struct az_sv line, struct az_sv word)
{
    ptrdiff_t at = az_sv_find(line, word);
    if (at < 0)
        return (struct az_sv){ "", 0 };
    struct az_sv rest = az_sv_trim(az_sv_make(line.p + at + word.n, line.n - (size_t)at - word.n));
    return az_sv_cut(&rest, ' ');
}

static bool parse_conv(struct az_sv text, struct az_bench_result *r)
{
    const struct az_sv mark = AZ_SV("stats:");
    struct stats s = { -1, -1, -1, 0 };
    bool found = false;
    double elapsed = NAN, ms;
    while (text.n) {
        struct az_sv line = az_sv_trim(az_sv_cut(&text, '\n'));
        if (az_sv_starts(line, mark)) {
            line = az_sv_make(line.p + mark.n, line.n - mark.n);
            if (!stats_header(line, &s))
                found |= stats_values(line, &s, r);
        } else if (az_sv_find(line, AZ_SV("Algorithm:")) >= 0) {
            r->solution = behind(line, AZ_SV("Solution:"));
        } else if (az_sv_starts(line, AZ_SV("GPU Kernel Time")) &&
                   time_of(behind(line, AZ_SV("Elapsed:")), &ms)) {
            elapsed = ms * 1e3;
        }
    }
    if (!found)
        r->us = elapsed;
    return !isnan(r->us);
}

bool az_bench_parse(enum az_parts_group g, struct az_sv text, struct az_bench_result *r)
{
    *r = (struct az_bench_result){ NAN, NAN, NAN, { "", 0 } };
    return g == GEMM ? parse_gemm(text, r) : parse_conv(text, r);
}

/* ---- replay_torch.py ---- */

bool az_torch_parse(struct az_sv text, int64_t index, double *mean_us)
{
    bool found = false;
    while (text.n) {
        struct az_sv line = az_sv_trim(az_sv_cut(&text, '\n')), key, value;
        struct az_jview v;
        int64_t at = -1;
        double mean = NAN;
        if (!az_jview_object(&v, line))
            continue;
        while (az_jview_member(&v, &key, &value)) {
            if (az_sv_is(key, "index") && az_parse_i64(value, &at))
                at = -1;
            else if (az_sv_is(key, "mean_us") && !time_of(value, &mean))
                mean = NAN;
        }
        if (at == index && !isnan(mean)) {
            *mean_us = mean;
            found = true;
        }
    }
    return found;
}
