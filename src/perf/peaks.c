#include "perf/peaks.h"

#include "base/num.h"

const char *const az_rate_name[AZ_RATES] = { "matrix_fp64", "matrix_fp32", "matrix_tf32",
                                             "matrix_bf16", "matrix_fp16", "matrix_fp8",
                                             "matrix_fp6",  "matrix_fp4",  "matrix_int8",
                                             "vector_fp64", "vector_fp32", "vector_fp16",
                                             "vector_bf16" };
enum {
    NAME,
    BASIS,
    MATCH,
    UNITS,
    MEMORY,
    MEM_MIN,
    MEM_MAX,
    BANDWIDTH,
    FIRST_RATE,
    UNCERTAIN = FIRST_RATE + AZ_RATES,
    HOST,
    COLUMNS
};

static struct az_sv cut(struct az_sv *rest, char at)
{
    const char *p = rest->n ? memchr(rest->p, at, rest->n) : NULL;
    struct az_sv head = az_sv_make(rest->p, p ? (size_t)(p - rest->p) : rest->n);
    size_t used = head.n + (p ? 1 : 0);
    *rest = az_sv_make(rest->p + used, rest->n - used);
    return az_sv_trim(head);
}

static double number(struct az_sv s)
{
    double v;
    return s.n && az_parse_f64(s, &v) == 0 ? v : NAN;
}

void az_peaks_none(struct az_peaks *p)
{
    *p = (struct az_peaks){ .bw = NAN, .host = NAN, .units = NAN, .memory_gb = NAN, .how = "" };
    for (int i = 0; i < AZ_RATES; i++)
        p->rate[i] = NAN;
}

static void fill(struct az_peaks *p, const struct az_sv *c, const char *how)
{
    *p = (struct az_peaks){ .name = c[NAME],
                            .basis = c[BASIS],
                            .units = number(c[UNITS]),
                            .memory_gb = number(c[MEMORY]),
                            .bw = number(c[BANDWIDTH]),
                            .host = number(c[HOST]),
                            .uncertain = c[UNCERTAIN],
                            .how = how };
    for (int i = 0; i < AZ_RATES; i++)
        p->rate[i] = number(c[FIRST_RATE + i]);
}

static bool word_part(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The name holds the text as words of its own: "H200" is in "NVIDIA H200 NVL", not in "H200X" or
 * "GH200". */
static bool holds(struct az_sv name, struct az_sv text)
{
    for (size_t i = 0; text.n && i + text.n <= name.n; i++) {
        const size_t end = i + text.n;
        if (az_sv_ieq(az_sv_make(name.p + i, text.n), text) &&
            (i == 0 || !word_part(name.p[i - 1])) && (end == name.n || !word_part(name.p[end])))
            return true;
    }
    return false;
}

/* Length of the longest text of the row that the name holds; the row's own name counts too. */
static size_t match_length(const struct az_sv *c, struct az_sv name)
{
    struct az_sv rest = c[MATCH];
    size_t best = az_sv_ieq(c[NAME], name) ? name.n + 1 : 0;
    while (rest.n) {
        struct az_sv m = cut(&rest, '|');
        if (m.n > best && holds(name, m))
            best = m.n;
    }
    return best;
}

static bool memory_fits(const struct az_sv *c, const struct az_device_facts *f)
{
    double lo = number(c[MEM_MIN]), hi = number(c[MEM_MAX]),
           gb = f->memory_bytes / (1024.0 * 1024 * 1024);
    return f->memory_bytes > 0 && (isnan(lo) || (gb >= lo && gb <= hi));
}

/* Compute units equal and memory within 3 percent. */
static bool size_fits(const struct az_sv *c, const struct az_device_facts *f)
{
    double gb = f->memory_bytes / (1024.0 * 1024 * 1024), want = number(c[MEMORY]);
    return f->units > 0 && f->units == number(c[UNITS]) && gb > 0 && fabs(gb - want) <= 0.03 * want;
}

/* The next row of that basis, cut into its cells. *head: the titles are still to come. */
static bool next_row(struct az_sv *csv, bool *head, struct az_sv basis, struct az_sv *c)
{
    while (csv->n) {
        struct az_sv line = cut(csv, '\n');
        if (line.n == 0 || line.p[0] == '#')
            continue;
        const bool titles = *head;
        *head = false;
        for (int i = 0; i < COLUMNS; i++)
            c[i] = cut(&line, ',');
        if (!titles && az_sv_eq(c[BASIS], basis))
            return true;
    }
    return false;
}

static struct az_sv basis_of(struct az_sv basis) { return basis.n ? basis : AZ_SV("peak"); }

bool az_peaks_find(struct az_sv csv, struct az_sv wanted, struct az_sv basis,
                   const struct az_device_facts *f, struct az_peaks *out)
{
    struct az_sv name = wanted.n ? wanted : f->name, c[COLUMNS];
    size_t best = 0;
    bool found = false, head = true, fits = false;
    az_peaks_none(out);
    while (next_row(&csv, &head, basis_of(basis), c)) {
        size_t n = name.n ? match_length(c, name) : 0;
        if (n && (n > best || (n == best && !fits && memory_fits(c, f)))) {
            fill(out, c, wanted.n ? "config" : "name");
            best = n;
            fits = memory_fits(c, f);
            found = true;
        } else if (!wanted.n && best == 0 && size_fits(c, f)) {
            if (found)
                out->how = "size, which others share";
            else
                fill(out, c, "size");
            found = true;
        }
    }
    return found;
}

/* How far a text is from the name: 0 if it holds the name, else the edits between them; limit + 1:
 * too far. */
static unsigned distance(struct az_sv text, struct az_sv name, unsigned limit)
{
    char a[64], b[64];
    if (holds(text, name))
        return 0;
    if (text.n > sizeof a || name.n > sizeof b)
        return limit + 1;
    for (size_t i = 0; i < text.n; i++)
        a[i] = (char)(text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] | 0x20 : text.p[i]);
    for (size_t i = 0; i < name.n; i++)
        b[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] | 0x20 : name.p[i]);
    return az_sv_distance(az_sv_make(a, text.n), az_sv_make(b, name.n), limit);
}

