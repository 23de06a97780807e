/* `analyzer history`: what was stored of earlier runs. */
#include "cmds/run_args.h"

#include <stdio.h>
#include <unistd.h>

#include "base/num.h"
#include "regression/history.h"
#include "run/baseline_load.h"
#include "run/history_import.h"
#include "run/history_rejudge.h"

enum { OPT_DB = OPT_OWN, OPT_KEEP, OPT_MOST, OPT_LABEL, OPT_ONE, OPT_REASON };

static const struct az_cmd_opt options[] = {
    { OPT_DB, "db", "FILE", "the history database (history.path of a configuration)" },
    { OPT_KEEP, "keep", "N", "prune: number of newest runs to keep, besides pinned runs" },
    { OPT_MOST, "most", "N", "trend: maximum number of metrics (8)" },
    { OPT_LABEL, "label", "KEY=VALUE",
      "import: label, commit, branch, host, stack or created of the run; overrides the result "
      "files; repeatable" },
    { OPT_ONE, "one-run", NULL,
      "import: treat all paths as inputs of one run instead of one run per path" },
    { OPT_REASON, "reason", "TEXT", "accept: reason to record in the history" },
    { OPT_CONFIG, "config", "FILE",
      "rejudge: use the gates of this configuration; default: key metrics" },
    { OPT_FORMAT, "format", "LIST",
      "list, show, trend, export: text and the formats of 'analyzer list'; default: text, for "
      "export csv" },
    { 'o', "output", "DIR",
      "output folder of the other formats (.); files are named history_list, history_trend, ..." },
    { 'v', "verbose", NULL, "print all rows" },
    { OPT_COLOR, "color", "WHEN", "auto, always or never" },
    { 'h', "help", NULL, "print this help" },
};

struct history_args {
    const struct az_cmd *cmd;
    const char *db, *dir, *formats, *reason, *config;
    int64_t keep, most;
    bool verbose, one_run;
    enum az_when color;
    struct az_import import;
    char **operands;
    size_t n;
    struct az_diag diag;
    struct az_log log;
};

/* ---- documents ---- */

static int write_text(const struct history_args *h, struct az_document *doc)
{
    struct az_vec_char text;
    int rc;

    az_vec_init(&text, NULL);
    doc->text_full = doc->text_all = h->verbose;
    doc->text_columns = az_text_columns();
    doc->text_rows = h->verbose ? 0 : doc->text_rows;
    rc = az_text_write(doc, &text, az_use_color(h->color, STDOUT_FILENO));
    if (!rc && text.n)
        fwrite(text.v, 1, text.n, stdout); /* what fails is reported when the program ends */
    fflush(stdout);
    az_vec_release(&text);
    return rc;
}

static int write_one(struct history_args *h, struct az_document *doc, const char *what,
                     struct az_sv name)
{
    const struct az_report *r = az_report_find(name);
    struct az_arena a;
    int rc;

    if (az_sv_ieq(name, AZ_SV("text")))
        return write_text(h, doc);
    if (!r || r->verdict)
        return az_diag_fail(&h->diag, AZ_EUSAGE, AZ_NOWHERE,
                            "unsupported output format '%.*s' for the history", AZ_SVF(name));
    az_arena_init(&a, NULL);
    struct az_sv path =
        az_arena_printf(&a, "%s/history_%s%s", h->dir ? h->dir : ".", what, r->extension);
    rc = path.p ? r->write(doc, path.p, &a, &h->diag) : AZ_ENOMEM;
    az_arena_release(&a);
    return rc;
}

static int write_document(struct history_args *h, struct az_document *doc, const char *what)
{
    struct az_sv rest = az_sv_str(h->formats ? h->formats : "text");
    int rc = AZ_OK;
    while (!rc && rest.n)
        rc = write_one(h, doc, what, az_sv_trim(az_sv_cut(&rest, ',')));
    return rc;
}

/* ---- subcommands ---- */

static int need_operands(const struct history_args *h, const char *what, size_t n,
                         const char *names)
{
    if (h->n == n)
        return AZ_OK;
    return az_usage_error(h->cmd, "invalid arguments for 'history %s'; expected %s", what, names);
}

