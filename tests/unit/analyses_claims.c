/* What the parts claim together, from findings and accounts made by hand: which finding is a part
 * of which other one, in which order they are listed, means over devices and ranks, trust. */
#include <math.h>
#include <stdio.h>

#include "unit/analyses_parts.h"

/* "RULE[/SUBJECT]=GAIN[o][rN][dN]": o: outside the scope; r, d: of this rank, this device. */
static void add_found(struct az_verdict_founds *to, struct az_sv word)
{
    struct az_sv name = az_sv_cut(&word, '='), rule = az_sv_cut(&name, '/');
    struct az_verdict_found f = {
        .rule = az_verdict_rule_of(rule), .subject = name, .count = 3, .ns = 7, .faster = -1
    };
    char text[64];
    char *at;
    assert_non_null(f.rule);
    snprintf(text, sizeof text, "%.*s", AZ_SVF(word));
    f.gain = strtoll(text, &at, 10);
    while (*at) {
        const char kind = *at++;
        f.outside_scope |= kind == 'o';
        f.has_rank |= kind == 'r';
        f.has_device |= kind == 'd';
        if (kind == 'r')
            f.rank = strtoll(at, &at, 10);
        if (kind == 'd')
            f.device = strtoll(at, &at, 10);
    }
    assert_int_equal(az_vec_push(to, f), 0);
}

static void print_findings(const struct az_claims *c)
{
    for (size_t i = 0; i < c->n_findings; i++) {
        const struct az_claim *a = &c->findings[i];
        assert_int_equal(az_text_printf(&said, "  %zu %.*s", i, AZ_SVF(a->rule)), 0);
        if (a->subject.n)
            assert_int_equal(az_text_printf(&said, "/%.*s", AZ_SVF(a->subject)), 0);
        assert_int_equal(az_text_printf(&said, " %lld", (long long)a->saving_ns), 0);
        if (a->exposed_ns != a->saving_ns)
            assert_int_equal(az_text_printf(&said, " of %lld", (long long)a->exposed_ns), 0);
        assert_int_equal(az_text_printf(&said, " %.2f%%", 100 * a->share), 0);
        if (a->part_of >= 0)
            assert_int_equal(az_text_printf(&said, " in %lld", (long long)a->part_of), 0);
        assert_int_equal(az_text_printf(&said, "%s%s\n", a->outside_scope ? " outside" : "",
                                        az_sv_is(a->severity, "warning") ? " !" : ""),
                         0);
    }
}

static void print_account(const char *what, const struct az_claim_account *a)
{
    assert_int_equal(az_text_printf(&said, "%s %lld: %lld %lld %lld %lld, all %lld %lld\n", what,
                                    (long long)a->span, (long long)a->computing,
                                    (long long)a->exposed_communication, (long long)a->exposed_copy,
                                    (long long)a->idle, (long long)a->communication,
                                    (long long)a->copy),
                     0);
}

