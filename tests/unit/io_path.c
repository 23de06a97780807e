/* Names, globs, walks, digests. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "unit/io_temp.h"

#include "io/digest.h"

static void check3(const char *path, const char *base, const char *dir, const char *stem)
{
    struct az_sv p = az_sv_str(path);
    if (!az_sv_is(az_path_base(p), base) || !az_sv_is(az_path_dir(p), dir) ||
        !az_sv_is(az_path_stem(p), stem))
        fail_msg("%s: base '%.*s' dir '%.*s' stem '%.*s'", path, AZ_SVF(az_path_base(p)),
                 AZ_SVF(az_path_dir(p)), AZ_SVF(az_path_stem(p)));
}

static void parts(void **state)
{
    (void)state;
    check3("a/b.json.gz", "b.json.gz", "a", "b");
    check3("b.json", "b.json", ".", "b");
    check3("/b", "b", "/", "b");
    check3("/", "/", "/", "/");
    check3("//", "/", "/", "/");
    check3("a//b/", "b", "a", "b");
    check3("", "", ".", "");
    check3(".hidden", ".hidden", ".", ".hidden");
    check3("d/.hidden.csv", ".hidden.csv", "d", ".hidden");
    check3("x.1.csv", "x.1.csv", ".", "x.1");
    check3("x.gz", "x.gz", ".", "x");
    check3("x.CSV.GZ", "x.CSV.GZ", ".", "x");
    check3(".gz", ".gz", ".", ".gz");
}

static void joining(void **state)
{
    (void)state;
    assert_string_equal(az_path_join(&t_arena, AZ_SV("a"), AZ_SV("b")).p, "a/b");
    assert_string_equal(az_path_join(&t_arena, AZ_SV("a/"), AZ_SV("b")).p, "a/b");
    assert_string_equal(az_path_join(&t_arena, AZ_SV(""), AZ_SV("b")).p, "b");
    assert_string_equal(az_path_join(&t_arena, AZ_SV("a"), AZ_SV("/b")).p, "/b");
    assert_string_equal(az_path_join(&t_arena, AZ_SV("/"), AZ_SV("b")).p, "/b");
}

static const char *canon(const char *path)
{
    struct az_sv v;
    assert_int_equal(az_path_canonical(&t_arena, path, &v), 0);
    return v.p;
}

static void canonical(void **state)
{
    (void)state;
    const char *root = canon(t_dir.p);
    const char *want = az_path_join(&t_arena, az_sv_str(root), AZ_SV("d/new/file")).p;
    assert_int_equal(mkdir(temp_path("d"), 0777), 0);
    assert_int_equal(symlink("d", temp_path("link")), 0);
    assert_string_equal(canon(temp_path("d/new/file")), want);
    assert_string_equal(canon(temp_path("link/new/file")), want);
    assert_string_equal(canon(temp_path("link/./new/x/../file")), want);
    assert_string_equal(canon(temp_path("d//new///file/")), want);
    assert_string_equal(canon("/no-such-folder/../x"), "/x");
    assert_string_equal(canon("/"), "/");
    assert_string_equal(canon("/../.."), "/");
    char cwd[4096];
    assert_non_null(getcwd(cwd, sizeof cwd));
    assert_string_equal(canon(""), canon(cwd));
    assert_string_equal(canon("no-such-name"),
                        az_path_join(&t_arena, az_sv_str(canon(cwd)), AZ_SV("no-such-name")).p);
}

static void stat_and_mkdirs(void **state)
{
    (void)state;
    assert_int_equal(az_path_mkdirs(temp_path("x/y//z/"), &t_diag), 0);
    assert_int_equal(az_path_stat(temp_path("x/y/z")).kind, AZ_PATH_DIR);
    assert_int_equal(az_path_mkdirs(temp_path("x/y/z"), &t_diag), 0);
    assert_int_equal(symlink("x", temp_path("l")), 0);
    assert_int_equal(az_path_mkdirs(temp_path("l/w"), &t_diag), 0);
    assert_int_equal(az_path_stat(temp_path("x/w")).kind, AZ_PATH_DIR);
    temp_write("f", AZ_SV("12345"));
    struct az_path_info i = az_path_stat(temp_path("f"));
    assert_int_equal(i.kind, AZ_PATH_FILE);
    assert_int_equal(i.size, 5);
    assert_true(i.mtime_ns > 1000000000000000000);
    assert_int_equal(az_path_mkdirs(temp_path("f/sub"), &t_diag), AZ_EIO);
    assert_non_null(strstr(last_message(), "f/sub: cannot create this folder"));
    assert_int_equal(az_path_stat(temp_path("none")).kind, AZ_PATH_MISSING);
    assert_int_equal(az_path_stat("/dev/null").kind, AZ_PATH_OTHER);
}

/* ---- globs ---- */

