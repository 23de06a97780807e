/* For the io tests: a temporary folder, small files, and reading them back. */
#ifndef TESTS_IO_TEMP_H
#define TESTS_IO_TEMP_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/outfile.h"
#include "io/path.h"
#include "unit/open_files.h"

static struct az_arena t_arena;
static struct az_sv t_dir;
static struct az_diag t_diag;
static int t_open;

static int temp_setup(void **state)
{
    (void)state;
    az_arena_init(&t_arena, NULL);
    az_diag_init(&t_diag);
    t_open = open_files();
    return az_tmpdir_make(&t_arena, "az-test", &t_dir, &t_diag);
}

static int temp_teardown(void **state)
{
    (void)state;
    az_tmpdir_remove(t_dir.p);
    int gone = access(t_dir.p, F_OK) != 0;
    az_diag_release(&t_diag);
    az_arena_release(&t_arena);
    return gone && open_files() == t_open ? 0 : 1;
}

/* dir/name */
static inline const char *temp_path(const char *name)
{
    return az_path_join(&t_arena, t_dir, az_sv_str(name)).p;
}

static inline void temp_write(const char *name, struct az_sv bytes)
{
    FILE *f = fopen(temp_path(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
    assert_int_equal(fclose(f), 0);
}

/* Content of a small file as a string; NULL if it is not there. */
static inline const char *temp_read(const char *name)
{
    FILE *f = fopen(temp_path(name), "rb");
    if (!f)
        return NULL;
    char *buf = az_arena_alloc(&t_arena, 1 << 20);
    assert_non_null(buf);
    size_t n = fread(buf, 1, (1 << 20) - 1, f);
    buf[n] = '\0';
    fclose(f);
    return buf;
}

static inline const char *last_message(void)
{
    return t_diag.list.n ? t_diag.list.v[t_diag.list.n - 1].text.p : "";
}

/* Entries of the temporary folder. */
static inline int count_entries_visit(void *ctx, const char *path, const struct az_path_info *info,
                                      unsigned depth)
{
    (void)path, (void)info, (void)depth;
    ++*(int *)ctx;
    return 0;
}
static inline int count_entries(void)
{
    int n = 0;
    struct az_walk w = { .hidden = true, .visit = count_entries_visit, .ctx = &n };
    assert_int_equal(az_path_walk(t_dir.p, &w, &t_diag), 0);
    return n;
}

#endif
