/* Runs a fuzz harness over the files named as arguments (folders: not entered), each from a heap block of its exact
 * size so that the address sanitizer sees every byte read beyond it. For regressions without libFuzzer: `make replays`.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) {
        perror(path);
        if (f)
            fclose(f);
        return 1;
    }
    long size = ftell(f);
    rewind(f);
    uint8_t *data = size >= 0 ? malloc((size_t)size) : NULL;
    if ((!data && size) || fread(data, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(data);
        fclose(f);
        return 1;
    }
    fclose(f);
    fprintf(stderr, "%s\n", path); /* the last one named is the one that crashed */
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    return bad;
}
