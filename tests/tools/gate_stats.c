/* Gate statistics for scripts.
 *   gate_stats mwu                 a line in: TAIL (greater, less, two-sided) B,B,... C,C,...; out:
 * U p effect gate_stats repeat N NB NC SD   N seeded repetitions of a gate at rel 0.02: a baseline
 * of NB runs around 100 with normal noise SD, candidates of NC runs slower by 3 % and by 1 %.
 * Prints how many of each failed, passed or were unstable, by the whole gate (medians, threshold,
 * test)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "regression/gate.h"
#include "stats/rank_test.h"

#define MANY 4096

static size_t numbers(struct az_sv s, double *out)
{
    size_t n = 0;
    while (s.n && n < MANY)
        if (az_parse_f64(az_sv_trim(az_sv_cut(&s, ',')), &out[n]) == 0)
            n++;
    return n;
}

static int ranks(void)
{
    static double b[MANY], c[MANY];
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        struct az_sv s = az_sv_trim(az_sv_str(line)), tail = az_sv_cut(&s, ' ');
        size_t nb = numbers(az_sv_cut(&s, ' '), b), nc = numbers(s, c);
        struct az_mwu t;
        enum az_tail way = az_sv_is(tail, "greater") ? AZ_TAIL_GREATER
                           : az_sv_is(tail, "less")  ? AZ_TAIL_LESS
                                                     : AZ_TAIL_TWO;
        if (!nb || !nc || az_mann_whitney(b, nb, c, nc, way, &t))
            return 1;
        printf("%.17g %.17g %.17g\n", t.u, t.p, t.effect);
    }
    return 0;
}

/* ---- repetitions ---- */

static uint64_t state = 20240229;

static double uniform(void) /* splitmix64; never 0 */
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static struct az_metric runs(struct az_arena *a, size_t n, double level, double sd)
{
    struct az_metric m = { .input = AZ_SV("night"),
                           .sheet = AZ_SV("kern_sum"),
                           .key = AZ_SV("{\"Name\":\"k\"}"),
                           .key_text = AZ_SV("k"),
                           .name = AZ_SV("Total Time (ns)"),
                           .unit = AZ_SV("ns"),
                           .share = NAN };
    m.values.v = az_arena_array(a, n, sizeof *m.values.v);
    for (size_t i = 0; m.values.v && i < n; i++)
        m.values.v[i] = level * (1 + sd * normal());
    m.values.n = m.values.v ? n : 0;
    return m;
}

static int once(struct az_arena *a, const size_t size[2], double slow, double sd, unsigned *count)
{
    struct az_gate_rule r;
    struct az_metric b = runs(a, size[0], 100, sd), c = runs(a, size[1], 100 * (1 + slow), sd);
    struct az_gate_result x;
    az_gate_rule_init(&r);
    r.rel = 0.02;
    int rc = az_gate_measure(&r, &b, &c, &x);
    if (!rc)
        rc = az_gate_judge(&x, a);
    count[x.status]++;
    return rc;
}

static int repeat(char **argv)
{
    long n = strtol(argv[2], NULL, 10);
    size_t size[2] = { (size_t)strtol(argv[3], NULL, 10), (size_t)strtol(argv[4], NULL, 10) };
    double sd = strtod(argv[5], NULL), slow[] = { 0.03, 0.01 };
    int rc = 0;

    for (int k = 0; k < 2; k++) {
        unsigned count[AZ_GATE_STATUSES] = { 0 };
        for (long i = 0; !rc && i < n; i++) {
            struct az_arena a;
            az_arena_init(&a, NULL);
            rc = once(&a, size, slow[k], sd, count);
            az_arena_release(&a);
        }
        printf("%g%% slower: %u failed, %u passed, %u unstable\n", 100 * slow[k],
               count[AZ_GATE_FAIL], count[AZ_GATE_PASS], count[AZ_GATE_UNSTABLE]);
    }
    return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && az_sv_is(az_sv_str(argv[1]), "mwu"))
        return ranks();
    if (argc == 6 && az_sv_is(az_sv_str(argv[1]), "repeat"))
        return repeat(argv);
    fprintf(stderr, "usage: gate_stats mwu | repeat N NB NC SD\n");
    return 2;
}
