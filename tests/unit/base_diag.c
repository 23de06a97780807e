/* Messages and log lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/log.h"

static const char *last(const struct az_diag *d) { return d->list.v[d->list.n - 1].text.p; }

static void places(void **state)
{
    (void)state;
    struct az_diag d;
    az_diag_init(&d);
    const struct az_sv f = AZ_SV("k.csv");
    az_diag_add(&d, AZ_WARNING, AZ_AT_LINE(f, 7), "bad '%s'", "x");
    assert_string_equal(last(&d), "k.csv:7: bad 'x'");
    az_diag_add(&d, AZ_NOTE, AZ_AT_OFFSET(f, 0), "bad");
    assert_string_equal(last(&d), "k.csv:+0: bad");
    az_diag_add(&d, AZ_NOTE, AZ_AT_OFFSET(f, INT64_MAX), "bad");
    assert_string_equal(last(&d), "k.csv:+9223372036854775807: bad");
    az_diag_add(&d, AZ_NOTE, AZ_AT_FILE(f), "bad");
    assert_string_equal(last(&d), "k.csv: bad");
    az_diag_add(&d, AZ_NOTE, AZ_NOWHERE, "bad");
    assert_string_equal(last(&d), "bad");
    struct az_where at = AZ_AT_LINE(f, 3);
    at.pointer = AZ_SV("/inputs/0");
    az_diag_add(&d, AZ_NOTE, at, "bad");
    assert_string_equal(last(&d), "k.csv:3: /inputs/0: bad");
    at = AZ_NOWHERE;
    at.pointer = AZ_SV("/inputs/0");
    az_diag_add(&d, AZ_NOTE, at, "bad");
    assert_string_equal(last(&d), "/inputs/0: bad");
    az_diag_add(&d, AZ_NOTE, AZ_AT_LINE(AZ_SV(""), 3), "bad");
    assert_string_equal(last(&d), "line 3: bad");
    assert_int_equal(az_diag_fail(&d, AZ_EFORMAT, AZ_NOWHERE, "%d", 5), AZ_EFORMAT);
    assert_string_equal(last(&d), "5");
    assert_int_equal(d.errors, 1);
    assert_int_equal(d.warnings, 1);
    assert_int_equal(d.list.n, 9);
    assert_int_equal(d.list.v[0].severity, AZ_WARNING);
    assert_int_equal(d.list.v[8].severity, AZ_ERROR);
    az_diag_release(&d);
}

static void control_bytes_are_seen(void **state)
{
    (void)state;
    struct az_diag d;
    az_diag_init(&d);
    az_diag_add(&d, AZ_ERROR, AZ_AT_LINE(AZ_SV("a\nb"), 1), "%s",
                "\033[31m\t\x7f \xff \xc2\x9b \xc3\xa9");
    assert_string_equal(last(&d), "a\\x0ab:1: \\x1b[31m\\x09\\x7f \\xff \\xc2\\x9b \xc3\xa9");
    az_diag_add(&d, AZ_ERROR, AZ_NOWHERE, "%.*s", AZ_SVF(AZ_SV("ab")));
    assert_string_equal(last(&d), "ab");
    az_diag_release(&d);
}

static void keeps_a_bounded_list(void **state)
{
    (void)state;
    struct az_diag d;
    az_diag_init(&d);
    for (int i = 0; i < 500; i++)
        az_diag_add(&d, AZ_WARNING, AZ_NOWHERE, "warning %d", i);
    assert_int_equal(d.list.n, 200);
    assert_int_equal(d.warnings, 500);
    assert_int_equal(d.dropped, 300);
    az_diag_add(&d, AZ_ERROR, AZ_NOWHERE, "error"); /* never lost after warnings */
    assert_string_equal(last(&d), "error");
    assert_int_equal(d.list.n, 200);
    assert_int_equal(d.dropped, 301);
    assert_string_equal(d.list.v[198].text.p, "warning 198");
    for (int i = 0; i < 500; i++)
        az_diag_add(&d, AZ_ERROR, AZ_NOWHERE, "error %d", i);
    assert_int_equal(d.list.n, 200);
    assert_int_equal(d.errors, 501);
    assert_int_equal(d.list.n + d.dropped, d.errors + d.warnings);
    assert_string_equal(d.list.v[0].text.p, "error");
    az_diag_release(&d);
    az_diag_init(&d);
    d.max = 0;
    az_diag_add(&d, AZ_ERROR, AZ_NOWHERE, "error");
    assert_int_equal(d.list.n, 0);
    assert_int_equal(d.errors, 1);
    az_diag_release(&d);
}

