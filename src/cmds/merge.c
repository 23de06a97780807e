/* `analyzer merge`: the traces of many ranks as one file for a viewer. */
#include "cmds/internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "io/path.h"
#include "merge/merge.h"
#include "read/skipped_files.h"

enum { OPT_KEEP_PYTHON = 256, OPT_CATEGORY, OPT_NAME, OPT_MEMORY };

AZ_VEC(struct az_merge_input, inputs);

struct merge {
    const struct az_cmd *cmd;
    const char *out, *base, *pattern;
    const char *named; /* the output of -o, where .gz was appended; NULL */
    struct az_arena arena;
    struct inputs list;
    struct az_path_info out_info;
    struct az_vec_sv cats, names;
    struct az_merge_opts opts;
    struct az_mem mem;
    struct az_diag diag;
    struct az_log log;
    bool quiet, unread; /* a file could not be checked */
};

static int add_input(struct merge *m, const char *path)
{
    struct az_sv copy = az_arena_dup(&m->arena, az_sv_str(path));
    if (!copy.p)
        return az_arena_error(&m->arena);
    struct az_merge_input in = { copy, az_pytorch_rank_of_name(copy, az_sv_str(m->pattern)) };
    return az_vec_push(&m->list, in);
}

/* Traces by their content; other files, such as the output of an earlier call, are skipped. */
static int visit(void *ctx, const char *path, const struct az_path_info *info, unsigned depth)
{
    struct merge *m = ctx;
    const struct az_format *f = NULL;
    struct az_diag quiet;
    struct az_sv name = az_sv_str(path);
    (void)depth;
    if (az_interrupted())
        return AZ_EINTR;
    if (!az_sv_ends(name, AZ_SV(".json")) && !az_sv_ends(name, AZ_SV(".json.gz")))
        return 0;
    az_passed_odd(path, info, &m->diag);
    if (az_path_is_unread(info))
        m->unread = true;
    if (info->kind != AZ_PATH_FILE)
        return 0;
    if (m->out_info.kind == AZ_PATH_FILE && m->out_info.dev == info->dev &&
        m->out_info.ino == info->ino)
        return 0;
    az_diag_init(&quiet);
    int rc = az_format_probe(path, &f, NULL, &quiet);
    if (rc == AZ_ENOMEM)
        az_diag_append(&m->diag, &quiet);
    else if (rc && quiet.list.n && az_pytorch_rank_of_name(name, az_sv_str(m->pattern)) >= 0) {
        az_diag_add(&m->diag, rc == AZ_EIO ? AZ_ERROR : AZ_WARNING, AZ_NOWHERE,
                    "%.*s: this rank is skipped", AZ_SVF(quiet.list.v[0].text));
        m->unread |= rc == AZ_EIO;
    }
    az_diag_release(&quiet);
    if (rc == AZ_ENOMEM)
        return rc;
    return rc == 0 && f == az_format_find(AZ_SV("pytorch")) ? add_input(m, path) : 0;
}

/* All traces below a folder. */
static int find_below(struct merge *m, const char *folder)
{
    const struct az_walk walk = { .visit = visit, .ctx = m, .follow_links = true };
    const size_t before = m->list.n;
    const int rc = az_path_walk(folder, &walk, &m->diag);
    return rc || m->list.n > before
               ? rc
               : az_diag_fail(
                     &m->diag, AZ_EEMPTY, AZ_AT_FILE(az_sv_str(folder)),
                     "no PyTorch trace (*.json, *.json.gz) in this folder; check the path");
}

static int find_inputs(struct merge *m, const struct az_args *a)
{
    int rc = 0;
    m->out_info = az_path_stat(m->out);
    for (size_t i = 0; rc == 0 && i < a->n_operands; i++)
        rc = az_path_stat(a->operands[i]).kind == AZ_PATH_DIR ? find_below(m, a->operands[i])
                                                              : add_input(m, a->operands[i]);
    return rc == 0 && m->base ? find_below(m, m->base) : rc;
}

