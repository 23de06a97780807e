/* `analyzer slurm`: a job array that maps the traces of a run, and a job after it that reduces
 * them. Everything is files in one folder, so that what is submitted can be read, changed and run
 * by hand.
 */
#include "cmds/run_args.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "io/child.h"
#include "io/outfile.h"
#include "io/path.h"
#include "run/map.h"

#define MOST_TASKS 1000 /* MaxArraySize is 1001 unless a site sets another */

enum { OPT_TASKS = OPT_OWN, OPT_LIMIT, OPT_BY_NODE, OPT_SUBMIT, OPT_FORCE };

static const struct az_cmd_opt options[] = {
    { 'b', "base", "PATH",
      "folder, file or glob of traces, accessible from all nodes; repeatable" },
    { 'o', "output", "DIR",
      "folder of scripts, logs, parts and reports, accessible from all nodes (analyzer-slurm)" },
    { 'n', "tasks", "N", "maximum number of array tasks; default: one task per 8 traces" },
    { OPT_LIMIT, "limit", "N", "maximum number of concurrent tasks" },
    { OPT_BY_NODE, "by-node", "NODES",
      "traces are on local disks of these nodes (format of sbatch --nodelist); one task per node "
      "reads the local matches of -b" },
    { OPT_FORMAT, "format", "LIST", "output formats of the report (text,xlsx)" },
    { OPT_OPT, "opt", "KEY=VALUE", "set an option ('analyzer help config'); repeatable" },
    { OPT_SUBMIT, "submit", NULL, "submit both jobs instead of printing the commands" },
    { OPT_FORCE, "force", NULL, "read traces again even if they have a part" },
    { 'q', "quiet", NULL, "print errors only" },
    { 'h', "help", NULL, "print this help" },
};

struct slurm {
    const struct az_cmd *cmd;
    struct az_run_args run;
    struct az_vec_sv base, opt, sbatch; /* views into argv */
    const char *out, *nodes, *format;
    int64_t tasks, limit;
    bool submit, force;
    struct az_arena arena;
    struct az_sv dir;   /* absolute */
    struct az_sv words; /* of the program and the options, for a shell */
    size_t files;
    struct az_diag diag;
};

/* A word of a shell command. */
static struct az_sv quoted(struct az_arena *a, struct az_sv s)
{
    struct az_sv out = AZ_SV("'");
    for (size_t from = 0, i = 0; i <= s.n; i++) {
        if (i < s.n && s.p[i] != '\'')
            continue;
        out = az_arena_printf(a, "%.*s%.*s%s", AZ_SVF(out), (int)(i - from), s.p + from,
                              i < s.n ? "'\\''" : "'");
        from = i + 1;
    }
    return out;
}

static struct az_sv join_words(struct az_arena *a, const struct az_vec_sv *words,
                               const char *option)
{
    struct az_sv out = AZ_SV("");
    for (size_t i = 0; i < words->n; i++)
        out =
            az_arena_printf(a, "%.*s%s %.*s", AZ_SVF(out), option, AZ_SVF(quoted(a, words->v[i])));
    return out;
}

/* This program, as nodes find it. */
static struct az_sv program(struct az_arena *a)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    return quoted(a, n > 0 ? az_sv_make(path, (size_t)n) : AZ_SV("analyzer"));
}

/* ---- files ---- */

static int write_file(struct slurm *s, const char *name, struct az_sv text, bool script)
{
    struct az_outfile *f = NULL;
    const struct az_sv path = az_arena_printf(&s->arena, "%.*s/%s", AZ_SVF(s->dir), name);
    int rc = path.p && text.p ? az_outfile_open(&f, path.p, &s->diag) : AZ_ENOMEM;
    if (rc)
        return rc;
    az_outfile_puts(f, text);
    rc = az_outfile_commit(f);
    if (rc == 0 && script && chmod(path.p, 0755) != 0)
        rc = az_diag_fail(&s->diag, AZ_EIO, AZ_AT_FILE(path), "cannot make executable");
    return rc;
}

