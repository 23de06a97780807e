#define _DEFAULT_SOURCE
/* The native Perfetto output of PyTorch from arbitrary bytes: the first byte chooses strictness and
 * stacks, the rest is the file. What is read is sealed; what fails has a message; all memory is
 * given back. */
#include "format_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/pytorch_pftrace_fuzz.XXXXXX";
    if (size < 1)
        return 0;
    struct az_sv bytes = az_sv_make((const char *)data + 1, size - 1);
    (void)az_format_pytorch_pftrace.probe(bytes, AZ_SV("x.pftrace"));
    int fd = fuzz_file(path);
    fuzz_bytes(fd, bytes);
    (void)close(fd);
    struct az_options opts = { .strict = data[0] & 1, .include_call_stack = data[0] & 2 };
    fuzz_format(&(struct format_fuzz){ .format = &az_format_pytorch_pftrace, .opts = &opts }, path);
    return 0;
}
