/* Byte sources: files, memory, gzip by both inflaters, damaged gzip at every place, peeking,
 * mapping. */
#include "unit/io_temp.h"

#include <zlib.h>

#include "io/gzip.h"
#include "io/source.h"

/* ---- making gzip ---- */

/* One member; header may be NULL. */
static struct az_sv gz_headed(struct az_sv plain, int level, gz_header *header)
{
    z_stream z = { 0 };
    size_t room = plain.n + plain.n / 100 + 200;
    char *out = az_arena_alloc(&t_arena, room);
    assert_non_null(out);
    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    if (header)
        assert_int_equal(deflateSetHeader(&z, header), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)plain.p;
    z.avail_in = (uInt)plain.n;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return az_sv_make(out, room - z.avail_out);
}

static struct az_sv gz(struct az_sv plain, int level) { return gz_headed(plain, level, NULL); }

static struct az_sv cat(struct az_sv a, struct az_sv b)
{
    char *p = az_arena_alloc(&t_arena, a.n + b.n);
    assert_non_null(p);
    memcpy(p, a.p, a.n);
    memcpy(p + a.n, b.p, b.n);
    return az_sv_make(p, a.n + b.n);
}

/* Text that does not compress to nothing. */
static struct az_sv sample(size_t n)
{
    char *p = az_arena_alloc(&t_arena, n);
    uint64_t s = 99;
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        p[i] = (s >> 60) < 9 && i > 40 ? p[i - 37] : (char)('a' + (s >> 33) % 26);
    }
    return az_sv_make(p, n);
}

static const enum az_inflater inflaters[] = { AZ_INFLATE_ZLIB, AZ_INFLATE_ISAL };

/* Reads all in steps of `step` (0: by az_source_next); returns the last code. */
static int drain(struct az_source *s, struct az_vec_char *out, size_t step)
{
    for (;;) {
        struct az_sv chunk;
        char buf[4096];
        size_t got = 0;
        int r;
        if (step == 0) {
            r = az_source_next(s, &chunk);
        } else {
            r = az_source_read(s, buf, step < sizeof buf ? step : sizeof buf, &got);
            chunk = az_sv_make(buf, got);
        }
        if (r || chunk.n == 0)
            return r;
        assert_int_equal(az_text_append(out, chunk), 0);
    }
}

/* Content and code of bytes read in all ways; the good bytes must be the same every way. */
static void read_ways(struct az_sv bytes, struct az_sv want, int code, enum az_inflater which)
{
    static const size_t windows[] = { 1, 100, 5000, 0 }, steps[] = { 0, 7, 4096 };
    temp_write("ways", bytes);
    for (size_t i = 0; i < 24; i++) {
        struct az_source_opts o = { .diag = &t_diag, .window = windows[i % 4], .inflater = which };
        struct az_source *s;
        struct az_vec_char out;
        az_vec_init(&out, NULL);
        size_t errors = t_diag.errors;
        int r = i >= 12 ? az_source_open(&s, temp_path("ways"), &o)
                        : az_source_open_memory(&s, bytes, "ways", &o);
        assert_int_equal(r, 0);
        r = drain(s, &out, steps[i / 4 % 3]);
        assert_int_equal(r, code);
        assert_int_equal(out.n, want.n);
        if (out.n)
            assert_memory_equal(out.v, want.p, want.n);
        assert_int_equal(az_source_delivered(s), want.n);
        assert_int_equal(az_source_size(s), bytes.n);
        if (!code)
            assert_int_equal(az_source_consumed(s), bytes.n);
        assert_int_equal(t_diag.errors - errors, code != 0);
        assert_int_equal(drain(s, &out, steps[i / 4 % 3]), code); /* told once, kept */
        assert_int_equal(t_diag.errors - errors, code != 0);
        az_source_close(s);
        az_vec_release(&out);
    }
}

static void plain_bytes(void **state)
{
    (void)state;
    read_ways(AZ_SV(""), AZ_SV(""), 0, AZ_INFLATE_BEST);
    read_ways(AZ_SV("x"), AZ_SV("x"), 0, AZ_INFLATE_BEST);
    read_ways(AZ_SV("\x1f"), AZ_SV("\x1f"), 0, AZ_INFLATE_BEST);
    struct az_sv big = sample(700001);
    read_ways(big, big, 0, AZ_INFLATE_BEST);
}

