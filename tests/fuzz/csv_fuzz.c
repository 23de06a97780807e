/* Any bytes as CSV: both splitters, in several window sizes, must give the same rows, lines and
 * outcome. The first byte chooses the separator and the row limit. Build with clang
 * -fsanitize=fuzzer,address,undefined, or with driver.c. */
#include <stdio.h>
#include <stdlib.h>

#include "text/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    uint64_t hash;
    size_t rows, fields;
    int64_t line;
    int code;
};

static void mix(struct outcome *o, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        o->hash = (o->hash ^ b[i]) * 1099511628211u;
    o->hash = (o->hash ^ n) * 1099511628211u;
}

static void mix_number(struct outcome *o, int64_t x) { mix(o, &x, sizeof x); }

static void look_at(struct outcome *o, struct az_arena *a, const struct az_csv_field *f)
{
    int64_t i = 0;
    double d = 0;
    struct az_sv t = az_csv_text(a, f);
    mix(o, f->raw.p, f->raw.n);
    mix(o, t.p, t.n);
    mix_number(o, f->quoted + 2 * f->doubled);
    mix_number(o, az_csv_i64(f, &i));
    mix_number(o, i);
    mix_number(o, az_csv_scaled(f, 1000, &i));
    mix_number(o, az_csv_scaled(f, 1 << 20, &i));
    mix_number(o, i);
    mix_number(o, az_csv_f64(f, &d));
    mix(o, &d, sizeof d);
}

static struct outcome read_all(struct az_sv in, size_t window, bool scalar, char sep,
                               size_t max_row)
{
    struct outcome o = { .hash = 1469598103934665603u };
    struct az_source_opts opts = { .window = window ? window : 4096, .raw = true };
    struct az_source *src;
    struct az_csv c;
    struct az_arena a;
    az_arena_init(&a, NULL);
    if (az_source_open_memory(&src, in, "fuzz", &opts) != 0)
        abort();
    if (az_csv_init(&c, src, sep, NULL) != 0)
        abort();
    c.scalar = c.scalar || scalar;
    c.window_size = window;
    c.max_row = max_row;
    while ((o.code = az_csv_next(&c)) == 1) {
        o.rows++;
        o.fields += c.row.n;
        mix_number(&o, c.line);
        mix_number(&o, c.blank);
        for (size_t i = 0; i < c.row.n; i++)
            look_at(&o, &a, &c.row.v[i]);
        az_arena_reset(&a);
    }
    o.line = c.line;
    az_csv_release(&c);
    az_source_close(src);
    az_arena_release(&a);
    return o;
}

static bool same(const struct outcome *x, const struct outcome *y)
{
    return x->hash == y->hash && x->rows == y->rows && x->fields == y->fields &&
           x->line == y->line && x->code == y->code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t windows[] = { 0, 1, 7, 64, 65, 200 };
    static const char separators[] = { ',', ';', '\t', '|' };
    if (size == 0)
        return 0;
    char sep = separators[data[0] & 3];
    size_t max_row = data[0] & 4 ? 50 : (size_t)1 << 20;
    struct az_sv in = az_sv_make((const char *)data + 1, size - 1);
    struct outcome first = read_all(in, 0, true, sep, max_row);
    if (first.code != 0 && first.code != AZ_EFORMAT)
        abort();
    for (size_t i = 0; i < 2 * AZ_LENGTH(windows); i++) {
        struct outcome o = read_all(in, windows[i / 2], i % 2, sep, max_row);
        if (!same(&first, &o)) {
            fprintf(stderr,
                    "window %zu, %s: %zu rows, %zu fields, line %lld, code %d; want %zu, %zu, "
                    "%lld, %d\n",
                    windows[i / 2], i % 2 ? "bytewise" : "indexed", o.rows, o.fields,
                    (long long)o.line, o.code, first.rows, first.fields, (long long)first.line,
                    first.code);
            abort();
        }
    }
    return 0;
}