static void touch(const char *name)
{
    struct az_sv dir = az_path_dir(az_sv_str(name));
    assert_int_equal(az_path_mkdirs(temp_path(az_arena_str(&t_arena, dir)), &t_diag), 0);
    temp_write(name, AZ_SV(""));
}

/* Matches joined by blanks, without the folder. */
static void expect_glob(const char *pattern, const char *want)
{
    struct az_vec_sv v;
    struct az_vec_char text;
    az_vec_init(&v, NULL);
    az_vec_init(&text, NULL);
    assert_int_equal(az_path_glob(&t_arena, az_sv_str(temp_path(pattern)), &v), 0);
    for (size_t i = 0; i < v.n; i++) {
        assert_int_equal(v.v[i].p[v.v[i].n], '\0');
        assert_true(az_sv_starts(v.v[i], t_dir));
        assert_int_equal(az_text_printf(&text, "%s%s", i ? " " : "", v.v[i].p + t_dir.n + 1), 0);
    }
    assert_int_equal(az_text_append(&text, az_sv_make("", 1)), 0);
    if (strcmp(text.v, want) != 0)
        fail_msg("%s: got '%s', want '%s'", pattern, text.v, want);
    az_vec_release(&text);
    az_vec_release(&v);
}

static void globs(void **state)
{
    (void)state;
    static const char *const files[] = { "a.csv",     "b.csv",     "B.csv",      ".h.csv",
                                         "d/c.csv",   "d/e/f.csv", "d/e/g.json", "d/.git/i.csv",
                                         "d-x/k.csv", "[z].csv" };
    for (size_t i = 0; i < AZ_LENGTH(files); i++)
        touch(files[i]);
    assert_int_equal(symlink("..", temp_path("d/e/up")), 0);
    assert_int_equal(symlink("nowhere", temp_path("dead.csv")), 0);
    expect_glob("*.csv", "B.csv [z].csv a.csv b.csv dead.csv");
    expect_glob("?.csv", "B.csv a.csv b.csv");
    expect_glob("[ab].csv", "a.csv b.csv");
    expect_glob("[!a].csv", "B.csv b.csv");
    expect_glob(".*.csv", ".h.csv");
    expect_glob("*/*.csv", "d-x/k.csv d/c.csv");
    expect_glob("**/*.csv", "B.csv [z].csv a.csv b.csv d-x/k.csv d/c.csv d/e/f.csv dead.csv");
    expect_glob("**/e/*", "d/e/f.csv d/e/g.json d/e/up");
    expect_glob("**/e/**/f.csv", "d/e/f.csv");
    expect_glob("**/**/**/**/**/**/**/**/**/**/f.csv", "d/e/f.csv");
    expect_glob("**/*/**/*/f.csv",
                "d/e/f.csv d/e/up/e/f.csv"); /* `*` enters links, `**` does not */
    expect_glob("d/**", "d/c.csv d/e d/e/f.csv d/e/g.json d/e/up");
    expect_glob("d*/", "d d-x");
    expect_glob("**/", "d d-x d/e d/e/up");
    expect_glob("d/e/up/e/*.json", "d/e/up/e/g.json"); /* a link named in the pattern is entered */
    expect_glob("*/e/up/*.csv", "d/e/up/c.csv");
    expect_glob("d/*/../c.csv", "d/e/../c.csv");
    expect_glob("d/.git/*", "d/.git/i.csv");
    expect_glob("**/.git/*", "d/.git/i.csv");
    expect_glob("a.csv", "a.csv");
    expect_glob("a.csv/", "");
    expect_glob("nope", "");
    expect_glob("nope/*", "");
    expect_glob("*.nope", "");
    expect_glob("a.csv/*", "");
}

