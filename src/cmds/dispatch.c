/* argv to command. `analyzer --config=FILE` is `analyzer run --config=FILE`. */
#include "cmds/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "io/path.h"

static int unknown_command(const char *word)
{
    const char *near = cmd_nearest(word);

    if (az_path_stat(word).kind != AZ_PATH_MISSING)
        return usage_error(NULL, "unknown command '%s' (to look at this file: analyzer run %s)", word, word);
    if (near)
        return usage_error(NULL, "unknown command '%s' (did you mean '%s'?)", word, near);
    return usage_error(NULL, "unknown command '%s'", word);
}

static int dispatch(int argc, char **argv)
{
    const struct cmd *cmd;

    if (argc < 2) {
        usage_error(NULL, "nothing to do: give --config=FILE or a command");
        return AZ_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_usage();
        return AZ_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0)
        return cmd_version.run(&cmd_version, 1, argv);
    if (argv[1][0] == '-')
        return cmd_run.run(&cmd_run, argc, argv);
    cmd = cmd_find(argv[1]);
    return cmd ? cmd->run(cmd, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int az_main(int argc, char **argv)
{
    int rc = dispatch(argc, argv);

    errno = 0;
    if (fclose(stdout) != 0 && rc == AZ_EXIT_OK) {
        fprintf(stderr, "analyzer: error: standard output: %s\n", strerror(errno));
        rc = AZ_EXIT_PARTIAL;
    }
    return rc;
}
