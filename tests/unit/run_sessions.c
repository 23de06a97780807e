/* Which traces of one folder are one session: by names alone (the files do not exist, so that no
 * metadata say more). */
#include "run_files.h"

#include "read/rank_sessions.h"

#define MOST 16

/* Sessions of names, the files in this order. */
static void parted_in_order(const char *const *names, const char *const *want, const size_t *order,
                            size_t n_names)
{
    struct az_session_file v[MOST];
    struct az_rank_name name;
    struct az_arena a;
    size_t n = 0;
    az_arena_init(&a, NULL);
    assert_int_equal(az_rank_name_init(&name, AZ_SV(""), &a, AZ_NOWHERE, NULL), 0);
    for (; n < n_names; n++) {
        v[n] = (struct az_session_file){ .path = az_sv_str(names[order[n]]), .rank = -1 };
        v[n].named = az_rank_name_find(&name, v[n].path, &v[n].at);
        v[n].rank = v[n].named ? v[n].at.rank : -1;
    }
    assert_int_equal(az_rank_sessions_part(v, n, &a), 0);
    for (size_t i = 0; i < n; i++)
        if (!az_sv_is(v[i].session, want[order[i]]))
            fail_msg("%s: '%.*s', not '%s'", names[order[i]], AZ_SVF(v[i].session), want[order[i]]);
    az_rank_name_release(&name);
    az_arena_release(&a);
}

/* In whichever order the files are. */
static void parted(const char *const *names, const char *const *want)
{
    size_t order[MOST], n = 0;
    uint64_t seed = 1;
    for (; names[n]; n++)
        order[n] = n;
    for (int times = 0; times < 50; times++) {
        parted_in_order(names, want, order, n);
        for (size_t i = n; i > 1; i--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const size_t k = (size_t)(seed >> 33) % i, other = order[i - 1];
            order[i - 1] = order[k];
            order[k] = other;
        }
    }
}
#define PARTED(names, ...) parted((const char *const[])names, (const char *const[]){ __VA_ARGS__ })
#define LIST(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void one_session(void **state)
{
    (void)state;
    PARTED(LIST("rank_0.json", "rank_1.json"), "", "");
    PARTED(LIST("dp0_pp0_tp0_rank0.1700000000000000000.pt.trace.json.gz",
                "dp0_pp0_tp1_rank1.1700000000100000000.pt.trace.json.gz"),
           "", "");
    PARTED(LIST("a_10.1700000000000000000.pt.trace.json", "b_11.1700000000000000000.pt.trace.json"),
           "", "");
}

static void by_step_and_stage(void **state)
{
    (void)state;
    PARTED(LIST("rank_0_step_8.json", "rank_1_step_8.json", "rank_0_step_9.json",
                "rank_1_step_9.json.gz"),
           "step_8", "step_8", "step_9", "step_9");
    PARTED(
        LIST("1741234567.25-TP-0-DECODE.trace.json.gz", "1741234567.25-TP-1-DECODE.trace.json.gz",
             "1741234567.25-TP-0-EXTEND.trace.json.gz", "1741234567.25-TP-1-EXTEND.trace.json.gz"),
        "DECODE", "DECODE", "EXTEND", "EXTEND");
    /* a process id that differs for each file is no session, and no time tells: refused later */
    PARTED(LIST("rank0_pid10.json", "rank0_pid11.json", "rank1_pid20.json", "rank1_pid21.json"), "",
           "", "", "");
}

static void by_several_numbers(void **state)
{
    (void)state;
    PARTED(LIST("rank_0_step_8_a3.json", "rank_1_step_8_a3.json", "rank_2_step_8_a3.json",
                "rank_0_step_9_a3.json", "rank_1_step_9_a3.json", "rank_2_step_9_a3.json",
                "rank_0_step_10_a3.json", "rank_1_step_10_a3.json", "rank_2_step_10_a3.json"),
           "step_8", "step_8", "step_8", "step_9", "step_9", "step_9", "step_10", "step_10",
           "step_10");
}

static void by_time(void **state)
{
    (void)state;
    PARTED(LIST("h_10.1700000000000000000.pt.trace.json", "h_11.1700000000000001000.pt.trace.json",
                "h_10.1700000010000000000.pt.trace.json", "h_11.1700000010000001000.pt.trace.json"),
           "1700000000000000000", "1700000000000000000", "1700000010000000000",
           "1700000010000000000");
    /* one file of the second session is missing, of the rank that the third one begins with */
    PARTED(LIST("rank0.1700000000000.json", "rank1.1700000000100.json", "rank1.1700000010100.json",
                "rank0.1700000020000.json", "rank1.1700000020100.json"),
           "1700000000000", "1700000000000", "1700000010100", "1700000020000", "1700000020000");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_session),
                                        cmocka_unit_test(by_step_and_stage),
                                        cmocka_unit_test(by_several_numbers),
                                        cmocka_unit_test(by_time) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
