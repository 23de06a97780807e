/* Ranks that a tool has put into one PyTorch trace: which marks of processes name a rank, and the
 * numbers of their devices. */
#include "formats_nsys.h"

#include <stdio.h>
#include <string.h>

#include "formats/pytorch/pytorch.h"

/* A process as JSON, and its device; HOST: it calls the runtime. */
struct process {
    const char *pid;
    int device;
};
enum { HOST = -1, UNUSED = -2, MOST = 8 };

static const struct {
    struct process v[MOST];
    const char *want;
} cases[] = {
    /* one rank of two devices */
    { { { "10", HOST }, { "0", 0 }, { "1", 1 } }, "h- 0- 1-" },
    /* marks in texts: the devices are numbered in the order of the file */
    { { { "\"[TP00] 10\"", HOST },
        { "\"[TP00] 0\"", 0 },
        { "\"[TP01] 10\"", HOST },
        { "\"[TP01] 0\"", 0 } },
      "h1 0=1 h2 1=2" },
    { { { "\"10 [TP00]\"", HOST },
        { "\"0 [TP00]\"", 3 },
        { "\"10 [TP01]\"", HOST },
        { "\"0 [TP01]\"", 3 } },
      "h1 0=1 h2 1=2" },
    /* a mark after the number */
    { { { "\"p10x\"", HOST }, { "\"p3x\"", 0 }, { "\"p10y\"", HOST }, { "\"p3y\"", 0 } },
      "h1 0=1 h2 1=2" },
    { { { "\"rank0::0\"", HOST },
        { "\"Rank_1 7\"", 0 },
        { "\"rank0::1\"", 0 },
        { "\"Rank_1 9\"", HOST } },
      "h1 0=2 1=1 h2" },
    { { { "\"rank=12 a\"", HOST },
        { "\"rank=12b\"", 0 },
        { "\"rank=1 a\"", HOST },
        { "\"rank=1a\"", 0 } },
      "h1 0=1 h2 1=2" },
    /* a rank with two devices, of which one is that of another; they stay two */
    { { { "\"a 1\"", HOST },
        { "\"a 2\"", 0 },
        { "\"a 2\"", 1 },
        { "\"b 1\"", HOST },
        { "\"b 2\"", 1 },
        { "\"b 3\"", 0 },
        { "\"a 9\"", 0 } },
      "h1 0=1 1=1 h2 2=2 3=2 0=1" },
    /* devices of different numbers keep them */
    { { { "\"a 1\"", HOST }, { "\"a 2\"", 4 }, { "\"b 1\"", HOST }, { "\"b 2\"", 9 } },
      "h1 4=1 h2 9=2" },
    /* an offset of the process */
    { { { "10", HOST }, { "0", 0 }, { "1000010", HOST }, { "1000000", 0 } }, "h1 0=1 h2 1=2" },
    { { { "1000010", HOST }, { "1000001", 1 }, { "10", HOST }, { "0", 0 }, { "1", 1 } },
      "h2 0=2 h1 1=1 2=1" },
    { { { "2000000", HOST },
        { "2000000", 0 },
        { "0", HOST },
        { "0", 0 },
        { "1000000", HOST },
        { "1000000", 0 } },
      "h3 0=3 h1 1=1 h2 2=2" },
    /* a device that no process has launched to: the marks mean something else */
    { { { "10", HOST }, { "0", 0 }, { "1000000", 0 } }, "h- 0- 0-" },
    { { { "10", HOST }, { "0", 0 }, { "1000010", UNUSED }, { "1000000", 0 } }, "h- 0- h- 0-" },
    { { { "\"a 1\"", HOST }, { "\"a 2\"", 0 }, { "\"b 2\"", 0 } }, "h- 0- 0-" },
    { { { "\"a 1\"", HOST }, { "\"a 2\"", 0 }, { "\"b 1\"", HOST } }, "h- 0- h-" },
};

static void ranks_in_one_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct fixture f;
        char text[4000] = "[", got[400] = "";
        size_t n = 1, at = 0;
        for (size_t k = 0; k < MOST && cases[i].v[k].pid; k++) {
            const struct process *p = &cases[i].v[k];
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"x\",\"pid\":%s,\"tid\":%zu,\"ts\":%zu,"
                "\"dur\":1,\"args\":{\"correlation\":%zu",
                p->device >= 0      ? "kernel"
                : p->device == HOST ? "cuda_runtime"
                                    : "cpu_op",
                p->pid, k, k, k + 1);
            n += p->device < 0 ? (size_t)snprintf(text + n, sizeof text - n, "}},")
                               : (size_t)snprintf(text + n, sizeof text - n,
                                                  ",\"device\":%d,\"stream\":%zu}},", p->device, k);
        }
        snprintf(text + n, sizeof text - n, "{}]");
        fixture_open(&f);
        fixture_add(&f, fixture_write(&f, "trace.json", text, strlen(text)), NULL, false);
        assert_int_equal(fixture_parse(&f, &az_format_pytorch), 0);
        assert_int_equal(az_trace_finalize(&f.trace), 0);
        const struct az_vec_u32 *scope = &az_optrace(&f.trace)->lane_scopes;
        assert_true(scope->n == 0 || scope->n == f.trace.lanes.n);
        for (size_t k = 0; k < f.trace.lanes.n; k++) {
            const struct az_lane *l = &f.trace.lanes.v[k];
            at += (size_t)snprintf(got + at, sizeof got - at, k ? " " : "");
            at += l->device_side
                      ? (size_t)snprintf(got + at, sizeof got - at, "%d%s", (int)l->device,
                                         scope->n ? "=" : "-")
                      : (size_t)snprintf(got + at, sizeof got - at, "h%s", scope->n ? "" : "-");
            if (scope->n)
                at += (size_t)snprintf(got + at, sizeof got - at, "%u", scope->v[k]);
        }
        assert_string_equal(got, cases[i].want);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ranks_in_one_file) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