static int report(const struct merge *m, const struct az_merge_result *r)
{
    if (m->quiet)
        return AZ_EXIT_OK;
    printf("%s: %zu rank%s, %llu of %llu events", m->out, r->ranks, r->ranks == 1 ? "" : "s",
           (unsigned long long)r->kept, (unsigned long long)r->read);
    printf(" (skipped: %llu python_function, %llu Trace, %llu process records, %llu filtered, %llu "
           "malformed)\n",
           (unsigned long long)r->python, (unsigned long long)r->trace,
           (unsigned long long)r->process, (unsigned long long)r->filtered,
           (unsigned long long)r->malformed);
    if (m->named)
        printf("output is compressed: %s instead of %s\n", m->out, m->named);
    printf("IDs of rank r are offset by r x 10^%u: pid, id, %s\n", r->digits,
           r->external ? "External id" : "correlation");
    if (r->repaired)
        printf("%llu events repaired: control bytes, invalid UTF-8, or non-JSON numbers\n",
               (unsigned long long)r->repaired);
    return AZ_EXIT_OK; /* what cannot be printed is reported at the end */
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return az_interrupted();
}

/* The traces that were found, wherever links lead. */
static void settle(struct merge *m)
{
    const char **read = az_arena_array(&m->arena, m->list.n, sizeof *read);
    for (size_t i = 0; read && i < m->list.n; i++)
        read[i] = m->list.v[i].path.p;
    az_sandbox_settle_for(NULL, &(struct az_sandbox_needs){ .write = { m->out },
                                                            .read = read,
                                                            .n_read = read ? m->list.n : 0 });
}

