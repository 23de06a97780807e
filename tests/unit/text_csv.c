/* CSV: fixed cases, and both splitters in several window sizes against a plain reference reader on
 * random input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "text/csv.h"

/* Rows written as text: fields in <>, quoted ones in [], un-doubled; "L<line>:" in front; "blank";
 * "error L<line>". */
static void dump(struct az_vec_char *out, struct az_sv in, bool scalar, size_t window, char sep,
                 size_t max_row)
{
    struct az_source_opts o = { .window = window };
    struct az_source *src;
    struct az_csv c;
    struct az_arena a;
    az_arena_init(&a, NULL);
    assert_int_equal(az_source_open_memory(&src, in, "test", &o), 0);
    assert_int_equal(az_csv_init(&c, src, sep, NULL), 0);
    c.scalar = c.scalar || scalar;
    c.window_size = window;
    if (max_row)
        c.max_row = max_row;
    int r, e;
    while ((r = az_csv_next(&c)) == 1) {
        e = az_text_printf(out, "L%d:%s", (int)c.line, c.blank ? "blank" : "");
        for (size_t i = 0; i < c.row.n; i++) {
            struct az_sv t = az_csv_text(&a, &c.row.v[i]);
            bool q = c.row.v[i].quoted;
            assert_int_equal(c.row.v[i].doubled,
                             c.row.v[i].quoted && memchr(c.row.v[i].raw.p, '"', c.row.v[i].raw.n));
            e = e ? e : az_text_append(out, q ? AZ_SV("[") : AZ_SV("<"));
            e = e ? e : az_text_append(out, t);
            e = e ? e : az_text_append(out, q ? AZ_SV("]") : AZ_SV(">"));
        }
        e = e ? e : az_text_append(out, AZ_SV("\n"));
        assert_int_equal(e, 0);
    }
    if (r < 0) {
        assert_int_equal(r, AZ_EFORMAT);
        assert_int_equal(az_text_printf(out, "error L%d", (int)c.line), 0);
    }
    assert_int_equal(az_csv_next(&c), r); /* the end and errors stay */
    az_csv_release(&c);
    az_source_close(src);
    az_arena_release(&a);
}