static int number(const struct history_args *h, size_t at, int64_t *out)
{
    if (az_parse_i64(az_sv_str(h->operands[at]), out) == 0 && *out > 0)
        return AZ_OK;
    return az_usage_error(h->cmd, "invalid run number '%s'", h->operands[at]);
}

struct sub {
    const char *name;
    enum az_history_mode mode;
    size_t operands;
    const char *takes;
    int (*run)(struct history_args *h, struct az_history *db, struct az_document *doc);
};

static int run_of(struct history_args *h, int64_t *id)
{
    return number(h, 1, id) ? AZ_EUSAGE : AZ_OK;
}

static int do_list(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int rc = az_history_list_document(db, doc);
    doc->text_rows = 0;
    return rc ? rc : write_document(h, doc, "list");
}

static int do_show(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int64_t id;
    int rc = run_of(h, &id);
    doc->text_rows = 20;
    if (!rc)
        rc = az_history_show_document(db, id, doc);
    return rc ? rc : write_document(h, doc, "show");
}

static int do_trend(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int rc = az_history_trend_document(db, az_sv_str(h->operands[1]), (size_t)h->most, doc);
    return rc ? rc : write_document(h, doc, "trend");
}

static int do_export(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int rc = az_history_export_document(db, h->n > 1 ? az_sv_str(h->operands[1]) : AZ_SV(""), doc);
    doc->xlsx_rows = doc->text_rows = 0;
    if (!h->formats)
        h->formats = "csv";
    return rc ? rc : write_document(h, doc, "export");
}

static int do_good(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int64_t id;
    int rc = run_of(h, &id);
    (void)doc;
    return rc ? rc : az_history_mark(db, id, true);
}

static int do_bad(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int64_t id;
    int rc = run_of(h, &id);
    (void)doc;
    return rc ? rc : az_history_mark(db, id, false);
}

static int do_pin(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int64_t id;
    int rc = run_of(h, &id);
    (void)doc;
    return rc ? rc : az_history_pin(db, id, az_sv_str(h->operands[2]));
}

static int do_accept(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int64_t id;
    int rc = run_of(h, &id);
    (void)doc;
    return rc ? rc
              : az_history_accept(db, id, h->n > 2 ? az_sv_str(h->operands[2]) : AZ_SV(""),
                                  az_sv_str(h->reason ? h->reason : ""));
}

/* The rules by which runs are tested again. */
static int load_rules(struct history_args *h, struct az_config *c)
{
    struct az_overrides over;
    struct az_config_names names;
    struct az_plan plan;
    int rc;

    az_plan_init(&plan);
    az_vec_init(&over, NULL);
    rc = az_plan_names(&plan.arena, &names);
    if (!rc)
        rc = h->config ? az_config_load(c, h->config, &over, &names, &h->diag)
                       : az_config_quick(c, &over, &names, &h->diag);
    if (!rc && !c->gates.given)
        rc = az_config_default_gates(c);
    az_vec_release(&over);
    az_plan_release(&plan);
    return rc;
}

static int do_rejudge(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    struct az_config c;
    size_t n = 0, failed = 0;
    int rc = az_config_init(&c);

    (void)doc;
    if (rc)
        return rc;
    rc = load_rules(h, &c);
    if (!rc)
        rc = az_history_rejudge(db, &c, &n, &failed, &h->diag);
    if (!rc)
        printf("%zu runs evaluated, %zu failed\n", n, failed);
    az_config_release(&c);
    return rc;
}

static int do_prune(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    int64_t removed = 0;
    int rc;
    (void)doc;
    if (h->keep < 0) {
        az_usage_error(h->cmd, "missing --keep=N for 'history prune'");
        return AZ_EUSAGE;
    }
    rc = az_history_prune(db, h->keep, &removed);
    if (!rc)
        printf("%lld runs removed\n", (long long)removed);
    return rc;
}

static int do_import(struct history_args *h, struct az_history *db, struct az_document *doc)
{
    struct az_vec_i64 ids;
    int rc;
    (void)doc;
    az_vec_init(&ids, NULL);
    h->import.paths = (const char *const *)h->operands + 1;
    h->import.n = h->n - 1;
    h->import.one_run = h->one_run;
    rc = az_history_import(db, &h->import, &ids, &h->diag);
    for (size_t i = 0; i < ids.n; i++)
        printf("stored as run %lld\n", (long long)ids.v[i]);
    az_vec_release(&ids);
    return rc;
}