static int session(struct merge *m, const struct az_args *a)
{
    struct az_merge_result result = { 0 };
    int status;
    az_signals_install();
    int rc = find_inputs(m, a);
    settle(m);
    m->opts.cats = &m->cats;
    m->opts.names = &m->names;
    m->opts.mem = &m->mem;
    m->opts.cancelled = cancelled;
    if (m->opts.threads == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        m->opts.threads = processors > 0 ? (unsigned)processors : 1;
    }
    if (rc == 0)
        rc = az_pytorch_merge(m->list.v, m->list.n, &m->opts, m->out, &result, &m->diag);
    status = rc == 0 ? report(m, &result) : AZ_EXIT_PARTIAL;
    if (rc == AZ_EUSAGE)
        status = AZ_EXIT_USAGE;
    if (rc == AZ_EINTERNAL || rc == AZ_ENOMEM)
        status = AZ_EXIT_INTERNAL;
    if (rc == AZ_EINTR)
        status = AZ_EXIT_INTERRUPTED;
    az_diag_print(&m->diag, &m->log);
    if (rc && rc != AZ_EINTR && m->diag.errors == 0)
        az_log_line(&m->log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    if (rc == AZ_EINTR)
        az_log_line(&m->log, AZ_LOG_QUIET, "interrupted; nothing was written");
    return rc == 0 && (result.damaged + result.left_out || m->unread) ? AZ_EXIT_PARTIAL : status;
}

static int add_list(struct az_vec_sv *list, const char *value)
{
    struct az_sv rest = az_sv_str(value);
    while (rest.n) {
        struct az_sv one = az_sv_trim(az_sv_cut(&rest, ','));
        if (one.n && az_vec_push(list, one))
            return AZ_EXIT_INTERNAL;
    }
    return AZ_EXIT_OK;
}

static int one_option(void *ctx, int id, const char *value)
{
    struct merge *m = ctx;
    uint64_t size;
    int64_t jobs;
    if (value && !*value)
        return az_usage_error(m->cmd, "empty option value");
    switch (id) {
    case 'o':
        m->out = value;
        return AZ_EXIT_OK;
    case 'b':
        m->base = value;
        return AZ_EXIT_OK;
    case 'p':
        m->pattern = value;
        return AZ_EXIT_OK;
    case OPT_KEEP_PYTHON:
        m->opts.keep_python = true;
        return AZ_EXIT_OK;
    case OPT_CATEGORY:
        return add_list(&m->cats, value);
    case OPT_NAME:
        return az_vec_push(&m->names, az_sv_str(value)) ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
    case 'j':
        if (az_parse_i64(az_sv_str(value), &jobs) || jobs < 0 || jobs > 256)
            return az_usage_error(m->cmd, "invalid -j '%s'; use a number from 0 to 256", value);
        m->opts.threads = (unsigned)jobs;
        return AZ_EXIT_OK;
    case OPT_MEMORY:
        if (az_parse_size(az_sv_str(value), &size) || size > SIZE_MAX)
            return az_usage_error(
                m->cmd, "invalid --memory-limit '%s'; use a size such as 512M or 2G", value);
        az_mem_init(&m->mem, (size_t)size);
        return AZ_EXIT_OK;
    default:
        m->log.level = AZ_LOG_QUIET;
        m->quiet = true;
        return AZ_EXIT_OK;
    }
}

static int check(struct merge *m, const struct az_args *a)
{
    if (!m->out)
        return az_usage_error(m->cmd, "missing -o; name the output file");
    if ((m->base != NULL) == (a->n_operands != 0))
        return az_usage_error(m->cmd, "expected either -b DIR or the files to merge");
    if (az_sv_ends(az_sv_str(m->out), AZ_SV(".gz")))
        return AZ_EXIT_OK;
    struct az_sv name = az_arena_printf(&m->arena, "%s.gz", m->out);
    m->named = m->out;
    m->out = name.p;
    return name.p ? AZ_EXIT_OK : AZ_EXIT_INTERNAL;
}

static int run_merge(const struct az_cmd *cmd, int argc, char **argv)
{
    struct merge m = { .cmd = cmd, .pattern = "rank", .log = { .level = AZ_LOG_NORMAL } };
    struct az_args a;
    bool help;
    int rc;

    az_mem_init(&m.mem, 0);
    az_arena_init(&m.arena, NULL);
    az_diag_init(&m.diag);
    az_vec_init(&m.list, NULL);
    az_vec_init(&m.cats, NULL);
    az_vec_init(&m.names, NULL);
    m.log.color = az_use_color(AZ_AUTO, STDERR_FILENO);
    az_args_init(&a, cmd, argc, argv);
    rc = az_args_parse(&a, one_option, &m, &help);
    if (!rc && !help)
        rc = check(&m, &a);
    if (!rc && !help)
        rc = session(&m, &a);
    az_vec_release(&m.names);
    az_vec_release(&m.cats);
    az_vec_release(&m.list);
    az_diag_release(&m.diag);
    az_arena_release(&m.arena);
    return rc;
}

static const struct az_cmd_opt options[] = {
    { 'o', "output", "FILE", "output file, compressed with gzip; .gz is appended if missing" },
    { 'b', "base", "DIR", "merge all PyTorch traces below DIR" },
    { 'p', "rank-pattern", "TEXT", "text before the rank in file names (rank)" },
    { OPT_KEEP_PYTHON, "keep-python", NULL, "include python_function events" },
    { OPT_CATEGORY, "category", "LIST",
      "include only events of these categories, for example kernel,cuda_runtime,ac2g" },
    { OPT_NAME, "name", "TEXT",
      "include only events whose name contains TEXT; repeatable (any match)" },
    { 'j', "jobs", "N", "files to scan concurrently; 0: one per CPU (default)" },
    { OPT_MEMORY, "memory-limit", "SIZE", "memory limit for data, for example 512M" },
    { 'q', "quiet", NULL, "print errors only" },
    { 'h', "help", NULL, "print this help" },
};
const struct az_cmd az_cmd_merge = {
    "merge",
    "-o FILE TRACE|DIR... | -b DIR",
    "merge PyTorch traces of many ranks for a trace viewer",
    "The rank is read from distributedInfo or from the file name. Clocks are not aligned.",
    options,
    AZ_LENGTH(options),
    run_merge
};