/* The reference: one state machine, a byte at a time, in the same output form. */
static void reference(struct az_vec_char *out, struct az_sv in, char sep)
{
    size_t i = in.n >= 3 && memcmp(in.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    int line = 1;
    while (i < in.n) {
        int first = line, opened = line, e = 0, fields = 0;
        bool end = false, quoted = false;
        size_t row_at = out->n, header;
        e = az_text_printf(out, "L%d:", first);
        header = out->n;
        while (!end && !e) {
            quoted = i < in.n && in.p[i] == '"';
            e = az_text_append(out, quoted ? AZ_SV("[") : AZ_SV("<"));
            opened = line;
            fields++;
            if (quoted) {
                bool closed = false;
                for (i++; i < in.n && !closed; i++) {
                    line += in.p[i] == '\n';
                    if (in.p[i] == '"' && i + 1 < in.n && in.p[i + 1] == '"')
                        i++;
                    else if (in.p[i] == '"')
                        closed = true;
                    if (!closed)
                        e = az_text_append(out, az_sv_make(in.p + i, 1));
                }
                if (!closed) {
                    out->n = row_at;
                    assert_int_equal(az_text_printf(out, "error L%d", opened), 0);
                    return;
                }
            }
            size_t from = i;
            while (i < in.n && in.p[i] != sep && in.p[i] != '\n')
                i++;
            end = i == in.n || in.p[i] == '\n';
            size_t to = end && i > from && in.p[i - 1] == '\r' ? i - 1 : i;
            e = e ? e : az_text_append(out, az_sv_make(in.p + from, to - from));
            e = e ? e : az_text_append(out, quoted ? AZ_SV("]") : AZ_SV(">"));
            i++;
        }
        if (fields == 1 && !quoted && out->n == header + 2) {
            out->n = header;
            e = e ? e : az_text_append(out, AZ_SV("blank"));
        }
        e = e ? e : az_text_append(out, AZ_SV("\n"));
        assert_int_equal(e, 0);
        line++;
    }
}

static void same(const struct az_vec_char *a, const struct az_vec_char *b, struct az_sv in,
                 bool scalar, size_t window)
{
    if (az_sv_eq(az_text_view(a), az_text_view(b)))
        return;
    print_error("scalar %d window %zu input {%.*s}\nwant {%.*s}\ngot  {%.*s}\n", scalar, window,
                AZ_SVF(in), (int)a->n, a->v, (int)b->n, b->v);
    fail();
}

static const size_t windows[] = { 1, 5, 64, 100, 0 };

static void check_all(struct az_sv in, struct az_vec_char *want)
{
    struct az_vec_char got;
    az_vec_init(&got, NULL);
    for (size_t i = 0; i < AZ_LENGTH(windows); i++)
        for (int scalar = 0; scalar < 2; scalar++) {
            az_vec_reset(&got);
            dump(&got, in, scalar, windows[i], ',', 0);
            same(want, &got, in, scalar, windows[i]);
        }
    az_vec_release(&got);
}

static void expect(struct az_sv in, const char *want)
{
    struct az_vec_char w;
    az_vec_init(&w, NULL);
    assert_int_equal(az_text_append(&w, az_sv_str(want)), 0);
    check_all(in, &w);
    az_vec_reset(&w);
    reference(&w, in, ',');
    assert_int_equal(w.n, strlen(want)); /* the reference itself */
    if (w.n)
        assert_memory_equal(w.v, want, w.n);
    az_vec_release(&w);
}

static void fixed_cases(void **state)
{
    (void)state;
    expect(AZ_SV(""), "");
    expect(AZ_SV("\n"), "L1:blank\n");
    expect(AZ_SV("a"), "L1:<a>\n");
    expect(AZ_SV("a\n"), "L1:<a>\n");
    expect(AZ_SV("\xef\xbb\xbf"
                 "a,b\r\n1,\r\n"),
           "L1:<a><b>\nL2:<1><>\n");
    expect(AZ_SV("\xef\xbb\xbf"), "");
    expect(AZ_SV("a,b\n\n\r\nc"), "L1:<a><b>\nL2:blank\nL3:blank\nL4:<c>\n");
    expect(AZ_SV(",\n"), "L1:<><>\n");
    expect(AZ_SV(","), "L1:<><>\n");
    expect(AZ_SV("\"\"\n"), "L1:[]\n");
    expect(AZ_SV("\"a,b\",\"c\"\"d\"\r\n"), "L1:[a,b][c\"d]\n");
    expect(AZ_SV("x,\"1\n2\n\",y\nz\n"), "L1:<x>[1\n2\n]<y>\nL4:<z>\n");
    expect(AZ_SV("\"a\r\nb\"\nc"), "L1:[a\r\nb]\nL3:<c>\n");
    expect(AZ_SV("a\"b,\"c\"\n"), "L1:<a\"b>[c]\n");
    expect(AZ_SV("a\"b\",c\n\"d,e\"\n"), "L1:<a\"b\"><c>\nL2:[d,e]\n");
    expect(AZ_SV(" \"a,b\"\n"), "L1:< \"a><b\">\n");
    expect(AZ_SV("\"a\"b,c\n"), "L1:[ab]<c>\n");
    expect(AZ_SV("\"a\"b\"\"c\",d\n"), "L1:[ab\"\"c\"]<d>\n");
    expect(AZ_SV("\"a\" ,b\n"), "L1:[a ]<b>\n");
    expect(AZ_SV("\"\"\"\"\n"), "L1:[\"]\n");
    expect(AZ_SV("\"\"\"a\"\"\",b"), "L1:[\"a\"]<b>\n");
    expect(AZ_SV("a\rb,c\n"), "L1:<a\rb><c>\n");
    expect(AZ_SV("a\nb,\"c\n\nd"), "L1:<a>\nerror L2");
    expect(AZ_SV("\"a\n\n\",\"b"), "error L3");
    expect(AZ_SV("\""), "error L1");
}

static void nul_bytes(void **state)
{
    (void)state;
    struct az_vec_char want;
    az_vec_init(&want, NULL);
    assert_int_equal(az_text_append(&want, AZ_SV("L1:<a\0b><\0>\n")), 0);
    check_all(AZ_SV("a\0b,\0\n"), &want);
    az_vec_release(&want);
}

static uint64_t rnd(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

/* Tokens weighted so that long regular stretches, doubled quotes and irregular quotes all come. */
static size_t random_text(uint64_t *s, char *buf, size_t max)
{
    static const char *const token[] = { ",",    "\n",   "\r\n",    "\"",           "\"\"",
                                         "a",    "word", "\"x,y\"", ",\"p\"\"q\",", " ",
                                         "1234", ",,,",  "\"\n\"",  ",\"l\nm\"\n" };
    size_t n = 0, count = rnd(s) % 90, kinds = rnd(s) % 4 ? AZ_LENGTH(token) : 7;
    bool tame = rnd(s) % 3 == 0; /* no lone quotes: the index alone has to do it */
    for (size_t i = 0; i < count; i++) {
        const char *t = token[rnd(s) % kinds];
        if (tame && (t[0] == '"' || t[0] == ' '))
            t = ",\"quoted, text of some length\",";
        if (n + strlen(t) < max) {
            memcpy(buf + n, t, strlen(t));
            n += strlen(t);
        }
    }
    return n;
}

static void random_cases(void **state)
{
    (void)state;
    uint64_t s = 88172645463325252u;
    struct az_vec_char want;
    az_vec_init(&want, NULL);
    for (int i = 0; i < 3000; i++) {
        char buf[3000];
        size_t n = random_text(&s, buf, sizeof buf);
        char *exact = malloc(n ? n : 1); /* so that a read too far is seen */
        assert_non_null(exact);
        memcpy(exact, buf, n);
        az_vec_reset(&want);
        reference(&want, az_sv_make(exact, n), ',');
        check_all(az_sv_make(exact, n), &want);
        free(exact);
    }
    az_vec_release(&want);
}

/* Rows over many index chunks and windows, with views that must survive moving and growing. */
static void long_rows(void **state)
{
    (void)state;
    struct az_vec_char in, want;
    az_vec_init(&in, NULL);
    az_vec_init(&want, NULL);
    int e = 0;
    for (int row = 0; row < 4; row++) {
        for (int i = 0; i < 9000 * row + 3; i++)
            e |= az_text_printf(&in, i % 5 == 4 ? "\"f,%d\"\"\"," : "field%d,", i);
        for (int i = 0; row == 2 && i < 70000; i++)
            e |= az_text_append(&in, AZ_SV("long text "));
        e |= az_text_append(&in, AZ_SV("\"x\ny\"\n"));
    }
    assert_int_equal(e, 0);
    reference(&want, az_text_view(&in), ',');
    check_all(az_text_view(&in), &want);
    az_vec_release(&in);
    az_vec_release(&want);
}

/* A source that breaks off: every whole row before, also those in the last bytes, then the error.
 */
static void rows_before_a_break(void **state)
{
    (void)state;
    static const char text[] = "a,b\n1,\"x\"\n3,44";
    for (size_t lines = 0; lines < 40; lines += 13)
        for (size_t window = 4; window <= 4096; window *= 4)
            for (int scalar = 0; scalar < 2; scalar++) {
                struct az_vec_char gz, out, want;
                az_vec_init(&gz, NULL);
                az_vec_init(&out, NULL);
                az_vec_init(&want, NULL);
                /* a stored gzip member without its end */
                unsigned n = (unsigned)(lines * 8 + sizeof text + 100);
                int e = az_text_append(&gz, AZ_SV("\x1f\x8b\x08\0\0\0\0\0\0\x03\x01"));
                const char size[4] = { (char)n, (char)(n >> 8), (char)~n, (char)(~n >> 8) };
                e = e ? e : az_text_append(&gz, az_sv_make(size, 4));
                for (size_t i = 0; i < lines && !e; i++) {
                    e = az_text_append(&gz, AZ_SV("row,123\n"));
                    e = e ? e : az_text_printf(&want, "L%d:<row><123>\n", (int)i + 1);
                }
                e = e ? e : az_text_append(&gz, az_sv_make(text, sizeof text - 1));
                e = e ? e
                      : az_text_printf(&want, "L%d:<a><b>\nL%d:<1>[x]\nerror L%d", (int)lines + 1,
                                       (int)lines + 2, (int)lines + 3);
                assert_int_equal(e, 0);
                dump(&out, az_text_view(&gz), scalar, window, ',', 0);
                assert_int_equal(out.n, want.n);
                assert_memory_equal(out.v, want.v, want.n);
                az_vec_release(&gz);
                az_vec_release(&out);
                az_vec_release(&want);
            }
}

static void row_limit(void **state)
{
    (void)state;
    struct az_sv in = AZ_SV("abc,def\nab,cdefgh\nx\n");
    for (size_t i = 0; i < AZ_LENGTH(windows); i++)
        for (int scalar = 0; scalar < 2; scalar++) {
            struct az_vec_char got;
            az_vec_init(&got, NULL);
            dump(&got, in, scalar, windows[i], ',', 9);
            assert_string_equal((az_text_printf(&got, "%c", 0) ? "" : got.v),
                                "L1:<abc><def>\nL2:<ab><cdefgh>\nL3:<x>\n");
            az_vec_reset(&got);
            dump(&got, in, scalar, windows[i], ',', 8);
            assert_string_equal((az_text_printf(&got, "%c", 0) ? "" : got.v),
                                "L1:<abc><def>\nerror L2");
            az_vec_release(&got);
        }
}

static void field_limit(void **state)
{
    (void)state;
    size_t n = ((size_t)1 << 20) + 1;
    char *in = malloc(n);
    assert_non_null(in);
    memset(in, ',', n);
    for (int scalar = 0; scalar < 2; scalar++) {
        struct az_vec_char got;
        az_vec_init(&got, NULL);
        dump(&got, az_sv_make(in, n), scalar, 0, ',', 0);
        assert_int_equal(got.n, strlen("error L1"));
        az_vec_release(&got);
    }
    free(in);
}

static void memory_limit(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_source *src;
    struct az_csv c;
    struct az_vec_char in;
    az_vec_init(&in, NULL);
    for (int i = 0; i < 200000; i++)
        assert_int_equal(az_text_append(&in, AZ_SV("abc,")), 0);
    az_mem_init(&mem, 1 << 20);
    assert_int_equal(az_source_open_memory(&src, az_text_view(&in), "test", NULL), 0);
    assert_int_equal(az_csv_init(&c, src, ',', &mem), 0);
    assert_int_equal(az_csv_next(&c), AZ_ELIMIT);
    az_csv_release(&c);
    assert_int_equal(mem.used, 0);
    az_source_close(src);
    az_vec_release(&in);
}

static void other_separators(void **state)
{
    (void)state;
    struct az_csv c;
    struct az_vec_char got;
    az_vec_init(&got, NULL);
    dump(&got, AZ_SV("a,b;\"c;d\"\n"), false, 0, ';', 0);
    dump(&got, AZ_SV("a\tb\n"), true, 0, '\t', 0);
    assert_int_equal(az_text_append(&got, az_sv_make("", 1)), 0);
    assert_string_equal(got.v, "L1:<a,b>[c;d]\nL1:<a><b>\n");
    az_vec_release(&got);
    assert_int_equal(az_csv_init(&c, NULL, '"', NULL), AZ_EUSAGE);
    az_csv_release(&c);
}

/* ---- fields ---- */

static struct az_csv_field plain(const char *s)
{
    return (struct az_csv_field){ .raw = az_sv_str(s) };
}
static struct az_csv_field quoted(const char *s)
{
    return (struct az_csv_field){ .raw = az_sv_str(s), .quoted = true };
}

static void integers(void **state)
{
    (void)state;
    int64_t x = 7;
    struct az_csv_field f = plain(" 42 ");
    assert_int_equal(az_csv_i64(&f, &x), 0);
    assert_int_equal(x, 42);
    static const char *const missing[] = { "", "  ", "None", "none", "NULL", "nan", "N/A" };
    for (size_t i = 0; i < AZ_LENGTH(missing); i++) {
        f = i % 2 ? plain(missing[i]) : quoted(missing[i]);
        assert_int_equal(az_csv_i64(&f, &x), 1);
    }
    f = quoted("6,000,000");
    assert_int_equal(az_csv_i64(&f, &x), 0);
    assert_int_equal(x, 6000000);
    f = quoted("-1,234");
    assert_int_equal(az_csv_i64(&f, &x), 0);
    assert_int_equal(x, -1234);
    static const char *const bad[] = { "1,5",    "1,,000", ",100",   "1000,000", "1,000,",
                                       "1,0000", "12a",    "1,000x", "Nones" };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++) {
        f = quoted(bad[i]);
        assert_int_equal(az_csv_i64(&f, &x), AZ_EFORMAT);
    }
    f = plain("6,000"); /* with another separator: no quotes, no stripping */
    assert_int_equal(az_csv_i64(&f, &x), AZ_EFORMAT);
    f = plain("9223372036854775808");
    assert_int_equal(az_csv_i64(&f, &x), AZ_ERANGE);
}

static void doubles(void **state)
{
    (void)state;
    double x;
    struct az_csv_field f = quoted("1,234.5");
    assert_int_equal(az_csv_f64(&f, &x), 0);
    assert_true(x == 1234.5);
    f = plain("NaN");
    assert_int_equal(az_csv_f64(&f, &x), 1);
    f = plain("0.1");
    assert_int_equal(az_csv_f64(&f, &x), 0);
    assert_true(x == 0.1);
    f = plain("inf");
    assert_int_equal(az_csv_f64(&f, &x), AZ_EFORMAT);
    f = plain("1.2.3");
    assert_int_equal(az_csv_f64(&f, &x), AZ_EFORMAT);
}

static void scaled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t scale, want;
        int code;
    } t[] = {
        { "1.5", 1000, 1500, 0 },
        { "4345616842139.437", 1000, 4345616842139437, 0 },
        { "0.0005", 1000, 0, 0 },
        { "0.0015", 1000, 2, 0 },
        { "0.0025", 1000, 2, 0 },
        { "12", 1, 12, 0 },
        { "1.5", 1024, 1536, 0 },
        { "0.5", 3, 2, 0 },  /* 1.5 -> 2 */
        { "0.25", 2, 0, 0 }, /* 0.5 -> 0 */
        { "0.75", 2, 2, 0 }, /* 1.5 -> 2 */
        { "-0.75", 2, -2, 0 },
        { "1e3", 60, 60000, 0 },
        { "25e-2", 60, 15, 0 },
        { "1.50000000000000000000000000", 2, 3, 0 },
        { "0000000000000000000000000001.5", 2, 3, 0 },
        { "10000000000000000000000e-22", 2, 2, 0 },
        { "1.00000000000000000001", 2, 0, AZ_ERANGE },
        { "-4611686018427387904", 2, INT64_MIN, 0 },
        { "4611686018427387904", 2, 0, AZ_ERANGE },
        { "1e400", 2, 0, AZ_ERANGE },
        { "0e400", 2, 0, 0 },
        { "1e-400", 2, 0, 0 },
        { "9999999999999999999e-38", INT64_MAX, 1, 0 }, /* 0.92: 10^38 is the largest divisor */
        { "9999999999999999999e-39", INT64_MAX, 0, 0 },
        { "1e99999999999999999999", 2, 0, AZ_ERANGE },
        { "1e", 2, 0, AZ_EFORMAT },
        { ".", 2, 0, AZ_EFORMAT },
        { "1.2.3", 2, 0, AZ_EFORMAT },
        { "x", 2, 0, AZ_EFORMAT },
        { "x", 1, 0, AZ_EFORMAT },
        { "None", 2, 0, 1 },
    };
    for (size_t i = 0; i < AZ_LENGTH(t); i++) {
        int64_t x = -99;
        struct az_csv_field f = plain(t[i].text);
        int r = az_csv_scaled(&f, t[i].scale, &x);
        if (r != t[i].code || (r == 0 && x != t[i].want))
            print_error("%s * %lld: %d %lld\n", t[i].text, (long long)t[i].scale, r, (long long)x);
        assert_int_equal(r, t[i].code);
        if (r == 0)
            assert_true(x == t[i].want);
    }
    int64_t x;
    struct az_csv_field f = quoted("1,234.5");
    assert_int_equal(az_csv_scaled(&f, 1000, &x), 0);
    assert_int_equal(x, 1234500);
    assert_int_equal(az_csv_scaled(&f, 0, &x), AZ_EINTERNAL);
}

