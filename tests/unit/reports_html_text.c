/* Text of pages: each short text of the bytes that matter, written and compared with what a slow
 * replacement makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/outfile.h"
#include "reports/html/html.h"

enum { ROOM = 1 << 22 };

/* Replaces the first word that begins here, else copies a byte. */
struct replacement {
    const char *from, *to;
};

static size_t replace_all(char *out, const char *text, const struct replacement *r, size_t n)
{
    char *at = out;
    while (*text) {
        size_t k = 0;
        while (k < n && strncmp(text, r[k].from, strlen(r[k].from)) != 0)
            k++;
        if (k < n) {
            at += sprintf(at, "%s", r[k].to);
            text += strlen(r[k].from);
        } else {
            *at++ = *text++;
        }
    }
    return (size_t)(at - out);
}

static const struct replacement in_markup[] = {
    { "&", "&amp;" }, { "<", "&lt;" }, { ">", "&gt;" }, { "\"", "&quot;" }, { "'", "&#39;" }
};
static const struct replacement in_line[] = { { "&", "&amp;" },   { "<", "&lt;" },  { ">", "&gt;" },
                                              { "\"", "&quot;" }, { "'", "&#39;" }, { "\n", " " },
                                              { "\t", " " } };
static const struct replacement in_json[] = { { "<", "\\u003c" },
                                              { "\xe2\x80\xa8", "\\u2028" },
                                              { "\xe2\x80\xa9", "\\u2029" } };

static const char *const markup_words[] = { "&", "<", ">", "\"", "'", "a", ";", "\xc3\xa4", "\n" };
static const char *const json_words[] = { "<",    "\xe2", "\x80",         "\xa8",
                                          "\xa9", "a",    "\xe2\x80\xa8", "\xe2\x80\xa9" };

static void check_all(void (*write)(struct az_html *, struct az_sv), const char *const *word,
                      size_t n, const struct replacement *r, size_t n_r)
{
    struct az_arena arena;
    struct az_diag diag;
    struct az_sv dir;
    struct az_html h = { .scratch = &arena };
    char *want = malloc(ROOM), *got = malloc(ROOM), text[64];
    size_t n_want = 0, all = n * n * n * n;
    az_arena_init(&arena, NULL);
    az_diag_init(&diag);
    assert_true(want && got);
    assert_int_equal(az_tmpdir_make(&arena, "html-text-", &dir, &diag), 0);
    const char *path = az_arena_printf(&arena, "%s/page", dir.p).p;
    assert_int_equal(az_outfile_open(&h.f, path, &diag), 0);
    for (size_t i = 0; i < all; i++) { /* with each length up to four words */
        size_t at = 0;
        for (size_t k = i, left = i % 5; left > 0; k /= n, left--)
            at += (size_t)sprintf(text + at, "%s", word[k % n]);
        text[at] = 0;
        write(&h, az_sv_make(text, at));
        az_outfile_write(h.f, "|", 1);
        n_want += replace_all(want + n_want, text, r, n_r);
        want[n_want++] = '|';
        assert_true(n_want < ROOM - 256);
    }
    assert_int_equal(az_outfile_commit(h.f), 0);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t n_got = fread(got, 1, ROOM, in);
    fclose(in);
    assert_int_equal(n_got, n_want);
    assert_memory_equal(got, want, n_want);
    free(want);
    free(got);
    az_tmpdir_remove(dir.p);
    az_diag_release(&diag);
    az_arena_release(&arena);
}

static void markup(void **state)
{
    (void)state;
    check_all(az_html_text, markup_words, AZ_LENGTH(markup_words), in_markup, AZ_LENGTH(in_markup));
    check_all(az_html_line, markup_words, AZ_LENGTH(markup_words), in_line, AZ_LENGTH(in_line));
}

static void scripts(void **state)
{
    (void)state;
    check_all(az_html_json, json_words, AZ_LENGTH(json_words), in_json, AZ_LENGTH(in_json));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup),
        cmocka_unit_test(scripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
