#include "perf/peaks.h"

#include "base/data.h"
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
    CACHE,
    COLUMNS
};

static struct az_sv cut_field(struct az_sv *rest, char at)
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

const char *az_peaks_source_id(enum az_peaks_source source)
{
    static const char *const ids[] = { "unknown", "scaled", "data sheet", "user" };
    return ids[source];
}

void az_peaks_none(struct az_peaks *p)
{
    *p = (struct az_peaks){ .bw = NAN,
                            .host = NAN,
                            .units = NAN,
                            .share = 1,
                            .memory_gb = NAN,
                            .cache_mb = NAN,
                            .how = "" };
    for (int i = 0; i < AZ_RATES; i++)
        p->rate[i] = NAN;
}

static bool word_part(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next row of that basis: its first cells, and in the next one the rest of the line, as most
 * rows are skipped for their names. *head: the titles are still to come. */
static bool next_row(struct az_sv *csv, bool *head, struct az_sv basis, struct az_sv *c)
{
    while (csv->n) {
        struct az_sv line = cut_field(csv, '\n');
        if (line.n == 0 || line.p[0] == '#')
            continue;
        const bool titles = *head;
        *head = false;
        for (int i = 0; i <= MATCH; i++)
            c[i] = cut_field(&line, ',');
        c[MATCH + 1] = line;
        if (!titles && az_sv_eq(c[BASIS], basis))
            return true;
    }
    return false;
}

/* The other cells of a row. */
static void split_rest(struct az_sv *c)
{
    struct az_sv line = c[MATCH + 1];
    for (int i = MATCH + 1; i < COLUMNS; i++)
        c[i] = cut_field(&line, ',');
}

static struct az_sv basis_of(struct az_sv basis) { return basis.n ? basis : AZ_SV("peak"); }

/* ---- names ---- */
/* Words that do not distinguish devices, `|` between them. */
static struct az_sv common_words(void)
{
    struct az_sv csv = az_data("devices.csv"), c[COLUMNS];
    bool head = true;
    return next_row(&csv, &head, AZ_SV("words"), c) ? c[MATCH] : AZ_SV("");
}

static bool in_list(struct az_sv list, struct az_sv word)
{
    while (list.n)
        if (az_sv_ieq(cut_field(&list, '|'), word))
            return true;
    return false;
}

static bool memory_is(const struct az_sv *c, double gb, double least)
{
    const double lo = number(c[MEM_MIN]), hi = number(c[MEM_MAX]), whole = number(c[MEMORY]);
    return isnan(lo) ? gb >= least * whole && gb <= 1.03 * whole : gb >= lo && gb <= hi;
}

/* "80GB" or "144G", and the row's device has that much. */
static bool names_memory(const struct az_sv *c, struct az_sv word)
{
    const size_t unit = word.n > 2 && az_sv_ieq(az_sv_make(word.p + word.n - 2, 2), AZ_SV("GB")) ? 2
                        : word.n > 1 && (word.p[word.n - 1] | 0x20) == 'g'                       ? 1
                                                                           : 0;
    const double gb = unit ? number(az_sv_make(word.p, word.n - unit)) : NAN;
    return memory_is(c, gb, 0.97);
}

/* Words of the name that are neither in the match, at [from, to), nor common. */
static size_t odd_words(const struct az_sv *c, struct az_sv common, struct az_sv name, size_t from,
                        size_t to)
{
    size_t odd = 0, i = 0;
    while (i < name.n) {
        size_t end = i;
        while (end < name.n && word_part(name.p[end]))
            end++;
        const struct az_sv word = az_sv_make(name.p + i, end - i);
        odd += word.n && (i < from || i >= to) && !in_list(common, word) &&
               !(c && names_memory(c, word));
        i = end + 1;
    }
    return odd;
}

struct fit {       /* of a row to a name */
    size_t length; /* of the text in the name; 0: none */
    size_t odd;    /* words of the name that are of another variant */
    int size;      /* 2: equal units, 1: equal memory */
};

static bool better(const struct fit *a, const struct fit *b)
{
    if (a->odd != b->odd || a->length != b->length)
        return a->odd < b->odd || (a->odd == b->odd && a->length > b->length);
    return a->size > b->size;
}

/* Where the name has the text as words of its own: "H200" is in "NVIDIA H200 NVL", not in "H200X"
 * or "GH200"; -1: nowhere. */
static ptrdiff_t holds_at(struct az_sv name, struct az_sv text)
{
    for (size_t i = 0; text.n && i + text.n <= name.n; i++) {
        const size_t end = i + text.n;
        if (((name.p[i] ^ text.p[0]) & ~0x20) == 0 && /* the same letter in any case */
            az_sv_ieq(az_sv_make(name.p + i, text.n), text) &&
            (i == 0 || !word_part(name.p[i - 1])) && (end == name.n || !word_part(name.p[end])))
            return (ptrdiff_t)i;
    }
    return -1;
}

/* Does name_fit find anything? */
static bool is_named(const struct az_sv *c, struct az_sv name)
{
    struct az_sv rest = c[MATCH];
    bool named = az_sv_ieq(c[NAME], name);

    while (!named && rest.n)
        named = holds_at(name, cut_field(&rest, '|')) >= 0;
    return named;
}

/* The best of the texts of a row; the row's own name counts too. */
static struct fit name_fit(const struct az_sv *c, struct az_sv common, struct az_sv name)
{
    struct fit best = { .length = az_sv_ieq(c[NAME], name) ? name.n + 1 : 0 };
    struct az_sv rest = c[MATCH];
    while (rest.n) {
        const struct az_sv text = cut_field(&rest, '|');
        const ptrdiff_t at = holds_at(name, text);
        if (at < 0)
            continue;
        const struct fit f = { .length = text.n,
                               .odd = odd_words(c, common, name, (size_t)at, (size_t)at + text.n) };
        if (best.length == 0 || better(&f, &best))
            best = f;
    }
    return best;
}

/* ---- sizes ---- */
static double memory_gib(const struct az_device_facts *f)
{
    return f->memory_bytes / (1024.0 * 1024 * 1024);
}

/* Profilers report less memory than is sold: some is reserved for error correction. */
static bool memory_fits(const struct az_sv *c, const struct az_device_facts *f)
{
    return f->memory_bytes > 0 && memory_is(c, memory_gib(f), 0.9);
}

/* The count of units that is next above the device's, else the largest; NaN: the row has none. */
static double whole_units(const struct az_sv *c, double units)
{
    struct az_sv rest = c[UNITS];
    double above = NAN, most = NAN;
    while (rest.n) {
        const double u = number(cut_field(&rest, '|'));
        most = isnan(most) || u > most ? u : most;
        above = u >= units && !(above <= u) ? u : above;
    }
    return isnan(above) ? most : above;
}

static int size_of_fit(const struct az_sv *c, const struct az_device_facts *f)
{
    const bool units = f->units > 0 && f->units == whole_units(c, f->units);
    return 2 * units + memory_fits(c, f);
}

/* Compute units equal and memory within 3 percent. */
static bool size_fits(const struct az_sv *c, const struct az_device_facts *f)
{
    const double gb = memory_gib(f), want = number(c[MEMORY]);
    return f->units > 0 && f->units == whole_units(c, f->units) && gb > 0 &&
           fabs(gb - want) <= 0.03 * want;
}

/* ---- rates ---- */
static void fill_peaks(struct az_peaks *p, const struct az_sv *c, const char *how,
                       enum az_peaks_source source)
{
    *p = (struct az_peaks){ .name = c[NAME],
                            .basis = c[BASIS],
                            .source = source,
                            .units = whole_units(c, 0),
                            .share = 1,
                            .memory_gb = number(c[MEMORY]),
                            .cache_mb = number(c[CACHE]),
                            .bw = number(c[BANDWIDTH]),
                            .host = number(c[HOST]),
                            .uncertain = c[UNCERTAIN],
                            .how = how };
    for (int i = 0; i < AZ_RATES; i++)
        p->rate[i] = number(c[FIRST_RATE + i]);
}

#define MORE_UNITS                                                                                 \
    1.25 /* a device of the row's name that has more units by this much is another                 \
          */

/* The rates of the row for what is there of it. odd: it is a variant. False: unknown. */
static bool scale(struct az_peaks *p, const struct az_sv *c, const struct az_device_facts *f,
                  bool odd)
{
    const double whole = whole_units(c, f->units), memory = memory_gib(f) / number(c[MEMORY]);
    const bool memory_differs = f->memory_bytes > 0 && !memory_fits(c, f);
    if (!(f->units > 0) || isnan(whole))
        return !odd && !memory_differs;
    const double share = f->units / whole;
    if (share > (odd ? 1 : MORE_UNITS))
        return false;
    if (!odd && !memory_differs && f->units == whole)
        return true;
    p->source = AZ_PEAKS_SCALED;
    p->units = whole;
    p->share = share;
    for (int i = 0; i < AZ_RATES; i++)
        p->rate[i] *= share;
    /* a device that shares its time with others has all units and the whole bandwidth */
    if (memory_differs && !(odd && f->units == whole))
        p->bw *= memory < 1 ? memory : 1;
    else if (!(f->memory_bytes > 0))
        p->bw *= share;
    return true;
}

struct choice {
    struct az_sv c[COLUMNS];
    struct fit fit;
    bool shared; /* another row fits as well */
};

/* The row that fits a name best; false: none has a text that is in it. */
static bool by_name(struct az_sv csv, struct az_sv name, struct az_sv basis,
                    const struct az_device_facts *f, struct choice *best)
{
    const struct az_sv common = common_words();
    struct az_sv c[COLUMNS];
    bool head = true;
    best->fit = (struct fit){ .length = 0 };
    while (name.n && next_row(&csv, &head, basis_of(basis), c)) {
        if (!is_named(c, name))
            continue;
        split_rest(c);
        struct fit fit = name_fit(c, common, name);
        fit.size = size_of_fit(c, f);
        if (fit.length && (best->fit.length == 0 || better(&fit, &best->fit))) {
            memcpy(best->c, c, sizeof c);
            best->fit = fit;
            best->shared = false;
        } else if (fit.length && !better(&best->fit, &fit)) {
            best->shared = true;
        }
    }
    return best->fit.length != 0;
}

/* The row of these units and memory: of a device without a name, or a generic one. */
static bool by_size(struct az_sv csv, struct az_sv basis, const struct az_device_facts *f,
                    struct az_peaks *out)
{
    struct az_sv c[COLUMNS];
    bool head = true, found = false;
    if (odd_words(NULL, common_words(), f->name, 0, 0))
        return false;
    while (next_row(&csv, &head, basis_of(basis), c)) {
        split_rest(c);
        if (!size_fits(c, f))
            continue;
        if (found) {
            out->how = "size (ambiguous)";
            out->source = AZ_PEAKS_SCALED;
        } else {
            fill_peaks(out, c, "size", AZ_PEAKS_DATA_SHEET);
        }
        found = true;
    }
    return found;
}

/* A device that the user names may be another than the trace's: then it is the user's word. */
static bool by_wish(const struct choice *best, const struct az_device_facts *f,
                    struct az_peaks *out)
{
    if (best->fit.odd)
        return false;
    fill_peaks(out, best->c, "config", AZ_PEAKS_DATA_SHEET);
    const struct fit own = name_fit(best->c, common_words(), f->name);
    if (own.length)
        return scale(out, best->c, f, own.odd != 0);
    if ((f->name.n || f->units > 0) && !size_fits(best->c, f))
        out->source = AZ_PEAKS_USER;
    return true;
}

bool az_peaks_find(struct az_sv csv, struct az_sv wanted, struct az_sv basis,
                   const struct az_device_facts *f, struct az_peaks *out)
{
    struct choice best;
    bool found;
    az_peaks_none(out);
    if (by_name(csv, wanted.n ? wanted : f->name, basis, f, &best)) {
        if (wanted.n) {
            found = by_wish(&best, f, out);
        } else {
            fill_peaks(out, best.c, "name", best.shared ? AZ_PEAKS_SCALED : AZ_PEAKS_DATA_SHEET);
            found = scale(out, best.c, f, best.fit.odd != 0);
        }
    } else {
        found = !wanted.n && by_size(csv, basis, f, out);
    }
    if (!found)
        az_peaks_none(out);
    return found;
}

bool az_peaks_find_user(struct az_sv csv, struct az_sv wanted, struct az_sv basis,
                        const struct az_device_facts *f, struct az_peaks *out)
{
    struct choice best;
    az_peaks_none(out);
    bool found = by_name(csv, wanted.n ? wanted : f->name, basis, f, &best);
    if (found)
        fill_peaks(out, best.c, wanted.n ? "config" : "name", AZ_PEAKS_USER);
    else
        found = !wanted.n && by_size(csv, basis, f, out);
    if (found)
        out->source = AZ_PEAKS_USER;
    return found;
}

/* How far a text is from the name: 0 if it contains the name or begins with it, else the edits
 * between them; limit + 1: too far. */
static unsigned distance(struct az_sv text, struct az_sv name, unsigned limit)
{
    char a[64], b[64];
    if (holds_at(text, name) >= 0 ||
        (text.n > name.n && az_sv_ieq(az_sv_make(text.p, name.n), name)))
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
            text = cut_field(&rest, '|');
        } while (text.n && !done);
    }
    return best;
}