/* The list of traces; how many. */
static int write_list(struct slurm *s)
{
    struct az_map_files files;
    struct az_vec_char text;
    struct az_config c;
    const char **path = az_arena_array(&s->arena, s->base.n, sizeof *path);
    int rc = path ? az_config_init(&c) : AZ_ENOMEM;

    if (rc)
        return rc;
    for (size_t i = 0; i < s->base.n; i++)
        path[i] = s->base.v[i].p;
    const struct az_map_opts m = { .path = path, .n = s->base.n };
    struct az_plan names;
    struct az_config_names known;
    az_plan_init(&names);
    az_vec_init(&files, NULL);
    az_vec_init(&text, NULL);
    rc = az_plan_names(&names.arena, &known);
    if (rc == 0)
        rc = az_config_quick(&c, &s->run.over, &known, &s->diag);
    if (rc == 0)
        rc = az_map_find(&c, &m, &files, NULL, &s->diag);
    for (size_t i = 0; rc == 0 && i < files.n; i++)
        rc = az_text_printf(&text, "%.*s\n", AZ_SVF(files.v[i].path));
    s->files = files.n;
    if (rc == 0)
        rc = write_file(s, "files", az_text_view(&text), false);
    az_vec_release(&text);
    az_vec_release(&files);
    az_plan_release(&names);
    az_config_release(&c);
    return rc;
}

/* A task ends with 0 whatever became of its traces: its parts have it, and what has none is named
 * by the report. So one bad rank does not prevent a dependent job. */
static struct az_sv map_script(struct slurm *s)
{
    struct az_arena *a = &s->arena;
    const struct az_sv dir = quoted(a, s->dir);
    if (s->nodes) /* one task on each node; a lost node loses its own traces */
        return az_arena_printf(
            a,
            "#!/bin/sh\n#SBATCH --job-name=analyzer-map\n#SBATCH --nodelist=%s\n"
            "#SBATCH --ntasks-per-node=1\n#SBATCH --no-kill\n#SBATCH --requeue\n"
            "#SBATCH --open-mode=append\ncd %.*s || exit 1\n"
            "srun --no-kill --kill-on-bad-exit=0 --wait=0 sh -c '\"$@\" --tag \"$SLURMD_NODENAME\" "
            "|| echo \"map: status $?\" >&2' sh \\\n    %.*s map -o parts%s%.*s%.*s\nexit 0\n",
            s->nodes, AZ_SVF(dir), AZ_SVF(s->words), s->force ? " --force" : "",
            AZ_SVF(join_words(a, &s->opt, " --opt")), AZ_SVF(join_words(a, &s->base, "")));
    const struct az_sv limit =
        s->limit > 0 ? az_arena_printf(a, "%%%lld", (long long)s->limit) : AZ_SV("");
    return az_arena_printf(
        a,
        "#!/bin/sh\n#SBATCH --job-name=analyzer-map\n#SBATCH --array=0-%lld%.*s\n"
        "#SBATCH --requeue\n#SBATCH --open-mode=append\ncd %.*s || exit 1\n"
        "%.*s map --files files --task \"$SLURM_ARRAY_TASK_ID/%lld\" -o parts%s%.*s ||\n"
        "    echo \"map: status $?\" >&2\nexit 0\n",
        (long long)s->tasks - 1, AZ_SVF(limit), AZ_SVF(dir), AZ_SVF(s->words), (long long)s->tasks,
        s->force ? " --force" : "", AZ_SVF(join_words(a, &s->opt, " --opt")));
}

/* For a moment Slurm counts an array as ended in which all remaining tasks are being requeued:
 * the report waits for those, though not for ever, as they may need its slot. */
static struct az_sv reduce_script(struct slurm *s)
{
    return az_arena_printf(
        &s->arena,
        "#!/bin/sh\n#SBATCH --job-name=analyzer-reduce\n#SBATCH --requeue\ncd %.*s || exit 1\n"
        "n=0\nwhile [ -n \"$1\" ] && [ $((n += 1)) -le 300 ] && "
        "[ -n \"$(squeue -h -j \"$1\" 2>/dev/null)\" ]; do\n    sleep 2\ndone\n"
        "exec %.*s reduce parts%s -o report --format %.*s%.*s >report.txt\n",
        AZ_SVF(quoted(&s->arena, s->dir)), AZ_SVF(s->words), s->nodes ? "" : " --expect files",
        AZ_SVF(quoted(&s->arena, az_sv_str(s->format))),
        AZ_SVF(join_words(&s->arena, &s->opt, " --opt")));
}

