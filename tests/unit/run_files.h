/* What the tests of the driver share: a scratch folder with small inputs, a configuration made in
 * memory. */
#ifndef TESTS_DRIVER_FILES_H
#define TESTS_DRIVER_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/outfile.h"
#include "run/internal.h"
#include "unit/open_files.h"

#define KERNELS                                                                                    \
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"    \
    "75.0,3000000,3,1000000.0,1000000.0,900000,1100000,100000.0,\"void gemm<float, 4>(int)\"\n"    \
    "25.0,1000000,2,500000.0,500000.0,400000,600000,141421.4,relu_forward\n"
#define HEADER_ONLY                                                                                \
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"

struct setting {
    char dir[64]; /* the scratch folder, which is the current one */
    struct az_config config;
    struct az_plan plan;
    struct az_diag diag;
    int open; /* files, before */
};

static inline void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static inline int set_up(void **state)
{
    struct setting *s = calloc(1, sizeof *s);
    struct az_config_names names;
    struct az_overrides none;

    assert_non_null(s);
    s->open = open_files();
    strcpy(s->dir, "/tmp/driver-test-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    assert_int_equal(chdir(s->dir), 0);
    az_diag_init(&s->diag);
    az_plan_init(&s->plan);
    az_vec_init(&none, NULL);
    assert_int_equal(az_plan_names(&s->plan.arena, &names), 0);
    assert_int_equal(az_config_init(&s->config), 0);
    assert_int_equal(az_config_quick(&s->config, &none, &names, &s->diag), 0);
    *state = s;
    return 0;
}

static inline int tear_down(void **state)
{
    struct setting *s = *state;

    az_plan_release(&s->plan);
    az_config_release(&s->config);
    az_diag_release(&s->diag);
    assert_int_equal(open_files(), s->open);
    assert_int_equal(chdir("/"), 0);
    az_tmpdir_remove(s->dir);
    free(s);
    return 0;
}

/* An input of one file, which need not exist. */
static inline struct az_input *add_input(struct setting *s, const char *title, const char *format,
                                         const char *path)
{
    struct az_input *in = NULL;

    assert_int_equal(az_config_add_input(&s->config, &in), 0);
    in->title = az_sv_str(title);
    in->format = az_sv_str(format);
    assert_int_equal(az_vec_push(&in->files, ((struct az_input_file){ .path = az_sv_str(path),
                                                                      .role = { "", 0 } })),
                     0);
    return in;
}

#define assert_sv(view, text) /* NOLINT */                                                         \
    do {                                                                                           \
        struct az_sv sv_ = (view);                                                                 \
        char *copy_ = strndup(sv_.p, sv_.n);                                                       \
        assert_string_equal(copy_, text);                                                          \
        free(copy_);                                                                               \
    } while (0)

/* Some message holds the text. */
static inline bool said(const struct az_diag *d, const char *text)
{
    for (size_t i = 0; i < d->list.n; i++)
        if (az_sv_find(d->list.v[i].text, az_sv_str(text)) >= 0)
            return true;
    return false;
}

#endif
