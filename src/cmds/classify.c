/* `analyzer classify PATH...`: the biggest kernels that no class map names, as a class map to
 * paste. */
#include "cmds/run_args.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "text/jsonw.h"

struct proposal {
    struct az_sv key, lower, class_name;
    int64_t ns, count;
};
AZ_VEC(struct proposal, proposals);

struct classify {
    const struct az_cmd *cmd;
    const char *config;
    int64_t most;
    struct az_overrides over;
    struct az_config conf;
    struct az_plan plan;
    struct az_diag diag;
    struct az_arena arena;
    struct proposals list;
    double total; /* ns of all kernels */
    struct az_log log;
    bool failed;
    const char *indent;
    bool unnamed; /* only kernels that no built-in rule names; inputs without them are skipped */
    struct az_vec_char *out;
};

static int prepare(struct classify *c, const struct az_args *a)
{
    struct az_config_names names;
    int rc = az_plan_names(&c->plan.arena, &names);

    if (!rc && c->config)
        rc = az_plan_config(&c->conf, c->config, &c->over, &names, &c->diag);
    else if (!rc)
        rc = az_config_quick(&c->conf, &c->over, &names, &c->diag);
    c->conf.cancel = az_signals_install(); /* from here on there may be temporary files */
    if (!rc && !c->config)
        rc = a->n_operands == 1 ? az_plan_runs(&c->conf, a->operands[0], &c->diag)
                                : az_plan_paths(&c->conf, (const char *const *)a->operands,
                                                a->n_operands, &c->diag);
    if (!rc)
        rc = az_plan_search(&c->conf, &c->diag);
    if (!rc)
        rc = az_plan_make(&c->plan, &c->conf, &c->diag);
    if (!rc)
        az_sandbox_settle_for(&c->plan, &(struct az_sandbox_needs){ .no_reports = true });
    return rc;
}

/* Class of a rule as a map would name it: the family in lower case; kernels without one are for the
 * user to name. */
static struct az_sv class_to_paste(struct az_arena *a, struct az_sv builtin)
{
    const char *dash = builtin.n ? memchr(builtin.p, '-', builtin.n) : NULL;

    if (az_sv_is(builtin, "others"))
        return AZ_SV("todo");
    return az_utf8_lower(a, dash ? az_sv_make(builtin.p, (size_t)(dash - builtin.p)) : builtin);
}

static int add_row(struct classify *c, const struct az_table *t, size_t row)
{
    struct az_sv key = az_cell_text(az_table_at(t, row, 0));
    int64_t ns = az_table_at(t, row, 2)->i, count = az_table_at(t, row, 4)->i;
    double share = az_cell_number(az_table_at(t, row, 3));

    if (row == 0 && share > 0)
        c->total += (double)ns / share * 100.0;
    for (size_t i = 0; i < c->list.n; i++) {
        if (az_sv_eq(c->list.v[i].key, key)) {
            c->list.v[i].ns += ns;
            c->list.v[i].count += count;
            return 0;
        }
    }
    key = az_arena_dup(&c->arena, key);
    struct proposal p = {
        .key = key, .lower = az_utf8_lower(&c->arena, key), .ns = ns, .count = count
    };
    p.class_name =
        az_arena_dup(&c->arena, class_to_paste(&c->arena, az_cell_text(az_table_at(t, row, 1))));
    return c->arena.failed ? az_arena_error(&c->arena) : az_vec_push(&c->list, p);
}

static int read_job(struct classify *c, struct az_plan_job *job)
{
    struct az_run_opts opts = { .memory_limit = c->conf.memory_limit };
    struct az_result res;
    int rc = job->error;

    if (c->unnamed && (rc || az_job_is_run(job)))
        return AZ_OK;
    az_result_init(&res, opts.memory_limit);
    if (!rc && az_job_is_run(job)) /* its ranks are reduced: there is no such table */
        rc = az_diag_fail(&job->diag, AZ_EUSAGE, AZ_AT_FILE(job->input->title),
                          "is a run of %zu ranks; name the file of one rank", job->files.n);
    if (!rc)
        rc = az_analyze_input(job, &opts, 1, &res, &job->diag, NULL);
    const struct az_table *t =
        res.reportable ? az_document_table(&res.doc, "unmatched_kernels") : NULL;
    c->failed |= rc != 0;
    rc = 0;
    for (size_t i = 0; t && !rc && i < t->rows; i++)
        rc = add_row(c, t, i);
    az_result_release(&res);
    if (!c->unnamed)
        az_diag_print(&job->diag, &c->log);
    return rc;
}