bool az_peaks_override(struct az_peaks *p, struct az_sv text, struct az_sv *bad)
{
    while (text.n) {
        struct az_sv word = cut_field(&text, ' '), rest = word, key, value;
        if (word.n && word.p[word.n - 1] == ',')
            rest = word = az_sv_make(word.p, word.n - 1);
        if (word.n == 0)
            continue;
        key = cut_field(&rest, '=');
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
        p->source = AZ_PEAKS_USER;
        if (p->name.n == 0) {
            p->name = AZ_SV("device_peaks");
            p->how = "config";
        }
    }
    return true;
}

static int rate_of(const struct az_peaks *p, const char *unit, struct az_sv prec)
{
    const size_t n = strlen(unit);
    for (int i = 0; i < AZ_RATES; i++) {
        const char *name = az_rate_name[i];
        if (*name == *unit && strncmp(name, unit, n) == 0 && name[n] == '_' &&
            name[n + 1] == *prec.p && strncmp(name + n + 1, prec.p, prec.n) == 0 &&
            name[n + 1 + prec.n] == 0)
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

/* ---- rates that cannot be ---- */
#define TOLERANCE        1.10 /* clocks above the data sheet's */
#define TOLERANCE_SCALED 1.25 /* clocks of another variant */
#define TOLERANCE_MOVES  2.0  /* of what only moves memory a part may be read twice */
#define TICK_US          1.0  /* old profilers record whole microseconds */

/* TFLOP/s that products of the precision can reach; NaN unknown. Products of fp32 may run as TF32
 * without a word in the trace. */
static double matrix_limit(const struct az_peaks *p, struct az_sv prec)
{
    const int own = prec.n ? rate_of(p, "matrix", prec) : -1;
    const int tf32 = az_sv_is(prec, "fp32") ? rate_of(p, "matrix", AZ_SV("tf32")) : -1;
    const double rate = own >= 0 ? p->rate[own] : NAN;
    return tf32 >= 0 && !(rate > p->rate[tf32]) ? p->rate[tf32] : rate;
}

enum az_rate_result az_rate_check(const struct az_peaks *limits, const struct az_rate *r)
{
    const double above = limits->source == AZ_PEAKS_SCALED ? TOLERANCE_SCALED : TOLERANCE,
                 us = r->us + TICK_US;
    const bool matrix = r->flops > 0 && strcmp(r->unit, "matrix") == 0;
    const double rate = matrix ? matrix_limit(limits, r->prec) : NAN;
    enum az_rate_result result = AZ_RATE_UNKNOWN;
    if (!(r->us > 0))
        return result;
    if (rate > 0)
        result = r->flops > above * rate * us * 1e6 ? AZ_RATE_IMPOSSIBLE : AZ_RATE_POSSIBLE;
    if (!(r->bytes > 0) || !(limits->bw > 0) || isnan(limits->cache_mb))
        return result;
    /* what is in the caches before is not read, what stays there after is not yet written */
    const double least = r->bytes - 2 * limits->cache_mb * 1048576,
                 most = (r->flops > 0 ? above : TOLERANCE_MOVES) * limits->bw * us * 1e3;
    if (least > most)
        return AZ_RATE_IMPOSSIBLE;
    return result == AZ_RATE_IMPOSSIBLE ? result : AZ_RATE_POSSIBLE;
}
