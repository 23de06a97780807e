/* Memory that control groups leave a process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/limits.h"

static char root[64];

static void make(const char *path)
{
    char whole[256];
    (void)snprintf(whole, sizeof whole, "%s/%s", root, path);
    assert_int_equal(mkdir(whole, 0700), 0);
}

static void put(const char *path, const char *text)
{
    char whole[256];
    (void)snprintf(whole, sizeof whole, "%s/%s", root, path);
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static uint64_t memory(const char *groups)
{
    char path[256];
    put("groups", groups);
    (void)snprintf(path, sizeof path, "%s/groups", root);
    return az_memory_of_groups(path, root);
}

static int prepare(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/io_limits.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int clear(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void without_groups(void **state)
{
    (void)state;
    assert_true(az_memory_of_groups("/nowhere/groups", root) == UINT64_MAX);
    assert_true(memory("") == UINT64_MAX);
    assert_true(memory("a line without colons\n0:one\n") == UINT64_MAX);
    assert_true(memory("0::/a/group/of/which/there/is/no/file\n") == UINT64_MAX);
}

static void second_version(void **state)
{
    (void)state;
    make("slice");
    make("slice/job");
    put("slice/job/memory.max", "max\n");
    assert_true(memory("0::/slice/job\n") == UINT64_MAX);
    put("slice/job/memory.max", "3000000\n");
    assert_int_equal(memory("0::/slice/job\n"), 3000000);
    put("slice/memory.max", "2000000\n"); /* the group above holds as well */
    assert_int_equal(memory("0::/slice/job\n"), 2000000);
    put("slice/memory.max", "4000000\n");
    assert_int_equal(memory("0::/slice/job\n"), 3000000);
    put("memory.max", "1000000\n"); /* inside a container the root is the container's */
    assert_int_equal(memory("0::/\n"), 1000000);
}

static void first_version(void **state)
{
    (void)state;
    make("memory");
    make("memory/job");
    put("memory/job/memory.limit_in_bytes", "5000000\n");
    assert_int_equal(memory("4:memory:/job\n3:cpu,cpuacct:/job\n"), 5000000);
    assert_true(memory("3:cpu,cpuacct:/job\n") == UINT64_MAX);
    put("memory/memory.limit_in_bytes", "not a number\n");
    assert_int_equal(memory("4:memory:/job\n"), 5000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_groups, prepare, clear),
        cmocka_unit_test_setup_teardown(second_version, prepare, clear),
        cmocka_unit_test_setup_teardown(first_version, prepare, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
