/* The assembler includes the files as they are; the build lists them as prerequisites of this object. */
#include "base/data.h"

#define EMBED(symbol, file)                                                                                            \
    __asm__(".section .rodata\n" #symbol ":\n.incbin \"configs/" file "\"\n" #symbol "_end:\n.byte 0\n.previous\n");   \
    extern const char symbol[], symbol##_end[]

EMBED(az_data_op_categories, "op_categories.csv");
EMBED(az_data_kernel_classes, "kernel_classes.rules");

struct az_sv az_data(const char *name)
{
    if (strcmp(name, "op_categories.csv") == 0)
        return az_sv_make(az_data_op_categories, (size_t)(az_data_op_categories_end - az_data_op_categories));
    if (strcmp(name, "kernel_classes.rules") == 0)
        return az_sv_make(az_data_kernel_classes, (size_t)(az_data_kernel_classes_end - az_data_kernel_classes));
    return az_sv_make(NULL, 0);
}
