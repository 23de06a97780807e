/* Rights that a command drops before it reads (io/sandbox.h), in two steps: the network at once,
 * and other programs as soon as it is known that no input needs one. */
#include "cmds/internal.h"

#include <dirent.h>
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

/* Those that read nothing, of whose time the filter would be a tenth. */
static bool goes_without(const char *command)
{
    static const char *const names[] = { "version", "--version" };

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

/* ---- which files are written and read ---- */

struct allowed {
    AZ_VEC(struct az_sandbox_path, az_sandbox_paths) list;
    struct az_arena arena;
    int error;
};

static void allow_path(struct allowed *f, const char *path, unsigned how)
{
    if (!path || f->error)
        f->error = f->error ? f->error : AZ_ENOMEM;
    else if (*path)
        f->error = az_vec_push(&f->list, ((struct az_sandbox_path){ path, how }));
}

/* The path, or the folder above it that exists: it is made there. What was written is read again: a
 * workbook is verified, a database is made of pages. */
static void add_output(struct allowed *f, struct az_sv path)
{
    const char *p = az_arena_str(&f->arena, path);
    while (p && path.n && az_path_stat(p).kind != AZ_PATH_DIR) {
        const struct az_sv folder = az_path_dir(path);
        if (az_sv_eq(folder, path))
            break;
        path = folder; /* also of a file: it is replaced there */
        p = az_arena_str(&f->arena, path);
    }
    allow_path(f, p, AZ_SANDBOX_READ | AZ_SANDBOX_WRITE);
}

static void add_targets(struct allowed *f, const struct az_targets *t)
{
    for (size_t i = 0; i < t->n; i++)
        add_output(f, t->v[i].path);
}

/* A file with those that SQLite has next to a database, or a folder. */
static void add_input(struct allowed *f, struct az_sv path)
{
    static const char *const suffix[] = { "", "-wal", "-shm", "-journal" };
    for (size_t i = 0; path.n && i < AZ_LENGTH(suffix); i++)
        allow_path(f, az_arena_printf(&f->arena, "%.*s%s", AZ_SVF(path), suffix[i]).p,
                   AZ_SANDBOX_READ);
}

/* Saved results: one, a folder of them, or a glob of such. */
static void add_results(struct allowed *f, struct az_sv path)
{
    while (path.n && az_path_is_glob(path))
        path = az_path_dir(path);
    add_input(f, path);
}

/* Files that options name: extensions, rates of devices, captures. */
static void add_options(struct allowed *f, const struct az_options *opts)
{
    for (size_t i = 0; i < az_option_count; i++) {
        const struct az_option *o = &az_option_table[i];
        if (o->type == AZ_OPT_PATH && o->owner == AZ_OWN_OPTIONS)
            add_input(f, *(const struct az_sv *)((const char *)opts + o->offset));
    }
}

/* What a format reads next to a file: the folder of captures, also next to the folder of its rank;
 * the programs in a folder that the profiler wrote; the files of a set. */
static void add_companions(struct allowed *f, const struct az_format *format, struct az_sv file)
{
    static const char *const form[] = { "%.*s/%s", "%.*s/../%s" };
    const struct az_sv dir = az_path_dir(file);
    if (!format || !file.n)
        return;
    for (size_t i = 0; format->companions && i < AZ_LENGTH(form); i++)
        allow_path(f, az_arena_printf(&f->arena, form[i], AZ_SVF(dir), format->companions).p,
                   AZ_SANDBOX_READ);
    if (format->run_folder || format->reads_folder)
        allow_path(f, az_arena_str(&f->arena, dir), AZ_SANDBOX_READ);
}

/* The tables of a set of CSV files, any of which names the set: files of its folder whose names
 * begin with the name of the set. */
static void add_set(struct allowed *f, const struct az_format *format, struct az_sv file)
{
    const struct az_sv dir = az_path_dir(file), base = az_path_base(file);
    const char *folder = az_arena_str(&f->arena, dir);
    const struct dirent *e;
    if (!format || !format->stem || !az_sv_ends(az_path_unpacked(base), AZ_SV(".csv")))
        return;
    const struct az_sv set = format->stem(base);
    DIR *d = folder ? opendir(folder) : NULL;
    while (d && (e = readdir(d)) != NULL) {
        const struct az_sv name = az_sv_str(e->d_name);
        if (az_sv_starts(name, set) && az_sv_ends(az_path_unpacked(name), AZ_SV(".csv")))
            allow_path(f, az_arena_printf(&f->arena, "%.*s/%.*s", AZ_SVF(dir), AZ_SVF(name)).p,
                       AZ_SANDBOX_READ);
    }
    if (d)
        closedir(d);
}

static void add_job(struct allowed *f, const struct az_plan_job *job)
{
    for (size_t i = 0; i < job->files.n; i++) {
        add_input(f, job->files.v[i].path);
        add_companions(f, job->format, job->files.v[i].path);
        add_set(f, job->format, job->files.v[i].path);
    }
    for (size_t i = 0; i < job->input->files.n; i++) {
        const struct az_input_file *file = &job->input->files.v[i];
        if (i >= job->files.n || !az_sv_eq(file->path, job->files.v[i].path))
            add_input(f, file->path);
        add_input(f, file->part);
    }
    add_input(f, job->beside);
    add_options(f, &job->input->opts);
    add_companions(f, job->format, job->input->opts.comparison_json_path);
    add_companions(f, job->format, job->beside);
}

static void add_plan(struct allowed *f, const struct az_plan *plan, bool reports)
{
    for (size_t i = 0; i < plan->jobs.n; i++) {
        add_job(f, &plan->jobs.v[i]);
        if (reports)
            add_targets(f, &plan->jobs.v[i].targets);
    }
    for (size_t i = 0; reports && i < AZ_STEP_COUNT; i++)
        add_targets(f, &plan->steps[i].targets);
    if (plan->config)
        add_results(f, plan->config->gates.baseline);
    if (reports && plan->config && plan->config->history.path.n)
        add_output(f, plan->config->history.path);
}

/* Of the command itself. */
static void add_needs(struct allowed *f, const struct az_sandbox_needs *needs)
{
    for (size_t i = 0; i < AZ_LENGTH(needs->write) && needs->write[i]; i++)
        add_output(f, az_sv_str(needs->write[i]));
    for (size_t i = 0; i < needs->n_read; i++) {
        const struct az_sv path = az_sv_str(needs->read[i]);
        add_results(f, path);
        if (needs->replaced && az_path_stat(needs->read[i]).kind == AZ_PATH_FILE)
            allow_path(f, az_arena_str(&f->arena, az_path_dir(path)), AZ_SANDBOX_READ);
    }
}

/* Where the loader finds the library of workbooks, which is loaded when one is written. */
static void add_libraries(struct allowed *f)
{
    const char *path = az_env("LD_LIBRARY_PATH");
    struct az_sv rest = az_sv_str(path ? path : ""), folder;
    while (rest.n) {
        const char *colon = memchr(rest.p, ':', rest.n);
        folder = az_sv_make(rest.p, colon ? (size_t)(colon - rest.p) : rest.n);
        rest = colon ? az_sv_make(colon + 1, rest.n - folder.n - 1) : AZ_SV("");
        if (folder.n)
            allow_path(f, az_arena_str(&f->arena, folder), AZ_SANDBOX_READ);
    }
}

/* Temporary files, devices, and what the options of the command name. */
static void restrict_files(const struct az_plan *plan, const struct az_sandbox_needs *needs)
{
    const unsigned both = AZ_SANDBOX_READ | AZ_SANDBOX_WRITE;
    /* SQLite sorts what is large in files of its first, else TMPDIR, else /var/tmp. */
    const char *sorting = az_env("SQLITE_TMPDIR"), *tmp = az_env("TMPDIR");
    const char *summary = az_env("GITHUB_STEP_SUMMARY");
    const bool reads = plan || (needs && needs->n_read);
    struct allowed f = { .error = 0 };
    az_arena_init(&f.arena, NULL);
    az_vec_init(&f.list, NULL);
    allow_path(&f, tmp && *tmp ? tmp : "/tmp", both);
    if (sorting && *sorting)
        allow_path(&f, sorting, both);
    else if (!(tmp && *tmp))
        allow_path(&f, "/var/tmp", both);
    allow_path(&f, "/dev", both);
    add_libraries(&f);
    if (summary && *summary)
        add_output(&f, az_sv_str(summary));
    if (needs)
        add_needs(&f, needs);
    if (plan)
        add_plan(&f, plan, !(needs && needs->no_reports));
    if (!f.error)
        (void)az_sandbox_files(f.list.v, f.list.n, reads ? both : AZ_SANDBOX_WRITE);
    az_vec_release(&f.list);
    az_arena_release(&f.arena);
}

void az_sandbox_settle_for(const struct az_plan *plan, const struct az_sandbox_needs *needs)
{
    if (!entered)
        return;
    for (size_t i = 0; plan && i < plan->jobs.n; i++)
        if (plan->jobs.v[i].format && plan->jobs.v[i].format->converts)
            return; /* another program turns it into what is read */
    restrict_files(plan, needs);
    (void)az_sandbox_enter(needs && needs->sockets ? AZ_SANDBOX_PROGRAMS : AZ_SANDBOX_CHILDREN);
}

void az_sandbox_settle(const struct az_plan *plan) { az_sandbox_settle_for(plan, NULL); }

void az_sandbox_settle_alone(const struct az_plan *plan)
{
    if (alone)
        az_sandbox_settle_for(plan, &(struct az_sandbox_needs){ .no_reports = true });
}
