/* gpu_arch_json_path: devices of a JSON file as rows of configs/devices.csv. */
#include "unit/config_test.h"

#include <unistd.h>

static char top[64];

static int setup(void **state)
{
    (void)state;
    strcpy(top, "/tmp/config_arch.XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
    static const char *const names[] = { "conf.json", "arch.json", "a.json" };
    char path[96];
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        snprintf(path, sizeof path, "%s/%s", top, names[i]);
        unlink(path);
    }
    return rmdir(top);
}

static void write_file(const char *name, const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void load_arch(struct loaded *l, const char *arch)
{
    char path[96];
    write_file("a.json", "{}");
    write_file("arch.json", arch);
    write_file(
        "conf.json",
        "{ \"options\": { \"gpu_arch_json_path\": \"arch.json\" },"
        "  \"inputs\": [ { \"path\": \"a.json\" }, { \"path\": \"a.json\", \"title\": \"b\" } ] }");
    snprintf(path, sizeof path, "%s/conf.json", top);
    loaded_begin(l);
    l->rc = az_config_load(&l->c, path, NULL, &test_names, &l->diag);
}

/* Row n of what was read, 0 the titles. */
static struct az_sv row(const struct loaded *l, size_t input, size_t n)
{
    struct az_sv rows = l->c.inputs.v[input].opts.arch_rows, line = AZ_SV("");
    for (size_t i = 0; i <= n; i++)
        line = az_sv_cut(&rows, '\n');
    return line;
}

static void one_device(void **state)
{
    struct loaded l;
    (void)state;
    load_arch(
        &l,
        "{ \"name\": \"Mine, new\", \"mem_bw_gbps\": 5300, \"memory_gb\": 192.5, \"unknown\": [1],"
        "  \"peak_tflops\": {},"
        "  \"max_achievable_tflops\": { \"matrix_bf16\": 708, \"vector_fp32\": 1.5e2, "
        "\"matrix_fp8\": null } }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.diag.list.n, 0);
    for (size_t i = 0; i < 2; i++) {
        assert_true(
            az_sv_is(row(&l, i, 1), "Mine  new,achievable,,,192.5,,,5300,,,,708,,,,,,,1.5e2,,,,,"));
        assert_int_equal(row(&l, i, 2).n, 0);
        assert_true(az_sv_is(l.c.inputs.v[i].opts.arch_device, "Mine  new"));
    }
    loaded_end(&l);
}

static void several_devices(void **state)
{
    struct loaded l;
    (void)state;
    load_arch(
        &l,
        "{ \"archs\": [ { \"name\": \"A\", \"match\": [\"a|1\", \"aa\"], \"compute_units\": 80,"
        "    \"mem_bw_gbps\": 900, \"memory_gb_min_max\": [36, 50], \"uncertain\": [\"x\", \"y\"],"
        "    \"peak_tflops\": { \"matrix_fp16\": 125, \"matrix_odd\": 1, \"matrix_odd2\": 1 },"
        "    \"max_achievable_tflops\": { \"matrix_fp16\": 100 } },"
        "  { \"name\": \"B\", \"mem_bw_gbps\": 1, \"peak_tflops\": { \"vector_bf16\": 2 } } ] }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.diag.list.n, 1); /* read once for both inputs */
    assert_int_equal(l.diag.list.v[0].severity, AZ_WARNING);
    assert_true(az_sv_find(l.diag.list.v[0].text, AZ_SV("unknown rate 'matrix_odd' skipped")) >= 0);
    assert_true(az_sv_is(row(&l, 1, 1), "A,peak,a 1|aa,80,,36,50,900,,,,,125,,,,,,,,,x|y,,"));
    assert_true(az_sv_is(row(&l, 1, 2), "A,achievable,a 1|aa,80,,36,50,900,,,,,100,,,,,,,,,x|y,,"));
    assert_true(az_sv_is(row(&l, 1, 3), "B,peak,,,,,,1,,,,,,,,,,,,,2,,,"));
    assert_int_equal(l.c.inputs.v[0].opts.arch_device.n, 0);
    loaded_end(&l);
}

static void refuse(const char *arch, size_t errors, const char *part)
{
    struct loaded l;
    load_arch(&l, arch);
    assert_int_equal(l.rc, AZ_ECONFIG);
    assert_int_equal(l.diag.errors, errors);
    if (az_sv_find(l.diag.list.v[0].text, az_sv_str(part)) < 0 ||
        az_sv_find(l.diag.list.v[0].text, AZ_SV("arch.json")) < 0) {
        show(&l);
        fail();
    }
    loaded_end(&l);
}

static void wrong_files(void **state)
{
    (void)state;
    refuse("", 1, "empty file");
    refuse("{ \"name\": ", 1, "invalid syntax");
    refuse("3", 1, "a device must be an object, not a number");
    refuse("[]", 1, "invalid number of devices 0");
    refuse("{ \"archs\": {} }", 1, "'archs' must be an array of devices");
    refuse("[ { \"name\": 3 } ]", 1, "device without a 'name'");
    refuse("{ \"name\": \"x\", \"mem_bw_gbps\": 3 }", 1, "device 'x' has no rates");
    refuse("{ \"name\": \"x\", \"peak_tflops\": { \"matrix_bf16\": 1 } }", 1,
           "device 'x' has no 'mem_bw_gbps'");
    refuse("{ \"name\": \"x\", \"mem_bw_gbps\": 3, \"peak_tflops\": 4 }", 1,
           "must be an object of rates");
    refuse("{ \"name\": \"x\", \"mem_bw_gbps\": 0, \"peak_tflops\": { \"matrix_bf16\": \"1\" } }",
           2, "'mem_bw_gbps' must be a number above 0, not '0'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_device),
        cmocka_unit_test(several_devices),
        cmocka_unit_test(wrong_files),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
