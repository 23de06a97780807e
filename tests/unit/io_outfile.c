/* Output files: nothing under the final name before commit, nothing left after after a failure. */
#include "unit/io_temp.h"

#include <signal.h>
#include <sys/resource.h>

static struct az_outfile *begin(const char *name)
{
    struct az_outfile *f;
    assert_int_equal(az_outfile_open(&f, temp_path(name), &t_diag), 0);
    return f;
}

static void commit_and_abort(void **state)
{
    (void)state;
    struct az_outfile *f = begin("new/folder/out.txt");
    az_outfile_puts(f, AZ_SV("one "));
    az_outfile_printf(f, "%d", 2);
    assert_null(temp_read("new/folder/out.txt"));
    assert_int_equal(count_entries(), 3);
    assert_int_equal(az_outfile_commit(f), 0);
    assert_string_equal(temp_read("new/folder/out.txt"), "one 2");
    assert_int_equal(count_entries(), 3);
    f = begin("new/folder/out.txt");
    az_outfile_puts(f, AZ_SV("other"));
    az_outfile_abort(f);
    assert_string_equal(temp_read("new/folder/out.txt"), "one 2");
    assert_int_equal(count_entries(), 3);
    f = begin("new/folder/out.txt");
    assert_int_equal(az_outfile_commit(f), 0);
    assert_string_equal(temp_read("new/folder/out.txt"), "");
    az_outfile_abort(NULL);
}

/* A folder that cannot get its name is not left. */
static void folder_without_its_name(void **state)
{
    (void)state;
    struct az_sv tmp;
    assert_int_equal(az_outdir_reserve(&t_arena, temp_path("results"), &tmp, &t_diag), 0);
    struct az_outfile *f = begin("results/other.txt"); /* made meanwhile */
    assert_int_equal(az_outfile_commit(f), 0);
    assert_int_equal(access(tmp.p, F_OK), 0);
    assert_int_equal(az_outdir_commit(tmp.p, temp_path("results"), &t_diag), AZ_EIO);
    assert_int_not_equal(access(tmp.p, F_OK), 0);
    assert_string_equal(temp_read("results/other.txt"), "");
}