static const struct sub subs[] = {
    { "list", AZ_HISTORY_READ, 1, "--db=FILE and no operand", do_list },
    { "show", AZ_HISTORY_READ, 2, "the number of a run", do_show },
    { "trend", AZ_HISTORY_READ, 2, "one KEY: part of \"input / table / key / column\", or a glob",
      do_trend },
    { "export", AZ_HISTORY_READ, 0, "one KEY at most", do_export },
    { "import", AZ_HISTORY_WRITE, 0, "result JSONs, or folders of them or of CSV tables",
      do_import },
    { "prune", AZ_HISTORY_WRITE, 1, "no operand", do_prune },
    { "mark-good", AZ_HISTORY_WRITE, 2, "the number of a run", do_good },
    { "mark-bad", AZ_HISTORY_WRITE, 2, "the number of a run", do_bad },
    { "accept", AZ_HISTORY_WRITE, 0, "the number of a run, and one KEY at most", do_accept },
    { "rejudge", AZ_HISTORY_WRITE, 1, "no operand", do_rejudge },
    { "pin", AZ_HISTORY_WRITE, 3, "the number of a run and a label", do_pin },
};
#define SUBS AZ_LENGTH(subs)

static const struct sub *find_sub(const struct history_args *h)
{
    const char *names[SUBS], *near;
    for (size_t i = 0; i < SUBS; i++) {
        names[i] = subs[i].name;
        if (strcmp(subs[i].name, h->operands[0]) == 0)
            return &subs[i];
    }
    near = az_nearest(h->operands[0], names, SUBS);
    if (near)
        az_usage_error(h->cmd, "unknown history command '%s' (did you mean '%s'?)", h->operands[0],
                       near);
    else
        az_usage_error(h->cmd, "unknown history command '%s'", h->operands[0]);
    return NULL;
}

static int exit_status(int rc)
{
    const int status = az_run_exit_status(rc);
    return status == AZ_EXIT_USAGE && rc != AZ_EUSAGE && rc != AZ_ECONFIG ? AZ_EXIT_PARTIAL
                                                                          : status;
}

/* No database is made for results that cannot be read. */
static int check_import(struct history_args *h)
{
    struct az_saved_list l;
    int rc = AZ_OK;
    az_vec_init(&l, NULL);
    for (size_t i = 1; !rc && i < h->n; i++)
        rc = az_saved_collect(h->operands[i], &l, &h->diag);
    az_saved_release(&l);
    return rc;
}

static int run_sub(struct history_args *h, const struct sub *sub)
{
    struct az_history *db = NULL;
    struct az_document doc;
    struct az_arena arena;
    struct az_mem mem;
    /* a database is made by what fills it: marking in one that is not there is a mistake */
    bool make = sub->run == do_import;
    int rc = AZ_OK;

    az_mem_init(&mem, 0);
    az_arena_init(&arena, &mem);
    az_document_init(&doc, &arena);
    if (!make && sub->mode == AZ_HISTORY_WRITE && access(h->db, F_OK) != 0)
        rc = az_diag_fail(&h->diag, AZ_EIO, AZ_AT_FILE(az_sv_str(h->db)), "no such file");
    if (!rc && make && access(h->db, F_OK) != 0)
        rc = check_import(h);
    if (!rc)
        az_sandbox_settle_for(NULL,
                              &(struct az_sandbox_needs){ .write = { h->db, h->dir },
                                                          .read = (const char *const *)h->operands,
                                                          .n_read = h->n });
    if (!rc)
        rc = az_history_open(&db, h->db, sub->mode, &h->diag);
    if (!rc)
        rc = sub->run(h, db, &doc);
    az_history_close(db);
    az_document_release(&doc);
    az_arena_release(&arena);
    az_diag_print(&h->diag, &h->log);
    if (rc && rc != AZ_EUSAGE && h->diag.errors == 0)
        az_log_line(&h->log, AZ_LOG_QUIET, "error: %s", az_err_text(rc));
    return exit_status(rc);
}

/* ---- options ---- */

