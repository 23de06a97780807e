/* Any bytes as an input of any format, through the whole program: recognition, reading, all
 * analyses, all reports. The first byte chooses the name of the file, the second one options. Exit
 * statuses are those of a run; sanitizers find the rest. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/cmds.h"
#include "fuzz/mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* JSON and protobuf have mutators of their own. */
static const struct {
    const char *name;
    enum fuzz_syntax syntax;
} kinds[] = {
    { "t.json", FUZZ_JSON },         { "t_cuda_gpu_kern_sum.csv", FUZZ_BYTES },
    { "t.sqlite", FUZZ_BYTES },      { "ops_perf_results.csv", FUZZ_BYTES },
    { "t_results.json", FUZZ_JSON }, { "t_results.db", FUZZ_BYTES },
    { "t.pftrace", FUZZ_PROTOBUF },  { "t.xplane.pb", FUZZ_PROTOBUF },
    { "t.json.gz", FUZZ_BYTES },     { "t_kernel_stats.csv", FUZZ_BYTES },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A folder of this process, in memory where there is one: outputs are synchronized. The outputs of
 * a run replace those of the run before. */
static const char *folder(void)
{
    static char path[64];
    for (int i = 0; !path[0] && i < 2; i++) {
        snprintf(path, sizeof path, "%s/whole_fuzz.XXXXXX", i ? "/tmp" : "/dev/shm");
        if (!mkdtemp(path))
            path[0] = 0;
    }
    if (!path[0])
        abort();
    return path;
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0)
        abort();
}

/* The words are copied: options are respelled in place. */
static int run(const char *path, const char *out, unsigned options, int sink, int was)
{
    const char *const words[] = { "analyzer",
                                  "run",
                                  path,
                                  "-o",
                                  out,
                                  "--jobs",
                                  "1",
                                  "-v",
                                  "--memory-limit",
                                  "512M",
                                  "--format",
                                  options & 1 ? "text,json,html,sqlite"
                                              : "text,csv,md,verdict,junit,github,openmetrics",
                                  options & 2 ? "--compat=all" : "-v",
                                  options & 4 ? "--strict" : "-v" };
    enum { WORDS = sizeof words / sizeof *words };
    char *argv[WORDS + 1] = { NULL };
    for (size_t i = 0; i < WORDS; i++)
        argv[i] = strdup(words[i]);
    fflush(stdout);
    dup2(sink, STDOUT_FILENO);
    const int rc = az_command(WORDS, argv);
    fflush(stdout);
    dup2(was, STDOUT_FILENO);
    for (size_t i = 0; i < WORDS; i++)
        free(argv[i]);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    char path[160], out[160];
    const int sink = open("/dev/null", O_WRONLY), was = dup(STDOUT_FILENO);
    snprintf(path, sizeof path, "%s/%s", folder(), kinds[data[0] % KINDS].name);
    snprintf(out, sizeof out, "%s/out", folder());
    write_file(path, data + 2, size - 2);
    const int rc = run(path, out, data[1], sink, was);
    close(was);
    close(sink);
    if (rc != 0 && rc != 3)
        abort();
    unlink(path);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    if (size < 2)
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
    return 2 + fuzz_mutate(kinds[data[0] % KINDS].syntax, data + 2, size - 2, most - 2, seed);
}