struct az_sv az_peaks_nearest(struct az_sv csv, struct az_sv basis, struct az_sv wanted)
{
    struct az_sv best = { "", 0 }, c[COLUMNS];
    unsigned limit = wanted.n < 3 ? 0 : wanted.n < 9 ? 2 : (unsigned)(wanted.n / 3);
    bool head = true, done = wanted.n < 3;
    while (!done && next_row(&csv, &head, basis_of(basis), c)) {
        struct az_sv rest = c[MATCH], text = c[NAME];
        do {
            const unsigned d = distance(text, wanted, limit);
            if (d <= limit) {
                best = c[NAME];
                done = d == 0;
                limit = d ? d - 1 : 0;
            }
            text = cut(&rest, '|');
        } while (text.n && !done);
    }
    return best;
}

bool az_peaks_override(struct az_peaks *p, struct az_sv text, struct az_sv *bad)
{
    while (text.n) {
        struct az_sv word = cut(&text, ' '), rest = word, key, value;
        if (word.n && word.p[word.n - 1] == ',')
            rest = word = az_sv_make(word.p, word.n - 1);
        if (word.n == 0)
            continue;
        key = cut(&rest, '=');
        value = rest;
        double v = number(value), *at = az_sv_is(key, "mem_bw_gbps") ? &p->bw : NULL;
        for (int i = 0; i < AZ_RATES; i++)
            if (az_sv_is(key, az_rate_name[i]))
                at = &p->rate[i];
        *bad = word;
        if (!at || !(v > 0))
            return false;
        *at = v;
        p->own = true;
        if (p->name.n == 0) {
            p->name = AZ_SV("device_peaks");
            p->how = "config";
        }
    }
    return true;
}

static int rate_of(const struct az_peaks *p, const char *unit, struct az_sv prec)
{
    for (int i = 0; i < AZ_RATES; i++) {
        struct az_sv name = az_sv_str(az_rate_name[i]);
        size_t n = strlen(unit);
        if (name.n == n + 1 + prec.n && memcmp(name.p, unit, n) == 0 &&
            az_sv_eq(az_sv_make(name.p + n + 1, prec.n), prec))
            return isnan(p->rate[i]) ? -1 : i;
    }
    return -1;
}

/* The operation's own rate; else what replaces it. */
static int rate_for(const struct az_peaks *p, const char *unit, struct az_sv prec,
                    struct az_sv fallback, bool tf32, bool *assumed)
{
    bool matrix = strcmp(unit, "matrix") == 0;
    *assumed = false;
    if (!*unit || prec.n == 0)
        return -1;
    if (matrix && tf32 && az_sv_is(prec, "fp32")) {
        int i = rate_of(p, unit, AZ_SV("tf32"));
        if (i >= 0)
            return i;
    }
    int i = rate_of(p, unit, prec);
    if (i >= 0)
        return i;
    *assumed = true;
    if (az_sv_is(prec, "bf16"))
        i = rate_of(p, unit, AZ_SV("fp16"));
    else if (az_sv_is(prec, "fp16"))
        i = rate_of(p, unit, AZ_SV("bf16"));
    else if (matrix && fallback.n)
        i = rate_of(p, unit, fallback);
    if (i < 0 && !matrix)
        i = rate_of(p, unit, AZ_SV("fp32"));
    return i;
}

void az_roofline(const struct az_peaks *p, const char *unit, struct az_sv prec,
                 struct az_sv fallback, bool tf32, double flops, double bytes,
                 struct az_roofline *out)
{
    bool assumed;
    *out = (struct az_roofline){
        .compute_us = NAN, .memory_us = NAN, .time_us = NAN, .tflops = NAN, .bound = "", .peak = ""
    };
    int rate = rate_for(p, unit, prec, fallback, tf32, &assumed);
    if (bytes > 0 && p->bw > 0)
        out->memory_us = bytes / (p->bw * 1e9) * 1e6;
    if (rate >= 0) {
        out->peak = az_rate_name[rate];
        out->tflops = p->rate[rate];
        out->assumed = assumed;
        if (flops > 0)
            out->compute_us = flops / (p->rate[rate] * 1e12) * 1e6;
    }
    /* A roofline needs the memory side; without operations (or a rate for them, where there are
     * few) memory alone bounds. */
    if (isnan(out->memory_us) || (isnan(out->compute_us) && flops > 0 && *unit && prec.n))
        return;
    bool compute = out->compute_us >= out->memory_us;
    out->time_us = compute ? out->compute_us : out->memory_us;
    out->bound = compute ? "COMPUTE_BOUND" : "MEMORY_BOUND";
}
