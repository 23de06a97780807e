/* Reading a configuration from disk, and the files it names: next to it, in the current directory,
 * globs. */
#include "unit/config_test.h"

#include <sys/stat.h>
#include <unistd.h>

static char top[64]; /* current directory of these tests: top/cfg holds the configurations */

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int setup(void **state)
{
    (void)state;
    strcpy(top, "/tmp/config_files.XXXXXX");
    if (!mkdtemp(top) || chdir(top) || mkdir("cfg", 0700) || mkdir("cfg/run", 0700) ||
        mkdir("here", 0700))
        return -1;
    write_file("cfg/a.csv", "x");
    write_file("cfg/run/r2.json", "x");
    write_file("cfg/run/r10.json", "x");
    write_file("cfg/both.json", "x");
    write_file("both.json", "x");
    write_file("here/h1.json", "x");
    write_file("cfg/odd[1].json", "x");
    write_file("cfg/odd1.json", "x");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    static const char *const files[] = { "cfg/a.csv",       "cfg/run/r2.json", "cfg/run/r10.json",
                                         "cfg/both.json",   "both.json",       "here/h1.json",
                                         "cfg/odd[1].json", "cfg/odd1.json",   "cfg/conf.json",
                                         "big.json" };
    for (size_t i = 0; i < AZ_LENGTH(files); i++)
        unlink(files[i]);
    rmdir("cfg/run");
    rmdir("cfg");
    rmdir("here");
    return chdir("/") || rmdir(top);
}

static void load_file(struct loaded *l, const char *text)
{
    write_file("cfg/conf.json", text);
    loaded_begin(l);
    l->rc = az_config_load(&l->c, "cfg/conf.json", NULL, &test_names, &l->diag);
}

/* The files of the only input, joined with blanks. */
static void expect_files(const char *paths, const char *files)
{
    struct loaded l;
    struct az_vec_char got;
    char text[300];
    az_vec_init(&got, NULL);
    snprintf(text, sizeof text, "{ \"inputs\": [ { \"path\": %s } ] }", paths);
    load_file(&l, text);
    assert_int_equal(l.rc, 0);
    for (size_t i = 0; i < l.c.inputs.v[0].files.n; i++) {
        struct az_sv path = l.c.inputs.v[0].files.v[i].path;
        assert_int_equal(path.p[path.n], 0);
        assert_int_equal(az_text_printf(&got, "%s%.*s", i ? " " : "", AZ_SVF(path)), 0);
    }
    expect_text(az_text_view(&got), files);
    az_vec_release(&got);
    loaded_end(&l);
}

static void beside_the_config_first(void **state)
{
    (void)state;
    expect_files("\"a.csv\"", "cfg/a.csv");
    expect_files("\"both.json\"", "cfg/both.json");
    expect_files("\"cfg/a.csv\"", "cfg/a.csv"); /* not next to: from the current directory */
    expect_files("\"here/h1.json\"", "here/h1.json");
    expect_files("\"nope.csv\"", "nope.csv"); /* in neither: as written, the run reports it */
    expect_files("\"/nope/x.csv\"", "/nope/x.csv");
    expect_files("\"-\"", "-");
    expect_files("\"./a.csv\"", "cfg/./a.csv");
}

static void globs(void **state)
{
    (void)state;
    expect_files("\"run/*.json\"", "cfg/run/r10.json cfg/run/r2.json");
    expect_files("\"here/*.json\"", "here/h1.json");
    expect_files("\"run/r?.json\"", "cfg/run/r2.json");
    expect_files("\"**/r[12].json\"", "cfg/run/r2.json");
    expect_files("\"odd[1].json\"", "cfg/odd[1].json"); /* a file of that very name */
    expect_files("[ \"a.csv\", \"run/*.json\" ]", "cfg/a.csv cfg/run/r10.json cfg/run/r2.json");
}