/* A member with those of the fields that a header may have. */
static struct az_sv gz_fields(struct az_sv plain, unsigned fields)
{
    Bytef extra[] = "extra!", name[] = "name.json", comment[] = "a comment";
    gz_header h = { .extra = fields & 1 ? extra : NULL,
                    .extra_len = fields & 1 ? sizeof extra : 0,
                    .name = fields & 2 ? name : NULL,
                    .comment = fields & 4 ? comment : NULL,
                    .hcrc = (int)(fields >> 3 & 1) };
    return gz_headed(plain, 6, &h);
}

/* Input may end anywhere inside a header, and again. */
static void headers_in_pieces(void **state)
{
    (void)state;
    const struct az_sv plain = AZ_SV("the text, the text, the text of it");
    for (size_t k = 0; k < 2; k++) {
        struct az_gzip *g;
        if (!az_inflater_has(inflaters[k]))
            continue;
        assert_int_equal(az_gzip_new(&g, inflaters[k], NULL), 0);
        for (unsigned fields = 0; fields < 16; fields++) {
            const struct az_sv m = gz_fields(plain, fields);
            for (size_t a = 0; a <= m.n; a++)
                for (size_t b = a; b <= m.n; b += b < 60 ? 1 : 7) {
                    const size_t end[] = { a, b, m.n };
                    enum az_gzip_step step = AZ_GZIP_GOING;
                    char out[100];
                    size_t at = 0, n = 0;
                    for (size_t i = 0; i < 3; i++)
                        for (size_t used = 1, made = 1; step == AZ_GZIP_GOING && (used || made);) {
                            step = az_gzip_inflate(g, az_sv_make(m.p + at, end[i] - at), &used,
                                                   out + n, sizeof out - n, &made);
                            at += used;
                            n += made;
                        }
                    assert_int_equal(step, AZ_GZIP_MEMBER_END);
                    assert_int_equal(at, m.n);
                    assert_true(az_sv_eq(az_sv_make(out, n), plain));
                    az_gzip_restart(g);
                }
        }
        az_gzip_free(g);
    }
}

static void gzip_streams(void **state)
{
    (void)state;
    struct az_sv a = sample(300000), b = AZ_SV("second"), none = AZ_SV("");
    char zeros[700] = { 0 };
    struct az_sv padding = az_sv_make(zeros, sizeof zeros);
    for (size_t k = 0; k < 2; k++) {
        if (!az_inflater_has(inflaters[k]))
            continue;
        for (int level = 0; level < 10; level += 3)
            read_ways(gz(a, level), a, 0, inflaters[k]);
        read_ways(gz(none, 6), none, 0, inflaters[k]);
        read_ways(cat(gz(a, 6), gz(b, 6)), cat(a, b), 0, inflaters[k]);
        read_ways(cat(cat(gz(b, 6), gz(none, 6)), gz(a, 1)), cat(b, a), 0, inflaters[k]);
        read_ways(cat(gz(a, 6), padding), a, 0, inflaters[k]);
        read_ways(cat(gz(a, 6), AZ_SV("\0")), a, 0, inflaters[k]);
        read_ways(cat(gz(b, 6), AZ_SV("garbage")), b, AZ_EFORMAT, inflaters[k]);
        read_ways(cat(gz(b, 6), AZ_SV("\x1f")), b, AZ_EFORMAT, inflaters[k]);
        read_ways(cat(gz(b, 6), AZ_SV("\x1fx")), b, AZ_EFORMAT, inflaters[k]);
        read_ways(cat(cat(gz(b, 6), padding), gz(b, 6)), b, AZ_EFORMAT, inflaters[k]);
    }
}

static void many_members(void **state)
{
    (void)state;
    struct az_vec_char in, want;
    az_vec_init(&in, NULL);
    az_vec_init(&want, NULL);
    for (int i = 0; i < 3000; i++) {
        char line[32];
        int n = snprintf(line, sizeof line, "row %d\n", i);
        assert_int_equal(az_text_append(&in, gz(az_sv_make(line, (size_t)n), 6)), 0);
        assert_int_equal(az_text_append(&want, az_sv_make(line, (size_t)n)), 0);
    }
    for (size_t k = 0; k < 2; k++)
        if (az_inflater_has(inflaters[k]))
            read_ways(az_text_view(&in), az_text_view(&want), 0, inflaters[k]);
    az_vec_release(&in);
    az_vec_release(&want);
}

/* Opens, reads to the end; returns the code, the count of good bytes and the message's words after
 * the offset. */
