/* Evaluates operator models for a script: one call a line on standard input, fields by tab:
 *   op  dims  types  strides  concrete  kernels (by 0x1f)  annotation  facts (name=value by 0x1f)
 * device peaks and one line out: flops  bytes  spec  backward flops  backward bytes  compute us
 * memory us  roofline us  bound  peak assumed  why */
#include <stdio.h>
#include <stdlib.h>

#include "base/data.h"
#include "perf/peaks.h"

#define FIELDS 9
#define MANY   32

static size_t split(struct az_sv s, char at, struct az_sv *out, size_t max)
{
    size_t n = 0;
    while (s.n && n < max) {
        const char *p = memchr(s.p, at, s.n);
        out[n++] = az_sv_make(s.p, p ? (size_t)(p - s.p) : s.n);
        size_t used = out[n - 1].n + (p ? 1 : 0);
        s = az_sv_make(s.p + used, s.n - used);
    }
    return n;
}

static void print(double v)
{
    if (isnan(v))
        printf("-\t");
    else
        printf("%.17g\t", v);
}

static int one(const struct az_op_models *models, struct az_arena *a, struct az_sv line)
{
    struct az_sv f[FIELDS] = { { 0 } }, kernel[MANY], pair[MANY];
    struct az_perf_fact fact[MANY];
    struct az_perf_call c = { 0 };
    struct az_perf p;
    struct az_peaks peaks;
    struct az_roofline roof;
    const char *rest = line.p;
    for (size_t i = 0, left = line.n; i < FIELDS; i++) { /* empty fields count */
        const char *t = memchr(rest, '\t', left);
        f[i] = az_sv_make(rest, t ? (size_t)(t - rest) : left);
        if (!t)
            break;
        left -= f[i].n + 1;
        rest = t + 1;
    }
    const struct az_op_model *m = az_op_model_find(models, f[0]);
    if (!m) {
        printf("-\t-\t\t-\t-\t-\t-\t-\t\t\t0\tno model\n");
        return 0;
    }
    c.op = f[0];
    c.kernels = kernel;
    c.n_kernels = split(f[5], 0x1f, kernel, MANY);
    c.annotation = f[6];
    c.fact = fact;
    for (size_t n = split(f[7], 0x1f, pair, MANY); c.n_facts < n; c.n_facts++) {
        struct az_sv kv[2] = { { 0 } };
        split(pair[c.n_facts], '=', kv, 2);
        fact[c.n_facts] = (struct az_perf_fact){ kv[0], kv[1] };
    }
    if (!az_perf_parse(&c, f[1], f[2], f[3], f[4])) {
        printf("-\t-\t\t-\t-\t-\t-\t-\t\t\t0\tmalformed arguments\n");
        return 0;
    }
    int rc = az_perf_eval(&c, m, a, &p);
    if (rc)
        return rc;
    az_peaks_none(&peaks);
    struct az_sv bad;
    if (!az_peaks_override(&peaks, f[8], &bad))
        return AZ_EUSAGE;
    az_roofline(&peaks, p.unit, p.prec, p.fallback, false, p.flops, p.bytes, &roof);
    struct az_sv spec = az_perf_spec(&p, a);
    print(p.flops);
    print(p.bytes);
    printf("%.*s\t", AZ_SVF(spec));
    print(p.bwd_flops);
    print(p.bwd_bytes);
    print(roof.compute_us);
    print(roof.memory_us);
    print(roof.time_us);
    printf("%s\t%s\t%d\t%s\n", roof.bound, roof.peak, roof.assumed, p.why ? p.why : "");
    return 0;
}

int main(void)
{
    struct az_arena a;
    struct az_op_models models;
    char *line = NULL;
    size_t cap = 0;
    az_arena_init(&a, NULL);
    int rc = az_op_models_load(&models, az_data("op_models.csv"), &a);
    for (ssize_t n; rc == 0 && (n = getline(&line, &cap, stdin)) > 0;)
        rc = one(&models, &a, az_sv_make(line, (size_t)n - (line[n - 1] == '\n')));
    free(line);
    az_arena_release(&a);
    if (rc)
        fprintf(stderr, "perf_model: error %d\n", rc);
    return rc != 0;
}
