#define _DEFAULT_SOURCE
/* nsys stats CSV from arbitrary bytes. The first byte chooses the role and whether titles are trusted; the rest is the
 * file. Small memory limit: no input may need more than a multiple of its size. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void options(struct az_options *o, unsigned choice)
{
    *o = (struct az_options){ .with_header = !(choice & 8), .gpus = 1 };
    o->kernel_total_time_idx = o->kernel_instance_idx = o->kernel_name_idx = AZ_UNSET_I64;
    o->nvtx_tag_idx = o->nvtx_proj_duration_idx = AZ_UNSET_I64;
    o->mem_name_idx = o->mem_time_idx = o->mem_count_idx = AZ_UNSET_I64;
    if (choice & 16)
        o->kernel_name_idx = o->mem_name_idx = o->nvtx_tag_idx = choice >> 5;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const roles[] = { "", "kernel_sum", "mem_time_sum", "nvtx_proj_trace" };
    char path[] = "/tmp/nsys_csv_fuzz.XXXXXX";
    if (size < 1)
        return 0;
    struct az_sv bytes = az_sv_make((const char *)data + 1, size - 1);
    (void)az_format_nsys_csv.probe(bytes, AZ_SV("x.csv"));
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
        abort();
    (void)close(fd);

    struct az_mem mem;
    struct az_diag diag;
    struct az_trace trace;
    struct az_options opts;
    struct az_file file = { .path = az_sv_str(path), .role = az_sv_str(roles[data[0] & 3]), .optional = data[0] & 4 };
    options(&opts, data[0]);
    az_mem_init(&mem, 64u << 20);
    az_diag_init(&diag);
    if (az_trace_init(&trace, &mem) == 0) {
        struct az_parse job = {
            .files = &file, .n_files = 1, .opts = &opts, .trace = &trace, .diag = &diag, .mem = &mem, .threads = 1
        };
        int rc = az_format_nsys_csv.parse(&job);
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
