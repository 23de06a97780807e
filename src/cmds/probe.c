/* `analyzer probe PATH...`: what is this file, and what is in it. */
#include "cmds/internal.h"

#include <stdio.h>

#include "io/path.h"
#include "read/skipped_files.h"

enum { OPT_INIT = 256 };

struct probing {
    struct az_diag diag;
    size_t known;
    bool unread; /* a file could not be checked */
};

static int print_format(struct probing *p, const char *path, bool of_folder)
{
    const struct az_format *f = NULL;
    const int rc = of_folder ? az_format_probe_found(path, &f, NULL, &p->diag)
                             : az_format_probe(path, &f, NULL, &p->diag);

    if (rc)
        return rc;
    az_print_name(az_sv_str(path));
    printf(": %s\n", f->name);
    p->known++;
    return AZ_OK;
}

/* In a folder, what is not recognized is skipped. */
static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct probing *p = ctx, one = { .known = 0 };

    (void)depth;
    if (az_path_is_unread(info) && az_skip_is_profile_name(az_sv_str(path))) {
        az_passed_odd(path, info, &p->diag);
        p->unread = true;
    }
    if (info->kind != AZ_PATH_FILE)
        return AZ_OK;
    az_diag_init(&one.diag);
    if (print_format(&one, path, true) == AZ_OK)
        p->known++;
    az_diag_release(&one.diag);
    return AZ_OK;
}

static int probe_folder(struct probing *p, const char *path)
{
    struct az_walk w = { .visit = visit, .ctx = p };
    size_t before = p->known;
    int rc = az_path_walk(path, &w, &p->diag);

    if (!rc && p->unread)
        return AZ_EIO;
    if (!rc && p->known == before)
        return az_diag_fail(&p->diag, AZ_EFORMAT, AZ_AT_FILE(az_sv_str(path)),
                            "no profile of a supported format in this folder; see 'analyzer list'");
    return rc;
}

static int run_probe(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_log log = { .level = AZ_LOG_NORMAL };
    struct probing p = { .known = 0 };
    struct az_args a;
    bool init = false;
    int id, rc, failed = 0;

    az_args_init(&a, cmd, argc, argv);
    while ((id = az_args_next(&a)) != ARG_END) {
        if (id == ARG_ERROR)
            return AZ_EXIT_USAGE;
        if (id == 'h')
            return az_print_command_help(cmd);
        init = true;
    }
    if (!a.n_operands)
        return az_usage_error(cmd, "missing argument; usage: analyzer probe %s", cmd->args);
    if (init)
        return az_init_print(&a);
    log.color = az_use_color(AZ_AUTO, 2);
    const bool joined = az_preview_joins((const char *const *)a.operands, a.n_operands);
    for (size_t i = 0; i < a.n_operands; i++) {
        const char *path = a.operands[i];
        az_diag_init(&p.diag);
        rc = !*path ? az_diag_fail(&p.diag, AZ_EUSAGE, AZ_NOWHERE, "empty path ''; name a file")
             : az_path_stat(path).kind == AZ_PATH_DIR ? probe_folder(&p, path)
                                                      : print_format(&p, path, false);
        fflush(stdout);
        az_diag_print(&p.diag, &log);
        az_diag_release(&p.diag);
        if (!rc && !joined)
            rc = az_preview_describe(&path, 1, &log);
        failed |= rc;
    }
    if (joined && !failed)
        failed = az_preview_describe((const char *const *)a.operands, a.n_operands, &log);
    return failed ? AZ_EXIT_PARTIAL : AZ_EXIT_OK;
}

static const struct az_cmd_opt options[] = {
    { OPT_INIT, "init", NULL,
      "print a configuration for these files (the same as 'analyzer init')" },
    { 'h', "help", NULL, "print this help" },
};
const struct az_cmd az_cmd_probe = {
    "probe",
    "PATH...",
    "identify profiles: format, devices, ranks, steps, span",
    "Next: 'analyzer run PATH' prints a report, 'analyzer init PATH' a configuration.",
    options,
    AZ_LENGTH(options),
    run_probe
};