static void relative_globs(void **state)
{
    (void)state;
    struct az_vec_sv v;
    char cwd[4096];
    touch("one.csv");
    touch("sub/two.csv");
    assert_non_null(getcwd(cwd, sizeof cwd));
    assert_int_equal(chdir(t_dir.p), 0);
    az_vec_init(&v, NULL);
    assert_int_equal(az_path_glob(&t_arena, AZ_SV("*.csv"), &v), 0);
    assert_int_equal(v.n, 1);
    assert_string_equal(v.v[0].p, "one.csv");
    assert_int_equal(az_path_glob(&t_arena, AZ_SV("./**/*.csv"), &v), 0);
    assert_int_equal(v.n, 2);
    assert_string_equal(v.v[0].p, "./one.csv");
    assert_string_equal(v.v[1].p, "./sub/two.csv");
    assert_int_equal(az_path_glob(&t_arena, AZ_SV(""), &v), 0);
    assert_int_equal(v.n, 0);
    assert_int_equal(chdir(cwd), 0);
    az_vec_release(&v);
}

/* `**` ten times with names between over a deep tree: no repetition, no explosion. */
static void deep_globs(void **state)
{
    (void)state;
    touch("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/leaf");
    expect_glob("**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/leaf",
                "a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/leaf");
    struct az_vec_sv v;
    struct az_vec_char p;
    az_vec_init(&v, NULL);
    az_vec_init(&p, NULL);
    for (int i = 0; i < 70; i++)
        assert_int_equal(az_text_append(&p, AZ_SV("*/")), 0);
    assert_int_equal(az_path_glob(&t_arena, az_text_view(&p), &v), AZ_ERANGE);
    az_vec_release(&p);
    az_vec_release(&v);
    assert_true(az_path_is_glob(AZ_SV("a[b")) && az_path_is_glob(AZ_SV("?")) &&
                az_path_is_glob(AZ_SV("x*")));
    assert_false(az_path_is_glob(AZ_SV("plain.csv")));
}

/* ---- walks ---- */

struct trail {
    struct az_vec_char text;
    const char *skip, *stop;
};

static int record(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    static const char kinds[] = "?fdo";
    struct trail *t = ctx;
    const char *name = path + t_dir.n + (path[t_dir.n] == '/');
    assert_int_equal(az_text_printf(&t->text, "%s:%c%u ", name, kinds[info->kind], depth), 0);
    if (t->stop && strcmp(name, t->stop) == 0)
        return AZ_EINTR;
    return t->skip && strcmp(name, t->skip) == 0;
}

static void expect_walk(struct az_walk w, const char *root, const char *skip, const char *stop,
                        int code, const char *want)
{
    struct trail t = { .skip = skip, .stop = stop };
    az_vec_init(&t.text, NULL);
    w.visit = record;
    w.ctx = &t;
    assert_int_equal(az_path_walk(root, &w, &t_diag), code);
    assert_int_equal(az_text_append(&t.text, az_sv_make("", 1)), 0);
    assert_string_equal(t.text.v, want);
    az_vec_release(&t.text);
}

static int count_visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    (void)ctx, (void)path, (void)info, (void)depth;
    return 0;
}