static int bigger_first(const void *a, const void *b, void *ctx)
{
    const struct proposal *x = a, *y = b;
    (void)ctx;
    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    return az_sv_cmp(x->key, y->key);
}

/* No key of a map may be part of another one. */
static bool collides(const struct classify *c, const bool *taken, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (taken[j] && (az_sv_find(c->list.v[i].lower, c->list.v[j].lower) >= 0 ||
                         az_sv_find(c->list.v[j].lower, c->list.v[i].lower) >= 0))
            return true;
    return false;
}

/* The map as text: a member of a configuration, its rows indented as far as it is. */
static int map_text(struct classify *c, const char *indent, struct az_vec_char *text)
{
    size_t shown = 0;
    bool *taken = az_arena_array(&c->arena, c->list.n + 1, sizeof *taken);
    int rc = taken ? 0 : AZ_ENOMEM;
    az_sort_cmp(c->list.v, c->list.n, sizeof *c->list.v, bigger_first, NULL, NULL);

    const size_t before = text->n;
    if (!rc)
        rc = az_text_printf(text, "%s\"kernel_to_class_map\": {\n", indent);
    for (size_t i = 0; !rc && i < c->list.n && shown < (size_t)c->most; i++) {
        const struct proposal *p = &c->list.v[i];
        taken[i] = p->lower.n > 0 && !collides(c, taken, i) &&
                   (!c->unnamed || az_sv_is(p->class_name, "todo"));
        if (!taken[i])
            continue;
        shown++;
        rc = az_text_printf(text, "%s    ", indent);
        if (!rc)
            rc = az_json_quote(text, p->key);
        if (!rc)
            rc = az_text_append(text, AZ_SV(": "));
        if (!rc)
            rc = az_json_quote(text, p->class_name);
        if (!rc)
            rc = az_text_printf(text, ", // %.2f%% of kernel time, %lld kernels\n",
                                c->total > 0 ? (double)p->ns / c->total * 100.0 : 0.0,
                                (long long)p->count);
    }
    if (c->unnamed && !shown) {
        text->n = before;
        return rc;
    }
    return rc ? rc : az_text_printf(text, "%s}%s\n", indent, *indent ? "," : "");
}

/* Where the map goes, for new users; not in the way of a pipe. */
static void print_hint(const struct classify *c)
{
    if (!c->list.n)
        az_log_line(&c->log, AZ_LOG_NORMAL,
                    c->config ? "note: every kernel is classified" : "note: no kernels");
    else if (!c->config)
        az_log_line(
            &c->log, AZ_LOG_NORMAL,
            "note: paste this at the top level of a configuration (create one with 'analyzer "
            "init'), edit the classes, then validate it with 'analyzer check-config FILE'");
}

static int session(struct classify *c, const struct az_args *a)
{
    int rc = prepare(c, a);

    az_diag_print(&c->diag, &c->log);
    if (rc == AZ_EINTR)
        return AZ_EXIT_INTERRUPTED;
    if (rc)
        return rc == AZ_ENOMEM || rc == AZ_EINTERNAL ? AZ_EXIT_INTERNAL : AZ_EXIT_USAGE;
    for (size_t i = 0; !rc && i < c->plan.jobs.n; i++) {
        rc = read_job(c, &c->plan.jobs.v[i]);
        if (az_interrupted())
            return AZ_EXIT_INTERRUPTED;
    }
    if (!rc)
        rc = map_text(c, c->indent, c->out);
    return rc ? AZ_EXIT_INTERNAL : c->failed ? AZ_EXIT_PARTIAL : AZ_EXIT_OK;
}

