/* Child processes. */
#include "unit/io_temp.h"

#include <signal.h>
#include <time.h>

#include "io/child.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int sh(const char *script, const struct az_child_opts *o, int *status)
{
    const char *argv[] = { "sh", "-c", script, NULL };
    return az_child_run(argv, o, status, &t_diag);
}

static void statuses(void **state)
{
    (void)state;
    int status;
    assert_int_equal(sh("exit 0", NULL, &status), 0);
    assert_int_equal(status, 0);
    assert_int_equal(sh("exit 7", NULL, &status), 0);
    assert_int_equal(status, 7);
    assert_int_equal(sh("kill -9 $$", NULL, &status), 0);
    assert_int_equal(status, 128 + 9);
    const char *argv[] = { "/bin/sh", "-c", "exit 3", NULL };
    assert_int_equal(az_child_run(argv, NULL, &status, NULL), 0);
    assert_int_equal(status, 3);
}

static void output_and_folder(void **state)
{
    (void)state;
    int status;
    assert_int_equal(mkdir(temp_path("work dir"), 0777), 0);
    struct az_child_opts o = { .output = temp_path("log"), .workdir = temp_path("work dir") };
    const char *argv[] = {
        "sh", "-c", "basename \"$PWD\"; echo err >&2; echo \"$1\"; cat", "x", "two  $words *", NULL
    };
    assert_int_equal(az_child_run(argv, &o, &status, &t_diag),
                     0); /* cat ends: standard input is empty */
    assert_int_equal(status, 0);
    assert_string_equal(temp_read("log"), "work dir\nerr\ntwo  $words *\n");
    o.output = temp_path("no/such/log");
    assert_int_equal(az_child_run(argv, &o, &status, &t_diag), AZ_EIO);
}

static void cannot_start(void **state)
{
    (void)state;
    int status = 5;
    const char *none[] = { "no-such-program-here", NULL };
    assert_int_equal(az_child_run(none, NULL, &status, &t_diag), AZ_ECHILD);
    assert_string_equal(last_message(), "cannot start 'no-such-program-here': not found on PATH");
    assert_int_equal(status, -1);
    temp_write("bad", AZ_SV("\x7f"
                            "ELF no program"));
    assert_int_equal(chmod(temp_path("bad"), 0755), 0);
    const char *bad[] = { temp_path("bad"), NULL };
    assert_int_equal(az_child_run(bad, NULL, &status, &t_diag), AZ_ECHILD);
    if (!strstr(last_message(), "Exec format error"))
        fail_msg("%s", last_message());
    struct az_child_opts o = { .workdir = temp_path("missing") };
    assert_int_equal(sh("exit 0", &o, &status), AZ_ECHILD);
    assert_non_null(strstr(last_message(), "No such file"));
}

static void time_limit(void **state)
{
    (void)state;
    int status;
    struct az_child_opts o = { .timeout_s = 1, .output = temp_path("log") };
    double t = now();
    assert_int_equal(sh("sleep 30 & echo $!; sleep 30", &o, &status), AZ_ECHILD);
    assert_true(now() - t < 2.5);
    assert_int_equal(status, 128 + SIGTERM);
    assert_non_null(strstr(last_message(), "stopped after 1 s"));
    pid_t grandchild = (pid_t)atol(temp_read("log"));
    assert_true(grandchild > 0);
    for (int i = 0; i < 100 && kill(grandchild, 0) == 0;
         i++) { /* the whole group went; init reaps it some time */
        char stat_path[64], buf[256];
        snprintf(stat_path, sizeof stat_path, "/proc/%ld/stat", (long)grandchild);
        FILE *f = fopen(stat_path, "r");
        if (!f)
            break;
        bool zombie = fgets(buf, sizeof buf, f) && strstr(buf, ") Z");
        fclose(f);
        if (zombie)
            break;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        assert_true(i < 99);
    }
}

static void stubborn(void **state)
{
    (void)state;
    int status;
    struct az_child_opts o = { .timeout_s = 1 };
    double t = now();
    assert_int_equal(sh("trap '' TERM; while :; do sleep 0.1; done", &o, &status), AZ_ECHILD);
    assert_true(now() - t > 2.5 && now() - t < 5);
    assert_int_equal(status, 128 + SIGKILL);
}

static bool cancel_third(void *ctx) { return ++*(int *)ctx >= 3; }

static void cancelled(void **state)
{
    (void)state;
    int status, calls = 0;
    struct az_child_opts o = { .cancelled = cancel_third, .ctx = &calls };
    double t = now();
    assert_int_equal(sh("sleep 30", &o, &status), AZ_EINTR);
    assert_true(now() - t < 2);
    assert_int_equal(calls, 3);
}

static void finding(void **state)
{
    (void)state;
    const char *old = getenv("PATH");
    char keep[8192];
    snprintf(keep, sizeof keep, "%s", old ? old : "");
    temp_write("tool", AZ_SV("#!/bin/sh\nexit 4\n"));
    assert_int_equal(mkdir(temp_path("first"), 0777), 0);
    assert_int_equal(mkdir(temp_path("first/tool"), 0777),
                     0); /* a folder of that name is no program */
    char path[9000];
    snprintf(path, sizeof path, "%s/first:%s:/bin", t_dir.p, t_dir.p);
    setenv("PATH", path, 1);
    assert_int_equal(az_child_find(&t_arena, "tool").n, 0); /* not executable yet */
    assert_int_equal(chmod(temp_path("tool"), 0755), 0);
    assert_string_equal(az_child_find(&t_arena, "tool").p, temp_path("tool"));
    assert_string_equal(az_child_find(&t_arena, temp_path("tool")).p, temp_path("tool"));
    assert_int_equal(az_child_find(&t_arena, "").n, 0);
    assert_int_equal(az_child_find(&t_arena, t_dir.p).n, 0);
    int status;
    const char *argv[] = { "tool", NULL };
    assert_int_equal(az_child_run(argv, NULL, &status, &t_diag), 0);
    assert_int_equal(status, 4);
    unsetenv("PATH");
    assert_true(az_child_find(&t_arena, "sh").n > 0);
    setenv("PATH", keep, 1);
}

static void tails(void **state)
{
    (void)state;
    temp_write("log", AZ_SV("one\ntwo\nthree\n\n"));
    assert_string_equal(az_file_tail(&t_arena, temp_path("log"), 2).p, "two\nthree");
    assert_string_equal(az_file_tail(&t_arena, temp_path("log"), 1).p, "three");
    assert_string_equal(az_file_tail(&t_arena, temp_path("log"), 9).p, "one\ntwo\nthree");
    assert_int_equal(az_file_tail(&t_arena, temp_path("log"), 0).n, 0);
    assert_int_equal(az_file_tail(&t_arena, temp_path("none"), 3).n, 0);
    temp_write("log", AZ_SV(""));
    assert_int_equal(az_file_tail(&t_arena, temp_path("log"), 3).n, 0);
    struct az_vec_char big;
    az_vec_init(&big, NULL);
    for (int i = 0; i < 50000; i++)
        assert_int_equal(az_text_printf(&big, "line %d\n", i), 0);
    temp_write("log", az_text_view(&big));
    assert_string_equal(az_file_tail(&t_arena, temp_path("log"), 2).p, "line 49998\nline 49999");
    az_vec_release(&big);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, temp_setup, temp_teardown)
    const struct CMUnitTest tests[] = {
        T(statuses), T(output_and_folder), T(cannot_start), T(time_limit),
        T(stubborn), T(cancelled),         T(finding),      T(tails),
    };
    return cmocka_run_group_tests_name("io_child", tests, NULL, NULL);
}
