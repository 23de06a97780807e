#define _DEFAULT_SOURCE
/* A results.json of rocprofv3 from arbitrary bytes, or its CSV: the first byte chooses names and strictness, the rest is
 * the file. What is read is sealed; what fails has a message; all memory is given back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/rocprof_json_fuzz.XXXXXX";
    if (size < 1)
        return 0;
    struct az_sv bytes = az_sv_make((const char *)data + 1, size - 1);
    (void)az_format_rocprof.probe(bytes, AZ_SV("x.json"));
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
        abort();
    (void)close(fd);

    struct az_mem mem;
    struct az_diag diag;
    struct az_trace trace;
    struct az_options opts = { .strict = data[0] & 1, .kernel_names = data[0] & 2 ? AZ_SV("full") : AZ_SV("demangled") };
    struct az_file file = { .path = az_sv_str(path) };
    az_mem_init(&mem, 64u << 20);
    az_diag_init(&diag);
    if (az_trace_init(&trace, &mem) == 0) {
        struct az_parse job = { .files = &file, .n_files = 1, .opts = &opts, .trace = &trace, .diag = &diag, .mem = &mem, .threads = 1 };
        int rc = az_format_rocprof.parse(&job);
        if (rc != 0 && diag.errors == 0)
            abort(); /* an error always has a message */
        if (rc == 0 && az_trace_seal(&trace) != 0)
            abort();
        az_trace_release(&trace);
    }
    if (mem.used != 0)
        abort();
    az_diag_release(&diag);
    (void)unlink(path);
    return 0;
}