static int one_option(void *ctx, int id, const char *value)
{
    struct classify *c = ctx;
    const char *eq = value ? strchr(value, '=') : NULL;

    if (az_flag_option(id))
        return az_flag_set(&c->over, id, value);
    switch (id) {
    case OPT_CONFIG:
        c->config = value;
        return AZ_EXIT_OK;
    case 'n':
        if (az_parse_i64(az_sv_str(value), &c->most) || c->most < 1)
            return az_usage_error(c->cmd, "invalid -n '%s'; use a number of 1 or more", value);
        return AZ_EXIT_OK;
    default:
        if (!eq || eq == value)
            return az_usage_error(c->cmd, "invalid '%s'; use KEY=VALUE", value);
        return az_vec_push(&c->over,
                           ((struct az_override){ .kind = AZ_SET_OPTION,
                                                  .key = az_sv_make(value, (size_t)(eq - value)),
                                                  .value = az_sv_str(eq + 1) }))
                   ? AZ_EXIT_INTERNAL
                   : AZ_EXIT_OK;
    }
}

static int begin(struct classify *c, const struct az_cmd *cmd)
{
    int rc = az_config_init(&c->conf);

    c->cmd = cmd;
    c->most = 20;
    c->log = (struct az_log){ .level = AZ_LOG_NORMAL, .color = az_use_color(AZ_AUTO, 2) };
    az_plan_init(&c->plan);
    az_diag_init(&c->diag);
    az_arena_init(&c->arena, NULL);
    az_vec_init(&c->over, NULL);
    az_vec_init(&c->list, NULL);
    /* the table it reads is shown on request */
    if (!rc)
        rc = az_vec_push(&c->over, ((struct az_override){ .kind = AZ_SET_OPTION,
                                                          .key = AZ_SV("compat"),
                                                          .value = AZ_SV("all") }));
    return rc ? AZ_EXIT_INTERNAL : AZ_EXIT_OK;
}

static void release_all(struct classify *c)
{
    az_vec_release(&c->list);
    az_vec_release(&c->over);
    az_arena_release(&c->arena);
    az_diag_release(&c->diag);
    az_plan_release(&c->plan);
    az_config_release(&c->conf);
}

int az_class_map(const struct az_args *a, const char *indent, bool unnamed, struct az_vec_char *out)
{
    struct classify c = { .indent = indent, .unnamed = unnamed, .out = out };
    int rc = begin(&c, &az_cmd_classify);

    if (!rc)
        rc = session(&c, a);
    release_all(&c);
    return rc;
}

static int run_classify(const struct az_cmd *cmd, int argc, char **argv)
{
    struct az_vec_char out;
    struct classify c = { .indent = "", .out = &out };
    struct az_args a;
    bool help = false;
    int rc = begin(&c, cmd);

    az_vec_init(&out, NULL);
    az_args_init(&a, cmd, argc, argv);
    rc = rc ? rc : az_args_parse(&a, one_option, &c, &help);
    if (help)
        goto out;
    if (!rc && (c.config != NULL) == (a.n_operands != 0))
        rc = az_usage_error(cmd, "expected either --config=FILE or profiles");
    if (!rc) {
        rc = session(&c, &a);
        if (c.list.n || !rc)
            fwrite(out.v, 1, out.n, stdout);
        fflush(stdout);
        if (!rc)
            print_hint(&c);
    }
out:
    az_vec_release(&out);
    release_all(&c);
    return rc;
}

static const struct az_cmd_opt options[] = {
    { OPT_CONFIG, "config", "FILE",
      "read the inputs of this configuration; skip kernels that its class map matches" },
    { 'n', "most", "N", "maximum number of names (20), from the 100 largest of each input" },
    { OPT_OPT, "opt", "KEY=VALUE",
      "set an option for all inputs ('analyzer help config'); repeatable" },
    { 'h', "help", NULL, "print this help" },
};
const struct az_cmd az_cmd_classify = {
    "classify",
    "PATH...",
    "suggest a class map for unclassified kernels",
    "Keys are words that distinguish the kernel names; classes come from the built-in rules, "
    "'todo' where no rule\nmatches. 'analyzer init' prints a complete configuration.",
    options,
    AZ_LENGTH(options),
    run_classify
};
