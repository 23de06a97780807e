#define _DEFAULT_SOURCE
/* nsys stats CSV from arbitrary bytes. The first byte chooses the role and whether titles are
 * trusted; the rest is the file. Small memory limit: no input may need more than a multiple of its
 * size. */
#include "format_fuzz.h"

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
    int fd = fuzz_file(path);
    fuzz_bytes(fd, bytes);
    (void)close(fd);
    struct az_options opts;
    options(&opts, data[0]);
    fuzz_format(&(struct format_fuzz){ .format = &az_format_nsys_csv,
                                       .opts = &opts,
                                       .role = roles[data[0] & 3],
                                       .optional = data[0] & 4 },
                path);
    return 0;
}