/* The quick way must agree with the general one, which an exponent of zero forces. */
static void quick_numbers(void **state)
{
    (void)state;
    uint64_t s = 7;
    for (int i = 0; i < 200000; i++) {
        char text[64], with_exponent[68];
        size_t n = 0, digits = 1 + rnd(&s) % 19;
        if (rnd(&s) % 4 == 0)
            text[n++] = '-';
        for (size_t k = 0; k < digits; k++) {
            if (rnd(&s) % 8 == 0)
                text[n++] = '.';
            text[n++] = "0123456789555"[rnd(&s) % 13];
        }
        text[n] = '\0';
        snprintf(with_exponent, sizeof with_exponent, "%se0", text);
        static const int64_t scale[] = { 1, 10, 1000, 1000000, 1000000000 };
        int64_t quick = 0, general = 0, by = scale[rnd(&s) % 5];
        struct az_csv_field f = plain(text), g = plain(with_exponent);
        int r = az_csv_scaled(&f, by, &quick), q = az_csv_scaled(&g, by, &general);
        if (r != q || (r == 0 && quick != general))
            print_error("%s * %lld: %d %lld, %d %lld\n", text, (long long)by, r, (long long)quick,
                        q, (long long)general);
        assert_int_equal(r, q);
        assert_true(r || quick == general);
    }
}