/* Of 1000 ns: 400 computing, 200 communication, 100 copies, 300 idle. */
static void findings_are_nested(void **state)
{
    static const char *const cases[] = {
        "",
        "idle/a=0",
        "idle/a=-1",
        "idle/a=1",
        /* trust and sums are in no list */
        "graph_unrecorded=50 graph_hidden=60",
        /* the largest first; equal ones by rule, then by subject */
        "idle/a=10 idle/b=20 exposed_copy/c=15",
        "exposed_copy/z=20 idle/b=20 idle/a=20",
        /* the limit of a warning is a twentieth */
        "idle/a=49 idle/b=50",
        /* no more than its part of the account */
        "idle/a=299",
        "idle/a=300",
        "idle/a=301",
        "idle/a=1000",
        "idle/a=1001",
        "idle/a=200 idle/b=100",
        "idle/a=200 idle/b=101",
        "idle/a=200 idle/b=90 idle/c=11",
        "exposed_communication/a=200",
        "exposed_communication/a=201",
        "exposed_copy/a=101",
        "roofline_headroom/a=401",
        "warm_up/a=999",
        "straggler/a=501",
        /* all together no more than the span */
        "warm_up/a=800 idle/b=200",
        "warm_up/a=800 idle/b=201",
        "warm_up/a=800 recompute/b=201",
        "idle/a=300 roofline_headroom/b=400 exposed_communication/c=200 exposed_copy/d=100",
        /* rules that count the same time */
        "roofline_headroom/a=100 misaligned_shape/b=50",
        "roofline_headroom/a=50 precision/b=100",
        "unfused_attention/a=90 fusible_chain/b=80 roofline_headroom/c=70",
        "roofline_headroom/a=100 roofline_headroom/b=90",
        "step_jitter/a=200 idle/b=100",
        "tt_slow/a=90 tt_low_cores/b=80 tt_dram/c=70",
        "clock_drop/a=90 clock_samples/b=80",
        /* a part of the account that is used up: the next is part of the largest alike, or of all
         */
        "idle/a=300 op_to_op_gaps/b=1",
        "roofline_headroom/a=400 recompute/b=1",
        "warm_up/a=1000 idle/b=10",
        "recompute/a=350 tt_fidelity/b=50 low_parallelism/c=1",
        /* what is outside the scope comes last and is part of nothing */
        "warm_up/a=900o idle/b=100",
        "warm_up/a=5000o warm_up/b=100o idle/c=1",
        /* who the others wait for comes before the communication in which they do */
        "exposed_communication/a=200 straggler/b=100",
        "exposed_communication/a=200 straggler/b=99",
        "exposed_communication/a=200 straggler/b=20",
        "exposed_communication/a=200 straggler/b=18",
        "exposed_communication/a=200 straggler/b=17",
        "exposed_communication/a=160 straggler/b=70 recompute/c=300",
        "exposed_communication/a=100 exposed_communication/b=100 straggler/c=100",
        "exposed_communication/a=100 exposed_communication/b=100 straggler/c=20",
        "exposed_communication/a=150 exposed_communication/b=50 straggler/c=50",
        "exposed_communication/a=150 exposed_communication/b=50 straggler/c=200",
        "exposed_communication/a=200 straggler/b=200 idle/c=250",
        "exposed_communication/a=200 straggler/b=120 idle/c=250",
        "exposed_communication/a=200 straggler/b=120 slow_group/c=110",
        "pipeline_bubble/a=150 stage_imbalance/b=100 exposed_communication/c=200",
        "pipeline_bubble/a=250 idle/b=200 exposed_communication/c=100",
        "device_imbalance/a=400 exposed_communication/b=200",
        "device_imbalance/a=550 exposed_communication/b=200",
        /* communication of which the waiting explains less than half */
        "exposed_communication/a=101 straggler/b=50",
        "exposed_communication/a=100 straggler/b=50",
        "exposed_communication/a=102 exposed_communication/b=101 straggler/c=50",
        "exposed_communication/a=120 exposed_communication/b=80 straggler/c=50",
        "exposed_communication/a=190 straggler/b=40 device_imbalance/c=30",
        "exposed_communication/a=190 straggler/b=40 device_imbalance/c=95",
        /* uneven steps come after what makes them so */
        "step_jitter/a=100 exposed_copy/b=60 exposed_communication/c=50",
        "step_jitter/a=111 exposed_copy/b=60 exposed_communication/c=50",
        "step_jitter/a=110 exposed_copy/b=60 exposed_communication/c=50",
        "step_jitter/a=60 exposed_copy/b=60 exposed_communication/c=50",
        "step_jitter/a=59 exposed_copy/b=60 exposed_communication/c=50",
        "step_jitter/a=100 roofline_headroom/b=150",
        "step_jitter/a=100 idle/b=90 idle/c=20",
        "step_jitter/a=90 recompute/b=95 idle/c=80 idle/d=20 exposed_copy/e=85",
        "step_jitter/a=700 idle/b=250 exposed_copy/c=100 recompute/d=350 "
        "exposed_communication/e=200",
        "warm_up/a=100 step_jitter/b=120 idle/c=110 exposed_copy/d=90",
    };
    struct world x;
    az_vec_init(&said, NULL);
    world_of(&x, *state, 1, 400, 200, 100);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_sv words = az_sv_str(cases[i]);
        az_vec_reset(&x.found);
        while (words.n)
            add_found(&x.found, az_sv_cut(&words, ' '));
        claims_of(&x);
        assert_int_equal(az_text_printf(&said, "%s\n", cases[i]), 0);
        print_findings(x.c);
    }
    assert_string_equal(
        text_said(),
        "\n"
        "idle/a=0\n"
        "idle/a=-1\n"
        "idle/a=1\n"
        "  0 idle/a 1 0.10%\n"
        "graph_unrecorded=50 graph_hidden=60\n"
        "idle/a=10 idle/b=20 exposed_copy/c=15\n"
        "  0 idle/b 20 2.00%\n"
        "  1 exposed_copy/c 15 1.50%\n"
        "  2 idle/a 10 1.00%\n"
        "exposed_copy/z=20 idle/b=20 idle/a=20\n"
        "  0 idle/a 20 2.00%\n"
        "  1 idle/b 20 2.00%\n"
        "  2 exposed_copy/z 20 2.00%\n"
        "idle/a=49 idle/b=50\n"
        "  0 idle/b 50 5.00% !\n"
        "  1 idle/a 49 4.90%\n"
        "idle/a=299\n"
        "  0 idle/a 299 29.90% !\n"
        "idle/a=300\n"
        "  0 idle/a 300 30.00% !\n"
        "idle/a=301\n"
        "  0 idle/a 300 of 301 30.00% !\n"
        "idle/a=1000\n"
        "  0 idle/a 300 of 1000 30.00% !\n"
        "idle/a=1001\n"
        "  0 idle/a 300 of 1000 30.00% !\n"
        "idle/a=200 idle/b=100\n"
        "  0 idle/a 200 20.00% !\n"
        "  1 idle/b 100 10.00% !\n"
        "idle/a=200 idle/b=101\n"
        "  0 idle/a 200 20.00% !\n"
        "  1 idle/b 101 10.10% in 0 !\n"
        "idle/a=200 idle/b=90 idle/c=11\n"
        "  0 idle/a 200 20.00% !\n"
        "  1 idle/b 90 9.00% !\n"
        "  2 idle/c 11 1.10% in 0\n"
        "exposed_communication/a=200\n"
        "  0 exposed_communication/a 200 20.00% !\n"
        "exposed_communication/a=201\n"
        "  0 exposed_communication/a 200 of 201 20.00% !\n"
        "exposed_copy/a=101\n"
        "  0 exposed_copy/a 100 of 101 10.00% !\n"
        "roofline_headroom/a=401\n"
        "  0 roofline_headroom/a 400 of 401 40.00% !\n"
        "warm_up/a=999\n"
        "  0 warm_up/a 999 99.90% !\n"
        "straggler/a=501\n"
        "  0 straggler/a 500 of 501 50.00% !\n"
        "warm_up/a=800 idle/b=200\n"
        "  0 warm_up/a 800 80.00% !\n"
        "  1 idle/b 200 20.00% !\n"
        "warm_up/a=800 idle/b=201\n"
        "  0 warm_up/a 800 80.00% !\n"
        "  1 idle/b 201 20.10% in 0 !\n"
        "warm_up/a=800 recompute/b=201\n"
        "  0 warm_up/a 800 80.00% !\n"
        "  1 recompute/b 201 20.10% in 0 !\n"
        "idle/a=300 roofline_headroom/b=400 exposed_communication/c=200 exposed_copy/d=100\n"
        "  0 roofline_headroom/b 400 40.00% !\n"
        "  1 idle/a 300 30.00% !\n"
        "  2 exposed_communication/c 200 20.00% !\n"
        "  3 exposed_copy/d 100 10.00% !\n"
        "roofline_headroom/a=100 misaligned_shape/b=50\n"
        "  0 roofline_headroom/a 100 10.00% !\n"
        "  1 misaligned_shape/b 50 5.00% in 0 !\n"
        "roofline_headroom/a=50 precision/b=100\n"
        "  0 precision/b 100 10.00% !\n"
        "  1 roofline_headroom/a 50 5.00% in 0 !\n"
        "unfused_attention/a=90 fusible_chain/b=80 roofline_headroom/c=70\n"
        "  0 unfused_attention/a 90 9.00% !\n"
        "  1 fusible_chain/b 80 8.00% in 0 !\n"
        "  2 roofline_headroom/c 70 7.00% in 0 !\n"
        "roofline_headroom/a=100 roofline_headroom/b=90\n"
        "  0 roofline_headroom/a 100 10.00% !\n"
        "  1 roofline_headroom/b 90 9.00% !\n"
        "step_jitter/a=200 idle/b=100\n"
        "  0 step_jitter/a 200 20.00% !\n"
        "  1 idle/b 100 10.00% in 0 !\n"
        "tt_slow/a=90 tt_low_cores/b=80 tt_dram/c=70\n"
        "  0 tt_slow/a 90 9.00% !\n"
        "  1 tt_low_cores/b 80 8.00% in 0 !\n"
        "  2 tt_dram/c 70 7.00% !\n"
        "clock_drop/a=90 clock_samples/b=80\n"
        "  0 clock_drop/a 90 9.00% !\n"
        "  1 clock_samples/b 80 8.00% in 0 !\n"
        "idle/a=300 op_to_op_gaps/b=1\n"
        "  0 idle/a 300 30.00% !\n"
        "  1 op_to_op_gaps/b 1 0.10% in 0\n"
        "roofline_headroom/a=400 recompute/b=1\n"
        "  0 roofline_headroom/a 400 40.00% !\n"
        "  1 recompute/b 1 0.10% in 0\n"
        "warm_up/a=1000 idle/b=10\n"
        "  0 warm_up/a 1000 100.00% !\n"
        "  1 idle/b 10 1.00% in 0\n"
        "recompute/a=350 tt_fidelity/b=50 low_parallelism/c=1\n"
        "  0 recompute/a 350 35.00% !\n"
        "  1 tt_fidelity/b 50 5.00% !\n"
        "  2 low_parallelism/c 1 0.10% in 0\n"
        "warm_up/a=900o idle/b=100\n"
        "  0 idle/b 100 10.00% !\n"
        "  1 warm_up/a 900 90.00% outside !\n"
        "warm_up/a=5000o warm_up/b=100o idle/c=1\n"
        "  0 idle/c 1 0.10%\n"
        "  1 warm_up/a 5000 500.00% outside !\n"
        "  2 warm_up/b 100 10.00% outside !\n"
        "exposed_communication/a=200 straggler/b=100\n"
        "  0 straggler/b 100 10.00% !\n"
        "  1 exposed_communication/a 200 20.00% in 0 !\n"
        "exposed_communication/a=200 straggler/b=99\n"
        "  0 straggler/b 99 9.90% !\n"
        "  1 exposed_communication/a 101 of 200 10.10% !\n"
        "exposed_communication/a=200 straggler/b=20\n"
        "  0 straggler/b 20 2.00%\n"
        "  1 exposed_communication/a 180 of 200 18.00% !\n"
        "exposed_communication/a=200 straggler/b=18\n"
        "  0 exposed_communication/a 200 20.00% !\n"
        "  1 straggler/b 18 1.80% in 0\n"
        "exposed_communication/a=200 straggler/b=17\n"
        "  0 exposed_communication/a 200 20.00% !\n"
        "  1 straggler/b 17 1.70% in 0\n"
        "exposed_communication/a=160 straggler/b=70 recompute/c=300\n"
        "  0 recompute/c 300 30.00% !\n"
        "  1 straggler/b 70 7.00% !\n"
        "  2 exposed_communication/a 90 of 160 9.00% !\n"
        "exposed_communication/a=100 exposed_communication/b=100 straggler/c=100\n"
        "  0 straggler/c 100 10.00% !\n"
        "  1 exposed_communication/a 100 10.00% in 0 !\n"
        "  2 exposed_communication/b 100 10.00% in 0 !\n"
        "exposed_communication/a=100 exposed_communication/b=100 straggler/c=20\n"
        "  0 straggler/c 20 2.00%\n"
        "  1 exposed_communication/b 100 10.00% !\n"
        "  2 exposed_communication/a 80 of 100 8.00% !\n"
        "exposed_communication/a=150 exposed_communication/b=50 straggler/c=50\n"
        "  0 straggler/c 50 5.00% !\n"
        "  1 exposed_communication/a 150 15.00% !\n"
        "  2 exposed_communication/b 50 5.00% in 0 !\n"
        "exposed_communication/a=150 exposed_communication/b=50 straggler/c=200\n"
        "  0 straggler/c 200 20.00% !\n"
        "  1 exposed_communication/a 150 15.00% in 0 !\n"
        "  2 exposed_communication/b 50 5.00% in 0 !\n"
        "exposed_communication/a=200 straggler/b=200 idle/c=250\n"
        "  0 idle/c 250 25.00% !\n"
        "  1 straggler/b 200 20.00% !\n"
        "  2 exposed_communication/a 200 20.00% in 1 !\n"
        "exposed_communication/a=200 straggler/b=120 idle/c=250\n"
        "  0 idle/c 250 25.00% !\n"
        "  1 straggler/b 120 12.00% !\n"
        "  2 exposed_communication/a 200 20.00% in 1 !\n"
        "exposed_communication/a=200 straggler/b=120 slow_group/c=110\n"
        "  0 straggler/b 120 12.00% !\n"
        "  1 slow_group/c 110 11.00% !\n"
        "  2 exposed_communication/a 200 20.00% in 0 !\n"
        "pipeline_bubble/a=150 stage_imbalance/b=100 exposed_communication/c=200\n"
        "  0 pipeline_bubble/a 150 15.00% !\n"
        "  1 stage_imbalance/b 100 10.00% in 0 !\n"
        "  2 exposed_communication/c 200 20.00% in 0 !\n"
        "pipeline_bubble/a=250 idle/b=200 exposed_communication/c=100\n"
        "  0 pipeline_bubble/a 250 25.00% !\n"
        "  1 idle/b 200 20.00% in 0 !\n"
        "  2 exposed_communication/c 100 10.00% in 0 !\n"
        "device_imbalance/a=400 exposed_communication/b=200\n"
        "  0 device_imbalance/a 400 40.00% !\n"
        "  1 exposed_communication/b 200 20.00% in 0 !\n"
        "device_imbalance/a=550 exposed_communication/b=200\n"
        "  0 device_imbalance/a 500 of 550 50.00% !\n"
        "  1 exposed_communication/b 200 20.00% in 0 !\n"
        "exposed_communication/a=101 straggler/b=50\n"
        "  0 straggler/b 50 5.00% !\n"
        "  1 exposed_communication/a 51 of 101 5.10% !\n"
        "exposed_communication/a=100 straggler/b=50\n"
        "  0 straggler/b 50 5.00% !\n"
        "  1 exposed_communication/a 100 10.00% in 0 !\n"
        "exposed_communication/a=102 exposed_communication/b=101 straggler/c=50\n"
        "  0 straggler/c 50 5.00% !\n"
        "  1 exposed_communication/b 101 10.10% !\n"
        "  2 exposed_communication/a 52 of 102 5.20% !\n"
        "exposed_communication/a=120 exposed_communication/b=80 straggler/c=50\n"
        "  0 straggler/c 50 5.00% !\n"
        "  1 exposed_communication/a 120 12.00% !\n"
        "  2 exposed_communication/b 80 8.00% in 0 !\n"
        "exposed_communication/a=190 straggler/b=40 device_imbalance/c=30\n"
        "  0 straggler/b 40 4.00%\n"
        "  1 device_imbalance/c 30 3.00%\n"
        "  2 exposed_communication/a 120 of 190 12.00% !\n"
        "exposed_communication/a=190 straggler/b=40 device_imbalance/c=95\n"
        "  0 device_imbalance/c 95 9.50% !\n"
        "  1 straggler/b 40 4.00%\n"
        "  2 exposed_communication/a 190 19.00% in 0 !\n"
        "step_jitter/a=100 exposed_copy/b=60 exposed_communication/c=50\n"
        "  0 step_jitter/a 100 10.00% !\n"
        "  1 exposed_copy/b 60 6.00% !\n"
        "  2 exposed_communication/c 50 5.00% !\n"
        "step_jitter/a=111 exposed_copy/b=60 exposed_communication/c=50\n"
        "  0 step_jitter/a 111 11.10% !\n"
        "  1 exposed_copy/b 60 6.00% !\n"
        "  2 exposed_communication/c 50 5.00% !\n"
        "step_jitter/a=110 exposed_copy/b=60 exposed_communication/c=50\n"
        "  0 step_jitter/a 110 11.00% !\n"
        "  1 exposed_copy/b 60 6.00% !\n"
        "  2 exposed_communication/c 50 5.00% !\n"
        "step_jitter/a=60 exposed_copy/b=60 exposed_communication/c=50\n"
        "  0 exposed_copy/b 60 6.00% !\n"
        "  1 step_jitter/a 60 6.00% !\n"
        "  2 exposed_communication/c 50 5.00% !\n"
        "step_jitter/a=59 exposed_copy/b=60 exposed_communication/c=50\n"
        "  0 exposed_copy/b 60 6.00% !\n"
        "  1 step_jitter/a 59 5.90% !\n"
        "  2 exposed_communication/c 50 5.00% !\n"
        "step_jitter/a=100 roofline_headroom/b=150\n"
        "  0 roofline_headroom/b 150 15.00% !\n"
        "  1 step_jitter/a 100 10.00% !\n"
        "step_jitter/a=100 idle/b=90 idle/c=20\n"
        "  0 step_jitter/a 100 10.00% in 1 !\n"
        "  1 idle/b 90 9.00% !\n"
        "  2 idle/c 20 2.00%\n"
        "step_jitter/a=90 recompute/b=95 idle/c=80 idle/d=20 exposed_copy/e=85\n"
        "  0 recompute/b 95 9.50% !\n"
        "  1 step_jitter/a 90 9.00% !\n"
        "  2 exposed_copy/e 85 8.50% !\n"
        "  3 idle/c 80 8.00% in 1 !\n"
        "  4 idle/d 20 2.00% in 1\n"
        "step_jitter/a=700 idle/b=250 exposed_copy/c=100 recompute/d=350 "
        "exposed_communication/e=200\n"
        "  0 step_jitter/a 700 70.00% !\n"
        "  1 recompute/d 350 35.00% in 0 !\n"
        "  2 idle/b 250 25.00% in 0 !\n"
        "  3 exposed_communication/e 200 20.00% !\n"
        "  4 exposed_copy/c 100 10.00% !\n"
        "warm_up/a=100 step_jitter/b=120 idle/c=110 exposed_copy/d=90\n"
        "  0 step_jitter/b 120 12.00% in 1 !\n"
        "  1 idle/c 110 11.00% !\n"
        "  2 warm_up/a 100 10.00% !\n"
        "  3 exposed_copy/d 90 9.00% !\n");
    az_vec_release(&said);
    az_vec_release(&x.found);
}