static int count_option(const struct az_cmd *cmd, const char *name, const char *text, int64_t least,
                        int64_t *out)
{
    if (az_parse_i64(az_sv_str(text), out) == 0 && *out >= least)
        return AZ_EXIT_OK;
    return az_usage_error(cmd, "invalid --%s: expected a number of %lld or more, not '%s'", name,
                          (long long)least, text);
}

static int one_option(void *ctx, int id, const char *value)
{
    struct history_args *h = ctx;
    const struct az_cmd *cmd = h->cmd;

    switch (id) {
    case OPT_DB:
        h->db = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(cmd, "missing file name for --db; use --db=FILE");
    case OPT_KEEP:
        return count_option(cmd, "keep", value, 0, &h->keep);
    case OPT_MOST:
        return count_option(cmd, "most", value, 1, &h->most);
    case OPT_FORMAT:
        h->formats = value;
        return AZ_EXIT_OK;
    case OPT_LABEL:
        if (az_import_label(&h->import, az_sv_str(value)))
            return az_usage_error(cmd,
                                  "invalid --label '%s'; use KEY=VALUE with label, commit, branch, "
                                  "host, stack or created as the key",
                                  value);
        return AZ_EXIT_OK;
    case OPT_REASON:
        h->reason = value;
        return AZ_EXIT_OK;
    case OPT_CONFIG:
        h->config = value;
        return *value ? AZ_EXIT_OK
                      : az_usage_error(cmd, "missing file name for --config; use --config=FILE");
    case OPT_ONE:
        h->one_run = true;
        return AZ_EXIT_OK;
    case 'o':
        h->dir = value;
        return AZ_EXIT_OK;
    case 'v':
        h->verbose = true;
        return AZ_EXIT_OK;
    default:
        return az_option_when(cmd, "color", value, &h->color);
    }
}

static int parsed(const struct az_cmd *cmd, struct history_args *h, const struct az_args *a)
{
    const struct sub *sub;
    h->operands = a->operands;
    h->n = a->n_operands;
    if (!h->n)
        return az_usage_error(cmd, "missing history command; use list, show, trend, export, "
                                   "import, prune, accept, rejudge, mark-good, mark-bad or pin");
    sub = find_sub(h);
    if (!sub)
        return AZ_EXIT_USAGE;
    if (sub->operands && need_operands(h, sub->name, sub->operands, sub->takes) != AZ_OK)
        return AZ_EXIT_USAGE;
    if ((sub->run == do_import && h->n < 2) || (sub->run == do_export && h->n > 2) ||
        (sub->run == do_accept && (h->n < 2 || h->n > 3)))
        return az_usage_error(cmd, "invalid arguments for 'history %s'; expected %s", sub->name,
                              sub->takes);
    if (!h->db)
        return az_usage_error(cmd, "missing database; use --db=FILE");
    h->log.color = az_use_color(h->color, STDERR_FILENO);
    return run_sub(h, sub);
}

static int run_history(const struct az_cmd *cmd, int argc, char **argv)
{
    struct history_args h = { .cmd = cmd, .keep = -1, .most = 8 };
    struct az_args a;
    bool help;
    int rc;

    az_diag_init(&h.diag);
    az_args_init(&a, cmd, argc, argv);
    rc = az_args_parse(&a, one_option, &h, &help);
    if (!rc && !help)
        rc = parsed(cmd, &h, &a);
    az_diag_release(&h.diag);
    return rc;
}

const struct az_cmd az_cmd_history = {
    "history",
    "COMMAND... --db FILE",
    "list runs, plot metric trends, mark good and bad runs",
    "Commands: list, show ID, trend KEY, export [KEY], import PATH..., prune --keep N, accept ID "
    "[KEY], rejudge,\nmark-good ID, mark-bad ID, pin ID LABEL. accept: accept the metric\nchanges "
    "up to this run; later runs are compared with the new level. rejudge: recompute the verdicts "
    "in order of time\nafter importing runs. A run of a configuration with \"history\" is added "
    "automatically. KEY is part of\n\"input / table / key / column\", or a glob for all of it. "
    "export writes one row per sample and verdict. A pinned run\nis available as a baseline by its "
    "label (gates.baseline: pinned:LABEL) and is never pruned.",
    options,
    AZ_LENGTH(options),
    run_history
};