static void quoting(void **state)
{
    (void)state;
    static const char *const t[][2] = {
        { "plain", "plain" },     { "", "" },
        { "a,b", "\"a,b\"" },     { "say \"x\"", "\"say \"\"x\"\"\"" },
        { "l\nm", "\"l\nm\"" },   { "l\r", "\"l\r\"" },
        { " lead", "\" lead\"" }, { "trail\t", "\"trail\t\"" },
    };
    struct az_vec_char out;
    az_vec_init(&out, NULL);
    for (size_t i = 0; i < AZ_LENGTH(t); i++) {
        az_vec_reset(&out);
        assert_int_equal(az_csv_quote(&out, az_sv_str(t[i][0]), ','), 0);
        assert_int_equal(out.n, strlen(t[i][1]));
        if (out.n)
            assert_memory_equal(out.v, t[i][1], out.n);
    }
    az_vec_release(&out);
}

/* Every byte at every place of texts of every length up to five times eight, some with a quote. */
static void quoting_of_every_byte(void **state)
{
    (void)state;
    struct az_vec_char out;
    az_vec_init(&out, NULL);
    for (size_t n = 1; n < 41; n++) {
        for (size_t k = 0; k < n * 256; k++) {
            const char byte = (char)(k % 256);
            char text[41], want[90];
            size_t m = 0;
            memset(text, 'x', n);
            if (n % 5 == 0)
                text[n / 2] = '"';
            text[k / 256] = byte;
            const bool ends = k / 256 == 0 || k / 256 == n - 1;
            const bool quoted = byte == ',' || byte == '"' || byte == '\r' || byte == '\n' ||
                                (ends && (byte == ' ' || byte == '\t')) ||
                                (n % 5 == 0 && k / 256 != n / 2);
            if (quoted)
                want[m++] = '"';
            for (size_t i = 0; i < n; i++) {
                want[m++] = text[i];
                if (text[i] == '"')
                    want[m++] = '"';
            }
            if (quoted)
                want[m++] = '"';
            az_vec_reset(&out);
            assert_int_equal(az_csv_quote(&out, az_sv_make(text, n), ','), 0);
            assert_int_equal(out.n, m);
            assert_memory_equal(out.v, want, m);
            char copy[41 + 18];
            const bool usual = (signed char)byte >= ' ' && byte != 0x7f && byte != '"' &&
                               !(n % 5 == 0 && k / 256 != n / 2);
            assert_int_equal(az_csv_copy_plain(az_sv_make(text, n), copy), usual ? m : SIZE_MAX);
            if (usual)
                assert_memory_equal(copy, want, m);
        }
    }
    az_vec_release(&out);
}