/* A two-thousandth of the span is in the list, less is not. */
static void trifles(void **state)
{
    struct world x;
    world_of(&x, *state, 1, 400, 200, 100);
    x.device[0][0].a.span = 2000000;
    add_found(&x.found, AZ_SV("idle/a=1000"));
    add_found(&x.found, AZ_SV("idle/b=999"));
    add_found(&x.found, AZ_SV("warm_up/c=1o"));
    claims_of(&x);
    az_vec_init(&said, NULL);
    print_findings(x.c);
    assert_string_equal(text_said(), "  0 idle/a 1000 0.05%\n"
                                     "  1 warm_up/c 1 0.00% outside\n");
    az_vec_release(&said);
    az_vec_release(&x.found);
}

/* Late ranks wait for nobody: what the others wait may be more than the mean. */
static void late_ranks(void **state)
{
    static const struct {
        const char *found;
        size_t parts, late;
    } cases[] = {
        { "straggler/a=500r1", 1, 0 }, { "straggler/a=999r1", 2, 0 }, { "straggler/a=999r1", 3, 0 },
        { "straggler/a=760r1", 3, 0 }, { "straggler/a=750d1", 3, 0 }, { "straggler/a=751d1", 3, 0 },
        { "straggler/a=751", 3, 0 },   { "straggler/a=900", 4, 2 },   { "straggler/a=900", 4, 4 },
        { "straggler/a=900", 4, 3 },   { "idle/a=301r1", 4, 0 },
    };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        static const int64_t ranks[] = { 0, 1, 2, 3 };
        struct world x;
        world_of(&x, *state, cases[i].parts, 400, 200, 100);
        add_found(&x.found, az_sv_str(cases[i].found));
        x.found.v[0].ranks = ranks;
        x.found.v[0].n_ranks = cases[i].late;
        claims_of(&x);
        assert_int_equal(az_text_printf(&said, "%s, %zu late of %zu\n", cases[i].found,
                                        cases[i].late, cases[i].parts),
                         0);
        print_findings(x.c);
        assert_int_equal(x.c->findings[0].n_ranks, x.found.v[0].has_rank ? 0 : cases[i].late);
        az_vec_release(&x.found);
    }
    assert_string_equal(text_said(), "straggler/a=500r1, 0 late of 1\n"
                                     "  0 straggler/a 500 50.00% !\n"
                                     "straggler/a=999r1, 0 late of 2\n"
                                     "  0 straggler/a 999 99.90% !\n"
                                     "straggler/a=999r1, 0 late of 3\n"
                                     "  0 straggler/a 750 of 999 75.00% !\n"
                                     "straggler/a=760r1, 0 late of 3\n"
                                     "  0 straggler/a 750 of 760 75.00% !\n"
                                     "straggler/a=750d1, 0 late of 3\n"
                                     "  0 straggler/a 750 75.00% !\n"
                                     "straggler/a=751d1, 0 late of 3\n"
                                     "  0 straggler/a 750 of 751 75.00% !\n"
                                     "straggler/a=751, 0 late of 3\n"
                                     "  0 straggler/a 500 of 751 50.00% !\n"
                                     "straggler/a=900, 2 late of 4\n"
                                     "  0 straggler/a 900 90.00% !\n"
                                     "straggler/a=900, 4 late of 4\n"
                                     "  0 straggler/a 500 of 900 50.00% !\n"
                                     "straggler/a=900, 3 late of 4\n"
                                     "  0 straggler/a 900 90.00% !\n"
                                     "idle/a=301r1, 0 late of 4\n"
                                     "  0 idle/a 300 of 301 30.00% !\n");
    az_vec_release(&said);
}