static void memory_messages(void **state)
{
    (void)state;
    struct az_diag d;
    struct az_mem m;
    az_diag_init(&d);
    az_mem_init(&m, 64 << 20);
    assert_int_equal(az_diag_memory(&d, AZ_ELIMIT, AZ_AT_FILE(AZ_SV("t.json")), &m), AZ_ELIMIT);
    assert_string_equal(
        last(&d),
        "t.json: memory limit of 64.0 MiB reached with 0.0 MiB in use (raise --memory-limit)");
    assert_int_equal(az_diag_memory(&d, AZ_ENOMEM, AZ_NOWHERE, &m), AZ_ENOMEM);
    assert_non_null(strstr(last(&d), "out of memory"));
    void *refused =
        az_mem_alloc(&m, (size_t)65 << 20); /* from now on it is known that the limit is why */
    assert_null(refused);
    assert_int_equal(az_diag_memory(&d, AZ_ENOMEM, AZ_NOWHERE, &m), AZ_ELIMIT);
    assert_non_null(strstr(last(&d), "memory limit of 64.0 MiB"));
    assert_int_equal(az_diag_memory(&d, AZ_ENOMEM, AZ_NOWHERE, NULL), AZ_ENOMEM);
    assert_non_null(strstr(last(&d), "out of memory"));
    assert_int_equal(d.errors, 4);
    az_diag_release(&d);
}

/* ---- log ---- */

static void count_call(void *ctx) { ++*(int *)ctx; }

/* What az_log_line writes to standard error, in buf. */
static size_t logged(const struct az_log *log, enum az_log_level level, const char *text, char *buf,
                     size_t room)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    fflush(stderr);
    const int saved = dup(STDERR_FILENO);
    dup2(fileno(f), STDERR_FILENO);
    az_log_line(log, level, "%s", text);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(f);
    const size_t n = fread(buf, 1, room - 1, f);
    buf[n] = '\0';
    fclose(f);
    return n;
}

static void log_lines(void **state)
{
    (void)state;
    char buf[8192], text[5000];
    int calls = 0;
    struct az_log log = { .level = AZ_LOG_NORMAL, .before = count_call, .ctx = &calls };
    logged(&log, AZ_LOG_NORMAL, "hello\033 w", buf, sizeof buf);
    assert_string_equal(buf, "analyzer: hello\\x1b w\n");
    assert_int_equal(calls, 1);
    assert_int_equal(logged(&log, AZ_LOG_VERBOSE, "hidden", buf, sizeof buf), 0);
    assert_int_equal(calls, 1);
    logged(&log, AZ_LOG_NORMAL, "once\n", buf, sizeof buf);
    assert_string_equal(buf, "analyzer: once\n");
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(logged(&log, AZ_LOG_NORMAL, text, buf, sizeof buf), 10 + 4999 + 1);
    log.level = AZ_LOG_QUIET;
    assert_int_equal(logged(&log, AZ_LOG_NORMAL, "hidden", buf, sizeof buf), 0);
    log = (struct az_log){ .level = AZ_LOG_DEBUG, .color = true };
    logged(&log, AZ_LOG_DEBUG, "", buf, sizeof buf);
    assert_string_equal(buf, "\033[1manalyzer:\033[0m \n");
}

static void takes_over(void **state)
{
    (void)state;
    struct az_diag to, from;
    az_diag_init(&to);
    az_diag_init(&from);
    to.max = 3;
    az_diag_add(&to, AZ_NOTE, AZ_NOWHERE, "own note");
    az_diag_add(&from, AZ_WARNING, AZ_AT_LINE(AZ_SV("f"), 3), "a\x01");
    az_diag_add(&from, AZ_WARNING, AZ_NOWHERE, "second");
    az_diag_add(&from, AZ_ERROR, AZ_NOWHERE, "wrong");
    from.dropped = 2;
    az_diag_append(&to, &from);
    assert_int_equal(to.errors, 1);
    assert_int_equal(to.warnings, 2);
    assert_int_equal(to.list.n, 3); /* the error pushed one out */
    assert_int_equal(to.dropped, 3);
    assert_string_equal(last(&to), "wrong");
    assert_string_equal(to.list.v[1].text.p, from.list.v[0].text.p); /* made visible once */
    az_diag_release(&from);
    assert_string_equal(last(&to), "wrong"); /* a copy */
    az_diag_release(&to);
}

/* Warnings that were said are not said again; errors are. */
static void takes_what_is_new(void **state)
{
    (void)state;
    struct az_diag to, from;
    az_diag_init(&to);
    az_diag_init(&from);
    az_diag_add(&to, AZ_WARNING, AZ_NOWHERE, "same");
    az_diag_add(&to, AZ_ERROR, AZ_NOWHERE, "wrong");
    az_diag_add(&from, AZ_WARNING, AZ_NOWHERE, "same");
    az_diag_add(&from, AZ_WARNING, AZ_NOWHERE, "other");
    az_diag_add(&from, AZ_ERROR, AZ_NOWHERE, "wrong");
    az_diag_append_new(&to, &from);
    assert_int_equal(to.warnings, 2);
    assert_int_equal(to.errors, 2);
    assert_int_equal(to.list.n, 4);
    az_diag_release(&from);
    az_diag_release(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(control_bytes_are_seen),
        cmocka_unit_test(keeps_a_bounded_list),
        cmocka_unit_test(takes_over),
        cmocka_unit_test(takes_what_is_new),
        cmocka_unit_test(memory_messages),
        cmocka_unit_test(log_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
