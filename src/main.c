#include "base/mem.h"
#include "cmds/cmds.h"

int main(int argc, char **argv)
{
    az_mem_trim(); /* the first call is to come before there are threads */
    return az_main(argc, argv);
}