/* Means over the devices that are not idle; the rest is idle time, never less than none. */
static void accounts(void **state)
{
    static const struct {
        int64_t span[3], computing[3], comm[3], copy[3];
        bool idle[3];
    } cases[] = {
        { { 100, 100, 100 }, { 10, 20, 30 }, { 1, 2, 3 }, { 4, 5, 6 }, { 0 } },
        { { 100, 101, 0 }, { 50, 51, 0 }, { 25, 25, 0 }, { 25, 25, 0 }, { 0, 0, 1 } },
        { { 99, 100, 0 }, { 33, 34, 0 }, { 33, 34, 0 }, { 33, 32, 0 }, { 0, 0, 1 } },
        { { 1, 2, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
        { { 3, 2, 0 }, { 1, 0, 0 }, { 1, 2, 0 }, { 1, 0, 0 }, { 0, 0, 1 } },
        { { 3, 2, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 1, 2, 0 }, { 0, 0, 1 } },
        { { 3, 2, 0 }, { 1, 2, 0 }, { 1, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } },
        { { 100, 100, 100 }, { 90, 0, 0 }, { 0 }, { 0 }, { 0, 1, 1 } },
        { { 100, 100, 100 }, { 90, 0, 0 }, { 0 }, { 0 }, { 1, 1, 1 } },
    };
    struct fix *f = *state;
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++)
        for (size_t parts = 1; parts <= 3; parts += 2) { /* in one trace, and in three */
            struct world x;
            world_of(&x, f, parts, 0, 0, 0);
            if (parts == 3)
                x.w.ranks = &x.ranks;
            for (size_t k = 0; k < 3; k++) {
                const size_t part = parts == 1 ? 0 : k, device = parts == 1 ? k : 0;
                struct az_verdict_device *d = &x.device[part][device];
                *d = (struct az_verdict_device){ .device = 7 + (int64_t)k,
                                                 .idle = cases[i].idle[k] };
                d->a = (struct az_claim_account){ .span = cases[i].span[k],
                                                  .computing = cases[i].computing[k],
                                                  .exposed_communication = cases[i].comm[k],
                                                  .exposed_copy = cases[i].copy[k],
                                                  .communication = 2 * cases[i].comm[k],
                                                  .copy = 2 * cases[i].copy[k] };
                *other_of(&x, part, device) = (struct az_verdict_other){
                    .before.span = d->a.span + 1, .after.span = d->a.span + 2, .step = d->a
                };
            }
            x.part[0].n_device_accounts = parts == 1 ? 3 : 1;
            x.part[parts - 1].scope = AZ_SCOPE_STEPS;
            claims_of(&x);
            assert_int_equal(az_text_printf(&said, "%zu in %zu: %lld devices%s", i, parts,
                                            (long long)x.c->devices.count,
                                            x.c->has_account ? "" : ", no account"),
                             0);
            for (size_t k = 0; k < x.c->devices.n_idle; k++)
                assert_int_equal(az_text_printf(&said, " idle %.*s", AZ_SVF(x.c->devices.idle[k])),
                                 0);
            assert_int_equal(az_text_printf(&said, "\n"), 0);
            print_account("  scope", &x.c->account);
            print_account("  step", &x.c->step);
            if (i == 0) {
                print_account("  before", &x.c->before);
                print_account("  after", &x.c->after);
            }
            assert_int_equal(x.c->scope, AZ_SCOPE_STEPS);
        }
    assert_string_equal(text_said(), "0 in 1: 3 devices\n"
                                     "  scope 100: 20 2 5 73, all 4 10\n"
                                     "  step 100: 20 2 5 73, all 4 10\n"
                                     "  before 101: 0 0 0 101, all 0 0\n"
                                     "  after 102: 0 0 0 102, all 0 0\n"
                                     "0 in 3: 3 devices\n"
                                     "  scope 100: 20 2 5 73, all 4 10\n"
                                     "  step 100: 20 2 5 73, all 4 10\n"
                                     "  before 101: 0 0 0 101, all 0 0\n"
                                     "  after 102: 0 0 0 102, all 0 0\n"
                                     "1 in 1: 3 devices idle 9\n"
                                     "  scope 101: 51 25 25 0, all 50 50\n"
                                     "  step 101: 51 25 25 0, all 50 50\n"
                                     "1 in 3: 3 devices idle 2:9\n"
                                     "  scope 101: 51 25 25 0, all 50 50\n"
                                     "  step 101: 51 25 25 0, all 50 50\n"
                                     "2 in 1: 3 devices idle 9\n"
                                     "  scope 100: 33 34 33 0, all 67 65\n"
                                     "  step 100: 33 34 33 0, all 67 65\n"
                                     "2 in 3: 3 devices idle 2:9\n"
                                     "  scope 100: 33 34 33 0, all 67 65\n"
                                     "  step 100: 33 34 33 0, all 67 65\n"
                                     "3 in 1: 3 devices idle 9\n"
                                     "  scope 2: 0 1 1 0, all 1 1\n"
                                     "  step 2: 0 1 1 0, all 1 1\n"
                                     "3 in 3: 3 devices idle 2:9\n"
                                     "  scope 2: 0 1 1 0, all 1 1\n"
                                     "  step 2: 0 1 1 0, all 1 1\n"
                                     "4 in 1: 3 devices idle 9\n"
                                     "  scope 3: 1 1 1 0, all 3 1\n"
                                     "  step 3: 1 1 1 0, all 3 1\n"
                                     "4 in 3: 3 devices idle 2:9\n"
                                     "  scope 3: 1 1 1 0, all 3 1\n"
                                     "  step 3: 1 1 1 0, all 3 1\n"
                                     "5 in 1: 3 devices idle 9\n"
                                     "  scope 3: 1 1 1 0, all 1 3\n"
                                     "  step 3: 1 1 1 0, all 1 3\n"
                                     "5 in 3: 3 devices idle 2:9\n"
                                     "  scope 3: 1 1 1 0, all 1 3\n"
                                     "  step 3: 1 1 1 0, all 1 3\n"
                                     "6 in 1: 3 devices idle 9\n"
                                     "  scope 3: 1 1 1 0, all 1 1\n"
                                     "  step 3: 1 1 1 0, all 1 1\n"
                                     "6 in 3: 3 devices idle 2:9\n"
                                     "  scope 3: 1 1 1 0, all 1 1\n"
                                     "  step 3: 1 1 1 0, all 1 1\n"
                                     "7 in 1: 3 devices idle 8 idle 9\n"
                                     "  scope 100: 90 0 0 10, all 0 0\n"
                                     "  step 100: 90 0 0 10, all 0 0\n"
                                     "7 in 3: 3 devices idle 1:8 idle 2:9\n"
                                     "  scope 100: 90 0 0 10, all 0 0\n"
                                     "  step 100: 90 0 0 10, all 0 0\n"
                                     "8 in 1: 3 devices, no account idle 7 idle 8 idle 9\n"
                                     "  scope 0: 0 0 0 0, all 0 0\n"
                                     "  step 0: 0 0 0 0, all 0 0\n"
                                     "8 in 3: 3 devices, no account idle 0:7 idle 1:8 idle 2:9\n"
                                     "  scope 0: 0 0 0 0, all 0 0\n"
                                     "  step 0: 0 0 0 0, all 0 0\n");
    az_vec_release(&said);
}

/* The account of a step is the median over the parts that have one. */
static void median_steps(void **state)
{
    static const int64_t spans[][4] = { { 0, 0, 0, 0 },    { 40, 0, 0, 0 },    { 40, 10, 0, 0 },
                                        { 40, 10, 20, 0 }, { 40, 10, 20, 30 }, { 10, 10, 99, 50 },
                                        { 0, 11, 0, 14 } };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(spans); i++) {
        struct world x;
        world_of(&x, *state, 4, 0, 0, 0);
        for (size_t k = 0; k < 4; k++)
            other_of(&x, k, 0)->step =
                (struct az_claim_account){ .span = spans[i][k], .computing = spans[i][k] / 2 };
        claims_of(&x);
        print_account("step", &x.c->step);
    }
    assert_string_equal(text_said(), "step 0: 0 0 0 0, all 0 0\n"
                                     "step 40: 20 0 0 20, all 0 0\n"
                                     "step 25: 13 0 0 12, all 0 0\n"
                                     "step 20: 10 0 0 10, all 0 0\n"
                                     "step 25: 13 0 0 12, all 0 0\n"
                                     "step 30: 15 0 0 15, all 0 0\n"
                                     "step 13: 6 0 0 7, all 0 0\n");
    az_vec_release(&said);
}

