/* Makes a large trace of a small one: make_replica IN.json OUT.json BYTES
 * The event array is repeated until the file has that many bytes. In every copy the times go on
 * where the copy before ended, and correlation ids, flow ids, External ids, sequence numbers and
 * event indices are shifted, so that all copies are distinct. What is before and after the array is
 * written once. Prints the number of events. */
#include "base/err.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, TIME, CORRELATION, EXTERNAL, INDEX, SEQUENCE, KINDS };

/* Keys whose numbers are shifted; depth 1: of the event itself, 2: of its args. A flow's id counts
 * as a correlation id.
 */
static const struct {
    const char *key;
    int depth;
    enum kind kind;
} shifted[] = {
    { "ts", 1, TIME },
    { "id", 1, CORRELATION },
    { "correlation", 2, CORRELATION },
    { "External id", 2, EXTERNAL },
    { "Ev Idx", 2, INDEX },
    { "Python id", 2, INDEX },
    { "Python parent id", 2, INDEX },
    { "Sequence number", 2, SEQUENCE },
};

/* A template: text between numbers, and numbers. */
struct piece {
    enum kind kind;
    const char *text;
    size_t n;
    int64_t value; /* TIME: nanoseconds */
    bool fraction;
};
static struct piece *pieces;
static size_t n_pieces, events;
static int64_t most[KINDS], first_time = INT64_MAX;

static void die(const char *what)
{
    fprintf(stderr, "make_replica: %s\n", what);
    exit(1);
}

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        die("cannot read the input");
    *n = (size_t)ftell(f);
    rewind(f);
    char *p = malloc(*n + 1);
    if (!p || fread(p, 1, *n, f) != *n)
        die("cannot read the input");
    fclose(f);
    p[*n] = 0;
    return p;
}

static void add(struct piece p)
{
    if (n_pieces % 4096 == 0) {
        pieces = realloc(pieces, (n_pieces + 4096) * sizeof *pieces);
        if (!pieces)
            die("out of memory");
    }
    pieces[n_pieces++] = p;
}

static enum kind kind_of(const char *key, size_t n, int depth)
{
    for (size_t i = 0; i < AZ_LENGTH(shifted); i++)
        if (shifted[i].depth == depth && strlen(shifted[i].key) == n &&
            memcmp(shifted[i].key, key, n) == 0)
            return shifted[i].kind;
    return TEXT;
}

static const char *string_end(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\')
            p++;
    return *p ? p + 1 : p;
}

static struct piece number(const char **p, enum kind kind)
{
    char *end;
    struct piece n = { .kind = kind, .value = strtoll(*p, &end, 10) };
    if (kind == TIME) {
        n.fraction = *end == '.';
        n.value *= 1000;
        int64_t scale = 100;
        if (n.fraction)
            for (end++; *end >= '0' && *end <= '9'; end++, scale /= 10)
                n.value += (*end - '0') * scale;
        first_time = n.value < first_time ? n.value : first_time;
    }
    most[kind] = n.value > most[kind] ? n.value : most[kind];
    *p = end;
    return n;
}

/* Cuts the array's text [p, end) into pieces. */
static void cut(const char *p, const char *end)
{
    const char *from = p;
    int depth = 0;
    while (p < end) {
        if (*p == '"') {
            const char *e = string_end(p), *v = e;
            while (*v == ' ' || *v == '\n')
                v++;
            enum kind kind = *v == ':' ? kind_of(p + 1, (size_t)(e - p) - 2, depth) : TEXT;
            for (v++; kind != TEXT && (*v == ' ' || *v == '\n');)
                v++;
            p = e;
            if (kind == TEXT || *v < '0' || *v > '9')
                continue;
            add((struct piece){ .text = from, .n = (size_t)(v - from) });
            add(number(&v, kind));
            from = p = v;
            continue;
        }
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        events += *p == '{' && depth == 1;
        p++;
    }
    add((struct piece){ .text = from, .n = (size_t)(end - from) });
}

static size_t write_copy(FILE *out, int64_t copy)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n_pieces; i++) {
        const struct piece *p = &pieces[i];
        char text[40];
        if (p->kind == TEXT) {
            bytes += fwrite(p->text, 1, p->n, out);
            continue;
        }
        int64_t v = p->value + copy * (p->kind == TIME ? most[TIME] - first_time + 1000000
                                                       : most[p->kind] + 1);
        int n = p->fraction
                    ? snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, v / 1000, v % 1000)
                    : snprintf(text, sizeof text, "%" PRId64, p->kind == TIME ? v / 1000 : v);
        bytes += fwrite(text, 1, (size_t)n, out);
    }
    return bytes;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: make_replica IN.json OUT.json BYTES\n");
        return 2;
    }
    size_t n, bytes = 0, want = strtoull(argv[3], NULL, 10);
    char *all = slurp(argv[1], &n);
    char *array = strstr(all, "\"traceEvents\""), *close = NULL;
    array = array ? strchr(array, '[') : NULL;
    int depth = 0;
    for (const char *p = array; p && *p && !close; p = *p == '"' ? string_end(p) : p + 1) {
        depth += *p == '[' || *p == '{' ? 1 : *p == ']' || *p == '}' ? -1 : 0;
        close = depth == 0 ? all + (p - all) : NULL;
    }
    if (!close)
        die("no complete traceEvents in the input");
    FILE *out = fopen(argv[2], "wb");
    if (!out)
        die("cannot write the output");
    setvbuf(out, NULL, _IOFBF, 1 << 20);
    while (close[-1] == ' ' || close[-1] == '\n')
        close--;
    cut(array + 1, close);
    bytes += fwrite(all, 1, (size_t)(array + 1 - all), out);
    int64_t copies = 0;
    do {
        if (copies)
            bytes += fwrite(",", 1, 1, out);
        bytes += write_copy(out, copies++);
    } while (bytes < want);
    fwrite(close, 1, n - (size_t)(close - all), out);
    if (fclose(out) != 0)
        die("cannot write the output");
    printf("%zu\n", events * (size_t)copies);
    free(pieces);
    free(all);
    return 0;
}