static void walks(void **state)
{
    (void)state;
    touch("b");
    touch("a/y");
    touch("a/x/deep");
    touch(".h/z");
    assert_int_equal(symlink("../a", temp_path("a/loop")), 0);
    assert_int_equal(symlink("gone", temp_path("c")), 0);
    struct az_walk plain = { 0 }, all = { .hidden = true, .follow_links = true },
                   shallow = { .max_depth = 1 };
    expect_walk(plain, t_dir.p, NULL, NULL, 0,
                "a:d1 a/loop:d2 a/x:d2 a/x/deep:f3 a/y:f2 b:f1 c:?1 ");
    expect_walk(all, t_dir.p, NULL, NULL, 0,
                ".h:d1 .h/z:f2 a:d1 a/loop:d2 a/x:d2 a/x/deep:f3 a/y:f2 b:f1 c:?1 ");
    expect_walk(shallow, t_dir.p, NULL, NULL, 0, "a:d1 b:f1 c:?1 ");
    expect_walk(plain, t_dir.p, "a", NULL, 0, "a:d1 b:f1 c:?1 ");
    expect_walk(plain, t_dir.p, NULL, "a/x", AZ_EINTR, "a:d1 a/loop:d2 a/x:d2 ");
    expect_walk(plain, temp_path("b"), NULL, NULL, 0, "b:f0 ");
    expect_walk(plain, temp_path("none"), NULL, NULL, AZ_EIO, "");
    assert_non_null(strstr(last_message(), "No such file"));
    assert_int_equal(symlink("a", temp_path("s")),
                     0); /* a link next to its target: entered once in all */
    struct az_walk follow = { .follow_links = true };
    expect_walk(follow, t_dir.p, NULL, NULL, 0,
                "a:d1 a/loop:d2 a/x:d2 a/x/deep:f3 a/y:f2 b:f1 c:?1 s:d1 ");
    struct az_walk aliases = { .follow_links = true,
                               .aliases = true }; /* by each name, but not inside itself */
    expect_walk(aliases, t_dir.p, NULL, NULL, 0,
                "a:d1 a/loop:d2 a/x:d2 a/x/deep:f3 a/y:f2 b:f1 c:?1 s:d1 s/loop:d2 s/x:d2 "
                "s/x/deep:f3 s/y:f2 ");
}

/* Folders that link each other in all ways: paths without end are stopped and said. */
static void crossed_links(void **state)
{
    char name[64], target[64];
    struct az_walk aliases = { .follow_links = true, .aliases = true };
    (void)state;
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "d%d", i);
        assert_int_equal(mkdir(temp_path(name), 0777), 0);
        for (int k = 0; k < 9; k++) {
            snprintf(name, sizeof name, "d%d/l%d", i, k);
            snprintf(target, sizeof target, "../d%d", k);
            assert_int_equal(symlink(target, temp_path(name)), 0);
        }
    }
    aliases.visit = count_visit;
    assert_int_equal(az_path_walk(t_dir.p, &aliases, &t_diag), AZ_ERANGE);
    assert_non_null(strstr(last_message(), "more than 20000 folders"));
}

static void absolute_paths(void **state)
{
    struct az_sv out;
    char cwd[4096];
    (void)state;
    assert_non_null(getcwd(cwd, sizeof cwd));
    assert_int_equal(az_path_absolute(&t_arena, AZ_SV("/a/./b//../c/"), &out), 0);
    assert_string_equal(out.p, "/a/c");
    assert_int_equal(az_path_absolute(&t_arena, AZ_SV("/../.."), &out), 0);
    assert_string_equal(out.p, "/");
    assert_int_equal(az_path_absolute(&t_arena, AZ_SV("x/../y"), &out), 0);
    assert_true(az_sv_starts(out, az_sv_str(cwd)) && az_sv_ends(out, AZ_SV("/y")));
    assert_int_equal(az_path_absolute(&t_arena, AZ_SV("."), &out), 0);
    assert_string_equal(out.p, cwd);
}

static void wide_folder(void **state)
{
    (void)state;
    int n = 0;
    for (int i = 0; i < 1500; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", (i * 7919) % 1500);
        temp_write(name, AZ_SV(""));
    }
    n = count_entries();
    assert_int_equal(n, 1500);
    struct az_vec_sv v;
    az_vec_init(&v, NULL);
    assert_int_equal(az_path_glob(&t_arena, az_sv_str(temp_path("*")), &v), 0);
    assert_int_equal(v.n, 1500);
    for (size_t i = 1; i < v.n; i++)
        assert_true(az_sv_cmp(v.v[i - 1], v.v[i]) < 0);
    az_vec_release(&v);
}