static int judge(struct az_sv bytes, struct az_sv want, enum az_inflater which, size_t *good,
                 const char **words, long *offset)
{
    struct az_source_opts o = { .diag = &t_diag, .inflater = which };
    struct az_source *s;
    struct az_vec_char out;
    az_vec_init(&out, NULL);
    assert_int_equal(az_source_open_memory(&s, bytes, "x.gz", &o), 0);
    int r = drain(s, &out, 0);
    *good = out.n;
    assert_true(out.n <= want.n);
    if (out.n)
        assert_memory_equal(out.v, want.p, out.n);
    *words = "";
    if (r) {
        t_diag.list.n = t_diag.list.n > 100 ? 0 : t_diag.list.n;
        const char *m = t_diag.list.n ? last_message() : "x.gz:+0: ?";
        assert_int_equal(strncmp(m, "x.gz:+", 6), 0);
        *offset = strtol(m + 6, NULL, 10);
        *words = strstr(m, ": ");
    }
    az_source_close(s);
    az_vec_release(&out);
    return r;
}

/* Cut anywhere, the stream is refused with the file's size as the place; all that could be inflated
 * is delivered, and both inflaters say the same. */
static void truncated(void **state)
{
    (void)state;
    struct az_sv plain = sample(60000), whole = gz(plain, 6);
    for (size_t n = 2; n < whole.n; n += n < 40 || n + 40 > whole.n ? 1 : 501) {
        size_t good[2] = { 0, 0 };
        const char *words[2] = { NULL, NULL };
        for (size_t k = 0; k < 2; k++) {
            long offset;
            if (!az_inflater_has(inflaters[k]))
                continue;
            t_diag.list.n = 0;
            assert_int_equal(
                judge(az_sv_make(whole.p, n), plain, inflaters[k], &good[k], &words[k], &offset),
                AZ_EFORMAT);
            assert_int_equal(offset, n);
            assert_non_null(strstr(words[k], "truncated gzip stream"));
        }
        if (words[1])
            assert_true(good[0] <= good[1] + 300 && good[1] <= good[0] + 300);
        if (n + 9 > whole.n) /* only the trailer is cut: the data is complete */
            assert_int_equal(good[0], plain.n);
        if (words[1] && n + 9 > whole.n)
            assert_int_equal(good[1], plain.n);
    }
}

static void damaged(void **state)
{
    (void)state;
    struct az_sv plain = sample(5000), whole = gz(plain, 6);
    char *copy = az_arena_alloc(&t_arena, whole.n);
    assert_non_null(copy);
    for (size_t i = whole.n - 8; i < whole.n; i++) /* checksum, then length */
        for (size_t k = 0; k < 2; k++) {
            size_t good;
            const char *words;
            long offset;
            if (!az_inflater_has(inflaters[k]))
                continue;
            memcpy(copy, whole.p, whole.n);
            copy[i] ^= 0x10;
            t_diag.list.n = 0;
            assert_int_equal(
                judge(az_sv_make(copy, whole.n), plain, inflaters[k], &good, &words, &offset),
                AZ_EFORMAT);
            assert_int_equal(good, plain.n);
            assert_non_null(strstr(words, "checksum"));
            assert_true(offset + 8 >= (long)whole.n && offset <= (long)whole.n);
        }
    for (size_t k = 0; k < 2; k++) { /* method 7 in the header */
        size_t good;
        const char *words;
        long offset;
        if (!az_inflater_has(inflaters[k]))
            continue;
        memcpy(copy, whole.p, whole.n);
        copy[2] = 7;
        t_diag.list.n = 0;
        assert_int_equal(
            judge(az_sv_make(copy, whole.n), plain, inflaters[k], &good, &words, &offset),
            AZ_EFORMAT);
        assert_non_null(strstr(words, "damaged gzip header"));
    }
}

/* Any one byte wrong: an error or the right bytes, never a hang or wrong bytes taken for right. */
static void any_byte_wrong(void **state)
{
    (void)state;
    struct az_sv plain = sample(3000), whole = gz(plain, 6);
    char *copy = az_arena_alloc(&t_arena, whole.n);
    assert_non_null(copy);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 2; az_inflater_has(inflaters[k]) && i < whole.n; i++) {
            struct az_source_opts o = { .inflater = inflaters[k] };
            struct az_source *s;
            struct az_vec_char out;
            az_vec_init(&out, NULL);
            memcpy(copy, whole.p, whole.n);
            copy[i] ^= 0x41;
            assert_int_equal(az_source_open_memory(&s, az_sv_make(copy, whole.n), "x.gz", &o), 0);
            int r = drain(s, &out, 0);
            if (r == 0) { /* bytes of the header that mean nothing */
                assert_true(i < 10);
                assert_int_equal(out.n, plain.n);
            }
            az_source_close(s);
            az_vec_release(&out);
        }
}

