/* Runs a fuzz harness without a fuzzer: `harness FILE|FOLDER...` replays files, `harness -mutate N
 * SEED FILE|FOLDER...` also runs N seeded mutations of them. Every input is in a block of its exact
 * size, so that the sanitizers see a read too far. Before an input is run its bytes go to the file
 * named by AZ_FUZZ_LAST, if that is set, to have it after a crash. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Of harnesses that know the syntax of their inputs. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                                     unsigned seed);

struct input {
    uint8_t *data;
    size_t size;
};

static struct input *inputs;
static size_t count;

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "driver: out of memory\n");
        exit(2);
    }
    return p;
}

static void load_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0) {
        fprintf(stderr, "driver: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    inputs = need(realloc(inputs, (count + 1) * sizeof *inputs));
    inputs[count].data = need(malloc((size_t)size + 1));
    inputs[count].size = fread(inputs[count].data, 1, (size_t)size, f);
    count++;
    fclose(f);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A file, or the files of a folder by name, so that every run takes them in the same order. */
static void load(const char *path)
{
    DIR *d = opendir(path);
    if (!d) {
        load_file(path);
        return;
    }
    char **name = NULL;
    size_t n = 0;
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        name = need(realloc(name, (n + 1) * sizeof *name));
        size_t len = strlen(path) + strlen(e->d_name) + 2;
        name[n] = need(malloc(len));
        snprintf(name[n++], len, "%s/%s", path, e->d_name);
    }
    closedir(d);
    if (n)
        qsort(name, n, sizeof *name, by_name);
    for (size_t i = 0; i < n; i++) {
        load_file(name[i]);
        free(name[i]);
    }
    free(name);
}

static void run(const uint8_t *data, size_t size)
{
    const char *last = getenv("AZ_FUZZ_LAST");
    FILE *f = last ? fopen(last, "wb") : NULL;
    if (f) {
        fwrite(data, 1, size, f);
        fclose(f);
    }
    uint8_t *exact = need(malloc(size ? size : 1));
    if (size)
        memcpy(exact, data, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static uint64_t state;

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

/* One change of the block, which has room for `room` bytes; returns the new size. */
static size_t change(uint8_t *p, size_t n, size_t room)
{
    size_t at = below(n), len = 1 + below(16);
    const struct input *other = &inputs[below(count)];
    len = len > n - at ? n - at : len;
    switch (n ? below(7) : 6) {
    case 0: /* flip a bit */
        p[at] ^= (uint8_t)(1u << below(8));
        return n;
    case 1: /* another byte */
        p[at] = (uint8_t)below(256);
        return n;
    case 2: /* take away */
        memmove(p + at, p + at + len, n - at - len);
        return n - len;
    case 3: /* double */
        len = len > room - n ? room - n : len;
        memmove(p + at + len, p + at, n - at);
        return n + len;
    case 4: /* copy within */
        memmove(p + below(n - len + 1), p + at, len);
        return n;
    case 5: /* cut */
        return below(4) ? n : at;
    default: /* a piece of another input */
        len = below(other->size + 1);
        len = len > room - n ? room - n : len;
        memmove(p + at + len, p + at, n - at);
        if (len)
            memcpy(p + at, other->data + below(other->size - len + 1), len);
        return n + len;
    }
}

static void mutate(unsigned long times)
{
    enum { EXTRA = 4096 };
    for (unsigned long i = 0; i < times; i++) {
        const struct input *in = &inputs[below(count)];
        size_t room = in->size + EXTRA, n = in->size;
        uint8_t *p = need(malloc(room));
        if (n)
            memcpy(p, in->data, n);
        for (size_t k = 1 + below(8); k > 0; k--)
            n = LLVMFuzzerCustomMutator && below(4)
                    ? LLVMFuzzerCustomMutator(p, n, room, (unsigned)below(UINT32_MAX))
                    : change(p, n, room);
        run(p, n);
        free(p);
    }
}

int main(int argc, char **argv)
{
    unsigned long times = 0;
    int i = 1;
    if (argc > 3 && strcmp(argv[1], "-mutate") == 0) {
        times = strtoul(argv[2], NULL, 10);
        state = strtoul(argv[3], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
        i = 4;
    }
    for (; i < argc; i++)
        load(argv[i]);
    if (count == 0) {
        fprintf(stderr, "usage: %s [-mutate N SEED] FILE|FOLDER...\n", argv[0]);
        return 2;
    }
    for (size_t k = 0; k < count; k++)
        run(inputs[k].data, inputs[k].size);
    mutate(times);
    printf("%zu inputs and %lu mutations: ok\n", count, times);
    for (size_t k = 0; k < count; k++)
        free(inputs[k].data);
    free(inputs);
    return 0;
}
