/* The assembler includes the files as they are; the build lists them as prerequisites of this
 * object. */
#include "base/data.h"
#include "base/err.h"

#define EMBED(symbol, file)                                                                        \
    __asm__(".section .rodata\n" #symbol ":\n.incbin \"configs/" file "\"\n" #symbol               \
            "_end:\n.byte 0\n.previous\n");                                                        \
    extern const char symbol[], symbol##_end[]

EMBED(az_data_op_categories, "op_categories.csv");
EMBED(az_data_kernel_classes, "kernel_classes.rules");
EMBED(az_data_phases, "phases.rules");
EMBED(az_data_tt_devices, "tt_devices.csv");
EMBED(az_data_tt_ops, "tt_ops.rules");
EMBED(az_data_amd_categories, "amd_categories.rules");
EMBED(az_data_amd_activity, "amd_activity.rules");
EMBED(az_data_rank_groups, "rank_groups.rules");
EMBED(az_data_xla_events, "xla_events.rules");
EMBED(az_data_trace_names, "trace_names.rules");
EMBED(az_data_copies, "copies.rules");
EMBED(az_data_op_models, "op_models.csv");
EMBED(az_data_devices, "devices.csv");
EMBED(az_data_pseudo_ops, "pseudo_ops.lua");
EMBED(az_data_replay_torch, "replay_torch.py");
EMBED(az_data_generated_names, "generated_names.rules");
EMBED(az_data_fused_names, "fused_names.txt");

#define FILE_OF(symbol, name)                                                                      \
    {                                                                                              \
        name, symbol, symbol##_end                                                                 \
    }

struct az_sv az_data(const char *name)
{
    static const struct {
        const char *name, *from, *to;
    } files[] = {
        FILE_OF(az_data_op_categories, "op_categories.csv"),
        FILE_OF(az_data_kernel_classes, "kernel_classes.rules"),
        FILE_OF(az_data_phases, "phases.rules"),
        FILE_OF(az_data_tt_devices, "tt_devices.csv"),
        FILE_OF(az_data_tt_ops, "tt_ops.rules"),
        FILE_OF(az_data_amd_categories, "amd_categories.rules"),
        FILE_OF(az_data_amd_activity, "amd_activity.rules"),
        FILE_OF(az_data_rank_groups, "rank_groups.rules"),
        FILE_OF(az_data_xla_events, "xla_events.rules"),
        FILE_OF(az_data_trace_names, "trace_names.rules"),
        FILE_OF(az_data_copies, "copies.rules"),
        FILE_OF(az_data_op_models, "op_models.csv"),
        FILE_OF(az_data_devices, "devices.csv"),
        FILE_OF(az_data_pseudo_ops, "pseudo_ops.lua"),
        FILE_OF(az_data_replay_torch, "replay_torch.py"),
        FILE_OF(az_data_generated_names, "generated_names.rules"),
        FILE_OF(az_data_fused_names, "fused_names.txt"),
    };
    for (size_t i = 0; i < AZ_LENGTH(files); i++)
        if (strcmp(name, files[i].name) == 0)
            return az_sv_make(files[i].from, (size_t)(files[i].to - files[i].from));
    return az_sv_make(NULL, 0);
}