/* Steps over parts: median number, median period, names of the first, warm-up of half of them. */
static void steps(void **state)
{
    static const struct {
        size_t count[4];
        int64_t period[4];
        const char *excluded[4];
    } cases[] = {
        { { 0 }, { -1, -1, -1, -1 }, { "", "", "", "" } },
        { { 1 }, { -1, -1, -1, -1 }, { "", "", "", "" } },
        { { 5, 4, 9, 7 }, { 10, 30, 20, 40 }, { "", "w1", "w2", "" } },
        { { 5, 4, 9, 7 }, { 10, 30, -1, 40 }, { "", "w1", "", "" } },
        { { 0, 4, 9, 0 }, { 0, 30, 33, 5 }, { "w0", "w1", "", "w3" } },
        { { 0, 4, 9, 3 }, { 0, -1, 33, -1 }, { "w0", "", "w2", "" } },
        { { 3, 3, 3, 3 }, { 0, 0, 0, 1 }, { "", "", "", "w3" } },
    };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct world x;
        world_of(&x, *state, 4, 0, 0, 0);
        for (size_t k = 0; k < 4; k++) {
            x.part[k].steps = cases[i].count[k];
            x.part[k].period = cases[i].period[k];
            x.part[k].excluded = az_sv_str(cases[i].excluded[k]);
            x.part[k].source = az_arena_printf(x.f->job.arena, "source %zu", k);
            x.part[k].first = az_arena_printf(x.f->job.arena, "first %zu", k);
        }
        claims_of(&x);
        assert_int_equal(
            az_text_printf(&said, "%lld of %lld, '%.*s' '%.*s'%s%.*s\n",
                           (long long)x.c->steps.count, (long long)x.c->steps.period_ns,
                           AZ_SVF(x.c->steps.source), AZ_SVF(x.c->steps.first),
                           x.c->steps.n_excluded ? " without " : "",
                           AZ_SVF(x.c->steps.n_excluded ? x.c->steps.excluded[0] : AZ_SV(""))),
            0);
    }
    assert_string_equal(text_said(), "0 of -1, '' ''\n"
                                     "1 of -1, 'source 0' 'first 0'\n"
                                     "7 of 25, 'source 0' 'first 0' without w1\n"
                                     "7 of 30, 'source 0' 'first 0'\n"
                                     "9 of 31, 'source 1' 'first 1' without w1\n"
                                     "4 of 33, 'source 1' 'first 1'\n"
                                     "3 of 0, 'source 0' 'first 0'\n");
    az_vec_release(&said);
}