static void peeking(void **state)
{
    (void)state;
    struct az_sv text = sample(10000), z = gz(text, 6);
    temp_write("p", text);
    temp_write("pz", z);
    for (int i = 0; i < 4; i++) {
        struct az_source_opts o = { .window = 6000 };
        struct az_source *s;
        struct az_sv v;
        if (i < 2)
            assert_int_equal(az_source_open(&s, temp_path(i ? "pz" : "p"), &o), 0);
        else
            assert_int_equal(az_source_open_memory(&s, i == 3 ? z : text, "m", &o), 0);
        assert_int_equal(az_source_is_gzip(s), i & 1);
        assert_int_equal(az_source_peek(s, 10, &v), 0);
        assert_int_equal(v.n, 10);
        assert_memory_equal(v.p, text.p, 10);
        assert_int_equal(az_source_peek(s, 9000, &v), 0); /* at most the window */
        assert_int_equal(v.n, 6000);
        char buf[100];
        size_t got;
        assert_int_equal(az_source_read(s, buf, sizeof buf, &got), 0);
        assert_int_equal(got, 100);
        assert_memory_equal(buf, text.p, 100);
        assert_int_equal(az_source_peek(s, 6000, &v), 0);
        assert_int_equal(v.n, 6000);
        assert_memory_equal(v.p, text.p + 100, 6000);
        struct az_vec_char rest;
        az_vec_init(&rest, NULL);
        assert_int_equal(drain(s, &rest, 0), 0);
        assert_int_equal(rest.n, 9900);
        assert_memory_equal(rest.v, text.p + 100, 9900);
        assert_int_equal(az_source_peek(s, 5, &v), 0);
        assert_int_equal(v.n, 0);
        az_vec_release(&rest);
        az_source_close(s);
    }
}

/* Peeking into a broken stream gives the good bytes and says nothing; the error comes when it is
 * reached. */
static void peek_before_error(void **state)
{
    (void)state;
    struct az_source_opts o = { .diag = &t_diag };
    struct az_source *s;
    struct az_sv v, whole = gz(AZ_SV("hello"), 6);
    size_t errors = t_diag.errors;
    assert_int_equal(az_source_open_memory(&s, az_sv_make(whole.p, whole.n - 3), "x", &o), 0);
    assert_int_equal(az_source_next(s, &v), 0);
    assert_true(az_sv_is(v, "hello"));
    assert_int_equal(t_diag.errors, errors);
    assert_int_equal(az_source_peek(s, 5, &v), AZ_EFORMAT);
    assert_int_equal(t_diag.errors, errors + 1);
    az_source_close(s);
}

static void raw_and_all(void **state)
{
    (void)state;
    struct az_sv text = sample(50000), z = gz(text, 6), v;
    struct az_source_opts raw = { .raw = true, .diag = &t_diag }, o = { .diag = &t_diag };
    struct az_source *s;
    temp_write("z", z);
    assert_int_equal(az_source_open(&s, temp_path("z"), &raw), 0);
    assert_false(az_source_is_gzip(s));
    assert_int_equal(az_source_all(s, &t_arena, 0, &v), 0);
    assert_true(az_sv_eq(v, z));
    az_source_close(s);
    assert_int_equal(az_source_open(&s, temp_path("z"), &o), 0);
    assert_string_equal(az_source_name(s), temp_path("z"));
    assert_int_equal(az_source_all(s, &t_arena, 50000, &v), 0);
    assert_true(az_sv_eq(v, text));
    assert_int_equal(v.p[v.n], '\0');
    az_source_close(s);
    assert_int_equal(az_source_open(&s, temp_path("z"), &o), 0);
    assert_int_equal(az_source_all(s, &t_arena, 49999, &v), AZ_ELIMIT);
    az_source_close(s);
    temp_write("empty", AZ_SV(""));
    assert_int_equal(az_source_open(&s, temp_path("empty"), &o), 0);
    assert_int_equal(az_source_all(s, &t_arena, 10, &v), 0);
    assert_int_equal(v.n, 0);
    assert_string_equal(v.p, "");
    az_source_close(s);
}

