/* What a command gives up before it reads (io/sandbox.h), in two steps: the network at once, and
 * other programs as soon as it is known that no input needs one. */
#include "cmds/internal.h"

#include <string.h>

#include "io/sandbox.h"

static const char option[] = "--no-sandbox";
/* Of the process, as the sandbox itself is: written before there are threads. */
static bool entered, alone;

/* Takes the option out of the words, wherever it stands: every command knows it. */
static bool refused(int *argc, char **argv)
{
    int kept = 1;
    bool found = false, operands = false;

    for (int i = 1; i < *argc; i++) {
        operands = operands || strcmp(argv[i], "--") == 0;
        if (!operands && strcmp(argv[i], option) == 0)
            found = true;
        else
            argv[kept++] = argv[i];
    }
    if (*argc > 0) {
        argv[kept] = NULL;
        *argc = kept;
    }
    return found;
}

/* Commands that start other programs on purpose, or answer others; and those that read nothing, of
 * whose time the filter would be a tenth. */
static bool goes_without(const char *command)
{
    static const char *const names[] = { "replay", "serve", "version", "--version" };

    for (size_t i = 0; i < AZ_LENGTH(names); i++)
        if (strcmp(command, names[i]) == 0)
            return true;
    return false;
}

void az_sandbox_begin(int *argc, char **argv)
{
    const bool off = refused(argc, argv);

    alone = *argc <= 3;
    if (!off && *argc > 1 && !goes_without(argv[1]))
        entered = az_sandbox_enter(AZ_SANDBOX_NETWORK);
}

void az_sandbox_settle(const struct az_plan *plan)
{
    if (!entered)
        return;
    for (size_t i = 0; plan && i < plan->jobs.n; i++)
        if (plan->jobs.v[i].format && plan->jobs.v[i].format->converts)
            return; /* another program turns it into what is read */
    for (size_t i = 0; plan && i < plan->jobs.n; i++)
        if (plan->jobs.v[i].input->opts.node_replay && plan->jobs.v[i].input->opts.run_replay)
            return; /* its benchmarks are other programs */
    (void)az_sandbox_enter(AZ_SANDBOX_CHILDREN);
}

void az_sandbox_settle_alone(const struct az_plan *plan)
{
    if (alone)
        az_sandbox_settle(plan);
}