static struct az_sv submit_script(struct slurm *s)
{
    struct az_arena *a = &s->arena;
    const struct az_sv dir = quoted(a, s->dir), more = join_words(a, &s->sbatch, "");
    const char *log = s->nodes ? "log/map.%j" : "log/map.%A_%a";
    return az_arena_printf(
        a,
        "#!/bin/sh\n# Both jobs; the second when all tasks of the first have ended, well or not.\n"
        "cd %.*s || exit 1\n"
        "map=$(sbatch --parsable%.*s -o %s map.sh) || exit 1\n"
        "map=${map%%%%;*}\n"
        "reduce=$(sbatch --parsable --dependency=\"afterany:$map\"%.*s -o log/reduce.%%j "
        "reduce.sh \"$map\") || "
        "exit 1\n"
        "echo \"map $map, reduce ${reduce%%%%;*}\"\n",
        AZ_SVF(dir), AZ_SVF(more), log, AZ_SVF(more));
}

static int write_all(struct slurm *s)
{
    const char *const dir = s->dir.p;
    const struct az_sv log = az_arena_printf(&s->arena, "%s/log", dir),
                       report = az_arena_printf(&s->arena, "%s/report", dir);
    int rc = log.p && report.p ? az_path_mkdirs(log.p, &s->diag) : AZ_ENOMEM;
    if (rc == 0)
        rc = az_path_mkdirs(report.p, &s->diag);
    if (rc == 0 && !s->nodes)
        rc = write_list(s);
    if (rc)
        return rc;
    if (s->tasks == 0)
        s->tasks = (int64_t)(s->files + 7) / 8;
    s->tasks = s->tasks > MOST_TASKS ? MOST_TASKS : s->tasks;
    s->tasks = s->tasks > (int64_t)s->files && s->files ? (int64_t)s->files : s->tasks;
    rc = write_file(s, "map.sh", map_script(s), true);
    if (rc == 0)
        rc = write_file(s, "reduce.sh", reduce_script(s), true);
    return rc ? rc : write_file(s, "submit.sh", submit_script(s), true);
}

static int submit(struct slurm *s)
{
    const struct az_sv script = az_arena_printf(&s->arena, "%.*s/submit.sh", AZ_SVF(s->dir)),
                       log = az_arena_printf(&s->arena, "%.*s/log/submit", AZ_SVF(s->dir));
    const char *const argv[] = { "sh", script.p, NULL };
    const struct az_child_opts o = { .output = log.p, .timeout_s = 120 };
    int status = 0;
    int rc = script.p && log.p ? az_child_run(argv, &o, &status, &s->diag) : AZ_ENOMEM;
    if (rc)
        return rc;
    const struct az_sv tail = az_file_tail(&s->arena, log.p, 20);
    if (status)
        return az_diag_fail(&s->diag, AZ_ECHILD, AZ_AT_FILE(script), "cannot submit: %.*s",
                            AZ_SVF(tail));
    if (!s->run.quiet)
        printf("%.*s\n", AZ_SVF(az_sv_trim(tail)));
    return AZ_OK;
}

/* ---- command line ---- */

static int number(struct slurm *s, const char *option, const char *text, int64_t *out)
{
    if (az_parse_i64(az_sv_str(text), out) || *out < 1 || *out > 1000000)
        return az_usage_error(s->cmd, "invalid %s '%s'; use a number of tasks", option, text);
    return AZ_EXIT_OK;
}