static void cannot_open(void **state)
{
    (void)state;
    struct az_source_opts o = { .diag = &t_diag };
    struct az_source *s = (void *)1;
    assert_int_equal(az_source_open(&s, temp_path("missing"), &o), AZ_EIO);
    assert_null(s);
    assert_non_null(strstr(last_message(), "no such file or folder"));
    assert_int_equal(az_source_open(&s, t_dir.p, &o), AZ_EIO);
    assert_non_null(strstr(last_message(), "directory"));
    assert_int_equal(az_source_open(&s, t_dir.p, NULL), AZ_EIO);
    struct az_mem small;
    az_mem_init(&small, 10000);
    o.mem = &small;
    temp_write("f", AZ_SV("x"));
    assert_int_equal(az_source_open(&s, temp_path("f"), &o), AZ_ELIMIT);
    assert_int_equal(small.used, 0);
}

/* For a reader that keeps what came before it, damage is a warning. */
static void damage_that_is_no_failure(void **state)
{
    (void)state;
    const struct az_sv whole = gz(sample(50000), 6);
    temp_write("cut.gz", az_sv_make(whole.p, whole.n - 100));
    for (int keeps = 0; keeps < 2; keeps++) {
        const struct az_source_opts o = { .diag = &t_diag, .keeps_parts = keeps };
        const size_t errors = t_diag.errors, warnings = t_diag.warnings;
        struct az_source *s = NULL;
        struct az_sv chunk;
        int rc;
        assert_int_equal(az_source_open(&s, temp_path("cut.gz"), &o), 0);
        while ((rc = az_source_next(s, &chunk)) == 0 && chunk.n)
            ;
        assert_int_equal(rc, AZ_EFORMAT);
        assert_int_equal(t_diag.errors - errors, !keeps);
        assert_int_equal(t_diag.warnings - warnings, keeps);
        az_source_close(s);
    }
}

/* Text of two bytes a character is refused with its name; bytes that begin so are not, raw or after
 * the start. */
/* Wherever it is cut off: a failure if nothing of it was read before, whatever the steps. */
static void parts_of_any_length(void **state)
{
    (void)state;
    const struct az_sv whole = gz(AZ_SV("parts of a text"), 0); /* stored: a byte is a byte */
    for (size_t n = 12; n < whole.n; n++) {
        const struct az_source_opts o = { .diag = &t_diag, .keeps_parts = true };
        struct az_source *s;
        struct az_vec_char out;
        const size_t errors = t_diag.errors;
        az_vec_init(&out, NULL);
        assert_int_equal(az_source_open_memory(&s, az_sv_make(whole.p, n), "part", &o), 0);
        assert_int_equal(drain(s, &out, 1), AZ_EFORMAT);
        assert_int_equal(t_diag.errors - errors, out.n == 0);
        az_source_close(s);
        az_vec_release(&out);
    }
}

static void utf16(void **state)
{
    static const char little[] = "\xff\xfe"
                                 "a\0,\0b\0",
                      big[] = "\xfe\xff\0a";
    static const struct az_sv texts[] = { { little, 8 }, { big, 4 } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        temp_write("wide.csv", texts[i]);
        const char *path = temp_path("wide.csv");
        struct az_source_opts o = { .diag = &t_diag };
        struct az_source *s = NULL;
        assert_int_equal(az_source_open(&s, path, &o), AZ_EFORMAT);
        assert_null(s);
        assert_non_null(strstr(last_message(), "wide.csv: UTF-16 text"));
        o.raw = true;
        assert_int_equal(az_source_open(&s, path, &o), 0);
        az_source_close(s);
        o = (struct az_source_opts){ .diag = &t_diag, .start = 2 };
        assert_int_equal(az_source_open(&s, path, &o), 0);
        az_source_close(s);
    }
}