/* Rates need most of the kernel time to be known, and a peak that nothing exceeds. */
static void rates(void **state)
{
    static const struct {
        double flops, peak;
        int64_t rated, rateable, total, impossible, kernels;
    } cases[] = {
        { 5000, 2e13, 80, 100, 1000, 0, 10 }, { 5000, 2e13, 79, 100, 1000, 0, 10 },
        { 0, 2e13, 80, 100, 1000, 0, 10 },    { 5000, 0, 80, 100, 1000, 0, 10 },
        { 5000, 2e13, 80, 0, 1000, 0, 10 },   { 5000, 2e13, 80, 100, 0, 0, 10 },
        { 5000, 2e13, 80, 100, 1000, 1, 10 }, { 5000, 2e13, 80, 100, 1000, 1, 21 },
        { 5000, 2e13, 80, 100, 1000, 1, 20 }, { 5000, 2e13, 80, 100, 1000, 0, 0 },
        { NAN, 2e13, 80, 100, 1000, 0, 10 },  { 5000, NAN, 100, 100, 1, 0, 10 },
    };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct world x;
        world_of(&x, *state, 2, 0, 0, 0);
        x.w.sum.flops = cases[i].flops;
        x.w.sum.peak = cases[i].peak;
        x.w.sum.rated = cases[i].rated;
        x.w.sum.rateable = cases[i].rateable;
        x.w.sum.total = cases[i].total;
        x.part[1].impossible_rates = cases[i].impossible;
        x.part[0].rated_kernels = 1;
        x.part[1].rated_kernels = cases[i].kernels - 1;
        claims_of(&x);
        const struct az_check_result *r = &x.c->trust[AZ_CHECK_IMPOSSIBLE_RATES];
        assert_int_equal(
            az_text_printf(&said, "%g FLOP/s, %g known, %g of the peak; %d %lld %lld\n",
                           x.c->rates.flops_per_s, x.c->rates.flops_known_share, x.c->rates.mfu,
                           r->status, (long long)r->count, (long long)r->of),
            0);
    }
    assert_string_equal(text_said(), "5e+09 FLOP/s, 0.8 known, 0.00025 of the peak; 1 0 10\n"
                                     "nan FLOP/s, 0.79 known, nan of the peak; 1 0 10\n"
                                     "nan FLOP/s, 0.8 known, nan of the peak; 1 0 10\n"
                                     "5e+09 FLOP/s, 0.8 known, nan of the peak; 1 0 10\n"
                                     "nan FLOP/s, nan known, nan of the peak; 1 0 10\n"
                                     "nan FLOP/s, 0.8 known, nan of the peak; 1 0 10\n"
                                     "5e+09 FLOP/s, 0.8 known, nan of the peak; 3 1 10\n"
                                     "5e+09 FLOP/s, 0.8 known, nan of the peak; 2 1 21\n"
                                     "5e+09 FLOP/s, 0.8 known, nan of the peak; 3 1 20\n"
                                     "5e+09 FLOP/s, 0.8 known, 0.00025 of the peak; 0 0 0\n"
                                     "nan FLOP/s, 0.8 known, nan of the peak; 1 0 10\n"
                                     "5e+12 FLOP/s, 1 known, nan of the peak; 1 0 10\n");
    az_vec_release(&said);
}

