/* Devices and data types; work of operations. Fidelity: tensix_fidelity.c. */
#include "perf/tensix.h"

#include "base/data.h"
#include "base/num.h"

static struct az_sv cut_field(struct az_sv *rest, char at)
{
    const char *p = rest->n ? memchr(rest->p, at, rest->n) : NULL;
    struct az_sv head = az_sv_make(rest->p, p ? (size_t)(p - rest->p) : rest->n);
    size_t used = head.n + (p != NULL);
    *rest = az_sv_make(rest->p + used, rest->n - used);
    return az_sv_trim(head);
}

static double number(struct az_sv *line)
{
    double v;
    return az_parse_f64(cut_field(line, ','), &v) == 0 ? v : 0;
}

/* The next row of the table that is no comment, header line or blank; its names in *names. */
static bool next_device(struct az_sv *table, struct az_sv *names, struct az_tensix *d)
{
    while (table->n) {
        struct az_sv line = cut_field(table, '\n');
        if (line.n == 0 || *line.p == '#' || az_sv_starts(line, AZ_SV("name,")))
            continue;
        *names = cut_field(&line, ',');
        struct az_sv first = *names;
        d->name = cut_field(&first, '|');
        d->workers = (int64_t)number(&line);
        d->dram = number(&line);
        for (int f = 0; f < AZ_FIDELITIES; f++)
            d->peak[f] = number(&line);
        d->link = number(&line);
        d->links = (int64_t)number(&line);
        d->dram_workers = (int64_t)number(&line);
        return true;
    }
    return false;
}

bool az_tensix_find(struct az_sv name, struct az_tensix *out)
{
    struct az_sv table = az_data("tt_devices.csv"), names;
    struct az_tensix d;
    while (next_device(&table, &names, &d))
        while (names.n)
            if (az_sv_ieq(cut_field(&names, '|'), name)) {
                *out = d;
                return true;
            }
    return false;
}

bool az_tensix_at(size_t i, struct az_tensix *out)
{
    struct az_sv table = az_data("tt_devices.csv"), names;
    for (size_t k = 0; next_device(&table, &names, out); k++)
        if (k == i)
            return true;
    return false;
}

double az_tensix_bytes(struct az_sv type)
{
    double bits = 0;
    size_t i = 0;
    while (i < type.n && (type.p[i] < '0' || type.p[i] > '9'))
        i++;
    if (i == type.n)
        return 4;
    for (; i < type.n && type.p[i] >= '0' && type.p[i] <= '9'; i++)
        bits = bits * 10 + (type.p[i] - '0');
    return bits / 8;
}

struct az_sv az_tensix_short(struct az_sv type)
{
    static const char *const names[][2] = { { "FLOAT32", "FP32" },
                                            { "BFLOAT16", "BF16" },
                                            { "BFLOAT8_B", "BFP8" },
                                            { "BFLOAT4_B", "BFP4" } };
    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        if (az_sv_is(type, names[i][0]))
            return az_sv_str(names[i][1]);
    return type;
}

double az_attention_flop(double b, double h, double sq, double sk, double dk, double dv,
                         bool causal, double window)
{
    double keys = window > 0 && window < sk ? window : sk;
    return 2 * b * h * sq * keys * (dk + dv) * (causal ? 0.5 : 1);
}

double az_collective_bytes(double bytes, double r, bool linear)
{
    return r > 1 ? bytes * (r - 1) / r * (linear ? 2 : 1) : 0;
}