/* A row of as many bytes as a row may have is read, one of one byte more is none, wherever windows
 * end. */
static void longest_rows(void **state)
{
    static const size_t at_once[] = { 4, 8, 16, 31, 32, 33, 64, 4096 };
    enum { MOST_BYTES = 32 };
    (void)state;
    for (size_t w = 0; w < AZ_LENGTH(at_once); w++)
        for (int how = 0; how < 8; how++)
            for (int n = MOST_BYTES - 2; n <= MOST_BYTES + 2; n++) {
                const bool scalar = how & 1, quoted = how & 2, last = how & 4;
                struct az_vec_char in, out, want;
                const int inner = quoted ? n - 2 : n;
                az_vec_init(&in, NULL);
                az_vec_init(&out, NULL);
                az_vec_init(&want, NULL);
                assert_int_equal(az_text_printf(&in, "a,b\n%s%*s%s%s", quoted ? "\"" : "", inner,
                                                "x", quoted ? "\"" : "", last ? "" : "\nc\n"),
                                 0);
                assert_int_equal(az_text_printf(&want, "L1:<a><b>\n"), 0);
                if (n > MOST_BYTES)
                    assert_int_equal(az_text_printf(&want, "error L2"), 0);
                else
                    assert_int_equal(az_text_printf(&want, "L2:%c%*s%c\n%s", quoted ? '[' : '<',
                                                    inner, "x", quoted ? ']' : '>',
                                                    last ? "" : "L3:<c>\n"),
                                     0);
                dump(&out, az_text_view(&in), scalar, at_once[w], ',', MOST_BYTES);
                if (!az_sv_eq(az_text_view(&out), az_text_view(&want)))
                    fail_msg("window %zu, %d bytes, %d:\n%.*s\nwanted:\n%.*s", at_once[w], n, how,
                             (int)out.n, out.v, (int)want.n, want.v);
                az_vec_release(&in);
                az_vec_release(&out);
                az_vec_release(&want);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longest_rows),
        cmocka_unit_test(fixed_cases),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(random_cases),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(row_limit),
        cmocka_unit_test(rows_before_a_break),
        cmocka_unit_test(field_limit),
        cmocka_unit_test(memory_limit),
        cmocka_unit_test(other_separators),
        cmocka_unit_test(integers),
        cmocka_unit_test(doubles),
        cmocka_unit_test(scaled),
        cmocka_unit_test(quoting),
        cmocka_unit_test(quick_numbers),
        cmocka_unit_test(quoting_of_every_byte),
    };
    return cmocka_run_group_tests_name("text_csv", tests, NULL, NULL);
}