/* Many that are written and not yet renamed have no descriptor; their name is theirs at the end. */
static void held(void **state)
{
    (void)state;
    const struct rlimit few = { 24, 24 };
    struct rlimit old;
    struct az_outfile *f[40];
    char name[16];
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ few.rlim_cur, old.rlim_max }), 0);
    for (int i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof name, "held%d", i);
        f[i] = begin(name);
        az_outfile_puts(f[i], az_sv_str(name));
        az_outfile_finish(f[i]);
        az_outfile_finish(f[i]);
        assert_null(temp_read(name));
    }
    for (int i = 0; i < 40; i++) {
        (void)snprintf(name, sizeof name, "held%d", i);
        if (i % 2)
            az_outfile_abort(f[i]);
        else
            assert_int_equal(az_outfile_commit(f[i]), 0);
        if (i % 2)
            assert_null(temp_read(name));
        else
            assert_string_equal(temp_read(name), name);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

static void modes(void **state)
{
    (void)state;
    struct stat st;
    mode_t old = umask(027);
    struct az_outfile *f = begin("m");
    assert_int_equal(az_outfile_commit(f), 0);
    umask(old);
    assert_int_equal(stat(temp_path("m"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

/* Every path through the buffer: full exactly, over it, printf over the rest, printf over all. */
static void buffering(void **state)
{
    (void)state;
    struct az_outfile *f = begin("big");
    struct az_vec_char want;
    az_vec_init(&want, NULL);
    static char block[200000];
    memset(block, 'x', sizeof block);
    static const size_t sizes[] = { 1, 65535, 1, 65536, 65537, 200000, 10, 0, 3000 };
    for (size_t i = 0; i < AZ_LENGTH(sizes); i++) {
        block[sizes[i] / 2] = (char)('a' + i);
        az_outfile_write(f, block, sizes[i]);
        assert_int_equal(az_text_append(&want, az_sv_make(block, sizes[i])), 0);
        az_outfile_printf(f, "<%.*s>", (int)sizes[i], block);
        assert_int_equal(az_text_append(&want, AZ_SV("<")), 0);
        assert_int_equal(az_text_append(&want, az_sv_make(block, sizes[i])), 0);
        assert_int_equal(az_text_append(&want, AZ_SV(">")), 0);
    }
    assert_int_equal(az_outfile_commit(f), 0);
    const char *got = temp_read("big");
    assert_int_equal(strlen(got), want.n);
    assert_memory_equal(got, want.v, want.n);
    az_vec_release(&want);
}

static void full_disk(void **state)
{
    (void)state;
    struct az_outfile *f;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(az_outfile_open(&f, "/dev/full", &t_diag), 0);
    for (int i = 0; i < 100000; i++)
        az_outfile_printf(f, "line %d\n", i);
    assert_int_equal(az_outfile_commit(f), AZ_EIO);
    assert_string_equal(last_message(), "/dev/full: cannot write: No space left on device; free "
                                        "some space, or choose another output folder");
    assert_int_equal(az_path_stat("/dev/full").kind, AZ_PATH_OTHER);
}

/* A file that cannot be written to its end: nothing is left of it. */
static void too_large(void **state)
{
    struct rlimit old;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    const struct rlimit small = { 4096, old.rlim_max };
    void (*const before)(int) = signal(SIGXFSZ, SIG_IGN);
    struct az_outfile *f = begin("out");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 20000; i++)
        az_outfile_puts(f, AZ_SV("0123456789"));
    const int rc = az_outfile_commit(f);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    (void)signal(SIGXFSZ, before);
    assert_int_equal(rc, AZ_EIO);
    assert_non_null(strstr(last_message(), "cannot write"));
    assert_int_equal(count_entries(), 0);
}

static void cannot_write(void **state)
{
    (void)state;
    struct az_outfile *f = (void *)1;
    assert_int_equal(az_outfile_open(&f, t_dir.p, &t_diag), AZ_EIO);
    assert_null(f);
    assert_non_null(strstr(last_message(), "folder"));
    temp_write("file", AZ_SV("keep"));
    assert_int_equal(az_outfile_open(&f, temp_path("file/x"), &t_diag), AZ_EIO);
    assert_string_equal(temp_read("file"), "keep");
    /* The folder disappears before the end. */
    f = begin("gone/out");
    az_tmpdir_remove(temp_path("gone"));
    assert_int_equal(az_outfile_commit(f), AZ_EIO);
    assert_non_null(strstr(last_message(), "gone/out: cannot write"));
    assert_int_equal(count_entries(), 1);
}

static void links_and_pipes(void **state)
{
    (void)state;
    char buf[16] = { 0 };
    temp_write("real", AZ_SV("old"));
    assert_int_equal(symlink("real", temp_path("link")), 0);
    struct az_outfile *f = begin("link");
    az_outfile_puts(f, AZ_SV("new"));
    assert_int_equal(az_outfile_commit(f), 0);
    assert_string_equal(temp_read("real"), "old"); /* what a link points to stays */
    assert_string_equal(temp_read("link"), "new");
    assert_true(readlink(temp_path("link"), buf, sizeof buf) < 0);
    assert_int_equal(mkfifo(temp_path("fifo"), 0600), 0);
    int fd = open(temp_path("fifo"), O_RDONLY | O_NONBLOCK);
    f = begin("fifo");
    az_outfile_puts(f, AZ_SV("through"));
    assert_int_equal(az_outfile_commit(f), 0);
    assert_int_equal(read(fd, buf, sizeof buf), 7);
    assert_memory_equal(buf, "through", 7);
    close(fd);
    assert_int_equal(az_path_stat(temp_path("fifo")).kind, AZ_PATH_OTHER);
}

/* /dev/stdout goes on where the shell's redirection stands. */
static void standard_output(void **state)
{
    (void)state;
    struct az_outfile *f;
    fflush(stdout);
    int old = dup(1), fd = open(temp_path("redirected"), O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(fd, "before ", 7), 7);
    dup2(fd, 1);
    int r = az_outfile_open(&f, "/dev/stdout", &t_diag);
    if (r == 0)
        az_outfile_puts(f, AZ_SV("text"));
    r = r ? r : az_outfile_commit(f);
    dup2(old, 1);
    close(old);
    close(fd);
    assert_int_equal(r, 0);
    assert_string_equal(temp_read("redirected"), "before text");
    assert_int_equal(az_outfile_open(&f, "/dev/fd/9999", &t_diag), AZ_EIO);
}

static void long_name(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    struct az_outfile *f = begin(name);
    assert_int_equal(az_outfile_commit(f), 0);
    assert_non_null(temp_read(name));
}

/* Other files have all names that are tried. */
static void no_free_name(void **state)
{
    enum { TAKEN = 200 };
    char taken[64];
    struct az_outfile *f;
    (void)state;
    for (unsigned long i = 0; i < TAKEN; i++) {
        (void)snprintf(taken, sizeof taken, ".out.%ld.%lu.tmp", (long)getpid(), i);
        temp_write(taken, AZ_SV("x"));
    }
    assert_int_equal(az_outfile_open(&f, temp_path("out"), &t_diag), AZ_EIO);
    assert_int_equal(count_entries(), TAKEN);
}

static void reserved_names(void **state)
{
    (void)state;
    struct az_sv tmp;
    const char *target = temp_path("sub/book.xlsx");
    assert_int_equal(az_outname_reserve(&t_arena, target, &tmp, &t_diag), 0);
    assert_true(az_sv_starts(az_path_base(tmp), AZ_SV(".book.xlsx.")));
    assert_true(az_sv_ends(tmp, AZ_SV(".tmp")));
    FILE *f = fopen(tmp.p, "w");
    assert_non_null(f);
    fputs("book", f);
    fclose(f);
    assert_int_equal(az_outname_commit(tmp.p, target, &t_diag), 0);
    assert_string_equal(temp_read("sub/book.xlsx"), "book");
    assert_int_equal(az_outname_reserve(&t_arena, target, &tmp, &t_diag), 0);
    az_outname_discard(tmp.p);
    assert_int_equal(count_entries(), 2);
    assert_int_equal(az_outname_commit(tmp.p, target, &t_diag), AZ_EIO);
    assert_string_equal(temp_read("sub/book.xlsx"), "book");
    az_outname_discard(target); /* never reserved: stays */
    assert_string_equal(temp_read("sub/book.xlsx"), "book");
    assert_int_equal(az_outname_reserve(&t_arena, "/dev/null", &tmp, &t_diag), 0);
    assert_string_equal(tmp.p, "/dev/null");
    assert_int_equal(az_outname_commit(tmp.p, "/dev/null", &t_diag), 0);
    az_outname_discard(tmp.p);
    assert_int_equal(az_path_stat("/dev/null").kind, AZ_PATH_OTHER);
}

static void cleanup(void **state)
{
    (void)state;
    struct az_outfile *f = begin("a"), *g = begin("b");
    struct az_sv tmp, dir;
    assert_int_equal(az_outname_reserve(&t_arena, temp_path("c"), &tmp, &t_diag), 0);
    assert_int_equal(az_tmpdir_make(&t_arena, "az-inner", &dir, &t_diag), 0);
    char *inner = az_path_join(&t_arena, dir, AZ_SV("x/y")).p
                      ? (char *)(uintptr_t)az_path_join(&t_arena, dir, AZ_SV("x/y")).p
                      : NULL;
    assert_int_equal(az_path_mkdirs(inner, &t_diag), 0);
    char keep[4096]; /* our own folder is in the list too */
    snprintf(keep, sizeof keep, "%s", t_dir.p);
    struct stat st;
    assert_int_equal(stat(dir.p, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    az_out_cleanup();
    assert_int_equal(access(dir.p, F_OK), -1);
    assert_int_equal(access(tmp.p, F_OK), -1);
    assert_int_equal(access(keep, F_OK), -1);
    assert_int_equal(az_outfile_commit(f), AZ_EIO); /* a late worker: a message, no file */
    az_outfile_abort(g);
    az_out_cleanup();
}

/* Links inside are removed, not followed. */
static void remove_tree(void **state)
{
    (void)state;
    temp_write("precious", AZ_SV("x"));
    assert_int_equal(az_path_mkdirs(temp_path("t/u"), &t_diag), 0);
    assert_int_equal(symlink(temp_path("precious"), temp_path("t/l")), 0);
    assert_int_equal(symlink(t_dir.p, temp_path("t/u/back")), 0);
    az_tmpdir_remove(temp_path("t"));
    assert_int_equal(access(temp_path("t"), F_OK), -1);
    assert_string_equal(temp_read("precious"), "x");
    assert_int_equal(symlink(t_dir.p, temp_path("root-link")), 0);
    az_tmpdir_remove(temp_path("root-link"));
    assert_string_equal(temp_read("precious"), "x");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, temp_setup, temp_teardown)
    const struct CMUnitTest tests[] = {
        T(commit_and_abort),
        T(held),
        T(modes),
        T(buffering),
        T(full_disk),
        T(too_large),
        T(cannot_write),
        T(links_and_pipes),
        T(standard_output),
        T(long_name),
        T(no_free_name),
        T(reserved_names),
        T(cleanup),
        T(remove_tree),
        T(folder_without_its_name),
    };
    return cmocka_run_group_tests_name("io_outfile", tests, NULL, NULL);
}
