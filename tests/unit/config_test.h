/* What the tests of the configuration share: loading from a string, and looking at the messages. */
#ifndef TESTS_CONFIG_TEST_H
#define TESTS_CONFIG_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config/config.h"

static const char *const test_formats[] = { "csv", "nsys-rep", "nsys-sqlite", "pytorch", NULL };
static const char *const test_reports[] = { "csv", "json", "xlsx", NULL };
static const struct az_config_names test_names = { test_formats, test_reports };

struct loaded {
    struct az_config c;
    struct az_diag diag;
    int rc;
};

static inline void loaded_begin(struct loaded *l)
{
    az_diag_init(&l->diag);
    assert_int_equal(az_config_init(&l->c), 0);
}

static inline void loaded_end(struct loaded *l)
{
    az_config_release(&l->c);
    az_diag_release(&l->diag);
}

static inline void load_over(struct loaded *l, const char *text, const struct az_overrides *over)
{
    loaded_begin(l);
    l->rc = az_config_load_memory(&l->c, az_sv_str(text), "c.json", over, &test_names, &l->diag);
}

static inline void load(struct loaded *l, const char *text) { load_over(l, text, NULL); }

static inline void show(const struct loaded *l)
{
    for (size_t i = 0; i < l->diag.list.n; i++)
        fprintf(stderr, "  message: %.*s\n", AZ_SVF(l->diag.list.v[i].text));
}

/* The message number i is exactly `text`. */
static inline void expect_message(const struct loaded *l, size_t i, const char *text)
{
    if (i >= l->diag.list.n || !az_sv_is(l->diag.list.v[i].text, text)) {
        fprintf(stderr, "  wanted : %s\n", text);
        show(l);
        fail();
    }
}

/* Loading fails with this as its only message. */
static inline void expect_error(const char *config, const char *message)
{
    struct loaded l;
    load(&l, config);
    if (l.rc != AZ_ECONFIG || l.diag.errors != 1 || l.diag.list.n != 1) {
        fprintf(stderr, "  rc %d, %zu messages for %s\n", l.rc, l.diag.list.n, config);
        show(&l);
        fail();
    }
    expect_message(&l, 0, message);
    loaded_end(&l);
}

/* Loading works with this as its only message, a warning; NULL: without any. */
static inline void expect_fine(const char *config, const char *warning)
{
    struct loaded l;
    load(&l, config);
    if (l.rc != 0 || l.diag.list.n != (warning ? 1 : 0)) {
        fprintf(stderr, "  rc %d, %zu messages for %s\n", l.rc, l.diag.list.n, config);
        show(&l);
        fail();
    }
    if (warning)
        expect_message(&l, 0, warning);
    loaded_end(&l);
}

#define expect_text(sv, text)                                                                      \
    do {                                                                                           \
        struct az_sv got_ = (sv);                                                                  \
        if (!az_sv_is(got_, text)) {                                                               \
            fprintf(stderr, "  got '%.*s', wanted '%s'\n", AZ_SVF(got_), text);                    \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

#endif
