#include "cmds/cmds.h"

int main(int argc, char **argv) { return az_main(argc, argv); }