static void glob_without_match(void **state)
{
    (void)state;
    struct loaded l;
    load_file(&l, "{ \"inputs\": [ {\n \"path\": [ \"*.none\", \"a.csv\" ] } ] }");
    assert_int_equal(l.rc, AZ_ECONFIG);
    expect_message(&l, 0,
                   "cfg/conf.json:2: /inputs/0/path/0: no file matches '*.none' (set \"optional\": "
                   "true if this is expected)");
    loaded_end(&l);
    load_file(&l, "{ \"inputs\": [ { \"path\": [ \"*.none\", \"a.csv\", \"gone.csv\" ], "
                  "\"optional\": true } ] }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.inputs.v[0].files.n, 1);
    assert_true(l.c.inputs.v[0].files.v[0].optional);
    loaded_end(&l);
    load_file(&l, "{ \"inputs\": [ { \"path\": \"gone.csv\", \"optional\": true }, { \"path\": "
                  "\"gone.csv\" } ] }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.inputs.n,
                     1); /* one that is not optional fails in the run, the others go on */
    expect_message(&l, 0, "cfg/conf.json:1: /inputs/0: no file matches, input skipped");
    loaded_end(&l);
    load_file(&l, "{ \"inputs\": [ { \"path\": \"*.none\", \"optional\": true }, { \"path\": "
                  "\"a.csv\" } ] }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.inputs.n, 1);
    expect_message(&l, 0, "cfg/conf.json:1: /inputs/0: no file matches, input skipped");
    loaded_end(&l);
    load_file(&l, "{ \"inputs\": [ { \"path\": \"*.none\", \"optional\": true } ] }");
    assert_int_equal(l.rc, AZ_ECONFIG);
    expect_message(&l, 1, "cfg/conf.json:1: /inputs: no inputs; add at least one");
    loaded_end(&l);
}

static void repeated_files(void **state)
{
    (void)state;
    struct loaded l;
    load_file(&l, "{ \"inputs\": [ { \"path\": [ \"run/*.json\", \"run/r2.json\" ] } ] }");
    assert_int_equal(l.rc, 0);
    assert_int_equal(l.c.inputs.v[0].files.n, 2);
    expect_message(
        &l, 0,
        "cfg/conf.json:1: /inputs/0/path: duplicate file 'cfg/run/r2.json'; it is read once");
    loaded_end(&l);
}

static void files_of_nsys(void **state)
{
    (void)state;
    struct loaded l;
    load_file(&l, "{ \"inputs\": [ { \"nsys_csv_file_path\": { \"kernel_sum\": \"*.csv\", "
                  "\"mem_time_sum\": \"*.none\" },"
                  "\"analysis_args\": { \"num_of_iters\": 1 } } ] }");
    assert_int_equal(l.rc, 0);
    expect_text(l.c.inputs.v[0].files.v[0].path, "cfg/a.csv");
    expect_text(l.c.inputs.v[0].title, "a");
    assert_int_equal(l.c.inputs.v[0].files.n, 1);
    expect_message(&l, 0,
                   "cfg/conf.json:1: /inputs/0/nsys_csv_file_path/mem_time_sum: no file matches "
                   "'*.none', optional file skipped");
    loaded_end(&l);
    load_file(&l, "{ \"inputs\": [ { \"nsys_csv_file_path\": { \"kernel_sum\": \"run/*\" },"
                  "\"analysis_args\": { \"num_of_iters\": 1 } } ] }");
    assert_int_equal(l.rc, AZ_ECONFIG);
    expect_message(&l, 0,
                   "cfg/conf.json:1: /inputs/0/nsys_csv_file_path/kernel_sum: 'run/*' matches 2 "
                   "files, expected one; add an input for each");
    loaded_end(&l);
}

static void script_beside_the_config(void **state)
{
    (void)state;
    struct loaded l;
    load_file(&l, "{ \"extension_file\": \"a.csv\", \"inputs\": [ { \"path\": \"x\" },"
                  "{ \"path\": \"x\", \"extension_file\": \"none.lua\" } ] }");
    assert_int_equal(l.rc, 0);
    expect_text(l.c.inputs.v[0].opts.extension_file, "cfg/a.csv");
    expect_text(l.c.inputs.v[1].opts.extension_file, "none.lua");
    loaded_end(&l);
}

static void unreadable_config(void **state)
{
    (void)state;
    struct loaded l;
    loaded_begin(&l);
    assert_int_equal(az_config_load(&l.c, "cfg/missing.json", NULL, &test_names, &l.diag),
                     AZ_ECONFIG);
    assert_int_equal(l.diag.errors, 1);
    assert_true(az_sv_starts(l.diag.list.v[0].text, AZ_SV("cfg/missing.json: ")));
    loaded_end(&l);
    loaded_begin(&l);
    assert_int_equal(az_config_load(&l.c, "cfg", NULL, &test_names, &l.diag), AZ_ECONFIG);
    assert_int_equal(l.diag.errors, 1);
    loaded_end(&l);
    load_file(&l, "");
    assert_int_equal(l.rc, AZ_ECONFIG);
    assert_int_equal(l.diag.errors, 1);
    loaded_end(&l);
}

static void huge_config(void **state)
{
    (void)state;
    struct loaded l;
    write_file("big.json", "{");
    assert_int_equal(truncate("big.json", (65L << 20)), 0); /* sparse */
    loaded_begin(&l);
    assert_int_equal(az_config_load(&l.c, "big.json", NULL, &test_names, &l.diag), AZ_ECONFIG);
    show(&l);
    assert_int_equal(l.diag.errors, 1);
    assert_true(az_sv_find(l.diag.list.v[0].text, AZ_SV("64 MiB")) >= 0 ||
                az_sv_find(l.diag.list.v[0].text, AZ_SV("67108864")) >= 0);
    loaded_end(&l);
}

static void standard_input(void **state)
{
    (void)state;
    struct loaded l;
    write_file("cfg/conf.json", "{ \"inputs\": [ { \"path\": \"both.json\" } ],\n \"x\": 1 }");
    assert_non_null(freopen("cfg/conf.json", "r", stdin));
    loaded_begin(&l);
    assert_int_equal(az_config_load(&l.c, "-", NULL, &test_names, &l.diag), AZ_ECONFIG);
    expect_message(&l, 0, "<stdin>:2: /x: unknown key 'x'");
    expect_text(l.c.inputs.v[0].files.v[0].path, "both.json"); /* the current directory */
    loaded_end(&l);
}

static void expand_for_the_planner(void **state)
{
    (void)state;
    struct loaded l;
    struct az_input_files files;
    loaded_begin(&l);
    az_vec_init(&files, NULL);
    assert_int_equal(az_config_expand(&l.c, AZ_SV(""), AZ_SV("cfg/run/*"), AZ_SV("r"), false,
                                      &files, AZ_NOWHERE, &l.diag),
                     0);
    assert_int_equal(files.n, 2);
    expect_text(files.v[0].role, "r");
    assert_int_equal(az_config_expand(&l.c, AZ_SV(""), AZ_SV("nothing*"), AZ_SV(""), false, &files,
                                      AZ_NOWHERE, &l.diag),
                     AZ_ECONFIG);
    expect_message(&l, 0, "no file matches 'nothing*' (check the path)");
    assert_int_equal(az_config_expand(&l.c, AZ_SV(""), AZ_SV("nothing*"), AZ_SV(""), true, &files,
                                      AZ_NOWHERE, &l.diag),
                     0);
    assert_int_equal(files.n, 2);
    az_vec_release(&files);
    loaded_end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beside_the_config_first), cmocka_unit_test(globs),
        cmocka_unit_test(glob_without_match),      cmocka_unit_test(repeated_files),
        cmocka_unit_test(files_of_nsys),           cmocka_unit_test(script_beside_the_config),
        cmocka_unit_test(unreadable_config),       cmocka_unit_test(huge_config),
        cmocka_unit_test(standard_input),          cmocka_unit_test(expand_for_the_planner),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