/* Checks: the worst of the parts, their counts together; a failure withdraws findings. */
static void checks(void **state)
{
    struct world x;
    world_of(&x, *state, 2, 400, 200, 100);
    az_vec_init(&said, NULL);
    for (int i = 0; i < AZ_CHECKS; i++) {
        for (enum az_check_status s = 0; s <= AZ_CHECK_FAIL; s++) {
            struct az_sv words = AZ_SV("idle=90 exposed_communication=80 exposed_copy=70 "
                                       "clock_drop=60 roofline_headroom=50 step_jitter=40");
            memset(x.part[0].check, 0, sizeof x.part[0].check);
            memset(x.part[1].check, 0, sizeof x.part[1].check);
            x.part[0].check[i] =
                (struct az_check_result){ .status = s, .count = 3, .of = 10, .time_ns = 5 };
            x.part[1].check[i] = (struct az_check_result){
                .status = AZ_CHECK_PASS, .count = 1, .of = 20, .time_ns = 6
            };
            az_vec_reset(&x.found);
            while (words.n)
                add_found(&x.found, az_sv_cut(&words, ' '));
            claims_of(&x);
            const struct az_check_result *r = &x.c->trust[i];
            assert_int_equal(az_text_printf(&said, "%d %d: %d %lld of %lld, %lld ns; %x;", i, s,
                                            r->status, (long long)r->count, (long long)r->of,
                                            (long long)r->time_ns, x.c->qualified_by),
                             0);
            for (size_t k = 0; k < x.c->n_findings; k++)
                assert_int_equal(az_text_printf(&said, " %.*s", AZ_SVF(x.c->findings[k].rule)), 0);
            assert_int_equal(az_text_printf(&said, "\n"), 0);
        }
    }
    assert_string_equal(
        text_said(),
        "0 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "0 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "0 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "0 3: 3 4 of 30, 11 ns; 1; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom\n"
        "1 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "1 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "1 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "1 3: 3 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "2 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "2 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "2 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "2 3: 3 4 of 30, 11 ns; 4; exposed_communication exposed_copy clock_drop roofline_headroom "
        "step_jitter\n"
        "3 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "3 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "3 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "3 3: 3 4 of 30, 11 ns; 8; idle exposed_communication exposed_copy step_jitter\n"
        "4 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "4 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "4 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "4 3: 3 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "5 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "5 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "5 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "5 3: 3 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom\n"
        "6 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "6 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "6 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "6 3: 3 4 of 30, 11 ns; 40; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "7 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "7 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "7 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "7 3: 3 4 of 30, 11 ns; 80; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "8 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "8 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "8 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "8 3: 3 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "9 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "9 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "9 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "9 3: 3 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "10 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "10 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "10 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "10 3: 3 4 of 30, 11 ns; 400; idle exposed_copy clock_drop roofline_headroom step_jitter\n"
        "11 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "11 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "11 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "11 3: 3 4 of 30, 11 ns; 800; exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "12 0: 1 0 of 1, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "12 1: 1 0 of 1, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "12 2: 1 0 of 1, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "12 3: 1 0 of 1, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "13 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "13 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "13 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "13 3: 3 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "step_jitter\n"
        "14 0: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "14 1: 1 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "14 2: 2 4 of 30, 11 ns; 0; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n"
        "14 3: 3 4 of 30, 11 ns; 4000; idle exposed_communication exposed_copy clock_drop "
        "roofline_headroom step_jitter\n");
    az_vec_release(&said);
    az_vec_release(&x.found);
}

