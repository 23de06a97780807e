/* Cuts of a file of each format that is no database. */
#include "unit/formats_cut_checks.h"

/* From the folder of the project. */
static const struct cut_file cut_files[] = {
    { &az_format_xplane, "example/xplane/plugins/profile/train_step/alpha.xplane.pb", "a.pb" },
    { &az_format_xplane, "example/xplane/tpu/tpu.xplane.pb", "a.xplane.pb" },
    { &az_format_xplane, "tests/data/recorded/jax_unrolled.xplane.pb.gz", "a.xplane.pb.gz" },
    { &az_format_pytorch, "example/pytorch/moe.json", "a.json" },
    { &az_format_pytorch, "example/pytorch/inference.json", "a.json" },
    { &az_format_pytorch, "tests/data/recorded/few_blocks.pt.trace.json.gz", "a.json.gz" },
    { &az_format_rocprof, "tests/data/rocprof/train_results.json", "a.json" },
    { &az_format_tracy, "example/tracy/ops_perf_results_host0.csv", "a.csv" },
};

static void cut_is_part_of_the_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < AZ_LENGTH(cut_files); i++) {
        struct fixture f;
        fixture_open(&f);
        cut_is_sound(&f, &cut_files[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_is_part_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