/* However the bytes come, the digest is that of all of them. */
static void digest_in_pieces(void **state)
{
    (void)state;
    enum { MOST = 40000 };
    static unsigned char bytes[MOST];
    static const size_t ends[] = { 1,    63,   64,   240,  256,  257,  1023, 1024, 1025,
                                   1088, 2047, 2048, 2112, 2113, 8192, 9280, MOST };
    uint32_t seed = 1;
    for (size_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24);
    for (size_t e = 0; e < AZ_LENGTH(ends); e++) {
        XXH128_canonical_t c;
        char hex[33], want[33];
        uint64_t size;
        XXH128_canonicalFromHash(&c, XXH3_128bits(bytes, ends[e]));
        for (size_t i = 0; i < sizeof c.digest; i++)
            (void)sprintf(want + 2 * i, "%02x", c.digest[i]);
        for (int way = 0; way < 60; way++) {
            struct az_digest *d = az_digest_new(NULL);
            assert_non_null(d);
            for (size_t at = 0, n; at < ends[e]; at += n) {
                seed = seed * 1664525u + 1013904223u;
                n = way % 3 == 0 ? (seed >> 20) * 2 : way % 3 == 1 ? seed >> 24 : 1024;
                n = n < ends[e] - at ? n : ends[e] - at;
                az_digest_update(d, bytes + at, n);
            }
            az_digest_end(d);
            assert_int_equal(az_digest_rest(d, "unused", hex, &size), 0);
            assert_string_equal(hex, want);
            assert_int_equal(size, ends[e]);
            az_digest_free(d);
        }
    }
}

static void digests(void **state)
{
    (void)state;
    char hex[33];
    uint64_t size;
    temp_write("empty", AZ_SV(""));
    assert_int_equal(az_file_digest(temp_path("empty"), hex, &size), 0);
    assert_string_equal(
        hex, "99aa06d3014798d86001c324468d497f"); /* XXH3-128 of nothing, published test vector */
    assert_int_equal(size, 0);
    struct az_vec_char big;
    az_vec_init(&big, NULL);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(az_text_printf(&big, "line %d\n", i), 0);
    temp_write("big", az_text_view(&big));
    char hex2[33];
    assert_int_equal(az_file_digest(temp_path("big"), hex, &size), 0);
    assert_int_equal(size, big.n);
    XXH128_canonical_t c; /* what the form for any processor says */
    XXH128_canonicalFromHash(&c, XXH3_128bits(big.v, big.n));
    for (size_t i = 0; i < sizeof c.digest; i++)
        (void)sprintf(hex2 + 2 * i, "%02x", c.digest[i]);
    assert_string_equal(hex, hex2);
    big.v[500000] ^= 1;
    temp_write("big", az_text_view(&big));
    assert_int_equal(az_file_digest(temp_path("big"), hex2, &size), 0);
    assert_string_not_equal(hex, hex2);
    for (size_t n = 0; n <= big.n; n += big.n / 3) { /* of which a reader has the first n bytes */
        struct az_digest *d = az_digest_new(NULL);
        assert_non_null(d);
        az_digest_update(d, big.v, n);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(az_digest_rest(d, temp_path("big"), hex, &size), 0);
            assert_string_equal(hex, hex2);
            assert_int_equal(size, big.n);
        }
        az_digest_free(d);
    }
    az_vec_release(&big);
    assert_int_equal(az_file_digest(temp_path("none"), hex, &size), AZ_EIO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(az_file_digest(t_dir.p, hex, &size), AZ_EIO);
    assert_int_equal(errno, EISDIR);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, temp_setup, temp_teardown)
    const struct CMUnitTest tests[] = {
        T(parts),          T(joining),          T(canonical), T(stat_and_mkdirs), T(globs),
        T(relative_globs), T(deep_globs),       T(walks),     T(crossed_links),   T(absolute_paths),
        T(wide_folder),    T(digest_in_pieces), T(digests),
    };
    return cmocka_run_group_tests_name("io_path", tests, NULL, NULL);
}