/* What only the whole report has: peaks, ranks that are missing. */
static void whole_checks(void **state)
{
    static const struct {
        const char *peaks;
        size_t missing;
        bool ranks, idle;
    } cases[] = {
        { "data sheet", 0, true, false }, { "user", 1, true, false }, { "scaled", 2, true, false },
        { "unknown", 0, false, false },   { "", 0, false, false },    { "user", 0, false, true },
    };
    static const int64_t missing[] = { 4, 6 };
    az_vec_init(&said, NULL);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct world x;
        world_of(&x, *state, 2, 400, 200, 100);
        x.w.sum.peaks = az_sv_str(cases[i].peaks);
        x.ranks.world_size = 8;
        x.ranks.missing = missing;
        x.ranks.n_missing = cases[i].missing;
        x.w.ranks = cases[i].ranks ? &x.ranks : NULL;
        x.f->job.n_traces = 2;
        x.device[0][0].idle = x.device[1][0].idle = cases[i].idle;
        claims_of(&x);
        x.f->job.n_traces = 1;
        const struct az_check_result *r = &x.c->trust[AZ_CHECK_MISSING_RANKS],
                                     *p = &x.c->trust[AZ_CHECK_DEVICE_PEAKS];
        assert_int_equal(
            az_text_printf(&said, "'%.*s': ranks %d %lld %lld, peaks %d %lld %lld; %zu of %lld\n",
                           AZ_SVF(x.c->devices.peaks), r->status, (long long)r->count,
                           (long long)r->of, p->status, (long long)p->count, (long long)p->of,
                           x.c->ranks.n_present, (long long)x.c->ranks.world),
            0);
    }
    assert_string_equal(text_said(), "'data sheet': ranks 1 0 8, peaks 1 0 1; 2 of 8\n"
                                     "'user': ranks 2 1 8, peaks 1 0 1; 2 of 8\n"
                                     "'scaled': ranks 2 2 8, peaks 2 1 1; 2 of 8\n"
                                     "'unknown': ranks 0 0 0, peaks 2 1 1; 0 of -1\n"
                                     "'unknown': ranks 0 0 0, peaks 2 1 1; 0 of -1\n"
                                     "'user': ranks 0 0 0, peaks 0 0 0; 0 of -1\n");
    az_vec_release(&said);
}

/* What of a finding comes through: means over devices, and what is not known. */
static void one_finding(void **state)
{
    static const int64_t gains[] = { 1, 99, 100, 101 };
    struct world x;
    az_vec_init(&said, NULL);
    world_of(&x, *state, 1, 400, 200, 100);
    x.w.devices = 10;
    for (size_t i = 0; i < AZ_LENGTH(gains); i++)
        for (int known = 0; known < 2; known++) {
            az_vec_reset(&x.found);
            add_found(&x.found, AZ_SV("idle/a=1"));
            struct az_verdict_found *f = &x.found.v[0];
            f->gain = gains[i];
            f->faster = known ? 20 : -1;
            f->median = f->smallest = f->largest = f->groups = known;
            f->in_place[0] = known;
            f->detail = AZ_SV(", more");
            f->reached = known ? 9.96 + known * 0.04 : 0;
            claims_of(&x);
            if (!x.c->n_findings) {
                assert_int_equal(az_text_printf(&said, "none of %lld\n", (long long)gains[i]), 0);
                continue;
            }
            const struct az_claim *a = x.c->findings;
            assert_int_equal(
                az_text_printf(&said,
                               "%lld %lld '%.*s' %lld %lld %lld %lld %lld %lld rank %lld device "
                               "%lld count %lld time %lld\n",
                               (long long)a->saving_ns, (long long)a->faster_ns, AZ_SVF(a->subject),
                               (long long)a->median_ns, (long long)a->smallest_ns,
                               (long long)a->largest_ns, (long long)a->groups,
                               (long long)a->in_place[0], (long long)a->in_place[1],
                               (long long)a->rank, (long long)a->device, (long long)a->count,
                               (long long)a->time_ns),
                0);
        }
    static const double reached[] = { 0.04, 9.94, 9.96, 10, 99.5 };
    for (size_t i = 0; i < AZ_LENGTH(reached); i++) {
        az_vec_reset(&x.found);
        add_found(&x.found, AZ_SV("idle/a=1000"));
        x.found.v[0].reached = reached[i];
        claims_of(&x);
        assert_int_equal(az_text_printf(&said, "%.*s\n", AZ_SVF(x.c->findings[0].subject)), 0);
    }
    assert_string_equal(text_said(), "none of 1\n"
                                     "none of 1\n"
                                     "9 -1 'a, more' -1 -1 -1 -1 -1 -1 rank -9223372036854775808 "
                                     "device -9223372036854775808 count 3 time 7\n"
                                     "9 2 'a at 10%, more' 1 1 1 1 1 -1 rank -9223372036854775808 "
                                     "device -9223372036854775808 count 3 time 7\n"
                                     "10 -1 'a, more' -1 -1 -1 -1 -1 -1 rank -9223372036854775808 "
                                     "device -9223372036854775808 count 3 time 7\n"
                                     "10 2 'a at 10%, more' 1 1 1 1 1 -1 rank -9223372036854775808 "
                                     "device -9223372036854775808 count 3 time 7\n"
                                     "10 -1 'a, more' -1 -1 -1 -1 -1 -1 rank -9223372036854775808 "
                                     "device -9223372036854775808 count 3 time 7\n"
                                     "10 2 'a at 10%, more' 1 1 1 1 1 -1 rank -9223372036854775808 "
                                     "device -9223372036854775808 count 3 time 7\n"
                                     "a at 0.0%\n"
                                     "a at 9.9%\n"
                                     "a at 10.0%\n"
                                     "a at 10%\n"
                                     "a at 100%\n");
    az_vec_release(&said);
    az_vec_release(&x.found);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(findings_are_nested), T(trifles),     T(late_ranks), T(accounts),
        T(median_steps),        T(steps),       T(rates),      T(checks),
        T(whole_checks),        T(one_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
