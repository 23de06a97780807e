/* Rights that a command drops before it reads (io/sandbox.h), in two steps: the network at once,
 * and other programs as soon as it is known that no input needs one. */
#include "cmds/internal.h"

#include <string.h>

#include "base/env.h"
#include "io/path.h"
#include "io/sandbox.h"

static const char option[] = "--no-sandbox";
/* Of the process, as the sandbox itself is: written before there are threads. */
static bool entered, alone;

/* Removes the option from the words, wherever it is: every command has it. */
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

/* The command that starts other programs on purpose; and those that read nothing, of whose time the
 * filter would be a tenth. */
static bool goes_without(const char *command)
{
    static const char *const names[] = { "replay", "version", "--version" };

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

/* ---- where files are written ---- */

AZ_VEC(const char *, paths);

/* The path, or the folder above it that exists: it is made there. */
static int add_path(struct paths *list, struct az_arena *a, struct az_sv path)
{
    const char *p = az_arena_str(a, path);
    while (p && path.n && az_path_stat(p).kind != AZ_PATH_DIR) {
        const struct az_sv folder = az_path_dir(path);
        if (az_sv_eq(folder, path))
            break;
        path = folder; /* also of a file: it is replaced there */
        p = az_arena_str(a, path);
    }
    return !p ? AZ_ENOMEM : *p ? az_vec_push(list, p) : 0;
}

static int add_targets(struct paths *list, struct az_arena *a, const struct az_targets *t)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < t->n; i++)
        rc = add_path(list, a, t->v[i].path);
    return rc;
}

static int add_plan(struct paths *list, struct az_arena *a, const struct az_plan *plan)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < plan->jobs.n; i++)
        rc = add_targets(list, a, &plan->jobs.v[i].targets);
    for (size_t i = 0; rc == 0 && i < AZ_STEP_COUNT; i++)
        rc = add_targets(list, a, &plan->steps[i].targets);
    if (rc == 0 && plan->config && plan->config->history.path.n)
        rc = add_path(list, a, plan->config->history.path);
    return rc;
}

/* Temporary files, devices, and what the options of the command name. */
static void restrict_writes(const struct az_plan *plan, const struct az_sandbox_needs *needs)
{
    /* SQLite sorts what is large in files of its first, else TMPDIR, else /var/tmp. */
    const char *sorting = az_env("SQLITE_TMPDIR"), *tmp = az_env("TMPDIR");
    const char *summary = az_env("GITHUB_STEP_SUMMARY");
    struct paths list;
    struct az_arena a;
    az_arena_init(&a, NULL);
    az_vec_init(&list, NULL);
    int rc = az_vec_push(&list, tmp && *tmp ? tmp : "/tmp");
    if (rc == 0 && sorting && *sorting)
        rc = az_vec_push(&list, sorting);
    else if (rc == 0 && !(tmp && *tmp))
        rc = az_vec_push(&list, "/var/tmp");
    if (rc == 0)
        rc = az_vec_push(&list, "/dev");
    if (rc == 0 && summary && *summary)
        rc = add_path(&list, &a, az_sv_str(summary));
    for (size_t i = 0; rc == 0 && needs && i < AZ_LENGTH(needs->write) && needs->write[i]; i++)
        rc = add_path(&list, &a, az_sv_str(needs->write[i]));
    if (rc == 0 && plan && !(needs && needs->no_reports))
        rc = add_plan(&list, &a, plan);
    if (rc == 0)
        (void)az_sandbox_writes(list.v, list.n);
    az_vec_release(&list);
    az_arena_release(&a);
}

void az_sandbox_settle_for(const struct az_plan *plan, const struct az_sandbox_needs *needs)
{
    if (!entered)
        return;
    for (size_t i = 0; plan && i < plan->jobs.n; i++)
        if (plan->jobs.v[i].format && plan->jobs.v[i].format->converts)
            return; /* another program turns it into what is read */
    restrict_writes(plan, needs);
    (void)az_sandbox_enter(needs && needs->sockets ? AZ_SANDBOX_PROGRAMS : AZ_SANDBOX_CHILDREN);
}

void az_sandbox_settle(const struct az_plan *plan) { az_sandbox_settle_for(plan, NULL); }

void az_sandbox_settle_alone(const struct az_plan *plan)
{
    if (alone)
        az_sandbox_settle_for(plan, &(struct az_sandbox_needs){ .no_reports = true });
}