/* A pipe has no place to begin at but its own. */
static void no_place_in_a_pipe(void **state)
{
    struct az_source_opts o = { .diag = &t_diag, .start = 2 };
    struct az_source *s = NULL;
    char path[32];
    int fd[2];
    (void)state;
    assert_int_equal(pipe(fd), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    assert_int_equal(az_source_open(&s, path, &o), AZ_EIO);
    assert_null(s);
    assert_non_null(strstr(last_message(), "cannot seek: "));
    close(fd[0]);
    close(fd[1]);
}

static void standard_input(void **state)
{
    (void)state;
    int fd[2], old = dup(0);
    struct az_sv text = AZ_SV("from a pipe"), z = gz(text, 6), v;
    for (int i = 0; i < 2; i++) {
        struct az_source *s;
        assert_int_equal(pipe(fd), 0);
        const struct az_sv in = i ? z : text;
        assert_int_equal(write(fd[1], in.p, in.n), (ssize_t)in.n);
        close(fd[1]);
        assert_true(dup2(fd[0], 0) == 0);
        close(fd[0]);
        assert_int_equal(az_source_open(&s, "-", NULL), 0);
        assert_string_equal(az_source_name(s), "<stdin>");
        assert_int_equal(az_source_size(s), 0);
        assert_int_equal(az_source_all(s, &t_arena, 0, &v), 0);
        assert_true(az_sv_eq(v, text));
        az_source_close(s);
        assert_true(fcntl(0, F_GETFD) >= 0); /* not ours to close */
    }
    dup2(old, 0);
    close(old);
}

static void budget_returns(void **state)
{
    (void)state;
    struct az_mem mem;
    struct az_sv z = gz(sample(9000), 6), v;
    for (size_t k = 0; k < 2; k++) {
        struct az_source_opts o = { .mem = &mem, .inflater = inflaters[k] };
        struct az_source *s;
        if (!az_inflater_has(inflaters[k]))
            continue;
        az_mem_init(&mem, 0);
        assert_int_equal(az_source_open_memory(&s, z, "m", &o), 0);
        assert_int_equal(az_source_next(s, &v), 0);
        assert_true(mem.used > 256 * 1024);
        az_source_close(s);
        assert_int_equal(mem.used, 0);
    }
}

static void mapping(void **state)
{
    (void)state;
    struct az_mapping m;
    char text[8];
    temp_write("m", AZ_SV("mapped"));
    assert_int_equal(az_map_file(&m, temp_path("m"), &t_diag), 0);
    assert_true(az_sv_is(m.bytes, "mapped"));
    assert_int_equal(az_map_read(&m, 3, text, sizeof text), 3); /* to the end */
    assert_memory_equal(text, "ped", 3);
    assert_int_equal(az_map_read(&m, 1, text, 2), 2);
    assert_memory_equal(text, "ap", 2);
    assert_int_equal(az_map_read(&m, 6, text, 1), 0);
    az_map_used(&m, m.bytes.p, m.bytes.p + m.bytes.n); /* less than a page */
    az_unmap_file(&m);
    char *large = malloc(100000);
    memset(large, 'x', 100000);
    temp_write("m", az_sv_make(large, 100000));
    assert_int_equal(az_map_file(&m, temp_path("m"), &t_diag), 0);
    assert_memory_equal(m.bytes.p, large, 100000);
    az_map_used(&m, m.bytes.p + 1, m.bytes.p + 90000);
    az_map_used(&m, m.bytes.p + 1, m.bytes.p + 2 * m.bytes.n); /* not of the file: nothing */
    assert_memory_equal(m.bytes.p, large, 100000);
    free(large);
    az_unmap_file(&m);
    temp_write("m", AZ_SV(""));
    assert_int_equal(az_map_file(&m, temp_path("m"), &t_diag), 0);
    assert_int_equal(m.bytes.n, 0);
    az_unmap_file(&m);
    assert_int_equal(az_map_file(&m, temp_path("none"), &t_diag), AZ_EIO);
    assert_int_equal(az_map_file(&m, t_dir.p, &t_diag), AZ_EIO);
    assert_int_equal(mkfifo(temp_path("fifo"), 0600), 0);
    assert_int_equal(az_map_file(&m, temp_path("fifo"), &t_diag), AZ_EIO);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, temp_setup, temp_teardown)
    const struct CMUnitTest tests[] = {
        T(plain_bytes),
        T(gzip_streams),
        T(headers_in_pieces),
        T(many_members),
        T(truncated),
        T(damaged),
        T(any_byte_wrong),
        T(peeking),
        T(peek_before_error),
        T(raw_and_all),
        T(cannot_open),
        T(parts_of_any_length),
        T(damage_that_is_no_failure),
        T(utf16),
        T(no_place_in_a_pipe),
        T(standard_input),
        T(budget_returns),
        T(mapping),
    };
    return cmocka_run_group_tests_name("io_source", tests, NULL, NULL);
}
