/* The command line. */
#ifndef AZ_CMDS_CMDS_H
#define AZ_CMDS_CMDS_H

/* The whole program; returns the exit status. */
int az_main(int argc, char **argv);

/* A command as a step of a program: standard output stays open. */
int az_command(int argc, char **argv);

#endif