static int take_option(void *ctx, int id, const char *value)
{
    struct slurm *s = ctx;

    switch (id) {
    case 'b':
        return az_vec_push(&s->base, az_sv_str(value)) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case 'o':
        s->out = value;
        return *value ? AZ_EXIT_OK : az_usage_error(s->cmd, "missing name for -o; use -o PATH");
    case 'n':
        return number(s, "-n", value, &s->tasks);
    case OPT_LIMIT:
        return number(s, "--limit", value, &s->limit);
    case OPT_BY_NODE:
        s->nodes = value;
        return *value ? AZ_EXIT_OK : az_usage_error(s->cmd, "missing node names for --by-node");
    case OPT_FORMAT:
        s->format = value;
        return az_run_option(s->cmd, &s->run, id, value); /* known names */
    case OPT_OPT:
        if (az_vec_push(&s->opt, az_sv_str(value)))
            return AZ_EXIT_INTERNAL;
        return az_run_option(s->cmd, &s->run, id, value);
    case OPT_SUBMIT:
        s->submit = true;
        return AZ_EXIT_OK;
    case OPT_FORCE:
        s->force = true;
        return AZ_EXIT_OK;
    default:
        return az_run_option(s->cmd, &s->run, id, value);
    }
}

static int parse(struct slurm *s, struct az_args *a, bool *help)
{
    int rc = az_args_parse(a, take_option, s, help);

    if (rc || *help)
        return rc;
    for (size_t i = 0; i < a->n_operands; i++) /* after -- */
        if (az_vec_push(&s->sbatch, az_sv_str(a->operands[i])))
            return AZ_EXIT_INTERNAL;
    if (!s->base.n)
        return az_usage_error(s->cmd, "no traces; use -b PATH");
    return AZ_EXIT_OK;
}

static int make_scripts(struct slurm *s)
{
    const struct az_sv out = az_arena_dup(&s->arena, az_sv_str(s->out));
    int rc = out.p ? az_path_mkdirs(out.p, &s->diag) : AZ_ENOMEM;
    if (rc == 0)
        rc = az_path_absolute(&s->arena, out, &s->dir);
    for (size_t i = 0; rc == 0 && i < s->base.n; i++) /* the scripts run in their folder */
        rc = az_path_absolute(&s->arena, s->base.v[i], &s->base.v[i]);
    s->words = program(&s->arena);
    if (rc == 0)
        rc = write_all(s);
    if (rc == 0 && s->submit)
        return submit(s);
    if (rc == 0 && !s->run.quiet)
        printf("sh %.*s\n",
               AZ_SVF(quoted(&s->arena, az_path_join(&s->arena, s->dir, AZ_SV("submit.sh")))));
    return rc;
}

static int run_slurm(const struct az_cmd *cmd, int argc, char **argv)
{
    struct slurm s = { .cmd = cmd, .out = "analyzer-slurm", .format = "text,xlsx" };
    struct az_args a;
    bool help;
    int rc;

    az_arena_init(&s.arena, NULL);
    az_diag_init(&s.diag);
    az_vec_init(&s.base, NULL);
    az_vec_init(&s.opt, NULL);
    az_vec_init(&s.sbatch, NULL);
    az_run_args_init(&s.run);
    az_args_init(&a, cmd, argc, argv);
    rc = parse(&s, &a, &help);
    if (!rc && !help) {
        az_run_fill_opts(&s.run);
        rc = make_scripts(&s);
        az_diag_print(&s.diag, &s.run.run.log);
        rc = rc == AZ_ECHILD || rc == AZ_EIO ? AZ_EXIT_PARTIAL : az_run_exit_status(rc);
    }
    az_run_args_release(&s.run);
    az_vec_release(&s.base);
    az_vec_release(&s.opt);
    az_vec_release(&s.sbatch);
    az_diag_release(&s.diag);
    az_arena_release(&s.arena);
    return rc;
}

const struct az_cmd az_cmd_slurm = {
    "slurm",
    "-b PATH [options] [-- SBATCH-OPTION...]",
    "generate Slurm scripts: a map job array and a reduce job",
    "Writes files, map.sh, reduce.sh and submit.sh to the folder of -o, a shared file system; "
    "submit.sh submits both jobs.\nArguments after -- are passed to sbatch for both jobs: -- -p "
    "batch --time=30. A task that is killed or requeued\ncontinues where it stopped; the report "
    "lists traces without a part.",
    options,
    AZ_LENGTH(options),
    run_slurm
};
